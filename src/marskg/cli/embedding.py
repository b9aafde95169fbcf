"""Making the vectors of a tenant anew: ``mars reembed``.

Guarantees: what an interruption leaves is whole, and the next run goes on where this one stopped.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.output import answer, counted, line, note, progress
from marskg.errors import MarsError

if TYPE_CHECKING:
    from collections.abc import Iterator

MODELS = "static, minilm, sentence-transformers:NAME or openai:MODEL@URL"


@click.command()
@click.option("--model", metavar="SPEC", help=f"{MODELS}.  [default: the tenant's own]")
@shared_options
@pass_door
def reembed(door: Door, model: str | None) -> None:
    """Make the vectors of all memories with another model, or those that are missing.

    The tenant keeps working meanwhile: what has no vector yet is found by its words. After an interruption the same
    command goes on where it stopped.
    """
    with door.memory(operation="reembed") as memory:
        before = memory.stats()
        same = model in {None, before["embedding"]}
        total = before["without_vector"] if same else before["live"] + before["latent"]
        with _keeping_count() as made, progress("making vectors", total) as show_progress:

            def advance(done: int) -> None:
                made[0] = done
                show_progress(done)

            done = memory.reembed(model, progress=advance)
        chosen = memory.settings.embedding.model
    data = {"embedding": chosen, "vectors": done, "changed": chosen != before["embedding"]}
    answer(door, data, lambda: line(f"{counted(done, 'vector')} made by {chosen}"))


@contextmanager
def _keeping_count() -> Iterator[list[int]]:
    """Say on an interruption or a failure how much is done; the body counts in the list it gets."""
    made = [0]
    try:
        yield made
    except KeyboardInterrupt as error:
        raise KeyboardInterrupt(_kept(made[0])) from error
    except MarsError:
        if made[0]:
            note(_kept(made[0]))
        raise


def _kept(made: int) -> str:
    return f"{counted(made, 'vector')} made; go on with the same command"
