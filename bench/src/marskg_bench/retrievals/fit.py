"""The weights of the ranking, learned from conversations with questions whose evidence is known.

Guarantees: each question is asked of the product through its public door, and what the product says of each memory is
all that is learned from; a conversation's figures are of weights that were learned without it; every file counts the
same, however many questions it has; what the questions say nothing about keeps its weight. The same files give the
same weights. Source: Cao et al. 2007 (ListNet, top one); Kingma and Ba 2015 (Adam).
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from marskg.config import AssemblySettings, RankingWeights
from marskg_bench.common.conversation import answerable
from marskg_bench.retrievals.asked import AMPLE, EVERYTHING, told
from marskg_bench.retrievals.parts import WEIGHTS
from marskg_bench.retrievals.retrievers import product

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from marskg_bench.common.conversation import Conversation
    from marskg_bench.common.progress import Say

#: Tokens for each turn and for each session that is shown, besides the turns' own.
ITEM: Final = 3
HEADING: Final = 10
_STEPS: Final = 300
_RATE: Final = 0.03
#: How strongly a weight is held where it was, by the square of what it changes the sum by in a usual question.
_HELD: Final = 2e-3
_BETAS: Final = (0.9, 0.999)
#: No weight of these is learned: a conversation that was just told has no use, no classes and no ids in questions.
_KEPT: Final = frozenset({"exact", "score", "memory_class", "recency"})
#: The tokens that a long turn may take are its share of the budget, as in the product, and at least these.
_LEAST: Final = 96

Vector = npt.NDArray[np.float64]


class Asked(NamedTuple):
    """One question: ``parts`` is ``[memories, features]``; which are evidence; tokens and sessions of the memories."""

    parts: Vector
    evidence: npt.NDArray[np.bool_]
    tokens: npt.NDArray[np.int64]
    sessions: npt.NDArray[np.int64]

    def found(self, weights: Vector, budgets: Sequence[int]) -> list[float]:
        """Return the share of the evidence within each of ``budgets`` tokens, in the order of the weighed sum."""
        order = np.argsort(-(self.parts @ weights), kind="stable")
        frame = np.full(len(order), ITEM, dtype=np.int64)
        frame[np.unique(self.sessions[order], return_index=True)[1]] += HEADING
        held = np.cumsum(self.evidence[order]) / int(self.evidence.sum())
        found = []
        for budget in budgets:
            most = max(_LEAST, int(AssemblySettings().longest_share * budget))
            spent = np.cumsum(np.minimum(self.tokens[order], most) + frame)
            end = int(np.searchsorted(spent, budget, side="right"))
            found.append(float(held[end - 1]) if end else 0.0)
        return found


class Source(NamedTuple):
    """The questions of one file, conversation by conversation."""

    name: str
    conversations: Mapping[str, Sequence[Asked]]


def names() -> list[str]:
    """Return the names of the weights, in the order of the features of :class:`Asked`."""
    return list(asdict(RankingWeights()))


def used() -> Vector:
    """Return the weights in use, in the order of :func:`names`."""
    return np.array(list(asdict(RankingWeights()).values()))


def asked_of(one: Conversation, embedding: str, say: Say) -> list[Asked]:
    """Return what the product says of every memory for each question of a conversation.

    Raises:
        EngineUnavailable: the embedded engine cannot be opened.
        MarsError: the product refuses a turn or a question.
    """
    features = list(RankingWeights().by_name())
    found = []
    with product(one.turns[0].at, {"embedding.model": embedding}) as running:
        places = told(running, one, say)
        questions = answerable(one)
        for number, question in enumerate(questions):
            if number % 10 == 0:
                say(f"{one.name}: question {number} of {len(questions)}")
            hits = running.memory.retrieve(
                question.text, token_budget=AMPLE, k=EVERYTHING, min_confidence=0, explain=True
            )
            rows = [places[hit.memory.id] for hit in hits if hit.memory.id in places]
            why = [hit.why for hit in hits if hit.memory.id in places]
            evidence = np.array([row in question.evidence for row in rows], dtype=np.bool_)
            if evidence.any():
                parts = np.array([[each.get(name, 0.0) for name in features] for each in why])
                sessions = np.unique([one.turns[row].session for row in rows], return_inverse=True)[1]
                tokens = np.array([hit.tokens for hit in hits if hit.memory.id in places])
                found.append(Asked(parts, evidence, tokens, sessions))
    return found


def learned(sources: Iterable[Iterable[Asked]], start: Vector) -> Vector:
    """Return the weights under which the evidence of each question stands before everything else.

    ``sources`` are the questions of each file. No weight is below 0.
    """
    groups = [questions for source in sources if (questions := list(source))]
    rows = [(asked, 1 / len(questions) / len(groups)) for questions in groups for asked in questions]
    spread = np.sqrt(np.mean([asked.parts.var(axis=0) for asked, _ in rows], axis=0))
    learns = (spread > 0) & ~np.isin(names(), [*_KEPT])
    weights = start.copy()
    mean, square = np.zeros((2, len(start)))
    for step in range(1, _STEPS + 1):
        gradient = _HELD * (weights - start) * spread**2
        for asked, share in rows:
            gradient += share * _pull(asked, weights)
        mean = _BETAS[0] * mean + (1 - _BETAS[0]) * gradient
        square = _BETAS[1] * square + (1 - _BETAS[1]) * gradient**2
        change = (mean / (1 - _BETAS[0] ** step)) / (np.sqrt(square / (1 - _BETAS[1] ** step)) + 1e-9)
        # A part that differs little between memories needs a weight that moves much.
        weights -= np.where(learns, _RATE * change / np.maximum(spread, 1e-3), 0.0)
        np.maximum(weights, 0.0, out=weights)
    return weights


def _pull(asked: Asked, weights: Vector) -> Vector:
    """Return the gradient of the cross entropy between the evidence and the softmax of the sums."""
    total = asked.parts @ weights
    chance = np.exp(total - total.max())
    chance /= chance.sum()
    found: Vector = asked.parts.T @ (chance - asked.evidence / asked.evidence.sum())
    return found


def figures(sources: Sequence[Source], budgets: Sequence[int]) -> dict[str, Any]:
    """Return the weights that are used and those learned, and the evidence that each finds by file and budget.

    What the learned ones find is of each conversation by weights that were learned on all others.
    """
    start = used()
    whole = learned(([one for asked in source.conversations.values() for one in asked] for source in sources), start)
    return {
        "budgets": list(budgets),
        "weights": {
            f"{WEIGHTS}{name}": {"used": before, "learned": round(found, 3)}
            for name, before, found in zip(names(), start.tolist(), whole.tolist(), strict=True)
        },
        "evidence": {
            source.name: {
                "used": _mean(source, budgets, lambda _: start),
                "learned": _left_out(sources, source, budgets),
            }
            for source in sources
        },
    }


def _left_out(sources: Sequence[Source], own: Source, budgets: Sequence[int]) -> dict[str, float]:
    def without(conversation: str) -> Vector:
        others = (
            [
                asked
                for name, questions in source.conversations.items()
                if (source.name, name) != (own.name, conversation)
                for asked in questions
            ]
            for source in sources
        )
        return learned(others, used())

    return _mean(own, budgets, without)


def _mean(source: Source, budgets: Sequence[int], weights: Callable[[str], Vector]) -> dict[str, float]:
    shares = []
    for name, questions in source.conversations.items():
        found = weights(name)
        shares += [asked.found(found, budgets) for asked in questions]
    return {str(budget): round(float(value), 4) for budget, value in zip(budgets, np.mean(shares, axis=0), strict=True)}
