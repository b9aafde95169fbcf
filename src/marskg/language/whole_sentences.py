"""The sentences of a text that may be shown without the others, in any language.

Guarantees: pure; what stands between two of them is white space, or the mark of an earlier excerpt; each begins and
ends with a character that shows. Where it is not sure that a sentence ends, it goes on: behind an abbreviation or the
number of a day, before a small letter, inside a quotation and behind it, between a line and the list that it leads.
A line alone ends none, as texts are wrapped and chats are written in lines; of what is made of lines it does, unless
the line is wrapped. :func:`may_part` says which are no sentences of prose but a run of words without an end.
Source: semantics section 9 (no part of a sentence without its "not"); ADR 89.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.language.en.lexicon import flags
from marskg.language.whole_clauses import denies
from marskg.late_regex import late_regex
from marskg.text import PASSAGE, STOPWORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.language.spans import Part

#: Where a sentence may end; an ellipsis ends none. The mark of an excerpt stands between whole sentences.
_ENDS: Final = (
    r"(?<=[.!?؟\u06d4।])\s+(?=[\"'“‘„«¿¡(\[]?[^\W_a-z])|(?<=[。！？])\s*(?=\S)|\s*\n[^\S\n]*\n\s*|"
    r"(?<=[.!?؟\u06d4।。！？]) … (?=\S)"
)
_END: Final = late_regex(_ENDS)
_END_OR_LINE: Final = late_regex(rf"{_ENDS}|\s*\n\s*")
#: What has a full stop behind it and goes on: one letter, a word without a vowel, an abbreviation.
_ABBREVIATED: Final = late_regex(
    r"(?:(?<![^\W_])(?:[^\W\d_]|[b-df-hj-np-tv-xz]{2,5})|\b(?:Dra|Sra|Srta|Lic|Sig|Dott|Avv|Mme|"
    r"Mlle|Mevr|Prof|Mag|Ing|Dipl|Univ|Doz|Fam|No|Inc|Gen|Col|Capt|Sen|Gov|Rev|Hon|Ave|Avda|Tel|Art|Abs|Geb|Ca|Inkl|"
    r"Evtl|Usw|Etc|Approx|Bijv|Ud|Uds|Al|Ul|"
    "núm|pág|inż|\u0443\u043b|\u0438\u043c|\u0433\u0440|\u0441\u0442\u0440))\\.$",
    re.IGNORECASE,
)
#: The number of a day or a floor, behind which a noun follows: behind that of something else a sentence may begin.
_ORDINAL: Final = late_regex(r"(?<![\d.,:])\d{1,2}\.$")
_BEGINNERS: Final = STOPWORDS - {"may"}
_LEADS: Final = (":", ",", ";", "-", "–", "—")
_STOPS: Final = (".", "!", "?", "…", "؟", "\u06d4", "।", "。", "！", "？")
_NUMBERED: Final = late_regex(r"\d{1,3}[.)]\s")
_ITEM: Final = late_regex(r"[-*•–]\s")
_MARKS: Final = late_regex(r"[^\"„“”«»「」『』]+")
#: Characters from which on a line is taken for a wrapped one.
_WRAPPED: Final = 50
#: A sentence longer than this, where it is not the user's, is a run without an end, as for passages.
_ENDLESS: Final = 2 * PASSAGE
_WORD: Final = late_regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
#: What takes something back without a word that denies.
_TAKES_BACK: Final = frozenset(
    "except unless without refuse refuses refused forbid forbids forbidden avoid hate hates unlike lest barely".split()  # noqa: SIM905 - a list of short words is not read any better
)


def whole_sentences(text: str, *, lines: bool = False) -> list[Part]:
    """Return where the sentences of ``text`` begin and end; with ``lines``, lines are sentences too.

    >>> [*whole_sentences("Ask Dr. Huber on the 5. May. Not my boss!")]
    [(0, 28), (29, 41)]
    """
    found: list[Part] = []
    marks = ""
    for start, end in _pieces(text, lines=lines):
        if found and _goes_on(text, found[-1], (start, end), marks, lines=lines):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
            marks = ""
        marks += _MARKS.sub("", text[start:end])
    return found


def may_part(sentence: str) -> bool:
    """Return whether a sentence that is not the user's may be parted: an endless one, in English, that denies nothing.

    What denies is known of English alone, so that of any other language nothing is parted.
    """
    if len(sentence) <= _ENDLESS or denies(sentence):
        return False
    said = [found[0].lower().replace("’", "'") for found in _WORD.finditer(sentence)]
    table = flags()
    known = sum(word in STOPWORDS or word in table for word in said)
    return 2 * known >= len(said) and _TAKES_BACK.isdisjoint(said)


def _pieces(text: str, *, lines: bool) -> Iterator[Part]:
    """Yield what stands between two places where a sentence may end."""
    ends = [(found.start(), found.end()) for found in (_END_OR_LINE if lines else _END).finditer(text)]
    start = 0
    for end, behind in (*ends, (len(text), len(text))):
        said = text[start:end]
        if part := said.strip():
            first = start + said.index(part)
            yield first, first + len(part)
        start = behind


def _goes_on(text: str, before: Part, behind: Part, marks: str, *, lines: bool) -> bool:
    """Return whether the sentence ``before`` does not end where a sentence may."""
    said, gap, start = text[slice(*before)], text[before[1] : behind[0]], text[behind[0] : behind[0] + 8]
    if (start[:1].islower() or _is_no_end(said[-8:], start) or said.endswith(_LEADS)) and "…" not in gap:
        return True
    # A mark that stands alone, as for inches, opens no quotation of the whole text.
    if _is_open(marks) and len(said) <= _ENDLESS:
        return True
    if not lines:
        return bool(_NUMBERED.match(start) or _ITEM.match(start))
    line = said.rpartition("\n")[2]
    wrapped = len(line) >= _WRAPPED and not line.endswith(_STOPS) and start[:1].isalpha()
    return wrapped and gap.count("\n") == 1


def _is_no_end(said: str, start: str) -> bool:
    """Return whether the full stop that ``said`` ends in is that of an abbreviation, or of a number before a noun."""
    if _ORDINAL.search(said):
        word = _WORD.match(start)
        return word is None or word[0].lower() not in _BEGINNERS
    return _ABBREVIATED.search(said) is not None


def _is_open(marks: str) -> bool:
    """Return whether a quotation has begun that has not ended, by the quotation marks so far."""
    ended = marks.count("”") + (marks.count("“") if "„" in marks else 0)
    begun = marks.count("„" if "„" in marks else "“")
    return bool(
        marks.count('"') % 2
        or begun > ended
        or marks.count("«") != marks.count("»")
        or marks.count("「") > marks.count("」")
        or marks.count("『") > marks.count("』")
    )
