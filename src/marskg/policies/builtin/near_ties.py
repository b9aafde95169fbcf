"""Randomised tie-break: of what is nearly as low in density as the lowest, one at random. It is not private.

Guarantees: each memory that goes is drawn uniformly from the leaves whose density lies within ``policy.tie_band`` of
the lowest one's, relative to it; equal stores and seeds draw equally. With a band of 0 only equal densities are drawn
from.

MaRS sections 3.3.3 and 3.4.2 call such a draw differentially private. It is not: which memories are in the band depends
on their scores, so that one memory's content decides whether another can go at all, and no noise within the band
changes that. The policy is here under an honest name, for who wants near ties to fall fairly; the policy ``private``
draws from all that may go. Source: semantics section 11; docs/explanation/differential-privacy.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.clock import SeededSource
from marskg.policies.builtin.density import why
from marskg.policies.builtin.stages import Scores
from marskg.policies.core.plans import Choice, build_plan, facts, parameters_of, ruled, words
from marskg.policies.streams.drawn import take_drawn
from marskg.policies.streams.rooms import Rooms
from marskg.store.rows.order_keys import SUPERSEDED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.policies.core.candidates import Candidate
    from marskg.policies.core.features import Integers
    from marskg.policies.core.policy import PolicyView
    from marskg.records import Plan

NAME: Final = "randomised-tie-break"
_BYTES: Final = 8


class _NearTies:
    """Draws one of those with the lowest density, or one nearly as low."""

    def __init__(self, scores: Scores, seed: int) -> None:
        self._density = scores.density
        self._sequence = scores.table.columns["sequence"]
        self._rank = scores.table.columns["rank"]
        self._band = scores.settings.policy.tie_band
        self._source = SeededSource(f"{NAME} {seed}")
        #: Of each row that was drawn, from how many.
        self.ties: dict[int, int] = {}

    def draw(self, rows: Integers, least: int) -> Sequence[int]:
        """Return one of ``rows``, of those of the lowest rank."""
        del least
        ranks = self._rank[rows]
        rows = rows[ranks == ranks.min()]
        found = self._density[rows]
        lowest = int(found.min())
        near = rows[found <= lowest + int(abs(lowest) * self._band)]
        # In one order, whatever the table's is: equal stores and seeds draw equally.
        near = near[np.argsort(self._sequence[near], kind="stable")]
        row = int(near[int.from_bytes(self._source.token(_BYTES), "big") % len(near)])
        self.ties[row] = len(near)
        return [row]


class RandomisedTieBreak:
    """Takes leaves by ascending density, near ties in an order that is drawn."""

    name = NAME

    @property
    def reads_features(self) -> bool:
        """Return that it asks its view for the table of features."""
        return True

    def plan(
        self, view: PolicyView, *, target: int, exclude: frozenset[str] = frozenset(), seed: int | None = None
    ) -> Plan:
        """Return the plan down to ``target``; without a seed the store's sequence number is the seed."""
        chance = view.sequence if seed is None else seed
        parameters = parameters_of(view, ("density", "tie_band"))
        if view.weight <= target:
            return build_plan(view, NAME, parameters, target, [], chance)
        scores = Scores(view.table(), view.settings, view.now)
        lottery = _NearTies(scores, chance)

        def chosen(candidate: Candidate) -> Choice:
            return _choice(view, scores, lottery, candidate)

        choices = take_drawn(view, scores.table, lottery, chosen, Rooms.unlimited(target), exclude)
        return build_plan(view, NAME, parameters, target, choices, chance)


def _choice(view: PolicyView, scores: Scores, lottery: _NearTies, candidate: Candidate) -> Choice:
    row = scores.table.row(candidate.id, candidate.sequence)
    if row is None:
        message = "a policy chose what is not in its table"
        raise RuntimeError(message)
    shown = scores.shown(row)
    reason = why(scores, row, shown)
    text = f"one of {lottery.ties.get(row, 1)} near ties, drawn at random; {reason.text}"
    known = words(facts(view, candidate)) if candidate.rank == SUPERSEDED else {}
    rule, told = ruled(NAME, text, known, rank=candidate.rank, freed=candidate.freed)
    return Choice(candidate, rule, int(scores.density[row]), told, features=shown)


RANDOMISED_TIE_BREAK: Final = RandomisedTieBreak()
