"""Public methods and properties that ask their object before they do anything.

Guarantees: every public method and property that the class defines is behind the question, those that are added later
included; what a derived class overrides asks once more, by the same name.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable


class Asking(Protocol):
    """An object that is asked before each of its public doors."""

    def _ask(self, name: str) -> None:
        """Refuse the door called ``name`` by raising."""


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
