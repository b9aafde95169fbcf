"""What English speakers have to do and have planned, and that it is done, moved or dropped.

Guarantees: pure. A task's key is ``todo/<what>``, an appointment's ``calendar/<what>``, by the stems of the words
without those of time, so that "I've already prepared the notes" closes "I need to prepare the notes tomorrow". That one
has to leave the talk, or wants something changed in a record, is no task.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.personal_slots import KIN
from marskg.language.en.facts.phrasing import ADVERBS, Frame, frame, key_of
from marskg.language.en.facts.third_person import told
from marskg.language.facts import Fact, Said
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg.language.en.facts.phrasing import Found

_STOP: Final = (
    r"(?=\s*(?:[.!?;:…]+(?:\s|$|[\"'])|,(?! and (?:the|my|a)\b)|\s[-–—]|—|–|\(|$)|\s+(?:but|because|since|although|"
    r"though|so|"
    r"which|while|if|when|and (?:I|it|could|then|just)|from my|on my|in my|off my|that I|already|anymore|any more)\b)"
)
_MONTHS: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
#: A time that lies ahead, with its prepositions.
WHEN: Final = (
    r"(?:(?:on|for|at|by|in|this|next|coming|the|later|about|around|sometime|after|before) )*(?:tomorrow|today|tonight|"
    r"(?:week|month|weekend|morning|afternoon|evening|year|(?:mon|tues|wednes|thurs|fri|satur|"
    r"sun)day)|"
    rf"{_MONTHS} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTHS}|\d{{1,2}}(?:st|nd|rd|"
    rf"th)|"
    r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a couple of|a few) (?:days?|weeks?|months?|"
    r"hours?)|"
    r"\d{1,2}(?::\d\d)? ?(?:am|pm|a\.m\.|p\.m\.|o'clock)|noon)\b(?:'s)?"
)
_TIMES: Final = late_regex(rf"(?:,? {WHEN}(?: (?:at|from now|morning|afternoon|evening))*+)++$", re.IGNORECASE)
#: To leave, to speak, to think: nothing that is put on a list; and what is asked of a record.
_NO_TASK: Final = late_regex(
    r"^(?:probably |really )*(?:go(?:ing)?|get going|get started|run|leave|head|step|sign off(?! on)|log off|wrap|"
    r"get back|get to|be (?:going|off|heading|honest|able)|stop|"
    r"dash|jump|attend to|take off|call it|cut|end|move on|return(?! (?:the|my|an?|some)\b)|finish up|"
    r"get (?:off|some sleep)|wait|rest|"
    r"say|admit|agree|ask|think|know|learn more|wonder|understand|see|look into (?:it|that)|try (?:it|that)|do (?:it|"
    r"that|so)|"
    r"check (?:it|that) out|have (?:a|some) (?:conversation|chat)|keep|focus on|be|disagree|confess|tell you|mention|"
    r"share|track|"
    r"worry|explain|adapt|consider|balance|appreciate|remind myself)\b(?! (?:for|to the|shopping|grocery)\b)|"
    r"\b(?:titled|to (?:my|your|the) memory|some (?:information|details?|content|items|elements|things|changes|"
    r"of (?:the|its))|"
    r"(?:an email|information) (?:for|I'm)|new (?:meeting notes|project proposal|social media post)|(?:your|some) help|"
    r"with you|"
    r"it|that|this|them|about it)(?: (?:for )?now)?$|^(?:\w+ ){1,3}(?:for )?now$|^(?:add|update|remove|delete|change|"
    r"edit|create|revise|modify|revert) .*"
    r"\b(?:titled|memory|information|details|meeting notes for|from .{1,80} to|called|named|to (?:the|my) |you|"
    r"for the ['\"])|"
    r"^(?:remove|delete|add|change|revert|track)\b|"
    r"\b(?:meeting notes|project proposal|social media post|to-?do list|calendar)\b(?:$| for| titled| from| to)",
    re.IGNORECASE,
)
_BACK: Final = late_regex(
    r"^(?:(?:it|that|this|them|those|these|one|everything|all|something|up|anything|much|so|both|what|how|the same|you|"
    r"doing|"
    r"today|my tasks?|for now)\b.*|(?:the |some |all |my )*(?:the updates|updates|tasks?|updates?|removals?|changes?|"
    r"things)(?: (?:for|in|to)\b.*)?)$",
    re.IGNORECASE,
)
_ARTICLE: Final = late_regex(
    r"^(?:a task to |the task (?:to|of) |(?:a|an|the|my|our|another|this|that) )+",
    re.IGNORECASE,
)
_NAMED: Final = r"(?:\"(?P<quoted>[^\"]{3,120})\"|'(?P<single>[^']{3,120})'"
_LIST: Final = (
    r"(?:from|off|on|to|in) (?:my|the|our) (?:[\w-]+ ){0,2}(?:list|lists|to-?dos?|to-?do list|tasks?|calendar|schedule|"
    r"agenda|plans|"
    r"reminders|events|appointments|meetings)"
)
_DONE_VERB: Final = (
    r"(?:\w{2,}ed|done|got|bought|made|paid|sent|written|read|met|seen|took|taken|chosen|sold|built|set up|held|found|"
    r"run|put|cut)"
)


def what_of(found: Found) -> str:
    """Return what a task is, without the words of its list; empty where the words only point back."""
    said = found.group("quoted") or found.group("single") or found.group("what")
    return "" if _BACK.search(said) is not None else said


def is_no_task(said: str) -> bool:
    """Return whether what is said is nothing that is put on a list."""
    return _NO_TASK.search(said) is not None


def without_times(said: str) -> str:
    """Return a task or an appointment without when it is and without its article."""
    return _ARTICLE.sub("", _TIMES.sub("", said)).strip(" ,'\"")


def _task(found: Found, what: str, does: Said, room: str, content: str) -> Fact | None:
    plain = without_times(what)
    key = key_of(plain)
    if not key:
        return None
    start, end = found.span
    opened = does in {Said.ADD, Said.UPDATE}
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=content,
        confidence=found.confidence,
        does=does,
        kind=Kind.TASK,
        key=f"{room}/{key}",
        payload={"goal": plain},
        when=found.sentence.text if opened else None,
        due=True,
        old=(found.group("old") or None) if opened else plain,
    )


def _todo(found: Found) -> Fact | None:
    what = what_of(found)
    if not what or _NO_TASK.search(what) is not None:
        return None
    return _task(found, what, Said.ADD, "todo", f"To do for {found.who}: {what}")


def _agreed(found: Found) -> Iterator[Fact]:
    """Yield what was agreed to be done, each with its own time."""
    if _LONG_AGO.search(found.sentence.text) is not None:
        return
    for said in _AND_TO.split(found.match["what"]):
        what = said.strip(" ,'\"")
        # "To meet" alone is nothing that is put on a list.
        if (
            is_no_task(what)
            or _NO_DEED.match(what) is not None
            or _BACK.search(what) is not None
            or " " not in key_of(without_times(what))
        ):
            continue
        fact = _task(found, what, Said.ADD, "todo", f"To do for {found.who}: {what}")
        if fact is not None:
            yield replace(fact, when=what)


def _closed(says: str) -> Callable[[Found], Fact | None]:
    def build(found: Found) -> Fact | None:
        what = what_of(found)
        if not what:
            return None
        listed = f"{found.match[0]} {found.sentence.text[found.match.end() :]}".lower()
        room = "calendar" if "calendar" in listed or "event" in listed or says == _CALLED_OFF else "todo"
        return _task(found, what, Said.CLOSE, room, says.format(who=found.who, what=what))

    return build


def _did(found: Found) -> Fact | None:
    what = what_of(found)
    if not what or re.search(r"\bof (?:it|that|this)$|^in\b|^to be\b", what):
        return None
    verb = found.group("verb")
    return _task(found, f"{verb} {what}".strip(), Said.CLOSE, "todo", told(found.match[0], found.voice))


def _appointment(found: Found) -> Fact | None:
    what = without_times(what_of(found))
    if not what or _NO_APPOINTMENT.search(what) is not None or _lasts(found):
        return None
    return _task(found, what, Said.ADD, "calendar", f"{found.who} has {what} {found.group('when')}")


def _moved(found: Found) -> Fact | None:
    what = without_times(what_of(found))
    if not what or any(shape.search(what) for shape in (_NO_APPOINTMENT, _REPORTED)) or _lasts(found):
        return None
    return _task(found, what, Said.UPDATE, "calendar", f"{found.who} has {what} {found.group('when')}")


def _lasts(found: Found) -> bool:
    """Return whether a time is how long or how old something is: "12 weeks pregnant" is no day, "in 12 weeks" one."""
    return (
        _LASTS.fullmatch(found.group("when")) is not None
        and _FROM_NOW.match(found.sentence.text, found.match.end("when")) is None
    )


def _off(found: Found) -> Fact | None:
    what = what_of(found) or found.group("what2")
    if not what or _BACK.search(what) is not None or _REPORTED.search(what) is not None:
        return None
    return _task(found, what, Said.CLOSE, "calendar", _CALLED_OFF.format(who=found.who, what=without_times(what)))


def _done(found: Found) -> Fact | None:
    what = what_of(found)
    if not what or re.match(r"(?:reading|watching|listening|another)\b", what) or what[0].isupper():
        return None
    if (found.group("single") or found.group("quoted")) and "task" not in found.match[0]:
        return None
    return _task(found, what, Said.CLOSE, "todo", told(found.match[0], found.voice))


_NO_APPOINTMENT: Final = late_regex(
    rf"^{KIN}$|^(?:birthday$|lot|few|some|any|no|great|nice|good|wonderful|lovely|productive|long|busy|been|to|idea|time|"
    r"question|goal|"
    r"that|this|it|"
    r"fantastic|relaxing|budget|spending)\b|\b(?:steps|dollars|goal|spent|spending)\b",
    re.IGNORECASE,
)
_LASTS: Final = late_regex(
    r"(?:about |around |for )*(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a couple of|a few) "
    r"(?:days?|weeks?|months?|hours?)",
    re.IGNORECASE,
)
_FROM_NOW: Final = late_regex(r" (?:away|off|from (?:now|today|tomorrow)|out)\b", re.IGNORECASE)
#: Somebody else's words about an appointment.
_REPORTED: Final = late_regex(
    r"\b(?:sa(?:id|ys)|told|tells|thinks?|thought|heard|claims?|claimed|asked)\b", re.IGNORECASE
)
_AND_TO: Final = late_regex(r",? and to |, to ", re.IGNORECASE)
_NO_DEED: Final = late_regex(
    r"(?:stay|remain|hold|accept|let|allow|try|have|live|differ|split|join|not)\b", re.IGNORECASE
)
_LONG_AGO: Final = late_regex(
    r"\b(?:last (?!night)\w+|ago|once|back (?:in|then|when)|used to|always|when|(?:in|since) \d{4}|already|originally|"
    r"had agreed|never|but)\b",
    re.IGNORECASE,
)
_CALLED_OFF: Final = "{who} no longer has: {what}"
_DROPPED: Final = "{who} no longer has to do: {what}"
_THING: Final = rf"{_NAMED}|(?P<what>[^.!?;,\"]{{3,110}}?){_STOP})"
_EVENT: Final = rf"{_NAMED}|(?P<what>[^.!?;,\"]{{3,70}}?))"

#: The frames of tasks, those that close them first.
FRAMES: Final[tuple[Frame, ...]] = (
    frame(
        "task.drop",
        "longer",
        # Who "no longer runs" ends a habit; who needs or plans to, or is no longer running, may drop a task.
        rf"\bI(?: {ADVERBS}no longer (?=(?:need|have|plan|intend|want)\b)|(?:'m| am) {ADVERBS}no longer "
        rf"(?=(?:going|planning|[a-z]+ing)\b)(?!living|working|owning|eating|drinking|smoking|driving|dating))"
        rf"(?:need(?:ing)? |have |going |planning )*(?:to )?(?:(?:track|keep|do|"
        rf"worry about|be reminded (?:of|about)|see|have)(?:ing)? |tracking |planning (?:to )?|a reminder (?:for|to) |"
        rf"need )*"
        rf"(?:the |my )?(?:task (?:of |to )?)?{_THING}",
        _closed(_DROPPED),
        0.95,
    ),
    frame(
        "task.remove",
        "remove delete cross check take removing scratch drop off crossed checked removed",
        rf"\b(?:remov(?:e|ed|ing)|delet(?:e|ed|ing)|(?:cross(?:ed)?|check(?:ed)?|tak(?:e|en|ing)|took|"
        rf"scratch(?:ed)?) off|drop(?:ped)?|scratch|tak(?:e|en|ing)|took|cross(?:ed)?|check(?:ed)?) "
        rf"(?:off )?(?:the |my )?(?:task |reminder |event )?(?:of |to )?{_NAMED}|"
        rf"(?P<what>[^.!?;,\"]{{3,110}}?)) {_LIST}",
        _closed(_DROPPED),
        0.95,
        unguarded=True,
    ),
    frame(
        "event.off",
        "cancelled canceled called won't can't miss longer anymore off cancel cancelling skip unable",
        rf"\b(?:(?:my|the|our) {_EVENT} (?:has been|have been|was|got|is|is being|had to be) (?:just )?(?:cancell?ed|"
        rf"called off)|"
        rf"I(?:'ve| have|'m| am|'ll| will)? {ADVERBS}(?:won't be able to (?:make it to|attend|go to)|"
        rf"can't (?:make it to|attend|make)|(?:had|have|decided|going|need|want) to (?:miss|skip|cancel)|"
        rf"(?:cancell?ed|cancell?ing)|(?:no longer|not) (?:attending|going to|having|meeting)|unable to (?:attend|"
        rf"make)) (?:my |the |our )?(?P<what2>[^.!?;,\"]{{3,80}}?){_STOP})",
        _off,
        0.85,
    ),
    frame(
        "event.moved",
        "rescheduled moved postponed pushed changed updated update reschedule actually move instead now delayed "
        "brought shifted updating",
        rf"\b(?:(?:my|the|our|that)? ?{_EVENT} (?:(?:has been|have been|was|got|is being|has|had to be|is|is now|"
        rf"has now been|was just) (?:just |now |actually )*(?:re-?scheduled|moved|postponed|pushed(?: back)?|changed|"
        rf"delayed|brought forward|shifted|updated|set|scheduled)|is actually|is now) "
        rf"(?:from (?P<old>[\w :]{{2,30}}?) )?(?:to |for |until )?(?P<when>{WHEN}(?: {WHEN})*+)(?:,? not "
        rf"(?P<not>[^.!?;]{{2,40}}))?)",
        _moved,
        0.85,
    ),
    frame(
        "event.moving",
        "update updated reschedule rescheduled move moved push pushed change changed postpone",
        rf"\b(?:I(?:'ve| have|'d| need| want| just|'m)? ?{ADVERBS}(?:need(?:ed)? to |had to |have to |like to |"
        rf"want to |just )*|please |can you |could you )(?:update|updated|reschedul(?:e|ed)|mov(?:e|ed)|push(?:ed)?|"
        rf"chang(?:e|ed)|postpon(?:e|ed)) (?:the (?:date|time) (?:of|for) )?(?:my |the |our )?"
        rf"{_EVENT} (?:on my calendar )?(?:from (?P<old>[\w :]{{2,30}}?) )?(?:to|for|"
        rf"until) (?P<when>{WHEN}(?: {WHEN})*+)",
        _moved,
        0.85,
        unguarded=True,
    ),
    frame(
        "event.have",
        "have i've got scheduled attending booked coming appointment going",
        rf"\bI(?:'ve|'m| am)? ?{ADVERBS}(?:(?:also |just )?(?:have|got|have got|booked|scheduled|set up|attending|"
        rf"going to|looking forward to(?: attending)?|remembered I have|realized I have|need to attend|"
        rf"have to attend)) (?:a|an|my|the|our|another) "
        rf"{_EVENT} (?:is |that's |that is )?(?:(?:scheduled|coming up|booked|planned|set|happening|set up|lined up|"
        rf"on my calendar|due) )*(?P<when>{WHEN}(?: {WHEN})*+)",
        _appointment,
        0.9,
    ),
    frame(
        "event.is",
        "is are scheduled",
        rf"\b(?:my|our) {_EVENT} (?:is|are) (?:(?:scheduled|coming up|booked|planned|set|happening|"
        rf"due) )*(?P<when>(?:on|for|in|at|tomorrow|tonight|next|this|coming) ?{WHEN}|{WHEN})",
        _appointment,
        0.8,
    ),
    frame(
        "task.done",
        "finished completed wrapped done taken took",
        rf"\bI(?:'ve| have| am|'m)? ?{ADVERBS}(?:finished|completed|wrapped up|done with|taken care of|took care of|"
        rf"finished up|through with) (?:with )?(?:the task (?:to|of) )?{_THING}",
        _done,
        0.95,
    ),
    frame(
        "task.did",
        "already managed able around finally",
        rf"\bI(?:'ve| have)? ?{ADVERBS}(?:(?<=already )|managed to |was able to |was finally able to |got around to |"
        rf"finally )(?P<verb>(?:{_DONE_VERB}|\w+)) {_THING}",
        _did,
        0.75,
    ),
    frame(
        "task.did",
        "remove track list list's",
        rf"\bI(?:'ve| have)? ?{ADVERBS}(?P<verb>{_DONE_VERB}) {_THING}(?=.{{0,40}}\b(?:remove|take|cross|check|"
        rf"delete) (?:that|it|this)\b)",
        _did,
        0.85,
    ),
    frame(
        "task.remind",
        "remind forget reminder",
        rf"(?:^|[,;!] |\b(?:please|can you|could you|will you|and|so|also) )(?:(?:remind me|don't let me forget|"
        rf"make sure I (?:don't|"
        rf"do not) forget|set a reminder(?: for me)?) (?:(?:today|tomorrow|tonight|later|next \w+|on \w+|in the \w+|"
        rf"at [\d:apm ]+|in \w+ \w+) )*(?:to|about|of) |"
        rf"\bplease (?:don't|do not) (?:let me )?forget (?:to|about) ){_THING}",
        _todo,
        0.9,
        unguarded=True,
    ),
    frame(
        "task.add",
        "add put",
        rf"\b(?:add|put) (?:the task (?:of |to )?)?{_NAMED}|(?P<what>[^.!?;,\"]{{3,110}}?)) (?:to|on|in) (?:my|the|"
        rf"our) (?:[\w-]+ )?(?:to-?do list|to-?dos?|tasks?|task list|list of tasks|shopping list)",
        _todo,
        0.9,
        unguarded=True,
    ),
    frame(
        "task.agreed",
        "agreed promised",
        rf"\b(?:I|we)(?:'ve| have)? ?{ADVERBS}(?:agreed|promised(?: (?!not)[\w']+){{0,2}}?) to "
        rf"(?P<what>(?:[^.!?;,]|,(?= (?:and )?to )){{3,200}}?)(?!, (?:and )?to\b){_STOP}",
        _agreed,
        0.8,
    ),
    frame(
        "task.need",
        "need have must gotta got planning plan supposed going remember",
        rf"\bI(?:'ve|'m| am)? ?{ADVERBS}(?:need to|have to|must(?! have (?!an?\b|the\b|my\b|some\b))|"
        rf"have got to|(?<=ve )got to|gotta|"
        rf"(?:am )?supposed to|remembered (?:that )?I (?:need|have) to|realized (?:that )?I (?:need|have) to) "
        rf"(?:also |really |actually |probably |definitely )*(?:remember to |make sure to |not forget to |make sure I |"
        rf"go (?:and )?|start |find time to |set aside (?:some )?time to |make time to |"
        rf"get around to )*(?P<what>[^.!?;,]{{3,120}}?){_STOP}",
        _todo,
        0.85,
    ),
)
