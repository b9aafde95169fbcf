"""JSON as RFC 8259 has it, without the readings on which parsers differ.

Guarantees: what is accepted means the same to every parser: UTF-8, no repeated names in an object, no NaN or Infinity,
no number beyond a double's range, no lone surrogates. Whatever is wrong comes as :class:`BadJson`, whose text says
where but quotes no value.
Sources: RFC 8259 sections 4, 6, 8; RFC 7493 (I-JSON) section 2.
"""

from __future__ import annotations

import json
import math
from typing import Any

from marskg.unseen import SURROGATE

_BOM = "\ufeff"


class BadJson(Exception):
    """The text breaks a rule; the message is the rule and the way out, for a caller to say in which file."""


def parse(data: bytes) -> Any:  # noqa: ANN401 - a JSON value; callers check its type
    """Return the value of the JSON text ``data``; a byte order mark before it is let pass.

    Raises:
        BadJson: the text is no JSON, or is JSON that parsers read differently.
    """
    try:
        text = data.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as error:
        msg = f"byte {error.start + 1} is not UTF-8; save the file as UTF-8"
        raise BadJson(msg) from error
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_number)
    except json.JSONDecodeError as error:
        msg = f"it is not JSON at column {error.colno} ({error.msg}); it may be cut off or lack a quote or comma"
        raise BadJson(msg) from error
    except RecursionError as error:
        msg = "it is nested too deeply; flatten it"
        raise BadJson(msg) from error
    except ValueError as error:  # an integer with more digits than Python converts
        msg = "it holds a number that is too long; write it with fewer digits"
        raise BadJson(msg) from error
    if "\\u" in text:  # UTF-8 cannot carry a lone surrogate, an escape can
        _refuse_surrogates(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        msg = f"the name {repeated[:40]!r} stands twice in one object; keep one of them"
        raise BadJson(msg)
    return found


def _constant(name: str) -> None:
    msg = f"{name} is no JSON number; write a finite number or leave the field out"
    raise BadJson(msg)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        msg = "it holds a number beyond the range of a double; write a finite number"
        raise BadJson(msg)
    return value


def _refuse_surrogates(value: object) -> None:
    """Raise if any text in ``value`` holds half of a surrogate pair; without recursion, as depth is the sender's."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, str) and SURROGATE.search(item):
            msg = "it holds a lone surrogate (half of a \\uD8xx\\uDCxx pair); write the whole character"
            raise BadJson(msg)
