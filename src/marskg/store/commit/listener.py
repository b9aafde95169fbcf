"""The listener of a tenant's commits, which keeps up what is derived from the store and makes room in it.

Guarantees: a listener is given to the writer when that is made, and is notified of every commit of its own handle and
of the others of this process, in their order, after it; nothing else below calls what stands above.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.store.engine.protocol import Reader, Row
    from marskg.store.rows.index_gaps import IndexGaps
    from marskg.store.rows.state import Services, TenantState
    from marskg.store.unit.quotas import Quota
    from marskg.store.unit.unit_of_work import Unit


@dataclass(frozen=True, slots=True)
class BudgetExcess:
    """A budget that an open transaction exceeds, with that transaction's reads, which see what was just written."""

    read: Reader
    run: Callable[..., list[Row]]
    state: TenantState
    services: Services
    index_gaps: IndexGaps | None
    exclude: frozenset[str]
    #: The memories that the transaction touched so far.
    changed: frozenset[str]
    #: By how many tokens what was written let each standing grow: the higher, and the lower.
    grew: tuple[int, int] = (0, 0)
    #: The user's or conversation's budget that is exceeded; None if it is the tenant's.
    quota: Quota | None = None
    #: The live memories that count against it, and all others.
    members: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()


class CommitListener(Protocol):
    """One handle's; who inherits from it overrides what concerns it, and takes no note of the rest."""

    def make_room(self, excess: BudgetExcess) -> Unit:
        """Return the unit that brings what is exceeded under its budget, in an open transaction.

        Raises:
            BudgetInfeasible: what is protected weighs too much.
        """
        ...

    def before_room(self, state: TenantState) -> None:  # noqa: ARG002 - for who overrides it
        """Prepare for :meth:`make_room` on the committed ``state``, before the transaction begins."""
        return

    def on_commit(self, unit: Unit) -> None:  # noqa: ARG002 - for who overrides it
        """Take note of a unit that this handle committed, once the others have."""
        return

    def on_foreign(self, unit: Unit) -> None:  # noqa: ARG002 - for who overrides it
        """Take note of a unit that another handle committed."""
        return

    def on_erasure(self) -> None:
        """Drop what was derived from the store: a handle erased something, or put the tenant back."""
        return

    def on_overtaken(self, sequence: int) -> None:  # noqa: ARG002 - for who overrides it
        """Take note that the accesses after ``sequence`` are others than was known: another process was faster."""
        return
