"""``mars erase``: what a person asked to have erased goes, and a signed receipt says so.

Guarantees: a dry run changes nothing; the receipt holds no content; with ``--json`` standard output is the receipt,
the signed document under ``document``. On a terminal nothing is erased before it was confirmed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from marskg.cli.door import CheckFailed, Door, existing_file, pass_door, shared_options
from marskg.cli.output import answer, counted, line, note, number, plain, safe
from marskg.cli.values import MEMORY_ID
from marskg.exporters.atomic import AtomicFile
from marskg.privacy.principals import Right, Role, right_to
from marskg.privacy.receipts import KEYS, LOGICAL, RULES
from marskg.store.snapshots import CHANGED, THERE, UNREACHABLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.memory import AgentMemory
    from marskg.privacy.receipts import Receipt
    from marskg.privacy.request import Matched
    from marskg.store.snapshots import SnapshotFile

_SHOWN_FORMS = 20
_SHOWN_FILES = 20
_WHY_LEFT = {
    THERE: "not asked to be removed",
    CHANGED: "no longer what was written there",
    UNREACHABLE: "cannot be reached, or not be removed",
}

_server_home = click.option(
    "--server-home",
    type=existing_file(folder=True),
    metavar="FOLDER",
    help="Home of the Neo4j server that --store names, to have its files cleaned and searched.",
)


@click.command()
@click.option("--subject", metavar="NAME", help="All that is about this person, by the exact name.")
@click.option("--entity", metavar="NAME|ID", help="All that mentions it, is about it, or has its name in its words.")
@click.option("--session", metavar="NAME", help="All of one conversation.")
@click.option("--source", metavar="REF", help="All that came from one source.")
@click.option("--id", "memory_id", type=MEMORY_ID, help="One memory.")
@click.option("--scrub", is_flag=True, help="Also rewrite the files, so that no byte of it is left in them.")
@_server_home
@click.option("--snapshots", is_flag=True, help="Also remove all snapshots that this store wrote.")
@click.option("--dry-run", is_flag=True, help="Show what would go and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--receipt", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Keep the receipt.")
@shared_options
@pass_door
def erase(
    door: Door,
    *,
    subject: str | None,
    entity: str | None,
    session: str | None,
    source: str | None,
    memory_id: str | None,
    scrub: bool,
    server_home: Path | None,
    snapshots: bool,
    dry_run: bool,
    yes: bool,
    receipt: Path | None,
) -> None:
    """Erase a person, an entity, a conversation, a source or a memory, with all that rests on it.

    Give one of --subject, --entity, --session, --source and --id. It goes in every tier and from every index, with what
    was derived from it; the audit forgets the details and still verifies. It is not stored again.
    """
    request = {"subject": subject, "entity": entity, "session": session, "source": source, "id": memory_id}
    with door.memory() as memory:
        if dry_run:
            _show_matched(door, memory.match_erasure(**request), _written(memory), removing=snapshots)
            return
        if not yes and sys.stdin.isatty() and not door.as_json:
            _show_matched(door, memory.match_erasure(**request), _written(memory), removing=snapshots)
            click.confirm("Erase it? This cannot be undone", abort=True, err=True)
        done = memory.erase(**request, scrub=scrub, server_home=server_home, snapshots=snapshots)
        _show(door, memory, done, receipt)


@click.command()
@_server_home
@shared_options
@pass_door
def scrub(door: Door, *, server_home: Path | None) -> None:
    """Rewrite the store's files, for what was erased without --scrub or whose cleaning was cut off.

    Of a Neo4j server, ends the cleaning that an erasure began: exit status 1 while something is left in a file.
    """
    with door.memory() as memory:
        cleaned = memory.scrub(server_home=server_home)

        def show() -> None:
            for place in cleaned.places:
                line(f"left in {safe(place)}")
            if server_home is None:
                line("the files were rewritten")
            elif not cleaned.places:
                line(f"{counted(cleaned.sought, 'piece')} sought in the server's files, none found")

        answer(door, plain(cleaned), show)
    if cleaned.places:
        raise CheckFailed


def _written(memory: AgentMemory) -> tuple[SnapshotFile, ...]:
    """Return the snapshots that the store wrote, to whoever may know where they are."""
    return memory.snapshots() if right_to(memory.principal.role, "snapshots") is Right.ALL else ()


def _show_matched(door: Door, matched: Matched, written: tuple[SnapshotFile, ...], *, removing: bool) -> None:
    def show() -> None:
        line(f"matches {counted(len(matched.memories), 'memory')}, with all that rests on them")
        _show_forms(matched.forms)
        _show_rules(matched.rules)
        if matched.shared:
            line(f"{number(len(matched.shared))} of them are about others as well, and go whole")
        if written:
            what = "go too" if removing else "may hold it and stay; to remove them, add --snapshots"
            line(f"{counted(len(written), 'snapshot')} that this store wrote: {what}")
            _show_files(written)

    answer(door, {"dry_run": True, **plain(matched), "snapshots": plain(written)}, show)


def _show_files(files: tuple[SnapshotFile, ...], why: Mapping[str, str] = MappingProxyType({})) -> None:
    for one in files[:_SHOWN_FILES]:
        line(f"  {one.path}{f': {why[one.state]}' if one.state in why else ''}")
    if len(files) > _SHOWN_FILES:
        line(f"  and {number(len(files) - _SHOWN_FILES)} more; see: mars snapshot list")


def _show_forms(forms: tuple[str, ...]) -> None:
    if forms:
        shown = ", ".join(safe(form) for form in forms[:_SHOWN_FORMS])
        line(f"by these spellings: {shown}{', …' if len(forms) > _SHOWN_FORMS else ''}")


def _show_rules(rules: tuple[str, ...]) -> None:
    for ident in rules:
        line(f"a rule with this name stays, as it may keep it out; remove it with: mars prefs remove {ident}")


def _show(door: Door, memory: AgentMemory, receipt: Receipt, file: Path | None) -> None:
    if file is not None:
        with AtomicFile(file) as stream:
            stream.write(json.dumps(receipt.document, indent=2).encode() + b"\n")
        note(f"signed receipt in {file}")
    answer(door, plain(receipt), lambda: _tell(receipt))
    if receipt.claim == LOGICAL and memory.principal.role is Role.OPERATOR and memory.store.engine.name == "arcadedb":
        note("files may still hold bytes of it; rewrite them with: mars erase … --scrub")
    if any(one.state == THERE for one in receipt.snapshots_left):
        note("snapshots may still hold it; remove them with: mars erase … --snapshots")
    if receipt.snapshots_removed:
        note("to have a snapshot again, of what is left: mars snapshot save FILE")


def _tell(receipt: Receipt) -> None:
    line(f"erased {counted(receipt.matched, 'memory')}, and {number(receipt.descendants)} that rested on them")
    _show_forms(receipt.forms)
    _show_rules(receipt.rules)
    if receipt.entities:
        line(f"names that nothing mentions any more: {number(receipt.entities)}")
    if receipt.shortened:
        line(f"summaries without the lines that rested on it: {number(receipt.shortened)}")
    for task in receipt.blocked:
        line(f"blocked, as a prerequisite is gone: {task}")
    line(f"audit details deleted: {counted(receipt.slots, 'slot')}")
    if receipt.snapshots_removed:
        line(f"snapshots removed: {number(receipt.snapshots_removed)}")
    if receipt.snapshots_left:
        line(f"snapshots left: {number(len(receipt.snapshots_left))}")
        _show_files(receipt.snapshots_left, _WHY_LEFT)
    for place in receipt.left:
        line(f"left in the server's file {safe(place)}; go on with: mars scrub --server-home …")
    besides = f"; {RULES}" if receipt.rules else ""
    if receipt.claim == KEYS:
        line(f"claim: keys; not covered: exports that somebody took, and backups of the folder of keys{besides}")
    else:
        somebodys = "exports, backups and copies of snapshots that somebody took"
        line(f"claim: {receipt.claim}; not covered: {somebodys}{besides}")
    line(f"receipt {receipt.id}")
