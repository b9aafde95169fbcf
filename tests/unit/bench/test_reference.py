"""The protocol on the benchmark itself: it finds what it asks for, and ranks as was measured before it was written.

The lines are those of the research notes, from another implementation of the same protocol and of BM25.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from marskg.embedding.static import StaticEmbedding
from marskg.weight import TokenCounter
from marskg_bench.common.memora import BenchPersona, personas
from marskg_bench.retrievals.comparison import Scope, compare

if TYPE_CHECKING:
    from pathlib import Path

#: Presence and FAMA without governance, FAMA with perfect governance, percent at k = 20 on the shared turns.
LINES = {
    ("bm25", "reasoning"): (78, 78, 81),
    ("bm25", "recommending"): (61, 35, 64),
    ("bm25", "remembering"): (64, 47, 57),
    ("vector", "reasoning"): (85, 85, 87),
    ("vector", "recommending"): (84, 49, 95),
    ("vector", "remembering"): (60, 44, 54),
}
#: Two implementations of one ranking differ by a question or two of thirty.
CLOSE = 6


def read(memora: Path, period: str) -> list[BenchPersona]:
    counter = TokenCounter()
    return [BenchPersona(place, counter) for place in personas(memora, period, ())]


@pytest.mark.parametrize("period", ["weekly", pytest.param("monthly", marks=pytest.mark.slow)])
def test_every_value_has_a_session_and_is_found_in_one(memora: Path, period: str) -> None:
    asked = heard = 0
    for persona in read(memora, period):
        (day,) = persona.days
        items = persona.items("B", day)
        for question in persona.questions:
            for criterion in (*question.presence, *question.forgetting):
                for part in criterion.parts:
                    assert part.sessions
                    asked += 1
                    heard += any(part.by(item) for item in items)
    assert heard / asked >= 0.96


def test_the_lines_of_the_notes(memora: Path) -> None:
    figures = compare(
        read(memora, "weekly"), Scope(("B",), (20,), with_product=False), StaticEmbedding(), lambda _: None
    )["B"]
    for (ranker, task), wanted in LINES.items():
        bare, oracle = (figures[name][task]["20"] for name in (ranker, f"{ranker}_oracle"))
        got = (100 * bare["presence"], 100 * bare["fama"], 100 * oracle["fama"])
        assert got == pytest.approx(wanted, abs=CLOSE), (ranker, task)
