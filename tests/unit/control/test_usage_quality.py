"""Precision and recall of what is found in answers that the rules were not written on; the floors are round numbers."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from marskg.learning.rules.score import Outcome

QUALITY: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[3] / "scripts" / "usage_quality.py"))
PRECISION, RECALL = 0.88, 0.75


@pytest.mark.parametrize("model", ["static", pytest.param("minilm", marks=pytest.mark.proof)])
@pytest.mark.parametrize("half", ["tuning", "held out"])
@pytest.mark.parametrize("outcome", [Outcome.USED, Outcome.CONTRADICTED])
def test_what_an_answer_does_with_a_memory_is_found(model: str, half: str, outcome: Outcome) -> None:
    tally = QUALITY["measure"](QUALITY["examples"](QUALITY["HALVES"][half]), model)
    right, found = tally.precision(outcome)
    _, there = tally.recall(outcome)
    assert there > 50
    assert right / found >= PRECISION
    assert right / there >= RECALL


def test_small_talk_uses_nothing() -> None:
    for path in QUALITY["HALVES"].values():
        for one in QUALITY["examples"](path):
            if one.question in {"Tell me a joke", "Sing me a song", "Thanks, that helped!", "Good morning!"}:
                assert set(one.outcomes) == {Outcome.UNUSED}
                assert set(QUALITY["measure"](iter([one]), "static").counts) == {(Outcome.UNUSED, Outcome.UNUSED)}
