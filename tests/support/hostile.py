"""Calls that cannot be meant, made from the table of operations: every parameter with every hostile value.

A new operation, or a new parameter of one, is exercised the day it is in the table: nothing here names operations but
to say what a call of them needs to get as far as the parameter that is tried (:data:`NEEDED`). What a call names beside
it is there (:data:`NAMED`), so that the call is done where the value is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

import marskg
from marskg.memory import AgentMemory
from marskg.ontology.fields import GIVEN_FIELDS, PAYLOAD_FIELDS
from marskg.ontology.vocabulary import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.api.arguments import Rule
    from marskg.api.operations import Operation

#: Long enough that no message can hold it, and with a mark to look for.
LONG: Final = "hostile " * 25_000
NOBODY: Final = "urn:uuid:01890000-0000-7000-8000-000000000000"
MOST_SAID: Final = 1_200


class Thing:
    """An object that is nothing which an operation takes."""


def _broken() -> Iterator[object]:
    yield "a"
    yield 5


def values() -> dict[str, Any]:
    """Return the hostile values by name, made anew: some can be read once."""
    return {
        "None": None,
        "True": True,
        "0": 0,
        "-1": -1,
        "2^31-1": 2**31 - 1,
        "2^31": 2**31,
        "-2^31-1": -(2**31) - 1,
        "2^53": 2**53,
        "2^63-1": 2**63 - 1,
        "2^63": 2**63,
        "10^5000": 10**5000,
        "-10^400": -(10**400),
        "0.5": 0.5,
        "-0.0": -0.0,
        "NaN": math.nan,
        "inf": math.inf,
        "-inf": -math.inf,
        "1e308": 1e308,
        "empty": "",
        "blank": " \t\u2003",
        "unseen": "\u200b\u2060",
        "no": "no",
        "word": "hostile",
        "long": LONG,
        "surrogate": "a\ud800b",
        "NUL": "a\x00b",
        "line": "x\n",
        "control": "\x1b]0;x\x07\u202e",
        "nobody": NOBODY,
        "upper": NOBODY.upper(),
        "urn": "urn:uuid:xyz",
        "iri": "https://example.org/1",
        "path": "../../etc/passwd",
        "number": "1e999",
        "bytes": b"hostile",
        "bytearray": bytearray(b"hostile"),
        "list": [],
        "words": ["hostile", "hostile"],
        "ids": [NOBODY, NOBODY.upper(), ""],
        "numbers": [1, 2.5, None],
        "nested": [["hostile"]],
        "surrogates": ["\udfff"],
        "long item": [LONG],
        "generator": _broken(),
        "set": {1, "a"},
        "dict": {},
        "of words": {"hostile": "no", "event": LONG},
        "of numbers": {1: 2, None: 3},
        "of things": {"hostile": Thing(), "document": [Thing()]},
        "of surrogates": {"\ud800": "\udfff"},
        "of the deep": {"hostile": _deep(200)},
        "pair": [("partOf", NOBODY), ("\ud800", "a")],
        "date": datetime(2026, 3, 1),  # noqa: DTZ001 - naive on purpose
        "far date": datetime.max.replace(tzinfo=UTC),
        "decimal": Decimal("NaN"),
        "uuid": UUID(int=1),
        "complex": 1j,
        "thing": Thing(),
        "class": Thing,
        "function": len,
        "path object": Path("a\x00b"),
        "folder": Path("/"),
        "endless file": Path("/dev/zero"),
        "draft": _draft(),
        "drafts": [_draft(), _draft(content=5), _draft(payload=5, subjects=5, edges=5)],
        "draft of surrogates": [_draft(ref="\ud800", content="\ud800")],
        "plan": _plan(),
        "heads": [_head()],
        "kind": Kind.TASK,
    }


def _deep(levels: int) -> object:
    found: object = "hostile"
    for _ in range(levels):
        found = [found]
    return found


def _draft(**fields: Any) -> marskg.Draft:
    return marskg.Draft(**{"ref": "d", "kind": Kind.SEMANTIC, "content": "hostile", "at": 1_772_323_200_000, **fields})


def _plan() -> marskg.Plan:
    return marskg.Plan("fifo", (), LONG, 1, 1, 1, (5,), math.nan, 0.0, 0.0, 0, LONG)  # type: ignore[arg-type]  # hostile


def _head() -> marskg.TreeHead:
    return marskg.TreeHead("a", "b", -1, LONG, 2**63, "c", LONG, "e", "f")


#: What a parameter names that is there, as one of :data:`MADE`; by its name, those of a namespace by its name as well.
NAMED: Final[Mapping[str, str]] = {
    "id": "{memory}",
    "ids": "{memory}",
    "memory_id": "{memory}",
    "source": "{memory}",
    "target": "{another}",
    "tasks.id": "{task}",
    "entity_id": "{entity}",
    "entities.id": "{entity}",
    "entities.source": "{entity}",
    "entities.target": "{other}",
    "keep": "{entity}",
    "other": "{other}",
    "retrieval_id": "{retrieval}",
    "preference_id": "{preference}",
    "subject": "ann",
    "content": "Ann waters the tomatoes",
    "turns": "I moved to Lund",
}
#: How what calls name is made.
MADE: Final[Mapping[str, Callable[[Tenant], str]]] = {
    "memory": lambda one: one.memory.remember("Ann waters the tomatoes", subjects=["ann"]).id,
    "another": lambda one: one.memory.remember("The tomatoes are red", kind="semantic").id,
    "task": lambda one: one.memory.remember("Send the rent", kind="task").id,
    "entity": lambda one: one.memory.entities.mention(one["memory"], "Ann").id,
    "other": lambda one: one.memory.entities.mention(one["memory"], "Bob").id,
    "retrieval": lambda one: str(one.memory.retrieve("tomatoes").id),
    "preference": lambda one: one.memory.preferences.set("retention", subject="ann", horizon="30d").preferences[0].id,
}
#: What a value needs beside it to be looked at at all, by the name of its parameter.
BESIDE: Final[Mapping[str, Mapping[str, str]]] = {
    **{field.name: {"kind": field.only} for field in GIVEN_FIELDS if field.only},
    "cardinality": {"key": "garden"},
    "session_bound": {"session": "s1"},
}
_KIND_OF: Final = {field.name: kind for kind, fields in PAYLOAD_FIELDS.items() for field in fields}

#: What one call needs besides what is tried, by operation, then parameter. What is neither here nor in :data:`NAMED` is
#: made from the parameter's type.
NEEDED: Final[Mapping[str, Mapping[str, Any]]] = {
    "settings.set": {"settings": None, "values": {}},
    "privacy.retention": {"memory_class": "private", "older_than": "30d"},
    "audit.check_receipt": {"document": {}},
    "policy.compare": {"policies": ["fifo"]},
    "cypher": {"query": "MATCH (m:Memory) RETURN count(m) AS n"},
    "erase": {},
    "export": {"path": "{folder}/out.nq"},
    "privacy.grant": {"to": "reader:bot", "ceiling": 0.5},
    "link": {"type": "partOf"},
    "load": {"path": "{folder}/nowhere.nq"},
    "maintenance.run_every": {"interval": "1h"},
    "open": {"location": "{folder}/store", "create": False},
    "preferences.apply": {"template": "gdpr"},
    "preferences.load": {"path": "{folder}/nowhere.yaml"},
    "preferences.set": {"rule": "retention", "dry_run": True},
    "audit.prove": {"sequence": 1},
    "entities.relate": {"type": "worksAt"},
    "sparql": {"query": "ASK {{}}"},
    "snapshots.load": {"path": "{folder}/nowhere.snapshot"},
    "snapshots.save": {"path": "{folder}/out.snapshot"},
    "unlink": {"type": "partOf"},
    "entities.unrelate": {"type": "worksAt"},
}


class Call(NamedTuple):
    """One call: the operation, its arguments, and what is tried."""

    operation: Operation
    arguments: dict[str, Any]
    tried: str


class Tenant(dict[str, str]):
    """What a tenant has that calls can name, made by its operator when it is asked for."""

    def __init__(self, memory: AgentMemory, folder: Path) -> None:
        """Have nothing but a folder for files."""
        self.memory: AgentMemory = memory
        self.folder = folder
        self._stored = -1

    def __missing__(self, name: str) -> str:
        """Make what is not there."""
        self[name] = str(self.folder) if name == "folder" else MADE[name](self)
        self._stored = facts(self.memory)[0]
        return self[name]

    def renewed(self) -> Tenant:
        """Return itself, with nothing that a call may have used up."""
        if self and facts(self.memory)[0] != self._stored:
            self.clear()
        return self


def harmless(operation: Operation, name: str, rule: Rule, tenant: Tenant) -> Any:
    """Return a value with which a call gets as far as the parameter that is tried."""
    namespace = operation.name.rpartition(".")[0]
    known = NAMED.get(f"{namespace}.{name}", NAMED.get(name, NOBODY))
    value = NEEDED.get(operation.name, {}).get(name, known)
    if value != NOBODY or rule.matches(NOBODY):
        return value.format_map(tenant) if isinstance(value, str) else value
    return {"a number": 0.5, "an integer": 1, "True or False": False}.get(rule.expected, [])


def base(operation: Operation, tenant: Tenant) -> dict[str, Any]:
    """Return what a call of an operation needs besides what is tried."""
    needed = {*operation.required, *NEEDED.get(operation.name, ())}
    rules, renewed = operation.parameters.items(), tenant.renewed()
    return {name: harmless(operation, name, rule, renewed) for name, rule in rules if name in needed}


def tried(rule: Rule) -> list[str]:
    """Return the names of the values that a parameter is tried with."""
    # What a function of the caller raises is the caller's.
    apart = {"function", "class"} if "a function" in rule.expected else set()
    return [what for what in values() if what not in apart]


def calls(operation: Operation, tenant: Tenant, *, every: int = 1) -> Iterator[Call]:
    """Yield a call for each place of an operation with each hostile value, or with every so-manieth."""
    fields = [f"payload.{name}" for name in _KIND_OF] if "payload" in operation.parameters else []
    for place, name in enumerate([*operation.parameters, *fields]):
        for number, what in enumerate(tried(operation.parameters[name.partition(".")[0]])):
            if (number + place) % every == 0:
                # Made anew for each call, as the call may use it up.
                arguments = {**base(operation, tenant), **_at(operation, name, values()[what])}
                yield Call(operation, arguments, f"{operation.name}({name}={what})")


def _at(operation: Operation, name: str, value: object) -> dict[str, Any]:
    """Return a value at its place, a parameter or a field of the payload, with what it needs beside it."""
    _, _, field = name.partition(".")
    if field:
        return {"kind": _KIND_OF[field], "payload": {field: value}}
    return {**beside(name, operation.parameters), name: value}


def beside(name: str, known: Container[str]) -> dict[str, str]:
    """Return what a value needs beside it of the parameters that an operation or a command has."""
    return {one: value for one, value in BESIDE.get(name, {}).items() if one in known}


def target(memory: AgentMemory, operation: Operation) -> object:
    """Return the object whose method an operation is."""
    place = operation.name.rpartition(".")[0]
    if place == "privacy.private_mode()":
        return memory.privacy.private_mode(keep=True)
    return getattr(memory, place) if place else memory


def fault(memory: AgentMemory, call: Call) -> str | None:
    """Make a call; return what is wrong with how it ended, None where it was done or refused as it should be."""
    name = call.operation.name.rpartition(".")[2]
    before = facts(memory)
    try:
        owner: Any = marskg if name == "open" else target(memory, call.operation)
        found = getattr(owner, name)(**call.arguments)
        if isinstance(found, Iterator):
            list(found)
        if isinstance(found, AgentMemory):
            found.close()
    except marskg.MarsError as error:
        said = str(error)
        if "hostile " * 25 in said or len(said) > MOST_SAID:
            return f"{call.tried}: {type(error).__name__} has {len(said):,} characters: {said[:60]}"
        return None if facts(memory) == before else f"{call.tried}: refused, and something was stored: {said[:200]}"
    except Exception as error:  # noqa: BLE001 - any other is what is looked for
        return f"{call.tried}: {type(error).__module__}.{type(error).__name__}: {str(error)[:200]!a}"
    return None


def facts(memory: AgentMemory) -> tuple[int, int]:
    """Return what changes with whatever is stored or shown: the ends of both logs."""
    statement = "MATCH (t:Tenant {ref: $ref}) RETURN t.sequence AS stored, t.accessSequence AS shown"
    (row,) = memory._opened.engine.read(statement, {"ref": memory.tenant})
    return row["stored"], row["shown"]
