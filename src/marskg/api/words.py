"""What the docstring of an operation says of it, taken apart: the pages and the doors repeat it from there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import getdoc
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_SECTION: Final = re.compile(r"\n\n(?=(?:Args|Returns|Raises):\n)")
_ITEM: Final = re.compile(r"\n(?=    \S)")


@dataclass(frozen=True, slots=True)
class Words:
    """The first sentence, what follows it, the meaning of parameters by name, and when which errors are raised."""

    summary: str
    text: str
    parameters: Mapping[str, str]
    errors: Mapping[str, str]


def words_of(function: Callable[..., object]) -> Words:
    """Return what the docstring of a function says, in the form of Google's style guide for Python, section 3.8."""
    text, *sections = _SECTION.split(getdoc(function) or "")
    found = {section.partition(":")[0]: dict(_items(section)) for section in sections}
    summary, _, rest = text.partition("\n\n")
    return Words(" ".join(summary.split()), rest, found.get("Args", {}), found.get("Raises", {}))


def _items(section: str) -> Iterator[tuple[str, str]]:
    for item in _ITEM.split(section)[1:]:
        names, _, meaning = " ".join(item.split()).partition(": ")
        yield from ((name, meaning) for name in names.split(", "))
