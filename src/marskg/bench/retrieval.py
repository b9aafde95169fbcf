"""``mars bench retrieval``: what comes back, what must not come back, and how long it takes.

Guarantees: no language model judges or answers; the product sees the questions' texts and times, never a criterion;
what is compared holds the same texts. What is measured, and the traps of the data, are in ``docs/reference/bench.md``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from marskg.bench import _latency, _report, _retrieval_report
from marskg.bench._comparison import RANKERS, Scope, compare, ratios
from marskg.bench._memora import TRACKS, BenchPersona, personas
from marskg.bench._options import answering
from marskg.bench._progress import saying
from marskg.embedding.registry import load_model
from marskg.errors import InvalidInput
from marskg.weight import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.bench._memora import Track
    from marskg.bench._progress import Say
    from marskg.embedding.model import EmbeddingModel

DEFAULT_DEPTHS = (5, 10, 20, 50)
_PERIODS = ("weekly", "monthly")
_DEEPEST = 10_000
_LEAST, _MOST = 100, 1_000_000
#: Exit status of ``--strict`` where a figure misses what it must reach.
MISSED = 1


def run(
    data: Path, period: str, wanted: tuple[str, ...], scope: Scope, *, ranker: str, model: EmbeddingModel, say: Say
) -> dict[str, Any]:
    """Measure FAMA on the personas of ``period`` below ``data``, all or those ``wanted``.

    Raises:
        InvalidDocument: the data are not there, or break the layout.
    """
    counter = TokenCounter()
    places = personas(data, period, wanted)
    found = [BenchPersona(place, counter) for place in places]
    tracks = compare(found, scope, model, say)
    return {
        "period": period,
        "personas": [persona.name for persona in found],
        "ranker": ranker,
        "embedding": model.name,
        "tracks": tracks,
        "ratios": {track: ratios(systems, ranker) for track, systems in tracks.items()},
    }


@click.command("mars bench retrieval", context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Memora, unpacked: the folder with weekly and monthly.",
)
@click.option("--period", default="weekly", show_default=True, type=click.Choice(_PERIODS))
@click.option("--persona", "wanted", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@click.option("--track", "tracks", multiple=True, default=("A", "B", "C"), show_default=True, type=click.Choice(TRACKS))
@click.option(
    "--k",
    "depths",
    multiple=True,
    default=DEFAULT_DEPTHS,
    show_default=True,
    type=click.IntRange(1, _DEEPEST),
    help="How many items are asked for; all of them are asked for too.",
)
@click.option(
    "--ranker",
    default="fused",
    show_default=True,
    type=click.Choice(RANKERS),
    help="The one that the product's ratios are to.",
)
@click.option("--embedding", default="static", show_default=True, help="The model of vector and fused.")
@click.option("--rankers-only", is_flag=True, help="Leave the product out.")
@click.option(
    "--n", "sizes", multiple=True, type=click.IntRange(_LEAST, _MOST), help="Measure the latency at this many memories."
)
@click.option("--seed", default=1, show_default=True, help="Of the memories whose retrieval is timed.")
@answering
@click.pass_context
def command(
    context: click.Context,
    *,
    data: Path | None,
    period: str,
    wanted: tuple[str, ...],
    tracks: tuple[Track, ...],
    depths: tuple[int, ...],
    ranker: str,
    embedding: str,
    rankers_only: bool,
    sizes: tuple[int, ...],
    seed: int,
    save: Path | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Measure what is retrieved (--data) and how fast (--n), beside rankers without governance and other products.

    On the benchmark Memora, without a language model: FAMA, the share of what holds that came back, the share of what
    no longer holds that came back too (stale), and tokens, at each depth k. Track A stores facts, B the turns that
    Memora marks as shared, C all turns. Beside the product stand rankers over the same texts, and the same rankers
    over what still holds (oracle): what perfect governance would give.

    With --n, one retrieval to a budget of 1,000 tokens, beside mem0, LangGraph's SQLite store and Chroma on the same
    vectors: pip install 'marskg[bench]'. Nothing that exists is touched; Ctrl-C stops it
    and removes what it made.
    """
    if data is None and not sizes:
        msg = "name what to measure: --data DIR for what is retrieved, --n 10000 for how fast, or both"
        raise click.UsageError(msg)
    model = _model(embedding)
    result: dict[str, Any] = {"bench": "retrieval", "seed": seed, "environment": _report.environment()}
    with saying() as say:
        if data is not None:
            chosen = Scope(tuple(dict.fromkeys(tracks)), sorted(set(depths)), with_product=not rankers_only)
            result |= run(data, period, wanted, chosen, ranker=ranker, model=model, say=say)
        if sizes:
            result["latency"] = _latency.run(sorted(set(sizes)), seed=seed, say=say, with_product=not rankers_only)
    if as_json:
        sys.stdout.write(json.dumps(result, indent=2) + "\n")
    else:
        _retrieval_report.show(result)
    if save is not None:
        _report.save(result, save)
    if strict and not all(check.reached for check in _retrieval_report.checks(result)):
        context.exit(MISSED)


def _model(spec: str) -> EmbeddingModel:
    """Return the model that ``spec`` chooses.

    Raises:
        InvalidInput: it chooses none.
    """
    model = load_model(spec)
    if model is None:
        msg = "the bench compares vectors; choose an --embedding that makes some, such as static"
        raise InvalidInput(msg)
    return model


def main(arguments: Sequence[str]) -> int:
    """Run the bench with command-line ``arguments``; returns the exit status."""
    status = command.main(list(arguments), prog_name="mars bench retrieval", standalone_mode=False)
    return int(status or 0)
