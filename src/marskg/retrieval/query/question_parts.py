"""What a question says of the memories that are meant, besides its words: who, when, whose word, in which session.

Guarantees: by row of the index, of the visible memories and from them alone; a part that the question says nothing of,
or whose weight is 0, is not there. Source: ``docs/explanation/ranking.md``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from marskg.language.en.wording import asks_of_oneself, asks_when
from marskg.language.times import LONGEST
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import SourceType
from marskg.retrieval.index.memory_index import FOREVER, SOURCES
from marskg.text import as_key, terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from marskg.language.times import Period
    from marskg.retrieval.index.lexical import Respelled
    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.retrieval.index.turns import Beside

#: By the code of a source, and for none at the end: whose word it is to somebody who asks of themselves.
_OWN_WORD: Final = np.array(
    [{SourceType.CHAT_USER: 1.0, SourceType.CHAT_ASSISTANT: -1.0}.get(source, 0.0) for source in SOURCES] + [0.0]
)
#: An id, with or without what stands before it, and what may stand around a key.
_UUID: Final = late_regex(r"(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])", re.IGNORECASE)
_AROUND: Final = ".,;:!?\"'()[]<>`"


@dataclass(frozen=True, slots=True, eq=False)
class Visible:
    """An index, ``[rows]`` of it that the reader may see, and what was said beside them."""

    index: MemoryIndex
    mask: npt.NDArray[np.bool_]
    beside: Beside

    def rarity(self, rows: npt.NDArray[np.bool_]) -> float:
        """Return how much it tells one visible memory from the others that it is one of ``rows``: idf, at most 1."""
        held, seen = int((rows & self.mask).sum()), int(self.mask.sum())
        return min(1.0, float(np.log1p((seen - held + 0.5) / (held + 0.5))))


class People(NamedTuple):
    """What is about the people whom a question names.

    ``rows`` has by name which ``[rows]`` are about them, and how rare that is; ``terms`` the same rows by the terms
    of the names. ``unsaid`` is ``[rows]``: how rare the name is whose terms the text does not have.
    """

    rows: dict[str, tuple[npt.NDArray[np.bool_], float]]
    terms: dict[str, npt.NDArray[np.bool_]]
    unsaid: npt.NDArray[np.float64]


class QuestionParts:
    """The parts of one question."""

    def __init__(
        self, seen: Visible, text: str, weights: Mapping[str, float], periods: tuple[Period, ...], *, unsaid: bool
    ) -> None:
        """Read ``text``, which names the times ``periods``; what has no weight is left out.

        ``unsaid`` is whether a name counts for what is about the person without saying it.
        """
        self._seen = seen
        self._text = text
        self._weights = weights
        self._periods = periods
        self._unsaid = unsaid

    def of_rows(self, asked: tuple[str, ...], spelled: Respelled) -> dict[str, npt.NDArray[np.float64]]:
        """Return ``[rows]`` of each part; ``asked`` are the terms that are looked up, also as they are ``spelled``."""
        parts = self._parts(asked, spelled)
        return {name: values.astype(np.float64) for name, values in parts if self._weights[name]}

    def _parts(self, asked: tuple[str, ...], spelled: Respelled) -> Iterator[tuple[str, npt.NDArray[np.generic]]]:
        index, mask, beside = self._seen.index, self._seen.mask, self._seen.beside
        held = index.columns
        if self._weights["exact"] and (pasted := self._pasted()).any():
            yield "exact", pasted
        if self._weights["session"]:
            yield "session", index.lexical.sessions(asked, index.turns.texts(mask), spelled)
        if self._weights["subject"]:
            yield "subject", self._about()
        if asks_of_oneself(self._text):
            yield "own_word", _OWN_WORD[held["sourceType"]]
        if self._periods:
            yield "period", self._within(held["validFrom"])
        if asks_when(self._text):
            yield "time", held["timed"]
        yield "reply", (beside.before >= 0) & held["asks"][beside.before]

    def _pasted(self) -> npt.NDArray[np.bool_]:
        """Return those whose id, or whose key, stands in the question."""
        index, text = self._seen.index, self._text.strip()
        ids = (f"urn:uuid:{match[0].lower()}" for match in _UUID.finditer(text))
        said = {word.strip(_AROUND) for word in text.split()} if len(text) <= LONGEST else set()
        found = index.facet("key", [as_key(word) for word in said if word == text or "/" in word])
        found[[index.rows[ident] for ident in ids if ident in index.rows]] = True
        return found & self._seen.mask

    def _within(self, times: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Return which of ``times`` the question names."""
        found = np.zeros(len(times), dtype=np.bool_)
        for period in self._periods:
            since = -FOREVER if period.since is None else period.since
            found |= (times >= since) & (times < (FOREVER if period.until is None else period.until))
        return found

    @cached_property
    def people(self) -> People:
        """Return what is about the people whom the question names, as far as the reader may see it."""
        index, mask = self._seen.index, self._seen.mask
        found = People({}, {}, np.zeros(len(mask)))
        if not self._weights["subject"]:
            return found
        names = index.subjects.find(self._text, lambda word, _: bool(mask[index.facet("subject", (word,))].any()))
        for name in names:
            there = index.facet("subject", (name,)) & mask
            rarity = self._seen.rarity(there)
            found.rows[name] = (there, rarity)
            if not self._unsaid:
                continue
            unsaid = there.copy()
            for term in terms(name):
                found.terms[term] = there | found.terms[term] if term in found.terms else there
                unsaid[index.lexical.rows(term)] = False
            np.maximum(found.unsaid, unsaid * rarity, out=found.unsaid)
        return found

    def _about(self) -> npt.NDArray[np.float64]:
        """Return, of what is about somebody whom the question names, how rare that is.

        Whom a memory without subjects is about, its text says.
        """
        index = self._seen.index
        found = np.zeros(len(self._seen.mask))
        for name, (there, rarity) in self.people.rows.items():
            said = np.ones(len(found), dtype=np.bool_)
            for term in (words := terms(name)):
                has = np.zeros(len(found), dtype=np.bool_)
                has[index.lexical.rows(term)] = True
                said &= has
            about = there | (said & ~index.columns["about"]) if words else there
            found = np.maximum(found, about * rarity)
        return found
