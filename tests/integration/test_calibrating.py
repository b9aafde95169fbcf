"""The scripts that calibrate the ranking run on a file of lives, and print what goes into the code."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from marskg.retrieval.query.newer import FEATURES
from scripts import certainty, newer

LIVES = Path(__file__).parents[1] / "data" / "lives-a.json"

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of the first two lives, as they come from others."""
    found: Sequence[dict[str, Any]] = json.loads(LIVES.read_text(encoding="utf-8"))
    path = tmp_path_factory.mktemp("lives") / "two.json.gz"
    path.write_bytes(gzip.compress(json.dumps(found[:2]).encode()))
    return path


def test_whose_value_is_newer_is_learned(file: Path) -> None:
    asked = newer.asked_of(file, "static")
    assert len(asked) > 20
    usual = newer.usual_of(asked)
    assert -1 < usual.near < usual.alike < 1
    found = newer.fitted(asked, usual)
    assert found.usual == usual
    assert len(found.of_features) == len(FEATURES)
    assert found.older.shape == found.newer.shape == (asked[0].turns.vectors.shape[1],)
    assert newer.measured(asked, [found] * len(asked)).startswith("stale first")


def test_what_is_certain_is_calibrated(file: Path) -> None:
    found = certainty.measured(certainty.talks(file), "static")
    assert found.own.any()
    assert not found.own.all()
    assert next(certainty.lines({file.name: found})).startswith("middle ")
