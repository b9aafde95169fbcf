"""What the policy ``adaptive`` loses against the best store there could be, and against the best fixed policy.

Guarantees: a simulation, said to be one; equal seeds give equal figures. It uses the product's own bandit, features,
reward and scores of importance; only arrivals, questions and the store are simulated. Regret is that of MaRS eq. (3),
the sum of U(S*_t) - U(S_t) over the triggers t, where U(S) is the probability that the next question is about something
that is kept, and U(S*_t) is the optimum of the fractional knapsack over all arrivals so far: at least what any store
within the budget could have, so the regret shown is never too small.

The workload turns between two regimes at random moments: chats, asked about while they are fresh, and slow reading,
asked about its facts however old they are. No policy is told which one it is in.

Run ``python scripts/bandit_regret.py --chart regret.svg``.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from marskg.clock import DAY_MS
from marskg.config import AdaptiveSettings, Scoring
from marskg.ontology.vocabulary import Kind
from marskg.policies.controllers.adaptive import FEATURES, context_of, reward_from
from marskg.policies.controllers.bandit import Arm, best, outlooks
from marskg.policies.controllers.context import Situation
from marskg.store.rows.order_keys import Access, density
from marskg.store.rows.read_statistics import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from marskg.policies.controllers.bandit import Context

ARMS = ("fifo", "lru", "priority-decay", "random-drop")
MINUTE = 60_000
BUDGET, LOW_WATER = 4_000, 0.95
#: Questions for every arrival; how long a chat is asked about; what part of the arrivals is a fact; length of a regime.
QUESTIONS, FRESH_MS, FACTS, REGIME = 3, 100 * MINUTE, 0.1, 400
_BEST = 1_000_000


@dataclass
class World:
    """Arrivals and questions, drawn once: every policy meets the same ones."""

    kinds: list[Kind]
    weights: np.ndarray[Any, np.dtype[np.int64]]
    created: np.ndarray[Any, np.dtype[np.int64]]
    chatting: list[bool]
    questions: list[list[int]]

    def chances(self, number: int) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return the probability that a question at arrival ``number`` is about each memory so far."""
        ages = self.created[number] - self.created[: number + 1]
        facts = np.array([kind is Kind.SEMANTIC for kind in self.kinds[: number + 1]])
        fresh = np.exp(-ages / FRESH_MS)
        if self.chatting[number] or not facts.any():
            found = fresh
        else:
            found = 0.9 * facts / facts.sum() + 0.1 * fresh / fresh.sum()
        result: np.ndarray[Any, np.dtype[np.float64]] = found / found.sum()
        return result


def world(arrivals: int, seed: int) -> World:
    """Draw what happens."""
    chance = np.random.default_rng(seed)
    kinds = [Kind.SEMANTIC if one < FACTS else Kind.EPISODIC for one in chance.random(arrivals)]
    weights = chance.integers(5, 36, arrivals)
    chatting = []
    regime = True
    for _ in range(arrivals):
        regime = regime if chance.random() > 1 / REGIME else not regime
        chatting.append(regime)
    gaps = [MINUTE if one else 30 * MINUTE for one in chatting]
    found = World(kinds, weights, np.cumsum(gaps) + 20_000 * DAY_MS, chatting, [])
    for number in range(arrivals):
        asked = chance.choice(number + 1, QUESTIONS, p=found.chances(number))
        found.questions.append([int(one) for one in asked])
    return found


@dataclass
class Store:
    """One store that a policy governs."""

    world: World
    scoring: Scoring = field(default_factory=Scoring)
    kept: dict[int, Access] = field(default_factory=dict)
    weight: int = 0
    usage: Usage = field(default_factory=Usage)

    def arrive(self, number: int) -> None:
        """Take in a memory, and the questions after it."""
        now = int(self.world.created[number])
        self.kept[number] = Access(now, 0)
        self.weight += int(self.world.weights[number])
        for asked in self.world.questions[number]:
            there = asked in self.kept
            self.usage = self.usage.shown(int(there))
            if there:
                self.kept[asked] = Access(now, self.kept[asked].times + 1)

    def forget(self, arm: str, now: int, chance: np.random.Generator) -> int:
        """Evict by ``arm`` down to the low-water mark; return the tokens that were freed."""
        before = self.weight
        draws = chance.random(len(self.kept))
        order: dict[str, Callable[[int, int], float]] = {
            "fifo": lambda one, _place: float(one),
            "lru": lambda one, _place: float(self.kept[one].last),
            "priority-decay": lambda one, _place: self._density(one, now),
            "random-drop": lambda _one, place: float(draws[place]),
        }
        ranked = sorted((order[arm](one, place), one) for place, one in enumerate(self.kept))
        for _, one in ranked:
            if self.weight <= LOW_WATER * BUDGET:
                break
            del self.kept[one]
            self.weight -= int(self.world.weights[one])
        return before - self.weight

    def _density(self, one: int, now: int) -> float:
        return density(self.scoring, self.world.kinds[one], int(self.world.weights[one]), self.kept[one], now)

    def utility(self, chances: np.ndarray[Any, np.dtype[np.float64]]) -> float:
        """Return the probability that the next question is about something that is kept."""
        return float(chances[list(self.kept)].sum())


def optimum(chances: np.ndarray[Any, np.dtype[np.float64]], weights: np.ndarray[Any, np.dtype[np.int64]]) -> float:
    """Return the utility of the best store within the budget, the last memory of it in part."""
    order = np.argsort(-chances / weights)
    used = np.cumsum(weights[order])
    whole = int(np.searchsorted(used, BUDGET, side="right"))
    found = float(chances[order[:whole]].sum())
    if whole < len(order):
        free = BUDGET - (int(used[whole - 1]) if whole else 0)
        found += float(chances[order[whole]]) * free / int(weights[order[whole]])
    return found


class Bandit:
    """The product's bandit, fed with the simulated store's figures."""

    def __init__(self, settings: AdaptiveSettings, seed: int) -> None:
        """Begin with nothing seen."""
        self._settings = settings
        self._seed = seed
        self._arms = {name: Arm.unseen(len(FEATURES)) for name in ARMS}
        self._last: tuple[str, Context, int, Usage, int, int] | None = None
        self.chosen: list[str] = []

    def choose(self, store: Store, now: int, number: int) -> str:
        """Learn from the last choice and make the next."""
        situation = self._situation(store, now)
        if self._last is not None:
            reward = reward_from(self._settings, situation, self._last[2] / BUDGET)
            if reward is not None:
                arm = self._arms[self._last[0]]
                self._arms[self._last[0]] = arm.rewarded(self._last[1], reward - _BEST)
        promised = outlooks(
            self._arms,
            context_of(situation),
            exploration=self._settings.exploration,
            ridge=self._settings.ridge,
            seed=self._seed * 1_000_003 + number,
            expected=_BEST,
        )
        self.chosen.append(best(promised).arm)
        self._context = context_of(situation)
        return self.chosen[-1]

    def done(self, store: Store, freed: int, now: int) -> None:
        """Note what the choice freed."""
        self._last = (self.chosen[-1], self._context, freed, store.usage, now, len(store.kept))

    def _situation(self, store: Store, now: int) -> Situation:
        usage, at, kept = (Usage(), now, 0) if self._last is None else self._last[3:]
        arrived = max(1, len(store.kept) - kept)
        ages = [now - int(store.world.created[one]) for one in store.kept]
        days = max(now - at, 1_000) / DAY_MS
        rate = 0.0 if self._last is None else arrived / days
        return Situation(arrived, rate, sum(ages) / len(ages) / DAY_MS, store.usage.since(usage), 0.0, 0.0)


def simulate(arrivals: int, seed: int, settings: AdaptiveSettings) -> dict[str, list[float]]:
    """Return the cumulative regret of every fixed policy, and of the bandit, after each of the bandit's triggers."""
    happens = world(arrivals, seed)
    names = (*ARMS, "adaptive")
    stores = {name: Store(happens) for name in names}
    bandit = Bandit(settings, seed)
    chances_of = {name: np.random.default_rng([seed, place]) for place, name in enumerate(names)}
    sums = dict.fromkeys(names, 0.0)
    found: dict[str, list[float]] = {name: [] for name in names}
    for number in range(arrivals):
        now = int(happens.created[number])
        triggered = False
        for name, store in stores.items():
            store.arrive(number)
            if store.weight <= BUDGET:
                continue
            arm = bandit.choose(store, now, number) if name == "adaptive" else name
            freed = store.forget(arm, now, chances_of[name])
            if name == "adaptive":
                bandit.done(store, freed, now)
                triggered = True
        if triggered:
            chances = happens.chances(number)
            top = optimum(chances, happens.weights[: number + 1])
            for name, store in stores.items():
                sums[name] += top - store.utility(chances)
                found[name].append(sums[name])
    return found


def growth(regret: Sequence[float]) -> float:
    """Return the exponent of the regret's growth over the second half of the triggers: below 1 is sublinear."""
    half = len(regret) // 2
    turns = np.log(np.arange(half, len(regret)) + 1)
    return float(np.polyfit(turns, np.log(np.maximum(regret[half:], 1e-9)), 1)[0])


def measure(arrivals: int, seeds: Sequence[int], settings: AdaptiveSettings) -> dict[str, Any]:
    """Return the regret of each policy over all seeds."""
    runs = [simulate(arrivals, seed, settings) for seed in seeds]
    rows = []
    for seed, run in zip(seeds, runs, strict=True):
        final = {name: values[-1] for name, values in run.items()}
        fixed = min(final[name] for name in ARMS)
        rows.append({
            "seed": seed,
            "triggers": len(run["adaptive"]),
            "regret": {name: round(value, 2) for name, value in final.items()},
            "best_fixed": min(ARMS, key=final.__getitem__),
            "ratio_to_best_fixed": round(final["adaptive"] / fixed, 4),
            "growth": round(growth(run["adaptive"]), 3),
        })  # fmt: skip
    return {"arrivals": arrivals, "exploration": settings.exploration, "runs": rows, "series": runs}


def draw(found: dict[str, Any], path: Path) -> None:
    """Draw the cumulative regret of the first seed."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    for name, values in found["series"][0].items():
        axes.plot(range(1, len(values) + 1), values, label=name, linewidth=2.5 if name == "adaptive" else 1.2)
    axes.set_xlabel("triggers")
    axes.set_ylabel("regret of eq. (3), summed")
    axes.set_title("Simulated regret against the best store, chats and reading in turns")
    axes.legend()
    figure.savefig(path)


def main() -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--arrivals", type=int, default=6_000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--exploration", type=float, default=AdaptiveSettings().exploration)
    parser.add_argument("--chart", type=Path)
    given = parser.parse_args()
    found = measure(given.arrivals, given.seeds, AdaptiveSettings(exploration=given.exploration))
    if given.chart is not None:
        draw(found, given.chart)
    del found["series"]
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
