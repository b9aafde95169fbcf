"""What a reader yields is, once stored, the state that it read: by key, value for value, on the embedded engine."""

from __future__ import annotations

import tarfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import marskg
from marskg.ontology.vocabulary import TaskStatus
from marskg.sources.chat import read_chat
from marskg.sources.memora import read_persona
from marskg.text import as_key
from tests.support.slots import Slots

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.drafts import Draft
    from marskg.records import Memory

EXAMPLE = Path(__file__).parents[2] / "examples" / "conversation.jsonl"
CLOSED = {TaskStatus.DONE, TaskStatus.CANCELLED}


def stored(folder: Path, drafts: Iterable[Draft]) -> list[Memory]:
    with marskg.open(folder / "store", tenant="import", budget=1_000_000) as memory:
        memory.remember_many(drafts)
        return list(memory.memories())


def state(memories: Iterable[Memory]) -> Counter[tuple[str, str | None]]:
    now = [memory for memory in memories if memory.key is not None and memory.current and memory.status not in CLOSED]
    return Counter((str(memory.key), memory.content) for memory in now)


def expected(drafts: Iterable[Draft]) -> Counter[tuple[str, str | None]]:
    # As the store has it: keys that look alike are one.
    slots = Slots().replay(replace(draft, key=None if draft.key is None else as_key(draft.key)) for draft in drafts)
    return Counter((key, draft.content) for (_, key), held in slots.held.items() for draft in held)


def test_the_example_conversation(tmp_path: Path) -> None:
    conversation = read_chat(EXAMPLE)
    memories = stored(tmp_path, conversation)
    assert state(memories) == expected(conversation)
    assert len({memory.session for memory in memories}) == 25


@pytest.mark.parametrize("name", ["content_writer", "creative_designer"])  # both take up tasks that they had closed
def test_a_persona(tmp_path: Path, shared_folder: Path, name: str) -> None:
    with tarfile.open(shared_folder / "data" / "memora-open.tar.gz") as archive:
        wanted = [member for member in archive if f"weekly/{name}/conversations/" in member.name]
        archive.extractall(tmp_path, members=wanted, filter="data")
    persona = read_persona(tmp_path / "memora" / "weekly" / name)
    assert state(stored(tmp_path, persona)) == expected(persona)
