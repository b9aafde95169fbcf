"""What retention goes by: novelty, similarity to the goal, nearness to the tasks and degree, kept up event by event.

Guarantees: the table is a function of the memories in the index and of the goal, equal to that of an index built anew
from them; an event notes which memory changed and costs no more before the next table is asked for; the table then
takes in what was noted, and one pass over the columns. Nothing is worked out before the first table. Source: MaRS
sections 3.2.5 and 3.2.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol, overload

import numpy as np

from marskg.ontology.vocabulary import ACTIVE_STATUSES, Kind, TaskStatus, Tier
from marskg.policies.core.features import FeatureTable
from marskg.retrieval.index.columns import Columns
from marskg.retrieval.index.link_columns import FacetRows, LinkColumns
from marskg.retrieval.index.novelty import Novelty, bucket_codes
from marskg.store.rows.order_keys import SUPERSEDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from marskg.retrieval.graph.entity_graph import RelationGraph

_MICRO: Final = 1_000_000
_FOREVER: Final = np.iinfo(np.int64).max
_TASK: Final = tuple(Kind).index(Kind.TASK)
_LIVE: Final = tuple(Tier).index(Tier.LIVE)
#: For each code of a status, and -1 for none at the end: whether a task of it is active.
_ACTIVE: Final = np.array([*(status in ACTIVE_STATUSES for status in TaskStatus), False])
#: The residual per edge that nearness leaves where it is: 1 / (0.15 * 0.0005), some 13,000 edges, bound a walk.
TOLERANCE: Final = 5e-4
#: What the similarity of a table is to.
TASKS, GIVEN, NONE = "active tasks", "set by the caller", "none"


class _Picked(Sequence[str]):
    """The ids of some rows, looked up when they are asked for: a plan asks for few."""

    def __init__(self, ids: list[str], rows: npt.NDArray[np.intp]) -> None:
        self._ids = ids
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self._ids[row] for row in self._rows[place].tolist()]
        return self._ids[int(self._rows[place])]


class IndexedMemories(FacetRows, Protocol):
    """The index that holds the memories (:class:`marskg.retrieval.index.memory_index.MemoryIndex`)."""

    dimension: int
    ids: list[str]
    vectors: Columns
    graph: RelationGraph


class FeatureColumns:
    """The part of an index that retention needs and retrieval does not."""

    def __init__(self, index: IndexedMemories) -> None:
        """Follow ``index``, which tells of every change by :meth:`changed`."""
        self._index = index
        self._novelty = Novelty()
        self._own = Columns(
            {
                "counted": (np.bool_, False),
                "degree": (np.int32, 0),
                "dependents": (np.int32, 0),
                "nearness": (np.int32, 0),
                "goal": (np.int32, 0),
                "aimed": (np.bool_, False),
            }
        )
        #: Whether what changes is worth noting: nobody asked for a table before.
        self._used = False
        self._noted: dict[str, None] = {}
        #: Memories that others came to depend on, or ceased to, since they were counted.
        self._moved: set[str] = set()
        self._given: npt.NDArray[np.float32] | None = None
        self._goal: npt.NDArray[np.float32] | None = None
        self._walked: tuple[int, frozenset[str]] | None = None
        self._links = LinkColumns(index)
        self._near: list[int] = []

    # --- Events ---------------------------------------------------------------------------------------------------

    def changed(self, ident: str) -> None:
        """Note that a memory was put into the index or removed."""
        if self._used:
            self._noted[ident] = None
        self._links.changed(ident)

    def moved(self, base: str) -> None:
        """Note that something came to depend on ``base``, or ceased to."""
        if self._used:
            self._moved.add(base)

    def keep(self, rows: npt.NDArray[np.intp]) -> None:
        """Follow a compaction, which kept ``rows`` in that order."""
        self._grow()
        self._own.keep(rows)
        self._own["nearness"][:] = 0
        self._walked = None
        self._near = []
        self._links.forget()

    def restored(self) -> None:
        """Take note that the index came from a file, with the novelty that was known then."""
        index = self._index
        known = np.flatnonzero(index.columns["judged"])
        if len(known):
            self._used = True
            self._enter([index.ids[row] for row in known.tolist()])
            self._noted = dict.fromkeys(index.ids[row] for row in np.flatnonzero(~index.columns["judged"]).tolist())

    def set_goal(self, vector: npt.NDArray[np.float32] | None) -> None:
        """Let ``vector`` be the goal, in the place of the active tasks; None for these again."""
        self._given = vector

    # --- The table ------------------------------------------------------------------------------------------------

    def table(self, now: int, task_grace: int, *, linked: bool = False) -> FeatureTable:
        """Return the features of all live memories, those that were put into the index last among them.

        With ``linked`` the table has what they cover and depend on.
        """
        if not self._used:
            self._used = True
            self._noted = dict.fromkeys(self._index.rows)
        self.settle()
        self._count()
        held, own = self._index.columns, self._own
        live = np.flatnonzero(held["alive"] & (held["tier"] == _LIVE))
        active = self._active(now, task_grace)
        goal = self._aim(active)
        self._walk()
        open_ = ~held["pinned"] & ~active & ~self._needed(active)
        columns = {
            **{name: held[name][live] for name in ("kind", "weight", "sequence", "created", "lastAccess")},
            **{name: held[name][live] for name in ("accessCount", "sensitivity", "score", "novelty", "deadline")},
            **{name: own[name][live] for name in ("degree", "nearness", "goal")},
            "rank": np.where(held["supersededAt"][live] < _FOREVER, int(SUPERSEDED), held["evictionRank"][live]),
            "generality": held["generalityScore"][live],
            "active": active[live],
            "open": open_[live],
        }
        links = self._links.pairs(live, active, own["dependents"]) if linked else None
        return FeatureTable(_Picked(self._index.ids.copy(), live), columns, goal, links)

    def _active(self, now: int, task_grace: int) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: the tasks that are to be done."""
        held = self._index.columns
        timely = held["deadline"] > now - task_grace
        active: npt.NDArray[np.bool_] = held["alive"] & _ACTIVE[held["status"]] & timely
        return active

    def _needed(self, active: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: what others with content depend on, and what active tasks require: no leaves."""
        index = self._index
        needed: npt.NDArray[np.bool_] = self._own["dependents"] > 0
        for ident, tasks in index.facets["requires"].items():
            if ident in index.rows and any(active[row] for row in tasks):
                needed[index.rows[ident]] = True
        return needed

    # --- Novelty --------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Take in what was noted since."""
        noted, self._noted = self._noted, {}
        affected = self._leave(noted) | self._enter(noted)
        column, judged, rows = self._index.columns["novelty"], self._index.columns["judged"], self._index.rows

        def store(ident: str, value: int) -> None:
            column[rows[ident]] = value
            judged[rows[ident]] = True

        there = [ident for ident in affected if ident in self._novelty]
        self._novelty.judge(there, rows, self._index.vectors["vector"], store)

    def _takes_part(self, row: int) -> bool:
        """Return whether a row is compared: a live and current memory of E, S or R with a vector."""
        held = self._index.columns
        there = bool(held["alive"][row] and held["vectored"][row]) and held["tier"][row] == _LIVE
        return bool(there and held["kind"][row] != _TASK and held["supersededAt"][row] == _FOREVER)

    def _leave(self, noted: Iterable[str]) -> set[str]:
        index, affected = self._index, set[str]()
        for ident in noted:
            row = index.rows.get(ident)
            stays = row is not None and self._takes_part(row)
            if ident in self._novelty:
                known = stays and self._novelty.sequence(ident) == index.columns["sequence"][row]
                # A row that is new knows nothing, though its memory may have been here before.
                if known and index.columns["judged"][row]:
                    continue
                affected |= self._novelty.leave(ident)
            if row is not None and not stays:
                index.columns["novelty"][row] = 0
                index.columns["judged"][row] = False
        return affected

    def _enter(self, noted: Iterable[str]) -> set[str]:
        """Let what is new take part; returns who has to be compared anew."""
        index = self._index
        rows = {ident: index.rows[ident] for ident in noted if ident in index.rows and ident not in self._novelty}
        fresh = {ident: row for ident, row in rows.items() if self._takes_part(row)}
        codes = bucket_codes(index.vectors["vector"][list(fresh.values())]) if fresh else []
        affected: set[str] = set()
        for (ident, row), code in zip(fresh.items(), codes, strict=True):
            affected |= self._novelty.enter(ident, int(index.columns["sequence"][row]), code)
        return affected

    # --- Goal -----------------------------------------------------------------------------------------------------

    def _aim(self, active: npt.NDArray[np.bool_]) -> str:
        """Bring the similarity to the goal up to date; returns in words whose goal it is."""
        held, own = self._index.columns, self._own
        goal, whose = (self._given, GIVEN) if self._given is not None else (self._goal_of(active), TASKS)
        if goal is None or goal.shape != (self._index.dimension,):
            goal, whose = None, NONE
        known = self._goal
        if (goal is None) != (known is None) or (goal is not None and not np.array_equal(goal, known)):  # type: ignore[arg-type]  # both are None or neither is
            self._goal = goal
            own["aimed"][:] = False
        stale = np.flatnonzero(held["alive"] & ~own["aimed"])
        if len(stale):
            own["goal"][stale] = 0
            own["aimed"][stale] = held["vectored"][stale] | (goal is None)
            if goal is not None:
                vectors = self._index.vectors["vector"]
                # All rows at once need no copy.
                near = np.einsum("ij,j->i", vectors if len(stale) == len(vectors) else vectors[stale], goal)
                own["goal"][stale] = np.rint(np.clip(near, 0.0, 1.0) * _MICRO).astype(np.int32)
        return whose

    def _goal_of(self, active: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32] | None:
        """Return the direction that the active tasks have in common; None without a task that has a vector."""
        held = self._index.columns
        rows = np.flatnonzero(active & held["vectored"])
        ordered = rows[np.argsort(held["sequence"][rows], kind="stable")]
        total = self._index.vectors["vector"][ordered].astype(np.float64).sum(axis=0)
        length = float(np.sqrt((total * total).sum()))
        return (total / length).astype(np.float32) if length else None

    # --- Graph ----------------------------------------------------------------------------------------------------

    def _walk(self) -> None:
        """Bring the nearness to the active tasks up to date, if an edge or a task has changed."""
        graph = self._index.graph
        state = (graph.version, graph.importance.starts)
        if state == self._walked:
            return
        nearness, rows = self._own["nearness"], self._index.rows
        nearness[self._near] = 0
        found = graph.spread(state[1], TOLERANCE)
        near = {rows[node]: amount for node, amount in found.items() if node in rows}
        self._near = list(near)
        nearness[self._near] = [round(amount * _MICRO) for amount in near.values()]
        self._walked = state

    def _count(self) -> None:
        """Count the edges and the dependents of the memories that are new, or whose number changed."""
        self._grow()
        index, own = self._index, self._own
        fresh = np.flatnonzero(~own["counted"] & index.columns["alive"]).tolist()
        for row in (*fresh, *self._there(index.graph.touched)):
            own["degree"][row] = index.graph.degree(index.ids[row])
        for row in (*fresh, *self._there(self._moved)):
            own["dependents"][row] = len(index.facets["base"].get(index.ids[row], ()))
        starts = index.graph.importance.starts
        if any(own["degree"][row] or index.ids[row] in starts for row in fresh):
            self._walked = None  # The walk may have passed where it had no row yet.
        own["counted"][fresh] = True
        index.graph.touched.clear()
        self._moved.clear()

    def _there(self, idents: Iterable[str]) -> Iterator[int]:
        rows = self._index.rows
        return (rows[ident] for ident in idents if ident in rows)

    def _grow(self) -> None:
        missing = self._index.columns.rows - self._own.rows
        if missing > 0:
            self._own.append(missing)
