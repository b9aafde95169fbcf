"""Assembly as its caller sees it: what is shown, what is left out, and why."""

from __future__ import annotations

from typing import Any

import pytest

from marskg.config import AssemblySettings, Settings
from marskg.errors import InvalidConfig, InvalidInput
from marskg.ontology.vocabulary import Cardinality, Kind, SourceType
from marskg.retrieval.assembly.assemble import Assembled, assemble
from marskg.retrieval.assembly.candidate import Candidate
from marskg.retrieval.assembly.context_sections import Summary, updated
from marskg.retrieval.assembly.rendering import Passage, Section
from marskg.weight import TokenCounter
from tests.support.candidates import DAY, NOON, candidate, direction, memory

COUNTER = TokenCounter()


def _assemble(candidates: list[Candidate], budget: int, **options: Any) -> Assembled:
    return assemble(candidates, budget=budget, counter=COUNTER, **options)


def _ids(found: Assembled) -> list[str]:
    return [one.memory.id for one in found.shown]


def _reasons(found: Assembled) -> dict[str, str]:
    return {one.id: one.reason for one in found.left_out}


def test_what_fits_is_shown_by_rank_with_its_numbers() -> None:
    tea, oslo = candidate(1, "Ann likes tea", score=800_000), candidate(2, "Bob moved to Oslo", score=900_000)
    found = _assemble([tea, oslo], 100)
    assert _ids(found) == ["m2", "m1"]
    assert [(one.tokens, one.score, one.shortened) for one in found.shown] == [(4, 900_000, False), (3, 800_000, False)]
    assert found.left_out == ()
    assert found.tokens == COUNTER.count(found.text)


@pytest.mark.parametrize("budget", [0, 1, 2])
def test_a_budget_without_room_for_anything_gives_nothing(budget: int) -> None:
    found = _assemble([candidate(1, "tea")], budget)
    assert (found.shown, found.text, found.tokens) == ((), "", 0)
    assert _reasons(found) == {"m1": "it does not fit into what is left of the budget"}


def test_one_giant_item_is_shortened() -> None:
    giant = candidate(1, "We walked along the harbour of Oslo. " * 500)
    found = _assemble([giant], 100)
    assert [one.shortened for one in found.shown] == [True]
    assert 40 <= found.tokens <= 100


def test_a_giant_leaves_room_for_the_others() -> None:
    giant = candidate(1, "We walked along the harbour of Oslo. " * 500, score=900_000)
    others = [candidate(number, f"Fact {number} about a city") for number in range(2, 6)]
    found = _assemble([giant, *others], 200)
    assert set(_ids(found)) == {"m1", "m2", "m3", "m4", "m5"}


def test_what_does_not_fit_leaves_its_room_to_the_next() -> None:
    some = [
        candidate(1, "short one", score=900_000),
        candidate(2, "-" * 300, score=800_000),
        candidate(3, "short too", score=700_000),
    ]
    assert _ids(_assemble(some, 100)) == ["m1", "m3"]


def test_a_long_answer_comes_before_short_ones_that_rank_below_it() -> None:
    answer = candidate(1, "I started running because it clears my head after long days in the studio", score=900_000)
    small_talk = [candidate(number, f"Wow number {number}!", score=800_000 - number) for number in range(2, 40)]
    found = _assemble([answer, *small_talk], 64)
    assert _ids(found)[0] == "m1"
    assert not found.shown[0].shortened


def test_a_memory_comes_with_what_it_depends_on() -> None:
    fact = candidate(1, "It costs 200 euros", score=900_000, bases=("m2",))
    base = candidate(2, "The hotel in Oslo is the Green Lion", score=1)
    assert _ids(_assemble([fact, base], 100)) == ["m1", "m2"]
    alone = _assemble([fact], 100)
    assert _reasons(alone) == {"m1": "a memory that it depends on cannot be shown"}


def test_no_more_are_shown_than_asked_for_bases_counted() -> None:
    fact = candidate(1, "It costs 200 euros", score=800_000, bases=("m2",))
    some = [fact, candidate(2, "The hotel is the Green Lion", score=1), candidate(3, "tea", score=900_000)]
    found = _assemble(some, 100, most=2)
    assert _ids(found) == ["m3", "m2"]
    assert _reasons(found) == {"m1": "as many as were asked for are shown"}


def test_what_stays_stands_where_the_best_of_what_it_is_shown_for_stood() -> None:
    old = candidate(1, "The budget is 100", key="budget", score=900_000)
    new = candidate(2, "The budget is 200", key="budget", valid_from=NOON + DAY, score=1)
    copied = candidate(3, "Tea at five", score=800_000)
    copy = candidate(4, "tea at five.", score=2, valid_from=NOON + DAY)
    others = [candidate(number, f"Fact number {number}", score=700_000) for number in range(5, 9)]
    assert _ids(_assemble([old, new, copied, copy, *others], 200, most=2)) == ["m2", "m4"]


def test_a_slot_family_and_a_list_come_whole_where_they_take_little_of_the_budget() -> None:
    noise = [candidate(n, f"Note number {n} about the {'long ' * 8}day", score=700_000 - n) for n in range(10, 60)]
    noise += [candidate(n, f"Fact number {n}", score=1_000 - n) for n in range(60, 80)]
    family = [
        candidate(1, "Ann likes jazz", key="preference/music/genre", score=900_000),
        candidate(2, "Ann adores Coltrane", key="preference/music/artist", score=1),
        candidate(3, "Ann likes rye", key="preference/food/bread", score=1),
    ]
    wishes = [
        candidate(n, f"Ann wants {thing}", key="wishes", cardinality=Cardinality.SET, score=800_000 if n == 5 else 1)
        for n, thing in ((5, "a kite"), (6, "a drum"), (7, "new boots"))
    ]
    shown = _ids(_assemble([*noise, *family, *wishes], 200))
    assert {"m1", "m2", "m5", "m6", "m7"} <= set(shown)
    assert "m3" not in shown
    many = [candidate(n, f"Ann likes band {n}", key=f"preference/music/{n}", score=1) for n in range(100, 140)]
    assert not {one.id for one in many} & set(_ids(_assemble([*noise, *family, *many], 200)))


def test_a_short_answer_comes_with_the_question_before_it_and_a_long_one_speaks_for_itself() -> None:
    def shown(answer: str, **fields: Any) -> set[str]:
        some = [
            candidate(1, "When did you see the sea?", score=500_000),
            candidate(2, answer, score=900_000, answers="m1", **fields),
            *(candidate(n, f"Note number {n} about the day", score=800_000 - n) for n in range(10, 40)),
        ]
        return set(_ids(_assemble(some, 100)))

    assert {"m1", "m2"} <= shown("Last summer!")
    assert "m1" not in shown("Last summer we went down to the sea for a whole week, all of us, " * 2)


def test_a_leading_line_comes_first_and_is_charged() -> None:
    line = Passage(Section.COMPLETE, "2 expenses, 30 EUR in all", ("m7", "m8"))
    found = _assemble([candidate(1, "Ann likes tea")], 100, leading=[line])
    assert found.text.splitlines()[1:3] == ["# Complete", "1. 2 expenses, 30 EUR in all"]
    assert found.tokens == COUNTER.count(found.text)
    assert _assemble([], 5, leading=[line]).text == ""


def test_what_depended_on_a_duplicate_depends_on_its_twin() -> None:
    fact = candidate(1, "It costs 200 euros", bases=("m2",))
    old, new = candidate(2, "the hotel is green"), candidate(3, "The hotel is green.", valid_from=NOON + DAY)
    found = _assemble([fact, old, new], 100)
    assert sorted(_ids(found)) == ["m1", "m3"]
    assert _reasons(found) == {"m2": "it says the same as m3"}


def test_the_loser_of_a_contradiction_is_named_and_takes_what_depends_on_it_along() -> None:
    old = candidate(1, "The budget is 100", key="budget", score=900_000)
    new = candidate(2, "The budget is 200", key="budget", valid_from=NOON + DAY)
    built_on_old = candidate(3, "Half of it is spent", bases=("m1",))
    found = _assemble([old, new, built_on_old], 100)
    assert _ids(found) == ["m2"]
    assert [(one.loser, one.winner) for one in found.resolved] == [("m1", "m2")]
    assert _reasons(found) == {
        "m1": "it contradicts m2: the other is valid from a later time",
        "m3": "a memory that it depends on cannot be shown",
    }


def _turns(count: int) -> list[Any]:
    said = (SourceType.CHAT_USER, SourceType.CHAT_ASSISTANT)
    return [
        memory(
            100 + n,
            f"Turn {n} about Oslo",
            kind=Kind.EPISODIC,
            session="s",
            source_type=said[n % 2],
            valid_from=NOON + n,
        )
        for n in range(count)
    ]


def test_the_last_turns_are_shown_as_they_were_said() -> None:
    found = _assemble([candidate(1, "Ann likes tea")], 200, recent=_turns(9), settings=AssemblySettings(recent_turns=2))
    assert _ids(found) == ["m1", "m107", "m108"]
    assert [one["role"] for one in found.rendered.as_messages()] == ["system", "assistant", "user"]


def test_no_turns_are_shown_when_none_are_wanted() -> None:
    settings = AssemblySettings(recent_turns=0)
    assert _ids(_assemble([candidate(1, "Ann likes tea")], 200, recent=_turns(3), settings=settings)) == ["m1"]


def test_turns_do_not_crowd_out_what_is_remembered() -> None:
    some = [candidate(number, f"Fact {number} about the city of Oslo") for number in range(1, 30)]
    found = _assemble(some, 200, recent=_turns(6))
    turns = [one for one in found.shown if one.section is Section.RECENT]
    assert 0 < sum(one.tokens for one in turns) <= 70
    assert len(found.shown) > len(turns)


def test_a_turn_that_is_a_candidate_is_shown_once_and_carries_what_depends_on_it() -> None:
    (turn,) = _turns(1)
    said = Candidate(turn, 900_000, why={"vector": 7})
    fact = candidate(1, "It costs 200 euros", bases=(turn.id,))
    found = _assemble([said, fact], 100, recent=[turn])
    assert _ids(found) == [turn.id, "m1"]
    assert found.shown[0].section is Section.RECENT
    assert (found.shown[0].score, dict(found.shown[0].why)) == (900_000, {"vector": 7})


def test_the_summary_leaves_out_turns_that_are_shown() -> None:
    summary = updated(Summary(), [*_turns(3), memory(200, "We met Bob", kind=Kind.EPISODIC)], 100, COUNTER)
    found = _assemble([], 200, recent=_turns(3), summary=summary)
    assert found.text.splitlines()[1:3] == ["# Summary of this session", "1. We met Bob"]
    assert "\n2. " in found.text


def test_tombstones_are_left_out_with_their_reason() -> None:
    found = _assemble([Candidate(memory(1, None), 5), candidate(2, " \n"), candidate(3, score=9)], 100)
    assert _ids(found) == ["m3"]
    assert _reasons(found) == {"m1": "it has no content", "m2": "it has no content"}


def test_among_near_equals_what_is_unlike_the_rest_comes_first_and_never_before_the_better() -> None:
    east, north = direction(1, 0), direction(0, 1)
    alike = [candidate(n, f"Oslo harbour tour number {n}", score=700_000, vector=east) for n in range(1, 4)]

    def shown(score: int) -> list[str]:
        other = candidate(9, "Bergen harbour tour ticket", score=score, vector=north)
        return _ids(_assemble([*alike, other], 200, most=2))

    assert shown(695_000) == ["m1", "m9"]
    assert shown(690_000) == ["m1", "m2"]


def test_known_weights_give_the_same_and_wrong_ones_never_too_much() -> None:
    texts = [f"Fact {number} about the harbour of Oslo in spring" for number in range(1, 30)]
    counted = _assemble([candidate(n, text) for n, text in enumerate(texts)], 200)
    weighed = [candidate(n, text, weight=COUNTER.count(text)) for n, text in enumerate(texts)]
    assert _assemble(weighed, 200, weighed=True).text == counted.text
    assert _assemble([candidate(n, text) for n, text in enumerate(texts)], 200, weighed=True).text == counted.text
    too_light = [candidate(n, text, weight=1) for n, text in enumerate(texts)]
    assert 150 <= _assemble(too_light, 200, weighed=True).tokens <= 200


@pytest.mark.parametrize("budget", [-1, True, 1.5])
def test_a_budget_that_is_none_is_refused(budget: Any) -> None:
    with pytest.raises(InvalidInput, match="a token budget of"):
        _assemble([], budget)


def test_a_memory_passed_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match="the same id"):
        _assemble([candidate(1), candidate(1)], 100)


def test_shares_of_more_than_the_whole_budget_are_refused() -> None:
    settings = Settings().with_values({"assembly.recent_share": 0.7, "assembly.summary_share": 0.4})
    with pytest.raises(InvalidConfig, match="more than the whole budget"):
        settings.assembly.checked()
