"""What somebody says is to be taken out of a list that was given before: "please remove 'B' from the recipients".

Guarantees: pure; only what stands in quotation marks after a verb of taking out is withdrawn, so that nothing has to be
guessed about where it ends; an earlier text is parted only where it says that, word for word but for articles, with
something else besides, and names the same list, unless so many words tell. English, as
:mod:`marskg.language.en.clauses` is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.kept_texts import keeping_texts
from marskg.language.spans import GAP
from marskg.language.whole_clauses import denies
from marskg.late_regex import late_regex
from marskg.text import term_set, terms

if TYPE_CHECKING:
    from collections.abc import Iterable

_TAKES_OUT: Final = late_regex(
    r"\b(?:remove|delete|drop|exclude|strike|take out|take off|cross out|cross off)\s+"
    r"(?:\"(?P<double>[^\"]{2,300})\"|“(?P<curly>[^”]{2,300})”|['‘](?P<single>.{2,300}?)['’])"
    r"\s+from (?:the |my |our |its |his |her |their )?(?P<list>[^.!?;]{2,80})",
    re.IGNORECASE,
)
#: Verbs that take something out.
TAKING_OUT: Final = "remove delete drop exclude strike take cross"
#: What somebody does not do, supposes, tells of others or has not decided, before what is taken out …
_NOT_SO: Final = late_regex(
    r"\b(?:\w+n't|not|never|cannot|no|nobody|without|instead of|rather than|refuse[sd]?|forg[eo]t|avoid(?:ed)?|"
    r"stop(?:ped)?|if (?!possible|you)|unless|whether|suppose|imagine|perhaps|maybe|may|might|almost|nearly|"
    r"would(?! (?:like|love))|(?!(?:i|we)\b)\w+ (?:said|says|thinks?|thought|suggest(?:s|ed)?|claim(?:s|ed)?|wanted|"
    r"tried|planned|was going))\b[^.!?]*$|\?[\"')\]]*$",
    re.IGNORECASE,
)
#: … and behind it.
_TAKEN_BACK: Final = late_regex(
    r"\b(?:but|is|was|would|if|unless|though|although)\b(?!.*\b(?:possible|keep|leave)\b)", re.IGNORECASE
)
_WORD: Final = late_regex(r"[^\W_]+", re.UNICODE)
_ARTICLES: Final = frozenset({"the", "a", "an", "our", "its", "their", "my", "your"})
_BETWEEN: Final = r"[\W_]+(?:(?:the|an?|our|its|their|my|your)[\W_]+)*"
#: "tea" is no part of "green-tea", nor "Ann" of "Ann's sister".
_EDGE: Final = (r"(?<![\w'’-])", r"(?![\w’'-]*[^\W_])")
_LAST: Final = late_regex(r"(?<![^\W_])[A-ZÀ-Þ][\w'’.-]* $")
_STARTS: Final = late_regex(r" [A-ZÀ-Þ]")
#: What a list is also called where somebody writes to it.
_ADDRESSED: Final = "recipient"
_WRITTEN: Final = "email mail message letter send sent"
#: So many words in a row are said of nothing else by chance.
_TELLING: Final = 6
#: Fewest other words of a text from which something can be taken out.
_LEAST_LEFT: Final = 3


class Withdrawal(NamedTuple):
    """What is taken out, as its words, and the index terms of the list from which."""

    words: tuple[str, ...]
    listed: frozenset[str]


@keeping_texts(10_000)
def withdrawals(text: str) -> tuple[Withdrawal, ...]:
    """Return what ``text`` takes out of lists; nothing where it asks, supposes, or says that nothing is."""
    found = []
    for match in _TAKES_OUT.finditer(text):
        start = max((text.rfind(sign, 0, match.start()) for sign in ".!?\n"), default=-1)
        doubted = _NOT_SO.search(text[start + 1 : match.start()]) or _TAKEN_BACK.search(match["list"])
        if doubted or text.rstrip().endswith("?"):
            continue
        quoted = match["double"] or match["curly"] or match["single"]
        words = tuple(word for word in _WORD.findall(quoted) if word.casefold() not in _ARTICLES)
        if words:
            found.append(Withdrawal(words, frozenset(terms(match["list"]))))
    return tuple(found)


def without(text: str, taken: Withdrawal) -> str | None:
    """Return ``text`` with a gap for what was ``taken`` out of its list, None where there is nothing to take out.

    >>> without(
    ...     "The email goes to the VP of Sales and to Ann Lee.",
    ...     withdrawals("Remove 'VP of Sales' from the recipients")[0],
    ... )
    'The email goes to the […] and to Ann Lee.'
    """
    held = frozenset(terms(text))
    same = bool(held & taken.listed or (taken.listed & term_set(_ADDRESSED) and held & term_set(_WRITTEN)))
    if (not same and len(taken.words) < _TELLING) or withdrawals(text) or denies(" ".join(taken.words)):
        return None
    pattern = rf"{_EDGE[0]}{_BETWEEN.join(map(re.escape, taken.words))}{_EDGE[1]}"
    parted = re.sub(pattern, lambda found: found[0] if _longer(text, found) else GAP, text, flags=re.IGNORECASE)
    if parted == text or len(_WORD.findall(parted)) < _LEAST_LEFT:
        return None
    return parted


def _longer(text: str, found: re.Match[str]) -> bool:
    """Return whether what was found is a part of a longer name: "Ann" of "Ann Lee", "VP" of "Senior VP"."""
    before, after = text[: found.start()], text[found.end() :]
    word = _LAST.search(before)
    goes_on = found[0][-1].islower() and _STARTS.match(after) is not None and found[0].split()[-1][0].isupper()
    led = found[0][0].isupper() and word is not None and word[0].strip().casefold() not in _ARTICLES
    return goes_on or led


def takes_out(said: str, text: str) -> str | None:
    """Return ``text`` without what ``said`` takes out of it, None where that is nothing."""
    parted = text
    for taken in withdrawals(said):
        parted = without(parted, taken) or parted
    return None if parted == text else parted


def left_of(text: str, others: Iterable[str]) -> str:
    """Return what stands of ``text`` after all that the ``others`` take out of it."""
    for said in others:
        text = takes_out(said, text) or text
    return text
