"""Regular expressions that are compiled at their first use: a thousand of them would take half of a short command.

Guarantees: one behaves as what :func:`re.compile` returns, but that a fault in it is told at its first use, so none may
come from outside; after that it costs what a compiled one does. A test compiles each that a module holds.
"""

from __future__ import annotations

import re
from typing import Any, Final, cast

_METHODS: Final = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")
_FACTS: Final = ("flags", "groups", "groupindex")


class LateRegex:
    """What stands for a regular expression."""

    def __init__(self, text: str, flags: int) -> None:
        """Keep what :func:`re.compile` takes."""
        self.pattern = text
        self._source = text, flags

    def __getattr__(self, name: str) -> object:
        """Compile it, and have all that it offers at hand from now on."""
        if name not in _METHODS and name not in _FACTS:
            raise AttributeError(name)
        compiled = re.compile(*self._source)
        vars(self).update({each: getattr(compiled, each) for each in (*_METHODS, *_FACTS)})
        return getattr(compiled, name)

    def __repr__(self) -> str:
        """Return how it is written, which compiles nothing."""
        return f"late_regex({self._source[0]!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes another one, in another process as well."""
        return late_regex, self._source


def late_regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return the regular expression ``text`` without compiling it."""
    return cast("re.Pattern[str]", LateRegex(text, flags))
