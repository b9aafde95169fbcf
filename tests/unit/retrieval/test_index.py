"""The index takes in memories as they change, and gives back words, facets and rows."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from marskg.ontology.vocabulary import KINDS, Kind, Tier
from marskg.retrieval.index.columns import Columns
from marskg.retrieval.index.memory_index import FOREVER, MICRO, MemoryIndex
from marskg.retrieval.index.nearest import cosines
from tests.support.candidates import direction
from tests.support.indexed import DIMENSION, indexed, put, seen, stored


def test_a_memory_is_its_columns() -> None:
    index = indexed(stored(3, "Ann likes tea", kind=Kind.SOCIAL, sensitivity=0.25, score=61, session="s1", weight=4))
    held = index.columns
    assert (held["kind"][0], held["sensitivity"][0], held["score"][0]) == (KINDS.index(Kind.SOCIAL), MICRO // 4, 61)
    assert (held["validTo"][0], held["weight"][0], held["length"][0]) == (FOREVER, 4, 3)
    assert (index.word("session", 0), index.word("key", 0)) == ("s1", None)
    assert len(index) == 1


def test_changed_metadata_moves_a_row_between_facets() -> None:
    index = indexed(stored(1, intent_tags=("work",), session="s1"))
    put(index, stored(1, intent_tags=("home",), session="s1"), [("dependsOn", "m7"), ("mentions", "e1")])
    assert [(tag, list(rows)) for tag, rows in index.facets["tag"].items()] == [("home", [0])]
    assert index.facets_of(0, "base") == ["m7"]
    assert dict(index.all_facets_of(0))["entity"] == "e1"
    put(index, stored(1))
    assert not index.facets["tag"]
    assert list(index.all_facets_of(0)) == []


def test_access_changes_statistics_of_those_that_exist() -> None:
    index = indexed(stored(1))
    index.access("m1", 77, 4, 90)
    index.access("m9", 77, 4, 90)
    assert [index.columns[name][0] for name in ("lastAccess", "accessCount", "score")] == [77, 4, 90]


def test_what_is_removed_leaves_nothing_after_compaction() -> None:
    index = indexed(stored(1, "Ann's secret", session="hush", key="hidden/key"), stored(2, "tea"))
    index.remove("m1")
    assert index.dead == 1
    index.compact()
    assert index.dead == 0
    assert index.lexical.dump()[0] == ["tea"]
    assert index.words == []
    assert index.ids == ["m2"]
    assert not any(words for words in index.facets.values())


def test_a_vector_is_kept_until_another_comes() -> None:
    index = MemoryIndex(DIMENSION)
    put(index, stored(1), vector=direction(1, 0, 0, 0))
    put(index, stored(2))
    assert index.without_vector(5) == ["m2"]
    put(index, stored(1, score=3))
    assert index.vectors["vector"][0].tolist() == [1, 0, 0, 0]
    put(index, stored(2), vector=direction(0, 1, 0, 0))
    assert index.without_vector(5) == []


def test_an_index_without_vectors_lacks_none() -> None:
    index = MemoryIndex(0)
    put(index, stored(1))
    assert index.without_vector(5) == []


def test_a_tier_is_seen_as_it_stands_now() -> None:
    index = indexed(stored(1))
    put(index, stored(1, tier=Tier.LATENT))
    assert seen(index) == set()


def test_ids_must_go_with_the_rows() -> None:
    index = indexed(stored(1))
    none = np.zeros(2, dtype=np.int32)
    with pytest.raises(ValueError, match="do not go with the rows"):
        index.restore(["m1", "m2"], [], [], none, none[:0])


def test_columns_grow_and_keep_what_they_hold() -> None:
    columns = Columns({"number": (np.int64, -1), "point": (np.float32, 0)}, {"point": 2})
    assert columns.append(3) == 0
    columns["number"][1] = 5
    columns["point"][2] = (1, 2)
    assert columns.append(5_000) == 3
    assert columns["number"][:4].tolist() == [-1, 5, -1, -1]
    columns.keep(np.array([1, 2]))
    assert columns.rows == 2
    assert columns["number"].tolist() == [5, -1]
    assert columns["point"].tolist() == [[0, 0], [1, 2]]
    columns.append()
    assert columns["number"].tolist() == [5, -1, -1]


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"number": np.zeros(2, dtype=np.int64), "point": np.zeros((1, 2), dtype=np.float32)}, "different length"),
        ({"number": np.zeros(1, dtype=np.int32), "point": np.zeros((1, 2), dtype=np.float32)}, "column number"),
        ({"number": np.zeros(1, dtype=np.int64), "point": np.zeros((1, 3), dtype=np.float32)}, "column point"),
    ],
)
def test_columns_of_another_shape_are_refused(values: dict[str, np.ndarray], fault: str) -> None:
    columns = Columns({"number": (np.int64, -1), "point": (np.float32, 0)}, {"point": 2})
    with pytest.raises(ValueError, match=fault):
        columns.replace(values)


@pytest.mark.parametrize("share", [1.0, 0.5, 0.01])
def test_cosines_are_the_same_on_several_cores(share: float) -> None:
    random = np.random.default_rng(1)
    held = random.standard_normal((40_000, 16), dtype=np.float32)
    vector, wanted = held[7], random.random(len(held)) < share
    alone = np.array([np.vecdot(one, vector) for one in held])
    assert np.array_equal(cosines(held, vector, wanted), np.where(wanted, alone, np.float32(-np.inf)))


_FORKED = """
import os, numpy as np
from marskg.retrieval.index.nearest import cosines
held = np.ones((40_000, 4), dtype=np.float32)
ask = lambda: cosines(held, held[0], np.ones(len(held), dtype=np.bool_)).sum() == 160_000
assert ask()
child = os.fork()
if child == 0:
    os._exit(0 if ask() else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_works_out_cosines_without_its_parents_threads() -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", _FORKED], check=True, timeout=60)
