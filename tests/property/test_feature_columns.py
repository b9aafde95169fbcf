"""The features that policies go by, kept up event by event, are those of an index that was built from what is left."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marskg.ontology.vocabulary import EdgeType, Kind, TaskStatus, Tier
from marskg.policies.core.features import COLUMNS, SORTS
from marskg.retrieval.index import novelty
from marskg.retrieval.index.feature_columns import GIVEN, NONE, TASKS
from marskg.retrieval.index.memory_index import MemoryIndex
from marskg.retrieval.index.novelty import Novelty
from marskg.retrieval.index.storage import Reached, load, save
from tests.support.candidates import NOON, direction
from tests.support.indexed import DIMENSION, put, stored

if TYPE_CHECKING:
    from marskg.policies.core.features import FeatureTable
    from marskg.records import Memory

DAY = 86_400_000
EDGES = [
    EdgeType.MENTIONS,
    EdgeType.DEPENDS_ON,
    EdgeType.FRIEND_OF,
    EdgeType.REQUIRES,
    EdgeType.ATTACHES_TO_GOAL,
]
numbers = st.integers(1, 9)
edges = st.sets(st.tuples(st.sampled_from(EDGES), st.sampled_from(["e1", "e2", "m1", "m2", "m3"])), max_size=3).map(
    lambda found: {(str(type_), target) for type_, target in found}
)
#: Few directions, so that many are near one another.
vectors = st.none() | st.tuples(*[st.integers(-1, 2)] * DIMENSION).filter(any).map(lambda parts: direction(*parts))


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    number = draw(numbers)
    kind = list(Kind)[number % 4]
    task: dict[str, Any] = {
        "status": draw(st.sampled_from(list(TaskStatus))),
        "deadline": draw(st.sampled_from([None, NOON, NOON + DAY])),
    }
    return stored(
        number,
        kind=kind,
        tier=draw(st.sampled_from([Tier.LIVE, Tier.LIVE, Tier.LATENT])),
        superseded_at=draw(st.sampled_from([None, None, NOON - 1])),
        sensitivity=draw(st.sampled_from([0.0, 0.7])),
        pinned=draw(st.sampled_from([False, False, True])),
        subjects=draw(st.sampled_from([(), ("ann",), ("bob", "ann")])),
        key=draw(st.sampled_from([None, None, "tea"])),
        weight=7,
        **(task if kind is Kind.TASK else {}),
    )


class World:
    """An index under events, and what it should know after them."""

    def __init__(self, kind: type[MemoryIndex] = MemoryIndex) -> None:
        self.index = kind(DIMENSION)
        self.held: dict[str, tuple[Memory, set[tuple[str, str]], Any]] = {}
        self.goal: Any = None

    def put(self, event: tuple[Memory, set[tuple[str, str]], Any]) -> None:
        memory, leading, vector = event
        leading = {(type_, target) for type_, target in leading if target != memory.id}
        known = self.held.get(memory.id)
        if known and known[2] is not None:
            vector = known[2]  # No memory's text changes, and so no vector.
        put(self.index, memory, leading, vector)
        self.held[memory.id] = (memory, leading, vector)

    def remove(self, number: int) -> None:
        self.index.remove(f"m{number}")
        self.held.pop(f"m{number}", None)

    def access(self, number: int) -> None:
        self.index.access(f"m{number}", NOON + 5, 3, 70)
        if f"m{number}" in self.held:
            memory, leading, vector = self.held[f"m{number}"]
            changed = replace(memory, last_access=NOON + 5, access_count=3, score=70)
            self.held[memory.id] = (changed, leading, vector)

    def aim(self, vector: Any) -> None:
        self.goal = vector
        self.index.features.set_goal(vector)

    def compact(self, _: None) -> None:
        self.index.compact()

    def look(self, _: None) -> None:
        seen(self.index)

    def rebuilt(self) -> MemoryIndex:
        """Return an index of what is left, put in in another order."""
        fresh = MemoryIndex(DIMENSION)
        fresh.features.set_goal(self.goal)
        for _, (memory, leading, vector) in sorted(self.held.items(), reverse=True):
            put(fresh, memory, leading, vector)
        return fresh


def seen(index: MemoryIndex) -> tuple[str, dict[str, dict[str, Any]]]:
    """Return whose goal it is, and the row of each memory by its id, with what it covers and depends on."""
    table = index.features.table(NOON + 10, 7 * DAY, linked=True)
    assert set(table.columns) == set(COLUMNS)
    rows = {ident: {name: table.columns[name][row].item() for name in COLUMNS} for row, ident in enumerate(table.ids)}
    for ident, linked in links_of(index, table).items():
        rows[ident] |= linked
    return table.goal, rows


def links_of(index: MemoryIndex, table: FeatureTable) -> dict[str, dict[str, Any]]:
    """Return by id what each memory covers, in words, what it depends on, and what is known of who needs it."""
    links = table.links
    assert links is not None
    words = {code: name for name, code in index.features._links._codes.items()}
    found: dict[str, dict[str, Any]] = {
        ident: {
            "covers": set(),
            "bases": set(),
            "guarded": bool(links.guarded[row]),
            "needed": int(links.blockers[row]),
        }
        for row, ident in enumerate(table.ids)
    }
    for row, element in zip(links.rows.tolist(), links.elements.tolist(), strict=True):
        assert words[element].startswith(SORTS[links.sorts[element]])
        assert words[element] not in found[table.ids[row]]["covers"]
        found[table.ids[row]]["covers"].add(words[element])
    for row, base in zip(links.dependents.tolist(), links.bases.tolist(), strict=True):
        found[table.ids[row]]["bases"].add(table.ids[base])
    return found


events = st.one_of(
    st.tuples(st.just("put"), st.tuples(memories(), edges, vectors)),
    st.tuples(st.just("remove"), numbers),
    st.tuples(st.just("access"), numbers),
    st.tuples(st.just("aim"), vectors),
    st.tuples(st.just("compact"), st.none()),
    st.tuples(st.just("look"), st.none()),
)
histories = st.lists(events, max_size=30)


def _after(history: list[tuple[str, Any]], world: World | None = None) -> World:
    world = world or World()
    for name, event in history:
        getattr(world, name)(event)
    return world


@settings(max_examples=150, deadline=None)
@given(histories, st.integers(1, 3))
def test_kept_up_is_worked_out_anew(history: list[tuple[str, Any]], window: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # Windows so narrow that what leaves one lets another in.
        patch.setattr(novelty, "WINDOW", window)
        world = _after(history)
        assert seen(world.index) == seen(world.rebuilt())


@settings(max_examples=60, deadline=None)
@given(histories, histories)
def test_a_file_gives_the_features_back(before: list[tuple[str, Any]], after: list[tuple[str, Any]]) -> None:
    world = _after(before)
    world.index.compact()
    world.index.vectors["vector"][:] = world.index.vectors["vector"].astype(np.float16)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.index"
        save(path, world.index, Reached("alice", "model/4", "urn:log", 7, 9))
        world.index = load(path)[0]
    world.index.features.set_goal(world.goal)
    world.held = {
        ident: (memory, leading, None if vector is None else vector.astype(np.float16).astype(np.float32))
        for ident, (memory, leading, vector) in world.held.items()
    }
    _after(after, world)
    assert seen(world.index) == seen(world.rebuilt())


class _KeepsNovelty(Novelty):
    def leave(self, ident: str) -> set[str]:
        """Plant a bug: nobody who was compared with what leaves is compared anew."""
        super().leave(ident)
        return set()


class _ComparesNothingNew(Novelty):
    def enter(self, ident: str, sequence: int, codes: tuple[int, ...]) -> set[str]:
        """Plant a bug: nobody is compared with what enters."""
        super().enter(ident, sequence, codes)
        return {ident}


class _NoMoves(MemoryIndex):
    def __init__(self, dimension: int) -> None:
        """Plant a bug: that something depends on a memory is not noted."""
        super().__init__(dimension)
        self.features.moved = _hears_nothing  # type: ignore[method-assign]


class _NoTouch(MemoryIndex):
    def __init__(self, dimension: int) -> None:
        """Plant a bug: nodes whose degree changed are not noted."""
        super().__init__(dimension)
        self.graph.touched = _Deaf()


def _hears_nothing(base: str) -> None:
    del base


def _hears_of_nobody(ident: str) -> None:
    del ident


class _Deaf(set[str]):
    def add(self, _element: str) -> None:
        """Hear nothing."""


class _NoLinks(MemoryIndex):
    def __init__(self, dimension: int) -> None:
        """Plant a bug: what a memory that changed covers is not read again."""
        super().__init__(dimension)
        self.features._links.changed = _hears_of_nobody  # type: ignore[method-assign]


def _planted(name: str) -> World:
    if name in {"no moves", "no touch", "no links"}:
        return World({"no moves": _NoMoves, "no touch": _NoTouch, "no links": _NoLinks}[name])
    world = World()
    world.index.features._novelty = {"keeps": _KeepsNovelty, "compares": _ComparesNothingNew}[name]()
    return world


@pytest.mark.parametrize("name", ["keeps", "compares", "no moves", "no touch", "no links"])
def test_a_planted_bug_is_found(name: str) -> None:
    one, two, three = (stored(number, kind=Kind.SEMANTIC, weight=7) for number in (1, 2, 3))
    north = direction(1, 0, 0, 0)
    history = [
        ("put", (one, set(), north)),
        ("look", None),
        ("put", (two, {("dependsOn", "m1"), ("friendOf", "m1")}, north)),
        ("look", None),
        ("put", (three, set(), north)),
        ("remove", 3),
        ("remove", 2),
        ("put", (stored(4, kind=Kind.SEMANTIC, weight=7), set(), north)),
    ][: 3 if name in {"no moves", "no touch", "no links", "compares"} else 8]
    if name == "keeps":
        history = [("put", (one, set(), north)), ("put", (two, set(), north)), ("look", None), ("remove", 2)]
    sound, planted = _after(history), _after(history, _planted(name))
    assert seen(sound.index) == seen(sound.rebuilt())
    assert seen(planted.index) != seen(planted.rebuilt())


def test_what_left_and_came_back_unseen_is_worked_out_anew() -> None:
    task = stored(3, kind=Kind.TASK, status=TaskStatus.OPEN)
    history = [
        ("put", (stored(1, kind=Kind.SEMANTIC), {("friendOf", "m3")}, direction(1, 0, 0, 0))),
        ("put", (stored(2, kind=Kind.SEMANTIC), set(), direction(1, 1, 0, 0))),
        ("put", (stored(4, kind=Kind.TASK, status=TaskStatus.OPEN), set(), None)),
        ("put", (task, set(), direction(0, 1, 0, 0))),
        ("look", None),
        ("remove", 1),
        ("remove", 3),
        ("remove", 4),
        ("put", (stored(1, kind=Kind.SEMANTIC), {("friendOf", "m3")}, direction(1, 0, 0, 0))),
        ("put", (stored(4, kind=Kind.TASK, status=TaskStatus.OPEN), set(), None)),
        ("put", (task, set(), direction(0, 1, 0, 0))),
    ]
    world = _after(history)
    assert seen(world.index) == seen(world.rebuilt())


def test_nearness_goes_with_the_task_also_over_a_compaction() -> None:
    task: dict[str, Any] = {"kind": Kind.TASK, "status": TaskStatus.OPEN}
    history = [
        ("put", (stored(1, kind=Kind.SEMANTIC), set(), None)),
        ("put", (stored(2, kind=Kind.SEMANTIC), {("friendOf", "m3")}, None)),
        ("put", (stored(3, **task), set(), None)),
        ("look", None),
        ("remove", 1),
        ("compact", None),
        ("put", (stored(3, **{**task, "status": TaskStatus.DONE}), set(), None)),
    ]
    before, world = _after(history[:4]), _after(history)
    assert seen(before.index)[1]["m2"]["nearness"] > 0
    assert seen(world.index)[1]["m2"]["nearness"] == 0
    assert seen(world.index) == seen(world.rebuilt())


def test_of_two_that_say_the_same_the_newer_one_is_novel() -> None:
    world = World()
    for number, vector in ((1, direction(1, 0, 0, 0)), (2, direction(0, 1, 0, 0)), (3, direction(1, 0, 0, 0))):
        world.put((stored(number, kind=Kind.SEMANTIC), set(), vector))
    rows = seen(world.index)[1]
    assert [rows[f"m{number}"]["novelty"] for number in (1, 2, 3)] == [0, 1_000_000, 1_000_000]


def test_the_goal_is_what_active_tasks_have_in_common_unless_one_is_set() -> None:
    world = World()
    world.put((stored(1, kind=Kind.SEMANTIC), set(), direction(1, 0, 0, 0)))
    assert seen(world.index)[0] == NONE
    world.put((stored(3, kind=Kind.TASK, status=TaskStatus.OPEN), set(), direction(1, 1, 0, 0)))
    whose, rows = seen(world.index)
    assert whose == TASKS
    assert rows["m1"]["goal"] == pytest.approx(707_107, abs=2)
    world.aim(direction(1, 0, 0, 0))
    whose, rows = seen(world.index)
    assert (whose, rows["m1"]["goal"]) == (GIVEN, 1_000_000)
    world.aim(None)
    world.put((stored(3, kind=Kind.TASK, status=TaskStatus.DONE), set(), None))
    assert seen(world.index)[0] == NONE
