"""``mars demo``: the main job from end to end, on a conversation, with every claim checked while it is made.

Guarantees: without ``--store`` everything happens in a temporary folder that is removed; with it the demo keeps to a
tenant of its own, so that no other memory is touched; the exit status is 0 only if every step did what it says.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click

from marskg.cli.door import CheckFailed, Door, pass_door, passphrase, shared_options
from marskg.cli.output import document
from marskg.cli.values import FilePath
from marskg.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from marskg.cli.demo.stage import DemoStep, Stage


class Demonstrated(TypedDict):
    """What ``mars demo`` answers; ``ok`` is true where every step did what it says."""

    ok: bool
    store: str
    tenant: str
    steps: Sequence[DemoStep]


TENANT = "demo"
_CONVERSATION = Path("examples") / "conversation.jsonl"


@click.command()
@click.option(
    "--data", type=FilePath(exists=True, path_type=Path), metavar="DIR|FILE",
    help="A Memora persona's folder, or a conversation of JSON Lines.  [default: the bundled conversation]",
)  # fmt: skip
@shared_options
@pass_door
def demo(door: Door, data: Path | None) -> Demonstrated:
    """See it work: read a conversation, run out of budget, forget, prove it, be tampered with, and give it all away.

    Takes about a minute. Without --store it works in a temporary folder; a server that MARS_STORE names is used, too.
    """
    from marskg.cli.demo.stage import Stage, read_source

    source = read_source(data or bundled_conversation())
    with _place(door) as (store, folder):
        tenant = door.named_tenant or _free_tenant(store)
        stage = Stage(store=store, tenant=tenant, folder=folder, secret=passphrase(), to_errors=door.as_json)
        _play(stage, source, kept=_named_store(door) is not None)
    told: Demonstrated = {"ok": stage.ok, "store": store, "tenant": tenant, "steps": stage.results}
    if door.as_json:
        document(told)
    if not stage.ok:
        raise CheckFailed
    return told


def _play(stage: Stage, source: object, *, kept: bool) -> None:
    """Play the scenes in their order."""
    from marskg.cli.demo import scenes, tamper

    with stage.open() as memory:
        came_in = scenes.read_and_forget(stage, memory, source)  # type: ignore[arg-type]  # read_source's
        scenes.what_was_kept(stage, memory, came_in)
        scenes.what_was_forgotten(stage, memory, came_in)
        scenes.what_was_superseded(stage, memory)
        scenes.what_is_protected(stage, memory)
        scenes.checks(stage, memory)
        exported = scenes.export(stage, memory)
        scenes.queries(stage, memory)
    tamper.tampering(stage, exported)
    scenes.where_next(stage, kept=kept)


def bundled_conversation() -> Path:
    """Return the example conversation: beside the source in a checkout, inside the package when installed.

    Raises:
        InvalidInput: it is in neither place.
    """
    package = Path(__file__).resolve().parents[2]
    for root in (package, package.parents[1]):
        if (root / _CONVERSATION).is_file():
            return root / _CONVERSATION
    msg = "the bundled conversation is missing; name one with --data, or reinstall marskg"
    raise InvalidInput(msg)


def _named_store(door: Door) -> str | None:
    """Return the store to use: one that the command line names, or a server that the environment names.

    A folder in MARS_STORE is somebody's memory, and no place for a demo.
    """
    from marskg.store.tenant.opening import is_server

    inherited = os.environ.get("MARS_STORE", "")
    return door.named_store or (inherited if is_server(inherited) else None)


@contextmanager
def _place(door: Door) -> Iterator[tuple[str, Path]]:
    """Give the store to work on, and a temporary folder for what is written beside it."""
    with tempfile.TemporaryDirectory(prefix="mars-demo-") as folder:
        named = _named_store(door)
        yield named or str(Path(folder) / "memory"), Path(folder)


def _free_tenant(store: str) -> str:
    """Return the first of demo, demo-2, … that the store does not have."""
    from marskg.store.tenant.creation import tenant_names
    from marskg.store.tenant.opening import connect, is_server

    if not is_server(store) and not (Path(store) / "graph").is_dir():
        return TENANT
    engine = connect(store)
    try:
        taken = tenant_names(engine)
    finally:
        engine.close()
    number = 1
    while (name := TENANT if number == 1 else f"{TENANT}-{number}") in taken:
        number += 1
    return name
