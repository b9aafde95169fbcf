"""PrecisionMemBench's rules: what a case fails by, precision and recall of what was found, and what a pass proves.

Guarantees: pure functions; nothing here knows a text. The rules are those of the benchmark's runner for products that
are not its maker's, of 27 June 2026, with what it counts as nought and what it leaves out of a mean.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from marskg_bench.beliefs.layout import Case
    from marskg_bench.beliefs.playing import Shown

ACTIVE: Final = "active"
STRUCTURAL: Final = "structural"
EMPTY: Final = "empty"
#: The categories of which a pass with nothing found shows that something was kept apart.
_APART: Final = frozenset(
    {
        "Scope disambiguation",
        "Supersession chain exclusion",
        "Type routing and open questions",
        "Budget eviction and capacity",
        "Cross-user isolation",
        "Ranking stability",
        "Persona prelude content",
    }
)
#: Cases that count as right what only a search that is blind there returns: nothing, or less than what plainly bears on
#: the question. Why each is one stands in docs/reference/bench.md.
BLIND: Final = frozenset(
    {
        "isolation-user-scoping",
        "persona-prelude-content-present",
        "multi-scope-prelude-uses-primary-scope-only",
        "multi-scope-code-writing-dedup-no-double-surface",
        "user-edited-cross-scope-surfaces",
        "universal-scope-explicit-query-no-relevant",
        "empty-alias-belief-content-path-only",
        "why-it-matters-not-indexed-blind-spot",
        "fuzzy-abbreviation-prefix-blind-spot",
        "fuzzy-prefix-blocks-transitive-match",
        "type-isolation-open-question-not-in-relevant",
        "conflict-scope-disambiguation-redis-code",
        "cross-scope-one-empty-domain-does-not-degrade",
        "multi-scope-redis-both-surfaces",
    }
)


class Outcome(NamedTuple):
    """One case: what a pass of it proves, whether it passed, and the shares, None where they do not apply."""

    name: str
    proves: str
    passed: bool
    precision: float | None
    recall: float | None


class Drift(NamedTuple):
    """One turn of a session; ``drift`` is the share of what was found that the turn did not ask for."""

    name: str
    passed: bool
    precision: float | None
    recall: float | None
    drift: float


def judged(case: Case, shown: Shown, pinned: frozenset[str]) -> Outcome:
    """Return what ``shown`` is worth for ``case``; ``pinned`` is all that is pinned for who asks in any scope."""
    expected = case.expected
    wanted = expected.found.include - pinned if expected.only is None else expected.only
    hits = len(wanted.intersection(shown.found))
    precision = hits / len(shown.found) if shown.found else (0.0 if wanted else None)
    proves = ACTIVE if wanted else STRUCTURAL if case.category in _APART else EMPTY
    return Outcome(case.name, proves, not any(failures(case, shown)), precision, hits / len(wanted) if wanted else None)


def drifted(case: Case, shown: Shown) -> Drift:
    """Return what ``shown`` is worth for a turn of a session, where what is pinned counts as found."""
    expected = case.expected
    wanted = expected.found.include if expected.only is None else expected.only
    hits = len(wanted.intersection((*shown.found, *shown.pinned)))
    precision = hits / len(shown.found) if shown.found else None
    recall = hits / len(wanted) if wanted else None
    passed = not any(failures(case, shown))
    return Drift(case.name, passed, precision, recall, 0.0 if precision is None else 1.0 - precision)


def failures(case: Case, shown: Shown) -> Iterator[str]:
    """Yield what ``shown`` breaks of what ``case`` expects."""
    expected, found = case.expected, frozenset(shown.found)
    either = found.union(shown.pinned)
    broken = {
        "not found": (expected.found.include | expected.should) - either,
        "found in spite of it": (expected.found.exclude | expected.noise) & either,
        "not found alone": frozenset() if expected.only is None else expected.only ^ found,
        "not pinned": expected.pinned.include.difference(shown.pinned),
        "pinned in spite of it": expected.pinned.exclude.intersection(shown.pinned),
        "no open question": expected.questions.include.difference(shown.questions),
        "an open question in spite of it": expected.questions.exclude.intersection(shown.questions),
    }
    yield from (what for what, which in broken.items() if which)
    if not expected.least <= len(found) <= (math.inf if expected.most is None else expected.most):
        yield "too few or too many"
    places = {name: place for place, name in enumerate(shown.found)}
    if not all(places.get(one, math.inf) < places.get(other, -1) for one, other in expected.ordered):
        yield "out of order"
    yield from _of_prelude(case, shown.prelude)


def _of_prelude(case: Case, said: str) -> Iterator[str]:
    wanted = case.expected.prelude
    if (wanted.there and not said) or (wanted.absent and said):
        yield "text about the user"
    if not all(word in said for word in wanted.contains) or any(word in said for word in wanted.lacks):
        yield "words about the user"


def figures(outcomes: Sequence[Outcome], drifts: Sequence[Drift]) -> dict[str, Any]:
    """Return passes by what they prove, means over the cases that have them, and the same without those ``BLIND``."""
    return {
        "passes": {proves: _passes([one for one in outcomes if one.proves == proves]) for proves in _PROVES},
        "shares": _shares(outcomes),
        "shares_without_blind": _shares([one for one in outcomes if one.name not in BLIND]),
        "sessions": {
            "turns": len(drifts),
            "passed": sum(one.passed for one in drifts),
            "drift": _mean(one.drift for one in drifts),
            **_shares(drifts),
        },
        "failed": [*_failed(outcomes), *_failed(drifts)],
    }


_PROVES: Final = (ACTIVE, STRUCTURAL, EMPTY)


def _failed(outcomes: Iterable[Outcome] | Iterable[Drift]) -> list[str]:
    return [one.name for one in outcomes if not one.passed]


def _passes(outcomes: Sequence[Outcome]) -> dict[str, int]:
    blind = [one for one in outcomes if one.name in BLIND]
    return {
        "cases": len(outcomes),
        "passed": sum(one.passed for one in outcomes),
        "blind_cases": len(blind),
        "blind_passed": sum(one.passed for one in blind),
    }


def _shares(outcomes: Sequence[Outcome] | Sequence[Drift]) -> dict[str, float | None]:
    return {"precision": _mean(one.precision for one in outcomes), "recall": _mean(one.recall for one in outcomes)}


def _mean(values: Iterable[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return round(math.fsum(there) / len(there), 4) if there else None
