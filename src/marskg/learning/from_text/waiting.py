"""Proposals that wait for a person: kept hidden in the latent tier, like what is in quarantine, until one decides.

Guarantees: what waits is no value of any key, is shown by no reading but of the latent tier, goes with its turn, and
goes by itself when its time ends (``policy.quarantine``). It says in its key what was proposed, and in its
``contradicts`` edges about what. Accepting does exactly what was proposed; both decisions are recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import NotPermitted
from marskg.extraction.proposal import ProposalOperation
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Cardinality, EdgeType, Kind, TaskStatus
from marskg.store.graph import tiers
from marskg.store.graph.admit import record_followers, record_superseded, supersede
from marskg.store.graph.suppression import suppress_readings
from marskg.store.graph.validation import REVIEW_PREFIX
from marskg.store.rows import codec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.drafts import Draft
    from marskg.extraction.proposal import Proposal
    from marskg.records import Memory
    from marskg.store.unit.unit_of_work import Node, Unit

#: Proposals that wait at once; whoever has more to decide about decides nothing.
MOST_WAITING: Final = 1_000
#: Stands in the key of what waits for a cardinality or a key that it would not have.
_NONE: Final = "-"
_KEY: Final = late_regex(rf"{REVIEW_PREFIX}(?:{'|'.join(ProposalOperation)})/(?:[a-z]+|{_NONE})/")


@dataclass(frozen=True, slots=True)
class Waiting:
    """One proposal in the review: what it would do, to which memories, until when it waits (epoch ms), and why."""

    id: str
    operation: str
    about: tuple[str, ...]
    until: int
    reason: str = ""


def is_waiting(memory: Memory) -> bool:
    """Return whether a memory is a proposal that waits."""
    return memory.key is not None and _KEY.match(memory.key) is not None


def proposed_key(memory: Memory) -> str | None:
    """Return the key of a memory; of what waits, the one that it would have."""
    return _held(memory)[1] if is_waiting(memory) else memory.key


def _held(memory: Memory) -> tuple[Cardinality | None, str | None]:
    """Return the cardinality and the key that what waits would have."""
    _, _, *parts = (memory.key or "").split("/", 3)
    cardinality, key = (None if one == _NONE else one for one in parts)
    return None if cardinality is None else Cardinality(cardinality), key


def waiting(memory: Memory, about: Sequence[str]) -> Waiting:
    """Return the row of a proposal in the review, which has ``about`` at the ends of its ``contradicts`` edges."""
    operation = (memory.key or "").split("/")[1]
    return Waiting(memory.id, operation, tuple(about), memory.grace_until or 0)


def count_waiting(unit: Unit) -> int:
    """Return how many proposals wait, all that is in quarantine where that is less than :data:`MOST_WAITING`."""
    rows = unit.read("quarantined", {"low": f"{unit.state.name}|", "high": f"{unit.state.name}}}"})
    if len(rows) < MOST_WAITING:
        return len(rows)
    unit.fetch([row["id"] for row in rows])
    return sum(is_waiting(unit.nodes[row["id"]].memory) for row in rows if row["id"] in unit.nodes)


def held_as(proposal: Proposal, draft: Draft, about: Sequence[str]) -> dict[str, Any]:
    """Return what of a draft is other while its proposal waits; ``about`` are the ids of what it is about."""
    key = f"{REVIEW_PREFIX}{proposal.operation}/{draft.cardinality or _NONE}/{draft.key or _NONE}"
    changes = {"key": key, "cardinality": Cardinality.APPEND, "contradicts": tuple(dict.fromkeys(about))}
    if draft.kind is Kind.TASK:
        # What nobody accepted is nothing to do yet, and protects nothing.
        changes["status"] = TaskStatus.CANCELLED
    return changes


def hold(unit: Unit, memory: Memory, lasts: int, why: str) -> None:
    """Keep what was admitted as it is held until a person decides about it, for at most ``lasts`` ms."""
    tiers.archive(unit, [tiers.Departure(memory.id, {"rule": "review", "reason": why})], grace=lasts)


def accepted(unit: Unit, ident: str) -> tuple[Node, ProposalOperation, list[Node]]:
    """Return what waits, what it proposes and the current memories that it is about."""
    node = unit.node(ident)
    operation = ProposalOperation((node.memory.key or "").split("/")[1])
    unit.fetch(node.targets(EdgeType.CONTRADICTS))
    about = [unit.node(target) for target in node.targets(EdgeType.CONTRADICTS)]
    return node, operation, [one for one in about if one.has_content and one.memory.current]


def take_in(unit: Unit, node: Node, about: Sequence[Node]) -> tuple[str, ...]:
    """Let what waited hold from now on, in the place of what it is about; returns the ids of what changed."""
    cardinality, key = _held(node.memory)
    held = None if key is None else cardinality or Cardinality.SINGLE
    slot = []
    if key is not None and held is Cardinality.SINGLE:
        found = unit.slot(codec.slot_key(unit.state.name, node.memory.subjects, key))
        slot = [one for one in found if one is not node and one.has_content and one.memory.current]
    if any(one.memory.valid_from > node.memory.valid_from for one in slot):
        msg = f"{node.memory.id} is of before what holds now; reject it, or store it by hand if it is right after all"
        raise NotPermitted(msg)
    for target in node.targets(EdgeType.CONTRADICTS):
        unit.unlink(node, EdgeType.CONTRADICTS, target)
    unit.change(node, key=key, cardinality=held)
    if node.memory.kind is Kind.TASK:
        unit.change(node, status=TaskStatus.OPEN)
    older = {one.memory.id: one for one in about if one.memory.valid_from <= node.memory.valid_from}
    older |= {one.memory.id: one for one in slot}
    followers = [follower for one in older.values() for follower in supersede(unit, one, node)]
    unit.settle_activity(node)
    tiers.restore(unit, node, reason="a person accepted what was read")
    for one in older.values():
        record_superseded(unit, one)
    record_followers(unit, followers)
    return (node.memory.id, *older)


def refuse_proposal(unit: Unit, ident: str) -> None:
    """Take a proposal out of the store because a person refused it: its words do not propose it again."""
    memory = unit.node(ident).memory
    suppress_readings(unit, ((span, proposed_key(memory)) for span in memory.spans))
    drop(unit, ident, "a person refused what was read")


def drop(unit: Unit, ident: str, reason: str) -> None:
    """Take a proposal that waited out of the store."""
    tiers.evict(unit, [tiers.Departure(ident, {"rule": "review", "reason": reason})])
