"""What became of what was shown: ``mars feedback``.

Guarantees: what was changed is printed with the reason that its record has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.output import answer, counted, note, show_table, table
from marskg.cli.values import MEMORY_ID, text_or_stdin

if TYPE_CHECKING:
    from marskg.learning.feedback import Feedback


@click.command()
@click.argument("retrieval")
@click.option("--used", multiple=True, type=MEMORY_ID, metavar="ID", help="It helped; may be repeated.")
@click.option("--unused", multiple=True, type=MEMORY_ID, metavar="ID", help="Shown in vain; may be repeated.")
@click.option("--contradicted", multiple=True, type=MEMORY_ID, metavar="ID", help="It proved wrong; may be repeated.")
@click.option("--answer", "said", metavar="TEXT", help="What the agent said: it decides about the others (- reads it).")
@click.option("--question", metavar="TEXT", help="What it was asked.")
@click.option("--complaint", metavar="TEXT", help="What the user said about the answer.")
@shared_options
@pass_door
def feedback(door: Door, /, retrieval: str, *, said: str | None, **given: Any) -> Feedback:  # noqa: ANN401 - as feedback takes them
    """Say what became of what RETRIEVAL showed, once: scores rise and fall, and proven memories live longer.

    RETRIEVAL is the name that `mars retrieve` prints.
    """
    text = None if said is None else text_or_stdin(said)
    with door.memory() as memory:
        found = memory.feedback(retrieval, answer=text, **given)
    return answer(door, found, lambda: _show_feedback(found))


def _show_feedback(found: Feedback) -> None:
    made = table("memory", "outcome", "score", "why", whole=("memory", "score"))
    for item in found.assessed:
        made.add_row(item.id, item.outcome.value, f"{item.score_before} → {item.score_after}", item.reason)
    show_table(made)
    for ident in found.extended:
        note(f"{ident} lives longer")
    for ident in found.aside:
        note(f"{ident} is put aside: it proved false; mars restore {ident} takes that back")
    if found.passed:
        note(f"{counted(len(found.passed), 'score')} stay: nothing is learned from silence")
    for ident in found.restored:
        note(f"{ident} is live again")
    for ident in found.gone:
        note(f"{ident} is passed over: its content is gone")
    for ident in found.shared:
        note(f"{ident} is passed over: it belongs to a shared tenant, whose scores no subscriber changes")
    for ident in found.wishes:
        note(f"the complaint is kept as {ident}")
