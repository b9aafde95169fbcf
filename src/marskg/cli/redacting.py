"""What may be shown: ``mars redact``; and measuring anew how sensitive what is stored is: ``mars rescore``.

Guarantees: redacting stores nothing; with ``--json`` what was replaced is told by kind and place, never by its words;
the exit status of ``mars redact`` is 1 where the text is held for a person to decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.output import answer, counted, line, note, plain, progress, safe
from marskg.cli.values import text_or_stdin

if TYPE_CHECKING:
    from marskg.privacy.redaction import Redaction


@click.command()
@click.argument("text")
@click.option("--max-sensitivity", type=float, metavar="0..1", help="The reader's ceiling.  [default: none]")
@click.option("--purpose", metavar="NAME", help="What the reader reads for.")
@click.option("--jurisdiction", metavar="NAME", help="Where the reader reads.")
@click.option("--hold", is_flag=True, help="Show nothing of a text that repeats what is hidden.")
@shared_options
@pass_door
def redact(
    door: Door, text: str, *, max_sensitivity: float | None, purpose: str | None, jurisdiction: str | None, hold: bool
) -> int:
    """Print TEXT as a reader may get it (- reads standard input); nothing is stored.

    What has a form of its own, such as an e-mail address, becomes a placeholder: all of it, or with --max-sensitivity
    what weighs more. A sentence that repeats what the reader may not read becomes [WITHHELD].
    """
    with door.memory() as memory:
        found = memory.redact(
            text_or_stdin(text), max_sensitivity=max_sensitivity, purpose=purpose, jurisdiction=jurisdiction, hold=hold
        )
    answer(door, plain(found), lambda: _show(found))
    return 1 if found.held else 0


def _show(found: Redaction) -> None:
    line(safe(found.text))
    if found.held:
        note("it repeats what the reader may not read: decide, then redact it without --hold")


@click.command()
@shared_options
@pass_door
def rescore(door: Door) -> None:
    """Measure anew how sensitive all memories are, each change with its record.

    After a change of what a user prefers, or after loading what was measured elsewhere or not at all. No memory ends
    below what its caller gave, or below what it derives from.
    """
    with door.memory(operation="rescore") as memory:
        stats = memory.stats()
        with progress("measuring", stats["live"] + stats["latent"] + stats["tombstones"]) as advance:
            changed = memory.rescore(progress=advance)
    answer(door, {"changed": changed}, lambda: line(f"{counted(changed, 'memory')} changed"))
