"""What stands beside a name in a text, by its capitals: whether the name is a part of a longer one, or no name at all.

Guarantees: pure functions of the form in which names are compared and of :func:`as_written`. A name that stands beside
another word with a capital may be a part of a longer name, unless that word is known to stand beside names (titles,
kin, words that begin sentences; ``before_names.tsv`` and the lists of the languages). Where capitals say nothing, in a
text in small letters or in capitals throughout, any word counts that is not known to be an ordinary one. Nothing across
a mark of punctuation or the end of a line counts. Source: semantics section 5.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from marskg.kept_texts import keeping_texts
from marskg.language.en.lexicon import ORGANISATION_ENDS, PLACE_ENDS, Is, flags
from marskg.language.naming.edges import LATIN
from marskg.language.naming.familiar import is_given
from marskg.language.naming.spellings import cased_form, name_form
from marskg.language.naming.words import BEFORE_TIMES, COMMON, TIMES, words_by_kind, words_of
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What a word that begins a sentence in English is, if it is none of a name.
_ORDINARY: Final = Is.CLOSED | Is.VERB | Is.TIME | Is.TITLE | Is.KIN | Is.ROLE | Is.PREPOSITION | Is.DETERMINER
#: Ends of common words of English that no name has.
_ENDED: Final = ("ed", "ing", "ly")
#: Titles of those who are told by them from others of the name.
_RATHER_NAMES: Final = words_of(
    "st saint sainte san santa sao são sankt king queen prince princess pope lake mount port"
)
#: What goes on with a name where a word with a capital follows, and what names go on with after it.
_GOES_ON: Final = words_of(
    "v dit dite van von vom de del della degli di da dos das du af av al el bin ibn ben bint la le ter of"
)
_GOES_BEFORE: Final = words_of("van von de del della di da dos du al el bin ibn ben bint ter der den")
_PREFIXED: Final = late_regex(r"(?:al|el|ad|as|ar|an|ash|at|az|d|o|l)['-](?=\w)", re.IGNORECASE)
_PARTICLES: Final = _GOES_ON | _GOES_BEFORE
#: What makes a firm of a name.
_FIRM: Final = late_regex(
    r" (?:&|and|und|et|y|e|og|och|en|&amp;) (?:sons?|co|company|daughters?|partners?|brothers|bros|söhne|sohn|töchter|"
    r"cie|fils|hijos|figli|filhos|zonen|sønner|söner|associates|friends)(?!\w)"
)
_LEFT: Final = late_regex(r"(?<![^\s\"'“”„«»(\[*:/;—–])[^\s\"“”„«»(\[*:/;—–]+(?= \Z)")
_RIGHT: Final = late_regex(r" ([^\W\d_][^\s,;:!?()\[\]{}\"“”„«»*/—–]*)")
_POSSESSED: Final = late_regex(r"'s ([^\W\d_]+)")
_POSSESSIVE: Final = late_regex(r"(?:'s|s')\Z")
_BRACKETED: Final = late_regex(r" \(([^\W\d_][\w'’-]*)\)")
_FAMILY_FIRST: Final = late_regex(r"(?<![^\s])([^\W\d_][\w'’-]*), \Z")
_OPENED: Final = late_regex(r"(?<![^\s(])([^\W\d_])[\w'’-]* [(\"“]\Z")
_SHUT: Final = late_regex(r"[)\"”] ([^\W\d_])")
_LINE_END: Final = late_regex(r"\s*(?:\Z|\n|[:;(]|\d)")
#: What marks a name in a text, and divides it from nothing.
_MARKUP: Final = "*_~`"
_STOPS: Final = '.!?:;-–—"“”„«»([*•>\n'
_FEWEST: Final = 4
#: Words and blanks before a name that are looked at.
_BEFORE: Final = 80
#: Letters of scripts that have capitals, when they are small: Latin, Greek, Cyrillic, Armenian.
_CASED: Final = late_regex(f"[{LATIN}\u0370-\u03ff\u0400-\u058f\u1f00-\u1fff]")
_WORD: Final = late_regex(r"[^\W\d_][\w'’-]*")
_DETERMINED: Final = late_regex(
    r"(?<!\w)(?:the|a|an|my|our|your|his|her|their|der|die|das|den|dem|des|ein|eine|einen|einem|einer|mein|meine|"
    r"sein|seine|ihr|ihre|unser|unsere|el|la|los|las|un|una|le|les|une|il|lo|i|gli|o|os|as|um|uma|im|am|zum|zur|vom)\Z"
)


@cache
def _legal_forms() -> frozenset[str]:
    source = files("marskg").joinpath("language", "naming", "legal_forms.txt").read_text(encoding="utf-8")
    return frozenset(word for line in source.splitlines() if not line.startswith("#") for word in line.split())


@cache
def _lists() -> Mapping[str, frozenset[str]]:
    # As they are written, and as they are compared.
    kinds = words_by_kind("before_names.tsv")
    return {kind: frozenset((*words, *map(name_form, words))) for kind, words in kinds.items()}


@keeping_texts(4)
def as_written(compared: str, text: str) -> str:
    """Return ``compared`` with the capitals and the ends of lines that ``text`` has, each sign in its place."""
    cased = cased_form(text)
    words, seen = compared.split(" "), cased.split(" ")
    if len(words) == len(seen) and len(cased) != len(compared):
        cased = " ".join(map(_capital, words, seen))
    if len(cased) != len(compared):
        return compared
    if "\n" in text.strip():
        lines = [line.split() for line in text.splitlines()]
        if sum(map(len, lines)) == len(words):
            signs, place = list(cased), -1
            for line in lines:
                place += sum(map(len, words[: len(line)])) + len(line)
                del words[: len(line)]
                if line and place < len(signs):
                    signs[place] = "\n"
            return "".join(signs)
    return cased


def _capital(word: str, seen: str) -> str:
    """Return a word that is longer or shorter when it is compared, with the capital of what is seen."""
    return seen if len(word) == len(seen) else word[:1].upper()[:1] + word[1:] if seen[:1].isupper() else word


def is_in_longer(compared: str, written: str, start: int, end: int) -> bool:
    """Return whether the name at ``[start, end)`` may be a part of a longer name."""
    if not _CASED.match(compared, start) or compared[end - 1].isdigit():
        return False
    mode = _mode(written)
    while end < len(written) and written[end] in _MARKUP:
        end += 1
    while start > 0 and written[start - 1] in _MARKUP:
        start -= 1
    if mode == "small" and end - start == 1:
        return False  # a letter
    if _turned(written, start, end) or _is_between(written, start, end):
        return True
    follows = _RIGHT.match(written, end)
    legal = follows is not None and follows[1].replace(".", "").lower() in _legal_forms()
    if legal and not _is_persons(compared[start:end]):
        return False  # the firm itself
    return _goes_on(compared, written, end, mode) or _is_begun(compared, written, start, mode)


def is_of_another(longer: str, start: int, end: int) -> bool:
    """Return whether a longer name, as it is compared, that has a name at ``[start, end)`` is another's.

    It is not where no more stands beside the name than an ending, titles and articles, nor where a name of several
    words stands behind a particle: *Anna's*, *Tante Anna*, *Rechnung von Anna Berg*.
    """
    before, after = longer[:start].split(), longer[end:]
    whole = " " in longer[start:end]
    if after.startswith("'") or (before and whole and before[-1] in _PARTICLES):
        return False
    # *Maria Silva has*, *met Maria Silva*: who wrote so was asked for no name.
    if whole and (_is_of_a_clause(after.split()[:1]) or _is_of_a_clause(before[-1:])):
        return False
    return not all(is_known_beside(word.strip(".,")) for word in (*before, *after.split()))


def _is_of_a_clause(words: list[str]) -> bool:
    """Return whether a word beside a whole name is no part of a longer one, but of what is said of its bearer."""
    said = Is.VERB | Is.CLOSED | Is.PREPOSITION
    return any(word not in _PARTICLES and bool(flags().get(word, 0) & said) for word in words)


def _is_persons(name: str) -> bool:
    """Return whether a name begins as that of a person does, after whom a firm may be called."""
    given, _, family = name.partition(" ")
    return bool(family) and is_given(given)


def _turned(written: str, start: int, end: int) -> bool:
    """Return whether nothing but a family name and a comma stands before a name in its line: *Woolf, Virginia*."""
    found = _FAMILY_FIRST.search(written, max(0, start - _BEFORE), start)
    if found is None or not begins(written, found.start(1)) or not _LINE_END.match(written, end):
        return False
    return found[1][0].isupper() and not is_ordinary(found[1].lower())


def _is_between(written: str, start: int, end: int) -> bool:
    """Return whether a name stands in brackets or quotation marks inside somebody's: *Benjamin (Ben) Haas*."""
    before, after = _OPENED.search(written, max(0, start - _BEFORE), start), _SHUT.match(written, end)
    return before is not None and after is not None and before[1].isupper() and after[1].isupper()


def is_small(compared: str, written: str, start: int, end: int) -> bool:
    """Return whether what stands at ``[start, end)`` is written in small letters, of a script that has others."""
    return written[start:end] == compared[start:end] and _CASED.match(compared, start) is not None


def has_capitals(compared: str, written: str) -> bool:
    """Return whether a text has a word that begins with a capital."""
    return compared != written.replace("\n", " ")


def begins(written: str, start: int) -> bool:
    """Return whether a sentence, a line, or what is quoted begins at ``start``."""
    place = start
    while place > 0 and (written[place - 1] in " '" or written[place - 1] in '"“”„«»('):
        if written[place - 1] != " ":
            return True
        place -= 1
    return place == 0 or written[place - 1] in _STOPS


@keeping_texts(4)
def _mode(written: str) -> str:
    """Return ``small`` or ``capitals`` of a text of these alone, ``titled`` where all of its words begin with one."""
    if written == written.lower():
        return "small"
    if written == written.upper():
        return "capitals"
    words = _WORD.findall(written)
    inner = [word for word in words[1:] if word.lower() in _CLOSED_WORDS]
    titled = len(words) >= _FEWEST and inner and all(word[0].isupper() for word in words)
    return "titled" if titled else ""


def _goes_on(compared: str, written: str, end: int, mode: str) -> bool:
    if compared[end : end + 1] != " " or written[end] == "\n":
        if mode or not (found := _POSSESSED.match(written, end)):
            return False
        # *Maria's Bakery*: a common word needs no capital.
        return found[1][0].isupper() and _names_a_thing(found[1].lower()) and "\n" not in found[0]
    if _FIRM.match(compared, end):
        return True
    found = _BRACKETED.match(written, end) or _RIGHT.match(written, end)
    if found is None:
        return False
    word = found[1].rstrip(".'’")
    plain = word.lower()
    if plain in _GOES_ON and word != "V":
        following = _RIGHT.match(written, found.end(1))
        while following is not None and following[1] in _GOES_ON | _GOES_BEFORE:
            following = _RIGHT.match(written, following.end())
        return following is not None and (following[1][0].isupper() or (mode == "small" and plain != "of"))
    if _PREFIXED.match(word):
        return True
    return _counts(plain, capital=word[0].isupper(), mode=mode) and not is_known_beside(plain)


def _is_begun(compared: str, written: str, start: int, mode: str) -> bool:
    found = _LEFT.search(written, max(0, start - _BEFORE), start)
    if found is None or (start > 1 and written[start - 1] != " "):
        return False
    word = found[0].lstrip("'")
    if not word or not (word[-1].isalpha() or word[-1] == ".") or not word[0].isalpha():
        return False
    plain = word.lower().rstrip(".")
    first = begins(written, start - 1 - len(word))
    if word[-1] == "." and plain not in _RATHER_NAMES and len(plain) > 1:
        return False  # the end of a sentence, or a title
    if _POSSESSIVE.search(word):
        return False
    if plain in _GOES_BEFORE and word[0].islower():
        return _is_of(compared, written, found.start(), mode)
    if not _counts(plain, capital=word[0].isupper(), mode=mode) or is_known_beside(plain):
        return False
    if plain in TIMES and BEFORE_TIMES.search(compared, 0, start - 1 - len(word)):
        return False  # *in May*
    return not (first and is_ordinary(plain))


def _is_of(compared: str, written: str, place: int, mode: str) -> bool:
    """Return whether a particle at ``place`` stands after a name, and not after a thing that is somebody's."""
    found = _LEFT.search(written, max(0, place - _BEFORE), place)
    if found is None or mode or not found[0][0].isupper() or not found[0][-1].isalpha():
        return found is not None and found[0].lower() in _GOES_BEFORE and _is_of(compared, written, found.start(), mode)
    if _DETERMINED.search(compared[: found.start()].rstrip()):
        return False
    return not (begins(written, found.start()) and is_ordinary(found[0].lower()))


def _counts(plain: str, *, capital: bool, mode: str) -> bool:
    """Return whether a word beside a name may be a part of it."""
    if mode:
        return not is_ordinary(plain)
    return capital


def is_known_beside(plain: str) -> bool:
    """Return whether a word has a capital beside a name, and is none of it."""
    if plain in _RATHER_NAMES:
        return False
    found = flags().get(plain, 0)
    if plain not in COMMON and found & (Is.TIME | Is.DETERMINER | Is.PREPOSITION):
        return True
    return plain in _lists()["beside"] or plain.partition("'")[0] == "i"


def is_ordinary(plain: str) -> bool:
    """Return whether a word is surely one of a language, and no name, where its capital says nothing."""
    if plain in _RATHER_NAMES:
        return False
    found = flags().get(plain, 0)
    if found & _ORDINARY and plain not in _RATHER_NAMES:
        return True
    if found & Is.COMMON and plain.endswith(_ENDED):
        return True
    lists = _lists()
    return plain in lists["begins"] or plain in lists["beside"]


def _names_a_thing(plain: str) -> bool:
    return is_common(plain) or plain in ORGANISATION_ENDS or plain in PLACE_ENDS


def is_common(form: str) -> bool:
    """Return whether a name of one word is a word of the language as well."""
    return bool(flags().get(form, 0) & Is.COMMON)


_CLOSED_WORDS: Final = frozenset(word for word, kinds in flags().items() if kinds & Is.CLOSED)
