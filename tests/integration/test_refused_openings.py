"""An opening, or settings, that cannot be meant are refused before anything is created, changed or forgotten."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import marskg

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[marskg.AgentMemory]:
    with marskg.open(tmp_path / "store", tenant="a", budget=1_000) as opened:
        for number in range(20):
            opened.remember(f"Note {number} of the garden")
        yield opened


@pytest.mark.parametrize(
    "given",
    [{"maintain_every": "every day"}, {"passphrase": ""}, {"passphrase": "x" * 1_024}, {"snapshot": __file__}],
    ids=["interval", "no passphrase", "long passphrase", "no snapshot"],
)
def test_a_refused_opening_creates_nothing(tmp_path: Path, given: dict[str, Any]) -> None:
    with pytest.raises(marskg.MarsError):
        marskg.open(tmp_path / "new", budget=50, **given)
    assert not (tmp_path / "new").exists()


def test_a_refused_opening_forgets_nothing(memory: marskg.AgentMemory, tmp_path: Path) -> None:
    with pytest.raises(marskg.InvalidInput, match="maintain_every"):
        marskg.open(tmp_path / "store", tenant="a", budget=20, maintain_every="every day")
    assert memory.stats()["live"] == 20
    assert memory.settings.current.budget == 1_000


@pytest.mark.parametrize(
    "change", [{"head_interval": 0}, {"budget": 0}, {"lives": {}}, {"on_expiry": "zzz"}, {"task_grace": -5}], ids=str
)
def test_settings_that_somebody_made_are_checked_like_values(
    memory: marskg.AgentMemory, tmp_path: Path, change: dict[str, Any]
) -> None:
    with pytest.raises(marskg.InvalidConfig):
        memory.settings.set(replace(memory.settings.current, **change), {})
    memory.close()
    with marskg.open(tmp_path / "store", tenant="a") as again:
        assert again.verify().ok


def nested(levels: int) -> deque[Any]:
    found: deque[Any] = deque()
    for _ in range(levels):
        found = deque([found])
    return found


class Text(str):
    """A text that says otherwise what it holds."""

    __slots__ = ()

    def __contains__(self, _: object) -> bool:
        return False

    def isascii(self) -> bool:
        return True


def test_what_could_not_be_read_again_is_not_stored(memory: marskg.AgentMemory) -> None:
    for metadata in ({"a": nested(20)}, {"a": nested(2_000)}, {"a": Text("x\0y")}):
        with pytest.raises(marskg.InvalidMemory):
            memory.remember("Another", metadata=metadata)
    with pytest.raises(marskg.InvalidMemory, match="NUL"):
        memory.remember(Text("x\0y"))
    assert memory.stats()["live"] == 20
    assert memory.retrieve("garden", min_confidence=0)


def test_numbers_of_numpy_are_numbers(memory: marskg.AgentMemory) -> None:
    stored = memory.remember(
        "Sure", kind="semantic", payload={"confidence": np.float64(0.5)}, sensitivity=np.float64(0)
    )
    assert stored.payload["confidence"] == 0.5
    assert memory.retrieve("sure", max_sensitivity=np.float64(0.25)) is not None


def test_no_message_repeats_a_long_input() -> None:
    long = "hostile " * 25_000
    for error in (marskg.InvalidInput(long), marskg.UnknownMemory("x" * 200_000), marskg.BudgetInfeasible(long)):
        assert len(str(error)) <= 1_002
        assert "x" * 201 not in str(error)
