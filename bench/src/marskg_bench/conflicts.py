"""How well conflicts are found: precision and recall on the updates of Memora's personas.

Guarantees: what is right comes from replaying the trace (``operation_details``) before anything is compared; the
benchmark's questions are never opened; the same data give the same counts. Keys, subjects and entities are withheld
from what is measured: the texts alone decide.

Gold: at each ``remember`` of the trace, the value that it ends is the one old statement that it conflicts with. That is
the former value of the same single key, and of a preference whose item changed (``old_item``) the former item. All
other statements current at that point are negatives: other fields of the same document, other items of the same list,
entries of ledgers, likes of others of the same kind. A retraction (delete) is no update: finding one is no error, and
missing one is not counted.

Three tables: ``facts``, a new fact against the current facts; ``turn-fact``, a new shared turn against them;
``turn-turn``, a new shared turn against the earlier turns from which a current fact derives. An update counts as found
when any statement that asserts it conflicts with any that asserts the old value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from marskg.learning.rules.conflict_detection import Statement, find_conflicts
from marskg.ontology.vocabulary import Cardinality
from marskg.sources.memora_facts import FactTrace
from marskg.sources.memora_layout import Layout
from marskg.sources.memora_scribe import turn_ref

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from marskg.drafts import Draft
    from marskg.sources.memora_layout import Session

TABLES = ("facts", "turn-fact", "turn-turn")
#: The personas that were looked at while the rules were written, and those that were not.
DEVELOPMENT = ("academic_researcher", "creative_designer", "business_executive")
HELD_OUT = ("content_writer", "financial_analyst", "management_consultant")


@dataclass(slots=True)
class Tally:
    """Counts of one table: predicted pairs and how many of them are right, updates and how many were found.

    ``missed`` and ``wrong`` hold (new text, old text) pairs for whoever looks into them; they are never printed.
    """

    predicted: int = 0
    right: int = 0
    updates: int = 0
    found: int = 0
    compared: int = 0
    missed: list[tuple[str, str]] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Return the share of the predicted pairs that are right, 1 where nothing was predicted."""
        return self.right / self.predicted if self.predicted else 1.0

    @property
    def recall(self) -> float:
        """Return the share of the updates that were found, 1 where there are none."""
        return self.found / self.updates if self.updates else 1.0

    def add(self, other: Tally) -> None:
        """Add the counts of ``other``."""
        self.predicted += other.predicted
        self.right += other.right
        self.updates += other.updates
        self.found += other.found
        self.compared += other.compared
        self.missed += other.missed
        self.wrong += other.wrong


@dataclass(frozen=True, slots=True)
class _Update:
    """A value that a session puts in the place of another: the new draft, the old, and the turns that say so."""

    new: Draft
    old: Draft
    turns: frozenset[str]


@dataclass(slots=True)
class _Step:
    """What one session does to the trace."""

    before: list[Draft]
    added: list[tuple[Draft, list[Draft]]] = field(default_factory=list)
    updates: list[_Update] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)


def measure(directories: Iterable[Path], *, substitutions: bool = True) -> dict[str, Tally]:
    """Return the tallies by table for the personas in ``directories``.

    Args:
        directories: folders of Memora's personas.
        substitutions: whether to count an item that takes another's place ("likes A" becomes "likes B"). Between the
            two facts nothing conflicts; only a turn says that one replaces the other.

    Raises:
        InvalidDocument: a folder is not a persona's, or a file breaks the layout.
    """
    totals = {table: Tally() for table in TABLES}
    for directory in directories:
        for table, tally in _persona(Layout(directory), substitutions=substitutions).items():
            totals[table].add(tally)
    return totals


def _persona(layout: Layout, *, substitutions: bool) -> dict[str, Tally]:
    tallies = {table: Tally() for table in TABLES}
    turns: dict[str, str] = {}
    replay = _Replay(substitutions=substitutions)
    for number in range(len(layout)):
        session = layout.session(number)
        step = replay.step(session)
        fresh = {turn_ref(session, turn): turn.message for turn in session.shared if turn.message.strip()}
        if step.added or step.ended:
            _facts(tallies["facts"], step)
            _turn_fact(tallies["turn-fact"], step, fresh)
            _turn_turn(tallies["turn-turn"], step, fresh, turns)
        turns.update(fresh)
    return tallies


class _Replay:
    """The state of one persona's trace."""

    def __init__(self, *, substitutions: bool) -> None:
        self._trace = FactTrace()
        self._current: dict[str, Draft] = {}
        self._substitutions = substitutions

    def step(self, session: Session) -> _Step:
        """Replay ``session``."""
        step = _Step(list(self._current.values()))
        pending: list[tuple[Draft, Draft]] = []
        for draft in self._trace.drafts(session):
            if draft.action != "remember":
                pending += [(draft, old) for old in self._end(draft, step)]
                continue
            former = [old for old in self._current.values() if _is_former(old, draft)]
            # What the same step took back is still what the new fact is compared with.
            step.added.append((draft, [*self._current.values(), *(old for _, old in pending)]))
            for old in former:
                step.ended.add(old.ref)
                del self._current[old.ref]
                if old.content != draft.content:
                    step.updates.append(_update(session, draft, old, draft.derives_from))
            if self._substitutions and session.session_type == "preference":
                for ending, old in pending:
                    evidence = (*draft.derives_from, *ending.derives_from)
                    step.updates.append(_update(session, draft, old, evidence))
                pending.clear()
            self._current[draft.ref] = draft
        return step

    def _end(self, ending: Draft, step: _Step) -> list[Draft]:
        held = [
            old
            for old in self._current.values()
            if old.key == ending.key and (old.cardinality is Cardinality.SINGLE or old.content == ending.content)
        ]
        for old in held:
            step.ended.add(old.ref)
            del self._current[old.ref]
        return held


def _is_former(old: Draft, new: Draft) -> bool:
    return new.cardinality is Cardinality.SINGLE and old.key == new.key


def _update(session: Session, new: Draft, old: Draft, evidence: Iterable[str]) -> _Update:
    said = frozenset(evidence) or frozenset(turn_ref(session, turn) for turn in session.shared)
    return _Update(new, old, said)


def _facts(tally: Tally, step: _Step) -> None:
    """Compare each new fact with the facts that were current when it came."""
    hits: set[tuple[str, str]] = set()
    for draft, current in step.added:
        for old in _conflicting(tally, draft.content, ((one.ref, one.content) for one in current)):
            hits.add((draft.ref, old.id))
            _predict(tally, is_right=old.id in step.ended, pair=(draft.content, old.text))
    for update in step.updates:
        _count(tally, update, is_found=(update.new.ref, update.old.ref) in hits)


def _turn_fact(tally: Tally, step: _Step, fresh: dict[str, str]) -> None:
    """Compare each new turn with the facts that were current before its session."""
    hits: set[tuple[str, str]] = set()
    for ref, text in fresh.items():
        for old in _conflicting(tally, text, ((one.ref, one.content) for one in step.before)):
            hits.add((ref, old.id))
            _predict(tally, is_right=old.id in step.ended, pair=(text, old.text))
    known = {one.ref for one in step.before}
    for update in step.updates:
        if update.old.ref in known:
            _count(tally, update, is_found=any((ref, update.old.ref) in hits for ref in update.turns))


def _turn_turn(tally: Tally, step: _Step, fresh: dict[str, str], turns: dict[str, str]) -> None:
    """Compare each new turn with the earlier turns from which a fact derives that was current before its session."""
    facts: dict[str, set[str]] = {}
    for draft in step.before:
        for ref in draft.derives_from:
            if ref in turns:
                facts.setdefault(ref, set()).add(draft.ref)
    hits: set[tuple[str, str]] = set()
    for ref, text in fresh.items():
        for old in _conflicting(tally, text, ((one, turns[one]) for one in facts)):
            hits.add((ref, old.id))
            _predict(tally, is_right=not facts[old.id].isdisjoint(step.ended), pair=(text, old.text))
    for update in step.updates:
        olds = [ref for ref in update.old.derives_from if update.old.ref in facts.get(ref, ())]
        if olds:
            found = any((ref, old) in hits for ref in update.turns for old in olds)
            _count(tally, update, is_found=found)


def _conflicting(tally: Tally, text: str, candidates: Iterable[tuple[str, str]]) -> Iterator[Statement]:
    old = [Statement(content, id=ref, sequence=place) for place, (ref, content) in enumerate(candidates)]
    tally.compared += len(old)
    for statement, _ in find_conflicts(Statement(text), old):
        yield statement


def _predict(tally: Tally, *, is_right: bool, pair: tuple[str, str]) -> None:
    tally.predicted += 1
    tally.right += is_right
    if not is_right:
        tally.wrong.append(pair)


def _count(tally: Tally, update: _Update, *, is_found: bool) -> None:
    tally.updates += 1
    tally.found += is_found
    if not is_found:
        tally.missed.append((update.new.content, update.old.content))
