"""Two stores that differ only in what a reader may not see give that reader equal bytes (semantics section 9)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import EntityRef
from marskg.errors import MarsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

_ID = re.compile(r"urn:uuid:[0-9a-f-]{36}")
LOW: dict[str, Any] = {"max_sensitivity": 0.3}


@dataclass(frozen=True)
class Said:
    """One memory to store."""

    content: str
    given: Mapping[str, Any] = field(default_factory=dict)


SHOWN = (
    Said("Ann Lee likes green tea and long walks"),
    Said("Acme Corp moved its office to Lyon last spring"),
    Said("The picnic was at Lake Como with Bob Dahl"),
    Said("Bob Dahl bought a red bicycle"),
)


def hits(found: Any) -> list[Any]:
    return [(hit.memory.content, hit.score, hit.tokens, dict(hit.why)) for hit in found]


def answer(ask: Callable[[AgentMemory], Any], memory: AgentMemory) -> bytes:
    try:
        found = ask(memory)
    except MarsError as error:
        found = f"{type(error).__name__}: {error}"
    # Ids are made of time and chance, and name the same things in both stores.
    return _ID.sub("urn:uuid:x", json.dumps(found)).encode()


def told(
    stores: Stores, hidden: Said, asks: Mapping[str, Callable[[AgentMemory], Any]], *, first: bool
) -> dict[str, bytes]:
    """Return what the low reader is told where ``hidden`` was stored, before or after what they may see."""
    memory = stores.open(embedding__model="none", entities__recognise="on")
    secret = Said(hidden.content, {"sensitivity": 0.9, **hidden.given})
    for said in (secret, *SHOWN) if first else (*SHOWN, secret):
        memory.remember(said.content, **{"kind": "semantic", **said.given})
    return {name: answer(ask, memory) for name, ask in asks.items()}


def asking(*names: str, **gate: Any) -> dict[str, Callable[[AgentMemory], Any]]:
    """Return the questions of a reader about each of ``names``, by every way in."""

    def about(name: str) -> dict[str, Callable[[AgentMemory], Any]]:
        return {
            f"retrieve {name}": lambda memory: hits(memory.retrieve(f"where is {name}?", **gate)),
            f"stages {name}": lambda memory: dict(memory.retrieve(name, explain=True, **gate).stages),
            f"recall {name}": lambda memory: hits(memory.recall(name, social="all", **gate)),
            f"profile {name}": lambda memory: memory.profile(name, **gate).as_text(),
            f"who {name}": lambda memory: hits(memory.retrieve(f"what do you know about {name}?", **gate)),
            f"read {name}": lambda memory: [hit.memory.content for hit in memory.read_all(entity=name, **gate)],
        }

    return {question: ask for name in names for question, ask in about(name).items()}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Said("Ann Lee works at Acme Corp"), Said("Ann Lee dislikes noisy Acme Corp")),
        (Said("Ann Lee works at Acme Corp"), Said("Nothing of note was said at lunch")),
        (Said("Ann Lee is a friend of Bob Dahl, and Bob Dahl works at Acme Corp"), Said("it rains")),
    ],
)
def test_a_relation_of_a_hidden_memory_steers_nobody(stores: Stores, one: Said, other: Said, *, first: bool) -> None:
    asks = asking("Ann Lee", "Acme Corp", "Bob Dahl", **LOW)
    assert told(stores, one, asks, first=first) == told(stores, other, asks, first=first)
    # Whoever may see it is led along it, so that the comparison can fail.
    assert told(stores, one, asking("Ann Lee"), first=first) != told(stores, other, asking("Ann Lee"), first=first)


def test_a_relation_is_followed_where_another_memory_that_may_be_seen_mentions_both(stores: Stores) -> None:
    memory = stores.open(embedding__model="none", entities__recognise="on")
    for said in SHOWN:
        memory.remember(said.content, kind="semantic")
    memory.remember("Ann Lee works at Acme Corp", kind="semantic", sensitivity=0.9)
    assert "Acme" not in str(hits(memory.recall("Ann Lee", **LOW)))
    secret = "Ann Lee has a desk near Acme Corp"
    memory.remember(secret, kind="semantic", sensitivity=0.2)
    assert "Acme Corp moved" in str(hits(memory.recall("Ann Lee", **LOW)))
    # The walk that was kept does not outlive a mention.
    (found,) = (hit.memory.id for hit in memory.read_all(**LOW) if hit.memory.content == secret)
    memory.entities.unmention(found, next(one.id for one in memory.entities.list() if one.name == "Acme Corp"))
    assert "Acme" not in str(hits(memory.recall("Ann Lee", k=1, **LOW)))
    assert all(
        "Acme Corp moved" not in str(hit.memory.content) for hit in memory.retrieve("what does Ann Lee do?", **LOW)
    )


def test_a_relation_that_a_person_drew_is_followed_by_who_sees_both_ends(stores: Stores) -> None:
    memory = stores.open(embedding__model="none", entities__recognise="on")
    for said in SHOWN:
        memory.remember(said.content, kind="semantic")
    ids = {one.name: one.id for one in memory.entities.list()}
    memory.entities.relate(ids["Ann Lee"], "worksAt", ids["Acme Corp"])
    assert "Acme Corp moved" in str(hits(memory.recall("Ann Lee", **LOW)))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    ("hidden", "name"),
    [
        (Said("he talked", {"mentions": [EntityRef("Bob Dahl", aliases=("the informer",))]}), "the informer"),
        (Said("he talked", {"mentions": [EntityRef("Acme Corp", aliases=("Project Heron",))]}), "Project Heron"),
        (Said("Bob Dahl, also known as Bobby Tables, is leaving"), "Bobby Tables"),
        (Said("My manager Ann Lee Smith is leaving"), "Ann Lee Smith"),
    ],
)
def test_a_name_that_a_hidden_memory_gave_finds_nobody(stores: Stores, hidden: Said, name: str, *, first: bool) -> None:
    nothing = Said("he talked", {"mentions": ["Bob Dahl"]})
    gates: tuple[dict[str, Any], ...] = (LOW, {"purpose": "care"}, {"jurisdiction": "EU"})
    for gate in gates:
        limits: dict[str, dict[str, Any]] = {
            "max_sensitivity": {},
            "purpose": {"purpose": ["billing"]},
            "jurisdiction": {"jurisdiction": "US"},
        }
        given = {"sensitivity": 0.9, **limits[next(iter(gate))]}
        asks = asking(name, f"{name} with a red bicycle", "Bob Dahl", **gate)
        one, other = (Said(said.content, {**said.given, **given}) for said in (hidden, nothing))
        assert told(stores, one, asks, first=first) == told(stores, other, asks, first=first)


def test_a_name_that_can_be_read_finds_its_bearer(stores: Stores) -> None:
    memory = stores.open(embedding__model="none", entities__recognise="on")
    memory.remember("Bob Dahl, also known as Bobby Tables, sings", kind="semantic")
    memory.remember("I get up at six", kind="semantic", subjects=["Alice"], mentions=["Alice"])
    for name in ("Bob Dahl", "bobby tables", "Alice"):
        assert len(memory.recall(name, **LOW)) == 1
    # Whoever is not restricted finds by whatever name there is.
    other = next(one.id for one in memory.entities.list() if one.name == "Bob Dahl")
    memory.entities.add_alias(other, "the tenor")
    assert len(memory.recall("the tenor")) == 1
    assert answer(lambda memory: hits(memory.recall("the tenor", **LOW)), memory) == answer(
        lambda memory: hits(memory.recall("the tenor", **LOW)), stores.open(embedding__model="none")
    )


@pytest.mark.parametrize("first", [True, False])
def test_importance_does_not_tell_that_something_is_hidden(stores: Stores, tmp_path: Path, *, first: bool) -> None:
    profile = tmp_path / "important.yaml"
    profile.write_text("fusion: weighted\nweights: {importance: 1.0, lexical: 0.5}\n", "utf-8")

    def asked(*hidden: Said) -> bytes:
        memory = stores.open(embedding__model="none", entities__recognise="on")
        walks = [
            Said(f"Ann walked by path {number}", {"mentions": ["Ann", "Rome", f"P{number}"]}) for number in range(6)
        ]
        trip = Said("Plan the trip to Rome with Ann", {"kind": "task", "status": "open", "mentions": ["Ann", "Rome"]})
        for said in (*hidden, trip, *walks) if first else (trip, *walks, *hidden):
            memory.remember(said.content, **{"kind": "semantic", **said.given})
        return answer(lambda memory: hits(memory.retrieve("Ann Rome path", profile=str(profile), **LOW)), memory)

    nothing = asked()
    assert b'"importance": 0.' in nothing
    assert asked(Said("unrelated", {"sensitivity": 0.9})) == nothing
    assert asked(Said("Ann flew to Rome", {"sensitivity": 0.9, "mentions": ["P3", "Ann", "Rome"]})) == nothing
