"""The one way into a tenant: units of work, one after another, each committed whole or not at all.

Guarantees: writers of one tenant are serialised by the sequence in the tenant's row, which the first statement of every
unit compares and sets, so that two processes leave a gap-free audit; a unit that lost the race is built again from
fresh reads. A commit whose acknowledgement was lost is looked up by its sequence before anyone is told that it failed.
The threads and handles of one process share one state (:mod:`marskg.store.commit.shared_state`): they queue on its lock
and go by one copy of the row, so that what one of them reads or decides is never older than what another one has
written.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from marskg.errors import (
    ClosureViolation,
    EngineUnavailable,
    EnvironmentFailure,
    InvalidInput,
    MarsError,
    OutcomeUnknown,
    QueryRefused,
)
from marskg.store.commit.flush import flush_statements
from marskg.store.commit.listener import BudgetExcess
from marskg.store.commit.outcome import QUESTION_SECONDS, unknown, was_kept
from marskg.store.commit.shared_state import shared_state_of
from marskg.store.commit.signed_state import bound, read_state
from marskg.store.crypto.encrypted_engine import custody_of
from marskg.store.engine.protocol import Capability, Conflict
from marskg.store.rows import codec
from marskg.store.statements.catalogue import statement
from marskg.store.unit.unit_of_work import Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from marskg.records import AuditRecord
    from marskg.store.commit.flush import Step
    from marskg.store.commit.listener import CommitListener
    from marskg.store.commit.shared_state import InFlight, SharedState
    from marskg.store.engine.protocol import Engine, Reader, Row, Transaction
    from marskg.store.rows.index_gaps import IndexGaps
    from marskg.store.rows.state import Services, TenantState
    from marskg.store.unit.preference_rules import PreferenceSet
    from marskg.store.unit.quotas import Quota
    from marskg.store.unit.unit_of_work import Admitting

T = TypeVar("T")

#: How often a unit is built again before the tenant is reported as too busy.
MAX_ATTEMPTS = 50
#: Rows that one statement is given: an engine holds a statement's parameters and results in memory, all at once.
_ROWS = 1_000


class Writer:
    """Runs units of work for one tenant and keeps a copy of the tenant's row between them."""

    def __init__(
        self,
        engine: Engine,
        tenant: str,
        services: Services,
        listener: CommitListener,
        *,
        shared: SharedState | None = None,
    ) -> None:
        """Serve ``tenant``, which must exist.

        ``listener`` is notified of what is committed, by this handle and by others, and makes room; ``shared`` is the
        one that all handles of the tenant in this process share, if left out.
        """
        self.engine = engine
        self.tenant = tenant
        self.services = services
        self.listener = listener
        #: Makes the question which memories this handle's principal may see, where that may not be all.
        self.admitting: Admitting | None = None
        #: The key that the tenant's row named when the signer was last told.
        self._signing_key: str | None = None
        self.shared = shared_state_of(engine, tenant) if shared is None else shared
        if self.shared.join(listener):
            with self.alone():
                # A handle that is opened sees the store as it is, whatever was done to it past the others.
                self.forget_cache()

    # --- What all handles of the tenant share -------------------------------------------------------------------

    @property
    def index_gaps(self) -> IndexGaps | None:
        """Return the ranges of the order indexes that are known to be empty."""
        return self.shared.caches.index_gaps

    def now(self) -> int:
        """Return the store's time: the clock, never before the last recorded time (semantics section 10).

        Raises:
            ClockJump: the clock shows no time that a record could carry.
        """
        return self.state.moment(self.services.clock.read())[0]

    def notify_erased(self, ids: Iterable[str] = ()) -> None:
        """Notify every handle of the tenant that ``ids`` were erased: it drops what it derived from the store."""
        self.shared.caches.clear_names()
        self.shared.erased(ids)

    def leave(self) -> None:
        """Share nothing any more: the handle is closed."""
        self.shared.leave(self.listener)

    # --- The tenant's row ---------------------------------------------------------------------------------------

    @property
    def state(self) -> TenantState:
        """Return the tenant's row as last seen, by whichever handle."""
        # Another thread may drop the copy at any moment: what was read is kept here.
        state = self.shared.state
        if state is None:
            state = self._stored_state()
            self.shared.take(state)
            self.shared.expect_due(0)
            self.shared.follow(state.line)
        if state.signing_key != self._signing_key:
            # Another handle may have rotated the key.
            self._signing_key = state.signing_key
            self.services.signer.expect(state.signing_key)
        return state

    def _stored_state(self) -> TenantState:
        rows = self.engine.read(statement("load_tenant", self.engine.name), {"tenant": self.tenant})
        if not rows:
            msg = f"the store has no tenant {self.tenant!r}; create it with: mars init --tenant {self.tenant}"
            raise InvalidInput(msg)
        return read_state(rows[0]["tenant"])

    def fresh_state(self) -> TenantState:
        """Return the tenant's row as it is now, whoever wrote last, with nothing of one's own left to write."""
        with self.alone():
            state = self.recent_state()
            if Capability.EXCLUSIVE_FILES not in self.engine.capabilities:
                self.shared.expect_due(0)  # Another process may have stored what ends sooner.
            return state

    def recent_state(self) -> TenantState:
        """Return the tenant's row as it is now, with the accesses in it that are shown and not written yet."""
        if Capability.EXCLUSIVE_FILES in self.engine.capabilities:
            # The row is taken when a commit is in: who reads waits neither for who writes nor for what is in flight.
            self.engine.check_process()
            return self.state
        with self.alone(beside=True):
            if self.shared.state is None:
                return self.state
            waiting = self.shared.pending.base
            known, state = waiting or self.shared.state, self._stored_state()
            moved = (state.line, state.sequence) != (known.line, known.sequence)
            if waiting is not None and (moved or state.access_sequence != known.access_sequence):
                self.commit_accesses()
                state = self._stored_state()
            elif waiting is not None:
                return self.state
            if moved:
                self.forget_cache()
                self.shared.expect_due(0)
            self.shared.take(state)
            self.shared.follow(state.line)
            return self.state

    def commit_accesses(self) -> None:
        """Write what was shown and is not written yet.

        Raises:
            EngineUnavailable, StoreUnwritable: it cannot be written now, and goes on waiting.
        """
        if not self.shared.pending.empty:
            # A lock that another thread held at a fork is never released in the child.
            self.engine.check_process()
            with self.shared.lock:
                self.shared.pending.commit(self)

    def preference_set(self) -> PreferenceSet:
        """Return the tenant's preferences as of its row as last seen."""
        return self.shared.caches.preferences.preference_set(self.read, self.state)

    def forget_cache(self) -> None:
        """Drop every copy; another writer was here."""
        self.shared.forget()

    # --- Units of work ------------------------------------------------------------------------------------------

    def run(self, work: Callable[[Unit], T]) -> T:
        """Build a unit with ``work`` and commit it; builds it again when another writer was faster, also to refuse.

        Raises:
            EngineUnavailable: the server went away, or the tenant stays contended for ``MAX_ATTEMPTS`` attempts.
        """
        with self.alone():
            if self.shared.caches.names.crowded:
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
    def alone(self, pipeline: InFlight | None = None, *, beside: bool = False) -> Iterator[None]:
        """Keep other threads out, once what one of them left in flight is in; ``pipeline`` waits for its own.

        What was shown is written first, unless the caller does its work ``beside`` what waits to be.
        """
        # A lock that another thread held at a fork is never released in the child.
        self.engine.check_process()
        with self.shared.lock:
            in_flight = self.shared.in_flight
            if in_flight is not None and in_flight is not pipeline:
                in_flight.land()
            if not beside:
                self.commit_accesses()
            yield

    @contextmanager
    def trial(self) -> Iterator[Unit]:
        """Give a unit that is never written, for dry runs."""
        with self.alone():
            try:
                yield self.new_unit(self.read, self.fresh_state())
            finally:
                self.forget_half_built()

    @contextmanager
    def held(self) -> Iterator[TenantState]:
        """Let nobody change the tenant, in any process; gives its row. Who holds it must not write to it either.

        On a server the tenant's row is locked, which every writer has to change first; in exclusive files there is no
        other process.

        Raises:
            EngineUnavailable: the server went away, or did not give the lock.
        """
        with self.alone():
            if self.shared.held or Capability.EXCLUSIVE_FILES in self.engine.capabilities:
                yield self.fresh_state()
                return
            try:
                with self.shared.holding(), self.engine.transaction() as transaction:
                    transaction.run(statement("hold_tenant", self.engine.name), {"tenant": self.tenant})
                    yield self.fresh_state()
            except Conflict as error:
                msg = f"tenant {self.tenant!r} is too busy to be held for a moment; try again later"
                raise EngineUnavailable(msg) from error

    @contextmanager
    def unless_busy(self) -> Iterator[bool]:
        """Keep other threads out if none of them is writing; gives whether that is so, and never waits."""
        if not self.shared.lock.acquire(blocking=False):
            yield False
            return
        try:
            yield True
        finally:
            self.shared.lock.release()

    def new_unit(self, reader: Reader, state: TenantState) -> Unit:
        """Return an empty unit on ``state``, which reads by ``reader``."""
        unit = Unit(reader, state, self.services, self.shared.caches)
        unit.admitting = self.admitting
        return unit

    def limit_questions(self, admitting: Admitting) -> None:
        """Let what a write asks about names be asked of what this handle's principal may see."""
        self.admitting = admitting

    def forget_half_built(self) -> None:
        """Forget what a unit that failed half-way may have told: tails and names of what never was."""
        self.shared.forget_half_built()

    def _moved(self, state: TenantState) -> bool:
        """Return whether another process wrote since ``state``."""
        now = self.fresh_state()
        return (now.line, now.sequence) != (state.line, state.sequence)

    def settle(self, units: list[Unit]) -> None:
        """Take note of units that were committed in one transaction."""
        if len(units) > 1:
            # What made room may have taken the last episode of any session.
            self.shared.caches.sessions.clear()
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
        self._know_heads(unit, steps)
        units = [unit]
        crammed = self.is_crammed(unit)
        try:
            if len(steps) == 1 and not crammed:
                self._expect(steps[0], self.engine.write(steps[0][0], steps[0][1]), first=True)
                return units
            if crammed:
                self.listener.before_room(unit.before)
            with self.engine.transaction() as transaction:
                self._run_steps(transaction, steps)
                # Whoever is above a budget of his own pays first, as that lightens the tenant too.
                while (quota := self.shared.quotas.exceeded(units, self.read)) is not None:
                    units.append(self._make_room(transaction, units, quota))
                if units[-1].state.weight > units[-1].state.budget:
                    units.append(self._make_room(transaction, units))
        except OutcomeUnknown as error:
            self._find_out(error, units)
        return units

    def _find_out(self, error: OutcomeUnknown, units: list[Unit]) -> None:
        """Go on if ``units`` were committed although the acknowledgement was lost.

        Raises:
            EngineUnavailable: they were not.
            OutcomeUnknown: the server does not answer, so that nobody can tell.
        """
        record = units[-1].audit.transitions[-1]
        kept = was_kept(lambda: self.is_written(record, "t"))
        if kept is None:
            raise unknown(error, [ident for ident, node in units[0].nodes.items() if node.new]) from error
        if not kept:
            server = str(error).partition(" ")[0]
            msg = f"{server} went away before it wrote anything, and says that nothing was kept: ask for it again"
            raise EngineUnavailable(msg) from error
        custody = custody_of(self.engine)
        if custody is not None:  # Who did not hear of the commit did not destroy the keys that it made superfluous.
            custody.settle(custody.keyring.scheduled())

    def _know_heads(self, unit: Unit, steps: list[Step]) -> None:
        """Let the row say which heads there are, if one was signed since ``unit`` was built."""
        known = self.shared.state
        if unit.whole_row or known is None:
            return
        if known.line == unit.state.line and known.heads != unit.state.heads:
            changes = {"heads": list(known.heads)}
            state, signed = bound(replace(unit.state, heads=known.heads), changes, self.services.signer())
            unit.update_tenant(heads=state.heads, stated=state.stated)
            steps[0][1]["set"] |= signed

    def is_crammed(self, unit: Unit) -> bool:
        """Return whether ``unit`` leaves the tenant, one of its users or a conversation above budget."""
        # Asked first: what counts against whom is read from the committed state, so before the transaction is open.
        quota = self.shared.quotas.exceeded([unit], self.read)
        return quota is not None or unit.state.weight > unit.state.budget

    def put(self, name: str, parameters: Mapping[str, Any]) -> None:
        """Write what is derived from the memories and no transition of any: it has no record."""
        self.engine.write(statement(name, self.engine.name), parameters)

    def _make_room(self, transaction: Transaction, units: list[Unit], quota: Quota | None = None) -> Unit:
        """Write, on what the open transaction already wrote, the unit that brings what is exceeded under its budget."""

        def read(name: str, parameters: Mapping[str, Any]) -> list[Row]:
            return transaction.run(statement(name, self.engine.name), parameters)

        written = units[0]
        new = frozenset(node.memory.id for node in written.nodes.values() if node.new)
        exclude = (new if len(new) == 1 else frozenset()) | written.keep
        changed = frozenset(node_id for unit in units for node_id in unit.nodes)
        state = units[-1].state
        excess = BudgetExcess(
            read, transaction.run, state, self.services, self.index_gaps, exclude, changed, _growth(written), quota
        )
        if quota is not None:
            members, others = self.shared.quotas.confined(units, quota.holder, self.read)
            excess = replace(excess, members=members, others=others)
        room = self.listener.make_room(excess)
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

    def is_written(self, record: AuditRecord, log: str) -> bool:
        """Return whether ``record`` made it into the log ``t`` or ``a`` although its acknowledgement was lost.

        Raises:
            EngineUnavailable: the server does not answer, or what is asked for is still under way after a while.
        """
        parameters = {"ref": codec.audit_ref(record.tenant, log, record.sequence), "tenant": self.tenant}
        asked = statement("record_at", self.engine.name)
        try:
            rows = self.engine.read(asked, parameters, limit_seconds=QUESTION_SECONDS)
        except QueryRefused as error:
            msg = f"a transaction of tenant {self.tenant!r} has not ended for {QUESTION_SECONDS:g} s; try again later"
            raise EngineUnavailable(msg) from error
        return bool(rows) and rows[0]["leaf"] == record.leaf

    def _after(self, unit: Unit) -> None:
        self.shared.take(unit.state)
        self.shared.quotas.settle(unit)
        for entity_id in unit.entities.removed:
            self.shared.caches.names.remove(entity_id)
        for node in unit.nodes.values():
            due = node.due_at(unit.state.settings.task_grace)
            if due is not None and (self.shared.next_due is None or due < self.shared.next_due):
                self.shared.expect_due(due)
        self.shared.notify(unit, self.listener)
        self.listener.on_commit(unit)

    # --- Access log -----------------------------------------------------------------------------------------------

    def touch(self, parameters: dict[str, Any], after: TenantState) -> None:
        """Write access records with the statistics that they change.

        Raises:
            Conflict: another writer was faster.
        """
        if not self.engine.write(statement("touch", self.engine.name), parameters):
            message = "the sequence moved"
            raise Conflict(message)
        self.take(after)

    def take(self, state: TenantState) -> None:
        """Go by ``state`` from now on, with all handles of the tenant."""
        self.shared.take(state)

    def overtaken(self, sequence: int) -> None:
        """Let all handles hear again of the accesses after ``sequence``: another process was faster."""
        self.shared.overtaken(sequence)


def _growth(unit: Unit) -> tuple[int, int]:
    """Return by how many tokens a unit let what is of higher standing grow, and what is of lower."""
    lower = unit.state.census.lower - unit.before.census.lower
    return unit.state.weight - unit.before.weight - lower, lower


def _parts(parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the parameters of a statement in parts, where they are nothing but many rows that stand alone."""
    name, values = next(iter(parameters.items()))
    if len(parameters) > 1 or not isinstance(values, list):
        yield parameters
        return
    for start in range(0, max(1, len(values)), _ROWS):
        yield {name: values[start : start + _ROWS]}
