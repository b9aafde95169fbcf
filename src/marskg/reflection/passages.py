"""What a summary is made from: the constituents of a cluster, and the sentences that they say.

Guarantees: pure functions; every sentence names the original memories behind it, also where its constituent is a
summary itself, whose lines name theirs; equal sentences are one, with all their sources; identifiers are put in general
words, and a sentence that says nothing beside them is left out. The order is that of time, then of the text.
Source: semantics section 6.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from marskg.reflection.identifiers import generalised, without_kinds
from marskg.text import folded, sentences, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from marskg.ontology.vocabulary import Kind
    from marskg.records import SummaryLine


@dataclass(frozen=True, slots=True)
class Constituent:
    """One memory that a summary may take the place of. ``lines`` are its own where it is a summary itself."""

    id: str
    kind: Kind
    content: str
    valid_from: int
    sequence: int
    weight: int
    sensitivity: float = 0.0
    expires_at: int | None = None
    lines: tuple[SummaryLine, ...] = ()

    @property
    def originals(self) -> tuple[str, ...]:
        """Return the ids of the original memories that it stands for, sorted."""
        found = {source for line in self.lines for source in line.sources}
        return tuple(sorted(found)) if found else (self.id,)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One thing that constituents say; ``said_by`` are their places in the cluster, sorted."""

    text: str
    sources: tuple[str, ...]
    said_by: tuple[int, ...]
    verbatim: bool
    sensitivity: float
    expires_at: int | None


def in_order(constituents: Iterable[Constituent]) -> list[Constituent]:
    """Return the constituents by valid time, then sequence."""
    return sorted(constituents, key=lambda one: (one.valid_from, one.sequence, one.id))


def sentences_of(constituents: Sequence[Constituent]) -> list[Sentence]:
    """Return what the constituents say, each thing once, in their order."""
    found: dict[str, Sentence] = {}
    for place, constituent in enumerate(constituents):
        for sentence in _said(constituent, place):
            key = " ".join(folded(sentence.text).split()).rstrip(".!。！ ")
            known = found.get(key)
            found[key] = sentence if known is None else _united(known, sentence)
    return list(found.values())


def _said(constituent: Constituent, place: int) -> Iterable[Sentence]:
    """Yield the sentences of one constituent, without identifiers."""
    if constituent.lines:
        for line in constituent.lines:
            sources = line.sources or constituent.originals
            expires_at = earliest(line.expires_at, constituent.expires_at)
            yield Sentence(line.text, sources, (place,), line.verbatim, line.sensitivity, expires_at)
        return
    for text in sentences(constituent.content):
        one_line = " ".join(text.split())
        shown, identifiers = generalised(one_line)
        if not identifiers or terms(without_kinds(shown)):
            yield Sentence(
                shown, (constituent.id,), (place,), not identifiers, constituent.sensitivity, constituent.expires_at
            )


def _united(known: Sentence, other: Sentence) -> Sentence:
    """Return one sentence for two that say the same: it rests on the sources of both and is as sensitive as either."""
    return replace(
        known,
        sources=tuple(sorted({*known.sources, *other.sources})),
        said_by=tuple(sorted({*known.said_by, *other.said_by})),
        sensitivity=max(known.sensitivity, other.sensitivity),
        expires_at=earliest(known.expires_at, other.expires_at),
    )


def earliest(one: int | None, other: int | None) -> int | None:
    """Return the earlier of two moments; None is never."""
    if one is None or other is None:
        return one if other is None else other
    return min(one, other)
