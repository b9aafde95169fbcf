"""What a showing teaches, on every engine: use counts, silence does not, and what proved false is not shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.ontology.vocabulary import Operation, Tier

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from marskg.retrieval.assembly.hits import Hits
    from tests.support.stores import Stores

DAY = 86_400_000
FACTS = (
    "Ann is allergic to shellfish",
    "Ann lives in Oslo",
    "Ann's dog is called Rex",
    "The printer on floor two is broken",
    "Ben owes Ann 40 euros",
)
TALK = (
    ("Tell me a joke", "Why did the chicken cross the road?"),
    ("How far is the moon?", "About 384,000 km."),
    ("Name three primes", "2, 3, 5."),
    ("Thanks!", "You are welcome, have a nice day."),
)
WRONG, RIGHT = "Ann's flight to Rome leaves at 9:40", "Ann's flight to Rome leaves at 11:15"
ASKED = "When does Ann's flight to Rome leave?"
OFFICE = "The Rome office is in Via Appia"


def stored(memory: AgentMemory, *texts: str, **fields: Any) -> list[str]:
    return [memory.remember(text, kind="semantic", **fields).id for text in texts]


def scores(memory: AgentMemory, ids: list[str]) -> list[int]:
    found = [memory.get(one) for one in ids]
    return [one.score for one in found if one is not None]


def asked(memory: AgentMemory, query: str = ASKED) -> tuple[Hits, set[str]]:
    hits = memory.retrieve(query, token_budget=2_000)
    return hits, {hit.memory.id for hit in hits}


def complained(memory: AgentMemory, **said: Any) -> Any:
    hits, _ = asked(memory)
    return memory.feedback(str(hits.id), question=ASKED, **said)


# --- Silence -----------------------------------------------------------------------------------------------------


def test_small_talk_moves_no_score(stores: Stores) -> None:
    memory = stores.open()
    ids = stored(memory, *FACTS)
    for turn in range(12):
        query, answer = TALK[turn % len(TALK)]
        hits = memory.retrieve(query)
        if hits.id is not None:
            told = memory.feedback(hits.id, answer=answer, question=query)
            assert (told.id, told.assessed) == (None, ())
            assert set(told.passed) == {hit.memory.id for hit in hits}
    assert scores(memory, ids) == [50] * len(ids)
    stores.clock(memory).advance(8 * DAY)
    assert memory.learning.plan_pruning().actions == ()


def test_what_was_shown_beside_a_use_loses_and_says_so(stores: Stores) -> None:
    memory = stores.open()
    right, other = stored(memory, RIGHT, OFFICE)
    told = complained(memory, answer="It leaves at 11:15.")
    assert {item.id: item.outcome.value for item in told.assessed} == {right: "used", other: "unused"}
    assert scores(memory, [right, other]) == [60, 45]


def test_naming_everything_unused_teaches_nothing(stores: Stores) -> None:
    memory = stores.open()
    ids = stored(memory, RIGHT, OFFICE)
    told = complained(memory, unused=ids)
    assert (told.assessed, set(told.passed), scores(memory, ids)) == ((), set(ids), [50, 50])


@pytest.mark.parametrize(
    ("held", "query", "answer", "score"),
    [
        ("Die Sitzung ist um 10:00 Uhr", "Wann ist die Sitzung?", "Die Sitzung ist um 14:00 Uhr.", 25),
        ("Die Sitzung ist um 10:00 Uhr", "Wann ist die Sitzung?", "Das Essen ist um 11:00 Uhr.", 50),
        ("La salle 10 est libre", "Quelle salle est libre ?", "La salle 12 est prise.", 50),
    ],
)
def test_english_rules_judge_no_answer_in_another_language(
    stores: Stores, held: str, query: str, answer: str, score: int
) -> None:
    memory = stores.open()
    ids = stored(memory, held)
    hits, shown = asked(memory, query)
    assert shown == {*ids}
    memory.feedback(str(hits.id), answer=answer, question=query)
    assert scores(memory, ids) == [score]


def test_a_complete_reading_neglects_nobody(stores: Stores) -> None:
    memory = stores.open()
    right, other = stored(memory, RIGHT, OFFICE)
    everything = memory.read_all()
    told = memory.feedback(str(everything.id), answer="The flight to Rome leaves at 11:15.", question="What is new?")
    assert [(item.id, item.outcome.value) for item in told.assessed] == [(right, "used")]
    assert told.passed == (other,)


# --- What proved false -------------------------------------------------------------------------------------------


def test_what_proved_false_is_not_shown_again_and_its_rival_pays_nothing(stores: Stores) -> None:
    memory = stores.open()
    wrong, right, other = stored(memory, WRONG, RIGHT, OFFICE)
    told = complained(memory, answer="Ann's flight to Rome leaves at 9:40.", complaint="That's wrong.")
    assert [(item.id, item.outcome.value) for item in told.assessed] == [(wrong, "contradicted")]
    assert told.aside == (wrong,)
    assert set(told.passed) == {right, other}
    _, shown = asked(memory)
    assert wrong not in shown
    assert right in shown
    assert scores(memory, [wrong, right, other]) == [25, 50, 50]
    assert wrong not in {hit.memory.id for hit in memory.read_all()}
    assert list(memory.audit.records())[-1].operation is Operation.ARCHIVE
    assert "the user said that it was wrong" in memory.explain(wrong).as_text()
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_a_wrong_day_is_found_by_its_rival_however_both_are_worded(stores: Stores) -> None:
    memory = stores.open()
    texts = ("The meeting with Ann is on Friday at 3 PM", "Ann's meeting takes place Monday, 10 AM")
    wrong, right, other = stored(memory, *texts, "Ann brings the slides to the meeting")
    question = "When is the meeting with Ann?"
    hits = memory.retrieve(question)
    answer = "It is on Friday at 3 PM, and Ann brings the slides."
    told = memory.feedback(str(hits.id), answer=answer, question=question, complaint="That's wrong.")
    assert told.aside == (wrong,)
    assert scores(memory, [right, other]) == [50, 50]
    assert wrong not in {hit.memory.id for hit in memory.retrieve(question)}


@pytest.mark.parametrize(
    "said",
    [
        {"contradicted": 0, "complaint": "you're wrong about the flight"},
        {"contradicted": 0, "complaint": "that is not right"},
        {"answer": "It leaves at 9:40.", "complaint": "That's wrong about the flight to Rome."},
        {"answer": "Ask at the desk.", "complaint": "That's wrong, it leaves at 11:15."},
        {"answer": "Ask at the desk.", "complaint": "That's wrong, Ann's flight to Rome leaves at 11:15."},
    ],
)
def test_the_complaint_finds_what_is_wrong(stores: Stores, said: dict[str, Any]) -> None:
    memory = stores.open()
    wrong, right, other = stored(memory, WRONG, RIGHT, OFFICE)
    given = {name: [wrong] if name == "contradicted" else value for name, value in said.items()}
    told = complained(memory, **given)
    assert told.aside == (wrong,)
    assert told.wishes == ()
    _, shown = asked(memory)
    assert wrong not in shown
    assert scores(memory, [right, other]) == [50, 50]


def test_of_several_that_an_answer_used_without_a_rival_none_is_put_aside(stores: Stores) -> None:
    memory = stores.open()
    right, other = stored(memory, RIGHT, OFFICE)
    told = complained(memory, answer="It leaves at 11:15; the office is in Via Appia.", complaint="That's wrong.")
    assert told.aside == ()
    assert scores(memory, [right, other]) == [25, 25]


def test_a_turn_that_an_answer_rested_on_is_doubted_and_stays(stores: Stores) -> None:
    memory = stores.open()
    told = stored(memory, "Ann bought her ticket to Rome from Leo", session="s1")
    (turn,) = [memory.remember("Ann: my flight to Rome is a present from Leo", session="s1").id]
    question = "When does Ann's flight to Rome leave?"
    hits = memory.retrieve(question, min_confidence=0)
    found = memory.feedback(
        str(hits.id), answer="It is a present from Leo.", question=question, complaint="That's wrong."
    )
    assert found.aside == ()
    assert [(one.id, one.score_before, one.score_after) for one in found.assessed] == [(turn, 30, 15)]
    assert turn in {hit.memory.id for hit in memory.retrieve(question, min_confidence=0)}
    # Said in so many words, it goes.
    hits = memory.retrieve(question, min_confidence=0)
    assert memory.feedback(str(hits.id), contradicted=[turn], complaint="That's wrong.").aside == (turn,)
    assert scores(memory, told) == [50]


def test_thanks_after_the_name_of_who_speaks_is_no_use(stores: Stores) -> None:
    memory = stores.open()
    said = (
        "Ann: Thanks! My flight to Rome is on Friday.",
        "Ann: Thanks! Rome has the best coffee, and my flight was calm.",
    )
    ids = [memory.remember(text, session="s1").id for text in said]
    hits = memory.retrieve("When is Ann's flight to Rome?", min_confidence=0)
    assert {hit.memory.id for hit in hits} == {*ids}
    found = memory.feedback(str(hits.id), answer="Thanks! It is on Friday.", question="When is Ann's flight to Rome?")
    assert [one.id for one in found.assessed if one.outcome.value == "used"] == [ids[0]]


@pytest.mark.parametrize(
    ("held", "question", "answer", "wrong"),
    [
        ("The rent is 900 euros", "How much is the rent?", "If you pay 950 euros, you overpay by 50.", False),
        ("The rent is 900 euros", "How much is the rent?", "Suppose the rent was 950 euros.", False),
        ("The meeting is on Friday", "When is the meeting?", "Is it on Thursday? No, on Friday.", False),
        ("The meeting is on Friday", "When is the meeting?", "Yeah right, as if it were on Thursday.", False),
        (
            "The meeting is on Friday",
            "When is the meeting?",
            "The meeting was to be on Thursday, it is on Friday now.",
            False,
        ),
        (
            "The meeting is on Friday",
            "When is the meeting?",
            "Ben thinks the meeting is on Thursday. It is on Friday.",
            False,
        ),
        ("The meeting is on Friday", "When is the meeting?", "No doubt the meeting is on Thursday.", True),
        ("Ann lives in Oslo", "Where does Ann live?", "I don't think she doesn't live in Oslo.", False),
        ("Ann lives in Oslo", "Where does Ann live?", "In Bergen.", True),
        ("Ann is allergic to shellfish", "What can Ann eat?", "Shellfish is fine for Ann.", True),
        ("Ann is a vegetarian", "What can Ann eat?", "Grilled steak suits Ann.", True),
        ("The meeting is on Friday", "When is the meeting?", "Ben is sure. It is on Thursday.", True),
    ],
)
def test_what_an_answer_states_goes_against_a_memory_and_what_is_asked_supposed_or_thought_does_not(
    stores: Stores, held: str, question: str, answer: str, *, wrong: bool
) -> None:
    memory = stores.open()
    ids = stored(memory, held)
    hits = memory.retrieve(question, min_confidence=0)
    memory.feedback(str(hits.id), answer=answer, question=question)
    assert scores(memory, ids) == [25] if wrong else scores(memory, ids)[0] >= 50


def test_a_complaint_about_something_that_was_not_shown_stays_a_wish(stores: Stores) -> None:
    memory = stores.open()
    stored(memory, RIGHT, OFFICE)
    told = complained(memory, complaint="you're wrong about the piano lessons")
    assert told.aside == ()
    assert len(told.wishes) == 1


def test_an_answer_that_the_user_denies_contradicts_nobody(stores: Stores) -> None:
    memory = stores.open()
    (right,) = stored(memory, RIGHT)
    told = complained(memory, answer="Ann's flight to Rome leaves at 9:40.", complaint="That's wrong!")
    assert (told.assessed, told.aside, told.passed) == ((), (), (right,))
    assert scores(memory, [right]) == [50]


def test_what_is_pinned_stays_where_it_is(stores: Stores) -> None:
    memory = stores.open()
    (wrong,) = stored(memory, WRONG, pin=True)
    told = complained(memory, contradicted=[wrong], complaint="That's wrong.")
    assert (told.aside, scores(memory, [wrong])) == ((), [25])
    assert asked(memory)[1] == {wrong}


def test_what_was_put_aside_comes_back_on_request_and_by_use(stores: Stores) -> None:
    memory = stores.open()
    (wrong,) = stored(memory, WRONG)
    complained(memory, contradicted=[wrong], complaint="That's wrong.")
    assert memory.restore(wrong).tier is Tier.LIVE
    assert asked(memory)[1] == {wrong}
    complained(memory, contradicted=[wrong], complaint="That's wrong.")
    hits = memory.retrieve(ASKED, latent=True)
    assert memory.feedback(str(hits.id), used=[wrong]).restored == (wrong,)
    assert asked(memory)[1] == {wrong}


def test_a_full_latent_tier_keeps_the_feedback(stores: Stores) -> None:
    memory = stores.open(latent_budget=1)
    (wrong,) = stored(memory, WRONG)
    told = complained(memory, contradicted=[wrong], complaint="That's wrong.")
    assert (told.aside, scores(memory, [wrong])) == ((), [25])


# --- The score as it is ------------------------------------------------------------------------------------------


def test_every_door_tells_the_score_as_it_is_now(stores: Stores) -> None:
    memory = stores.open()
    draft = memory.remember(RIGHT, kind="semantic", source_type="doc", memory_class="canonical")
    reader = stores.open_as(memory, "reader:ann")
    stores.clock(memory).advance(210 * DAY)
    assert scores(memory, [draft.id]) == [25]
    assert [one.score for one in memory.memories()] == [25]
    assert [one.score for one in memory.history(draft.id)] == [25]
    assert "its score is 25" in memory.explain(draft.id).as_text()
    assert [one.score for one in reader.memories()] == [25]
    assert asked(memory)[0][0].memory.score == 25
    # The showing wrote it down, and nothing fades twice.
    assert scores(memory, [draft.id]) == [25]
    assert next(iter(memory.read_all())).memory.score == 25


def test_every_write_tells_the_score_as_it_is_now(stores: Stores) -> None:
    memory = stores.open()
    one = memory.remember(RIGHT, kind="semantic", source_type="doc", memory_class="canonical", key="sun")
    other = memory.remember("Basil wants shade", kind="semantic", source_type="doc", memory_class="canonical")
    task = memory.remember("Water them", kind="task", source_type="doc", memory_class="canonical")
    agent = stores.open_as(memory, "agent:ann?source=doc")
    stores.clock(memory).advance(210 * DAY)
    told = [
        memory.link(one.id, "partOf", other.id),
        memory.unlink(one.id, "partOf", other.id),
        agent.link(one.id, "partOf", other.id),
        memory.policy.pin(one.id),
        memory.policy.unpin(one.id),
        memory.tasks.amend(task.id, priority=3),
        memory.remember(RIGHT, kind="semantic", source_type="doc", memory_class="canonical", key="sun"),
        *memory.retract("sun"),
    ]
    assert [found.score for found in told] == [25] * 8
    assert memory.verify().ok
