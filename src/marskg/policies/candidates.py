"""Memories that a policy may evict, as the rows of the policies' statements give them.

Guarantees: the statements of ``policies/cypher`` are constant texts, the same for every engine; a candidate holds no
content. Each statement returns the columns of :func:`from_row` under the same names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from marskg.ontology.vocabulary import Kind
from marskg.store.order import CURRENT, SUPERSEDED, Access

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.policies.policy import PolicyView


@dataclass(frozen=True, slots=True)
class Candidate:
    """One live memory outside the protected set, with what orders and reasons need of it.

    ``access`` is what its order is computed from: the access at which it was marked for eviction while that mark
    holds, its latest access otherwise (MaRS section 5.3); ``last`` and ``times`` are always the latest. ``bases`` are
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
    freed: bool = False

    @property
    def rank(self) -> str:
        """Return the rank in the order of eviction: superseded memories come first."""
        return CURRENT if self.superseded_at is None else SUPERSEDED


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
        freed=freed,
    )


def members(view: PolicyView, ids: Iterable[str]) -> list[dict[str, Any]]:
    """Return a row for each of ``ids`` that the tenant has."""
    refs = [f"{view.tenant}|{node_id}" for node_id in ids]
    return view.run(policy_statement("members"), {"refs": refs}) if refs else []


@cache
def policy_statement(name: str) -> str:
    """Return the text of ``policies/cypher/NAME.cypher`` without its comments."""
    text = (files("marskg.policies") / "cypher" / f"{name}.cypher").read_text(encoding="utf-8")
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
