"""The best of many passages is near a question by chance: a text of several is taken as a little less alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import marskg
from marskg.clock import ManualClock, SeededSource
from marskg.embedding.e5 import E5
from marskg.text import passages

if TYPE_CHECKING:
    from pathlib import Path

ASKED = "How many eggs does the cake want?"


def test_a_text_of_several_passages_is_less_alike_than_its_best(tmp_path: Path) -> None:
    long = " ".join(f"Step {n} of the recipe wants {n} eggs and flour that was sifted." for n in range(20))
    parts = passages(long)
    assert len(parts) > 3
    with marskg.open(
        tmp_path / "m", tenant="t", clock=ManualClock(1_800_000_000_000), source=SeededSource(1), embedding="e5"
    ) as memory:
        for text in (long, "Ben wants three eggs for breakfast"):
            memory.remember(text)
        memory.maintenance.reembed()
        hits = memory.retrieve(ASKED, token_budget=2_000, explain=True, min_confidence=0)
        alike = {hit.memory.content: hit.why["similarity"] for hit in hits}
    model = E5()
    asked = model.embed_questions([ASKED])[0]
    assert alike["Ben wants three eggs for breakfast"] == pytest.approx(
        float(model.embed(["Ben wants three eggs for breakfast"])[0] @ asked), abs=0.01
    )
    best = float((model.embed(parts) @ asked).max())
    assert alike[long] == pytest.approx(best - 0.04 * float(np.log(len(parts))), abs=0.01)
