"""The importance index: how near each memory and entity is to what the tenant's active tasks are about.

Guarantees: kept up event by event and never rescanned: an edge that comes or goes costs a few additions at its two
ends, and what it moves is pushed on only as far as the tolerance asks; an estimate is off by at most
:data:`TOLERANCE` times the node's degree (by :data:`TOLERANCE` for a node without edges), so that an index that was
kept up and one that was built anew differ by at most twice that. The graph it walks is the whole tenant's: it answers
for readers who may see all of that.
Sources: MaRS section 3.2.5 (degree and personalised PageRank on E_sem and E_soc); Zhang, Lofgren and Goel 2016,
"Approximate Personalized PageRank on Dynamic Graphs" (KDD), forward push for undirected graphs.

With the residual r, the estimate p, the start s, the degrees d, the number w of edges and the restart probability c,
every event keeps, for each node v: ``p(v) + c r(v) = c s(v) + (1 - c) sum over x of p(x) w(x, v) / d(x)``. From a node
without edges the walk goes nowhere else. As sum over u of |r(u)| ppr(u, v) bounds the error at v, and d(u) ppr(u, v) is
d(v) ppr(v, u), residuals of at most TOLERANCE d(u) leave at most TOLERANCE d(v).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Probability of going back to a task.
RESTART: Final = 0.15
#: The residual per edge that is not pushed any further.
TOLERANCE: Final = 1e-5


class Adjacency(Protocol):
    """The graph as it stands, in which the index walks."""

    def neighbours(self, node: str) -> Mapping[str, int]:
        """Return the nodes next to ``node`` with the number of edges between them."""
        ...

    def degree(self, node: str) -> int:
        """Return the number of edges at ``node``."""
        ...


class Importance:
    """Personalised PageRank from the active tasks, by node, as the graph changes."""

    def __init__(self, graph: Adjacency) -> None:
        """Walk in ``graph``, which tells of each edge by :meth:`tied` and :meth:`cut`; no task is active."""
        self._graph = graph
        self._starts: set[str] = set()
        self._estimate: dict[str, float] = {}
        self._residual: dict[str, float] = {}
        #: Nodes whose residual may be more than is left alone, in the order in which they came to be so.
        self._moved: dict[str, None] = {}

    @property
    def starts(self) -> frozenset[str]:
        """Return the active tasks."""
        return frozenset(self._starts)

    def start(self, node: str, *, active: bool) -> None:
        """Let ``node`` be one of the active tasks, or not."""
        if active == (node in self._starts):
            return
        if active:
            self._starts.add(node)
        else:
            self._starts.discard(node)
        self._add(node, 1.0 if active else -1.0)

    def tied(self, node: str, other: str, degree: int) -> None:
        """Take in that ``node`` was tied to ``other``; it has ``degree`` edges with this one."""
        held = self._estimate.get(node, 0.0)
        self._moved[node] = None
        if not held:
            return
        if degree > 1:
            share = held / (degree - 1)
            self._estimate[node] = held + share
            self._add(node, -share / RESTART)
        else:
            share = held
            self._add(node, -share * (1 - RESTART) / RESTART)
        self._add(other, share * (1 - RESTART) / RESTART)

    def cut(self, node: str, other: str, degree: int) -> None:
        """Take in that an edge from ``node`` to ``other`` was cut; ``degree`` edges are left."""
        held = self._estimate.get(node, 0.0)
        self._moved[node] = None
        if not held:
            return
        share = held / (degree + 1)
        if degree:
            self._estimate[node] = held - share
            self._add(node, share / RESTART)
        else:
            self._add(node, share * (1 - RESTART) / RESTART)
        self._add(other, -share * (1 - RESTART) / RESTART)

    def _add(self, node: str, amount: float) -> None:
        self._residual[node] = self._residual.get(node, 0.0) + amount
        self._moved[node] = None

    def of(self, node: str) -> float:
        """Return the personalised PageRank of ``node``, from 0 to 1, the mean over the active tasks; 0 without any."""
        self._settle()
        if not self._starts:
            return 0.0
        return max(0.0, self._estimate.get(node, 0.0) / len(self._starts))

    def _settle(self) -> None:
        """Push residuals on until each is within the tolerance."""
        queue = deque(self._moved)
        self._moved.clear()
        queued = set(queue)
        while queue:
            node = queue.popleft()
            queued.discard(node)
            amount = self._residual.get(node, 0.0)
            degree = self._graph.degree(node)
            if abs(amount) <= TOLERANCE * max(1, degree):
                if not amount:
                    self._residual.pop(node, None)
                continue
            del self._residual[node]
            self._estimate[node] = self._estimate.get(node, 0.0) + amount * (RESTART if degree else 1)
            share = (1 - RESTART) * amount / max(1, degree)
            for other, count in self._graph.neighbours(node).items():
                self._residual[other] = self._residual.get(other, 0.0) + share * count
                if other not in queued:
                    queued.add(other)
                    queue.append(other)
