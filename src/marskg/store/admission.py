"""What a write must pass before a transaction is opened: the payload's types, ranges and sizes.

Guarantees: a draft that passes can be stored, exported and read back unchanged; decimals are quantised to 1e-6, sets
are sorted without repeats; the errors name the field, the rule and the way out, never the content.
Sources: semantics section 1; MaRS sections 3.2.1-3.2.4; MemoryArchitect II (classes and their lives).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from marskg.clock import MAX_MS
from marskg.errors import InvalidInput, InvalidMemory, MemoryTooLarge
from marskg.ontology.mapping import quantise
from marskg.ontology.vocabulary import (
    PAYLOAD_FIELDS,
    Cardinality,
    Datatype,
    Field,
    Kind,
    MemoryClass,
    SourceType,
    TaskStatus,
)
from marskg.store.allowances import holders_of
from marskg.text import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.drafts import Draft
    from marskg.records import Value

_SURROGATE = re.compile("[\ud800-\udfff]")
_IRI = re.compile(r"^[a-z][a-z0-9+.-]*:[^\s<>\"{}|\\^`\x00-\x20]+$", re.IGNORECASE)
#: Longer keys would not fit an index page of either engine.
MAX_NAME = 1000
#: Bytes of one text of a set.
_MOST_IN_SET = 100_000
#: Bits of an integer up to which a message shows it.
_MOST_BITS = 128
#: Sensitivity from which a memory without a class of its own is private.
PRIVATE_FROM = 0.7


def check_text(name: str, value: object, *, limit: int = MAX_NAME) -> str:
    """Return ``value`` as a text that every door can carry.

    Raises:
        InvalidMemory: no string, blank, too long, or with a lone surrogate.
    """
    if not isinstance(value, str):
        msg = f"{name} must be a string, not {type(value).__name__}"
        raise InvalidMemory(msg)
    if not value.strip():
        msg = f"{name} is empty or blank; leave it out or give it a text"
        raise InvalidMemory(msg)
    # A character takes at most four bytes, so that short texts need not be encoded to be measured.
    if 4 * len(value) > limit and len(value.encode("utf-8", "surrogatepass")) > limit:
        msg = f"{name} is longer than {limit} bytes; shorten it or split it into several memories"
        raise InvalidMemory(msg)
    match = _SURROGATE.search(value)
    if match:
        msg = (
            f"{name} has a lone surrogate U+{ord(match[0]):04X} at position {match.start()}; decode the text as UTF-16"
        )
        raise InvalidMemory(msg)
    if "\x00" in value:
        msg = f"{name} has a NUL character at position {value.index(chr(0))}; remove it"
        raise InvalidMemory(msg)
    return value


def check_name(name: str, value: object, *, limit: int = MAX_NAME) -> str:
    """Return ``value`` as a text that names something: compared, it is not empty.

    Raises:
        InvalidMemory: as :func:`check_text`, or all its characters are ones that are not seen.
    """
    text = check_text(name, value, limit=limit)
    if not text.isascii() and not plain(text):
        msg = f"{name} has only characters that are not seen, and a name needs one that is; write it with letters"
        raise InvalidMemory(msg)
    return text


def check_names(name: str, values: object) -> tuple[str, ...]:
    """Return ``values`` as :func:`check_set` does, each of which names something.

    Raises:
        InvalidMemory: as :func:`check_set`, or one has only characters that are not seen.
    """
    return tuple(check_name(name, value, limit=_MOST_IN_SET) for value in check_set(name, values))


def check_number(
    name: str, value: object, low: float | None, high: float | None, *, error: type[InvalidInput] = InvalidMemory
) -> float:
    """Return ``value`` as a finite decimal within its range, quantised to 1e-6.

    Args:
        name: what the message calls it.
        value: what was given.
        low: the least that it may be.
        high: the most that it may be.
        error: what to raise for something that is no part of a memory.

    Raises:
        InvalidMemory: no number, NaN, infinite or out of range.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not _is_finite(value):
        msg = (
            f"{name} must be a finite number, not {_shown(value)}" if _is_number(value) else f"{name} must be a number"
        )
        raise error(msg)
    if (low is not None and value < low) or (high is not None and value > high):
        msg = f"{name} is {_shown(value)}, outside [{low}, {high}]"
        raise error(msg)
    return quantise(float(value))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer larger than any float
        return False


def _shown(value: object) -> str:
    """Return a number as a message shows it: Python itself refuses to write the digits of the largest."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"an integer of {value.bit_length():,} bits"
    return str(value)


def check_integer(
    name: str, value: object, low: int = -(2**53), high: int = 2**53, *, error: type[InvalidInput] = InvalidMemory
) -> int:
    """Return ``value`` as an integer within its range; what is no part of a memory has another ``error``.

    Raises:
        InvalidMemory: no integer, or out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        msg = f"{name} must be an integer, not {type(value).__name__}"
        raise error(msg)
    if not low <= value <= high:
        msg = f"{name} is {_shown(value)}, outside [{low}, {high}]"
        raise error(msg)
    return value


def check_time(name: str, value: object) -> int:
    """Return ``value`` as epoch milliseconds between 1970 and the year 9999."""
    return check_integer(name, value, 0, MAX_MS)


def check_set(name: str, values: object) -> tuple[str, ...]:
    """Return ``values`` as a sorted tuple of texts without repeats.

    Raises:
        InvalidMemory: a single string, or an item that is no text.
    """
    if isinstance(values, tuple) and not values:
        return values
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        msg = f"{name} must be a list of strings, not {type(values).__name__}"
        raise InvalidMemory(msg)
    return tuple(sorted({check_text(name, value, limit=_MOST_IN_SET) for value in values}))


def check_iri(name: str, value: object) -> str:
    """Return ``value`` as an absolute IRI.

    Raises:
        InvalidMemory: relative, or with characters that no IRI has.
    """
    text = check_text(name, value)
    if not _IRI.match(text):
        msg = f"{name} must be an absolute IRI such as https://example.org/x, without blanks or angle brackets"
        raise InvalidMemory(msg)
    return text


def check_payload(kind: Kind, payload: Mapping[str, Any]) -> dict[str, Value]:
    """Return the payload with each field checked against the type that its kind gives it.

    Raises:
        InvalidMemory: an unknown field, or a value of the wrong type or range.
    """
    fields = {field.name: field for field in PAYLOAD_FIELDS[kind]}
    unknown = sorted(set(payload) - set(fields))
    if unknown:
        msg = f"payload field {unknown[0]!r} is unknown to {kind} memories; known are {', '.join(fields)}"
        raise InvalidMemory(msg)
    checked = {}
    for name, value in payload.items():
        if value is not None and value not in ((), []):
            checked[name] = _payload_value(fields[name], value)
    return checked


def _payload_value(field: Field, value: object) -> Value:
    name = f"payload field {field.name!r}"
    if field.many:
        return check_set(name, value)
    if field.datatype is Datatype.DECIMAL:
        return check_number(name, value, field.low, field.high)
    if field.datatype is Datatype.DATETIME:
        return check_time(name, value)
    if field.datatype is Datatype.INTEGER:
        return check_integer(name, value)
    return check_text(name, value, limit=100_000)


def check_draft(draft: Draft, max_content_bytes: int) -> None:
    """Check everything of a draft that needs no database.

    Raises:
        InvalidMemory: the first thing that cannot be stored.
    """
    if draft.action == "remember" or draft.content:  # an ending may name a key alone
        check_text("content", draft.content, limit=max_content_bytes)
    _check_times(draft)
    if draft.sensitivity is not None:
        check_number("sensitivity", draft.sensitivity, 0, 1)
    if draft.reliability is not None:
        check_number("reliability", draft.reliability, 0, 1)
    if draft.session is not None:
        check_name("session", draft.session)
    for name in ("key", "source_ref", "jurisdiction"):
        value = getattr(draft, name)
        if value is not None:
            check_text(name, value)
    check_names("subjects", draft.subjects)
    check_set("intent_tags", draft.intent_tags)
    check_set("purpose", draft.purpose)
    if draft.session_bound and draft.session is None:
        msg = "session_bound is set without a session; name it with session=, or leave session_bound out"
        raise InvalidMemory(msg)
    if draft.score is not None:
        check_integer("score", draft.score, 0, 100)
    if draft.cardinality is not None and draft.key is None:
        msg = "cardinality is given without a key; name the slot with key=, or leave cardinality out"
        raise InvalidMemory(msg)
    _check_task_fields(draft)
    _check_mentions(draft)


def _check_times(draft: Draft) -> None:
    check_time("at", draft.at)
    if draft.expires_at is not None:
        check_time("expires_at", draft.expires_at)
    if draft.valid_to is not None and check_time("valid_to", draft.valid_to) <= draft.at:
        msg = f"valid_to {draft.valid_to} is not after {draft.at}, when it became true; give a later time or none"
        raise InvalidMemory(msg)


def _check_mentions(draft: Draft) -> None:
    for mention in draft.mentions:
        check_name("entity name", mention.name)
        check_names("entity aliases", mention.aliases)
        for iri in mention.same_as:
            check_iri("same_as", iri)


def _check_task_fields(draft: Draft) -> None:
    if draft.kind is Kind.TASK:
        if draft.priority is not None:
            check_integer("priority", draft.priority)
        if draft.deadline is not None:
            check_time("deadline", draft.deadline)
        return
    for name in ("status", "priority", "deadline"):
        if getattr(draft, name) is not None:
            msg = f"{name} belongs to task memories; this one is {draft.kind}"
            raise InvalidMemory(msg)
    if draft.requires:
        msg = f"requires belongs to task memories; this one is {draft.kind}: use depends_on"
        raise InvalidMemory(msg)


def class_of(draft: Draft, sensitivity: float) -> MemoryClass:
    """Return the class of a draft by rule (semantics section 1); one that the caller gave wins.

    Sensitive memories are private; tasks, people and keyed facts and documents are canonical, because their own state
    ends them; what is left, episodes and loose facts, is factual.
    """
    if draft.memory_class is not None:
        return draft.memory_class
    if sensitivity >= PRIVATE_FROM:
        return MemoryClass.PRIVATE
    durable = draft.kind in {Kind.TASK, Kind.SOCIAL} or draft.key is not None or draft.source_type is SourceType.DOC
    return MemoryClass.CANONICAL if durable else MemoryClass.FACTUAL


def default_status(draft: Draft) -> TaskStatus | None:
    """Return the status of a new task, None for other kinds."""
    if draft.kind is not Kind.TASK:
        return None
    return draft.status or TaskStatus.OPEN


def cardinality_of(draft: Draft) -> Cardinality | None:
    """Return how the values of the draft's key live together; single unless said otherwise."""
    if draft.key is None:
        return None
    return draft.cardinality or Cardinality.SINGLE


def ids_of(values: object, name: str = "a list of ids") -> tuple[str, ...]:
    """Return ids given one or many, without repeats, in order.

    Raises:
        InvalidMemory: they are no strings.
    """
    if isinstance(values, str):
        values = (values,)
    found = tuple(values) if isinstance(values, Iterable) else (values,)
    for value in found:
        if not isinstance(value, str):
            msg = f"{name} holds a {type(value).__name__}; give one string, or a list of strings"
            raise InvalidMemory(msg)
    return tuple(dict.fromkeys(found))


def check_fits(weight: int, budget: int) -> None:
    """Refuse a memory that is heavier than the whole budget.

    Raises:
        MemoryTooLarge: always when ``weight > budget``.
    """
    if weight > budget:
        msg = f"the memory weighs {weight} tokens, the whole budget is {budget}; shorten it or raise the budget"
        raise MemoryTooLarge(msg)


def check_allowed(weight: int, budgets: Mapping[str, int], subjects: Iterable[str], session: str | None) -> None:
    """Refuse a memory that is heavier than the whole budget of a person it is about, or of its session.

    Raises:
        MemoryTooLarge: it can never be held.
    """
    for holder in holders_of(subjects, session):
        budget = budgets.get(holder.sort, weight)
        if weight > budget:
            msg = (
                f"the memory weighs {weight} tokens, partitions.{holder.sort}_budget is {budget}; shorten it or raise "
                "the budget"
            )
            raise MemoryTooLarge(msg)
