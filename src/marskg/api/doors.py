"""What is asked at every public door of the facade and of its namespaces before the door does anything.

Guarantees: every public method and property that the class defines is behind the question, those that are added later
included; what a derived class overrides asks once more, by the same name.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, cast

from marskg.errors import EngineUnavailable
from marskg.privacy.principals import permit
from marskg.store.engine.protocol import CLOSED

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.privacy.principals import Principal
    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Engine

#: What a memory that is closed still answers: what it was, and to be closed again.
_AFTER_CLOSING: Final = frozenset({"close", "maintenance.stop", "principal", "store", "tenant"})
#: Operations that tell nothing of what the last accesses changed, or know it; all others have these written first.
_BESIDE_ACCESSES: Final = frozenset(
    {
        "close",
        "maintenance.stop",
        "notices",
        "now",
        "principal",
        "profile",
        "recall",
        "retrieve",
        "settings.current",
        "tenant",
    }
)
#: What is told without the store, open or closed: what the memory was opened as.
AT_HAND: Final = _AFTER_CLOSING & _BESIDE_ACCESSES


class Asking(Protocol):
    """An object that is asked before each of its public doors."""

    def _ask(self, name: str) -> None:
        """Refuse the door called ``name`` by raising."""


class Doorkeeper:
    """Asks whether an operation may be used, and writes first what was shown."""

    def __init__(self, engine: Engine, writer: Writer, principal: Principal | None) -> None:
        """Guard a tenant on ``engine``; ``principal`` is None where the operator comes, who may do everything."""
        self._engine = engine
        self._writer = writer
        self._principal = principal
        self._closed = False

    def close(self) -> None:
        """Refuse every operation from now on but what says what the memory was, and to close it again."""
        self._closed = True

    @property
    def closed(self) -> bool:
        """Return whether it was closed."""
        return self._closed

    def check_open(self) -> None:
        """Refuse to go on with a memory that is closed.

        Raises:
            EngineUnavailable: it is.
        """
        if self._closed:
            raise EngineUnavailable(CLOSED)

    def ask(self, operation: str) -> None:
        """Refuse an operation that the principal may not use, and each in a process that was forked after opening.

        What was shown is written first, but for the operations that need not know of it.

        Raises:
            NotPermitted: the operation is not theirs.
            EngineUnavailable: the memory is closed.
        """
        if self._closed and operation not in _AFTER_CLOSING:
            self.check_open()
        if self._principal is not None:
            permit(self._principal, operation)
        self._engine.check_process()
        if operation not in _BESIDE_ACCESSES:
            self._writer.commit_accesses()


Facade = TypeVar("Facade", bound=Asking)
Door = TypeVar("Door", bound="Callable[..., Any]")


def guarded(facade: type[Facade]) -> type[Facade]:
    """Let every public door that ``facade`` defines ask the object first; a decorator of classes."""
    for name, door in list(vars(facade).items()):
        if name.startswith("_"):
            continue
        if isinstance(door, property) and door.fget is not None:
            setattr(facade, name, property(_asking_first(name, door.fget), doc=door.__doc__))
        elif callable(door):
            setattr(facade, name, _asking_first(name, door))
    return facade


def _asking_first(name: str, door: Door) -> Door:
    @wraps(door)
    def asked(self: Asking, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the door has it
        self._ask(name)
        return door(self, *args, **kwargs)

    return cast("Door", asked)
