"""Memora's documents (proposals, notes, e-mails, posts), field by field.

Guarantees: after each session the current values of ``document/<item>/<field>`` are those of its ``content_data``: the
changes that the trace declares come first, in their order, then whatever still differs. A scalar field is ``single``, a
list is a ``set``. Every field depends on the one that says what the document is, its title or purpose, since "Budget:
800000" means nothing without it; an action item is a task that requires the decision which it carries out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from marskg.clock import DAY_MS, MAX_MS
from marskg.drafts import Draft, EntityRef
from marskg.given_time import Moment
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Cardinality, Kind, TaskStatus
from marskg.sources import fields
from marskg.sources.fields import BadField
from marskg.sources.memora_layout import day_ms
from marskg.sources.memora_scribe import Scribe, readable, render

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

#: Fields whose values are people or bodies, with their part in the document.
_PARTIES = {
    "project_lead": "project lead",
    "attendees": "attendee",
    "recipient_list": "recipient",
    "stakeholders": "stakeholder",
}
#: The field that says what a document is: the first of these that it has, or else its first single value.
_TITLES = ("project_title", "meeting_title", "email_purpose", "main_message", "title", "name")
_TASKS = "action_items"
_DECISIONS = "key_decisions"

#: One step: what happens to a field, and the value that comes (``put``, ``add``) or goes (``drop``).
_Change: TypeAlias = "tuple[str, str, Any]"

_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_DUE_IN = late_regex(
    r"\b(?:within|in|by|due:?)\s+(?:the\s+next\s+)?\+?(\d{1,3}|one|two|three|four|five|six)\s+(day|week|month)s?",
    re.IGNORECASE,
)
_DUE_BY = late_regex(r"\bby\s+(?:the\s+)?(?:end\s+of\s+)?(?:the\s+)?(?:next\s+|this\s+)?(week|month)\b", re.IGNORECASE)
_DAYS = {"day": 1, "week": 7, "month": 30}

_HONORIFIC = late_regex(r"^(?:dr|prof|professor|mr|ms|mrs)\.?\s+", re.IGNORECASE)
_NAMED = late_regex(r"^(?P<name>[^,(:]+?)\s*(?:,\s*(?P<role>.+)|\((?P<note>[^()]*)\))?$")
_PERSON = late_regex(r"^[^\W\d_][\w'\u2019.-]*(?:\s+[^\W\d_][\w'\u2019.-]*){1,3}$")
#: Words that stand in the names of offices and bodies, and in nobody's own.
_OFFICES = (
    r"head|chief|directors?|managers?|leads?|officers?|presidents?|vp|c[efiot]o|advisors?|analysts?|engineers?|designers?|"
    r"researchers?|students|faculty|administrators?|coordinators?|specialists?|strategists?|writers?|consultants?|"
    r"owners?|representatives?|executives?|personas?"
)
_BODIES = (
    r"teams?|departments?|divisions?|boards?|committees?|groups?|agency|agencies|authority|council|unit|office|"
    r"partners?|clients?|associations?|alliance|networks?|regulators?|distributors?|faculty|leadership|affairs|"
    r"services|operations|marketing|finance|management"
)
_NO_NAME = late_regex(rf"\b(?:{_OFFICES}|{_BODIES}|and|of|for)\b", re.IGNORECASE)
_OFFICE = late_regex(rf"\b(?:{_OFFICES})\b", re.IGNORECASE)
_OFFICE_OF = late_regex(r"\b(?:head|director|vp|chief)\b(?:,|\s+of\b)", re.IGNORECASE)
_BODY = late_regex(rf"\b(?:{_BODIES})(?:\s*\(.*)?$", re.IGNORECASE)
_SHARED_WORDS = 2
_WORD = late_regex(r"[^\W\d_]{5,}")


@dataclass(slots=True)
class _Document:
    """The state of one document: its values, and the refs of the drafts that brought them."""

    label: str
    root: str | None = None
    values: dict[str, Any] = field(default_factory=dict)
    refs: dict[tuple[str, str], str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)


class Documents:
    """The documents of one persona as the trace has them so far."""

    def __init__(self) -> None:
        """Start without any."""
        self._documents: dict[str, _Document] = {}

    def write(self, scribe: Scribe, details: Mapping[str, Any]) -> None:
        """Add to ``scribe`` the drafts of one operation on a document.

        Raises:
            BadField: the details break the layout.
        """
        name = fields.as_text(fields.required(details, "item"), "operation_details.item")
        content = fields.as_object(fields.required(details, "content_data"), "operation_details.content_data")
        document = self._documents.setdefault(name, _Document(readable(name).capitalize()))
        for change in _declared(details, document.values):
            self._apply(scribe, name, change)
        for change in _differences(document.values, content):
            self._apply(scribe, name, change)

    def _apply(self, scribe: Scribe, name: str, change: _Change) -> None:
        document = self._documents[name]
        verb, field_name, value = change
        values = document.values
        text = render(value)
        if not text:
            return
        if verb == "drop":
            _forget(values, field_name, value)
            scribe.add(_removal(scribe, name, document, field_name, text))
            document.refs.pop((field_name, text), None)
            return
        cardinality = Cardinality.SET if verb == "add" else Cardinality.SINGLE
        draft = _Fields(scribe, name, document).draft(field_name, value, cardinality)
        if verb == "add":
            values[field_name] = [*values.get(field_name, []), value]
        else:
            values[field_name] = value
        if document.root is None and field_name == _title(values):
            document.root = draft.ref
        document.refs[field_name, text] = draft.ref
        scribe.add(draft)


@dataclass(frozen=True, slots=True)
class _Fields:
    """Makes the draft of one value of a document's field."""

    scribe: Scribe
    name: str
    document: _Document

    def draft(self, field_name: str, value: object, cardinality: Cardinality) -> Draft:
        """Return the draft of ``value``, by what its field is for."""
        text = render(value)
        root = self.document.root
        draft = replace(
            self.scribe.draft(text),
            content=_content(self.document, field_name, text),
            key=f"document/{self.name}/{field_name}",
            cardinality=cardinality,
            intent_tags=(re.sub(r"_\d+$", "", self.name),),
            depends_on=() if root is None else (root,),
        )
        if field_name in _PARTIES:
            return self._party(draft, field_name, text)
        if field_name == _TASKS:
            return self._task(draft, text)
        return self._statement(draft, field_name, value)

    def _statement(self, draft: Draft, field_name: str, value: object) -> Draft:
        concept = f"{readable(field_name)} of {self.document.label}"
        if isinstance(value, bool) or not isinstance(value, int | float):
            return replace(draft, payload={"concept": concept})
        amount = fields.as_number(value, f"operation_details.content_data.{field_name}")
        units = self.document.units
        unit = self.scribe.unit(amount) or units.get(field_name)
        if unit is None:
            return replace(draft, payload={"concept": concept, "amount": amount})
        units[field_name] = unit
        return replace(draft, payload={"concept": concept, "amount": amount, "unit": unit})

    @staticmethod
    def _party(draft: Draft, field_name: str, text: str) -> Draft:
        entity, role = party(text)
        return replace(
            draft,
            kind=Kind.SOCIAL,
            payload={
                "entity": entity.name,
                "relationship_type": _PARTIES[field_name],
                **({"attributes": (role,)} if role else {}),
            },
            mentions=(entity,),
        )

    def _task(self, draft: Draft, text: str) -> Draft:
        return replace(
            draft,
            kind=Kind.TASK,
            payload={"goal": text},
            status=TaskStatus.OPEN,
            deadline=due(text, self.scribe.session.day),
            requires=self._decision(text),
        )

    def _decision(self, text: str) -> tuple[str, ...]:
        """Return the decision that shares most words with the task ``text``, if two at least."""
        words = _words(text)
        shared = [
            (len(words & _words(decision)), -position, ref)
            for position, ((field_name, decision), ref) in enumerate(self.document.refs.items())
            if field_name == _DECISIONS
        ]
        best = max(shared, default=(0, 0, ""))
        return (best[2],) if best[0] >= _SHARED_WORDS else ()


def party(text: str) -> tuple[EntityRef, str | None]:
    """Return the person, office or body that ``text`` names, and the person's role where it says one.

    The name of a person stands without the honorific, which is kept as an alias: "Dr. Ada Byron, Head of Research"
    and "Ada Byron" are one person.
    """
    match = _NAMED.match(text)
    if match:
        full = match["name"].strip("* ")
        role = match["role"] or match["note"]
        name = _HONORIFIC.sub("", full)
        titled = name != full
        if (titled or role) and not _NO_NAME.search(name) and (titled or _PERSON.match(name)):
            return EntityRef(name, "person", aliases=(full,) if titled else ()), role
    is_role = _OFFICE_OF.search(text) or (_OFFICE.search(text) and not _BODY.search(text))
    return EntityRef(text, "role" if is_role else "organization"), None


def due(text: str, day: date) -> int | None:
    """Return when a task that was noted on ``day`` is due, the last second of that day, if ``text`` says it."""
    match = _DUE_IN.search(text)
    if match:
        count = _NUMBERS.get(match[1].lower()) or int(match[1])
        days = count * _DAYS[match[2].lower()]
    else:
        match = _DUE_BY.search(text)
        if match is None:
            return None
        days = _DAYS[match[1].lower()]
    return Moment(min(day_ms(day) + (days + 1) * DAY_MS - 1000, MAX_MS))


def _content(document: _Document, field_name: str, text: str) -> str:
    return f"{document.label}, {readable(field_name)}: {text}"


def _removal(scribe: Scribe, name: str, document: _Document, field_name: str, text: str) -> Draft:
    return replace(
        scribe.draft(text),
        action="retract",
        content=_content(document, field_name, text),
        key=f"document/{name}/{field_name}",
    )


def _declared(details: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[_Change]:
    """Yield the changes that the trace declares, as far as they do change ``values``, which the caller updates."""
    for list_name in ("memory_updates", "memory_deletes"):
        for position, item in enumerate(fields.as_list(details.get(list_name, []), f"operation_details.{list_name}")):
            where = f"operation_details.{list_name}[{position}]"
            step = fields.as_object(item, where)
            name = step.get("field")
            if not isinstance(name, str):
                msg = f'"{where}.field" is missing or no text; name the field of the document'
                raise BadField(msg)
            held = values.get(name)
            if "added_item" in step and isinstance(held, list | None) and step["added_item"] not in (held or []):
                yield "add", name, step["added_item"]
            elif "removed_item" in step and isinstance(held, list) and step["removed_item"] in held:
                yield "drop", name, step["removed_item"]
            else:
                new = step.get("updated_to", step.get("reverted_to"))
                if new is not None and held is not None and not isinstance(held, list) and new != held:
                    yield "put", name, new


def _differences(values: Mapping[str, Any], content: Mapping[str, Any]) -> Iterator[_Change]:
    """Yield what turns ``values`` into ``content``, the title first, so that the other fields can depend on it."""
    title = _title(content)
    for name in [*values, *sorted(content, key=lambda name: name != title)]:
        new = content.get(name)
        old = values.get(name)
        for item in old if isinstance(old, list) else []:
            if not isinstance(new, list) or item not in new:
                yield "drop", name, item
        if isinstance(new, list):
            for item in new:
                if item not in values.get(name, []):
                    yield "add", name, item
        elif old is not None and not isinstance(old, list) and new is None:
            yield "drop", name, old
        elif new is not None and new != old:
            yield "put", name, new


def _forget(values: dict[str, Any], field_name: str, value: object) -> None:
    held = values[field_name]
    left = [item for item in held if item != value] if isinstance(held, list) else []
    if left:
        values[field_name] = left
    else:
        del values[field_name]


def _title(values: Mapping[str, Any]) -> str | None:
    """Return the name of the field that says what a document is."""
    for name in _TITLES:
        if isinstance(values.get(name), str):
            return name
    return next((name for name, value in values.items() if isinstance(value, str)), None)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}
