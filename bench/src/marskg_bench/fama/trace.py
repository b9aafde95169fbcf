"""What a persona of Memora holds true at the end of a day, and which sessions said so: a replay of the trace.

Guarantees: follows ``operation_details`` alone, without the product's importer, so that a fault of the importer shows
in the figures instead of in the yardstick. An assertion ends when its value is replaced, retracted or, for an event of
the calendar, when its day is over; a preference that turns from like to dislike ends its older assertions, although
the benchmark's evidence still cites them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

from marskg.sources import fields
from marskg.sources.memora_layout import as_day
from marskg_bench.fama.matching import says

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from marskg.sources.memora_layout import Session
    from marskg_bench.fama.matching import Value

_OFFSET = re.compile(r"\+?([0-9]{1,5}) days?", re.ASCII)
#: What can have one current assertion: a topic, and the value's name in it where a topic has several.
_Slot: TypeAlias = tuple[str, str]


@dataclass(slots=True)
class Assertion:
    """``session`` said that ``topic`` has ``value``; ``current`` until that ends.

    Topics: ``preference/<subcategory>``, ``goal/<subcategory>``, ``ledger/<category>``, ``todo``, ``calendar``,
    ``document/<item>/<field>``, ``activity/<category>``.
    """

    topic: str
    value: Value
    session: str
    current: bool = True


class Trace:
    """The assertions of one persona up to the end of a day."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.assertions: list[Assertion] = []
        self._open: defaultdict[_Slot, list[Assertion]] = defaultdict(list)
        self._stances: dict[_Slot, str] = {}
        self._days: dict[_Slot, date] = {}
        #: The topics that a session's operation asserts something about, or retracts something from.
        self._touched: defaultdict[str, set[str]] = defaultdict(set)

    @classmethod
    def until(cls, day: date, sessions: Iterable[Session]) -> Trace:
        """Return the trace of those ``sessions``, in order, that are not after ``day``.

        Raises:
            BadField: an operation's details break the layout.
        """
        trace = cls()
        for session in sessions:
            if session.day <= day and session.operation is not None:
                trace._touched[session.name] = set()
                trace._apply(session)
        for slot, due in trace._days.items():
            if due <= day:
                trace._end(slot)
        return trace

    def sessions(self, prefix: str, value: Value, *, current: bool | None = None) -> frozenset[str]:
        """Return the sessions that said ``value`` on a topic that starts with ``prefix``.

        ``current`` chooses those whose assertion still holds, or those none of whose assertions of it does.
        """
        found = [item for item in self.assertions if item.topic.startswith(prefix) and _same(item.value, value)]
        holding = frozenset(item.session for item in found if item.current)
        if current:
            return holding
        every = frozenset(item.session for item in found)
        return every if current is None else every - holding

    def ended(self, prefix: str) -> list[Assertion]:
        """Return one ended assertion for each value on a topic with ``prefix`` that no assertion holds any more."""
        found: dict[tuple[str, str], Assertion] = {}
        for item in self.assertions:
            if item.topic.startswith(prefix) and not self.sessions(item.topic, item.value, current=True):
                found.setdefault((item.topic, _name(item.value)), item)
        return list(found.values())

    def governs(self, session: str | None, text: str) -> bool:
        """Return whether perfect governance still has ``text``, an item of ``session``.

        It drops all of a session whose every assertion has ended, and of another what says an ended value of a topic
        of that session and none that the session asserts still. What Memora gives no operation stays.
        """
        if session is None or session not in self._touched:
            return True
        topics = self._touched[session]
        own = [item for item in self.assertions if item.session == session and item.current]
        if not own:
            return False
        if any(says(text, item.value) for item in own):
            return True
        ended = (item for item in self.assertions if item.topic in topics and not item.current)
        return not any(says(text, item.value) for item in ended)

    # --- Replay -------------------------------------------------------------------------------------------------

    def _apply(self, session: Session) -> None:
        details = session.details
        if session.session_type == "preference":
            self._preference(session, details)
        elif session.session_type == "goal":
            self._goal(session, details)
        elif "category" not in details:
            self._document(session, details)
        else:
            self._activity(session, details)

    def _preference(self, session: Session, details: Mapping[str, Any]) -> None:
        topic = f"preference/{fields.as_text(details.get('subcategory'), 'operation_details.subcategory')}"
        item = as_value(details.get("item"), "operation_details.item")
        slot = (topic, _name(item))
        if details.get("old_item") is not None:
            self._end((topic, _name(as_value(details["old_item"], "operation_details.old_item"))), session)
        stance = str(details.get("preference"))
        if session.operation == "delete" or self._stances.get(slot, stance) != stance:
            self._end(slot, session)
        if session.operation != "delete":
            self._stances[slot] = stance
            self._say(slot, item, session)

    def _goal(self, session: Session, details: Mapping[str, Any]) -> None:
        topic = f"goal/{fields.as_text(details.get('subcategory'), 'operation_details.subcategory')}"
        self._end((topic, ""), session)
        if session.operation != "delete":
            self._say((topic, ""), as_value(details.get("item"), "operation_details.item"), session)

    def _activity(self, session: Session, details: Mapping[str, Any]) -> None:
        category = fields.as_text(details["category"], "operation_details.category")
        item = fields.as_object(details.get("item"), "operation_details.item")
        if category == "todo_list":
            topic, value = "todo", as_value(item.get("description"), "operation_details.item.description")
        elif category == "calendar_event":
            topic, value = "calendar", as_value(item.get("event_name"), "operation_details.item.event_name")
        else:
            for value in _numbers(item):
                self._say((f"ledger/{category}", f"{session.name} {value}"), value, session)
            return
        slot = (topic, _name(value))
        if session.operation != "add":
            self._end(slot, session)
        if session.operation != "delete":
            self._say(slot, value, session)
            if topic == "calendar":
                self._days[slot] = _event_day(item)

    def _document(self, session: Session, details: Mapping[str, Any]) -> None:
        name = fields.as_text(details.get("item"), "operation_details.item")
        content = fields.as_object(details.get("content_data"), "operation_details.content_data")
        said = {}
        for field, held in content.items():
            for item in held if isinstance(held, list) else [held]:
                value = as_value(item, f"operation_details.content_data.{field}")
                said[f"document/{name}/{field}", _name(value)] = value
        for slot in [slot for slot in self._open if slot[0].startswith(f"document/{name}/") and slot not in said]:
            self._end(slot, session)
        for slot, value in said.items():
            self._say(slot, value, session)

    def _say(self, slot: _Slot, value: Value, session: Session) -> None:
        self._touched[session.name].add(slot[0])
        assertion = Assertion(slot[0], value, session.name)
        self.assertions.append(assertion)
        self._open[slot].append(assertion)

    def _end(self, slot: _Slot, session: Session | None = None) -> None:
        if session is not None:
            self._touched[session.name].add(slot[0])
        for assertion in self._open.pop(slot, ()):
            assertion.current = False


def as_value(value: object, name: str) -> Value:
    """Return ``value`` as a text that is not blank, or a number.

    Raises:
        BadField: it is neither.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return fields.as_text(value, name)


def _numbers(item: Mapping[str, Any]) -> Iterator[Value]:
    for value in item.values():
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield value


def _event_day(item: Mapping[str, Any]) -> date:
    """Return the day of an event; ``+14 days`` counts from the day on which it was entered."""
    text = fields.as_text(item.get("date"), "operation_details.item.date")
    match = _OFFSET.fullmatch(text)
    if match is None:
        return as_day(text, "operation_details.item.date")
    return as_day(item.get("created_at"), "operation_details.item.created_at") + timedelta(days=int(match[1]))


def _name(value: Value) -> str:
    return value.strip().casefold() if isinstance(value, str) else f"{value:.10g}"


def _same(one: Value, other: Value) -> bool:
    return _name(one) == _name(other)
