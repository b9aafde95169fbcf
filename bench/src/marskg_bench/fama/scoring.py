"""FAMA on what was retrieved: presence, stale exposure, and the score of both.

Guarantees: pure arithmetic over the criteria and the items. Of a question with P presence and F forgetting criteria,
MPA is the share of presence criteria met, *stale* the share of forgetting criteria broken, λ = F / (P + F), and
FAMA = max(0, MPA - λ·stale) (Memora, section 4.2: stale = 1 - FAA). All are shares from 0 to 1. The benchmark asks for
all values of a document's list in one criterion; it is met by the share of them that is there.

A criterion is met only by an item that says the value and comes from a session that says so at that time: a turn that
retracts a value quotes it without asserting it. ``raw`` counts the quotations too.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from marskg_bench.fama.matching import says

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from marskg_bench.fama.matching import Value


@dataclass(frozen=True, slots=True)
class Item:
    """What a memory gives back: the text, the session that it comes from, its weight in tokens."""

    content: str
    session: str | None
    tokens: int


@dataclass(frozen=True, slots=True)
class Said:
    """A value, and the sessions whose items count: those that assert it now, or those that did until it ended."""

    value: Value
    sessions: frozenset[str]

    def by(self, item: Item) -> bool:
        """Return whether ``item`` says the value and comes from one of the sessions."""
        return item.session in self.sessions and says(item.content, self.value)


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion of the benchmark: a value, or the values of a list."""

    parts: tuple[Said, ...]

    def met(self, items: Sequence[Item]) -> float:
        """Return the share of the values that one of ``items`` says."""
        return fmean(float(any(part.by(item) for item in items)) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Shares from 0 to 1, but for the two counts of tokens; ``stale`` is None where nothing was to be forgotten."""

    fama: float
    presence: float
    stale: float | None
    raw: float | None
    tokens: float
    stale_tokens: float


def score(presence: Sequence[Criterion], forgetting: Sequence[Criterion], items: Sequence[Item]) -> Outcome:
    """Return the outcome of one question for the retrieved ``items``; there is at least one presence criterion."""
    met = fmean(criterion.met(items) for criterion in presence)
    parts = [part for criterion in forgetting for part in criterion.parts]
    spoiled = [item for item in items if any(part.by(item) for part in parts)]
    tokens, stale_tokens = sum(item.tokens for item in items), sum(item.tokens for item in spoiled)
    if not forgetting:
        return Outcome(met, met, None, None, tokens, stale_tokens)
    stale = fmean(criterion.met(spoiled) for criterion in forgetting)
    raw = fmean(float(any(says(item.content, part.value) for item in items)) for part in parts)
    weight = len(forgetting) / (len(presence) + len(forgetting))
    return Outcome(max(0.0, met - weight * stale), met, stale, raw, tokens, stale_tokens)


def mean(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the mean over questions; of ``stale`` and ``raw`` over those where something was to be forgotten."""
    return Outcome(
        fama=fmean(outcome.fama for outcome in outcomes),
        presence=fmean(outcome.presence for outcome in outcomes),
        stale=_known([outcome.stale for outcome in outcomes]),
        raw=_known([outcome.raw for outcome in outcomes]),
        tokens=fmean(outcome.tokens for outcome in outcomes),
        stale_tokens=fmean(outcome.stale_tokens for outcome in outcomes),
    )


def _known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
