"""The share of the budget that each standing keeps: what no policy takes, whatever its order (semantics I1, shares).

Of two standings, what the user said with what the operator vouches for, and all else, each is promised a part of the
budget (``budget.shares``).

Guarantees: a plan takes of a standing no more than what it has above its share. Whoever wrote alone, and has more than
its share, pays for that, down to the low-water mark; whoever has not, pays nothing while the other has more. What is
taken of a standing that may give only a part is what the policy itself would take first. Where whole memories do not
add up, or the budget cannot be held otherwise, the lower standing gives way, and never the other way round for its own
writes. So a store of one standing is planned as if there were no shares.
A policy only gets more ids to leave, so that the leaves of I3 are as many as they were; one that spends something each
time that it is asked gets the rooms that the shares leave, once. Pure but for reads: equal views and seeds give equal
plans. Source: issue 53, point 3; ADR 89.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from marskg.ontology.vocabulary import SourceType, is_higher
from marskg.policies.core.candidates import policy_statement
from marskg.policies.streams.rooms import Rooms, Stage
from marskg.store.rows import codec
from marskg.store.rows.paging import pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from marskg.policies.core.policy import PolicyView
    from marskg.records import Plan
    from marskg.store.rows.state import TenantState

#: Makes the plan that leaves these ids and aims at that weight.
Planner: TypeAlias = "Callable[[frozenset[str], int], Plan]"
#: Makes the plan whose actions fit into these rooms.
Drawer: TypeAlias = "Callable[[Rooms], Plan]"
_PAGE: Final = 500
#: Passes in which a plan is asked again for what it may take of a standing: summaries give back less with each. After
#: them nothing is taken of a standing of which it still takes too much.
_PASSES: Final = 4


@dataclass(frozen=True, slots=True)
class Held:
    """Tokens of both standings."""

    higher: int
    lower: int

    @classmethod
    def of(cls, tenant: PolicyView | TenantState) -> Held:
        """Return what is live in a tenant."""
        return cls(tenant.weight - tenant.census.lower, tenant.census.lower)

    def by(self, *, higher: bool) -> int:
        """Return those of one standing."""
        return self.higher if higher else self.lower


@dataclass(frozen=True, slots=True)
class Shares:
    """What each standing has, and what of that it keeps while another pays, in tokens."""

    held: Held
    kept: Held
    #: Whether all that was written is of the higher standing, or of the lower one; None where it is of both or none.
    writer: bool | None = None

    @classmethod
    def of(cls, held: Held, budget: int, part: float, grew: Held | None = None) -> Shares:
        """Return the shares of ``budget``, of which ``part`` is the higher standing's; ``grew`` is what was written."""
        higher = int(part * budget)
        kept = Held(min(held.higher, higher), min(held.lower, budget - higher))
        alone = None if grew is None or (grew.higher > 0) is (grew.lower > 0) else grew.higher > 0
        return cls(held, kept, alone)

    def spare(self, *, higher: bool) -> int:
        """Return what may be taken of one standing."""
        return self.held.by(higher=higher) - self.kept.by(higher=higher)

    @property
    def bind(self) -> bool:
        """Return whether there is anything to share: a plan may free more than it needs, so it is looked at."""
        return self.held.higher > 0 and self.held.lower > 0

    def paying(self) -> Shares:
        """Return the shares without that of whoever wrote alone."""
        kept = replace(self.kept, higher=0) if self.writer else replace(self.kept, lower=0)
        return self if self.writer is None else replace(self, kept=kept)

    def yielding(self) -> Shares:
        """Return the shares without that of the lower standing."""
        return replace(self, kept=replace(self.kept, lower=0))

    def steps(self, weight: int, *, budget: int, target: int) -> list[Step]:
        """Return the shares to be tried in turn, where the live weight is ``weight``: the later, the fewer are kept."""
        paying = self.paying()
        if self.writer is not None and self.spare(higher=self.writer) > 0:
            enough = self.spare(higher=True) + self.spare(higher=False) >= weight - target
            steps = [Step(self, target, target)] if enough else []
            steps += [Step(paying, target, target), Step(paying.yielding(), budget, budget)]
        elif self.writer is False:
            steps = [Step(self, target, target), Step(paying, budget, target)]
        else:
            yielding = self.yielding()
            steps = [Step(self, target, target), Step(yielding, budget, budget)]
            steps.append(Step(yielding.paying(), budget, budget))
        return [one for place, one in enumerate(steps) if not place or one.shares != steps[place - 1].shares]


@dataclass(frozen=True, slots=True)
class Step:
    """Shares that are tried where the live weight is still ``above`` so many tokens, on the way to ``aim``."""

    shares: Shares
    above: int
    aim: int


@dataclass(frozen=True, slots=True)
class Confined:
    """A plan with the ids that it was told to leave for the shares."""

    plan: Plan
    left: frozenset[str]


def within_shares(view: PolicyView, shares: Shares, plan: Planner, *, budget: int, target: int) -> Confined:
    """Return the plan of a policy that keeps the shares, and gets down to ``budget`` if that can be.

    ``target`` is what it aims at.
    """
    first, *later = shares.steps(view.weight, budget=budget, target=target)
    found = _confined(view, first, plan)
    for step in later:
        if found.left and found.plan.weight_after > step.above:
            found = _confined(view, step, plan)
    return found


def drawn_within_shares(view: PolicyView, shares: Shares, draw: Drawer, *, budget: int, target: int) -> Confined:
    """Return the same of a policy that spends something each time that it is asked: it is asked once.

    ``left`` is what had no room, and is told only where the plan stays above ``budget``.
    """
    if not shares.bind:
        return Confined(draw(Rooms.unlimited(target)), frozenset())
    stages = [
        Stage(step.shares.spare(higher=True), step.shares.spare(higher=False), step.above, step.aim)
        for step in shares.steps(view.weight, budget=budget, target=target)
    ]
    standing = {ident: higher for ident, higher, _ in _live(view)}
    plan = draw(Rooms(frozenset(ident for ident, higher in standing.items() if higher), stages))
    if plan.weight_after <= budget:
        return Confined(plan, frozenset())
    return Confined(plan, frozenset(standing) - {action.id for action in plan.actions})


def _confined(view: PolicyView, step: Step, plan: Planner) -> Confined:
    left: frozenset[str] = frozenset()
    passes = 0
    while True:
        found = plan(left, step.aim)
        more = _too_much(view, step.shares, found, whole=passes >= _PASSES) if step.shares.bind else left
        if more <= left:
            return Confined(found, left)
        left |= more
        passes += 1


def _too_much(view: PolicyView, shares: Shares, plan: Plan, *, whole: bool = False) -> frozenset[str]:
    """Return all ids of the standings of which ``plan`` takes too much, but for what it may take of them.

    With ``whole`` without exception.
    """
    standing = {ident: (higher, weight) for ident, higher, weight in _standings(view, [one.id for one in plan.actions])}
    left: set[str] = set()
    for higher in (True, False):
        room = shares.spare(higher=higher) + _summarised(plan, standing, higher=higher)
        taken: set[str] = set()
        over = False
        for action in plan.actions:
            is_higher_one, weight = standing.get(action.id, (False, action.weight))
            if is_higher_one is not higher:
                continue
            if over or weight > room:
                over = True
                continue
            room -= weight
            taken.add(action.id)
        if over:
            left |= {ident for ident, one, _ in _live(view) if one is higher} - (set() if whole else taken)
    return frozenset(left)


def _summarised(plan: Plan, standing: Mapping[str, tuple[bool, int]], *, higher: bool) -> int:
    """Return what summaries give back to a standing: those of its own memories alone."""
    return sum(
        one.weight
        for one in plan.summaries
        if all(standing.get(ident, (False, 0))[0] is higher for ident in one.constituents)
    )


def _standings(view: PolicyView, ids: list[str]) -> Iterable[tuple[str, bool, int]]:
    for start in range(0, len(ids), _PAGE):
        refs = [codec.ref(view.tenant, ident) for ident in ids[start : start + _PAGE]]
        yield from _read(view.run(policy_statement("standings"), {"refs": refs}))


def _live(view: PolicyView) -> Iterable[tuple[str, bool, int]]:
    for rows in pages(partial(view.run, policy_statement("standings-page")), view.tenant, _PAGE):
        yield from _read(rows)


def _read(rows: Iterable[Mapping[str, object]]) -> Iterable[tuple[str, bool, int]]:
    for row in rows:
        higher = is_higher(SourceType(str(row["source"])), float(str(row["reliability"])))
        yield str(row["id"]), higher, int(str(row["weight"]))


def held_within(view: PolicyView, within: frozenset[str]) -> Held:
    """Return what some live memories weigh, by standing."""
    found = {True: 0, False: 0}
    for _, higher, weight in _standings(view, sorted(within)):
        found[higher] += weight
    return Held(found[True], found[False])
