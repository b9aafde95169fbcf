"""What an attack on the doors of issue 33 found: each is refused or done, and no caller waits for ever."""

from __future__ import annotations

import asyncio
import copy
import pickle
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.ontology.vocabulary import Kind
from tests.support.stores import START

if TYPE_CHECKING:
    from pathlib import Path


def drafts(number: int) -> list[marskg.Draft]:
    return [marskg.Draft(ref=str(one), kind=Kind.EPISODIC, content=f"note {one}", at=START) for one in range(number)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    marskg.open(tmp_path / "memory", embedding="none").close()
    return tmp_path / "memory"


def test_a_callback_that_raises_stop_iteration_ends_the_call(folder: Path) -> None:
    def exhausted(_: int) -> None:
        next(iter(()))

    async def called() -> None:
        async with marskg.aopen(folder) as memory:
            await memory.remember_many(drafts(1), progress=exhausted)

    with pytest.raises(RuntimeError, match="raised StopIteration"):
        asyncio.run(called())


def test_progress_that_raises_is_not_called_again(folder: Path) -> None:
    heard: list[int] = []

    def stop(done: int) -> None:
        heard.append(done)
        raise KeyError(done)

    with marskg.open(folder) as memory:
        with pytest.raises(KeyError):
            memory.remember_many(drafts(300), progress=stop)
        assert len(heard) == 1
        assert memory.verify().ok


class Far(tzinfo):
    """A zone that is none."""

    def utcoffset(self, _: object) -> timedelta:
        return timedelta(hours=30)


class Silent(tzinfo):
    """A zone that says nothing."""


ODD: list[Any] = [
    datetime(2026, 3, 1, tzinfo=Far()),  # type: ignore[abstract]  # the case
    datetime(2026, 3, 1, tzinfo=Silent()),  # type: ignore[abstract]  # the case
    "2026-03-01T00:00\x00Z",
    "2026-03-01\x0000:00Z",
    "2026-03-01\ud80000:00Z",
]


@pytest.mark.parametrize("when", ODD, ids=range(len(ODD)))
def test_a_time_that_is_none_is_refused(folder: Path, when: Any) -> None:
    with marskg.open(folder) as memory:
        with pytest.raises(marskg.InvalidInput):
            memory.remember("x", at=when)
        with pytest.raises(marskg.InvalidInput):
            memory.retrieve("x", as_of=when)
    with pytest.raises(marskg.InvalidMemory):
        marskg.Draft(ref="d", kind=Kind.TASK, content="x", at=when)


@pytest.mark.parametrize("value", [5**7000, b"2026", None, 1.5], ids=["large", "bytes", "none", "float"])
def test_a_moment_is_read_from_text_alone(value: Any) -> None:
    with pytest.raises(marskg.InvalidInput, match="text must be a string"):
        marskg.Moment.parse(value)


def test_turns_have_the_values_that_python_has(folder: Path) -> None:
    when = datetime(2026, 3, 1, tzinfo=UTC)
    with marskg.open(folder) as memory:
        turn = {"content": "I live in Oslo", "speaker": "Alice", "subjects": ("alice",), "timestamp": when}
        learned = memory.learn([turn])
        assert isinstance(learned, marskg.Learned)
        assert {one.valid_from for one in memory.memories() if one.content == "I live in Oslo"} == {
            int(when.timestamp() * 1_000)
        }
        for wrong in (float("nan"), timedelta(1), b"2026", when.replace(tzinfo=None)):
            with pytest.raises(marskg.InvalidInput, match="timestamp"):
                memory.learn([{"content": "I live in Bergen", "timestamp": wrong}])


def test_a_handle_is_neither_copied_nor_pickled(folder: Path) -> None:
    async def asked() -> None:
        async with marskg.aopen(folder) as memory:
            assert repr(memory) == f"AsyncMemory(tenant='default', store={str(folder)!r}, principal='operator')"
            for name, meant in (("search", "retrieve"), ("remembr", "remember")):
                with pytest.raises(AttributeError, match=f"did you mean '{meant}'"):
                    getattr(memory, name)
            for way in (copy.copy, pickle.dumps):
                with pytest.raises(TypeError, match="neither copied nor pickled"):
                    way(memory)

    with marskg.open(folder) as memory:
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="neither copied nor pickled"):
                way(memory)
    asyncio.run(asked())
