"""The Memora reader on small personas: each operation, and each way to break the layout."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import EntityRef
from marskg.errors import InvalidDocument, InvalidInput
from marskg.ontology.vocabulary import Cardinality, Kind, SourceType, TaskStatus
from marskg.sources.memora import read_persona
from marskg.sources.memora_documents import due, party
from marskg.sources.memora_layout import as_day

if TYPE_CHECKING:
    from marskg.drafts import Draft
    from tests.unit.sources.conftest import SmallPersona

PROPOSAL = {"project_title": "Night train", "budget": 800_000, "objectives": ["Fewer flights"]}


def facts(persona: SmallPersona) -> list[Draft]:
    return [draft for draft in read_persona(persona.folder) if draft.kind is not Kind.EPISODIC]


def preference(item: str, stance: str = "like", **others: Any) -> dict[str, Any]:
    return {"subcategory": "authors", "item": item, "preference": stance, **others}


def test_a_preference_flips_moves_and_goes(persona: SmallPersona) -> None:
    persona.session("preference", "add", preference("Mary Roach"), "I love Mary Roach")
    persona.session("preference", "update", preference("Mary Roach", "dislike"), "Mary Roach bores me now")
    persona.session(
        "preference", "update", preference("Carl Sagan", old_item="Mary Roach", old_preference="dislike"), "Now Sagan"
    )
    persona.session("preference", "delete", preference("Carl Sagan"), "Forget Carl Sagan")
    persona.session("preference", "delete", preference("Nobody"), "Nobody was ever liked")
    assert [(draft.action, draft.key, draft.content) for draft in facts(persona)] == [
        ("remember", "preference/authors/Mary Roach", "Likes Mary Roach (author)"),
        ("remember", "preference/authors/Mary Roach", "Dislikes Mary Roach (author)"),
        ("retract", "preference/authors/Mary Roach", "Dislikes Mary Roach (author)"),
        ("remember", "preference/authors/Carl Sagan", "Likes Carl Sagan (author)"),
        ("retract", "preference/authors/Carl Sagan", "Likes Carl Sagan (author)"),
    ]


def test_a_ledger_grows_towards_its_goal(persona: SmallPersona) -> None:
    spent = {"expense_type": "coffee", "amount": 3.5, "created_at": "2025-06-01"}
    persona.session("activity", "add", {"category": "food_expenses", "item": spent}, "I paid €3.50 for coffee")
    goal = {"subcategory": "coffee", "item": 20, "actual_operation": "add"}
    persona.session("goal", "add", goal, "At most €20 a week on coffee")
    persona.session("activity", "add", {"category": "food_expenses", "item": spent}, "Another €3.50 on coffee")
    first, aim, second = facts(persona)
    assert (first.key, first.cardinality) == ("ledger/food_expenses/coffee", Cardinality.APPEND)
    assert first.content == second.content == "Food expenses: 3.50 EUR for coffee"
    assert first.payload == {"concept": "coffee", "amount": 3.5, "unit": "EUR"}
    assert aim.content == "Goal: spend at most 20 EUR a week on coffee"
    assert (first.attaches_to_goal, second.attaches_to_goal) == ((), (aim.ref,))


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("I finished writing the abstract.", TaskStatus.DONE),
        ("I no longer need to track the abstract.", TaskStatus.CANCELLED),
        ("Please remove the abstract, I've already completed it.", TaskStatus.DONE),
    ],
)
def test_a_task_is_closed_as_it_was_said(persona: SmallPersona, said: str, status: TaskStatus) -> None:
    item = {"task_type": "work_tasks", "description": "Write abstract", "created_at": "2025-06-01"}
    persona.session("activity", "add", {"category": "todo_list", "item": item}, "I must write the abstract")
    persona.session("activity", "delete", {"category": "todo_list", "item": item}, said)
    opened, closed = facts(persona)
    assert (opened.kind, opened.status) == (Kind.TASK, TaskStatus.OPEN)
    assert (closed.action, closed.key, closed.status) == ("close_task", opened.key, status)
    assert closed.derives_from == ("session_0002/turn-2",)


def test_an_event_is_due_on_its_day_and_moves(persona: SmallPersona) -> None:
    item = {"event_type": "birthdays", "event_name": "Mom's birthday", "date": "+14 days", "created_at": "2025-06-03"}
    persona.session("activity", "add", {"category": "calendar_event", "item": item}, "Mom's birthday is June 17th")
    moved = {**item, "date": "+15 days", "updated_at": "2025-06-04"}
    persona.session("activity", "update", {"category": "calendar_event", "item": moved}, "We celebrate a day later")
    persona.session("activity", "delete", {"category": "calendar_event", "item": moved}, "It was cancelled")
    first, second, gone = facts(persona)
    assert first.content == "Mom's birthday on 2025-06-17 (birthdays)"
    assert first.deadline == 1_750_204_799_000  # 2025-06-17T23:59:59Z
    assert first.mentions == (EntityRef("Mom", "person"),)
    assert second.key == first.key
    assert second.deadline == 1_750_204_799_000 + 86_400_000
    assert (gone.action, gone.status) == ("close_task", TaskStatus.CANCELLED)


def test_a_document_changes_field_by_field(persona: SmallPersona) -> None:
    persona.session("activity", "add", {"item": "project_proposal_1", "content_data": PROPOSAL}, "It is Night train")
    update = {
        "item": "project_proposal_1",
        "content_data": {**PROPOSAL, "budget": 900_000, "objectives": ["Fewer flights", "More sleep"]},
        "memory_updates": [
            {"field": "budget", "action": "budget_revised", "updated_from": 800_000, "updated_to": 850_000},
            {"field": "objectives", "action": "added", "added_item": "More sleep"},
            {"field": "budget", "action": "budget_revised", "updated_from": 850_000, "updated_to": 900_000},
        ],
    }
    persona.session("activity", "update", update, "Make it $850,000", "Add more sleep", "No, $900,000")
    delete = {
        "item": "project_proposal_1",
        "content_data": {**PROPOSAL, "objectives": []},
        "memory_deletes": [
            {"field": "budget", "action": "budget_reverted", "reverted_from": 900_000, "reverted_to": 800_000},
            {"field": "objectives", "action": "removed_from_memory", "removed_item": "Fewer flights"},
        ],
    }
    persona.session("activity", "delete", delete, "Back to 800,000", "Remove fewer flights")
    drafts = facts(persona)
    changes = [(draft.action, *draft.content.removeprefix("Project proposal 1, ").split(": ")) for draft in drafts]
    assert changes == [
        ("remember", "project title", "Night train"),
        ("remember", "budget", "800000"),
        ("remember", "objectives", "Fewer flights"),
        ("remember", "budget", "850000"),
        ("remember", "objectives", "More sleep"),
        ("remember", "budget", "900000"),
        ("remember", "budget", "800000"),
        ("retract", "objectives", "Fewer flights"),
        ("retract", "objectives", "More sleep"),  # undeclared, but gone from content_data
    ]
    title, *rest = drafts
    assert title.depends_on == ()
    assert all(draft.depends_on == (title.ref,) for draft in rest if draft.action == "remember")
    assert drafts[3].derives_from == ("session_0002/turn-2",)
    assert drafts[3].payload["unit"] == drafts[6].payload["unit"] == "USD"  # the last turn names no currency
    assert drafts[2].cardinality is Cardinality.SET


def test_an_action_item_is_a_task_that_requires_its_decision(persona: SmallPersona) -> None:
    content = {
        "meeting_title": "Rails",
        "key_decisions": ["Replace the sleeper carriages", "Hire two engineers"],
        "action_items": ["Dr. Ada Byron to price sleeper carriages within two weeks"],
        "attendees": ["Dr. Ada Byron (Chief Engineer, Rail)", "Finance Team", "Head of Marketing"],
    }
    persona.session("activity", "add", {"item": "meeting_notes_1", "content_data": content}, "The notes are as follows")
    drafts = facts(persona)
    decision = next(draft for draft in drafts if "Replace" in draft.content)
    task = next(draft for draft in drafts if draft.kind is Kind.TASK)
    assert task.requires == (decision.ref,)
    assert task.deadline == 1_750_031_999_000  # 2025-06-15T23:59:59Z
    people = [draft for draft in drafts if draft.kind is Kind.SOCIAL]
    assert people[0].payload == {
        "entity": "Ada Byron",
        "relationship_type": "attendee",
        "attributes": ("Chief Engineer, Rail",),
    }
    assert [draft.mentions[0].entity_type for draft in people] == ["person", "organization", "role"]


@pytest.mark.parametrize(
    ("text", "name", "role"),
    [
        ("Dr. Ada Byron, Head of Research", "Ada Byron", "Head of Research"),
        ("Siti Nurhaliza, Plant Manager - Singapore", "Siti Nurhaliza", "Plant Manager - Singapore"),
        ("Legal & Regulatory Affairs Department", "Legal & Regulatory Affairs Department", None),
        ("Head of Marketing, Entertainment Division", "Head of Marketing, Entertainment Division", None),
        ("Robotics Industry Alliance (RIA)", "Robotics Industry Alliance (RIA)", None),
    ],
)
def test_people_are_told_from_offices(text: str, name: str, role: str | None) -> None:
    entity, found = party(text)
    assert (entity.name, found) == (name, role)


@pytest.mark.parametrize(
    ("text", "days"),
    [("due in 3 days", 3), ("by +10 days", 10), ("within the next 2 weeks", 14), ("by next month", 30), ("soon", None)],
)
def test_deadlines_in_words(text: str, days: int | None) -> None:
    day = as_day("2025-06-01", "date")
    end = due(f"Draft the plan {text}", day)
    assert end == (None if days is None else 1_748_736_000_000 + (days + 1) * 86_400_000 - 1000)


def test_a_category_of_another_release_is_kept_by_its_name(persona: SmallPersona) -> None:
    item = {"plant": "tomato", "state": "planted"}
    persona.session("activity", "add", {"category": "garden", "item": item}, "I planted a tomato")
    persona.session("activity", "delete", {"category": "garden", "item": item}, "The tomato is gone")
    added, gone = facts(persona)
    assert (added.key, added.content) == ("activity/garden/tomato/planted", "Garden: plant: tomato; state: planted")
    assert (gone.action, gone.key) == ("retract", added.key)


def test_tracks(persona: SmallPersona) -> None:
    persona.session("preference", "add", preference("Mary Roach"), "I love Mary Roach")
    persona.session("no_memory", None, {})
    assert [len(read_persona(persona.folder, track)) for track in ("facts", "shared", "all")] == [2, 1, 3]
    hello, _, _ = read_persona(persona.folder, "all")
    assert (hello.source_type, hello.source_ref) == (SourceType.CHAT_ASSISTANT, "memora/tester/session_0001#turn-1")
    with pytest.raises(InvalidInput, match="facts, shared, all"):
        read_persona(persona.folder, "everything")  # type: ignore[arg-type]


def test_a_day_is_shared_out_in_the_order_of_the_trace(persona: SmallPersona) -> None:
    for number in range(4):
        persona.session(
            "preference", "add", preference(f"Author {number}"), "One", "Two", date=f"2025-06-0{1 + number // 3}"
        )
    times = [draft.at for draft in read_persona(persona.folder, "all")]
    assert times == sorted(set(times))
    assert times[0] == 1_748_736_000_000 + 6 * 3_600_000


def test_time_never_runs_back_within_a_session(persona: SmallPersona) -> None:
    content = {"meeting_title": "Rails", "attendees": ["Ada Byron"]}
    persona.session(
        "activity", "add", {"item": "meeting_notes_1", "content_data": content}, "Ada Byron came", "to Rails"
    )
    title, attendee = facts(persona)
    assert title.derives_from == ("session_0001/turn-3",)
    assert attendee.derives_from == ("session_0001/turn-2",)
    assert attendee.at == title.at


def test_answers_are_never_opened(persona: SmallPersona) -> None:
    persona.session("preference", "add", preference("Mary Roach"), "I love Mary Roach")
    (persona.folder / "evaluation_questions_tester.json").mkdir()  # opening it would fail
    assert len(read_persona(persona.folder)) == 2


DELETED: Any = object()
BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "no persona": ({"persona": DELETED}, '"persona" is missing'),
    "no date": ({"date": "June 1st"}, '"date" is no day'),
    "another operation": ({"operation": "merge"}, '"operation" is not null or one of add, delete, update'),
    "details no object": ({"operation_details": []}, '"operation_details" must be an object'),
    "conversation no list": ({"conversation": {}}, '"conversation" must be a list'),
    "turn without message": ({"conversation": [{"turn": 1, "speaker": "ai_agent"}]}, '"message" is missing'),
    "turn by nobody": ({"conversation": [{"turn": 1, "speaker": "x", "message": ""}]}, '"conversation[0].speaker"'),
    "flag as text": (
        {"conversation": [{"turn": 1, "speaker": "ai_agent", "message": "", "share_memory": "yes"}]},
        '"conversation[0].share_memory" must be true or false',
    ),
    "turns of one number": (
        {"conversation": [{"turn": 1, "speaker": "ai_agent", "message": ""}] * 2},
        '"conversation" gives two turns one number',
    ),
    "unknown session type": ({"session_type": "dream"}, '"session_type" has an operation'),
    "preference without item": ({"operation_details": {"subcategory": "authors"}}, '"operation_details.item"'),
    "event without day": (
        {
            "session_type": "activity",
            "operation_details": {"category": "calendar_event", "item": {"event_name": "x", "date": "soon"}},
        },
        '"operation_details.item.date" is no day',
    ),
    "document without content": (
        {"session_type": "activity", "operation_details": {"item": "project_proposal_1"}},
        '"content_data" is missing',
    ),
    "change without field": (
        {
            "session_type": "activity",
            "operation_details": {"item": "p_1", "content_data": {}, "memory_updates": [{"added_item": "x"}]},
        },
        '"operation_details.memory_updates[0].field" is missing',
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_named_with_its_field(persona: SmallPersona, case: str) -> None:
    changes, rule = BROKEN[case]
    persona.session("preference", "add", preference("Mary Roach"), "I love Mary Roach")
    file = persona.session("preference", "add", preference("Carl Sagan"), "I love Carl Sagan")
    document = {**json.loads(file.read_text()), **changes}
    file.write_text(json.dumps({name: value for name, value in document.items() if value is not DELETED}))
    with pytest.raises(InvalidDocument) as caught:
        read_persona(persona.folder)
    assert str(file) in str(caught.value)
    assert rule in str(caught.value)
