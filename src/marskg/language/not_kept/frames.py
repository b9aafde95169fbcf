"""The frames of wishes not to keep something, made into patterns from the table ``frames.tsv``.

Guarantees: pure and deterministic; what a language says is data, how the slots of its frames are filled is here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_TABLE: Final = "frames.tsv"
#: A language whose words have no blanks between them.
_JOINED: Final = "zh"
_SLOT: Final = re.compile(r"( ?)\{(\w+)(\?)?\}")
#: Slots of a verb of keeping, one of which nearly every frame has; and the kinds of frames.
_VERBS: Final = ("keep", "recall", "inf")
_FRAMES: Final = ("frame", "weakly", "pressed", "colon", "opening", "clause")
_NOTHING: Final = r"(?!)"


@dataclass(frozen=True, slots=True)
class Frames:
    """The patterns of one language, over clauses in lower case and without accents.

    ``hint`` is found in every text that has a wish. ``whole`` matches a clause that is a wish, ``weak`` one whose
    object may go on another clause's subject, ``pleading`` one with a plea, ``colon`` one that is a wish before a
    colon, ``opening`` the beginning of one that goes on with what somebody says of themselves; ``ending`` a wish at
    the end of a clause that says something else.
    """

    hint: re.Pattern[str]
    whole: re.Pattern[str]
    weak: re.Pattern[str]
    pleading: re.Pattern[str]
    colon: re.Pattern[str]
    opening: re.Pattern[str]
    ending: re.Pattern[str]
    back: re.Pattern[str]
    next: re.Pattern[str]
    saying: re.Pattern[str]
    telling: re.Pattern[str]
    plea: re.Pattern[str]
    joint: re.Pattern[str]
    elided: re.Pattern[str]
    aside: re.Pattern[str]


@cache
def languages() -> tuple[Frames, ...]:
    """Return the patterns of each language of the table."""
    rows: dict[str, dict[str, tuple[str, ...]]] = {}
    for kind, language, forms in _rows():
        held = rows.setdefault(language, {})
        held[kind] = held.get(kind, ()) + forms
    return tuple(_Table(language, held).frames() for language, held in rows.items())


def _rows() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the kind, the language and the forms of each row."""
    source = files("marskg").joinpath("language", "not_kept", _TABLE).read_text(encoding="utf-8")
    for line in source.splitlines():
        if line and line[0] != "#":
            kind, language, forms = line.split("\t")
            yield kind, language, tuple(form.replace("_", " ") for form in forms.split())


class _Table:
    """What one language says, by kind."""

    def __init__(self, language: str, forms: Mapping[str, tuple[str, ...]]) -> None:
        self._forms = forms
        joined = language == _JOINED
        self._blank = "" if joined else " "
        self._edge = "" if joined else r"(?<!\w)"
        self._stop = "" if joined else r"(?!\w)"

    def frames(self) -> Frames:
        """Return the patterns."""
        blank = self._blank
        before = rf"(?:(?:{self._any('lead')}|{self._any('joint')}){blank})*"
        after = rf"(?:{blank}{self._any('tail')})*"
        whole, weak, pressed = (self._frames(kind) for kind in ("frame", "weakly", "pressed"))
        opening, clause, own = self._frames("opening"), self._frames("clause"), self._any("own")
        that = self._any("that_clause")
        own_edge = r"(?![^\W_])" if blank else ""
        return Frames(
            hint=re.compile(self._hint()),
            whole=re.compile(rf"{before}{whole}{after}"),
            weak=re.compile(rf"{before}{weak}{after}"),
            pleading=re.compile(rf"{before}(?:{pressed}|{weak}){after}"),
            colon=re.compile(rf"{before}{self._frames('colon')}{after}"),
            opening=re.compile(
                rf"{before}(?:{opening}{after}{blank}(?:(?:{that}|{self._any('joint')}){blank})?|{clause}{blank}{that}{blank}){own}{own_edge}"
            ),
            ending=re.compile(rf".*{self._edge}(?P<joint>{self._any('joint')}){blank}{whole}{after}"),
            back=re.compile(self._any("back")),
            next=re.compile(self._any("next")),
            saying=re.compile(rf"{self._edge}{self._any('saying')}{self._stop}"),
            telling=re.compile(self._any("own_telling")),
            plea=re.compile(rf"{self._edge}{self._any('plead')}{self._stop}"),
            joint=re.compile(rf"{self._any('joint')}{self._stop}"),
            elided=re.compile(rf"{self._any('elided')}{self._stop}"),
            aside=re.compile(rf"(?:(?:{self._any('lead')}|{self._any('tail')}|{self._any('joint')}){blank}?)+"),
        )

    def _hint(self) -> str:
        """Return the pattern of a verb of keeping, or of the longest fixed part of a frame that has none."""
        verbs = [self._any(kind) for kind in _VERBS]
        frames = [form for kind in _FRAMES for form in self._forms.get(kind, ())]
        fixed = {
            max(re.split(r"\{\w+\??\}", form), key=len)
            for form in frames
            if not any(f"{{{kind}}}" in form for kind in _VERBS)
        }
        return _either([*verbs, *map(re.escape, sorted(fixed))])

    def _any(self, kind: str) -> str:
        """Return the pattern of any form of a kind, the longest first."""
        forms = sorted(self._forms.get(kind, ()), key=lambda form: (-len(form), form))
        return f"(?:{'|'.join(map(re.escape, forms))})" if forms else _NOTHING

    def _frames(self, kind: str) -> str:
        return _either(self._filled(form) for form in self._forms.get(kind, ()))

    def _filled(self, form: str) -> str:
        """Return the pattern of a frame, its slots filled."""
        found, end = "", 0
        for slot in _SLOT.finditer(form):
            before, name, optional = slot.groups()
            found += re.escape(form[end : slot.start()])
            filling = self._any(name)
            found += f"(?:{before}{filling})?" if optional else f"{before}{filling}"
            end = slot.end()
        return found + re.escape(form[end:])


def _either(patterns: Iterable[str]) -> str:
    listed = "|".join(patterns)
    return f"(?:{listed})" if listed else _NOTHING
