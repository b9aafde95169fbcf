"""The sections of what is known about a person: their order, their titles, and which memory belongs to which.

Guarantees: pure; a memory has one section, the longest key of the table that fits decides, then its kind, and what fits
nowhere has the last one. The table is data: ``profile_sections.tsv``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from marskg.ontology.vocabulary import Kind

#: The section of keys that say nothing about a person.
NOT_SHOWN: Final = "-"


@dataclass(frozen=True, slots=True)
class Heading:
    """One section: its name, the title that a reader gets, and its place among all."""

    name: str
    title: str
    place: int


@dataclass(frozen=True, slots=True)
class Sections:
    """The table: the sections in their order, and what belongs to each.

    ``keys`` has for each key its section and its place in it; ``kinds`` the sections of kinds of memories.
    """

    headings: dict[str, Heading]
    keys: dict[str, tuple[str, int]]
    kinds: dict[str, str]

    @property
    def rest(self) -> str:
        """Return the section of what fits nowhere: the last one."""
        return list(self.headings)[-1]

    def of(self, key: str | None, kind: Kind) -> tuple[str, int]:
        """Return the section of a memory, and its place there by its key; ``NOT_SHOWN`` where it is in none."""
        parts = [] if key is None else key.split("/")
        for end in range(len(parts), 0, -1):
            found = self.keys.get("/".join(parts[:end]))
            if found is not None:
                return found
        return self.kinds.get(kind.value, self.rest), len(self.keys)


@cache
def sections() -> Sections:
    """Return the table."""
    source = files("marskg").joinpath("retrieval", "complete", "profile_sections.tsv").read_text(encoding="utf-8")
    headings: dict[str, Heading] = {}
    keys: dict[str, tuple[str, int]] = {}
    kinds: dict[str, str] = {}
    for line in source.splitlines():
        if not line or line[0] == "#":
            continue
        name, title, listed, of_kinds = line.split("\t")
        if name != NOT_SHOWN:
            headings[name] = Heading(name, title, len(headings))
        keys |= {key.replace("_", " "): (name, place) for place, key in enumerate(listed.split())}
        kinds |= {kind: name for kind in of_kinds.split() if kind != NOT_SHOWN}
    return Sections(headings, keys, kinds)
