"""Replaying the drafts of the real personas gives the state that their traces end in."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from marskg.ontology.fields import PAYLOAD_FIELDS
from marskg.ontology.vocabulary import EdgeType, Kind, TaskStatus
from marskg.sources.memora import read_persona
from tests.support.slots import Slots

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from marskg.drafts import Draft

PERSONAS = (
    "academic_researcher",
    "business_executive",
    "content_writer",
    "creative_designer",
    "financial_analyst",
    "management_consultant",
)
ALL = [(period, name) for period in ("weekly", "monthly") for name in PERSONAS]


@dataclass
class Trace:
    """The state of the trace, read straight from the files and by the trace's own words."""

    documents: dict[str, Any] = field(default_factory=dict)
    preferences: dict[str, str] = field(default_factory=dict)
    goals: dict[str, str] = field(default_factory=dict)
    todo: set[str] = field(default_factory=set)
    events: dict[str, tuple[str, str]] = field(default_factory=dict)
    ledgers: dict[str, list[float]] = field(default_factory=dict)

    def follow(self, folder: Path) -> Trace:
        for file in sorted((folder / "conversations").glob("session_*.json")):
            session = json.loads(file.read_text(encoding="utf-8"))
            if session["operation"] is not None:
                getattr(self, f"_{session['session_type']}")(session["operation"], session["operation_details"])
        return self

    def _preference(self, operation: str, details: dict[str, Any]) -> None:
        name = f"{details['subcategory']}/{details['item']}"
        if operation == "delete":
            del self.preferences[name]
            return
        if details.get("update_type") == "value_update":
            del self.preferences[f"{details['subcategory']}/{details['old_item']}"]
        self.preferences[name] = details["preference"]

    def _goal(self, _operation: str, details: dict[str, Any]) -> None:
        self.goals[details["subcategory"]] = str(details["item"])

    def _activity(self, operation: str, details: dict[str, Any]) -> None:
        item = details["item"]
        category = details.get("category")
        if category is None:
            self.documents[item] = details["content_data"]
        elif category == "todo_list":
            name = f"{item['task_type']}/{item['description']}"
            (self.todo.remove if operation == "delete" else self.todo.add)(name)
        elif category == "calendar_event":
            name = f"{item['event_type']}/{item['event_name']}"
            if operation == "delete":
                del self.events[name]
            else:
                self.events[name] = item["created_at"], item["date"]
        elif category == "food_expenses":
            self.ledgers.setdefault(f"food_expenses/{item['expense_type']}", []).append(item["amount"])
        else:
            self.ledgers.setdefault(f"step_tracker/{item['activity_type']}", []).append(item["step_count"])


class Read:
    """A persona of the archive, read once for all tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.persona = read_persona(folder)
        self.drafts = list(self.persona)


@pytest.fixture(scope="module", params=ALL, ids="/".join)
def read(memora: Path, request: pytest.FixtureRequest) -> Read:
    period, name = request.param
    return Read(memora / period / name)


def value_of(draft: Draft) -> str:
    """Return the value in a document's draft, which stands after the first colon."""
    return draft.content.split(": ", 1)[1]


@pytest.mark.shared
def test_replay_gives_the_state_of_the_trace(read: Read) -> None:
    slots = Slots().replay(read.drafts)
    trace = Trace().follow(read.folder)

    assert slots.misses == []
    documents = {key: sorted(map(value_of, held)) for key, held in slots.under("document/").items()}
    expected = {
        f"{item}/{name}": sorted(value) if isinstance(value, list) else [str(value)]
        for item, content in trace.documents.items()
        for name, value in content.items()
        if value != []
    }
    assert documents == expected
    preferences = {key: held[0].payload["relations"] for key, held in slots.under("preference/").items()}
    assert preferences == {key: (f"{stance}s",) for key, stance in trace.preferences.items()}
    goals = {key: str(held[0].payload["goal"]).split(": ")[1] for key, held in slots.under("goal/").items()}
    assert goals == trace.goals
    assert set(slots.under("todo/")) == trace.todo
    assert set(slots.under("calendar/")) == set(trace.events)
    ledgers = {key: [draft.payload["amount"] for draft in held] for key, held in slots.under("ledger/").items()}
    assert ledgers == trace.ledgers


@pytest.mark.shared
def test_drafts_keep_the_contract_of_the_store(read: Read) -> None:
    drafts = read.drafts
    assert len(read.persona) == len(drafts)
    kinds: dict[str, Kind] = {}
    for draft in drafts:
        assert draft.ref not in kinds
        assert draft.content.strip()
        assert draft.subjects == (read.folder.name,)
        assert set(draft.payload) <= {spec.name for spec in PAYLOAD_FIELDS[draft.kind]}
        for type_, ref in draft.links():
            assert ref in kinds, "what is named comes first"
            if type_ is EdgeType.DERIVES_FROM:
                assert kinds[ref] is Kind.EPISODIC
        if draft.kind is not Kind.EPISODIC:
            assert draft.derives_from
        assert (draft.status is not None) == (draft.kind is Kind.TASK)
        kinds[draft.ref] = draft.kind
    times = [draft.at for draft in drafts if draft.kind is Kind.EPISODIC]
    assert times == sorted(times)
    for key, at in _times_of_keys(drafts).items():
        assert at == sorted(at), key


def _times_of_keys(drafts: Iterable[Draft]) -> dict[str, list[int]]:
    times: dict[str, list[int]] = {}
    for draft in drafts:
        if draft.key is not None:
            times.setdefault(draft.key, []).append(draft.at)
    return times


@pytest.mark.shared
def test_counts_of_one_persona(memora: Path) -> None:
    persona = read_persona(memora / "weekly" / "academic_researcher")
    drafts = list(persona)
    assert list(persona) == drafts  # a second reading yields the same
    assert Counter(draft.action for draft in drafts) == {"remember": 302, "retract": 17, "close_task": 9}
    made = [draft for draft in drafts if draft.action == "remember"]
    assert Counter(draft.kind for draft in made) == {
        Kind.EPISODIC: 159,
        Kind.SEMANTIC: 109,
        Kind.TASK: 21,
        Kind.SOCIAL: 13,
    }
    edges = Counter(type_ for draft in made for type_, _ in draft.links())
    assert edges[EdgeType.DEPENDS_ON] == 63
    assert edges[EdgeType.ATTACHES_TO_GOAL] == 13
    assert edges[EdgeType.REQUIRES] == 1
    closed = Counter(draft.status for draft in drafts if draft.action == "close_task")
    assert closed == {TaskStatus.DONE: 6, TaskStatus.CANCELLED: 3}


@pytest.mark.shared
def test_tracks_of_one_persona(memora: Path) -> None:
    folder = memora / "weekly" / "academic_researcher"
    shared, everything = list(read_persona(folder, "shared")), list(read_persona(folder, "all"))
    assert len(shared) == 159
    assert len(everything) == 2516
    assert {draft.kind for draft in everything} == {Kind.EPISODIC}
    assert {draft.ref for draft in shared} <= {draft.ref for draft in everything}
