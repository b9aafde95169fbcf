"""What time and operators ask of a tenant: expiry, the clock's confirmation, the order keys anew, the figures.

Guarantees: what has expired is swept before anything new is written; while a jump of the clock is unconfirmed nothing
is removed; the figures come from the graph itself, not from the tenant's row, so that they can be held against it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from marskg.ontology.vocabulary import KINDS, Kind, Operation, Tier
from marskg.store.census import Census
from marskg.store.lifecycle import settle_due
from marskg.store.reader import GraphReader
from marskg.store.reapplying import end_due_consents
from marskg.store.reembedding import missing

if TYPE_CHECKING:
    from marskg.store.unit import Unit
    from marskg.store.writer import Writer

_PAGE = 200


def settle(writer: Writer, *, force: bool = False) -> int:
    """Sweep what is due, if anything is, and end an ordering that was cut off; returns how many were swept."""
    if writer.state.reordering:
        _order_anew(writer)
    now, suspended = writer.state.moment(writer.services.clock.now_ms())
    if suspended is not None:
        return 0
    _settle_consents(writer)
    if not force and (writer.next_due is None or now < writer.next_due):
        return 0
    done = 0
    while True:
        swept = writer.run(lambda unit: settle_due(unit, _PAGE))
        done += swept
        if swept == 0:
            break
    writer.next_due = next_due(writer)
    return done


def _settle_consents(writer: Writer) -> None:
    """Note the consents that are over by now."""
    state = writer.state
    if not state.preferences:
        return
    now, suspended = state.moment(writer.services.clock.now_ms())
    if suspended is None and writer.book().due(now):
        writer.run(end_due_consents)


def next_due(writer: Writer) -> int | None:
    """Return when the next of a tenant's memories is due, in epoch milliseconds, by the graph; None if none is."""
    rows = writer.read("due", {"low": f"{writer.tenant}|", "high": f"{writer.tenant}}}", "limit": 1})
    return int(rows[0]["key"].rpartition("|")[2], 16) if rows else None


def confirm_clock(writer: Writer) -> None:
    """Record that the clock is right, and let expiry go on."""

    def work(unit: Unit) -> None:
        unit.state = replace(unit.state, suspended_at=None)
        unit.note(Operation.CONFIRM_CLOCK)

    if writer.state.moment(writer.services.clock.now_ms())[1] is not None:
        writer.run(work)
        writer.next_due = 0


def stats(writer: Writer, reader: GraphReader) -> dict[str, Any]:
    """Return the figures of ``mars stats``."""
    state = writer.fresh_state()
    counts = reader.counts()
    by_tier = {tier: sum(number for (found, _), (number, _) in counts.items() if found is tier) for tier in Tier}
    return {
        "tenant": state.name,
        "live": by_tier[Tier.LIVE],
        "latent": by_tier[Tier.LATENT],
        "tombstones": by_tier[Tier.TOMBSTONE],
        "weight": sum(weight for (tier, _), (_, weight) in counts.items() if tier is Tier.LIVE),
        "latent_weight": sum(weight for (tier, _), (_, weight) in counts.items() if tier is Tier.LATENT),
        "budget": state.budget,
        "protected_weight": state.protected_weight,
        "by_kind": {
            kind.value: {
                "live": counts.get((Tier.LIVE, kind), (0, 0))[0],
                "weight": counts.get((Tier.LIVE, kind), (0, 0))[1],
                "latent": counts.get((Tier.LATENT, kind), (0, 0))[0],
                "tombstones": counts.get((Tier.TOMBSTONE, kind), (0, 0))[0],
            }
            for kind in Kind
        },
        "policy": state.settings.policy.name,
        "audit_seq": state.sequence,
        "access_seq": state.access_sequence,
        "expiry_suspended": state.at(writer.services.clock.now_ms())[1].suspended_at is not None,
        "engine": writer.engine.name,
        "embedding": state.settings.embedding.model,
        "without_vector": missing(reader, state),
    }


def _order_anew(writer: Writer) -> None:
    """Compute every order key anew after what they are made of changed, and the census; again if it was cut off."""
    page: list[str] = []

    def work(unit: Unit, *, last: bool) -> None:
        unit.fetch(page)
        for node in unit.nodes.values():
            node.eligible = None
        census = _count(unit) if last else unit.state.census
        unit.state = replace(unit.state, reordering=not last, census=census)
        unit.note(Operation.MIGRATE, parameters=unit.state.settings.to_parameters())

    for memory, _, _ in GraphReader(writer.engine, writer.tenant).memories():
        if memory.tier is Tier.LIVE:
            page.append(memory.id)
        if len(page) >= _PAGE:
            writer.run(partial(work, last=False))
            page = []
    writer.run(partial(work, last=True))


def _count(unit: Unit) -> Census:
    """Return the census of the graph itself; other writers since would make the unit start again."""
    rows = {row["kind"]: row for row in unit.read("census", {"tenant": unit.state.name})}
    weights = tuple(int(rows[kind]["weight"]) if kind in rows else 0 for kind in KINDS)
    counts = tuple(int(rows[kind]["count"]) if kind in rows else 0 for kind in KINDS)
    return Census(weights, counts, sum(int(row["created"]) for row in rows.values()))
