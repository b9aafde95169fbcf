"""The importance index after any history is that of a rebuild from scratch, within the tolerance that it states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.retrieval.graph.entity_graph import RelationGraph
from marskg.retrieval.graph.importance import RESTART, TOLERANCE, Importance

if TYPE_CHECKING:
    from collections.abc import Mapping

NODES = "abcdefgh"
_node = st.sampled_from(NODES)
_edges = st.lists(st.tuples(st.sampled_from(["mentions", "isA"]), _node), max_size=4)
_put = st.tuples(st.just("put"), _node, _edges)
_start = st.tuples(st.just("start"), _node, st.booleans())
_read = st.tuples(st.just("read"), _node, st.none())
histories = st.lists(st.one_of(_put, _start, _read), max_size=40)


def run(history: list[Any]) -> RelationGraph:
    graph = RelationGraph()
    for what, node, value in history:
        if what == "put":
            graph.put(node, value)
        elif what == "start":
            graph.importance.start(node, active=value)
        else:
            graph.importance.of(node)
    return graph


def rebuilt(graph: RelationGraph) -> RelationGraph:
    fresh = RelationGraph()
    fresh.restore(*graph.dump({}))
    for node in sorted(graph.importance.starts):
        fresh.importance.start(node, active=True)
    return fresh


def exact(graph: RelationGraph) -> dict[str, float]:
    """Return the same by power iteration, which shares nothing with the index."""
    starts = graph.importance.starts
    start = {node: (node in starts) / max(1, len(starts)) for node in NODES}
    found = dict(start)
    for _ in range(300):
        moved = {node: RESTART * start[node] for node in NODES}
        for node in NODES:
            degree = graph.degree(node)
            for other, count in graph.neighbours(node).items() if degree else ((node, 1),):
                moved[other] += (1 - RESTART) * found[node] * count / max(1, degree)
        found = moved
    return found


def bound(graph: RelationGraph, node: str) -> float:
    return TOLERANCE * max(1, graph.degree(node)) + 1e-9


@given(histories)
def test_an_index_that_was_kept_up_is_one_that_was_built_anew(history: list[Any]) -> None:
    graph = run(history)
    fresh, right = rebuilt(graph), exact(graph)
    for node in NODES:
        kept = graph.importance.of(node)
        assert abs(kept - fresh.importance.of(node)) <= 2 * bound(graph, node)
        assert abs(kept - right[node]) <= bound(graph, node)


@given(histories)
def test_degrees_are_exact(history: list[Any]) -> None:
    graph = run(history)
    assert all(graph.degree(node) == sum(graph.neighbours(node).values()) for node in NODES)


HISTORY: list[Any] = [
    ("put", "a", [("mentions", "b"), ("mentions", "c")]), ("start", "a", True), ("read", "b", None),
    ("put", "b", [("isA", "d")]), ("read", "b", None), ("put", "a", [("mentions", "c")]), ("read", "a", None),
]  # fmt: skip


@pytest.mark.parametrize("event", ["tied", "cut"])
def test_an_event_that_is_missed_is_found(event: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def off(history: list[Any]) -> float:
        graph = run(history)
        right = exact(graph)
        return max(abs(graph.importance.of(node) - right[node]) - bound(graph, node) for node in NODES)

    assert off(HISTORY) <= 0
    monkeypatch.setattr(Importance, event, lambda *_: None)
    assert off(HISTORY) > 100 * TOLERANCE


def test_nothing_is_important_without_a_task() -> None:
    graph = run([*HISTORY, ("start", "a", False)])
    assert all(graph.importance.of(node) == 0 for node in NODES)


def test_an_event_far_from_tasks_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = RelationGraph()
    graph.put("t", [("mentions", "n0")])
    for number in range(2000):
        graph.put(f"n{number}", [("isA", f"n{number + 1}")])
    graph.importance.start("t", active=True)
    near = graph.importance.of("n0")
    asked: list[str] = []
    neighbours = graph.neighbours

    def counted(node: str) -> Mapping[str, int]:
        asked.append(node)
        return neighbours(node)

    monkeypatch.setattr(graph, "neighbours", counted)
    graph.put("n1999", [("isA", "far")])
    assert graph.importance.of("n0") == near
    assert len(asked) == 0
