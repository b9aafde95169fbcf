"""What follows for a memory from what was measured of its sensitivity: the number, its reasons, its class and its life.

Guarantees: what a caller gave is never undercut, and nothing ends below what it derives from; what a private entity
forces stays; a text that is found to hold a secret makes its memory private, and its life no longer than that class's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from marskg.clock import later
from marskg.ontology.vocabulary import MemoryClass
from marskg.store.graph.preference_enforcement import forced
from marskg.store.unit.preference_rules import forced_of
from marskg.store.unit.retention_classes import holds_secret
from marskg.store.unit.sensitivity import given, inherited, with_sources

if TYPE_CHECKING:
    from marskg.records import Memory
    from marskg.store.unit.sensitivity import Sensed
    from marskg.store.unit.unit_of_work import Unit


def changes_of(unit: Unit, memory: Memory, sources: list[str], measured: Sensed) -> dict[str, Any]:
    """Return the fields of ``memory`` that follow from what was measured of it, or of a new text of it."""
    own = measured.at_least(given(memory))
    found = with_sources(own, inherited(unit, sources))
    changes: dict[str, Any] = {"sensitivity": found.value, "sensitivity_reasons": found.reasons}
    kept = forced_of(memory.sensitivity_reasons)
    if kept is not None:
        # What a private entity forces is no measurement: preferences alone change it.
        settled = forced(replace(memory, **changes), kept[1])
        changes = {"sensitivity": settled.sensitivity, "sensitivity_reasons": settled.sensitivity_reasons}
    found_now = holds_secret(own.reasons) and not holds_secret(memory.sensitivity_reasons)
    if found_now and memory.memory_class is not MemoryClass.PRIVATE:
        changes["memory_class"] = MemoryClass.PRIVATE
        life = unit.state.settings.life(MemoryClass.PRIVATE)
        limits = [
            limit for limit in (memory.expires_at, None if life is None else later(unit.now, life)) if limit is not None
        ]
        changes["expires_at"] = min(limits, default=None)
    return changes
