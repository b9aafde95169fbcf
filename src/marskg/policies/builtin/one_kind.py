"""Shares of the budget for a policy that chooses in a way of its own: it is asked for one kind of memory at a time.

Guarantees: as :mod:`marskg.policies.streams.slices` says of orders. Nothing is taken from a kind within its share while
what another one has over its share may still go; kinds that are over pay down to their own part of the low-water mark,
the one that is furthest above its share first. Only where the live tier would otherwise stay above the hard budget does
the policy choose from what is younger than its kind's minimum lifetime where the kind is over its share, then from
kinds within their shares, then from reserves, then from the young of these, and at last from everything at once. Every
action
says why its kind pays. It asks the policy a few times for each trigger, and goes over the kind of every live memory:
O(n) beside what the policy itself costs.

Source: MaRS section 3.2.7; lines 708, 728 and 768 (minimum lifetimes, reserves) of sections 6.8 to 7.1.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from marskg.ontology.vocabulary import KINDS
from marskg.policies.builtin.priority_decay import PRIORITY_DECAY
from marskg.policies.core.candidates import policy_statement
from marskg.policies.core.plans import joined
from marskg.policies.core.policy import reads_features, sealed
from marskg.policies.core.shares import apportion, tokens
from marskg.policies.streams.slices import (
    NOTES,
    OVER,
    RESERVE,
    WHY,
    WITHIN,
    YOUNG,
    Lane,
    by_place,
    moved_shares,
    partition_of,
)
from marskg.store.rows.paging import pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from marskg.policies.core.policy import Policy, PolicyView
    from marskg.policies.core.shares import Slices
    from marskg.records import Action, Plan

_PAGE: Final = 2048
_MILLION: Final = 1_000_000


class ByKind:
    """A policy that keeps to the shares of kinds where a tenant has any, and is left alone where it has none."""

    def __init__(self, policy: Policy) -> None:
        """Choose as ``policy`` does."""
        self._policy = policy

    @property
    def name(self) -> str:
        """Return the policy's name."""
        return self._policy.name

    @property
    def reads_features(self) -> bool:
        """Return whether the policy asks for the table of features."""
        return reads_features(self._policy)

    def plan(
        self, view: PolicyView, *, target: int, exclude: frozenset[str] = frozenset(), seed: int | None = None
    ) -> Plan:
        """Return the policy's plan down to ``target``, each kind paying for itself where kinds have shares.

        Where one user's or conversation's budget is exceeded, it is that one who pays, whatever the kinds.
        """
        if view.within is not None or not view.settings.partitions.on or view.weight <= target:
            return self._policy.plan(view, target=target, exclude=exclude, seed=seed)
        return _Work(self._policy, view, target=target, exclude=exclude, seed=seed).plan()


def owed(weights: Sequence[int], shares: Sequence[int], floors: Sequence[int], needed: int) -> Slices:
    """Return what each kind pays, in tokens, so that ``needed`` is paid where the floors allow it.

    The kind that is furthest above its share, as a multiple of it, pays until it is level with the next, then both do.
    The parts add up to ``needed`` or up to one token for each kind more; to less only where every kind is at its floor.
    """

    def paid(level: int) -> Slices:
        kept = (level * share // _MILLION for share in shares)
        return tuple(max(0, weight - max(low, floor)) for weight, floor, low in zip(weights, floors, kept, strict=True))

    high = max(weight * _MILLION // max(1, share) + 1 for weight, share in zip(weights, shares, strict=True))
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sum(paid(middle)) >= needed else (low, middle - 1)
    return paid(low)


@dataclass(frozen=True, slots=True)
class _Pass:
    """Who may pay: down to what weight of the tenant, and of each kind; whether with what is too young."""

    name: str
    goal: int
    floors: Slices
    young: bool = False


@dataclass(slots=True)
class _Part:
    """What one kind pays: its plan, and the pass that each amount was asked for in."""

    plan: Plan
    asked: list[tuple[int, str]] = field(default_factory=list)

    def passes(self) -> Iterator[tuple[Action, str]]:
        """Yield every action with the pass that it belongs to."""
        freed = 0
        asked = iter(self.asked)
        upto, name = next(asked)
        for action in self.plan.actions:
            while freed >= upto:
                upto, name = next(asked, (freed + action.weight, name))
            yield action, name
            freed += action.weight


class _Work:
    """One plan in the making."""

    def __init__(
        self, policy: Policy, view: PolicyView, *, target: int, exclude: frozenset[str], seed: int | None
    ) -> None:
        self._policy = policy
        self._view = view
        self._exclude = exclude
        self._seed = seed
        self._target = target
        self._ceiling = target if view.ceiling is None else max(target, view.ceiling)
        self._partition = partition_of(view, self._ceiling)
        self._before: Slices = view.census.weights
        self._parts: dict[tuple[int, bool], _Part] = {}

    @cached_property
    def _live(self) -> dict[str, tuple[int, bool]]:
        """The live memories: the place of each one's kind, and whether it is too young."""
        lifetimes = [self._view.settings.partitions.lifetimes[kind] for kind in KINDS]
        born_by = [self._view.now - lifetime if lifetime > 0 else None for lifetime in lifetimes]
        return {
            ident: (place, (by := born_by[place]) is not None and created > by)
            for ident, place, created in self._kinds()
        }

    def _kinds(self) -> Iterable[tuple[str, int, int]]:
        """Return id, place of the kind and creation time of the live memories: of the table, if the policy reads it."""
        if reads_features(self._policy):
            table = self._view.table()
            return zip(table.ids, table.columns["kind"].tolist(), table.columns["created"].tolist(), strict=True)
        places = {kind.value: place for place, kind in enumerate(KINDS)}
        return ((row["id"], places[row["kind"]], row["created"]) for row in _rows(self._view))

    def plan(self) -> Plan:
        """Return the plan."""
        shares = self._partition.shares
        low = apportion(self._target, shares, (0,) * len(KINDS))
        over = tuple(zip(self._before, shares, low, strict=True))
        none = (0,) * len(KINDS)
        reserves = tokens(self._ceiling, by_place(self._view.settings.partitions.reserves))
        passes = (
            _Pass(OVER, self._target, tuple(least if weight > share else weight for weight, share, least in over)),
            _Pass(YOUNG, self._ceiling, tuple(min(weight, share) for weight, share, _ in over), young=True),
            _Pass(WITHIN, self._ceiling, reserves),
            _Pass(RESERVE, self._ceiling, none),
            _Pass(YOUNG, self._ceiling, none, young=True),
        )
        for one in passes:
            self._pay(one)
        if self._weight <= self._ceiling:
            return self._merged()
        return self._together()

    def _together(self) -> Plan:
        """Return the plan where what one kind has is kept by memories of another: of all that are over, then of all."""
        every = set(range(len(KINDS)))
        over = {place for place in every if self._before[place] > self._partition.shares[place]}
        for kinds, with_young in ((over, False), (over, True), (every, False), (every, True)):
            spared = frozenset(
                ident for ident, (kind, young) in self._live.items() if kind not in kinds or (young and not with_young)
            )
            plan = self._policy.plan(self._view, target=self._ceiling, exclude=self._exclude | spared, seed=self._seed)
            if plan.weight_after <= self._ceiling:
                break
        counts: Counter[str] = Counter()
        actions = []
        for action in plan.actions:
            place, young = self._live[action.id]
            name = YOUNG if young else OVER if place in over else WITHIN
            actions.append(self._explained(action, name, place))
            counts[name] += 1
        chose = f"kinds depend on each other: {self.name} chose from several of them at once"
        return self._described(replace(plan, actions=tuple(actions)), (*plan.notes, chose, *_told(counts)))

    @property
    def name(self) -> str:
        """Return the policy's name."""
        return self._policy.name

    @property
    def _weight(self) -> int:
        return self._view.weight - sum(part.plan.freed_tokens for part in self._parts.values())

    def _freed(self, place: int) -> int:
        return sum(part.plan.freed_tokens for (kind, _), part in self._parts.items() if kind == place)

    def _pay(self, one: _Pass) -> None:
        """Ask kinds for what they owe until the goal of the pass is reached, or none of them has more to give."""
        floors = list(one.floors)
        while (needed := self._weight - one.goal) > 0:
            weights = [weight - self._freed(place) for place, weight in enumerate(self._before)]
            amounts = owed(weights, self._partition.shares, floors, needed)
            place = max(range(len(KINDS)), key=lambda kind: (amounts[kind], -kind))
            if not amounts[place]:
                return
            # A kind whose plan falls short has given all that it can in this pass.
            if self._ask(one, place, amounts[place]) < amounts[place]:
                floors[place] = self._before[place]

    def _ask(self, one: _Pass, place: int, amount: int) -> int:
        """Let a kind pay ``amount`` tokens more; returns how many more it pays now."""
        key = (place, one.young)
        known = self._parts.get(key)
        owing = amount if known is None else known.plan.freed_tokens + amount
        others = frozenset(
            action.id for other, part in self._parts.items() if other != key for action in part.plan.actions
        )
        spared = frozenset(
            ident for ident, (kind, young) in self._live.items() if kind != place or (young and not one.young)
        )
        plan = self._policy.plan(
            self._view, target=self._view.weight - owing, exclude=self._exclude | others | spared, seed=self._seed
        )
        asked = [] if known is None else known.asked
        self._parts[key] = _Part(plan, [*asked, (owing, one.name)])
        return plan.freed_tokens - (0 if known is None else known.plan.freed_tokens)

    def _merged(self) -> Plan:
        """Return one plan of what all kinds pay, each action with why its kind does."""
        counts: Counter[str] = Counter()
        actions = []
        for (place, _), part in self._parts.items():
            for action, name in part.passes():
                actions.append(self._explained(action, name, place))
                counts[name] += 1
        plan = joined([part.plan for part in self._parts.values()])
        # A mark says that all before it is gone, which holds of one kind alone.
        return self._described(replace(plan, actions=tuple(actions), marks=()), (*plan.notes, *_told(counts)))

    def _explained(self, action: Action, name: str, place: int) -> Action:
        if any(number.startswith("slice_share=") for number in action.features):
            return action  # an order was asked by the policy, and has said so already
        weight, share = self._before[place], self._partition.shares[place]
        why = WHY[name].format(kind=KINDS[place].value, weight=weight, share=share)
        numbers = (f"slice_weight={weight:.6f}", f"slice_share={share:.6f}")
        return replace(action, reason=f"{why}; {action.reason}", features=(*action.features, *numbers))

    def _described(self, plan: Plan, notes: tuple[str, ...]) -> Plan:
        """Return the plan with the shares in force, those for the next trigger, and its digest."""
        shares = self._partition.shares
        said = (f"slice.{kind.value}={self._before[place]}/{shares[place]}" for place, kind in enumerate(KINDS))
        plan = replace(
            plan,
            budget=self._target,
            parameters=tuple(dict.fromkeys((*plan.parameters, *said))),
            notes=notes,
            controls=self._controls(),
        )
        return sealed(plan)

    def _controls(self) -> tuple[tuple[str, str], ...]:
        """Return the shares for the next trigger; nothing where they do not move."""
        if self._view.settings.partitions.mode != "dual":
            return ()
        # What a kind's next tokens are worth is asked of one order for all policies, so that shares mean the same.
        seed = self._view.sequence if self._seed is None else self._seed
        lanes = [Lane(self._view, PRIORITY_DECAY.order, kind, seed) for kind in KINDS]
        return moved_shares(self._view, self._partition, self._ceiling, [lane.worth() for lane in lanes])


def _told(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the notes on what could not be spared."""
    return tuple(NOTES[name].format(count=counts[name]) for name in NOTES if counts[name])


def _rows(view: PolicyView) -> Iterator[Mapping[str, Any]]:
    """Yield the live memories of the tenant, as the statement gives them."""
    for rows in pages(partial(view.run, policy_statement("kinds")), view.tenant, _PAGE):
        yield from rows
