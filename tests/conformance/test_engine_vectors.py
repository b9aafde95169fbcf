"""The engine's own vector index: what it finds is what comparing all would, and only what the gate lets through."""

from __future__ import annotations

import json
import tarfile
from typing import TYPE_CHECKING, Any

import numpy as np

from marskg.embedding.static import StaticEmbedding
from marskg.retrieval.access.read_gate import Gate
from marskg.store.unit.vectors import tag
from tests.support.proof import amount

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

#: What is asked of an index: the share of the exact nearest that it finds.
FLOOR = 0.95
NEAREST = 20
MODEL = "static:l2_supercat_256/256"
PERSONA = "weekly/academic_researcher/conversations/"


def said(shared: Path, count: int) -> list[str]:
    """Return what a persona of Memora said, the first ``count`` different texts."""
    found: dict[str, None] = {}
    with tarfile.open(shared / "data" / "memora-open.tar.gz") as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            if PERSONA in member.name and member.name.endswith(".json") and len(found) < count:
                file = archive.extractfile(member)
                assert file is not None
                found.update(dict.fromkeys(turn["message"] for turn in json.load(file)["conversation"]))
    return list(found)[:count]


def filled(stores: Stores, texts: list[str], **settings: Any) -> AgentMemory:
    memory = stores.open(budget=10_000_000, **settings)
    for number, text in enumerate(texts):
        memory.remember(text, kind="semantic", sensitivity=0.9 if number % 10 else 0.1)
    return memory


def exact(memory: AgentMemory, vector: Any, gate: Gate) -> list[str]:
    index = memory._reading.view.refresh(memory._writer.fresh_state())
    similar = index.vectors["vector"] @ vector
    similar[~(gate.mask(index) & index.columns["vectored"])] = -np.inf
    return [index.ids[row] for row in np.argsort(-similar, kind="stable")[:NEAREST].tolist()]


def by_engine(memory: AgentMemory, vector: Any, gate: Gate) -> list[str]:
    view = memory._reading.view
    index = view.refresh(memory._writer.fresh_state())
    assert view.nearest is not None
    similar = view.nearest.similarities(index, gate.mask(index), vector, NEAREST)
    assert not np.isfinite(similar[~gate.mask(index)]).any()
    return [index.ids[row] for row in np.argsort(-similar, kind="stable")[:NEAREST].tolist()]


def points(memory: AgentMemory) -> set[str]:
    text = "MATCH (p:VectorPoint) WHERE p.ref STARTS WITH $prefix RETURN p.ref AS ref"
    rows = memory.store.engine.read(text, {"prefix": f"{memory.tenant}|"})
    return {row["ref"].partition("|")[2] for row in rows}


def test_recall_on_real_texts_is_above_the_floor_through_any_gate(stores: Stores, shared_folder: Path) -> None:
    many = amount(200, 600)
    texts = said(shared_folder, many + 100)
    # Another tenant's vectors are in the same index.
    other = filled(stores, texts[many:], retrieval__vectors="engine")
    memory = filled(stores, texts[:many])
    other.settings.set(None, {"retrieval.k": 10})
    memory.settings.set(None, {"retrieval.vectors": "engine"})
    assert len(points(memory)) == many
    now = memory.now()
    for gate in (Gate(now), Gate(now, max_sensitivity=0.5)):
        shares = []
        for query in StaticEmbedding().embed(texts[many : many + 40]):
            wanted = exact(memory, query, gate)
            shares.append(len({*wanted} & {*by_engine(memory, query, gate)}) / len(wanted))
        assert float(np.mean(shares)) >= FLOOR


def test_answers_do_not_depend_on_how_the_nearest_are_found(stores: Stores) -> None:
    texts = [f"note {n} says that the boat {n * 7 % 50} sails on day {n}" for n in range(60)]
    ways = [filled(stores, texts, retrieval__vectors=way) for way in ("exact", "engine", "auto")]
    answers = [
        [(hit.memory.content, hit.score) for hit in memory.retrieve("which boat sails on day 30?", k=10)]
        for memory in ways
    ]
    assert answers[0] == answers[1] == answers[2]
    assert [memory._reading.view.nearest is None for memory in ways] == [True, False, True]


def test_a_vector_goes_with_the_content(stores: Stores) -> None:
    memory = filled(stores, [f"note {n} about the harbour" for n in range(20)], retrieval__vectors="engine")
    brief = memory.remember("The harbour closes at noon", kind="semantic", ttl="1h")
    memory.retrieve("harbour")
    assert brief.id in points(memory)
    stores.clock(memory).advance(2 * 3_600_000)
    memory.maintenance.expire()
    assert brief.id not in points(memory)
    assert len(points(memory)) == 20
    memory.forget(memory.plan(budget=40))
    assert points(memory) == {item.id for item in memory.memories() if item.content is not None}
    assert len(points(memory)) < 20


def test_switching_back_and_another_model_take_the_vectors_out(stores: Stores) -> None:
    memory = filled(stores, ["The train leaves at nine", "The boat leaves at ten"], retrieval__vectors="engine")
    memory.retrieve("train")
    assert len(points(memory)) == 2
    memory.maintenance.reembed("minilm")
    assert len(points(memory)) == 2
    assert str(memory._writer.state.embedding_model) != MODEL
    assert tag(MODEL) != tag(str(memory._writer.state.embedding_model))
    assert memory.retrieve("train")[0].memory.content == "The train leaves at nine"
    memory.settings.set(None, {"retrieval.vectors": "exact"})
    assert points(memory) == set()
    assert memory.retrieve("train")[0].memory.content == "The train leaves at nine"
    memory.settings.set(None, {"retrieval.vectors": "engine"})
    assert len(points(memory)) == 2


def test_what_the_engine_does_not_hold_yet_is_found_too(stores: Stores) -> None:
    memory = filled(stores, ["The train leaves at nine"], retrieval__vectors="engine")
    memory.retrieve("train")
    memory.remember("The boat to the islands leaves at ten", kind="semantic")
    view = memory._reading.view
    index = view.refresh(memory._writer.fresh_state())
    assert view.nearest is not None
    index.columns["pointed"][:] = False
    similar = view.nearest.similarities(
        index, Gate(memory.now()).mask(index), StaticEmbedding().embed(["boat"])[0], NEAREST
    )
    assert np.isfinite(similar).all()
