"""What a tenant is set to: ``mars settings``.

Guarantees: a setting is checked before a store is opened; without a name of a command it shows or changes settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import click

from marskg.cli.door import Door, existing_file, pass_door, shared_options
from marskg.cli.operation_commands import NamespaceGroup
from marskg.cli.output import answer, counted, line, note, number, show_table, table
from marskg.cli.setting_text import recognisers, writable, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from marskg.config import Settings, Value


class Subscriptions(TypedDict):
    """What the commands about subscriptions answer: the shared tenants that are read as well."""

    subscriptions: Sequence[str]


class BudgetSet(TypedDict):
    """What ``mars settings budget`` answers, in tokens."""

    budget: int
    budget_before: int
    weight_before: int
    weight_after: int


_SET = "set"


class _Settings(NamespaceGroup):
    """A group whose first argument may be a change: what names no command is for ``set``."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant."""
        return super().resolve_command(ctx, args if self.get_command(ctx, args[0]) else [_SET, *args])


@click.group(cls=_Settings, invoke_without_command=True, context_settings={"ignore_unknown_options": True})
@shared_options
@click.pass_context
def settings(context: click.Context) -> Mapping[str, Value] | None:
    """What a tenant is set to: budget, policy, others.

    Shows all settings; with NAME=VALUE it changes them, as its command set does.
    """
    return context.invoke(show) if context.invoked_subcommand is None else None


@settings.command()
@shared_options
@pass_door
def show(door: Door) -> Mapping[str, Value]:
    """Show the settings with their meanings."""
    with door.memory() as memory:
        return _show_settings(door, memory.settings.current)


@settings.command(_SET)
@click.argument("changes", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--config", type=existing_file(), metavar="FILE", help="YAML file with all settings to have from now on.")
@shared_options
@pass_door
def set_(door: Door, changes: tuple[str, ...], config: Path | None) -> Mapping[str, Value]:
    """Change settings.

    NAME is a setting as mars settings lists it, such as policy.name; VALUE is written as in the YAML file; none stands
    for no value. The sections lives and lean take the preset memoryarchitect, or default, as well. A changed budget is
    enforced at once.
    """
    from marskg.config import Settings

    values = dict(_change(text) for text in changes)
    base = Settings.from_yaml(config) if config is not None else None
    with door.memory() as memory:
        if values or base is not None:
            checked = (base or memory.settings.current).with_values(values, "mars settings")
            _require_policy(checked)
            memory.settings.set(base, values)
        return _show_settings(door, memory.settings.current)


def _change(text: str) -> tuple[str, object]:
    """Return the name and the value that ``NAME=VALUE`` gives."""
    from marskg.config import SETTINGS
    from marskg.config.former import FORMER_NAMES

    name, equals, written = text.partition("=")
    if not equals:
        msg = f"{text[:60]!r} is no change; write NAME=VALUE, for example low_water=0.9"
        raise click.UsageError(msg)
    setting = SETTINGS.get(FORMER_NAMES.get(name, name))
    if written == "none" and (setting is None or setting.optional):
        return name, None
    if setting is not None and setting.kind == "flag":
        return name, {"true": True, "false": False}.get(written, written)
    if setting is not None and setting.kind in {"number", "integer"}:
        try:
            return name, float(written) if setting.kind == "number" else int(written)
        except ValueError:
            return name, written
    return name, written


def _require_policy(settings: Settings) -> None:
    """Load the policies, so that a name that is none is refused before it is stored."""
    from marskg.policies.registry import check_settings

    check_settings(settings)


@settings.command()
@click.argument("name")
@shared_options
@pass_door
def subscribe(door: Door, name: str) -> Subscriptions:
    """Read the shared tenant NAME as well; its owner shares it with: mars settings lean.shared=true."""
    with door.memory() as memory:
        return _show_subscriptions(door, memory.settings.subscribe(name))


@settings.command()
@click.argument("name")
@shared_options
@pass_door
def unsubscribe(door: Door, name: str) -> Subscriptions:
    """Read the shared tenant NAME no more."""
    with door.memory() as memory:
        return _show_subscriptions(door, memory.settings.unsubscribe(name))


@settings.command()
@shared_options
@pass_door
def subscriptions(door: Door) -> Subscriptions:
    """List the shared tenants that are read as well."""
    with door.memory() as memory:
        return _show_subscriptions(door, memory.settings.subscriptions)


def _show_subscriptions(door: Door, names: tuple[str, ...]) -> Subscriptions:
    return answer(
        door,
        Subscriptions(subscriptions=names),
        lambda: line("subscribed to " + (", ".join(names) or "no other tenant")),
    )


def _show_settings(door: Door, settings: Settings) -> Mapping[str, Value]:
    from marskg.config import SETTINGS

    def tell() -> None:
        made = table("setting", "value", "meaning")
        works = f"; here work: {', '.join(recognisers(settings)) or 'none'}"
        for name, value in writable(settings.values()).items():
            meaning = SETTINGS[name].meaning + (works if name == "sensitivity.presidio" else "")
            made.add_row(name, written(value), meaning)
        show_table(made)

    return answer(door, settings.values(), tell)


@settings.command("budget")
@click.argument("tokens", type=click.IntRange(min=1))
@shared_options
@pass_door
def set_budget(door: Door, tokens: int) -> BudgetSet:
    """Change the tenant's budget to TOKENS; a lower one forgets at once, by the tenant's policy."""
    with door.memory() as memory:
        old, before = memory.settings.current.budget, memory.weight
        memory.settings.set_budget(tokens)
        data: BudgetSet = {
            "budget": tokens,
            "budget_before": old,
            "weight_before": before,
            "weight_after": memory.weight,
        }

        def show() -> None:
            line(f"budget {number(old)} → {number(tokens)}; {counted(data['weight_after'], 'token')} in use")
            if data["weight_after"] < before:
                note(f"{counted(before - data['weight_after'], 'token')} forgotten; see: mars audit list")

        return answer(door, data, show)
