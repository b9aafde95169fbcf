"""``mars forget --compare``: what several policies would forget, side by side.

Guarantees: nothing is changed; the questions are read and checked before a store is opened.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

import click

from marskg.cli.output import answer, counted, line, number, one_line, show_table, table
from marskg.cli.values import FilePath
from marskg.policies.registry import goes_by_features

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from marskg.cli.door import Door
    from marskg.memory import AgentMemory
    from marskg.ontology.vocabulary import Kind
    from marskg.policies.comparison import Comparison, Forecast

#: A file that can be read.
FILE: Final = FilePath(exists=True, dir_okay=False, path_type=Path)
_SHOWN_QUESTIONS = 20


class Question(TypedDict):
    """A question by its place in the file, from 1."""

    number: int
    question: str


class Asked(Question):
    """A question with the id of its best answer today, None without one."""

    best: str | None


class Forecasted(TypedDict):
    """What one policy would forget."""

    policy: str
    memories: int
    by_kind: Mapping[Kind, int]
    freed_tokens: int
    weight_after: int
    bound: float
    realised_loss: float
    ids: Sequence[str]
    only: Sequence[str]
    lost: Sequence[Question]
    notes: Sequence[str]
    digest: str


class Compared(TypedDict):
    """What ``mars forget --compare`` answers; ``common`` are the ids that every policy would forget."""

    budget: int
    weight_before: int
    sequence: int
    policies: Sequence[Forecasted]
    common: Sequence[str]
    questions: Sequence[Asked]
    answered: int


def compare_policies(door: Door, names: str, budget: int | None, questions: Path | None, goal: str | None) -> Compared:
    """Answer with the comparison of the policies in ``names``, which are apart by commas, under a ``goal`` if any."""
    policies = [name.strip() for name in names.split(",") if name.strip()]
    if not policies:
        message = "--compare names no policy; write, for example: --compare fifo,lru,priority-decay"
        raise click.UsageError(message)
    asked = [] if questions is None else _read(questions)
    with door.memory() as memory:
        if goal is not None:
            set_goal(memory, goal, policies)
        found = memory.policy.compare(policies, budget=budget, questions=asked)
    return answer(door, _document(found, asked), lambda: _show(found, asked))


def set_goal(memory: AgentMemory, goal: str, policies: Sequence[str]) -> None:
    """Set the goal of this run, unless none of ``policies`` would look at it."""
    if not any(goes_by_features(name, memory.settings.current) for name in policies):
        go = "goes" if len(policies) == 1 else "go"
        message = (
            f"{', '.join(policies)} {go} by no features, so that --goal would change nothing: leave it out, or name a "
            "policy such as density or hybrid"
        )
        raise click.UsageError(message)
    memory.control.set_goal(goal)


def _read(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        message = f"--questions {path} cannot be read ({why}); give a text file with one question a line"
        raise click.UsageError(message) from error
    asked = [text.strip() for text in lines if text.strip()]
    if not asked:
        message = f"--questions {path} has no question; write one a line, or leave the option out"
        raise click.UsageError(message)
    return asked


def _document(found: Comparison, asked: Sequence[str]) -> Compared:
    return {
        "budget": found.budget,
        "weight_before": found.weight,
        "sequence": found.sequence,
        "policies": [_forecast(one, asked) for one in found.forecasts],
        "common": list(found.common),
        "questions": [
            {"number": place, "question": text, "best": best}
            for place, (text, best) in enumerate(zip(asked, found.answers, strict=True), 1)
        ],
        "answered": found.answered,
    }


def _forecast(one: Forecast, asked: Sequence[str]) -> Forecasted:
    plan = one.plan
    return {
        "policy": plan.policy,
        "memories": len(plan.actions),
        "by_kind": one.by_kind,
        "freed_tokens": plan.freed_tokens,
        "weight_after": plan.weight_after,
        "bound": plan.bound,
        "realised_loss": plan.realised_loss,
        "ids": [action.id for action in plan.actions],
        "only": list(one.only),
        "lost": [{"number": place, "question": asked[place - 1]} for place in one.lost],
        "notes": list(plan.notes),
        "digest": plan.digest,
    }


def _show(found: Comparison, asked: Sequence[str]) -> None:
    figures = ("memories", "tokens", "loss", "bound", "only here", *(("answers lost",) if asked else ()))
    made = table("policy", *figures, "kinds", right=figures)
    for one in found.forecasts:
        kinds = ", ".join(f"{count} {kind.value}" for kind, count in one.by_kind.items() if count)
        lost = (f"{len(one.lost)} of {found.answered}",) if asked else ()
        plan = one.plan
        made.add_row(
            plan.policy,
            number(len(plan.actions)),
            number(plan.freed_tokens),
            f"{plan.realised_loss:.4g}",
            f"{plan.bound:.4g}",
            number(len(one.only)),
            *lost,
            kinds or "nothing",
        )
    show_table(made)
    for place, text in enumerate(asked[:_SHOWN_QUESTIONS], 1):
        losers = [one.plan.policy for one in found.forecasts if place in one.lost]
        if losers:
            line(f"lost by {', '.join(losers)}: {one_line(text)}")
    line(
        f"{counted(len(found.common), 'memory')} would go by every one of them; "
        f"{number(found.weight)} tokens, budget {number(found.budget)}; nothing was changed"
    )
