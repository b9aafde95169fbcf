"""The form of an answer as a JSON Schema, made from the type that an operation or a command says it returns.

Guarantees: what :func:`marskg.cli.output.plain` makes of a value of the type is valid by its schema, and has no name
that the schema does not have; a type that has no form in JSON is refused by name. Source: JSON Schema 2020-12.
"""

from __future__ import annotations

import ast
import types
from collections import abc
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from functools import cache
from importlib import import_module
from inspect import getsource, signature, unwrap
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from marskg.json_object import JsonObject

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.api.operations import Operation

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_PLAIN: Final[Mapping[Any, Mapping[str, Any]]] = {
    None: {"type": "null"},
    type(None): {"type": "null"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    # A number where a double says it, else the text of its digits.
    Decimal: {"type": ["number", "string"]},
    Any: {},
    object: {},
    JsonObject: {"type": "object"},
}
_LISTS: Final = frozenset({list, tuple, set, frozenset, abc.Iterable, abc.Iterator, abc.Sequence, abc.Set})


def returned(operation: Operation) -> Any:  # noqa: ANN401 - types have no common type
    """Return the type of what an operation returns."""
    function = unwrap(operation.function)
    return resolved(signature(function).return_annotation, function.__module__)


def resolved(annotation: Any, module: str) -> Any:  # noqa: ANN401 - as returned
    """Return the type that an annotation in a module names, as type checkers read it."""
    if not isinstance(annotation, str):
        return annotation
    holder = types.SimpleNamespace(__annotations__={"answer": annotation})
    return get_type_hints(cast("Any", holder), _names(module), include_extras=True)["answer"]


@cache
def _names(module: str) -> dict[str, Any]:
    """Return the names of a module, those included that it imports for type checkers alone."""
    loaded = import_module(module)
    # Aliases of types are texts, which name it from wherever they are used.
    found: dict[str, Any] = {"Decimal": Decimal}
    for node in ast.parse(getsource(loaded)).body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for one in node.body:
                if isinstance(one, ast.ImportFrom) and one.module:
                    found |= {each.asname or each.name: _member(one.module, each.name) for each in one.names}
    return {**found, **vars(loaded)}


def _member(module: str, name: str) -> Any:  # noqa: ANN401 - as returned
    loaded = import_module(module)
    return getattr(loaded, name) if hasattr(loaded, name) else _names(module)[name]


def schema_of(annotation: Any) -> dict[str, Any]:  # noqa: ANN401 - as returned
    """Return the JSON Schema of the values of a type, with what it is made of under ``$defs``.

    Raises:
        TypeError: it has no form in JSON; the message names it.
    """
    made = _Schemas()
    body = made.of(annotation)
    return {"$schema": DIALECT, **body, **({"$defs": dict(sorted(made.records.items()))} if made.records else {})}


class _Schemas:
    """The schemas of the records that one answer is made of, each once."""

    def __init__(self) -> None:
        """Know of none."""
        self.records: dict[str, dict[str, Any]] = {}
        self._kinds: dict[str, type] = {}

    def of(self, annotation: Any) -> dict[str, Any]:  # noqa: ANN401 - as returned
        """Return the schema of a type."""
        if annotation in _PLAIN:
            return dict(_PLAIN[annotation])
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin in {Annotated, NotRequired}:
            return self.of(arguments[0])
        if origin in {Union, types.UnionType}:
            return {"anyOf": [self.of(one) for one in arguments]}
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin is tuple and arguments[-1] is not ...:
            places = [self.of(one) for one in arguments]
            return {"type": "array", "prefixItems": places, "items": False, "minItems": len(places)}
        if origin in _LISTS:
            return {"type": "array", "items": self.of(arguments[0])}
        if origin is not None and issubclass(origin, abc.Mapping):
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        return self._class(annotation)

    def _class(self, kind: Any) -> dict[str, Any]:  # noqa: ANN401 - as returned
        if isinstance(kind, type) and issubclass(kind, Enum):
            return {"enum": [one.value for one in kind]}
        if is_dataclass(kind) or is_typeddict(kind):
            return self._record(cast("type", kind))
        # A number or a text that knows something besides.
        base = next((one for one in (int, float, str) if isinstance(kind, type) and issubclass(kind, one)), None)
        if base is None:
            msg = f"{kind} has no form in JSON; return a record, or give it one in marskg.cli.answer_forms"
            raise TypeError(msg)
        return self.of(base)

    def _record(self, kind: type) -> dict[str, Any]:
        name = kind.__name__
        if self._kinds.setdefault(name, kind) is not kind:
            msg = f"{kind} and {self._kinds[name]} have one name, which a schema cannot tell apart; rename one"
            raise TypeError(msg)
        if name not in self.records:
            self.records[name] = {}  # it may hold itself
            hints = _fields(kind)
            # Where annotations are texts, Python counts what is NotRequired among the required keys.
            may_lack = {one for one, hint in hints.items() if get_origin(hint) is NotRequired}
            self.records[name] = {
                "type": "object",
                "properties": {one: self.of(hint) for one, hint in hints.items()},
                "required": sorted({*getattr(kind, "__required_keys__", hints)} - may_lack),
                "additionalProperties": False,
            }
        return {"$ref": f"#/$defs/{name}"}


def _fields(kind: type) -> dict[str, Any]:
    """Return the fields of a record, or the names of a typed dictionary, with their types, inherited ones first."""
    stated = {name: (base.__module__, one) for base in reversed(kind.__mro__) for name, one in _stated(base)}
    listed = [one.name for one in fields(cast("Any", kind))] if is_dataclass(kind) else list(stated)
    return {name: _hint(stated[name][1], _names(stated[name][0])) for name in listed}


def _stated(kind: type) -> Iterable[tuple[str, Any]]:
    annotations: Mapping[str, Any] = vars(kind).get("__annotations__", {})
    return annotations.items()


def _hint(annotation: Any, names: dict[str, Any]) -> Any:  # noqa: ANN401 - as returned
    text = getattr(annotation, "__forward_arg__", annotation)
    # A typed dictionary has the annotations that it inherits as its own; each knows the module that it was written in.
    written_in = getattr(annotation, "__forward_module__", None)
    names = names if written_in is None else _names(written_in)
    holder = types.SimpleNamespace(__annotations__={"field": text})
    return get_type_hints(cast("Any", holder), names, include_extras=True)["field"]
