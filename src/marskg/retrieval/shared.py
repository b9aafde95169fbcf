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
from marskg.retrieval.search import Search
from marskg.retrieval.view import IndexView
from marskg.store.desk import own_desk
from marskg.store.reader import GraphReader
from marskg.store.subscriptions import shared_state
from marskg.store.writer import Writer

if TYPE_CHECKING:
    from marskg.retrieval.search import Shows
    from marskg.store.opening import Opened
    from marskg.store.state import TenantState
    from marskg.store.unit import Unit
    from marskg.store.vectors import Vectoriser
    from marskg.store.writer import Ground


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
        self._writer = Writer(opened.engine, name, services, _refuse, _hear, desk=own_desk(opened.engine))
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
            return f"tenant {self.name!r} is not shared any more; unsubscribe with: mars tenant unsubscribe {self.name}"
        try:
            self.view.refresh(self._writer.state)
        except EmbeddingMismatch:
            return f"tenant {self.name!r} was left out: its vectors are of another model than yours"
        return None


def _refuse(_: Ground) -> NoReturn:
    """Make no room in another's tenant."""
    _NoSigner()()


def _hear(_: Unit) -> None:
    """Hear of nothing: no unit is committed here."""
