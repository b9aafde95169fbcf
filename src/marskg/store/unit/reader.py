"""Reading a tenant: single memories, histories, and whole-store streams in constant memory.

Guarantees: nothing of another tenant is ever returned (I8); a stream reads page by page in the order of references
and holds one page; an expired memory is invisible from the moment it expires, swept or not.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from marskg.ontology.vocabulary import Cardinality, EdgeType, Kind, Tier
from marskg.records import AuditRecord, Edge, Entity, Memory, Preference, TreeHead
from marskg.store.crypto.encrypted_engine import custody_of
from marskg.store.rows import codec
from marskg.store.rows.paging import pages
from marskg.store.statements.catalogue import statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from marskg.store.engine.protocol import Engine, Row

T = TypeVar("T")
PAGE = 500
_LEAVES = 5_000


class Tally(NamedTuple):
    """How many memories there are, what they weigh, how many lack a vector and how many wait to be read."""

    number: int = 0
    weight: int = 0
    lacking: int = 0
    unread: int = 0


class GraphReader:
    """Read access to one tenant of an engine."""

    def __init__(self, engine: Engine, tenant: str) -> None:
        """Read ``tenant`` through ``engine``."""
        self._engine = engine
        self._tenant = tenant

    @property
    def tenant(self) -> str:
        """Return the name of the tenant that is read."""
        return self._tenant

    def run(self, name: str, parameters: Mapping[str, Any]) -> list[Row]:
        """Run the named read-only statement."""
        return self._engine.read(statement(name, self._engine.name), parameters)

    def run_labelled(self, name: str, label: str, parameters: Mapping[str, Any]) -> list[Row]:
        """Run the named read-only statement on the nodes of one label."""
        return self._engine.read(statement(name, self._engine.name, label=label), parameters)

    def word_ref(self, ref: str) -> str:
        """Return the reference under which a word of an entity's name is stored."""
        custody = custody_of(self._engine)
        return ref if custody is None else custody.word_ref(ref)

    def ref(self, ident: str) -> str:
        """Return the store's reference of ``ident``."""
        return codec.ref(self._tenant, ident)

    def refs(self, ids: Iterable[str]) -> list[str]:
        """Return the store's references of ``ids``, in their order."""
        return [codec.ref(self._tenant, node_id) for node_id in ids]

    def get(self, node_id: str, now: int) -> Memory | None:
        """Return a memory with content that is not expired, else None."""
        rows = self.run("load_memories", {"refs": self.refs((node_id,))})
        if not rows:
            return None
        memory = codec.decode_memory(rows[0]["node"])
        codec.refuse_damaged(memory)
        gone = memory.content is None or (memory.expires_at is not None and memory.expires_at <= now)
        return None if gone else memory

    def rows(self, ids: Iterable[str]) -> dict[str, Row]:
        """Return all properties of the memories with these ids, in any tier, by id."""
        found = (row["node"] for row in self.run("read_memories", {"refs": self.refs(ids)}))
        return {node["id"]: node for node in found}

    def nodes(self, ids: Iterable[str]) -> list[tuple[Memory, tuple[Edge, ...], str | None]]:
        """Return the memories with these ids in any tier, with outgoing edges and salt, in the order asked for."""
        wanted = list(ids)
        if not wanted:
            return []
        return _group(self.run("load_memories", {"refs": self.refs(wanted)}), wanted)

    def edges_to(self, ids: Iterable[str]) -> list[Edge]:
        """Return the edges between memories that point to ``ids``, without their dates."""
        prefix = len(self._tenant) + 1
        rows = self.run("load_incoming", {"refs": self.refs(ids)})
        return sorted(Edge(row["source"], EdgeType(row["type"]), row["ref"][prefix:], 0) for row in rows)

    def history(self, node_id: str) -> list[Memory]:
        """Return all versions of a memory that still exist, oldest first; a tombstone stands for a lost one."""
        found: dict[str, Memory] = {}
        pending = [node_id]
        while pending:
            step = [item for item in pending if item not in found]
            pending = []
            for memory, edges, _ in self.nodes(step):
                found[memory.id] = memory
                pending += [edge.target for edge in edges if edge.type is EdgeType.SUPERSEDES]
                pending += self._same_slot(memory)
            pending += [edge.source for edge in self.edges_to(step) if edge.type is EdgeType.SUPERSEDES]
        return sorted(found.values(), key=lambda memory: (memory.valid_from, memory.sequence))

    def _same_slot(self, memory: Memory) -> list[str]:
        """Return the values of a ``single`` key: one that arrived late supersedes nothing and has no edge to follow."""
        if memory.key is None or memory.cardinality is not Cardinality.SINGLE:
            return []
        slot = codec.slot_key(self._tenant, memory.subjects, memory.key)
        return [str(row["id"]) for row in self.run("slot", {"slot": slot})]

    def memories(self) -> Iterator[tuple[Memory, tuple[Edge, ...], str | None]]:
        """Yield every memory of the tenant with its outgoing edges and its salt."""
        for page in self._pages("memories_page"):
            ids = [reference[len(self._tenant) + 1 :] for reference in page]
            yield from _group(self.run("load_memories", {"refs": page}), ids)

    def entities(self) -> Iterator[tuple[Entity, tuple[Edge, ...], str]]:
        """Yield every entity of the tenant with its outgoing edges and its salt."""
        for page in self._pages("entities_page"):
            yield from self._entities(page)

    def entities_by_id(self, ids: Iterable[str]) -> Iterator[tuple[Entity, tuple[Edge, ...], str]]:
        """Yield the entities with these ids, with outgoing edges and salt."""
        yield from self._entities(self.refs(ids))

    def _entities(self, refs: list[str]) -> Iterator[tuple[Entity, tuple[Edge, ...], str]]:
        rows: dict[str, list[Row]] = {}
        for row in self.run("load_entities", {"refs": refs}):
            rows.setdefault(row["ref"], []).append(row)
        for ref, found in rows.items():
            codec.refuse_id(ref, found[0]["node"])
            entity = codec.decode_entity(found[0]["node"])
            codec.refuse_damaged(entity)
            edges = sorted(codec.decode_edge(entity.id, row) for row in found if row["type"] is not None)
            yield entity, tuple(edges), found[0]["node"].get("salt")

    def preference_rows(self) -> list[Row]:
        """Return every preference of the tenant as the store has it, salt included, in the order of their ids."""
        found = [
            row["node"] for page in pages(partial(self.run, "preferences_page"), self._tenant, PAGE) for row in page
        ]
        return [{name: value for name, value in node.items() if value is not None} for node in found]

    def preferences(self) -> Iterator[tuple[Preference, str | None]]:
        """Yield every preference of the tenant with its salt."""
        for row in self.preference_rows():
            preference = codec.decode_preference(row)
            codec.refuse_damaged(preference)
            yield preference, row.get("salt")

    def memory_pages(self) -> Iterator[list[str]]:
        """Yield the ids of all memories, tombstones included, page by page."""
        return self._id_pages("memories_page")

    def without_vector(self, prefix: str, limit: int) -> Iterator[list[str]]:
        """Yield the ids of memories with content whose vector has not ``prefix``, up to ``limit`` at once."""
        skip = len(self._tenant) + 1
        for rows in pages(partial(self.run, "without_vector"), self._tenant, limit, prefix=prefix):
            yield [str(row["ref"])[skip:] for row in rows]

    def entity_pages(self) -> Iterator[list[str]]:
        """Yield the ids of all entities, page by page."""
        return self._id_pages("entities_page")

    def _id_pages(self, name: str) -> Iterator[list[str]]:
        prefix = len(self._tenant) + 1
        for page in self._pages(name):
            yield [reference[prefix:] for reference in page]

    def _pages(self, name: str) -> Iterator[list[str]]:
        for rows in pages(partial(self.run, name), self._tenant, PAGE):
            yield [str(row["ref"]) for row in rows]

    def records(self, log: str = "t", first: int = 1) -> Iterator[AuditRecord]:
        """Yield the records of one log (``t`` transitions, ``a`` accesses) from ``first`` on, in order."""
        high = f"{self._tenant}|{log}}}"
        while True:
            low = codec.audit_ref(self._tenant, log, first)
            rows = self.run("records", {"low": low, "high": high, "limit": PAGE})
            for row in rows:
                yield codec.decode_record(row["record"])
            if len(rows) < PAGE:
                return
            first = rows[-1]["record"]["sequence"] + 1

    def leaves(self, log_letter: str, first: int, last: int | None = None) -> Iterator[bytes]:
        """Yield the leaf hashes of a log from sequence ``first`` on, up to ``last`` where it is given.

        Raises:
            StoreDamaged: one is none.
        """
        high = f"{self._tenant}|{log_letter}}}" if last is None else codec.audit_ref(self._tenant, log_letter, last + 1)
        while last is None or first <= last:
            low = codec.audit_ref(self._tenant, log_letter, first)
            rows = self.run("leaves", {"low": low, "high": high, "limit": _LEAVES})
            for row in rows:
                try:
                    yield bytes.fromhex(row["leaf"])
                except codec.DAMAGE as error:
                    raise codec.damaged(low, "leaf hash of a record from here on") from error
            if len(rows) < _LEAVES:
                return
            first += len(rows)

    def records_of(self, node_id: str) -> list[AuditRecord]:
        """Return the transition records about one memory, also after it is gone."""
        rows = self.run("records_of", {"memory": self.ref(node_id), "low": f"{self._tenant}|t|"})
        return [codec.decode_record(row["record"]) for row in rows]

    def suppressions(self) -> list[str]:
        """Return the digests of what was erased and must not come in again."""
        return [reference for page in self._pages("suppressions_page") for reference in page]

    def tenant_row(self) -> Row:
        """Return the tenant's row as the store has it."""
        rows = self.run("load_tenant", {"tenant": self._tenant})
        if not rows:
            raise codec.damaged_row(self._tenant, "name")
        return dict(rows[0]["tenant"])

    def head_rows(self, log: str) -> list[Row]:
        """Return the signed tree heads of a log as the store has them, smallest first."""
        low = f"{self._tenant}|{log}|"
        return [row["head"] for row in self.run("heads", {"low": low, "high": low[:-1] + "}"})]

    def heads(self, log: str) -> list[TreeHead]:
        """Return the signed tree heads of a log, smallest first.

        Raises:
            StoreDamaged: a property of one is missing, or of another type.
        """
        return [codec.decode_head(row) for row in self.head_rows(log)]

    def keys(self) -> list[dict[str, Any]]:
        """Return the announced signing keys."""
        return [row["key"] for row in self.run("keys", {"tenant": self._tenant})]

    def counts(self, prefix: str = "") -> dict[tuple[Tier, Kind], Tally]:
        """Return by tier and kind how many memories there are, and how many lack a vector that has ``prefix``."""
        rows = self.run("statistics", {"tenant": self._tenant, "prefix": prefix})
        try:
            return {
                (Tier(row["tier"]), Kind(row["kind"])): Tally(
                    int(row["count"]), int(row["weight"]), int(row["lacking"]), int(row["unread"])
                )
                for row in rows
            }
        except codec.DAMAGE as error:
            raise codec.damaged(self._tenant, "tier, kind or weight of its memories") from error

    def session(self, session: str | None) -> list[Row]:
        """Return id, kind, tier, validFrom and sequence of the nodes of a session."""
        return self.run("session_episodes", {"session": codec.session_key(self._tenant, session)})


def _group(rows: list[Row], ids: list[str]) -> list[tuple[Memory, tuple[Edge, ...], str | None]]:
    """Put the rows of load_memories together, one memory each, in the order of ``ids``."""
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        codec.refuse_id(row["ref"], row["node"])
        grouped.setdefault(row["node"]["id"], []).append(row)
    found = []
    for node_id in dict.fromkeys(ids):
        if node_id in grouped:
            own = grouped[node_id]
            edges = sorted(codec.decode_edge(node_id, row) for row in own if row["type"] is not None)
            memory = codec.decode_memory(own[0]["node"])
            codec.refuse_damaged(memory)
            found.append((memory, tuple(edges), own[0]["node"].get("salt")))
    return found
