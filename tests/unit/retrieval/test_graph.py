"""The graph of entities and memories: edges event by event, and the walk that sees only what may be seen."""

from __future__ import annotations

from random import Random

import pytest

from marskg.retrieval.graph.entity_graph import RelationGraph


def _graph(**edges: list[str]) -> RelationGraph:
    graph = RelationGraph()
    for node, targets in edges.items():
        graph.put(node, [("mentions", target) for target in targets])
    return graph


class _But:
    """Sees all but some nodes, and memories that mention both of any two entities or of none."""

    def __init__(self, *hidden: str, together: bool = True) -> None:
        self._hidden = hidden
        self._together = together

    def sees(self, node: str) -> bool:
        return node not in self._hidden

    def sees_both(self, entity: str, other: str) -> bool:
        return self._together and self.sees(entity) and self.sees(other)


_everyone = _But()


def held(graph: RelationGraph) -> tuple[list[str], list[str], list[list[int]]]:
    """Return the types, nodes and edges of a graph."""
    types, nodes, edges = graph.dump({})
    return types, nodes, edges.tolist()


def test_degrees_follow_the_edges() -> None:
    graph = _graph(m1=["e1", "e2"], m2=["e1"])
    assert [graph.degree(node) for node in ("e1", "e2", "m1", "m2", "m3")] == [2, 1, 2, 1, 0]
    graph.put("m1", [("mentions", "e2"), ("isA", "e2")])
    assert graph.neighbours("e2") == {"m1": 2}
    assert graph.edges("m1") == {("mentions", "e2"), ("isA", "e2")}
    graph.remove("m1")
    assert held(graph) == (["mentions"], ["m2", "e1"], [[0, 0, 1, 0]])
    assert len(graph) == 2


def test_a_removed_node_keeps_the_edges_that_lead_to_it() -> None:
    graph = _graph(m1=["m2"], m2=["e1"])
    graph.remove("m2")
    assert graph.neighbours("m2") == {"m1": 1}


def test_nearer_nodes_score_higher_and_all_together_at_most_one() -> None:
    found = _graph(m1=["e1"], m2=["e1", "e2"], m3=["e2"]).near({"e1": 1.0}, _everyone)
    assert found["e1"] > found["m2"] > found["e2"] > found["m3"]
    assert 0.9 < sum(found.values()) <= 1 + 1e-9


def test_a_start_without_neighbours_keeps_all() -> None:
    assert _graph().near({"e1": 2.0, "e2": 6.0}, _everyone) == {"e1": 0.25, "e2": 0.75}


def test_a_hidden_node_is_as_good_as_absent() -> None:
    with_hidden = _graph(m1=["e1"], m2=["e1", "e2"], m3=["e2"], m9=["e1", "e2", "e3"])
    without = _graph(m1=["e1"], m2=["e1", "e2"], m3=["e2"])
    assert with_hidden.near({"e1": 1.0}, _But("m9", "e3")) == without.near({"e1": 1.0}, _everyone)
    assert with_hidden.near({"e1": 1.0}, _everyone) != without.near({"e1": 1.0}, _everyone)


def test_the_order_of_events_does_not_matter() -> None:
    one, other = _graph(m1=["e1", "e2"], m2=["e1"]), _graph(m2=["e3"])
    other.put("m2", [("mentions", "e1")])
    other.put("m1", [("mentions", "e2"), ("mentions", "e1")])
    assert held(one) == held(other)
    assert one.near({"e1": 1.0}, _everyone) == other.near({"e1": 1.0}, _everyone)


def test_what_nodes_are_called_does_not_matter() -> None:
    # Whoever was heard of first has the lower id, and a hidden memory may have been the one to tell of them.
    def walked(names: list[str]) -> list[float]:
        graph, rng = RelationGraph(), Random(7)
        for number in range(200):
            graph.put(f"m{number:03}", [("mentions", names[place]) for place in rng.sample(range(20), 3)])
        for place in range(19):
            graph.put(names[place], [("isA", names[place + 1]), ("partOf", names[(7 * place + 1) % 20])])
        found = graph.near({names[0]: 1.0, names[1]: 1.0}, _everyone, 1e-3)
        return [found.get(f"m{number:03}", 0.0) for number in range(200)]

    names = [f"e{number:02}" for number in range(20)]
    assert walked(names) == pytest.approx(walked(names[::-1]), abs=1e-12)
    assert sum(walked(names)) > 0.1


def test_a_relation_that_was_read_from_a_text_is_followed_by_who_sees_both_ends_in_one_memory() -> None:
    graph = _graph(m1=["e1"], m2=["e2"])
    graph.put("e1", [("worksAt", "e2"), ("friendOf", "e2")], read=[("worksAt", "e2")])
    assert graph.seen("e1", _everyone) == [("e2", 2), ("m1", 1)]
    assert graph.seen("e2", _But(together=False)) == [("e1", 1), ("m2", 1)]
    graph.put("e1", [("worksAt", "e2")], read=[("worksAt", "e2")])
    assert graph.seen("e2", _But(together=False)) == [("m2", 1)]
    assert "m2" not in graph.near({"e1": 1.0}, _But(together=False))
    again = RelationGraph()
    again.restore(*graph.dump({}))
    assert held(again) == held(graph)
    assert again.seen("e1", _But(together=False)) == [("m1", 1)]
    # Drawn by a person from now on.
    graph.put("e1", [("worksAt", "e2")])
    assert graph.seen("e1", _But(together=False)) == [("e2", 1), ("m1", 1)]
    graph.remove("e1")
    assert graph.seen("e2", _everyone) == [("m2", 1)]


def test_a_dump_comes_back() -> None:
    graph = _graph(m1=["e1", "e2"], m2=["e1"])
    again = RelationGraph()
    again.restore(*graph.dump({}))
    assert held(again) == held(graph)
    assert again.near({"e2": 1.0}, _everyone) == pytest.approx(graph.near({"e2": 1.0}, _everyone))
