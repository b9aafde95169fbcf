"""Words, index terms and sentences of a text: the one tokenisation that look-up, recognition and use share.

Guarantees: pure functions; the same text gives the same terms everywhere; offsets point into the text as given; nothing
is downloaded. Letters of any script are words; runs of Chinese, Japanese and Thai characters, which have no blanks
between words, give overlapping pairs. Stems are Snowball's for English (Porter 2001); what that changes wrongly for
another language, it changes the same way in the query.
"""

from __future__ import annotations

import threading
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from marskg.late_regex import late_regex
from marskg.unseen import BRAILLE_BLANK, UNSEEN

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

#: Words that say nothing of what a text is about. They carry no weight in look-up.
STOPWORDS: Final = frozenset(
    (  # noqa: SIM905 - a list of 200 short strings is not read any better
        "a about above after again all also am an and any are aren't as at be because been before being below "
        "between both but by can cannot can't could couldn't did didn't do does doesn't doing don't down during "
        "each few for from further get gets had hadn't has hasn't have haven't having he her here hers herself him "
        "himself his how i i'd i'll i'm i've if in into is isn't it it's its itself just let let's me more most my "
        "myself no nor not now of off on once only or other our ours ourselves out over own please same she should "
        "so some such than that that's the their theirs them themselves then there there's these they they're this "
        "those through to too under until up us very was wasn't we we're were what what's when where which while "
        "who whom why will with won't would you you'd you'll you're you've your yours yourself yourselves"
    ).split()
)

# Digits with grouping commas are one word (1,200), so are decimals; an apostrophe inside a word belongs to it.
_WORD: Final = late_regex(
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![^\W_])|\d+(?:\.\d+)?(?![^\W_])|[^\W\d_]+(?:['’][^\W\d_]+)*(?!\d)|[^\W_]+"
)
#: What is written as one and means nothing in parts: ticket QX-7731-b, build 2.1.03, snake_case, C++, C#, A+.
_CODE: Final = late_regex(
    r"(?<![^\W_])[^\W_]+(?:[-./:_#@]+[^\W_]+)+(?![^\W_])|(?<![^\W_])[^\W\d_]{1,2}(?:\+{1,2}|#|-(?=[\s.,;:!?)]|$))(?![\w+#])"
)
#: Letters that a reader takes for a Latin one: Cyrillic, Greek, Armenian, Coptic, Cherokee, Lisu, phonetic letters and
#: small capitals. Source: Unicode TR39, the part that people use. Whoever folds such letters takes them from here.
LOOKALIKES: Final = str.maketrans(
    "АВЕЅЗІЈКМНОРСТУХЬѴԌԛԝаеорсухіјѕԁһӏүьвтмнкгѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβειοκνρτυχηϲϳ"
    "օսհոցյⲞⲟⲤⲥⲢⲣⲬⲭᎪᏴᏟᎠᎬᎻᎫᏦᏞᎷᏢᏚᎢᏙᏃꓮꓐꓚꓓꓰꓖꓧꓗꓡꓟꓠꓳꓑꓢꓔꓴꓦꓪꓫꓬꓜ"
    "ɑɡɩɪʙɢʜʟɴʀʏᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜰꜱ",
    "ABES3IJKMHOPCTYXbVGqwaeopcyxijsdhlybbtmhkrvABEZHIKMNOPTYXabeiokvptuxncj"
    "ouhngjOoCcPpXxABCDEHJKLMPSTVZABCDEGHKLMNOPSTUVWXYZ"
    "agiibghlnryacdejkmoptuvwzfs",
)
#: What stands in some code: most texts have none, and looking for this is quick.
_SIGNS: Final = late_regex(r"(?<=[^\W_])[-./:_@](?=[^\W_])|(?<=[^\W_])(?:[+#]|-(?=[\s.,;:!?)]|$))")
_FOREIGN: Final = late_regex(
    "[\u0250-\u02af\u0370-\u058f\u13a0-\u13ff\u1d00-\u1d2b\u1f00-\u1fff\u2c80-\u2cff\ua4d0-\ua4ff\ua730\ua731]"
)
_LATIN: Final = late_regex("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_RUN: Final = late_regex("(?:[^\\W_]|[\u0300-\u036f])+")
_UNSPACED: Final = late_regex("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_SENTENCE_END: Final = late_regex(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\W_a-z])|\n+")
_MAX_STEM: Final = 64
#: Characters of a passage, about sixty English words, and the most passages of one text: a longer text has longer ones.
PASSAGE: Final = 360
MOST_PASSAGES: Final = 512


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its place ``[start, end)`` in the text."""

    start: int
    end: int
    text: str


#: Most keys: of small letters and digits, in parts.
_CANONICAL_KEY: Final = late_regex(
    r"[a-z0-9_.%=+:@-]+(?: [a-z0-9_.%=+:@-]+)*(?:/[a-z0-9_.%=+:@-]+(?: [a-z0-9_.%=+:@-]+)*)*"
)
#: What is taken for a slash, also where NFKC leaves it.
_SLASHES: Final = late_regex("[/\u2044\u2215\u29f8\uff0f]")
#: What a key is read without: controls that are no blanks, and marks and joiners that show nothing. NUL is refused.
_NOT_SEEN: Final = late_regex(f"[\x01-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200c\u200d{UNSEEN}]")
_KEY_SIGNS: Final = str.maketrans("\u2212\u2018\u2019\u201b\u02b9\u02bb\u02bc\u02bd\u2032`", "-" + "'" * 9)
_ONE_I: Final = str.maketrans("\u0131", "i")
#: What shows nothing besides the controls of a format: marks, and what fills the place of a letter.
_NOTHING: Final = late_regex(f"[{UNSEEN}]")


def words(text: str) -> Iterator[Word]:
    """Yield the words of ``text`` in order, as they are written."""
    for match in _WORD.finditer(text):
        yield Word(match.start(), match.end(), match[0])


def folded(text: str) -> str:
    """Return ``text`` in the form in which letters are compared: NFKC, case-folded, typographic apostrophes plain.

    No letter is left in parts, which would be no word: a Turkish İ is an i, and a Greek ΐ has its signs again.
    """
    if text.isascii():
        return text.lower()
    cased = unicodedata.normalize("NFKC", text).casefold().replace("i\u0307", "i").replace("’", "'")
    return unicodedata.normalize("NFKC", cased)


def normalised(text: str) -> str:
    """Return the form in which two texts count as equal: NFKC, case-folded, single blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def plain(text: str) -> str:
    """Return a text as it is compared: normalised, and without characters that are not seen wherever they stand."""
    return normalised(_shown(text))


def _shown(text: str) -> str:
    if text.isascii():
        return text
    found = _NOTHING.sub("", unicodedata.normalize("NFKC", text).replace(BRAILLE_BLANK, " "))
    return "".join(one for one in found if unicodedata.category(one) != "Cf")


def as_name(text: str) -> str:
    """Return a text as names are sought in it: plain, and a word of two alphabets that reads as Latin is Latin.

    A word of one alphabet stays as it is, whatever it looks like, and so does one with a letter that no Latin one is
    like: a Russian or Greek word is not the Latin name that it resembles.
    """
    return " ".join(text.lower().split()) if text.isascii() else normalised(as_cased_name(text))


def as_key(key: str) -> str:
    """Return the one form of all keys that look like ``key``, in which it is kept, shown and compared.

    Its parts between slashes are :func:`as_name`, so that neither case, blanks, widths, normal forms nor what is not
    seen tell keys apart, and no letter of another alphabet does that reads as Latin among Latin ones; dashes and
    apostrophes are plain, an *i* is one with a dot or without, and a part with nothing in it is none. Words of one
    alphabet stay what they are. What is in the form already is returned as it is; nothing is left of no letters.
    """
    if _CANONICAL_KEY.fullmatch(key):
        return key
    found, former = key, ""
    # What case folding makes of a letter may read as Latin where the letter itself did not.
    while found != former:
        former = found
        parts: list[str] = []
        for part in _SLASHES.split(_NOT_SEEN.sub("", found)):
            one = as_name(_plainly_signed(part))
            # An address stays one: ``ssh:/ann@host`` would read as something else.
            if one or (parts and parts[-1].endswith(":")):
                parts.append(one)
        found = "/".join(parts).rstrip("/").translate(_ONE_I).replace("i\u0307", "i")
    return found


def key_prefix(prefix: str) -> str:
    """Return the form of a key whose values and those below it are meant; of those below it alone, with ``/*``."""
    below = prefix.endswith(("/", "/*"))
    return as_key(prefix.removesuffix("*") if below else prefix) + ("/*" if below else "")


def _plainly_signed(text: str) -> str:
    if text.isascii():
        return text.replace("`", "'")
    return "".join("-" if unicodedata.category(one) == "Pd" else one for one in text.translate(_KEY_SIGNS))


def as_cased_name(text: str) -> str:
    """Return :func:`as_name` of a text before its letters are made small."""
    shown = _shown(text)
    if _FOREIGN.search(shown):
        shown = _RUN.sub(_as_latin, shown)
    return " ".join(shown.split())


def _as_latin(run: re.Match[str]) -> str:
    foreign = _FOREIGN.findall(run[0])
    if foreign and _LATIN.search(run[0]) and all(ord(one) in LOOKALIKES for one in foreign):
        return run[0].translate(LOOKALIKES)
    return run[0]


def terms(text: str) -> list[str]:
    """Return the index terms of ``text`` in order, repeats included: folded, stemmed, without stop words.

    A code is a term as it stands, besides its parts, so that it is told from one that differs by a letter, such as
    ``qx-7731-b``. One of a letter or two and signs is no word besides: ``c++`` is not ``c``.
    """
    found: list[str] = []
    text = folded(text)
    codes = [match for match in _CODE.finditer(text) if _is_code(match[0])] if _SIGNS.search(text) else []
    signed = {match.start() for match in codes if not match[0][-1].isalnum()}
    for match in _WORD.finditer(text):
        if match.start() not in signed:
            found += _terms_of(match[0])
    return found + [match[0] for match in codes]


@cache
def term_set(words: str) -> frozenset[str]:
    """Return the index terms of ``words`` of the package's own, worked out at their first use."""
    return frozenset(terms(words))


def written(text: str) -> dict[str, str]:
    """Return the index terms of the words of ``text``, each with the first folded word that has it."""
    found: dict[str, str] = {}
    for match in _WORD.finditer(folded(text)):
        for term in _terms_of(match[0]):
            found.setdefault(term, match[0])
    return found


def term_of(word: str) -> str:
    """Return the index term of a folded ``word`` of letters of a script with blanks; "" for a stop word."""
    return next(iter(_terms_of(word)), "")


def is_spelled(term: str) -> bool:
    """Return whether an index term is a word of letters, of a script that puts blanks between words."""
    return term.isalpha() and _UNSPACED.search(term) is None


def _is_code(word: str) -> bool:
    if _WORD.fullmatch(word):  # a decimal
        return False
    return not word[-1].isalnum() or "_" in word or any(letter.isdigit() for letter in word)


@lru_cache(maxsize=200_000)
def _terms_of(word: str) -> tuple[str, ...]:
    """Return the index terms of one folded word; people's words repeat."""
    if word in STOPWORDS:
        return ()
    if word[0].isdigit():
        return (word.replace(",", ""),)
    if _UNSPACED.search(word):
        return tuple(_pairs(word))
    word = word.removesuffix("'s").removesuffix("'")
    return (stemmed(word, "english"),)


def _pairs(word: str) -> Iterator[str]:
    """Yield the overlapping pairs of the unspaced runs of ``word``, and what stands between the runs."""
    end = 0
    for match in _UNSPACED.finditer(word):
        if word[end : match.start()]:
            yield word[end : match.start()]
        run = match[0]
        yield from (run[place : place + 2] for place in range(max(1, len(run) - 1)))
        end = match.end()
    if word[end:]:
        yield word[end:]


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of ``text``, stripped, empty ones left out."""
    return [part for piece in _SENTENCE_END.split(text) if (part := piece.strip())]


def passages(text: str) -> list[str]:
    """Return the passages of ``text``, stripped: as many sentences or lines as make up to ``PASSAGE`` characters.

    A sentence of more than twice that is cut between words. A short text is its only passage, a blank one has none.
    """
    return [" ".join(pieces) for pieces in _grouped(text)]


def passage_span(text: str, number: int) -> tuple[int, int] | None:
    """Return where passage ``number`` of ``text``, from 0, begins and ends; None where there is none of that number."""
    end = 0
    for place, pieces in enumerate(_grouped(text)):
        start = text.index(pieces[0], end)
        for piece in pieces:
            end = text.index(piece, end) + len(piece)
        if place == number:
            return start, end
    return None


def _grouped(text: str) -> Iterator[list[str]]:
    """Yield the pieces that each passage is made of."""
    size = max(PASSAGE, 2 * len(text) // MOST_PASSAGES)
    held: list[str] = []
    length = 0
    for sentence in sentences(text):
        for piece in _cut(sentence, size):
            if held and length + len(piece) > size:
                yield held
                held, length = [], 0
            length += len(piece) + (1 if held else 0)
            held.append(piece)
    if held:
        yield held


def _cut(sentence: str, size: int) -> Iterator[str]:
    """Yield ``sentence`` in pieces of at most twice ``size`` characters, cut at blanks where there are any."""
    while len(sentence) > 2 * size:
        end = sentence.rfind(" ", 1, size)
        end = size if end < 0 else end
        yield sentence[:end]
        sentence = sentence[end:].lstrip()
    if sentence:
        yield sentence


def stemmed(word: str, language: str) -> str:
    """Return Snowball's stem of a folded ``word``; ``language`` is Snowball's name of it, such as ``german``."""
    return _stem(language)(word) if len(word) <= _MAX_STEM else word


@cache
def _stem(language: str) -> Callable[[str], str]:
    import snowballstemmer  # noqa: PLC0415 - thirty languages at once: only where words are read

    stemmer = snowballstemmer.stemmer(language)
    busy = threading.Lock()

    def stem(word: str) -> str:
        # A stemmer holds the word that it works on: two threads at once would spoil each other's.
        with busy:
            found: str = stemmer.stemWord(word)
        return found

    return stem
