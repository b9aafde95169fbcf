"""An answer holds as much of the evidence as its own ranking cut at the same budget, and little besides content."""

from __future__ import annotations

from typing import TYPE_CHECKING

import marskg
from tests.support.evidence import conversations, measured, told
from tests.support.proof import amount

if TYPE_CHECKING:
    from pathlib import Path

#: Turns to remember, and questions to ask at each budget.
#: How much less than its ranking an answer may hold, in points (semantics section 13).
SLACK = 0.5
#: What of a budget's tokens may be numbers and headings.
FRAME = {250: 0.22, 500: 0.18, 1_000: 0.16}


def test_answers_hold_what_their_rankings_hold(shared_folder: Path, tmp_path: Path) -> None:
    talk = min(conversations(shared_folder / "data" / "locomo-open.json.gz"), key=lambda one: len(str(one["qa"])))
    memory = marskg.open(str(tmp_path / "store"), tenant="t", budget=1_000_000)
    try:
        found = measured(memory, told(memory, talk)[: amount(40, 10_000)], tuple(FRAME))
    finally:
        memory.close()
    for budget, one in found.items():
        assert one.percent(one.answers) >= one.percent(one.rankings) - SLACK, budget
        assert one.frame / one.tokens <= FRAME[budget], budget
