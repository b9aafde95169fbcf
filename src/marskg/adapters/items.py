"""Items of a foreign store as keys of memories, and filters on their values; no framework is imported here.

Guarantees: two items have the same key only if they have the same namespace and name, also where these look alike, as a
key is written in what :func:`~marskg.text.as_key` leaves as it is; a namespace's key is a prefix of those of its items
and of the namespaces below it, and of nothing else. Source: filters as LangGraph's stores have them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import ge, gt, le, lt
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import unquote

from marskg.errors import InvalidInput

#: Sets the name of an item apart from the parts of namespaces: quoted, none begins with it.
_NAME: Final = "="
#: Bytes that stand for themselves.
_PLAIN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-._~")
_ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {
        "$gt": gt,
        "$gte": ge,
        "$lt": lt,
        "$lte": le,
    }
)


def key_of(root: str, namespace: Sequence[str], name: str | None = None) -> str:
    """Return the key of an item below ``root``, or without ``name`` the prefix of all keys of the namespace."""
    parts = [root, *map(_quoted, namespace)]
    return "/".join(parts if name is None else [*parts, _NAME + _quoted(name)])


def _quoted(part: str) -> str:
    """Return a part of a key with all but small letters, digits and four signs as ``%`` and two digits a byte."""
    return "".join(chr(one) if one in _PLAIN else f"%{one:02x}" for one in part.encode())


def item_of(root: str, key: str) -> tuple[tuple[str, ...], str] | None:
    """Return namespace and name of the item that has this key; None where it is no item's."""
    first, *parts, last = key.split("/") if "/" in key else (key, "")
    if first != root or not last.startswith(_NAME):
        return None
    return tuple(unquote(part) for part in parts), unquote(last.removeprefix(_NAME))


def holds(value: object, wanted: object) -> bool:
    """Return whether a value is what a filter asks for: equal, or by its operators; objects by the names they ask for.

    Raises:
        InvalidInput: an operator is unknown.
    """
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compares(value, str(operator), limit) for operator, limit in wanted.items())
        return isinstance(value, Mapping) and all(holds(value.get(name), one) for name, one in wanted.items())
    if isinstance(wanted, list | tuple):
        return isinstance(value, list) and len(value) == len(wanted) and all(map(holds, value, wanted))
    return value == wanted


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
