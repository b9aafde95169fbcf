"""Which times a question names, as periods by the reader's clock and time zone.

Guarantees: pure; a date that no calendar has ("30 February") is told of, never raised, and gives no period; a word
gives a period only where it surely names one ("in May", not "may"). A period is half-open. Weeks begin on Monday
(ISO 8601) unless said otherwise; "last week" and "two weeks ago" are calendar weeks, "the last two weeks" the fourteen
days that end today; a date without a year is the latest that has begun, or the next to come where the question looks
ahead; "next Friday" is the first one after today. How a language names times is its own module's matter: see
:class:`Mentions`.
"""

from __future__ import annotations

from calendar import isleap, monthrange
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Characters above which a text is a document that is looked up, and no question that names a time.
LONGEST: Final = 1_000
_HOUR_MS: Final = 3_600_000
_MONTHS: Final = 12
_WEEK: Final = 7
_SATURDAY: Final = 5
#: The weekdays that weeks begin on, Monday by ISO 8601.
MONDAY: Final = 0
SUNDAY: Final = 6
#: Years from leap day to leap day at most, as 1900 was none.
_LEAPS: Final = 8


class Unit(StrEnum):
    """What calendars count in."""

    HOUR = "hour"
    DAY = "day"
    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


class Relation(Enum):
    """How a question's time lies to the time that it names."""

    IN = "in"
    SINCE = "since"
    UNTIL = "until"
    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Counted:
    """The calendar unit that lies ``offset`` units from the present one: -1 week is last week."""

    unit: Unit
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Rolling:
    """The ``count`` units that end today (negative: the last ones) or begin today."""

    unit: Unit
    count: int


@dataclass(frozen=True, slots=True)
class Weekday:
    """A day of the week, 0 for Monday: of the week ``week`` weeks from this one, or the nearest in a ``direction``.

    ``today`` says that today may be meant.
    """

    day: int
    week: int | None = None
    direction: int = -1
    today: bool = True


@dataclass(frozen=True, slots=True)
class Date:
    """A year, a month or a day of the calendar; what is None is the nearest in ``direction``, 0 for this year's."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    direction: int = -1


@dataclass(frozen=True, slots=True)
class Part:
    """Part ``number`` of ``count`` equal ones of a year, counted in months, or of a month's days: quarters, halves.

    Of no year in particular it is the nearest in ``direction``.
    """

    whole: Date | Counted
    number: int
    count: int
    direction: int = 0


@dataclass(frozen=True, slots=True)
class IsoWeek:
    """A week of ISO 8601."""

    year: int
    week: int


@dataclass(frozen=True, slots=True)
class Beside:
    """The ``count`` units right before (negative) or after a time."""

    unit: Unit
    count: int
    time: Form


Form: TypeAlias = Counted | Rolling | Weekday | Date | Part | IsoWeek | Beside


@dataclass(frozen=True, slots=True)
class Mention:
    """A time that a question names: one, or from one to the ``last`` one; ``words`` are those of the question."""

    words: str
    time: Form
    relation: Relation = Relation.IN
    last: Form | None = None


class Mentions(Protocol):
    """A language: finds the times that a question surely asks about, in order."""

    def __call__(self, question: str) -> Sequence[Mention]:
        """Return the times that ``question`` names."""
        ...


@dataclass(frozen=True, slots=True)
class Period:
    """A time that a question names: ``since`` ≤ t < ``until`` in epoch milliseconds, None for no end on that side."""

    since: int | None
    until: int | None
    words: str


@dataclass(frozen=True, slots=True)
class Times:
    """The periods that a question names, in order, and the ``impossible`` dates among its words."""

    periods: tuple[Period, ...] = ()
    impossible: tuple[str, ...] = ()


def times_asked(
    question: str, now: int, zone: tzinfo, language: Mentions, *, week_start: int = MONDAY, years: Iterable[int] = ()
) -> Times:
    """Return the periods that ``question`` names, seen from ``now`` (epoch milliseconds) in ``zone``.

    ``week_start`` is the weekday that weeks begin on, 0 for Monday, 6 for Sunday. A date without a year is meant in
    each of ``years`` besides.
    """
    periods: list[Period] = []
    impossible: list[str] = []
    reckoning = _Reckoning(now, zone, week_start)
    for mention in language(question) if len(question) <= LONGEST else ():
        try:
            periods.append(reckoning.period(mention))
        except (ValueError, OverflowError):
            impossible.append(mention.words)
            continue
        if isinstance(mention.time, Date) and mention.time.year is None and mention.last is None:
            for year in years:
                with suppress(ValueError, OverflowError):  # 29 February is not in each of them.
                    periods.append(reckoning.period(replace(mention, time=replace(mention.time, year=year))))
    return Times(tuple(periods), tuple(impossible))


def unit_of(moment: int, unit: Unit, zone: tzinfo, week_start: int = MONDAY) -> tuple[date, date]:
    """Return the first day of the calendar ``unit`` that holds ``moment`` (epoch milliseconds), and that of the next.

    Raises:
        OverflowError: the calendar of four-digit years has no such day.
    """
    return _Reckoning(moment, zone, week_start).days(Counted(unit))


class _Reckoning:
    """Days of the calendar by one clock in one zone, as ``[first, last + 1)``; what does not exist is a ValueError."""

    def __init__(self, now: int, zone: tzinfo, week_start: int) -> None:
        self._now = now
        self._zone = zone
        self._week_start = week_start
        self._today = (datetime.fromtimestamp(0, zone) + timedelta(milliseconds=now)).astimezone(zone).date()

    def period(self, mention: Mention) -> Period:
        """Return the period of a mention."""
        form = mention.time
        if isinstance(form, Rolling) and form.unit is Unit.HOUR:
            ends = sorted((self._now, self._now + form.count * _HOUR_MS))
            return Period(ends[0], ends[1] + 1, mention.words)
        if mention.last is not None:
            first, last = self._range(form, mention.last)
            return Period(self._at(first), self._at(last), mention.words)
        first, last = self.days(form)
        since, until = {
            Relation.IN: (first, last),
            Relation.SINCE: (first, None),
            Relation.UNTIL: (None, last),
            Relation.BEFORE: (None, first),
            Relation.AFTER: (last, None),
        }[mention.relation]
        return Period(
            None if since is None else self._at(since), None if until is None else self._at(until), mention.words
        )

    def days(self, form: Form) -> tuple[date, date]:
        """Return the days of a time."""
        match form:
            case Counted():
                return self._counted(form)
            case Rolling(unit, count):
                last = self._today + timedelta(days=1)
                return (
                    (_moved(last, unit, count), last) if count < 0 else (self._today, _moved(self._today, unit, count))
                )
            case Weekday():
                return self._weekday(form)
            case Date():
                return self._date(form)
            case Part():
                return self._part(form)
            case IsoWeek(year, week):
                first = date.fromisocalendar(year, week, 1)
                return first, first + timedelta(days=_WEEK)
            case Beside(unit, count, time):
                first, last = self.days(time)
                return (_moved(first, unit, count), first) if count < 0 else (last, _moved(last, unit, count))

    def _range(self, form: Form, last: Form) -> tuple[date, date]:
        """Return the days from one time to another; a year that one of them lacks makes the range the shortest."""
        if isinstance(form, Date) and isinstance(last, Date) and form.year is None and last.year is not None:
            end = self._date(last)[1]
            starts = (self._date(replace(form, year=year))[0] for year in (last.year, last.year - 1))
            return next(start for start in starts if start < end), end
        first, end = self.days(form)[0], self.days(last)[1]
        if isinstance(last, Date) and last.year is None:
            month = last.month or first.month
            ends = (_of(year, month, last.day)[1] for year in (first.year, first.year + 1))
            return first, next(end for end in ends if end > first)
        if isinstance(last, Weekday):
            return first, first + timedelta(days=(last.day - first.weekday()) % _WEEK + 1)
        return (first, end) if first < end else (self.days(last)[0], self.days(form)[1])

    def _counted(self, form: Counted) -> tuple[date, date]:
        today = self._today
        if form.unit is Unit.WEEKEND:
            saturday = today - timedelta(days=today.weekday() - _SATURDAY) + timedelta(days=_WEEK * form.offset)
            return saturday, saturday + timedelta(days=2)
        first = {
            Unit.WEEK: today - timedelta(days=(today.weekday() - self._week_start) % _WEEK),
            Unit.MONTH: today.replace(day=1),
            Unit.QUARTER: today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1),
            Unit.YEAR: today.replace(month=1, day=1),
        }.get(form.unit, today)
        first = _moved(first, form.unit, form.offset)
        return first, _moved(first, form.unit, 1)

    def _weekday(self, form: Weekday) -> tuple[date, date]:
        away = form.day - self._today.weekday()
        if form.week is not None:
            begun = (self._today.weekday() - self._week_start) % _WEEK
            away = (form.day - self._week_start) % _WEEK - begun + _WEEK * form.week
        elif form.direction < 0:
            away -= _WEEK * (away > 0 or (away == 0 and not form.today))
        else:
            away += _WEEK * (away < 0 or (away == 0 and not form.today))
        first = self._today + timedelta(days=away)
        return first, first + timedelta(days=1)

    def _date(self, form: Date) -> tuple[date, date]:
        if form.year is not None:
            return _of(form.year, form.month, form.day)
        if form.month is None:
            return self._day_of_a_month(form)
        step = form.direction
        if step == 0:
            return _of(self._today.year, form.month, form.day)
        for year in range(self._today.year, self._today.year + (_LEAPS + 1) * step, step):
            if form.day is not None and form.month == 2 and form.day == 29 and not isleap(year):  # noqa: PLR2004
                continue
            first, last = _of(year, form.month, form.day)
            if (first <= self._today) if step < 0 else (last > self._today):
                return first, last
        raise ValueError(form)

    def _day_of_a_month(self, form: Date) -> tuple[date, date]:
        """Return the nearest day of a month with that number."""
        step = form.direction or -1
        for months in range(3):
            month = _moved(self._today.replace(day=1), Unit.MONTH, months * step)
            if form.day is None or form.day > monthrange(month.year, month.month)[1]:
                continue
            found = month.replace(day=form.day)
            if (found <= self._today) if step < 0 else (found >= self._today):
                return found, found + timedelta(days=1)
        raise ValueError(form)

    def _part(self, form: Part) -> tuple[date, date]:
        first, last = self.days(form.whole)
        months = (last.year - first.year) * _MONTHS + last.month - first.month
        if months >= form.count:
            size = months // form.count
            start = _moved(first, Unit.MONTH, size * (form.number - 1))
            if form.direction and (
                start > self._today if form.direction < 0 else self._today >= _moved(start, Unit.MONTH, size)
            ):
                start = _moved(start, Unit.YEAR, form.direction)
            return start, _moved(start, Unit.MONTH, size)
        size = (last - first).days // form.count
        start = first + timedelta(days=size * (form.number - 1))
        return start, last if form.number == form.count else start + timedelta(days=size)

    def _at(self, day: date) -> int:
        """Return when a day begins, in epoch milliseconds."""
        return round(datetime.combine(day, time(), self._zone).timestamp() * 1000)


def _of(year: int, month: int | None, day: int | None) -> tuple[date, date]:
    """Return the days of a year, a month or a day."""
    first = date(year, month or 1, day or 1)
    return first, _moved(first, Unit.DAY if day else Unit.MONTH if month else Unit.YEAR, 1)


def _moved(day: date, unit: Unit, count: int) -> date:
    """Return ``day`` some units later, the month's last day where it has no such day."""
    if unit in {Unit.DAY, Unit.HOUR}:
        return day + timedelta(days=count)
    if unit in {Unit.WEEK, Unit.WEEKEND}:
        return day + timedelta(days=_WEEK * count)
    months = count * {Unit.MONTH: 1, Unit.QUARTER: 3}.get(unit, _MONTHS)
    year, month = divmod(day.year * _MONTHS + day.month - 1 + months, _MONTHS)
    if not 1 <= year <= 9999:  # noqa: PLR2004 - what dates can be
        raise OverflowError(year)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
