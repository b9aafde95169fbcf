"""What language models cost a tenant, in its row: one sum for all of them, whichever asks and from whichever process.

Guarantees: what several handles spend adds up; each writing has a signed record of which model was asked, and nothing
of what was said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.models.spending import Account, Spent
from marskg.store.tenant.row_changes import SPENT, note_costs

if TYPE_CHECKING:
    from marskg.store.commit.writer import Writer


class ModelCosts:
    """The account of one tenant."""

    def __init__(self, writer: Writer) -> None:
        """Read and write by ``writer``."""
        self._writer = writer
        self.account = Account()

    def read(self) -> None:
        """Take note of what others have spent meanwhile."""
        self.account.know(Spent.read(self._writer.fresh_state().controls.get(SPENT)))

    def note(self, *told: str) -> int | None:
        """Write down what was spent since the last time, with a record of what is ``told`` of it.

        Returns the audit sequence number that the tenant had before; None where nothing was spent.
        """
        added = self.account.added
        if not added.calls:
            return None
        spent, before = self._writer.run(lambda unit: (note_costs(unit, added, told), unit.before.sequence))
        self.account.settle(spent, added)
        return before
