"""Small graphs for the tests of policies: built by plain Cypher, and forgotten by a scan that is plainly right.

``reference`` is the definition of a policy that tests compare with: look at every leaf, take the best, look again.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from marskg.clock import DAY_MS, SeededSource
from marskg.config import FEATURES, Settings
from marskg.ontology.vocabulary import KINDS, Kind, Tier
from marskg.policies.core.features import FeatureTable, Links
from marskg.store.rows.index_gaps import Gap, IndexGaps
from marskg.store.rows.kind_statistics import KindStatistics
from marskg.store.rows.order_keys import (
    CURRENT,
    RESTATED,
    SUPERSEDED,
    VITAL,
    Access,
    DecayScale,
    exp_position,
    importance,
    order_keys,
)
from marskg.store.rows.read_statistics import Usage
from marskg.store.statements.schema import migrate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.records import Plan
    from marskg.reflection.passages import Sensing
    from marskg.store.engine.protocol import Engine
    from marskg.store.unit.vectors import Vectoriser

NOW = 1_790_000_000_000
_TENANTS = count(1)


@dataclass(frozen=True)
class Node:
    """One memory of a test graph; ``bases`` are the ids that it depends on."""

    id: str
    kind: Kind = Kind.EPISODIC
    weight: int = 10
    created: int = NOW - DAY_MS
    last: int = NOW - DAY_MS
    times: int = 0
    sequence: int = 1
    superseded_at: int | None = None
    #: Its rank by what it says, while it is current.
    said: str = CURRENT
    tier: Tier = Tier.LIVE
    guarded: bool = False
    bases: tuple[str, ...] = ()
    marked: Access | None = None
    position: int = 0

    @property
    def rank(self) -> str:
        """Return its rank in every order of eviction."""
        return self.said if self.superseded_at is None else SUPERSEDED


@dataclass
class Graph:
    """One tenant of a store, with the policies' view of it."""

    engine: Engine
    nodes: dict[str, Node]
    tenant: str = field(default_factory=lambda: f"tenant{next(_TENANTS)}")
    settings: Settings = field(default_factory=Settings)
    now: int = NOW
    sequence: int = 1000
    statements: list[str] = field(default_factory=list)
    rows: int = 0
    empty: IndexGaps = field(default_factory=IndexGaps)
    ceiling: int | None = None
    within: frozenset[str] | None = None
    usage: Usage = field(default_factory=Usage)
    controls: Mapping[str, str] = field(default_factory=dict)

    @property
    def census(self) -> KindStatistics:
        """Return the live nodes in sums."""
        found = KindStatistics()
        for node in self.nodes.values():
            if node.tier is Tier.LIVE:
                found = found.moved(node.kind, node.weight, node.created, 1)
        return found

    vectoriser: Vectoriser | None = None
    sensing: Sensing | None = None
    summariser: None = None

    @property
    def weight(self) -> int:
        """Return what the live nodes weigh."""
        return sum(node.weight for node in self.nodes.values() if node.tier is Tier.LIVE)

    @property
    def protected(self) -> set[str]:
        """Return K: what is guarded, closed under dependsOn."""
        found: set[str] = set()
        queue = [node.id for node in self.nodes.values() if node.guarded and has_content(node)]
        while queue:
            node_id = queue.pop()
            if node_id not in found:
                found.add(node_id)
                queue.extend(self.nodes[node_id].bases)
        return found

    def run(self, statement: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Run a reading statement and count what it read."""
        rows = self.engine.read(statement, parameters)
        self.statements.append(statement)
        self.rows += len(rows)
        return rows

    def timed(self, statement: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Run a reading statement of a user's."""
        return self.run(statement, parameters)

    def index_gaps(self, key_name: str) -> list[Gap]:
        """Return the ranges of an index that are known to be empty."""
        return self.empty.worth_skipping(key_name)

    def table(self, *, linked: bool = False) -> FeatureTable:
        """Return the features of the live nodes: what a node does not have is drawn by its name. They cover nothing."""
        live = [node for node in self.nodes.values() if node.tier is Tier.LIVE]
        rows = [_features_of(node) for node in live]
        columns = {name: np.array([row[name] for row in rows]) for name in _features_of(Node("none"))}
        places = {node.id: place for place, node in enumerate(live)}
        blockers, protected = self.blockers(), self.protected
        links = Links.of(
            [()] * len(live),
            [[places[base] for base in node.bases if base in places] for node in live],
            [node.id in protected for node in live],
            [blockers[node.id] for node in live],
        )
        return FeatureTable(list(places), columns, "none", links if linked else None)

    def properties(self) -> list[dict[str, Any]]:
        """Return the nodes as the store holds them."""
        protected = self.protected
        blockers = self.blockers()
        return [self._node(node, node.id in protected, blockers[node.id]) for node in self.nodes.values()]

    def blockers(self) -> dict[str, int]:
        """Return for each node how many nodes with content depend on it."""
        found = dict.fromkeys(self.nodes, 0)
        for node in self.nodes.values():
            if has_content(node):
                for base in node.bases:
                    found[base] += 1
        return found

    def _node(self, node: Node, guarded: bool, blockers: int) -> dict[str, Any]:  # noqa: FBT001
        row: dict[str, Any] = {
            "ref": f"{self.tenant}|{node.id}",
            "id": node.id,
            "tenant": self.tenant,
            "kind": node.kind.value,
            "weight": node.weight,
            "created": node.created,
            "lastAccess": node.last,
            "accessCount": node.times,
            "sequence": node.sequence,
            "tier": node.tier.value,
            "guards": int(guarded),
            "blockers": blockers,
            "content": f"secret of {node.id}",
        }
        if node.superseded_at is not None:
            row["supersededAt"] = node.superseded_at
        if node.said != CURRENT:
            row["evictionRank"] = node.said
        if node.marked is not None:
            row["eligibleAccess"], row["eligibleCount"] = node.marked
        if node.tier is Tier.LIVE and not guarded and not blockers:
            row.update(self.keys(node))
        return row

    def keys(self, node: Node) -> dict[str, str]:
        """Return the order keys of a node."""
        return order_keys(
            self.settings.scoring,
            tenant=self.tenant,
            kind=node.kind,
            weight=node.weight,
            created=node.created,
            last_access=node.last,
            access_count=node.times,
            sequence=node.sequence,
            rank=node.rank,
            random_position=node.position,
            eligible=node.marked,
            sliced=self.settings.partitions.on,
        )


def has_content(node: Node) -> bool:
    """Return whether the node is whole."""
    return node.tier in {Tier.LIVE, Tier.LATENT}


def prepare(engine: Engine) -> Engine:
    """Give a new store its schema."""
    migrate(engine)
    return engine


def store(*graphs: Graph) -> None:
    """Write graphs of one engine, in a few statements."""
    engine = graphs[0].engine
    rows = [(row, Kind(row["kind"])) for graph in graphs for row in graph.properties()]
    edges = [
        {"source": f"{graph.tenant}|{node.id}", "target": f"{graph.tenant}|{base}"}
        for graph in graphs
        for node in graph.nodes.values()
        for base in node.bases
    ]
    for kind in Kind:
        mine = [row for row, its in rows if its is kind]
        for start in range(0, len(mine), 2000):
            text = f"UNWIND $rows AS row CREATE (m:Memory:{kind.label}) SET m = row"
            engine.write(text, {"rows": mine[start : start + 2000]})
    text = (
        "UNWIND $rows AS row MATCH (s:Memory {ref: row.source}) MATCH (t:Memory {ref: row.target}) "
        "CREATE (s)-[:dependsOn]->(t)"
    )
    for start in range(0, len(edges), 2000):
        engine.write(text, {"rows": edges[start : start + 2000]})


def random_nodes(seed: int, size: int) -> dict[str, Node]:
    """Return a random acyclic graph with every kind of obstacle in it."""
    chance = random.Random(seed)
    nodes: dict[str, Node] = {}
    source = SeededSource(seed)
    for number in range(size):
        created = NOW - chance.randint(0, 400) * DAY_MS // chance.choice([1, 1000])
        last = chance.choice([created, chance.randint(created, NOW)])
        times = chance.choice([0, 0, 1, 3, 50])
        node_id = f"n{number}"
        bases = tuple(other for other in nodes if chance.random() < 0.1 and has_content(nodes[other]))
        nodes[node_id] = Node(
            id=node_id,
            kind=chance.choice(list(Kind)),
            weight=chance.choice([1, 7, 7, 20, 20, chance.randint(1, 400)]),
            created=created,
            last=last,
            times=times,
            sequence=number + 1,
            superseded_at=chance.randint(created, NOW) if chance.random() < 0.15 else None,
            said=random.Random(f"{seed} {number}").choice([*[CURRENT] * 6, RESTATED, VITAL]),
            tier=chance.choices([Tier.LIVE, Tier.LATENT, Tier.TOMBSTONE], [8, 1, 0 if bases else 1])[0],
            guarded=chance.random() < 0.1,
            bases=bases,
            marked=Access(created, times // 2) if chance.random() < 0.1 else None,
            position=exp_position(source, 0),
        )
    return nodes


# --- The definition of each policy -------------------------------------------------------------------------------


def by_creation(_graph: Graph, node: Node, _watermark: int) -> tuple[Any, ...]:
    return (node.created, node.sequence)


def by_access(_graph: Graph, node: Node, _watermark: int) -> tuple[Any, ...]:
    return (node.last, node.sequence)


def by_density(graph: Graph, node: Node, _watermark: int) -> tuple[Any, ...]:
    access = node.marked or Access(node.last, node.times)
    scale = DecayScale(graph.settings.scoring, graph.now)
    return scale.place_of(node.kind, node.weight, access, "1", node.sequence)


def _features_of(node: Node) -> dict[str, Any]:
    """Return the row of a node in a table of features."""
    chance = random.Random(node.id)
    return {
        "kind": KINDS.index(node.kind),
        "weight": node.weight,
        "sequence": node.sequence,
        "created": node.created,
        "lastAccess": node.last,
        "accessCount": node.times,
        "rank": int(node.rank),
        "sensitivity": chance.choice([0, 0, 300_000, 1_000_000]),
        "score": chance.choice([0, 50, 90]),
        "generality": chance.choice([0, 400_000]),
        "goal": chance.choice([0, 250_000, 900_000]),
        "nearness": chance.choice([0, 1_000, 50_000]),
        "degree": chance.choice([0, 2, 30]),
        "novelty": chance.choice([0, 500_000, 1_000_000]),
        "deadline": node.last + DAY_MS,
        "active": node.kind is Kind.TASK,
        # The store knows better which of them may go.
        "open": True,
    }


def by_utility(graph: Graph, node: Node, _watermark: int) -> tuple[Any, ...]:
    """Return MaRS eq. (5) with sums and powers of its own."""
    row, settings = _features_of(node), graph.settings
    scoring, density = settings.scoring, settings.policy.density
    idle = max(0, graph.now - node.last)
    fading = max(0, idle - 30 * DAY_MS) / (180 * DAY_MS)
    psi = {
        "recency": math.exp(-scoring.lambda_age * idle / DAY_MS),
        "frequency": node.times / (node.times + scoring.frequency_half),
        "goal": row["goal"] / 1e6,
        "centrality": row["nearness"] / 1e6 / (row["nearness"] / 1e6 + density.centrality_half),
        "degree": row["degree"] / (row["degree"] + density.degree_half),
        "generality": row["generality"] / 1e6,
        "novelty": row["novelty"] / 1e6,
        "score": math.floor(row["score"] * 2.0**-fading + 0.5) / 100,
        "urgency": 2.0 ** -(max(0, row["deadline"] - graph.now) / density.urgency_half) if row["active"] else 0.0,
    }
    utility = sum(density.theta[node.kind][name] * psi[name] for name in FEATURES)
    return (round((utility - density.lambda_priv * row["sensitivity"] / 1e6) / node.weight * 1e9), node.sequence)


def by_removal(graph: Graph, node: Node, _watermark: int) -> tuple[Any, ...]:
    """Return MaRS section 3.3.3's priority as fractions, the highest first."""
    scoring = graph.settings.scoring
    most = scoring.alpha * max(scoring.type_weights.values()) + scoring.beta + scoring.gamma
    imp = importance(scoring, node.kind, node.last, node.times, graph.now) / most
    aged = 1 - math.exp(-scoring.lambda_age * max(0, graph.now - node.created) / DAY_MS)
    priority = round(_features_of(node)["sensitivity"] / 1e6 * aged * (1 - imp) * 1e6)
    return (-priority, *by_utility(graph, node, 0))


def reference(graph: Graph, order: Any, target: int, exclude: frozenset[str] = frozenset()) -> list[str]:
    """Return the ids that a policy with this order takes, by looking at every leaf before each."""
    weight, gone, taken = graph.weight, set[str](), []
    protected = graph.protected
    while weight > target:
        needed = {
            base for node in graph.nodes.values() if has_content(node) and node.id not in gone for base in node.bases
        }
        leaves = [
            node
            for node in graph.nodes.values()
            if node.tier is Tier.LIVE and not {node.id} & (gone | protected | needed | exclude)
        ]
        if not leaves:
            break
        best = min(leaves, key=lambda node: (node.rank, *order(graph, node, 0)))
        gone.add(best.id)
        taken.append(best.id)
        weight -= best.weight
    return taken


def realised_loss(graph: Graph, plan: Plan) -> float:
    """Return the sum of importance over what the plan takes."""
    scoring = graph.settings.scoring
    nodes = [graph.nodes[action.id] for action in plan.actions]
    return sum(importance(scoring, node.kind, node.last, node.times, graph.now) for node in nodes)


def after(graph: Graph, plan: Plan) -> dict[str, Node]:
    """Return the nodes as they are once the plan is carried out."""
    tiers = {action.id: action.tier_after for action in plan.actions}
    return {node.id: replace(node, tier=tiers.get(node.id, node.tier)) for node in graph.nodes.values()}


def ids(plan: Plan) -> list[str]:
    """Return the ids of the plan's actions in their order."""
    return [action.id for action in plan.actions]
