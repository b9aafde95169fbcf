"""The JSON Schema of a type: what ``plain`` makes of its values is valid by it, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from marskg.answer import plain
from marskg.cli.answer_forms import resolved, schema_of
from marskg.records import Stored
from tests.support import json_schema


class Colour(StrEnum):
    """Two of them."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Tree:
    """A record that holds itself."""

    name: str
    below: tuple[Tree, ...] = ()


class Base(TypedDict):
    """A document."""

    colour: Colour


class Painted(Base):
    """One that has more."""

    by: NotRequired[str]
    trees: Sequence[Tree]


LEAF = Tree("leaf")
CASES: list[tuple[Any, list[object], list[object]]] = [
    (None, [None], [0, ""]),
    (bool, [True], [1, "true"]),
    (int | None, [3, None], [0.5, "3"]),
    (float, [0.5, 3], ["0.5"]),
    (Annotated[str, "a name"], ["a"], [1]),
    (Decimal, [Decimal("1.50"), Decimal(1).scaleb(-40)], [True, None]),
    (Stored, [Stored(3)], ["3"]),
    (Colour, [Colour.RED], ["green"]),
    (Literal["a", 2], ["a", 2], ["b"]),
    (list[int], [[1], []], [["a"], 1]),
    (Iterator[int], [[1]], [1]),
    (tuple[int, ...], [(), (1, 2)], [("a",)]),
    (tuple[int, str], [(1, "a")], [(1,), (1, "a", 2), ("a", 1)]),
    (frozenset[str], [frozenset({"a"})], [{1}]),
    (Mapping[Colour, int], [{Colour.RED: 1}], [{"red": "1"}, []]),
    (dict[str, Any], [{"a": [1]}], [[]]),
    (Any, [1, [], {}], []),
    (Tree, [Tree("a", (LEAF, LEAF))], [{"name": "a"}, {"name": "a", "below": [{"name": 1, "below": []}]}]),
    (Painted, [{"colour": "red", "trees": [LEAF]}, {"colour": "red", "by": "ana", "trees": []}], [{"trees": []}]),
    (Painted, [], [{"colour": "red", "trees": [], "more": 1}, {"colour": "red", "by": 1, "trees": []}]),
    (Tree | list[Tree], [LEAF, [LEAF]], ["leaf"]),
]


@pytest.mark.parametrize(("annotation", "valid", "others"), CASES, ids=[str(one[0])[-40:] for one in CASES])
def test_values_are_valid_by_the_schema_of_their_type_and_others_are_not(
    annotation: Any, valid: list[object], others: list[object]
) -> None:
    schema = schema_of(annotation)
    json_schema.check_schema(schema)
    for value in valid:
        assert json_schema.faults(plain(value), schema) == []
    for value in others:
        assert json_schema.faults(plain(value), schema), value


def test_annotations_are_read_as_type_checkers_read_them() -> None:
    # Of a name that a module imports for type checkers alone.
    assert schema_of(resolved("Forecast | None", "marskg.cli.commands.compare"))["anyOf"][1] == {"type": "null"}
    assert resolved(int, "marskg") is int


def test_a_type_without_a_form_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match=r"class 'complex'> has no form in JSON"):
        schema_of(list[complex])


def test_two_records_of_one_name_are_refused() -> None:
    other = make_dataclass("Tree", [("height", "int")])
    with pytest.raises(TypeError, match="have one name"):
        schema_of(Tree | other)
