"""Ranking: each number behind a score, what is hidden takes no part, and ties go to the earlier memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from marskg.language.times import Period
from marskg.ontology.vocabulary import Cardinality, MemoryClass, SourceType, Tier
from marskg.retrieval.access.read_gate import Gate
from marskg.retrieval.index.memory_index import MICRO, MemoryIndex
from marskg.retrieval.query.profile import Profile, load_profile, parse
from marskg.retrieval.query.ranking import Ranker, make_query
from tests.support.candidates import NOON, direction
from tests.support.indexed import DIMENSION, indexed, put, ranked, stored


def _profile(**weights: float) -> Profile:
    return parse({"fusion": "weighted", "weights": weights, "classes": {"canonical": 1, "factual": 0.5}}, "test")


def _ids(found: list[Any]) -> list[str]:
    return [ident for ident, *_ in found]


def _vectored(count: int = 6) -> MemoryIndex:
    index = MemoryIndex(DIMENSION)
    for number in range(1, count + 1):
        put(index, stored(number, f"note {number}"), vector=direction(1, number, 0, 0))
    return index


def test_similarity_alone_ranks_by_the_cosine() -> None:
    found = ranked(_vectored(), "nothing of that", direction(1, 0, 0, 0), _profile(similarity=1))
    assert _ids(found) == ["m1", "m2", "m3", "m4", "m5", "m6"]
    assert found[0][1] == pytest.approx(MICRO / np.sqrt(2), abs=1)


def test_opposite_vectors_count_as_unlike() -> None:
    index = MemoryIndex(DIMENSION)
    put(index, stored(1), vector=direction(-1, 0, 0, 0))
    assert [why["similarity"] for *_, why in ranked(index, "x", direction(1, 0, 0, 0))] == [0]


@pytest.mark.parametrize("sessions", [("s1",), ("s1", "s2", "s3", "s4")])
def test_few_or_many_visible_rows_get_the_same_numbers(sessions: tuple[str, ...]) -> None:
    index = MemoryIndex(DIMENSION)
    for number in range(40):
        put(index, stored(number, f"n {number}", session=f"s{number % 5}"), vector=direction(1, number % 7, 2, 0))
    whole = {ident: why["similarity"] for ident, _, why in ranked(index, "x", direction(1, 1, 0, 0))}
    found = {ident: why["similarity"] for ident, _, why in ranked(index, "x", direction(1, 1, 0, 0), sessions=sessions)}
    assert len(found) == 8 * len(sessions)
    assert found == {ident: whole[ident] for ident in found}


def test_what_is_hidden_changes_no_number_of_what_is_shown() -> None:
    shown = [(stored(number, f"Ann likes tea number {number}"), direction(1, number, 0, 0)) for number in range(1, 5)]
    alone, beside = MemoryIndex(DIMENSION), MemoryIndex(DIMENSION)
    for number in range(9, 30):
        put(beside, stored(number, "Ann Ann tea", sensitivity=0.9), vector=direction(1, 0, 0, 0))
    for memory, vector in shown:
        put(alone, memory, vector=vector)
        put(beside, memory, vector=vector)
    query = ("does Ann like tea", direction(1, 0, 0, 0))
    assert ranked(beside, *query, max_sensitivity=0.5) == ranked(alone, *query, max_sensitivity=0.5)
    assert ranked(beside, *query)[:4] != ranked(alone, *query)


def test_equal_scores_go_to_the_earlier_memory() -> None:
    found = ranked(
        indexed(*(stored(number, "Ann likes tea") for number in (5, 2, 9))), "tea", None, _profile(lexical=1)
    )
    assert _ids(found) == ["m2", "m5", "m9"]
    assert len({score for _, score, _ in found}) == 1


@pytest.mark.parametrize(
    ("feature", "fields", "value"),
    [
        ("score", {"score": 80}, 800_000),
        ("class", {"memory_class": MemoryClass.CANONICAL}, MICRO),
        ("class", {"memory_class": MemoryClass.FACTUAL}, 500_000),
        ("recency", {"valid_from": NOON - 30 * 86_400_000}, 500_000),
        ("intent", {"source_type": SourceType.CHAT_USER}, MICRO),
        ("intent", {"source_type": SourceType.DOC}, 0),
        ("key", {"key": "home/tea_pot", "cardinality": Cardinality.SINGLE}, 333_333),
        ("key", {}, 0),
    ],
)
def test_each_feature_is_its_number(feature: str, fields: dict[str, Any], value: int) -> None:
    index = indexed(stored(1, "a cup of tea", **fields))
    ((_, score, why),) = ranked(index, "what did I tell you about tea", None, _profile(**{feature: 1}))
    assert (why[feature], score) == (value, value)


def test_a_latent_memory_ranks_with_half_its_score() -> None:
    index = indexed(stored(1, "tea", score=80), stored(2, "tea", score=80, tier=Tier.LATENT))
    found = ranked(index, "tea", None, _profile(score=1), latent=True)
    assert [(ident, score) for ident, score, _ in found] == [("m1", 800_000), ("m2", 400_000)]


def test_an_entity_that_is_named_brings_what_mentions_it() -> None:
    index = indexed()
    index.entities.put("e1", ("Ann",))
    put(index, stored(1, "she moved"), [("mentions", "e1")])
    put(index, stored(2, "he moved"))
    assert _ids(ranked(index, "Ann", None, _profile(graph=1))) == ["m1"]


def test_the_topic_of_the_query_restricts_where_the_profile_says_so() -> None:
    index = indexed(
        stored(1, "tea", intent_tags=("work",)), stored(2, "tea", intent_tags=("home",)), stored(3, "tea at work")
    )
    given = {"weights": {"lexical": 1}, "fusion": "weighted"}
    assert _ids(ranked(index, "tea work", None, parse({**given, "intent": "filter"}, "f"))) == ["m3", "m1"]
    assert set(_ids(ranked(index, "tea work", None, parse(given, "b")))) == {"m1", "m2", "m3"}


@pytest.mark.parametrize("vector", [None, np.zeros(DIMENSION, dtype=np.float32)])
def test_without_a_vector_words_rank_alone(vector: Any) -> None:
    index = _vectored(2)
    assert _ids(ranked(index, "note 2", vector)) == ["m2", "m1"]
    assert ranked(index, "zebra", vector) == []


# --- What the question names ----------------------------------------------------------------------------------------

ID = "urn:uuid:01a21396-e51f-7000-8000-00000000000a"


def _named() -> MemoryIndex:
    """Return an index of notes that all say more of the question than the one that has the id and the key."""
    index = indexed(*(stored(number, f"what is the note of room {number}") for number in range(5)))
    put(index, replace(stored(7, "The spare key hangs behind the boiler", key="home/spare_key"), id=ID))
    return index


@pytest.mark.parametrize(
    "question",
    [ID, ID.removeprefix("urn:uuid:").upper(), f"what is the note {ID}?", "what is the note of home/spare_key?"],
)
def test_an_id_or_a_key_in_the_question_is_found_first(question: str) -> None:
    found = ranked(_named(), question)
    assert found[0][0] == ID
    assert found[0][2]["exact"] == MICRO


def test_an_id_that_the_reader_may_not_see_is_not_found() -> None:
    index = indexed(stored(1, "a note"))
    put(index, replace(stored(7, "The spare key", sensitivity=0.9), id=ID))
    assert ranked(index, ID, max_sensitivity=0.5) == []


def test_the_users_own_words_come_first_where_the_question_says_i() -> None:
    index = indexed(
        stored(1, "a good tent for Lapland", source_type=SourceType.CHAT_ASSISTANT),
        stored(2, "a good tent for Lapland", source_type=SourceType.DOC),
        stored(3, "a good tent for Lapland", source_type=SourceType.CHAT_USER),
    )
    assert _ids(ranked(index, "which tent do I need in Lapland?")) == ["m3", "m2", "m1"]
    assert _ids(ranked(index, "which tent is for Lapland?")) == ["m1", "m2", "m3"]


def test_what_was_valid_at_a_time_that_the_question_names_is_lifted() -> None:
    day = 86_400_000
    index = indexed(*(stored(number, "ran ten miles", valid_from=NOON - number * day) for number in (1, 2, 3)))
    mask = Gate(now=NOON).mask(index)
    periods = (Period(NOON - 3 * day, NOON - 2 * day, "then"),)
    asked = make_query("how far did she run?", None, NOON, periods=periods)
    found = Ranker(index, mask, asked, load_profile("fused"), restricted=False).rank(5).found
    assert [(index.ids[one.row], one.why["period"]) for one in found] == [("m3", MICRO), ("m1", 0), ("m2", 0)]


def test_a_session_about_the_question_lifts_its_turns_and_a_fact_without_one_is_in_the_middle() -> None:
    index = indexed(
        stored(1, "pick a day", session="trip"),
        stored(2, "we fly to Bergen", session="trip"),
        stored(3, "pick a colour", session="house"),
        stored(4, "pick a card"),
    )
    found = {ident: why["session"] for ident, _, why in ranked(index, "pick for Bergen")}
    assert found["m1"] == found["m2"] > found["m4"] == 0 > found["m3"]


def test_one_session_alone_tells_nothing() -> None:
    index = indexed(*(stored(number, f"note {number}", session="s1") for number in range(3)))
    assert {why["session"] for *_, why in ranked(index, "note")} == {0}


def test_all_words_of_a_question_in_one_memory_make_sure_of_it() -> None:
    index = indexed(stored(1, "the deed lies in a blue tin"), *(stored(number, "a mill") for number in range(2, 60)))
    mask = Gate(now=NOON).mask(index)

    def confidence(question: str) -> float:
        return (
            Ranker(index, mask, make_query(question, None, NOON), load_profile("fused"), restricted=False)
            .rank(5)
            .confidence
        )

    assert confidence("blue tin") > 0.99
    assert confidence("blue tin of Vienna and Prague") < 0.99


def test_a_question_about_a_time_alone_finds_what_was_then() -> None:
    day = 86_400_000
    index = indexed(*(stored(number, f"note {number}", valid_from=NOON - number * day) for number in range(1, 40)))
    mask, then = Gate(now=NOON).mask(index), (Period(NOON - 3 * day, NOON - 2 * day, "then"),)

    def answer(question: str, periods: tuple[Period, ...]) -> tuple[list[str], float]:
        asked = make_query(question, direction(0, 0, 0, 1), NOON, periods=periods)
        found = Ranker(index, mask, asked, load_profile("fused"), restricted=False).rank(5)
        return [index.ids[one.row] for one in found.found], found.confidence

    found, confidence = answer("what happened on Monday?", then)
    assert found[0] == "m3"
    assert confidence > 0.99
    assert answer("who sang on Monday?", then)[1] < 0.5
    assert answer("what happened on Monday?", ())[1] < 0.5
