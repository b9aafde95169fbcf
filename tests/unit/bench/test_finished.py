"""The file of finished runs: what it keeps, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from marskg.errors import InvalidDocument, StoreUnwritable
from marskg_bench.common.finished import Finished

if TYPE_CHECKING:
    from pathlib import Path

CONDITIONS = {"track": "AB", "depths": [20], "seed": 1}
NAME = ("weekly", "films", "fifo", 2000)


def test_what_was_added_is_there_the_next_time(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    Finished(path, CONDITIONS).add(NAME, {"fama": 0.5})
    again = Finished(path, CONDITIONS)
    assert again.get(NAME) == {"fama": 0.5}
    assert again.get((*NAME[:3], 4000)) is None


def test_half_a_line_is_dropped_and_what_comes_next_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    Finished(path, CONDITIONS).add(NAME, {"fama": 0.5})
    with path.open("a") as file:
        file.write('{"run": ["weekly", "fi')
    other = ("weekly", "films", "lru", 2000)
    Finished(path, CONDITIONS).add(other, {"fama": 0.25})
    again = Finished(path, CONDITIONS)
    assert (again.get(NAME), again.get(other)) == ({"fama": 0.5}, {"fama": 0.25})


def test_a_file_that_is_half_a_first_line_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text('{"condit')
    Finished(path, CONDITIONS).add(NAME, {})
    assert Finished(path, CONDITIONS).get(NAME) == {}


def test_runs_of_other_conditions_are_not_mixed_in(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    Finished(path, CONDITIONS)
    with pytest.raises(InvalidDocument, match=r"runs of other conditions.*name another file"):
        Finished(path, {**CONDITIONS, "seed": 2})


@pytest.mark.parametrize("text", ["hello\n", '["a"]\n', '{"seed": 1}\n'])
def test_another_file_is_not_overwritten(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(InvalidDocument, match="name another file"):
        Finished(path, CONDITIONS)
    assert path.read_text() == text


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnwritable, match="choose another place"):
        Finished(tmp_path / "missing" / "runs.jsonl", CONDITIONS)


def test_without_a_file_runs_are_known_while_the_process_lasts() -> None:
    finished = Finished(None, CONDITIONS)
    finished.add(NAME, {"fama": 1.0})
    assert finished.get(NAME) == {"fama": 1.0}
