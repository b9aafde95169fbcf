"""Whoever comes first to a key decides nothing for who stands higher: no end, no purpose, no cardinality, no time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidMemory, NotPermitted
from marskg.ontology.vocabulary import Kind, SourceType
from tests.conformance.test_field_rights import both, draft, sound

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

KEY = "profile/home"
SAID = "I live in Graz"
#: What an agent without a grant may give a value of a key.
FIRST: dict[str, dict[str, Any]] = {
    "an end": {"ttl": "1h"},
    "a purpose": {"purpose": ["billing"]},
    "another cardinality": {"cardinality": "set"},
    "a ledger": {"cardinality": "append"},
    "a class that is let go of soon": {"memory_class": "private"},
    "a sensitivity": {"sensitivity": 0.95},
    "a region": {"jurisdiction": "US"},
    "nothing of its own": {},
}


def holding(memory: AgentMemory, key: str = KEY) -> list[tuple[str, str]]:
    return [(str(one.source_type), one.content or "") for one in memory.memories() if one.current and one.key == key]


@pytest.mark.parametrize("by", ["remember", "learn", "remember_many"])
@pytest.mark.parametrize("way", FIRST)
@pytest.mark.parametrize("same", [True, False], ids=["the same words", "other words"])
def test_what_an_agent_gave_a_key_binds_no_word_of_the_user(stores: Stores, way: str, by: str, *, same: bool) -> None:
    owner, agent = both(stores)
    words = {"learn": "The user lives in Graz"}.get(by, SAID)
    agent.remember(words if same else "not known yet", kind="semantic", key=KEY, **FIRST[way])
    if by == "learn":
        owner.learn([{"role": "user", "content": f"{SAID}."}])
    elif by == "remember":
        owner.remember(SAID, kind="semantic", key=KEY)
    else:
        owner.remember_many([draft(kind=Kind.SEMANTIC, content=SAID, key=KEY, source_type=SourceType.CHAT_USER)])
    found = [one for one in owner.memories() if one.current and one.key == KEY]
    assert [(str(one.source_type), one.content) for one in found] == [("chat_user", words)]
    assert (found[0].expires_at, found[0].purpose, found[0].jurisdiction) == (None, (), None)
    assert found[0].sensitivity < 0.9
    assert str(found[0].cardinality) == "single"
    sound(owner)


def test_what_an_agent_ended_itself_is_none_of_the_users_word(stores: Stores) -> None:
    owner, agent = both(stores)
    agent.remember("The user lives in Graz", kind="semantic", key=KEY)
    agent.retract(KEY)
    owner.learn([{"role": "user", "content": f"{SAID}."}])
    assert holding(owner) == [("chat_user", "The user lives in Graz")]
    sound(owner)


def test_what_the_user_said_before_an_agent_wrote_holds_when_it_is_read_later(stores: Stores) -> None:
    owner, agent = both(stores)
    said = owner.now()
    stores.clocks[owner.tenant].advance(60_000)
    agent.remember("The user lives in Rome", kind="semantic", key=KEY)
    stores.clocks[owner.tenant].advance(60_000)
    owner.learn([{"role": "user", "content": f"{SAID}.", "timestamp": said}])
    assert holding(owner) == [("chat_user", "The user lives in Graz")]
    sound(owner)


def test_each_of_a_set_is_the_users_own(stores: Stores) -> None:
    owner, agent = both(stores)
    key = "profile/allergies"
    agent.remember("No allergies are known", kind="semantic", key=key)
    owner.learn([{"role": "user", "content": "I am allergic to penicillin."}])
    agent.remember("The user is allergic to nuts", kind="semantic", key=key, cardinality="set", ttl="1h")
    owner.remember("The user is allergic to nuts", kind="semantic", key=key, cardinality="set")
    assert sorted(holding(owner, key)) == [
        ("chat_user", "The user is allergic to nuts"),
        ("chat_user", "The user is allergic to penicillin"),
    ]
    assert all(one.expires_at is None for one in owner.memories() if one.key == key and one.current)
    sound(owner)


def test_of_the_same_standing_the_slot_stays_as_it_was(stores: Stores) -> None:
    owner, agent = both(stores)
    owner.remember("I live in Rome", kind="semantic", key=KEY, purpose=["billing"], ttl="30d")
    new = owner.remember(SAID, kind="semantic", key=KEY)
    assert new.expires_at is not None
    assert new.purpose == ("billing",)
    with pytest.raises(InvalidMemory, match="already holds values of cardinality single"):
        owner.remember(SAID, kind="semantic", key=KEY, cardinality="set")
    agent.remember("noted", kind="semantic", key="notes/day", cardinality="append")
    with pytest.raises(InvalidMemory, match="already holds values of cardinality append"):
        agent.remember("noted", kind="semantic", key="notes/day")
    owner.remember("I play chess", kind="semantic", key="profile/game")
    with pytest.raises(NotPermitted, match="may not overrule what comes from chat_user"):
        agent.remember("the user plays chess", kind="semantic", key="profile/game", cardinality="append")
    sound(owner)
