"""What waits in quarantine: the list of it, and a person's decision that it goes, or comes back.

Guarantees: in quarantine is what a policy took out of the live tier for a time, content and all: latent, with an end.
Nothing that is protected, or that something with content depends on, goes by a decision here (I3, K); what comes back
does so within the budget, or is refused. Both are recorded. Source: MaRS lines 764 and 828; semantics sections 3 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from marskg.errors import InvalidInput
from marskg.ontology.vocabulary import EdgeType
from marskg.store.graph import tiers

if TYPE_CHECKING:
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.unit_of_work import Unit


@dataclass(frozen=True, slots=True)
class Quarantined:
    """One memory in quarantine: until when (epoch milliseconds), its tokens and sensitivity, and why it is there."""

    id: str
    until: int
    weight: int
    sensitivity: float
    reason: str = ""


def quarantined(reader: GraphReader, tenant: str) -> tuple[Quarantined, ...]:
    """Return what is in quarantine, the first to go first; the reasons are in the log."""
    rows = reader.run("quarantined", {"low": f"{tenant}|", "high": f"{tenant}}}"})
    return tuple(Quarantined(row["id"], row["until"], row["weight"], row["sensitivity"]) for row in rows)


def confirm(unit: Unit, ident: str) -> tuple[str, ...]:
    """Take a memory out of quarantine for good; returns the ids of what changed.

    Raises:
        InvalidInput: it is protected, or something with content depends on it.
    """
    node = unit.node(ident)
    sources = sorted({source for source, _, type_ in unit.incoming((ident,)) if type_ is EdgeType.DEPENDS_ON})
    unit.fetch(sources)
    needing = [source for source in sources if unit.node(source).has_content]
    if node.guards > 0 or needing:
        why = f"{needing[0]} depends on it: decide about that first" if needing else "it is protected: unpin it first"
        msg = f"{ident[:60]} cannot go, as {why}"
        raise InvalidInput(msg)
    details = {"rule": "review", "reason": "a person confirmed that it goes"}
    tiers.evict(unit, [tiers.Departure(ident, details)])
    return (ident,)
