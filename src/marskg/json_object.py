"""Free JSON as the value of a field: an object, checked, immutable, held as its canonical text.

Guarantees: equal objects have equal texts, those of RFC 8785 (JCS); a number is one that Python, Java and JavaScript
write alike, so 1 and 1.0 are the same and ``true`` is not 1; neither depth nor size of what is given can exhaust
anything. The errors name the rule and the way out, never a name or a value of the object.
Sources: RFC 8785; JSON-LD 1.1 section 4.2.2 (``rdf:JSON``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Context, Decimal
from typing import Any, Final, NoReturn, Self

from marskg.unseen import SURROGATE

#: Bytes of the canonical text of one object, and levels of objects and lists in one another.
MAX_BYTES: Final = 16 * 1024
MAX_DEPTH: Final = 16
#: Integers up to here are the same in Python, Java, JSON and RDF; what is larger goes as a text.
MOST: Final = 2**53
#: More digits than a sum of any number of exact decimals has.
WIDE: Final = Context(prec=80)
#: Sequences that are no lists of JSON.
_NO_LIST: Final = str | bytes | bytearray | memoryview
#: Below it RFC 8785 writes a number with an exponent.
_LEAST: Final = Decimal("1e-6")
#: Characters of a text that is read: its spaces and escapes are not in the canonical one.
_MOST_READ: Final = 8 * MAX_BYTES
_quoted: Final = json.JSONEncoder(ensure_ascii=False).encode


def digits_of(value: Decimal) -> str:
    """Return an exact decimal as the text of its digits, without an exponent and without zeros at its end."""
    return f"{value.normalize(WIDE):f}"


def plainly(value: Decimal) -> float | str:
    """Return an exact decimal as JSON has it: a number where a double says it, else the text of its digits."""
    return float(value) if Decimal(repr(float(value))) == value else digits_of(value)


class UnfitJsonError(ValueError):
    """What is no JSON object that a field can have; the text goes on after the name of the field."""


class JsonObject(Mapping[str, Any]):
    """An immutable JSON object; what is read from it are plain values of one's own: ``dict(found)`` is all of it."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        """Hold the object of a canonical text; :meth:`of` and :meth:`read` make one of anything else."""
        self.text = text

    @classmethod
    def of(cls, value: object) -> Self:
        """Return ``value``, a mapping of plain JSON values, as a value of a field.

        Raises:
            UnfitJsonError: it is none, or too deep or too large.
        """
        if isinstance(value, cls):
            return value
        if not isinstance(value, Mapping):
            _refuse(f"must be a JSON object (a mapping with strings as keys), not {type(value).__name__[:60]}")
        return cls(canonical_json(value))

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the object that a JSON text has.

        Raises:
            UnfitJsonError: it is not JSON, no object, or has a name twice; as :meth:`of`.
        """
        if len(text) > _MOST_READ:
            _too_large()
        try:
            value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
        except UnfitJsonError:
            raise
        except (ValueError, RecursionError):
            _refuse("is not JSON that can be read; write one JSON object")
        return cls.of(value)

    def _value(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text)
        return found

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - JSON
        """Return the value of one name."""
        return self._value()[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._value())

    def __len__(self) -> int:
        """Return the number of names."""
        return len(self._value())

    def items(self) -> Any:  # noqa: ANN401 - a view of a dict
        """Return names and values, read once."""
        return self._value().items()

    def values(self) -> Any:  # noqa: ANN401 - a view of a dict
        """Return the values, read once."""
        return self._value().values()

    def __eq__(self, other: object) -> bool:
        """Return whether ``other`` is a mapping of the same JSON values: 1 and 1.0 are, 1 and ``true`` are not."""
        try:
            return isinstance(other, Mapping) and self.text == JsonObject.of(other).text
        except UnfitJsonError:
            return False

    def __hash__(self) -> int:
        """Return what equal objects have in common."""
        return hash(self.text)

    def __repr__(self) -> str:
        """Return it as a mapping is written."""
        return repr(self._value())

    def leaves(self) -> Iterator[tuple[str, Any]]:
        """Yield ``(path, value)`` of all that is no object with names: a path has names and dots, a list stays whole.

        ``{"trip": {"year": 2026, "with": ["Ann"]}}`` has ``trip.year`` and ``trip.with``.
        """
        return leaves_of(self._value())

    def told(self) -> Iterator[tuple[str, str]]:
        """Yield ``(name, text)`` of every text and number in it, and ``("", name)`` of each name that has none."""
        return told_in(self._value())

    def texts(self) -> Iterator[str]:
        """Yield ``name: value`` for each text and number in it, each with the name that it stands under."""
        for name, leaf in named_leaves(self._value()):
            if _is_told(leaf):
                yield f"{name}: {leaf if isinstance(leaf, str) else _number(leaf)}"
            elif name:
                yield name


def named_leaves(value: object, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield ``(name, leaf)`` of all in free JSON that holds nothing else, in order; the parts of a list have its name.

    What stands in it otherwise, and how deep, is not checked: an object or a list without anything in it is a leaf.
    """
    pending = [(name, value)]
    while pending:
        name, one = pending.pop()
        if isinstance(one, Mapping) and one:
            pending += [*one.items()][::-1]
        elif isinstance(one, list | tuple) and one:
            pending += [(name, part) for part in reversed(one)]
        else:
            yield name, one


def told_in(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield all texts of a JSON object, names and values, however deep they lie: as :meth:`JsonObject.told`."""
    alone: dict[str, None] = {}
    pending: list[tuple[str, Any]] = list(value.items())[::-1]
    while pending:
        name, one = pending.pop()
        if _is_told(one):
            yield name, one if isinstance(one, str) else _number(one)
            continue
        alone[name] = None
        if isinstance(one, Mapping):
            pending += list(one.items())[::-1]
        elif isinstance(one, list):
            # Its parts stand under its name.
            pending += ((name, part) for part in reversed(one))
    yield from (("", name) for name in alone)


def _is_told(value: object) -> bool:
    """Return whether a value of JSON is a text or a number."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def leaves_of(value: Mapping[str, Any], path: str | None = None) -> Iterator[tuple[str, Any]]:
    """Yield ``(path, value)`` of all in a JSON object that is no object with names."""
    for name, one in value.items():
        here = name if path is None else f"{path}.{name}"
        if isinstance(one, Mapping) and one:
            yield from leaves_of(one, here)
        else:
            yield here, one


def canonical_json(value: object) -> str:
    """Return any JSON value as RFC 8785 writes it.

    Raises:
        UnfitJsonError: it holds what JSON has not, or is too deep or too large.
    """
    return "".join(_Writer().write(value, 1))


class _Writer:
    """Writes one value, and stops where its text grows too large."""

    def __init__(self) -> None:
        self._size = 0
        self._parts: list[str] = []

    def write(self, value: object, depth: int) -> list[str]:
        if depth > MAX_DEPTH:
            _refuse(f"is nested more than {MAX_DEPTH} levels deep; write parts of it side by side")
        if isinstance(value, Mapping):
            names = [self._name(name) for name in value]
            self._put("{")
            for place, name in enumerate(sorted(names, key=lambda one: one.encode("utf-16-be"))):
                self._put(f"{',' if place else ''}{_quoted(name)}:")
                self._one(value[name], depth)
            self._put("}")
        elif isinstance(value, Sequence) and not isinstance(value, _NO_LIST):
            self._put("[")
            for place, one in enumerate(value):
                if place:
                    self._put(",")
                self._one(one, depth)
            self._put("]")
        else:
            self._put(_leaf(value))
        return self._parts

    def _one(self, value: object, depth: int) -> None:
        nested = isinstance(value, Mapping | Sequence) and not isinstance(value, _NO_LIST)
        self.write(value, depth + 1 if nested else depth)

    @staticmethod
    def _name(name: object) -> str:
        if not isinstance(name, str):
            _refuse(f"has a name that is no text but {type(name).__name__[:60]}; names of JSON are strings")
        return _text(name)

    def _put(self, part: str) -> None:
        self._size += len(part) if part.isascii() else len(part.encode())
        if self._size > MAX_BYTES:
            _too_large()
        self._parts.append(part)


def _leaf(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(_text(value))
    if isinstance(value, int | float):
        return _number(value)
    return _refuse(
        f"holds a value of type {type(value).__name__[:60]}; JSON has texts, numbers, true, false, null and lists"
    )


def _text(given: str) -> str:
    # A class of the caller's may say otherwise what it holds.
    value = str.__str__(given)
    if len(value) > MAX_BYTES:
        _too_large()
    match = SURROGATE.search(value)
    if match:
        _refuse(f"has a lone surrogate U+{ord(match[0]):04X}; decode the text as UTF-16")
    if "\x00" in value:
        _refuse("has a NUL character; remove it")
    return value


def _number(value: float) -> str:
    """Return a number as ECMAScript writes it (RFC 8785 section 3.2.2.3)."""
    if not -math.inf < value < math.inf:
        _refuse("holds NaN or an infinity, which JSON has not; leave it out, or write it as a text")
    if not -MOST <= value <= MOST:
        _refuse("holds a number outside [-2^53, 2^53]; write it as a text")
    if value == int(value):
        return str(int(value))
    exact = Decimal(repr(float(value)))
    if abs(exact) >= _LEAST:
        return format(exact, "f")
    mantissa, _, exponent = repr(float(value)).partition("e")
    return f"{mantissa}e{int(exponent)}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        _refuse("has a name twice in one object; keep one")
    return made


def _constant(_: str) -> NoReturn:
    _refuse("holds NaN or an infinity, which JSON has not; leave it out, or write it as a text")


def _too_large() -> NoReturn:
    _refuse(f"is larger than {MAX_BYTES:,} bytes of JSON; shorten it, or keep it elsewhere and its address here")


def _refuse(why: str) -> NoReturn:
    raise UnfitJsonError(why)
