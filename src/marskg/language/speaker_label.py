"""The name of who speaks before what they say, as transcripts have it: "Ana: I live in Oslo" is no field named Ana."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def without_speaker(text: str, names: Iterable[str]) -> str:
    """Return ``text`` with blanks for one of ``names`` and a colon at its beginning: every other character stays.

    >>> without_speaker("Ana: I live in Oslo", ["Ana"])
    '     I live in Oslo'
    """
    start = len(text) - len(text.lstrip())
    for name in names:
        end = start + len(name)
        if name and text[start:end].casefold() == name.casefold() and text[end : end + 2] == ": ":
            return " " * (end + 2) + text[end + 2 :]
    return text
