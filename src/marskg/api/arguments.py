"""Checks of the arguments of public operations, made from the annotations of their parameters.

Guarantees: an operation under :func:`checked_calls` or :func:`checked_call` gets the arguments that it declares, all
that it needs, of the types that it declares, or is not entered: texts without lone surrogates and NUL, truth values
that are truth values, integers within 2^53, finite numbers, paths that a file can have. The error names the operation
or the parameter, what is expected or was meant, and the type that was given; it never repeats the value. A parameter
without an annotation, or with one that has no check, is refused when its operation is first called. Ranges, lengths and
names of kinds are the operation's own to check.
"""

from __future__ import annotations

import math
import os
import stat
import types
from collections import abc
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import cache, cached_property, wraps
from inspect import Parameter, isfunction, signature
from pathlib import Path, PurePath
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    Unpack,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from marskg import clock, records
from marskg.errors import InvalidCall, InvalidInput
from marskg.given_time import GivenTime, KeptTime, Moment, milliseconds, why_asked
from marskg.json_object import MOST
from marskg.meant import too_many, unknown_keyword
from marskg.unseen import SURROGATE

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

C = TypeVar("C", bound=type)
F = TypeVar("F", bound="Callable[..., Any]")

#: Bytes of a path, and of one name in it, that Linux and macOS allow.
_LONGEST_PATH, _LONGEST_NAME = 4_000, 255
#: Fields that a message names.
_FEW: Final = 4
#: Levels of lists and mappings in one another.
_DEEPEST: Final = 64


class UnfitError(ValueError):
    """A value that is not what a rule asks for; the text goes on after the name of the parameter."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What one annotation asks for.

    ``expected`` names it in messages. ``matches`` says whether a value is of the type; ``fit`` returns the value to go
    on with, or raises :class:`UnfitError`. ``annotation`` is what the rule was made from, ``parts`` are the rules of
    what it is made of, by which inputs are generated. ``unit`` is what a number counts.
    """

    expected: str
    matches: Callable[[Any], bool]
    fit: Callable[[Any], Any]
    annotation: Any = None
    parts: tuple[Rule, ...] = ()
    unit: str = ""

    @property
    def units(self) -> tuple[str, ...]:
        """Return the unit of each kind of number that may be given, empty for one that has none."""
        own = (self.unit,) if self.unit or self.annotation in {int, float} else ()
        return tuple(dict.fromkeys((*own, *(unit for part in self.parts for unit in part.units))))

    def apply(self, value: object) -> Any:  # noqa: ANN401 - the value, whatever it is
        """Return the value to go on with.

        Raises:
            UnfitError: it is not what the rule asks for.
        """
        if not self.matches(value):
            msg = f"must be {self.expected}, not {type_of(value)}"
            raise UnfitError(msg)
        return self.fit(value)


def type_of(value: object) -> str:
    """Return the name of a value's type, as messages show it."""
    return type(value).__name__[:60]


def _json(value: object) -> object:
    """Return a value that JSON has, of any depth that it can be read with."""
    waiting, depth = [value], 0
    while waiting:
        if depth > _DEEPEST:
            msg = f"is nested more than {_DEEPEST} levels deep"
            raise UnfitError(msg)
        found: list[object] = []
        for one in waiting:
            if isinstance(one, abc.Mapping):
                found += (TEXT.apply(name) for name in one)
                found += one.values()
            elif isinstance(one, (list, tuple)):
                found += one
            elif one is not None:
                _JSON_LEAF.apply(one)
        waiting, depth = found, depth + 1
    return value


def _to_read(value: str | PurePath) -> str | PurePath:
    """Return a path that can be read to its end, or that nothing is at, which the operation tells of."""
    path = Path(_path(value))
    try:
        kind = path.stat().st_mode
    except OSError:
        return value
    if not stat.S_ISREG(kind):
        what = "a folder" if stat.S_ISDIR(kind) else "a device, a pipe or a socket"
        msg = f"is {what}; name a file"
        raise UnfitError(msg)
    return value


def _same(value: Any) -> Any:  # noqa: ANN401 - any value
    return value


# --- Plain values ------------------------------------------------------------------------------------------------


def _text(given: str) -> str:
    # What is looked at is what goes on: a class of the caller's may say otherwise what it holds.
    value = str.__str__(given)
    if value.isascii():
        if "\x00" in value:
            msg = f"has a NUL character at position {value.index(chr(0))}; remove it"
            raise UnfitError(msg)
        return value
    found = SURROGATE.search(value)
    if found:
        msg = f"has a lone surrogate U+{ord(found[0]):04X} at position {found.start()}; decode the text as UTF-16"
        raise UnfitError(msg)
    if "\x00" in value:
        msg = f"has a NUL character at position {value.index(chr(0))}; remove it"
        raise UnfitError(msg)
    return value


def _path(value: str | PurePath) -> str | PurePath:
    text = str(value)
    try:
        encoded = os.fsencode(text)
    except UnicodeEncodeError:
        msg = "has a lone surrogate, which no name of a file has; decode the text as UTF-16"
        raise UnfitError(msg) from None
    if not text or b"\x00" in encoded:
        msg = "is empty; name a file or a folder" if not text else "has a NUL character; name a file that can be there"
        raise UnfitError(msg)
    if len(encoded) > _LONGEST_PATH or any(len(name) > _LONGEST_NAME for name in encoded.split(os.fsencode(os.sep))):
        msg = f"is a path of {len(encoded):,} bytes, longer than a file can have; give a shorter one"
        raise UnfitError(msg)
    return value


def _integer(given: int) -> int:
    value = int.__int__(given)
    if not -MOST <= value <= MOST:
        msg = f"is an integer of {value.bit_length():,} bits, outside [-2^53, 2^53]"
        raise UnfitError(msg)
    return value


def _given_time(given: GivenTime) -> int:
    try:
        value = milliseconds(given)
    except InvalidInput as error:
        raise UnfitError(str(error)) from None
    number = _integer(value)
    asked = why_asked(Moment(number) if isinstance(value, Moment) else number)
    if asked is not None:
        raise UnfitError(asked)
    return number


def _finite(given: float) -> float:
    value = int.__int__(given) if isinstance(given, int) else float.__float__(given)
    try:
        finite = math.isfinite(value)
    except OverflowError:  # an integer larger than any float
        finite = False
    if not finite:
        said = f"an integer of {value.bit_length():,} bits" if isinstance(value, int) else str(value)
        msg = f"must be a finite number, not {said}"
        raise UnfitError(msg)
    if abs(value) > MOST:
        msg = "is outside [-2^53, 2^53]"
        raise UnfitError(msg)
    return value


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


TEXT: Final = Rule("a string", _is_text, _text, str)
_PLAIN: Final[Mapping[Any, Rule]] = {
    str: TEXT,
    bool: Rule("True or False", lambda value: isinstance(value, bool), _same, bool),
    int: Rule("an integer", _is_integer, _integer, int),
    float: Rule("a number", _is_number, _finite, float),
    Path: Rule("a path", lambda value: isinstance(value, PurePath), _path, Path),
    None: Rule("None", lambda value: value is None, _same, None),
    type(None): Rule("None", lambda value: value is None, _same, None),
    Any: Rule("anything", lambda _: True, _same, Any),
    object: Rule("anything", lambda _: True, _same, Any),
    abc.Callable: Rule("a function", callable, _same, abc.Callable),
}
_JSON_LEAF: Final = Rule(
    "a string, a number, True, False, None, or a list or a mapping of these",
    lambda value: isinstance(value, (str, int, float)),
    lambda value: value if isinstance(value, bool) else _plain_rule(value).fit(value),
)
#: A time that a caller names.
GIVEN_TIME: Final = Rule(
    "a time: epoch milliseconds, a datetime with a zone, or ISO 8601 text",
    lambda value: _is_integer(value) or isinstance(value, (datetime, str)),
    _given_time,
    GivenTime,
)
#: A value as JSON has it, in annotations of parameters.
Json: TypeAlias = Annotated[Any, Rule("a value as JSON has it", lambda _: True, _json)]
#: A keyword that an operation checks itself, and that is none of its parameters: only some principals give it.
Unlisted: TypeAlias = Annotated[Any, None]
#: A file that is read, in annotations of parameters.
ReadPath: TypeAlias = Annotated[
    str | Path, Rule("a path", lambda value: isinstance(value, (str, PurePath)), _to_read, Path)
]


def _unit(kind: type, unit: str) -> Rule:
    return replace(_PLAIN[kind], unit=unit)


# Numbers by what they count, in annotations of parameters.
Tokens: TypeAlias = Annotated[int, _unit(int, "wordpiece tokens")]
Share: TypeAlias = Annotated[float, _unit(float, "a number from 0 to 1")]
Seconds: TypeAlias = Annotated[float, _unit(float, "seconds")]
Milliseconds: TypeAlias = Annotated[int, _unit(int, "milliseconds")]
Count: TypeAlias = Annotated[int, _unit(int, "a number of things")]
Rank: TypeAlias = Annotated[int, _unit(int, "a rank among tasks")]
AuditNumber: TypeAlias = Annotated[int, _unit(int, "a number in the audit's sequence")]
Seed: TypeAlias = Annotated[int, _unit(int, "a seed of random draws")]
#: What they count, by their names, as signatures have them.
UNITS: Final[Mapping[str, str]] = {
    name: get_args(one)[1].unit
    for name, one in vars().copy().items()
    if get_origin(one) is Annotated and isinstance(get_args(one)[1], Rule) and get_args(one)[1].unit
}
#: What annotations name that modules import for type checkers alone.
_NAMES: Final[Mapping[str, Any]] = {
    **{name: value for module in (records, clock) for name, value in vars(module).items() if isinstance(value, type)},
    **{name: getattr(abc, name) for name in ("Callable", "Iterable", "Iterator", "Mapping", "Sequence")},
    "Any": Any,
    "AuditNumber": AuditNumber,
    "Count": Count,
    "Decimal": Decimal,
    "Json": Json,
    "GivenTime": GivenTime,
    "KeptTime": KeptTime,
    "Milliseconds": Milliseconds,
    "Path": Path,
    "Rank": Rank,
    "ReadPath": ReadPath,
    "Seconds": Seconds,
    "Seed": Seed,
    "Share": Share,
    "Tokens": Tokens,
    "Unlisted": Unlisted,
    "Unpack": Unpack,
    "Value": records.Value,
}
_PATH_TEXT: Final = Rule("a path", _is_text, _path, Path)


def _plain_rule(value: str | float) -> Rule:
    return next(_PLAIN[kind] for kind in (str, int, float) if isinstance(value, kind))


# --- Made from annotations ---------------------------------------------------------------------------------------


def rule_of(annotation: Any) -> Rule:  # noqa: ANN401 - annotations have no common type
    """Return the rule of a type as annotations name it.

    Raises:
        TypeError: there is no check for it.
    """
    origin = get_origin(annotation)
    if origin is Annotated:
        return next(GIVEN_TIME if one is Moment else one for one in get_args(annotation)[1:])
    if annotation in _PLAIN or origin is abc.Callable:
        return _PLAIN[annotation if origin is None else origin]
    if origin in {Union, types.UnionType}:
        return _union(annotation)
    if origin is Literal:
        return _one_of(annotation, get_args(annotation))
    if origin is tuple and get_args(annotation)[-1] is not ...:
        return _fixed(annotation)
    if origin in {abc.Iterable, abc.Sequence, list, tuple}:
        return _many(annotation)
    if origin is abc.Mapping:
        return _mapping(annotation)
    if isinstance(annotation, type):
        return _class(annotation)
    msg = f"there is no check for values of the type {annotation}; add one to marskg.api.arguments"
    raise TypeError(msg)


def _union(annotation: Any) -> Rule:  # noqa: ANN401 - as rule_of
    members = get_args(annotation)
    rules = tuple(_PATH_TEXT if one is str and Path in members else rule_of(one) for one in members)

    def fit(value: object) -> Any:  # noqa: ANN401 - as the rule that matches
        return next(rule for rule in rules if rule.matches(value)).fit(value)

    # What may be None may be left out, which needs no saying.
    expected = ", or ".join(dict.fromkeys(rule.expected for rule in rules if rule.expected != "None"))
    return Rule(expected, lambda value: any(rule.matches(value) for rule in rules), fit, annotation, rules)


def _one_of(annotation: Any, allowed: tuple[object, ...]) -> Rule:  # noqa: ANN401 - as rule_of
    expected = f"one of {', '.join(map(str, allowed))}"
    # Compared by type as well, as 1 equals True.
    return Rule(
        expected,
        lambda value: any(type(value) is type(one) and value == one for one in allowed),
        _same,
        annotation,
    )


def _many(annotation: Any) -> Rule:  # noqa: ANN401 - as rule_of
    item = rule_of(get_args(annotation)[0])
    lazy = get_origin(annotation) is abc.Iterable and is_dataclass(item.annotation)

    def fit(values: Iterable[object]) -> object:
        items = _items(values, item)
        # What is streamed is checked as it is taken; what is a list is checked whole before anything is done.
        return items if lazy else tuple(items)

    return Rule(f"a list of {_plural(item)}", _is_many, fit, annotation, (item,))


def _is_many(value: object) -> bool:
    return isinstance(value, abc.Iterable) and not isinstance(value, (str, bytes, abc.Mapping))


def _items(values: Iterable[object], item: Rule) -> Iterator[object]:
    for number, value in enumerate(values, 1):
        try:
            yield item.apply(value)
        except UnfitError as error:
            msg = f"item {number} {error}"
            raise InvalidItemError(msg) from None


class InvalidItemError(UnfitError):
    """An item of a list that is not what the list holds."""


def _plural(item: Rule) -> str:
    return {"a string": "strings", "an integer": "integers"}.get(item.expected, f"items, each {item.expected}")


def _fixed(annotation: Any) -> Rule:  # noqa: ANN401 - as rule_of
    parts = tuple(map(rule_of, get_args(annotation)))

    def fit(values: Iterable[object]) -> tuple[object, ...]:
        return tuple(part.apply(value) for part, value in zip(parts, values, strict=True))

    expected = f"a tuple ({', '.join(part.expected for part in parts)})"
    return Rule(
        expected,
        lambda value: isinstance(value, (tuple, list)) and len(value) == len(parts),
        fit,
        annotation,
        parts,
    )


def _mapping(annotation: Any) -> Rule:  # noqa: ANN401 - as rule_of
    key, value_rule = map(rule_of, get_args(annotation))

    def fit(given: Mapping[object, object]) -> dict[object, object]:
        found = {}
        for name, value in given.items():
            try:
                found[key.apply(name)] = value_rule.apply(value)
            except UnfitError as error:
                where = f"{name[:60]!r}" if isinstance(name, str) else "a key"
                msg = f"has {where}, which {error}"
                raise UnfitError(msg) from None
        return found

    return Rule(
        "a mapping with strings as keys",
        lambda value: isinstance(value, abc.Mapping),
        fit,
        annotation,
        (key, value_rule),
    )


def _class(annotation: type) -> Rule:
    name = annotation.__name__
    expected = f"{'an' if name[0] in 'AEIOU' else 'a'} {name}{_how_to_make(annotation)}"
    if getattr(annotation, "_is_protocol", False):
        wanted = tuple(one for one in vars(annotation) if not one.startswith("_"))
        return Rule(
            f"{expected}, which has {' and '.join(wanted)}",
            lambda value: all(callable(getattr(value, one, None)) for one in wanted),
            _same,
            annotation,
        )
    fit = _record(annotation) if is_dataclass(annotation) else _same
    return Rule(expected, lambda value: isinstance(value, annotation), fit, annotation)


def _how_to_make(kind: type) -> str:
    """Return the few fields that a record needs, as a call has them; nothing where there are many."""
    needed = [
        f"{one.name}=…"
        for one in (fields(cast("Any", kind)) if is_dataclass(kind) else ())
        if one.default is MISSING and one.default_factory is MISSING
    ]
    return f"({', '.join(needed)})" if 0 < len(needed) <= _FEW else ""


def _record(kind: type) -> Callable[[object], object]:
    """Return what checks the fields of a dataclass, which stays as it is."""

    def fit(value: object) -> object:
        for name, rule in field_rules(kind):
            try:
                rule.apply(getattr(value, name))
            except UnfitError as error:
                msg = f"has a field {name} that {error}"
                raise UnfitError(msg) from None
        return value

    return fit


@cache
def field_rules(kind: type) -> tuple[tuple[str, Rule], ...]:
    """Return the names of a dataclass's fields, each with its rule."""
    hints = get_type_hints(kind, localns=_NAMES, include_extras=True)
    return tuple((one.name, rule_of(hints[one.name])) for one in fields(cast("Any", kind)))


# --- Calls -------------------------------------------------------------------------------------------------------


class Arguments:
    """The rules of the parameters of one operation, made when it is first called."""

    def __init__(
        self, function: Callable[..., Any], error: type[InvalidInput], names: Mapping[str, Any], way: str = ""
    ) -> None:
        """Check calls of ``function``, whose annotations name types of its module and ``names``.

        ``way`` is what stands before its name in messages, such as ``audit.``.
        """
        self.function = function
        # What makes an object is called by the name of its class.
        self.name = f"{way}{function.__qualname__.removesuffix('.__init__').rpartition('.')[2]}"
        self.error = error
        self._names = names

    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        """Return the rule of each parameter by its name, in their order; those of a typed ``**`` by theirs.

        Raises:
            TypeError: a parameter has no annotation, or one that there is no check for.
        """
        hints = self._hints
        found: dict[str, Rule] = {}
        for name, parameter in signature(self.function).parameters.items():
            if name in {"self", "cls"}:
                continue
            if name not in hints:
                msg = f"{self.function.__qualname__} has a parameter {name} without an annotation; give it one"
                raise TypeError(msg)
            if parameter.kind is Parameter.VAR_KEYWORD:
                found.update((key, rule_of(one)) for key, one in _typed(hints[name]).items() if one != Unlisted)
            else:
                found[name] = rule_of(hints[name])
        return found

    @cached_property
    def _hints(self) -> Mapping[str, Any]:
        """Return the types of the parameters that have an annotation; those of results need more imports."""
        names = {**_NAMES, **self._names, **self.function.__globals__}
        annotations = {name: one for name, one in self.function.__annotations__.items() if name != "return"}
        return get_type_hints(types.SimpleNamespace(__annotations__=annotations), names, include_extras=True)

    @cached_property
    def _shape(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names of the parameters that may be given by their place, and of those that have no default."""
        places, needed = [], []
        for name, one in signature(self.function).parameters.items():
            if name in {"self", "cls"} or one.kind in {Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD}:
                continue
            if one.kind is not Parameter.KEYWORD_ONLY:
                places.append(name)
            if one.default is Parameter.empty:
                needed.append(name)
        return tuple(places), tuple(needed)

    @cached_property
    def _more(self) -> Container[str]:
        """Return the names of arguments that are none of its parameters, and that it asks about itself."""
        given = signature(self.function).parameters.items()
        several = next((name for name, one in given if one.kind is Parameter.VAR_KEYWORD), None)
        if several is None:
            return ()
        annotation = self._hints[several]
        if get_origin(annotation) is not Unpack:
            return _Anything()
        return frozenset(name for name, one in _typed(annotation).items() if one == Unlisted)

    def fitted(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Return the values by place to go on with; those by name are changed where they stand.

        Raises:
            InvalidCall: one is none of the parameters, is given twice, or is missing.
            InvalidInput: one is not what its parameter declares.
        """
        places, needed = self._shape
        if len(args) > len(places):
            raise InvalidCall(too_many(self.name, places, self.rules))
        for name in kwargs:
            if name not in self.rules and name not in self._more:
                raise InvalidCall(unknown_keyword(self.name, name, self.rules))
        given = places[: len(args)]
        for name in given:
            if name in kwargs:
                msg = f"{self.name} got {name} by its place and by its name; give it once"
                raise InvalidCall(msg)
        for name in needed:
            if name not in kwargs and name not in given:
                call = ", ".join(f"{one}=…" for one in needed)
                msg = f"{self.name} needs {name}: call {self.name}({call})"
                raise InvalidCall(msg)
        for name, value in kwargs.items():
            kwargs[name] = self.value(name, value)
        return list(map(self.value, given, args))

    def value(self, name: str, value: object) -> object:
        """Return the value of one parameter to go on with; one that there is not is left to Python to refuse.

        Raises:
            InvalidInput: it is not what the parameter declares.
        """
        rule = self.rules.get(name)
        if rule is None:
            return value
        try:
            found = rule.apply(value)
        except UnfitError as error:
            raise self._refusal(name, error) from None
        return self._stream(name, found) if isinstance(found, types.GeneratorType) else found

    def _refusal(self, name: str, error: UnfitError) -> InvalidInput:
        where = f"{name}: " if isinstance(error, InvalidItemError) else f"{name} "
        return self.error(f"{where}{error}")

    def _stream(self, name: str, items: Iterator[object]) -> Iterator[object]:
        try:
            yield from items
        except UnfitError as error:
            raise self._refusal(name, error) from None


@cache
def _typed(annotation: Any) -> Mapping[str, Any]:  # noqa: ANN401 - as rule_of
    """Return the types of the names that a ``**`` takes, none where it is not typed."""
    if get_origin(annotation) is not Unpack:
        return {}
    (typed,) = get_args(annotation)
    return get_type_hints(typed, localns=_NAMES, include_extras=True)


class _Anything:
    """The names that an operation takes which passes all of them on."""

    def __contains__(self, name: object) -> bool:
        return True


def checked_call(function: F, error: type[InvalidInput] = InvalidInput) -> F:
    """Return a module's function, or a method, that checks its arguments first."""
    arguments = Arguments(function, error, {})
    if next(iter(signature(function).parameters), "") == "self":
        return cast("F", _checked_method(function, arguments))

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the function has them
        given = arguments.fitted(args, kwargs)
        return function(*given, **kwargs)

    vars(call)["arguments"] = arguments
    return cast("F", call)


def _checked_method(function: Callable[..., Any], arguments: Arguments) -> Callable[..., Any]:
    @wraps(function)
    def call(self: object, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the function has them
        given = arguments.fitted(args, kwargs)
        return function(self, *given, **kwargs)

    vars(call)["arguments"] = arguments
    return call


def checked_calls(*named: type, errors: Mapping[str, type[InvalidInput]] | None = None) -> Callable[[C], C]:
    """Return a class decorator that lets each public method check its arguments first.

    A method that overrides one which is checked takes what that one takes.

    Args:
        named: types that annotations name, and that the module does not import at run time.
        errors: what to raise in the place of :class:`~marskg.errors.InvalidInput`, by the name of the method.
    """
    names = {one.__name__: one for one in named}

    def decorate(owner: C) -> C:
        namespace = getattr(owner, "NAME", "")
        way = f"{namespace}." if namespace else ""
        for name, function in list(vars(owner).items()):
            if name.startswith("_"):
                continue
            if isinstance(function, classmethod):
                made = Arguments(function.__func__, (errors or {}).get(name, InvalidInput), names, way)
                setattr(owner, name, classmethod(_checked_method(function.__func__, made)))
                continue
            if not isfunction(function):
                continue
            above = (vars(base)[name] for base in owner.__mro__[1:] if name in vars(base))
            arguments = getattr(next(above, None), "arguments", None) or Arguments(
                function, (errors or {}).get(name, InvalidInput), names, way
            )
            setattr(owner, name, _checked_method(function, arguments))
        return owner

    return decorate
