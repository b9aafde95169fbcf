"""Names whose languages change their ends: *Pavla* of Pavel, *Virtasen* of Virtanen, *Annát* of Anna.

Guarantees: pure functions, O(text). A name has one stem, in the loose form of
:mod:`marskg.language.naming.spellings`; a text may have the name where a word of it is the stem and an ending. That is
never sure, so what is found so is near. Letters that come and go before an ending, or change beside it, are
the same in the stem of a name and of a word. In Latin letters a word counts that has a capital; one that differs by a
vowel alone (Anne, Anny) counts where no word says that the text is in a language without cases. Sources: the
declensions of Czech, Slovak, Polish, Croatian, Slovene, Lithuanian, Latvian, Finnish, Hungarian, Turkish, Romanian,
Icelandic, Russian, Ukrainian, Serbian, Greek, Georgian and Tamil, as grammars list them.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from marskg.language.naming.edges import INFLECTED, LATIN
from marskg.language.naming.spellings import loose_form, told
from marskg.language.naming.words import words_of
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_OTHER: Final = late_regex(f"[{INFLECTED}]")
_LATIN: Final = late_regex(f"[{LATIN}]+")
#: Tamil, Telugu, Kannada and Malayalam letters, and what the ends of names are made of there.
_INDIC: Final = late_regex("[\u0b80-\u0d7f]")
_INDIC_END: Final = late_regex(
    "(?:\u0c21\u0c41|[\u0bbe-\u0bcd\u0c3e-\u0c4d\u0cbe-\u0ccd\u0d3e-\u0d4d\u0d7a-\u0d7f]+)\\Z"
)
_INDIC_ENDING: Final = 8
_WORD: Final = late_regex(r"[\u0b80-\u0d7f]+|[^\W\d_]+")
#: What stands between the words of a name.
_BETWEEN: Final = late_regex(r"[\s.'_,-]{1,2}")
#: What stands around a middle name, and between two names of which the second has a particle.
_AROUND: Final = late_regex(r"[\s.'\"«»“”„()-]{2,4}")
_PARTICLES: Final = late_regex(
    r"\s(?:(?:van|von|de|del|di|da|do|dos|du|bin|ibn|al|el|ter|ten|zu|la|le|der|den|och|y)\s){1,2}"
)
#: What the ends are made of in Greek, Cyrillic and Georgian letters, and how many of them an ending has at most.
_FINAL_LETTERS: Final = "аяоеийьыјσηαοιυაეიო"
_ENDING: Final = 3
_ENDED: Final = 3
#: A vowel that goes before an ending: Pavel, Marek, Petar.
_FLEETING: Final = late_regex(r"(?<=[^\Waeiouyаеёиоуыэюяіїє])[eaеоа](?=[lkcrлкцр]\Z)")
_FEWEST_WITH_FLEETING: Final = 5
#: Ends of stems that are written otherwise before an ending: Matti, Matin; Monika, Monice; Ahmet, Ahmedin.
_SOFTENED: Final = {
    "ng": "nk",
    **dict.fromkeys(("kk", "dz", "c", "z", "g"), "k"),
    **dict.fromkeys(("tt", "d"), "t"),
    **dict.fromkeys(("pp", "b"), "p"),
    "з": "г",
    "ц": "к",
    "с": "х",
}
#: Last letters of a stem that may be others in a word, or have a vowel before them.
_CHANGING: Final = {
    "k": "[ea]?(?:[kcgz]|dz|ng)",
    "p": "[pb]",
    "t": "[td]",
    "l": "[ea]?l",
    "r": "[ea]?r",
    "л": "[еоа]?л",
    "р": "[еоа]?р",
    "к": "[еоа]?[кц]",
    "г": "[гз]",
    "х": "[хс]",
}
_FINNISH: Final = "nen"
_DAUGHTER: Final = ("dottir", "dottur")
_BALTIC: Final = ("as", "is", "us", "ys", "ur")
_VOWELS: Final = "aeiouy"
_LONG: Final = 5
_SHORTEST_STEM: Final = 2
#: Endings that make another given name besides.
_ONE_VOWEL: Final = words_of("a e i o u y ie")
_SLAVIC: Final = words_of(
    "em om ou ovi ove ow ov um ech ich ach ami ama ym im ego emu ej iej eho ie iem ii ia io iu owi owie ova oj ze zie "
    "onem iemu imi ymi in ina inu inom ino ine ovu ovo"
)
_BALTIC_ENDINGS: Final = words_of("ui ei ai os es am as is us ams iui iai")
_OTHERS: Final = words_of("ul ului ar ir ur ei en es ta ia iin illa ille ilta ista issa")
_AFTER_VOWEL: Final = words_of(
    "n lle lla lta ssa sta na ni ksi t nak nek val vel ra re ban ben ba be bol hoz hez tol rol nal nel ert ig"
)
_HUNGARIAN: Final = words_of("csal csel gyal gyel nyal nyel")
_ENDINGS: Final = frozenset(
    {
        *_ONE_VOWEL,
        *_SLAVIC,
        *_BALTIC_ENDINGS,
        *_OTHERS,
        *_HUNGARIAN,
        *(v + one for v in _VOWELS for one in _AFTER_VOWEL),
    }
)
_LONGEST: Final = max(map(len, _ENDINGS))
#: Letters that a word has more than its stem at most.
_CHANGED: Final = max(_LONGEST, _INDIC_ENDING) + 2
#: Words of languages whose names have no cases.
_WITHOUT: Final = late_regex(
    r"(?<!\w)(?:the|and|was|were|with|her|his|she|they|you|of|likes|und|der|ist|nicht|mit|och|att|jag|og|det|ikke|"
    r"les|est|une|avec|dans|los|una|con|che|del|della|uma|het|een)(?!\w)",
    re.IGNORECASE,
)


def stem(word: str) -> str:
    """Return a word of a name, in the loose form, without what its cases change."""
    if _OTHER.search(word):
        return _same((word.rstrip(_FINAL_LETTERS) if len(word) > _ENDED else "") or word)
    if _INDIC.match(word):
        return (_INDIC_END.sub("", word) if len(word) > _ENDED else "") or word
    if not _LATIN.fullmatch(word) or len(word) < _ENDED:
        return word
    if len(word) > _LONG and word.endswith(_FINNISH):
        return f"{word[:-3]}s"
    if len(word) >= _LONG and word.endswith(_BALTIC):
        return _same(word[:-2])
    if word.endswith(_DAUGHTER):
        return _same(word[:-2])
    changes = word[-1] in _VOWELS or (len(word) > _LONG and word[-1] == "s" and word[-2] not in _VOWELS)
    return _same(word[:-1] if changes else word)


def _same(left: str) -> str:
    """Return what is left of a word as it is in all of its cases."""
    for end, other in _SOFTENED.items():
        if left.endswith(end) and len(left) > len(end):
            left = left.removesuffix(end) + other
            break
    return _FLEETING.sub("", left) if len(left) >= _FEWEST_WITH_FLEETING else left


def is_inflected(form: str) -> bool:
    """Return whether a name consists of words of languages whose names change their ends."""
    words = form.split()
    return bool(words) and all(_OTHER.search(word) or _LATIN.fullmatch(word) or _INDIC.match(word) for word in words)


def beginning(word: str) -> tuple[str, str]:
    """Return the letters that a word of a name, in the loose form, has in all of its cases; and a pattern of these."""
    kept = stem(word)
    same = next((place for place, (one, other) in enumerate(zip(word, kept, strict=False)) if one != other), len(kept))
    tail = _CHANGING.get(kept[-1])
    if tail is None or same < len(kept) - 1:
        return kept[:same], re.escape(kept[:same])
    return kept[:-1], re.escape(kept[:-1]) + tail


def cases(word: str) -> tuple[str, ...]:
    """Return the commonest case of a name that a text in any language may have: *Pavla*, *Jono*."""
    kept = stem(word)
    if not _LATIN.fullmatch(word) or len(word) < _LONG:
        return ()
    if word.endswith("as"):
        return (f"{word[:-2]}o",)
    return (f"{kept}a",) if len(kept) == len(word) - 1 and word[-1] == kept[-1] else ()


class Endings:
    """The words of a text without endings that they may have."""

    def __init__(self, text: str) -> None:
        """Look at ``text``, a :func:`~marskg.language.naming.spellings.seen_form`."""
        self._text = text
        self._stems: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def alone(self, length: int, first: str = "") -> Iterator[str]:
        """Yield what is left, of ``length`` signs, of words that begin with ``first`` when they lose an ending."""
        for word in {word for _, _, word in self._words}:
            if length <= len(word) <= length + _CHANGED and word.startswith(first):
                yield from (one for one in self._left(word)[1] if len(one) == length)

    def pairs(self, length: int, first: str = "") -> Iterator[str]:
        """Yield what is left, of ``length`` signs, of two words that follow each other."""
        for word, following in self._pairs:
            longest = len(word) + 1 + len(following)
            if length <= longest <= length + 2 * _CHANGED and word.startswith(first):
                for one in self._left(word)[0]:
                    left = length - len(one) - 1
                    yield from (f"{one} {other}" for other in self._left(following)[0] if len(other) == left)

    def together(self, length: int, first: str = "") -> Iterator[str]:
        """Yield what is left, of ``length`` signs, of two words or more that follow each other."""
        for place, (_, _, word) in enumerate(self._words):
            if _SHORTEST_STEM <= len(word) < length + _CHANGED and word.startswith(first) and self._goes_on(place):
                yield from self._several(place, length)

    def without_middle(self, length: int, first: str = "") -> Iterator[str]:
        """Yield the outer two of three words with capitals, or of two and a particle, that are ``length`` with a blank.

        Only where the first of them is ``first``.
        """
        words, cased = self._words, self._cased
        for place, (start, end, word) in enumerate(words):
            left = length - len(word) - 1
            if left < _SHORTEST_STEM or (first and word != first) or not cased[start].isupper():
                continue
            for other, (begins, _, last) in enumerate(words[place + 1 : place + 3]):
                if len(last) == left and cased[begins].isupper():
                    between = cased[end:begins]
                    if _PARTICLES.fullmatch(between) if not other else self._is_middle(place, between):
                        yield f"{word} {last}"

    def _is_middle(self, place: int, between: str) -> bool:
        """Return whether a word with a capital alone stands between two others."""
        start, end, _ = self._words[place + 1]
        return (
            self._cased[start].isupper()
            and _AROUND.fullmatch(between.replace(self._cased[start:end], "", 1)) is not None
        )

    @cached_property
    def _cased(self) -> str:
        return told(self._text)

    @cached_property
    def _words(self) -> list[tuple[int, int, str]]:
        """Return the words that may be names, with their places."""
        found = []
        for match in _WORD.finditer(self._cased):
            word = match[0]
            if word.isascii():
                if word[0].isupper():
                    found.append((*match.span(), _plainer(word)))
            elif word[0].isupper() or _OTHER.match(word) or _INDIC.match(word):
                found.append((*match.span(), loose_form(word.casefold())))
        return found

    @cached_property
    def _has_cases(self) -> bool:
        return _WITHOUT.search(self._cased) is None

    @cached_property
    def _pairs(self) -> set[tuple[str, str]]:
        words = self._words
        return {(words[place][2], words[place + 1][2]) for place in range(len(words) - 1) if self._goes_on(place)}

    def _left(self, word: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return what a word is without an ending, beside others and alone."""
        found = self._stems.get(word)
        if found is None:
            found = self._stems[word] = self._without_ending(word)
        return found

    def _without_ending(self, word: str) -> tuple[frozenset[str], frozenset[str]]:
        if not _LATIN.fullmatch(word):
            return _lefts(word), _lefts(word)
        rests = _rests(word)
        stems = frozenset(map(_same, rests.values()))
        alone = (left for rest, left in rests.items() if rest not in _ONE_VOWEL or self._has_cases)
        # Beside another word also the genitive of the North: Jóns Einarssonar.
        return stems | {stem(word), _same(word.removesuffix("s"))}, frozenset(map(_same, alone))

    def _goes_on(self, place: int) -> bool:
        words = self._words
        if place + 1 == len(words):
            return False
        between = self._cased[words[place][1] : words[place + 1][0]]
        return between == " " or _BETWEEN.fullmatch(between) is not None

    def _several(self, place: int, length: int) -> Iterator[str]:
        further = self._goes_on(place + 1)
        own, following = self._left(self._words[place][2])[0], self._left(self._words[place + 1][2])[0]
        for one in own:
            left = length - len(one) - 1
            if left > 0:
                yield from (f"{one} {other}" for other in following if len(other) == left)
                if further and left > _SHORTEST_STEM:
                    yield from (f"{one} {rest}" for rest in self._several(place + 1, left))


def loses(words: Iterable[str], kept: str) -> bool:
    """Return whether one of ``words``, in the loose form, may be ``kept`` without an ending."""
    return any(kept in (_shorter(word) if _LATIN.fullmatch(word) else _lefts(word)) for word in words)


def _shorter(word: str) -> frozenset[str]:
    return frozenset(map(_same, _rests(word).values()))


def _rests(word: str) -> dict[str, str]:
    """Return what a word of Latin letters is without each ending that it may have."""
    cuts = range(1, min(_LONGEST, len(word) - _SHORTEST_STEM) + 1)
    return {word[-cut:]: word[:-cut] for cut in cuts if word[-cut:] in _ENDINGS}


def _lefts(word: str) -> frozenset[str]:
    longest = _INDIC_ENDING if _INDIC.match(word) else _ENDING
    lefts = [word[: len(word) - cut] for cut in range(min(longest + 1, len(word)))]
    # The stems of rules that were set before do not change their ends.
    return frozenset([*lefts, *map(_same, lefts)])


def is_other(word: str) -> bool:
    """Return whether a word is in Greek, Cyrillic or Georgian letters."""
    return _OTHER.match(word) is not None and " " not in word


def is_indic(word: str) -> bool:
    """Return whether a word is in letters of India, of which some are marks."""
    return _INDIC.match(word) is not None


def _plainer(word: str) -> str:
    """Return the loose form of a word of ASCII."""
    return word.lower().replace("ae", "a").replace("oe", "o").replace("ue", "u")
