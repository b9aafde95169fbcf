"""``mars erase``: what a person asked to have erased goes, and a signed receipt says so.

Guarantees: a dry run changes nothing; the receipt holds no content; with ``--json`` standard output is the receipt,
the signed document under ``document``. On a terminal nothing is erased before it was confirmed.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypedDict, cast

import click

from marskg.answer import plain
from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.output import answer, counted, line, note, number, safe
from marskg.cli.values import MEMORY_ID, FilePath
from marskg.erasure.receipts import BEFORE, KEYS, LOGICAL, NEAR, RULES, UNMATCHED, Receipt
from marskg.exporters.atomic import AtomicFile
from marskg.privacy.principals import Right, Role, right_to
from marskg.store.commit.snapshot_register import CHANGED, THERE, UNREACHABLE, SnapshotFile
from marskg.store.engine.protocol import Capability

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.erasure.request import Listed
    from marskg.memory import AgentMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal(Receipt):
    """What ``mars erase --dry-run`` answers: what an erasure would do, and the snapshots that may hold it."""

    dry_run: bool
    snapshots: tuple[SnapshotFile, ...]


class Scrubbed(TypedDict):
    """What ``mars maintenance scrub`` answers."""

    scrubbed: bool


_SHOWN_FORMS = 20
_SHOWN_FILES = 20
_SHOWN_NEAR = 20
_WHY_LEFT = {
    THERE: "not asked to be removed",
    CHANGED: "no longer what was written there",
    UNREACHABLE: "cannot be reached, or not be removed",
}


@click.command()
@click.option("--subject", metavar="NAME", help="All that is about this person, by the exact name.")
@click.option(
    "--entity", metavar="NAME|ID|IRI", help="All that mentions it, is about it, or has its name in its words."
)
@click.option("--session", metavar="NAME", help="All of one conversation.")
@click.option("--source", metavar="REF", help="All that came from one source.")
@click.option("--id", "memory_id", type=MEMORY_ID, help="One memory.")
@click.option("--scrub", is_flag=True, help="Also rewrite the files, so that no byte of it is left in them.")
@click.option("--snapshots", is_flag=True, help="Also remove all snapshots that this store wrote.")
@click.option("--dry-run", is_flag=True, help="Show what would go and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--receipt", type=FilePath(dir_okay=False, path_type=Path), metavar="FILE", help="Keep the receipt.")
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
    snapshots: bool,
    dry_run: bool,
    yes: bool,
    receipt: Path | None,
) -> Receipt | Rehearsal:
    """Erase a person, an entity, a conversation, a source or a memory, with all dependents.

    Give one of --subject, --entity, --session, --source and --id. It goes in every tier and from every index, with what
    was derived from it; the audit forgets the details and still verifies. It is not stored again.
    """
    with door.memory() as memory:
        ask = partial(memory.erase, subject=subject, entity=entity, session=session, source=source, id=memory_id)
        asks = not yes and sys.stdin.isatty() and not door.as_json
        if dry_run or asks:
            looked = _show_matched(door, ask(dry_run=True), _written(memory), removing=snapshots)
        if dry_run:
            return looked
        if asks:
            click.confirm("Erase it? This cannot be undone", abort=True, err=True)
        return _show(door, memory, ask(scrub=scrub, snapshots=snapshots), receipt)


@click.command()
@shared_options
@pass_door
def scrub(door: Door) -> Scrubbed:
    """Rewrite the store's files, for what was erased without --scrub.

    The files of a server are its operator's, and this is refused there.
    """
    with door.memory() as memory:
        memory.maintenance.scrub()
        return answer(door, Scrubbed(scrubbed=True), lambda: line("the files were rewritten"))


def _written(memory: AgentMemory) -> tuple[SnapshotFile, ...]:
    """Return the snapshots that the store wrote, to whoever may know where they are."""
    return memory.snapshots.list() if right_to(memory.principal.role, "snapshots") is Right.ALL else ()


def _show_matched(door: Door, matched: Receipt, written: tuple[SnapshotFile, ...], *, removing: bool) -> Rehearsal:
    def show() -> None:
        line(f"would erase {counted(matched.matched, 'memory')}, and {number(matched.descendants)} that rest on them")
        for one in matched.memories[:_SHOWN_NEAR]:
            line(f"  {one.id} {safe(one.reason)}")
        _show_forms(matched.forms)
        _show_rules(matched.rules)
        _show_near(matched.near, matched.namesakes, matched.notices)
        if matched.shared:
            line(f"{number(matched.shared)} of them are about others as well, and go whole")
        if written:
            what = "go too" if removing else "may hold it and stay; to remove them, add --snapshots"
            line(f"{counted(len(written), 'snapshot')} that this store wrote: {what}")
            _show_files(written)

    data = {"dry_run": True, **plain(matched), "snapshots": written}
    return answer(door, cast("Rehearsal", data), show)


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
        line(f"a rule with this name stays, as it may keep it out; remove it with: mars preferences remove {ident}")


def _show_near(near: tuple[Listed, ...], namesakes: tuple[Listed, ...], notices: tuple[str, ...]) -> None:
    for one in near[:_SHOWN_NEAR]:
        line(f"near: {one.id} {one.reason}; not erased, to erase it: mars erase --id {one.id}")
    if len(near) > _SHOWN_NEAR:
        line(f"near: {number(len(near) - _SHOWN_NEAR)} more; all of them with: mars erase … --dry-run --json")
    for notice in notices:
        line(notice)
    if namesakes:
        line(f"other names that are spelled alike, not erased: {counted(len(namesakes), 'memory')}")


def _show(door: Door, memory: AgentMemory, receipt: Receipt, file: Path | None) -> Receipt:
    if file is not None:
        with AtomicFile(file) as stream:
            stream.write(json.dumps(receipt.document, indent=2).encode() + b"\n")
        note(f"signed receipt in {file}")
    answer(door, receipt, lambda: _tell(receipt))
    operator = memory.principal.role is Role.OPERATOR
    if receipt.claim == LOGICAL and operator and Capability.BYTE_SCRUB in memory.store.engine.capabilities:
        note("files may still hold bytes of it; rewrite them with: mars erase … --scrub")
    if any(one.state == THERE for one in receipt.snapshots_left):
        note("snapshots may still hold it; remove them with: mars erase … --snapshots")
    if receipt.snapshots_removed:
        note("to have a snapshot again, of what is left: mars snapshot save FILE")
    return receipt


def _tell(receipt: Receipt) -> None:
    if receipt.outcome == UNMATCHED:
        line("nothing matched: nothing was erased, and this receipt proves the erasure of nothing")
    else:
        line(f"erased {counted(receipt.matched, 'memory')}, and {number(receipt.descendants)} that rested on them")
    _show_forms(receipt.forms)
    _show_rules(receipt.rules)
    _show_near(receipt.near, receipt.namesakes, receipt.notices)
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
    others = ((RULES, receipt.rules), (NEAR, receipt.near), (BEFORE, receipt.forgotten))
    besides = "".join(f"; {what}" for what, there in others if there)
    if receipt.claim == KEYS:
        line(f"claim: keys; not covered: exports that somebody took, and backups of the folder of keys{besides}")
    else:
        somebodys = "exports, backups and copies of snapshots that somebody took"
        line(f"claim: {receipt.claim}; not covered: {somebodys}{besides}")
    line(f"receipt {receipt.id}")
