"""Assembly as its caller sees it: what is shown, what is left out, and why."""

from __future__ import annotations

from typing import Any

import pytest

from marskg.errors import InvalidConfig, InvalidInput
from marskg.ontology.vocabulary import Kind, SourceType
from marskg.retrieval.assembly import Assembled, assemble
from marskg.retrieval.candidate import Candidate
from marskg.retrieval.mix import Summary, updated
from marskg.retrieval.rendering import Section
from marskg.retrieval.settings import AssemblySettings
from marskg.weight import TokenCounter
from tests.support.candidates import DAY, NOON, candidate, direction, memory

COUNTER = TokenCounter()
RANK = AssemblySettings(selection="rank")


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
    assert all(one.why["gain"] > 0 for one in found.shown)
    assert found.left_out == ()
    assert found.tokens == COUNTER.count(found.text)


@pytest.mark.parametrize("budget", [0, 1, 2, 3])
def test_a_budget_without_room_for_anything_gives_nothing(budget: int) -> None:
    found = _assemble([candidate(1, "tea")], budget)
    assert (found.shown, found.text, found.tokens) == ((), "", 0)
    assert _reasons(found) == {"m1": "it does not fit into what is left of the budget"}


@pytest.mark.parametrize("selection", ["greedy", "rank"])
def test_one_giant_item_is_shortened(selection: Any) -> None:
    giant = candidate(1, "We walked along the harbour of Oslo. " * 500)
    found = _assemble([giant], 100, settings=AssemblySettings(selection=selection))
    assert [one.shortened for one in found.shown] == [True]
    assert 50 <= found.tokens <= 100


def test_a_giant_leaves_room_for_the_others() -> None:
    giant = candidate(1, "We walked along the harbour of Oslo. " * 500, score=900_000)
    others = [candidate(number, f"Fact {number} about a city") for number in range(2, 6)]
    found = _assemble([giant, *others], 200)
    assert set(_ids(found)) == {"m1", "m2", "m3", "m4", "m5"}


def test_rank_order_stops_at_the_first_that_does_not_fit() -> None:
    some = [
        candidate(1, "short one", score=900_000),
        candidate(2, "-" * 300, score=800_000),
        candidate(3, "short too", score=700_000),
    ]
    settings = AssemblySettings(selection="rank", longest_share=1.0)
    assert _ids(_assemble(some, 100, settings=settings)) == ["m1"]
    assert _ids(_assemble(some, 100)) == ["m1", "m3"]


@pytest.mark.parametrize("settings", [AssemblySettings(), RANK])
def test_a_memory_comes_with_what_it_depends_on(settings: AssemblySettings) -> None:
    fact = candidate(1, "It costs 200 euros", score=900_000, bases=("m2",))
    base = candidate(2, "The hotel in Oslo is the Green Lion", score=1)
    assert _ids(_assemble([fact, base], 100, settings=settings)) == ["m1", "m2"]
    alone = _assemble([fact], 100, settings=settings)
    assert _reasons(alone) == {"m1": "a memory that it depends on cannot be shown"}


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
    assert found.text.splitlines()[1:3] == ["## Summary of this session", "[1] We met Bob"]
    assert "[2]" in found.text


def test_tombstones_and_the_tail_are_left_out_with_their_reasons() -> None:
    some = [Candidate(memory(1, None), 5), candidate(2, " \n"), candidate(3, score=9), candidate(4, score=1)]
    found = _assemble(some, 100, settings=AssemblySettings(pool=1))
    assert _ids(found) == ["m3"]
    assert _reasons(found) == {
        "m1": "it has no content",
        "m2": "it has no content",
        "m4": "it ranks below the candidates that are looked at",
    }


def test_vectors_make_room_for_another_aspect() -> None:
    east, north = direction(1, 0), direction(0, 1)
    alike = [candidate(n, f"Oslo harbour tour number {n}", score=700_000, vector=east) for n in range(1, 4)]
    other = candidate(9, "Bergen harbour tour ticket", score=600_000, vector=north)
    assert "m9" in _ids(_assemble([*alike, other], 24))
    assert "m9" not in _ids(_assemble([*alike, other], 24, settings=RANK))


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


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"pool": 0}, "pool is 0: it must be an integer from 1 to 2000"),
        ({"pool": 1.5}, "pool is 1.5: it must be an integer"),
        ({"recent_share": 1.1}, "recent_share is 1.1: it must be a number from 0.0 to 1.0"),
        ({"jaccard": float("nan")}, "jaccard is nan"),
        ({"excerpts": True}, "excerpts is True"),
        ({"selection": "best"}, "selection is 'best': it must be greedy or rank"),
        ({"recent_share": 0.7, "summary_share": 0.4}, "more than the whole budget"),
    ],
)
def test_settings_out_of_range_are_refused(fields: dict[str, Any], what: str) -> None:
    with pytest.raises(InvalidConfig, match=what):
        AssemblySettings(**fields)
