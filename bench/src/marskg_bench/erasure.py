"""``mars bench erasure``: what is still found after somebody asked to forget it, by ForgetEval's adversarial cases.

Guarantees: no language model; default settings; each case is played in a tenant of its own, and nothing that exists is
touched. How requests become calls is in ``marskg_bench.erasures.playing``.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import click

import marskg
from marskg_bench.common import report
from marskg_bench.common.options import reporting
from marskg_bench.common.progress import saying
from marskg_bench.erasures.cases import digest, read_cases
from marskg_bench.erasures.playing import play

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.table import Table

    from marskg_bench.common.progress import Say
    from marskg_bench.erasures.cases import Case
    from marskg_bench.erasures.playing import Outcome

#: The figures of each kind, and how the table heads them.
_FIGURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cases": "cases",
        "strict": "strict",
        "answered": "answered",
        "missing": "wanted is missing",
        "reachable": "forbidden is found",
    }
)


def measure(cases: Sequence[Case], say: Say, min_confidence: float | None = None) -> dict[str, Any]:
    """Return the figures by kind, and what became of each case that fails; see :func:`play` for ``min_confidence``.

    Raises:
        EngineUnavailable: the embedded engine cannot be opened.
        MarsError: the product refuses what a case tells it.
    """
    outcomes: dict[str, list[Outcome]] = defaultdict(list)
    failed = []
    with tempfile.TemporaryDirectory(prefix="marskg-bench-") as folder:
        for number, case in enumerate(cases, 1):
            say(f"case {number} of {len(cases)}")
            with marskg.open(Path(folder) / "memory", tenant=case.id) as memory:
                outcome = play(memory, case, min_confidence)
            outcomes[case.kind].append(outcome)
            if not outcome.strict:
                failed.append({"id": case.id, "kind": case.kind, **asdict(outcome)})
    return {"kinds": {kind: _figures(found) for kind, found in outcomes.items()}, "failed": failed}


def _figures(found: Sequence[Outcome]) -> dict[str, int]:
    """Return how many cases there are, and of how many each is true, as :data:`_FIGURES` has them."""
    return {
        "cases": len(found),
        "strict": sum(one.strict for one in found),
        "answered": sum(one.answered for one in found),
        "missing": sum(bool(one.missing) for one in found),
        "reachable": sum(bool(one.reachable) for one in found),
    }


@click.command("mars bench erasure", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="CASES...",
)
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Show nothing for a question whose answer is less sure, from 0 to 1; 0 shows the nearest five, as stores do "
    "that answer every question. The product's default if left out.",
)
@reporting
def command(*, files: tuple[Path, ...], min_confidence: float | None, save: Path | None, as_json: bool) -> None:
    """Play the adversarial cases of the benchmark ForgetEval: is what was to go gone, and what was to stay there?

    CASES are the benchmark's files of cases, adversarial.py and adversarial_generated.py; they are read, not run.
    A request to forget is looked for as a name, and else said as a wish; whatever either lists is erased. A new text
    takes the place of the best memory that is found for its words.

    strict counts a case if the five memories for its question say all that is wanted, and neither they nor the five
    for each forbidden text say anything forbidden; answered looks at its question alone. Nothing that exists is
    touched.
    """
    cases = read_cases(files)
    with saying() as say:
        result = {
            "bench": "erasure",
            "marskg": marskg.__version__,
            "environment": report.environment(),
            "min_confidence": min_confidence,
            "cases": len(cases),
            "sha256": digest(cases),
            **measure(cases, say, min_confidence),
        }
    report.deliver(result, lambda found: report.print_tables(_tables(found)), save, as_json=as_json)


def _tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the table of the environment and that of the kinds."""
    made = report.environment_table(result["environment"], "mars bench erasure")
    made.add_row("cases", f"{result['cases']}, SHA-256 {result['sha256']}")
    yield made
    made = report.table("kind", "", *_FIGURES.values(), title="Cases that pass, and what fails the others")
    kinds = result["kinds"]
    total = {name: sum(row[name] for row in kinds.values()) for name in _FIGURES}
    for kind, row in {**kinds, "all": total}.items():
        made.add_row(kind, f"{row['strict'] / row['cases']:.1%}", *(str(row[name]) for name in _FIGURES))
    yield made


def main(arguments: Sequence[str]) -> int:
    """Run the bench with command-line ``arguments``; returns the exit status."""
    return int(command.main(list(arguments), prog_name="mars bench erasure", standalone_mode=False) or 0)
