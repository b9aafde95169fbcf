"""What a write must pass before a transaction is opened: the payload's types, ranges and sizes.

Guarantees: a draft that passes can be stored, exported and read back unchanged; decimals are quantised to 1e-6 where
they are not exact, sets are sorted without repeats; the errors name the field, the rule and the way out, never the
content.
Sources: semantics section 1; MaRS sections 3.2.1-3.2.4; MemoryArchitect II (classes and their lives).
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from marskg.clock import MAX_MS
from marskg.drafts import Draft, enumeration, in_milliseconds, json_object
from marskg.errors import InvalidInput, InvalidMemory, MemoryTooLarge
from marskg.json_object import MOST
from marskg.late_regex import late_regex
from marskg.ontology.fields import GIVEN_FIELDS, PAYLOAD_FIELDS, Field
from marskg.ontology.mapping import exactly, quantise
from marskg.ontology.vocabulary import Cardinality, Datatype, Kind, TaskStatus
from marskg.shapes.gate import is_iri
from marskg.store.unit.quotas import holders_of
from marskg.text import as_key, plain
from marskg.unseen import BRAILLE_BLANK, SURROGATE, UNSEEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from decimal import Decimal

    from marskg.records import Value

#: The joiners are no letters, though letters need them.
_SEEN = late_regex(f"[^\\s\u200c\u200d{BRAILLE_BLANK}{UNSEEN}]")
#: What the key of a proposal in the review begins with (:mod:`marskg.learning.from_text.waiting`).
REVIEW_PREFIX: Final = "proposed/"
#: Longer keys would not fit an index page of either engine.
MAX_NAME = 1000
#: Bytes of one text of a set.
_MOST_IN_SET = 100_000
#: Bytes of an answer, a question, a complaint or a wish.
MOST_SAID: Final = 1 << 20
#: What of a draft may be None: whoever gives none gets what is usual.
_OPTIONAL: Final = frozenset(one.name for one in fields(Draft) if one.default is None or one.default is False)
#: Bits of an integer up to which a message shows it.
_MOST_BITS = 128


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
    match = SURROGATE.search(value)
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
    name: str, value: object, low: float = -MOST, high: float = MOST, *, error: type[InvalidInput] = InvalidMemory
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
    if not low <= value <= high:
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
    name: str, value: object, low: int = -MOST, high: int = MOST, *, error: type[InvalidInput] = InvalidMemory
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


def check_flag(name: str, value: object) -> bool:
    """Return ``value`` as it is, which is true or false.

    Raises:
        InvalidMemory: it is neither.
    """
    if not isinstance(value, bool):
        msg = f"{name} must be true or false, not {type(value).__name__}"
        raise InvalidMemory(msg)
    return value


def check_time(name: str, value: object) -> int:
    """Return ``value``, in any of the ways in which a caller names a time, as epoch milliseconds from 1970 to 9999."""
    return check_integer(name, in_milliseconds(name, value), 0, MAX_MS)


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
        InvalidMemory: relative, or not as RFC 3987 writes one.
    """
    text = check_text(name, value)
    if not is_iri(text):
        msg = f"{name} must be an absolute IRI such as https://example.org/x, other characters as %20 and the like"
        raise InvalidMemory(msg)
    return text


def check_payload(kind: Kind, payload: Mapping[str, Any]) -> dict[str, Value]:
    """Return the payload with each field checked against the type that its kind gives it.

    Raises:
        InvalidMemory: an unknown field, or a value of the wrong type or range.
    """
    known = {field.name: field for field in PAYLOAD_FIELDS[kind]}
    unknown = sorted(set(payload) - set(known))
    if unknown:
        msg = f"payload field {unknown[0]!r} is unknown to {kind} memories; known are {', '.join(known)}"
        raise InvalidMemory(msg)
    found = {}
    for name, value in payload.items():
        if value is not None and not (isinstance(value, (tuple, list)) and not value):
            found[name] = checked(known[name], value, f"payload field {name!r}", limit=_MOST_IN_SET)
    return found


def checked(field: Field, value: object, name: str, *, limit: int = MAX_NAME) -> Any:
    """Return a value of ``field``, which messages call ``name``, in the form in which it is stored.

    Raises:
        InvalidMemory: the field does not take it; a text has more than ``limit`` bytes.
    """
    if field.many:
        found = check_names(name, value) if field.named else check_set(name, value)
        return tuple(check_iri(name, one) for one in found) if field.datatype is Datatype.IRI else found
    match field.datatype:
        case Datatype.DECIMAL:
            return _exact(name, value) if field.digits else check_number(name, value, field.low, field.high)
        case Datatype.DATETIME:
            return check_time(name, value)
        case Datatype.INTEGER:
            return check_integer(name, value, field.low, field.high)
        case Datatype.BOOLEAN:
            return check_flag(name, value)
        case Datatype.TERM if field.term is not None:
            return enumeration(field.term, name, value)
        case Datatype.IRI | Datatype.JSON:
            return (check_iri if field.datatype is Datatype.IRI else json_object)(name, value)
    return check_name(name, value, limit=limit) if field.named else check_text(name, value, limit=limit)


def _exact(name: str, value: object) -> float | Decimal:
    try:
        return exactly(value)
    except ValueError as error:
        msg = f"{name} {error}"
        raise InvalidMemory(msg) from None


def given(draft: Draft) -> dict[str, Any]:
    """Return what a checked draft gives of a memory's fields, by their names, in the form in which it is stored.

    The key is that of all that look like it (:func:`~marskg.text.as_key`).
    """
    values = ((field, getattr(draft, field.name)) for field in GIVEN_FIELDS)
    return {field.name: _stored(field, value) for field, value in values if value is not None}


def _stored(field: Field, value: Any) -> Any:
    if field.many:
        return tuple(sorted(set(value)))
    if field.name == "key":
        return as_key(value)
    return quantise(value) if field.datatype is Datatype.DECIMAL else value


def check_draft(draft: Draft, max_content_bytes: int) -> None:
    """Check everything of a draft that needs no database.

    Raises:
        InvalidMemory: the first thing that cannot be stored.
    """
    if draft.action == "remember" or draft.content:  # an ending may name a key alone
        text = check_text("content", draft.content, limit=max_content_bytes)
        if not _SEEN.search(text):
            msg = "content has only characters that are not seen; write it with letters"
            raise InvalidMemory(msg)
    for field in GIVEN_FIELDS:
        value = getattr(draft, field.name)
        if value is not None or field.name not in _OPTIONAL:
            checked(field, value, field.name)
    check_time("at", draft.at)
    if draft.valid_to is not None and draft.valid_to <= draft.at:
        msg = f"valid_to {draft.valid_to} is not after {draft.at}, when it became true; give a later time or none"
        raise InvalidMemory(msg)
    if draft.session_bound and draft.session is None:
        msg = "session_bound is set without a session; name it with session=, or leave session_bound out"
        raise InvalidMemory(msg)
    if draft.key is not None and check_text("key", as_key(draft.key)).startswith(REVIEW_PREFIX):
        msg = f"keys that begin with {REVIEW_PREFIX} are those of what waits in the review; give another key"
        raise InvalidMemory(msg)
    _check_mentions(draft)


def _check_mentions(draft: Draft) -> None:
    for mention in draft.mentions:
        check_name("entity name", mention.name)
        check_names("entity aliases", mention.aliases)
        for iri in mention.same_as:
            check_iri("same_as", iri)


def default_status(draft: Draft) -> TaskStatus | None:
    """Return the status of a draft: a task is open unless said otherwise."""
    return draft.status or (TaskStatus.OPEN if draft.kind is Kind.TASK else None)


def cardinality_of(draft: Draft) -> Cardinality | None:
    """Return how the values of the draft's key live together, single unless said otherwise; the gate asks for a key."""
    return draft.cardinality or (None if draft.key is None else Cardinality.SINGLE)


def ids_of(values: Iterable[str] | str) -> tuple[str, ...]:
    """Return ids given one or many, without repeats, in order."""
    return (values,) if isinstance(values, str) else tuple(dict.fromkeys(values))


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
