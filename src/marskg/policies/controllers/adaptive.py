"""The policy ``adaptive``: a contextual bandit that chooses among other policies at each trigger.

Guarantees: off unless a tenant's ``policy.name`` asks for it; the choice depends only on the view, the tenant's stored
posterior and the seed, so a dry run shows what a trigger would do; what was learned is stored with the plan that it led
to, in the same transaction, or not at all. An arm learns only from triggers after which something was asked or somebody
complained: without either nothing is known about what was forgotten. The audit has the arm, what each arm promised and
the features, as numbers.

An arm that was not tried yet is expected to be perfect (optimism), so each is tried before one is settled on.

Reward of a trigger, from 0 to 1: the part of the answers until the next one that were of use, the part of the budget
that it freed, and, against it, complaints for each answer (memories that an answer or a user contradicted, and wishes
to remember less, forget, not mention, or that something is wrong), in the proportion of the weights under ``adaptive``.
Source: MaRS section 3.3.5.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypedDict

from marskg.errors import InvalidConfig
from marskg.policies.controllers.bandit import Arm, Outlook, best, outlooks, saturated
from marskg.policies.controllers.context import Moment, Situation, look
from marskg.policies.core.policy import sealed
from marskg.store.rows.order_keys import micro

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.config import AdaptiveSettings
    from marskg.policies.controllers.bandit import Context
    from marskg.policies.core.policy import Policy, PolicyView
    from marskg.records import Plan

NAME: Final = "adaptive"
#: The features of a context, in their order.
FEATURES: Final = ("constant", "arrivals", "age", "hits", "social", "task", "complaints")
#: Arrivals per day, and days of age, at which these features are one half.
_ARRIVALS_HALF: Final = 100.0
_AGE_HALF: Final = 30.0
#: Nothing is better, so an arm that was never tried is expected to give it: each gets its turns.
_BEST: Final = 1_000_000
_UNKNOWN_HITS: Final = 500_000
_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Decision:
    """The last choice: the arm, the context, what each arm promised, what was freed, and where that left the tenant."""

    arm: str
    context: Context
    promised: tuple[Outlook, ...]
    freed: int
    moment: Moment


@dataclass(frozen=True, slots=True)
class Learned:
    """What the bandit of one tenant knows."""

    arms: Mapping[str, Arm]
    last: Decision | None = None

    def to_json(self) -> str:
        """Return it as canonical JSON."""
        last = self.last
        found = {
            "arms": {name: arm.to_document() for name, arm in self.arms.items()},
            "last": last and {
                "arm": last.arm,
                "context": list(last.context),
                "freed": last.freed,
                "moment": last.moment.to_document(),
                "promised": [[one.arm, one.mean, one.deviation, one.drawn] for one in last.promised],
            },
        }  # fmt: skip
        return json.dumps(found, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Learned:
        """Return what :meth:`to_json` wrote."""
        found = json.loads(text)
        arms = {name: Arm.from_document(arm) for name, arm in found["arms"].items()}
        last = found["last"]
        if last is None:
            return cls(arms)
        promised = tuple(Outlook(*one) for one in last["promised"])
        moment = Moment.from_document(last["moment"])
        return cls(arms, Decision(last["arm"], tuple(last["context"]), promised, last["freed"], moment))


def learned(view: PolicyView) -> Learned:
    """Return what the tenant's bandit has stored."""
    text = view.controls.get(NAME)
    return Learned({}) if text is None else Learned.from_json(text)


def context_of(situation: Situation) -> Context:
    """Return the features of a situation."""
    hits = situation.hits
    return (
        _MILLION,
        saturated(situation.arrivals, _ARRIVALS_HALF),
        saturated(situation.age_days, _AGE_HALF),
        _UNKNOWN_HITS if hits is None else micro(hits),
        micro(situation.social),
        micro(situation.task),
        micro(situation.complaints),
    )


def reward_of(view: PolicyView, last: Decision, situation: Situation) -> int | None:
    """Return the reward of the last decision in 1e-6, from 0 to 1; None where nothing was asked, nor complained of."""
    return reward_from(view.settings.adaptive, situation, min(1.0, last.freed / max(1, view.settings.budget)))


def reward_from(weights: AdaptiveSettings, situation: Situation, freed: float) -> int | None:
    """Return the reward, in 1e-6, of what led to ``situation`` and freed that part of the budget; None as above.

    Where nothing was asked, a complaint tells something all the same; then hits have no weight.
    """
    hits = situation.hits
    if hits is None and not situation.complaints:
        return None
    of_hits = 0.0 if hits is None else weights.hits
    gained = of_hits * (hits or 0.0) + weights.freed * freed + weights.complaints * (1.0 - situation.complaints)
    whole = of_hits + weights.freed + weights.complaints
    return micro(gained / whole) if whole else None


class AdaptivePolicy:
    """Chooses an arm for each trigger, and forgets as that arm does."""

    name = NAME

    def __init__(self, load: Callable[[str], Policy]) -> None:
        """Take the arms' policies from ``load``."""
        self._load = load

    def plan(
        self, view: PolicyView, *, target: int, exclude: frozenset[str] = frozenset(), seed: int | None = None
    ) -> Plan:
        """Return the plan of the arm that promises most; without a seed the store's sequence number is the seed."""
        names = arm_names(view.settings.adaptive.arms)
        known = learned(view)
        situation = look(view, None if known.last is None else known.last.moment)
        arms = _rewarded(view, known, situation, names)
        promised = outlooks(
            arms,
            context_of(situation),
            exploration=view.settings.adaptive.exploration,
            ridge=view.settings.adaptive.ridge,
            seed=view.sequence if seed is None else seed,
            expected=_BEST,
        )
        chosen = best(promised)
        plan = self._load(chosen.arm).plan(view, target=target, exclude=exclude, seed=seed)
        described = (f"adaptive.arm={chosen.arm}", *_described(context_of(situation), promised))
        plan = replace(plan, policy=NAME, parameters=(*plan.parameters, *described))
        if not plan.actions:
            return sealed(plan)
        last = Decision(chosen.arm, context_of(situation), promised, plan.freed_tokens, Moment.after(view, plan))
        # An arm that is not among the tenant's any more keeps what it learned, should it come back.
        stored = Learned({**known.arms, **arms}, last)
        return sealed(replace(plan, controls=(*plan.controls, (NAME, stored.to_json()))))


def arm_names(text: str) -> tuple[str, ...]:
    """Return the names in a list such as ``fifo, lru``.

    Raises:
        InvalidConfig: there are fewer than two, or one comes twice.
    """
    names = tuple(part.strip() for part in text.split(",") if part.strip())
    if len(names) < 2 or len(set(names)) < len(names):  # noqa: PLR2004 - a choice needs two
        msg = f"adaptive.arms is {text[:200]!r}; name two policies or more, each once, such as: fifo, priority-decay"
        raise InvalidConfig(msg)
    return names


def _rewarded(view: PolicyView, known: Learned, situation: Situation, names: tuple[str, ...]) -> dict[str, Arm]:
    """Return the arms to choose from, with the reward of the last decision."""
    arms = {name: known.arms.get(name) or Arm.unseen(len(FEATURES)) for name in names}
    last = known.last
    reward = None if last is None else reward_of(view, last, situation)
    if last is not None and reward is not None and last.arm in arms:
        arms[last.arm] = arms[last.arm].rewarded(last.context, reward - _BEST)
    return arms


def _described(context: Context, promised: tuple[Outlook, ...]) -> list[str]:
    numbers = [f"adaptive.{name}={value / _MILLION:.6f}" for name, value in zip(FEATURES, context, strict=True)]
    return numbers + [
        f"adaptive.promise.{one.arm}={one.drawn / _MILLION:.6f} (mean {one.mean / _MILLION:.6f}, "
        f"deviation {one.deviation / _MILLION:.6f})"
        for one in promised
    ]


class ExplainedArm(TypedDict):
    """An arm of the bandit: how often it was chosen, and what it promises now."""

    arm: str
    pulls: int
    mean: float
    deviation: float
    weights: dict[str, float]
    variances: dict[str, float]


class LastChoice(TypedDict):
    """The last choice of the bandit, when, and why; ``drawn`` is what each arm's draw promised."""

    arm: str
    at: int
    freed_tokens: int
    context: dict[str, float]
    drawn: dict[str, float]
    why: str


class ExplainedArms(TypedDict):
    """What the bandit sees, its arms, and its last choice, if there was one."""

    context: dict[str, float]
    arms: list[ExplainedArm]
    last: LastChoice | None


def explain(view: PolicyView) -> ExplainedArms:
    """Return the arms with what they promise now, without a draw, and the last choice with why it was made."""
    settings = view.settings.adaptive
    known = learned(view)
    situation = look(view, None if known.last is None else known.last.moment)
    context = context_of(situation)
    arms = _rewarded(view, known, situation, arm_names(settings.arms))
    now = outlooks(arms, context, exploration=settings.exploration, ridge=settings.ridge, seed=0, expected=_BEST)
    found: ExplainedArms = {
        "context": {name: value / _MILLION for name, value in zip(FEATURES, context, strict=True)},
        "arms": [_arm(arms[one.arm], one, settings.ridge, settings.exploration) for one in now],
        "last": None,
    }
    last = known.last
    if last is not None:
        drawn = {one.arm: one.drawn / _MILLION for one in last.promised}
        rest = max((value for name, value in drawn.items() if name != last.arm), default=0.0)
        found["last"] = {
            "arm": last.arm,
            "at": last.moment.at,
            "freed_tokens": last.freed,
            "context": {name: value / _MILLION for name, value in zip(FEATURES, last.context, strict=True)},
            "drawn": drawn,
            "why": f"its draw promised a reward of {drawn[last.arm]:.3f}, the best of the others {rest:.3f}",
        }
    return found


def _arm(arm: Arm, outlook: Outlook, ridge: float, exploration: float) -> ExplainedArm:
    mean, _ = arm.posterior(ridge)
    variances = arm.variances(ridge, exploration)
    return {
        "arm": outlook.arm,
        "pulls": arm.pulls,
        "mean": outlook.mean / _MILLION,
        "deviation": outlook.deviation / _MILLION,
        "weights": {name: round(float(value), 6) for name, value in zip(FEATURES, mean, strict=True)},
        "variances": {name: round(float(value), 6) for name, value in zip(FEATURES, variances, strict=True)},
    }
