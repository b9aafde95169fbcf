"""Preferences, consents and templates for jurisdictions: ``mars preferences``.

Guarantees: each command is one transaction, or nothing; a dry run changes nothing and says what would go; a file with a
rule that is wrong is refused by its line before any of it is applied. On a terminal nothing is taken away before it was
confirmed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import click

from marskg.answer import plain
from marskg.cli.door import Door, existing_file, pass_door, shared_options
from marskg.cli.operation_commands import NamespaceGroup
from marskg.cli.output import answer, counted, line, note, number, one_line, show_fields, show_table, table
from marskg.cli.setting_text import written as lexical
from marskg.cli.values import MEMORY_ID, MOMENT, text_argument
from marskg.ontology.mapping import time_lexical
from marskg.ontology.vocabulary import PreferenceRule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from marskg.memory import AgentMemory
    from marskg.privacy.preferences import Change
    from marskg.privacy.rules import Rule
    from marskg.records import Preference


class PreferenceList(TypedDict):
    """What ``mars preferences list`` answers."""

    preferences: Sequence[Preference]


class EffectiveRules(TypedDict):
    """What ``mars preferences effective`` answers; ``private`` is a number of entities, times are in milliseconds."""

    retention: Mapping[str, int]
    forbids: Sequence[str]
    private: int
    ceilings: Mapping[str, float]
    regions: Mapping[str, Sequence[str]]
    social_horizon: int | None
    erasure_deadline: int | None


class ListedTemplate(TypedDict):
    """A template, and the departments that it is applied to, None for the tenant."""

    name: str
    title: str
    law: str
    region: str
    source: str
    applied_to: Sequence[str | None]


class Templates(TypedDict):
    """What ``mars preferences templates`` answers."""

    jurisdictions: Sequence[ListedTemplate]


class TemplateDocument(TypedDict):
    """What ``mars preferences template`` answers; each rule is as files of rules have it, with its ``why``."""

    name: str
    region: str
    source: str
    rules: Sequence[Mapping[str, Any]]


_RULES = click.Choice([rule.value for rule in PreferenceRule if rule is not PreferenceRule.CONSENT])
_ANY_RULE = click.Choice([rule.value for rule in PreferenceRule])


def _dry_run(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--dry-run", is_flag=True, help="Show what would be done and change nothing.")(command)


def _yes(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--yes", is_flag=True, help="Do not ask.")(command)


def _department(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--department", metavar="NAME", help="For its members only.")(command)


@click.group(cls=NamespaceGroup)
@shared_options
def preferences() -> None:
    """Rules, consents, templates for jurisdictions.

    The templates are engineering defaults, not legal advice.
    """


@preferences.command("list")
@click.option("--subject", metavar="NAME", help="Only those of this person.")
@_department
@click.option("--rule", type=_ANY_RULE, help="Only those of this rule.")
@click.option("--target", metavar="TARGET", help="Only those about this, such as a name.")
@shared_options
@pass_door
def list_(
    door: Door, *, subject: str | None, department: str | None, rule: str | None, target: str | None
) -> PreferenceList:
    """List the preferences and consents, with the clause of those that come from a jurisdiction's template.

    A rule about a name shows its label: the name is kept nowhere. Who knows the name finds it with --target.
    """
    with door.memory() as memory:
        found = memory.preferences.list(subject=subject, department=department, rule=rule, target=target)
        now = memory.now()
    return answer(door, PreferenceList(preferences=found), lambda: _show_all(found, now))


def _show_all(found: Iterable[Preference], now: int) -> None:
    made = table("rule", "for", "about", "value", "state", "from", "id", whole=("id",))
    for item in found:
        origin = "" if item.origin is None else f"{item.origin} {item.clause or ''}"
        made.add_row(
            item.preference_rule.value,
            _whom(item),
            _about(item),
            _value(item),
            "in force" if item.in_force(now) else "over",
            one_line(origin),
            item.id,
        )
    show_table(made)


def _about(item: Preference) -> str:
    return one_line(item.label or item.target)


def _whom(item: Preference | Rule) -> str:
    if item.data_subject is not None:
        return one_line(item.data_subject)
    return "all" if item.department is None else f"department {one_line(item.department)}"


def _value(item: Preference | Rule) -> str:
    if item.horizon is not None:
        return lexical(f"{item.horizon}ms")
    if item.level is not None:
        return f"{item.level:g}"
    if item.regions:
        return one_line(", ".join(item.regions))
    return "" if item.ends_at is None else f"until {time_lexical(item.ends_at)}"


@preferences.command()
@click.argument("id", type=MEMORY_ID)
@shared_options
@pass_door
def show(door: Door, id: str) -> Preference:  # noqa: A002 - the name that users see
    """Show the preference ID."""
    with door.memory() as memory:
        found = memory.preferences.get(id)
    return answer(door, found, lambda: show_fields({name: value for name, value in plain(found).items() if value}))


@preferences.command("set")
@click.argument("rule", type=_RULES)
@click.argument("target", required=False)
@click.option("--label", metavar="TEXT", help="What to call a rule about a name by; the name itself is kept nowhere.")
@click.option("--subject", metavar="NAME", help="For this person; for all if neither this nor --department is given.")
@_department
@click.option("--horizon", metavar="DURATION", help="Such as 30d.")
@click.option("--level", type=float, metavar="0..1", help="A sensitivity.")
@click.option("--region", "regions", multiple=True, metavar="NAME", help="A jurisdiction; may be repeated.")
@_dry_run
@_yes
@shared_options
@pass_door
def set_(
    door: Door,
    *,
    rule: str,
    target: str | None,
    label: str | None,
    subject: str | None,
    department: str | None,
    horizon: str | None,
    level: float | None,
    regions: tuple[str, ...],
    dry_run: bool,
    yes: bool,
) -> Change:
    """Set RULE, about TARGET where it is about something.

    It holds at once: what it no longer allows to be kept goes, and the rest is amended.
    """

    def change(memory: AgentMemory, *, dry_run: bool) -> Change:
        return memory.preferences.set(
            rule,
            target,
            label=label,
            subject=subject,
            department=department,
            horizon=horizon,
            level=level,
            regions=regions or None,
            dry_run=dry_run,
        )

    return _do(door, change, dry_run=dry_run, yes=yes)


@preferences.command()
@click.argument("file", type=existing_file())
@_dry_run
@_yes
@shared_options
@pass_door
def load(door: Door, file: Path, *, dry_run: bool, yes: bool) -> Change:
    """Set the rules of the YAML FILE, in one transaction; what there is besides stays."""
    return _do(
        door, lambda memory, *, dry_run: memory.preferences.load(file, dry_run=dry_run), dry_run=dry_run, yes=yes
    )


@preferences.command()
@click.argument("id", type=MEMORY_ID)
@_dry_run
@shared_options
@pass_door
def remove(door: Door, id: str, *, dry_run: bool) -> Change:  # noqa: A002 - the name that users see
    """Remove the preference ID; what it forced is taken back, what it took away is gone."""
    return _do(
        door, lambda memory, *, dry_run: memory.preferences.remove(id, dry_run=dry_run), dry_run=dry_run, yes=True
    )


@preferences.command()
@text_argument("subject")
@click.option("--purpose", metavar="PURPOSE", help="To this; to any purpose if left out.")
@click.option("--until", type=MOMENT, metavar="TIME", help="When it ends by itself.")
@shared_options
@pass_door
def consent(door: Door, subject: str, *, purpose: str | None, until: int | None) -> Change:
    """Record that SUBJECT consents to a purpose, or to any; one who was erased may be written about again.

    A SUBJECT that begins with a dash comes last, after --.
    """
    return _do(
        door,
        lambda memory, *, dry_run: memory.preferences.consent(subject, purpose, until=until, dry_run=dry_run),
        dry_run=False,
        yes=True,
    )


@preferences.command()
@text_argument("subject")
@click.option("--purpose", metavar="PURPOSE", help="The consent to this; all consents if left out.")
@_dry_run
@_yes
@shared_options
@pass_door
def withdraw(door: Door, subject: str, *, purpose: str | None, dry_run: bool, yes: bool) -> Change:
    """Withdraw the consent of SUBJECT; what rested on it goes at once.

    A SUBJECT that begins with a dash comes last, after --.
    """
    return _do(
        door,
        lambda memory, *, dry_run: memory.preferences.withdraw(subject, purpose, dry_run=dry_run),
        dry_run=dry_run,
        yes=yes,
    )


@preferences.command()
@click.option("--subject", metavar="NAME", help="For this person.")
@_department
@shared_options
@pass_door
def effective(door: Door, *, subject: str | None, department: str | None) -> EffectiveRules:
    """Show what all rules come to together: of several on the same the strictest."""
    with door.memory() as memory:
        found = memory.preferences.effective(subject=subject, department=department)
        labels = {item.target: item.label for item in memory.preferences.list() if item.label is not None}
    data: EffectiveRules = {
        "retention": dict(found.retention),
        "forbids": sorted(found.forbids),
        "private": len(found.private),
        "ceilings": dict(found.ceilings),
        "regions": {name: sorted(listed) for name, listed in found.regions.items()},
        "social_horizon": found.social_horizon,
        "erasure_deadline": found.erasure_deadline,
    }

    def tell() -> None:
        for kind, horizon in found.retention.items():
            line(f"{'any kind' if kind == '*' else kind}: kept for {lexical(f'{horizon}ms')} at most")
        if found.social_horizon is not None:
            line(f"social, unused: put aside after {lexical(f'{found.social_horizon}ms')}")
        for name in sorted(found.forbids):
            rule, _, target = name.partition(":")
            line(one_line(f"{rule}: {labels.get(target, target)}"))
        if found.private:
            line(f"private entities: {number(len(found.private))}")
        for name, level in found.ceilings.items():
            line(f"{name}: shown up to sensitivity {level:g} without consent to the purpose")
        for name, listed in found.regions.items():
            line(f"{name}: read from {', '.join(sorted(listed))}")
        if found.erasure_deadline is not None:
            line(f"erasure: done within {lexical(f'{found.erasure_deadline}ms')}")

    return answer(door, data, tell)


@preferences.command()
@shared_options
@pass_door
def templates(door: Door) -> Templates:
    """List the templates of rules for jurisdictions, and in a store where they are applied."""
    from marskg.privacy.templates import load_template, template_names

    applied: tuple[tuple[str, str | None], ...] = ()
    if door.store_is_named or Path(door.store).exists():
        with door.memory() as memory:
            applied = memory.preferences.applied()
    found = [load_template(name) for name in template_names()]

    def tell() -> None:
        made = table("name", "title", "law", "region", "applied to")
        for item in found:
            where = ["the tenant" if place is None else place for name, place in applied if name == item.name]
            made.add_row(item.name, item.title, item.law, item.region, one_line(", ".join(where)))
        show_table(made)

    listed: list[ListedTemplate] = [
        {
            "name": item.name,
            "title": item.title,
            "law": item.law,
            "region": item.region,
            "source": item.source,
            "applied_to": [place for name, place in applied if name == item.name],
        }
        for item in found
    ]
    return answer(door, Templates(jurisdictions=listed), tell)


@preferences.command()
@click.argument("name")
@shared_options
@pass_door
def template(door: Door, name: str) -> TemplateDocument:
    """Show the rules of the template NAME, each with its clause."""
    from marskg.privacy.rules import written
    from marskg.privacy.templates import ADVICE, load_template

    found = load_template(name)
    rules = [{**rule, "why": why} for rule, why in zip(written(found.rules), found.why, strict=True)]

    def tell() -> None:
        line(f"{found.title}: {found.law}")
        made = table("rule", "about", "value", "clause", "why")
        for rule, why in zip(found.rules, found.why, strict=True):
            made.add_row(rule.preference_rule.value, rule.target or "", _value(rule), rule.clause or "", why)
        show_table(made)
        note(ADVICE)

    data: TemplateDocument = {"name": found.name, "region": found.region, "source": found.source, "rules": rules}
    return answer(door, data, tell)


@preferences.command()
@click.argument("name")
@_department
@_dry_run
@_yes
@shared_options
@pass_door
def apply(door: Door, name: str, *, department: str | None, dry_run: bool, yes: bool) -> Change:
    """Set the rules of the template NAME for the tenant, or a department; of several templates the stricter holds."""
    from marskg.privacy.templates import ADVICE

    done = _do(
        door,
        lambda memory, *, dry_run: memory.preferences.apply(name, department=department, dry_run=dry_run),
        dry_run=dry_run,
        yes=yes,
    )
    note(ADVICE)
    return done


@preferences.command()
@click.argument("name")
@_department
@_dry_run
@shared_options
@pass_door
def unapply(door: Door, name: str, *, department: str | None, dry_run: bool) -> Change:
    """Remove the rules that the template NAME set."""
    return _do(
        door,
        lambda memory, *, dry_run: memory.preferences.unapply(name, department=department, dry_run=dry_run),
        dry_run=dry_run,
        yes=True,
    )


def _do(door: Door, change: Callable[..., Change], *, dry_run: bool, yes: bool) -> Change:
    """Make a change, after asking where it takes something away, and say what it did."""
    with door.memory() as memory:
        if not dry_run and not yes and sys.stdin.isatty() and not door.as_json:
            looked: Change = change(memory, dry_run=True)
            if looked.expired:
                _tell(looked)
                click.confirm("Do it? What goes does not come back", abort=True, err=True)
        done: Change = change(memory, dry_run=dry_run)
    return answer(door, done, lambda: _tell(done))


def _tell(done: Change) -> None:
    would = "would be " if done.dry_run else ""
    for item in done.preferences:
        state = "withdrawn" if item.withdrawn_at is not None else "set"
        about = "" if item.target is None else f" {_about(item)}"
        line(f"{would}{state}: {item.preference_rule}{about}, for {_whom(item)}  {item.id}")
    if done.removed:
        line(f"{would}removed: {counted(len(done.removed), 'preference')}")
    if done.expired:
        line(f"{would}gone: {counted(len(done.expired), 'memory')}")
    if done.amended:
        line(f"{would}amended: {counted(len(done.amended), 'memory')}")
