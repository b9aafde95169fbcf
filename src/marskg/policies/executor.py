"""The one executor: applies any policy's plan in a unit of work, or refuses it.

Guarantees: a plan is applied only to the state that it was made for (:class:`~marskg.errors.StalePlan`); a plan that
would touch the protected set, break closure, or end above the budget is stopped and its policy named, and nothing of
it is kept; each action has its record, and the pass as a whole has one with the policy, its parameters, the budget
before and after, the counts by kind and by stage, the freed tokens and the bound L * W_E of MaRS eq. (4).
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from marskg.errors import BudgetInfeasible, InvariantError, QueryRefused, StalePlan
from marskg.ontology.vocabulary import CONTENT_TIERS, Operation, Tier
from marskg.policies.builtin.fifo import FIFO
from marskg.policies.builtin.private import PrivatePolicy
from marskg.policies.core.guardrail import guarded
from marskg.policies.core.plans import CONSOLIDATE, STRICT
from marskg.policies.core.policy import plan_digest
from marskg.policies.core.quarantine import OFF, QUARANTINE, reviewed
from marskg.policies.standing import Held, Shares, drawn_within_shares, within_shares
from marskg.store.graph import tiers as lifecycle
from marskg.store.graph.summaries import consolidate_all
from marskg.store.rows.index_gaps import Gap
from marskg.store.rows.order_keys import random_position
from marskg.store.rows.privacy_budget import digest_of
from marskg.store.statements.cypher_guard import check_read_only
from marskg.store.statements.handling import own
from marskg.store.unit.unit_of_work import Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from marskg.config import Settings
    from marskg.policies.core.features import FeatureSource, FeatureTable
    from marskg.policies.core.policy import Policy
    from marskg.policies.standing import Confined
    from marskg.records import Action, Plan
    from marskg.reflection.passages import Sensing
    from marskg.reflection.summariser import Summariser
    from marskg.store.engine.protocol import Reader, Row
    from marskg.store.rows.index_gaps import IndexGaps
    from marskg.store.rows.state import Services, TenantState
    from marskg.store.unit.vectors import Vectoriser


RANDOM_DROP = "random-drop"
#: The rule of what is archived for good: no time of grace ends it, as it is no eviction.
KEEP = "archive"


@lru_cache(maxsize=256)
def _check_reads(statement: str) -> None:
    """Refuse a statement that does more than read: a policy runs inside the transaction that waits for it."""
    try:
        check_read_only(statement)
    except QueryRefused as error:
        msg = f"a policy runs a statement that does more than read ({error}); nothing was changed: mend the policy"
        raise InvariantError(msg) from error


class View:
    """The read-only view that a policy plans over (:class:`marskg.policies.core.policy.PolicyView`)."""

    def __init__(
        self,
        run: Callable[..., list[Row]],
        state: TenantState,
        now: int,
        index_gaps: IndexGaps | None = None,
        features: FeatureSource | None = None,
        *,
        ceiling: int | None = None,
        within: frozenset[str] | None = None,
        vectoriser: Vectoriser | None = None,
        sensing: Sensing | None = None,
        summariser: Summariser | None = None,
        handle: Callable[[str, str], str] | None = None,
    ) -> None:
        """Look at ``state`` at ``now`` through ``run``, which runs a statement's text (with ``limit_seconds`` at most).

        A policy that goes by features needs ``features``, a source of those of ``state``. ``ceiling`` is the weight
        that a plan has to reach, where it aims lower; ``within`` are the memories that may go, where that is not all.
        ``vectoriser`` makes the vectors of summaries, ``sensing`` measures their lines; ``summariser`` is the model
        that writes them, if one may be asked. A policy that keeps an account of conversations needs ``handle``, which
        makes keyed handles.
        """
        self._run = run
        self._features = features
        self.vectoriser = vectoriser
        self.sensing = sensing
        self.summariser = summariser
        self._index_gaps = index_gaps
        self._handle = handle
        self.tenant = state.name
        # Nothing goes on the strength of a jump that nobody confirmed: until then policies reckon from before it.
        self.now = now if state.suspended_at is None else min(now, state.suspended_at)
        self.sequence = state.sequence
        self.weight = state.weight
        self.settings: Settings = state.settings
        self.ceiling = ceiling
        self.within = within
        self.census = state.census
        self.usage = state.usage
        self.controls: Mapping[str, str] = state.controls

    def run(self, statement: str, parameters: Mapping[str, Any]) -> list[Row]:
        """Run one read-only Cypher statement.

        Raises:
            InvariantError: it does more than read.
        """
        _check_reads(statement)
        return self._run(own(statement), parameters)

    def timed(self, statement: str, parameters: Mapping[str, Any]) -> list[Row]:
        """Run one read-only Cypher statement of a user's, for ``policy.time_limit`` at most.

        Raises:
            QueryRefused: it takes longer, or the engine finds a fault in it.
        """
        _check_reads(statement)
        return self._run(own(statement), parameters, limit_seconds=self.settings.policy.time_limit / 1000)

    def index_gaps(self, key_name: str) -> list[Gap]:
        """Return ranges of an order index that hold no key."""
        return [] if self._index_gaps is None else self._index_gaps.worth_skipping(key_name)

    def table(self, *, linked: bool = False) -> FeatureTable:
        """Return the features of the live memories, with what they cover and depend on if asked."""
        if self._features is None:
            message = "this view was made without a source of features"
            raise RuntimeError(message)
        return self._features.table(linked=linked)

    def conversation(self, session: str) -> str:
        """Return the keyed digest by which an account knows a conversation."""
        if self._handle is None:
            message = "this view was made without handles"
            raise RuntimeError(message)
        return digest_of(self._handle, self.tenant, session)

    def carry_out(self, plan: Plan, unit: Unit) -> None:
        """Remember what ``plan`` empties, and hear of the keys that ``unit`` then adds."""
        if self._index_gaps is not None:
            for name, (low, high, removed) in plan.index_gaps:
                self._index_gaps.add(name, Gap(low, high, removed))
            unit.announce_keys(self._index_gaps)


def apply(unit: Unit, plan: Plan) -> None:
    """Apply ``plan`` to ``unit``.

    Raises:
        StalePlan: the store has moved on, or the plan was changed, since it was made.
        InvariantError: the plan touches what is protected or still needed; the policy is named.
    """
    if plan.digest != plan_digest(plan):
        msg = (
            f"the plan of policy {plan.policy!r} was changed after it was made: its digest is not that of what it "
            "holds; apply plans as they are made, or plan again"
        )
        raise StalePlan(msg)
    if plan.tenant != unit.state.name or plan.sequence != unit.before.sequence:
        msg = (
            f"the plan of policy {plan.policy!r} was made at audit sequence {plan.sequence} of tenant {plan.tenant!r}, "
            f"the store is at {unit.before.sequence} of {unit.state.name!r}; plan again"
        )
        raise StalePlan(msg)
    unit.fetch([action.id for action in plan.actions], leaving=True)
    unit.fetch(plan.marks)
    _check(unit, plan)
    _check_sum(unit, plan)
    positions = [node.keys["randomKey"] for action in plan.actions if (node := unit.node(action.id)).keys]
    counts = Counter(f"{action.kind}" for action in plan.actions)
    if plan.summaries:
        counts["summary"] = len(plan.summaries)
    unit.audit.note(
        Operation.FORGET,
        policy=plan.policy,
        parameters=plan.parameters,
        budget=plan.budget,
        weight_before=plan.weight_before,
        weight_after=plan.weight_after,
        counts=(
            *sorted(f"{kind}={count}" for kind, count in counts.items()),
            *(f"stage.{name}={count} ({tokens} tokens)" for name, count, tokens in plan.stages),
        ),
        plan_digest=plan.digest,
        freed_tokens=plan.freed_tokens,
        loss_bound=plan.bound,
    )
    _summarise(unit, plan)
    summarised = {node_id for summary in plan.summaries for node_id in summary.constituents}
    others = [action for action in plan.actions if action.id not in summarised]
    latent = [action for action in others if action.tier_after is Tier.LATENT]
    aside = [_departure(action) for action in latent if action.action == QUARANTINE]
    kept = [_departure(action) for action in latent if action.rule == KEEP and action.action != QUARANTINE]
    archived = [_departure(action) for action in latent if action.rule != KEEP and action.action != QUARANTINE]
    evicted = [_departure(action) for action in others if action.tier_after is not Tier.LATENT]
    lifecycle.archive(unit, aside, grace=unit.state.settings.policy.quarantine)
    lifecycle.archive(unit, kept, grace=None)
    lifecycle.archive(unit, archived, grace=unit.state.settings.policy.grace)
    lifecycle.evict(unit, evicted)
    _advance_watermark(unit, plan, positions)
    if plan.controls:
        unit.update_tenant(controls=MappingProxyType({**unit.state.controls, **dict(plan.controls)}))
    for node_id in plan.marks:
        marked = unit.nodes.get(node_id)
        if marked is not None and marked.has_content and marked.eligible is None:
            marked.mark((marked.memory.last_access, marked.memory.access_count))


def _summarise(unit: Unit, plan: Plan) -> None:
    """Let the plan's summaries take the places of their constituents, each with its record."""
    actions = {action.id: action for action in plan.actions}
    parts = [actions[node_id] for summary in plan.summaries for node_id in summary.constituents]
    settings = unit.state.settings
    # What the paper's strict closure keeps, it keeps for good.
    strict = settings.reflection.closure == STRICT
    policy = settings.policy
    if parts:
        consolidate_all(
            unit,
            plan.summaries,
            details={action.id: _departure(action).details for action in parts},
            keep_latent=any(action.tier_after is Tier.LATENT for action in parts),
            grace=None if strict else policy.grace if policy.review == OFF else policy.quarantine,
        )


def _advance_watermark(unit: Unit, plan: Plan, keys: list[str]) -> None:
    """Move the random order's watermark past what Random-Drop took, so that later arrivals have an equal chance.

    What was drawn anew from a seed took no heed of the stored places, which keep their chances among each other.
    """
    drawn = plan.policy == RANDOM_DROP or any(action.rule == RANDOM_DROP for action in plan.actions)
    if drawn and keys and plan.seed in {None, plan.sequence}:
        position = max(random_position(key) for key in keys)
        unit.update_tenant(random_watermark=max(unit.state.random_watermark, position))


def _departure(action: Action) -> lifecycle.Departure:
    details = {
        "rule": action.rule,
        "removal_score": action.score,
        "features": tuple(sorted(action.features)),
        "reason": action.reason,
    }
    return lifecycle.Departure(action.id, details)


def _check(unit: Unit, plan: Plan) -> None:
    """Stop a plan that would break an invariant, naming the policy and the memory."""
    said = [node_id for summary in plan.summaries for node_id in summary.constituents]
    done = [action.id for action in plan.actions if action.action == CONSOLIDATE]
    if said != done:
        msg = f"policy {plan.policy!r} plans to consolidate other memories than its summaries are of: mend the policy"
        raise InvariantError(msg)
    planned: set[str] = set()
    emptied: set[str] = set()
    for action in plan.actions:
        node = unit.nodes.get(action.id)
        archived = action.tier_after is Tier.LATENT
        fault = None
        if node is None or node.memory.tier is not Tier.LIVE:
            fault = "is not live"
        elif action.id in planned:
            fault = "is planned twice"
        elif node.guards > 0:
            fault = "is protected by a pin, an active task or what one of them needs (K)"
        elif node.blockers > 0 and archived and not _dependents(unit, action.id, (Tier.LIVE,)) <= planned:
            fault = "still has live dependents"
        elif node.blockers > 0 and not archived and not _dependents(unit, action.id, CONTENT_TIERS) <= emptied:
            fault = "still has dependents with content (I3)"
        if fault is not None:
            msg = (
                f"policy {plan.policy!r} breaks an invariant: {action.id} {fault}; nothing was changed: mend the policy"
            )
            raise InvariantError(msg)
        planned.add(action.id)
        if not archived:
            emptied.add(action.id)


def _check_sum(unit: Unit, plan: Plan) -> None:
    """Stop a plan whose weights are not those of the store, naming the policy."""
    # What is planned was found live, once each, in the check before.
    taken = sum(unit.node(action.id).memory.weight for action in plan.actions)
    freed = taken - sum(summary.weight for summary in plan.summaries)
    if (plan.weight_before, plan.freed_tokens) != (unit.before.weight, freed):
        msg = (
            f"policy {plan.policy!r} miscounts: its plan goes from {plan.weight_before} to {plan.weight_after} tokens, "
            f"its actions and summaries free {freed} of {unit.before.weight}; nothing was changed: mend the policy"
        )
        raise InvariantError(msg)


def _dependents(unit: Unit, node_id: str, tiers: Iterable[Tier]) -> set[str]:
    """Return what in one of ``tiers`` depends on a memory."""
    sources = {source for source, _, type_ in unit.incoming((node_id,)) if type_ == "dependsOn"}
    unit.fetch(sorted(sources))
    return {source for source in sources if unit.node(source).memory.tier in tiers}


def make_room(
    reader: Reader,
    view: View,
    state: TenantState,
    services: Services,
    policy: Policy,
    *,
    exclude: frozenset[str],
    grew: tuple[int, int] = (0, 0),
) -> tuple[Unit, Plan]:
    """Plan and apply what brings a tenant from above its budget down to its low-water mark, as a new unit.

    ``grew`` is by how much what was written let each standing grow, whose shares hold (:mod:`.standing`).

    Raises:
        BudgetInfeasible: what is protected, or kept for those who did not write, is heavier than the budget.
        InvariantError: the policy stops above the budget although more may go, or its plan is not sound.
    """
    low_water = int(state.settings.low_water * state.budget)
    target = min(low_water, state.budget)
    shares = Shares.of(Held.of(state), state.budget, state.settings.budget_shares, Held(*grew))
    found = triggered(policy, view, shares, target=target, budget=state.budget, exclude=exclude)
    plan = reviewed(found.plan, view)
    if plan.weight_after > state.budget:
        raise shortfall(reader, view, state, plan, exclude=exclude, left=found.left)
    check_spared(plan, exclude | found.left)
    unit = Unit(reader, state, services)
    apply(unit, plan)
    view.carry_out(plan, unit)
    return unit, plan


def check_spared(plan: Plan, spared: frozenset[str]) -> None:
    """Stop a plan that takes what it was told to leave, naming its policy.

    Raises:
        InvariantError: it takes what is being written, or others' where one user's or conversation's budget is meant.
    """
    taken = next((action.id for action in plan.actions if action.id in spared), None)
    if taken is not None:
        msg = (
            f"policy {plan.policy!r} takes {taken}, which it was told to leave; nothing was changed: mend it, or take "
            "another one with: mars settings policy.name=NAME"
        )
        raise InvariantError(msg)


def shortfall(
    reader: Reader,
    view: View,
    state: TenantState,
    plan: Plan,
    *,
    exclude: frozenset[str] = frozenset(),
    left: frozenset[str] = frozenset(),
) -> InvariantError:
    """Return why ``plan`` ends above the budget of ``state``: nothing more may go, or its policy gave up too early.

    ``left`` is what it was told to leave for the shares.
    """
    least = FIFO.plan(view, target=state.budget, exclude=exclude | left).weight_after
    if least > state.budget and left:
        return _kept_for_others(state, least)
    if least > state.budget:
        return infeasible(reader, state, least)
    msg = (
        f"policy {plan.policy!r} stops at {plan.weight_after} tokens, above the budget of {state.budget}, although "
        "more may go; nothing was changed: mend it, or choose another policy with: mars settings policy.name=NAME"
    )
    return InvariantError(msg)


def triggered(
    policy: Policy, view: View, shares: Shares, *, target: int, budget: int, exclude: frozenset[str]
) -> Confined:
    """Return the plan of a trigger, of which each standing keeps its share."""
    if isinstance(policy, PrivatePolicy):
        return drawn_within_shares(
            view,
            shares,
            lambda rooms: policy.plan(view, target=target, exclude=exclude, rooms=rooms),
            budget=budget,
            target=target,
        )
    return within_shares(
        view,
        shares,
        lambda left, aim: guarded(policy, view, target=aim, budget=budget, exclude=exclude | left),
        budget=budget,
        target=target,
    )


def shares_of(view: View, target: int) -> Shares:
    """Return the shares of ``target``, to which somebody asked a tenant to be brought down."""
    return Shares.of(Held.of(view), target, view.settings.budget_shares)


def _kept_for_others(state: TenantState, weight: int) -> BudgetInfeasible:
    msg = (
        f"at least {weight} tokens are kept, the budget of tenant {state.name!r} is {state.budget}: budget.shares "
        f"keeps {int(state.settings.budget_shares * state.budget)} of it for the user's word and the "
        "operator's documents, into which nothing else evicts. Shorten it, unpin, close a task, or raise the budget "
        "with: "
        "mars settings budget N"
    )
    return BudgetInfeasible(msg)


def infeasible(reader: Reader, state: TenantState, weight: int) -> BudgetInfeasible:
    """Return the refusal that names what protects the weight."""
    rows = reader("protected", {"tenant": state.name, "limit": 10})
    protectors = tuple((str(row["id"]), protection(row)) for row in rows)
    msg = (
        f"at least {weight} tokens are protected, the budget of tenant {state.name!r} is {state.budget}: "
        f"{listed(protectors)}. Unpin, close a task, or raise the budget with: mars settings budget N"
    )
    return BudgetInfeasible(msg, protectors)


def listed(protectors: Sequence[tuple[str, str]]) -> str:
    """Return the first of what protects a weight, for a message."""
    return "; ".join(f"{node_id} ({why})" for node_id, why in protectors[:3]) or "the memory being written"


def protection(row: Row) -> str:
    """Return why a memory is protected."""
    if row.get("pinned"):
        return f"pinned, {row['weight']} tokens"
    if row["kind"] == "task":
        return f"task {row.get('status')}, {row['weight']} tokens"
    return f"needed by something protected, {row['weight']} tokens"
