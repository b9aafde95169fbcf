"""Putting a tenant back exactly as a snapshot holds it: ids, salts, sequences, logs and signed heads.

Guarantees: one transaction is the commit point, so that a process killed at any moment leaves the tenant as it was or
as the snapshot holds it, and who reads it from another process sees the one or the other. What is equal in both is not
written, so that the transaction is as large as the difference. Counters and order keys are worked out anew from nodes
and edges. What was erased since the snapshot goes again in the same transaction
(:mod:`marskg.store.tenant.erasure_replay`). What differential privacy has cost
(:mod:`marskg.store.rows.privacy_budget`) never goes down, whatever the snapshot says. The restored log ends with a
signed record of the restore, which names the logs that were abandoned by size and root. Source: MaRS section 5.2
(checkpoint and restore, idempotent).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from marskg.audit.dataintegrity import multibase_url
from marskg.audit.merkle import CompactRange, root_hash
from marskg.audit.verify import verify_log
from marskg.errors import EngineUnavailable, InvalidDocument, KeyUnusable, NotPermitted
from marskg.ontology.vocabulary import CONTENT_TIERS, ENTITY_EDGES, EdgeType, Kind, Operation
from marskg.shapes.gate import NODE_SHAPE
from marskg.shapes.whole import check_graph
from marskg.store.commit.flush import flush_statements
from marskg.store.commit.signed_state import PROOF, bound, says_signed, stated_anew
from marskg.store.engine.protocol import Conflict
from marskg.store.graph.imported_items import is_mark
from marskg.store.rows import codec
from marskg.store.rows.name_cache import word_rows
from marskg.store.rows.order_keys import KEY_NAMES, RESTATED, VITAL
from marskg.store.rows.paging import pages
from marskg.store.rows.privacy_budget import CONTROL, never_less
from marskg.store.rows.state import TenantState
from marskg.store.statements.catalogue import statement
from marskg.store.tenant.erasure_replay import Forbidden, forbidden
from marskg.store.unit.depended_on import rank_at_birth
from marskg.store.unit.eviction_ranks import is_turn, say_all
from marskg.store.unit.reader import GraphReader
from marskg.store.unit.unit_of_work import Node, Unit, is_active

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from marskg.records import AuditRecord, Edge, Entity, Memory, TreeHead
    from marskg.store.engine.protocol import Engine, Row, Transaction
    from marskg.store.rows.state import Services
    from marskg.store.tenant.erasure_replay import Memories

_PAGE: Final = 200
_REFS: Final = 1_000
#: How often a restore begins again because another process wrote to the tenant meanwhile.
_ATTEMPTS: Final = 5


@dataclass(frozen=True, slots=True)
class Saved:
    """What a snapshot holds; ``digest`` is the SHA-256 of its file; the callables read from the beginning each time."""

    digest: str
    row: Mapping[str, Any]
    keys: Callable[[], Iterable[dict[str, Any]]]
    entities: Callable[[], Iterable[tuple[Entity, tuple[Edge, ...], str | None]]]
    memories: Memories
    records: Callable[[], Iterable[AuditRecord]]
    heads: Callable[[], Iterable[TreeHead]]


def restore(engine: Engine, services: Services, saved: Saved) -> int:
    """Put the tenant of ``saved`` back in one transaction; returns the number of its memories.

    Raises:
        InvalidDocument: the snapshot holds what the write gate refuses.
        NotPermitted: the tenant has memories or a history of its own.
        KeyUnusable: the key that signs its log is not here, and the tenant has all that the snapshot has, or more.
        EngineUnavailable: other processes wrote to the tenant at each attempt, or the difference is too large for the
            engine's memory; nothing was written.
    """
    refuse_broken(saved)
    for _ in range(_ATTEMPTS):
        try:
            return _Restore(engine, services, saved).run()
        except Conflict:
            continue
    msg = f"others changed tenant {saved.row['ref']!r} at each of {_ATTEMPTS} attempts to restore it; try again later"
    raise EngineUnavailable(msg)


def refuse_broken(saved: Saved) -> None:
    """Let the snapshot's graph pass the write gate, and its audit the verifier, before anything of it is written.

    An id in another form, which an earlier version took, is taken back: the store that it was in goes on with it.

    Raises:
        InvalidDocument: names the first node that the gate refuses, and the rule; or what the audit says otherwise.
    """
    found = check_graph(
        lambda: ((memory, edges) for memory, edges, _ in saved.memories()),
        lambda: ((entity, edges) for entity, edges, _ in saved.entities()),
        (codec.decode_preference(row) for row in saved.row.get("preferences", ())),
    )
    for finding in found:
        if finding.message.startswith(f"{NODE_SHAPE}:"):
            continue
        msg = (
            f"the snapshot holds {finding.where[:80]}, which breaks a rule: {finding.message} Nothing was restored: "
            "use an older one, or mend it with the version that wrote it, where mars validate --full names all of them"
        )
        raise InvalidDocument(msg)
    _refuse_changed(saved)


def _refuse_changed(saved: Saved) -> None:
    """Let the snapshot's own audit verify, and its nodes against it, before anything of it is written."""
    row = saved.row
    rules = ((codec.decode_preference(rule), rule.get("salt")) for rule in row.get("preferences", ()))
    report = verify_log(
        saved.records(),
        saved.heads(),
        tenant=row["ref"],
        logs=(row["log"], row["accessLog"]),
        nodes=saved.memories(),
        entities=saved.entities(),
        preferences=rules,
    )
    found = [f"{one.code} at {one.where[:80]}: {one.message}" for one in report.findings if one.severity == "error"]
    sizes = {log.iri: log.records for log in report.logs}
    if sizes != {row["log"]: row["sequence"], row["accessLog"]: row["accessSequence"]}:
        found.append("its logs have another length than its tenant's row says")
    if found:
        msg = (
            f"the snapshot is not what its own audit says, {found[0][:400]}; somebody changed it, or the store before "
            "it was saved. Nothing was restored: use an older one, or a copy of the file from elsewhere"
        )
        raise InvalidDocument(msg)


class _Restore:
    """One attempt to make a tenant what a snapshot holds."""

    def __init__(self, engine: Engine, services: Services, saved: Saved) -> None:
        self._engine = engine
        self._services = services
        self._saved = saved
        self._name: str = saved.row["ref"]
        (found,) = engine.read(statement("load_tenant", engine.name), {"tenant": self._name})
        self._before = TenantState.from_row(found["tenant"])
        self._was_signed = PROOF in found["tenant"]
        self._refuse_foreign()
        row = dict(saved.row)
        # What must not come in again is no property of the tenant's row, but goes with it.
        self._suppressed = list(row.pop("suppressions", ()))
        self._preferences = list(row.pop("preferences", ()))
        self._state = self._target(TenantState.from_row(row))
        self._row = {**row, **self._state.to_row()}
        self._protection = Protection(self._state, services, saved.memories())

    def _refuse_foreign(self) -> None:
        """Refuse to put a snapshot in the place of what it is no earlier state of."""
        before = self._before
        if before.sequence > 1 and before.log != self._saved.row["log"]:
            msg = f"tenant {self._name!r} has a history of its own; restore the snapshot into another store or tenant"
            raise NotPermitted(msg)

    def _target(self, state: TenantState) -> TenantState:
        """Return the state to restore: the snapshot's, but for what never goes back."""
        before = self._before
        controls = never_less(state.controls, before.controls)
        return replace(
            state,
            controls=MappingProxyType(controls) if CONTROL in controls else state.controls,
            last_time=max(state.last_time, before.last_time),
            restores=max(state.restores, before.restores) + 1,
            # Positions that are kept were drawn above the mark as it is now; those that are drawn anew have to be, too.
            random_watermark=max(state.random_watermark, before.random_watermark),
        )

    def run(self) -> int:
        """Write the difference in one transaction."""
        reader = GraphReader(self._engine, self._name)
        gone = forbidden(reader, self._services, self._before, self._state, self._saved.memories)
        signing = self._services.signer
        signing.expect(self._state.signing_key)
        try:
            signed = self._can_sign()
            told = self._told(reader) if signed else ()
            with self._engine.transaction() as transaction:
                write = _Statements(transaction, self._engine.name)
                self._claim(write)
                count = self._put(write)
                self._finish(write, gone, told)
        except BaseException:
            signing.expect(self._before.signing_key)
            raise
        return count

    def _can_sign(self) -> bool:
        """Return whether the restore can be recorded; a log that nobody can sign here is put back as it was saved.

        Raises:
            KeyUnusable: it cannot, although something was recorded since that is to be abandoned, or the row that is
                replaced was signed and would not be any more.
        """
        before, after = self._before, self._state
        try:
            self._services.signer()
        except KeyUnusable:
            goes_on = before.sequence > after.sequence or before.access_sequence > after.access_sequence
            same = (before.sequence, before.access_sequence) == (after.sequence, after.access_sequence)
            if before.sequence > 1 and (goes_on or (same and self._was_signed)):
                raise
            return False
        return True

    def _told(self, reader: GraphReader) -> tuple[str, ...]:
        """Return what the record of the restore says: which snapshot, and which logs were abandoned."""
        found = [f"snapshot.sha256={self._saved.digest}"]
        before = self._before
        for name, letter, log in (("transitions", "t", before.log), ("accesses", "a", before.access_log)):
            leaves = list(reader.leaves(letter, 1))
            said = {"log": log, "size": len(leaves), "root": multibase_url(root_hash(leaves))}
            found += [f"abandoned.{name}.{key}={value}" for key, value in said.items()]
        return tuple(found)

    def _claim(self, write: _Statements) -> None:
        """Put the snapshot's row in the place of the one that was read.

        Raises:
            Conflict: somebody wrote since it was read.
        """
        if not write("replace_tenant", {**self._before.claim(), "row": self._row}):
            message = "the sequence moved"
            raise Conflict(message)

    def _put(self, write: _Statements) -> int:
        """Make the tenant's nodes and edges the snapshot's; returns the number of memories."""
        saved = self._saved
        edges = _Edges(self._name)
        records = (codec.encode_record(one, "t" if one.log == self._state.log else "a") for one in saved.records())
        words = [row for entity, _, _ in saved.entities() for row in word_rows(entity).values()]
        kept = {
            "Memory": {codec.ref(self._name, memory.id) for memory, _, _ in saved.memories()},
            "Entity": {codec.ref(self._name, entity.id) for entity, _, _ in saved.entities()},
        }
        derived = ["AuditTile", *(["VectorPoint"] if self._before.settings.retrieval.indexed else [])]
        for label in ("Memory", "Entity", *derived):
            self._drop(write, label, kept.get(label, frozenset()))
        for entities in _pages(saved.entities()):
            self._put_entities(write, entities, edges)
        for memories in _pages(saved.memories()):
            self._put_memories(write, memories, edges)
        edges.write(write)
        for label, rows in (
            ("EntityWord", words),
            ("Preference", self._preferences),
            ("AuditRecord", records),
            ("TreeHead", self._heads()),
            ("AuditKey", saved.keys()),
        ):
            self._drop(write, label, _put_rows(write, label, rows))
        return len(kept["Memory"])

    def _drop(self, write: _Statements, label: str, kept: AbstractSet[str]) -> None:
        """Remove the tenant's nodes of one label but those that are ``kept``."""
        for page in pages(lambda where: write("refs_page", where, label=label), self._name, _REFS):
            gone = [row["ref"] for row in page if row["ref"] not in kept]
            if gone:
                write("delete_refs", {"refs": gone}, label=label)

    def _finish(self, write: _Statements, gone: Forbidden, told: tuple[str, ...]) -> None:
        """Take again what was erased since, and record the restore."""
        # What came in since comes in again where it is imported again.
        there = filter(is_mark, GraphReader(self._engine, self._name).suppressions())
        if later := sorted({*there}.difference(self._suppressed)):
            write("delete_suppressions", {"refs": later})
        write("create_suppressions", {"rows": self._suppressed})
        if any(map(says_signed, self._saved.records())):
            self._sign(write)
        unit = Unit(write, self._state, self._services)
        if gone:
            gone.take(unit)
        if told:
            unit.audit.note(Operation.RESTORE_SNAPSHOT, parameters=told)
        if unit.changed:
            for text, parameters, _ in flush_statements(unit, self._engine.name):
                write.run(text, parameters)

    def _sign(self, write: _Statements) -> None:
        """Sign the row as it is now, if the key is at hand; without it verification says that it is not signed."""
        with suppress(KeyUnusable):
            signer = self._services.signer()
            self._state, signed = bound(stated_anew(write, self._state), {}, signer)
            write("advance_tenant", {**self._state.claim(), "set": {**self._state.to_row(), **signed}})

    # --- Nodes ------------------------------------------------------------------------------------------------------

    def _put_entities(self, write: _Statements, page: list[Any], edges: _Edges) -> None:
        stored = _stored(write("load_entities", {"refs": [codec.ref(self._name, one.id) for one, _, _ in page]}))
        created, changed = [], []
        for entity, own, salt in page:
            row = {**codec.encode_entity(entity), "salt": salt}
            node, drawn = stored.get(row["ref"], ({}, frozenset()))
            edges.compare(own, drawn)
            if not node:
                created.append(row)
            elif changes := _changes(node, row):
                changed.append({"ref": row["ref"], "set": changes})
        write("create_entities", {"rows": created})
        write("update_entities", {"rows": changed})

    def _put_memories(self, write: _Statements, page: list[Any], edges: _Edges) -> None:
        stored = _stored(write("load_memories", {"refs": [codec.ref(self._name, one.id) for one, _, _ in page]}))
        created: dict[Any, list[dict[str, Any]]] = {}
        changed = []
        for memory, own, salt in page:
            node, drawn = stored.get(codec.ref(self._name, memory.id), ({}, frozenset()))
            row = self._protection.row(memory, own, salt, self._usable(node, memory))
            if node and node["kind"] != memory.kind:
                # A node has the label of its kind from its creation on.
                write("delete_refs", {"refs": [row["ref"]]}, label="Memory")
                node, drawn = {}, frozenset()
            edges.compare(own, drawn)
            if not node:
                created.setdefault(memory.kind, []).append(row)
            elif changes := _changes(node, row):
                changed.append({"ref": row["ref"], "set": changes})
        for kind, rows in sorted(created.items()):
            write("restore_memories", {"rows": rows}, kind=kind)
        write("update_memories", {"rows": changed})

    def _usable(self, node: Row, memory: Memory) -> Row:
        """Return what of a stored node a restored one keeps: its place in random order, and a vector of its content."""
        usable = {name: node[name] for name in (*KEY_NAMES, "supersededAt") if node.get(name) is not None}
        same_model = self._before.embedding_model == self._state.embedding_model
        if same_model and node.get("content") == memory.content:
            usable["embedding"] = node.get("embedding")
        return usable

    def _heads(self) -> Iterator[Row]:
        """Yield the heads, with the frontiers of their trees."""
        heads = list(self._saved.heads())
        sizes = {head.size for head in heads}
        tree = CompactRange()
        frontiers: dict[int, list[str]] = {}
        for record in self._saved.records():
            if record.log == self._state.log:
                tree.append(bytes.fromhex(record.leaf))
                if tree.size in sizes:
                    frontiers[tree.size] = tree.to_hex()
        for head in heads:
            yield {**codec.encode_head(head), "frontier": frontiers.get(head.size, [])}


class Protection:
    """What each memory of a snapshot, or of a document, is protected and blocked by, and its properties as a node."""

    def __init__(self, state: TenantState, services: Services, memories: Iterable[Any]) -> None:
        """Go through ``memories``, each with its edges and its salt, once."""
        self._unit = Unit(lambda _name, _parameters: [], state, services)
        #: How often each memory that is protected is; a memory that is not stands here not at all.
        self.guards: dict[str, int] = {}
        self._blockers: dict[str, int] = {}
        self._guarding: set[str] = set()
        #: The facts that were read from each turn, what is out of date among them: so is their turn.
        self._facts: dict[str, list[Memory]] = {}
        depends: dict[str, list[str]] = {}
        roots: list[str] = []
        for memory, edges, _ in memories:
            if memory.tier not in CONTENT_TIERS:
                continue
            active = is_active(memory, state.settings.task_grace, self._unit.now)
            if active:
                self._guarding.add(memory.id)
            roots += [memory.id] * (memory.pinned + active)
            for edge in edges:
                if edge.type is EdgeType.DEPENDS_ON:
                    depends.setdefault(memory.id, []).append(edge.target)
                    self._blockers[edge.target] = self._blockers.get(edge.target, 0) + 1
                elif edge.type is EdgeType.REQUIRES and active:
                    roots.append(edge.target)
                elif edge.type is EdgeType.DERIVES_FROM and memory.kind is not Kind.EPISODIC:
                    self._facts.setdefault(edge.target, []).append(memory)
        while roots:
            node_id = roots.pop()
            self.guards[node_id] = self.guards.get(node_id, 0) + 1
            if self.guards[node_id] == 1:
                roots += depends.get(node_id, ())

    def row(self, memory: Memory, edges: tuple[Edge, ...], salt: str | None, stored: Row) -> dict[str, Any]:
        """Return the properties of a memory's node, which keeps what of ``stored`` holds on."""
        node = Node(memory, {(edge.type, edge.target): edge for edge in edges}, salt, original=stored)
        if node.has_content:
            node = replace(
                node,
                embedding=stored.get("embedding"),
                keys={name: stored[name] for name in KEY_NAMES if name in stored},
                guards=self.guards.get(memory.id, 0),
                blockers=self._blockers.get(memory.id, 0),
                guarding=memory.id in self._guarding,
                rank=self._rank(memory),
            )
            self._unit.settle_keys(node)
        return node.properties(self._unit.state.settings.task_grace)

    def _rank(self, memory: Memory) -> str:
        """Return the rank in every order of eviction, which snapshots do not hold."""
        born = rank_at_birth(memory)
        facts = self._facts.get(memory.id, ())
        if not facts or not is_turn(memory) or not say_all(facts, memory):
            return born
        return RESTATED if born != VITAL or any(rank_at_birth(fact) == VITAL for fact in facts) else born


class _Edges:
    """The edges that the store has and the snapshot has not, and the other way round."""

    def __init__(self, tenant: str) -> None:
        self._tenant = tenant
        self._added: dict[EdgeType, list[dict[str, Any]]] = {}
        self._removed: dict[EdgeType, list[dict[str, Any]]] = {}

    def compare(self, wanted: Iterable[Edge], stored: Iterable[Edge]) -> None:
        """Note in what the edges that lead out of one node differ."""
        there, here = set(stored), set(wanted)
        for edges, rows in ((there - here, self._removed), (here - there, self._added)):
            for edge in sorted(edges):
                row = {
                    "source": codec.ref(self._tenant, edge.source),
                    "target": codec.ref(self._tenant, edge.target),
                    "properties": codec.encode_edge(edge),
                }
                rows.setdefault(edge.type, []).append(row)

    def write(self, write: _Statements) -> None:
        """Cut what is not the snapshot's, and draw what the store has not; all nodes are there by now."""
        for type_, rows in sorted(self._removed.items()):
            _in_parts(write, "delete_entity_edges" if type_ in ENTITY_EDGES else "delete_edges", rows, edge=type_)
        for type_, rows in sorted(self._added.items()):
            if type_ is EdgeType.MENTIONS:
                _in_parts(write, "create_mentions", rows)
            else:
                _in_parts(write, "create_entity_edges" if type_ in ENTITY_EDGES else "create_edges", rows, edge=type_)


class _Statements:
    """The store's statements in one transaction; one with no rows to write is not sent."""

    def __init__(self, transaction: Transaction, engine: str) -> None:
        self.run = transaction.run
        self._engine = engine

    def __call__(self, name: str, parameters: Mapping[str, Any], **names: Any) -> list[Row]:
        """Run the statement ``name``."""
        if parameters.get("rows") == []:
            return []
        return self.run(statement(name, self._engine, **names), parameters)


def _in_parts(write: _Statements, name: str, rows: list[dict[str, Any]], **names: Any) -> None:
    for start in range(0, len(rows), _PAGE):
        write(name, {"rows": rows[start : start + _PAGE]}, **names)


def _put_rows(write: _Statements, label: str, rows: Iterable[Row]) -> set[str]:
    """Let the nodes of one label have the properties of ``rows``; returns their references."""
    found: set[str] = set()
    for page in _pages(rows):
        refs = [row["ref"] for row in page]
        found.update(refs)
        stored = {row["node"]["ref"]: row["node"] for row in write("read_refs", {"refs": refs}, label=label)}
        changed = [row for row in page if row["ref"] in stored and _changes(stored[row["ref"]], row)]
        write("put_rows", {"rows": changed}, label=label)
        missing = [row for row in page if row["ref"] not in stored]
        if label == "AuditRecord":
            write("create_records", {"rows": missing})
        else:
            write("put_rows", {"rows": missing}, label=label)
    return found


def _stored(rows: list[Row]) -> dict[str, tuple[Row, frozenset[Edge]]]:
    """Return by reference the nodes that a statement loaded, each with the edges that lead out of it."""
    nodes: dict[str, Row] = {}
    edges: dict[str, list[Edge]] = {}
    for row in rows:
        nodes[row["ref"]] = row["node"]
        if row["type"] is not None:
            edges.setdefault(row["ref"], []).append(codec.decode_edge(row["node"]["id"], row))
    return {ref: (node, frozenset(edges.get(ref, ()))) for ref, node in nodes.items()}


def _changes(stored: Row, wanted: Row) -> dict[str, Any]:
    """Return the properties to set so that a node is as ``wanted``; None takes one away."""
    changes = {name: value for name, value in wanted.items() if stored.get(name) != value}
    changes.update({name: None for name, value in stored.items() if value is not None and wanted.get(name) is None})
    return changes


def _pages(items: Iterable[Any]) -> Iterator[list[Any]]:
    page: list[Any] = []
    for item in items:
        page.append(item)
        if len(page) == _PAGE:
            yield page
            page = []
    if page:
        yield page
