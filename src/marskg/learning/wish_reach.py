"""Which memories a wish about remembering reaches, asked of the retrieval index.

Guarantees: the same answer as :func:`marskg.learning.rules.wish_effects.matches` gives text by text, for all at once;
what is offered to be forgotten beside that is hidden by nothing. A name is decided by the texts themselves, of those
that the index says may have it, each read once: they do not change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.language.naming.asked import may_be_of_longer
from marskg.language.naming.edges import Verdict, script
from marskg.language.naming.matcher import BESIDE, FIRST_WORD, NameMatcher
from marskg.language.naming.numbers import number_of
from marskg.language.naming.other_writings import begun_by, may_begin, without_title, written_otherwise
from marskg.language.naming.spellings import loose_form, name_form, undivided
from marskg.language.wish_kinds import WishKind
from marskg.late_regex import late_regex
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
#: Letters of a word that is sought between other signs: many others have it in them.
_BARE: Final = 2
#: Why a text that has a name where a sentence begins, or in a longer one, may be the one that is meant.
_MAY_BE: Final = frozenset({FIRST_WORD, BESIDE})
#: The first piece stands for a name that has no word, such as an address of four numbers.
_PIECE: Final = late_regex(r"[^\W_]+")
_DIGITS: Final = late_regex(r"\d+")


class Reach:
    """What the wishes of one tenant are about."""

    def __init__(self, texts: Callable[[list[str]], Iterable[tuple[str, tuple[str, ...]]]]) -> None:
        """Read by ``texts``, which gives the ids that it is asked for with their content and tags."""
        self._texts = texts
        #: Of the topics that texts decide about: which memories they are about.
        self.known: dict[str, dict[str, bool]] = {}

    def forget(self, but: Iterable[str] = ()) -> None:
        """Drop what is known of all topics ``but`` these: a topic may be the name of whoever was erased."""
        for topic in self.known.keys() - set(but):
            del self.known[topic]

    def concerned(self, index: MemoryIndex, wish: Wish, subjects: Iterable[str]) -> list[str]:
        """Return the ids of the current memories that a wish of ``subjects`` is about.

        For a person to look at, where none has all that the topic says, those that have the name in it. What is to be
        forgotten is also what very likely has its identifier, written otherwise; and where nothing has that, what has
        the one identifier that it begins, or a word that may be the name. Of a name in two scripts that goes for each.
        """
        people = frozenset(subjects)
        current = index.columns["alive"] & (index.columns["supersededAt"] == FOREVER) & ~index.facet("tag", [WISH])
        found = self.about(index, wish, people) & current
        if not names_of(wish):
            return _ids(index, found)
        if not found.any():
            found = self._naming(index, wish, people) & current
        if wish.kind is WishKind.FORGET:
            found |= self._likely(index, wish, people, current)
            if not found.any():
                found = self._begun(index, wish, people, current)
            names = names_of(wish) if not found.any() else self._unmet(index, wish, found)
            found |= self._maybe(index, names, people, current)
        return _ids(index, found)

    def about(self, index: MemoryIndex, wish: Wish, subjects: frozenset[str]) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: which memories a wish of ``subjects`` is about, for all at once."""
        wanted = set(other_terms(wish))
        if names_of(wish):
            found = self._naming(index, wish, subjects)
            return found & _saying(index, wanted) if wanted else found
        found = _of(index, _saying(index, wanted), subjects)
        return self._read(index, wish, found & index.columns["alive"]) if may_be_of_longer(wish.topic) else found

    def _likely(
        self, index: MemoryIndex, wish: Wish, subjects: frozenset[str], current: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: which of the ``current`` memories have an identifier of the topic, written otherwise."""
        found = np.zeros(index.columns.rows, dtype=np.bool_)
        for name in names_of(wish):
            pattern = written_otherwise(name)
            if pattern is not None:
                texts = self._told(index, _of(index, _like(index, name) & current, subjects))
                rows = [row for row, said in texts.items() if any(pattern.search(name_form(one)) for one in said)]
                found[rows] = True
        return found

    def _begun(
        self, index: MemoryIndex, wish: Wish, subjects: frozenset[str], current: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: which of the ``current`` memories have the longer identifier that the topic's begins.

        It has to be one, in whatever grouping, in a text that has the other words of the topic as well.
        """
        found = np.zeros(index.columns.rows, dtype=np.bool_)
        name = names_of(wish)[0]
        if not may_begin(name):
            return found
        texts = self._told(index, _of(index, _having(index, name) & current, subjects))
        saying = _saying(index, set(terms(wish.topic)) - set(terms(name)))
        longer = {one for row, said in texts.items() if saying[row] for text in said for one in begun_by(name, text)}
        if len({undivided(loose_form(one)) for one in longer}) == 1:
            matcher = NameMatcher(longer)
            found[[row for row, said in texts.items() if matcher.judge((), said).verdict is Verdict.IS]] = True
        return found

    def _unmet(self, index: MemoryIndex, wish: Wish, found: npt.NDArray[np.bool_]) -> list[str]:
        """Return those names of a topic that are another writing of one that is ``found``, and are not found.

        *Nikos / Νίκος* and *Müller / Mueller* are one customer: what has the one writing is not all that is meant.
        """
        names = names_of(wish)
        if len(names) == 1:
            return []
        texts = self._told(index, found).values()
        matchers = {name: NameMatcher([name]) for name in names}
        unmet = [
            name
            for name, matcher in matchers.items()
            if not any(matcher.judge((), said).verdict is Verdict.IS for said in texts)
        ]
        return [
            name for name in unmet if any(_is_writing(matchers[name], name, one) for one in names if one not in unmet)
        ]

    def _maybe(
        self, index: MemoryIndex, names: Iterable[str], subjects: frozenset[str], current: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: which ``current`` memories have one of ``names`` where it may be a word, or longer."""
        found = np.zeros(index.columns.rows, dtype=np.bool_)
        for name in names:
            matcher = NameMatcher([name])
            texts = self._told(index, _of(index, _having(index, name) & current, subjects))
            found[[row for row, said in texts.items() if matcher.judge((), said).reason in _MAY_BE]] = True
        return found

    def _told(self, index: MemoryIndex, found: npt.NDArray[np.bool_]) -> dict[int, tuple[str, ...]]:
        """Return what the memories of the rows that are ``found`` say, and their tags."""
        rows = {index.ids[row]: row for row in np.flatnonzero(found).tolist()}
        return {rows[ident]: said for ident, said in self._texts(list(rows))} if rows else {}

    def _naming(self, index: MemoryIndex, wish: Wish, subjects: frozenset[str]) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: which memories have a name that the topic has, by what their texts say."""
        found = np.zeros(index.columns.rows, dtype=np.bool_)
        for name in names_of(wish):
            found |= _having(index, name)
        return self._read(index, wish, _of(index, found & index.columns["alive"], subjects))

    def _read(self, index: MemoryIndex, wish: Wish, found: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return which of the rows that are ``found`` are of memories whose texts decide so, each read once."""
        known = self.known.setdefault(wish.topic, {})
        rows = np.flatnonzero(found).tolist()
        unknown = [index.ids[row] for row in rows if index.ids[row] not in known]
        for ident, texts in self._texts(unknown) if unknown else ():
            known[ident] = names_in(wish, texts)
        found[rows] = [known.get(index.ids[row], False) for row in rows]
        return found


def _is_writing(matcher: NameMatcher, name: str, other: str) -> bool:
    """Return whether a name, which ``matcher`` is of, and ``other`` may be one in two scripts or two spellings."""
    if _script(name) != _script(other):
        return True
    return matcher.compare(other).verdict in {Verdict.IS, Verdict.NEAR}


def _script(name: str) -> str:
    """Return the script of the first letter of a name."""
    return next((script(one) for one in name if one.isalpha()), "")


def _ids(index: MemoryIndex, found: npt.NDArray[np.bool_]) -> list[str]:
    return [index.ids[row] for row in np.flatnonzero(found).tolist()]


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


def _like(index: MemoryIndex, name: str) -> npt.NDArray[np.bool_]:
    """Return ``[rows]``: which memories may have ``name`` written otherwise: its words, or the most of its digits."""
    digits = max(_DIGITS.findall(name_form(name)), key=len, default="")
    with_digits = {term for term in index.lexical if digits in term} if len(digits) >= _BARE else set[str]()
    return _having(index, without_title(name)) | _with_any(index, with_digits)


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
        short = len(word) <= _BARE
        around = {term for term in index.lexical if word in (_PIECE.findall(term) if short else term)}
        having &= _with_any(index, around | {word})
    return having
