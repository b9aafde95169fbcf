"""What a summary is made from: the constituents of a cluster, and the sentences that they say.

Guarantees: pure functions; every sentence names the original memories behind it, also where its constituent is a
summary itself, whose lines name theirs; equal sentences are one, with all their sources; identifiers are put in
general words, and a sentence that says nothing beside them is left out. A sentence taken word for word is as sensitive
as its memory; a rewritten one is measured, where something measures, and never below what rewriting does not take
away. With a ceiling, nothing above it is said: such a sentence is said without what is sensitive in it, if it then
says something. The order is that of time, then of the text. Source: semantics section 6.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

from marskg.language.identifiers.table import generalised, without_kinds
from marskg.language.spans import meet
from marskg.language.whole_sentences import whole_sentences
from marskg.late_regex import late_regex
from marskg.text import folded, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from marskg.ontology.vocabulary import Kind
    from marskg.records import SummaryLine

#: What takes the place of something sensitive, as ``[PHONE]``: nobody said it.
_PLACEHOLDER: Final = late_regex(r"\[[A-Z_]+\]")
#: Share of a memory's terms that may be said, from which a summary may take its place.
COVERED: Final = 0.5


class Sensing(Protocol):
    """Measures texts that nobody stored, such as rewritten sentences."""

    def sensitivity(self, text: str) -> float:
        """Return how sensitive ``text`` is, from 0 to 1."""
        ...

    def without(self, text: str, ceiling: float) -> str:
        """Return ``text`` with the kinds of what weighs more than ``ceiling`` in their places, as ``[PHONE]``."""
        ...


@dataclass(frozen=True, slots=True)
class Constituent:
    """One memory that a summary may take the place of. ``lines`` are its own where it is a summary itself.

    ``floor`` is the part of its sensitivity that rewriting does not take away: what its caller gave, what a private
    entity forces and what it inherited; None is all of it.
    """

    id: str
    kind: Kind
    content: str
    valid_from: int
    sequence: int
    weight: int
    sensitivity: float = 0.0
    expires_at: int | None = None
    lines: tuple[SummaryLine, ...] = ()
    floor: float | None = None

    @property
    def originals(self) -> tuple[str, ...]:
        """Return the ids of the original memories that it stands for, sorted."""
        found = {source for line in self.lines for source in line.sources}
        return tuple(sorted(found)) if found else (self.id,)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One thing that constituents say; ``said_by`` are their places in the cluster, sorted; ``floor`` is theirs."""

    text: str
    sources: tuple[str, ...]
    said_by: tuple[int, ...]
    verbatim: bool
    sensitivity: float
    expires_at: int | None
    floor: float | None = None


def still_said(content: str, ended: Sequence[tuple[int, int]]) -> str:
    """Return a text without the sentences in which something of the characters ``ended`` stands."""
    if not ended:
        return content
    return "\n".join(content[slice(*span)] for span in whole_sentences(content) if not meet([span], ended))


def in_order(constituents: Iterable[Constituent]) -> list[Constituent]:
    """Return the constituents by valid time, then sequence."""
    return sorted(constituents, key=lambda one: (one.valid_from, one.sequence, one.id))


def sentences_of(
    constituents: Sequence[Constituent], ceiling: float = 1.0, sensing: Sensing | None = None
) -> list[Sentence]:
    """Return what may be said of the constituents below ``ceiling``, each thing once, in their order."""
    found: dict[str, Sentence] = {}
    for place, constituent in enumerate(constituents):
        for sentence in _said(constituent, place, sensing):
            may = _below(sentence, constituent, ceiling, sensing)
            if may is None:
                continue
            key = _alike(may.text)
            known = found.get(key)
            found[key] = may if known is None else _united(known, may)
    return list(found.values())


def says_all(constituents: Sequence[Constituent], lines: Sequence[SummaryLine]) -> bool:
    """Return whether the lines are, word for word, all that the constituents say."""
    said = sentences_of(constituents)
    kept = {_alike(line.text) for line in lines if line.verbatim}
    heard = {place for sentence in said for place in sentence.said_by}
    plain = not any(generalised(one.content)[1] for one in constituents)
    whole = len(heard) == len(constituents) and all(sentence.verbatim for sentence in said)
    return plain and whole and all(_alike(sentence.text) in kept for sentence in said)


def is_covered(constituent: Constituent, ceiling: float, sensing: Sensing | None) -> bool:
    """Return whether most of what a constituent says may be said below ``ceiling``: a summary may replace it."""
    if constituent.sensitivity <= ceiling:
        return True
    told = {term for sentence in _said(constituent, 0, None) for term in _terms(sentence.text)}
    may = {term for sentence in sentences_of([constituent], ceiling, sensing) for term in _terms(sentence.text)}
    return bool(told) and len(told & may) >= COVERED * len(told)


def _alike(text: str) -> str:
    """Return what sentences that say the same have in common."""
    return " ".join(folded(text).split()).rstrip(".!。！ ")


def _said(constituent: Constituent, place: int, sensing: Sensing | None) -> Iterable[Sentence]:
    """Yield the sentences of one constituent, without identifiers."""
    if constituent.lines:
        for line in constituent.lines:
            sources = line.sources or constituent.originals
            expires_at = earliest(line.expires_at, constituent.expires_at)
            yield Sentence(line.text, sources, (place,), line.verbatim, line.sensitivity, expires_at)
        return
    for span in whole_sentences(constituent.content):
        one_line = " ".join(constituent.content[slice(*span)].split())
        shown, identifiers = generalised(one_line)
        if not identifiers or _terms(shown):
            sensitivity = _measured(shown, constituent, sensing) if identifiers else constituent.sensitivity
            yield Sentence(
                shown,
                (constituent.id,),
                (place,),
                not identifiers,
                sensitivity,
                constituent.expires_at,
                constituent.floor,
            )


def _below(sentence: Sentence, constituent: Constituent, ceiling: float, sensing: Sensing | None) -> Sentence | None:
    """Return a sentence as it may be said, None where it may not, or says nothing without what is sensitive in it."""
    if sentence.sensitivity <= ceiling:
        return sentence
    # What is forced on a line of a summary, nobody knows any more.
    if sensing is None or constituent.lines:
        return None
    text = sensing.without(sentence.text, ceiling)
    if text == sentence.text or not _terms(text):
        return None
    sensitivity = _measured(text, constituent, sensing)
    if sensitivity > ceiling:
        return None
    return replace(sentence, text=text, verbatim=False, sensitivity=sensitivity)


def _measured(text: str, constituent: Constituent, sensing: Sensing | None) -> float:
    """Return how sensitive a rewritten sentence of a constituent is: all of it where nothing measures."""
    if sensing is None or constituent.floor is None:
        return constituent.sensitivity
    return max(constituent.floor, sensing.sensitivity(text))


def _terms(text: str) -> list[str]:
    """Return the terms of a text but for what takes the place of identifiers."""
    return terms(without_kinds(_PLACEHOLDER.sub(" ", text)))


def _united(known: Sentence, other: Sentence) -> Sentence:
    """Return one sentence for two that say the same: it rests on the sources of both and is as sensitive as either."""
    return replace(
        known,
        sources=tuple(sorted({*known.sources, *other.sources})),
        said_by=tuple(sorted({*known.said_by, *other.said_by})),
        sensitivity=max(known.sensitivity, other.sensitivity),
        expires_at=earliest(known.expires_at, other.expires_at),
        floor=None if known.floor is None or other.floor is None else max(known.floor, other.floor),
    )


def rewritten_sensitivity(text: str, behind: Iterable[Sentence], sensing: Sensing | None) -> float:
    """Return how sensitive a line is that none of the sentences ``behind`` it says word for word.

    It is measured, and has what rewriting does not take away; where nothing measures, it is as sensitive as they are.
    """
    levels = [one.sensitivity if sensing is None or one.floor is None else one.floor for one in behind]
    return max([*levels, 0.0 if sensing is None else sensing.sensitivity(text)])


def earliest(one: int | None, other: int | None) -> int | None:
    """Return the earlier of two moments; None is never."""
    if one is None or other is None:
        return one if other is None else other
    return min(one, other)
