"""Names that operations had before they stood in namespaces; to be removed with 1.0.

Guarantees: an old name is the operation of the namespace itself, with its signature, checks and rights; who uses it is
told the new one.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


def deprecated(old: str, new: str, stacklevel: int = 3) -> None:
    """Warn whoever called the caller that ``old`` is called ``new`` now."""
    warnings.warn(f"mem.{old} is mem.{new} now; the old name works until 1.0", DeprecationWarning, stacklevel)


class Moved(Generic[P, R]):
    """An attribute of the facade that gives a method of one of its namespaces."""

    def __init__(self, namespace: str, method: Callable[Concatenate[Any, P], R]) -> None:
        """Give ``method`` of the namespace that the attribute ``namespace`` of the memory leads to."""
        self.namespace = namespace
        self.method = method.__name__
        self.new = f"{namespace}.{self.method}"
        self._old = self.method
        first = (method.__doc__ or "").partition("\n")[0]
        self.__doc__ = f"Deprecated name of ``mem.{self.new}``: {first}"

    def __set_name__(self, owner: type, name: str) -> None:
        """Take note of the old name."""
        self._old = name

    @overload
    def __get__(self, memory: None, owner: type) -> Moved[P, R]: ...

    @overload
    def __get__(self, memory: object, owner: type) -> Callable[P, R]: ...

    def __get__(self, memory: object | None, owner: type) -> Moved[P, R] | Callable[P, R]:
        """Return the operation, of a class this name of it."""
        if memory is None:
            return self
        deprecated(self._old, self.new)
        found: Callable[P, R] = getattr(getattr(memory, self.namespace), self.method)
        return found
