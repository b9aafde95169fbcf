"""Prints what became of values that change, and of statements that contradict each other, in BEAM's chats.

Run ``python scripts/belief_changes.py BEAM [--show]`` with ``beam-open.json.gz``. ``mem.learn`` is told every turn in
its time, with the default settings. BEAM names the turns that answer a question, and no values: so what is judged is
what the rules read of these turns.

knowledge_update: a fact bears on the question if it has a figure and a stem of the question. The newest value is in the
facts of the last turn that has such a fact, the older one in the facts of the turns before it that have other figures
and its key, or, where none has, two of its stems; the evidence is read if there are both. contradiction_resolution: the
denial is a fact of the last turn that says "never", what it denies a fact of a turn before it or of the rest of that
turn, each with two stems of the question. They are told as a contradiction if ``mem.learning.review`` names both. A
fact is shown by itself, or by its turn.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from marskg.learning.from_text.waiting import is_waiting
from marskg.text import terms
from marskg_bench.common.conversations import conversations
from marskg_bench.retrievals.asked import learned
from marskg_bench.retrievals.retrievers import product

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from marskg.memory import AgentMemory
    from marskg.records import Memory
    from marskg_bench.common.conversation import Conversation, Question

UPDATE, CONTRADICTION = "knowledge_update", "contradiction_resolution"
FIGURE = re.compile(r"\d[\d.,:]*")
NEVER = re.compile(r"\bnever\b", re.IGNORECASE)
#: Stems that a statement shares with the question that it bears on.
ALIKE = 2
COMMON = {UPDATE: 1, CONTRADICTION: 2}


class Learned(NamedTuple):
    """A chat that was learned: the store, and the ids of the facts by the place of their turn."""

    memory: AgentMemory
    facts: Mapping[int, Sequence[str]]

    def bearing(self, asked: Question) -> Iterator[tuple[int, Memory]]:
        """Yield the facts of the evidence that bear on a question, with the places of their turns."""
        wanted = set(terms(asked.text))
        for place in sorted(asked.evidence):
            for ident in self.facts.get(place, ()):
                fact = self.memory.get(ident)
                if fact is not None and len(wanted & set(terms(fact.content or ""))) >= COMMON[asked.category]:
                    yield place, fact

    def shown(self, asked: Question) -> set[str]:
        """Return the ids of what answers a question by default."""
        return {hit.memory.id for hit in self.memory.retrieve(asked.text)}


def turns_of(fact: Memory) -> set[str]:
    """Return the ids of the turns that a fact was read from."""
    return {span.partition("#")[0] for span in fact.spans}


def same_key(one: Memory, other: Memory) -> bool:
    """Return whether two facts are values of one key."""
    return one.key is not None and one.key == other.key


def stems(fact: Memory) -> set[str]:
    """Return the stems that a fact says, without its figures and whom it is about."""
    return {one for one in terms(fact.content or "") if not one[0].isdigit()} - {
        *terms(" ".join(fact.subjects)),
        "user",
    }


def figures(fact: Memory) -> set[str]:
    """Return the figures that a fact says."""
    return {one.strip(".,:") for one in FIGURE.findall(fact.content or "")}


def update(chat: Learned, asked: Question) -> tuple[list[str], list[str]]:
    """Return what is true of a value that changes, and what was looked at."""
    told = [(place, fact) for place, fact in chat.bearing(asked) if figures(fact)]
    last = max((place for place, _ in told), default=-1)
    new = [fact for place, fact in told if place == last]
    now = {one for fact in new for one in figures(fact)}
    before = [fact for place, fact in told if place < last and not figures(fact) <= now]
    old = [fact for fact in before if any(same_key(fact, one) for one in new)]
    old = old or [fact for fact in before if any(len(stems(fact) & stems(one)) >= ALIKE for one in new)]
    lines = [f"  {'new' if fact in new else 'old'} {state(fact)} {fact.content}" for fact in (*old, *new)]
    if not (new and old):
        return ["of one side only" if told else "not read"], lines
    shown = chat.shown(asked)
    said = {
        "the newest is current": any(fact.current and not is_waiting(fact) for fact in new),
        "the older is history": not any(fact.current for fact in old),
        "an older fact is shown": any(fact.id in shown for fact in old),
        "an older turn is shown": any(not shown.isdisjoint(turns_of(fact)) for fact in old),
        "the newest is shown": any(not shown.isdisjoint({fact.id, *turns_of(fact)}) for fact in new),
    }
    said["both"] = said["the newest is current"] and said["the older is history"]
    said["both, and no older turn is shown"] = said["both"] and not said["an older turn is shown"]
    return ["read", *(name for name, true in said.items() if true)], lines


def contradiction(chat: Learned, asked: Question) -> tuple[list[str], list[str]]:
    """Return what is true of two statements that contradict each other, and what was looked at."""
    told = list(chat.bearing(asked))
    denials = [(place, fact) for place, fact in told if NEVER.search(fact.content or "")]
    last = max((place for place, _ in denials), default=-1)
    against = [fact for place, fact in denials if place == last]
    said = [fact for place, fact in told if place <= last and not NEVER.search(fact.content or "")]
    lines = [f"  {'denial' if fact in against else 'said'} {state(fact)} {fact.content}" for _, fact in told]
    if not (against and said):
        return ["of one side only" if told else "not read"], lines
    mine, others = {fact.id for fact in against}, {fact.id for fact in said}
    listed = [{one.preferred, one.other} for one in chat.memory.learning.review().conflicts]
    shown = chat.shown(asked)
    true = {
        "kept, not merged": all(fact.current for fact in (*against, *said)) and not mine & others,
        "told": any(pair & mine and pair & others for pair in listed),
        "both are shown": all(
            any(not shown.isdisjoint({fact.id, *turns_of(fact)}) for fact in side) for side in (against, said)
        ),
    }
    return ["read", *(name for name, holds in true.items() if holds)], lines


def state(fact: Memory) -> str:
    """Return whether a fact waits, holds or is history, with its key."""
    return f"[{'waits' if is_waiting(fact) else 'current' if fact.current else 'history'} {fact.key}]"


def learn(found: Conversation) -> Iterator[tuple[Question, list[str], list[str]]]:
    """Learn a chat, and yield its questions with what is true of them and what was looked at."""
    with product(found.turns[0].at) as running:
        places = learned(running, found, lambda _: None)
        facts = defaultdict(list)
        for one in running.memory.memories():
            for turn in turns_of(one) & places.keys():
                facts[places[turn]].append(one.id)
        chat = Learned(running.memory, facts)
        for asked in found.questions:
            if asked.category in COMMON:
                yield asked, *(update if asked.category == UPDATE else contradiction)(chat, asked)


def main(arguments: Sequence[str]) -> None:
    """Print the counts."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in COMMON}
    for found in conversations(Path(arguments[0])):
        for asked, true, lines in learn(found):
            counts[asked.category].update(["questions", *true])
            if "--show" in arguments:
                sys.stdout.write("\n".join([f"{found.name}: {asked.text} -> {', '.join(true)}", *lines, ""]))
    for name, counted in counts.items():
        sys.stdout.write(f"{name}: " + ", ".join(f"{what} {number}" for what, number in counted.items()) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
