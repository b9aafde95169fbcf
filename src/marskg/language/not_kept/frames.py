"""The frames of wishes not to keep something, made into patterns from the table ``frames.tsv``.

Guarantees: pure and deterministic; what a language says is data, how the slots of its frames are filled is here. The
frames of a language are made where a text has one of its hints first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from marskg.language.spelling import one_error
from marskg.late_regex import late_regex
from marskg.weight import has_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_TABLE: Final = "frames.tsv"
#: A language whose words have no blanks between them, and the one whose common words are listed.
JOINED: Final = "zh"
_LISTED: Final = "en"
_SLOT: Final = late_regex(r"\{(\w+)\}")
_WORD: Final = late_regex(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_BLANKS: Final = late_regex(r" {2,}")
#: Letters of a word that is taken for another with one wrong, and those at its end that may be another ending.
_LEAST: Final = 4
_ENDING: Final = 2
_NOTHING: Final = r"(?!)"
#: The signs that stand for the objects of a clause, of the Unicode block for private use, and what a slot of one takes.
_MARKS: Final = {kind: chr(0xE000 + place) for place, kind in enumerate(("next", "back", "firm", "that", "weak"))}
_TAKEN: Final = {"firm": ("firm", "next"), "that": ("that", "back")}
_MARK: Final = late_regex(f"[{''.join(_MARKS.values())}]")
_LITERAL: Final = late_regex(r"(?<![{\w'])[a-z]+(?![\w'}])")
#: Kinds of parts of words, those whose longest forms are tried first, and those that are looked for in every language.
_PARTS: Final = ("hint", "refusing")
_LONGEST_FIRST: Final = ("tail", "joint")
_AROUND: Final = ("lead", "please", "finite")


class FrameKind(StrEnum):
    """What a frame needs beside its words: see the head of the table."""

    FRAME = "frame"
    CLOSED = "closed"
    WEAKLY = "weakly"
    PRESSED = "pressed"
    COLON = "colon"
    START = "start"
    CLAUSE = "clause"


#: Frames behind which another clause may begin without a sign.
_OPEN: Final = frozenset({FrameKind.FRAME, FrameKind.WEAKLY})


@dataclass(frozen=True, slots=True)
class Joints:
    """Patterns of what stands around a frame in its clause, and of clauses beside it: see the head of the table."""

    joint: re.Pattern[str]
    finite: re.Pattern[str]
    subject: re.Pattern[str]
    elided: re.Pattern[str]
    saying: re.Pattern[str]
    telling: re.Pattern[str]
    unreal: re.Pattern[str]
    plea: re.Pattern[str]
    aside: re.Pattern[str]
    just: re.Pattern[str]
    confides: re.Pattern[str]


class Marked:
    """A clause whose objects are marked, each by the sign of its kind: ``back`` and ``next`` are two of these."""

    back: Final = _MARKS["back"]
    next: Final = _MARKS["next"]

    def __init__(self, text: str, objects: Sequence[str]) -> None:
        """Take the text, and what each sign stands for."""
        self.text = text
        self._objects = objects

    def plain(self, start: int, end: int) -> str:
        """Return a part of the clause as it was before."""
        objects = iter(self._objects[len(_MARK.findall(self.text[:start])) :])
        return _MARK.sub(lambda _: next(objects), self.text[start:end])


class Frames:
    """What one language says, over clauses in lower case and without accents."""

    def __init__(self, language: str, forms: Mapping[str, tuple[str, ...]], around: Mapping[str, str]) -> None:
        """Take the forms of each kind; ``around`` are patterns of what stands around a frame in any language."""
        self._forms = forms
        self._around = around
        joined = language == JOINED
        self.blank = "" if joined else " "
        self._edge = "" if joined else r"(?<![\w'])"
        self._stop = "" if joined else r"(?![\w'])"
        # Looked for in every text, before its objects are marked.
        self.hint = re.compile("|".join(self._unmarked(form) for form in forms["hint"]))
        self.language = language
        self.spelt = forms.get("spelt", ())
        listed = (forms[kind] for kind in forms if kind not in _PARTS)
        self.words = frozenset(word for each in listed for form in each for word in _WORD.findall(form))
        self.variants = str.maketrans({pair[0]: pair[1] for pair in forms.get("variant", ())})

    @cached_property
    def refusing(self) -> re.Pattern[str]:
        """Return the pattern of what refuses, as a part of a word."""
        return re.compile(self._any("refusing"))

    @cached_property
    def _filler(self) -> re.Pattern[str]:
        return re.compile(f"{self._around['please']}|{self._edge}{self._any('filler')}{self._stop}")

    def without_fillers(self, clause: str) -> str:
        """Return a clause without the words that change nothing wherever they stand."""
        return _BLANKS.sub(" ", self._filler.sub("", _MARK.sub(" ", clause))).strip()

    def marked(self, clause: str) -> Marked:
        """Return a clause with its objects marked."""
        text, objects, end = "", list[str](), 0
        for found in self._likely_object.finditer(clause):
            if found.start() < end:
                continue
            ways = [(kind, way) for kind, pattern in self._objects if (way := pattern.match(clause, found.start()))]
            if ways:
                kind, longest = max(ways, key=lambda one: one[1].end())
                text += clause[end : found.start()] + _MARKS[kind]
                objects.append(longest.group())
                end = longest.end()
        return Marked(text + clause[end:], objects)

    @cached_property
    def _objects(self) -> list[tuple[str, re.Pattern[str]]]:
        """Return the kinds of objects with the pattern of each of their forms: the longest is what is marked."""
        forms = [(kind, self._unmarked(form)) for kind in _MARKS for form in self._forms.get(kind, ())]
        return [(kind, re.compile(f"(?:{form}){self._stop}")) for kind, form in forms]

    @cached_property
    def _likely_object(self) -> re.Pattern[str]:
        """Return the pattern of where an object may begin."""
        return re.compile(rf"{self._edge}(?=\w)")

    def _unmarked(self, form: str) -> str:
        """Return the pattern of a form with its slots filled by what they stand for, not by signs."""
        filled = _SLOT.sub(
            lambda slot: f"({'|'.join(self._unmarked(one) for one in self._forms.get(slot[1], ()))})", form
        )
        return filled.replace("(", "(?:").replace("(?:?", "(?")

    @cached_property
    def joints(self) -> Joints:
        """Return the patterns of what stands around a frame."""
        # Atomic, as tails are: where words are of several kinds, not all of the ways to read them are tried.
        blank = rf"(?:{self.blank}|$)"
        aside = rf"(?>(?:{self._any('tail')}|{self._around['lead']}|{self._any('joint')}){blank})+"
        return Joints(
            joint=re.compile(rf"{self._edge}(?P<joint>{self._any('joint')})$"),
            finite=re.compile(self._around["finite"]),
            subject=re.compile(rf"{self._edge}{self._any('subject')}$"),
            elided=re.compile(rf"{self._any('elided')}{self._stop}"),
            saying=re.compile(f"{self._edge}{self._any('saying')}{self._stop}"),
            telling=re.compile(self._any("own_telling")),
            unreal=re.compile(rf"{self._any('unreal')}{self._stop}"),
            plea=re.compile(f"{self._around['please']}|{self._edge}{self._any('plead')}{self._stop}"),
            aside=re.compile(aside),
            just=re.compile(f"{self._edge}{self._any('just')}{self._stop}"),
            confides=re.compile(f"{self._edge}{self._any('confides')}{self._stop}"),
        )

    @cached_property
    def wishes(self) -> tuple[tuple[FrameKind, re.Pattern[str]], ...]:
        """Return the pattern of the frames of each kind, with what may stand behind them up to the end of a clause."""
        return tuple((kind, re.compile(self._wish(kind))) for kind in FrameKind if kind in self._forms)

    def _wish(self, kind: FrameKind) -> str:
        blank, own = self.blank, f"{self._any('own')}{self._stop}"
        frame = f"{self._edge}{self._any(kind)}"
        if kind is FrameKind.CLAUSE:
            return f"{frame}{blank}{self._any('that_clause')}{blank}(?={own})"
        behind = "$"
        if kind is FrameKind.START:
            # "Between us and the sea" and "between us we earn" are no confidences.
            behind = f"$|{blank}{self._any('self')}{self._stop}|{blank}{self._any('but')}{blank}{own}"
        elif kind in _OPEN:
            behind = f"$|{blank}(?:(?:{self._any('joint')}|{self._any('that_clause')}){blank})?{own}"
        return f"{frame}(?>(?:{blank}{self._any('tail')}{self._stop})*)(?={behind})"

    def _any(self, kind: str) -> str:
        """Return the pattern of any form of a kind, its slots filled; the signs of the objects for those."""
        if kind in _MARKS:
            return f"[{''.join(_MARKS[one] for one in _TAKEN.get(kind, (kind,)))}]"
        forms = self._forms.get(kind, ())
        if kind in _LONGEST_FIRST:
            forms = tuple(sorted(forms, key=len, reverse=True))
        return f"(?:{'|'.join(self._filled(form) for form in forms)})" if forms else _NOTHING

    def filled(self, form: str) -> str:
        """Return the pattern of a form whose slots are filled by what they stand for."""
        return self._unmarked(form)

    def _filled(self, form: str) -> str:
        either = _LITERAL.sub(lambda word: self._or_mark(word.group()), form)
        return _SLOT.sub(lambda slot: self._any(slot[1]), either.replace("(", "(?:").replace("(?:?", "(?"))

    def _or_mark(self, word: str) -> str:
        """Return the pattern of a word of a frame, which is marked where it is an object alone."""
        marks = "".join(_MARKS[kind] for kind, pattern in self._objects if pattern.fullmatch(word))
        return f"({word}|[{marks}])" if marks else word


@cache
def languages() -> tuple[Frames, ...]:
    """Return the frames of each language of the table."""
    rows: dict[str, dict[str, tuple[str, ...]]] = {}
    for kind, language, forms in _rows():
        held = rows.setdefault(language, {})
        held[kind] = held.get(kind, ()) + forms
    around = {kind: "|".join(_word(language, held[kind]) for language, held in rows.items()) for kind in _AROUND}
    return tuple(Frames(language, held, around) for language, held in rows.items())


def _word(language: str, forms: tuple[str, ...]) -> str:
    """Return the pattern of a word of a language: one that has no slots."""
    either = "|".join(form.replace("(", "(?:") for form in sorted(forms, key=len, reverse=True))
    return f"(?:{either})" if language == JOINED else rf"(?<![\w'])(?:{either})(?![\w'])"


def _rows() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the kind, the language and the forms of each row."""
    source = files("marskg").joinpath("language", "not_kept", _TABLE).read_text(encoding="utf-8")
    for line in source.splitlines():
        if line and line[0] != "#":
            kind, language, forms = line.split("\t")
            yield kind, language, tuple(forms.split("; "))


def likely(text: str) -> Iterator[tuple[Frames, str]]:
    """Yield the languages in which ``text`` may hold a wish, each with the text as it is meant."""
    meant = _meant(text)
    for frames in languages():
        words = meant.get(frames.language)
        spelt = text.translate(frames.variants) if frames.variants else text
        if words is not None:
            spelt = _WORD.sub(lambda word, words=words: words.get(word.group(), word.group()), spelt)  # type: ignore[misc]
        if frames.hint.search(spelt):
            yield frames, spelt


def _meant(text: str) -> dict[str, dict[str, str]]:
    """Return by language which words of ``text`` are one of a wish but for a letter, and that word."""
    near, longest, found = _near(), _longest(), dict[str, dict[str, str]]()
    for word in set(_WORD.findall(text)):
        if not _LEAST <= len(word) <= longest or has_word(word):
            continue
        ways = {one for form in _shortened(word) for one in near.get(form, ())}
        for frames, right in sorted(ways, key=lambda one: one[1]):
            known = word in frames.words or not one_error(word, right)
            if not known and (frames.language == _LISTED or not _other_ending(word, right)):
                found.setdefault(frames.language, {}).setdefault(word, right)
    return found


@cache
def _near() -> dict[str, tuple[tuple[Frames, str], ...]]:
    """Return words of wishes with their languages' frames, by themselves and by each of them without one letter."""
    found: dict[str, tuple[tuple[Frames, str], ...]] = {}
    for frames in languages():
        for word in frames.spelt:
            for form in _shortened(word):
                found[form] = (*found.get(form, ()), (frames, word))
    return found


@cache
def _longest() -> int:
    """Return how long a word of a wish may be with a letter too many."""
    return 1 + max(len(word) for frames in languages() for word in frames.spelt)


def _shortened(word: str) -> set[str]:
    return {word, *(word[:place] + word[place + 1 :] for place in range(len(word)))}


def _other_ending(word: str, meant: str) -> bool:
    """Return whether ``word`` may be the stem of ``meant`` with another ending, no two letters of it swapped."""
    return word[:-_ENDING] == meant[: len(word) - _ENDING] and sorted(word) != sorted(meant)
