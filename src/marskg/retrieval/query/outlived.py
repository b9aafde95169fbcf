"""Turns that say something which holds no longer, as the facts that were derived from them tell.

Beside them, facts that were learned from a turn that stands: both say the same, and the turn ranks by either.

Guarantees: a question about the present, or about a past day, is not answered by what a turn's own facts had left
behind by then: one of them was replaced or retracted, or, for the present, its task is closed or its day is past.
Where the words of each such fact are known, these are cut out of the turn, and what else it says stays; a turn that
says nothing else gives way. Where they are not known, it gives way if its facts make up much of it, by tokens. Facts
that hold still stand in the place of what is gone. An assistant's short turn that repeats a taste which is over goes
with it. Facts that the reader may not know of, and facts whose source is worth less than the turn's, decide nothing.
Who corrects a fact from the same turn leaves it its evidence.
Source: semantics section 5 (stale evidence harms like the stale fact); ADR 50, ADR 88.
"""

from __future__ import annotations

from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from marskg.language.en.facts.changes.told_before import words_in
from marskg.language.facts import BY_THEN
from marskg.language.spans import joined, meet, parts_of, says_more
from marskg.ontology.vocabulary import KINDS, Kind, SourceType, Word, counts_against
from marskg.retrieval.access.read_gate import ENDED
from marskg.retrieval.index.memory_index import MICRO, SOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import numpy.typing as npt

    from marskg.language.spans import Part
    from marskg.retrieval.access.read_gate import Gate
    from marskg.retrieval.index.memory_index import MemoryIndex

#: The part of a turn's tokens that its facts must have, for them to stand for it, where their words are not known.
_TOLD: Final = 1 / 3
#: Tokens up to which an assistant's turn says little beside what it repeats.
_ECHO: Final = 64
#: Characters beside what is cut that may go with it, as they are of the same sentence.
_NEAR: Final = 120
#: Words of which one is in a turn that repeats what somebody likes.
_REPEATS: Final = "preference favourite taste choice fascination resonate"
#: The first part of the keys of what people like.
_TASTES: Final = "preference"
_ASSISTANT: Final = SOURCES.index(SourceType.CHAT_ASSISTANT)
_EPISODIC: Final = KINDS.index(Kind.EPISODIC)
_SUMMARY: Final = SOURCES.index(SourceType.REFLECTION)


class Left(NamedTuple):
    """What is left of a turn of whose facts one is over.

    ``cut`` are the parts of its text that are over, none where it gives way as a whole; ``heirs`` the rows of its facts
    that hold still and say what would be lost with them.
    """

    cut: tuple[Part, ...]
    heirs: list[int]


class Outlived:
    """The outlived turns of an index, for one reader."""

    def __init__(self, index: MemoryIndex, gate: Gate, seen: npt.NDArray[np.bool_]) -> None:
        """Look at ``index`` through ``gate``, which shows the rows ``seen``.

        Who asks for what is superseded too gets every turn; who asks for what held on a past day gets them as that day
        knew them: without what had ended by then, and whole where it ended later.
        """
        self._index = index
        self._gate = gate
        self._seen = seen
        self._moment = gate.now if gate.as_of is None else gate.as_of

    def left(self, rows: npt.NDArray[np.intp]) -> dict[int, Left]:
        """Return those of ``rows`` that are outlived, as a whole or in part, each with what is left of it."""
        derived = self._index.facets["source"]
        if not derived or self._gate.superseded:
            return {}
        found = ((row, self._left(row, derived.get(self._index.ids[row], ()))) for row in rows.tolist())
        return {row: left for row, left in found if left is not None} | {
            row: Left((), []) for row in self._echoes(rows)
        }

    def spoken(self, rows: npt.NDArray[np.intp]) -> dict[int, list[int]]:
        """Return those of ``rows`` that were learned from turns which are among them and still say it, with the turns.

        What a turn says is shown once, in the words in which it was said.
        """
        learned = rows[self._index.columns["learned"][rows]]
        if not len(learned):
            return {}
        there = {*rows.tolist()}
        standing = {}
        for fact in learned.tolist():
            turns = (self._index.rows.get(one, -1) for one in self._index.facets_of(fact, "source"))
            standing[fact] = [row for row in turns if row in there]
        left = self.left(np.array(sorted({row for turns in standing.values() for row in turns}), dtype=np.intp))
        unsaid = {fact for one in left.values() for fact in one.heirs}
        gone = {turn for turn, one in left.items() if not one.cut}
        return {
            fact: turns for fact, turns in standing.items() if turns and fact not in unsaid and gone.isdisjoint(turns)
        }

    @cached_property
    def _known(self) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: what the reader may know of."""
        return self._gate.known().mask(self._index)

    def _left(self, row: int, derived: Iterable[int]) -> Left | None:
        """Return what is left of a turn from which the rows ``derived`` were; None where nothing of it is over."""
        held = self._index.columns
        if not derived or held["kind"][row] != _EPISODIC:
            return None
        # An assistant's reading takes nothing out of a user's words (ADR 73), and so on.
        turn = self._word(row)
        facts = [
            fact
            for fact in derived
            if self._known[fact] and held["sourceType"][fact] != _SUMMARY and counts_against(self._word(fact), turn)
        ]
        # A reading that was taken back says nothing of the words.
        facts = [fact for fact in facts if held["validTo"][fact] > held["validFrom"][fact] or not held["learned"][fact]]
        over = {fact for fact in facts if self._is_over(fact, row) and not self._key_of(fact).startswith(BY_THEN)}
        if not over:
            return None
        heirs = [fact for fact in facts if self._seen[fact]]
        spans = {fact: self._spans(fact, row) for fact in facts}
        if not all(spans[fact] for fact in over):
            told = sum(int(held["weight"][fact]) for fact in facts)
            return Left((), heirs) if told >= _TOLD * int(held["weight"][row]) else None
        if not says_more(int(held["size"][row]), chain.from_iterable(spans.values())):
            return Left((), heirs)
        cut = joined(chain.from_iterable(spans[fact] for fact in over))
        near = [(start - _NEAR, end + _NEAR) for start, end in cut]
        return Left(cut, [fact for fact in heirs if fact not in over and meet(spans[fact], near)])

    def _word(self, row: int) -> Word:
        held = self._index.columns
        return Word(SOURCES[held["sourceType"][row]], held["reliability"][row] / MICRO, read=bool(held["learned"][row]))

    def _echoes(self, rows: npt.NDArray[np.intp]) -> Iterator[int]:
        """Yield those of ``rows`` in which an assistant only repeats what somebody liked then, and does no longer."""
        held = self._index.columns
        short = (
            (held["sourceType"][rows] == _ASSISTANT) & (held["weight"][rows] <= _ECHO) & (held["session"][rows] >= 0)
        )
        over: dict[int, list[int]] = {}
        for row in rows[short & (held["kind"][rows] == _EPISODIC)].tolist():
            if not any(self._has(row, sign) for sign in _repeats()):
                continue
            session = int(held["session"][row])
            if session not in over:
                over[session] = self._tastes_over(session)
            if any(self._repeats(row, fact) for fact in over[session]):
                yield row

    def _has(self, row: int, term: str) -> bool:
        return bool(self._index.lexical.have(term, np.array([row], dtype=np.int32))[0])

    def _repeats(self, row: int, fact: int) -> bool:
        """Return whether an assistant's turn came after ``fact``, names its thing and is about nobody else."""
        held, thing = self._index.columns, self._key_of(fact).partition("/")[2].replace("_", " ").split()
        about = self._index.facets_of(row, "subject")
        same = not about or {*about} == {*self._index.facets_of(fact, "subject")}
        return same and held["validFrom"][fact] <= held["validFrom"][row] and all(self._has(row, one) for one in thing)

    def _tastes_over(self, session: int) -> list[int]:
        """Return the tastes that were read in a session and are over, but for those that came again."""
        index, found = self._index, []
        for fact in index.facets["session"][index.words[session]]:
            key = self._key_of(fact)
            if key.partition("/")[0] != _TASTES or not index.columns["learned"][fact] or not self._known[fact]:
                continue
            turned = index.facets["replaced"].get(index.ids[fact])
            about = {*index.facets_of(fact, "subject")}
            again = any(
                self._seen[one] and about == {*index.facets_of(one, "subject")} for one in index.facets["key"][key]
            )
            if self._has_ended(fact) and (turned or not again):
                found.append(fact)
        return found

    def _key_of(self, fact: int) -> str:
        code = int(self._index.columns["key"][fact])
        return "" if code < 0 else self._index.words[code]

    def _spans(self, fact: int, row: int) -> tuple[Part, ...]:
        """Return the parts of the turn ``row`` that say ``fact``, as far as they are known."""
        found = parts_of(self._index.facets_of(fact, "span"), self._index.ids[row])
        return found if not found or found[-1][1] <= self._index.columns["size"][row] else ()

    def _is_over(self, fact: int, turn: int) -> bool:
        """Return whether ``fact`` holds no longer, and nothing that took its place rests on ``turn``."""
        held, gate = self._index.columns, self._gate
        # A day that rules read in somebody's words may be past, and the words say what they said.
        past = held["deadline"][fact] <= gate.now - gate.task_grace and not held["learned"][fact]
        ended = held["status"][fact] in ENDED or past
        # As of a past day tasks are read whether or not they are closed, and when one was is not known here.
        if ended and not gate.closed and gate.as_of is None:
            return True
        if not self._has_ended(fact):
            return False
        newer = self._index.facets["replaced"].get(self._index.ids[fact], ())
        if newer and not any(self._known[one] for one in newer):
            # That something took its place is not for this reader to know.
            return False
        named = self._index.ids[turn]
        return not any(self._known[one] and named in self._index.facets_of(one, "source") for one in newer)

    def _has_ended(self, fact: int) -> bool:
        """Return whether ``fact`` was superseded, or its time is over; as of a past day, whether it was by then."""
        held = self._index.columns
        superseded = self._gate.as_of is None and held["supersededAt"][fact] <= self._moment
        return bool(superseded or held["validTo"][fact] <= self._moment)


def inherited(
    values: npt.NDArray[np.float64], rows: npt.NDArray[np.intp], heirs: Mapping[int, Iterable[int]]
) -> npt.NDArray[np.float64]:
    """Return ``values`` of ``rows``, rising, with each heir at least as high as the turn in whose place it stands."""
    made = values.copy()
    places = {row: place for place, row in enumerate(rows.tolist())} if heirs else {}
    for turn, facts in heirs.items():
        for fact in facts:
            if fact in places:
                made[places[fact]] = max(made[places[fact]], values[places[turn]])
    return made


def lifted(values: npt.NDArray[np.float64], spoken: Mapping[int, list[int]], share: float) -> npt.NDArray[np.float64]:
    """Return ``values`` by row, each turn at least as high as a ``share`` of what was learned from it."""
    made = values.copy()
    for fact, turns in spoken.items():
        made[turns] = np.maximum(made[turns], share * values[fact])
    return made


@cache
def _repeats() -> frozenset[str]:
    return words_in(_REPEATS)
