"""Which candidates may be shown at all, and in what order: with content, said once, and not contradicted.

Guarantees: candidates stand in rank order, whatever order they arrived in; what stays of several that say the same, or
that contradict each other, stands where the best ranked of them stood, because it answers the same question; everyone
who may not be shown has a reason that says nothing of its content; what depended on a duplicate depends on the twin
that is kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from marskg.errors import InvalidInput
from marskg.retrieval.assembly.candidate import Candidate, rank_order
from marskg.retrieval.assembly.contradictions import resolve
from marskg.retrieval.assembly.duplicates import without_duplicates
from marskg.retrieval.assembly.similarity import Similarities

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.config import AssemblySettings
    from marskg.retrieval.assembly.contradictions import Differ

NO_CONTENT = "it has no content"
DUPLICATE = "it says the same as {winner}"
CONTRADICTED = "it contradicts {winner}: {reason}"


class Pool:
    """The candidates that may be shown, in rank order, and why the others may not.

    ``standing`` is the rank score by which each of ``kept`` stands where it does; ``table`` has the similarities of
    ``kept`` in their order.
    """

    def __init__(
        self,
        candidates: Iterable[Candidate],
        settings: AssemblySettings,
        contradicts: Iterable[tuple[str, str]],
        differ: Differ | None,
    ) -> None:
        """Sort out ``candidates``.

        Raises:
            InvalidInput: two candidates have one id, or their vectors cannot be compared.
        """
        self.all = rank_order(candidates)
        self.standing = {one.id: one.score for one in self.all}
        if len(self.standing) < len(self.all):
            message = "two candidates have the same id: pass each memory once"
            raise InvalidInput(message)
        told = [one for one in self.all if one.content.strip()]
        self.reasons = {one.id: NO_CONTENT for one in self.all if not one.content.strip()}
        table = Similarities(told)
        kept, duplicates = without_duplicates(told, table, settings)
        self.reasons |= {one.loser: DUPLICATE.format(winner=one.winner) for one in duplicates}
        alias = {one.loser: one.winner for one in duplicates}
        self._promote(alias)
        # What a duplicate contradicts, its twin does; but not one of which nobody would know who reads less.
        among = {one.id: one.among for one in told}
        twins = {loser: winner for loser, winner in alias.items() if among[loser] == among[winner]}
        kept, self.resolved = resolve(
            [_rebased(one, alias) for one in kept],
            contradicts=[(twins.get(first, first), twins.get(second, second)) for first, second in contradicts],
            differ=differ,
        )
        self.reasons |= {one.loser: CONTRADICTED.format(winner=one.winner, reason=one.reason) for one in self.resolved}
        lost = {one.loser: one.winner for one in self.resolved}
        self._promote(lost)
        kept = _pointing(kept, alias, lost)
        self._put_before(kept)
        self.kept = sorted(kept, key=lambda one: -self.standing[one.id])
        places = {one.id: place for place, one in enumerate(told)}
        self.table = table.of([places[one.id] for one in self.kept])

    def _promote(self, losers: Mapping[str, str]) -> None:
        """Let each winner stand where the best of those stood that it is shown for."""
        for loser, winner in losers.items():
            self.standing[winner] = max(self.standing[winner], self.standing[loser])

    def _put_before(self, kept: Sequence[Candidate]) -> None:
        """Let whatever outdates another stand no lower than that."""
        by_id = {one.id: one for one in kept}
        queue = [one for one in kept if one.outdated is not None]
        while queue:
            one = queue.pop()
            newer = by_id.get("" if one.outdated is None else one.outdated.by)
            if newer is not None and self.standing[newer.id] < self.standing[one.id]:
                self.standing[newer.id] = self.standing[one.id]
                queue.append(newer)


def _pointing(kept: Sequence[Candidate], *winners: Mapping[str, str]) -> list[Candidate]:
    """Return ``kept``, each outdated by those of them that are shown for what outdates it, or not at all."""
    ids, found = {one.id for one in kept}, []
    for one in kept:
        if one.outdated is not None:
            by = one.outdated.by
            for winner in winners:
                by = winner.get(by, by)
            outdated = replace(one.outdated, by=by) if by in ids and by != one.id else None
            found.append(replace(one, outdated=outdated))
        else:
            found.append(one)
    return found


def _rebased(one: Candidate, alias: Mapping[str, str]) -> Candidate:
    """Return ``one`` depending on the twin that is kept where it depended on a duplicate."""
    if not any(base in alias for base in one.bases):
        return one
    bases = dict.fromkeys(alias.get(base, base) for base in one.bases)
    return replace(one, bases=tuple(base for base in bases if base != one.id))
