"""Checks that find something or not: ``mars validate``, ``verify``, ``retention``, ``ontology`` and ``policy check``.

Guarantees: all findings are reported, not only the first; the exit status is 1 exactly when one of them is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, cast

import click

from marskg.cli.door import CheckFailed, Door, existing_file, pass_door, shared_options
from marskg.cli.output import answer, counted, line, number, progress, safe, show_table, table
from marskg.errors import InvalidDocument, InvalidInput
from marskg.records import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from marskg.cli.output import Answer
    from marskg.memory import AgentMemory
    from marskg.records import Finding, TreeHead, VerifiedLog

_SHOWN_FINDINGS = 50


class CheckDocument(TypedDict):
    """What a check answers: ``ok`` is true exactly when no finding is an error."""

    ok: bool
    checked: int
    findings: Sequence[Finding]


class Limits(TypedDict):
    """What ``mars verify --limits`` answers."""

    limits: Sequence[str]


class Verified(CheckDocument, Limits):
    """What ``mars verify`` answers: the logs that were verified, and what no verification shows."""

    logs: Sequence[VerifiedLog]


class VerifiedReceipt(CheckDocument):
    """What ``mars verify --receipt`` answers: the key that signed it, what it claims, whether a store was asked."""

    signed_by: str
    claim: str | None
    held_against_store: bool


@click.command()
@click.option("--full", is_flag=True, help="The whole store; otherwise what the last records changed.")
@shared_options
@pass_door
def validate(door: Door, *, full: bool) -> CheckDocument:
    """Hold the store against its shapes: payloads, closure, task-safety, acyclicity, budget."""
    with door.memory() as memory, progress("validating"):
        report = memory.validate(full=full)
    return conclude(door, report, checked_document(report), checked="node")


@click.command()
@click.option("--export", type=existing_file(), metavar="FILE", help="Verify the audit in this export.")
@click.option(
    "--head",
    "--witness",
    "witness",
    type=existing_file(),
    multiple=True,
    metavar="FILE",
    help="Hold the log to heads that were kept: mars audit head --export FILE. Repeatable.",
)
@click.option("--receipt", type=existing_file(), metavar="FILE", help="Verify this receipt of an erasure or a memory.")
@click.option(
    "--key", "keys", multiple=True, metavar="KEY", help="With --export: a key that may open a log. Repeatable."
)
@click.option(
    "--log", "logs", multiple=True, metavar="IRI", help="With --export: a log that must be there. Repeatable."
)
@click.option("--limits", is_flag=True, help="Only say what no verification shows.")
@shared_options
@pass_door
def verify(
    door: Door,
    *,
    export: Path | None,
    witness: tuple[Path, ...],
    receipt: Path | None,
    keys: tuple[str, ...],
    logs: tuple[str, ...],
    limits: bool,
) -> Verified | VerifiedReceipt | Limits:
    """Verify the audit: signatures, sequence, Merkle tree, and that the graph is what the log says.

    With --export the audit in that file, or with --receipt that receipt, is verified alone, without any store, and held
    against the store too if --store or MARS_STORE names one. Whose log an export is, it says itself: name the key that
    you were given for it (--key), its log (--log) or its tenant (--tenant), and they are compared.
    """
    from marskg.audit.limits import LIMITS
    from marskg.sources.kept_heads import read_heads

    if limits:
        return answer(door, Limits(limits=LIMITS), lambda: line("\n".join(f"- {limit}" for limit in LIMITS)))
    if receipt is not None:
        if export is not None or witness:
            msg = "--receipt is verified by itself; leave --export and --head out"
            raise InvalidInput(msg)
        return _verify_receipt(door, receipt)
    heads = [head for path in witness for head in read_heads(path)]
    if export is None:
        if keys or logs:
            msg = "--key and --log are of an export: a store knows its keys and logs; name the file with --export"
            raise InvalidInput(msg)
        with door.memory() as memory, progress("verifying"):
            report = memory.verify(witness=heads)
    else:
        report = _verify_export(door, export, heads, keys=keys, logs=logs)
    data: Verified = {**checked_document(report), "logs": report.logs, "limits": LIMITS}
    return conclude(
        door,
        report,
        data,
        checked="record",
        first=lambda: _show_logs(report, export),
        last="What no check of a log shows is a list of its own: --limits prints it.",
    )


def _show_logs(report: Report, export: Path | None) -> None:
    """Say whose logs an export has; of a store the caller named the tenant."""
    for log in report.logs if export is not None else ():
        line(f"log {log.iri} of tenant {safe(log.tenant) or 'unknown'}, opened by {log.key or 'nobody'}")


def _verify_receipt(door: Door, path: Path) -> VerifiedReceipt:
    """Verify a receipt by its signature, and against the store if one is named."""
    from marskg.erasure.receipt_check import check_receipt
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
            report = memory.audit.check_receipt(document)
    else:
        report = check_receipt(document)
    signed_by = str(document["proof"]["verificationMethod"]).partition("#")[2]
    data: VerifiedReceipt = {
        **checked_document(report),
        "signed_by": signed_by,
        "claim": cast("str | None", document.get("erasureClaim")),
        "held_against_store": door.store_is_named,
    }
    return conclude(door, report, data, checked="receipt", first=lambda: line(f"signed by {signed_by}"))


def _verify_export(
    door: Door, export: Path, heads: Sequence[TreeHead], *, keys: tuple[str, ...], logs: tuple[str, ...]
) -> Report:
    from marskg.audit.verify_export import verify_export

    tenant = door.tenant if door.tenant_is_named or door.store_is_named else None
    with progress("verifying"):
        report = verify_export(export, witness=heads, trusted_keys=keys or None, tenant=tenant, logs=logs)
        if not door.store_is_named:
            return report
        with door.memory() as memory:
            return Report(report.checked, (*report.findings, *_differences(memory, export)), report.logs)


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


def checked_document(report: Report) -> CheckDocument:
    """Return what every check answers."""
    return {"ok": report.ok, "checked": report.checked, "findings": report.findings}


def conclude(
    door: Door,
    report: Report,
    data: Answer,
    *,
    checked: str,
    advice: Iterable[Finding] = (),
    first: Callable[[], None] | None = None,
    last: str | None = None,
) -> Answer:
    """Answer with a report, ``data`` being its document, and leave with status 1 if it is not clean.

    ``first`` shows before the findings what is besides them, and the line ``last`` stands after them.

    Raises:
        CheckFailed: there is an error among the findings.
    """
    findings = (*report.findings, *advice)

    def show() -> None:
        if first is not None:
            first()
        if findings:
            made = table("code", "where", "what")
            for finding in findings[:_SHOWN_FINDINGS]:
                made.add_row(_code(finding, tuple(advice)), finding.where, finding.message)
            show_table(made)
        if len(findings) > _SHOWN_FINDINGS:
            line(f"… and {number(len(findings) - _SHOWN_FINDINGS)} more; --json lists them all")
        if last is not None:
            line(last)
        line(verdict(report, checked))

    answer(door, data, show)
    if not report.ok:
        raise CheckFailed
    return data


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
