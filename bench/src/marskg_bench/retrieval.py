"""``mars bench retrieval``: what comes back, what must not come back, and how long it takes.

Guarantees: no language model judges or answers; the product sees the questions' texts and times, never a criterion;
what is compared holds the same texts. What is measured, and the traps of the data, are in ``docs/reference/bench.md``.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from marskg.embedding.registry import load_model
from marskg.errors import InvalidInput
from marskg.weight import TokenCounter
from marskg_bench.beliefs import layout
from marskg_bench.beliefs import run as _beliefs
from marskg_bench.common import report
from marskg_bench.common.conversations import conversations
from marskg_bench.common.memora import TRACKS, BenchPersona, personas
from marskg_bench.common.options import answering
from marskg_bench.common.progress import saying
from marskg_bench.retrievals import fit, latency, learning, recall_figures, recall_report, retrieval_report
from marskg_bench.retrievals import recall as _recall
from marskg_bench.retrievals.asked import Cast
from marskg_bench.retrievals.comparison import RANKERS, Scope, compare, ratios
from marskg_bench.retrievals.rankers import Embedded
from marskg_bench.retrievals.retrievers import product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.embedding.model import EmbeddingModel
    from marskg_bench.common.conversation import Conversation
    from marskg_bench.common.memora import Track
    from marskg_bench.common.progress import Say

#: What is measured on a file of conversations: the evidence found, or what feedback changes of it.
EVIDENCE, LEARNING = "evidence", "learning"
DEFAULT_DEPTHS = (5, 10, 20, 50)
DEFAULT_BUDGETS = (250, 500, 1000, 2000)
_PERIODS = ("weekly", "monthly")
_DEEPEST = 10_000
_MOST_TOKENS = 1_000_000
_LEAST, _MOST = 100, 1_000_000
_MOST_ROUNDS = 100_000
#: Exit status of ``--strict`` where a figure misses what it must reach.
MISSED = 1
#: Exit status of a bench that was stopped.
STOPPED = 130


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


def recall(file: Path, wanted: tuple[str, ...], scope: _recall.Scope, who: Cast, say: Say) -> dict[str, Any]:
    """Measure the evidence found on the conversations of ``file``, all or those ``wanted``.

    Raises:
        InvalidDocument: the file breaks the layout.
        InvalidInput: a conversation that is wanted is not in it.
    """
    chosen = _chosen(file, wanted)
    outcomes = _recall.run(chosen, scope, who, say)
    return {
        "embedding": who.model.name,
        "stopped": len(outcomes.complete) < len(chosen),
        **recall_figures.figures(outcomes, scope),
    }


def _chosen(file: Path, wanted: tuple[str, ...]) -> list[Conversation]:
    """Return the conversations of ``file``, all or those ``wanted``.

    Raises:
        InvalidDocument: the file breaks the layout.
        InvalidInput: a conversation that is wanted is not in it.
    """
    found = conversations(file)
    names = [one.name for one in found]
    for name in wanted:
        if name not in names:
            msg = f"{file} has no conversation {name[:80]!r}; it has {', '.join(names)}"
            raise InvalidInput(msg)
    return [one for one in found if not wanted or one.name in wanted]


def taught(file: Path, wanted: tuple[str, ...], use: learning.Use, say: Say) -> dict[str, Any]:
    """Measure what feedback changes of the evidence found on the conversations of ``file``, all or those ``wanted``.

    Raises:
        InvalidDocument: the file breaks the layout.
        InvalidInput: a conversation that is wanted is not in it.
    """
    chosen = _chosen(file, wanted)
    found = learning.run(chosen, use, say)
    return {"embedding": use.embedding, "stopped": len(found["complete"]) < len(chosen), **found}


def source(file: Path, embedding: str, say: Say) -> fit.Source:
    """Return what the product says of the memories of each conversation in ``file``, question by question.

    Raises:
        InvalidDocument: the file breaks the layout.
    """
    return fit.Source(str(file), {one.name: fit.asked_of(one, embedding, say) for one in conversations(file)})


@click.command("mars bench retrieval", context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--data",
    type=click.Path(exists=True, path_type=Path),
    help="Memora, unpacked (the folder with weekly and monthly), PrecisionMemBench (the folder with fixtures), or a "
    "file of LoCoMo, BEAM or one of your own.",
)
@click.option(
    "--fit",
    "fitted",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Learn the weights of the ranking from a file of conversations; may be repeated.",
)
@click.option(
    "--profile",
    "measured",
    default=EVIDENCE,
    show_default=True,
    type=click.Choice((EVIDENCE, LEARNING)),
    help="What is measured on a file of conversations: the evidence found, or what feedback changes of it.",
)
@click.option(
    "--rounds",
    default=1000,
    show_default=True,
    type=click.IntRange(1, _MOST_ROUNDS),
    help="Rounds of use of each conversation and kind of feedback, with --profile learning.",
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
    help="How many items are asked for; of Memora all of them are asked for too.",
)
@click.option(
    "--budget",
    "budgets",
    multiple=True,
    default=DEFAULT_BUDGETS,
    show_default=True,
    type=click.IntRange(1, _MOST_TOKENS),
    help="Tokens of an answer; of Memora, of the product's.",
)
@click.option(
    "--conversation", "chosen", multiple=True, metavar="NAME", help="Only this one of the file; may be repeated."
)
@click.option("--parts", is_flag=True, help="Measure what each part of the ranking brings, too.")
@click.option("--alone", is_flag=True, help="Leave other products out.")
@click.option("--learn", is_flag=True, help="Tell turns with mem.learn: on a file beside remember, of Memora instead.")
@click.option(
    "--ranker",
    default="fused",
    show_default=True,
    type=click.Choice(RANKERS),
    help="The one that the product's ratios are to.",
)
@click.option("--embedding", default="static", show_default=True, help="The model of the vectors, the product's too.")
@click.option("--rankers-only", is_flag=True, help="Leave the product out.")
@click.option(
    "--n", "sizes", multiple=True, type=click.IntRange(_LEAST, _MOST), help="Measure the latency at this many memories."
)
@click.option("--seed", default=1, show_default=True, help="Of the memories whose retrieval is timed, and of rounds.")
@click.option(
    "--chart",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Draw the evidence found by budget to this file.",
)
@answering
@click.pass_context
def command(
    context: click.Context,
    *,
    data: Path | None,
    fitted: tuple[Path, ...],
    measured: str,
    rounds: int,
    period: str,
    wanted: tuple[str, ...],
    tracks: tuple[Track, ...],
    depths: tuple[int, ...],
    budgets: tuple[int, ...],
    chosen: tuple[str, ...],
    parts: bool,
    alone: bool,
    learn: bool,
    ranker: str,
    embedding: str,
    rankers_only: bool,
    sizes: tuple[int, ...],
    seed: int,
    chart: Path | None,
    save: Path | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Measure what is retrieved (--data) and how fast (--n), beside rankers without governance and other products.

    On the benchmark Memora, without a language model: FAMA, the share of what holds that came back, the share of what
    no longer holds that came back too (stale), and tokens, at each depth k. Track A stores facts, B the turns that
    Memora marks as shared, C all turns. Beside the product stand rankers over the same texts, and the same rankers
    over what still holds (oracle): what perfect governance would give.

    On a file of conversations, LoCoMo's, BEAM's or your own: every turn is told with remember in its time; the share of
    the turns that answer a question among what is shown within --budget tokens, whether all are, nDCG, and how well the
    product's confidence tells a question of another conversation. Beside it stand rankings of the same turns on the
    same vectors and other products, all rendered and counted alike. Ctrl-C reports the conversations that are complete.

    On PrecisionMemBench, without a language model: each belief is a memory, each question is asked with the default
    settings and judged by the benchmark's rules for other products than its maker's: whether what is wanted was found,
    and it alone, precision and recall, and what came back unasked in sessions that drift. Cases that count as right
    what only a search that is blind there returns are counted apart as well.

    With --profile learning, on such a file: the evidence that the product finds before and after --rounds of use with
    right, with wrong and without feedback, for questions that were asked and for the third that never was. Feedback
    of any kind must cost at most a point, and right feedback must bring something.

    With --fit, the weights of the ranking that find most of the evidence in such files, and what they find in each
    conversation when they are learned without it, beside the weights in use.

    With --n, one retrieval to a budget of 1,000 tokens, beside mem0, LangGraph's SQLite store and Chroma on the same
    vectors: pip install './bench[peers]'. Nothing that exists is touched; Ctrl-C stops it
    and removes what it made.
    """
    if measured == LEARNING and (data is None or not data.is_file()):
        msg = "--profile learning uses a store of conversations; name a file of them: --data FILE"
        raise click.UsageError(msg)
    if data is None and not sizes and not fitted:
        msg = "name what to measure: --data DIR for what is retrieved, --n 10000 for how fast, --fit FILE for weights"
        raise click.UsageError(msg)
    report.check_chart(chart)
    model = _model(embedding)
    result: dict[str, Any] = {"bench": "retrieval", "seed": seed, "environment": report.environment()}
    with saying() as say:
        if data is not None and data.is_file() and measured == LEARNING:
            use = learning.Use(rounds, sorted(set(budgets)), seed, embedding)
            result["learning"] = taught(data, chosen, use, say)
        elif data is not None and data.is_file():
            scope = _recall.Scope(sorted(set(budgets)), sorted(set(depths)), parts=parts)
            taking_part = {"with_product": not rankers_only, "with_peers": not alone, "learns": learn}
            who = Cast(Embedded(model), embedding, TokenCounter(), **taking_part)
            result["evidence"] = recall(data, chosen, scope, who, say)
        elif data is not None:
            tried = Scope(
                tuple(dict.fromkeys(tracks)),
                sorted(set(depths)),
                sorted(set(budgets)),
                with_product=not rankers_only,
                opened=partial(product, embedding=embedding),
                learns=learn,
            )
            memora = partial(run, data, period, wanted, tried, ranker=ranker, model=model, say=say)
            result |= {"beliefs": _beliefs.run(data, embedding, say)} if layout.is_layout(data) else memora()
        if fitted:
            result["fit"] = fit.figures([source(file, embedding, say) for file in fitted], sorted(set(budgets)))
        if sizes:
            result["latency"] = latency.run(sorted(set(sizes)), seed=seed, say=say, with_product=not rankers_only)
    _tell(result, chart, save, as_json=as_json)
    if any(result.get(part, {}).get("stopped") for part in (EVIDENCE, LEARNING)):
        context.exit(STOPPED)
    if strict and not all(check.reached for check in retrieval_report.checks(result)):
        context.exit(MISSED)


def _tell(result: dict[str, Any], chart: Path | None, save: Path | None, *, as_json: bool) -> None:
    """Print the figures, and write them and the chart where that is wanted."""
    report.deliver(result, retrieval_report.show, save, as_json=as_json)
    if chart is not None and result.get("evidence", {}).get("systems"):
        recall_report.draw(result["evidence"], chart)


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
