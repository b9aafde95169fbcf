"""Whether a turn asks that it is not kept: "don't remember this: …", "off the record", "das bitte nicht speichern".

Guarantees: pure and deterministic; read by an open grammar (``frames.tsv``): what refuses, a verb of keeping and what
points at the turn; or "off the record", or words of taking back ("forget I said that"); what no frame knows by signs
(:mod:`~marskg.language.not_kept.wish_signs`). Such a wish is a
clause of its own, or joined to one, or stands before or behind one without a sign, as people type. What is in another's
mouth is none: quoted, brought in by "she said", only supposed, of a pasted talk of several, in code, or in the quoted
lines of a message. "I don't remember his name", "don't forget: …" and "don't save the receipt" ask nothing of the kind.
Source: issue 54 item 4; semantics section 13; ADR 102.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from marskg.language.naming.spellings import without_accents
from marskg.language.not_kept.frames import FrameKind, Marked, languages, likely
from marskg.language.not_kept.wish_signs import LIKELY, chance_unkept
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from marskg.language.not_kept.frames import Frames


class Unkept(StrEnum):
    """What is not to be kept: ``this`` turn, what was said ``before`` it, or what comes ``next``."""

    THIS = "this"
    BEFORE = "before"
    NEXT = "next"


#: What ends a clause, but for signs within numbers and a hyphen within a word.
_SIGN: Final = late_regex(
    r"(?:(?<!\d)[.,:]|[.,:](?!\d)|[;!?…\n()\[\]{}\"“”„«»「」『』。！？：，；、—–]|(?<!\S)--?(?!\S))+"
)
_OPENS: Final = frozenset("“„«「『")
_CLOSES: Final = frozenset("”»」』")
_EITHER: Final = '"'
_FENCE: Final = late_regex(r"```.*?(?:```|\Z)|`[^`\n]*`|^[ \t]*>.*$", re.DOTALL | re.MULTILINE)
#: A line of a talk of several: who speaks, and a colon.
_LABEL: Final = late_regex(r"^[ \t]*(?P<label>[^\W\d_][^\n:]{0,30}):[ \t]+\S.*$", re.MULTILINE)
_SEVERAL: Final = 2
_BLANKS: Final = late_regex(r"\s+")
#: Blanks beside signs of a script that has none between words.
_BETWEEN: Final = late_regex(r"(?<=[\u3400-\u9fff]) | (?=[\u3400-\u9fff])")
#: Signs within a clause that are none of its words.
_WITHIN: Final = str.maketrans("-_¿¡*", "     ")
#: Characters of a clause beyond which only its beginning and its end are looked at, and how much of these.
_LONGEST: Final = 400
_EDGE: Final = 160
_BRINGS_IN: Final = frozenset(':,"“”„«»「」『』：，')
_SENTENCE: Final = frozenset(".!?…\n。！？")
_TELLS: Final = frozenset(":：—–")
_COMMAS: Final = frozenset(",， ")
#: Words before a wish among which one brings in what another says: before a colon or a joint, and before a comma.
_LAST_WORDS: Final = 4
_LAST_BEFORE_COMMA: Final = 2
#: Words of a whole clause behind a wish that may bring it in, and their characters where words have no blanks.
_SHORT: Final = 3
_SHORT_JOINED: Final = 6
#: Clauses of a wish that has commas in it.
_MOST_JOINED: Final = 3
#: Kinds that do not stand behind another clause without a sign or a joint.
_APART: Final = frozenset({FrameKind.COLON, FrameKind.START, FrameKind.CLAUSE})
#: Kinds whose subject may be that of the words before.
_ELIDED: Final = frozenset({FrameKind.WEAKLY, FrameKind.CLOSED})


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause in lower case and without accents, the signs around it, and whether it stands in quotation marks.

    ``text`` is without the words that change nothing, ``said`` with them.
    """

    text: str
    said: str
    before: str
    after: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class _Found:
    """A wish: its words, its objects marked, and of how many clauses it is."""

    words: str
    count: int


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands before and behind a frame of a kind, and whether the former is all of its clause up to there."""

    before: str
    behind: str
    kind: FrameKind
    whole: bool


def asked_not_to_keep(utterance: str) -> Unkept | None:
    """Return what a user's ``utterance`` asks not to keep; None for most, which ask nothing of the kind."""
    text = folded(utterance)
    # What no frame knows asks of its own turn alone: to take back another, or the next, is to be sure.
    return _by_frames(text) or (Unkept.THIS if chance_unkept(text) >= LIKELY else None)


def asked_by_frames(utterance: str) -> Unkept | None:
    """Return what ``utterance`` asks not to keep in words that a frame knows."""
    return _by_frames(folded(utterance))


def folded(utterance: str) -> str:
    """Return the user's own words in lower case and without accents."""
    said = _FENCE.sub("\n", utterance)
    text = without_accents(said.replace("’", "'").replace("‘", "'").casefold())
    if len(_LABEL.findall(text)) >= _SEVERAL:
        text = _LABEL.sub(_without_line, text)
    return text


def _by_frames(text: str) -> Unkept | None:
    told = (_asked(frames, _clauses(frames, spelt)) for frames, spelt in likely(text))
    return next((asked for asked in told if asked is not None), None)


def _asked(frames: Frames, clauses: Sequence[_Clause]) -> Unkept | None:
    """Return what the first wish among ``clauses`` asks."""
    for place in range(len(clauses)):
        found = _wish(frames, clauses, place)
        if found is None or _corrects(frames, clauses, place, found):
            continue
        # What is told in confidence is to be known, and told to nobody: how else would it be kept to.
        if frames.joints.confides.search(found.words):
            continue
        if not _is_anothers(frames, clauses, place, place + found.count):
            return _pointing(frames, clauses, place, found)
    return None


def _without_line(line: re.Match[str]) -> str:
    """Return nothing for a line of a talk; one whose label only draws attention, as "note:", stays."""
    label = line["label"].strip()
    return line.group() if any(frames.joints.aside.fullmatch(label) for frames in languages()) else ""


def _clauses(frames: Frames, text: str) -> list[_Clause]:
    """Return the clauses of a text."""
    found: list[_Clause] = []
    depth, toggled, start, before, carried = 0, False, 0, "\n", ""
    for sign in [*_SIGN.finditer(text), None]:
        end = len(text) if sign is None else sign.start()
        after = "\n" if sign is None else sign.group()
        said = _BETWEEN.sub("", _BLANKS.sub(" ", text[start:end].translate(_WITHIN)).strip())
        plain = frames.without_fillers(said)
        if plain:
            found.append(_Clause(plain, f"{carried}{said}", before, after, depth > 0 or toggled))
            before, carried = after, ""
        else:
            before += after
            # Words that change nothing, between signs of their own: they are said with the clauses beside them.
            carried = f"{said} " if said else carried
            if found:
                found[-1] = replace(found[-1], after=before, said=f"{found[-1].said} {said}")
        for one in after if sign is not None else "":
            depth = max(0, depth + (one in _OPENS) - (one in _CLOSES))
            toggled ^= one == _EITHER
        start = len(text) if sign is None else sign.end()
    if all(one.quoted for one in found):
        return [replace(one, quoted=False) for one in found]
    return found


def _wish(frames: Frames, clauses: Sequence[_Clause], place: int) -> _Found | None:
    """Return the wish that begins in the clause at ``place``, which may be of more with commas between them."""
    ends = [len(clauses[place].text)]
    text = clauses[place].text
    for before, one in zip(clauses[place:], clauses[place + 1 : place + _MOST_JOINED], strict=False):
        if not _COMMAS.issuperset(before.after) or len(text) > _EDGE:
            break
        text = f"{text}{frames.blank}{one.text}"
        ends.append(len(text))
    # The longest first: "don't save, please, what I said" points at what was said.
    for count in range(len(ends), 0, -1):
        joined, first = text[: ends[count - 1]], ends[count - 2] if count > 1 else 0
        for part, whole in _looked_at(joined) if frames.refusing.search(joined) else ():
            words = _words(frames, clauses, place, part, whole=whole, first=first, last=clauses[place + count - 1])
            if words is not None:
                return _Found(words, count)
    return None


def _looked_at(text: str) -> Iterator[tuple[str, bool]]:
    """Yield what is looked at of a clause, and whether its beginning is the clause's."""
    if len(text) <= _LONGEST:
        yield text, True
        return
    yield text[:_EDGE].rpartition(" ")[0] or text[:_EDGE], True
    yield text[-_EDGE:].partition(" ")[2] or text[-_EDGE:], False


def _words(
    frames: Frames, clauses: Sequence[_Clause], place: int, text: str, *, whole: bool, first: int, last: _Clause
) -> str | None:
    """Return the words of a wish in ``text``, which ends in the clause ``last`` behind its character ``first``."""
    plea = any(frames.joints.plea.search(one.said) for one in (clauses[place], last))
    marked = frames.marked(text)
    for kind, pattern in frames.wishes:
        if kind is FrameKind.PRESSED and not plea:
            continue
        if kind is FrameKind.COLON and _TELLS.isdisjoint(last.after):
            continue
        for found in pattern.finditer(marked.text):
            before, behind = marked.plain(0, found.start()), marked.plain(found.end(), len(marked.text))
            reaches = not first or len(before) <= first < len(text) - len(behind)
            if reaches and _is_apart(frames, clauses, place, _Around(before.strip(), behind, kind, whole)):
                return found.group()
    return None


def _is_apart(frames: Frames, clauses: Sequence[_Clause], place: int, around: _Around) -> bool:
    """Return whether what stands around a frame in its clause leaves it a wish of the speaker's own."""
    joints, kind, before = frames.joints, around.kind, around.before
    if joints.saying.search(" ".join(around.behind.split()[:_SHORT])):
        return False
    if around.whole and (not before or joints.aside.fullmatch(before)):
        return kind not in _ELIDED or not _is_elided(frames, clauses, place)
    joined = joints.joint.search(before)
    if joined is None:
        ends = joints.finite.search(before) is not None and joints.subject.search(before) is None
        return kind not in _APART and ends and not _brings_in(frames, before, _LAST_WORDS)
    said = before[: joined.start()].strip()
    own = joints.telling.match(said) or joints.plea.search(clauses[place].said)
    elided = kind in _ELIDED and joints.elided.match(said) and not own
    return not elided and not _brings_in(frames, said, _LAST_WORDS)


def _is_elided(frames: Frames, clauses: Sequence[_Clause], place: int) -> bool:
    """Return whether a clause goes on the subject of the one before: "I log my runs, but don't keep them"."""
    joints, one = frames.joints, clauses[place]
    joined = joints.joint.search(" ".join(one.text.split()[:1])) if one.text else None
    if joined is None or joints.plea.search(one.said) or not place:
        return False
    return bool(joints.elided.match(clauses[place - 1].text))


def _brings_in(frames: Frames, said: str, words: int) -> bool:
    """Return whether the last ``words`` of what is said bring in another's words, or all of it only supposes."""
    if frames.joints.unreal.match(said):
        return True
    return not frames.joints.telling.match(said) and frames.joints.saying.search(_last(said, words)) is not None


def _is_anothers(frames: Frames, clauses: Sequence[_Clause], place: int, end: int) -> bool:
    """Return whether the clauses from ``place`` to ``end`` are what another said, or was said to another."""
    one, last, joints = clauses[place], clauses[end - 1], frames.joints
    if one.quoted:
        return True
    if place and not _BRINGS_IN.isdisjoint(one.before) and _SENTENCE.isdisjoint(one.before):
        words = _LAST_BEFORE_COMMA if _COMMAS.issuperset(one.before) else _LAST_WORDS
        if _brings_in(frames, clauses[place - 1].text, words):
            return True
    if end < len(clauses) and not _BRINGS_IN.isdisjoint(last.after) and _TELLS.isdisjoint(last.after):
        behind = clauses[end].text
        short = len(behind.split()) <= _SHORT and len(behind) <= _LONGEST
        if short and behind.isascii() | (len(behind) <= _SHORT_JOINED) and not joints.telling.match(behind):
            return bool(joints.saying.search(behind))
    return False


def _corrects(frames: Frames, clauses: Sequence[_Clause], place: int, found: _Found) -> bool:
    """Return whether a wish only begins a correction: "forget what I said, the meeting is on Wednesday"."""
    end = place + found.count
    if Marked.back not in found.words or place or end == len(clauses):
        return False
    goes_on = _COMMAS.union(_TELLS).issuperset(clauses[end - 1].after) and not _is_aside(frames, clauses[end:])
    return goes_on and not any(frames.joints.just.search(one.said) for one in clauses[place:end])


def _is_aside(frames: Frames, clauses: Sequence[_Clause]) -> bool:
    """Return whether clauses say nothing, as "ok, thanks" does."""
    return all(frames.joints.aside.fullmatch(one.text) for one in clauses)


def _last(text: str, most: int) -> str:
    words = text.split()
    return " ".join(words[-most:]) if len(words) > 1 else text[-_SHORT_JOINED:] if not text.isascii() else text


def _pointing(frames: Frames, clauses: Sequence[_Clause], place: int, found: _Found) -> Unkept:
    """Return what a wish points at: what stands beside it in its own turn goes with that."""
    end = place + found.count
    earlier, later = (not _is_aside(frames, part) for part in (clauses[:place], clauses[end:]))
    if Marked.back in found.words:
        return Unkept.THIS if earlier else Unkept.BEFORE
    if Marked.next in found.words and not earlier and not later:
        return Unkept.NEXT
    return Unkept.THIS
