"""How a word in another script is written in Latin letters: what all ways have in common, and which ways there are.

Guarantees: pure functions. A word has skeletons, its consonants in classes that ways to write it mix, without what some
leave out; a Latin word has one, and what is written so has it among its own. :func:`is_written` then says whether a
Latin word may be the other one, vowels included: *Hassan* is not حسين. Which letters are written how is a table
(``romanised.tsv``), by letter where the script needs it and else by the reading of ``anyascii``. Nothing is known of
what a script does not write, and of readings that depend on the word, as of Japanese names in Han letters; of Chinese
there is the Pinyin of Mandarin alone. Sources: the common romanisations (Unicode UTR 15924, ALA-LC, RTGS, Revised).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from anyascii import anyascii

from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

#: Scripts with rules of their own; all others are read by ``anyascii`` alone.
_SCRIPTS: Final = (
    ("arabic", late_regex("[\u0600-\u06ff\u0750-\u077f]")),
    ("hebrew", late_regex("[\u0590-\u05ff]")),
    ("thai", late_regex("[\u0e00-\u0e7f]")),
    ("tamil", late_regex("[\u0b80-\u0bff]")),
    ("armenian", late_regex("[\u0530-\u058f]")),
    ("bengali", late_regex("[\u0980-\u09ff]")),
)
#: Vowels that are read and not written, between two consonants.
_UNWRITTEN: Final = {
    "arabic": "[aeiou]?",
    "hebrew": "[aeiou]{0,2}",
    "thai": "[aeiouyrhw]{0,4}",
    "korean": "",
}
_OFTEN: Final = "[aeo]?"
#: The first of them as in French; and what follows the last letter.
_FIRST: Final = {"arabic": "(?:ou|[aeiou])?"}
_LAST: Final = {"arabic": "e?", "hebrew": "", "thai": "[aeiouyhrw]{0,4}"}
_TOKENS: Final = late_regex("sh|ch|kh|gh|th|dh|ph|bh|jh|zh|ts|dz|[a-z]")
#: Thai consonants that are not read, with the vowel that they have.
_SILENT: Final = late_regex("(?:[ตทด](?=ร)|ษ(?=ณ))?[\u0e01-\u0e2e][\u0e34-\u0e39]?\u0e4c")
#: A Thai consonant that stands twice for a vowel: ธรรม.
_DOUBLE_R: Final = late_regex("รร")
#: What says of an Indic consonant that no vowel follows.
_VIRAMAS: Final = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
#: An Indic consonant that is written twice.
_TWICE: Final = late_regex(rf"(.)[{_VIRAMAS}](?=\1)")
#: Signs of a nasal sound that is like the consonant after it.
_NASAL: Final = late_regex(
    "[\u0901\u0902\u0981\u0982\u0a01\u0a02\u0a70\u0a81\u0a82\u0b01\u0b02\u0c01\u0c02\u0c81\u0c82\u0d02]"
)
#: Indic vowels that are read as a consonant and a vowel.
_VOCALIC: Final = late_regex("[\u090b\u0943\u098b\u09c3\u0a8b\u0ac3\u0b0b\u0b43\u0c0b\u0c43\u0c8b\u0cc3\u0d0b\u0d43]")
_SERVANT: Final = late_regex("(?<=\\Aعبد)ال")
_ARTICLE: Final = late_regex("\\Aال(?=..)")
_HEBREW_ARTICLE: Final = late_regex("\\Aה(?=...)")
_MOST: Final = 24
_AGAIN: Final = late_regex(r"(.)\1+")
_H: Final = late_regex("h(?![aeiouyw])")
#: Latin letters by their class, in the order in which they are taken.
_LATIN: Final = tuple(
    (late_regex(pattern), plain)
    for pattern, plain in (
        (r"\Aabd[aeou]l(?=[^aeiou])", "abd"),
        (r"tsch|tch|sch(?=[^aeiou])|ch", "C"),
        (r"sch|sh|zh|ts|tz", "S"),
        (r"dj", "J"),
        (r"ck|kh|gh|qu?|k|g|c(?![eiy])", "K"),
        (r"x", "KS"),
        (r"[cszß]", "S"),
        (r"[td]", "T"),
        (r"[bpfvw]", "B"),
        (r"j", "J"),
        (r"l", "L"),
        (r"r", "R"),
        (r"m", "M"),
        (r"n", "N"),
        (r"[^A-Z]", ""),
    )
)
_KOREAN: Final = tuple(
    (late_regex(pattern), plain)
    for pattern, plain in (
        (r"rh", "r"),
        (r"(?<=[bp]a)r(?=k)", ""),
        (r"ch|j|z", "C"),
        (r"sh|s", "S"),
        (r"h(?=[aeiouyw])", "H"),
        (r"[kgqc]", "K"),
        (r"[td]", "T"),
        (r"[bpfv]", "B"),
        (r"[lr]", "R"),
        (r"m", "M"),
        (r"n", "N"),
        (r"[^A-Z]", ""),
    )
)


class _Sound(NamedTuple):
    """The classes that a letter has in skeletons, whether it is a vowel, and how it is written."""

    classes: tuple[str, ...]
    vowel: bool
    written: str


@cache
def _table() -> dict[tuple[str, str], _Sound]:
    source = files("marskg").joinpath("language", "naming", "romanised.tsv").read_text(encoding="utf-8")
    found = {}
    for line in source.splitlines():
        if not line.startswith("#"):
            script, letters, classes, written = line.split("\t")
            vowel = classes.startswith("~")
            kept = tuple("" if one in {".", "~"} else one for one in classes.split())
            sound = _Sound(kept, vowel, f"(?:{written})" if vowel or not written else f"(?:{written}){{1,2}}")
            found.update({(script, letter): sound for letter in letters.split()})
    return found


# --- Latin words ----------------------------------------------------------------------------------------------------


@lru_cache(50_000)
def latin_word(word: str) -> str:
    """Return a Latin word in plain small letters, without what stands between them."""
    return "".join(filter(str.isalpha, anyascii(word).lower()))


@lru_cache(50_000)
def latin_skeleton(plain: str) -> str:
    """Return the skeleton of a :func:`latin_word`."""
    return _same(_classes(plain, _LATIN))


@lru_cache(50_000)
def korean_skeleton(plain: str) -> str:
    """Return the skeleton of a :func:`latin_word` that may be Korean."""
    return _same(_classes(plain, _KOREAN))


def _classes(plain: str, rules: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for pattern, cls in rules:
        plain = pattern.sub(cls, plain)
    return plain


def _same(classes: str) -> str:
    """Return classes as they are however they are divided: *ts* is one sound or two, and so is *ng*."""
    one = _AGAIN.sub(r"\1", classes.replace("TS", "S").replace("TC", "C"))
    return _AGAIN.sub(r"\1", one.replace("NK", "N"))


# --- Words of other scripts -----------------------------------------------------------------------------------------


@lru_cache(50_000)
def skeletons(word: str) -> frozenset[str]:
    """Return the skeletons that a word of an alphabet may have in Latin letters."""
    return _skeletons(_sounds(word))


@lru_cache(10_000)
def consonants(word: str) -> int:
    """Return how many consonants a word of an alphabet has."""
    return sum(not sound.vowel for sound in _sounds(word))


def is_written(word: str, plain: str) -> bool:
    """Return whether a :func:`latin_word` may be a word of an alphabet."""
    return _pattern(word).fullmatch(plain) is not None


@lru_cache(10_000)
def _pattern(word: str) -> re.Pattern[str]:
    script = _script(word)
    start = ""
    if script == "arabic":
        start = "(?:[aei]l)?" if _ARTICLE.match(word) else ""
    elif script == "hebrew":
        start = "(?:ha)?" if _HEBREW_ARTICLE.match(word) else ""
    whole = start + _joined(_sounds(word), script) + _LAST.get(script, _OFTEN)
    if start and script == "hebrew":
        # The letter of the article may be the first of the name: הלל.
        whole = f"{whole}|{_joined(_raw_sounds(word, script), script)}"
    return re.compile(whole)


def _joined(sounds: Iterable[_Sound], script: str) -> str:
    unwritten = _UNWRITTEN.get(script, _OFTEN)
    found, before = "", True
    for place, sound in enumerate(sounds):
        between = _FIRST.get(script, unwritten) if place == 1 else unwritten
        found += sound.written if before or sound.vowel else between + sound.written
        before = sound.vowel
    return found


def _skeletons(sounds: Sequence[_Sound]) -> frozenset[str]:
    ways = [sound.classes for sound in sounds if sound.classes != ("",)]
    while ways and _size(ways) > _MOST:
        # What has so many ways is found by the first of each of its last letters alone.
        widest = max(place for place, one in enumerate(ways) if len(one) > 1)
        ways[widest] = ways[widest][:1]
    return frozenset(_same("".join(chosen)) for chosen in product(*ways))


def _size(ways: Sequence[Sequence[str]]) -> int:
    size = 1
    for one in ways:
        size *= len(one)
    return size


@lru_cache(10_000)
def _sounds(word: str) -> tuple[_Sound, ...]:
    """Return the sounds of a word without its article."""
    script = _script(word)
    if script == "arabic":
        return tuple(_raw_sounds(_SERVANT.sub("ʾ", _ARTICLE.sub("", word)), script))
    if script == "hebrew":
        return tuple(_raw_sounds(_HEBREW_ARTICLE.sub("", word), script))
    return tuple(_raw_sounds(word, script))


#: The article between *abd* and what follows, with the letter that it may be like.
_BETWEEN: Final = _Sound(("",), vowel=True, written="[aeou]{1,2}[a-z]?")


def _raw_sounds(word: str, script: str) -> Iterator[_Sound]:
    table = _table()
    letters = list(_letters(word, script))
    for place, letter in enumerate(letters):
        if letter == "ʾ":
            yield _BETWEEN
            continue
        ends = ("^",) if not place else ("$",) if place == len(letters) - 1 else ()
        ways = [f"{script}{end}" for end in ends] + [script, "*"]
        sound = next((table[way, letter] for way in ways if (way, letter) in table), None)
        if sound is not None:
            yield sound


def _letters(word: str, script: str) -> Iterator[str]:
    if script == "thai":
        word = _DOUBLE_R.sub("อ", _SILENT.sub("", word))
    if script in {"arabic", "hebrew", "thai"}:
        yield from word
        return
    tokens: list[str] = []
    bound = False
    for sign in _TWICE.sub("", word.replace("ու", "u")):
        read = _read(sign)
        if bound and tokens and tokens[-1] == "k" and read[:1] in (["s"], ["sh"]):
            tokens[-1], read = "ks", read[1:]
        tokens += read
        bound = sign in _VIRAMAS
    yield from tokens


def _read(sign: str) -> list[str]:
    if _NASAL.match(sign):
        return ["ṁ"]
    return ["ṛ"] if _VOCALIC.match(sign) else _TOKENS.findall(anyascii(sign).lower())


def _script(word: str) -> str:
    return next((name for name, letters in _SCRIPTS if letters.match(word)), "*")


# --- Syllables ------------------------------------------------------------------------------------------------------


def pinyin(family: str, given: str) -> tuple[str, str]:
    """Return the Mandarin readings of a name in Han letters, without tones; what has none is left out."""
    known = _table().get(("han", family))
    return anyascii(family).lower() if known is None else known.classes[0], anyascii(given).lower()


@lru_cache(10_000)
def korean_skeletons(syllables: str) -> frozenset[str]:
    """Return the skeletons that Hangul may have in Latin letters."""
    return _skeletons(_korean(syllables))


@lru_cache(10_000)
def korean_pattern(family: str, given: str) -> re.Pattern[str]:
    """Return how a Korean name is written in Latin letters without blanks, the family name first or last."""
    first, last = (_joined(_korean(one), "korean") for one in (family, given))
    return re.compile(f"{first}{last}|{last}{first}")


def _korean(syllables: str) -> list[_Sound]:
    table = _table()
    found = []
    for place, syllable in enumerate(syllables):
        for at, jamo in enumerate(unicodedata.normalize("NFD", syllable)):
            letter = _compatible(jamo)
            if letter == "ㅇ" and at > 1:
                found.append(_Sound(("N",), vowel=False, written="ng"))
                continue
            sound = (table.get(("korean^", letter)) if not place and not at else None) or table.get(("korean", letter))
            if sound is not None:
                found.append(sound)
    return found


@cache
def _compatible(jamo: str) -> str:
    """Return the letter of which a part of a syllable is a form."""
    name = unicodedata.name(jamo, "").removeprefix("HANGUL ").partition(" ")[2]
    try:
        return unicodedata.lookup(f"HANGUL LETTER {name}")
    except KeyError:
        return ""
