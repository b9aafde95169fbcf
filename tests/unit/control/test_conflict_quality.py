"""Precision and recall on Memora's updates; the floors are the issue's, not what happens to be reached."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

import pytest

from marskg_bench import conflicts as quality
from marskg_bench.conflicts import DEVELOPMENT, HELD_OUT, Tally, measure

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.learning.rules.conflict_detection import Statement

PRECISION, RECALL = 0.8, 0.6


@pytest.fixture(scope="module")
def weekly(shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("memora")
    with tarfile.open(shared_folder / "data" / "memora-open.tar.gz") as archive:
        members = [one for one in archive.getmembers() if "/weekly/" in one.name and "/conversations" in one.name]
        archive.extractall(folder, members=members, filter="data")
    return folder / "memora" / "weekly"


@pytest.mark.parametrize("personas", [DEVELOPMENT, HELD_OUT], ids=["development", "held out"])
def test_updates_are_found_and_little_else(weekly: Path, personas: tuple[str, ...]) -> None:
    tables = measure([weekly / name for name in personas])
    for name, tally in tables.items():
        assert tally.updates >= 30, name
        assert tally.compared > 20_000, name
        assert tally.precision >= PRECISION, name
        assert tally.recall >= RECALL, name


def test_the_measure_sees_a_detector_that_cries_wolf(weekly: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wolf(_new: Statement, candidates: list[Statement]) -> list[tuple[Statement, None]]:
        return [(old, None) for old in candidates]

    monkeypatch.setattr(quality, "find_conflicts", wolf)
    tally = measure([weekly / DEVELOPMENT[0]])["facts"]
    assert tally.recall == pytest.approx(1.0)
    assert tally.precision < PRECISION / 2


def test_the_measure_sees_a_detector_that_sleeps(weekly: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "find_conflicts", lambda *_: [])
    assert measure([weekly / DEVELOPMENT[0]])["facts"].recall == pytest.approx(0.0)


def test_an_empty_tally_is_perfect() -> None:
    assert (Tally().precision, Tally().recall) == (1.0, 1.0)


def test_between_facts_only_an_item_in_anothers_place_is_missed(weekly: Path) -> None:
    folders = [weekly / name for name in DEVELOPMENT]
    everything, changed = (measure(folders, substitutions=taken)["facts"] for taken in (True, False))
    assert changed.updates < everything.updates
    assert changed.recall >= 0.9
