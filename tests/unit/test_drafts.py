"""Drafts take the names of kinds and the like, and refuse what is none."""

from __future__ import annotations

from typing import Any

import pytest

from marskg.drafts import Draft
from marskg.errors import InvalidMemory
from marskg.ontology.vocabulary import Kind, MemoryClass, TaskStatus


def draft(**fields: Any) -> Draft:
    return Draft(**{"ref": "a", "kind": "task", "content": "Water the tomatoes", "at": 1, **fields})


def test_names_stand_for_members() -> None:
    made = draft(status="open", memory_class="canonical")
    assert (made.kind, made.status, made.memory_class) == (Kind.TASK, TaskStatus.OPEN, MemoryClass.CANONICAL)
    assert made == draft(kind=Kind.TASK, status=TaskStatus.OPEN, memory_class=MemoryClass.CANONICAL)


@pytest.mark.parametrize("field", ["kind", "status", "memory_class", "source_type", "cardinality"])
def test_a_name_that_is_none_is_refused_with_those_that_are(field: str) -> None:
    with pytest.raises(InvalidMemory, match=f"{field} 'nothing' is unknown; known are [a-z_]+, "):
        draft(**{field: "nothing"})
