"""The one way into a tenant: units of work, one after another, each committed whole or not at all.

Guarantees: writers of one tenant are serialised by the sequence in the tenant's row, which the first statement of
every unit compares and sets, so that two processes leave a gap-free audit; a unit that lost the race is built again
from fresh reads. A commit whose acknowledgement was lost is looked up by its sequence before anyone is told that it
failed. Threads of one process queue on a lock, which saves them the races but is not what makes them safe.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from marskg.errors import ClosureViolation, EngineUnavailable, InvalidInput
from marskg.store import codec
from marskg.store.allowances import Allowances
from marskg.store.engine import Conflict
from marskg.store.flush import flush_statements
from marskg.store.hollows import Hollows
from marskg.store.names import NameBook
from marskg.store.preferences import Book, Shelf
from marskg.store.state import TenantState
from marskg.store.statements import statement
from marskg.store.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from marskg.records import AuditRecord
    from marskg.store.allowances import Allowance
    from marskg.store.engine import Engine, Row, Transaction
    from marskg.store.flush import Step
    from marskg.store.state import Services
    from marskg.store.unit import Reader

T = TypeVar("T")

#: How often a unit is built again before the tenant is reported as too busy.
MAX_ATTEMPTS = 50
#: Rows that one statement is given: an engine holds a statement's parameters and results in memory, all at once.
_ROWS = 1_000


#: Hears of each committed unit, after the commit.
OnCommit: TypeAlias = "Callable[[Unit], None]"


@dataclass(frozen=True, slots=True)
class Ground:
    """What a policy stands on inside an open transaction: reads that see what was just written."""

    read: Reader
    run: Callable[..., list[Row]]
    state: TenantState
    services: Services
    hollows: Hollows | None
    exclude: frozenset[str]
    #: The memories that the transaction touched so far.
    changed: frozenset[str]
    #: The user's or conversation's budget that is exceeded; None if it is the tenant's.
    allowance: Allowance | None = None
    #: The live memories that count against it, and all others.
    members: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()


class InFlight(Protocol):
    """A unit that is being written in the background."""

    def land(self) -> None:
        """Wait until it is in, or has failed."""


class Writer:
    """Runs units of work for one tenant and keeps a copy of the tenant's row between them."""

    def __init__(
        self, engine: Engine, tenant: str, services: Services, govern: Callable[[Ground], Unit], on_commit: OnCommit
    ) -> None:
        """Serve ``tenant``, which must exist.

        ``govern`` builds the unit that makes room in an open transaction; ``on_commit`` hears of committed units.
        """
        self.engine = engine
        self.tenant = tenant
        self.services = services
        self.govern = govern
        self._on_commit = on_commit
        self.lock = threading.RLock()
        self.in_flight: InFlight | None = None
        #: Hears of the committed state before a transaction begins in which room is made.
        self.before_room: Callable[[TenantState], None] = lambda _state: None
        self._state: TenantState | None = None
        self._tails: dict[str, tuple[str, int, int] | None] = {}
        self._names = NameBook()
        self._shelf = Shelf()
        self.allowances = Allowances()
        # Removed entries slow an index down only where it is log-structured, as in the engine of this one process;
        # other processes, whose keys would not be heard of here, come with Bolt.
        self.hollows = Hollows() if engine.name == "arcadedb" else None
        self.next_due: int | None = None

    # --- The tenant's row ---------------------------------------------------------------------------------------

    @property
    def state(self) -> TenantState:
        """Return the tenant's row as last seen."""
        if self._state is None:
            rows = self.engine.read(statement("load_tenant", self.engine.name), {"tenant": self.tenant})
            if not rows:
                msg = f"the store has no tenant {self.tenant!r}; create it with: mars init --tenant {self.tenant}"
                raise InvalidInput(msg)
            self._state = TenantState.from_row(rows[0]["tenant"])
            self.services.signer.expect(self._state.signing_key)
            self.next_due = 0
        return self._state

    def fresh_state(self) -> TenantState:
        """Return the tenant's row as it is now, whoever wrote last, with nothing of one's own in flight."""
        with self.alone():
            # The files of the embedded engine belong to this process, and so does every write.
            if self.engine.name != "arcadedb" and self._state is not None:
                known, self._state = self._state, None
                if self.state.sequence != known.sequence:
                    state = self.state
                    self.forget_cache()
                    self._state = state
            return self.state

    def book(self) -> Book:
        """Return the tenant's preferences as of its row as last seen."""
        return self._shelf.book(self.read, self.state)

    def forget_cache(self) -> None:
        """Drop every copy; another writer was here."""
        self._state = None
        self._tails.clear()
        self._names.clear()
        self._shelf = Shelf()
        self.allowances.forget()
        self._forget_hollows()

    # --- Units of work ------------------------------------------------------------------------------------------

    def run(self, work: Callable[[Unit], T]) -> T:
        """Build a unit with ``work`` and commit it; builds it again when another writer was faster.

        Raises:
            EngineUnavailable: the server went away, or the tenant stays contended for ``MAX_ATTEMPTS`` attempts.
        """
        with self.alone():
            if self.crowded:
                self.forget_cache()
            for _ in range(MAX_ATTEMPTS):
                unit = self.new_unit(self.read, self.state)
                try:
                    result = work(unit)
                    if not unit.changed:
                        return result
                    units = self.write(unit, flush_statements(unit, self.engine.name))
                except Conflict:
                    self.forget_cache()
                    continue
                except BaseException:
                    self.forget_half_built()
                    raise
                self.settle(units)
                return result
        msg = f"tenant {self.tenant!r} is too busy: {MAX_ATTEMPTS} attempts lost to other writers; try again later"
        raise EngineUnavailable(msg)

    @contextmanager
    def alone(self, pipeline: InFlight | None = None) -> Iterator[None]:
        """Keep other threads out, once what one of them left in flight is in; ``pipeline`` waits for its own."""
        with self.lock:
            if self.in_flight is not None and self.in_flight is not pipeline:
                self.in_flight.land()
            yield

    @contextmanager
    def unless_busy(self) -> Iterator[bool]:
        """Keep other threads out if none of them is writing; gives whether that is so, and never waits."""
        if not self.lock.acquire(blocking=False):
            yield False
            return
        try:
            yield True
        finally:
            self.lock.release()

    @property
    def crowded(self) -> bool:
        """Return whether what is kept between units had better be forgotten; nothing may be in flight then."""
        return self._names.crowded

    def new_unit(self, reader: Reader, state: TenantState) -> Unit:
        """Return an empty unit on ``state``, which reads by ``reader``."""
        unit = Unit(reader, state, self.services)
        unit.tails, unit.names, unit.shelf = self._tails, self._names, self._shelf
        if self.hollows is not None:
            unit.on_key = self.hollows.fill
        return unit

    def forget_half_built(self) -> None:
        """Forget what a unit that failed half-way may have told: tails and names of what never was."""
        self._tails.clear()
        self._names.clear()
        self._forget_hollows()

    def settle(self, units: list[Unit]) -> None:
        """Take note of units that were committed in one transaction."""
        if len(units) > 1:
            # What made room may have taken the last episode of any session.
            self._tails.clear()
        for unit in units:
            self._after(unit)

    def read(self, name: str, parameters: Mapping[str, Any]) -> list[Row]:
        """Run a named read-only statement of the store."""
        return self.engine.read(statement(name, self.engine.name), parameters)

    def write(self, unit: Unit, steps: list[Step]) -> list[Unit]:
        """Write ``unit``, and in the same transaction what makes room for it; returns the units in order.

        Raises:
            Conflict: another writer was faster; build it again from fresh reads.
        """
        units = [unit]
        crammed = self.is_crammed(unit)
        try:
            if len(steps) == 1 and not crammed:
                self._expect(steps[0], self.engine.write(steps[0][0], steps[0][1]), first=True)
                return units
            if crammed:
                self.before_room(unit.before)
            with self.engine.transaction() as transaction:
                self._run_steps(transaction, steps)
                # Whoever is above a budget of his own pays first, as that lightens the tenant too.
                while (allowance := self.allowances.exceeded(units, self.read)) is not None:
                    units.append(self._make_room(transaction, units, allowance))
                if units[-1].state.weight > units[-1].state.budget:
                    units.append(self._make_room(transaction, units))
        except EngineUnavailable:
            if not self._was_committed(units[-1].records[-1]):
                raise
        return units

    def is_crammed(self, unit: Unit) -> bool:
        """Return whether ``unit`` leaves the tenant, one of its users or a conversation above budget."""
        # Asked first: what counts against whom is read from the committed state, so before the transaction is open.
        allowance = self.allowances.exceeded([unit], self.read)
        return allowance is not None or unit.state.weight > unit.state.budget

    def put(self, name: str, parameters: Mapping[str, Any]) -> None:
        """Write what is derived from the memories and no transition of any: it has no record."""
        self.engine.write(statement(name, self.engine.name), parameters)

    def _make_room(self, transaction: Transaction, units: list[Unit], allowance: Allowance | None = None) -> Unit:
        """Write, on what the open transaction already wrote, the unit that brings what is exceeded under its budget."""

        def read(name: str, parameters: Mapping[str, Any]) -> list[Row]:
            return transaction.run(statement(name, self.engine.name), parameters)

        written = units[0]
        new = frozenset(node.memory.id for node in written.nodes.values() if node.new)
        exclude = (new if len(new) == 1 else frozenset()) | written.keep
        changed = frozenset(node_id for unit in units for node_id in unit.nodes)
        state = units[-1].state
        ground = Ground(read, transaction.run, state, self.services, self.hollows, exclude, changed, allowance)
        if allowance is not None:
            members, others = self.allowances.confined(units, allowance.holder, self.read)
            ground = replace(ground, members=members, others=others)
        room = self.govern(ground)
        self._run_steps(transaction, flush_statements(room, self.engine.name))
        return room

    def _run_steps(self, transaction: Transaction, steps: list[Step]) -> None:
        for position, step in enumerate(steps):
            rows = [row for part in _parts(step[1]) for row in transaction.run(step[0], part)]
            self._expect(step, rows, first=position == 0)

    @staticmethod
    def _expect(step: Step, rows: list[Row], *, first: bool) -> None:
        """Check that a statement did all that it was asked to; engines drop rows without a match in silence."""
        if first and not rows:
            message = "the sequence moved"
            raise Conflict(message)
        expected = step[2]
        if expected is not None and sum(int(next(iter(row.values()))) for row in rows) != expected:
            msg = "an edge or change points to a node that is not in the store; nothing was written: read it again"
            raise ClosureViolation(msg)

    def _was_committed(self, record: AuditRecord) -> bool:
        """Return whether ``record`` made it into the store although its acknowledgement was lost."""
        parameters = {"ref": codec.audit_ref(record.tenant, "t", record.sequence), "tenant": self.tenant}
        try:
            rows = self.engine.write(statement("record_at", self.engine.name), parameters)
        except EngineUnavailable:
            return False
        return bool(rows) and rows[0]["leaf"] == record.leaf

    def _after(self, unit: Unit) -> None:
        self._state = unit.state
        self.allowances.settle(unit)
        for entity_id in unit.removed_entities:
            self._names.remove(entity_id)
        for node in unit.nodes.values():
            due = unit.due_at(node)
            if due is not None and (self.next_due is None or due < self.next_due):
                self.next_due = due
        self._on_commit(unit)

    def _forget_hollows(self) -> None:
        """Forget what a policy emptied: the transaction that did may not have been committed."""
        if self.hollows is not None:
            self.hollows.clear()

    # --- Access log -----------------------------------------------------------------------------------------------

    def touch(self, parameters: dict[str, Any], after: TenantState) -> int:
        """Write one access record with the statistics that it changes; returns how many nodes changed."""
        rows = self.engine.write(statement("touch", self.engine.name), parameters)
        if not rows:
            message = "the sequence moved"
            raise Conflict(message)
        self._state = after
        return int(rows[0]["touched"])


def _parts(parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the parameters of a statement in parts, where they are nothing but many rows that stand alone."""
    name, values = next(iter(parameters.items()))
    if len(parameters) > 1 or not isinstance(values, list):
        yield parameters
        return
    for start in range(0, max(1, len(values)), _ROWS):
        yield {name: values[start : start + _ROWS]}
