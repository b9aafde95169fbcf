"""What a life depends on outlives 180 days of small talk under every policy; what is said twice is paid for once."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from marskg.clock import DAY_MS
from marskg.extraction.vital import says_vital

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

LIFE = {
    "EpiPen": "There is an EpiPen in the drawer by my front door, wasps are dangerous for me.",
    "Ilse Brandt": "My emergency contact is Ilse Brandt, 0162 9550101.",
    "deaf": "I'm deaf in my right ear.",
    "grandfather": "My grandfather died on the second of May.",
    "AB negative": "My blood type is AB negative.",
    "hall cupboard": "My passport is in the hall cupboard.",
    "swimmer": "I'm no swimmer, I cannot swim at all.",
}
ALIKE = (
    "My passport photo is a disgrace.",
    "I can't juggle.",
    "My tablet died at the airport again.",
    "I'm allergic to Monday meetings, haha.",
)
#: Sentences of other people than those that the weights were learned on.
SAID = Path(__file__).parents[2] / "scripts" / "vital" / "others.tsv"
POLICIES = ("fifo", "lru", "priority-decay", "random-drop", "reflection-summary", "hybrid")
OTHERS = ("density", "removal-priority", "greedy", "randomised-tie-break")
BUDGET = 260
VITAL, RESTATED = "a life may depend on it", "a fact says every word of it"


def small_talk(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    openings = ("Today I", "This morning I", "After work we", "Over lunch we", "On the way home I")
    doings = ("watered the ferns", "watched the second episode", "baked rye bread", "walked along the river")
    tails = ("and it rained", "with my sister", "for an hour or so", "as on every Tuesday", "while the radio played")
    return [f"{chance.choice(openings)} {chance.choice(doings)} {chance.choice(tails)}, {n}." for n in range(count)]


def live(memory: AgentMemory) -> str:
    return "\n".join(one.content or "" for one in memory.memories() if one.tier == "live")


def live_on(stores: Stores, memory: AgentMemory, talk: list[str], *, learns: bool = False) -> None:
    """Let 180 days go by, in which ``talk`` is said."""
    for text in talk:
        stores.clock(memory).advance(180 * DAY_MS // len(talk))
        if learns:
            memory.learn(text)
        else:
            memory.remember(text, session="talk")


@pytest.mark.parametrize("policy", [*POLICIES, *OTHERS])
def test_it_outlives_small_talk(stores: Stores, policy: str) -> None:
    memory = stores.open(budget=BUDGET, policy__name=policy)
    for text in (*LIFE.values(), *ALIKE):
        memory.remember(text, session="first")
    talk = small_talk(7, 36)
    live_on(stores, memory, talk)
    kept = live(memory)
    assert [name for name in LIFE if name not in kept] == []
    assert memory.weight <= BUDGET
    assert sum(text in kept for text in talk) < len(talk) // 2
    assert memory.validate(full=True).ok


@pytest.mark.parametrize("policy", POLICIES)
def test_it_outlives_small_talk_that_is_learned(stores: Stores, policy: str) -> None:
    memory = stores.open(budget=BUDGET, policy__name=policy)
    for text in LIFE.values():
        memory.learn(text)
    live_on(stores, memory, small_talk(8, 24), learns=True)
    kept = live(memory)
    assert [name for name in LIFE if name not in kept] == []
    assert memory.weight <= BUDGET


@pytest.mark.parametrize("policy", [*POLICIES, *OTHERS])
def test_budgets_hold_where_nothing_else_is_left(stores: Stores, policy: str) -> None:
    memory = stores.open(budget=120, policy__name=policy)
    for number in range(20):
        memory.remember(f"I am allergic to latex and carry an EpiPen, note {number}.")
        assert memory.weight <= 120
    assert memory.validate(full=True).ok


@pytest.mark.parametrize("policy", [*POLICIES, *OTHERS])
def test_a_plan_says_why(stores: Stores, policy: str) -> None:
    memory = stores.open(policy__name=policy)
    vital = memory.remember(LIFE["deaf"]).id
    talk = [memory.remember(text).id for text in small_talk(9, 5)]
    plan = memory.plan(budget=1)
    assert {action.id for action in plan.actions} == {vital, *talk}
    assert plan.actions[-1].id == vital
    assert VITAL in plan.actions[-1].reason
    assert not any(VITAL in action.reason for action in plan.actions[:-1])


def test_nothing_vital_is_stale(stores: Stores) -> None:
    memory = stores.open(policy__name="hybrid")
    vital = {memory.remember(text).id for text in LIFE.values()}
    stores.clock(memory).advance(90 * DAY_MS)
    talk = {memory.remember(text, session="talk").id for text in small_talk(11, 8)}
    taken = {action.id for action in memory.plan(budget=memory.weight - 20).actions}
    assert taken <= talk
    assert not taken & vital


def test_the_record_of_an_eviction_says_why(stores: Stores) -> None:
    memory = stores.open(policy__name="fifo")
    vital = memory.remember(LIFE["deaf"]).id
    memory.forget(memory.plan(budget=1))
    assert VITAL in memory.explain(vital).as_text()


@pytest.mark.parametrize(
    "fields",
    [{"source_type": "doc"}, {"source_type": "chat_assistant"}, {"memory_class": "ephemeral"}, {"use_bound": True}],
)
def test_only_the_users_own_word_counts_and_nothing_that_is_to_pass(stores: Stores, fields: dict[str, Any]) -> None:
    memory = stores.open(policy__name="fifo")
    memory.remember(LIFE["deaf"], **fields)
    assert not any(VITAL in action.reason for action in memory.plan(budget=1).actions)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_turn_of_which_a_fact_says_every_word_goes_first(stores: Stores, policy: str) -> None:
    memory = stores.open(policy__name=policy)
    talk = [memory.remember(text).id for text in small_talk(10, 4)]
    turn = memory.remember("My favourite tea is jasmine.", session="s")
    fact = memory.remember("The user's favourite tea is jasmine", kind="semantic", derives_from=[turn.id])
    plan = memory.plan(budget=memory.weight - 1)
    assert plan.actions[0].id == turn.id
    assert RESTATED in plan.actions[0].reason
    assert not {fact.id, *talk} & {action.id for action in plan.actions[:1]}


def test_a_turn_gets_its_rank_back_when_its_fact_goes(stores: Stores) -> None:
    memory = stores.open(policy__name="fifo")
    turn = memory.remember("My favourite tea is jasmine.", session="s")
    memory.remember("The user's favourite tea is jasmine", kind="semantic", derives_from=[turn.id], ttl="1d")
    assert RESTATED in memory.plan(budget=1).actions[0].reason
    stores.clock(memory).advance(2 * DAY_MS)
    memory.maintenance.expire()
    (left,) = memory.plan(budget=1).actions
    assert (left.id, RESTATED in left.reason) == (turn.id, False)


def test_a_turn_that_says_more_than_its_fact_keeps_its_rank(stores: Stores) -> None:
    memory = stores.open(policy__name="fifo")
    turn = memory.remember("My favourite tea is jasmine, and the kettle is broken.", session="s")
    memory.remember("The user's favourite tea is jasmine", kind="semantic", derives_from=[turn.id])
    assert not any(RESTATED in action.reason for action in memory.plan(budget=1).actions)


def test_a_turn_tells_nobody_that_a_fact_says_it(stores: Stores) -> None:
    memory = stores.open(policy__name="fifo")
    turn = memory.remember("My favourite tea is jasmine.", session="s")
    before = memory.explain(turn.id).events
    memory.remember("The user's favourite tea is jasmine", kind="semantic", derives_from=[turn.id], sensitivity=0.9)
    assert RESTATED in memory.plan(budget=1).actions[0].reason
    assert memory.explain(turn.id).events == before


def test_it_is_found_in_each_language_and_not_in_what_only_looks_like_it() -> None:
    rows = [line.split("\t") for line in SAID.read_text("utf-8").splitlines() if line[0] != "#"]
    for language in ("en", "de", "fr", "es", "zh"):
        said = [says_vital(text) for one, flag, text in rows if (one, flag) == (language, "1")]
        alike = [says_vital(text) for one, flag, text in rows if (one, flag) == (language, "0")]
        assert sum(said) >= 0.85 * len(said), language
        assert sum(alike) <= 0.1 * len(alike), language


@pytest.mark.parametrize("text", ["I am allergic to peanuts.", "I am diabetic.", "I am allergic to nuts."])
def test_words_that_two_languages_share_leave_a_sentence_in_its_own(stores: Stores, text: str) -> None:
    """*am* is German too, and what *allerg* begins is a word of both."""
    memory = stores.open(budget=BUDGET, policy__name="fifo")
    memory.remember(text, session="first")
    memory.remember("I live in Oslo near the harbour.", session="first")
    live_on(stores, memory, small_talk(5, 90))
    assert text in live(memory)
    assert "Oslo" not in live(memory), "where somebody lives may go"
