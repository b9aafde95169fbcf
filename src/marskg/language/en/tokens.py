"""A text as words with their classes: the one reading of it that names, phrases and relations are found in.

Guarantees: offsets point into the text as given; an e-mail address, a URL, a domain, a handle, a hashtag and a number
are never a word, so nothing that is built from words can hold one.
"""

from __future__ import annotations

import re
from functools import lru_cache, reduce
from itertools import accumulate
from operator import or_
from typing import TYPE_CHECKING, Final

from marskg.language.en.lexicon import Is, flags, guessed
from marskg.language.en.morphology import Form, form_of
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Addresses, handles and tags, in a text that has one of their marks.
_ADDRESS: Final = late_regex(r"(?:[a-z][a-z0-9+.\-]{1,20}://|www\.)\S+|[^\s@]*@\S+|#\w+", re.IGNORECASE)
#: Domains, with what follows them.
_DOMAIN: Final = late_regex(r"(?<![\w\-])(?:[\w\-]+\.)+[a-z]{2,24}\b(?:/\S*)?")
_DOT_INSIDE: Final = late_regex(r"\w\.[a-z]{2}")
#: Groups of digits that could be an account or a telephone number, and codes with three digits or more.
_ACCOUNT: Final = late_regex(r"\+?\d[\d ./()\-]{5,}\d|(?<!\w)[A-Za-z]*\d[A-Za-z]*\d[A-Za-z]*\d\w*")
_DIGITS: Final = late_regex(r"\d[^\W\d_]*[ ./()\-]*\d")
_TOKEN: Final = late_regex(
    r"([A-Z](?:\.[A-Z])*\.(?!\n|$)(?<![a-z].)"  # initials: J.R.R., J.
    r"|[^\W_]+(?:['’&\-][^\W_]+)*|\n+|[^\w\s])"
)
_SENTENCE_ENDS: Final = frozenset(".!?…:;。！？")
_OPENERS: Final = frozenset("\"'“‘(«[*•-–—")
#: Letters after an apostrophe that end a word without being part of the name.
_CLITICS: Final = frozenset({"s", "ll", "ve", "re", "d", "m", "t"})

WORD, PUNCTUATION, INITIAL, NUMBER = range(4)
#: Words whose reading is kept; people's words repeat.
_KEPT_WORDS: Final = 50_000


class Tokens:
    """The words and marks of one text, column by column.

    ``capital`` says that a word begins with a capital; ``opens`` that a sentence, a line or a quotation begins with it,
    so that its capital says nothing by itself. ``stems`` is the small word without ``'s``; ``owns`` says it had
    one; ``classes`` and ``forms`` are bits of ``Is`` and ``Form``.
    ``union`` holds all classes that occur; ``shouted`` says that capitals mean nothing in this text.
    """

    __slots__ = (
        "_mid",
        "capital",
        "classes",
        "ends",
        "forms",
        "opens",
        "owns",
        "shouted",
        "sorts",
        "starts",
        "stems",
        "text",
        "union",
    )

    def __init__(self, text: str) -> None:
        """Read ``text``."""
        self.text = text
        # Splitting and summing run outside Python's loop: this is read for every memory that is written.
        pieces = _TOKEN.split(masked(text))
        read = list(map(_read, pieces[1::2]))
        bounds = list(accumulate(map(len, pieces)))
        columns = list(zip(*read, strict=True)) or [()] * 8
        self.starts, self.ends = bounds[:-1:2], bounds[1::2]
        if any(columns[6]):
            self.ends = [end - cut for end, cut in zip(self.ends, columns[6], strict=True)]
        self.opens = _openings(columns[0], columns[5])
        self.sorts: tuple[int, ...] = columns[0]
        self.stems: tuple[str, ...] = columns[1]
        self.classes: tuple[int, ...] = columns[2]
        self.capital: tuple[bool, ...] = columns[3]
        self.owns: tuple[bool, ...] = columns[4]
        self.forms: tuple[int, ...] = columns[7]
        self.union = reduce(or_, self.classes, 0)
        self.shouted = sum(self.capital) * 2 > len(self.capital) and _is_shouted(text)
        self._mid: frozenset[str] | None = None

    def __len__(self) -> int:
        """Return the number of words and marks."""
        return len(self.starts)

    def word(self, place: int) -> str:
        """Return the word at ``place`` as it is written, without a possessive."""
        return self.text[self.starts[place] : self.ends[place]]

    def is_capital_elsewhere(self, stem: str) -> bool:
        """Return whether ``stem`` has a capital somewhere where no sentence begins."""
        if self._mid is None:
            columns = zip(self.stems, self.capital, self.opens, strict=True)
            self._mid = frozenset(word for word, capital, opens in columns if capital and not opens)
        return stem in self._mid


def _openings(sorts: Sequence[int], openers: Sequence[bool]) -> list[bool]:
    """Return for each word whether a sentence, a line or a quotation begins with it."""
    opens = [False] * len(sorts)
    for place in (-1, *(place for place, opener in enumerate(openers) if opener)):
        following = place + 1
        while following < len(sorts) and not opens[following]:
            opens[following] = True
            if sorts[following] != PUNCTUATION:
                break
            following += 1
    return opens


@lru_cache(maxsize=_KEPT_WORDS)
def _read(written: str) -> tuple[int, str, int, bool, bool, bool, int, int]:
    """Return sort, stem, classes, capital, possessive, whether a sentence opens after it, letters cut, form."""
    first = written[0]
    if not first.isalnum():
        opener = first in _SENTENCE_ENDS or first in _OPENERS or first == "\n"
        return PUNCTUATION, first, 0, False, False, opener, 0, Form.OUTSIDE
    stem, own, cut = written.lower(), False, 0
    if "'" in stem or "’" in stem:
        stem, own = _without_clitic(stem)
        cut = max(0, len(written) - len(stem))
    sort = INITIAL if written[-1] == "." else NUMBER if stem.isdigit() else WORD
    classes = flags().get(stem)
    classes = guessed(stem) if classes is None else classes
    return (
        sort,
        stem,
        classes,
        first.isupper(),
        own,
        False,
        cut,
        form_of(stem, classes) if sort == WORD else Form.OUTSIDE,
    )


def masked(text: str) -> str:
    """Return ``text`` in its length, with everything that must not become a name replaced by NUL characters."""
    if "@" in text or "#" in text or "://" in text or "www." in text or "WWW." in text:
        text = _ADDRESS.sub(_blank, text)
    if _DOT_INSIDE.search(text) is not None:
        text = _DOMAIN.sub(_blank, text)
    if _DIGITS.search(text) is not None:
        text = _ACCOUNT.sub(_blank, text)
    return text


def _blank(match: re.Match[str]) -> str:
    return "\0" * len(match[0])


def _without_clitic(stem: str) -> tuple[str, bool]:
    """Return a word without its ``'s`` or ``'ll``, and whether it owns what follows."""
    plain = stem.replace("’", "'")
    head, _, tail = plain.rpartition("'")
    if tail in _CLITICS and head:
        return (head, tail == "s")
    return plain, False


def _is_shouted(text: str) -> bool:
    letters = text[:400]
    return letters.isupper() or sum(map(str.isupper, letters)) * 2 > sum(map(str.isalpha, letters)) > 20  # noqa: PLR2004 - shorter texts are names and acronyms


def is_name_like(classes: int) -> bool:
    """Return whether a word of these classes is no common word of English."""
    return not classes & (Is.COMMON | Is.TIME | Is.DEMONYM)
