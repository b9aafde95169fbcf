"""What English questions ask for, and what English texts say of themselves: the only words that ranking knows.

Guarantees: pure functions of a text; a text in another language asks for nothing in particular and says nothing, so
that it is ranked by its words and its meaning alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.late_regex import late_regex
from marskg.text import folded, term_set

if TYPE_CHECKING:
    from collections.abc import Iterable

_TIMES: Final = (
    "yesterday today tomorrow tonight week month year day weekend monday tuesday wednesday thursday friday "
    "saturday sunday january february march april june july august september october november december ago last "
    "next recent summer winter spring fall autumn morning evening night birthday since"
)
#: What a question about a time asks for, whatever it was.
_HAPPENING: Final = "happen happened happening go going went do doing done say said tell told talk"
_WHEN: Final = late_regex(r"\s*(?:when|what (?:day|date|year|month|time)|(?:for |since )?how long|since when)\b")
#: A question mark at the end; marks, pictures and one bracket, such as what is shown with it, may follow.
_ASKS: Final = late_regex(r"[?？؟]\W*(?:\[[^\]]*\]\W*)?\Z")
_QUESTION_MARKS: Final = frozenset("?？؟")
#: What asks at the end of a statement for no more than a yes.
_TAG: Final = late_regex(
    r"[,;\u2013\u2014-] ?(?:right|correct|yes|yeah|no|ok|okay|you know"
    r"|(?:do|does|did|is|are|was|were|have|has|had|wo|ca|would|could|should|ai)n't (?:i|you|he|she|it|we|they|there)"
    r"|(?:am|do|is|are|was|were) (?:i|you|he|she|it|we|they) not)\W*\Z"
)
#: How far from its end a text's question mark is looked for, in characters.
_END: Final = 400
_ADVICE: Final = late_regex(
    r"\b(?:recommend|suggest|advi[sc]e)\b|\b(?:recommendation|suggestion)s?\b[^.?!]{0,40}\?"
    r"|\b(?:what|which|where)\b[^.?!]{0,40}\b(?:should|could) (?:i|we)\b|\bwould i (?:like|enjoy)\b"
    r"|\bbased on my (?:taste|preference)s?\b"
)
_OF_ONESELF: Final = late_regex(r"\b(?:i|my|me|mine|we|our|us|ours)\b")
#: What a request for advice says of itself and not of what it is about.
_REQUEST: Final = "recommend recommends recommendation recommendations suggest suggestion advise advice"


def asks_when(question: str) -> bool:
    """Return whether ``question`` asks for a time."""
    return _WHEN.match(folded(question)) is not None


def asks_advice(question: str) -> bool:
    """Return whether ``question`` asks for something to somebody's taste."""
    return _ADVICE.search(folded(question)) is not None


def asks_by_time(found: Iterable[str]) -> bool:
    """Return whether the index terms of a question say nothing but a time: "what happened last week"."""
    return all(term in term_set(_TIMES) or term in term_set(_HAPPENING) or term[0].isdigit() for term in found)


def asks_of_oneself(question: str) -> bool:
    """Return whether ``question`` is about who asks it: "my", "I", "we"."""
    return _OF_ONESELF.search(folded(question)) is not None


def about(question: str, asked: Iterable[str]) -> tuple[str, ...]:
    """Return the index terms ``asked`` of ``question`` without those by which it asks for advice.

    *Recommend* in a question is a request; in a memory, *recommendations* are often those of a report.
    """
    found = tuple(asked)
    if not asks_advice(question):
        return found
    kept = tuple(term for term in found if term not in term_set(_REQUEST))
    return kept or found


def says_time(found: Iterable[str]) -> bool:
    """Return whether the index terms of a text name a time, or any number."""
    return any(term in _TIMES or term[0].isdigit() for term in found)


def asks_and_states(text: str) -> tuple[bool, bool]:
    """Return whether a text ends with a question, and whether it says something that a question would not.

    The tag of a statement is a question that does: "I live here, right?".
    """
    end = text[-_END:]
    if _QUESTION_MARKS.isdisjoint(end) or _ASKS.search(end) is None:
        return False, True
    return True, _TAG.search(folded(end)) is not None
