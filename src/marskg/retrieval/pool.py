"""Which candidates may be shown at all: with content, among the best, said once, and not contradicted.

Guarantees: candidates come in rank order, whatever order they arrived in; everyone who may not be shown has a reason
that says nothing of its content; what depended on a duplicate depends on the twin that is kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from marskg.errors import InvalidInput
from marskg.retrieval.candidate import Candidate, rank_order
from marskg.retrieval.contradictions import resolve
from marskg.retrieval.duplicates import without_duplicates
from marskg.retrieval.similarity import similarities

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.retrieval.contradictions import Conflict
    from marskg.retrieval.settings import AssemblySettings

NO_CONTENT = "it has no content"
BEYOND_POOL = "it ranks below the candidates that are looked at"
DUPLICATE = "it says the same as {winner}"
CONTRADICTED = "it contradicts {winner}: {reason}"


class Pool:
    """The candidates that may be shown, in rank order, and why the others may not."""

    def __init__(
        self,
        candidates: Iterable[Candidate],
        settings: AssemblySettings,
        contradicts: Iterable[tuple[str, str]],
        conflict: Conflict | None,
    ) -> None:
        """Sort out ``candidates``.

        Raises:
            InvalidInput: two candidates have one id, or their vectors cannot be compared.
        """
        self.all = rank_order(candidates)
        if len({one.id for one in self.all}) < len(self.all):
            message = "two candidates have the same id: pass each memory once"
            raise InvalidInput(message)
        self.reasons: dict[str, str] = {}
        looked_at = self._looked_at(settings.pool)
        table = similarities(looked_at)
        kept, duplicates = without_duplicates(looked_at, table, jaccard=settings.jaccard, cosine=settings.cosine)
        self.reasons |= {one.loser: DUPLICATE.format(winner=one.winner) for one in duplicates}
        alias = {one.loser: one.winner for one in duplicates}
        kept = [_rebased(one, alias) for one in kept]
        kept, self.resolved = resolve(
            kept,
            contradicts=[(alias.get(first, first), alias.get(second, second)) for first, second in contradicts],
            conflict=conflict,
        )
        self.reasons |= {one.loser: CONTRADICTED.format(winner=one.winner, reason=one.reason) for one in self.resolved}
        self.kept = kept
        places = {one.id: place for place, one in enumerate(looked_at)}
        rows = [places[one.id] for one in kept]
        self.table = table[np.ix_(rows, rows)]

    def _looked_at(self, size: int) -> list[Candidate]:
        """Return the ``size`` best with content, and what they depend on as far as it is at hand."""
        by_id = {one.id: one for one in self.all if one.content.strip()}
        wanted = dict.fromkeys(list(by_id)[:size])
        queue = list(wanted)
        while queue:
            for base in by_id[queue.pop()].bases:
                if base in by_id and base not in wanted:
                    wanted[base] = None
                    queue.append(base)
        self.reasons |= {
            one.id: BEYOND_POOL if one.id in by_id else NO_CONTENT for one in self.all if one.id not in wanted
        }
        return [one for one in self.all if one.id in wanted]


def _rebased(one: Candidate, alias: Mapping[str, str]) -> Candidate:
    """Return ``one`` depending on the twin that is kept where it depended on a duplicate."""
    if not any(base in alias for base in one.bases):
        return one
    bases = dict.fromkeys(alias.get(base, base) for base in one.bases)
    return replace(one, bases=tuple(base for base in bases if base != one.id))
