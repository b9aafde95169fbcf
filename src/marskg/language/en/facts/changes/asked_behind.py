"""Where a statement ends and a question about it begins: "I moved to Ghent, how do I register there?".

Guarantees: pure. What is asked back of the statement itself ("am I?", "is that right?") is no question behind it, nor
is what is asked of a supposition or of a sum that is only made up to be counted ("how many are left?").
"""

from __future__ import annotations

import re
from typing import Final

from marskg.late_regex import late_regex

_TELLS: Final = late_regex(
    r"(?:[a-z]+,? ){0,3}?(?:I|I'm|I've|I'd|I'll|we|we're|we've|my|our)\b"
    r"(?! (?:should|ought|could|might|would|may)\b)",
    re.IGNORECASE,
)
#: What a statement does not begin with.
_NO_STATEMENT: Final = late_regex(
    r"(?:(?:so|and|but|ok|okay|well|hey|hi),? )*(?:if|unless|whether|suppose|supposing|imagine|say|let's|assuming|"
    r"what|how|why|when|where|who|which|can|could|would|will|should|do|does|did|is|are|am|was|were|have|has|had|may|"
    r"doesn't|don't|isn't|aren't|can't|won't|didn't)\b",
    re.IGNORECASE,
)
_ASKS: Final = late_regex(
    r"(?:,|\s[-–—])\s+(?:(?:so|but|and|or|then|now) )?(?=(?:(?:can|could|would|will) you \w+|"
    r"(?:I'm|I am|I was|I've been) (?:\w+ )?(?:wondering|curious|not sure|unsure) "
    r"(?:how|if|whether|what|which|when|why|where)\b|"
    r"(?:how|what|where|which|why|when|who)(?:'s|(?: \w+){0,3}? (?:can|should|do|does|did|is|are|would|could|will|am|"
    r"was)) (?:\w+[' ?]+){2}|should (?:I|we) (?:\w+ ){2}|"
    r"(?:do|does|did|is|are|am|have|has) (?:I|you|we|it|that|this|there|my|the) (?:\w+ ){2}|"
    r"any (?:advice|tips|ideas?|suggestions?|thoughts)\b)"
    r"(?!how (?:many|much)\b|(?:is|was) (?:that|this|it) (?:right|correct|true)\b))",
    re.IGNORECASE,
)
_QUOTES: Final = frozenset('"“”„«»')
#: What asks without a question mark, too.
_PLAINLY: Final = late_regex(
    r"(?:I'm|I am|I was|I've been)\b|(?:can|could|would) you\b|"
    r"(?:how|what|where|which|when) (?:can|could|should|do|does|did|would) (?:I|we|you)\b",
    re.IGNORECASE,
)


def question_behind(sentence: str) -> re.Match[str] | None:
    """Return the words between what ``sentence`` tells of the speaker and what it asks about that; None if nothing."""
    if _NO_STATEMENT.match(sentence) or not _TELLS.match(sentence):
        return None
    found = _ASKS.search(sentence)
    # What stands in quotation marks is somebody's whole sentence.
    if found is None or not _QUOTES.isdisjoint(sentence[: found.start()]):
        return None
    marked = sentence.rstrip("\"')] ").endswith("?")
    return found if marked or _PLAINLY.match(sentence, found.end()) else None
