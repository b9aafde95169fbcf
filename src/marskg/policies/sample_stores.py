"""Small random stores with every obstacle that a policy may meet, for the conformance suite.

Guarantees: a store is a function of its seed; its counts of guards and dependents, and its index keys, are those that
the write gate would have kept; it has pins, chains of dependencies, latent and tombstoned memories, superseded values,
marks, and every kind. Contents hold a word that no plan may repeat. The nodes have no audit records: nobody keeps them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from marskg.clock import DAY_MS, SeededSource
from marskg.config import Settings
from marskg.ontology.vocabulary import KINDS, EdgeType, Kind, Tier
from marskg.policies.core.features import COLUMNS, FeatureTable, Links
from marskg.records import Edge, Entity, Memory
from marskg.store.rows import codec
from marskg.store.rows.kind_statistics import KindStatistics
from marskg.store.rows.order_keys import CURRENT, RESTATED, SUPERSEDED, VITAL, exp_position, order_keys
from marskg.store.rows.read_statistics import Usage
from marskg.store.statements.catalogue import statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from marskg.clock import Source
    from marskg.store.engine.protocol import Engine, Row
    from marskg.store.rows.index_gaps import Gap
    from marskg.store.unit.vectors import Vectoriser

T = TypeVar("T")
#: 2026-11-21T00:00:00Z
NOW = 1_795_219_200_000
#: Every content begins with it.
MARKER = "withheld"
_NAMES = ("ana", "bea", "rui")
_WEIGHTS = (1, 7, 7, 20, 20, 55, 400)


class Chance:
    """Draws from an injected source."""

    def __init__(self, source: Source) -> None:
        """Draw from ``source``."""
        self.source = source

    def below(self, limit: int) -> int:
        """Return an integer from 0 to below ``limit``."""
        return int.from_bytes(self.source.token(8), "big") % limit

    def percent(self, share: int) -> bool:
        """Return True in ``share`` of 100 draws."""
        return self.below(100) < share

    def pick(self, given: Sequence[T]) -> T:
        """Return one of ``given``."""
        return given[self.below(len(given))]


@dataclass(frozen=True, slots=True)
class SampleStore:
    """One tenant: memories by id with what they depend on, and a policy's view of them."""

    engine: Engine
    tenant: str
    memories: Mapping[str, Memory]
    bases: Mapping[str, tuple[str, ...]]
    settings: Settings = field(default_factory=Settings)
    now: int = NOW
    sequence: int = 1_000
    ceiling: int | None = None
    within: frozenset[str] | None = None
    vectoriser: Vectoriser | None = None
    sensing: None = None
    summariser: None = None
    usage: Usage = field(default_factory=Usage)
    controls: Mapping[str, str] = field(default_factory=dict)

    @property
    def weight(self) -> int:
        """Return what the live memories weigh together."""
        return sum(memory.weight for memory in self.live.values())

    @property
    def live(self) -> dict[str, Memory]:
        """Return the live memories by id."""
        return {ident: memory for ident, memory in self.memories.items() if memory.tier is Tier.LIVE}

    @property
    def census(self) -> KindStatistics:
        """Return the live memories in sums."""
        found = KindStatistics()
        for memory in self.live.values():
            found = found.moved(memory.kind, memory.weight, memory.created, 1)
        return found

    def table(self, *, linked: bool = False) -> FeatureTable:
        """Return the features of the live memories; what only an index knows is drawn by the memory's place."""
        rows = [_features(memory) for memory in self.live.values()]
        columns = {name: np.array([row[name] for row in rows], dtype=np.int64) for name in COLUMNS}
        return FeatureTable(list(self.live), columns, "none", self._links() if linked else None)

    def _links(self) -> Links:
        """Return what the live memories cover and depend on."""
        live = self.live
        places = {ident: place for place, ident in enumerate(live)}
        blockers = Counter(
            base for ident, bases in self.bases.items() if self.memories[ident].content is not None for base in bases
        )
        return Links.of(
            [_covers(memory) for memory in live.values()],
            [[places[base] for base in self.bases[ident] if base in places] for ident in live],
            [ident in self.protected for ident in live],
            [blockers[ident] for ident in live],
        )

    @property
    def protected(self) -> frozenset[str]:
        """Return K: what is pinned, with all that it depends on."""
        pinned = [ident for ident, memory in self.memories.items() if memory.pinned]
        return frozenset(self._closed(pinned, within=set(self.memories)))

    def floor(self, exclude: frozenset[str]) -> int:
        """Return the least weight that a policy can reach: of K, of ``exclude``, and of what live ones of it need."""
        live = self.live
        held = set(self.protected) | self._closed(exclude & set(live), within=set(live))
        return sum(memory.weight for ident, memory in live.items() if ident in held)

    def _closed(self, idents: Iterable[str], *, within: set[str]) -> set[str]:
        queue, found = list(idents), set[str]()
        while queue:
            ident = queue.pop()
            if ident in within and ident not in found:
                found.add(ident)
                queue += self.bases[ident]
        return found

    def run(self, statement: str, parameters: Mapping[str, Any]) -> list[Row]:
        """Run a reading statement."""
        return self.engine.read(statement, parameters)

    def conversation(self, session: str) -> str:
        """Return what stands for the digest of a conversation."""
        return f"digest of {session}"

    def timed(self, statement: str, parameters: Mapping[str, Any]) -> list[Row]:
        """Run a reading statement of a user's."""
        return self.run(statement, parameters)

    def index_gaps(self, key_name: str) -> list[Gap]:  # noqa: ARG002 - a view's interface
        """Return none: nothing was removed from these indexes."""
        return []


def sample_stores(engine: Engine, number: int, seed: int, settings: Settings) -> Iterator[SampleStore]:
    """Yield ``number`` stores, written to ``engine``: first an empty one and one that is all protected."""
    for place in range(number):
        chance = Chance(SeededSource(f"{seed} {place}"))
        tenant = f"sample-{seed}-{place}"
        memories, bases = _memories(chance, tenant, 0 if not place else 2 + chance.below(14), pinned=place == 1)
        store = SampleStore(engine, tenant, memories, bases, settings)
        _write(store, chance)
        yield store


def _memories(
    chance: Chance, tenant: str, size: int, *, pinned: bool
) -> tuple[dict[str, Memory], dict[str, tuple[str, ...]]]:
    memories: dict[str, Memory] = {}
    bases: dict[str, tuple[str, ...]] = {}
    ids = (f"urn:uuid:{number:08x}-0000-7000-8000-000000000000" for number in count(1))
    for number in range(size):
        ident = next(ids)
        whole = [other for other, memory in memories.items() if memory.content is not None]
        bases[ident] = tuple(other for other in whole if chance.percent(10))
        memories[ident] = _memory(chance, tenant, ident, number + 1, needs=bool(bases[ident]), pinned=pinned)
    return memories, bases


def _memory(chance: Chance, tenant: str, ident: str, sequence: int, *, needs: bool, pinned: bool) -> Memory:
    created = NOW - chance.below(400) * DAY_MS // chance.pick((1, 1, 1_000))
    tier = chance.pick((Tier.LIVE,) * 8 + (Tier.LATENT, Tier.LIVE if needs else Tier.TOMBSTONE))
    subject = chance.pick(_NAMES)
    whole = tier is not Tier.TOMBSTONE
    times = chance.pick((0, 0, 1, 3, 50))
    return Memory(
        id=ident,
        tenant=tenant,
        kind=chance.pick(KINDS),
        content=f"{MARKER} {subject} {sequence}" if whole else None,
        created=created,
        sequence=sequence,
        valid_from=created,
        key=chance.pick((None, None, "diet", "home")),
        sensitivity=chance.below(11) / 10,
        weight=chance.pick(_WEIGHTS) if whole else 0,
        session=chance.pick((None, "s1", "s2")),
        subjects=(subject,),
        superseded_at=created + chance.below(NOW - created + 1) if chance.percent(15) else None,
        pinned=whole and tier is Tier.LIVE and (pinned or chance.percent(8)),
        tier=tier,
        last_access=created + chance.below(NOW - created + 1) if times else created,
        access_count=times,
        score=chance.below(101),
    )


def _rank(memory: Memory) -> str:
    """Return the rank that a memory has by what it says: a few are said by a fact, or what a life depends on."""
    return (RESTATED, VITAL, *[CURRENT] * 8)[memory.sequence % 10]


def _covers(memory: Memory) -> set[tuple[str, str]]:
    """Return what a memory covers: its subjects, the entities of their names, and its key."""
    found = {(sort, name) for sort in ("subject", "entity") for name in memory.subjects}
    return found if memory.key is None else found | {("key", f"{memory.key} {sorted(memory.subjects)}")}


def _features(memory: Memory) -> dict[str, int]:
    """Return the row of a memory in a table of features."""
    chance = Chance(SeededSource(f"features of {memory.id}"))
    return {
        "kind": KINDS.index(memory.kind),
        "weight": memory.weight,
        "sequence": memory.sequence,
        "created": memory.created,
        "lastAccess": memory.last_access or memory.created,
        "accessCount": memory.access_count,
        "rank": int(SUPERSEDED if memory.superseded_at is not None else _rank(memory)),
        "sensitivity": round(memory.sensitivity * 1_000_000),
        "score": memory.score,
        "generality": chance.pick((0, 400_000)),
        "goal": chance.pick((0, 250_000, 900_000)),
        "nearness": chance.pick((0, 1_000, 50_000)),
        "degree": chance.pick((0, 2, 30)),
        "novelty": chance.pick((0, 500_000, 1_000_000)),
        "deadline": memory.created + DAY_MS,
        "active": int(memory.kind is Kind.TASK),
        # The store knows better which of them may go.
        "open": 1,
    }


def _write(store: SampleStore, chance: Chance) -> None:
    engine = store.engine.name
    blockers = Counter(
        base for ident, bases in store.bases.items() if store.memories[ident].content is not None for base in bases
    )
    protected = store.protected
    for kind in Kind:
        rows = [
            _row(store, memory, chance, guarded=ident in protected, blockers=blockers[ident])
            for ident, memory in store.memories.items()
            if memory.kind is kind
        ]
        if rows:
            store.engine.write(statement("create_bare_memories", engine, kind=kind), {"rows": rows})
    _draw(store, EdgeType.DEPENDS_ON, [(ident, base) for ident, bases in store.bases.items() for base in bases])
    named = [(memory.id, memory.subjects[0]) for memory in store.memories.values() if memory.content is not None]
    entities = [Entity(name, store.tenant, name, NOW, 0) for name in sorted({name for _, name in named})]
    if entities:
        rows = [codec.encode_entity(entity) for entity in entities]
        store.engine.write(statement("create_entities", engine), {"rows": rows})
        _draw(store, EdgeType.MENTIONS, named)


def _row(store: SampleStore, memory: Memory, chance: Chance, *, guarded: bool, blockers: int) -> dict[str, Any]:
    row = {**codec.encode_memory(memory), "guards": int(guarded), "blockers": blockers, "evictionRank": _rank(memory)}
    if chance.percent(10):
        row |= {"eligibleAccess": memory.created, "eligibleCount": memory.access_count // 2}
    if memory.tier is Tier.LIVE and not guarded and not blockers:
        marked = (memory.created, memory.access_count // 2) if "eligibleAccess" in row else None
        row |= order_keys(
            store.settings.scoring,
            tenant=store.tenant,
            kind=memory.kind,
            weight=memory.weight,
            created=memory.created,
            last_access=memory.last_access,
            access_count=memory.access_count,
            sequence=memory.sequence,
            rank=SUPERSEDED if memory.superseded_at is not None else _rank(memory),
            random_position=exp_position(chance.source, 0),
            eligible=marked,
            sliced=store.settings.partitions.on,
        )
    return row


def _draw(store: SampleStore, edge: EdgeType, pairs: Sequence[tuple[str, str]]) -> None:
    name = "create_mentions" if edge is EdgeType.MENTIONS else "create_edges"
    rows = [
        {
            "source": codec.ref(store.tenant, source),
            "target": codec.ref(store.tenant, target),
            "properties": codec.encode_edge(Edge(source, edge, target, NOW)),
        }
        for source, target in pairs
    ]
    if rows:
        kind = None if edge is EdgeType.MENTIONS else edge
        store.engine.write(statement(name, store.engine.name, edge=kind), {"rows": rows})
