"""A unit of work: the nodes that one write touches, kept consistent in memory and flushed as a few statements.

Guarantees, for every flushed unit: what each node is protected by (``guards``) and blocked by (``blockers``) is exact,
order keys are on the evictable nodes and nowhere else, ``temporalNext`` links consecutive episodes (I6), the tenant's
weights are the sums over its nodes, and each node transition has one signed record (I7). Reads happen before the
transaction; the compare-and-set of the tenant's sequence in its first statement makes them as good as reads inside it.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from marskg.audit.record import build_record, new_salt, node_commitment
from marskg.entities import folded_name
from marskg.errors import EmbeddingMismatch, UnknownMemory
from marskg.ontology.mapping import entity_lines, governed_lines, preference_lines
from marskg.ontology.vocabulary import ACTIVE_STATUSES, DERIVED_EDGES, EdgeType, Kind, Operation, Tier
from marskg.store import codec
from marskg.store.names import NameBook, as_ref, first_word, word_rows
from marskg.store.order import exp_position, order_keys, random_position
from marskg.store.preferences import Changes, Shelf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from marskg.drafts import EntityRef
    from marskg.records import AuditRecord, Edge, Entity, Memory, Preference
    from marskg.store.engine import Row
    from marskg.store.state import Services, TenantState
    from marskg.store.vectors import MadeBy

#: Runs a named read-only statement of the store and returns its rows.
Reader: TypeAlias = "Callable[[str, Mapping[str, Any]], list[Row]]"

_KEYS = ("fifoKey", "lruKey", "decayKey", "randomKey")
_LIVE_TIERS = frozenset({Tier.LIVE, Tier.LATENT})


@dataclass(slots=True, eq=False)
class Node:
    """The working copy of one memory in a unit of work."""

    memory: Memory
    edges: dict[tuple[EdgeType, str], Edge]
    salt: str | None
    #: The vector of its content, packed (:mod:`marskg.embedding.packing`); None until one was made.
    embedding: str | None = None
    guards: int = 0
    blockers: int = 0
    guarding: bool = False
    keys: dict[str, str] = field(default_factory=dict)
    eligible: tuple[int, int] | None = None
    original: Row = field(default_factory=dict)
    stored_edges: set[tuple[EdgeType, str]] = field(default_factory=set)
    new: bool = False
    deleted: bool = False

    @property
    def has_content(self) -> bool:
        """Return whether the node is whole."""
        return not self.deleted and self.memory.tier in _LIVE_TIERS

    def targets(self, kind: EdgeType) -> list[str]:
        """Return the ids that the outgoing edges of ``kind`` point to, in order."""
        return sorted(target for type_, target in self.edges if type_ is kind)


class Unit:
    """An identity map over one tenant, with the bookkeeping of protection, order keys, chain and audit."""

    def __init__(self, reader: Reader, state: TenantState, services: Services) -> None:
        """Start from ``state``, reading through ``reader``; nothing is read or written yet."""
        self.before = state
        self.now, self.state = state.at(services.clock.now_ms())
        self.services = services
        self.read = reader
        self.nodes: dict[str, Node] = {}
        self.records: list[AuditRecord] = []
        #: Records of the access log and keys that belong to this unit: only a change of the signing key has them.
        self.access_records: list[AuditRecord] = []
        self.announced: list[dict[str, Any]] = []
        #: What an erasure takes out of records that are stored: references of transitions, and what stays of accesses.
        self.erased_transitions: list[str] = []
        self.erased_accesses: list[dict[str, Any]] = []
        #: Keyed digests of what must not come in again, and of what may again (:mod:`marskg.store.suppression`).
        self.suppressed: set[str] = set()
        self.readmitted: set[str] = set()
        #: Whether the snapshots that were written are to be removed once it is committed.
        self.dooms_snapshots = False
        #: What is being written for the caller's own sake: no policy may take it in the same transaction (K).
        self.keep: set[str] = set()
        #: What expired, was superseded or erased in this unit: lines that rest on it leave with it (section 6).
        self.leaving: set[str] = set()
        #: Summaries of which some lines expired.
        self.lapsed: set[str] = set()
        self.entities: dict[str, Entity] = {}
        self._entity_originals: dict[str, Row] = {}
        self._entity_salts: dict[str, str] = {}
        self._entity_edges: dict[str, list[Edge]] = {}
        self._new_entity_edges: list[Edge] = []
        self.removed_entities: set[str] = set()
        self.removed_entity_edges: list[Edge] = []
        self._pointed: set[str] = set()
        #: Who goes by which name, shared with the writer between units.
        self.names = NameBook()
        #: The tenant's preferences, shared with the writer between units, and what this unit changes of them.
        self.shelf = Shelf()
        self.preferences = Changes()
        self._slots: dict[str, bool] = {}
        self._incoming: dict[str, list[tuple[str, str, EdgeType]]] = {}
        #: Target → what was drawn to it in this unit, kept apart so that asking costs nothing for every other node.
        self._drawn: dict[str, dict[tuple[str, EdgeType], None]] = {}
        #: The stored tiers of memories at the other end of edges that were read: enough to know who has content.
        self._tiers: dict[str, str] = {}
        self._by_slot: dict[str, list[Node]] = {}
        #: The live tier's weight as the unit goes along, for the records.
        self.running_weight = state.weight
        self._creation: dict[str, AuditRecord] = {}
        self.removed_edges: set[tuple[EdgeType, str, str]] = set()
        self.chain_added: dict[tuple[str, str], int] = {}
        self.chain_removed: set[tuple[str, str]] = set()
        self._sessions: dict[str, list[tuple[int, int, str]]] = {}
        self._entered: dict[str, list[tuple[tuple[int, int], str]]] = {}
        self._next: dict[str, str | None] = {}
        self._previous: dict[str, str | None] = {}
        #: The last episode of each session as (id, validFrom, sequence), shared with the writer between units.
        self.tails: dict[str, tuple[str, int, int] | None] = {}
        self.on_key: Callable[[str, str], None] = lambda _name, _key: None

    @property
    def changed(self) -> bool:
        """Return whether there is anything to write: records, or lines of summaries that are still to leave."""
        return bool(self.records or self.leaving or self.lapsed)

    # --- Reading ------------------------------------------------------------------------------------------------

    def refs(self, ids: Iterable[str]) -> list[str]:
        """Return the store's references of ``ids``, sorted."""
        return [codec.ref(self.state.name, node_id) for node_id in sorted(set(ids))]

    def fetch(self, ids: Iterable[str], *, leaving: bool = False) -> None:
        """Bring the nodes ``ids`` that exist and are not here yet into the unit; ``leaving``: and who refers to them.

        Whatever loses its content is asked for both, and one read of many is a third cheaper than two.
        """
        missing = [node_id for node_id in ids if node_id not in self.nodes]
        if not missing:
            return
        for row in self.read("load_leaving" if leaving else "load_memories", {"refs": self.refs(missing)}):
            node_id = row["node"]["id"]
            node = self.nodes.get(node_id)
            if node is None:
                node = self.nodes[node_id] = _working_copy(row["node"])
                self._enter_slot(node)
                self._next.setdefault(node_id, None)
                if leaving:
                    self._learn_incoming(node_id, row["incoming"])
            if row["type"] is None:
                continue
            if row["tier"] is not None:
                self._tiers[row["target"]] = row["tier"]
            if row["type"] == EdgeType.TEMPORAL_NEXT:
                self._next[node_id] = row["target"]
            else:
                edge = codec.decode_edge(node_id, row)
                node.edges[edge.type, edge.target] = edge
                node.stored_edges.add((edge.type, edge.target))

    def node(self, node_id: str) -> Node:
        """Return the working copy of a memory.

        Raises:
            UnknownMemory: the tenant has no memory with this id.
        """
        self.fetch((node_id,))
        found = self.nodes.get(node_id)
        if found is None or found.deleted:
            msg = f"{node_id} is not a memory of tenant {self.state.name!r}; list what there is with: mars stats"
            raise UnknownMemory(msg)
        return found

    def node_has_content(self, type_: EdgeType, target: str) -> bool:
        """Return whether an edge of ``type_`` may lead to ``target``: an entity, or a memory with content."""
        if type_ is EdgeType.MENTIONS or type_ is EdgeType.DERIVES_FROM:
            return True
        self.fetch((target,))
        return target in self.nodes and self.nodes[target].has_content

    def tier_of(self, node_id: str) -> Tier | None:
        """Return the tier of a memory as of now, if it is known without reading it whole; None if it is not.

        It is known of everything at either end of an edge that was read: of what :meth:`incoming` named, and of what
        the edges of a fetched node lead to.
        """
        node = self.nodes.get(node_id)
        if node is not None:
            return Tier.GONE if node.deleted else node.memory.tier
        stored = self._tiers.get(node_id)
        return None if stored is None else Tier(stored)

    def keeps_content(self, node_id: str) -> bool:
        """Return whether a memory has content as of now; it is read only where its tier is not known."""
        if self.tier_of(node_id) is None:
            self.fetch((node_id,))
        return self.tier_of(node_id) in _LIVE_TIERS

    def incoming(self, ids: Iterable[str]) -> list[tuple[str, str, EdgeType]]:
        """Return ``(source, target, type)`` of the edges between memories that point to ``ids``, as of now."""
        among = set(ids)
        if not among:
            return []
        found = {edge for edge in self._stored_incoming(among) if not self._edge_gone(edge)}
        for target in among & self._drawn.keys():
            for source, type_ in self._drawn[target]:
                node = self.nodes[source]
                if not node.deleted and (type_, target) in node.edges:
                    found.add((source, target, type_))
        return sorted(found)

    def _stored_incoming(self, ids: set[str]) -> list[tuple[str, str, EdgeType]]:
        """Return the stored edges that point to ``ids``; each node's are read once in a unit."""
        missing = sorted(node_id for node_id in ids if node_id not in self._incoming)
        if missing:
            prefix = len(self.state.name) + 1
            self._incoming.update((node_id, []) for node_id in missing)
            for row in self.read("load_incoming", {"refs": self.refs(missing)}):
                target = row["ref"][prefix:]
                self._incoming[target].append((row["source"], target, EdgeType(row["type"])))
                self._tiers[row["source"]] = row["tier"]
        return [edge for node_id in ids for edge in self._incoming[node_id]]

    def _learn_incoming(self, target: str, edges: Iterable[tuple[str, str, str]]) -> None:
        """Keep who refers to a node that was read with it: source, type and the source's tier."""
        if target not in self._incoming:
            self._incoming[target] = [(source, target, EdgeType(type_)) for source, type_, _ in edges]
            self._tiers.update((source, tier) for source, _, tier in edges)

    def _edge_gone(self, edge: tuple[str, str, EdgeType]) -> bool:
        source, target, type_ = edge
        if (type_, source, target) in self.removed_edges:
            return True
        node = self.nodes.get(source)
        return node is not None and (node.deleted or (type_ not in DERIVED_EDGES and (type_, target) not in node.edges))

    # --- Changing -----------------------------------------------------------------------------------------------

    def create(self, memory: Memory, embedding: str | None = None) -> Node:
        """Add a new node without edges, with the packed vector of its content; the caller links and records it."""
        node = Node(memory, {}, new_salt(self.services.source), embedding, new=True)
        self.nodes[memory.id] = node
        self._next[memory.id] = None
        self._previous[memory.id] = None
        self._enter_slot(node)
        if memory.tier is Tier.LIVE:
            self.running_weight += memory.weight
        return node

    def expect_model(self, model: str | None) -> None:
        """Let ``model`` be the one that makes the tenant's vectors, or refuse another one.

        Raises:
            EmbeddingMismatch: the tenant's vectors were made by another model.
        """
        if model is None or model == self.state.embedding_model:
            return
        if self.state.embedding_model is not None:
            raise model_mismatch(self.state.name, self.state.embedding_model, model)
        self.state = replace(self.state, embedding_model=model)

    def keeps(self, made_by: MadeBy | None) -> bool:
        """Return whether a vector that was made before this unit began may be stored.

        Where the tenant's settings chose another model meanwhile it may not, and is made up for later.

        Raises:
            EmbeddingMismatch: the setting is the same, and gives another model than the one of the tenant's vectors.
        """
        if made_by is None or made_by.spec != self.state.settings.embedding.model:
            return False
        self.expect_model(made_by.name)
        return True

    def change(self, node: Node, **changes: Any) -> None:
        """Replace fields of the node's memory; the caller records it."""
        node.memory = replace(node.memory, **changes)

    def link(self, node: Node, edge: Edge) -> None:
        """Add an outgoing edge with its effects on protection; a second equal one changes nothing."""
        if (edge.type, edge.target) in node.edges:
            return
        node.edges[edge.type, edge.target] = edge
        self._drawn.setdefault(edge.target, {})[node.memory.id, edge.type] = None
        self.removed_edges.discard((edge.type, node.memory.id, edge.target))
        self._edge_effect(node, edge.type, edge.target, 1)

    def unlink(self, node: Node, kind: EdgeType, target: str) -> None:
        """Remove an outgoing edge with its effects on protection."""
        if node.edges.pop((kind, target), None) is not None:
            self.removed_edges.add((kind, node.memory.id, target))
            self._edge_effect(node, kind, target, -1)

    def _edge_effect(self, node: Node, kind: EdgeType, target: str, sign: int) -> None:
        if kind is EdgeType.DEPENDS_ON and node.has_content:
            base = self.node(target)
            base.blockers += sign
            if node.guards > 0:
                self.guard(base, sign)
        elif kind is EdgeType.REQUIRES and node.guarding:
            self.guard(self.node(target), sign)

    def guard(self, node: Node, delta: int) -> None:
        """Count reasons for which a node is protected; entering or leaving K passes on along dependsOn."""
        was = node.guards > 0
        node.guards += delta
        if was != (node.guards > 0):
            for target in node.targets(EdgeType.DEPENDS_ON):
                self.guard(self.node(target), 1 if node.guards > 0 else -1)

    def set_pinned(self, node: Node, *, pinned: bool) -> None:
        """Pin or unpin; the caller records it."""
        if node.memory.pinned != pinned:
            self.change(node, pinned=pinned)
            self.guard(node, 1 if pinned else -1)

    def settle_activity(self, node: Node) -> None:
        """Make a task guard itself and what it requires exactly while it is active (semantics section 4, K)."""
        want = node.has_content and self.is_active(node.memory)
        if want == node.guarding:
            return
        node.guarding = want
        sign = 1 if want else -1
        self.guard(node, sign)
        for target in node.targets(EdgeType.REQUIRES):
            self.guard(self.node(target), sign)

    def is_active(self, memory: Memory) -> bool:
        """Return whether a task is active: its status says so and its deadline plus grace has not passed."""
        if memory.kind is not Kind.TASK or memory.status not in ACTIVE_STATUSES:
            return False
        return memory.deadline is None or memory.deadline + self.state.settings.task_grace > self.now

    # --- The narrative chain (I6) -------------------------------------------------------------------------------

    def neighbours(self, node_id: str) -> tuple[str | None, str | None]:
        """Return the episodes before and after ``node_id`` in its session."""
        if node_id not in self._next:
            self.fetch((node_id,))
        self.load_previous((node_id,))
        return self._previous[node_id], self._next.get(node_id)

    def load_previous(self, ids: Iterable[str]) -> None:
        """Learn in one read which episodes come before ``ids``."""
        missing = {node_id for node_id in ids if node_id not in self._previous}
        self._previous.update(dict.fromkeys(sorted(missing)))
        for source, target, type_ in self._stored_incoming(missing):
            if type_ is EdgeType.TEMPORAL_NEXT:
                self._previous[target] = source

    def chain(self, first: str | None, second: str | None) -> None:
        """Make ``second`` the episode right after ``first``."""
        if first is not None:
            self._next[first] = second
        if second is not None:
            self._previous[second] = first
        if first is not None and second is not None:
            if (first, second) in self.chain_removed:
                self.chain_removed.discard((first, second))
            else:
                self.chain_added[first, second] = self.now

    def unchain(self, first: str | None, second: str | None) -> None:
        """Cut the link from ``first`` to ``second``."""
        if first is None or second is None:
            return
        if self.chain_added.pop((first, second), None) is None:
            self.chain_removed.add((first, second))

    def take_out_of_chain(self, node_id: str) -> None:
        """Remove an episode from its session's chain and join its neighbours."""
        before, after = self.neighbours(node_id)
        self.unchain(before, node_id)
        self.unchain(node_id, after)
        self._next[node_id] = self._previous[node_id] = None
        if before is not None or after is not None:
            self.chain(before, after)

    def load_sessions(self, sessions: Iterable[str | None]) -> None:
        """Learn in one read the order of the sessions whose last episode is not known."""
        keys = {
            codec.session_key(self.state.name, name): name or ""
            for name in sessions
            if (name or "") not in self.tails and (name or "") not in self._sessions
        }
        if len(keys) < 2:  # noqa: PLR2004 - one session is read when it is needed
            return
        found: dict[str, list[Row]] = {name: [] for name in keys.values()}
        for row in self.read("sessions_episodes", {"sessions": sorted(keys)}):
            found[keys[row["session"]]].append(row)
        for session, rows in found.items():
            self._keep_order(session, rows)

    def _keep_order(self, session: str, rows: list[Row]) -> None:
        """Keep the order of a session's stored episodes, and of those that entered it in this unit."""
        self._sessions[session] = sorted(
            (row["validFrom"], row["sequence"], row["id"])
            for row in rows
            if row["kind"] == Kind.EPISODIC and row["tier"] in _LIVE_TIERS and not self._lost(row["id"])
        )
        for place, other in self._entered.get(session, ()):
            insort(self._sessions[session], (*place, other))

    def session_order(self, memory: Memory) -> list[tuple[int, int, str]]:
        """Return ``(validFrom, sequence, id)`` of the episodes with content of the memory's session, in order."""
        session = memory.session or ""
        if session not in self._sessions:
            rows = self.read("session_episodes", {"session": codec.session_key(memory.tenant, memory.session)})
            self._keep_order(session, rows)
        return self._sessions[session]

    def _lost(self, node_id: str) -> bool:
        node = self.nodes.get(node_id)
        return node is not None and not node.has_content

    def enter_session(self, memory: Memory, place: tuple[int, int]) -> None:
        """Note a new episode of a session."""
        session = memory.session or ""
        self._entered.setdefault(session, []).append((place, memory.id))
        if session in self._sessions:
            insort(self._sessions[session], (*place, memory.id))

    def leave_session(self, memory: Memory) -> None:
        """Note that an episode of a session lost its content."""
        session = memory.session or ""
        self.tails.pop(session, None)
        self._sessions.pop(session, None)
        self._entered[session] = [item for item in self._entered.get(session, ()) if item[1] != memory.id]

    def put_into_chain(self, node_id: str, before: str | None, after: str | None) -> None:
        """Insert an episode between two neighbours of its session."""
        self.unchain(before, after)
        self.chain(before, node_id)
        self.chain(node_id, after)

    # --- Keyed slots --------------------------------------------------------------------------------------------

    def slot(self, slot_key: str) -> list[Node]:
        """Return the nodes of a keyed slot in the order of their sequence, those of this unit included."""
        if slot_key not in self._slots:
            rows = self.read("slot", {"slot": slot_key})
            self.fetch([row["id"] for row in rows])
            self._slots[slot_key] = True
        members = [node for node in self._by_slot.get(slot_key, ()) if not node.deleted and node.memory.key is not None]
        return sorted(members, key=lambda node: node.memory.sequence)

    def slot_head(self, slot_key: str) -> list[Node]:
        """Return at most one node of a keyed slot: enough to know its cardinality."""
        if slot_key not in self._by_slot and slot_key not in self._slots:
            self.fetch([row["id"] for row in self.read("slot_head", {"slot": slot_key})])
            self._by_slot.setdefault(slot_key, [])
        return self._by_slot[slot_key][:1]

    def _enter_slot(self, node: Node) -> None:
        memory = node.memory
        if memory.key is not None:
            self._by_slot.setdefault(codec.slot_key(memory.tenant, memory.subjects, memory.key), []).append(node)

    # --- Entities -----------------------------------------------------------------------------------------------

    def entity_ids(self, names: Iterable[str]) -> dict[str, str]:
        """Return name key → id of the entities that go by one of ``names``, or alone have it as an alias."""
        wanted = {codec.name_key(self.state.name, name): name for name in names}
        self.load_names(first_word(folded_name(name)) for name in wanted.values())
        found = {key: self.names.bearer(name) for key, name in sorted(wanted.items())}
        return {key: entity.id for key, entity in found.items() if entity is not None}

    def load_names(self, words: Iterable[str]) -> None:
        """Learn in one read who has a name that begins with one of ``words``, folded."""
        missing = self.names.missing(words)
        if missing:
            prefix = f"{self.state.name}|"
            rows = self.read("find_names", {"keys": [prefix + word for word in missing]})
            self.names.learn(missing, (codec.decode_entity(row["node"]) for row in rows))

    def find(self, folded_name: str) -> EntityRef | None:
        """Return the one entity that goes by this name, as a recogniser asks for it."""
        self.longest(first_word(folded_name))
        entity = self.names.nearest(folded_name)
        return None if entity is None else as_ref(entity)

    def longest(self, word: str) -> int:
        """Return how many words the names of entities have at most that begin with ``word``, folded."""
        if not self.names.knows(word):
            self.load_names((word,))
        return self.names.longest(word)

    def entity(self, entity_id: str) -> Entity:
        """Return the entity with this id.

        Raises:
            UnknownMemory: the tenant has none.
        """
        found = self.fetch_entity(entity_id)
        if found is None:
            msg = f"{entity_id[:80]} is no entity of tenant {self.state.name!r}; list them with: mars entity list"
            raise UnknownMemory(msg)
        return found

    def edges_of(self, entity_id: str) -> list[Edge]:
        """Return the edges from an entity that was fetched to others."""
        return list(self._entity_edges.get(entity_id, ()))

    def pointing_to(self, ids: Iterable[str]) -> list[str]:
        """Return the other entities with an edge to one of ``ids`` as of now, all fetched."""
        wanted = set(ids)
        missing = sorted(wanted - self._pointed)
        if missing:
            self._pointed.update(missing)
            rows = self.read("entity_incoming", {"refs": self.refs(missing)})
            self.fetch_entities(row["source"] for row in rows)
        gone = self.removed_entities | wanted
        return sorted(
            source
            for source, edges in self._entity_edges.items()
            if source not in gone and any(edge.target in wanted for edge in edges)
        )

    def cut_entity_edges(self, entity_id: str, edges: Iterable[Edge]) -> None:
        """Take edges from an entity; the caller puts and so records it."""
        for edge in edges:
            self._entity_edges[entity_id].remove(edge)
            if edge in self._new_entity_edges:
                self._new_entity_edges.remove(edge)
            else:
                self.removed_entity_edges.append(edge)

    def has_entity_edge(self, edge: Edge) -> bool:
        """Return whether the entity already has an edge of this type to this target."""
        known = self._entity_edges.get(edge.source, ())
        return any(other.type is edge.type and other.target == edge.target for other in known)

    def fetch_entity(self, entity_id: str) -> Entity | None:
        """Return the entity with this id, or None."""
        self.fetch_entities((entity_id,))
        return None if entity_id in self.removed_entities else self.entities.get(entity_id)

    def fetch_entities(self, ids: Iterable[str]) -> None:
        """Bring the entities ``ids`` that exist and are not here yet into the unit, in one read."""
        missing = {entity_id for entity_id in ids if entity_id not in self.entities}
        for row in self.read("load_entities", {"refs": self.refs(missing)}) if missing else ():
            entity_id = row["node"]["id"]
            if entity_id not in self.entities:
                self.entities[entity_id] = codec.decode_entity(row["node"])
                self._entity_originals[entity_id] = row["node"]
                self._entity_salts[entity_id] = row["node"]["salt"]
                self._entity_edges[entity_id] = []
            if row["type"] is not None:
                self._entity_edges[entity_id].append(codec.decode_edge(entity_id, row))

    def put_entity(self, entity: Entity, edges: Iterable[Edge] = (), *, operation: Operation) -> Entity:
        """Create or change an entity and record it; returns it with its sequence."""
        if entity.id not in self._entity_salts:
            entity = replace(entity, sequence=self.next_sequence)
            self._entity_salts[entity.id] = new_salt(self.services.source)
        self.entities[entity.id] = entity
        self.names.put(entity)
        kept = self._entity_edges.setdefault(entity.id, [])
        added = [edge for edge in edges if edge not in kept]
        kept.extend(added)
        self._new_entity_edges.extend(added)
        commitment = node_commitment(self._entity_salts[entity.id], entity_lines(entity, kept))
        self._append(operation, {}, [{"memory": entity.id, "tier_after": Tier.LIVE, "node_commitment": commitment}])
        return entity

    def remove_entities(self, ids: Iterable[str], reason: str) -> None:
        """Remove entities, with the edges of others to them."""
        wanted = sorted(set(ids))
        self.fetch_entities(wanted)
        for source in self.pointing_to(wanted):
            self.cut_entity_edges(source, [edge for edge in self.edges_of(source) if edge.target in wanted])
            self.put_entity(self.entities[source], operation=Operation.UPDATE_ENTITY)
        for entity_id in wanted:
            self.removed_entities.add(entity_id)
            self.names.remove(entity_id)
            details = {"memory": entity_id, "tier_before": Tier.LIVE, "tier_after": Tier.GONE, "reason": reason}
            self._append(Operation.REMOVE_ENTITY, {}, [details])

    # --- Preferences --------------------------------------------------------------------------------------------

    def put_preference(self, preference: Preference, salt: str | None = None) -> Preference:
        """Create or change a preference and record it; returns it with its sequence.

        ``salt`` is the one that it had; a new one is made where it is left out.
        """
        if salt is None:
            preference = replace(preference, sequence=self.next_sequence)
            salt = new_salt(self.services.source)
        self.preferences.put[preference.id] = (preference, salt)
        self.preferences.removed.discard(preference.id)
        commitment = node_commitment(salt, preference_lines(preference))
        slot = {"memory": preference.id, "tier_after": Tier.LIVE, "node_commitment": commitment}
        self._append(Operation.SET_PREFERENCE, {}, [slot])
        self.state = replace(self.state, preferences=self.records[-1].sequence)
        return preference

    def remove_preference(self, preference_id: str, reason: str) -> None:
        """Remove a preference and record it."""
        self.preferences.put.pop(preference_id, None)
        self.preferences.removed.add(preference_id)
        slot = {"memory": preference_id, "tier_before": Tier.LIVE, "tier_after": Tier.GONE, "reason": reason}
        self._append(Operation.REMOVE_PREFERENCE, {}, [slot])
        self.state = replace(self.state, preferences=self.records[-1].sequence)

    # --- Audit (I7) ---------------------------------------------------------------------------------------------

    @property
    def next_sequence(self) -> int:
        """Return the sequence number that the next record gets."""
        return self.before.sequence + len(self.records) + 1

    def record(
        self,
        operation: Operation,
        node: Node,
        *,
        tier_before: Tier | None = None,
        details: Mapping[str, Any] | None = None,
        **record_details: Any,
    ) -> AuditRecord:
        """Sign one record of a transition of ``node`` as it stands now."""
        memory = node.memory
        tier_after = Tier.GONE if node.deleted else memory.tier
        slot: dict[str, Any] = {"memory": memory.id, "tier_after": tier_after, "weight": memory.weight}
        if tier_before is not None:
            slot["tier_before"] = tier_before
        if node.has_content and node.salt is not None:
            slot["node_commitment"] = node_commitment(node.salt, governed_lines(memory, node.edges.values()))
        slot.update(details or {})
        record = self._append(operation, record_details, [slot])
        if node.new and memory.id not in self._creation:
            self._creation[memory.id] = record
        return record

    def note(self, operation: Operation, **record_details: Any) -> AuditRecord:
        """Sign one record that is about no single memory."""
        return self._append(operation, record_details, [])

    def note_access(self, operation: Operation, **record_details: Any) -> None:
        """Sign one record of the access log that is about no showing, written with this unit."""
        record = build_record(
            tenant=self.state.name,
            log=self.state.access_log,
            sequence=self.before.access_sequence + len(self.access_records) + 1,
            operation=operation,
            now=self.now,
            record_details={"actor": self.services.actor, **record_details},
            node_details=[],
            signer=self.services.signer(),
            source=self.services.source,
        )
        self.access_records.append(record)

    def _append(
        self, operation: Operation, record_details: Mapping[str, Any], slots: list[dict[str, Any]]
    ) -> AuditRecord:
        record = build_record(
            tenant=self.state.name,
            log=self.state.log,
            sequence=self.next_sequence,
            operation=operation,
            now=self.now,
            record_details={"actor": self.services.actor, **record_details},
            node_details=slots,
            signer=self.services.signer(),
            source=self.services.source,
        )
        self.records.append(record)
        return record

    # --- Flushing -----------------------------------------------------------------------------------------------

    def creation_of(self, node: Node) -> AuditRecord:
        """Return the record that created a new node."""
        return self._creation[node.memory.id]

    def new_edges(self) -> list[Edge]:
        """Return the edges between memories, and to entities, that are not stored yet."""
        found = []
        for node in self.nodes.values():
            if not node.deleted:
                stored = node.stored_edges
                found += [edge for slot, edge in node.edges.items() if slot not in stored]
        return found

    def new_entity_edges(self, type_: EdgeType) -> list[Edge]:
        """Return the edges between entities that are not stored yet."""
        gone = self.removed_entities
        return [
            edge
            for edge in self._new_entity_edges
            if edge.type is type_ and edge.source not in gone and edge.target not in gone
        ]

    def word_changes(self) -> tuple[list[dict[str, str]], list[str]]:
        """Return the rows of the words by which entities are found from now on, and references of those that go."""
        created: list[dict[str, str]] = []
        removed: list[str] = []
        for entity_id, entity in self.entities.items():
            original = self._entity_originals.get(entity_id)
            before = {} if original is None else word_rows(codec.decode_entity(original))
            after = {} if entity_id in self.removed_entities else word_rows(entity)
            created += [row for ref, row in after.items() if ref not in before]
            removed += [ref for ref in before if ref not in after]
        return created, removed

    def entity_rows(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the property rows of the entities to create, and of those to change."""
        created, updated = [], []
        for entity_id, entity in self.entities.items():
            if entity_id in self.removed_entities:
                continue
            row = {**codec.encode_entity(entity), "salt": self._entity_salts[entity_id]}
            original = self._entity_originals.get(entity_id)
            if original is None:
                created.append(row)
                continue
            changes: dict[str, Any] = {name: value for name, value in row.items() if original.get(name) != value}
            changes.update({name: None for name in original if name not in row})
            if changes:
                updated.append({"ref": row["ref"], "set": changes})
        return created, updated

    def settle_keys(self, node: Node) -> None:
        """Give an evictable node its order keys, and take them from any other."""
        memory = node.memory
        evictable = (
            not node.deleted
            and memory.tier is Tier.LIVE
            and node.guards == 0
            and node.blockers == 0
            and memory.weight > 0
        )
        if not evictable:
            node.keys = {}
            return
        random = node.keys.get("randomKey")
        superseded = memory.superseded_at is not None
        if random is None or (node.original.get("supersededAt") is not None) != superseded:
            position = exp_position(self.services.source, self.state.random_watermark)
        else:
            position = random_position(random)
        keys = order_keys(
            self.state.settings.scoring,
            tenant=self.state.name,
            kind=memory.kind,
            weight=memory.weight,
            created=memory.created,
            last_access=memory.last_access,
            access_count=memory.access_count,
            sequence=memory.sequence,
            superseded=superseded,
            random_position=position,
            eligible=node.eligible,
            sliced=self.state.settings.partitions.on,
        )
        node.keys = keys
        for name, key in keys.items():
            self.on_key(name, key)

    def due_at(self, node: Node) -> int | None:
        """Return when time next changes what this node is: expiry, end of grace, or a task's deadline plus grace."""
        if not node.has_content:
            return None
        memory = node.memory
        moments = [memory.expires_at, memory.grace_until]
        if node.guarding and memory.deadline is not None:
            moments.append(memory.deadline + self.state.settings.task_grace)
        return min((moment for moment in moments if moment is not None), default=None)

    def properties(self, node: Node) -> dict[str, Any]:
        """Return everything that the graph holds of a node with content or of a tombstone."""
        properties = codec.encode_memory(node.memory)
        if node.has_content:
            memory = node.memory
            properties["salt"] = node.salt
            if node.embedding is not None:
                properties["embedding"] = node.embedding
            properties["guards"] = node.guards
            properties["blockers"] = node.blockers
            if node.guarding:
                properties["guarding"] = True
            if memory.key is not None:
                properties["slotKey"] = codec.slot_key(memory.tenant, memory.subjects, memory.key)
            if memory.session is not None or memory.kind is Kind.EPISODIC:
                properties["sessionKey"] = codec.session_key(memory.tenant, memory.session)
            due = self.due_at(node)
            if due is not None:
                properties["dueKey"] = f"{memory.tenant}|{due:016x}"
            if node.eligible is not None:
                properties["eligibleAccess"], properties["eligibleCount"] = node.eligible
            properties.update(node.keys)
        return properties


def model_mismatch(tenant: str, stored: str, asked: str) -> EmbeddingMismatch:
    """Return the error that says which model the tenant's vectors are of."""
    return EmbeddingMismatch(
        f"the vectors of tenant {tenant!r} were made by {stored}, and {asked} is in use now; vectors of two models "
        "cannot be compared: make them anew with: mars reembed, or open the tenant with the model that made them"
    )


def _working_copy(node: Row) -> Node:
    """Return the working copy of a stored node."""
    eligible = node.get("eligibleAccess")
    return Node(
        memory=codec.decode_memory(node),
        edges={},
        salt=node.get("salt"),
        embedding=node.get("embedding"),
        guards=node.get("guards") or 0,
        blockers=node.get("blockers") or 0,
        guarding=bool(node.get("guarding")),
        keys={name: node[name] for name in _KEYS if node.get(name) is not None},
        eligible=None if eligible is None else (eligible, node["eligibleCount"]),
        original=node,
    )
