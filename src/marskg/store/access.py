"""The access log: who was shown what, by id, and the statistics that an access changes.

Guarantees: one signed record for each showing, with a slot for each memory, in a log and sequence of its own (I7); the
order keys of what was touched move with it, by the hysteresis of MaRS section 5.3; a score that faded
while nobody looked is written down as what it is worth now, because a showing ends the idle time; never a query's text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from marskg.audit.record import build_record
from marskg.errors import EngineUnavailable
from marskg.ontology.vocabulary import Kind, Operation, Tier
from marskg.store import codec
from marskg.store.engine import Conflict
from marskg.store.fading import Fading
from marskg.store.order import DECAY_KEY, LRU_KEY, effective_access, order_keys, random_position

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from marskg.store.engine import Row
    from marskg.store.state import TenantState
    from marskg.store.usage import Usage
    from marskg.store.writer import Writer

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
    "supersededAt",
    "fifoKey",
    "eligibleAccess",
    "eligibleCount",
    "randomKey",
)


@dataclass(frozen=True, slots=True)
class Showing:
    """One memory that was shown, the numbers behind it as ``name=value`` strings, and the reason."""

    id: str
    features: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """Nodes that were read after the tenant's row was ``at``: their properties by id.

    The record is written only if no other was written since ``at``, so that reading them again would show the same.
    """

    at: TenantState
    nodes: Mapping[str, Row]

    def holds(self, state: TenantState) -> bool:
        """Return whether nothing was written between ``at`` and ``state``."""
        then = self.at
        return (then.log, then.access_log, then.sequence, then.access_sequence) == (
            state.log,
            state.access_log,
            state.sequence,
            state.access_sequence,
        )


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


def record_access(writer: Writer, ids: Iterable[str], *, purpose: str | None = None) -> list[Accessed]:
    """Record that memories were shown; returns those of ``ids`` that exist with content.

    Raises:
        EngineUnavailable: the engine cannot be reached.
    """
    parameters = () if purpose is None else (f"purpose={purpose}",)
    return _recorded(writer, [Showing(ident) for ident in sorted(set(ids))], parameters, whole=False)[1]


def record_showing(
    writer: Writer, shown: Sequence[Showing], parameters: tuple[str, ...], known: Known | None = None
) -> tuple[TenantState, list[Accessed]]:
    """Record that memories are shown, in this order; returns the tenant's row after it and the new statistics.

    ``known`` spares reading them again while nothing else was written.

    Raises:
        GoneMeanwhileError: one of them must not be shown any more: its content is gone, or its one use was.
        EngineUnavailable: the engine cannot be reached, or the tenant stays contended.
    """
    return _recorded(writer, shown, parameters, known, whole=True)


def _recorded(
    writer: Writer,
    shown: Sequence[Showing],
    parameters: tuple[str, ...],
    known: Known | None = None,
    *,
    whole: bool,
) -> tuple[TenantState, list[Accessed]]:
    """Record a showing: the ``whole`` of ``shown`` or nothing, or what of it there is."""
    statistics: list[Accessed] = []

    def attempt() -> None:
        statistics[:] = _touch(writer, shown, parameters, known, whole=whole)

    with writer.alone():
        _until_written(writer, attempt)
        return writer.state, statistics


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


def _touch(
    writer: Writer, shown: Sequence[Showing], parameters: tuple[str, ...], known: Known | None, *, whole: bool
) -> list[Accessed]:
    state = writer.state
    now, _ = state.at(writer.services.clock.now_ms())
    if known is not None and known.holds(state) and all(item.id in known.nodes for item in shown):
        nodes = [known.nodes[item.id] for item in shown]
        rows: list[Row] = [{name: node.get(name) for name in _ACCESSED} for node in nodes]
    else:
        rows = writer.read("access_state", {"refs": [codec.ref(state.name, item.id) for item in shown]})
    # What is bound to one use, and had it, is on its way out: whoever records first has it.
    there = (row for row in rows if row["tier"] in {Tier.LIVE, Tier.LATENT})
    found = {row["id"]: row for row in there if not (row["useBound"] and row["accessCount"])}
    if whole and not all(item.id in found for item in shown):
        raise GoneMeanwhileError
    fading = Fading.by(state.settings)
    scores = {row["id"]: fading.worth(row["score"], now - (row["lastAccess"] or now)) for row in found.values()}
    changes = [_row(writer, row, now, scores[row["id"]]) for row in found.values()]
    slots = [_slot(item, found[item.id], scores[item.id]) for item in shown if item.id in found]
    append(writer, Operation.ACCESS, {"parameters": parameters}, slots, changes, usage=state.usage.shown(len(slots)))
    return [
        Accessed(row["id"], now, row["accessCount"] + 1, scores[row["id"]], bool(row["useBound"]))
        for row in found.values()
    ]


def _slot(item: Showing, row: Row, score: int) -> dict[str, Any]:
    """Return what the record says of one memory that was shown, and of its score where that had faded."""
    faded = () if score == row["score"] else (f"score_after={score:.6f}", f"score_before={row['score']:.6f}")
    return {"memory": item.id, "tier_after": row["tier"], "features": (*item.features, *faded), "reason": item.reason}


def append(
    writer: Writer,
    operation: Operation,
    details: Mapping[str, Any],
    slots: list[dict[str, Any]],
    rows: list[dict[str, Any]],
    *,
    usage: Usage,
) -> int:
    """Append one record to the access log with the statistics that it changes; returns how many nodes changed.

    ``usage`` is what reading has come to with it.

    Raises:
        Conflict: another writer was faster; start again from fresh reads.
    """
    state = writer.state
    now, after = state.at(writer.services.clock.now_ms())
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
    parameters = {
        "tenant": state.name,
        "expected": state.sequence,
        "accessed": state.access_sequence,
        "set": {
            "accessSequence": after.access_sequence,
            "lastTime": after.last_time,
            "suspendedAt": after.suspended_at,
            "usage": usage.to_list(),
        },
        "record": codec.encode_record(record, "a"),
        "rows": rows,
    }
    return writer.touch(parameters, after)


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
            superseded=row["supersededAt"] is not None,
            random_position=random_position(row["randomKey"]),
            eligible=kept,
            sliced=writer.state.settings.partitions.on,
        )
        for name in (LRU_KEY, DECAY_KEY):
            changes[name] = keys[name]
            if writer.hollows is not None:
                writer.hollows.fill(name, keys[name])
        if marked is not None and kept is None:
            changes["eligibleAccess"] = changes["eligibleCount"] = None
    return {"ref": codec.ref(writer.tenant, row["id"]), "set": changes}
