"""Accesses that were shown and are not written yet: those of a tenth of a second are written in one commit.

Guarantees: the records are built, signed and numbered when the memories are shown, one after another without a gap, so
that when they are written shows in none of their bytes; they are written all together, in order, before the next write,
plan, head or copy of the tenant and before it is closed, and at the latest after :data:`GROUP_SECONDS`. A crash loses
the last of them and leaves no hole. Where another process wrote meanwhile they are recorded anew after what it wrote,
without what has gone; the names that were given out lead to the new records. A forked child writes none of them: it may
not use what its parent opened. Source: semantics section 9; ADR 47.
"""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from marskg.errors import EngineUnavailable
from marskg.store.commit.signed_state import bound
from marskg.store.engine.protocol import Conflict
from marskg.store.rows import codec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.records import AuditRecord
    from marskg.store.rows.state import Services, TenantState

#: Time after which what was shown is written at the latest, in seconds.
GROUP_SECONDS: Final = 0.1
#: Records that wait at most; the read that brings one more writes them.
MOST_WAITING: Final = 64
#: Names of records that lead to others, kept at most.
_MOST_RENAMED: Final = 1_000
#: Hexadecimal digits of its leaf in the name of a record that is not written yet.
_DIGITS: Final = 8
_ATTEMPTS: Final = 50

#: Does the work when :data:`GROUP_SECONDS` have passed, or sooner where the event is set.
Later: TypeAlias = "Callable[[threading.Event, Callable[[], None]], bool | None]"
_LOG: Final = logging.getLogger(__name__)


def provisional_name(record: AuditRecord) -> str:
    """Return the name that a record has before it is written: with the number alone another might be meant later."""
    return f"{record.iri}-{record.leaf[:_DIGITS]}"


@dataclass(frozen=True, slots=True)
class Waiting:
    """One record that waits: the changes of nodes that go with it, and what records the same showing anew."""

    record: AuditRecord
    rows: list[dict[str, Any]]
    again: Callable[[], None]


class AccessWriter(Protocol):
    """Writes the access log of one tenant (:class:`marskg.store.commit.writer.Writer`)."""

    tenant: str
    services: Services

    @property
    def state(self) -> TenantState:
        """Return the tenant's row with the accesses that are not written yet."""
        ...

    def take(self, state: TenantState) -> None:
        """Go by ``state`` from now on."""
        ...

    def commit_accesses(self) -> None:
        """Write what waits."""
        ...

    def touch(self, parameters: dict[str, Any], after: TenantState) -> None:
        """Write access records, which make the row ``after``.

        Raises:
            Conflict: another writer was faster.
        """
        ...

    def is_written(self, record: AuditRecord, log: str) -> bool:
        """Return whether ``record`` is in the log although its acknowledgement was lost."""
        ...

    def forget_cache(self) -> None:
        """Drop every copy of what is stored."""
        ...

    def overtaken(self, sequence: int) -> None:
        """Let all handles hear again of the accesses after ``sequence``."""
        ...


class InBackground:
    """Does things later in a thread of its own, which is started when first needed and ends with its owner."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._pool: ThreadPoolExecutor | None = None

    def __call__(self, done: threading.Event, work: Callable[[], None]) -> bool:
        """Do ``work`` when the time is up, unless ``done`` is set before; a program that ends waits for it.

        Returns whether it will be done: in a program that is ending nothing is begun any more.
        """
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "marskg-accesses")
        try:
            self._pool.submit(_after, done, work).add_done_callback(_log_failure)
        except RuntimeError:
            return False
        return True


def _after(done: threading.Event, work: Callable[[], None]) -> None:
    if not done.wait(GROUP_SECONDS):
        work()


def _log_failure(future: Future[None]) -> None:
    error = future.exception()
    if error is not None:
        _LOG.warning("what was shown is not recorded yet (%s); the next operation tries again", type(error).__name__)


class PendingAccesses:
    """The records of one tenant that wait to be written; its user holds the lock of the tenant's shared state."""

    def __init__(self, later: Later | None = None) -> None:
        """Wait for nothing yet; ``later`` is what has records written when their time is up."""
        self.later: Later = InBackground() if later is None else later
        #: The tenant's row as it is stored, before the first of the records; None where there are none.
        self.base: TenantState | None = None
        #: Whether nothing waits, also nothing that another process overtook.
        self.empty = True
        self._waiting: list[Waiting] = []
        self._overtaken: list[Waiting] = []
        self._nodes: dict[str, dict[str, Any]] = {}
        self._row: dict[str, Any] = {}
        self._renamed: dict[str, str] = {}
        self._written = threading.Event()

    def add(self, writer: AccessWriter, after: TenantState, row: Mapping[str, Any], one: Waiting) -> None:
        """Let one record wait; with it the tenant's row is ``after``, and ``row`` are the properties that change."""
        at_once = False
        if self.base is None:
            self.base = writer.state
            self._written = threading.Event()
            at_once = self.later(self._written, writer.commit_accesses) is False
        self._waiting.append(one)
        self.empty = False
        for change in one.rows:
            # A new dict each time: who reads meanwhile holds the one before.
            self._nodes[change["ref"]] = {**self._nodes.get(change["ref"], {}), **change["set"]}
        self._row.update(row)
        writer.take(after)
        if at_once or (len(self._waiting) > MOST_WAITING and not self._overtaken):
            self.commit(writer)

    def changed(self, tenant: str, ids: list[str]) -> dict[str, dict[str, Any]]:
        """Return those properties of memories that are not written yet, by id."""
        nodes = self._nodes
        found = ((ident, nodes.get(codec.ref(tenant, ident))) for ident in ids) if nodes else ()
        return {ident: changes for ident, changes in found if changes is not None}

    def renamed(self, name: str) -> str:
        """Return the name of the record that ``name`` was given out for."""
        while name in self._renamed:
            name = self._renamed[name]
        return name

    def commit(self, writer: AccessWriter) -> None:
        """Write all that waits, in one transaction.

        Raises:
            EngineUnavailable, StoreUnwritable: it cannot be written now, and goes on waiting.
        """
        for _ in range(_ATTEMPTS):
            try:
                self._record_overtaken()
                if self._waiting:
                    self._write(writer)
            except Conflict:
                self._overtake(writer)
            else:
                self.empty = True
                return
        msg = f"tenant {writer.tenant!r} is too busy: {_ATTEMPTS} attempts lost to other writers; try again later"
        raise EngineUnavailable(msg)

    def _write(self, writer: AccessWriter) -> None:
        base = self.base or writer.state
        last = self._waiting[-1].record
        after, signed = bound(writer.state, self._row, writer.services.signer(), access_leaf=last.leaf)
        parameters = {
            **base.claim(),
            "set": signed,
            "records": [codec.encode_record(one.record, "a") for one in self._waiting],
            "rows": [{"ref": ref, "set": changes} for ref, changes in self._nodes.items()],
        }
        writer.touch(parameters, after)
        self._clear()

    def _clear(self) -> None:
        self.base, self._waiting, self._nodes, self._row = None, [], {}, {}
        self._written.set()

    def _overtake(self, writer: AccessWriter) -> None:
        """Let all that waits be recorded anew: another process wrote, unless it was this one without hearing of it."""
        waiting, base = self._waiting, self.base
        # Asked before anything is let go: where the server does not answer, all of it goes on waiting.
        lost = waiting and base is not None and not writer.is_written(waiting[-1].record, "a")
        self._clear()
        writer.forget_cache()
        if lost and base is not None:
            self._overtaken += waiting
            writer.overtaken(base.access_sequence)

    def _record_overtaken(self) -> None:
        while self._overtaken:
            one = self._overtaken[0]
            one.again()
            self._overtaken.pop(0)
            self._renamed[provisional_name(one.record)] = provisional_name(self._waiting[-1].record)
        for name in list(self._renamed)[:-_MOST_RENAMED]:
            del self._renamed[name]
