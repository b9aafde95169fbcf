"""The scene of the demo in which copies are tampered with, and it is found.

Guarantees: only copies are touched; what was changed is said, and the untouched original is verified beside it.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from marskg.cli.output import number
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import NS

if TYPE_CHECKING:
    from marskg.cli.demo.stage import Stage
    from marskg.records import Report

_REASON = late_regex(rf'^(<[^>]+> <{re.escape(NS)}reason> )"(?:[^"\\]|\\.)*" \.$', re.MULTILINE)
_SHOWN_CODES = 3
#: The embedded engine's way past every gate and record: what an intruder with the files could do.
_TARGET = """\
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.tier = 'live' AND m.kind = 'semantic'
RETURN m.id AS id ORDER BY id LIMIT 1"""
_CHANGE = "MATCH (m:Memory) WHERE m.tenant = $tenant AND m.id = $id SET m.content = $content"


def tampering(stage: Stage, exported: Path) -> None:
    """Edit one signed record in a copy of the export, and one memory in a copy of the store."""
    stage.scene("9  Somebody tampers with a copy")
    _edit_the_log(stage, exported)
    if (Path(stage.store) / "graph").is_dir():
        _edit_the_graph(stage)


def _edit_the_log(stage: Stage, exported: Path) -> None:
    """Give one forgotten memory another reason."""
    from marskg.audit.verify_export import verify_export

    copy = exported.with_name("tampered.nq")
    text, edits = _REASON.subn(r'\1"it was never here" .', exported.read_text(encoding="utf-8"), count=1)
    copy.write_text(text, encoding="utf-8")
    honest, tampered = verify_export(exported), verify_export(copy)
    stage.show("A copy of the exported log: one record gets another reason for forgetting.")
    records = number(honest.checked)
    stage.claim("export verifies", f"the export as it was: {records} records, nothing found", holds=honest.ok)
    _found(stage, "tampered log", tampered, holds=edits == 1 and not tampered.ok)


def _edit_the_graph(stage: Stage) -> None:
    """Change what one memory says, straight in the engine's files."""
    from marskg.store.tenant.opening import connect

    copy = stage.folder / "tampered-store"
    shutil.copytree(stage.store, copy)
    engine = connect(str(copy))
    try:
        rows = engine.read(_TARGET, {"tenant": stage.tenant})
        change = {"tenant": stage.tenant, "id": rows[0]["id"], "content": "The opposite of what was said."}
        engine.write(_CHANGE, change)
    finally:
        engine.close()
    stage.show("A copy of the store: one fact is changed in the database itself, past the program and its log.")
    with stage.open(store=str(copy)) as memory:
        report = memory.verify()
    named = any(rows[0]["id"] in finding.where + finding.message for finding in report.findings)
    _found(stage, "tampered store", report, holds=not report.ok and named)


def _found(stage: Stage, name: str, report: Report, *, holds: bool) -> None:
    """Show what the verifier found in a copy."""
    for finding in report.findings[:_SHOWN_CODES]:
        stage.show(f"  {finding.code}  {finding.where}: {finding.message}")
    stage.claim(name, "the tampering is found, and named" if holds else "the tampering is not found", holds=holds)
