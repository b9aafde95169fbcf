"""Shared state of the handles of one tenant in a process: the copy of its row, the queue of its writers, the listeners.

A handle is one open memory. Two of them on one tenant, whoever acts through them, are one writer to the store: they
wait for each other on one lock and read one copy of the tenant's row, so that none of them writes or decides by an old
one. Between processes nothing is shared: there the sequences of the row decide (:mod:`marskg.store.commit.writer`).

Guarantees: all handles that share an engine's :attr:`~marskg.store.engine.protocol.Engine.home` share one state of
a tenant; it goes with its last handle.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from marskg.host import at_fork
from marskg.store.commit.pending_access import PendingAccesses
from marskg.store.engine.protocol import Capability
from marskg.store.rows.index_gaps import IndexGaps
from marskg.store.rows.monotonic_clock import ClockWatch
from marskg.store.unit.quotas import Quotas
from marskg.store.unit.unit_of_work import Caches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from marskg.store.commit.listener import CommitListener
    from marskg.store.engine.protocol import Engine
    from marskg.store.rows.state import TenantState
    from marskg.store.unit.unit_of_work import Unit


class InFlight(Protocol):
    """A unit that is being written in the background."""

    def land(self) -> None:
        """Wait until it is in, or has failed."""


class SharedState:
    """One tenant as this process knows it; whoever changes anything here holds :attr:`lock`."""

    def __init__(self, *, alone_in_files: bool) -> None:
        """Know nothing yet; ``alone_in_files`` says that no other process writes to the store."""
        self.lock = threading.RLock()
        #: Held by whoever writes the tenant's SPARQL view, which is one folder for all handles.
        self.view_lock = threading.RLock()
        self.in_flight: InFlight | None = None
        #: Whether the thread that has the lock also keeps the writers of other processes out.
        self.held = False
        self.state: TenantState | None = None
        #: Accesses that :attr:`state` counts and the store does not have yet.
        self.pending = PendingAccesses()
        #: The history that the row was of when it was last read (:attr:`~marskg.store.rows.state.TenantState.line`).
        self.line: str | None = None
        self.quotas = Quotas()
        #: What weighing again did (:mod:`marskg.store.upkeep.reweigh`), if that was done since it was opened.
        self.reweighed: str | None = None
        # Removed entries slow an index down only where it is log-structured, as in the engine of this one process;
        # other processes, whose keys would not be heard of here, come with Bolt.
        self.caches = Caches(index_gaps=IndexGaps() if alone_in_files else None)
        self.next_due: int | None = None
        #: What handles have read from their clocks.
        self.watch = ClockWatch()
        #: Whether expiry was suspended when the store was last swept, so that something may be overdue.
        self.held_back = False
        #: How often something was erased, and what went with the last erasure.
        self.erasures = 0
        self.last_erased: frozenset[str] = frozenset()
        self._handles: WeakSet[CommitListener] = WeakSet()

    def take(self, state: TenantState) -> None:
        """Go by ``state`` from now on."""
        self.state = state

    def tell(self, done: str) -> None:
        """Let every handle tell what weighing again did."""
        self.reweighed = done

    def expect_due(self, moment: int | None, *, held_back: bool | None = None) -> None:
        """Look at ``moment`` for what time changes: 0 at once, None never; ``held_back``: expiry was suspended."""
        self.next_due = moment
        if held_back is not None:
            self.held_back = held_back

    def write_behind(self, pipeline: InFlight | None) -> None:
        """Let ``pipeline`` have a unit in flight; None says that it is in."""
        self.in_flight = pipeline

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Say that the writers of other processes are kept out, who has the lock does it."""
        self.held = True
        try:
            yield
        finally:
            self.held = False

    def join(self, handle: CommitListener) -> bool:
        """Notify ``handle`` of what the others do from now on; returns whether there are others."""
        with self.lock:
            others = bool(self._handles)
            self._handles.add(handle)
        return others

    def leave(self, handle: CommitListener) -> None:
        """Notify ``handle`` no more."""
        with self.lock:
            self._handles.discard(handle)

    def notify(self, unit: Unit, source: CommitListener) -> None:
        """Notify all handles but ``source`` of a committed unit."""
        # A copy, here and below: a handle that goes meanwhile leaves the set.
        for handle in list(self._handles):
            if handle is not source:
                handle.on_foreign(unit)

    def erased(self, ids: Iterable[str]) -> None:
        """Let all handles drop what they derived from the store: ``ids`` were erased."""
        self.last_erased = frozenset(ids)
        self.erasures += 1
        for handle in list(self._handles):
            handle.on_erasure()

    def overtaken(self, sequence: int) -> None:
        """Notify all handles that the accesses after ``sequence`` are others."""
        for handle in list(self._handles):
            handle.on_overtaken(sequence)

    def follow(self, line: str) -> None:
        """Let all handles drop what they derived if the row that was read is of another history than the last one."""
        before, self.line = self.line, line
        if before not in {None, line}:
            self.erased(())

    def forget(self) -> None:
        """Drop every copy; another process was here."""
        self.state = None
        self.caches.clear()
        self.quotas.forget()

    def forget_half_built(self) -> None:
        """Forget what a unit that failed half-way may have told: tails and names of what never was."""
        self.caches.clear_half_built()


_guard = threading.RLock()
# No other thread is in the midst of this when a process is forked: the child would wait for it for ever.
at_fork(before=_guard.acquire, in_parent=_guard.release, in_child=_guard.release)
_openings: WeakKeyDictionary[object, threading.RLock] = WeakKeyDictionary()
_states: WeakKeyDictionary[object, WeakValueDictionary[str, SharedState]] = WeakKeyDictionary()


def shared_state_of(engine: Engine, tenant: str) -> SharedState:
    """Return the shared state of ``tenant`` in the store that ``engine`` has open."""
    with _guard:
        states = _states.setdefault(engine.home, WeakValueDictionary())
        shared = states.get(tenant)
        if shared is None:
            shared = states[tenant] = unshared_state(engine)
        return shared


def opening(engine: Engine) -> threading.RLock:
    """Return the lock that those hold in turn who open a tenant of this store: schema, key and tenant are made once."""
    with _guard:
        return _openings.setdefault(engine.home, threading.RLock())


def unshared_state(engine: Engine) -> SharedState:
    """Return a state that is shared with nobody: for who reads a tenant that is another's."""
    return SharedState(alone_in_files=Capability.EXCLUSIVE_FILES in engine.capabilities)
