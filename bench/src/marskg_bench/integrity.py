"""``mars bench integrity``: edits of a store at rest, and attacks by its front door, of agent-memory-integrity.

Guarantees: the suite's own runner decides, after its own checks that the store was clean, that it opens again, and that
the edit was real; nothing that exists is touched. What each of them does is in ``docs/reference/bench.md``.
"""

from __future__ import annotations

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


def measure(say: Say, *, front_door: bool = False) -> dict[str, Any]:
    """Return what became of each edit, or of each attack by the ``front_door``.

    Raises:
        InvalidInput: the suite is not installed.
    """
    if find_spec(_MODULE) is None:
        msg = f"the bench integrity needs {_SUITE}, which is not installed; install it with: pip install {_SUITE}"
        raise InvalidInput(msg)
    from marskg_bench.edits.adapter import MarskgAdapter, outcomes  # noqa: PLC0415 - it imports the suite
    from marskg_bench.edits.front_door import attacks  # noqa: PLC0415 - so does this

    head = {
        "bench": "integrity",
        "marskg": __version__,
        "suite": f"{_SUITE} {version(_SUITE)}",
        "environment": report.environment(),
    }
    if front_door:
        return {**head, "attacks": list(attacks(say))}
    return {**head, "checked_at": MarskgAdapter.detection_point, "edits": list(outcomes(say))}


@click.command("mars bench integrity", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--front-door", is_flag=True, help="Attack by writing instead, as a program with an agent's key.")
@reporting
@click.pass_context
def command(context: click.Context, *, front_door: bool, save: Path | None, as_json: bool) -> None:
    """Edit a store behind its back in nine ways, and see whether it is noticed: agent-memory-integrity.

    The suite seeds a store with memories, changes its files without the signing key, and opens it again with
    verification; where that refuses nothing, with the signed head that was exported before. In the suite's words an
    edit is rejected if the store is refused and accepted if not; error and n/a are edits that could not be judged. The
    exit status is 1 unless all are rejected. Nothing that exists is touched.

    With --front-door nothing is edited: what others wrote is planted, once said to be a document, once to be the user's
    word, once as the user's word indeed. Told is how many of the suite's cases were kept out of an answer; the exit
    status is 1 unless the user's own word alone (sources) keeps out all that are not of the last sort.
    """
    with saying() as say:
        result = measure(say, front_door=front_door)
    report.deliver(result, lambda found: report.print_tables(_tables(found)), save, as_json=as_json)
    missed = [edit for edit in result.get("edits", ()) if edit["result"] != FOUND]
    if missed or any(attack["lets_in"] for attack in result.get("attacks", ())):
        context.exit(MISSED)


def _tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the table of the environment and that of the edits or the attacks."""
    yield report.environment_table(result["environment"], f"mars bench integrity, {result['suite']}")
    if "attacks" in result:
        made = report.table("attack", "read", "kept out, by who wrote it", title="By the front door")
        for attack in result["attacks"]:
            kept = (f"{name} {attack['kept_out'][name]} of {cases}" for name, cases in attack["cases"].items())
            made.add_row(attack["attack"], attack["reading"], attack["why_not"] or ", ".join(kept))
        yield made
        return
    made = report.table("edit", "", "result", "found by", "first finding", title=f"Checked at: {result['checked_at']}")
    for edit in result["edits"]:
        found = edit["found_by"] or edit["why_not"] or ""
        made.add_row(edit["edit"], edit["name"], edit["result"], found, edit["code"] or "")
    yield made


def main(arguments: Sequence[str]) -> int:
    """Run the bench with command-line ``arguments``; returns the exit status."""
    status = command.main(list(arguments), prog_name="mars bench integrity", standalone_mode=False)
    return int(status or 0)
