"""What is shown of turns that were learned from, on every engine: learning brings answers, and hides none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.ontology.vocabulary import EdgeType, Kind
from tests.conformance.test_learn import DAY, by_rules, contents, said, sound

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores


def shown(mem: AgentMemory, question: str, k: int = 20) -> list[str]:
    return [hit.memory.content or "" for hit in mem.retrieve(question, token_budget=2_000, k=k)]


def test_a_sum_is_asked_of_the_turns_that_say_its_entries(stores: Stores) -> None:
    mem = stores.open()
    entries = [
        "Speaking of patterns, I just spent $15.13 on lunch, and it got me thinking.",
        "I spent $4.47 on coffee this morning.",
        "It makes me wonder. I paid $46.53 for groceries yesterday.",
    ]
    talk = [
        "What is a good total budget for the food spending of a week?",
        "Interesting how much food spending differs from week to week!",
        "Thanks for all the helpful information about food spending.",
        "I spent $900 on rent.",
    ]
    by_rules(mem, *(said(text, day) for day, text in enumerate((*entries, *talk))))
    assert sorted(shown(mem, "What is my total food spending?", k=3)) == sorted(entries)
    sound(mem)


def test_a_day_that_was_read_in_a_turn_does_not_hide_it(stores: Stores) -> None:
    mem = stores.open()
    turn = "I have a dentist appointment on 5 February 2026 at 10:30."
    by_rules(mem, said(turn))
    assert [one.kind for one in mem.memories() if one.deadline is not None] == [Kind.TASK]
    stores.clocks[mem.tenant].advance(40 * DAY)
    assert shown(mem, "When was my dentist appointment?") == [turn]


def test_conflicts_are_looked_for_in_what_is_learned_where_the_tenant_wants_that(stores: Stores) -> None:
    texts = ("The plumber's quote covers the boiler.", "The plumber's quote does not cover the boiler.")
    for wanted, left in (("newest", texts[1:]), ("ignore", texts)):
        mem = stores.open(learning__conflicts=wanted)
        told = [by_rules(mem, said(text, day)) for day, text in enumerate(texts)]
        held = [one.content or "" for one in mem.memories() if one.kind is Kind.EPISODIC and one.current]
        assert sorted(held) == sorted(left)
        assert any("supersede" in one for one in told[1].notices) == (wanted == "newest")
        sound(mem)


def test_the_name_before_what_somebody_says_is_no_field(stores: Stores) -> None:
    mem = stores.open(learning__conflicts="newest")
    lines = ("Ana: Good to see you, Bo!", "Ana: I live in Oslo.", "Ana: What a day!")
    by_rules(mem, *(said(line, day) for day, line in enumerate(lines)))
    assert contents(mem) == ["Ana lives in Oslo"]
    fact = next(one for one in mem.memories() if one.kind is Kind.SEMANTIC)
    assert [span.partition("#")[2] for span in fact.spans] == ["char=5,19"]
    assert sum(one.current for one in mem.memories() if one.kind is Kind.EPISODIC) == len(lines)
    edges = [edge for _, found, _ in mem.store.reader.memories() for edge in found]
    assert not [edge for edge in edges if edge.type is EdgeType.CONTRADICTS]


def test_a_taste_that_cooled_is_held_no_more_and_one_that_came_is(stores: Stores) -> None:
    mem = stores.open()
    talk = (
        "I love Thai food.",
        "I like olives.",
        "I'm over Thai food.",
        "I enjoy chess.",
        "I've been enjoying chess less lately.",
        "Sumo has grown on me.",
    )
    by_rules(mem, *(said(text, day) for day, text in enumerate(talk)))
    held = {one.key for one in mem.memories() if one.current and (one.key or "").startswith("preference/")}
    assert held == {"preference/oliv", "preference/sumo"}
    sound(mem)


def test_what_is_taken_back_in_one_breath_is_no_memory_but_its_turn(stores: Stores) -> None:
    mem = stores.open()
    talk = ("I live in Oslo. That was a lie.", "Maybe I'm a vegetarian.", "My sister was a nurse.")
    by_rules(mem, *(said(text, day) for day, text in enumerate(talk)))
    assert [one for one in mem.memories() if one.key] == []
    assert sorted(one.content or "" for one in mem.memories() if one.kind is Kind.EPISODIC) == sorted(talk)
    sound(mem)


def test_of_two_values_of_a_thing_the_newer_one_holds_though_it_is_asked_about(stores: Stores) -> None:
    mem = stores.open()
    by_rules(
        mem,
        said("I've completed 10 fire drills, what comes next?"),
        said("I have a deadline of 1 April for the grant."),
    )
    by_rules(mem, said("I've completed 15 fire drills, can you give me more?", 1))
    by_rules(mem, said("I worry about the new April 5 deadline, can you help me plan?", 2))
    kept = contents(mem)
    assert [one for one in kept if "drills" in one] == ["Ana has completed 15 fire drills"]
    assert [one for one in kept if "deadline" in one and "April 5" not in one] == []
    # How far she had come was right on its day: the fact is history, and its turn stays.
    assert len([one for one in shown(mem, "How many fire drills has Ana completed?") if "fire drills" in one]) == 2
    sound(mem)


def test_what_was_never_done_is_told_to_contradict_what_was(stores: Stores) -> None:
    mem = stores.open()
    (deed,) = by_rules(mem, said("I've enrolled in a 6-week pottery course at Kiln House.")).facts
    by_rules(mem, said("I've enrolled in a 6-week weaving course at Loom House.", 1))
    (denial,) = by_rules(mem, said("I've never taken any pottery courses or classes at Kiln House.", 2)).facts
    assert [(edge.type, edge.target) for edge in mem.edges(denial) if edge.type is EdgeType.CONTRADICTS] == [
        (EdgeType.CONTRADICTS, deed)
    ]
    assert [{one.preferred, one.other} for one in mem.learning.review().conflicts] == [{deed, denial}]
    assert len(shown(mem, "Has Ana taken a pottery course at Kiln House?", k=2)) == 2
    sound(mem)
