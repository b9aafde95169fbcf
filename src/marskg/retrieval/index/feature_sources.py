"""Where a policy's features come from: the tenant's index, at a committed state or inside an open transaction.

Guarantees: a source gives the features of the state that it was made for, what an open transaction changed included;
nothing is read before the policy asks. Inside a transaction nothing is written, and nothing is read but through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from marskg.policies.core.features import FeatureTable
    from marskg.retrieval.index.view import IndexView
    from marskg.store.commit.listener import BudgetExcess
    from marskg.store.rows.state import TenantState


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
    """The features that a policy reads while room is made (:class:`~marskg.store.commit.listener.BudgetExcess`)."""

    view: IndexView
    excess: BudgetExcess

    def table(self, *, linked: bool = False) -> FeatureTable:
        """Return the features of the index, which stands where the transaction began, and of what it changed."""
        state = self.excess.state
        return self.view.table_within(state, state.last_time, self.excess.read, self.excess.changed, linked=linked)
