"""The forms of keys that hold other texts: what they say as it was given, wherever texts of a memory are looked at.

An adapter that puts names of its own into a key has its form here, below everything that reads texts, so that nothing
has to know the adapter to know what its keys say.

Guarantees: two items have the same key only if they have the same namespace and name, also where these look alike, as a
key is written in what :func:`~marskg.text.as_key` leaves as it is; a namespace's key is a prefix of those of its items
and of the namespaces below it, and of nothing else. Pure functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: Sets the name of an item apart from the parts of namespaces: quoted, none begins with it.
_NAME: Final = "="
_QUOTED: Final = late_regex("%[0-9A-Fa-f]{2}")
#: Bytes that stand for themselves.
_PLAIN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-._~")


def item_key(root: str, namespace: Sequence[str], name: str | None = None) -> str:
    """Return the key of an item below ``root``, or without ``name`` the prefix of all keys of the namespace."""
    parts = [root, *map(_quoted, namespace)]
    return "/".join(parts if name is None else [*parts, _NAME + _quoted(name)])


def _quoted(part: str) -> str:
    """Return a part of a key with all but small letters, digits and four signs as ``%`` and two digits a byte."""
    return "".join(chr(one) if one in _PLAIN else f"%{one:02x}" for one in part.encode())


def item_of(root: str, key: str) -> tuple[tuple[str, ...], str] | None:
    """Return namespace and name of the item that has this key; None where it is no item's."""
    found = _item(key)
    return None if found is None or found[0] != root else (found[1], found[2])


def is_items(key: str) -> bool:
    """Return whether a key is that of an item, of whatever root: it is one, whomever it is about."""
    return _item(key) is not None


def name_said(entry: str) -> Iterator[str]:
    """Yield the name or the IRI that an entry of a memory gives an entity (:mod:`marskg.store.rows.names_given`)."""
    yield entry.split(" ", 2)[-1]


def texts_of_key(key: str) -> Iterator[str]:
    """Yield what a key says: of an item its namespace and its name; otherwise itself, and what is quoted in it."""
    found = _item(key)
    if found is not None:
        yield from (*found[1], found[2])
        return
    yield key
    if _QUOTED.search(key):
        yield unquote(key)


def rewritten_key(key: str, rewrite: Callable[[str], str]) -> str:
    """Return a key with each text that it says rewritten, in the same form."""
    found = _item(key)
    if found is not None:
        return item_key(found[0], [rewrite(part) for part in found[1]], rewrite(found[2]))
    said = unquote(key)
    seen = rewrite(said)
    return key if seen == said else seen


def _item(key: str) -> tuple[str, tuple[str, ...], str] | None:
    """Return root, namespace and name of an item's key; None of any other."""
    first, *parts, last = key.split("/") if "/" in key else (key, "")
    if not last.startswith(_NAME):
        return None
    return first, tuple(unquote(part) for part in parts), unquote(last.removeprefix(_NAME))
