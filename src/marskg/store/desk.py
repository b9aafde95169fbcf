"""What the handles of one tenant have in common in a process: the copy of its row, the queue of its writers, who hears.

A handle is one open memory. Two of them on one tenant, whoever acts through them, are one writer to the store: they
wait for each other on one lock and read one copy of the tenant's row, so that none of them writes or decides by an old
one. Between processes nothing is shared: there the sequences of the row decide (:mod:`marskg.store.writer`).

Guarantees: all handles that share an engine's :attr:`~marskg.store.engine.Engine.home` get the same desk of a tenant;
a desk goes with its last handle.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from marskg.store.allowances import Allowances
from marskg.store.hollows import Hollows
from marskg.store.names import NameBook
from marskg.store.preferences import Shelf

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.store.engine import Engine
    from marskg.store.state import TenantState
    from marskg.store.unit import Unit


class InFlight(Protocol):
    """A unit that is being written in the background."""

    def land(self) -> None:
        """Wait until it is in, or has failed."""


class Hearer(Protocol):
    """A handle, as the other handles of its tenant tell it what they did."""

    def heard(self, unit: Unit) -> None:
        """Take note of a unit that another handle committed."""

    def heard_erased(self) -> None:
        """Drop what was derived from the store: a handle erased something, or put the tenant back."""


class Desk:
    """One tenant as this process knows it; whoever changes anything here holds :attr:`lock`."""

    def __init__(self, *, alone_in_files: bool) -> None:
        """Know nothing yet; ``alone_in_files`` says that no other process writes to the store."""
        self.lock = threading.RLock()
        #: Held by whoever writes the tenant's SPARQL view, which is one folder for all handles.
        self.view_lock = threading.RLock()
        self.in_flight: InFlight | None = None
        self.state: TenantState | None = None
        self.tails: dict[str, tuple[str, int, int] | None] = {}
        self.names = NameBook()
        self.shelf = Shelf()
        self.allowances = Allowances()
        # Removed entries slow an index down only where it is log-structured, as in the engine of this one process;
        # other processes, whose keys would not be heard of here, come with Bolt.
        self.hollows = Hollows() if alone_in_files else None
        self.next_due: int | None = None
        #: The last time that a handle read from its clock (:mod:`marskg.store.steady`).
        self.latest = 0
        #: How often something was erased, and what went with the last erasure.
        self.erasures = 0
        self.last_erased: frozenset[str] = frozenset()
        self._handles: WeakSet[Hearer] = WeakSet()

    def join(self, handle: Hearer) -> bool:
        """Let ``handle`` hear what the others do; returns whether there are others."""
        with self.lock:
            others = bool(self._handles)
            self._handles.add(handle)
        return others

    def leave(self, handle: Hearer) -> None:
        """Let ``handle`` hear nothing any more."""
        with self.lock:
            self._handles.discard(handle)

    def tell(self, unit: Unit, teller: Hearer) -> None:
        """Let all handles but ``teller`` hear of a committed unit."""
        for handle in self._all():
            if handle is not teller:
                handle.heard(unit)

    def erased(self, ids: Iterable[str]) -> None:
        """Let all handles drop what they derived from the store: ``ids`` were erased."""
        self.last_erased = frozenset(ids)
        self.erasures += 1
        for handle in self._all():
            handle.heard_erased()

    def forget(self) -> None:
        """Drop every copy; another process was here."""
        self.state = None
        self.tails.clear()
        self.names.clear()
        self.shelf = Shelf()
        self.allowances.forget()
        self.forget_hollows()

    def forget_half_built(self) -> None:
        """Forget what a unit that failed half-way may have told: tails and names of what never was."""
        self.tails.clear()
        self.names.clear()
        self.forget_hollows()

    def forget_hollows(self) -> None:
        """Forget what a policy emptied: the transaction that did may not have been committed."""
        if self.hollows is not None:
            self.hollows.clear()

    def _all(self) -> list[Hearer]:
        # A copy: a handle that goes meanwhile leaves the set.
        return list(self._handles)


_guard = threading.Lock()
_openings: WeakKeyDictionary[object, threading.RLock] = WeakKeyDictionary()
_desks: WeakKeyDictionary[object, WeakValueDictionary[str, Desk]] = WeakKeyDictionary()


def desk_of(engine: Engine, tenant: str) -> Desk:
    """Return the desk of ``tenant`` in the store that ``engine`` has open."""
    with _guard:
        desks = _desks.setdefault(engine.home, WeakValueDictionary())
        desk = desks.get(tenant)
        if desk is None:
            desk = desks[tenant] = own_desk(engine)
        return desk


def opening(engine: Engine) -> threading.RLock:
    """Return the lock that those hold in turn who open a tenant of this store: schema, key and tenant are made once."""
    with _guard:
        return _openings.setdefault(engine.home, threading.RLock())


def own_desk(engine: Engine) -> Desk:
    """Return a desk that is shared with nobody: for who reads a tenant that is another's."""
    return Desk(alone_in_files=engine.name == "arcadedb")
