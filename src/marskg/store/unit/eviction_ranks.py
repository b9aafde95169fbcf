"""The rank of a memory in every order of eviction: what it says decides it, before time, reading and importance do.

Guarantees: what a life depends on (:mod:`marskg.store.unit.depended_on`) goes after all else that may go; a turn of
which current facts say every word goes before what is said once, as its words would be paid for twice, unless a life
depends on it and not on them. A rank protects nothing: budgets hold, and expiry, erasure and pins come before it. It is
kept at the node beside its order keys, outside of its commitment, and no record tells of it but that of an eviction:
so who may not see a fact learns nothing of it from its turn.
Source: issue 54 item 8; semantics sections 7 and 13; ADR 104.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.ontology.vocabulary import EdgeType, Kind, Tier
from marskg.store.rows.order_keys import RESTATED, VITAL
from marskg.store.unit.depended_on import rank_at_birth
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.records import Memory
    from marskg.store.unit.unit_of_work import Node, Unit


def settle_ranks(unit: Unit) -> None:
    """Let turns have the ranks that follow from what this unit derives from them, and from the facts that it takes."""
    _forget(unit)
    drawn = unit.drawn(EdgeType.DERIVES_FROM)
    turns = [turn for target in drawn if (turn := unit.find_node(target)) is not None and is_turn(turn.memory)]
    waiting = [turn for turn in turns if turn.rank != RESTATED and not _restate(unit, turn, drawn[turn.memory.id])]
    stored = [turn.memory.id for turn in waiting if not turn.new]
    known: dict[str, list[str]] = {}
    for source, target, type_ in unit.incoming(stored):
        if type_ is EdgeType.DERIVES_FROM:
            known.setdefault(target, []).append(source)
    unit.fetch(sorted({source for sources in known.values() for source in sources}))
    for turn in waiting:
        _restate(unit, turn, known.get(turn.memory.id, ()))


def _restate(unit: Unit, turn: Node, sources: Iterable[str]) -> bool:
    """Let a turn go early if the facts among ``sources`` say every word of it; return whether they do."""
    facts = [node for source in sources if (node := unit.find_node(source)) is not None and states(node.memory)]
    kept = turn.rank != VITAL or any(fact.rank == VITAL for fact in facts)
    restated = bool(facts) and kept and say_all((fact.memory for fact in facts), turn.memory)
    if restated:
        turn.stand(RESTATED)
    return restated


def _forget(unit: Unit) -> None:
    """Give turns back the ranks of their own words where a fact that said these loses its content while it held."""
    lost = [node for node in unit.nodes.values() if _went(node)]
    bases = {target for node in lost for type_, target in node.stored_edges if type_ is EdgeType.DERIVES_FROM}
    for target in sorted(bases):
        if unit.tier_of(target) is Tier.LIVE:
            turn = unit.find_node(target)
            if turn is not None and turn.rank == RESTATED:
                turn.stand(rank_at_birth(turn.memory))


def _went(node: Node) -> bool:
    """Return whether a current memory that stood here with content has lost it in this unit."""
    stored = node.stored
    return stored is not None and stored.content is not None and stored.superseded_at is None and not node.has_content


def say_all(facts: Iterable[Memory], turn: Memory) -> bool:
    """Return whether ``facts`` together say every word of ``turn``: in their text, or by the name of their slot."""
    said = set(terms(turn.content or ""))
    for fact in facts:
        said.difference_update(terms(fact.content or ""))
        said.difference_update(terms((fact.key or "").replace("/", " ").replace("_", " ")))
    return not said


def states(memory: Memory) -> bool:
    """Return whether this is a fact that holds, in the live tier."""
    return memory.kind is not Kind.EPISODIC and memory.tier is Tier.LIVE and memory.current


def is_turn(memory: Memory) -> bool:
    """Return whether this is a turn in the live tier."""
    return memory.kind is Kind.EPISODIC and memory.tier is Tier.LIVE
