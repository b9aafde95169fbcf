"""What was put aside comes back when it proves useful.

Guarantees: each memory comes back in a transaction of its own, with its record, where the budget can make room for it,
and stays where it is otherwise; a tombstone never does, and neither does what was superseded meanwhile. Source:
MemoryArchitect II.F ("Multi-tier Storage"); semantics section 3.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from marskg.errors import BudgetInfeasible
from marskg.ontology.vocabulary import Tier
from marskg.store.lifecycle import restore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.store.unit import Unit
    from marskg.store.writer import Writer

USED: Final = "restored to the live tier: it was used"


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
