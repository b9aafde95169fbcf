"""Which names of one text are the same entity's: what the text says, and what only one reading explains.

Guarantees: a name is another one's where the text says so (``Robert (Bob) Smith``, ``Bob, short for Robert``, ``aka``,
``née``); a single name that is the first or last word of exactly one full name of the text stands for who bears that
one, and is no name of theirs for it; two candidates join nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from marskg.language.en.names.relations import CLOSE, OPEN
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


_A: Final = rf"{OPEN}(\d+){CLOSE}"
_NICKNAME: Final = re.compile(rf"{_A} (?:\({_A}\)|[\"“]{_A}[\"”]) {_A}")
_SAID: Final = (
    re.compile(rf"{_A} ?\((?:aka|a\.k\.a\.|also known as|or|known as|called) {_A}\)"),
    re.compile(
        rf"{_A},? (?:aka|a\.k\.a\.|also known as|better known as|also called|nicknamed|who goes by|goes by) {_A}"
    ),
    re.compile(rf"{_A}[^{OPEN}.!?]{{0,30}}\b(?:everyone|everybody|we all|friends) calls? (?:him|her|them) {_A}"),
    # Without the comma somebody may have called somebody else.
    re.compile(rf"{_A}, (?:called|known to \w+ as) {_A}(?=[,.;!?)]|$)"),
    re.compile(rf"{_A},? (?:is |was )?(?:now|since then) (?:called|known as|named) {_A}"),
    re.compile(rf"{_A}[^{OPEN}.!?]{{0,40}} (?:is|goes by) (?:called |named )?{_A} (?:now|these days|since then)\b"),
    re.compile(rf"{_A}[^{OPEN}.!?]{{0,40}} changed (?:his|her|their) (?:last |sur|family )?name to {_A}"),
    re.compile(rf"{_A},? \(?(?:formerly|previously|once) (?:known as |called |named )?{_A}"),
)
#: The name that somebody had by birth, which may be the last one alone.
_BORN: Final = re.compile(rf"{_A},? \(?(?:née|née:|nee|born|geb\.|geborene) {_A}(?=[,.;!?)]|$| [a-z])")
_SHORT: Final = re.compile(rf"{_A}(?:,| is| \() ?short for {_A}")


def stated_aliases(shaped: str) -> list[tuple[int, int]]:
    """Return ``(full, other)`` for the mentions that the text says are the same."""
    found = [(int(match[2]), int(match[1])) for match in _SHORT.finditer(shaped)]
    for pattern in _SAID:
        found += [(int(match[1]), int(match[2])) for match in pattern.finditer(shaped)]
    return found


def birth_names(shaped: str) -> list[tuple[int, int]]:
    """Return ``(full, born)`` for a person and the name that they were born with."""
    return [(int(match[1]), int(match[2])) for match in _BORN.finditer(shaped)]


def with_birth_name(full: str, born: str) -> str:
    """Return the whole name that somebody was born with, of whom ``born`` may tell the last one alone."""
    return born if " " in born or " " not in full else f"{full.rpartition(' ')[0]} {born}"


def with_nicknames(
    text: str, spans: list[tuple[int, int, int]], shaped: str, mentions: list[Mention]
) -> list[tuple[Mention, tuple[int, int, int]]]:
    """Return the people written as ``Robert (Bob) Smith``, each with the numbers of the three parts."""
    found = []
    for match in _NICKNAME.finditer(shaped):
        parts = tuple(int(part) for part in match.groups() if part is not None)
        first, nick, last = parts
        places = [next((span for span in spans if span[2] == part), None) for part in parts]
        if None in places or any(mentions[part].fixed for part in parts):
            continue
        start, end = min(p[0] for p in places if p), max(p[1] for p in places if p)
        whole = Mention(f"{mentions[first].name} {mentions[last].name}", EntityType.PERSON)
        whole.aliases.setdefault(mentions[nick].name)
        if end - start <= len(text):
            whole.spans = [(start, end)]
        found.append((whole, (first, nick, last)))
    return found


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
