"""Calls of public operations: each argument is one that the operation has, and checked by its annotation.

Guarantees: an operation under :func:`checked_calls` or :func:`checked_call` gets the arguments that it declares, all
that it needs, and values of their types (:mod:`marskg.api.arguments`), or is not entered. The error names the
operation, the parameter, and what was meant or is expected. A parameter without an annotation, or with one that has no
check, is refused when its operation is first called.
"""

from __future__ import annotations

import types
from functools import cached_property, wraps
from inspect import Parameter, isfunction, signature
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, cast, get_args, get_origin, get_type_hints

from marskg.api.arguments import NAMES, InvalidItemError, Rule, UnfitError, Unlisted, rule_of
from marskg.errors import InvalidCall, InvalidInput
from marskg.meant import too_many, unknown_keyword

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping

C = TypeVar("C", bound=type)
F = TypeVar("F", bound="Callable[..., Any]")


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
        names = {**NAMES, **self._names, **self.function.__globals__}
        hints = get_type_hints(_without_result(self.function), names, include_extras=True)
        found: dict[str, Rule] = {}
        for name, parameter in signature(self.function).parameters.items():
            if name in {"self", "cls"}:
                continue
            if name not in hints:
                msg = f"{self.function.__qualname__} has a parameter {name} without an annotation; give it one"
                raise TypeError(msg)
            if parameter.kind is Parameter.VAR_KEYWORD:
                found.update(_keywords(hints[name]))
            else:
                found[name] = rule_of(hints[name])
        return found

    @cached_property
    def positional(self) -> tuple[str, ...]:
        """Return the names of the parameters that may be given by their place."""
        by_place = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        return tuple(name for name, one in self._own.items() if one.kind in by_place)

    @cached_property
    def required(self) -> tuple[str, ...]:
        """Return the names of the parameters that have no default."""
        several = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
        return tuple(
            name for name, one in self._own.items() if one.default is Parameter.empty and one.kind not in several
        )

    @cached_property
    def _own(self) -> Mapping[str, Parameter]:
        given = signature(self.function).parameters
        return {name: one for name, one in given.items() if name not in {"self", "cls"}}

    @cached_property
    def _more(self) -> Container[str]:
        """Return the names of arguments that are none of its parameters, and that it asks about itself."""
        several = next((name for name, one in self._own.items() if one.kind is Parameter.VAR_KEYWORD), None)
        if several is None:
            return ()
        names = {**NAMES, **self._names, **self.function.__globals__}
        annotation = get_type_hints(_without_result(self.function), names, include_extras=True)[several]
        return _unlisted(annotation) if get_origin(annotation) is Unpack else _Anything()

    def fitted(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Return the values by place to go on with; those by name are changed where they stand.

        Raises:
            InvalidCall: one is none of the parameters, is given twice, or is missing.
            InvalidInput: one is not what its parameter declares.
        """
        places = self.positional
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
        for name in self.required:
            if name not in kwargs and name not in given:
                needed = ", ".join(f"{one}=…" for one in self.required)
                msg = f"{self.name} needs {name}: call {self.name}({needed})"
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


def _without_result(function: Callable[..., Any]) -> types.SimpleNamespace:
    """Return something with the annotations of a function's parameters, as those of results need more imports."""
    annotations = {name: one for name, one in function.__annotations__.items() if name != "return"}
    return types.SimpleNamespace(__annotations__=annotations)


def _keywords(annotation: Any) -> Mapping[str, Rule]:  # noqa: ANN401 - as rule_of
    if get_origin(annotation) is not Unpack:
        return {}
    (typed,) = get_args(annotation)
    hints = get_type_hints(typed, localns=NAMES, include_extras=True)
    return {name: rule_of(one) for name, one in hints.items() if one != Unlisted}


def _unlisted(annotation: Any) -> frozenset[str]:  # noqa: ANN401 - as rule_of
    (typed,) = get_args(annotation)
    hints = get_type_hints(typed, localns=NAMES, include_extras=True)
    return frozenset(name for name, one in hints.items() if one == Unlisted)


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
