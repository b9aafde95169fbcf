"""How many of the exact nearest vectors an engine's own index finds, on Memora's texts.

    python scripts/vector_recall.py DATA [--model static] [--texts 20000] [--store LOCATION]

DATA is Memora, unpacked. LOCATION is a folder, or a Neo4j as ``scripts/neo4j_server.py run`` gives; without it a
temporary folder. The index is asked for exactly as many as are counted, without what the product does to widen its
search. The figures are in docs/adr/0013-embeddings.md.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import marskg
from marskg.drafts import Draft
from marskg.ontology.vocabulary import Kind
from marskg.store.upkeep.vector_index import Points
from marskg.weight import TokenCounter
from marskg_bench.common.memora import BenchPersona, personas

if TYPE_CHECKING:
    from marskg.embedding.model import EmbeddingModel
    from marskg.memory import AgentMemory

#: How many of the nearest are compared.
DEPTHS = (20, 200)


def texts_of(data: Path) -> tuple[list[str], list[str]]:
    """Return all different turns of the weekly personas, and the questions about them."""
    said: dict[str, None] = {}
    asked: dict[str, None] = {}
    counter = TokenCounter()
    for place in personas(data, "weekly", ()):
        persona = BenchPersona(place, counter)
        said.update(dict.fromkeys(draft.content for draft in persona.drafts("C") if draft.action == "remember"))
        asked.update(dict.fromkeys(question.text for question in persona.questions))
    return list(said), list(asked)


def recall(memory: AgentMemory, model: EmbeddingModel, questions: list[str], depth: int) -> tuple[float, float]:
    """Return the mean share of the exact ``depth`` nearest that the engine finds, and milliseconds of one question."""
    view = memory._reading.view  # noqa: SLF001 - the index is no part of the facade
    index = view.refresh(memory._writer.fresh_state())  # noqa: SLF001 - nor is the writer
    engine = Points(memory._writer, index.dimension)  # noqa: SLF001 - nor is the writer
    shares, spent = [], 0.0
    for vector in model.embed(questions):
        similar = index.vectors["vector"] @ vector
        exact = {index.ids[row] for row in np.argpartition(-similar, depth)[:depth].tolist()}
        start = time.perf_counter()
        found = engine.nearest(vector.tolist(), depth)
        spent += time.perf_counter() - start
        shares.append(len(exact.intersection(found)) / depth)
    return float(np.mean(shares)), 1000 * spent / len(questions)


def measure(location: str, data: Path, spec: str, most: int) -> None:
    """Store the texts in ``location``, hand them to the engine's index, and print what it finds."""
    texts, questions = texts_of(data)
    with marskg.open(location, tenant="recall", budget=10**9, embedding=spec) as memory:
        now = memory.now()
        drafts = [Draft(ref=str(n), kind=Kind.SEMANTIC, at=now, content=text) for n, text in enumerate(texts[:most])]
        memory.remember_many(drafts)
        start = time.perf_counter()
        memory.settings.set(None, {"retrieval.vectors": "engine"})
        engine = memory.store.engine.name
        print(f"{engine}: {len(drafts)} vectors handed over in {time.perf_counter() - start:.1f} s")
        model = memory._components.vectoriser.model  # noqa: SLF001 - the one that made the vectors
        if model is None:
            return
        start = time.perf_counter()
        recall(memory, model, questions[:1], DEPTHS[0])
        print(f"first question: {time.perf_counter() - start:.1f} s")
        for depth in DEPTHS:
            share, spent = recall(memory, model, questions, depth)
            print(f"nearest {depth}: {share:.3f} found, {spent:.1f} ms a question")


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", default="static")
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--store")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(given.store or str(Path(folder) / "store"), given.data, given.model, given.texts)


if __name__ == "__main__":
    main()
