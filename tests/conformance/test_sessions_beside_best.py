"""A session's turns fill no budget: a turn beside the best has evidence of its own, or stands right beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from marskg.config import Settings
from tests.support.stores import START

if TYPE_CHECKING:
    from tests.support.stores import Stores

TURNS: Final = (
    "We planned the trip to Norway for August",
    "I booked the ferry from Kiel, it leaves at 14:00",
    "Mum wants to come along",
    "I told her the cabin has four beds",
    "The dog stays with Jonas",
    "I need new hiking boots",
    "My old ones leak",
    "The shop at the corner closed",
    "Then I had soup for dinner",
    "The soup was too salty",
    "Tomorrow is the dentist",
    "He is on Lindenstrasse 4",
    "I am tired now",
)
#: What is asked, the turn that answers, and the turns right beside it.
ASKED: Final = {
    "Where is the dentist?": TURNS[9:12],
    "When does the ferry leave?": TURNS[0:3],
    "Who takes care of the dog?": TURNS[3:6],
}


@pytest.mark.parametrize("question", ASKED)
def test_the_best_turn_does_not_bring_its_session_along(stores: Stores, question: str) -> None:
    memory = stores.open(retrieval__min_confidence=Settings().retrieval.min_confidence)
    for number, text in enumerate(TURNS):
        memory.remember(text, session="s", at=START - (60 - number) * 60_000)
    found = memory.retrieve(question, token_budget=1000)
    certain = [one.memory.content for one in found if one.certain]
    before, best, after = ASKED[question]
    assert certain[0] == best
    # What stands right before and after it means something with it; the rest is shown, as all of it fits, and marked.
    assert {before, best, after} <= {*certain}
    assert len(certain) <= 5
    assert len(found.hits) == len(TURNS)
    text = found.as_text()
    assert text.index("Perhaps not about this") < min(text.index(one) for one in TURNS if one not in certain)
