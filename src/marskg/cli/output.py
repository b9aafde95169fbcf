"""How the commands speak: one JSON document or a table on standard output, everything else on standard error.

Guarantees: with ``--json`` standard output holds exactly one document in UTF-8; nothing that a memory contains can
steer the terminal; colours and moving bars appear on a terminal only, and never under ``NO_COLOR``.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from marskg.answer import plain
from marskg.errors import MarsError
from marskg.late_regex import late_regex
from marskg.ontology.mapping import time_lexical
from marskg.unseen import UNSEEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rich.console import Console, RenderableType
    from rich.table import Column, Table

    from marskg.records import Memory

Answer = TypeVar("Answer")

#: Wide enough for an id, a reason and some figures; a pipe has no width of its own.
_PIPE_WIDTH = 160
#: A column of text is not broken into lines shorter than this.
_READABLE = 12
#: What steers a terminal, reorders or ends a line, or shows nothing, but for selectors of emoji; and lone surrogates.
_CONTROLS = late_regex(f"(?![\ufe00-\ufe0f])[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff{UNSEEN}]")
_HOUR_MINUTE = 16
#: Codes from and up to which an escape has four digits.
_FIRST_OF_FOUR, _LAST_OF_FOUR = 0x100, 0xFFFF


class Asked(Protocol):
    """Says in what form a command is to answer."""

    @property
    def as_json(self) -> bool:
        """Return whether the answer is one JSON document."""
        ...


# --- Texts -------------------------------------------------------------------------------------------------------


def safe(text: str) -> str:
    """Return ``text`` with what could steer a terminal made visible."""
    return _CONTROLS.sub(lambda found: _escaped(ord(found[0])), text)


def _escaped(code: int) -> str:
    """Return a character as JSON and Python write it; those below 256 as terminals' manuals do."""
    if code > _LAST_OF_FOUR:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code < _FIRST_OF_FOUR else f"\\u{code:04x}"


def one_line(text: str | None, length: int = 80) -> str:
    """Return the beginning of ``text`` on one line, safe to print."""
    if text is None:
        return "—"
    flat = " ".join(text.split())
    return safe(flat if len(flat) <= length else flat[: length - 1] + "…")


def day(moment: int | None) -> str:
    """Return a time to the minute, in UTC."""
    return "—" if moment is None else time_lexical(moment)[:_HOUR_MINUTE].replace("T", " ")


def number(value: float) -> str:
    """Return a number with its thousands apart."""
    return f"{value:,}"


def counted(value: int, noun: str) -> str:
    """Return a number with its noun, as a person would write it: 1 memory, 2,000 memories."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number(value)} {noun if value == 1 else plural}"


def live(memories: int) -> str:
    """Say how many memories are live."""
    return f"{counted(memories, 'memory')} {'is' if memories == 1 else 'are'} live"


# --- Standard output ---------------------------------------------------------------------------------------------


def document(value: Any) -> None:  # noqa: ANN401 - a JSON value
    """Print ``value`` as the one JSON document of the command."""
    text = json.dumps(plain(value), ensure_ascii=not _speaks_unicode(), indent=2, allow_nan=False)
    # In a document all of these stand in strings, where an escape means the same.
    sys.stdout.write(_CONTROLS.sub(lambda found: json.dumps(found[0])[1:-1], text) + "\n")


def _speaks_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def console(*, errors: bool = False) -> Console:
    """Return a console on standard output, or on standard error."""
    from rich.console import Console

    stream = sys.stderr if errors else sys.stdout
    width = None if stream.isatty() or os.environ.get("COLUMNS") else _PIPE_WIDTH
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


def answer(door: Asked, data: Answer, show: Callable[[], None]) -> Answer:
    """Answer a command: the document where it was asked for, else what ``show`` prints.

    Returns:
        ``data``, for the command to return: the type that it says it returns is the schema of its document.
    """
    if door.as_json:
        document(data)
    else:
        show()
    return data


def line(text: str) -> None:
    """Print one line of the answer, however long it is."""
    sys.stdout.write(safe(text) + "\n")


def note(text: str) -> None:
    """Say something beside the answer, on standard error."""
    sys.stderr.write(safe(text) + "\n")


# --- Tables ------------------------------------------------------------------------------------------------------


def table(*columns: str, title: str | None = None, right: Sequence[str] = (), whole: Sequence[str] = ()) -> Table:
    """Return an empty table; ``right`` names its columns of figures, ``whole`` those that must stay in one piece."""
    from rich import box
    from rich.table import Table

    class Safe(Table):
        """A table whose cells cannot steer the terminal, whatever they hold."""

        def add_row(self, *cells: RenderableType | None, **settings: Any) -> None:  # noqa: ANN401 - rich's settings
            """Add a row."""
            super().add_row(*(safe(one) if isinstance(one, str) else one for one in cells), **settings)

    made = Safe(
        title=None if title is None else safe(title),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for name in columns:
        made.add_column(
            name,
            justify="right" if name in right else "left",
            no_wrap=name in whole or name in right,
            overflow="fold",
        )
    return made


def show_table(made: Table) -> None:
    """Print a table to standard output; where the terminal is too narrow for its columns, one field a line."""
    out = console()
    if sum(_least_width(column) + 3 for column in made.columns) <= out.width:
        with out.capture() as captured:  # written by us, as rich leaves with a status of its own where a pipe is closed
            out.print(made)
        sys.stdout.write(captured.get())
        return
    if made.title:
        line(str(made.title))
    names = [str(column.header) for column in made.columns]
    for cells in zip(*(column.cells for column in made.columns), strict=True):
        show_fields(dict(zip(names, cells, strict=True)))
        line("")


def _least_width(column: Column) -> int:
    """Return how narrow a column can be and still be read."""
    from rich.cells import cell_len

    widest = max((cell_len(str(cell)) for cell in (column.header, *column.cells)), default=0)
    return widest if column.no_wrap else min(widest, _READABLE)


def show_fields(values: Mapping[str, object]) -> None:
    """Print names and values, one a line, without those that are empty."""
    shown = {name: value for name, value in values.items() if value not in (None, "", (), [], {})}
    width = max((len(name) for name in shown), default=0)
    for name, value in shown.items():
        text = ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)
        first, *rest = text.split("\n")
        line(f"{name:<{width}}  {first}")
        for more in rest:
            line(f"{'':<{width}}  {more}")


def memory_fields(memory: Memory) -> dict[str, object]:
    """Return the lines that show one memory."""
    slot = f"{memory.key} ({memory.cardinality})" if memory.key is not None else None
    state = ", ".join(
        word
        for word, holds in (
            (memory.tier.value, True),
            ("pinned", memory.pinned),
            (f"{memory.status}", memory.status is not None),
            ("superseded", memory.superseded_at is not None),
            ("unaffirmed", memory.unaffirmed_since is not None),
        )
        if holds
    )
    return {
        "id": memory.id,
        "kind": memory.kind.value,
        "content": memory.content or "(its content is gone)",
        "payload": [f"{name}={plain(value)}" for name, value in memory.payload.items()],
        "metadata": None if memory.metadata is None else memory.metadata.text,
        "key": slot,
        "state": state,
        "weight": counted(memory.weight, "token"),
        "subjects": memory.subjects,
        "session": memory.session,
        "source": f"{memory.source_type}{f', {memory.source_ref}' if memory.source_ref else ''}",
        "class": memory.memory_class.value,
        "sensitivity": memory.sensitivity or None,
        "said": day(memory.valid_from),
        "until": None if memory.valid_to is None else day(memory.valid_to),
        "stored": day(memory.created),
        "expires": None if memory.expires_at is None else day(memory.expires_at),
        "priority": memory.priority,
        "deadline": None if memory.deadline is None else day(memory.deadline),
        "shown": counted(memory.access_count, "time") if memory.access_count else None,
    }


# --- Progress ----------------------------------------------------------------------------------------------------


@contextmanager
def progress(label: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error while the body works; it calls what it gets with how much is done."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console(errors=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def kept_progress(label: str, total: int | None, kept: Callable[[int], str]) -> Iterator[Callable[[int], None]]:
    """Show progress, and say on an interruption or a refusal by ``kept`` what is done of so much."""
    reached = 0
    with progress(label, total) as show:

        def advance(done: int) -> None:
            nonlocal reached
            reached = done
            show(done)

        try:
            yield advance
        except KeyboardInterrupt as error:
            raise KeyboardInterrupt(kept(reached)) from error
        except MarsError:
            note(kept(reached))
            raise


def line_by_line(text: str) -> None:
    """Print a text of several lines, each made safe by itself."""
    for part in text.split("\n"):
        line(part)
