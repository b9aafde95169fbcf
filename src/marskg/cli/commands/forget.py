"""Forgetting and its opposite: ``mars forget``, ``restore`` and ``maintain``.

Guarantees: a dry run changes nothing; what is applied is exactly the plan that is printed; ``--budget`` of ``forget``
is for this once, ``mars settings budget`` for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import click

from marskg.cli.commands.compare import FILE, compare_policies, set_goal
from marskg.cli.commands.remember import show_stored
from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.output import answer, counted, line, note, number, progress, show_table, table
from marskg.cli.values import MEMORY_ID
from marskg.policies.builtin.private import NAME as PRIVATE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from marskg.cli.commands.compare import Compared
    from marskg.ontology.vocabulary import Kind
    from marskg.records import Consolidation, Memory, Plan, TreeHead

_SHOWN_ACTIONS = 20


class PlannedAction(TypedDict):
    """What happens to one memory, and why; ``score`` is in 1e-6."""

    id: str
    action: str
    reason: str
    kind: Kind
    weight: int
    score: int
    rule: str
    features: Sequence[str]


class PlannedSummary(TypedDict):
    """What takes whose place, with the distortion as it is and as predicted; what it says is in the store."""

    constituents: Sequence[str]
    weight: int
    lines: int
    distortion: float
    distortion_predicted: float


class PlanStage(TypedDict):
    """What one stage of a policy takes."""

    stage: str
    memories: int
    tokens: int


class PlanDocument(TypedDict):
    """What ``mars forget`` answers."""

    actions: Sequence[PlannedAction]
    freed_tokens: int
    weight_before: int
    weight_after: int
    budget: int
    bound: float
    realised_loss: float
    summaries: Sequence[PlannedSummary]
    notes: Sequence[str]
    policy: str
    parameters: Sequence[str]
    seed: int | None
    sequence: int
    stages: Sequence[PlanStage]
    digest: str
    applied: bool


class Maintained(TypedDict):
    """What ``mars maintain`` answers."""

    expired: int
    used: int
    shortened: Sequence[str]
    plan: PlanDocument
    head: TreeHead | None
    applied: bool
    notices: Sequence[str]


@click.command()
@click.option("--policy", metavar="NAME|FILE", help="A built-in policy or a .cypher file.  [default: the tenant's]")
@click.option("--budget", type=click.IntRange(min=0), metavar="TOKENS", help="For this once.  [default: the tenant's]")
@click.option("--seed", type=click.IntRange(min=0), metavar="NUMBER", help="Of a policy that draws at random.")
@click.option("--goal", metavar="TEXT", help="Keep what is similar to it, for this once.  [default: the active tasks]")
@click.option("--strict", is_flag=True, help="Of the policy private: refuse where the privacy budget does not last.")
@click.option("--dry-run", is_flag=True, help="Show the plan and change nothing.")
@click.option("--compare", metavar="NAME,…", help="Show side by side what each policy would forget; change nothing.")
@click.option("--questions", type=FILE, help="With --compare: one question a line; which would lose their answer?")
@shared_options
@pass_door
def forget(
    door: Door,
    policy: str | None,
    budget: int | None,
    *,
    seed: int | None,
    goal: str | None,
    compare: str | None,
    questions: Path | None,
    strict: bool,
    dry_run: bool,
) -> PlanDocument | Compared:
    """Bring the live memories down to a budget by a policy, and say why each went."""
    if compare is not None:
        if policy is not None or seed is not None:
            message = "--compare names the policies and draws by the store's own seed: leave --policy and --seed out"
            raise click.UsageError(message)
        return compare_policies(door, compare, budget, questions, goal)
    if questions is not None:
        message = "--questions goes with --compare, such as: --compare fifo,lru --questions FILE"
        raise click.UsageError(message)
    with door.memory() as memory:
        private = (policy or memory.settings.current.policy.name) == PRIVATE
        if not private and strict:
            message = "--strict goes with --policy private: no other policy has a privacy budget"
            raise click.UsageError(message)
        if private and seed is not None:
            message = "no seed reaches the noise of the policy private: leave --seed out"
            raise click.UsageError(message)
        if goal is not None:
            set_goal(memory, goal, [policy or memory.settings.current.policy.name])
        if private and not dry_run:
            plan = memory.privacy.forget(budget=budget, strict=strict)
        else:
            with progress("indexing") as step:
                plan = memory.plan(policy=policy, budget=budget, seed=seed, progress=step)
            if not dry_run:
                memory.forget(plan)
    return answer(door, plan_document(plan, applied=not dry_run), lambda: _show(plan, dry_run=dry_run))


def plan_document(plan: Plan, *, applied: bool) -> PlanDocument:
    """Return a plan as ``mars forget --json`` gives it."""
    return {
        "actions": [
            {
                "id": action.id,
                "action": action.action,
                "reason": action.reason,
                "kind": action.kind,
                "weight": action.weight,
                "score": action.score,
                "rule": action.rule,
                "features": action.features,
            }
            for action in plan.actions
        ],
        "freed_tokens": plan.freed_tokens,
        "weight_before": plan.weight_before,
        "weight_after": plan.weight_after,
        "budget": plan.budget,
        "bound": plan.bound,
        "realised_loss": plan.realised_loss,
        "summaries": [_summary(summary) for summary in plan.summaries],
        "notes": list(plan.notes),
        "policy": plan.policy,
        "parameters": list(plan.parameters),
        "seed": plan.seed,
        "sequence": plan.sequence,
        "stages": [{"stage": name, "memories": count, "tokens": tokens} for name, count, tokens in plan.stages],
        "digest": plan.digest,
        "applied": applied,
    }


def _summary(summary: Consolidation) -> PlannedSummary:
    return {
        "constituents": list(summary.constituents),
        "weight": summary.weight,
        "lines": len(summary.lines),
        "distortion": summary.realised,
        "distortion_predicted": summary.predicted,
    }


def _show(plan: Plan, *, dry_run: bool) -> None:
    if not plan.actions:
        line(f"nothing to forget: {counted(plan.weight_before, 'token')} within {number(plan.budget)}")
        return
    made = table("memory", "kind", "tokens", "action", "why", right=("tokens",), whole=("memory",))
    for action in plan.actions[:_SHOWN_ACTIONS]:
        made.add_row(action.id, action.kind.value, number(action.weight), action.action, action.reason)
    show_table(made)
    if len(plan.actions) > _SHOWN_ACTIONS:
        line(f"… and {number(len(plan.actions) - _SHOWN_ACTIONS)} more; --json lists them all")
    would = "would free" if dry_run else "freed"
    line(
        f"{plan.policy} {would} {counted(plan.freed_tokens, 'token')} by {counted(len(plan.actions), 'action')}: "
        f"{number(plan.weight_before)} → {number(plan.weight_after)}, budget {number(plan.budget)}"
    )
    for name, count, tokens in plan.stages:
        line(f"  stage {name}: {counted(count, 'action')}, {counted(tokens, 'token')}")
    line(f"loss of utility {plan.realised_loss:.4g}, bound {plan.bound:.4g}; digest {plan.digest[:16]}")
    for text in plan.notes:
        note(text)


@click.command()
@click.argument("id", type=MEMORY_ID)
@shared_options
@pass_door
def restore(door: Door, id: str) -> Memory:  # noqa: A002 - the name that users see
    """Make a latent memory live again, making room where needed; a tombstone cannot come back."""
    with door.memory() as memory:
        return show_stored(door, memory, memory.restore(id))


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what would be done and change nothing.")
@shared_options
@pass_door
def maintain(door: Door, *, dry_run: bool) -> Maintained:
    """Keep the tenant lean by its settings lean.*: expire, cap each subject, archive, shorten, sign a head."""
    with door.memory() as memory:
        done = memory.maintain(dry_run=dry_run)
    data: Maintained = {
        "expired": done.expired,
        "used": done.used,
        "shortened": list(done.shortened),
        "plan": plan_document(done.plan, applied=done.applied),
        "head": done.head,
        "applied": done.applied,
        "notices": list(done.notices),
    }

    def show() -> None:
        would = "would be " if dry_run else ""
        line(f"{number(done.expired)} {would}expired, {number(done.used)} used up, "
             f"{number(len(done.shortened))} {would}shortened")  # fmt: skip
        _show(done.plan, dry_run=dry_run)

    return answer(door, data, show)
