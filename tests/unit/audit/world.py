"""A tenant's audit and graph in memory: what a store would hold, so that every way of tampering with it can be shown.

``World`` writes records with the product's writer and keeps nodes, edges, entities, salts and heads beside them, as a
store does. Everything in it may be changed behind the log's back.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from marskg.audit.dataintegrity import Signer
from marskg.audit.merkle import CompactRange
from marskg.audit.record import build_head, build_record, new_salt, node_commitment
from marskg.audit.verify import verify_log
from marskg.clock import SeededSource, uuid7
from marskg.ontology.mapping import entity_lines, governed_lines, preference_lines
from marskg.ontology.vocabulary import TOMBSTONE_EDGES, EdgeType, Kind, Operation, PreferenceRule, Tier
from marskg.records import AuditRecord, Edge, Entity, Memory, Preference, Report, TreeHead

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

START = 1_750_000_000_000


@dataclass
class Node:
    """A memory or an entity as it is stored."""

    value: Any
    edges: list[Edge]
    salt: str | None


def signer_of(seed: int | str) -> Signer:
    return Signer(Ed25519PrivateKey.from_private_bytes(SeededSource(seed).token(32)))


@dataclass
class World:
    """One tenant."""

    tenant: str = "alice"
    seed: str = "world"
    records: list[AuditRecord] = field(default_factory=list)
    accesses: list[AuditRecord] = field(default_factory=list)
    heads: list[TreeHead] = field(default_factory=list)
    nodes: dict[str, Node] = field(default_factory=dict)
    entities: dict[str, Node] = field(default_factory=dict)
    preferences: dict[str, Node] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.source = SeededSource(self.seed)
        self.signer = signer_of(f"{self.seed} key")
        self.first_key = self.signer.public_key
        self.now = START
        self.log = uuid7(self.now, self.source)
        self.access_log = uuid7(self.now, self.source)
        for records in (self.records, self.accesses):
            self.append(
                Operation.OPEN_LOG,
                record={"public_key": self.signer.public_key, "parameters": (f"tenant={self.tenant}",)},
                records=records,
            )

    # --- Writing -------------------------------------------------------------------------------------------------

    def sign(
        self,
        sequence: int,
        operation: Operation,
        *,
        nodes: Sequence[dict[str, Any]] = (),
        record: dict[str, Any] | None = None,
        signer: Signer | None = None,
        log: str | None = None,
        now: int | None = None,
    ) -> AuditRecord:
        """Return a record that is not part of the log yet."""
        return build_record(
            tenant=self.tenant,
            log=log or self.log,
            sequence=sequence,
            operation=operation,
            now=self.now if now is None else now,
            record_details={"actor": "operator", **(record or {})},
            node_details=nodes,
            signer=signer or self.signer,
            source=self.source,
        )

    def append(
        self,
        operation: Operation,
        *,
        nodes: Sequence[dict[str, Any]] = (),
        record: dict[str, Any] | None = None,
        signer: Signer | None = None,
        records: list[AuditRecord] | None = None,
    ) -> AuditRecord:
        target = self.records if records is None else records
        self.now += 137
        made = self.sign(
            len(target) + 1,
            operation,
            nodes=nodes,
            record=record,
            signer=signer,
            log=self.access_log if target is self.accesses else self.log,
        )
        target.append(made)
        return made

    def remember(self, content: str, *edges: tuple[EdgeType, str], **fields: Any) -> str:
        self.now += 1000
        memory = Memory(
            id=uuid7(self.now, self.source),
            tenant=self.tenant,
            kind=Kind.EPISODIC,
            content=content,
            created=self.now,
            sequence=len(self.records) + 1,
            weight=len(content.split()),
            **fields,
        )
        made = [Edge(memory.id, kind, target, self.now) for kind, target in edges]
        self.nodes[memory.id] = Node(memory, made, new_salt(self.source))
        self.transition(Operation.REMEMBER, memory.id)
        return memory.id

    def transition(self, operation: Operation, node_id: str, **details: Any) -> AuditRecord:
        """Record a memory as it stands."""
        node = self.nodes[node_id]
        memory: Memory = node.value
        slot = {"memory": node_id, "tier_after": memory.tier, "weight": memory.weight, **details}
        if node.salt is not None:
            kept = [edge for edge in node.edges if edge.type is not EdgeType.TEMPORAL_NEXT]
            slot["node_commitment"] = node_commitment(node.salt, governed_lines(memory, kept))
        return self.append(operation, nodes=[slot])

    def amend(self, node_id: str, operation: Operation = Operation.AMEND, **changes: Any) -> None:
        self.nodes[node_id].value = replace(self.nodes[node_id].value, **changes)
        self.transition(operation, node_id)

    def link(self, source: str, kind: EdgeType, target: str, weight: float | None = None) -> None:
        self.now += 1
        self.nodes[source].edges.append(Edge(source, kind, target, self.now, weight))
        self.transition(Operation.LINK, source)

    def evict(self, node_id: str) -> None:
        """Make a tombstone."""
        node = self.nodes[node_id]
        memory: Memory = node.value
        node.value = Memory(
            id=memory.id,
            tenant=memory.tenant,
            kind=memory.kind,
            content=None,
            created=memory.created,
            sequence=memory.sequence,
            tier=Tier.TOMBSTONE,
        )
        node.edges = [edge for edge in node.edges if edge.type in TOMBSTONE_EDGES]
        node.salt = None
        self.transition(Operation.EVICT, node_id, tier_before=Tier.LIVE, rule="fifo", removal_score=-5)

    def remove(self, node_id: str) -> None:
        """Remove a node altogether."""
        del self.nodes[node_id]
        slot = {"memory": node_id, "tier_before": Tier.LIVE, "tier_after": Tier.GONE, "weight": 0}
        self.append(Operation.EXPIRE, nodes=[slot])

    def name(self, name: str) -> str:
        self.now += 1
        entity = Entity(uuid7(self.now, self.source), self.tenant, name, self.now, len(self.records) + 1)
        node = self.entities[entity.id] = Node(entity, [], new_salt(self.source))
        commitment = node_commitment(node.salt or "", entity_lines(entity))
        slot = {"memory": entity.id, "tier_after": Tier.LIVE, "node_commitment": commitment}
        self.append(Operation.CREATE_ENTITY, nodes=[slot])
        return entity.id

    def prefer(self, rule: PreferenceRule, **fields: Any) -> str:
        self.now += 1
        ident = uuid7(self.now, self.source)
        preference = Preference(ident, self.tenant, self.now, len(self.records) + 1, rule, **fields)
        node = self.preferences[ident] = Node(preference, [], new_salt(self.source))
        commitment = node_commitment(node.salt or "", preference_lines(preference))
        slot = {"memory": ident, "tier_after": Tier.LIVE, "node_commitment": commitment}
        self.append(Operation.SET_PREFERENCE, nodes=[slot])
        return ident

    def seal(self, first: int, last: int) -> None:
        """Seal a stretch of the transitions, by sequence."""
        for position in range(first - 1, last):
            for slot in range(len(self.records[position].details)):
                self.records[position] = without_slot(self.records[position], slot)
        self.append(Operation.SEAL, record={"sealed_slots": (f"{first}-{last}",)})

    def access(self, *ids: str) -> None:
        slots = [{"memory": node_id, "tier_after": Tier.LIVE} for node_id in ids]
        self.append(Operation.ACCESS, nodes=slots, records=self.accesses)

    def erase(self, node_id: str) -> None:
        """Erase a memory with all of its slots, and sign in both logs which ones these were."""
        del self.nodes[node_id]
        for records in (self.records, self.accesses):
            gone = []
            for position, record in enumerate(records):
                for slot, memory in enumerate(record.memories, 1):
                    if memory == node_id:
                        gone.append(f"{record.sequence}.{slot}")
                        records[position] = record = without_slot(records[position], slot)  # noqa: PLW2901 - as it is
            if gone:
                self.append(Operation.ERASE, record={"deleted_slots": tuple(sorted(gone))}, records=records)

    def rotate(self, seed: str = "second key") -> None:
        new = signer_of(seed)
        for records in (self.records, self.accesses):
            self.append(Operation.ROTATE_KEY, record={"public_key": new.public_key}, records=records)
        self.signer = new

    def replace_key(self, seed: str = "third key") -> None:
        self.signer = signer_of(seed)
        for records in (self.records, self.accesses):
            self.append(Operation.REPLACE_KEY, record={"public_key": self.signer.public_key}, records=records)

    def head(self, records: list[AuditRecord] | None = None, *, signer: Signer | None = None) -> TreeHead:
        """Sign and keep a head of one of the logs as it stands."""
        made = self.sign_head(self.records if records is None else records, signer=signer)
        self.heads.append(made)
        return made

    def sign_head(self, records: Iterable[AuditRecord], *, signer: Signer | None = None) -> TreeHead:
        tree = CompactRange()
        log = self.log
        for record in records:
            log = record.log
            tree.append(bytes.fromhex(record.leaf))
        return build_head(
            tenant=self.tenant,
            log=log,
            size=tree.size,
            root=tree.root(),
            now=self.now,
            signer=signer or self.signer,
        )

    # --- Checking ------------------------------------------------------------------------------------------------

    def verify(self, **options: Any) -> Report:
        """Verify both logs and the graph."""
        given: dict[str, Any] = {
            "tenant": self.tenant,
            "logs": (self.log, self.access_log),
            "nodes": [(node.value, node.edges, node.salt) for node in self.nodes.values()],
            "entities": [(node.value, node.edges, node.salt) for node in self.entities.values()],
            "preferences": [(node.value, node.salt) for node in self.preferences.values()],
        }
        return verify_log(self.records + self.accesses, self.heads, **{**given, **options})


def without_slot(record: AuditRecord, slot: int) -> AuditRecord:
    """Return ``record`` as it stands once a slot was deleted."""
    memories = list(record.memories)
    if slot:
        memories[slot - 1] = ""
    details, salts = list(record.details), list(record.salts)
    details[slot] = salts[slot] = ""
    return replace(record, memories=tuple(memories), details=tuple(details), salts=tuple(salts))


def codes(report: Report) -> set[str]:
    return {finding.code for finding in report.findings}


class Alice(World):
    """A tenant with one of everything, whose audit verifies."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rose = self.name("Rose")
        self.secret = self.remember("Rose said in confidence that she moves out", sensitivity=0.9, subjects=("rose",))
        self.fact = self.remember(
            "Rose waters the tomatoes",
            (EdgeType.DERIVES_FROM, self.secret),
            (EdgeType.MENTIONS, self.rose),
            expires_at=START + 10**9,
        )
        self.head()
        self.old = self.remember("The weather was fine")
        self.latent = self.remember("An old list of errands")
        self.amend(self.latent, Operation.ARCHIVE, tier=Tier.LATENT)
        self.gone = self.remember("Only until tonight")
        self.link(self.fact, EdgeType.DEPENDS_ON, self.secret, 0.5)
        self.link(self.old, EdgeType.DERIVES_FROM, self.secret)
        self.access(self.secret, self.fact, self.old)
        self.evict(self.old)
        self.remove(self.gone)
        self.rotate()
        self.task = self.remember("Buy a watering can", pinned=True)
        self.consent = self.prefer(PreferenceRule.CONSENT, data_subject="rose", target="care")
        self.access(self.fact)
        self.head()
        self.head(self.accesses)
