"""How English names times in a question.

Guarantees: pure; only what surely names a time is found: a bare month, weekday or year needs its preposition or
another time beside it ("in May", "March and May"), what stands in quotation marks or is a capitalised name ("USA
Today") is none, and neither is a day that recurs ("on Mondays") or what a plan is about ("about next month").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.language.times import Beside, Counted, Date, IsoWeek, Mention, Part, Relation, Rolling, Unit, Weekday
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg.language.times import Form

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SPELLED: Final = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS: Final = {word: number for number, word in enumerate(_SPELLED.split())} | {
    "a": 1,
    "an": 1,
    "a couple of": 2,
    "couple of": 2,
}
_PLACES: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_OFFSETS: Final = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0}

_M: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
#: The names of weekdays and of months in full.
WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
MONTH: Final = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_D: Final = r"\d{1,2}(?:st|nd|rd|th)?"
_Y: Final = r"(?:18|19|20|21)\d\d"
_HOW: Final = "last|past|previous|this|current|next|coming|following"
_PLACE: Final = "|".join(_PLACES)
_SATURDAY: Final = 5
_N: Final = rf"\d{{1,4}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))}"
_U: Final = "hour|day|week|month|quarter|year"
#: What is counted, after a number that might be a year: "2000 steps".
_THINGS: Final = (
    r"(?!as\b|was\b|is\b|has\b|does\b|his\b|this\b|versus\b|vs\b|across\b)(?:\w+s|km|kg|kcal|eur|usd|gbp|chf)\b"
)
_DASH: Final = r" ?(?:-|–|to|and|through|till|until) ?"

#: Words after which the nearest time to come is meant.
_AHEAD: Final = late_regex(
    r"\b(?:will|won't|going to|upcoming|coming|scheduled?|planned|planning|due|deadlines?|have to|need to|'ll)\b"
)
_RELATIONS: Final = {
    "since": Relation.SINCE,
    "starting": Relation.SINCE,
    "until": Relation.UNTIL,
    "till": Relation.UNTIL,
    "up to": Relation.UNTIL,
    "through": Relation.UNTIL,
    "by": Relation.UNTIL,
    "before": Relation.BEFORE,
    "prior to": Relation.BEFORE,
    "after": Relation.AFTER,
}
_BEFORE: Final = late_regex(
    r"\b(in|on|of|for|at|over|during|within|throughout|from|between|than|"
    rf"{'|'.join(_RELATIONS)}|about|regarding|concerning|called|named|titled)"
    r"(?: (?:the|all of|early|late|mid|the (?:beginning|start|end|middle) of))?[ -]$"
)
#: What a time is about, or is called, is no time that is asked of.
_TOPICS: Final = frozenset({"about", "regarding", "concerning", "called", "named", "titled"})
_AND: Final = late_regex(r"(?:,| and| or| vs\.?| versus|, and| than| to| through| till| until| and in| and on|-|–) ?")
_ONWARDS: Final = late_regex(r" on(?:wards?)?\b(?! \w)")
_QUOTED: Final = late_regex(r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']{2,}'(?!\w)|«[^»]*»")
#: Words that are times and ordinary words too, so that a preposition alone makes no time of them in small letters.
_ORDINARY: Final = frozenset({"may", "march", "mar", "sun", "sat", "second", "dec", "jan", "sep"})
_RECURS: Final = late_regex(
    r"\b(?:every|each|(?:bi|twice )?(?:daily|weekly|monthly|yearly)|nightly|hourly|annually|regularly|"
    rf"(?:once|twice|times) (?:an?|per) [a-z]+|{WEEKDAY}s|weekends)\b",
    re.IGNORECASE,
)
_NAMES: Final = frozenset({"today", "yesterday", "tomorrow", "tonight"})


class _Rule(NamedTuple):
    """A way to name a time; one that is ``bare`` needs a preposition or another time beside it."""

    pattern: re.Pattern[str]
    form: Callable[[re.Match[str], int], Form]
    bare: bool = False
    #: The other end, for a way that names a whole range.
    last: Callable[[re.Match[str], int], Form] | None = None


class _Found(NamedTuple):
    start: int
    end: int
    time: Form
    last: Form | None
    bare: bool


def recurs(text: str) -> bool:
    """Return whether what ``text`` tells is done again and again: "every day", "weekly", "on Mondays"."""
    return _RECURS.search(text) is not None


def mentions(question: str) -> list[Mention]:
    """Return the times that an English question surely asks about, in order."""
    text = _QUOTED.sub(lambda match: "_" * len(match[0]), question.replace("’", "'"))
    folded = text.lower()
    if len(folded) != len(text):  # a letter that has no single small one: none of a time's has that
        text = folded
    ahead = 1 if _AHEAD.search(folded) else -1
    found = [one for one in _found(folded, ahead) if not _is_name(text, one)]
    mentioned: list[Mention] = []
    place = 0
    while place < len(found):
        one, after = found[place], found[place + 1] if place + 1 < len(found) else None
        lead = _BEFORE.search(folded, 0, one.start)
        word = lead[1] if lead else ""
        joined = after is not None and _AND.fullmatch(folded[one.end : after.start]) is not None
        before = found[place - 1] if place else None
        beside = joined or (before is not None and _AND.fullmatch(folded[before.end : one.start]) is not None)
        if word in _TOPICS or (one.bare and not beside and not _led(text, word, one)):
            place += 1
            continue
        ranged = after is not None and joined and _ranges(word, folded[one.end : after.start])
        if ranged and after is not None and one.last is None:
            mentioned.append(Mention(question[one.start : after.end], one.time, last=after.last or after.time))
            place += 2
            continue
        relation = _RELATIONS.get(word, Relation.IN)
        if word in {"from", "starting"} and _ONWARDS.match(folded, one.end):
            relation = Relation.SINCE
        mentioned.append(Mention(question[one.start : one.end], one.time, relation, one.last))
        place += 1
    return mentioned


def _found(folded: str, ahead: int) -> Iterator[_Found]:
    """Yield what the rules find, the leftmost and of these the longest, without overlaps."""
    found = [
        _Found(match.start(), match.end(), rule.form(match, ahead), rule.last and rule.last(match, ahead), rule.bare)
        for rule in _RULES
        for match in rule.pattern.finditer(folded)
    ]
    end = 0
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if one.start >= end:
            yield one
            end = one.end


def _is_name(text: str, one: _Found) -> bool:
    """Return whether a word is written as a name in the middle of a sentence."""
    written = text[one.start : one.end]
    inside = bool(text[: one.start].strip()) and not re.search(r"[.?!:] *$", text[: one.start])
    if written.lower() in _NAMES:
        return inside and written[0].isupper()
    first = re.match(r"[a-z]+", written, re.IGNORECASE)
    # "May 3 people come?" and "a march 10 miles long" are no dates.
    doubtful = first is not None and first[0].lower() in {"may", "march"} and re.fullmatch(r"\w+\.? \d{1,2}", written)
    return bool(doubtful) and (not inside or first is None or not first[0][0].isupper())


def _led(text: str, word: str, one: _Found) -> bool:
    """Return whether the preposition before a bare word makes a time of it."""
    if not word:
        return False
    written = text[one.start : one.end].rstrip(".")
    if word in {"in", "during", "since", "throughout"} or not written.isalpha():
        return True
    return written.lower() not in _ORDINARY or written[0].isupper()


def _ranges(word: str, between: str) -> bool:
    """Return whether two times are the ends of one: "between … and …", "from … to …", "March-May"."""
    joint = between.strip()
    if word == "between":
        return joint in {"and", "-", "–"}
    return joint in {"to", "through", "till", "until", "-", "–"}


# --- The ways to name a time ------------------------------------------------------------------------------------------


def _month(text: str) -> int:
    return _MONTHS.index(text[:3]) + 1


def _number(text: str) -> int:
    return _NUMBERS[text] if text in _NUMBERS else int(text)


def _ordinal(text: str) -> int:
    return int(re.sub(r"\D", "", text))


def _year(text: str | None) -> int | None:
    return int(text) if text else None


def _unit(text: str) -> Unit:
    return Unit(text.removesuffix("s"))


def _weekday(text: str) -> int:
    return _DAYS.index(text[:3])


def _rule(
    pattern: str,
    form: Callable[[re.Match[str], int], Form],
    *,
    bare: bool = False,
    last: Callable[[re.Match[str], int], Form] | None = None,
) -> _Rule:
    return _Rule(late_regex(rf"(?<![\w/.-])(?:{pattern})(?![\w/])(?![.-]\d)"), form, bare, last)


def _always(form: Form) -> Callable[[re.Match[str], int], Form]:
    return lambda _match, _ahead: form


def _day_of(year: str, month: str, day: str) -> Callable[[re.Match[str], int], Form]:
    """Return what makes a day of three groups of digits."""
    return lambda match, _: Date(int(match[year]), int(match[month]), int(match[day]))


def _slashed(match: re.Match[str], _: int) -> Form:
    """Return the day of 13/5/2023 or 5/13/2023; the rule lets no doubtful one through."""
    one, other = int(match["one"]), int(match["other"])
    return Date(int(match["y"]), other, one) if one > 12 else Date(int(match["y"]), one, other)  # noqa: PLR2004


def _dated(day: str) -> Callable[[re.Match[str], int], Form]:
    return lambda match, ahead: Date(_year(match["y"]), _month(match["m"]), _ordinal(match[day]), ahead)


def _modified_weekday(match: re.Match[str], ahead: int) -> Form:
    how = match["how"] or ""
    day = _weekday(match["w"])
    if not how:
        return Weekday(day, direction=ahead)
    direction = _OFFSETS.get(how, 1)
    return Weekday(day, direction=direction, today=False) if direction else Weekday(day, week=0)


def _day_alone(match: re.Match[str], ahead: int) -> Form:
    return Date(day=_ordinal(match["d"]), direction=ahead)


def _ago(match: re.Match[str], _: int) -> Form:
    return Counted(_unit(match["u"]), -_number(match["n"]))


def _modified_month(match: re.Match[str], _: int) -> Form:
    return Date(month=_month(match["m"]), direction=_OFFSETS.get(match["how"], 1))


def _counted(match: re.Match[str], _: int) -> Form:
    how, unit = match["how"], _unit(match["u"])
    if how.endswith("past"):
        return Rolling(unit, -1)
    return Counted(unit, _OFFSETS.get(match["how"], 1))


def _rolling(match: re.Match[str], _: int) -> Form:
    count = _number(match["n"])
    return Rolling(_unit(match["u"]), count if match["how"] in {"next", "coming", "following"} else -count)


def _in_week(match: re.Match[str], _: int) -> Form:
    return Weekday(_weekday(match["w"] or match["w2"]), week=_OFFSETS.get(match["how"] or match["how2"], 1))


def _part(match: re.Match[str], ahead: int) -> Form:
    """Return the quarter, or the half of a year or a month."""
    number, count = _PLACES[match["place"]], 4 if match["part"] == "quarter" else 2
    return Part(_whole(match["of"], ahead), number, count, 0 if match["of"] else ahead)


def _quarter(match: re.Match[str], ahead: int) -> Form:
    return Part(_whole(match["of"], ahead), int(match["q"]), 4, 0 if match["of"] else ahead)


def _whole(text: str | None, ahead: int) -> Date | Counted:
    if not text:
        return Counted(Unit.YEAR)
    how, _, unit = text.partition(" ")
    if how in {"this", "last", "next", "the"}:
        return Counted(Unit(unit), _OFFSETS.get("this" if how == "the" else how, 1))
    month = re.match(_M, text)
    year = re.search(_Y, text)
    return Date(_year(year and year[0]), _month(text) if month else None, None, ahead)


def _beside(match: re.Match[str], ahead: int) -> Form:
    """Return the units before or after a time that is named."""
    inner = next(iter(_found(match["time"], ahead)))
    count = 1 if match["side"] == "after" else -1
    return Beside(_unit(match["u"]), count, inner.time)


_FIXED: Final[tuple[tuple[str, Form], ...]] = (
    ("today|tonight|this (?:morning|afternoon|evening)", Counted(Unit.DAY)),
    ("yesterday|last night", Counted(Unit.DAY, -1)),
    ("tomorrow", Counted(Unit.DAY, 1)),
    ("the day before yesterday", Counted(Unit.DAY, -2)),
    ("the day after tomorrow", Counted(Unit.DAY, 2)),
    ("the week before last", Counted(Unit.WEEK, -2)),
    ("the month before last", Counted(Unit.MONTH, -2)),
    ("the year before last", Counted(Unit.YEAR, -2)),
)
_OF: Final = rf"(?:{_M}(?:,? (?:of )?{_Y})?|{_Y}|(?:this|last|next) (?:year|month)|the (?:year|month))"
_DATE: Final = rf"\d{{4}}-\d\d-\d\d|{_M} {_D}(?:,? {_Y})?|{_D}(?: of)? {_M}(?:,? {_Y})?|yesterday|last {WEEKDAY}"
_RULES: Final = (
    *(_rule(pattern, _always(form)) for pattern, form in _FIXED),
    _rule(r"(?P<y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})(?:[t ]\d\d:\d\d\S*)?", _day_of("y", "m", "d")),
    _rule(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})", _day_of("y", "m", "d")),
    _rule(r"(?P<one>1[3-9]|2\d|3[01])/(?P<other>\d{1,2})/(?P<y>\d{4})", _slashed),
    _rule(r"(?P<one>\d{1,2})/(?P<other>1[3-9]|2\d|3[01])/(?P<y>\d{4})", _slashed),
    _rule(r"(?P<one>0?(?P<same>[1-9]|1[0-2]))/(?P<other>0?(?P=same))/(?P<y>\d{4})", _slashed),
    _rule(r"(?P<y>\d{4})-?w(?P<w>\d\d)", lambda match, _: IsoWeek(int(match["y"]), int(match["w"]))),
    _rule(rf"(?P<y>{_Y})-(?P<m>\d\d)", lambda match, _: Date(int(match["y"]), int(match["m"]))),
    _rule(rf"(?:{WEEKDAY},? )?(?P<m>{_M}) (?:the )?(?P<d>{_D})(?:,? (?P<y>\d{{4}}))?", _dated("d")),
    _rule(rf"(?:{WEEKDAY},? )?(?:the )?(?P<d>{_D})(?: of)? (?P<m>{_M})(?:,? (?P<y>\d{{4}}))?", _dated("d")),
    _rule(rf"(?P<m>{_M}) (?P<d>{_D}){_DASH}(?P<e>{_D})(?:,? (?P<y>\d{{4}}))?", _dated("d"), last=_dated("e")),
    _rule(
        rf"(?:the )?(?P<d>{_D}){_DASH}(?:the )?(?P<e>{_D})(?: of)? (?P<m>{_M})(?:,? (?P<y>\d{{4}}))?",
        _dated("d"),
        last=_dated("e"),
    ),
    _rule(rf"(?P<m>{_M}),? (?:of )?(?P<y>{_Y})", lambda match, _: Date(int(match["y"]), _month(match["m"]))),
    _rule(rf"(?P<m>{_M})", lambda match, ahead: Date(month=_month(match["m"]), direction=ahead), bare=True),
    _rule(rf"(?P<y>{_Y})(?! {_THINGS})", lambda match, _: Date(int(match["y"])), bare=True),
    _rule(rf"(?P<how>{_HOW}) (?P<m>{_M})", _modified_month),
    _rule(r"(?:the )?(?P<d>\d{1,2}(?:st|nd|rd|th))(?! \w+day)", _day_alone, bare=True),
    _rule(rf"(?P<how>{_HOW}) (?P<w>{WEEKDAY})", _modified_weekday),
    _rule(rf"(?P<how>)(?P<w>{WEEKDAY})", _modified_weekday, bare=True),
    _rule(
        rf"(?P<w>{WEEKDAY}),? (?:of )?(?P<how>last|this|next) week|"
        rf"(?P<how2>last|this|next) week,? (?:on )?(?P<w2>{WEEKDAY})",
        _in_week,
    ),
    _rule(
        rf"(?:the )?(?P<how>{_HOW}) (?P<u>weekend|week|month|quarter|year)",
        _counted,
    ),
    _rule(rf"(?:the )?(?P<how>last|past|previous|next|coming|following) (?P<n>{_N}) (?P<u>{_U})s?", _rolling),
    _rule(rf"(?P<n>{_N}) (?P<u>day|week|month|quarter|year)s? ago", _ago),
    _rule(rf"(?:the )?(?P<place>{_PLACE}) (?P<part>quarter)(?P<of>)", _part, bare=True),
    _rule(rf"(?:the )?(?P<place>{_PLACE}) (?P<part>quarter) of (?P<of>{_OF})", _part),
    _rule(
        r"(?:over|at|on|during) the weekend",
        lambda _, ahead: Weekday(_SATURDAY, direction=ahead),
        last=_always(Weekday(_SATURDAY + 1)),
    ),
    _rule(rf"(?:the )?(?P<place>first|second) (?P<part>half) of (?P<of>{_OF})", _part),
    _rule(rf"q(?P<q>[1-4])(?:[ -/](?:of )?(?P<of>{_OF}))?", _quarter),
    _rule(rf"(?P<y>{_Y})[ -]?q(?P<q>[1-4])", lambda match, _: Part(Date(int(match["y"])), int(match["q"]), 4)),
    _rule(rf"the (?P<u>day|week|month|year) (?P<side>before|after) (?P<time>{_DATE})", _beside),
)  # fmt: skip
