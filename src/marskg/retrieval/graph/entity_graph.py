"""The semantic and social graph of a tenant: entities, memories, and the edges that relate them.

Guarantees: kept up edge by edge; degree is exact after each event; neighbourhoods are found by local
push, whose cost depends on the tolerance and not on the size of the graph, and touch only nodes that the reader may
see: the walk neither passes through a hidden memory nor counts its edges, nor goes along a relation between entities
that was read from hidden memories only. The same graph gives the same numbers, whatever the order of events.
Sources: MaRS section 3.2.5 (degree, personalised PageRank on E_sem and E_soc); Andersen, Chung and Lang 2006, "Local
Graph Partitioning using PageRank Vectors" (push).
"""

from __future__ import annotations

from collections import deque
from copy import copy
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from marskg.retrieval.graph.importance import Importance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

#: Probability of going back to the start, and the residual per edge that is not pushed any further.
RESTART: Final = 0.15
TOLERANCE: Final = 1e-4


class Seeing(Protocol):
    """What of a graph may be seen; a constant."""

    def sees(self, node: str) -> bool:
        """Return whether a node may be seen."""
        ...

    def sees_both(self, entity: str, other: str) -> bool:
        """Return whether a memory that may be seen mentions both of two entities."""
        ...


class RelationGraph:
    """Undirected neighbours of memories and entities along mentions, semantic and social edges."""

    def __init__(self) -> None:
        """Hold nothing."""
        #: Type, target, and whether it was read from a text, of the edges that leave a node.
        self._out: dict[str, tuple[tuple[str, str, bool], ...]] = {}
        self._near: dict[str, dict[str, int]] = {}
        #: How many of the edges between two nodes were read from a text.
        self._read: dict[tuple[str, str], int] = {}
        self._degrees: dict[str, int] = {}
        self.importance = Importance(self)
        self._walked: tuple[npt.NDArray[np.bool_], Walk] | None = None
        #: Changes with every edge; and the nodes whose degree changed since somebody took note of them and cleared it.
        self.version = 0
        self.touched: set[str] = set()

    def __len__(self) -> int:
        """Return the number of nodes that have an edge."""
        return len(self._near)

    def put(self, node: str, edges: Iterable[tuple[str, str]], read: Iterable[tuple[str, str]] = ()) -> None:
        """Let ``edges``, pairs of type and target, be all that leave ``node``.

        Those in ``read`` as well are relations between entities that were read from a text: a reader sees them only if
        they see a memory that mentions both ends.
        """
        from_text = frozenset(read)
        wanted = {(*edge, edge in from_text) for edge in edges}
        held = {*self._out.get(node, ())}
        if wanted == held:
            return
        self._walked = None
        self.version += 1
        for edge in sorted(held - wanted):
            self._cut(node, edge[1], read=edge[2])
        for edge in sorted(wanted - held):
            self._tie(node, edge[1], read=edge[2])
        if wanted:
            self._out[node] = tuple(sorted(wanted))
        else:
            self._out.pop(node, None)

    def remove(self, node: str) -> None:
        """Take away a node with the edges that leave it."""
        self.put(node, ())

    def _tie(self, first: str, second: str, *, read: bool) -> None:
        for one, other in ((first, second), (second, first)):
            near = self._near.setdefault(one, {})
            near[other] = near.get(other, 0) + 1
            if read:
                self._read[one, other] = self._read.get((one, other), 0) + 1
            self._degrees[one] = self._degrees.get(one, 0) + 1
            self.touched.add(one)
            self.importance.tied(one, other, self._degrees[one])

    def _cut(self, first: str, second: str, *, read: bool) -> None:
        for one, other in ((first, second), (second, first)):
            near = self._near[one]
            near[other] -= 1
            if read:
                self._read[one, other] -= 1
                if not self._read[one, other]:
                    del self._read[one, other]
            if not near[other]:
                del near[other]
            self._degrees[one] -= 1
            self.touched.add(one)
            self.importance.cut(one, other, self._degrees[one])
            if not near:
                del self._near[one], self._degrees[one]

    def edges(self, node: str) -> frozenset[tuple[str, str]]:
        """Return the ``(type, target)`` of the edges that leave ``node``."""
        return frozenset((type_, target) for type_, target, _ in self._out.get(node, ()))

    def neighbours(self, node: str) -> Mapping[str, int]:
        """Return the nodes next to ``node`` with the number of edges between them."""
        return self._near.get(node, {})

    def seen(self, node: str, sight: Seeing) -> list[tuple[str, int]]:
        """Return the nodes next to ``node``, which may be seen itself, with the edges that may be seen, in order."""
        found = []
        for other, count in self.neighbours(node).items():
            if not sight.sees(other):
                continue
            read = self._read.get((node, other), 0)
            shown = count - read if read and not sight.sees_both(node, other) else count
            if shown:
                found.append((other, shown))
        return sorted(found)

    def degree(self, node: str) -> int:
        """Return the number of edges at ``node``."""
        return self._degrees.get(node, 0)

    def near(self, starts: Mapping[str, float], sight: Seeing, tolerance: float = TOLERANCE) -> dict[str, float]:
        """Return personalised PageRank around ``starts``; see :meth:`Walk.near`."""
        return Walk(self, sight).near(starts, tolerance)

    def walk(self, mask: npt.NDArray[np.bool_], sight: Seeing) -> Walk:
        """Return a walk through what ``mask`` shows, which ``sight`` tells.

        The last one is kept while neither the graph, mentions included, nor the mask changes: readers mostly see the
        same.
        """
        if self._walked is None or not np.array_equal(self._walked[0], mask):
            self._walked = (mask.copy(), Walk(self, sight))
        return self._walked[1]

    def spread(self, starts: Iterable[str], tolerance: float) -> dict[str, float]:
        """Return personalised PageRank from ``starts``, equally weighted, over the whole tenant's graph, by node.

        Unlike :attr:`importance` it is a function of the graph and the starts alone, not of how they came about, and
        so equal wherever these are equal. It pushes until the residual of each node is below ``tolerance`` per edge,
        which takes at most ``1 / (RESTART * tolerance)`` edges, however large the graph is; an estimate is too low by
        at most ``tolerance`` times the node's degree.
        """
        nodes = sorted(starts)
        residual = dict.fromkeys(nodes, 1.0 / max(1, len(nodes)))
        found: dict[str, float] = {}
        queue = deque(nodes)
        queued = set(nodes)
        while queue:
            node = queue.popleft()
            queued.discard(node)
            amount, degree = residual[node], self.degree(node)
            if not degree:
                found[node] = found.get(node, 0.0) + residual.pop(node)
                continue
            if amount < tolerance * degree:
                continue
            del residual[node]
            found[node] = found.get(node, 0.0) + RESTART * amount
            share = (1 - RESTART) * amount / degree
            for other, count in sorted(self.neighbours(node).items()):
                moved = residual[other] = residual.get(other, 0.0) + share * count
                if other not in queued and moved >= tolerance * self.degree(other):
                    queued.add(other)
                    queue.append(other)
        return found

    def divided(self, aspects: Mapping[str, Sequence[tuple[str, Iterable[str], bool]]]) -> RelationGraph:
        """Return this graph with each of some nodes taken apart; nothing changes here.

        Each part has an id, the nodes next to it that are its own, and whether all other edges are its own as well.
        Edges to nodes that are no part's own are left out.
        """
        near, read = dict(self._near), dict(self._read)
        for node, parts in aspects.items():
            ends = {end: ident for ident, own, _ in parts for end in own}
            rest = next((ident for ident, _, takes_rest in parts if takes_rest), None)
            for other, count in near.pop(node, {}).items():
                near[other] = {one: many for one, many in near[other].items() if one != node}
                part = ends.get(other, rest)
                if part is None:
                    continue
                near.setdefault(part, {})[other] = near[other][part] = count
                for old, new in (((node, other), (part, other)), ((other, node), (other, part))):
                    if old in read:
                        read[new] = read.pop(old)
        found = copy(self)
        vars(found).update(_near=near, _read=read, _walked=None)
        return found

    def forget_walk(self) -> None:
        """Drop the walk that is kept: the rows that masks are of have other places now."""
        self._walked = None

    def dump(self, known: Mapping[str, int]) -> tuple[list[str], list[str], npt.NDArray[np.int32]]:
        """Return all edges: types, nodes that are not ``known`` by a number, and edges as rows of four numbers.

        These are the places of source, type and target, and whether it was read from a text; nodes that are not known
        are numbered after the others.
        """
        nodes, types = dict(known), dict[str, int]()
        edges = [
            (nodes.setdefault(node, len(nodes)), types.setdefault(type_, len(types)), target, read)
            for node, found in sorted(self._out.items())
            for type_, target, read in found
        ]
        rows = [(node, type_, nodes.setdefault(target, len(nodes)), read) for node, type_, target, read in edges]
        return list(types), list(nodes)[len(known) :], np.array(rows, dtype=np.int32).reshape(-1, 4)

    def restore(self, types: list[str], nodes: list[str], edges: npt.NDArray[np.int32]) -> None:
        """Take in what :meth:`dump` gave, ``nodes`` with those that were known before them; it holds nothing yet."""
        out: dict[str, list[tuple[str, str, bool]]] = {}
        for source, type_, target, read in edges.tolist():
            out.setdefault(nodes[source], []).append((types[type_], nodes[target], bool(read)))
        self._out = {node: tuple(found) for node, found in out.items()}
        for node, near in _neighbourhoods(edges, nodes):
            self._near[node] = near
            self._degrees[node] = sum(near.values())
        for node, near in _neighbourhoods(edges[edges[:, 3] > 0], nodes):
            self._read |= {(node, other): count for other, count in near.items()}
        self.version += 1


def _neighbourhoods(edges: npt.NDArray[np.int32], nodes: Sequence[str]) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield each node that has an edge, with those next to it and the number of edges to each."""
    ends, size = edges[:, [0, 2]].astype(np.int64), len(nodes)
    pairs, counts = np.unique(np.concatenate((ends @ [size, 1], ends @ [1, size])), return_counts=True)
    ones, others = np.divmod(pairs, max(1, size))
    found, starts = np.unique(ones, return_index=True)
    limits = [*starts.tolist(), len(pairs)]
    near, often = [nodes[other] for other in others.tolist()], counts.tolist()
    for place, one in enumerate(found.tolist()):
        start, end = limits[place], limits[place + 1]
        yield nodes[one], dict(zip(near[start:end], often[start:end], strict=True))


class Walk:
    """Walks through the part of a graph that a reader may see; knows the neighbourhoods that it has seen once."""

    def __init__(self, graph: RelationGraph, sight: Seeing) -> None:
        """Walk through what ``sight`` sees of ``graph``; the rest does not exist for the walk."""
        self._graph = graph
        self._sight = sight
        self._known: dict[str, tuple[list[tuple[str, int]], int]] = {}

    def _near(self, node: str) -> tuple[list[tuple[str, int]], int]:
        """Return the visible neighbours in an order of their own, with their edges, and the sum of these."""
        found = self._known.get(node)
        if found is None:
            near = self._graph.seen(node, self._sight)
            found = self._known[node] = (near, sum(count for _, count in near))
        return found

    def near(self, starts: Mapping[str, float], tolerance: float = TOLERANCE) -> dict[str, float]:
        """Return personalised PageRank around ``starts`` as approximate scores, by node.

        Args:
            starts: where the walk starts and returns to, with positive weights; they need not sum to one.
            tolerance: the residual per edge that is not pushed any further; the walk goes along no more than
                ``1 / (RESTART * tolerance)`` edges.
        """
        total = sum(starts.values())
        residual = {node: weight / total for node, weight in sorted(starts.items()) if self._sight.sees(node)}
        found: dict[str, float] = {}
        front = list(residual)
        while front:
            pushed = self._taken(front, residual, found, tolerance)
            reached: dict[str, None] = {}
            for node, amount in pushed:
                near, degree = self._near(node)
                found[node] = found.get(node, 0.0) + RESTART * amount
                share = (1 - RESTART) * amount / degree
                for other, count in near:
                    residual[other] = residual.get(other, 0.0) + share * count
                    reached[other] = None
            # What was reached has an edge at least: with less than its tolerance nobody need count how many.
            front = [node for node in reached if residual[node] >= tolerance]
        return found

    def _taken(
        self, front: Iterable[str], residual: dict[str, float], found: dict[str, float], tolerance: float
    ) -> list[tuple[str, float]]:
        """Take from ``residual`` what the nodes of ``front`` push on in this round; what can go nowhere is ``found``.

        All is taken before any is pushed: else the order of the nodes, which is that of ids and so tells who was heard
        of first, by hidden memories as well, would show in the numbers.
        """
        taken = []
        for node in front:
            degree = self._near(node)[1]
            if not degree:
                found[node] = found.get(node, 0.0) + residual.pop(node)
            elif residual[node] >= tolerance * degree:
                taken.append((node, residual.pop(node)))
        return taken
