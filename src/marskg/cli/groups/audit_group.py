"""The signed log: ``mars audit``.

Guarantees: what is printed is what is stored; only ``head --sign``, ``seal`` and the two that change keys write
anything. A receipt holds no content and no names.
"""

from __future__ import annotations

import json
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any, TypedDict

import click

from marskg.answer import plain
from marskg.cli.door import Door, new_file, pass_door, shared_options
from marskg.cli.operation_commands import NamespaceGroup, stated
from marskg.cli.output import (
    answer,
    counted,
    day,
    document,
    line,
    line_by_line,
    note,
    safe,
    show_fields,
    show_table,
    table,
)
from marskg.cli.values import MEMORY_ID, MOMENT, is_number
from marskg.errors import InvalidInput
from marskg.exporters.atomic import AtomicFile
from marskg.ontology.vocabulary import Datatype

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from marskg.api.checks import ConsistencyProof, InclusionProof
    from marskg.audit.document import SignedHead, SignedRecord
    from marskg.audit.grammar import Details
    from marskg.erasure.processing_receipts import ProcessingReceipt
    from marskg.memory import AgentMemory
    from marskg.privacy.disclosures.disclosure_log import Sightings
    from marskg.records import AuditRecord, TreeHead
    from marskg.store.upkeep.seal import Sealed


class RecordDocument(TypedDict):
    """A record, its ``details`` slot by slot as plain values, empty where the slot was deleted."""

    iri: str
    sequence: int
    operation: str
    recorded_at: int
    memories: Sequence[str]
    details: Sequence[dict[str, Any]]
    signing_key: str
    proof_value: str
    leaf: str


class ShownRecord(RecordDocument):
    """What ``mars audit show`` answers: a record with its core, as signed, its proof, and the salts of its slots."""

    log: str
    core: str
    proof_created: str
    salts: Sequence[str]


class RecordList(TypedDict):
    """What ``mars audit list`` answers; ``last`` is the number of the log's last record."""

    log: str
    last: int
    records: Sequence[RecordDocument]


class Heads(TypedDict):
    """What ``mars audit head`` answers."""

    heads: Sequence[TreeHead]


class AnnouncedKey(TypedDict):
    """A key that the log announced, and whether it signs now."""

    public_key: str
    announced_at: int
    signs: bool


class Keys(TypedDict):
    """What ``mars audit keys`` answers."""

    keys: Sequence[AnnouncedKey]


class NewKey(TypedDict):
    """What ``mars audit rotate-key`` and ``replace-key`` answer."""

    public_key: str


LOGS = ("transitions", "accesses")
log_option = click.option("--log", type=click.Choice(LOGS), **stated("audit.records", "log"))
w3c_option = click.option(
    "--w3c", is_flag=True, help="As a signed W3C Data Integrity document, for other people's verifiers."
)


@click.group(cls=NamespaceGroup, no_args_is_help=False)
@shared_options
def audit() -> None:
    """The signed record of every change."""


@audit.command("list")
@log_option
@click.option("--first", type=click.IntRange(min=1), metavar="SEQ", help="Sequence number to start from.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="How many; the latest ones.")
@shared_options
@pass_door
def list_(door: Door, log: str, first: int | None, limit: int) -> RecordList:
    """List records, the latest unless --first says where to start."""
    with door.memory(operation="audit.records") as memory:
        last = memory.stats()["audit_seq" if log == "transitions" else "access_seq"]
        start = first if first is not None else max(1, last - limit + 1)
        records = list(islice(memory.audit.records(log=log, first=start), min(limit, last)))
    described = [record_document(record) for record in records]

    def show() -> None:
        made = table("seq", "time", "operation", "memory", "why", right=("seq",), whole=("time", "memory"))
        for item in described:
            memories = item["memories"]
            about = memories[0] if len(memories) == 1 else f"{len(memories)} memories" if memories else ""
            made.add_row(str(item["sequence"]), day(item["recorded_at"]), item["operation"], about, _why(item))
        show_table(made)
        if records:
            line(f"{records[0].sequence} to {records[-1].sequence} of {last} records of the {log} log")

    return answer(door, RecordList(log=log, last=last, records=described), show)


def _why(item: RecordDocument) -> str:
    slots = item["details"]
    reasons = [slot["reason"] for slot in slots if "reason" in slot]
    if reasons:
        return safe(str(reasons[0]))
    head = slots[0] if slots else {}
    if "policy" in head:
        return safe(f"{head['policy']}: {head.get('weight_before')} → {head.get('weight_after')} tokens")
    return ""


def record_document(record: AuditRecord) -> RecordDocument:
    """Return a record with its details as plain values, slot by slot; a deleted slot is empty."""
    from marskg.audit.grammar import parse_details

    return {
        "iri": record.iri,
        "sequence": record.sequence,
        "operation": record.operation.value,
        "recorded_at": record.recorded_at,
        "memories": list(record.memories),
        "details": [_values(parse_details(text, record.iri, slot), slot) for slot, text in enumerate(record.details)],
        "signing_key": record.signing_key,
        "proof_value": record.proof_value,
        "leaf": record.leaf,
    }


def _values(details: Details, slot: int) -> dict[str, Any]:
    """Return a slot's details by the names of Python's fields, numbers as numbers."""
    from marskg.audit.grammar import fields_of

    fields = fields_of(slot)
    found: dict[str, Any] = {}
    for local, texts in details.items():
        field = fields[local]
        converted: list[Any] = list(texts)
        if field.datatype is Datatype.INTEGER:
            converted = [int(text) for text in texts]
        elif field.datatype is Datatype.DECIMAL:
            converted = [float(text) for text in texts]
        found[field.name] = converted if field.many else converted[0]
    return found


@audit.command("show")
@click.argument("sequence", type=click.IntRange(min=1))
@log_option
@w3c_option
@shared_options
@pass_door
def show_(door: Door, sequence: int, log: str, *, w3c: bool) -> ShownRecord | SignedRecord:
    """Show one record whole: its details, its signed core and its proof."""
    from marskg.audit.document import signed_document

    with door.memory() as memory:
        record = _record(memory, sequence, log)
    if w3c:
        signed = signed_document(record)
        document(signed)
        return signed
    data: ShownRecord = {
        **record_document(record),
        "log": record.log,
        "core": record.core,
        "proof_created": record.proof_created,
        "salts": list(record.salts),
    }

    def show() -> None:
        show_fields(
            {
                "record": record.iri,
                "operation": record.operation.value,
                "time": day(record.recorded_at),
                "key": record.signing_key,
                "proof": record.proof_value,
                "leaf": record.leaf,
            }
        )
        for slot, details in enumerate(data["details"]):
            line(f"slot {slot}{'' if record.salts[slot] else ' (deleted by a recorded erasure)'}")
            show_fields({f"  {name}": value for name, value in details.items()})
        line("core, as signed")
        show_fields({"": record.core.rstrip("\n")})

    return answer(door, data, show)


def _record(memory: AgentMemory, sequence: int, log: str) -> AuditRecord:
    record = next(memory.audit.records(log=log, first=sequence), None)
    if record is None or record.sequence != sequence:
        msg = f"the {log} log has no record {sequence}; see: mars audit list"
        raise InvalidInput(msg)
    return record


@audit.command("who-saw")
@click.argument("memory_id", type=MEMORY_ID, metavar="ID")
@shared_options
@pass_door
def who_saw(door: Door, memory_id: str) -> Sightings:
    """Show who saw memory ID, when, for which purpose and by which call; also after it is gone."""
    with door.memory() as memory:
        found = memory.audit.who_saw(memory_id)

    def show() -> None:
        made = table("time", "by", "purpose", "call", "how", whole=("time",))
        for one in found.seen:
            made.add_row(day(one.at), one.by, one.purpose or "", one.call, one.how or "")
        if found.seen:
            show_table(made)
        line(f"{found.id} is {found.state}; shown {counted(len(found.seen), 'time')}, as far as the log tells")
        if found.sealed is not None:
            line(f"details of old showings were pruned on {day(found.sealed)}: there may have been others")
        for moment in found.erasures:
            line(f"something was erased on {day(moment)}; if it was this, the log forgot it then")

    return answer(door, found, show)


@audit.command()
@click.option("--sign", is_flag=True, help="Sign a head over the log as it stands first.")
@click.option("--all", "every", is_flag=True, help="All heads, not only the latest.")
@w3c_option
@click.option(
    "--export",
    type=new_file(),
    metavar="FILE",
    help="Sign one, and write it to this new file for a witness to keep.",
)
@shared_options
@pass_door
def head(
    door: Door, *, sign: bool, every: bool, w3c: bool, export: Path | None
) -> Heads | SignedHead | list[SignedHead]:
    """Show the latest signed tree head: give it to a witness, and nobody can rewrite what it covers.

    Whoever keeps the file of --export is a witness: mars verify --head FILE holds the log to it.
    """
    from marskg.audit.document import signed_head

    if export is not None and export.exists():
        msg = f"{export} is there already, and a head that was kept is not written over: name a new file"
        raise InvalidInput(msg)
    with door.memory() as memory:
        signed = memory.audit.sign_heads() if export is not None else [memory.audit.sign_head()] if sign else []
        heads = memory.audit.heads()
    if not heads:
        note("no head is signed yet; sign one with: mars audit head --sign")
    shown = heads if every else heads[-1:]
    if export is not None:
        kept = [signed_head(item) for item in (*shown, *signed[1:])]
        with AtomicFile(export) as stream:
            stream.write(json.dumps(kept, indent=2).encode() + b"\n")
        note(f"{counted(len(kept), 'signed head')} in {export}: keep it where who runs this store cannot change it")
    if w3c:
        documents = [signed_head(item) for item in shown]
        printed = documents if every or not documents else documents[0]
        document(printed)
        return printed

    def show() -> None:
        for item in shown if export is None else ():
            show_fields(
                {
                    "log": item.log,
                    "size": item.size,
                    "root": item.root,
                    "time": day(item.recorded_at),
                    "key": item.signing_key,
                    "proof": item.proof_value,
                }
            )

    return answer(door, Heads(heads=shown), show)


@audit.command()
@click.argument("sequence", type=click.IntRange(min=1), required=False)
@click.option("--consistency", type=click.IntRange(min=1), metavar="SIZE", help="Prove the first SIZE records instead.")
@shared_options
@pass_door
def prove(door: Door, sequence: int | None, consistency: int | None) -> InclusionProof | ConsistencyProof:
    """Print the proof that record SEQUENCE is in the log under the latest signed head (RFC 9162).

    With --consistency, the proof that the log under that head begins with its first SIZE records: for a witness who
    holds a head of that size. The newest head comes with it.
    """
    if (sequence is None) == (consistency is None):
        msg = "name either a record or, with --consistency, the size of a head; see: mars audit head --all"
        raise InvalidInput(msg)
    with door.memory() as memory:
        proof: InclusionProof | ConsistencyProof = (
            memory.audit.prove(sequence) if sequence is not None else memory.audit.prove_consistency(consistency or 0)
        )
    return answer(door, proof, lambda: line(json.dumps(plain(proof), indent=2)))


@audit.command()
@click.option("--before", required=True, metavar="SEQ|TIME", help="A record of the transitions log, or a time.")
@click.option("--dry-run", is_flag=True, help="Show what would be sealed and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared_options
@pass_door
@click.pass_context
def seal(context: click.Context, door: Door, before: str, *, dry_run: bool, yes: bool) -> Sealed:
    """Let the details of records from before a record or a time go, in both logs; their proofs still check.

    Kept are how the log opened, its keys, its erasures, and the last record of each memory that is in the store.
    """
    wanted = {"sequence": int(before)} if is_number(before) else {"before": MOMENT.convert(before, None, context)}
    with door.memory() as memory:
        if not (yes or dry_run or door.as_json) and sys.stdin.isatty():
            found = memory.audit.seal(**wanted, dry_run=True)
            _show_sealed(found)
            click.confirm("Let these details go? This cannot be undone", abort=True, err=True)
        found = memory.audit.seal(**wanted, dry_run=dry_run)
    return answer(door, found, lambda: _show_sealed(found))


def _show_sealed(found: Sealed) -> None:
    would = "sealed" if found.applied else "would seal"
    line(
        f"{would} {counted(found.transitions, 'record')} of the transitions and {found.accesses} of the accesses log "
        f"from before {day(found.before)}; {counted(found.kept, 'record')} there kept their details"
    )


@audit.command()
@shared_options
@pass_door
def keys(door: Door) -> Keys:
    """List the keys that the log announced; the last one signs."""
    with door.memory() as memory:
        announced = memory.store.reader.keys()
        signing = memory.store.signer_box().public_key
    data: list[AnnouncedKey] = [
        {"public_key": key["publicKey"], "announced_at": key["announcedAt"], "signs": key["publicKey"] == signing}
        for key in announced
    ]

    def show() -> None:
        made = table("public key", "announced", "signs", whole=("public key",))
        for key in data:
            made.add_row(key["public_key"], day(key["announced_at"]), "yes" if key["signs"] else "")
        show_table(made)

    return answer(door, Keys(keys=data), show)


@audit.command("rotate-key")
@shared_options
@pass_door
def rotate_key(door: Door) -> NewKey:
    """Sign with a new key from now on, announced by the old one."""
    with door.memory() as memory:
        public_key = memory.audit.rotate_key()
    made = answer(door, NewKey(public_key=public_key), lambda: line(public_key))
    note("keep a copy of the key folder; the old key stays in it for what it signed")
    return made


@audit.command("replace-key")
@click.option("--yes", is_flag=True, help="The key is lost: do not ask.")
@shared_options
@pass_door
def replace_key(door: Door, *, yes: bool) -> NewKey:
    """Sign with a new key because the old one is lost; `mars verify` reports it for ever."""
    if not yes:
        click.confirm("The log will say for ever that its key was lost. Go on?", abort=True, err=True)
    with door.memory() as memory:
        public_key = memory.audit.replace_key()
    return answer(door, NewKey(public_key=public_key), lambda: line(public_key))


@audit.command()
@click.argument("what", metavar="ID|SEQ")
@click.option("--output", type=new_file(), metavar="FILE", help="Write the signed JSON-LD to this file.")
@shared_options
@pass_door
@click.pass_context
def receipt(context: click.Context, door: Door, what: str, output: Path | None) -> ProcessingReceipt:
    """Give a signed receipt of what was done with memory ID, or by record SEQ of the log.

    It says when, why, by which policy and what depends on it, without content and names. Anybody can verify it: mars
    verify --receipt FILE, or any W3C Data Integrity tool.
    """
    wanted = int(what) if is_number(what) else MEMORY_ID.convert(what, None, context)
    with door.memory() as memory:
        found = memory.audit.receipt(wanted)
    if output is not None:
        with AtomicFile(output) as stream:
            stream.write(json.dumps(found.document, indent=2).encode() + b"\n")
        note(f"signed receipt in {output}")
    return answer(door, found, lambda: line_by_line(found.as_text()))
