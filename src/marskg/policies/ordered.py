"""Policies that take the leaves of one order until the target is reached.

Guarantees: evicts in the order of its stream, superseded memories first; stops at the first action that reaches the
target; where leaves run out above it, archives what only latent memories keep; ends above the target only when what
is left is protected or excluded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from string import Template
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from marskg.policies.leaves import Leaves
from marskg.policies.plans import (
    REASON_FREED,
    REASON_STRANDED,
    REASON_SUPERSEDED,
    Choice,
    archives,
    build_plan,
    facts,
    parameters_of,
    words,
)
from marskg.store.order import SUPERSEDED

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.policies.candidates import Candidate
    from marskg.policies.leaves import Place, Stream
    from marskg.policies.policy import PolicyView
    from marskg.records import Plan

#: No trigger marks more memories than this as next in line (MaRS section 5.3): a mark is a write.
_MAX_MARKS = 8


@runtime_checkable
class Hysteresis(Protocol):
    """A stream whose next candidates are marked, so that a small gain does not take them off the list."""

    def next_in_line(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the candidates that surely come next."""
        ...


@dataclass(frozen=True, slots=True)
class Order:
    """One policy's order.

    ``open`` gives the stream of candidates for a view and a seed; ``score`` the integer that an action carries, in
    1e-6 of the policy's unit.
    """

    name: str
    reason: Template
    open: Callable[[PolicyView, int], Stream]
    score: Callable[[Candidate, Place], int]


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
        stream = self.order.open(view, chance)
        choices = choose(view, self.order, stream, target=target, exclude=exclude)
        plan = build_plan(view, self.name, parameters_of(view), target, choices, chance)
        if not choices:
            return plan
        # What surely comes next is marked, where the order has hysteresis, unless it is already.
        near = stream.next_in_line(min(len(choices), _MAX_MARKS)) if isinstance(stream, Hysteresis) else []
        return replace(
            plan,
            marks=tuple(other.id for other in near if not other.marked and other.id not in exclude),
            hollows=tuple(stream.hollows({choice.candidate.id for choice in choices})),
        )


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
        choices.append(_choice(view, order, candidate, order.score(candidate, place)))
    if weight > target:
        for candidate in leaves.stranded():
            if weight <= target:
                break
            weight -= candidate.weight
            score = order.score(candidate, stream.place(candidate))
            choices.append(Choice(candidate, "stranded", score, REASON_STRANDED, stranded=True))
    return choices


def _choice(view: PolicyView, order: Order, candidate: Candidate, score: int) -> Choice:
    known = words(facts(view, candidate))
    if candidate.rank == SUPERSEDED:
        return Choice(candidate, "superseded", score, Template(REASON_SUPERSEDED).substitute(known))
    reason = order.reason.substitute(known)
    if candidate.freed:
        reason = f"{reason}; {REASON_FREED}"
    return Choice(candidate, order.name, score, reason)
