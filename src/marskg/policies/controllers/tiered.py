"""The policy ``tiered``: a cheap policy as the rule, better ones while the pressure on the store is high.

Guarantees: three tiers; a trigger climbs at most one, at once, and goes down one only after the pressure was well below
the tier's thresholds for several triggers in succession (two thresholds and a count: hysteresis), so that a load at a
threshold does not swing it. The top tier, whose passes are costly, runs only within its hours and not again before its
interval has passed; until then the tier below stands in for it. Everything is worked out from the view, so a dry run
shows what a trigger would do; the state is stored with the plan, in the same transaction. The audit has the tier, the
pressure and why the top tier was held back, where it was.

Pressure is two numbers, averaged over a moving window of triggers: triggers for every 100 memories that arrive, and the
part of the answers that missed. Source: MaRS line 716 (FIFO, Priority-Decay, Hybrid by trigger rate and miss rate).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypedDict

from marskg.clock import DAY_MS
from marskg.errors import InvalidConfig
from marskg.late_regex import late_regex
from marskg.policies.controllers.context import Moment, Situation, look
from marskg.policies.core.policy import sealed
from marskg.store.rows.order_keys import micro

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.config import TieredSettings
    from marskg.policies.core.policy import Policy, PolicyView
    from marskg.records import Plan

NAME: Final = "tiered"
#: The settings that name the tiers' policies, the cheapest first.
TIERS: Final = ("baseline", "raised", "top")
_TOP: Final = len(TIERS) - 1
_HOURS = late_regex(r"^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$")
_MINUTE_MS: Final = 60_000
_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Pressure:
    """How hard a store is pressed: triggers for every 100 arrivals and the part of answers that missed, in 1e-6.

    None stands for nothing known yet.
    """

    triggers: int | None = None
    misses: int | None = None

    def after(self, situation: Situation, window: int) -> Pressure:
        """Return the averages with one more trigger in them."""
        hits = situation.hits
        missed = None if hits is None else _MILLION - micro(hits)
        return Pressure(
            _averaged(self.triggers, 100 * _MILLION // situation.arrived, window),
            self.misses if missed is None else _averaged(self.misses, missed, window),
        )

    def reaches(self, triggers: float, misses: float) -> bool:
        """Return whether one of the two is at or above its threshold."""
        return (self.triggers or 0) >= micro(triggers) or (self.misses or 0) >= micro(misses)


def _averaged(before: int | None, now: int, window: int) -> int:
    return now if before is None else before + (now - before) // window


@dataclass(frozen=True, slots=True)
class State:
    """Where the controller of one tenant stands.

    ``tier``: from 0; ``calm``: triggers in succession that were well below the tier's thresholds; ``last``: after the
    last trigger; ``top_at``: when the top tier last ran, epoch milliseconds.
    """

    tier: int = 0
    calm: int = 0
    pressure: Pressure = Pressure()
    last: Moment | None = None
    top_at: int | None = None

    def to_json(self) -> str:
        """Return the state as canonical JSON."""
        found = {
            "calm": self.calm,
            "last": None if self.last is None else self.last.to_document(),
            "misses": self.pressure.misses,
            "tier": self.tier,
            "topAt": self.top_at,
            "triggers": self.pressure.triggers,
        }
        return json.dumps(found, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> State:
        """Return the state that :meth:`to_json` wrote."""
        found = json.loads(text)
        last = None if found["last"] is None else Moment.from_document(found["last"])
        pressure = Pressure(found["triggers"], found["misses"])
        return cls(found["tier"], found["calm"], pressure, last, found["topAt"])


def state_of(view: PolicyView) -> State:
    """Return what the tenant's controller has stored."""
    text = view.controls.get(NAME)
    return State() if text is None else State.from_json(text)


def moved(state: State, pressure: Pressure, settings: TieredSettings) -> State:
    """Return the state with the tier that ``pressure`` asks for: one up, one down, or the same."""
    thresholds = ((settings.raise_triggers, settings.raise_misses), (settings.top_triggers, settings.top_misses))
    if state.tier < _TOP and pressure.reaches(*thresholds[state.tier]):
        return replace(state, tier=state.tier + 1, calm=0, pressure=pressure)
    if state.tier == 0:
        return replace(state, calm=0, pressure=pressure)
    triggers, misses = thresholds[state.tier - 1]
    easy = not pressure.reaches(settings.ease * triggers, settings.ease * misses)
    calm = state.calm + 1 if easy else 0
    if calm >= settings.calm:
        return replace(state, tier=state.tier - 1, calm=0, pressure=pressure)
    return replace(state, calm=calm, pressure=pressure)


def parse_hours(text: str) -> tuple[int, int]:
    """Return the minutes of the day that hours such as ``22:00-06:00`` begin and end at; equal ones are all day.

    Raises:
        InvalidConfig: the text is no such hours.
    """
    match = _HOURS.match(text.strip())
    if match is None:
        msg = f"tiered.top_hours is {text[:80]!r}; write two times of day in UTC, such as 22:00-06:00"
        raise InvalidConfig(msg)
    first, second, third, fourth = (int(part) for part in match.groups())
    return first * 60 + second, third * 60 + fourth


def held_back(state: State, settings: TieredSettings, now: int) -> str | None:
    """Return why the top tier may not run at ``now``, None if it may."""
    if settings.top_hours is not None:
        begin, end = parse_hours(settings.top_hours)
        minute = now % DAY_MS // _MINUTE_MS
        inside = begin <= minute < end if begin < end else minute >= begin or minute < end
        if not inside:
            return f"outside its hours {settings.top_hours}"
    if state.top_at is not None and now - state.top_at < settings.top_every:
        return "it ran within its interval"
    return None


class TieredPolicy:
    """Forgets as the policy of the tier does that the pressure asks for."""

    name = NAME

    def __init__(self, load: Callable[[str], Policy]) -> None:
        """Take the tiers' policies from ``load``."""
        self._load = load

    def plan(
        self, view: PolicyView, *, target: int, exclude: frozenset[str] = frozenset(), seed: int | None = None
    ) -> Plan:
        """Return the plan of the tier in force."""
        settings = view.settings.tiered
        before = state_of(view)
        state = moved(before, before.pressure.after(look(view, before.last), settings.window), settings)
        held = held_back(state, settings, view.now) if state.tier == _TOP else None
        tier = state.tier if held is None else _TOP - 1
        policy = self._load((settings.baseline, settings.raised, settings.top)[tier])
        plan = policy.plan(view, target=target, exclude=exclude, seed=seed)
        plan = replace(plan, policy=NAME, parameters=(*plan.parameters, *_described(state, TIERS[tier], policy, held)))
        if not plan.actions:
            return sealed(plan)
        top_at = view.now if tier == _TOP else state.top_at
        stored = replace(state, last=Moment.after(view, plan), top_at=top_at)
        return sealed(replace(plan, controls=(*plan.controls, (NAME, stored.to_json()))))


def _described(state: State, tier: str, policy: Policy, held: str | None) -> list[str]:
    found = [f"tiered.tier={tier}", f"tiered.policy={policy.name}"]
    numbers = (("triggers", state.pressure.triggers), ("misses", state.pressure.misses))
    found += [f"tiered.{name}={value / _MILLION:.6f}" for name, value in numbers if value is not None]
    return found if held is None else [*found, f"tiered.held={held}"]


class ExplainedTier(TypedDict):
    """The tier in force; ``misses`` is a part of 1, ``top_ran_at`` a time, ``held_back`` why the top may not run."""

    tier: str
    policy: str
    triggers_per_100_arrivals: float | None
    misses: float | None
    calm_triggers: int
    top_ran_at: int | None
    held_back: str | None


def explain(view: PolicyView) -> ExplainedTier:
    """Return the tier in force after the last trigger, the pressure behind it, and what would change it."""
    settings, state = view.settings.tiered, state_of(view)
    names = (settings.baseline, settings.raised, settings.top)
    return {
        "tier": TIERS[state.tier],
        "policy": names[state.tier],
        "triggers_per_100_arrivals": _shown(state.pressure.triggers),
        "misses": _shown(state.pressure.misses),
        "calm_triggers": state.calm,
        "top_ran_at": state.top_at,
        "held_back": held_back(state, settings, view.now) if state.tier == _TOP else None,
    }


def _shown(value: int | None) -> float | None:
    return None if value is None else value / _MILLION
