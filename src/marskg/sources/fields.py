"""Typed reading of JSON fields, with messages that name the field, the rule and the way out.

Guarantees: a value that is returned has exactly the type asked for (a bool is no number), times are epoch
milliseconds between 1970 and 9999, texts hold more than white space. No message quotes a value.
"""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from marskg.clock import MAX_MS
from marskg.drafts import json_object
from marskg.errors import InvalidInput, InvalidMemory
from marskg.given_time import Moment
from marskg.ontology.mapping import exactly
from marskg.unseen import SURROGATE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal
    from enum import StrEnum

    from marskg.json_object import JsonObject

    Term = TypeVar("Term", bound=StrEnum)

#: A number below this is in seconds (as one it lies before the year 5139), any other in milliseconds (from 1973 on).
_SECONDS_BELOW = 100_000_000_000


class BadField(Exception):
    """A field breaks a rule; the message names it and the way out, for a caller to say where."""


def required(values: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - a JSON value; callers check its type
    """Return the field ``name``, which must be there and not null."""
    value = values.get(name)
    if value is None:
        msg = f'"{name}" is missing; add it'
        raise BadField(msg)
    return value


def as_text(value: object, name: str) -> str:
    """Return ``value`` as a text that is not blank."""
    if not isinstance(value, str):
        msg = f'"{name}" must be a text, and is {_kind(value)}; put it in quotes'
        raise BadField(msg)
    if not value.strip():
        msg = f'"{name}" is blank; write something or leave the line out'
        raise BadField(msg)
    if SURROGATE.search(value):
        msg = f'"{name}" has half of a sign, a lone surrogate; decode the text as UTF-16'
        raise BadField(msg)
    return value


def as_texts(value: object, name: str) -> tuple[str, ...]:
    """Return ``value``, a list of texts or one text, in its order without repeats."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)):
        msg = f'"{name}" must be a list of texts, and is {_kind(value)}'
        raise BadField(msg)
    return tuple(dict.fromkeys(as_text(item, name) for item in items))


def as_json(value: object, name: str) -> JsonObject | None:
    """Return ``value`` as the free JSON of a memory; None where there is none."""
    try:
        return None if value is None else json_object(name, value)
    except InvalidMemory as error:
        raise BadField(str(error)) from error


def as_object(value: object, name: str) -> dict[str, Any]:
    """Return ``value`` as an object."""
    if not isinstance(value, dict):
        msg = f'"{name}" must be an object, and is {_kind(value)}'
        raise BadField(msg)
    return value


def as_list(value: object, name: str) -> list[Any]:
    """Return ``value`` as a list."""
    if not isinstance(value, (list, tuple)):
        msg = f'"{name}" must be a list, and is {_kind(value)}'
        raise BadField(msg)
    return list(value)


def as_number(value: object, name: str, low: float | None = None, high: float | None = None) -> float:
    """Return ``value`` as a number from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f'"{name}" must be a number, and is {_kind(value)}; write it without quotes'
        raise BadField(msg)
    if (low is not None and value < low) or (high is not None and value > high):
        msg = f'"{name}" must lie between {low} and {high}'
        raise BadField(msg)
    try:
        return float(value)
    except OverflowError as error:
        msg = f'"{name}" is beyond the range of a double; write a smaller number'
        raise BadField(msg) from error


def as_exact(value: object, name: str) -> float | Decimal:
    """Return ``value``, a number or the text of one, with all its digits."""
    try:
        return exactly(value)
    except ValueError as error:
        msg = f'"{name}" {error}'
        raise BadField(msg) from None


def as_integer(value: object, name: str) -> int:
    """Return ``value`` as a whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        msg = f'"{name}" must be a whole number, and is {_kind(value)}'
        raise BadField(msg)
    return value


def as_flag(value: object, name: str) -> bool:
    """Return ``value`` as true or false."""
    if not isinstance(value, bool):
        msg = f'"{name}" must be true or false, and is {_kind(value)}'
        raise BadField(msg)
    return value


def as_term(value: object, name: str, terms: type[Term]) -> Term:
    """Return ``value`` as one of ``terms``."""
    try:
        return terms(as_text(value, name))
    except ValueError as error:
        msg = f'"{name}" is not one of {", ".join(terms)}; use one of these'
        raise BadField(msg) from error


def as_moment(value: object, name: str) -> Moment:
    """Return ``value``, an ISO 8601 text with a zone or a number of (milli)seconds since 1970, as milliseconds."""
    if isinstance(value, str):
        try:
            return Moment.parse(value)
        except InvalidInput as error:
            msg = f'"{name}" {error}'
            raise BadField(msg) from error
    if isinstance(value, datetime):
        return as_moment(value.isoformat(), name)
    number = as_number(value, name)
    if not math.isfinite(number):
        msg = f'"{name}" is no time; give the time in seconds or milliseconds since 1970, or as ISO 8601'
        raise BadField(msg)
    moment = round(number * 1000) if abs(number) < _SECONDS_BELOW else round(number)
    if not 0 <= moment <= MAX_MS:
        msg = f'"{name}" lies outside the years 1970 to 9999; give the time in seconds or milliseconds since 1970'
        raise BadField(msg)
    return Moment(moment)


def _kind(value: object) -> str:
    """Return what JSON calls the type of ``value``, with its article."""
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    return "null" if value is None else names.get(type(value), f"a {type(value).__name__[:60]}")
