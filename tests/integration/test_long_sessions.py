"""What is said to have been said long ago goes into a long session without reading all of it each time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import marskg
from marskg import Draft
from marskg.ontology.vocabulary import Kind
from marskg.store.engine.native import NativeFiles
from marskg.store.unit import session_chain

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

LONG_AGO = 1_700_000_000_000


def drafts(first: int, count: int) -> list[Draft]:
    return [
        Draft(ref=str(n), kind=Kind.EPISODIC, content=f"turn {n}", at=LONG_AGO + n * 7_919 % 10_007)
        for n in range(first, first + count)
    ]


def test_a_long_session_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_chain, "_LONG", 20)
    read: list[str] = []
    query = NativeFiles.query

    def counted(files: NativeFiles, text: str, parameters: Any) -> Any:
        read.append(getattr(text, "name", ""))
        return query(files, text, parameters)

    monkeypatch.setattr(NativeFiles, "query", counted)
    with marskg.open(tmp_path / "store", embedding="none") as memory:
        memory.remember_many(drafts(0, 40))
        read.clear()
        for number in range(1, 8):
            memory.remember(f"now {number}")
            memory.remember_many(drafts(number * 100, 10))
            if number == 3:
                memory.update(next(iter(memory.memories())).id, "turn, corrected")
            if number == 5:
                memory.erase(id=next(iter(memory.memories())).id)
        # Once, and again after what left the session.
        assert read.count("session_episodes") <= 3
        assert memory.verify().ok
        assert memory.validate(full=True).ok
    with marskg.open(tmp_path / "store") as memory:
        assert memory.verify().ok
