"""Conditions on the free JSON of memories: what a path has to be, or between which bounds it has to lie.

Guarantees: the same conditions are asked of words in the index, for all memories at once, and of a single memory;
numbers, texts and truth values are never taken for one another. An object is found by its leaves: ``{"a": {"b": 1}}``
asks what ``{"a.b": 1}`` asks, and lists are compared whole. The errors name the rule, never a path or a value.
"""

from __future__ import annotations

import json
import operator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from marskg.errors import InvalidInput
from marskg.json_object import JsonObject, UnfitJsonError, canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

#: Between path and value; canonical JSON has no control characters.
_BETWEEN: Final = "\x1f"
#: Of what lies within bounds.
RANGES: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}
)
_EQUAL: Final = ""
_KNOWN: Final = ", ".join(RANGES)


def words_of(found: JsonObject) -> list[str]:
    """Return the words under which the index finds an object: one for each leaf."""
    return sorted({f"{path}{_BETWEEN}{canonical_json(value)}" for path, value in found.leaves()})


class Condition(NamedTuple):
    """What the leaf at ``path`` has to be: equal to, or by ``operator`` beyond, the ``value`` of a canonical text."""

    path: str
    operator: str
    value: str

    @property
    def word(self) -> str:
        """Return the word of a leaf that is equal."""
        return f"{self.path}{_BETWEEN}{self.value}"

    @property
    def is_range(self) -> bool:
        """Return whether more than one value may hold."""
        return self.operator != _EQUAL

    def holds(self, found: JsonObject | None) -> bool:
        """Return whether an object fulfils the condition."""
        return found is not None and any(
            path == self.path and self._fits(canonical_json(value)) for path, value in found.leaves()
        )

    def among(self, words: Iterable[str]) -> Iterator[str]:
        """Yield those of an index's ``words`` that fulfil the condition."""
        for word in words:
            path, _, text = word.rpartition(_BETWEEN)
            if path == self.path and self._fits(text):
                yield word

    def _fits(self, text: str) -> bool:
        if not self.is_range:
            return text == self.value
        one, bound = json.loads(text), json.loads(self.value)
        return _comparable(one) and isinstance(one, str) == isinstance(bound, str) and RANGES[self.operator](one, bound)


def conditions(asked: object) -> tuple[Condition, ...]:
    """Return the conditions of a filter: all of them have to hold.

    Args:
        asked: values by paths, or objects in one another; a value may be ``{"$gte": 1, "$lt": 5}``.

    Raises:
        InvalidInput: it is no JSON object, or has an operator that there is not.
    """
    try:
        return tuple(_of("", JsonObject.of(asked)))
    except UnfitJsonError as error:
        msg = f"metadata {error}"
        raise InvalidInput(msg) from None


def _of(path: str, asked: Mapping[str, Any]) -> Iterator[Condition]:
    ranged = any(name.startswith("$") for name in asked)
    for name, value in asked.items():
        if ranged:
            yield _bound(path, name, value)
            continue
        here = f"{path}.{name}" if path else name
        if isinstance(value, dict) and value:
            yield from _of(here, value)
        else:
            yield Condition(here, _EQUAL, canonical_json(value))


def _bound(path: str, name: str, value: object) -> Condition:
    if name not in RANGES or not path:
        msg = f"metadata has an operator that is unknown, or at no path; plain values are equality, ranges {_KNOWN}"
        raise InvalidInput(msg)
    if not _comparable(value):
        msg = f"metadata: {name} compares numbers or texts; give one of these"
        raise InvalidInput(msg)
    return Condition(path, name, canonical_json(value))


def _comparable(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
