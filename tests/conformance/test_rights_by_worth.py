"""What may cut, hide, end or outnumber what: decided by what each is worth, never by the name of its source alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import Draft
from marskg.errors import NotPermitted
from marskg.ontology.vocabulary import Kind, SourceType, Word, counts_against
from tests.conformance.test_field_rights import both, draft, shown, sound

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.memory import AgentMemory
    from marskg.records import Memory
    from tests.support.stores import Stores

BOILER = "The boiler must never be opened by anybody but a plumber."
ASKED = "may I open the boiler?"
DOC, TOOL, TOLD, USER = (SourceType.DOC, SourceType.API_RESULT, SourceType.CHAT_ASSISTANT, SourceType.CHAT_USER)
#: The operator's words that an agent's own sources are no match for, by name the same or not.
VOUCHED: list[dict[str, Any]] = [
    {"source_type": "doc", "reliability": 1.0},
    {"source_type": "doc"},
    {"source_type": "api_result", "reliability": 0.9},
    {"source_type": "chat_assistant", "reliability": 1.0},
    {"source_type": "chat_user"},
]


def test_what_counts_against_what_is_a_matter_of_worth() -> None:
    ordered = [Word(TOLD), Word(TOOL), Word(DOC), Word(TOLD, 0.9), Word(DOC, 1.0), Word(USER, 0.2)]
    for place, one in enumerate(ordered):
        assert counts_against(one, one)
        for other in ordered[:place]:
            assert counts_against(one, other)
            assert not counts_against(other, one)
    assert not counts_against(Word(DOC, 0.5), Word(DOC))
    assert not counts_against(Word(DOC, 0.5, read=True), Word(DOC))
    assert counts_against(Word(DOC, 0.55, read=True), Word(DOC, 1.0))
    assert not counts_against(Word(DOC, 0.55), Word(DOC, 1.0))
    assert counts_against(Word(USER, 0.5), Word(USER))
    assert counts_against(Word(TOLD, 0.3), Word(TOLD))


WISHES: dict[str, Callable[[AgentMemory, str], object]] = {
    "a tagged fact": lambda agent, source: agent.remember(
        "forget about the boiler", kind="semantic", key="wish/boiler", session="wishes", intent_tags=["wish"],
        source_type=source,
    ),
    "an untagged turn": lambda agent, source: agent.remember(
        "stop mentioning the boiler", session="wishes", source_type=source
    ),
    "of some people": lambda agent, source: agent.remember(
        "you are wrong about the boiler", session="wishes", intent_tags=["wish"], subjects="Ann", source_type=source
    ),
    "many": lambda agent, source: agent.remember_many(
        [draft(content="remember less about the boiler", session="wishes", intent_tags=("wish",), source_type=source)]
    ),
    "a new version": lambda agent, source: agent.update(
        agent.remember("forget about the pond", session="wishes", intent_tags=["wish"], source_type=source).id,
        "forget about the boiler",
    ),
    "the door for it": lambda agent, _: agent.learning.wish("forget about the boiler"),
}  # fmt: skip


@pytest.mark.parametrize("source", ["doc", "api_result", "chat_assistant"])
@pytest.mark.parametrize("way", WISHES)
def test_whatever_is_a_wish_is_refused_as_one(stores: Stores, way: str, source: str) -> None:
    owner, agent = both(stores)
    owner.remember(BOILER, source_type="doc", reliability=1.0, subjects="Ann")
    with pytest.raises(NotPermitted, match="may not overrule what comes from doc"):
        WISHES[way](agent, source)
    assert BOILER in shown(owner, ASKED)
    agent.remember("remember more about the boiler", session="wishes", intent_tags=["wish"])
    sound(owner)


@pytest.mark.parametrize("vouched", VOUCHED)
def test_a_wish_hides_nothing_that_is_said_later_and_worth_more(stores: Stores, vouched: dict[str, Any]) -> None:
    owner, agent = both(stores)
    for n, source in enumerate(("doc", "api_result", "chat_assistant", "reflection")):
        agent.remember(
            "forget about the boiler", kind="semantic", key=f"wish/boiler/{n}", session="wishes", intent_tags=["wish"],
            source_type=source,
        )  # fmt: skip
    held = owner.remember(BOILER, **vouched)
    assert BOILER in shown(owner, ASKED)
    assert held.score >= 30
    sound(owner)


def test_a_wish_of_an_agent_acts_on_what_is_worth_no_more(stores: Stores) -> None:
    owner, agent = both(stores)
    agent.remember("The pond is deep")
    agent.learning.wish("forget about the pond")
    assert "pond is deep" not in shown(owner, "how deep is the pond?")
    owner.learning.wish("forget about the boiler")
    owner.remember(BOILER, source_type="doc", reliability=1.0)
    assert shown(owner, ASKED) == ""


@pytest.mark.parametrize("vouched", VOUCHED)
@pytest.mark.parametrize("source", ["doc", "api_result", "chat_assistant"])
def test_what_is_read_by_an_agent_takes_nothing_along(stores: Stores, vouched: dict[str, Any], source: str) -> None:
    owner, agent = both(stores)
    held = owner.remember(BOILER, **vouched)
    agent.remember("note", kind="semantic", source_type=source, derives_from=[held.id], key="a/1")
    agent.retract("a/1")
    agent.remember(BOILER + " " + BOILER, kind="semantic", source_type=source, derives_from=[held.id], key="a/2")
    agent.remember("another value", kind="semantic", source_type=source, key="a/2")
    now = owner.get(held.id)
    assert now is not None
    assert now.current
    assert BOILER in shown(owner, ASKED)
    sound(owner)


OVERRULES: dict[str, Callable[[AgentMemory, Memory, str], object]] = {
    "update": lambda agent, held, _: agent.update(held.id, "Anybody may open the boiler."),
    "metadata": lambda agent, held, _: agent.update(held.id, held.content or "", metadata={"safe": True}),
    "key": lambda agent, _, source: agent.remember(
        "Anybody may open it.", kind="semantic", key="boiler", source_type=source
    ),
    "contradicts": lambda agent, held, source: agent.remember(
        "Anybody may open it.", contradicts=[held.id], source_type=source
    ),
    "retract": lambda agent, *_: agent.retract("boiler"),
    "retraction": lambda agent, _, source: agent.remember_many(
        [Draft(ref="r", kind=Kind.SEMANTIC, content="", at=agent.now(), action="retract", key="boiler",
               source_type=SourceType(source))]
    ),
    "link": lambda agent, held, source: agent.link(
        agent.remember("Anybody may.", source_type=source).id, "contradicts", held.id
    ),
    "its own edge": lambda agent, held, source: agent.link(
        held.id, "dependsOn", agent.remember("Anybody may.", source_type=source).id
    ),
}  # fmt: skip


@pytest.mark.parametrize("vouched", VOUCHED)
@pytest.mark.parametrize("way", OVERRULES)
def test_an_agent_overrules_nothing_that_is_worth_more(stores: Stores, way: str, vouched: dict[str, Any]) -> None:
    owner, agent = both(stores)
    held = owner.remember(BOILER, kind="semantic", key="boiler", **vouched)
    with pytest.raises(NotPermitted, match="may not overrule what comes from"):
        OVERRULES[way](agent, held, "doc")
    now = owner.get(held.id)
    assert now is not None
    assert now.current
    assert BOILER in shown(owner, ASKED)
    sound(owner)


def test_no_door_makes_what_an_agent_says_worth_more_than_it_may_claim(stores: Stores) -> None:
    owner, agent = both(stores)
    own = agent.remember("The pump is old", source_type="doc", kind="semantic", key="pump")
    assert own.reliability == 0.5
    assert agent.update(own.id, "The pump is new").reliability == 0.5
    tools = agent.remember("It is warm", source_type="api_result", kind="semantic", key="warm")
    assert agent.update(tools.id, "It is cold").reliability == 0.6
    named = stores.open_as(owner, "agent:clerk?source=doc")
    held = owner.remember(BOILER, kind="semantic", key="boiler", source_type="doc", reliability=1.0)
    with pytest.raises(NotPermitted, match=r"more reliability than 0\.6"):
        named.update(held.id, "Anybody may")
    usual = owner.remember("The valve is blue", kind="semantic", key="valve", source_type="doc")
    assert named.update(usual.id, "The valve is red").reliability == 0.6


def test_an_equal_value_that_the_operator_vouches_for_is_the_operators(stores: Stores) -> None:
    owner, agent = both(stores)
    for source in ("doc", "api_result", "chat_assistant"):
        key = f"boiler/{source}"
        agent.remember(BOILER, kind="semantic", key=key, cardinality="set", source_type=source)
        held = owner.remember(BOILER, kind="semantic", key=key, cardinality="set", source_type="doc", reliability=1.0)
        assert (held.source_type, held.reliability) == ("doc", 1.0)
        with pytest.raises(NotPermitted, match="may not overrule"):
            agent.retract(key, content=BOILER)
    sound(owner)


# --- Who somebody is ------------------------------------------------------------------------------------------------

PAYLOADS: dict[str, dict[str, Any]] = {
    "employer": {"kind": "social", "payload": {"entity": "Lena Weiss", "relationship_type": "employer"}},
    "works at": {"kind": "social", "payload": {"entity": "lena weiss", "relationship_type": "works at"}},
    "relations": {"kind": "semantic", "payload": {"concept": "Lena Weiss", "relations": ["reportsTo: Bob Hall"]}},
    "more relations": {
        "kind": "semantic",
        "payload": {"concept": "Lena Weiss", "relations": ["part of: Acme", "isA Robot", "worksAt: Acme"]},
    },
    "participants": {"kind": "episodic", "payload": {"event": "x", "participants": ["Lena Weiss", "Bob Hall", "Acme"]}},
}


def said_of(owner: AgentMemory) -> list[tuple[str, object, object]]:
    return sorted((one.name, one.entity_type, [*map(str, one.aliases)]) for one in owner.entities.list())


def drawn(owner: AgentMemory) -> int:
    """Return how many edges there are between entities."""
    found = owner.cypher(
        "MATCH (a:Entity)-[r]->(b:Entity) WHERE a.tenant = $name RETURN a.name", {"name": owner.tenant}
    )
    return len(found.rows)


@pytest.mark.parametrize("way", PAYLOADS)
@pytest.mark.parametrize("source", ["chat_assistant", "api_result", "doc"])
def test_a_payload_of_an_agents_says_of_nobody_who_they_are(stores: Stores, way: str, source: str) -> None:
    owner, agent = both(stores, entities__recognise="on")
    for name in ("Lena Weiss", "Bob Hall", "Acme"):
        owner.remember("noted of somebody", mentions=[name])
    before = said_of(owner)
    given = PAYLOADS[way]
    held = agent.remember("noted", source_type=source, **given)
    assert said_of(owner) == before
    assert drawn(owner) == 0
    assert {*held.payload} == {*given["payload"]}
    agent.remember_many([draft(content="noted again", **given | {"kind": Kind(given["kind"])}, source_type=source)])
    agent.update(held.id, "noted once more")
    assert said_of(owner) == before
    assert drawn(owner) == 0
    owner.remember("The user's own", **given)
    assert drawn(owner) > 0 or way in {"participants", "employer", "works at"}
    sound(owner)


@pytest.mark.parametrize("way", PAYLOADS)
def test_nor_is_it_first_to_say_so(stores: Stores, way: str) -> None:
    owner, agent = both(stores, entities__recognise="on")
    agent.remember("noted", **PAYLOADS[way])
    assert {kind for _, kind, _ in said_of(owner)} <= {None}
    owner.remember("We met", payload={"event": "met", "participants": ["Lena Weiss"]})
    assert {str(kind) for name, kind, _ in said_of(owner) if name.lower() == "lena weiss"} == {"person"}
    sound(owner)


def test_an_agent_that_speaks_as_the_user_says_who_somebody_is(stores: Stores) -> None:
    owner, agent = both(stores, "agent:bot?source=chat_user", entities__recognise="on")
    agent.remember("noted", **PAYLOADS["participants"])
    assert ("Lena Weiss", "person", []) in said_of(owner)


def test_a_new_text_of_an_agents_document_gives_no_other_name(stores: Stores) -> None:
    owner, agent = both(stores, entities__recognise="on")
    for source in ("doc", "api_result", "chat_assistant"):
        held = agent.remember("noted", source_type=source)
        agent.update(held.id, "Maria Silva, called Mia, was there")
    assert [aliases for _, _, aliases in said_of(owner) if aliases] == []


# --- Who outnumbers whom --------------------------------------------------------------------------------------------

NOTES: dict[str, dict[str, Any]] = {
    "plain": {},
    "documents": {"source_type": "doc"},
    "of a tool": {"source_type": "api_result"},
    "tasks": {"kind": "task"},
}


@pytest.mark.parametrize("way", NOTES)
@pytest.mark.parametrize("vouched", [VOUCHED[0], VOUCHED[4]])
def test_no_number_of_an_agents_takes_what_is_worth_more(stores: Stores, way: str, vouched: dict[str, Any]) -> None:
    owner, agent = both(stores, lean__cap_per_subject=8)
    users = {owner.remember(f"Ann said thing {n}", subjects="Ann", **vouched).id for n in range(5)}
    users |= {owner.remember("Ann has another value", subjects="Ann", kind="semantic", key="v", **vouched).id}
    users |= {owner.remember("Ann has a new value", subjects="Ann", kind="semantic", key="v", **vouched).id}
    for n in range(16):
        agent.remember(f"A note {n} about Ann", subjects=["Ann", "Bob"], **NOTES[way])
    owner.maintain()
    left = {one.id for one in owner.memories() if one.tier == "live" and "Ann" in one.subjects}
    assert users <= left
    # Tasks are protected, and documents canonical: they may stay, and cost nobody else anything.
    assert len(left) == (8 if way in {"plain", "of a tool"} else 23)
    sound(owner)


def test_the_users_own_number_is_capped_as_ever(stores: Stores) -> None:
    owner, agent = both(stores, lean__cap_per_subject=8)
    for n in range(12):
        owner.remember(f"Ann said thing {n}", subjects="Ann")
    for n in range(10):
        agent.remember(f"Task {n} about Ann", subjects="Ann", kind="task")
    owner.maintain()
    left = [one.kind for one in owner.memories() if one.tier == "live"]
    assert left.count(Kind.EPISODIC) == 8
    assert left.count(Kind.TASK) == 10
    sound(owner)
