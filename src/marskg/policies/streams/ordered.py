"""Policies that take the leaves of one order until the target is reached, or of one order in each slice.

Guarantees: evicts in the order of its stream, superseded memories first; stops at the first action that reaches the
target; where leaves run out above it, archives what only latent memories keep; ends above the target only when what is
left is protected or excluded. Where kinds have shares of the budget, :mod:`marskg.policies.streams.slices` says whose
leaves go; the order decides within a kind. Where one user's or conversation's budget is exceeded, only its memories go.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from marskg.policies.core.plans import REASON_STRANDED, Choice, archives, build_plan, explained, parameters_of
from marskg.policies.core.policy import sealed
from marskg.policies.streams.indexed import MAX_MARKS, marks_of
from marskg.policies.streams.leaves import Leaves
from marskg.policies.streams.member_stream import MemberStream
from marskg.policies.streams.slices import plan_by_slices

if TYPE_CHECKING:
    from marskg.policies.core.policy import PolicyView
    from marskg.policies.streams.leaves import Stream
    from marskg.policies.streams.order import Order
    from marskg.records import Plan


@dataclass(frozen=True, slots=True)
class OrderedPolicy:
    """A policy that is nothing but an order."""

    order: Order

    @property
    def name(self) -> str:
        """Return the policy's name."""
        return self.order.name

    def plan(
        self, view: PolicyView, *, target: int, exclude: frozenset[str] = frozenset(), seed: int | None = None
    ) -> Plan:
        """Return the plan down to ``target``; without a seed the store's sequence number is the seed."""
        chance = view.sequence if seed is None else seed
        if view.within is not None:
            return self._plan_within(view, view.within, target=target, exclude=exclude, seed=chance)
        if view.settings.partitions.on:
            return plan_by_slices(view, self.order, target=target, exclude=exclude, seed=chance)
        stream = self.order.open(view, chance, view.tenant)
        choices = choose(view, self.order, stream, target=target, exclude=exclude)
        plan = build_plan(view, self.name, parameters_of(view), target, choices, chance)
        if not choices:
            return plan
        told = replace(
            plan,
            marks=marks_of([stream], min(len(choices), MAX_MARKS), exclude),
            index_gaps=tuple(stream.index_gaps({choice.candidate.id for choice in choices})),
        )
        return sealed(told)

    def _plan_within(
        self, view: PolicyView, within: frozenset[str], *, target: int, exclude: frozenset[str], seed: int
    ) -> Plan:
        """Return the plan that takes nothing but what is ``within``."""
        stream = MemberStream(view, self.order.open(view, seed, view.tenant), within)
        score = self.order.score
        order = replace(self.order, score=lambda candidate, place: score(candidate, place[1]))
        choices = choose(view, order, stream, target=target, exclude=exclude)
        return build_plan(view, self.name, parameters_of(view), target, choices, seed)


def choose(view: PolicyView, order: Order, stream: Stream, *, target: int, exclude: frozenset[str]) -> list[Choice]:
    """Return what ``order`` takes to bring the live weight down to ``target``."""
    leaves = Leaves(view, stream, exclude=exclude, archive=archives(view))
    weight = view.weight
    choices = []
    while weight > target:
        taken = leaves.take()
        if taken is None:
            break
        place, candidate = taken
        weight -= candidate.weight
        choices.append(explained(view, order.name, order.reason, candidate, order.score(candidate, place)))
    # What keeps one user's memories from going may be others': :mod:`marskg.policies.quota_plans` looks at both.
    if view.within is None:
        for candidate in leaves.stranded(weight - target):
            score = order.score(candidate, stream.place(candidate))
            choices.append(Choice(candidate, "stranded", score, REASON_STRANDED, stranded=True))
    return choices
