"""Which pairs of statements conflict, in what, and which do not although they look alike."""

from __future__ import annotations

import pytest

from marskg.learning.rules.conflict_detection import UNIT, Conflict, ConflictKind, Statement, conflict, find_conflicts
from marskg.ontology.vocabulary import Cardinality


def _conflict(new: str, old: str) -> Conflict | None:
    return conflict(Statement(new), Statement(old))


CONFLICTING = [
    (ConflictKind.NEGATION, "Alice does not own a cat", "Alice owns a cat"),
    (ConflictKind.NEGATION, "I no longer drink coffee", "I drink coffee"),
    (ConflictKind.NEGATION, "He never smokes", "He smokes"),
    (ConflictKind.POLARITY, "I hate jazz", "I love jazz"),
    (ConflictKind.POLARITY, "I don't like tea", "I like tea"),
    (ConflictKind.POLARITY, "I can't stand crowds at Christmas", "I enjoy crowds at Christmas"),
    (ConflictKind.POLARITY, "I used to love sushi, but now I prefer ramen", "I love sushi"),
    (ConflictKind.POLARITY, "I've gone off Nick Cave", "I'm a big fan of Nick Cave"),
    (ConflictKind.POLARITY, "The flight to Rome is cancelled", "The flight to Rome is confirmed"),
    (ConflictKind.POLARITY, "The store is closed on Sundays", "The store is open on Sundays"),
    (ConflictKind.POLARITY, "Dislikes Rita Hayworth (actor)", "Likes Rita Hayworth (actor)"),
    (ConflictKind.NUMBER, "The meeting is at 4 PM", "The meeting is at 3 PM"),
    (ConflictKind.NUMBER, "She waters the tomatoes three times a week", "She waters the tomatoes twice a week"),
    (ConflictKind.NUMBER, "Rent is $1,300 a month", "Rent is $1,200 a month"),
    (ConflictKind.NUMBER, "Ann is 35 years old", "Ann is 34 years old"),
    (ConflictKind.NUMBER, "My birthday is February 2", "My birthday is January 1"),
    (ConflictKind.NUMBER, "Project 1, budget: 850000", "Project 1, budget: 800000"),
    (ConflictKind.NUMBER, "Please change the budget from $800,000 to $850,000", "Project 1, budget: 800000"),
    (ConflictKind.NUMBER, "The project deadline has been moved to June 12", "The project deadline is June 5"),
    (ConflictKind.NUMBER, "The dentist's visit was rescheduled to Friday", "Dentist's visit on 2026-03-02 (health)"),
    (ConflictKind.NUMBER, "I'm really excited to start walking 9,500 steps every day", "My aim is 6,000 steps per day"),
    (ConflictKind.NUMBER, "My new goal is to keep lunch under $75 a week", "I want to spend $115 a week on lunches"),
    (ConflictKind.COMPLETION, "I finished painting the garden fence", "I need to paint the garden fence this week"),
    (ConflictKind.COMPLETION, "The tax report is done now", "Please remember that I have to do the tax report"),
    (ConflictKind.COMPLETION, 'Please remove "Call the plumber" from my tasks', "I should call the plumber"),
    (ConflictKind.COMPLETION, 'I no longer need to track "Call the plumber"', "I must call the plumber tomorrow"),
    (ConflictKind.REPLACEMENT, "The venue changed from Lyon to Paris", "The venue is Lyon"),
    (ConflictKind.VALUE, "My favourite colour is green", "My favourite colour is blue"),
    (ConflictKind.VALUE, "I moved to Berlin", "I live in Paris"),
    (ConflictKind.VALUE, "Garden, soil type: clay", "Garden, soil type: sand"),
]

#: They share words, often names, and both can hold.
COMPATIBLE = [
    (
        'Please remove "Review of the design choices" from the key points',
        "The key points should be an overview of the new brand, and a review of the design choices",
    ),
    ("I finished the novel", "I need to return the novel to the library"),
    ("I need to paint the fence", "I finished painting the fence"),
    ("I finished painting the fence", "Painting the fence takes two days"),
    (
        'Please remove "Poster" from the deliverables',
        "The deliverables have to be a report, a poster, a paper and a talk",
    ),
    ("I like tea", "I like coffee"),
    ("Likes Grace Kelly (actor)", "Dislikes Rita Hayworth (actor)"),
    ("Likes Kate Winslet (actor)", "Dislikes Kate Hudson (actor)"),
    ("Dislikes folk horror (genre)", "Likes folk (genre)"),
    ("Bob likes tea", "Alice hates tea"),
    ("Alice works at Acme", "Bob works at Initech"),
    ("I spent 5 USD on tea", "I spent 6 USD on tea"),
    ("Food expenses: 5 USD for tea", "Food expenses: 6 USD for tea"),
    ("Walked 9000 steps", "Walked 8000 steps"),
    ("Project 2, budget: 850000", "Project 1, budget: 800000"),
    ("Project 1, objectives: cut cost by 10 %", "Project 1, objectives: cut emissions by 20 %"),
    ("To do (errands): buy milk", "To do (errands): call the bank"),
    ("Goal: spend at most 35 USD a week on books", "Goal: spend at most 50 USD a week on lunch"),
    ("My goal is to keep coffee under $20 a week", "My goal is to keep lunch under $40 a week"),
    ("I managed to walk 9,500 steps today", "My goal is to walk 6,000 steps per day"),
    ("Room 12 is for Ann", "Room 13 is for Ann"),
    ("I do not dislike tea", "I like tea"),
    ("The dog is not only big", "The dog is big"),
    ("No worries, the cat is fine", "The cat is fine"),
    ("I like it more now", "I dislike the train"),
    ("It looks like rain in Rome", "I dislike rain in Rome"),
    ("It is as though the meeting is at 4 PM", "The meeting is at 3 PM"),
    ("", "I like tea"),
    ("I like tea", "I LIKE tea"),
]


@pytest.mark.parametrize(("kind", "new", "old"), CONFLICTING)
def test_conflicts_are_found_with_their_kind(kind: ConflictKind, new: str, old: str) -> None:
    found = _conflict(new, old)
    assert found is not None
    assert found.kind is kind
    assert 0 < found.confidence <= UNIT


@pytest.mark.parametrize(("new", "old"), COMPATIBLE)
def test_what_can_hold_together_is_no_conflict(new: str, old: str) -> None:
    assert _conflict(new, old) is None


def test_a_single_key_has_one_value() -> None:
    new = Statement("walnut", key="table/top", cardinality=Cardinality.SINGLE)
    old = Statement("oak", key="table/top", cardinality=Cardinality.SINGLE)
    found = conflict(new, old)
    assert found is not None
    assert (found.kind, found.confidence, found.attribute) == (ConflictKind.KEY, UNIT, ("table/top",))


@pytest.mark.parametrize("cardinality", [Cardinality.SET, Cardinality.APPEND])
def test_values_of_sets_and_ledgers_stand_side_by_side(cardinality: Cardinality) -> None:
    new = Statement("The fee is 5 USD", key="fees", cardinality=cardinality)
    old = Statement("The fee is 6 USD", key="fees", cardinality=cardinality)
    assert conflict(new, old) is None
    assert _conflict(new.text, old.text) is not None


def test_two_keys_are_two_attributes() -> None:
    new, old = Statement("The fee is 5 USD", key="fee/club"), Statement("The fee is 6 USD", key="fee/gym")
    assert conflict(new, old) is None


def test_statements_about_different_people_never_conflict() -> None:
    new = Statement("Likes no cheese", subjects=frozenset({"alice"}))
    assert conflict(new, Statement("Likes cheese", subjects=frozenset({"bob"}))) is None
    assert conflict(new, Statement("Likes cheese", subjects=frozenset({"alice", "bob"}))) is not None


def test_known_entities_decide_what_a_stance_is_about() -> None:
    new = Statement("I dislike Paris", entities=frozenset({"Paris, Texas"}))
    assert conflict(new, Statement("I like Paris", entities=frozenset({"Paris, France"}))) is None
    assert conflict(new, Statement("I like Paris")) is not None


def test_the_evidence_holds_shared_terms_and_no_sentence() -> None:
    found = _conflict("I hate jazz in the morning", "I love jazz in the morning")
    assert found is not None
    assert found.attribute == ("jazz", "morn")
    assert found.evidence == ("liking",)


def test_candidates_come_surest_first_and_the_unrelated_not_at_all() -> None:
    old = [
        Statement("I live in Paris", sequence=1),
        Statement("My cat is grey", sequence=2),
        Statement("I live in Rome", sequence=0),
        Statement("flat", key="home", cardinality=Cardinality.SINGLE, sequence=9),
    ]
    new = Statement("I live in Oslo", key="home", cardinality=Cardinality.SINGLE)
    assert [statement.sequence for statement, _ in find_conflicts(new, old)] == [9, 0, 1]


def test_a_long_text_is_compared_in_reasonable_time() -> None:
    text = "I like tea, " * 5000
    assert _conflict(text, "I like coffee") is None
