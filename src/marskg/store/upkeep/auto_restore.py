"""What proved false is put aside, and what was put aside comes back when it proves useful.

Guarantees: each memory changes its tier in a transaction of its own, with its record, and stays where it is where the
budget of the other tier has no room; nothing that is protected is put aside, and nothing goes: what is aside is whole,
for whoever restores it. A tombstone never comes back, and neither does what was superseded meanwhile. Source:
MemoryArchitect II.D step 2 and II.F ("Multi-tier Storage"); semantics sections 3 and 13.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from marskg.errors import BudgetInfeasible
from marskg.ontology.vocabulary import Tier
from marskg.store.graph.tiers import Departure, archive, restore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.store.commit.writer import Writer
    from marskg.store.unit.unit_of_work import Unit

USED: Final = "restored to the live tier: it was used"
DISPROVED: Final = "put aside: it was contradicted, and the user said that it was wrong"


def restore_used(writer: Writer, ids: Iterable[str]) -> list[str]:
    """Make live again those of ``ids`` that are latent and were used; returns which, in the order of ``ids``."""
    return [ident for ident in dict.fromkeys(ids) if _restored(writer, ident)]


def _restored(writer: Writer, ident: str) -> bool:
    try:
        return writer.run(partial(_restore, ident=ident))
    except BudgetInfeasible:
        # Whoever says that a memory was used asked for no room: what is protected stays.
        return False


def _restore(unit: Unit, ident: str) -> bool:
    unit.fetch([ident])
    node = unit.nodes.get(ident)
    if node is None or node.memory.tier is not Tier.LATENT or not node.memory.current:
        return False
    restore(unit, node, reason=USED)
    return True


def set_aside(writer: Writer, ids: Iterable[str]) -> list[str]:
    """Move those of ``ids`` that are live and not protected to the latent tier; returns which, in their order."""
    return [ident for ident in dict.fromkeys(ids) if _archived(writer, ident)]


def _archived(writer: Writer, ident: str) -> bool:
    try:
        return writer.run(partial(_archive, ident=ident))
    except BudgetInfeasible:
        # The latent tier is full: nothing is displaced there for it.
        return False


def _archive(unit: Unit, ident: str) -> bool:
    unit.fetch([ident])
    node = unit.nodes.get(ident)
    if node is None or node.memory.tier is not Tier.LIVE or node.guards > 0:
        return False
    archive(unit, [Departure(ident, {"rule": "disproved", "reason": DISPROVED})], grace=None)
    return True
