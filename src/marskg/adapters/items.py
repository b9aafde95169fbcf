"""Filters on the values of items of a foreign store; no framework is imported here.

What their keys are is told by :mod:`marskg.ontology.key_forms`. Source: filters as LangGraph's stores have them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import ge, gt, le, lt
from types import MappingProxyType
from typing import Any, Final

from marskg.errors import InvalidInput

_ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {
        "$gt": gt,
        "$gte": ge,
        "$lt": lt,
        "$lte": le,
    }
)


def holds(value: object, wanted: object) -> bool:
    """Return whether a value is what a filter asks for: equal, or by its operators; objects by the names they ask for.

    A name that an object does not have leads into it by its dots.

    Raises:
        InvalidInput: an operator is unknown.
    """
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compares(value, str(operator), limit) for operator, limit in wanted.items())
        return isinstance(value, Mapping) and all(holds(at(value, name), one) for name, one in wanted.items())
    if isinstance(wanted, list | tuple):
        return isinstance(value, list) and len(value) == len(wanted) and all(map(holds, value, wanted))
    return value == wanted


def at(value: Mapping[str, Any], path: str, missing: object = None) -> object:
    """Return what an object has at ``path``, which is a name, or names with dots between them; else ``missing``."""
    if path in value:
        return value[path]
    dots = (place for place, one in enumerate(path) if one == ".")
    inside = ((value.get(path[:dot]), path[dot + 1 :]) for dot in dots)
    found = (at(one, rest, missing) for one, rest in inside if isinstance(one, Mapping))
    return next((one for one in found if one is not missing), missing)


def _compares(value: object, operator: str, limit: object) -> bool:
    if operator in {"$eq", "$ne"}:
        return (value == limit) is (operator == "$eq")
    order = _ORDERS.get(operator)
    if order is None:
        msg = f"filter: operator {operator[:40]!r} is unknown; known are $eq, $ne, {', '.join(_ORDERS)}"
        raise InvalidInput(msg)
    numbers = _number(value), _number(limit)
    return None not in numbers and order(*numbers)


def _number(value: object) -> float | None:
    """Return what is compared: numbers, and texts that say one; None for what has no place in their order."""
    if not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None
