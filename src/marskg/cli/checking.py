"""Checks that find something or not: ``mars validate``, ``verify``, ``retention``, ``ontology`` and ``policy check``.

Guarantees: all findings are reported, not only the first; the exit status is 1 exactly when one of them is an error.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from marskg.cli.door import CheckFailed, Door, existing_file, json_option, pass_door, shared_options
from marskg.cli.output import answer, counted, line, note, number, plain, progress, safe, show_table, table
from marskg.errors import InvalidDocument, InvalidInput
from marskg.ontology.vocabulary import MemoryClass
from marskg.records import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from marskg.learning.theta import KindFit
    from marskg.memory import AgentMemory
    from marskg.records import Finding, TreeHead

_SHOWN_FINDINGS = 50


@click.command()
@click.option("--full", is_flag=True, help="The whole store; otherwise what the last records changed.")
@shared_options
@pass_door
def validate(door: Door, *, full: bool) -> None:
    """Hold the store against its shapes: payloads, closure, task-safety, acyclicity, budget."""
    with door.memory() as memory, progress("validating"):
        report = memory.validate(full=full)
    conclude(door, report, checked="node")


@click.command()
@click.option("--export", type=existing_file(), metavar="FILE", help="Verify the audit in this export.")
@click.option(
    "--witness", type=existing_file(), metavar="FILE", help="Hold the log to these heads: mars audit head --all --json."
)
@click.option("--receipt", type=existing_file(), metavar="FILE", help="Verify this receipt of an erasure or a memory.")
@shared_options
@pass_door
def verify(door: Door, export: Path | None, witness: Path | None, receipt: Path | None) -> None:
    """Verify the audit: signatures, sequence, Merkle tree, and that the graph is what the log says.

    With --export the audit in that file, or with --receipt that receipt, is verified alone, without any store, and held
    against the store too if --store or MARS_STORE names one.
    """
    if receipt is not None:
        if export is not None or witness is not None:
            msg = "--receipt is verified by itself; leave --export and --witness out"
            raise InvalidInput(msg)
        _verify_receipt(door, receipt)
        return
    heads = read_heads(witness) if witness is not None else ()
    if export is None:
        with door.memory() as memory, progress("verifying"):
            report = memory.verify(witness=heads)
    else:
        report = _verify_export(door, export, heads)
    conclude(door, report, checked="record")


def _verify_receipt(door: Door, path: Path) -> None:
    """Verify a receipt by its signature, and against the store if one is named."""
    from marskg.privacy.checking import check_receipt
    from marskg.sources.strictjson import BadJson, parse

    try:
        document = parse(path.read_bytes())
    except BadJson as error:
        msg = f"{path} holds no receipt: {error}"
        raise InvalidDocument(msg) from error
    if not isinstance(document, dict):
        msg = f"{path} holds no receipt, which is a JSON object"
        raise InvalidDocument(msg)
    if door.store_is_named:
        with door.memory() as memory:
            report = memory.check_receipt(document)
    else:
        report = check_receipt(document)
    signed_by = str(document["proof"]["verificationMethod"]).partition("#")[2]
    more = {"signed_by": signed_by, "claim": document.get("erasureClaim"), "held_against_store": door.store_is_named}
    conclude(door, report, checked="receipt", more=more, first=lambda: line(f"signed by {signed_by}"))


def _verify_export(door: Door, export: Path, heads: Sequence[TreeHead]) -> Report:
    from marskg.audit.verify import verify_export

    with progress("verifying"):
        report = verify_export(export, witness=heads)
        if not door.store_is_named:
            return report
        with door.memory() as memory:
            return Report(report.checked, (*report.findings, *_differences(memory, export)))


def _differences(memory: AgentMemory, export: Path) -> Iterator[Finding]:
    """Yield a finding for each exported record that the store does not have, or has otherwise."""
    from marskg.audit.exported import ExportedAudit
    from marskg.records import Finding

    leaves: dict[str, list[bytes]] = {}
    for letter in ("t", "a"):
        first = next(memory.store.reader.records(letter), None)
        if first is not None:
            leaves[first.log] = list(memory.store.reader.leaves(letter, 1))
    for record in ExportedAudit(export).records():
        known = leaves.get(record.log)
        if known is None:
            yield Finding("wrong-log", record.iri, f"the store's tenant {memory.tenant!r} has no such log")
        elif record.sequence > len(known):
            yield Finding("missing-tail", record.iri, "the store's log ends before this record")
        elif known[record.sequence - 1].hex() != record.leaf:
            yield Finding("fork", record.iri, "the store has another record of this sequence number")


def read_heads(path: Path) -> tuple[TreeHead, ...]:
    """Return the tree heads that ``mars audit head --json`` wrote to ``path``.

    Raises:
        InvalidDocument: the file holds something else.
    """
    from marskg.records import TreeHead
    from marskg.sources.strictjson import BadJson, parse

    try:
        return tuple(TreeHead(**entry) for entry in parse(path.read_bytes())["heads"])
    except (BadJson, TypeError, KeyError) as error:
        msg = f"{path} holds no tree heads; write them with: mars audit head --all --json > {path.name}"
        raise InvalidDocument(msg) from error


@click.command()
@click.argument("memory_class", type=click.Choice([item.value for item in MemoryClass]), metavar="CLASS")
@click.option("--older-than", required=True, metavar="DURATION", help="Such as 30d, 24h or 90m.")
@shared_options
@pass_door
def retention(door: Door, memory_class: str, older_than: str) -> None:
    """Show that no memory of CLASS is left that is older than a duration, in any tier.

    Exit status 1 if there is one. What the log says of removals, of any class, is counted beside it.
    """
    with door.memory() as memory:
        found = memory.check_retention(memory_class, older_than)
    removed = ", ".join(
        f"{counted(number_of, 'time')} {name}" for name, number_of in found.removed_of_any_class.items()
    )
    note(f"left the store since it began, of any class: {removed or 'nothing'}")
    conclude(door, Report(found.checked, found.findings), checked=f"{memory_class} memory")


@click.group(no_args_is_help=False)
@json_option
def ontology() -> None:
    """Extensions of the ontology."""


@ontology.command("check")
@click.argument("files", nargs=-1, required=True, type=existing_file(), metavar="FILE...")
@click.option("--limit-seconds", type=click.FloatRange(min=1), default=120, show_default=True)
@json_option
@pass_door
def ontology_check(door: Door, files: tuple[Path, ...], limit_seconds: float) -> None:
    """Check FILEs, taken together, as an extension of the ontology.

    Finds what redefines or misspells a term, what can have no instance, and what contradicts, with the statements
    that do.
    """
    from marskg.ontology.check import check_files

    with progress("reasoning"):
        report = check_files(files, seconds=limit_seconds)
    conclude(door, report, checked="statement", advice=report.warnings)


@click.group(no_args_is_help=False)
@json_option
def policy() -> None:
    """Policies of your own."""


@policy.command("check")
@click.argument("file", type=existing_file())
@json_option
@pass_door
def policy_check(door: Door, file: Path) -> None:
    """Check FILE whole, without a store: what a tenant's settings, its ranking or its forgetting are to be.

    A .cypher file, with the YAML of the same name beside it, is a policy that forgets; YAML with weights is a ranking
    profile; other YAML is the settings of a tenant, of which it shows what differs from the defaults.
    """
    from marskg.cli.setup import writable, written
    from marskg.control.policy_files import SETTINGS, check_file

    found = check_file(file)
    values = writable({name: value for name, value, _ in found.differs})
    defaults = writable({name: default for name, _, default in found.differs})
    differs = [{"setting": name, "value": written(values[name]), "default": written(defaults[name])} for name in values]

    def show() -> None:
        if differs:
            made = table("setting", "value", "default")
            for row in differs:
                made.add_row(row["setting"], safe(row["value"]), safe(row["default"]))
            show_table(made)

    more: dict[str, Any] = {"kind": found.kind}
    if found.kind == SETTINGS:
        more["differs"] = differs
    conclude(door, found.report, checked="setting" if found.kind == SETTINGS else found.kind, more=more, first=show)


@policy.command("fit")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write theta as YAML.")
@shared_options
@pass_door
def policy_fit(door: Door, output: Path | None) -> None:
    """Learn what each feature is worth from what became of memories that were shown (mars feedback).

    Shows how well the learned weights tell used from unused memories in the newest showings, beside those in effect.
    Nothing is changed; --output writes what was learned as settings for: mars init --config FILE.
    """
    with door.memory() as memory, progress("fitting"):
        found = memory.fit_policy()
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

    answer(door, {"kinds": plain(found.kinds)}, show)


def _judged(found: KindFit) -> list[float]:
    """Return area and log loss of what was learned, each followed by that of what is in effect; empty for neither."""
    if found.fitted is None or found.before is None:
        return []
    return [found.fitted.area, found.before.area, found.fitted.log_loss, found.before.log_loss]


@policy.command("explain")
@shared_options
@pass_door
def policy_explain(door: Door) -> None:
    """Show what decides about forgetting now: shares of the kinds, the tier and its pressure, a bandit's arms."""
    with door.memory() as memory:
        found = memory.explain_policy()
    answer(door, found, lambda: _show_explained(found))


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


def conclude(
    door: Door,
    report: Report,
    *,
    checked: str,
    advice: Iterable[Finding] = (),
    more: Mapping[str, Any] | None = None,
    first: Callable[[], None] | None = None,
) -> None:
    """Answer with a report, and leave with status 1 if it is not clean.

    ``more`` is put into the document; ``first`` shows it before the findings.

    Raises:
        CheckFailed: there is an error among the findings.
    """
    findings = (*report.findings, *advice)
    data = {"ok": report.ok, "checked": report.checked, "findings": plain(report.findings)}
    if advice:
        data["warnings"] = plain(tuple(advice))
    data |= more or {}

    def show() -> None:
        if first is not None:
            first()
        if findings:
            made = table("code", "where", "what")
            for finding in findings[:_SHOWN_FINDINGS]:
                made.add_row(_code(finding, tuple(advice)), safe(finding.where), safe(finding.message))
            show_table(made)
        if len(findings) > _SHOWN_FINDINGS:
            line(f"… and {number(len(findings) - _SHOWN_FINDINGS)} more; --json lists them all")
        line(verdict(report, checked))

    answer(door, data, show)
    if not report.ok:
        raise CheckFailed


def verdict(report: Report, checked: str) -> str:
    """Return the outcome of a check in one line; ``checked`` names one of what was looked at."""
    if not report.findings:
        return f"{counted(report.checked, checked)} checked, nothing found"
    errors = sum(finding.severity == "error" for finding in report.findings)
    warnings = len(report.findings) - errors
    found = [counted(count, noun) for count, noun in ((errors, "error"), (warnings, "warning")) if count]
    return f"{counted(report.checked, checked)} checked: {', '.join(found)}"


def _code(finding: Finding, advice: tuple[Finding, ...]) -> str:
    return f"{finding.code} (warning)" if finding.severity != "error" or finding in advice else finding.code
