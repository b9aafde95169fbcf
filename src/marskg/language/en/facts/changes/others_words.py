"""Somebody else's words inside what one says: a line of another speaker, a letter that is quoted or to be mended.

Guarantees: pure. What stands behind "Bob:" or "Bob wrote:" belongs to another until its line ends; what stands in or
behind a request to proofread, to translate or to summarise a text, or behind "Dear Sir", until the text ends.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.personal_slots import KIN, ROLE
from marskg.language.en.lexicon import Is, flags, guessed
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.language.en.facts.phrasing import Sentence

#: A name before what somebody says of themselves; "FYI:" and "Groceries: 54 EUR" have none.
_NAME: Final = late_regex(
    r"(?P<name>(?!Btw|Todo|Fyi)[A-ZÀ-Þ][a-zà-ÿ][\w'-]*(?: [A-ZÀ-Þ][\w'.-]*){0,2}): "
    r"(?=.*\b(?:I|[Mm]y|[Ww]e|[Oo]ur|me|us)\b)"
)
#: Others who are not called by a name.
_OTHER: Final = late_regex(
    rf"(?:user|me|you|him|her|them|speaker(?: \w+)?|(?:my|our|his|her) (?:[a-z]+ )?(?:{KIN}|{ROLE}))"
    r"(?: \([^)]*\))?: \S",
    re.IGNORECASE,
)
#: Who wrote what follows the colon; what one wrote oneself is one's own.
_WROTE: Final = late_regex(
    r"[^:\"]{0,80}?(?<!\bI )(?<!\bI've )(?<!\bI have )(?<!\bI just )\b(?:wrote|writes|written|texted|replied|posted|"
    r"emailed|said|says|messaged|answered)(?: to me| me| back| today| yesterday| this)*: \S",
    re.IGNORECASE,
)
_LETTER: Final = late_regex(
    r"[^:\"]{0,40}\b(?:cover letter|essay|letter|poem|lyrics|dialogue|excerpt)\b[^:\"]{0,20}:(?:\s|$)|"
    r"(?:[^:\"]{0,80}[:,] )?dear (?:sir|madam|hiring|mr|mrs|ms|dr|(?-i:[A-Z][a-z]+),)",
    re.IGNORECASE,
)
_REQUEST: Final = late_regex(
    r"(?:(?:hi|hey|hello|ok|okay|so|and|now)[,!]? )?(?:(?:please|kindly|(?:can|could|would|will) you|help me|"
    r"I (?:need|want) you to|I'd like you to)[, ]+)*(?:please )?(?:(?:proofread|proof-read|translate|paraphrase|"
    r"spell-?check)\b|"
    # What is asked of a text; of anything else, "summarise my week", the text that follows may be one's own.
    r"(?:summari[sz]e|rewrite|rephrase|reword|shorten|condense|simplify|polish|improve|edit|fix|correct|check|explain|"
    r"analy[sz]e|classify) (?:[\w'-]+ ){0,4}?(?:this|these|following|below|text|paragraph|sentences?|passage|grammar|"
    r"spelling|wording|punctuation|english|transcript)\b[^:.!?]{0,40}(?::|[.!?]*$))",
    re.IGNORECASE,
)


def others_words(sentences: Sequence[Sentence], text: str, speaker: str | None) -> set[int]:
    """Return the numbers of the sentences of ``text`` that are not the own words of ``speaker``."""
    own = {*(speaker or "").casefold().split()}
    found: set[int] = set()
    line, rest = False, False
    for number, sentence in enumerate(sentences):
        if number:
            before = sentences[number - 1]
            line = line and "\n" not in text[before.start + len(before.text) : sentence.start]
        said = sentence.text
        rest = rest or _LETTER.match(said) is not None or _REQUEST.match(said) is not None
        line = line or (":" in said and _is_headed(said, own))
        if line or rest:
            found.add(number)
    return found


def _is_headed(said: str, own: set[str]) -> bool:
    """Return whether a sentence begins with who says it, where that is none of the names ``own``."""
    if _OTHER.match(said) is not None or _WROTE.match(said) is not None:
        return True
    named = _NAME.match(said)
    if named is None:
        return False
    # "Update:" and "Home address:" head what one says oneself.
    words = [word.strip(".").casefold() for word in named["name"].split()]
    return own.isdisjoint(words) and not any(
        (flags().get(word, 0) | guessed(word)) & (Is.COMMON | Is.TIME) for word in words
    )
