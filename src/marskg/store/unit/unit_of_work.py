"""A unit of work: the nodes that one write touches, kept consistent in memory and flushed as a few statements.

Guarantees, for every flushed unit: what each node is protected by (``guards``) and blocked by (``blockers``) is exact,
order keys are on the evictable nodes and nowhere else, ``temporalNext`` links consecutive episodes (I6), the tenant's
weights are the sums over its nodes, and each node transition has one signed record (I7). Reads happen before the
transaction; the compare-and-set of the tenant's sequence in its first statement makes them as good as reads inside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from marskg.audit.record import new_salt, node_commitment
from marskg.errors import UnknownMemory
from marskg.ontology.mapping import governed_lines
from marskg.ontology.vocabulary import (
    ACTIVE_STATUSES,
    CONTENT_TIERS,
    DERIVED_EDGES,
    TOMBSTONE_EDGES,
    EdgeType,
    Kind,
    Tier,
)
from marskg.store.rows import codec
from marskg.store.rows.erased_texts import ErasedTextsCache
from marskg.store.rows.name_cache import NameCache
from marskg.store.rows.names_given import without
from marskg.store.rows.order_keys import CURRENT, SUPERSEDED, exp_position, order_keys, random_position, rank_in
from marskg.store.unit.audit_records import AuditRecords
from marskg.store.unit.depended_on import rank_at_birth
from marskg.store.unit.entity_changes import EntityChanges
from marskg.store.unit.preference_changes import PreferenceChanges
from marskg.store.unit.preference_rules import PreferenceCache
from marskg.store.unit.session_chain import SessionChain, Sessions
from marskg.store.unit.vectors import model_mismatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from marskg.audit.dataintegrity import Signer
    from marskg.ontology.vocabulary import Operation
    from marskg.records import AuditRecord, Edge, Memory
    from marskg.store.engine.protocol import Reader, Row
    from marskg.store.rows.index_gaps import IndexGaps
    from marskg.store.rows.state import Services, TenantState
    from marskg.store.unit.vectors import MadeBy

#: Makes the question which memories a principal with limits may see, as the limits are at the moment.
Admitting: TypeAlias = "Callable[[], Callable[[Memory], bool]]"

_KEYS = ("fifoKey", "lruKey", "decayKey", "randomKey")


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
    #: Its rank in every order of eviction while it is current (:mod:`marskg.store.unit.eviction_ranks`).
    rank: str = CURRENT
    original: Row = field(default_factory=dict)
    #: The memory as it is stored; None for a new one.
    stored: Memory | None = None
    #: Its edges as they are stored.
    stored_edges: dict[tuple[EdgeType, str], Edge] = field(default_factory=dict)
    new: bool = False
    deleted: bool = False
    #: What a model answered about it, after the digest of the question; goes with the content.
    answer: str | None = None

    def commitment_as_found(self) -> str | None:
        """Return the commitment to what is stored; None where that has no content, or nothing is."""
        salt = self.original.get("salt")
        if self.stored is None or salt is None:
            return None
        return node_commitment(salt, governed_lines(self.stored, self.stored_edges.values()))

    @property
    def has_content(self) -> bool:
        """Return whether the node is whole."""
        return not self.deleted and self.memory.tier in CONTENT_TIERS

    def targets(self, kind: EdgeType) -> list[str]:
        """Return the ids that the outgoing edges of ``kind`` point to, in order."""
        return sorted(target for type_, target in self.edges if type_ is kind)

    def forget_answer(self) -> None:
        """Keep no answer of a model about it; no record says that there was one."""
        self.answer = None

    def delete(self) -> None:
        """Remove it from the store; the caller records it."""
        self.deleted = True

    def mark(self, eligible: tuple[int, int] | None) -> None:
        """Note at which last access, and after how many, a policy might have taken it; None forgets that."""
        self.eligible = eligible

    def stand(self, rank: str) -> None:
        """Note its rank in every order of eviction while it is current."""
        self.rank = rank

    def due_at(self, task_grace: int) -> int | None:
        """Return when time next changes what this is: expiry, end of grace, or a task's deadline plus ``task_grace``.

        ``task_grace`` is in milliseconds.
        """
        if not self.has_content:
            return None
        memory = self.memory
        moments = [memory.expires_at, memory.grace_until]
        if self.guarding and memory.deadline is not None:
            moments.append(memory.deadline + task_grace)
        return min((moment for moment in moments if moment is not None), default=None)

    def properties(self, task_grace: int) -> dict[str, Any]:
        """Return everything that the graph holds of a node with content or of a tombstone."""
        properties = codec.encode_memory(self.memory)
        if self.has_content:
            memory = self.memory
            properties["salt"] = self.salt
            if self.embedding is not None:
                properties["embedding"] = self.embedding
            if self.answer is not None:
                properties["answer"] = self.answer
            properties["guards"] = self.guards
            properties["blockers"] = self.blockers
            if self.guarding:
                properties["guarding"] = True
            if memory.key is not None:
                properties["slotKey"] = codec.slot_key(memory.tenant, memory.subjects, memory.key)
            if memory.session is not None or memory.kind is Kind.EPISODIC:
                properties["sessionKey"] = codec.session_key(memory.tenant, memory.session)
            due = self.due_at(task_grace)
            if due is not None:
                properties["dueKey"] = f"{memory.tenant}|{due:016x}"
            if self.eligible is not None:
                properties["eligibleAccess"], properties["eligibleCount"] = self.eligible
            if self.rank != CURRENT:
                properties["evictionRank"] = self.rank
            properties.update(self.keys)
        return properties


@dataclass(slots=True, eq=False)
class Caches:
    """What a writer keeps between the units of one tenant, each up to date with those that were built so far."""

    sessions: Sessions = field(default_factory=Sessions)
    names: NameCache = field(default_factory=NameCache)
    preferences: PreferenceCache = field(default_factory=PreferenceCache)
    erased_texts: ErasedTextsCache = field(default_factory=ErasedTextsCache)
    index_gaps: IndexGaps | None = None

    def clear(self) -> None:
        """Forget all; another process was here."""
        self.clear_names()
        if self.index_gaps is not None:
            self.index_gaps.clear()

    def clear_names(self) -> None:
        """Forget what is called by somebody's name: sessions, entities with the words asked for, and preferences."""
        self.sessions.clear()
        self.names.clear()
        # A new one: who reads the old one at this moment goes on with what it says.
        self.preferences = PreferenceCache()

    def clear_half_built(self) -> None:
        """Forget what a unit that failed half-way may have changed: tails, names and ranges that never were."""
        self.sessions.clear()
        self.names.clear()
        if self.index_gaps is not None:
            self.index_gaps.clear()


class Unit:
    """An identity map over one tenant's memories, with the bookkeeping of protection, order keys and audit.

    Its parts stand by themselves: ``audit`` its records, ``chain`` the order of episodes, ``entities`` and
    ``preferences`` what it changes of those; ``state`` is the tenant's row as it will be.
    """

    def __init__(self, reader: Reader, state: TenantState, services: Services, caches: Caches | None = None) -> None:
        """Start from ``state``, reading through ``reader``; nothing is read or written yet."""
        kept = Caches() if caches is None else caches
        self.before = state
        self.now, self._state = state.at(services.clock.read())
        self.services = services
        self.read = reader
        self.nodes: dict[str, Node] = {}
        self.audit = AuditRecords(state, services, self.now)
        self.chain = SessionChain(reader, state.name, self.now, kept.sessions)
        self.entities = EntityChanges(reader, state.name, self.audit, services.source, kept.names)
        self.preferences = PreferenceChanges(self.audit, services.source, kept.preferences.commitment)
        #: The tenant's preferences as they are stored.
        self.stored_preferences = kept.preferences
        #: The digests of erased texts that are stored.
        self.stored_erased_texts = kept.erased_texts
        #: Who signs the tenant's row where it is not who signs the records, and whether all of it is written anew.
        self.row_signer: Signer | None = None
        self.whole_row = False
        #: Keyed digests of what must not come in again (:mod:`marskg.store.graph.suppression`).
        self.suppressed: set[str] = set()
        #: Whether the snapshots that were written are to be removed once it is committed.
        self.drops_snapshots = False
        #: What is being written for the caller's own sake: no policy may take it in the same transaction (K).
        self.keep: set[str] = set()
        #: What expired, was superseded or erased in this unit: lines that rest on it leave with it (section 6).
        self.leaving: set[str] = set()
        #: Summaries of which some lines expired.
        self.lapsed: set[str] = set()
        self.removed_edges: set[tuple[EdgeType, str, str]] = set()
        #: The live tier's weight as the unit goes along, for the records.
        self.running_weight = state.weight
        self._index_gaps = kept.index_gaps
        self._slots: dict[str, bool] = {}
        self._by_slot: dict[str, list[Node]] = {}
        self._incoming: dict[str, list[tuple[str, str, EdgeType]]] = {}
        #: Target → what was drawn to it in this unit, kept apart so that asking costs nothing for every other node.
        self._drawn: dict[str, dict[tuple[str, EdgeType], None]] = {}
        #: The stored tiers of memories at the other end of edges that were read, and the kinds; an entity has none.
        self._tiers: dict[str, str] = {}
        self._kinds: dict[str, str | None] = {}
        #: The commitments to memories as they were last recorded in this unit.
        self._committed: dict[str, str | None] = {}
        #: What messages call the drafts of a batch, by the ids of the memories that these became.
        self.drafts: dict[str, str] = {}
        #: Makes the question which memories the writer may see, where they may not see all; None where they may.
        self.admitting: Admitting | None = None
        #: The records that created the new nodes.
        self.creations: dict[str, AuditRecord] = {}

    @property
    def changed(self) -> bool:
        """Return whether there is anything to write: records, or lines of summaries that are still to leave."""
        return bool(self.audit.transitions or self.leaving or self.lapsed)

    # --- The tenant's row ---------------------------------------------------------------------------------------

    @property
    def state(self) -> TenantState:
        """Return the tenant's row as it will be."""
        return self._state

    def update_tenant(self, **changes: Any) -> None:
        """Let the tenant's row say ``changes``."""
        self._state = replace(self._state, **changes)

    def rewrite_tenant(self, state: TenantState) -> None:
        """Write all of the tenant's row anew, as ``state``."""
        self._state = state
        self.whole_row = True

    def change_key(self, signer: Signer) -> None:
        """Let the tenant's row name the key of ``signer``, who signs it."""
        self.update_tenant(signing_key=signer.public_key)
        self.row_signer = signer

    def confirm_clock(self, now: int) -> None:
        """Take ``now`` for right, also where it is before the last recorded time; expiry goes on."""
        self.now = now
        self.audit.confirm_clock(now)
        self.update_tenant(suspended_at=None, last_time=now)

    def expect_model(self, model: str | None) -> None:
        """Let ``model`` be the one that makes the tenant's vectors, or refuse another one.

        Raises:
            EmbeddingMismatch: the tenant's vectors were made by another model.
        """
        if model is None or model == self.state.embedding_model:
            return
        if self.state.embedding_model is not None:
            raise model_mismatch(self.state.name, self.state.embedding_model, model)
        self.update_tenant(embedding_model=model)

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
                node = self.nodes[node_id] = working_copy(row["node"])
                self._enter_slot(node)
                self.chain.learn(node_id, None)
                if leaving and node_id not in self._incoming:
                    self._incoming[node_id] = [(one, node_id, EdgeType(type_)) for one, type_, _ in row["incoming"]]
                    self._tiers.update((one, tier) for one, _, tier in row["incoming"])
            if row["type"] is None:
                continue
            if row["tier"] is not None:
                self._tiers[row["target"]] = row["tier"]
            self._kinds[row["target"]] = row["kind"]
            if row["type"] == EdgeType.TEMPORAL_NEXT:
                self.chain.learn(node_id, row["target"])
            else:
                edge = codec.decode_edge(node_id, row)
                node.edges[edge.type, edge.target] = edge
                node.stored_edges[edge.type, edge.target] = edge

    def node(self, node_id: str) -> Node:
        """Return the working copy of a memory.

        Raises:
            UnknownMemory: the tenant has no memory with this id.
        """
        found = self.find_node(node_id)
        if found is None:
            msg = f"{node_id[:60]} is not a memory of tenant {self.state.name!r}; list what there is with: mars stats"
            raise UnknownMemory(msg)
        return found

    def find_node(self, node_id: str) -> Node | None:
        """Return the working copy of a memory, or None where the tenant has none with this id."""
        self.fetch((node_id,))
        found = self.nodes.get(node_id)
        return None if found is None or found.deleted else found

    def node_has_content(self, type_: EdgeType, target: str) -> bool:
        """Return whether an edge of ``type_`` that is stored may be drawn anew: mostly to what has content."""
        if type_ in {EdgeType.MENTIONS, EdgeType.DERIVES_FROM, EdgeType.LOST_PREREQUISITE}:
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

    def stored_end(self, node_id: str) -> tuple[Kind, Tier] | None:
        """Return kind and tier of a memory that an edge of a fetched node leads to; None of all others."""
        kind = self._kinds.get(node_id)
        return None if kind is None else (Kind(kind), Tier(self._tiers[node_id]))

    def has_entity(self, entity_id: str) -> bool:
        """Return whether the tenant has an entity as of now; it is read only where nothing that was read tells."""
        if entity_id in self.entities.removed:
            return False
        # What an edge leads to and has no kind is an entity.
        known = self.entities.is_known(entity_id) or entity_id in self._kinds
        return known or self.entities.get(entity_id) is not None

    def keeps_content(self, node_id: str) -> bool:
        """Return whether a memory has content as of now; it is read only where its tier is not known."""
        if self.tier_of(node_id) is None:
            self.fetch((node_id,))
        return self.tier_of(node_id) in CONTENT_TIERS

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

    def _edge_gone(self, edge: tuple[str, str, EdgeType]) -> bool:
        source, target, type_ = edge
        if (type_, source, target) in self.removed_edges:
            return True
        node = self.nodes.get(source)
        return node is not None and (node.deleted or (type_ not in DERIVED_EDGES and (type_, target) not in node.edges))

    # --- Changing -----------------------------------------------------------------------------------------------

    def create(self, memory: Memory, embedding: str | None = None) -> Node:
        """Add a new node without edges, with the packed vector of its content; the caller links and records it."""
        salt = new_salt(self.services.source)
        whole = memory.tier in CONTENT_TIERS
        rank = rank_at_birth(memory) if whole else CURRENT
        node = Node(memory, {}, salt if whole else None, embedding, rank=rank, new=True)
        self.nodes[memory.id] = node
        self.chain.begin(memory.id)
        self._enter_slot(node)
        self.running_weight += _live_weight(memory)
        return node

    def change(self, node: Node, **changes: Any) -> None:
        """Replace fields of the node's memory; the caller records it."""
        node.memory = replace(node.memory, **changes)

    def become(self, node: Node, memory: Memory) -> None:
        """Let the node hold ``memory``, in another tier or with other fields; the caller records it."""
        self.running_weight += _live_weight(memory) - _live_weight(node.memory)
        node.memory = memory

    def strip(self, node: Node, tombstone: Memory) -> None:
        """Take a node's content, its place in a session, its protection and most of its edges; the rest stays."""
        memory = node.memory
        if memory.kind is Kind.EPISODIC:
            known = self.chain.knows_previous(memory.id)
            self.chain.leave(memory, () if known else self._stored_incoming({memory.id}))
        if memory.pinned:
            self.set_pinned(node, pinned=False)
        if node.guarding:
            node.guarding = False
            self.guard(node, -1)
            for target in node.targets(EdgeType.REQUIRES):
                self.guard(self.node(target), -1)
        for base in node.targets(EdgeType.DEPENDS_ON):
            self.node(base).blockers -= 1
        for type_, target in list(node.edges):
            if type_ not in TOMBSTONE_EDGES:
                del node.edges[type_, target]
                self.removed_edges.add((type_, memory.id, target))
        node.salt = None
        self.become(node, tombstone)

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
            if kind is EdgeType.MENTIONS and node.memory.names_given:
                self.change(node, names_given=without(node.memory.names_given, (target,)))
            self._edge_effect(node, kind, target, -1)

    def _edge_effect(self, node: Node, kind: EdgeType, target: str, sign: int) -> None:
        """Pass protection on to what an edge leads to; one that leads nowhere is the write gate's to refuse."""
        if kind is EdgeType.DEPENDS_ON and node.has_content:
            base = self.find_node(target)
            if base is not None:
                base.blockers += sign
                if node.guards > 0:
                    self.guard(base, sign)
        elif kind is EdgeType.REQUIRES and node.guarding:
            self._guard_at(target, sign)

    def _guard_at(self, node_id: str, delta: int) -> None:
        node = self.find_node(node_id)
        if node is not None:
            self.guard(node, delta)

    def drawn(self, type_: EdgeType) -> dict[str, list[str]]:
        """Return by their targets the sources of the edges of ``type_`` that were drawn in this unit."""
        found = {
            target: [
                source for source, drawn in edges if drawn is type_ and (type_, target) in self.nodes[source].edges
            ]
            for target, edges in self._drawn.items()
        }
        return {target: sources for target, sources in found.items() if sources}

    def recorded(self, node_id: str) -> bool:
        """Return whether a record of this unit is about a memory."""
        return node_id in self._committed

    def guard(self, node: Node, delta: int) -> None:
        """Count reasons for which a node is protected; entering or leaving K passes on along dependsOn."""
        was = node.guards > 0
        node.guards += delta
        if was != (node.guards > 0):
            for target in node.targets(EdgeType.DEPENDS_ON):
                self._guard_at(target, 1 if node.guards > 0 else -1)

    def set_pinned(self, node: Node, *, pinned: bool) -> None:
        """Pin or unpin; the caller records it."""
        if node.memory.pinned != pinned:
            self.change(node, pinned=pinned)
            self.guard(node, 1 if pinned else -1)

    def settle_activity(self, node: Node) -> None:
        """Make a task guard itself and what it requires exactly while it is active (semantics section 4, K)."""
        want = node.has_content and is_active(node.memory, self.state.settings.task_grace, self.now)
        if want == node.guarding:
            return
        node.guarding = want
        sign = 1 if want else -1
        self.guard(node, sign)
        for target in node.targets(EdgeType.REQUIRES):
            self._guard_at(target, sign)

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
        return self._by_slot.get(slot_key, [])[:1]

    def _enter_slot(self, node: Node) -> None:
        memory = node.memory
        if memory.key is not None:
            self._by_slot.setdefault(codec.slot_key(memory.tenant, memory.subjects, memory.key), []).append(node)

    # --- Audit (I7) ---------------------------------------------------------------------------------------------

    def record(
        self,
        operation: Operation,
        node: Node,
        *,
        tier_before: Tier | None = None,
        details: Mapping[str, Any] | None = None,
        **record_details: Any,
    ) -> AuditRecord:
        """Sign one record of a transition of ``node`` as it stands now.

        It commits to the node as it was found, too: what was changed past the log is not signed for as if it were ours.
        """
        memory = node.memory
        tier_after = Tier.GONE if node.deleted else memory.tier
        slot: dict[str, Any] = {"memory": memory.id, "tier_after": tier_after, "weight": memory.weight}
        if tier_before is not None:
            slot["tier_before"] = tier_before
        before = self._committed[memory.id] if memory.id in self._committed else node.commitment_as_found()
        if before is not None:
            slot["commitment_before"] = before
        if node.has_content and node.salt is not None:
            slot["node_commitment"] = node_commitment(node.salt, governed_lines(memory, node.edges.values()))
        self._committed[memory.id] = slot.get("node_commitment")
        slot.update(details or {})
        record = self.audit.append(operation, record_details, [slot])
        if node.new and memory.id not in self.creations:
            self.creations[memory.id] = record
        return record

    # --- Flushing -----------------------------------------------------------------------------------------------

    def new_edges(self) -> list[Edge]:
        """Return the edges between memories, and to entities, that are not stored yet."""
        found = []
        for node in self.nodes.values():
            if not node.deleted:
                stored = node.stored_edges
                found += [edge for slot, edge in node.edges.items() if slot not in stored]
        return found

    def drop_snapshots(self) -> None:
        """Remove the snapshots that were written, once the unit is committed."""
        self.drops_snapshots = True

    def announce_keys(self, index_gaps: IndexGaps) -> None:
        """Tell ``index_gaps`` of every order key that this unit gives."""
        self._index_gaps = index_gaps

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
        rank = node.rank if memory.superseded_at is None else SUPERSEDED
        if random is None or rank_in(random) != rank:
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
            rank=rank,
            random_position=position,
            eligible=node.eligible,
            sliced=self.state.settings.partitions.on,
        )
        node.keys = keys
        if self._index_gaps is not None:
            for name, key in keys.items():
                self._index_gaps.fill(name, key)


def is_active(memory: Memory, task_grace: int, now: int) -> bool:
    """Return whether a task is active: its status says so and its deadline plus grace, in ms, has not passed."""
    if memory.kind is not Kind.TASK or memory.status not in ACTIVE_STATUSES:
        return False
    return memory.deadline is None or memory.deadline + task_grace > now


def _live_weight(memory: Memory) -> int:
    return memory.weight if memory.tier is Tier.LIVE else 0


def working_copy(node: Row) -> Node:
    """Return the working copy of a stored node."""
    eligible = node.get("eligibleAccess")
    memory = codec.decode_memory(node)
    codec.refuse_damaged(memory)
    return Node(
        memory=memory,
        edges={},
        salt=node.get("salt"),
        embedding=node.get("embedding"),
        answer=node.get("answer"),
        guards=node.get("guards") or 0,
        blockers=node.get("blockers") or 0,
        guarding=bool(node.get("guarding")),
        keys={name: node[name] for name in _KEYS if node.get(name) is not None},
        eligible=None if eligible is None else (eligible, node["eligibleCount"]),
        rank=node.get("evictionRank") or CURRENT,
        original=node,
        stored=memory,
    )
