"""How likely a turn asks that it is not kept, by what signs stand in one of its sentences.

Guarantees: pure and deterministic; a sentence needs a sign that refuses and one of what is refused; each sign counts
once, however often it stands there, by a weight that was learned on turns of many hands, in five languages at once
(``scripts/not_kept.py``; ``wish_signs.json``). What stands in quotation marks counts only where nothing else does.
Whoever asks in words that no frame knows is understood so; what is told of in words like these may be. Source:
semantics section 13; ADR 102.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from marskg.language.not_kept.frames import JOINED, languages
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping

    from marskg.language.not_kept.frames import Frames

#: How likely a turn asks where it is taken to.
LIKELY: Final = 0.8
_TABLE: Final = "wish_signs.tsv"
_WEIGHTS: Final = "wish_signs.json"
#: Signs of which a sentence has one, and one of the others.
_REFUSES: Final = ("stop", "erase", "out", "mode", "idiom", "asif")
_REFUSED: Final = ("keep", "memory", "erase", "left", "mode", "idiom", "asif")
#: What denies, and what is denied close by, with so many words between the two but none of these.
_DENY: Final = "deny"
_DENIED: Final = ("keep", "memory", "left")
_SPARED: Final = ("erase",)
#: What is done to something: by whom, and where, tells.
_DONE: Final = ("keep", "erase")
_BETWEEN: Final = "between"
#: Who asks to forget what was said about a topic asks of all that was (:mod:`marskg.language.en.wish_phrases`).
_TOPIC: Final = "topic"
_MEMORY: Final = "memory"
_ELSEWHERE: Final = "elsewhere"
_CLOSE: Final = (3, 6)
_SENTENCE: Final = late_regex(r"(?<=[.!?\n。！？…])\s*")
_QUOTED: Final = late_regex(r"[“„«「『][^“”„«»「」『』]{0,400}[”»」』“]|\"[^\"]{0,400}\"")
_BLANKS: Final = late_regex(r"\s+")
#: Sentences of a turn that are looked at, from its beginning and from its end; and characters of each, likewise.
_MOST: Final = 30
_LONGEST: Final = 200
#: Characters of a sentence from which it is long, and up to which it is short; and where words have no blanks.
_LONG: Final = (160, 40)
_SHORT: Final = (50, 14)
_LEAST: Final = 3


class Signs:
    """The signs of one language."""

    def __init__(self, frames: Frames, forms: Mapping[str, tuple[str, ...]]) -> None:
        """Take the forms of each sign, whose slots ``frames`` fill."""
        self._joined = frames.language == JOINED
        self._variants = frames.variants
        filled = {sign: "|".join(frames.filled(form) for form in each) for sign, each in forms.items()}
        # Who keeps it themselves: none that is spoken to stands between.
        mine = self._pattern("|".join(filled[sign] for sign in _DONE))
        self._mine = late_regex(f"{self._pattern(filled['me'])}{self._between(filled['you'])}{mine}")
        topic = self._pattern(filled.pop(_TOPIC))
        self._topic = late_regex(rf"{self._pattern(filled['erase'])}.{{1,{_LONGEST}}}{topic}")
        self._elsewhere = late_regex(self._kept_in(filled.pop(_ELSEWHERE), filled))
        self._gap = self._between(filled.pop(_BETWEEN))
        denied, spared = ("|".join(filled[sign] for sign in signs) for signs in (_DENIED, _SPARED))
        self._deny = late_regex(self._pattern(filled[_DENY]))
        self._denied, self._spared = self._close(filled[_DENY], denied), self._close(filled[_DENY], spared)
        self._patterns = {sign: late_regex(self._pattern(form)) for sign, form in filled.items()}
        self._refuses, self._refused = (
            late_regex(self._pattern("|".join(filled[sign] for sign in signs))) for signs in (_REFUSES, _REFUSED)
        )

    def _kept_in(self, where: str, filled: Mapping[str, str]) -> str:
        """Return the pattern of keeping something in, or taking it out of, what is not the memory."""
        keep, memory = self._pattern("|".join(filled[sign] for sign in _DONE)), self._pattern(filled[_MEMORY])
        if self._joined:
            place = rf"(?:{where})(?!{memory})\w{{1,5}}?[里上中内]"
            return rf"{place}\w{{0,{_CLOSE[1]}}}{keep}|{keep}{place}"
        return rf"{keep}(?:[ '-][\w']+){{0,{_CLOSE[0]}}} (?:{where}) (?!{memory})\w+"

    def _pattern(self, form: str) -> str:
        return f"(?:{form})" if self._joined else rf"(?<!\w)(?:{form})(?!\w)"

    def _close(self, one: str, other: str) -> tuple[re.Pattern[str], ...]:
        """Return the patterns of either close before the other; in Chinese, what denies alone is first."""
        one, other = self._pattern(one), self._pattern(other)
        orders = ((one, other),) if self._joined else ((one, other), (other, one))
        return tuple(late_regex(f"{first}{self._gap}{then}") for first, then in orders)

    def _between(self, between: str) -> str:
        """Return the pattern of what may stand between what denies and what is denied."""
        if self._joined:
            return rf"(?:(?!{between})\w){{0,{_CLOSE[1]}}}"
        return rf"(?:[ '-](?!(?:{between})(?!\w))[\w']+){{0,{_CLOSE[0]}}}[ '-]"

    def of(self, sentence: str) -> frozenset[str]:
        """Return the signs of a sentence in lower case and without accents; none where it lacks one that it needs."""
        text = sentence.translate(self._variants) if self._variants else sentence
        # Most turns refuse nothing: the other patterns are made for those that do.
        if self._deny.search(text) is None and self._refuses.search(text) is None:
            return frozenset()
        denied = any(pattern.search(text) for pattern in self._denied)
        if not denied and (self._refuses.search(text) is None or self._refused.search(text) is None):
            return frozenset()
        found = {sign for sign, pattern in self._patterns.items() if pattern.search(text)}
        found |= {"denied"} if denied else set()
        if _MEMORY not in found and self._topic.search(text):
            return frozenset()
        found |= {_ELSEWHERE} if self._elsewhere.search(text) else set()
        found |= {"mine"} if self._mine.search(text) else set()
        found |= {"spared"} if any(pattern.search(text) for pattern in self._spared) else set()
        found |= {sign for sign, marks in (("?", "?？"), ("!", "!！")) if not set(marks).isdisjoint(text)}
        found |= (
            {"long"} if len(text) > _LONG[self._joined] else {"short"} if len(text) < _SHORT[self._joined] else set()
        )
        return frozenset(found)


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic regression: what each sign adds to the logarithm of the odds, and ``even``."""

    signs: Mapping[str, float]
    even: float

    def chance(self, signs: frozenset[str]) -> float:
        """Return how likely a sentence with these ``signs`` asks not to be kept."""
        total = self.even + math.fsum(self.signs.get(sign, 0.0) for sign in signs)
        return 1.0 / (1.0 + math.exp(-total))


def chance_unkept(text: str) -> float:
    """Return how likely ``text``, in lower case and without accents, asks not to be kept."""
    weights = _weights()
    return max((weights.chance(signs) for signs in signs_of(text)), default=0.0)


def signs_of(text: str) -> Iterator[frozenset[str]]:
    """Yield the signs of each sentence of ``text``, in lower case and without accents, that has what it needs."""
    beside = _QUOTED.sub(" ", text)
    sentences = _SENTENCE.split(beside if len(beside.strip()) > _LEAST else text)
    looked = sentences if len(sentences) <= 2 * _MOST else [*sentences[:_MOST], *sentences[-_MOST:]]
    for sentence in looked:
        said = _BLANKS.sub(" ", sentence).strip()
        part = said if len(said) <= 2 * _LONGEST else f"{said[:_LONGEST]} {said[-_LONGEST:]}"
        for language in _languages() if len(part) >= _LEAST else ():
            if signs := language.of(part):
                yield signs


@cache
def _languages() -> tuple[Signs, ...]:
    rows: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in (files("marskg.language.not_kept") / _TABLE).read_text(encoding="utf-8").splitlines():
        if line and line[0] != "#":
            sign, language, forms = line.split("\t")
            rows.setdefault(language, {})[sign] = tuple(forms.split("; "))
    return tuple(Signs(frames, rows[frames.language]) for frames in languages())


@cache
def _weights() -> Weights:
    read = json.loads((files("marskg.language.not_kept") / _WEIGHTS).read_text(encoding="utf-8"))
    return Weights(read["signs"], read["even"])
