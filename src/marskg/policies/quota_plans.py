"""Making room under the budget of one user or conversation: the tenant's policy chooses among its memories alone.

Guarantees: a pass takes what counts against the exceeded budget, in the policy's own order, down to the low-water mark
of that budget where it can; what is younger than its kind's minimum lifetime only where the budget could not be held
otherwise; nobody else's memories go for it. Each reason begins with the budget that is exceeded. Only where all that is
left there is kept by memories of others, which depend on it, these go with it, the oldest first, and the reason says
so. The record has the sort of the budget, what counted against it and how much it is, and no name of a person or a
session. It ends: each pass takes at least one memory that counts against the budget, or refuses.

Source: MaRS section 3.2.7; issue C (budgets per user and conversation); docs/adr/0022-partitions.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import BudgetInfeasible, InvariantError, MemoryTooLarge
from marskg.ontology.vocabulary import Kind, Tier
from marskg.policies.builtin.fifo import FIFO
from marskg.policies.core.candidates import Candidate, from_row, members
from marskg.policies.core.plans import Choice, archives, build_plan, parameters_of
from marskg.policies.core.policy import sealed
from marskg.policies.core.quarantine import reviewed
from marskg.policies.executor import View, apply, check_spared, listed, protection, triggered
from marskg.policies.standing import Held, Shares, held_within
from marskg.policies.streams.ordered import OrderedPolicy
from marskg.policies.streams.slices import WHY, YOUNG
from marskg.store.unit.quotas import USER
from marskg.store.unit.unit_of_work import Unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.policies.core.policy import Policy
    from marskg.policies.standing import Confined
    from marskg.records import Action, Plan
    from marskg.store.engine.protocol import Reader
    from marskg.store.rows.state import Services, TenantState
    from marskg.store.unit.quotas import Quota

_NAME: Final = "allowance"
_PAGE: Final = 500
_CONTENT: Final = (Tier.LIVE.value, Tier.LATENT.value)


def ceiling_of(state: TenantState, quota: Quota) -> int:
    """Return the live weight of the tenant at which a quota holds, where nothing but what it counts goes."""
    return state.weight - (quota.weight - quota.budget)


def make_room_within(
    read: Reader,
    view: View,
    state: TenantState,
    services: Services,
    policy: Policy,
    *,
    quota: Quota,
    exclude: frozenset[str],
    others: frozenset[str],
    grew: tuple[int, int] = (0, 0),
) -> tuple[Unit, Plan]:
    """Plan and apply, as a new unit, what brings a user or conversation towards its budget; perhaps not all the way.

    The view is ``within`` what counts against it, and ``others`` are all other live memories. ``grew`` is by how much
    what was written let each standing grow, whose shares hold in this budget, too.

    Raises:
        BudgetInfeasible: what is protected of it is heavier than its budget.
        MemoryTooLarge: the memory being written is heavier than the whole budget.
        InvariantError: the policy takes nothing although something may go, or its plan is not sound.
    """
    within, ceiling = view.within or frozenset(), view.ceiling or 0
    target = state.weight - (quota.weight - int(state.settings.low_water * quota.budget))
    young = _young(view, within)
    # A policy that is an order reads these memories alone.
    spared = exclude if isinstance(policy, OrderedPolicy) else exclude | others
    shares = Shares.of(held_within(view, within), quota.budget, view.settings.budget_shares, Held(*grew))

    def confined(aim: int, young: frozenset[str]) -> Confined:
        return triggered(policy, view, shares, target=aim, budget=ceiling, exclude=spared | young)

    found = confined(target, young)
    if young and found.plan.weight_after > ceiling:
        # The young go for the budget, and not for the room below it.
        found = confined(ceiling, frozenset())
    plan, left = found.plan, found.left
    check_spared(plan, exclude | others | left)
    if not plan.actions:
        if FIFO.plan(view, target=ceiling, exclude=exclude | left).actions:
            raise _idle(policy, quota)
        plan = _Keepers(read, view, quota, exclude | left).plan(within, ceiling)
    if not plan.actions:
        raise _refusal(view, within, quota, exclude)
    plan = _described(reviewed(plan, view), quota, young)
    unit = Unit(read, state, services)
    apply(unit, plan)
    view.carry_out(plan, unit)
    return unit, plan


def _young(view: View, within: frozenset[str]) -> frozenset[str]:
    """Return which of some memories are younger than their kind's minimum lifetime."""
    lifetimes = view.settings.partitions.lifetimes
    if not any(lifetimes.values()):
        return frozenset()
    rows = _rows(view, within)
    return frozenset(row["id"] for row in rows if row["created"] > view.now - lifetimes[Kind(row["kind"])])


def _described(plan: Plan, quota: Quota, young: frozenset[str]) -> Plan:
    """Return the plan with whose budget it is about: its sort and its numbers, no name."""
    numbers = f"allowance.{quota.holder.sort}={quota.weight}/{quota.budget}"
    whose = "memories about one person" if quota.holder.sort == USER else "memories of one conversation"
    over = f"{whose} weigh {quota.weight} tokens, {quota.budget} are allowed"

    def told(action: Action) -> Action:
        early = f"; {WHY[YOUNG].format(kind=action.kind)}" if action.id in young else ""
        return replace(action, reason=f"{over}{early}; {action.reason}")

    parameters = tuple(sorted((*plan.parameters, numbers)))
    return sealed(replace(plan, parameters=parameters, actions=tuple(told(action) for action in plan.actions)))


def _rows(view: View, ids: Iterable[str]) -> list[dict[str, Any]]:
    wanted = sorted(ids)
    return [row for start in range(0, len(wanted), _PAGE) for row in members(view, wanted[start : start + _PAGE])]


def _whose(quota: Quota) -> str:
    name = quota.holder.name[:60]
    return f"memories about {name!r}" if quota.holder.sort == USER else f"memories of session {name!r}"


def _idle(policy: Policy, quota: Quota) -> InvariantError:
    return InvariantError(
        f"policy {policy.name!r} takes none of the {_whose(quota)}, {quota.weight} tokens where "
        f"{quota.budget} are allowed, although some may go; nothing was changed: mend it, or choose another "
        "policy with: mars settings policy.name=NAME"
    )


def _refusal(
    view: View, within: frozenset[str], quota: Quota, exclude: frozenset[str]
) -> BudgetInfeasible | MemoryTooLarge:
    """Return the refusal that names what protects the weight, or the one memory that can never be held."""
    rows = sorted(_rows(view, within), key=lambda row: (-row["weight"], row["id"]))
    setting = f"partitions.{quota.holder.sort}_budget"
    written = [row for row in rows if row["id"] in exclude]
    if any(row["weight"] > quota.budget for row in written):
        return MemoryTooLarge(
            f"the memory weighs {written[0]['weight']} tokens, {setting} is {quota.budget}; shorten it or raise "
            "the budget"
        )
    held = [(row["id"], protection(row)) for row in rows if (row["guards"] or 0) > 0 and row not in written]
    held += [(row["id"], f"being written, {row['weight']} tokens") for row in written]
    return BudgetInfeasible(
        f"the {_whose(quota)} would weigh {quota.weight} tokens, {setting} is {quota.budget}, and no more "
        f"of them may go: {listed(held)}. Unpin, close a task, or raise it with: mars settings {setting}=N",
        held[:10],
    )


class _Keepers:
    """What may go only with what depends on it, which nobody counts against the budget."""

    def __init__(self, read: Reader, view: View, quota: Quota, exclude: frozenset[str]) -> None:
        self._read = read
        self._view = view
        self._whose = quota.holder.sort
        self._exclude = exclude
        self._rows: dict[str, Mapping[str, Any]] = {}
        self._dependents: dict[str, list[str]] = {}
        #: What is taken, and whether it keeps its content.
        self._kept: dict[str, bool] = {}
        self._choices: list[Choice] = []

    def plan(self, within: frozenset[str], ceiling: int) -> Plan:
        """Return the plan that takes the oldest of ``within`` with their dependents until ``ceiling`` holds."""
        self._learn(within)
        excess = self._view.weight - ceiling
        for ident in sorted(within & set(self._rows), key=self._age):
            if excess <= 0:
                break
            taken = self._with_dependents(ident)
            if ident in self._kept or any(not self._may_go(one) for one in taken):
                continue
            for one in taken:
                self._take(one, within)
            excess -= sum(self._rows[one]["weight"] for one in taken if one in within)
        parameters = parameters_of(self._view)
        return build_plan(self._view, _NAME, parameters, ceiling, self._choices, self._view.sequence)

    def _learn(self, ids: Iterable[str]) -> None:
        """Read ``ids`` and all with content that depends on them, and on those in turn."""
        pending = set(ids)
        while pending:
            self._rows.update((row["id"], row) for row in _rows(self._view, pending) if row["tier"] in _CONTENT)
            refs = [f"{self._view.tenant}|{ident}" for ident in sorted(pending)]
            prefix = len(self._view.tenant) + 1
            found: set[str] = set()
            for row in self._read("load_incoming", {"refs": refs}):
                if row["type"] == "dependsOn" and row["tier"] in _CONTENT:
                    self._dependents.setdefault(row["ref"][prefix:], []).append(row["source"])
                    found.add(row["source"])
            pending = found - set(self._rows)

    def _age(self, ident: str) -> tuple[int, int]:
        return self._rows[ident]["created"], self._rows[ident]["sequence"]

    def _with_dependents(self, ident: str) -> list[str]:
        """Return what is live of ``ident`` and its dependents and not taken yet, each after what depends on it."""
        order: list[str] = []
        done = set(self._kept)
        stack = [(ident, False)]
        while stack:
            one, seen = stack.pop()
            if one in done or self._rows[one]["tier"] != Tier.LIVE.value:
                continue
            if seen:
                done.add(one)
                order.append(one)
                continue
            stack.append((one, True))
            stack += [(other, False) for other in sorted(self._dependents.get(one, ()), key=self._age, reverse=True)]
        return order

    def _may_go(self, ident: str) -> bool:
        return ident not in self._exclude and (self._rows[ident]["guards"] or 0) < 1

    def _take(self, ident: str, within: frozenset[str]) -> None:
        """Choose one; it keeps its content where something latent, or archived before it, depends on it."""
        needed = any(self._kept.get(one, True) for one in self._dependents.get(ident, ()))
        self._kept[ident] = needed or archives(self._view)
        candidate: Candidate = from_row(self._rows[ident])
        reason = f"the budget of its {self._whose} is exceeded, and nothing else that counts against it may go"
        if ident not in within:
            reason = f"depends on a memory for which the budget of a {self._whose} has no room, and cannot stay alone"
        elif needed:
            reason = f"{reason}; what is latent depends on it, so it is archived"
        self._choices.append(Choice(candidate, _NAME, candidate.created, reason, stranded=needed))
