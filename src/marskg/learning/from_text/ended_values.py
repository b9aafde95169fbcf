"""What was said before of a value that ends: in other words than those of its key, or by turns alone.

Guarantees: reads and writes the unit of work alone. "Loves how jazz breaks rules" goes with "no longer likes jazz", if
it was read from text, holds, is about the same people, says the whole thing and tells the opposite. Where nothing was
read of a turn that tells it, the value is read from there as what it was, and ends like any other: so it has a history,
and the turn is shown without it. The same of "remove 'the fee' from the costs" and the turn that gave the list.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from marskg.errors import NotPermitted
from marskg.extraction.proposal import ProposalOperation, Span
from marskg.language.en.facts.changes.stances import DISLIKES, LIKES
from marskg.language.en.facts.changes.told_before import SHARE, entry_told, taste_told, tells, words_in
from marskg.language.spans import meet, parts_of
from marskg.learning.from_text.makers import span_iri
from marskg.ontology.vocabulary import EdgeType, Kind, MemoryClass
from marskg.store.graph.admit import merge
from marskg.store.graph.suppression import suppressed_readings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from marskg.drafts import Draft
    from marskg.language.spans import Part
    from marskg.learning.from_text.fact_drafts import Item
    from marskg.records import Memory, Value
    from marskg.store.ingest.ingestor import Admit
    from marskg.store.unit.unit_of_work import Node, Unit

#: The first part of the keys that name what somebody likes, or does not.
TASTES: Final = "preference"
_OPPOSITE: Final = {LIKES: DISLIKES, DISLIKES: LIKES}
#: What stands between the name of a list and what is no longer in it.
_NO_LONGER: Final = " no longer: "
#: The rule of tastes that turned in one breath: "I used to dislike tea, but now I love it".
_TURNED: Final = "taste.turned"
#: The fewest words of an entry by which it is known again in a turn.
_LEAST: Final = 3


class Before(NamedTuple):
    """A value as it was before an item ended it: its draft, the words that tell it, and how much of them a turn must.

    ``stance`` says of a taste whether it was liked.
    """

    draft: Draft
    words: frozenset[str]
    share: float
    stance: str | None = None


class Heard(NamedTuple):
    """The value that an item ends, the place of its draft, and the turns that may say it, by id."""

    place: int
    value: Before
    turns: tuple[str, ...]


def stance_said(item: Item) -> str | None:
    """Return whether an item says that its people like a thing now, or do not; None where it is about no taste."""
    proposal = item.proposal
    if (proposal.key or "").partition("/")[0] != TASTES:
        return None
    if proposal.operation is ProposalOperation.END:
        return _OPPOSITE.get(_stance(proposal.payload) or LIKES)
    return _stance(proposal.payload)


def thing_said(item: Item) -> frozenset[str]:
    """Return the words of what an item says a taste for; none where it is about no taste."""
    return frozenset() if stance_said(item) is None else words_in(_thing(item)).difference(*map(words_in, item.about))


def before(item: Item) -> Before | None:
    """Return the value that an item ends; None where it ends none that turns could tell."""
    if item.draft is None:
        return None
    listed, out_of, entry = item.proposal.content.partition(_NO_LONGER)
    if item.proposal.operation is ProposalOperation.END and out_of:
        words = words_in(entry)
        draft = replace(item.draft, content=f"{listed}: {entry}", payload={"concept": entry})
        return Before(draft, words, SHARE) if len(words) >= _LEAST else None
    ends = item.proposal.operation is ProposalOperation.END or item.proposal.maker.rule == _TURNED
    was, words = _OPPOSITE.get(stance_said(item) or ""), thing_said(item)
    if not ends or was is None or not words:
        return None
    who = ", ".join(item.about) or "The user"
    payload: dict[str, Value] = {"concept": _thing(item), "relations": (was,)}
    return Before(replace(item.draft, content=f"{who} {was} {_thing(item)}", payload=payload), words, 1.0, was)


def _thing(item: Item) -> str:
    return str(item.proposal.payload.get("concept") or item.proposal.old or "")


def _stance(payload: Mapping[str, Value]) -> str | None:
    relations = payload.get("relations")
    return str(relations[0]) if isinstance(relations, tuple | list) and relations else None


# --- Facts in other words -------------------------------------------------------------------------------------------


def told_otherwise(unit: Unit, item: Item, ids: Iterable[str]) -> list[Node]:
    """Return those of the memories ``ids``, which say the whole thing, that tell the opposite of what ``item`` says."""
    now = stance_said(item)
    if now is None:
        return []
    unit.fetch(ids)
    nodes = [unit.nodes[one] for one in ids if one in unit.nodes]
    was, thing = _OPPOSITE.get(now, ""), thing_said(item)
    return [node for node in nodes if _was_read(node, item) and _tells(node.memory, thing, was)]


def _was_read(node: Node, item: Item) -> bool:
    """Return whether a memory was read before, from another turn, is about the same people and holds."""
    memory = node.memory
    return bool(
        node.has_content
        and memory.made_by
        and memory.current
        and not memory.pinned
        and memory.kind is not Kind.TASK
        and memory.valid_from <= item.told.turn.at
        and {*memory.subjects} == {*item.about}
        and memory.key != item.proposal.key
        and (memory.key is None or memory.key.partition("/")[0] == TASTES)
        and item.told.id not in node.targets(EdgeType.DERIVES_FROM)
    )


def _tells(memory: Memory, thing: frozenset[str], stance: str) -> bool:
    """Return whether a memory says of those it is about that they like a thing, or do not."""
    if memory.key is not None:
        return _stance(memory.payload) == stance
    clauses = (memory.content or "").split(", ")[:1]
    return any(tells(clause, who, thing, stance) for clause in clauses for who in (*memory.subjects, "The user"))


# --- Turns alone ----------------------------------------------------------------------------------------------------


def read_as_it_was(
    unit: Unit, admit: Admit, heard: Heard, item: Item, slot: Callable[[Draft], list[Node]]
) -> Iterator[Memory]:
    """Read the value that an item ends in the turns that alone tell it, the first first; yields what is new.

    Where its key has the value already (``slot`` gives what it has), the turn is one more that tells it.
    """
    unit.fetch(heard.turns)
    for turn in (unit.nodes[one] for one in reversed(heard.turns) if one in unit.nodes):
        part = _part(turn.memory.content or "", heard.value) if _was_said_before(turn, item) else None
        if part is None or _is_read(unit, turn, part, heard.value):
            continue
        changes = {
            **bounds_of(turn.memory),
            "session": turn.memory.session,
            "at": turn.memory.valid_from,
            "derives_from": (turn.memory.id,),
            "spans": (span_iri(turn.memory.id, Span(0, *part)),),
            "made_by": (item.maker,),
        }
        draft = replace(heard.value.draft, **changes)
        if suppressed_readings(unit, [(draft.spans[0], draft.key)]):
            continue
        held = slot(draft)
        same = [node for node in held if _stance(node.memory.payload) == heard.value.stance]
        try:
            if same:
                merge(unit, same[0], draft)
            elif not held:
                yield admit(heard.place, None, changes)
        except NotPermitted:
            # What was erased, or is not wanted, is not read again to be ended.
            continue


def bounds_of(turn: Memory) -> dict[str, Any]:
    """Return what a fact that is read from a turn has of it."""
    bounds = {name: getattr(turn, name) for name in ("purpose", "jurisdiction", "use_bound", "session_bound")}
    return bounds | ({"memory_class": turn.memory_class} if turn.memory_class is MemoryClass.PRIVATE else {})


def _part(text: str, value: Before) -> Part | None:
    if value.stance is None:
        return entry_told(text, value.words)
    return taste_told(text, value.words, value.stance)


def _was_said_before(turn: Node, item: Item) -> bool:
    """Return whether a turn that holds was read, is earlier than the item's and of the same people."""
    memory = turn.memory
    holds = turn.has_content and memory.current and not memory.unread and not memory.pinned
    return holds and memory.valid_from < item.told.turn.at and {*memory.subjects} == {*item.about}


def _is_read(unit: Unit, turn: Node, part: Part, value: Before) -> bool:
    """Return whether a fact says what stands in a part of a turn."""
    ident = turn.memory.id
    sources = [source for source, _, type_ in unit.incoming((ident,)) if type_ is EdgeType.DERIVES_FROM]
    unit.fetch(sources)
    facts = [unit.nodes[one].memory for one in sources if one in unit.nodes]
    least = value.share * len(value.words)
    return any(
        meet(parts_of(fact.spans, ident), [part]) and len(value.words & words_in(fact.content or "")) >= least
        for fact in facts
    )
