"""A text as words with their classes: the one reading of it that names, phrases and relations are found in.

Guarantees: offsets point into the text as given; an e-mail address, a URL, a domain, a handle, a hashtag and a number
are never a word, so nothing that is built from words can hold one.
"""

from __future__ import annotations

import re
from typing import Final

from marskg.entities.lexicon import Is, flags

#: Addresses, handles, tags, and whatever has a digit group that could be an account or a telephone number.
_PRIVATE: Final = re.compile(
    r"[a-z][a-z0-9+.\-]{1,20}://\S+|www\.\S+|\S*@\S+|#\w+|\b(?:[\w\-]+\.)+[a-z]{2,24}\b(?:/\S*)?"
    r"|\+?\d[\d ./()\-]{5,}\d|\b[A-Za-z]*\d[A-Za-z]*\d[A-Za-z]*\d\w*"
)
_MAYBE_PRIVATE: Final = re.compile(r"[@#/]|\d|\w\.\w")
_TOKEN: Final = re.compile(
    r"(?:[^\W\d_]\.){2,}|[^\W\d_](?=\.\s)\."  # initials: J.R.R., J.
    r"|[^\W_]+(?:['’\-][^\W_]+)*&?(?:(?<=&)[^\W_]+)*"
    r"|\n+|[^\w\s]"
)
_SENTENCE_ENDS: Final = frozenset(".!?…:;。！？")
_OPENERS: Final = frozenset("\"'“‘(«[*•-–—")
#: Letters after an apostrophe that end a word without being part of the name.
_CLITICS: Final = frozenset({"s", "ll", "ve", "re", "d", "m", "t"})

WORD, PUNCTUATION, INITIAL, NUMBER = range(4)


class Tokens:
    """The words and marks of one text, column by column.

    ``capital`` says that a word begins with a capital; ``opens`` that a sentence, a line or a quotation begins with it,
    so that its capital says nothing by itself. ``stem`` is the folded word without ``'s``; ``owns`` says it had one.
    """

    __slots__ = ("capital", "classes", "ends", "opens", "owns", "shouted", "sorts", "starts", "stems", "text", "union")

    def __init__(self, text: str) -> None:
        """Read ``text``."""
        self.text = text
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.stems: list[str] = []
        self.classes: list[int] = []
        self.sorts: list[int] = []
        self.capital: list[bool] = []
        self.opens: list[bool] = []
        self.owns: list[bool] = []
        #: All classes that occur.
        self.union = 0
        self._read(masked(text))
        #: Whether the text is written in capitals, so that they say nothing.
        self.shouted = _is_shouted(text)

    def __len__(self) -> int:
        """Return the number of words and marks."""
        return len(self.starts)

    def word(self, place: int) -> str:
        """Return the word at ``place`` as it is written, without a possessive."""
        return self.text[self.starts[place] : self.ends[place]]

    def _read(self, readable: str) -> None:
        table = flags()
        opening = True
        starts, ends, stems, classes = self.starts, self.ends, self.stems, self.classes
        sorts, capital, opens, owns = self.sorts, self.capital, self.opens, self.owns
        union = 0
        for match in _TOKEN.finditer(readable):
            written = match[0]
            start, end = match.span()
            first = written[0]
            if not first.isalnum():
                sort, stem, kind, own = PUNCTUATION, first, 0, False
                now_opening = opening or first in _SENTENCE_ENDS or first == "\n"
                now_opening = now_opening or first in _OPENERS
            else:
                stem = written.lower()
                own = False
                if "'" in stem or "’" in stem:
                    stem, own = _without_clitic(stem)
                    end = start + len(stem) if len(written.lower()) == len(written) else end
                sort = INITIAL if written[-1] == "." else NUMBER if first.isdigit() and stem.isdigit() else WORD
                kind = table.get(stem, 0)
                union |= kind
                now_opening = False
            starts.append(start)
            ends.append(end)
            stems.append(stem)
            classes.append(kind)
            sorts.append(sort)
            capital.append(first.isupper())
            opens.append(opening)
            owns.append(own)
            opening = now_opening
        self.union = union


def masked(text: str) -> str:
    """Return ``text`` in its length, with everything that must not become a name replaced by NUL characters."""
    if _MAYBE_PRIVATE.search(text) is None:
        return text
    return _PRIVATE.sub(lambda match: "\0" * len(match[0]), text)


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
