"""Whether a turn asks that it is not kept: "don't remember this: …", "off the record", "das bitte nicht speichern".

Guarantees: pure and deterministic; read by form and open slots (``frames.tsv``): a word that forbids, a verb of keeping
and what points at the turn, as a clause of its own or at the end of one. What is in another's mouth is none: quoted,
brought in by "she said", of a pasted talk of several, in code, or in the quoted lines of a message. "I don't remember
his name", "don't forget: …" and "don't save the receipt" ask nothing of the kind.
Source: issue 54 item 4; semantics section 13; ADR 102.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from marskg.language.naming.spellings import without_accents
from marskg.language.not_kept.frames import languages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.language.not_kept.frames import Frames


class Unkept(StrEnum):
    """What is not to be kept: ``this`` turn, what was said ``before`` it, or what comes ``next``."""

    THIS = "this"
    BEFORE = "before"
    NEXT = "next"


#: What ends a clause, but for signs within numbers and a hyphen within a word.
_SIGN: Final = re.compile(
    r"(?:(?<!\d)[.,:]|[.,:](?!\d)|[;!?…\n()\[\]{}\"“”„«»「」『』。！？：，；、—–]|(?<!\S)--?(?!\S))+"
)
_OPENS: Final = frozenset("“„«「『")
_CLOSES: Final = frozenset("”»」』")
_EITHER: Final = '"'
_FENCE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|^[ \t]*>.*$", re.DOTALL | re.MULTILINE)
#: A line of a talk of several: who speaks, and a colon.
_LABEL: Final = re.compile(r"^[ \t]*(?P<label>[^\W\d_][^\n:]{0,30}):[ \t]+\S.*$", re.MULTILINE)
_SEVERAL: Final = 2
_BLANKS: Final = re.compile(r"\s+")
#: Blanks between signs of a script that has none between words.
_BETWEEN: Final = re.compile(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")
#: Characters of a clause beyond which it is no wish, and those of its end and beginning that are looked at then.
_LONGEST: Final = 160
_BRINGS_IN: Final = frozenset(':,"“”„«»「」『』：，')
_SENTENCE: Final = frozenset(".!?…\n。！？")
_TELLS: Final = frozenset(":：—–")
#: Words of the clause before that may bring in what another says, and of a whole clause behind that may.
_LAST_WORDS: Final = 4
_SHORT: Final = 3
_SHORT_JOINED: Final = 6
#: Clauses of a wish that has a comma in it.
_JOINED: Final = 2


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause in lower case and without accents, the signs around it, and whether it stands in quotation marks."""

    text: str
    before: str
    after: str
    quoted: bool


def asked_not_to_keep(utterance: str) -> Unkept | None:
    """Return what a user's ``utterance`` asks not to keep; None for most, which ask nothing of the kind."""
    said = _FENCE.sub("\n", utterance)
    text = without_accents(said.replace("’", "'").replace("‘", "'").casefold())
    if len(_LABEL.findall(text)) >= _SEVERAL:
        text = _LABEL.sub(_without_line, text)
    likely = [frames for frames in languages() if frames.hint.search(text)]
    clauses = _clauses(text) if likely else []
    for frames in likely:
        for place in range(len(clauses)):
            count = _wish(frames, clauses, place)
            if count and not _is_anothers(frames, clauses, place):
                return _pointing(frames, clauses, place, count)
    return None


def _without_line(line: re.Match[str]) -> str:
    """Return nothing for a line of a talk; one whose label only draws attention, as "note:", stays."""
    label = line["label"].strip()
    return line.group() if any(frames.aside.fullmatch(label) for frames in languages()) else ""


def _clauses(text: str) -> list[_Clause]:
    """Return the clauses of a text."""
    found: list[_Clause] = []
    depth, toggled, start, before = 0, False, 0, "\n"
    for sign in [*_SIGN.finditer(text), None]:
        end = len(text) if sign is None else sign.start()
        after = "\n" if sign is None else sign.group()
        said = _BETWEEN.sub("", _BLANKS.sub(" ", text[start:end]).strip())
        if said:
            found.append(_Clause(said, before, after, depth > 0 or toggled))
            before = after
        else:
            before += after
            if found:
                found[-1] = replace(found[-1], after=before)
        for one in after if sign is not None else "":
            depth = max(0, depth + (one in _OPENS) - (one in _CLOSES))
            toggled ^= one == _EITHER
        start = len(text) if sign is None else sign.end()
    if all(one.quoted for one in found):
        return [replace(one, quoted=False) for one in found]
    return found


def _wish(frames: Frames, clauses: Sequence[_Clause], place: int) -> int:
    """Return of how many clauses a wish at ``place`` is: of one, of two with a comma between them, or of none."""
    one = clauses[place]
    if len(one.text) <= _LONGEST:
        if _is_whole(frames, clauses, place):
            return 1
        following = clauses[place + 1].text if place + 1 < len(clauses) and one.after.strip() == "," else ""
        if following and len(following) <= _LONGEST and frames.whole.fullmatch(f"{one.text} {following}"):
            return _JOINED
    return int(frames.opening.match(one.text) is not None or _ends(frames, one.text[-_LONGEST:]))


def _is_whole(frames: Frames, clauses: Sequence[_Clause], place: int) -> bool:
    """Return whether a clause is a wish from its first word to its last."""
    one = clauses[place]
    if frames.whole.fullmatch(one.text):
        return True
    if frames.weak.fullmatch(one.text) and not _is_elided(frames, clauses, place):
        return True
    if frames.plea.search(one.text) and frames.pleading.fullmatch(one.text):
        return True
    return not _TELLS.isdisjoint(one.after) and frames.colon.fullmatch(one.text) is not None


def _ends(frames: Frames, text: str) -> bool:
    """Return whether a clause that says something ends with a wish, joined to it by a word."""
    found = frames.ending.fullmatch(text)
    if found is None:
        return False
    before = text[: found.start("joint")]
    return not frames.saying.search(before) and not frames.elided.match(before)


def _is_elided(frames: Frames, clauses: Sequence[_Clause], place: int) -> bool:
    """Return whether a clause goes on the subject of the one before: "I log my runs, but don't keep them"."""
    if not frames.joint.match(clauses[place].text) or frames.plea.search(clauses[place].text) or not place:
        return False
    return bool(frames.elided.match(clauses[place - 1].text))


def _is_anothers(frames: Frames, clauses: Sequence[_Clause], place: int) -> bool:
    """Return whether a clause is what somebody else said, or was said to somebody else."""
    one = clauses[place]
    if one.quoted:
        return True
    if place and not _BRINGS_IN.isdisjoint(one.before) and _SENTENCE.isdisjoint(one.before):
        brings = clauses[place - 1].text
        if not frames.telling.match(brings) and frames.saying.search(_last(brings)):
            return True
    if place + 1 < len(clauses) and not _BRINGS_IN.isdisjoint(one.after) and _TELLS.isdisjoint(one.after):
        behind = clauses[place + 1].text
        short = len(behind.split()) <= _SHORT and len(behind) <= _LONGEST
        if short and behind.isascii() | (len(behind) <= _SHORT_JOINED) and not frames.telling.match(behind):
            return bool(frames.saying.search(behind))
    return False


def _last(text: str) -> str:
    words = text.split()
    return " ".join(words[-_LAST_WORDS:]) if len(words) > 1 else text[-_SHORT_JOINED:] if not text.isascii() else text


def _pointing(frames: Frames, clauses: Sequence[_Clause], place: int, count: int) -> Unkept:
    """Return what a wish of ``count`` clauses points at: what stands beside it in its own turn goes with that."""
    end = place + count
    said = " ".join(one.text for one in clauses[place:end])
    earlier, later = (
        any(frames.aside.fullmatch(one.text) is None for one in part) for part in (clauses[:place], clauses[end:])
    )
    if frames.back.search(said):
        return Unkept.THIS if earlier else Unkept.BEFORE
    if frames.next.search(said) and not earlier and not later:
        return Unkept.NEXT
    return Unkept.THIS
