"""What may be shown of a text of which parts are taken out: whole sentences and whole clauses, and no half of one.

Guarantees: pure. Of a sentence that loses characters, nothing is left but clauses that lose none, so that no word is
shown without the "not" that stood with it; where its clauses cannot be told for sure, the sentence goes. A clause is
told by its beginning: behind a semicolon or "and", "but" and the like, with a subject and a verb of its own. One that
loses an entry of its list is whole still, if its sentence denies nothing. English; of a sentence in any other language
all goes. Source: semantics section 9 (what is left of a cut sentence is shown only as whole clauses); ADR 89.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.language.en.lexicon import Is, flags
from marskg.language.en.opposites import NEGATIONS
from marskg.language.spans import joined, meet, without
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from marskg.language.spans import Part

#: Where a sentence surely ends: a line alone ends none, as texts are wrapped.
_SENTENCE_END: Final = late_regex(
    r"(?<!\b[A-Z]\.)(?<!\b(?:Dr|Mr|Ms|St|Jr|Sr|No)\.)(?<!\b(?:Mrs|Inc|Ltd)\.)(?<!\bProf\.)(?<=[.!?…])[\"'”’)\]]*\s+"
    r"(?=[\"'“‘(\[]?[^\W_a-z])|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)"
)
_SUBJECT: Final = r"(?=(?:I|you|he|she|it|we|they|there|this|that|these|those|my|your|his|her|its|our|their|the|an?)\b)"
#: A comma alone parts no clauses: "never, I repeat, call me".
_CLAUSE: Final = late_regex(
    rf"(?:;\s+(?:(?:and|but|so|yet)\s+)?|,\s+(?:and|but|so|yet)\s+|\s+(?:and|but)\s+){_SUBJECT}", re.IGNORECASE
)
_PRONOUNS: Final = frozenset(["i", "you", "he", "she", "it", "we", "they", "there"])
_WORD: Final = late_regex(r"[^\W_]+(?:['’][^\W_]+)*")
#: What parts a comment from what it is about.
_SIGN: Final = late_regex("[,;:()\u2013\u2014]|\\s-+\\s")
#: Fewer words say nothing by themselves: "do not", "and I".
_LEAST: Final = 3
_MODALS: Final = frozenset(["will", "would", "can", "could", "shall", "should", "may", "might", "must", "does", "did"])
_BEFORE_ENTRY: Final = late_regex(r"(?:,|\b(?:and|or))\s*(?:(?:the|an?|my|our)\s+)?$", re.IGNORECASE)
_BEHIND_ENTRY: Final = late_regex(r"\s*(?:,|(?:and|or)\b)", re.IGNORECASE)
_LIST: Final = late_regex(r"\b(?:and|or)\b", re.IGNORECASE)


def left_whole(text: str, parts: Iterable[Part]) -> str:
    """Return ``text`` with a gap for each of its ``parts``, and for what would be left of a clause without them.

    >>> left_whole("Please do not ever call me. The key is under the pot.", [(10, 18)])
    '[…]. The key is under the pot.'
    >>> left_whole("I like jazz, chess and hiking.", [(7, 11)])
    'I like […], chess and hiking.'
    """
    cut = joined(parts)
    return without(text, _widened(text, cut)) if cut else text


def _widened(text: str, cut: tuple[Part, ...]) -> Iterator[Part]:
    start = 0
    for end in (*(found.start() for found in _SENTENCE_END.finditer(text)), len(text)):
        inside = [(max(start, first), min(end, last)) for first, last in cut if first < end and start < last]
        if inside:
            yield from _of_sentence(text, (start, end), inside)
        start = end


def _of_sentence(text: str, sentence: Part, cut: list[Part]) -> list[Part]:
    """Return what goes of a sentence that loses the parts ``cut``."""
    words = [(found.start(), found.end()) for found in _WORD.finditer(text, *sentence)]
    if not any(meet([word], cut) for word in words):
        return cut
    clauses = [[word for word in words if start <= word[0] < end] for start, end in _clauses(text, sentence)]
    gone = _gone(text, clauses, cut) if min(map(len, clauses)) >= _LEAST else clauses
    if len(gone) < len(clauses):
        return [*cut, *((clause[0][0], clause[-1][1]) for clause in gone)]
    if _are_entries(text, sentence, cut):
        return cut
    return [*cut, (words[0][0], words[-1][1])]


def _gone(text: str, clauses: list[list[Part]], cut: list[Part]) -> list[list[Part]]:
    """Return the clauses of a sentence that go with what is ``cut`` out: all, where one says how others are meant.

    What stands before the words that are cut out, as "hide from Bob that", is said of what follows as well, and what
    stands behind them, as "or so Bob thinks", of what came before.
    """
    gone: list[list[Part]] = []
    reaches = False
    for clause in clauses:
        touched = [meet([word], cut) for word in clause]
        if not any(touched):
            if reaches:
                gone.append(clause)
            continue
        if _comments(text, clause, touched):
            return clauses
        gone.append(clause)
        # A denial may reach what stands behind it: "you must not, and I say it again, call me".
        reaches = reaches or not touched[0] or denies(text[clause[0][0] : clause[-1][1]])
    return gone


def _comments(text: str, clause: list[Part], touched: list[bool]) -> bool:
    """Return whether what is left of a clause behind what is cut out may be said of what stands before it."""
    last = max(place for place, one in enumerate(touched) if one)
    rest = text[clause[last][1] : clause[-1][1]]
    if not rest:
        return False
    first = _WORD.search(rest)
    return bool(_SIGN.search(rest)) or (first is not None and bool(flags().get(first[0].lower(), 0) & Is.VERB))


def _clauses(text: str, sentence: Part) -> Iterator[Part]:
    """Yield where the clauses of a sentence begin and end, of which each but the first has its own subject and verb."""
    start, end = sentence
    found = [*_CLAUSE.finditer(text, start, end)]
    lasts = [*(one.start() for one in found[1:]), end]
    for one, last in zip(found, lasts, strict=False):
        if _says(text[one.end() : last]):
            yield start, one.start()
            start = one.end()
    yield start, end


def denies(text: str) -> bool:
    """Return whether there is a word in ``text`` that denies something."""
    found = {one[0] for one in _WORD.finditer(text.lower().replace("’", "'"))}
    return not found.isdisjoint(NEGATIONS) or any("n't" in word for word in found)


def _says(clause: str) -> bool:
    """Return whether what begins with a subject has a verb."""
    words = [found[0].lower() for found in _WORD.finditer(clause)]
    if words and words[0] in _PRONOUNS:
        return True
    table = flags()
    return any(
        table.get(word, 0) & Is.VERB or word in _MODALS or (word.endswith("ed") and word not in table)
        for word in words[2:]
    )


def _are_entries(text: str, sentence: Part, cut: Iterable[Part]) -> bool:
    """Return whether each part is an entry of a list, in a sentence that denies nothing."""
    said = text[slice(*sentence)]
    if denies(said) or not _LIST.search(said):
        return False
    return all(_is_entry(text, sentence, part) for part in cut)


def _is_entry(text: str, sentence: Part, part: Part) -> bool:
    before, behind = text[sentence[0] : part[0]], text[part[1] : sentence[1]]
    # A word is whole, or gone.
    inside = bool(_WORD.match(behind[:1])) or bool(before and _WORD.match(before[-1]))
    return not inside and bool(_BEHIND_ENTRY.match(behind) or _BEFORE_ENTRY.search(before))
