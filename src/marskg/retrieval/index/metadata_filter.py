"""Conditions on the free JSON of memories: what a path has to be or to contain, or between which bounds it has to lie.

Guarantees: the same conditions are asked of words in the index, for all memories at once, and of a single memory;
numbers, texts and truth values are never taken for one another. An object is found by its leaves: ``{"a": {"b": 1}}``
asks what ``{"a.b": 1}`` asks, and so what it contains; lists are compared whole, or asked for their items. The errors
name the rule, never a path or a value.
"""

from __future__ import annotations

import json
import operator
from hashlib import blake2b
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from marskg.errors import InvalidInput
from marskg.json_object import JsonObject, UnfitJsonError, canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

#: Between path and value; canonical JSON has no control characters.
_BETWEEN: Final = "\x1f"
#: Before an item of a list; no canonical JSON begins with it.
_ITEM: Final = "@"
#: Characters of a path that a word repeats. Each leaf has its whole path: 16 KiB can name 1,000 leaves by 8 KiB each.
_LONGEST: Final = 64
#: Of what lies within bounds.
RANGES: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}
)
#: Of lists that have an item, or each of several.
CONTAINS: Final = "$contains"
_EQUAL: Final = ""
#: Of what is there at all; nobody asks for it in a filter.
_THERE: Final = "there"
_KNOWN: Final = ", ".join(RANGES)


def words_of(found: JsonObject) -> list[str]:
    """Return the words under which the index finds an object: one for each leaf, and one for each item of a list."""
    return sorted({word for path, value in found.leaves() for word in _words(path, value)})


def _words(path: str, value: object) -> Iterator[str]:
    yield _word(path, canonical_json(value))
    for item in value if isinstance(value, list) else ():
        yield _word(path, _ITEM + canonical_json(item))


def _word(path: str, text: str) -> str:
    return f"{_short(path)}{_BETWEEN}{text}"


def _short(path: str) -> str:
    """Return what stands for a path in words: itself, or after a NUL, which names have not, its digest."""
    return path if len(path) <= _LONGEST else f"\0{blake2b(path.encode(), digest_size=16).hexdigest()}"


class Condition(NamedTuple):
    """What the leaf at ``path`` has to be: equal to, or by ``operator`` beyond, the ``value`` of a canonical text."""

    path: str
    operator: str
    value: str

    @property
    def word(self) -> str:
        """Return the word of a leaf that is equal, or of a list that has the item."""
        return _word(self.path, f"{_ITEM if self.operator == CONTAINS else ''}{self.value}")

    @property
    def is_range(self) -> bool:
        """Return whether more than one value may hold."""
        return self.operator in RANGES or self.operator == _THERE

    def holds(self, found: JsonObject | None) -> bool:
        """Return whether an object fulfils the condition."""
        return found is not None and any(path == self.path and self._of(value) for path, value in found.leaves())

    def among(self, words: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield those of an index's ``words`` that fulfil a range, each with the canonical text of its value."""
        here = _short(self.path)
        for word in words:
            path, _, text = word.rpartition(_BETWEEN)
            if path == here and not text.startswith(_ITEM) and self._lies(json.loads(text)):
                yield word, text

    def _of(self, value: object) -> bool:
        if self.is_range:
            return self._lies(value)
        wanted = value if self.operator == CONTAINS else [value]
        return isinstance(wanted, list) and any(canonical_json(one) == self.value for one in wanted)

    def _lies(self, one: Any) -> bool:  # noqa: ANN401 - JSON
        if self.operator == _THERE:
            return True
        bound = json.loads(self.value)
        return _comparable(one) and isinstance(one, str) == isinstance(bound, str) and RANGES[self.operator](one, bound)


def there_below(path: str, words: Iterable[str]) -> list[Condition]:
    """Return the conditions of which one holds for whatever may have something at ``path`` or below it."""
    here = _short(path)
    found = {word.rpartition(_BETWEEN)[0] for word in words} - {here}
    # What a digest stands for may lie anywhere.
    below = (one for one in sorted(found) if one.startswith((f"{path}.", "\0")))
    return [Condition(one, _THERE, "null") for one in (path, *below)]


def conditions(asked: object) -> tuple[Condition, ...]:
    """Return the conditions of a filter: all of them have to hold.

    Args:
        asked: values by paths, or objects in one another; a value may be ``{"$gte": 1, "$lt": 5}``, or
            ``{"$contains": "x"}``.

    Raises:
        InvalidInput: it is no JSON object, or has an operator that there is not.
    """
    try:
        return tuple(_of(None, JsonObject.of(asked)))
    except UnfitJsonError as error:
        msg = f"metadata {error}"
        raise InvalidInput(msg) from None


def _of(path: str | None, asked: Mapping[str, Any]) -> Iterator[Condition]:
    by_operators = any(name.startswith("$") for name in asked)
    for name, value in asked.items():
        here = name if path is None else f"{path}.{name}"
        if by_operators:
            yield from _by_operator(path, name, value)
        elif isinstance(value, dict) and value:
            yield from _of(here, value)
        else:
            yield Condition(here, _EQUAL, canonical_json(value))


def _by_operator(path: str | None, name: str, value: object) -> Iterator[Condition]:
    if path is None or not (name in RANGES or name == CONTAINS):
        msg = (
            "metadata has an operator that is unknown, or at no path; plain values are equality, ranges "
            f"{_KNOWN}, items of lists {CONTAINS}"
        )
        raise InvalidInput(msg)
    if name == CONTAINS:
        items = value if isinstance(value, list) else [value]
        if not items:
            msg = f"metadata: {CONTAINS} names no item; give one, or a list of those that all have to be there"
            raise InvalidInput(msg)
        yield from (Condition(path, name, canonical_json(one)) for one in items)
        return
    if not _comparable(value):
        msg = f"metadata: {name} compares numbers or texts; give one of these"
        raise InvalidInput(msg)
    yield Condition(path, name, canonical_json(value))


def _comparable(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
