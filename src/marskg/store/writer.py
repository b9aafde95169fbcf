"""The one way into a tenant: units of work, one after another, each committed whole or not at all.

Guarantees: writers of one tenant are serialised by the sequence in the tenant's row, which the first statement of
every unit compares and sets, so that two processes leave a gap-free audit; a unit that lost the race is built again
from fresh reads. A commit whose acknowledgement was lost is looked up by its sequence before anyone is told that it
failed. The threads and handles of one process share a desk (:mod:`marskg.store.desk`): they queue on its lock and go by
one copy of the row, so that what one of them reads or decides is never older than what another one has written.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from marskg.errors import ClosureViolation, EngineUnavailable, EnvironmentFailure, InvalidInput, MarsError
from marskg.store import codec
from marskg.store.desk import desk_of
from marskg.store.engine import Conflict
from marskg.store.flush import flush_statements
from marskg.store.state import TenantState
from marskg.store.statements import statement
from marskg.store.unit import Unit

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from marskg.records import AuditRecord
    from marskg.store.allowances import Allowance, Allowances
    from marskg.store.desk import Desk, InFlight
    from marskg.store.engine import Engine, Row, Transaction
    from marskg.store.flush import Step
    from marskg.store.hollows import Hollows
    from marskg.store.preferences import Book
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


class Writer:
    """Runs units of work for one tenant and keeps a copy of the tenant's row between them."""

    def __init__(
        self,
        engine: Engine,
        tenant: str,
        services: Services,
        govern: Callable[[Ground], Unit],
        on_commit: OnCommit,
        *,
        desk: Desk | None = None,
    ) -> None:
        """Serve ``tenant``, which must exist.

        ``govern`` builds the unit that makes room in an open transaction; ``on_commit`` hears of committed units;
        ``desk`` is the one that all handles of the tenant in this process share, if left out.
        """
        self.engine = engine
        self.tenant = tenant
        self.services = services
        self.govern = govern
        self._on_commit = on_commit
        #: Hears of the committed state before a transaction begins in which room is made.
        self.before_room: Callable[[TenantState], None] = lambda _state: None
        #: Hears of the units that other handles of this process commit.
        self.on_foreign: OnCommit = lambda _unit: None
        #: Drops what was derived from the store, as something of it was erased or put back, by whichever handle.
        self.forget_views: Callable[[], None] = lambda: None
        #: The key that the tenant's row named when the signer was last told.
        self._signing_key: str | None = None
        self.desk = desk_of(engine, tenant) if desk is None else desk
        if self.desk.join(self):
            with self.alone():
                # A handle that is opened sees the store as it is, whatever was done to it past the others.
                self.forget_cache()

    # --- What all handles of the tenant share -------------------------------------------------------------------

    @property
    def lock(self) -> threading.RLock:
        """Return the lock that all writers of the tenant in this process queue on."""
        return self.desk.lock

    @property
    def in_flight(self) -> InFlight | None:
        """Return the unit that some handle is writing in the background."""
        return self.desk.in_flight

    @in_flight.setter
    def in_flight(self, pipeline: InFlight | None) -> None:
        self.desk.in_flight = pipeline

    @property
    def hollows(self) -> Hollows | None:
        """Return the ranges of the order indexes that are known to be empty."""
        return self.desk.hollows

    @property
    def allowances(self) -> Allowances:
        """Return what counts against the budgets of single users and conversations."""
        return self.desk.allowances

    def now(self) -> int:
        """Return the store's time: the clock, never before the last recorded time (semantics section 10).

        Raises:
            ClockJump: the clock shows no time that a record could carry.
        """
        return self.state.moment(self.services.clock.now_ms())[0]

    @property
    def next_due(self) -> int | None:
        """Return when time next changes a memory; 0 where that is not known."""
        return self.desk.next_due

    @next_due.setter
    def next_due(self, moment: int | None) -> None:
        self.desk.next_due = moment

    def heard(self, unit: Unit) -> None:
        """Take note of a unit that another handle committed."""
        self.on_foreign(unit)

    def heard_erased(self) -> None:
        """Drop what was derived from the store, as a handle erased something of it or put it back."""
        self.forget_views()

    def tell_erased(self, ids: Iterable[str] = ()) -> None:
        """Let every handle of the tenant drop what it derived from the store: ``ids`` were erased."""
        self.desk.erased(ids)

    def leave(self) -> None:
        """Share nothing any more: the handle is closed."""
        self.desk.leave(self)

    # --- The tenant's row ---------------------------------------------------------------------------------------

    @property
    def state(self) -> TenantState:
        """Return the tenant's row as last seen, by whichever handle."""
        # Another thread may drop the copy at any moment: what was read is kept here.
        state = self.desk.state
        if state is None:
            rows = self.engine.read(statement("load_tenant", self.engine.name), {"tenant": self.tenant})
            if not rows:
                msg = f"the store has no tenant {self.tenant!r}; create it with: mars init --tenant {self.tenant}"
                raise InvalidInput(msg)
            state = self.desk.state = TenantState.from_row(rows[0]["tenant"])
            self.desk.next_due = 0
        if state.signing_key != self._signing_key:
            # Another handle may have rotated the key.
            self._signing_key = state.signing_key
            self.services.signer.expect(state.signing_key)
        return state

    def fresh_state(self) -> TenantState:
        """Return the tenant's row as it is now, whoever wrote last, with nothing of one's own in flight."""
        with self.alone():
            # The files of the embedded engine belong to this process, and so does every write.
            if self.engine.name != "arcadedb" and self.desk.state is not None:
                known, self.desk.state = self.desk.state, None
                state = self.state
                if (state.log, state.sequence) != (known.log, known.sequence):
                    self.forget_cache()
                    self.desk.state = state
            return self.state

    def book(self) -> Book:
        """Return the tenant's preferences as of its row as last seen."""
        return self.desk.shelf.book(self.read, self.state)

    def forget_cache(self) -> None:
        """Drop every copy; another writer was here."""
        self.desk.forget()

    # --- Units of work ------------------------------------------------------------------------------------------

    def run(self, work: Callable[[Unit], T]) -> T:
        """Build a unit with ``work`` and commit it; builds it again when another writer was faster, also to refuse.

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
                except MarsError as error:
                    self.forget_half_built()
                    # What a state that is over refuses may be allowed now, or be refused for another reason. Where
                    # the environment failed nobody knows whether it was this unit that moved the sequence.
                    if isinstance(error, EnvironmentFailure) or not self._moved(unit.before):
                        raise
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
        return self.desk.names.crowded

    def new_unit(self, reader: Reader, state: TenantState) -> Unit:
        """Return an empty unit on ``state``, which reads by ``reader``."""
        unit = Unit(reader, state, self.services)
        unit.tails, unit.names, unit.shelf = self.desk.tails, self.desk.names, self.desk.shelf
        if self.hollows is not None:
            unit.on_key = self.hollows.fill
        return unit

    def forget_half_built(self) -> None:
        """Forget what a unit that failed half-way may have told: tails and names of what never was."""
        self.desk.forget_half_built()

    def _moved(self, state: TenantState) -> bool:
        """Return whether another process wrote since ``state``."""
        now = self.fresh_state()
        return (now.log, now.sequence) != (state.log, state.sequence)

    def settle(self, units: list[Unit]) -> None:
        """Take note of units that were committed in one transaction."""
        if len(units) > 1:
            # What made room may have taken the last episode of any session.
            self.desk.tails.clear()
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
        self.desk.state = unit.state
        self.allowances.settle(unit)
        for entity_id in unit.removed_entities:
            self.desk.names.remove(entity_id)
        for node in unit.nodes.values():
            due = unit.due_at(node)
            if due is not None and (self.next_due is None or due < self.next_due):
                self.next_due = due
        self.desk.tell(unit, self)
        self._on_commit(unit)

    # --- Access log -----------------------------------------------------------------------------------------------

    def touch(self, parameters: dict[str, Any], after: TenantState) -> int:
        """Write one access record with the statistics that it changes; returns how many nodes changed."""
        rows = self.engine.write(statement("touch", self.engine.name), parameters)
        if not rows:
            message = "the sequence moved"
            raise Conflict(message)
        self.desk.state = after
        return int(rows[0]["touched"])


def _parts(parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the parameters of a statement in parts, where they are nothing but many rows that stand alone."""
    name, values = next(iter(parameters.items()))
    if len(parameters) > 1 or not isinstance(values, list):
        yield parameters
        return
    for start in range(0, max(1, len(values)), _ROWS):
        yield {name: values[start : start + _ROWS]}
