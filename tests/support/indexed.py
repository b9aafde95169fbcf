"""Memories in a retrieval index without a store, and what an index answers, by id, for comparing two of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from marskg.ontology.vocabulary import Kind
from marskg.records import Memory
from marskg.retrieval.access.read_gate import Gate
from marskg.retrieval.access.visibility import Sight
from marskg.retrieval.index.memory_index import MemoryIndex
from marskg.retrieval.query.outlived import Outlived
from marskg.retrieval.query.profile import load_profile
from marskg.retrieval.query.ranking import Ranker, make_query
from marskg.store.rows.codec import encode_memory
from marskg.store.statements.catalogue import statement
from tests.support.candidates import NOON, direction

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from marskg.retrieval.query.profile import Profile

DIMENSION = 4
#: What the statement that fills the index returns of a memory.
COLUMNS = tuple(re.findall(r" AS (\w+)[,\s]", statement("index_rows", "arcadedb") + "\n"))[1:]
FUSED = load_profile("fused")


def stored(number: int, content: str = "Ann likes tea", **fields: Any) -> Memory:
    """Return a memory with the id ``m<number>``, stored as the ``number``-th, that was valid before noon."""
    given: dict[str, Any] = {"kind": Kind.EPISODIC, "valid_from": NOON - number, "last_access": NOON, **fields}
    return Memory(id=f"m{number}", tenant="alice", content=content, created=NOON, sequence=number, **given)


def row_of(memory: Memory) -> dict[str, Any]:
    """Return what the store says of ``memory`` when the index is filled."""
    node = encode_memory(memory)
    return {name: node.get(name) for name in COLUMNS}


def put(
    index: MemoryIndex,
    memory: Memory,
    edges: Iterable[tuple[str, str]] = (),
    vector: npt.NDArray[np.float32] | None = None,
) -> None:
    """Put ``memory`` into ``index`` as the view does."""
    index.put(row_of(memory), sorted(edges), vector)


def indexed(*memories: Memory) -> MemoryIndex:
    """Return an index of ``memories`` without edges and vectors."""
    index = MemoryIndex(DIMENSION)
    for memory in memories:
        put(index, memory)
    return index


def seen(index: MemoryIndex, **fields: Any) -> set[str]:
    """Return the ids that a gate at noon lets through."""
    return {index.ids[row] for row in np.flatnonzero(Gate(**{"now": NOON, **fields}).mask(index)).tolist()}


def bm25(index: MemoryIndex, terms: Sequence[str], **fields: Any) -> dict[str, float]:
    """Return the BM25 scores above 0 of what a gate at noon lets through."""
    mask = Gate(**{"now": NOON, **fields}).mask(index)
    scores = index.lexical.scores(terms, mask, index.columns["length"])
    return {index.ids[row]: float(scores[row]) for row in np.flatnonzero(scores).tolist()}


def ranked(
    index: MemoryIndex,
    query: str,
    vector: npt.NDArray[np.float32] | None = None,
    profile: Profile = FUSED,
    **gate: Any,
) -> list[tuple[str, int, Mapping[str, int]]]:
    """Return the ranking of a query as ``(id, score, numbers)``."""
    passing = Gate(**{"now": NOON, **gate})
    asked = make_query(query, vector, NOON)
    mask = passing.mask(index)
    outlived = Outlived(index, passing, mask)
    found = Ranker(index, mask, asked, profile, restricted=passing.restricted, outlived=outlived).rank(1000).found
    return [(index.ids[item.row], item.score, dict(item.why)) for item in found]


def answers(index: MemoryIndex, gates: Sequence[Mapping[str, Any]], queries: Sequence[str]) -> dict[str, Any]:
    """Return all that an index can be asked, by id, so that the places of rows do not show."""
    vector = direction(1, 2, 3, 4)
    *ends, edges = index.graph.dump({})
    found: dict[str, Any] = {"size": len(index), "names": index.entities.dump(), "edges": (ends, edges.tolist())}
    for number, gate in enumerate(gates):
        mask = Gate(**{"now": NOON, **gate}).mask(index)
        sight = Sight(index, mask)
        found[f"seen {number}"] = seen(index, **gate)
        found[f"near {number}"] = index.graph.near({"e1": 1.0, "e2": 0.5}, sight)
        for query in queries:
            terms = make_query(query, None, NOON).terms
            found[f"lexical {number} {query}"] = bm25(index, terms, **gate)
            found[f"rank {number} {query}"] = ranked(index, query, vector, **gate)
    found["facets"] = {
        (name, word): {index.ids[row] for row in rows}
        for name, words in index.facets.items()
        for word, rows in words.items()
    }
    return found
