"""Changes of a store behind the log's back, by somebody who can write the graph and has no key: one table.

Each is made on a tenant of its own that verifies and validates, and is then looked for by a handle that reads the store
anew. ``codes`` are the findings of which at least one has to be there; a change that no check can show names the
sentence of :data:`marskg.audit.limits.LIMITS` that says so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from marskg.audit.record import new_salt
from marskg.clock import SeededSource
from marskg.store.tenant.opening import attach
from tests.support.stores import Apart, Stores

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.memory import AgentMemory

_RECORD: Final = "MATCH (a:AuditRecord {ref: $ref})"
_TENANT: Final = "MATCH (t:Tenant {ref: $tenant})"
_MEMORY: Final = "MATCH (m:Memory {ref: $ref})"


class Graph:
    """A tenant's graph as somebody sees it who writes past the product."""

    def __init__(self, stores: Stores, memory: AgentMemory, ids: dict[str, str]) -> None:
        self._stores, self.memory, self.ids = stores, memory, ids
        self.tenant = memory.tenant
        self.log, self.access_log = memory._writer.state.log, memory._writer.state.access_log
        self.last = memory._writer.state.sequence
        self.last_access = memory._writer.state.access_sequence

    def run(self, text: str, **parameters: Any) -> list[dict[str, Any]]:
        """Run a writing statement; ``$tenant`` is the tenant."""
        return self._stores.engine.write(text, {"tenant": self.tenant, **parameters})

    def ref(self, name: str) -> str:
        return f"{self.tenant}|{self.ids[name]}"

    def record(self, sequence: int, letter: str = "t") -> str:
        return f"{self.tenant}|{letter}|{sequence:012d}"

    def row(self) -> dict[str, Any]:
        return dict(self.run(f"{_TENANT} RETURN properties(t) AS row")[0]["row"])

    def set_row(self, **values: Any) -> None:
        self.run(f"{_TENANT} SET t += $values", values=values)

    def drop(self, label: str, low: str, high: str | None = None) -> None:
        """Delete the nodes of a label from one reference on, up to another."""
        text = f"MATCH (n:{label}) WHERE n.ref >= $low AND n.ref < $high DETACH DELETE n RETURN count(*) AS gone"
        assert self.run(text, low=low, high=high or f"{low}~")[0]["gone"]

    def drop_records(self, first: int, letter: str = "t") -> None:
        self.drop("AuditRecord", self.record(first, letter), f"{self.tenant}|{letter}}}")

    def drop_heads(self, log: str, first: int = 0) -> None:
        self.drop("TreeHead", f"{self.tenant}|{log}|{first:012d}", f"{self.tenant}|{log}}}")

    def again(self) -> AgentMemory:
        """Open the tenant as another process would."""
        apart = Apart(self._stores.engine)
        opened, _ = attach(
            apart,  # type: ignore[arg-type]  # an engine by all that it has
            self._stores.location,
            self.tenant,
            self.memory.settings.current,
            clock=self._stores.clocks[self.tenant],
            source=SeededSource(7),
            actor="operator",
        )
        from marskg.memory import AgentMemory  # noqa: PLC0415 - heavy, and the table is read by others

        return AgentMemory(opened)


@dataclass(frozen=True)
class Tampering:
    """One change, and what has to be found; ``limit`` begins the sentence that says that it cannot be."""

    name: str
    act: Callable[[Graph], object]
    codes: tuple[str, ...] = ()
    limit: str = ""


def world(stores: Stores) -> Graph:
    """Return a tenant with something of everything that can be tampered with."""
    memory = stores.open(head_interval=6, sensitivity__assess="off", embedding__model="none")
    ids = {}
    ids["first"] = memory.remember("The museum opens at nine in the morning", subjects=["bea"], session="s").id
    ids["second"] = memory.remember("The museum closes at six in the evening", subjects=["bea"], session="s").id
    ids["old"] = memory.remember("Bea drinks coffee", kind="semantic", key="drink", subjects=["bea"]).id
    ids["fact"] = memory.remember("Bea drinks tea", kind="semantic", key="drink", subjects=["bea"]).id
    ids["named"] = memory.remember("Rosa met Bea in Lisbon", mentions=["Rosa"]).id
    ids["gone"] = memory.remember("Quentin has a cat of nine colours and many names", subjects=["quentin"]).id
    memory.erase(subject="quentin")
    memory.preferences.consent("bea", purpose="support")
    memory.control.record_access([ids["first"]])
    memory.control.record_access([ids["first"], ids["fact"]])
    memory.control.record_access([ids["second"]])
    memory.audit.rotate_key()
    memory.audit.sign_head()
    ids["last"] = memory.remember("The very last thing that was said", session="s").id
    ids["entity"] = next(iter(memory.entities.list())).id
    return Graph(stores, memory, ids)


# --- The ends of the logs -------------------------------------------------------------------------------------------


def cut_last_record(graph: Graph) -> None:
    graph.drop_records(graph.last)
    graph.drop("Memory", graph.ref("last"))


def cut_last_record_and_number(graph: Graph) -> None:
    cut_last_record(graph)
    graph.set_row(sequence=graph.last - 1)


def cut_after_head(graph: Graph) -> None:
    size = graph.memory.audit.heads()[-1].size
    graph.drop_records(size + 1)
    graph.drop("Memory", graph.ref("last"))
    graph.set_row(sequence=size)


def cut_with_heads(graph: Graph) -> None:
    graph.drop_records(3)
    graph.drop_heads(graph.log, 3)
    graph.set_row(sequence=2)


def cut_accesses(graph: Graph, *, first: int = 2) -> None:
    graph.drop_records(first, "a")


def cut_accesses_and_number(graph: Graph) -> None:
    cut_accesses(graph)
    graph.set_row(accessSequence=1)


def restore_old_row(graph: Graph) -> None:
    old = graph.row()
    graph.memory.remember("One more thing to say")
    graph.set_row(**old)


def replay_row_with_log(graph: Graph) -> None:
    """The row of before put back, and everything since removed: but what was there is not put back."""
    old = graph.row()
    graph.memory.policy.pin(graph.ids["fact"])
    graph.drop_records(graph.last + 1)
    graph.set_row(**old)


def put_back(graph: Graph) -> None:
    """All that one write changed put back: the tenant is what it was before, whole."""
    old = graph.row()
    new = graph.memory.remember("One more thing to say", kind="semantic")
    graph.drop_records(graph.last + 1)
    graph.drop("Memory", f"{graph.tenant}|{new.id}")
    graph.set_row(**old)


def foreign_last(graph: Graph) -> None:
    graph.run(f"{_RECORD} SET a.leaf = $leaf", ref=graph.record(graph.last), leaf="00" * 32)


def swap_logs(graph: Graph) -> None:
    graph.set_row(log=graph.access_log, accessLog=graph.log)


def renumber_last(graph: Graph) -> None:
    ref = graph.record(graph.last)
    graph.run(
        f"{_RECORD} SET a.ref = $new, a.sequence = $next",
        ref=ref,
        new=graph.record(graph.last + 1),
        next=graph.last + 1,
    )


# --- The row --------------------------------------------------------------------------------------------------------


def setting(graph: Graph, *, path: str, value: object) -> None:
    """Change one setting in the row's JSON."""
    settings = json.loads(graph.row()["settings"])
    assert settings[path] != value
    graph.set_row(settings=json.dumps({**settings, path: value}, sort_keys=True))


def set_row(**values: object) -> Callable[[Graph], None]:
    """Return what sets properties of the row."""
    return lambda graph: graph.set_row(**values)


def unsign(graph: Graph) -> None:
    graph.set_row(signedState=None, stateProof=None)


def unsign_and_change(graph: Graph) -> None:
    graph.set_row(signedState=None, stateProof=None, budget=7)


def unsign_as_if_old(graph: Graph) -> None:
    unsign_and_change(graph)
    graph.run("MATCH (v:StoreVersion {ref: 'store'}) SET v.version = 6")
    graph.again()
    graph.run("MATCH (v:StoreVersion {ref: 'store'}) SET v.version = 8")


def edit_text(graph: Graph) -> None:
    said = json.loads(graph.row()["signedState"])
    said["budget"] = 7
    graph.set_row(budget=7, signedState=json.dumps(said, sort_keys=True, separators=(",", ":")))


def sign_with_another_key(graph: Graph) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - one attempt

    from marskg.audit.dataintegrity import Signer  # noqa: PLC0415 - one attempt
    from marskg.store.commit.signed_state import bound  # noqa: PLC0415 - one attempt

    signer = Signer(Ed25519PrivateKey.from_private_bytes(b"m" * 32))
    _, row = bound(graph.memory._writer.state, {"budget": 7, "signingKey": signer.public_key}, signer)
    graph.set_row(**row)


def hide_under_the_next_write(graph: Graph) -> None:
    """What was changed is signed over by the next honest write of a process that reads the row anew."""
    graph.set_row(budget=999_999)
    graph.again().remember("An honest write after it")


def hide_suppressing_under_the_next_write(graph: Graph) -> None:
    graph.set_row(suppressing=False)
    graph.again().remember("Quentin has a cat of nine colours and many names", subjects=["quentin"])


def hide_under_the_next_access(graph: Graph) -> None:
    graph.set_row(lastTime=graph.row()["lastTime"] + 1)
    graph.again().control.record_access([graph.ids["first"]])


# --- Heads, suppressions, keys --------------------------------------------------------------------------------------


def drop_all_heads(graph: Graph) -> None:
    graph.drop_heads(graph.log)


def drop_newest_head(graph: Graph) -> None:
    graph.drop_heads(graph.log, graph.memory.audit.heads()[-1].size)


def drop_heads_and_write(graph: Graph) -> None:
    drop_all_heads(graph)
    again = graph.again()
    again.remember("An honest write after it")
    again.audit.sign_head()


def suppressions(graph: Graph) -> list[str]:
    found = "MATCH (s:Suppression) WHERE s.ref >= $low AND s.ref < $high RETURN s.ref AS ref"
    return [row["ref"] for row in graph.run(found, low=f"{graph.tenant}|", high=f"{graph.tenant}}}")]


def drop_suppressions(graph: Graph) -> None:
    graph.drop("Suppression", f"{graph.tenant}|", f"{graph.tenant}}}")


def drop_suppressions_and_hash(graph: Graph) -> None:
    drop_suppressions(graph)
    graph.set_row(suppressionHash=None, suppressing=False)


def swap_suppression(graph: Graph) -> None:
    first = suppressions(graph)[0]
    graph.run("MATCH (s:Suppression {ref: $ref}) SET s.ref = $other", ref=first, other=f"{graph.tenant}|uother")


def drop_suppressions_then_erase(graph: Graph) -> None:
    drop_suppressions(graph)
    graph.again().erase(subject="bea")


def plant_suppression(graph: Graph) -> None:
    graph.run("CREATE (s:Suppression {ref: $ref})", ref=f"{graph.tenant}|uplanted")


def drop_key(graph: Graph) -> None:
    graph.run("MATCH (k:AuditKey) WHERE k.tenant = $tenant DELETE k")


def plant_key(graph: Graph) -> None:
    key = "z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH"
    node = {"ref": f"{graph.tenant}|{key}", "tenant": graph.tenant, "publicKey": key, "announcedAt": 1}
    graph.run("CREATE (k:AuditKey) SET k = $node", node=node)


# --- Nodes ----------------------------------------------------------------------------------------------------------


def on_memory(name: str = "fact", **values: object) -> Callable[[Graph], object]:
    """Return what sets properties of a memory."""
    return lambda graph: graph.run(f"{_MEMORY} SET m += $values", ref=graph.ref(name), values=values)


def on_record(sequence: int, letter: str = "t", **values: object) -> Callable[[Graph], object]:
    """Return what sets properties of a record."""
    return lambda graph: graph.run(f"{_RECORD} SET a += $values", ref=graph.record(sequence, letter), values=values)


def refile(graph: Graph) -> None:
    """File the record of a memory's creation under another one, so that it is not told of the first."""
    ref, other = graph.ref("first"), graph.ref("second")
    graph.run("MATCH (a:AuditRecord) WHERE a.memory = $ref SET a.memory = $other", ref=ref, other=other)


def refile_slots(graph: Graph) -> None:
    graph.run(
        "MATCH (a:AuditRecord) WHERE a.memory = $ref SET a.memories = $ids, a.memory = $other",
        ref=graph.ref("first"),
        ids=[graph.ids["second"]],
        other=graph.ref("second"),
    )


def unfile(graph: Graph) -> None:
    graph.run("MATCH (a:AuditRecord) WHERE a.memory = $ref SET a.memory = null", ref=graph.ref("first"))


def exchange(name: str) -> Callable[[Graph], None]:
    """Return what exchanges a property of two memories."""

    def act(graph: Graph) -> None:
        text = f"{_MEMORY} RETURN properties(m) AS node"
        refs = [graph.ref("fact"), graph.ref("named")]
        values = [graph.run(text, ref=ref)[0]["node"][name] for ref in refs]
        for ref, value in zip(refs, reversed(values), strict=True):
            graph.run(f"{_MEMORY} SET m += $values", ref=ref, values={name: value})

    return act


def plant_memory(graph: Graph) -> None:
    node = dict(graph.run(f"{_MEMORY} RETURN properties(m) AS node", ref=graph.ref("named"))[0]["node"])
    new = "urn:uuid:01920000-0000-7000-8000-00000000000f"
    node = {name: value for name, value in node.items() if value is not None}
    node |= {"id": new, "ref": f"{graph.tenant}|{new}", "salt": new_salt(SeededSource(9))}
    graph.run("CREATE (m:Memory:Episodic) SET m = $node", node=node)


def drop_edges(graph: Graph) -> None:
    graph.run("MATCH (m:Memory {ref: $ref})-[e:supersedes]->() DELETE e", ref=graph.ref("fact"))


def plant_edge(graph: Graph, *, kind: str = "dependsOn", created: int | None = 1) -> None:
    graph.run(
        f"MATCH (a:Memory {{ref: $ref}}) MATCH (b:Memory {{ref: $other}}) CREATE (a)-[:{kind} {{created: $at}}]->(b)",
        at=created,
        ref=graph.ref("first"),
        other=graph.ref("named"),
    )


def drop_words(graph: Graph) -> None:
    graph.drop("EntityWord", f"{graph.tenant}|", f"{graph.tenant}}}")


def on_label(label: str, **values: object) -> Callable[[Graph], object]:
    """Return what sets properties of all of the tenant's nodes of a label."""
    text = f"MATCH (n:{label}) WHERE n.ref >= $low AND n.ref < $high SET n += $values"
    return lambda graph: graph.run(text, low=f"{graph.tenant}|", high=f"{graph.tenant}}}", values=values)


def and_then(change: Callable[[Graph], object], go_on: Callable[[Graph], object]) -> Callable[[Graph], None]:
    """Return what makes a change past the log, and then changes the same node as anybody does."""

    def act(graph: Graph) -> None:
        change(graph)
        go_on(graph)

    return act


def replace_fact(graph: Graph) -> None:
    graph.memory.remember("Bea drinks water", kind="semantic", key="drink", subjects=["bea"])


def withdraw_consent(graph: Graph) -> None:
    graph.again().preferences.withdraw("bea")


HONESTLY: Final = (
    Tampering(
        "what a memory says, then pinned",
        and_then(on_memory(content="Bea drinks wine"), lambda graph: graph.memory.policy.pin(graph.ids["fact"])),
        ("node-changed",),
    ),
    Tampering(
        "what a memory says, then replaced",
        and_then(on_memory(content="Bea drinks wine"), replace_fact),
        ("node-changed",),
    ),
    Tampering(
        "what a memory says, then forgotten",
        and_then(
            on_memory(content="Bea drinks wine"),
            lambda graph: graph.memory.forget(graph.memory.plan(policy="fifo", budget=0)),
        ),
        ("node-changed",),
    ),
    Tampering(
        "an end of life, then linked",
        and_then(
            on_memory(expiresAt=4_000_000_000_000),
            lambda graph: graph.memory.link(graph.ids["fact"], "partOf", graph.ids["first"]),
        ),
        ("node-changed",),
    ),
    Tampering(
        "what an entity is, then renamed",
        and_then(
            on_label("Entity", entityType="organisation"),
            lambda graph: graph.memory.entities.rename(graph.ids["entity"], "Rosa Maria"),
        ),
        ("node-changed",),
    ),
    Tampering(
        "a preference, then withdrawn",
        and_then(on_label("Preference", clause="mine"), withdraw_consent),
        ("node-changed",),
    ),
)


def label_memory(graph: Graph) -> None:
    graph.run("MATCH (n:Memory {ref: $ref}) SET n:Task", ref=graph.ref("fact"))


def note_snapshot(graph: Graph) -> None:
    node = {"ref": f"{graph.tenant}|1", "digest": "0", "size": 1, "written": 1, "path": "/no/where"}
    node |= {"doomed": False}
    graph.run("CREATE (s:Snapshot) SET s = $node", node=node)


NODES: Final = (
    Tampering("a record under another memory", refile, ("derived-property",)),
    Tampering("a record's slot under another memory", refile_slots, ("slot-mismatch",)),
    Tampering("a record under no memory", unfile, ("derived-property",)),
    Tampering("a property on a record", on_record(2, note="mine"), ("stray-property",)),
    Tampering("a property on an access", on_record(2, "a", note="mine"), ("stray-property",)),
    Tampering("a property on a memory", on_memory(secret="mine"), ("stray-property",)),
    Tampering("a label on a memory", label_memory, ("stray-label",)),
    Tampering("a property of another kind on a memory", on_memory(status="done"), ("node-mismatch",)),
    Tampering("a property on a superseded memory", on_memory("old", note="mine"), ("stray-property",)),
    Tampering("a property on an entity", on_label("Entity", note="mine"), ("stray-property",)),
    Tampering("a property on a preference", on_label("Preference", note="mine"), ("stray-property",)),
    Tampering("a property on a head", on_label("TreeHead", note="mine"), ("stray-property",)),
    Tampering("the order key of FIFO", exchange("fifoKey"), ("order-key",)),
    Tampering("the order key of LRU", exchange("lruKey"), ("order-key",)),
    Tampering("the order key of Priority-Decay", exchange("decayKey"), ("order-key",)),
    Tampering("an order key removed", on_memory(fifoKey=None), ("order-key",)),
    Tampering("the key of look-up", on_memory(slotKey="x"), ("derived-property",)),
    Tampering("the session of look-up", on_memory("first", sessionKey="x"), ("derived-property",)),
    Tampering("a due date of its own", on_memory(dueKey="x"), ("derived-property",)),
    Tampering("the guards", on_memory(guards=5), ("guards",)),
    Tampering("the blockers", on_memory(blockers=5), ("blockers",)),
    Tampering("the content", on_memory(content="Bea drinks wine"), ("node-mismatch",)),
    Tampering("the weight of a memory", on_memory(weight=1), ("node-mismatch",)),
    Tampering("the sensitivity", on_memory(sensitivity=0.9), ("node-mismatch",)),
    Tampering("the subjects", on_memory(subjects=["mallory"]), ("node-mismatch",)),
    Tampering("an expiry", on_memory(expiresAt=1), ("node-missing", "node-mismatch", "state-changed")),
    Tampering("a pin", on_memory(pinned=True), ("node-mismatch",)),
    Tampering("a tier", on_memory(tier="latent"), ("tier-mismatch",)),
    Tampering("a memory deleted", lambda graph: graph.drop("Memory", graph.ref("named")), ("node-missing",)),
    Tampering("a memory planted", plant_memory, ("node-unexpected",)),
    Tampering("an edge removed", drop_edges, ("node-mismatch",)),
    Tampering("an edge planted", plant_edge, ("node-mismatch",)),
    Tampering("an edge of no known type planted", partial(plant_edge, kind="likes"), ("damaged",)),
    Tampering("an edge without its time planted", partial(plant_edge, created=None), ("damaged",)),
    Tampering("a link of the chain planted", partial(plant_edge, kind="temporalNext"), ("chain",)),
    Tampering("an entity renamed", on_label("Entity", name="Mallory"), ("entity-mismatch",)),
    Tampering("the look-up of an entity", on_label("Entity", nameKey="x"), ("derived-property",)),
    Tampering("the words of an entity", drop_words, ("entity-word",)),
    Tampering("the frontier of a head", on_label("TreeHead", frontier=["00" * 32]), ("derived-property",)),
    Tampering("a tile", on_label("AuditTile", hashes=["00" * 32]), ("bad-tile",)),
    Tampering("a preference prolonged", on_label("Preference", target="marketing"), ("preference-mismatch",)),
    Tampering(
        "a preference deleted", lambda g: g.drop("Preference", f"{g.tenant}|", f"{g.tenant}}}"), ("node-missing",)
    ),
    Tampering("the notes of snapshots", note_snapshot, limit="Scores, access statistics"),
    Tampering("a score", on_memory(score=1), limit="Scores, access statistics"),
    Tampering("the order of entities", on_label("Entity", sequence=1), limit="Scores, access statistics"),
    Tampering("the order of preferences", on_label("Preference", sequence=1), limit="Scores, access statistics"),
    Tampering("the random order", exchange("randomKey"), ("order-key",)),
    Tampering("a vector", on_memory(embedding="static|AAAA"), limit="Vectors"),
)

ENDS: Final = (
    Tampering("the last record and its memory deleted", cut_last_record, ("missing-tail",)),
    Tampering("the last record, its memory and the number", cut_last_record_and_number, ("state-mismatch",)),
    Tampering("all after the last head, and the number", cut_after_head, ("state-mismatch",)),
    Tampering("all records but two, their heads, the number", cut_with_heads, ("bad-state",)),
    Tampering("all accesses but the first", cut_accesses, ("missing-tail",)),
    Tampering("all accesses but the first, and the number", cut_accesses_and_number, ("state-mismatch",)),
    Tampering("the last access", lambda graph: cut_accesses(graph, first=graph.last_access), ("missing-tail",)),
    Tampering("the whole access log", partial(cut_accesses, first=1), ("missing-tail",)),
    Tampering("the whole transition log", lambda graph: graph.drop_records(1), ("missing-tail",)),
    Tampering("the row of an earlier write put back", restore_old_row, ("unsigned-tail",)),
    Tampering("the row and the log of before, not the nodes", replay_row_with_log, ("node-mismatch",)),
    Tampering("the whole tenant as it was before", put_back, limit="A store, export or log put back"),
    Tampering("the leaf of the last record", foreign_last, ("bad-leaf",)),
    Tampering("the logs of the row exchanged", swap_logs, ("state-mismatch", "bad-state")),
    Tampering("the last record renumbered", renumber_last, ("bad-signature",)),
)

ROW: Final = (
    Tampering("the budget", set_row(budget=7), ("state-mismatch",)),
    Tampering("a setting", partial(setting, path="head_interval", value=9), ("state-mismatch",)),
    Tampering(
        "the assessment of sensitivity", partial(setting, path="sensitivity.assess", value="on"), ("state-mismatch",)
    ),
    Tampering("the policy", partial(setting, path="policy.name", value="fifo"), ("state-mismatch",)),
    Tampering("the clock's mark, forward", set_row(lastTime=4_000_000_000_000), ("state-mismatch", "state-changed")),
    Tampering("the clock's mark, back", set_row(lastTime=1), ("state-mismatch",)),
    Tampering("suppression turned off", set_row(suppressing=False), ("state-mismatch",)),
    Tampering("subscriptions", set_row(subscriptions=["another"]), ("state-mismatch",)),
    Tampering("preferences as if never changed", set_row(preferencesChanged=0), ("state-mismatch",)),
    Tampering("expiry suspended", set_row(suspendedAt=1), ("state-mismatch",)),
    Tampering("the model of the vectors", set_row(embeddingModel="other/256"), ("state-mismatch",)),
    Tampering(
        "the signing key", set_row(signingKey="z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH"), ("state-mismatch",)
    ),
    Tampering("the weight", set_row(weight=1), ("state-mismatch",)),
    Tampering("the protected weight", set_row(protectedWeight=99), ("state-mismatch",)),
    Tampering("the census", set_row(census=[0] * 11), ("state-mismatch",)),
    Tampering("the usage", set_row(usage=[9, 9, 9, 9, 9]), ("state-mismatch",)),
    Tampering("what the controllers learned", set_row(controls='{"differential-privacy":"{}"}'), ("state-mismatch",)),
    Tampering("the place of Random-Drop", set_row(randomWatermark=9**9), ("state-mismatch",)),
    Tampering("reordering", set_row(reordering=True), ("state-mismatch", "state-changed")),
    Tampering("a property that the product does not have", set_row(owner="mallory"), ("state-mismatch",)),
    Tampering("the signature removed", unsign, ("state-missing",)),
    Tampering("the signature removed, and the budget", unsign_and_change, ("state-missing",)),
    Tampering("the signature removed as if it were an old store", unsign_as_if_old, ("state-missing",)),
    Tampering("the signed text edited", edit_text, ("bad-state",)),
    Tampering("the proof edited", set_row(stateProof="z" + "1" * 64), ("bad-state",)),
    Tampering("the signed text no text", set_row(signedState="[]"), ("bad-state",)),
    Tampering("signed by another key", sign_with_another_key, ("bad-state",)),
    Tampering("the budget, then an honest write", hide_under_the_next_write, ("state-changed",)),
    Tampering("suppression off, then an honest write", hide_suppressing_under_the_next_write, ("state-changed",)),
    Tampering("the clock's mark, then an honest access", hide_under_the_next_access, ("state-changed",)),
)

BESIDE: Final = (
    Tampering("all heads", drop_all_heads, ("head-missing",)),
    Tampering("the newest head", drop_newest_head, ("head-missing",)),
    Tampering("all heads, then an honest head", drop_heads_and_write, ("head-missing",)),
    Tampering("all suppressions", drop_suppressions, ("suppression-mismatch",)),
    Tampering("all suppressions and their digest", drop_suppressions_and_hash, ("state-mismatch",)),
    Tampering("a suppression exchanged", swap_suppression, ("suppression-mismatch",)),
    Tampering("all suppressions, then an honest erasure", drop_suppressions_then_erase, ("suppression-mismatch",)),
    Tampering("a suppression planted", plant_suppression, ("suppression-mismatch",)),
    Tampering("the keys deleted", drop_key, ("key-announcement",)),
    Tampering("a key planted", plant_key, ("key-announcement",)),
)

ALL: Final = (*ENDS, *ROW, *BESIDE, *NODES, *HONESTLY)
