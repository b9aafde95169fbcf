"""The scripts that calibrate the ranking run on a file of lives, and print what goes into the code."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from marskg.embedding.registry import load_model
from marskg.retrieval.query.newer import FEATURES
from scripts import certainty, newer, one_value

DATA = Path(__file__).parents[1] / "data"
LIVES = DATA / "lives-a.json"

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


def test_whether_two_tell_one_value_is_learned(file: Path) -> None:
    encoder = load_model("static")
    assert encoder is not None
    told = {name: one_value.written(DATA / f"one-or-both-{name}.json", encoder) for name in "ab"}
    found, some = one_value.fitted(told.values(), told.values()), told["a"]
    of_one, of_both = (
        found.chances(some.question[kind], some.older[kind], some.newer[kind]).mean() for kind in (some.one, ~some.one)
    )
    assert of_one > of_both
    asked = newer.asked_of(file, "static")
    among = one_value.found_among(asked, newer.fitted(asked, newer.usual_of(asked)))
    lines = list(one_value.lines(told, {"two": among}))
    assert [line.partition(":")[0] for line in lines] == ["a", "b", "two"]


def test_a_conversation_of_others_has_nothing_that_is_outdated(tmp_path: Path) -> None:
    turn = {"session": "1", "date": "2024-03-15", "role": "user"}
    talk = {
        "chat": 1,
        "turns": [{**turn, "id": 1, "text": "I live in Halle"}, {**turn, "id": 2, "text": "I moved to Leipzig"}],
        "questions": [
            {"question": "Where was I at first?", "ability": "information_extraction", "evidence": [1]},
            {"question": "Where do I live?", "ability": "knowledge_update", "evidence": [2]},
        ],
    }
    path = tmp_path / "talks.json"
    path.write_text(json.dumps([talk]))
    (life,) = newer.lives_of(path)
    assert [turn["text"] for turn in life["turns"]] == ["I live in Halle", "I moved to Leipzig"]
    assert [(one["q"], one["evidence"], one["stale"]) for one in life["questions"]] == [
        ("Where was I at first?", [["0"]], [])
    ]


def test_what_is_certain_is_calibrated(file: Path) -> None:
    found = certainty.measured(certainty.talks(file), "static")
    assert found.own.any()
    assert not found.own.all()
    assert next(certainty.lines({file.name: found})).startswith("middle ")
