"""The answer for a smaller ``k`` or budget is the beginning of the answer for a larger one (semantics section 13)."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.support.proof import amount, some
from tests.support.stores import START

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.memory import AgentMemory
    from marskg.retrieval.assembly.hits import Hits
    from tests.support.stores import Stores

HOUR = 3_600_000
#: What is told next, of so many kinds of which the others are plain turns.
_AGAIN, _LOUD, _ASKS, _ANSWERS, _AGAINST, _DERIVED, _KEYED = range(7)
_KINDS = 12
PEOPLE = ("Ann", "Bob", "Cleo", "Dan")
THINGS = ("tea", "the green boat", "jazz records", "the old mill", "a red kite", "rye bread", "the harbour", "her bike")
DOINGS = ("likes", "sold", "painted", "looks for", "talked about", "lost", "wants", "found")
PLACES = ("in Oslo", "at the market", "near the lake", "on Sunday", "with the children", "last spring", "")
QUESTIONS = (
    "What does Ann like?",
    "Who sold the green boat at the market?",
    "What did Bob lose near the lake?",
    "jazz records",
    "Tell me about Cleo and the old mill last spring",
    "How much was spent on the bike?",
)
MOST = 50
BUDGETS = (*range(8, 140, amount(9, 1)), *range(140, 700, amount(43, 7)), 900, 1_300, 2_000, 4_000, 20_000)
SEEDS = some(range(12), 5)


def _sentence(chance: Random) -> str:
    who, does, what, where = (chance.choice(words) for words in (PEOPLE, DOINGS, THINGS, PLACES))
    return f"{who} {does} {what} {where}".strip() + "."


def _text(chance: Random) -> str:
    """Return what somebody says: a sentence, a few, or a page."""
    return " ".join(_sentence(chance) for _ in range(chance.choice((1, 1, 1, 2, 3, 8, 40))))


def _talk(memory: AgentMemory, seed: int, turns: int) -> None:
    """Tell a store of conversations: repeated, asked and answered, contradicted, derived from and superseded."""
    chance, said, at = Random(seed), [""], START - 1_000 * HOUR
    ids: list[str] = []
    for number in range(turns):
        session, at = f"day-{number // 9}", at + HOUR
        kind = chance.randrange(_KINDS)
        text = _text(chance)
        if kind == _AGAIN:
            text = chance.choice(said[1:] or [text])
        elif kind == _LOUD:
            text = chance.choice(said[1:] or [text]).upper().rstrip(".!?")
        elif kind == _ASKS:
            text = f"What of {chance.choice(THINGS)}, {chance.choice(PEOPLE)}?"
        elif kind == _ANSWERS:
            text = chance.choice(("Yes, last summer!", "No.", "Only on Sunday.", "In Oslo, near the lake."))
        said.append(text)
        against = [chance.choice(ids)] if ids and kind == _AGAINST else []
        source = chance.choice(("chat_user", "chat_user", "chat_assistant", "doc"))
        if kind == _DERIVED and ids:
            done = memory.remember(text, kind="semantic", at=at, derives_from=[chance.choice(ids)])
        elif kind == _KEYED:
            slot = chance.choice(("boat", "city", "price"))
            done = memory.remember(text, kind="semantic", at=at, key=slot, subjects=[chance.choice(PEOPLE)])
        else:
            done = memory.remember(text, session=session, at=at, source_type=source, contradicts=against)
        ids.append(done.id)


def _shelf(memory: AgentMemory, seed: int) -> frozenset[str]:
    """Add slot families, lists and what makes no sense alone; return what may come out of its turn."""
    chance, ids = Random(f"shelf {seed}"), []
    for number in range(14):
        key = f"preference/{chance.choice(('music', 'food'))}/{number}"
        ids.append(memory.remember(_sentence(chance), kind="semantic", key=key).id)
    for _ in range(6):
        wish = _sentence(chance)
        ids.append(memory.remember(wish, kind="semantic", key="wishes", cardinality="set").id)
    for _ in range(6):
        base = chance.choice(ids)
        ids.append(memory.remember(_sentence(chance), kind="semantic", depends_on=[base]).id)
    return frozenset(ids)


def _ids(hits: Hits) -> list[str]:
    return [hit.memory.id for hit in hits]


def _opened(stores: Stores, seed: int) -> AgentMemory:
    """Return a store that shows whatever is nearest, or what bears on the question."""
    memory = stores.open(budget=10_000_000, retrieval__min_confidence=(0, 0.5)[seed % 2])
    _talk(memory, seed, 60 + 90 * (seed % 3))
    return memory


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_every_k_has_the_beginning_of_what_the_next_has(stores: Stores, seed: int) -> None:
    memory = _opened(stores, seed)
    for question in QUESTIONS[: amount(1, 6)]:
        for budget in (300, 100_000):
            answers = [_ids(memory.retrieve(question, k=k, token_budget=budget)) for k in range(1, MOST + 1)]
            for k, (smaller, larger) in enumerate(pairwise(answers), 1):
                assert len(smaller) <= k
                assert larger[: len(smaller)] == smaller, (question, budget, k)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_every_budget_has_the_beginning_of_what_the_next_has(stores: Stores, seed: int) -> None:
    memory = _opened(stores, seed)
    for question in QUESTIONS[: amount(1, 6)]:
        for k in (20, 1_000):
            _each_begins_the_next([_ids(memory.retrieve(question, k=k, token_budget=one)) for one in BUDGETS], question)


def _each_begins_the_next(answers: Sequence[list[str]], question: str) -> None:
    """Check it from the budget on that has room for the best: before, what has room stands in its place."""
    best = answers[-1][:1]
    answers = answers[next(place for place, one in enumerate(answers) if one[:1] == best) :]
    for place, (smaller, larger) in enumerate(pairwise(answers)):
        assert larger[: len(smaller)] == smaller, (question, place, len(answers))


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_families_and_what_rests_on_others_come_out_of_turn_and_nothing_else(stores: Stores, seed: int) -> None:
    memory = stores.open(budget=10_000_000)
    _talk(memory, seed, 60)
    completed = _shelf(memory, seed)
    for question in QUESTIONS[: amount(2, 6)]:
        larger = _ids(memory.retrieve(question, k=MOST, token_budget=100_000))
        for k in range(MOST - 1, 0, -1):
            smaller = _ids(memory.retrieve(question, k=k, token_budget=100_000))
            assert set(smaller) <= set(larger), (question, k)
            assert _differing(smaller, larger) <= completed, (question, k)
            larger = smaller


def _differing(smaller: list[str], larger: list[str]) -> set[str]:
    """Return those of the larger answer that stand before one of the smaller, and are not in it."""
    last = max((larger.index(one) for one in smaller), default=-1)
    return set(larger[: last + 1]) - set(smaller)


def test_an_answer_goes_on_after_a_sentence_that_no_share_holds(stores: Stores) -> None:
    memory = stores.open(budget=100_000)
    endless = memory.remember("Ann likes tea " + "and tea with Ann " * 60, kind="semantic")
    other = memory.remember("Ann likes tea in Oslo", kind="semantic")
    assert _ids(memory.retrieve("Ann likes tea", token_budget=100)) == [other.id]
    assert set(_ids(memory.retrieve("Ann likes tea", token_budget=2_000))) == {endless.id, other.id}


def test_the_newer_of_two_stands_whatever_is_asked_for(stores: Stores) -> None:
    memory = stores.open(budget=100_000)
    old = memory.remember("The code of the harbour gate is 1234", at=START - 9 * HOUR, kind="semantic")
    for number in range(80):
        memory.remember(f"The harbour gate was painted on day {number}", at=START - 8 * HOUR, kind="semantic")
    new = memory.remember("It was altered", at=START - HOUR, kind="semantic", contradicts=[old.id])
    for k in (1, 2, 5, 30):
        shown = _ids(memory.retrieve("What is the code of the harbour gate?", k=k, token_budget=100_000))
        assert (shown[0], old.id in shown) == (new.id, False), k
