"""What all namespaces of the facade are: few operations that belong together, over the parts of one open tenant.

Guarantees: each public method and property of a namespace is an operation ``NAME.method``: it asks first whether the
principal may use it, and checks its arguments, without a word in the namespace for either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from marskg.api.arguments import checked_calls
from marskg.api.doors import guarded
from marskg.config import duration_ms
from marskg.errors import InvalidInput
from marskg.meant import Spelt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.api.components import Components


def duration(name: str, given: str, example: str) -> int:
    """Return a duration such as ``example``, longer than nothing, in milliseconds.

    Raises:
        InvalidInput: ``given``, the argument ``name``, is none.
    """
    span = duration_ms(given)
    if not span:
        msg = f'{name} is {given[:40]!r}; it must be a duration such as "{example}"'
        raise InvalidInput(msg)
    return span


def ways() -> dict[str, str]:
    """Return the names of what all namespaces have, each with the way to it from a memory."""
    public = ((one.NAME, name) for one in Namespace.__subclasses__() for name in vars(one) if not name.startswith("_"))
    return {name: f"mem.{namespace}.{name}" for namespace, name in public if name.islower()}


class Namespace(Spelt):
    """Some operations of the facade; ``NAME`` is the attribute of the memory that leads to them."""

    NAME: ClassVar[str] = ""

    def __init_subclass__(cls, *, name: str | None = None) -> None:
        """Let each operation that ``cls`` defines ask first and check its arguments."""
        if name is not None:
            cls.NAME = name
        guarded(checked_calls()(cls))

    def __init__(self, components: Components) -> None:
        """Work with the parts of one open tenant."""
        self._components = components

    def _reached(self) -> Mapping[str, str]:
        return {**ways(), **super()._reached()}

    def _ask(self, name: str) -> None:
        """Refuse an operation that the principal may not use."""
        self._components.ask(f"{self.NAME}.{name}")
