"""What is said and taken back in the same breath: a jest, a finding that was wrong, a habit that came back.

Guarantees: pure. A sentence that says that something was a jest unsays the one before it, past mere exclamations; one
that says that none of it is true unsays all before it. A state is undone by what stands behind it in its sentence, or
opens the next one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.language.en.facts.phrasing import Sentence

#: The most words of a sentence that only exclaims.
_EXCLAIMS: Final = 2
#: Rules of what was given up or left, which may have come back.
_GIVEN_UP: Final = ("life.gave_up", "profile.ended", "state.ended")
_BACK: Final = (
    r"(?:restart(?:ed|ing)|(?:start(?:ed|ing)?|began|beginning|took|taking)(?: [a-z]+){0,3}? again|"
    r"(?:took|picked|taking|picking) (?:it|them|that) (?:back )?up|back (?:to (?:it|them|old habits|[a-z]+ing)|"
    r"on (?:it|them)|at it)|resumed|relapsed|caved|gave in)\b"
)
_CAME_BACK: Final = late_regex(
    rf"[^.!?]{{0,60}}?\b(?:then|but|and|before|until|only to)\b[^.!?]{{0,30}}?\b{_BACK}", re.IGNORECASE
)
_AGAIN: Final = late_regex(
    rf"(?:(?:but|then|and|well|sadly|unfortunately|since then|later),? )*I(?:'ve| have|'m| am)? (?:[a-z]+ ){{0,2}}?"
    rf"{_BACK}",
    re.IGNORECASE,
)
#: What was found to be so, and was not.
_FOUND: Final = (
    r"(?:it|that|this|they|he|she|(?:the|my|that) (?:[a-z]+ ){0,2}?(?:tests?|results?|diagnosis|doctors?|reports?|"
    r"records?|form|papers?|scan))"
)
_WRONG: Final = (
    rf"{_FOUND}(?:'s| is| was| were| has been| had been| turned out| proved| came back)(?: to be| to have been)?"
    r"(?: (?:just|all|simply|actually|later|both|completely))* (?:an? )?(?:wrong|mistaken|false|incorrect|negative|"
    r"misdiagnos\w+|mistake|error|mix-up|not true|untrue|(?:[a-z]+ )?(?:alarm|positive)|not (?:that|so)|ruled out|"
    r"disproved|disproven)\b"
)
_BELIED: Final = late_regex(
    rf"[^.!?]{{0,60}}?\b(?:but|though|although|until|except|yet|then)\b,? (?:[a-z]+,? ){{0,3}}?{_WRONG}|"
    r"[^.!?]{0,30}?, which (?:was|turned out|proved)(?: to be)? (?:[a-z]+ )?(?:wrong|false|an? (?:mistake|error))\b",
    re.IGNORECASE,
)
_BELIED_AFTER: Final = late_regex(
    rf"(?:(?:but|well|luckily|fortunately|thankfully|turns out|it turns out|later|then)[, ]+)*{_WRONG}", re.IGNORECASE
)


def jests_of(sentences: Sequence[Sentence]) -> set[int]:
    """Return the numbers of the sentences that are a jest, or said to have been one."""
    found: set[int] = set()
    for number, sentence in enumerate(sentences):
        if not sentence.jests:
            continue
        first = 0 if sentence.jests_all else number - 1
        while 0 < first < number and len(sentences[first].words) <= _EXCLAIMS:
            first -= 1
        found.update(range(max(first, 0), number + 1))
    return found


def is_undone(rule: str, sentence: Sentence, end: int) -> bool:
    """Return whether what a rule read in ``sentence`` before ``end`` is undone behind it."""
    text, after = sentence.text, sentence.after
    if rule in _GIVEN_UP:
        return _CAME_BACK.match(text, end) is not None or _AGAIN.match(after) is not None
    return _BELIED.match(text, end) is not None or _BELIED_AFTER.match(after) is not None
