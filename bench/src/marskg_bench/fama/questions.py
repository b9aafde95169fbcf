"""The questions of one persona of Memora with their criteria, each tied to the sessions that count for it.

Guarantees: the layout is read strictly, a fault is named by file, question and field. This is the only module that
opens ``evaluation_questions_*.json``; nothing of it but the text and day of a question leaves for a memory.

The values come from the benchmark's evidence, the sessions from a replay of the trace (:mod:`.trace`), because the
evidence of a flipped preference cites the session of the older stance. Three gaps of the evidence are filled from the
trace: the values that a document's single fields had before (superseded budgets), the names of calendar events that
are over, which are forgotten by date, and the sessions of the budgets that a question about past weeks compares.
A list of a document is one criterion, as in the benchmark.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from marskg.errors import InvalidDocument
from marskg.sources import fields, strictjson
from marskg.sources.fields import BadField
from marskg.sources.memora_layout import as_day
from marskg.sources.strictjson import BadJson
from marskg_bench.fama.scoring import Criterion, Said
from marskg_bench.fama.trace import Trace, as_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from marskg.sources.memora_layout import Session
    from marskg_bench.fama.matching import Value

Task: TypeAlias = Literal["remembering", "recommending", "reasoning"]
TASKS: Final[tuple[Task, ...]] = get_args(Task)

#: A question's id ends with the document that it is about, or holds what it is about before a number.
_DOCUMENT = re.compile(r"content_.+?_[0-9]+_(?P<item>[a-z_]+_[0-9]+)", re.ASCII)
_BUDGET = re.compile(r"comparative_goal_met_(?P<goal>[a-z_]+)_week_[0-9]+", re.ASCII)
_PREFERENCE = re.compile(r"pref_[a-z]+_(?P<name>[a-z_]+)_[0-9]+", re.ASCII)
_LEDGERS = ("food_expenses", "expense_items", "step_data", "activity_sessions")
_STANCES = ("likes", "dislikes")


@dataclass(frozen=True, slots=True)
class Question:
    """A question asked at the end of ``day``, with what a good answer is to hold and what it is not to."""

    name: str
    task: Task
    text: str
    day: date
    presence: tuple[Criterion, ...]
    forgetting: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with its evidence, before its criteria are known."""

    name: str
    task: Task
    text: str
    day: date
    evidence: Mapping[str, Any]
    forgotten: Sequence[Any]


def read_questions(directory: Path, sessions: Sequence[Session]) -> list[Question]:
    """Return the questions about the persona in ``directory``, whose ``sessions`` are given in their order.

    Raises:
        InvalidDocument: there is no file of questions, or it breaks the layout.
    """
    files = sorted(directory.glob("evaluation_questions_*.json"))
    if len(files) != 1:
        msg = f"{directory} holds {len(files)} files evaluation_questions_*.json; a persona has one: unpack it again"
        raise InvalidDocument(msg)
    try:
        asked = _asked(fields.as_object(strictjson.parse(files[0].read_bytes()), "questions"))
        return _with_criteria(asked, sessions)
    except OSError as error:
        msg = f"{files[0]} cannot be read ({error.strerror}); check its permissions"
        raise InvalidDocument(msg) from error
    except (BadJson, BadField) as error:
        msg = f"{files[0]}: {error}"
        raise InvalidDocument(msg) from error


def _asked(document: Mapping[str, Any]) -> list[_Asked]:
    tasks = fields.as_object(fields.required(document, "questions"), "questions")
    found = []
    for task in TASKS:
        for position, item in enumerate(fields.as_list(tasks.get(task, []), f"questions.{task}")):
            where = f"questions.{task}[{position}]"
            values = fields.as_object(item, where)
            forgotten = fields.as_object(values.get("forgetting_evidence") or {}, f"{where}.forgetting_evidence")
            found.append(
                _Asked(
                    name=fields.as_text(fields.required(values, "question_id"), f"{where}.question_id"),
                    task=task,
                    text=fields.as_text(fields.required(values, "question"), f"{where}.question"),
                    day=as_day(fields.required(values, "question_date"), f"{where}.question_date"),
                    evidence=fields.as_object(fields.required(values, "memory_evidence"), f"{where}.memory_evidence"),
                    forgotten=fields.as_list(forgotten.get("forgotten_items", []), f"{where}.forgotten_items"),
                )
            )
    return found


def _with_criteria(asked: Sequence[_Asked], sessions: Sequence[Session]) -> list[Question]:
    traces = {day: Trace.until(day, sessions) for day in sorted({item.day for item in asked})}
    names = {int(session.name.rpartition("_")[2]): session.name for session in sessions}
    found = []
    for item in asked:
        criteria = _Criteria(item, traces[item.day], names)
        presence, forgetting = tuple(criteria.presence()), tuple(criteria.forgetting())
        if not presence:
            msg = f"question {item.name!r}, memory_evidence: it holds nothing that the trace asserts; unpack it again"
            raise BadField(msg)
        found.append(Question(item.name, item.task, item.text, item.day, presence, forgetting))
    return found


class _Criteria:
    """The criteria of one question."""

    def __init__(self, asked: _Asked, trace: Trace, names: Mapping[int, str]) -> None:
        self._asked = asked
        self._trace = trace
        self._names = names
        document = _DOCUMENT.fullmatch(asked.name)
        self._document = None if document is None else f"document/{document['item']}/"

    def presence(self) -> Iterator[Criterion]:
        """Yield what is to be present."""
        evidence = self._asked.evidence
        for name, topic in (("remaining_tasks", "todo"), ("calendar_events", "calendar")):
            for item in _objects(evidence, name):
                yield self._current(topic, _value(item, "value"))
        if self._document is not None:
            for field, held in fields.as_object(fields.required(evidence, "content_data"), "content_data").items():
                values = [as_value(value, field) for value in (held if isinstance(held, list) else [held])]
                if values:
                    yield self._current(f"{self._document}{field}", *values)
        yield from self._preferences()
        yield from self._entries()
        yield from self._goals()

    def forgetting(self) -> Iterator[Criterion]:
        """Yield what is to be absent."""
        if "calendar_events" in self._asked.evidence:
            for event in self._trace.ended("calendar"):
                yield self._ended("calendar", event.value)
            return
        prefix = self._document or ("todo" if "remaining_tasks" in self._asked.evidence else "preference/")
        listed: set[tuple[str, str]] = set()
        for position, item in enumerate(self._asked.forgotten):
            values = fields.as_object(item, f"forgotten_items[{position}]")
            value = _value(values, "value")
            topic = f"{prefix}{values['field']}" if self._document and "field" in values else prefix
            listed.add((topic, str(value)))
            yield self._ended(topic, value)
        for ended in self._trace.ended(self._document) if self._document else ():
            # Only numbers are replaced without a word in the list of what is forgotten: budgets.
            if isinstance(ended.value, int | float) and (ended.topic, str(ended.value)) not in listed:
                yield self._ended(ended.topic, ended.value)

    def _current(self, topic: str, *values: Value) -> Criterion:
        return Criterion(tuple(Said(value, self._trace.sessions(topic, value, current=True)) for value in values))

    def _ended(self, topic: str, value: Value) -> Criterion:
        return Criterion((Said(value, self._trace.sessions(topic, value, current=False)),))

    def _preferences(self) -> Iterator[Criterion]:
        evidence = self._asked.evidence
        groups = dict(fields.as_object(evidence.get("memory_items", {}), "memory_items"))
        if "subcategory_data" in evidence:
            match = _PREFERENCE.fullmatch(self._asked.name)
            groups[match["name"] if match else ""] = evidence["subcategory_data"]
        for name, group in groups.items():
            for stance in _STANCES:
                for item in _objects(fields.as_object(group, name), stance):
                    yield self._current(f"preference/{name}", _value(item, "item"))

    def _entries(self) -> Iterator[Criterion]:
        """Yield the entries of ledgers; each counts by itself, so that one amount does not stand for another."""
        evidence = self._asked.evidence
        periods = fields.as_object(evidence.get("period_breakdown", {}), "period_breakdown").values()
        lists = [(evidence, name) for name in _LEDGERS]
        lists += [(fields.as_object(period, "period_breakdown"), "items") for period in periods]
        for values, name in lists:
            for item in _objects(values, name):
                value = _value(item, "amount" if "amount" in item else "step_count")
                number = fields.as_integer(fields.required(item, "session_id"), f"{name}.session_id")
                said = self._trace.sessions("ledger/", value)
                yield Criterion((Said(value, said & {self._names.get(number, "")}),))

    def _goals(self) -> Iterator[Criterion]:
        evidence = self._asked.evidence
        if "goal_value" in evidence:
            goal = fields.as_object(fields.required(evidence, "goal_data"), "goal_data")
            name = fields.as_text(fields.required(goal, "subcategory"), "goal_data.subcategory")
            yield self._current(f"goal/{name}", _value(evidence, "goal_value"))
        match = _BUDGET.fullmatch(self._asked.name)
        timeline = fields.as_object(evidence.get("budget_timeline", {}), "budget_timeline")
        for moment in timeline if match else ():
            value = _value(timeline, moment)
            said = self._trace.sessions(f"goal/{match['goal'] if match else ''}", value)
            yield Criterion((Said(value, said),))


def _objects(values: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    return [fields.as_object(item, f"{name}[]") for item in fields.as_list(values.get(name, []), name)]


def _value(values: Mapping[str, Any], name: str) -> Value:
    return as_value(fields.required(values, name), name)
