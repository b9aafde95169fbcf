"""Which memories a wish about remembering reaches, asked of the retrieval index.

Guarantees: the same answer as :func:`marskg.learning.rules.wish_effects.matches` gives text by text, for all at once. A
name is decided by the texts themselves, of those that the index says may have it, each read once: they do not change.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.language.naming.numbers import number_of
from marskg.language.naming.spellings import name_form
from marskg.learning.rules.wish_effects import enough, names_in, names_of, other_terms
from marskg.retrieval.index.memory_index import FOREVER
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy.typing as npt

    from marskg.language.wish_kinds import Wish
    from marskg.retrieval.index.memory_index import MemoryIndex

#: The intent tag of wishes.
WISH: Final = "wish"
#: Letters of a word that is sought as it stands: many others have it in them.
_BARE: Final = 2
#: The first piece stands for a name that has no word, such as an address of four numbers.
_PIECE: Final = re.compile(r"[^\W_]+")


class Reach:
    """What the wishes of one tenant are about."""

    def __init__(self, texts: Callable[[list[str]], Iterable[tuple[str, tuple[str, ...]]]]) -> None:
        """Read by ``texts``, which gives the ids that it is asked for with their content and tags."""
        self._texts = texts
        #: Of the topics that have a name: which memories have it.
        self.known: dict[str, dict[str, bool]] = {}

    def forget(self, but: Iterable[str] = ()) -> None:
        """Drop what is known of all topics ``but`` these: a topic may be the name of whoever was erased."""
        for topic in self.known.keys() - set(but):
            del self.known[topic]

    def concerned(self, index: MemoryIndex, wish: Wish, subjects: Iterable[str]) -> list[str]:
        """Return the ids of the current memories that a wish of ``subjects`` is about.

        Where none has all that the topic says, those that have the name in it: for a person to look at.
        """
        people = frozenset(subjects)
        current = index.columns["alive"] & (index.columns["supersededAt"] == FOREVER) & ~index.facet("tag", [WISH])
        found = self.about(index, wish, people) & current
        if not found.any() and names_of(wish):
            found = self._naming(index, wish, people) & current
        return [index.ids[row] for row in np.flatnonzero(found).tolist()]

    def about(self, index: MemoryIndex, wish: Wish, subjects: frozenset[str]) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: which memories a wish of ``subjects`` is about, for all at once."""
        wanted = set(other_terms(wish))
        if not names_of(wish):
            return _of(index, _saying(index, wanted), subjects)
        found = self._naming(index, wish, subjects)
        return found & _saying(index, wanted) if wanted else found

    def _naming(self, index: MemoryIndex, wish: Wish, subjects: frozenset[str]) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: which memories have a name that the topic has, by what their texts say."""
        known = self.known.setdefault(wish.topic, {})
        found = np.zeros(index.columns.rows, dtype=np.bool_)
        for name in names_of(wish):
            found |= _having(index, name)
        found = _of(index, found & index.columns["alive"], subjects)
        rows = np.flatnonzero(found).tolist()
        unknown = [index.ids[row] for row in rows if index.ids[row] not in known]
        for ident, texts in self._texts(unknown) if unknown else ():
            known[ident] = names_in(wish, texts)
        found[rows] = [known.get(index.ids[row], False) for row in rows]
        return found


def _of(index: MemoryIndex, found: npt.NDArray[np.bool_], subjects: frozenset[str]) -> npt.NDArray[np.bool_]:
    return found & index.facet("subject", sorted(subjects)) if subjects else found


def _saying(index: MemoryIndex, wanted: set[str]) -> npt.NDArray[np.bool_]:
    """Return ``[rows]``: which memories have enough of the terms ``wanted``, in their text or their tags."""
    shared = np.zeros(index.columns.rows, dtype=np.int64)
    for term in wanted:
        shared += _with_any(index, {term})
    return shared >= enough(len(wanted))


def _with_any(index: MemoryIndex, wanted: set[str]) -> npt.NDArray[np.bool_]:
    """Return ``[rows]``: which memories have one of the terms ``wanted``, in their text or their tags."""
    tags = [tag for tag in index.facets["tag"] if not wanted.isdisjoint(terms(tag.replace("_", " ")))]
    has = index.facet("tag", tags)
    for term in wanted:
        has[index.lexical.rows(term)] = True
    return has


def _having(index: MemoryIndex, name: str) -> npt.NDArray[np.bool_]:
    """Return ``[rows]``: which memories may have ``name``: all of its words, or words that are written around them.

    Of a number, that is grouped in many ways, any of its parts.
    """
    number = number_of(name_form(name)).strip("+")
    if number:
        return _with_any(index, {term for term in index.lexical if term in number or number in term.replace("-", "")})
    words = {term for term in terms(name) if term.isalnum()} or set(_PIECE.findall(name_form(name))[:1])
    having = np.full(index.columns.rows, bool(words))
    for word in words:
        around = {term for term in index.lexical if word in term} if len(word) > _BARE else set[str]()
        having &= _with_any(index, around | {word})
    return having
