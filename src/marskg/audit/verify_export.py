"""Verifies the audit in an exported file alone.

Guarantees: beyond steps 1 to 8 of :mod:`marskg.audit.verify`, nothing in the file says anything about the audit that is
not signed (``bad-document``); the file has both logs of one tenant, and those that the caller asked for
(``missing-log``, ``wrong-log``); each log ends with a signed head over exactly its records, so that a log which was cut
behind its last head is found (``missing-head``). A log that was cut to a head is a valid older state: only a witness
shows that (:mod:`marskg.audit.limits`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.audit.exported import ExportedAudit
from marskg.audit.verify import verify_log
from marskg.errors import InvalidDocument
from marskg.records import Finding, Report

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from marskg.records import TreeHead, VerifiedLog

#: Transitions and accesses.
_LOGS_OF_A_TENANT = 2


def verify_export(
    path: Path,
    *,
    witness: Iterable[TreeHead] = (),
    trusted_keys: Collection[str] | None = None,
    tenant: str | None = None,
    logs: Collection[str] = (),
) -> Report:
    """Verify the audit in an exported file: JSON-LD or N-Quads, told apart by their first character.

    Args:
        path: the file.
        witness: tree heads that were kept outside of the store.
        trusted_keys: public keys (``z6Mk…``) that may open a log, or replace a lost key.
        tenant: for whom the logs must have been opened.
        logs: IRIs of logs that must be there.

    Raises:
        InvalidDocument: the file cannot be read as an export with an audit in it.
    """
    exported = ExportedAudit(path)
    report = verify_log(exported.records(), list(exported.heads()), witness=witness, trusted_keys=trusted_keys)
    found = [*exported.findings, *exported.strays(), *report.findings]
    if not report.checked and not found:
        msg = f"{path} holds no audit record, so nothing in it can be verified; export it with --audit"
        raise InvalidDocument(msg)
    return Report(
        report.checked, (*found, *_whose(path, report.logs, tenant, logs), *_open_ends(report.logs)), report.logs
    )


def _whose(path: Path, found: tuple[VerifiedLog, ...], tenant: str | None, logs: Collection[str]) -> Iterator[Finding]:
    """Yield a finding where the logs are not the two of one tenant, or not those that were asked for."""
    if sum(log.records > 0 for log in found) != _LOGS_OF_A_TENANT:
        message = f"the export has {len(found)} logs; a tenant has two, of transitions and of accesses"
        yield Finding("missing-log", path.name, message)
    if len({(log.tenant, log.key) for log in found if log.records}) > 1:
        yield Finding("wrong-log", path.name, "its logs were opened for different tenants, or by different keys")
    for log in found:
        if tenant is not None and log.tenant != tenant:
            yield Finding("wrong-log", log.iri, f"the log was not opened for tenant {tenant[:80]}")
    for iri in sorted(set(logs) - {log.iri for log in found}):
        yield Finding("missing-log", iri[:200], "the export does not have this log")


def _open_ends(found: tuple[VerifiedLog, ...]) -> Iterator[Finding]:
    """Yield a finding for each log whose last record no sound head covers."""
    for log in found:
        if log.covered != log.records:
            message = f"no signed head covers the last of {log.records} records: what came after it may be cut off"
            yield Finding("missing-head", log.iri, message)
