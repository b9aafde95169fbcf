"""Candidates for tests of assembly, with as few words as a case needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from marskg.ontology.vocabulary import Kind
from marskg.records import Memory
from marskg.retrieval.assembly.candidate import Candidate

#: 2025-06-15 in UTC.
NOON = 1_749_988_800_000
DAY = 86_400_000


def memory(number: int, content: str | None, **fields: Any) -> Memory:
    """Return a fact with the id ``m<number>``, stored as the ``number``-th."""
    given: dict[str, Any] = {"kind": Kind.SEMANTIC, "valid_from": NOON, **fields}
    return Memory(id=f"m{number}", tenant="alice", content=content, created=NOON, sequence=number, **given)


def candidate(number: int, content: str | None = None, score: int = 500_000, **fields: Any) -> Candidate:
    """Return a candidate; the fields that a memory does not have are its own."""
    text = f"fact number {number}" if content is None else content
    own = {name: fields.pop(name) for name in ("vector", "entities", "goals", "bases", "answers") if name in fields}
    return Candidate(memory(number, text, **fields), score, **own)


def direction(*components: float) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return the unit vector of ``components``."""
    vector = np.array(components, dtype=np.float32)
    return vector / np.float32(np.linalg.norm(vector))
