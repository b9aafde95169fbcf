"""Worst-case neighbouring stores for the audit of differential privacy, and the audit itself.

Two stores that share all that neighbours share. They differ in the content of one memory, an active task that is the
goal: in the one store all of the others are exactly what it is about and the target is not, in the other it is the
reverse. The settings let nothing but this similarity count, so that every score moves by the whole range at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import beta

from marskg.config import FEATURES, Settings
from marskg.ontology.vocabulary import Kind, Tier
from marskg.policies.sample_stores import NOW, SampleStore
from marskg.records import Memory
from marskg.store.rows import codec
from marskg.store.rows.order_keys import CURRENT, SUPERSEDED, order_keys
from marskg.store.statements.catalogue import statement

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.policies.core.features import FeatureTable
    from marskg.store.engine.protocol import Engine

WEIGHT = 10
_TENANTS = count(1)
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Neighbour(SampleStore):
    """A store whose similarities to the goal, sensitivities and novelties are given, in 1e-6 and by id."""

    goal: Mapping[str, int] | None = None
    sensitive: Mapping[str, int] | None = None
    novel: Mapping[str, int] | None = None

    def table(self, *, linked: bool = False) -> FeatureTable:
        """Return the features, with what is given in the place of what is drawn."""
        drawn = super(Neighbour, self).table(linked=linked)
        columns = dict(drawn.columns)
        for name, given in (("goal", self.goal), ("sensitivity", self.sensitive), ("novelty", self.novel)):
            if given is not None:
                columns[name] = np.array([given.get(ident, 0) for ident in drawn.ids], dtype=np.int64)
        return replace(drawn, columns=columns)


def only(feature: str | None, **values: object) -> Settings:
    """Return settings under which one feature makes up utility, or nothing but sensitivity does."""
    theta = {f"policy.density.theta.{kind.value}.{name}": 0 for kind in Kind for name in FEATURES}
    if feature is not None:
        theta |= {f"policy.density.theta.{kind.value}.{feature}": 1 for kind in Kind}
    named = {name.replace("__", "."): value for name, value in values.items()}
    return Settings().with_values({**theta, "policy.density.lambda_priv": int(feature is None), **named})


def row_of_leaves(
    engine: Engine, number: int, settings: Settings, *, sessions: tuple[str | None, ...] = (None,), **kinds: object
) -> Neighbour:
    """Write ``number`` leaves of one weight, each of the next of ``sessions``; ``kinds`` are fields of all."""
    tenant = f"neighbours-{next(_TENANTS)}"
    memories = {}
    for place in range(number):
        ident = f"urn:uuid:{place + 1:08x}-0000-7000-8000-000000000000"
        memories[ident] = Memory(
            id=ident,
            tenant=tenant,
            content=f"memory {place}",
            created=NOW,
            sequence=place + 1,
            valid_from=NOW,
            weight=WEIGHT,
            session=sessions[place % len(sessions)],
            last_access=NOW,
            tier=Tier.LIVE,
            score=50,
            **{"kind": Kind.EPISODIC, **kinds},  # type: ignore[arg-type]
        )
    rows = [_row(memory, settings) for memory in memories.values()]
    kind = next(iter(memories.values())).kind
    for start in range(0, len(rows), 1_000):
        parameters = {"rows": rows[start : start + 1_000]}
        engine.write(statement("create_bare_memories", engine.name, kind=kind), parameters)
    return Neighbour(engine, tenant, memories, dict.fromkeys(memories, ()), settings)


def _row(memory: Memory, settings: Settings) -> dict[str, object]:
    keys = order_keys(
        settings.scoring,
        tenant=memory.tenant,
        kind=memory.kind,
        weight=memory.weight,
        created=memory.created,
        last_access=memory.last_access,
        access_count=0,
        sequence=memory.sequence,
        rank=CURRENT if memory.superseded_at is None else SUPERSEDED,
        random_position=memory.sequence,
        eligible=None,
        sliced=False,
    )
    return {**codec.encode_memory(memory), "guards": 0, "blockers": 0, **keys}


def worst_case(engine: Engine, number: int, settings: Settings) -> tuple[Neighbour, Neighbour]:
    """Return two neighbours of ``number`` leaves, the first of which is the target."""
    store = row_of_leaves(engine, number, settings)
    target, *others = store.memories
    apart = {target: 0, **dict.fromkeys(others, _MILLION)}
    return replace(store, goal=apart), replace(store, goal={ident: _MILLION - value for ident, value in apart.items()})


def lower_bound(hits: int, other: int, draws: int, *, alpha: float) -> float:
    """Return an epsilon that a mechanism surely spends, with confidence 1 - ``alpha`` (Clopper and Pearson).

    Args:
        hits: how often an event came about on one store.
        other: how often it did on its neighbour.
        draws: how often each was tried.
        alpha: how likely it is that a mechanism which spends less is found to spend this much.
    """
    low = beta.ppf(alpha / 2, hits, draws - hits + 1) if hits else 0.0
    high = beta.ppf(1 - alpha / 2, other + 1, draws - other) if other < draws else 1.0
    return math.log(low / high) if low > 0 else -math.inf


def audited(draw: Callable[[int], int], other: Callable[[int], int], draws: int, *, alpha: float) -> float:
    """Return the largest epsilon that the two draws show, over all that they may come to and both directions.

    Each draws a number by the how-manieth it is; ``alpha`` is shared out among the events that are looked at.
    """
    mine, theirs = [draw(place) for place in range(draws)], [other(place) for place in range(draws)]
    events = sorted({*mine, *theirs})
    share = alpha / (2 * len(events))
    found = []
    for event in events:
        hits, others = mine.count(event), theirs.count(event)
        found += [lower_bound(hits, others, draws, alpha=share), lower_bound(others, hits, draws, alpha=share)]
    return max(found)
