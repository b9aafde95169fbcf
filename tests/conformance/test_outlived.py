"""A turn that its own facts left behind answers no question about the present; its facts that hold still do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.memory import AgentMemory
    from marskg.records import Memory
    from tests.support.stores import Stores

TURN = "Please send it to Ines first, and after that to the finance team for the records."
INES = "The report goes to Ines"
TEAM = "The report goes to the finance team"
CHORE = "I have to water the ferns today."
ASKED = "Who gets the report?"


def shown(memory: AgentMemory, question: str = ASKED, **asked: Any) -> list[str]:
    return [hit.memory.content or "" for hit in memory.retrieve(question, **asked)]


def told(memory: AgentMemory, **fields: Any) -> Memory:
    """Tell the turn and the two facts in it; returns the turn."""
    turn = memory.remember(TURN, session="monday", subjects=["mira"])
    for fact in (INES, TEAM):
        memory.remember(
            fact,
            kind="semantic",
            key="report/for",
            cardinality="set",
            derives_from=[turn.id],
            subjects=["mira"],
            **fields,
        )
    return turn


def test_a_turn_gives_way_to_the_facts_of_it_that_hold_still(stores: Stores) -> None:
    memory = stores.open(retrieval__min_confidence=0.5)
    told(memory)
    assert {TURN, INES, TEAM} == set(shown(memory))
    before = stores.clocks[memory.tenant].now_ms()
    memory.retract("report/for", content=TEAM, subjects=["mira"])
    assert shown(memory) == [INES]
    assert TURN in shown(memory, superseded=True)
    assert TURN in shown(memory, as_of=before)


def test_a_value_that_was_replaced_takes_its_turn_with_it_unless_it_was_read_from_that_turn(stores: Stores) -> None:
    memory = stores.open()
    turn = memory.remember("The report is due on the ninth, says Ines.", session="monday")
    due: dict[str, Any] = {"kind": "semantic", "key": "report/due"}
    memory.remember("The report is due on the nineteenth", derives_from=[turn.id], **due)
    memory.remember("Ines sets the day of the report", kind="semantic", derives_from=[turn.id])
    memory.remember("The report is due on the ninth", derives_from=[turn.id], **due)
    assert turn.content in shown(memory, "When is the report due?")
    memory.remember("The report is due on the tenth", **due)
    assert turn.content not in shown(memory, "When is the report due?")


@pytest.mark.parametrize(
    "close",
    [
        lambda memory, task: memory.tasks.amend(task.id, status="done"),
        lambda memory, task: memory.tasks.amend(task.id, deadline=task.created - 1000),
    ],
    ids=["done", "past"],
)
def test_the_turn_of_a_task_goes_and_comes_back_with_it(
    stores: Stores, close: Callable[[AgentMemory, Memory], object]
) -> None:
    memory = stores.open(task_grace="0s")
    turn = memory.remember(CHORE, session="monday")
    task = memory.remember("Water the ferns", kind="task", derives_from=[turn.id])
    assert CHORE in shown(memory, "Which plants need water?")
    close(memory, task)
    assert CHORE not in shown(memory, "Which plants need water?")
    assert CHORE in shown(memory, "Which plants need water?", closed=True)
    memory.tasks.amend(task.id, status="open", deadline=task.created + 10**9)
    assert CHORE in shown(memory, "Which plants need water?")


def test_a_turn_that_says_much_more_than_its_facts_stays(stores: Stores) -> None:
    memory = stores.open()
    story = (
        "My sister comes on the fifth with her twins and the old dog, she wants to see the harbour, the twins want the "
        "museum with the whale, and I have to buy a bed before that."
    )
    turn = memory.remember(story, session="monday")
    task = memory.remember("Buy a bed", kind="task", derives_from=[turn.id])
    memory.tasks.amend(task.id, status="done")
    assert story in shown(memory, "What does my sister want to see?")


def test_what_a_reader_may_not_know_of_takes_no_turn_from_them(stores: Stores) -> None:
    memory = stores.open()
    told(memory, sensitivity=0.8)
    memory.retract("report/for", content=TEAM, subjects=["mira"])
    assert shown(memory, max_sensitivity=0.5) == [TURN]
    assert TURN not in shown(memory)


def test_the_kept_index_knows_what_a_turn_gave_way_to(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marskg.retrieval.index.view.LEAST_SAVED", 1)
    memory = stores.open()
    told(memory)
    memory.retract("report/for", content=TEAM, subjects=["mira"])
    assert shown(memory) == [INES]
    memory.stats()  # writes what was shown: an index is of what is stored
    memory._reading.close()
    assert shown(stores.open(memory.tenant)) == [INES]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("I'm Alice, I moved from Oslo to Malmö in March", "Where do I live?"),
        ("We adopted a dog called Bella last week", "Do I have any pets?"),
        ("I love jazz but I can't stand techno", "Which music do I like?"),
    ],
)
def test_a_turn_answers_what_was_learned_from_it_in_its_own_words(stores: Stores, said: str, asked: str) -> None:
    memory = stores.open(retrieval__min_confidence=0.5)
    chatter = ["My budget for the trip is 300 euros", "Work is crazy, my boss wants a report by Thursday"]
    memory.learn([{"content": text, "speaker": "Alice", "session": text[:5]} for text in (said, *chatter)])
    hits = memory.retrieve(asked)
    best = max(hits, key=lambda hit: hit.score)
    assert (best.memory.content, (hits.confidence or 0) > 0.5) == (said, True)
    assert not memory.retrieve("What is the capital of France?", min_confidence=0.5).hits


# --- Lists from which something was taken out --------------------------------------------------------------------

LIST = "The email about the audit goes to the VP of Sales and to Ann Lee."
LEFT = "The email about the audit goes to the […] and to Ann Lee."
OUT = "Please remove 'VP of Sales' from the recipients."


def listed(memory: AgentMemory, stores: Stores, *texts: str) -> list[Memory]:
    found: list[Memory] = []
    for text in texts:
        found.append(memory.remember(text, session=f"day {len(found)}"))
        stores.clocks[memory.tenant].advance(60_000)
    return found


def test_a_list_is_told_without_what_was_taken_out_of_it_later(stores: Stores) -> None:
    memory = stores.open(learning__conflicts="newest")
    one, _ = listed(memory, stores, LIST, OUT)
    before = one.created
    for k in (1, 5):
        assert LIST not in shown(memory, "Who gets the email about the audit?", k=k)
    assert LEFT in shown(memory, "Who gets the email about the audit?")
    # It stays as it is for whoever asks for what was.
    assert LIST in shown(memory, "Who gets the email about the audit?", as_of=before)
    kept = memory.get(one.id)
    assert kept is not None
    assert (kept.content, kept.current) == (LIST, True)
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_what_a_reader_may_not_see_takes_nothing_out(stores: Stores) -> None:
    memory = stores.open(learning__conflicts="newest")
    memory.remember(LIST, session="day 0")
    stores.clocks[memory.tenant].advance(60_000)
    taken = memory.remember(OUT, session="day 1", sensitivity=0.9)
    asked = "Who gets the email about the audit?"
    assert shown(memory, asked, max_sensitivity=0.5) == [LIST]
    assert LEFT in shown(memory, asked)
    memory.erase(id=taken.id)
    assert shown(memory, asked) == [LIST]


@pytest.mark.parametrize(
    "said",
    [
        ["Don't remove 'VP of Sales' from the recipients."],
        ["Should I remove 'VP of Sales' from the recipients?"],
        ["Please remove 'VP of Sales' from the guests of the party."],
        ["Please remove 'Ann' from the recipients."],
        ["The email about the fair goes to the VP of Sales and to Bo.", OUT],
    ],
)
def test_what_is_not_surely_taken_out_of_a_list_stays_in_it(stores: Stores, said: list[str]) -> None:
    memory = stores.open(learning__conflicts="newest")
    listed(memory, stores, LIST, *said)
    assert LIST in shown(memory, "Who gets the email about the audit?")


@pytest.mark.parametrize(
    "said",
    [
        {"answer": "It goes to Ann Lee; the VP of Sales no longer gets it."},
        {"answer": "It goes to the VP of Sales.", "complaint": "That's wrong, the VP of Sales no longer gets it"},
    ],
)
def test_feedback_that_agrees_with_what_was_taken_out_hides_neither(stores: Stores, said: dict[str, str]) -> None:
    memory = stores.open(learning__conflicts="newest")
    one, other = listed(memory, stores, LIST, OUT)
    hits = memory.retrieve("Who gets the email about the audit?")
    assert hits.id is not None
    assert not memory.feedback(hits.id, **said).aside
    assert [item.tier for ident in (one.id, other.id) if (item := memory.get(ident))] == ["live", "live"]


@pytest.mark.parametrize(
    "said",
    [
        "If it rains, remove 'VP of Sales' from the recipients.",
        "Bo wanted to remove 'VP of Sales' from the recipients but changed his mind.",
        "I won't remove 'VP of Sales' from the recipients.",
        "Removing is wrong: rather than remove 'VP of Sales' from the recipients, ask Bo.",
    ],
)
def test_what_is_only_supposed_or_taken_back_takes_nothing_out(stores: Stores, said: str) -> None:
    memory = stores.open(learning__conflicts="newest")
    listed(memory, stores, LIST, said)
    assert LIST in shown(memory, "Who gets the email about the audit?")
