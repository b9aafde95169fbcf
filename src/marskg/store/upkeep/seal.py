"""Sealing old segments of the audit: their details go, signed cores and proofs stay (semantics section 8).

Guarantees: what is sealed are the oldest records, up to one in each log; of these the details and salts go, and a
signed record lists the stretches that went, which is the one gap besides erasures that the verifier accepts. The core
of every record stays, with its signature and its leaf, so that sequence, Merkle tree, heads and inclusion proofs check
as before. Kept whole is what later checks rest on: records that open a log, announce a key, tell of a restore, list
what was erased or sealed, and of each memory, entity and preference in the store the last record, which says what it
must be. A second sealing lists only what the first did not.

Records are sealed some thousand in a transaction; one that is cut off leaves a smaller segment sealed, and the next
goes on. It reads which memory each record of the transition log is about, once: O(log).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from marskg.answer import Answer
from marskg.ontology.vocabulary import Operation
from marskg.store.rows import codec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Row
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.unit_of_work import Unit

#: Records that one transaction seals.
_BATCH: Final = 2_000
_PAGE: Final = 2_000
#: What later checks need word for word.
_WHOLE: Final = frozenset(
    {
        Operation.OPEN_LOG,
        Operation.ROTATE_KEY,
        Operation.REPLACE_KEY,
        Operation.ERASE,
        Operation.SEAL,
        Operation.RESTORE_SNAPSHOT,
        Operation.MIGRATE,
    }
)


@dataclass(frozen=True, slots=True)
class Sealed(Answer):
    """What a sealing did: how many records of each log lost their details, and how many in the segment kept them.

    ``before`` is the moment up to which records were sealed, epoch milliseconds; ``applied`` is false of a dry run.
    """

    before: int
    transitions: int
    accesses: int
    kept: int
    applied: bool


def seal(writer: Writer, reader: GraphReader, before: int, *, dry_run: bool = False) -> Sealed:
    """Seal the records from before a moment, in both logs."""
    tenant = writer.tenant
    ends = {letter: first_since(reader, tenant, letter, before) for letter in ("t", "a")}
    needed = _needed(reader, tenant, ends["t"])
    transitions, kept_here = _prunable(reader, tenant, "t", ends["t"], needed)
    accesses, kept_there = _prunable(reader, tenant, "a", ends["a"], frozenset())
    if not dry_run:
        for letter, sequences in (("t", transitions), ("a", accesses)):
            for start in range(0, len(sequences), _BATCH):
                batch = sequences[start : start + _BATCH]
                writer.run(lambda unit, letter=letter, batch=batch: _prune(unit, letter, batch))  # type: ignore[misc]
    return Sealed(before, len(transitions), len(accesses), kept_here + kept_there, applied=not dry_run)


def first_since(reader: GraphReader, tenant: str, letter: str, moment: int) -> int:
    """Return the first sequence of a log whose record is not from before ``moment``; one after the last if all are."""
    low, high = 1, _last(reader, tenant, letter) + 1
    while low < high:
        middle = (low + high) // 2
        record = next(iter(_some(reader, tenant, letter, middle, 1)), None)
        if record is not None and record["recordedAt"] < moment:
            low = middle + 1
        else:
            high = middle
    return low


def _last(reader: GraphReader, tenant: str, letter: str) -> int:
    """Return the last sequence of a log, found by halving: sequences have no gaps."""
    low, high = 0, 1
    while any(_some(reader, tenant, letter, high, 1)):
        low, high = high, high * 2
    while low < high - 1:
        middle = (low + high) // 2
        low, high = (middle, high) if any(_some(reader, tenant, letter, middle, 1)) else (low, middle)
    return low


def _some(reader: GraphReader, tenant: str, letter: str, first: int, limit: int) -> list[Row]:
    """Return the stored records of a log from ``first`` on."""
    span = {"low": codec.audit_ref(tenant, letter, first), "high": f"{tenant}|{letter}}}", "limit": limit}
    return [row["record"] for row in reader.run("records", span)]


def _needed(reader: GraphReader, tenant: str, end: int) -> frozenset[int]:
    """Return the sequences before ``end`` whose record is the last about something that is in the store."""
    last: dict[str, int] = {}
    high = f"{tenant}|t}}"
    first = 1
    while True:
        rows = reader.run("changed", {"low": codec.audit_ref(tenant, "t", first), "high": high, "limit": _PAGE})
        for row in rows:
            last |= dict.fromkeys(filter(None, row["memories"] or ()), row["sequence"])
        if len(rows) < _PAGE:
            break
        first = rows[-1]["sequence"] + 1
    old = sorted(ident for ident, sequence in last.items() if sequence < end)
    there = {row["id"] for row in reader.preference_rows()}.intersection(old)
    for start in range(0, len(old), _PAGE):
        page = old[start : start + _PAGE]
        there |= {row["id"] for row in reader.run("existing", {"refs": reader.refs(page)})}
        there |= {entity.id for entity, _, _ in reader.entities_by_id([one for one in page if one not in there])}
    return frozenset(last[ident] for ident in there)


def _prunable(reader: GraphReader, tenant: str, letter: str, end: int, needed: frozenset[int]) -> tuple[list[int], int]:
    """Return the sequences before ``end`` that have details which may go, and how many have some that may not."""
    found: list[int] = []
    kept = 0
    first = 1
    while first < end:
        rows = _some(reader, tenant, letter, first, min(_PAGE, end - first))
        for row in rows:
            if row["operation"] in _WHOLE or row["sequence"] in needed:
                kept += 1
            elif any(row["salts"]):
                found.append(row["sequence"])
        if not rows:
            break
        first = rows[-1]["sequence"] + 1
    return found, kept


def _prune(unit: Unit, letter: str, sequences: Sequence[int]) -> None:
    """Empty the details of some records of one log, and sign which."""
    refs = [codec.audit_ref(unit.state.name, letter, sequence) for sequence in sequences]
    for row in unit.read("whole_records", {"refs": refs}):
        node = row["record"]
        blank = [""] * len(node["details"])
        gone = {"ref": node["ref"], "details": blank, "salts": blank, "memories": blank[1:]}
        unit.audit.erased_accesses.append(gone)
    listed = {"sealed_slots": tuple(sorted(stretches(sequences))), "counts": (f"records={len(sequences)}",)}
    if letter == "t":
        unit.audit.note(Operation.SEAL, **listed)
        return
    # Who follows the log of transitions learns from it that the other one was sealed.
    unit.audit.note(Operation.SEAL, counts=(f"accesses={len(sequences)}",))
    unit.audit.note_access(Operation.SEAL, **listed)


def stretches(sequences: Iterable[int]) -> Iterator[str]:
    """Yield the stretches of ``sequences``, in order, that have no gap, as ``first-last``."""
    ordered = sorted(sequences)
    starts = [*ordered[:1], *(after for before, after in pairwise(ordered) if after != before + 1)]
    ends = [*(before for before, after in pairwise(ordered) if after != before + 1), *ordered[-1:]]
    yield from (f"{first}-{last}" for first, last in zip(starts, ends, strict=True))
