"""Where a policy's features come from: the tenant's index, at a committed state or inside an open transaction.

Guarantees: a source gives the features of the state that it was made for, what an open transaction changed included;
nothing is read before the policy asks. Inside a transaction nothing is written, and nothing is read but through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from marskg.policies.features import FeatureTable
    from marskg.retrieval.view import IndexView
    from marskg.store.state import TenantState
    from marskg.store.writer import Ground


@dataclass(frozen=True, slots=True)
class CommittedFeatures:
    """The features of a committed state at ``now``."""

    view: IndexView
    state: TenantState
    now: int

    def table(self, *, linked: bool = False) -> FeatureTable:
        """Return the features; brings the index up to the state first."""
        return self.view.table(self.state, self.now, linked=linked)


@dataclass(frozen=True, slots=True)
class OpenFeatures:
    """The features that a policy stands on while room is made (:class:`~marskg.store.writer.Ground`)."""

    view: IndexView
    ground: Ground

    def table(self, *, linked: bool = False) -> FeatureTable:
        """Return the features of the index, which stands where the transaction began, and of what it changed."""
        state = self.ground.state
        return self.view.table_within(state, state.last_time, self.ground.read, self.ground.changed, linked=linked)
