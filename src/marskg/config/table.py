"""The fields that settings are made of: each says its meaning, its default and what it may be.

Guarantees: a setting is stated in one line, a field of a frozen dataclass made by :func:`number`, :func:`integer`,
:func:`duration`, :func:`choice`, :func:`text` or :func:`flag`. Its name, the parsing of its values, its range check
and its place in the documentation follow from that line; fields stand in the order of the documentation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast, overload

from marskg.config.durations import UNITS, duration_ms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: A setting's value as the table holds it: durations in milliseconds, ``None`` for none.
Value: TypeAlias = "str | int | float | bool | None"
_T = TypeVar("_T")
_K = TypeVar("_K", bound=str)

_MAX_INT = (1 << 62) - 1
_MAX_DURATION = 36_525 * UNITS["d"]
_PATH_MAX = 4096
_SETTING = "setting"
#: What a switch may be.
SWITCH = ("on", "off")


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of the table: what a setting means, its default and what it may be."""

    meaning: str
    default: Value
    kind: str
    low: float = 0
    high: float = math.inf
    choices: tuple[str, ...] = ()
    optional: bool = False
    #: Its name where that is not the field's.
    name: str = ""

    @property
    def allowed(self) -> str:
        """Return in words what the setting may be."""
        if self.kind == "choice":
            words = " or ".join(self.choices)
        elif self.kind == "duration":
            words = 'a duration such as "30d", "24h", "90m" or "10s"'
        elif self.kind == "text":
            words = "a name or a path"
        elif self.kind == "flag":
            words = "true or false"
        else:
            noun = "an integer" if self.kind == "integer" else "a number"
            words = f"{noun} from {self.low:g}" + (f" to {self.high:g}" if self.high < _MAX_INT else "")
        return f"{words}, or null for none" if self.optional else words

    def parse(self, value: object) -> Value:
        """Return a value as the table holds it, or None where it is not allowed."""
        if isinstance(value, bool) and (word := "on" if value else "off") in self.choices:
            return word  # YAML reads a bare on and off as true and false.
        if self.kind == "flag":
            return value if isinstance(value, bool) else None
        if isinstance(value, bool) or value is None:
            return None
        if self.kind == "text":
            return value if isinstance(value, str) and value.strip() and len(value) <= _PATH_MAX else None
        if self.kind == "choice":
            return value if isinstance(value, str) and value in self.choices else None
        if self.kind == "duration":
            # A bare number would leave its unit to the reader.
            value = duration_ms(value) if isinstance(value, str) else None
        wanted = (int, float) if self.kind == "number" else (int,)
        if not isinstance(value, wanted) or not self.low <= value <= self.high:
            return None
        return float(value) if self.kind == "number" else value

    def writable(self, value: Value) -> Value:
        """Return a value as a YAML file has it: a duration with its unit."""
        return f"{value}ms" if isinstance(value, int) and self.kind == "duration" else value


# --- What a field of a dataclass of settings may be ----------------------------------------------------------------


def number(meaning: str, default: _T, low: float, high: float, *, name: str = "") -> _T:
    """Return a field that holds a number from ``low`` to ``high``; where its default is None it may be None."""
    return _field(default, Setting(meaning, _plain(default), "number", low, high, optional=default is None, name=name))


def integer(meaning: str, default: _T, low: int, high: int = _MAX_INT, *, optional: bool = False) -> _T:
    """Return a field that holds an integer; it may be None where it is ``optional`` or has that default."""
    return _field(
        default, Setting(meaning, _plain(default), "integer", low, high, optional=optional or default is None)
    )


@overload
def duration(meaning: str, default: str, low: int = ..., high: float = ..., *, optional: bool = ...) -> int: ...
@overload
def duration(meaning: str, default: None) -> int | None: ...
def duration(
    meaning: str, default: str | None, low: int = 0, high: float = _MAX_DURATION, *, optional: bool = False
) -> int | None:
    """Return a field that holds milliseconds; its default is written as in YAML."""
    value = None if default is None else duration_ms(default)
    return _field(value, Setting(meaning, value, "duration", low, high, optional=optional or default is None))


def choice(meaning: str, default: _T, choices: tuple[_T, ...]) -> _T:
    """Return a field that holds one of some words, or of the members of an enumeration."""
    words = tuple(str(_plain(one)) for one in choices)
    return _field(default, Setting(meaning, _plain(default), "choice", choices=words))


def text(meaning: str, default: _T) -> _T:
    """Return a field that holds a name or a path."""
    return _field(default, Setting(meaning, _plain(default), "text", optional=default is None))


def flag(meaning: str, *, default: bool) -> bool:
    """Return a field that holds true or false."""
    return _field(default, Setting(meaning, default, "flag"))


def keyed(settings: Mapping[_K, _T]) -> Mapping[_K, _T]:
    """Return a field that holds a mapping, of which each key is a setting or a mapping of settings."""
    part = Part(MappingProxyType, {key: _part(cast("Any", one)) for key, one in settings.items()}, keyed=True)
    return cast("Mapping[_K, _T]", field(default_factory=part.default, metadata={_SETTING: part}))


def section(made_by: type[_T]) -> _T:
    """Return a field that holds a section: another dataclass of settings."""
    return field(default_factory=made_by, metadata={_SETTING: part_of(made_by)})


def _field(default: _T, setting: Setting) -> _T:
    return field(default=default, metadata={_SETTING: setting})


def _plain(default: object) -> Value:
    return cast("Value", default.value if isinstance(default, Enum) else default)


def _part(declared: Any) -> Setting | Part:  # noqa: ANN401 - dataclasses.Field, whose type is that of its value
    return cast("Setting | Part", declared.metadata[_SETTING])


# --- The table as a tree ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Part:
    """A section of the settings: what it holds by name, and what it is made with."""

    make: Callable[..., Any]
    children: Mapping[str, Setting | Part]
    keyed: bool = False
    enums: Mapping[str, type[Enum]] = field(default_factory=dict)

    def settings(self, prefix: str = "") -> Iterator[tuple[str, Setting]]:
        """Yield each setting with its dotted name."""
        for key, child in self.children.items():
            if isinstance(child, Setting):
                yield f"{prefix}{child.name or key}", child
            else:
                yield from child.settings(f"{prefix}{key}.")

    def default(self) -> Any:  # noqa: ANN401 - what the section is made with decides
        """Return the section with its defaults."""
        return self.build({name: setting.default for name, setting in self.settings()})

    def build(self, values: Mapping[str, Value], prefix: str = "") -> Any:  # noqa: ANN401
        """Return the section that holds ``values``, which are by dotted name and allowed."""
        found: dict[str, Any] = {}
        for key, child in self.children.items():
            if isinstance(child, Setting):
                found[key] = values[f"{prefix}{child.name or key}"]
            else:
                found[key] = child.build(values, f"{prefix}{key}.")
        for key, enum in self.enums.items():
            found[key] = enum(found[key])
        return self.make(found) if self.keyed else self.make(**found)

    def read(self, held: Any, into: dict[str, Value], prefix: str = "") -> None:  # noqa: ANN401
        """Put the values of ``held``, one such section, into a mapping by dotted name."""
        for key, child in self.children.items():
            value = held[key] if self.keyed else getattr(held, key)
            if isinstance(child, Setting):
                into[f"{prefix}{child.name or key}"] = value.value if key in self.enums else value
            else:
                child.read(value, into, f"{prefix}{key}.")


def part_of(cls: type) -> Part:
    """Return a dataclass of settings as a part of the table."""
    declared = fields(cls)
    enums = {one.name: type(one.default) for one in declared if isinstance(one.default, Enum)}
    return Part(cls, {one.name: _part(one) for one in declared}, enums=enums)
