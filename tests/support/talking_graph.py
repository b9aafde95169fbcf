"""Random stores of :mod:`tests.support.policy_graph` whose memories say something and have vectors.

Their texts are about a few topics, so that some of them cluster; identifiers and clusters are those of the seed.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from marskg.embedding.packing import pack
from marskg.ontology.vocabulary import Kind, MemoryClass, SourceType
from marskg.store.unit.vectors import Vectoriser, model_name, tag
from tests.support.policy_graph import NOW, Graph, Node, random_nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.config import Settings
    from marskg.embedding.model import EmbeddingModel, Vectors
    from marskg.store.engine.protocol import Engine

TOPICS = (
    "I watered the tomatoes and the beans in the garden",
    "The piano lesson with the old teacher went well",
    "The train to the coast was late again",
)
_ENDS = ("in the morning", "before dinner", "with my sister", "and it rained", "for two hours")


class WordModel:
    """Sums a fixed direction for each word."""

    name = "words"
    dimension = 24
    late = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text."""
        rows = np.array([self._row(text) for text in texts], dtype=np.float64).reshape(-1, self.dimension)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(lengths, lengths, 1.0)).astype(np.float32)

    def _row(self, text: str) -> list[float]:
        digests = [hashlib.sha256(word.lower().encode()).digest()[: self.dimension] for word in text.split()]
        return [sum(digest[place] - 127.5 for digest in digests) for place in range(self.dimension)]


def _load(_spec: str) -> EmbeddingModel:
    return WordModel()


class TalkingGraph(Graph):
    """A graph whose nodes have texts and vectors by :class:`WordModel`."""

    def _node(self, node: Node, guarded: bool, blockers: int) -> dict[str, Any]:  # noqa: FBT001 - as in the base class
        row = super()._node(node, guarded, blockers)
        if not row["content"]:
            return row
        chance = random.Random(f"{node.id} {node.created}")
        text = f"{chance.choice(TOPICS)} {chance.choice(_ENDS)}. It took {chance.randint(1, 9)} steps."
        model = WordModel()
        reflected = node.kind is Kind.SEMANTIC and chance.random() < 0.2
        return row | {
            "content": text,
            "validFrom": node.created,
            "session": chance.choice([None, "s1", "s2"]),
            "subjects": [chance.choice(["ana", "ana", "ana", "bea"])],
            "purpose": [],
            "memoryClass": MemoryClass.CANONICAL.value,
            "sourceType": (SourceType.REFLECTION if reflected else SourceType.CHAT_USER).value,
            "sensitivity": chance.choice([0.0, 0.0, 0.4]),
            "embedding": tag(model_name(model)) + pack(model.embed([text])[0]),
        }


def talking(engine: Engine, seed: int, settings: Settings) -> TalkingGraph:
    """Return the store of ``seed``, of 8 to 25 memories, most of them episodes that rest on nothing, as in a chat."""
    chance = random.Random(seed)
    nodes = random_nodes(seed, size=8 + seed % 18)
    for node_id, node in nodes.items():
        kind = Kind.EPISODIC if chance.random() < 0.75 else node.kind
        bases = node.bases if chance.random() < 0.2 else ()
        weight = chance.choice([18, 20, 25, 40])
        nodes[node_id] = replace(node, kind=kind, weight=weight, bases=bases)
    return TalkingGraph(engine, nodes, settings=settings, vectoriser=Vectoriser(lambda: "words", lambda: NOW, _load))
