"""What English speakers say that a thing has come to: how many, how much, until when, and what was never done.

Guarantees: pure. The key is of what is counted or measured, without the figure, so that 15 drills supersede 10 and no
other count. A question that takes its figure for granted ("now that my library has 45 books, ...?")
says it; what is counted within a day, a week or another time of its own is no count so far.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.changes.denials_said import DENIES
from marskg.language.en.facts.phrasing import ADVERBS, Frame, frame, key_of
from marskg.language.en.facts.tasks import WHEN, without_times
from marskg.language.en.facts.third_person import told
from marskg.language.facts import Fact, Said
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Cardinality, Kind

if TYPE_CHECKING:
    from marskg.language.en.facts.phrasing import Found

_FIGURE: Final = r"\d[\d,]*(?:\.\d+)?"
_NUMBER: Final = (
    rf"(?:{_FIGURE}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|fifty)"
)
#: Nouns of a count, without those that make it a time or a sum.
_THINGS: Final = (
    r"(?P<what>(?!(?:of|more|other|new|extra|additional|times?|years?|months?|weeks?|days?|hours?|hrs?|minutes?|mins?|"
    r"seconds?|percent|per|dollars?|euros?|pounds?|bucks|steps|km|miles?|am|pm)\b)"
    r"(?:[a-z][\w'-]* ){0,3}?[a-z][\w'-]*s)(?=[.,;!?)]|$| (?:so far|and|but|for|with|on|in|to|from|between|by|of|about|"
    r"at|already|now|yet|scoring|using|which|that|tagged)\b)"
)
_PERIOD: Final = late_regex(
    r"[^.;!?]{0,40}\b(?:today|yesterday|tonight|(?:this|last|per|a|each|every) (?:morning|day|week|weekend|month|year|"
    r"night|summer|winter))\b",
    re.IGNORECASE,
)
#: Words after which a question takes for granted what follows.
_GRANTED: Final = late_regex(
    r"\b(?:the fact that|now that|given that|remind me that|notic(?:e|ed) (?:that)?) ?$", re.IGNORECASE
)
#: How a level is said to have come about.
_CAME: Final = (
    r"(?:(?:has|have|had|was|were|is|are|'s)(?: been| now| recently| just| already)* )?"
    r"(?:now |recently |just |already )*"
    r"(?:reached|improved|increased|risen|rose|grew|grown|gone (?:up|down)|went (?:up|down)|dropped|fallen|fell|"
    r"climbed|decreased|raised|lowered|extended|adjusted|changed|updated|reduced|cut|expanded|shrunk)"
    r"(?: from (?P<old>[$€£]?\d[\d,.]*\d?%?)(?: \w+)?)?(?: to| up to| at)? (?:now )?"
    r"(?:about |around |over |roughly )?"
)
_LEVEL: Final = (
    r"(?P<level>[$€£]?\d[\d,]*(?:\.\d+)?(?:%| ?(?:percent|ms|s|kg|km|gb|mb)\b|)"
    r"(?: (?!by\b|after\b|and\b|on\b|in\b|for\b|but\b|so\b|which\b|over\b)[a-z]+)?)"
)
_TIMED: Final = late_regex(r"\d\s?(?:am|pm)\b|:\d\d", re.IGNORECASE)
_MONTH_DAY: Final = rf"{WHEN}(?:,? \d{{4}})?"


def _is_meant(found: Found, *, definite: bool = False) -> bool:
    """Return whether what a frame reads is told, or taken for granted by a question.

    What is ``definite`` is there also where it is denied that something is done about it.
    """
    sentence, place = found.sentence, found.match.start()
    before = sentence.text[:place]
    granted = _GRANTED.search(before) is not None
    if sentence.asks and not granted:
        return False
    if sentence.is_quoted(place) or sentence.is_reported(place) or (sentence.is_denied(place) and not definite):
        return False
    return granted or not sentence.is_supposed(place)


def _fact(found: Found, key: str, payload: dict[str, object], *, old: str | None = None) -> Fact:
    start, end = found.span
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=told(found.match[0].strip(), found.voice),
        confidence=found.confidence,
        does=Said.UPDATE if old else Said.ADD,
        kind=Kind.SEMANTIC,
        key=key,
        cardinality=Cardinality.SINGLE,
        payload=payload,  # type: ignore[arg-type]
        old=old,
    )


def _counted(found: Found) -> Fact | None:
    what = found.group("what")
    if not _is_meant(found) or _PERIOD.match(found.sentence.text, found.match.end()) is not None:
        return None
    done = key_of(f"{found.group('verb')} {what}")
    return _fact(found, f"count/{done}", {"concept": f"{found.group('verb')} {what}"})


def _holds(found: Found) -> Fact | None:
    what, owner = found.group("what"), found.group("owner")
    if not _is_meant(found):
        return None
    return _fact(found, f"count/{key_of(f'{owner} {what}')}", {"concept": f"{what} in {owner}"})


def _level(found: Found) -> Fact | None:
    what = re.sub(r"^(?:new|current|latest|overall|total) ", "", found.group("thing"))
    if not _is_meant(found) or not key_of(what) or _TIMED.search(found.group("level")):
        return None
    return _fact(found, f"measure/{key_of(what)}", {"concept": what}, old=found.group("old") or None)


def _deadline(found: Found) -> Fact | None:
    what = f"{found.group('before')} {found.group('behind')}"
    what = re.sub(r"\b(?:new|final|the|my|our|first|current|original)\b ?", " ", what, flags=re.IGNORECASE)
    what = " ".join(without_times(what).split())
    new = re.search(r"\bnew\b", found.match[0], re.IGNORECASE) is not None
    # Of a deadline for nothing that is named only the new one says that there is another.
    definite = re.match(r"(?:my|our|the)\b", found.match[0], re.IGNORECASE) is not None
    if not _is_meant(found, definite=definite) or not (what or new):
        return None
    key = key_of(f"deadline {what}")
    start, end = found.span
    named = f"{what} deadline".strip()
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=f"{found.who} has a {named}: {found.group('when')}",
        confidence=found.confidence,
        does=Said.UPDATE if new else Said.ADD,
        kind=Kind.TASK,
        key=f"calendar/{key}",
        payload={"goal": named},
        when=found.group("when"),
        due=True,
        old=named if new else None,
    )


def _moved(found: Found) -> Fact | None:
    """Read "the review with Bo ... it's moved to Friday", also where a sentence ends between the two."""
    named = [*_MEETING.finditer(f"{found.sentence.before}\n{found.sentence.text[: found.match.start()]}")]
    if not named or not _is_meant(found):
        return None
    what = without_times(named[-1]["what"])
    start, end = found.span
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=f"{found.who} has {what} {found.group('when')}",
        confidence=found.confidence,
        does=Said.UPDATE,
        kind=Kind.TASK,
        key=f"calendar/{key_of(what)}",
        payload={"goal": what},
        when=found.group("when"),
        due=True,
        old=what,
    )


def _never(found: Found) -> Fact:
    start, end = found.span
    content = told(found.match[0].strip(), found.voice)
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=content,
        confidence=found.confidence,
        kind=Kind.SEMANTIC,
        payload={"concept": content},
    )


#: What is moved, named before "it".
_MEETING: Final = late_regex(
    r"\b(?:my|the|our|an?) (?P<what>(?:[\w-]+ ){0,3}?(?:meeting|call|appointment|session|interview|lesson|class|review|"
    r"lunch|dinner|party|visit|flight|trip|demo|presentation|exam|check-?up|rehearsal|viewing|delivery)"
    r"(?: (?:with|at) (?:my |the |our )?(?:[\w'-]+ ?){1,3}?(?=[.,;!?\n]|$| (?:and|but|so|to|on|because|that)\b))?)",
    re.IGNORECASE,
)
_DONE: Final = (
    r"(?P<verb>completed|finished|solved|read|written|secured|collected|visited|watched|published|mastered|learned)"
)
FRAMES: Final[tuple[Frame, ...]] = (
    frame(
        "level.count",
        "completed finished solved read written secured collected visited watched published mastered learned",
        rf"\bI(?:(?:'ve| have) {ADVERBS}| (?:(?:now|recently|already|only|just) )*(?=secured|completed|solved)){_DONE} "
        rf"(?:a total of |over |about |around |at least )?(?P<number>{_NUMBER}) {_THINGS}",
        _counted,
        0.85,
        unguarded=True,
    ),
    frame(
        "level.holds",
        "has have contains holds includes",
        rf"\b(?:my|our) (?P<owner>(?:[\w'-]+ ){{0,3}}?[\w'-]+) (?:(?:now|currently|already) )?(?:has|have|contains?|"
        rf"holds?|includes?) (?:now )?(?:a total of |over |about |around )?(?P<number>{_NUMBER}) {_THINGS}",
        _holds,
        0.85,
        unguarded=True,
    ),
    frame(
        "level.deadline",
        "deadline",
        rf"\b(?:my|our|the|a) (?P<before>(?:[\w'-]+ ){{0,4}}?)deadline (?:of|on|is|is now) (?P<when>{_MONTH_DAY})"
        rf"(?:,? for (?P<behind>[^.!?;,\"]{{3,90}}?))?(?=[.,;!?]|$| (?:but|and|so|which|that|because|since)\b)",
        _deadline,
        0.85,
        unguarded=True,
    ),
    frame(
        "level.deadline",
        "deadline",
        rf"\b(?:my|our|the) (?P<before>(?:new )?)(?P<when>{_MONTH_DAY}) deadline"
        rf"(?: for (?P<behind>[^.!?;,\"]{{3,90}}?)(?=[.,;!?]|$| (?:but|and|so|which|that|because|since)\b)|(?! for))",
        _deadline,
        0.8,
        unguarded=True,
    ),
    frame(
        "level.moved",
        "rescheduled moved postponed pushed",
        rf"\b(?:it's|it is|it was|it has been|it's been|it got) (?:now |been |just )*(?:re-?scheduled|moved|postponed|"
        rf"pushed(?: back)?) (?:to|for|until) (?P<when>{WHEN}(?: {WHEN})*+)",
        _moved,
        0.85,
        unguarded=True,
    ),
    frame(
        DENIES,
        "never",
        r"\bI(?:'ve| have) never (?:actually |really |ever |even |once )?(?!been\b|thought\b|known\b)"
        r"(?=[a-z]+(?:ed|en|n|t|d|k|e|g|m|ne|nt)\b)[a-z]+ [^.!?;()—]{3,120}?"
        r"(?=[.!?;()—]|,? (?:but|so|and|because|since|which|what|how|can|should)\b|, (?:like|such)\b|$)",
        _never,
        0.85,
    ),
)
#: What is tried where nothing else reads the words: any document has fields that are "updated to" something.
AT_LAST: Final[tuple[Frame, ...]] = (
    frame(
        "level.came",
        "reached improved increased risen rose grew grown gone went dropped fallen fell climbed decreased raised "
        "lowered extended adjusted changed updated reduced cut expanded shrunk",
        rf"\b(?:my|our|the) (?P<thing>(?:(?! (?:and|but|that|because|so) )[^.!?;,:\"()]){{3,70}}?),?(?: which)? "
        rf"{_CAME}{_LEVEL}",
        _level,
        0.8,
        unguarded=True,
    ),
)
