"""A shared tenant of common knowledge, as its subscribers read it.

Guarantees: nothing is ever written into it: no record can be signed, no vector is made up for, no index file is kept;
whether it is still shared is asked at every read; its ranking has its own statistics, and its memories pass the same
gate as the reader's own, but for those bound to one use, which only their own tenant can end. Source: semantics
section 4 (I8) and 9.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from marskg.errors import EmbeddingMismatch, NotPermitted
from marskg.retrieval.index.view import IndexView
from marskg.retrieval.query.search import Search
from marskg.store.commit.listener import CommitListener
from marskg.store.commit.shared_state import unshared_state
from marskg.store.commit.writer import Writer
from marskg.store.tenant.row_changes import shared_state
from marskg.store.unit.reader import GraphReader

if TYPE_CHECKING:
    from marskg.retrieval.query.search import Shows
    from marskg.store.commit.listener import BudgetExcess
    from marskg.store.rows.state import TenantState
    from marskg.store.tenant.opening import Opened
    from marskg.store.unit.vectors import Vectoriser


class _NoSigner:
    """Signs nothing, so that nothing can be written."""

    def __call__(self) -> NoReturn:
        """Refuse.

        Raises:
            NotPermitted: always.
        """
        msg = "a shared tenant is read-only to its subscribers; open it as its own tenant to write"
        raise NotPermitted(msg)

    def expect(self, public_key: str) -> None:
        """Do nothing: whatever its key is, it is not used."""


class _Subscriber(CommitListener):
    """Notified of nothing: no unit is committed here."""

    def make_room(self, excess: BudgetExcess) -> NoReturn:  # noqa: ARG002 - the protocol's
        """Make no room in another's tenant."""
        _NoSigner()()


class SharedTenant:
    """One shared tenant and its index, read by a subscriber."""

    def __init__(self, opened: Opened, name: str, vectoriser: Vectoriser, shows: Shows | None = None) -> None:
        """Read tenant ``name`` of the store of ``opened``; nothing is read yet.

        ``shows`` is as :class:`Search` has it.
        """
        self.name = name
        self.reader = GraphReader(opened.engine, name)
        services = replace(opened.services, signer=_NoSigner())
        # Of its own: a subscriber is no writer of the tenant, and must not make its writers read anew.
        self._writer = Writer(opened.engine, name, services, _Subscriber(), shared=unshared_state(opened.engine))
        self.view = IndexView(self.reader, self._writer, vectoriser, None)
        self.search = Search(self.view, self.reader, self._writer, vectoriser, opened.counter, guest=True, shows=shows)

    @property
    def state(self) -> TenantState:
        """Return the tenant's row as :meth:`open` found it."""
        return self._writer.state

    def open(self) -> str | None:
        """Bring the index up to the tenant as it is now; returns why it cannot be read, or None."""
        with self._writer.alone():
            self._writer.forget_cache()
        if shared_state(self._writer.engine, self.name) is None:
            self.view.forget()
            way_out = f"mars settings unsubscribe {self.name}"
            return f"tenant {self.name!r} is not shared any more; unsubscribe with: {way_out}"
        try:
            self.view.refresh(self._writer.state)
        except EmbeddingMismatch:
            return f"tenant {self.name!r} was left out: its vectors are of another model than yours"
        return None
