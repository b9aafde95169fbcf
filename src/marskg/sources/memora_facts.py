"""Memora's ``operation_details`` as facts: one draft for each field or value, never one for a whole turn.

Guarantees: replaying the drafts gives the state of the trace: a newer value supersedes the one of its key, a list's
values come and go one by one, ledgers grow, a task is closed when it leaves its list. A retraction is yielded only for
what the trace has at that point. Each fact derives from the turns that assert it.

Keys: ``preference/<subcategory>/<item>``, ``goal/<subcategory>``, ``ledger/<category>/<type>``,
``todo/<type>/<description>``, ``calendar/<type>/<event>``, ``document/<item>/<field>`` (memora_documents).
Source: semantics section 1 (key, cardinality).
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from marskg.clock import DAY_MS
from marskg.drafts import Draft, EntityRef
from marskg.late_regex import late_regex
from marskg.ontology.mapping import time_lexical
from marskg.ontology.vocabulary import Cardinality, Kind, TaskStatus
from marskg.sources import fields
from marskg.sources.fields import BadField
from marskg.sources.memora_documents import Documents
from marskg.sources.memora_layout import as_day, day_ms
from marskg.sources.memora_scribe import Scribe, readable, render

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.records import Value
    from marskg.sources.memora_layout import Session

#: What a subcategory of preferences is about: how it reads, and the type of the entity.
_TOPICS = {
    "actors": ("actor", "person"),
    "artists": ("music artist", "artist"),
    "authors": ("author", "person"),
    "climates": ("climate", "concept"),
    "decades": ("decade", "concept"),
    "destination_types": ("kind of destination", "concept"),
    "directors": ("film director", "person"),
    "genres": ("genre", "concept"),
    "regions": ("region", "place"),
    "topics": ("topic", "concept"),
    "already_listened_list": ("already listened to", "album"),
    "already_read_list": ("already read", "book"),
    "already_visited_list": ("already visited", "place"),
    "already_watched_list": ("already watched", "film"),
}
_OFFSET = late_regex(r"\+?([0-9]{1,5}) days?", re.ASCII)
#: How a user says that a task is done; one who only takes it off the list cancels it.
_DONE = late_regex(
    r"\b(already|called|complet\w+|done|finish\w*|got around|just|managed|picked|taken care|was able|earlier)\b",
    re.IGNORECASE,
)
_DROPPED = late_regex(r"\b(no longer|remov\w+|delet\w+|cancel\w*|decided (not|against))\b", re.IGNORECASE)
#: When an entry was made or is due says nothing about which entry it is.
_STAMPS = frozenset({"created_at", "updated_at", "date"})


class FactTrace:
    """Turns the operations of one persona's sessions into drafts, in order; knows the state of the trace so far."""

    def __init__(self) -> None:
        """Start with nothing."""
        #: The current memory of each single key, by its draft.
        self._current: dict[str, Draft] = {}
        self._documents = Documents()

    def drafts(self, session: Session) -> list[Draft]:
        """Return the drafts of what ``session`` changes.

        Raises:
            BadField: ``operation_details`` lack a field or have one of another type.
        """
        if session.operation is None:
            return []
        scribe = Scribe(session)
        details = session.details
        if session.session_type == "preference":
            self._preference(scribe, details)
        elif session.session_type == "goal":
            self._goal(scribe, details)
        elif session.session_type == "activity":
            self._activity(scribe, details)
        else:
            msg = '"session_type" has an operation and is not preference, goal or activity; correct it'
            raise BadField(msg)
        return scribe.drafts

    # --- Single keys --------------------------------------------------------------------------------------------

    def _assert(self, scribe: Scribe, draft: Draft) -> None:
        """Add ``draft`` as the current value of its key."""
        self._current[str(draft.key)] = draft
        scribe.add(draft)

    def _end(self, scribe: Scribe, key: str, said: str, status: TaskStatus | None = None) -> None:
        """Retract the current value of ``key``, or close it with ``status``; nothing where the trace has none."""
        current = self._current.pop(key, None)
        if current is None:
            return
        ending = replace(
            scribe.draft(said),
            action="retract" if status is None else "close_task",
            kind=current.kind,
            content=current.content,
            key=key,
            status=status,
        )
        scribe.add(ending)

    # --- Preferences and goals ----------------------------------------------------------------------------------

    def _preference(self, scribe: Scribe, details: Mapping[str, Any]) -> None:
        subcategory = fields.as_text(_of(details, "subcategory"), "operation_details.subcategory")
        item = render(_of(details, "item"))
        key = f"preference/{subcategory}/{item}"
        if scribe.session.operation == "delete":
            self._end(scribe, key, item)
            return
        if details.get("old_item") is not None:
            old = render(details["old_item"])
            self._end(scribe, f"preference/{subcategory}/{old}", old)
        stance = fields.as_text(_of(details, "preference"), "operation_details.preference")
        label, entity_type = _TOPICS.get(subcategory, (readable(subcategory), "concept"))
        draft = replace(
            scribe.draft(item),
            content=_preference_text(item, stance, label, seen=subcategory.startswith("already_")),
            payload={"concept": item, "relations": (f"{stance}s",)},
            key=key,
            cardinality=Cardinality.SINGLE,
            intent_tags=(subcategory,),
            mentions=(EntityRef(item, entity_type),),
        )
        self._assert(scribe, draft)

    def _goal(self, scribe: Scribe, details: Mapping[str, Any]) -> None:
        subcategory = fields.as_text(_of(details, "subcategory"), "operation_details.subcategory")
        value = render(_of(details, "item"))
        key = f"goal/{subcategory}"
        if scribe.session.operation == "delete":
            self._end(scribe, key, value, TaskStatus.CANCELLED)
            return
        draft = replace(
            scribe.draft(value),
            kind=Kind.TASK,
            content=_goal_text(subcategory, value, _currency(scribe, details["item"])),
            payload={"goal": f"{readable(subcategory)}: {value}"},
            key=key,
            cardinality=Cardinality.SINGLE,
            intent_tags=(subcategory,),
            status=TaskStatus.IN_PROGRESS,
        )
        self._assert(scribe, draft)

    # --- Activities ---------------------------------------------------------------------------------------------

    def _activity(self, scribe: Scribe, details: Mapping[str, Any]) -> None:
        if "category" not in details:
            self._documents.write(scribe, details)
            return
        category = fields.as_text(_of(details, "category"), "operation_details.category")
        item = fields.as_object(_of(details, "item"), "operation_details.item")
        if category == "todo_list":
            self._todo(scribe, item)
        elif category == "calendar_event":
            self._event(scribe, item)
        elif scribe.session.operation == "add" and _amount(item) is not None:
            self._ledger(scribe, category, item)
        else:
            self._entry(scribe, category, item)

    def _todo(self, scribe: Scribe, item: Mapping[str, Any]) -> None:
        description = fields.as_text(_of(item, "description", "item"), "operation_details.item.description")
        list_name = render(item.get("task_type", "tasks"))
        key = f"todo/{list_name}/{description}"
        if scribe.session.operation == "delete":
            self._end(scribe, key, description, _closing_status(scribe.text))
            return
        draft = replace(
            scribe.draft(description),
            kind=Kind.TASK,
            content=f"To do ({readable(list_name)}): {description}",
            payload={"goal": description},
            key=key,
            cardinality=Cardinality.SINGLE,
            intent_tags=(list_name,),
            status=TaskStatus.OPEN,
        )
        self._assert(scribe, draft)

    def _event(self, scribe: Scribe, item: Mapping[str, Any]) -> None:
        name = fields.as_text(_of(item, "event_name", "item"), "operation_details.item.event_name")
        event_type = render(item.get("event_type", "events"))
        key = f"calendar/{event_type}/{name}"
        if scribe.session.operation == "delete":
            self._end(scribe, key, name, TaskStatus.CANCELLED)
            return
        deadline = _event_day(item)
        person = name.removesuffix("'s birthday")
        draft = replace(
            scribe.draft(name),
            kind=Kind.TASK,
            content=f"{name} on {_day_text(deadline)} ({readable(event_type)})",
            payload={"goal": name},
            key=key,
            cardinality=Cardinality.SINGLE,
            intent_tags=(event_type,),
            status=TaskStatus.OPEN,
            deadline=deadline,
            valid_to=deadline if deadline > scribe.draft(name).at else None,
            mentions=(EntityRef(person, "person"),) if person != name else (),
        )
        self._assert(scribe, draft)

    def _ledger(self, scribe: Scribe, category: str, item: Mapping[str, Any]) -> None:
        name, amount = _amount(item) or ("", 0.0)
        what = _identity(item) or category
        unit = "steps" if name == "step_count" else scribe.unit(amount)
        payload: dict[str, Value] = {"concept": readable(what), "amount": amount}
        if unit is not None:
            payload["unit"] = unit
        goal = self._current.get(f"goal/{what}")
        draft = replace(
            scribe.draft(f"{amount:g}"),
            content=_ledger_text(category, what, amount, unit),
            payload=payload,
            key=f"ledger/{category}/{what}",
            cardinality=Cardinality.APPEND,
            intent_tags=(category,),
            attaches_to_goal=() if goal is None else (goal.ref,),
        )
        scribe.add(draft)

    def _entry(self, scribe: Scribe, category: str, item: Mapping[str, Any]) -> None:
        """Write an entry of a category that Memora's paper does not describe: the newest of its name counts."""
        identity = _identity(item) or render(item)
        key = f"activity/{category}/{identity}"
        if scribe.session.operation == "delete":
            self._end(scribe, key, identity)
            return
        draft = replace(
            scribe.draft(identity),
            content=f"{readable(category).capitalize()}: {render(item)}",
            payload={"concept": identity},
            key=key,
            cardinality=Cardinality.SINGLE,
            intent_tags=(category,),
        )
        self._assert(scribe, draft)


def _of(values: Mapping[str, Any], name: str, *path: str) -> Any:  # noqa: ANN401 - a JSON value; callers check its type
    """Return the field ``name`` of ``operation_details`` or of the object at ``path`` in it."""
    value = values.get(name)
    if value is None or not render(value):
        msg = f'"{".".join(("operation_details", *path, name))}" is missing or blank; add it'
        raise BadField(msg)
    return value


def _preference_text(item: str, stance: str, label: str, *, seen: bool) -> str:
    if seen:
        return f"{label.capitalize()} {item}, and {stance}d it"
    return f"{stance.capitalize()}s {item} ({label})"


def _goal_text(subcategory: str, value: str, unit: str | None) -> str:
    if "step" in subcategory:
        return f"Goal: {value} steps a day"
    price = value if unit is None else f"{value} {unit}"
    return f"Goal: spend at most {price} a week on {readable(subcategory)}"


def _currency(scribe: Scribe, value: object) -> str | None:
    return scribe.unit(value) if isinstance(value, int | float) else None


def _ledger_text(category: str, what: str, amount: float, unit: str | None) -> str:
    number = f"{amount:.2f}" if amount != int(amount) else str(int(amount))
    if unit == "steps":
        return f"Walked {number} steps"
    price = number if unit is None else f"{number} {unit}"
    return f"{readable(category).capitalize()}: {price} for {readable(what)}"


def _closing_status(text: str) -> TaskStatus:
    if _DROPPED.search(text) and not _DONE.search(text):
        return TaskStatus.CANCELLED
    return TaskStatus.DONE


def _amount(item: Mapping[str, Any]) -> tuple[str, float] | None:
    """Return name and value of the one number of a ledger's entry."""
    numbers = [
        (name, fields.as_number(value, f"operation_details.item.{name}"))
        for name, value in item.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    return numbers[0] if len(numbers) == 1 else None


def _identity(item: Mapping[str, Any]) -> str:
    """Return what tells an entry from the others of its category: its texts but for its dates."""
    texts = [value.strip() for name, value in sorted(item.items()) if isinstance(value, str) and name not in _STAMPS]
    return "/".join(text for text in texts if text)


def _event_day(item: Mapping[str, Any]) -> int:
    """Return the last second of an event's day; Memora counts ``+14 days`` from the day the event was entered."""
    text = fields.as_text(_of(item, "date", "item"), "operation_details.item.date")
    match = _OFFSET.fullmatch(text)
    if match:
        created = as_day(_of(item, "created_at", "item"), "operation_details.item.created_at")
        day = created + timedelta(days=int(match[1]))
    else:
        day = as_day(text, "operation_details.item.date")
    return day_ms(day) + DAY_MS - 1000


def _day_text(moment: int) -> str:
    return time_lexical(moment)[:10]
