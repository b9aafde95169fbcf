"""The access log: who was shown what, by id, and the statistics that an access changes.

Guarantees: one signed record for each showing, with a slot for each memory, in a log and sequence of its own (I7),
written before this returns or, where that may wait, with the others of a tenth of a second
(:mod:`marskg.store.commit.pending_access`); the order keys of what was touched move with it, by the hysteresis of MaRS
section 5.3; a score that faded while nobody looked is written down as what it is worth now, because a showing ends the
idle time; never a query's text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from marskg.audit.record import build_record
from marskg.errors import EngineUnavailable
from marskg.ontology.vocabulary import Kind, Operation, Tier
from marskg.store.commit.pending_access import Waiting, provisional_name
from marskg.store.commit.signed_state import bound
from marskg.store.engine.protocol import Conflict
from marskg.store.rows import codec
from marskg.store.rows.order_keys import DECAY_KEY, LRU_KEY, effective_access, order_keys, random_position, rank_in
from marskg.store.rows.score_decay import Fading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from marskg.records import AuditRecord
    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Row
    from marskg.store.rows.read_statistics import Usage
    from marskg.store.rows.state import TenantState
    from marskg.store.unit.reader import GraphReader

_ATTEMPTS = 50
#: Memories that one record of a disclosure is about.
DISCLOSED = 500
#: What the record of a disclosure says that it was for.
REPORT = "subject_report"
#: What the statement ``access_state`` reads of a node.
_ACCESSED = (
    "id",
    "kind",
    "tier",
    "weight",
    "created",
    "sequence",
    "lastAccess",
    "accessCount",
    "score",
    "useBound",
    "fifoKey",
    "eligibleAccess",
    "eligibleCount",
    "randomKey",
)


@dataclass(frozen=True, slots=True)
class Showing:
    """One memory that was shown, the numbers behind it as ``name=value`` strings, and the reason.

    What was shown without being sure to bear on what was asked does not ``count``: its statistics stay.
    """

    id: str
    features: tuple[str, ...] = ()
    reason: str | None = None
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Known:
    """Nodes that were read after the tenant's row was ``at``: their properties by id.

    The record is written only if no other was written since ``at``, so that reading them again would show the same.
    """

    at: TenantState
    nodes: Mapping[str, Row]

    def holds(self, state: TenantState) -> bool:
        """Return whether nothing was written between ``at`` and ``state``."""
        return self.at.claim() == state.claim()


class Judged(NamedTuple):
    """Feedback on one showing: the slots of its record, the new score of each memory by id, and counts of outcomes."""

    slots: list[dict[str, Any]]
    scores: dict[str, int]
    used: int
    contradicted: int


class Accessed(NamedTuple):
    """A memory that was shown, with its statistics after that, and whether it was bound to that one use."""

    id: str
    last: int
    times: int
    score: int
    use_bound: bool


class GoneMeanwhileError(Exception):
    """What was to be shown lost its content, or was used up, between reading and recording; nothing was recorded."""


class Recorded(NamedTuple):
    """A showing that is recorded: the name of the record, the tenant's row after it, and the new statistics."""

    name: str
    state: TenantState
    accessed: list[Accessed]


@dataclass(frozen=True, slots=True)
class _Showings:
    """What is shown in one record: the ``whole`` of it or nothing, or what of it there is; ``late`` if it may wait."""

    shown: Sequence[Showing]
    parameters: tuple[str, ...]
    whole: bool = True
    late: bool = False


def record_access(writer: Writer, ids: Iterable[str], *, purpose: str | None = None) -> list[Accessed]:
    """Record that memories were shown; returns those of ``ids`` that exist with content.

    Raises:
        EngineUnavailable: the engine cannot be reached.
    """
    parameters = () if purpose is None else (f"purpose={purpose}",)
    shown = [Showing(ident) for ident in sorted(set(ids))]
    return _recorded(writer, _Showings(shown, parameters, whole=False)).accessed


def record_showing(
    writer: Writer,
    shown: Sequence[Showing],
    parameters: tuple[str, ...],
    known: Known | None = None,
    *,
    late: bool = False,
) -> Recorded:
    """Record that memories are shown, in this order.

    ``known`` spares reading them again while nothing else was written. The record may be written ``late``, with those
    of the next tenth of a second, unless one of the memories is bound to this one use.

    Raises:
        GoneMeanwhileError: one of them must not be shown any more: its content is gone, or its one use was.
        EngineUnavailable: the engine cannot be reached, or the tenant stays contended.
    """
    return _recorded(writer, _Showings(shown, parameters, late=late), known)


def _recorded(writer: Writer, showings: _Showings, known: Known | None = None) -> Recorded:
    done: list[Recorded] = []

    def attempt() -> None:
        done[:] = [_touch(writer, showings, known)]

    if not showings.late:
        with writer.alone():
            _until_written(writer, attempt)
            return done[0]
    with writer.alone(beside=True):
        # Other processes may have erased something of it meanwhile.
        writer.recent_state()
        _until_written(writer, attempt)
        return done[0]


def current_rows(writer: Writer, reader: GraphReader, ids: Iterable[str]) -> dict[str, Row]:
    """Return all properties of the memories with these ids, with what showings changed that are not written yet."""
    wanted = list(ids)
    # Asked for first: what is written in between is the same in both.
    waiting = writer.shared.pending.changed(writer.tenant, wanted)
    return {ident: {**row, **waiting.get(ident, {})} for ident, row in reader.rows(wanted).items()}


def _until_written(writer: Writer, attempt: Callable[[], None]) -> None:
    """Try again while other writers are faster; the caller keeps other threads out."""
    for _ in range(_ATTEMPTS):
        try:
            attempt()
        except Conflict:
            writer.forget_cache()
        else:
            return
    msg = f"tenant {writer.tenant!r} is too busy: {_ATTEMPTS} attempts lost to other writers; try again later"
    raise EngineUnavailable(msg)


def record_disclosure(writer: Writer, ids: Sequence[str], parameters: tuple[str, ...]) -> None:
    """Record that memories were handed out outside of retrieval: no statistics change, as no agent used them.

    What has gone since it was read is left out, so that nothing erased comes into the log again.

    Raises:
        EngineUnavailable: the engine cannot be reached, or the tenant stays contended.
    """

    def attempt() -> None:
        rows = writer.read("access_state", {"refs": [codec.ref(writer.tenant, ident) for ident in ids]})
        slots = [{"memory": row["id"], "tier_after": row["tier"]} for row in sorted(rows, key=lambda row: row["id"])]
        append(writer, Operation.ACCESS, {"parameters": parameters}, slots, [], usage=writer.state.usage)

    with writer.alone():
        _until_written(writer, attempt)


def record_feedback(writer: Writer, assess: Callable[[], Judged], parameters: tuple[str, ...]) -> TenantState:
    """Record what became of memories that were shown, with their new scores; returns the tenant's row after it.

    ``assess`` is asked again when another writer was faster. Accesses are not counted: the showing was one.

    Raises:
        EngineUnavailable: the engine cannot be reached, or the tenant stays contended.
    """

    def attempt() -> None:
        judged = assess()
        rows = [
            {"ref": codec.ref(writer.tenant, ident), "set": {"score": score}} for ident, score in judged.scores.items()
        ]
        usage = writer.state.usage.assessed(used=judged.used, contradicted=judged.contradicted)
        append(writer, Operation.FEEDBACK, {"parameters": parameters}, judged.slots, rows, usage=usage)

    with writer.alone():
        _until_written(writer, attempt)
        return writer.state


def _touch(writer: Writer, showings: _Showings, known: Known | None) -> Recorded:
    state, shown = writer.state, showings.shown
    now = writer.now()
    rows = _rows_of(writer, shown, known)
    # What is bound to one use, and had it, is on its way out: whoever records first has it.
    there = [row for row in rows if row["tier"] in {Tier.LIVE, Tier.LATENT}]
    for row in there:
        codec.refuse_damaged_row(row)
    found = {row["id"]: row for row in there if not (row["useBound"] and row["accessCount"])}
    if showings.whole and not all(item.id in found for item in shown):
        raise GoneMeanwhileError
    late = showings.late and not any(row["useBound"] for row in found.values())
    if not late:
        writer.commit_accesses()
        if writer.state.access_sequence != state.access_sequence:
            message = "another process wrote before what was to be written first"
            raise Conflict(message)
    fading = Fading.by(state.settings)
    counted = {item.id: found[item.id] for item in shown if item.counts and item.id in found}
    scores = {ident: fading.worth(row["score"], now - (row["lastAccess"] or now)) for ident, row in counted.items()}
    changes = [_row(writer, row, now, scores[ident]) for ident, row in counted.items()]
    slots = [_slot(item, found[item.id], scores.get(item.id)) for item in shown if item.id in found]
    usage = state.usage.shown(len(slots))
    details = {"parameters": showings.parameters}
    accessed = [
        Accessed(ident, now, row["accessCount"] + 1, scores[ident], bool(row["useBound"]))
        for ident, row in counted.items()
    ]
    if not late:
        record = append(writer, Operation.ACCESS, details, slots, changes, usage=usage)
        return Recorded(record.iri, writer.state, accessed)
    record, after, row = _built(writer, Operation.ACCESS, details, slots, usage)

    def again() -> None:
        _touch(writer, replace(showings, whole=False), None)

    writer.shared.pending.add(writer, after, row, Waiting(record, changes, again))
    return Recorded(provisional_name(record), after, accessed)


def _rows_of(writer: Writer, shown: Sequence[Showing], known: Known | None) -> list[Row]:
    """Return what is needed of the memories that are shown, read again unless ``known`` still holds."""
    ids = [item.id for item in shown]
    if known is not None and known.holds(writer.state) and all(ident in known.nodes for ident in ids):
        return [{name: known.nodes[ident].get(name) for name in _ACCESSED} for ident in ids]
    rows = writer.read("access_state", {"refs": [codec.ref(writer.tenant, ident) for ident in ids]})
    waiting = writer.shared.pending.changed(writer.tenant, ids)
    return [{**row, **waiting.get(row["id"], {})} for row in rows]


def _slot(item: Showing, row: Row, score: int | None) -> dict[str, Any]:
    """Return what the record says of one memory that was shown, and of its score where that was written down faded."""
    faded = (
        ()
        if score is None or score == row["score"]
        else (f"score_after={score:.6f}", f"score_before={row['score']:.6f}")
    )
    return {"memory": item.id, "tier_after": row["tier"], "features": (*item.features, *faded), "reason": item.reason}


def _built(
    writer: Writer, operation: Operation, details: Mapping[str, Any], slots: list[dict[str, Any]], usage: Usage
) -> tuple[AuditRecord, TenantState, dict[str, Any]]:
    """Return the next record of the access log, the tenant's row after it, and what changes in that."""
    state = writer.state
    now, after = state.at(writer.services.clock.read())
    record = build_record(
        tenant=state.name,
        log=state.access_log,
        sequence=state.access_sequence + 1,
        operation=operation,
        now=now,
        record_details={"actor": writer.services.actor, **details},
        node_details=slots,
        signer=writer.services.signer(),
        source=writer.services.source,
    )
    after = replace(after, access_sequence=state.access_sequence + 1, usage=usage)
    changes = {
        "accessSequence": after.access_sequence,
        "lastTime": after.last_time,
        "suspendedAt": after.suspended_at,
        "usage": usage.to_list(),
    }
    return record, after, changes


def append(
    writer: Writer,
    operation: Operation,
    details: Mapping[str, Any],
    slots: list[dict[str, Any]],
    rows: list[dict[str, Any]],
    *,
    usage: Usage,
) -> AuditRecord:
    """Write one record to the access log with the statistics that it changes, and return it.

    ``usage`` is what reading has come to with it; nothing may wait to be written before it.

    Raises:
        Conflict: another writer was faster; start again from fresh reads.
    """
    state = writer.state
    record, after, changes = _built(writer, operation, details, slots, usage)
    after, signed = bound(after, changes, writer.services.signer(), access_leaf=record.leaf)
    parameters = {
        **state.claim(),
        "set": signed,
        "records": [codec.encode_record(record, "a")],
        "rows": rows,
    }
    writer.touch(parameters, after)
    return record


def _row(writer: Writer, row: Row, now: int, score: int) -> dict[str, Any]:
    """Return the property changes of one memory that was shown and whose score is ``score`` now."""
    scoring = writer.state.settings.scoring
    count = row["accessCount"] + 1
    changes: dict[str, Any] = {"lastAccess": now, "accessCount": count}
    if score != row["score"]:
        changes["score"] = score
    if row["fifoKey"] is not None:
        marked = None if row["eligibleAccess"] is None else (row["eligibleAccess"], row["eligibleCount"])
        kind = Kind(row["kind"])
        *_, kept = effective_access(scoring, marked, now, count, now, kind, row["weight"])
        keys = order_keys(
            scoring,
            tenant=writer.tenant,
            kind=kind,
            weight=row["weight"],
            created=row["created"],
            last_access=now,
            access_count=count,
            sequence=row["sequence"],
            rank=rank_in(row["randomKey"]),
            random_position=random_position(row["randomKey"]),
            eligible=kept,
            sliced=writer.state.settings.partitions.on,
        )
        for name in (LRU_KEY, DECAY_KEY):
            changes[name] = keys[name]
            if writer.index_gaps is not None:
                writer.index_gaps.fill(name, keys[name])
        if marked is not None and kept is None:
            changes["eligibleAccess"] = changes["eligibleCount"] = None
    return {"ref": codec.ref(writer.tenant, row["id"]), "set": changes}
