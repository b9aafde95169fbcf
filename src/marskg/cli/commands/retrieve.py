"""Reading by meaning: ``mars retrieve``, ``recall``, ``read`` and ``explain``.

Guarantees: what is printed weighs no more than the token budget; what was shown is in the access log before it is
printed; numbers and reasons are those that decided.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

import click

from marskg.cli.commands.remember import words
from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.operation_commands import stated
from marskg.cli.output import answer, counted, day, line, note, number, one_line, progress, show_table, table
from marskg.cli.values import JSON_OBJECT, MEMORY_ID, MOMENT, text_argument, text_or_stdin
from marskg.ontology.mapping import decimal_lexical
from marskg.ontology.vocabulary import Kind, MemoryClass, SourceType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from marskg.language.questions import Wanted
    from marskg.memory import AgentMemory
    from marskg.records import Memory
    from marskg.retrieval.assembly.contradictions import Resolution
    from marskg.retrieval.assembly.hits import Complete, Hit, Hits, Sum
    from marskg.retrieval.complete.exhaustive_read import Everything
    from marskg.retrieval.explain import ExplainedDocument


class HitDocument(TypedDict):
    """A memory that was shown; ``memory`` is all of it."""

    id: str
    content: str | None
    score: float
    tokens: int
    why: Mapping[str, float]
    shortened: bool
    certain: bool
    newer: str | None
    memory: Memory


class LeftOutDocument(TypedDict):
    """What was found and not shown."""

    id: str
    tokens: int
    reason: str


class PeriodDocument(TypedDict):
    """A time from ``since``, up to and without ``until``; None for no end on that side."""

    since: int | None
    until: int | None


class CompleteDocument(TypedDict):
    """The complete reading beside the hits."""

    wanted: Wanted
    text: str
    keys: Sequence[str]
    periods: Sequence[PeriodDocument]
    count: int
    sums: Sequence[Sum]
    ids: Sequence[str]
    cut: int


class HitsDocument(TypedDict):
    """What ``mars retrieve`` and ``mars recall`` answer; ``id`` is what ``mars feedback`` takes."""

    id: str | None
    tokens: int
    budget: int
    confidence: float | None
    hits: Sequence[HitDocument]
    left_out: Sequence[LeftOutDocument]
    resolved: Sequence[Resolution]
    stages: Mapping[str, Any]
    notices: Sequence[str]
    complete: CompleteDocument | None


class EverythingDocument(TypedDict):
    """What ``mars read`` answers; ``why`` is there with its option."""

    id: str | None
    count: int
    complete: bool
    tokens: int
    cut: Sequence[str]
    notices: Sequence[str]
    sums: Sequence[Sum]
    memories: Sequence[Memory]
    why: NotRequired[Sequence[ExplainedDocument]]


#: The option of what a result may weigh.
BUDGET = click.option(
    "--token-budget", type=click.IntRange(0), metavar="N", help="Tokens that the result may weigh.  [default: setting]"
)
_MOST = click.option("--k", type=click.IntRange(1), metavar="K", help="Most memories to show.  [default: setting]")


def _named(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return what an option names that may be repeated; None, which asks for nothing, where it was not given."""
    return given or None


#: An option that may be repeated.
_many = partial(click.option, multiple=True, callback=_named)


def filters(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of the read gate."""
    options = (
        click.option("--as-of", type=MOMENT, metavar="TIME", help="What was valid then, ISO 8601."),
        click.option("--since", type=MOMENT, metavar="TIME", help="Said or true from then on."),
        click.option("--until", type=MOMENT, metavar="TIME", help="Said or true before then."),
        _many("--kind", "kinds", type=words(Kind), help="Only these kinds; may be repeated."),
        _many("--class", "classes", type=words(MemoryClass), help="Only these classes."),
        _many("--source-type", "sources", type=words(SourceType), help="Only from these sources."),
        _many("--subject", "subjects", metavar="NAME", help="Only about these people."),
        _many("--session", "sessions", metavar="NAME", help="Only from these sessions."),
        _many("--intent", "tags", metavar="TAG", help="Only with these intent tags."),
        click.option(
            "--metadata",
            type=JSON_OBJECT,
            metavar="JSON",
            help='Only with this, such as {"page": {"$gt": 3}}.',
        ),
        click.option("--key", "key_prefix", metavar="SLOT", help="Only this key and what lies below it."),
        click.option("--max-sensitivity", type=float, metavar="0..1", help="Nothing that is more sensitive."),
        click.option("--purpose", metavar="TEXT", help="What it is for; what is limited to others stays hidden."),
        click.option("--jurisdiction", metavar="NAME", help="Nothing of another jurisdiction."),
        click.option("--latent", is_flag=True, help="The latent tier, too; it ranks lower."),
        click.option("--closed", is_flag=True, help="Tasks that are done, cancelled or long past, too."),
        click.option("--superseded", is_flag=True, help="What was superseded, too."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@text_argument("query")
@BUDGET
@_MOST
@click.option(
    "--profile", metavar="NAME|FILE", help="How candidates are ranked: fused, memoryarchitect or a .yaml file."
)
@click.option("--conversation", metavar="SESSION", help="Session that goes on: its last turns and summary come along.")
@click.option("--time-zone", metavar="ZONE", help='Where "today" is meant, such as Europe/Berlin.  [default: setting]')
@click.option("--min-confidence", type=float, metavar="0..1", help="For precision: show nothing that is less likely.")
@click.option("--explain", is_flag=True, help="Show the numbers of each stage.")
@click.option("--prompt", is_flag=True, help="Print the text for a model's prompt instead of a table.")
@filters
@shared_options
@pass_door
def retrieve(door: Door, /, query: str, *, explain: bool, prompt: bool, **asked: Any) -> HitsDocument:  # noqa: ANN401 - as retrieve takes them
    """Show what answers QUERY (- reads it from standard input) within a token budget.

    A QUERY that begins with a dash comes last, after --.
    """
    text = text_or_stdin(query)
    with door.memory() as memory:
        prepare(memory)
        hits = memory.retrieve(text, explain=explain, **asked)
    return answer(
        door, _plain_hits(hits), lambda: line(hits.as_text()) if prompt else _show_hits(hits, explain=explain)
    )


@click.command()
@click.option("--entity", metavar="NAME|ID|IRI", help="Person, place or thing to start from.")
@click.option("--goal", type=MEMORY_ID, metavar="ID", help="Task to start from.")
@BUDGET
@_MOST
@click.option(
    "--social", type=click.Choice(["task", "all", "none"]), **stated("recall", "social"),
    help="Memories about people: those that an active task involves, all, or none.",
)  # fmt: skip
@click.option("--explain", is_flag=True, help="Show the numbers behind the order.")
@filters
@shared_options
@pass_door
def recall(door: Door, /, *, explain: bool, **asked: Any) -> HitsDocument:  # noqa: ANN401 - as recall takes them
    """Show what surrounds an entity or a goal in the graph, nearest first."""
    with door.memory() as memory:
        prepare(memory)
        hits = memory.recall(**asked)
    return answer(door, _plain_hits(hits), lambda: _show_hits(hits, explain=explain))


@click.command("read")
@BUDGET
@_many("--entity", metavar="NAME|ID|IRI", help="What it mentions; may be repeated.")
@_many("--goal", type=MEMORY_ID, metavar="ID", help="Task that it serves; may be repeated.")
@click.option("--why", is_flag=True, help="Say of each why it is there: its source, its life, what became of it.")
@click.option("--sums", is_flag=True, help="Add up the amounts of ledgers, by key, prefix and unit.")
@filters
@shared_options
@pass_door
def read_all(door: Door, /, *, why: bool, **asked: Any) -> EverythingDocument:  # noqa: ANN401 - as read_all takes them
    """Show everything of a key, a period, an entity or a goal: complete, counted, in the order of time."""
    with door.memory() as memory:
        prepare(memory)
        found = memory.read_all(**asked)
        gate = {name: asked[name] for name in ("max_sensitivity", "purpose", "jurisdiction")}
        reasons = [memory.explain(hit.memory.id, **gate) for hit in found] if why else []
    data = _plain_everything(found)
    if why:
        data["why"] = [reason.as_dict() for reason in reasons]

    def show() -> None:
        _show_everything(found)
        for hit, reason in zip(found, reasons, strict=bool(reasons)):
            line("")
            line(one_line(hit.memory.content, 100))
            line(reason.as_text())

    return answer(door, data, show)


@click.command()
@click.argument("id", type=MEMORY_ID)
@shared_options
@pass_door
def explain(door: Door, id: str) -> ExplainedDocument:  # noqa: A002 - the name that users see
    """Say why a memory was stored, ranked, shown, changed or forgotten, also after it is gone."""
    with door.memory() as memory:
        found = memory.explain(id)
    return answer(door, found.as_dict(), lambda: line(found.as_text()))


def prepare(memory: AgentMemory) -> None:
    """Read what answers come from; a large store without an index takes a while, and says how far it is."""
    with progress("indexing") as step:
        memory.maintenance.prepare(progress=step)


def _plain_hit(hit: Hit) -> HitDocument:
    return {
        "id": hit.memory.id,
        "content": hit.memory.content,
        "score": hit.score,
        "tokens": hit.tokens,
        "why": dict(hit.why),
        "shortened": hit.shortened,
        "certain": hit.certain,
        "newer": hit.newer,
        "memory": hit.memory,
    }


def _plain_hits(hits: Hits) -> HitsDocument:
    return {
        "id": hits.id,
        "tokens": hits.tokens,
        "budget": hits.budget,
        "confidence": hits.confidence,
        "hits": [_plain_hit(hit) for hit in hits],
        "left_out": [{"id": item.id, "tokens": item.tokens, "reason": item.reason} for item in hits.left_out],
        "resolved": hits.resolved,
        "stages": hits.stages,
        "notices": list(hits.notices),
        "complete": None if hits.complete is None else _plain_complete(hits.complete),
    }


def _plain_complete(found: Complete) -> CompleteDocument:
    return {
        "wanted": found.wanted,
        "text": found.text,
        "keys": list(found.keys),
        "periods": [{"since": one.since, "until": one.until} for one in found.periods],
        "count": found.count,
        "sums": found.sums,
        "ids": list(found.ids),
        "cut": found.cut,
    }


def _cautions(hit: Hit) -> str:
    """Return what is said against a memory before what it says."""
    outdated = "" if hit.newer is None else "perhaps outdated: "
    return outdated if hit.certain else f"perhaps: {outdated}"


def _show_hits(hits: Hits, *, explain: bool) -> None:
    made = table("score", "tokens", "said", "content", "id", right=("score", "tokens"), whole=("id", "said"))
    for hit in hits:
        made.add_row(
            f"{hit.score:.3f}",
            number(hit.tokens),
            day(hit.memory.valid_from),
            f"{_cautions(hit)}{one_line(hit.memory.content)}",
            hit.memory.id,
        )
        if explain:
            made.add_row("", "", "", ", ".join(f"{name} {value:.3f}" for name, value in sorted(hit.why.items())), "")
    if hits.complete is not None:
        line(hits.complete.text)
    show_table(made)
    # Readers are not told the record's number, which counts what others read.
    record = f"; retrieval {hits.id or 'not recorded'}" if hits.id or not len(hits) else ""
    note(f"{counted(hits.tokens, 'token')} of {number(hits.budget)}{record}")
    if explain:
        note(", ".join(f"{name}: {value}" for name, value in hits.stages.items() if value not in ((), "")))
        for item in hits.left_out:
            note(f"left out: {item.id}, {counted(item.tokens, 'token')}: {item.reason}")
    for notice in hits.notices:
        note(f"note: {notice}")


def _plain_everything(found: Everything) -> EverythingDocument:
    return {
        "id": found.id,
        "count": found.count,
        "complete": found.complete,
        "tokens": found.tokens,
        "cut": list(found.cut),
        "notices": list(found.notices),
        "sums": found.sums,
        "memories": [hit.memory for hit in found],
    }


def _show_everything(found: Everything) -> None:
    made = table("said", "key", "content", "id", whole=("said", "id"))
    for hit in found:
        made.add_row(day(hit.memory.valid_from), hit.memory.key or "", one_line(hit.memory.content), hit.memory.id)
    show_table(made)
    cut = f"; the token budget cut {number(len(found.cut))}, from {found.cut[0]} on" if found.cut else ", all shown"
    note(f"{counted(found.count, 'memory')}{cut}")
    if found.sums:
        sums = table("ledger", "entries", "total", "unit", right=("entries", "total"))
        for item in found.sums:
            sums.add_row(item.key, number(item.count), decimal_lexical(item.total), item.unit)
        show_table(sums)
