"""``mars bench integrity``: whether edits of a store at rest are found, by the public suite agent-memory-integrity.

Guarantees: the suite's own runner decides, after its own checks that the store was clean, that it opens again, and that
the edit was real; nothing that exists is touched. What each edit does is in ``docs/reference/bench.md``.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import click

from marskg import __version__
from marskg.errors import InvalidInput
from marskg_bench.common import report
from marskg_bench.common.options import reporting
from marskg_bench.common.progress import saying

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rich.table import Table

    from marskg_bench.common.progress import Say

_SUITE: Final = "agent-memory-integrity"
_MODULE: Final = "agmi"
#: The suite's word for an edit after which the store is refused.
FOUND: Final = "rejected"
#: Exit status where an edit was accepted, or could not be judged.
MISSED: Final = 1


def measure(say: Say) -> dict[str, Any]:
    """Return what became of each edit.

    Raises:
        InvalidInput: the suite is not installed.
    """
    if find_spec(_MODULE) is None:
        msg = f"the bench integrity needs {_SUITE}, which is not installed; install it with: pip install {_SUITE}"
        raise InvalidInput(msg)
    from marskg_bench.edits.adapter import MarskgAdapter, outcomes  # noqa: PLC0415 - it imports the suite

    return {
        "bench": "integrity",
        "marskg": __version__,
        "suite": f"{_SUITE} {version(_SUITE)}",
        "environment": report.environment(),
        "checked_at": MarskgAdapter.detection_point,
        "edits": list(outcomes(say)),
    }


@click.command("mars bench integrity", context_settings={"help_option_names": ["-h", "--help"]})
@reporting
@click.pass_context
def command(context: click.Context, *, save: Path | None, as_json: bool) -> None:
    """Edit a store behind its back in nine ways, and see whether it is noticed: agent-memory-integrity.

    The suite seeds a store with memories, changes its files without the signing key, and opens it again with
    verification; where that refuses nothing, with the signed head that was exported before. In the suite's words an
    edit is rejected if the store is refused and accepted if not; error and n/a are edits that could not be judged. The
    exit status is 1 unless all are rejected. Nothing that exists is touched.
    """
    with saying() as say:
        result = measure(say)
    if as_json:
        sys.stdout.write(json.dumps(result, indent=2) + "\n")
    else:
        report.print_tables(_tables(result))
    if save is not None:
        report.save(result, save)
    if any(edit["result"] != FOUND for edit in result["edits"]):
        context.exit(MISSED)


def _tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the table of the environment and that of the edits."""
    yield report.environment_table(result["environment"], f"mars bench integrity, {result['suite']}")
    made = report.table("edit", "", "result", "found by", "first finding", title=f"Checked at: {result['checked_at']}")
    for edit in result["edits"]:
        found = edit["found_by"] or edit["why_not"] or ""
        made.add_row(edit["edit"], edit["name"], edit["result"], found, edit["code"] or "")
    yield made


def main(arguments: Sequence[str]) -> int:
    """Run the bench with command-line ``arguments``; returns the exit status."""
    status = command.main(list(arguments), prog_name="mars bench integrity", standalone_mode=False)
    return int(status or 0)
