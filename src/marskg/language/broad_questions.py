"""Questions about a person as a whole, or about a part of their life: "what do you know about me?", "who am I?".

Guarantees: pure; a question is broad where all of it is one of the forms of a language, and never by a part of it.
Case, accents, signs and words that only fill are no matter. Whether a name is somebody's is for who knows the store:
"what do you know about Porto" has the form, and no person. The forms are data: ``broad_questions.tsv``. Source:
semantics section 13 (who somebody is); ADR 99.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.language.profile_words import table_rows
from marskg.late_regex import late_regex
from marskg.text import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: Characters of a question that can be broad: a longer one tells something.
_LONGEST: Final = 160
_SIGNS: Final = late_regex(r"[^\w]+|_")
_ACCENTS: Final = late_regex("[\u0300-\u036f]")
#: How a letter with an accent is typed without it.
_TYPED: Final = (("ae", "a"), ("oe", "o"), ("ue", "u"))
#: What a form is written with: a slot, a sign of the form, or words.
_PIECE: Final = late_regex(r"\{(?P<slot>\w+)\}|(?P<sign>[()\[\]|])|(?P<words>[^{}()\[\]|]+)")
_OPEN: Final = {"(": "(?:", ")": ")", "[": "(?:", "]": ")?", "|": "|"}
#: A name in a language with blanks between words, and in one without.
_NAME: Final = r"(?P<person>(?: [^ ]+){1,4})"
_JOINED_NAME: Final = r"(?P<person>.{1,12}?)"


@dataclass(frozen=True, slots=True)
class Broad:
    """Whom a broad question is about, and which part of their life.

    ``person`` is a name as it was folded, None for who asks; ``part`` is a section of profiles, None for all of them.
    """

    part: str | None = None
    person: str | None = None


class _Language(NamedTuple):
    """The forms of one language, those about who asks first, and what is taken out before."""

    fillers: re.Pattern[str] | None
    joined: bool
    forms: Sequence[tuple[re.Pattern[str], str | None]]
    parts: Mapping[str, str]


def broad_question(question: str) -> Broad | None:
    """Return whom a question as a whole is about, None for any other question."""
    if len(question) > _LONGEST:
        return None
    plain = _plain(question)
    for language in _languages():
        asked = plain.replace(" ", "") if language.joined else plain
        asked = asked if language.fillers is None else language.fillers.sub("", asked)
        for form, section in language.forms:
            found = form.fullmatch(asked)
            if found is not None:
                named = found.groupdict()
                part = language.parts.get((named.get("part") or "").strip(), section)
                person = (named.get("person") or "").strip()
                return Broad(part, person or None)
    return None


def plain_name(name: str) -> str:
    """Return a name in the form in which questions have it."""
    return _plain(name).strip()


def _plain(text: str) -> str:
    """Return the words of a text, each behind a blank, without case, accents and signs."""
    bare = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", folded(text))))
    for typed, letter in _TYPED:
        bare = bare.replace(typed, letter)
    return "".join(f" {word}" for word in _SIGNS.split(bare) if word)


@cache
def _languages() -> tuple[_Language, ...]:
    tables: dict[str, dict[str, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
    joined = set()
    for kind, language, *rest in table_rows("broad_questions.tsv"):
        if rest:
            tables[language][kind].append((rest[0], rest[1]))
        else:
            joined.add(language)
    return tuple(_language(table, joined=name in joined) for name, table in tables.items())


def _language(table: Mapping[str, Sequence[tuple[str, str]]], *, joined: bool) -> _Language:
    def said(words: str) -> str:
        return _plain(words).replace(" ", "") if joined else _plain(words)

    def alternatives(words: Iterable[str]) -> str:
        # The longer first: one may begin with another.
        return "|".join(sorted(map(re.escape, words), key=len, reverse=True))

    parts = {said(one).strip(): section for section, words in table["part"] for one in words.split(",")}
    lead = "" if joined else " "
    slots = {name: f"(?:{alternatives(map(said, words.split(',')))})" for name, words in table["word"]}
    slots["part"] = f"(?P<part>{alternatives(lead + one for one in parts)})"
    slots["person"] = _JOINED_NAME if joined else _NAME
    fillers = [said(one) for _, words in table["filler"] for one in words.split(",")]
    end = "" if joined else r"(?= |$)"
    forms = []
    for section, form in table["form"]:
        made = "".join(
            slots[piece["slot"]] if piece["slot"] else _OPEN[piece["sign"]] if piece["sign"] else said(piece["words"])
            for piece in _PIECE.finditer(form)
        )
        # Who asks, then a part of their life, then anybody.
        order = 2 if "{person}" in form else int("{part}" in form)
        forms.append((order, re.compile(made), None if section == "-" else section))
    taken = re.compile(f"(?:{alternatives(fillers)}){end}") if fillers else None
    return _Language(
        taken, joined, [(form, section) for _, form, section in sorted(forms, key=lambda one: one[0])], parts
    )
