"""What use teaches: rounds of questions with right, wrong or missing feedback, and the evidence before and after.

Guarantees: each kind of feedback has a store of its own that was told the same turns; the product is asked with its
defaults and hears of a round what ``feedback`` takes, nothing else; a third of the questions is never asked in a round;
equal seeds give equal rounds. A conversation counts whole or not at all, and no text is in any figure.
"""

from __future__ import annotations

from contextlib import suppress
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from marskg.clock import SeededSource
from marskg_bench.common.conversation import answerable
from marskg_bench.retrievals.asked import EVERYTHING, told
from marskg_bench.retrievals.evidence import outcome
from marskg_bench.retrievals.retrievers import product

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from marskg_bench.common.conversation import Conversation, Question
    from marskg_bench.common.progress import Say
    from marskg_bench.retrievals.retrievers import Product

T = TypeVar("T")

RIGHT, WRONG, MISSING = "right", "wrong", "missing"
KINDS: Final = (RIGHT, WRONG, MISSING)
ASKED, HELD_OUT, OVERALL = "asked", "held_out", "overall"
GROUPS: Final = (ASKED, HELD_OUT, OVERALL)
_MINUTE: Final = 60_000
#: One question in so many is held out.
_HELD: Final = 3
#: Turns beside the point that wrong feedback calls used, at most.
_FALSE: Final = 3
#: One wrong round in so many has the user say that a right answer is wrong.
_COMPLAINS: Final = 10
_DENIAL: Final = "that's wrong"
#: What people say that asks nothing of a memory, and what is answered.
_SMALL_TALK: Final = (
    ("Tell me a joke", "Why did the chicken cross the road? To get to the other side."),
    ("How far is the moon?", "About 384,000 km."),
    ("What is 17 times 3?", "51."),
    ("Translate 'good morning' to French", "Bonjour."),
    ("Thank you so much!", "You're welcome!"),
    ("Name three primes", "2, 3, 5."),
)


class Chance:
    """What a seed makes of chance."""

    def __init__(self, seed: str) -> None:
        """Begin the numbers of ``seed``."""
        self._source = SeededSource(f"learning {seed}")

    def below(self, size: int) -> int:
        """Return a number from 0 to below ``size``."""
        return int.from_bytes(self._source.token(8)) % size

    def one(self, among: Sequence[T]) -> T:
        """Return one of several."""
        return among[self.below(len(among))]

    def some(self, among: Sequence[T], count: int) -> list[T]:
        """Return ``count`` of several, each once, in any order."""
        left = list(among)
        return [left.pop(self.below(len(left))) for _ in range(count)]


class Use(NamedTuple):
    """How a store is used: so many rounds by kind of feedback, measured within ``budgets``, drawn from ``seed``."""

    rounds: int
    budgets: Sequence[int]
    seed: int
    embedding: str


#: The share of a question's evidence that is shown, by budget and question.
_Shares = dict[int, list[float]]


def run(found: Sequence[Conversation], use: Use, say: Say) -> dict[str, Any]:
    """Return by kind, group and budget the evidence ``before`` and ``after``, and the rounds with feedback.

    Ctrl-C ends it; the figures are of the conversations that were complete then.

    Raises:
        EngineUnavailable: the embedded engine cannot be opened.
        MarsError: the product refuses a turn or a question.
    """
    complete: list[_Taught] = []
    with suppress(KeyboardInterrupt):
        for one in found:
            complete.append(_Taught.of(one, use, say))  # noqa: PERF401 - what is complete stays
    return {
        "rounds": use.rounds,
        "budgets": list(use.budgets),
        "complete": {one.name: len(one.groups[OVERALL]) for one in complete},
        "given": {kind: sum(one.given[kind] for one in complete) for kind in KINDS if complete},
        "kinds": {kind: _figures(complete, kind, use.budgets) for kind in KINDS if complete},
    }


def _figures(complete: Sequence[_Taught], kind: str, budgets: Sequence[int]) -> dict[str, Any]:
    def mean(when: str, group: str, budget: int) -> float | None:
        shares = [one.shares[when][budget][place] for one in complete for place in one.groups[group]]
        return round(fmean(shares), 4) if shares else None

    return {
        group: {
            str(budget): {"before": mean("before", group, budget), "after": mean(kind, group, budget)}
            for budget in budgets
        }
        for group in GROUPS
    }


class _Taught(NamedTuple):
    """One conversation: places of questions by group, evidence by kind (and before), feedback that was given."""

    name: str
    groups: Mapping[str, Sequence[int]]
    shares: Mapping[str, _Shares]
    given: Mapping[str, int]

    @classmethod
    def of(cls, one: Conversation, use: Use, say: Say) -> _Taught:
        """Use a store of ``one`` for each kind of feedback."""
        questions = answerable(one)
        places = Chance(f"{use.seed} {one.name}").some(range(len(questions)), len(questions))
        held = len(places) // _HELD
        groups = {ASKED: places[held:], HELD_OUT: places[:held], OVERALL: places}
        shares: dict[str, _Shares] = {}
        given = {}
        for kind in KINDS:
            with product(one.turns[0].at, embedding=use.embedding) as running:
                using = _Using(one, running, told(running, one, say))
                shares.setdefault("before", using.measured(questions, use.budgets))
                chance = Chance(f"{use.seed} {one.name} {kind}")
                given[kind] = 0
                for number in range(use.rounds):
                    if number % 100 == 0:
                        say(f"{one.name}: {kind} feedback, round {number} of {use.rounds}")
                    given[kind] += using.round(questions[chance.one(groups[ASKED])], kind, chance)
                shares[kind] = using.measured(questions, use.budgets)
        return cls(one.name, groups, shares, given)


class _Using:
    """Somebody who asks one store."""

    def __init__(self, one: Conversation, running: Product, places: Mapping[str, int]) -> None:
        self._turns = one.turns
        self._now = one.turns[-1].at + _MINUTE
        self._running = running
        self._memory: Any = running.memory
        self._places = places

    def measured(self, questions: Sequence[Question], budgets: Sequence[int]) -> _Shares:
        """Return the share of each question's evidence within each of ``budgets``."""
        return {budget: [self._share(asked, budget) for asked in questions] for budget in budgets}

    def _share(self, asked: Question, budget: int) -> float:
        hits = self._memory.retrieve(asked.text, token_budget=budget, k=EVERYTHING)
        return outcome([self._places.get(hit.memory.id, -1) for hit in hits], asked.evidence).evidence

    def round(self, asked: Question, kind: str, chance: Chance) -> bool:
        """Ask, and give feedback of ``kind`` where there is anything to say; returns whether it was given."""
        self._now += _MINUTE
        self._running.wait(self._now)
        text, answer = (asked.text, None) if kind != MISSING else chance.one([*_SMALL_TALK, (asked.text, None)])
        hits = self._memory.retrieve(text)
        shown = [hit.memory.id for hit in hits if hit.memory.id in self._places]
        evidence = [ident for ident in shown if self._places[ident] in asked.evidence]
        others = [ident for ident in shown if ident not in evidence]
        if kind == MISSING:
            said: dict[str, Any] = {"answer": answer} if answer else {}
        else:
            said = self._right(evidence, chance) if kind == RIGHT else self._wrong(evidence, others, chance)
        if said and hits.id is not None:
            self._memory.feedback(hits.id, question=text, **said)
        return bool(said) and hits.id is not None

    def _right(self, evidence: Sequence[str], chance: Chance) -> dict[str, Any]:
        """Return what names the evidence, by ids or by its words."""
        if not evidence:
            return {}
        return {"used": evidence} if chance.below(2) == 0 else {"answer": self._words(evidence)}

    def _wrong(self, evidence: Sequence[str], others: Sequence[str], chance: Chance) -> dict[str, Any]:
        """Return what says that turns beside the point helped, or that the evidence is wrong."""
        if evidence and chance.below(_COMPLAINS) == 0:
            return {"answer": self._words(evidence), "complaint": _DENIAL}
        if not others:
            return {"contradicted": evidence} if evidence else {}
        false = chance.some(others, min(len(others), 1 + chance.below(_FALSE)))
        return chance.one([{"used": false}, {"used": false, "contradicted": evidence}, {"answer": self._words(false)}])

    def _words(self, idents: Sequence[str]) -> str:
        turns = [self._turns[self._places[ident]] for ident in idents]
        return " ".join(turn.said or turn.text for turn in turns)
