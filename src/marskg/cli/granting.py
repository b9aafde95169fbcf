"""``mars grant``: leave to read above a ceiling, for a while.

Guarantees: what is printed is the only copy of the grant's secret; the log keeps its digest.
"""

from __future__ import annotations

import click

from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.output import answer, counted, day, line, plain


@click.command()
@click.argument("to", metavar="PRINCIPAL")
@click.option(
    "--ceiling", type=click.FloatRange(0, 1), required=True, help="The sensitivity up to which they may read."
)
@click.option("--lasts", default="10m", show_default=True, metavar="TIME", help="For how long: 24h at most.")
@click.option("--calls", type=click.IntRange(min=1), default=1, show_default=True, help="How many readings it is for.")
@click.option("--any-calls", is_flag=True, help="For as many readings as they like.")
@click.option("--subject", "subjects", multiple=True, metavar="NAME", help="For memories about this person only.")
@shared_options
@pass_door
def grant(  # noqa: PLR0917 - click passes options by name
    door: Door, to: str, ceiling: float, lasts: str, calls: int, subjects: tuple[str, ...], *, any_calls: bool
) -> None:
    """Let PRINCIPAL, such as reader:bot, read above their ceiling; each reading under it is recorded.

    They act as 'reader:bot?grant=ID' with what this prints. A subject can grant what is about them alone.
    """
    with door.memory() as memory:
        given = memory.grant(to, ceiling=ceiling, lasts=lasts, calls=None if any_calls else calls, subjects=subjects)

    def show() -> None:
        often = "any number of readings" if given.calls is None else counted(given.calls, "reading")
        line(f"{given.to} may read up to {given.ceiling:g} until {day(given.until)}, in {often}, by the grant")
        line(given.id)

    answer(door, plain(given), show)
