"""Every shape on hand-made graphs: two SHACL engines, full and neighbourhood validation and the gate say the same.

The fixtures have ids of their own, so an engine runs once over all of them as one graph, and each is looked up in the
verdict.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from marskg.shapes.catalogue import rules, shapes_graph, targeted_shapes
from marskg.shapes.engines import _selections
from tests.unit.shapes import verdicts
from tests.unit.shapes.fixtures import load, records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from marskg.shapes.validate import EngineName
    from tests.unit.shapes.fixtures import Fixture

CLEAN = load("clean")
VIOLATING = load("violating")
ALL = CLEAN + VIOLATING
TOGETHER = [line for fixture in ALL if not fixture.has_blank_nodes for line in fixture.lines]

WAYS: dict[str, Callable[[Sequence[str]], verdicts.Broken]] = {
    "pyshacl as they are": verdicts.as_they_are_pyshacl,
    "rudof as they are": verdicts.as_they_are_rudof,
    "rudof": lambda lines: verdicts.whole(lines, "rudof"),
    "rudof in batches": lambda lines: verdicts.whole(lines, "rudof", batch_lines=200),
    "pyshacl in batches": lambda lines: verdicts.whole(lines, "pyshacl", batch_lines=2_000),
}


def _params(fixtures: Sequence[Fixture]) -> list[object]:
    return [pytest.param(fixture, id=f"{fixture.path.parent.name}-{fixture.path.stem}") for fixture in fixtures]


@cache
def _verdict(way: str) -> verdicts.Broken:
    return WAYS[way](TOGETHER)


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[pytest.mark.slow] if way == "pyshacl in batches" else []) for way in WAYS]
)
@pytest.mark.parametrize("fixture", _params(ALL))
def test_what_the_fixture_names_is_found_and_nothing_else(fixture: Fixture, way: str) -> None:
    found = WAYS[way](fixture.lines) if fixture.has_blank_nodes else _verdict(way)
    mine = {(node, shape) for node, shape in found if node in fixture.nodes}
    assert mine == (set() if fixture.beyond_core and "as they are" in way else fixture.breaks)


@pytest.mark.parametrize("way", WAYS)
def test_no_result_is_about_a_node_of_no_fixture(way: str) -> None:
    assert {node for node, _ in _verdict(way)} <= {node for fixture in ALL for node in fixture.nodes}


@pytest.mark.parametrize("engine", ["pyshacl", "rudof"])
@pytest.mark.parametrize("fixture", _params([fixture for fixture in ALL if not fixture.has_blank_nodes]))
def test_neighbourhood_validation_finds_what_the_fixture_names(fixture: Fixture, engine: EngineName) -> None:
    assert verdicts.neighbourhoods(fixture.lines, fixture.nodes, engine) == fixture.breaks


@pytest.mark.parametrize("engine", ["pyshacl", "rudof"])
def test_neighbourhood_validation_is_about_the_focus_alone(engine: EngineName) -> None:
    (fixture,) = (f for f in VIOLATING if f.path.stem == "Acyclicity-derivesFrom.mixed")
    for node, shape in fixture.breaks:
        assert verdicts.neighbourhoods(fixture.lines, {node}, engine) == {(node, shape)}


@pytest.mark.parametrize("fixture", _params([fixture for fixture in ALL if fixture.has_records]))
def test_the_gate_finds_what_the_fixture_names(fixture: Fixture) -> None:
    assert verdicts.gate(records(fixture.graph)) == fixture.breaks


def test_every_shape_has_a_violating_fixture_that_names_it() -> None:
    named = {shape for fixture in VIOLATING for _, shape in fixture.breaks}
    assert set(rules()) - named == set()
    assert all(fixture.path.stem.partition(".")[0] in {shape for _, shape in fixture.breaks} for fixture in VIOLATING)


def test_every_shape_has_something_to_look_at_in_a_clean_fixture() -> None:
    targets = targeted_shapes(shapes_graph())
    unseen = {shape for shape, _ in targets}
    for fixture in CLEAN:
        selected = _selections(fixture.graph, set(fixture.graph.all_nodes()))
        unseen -= {shape for shape, chosen in targets if any(selected.get(target) for target in chosen)}
    assert unseen == set()


def test_what_the_gate_cannot_be_asked_about_says_why() -> None:
    reasons = [line for fixture in VIOLATING for line in fixture.text.splitlines() if line.startswith("# no record:")]
    assert all(line.removeprefix("# no record:").strip() for line in reasons)
    assert sum(fixture.has_records for fixture in VIOLATING) > len(VIOLATING) / 2
