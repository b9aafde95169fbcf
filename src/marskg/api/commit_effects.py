"""The effects of commits on what one handle derived from the store: Merkle tree, heads, indexes, wishes, plans.

Guarantees: a write that is committed never fails for what follows from it; what was derived of something that was
erased is dropped before the erasure returns, by every handle of the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from marskg.errors import EnvironmentFailure
from marskg.learning.wishes import SESSION
from marskg.store.commit.listener import CommitListener

if TYPE_CHECKING:
    from marskg.api.planning import Planning
    from marskg.api.queries import Queries
    from marskg.api.reading import Reading
    from marskg.learning.wishes import Wishes
    from marskg.privacy.sensitivity import Assessor
    from marskg.store.commit.listener import BudgetExcess
    from marskg.store.commit.merkle_log import Ledger
    from marskg.store.commit.writer import Writer
    from marskg.store.rows.state import TenantState
    from marskg.store.unit.unit_of_work import Unit
    from marskg.store.upkeep.late_vectors import LateVectors


class _Derived(NamedTuple):
    writer: Writer
    planning: Planning
    reading: Reading
    wishes: Wishes
    assessor: Assessor
    late: LateVectors


class CommitEffects(CommitListener):
    """Brings one handle's derived views up with each commit, and makes room in the store."""

    def __init__(self, ledger: Ledger, queries: Queries) -> None:
        """Do nothing until :meth:`follow`: nothing else was derived yet."""
        self._ledger = ledger
        self._queries = queries
        self._derived: _Derived | None = None

    def follow(
        self,
        writer: Writer,
        planning: Planning,
        reading: Reading,
        wishes: Wishes,
        assessor: Assessor,
        *,
        late: LateVectors,
    ) -> None:
        """Keep these up from now on; they read what ``writer``, which has this listener, commits."""
        self._derived = _Derived(writer, planning, reading, wishes, assessor, late)

    def make_room(self, excess: BudgetExcess) -> Unit:
        """Return the unit that the tenant's policy makes room with."""
        return self._following().planning.make_room(excess)

    def before_room(self, state: TenantState) -> None:
        """Bring up to date what the policy will go by."""
        self._following().planning.before_room(state)

    def on_commit(self, unit: Unit) -> None:
        """Keep the Merkle tree up, and sign a head when it is due; wishes that came or went are read anew."""
        derived = self._following()
        if _wishes_changed(unit):
            derived.wishes.forget()
        if lacking := _without_vector(unit):
            derived.late.add(lacking)
        try:
            if self._ledger.extend(unit.audit.transitions) >= unit.state.settings.head_interval:
                self._ledger.try_head(derived.writer, unit.now)
        except EnvironmentFailure:
            # The write is committed and must not be said to have failed; a later one signs the head that is due.
            self._ledger.restart(unit.state.log)

    def on_foreign(self, unit: Unit) -> None:
        """Take note of another handle's unit: wishes that came or went are read anew."""
        if self._derived is not None and _wishes_changed(unit):
            self._derived.wishes.forget()

    def on_erasure(self) -> None:
        """Drop all that was derived from the store, as something of it was erased, or it was put back."""
        if self._derived is None:
            return
        self._ledger.restart(self._derived.writer.state.log)
        self._derived.reading.forget()
        self._queries.forget()
        self._derived.wishes.forget()
        self._derived.planning.forget()
        self._derived.assessor.forget()

    def on_overtaken(self, sequence: int) -> None:
        """Read the accesses after ``sequence`` anew."""
        if self._derived is not None:
            self._derived.reading.view.rewind(sequence)

    def _following(self) -> _Derived:
        if self._derived is None:
            msg = "nothing can be written before the handle is open"
            raise RuntimeError(msg)
        return self._derived


def _without_vector(unit: Unit) -> list[str]:
    """Return the ids of what a unit stored without a vector."""
    return [ident for ident, node in unit.nodes.items() if node.new and node.has_content and node.embedding is None]


def _wishes_changed(unit: Unit) -> bool:
    """Return whether a wish is among what is in a unit, as it was or as it is now."""
    return any(SESSION in (node.memory.session, node.original.get("session")) for node in unit.nodes.values())
