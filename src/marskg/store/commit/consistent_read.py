"""A tenant as it is at one moment, read while others write: a consistent read, made of the audit log.

No engine here offers snapshot isolation: one transaction of Neo4j is read committed, and a repeatable read of ArcadeDB
keeps the pages that it has read, not the others as they were then. So all is read page by page while others write; then
what the logs say was changed meanwhile is read again, and what was changed during that, until little is left. For the
rest the tenant's writers are held (:meth:`marskg.store.commit.writer.Writer.held`), together with what no record tells:
which nodes are there, their counters, order keys and links of the chain.

Guarantees: rows, logs, heads and the tenant's row are of one moment, on both engines, whoever wrote meanwhile; writers
wait for the last step alone, which is one pass over the small columns of the nodes (for 20,000 memories about a second,
where reading and checking all takes ten to twenty); nothing is given up because others write. What was read lies in a
:class:`~marskg.store.engine.scratch_rows.Scratch`, never in clear on disk.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from marskg.audit.grammar import Malformed, parse_details
from marskg.errors import StoreDamaged
from marskg.ontology.vocabulary import EdgeType, Operation
from marskg.shapes.gate import is_iri
from marskg.store.crypto.encrypted_engine import passing_over
from marskg.store.engine.scratch_rows import Scratch, Section
from marskg.store.rows import codec
from marskg.store.rows.order_keys import KEY_NAMES
from marskg.store.rows.paging import pages
from marskg.store.unit.reader import GraphReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from marskg.records import AuditRecord, Edge, Entity, Memory, Preference, TreeHead
    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Row
    from marskg.store.rows.state import TenantState

_PAGE: Final = 500
#: So few records behind, the writers are held; after so many rounds, whatever is left.
_FEW: Final = 20
_ROUNDS: Final = 10
_LOGS: Final = ("t", "a")
#: What changes without a record about the node.
_UNTOLD: Final = frozenset({"guards", "blockers", "guarding", *KEY_NAMES})


@contextmanager
def consistent_read(
    writer: Writer, reader: GraphReader, *, damaged: bool = False, strict: bool = True
) -> Iterator[ConsistentRead]:
    """Give the tenant as it is at one moment; what is given is of no use afterwards.

    Args:
        writer: holds the tenant's writers for the last step.
        reader: reads the tenant.
        damaged: pass over what is damaged, and keep why in :attr:`ConsistentRead.damage`; otherwise it is an error.
        strict: a value of another type than its field's is damage too, and not only what cannot be read at all; where
            commitments are compared it need not be, as it has another one.

    Raises:
        StoreUnwritable: the temporary folder has no room.
        EngineUnavailable: the engine went away.
    """
    scratch = Scratch()
    try:
        damage: dict[str, str] | None = {} if damaged else None
        if damage is not None:
            reader = GraphReader(passing_over(writer.engine, damage), reader.tenant)
        copy = _taken(writer, reader, scratch)
        copy.damage, copy.strict = damage, strict
        yield copy
    finally:
        scratch.close()


def _taken(writer: Writer, reader: GraphReader, scratch: Scratch) -> ConsistentRead:
    while True:
        state = writer.fresh_state()
        copy = ConsistentRead(reader, state, scratch)
        copy.read_all()
        for _ in range(_ROUNDS):
            if copy.catch_up() <= _FEW:
                break
        with writer.held() as now:
            # A restore puts another history in the place of the one that was read.
            if now.line == state.line and now.sequence >= state.sequence:
                copy.settle(now)
                return copy


class ConsistentRead:
    """A tenant at one moment; :attr:`state` is its row then."""

    def __init__(self, reader: GraphReader, state: TenantState, scratch: Scratch) -> None:
        """Read through ``reader`` from ``state`` on, and keep the rows in ``scratch``."""
        self.state = state
        self._reader = reader
        self._memories = Section(scratch)
        self._entities = Section(scratch)
        self._physical = Section(scratch)
        self._records = {letter: Section(scratch) for letter in _LOGS}
        self._last = dict.fromkeys(_LOGS, 0)
        #: What was there when it was read, and is not any more: no edge leads to it.
        self._vanished: set[str] = set()
        #: What is not as this package writes it, by id: what a check looks for; None where it is an error.
        self.damage: dict[str, str] | None = None
        #: Whether a value of another type than its field's is damage.
        self.strict = True
        self._heads: dict[str, list[Row]] = {}
        #: The tenant's row, and every preference, as the store has them; the announced signing keys; the digests of
        #: what was erased and must not come in again.
        self.tenant_row: Row = {}
        self.preference_rows: list[Row] = []
        self.keys: list[Row] = []
        self.suppressions: list[str] = []

    # --- Taking -------------------------------------------------------------------------------------------------

    def read_all(self) -> None:
        """Read all rows as they are, page by page; the logs first, so that what changes later is in what comes."""
        for letter in _LOGS:
            for page in self._new_records(letter):
                self._records[letter].add([(row["ref"], row) for row in page])
        for name, load, section in self._sorts():
            for refs in self._ref_pages(name):
                section.add(load(refs))

    def catch_up(self) -> int:
        """Read again what the logs say was changed since; returns how many records there were."""
        count = 0
        for letter in _LOGS:
            for page in self._new_records(letter):
                count += len(page)
                self._records[letter].add([(row["ref"], row) for row in page])
                self._follow(letter, page)
        return count

    def settle(self, state: TenantState) -> None:
        """Become the tenant as of ``state``; nobody may write meanwhile."""
        self.catch_up()
        for name, load, section in self._sorts():
            there: set[str] = set()
            for refs in self._ref_pages(name):
                there.update(refs)
                section.change(load([ref for ref in refs if ref not in section.refs]))
                if section is self._memories:
                    rows = self._reader.run("physical_page", {"refs": refs})
                    self._physical.add([(row["ref"], row) for row in rows])
            gone = section.refs - there
            section.remove(gone)
            self._note_gone(gone)
        self.tenant_row = self._reader.tenant_row()
        self.preference_rows = self._reader.preference_rows()
        self._heads = {log: self._reader.head_rows(log) for log in (state.log, state.access_log)}
        self.keys = self._reader.keys()
        self.suppressions = self._reader.suppressions()
        self.state = state

    def _sorts(self) -> tuple[tuple[str, Callable[[list[str]], list[tuple[str, Any]]], Section], ...]:
        return (
            ("memories_page", self._load("load_memories"), self._memories),
            ("entities_page", self._load("load_entities"), self._entities),
        )

    def _load(self, name: str) -> Callable[[list[str]], list[tuple[str, Any]]]:
        def load(refs: list[str]) -> list[tuple[str, Any]]:
            found: dict[str, list[Row]] = {}
            for row in self._reader.run(name, {"refs": refs}) if refs else ():
                found.setdefault(row["ref"], []).append(row)
            return [(ref, found[ref]) for ref in refs if ref in found]

        return load

    def _ref_pages(self, name: str) -> Iterator[list[str]]:
        for rows in pages(lambda where: self._reader.run(name, where), self._reader.tenant, _PAGE):
            yield [str(row["ref"]) for row in rows]

    def _new_records(self, letter: str) -> Iterator[list[Row]]:
        """Yield the rows of a log that were not read yet, and take note of them."""
        tenant = self._reader.tenant
        while True:
            low = codec.audit_ref(tenant, letter, self._last[letter] + 1)
            rows = self._reader.run("records", {"low": low, "high": f"{tenant}|{letter}}}", "limit": _PAGE})
            page = [row["record"] for row in rows]
            if page:
                self._last[letter] = int(page[-1]["ref"].rpartition("|")[2])
                yield page
            if len(page) < _PAGE:
                return

    def _follow(self, letter: str, page: Iterable[Row]) -> None:
        """Read again what these new records of a log changed: the nodes that they are about, and older records."""
        touched: set[str] = set()
        emptied: set[int] = set()
        for row in page:
            touched.update(name for name in row.get("memories") or () if name)
            if row.get("operation") in {Operation.ERASE, Operation.SEAL}:
                emptied |= _emptied(row)
        refs = self._reader.refs(sorted(touched))
        for _, load, section in self._sorts():
            for start in range(0, len(refs), _PAGE):
                some = refs[start : start + _PAGE]
                found = load(some)
                section.change(found)
                gone = section.refs.intersection(some) - {ref for ref, _ in found}
                section.remove(gone)
                self._note_gone(gone)
        self._read_again(letter, sorted(emptied))

    def _read_again(self, letter: str, sequences: list[int]) -> None:
        for start in range(0, len(sequences), _PAGE):
            some = sequences[start : start + _PAGE]
            refs = [codec.audit_ref(self._reader.tenant, letter, number) for number in some]
            rows = self._reader.run("whole_records", {"refs": refs})
            self._records[letter].change((row["record"]["ref"], row["record"]) for row in rows)

    def _note_gone(self, refs: Iterable[str]) -> None:
        skip = len(self._reader.tenant) + 1
        self._vanished.update(ref[skip:] for ref in refs)

    # --- Giving -------------------------------------------------------------------------------------------------

    @property
    def tenant(self) -> str:
        """Return the name of the tenant."""
        return self._reader.tenant

    def memories(self) -> Iterator[tuple[Memory, tuple[Edge, ...], str | None]]:
        """Yield every memory with its outgoing edges and its salt."""
        for (ref, rows), (_, physical) in zip(self._memories.rows(), self._physical.rows(), strict=True):
            node = rows[0]["node"]
            with self._whole(ref):
                codec.refuse_id(ref, node)
                links = [
                    {"type": EdgeType.TEMPORAL_NEXT, "target": target, "created": created, "weight": None}
                    for target, created in physical["following"] or ()
                ]
                others = [row for row in rows if row["type"] != EdgeType.TEMPORAL_NEXT]
                memory, edges = codec.decode_memory(node), tuple(sorted(self._edges(node["id"], [*others, *links])))
                self._check(memory)
                yield memory, edges, node.get("salt")

    def entities(self) -> Iterator[tuple[Entity, tuple[Edge, ...], str | None]]:
        """Yield every entity with its outgoing edges and its salt."""
        for ref, rows in self._entities.rows():
            node = rows[0]["node"]
            with self._whole(ref):
                codec.refuse_id(ref, node)
                entity, edges = codec.decode_entity(node), tuple(sorted(self._edges(node["id"], rows)))
                self._check(entity)
                yield entity, edges, node.get("salt")

    def preferences(self) -> Iterator[tuple[Preference, str | None]]:
        """Yield every preference with its salt."""
        for row in self.preference_rows:
            with self._whole(str(row.get("ref"))):
                codec.refuse_id(str(row.get("ref")), row)
                preference = codec.decode_preference(row)
                self._check(preference)
                yield preference, row.get("salt")

    def records(self, log: str = "t") -> Iterator[AuditRecord]:
        """Yield the records of one log (``t`` transitions, ``a`` accesses), in order."""
        for ref, row in self._records[log].rows():
            with self._whole(ref):
                yield codec.decode_record(row)

    @property
    def reader(self) -> GraphReader:
        """Return what reads the tenant as it is now: for what is never changed once it is written."""
        return self._reader

    def memory_rows(self) -> Iterator[Row]:
        """Yield all properties of every memory that are not None."""
        for (_, rows), (_, physical) in zip(self._memories.rows(), self._physical.rows(), strict=True):
            node = rows[0]["node"]
            yield _present({**node, **{name: physical[name] for name in physical.keys() & _UNTOLD}})

    def entity_rows(self) -> Iterator[Row]:
        """Yield all properties of every entity that are not None."""
        return (_present(rows[0]["node"]) for _, rows in self._entities.rows())

    def record_rows(self, log: str) -> Iterator[Row]:
        """Yield all properties of the records of one log (``t`` or ``a``) that are not None."""
        return (_present(row) for _, row in self._records[log].rows())

    def heads(self, log: str) -> list[TreeHead]:
        """Return the signed tree heads of the log with this IRI, smallest first."""
        found = []
        for row in self._heads[log]:
            with self._whole(str(row.get("ref"))):
                found.append(codec.decode_head(row))
        return found

    def physical(self) -> Iterator[Row]:
        """Yield the bookkeeping of every memory: tier, weight, guards, blockers, guarding, order keys."""
        # What has another id is told of where its properties are read.
        return (row for ref, row in self._physical.rows() if row["id"] == ref.partition("|")[2])

    def _check(self, node: Memory | Entity | Preference) -> None:
        if self.strict:
            codec.refuse_damaged(node)

    @contextmanager
    def _whole(self, ref: str) -> Iterator[None]:
        """Pass over what is not as this package writes it, and keep why, if the damage is to be found."""
        try:
            yield
        except StoreDamaged as error:
            if self.damage is None:
                raise
            self.damage[ref.partition("|")[2]] = str(error)

    def _edges(self, source: str, rows: Iterable[Row]) -> Iterator[Edge]:
        for row in rows:
            # What an edge leads to may have an id that is none, which is told of where it is read.
            if row["type"] is not None and is_iri(row["target"]) and row["target"] not in self._vanished:
                yield codec.decode_edge(source, row)


def _present(node: Row) -> Row:
    return {name: value for name, value in node.items() if value is not None}


def _emptied(row: Row) -> set[int]:
    """Return the sequences of the records that an erasure or a sealing took details from."""
    try:
        record = codec.decode_record(row)
        details = parse_details(record.details[0], record.iri, 0) if record.details else {}
    except (Malformed, StoreDamaged):  # somebody changed it, which is the verifier's to say
        return set()
    found = {int(number) for slot in details.get("deletedSlots", ()) if (number := slot.partition(".")[0]).isdecimal()}
    for stretch in details.get("sealedSlots", ()):
        first, _, last = stretch.partition("-")
        if first.isdecimal() and last.isdecimal():
            found.update(range(int(first), min(int(last), record.sequence) + 1))
    return found
