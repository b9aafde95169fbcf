"""Constituents and a model for the tests of reflection."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from marskg.embedding.packing import pack
from marskg.ontology.vocabulary import Kind
from marskg.reflection.consolidation import Vector
from marskg.reflection.passages import Constituent
from marskg.text import terms
from marskg.weight import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.embedding.model import Vectors

COUNTER = TokenCounter()
DIMENSION = 64


def made_id(number: int) -> str:
    return f"urn:uuid:00000000-0000-7000-8000-{number:012x}"


def constituent(number: int, content: str, **changes: Any) -> Constituent:
    values: dict[str, Any] = {
        "kind": Kind.EPISODIC,
        "valid_from": 1_000 * number,
        "sequence": number,
        "weight": COUNTER.count(content),
    }
    return Constituent(made_id(number), content=content, **(values | changes))


def constituents(*contents: str, **changes: Any) -> list[Constituent]:
    return [constituent(number, content, **changes) for number, content in enumerate(contents, 1)]


def vector(text: str) -> Any:
    """A bag of words: texts that share words are near."""
    row = np.zeros(DIMENSION, dtype=np.float32)
    for term in terms(text):
        row[int(hashlib.sha256(term.encode()).hexdigest(), 16) % DIMENSION] += 1
    length = float(np.linalg.norm(row))
    return row / length if length else row


def vectors(members: Sequence[Constituent]) -> Vectors:
    return np.stack([vector(member.content) for member in members])


def embed(text: str) -> Vector:
    row = vector(text)
    return Vector(row, pack(row), ("bag", "bag/64"))
