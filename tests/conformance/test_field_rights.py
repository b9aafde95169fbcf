"""What an agent may write, field by field, and what it can do to what the user said: through the public door."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import Draft, EntityRef
from marskg.errors import BudgetInfeasible, InvalidMemory, MarsError, NotPermitted
from marskg.ontology.fields import GIVEN_FIELDS
from marskg.ontology.vocabulary import EdgeType, Kind, SourceType, TaskStatus, is_higher
from marskg.privacy.field_rights import FIELD_RIGHTS, Leave, leave_for
from marskg.privacy.principals import Principal, Role
from tests.conformance.test_learn import by_rules, said
from tests.support.stores import START

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.memory import AgentMemory
    from marskg.records import Memory
    from tests.support.stores import Stores

TURN = "Please do not ever send my records to my employer. I am not to be called before nine."
HEAVY = "a scratch note with so many words in it that it weighs as much as what it says that it was read from, or more"


def both(stores: Stores, principal: str = "agent:bot", **values: Any) -> tuple[AgentMemory, AgentMemory]:
    owner = stores.open(embedding__model="none", **values)
    return owner, stores.open_as(owner, principal)


def draft(ref: str = "r", **given: Any) -> Draft:
    usual: dict[str, Any] = {
        "kind": Kind.EPISODIC,
        "content": HEAVY,
        "at": START,
        "source_type": SourceType.CHAT_ASSISTANT,
    }
    return Draft(ref=ref, **usual | given)


def shown(memory: AgentMemory, question: str, **asked: Any) -> str:
    return memory.retrieve(question, token_budget=2_000, **asked).as_text()


def sound(memory: AgentMemory) -> None:
    assert memory.verify().findings == ()
    assert memory.validate(full=True).findings == ()
    assert memory.weight <= memory.settings.current.budget


# --- The table ------------------------------------------------------------------------------------------------------


def test_every_field_that_is_given_has_a_row() -> None:
    names = {one.name for one in fields(Draft)} | {one.name for one in GIVEN_FIELDS} - {"pinned"}
    names |= {f"mentions.{one.name}" for one in fields(EntityRef)}
    assert [name for name in sorted(names) if leave_for(Role.AGENT, name) is Leave.NO] == []
    assert {leave_for(role, "content") for role in (Role.READER, Role.SUBJECT, Role.CONTROLLER)} == {Leave.NO}


def test_the_page_has_the_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "principals.md").read_text(encoding="utf-8")
    for row in FIELD_RIGHTS:
        assert f"| {row.title} | {', '.join(f'`{name}`' for name in row.names)} | {row.agent} |" in page


@dataclass(frozen=True, slots=True, kw_only=True)
class WiderDraft(Draft):
    """A draft with a field that nobody has said a word about."""

    colour: str | None = None


def test_a_field_that_is_not_in_the_table_is_the_operators(stores: Stores) -> None:
    owner, agent = both(stores, "agent:bot?source=chat_user")
    plain: dict[str, Any] = {"ref": "r", "kind": Kind.EPISODIC, "content": "It rains", "at": START}
    with pytest.raises(NotPermitted, match="may not give the field colour"):
        agent.remember_many([WiderDraft(**plain, colour="red")])
    assert agent.remember_many([WiderDraft(**plain)]) == 1
    assert owner.remember_many([WiderDraft(**plain | {"content": "It snows"}, colour="red")]) == 1


def given(turn: Memory) -> dict[str, dict[str, Any]]:
    return {
        "spans": {"derives_from": (turn.id,), "spans": (f"{turn.id}#char=10,19",)},
        "made_by": {"derives_from": (turn.id,), "made_by": ("urn:mars:reading:x:rule:y",)},
        "unread": {"unread": True},
        "score": {"score": 100},
        "pin": {"pin": True},
        "memory_class=canonical": {"memory_class": "canonical"},
        "mentions.aliases": {"mentions": (EntityRef("Lena Weiss", aliases=("Weiss",)),)},
        "mentions.entity_type": {"mentions": (EntityRef("Lena Weiss", entity_type="person"),)},
        "mentions.same_as": {"mentions": (EntityRef("Lena Weiss", same_as=("http://example.org/1",)),)},
    }


@pytest.mark.parametrize("name", [*given(type("T", (), {"id": "x"}))])  # type: ignore[arg-type]
def test_an_agent_gives_no_field_that_acts_on_what_the_user_said(stores: Stores, name: str) -> None:
    owner, agent = both(stores)
    turn = owner.remember(TURN)
    before = owner.stats()["audit_seq"]
    with pytest.raises(NotPermitted, match=f"may not give the field {name} .*agent:NAME[?]source=chat_user"):
        agent.remember_many([draft(**given(turn)[name])])
    if name in {"pin", "memory_class=canonical"} or name.startswith("mentions"):
        with pytest.raises(NotPermitted, match=f"the field {name} "):
            agent.remember(HEAVY, **given(turn)[name])
    assert owner.stats()["audit_seq"] == before
    speaking = stores.open_as(owner, "agent:bot?source=chat_user&source=chat_assistant")
    assert speaking.remember_many([draft(**given(turn)[name])]) == 1
    sound(owner)


def test_an_agent_protects_nothing_that_the_user_said(stores: Stores) -> None:
    owner, agent = both(stores)
    turn = owner.remember(TURN).id
    note = agent.remember("The user said something of records", depends_on=[turn]).id
    task = agent.remember("Mind the records", kind="task").id
    calls: tuple[Callable[[], object], ...] = (
        lambda: agent.remember("Mind them", kind="task", requires=[turn]),
        lambda: agent.remember("Mind them", kind="task", depends_on=[turn]),
        lambda: agent.remember("Mind them", kind="task", requires=[note]),
        lambda: agent.remember_many(
            [draft("a", depends_on=(turn,)), draft("b", kind=Kind.TASK, content="Mind it", requires=("a",))]
        ),
        lambda: agent.link(task, "requires", turn),
        lambda: agent.link(task, "requires", note),
        lambda: agent.link(task, "dependsOn", turn),
    )
    for one in calls:
        with pytest.raises(NotPermitted, match="may not overrule what comes from chat_user"):
            one()
    own = agent.remember("A note of its own").id
    assert agent.link(task, "requires", own).id == task
    with pytest.raises(NotPermitted, match="may not overrule"):
        agent.link(own, "dependsOn", turn)
    sound(owner)


# --- Spans ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["chat_assistant", "doc", "api_result"])
def test_a_turn_is_cut_and_hidden_only_for_what_is_worth_as_much(stores: Stores, source: str) -> None:
    owner = stores.open(embedding__model="none")
    turn = owner.remember(TURN, session="s")
    for spans in ((f"{turn.id}#char=10,19",), (f"{turn.id}#char=0,{len(TURN)}",), ()):
        owner.remember_many(
            [draft(kind=Kind.SEMANTIC, key="scratch", derives_from=(turn.id,), spans=spans, source_type=source)]
        )
        owner.retract("scratch")
        assert TURN in shown(owner, "may I send the records to the employer?")
        held = owner.get(turn.id)
        assert held is not None
        assert held.current
    sound(owner)


def test_an_agents_fact_without_spans_hides_no_turn_of_the_users(stores: Stores) -> None:
    owner, agent = both(stores)
    turn = owner.remember(TURN, session="s")
    agent.remember(HEAVY, kind="semantic", key="scratch", derives_from=[turn.id])
    agent.retract("scratch")
    assert TURN in shown(owner, "may I send the records to the employer?")


@pytest.mark.parametrize(
    "span", ["{other}#char=0,3", "{turn}#char=0,9999", "{turn}#char=7,3", "{turn}", "urn:x:1#char=0,3"]
)
def test_a_span_is_of_words_of_a_turn_that_it_was_read_from(stores: Stores, span: str) -> None:
    owner = stores.open(embedding__model="none")
    turn, other = owner.remember(TURN), owner.remember("Another turn")
    name = span.format(turn=turn.id, other=other.id)
    with pytest.raises(InvalidMemory, match="a span names no words of a turn"):
        owner.remember_many([draft(derives_from=(turn.id,), spans=(name,))])
    sound(owner)


def test_spans_that_overlap_cut_what_they_have_together(stores: Stores) -> None:
    owner = stores.open(embedding__model="none")
    turn = owner.remember("The red bike is in the shed. The spare key is under the blue pot.")
    spans = tuple(f"{turn.id}#char={start},{end}" for start, end in ((0, 20), (8, 27)))
    owner.remember_many(
        [draft(source_type="chat_user", kind=Kind.SEMANTIC, key="bike", derives_from=(turn.id,), spans=spans)]
    )
    owner.retract("bike")
    assert "[…]. The spare key is under the blue pot." in shown(owner, "where is the spare key?")


def test_no_negation_is_cut_out_of_what_a_user_said_whoever_cuts(stores: Stores) -> None:
    owner = stores.open(embedding__model="none")
    turn = owner.remember(TURN, session="s")
    for n, word in enumerate(("not ever ", "not to ")):
        at = TURN.index(word)
        spans = (f"{turn.id}#char={at},{at + len(word)}",)
        owner.remember_many(
            [draft(source_type="chat_user", kind=Kind.SEMANTIC, key=f"k/{n}", derives_from=(turn.id,), spans=spans)]
        )
        owner.retract(f"k/{n}")
        text = shown(owner, "may I send the records to the employer? when am I called?")
        assert "send my records" not in text
        assert ("not to be called" in text) is (n == 0)
        assert n == 0 or "be called" not in text


# --- Wishes and tasks -----------------------------------------------------------------------------------------------


def test_a_wish_of_an_agent_hides_nothing_that_the_user_says(stores: Stores) -> None:
    owner, agent = both(stores)
    said_before = "I never want calls before nine"
    owner.remember(said_before)
    for text in (
        "forget about calls",
        "stop mentioning calls",
        "remember less about calls",
        "you are wrong about calls",
    ):
        for dry_run in (True, False):
            with pytest.raises(NotPermitted, match="may not overrule what comes from chat_user"):
                agent.learning.wish(text, dry_run=dry_run)
    # Nor what they say of it later, nor by another door.
    agent.learning.wish("forget about the pond")
    with pytest.raises(NotPermitted, match="may not overrule what comes from chat_user"):
        agent.remember("forget about calls", kind="semantic", key="wish/call", session="wishes", intent_tags=["wish"])
    owner.remember("The pond is deep")
    assert said_before in shown(owner, "when do I want calls?")
    assert "The pond is deep" in shown(owner, "how deep is the pond?")
    speaking = stores.open_as(owner, "agent:bot?source=chat_user&source=chat_assistant")
    speaking.learning.wish("forget about the pond")
    assert "The pond is deep" not in shown(owner, "how deep is the pond?")
    sound(owner)


def test_a_task_of_the_users_is_closed_by_no_agent(stores: Stores) -> None:
    owner, agent = both(stores)
    task = owner.remember("Call the dentist", kind="task", key="task/dentist")
    for change in ({"status": "done"}, {"priority": 1}):
        with pytest.raises(NotPermitted, match="may not overrule"):
            agent.tasks.amend(task.id, **change)
    with pytest.raises(NotPermitted, match="may not overrule"):
        agent.remember_many([draft(kind=Kind.TASK, action="close_task", key="task/dentist", status=TaskStatus.DONE)])
    held = owner.get(task.id)
    assert held is not None
    assert held.status is TaskStatus.OPEN


# --- What a hidden fact did -----------------------------------------------------------------------------------------


def seen(stores: Stores, story: Callable[[AgentMemory], object]) -> list[Any]:
    owner = stores.open(seed=7, embedding__model="none")
    story(owner)
    reader = stores.open_as(owner, Principal(Role.READER, "bot", ceiling=0.3), seed=8)
    hits = reader.retrieve("What do I play, and where is the key?", token_budget=500)
    return [
        hits.as_text().partition("\n")[2],
        hits.confidence,
        sorted((one.content or "", one.current) for one in reader.memories() if one.kind is Kind.EPISODIC),
    ]


@pytest.mark.parametrize("spans", ["{turn}#char=0,{size}", "{turn}#char=0,12", ""])
def test_what_a_hidden_fact_did_to_a_turn_is_not_seen(stores: Stores, spans: str) -> None:
    text = "I play chess. The key is here."

    def plain(owner: AgentMemory) -> None:
        owner.remember(text, session="s", at=START)

    def hiding(owner: AgentMemory) -> None:
        turn = owner.remember(text, session="s", at=START)
        found = spans.format(turn=turn.id, size=len(text))
        hidden = draft(
            kind=Kind.SEMANTIC, key="game", content="The user plays chess", source_type=SourceType.CHAT_USER,
            derives_from=(turn.id,), sensitivity=0.9, spans=(found,) if found else (),
        )  # fmt: skip
        owner.remember_many([hidden])
        owner.retract("game")
        assert text not in shown(owner, "What do I play?", superseded=False)

    assert seen(stores, plain) == seen(stores, hiding)


def test_what_a_hidden_turn_ended_is_not_cut_out_of_one_that_is_seen(stores: Stores) -> None:
    text = "I play chess. The spare key is under the blue pot."

    def told(owner: AgentMemory, *more: dict[str, Any]) -> None:
        by_rules(owner, said(text, session="first"))
        for one in more:
            by_rules(owner, one)

    before = seen(stores, told)
    after = seen(stores, lambda owner: told(owner, said("I no longer play chess. I have leukaemia.", 1, session="x")))
    assert text in before[0]
    assert before[0] == after[0]


# --- Nobody is flooded out ------------------------------------------------------------------------------------------

NOTE = "agent note {} about many things that are not so important at all but have many words in them to fill"


def settled(stores: Stores, principal: str = "agent:bot", **values: Any) -> tuple[AgentMemory, AgentMemory, set[str]]:
    owner, agent = both(stores, principal, budget=1_000, **values)
    for n in range(20):
        owner.remember(f"User turn number {n}: I told you about my garden, my dog and thing {n}", session="s")
    for n in range(10):
        owner.remember(f"User fact {n} is {n}", kind="semantic", key=f"fact/{n}")
    owner.remember("I am allergic to penicillin", kind="semantic", key="allergy")
    owner.remember("The handbook gives 24 days of leave", source_type="doc")
    return owner, agent, {one.id for one in owner.memories()}


FLOODS: dict[str, Callable[[AgentMemory, int], object]] = {
    "plain": lambda agent, n: agent.remember(NOTE.format(n)),
    "as a document": lambda agent, n: agent.remember(NOTE.format(n), source_type="doc"),
    "as a tool": lambda agent, n: agent.remember(NOTE.format(n), source_type="api_result"),
    "pinned": lambda agent, n: agent.remember(NOTE.format(n), pin=True),
    "with a score": lambda agent, n: agent.remember_many([draft(content=NOTE.format(n), score=100)]),
    "as tasks": lambda agent, n: agent.remember(NOTE.format(n), kind="task"),
    "many at once": lambda agent, n: agent.remember_many(
        [draft(f"r{m}", content=NOTE.format(f"{n} {m}")) for m in range(6)]
    ),
}
POLICIES = [
    "fifo", "lru", "priority-decay", "random-drop", "hybrid", "density", "reflection-summary", "greedy", "private",
]  # fmt: skip


def flood(agent: AgentMemory, write: Callable[[AgentMemory, int], object], times: int = 60) -> int:
    refused = 0
    for n in range(times):
        try:
            write(agent, n)
        except MarsError:
            refused += 1
    return refused


@pytest.mark.parametrize("way", FLOODS)
def test_an_agent_floods_nothing_of_the_users_out(stores: Stores, way: str) -> None:
    owner, agent, before = settled(stores)
    flood(agent, FLOODS[way])
    assert before <= {one.id for one in owner.memories()}
    assert owner.remember("And this I say now").content
    assert before <= {one.id for one in owner.memories()}
    sound(owner)


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_keeps_the_share(stores: Stores, policy: str) -> None:
    owner, agent, _ = settled(stores, policy__name=policy)
    for n in range(8):
        owner.remember(f"More that the user says {n}: " + NOTE.format(n))
    flood(agent, FLOODS["plain"], 30)
    # A summary of what the user said stands as that does.
    assert sum(one.weight for one in owner.memories() if is_higher(one.source_type, one.reliability)) >= 500
    for n in range(60):
        owner.remember(f"The user speaks on {n}: " + NOTE.format(n))
    # What pays for its own writes goes down to the low-water mark.
    assert sum(one.weight for one in owner.memories() if not is_higher(one.source_type, one.reliability)) >= 430
    sound(owner)


@pytest.mark.parametrize("before", [True, False], ids=["after a forgetting", "without one"])
@pytest.mark.parametrize("policy", ["reflection-summary", "hybrid", "priority-decay"])
def test_whatever_the_policy_nobody_is_written_out(stores: Stores, policy: str, *, before: bool) -> None:
    """A policy that sums up frees less the fewer it may take: its plan is asked until it keeps the shares."""
    memory = stores.open(embedding__model="none", budget=700, policy__name=policy)
    agent = stores.open_as(memory, "agent:bot")
    for day in range(14):
        text = f"On day {day} Carl watered the tomatoes in the garden behind the house. It was {20 + day} degrees then."
        memory.remember(text, subjects=["bea"], session="s")
    if before:
        memory.forget(memory.plan(budget=250))
    for note in range(60):
        agent.remember(f"assistant note {note}: look at the boiler, the roof, the train and the bridge again please")
    for day in range(30):
        memory.remember(f"I told you on day {day} that the cat of my aunt sleeps in the old red armchair by the stove")
    sound(memory)


@pytest.mark.parametrize("part", [0.3, 0.5])
def test_what_is_drawn_at_random_keeps_both_shares(stores: Stores, part: float) -> None:
    owner = stores.open(seed=5, embedding__model="none", budget=4_000, policy__name="private", budget__shares=part)
    for n in range(40):
        owner.remember(f"User turn {n}: " + "word " * (n % 7))
        owner.remember(f"The answer {n}: " + "word " * (n % 5), source_type="chat_assistant")
    before = owner.stats()["weight"]
    plan = owner.privacy.forget(budget=before // 2)
    left = dict.fromkeys((True, False), 0)
    for one in owner.memories():
        left[is_higher(one.source_type, one.reliability)] += one.weight
    heaviest = max(action.weight for action in plan.actions)
    assert left[True] >= int(part * (before // 2))
    # Where whole memories do not add up to what is to go, the lower standing gives the rest.
    assert left[False] > before // 2 - int(part * (before // 2)) - heaviest
    assert sum(left.values()) > before // 2 - heaviest
    assert owner.privacy.budget()["choices"] > 0
    sound(owner)


def test_an_agent_that_has_the_whole_budget_gives_way_when_the_user_comes(stores: Stores) -> None:
    owner, agent = both(stores, budget=1_000)
    refused = flood(agent, FLOODS["as tasks"])
    assert refused
    flood(agent, FLOODS["plain"])
    for n in range(20):
        owner.remember(f"The user speaks {n}: " + NOTE.format(n))
    assert sum(one.weight for one in owner.memories() if one.source_type is SourceType.CHAT_USER) >= 430
    sound(owner)


@pytest.mark.parametrize("policy", ["fifo", "priority-decay", "random-drop", "density", "private"])
def test_the_user_reaches_its_share_when_an_agent_was_there_first(stores: Stores, policy: str) -> None:
    chance = Random(policy)
    owner, agent = both(stores, budget=1_000, policy__name=policy)
    for n in range(90):
        agent.remember(f"Assistant note {n}: " + "look at the boiler again " * chance.randrange(1, 6))
    said: dict[str, int] = {}
    while True:
        one = owner.remember(f"And of shelf {len(said)} I say: " + "it holds boiler parts " * chance.randrange(1, 5))
        if sum(said.values()) + one.weight > 500:
            break
        said[one.id] = one.weight
        assert said.keys() <= {two.id for two in owner.memories()}
        if chance.random() < 0.3:
            agent.remember(f"Assistant note again, {len(said)}: the roof and the train")
            assert said.keys() <= {two.id for two in owner.memories()}
    sound(owner)


def test_what_is_pinned_of_a_lower_standing_counts_against_its_own_share(stores: Stores) -> None:
    owner, _ = both(stores, budget=200)
    kept = [owner.remember(NOTE.format(n), source_type="chat_assistant").id for n in range(6)]
    for one in kept[:4]:
        owner.policy.pin(one)
    for one in kept[4:]:
        with pytest.raises(BudgetInfeasible, match=r"budget\.shares leaves 100 of the budget of 200"):
            owner.policy.pin(one)
    owner.settings.set(None, {"budget.shares": 0})
    for one in kept:
        owner.policy.pin(one)
    with pytest.raises(BudgetInfeasible, match=r"budget\.shares leaves 100"):
        owner.settings.set(None, {"budget.shares": 0.5})
    sound(owner)


def test_the_share_is_a_setting_and_one_standing_alone_is_planned_as_if_there_were_none(stores: Stores) -> None:
    plans = []
    for part in (0.0, 0.5, 1.0):
        owner = stores.open(seed=3, embedding__model="none", budget=1_000, budget__shares=part)
        for n in range(30):
            owner.remember(NOTE.format(n), at=START + n)
        plans.append([(one.action, one.weight, one.rule) for one in owner.plan(budget=300).actions])
    assert plans[0] == plans[1] == plans[2]
    owner, agent, before = settled(stores, budget__shares=0.1, policy__name="fifo")
    flood(agent, FLOODS["plain"], 80)
    assert not before <= {one.id for one in owner.memories()}


def test_an_edge_of_an_agent_needs_no_more_than_it_did(stores: Stores) -> None:
    owner, agent = both(stores)
    turn = owner.remember(TURN)
    note = agent.remember("The user speaks of records")
    assert agent.link(note.id, EdgeType.DERIVES_FROM, turn.id).id == note.id
