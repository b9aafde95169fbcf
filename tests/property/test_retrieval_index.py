"""An index that was kept up event by event answers like one that was built from what is left at the end."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marskg.ontology.vocabulary import Cardinality, EdgeType, Kind, Tier
from marskg.retrieval.access.read_gate import Gate
from marskg.retrieval.index.memory_index import MemoryIndex
from marskg.retrieval.index.storage import Reached, load, save
from tests.support.candidates import NOON, direction
from tests.support.indexed import DIMENSION, answers, indexed, put, row_of, stored

if TYPE_CHECKING:
    from marskg.records import Memory

WORDS = ["tea", "Ann", "Oslo", "red", "house", "12", "never", "garden"]
NAMES = {"e1": ("Ann",), "e2": ("Oslo", "the red house"), "e3": ("Ann",)}
GATES: list[dict[str, Any]] = [
    {},
    {"latent": True, "superseded": True, "unaffirmed": True},
    {"max_sensitivity": 0.4, "purpose": "care"},
    {"tags": ("work",), "sessions": ("s1", "s2")},
    {"subjects": ("ann",), "jurisdiction": "EU"},
    {"key_prefix": "home", "since": NOON - 6},
]
QUERIES = ["Ann and tea", "the red house in Oslo", "12 never work"]
EDGES = [
    EdgeType.MENTIONS,
    EdgeType.DEPENDS_ON,
    EdgeType.DERIVES_FROM,
    EdgeType.SUPERSEDES,
    EdgeType.CONTRADICTS,
    EdgeType.FRIEND_OF,
    EdgeType.ATTACHES_TO_GOAL,
]

numbers = st.integers(1, 8)
edges = st.sets(st.tuples(st.sampled_from(EDGES), st.sampled_from(["e1", "e2", "e3", "m1", "m2"])), max_size=4).map(
    lambda found: {(str(type_), target) for type_, target in found}
)
vectors = st.none() | st.tuples(*[st.integers(-3, 3)] * DIMENSION).filter(any).map(lambda parts: direction(*parts))


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    """Draw a memory; its text belongs to its number, as no memory's text ever changes."""
    number = draw(numbers)
    return stored(
        number,
        " ".join(WORDS[(number * step) % len(WORDS)] for step in range(1, 4 + number % 3)),
        kind=draw(st.sampled_from([Kind.SEMANTIC, Kind.SOCIAL, Kind.EPISODIC])),
        key=["home/tea_pot", "work/desk", None][number % 3],
        cardinality=None if number % 3 == 2 else Cardinality.APPEND,
        session=draw(st.sampled_from([None, "s1", "s2", "s3"])),
        jurisdiction=draw(st.sampled_from([None, "EU", "US"])),
        subjects=draw(st.sampled_from([(), ("ann",), ("ann", "bob")])),
        intent_tags=draw(st.sampled_from([(), ("work",), ("work", "home")])),
        purpose=draw(st.sampled_from([(), ("care",)])),
        sensitivity=draw(st.sampled_from([0.0, 0.4, 0.9])),
        tier=draw(st.sampled_from([Tier.LIVE, Tier.LIVE, Tier.LATENT])),
        superseded_at=draw(st.sampled_from([None, NOON - 1])),
        unaffirmed_since=draw(st.sampled_from([None, NOON - 1])),
        expires_at=draw(st.sampled_from([None, NOON, NOON + 1])),
        score=draw(st.integers(0, 100)),
    )


@dataclass
class World:
    """An index under events, and what it should know after them."""

    index: MemoryIndex = field(default_factory=lambda: MemoryIndex(DIMENSION))
    memories: dict[str, tuple[Memory, set[tuple[str, str]], Any]] = field(default_factory=dict)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def put(self, event: tuple[Memory, set[tuple[str, str]], Any]) -> None:
        memory, leading, vector = event
        put(self.index, memory, leading, vector)
        known = self.memories.get(memory.id)
        self.memories[memory.id] = (memory, leading, known[2] if vector is None and known else vector)

    def remove(self, number: int) -> None:
        self.index.remove(f"m{number}")
        self.memories.pop(f"m{number}", None)

    def access(self, event: tuple[int, int]) -> None:
        number, score = event
        self.index.access(f"m{number}", NOON, 3, score)
        if f"m{number}" in self.memories:
            memory, leading, vector = self.memories[f"m{number}"]
            changed = replace(memory, last_access=NOON, access_count=3, score=score)
            self.memories[memory.id] = (changed, leading, vector)

    def name(self, entity: str) -> None:
        self.index.entities.put(entity, NAMES[entity])
        self.names[entity] = NAMES[entity]

    def unname(self, entity: str) -> None:
        self.index.entities.remove(entity)
        self.names.pop(entity, None)

    def compact(self, _: None) -> None:
        self.index.compact()

    def rebuilt(self) -> MemoryIndex:
        """Return an index of what is left, put in in another order."""
        fresh = MemoryIndex(DIMENSION)
        for entity, names in sorted(self.names.items(), reverse=True):
            fresh.entities.put(entity, names)
        for _, (memory, leading, vector) in sorted(self.memories.items(), reverse=True):
            put(fresh, memory, leading, vector)
        return fresh


events = st.one_of(
    st.tuples(st.just("put"), st.tuples(memories(), edges, vectors)),
    st.tuples(st.just("remove"), numbers),
    st.tuples(st.just("access"), st.tuples(numbers, st.integers(0, 100))),
    st.tuples(st.just("name"), st.sampled_from(sorted(NAMES))),
    st.tuples(st.just("unname"), st.sampled_from(sorted(NAMES))),
    st.tuples(st.just("compact"), st.none()),
)
histories = st.lists(events, max_size=25)


def _after(history: list[tuple[str, Any]], world: World | None = None) -> World:
    world = world or World()
    for name, event in history:
        getattr(world, name)(event)
    return world


@settings(max_examples=60, deadline=None)
@given(histories)
def test_kept_up_is_built_anew(history: list[tuple[str, Any]]) -> None:
    world = _after(history)
    assert answers(world.index, GATES, QUERIES) == answers(world.rebuilt(), GATES, QUERIES)


@settings(max_examples=25, deadline=None)
@given(histories)
def test_a_file_gives_back_the_index(history: list[tuple[str, Any]]) -> None:
    index = _after(history).index
    index.compact()
    # A file holds float16, as a store does: what comes from there is not rounded again.
    index.vectors["vector"][:] = index.vectors["vector"].astype(np.float16)
    reached = Reached("alice", "model/4", "urn:log", 7, 9)
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder) / "one.index", index, reached)
        restored, at = load(Path(folder) / "one.index")
    assert at == reached
    assert answers(restored, GATES, QUERIES) == answers(index, GATES, QUERIES)
    # The restored one can be kept up, too.
    for one in (index, restored):
        put(one, stored(9, "a new red house", subjects=("ann",)), [("mentions", "e1")], direction(1, 0, 0, 0))
        one.remove("m1")
        one.compact()
    assert answers(restored, GATES, QUERIES) == answers(index, GATES, QUERIES)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(memories(), min_size=1, max_size=8, unique_by=lambda one: one.id),
    st.sampled_from([*GATES, {"as_of": NOON - 3}, {"until": NOON - 2, "kinds": (Kind.SOCIAL,)}, {"key_prefix": "h"}]),
)
def test_columns_and_a_single_memory_are_asked_the_same(some: list[Memory], fields: dict[str, Any]) -> None:
    index, gate = indexed(*some), Gate(now=NOON, **fields)
    mask = gate.mask(index)
    assert {index.ids[row] for row in np.flatnonzero(mask)} == {one.id for one in some if gate.admits(one)}


class _KeepsFacets(MemoryIndex):
    def _drop_facets(self, place: int) -> None:
        """Plant a bug: what is removed stays in the facets."""


class _KeepsScores(MemoryIndex):
    def access(self, ident: str, last: int, count: int, score: int) -> None:
        """Plant a bug: an access changes nothing."""


class _KeepsRows(MemoryIndex):
    def remove(self, ident: str) -> None:
        """Plant a bug: what was removed is only unnamed."""
        if ident in self.rows:
            self.rows.pop(ident)


@pytest.mark.parametrize("planted", [_KeepsFacets, _KeepsScores, _KeepsRows])
def test_a_planted_bug_is_found(planted: type[MemoryIndex]) -> None:
    tea, oslo = (stored(number, "Ann likes tea", subjects=("ann",), session="s1") for number in (1, 2))
    history = [
        ("put", (tea, {("mentions", "e1")}, direction(1, 0, 0, 0))),
        ("put", (oslo, {("mentions", "e1")}, direction(0, 1, 0, 0))),
        ("access", (2, 99)),
        ("remove", 1),
    ]
    world = _after(history, World(planted(DIMENSION)))
    assert answers(world.index, GATES, QUERIES) != answers(world.rebuilt(), GATES, QUERIES)
    sound = _after(history)
    assert answers(sound.index, GATES, QUERIES) == answers(sound.rebuilt(), GATES, QUERIES)


def test_the_rows_are_those_of_the_statement() -> None:
    assert {"id", "content", "pinned", "embedding", "jurisdiction"} <= set(row_of(stored(1)))
