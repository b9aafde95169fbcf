"""How well what is read of conversations agrees with the facts that they say.

Guarantees: no language model reads or judges. What counts is a proposal of ``mem.learn(…, dry_run=True)`` that is typed
(a subject, and a key, a relation or a payload). It says a fact of its turn if it has half of the fact's stems and at
most 1.3 times as many; each proposal and each fact is matched once, by a largest matching. ``copied`` is each turn as
it stands under the same rule; ``said`` is the share of facts that a copied turn says at any length.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from marskg.text import terms
from marskg_bench.common.bootstrap import ratio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from marskg.extraction.proposal import Proposal
    from marskg.memory import AgentMemory
    from marskg_bench.talks.talk import Gold, Talk

LONGER: Final = 1.3
SHARE: Final = 0.5
ALL: Final = "all"
_SEED: Final = 17


@dataclass(slots=True)
class Counts:
    """Counts of one conversation by kind of fact, and of proposals by the first part of their key."""

    facts: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    proposed: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    copied: int = 0
    copied_turns: int = 0
    said: int = 0
    idle: int = 0
    idle_read: int = 0


def proposals(mem: AgentMemory, talk: Talk) -> list[tuple[int, Proposal]]:
    """Return the typed proposals of a conversation with the position of their turn; nothing is stored.

    Raises:
        MarsError: the product refuses a turn.
    """
    places = {turn.at: place for place, turn in enumerate(talk.turns)}
    told = [
        {
            "role": turn.role,
            "content": turn.text,
            "timestamp": datetime.fromtimestamp(turn.at / 1000, UTC).isoformat(),
            "speaker": turn.speaker,
            "session": f"{talk.name} {turn.session}",
        }
        for turn in talk.turns
    ]
    plan: Any = mem.learn(told, dry_run=True)
    return [(places[plan.turns[one.span.turn].turn.at], one) for one in plan.proposals if typed(one)]


def typed(proposal: Proposal) -> bool:
    """Return whether a proposal says of whom and what it speaks."""
    return bool(proposal.subjects and (proposal.key or proposal.relations or proposal.payload))


def count(talk: Talk, read: Sequence[tuple[int, Proposal]]) -> Counts:
    """Return what of ``read`` says a fact of ``talk``, and what of the facts is said."""
    counts = Counts(idle=len(talk.idle), copied_turns=len(talk.turns))
    pairs = matching([(place, one.content) for place, one in read], talk.facts)
    for place, fact in enumerate(talk.facts):
        for kind in (ALL, *fact.kinds):
            counts.facts[kind] += 1
            counts.found[kind] += place in pairs.values()
    for number, (_, one) in enumerate(read):
        for kind in (ALL, (one.key or "without a key").partition("/")[0]):
            counts.proposed[kind] += 1
            counts.right[kind] += number in pairs
    copies = [(place, turn.text) for place, turn in enumerate(talk.turns)]
    counts.copied = len(matching(copies, talk.facts))
    counts.said = sum(_says(" ".join(talk.turns[turn].text for turn in one.turns), one) for one in talk.facts)
    counts.idle_read = len(talk.idle & {place for place, _ in read})
    return counts


def _says(text: str, fact: Gold) -> bool:
    wanted = frozenset(terms(fact.statement))
    return len(wanted.intersection(terms(text))) >= SHARE * len(wanted)


def matching(read: Sequence[tuple[int, str]], facts: Sequence[Gold]) -> dict[int, int]:
    """Return a largest matching of texts, each with its turn, to facts of these turns that they say (Kuhn 1955)."""
    edges = [
        [
            place
            for place, fact in enumerate(facts)
            if turn in fact.turns and len(terms(text)) <= LONGER * len(terms(fact.statement)) and _says(text, fact)
        ]
        for turn, text in read
    ]
    taken: dict[int, int] = {}

    def augment(one: int, seen: set[int]) -> bool:
        for place in edges[one]:
            if place not in seen:
                seen.add(place)
                if place not in taken or augment(taken[place], seen):
                    taken[place] = one
                    return True
        return False

    for one in range(len(read)):
        augment(one, set())
    return {one: place for place, one in taken.items()}


def figures(counted: Sequence[Counts]) -> dict[str, Any]:
    """Return the figures of conversations: each a share with its 95 % interval over them, and of how many.

    ``recall`` by kind of fact and by operation, ``precision`` by the first part of a proposal's key, ``copied`` both
    for the turns as they stand, ``said`` what these say at any length, ``idle`` how many turns without a fact are read.
    """
    return {
        "conversations": len(counted),
        "recall": _by_kind([one.found for one in counted], [one.facts for one in counted]),
        "precision": _by_kind([one.right for one in counted], [one.proposed for one in counted]),
        "copied": {
            "recall": _share([one.copied for one in counted], [one.facts[ALL] for one in counted]),
            "precision": _share([one.copied for one in counted], [one.copied_turns for one in counted]),
            "said": _share([one.said for one in counted], [one.facts[ALL] for one in counted]),
        },
        "idle": _share([one.idle_read for one in counted], [one.idle for one in counted]),
    }


def _by_kind(tops: Sequence[Mapping[str, int]], bottoms: Sequence[Mapping[str, int]]) -> dict[str, Any]:
    kinds = sorted({kind for one in bottoms for kind in one}, key=lambda kind: (kind != ALL, kind))
    return {kind: _share([one.get(kind, 0) for one in tops], [one.get(kind, 0) for one in bottoms]) for kind in kinds}


def _share(tops: Sequence[int], bottoms: Sequence[int]) -> dict[str, float | int | None] | None:
    found = ratio(tops, bottoms, _SEED)
    if found is None:
        return None
    rounded = {name: None if value is None else round(value, 4) for name, value in found._asdict().items()}
    return {**rounded, "of": sum(bottoms)}
