"""Memories that a policy may evict, as the rows of the policies' statements give them.

Guarantees: the statements of ``policies/cypher`` are constant texts, the same for every engine; a candidate holds no
content. Each statement returns the columns of :func:`from_row` under the same names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from marskg.ontology.protection import Sort
from marskg.ontology.vocabulary import Kind
from marskg.store.engine.cypher_files import cypher_text
from marskg.store.rows.order_keys import CURRENT, SUPERSEDED, VITAL, Access
from marskg.store.statements.handling import Statement, handled, properties

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.policies.core.policy import PolicyView
    from marskg.store.statements.handling import Handling

_REFS: Final = handled("refs")
_PAGE: Final = handled("low high limit")
#: How each statement is handled where contents are encrypted (:mod:`marskg.store.statements.handling`).
DECLARED: Final[Mapping[str, Handling]] = {
    "completed-tasks": _REFS,
    "conversations": handled("low high limit", properties(Sort.MEMORY, "session")),
    "ended-facts": handled("refs", properties(Sort.MEMORY, "spans")),
    "fifo": _PAGE,
    "kinds": _PAGE,
    "live-dependents": _REFS,
    "live-page": handled("low high limit", properties(Sort.MEMORY, "subjects")),
    "lru": _PAGE,
    "members": _REFS,
    "priority-decay": _PAGE,
    "random-drop": _PAGE,
    "reflection-members": handled(
        "refs", properties(Sort.MEMORY, "content", reasons="sensitivityReasons", lines="summaryLines")
    ),
    "reflection-page": handled("low high limit", properties(Sort.MEMORY, "session subjects embedding", slot="key")),
    "review-facts": _REFS,
    "said": handled("refs", properties(Sort.MEMORY, "content")),
    "standings": _REFS,
    "standings-page": _PAGE,
    "stranded": handled("low high"),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One live memory outside the protected set, with what orders and reasons need of it.

    ``access`` is what its order is computed from: the access at which it was marked for eviction while that mark
    holds, its latest access otherwise (MaRS section 5.3); ``last`` and ``times`` are always the latest. ``rank`` is its
    place in line before all else (:mod:`marskg.store.unit.eviction_ranks`). ``bases`` are
    the memories that it depends on; ``freed`` says that it may go only because its dependents go before it.
    """

    id: str
    kind: Kind
    weight: int
    created: int
    last: int
    times: int
    sequence: int
    superseded_at: int | None
    access: Access
    marked: bool
    bases: tuple[str, ...]
    rank: str = CURRENT
    freed: bool = False

    @property
    def vital(self) -> bool:
        """Return whether a life may depend on it, so that all else goes before it."""
        return self.rank == VITAL


def from_row(row: Mapping[str, Any], *, freed: bool = False) -> Candidate:
    """Return the candidate of a row."""
    last, times = row["lastAccess"] or 0, row["accessCount"] or 0
    marked = row["eligibleAccess"] is not None
    return Candidate(
        id=row["id"],
        kind=Kind(row["kind"]),
        weight=row["weight"],
        created=row["created"],
        last=last,
        times=times,
        sequence=row["sequence"],
        superseded_at=row["supersededAt"],
        access=Access(row["eligibleAccess"], row["eligibleCount"] or 0) if marked else Access(last, times),
        marked=marked,
        bases=tuple(row["bases"]),
        rank=SUPERSEDED if row["supersededAt"] is not None else row["evictionRank"] or CURRENT,
        freed=freed,
    )


def members(view: PolicyView, ids: Iterable[str]) -> list[dict[str, Any]]:
    """Return a row for each of ``ids`` that the tenant has."""
    refs = [f"{view.tenant}|{node_id}" for node_id in ids]
    return view.run(policy_statement("members"), {"refs": refs}) if refs else []


@cache
def policy_statement(name: str) -> Statement:
    """Return the text of ``policies/cypher/NAME.cypher`` without its comments, with its handling."""
    return Statement(cypher_text(name, package="marskg.policies"), name, DECLARED.get(name))
