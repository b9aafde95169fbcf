"""A tenant's graph as it lies in the database, and what the semantics say about any such graph, worked out anew.

Nothing here uses the store's own reading, counting or checking: rows come from plain Cypher, and protection, leaves,
closure, chain and slots are computed from nodes and edges alone. ``faults`` names each breach of an invariant by a
code; a test plants each breach once and sees it named (``tests/property/test_histories_checker.py``).
"""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from marskg.ontology.protection import Sort
from marskg.store.rows.order_keys import CURRENT, SUPERSEDED
from marskg.store.statements.handling import Nodes, Statement, handled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from marskg.store.engine.protocol import Engine

#: One reading of each: what crosses from an engine costs more than what it looks up.
NODES = Statement(
    "MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high RETURN properties(m) AS node, labels(m) AS labels, "
    "[(m)-[e]->(t) | [type(e), t.id, t.ref, properties(e)]] AS edges",
    "nodes",
    handled("low high", {"node": Nodes(Sort.MEMORY)}),
)
ENTITIES = Statement(
    "MATCH (n:Entity) WHERE n.ref >= $low AND n.ref < $high RETURN properties(n) AS node, "
    "[(n)-[e]->(t) | [type(e), t.id, t.ref, properties(e)]] AS edges",
    "entities",
    handled("low high", {"node": Nodes(Sort.ENTITY)}),
)
RECORDS = Statement(
    "MATCH (a:AuditRecord) WHERE a.ref >= $low AND a.ref < $high "
    "RETURN a.sequence AS sequence, a.operation AS operation, a.memories AS memories ORDER BY a.ref",
    "records",
    handled("low high"),
)
TENANT = Statement("MATCH (t:Tenant {ref: $tenant}) RETURN properties(t) AS row", "tenant", handled("tenant"))
PLACE = Statement(
    "MATCH (t:Tenant {ref: $tenant}) RETURN t.sequence AS sequence, t.accessSequence AS accessed",
    "place",
    handled("tenant"),
)

KINDS = ("episodic", "semantic", "social", "task")
ACTIVE = {"open", "in_progress", "blocked"}
ACYCLIC = {"derivesFrom", "dependsOn", "supersedes", "requires"}
KEPT_BY_TOMBSTONES = {"derivesFrom", "dependsOn", "supersedes"}
#: All that a tombstone may hold besides its id, kind and place in the store.
TOMBSTONE = {
    *("ref", "id", "tenant", "kind", "sequence", "created", "validFrom", "validTo", "supersededAt", "weight"),
    *("tier", "tierHistory", "subjectHandles", "originHandles"),
}
#: Properties that the store works out from others, that reading changes, or a model: outside a memory's commitment.
DERIVED = {
    *("guards", "blockers", "guarding", "dueKey", "slotKey", "sessionKey", "fifoKey", "lruKey", "decayKey"),
    *("randomKey", "eligibleAccess", "eligibleCount", "lastAccess", "accessCount", "score", "strength"),
    *("evictionRank", "answer"),
}

Edge = tuple[str, str, str]
Fault = tuple[str, str]


@dataclass(frozen=True)
class Picture:
    """Everything that one tenant has in the graph, except its audit records."""

    row: dict[str, Any]
    nodes: dict[str, dict[str, Any]]
    labels: dict[str, tuple[str, ...]]
    edges: tuple[tuple[Edge, str, tuple[tuple[str, Any], ...]], ...]
    entities: dict[str, dict[str, Any]]
    entity_edges: tuple[tuple[Edge, str, tuple[tuple[str, Any], ...]], ...]

    @property
    def place(self) -> tuple[int, int]:
        """Where the tenant's two logs end."""
        return self.row["sequence"], self.row["accessSequence"]

    @cached_property
    def _whole(self) -> frozenset[str]:
        """The memories with content."""
        return frozenset(node_id for node_id, node in self.nodes.items() if node["tier"] in {"live", "latent"})

    def whole(self, node_id: str) -> bool:
        """Return whether a memory exists with content."""
        return node_id in self._whole

    @cached_property
    def replacing(self) -> tuple[Edge, ...]:
        """The edges from a value to what it superseded."""
        return tuple(edge for edge, _, _ in self.edges if edge[1] == "supersedes")

    @cached_property
    def sliced(self) -> bool:
        """Whether the kinds have shares of the budget."""
        return bool(json.loads(self.row["settings"])["partitions.mode"] != "off")

    def outlives(self, source: str, target: str) -> bool:
        """Return whether ``source`` expires later than ``target``, or never although that does."""
        limit = self.nodes[target].get("expiresAt")
        return limit is not None and self.nodes[source].get("expiresAt", limit + 1) > limit

    @cached_property
    def _targets(self) -> dict[str, dict[str, list[str]]]:
        """The targets of the edges, by type and source."""
        found: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for (source, type_, target), _, _ in self.edges:
            found[type_][source].append(target)
        return {type_: dict(by_source) for type_, by_source in found.items()}

    def targets(self, type_: str) -> dict[str, list[str]]:
        """Return the targets of the edges of one type, by source."""
        return self._targets.get(type_, {})

    @cached_property
    def grounds(self) -> dict[str, list[str]]:
        """What each memory with content depends on."""
        return {node_id: found for node_id, found in self.targets("dependsOn").items() if self.whole(node_id)}

    def closed(self, roots: Iterable[str]) -> set[str]:
        """Return ``roots`` with all that they depend on."""
        found: set[str] = set()
        pending = list(roots)
        while pending:
            node_id = pending.pop()
            if node_id not in found:
                found.add(node_id)
                pending += self.grounds.get(node_id, ())
        return found

    @cached_property
    def protected(self) -> set[str]:
        """K of section 4: pins, guarding tasks and what these require, closed under dependsOn."""
        return self.closed(self.roots)

    @cached_property
    def roots(self) -> set[str]:
        """What K grows from: pins, guarding tasks and what these require."""
        whole = [node for node_id, node in self.nodes.items() if self.whole(node_id)]
        guarding = {node["id"] for node in whole if node.get("guarding")}
        requires = self.targets("requires")
        pinned = {node["id"] for node in whole if node.get("pinned")}
        return pinned | guarding | {target for task in guarding for target in requires.get(task, ())}

    @cached_property
    def floor(self) -> int:
        """What the protected memories weigh in the live tier."""
        return sum(self.nodes[one]["weight"] for one in self.protected if self.nodes[one]["tier"] == "live")

    @cached_property
    def governed(self) -> dict[str, object]:
        """What a record is due for when it changes: each memory's and entity's own properties and its edges."""
        edges = defaultdict(list)
        for one in (*self.edges, *self.entity_edges):
            # A tombstone may lose an edge when what it points to goes for good, and temporalNext is derived.
            if one[0][1] != "temporalNext" and (self.whole(one[0][0]) or one[0][0] in self.entities):
                edges[one[0][0]].append(one)
        return {
            node_id: ({name: value for name, value in node.items() if name not in DERIVED}, edges.get(node_id, []))
            for node_id, node in (*self.nodes.items(), *self.entities.items())
        }


def take(engine: Engine, tenant: str) -> Picture:
    """Read what ``tenant`` has."""
    bounds = {"low": f"{tenant}|", "high": f"{tenant}}}"}
    nodes, entities = engine.read(NODES, bounds), engine.read(ENTITIES, bounds)
    return Picture(
        row=engine.read(TENANT, {"tenant": tenant})[0]["row"],
        nodes={row["node"]["id"]: _plain(row["node"]) for row in nodes},
        labels={row["node"]["id"]: tuple(sorted(row["labels"])) for row in nodes},
        edges=_edges(nodes),
        entities={row["node"]["id"]: _plain(row["node"]) for row in entities},
        entity_edges=_edges(entities),
    )


def place(engine: Engine, tenant: str) -> tuple[int, int]:
    """Return where the tenant's two logs end now."""
    row = engine.read(PLACE, {"tenant": tenant})[0]
    return row["sequence"], row["accessed"]


def _plain(node: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in node.items() if value is not None and name[0] != "@"}


def _edges(rows: list[dict[str, Any]]) -> tuple[Any, ...]:
    found = []
    for row in rows:
        source = row["node"]["id"]
        for type_, target, ref, values in row["edges"]:
            properties = {name: value for name, value in values.items() if name[0] != "@"}
            found.append(((source, type_, target), ref, tuple(sorted(properties.items()))))
    return tuple(sorted(found))


def records(engine: Engine, tenant: str, log: str, first: int) -> list[dict[str, Any]]:
    """Return the audit records of one log (``t`` or ``a``) from a sequence number on."""
    bounds = {"low": f"{tenant}|{log}|{first:012d}", "high": f"{tenant}|{log}}}"}
    return engine.read(RECORDS, bounds)


# --- One state ----------------------------------------------------------------------------------------------------


def faults(picture: Picture, *, settled_at: int | None = None) -> list[Fault]:
    """Return every breach of an invariant; ``settled_at`` is the moment up to which expiry has been carried out."""
    found = [
        *_weights(picture),
        *_closure(picture),
        *_protection(picture),
        *_tasks(picture),
        *_chain(picture),
        *_cycles(picture),
        *_tombstones(picture),
        *_slots(picture),
        *_edges_and_entities(picture),
    ]
    if settled_at is not None:
        found += unexpired(picture, settled_at)
    return sorted(found)


def _weights(picture: Picture) -> Iterator[Fault]:
    """I1, and the sums that the tenant's row keeps."""
    sums = {"live": 0, "latent": 0, "tombstone": 0}
    for node in picture.nodes.values():
        sums[node["tier"]] += node["weight"]
    live = [node for node in picture.nodes.values() if node["tier"] == "live"]
    by_kind = [[node for node in live if node["kind"] == kind] for kind in KINDS]
    census = [sum(node["weight"] for node in one) for one in by_kind] + [len(one) for one in by_kind]
    census.append(sum(node["created"] // 1000 for node in live))
    # The user stands higher, and documents and other sources that somebody vouches for.
    lower = [
        node
        for node in live
        if node["sourceType"] != "chat_user" and node["reliability"] <= (0.5 if node["sourceType"] == "doc" else 0.6)
    ]
    census += [sum(node["weight"] for node in one) for one in (lower, [n for n in lower if (n.get("guards") or 0) > 0])]
    if list(picture.row["census"]) != census:
        yield "census", f"{list(picture.row['census'])} in place of {census}"
    yield from _quotas(picture)
    if sums["live"] > picture.row["budget"]:
        yield "I1-budget", f"{sums['live']} of {picture.row['budget']}"
    expected = {"weight": sums["live"], "latentWeight": sums["latent"], "protectedWeight": picture.floor}
    for name, value in expected.items():
        if picture.row[name] != value:
            yield f"I1-{name}", f"row {picture.row[name]}, nodes {value}"


def _quotas(picture: Picture) -> Iterator[Fault]:
    """The budgets of single users and conversations: what the live memories about one, or of one, weigh."""
    settings = json.loads(picture.row["settings"])
    used: defaultdict[tuple[str, str], int] = defaultdict(int)
    for node in picture.nodes.values():
        if node["tier"] == "live":
            for subject in node.get("subjects", ()):
                used["user", subject] += node["weight"]
            if "session" in node:
                used["conversation", node["session"]] += node["weight"]
    for (sort, name), weight in used.items():
        budget = settings[f"partitions.{sort}_budget"]
        if budget is not None and weight > budget:
            yield f"I1-{sort}", f"{name} has {weight} of {budget}"


def _closure(picture: Picture) -> Iterator[Fault]:
    """I2, I3, and that no edge leaves the tenant (I8)."""
    for (source, type_, target), ref, _ in (*picture.edges, *picture.entity_edges):
        if ref != f"{picture.row['ref']}|{target}":
            yield "I8-edge", f"{source} {type_} {ref}"
        elif type_ == "dependsOn" and picture.whole(source) and not picture.whole(target):
            yield "I3-closure", f"{source} depends on {target}"
        elif type_ == "dependsOn" and picture.whole(source) and picture.outlives(source, target):
            yield "I5-clamp", f"{source} outlives {target}"


def _protection(picture: Picture) -> Iterator[Fault]:
    """Who is protected, who is a leaf, and that the order keys are on the leaves alone."""
    protected = picture.protected
    needed = {base for bases in picture.grounds.values() for base in bases}
    for node_id, node in picture.nodes.items():
        if not picture.whole(node_id):
            continue
        if (node.get("guards", 0) > 0) != (node_id in protected):
            yield "K-guards", f"{node_id} has {node.get('guards', 0)}"
        if (node.get("blockers", 0) > 0) != (node_id in needed):
            yield "leaf-blockers", f"{node_id} has {node.get('blockers', 0)}"
        leaf = node["tier"] == "live" and node_id not in protected and node_id not in needed
        for name in ("fifoKey", "lruKey", "decayKey", "randomKey"):
            if (name in node) != leaf:
                yield "leaf-keys", f"{node_id} {name}"
        for name in ("fifoKey", "lruKey", "decayKey", "randomKey"):
            # Where kinds have shares of the budget, the kind comes first.
            part = f"{KINDS.index(node['kind'])}|" if picture.sliced else ""
            rank = SUPERSEDED if "supersededAt" in node else node.get("evictionRank", CURRENT)
            begins = f"{picture.row['ref']}|{part}{rank}"
            if name in node and not node[name].startswith(begins):
                yield "leaf-rank", f"{node_id} {name}"


def _tasks(picture: Picture) -> Iterator[Fault]:
    """I4: an active task's prerequisites have content; only active tasks guard."""
    requires = picture.targets("requires")
    for node_id, node in picture.nodes.items():
        active = node["kind"] == "task" and picture.whole(node_id) and node.get("status") in ACTIVE
        if node.get("guarding") and not active:
            yield "I4-guarding", node_id
        for target in requires.get(node_id, ()):
            if active and not picture.whole(target):
                yield "I4-requires", f"{node_id} requires {target}"


def _chain(picture: Picture) -> Iterator[Fault]:
    """I6: temporalNext runs through the episodes with content of each session, by validFrom, then sequence."""
    sessions = defaultdict(list)
    for node_id, node in picture.nodes.items():
        if node["kind"] == "episodic" and picture.whole(node_id):
            sessions[node.get("session")].append((node["validFrom"], node["sequence"], node_id))
    expected = {(one[2], two[2]) for episodes in sessions.values() for one, two in pairwise(sorted(episodes))}
    stored = {(source, target) for (source, type_, target), _, _ in picture.edges if type_ == "temporalNext"}
    for pair in expected ^ stored:
        yield "I6-chain", " → ".join(pair)


def _cycles(picture: Picture) -> Iterator[Fault]:
    """Section 2: the four edges together are acyclic."""
    following: defaultdict[str, set[str]] = defaultdict(set)
    degree = dict.fromkeys(picture.nodes, 0)
    for (source, type_, target), _, _ in picture.edges:
        if type_ in ACYCLIC and target not in following[source] and target in degree:
            following[source].add(target)
            degree[target] += 1
    ready = [node_id for node_id, count in degree.items() if not count]
    seen = 0
    while ready:
        seen += 1
        for target in following[ready.pop()]:
            degree[target] -= 1
            if not degree[target]:
                ready.append(target)
    if seen < len(degree):
        yield "cycle", f"{len(degree) - seen} memories"


def _tombstones(picture: Picture) -> Iterator[Fault]:
    """Section 3: what a tombstone keeps, and how long."""
    referred = {target for (source, type_, target), _, _ in picture.edges if picture.whole(source)}
    for node_id, node in picture.nodes.items():
        if picture.whole(node_id):
            if not node.get("content") or not node.get("salt"):
                yield "content-missing", node_id
            continue
        for name in set(node) - TOMBSTONE:
            yield "tombstone-keeps", f"{node_id} {name}"
        if node["weight"] != 0:
            yield "tombstone-weight", node_id
        if node_id not in referred:
            yield "tombstone-unreferred", node_id
    for (source, type_, _), _, _ in picture.edges:
        if not picture.whole(source) and type_ not in KEPT_BY_TOMBSTONES:
            yield "tombstone-edge", f"{source} {type_}"


def _slots(picture: Picture) -> Iterator[Fault]:
    """Section 1: one current value of a single key, the latest; no equal ones in a set; one cardinality a slot."""
    slots = defaultdict(list)
    for node_id, node in picture.nodes.items():
        if picture.whole(node_id) and "key" in node:
            slots[node["key"], tuple(node.get("subjects", ()))].append(node)
    for slot, members in slots.items():
        if len({node["cardinality"] for node in members}) > 1:
            yield "slot-cardinality", str(slot)
        current = [node for node in members if "supersededAt" not in node and "validTo" not in node]
        if members[0]["cardinality"] == "single":
            if len(current) > 1:
                yield "slot-single", str(slot)
            ended = [node for node in members if node not in current and node["validFrom"] > node.get("validTo", 0)]
            if current and any(node["validFrom"] > current[0]["validFrom"] for node in members) and not ended:
                yield "slot-latest", str(slot)
        if members[0]["cardinality"] == "set":
            # A task that was closed and is taken up again is a value of its own.
            said = [node for node in current if node["kind"] != "task"]
            values = [(node["kind"], _normal(node["content"]), *_payload(node)) for node in said]
            if len(values) != len(set(values)):
                yield "slot-set", str(slot)


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _payload(node: dict[str, Any]) -> tuple[str, ...]:
    names = {"event", "context", "concept", "relations", "amount", "entity", "attributes", "goal", "dependencies"}
    return tuple(f"{name}={node[name]}" for name in sorted(names & set(node)))


def _edges_and_entities(picture: Picture) -> Iterator[Fault]:
    """No edge twice, labels as the kind says, entities as long as somebody mentions them."""
    for one, two in pairwise(picture.edges):
        if one[0] == two[0]:
            yield "edge-twice", str(one[0])
    for node_id, labels in picture.labels.items():
        if labels != tuple(sorted(("Memory", picture.nodes[node_id]["kind"].capitalize()))):
            yield "labels", f"{node_id} {labels}"
    used = {target for (_, _, target), _, _ in (*picture.edges, *picture.entity_edges)}
    for entity_id in picture.entities:
        if entity_id not in used:
            yield "entity-unused", entity_id


def unexpired(picture: Picture, now: int) -> Iterator[Fault]:
    """I5: nothing outlives its expiry; a task whose deadline and longest grace passed guards nothing."""
    for node_id, node in picture.nodes.items():
        if picture.whole(node_id) and node.get("expiresAt", now + 1) <= now:
            yield "I5-expired", node_id
        if picture.whole(node_id) and node.get("guarding") and node.get("deadline", now) < now - 366 * 86_400_000:
            yield "I5-deadline", node_id


# --- One step -----------------------------------------------------------------------------------------------------


def changed(before: Picture, after: Picture) -> set[str]:
    """Return the ids of the memories and entities whose governed content, edges or existence differ."""
    was, now = before.governed, after.governed
    return {node_id for node_id in {*was, *now} if was.get(node_id) != now.get(node_id)}


def lost_grounds(before: Picture, after: Picture) -> set[Edge]:
    """Return the edges that I2 and I3 rest on which memories with content had before and have no more.

    An id that is free again may have been given to another memory, which owes nothing to the one that left. What
    depended on a summary depends on its new version, once lines have left.
    """
    kept = {edge for edge, _, _ in after.edges}
    kept |= {
        (source, type_, old)
        for (source, type_, new) in kept
        if type_ == "dependsOn"
        for (newer, _, old) in after.replacing
        if newer == new and "summaryLines" in before.nodes.get(old, {})
    }
    return {
        edge
        for edge, _, _ in before.edges
        if edge[1] in KEPT_BY_TOMBSTONES and edge not in kept and _is_same(before, after, edge[0])
    }


def _is_same(before: Picture, after: Picture, node_id: str) -> bool:
    """Return whether a memory had content in both states and is still the one that was written then."""
    both = before.whole(node_id) and after.whole(node_id)
    return both and before.nodes[node_id]["sequence"] == after.nodes[node_id]["sequence"]


def lost_its_lines(before: Picture, after: Picture, node_id: str) -> bool:
    """Return whether a source of each line of a summary was superseded on the way, or of some, for a new version of it.

    Semantics section 6. A source is superseded itself, or with the last fact that was drawn
    from it; a summary is no such fact.
    """
    superseded = {
        source
        for source, node in after.nodes.items()
        if "supersededAt" in node and "supersededAt" not in before.nodes.get(source, {"supersededAt": 0})
    }
    facts = {source for source in superseded if "summaryLines" not in before.nodes[source]}
    drawn = {edge[2] for edge, _, _ in before.edges if edge[1] == "derivesFrom" and edge[0] in facts}
    lines = before.nodes[node_id].get("summaryLines", ())
    left = [not (superseded | drawn).isdisjoint(line.split(" ", 5)[4].split(",")) for line in lines]
    return any(left) and (all(left) or any(old == node_id for _, _, old in after.replacing))


# --- Two stores ---------------------------------------------------------------------------------------------------


def assert_equal(one: Picture, other: Picture) -> None:
    """Compare what equal inputs have left in two stores (I9), part by part so that a failure names the part."""
    for part in ("row", "labels", "edges", "entities", "entity_edges"):
        assert getattr(one, part) == getattr(other, part), f"I9: {part}"
    for node_id in sorted({*one.nodes, *other.nodes}):
        assert one.nodes.get(node_id) == other.nodes.get(node_id), f"I9: {node_id}"
