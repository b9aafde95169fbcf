"""The entities of one text in the making, and which names of it are the same one's as only one reading explains them.

Guarantees: a single name that is the first or last word of exactly one full name of the text stands for who bears that
one, and is no name of theirs for it; two candidates join nothing. What the text says of names: ``said_names``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from marskg.language.mentions import EntityType, folded_name

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(slots=True)
class Mention:
    """An entity in the making: its names so far, and where in the text it stands."""

    name: str
    type: str | None
    aliases: dict[str, None] = field(default_factory=dict)
    same_as: tuple[str, ...] = ()
    spans: list[tuple[int, int]] = field(default_factory=list)
    #: Given by the payload, a dictionary or the store: the name stays as it is.
    fixed: bool = False

    def give_type(self, type_: str | None) -> None:
        """Be of ``type_``, where nothing else was known before."""
        self.type = self.type or type_

    def identify(self, same_as: tuple[str, ...]) -> None:
        """Be what the IRIs ``same_as`` name."""
        self.same_as = same_as

    def absorb(self, other: Mention) -> None:
        """Take over the names and places of ``other``, which is the same entity."""
        for alias in (other.name, *other.aliases):
            if folded_name(alias) != folded_name(self.name):
                self.aliases.setdefault(alias)
        self.stand_for(other)

    def stand_for(self, other: Mention) -> None:
        """Take over the places of ``other``, which is the same entity in a shorter form that nobody gave it."""
        self.type = self.type or other.type
        self.same_as = tuple(dict.fromkeys((*self.same_as, *other.same_as)))
        self.spans = sorted({*self.spans, *other.spans})
        self.fixed = self.fixed or other.fixed

    def stand_at(self, spans: Iterable[tuple[int, int]]) -> None:
        """Stand at ``spans`` as well."""
        self.spans = sorted({*self.spans, *spans})

    def leave(self, spans: Iterable[tuple[int, int]]) -> None:
        """Stand at ``spans`` no more: somebody else does."""
        self.spans = sorted({*self.spans} - {*spans})


def with_birth_name(full: str, born: str) -> str:
    """Return the whole name that somebody was born with, of whom ``born`` may tell the last one alone."""
    return born if " " in born or " " not in full else f"{full.rpartition(' ')[0]} {born}"


def linked_parts(mentions: Iterable[Mention]) -> list[tuple[Mention, Mention]]:
    """Return ``(full, part)`` for each single name that is the first or last word of exactly one full name."""
    everyone = [mention for mention in mentions if mention.type in {None, EntityType.PERSON}]
    full = [mention for mention in everyone if " " in mention.name and mention.type is not None]
    if not full or len(everyone) == 1:
        return []
    owners: dict[str, list[Mention]] = {}
    for mention in full:
        words = folded_name(mention.name).split()
        for word in {words[0], words[-1]}:
            owners.setdefault(word, []).append(mention)
    found = []
    for mention in everyone:
        candidates = owners.get(folded_name(mention.name), [])
        if len(candidates) == 1 and not mention.fixed:
            found.append((candidates[0], mention))
    return found
