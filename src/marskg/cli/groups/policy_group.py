"""What decides about forgetting: ``mars policy``.

Guarantees: checking, fitting, explaining and advising change nothing; each pin is one signed change, or none.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, cast

import click

from marskg.cli.commands.remember import show_stored
from marskg.cli.commands.validate_verify import CheckDocument, checked_document, conclude
from marskg.cli.door import Door, existing_file, json_option, pass_door, shared_options
from marskg.cli.groups.budget_advice import advise
from marskg.cli.operation_commands import NamespaceGroup
from marskg.cli.output import answer, line, note, number, progress, show_table, table
from marskg.cli.values import MEMORY_ID, FilePath
from marskg.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from marskg.learning.theta import KindFit, PolicyFit
    from marskg.policies.controllers.adaptive import ExplainedArms
    from marskg.policies.controllers.tiered import ExplainedTier
    from marskg.records import Memory
    from marskg.store.unit.quotas import Allowance
    from marskg.store.upkeep.maintenance import KindShare


class ExplainedPolicy(TypedDict):
    """What ``mars policy explain`` answers: a section is there where it is in force or something was learned."""

    policy: str
    partitions: NotRequired[Mapping[str, KindShare]]
    tiered: NotRequired[ExplainedTier]
    adaptive: NotRequired[ExplainedArms]
    allowances: NotRequired[Mapping[str, Allowance]]


class SettingDiffers(TypedDict):
    """A setting that is not at its default, both as ``mars settings`` takes them."""

    setting: str
    value: str
    default: str


class CheckedPolicy(CheckDocument):
    """What ``mars policy check`` answers: what kind of file it is, and of settings what differs from the defaults."""

    kind: str
    differs: NotRequired[Sequence[SettingDiffers]]


@click.group(cls=NamespaceGroup, no_args_is_help=False)
@json_option
def policy() -> None:
    """What decides about forgetting, and pins."""


policy.add_command(advise, "advise-budget")


@policy.command("check")
@click.argument("file", type=existing_file())
@json_option
@pass_door
def policy_check(door: Door, file: Path) -> CheckedPolicy:
    """Check FILE whole, without a store: what a tenant's settings, its ranking or its forgetting are to be.

    A .cypher file, with the YAML of the same name beside it, is a policy that forgets; YAML with weights is a ranking
    profile; other YAML is the settings of a tenant, of which it shows what differs from the defaults.
    """
    from marskg.api.policy_files import SETTINGS, check_file
    from marskg.cli.setting_text import writable, written

    found = check_file(file)
    values = writable({name: value for name, value, _ in found.differs})
    defaults = writable({name: default for name, _, default in found.differs})
    differs: list[SettingDiffers] = [
        {"setting": name, "value": written(values[name]), "default": written(defaults[name])} for name in values
    ]

    def show() -> None:
        if differs:
            made = table("setting", "value", "default")
            for row in differs:
                made.add_row(row["setting"], row["value"], row["default"])
            show_table(made)

    data = cast("CheckedPolicy", {**checked_document(found.report), "kind": found.kind})
    if found.kind == SETTINGS:
        data["differs"] = differs
    return conclude(door, found.report, data, checked="setting" if found.kind == SETTINGS else found.kind, first=show)


@policy.command("fit")
@click.option("--output", type=FilePath(path_type=Path, dir_okay=False), metavar="FILE", help="Write theta as YAML.")
@shared_options
@pass_door
def policy_fit(door: Door, output: Path | None) -> PolicyFit:
    """Learn what each feature is worth from what became of memories that were shown (mars feedback).

    Shows how well the learned weights tell used from unused memories in the newest showings, beside those in effect.
    Nothing is changed; --output writes what was learned as settings for: mars init --config FILE.
    """
    with door.memory() as memory, progress("fitting"):
        found = memory.policy.fit()
    if output is not None:
        try:
            output.write_text(found.as_yaml(), encoding="utf-8")
        except OSError as error:
            msg = f"{output} cannot be written ({error.strerror}); name another file"
            raise InvalidInput(msg) from error

    def show() -> None:
        made = table("kind", "outcomes", "used", "held out", "area", "area before", "log loss", "log loss before")
        for one in found.kinds:
            ends = [f"{value:.3f}" for value in _judged(one)] or ["too few outcomes", "", "", ""]
            made.add_row(one.kind.value, number(one.outcomes), number(one.used), number(one.held_out), *ends)
        show_table(made)
        worse = [
            one.kind.value for one in found.kinds if one.fitted and one.before and one.fitted.area <= one.before.area
        ]
        if worse:
            note(f"of {', '.join(worse)}, what was learned tells used from unused no better than what is in effect")
        if output is not None:
            note(f"theta is in {output}; for an existing tenant: set single values with mars settings NAME=VALUE")

    return answer(door, found, show)


def _judged(found: KindFit) -> list[float]:
    """Return area and log loss of what was learned, each followed by that of what is in effect; empty for neither."""
    if found.fitted is None or found.before is None:
        return []
    return [found.fitted.area, found.before.area, found.fitted.log_loss, found.before.log_loss]


@policy.command("explain")
@shared_options
@pass_door
def policy_explain(door: Door) -> ExplainedPolicy:
    """Show what decides about forgetting now: shares of the kinds, the tier and its pressure, a bandit's arms."""
    with door.memory() as memory:
        found = memory.policy.explain()
    return answer(door, cast("ExplainedPolicy", found), lambda: _show_explained(found))


def _show_explained(found: Mapping[str, Any]) -> None:
    line(f"policy {found['policy']}")
    if "partitions" in found:
        made = table("kind", "tokens", "share", "reserve", "price", right=("tokens", "share", "reserve", "price"))
        for kind, row in found["partitions"].items():
            tokens = (number(row[name]) for name in ("weight", "share", "reserve"))
            made.add_row(kind, *tokens, f"{row['price'] / 1e6:.4f}")
        show_table(made)
    if "tiered" in found:
        tier = found["tiered"]
        numbers = (tier["triggers_per_100_arrivals"], tier["misses"])
        triggers, misses = ("nothing yet" if value is None else f"{value:.3g}" for value in numbers)
        line(f"tier {tier['tier']} ({tier['policy']}): {triggers} triggers per 100 arrivals, part of misses {misses}")
        if tier["held_back"]:
            line(f"the top tier is held back: {tier['held_back']}")
    if "adaptive" in found:
        _show_arms(found["adaptive"])


def _show_arms(found: Mapping[str, Any]) -> None:
    made = table("arm", "pulls", "expected", "deviation", right=("pulls", "expected", "deviation"))
    for arm in found["arms"]:
        made.add_row(arm["arm"], number(arm["pulls"]), f"{arm['mean']:.4f}", f"{arm['deviation']:.4f}")
    show_table(made)
    last = found["last"]
    line("no choice yet" if last is None else f"last choice: {last['arm']}; {last['why']}")


@policy.command()
@click.argument("id", type=MEMORY_ID)
@shared_options
@pass_door
def pin(door: Door, id: str) -> Memory:  # noqa: A002 - the name that users see
    """Keep a memory, and what it depends on, whatever the policy says."""
    with door.memory() as memory:
        return show_stored(door, memory, memory.policy.pin(id))


@policy.command()
@click.argument("id", type=MEMORY_ID)
@shared_options
@pass_door
def unpin(door: Door, id: str) -> Memory:  # noqa: A002 - the name that users see
    """Let the policy decide about a memory again."""
    with door.memory() as memory:
        return show_stored(door, memory, memory.policy.unpin(id))
