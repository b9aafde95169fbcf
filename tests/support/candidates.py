"""Candidates for tests of assembly, with as few words as a case needs, and small random cases with their optimum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from marskg.ontology.vocabulary import Kind
from marskg.records import Memory
from marskg.retrieval.candidate import Candidate
from marskg.retrieval.submodular import SetFunction, Weights, greedy
from marskg.text import terms

if TYPE_CHECKING:
    import random

    from marskg.policies.bundles import Selection

#: 2025-06-15 in UTC.
NOON = 1_749_988_800_000
DAY = 86_400_000
COLOURS = ["red", "green", "blue", "cyan", "pink", "gold", "grey", "teal"]


def memory(number: int, content: str | None, **fields: Any) -> Memory:
    """Return a fact with the id ``m<number>``, stored as the ``number``-th."""
    given: dict[str, Any] = {"kind": Kind.SEMANTIC, "valid_from": NOON, **fields}
    return Memory(id=f"m{number}", tenant="alice", content=content, created=NOON, sequence=number, **given)


def candidate(number: int, content: str | None = None, score: int = 500_000, **fields: Any) -> Candidate:
    """Return a candidate; ``vector``, ``entities``, ``goals`` and ``bases`` are its own, other fields the memory's."""
    text = f"fact number {number}" if content is None else content
    own = {name: fields.pop(name) for name in ("vector", "entities", "goals", "bases") if name in fields}
    return Candidate(memory(number, text, **fields), score, terms=frozenset(terms(text)), **own)


def direction(*components: float) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return the unit vector of ``components``."""
    vector = np.array(components, dtype=np.float32)
    return vector / np.float32(np.linalg.norm(vector))


@dataclass(frozen=True)
class Case:
    """A few candidates with costs and a budget."""

    candidates: list[Candidate]
    costs: dict[str, int]
    budget: int
    function: SetFunction
    weights: Weights

    def chosen(self) -> Selection:
        """Return what greedy chooses."""
        return greedy(self.candidates, self.budget, lambda one: self.costs[one.id], function=self.function)

    def optimum(self) -> tuple[int, frozenset[int]]:
        """Return the best value of a closed set within the budget, and that set, by trying all of them."""
        size = len(self.candidates)
        places = {one.id: place for place, one in enumerate(self.candidates)}
        needs = [sum(1 << places[base] for base in one.bases) for one in self.candidates]
        costs = [self.costs[one.id] for one in self.candidates]
        best, best_set = 0, frozenset[int]()
        for bits in range(1, 1 << size):
            members = [place for place in range(size) if bits >> place & 1]
            if sum(costs[place] for place in members) <= self.budget and not any(
                needs[place] & ~bits for place in members
            ):
                value = self.function.value(members)
                if value > best:
                    best, best_set = value, frozenset(members)
        return best, best_set


#: Relevance alone: what a set is worth is the sum of its scores, and nothing softens a wrong choice.
MODULAR = Weights(facility=0, terms=0, key=0, entity=0, goal=0)


def random_case(generator: random.Random, size: int, *, bases: bool = True) -> Case:
    """Return a case of ``size`` candidates in clusters; with ``bases`` some depend on earlier ones.

    Half of the cases are hard on purpose: worth and cost spread over orders of magnitude, relevance counts alone, and
    many depend on the first, which is dear and worth nothing.
    """
    hard = generator.random() < 0.5
    centres = [[generator.gauss(0, 1) for _ in range(4)] for _ in range(3)]
    candidates = []
    for number in range(size):
        vector = direction(*(part + generator.gauss(0, 0.5) for part in generator.choice(centres)))
        needed = {f"m{earlier}" for earlier in range(number) if bases and generator.random() < 0.6 / size}
        if bases and hard and number and generator.random() < 0.5:
            needed.add("m0")
        candidates.append(
            candidate(
                number,
                " ".join(generator.sample(COLOURS, 3)),
                score=1 if bases and hard and not number else int(10 ** generator.uniform(3 if hard else 5, 6)),
                vector=vector,
                entities=tuple(generator.sample(["e1", "e2", "e3", "e4", "e5"], generator.randrange(3))),
                goals=("g1",) if generator.random() < 0.2 else (),
                key=generator.choice([None, "k1", "k2"]),
                bases=tuple(sorted(needed)),
            )
        )
    costs = {one.id: int(10 ** generator.uniform(0, 2)) for one in candidates}
    budget = generator.randrange(1, sum(costs.values()) + 2)
    weights = MODULAR if hard else Weights()
    return Case(candidates, costs, budget, SetFunction(candidates, frozenset(COLOURS[:3]), weights), weights)


def trap_case(generator: random.Random) -> Case:
    """Return a case of the kind in which half is missed: a dear base that four share, beside three dense others."""
    dear = generator.randrange(5, 40)
    sharing = [candidate(n, score=generator.randrange(200_000, 1_000_000), bases=("m0",)) for n in range(1, 5)]
    costs = {"m0": dear} | {one.id: generator.randrange(1, 4) for one in sharing}
    budget = sum(costs.values())
    others = [candidate(n, score=generator.randrange(10_000, 500_000)) for n in range(5, 8)]
    costs |= {one.id: generator.randrange(1, budget) for one in others}
    candidates = [candidate(0, score=1), *sharing, *others]
    return Case(candidates, costs, budget, SetFunction(candidates, weights=MODULAR), MODULAR)
