"""The replay that the yardstick stands on: what holds at the end of a day, and who said so."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidDocument
from marskg.sources.memora_layout import Layout
from marskg_bench.fama.questions import read_questions
from marskg_bench.fama.trace import Trace

if TYPE_CHECKING:
    from marskg.sources.memora_layout import Session
    from tests.support.memora_persona import WrittenPersona

DAY = date(2025, 6, 7)


def sessions(persona: WrittenPersona) -> list[Session]:
    layout = Layout(persona.folder)
    return [layout.session(index) for index in range(len(layout))]


def trace(persona: WrittenPersona, day: date = DAY) -> Trace:
    return Trace.until(day, sessions(persona))


def test_a_flipped_preference_is_asserted_by_the_flip(persona: WrittenPersona) -> None:
    first = persona.likes("jazz", "I like jazz.")
    flip = persona.likes("jazz", "I cannot stand jazz.", stance="dislike", update_type="preference_update")
    found = trace(persona)
    assert found.sessions("preference/", "jazz", current=True) == {flip}
    assert found.sessions("preference/", "Jazz", current=False) == {first}


def test_what_is_said_again_after_its_end_holds_again(persona: WrittenPersona) -> None:
    item = {"task_type": "home", "description": "Water the ferns", "created_at": "2025-06-01"}
    details = {"category": "todo_list", "item": item}
    first = persona.session("activity", "add", details, "x")
    persona.session("activity", "delete", details, "x")
    again = persona.session("activity", "add", details, "x")
    found = trace(persona)
    assert found.sessions("todo", "Water the ferns", current=True) == {again}
    assert found.sessions("todo", "Water the ferns", current=False) == {first}
    assert found.ended("todo") == []


def event(day: str) -> dict[str, Any]:
    item = {"event_type": "work", "event_name": "Offsite", "date": day, "created_at": "2025-06-01"}
    return {"category": "calendar_event", "item": item}


@pytest.mark.parametrize(("when", "over"), [("+6 days", True), ("+7 days", False), ("2025-06-05", True)])
def test_an_event_is_over_when_its_day_is(persona: WrittenPersona, when: str, over: bool) -> None:  # noqa: FBT001 - a case
    persona.session("activity", "add", event(when), "x")
    assert bool(trace(persona).ended("calendar")) is over
    assert not trace(persona, date(2025, 6, 1)).ended("calendar")


def test_a_moved_event_holds_on_its_new_day_only(persona: WrittenPersona) -> None:
    persona.session("activity", "add", event("+1 days"), "x")
    moved = persona.session("activity", "update", event("+20 days"), "x")
    assert trace(persona).sessions("calendar", "Offsite", current=True) == {moved}


def proposal(**content: Any) -> dict[str, Any]:
    return {"item": "project_proposal_1", "content_data": {"project_title": "Reeds", **content}}


def test_superseded_budgets_are_forgotten_although_the_evidence_leaves_them_out(persona: WrittenPersona) -> None:
    persona.session("activity", "add", proposal(budget=800, goals=["a pond", "a path"]), "x")
    persona.session("activity", "update", proposal(budget=900, goals=["a pond", "a path"]), "x")
    persona.session("activity", "delete", proposal(budget=950, goals=["a pond"]), "x")
    persona.question(
        "remembering",
        "content_project_proposal_7_project_proposal_1",
        "Write the proposal",
        {"content_data": {"project_title": "Reeds", "budget": 950, "goals": ["a pond"]}},
        [{"field": "goals", "value": "a path", "session_id": 3}, {"field": "budget", "value": 900, "session_id": 3}],
    )
    (question,) = read_questions(persona.folder, sessions(persona))
    assert [[part.value for part in criterion.parts] for criterion in question.presence] == [
        ["Reeds"],
        [950],
        ["a pond"],
    ]
    forgotten = {part.value: part.sessions for criterion in question.forgetting for part in criterion.parts}
    assert forgotten == {
        "a path": {"session_0001", "session_0002"},
        900: {"session_0002"},
        800: {"session_0001"},
    }


def test_perfect_governance_drops_what_says_only_what_ended(persona: WrittenPersona) -> None:
    opera = persona.likes("opera", "I love opera.")
    jazz = persona.likes("jazz", "I used to love opera, but now jazz.", old_item="opera")
    talk = persona.session("no_memory", None, {}, "Opera is sung.")
    found = trace(persona)
    assert not found.governs(opera, "I love opera.")
    assert not found.governs(opera, "It moves me.")
    assert found.governs(jazz, "I used to love opera, but now jazz.")
    assert not found.governs(jazz, "Opera is grand.")
    assert found.governs(jazz, "Its rhythm, you know.")
    assert found.governs(talk, "Opera is sung.")


def test_a_question_whose_evidence_is_of_another_shape_is_named(persona: WrittenPersona) -> None:
    persona.likes("opera", "I love opera.")
    persona.question("reasoning", "activity_food_total_7", "How much?", {"food_expenses": [{"amount": "three"}]})
    with pytest.raises(InvalidDocument, match=r"evaluation_questions_tester\.json.*session_id"):
        read_questions(persona.folder, sessions(persona))


def test_a_persona_without_questions_is_refused(persona: WrittenPersona) -> None:
    persona.likes("opera", "I love opera.")
    next(persona.folder.glob("evaluation_questions_*.json")).unlink()
    with pytest.raises(InvalidDocument, match="holds 0 files"):
        read_questions(persona.folder, sessions(persona))
