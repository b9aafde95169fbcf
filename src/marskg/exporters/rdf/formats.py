"""The syntaxes of an export: their names, their suffixes, and the lines that frame a document of lines."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from marskg.errors import InvalidInput

if TYPE_CHECKING:
    from pathlib import Path


class Format(StrEnum):
    """A syntax; the value is what ``--format`` takes."""

    JSONLD = "jsonld"
    NQUADS = "nquads"
    NTRIPLES = "ntriples"
    TRIG = "trig"
    TURTLE = "turtle"


_SUFFIXES = {
    ".jsonld": Format.JSONLD,
    ".json": Format.JSONLD,
    ".nq": Format.NQUADS,
    ".nt": Format.NTRIPLES,
    ".trig": Format.TRIG,
    ".ttl": Format.TURTLE,
}
#: First and last line of an export in any syntax but JSON-LD: a comment in all of them. A document that has the first
#: and lacks the last was cut off, which N-Quads alone would not show.
FIRST_LINE = "# marskg export 1"
LAST_LINE = "# marskg export ends"


def format_of(path: Path, name: str | None = None) -> Format:
    """Return the format called ``name``, or the one that the suffix of ``path`` stands for.

    Raises:
        InvalidInput: neither says which format.
    """
    known = f"one of {', '.join(Format)}"
    if name is not None:
        if name not in {item.value for item in Format}:
            msg = f"unknown format {name[:40]!r}; use {known}"
            raise InvalidInput(msg)
        return Format(name)
    found = _SUFFIXES.get(path.suffix.lower())
    if found is None:
        msg = f"{path} has none of the suffixes {', '.join(_SUFFIXES)}; rename it or name the format, {known}"
        raise InvalidInput(msg)
    return found
