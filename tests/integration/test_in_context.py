"""A turn is nearer to a question where what was said right before or after it is: its neighbours that one may see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import marskg
from marskg.clock import ManualClock, SeededSource

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from marskg.memory import AgentMemory

START = 1_800_000_000_000
DAY = 86_400_000
ASKED = "How was the holiday at the sea?"
BARE = "It was windy and a bit cold, she liked it best"
OTHER = "He was late, rather tired, and nobody minded"


def opened(folder: Path, **given: Any) -> AbstractContextManager[AgentMemory]:
    """Open a store in a folder of its own."""
    made = {"budget": 9_000, "embedding": "static", **given}
    return marskg.open(folder / "m", tenant="t", clock=ManualClock(START), source=SeededSource(1), **made)


def told(memory: AgentMemory, *, hidden: float | None = None) -> None:
    """Tell of the sea, and of taxes, each with a bare turn in the middle; ``hidden`` is how sensitive the sea is."""
    how: dict[str, Any] = {} if hidden is None else {"sensitivity": hidden}
    for day in range(12):
        memory.remember(f"I repaired bicycle {day} today", session=f"w{day}", at=START - (40 - day) * DAY)
    sea = ("We swam in the sea on our beach holiday", BARE, "The waves at the beach were huge on that holiday")
    tax = ("The tax office sent a form for the invoices", OTHER, "The accountant wants all receipts")
    for session, texts in (("sea", sea), ("tax", tax)):
        for place, text in enumerate(texts):
            more = how if text in sea and text != BARE else {}
            memory.remember(text, session=session, at=START - 5 * DAY + place * 1_000, **more)


def why(memory: AgentMemory, **asked: Any) -> dict[str, Any]:
    """Return, by text, the numbers of all hits."""
    hits = memory.retrieve(ASKED, explain=True, min_confidence=0, **asked)
    return {hit.memory.content or "": {**hit.why, "rank": hit.score} for hit in hits}


def test_a_bare_turn_is_nearer_between_turns_that_are_near(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        told(memory)
        found = why(memory)
        assert found[BARE]["context"] > 0.3 > found[OTHER]["context"]
        assert found[BARE]["rank"] > found[OTHER]["rank"]
        memory.settings.set(None, {"retrieval.weights.context": 0})
        without = why(memory)
        assert "context" not in without[BARE]
        assert without[BARE]["rank"] < found[BARE]["rank"]


def test_a_turn_that_says_more_than_its_neighbours_gets_nothing_of_them(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        told(memory)
        alone = [text for text in why(memory) if text.startswith("I repaired")]
        assert alone
        assert all(why(memory)[text]["context"] == 0 for text in alone)


def test_neighbours_that_one_may_not_see_add_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        told(memory, hidden=0.9)
        assert why(memory, max_sensitivity=1.0)[BARE]["context"] > 0
        found = why(memory, max_sensitivity=0.5)
        assert found[BARE]["context"] == 0
        assert "We swam in the sea on our beach holiday" not in found


def test_a_long_text_says_itself_what_it_is_about(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        long = " ".join(f"Step {n} of the recipe wants {n} eggs, and flour that was sifted twice." for n in range(20))
        for place, text in enumerate(("We swam in the sea on our beach holiday", long, "The beach was full of waves")):
            memory.remember(text, session="sea", at=START - DAY + place * 1_000)
        assert why(memory, token_budget=5_000)[long]["context"] == 0


def test_without_vectors_nothing_is_near(tmp_path: Path) -> None:
    with opened(tmp_path, embedding="none") as memory:
        memory.remember("We swam in the sea", session="a", at=START - DAY)
        memory.remember("The sea was cold", session="a", at=START - DAY + 1)
        assert all("context" not in numbers for numbers in why(memory).values())
