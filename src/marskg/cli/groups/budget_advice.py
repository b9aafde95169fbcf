"""``mars policy advise-budget``: which budget would have been enough.

Guarantees: changes nothing.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, TypedDict

import click

from marskg.cli.door import Door, new_file, pass_door, shared_options
from marskg.cli.operation_commands import stated
from marskg.cli.output import answer, counted, line, note, number, show_table, table
from marskg.errors import InvalidInput, StoreUnwritable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from marskg.policies.advisor import Advice


class ReplayDocument(TypedDict):
    """One budget, and what it would have kept."""

    budget: int
    rate: float
    kept: int
    triggers: int
    evicted: int
    feasible: bool


class AdviceDocument(TypedDict):
    """What ``mars policy advise-budget`` answers."""

    policy: str
    rate: float
    budget: int | None
    budget_now: int
    since: int
    showings: int
    unknown: int
    notes: Sequence[str]
    replays: Sequence[ReplayDocument]


@click.command()
@click.option(
    "--rate",
    type=float,
    **stated("policy.advise_budget", "rate"),
    help="Share of what was shown that must have stayed.",
)
@click.option("--policy", metavar="NAME", help="fifo, lru or priority-decay.  [default: the tenant's]")
@click.option(
    "--recent", metavar="DURATION", **stated("policy.advise_budget", "recent"), help="How far back showings count."
)
@click.option("--chart", type=new_file(), help="Draw the share by budget to this file, such as advice.svg.")
@shared_options
@pass_door
def advise(door: Door, rate: float, policy: str | None, recent: str, chart: Path | None) -> AdviceDocument:
    """Replay what was stored and shown, and say which budget would have been enough; change nothing."""
    if chart is not None and find_spec("matplotlib") is None:
        message = "--chart needs matplotlib, which is not installed; install it with: pip install 'marskg[chart]'"
        raise InvalidInput(message)
    with door.memory() as memory:
        found = memory.policy.advise_budget(rate=rate, policy=policy, recent=recent)
        now = memory.settings.current.budget
    if chart is not None:
        _draw(found, now, chart)
    return answer(door, _document(found, now), lambda: _show(found, now))


def _document(found: Advice, now: int) -> AdviceDocument:
    return {
        "policy": found.policy,
        "rate": found.rate,
        "budget": found.budget,
        "budget_now": now,
        "since": found.since,
        "showings": found.showings,
        "unknown": found.unknown,
        "notes": list(found.notes),
        "replays": [
            {
                "budget": one.budget,
                "rate": one.rate,
                "kept": one.kept,
                "triggers": one.triggers,
                "evicted": one.evicted,
                "feasible": one.feasible,
            }
            for one in found.replays
        ],
    }


def _show(found: Advice, now: int) -> None:
    if not found.showings:
        line("nothing that is still there was shown in that time: there is nothing to go by, and no budget is advised")
    figures = ("budget", "kept", "share", "triggers", "evicted")
    made = table(*figures, "", right=figures)
    for one in found.replays:
        told = "" if one.feasible else "too small for what is protected"
        told = "the smallest that would have been enough" if one.budget == found.budget else told
        share = f"{one.rate:.1%}" if found.showings else "-"
        made.add_row(number(one.budget), number(one.kept), share, number(one.triggers), number(one.evicted), told)
    show_table(made)
    if found.unknown:
        note(f"{counted(found.unknown, 'showing')} of what has been forgotten since left out")
    for text in found.notes:
        note(text)
    if found.budget is None:
        return
    line(
        f"{number(found.budget)} tokens would have kept {found.rate:.0%} of {counted(found.showings, 'showing')} by "
        f"{found.policy}; the budget is {number(now)}"
    )


def _draw(found: Advice, now: int, path: Path) -> None:
    """Draw the share that each budget would have kept.

    Raises:
        InvalidInput: the suffix is no format that can be drawn.
        StoreUnwritable: the file cannot be written.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    replays = [one for one in found.replays if one.feasible]
    axes.plot([one.budget for one in replays], [one.rate for one in replays], marker="o", color="#2a7f62")
    axes.axhline(found.rate, color="grey", linewidth=1, linestyle="--", label=f"wanted: {found.rate:.0%}")
    if found.budget is not None:
        axes.axvline(found.budget, color="#b3452c", linewidth=1, label=f"enough: {found.budget:,} tokens")
    if replays and now <= replays[-1].budget:
        axes.axvline(now, color="black", linewidth=1, linestyle=":", label=f"now: {now:,} tokens")
    axes.set_xlabel("budget in tokens")
    axes.set_ylabel("share of what was shown that would have stayed")
    axes.set_title(f"{found.showings:,} showings replayed under {found.policy}")
    axes.set_ylim(0, 1.05)
    axes.legend(loc="lower right")
    try:
        figure.savefig(path)
    except ValueError as error:
        message = f"{path} has no suffix that a chart can have ({str(error)[:80]}); write for example advice.svg"
        raise InvalidInput(message) from error
    except OSError as error:
        message = f"the chart {path} cannot be written ({error.strerror}); choose another place"
        raise StoreUnwritable(message) from error
