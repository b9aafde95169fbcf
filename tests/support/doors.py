"""Pairs of stores that differ in one hidden memory, and what a reader is told of them through every door.

Ids and times of what may be seen are given, so that they are equal in both stores; all else that a door says is
compared as it is, to the byte, but for the tenant's name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from marskg.answer import plain
from marskg.errors import MarsError
from tests.support.stores import START

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from marskg.api.restricted.restricted_memory import RestrictedMemory
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

READER = "reader:bot?ceiling=0.3&purpose=care&jurisdiction=EU"
HIDDEN_ID = "urn:uuid:01999999-0000-7000-8000-000000000666"
NEVER_ID = "urn:uuid:01999999-0000-7000-8000-000000000777"
_MINUTE = 60_000
_OBJECT = re.compile(r" at 0x[0-9a-f]+")


@dataclass(frozen=True)
class Said:
    """One memory to store; ``edges`` are pairs of a type and the number of an earlier visible memory."""

    content: str
    given: Mapping[str, Any] = field(default_factory=dict)
    edges: tuple[tuple[str, int], ...] = ()


def visible_id(number: int) -> str:
    """Return the id of a visible memory."""
    return f"urn:uuid:01999999-0000-7000-8000-{number:012x}"


def build(stores: Stores, visible: Sequence[Said], hidden: Said | None, place: int) -> AgentMemory:
    """Store ``visible`` with ``hidden``, if there is one, before the memory of number ``place`` or as soon after it."""
    if hidden is not None:
        place = max([place, *(1 + number for _, number in hidden.edges)])
    memory = stores.open(step_ms=0, entities__recognise="on", embedding__model="none")
    clock = stores.clock(memory)
    for number, said in enumerate(visible):
        if number == place and hidden is not None:
            clock.set(START + number * _MINUTE - 7_000)
            store(memory, hidden, HIDDEN_ID)
        clock.set(START + number * _MINUTE)
        store(memory, said, visible_id(number))
    if place >= len(visible) and hidden is not None:
        clock.set(START + len(visible) * _MINUTE - 7_000)
        store(memory, hidden, HIDDEN_ID)
    clock.set(START + (len(visible) + 1) * _MINUTE)
    return memory


def store(memory: AgentMemory, said: Said, ident: str) -> None:
    given = dict(said.given)
    edges = [(type_, visible_id(number)) for type_, number in said.edges]
    memory.remember(said.content, id=ident, edges=edges, **{"kind": "semantic", **given})


def told(reader: RestrictedMemory, doors: Mapping[str, Callable[[RestrictedMemory], Any]]) -> dict[str, str]:
    """Return what ``reader`` is told through each of ``doors``: values whole, errors by class and text."""
    found = {}
    # The names of its logs were drawn when the tenant was made.
    state = reader._writer.state
    drawn = {reader.tenant: "TENANT", state.log: "LOG", state.access_log: "ACCESSES"}
    for name, ask in doors.items():
        try:
            said = repr(plain(ask(reader)))
        except MarsError as error:
            said = f"{type(error).__name__}: {error} {vars(error)}"
        for word, name_of_it in drawn.items():
            said = said.replace(word, name_of_it)
        found[name] = _OBJECT.sub("", said)
    reader._queries.close()
    return found


def about(ident: str) -> dict[str, Callable[[RestrictedMemory], Any]]:
    """Return the doors that take an id."""
    return {
        f"get {ident}": lambda reader: reader.get(ident),
        f"edges {ident}": lambda reader: reader.edges(ident),
        f"history {ident}": lambda reader: reader.history(ident),
        f"explain {ident}": lambda reader: explained(reader.explain(ident)),
        f"goal {ident}": lambda reader: reader.recall(goal=ident),
        f"read goal {ident}": lambda reader: reader.read_all(goal=ident),
        f"link {ident}": lambda reader: reader.link(visible_id(0), "partOf", ident),
        f"erase {ident}": lambda reader: reader.erase(id=ident),
    }


def naming(name: str) -> dict[str, Callable[[RestrictedMemory], Any]]:
    """Return the doors that take a question or a name."""
    return {
        f"retrieve {name}": lambda reader: whole(reader.retrieve(f"where is {name}?", explain=True)),
        f"many {name}": lambda reader: whole(reader.retrieve(name, k=200, token_budget=2000)),
        f"weighted {name}": lambda reader: whole(reader.retrieve(name, profile="memoryarchitect")),
        f"talk {name}": lambda reader: whole(reader.retrieve(name, conversation="s1")),
        f"recall {name}": lambda reader: whole(reader.recall(name, social="all")),
        f"read {name}": lambda reader: reader.read_all(entity=name, sums=True),
        f"profile {name}": lambda reader: reader.profile(name),
        f"who {name}": lambda reader: whole(reader.retrieve(f"what do you know about {name}?")),
        f"subject {name}": lambda reader: reader.read_all(subjects=[name]),
    }


def cheap_doors(count: int, names: Sequence[str]) -> dict[str, Callable[[RestrictedMemory], Any]]:
    """Return the doors that answer in milliseconds, asked about each visible id, a hidden one and one that never was.

    What the hidden one is told is compared with what an unknown one is told in a test of its own.
    """
    doors: dict[str, Callable[[RestrictedMemory], Any]] = {}
    for ident in (*(visible_id(number) for number in range(count)), HIDDEN_ID, NEVER_ID):
        doors |= about(ident)
    for name in names:
        doors |= naming(name)
    return doors | {
        "all": lambda reader: reader.read_all(latent=True, superseded=True, closed=True, unaffirmed=True),
        "profile": lambda reader: reader.profile(),
        "myself": lambda reader: whole(reader.retrieve("who am I?")),
        "budgeted": lambda reader: reader.read_all(token_budget=9),
        "then": lambda reader: reader.read_all(as_of=START + 90_000),
        "key": lambda reader: reader.read_all(key_prefix="k"),
        "stats": lambda reader: reader.stats(),
        "weight": lambda reader: reader.weight,
        "prepare": lambda reader: reader.maintenance.prepare(),
        "memories": lambda reader: list(reader.memories()),
        "entities": lambda reader: list(reader.entities.list()),
        "now": lambda reader: reader.now(),
        "budget": lambda reader: reader.settings.set_budget(1),
        "records": lambda reader: list(reader.audit.records()),
        "cypher": lambda reader: reader.cypher("MATCH (n) RETURN count(n)"),
        "verify": lambda reader: reader.verify(),
        "match": lambda reader: reader.privacy.match_erasure(entity="Ann Lee"),
        "raise": lambda reader: reader.retrieve("Ann", max_sensitivity=1.0),
        "grant": lambda reader: reader.retrieve("Ann", grant="1-" + "0" * 32),
        "grant out of range": lambda reader: reader.retrieve("Ann", grant="9-" + "0" * 32),
    }


def explained(it: Any) -> tuple[Any, ...]:
    """Return an explanation in all its forms."""
    return it, it.as_dict(), it.as_text()


def whole(hits: Any) -> tuple[Any, ...]:
    """Return all that a result says, in all its forms."""
    return hits, hits.as_text(), hits.as_messages(), hits.as_dict(), hits.left_out, hits.resolved


def dear_doors(folder: Path) -> dict[str, Callable[[RestrictedMemory], Any]]:
    """Return the doors that take a second: queries, exports, plans and comparisons."""

    def exported(reader: RestrictedMemory, suffix: str) -> str:
        path = folder / f"out{suffix}"
        return f"{reader.export(path)} {path.read_text('utf-8')}"

    everything = "SELECT ?g ?s ?p ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } } ORDER BY ?s ?p ?o"
    return {
        "sparql": lambda reader: reader.sparql(everything),
        "count": lambda reader: reader.sparql("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"),
        "audit": lambda reader: reader.sparql("ASK { ?s mars:sequence ?n }"),
        "jsonld": lambda reader: exported(reader, ".jsonld"),
        "turtle": lambda reader: exported(reader, ".ttl"),
        "full": lambda reader: reader.export(folder / "full.nq", profile="full"),
        "fifo": lambda reader: reader.plan(policy="fifo", budget=12),
        "decay": lambda reader: reader.plan(policy="priority-decay", budget=0),
        "density": lambda reader: reader.plan(policy="density", budget=15),
        "compare": lambda reader: reader.policy.compare(["fifo", "lru"], budget=15, questions=["what does Ann like?"]),
    }
