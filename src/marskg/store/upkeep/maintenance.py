"""What time and operators ask of a tenant: expiry, the clock's confirmation, the order keys anew, the figures.

Guarantees: what has expired is swept before anything new is written; while a jump of the clock suspends expiry nothing
but what is private is removed, and what was held back goes when it ends; the figures come from the graph itself, not
from the tenant's row, so that they can be held against it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NotRequired, TypedDict

from marskg.clock import JUMP_MS
from marskg.ontology.vocabulary import KINDS, Kind, MemoryClass, Operation, SourceType, Tier, is_higher
from marskg.store.graph.preference_backfill import end_due_consents
from marskg.store.rows import codec
from marskg.store.rows.kind_statistics import KindStatistics
from marskg.store.rows.monotonic_clock import SUSPENDED
from marskg.store.unit.reader import GraphReader, Tally
from marskg.store.unit.vectors import NONE, tag
from marskg.store.upkeep.due_times import live_on, protect_again, settle_due, settle_private
from marskg.store.upkeep.lift_lifetimes import lift
from marskg.store.upkeep.reweigh import FORMER
from marskg.weight import RULE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Reader
    from marskg.store.unit.quotas import Allowance
    from marskg.store.unit.unit_of_work import Unit

_PAGE = 200
#: Who says that the clock is right, as the audit has it: a person, or both clocks by having agreed for an hour.
_PERSON, _AGREEMENT = "person", "agreement"


def settle(writer: Writer, *, force: bool = False) -> int:
    """Sweep what is due, if anything is, and end an ordering that was cut off; returns how many were swept.

    While expiry is suspended only memories of class ``private`` go; a suspension ends here once both clocks have
    agreed for an hour (semantics section 10): what is private goes first, by the time until then.
    """
    if writer.state.lifting:
        lift(writer)
    if writer.state.reordering:
        _order_anew(writer)
    reading = writer.services.clock.read()
    now, suspended = writer.state.moment(reading)
    done = 0
    if suspended is not None and writer.state.believes(reading):
        done = _sweep_private(writer, now)
        _believe(writer, _AGREEMENT)
        now, suspended = writer.state.moment(writer.services.clock.read())
    held = suspended is not None
    if not held:
        _settle_consents(writer)
    due = writer.shared.next_due is not None and now >= writer.shared.next_due
    if not (force or due or (writer.shared.held_back and not held)):
        return done
    done += _sweep_private(writer, now) if held else _sweep(writer)
    moment = next_due(writer, now) if held else next_due(writer)
    writer.shared.expect_due(moment, held_back=held)
    return done


def is_suspended(writer: Writer) -> bool:
    """Return whether expiry is suspended after a jump of the clock."""
    state, reading = writer.state, writer.services.clock.read()
    return state.moment(reading)[1] is not None and not state.believes(reading)


def notices_of(writer: Writer) -> tuple[str, ...]:
    """Return what every answer tells of the tenant: that expiry is suspended, or that a former rule weighed it."""
    told = (SUSPENDED,) if is_suspended(writer) else ()
    return told if writer.state.weighed_by >= RULE else (*told, FORMER)


def _sweep(writer: Writer) -> int:
    done = 0
    while swept := writer.run(lambda unit: settle_due(unit, _PAGE)):
        done += swept
    return done


def _sweep_private(writer: Writer, now: int) -> int:
    """Expire what is private and due; everything else that is due waits for the end of the suspension."""
    pages = _private_due(writer.read, f"{writer.tenant}|", f"{writer.tenant}|{now + 1:016x}")
    return sum(writer.run(partial(settle_private, ids=ids)) for ids in pages)


def _private_due(read: Reader, low: str, high: str) -> Iterator[list[str]]:
    """Yield the ids of what is private and due from the key ``low`` to before ``high``, in pages."""
    limit = _PAGE
    while rows := read("due", {"low": low, "high": high, "limit": limit}):
        if ids := [row["id"] for row in rows if row["class"] == MemoryClass.PRIVATE]:
            yield ids
        if len(rows) < limit:
            break
        # Any number may be due in one millisecond, and no more than that tells them apart.
        limit = limit * 2 if rows[-1]["key"] == low else _PAGE
        low = rows[-1]["key"]


def _settle_consents(writer: Writer) -> None:
    """Note the consents that are over by now."""
    state = writer.state
    if state.preferences and writer.preference_set().due(state.moment(writer.services.clock.read())[0]):
        writer.run(end_due_consents)


def next_due(writer: Writer, after: int = -1) -> int | None:
    """Return when the next of a tenant's memories is due ``after`` a moment, epoch milliseconds; None if none is."""
    low = f"{writer.tenant}|{after + 1:016x}"
    rows = writer.read("due", {"low": low, "high": f"{writer.tenant}}}", "limit": 1})
    try:
        return int(rows[0]["key"].rpartition("|")[2], 16) if rows else None
    except codec.DAMAGE as error:
        raise codec.damaged(rows[0]["id"], "dueKey") from error


def confirm_clock(writer: Writer) -> None:
    """Record that the clock is right, and let expiry go on; the last recorded time is the clock's from now on.

    A clock that never jumps may also have been ahead for a while, and be far behind what was read of it then.
    """
    if is_suspended(writer) or writer.now() - writer.services.clock.wall_ms() > JUMP_MS:
        _believe(writer, _PERSON)


def _believe(writer: Writer, by: str) -> None:
    """Take the clock for right, also where it lies before the last recorded time: ages would stand still otherwise."""
    before = writer.now()
    now = writer.services.clock.believe()

    def work(unit: Unit) -> None:
        unit.confirm_clock(now)
        unit.audit.note(Operation.CONFIRM_CLOCK, parameters=(f"confirmed_by={by}",))
        if now < unit.before.last_time:
            for ids in _private_due(unit.read, f"{writer.tenant}|{now + 1:016x}", f"{writer.tenant}}}"):
                live_on(unit, ids, before)

    behind = now < writer.state.last_time
    writer.run(work)
    if behind:
        _protect_again(writer)
    writer.shared.expect_due(0)


def _protect_again(writer: Writer) -> None:
    """Let tasks that only a wrong time ahead had ended protect what they require."""
    found = GraphReader(writer.engine, writer.tenant).memories()
    tasks = [one.id for one, _, _ in found if one.kind is Kind.TASK and one.deadline is not None]
    for start in range(0, len(tasks), _PAGE):
        writer.run(partial(protect_again, ids=tasks[start : start + _PAGE]))


class KindFigures(TypedDict):
    """Memories of one kind by tier, and the ``weight`` of the live ones in tokens."""

    live: int
    weight: int
    latent: int
    tombstones: NotRequired[int]


class KindShare(TypedDict):
    """Tokens of a kind: what it may have, what it keeps in any case, what it has; the price of its next one in 1e-6."""

    share: int
    reserve: int
    weight: int
    price: int


class Quotas(TypedDict, total=False):
    """Parts of the budget, by kind and by user or conversation, where there are any."""

    partitions: Mapping[str, KindShare]
    allowances: Mapping[str, Allowance]


class Counted(TypedDict):
    """Memories and tokens by tier and kind, of what somebody may see."""

    live: int
    latent: int
    weight: int
    latent_weight: int
    by_kind: dict[str, KindFigures]


class Stats(Counted, Quotas):
    """The figures of ``mem.stats()``: numbers of memories, and weights in tokens.

    ``weight`` is of the live memories, ``protected_weight`` of those that no policy takes; ``audit_seq`` and
    ``access_seq`` are the last numbers of the two logs; ``without_vector`` and ``unread`` count what waits for a vector
    or to be read for facts; ``partitions`` are the kinds' shares of the budget, ``allowances`` the budgets of single
    users and conversations, where there are any. Who sees a part of the tenant gets the figures of that part, and none
    that would tell of the rest.
    """

    tenant: str
    budget: int
    policy: str
    notices: list[str]
    engine: str
    embedding: str
    tombstones: NotRequired[int]
    protected_weight: NotRequired[int]
    audit_seq: NotRequired[int]
    access_seq: NotRequired[int]
    expiry_suspended: NotRequired[bool]
    without_vector: NotRequired[int]
    unread: NotRequired[int]


def stats(writer: Writer, reader: GraphReader) -> Stats:
    """Return the figures of ``mars stats``."""
    state = writer.fresh_state()
    model = state.embedding_model
    counts = reader.counts("" if model is None else tag(model))
    by_tier = {tier: sum(one.number for (found, _), one in counts.items() if found is tier) for tier in Tier}
    return {
        "tenant": state.name,
        "live": by_tier[Tier.LIVE],
        "latent": by_tier[Tier.LATENT],
        "tombstones": by_tier[Tier.TOMBSTONE],
        "weight": sum(one.weight for (tier, _), one in counts.items() if tier is Tier.LIVE),
        "latent_weight": sum(one.weight for (tier, _), one in counts.items() if tier is Tier.LATENT),
        "budget": state.budget,
        "protected_weight": state.protected_weight,
        "by_kind": {
            kind.value: {
                "live": counts.get((Tier.LIVE, kind), Tally()).number,
                "weight": counts.get((Tier.LIVE, kind), Tally()).weight,
                "latent": counts.get((Tier.LATENT, kind), Tally()).number,
                "tombstones": counts.get((Tier.TOMBSTONE, kind), Tally()).number,
            }
            for kind in Kind
        },
        "policy": state.settings.policy.name,
        "audit_seq": state.sequence,
        "access_seq": state.access_sequence,
        "expiry_suspended": is_suspended(writer),
        "notices": list(notices_of(writer)),
        "engine": writer.engine.name,
        "embedding": state.settings.embedding.model,
        # A tenant that is kept without vectors lacks none.
        "without_vector": 0 if state.settings.embedding.model == NONE else sum(one.lacking for one in counts.values()),
        "unread": sum(one.unread for one in counts.values()),
    }


def _order_anew(writer: Writer) -> None:
    """Compute every order key anew after what they are made of changed, and the census; again if it was cut off."""
    page: list[str] = []

    def work(unit: Unit, *, last: bool) -> None:
        unit.fetch(page)
        protect_again(unit, page)
        for node in unit.nodes.values():
            node.mark(None)
        census = _count(unit) if last else unit.state.census
        unit.update_tenant(reordering=not last, census=census)
        unit.audit.note(Operation.MIGRATE, parameters=unit.state.settings.to_parameters())

    for memory, _, _ in GraphReader(writer.engine, writer.tenant).memories():
        # What is latent is in no order, and due all the same: a task that still protects something.
        if memory.content is not None:
            page.append(memory.id)
        if len(page) >= _PAGE:
            writer.run(partial(work, last=False))
            page = []
    writer.run(partial(work, last=True))
    writer.shared.expect_due(next_due(writer))


def _count(unit: Unit) -> KindStatistics:
    """Return the census of the graph itself; other writers since would make the unit start again."""
    rows = {row["kind"]: row for row in unit.read("census", {"tenant": unit.state.name})}
    weights = tuple(int(rows[kind]["weight"]) if kind in rows else 0 for kind in KINDS)
    counts = tuple(int(rows[kind]["count"]) if kind in rows else 0 for kind in KINDS)
    lower = [
        (int(row["weight"]), int(row["protected"]))
        for row in unit.read("census_sources", {"tenant": unit.state.name})
        if not is_higher(SourceType(row["source"]), row["reliability"])
    ]
    return KindStatistics(
        weights,
        counts,
        sum(int(row["created"]) for row in rows.values()),
        sum(weight for weight, _ in lower),
        sum(protected for _, protected in lower),
    )
