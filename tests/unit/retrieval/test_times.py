"""The times that questions name: as people write them, on a Wednesday in May."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.clock import MAX_MS, zone_named
from marskg.errors import InvalidConfig
from marskg.language.en.time_words import mentions
from marskg.language.times import SUNDAY, times_asked

if TYPE_CHECKING:
    from datetime import tzinfo

_BERLIN = ZoneInfo("Europe/Berlin")
_NOW = round(datetime(2024, 5, 15, 10, tzinfo=_BERLIN).timestamp() * 1000)

#: Question, first day, day after the last.
_NAMED = [
    ("How much did I spend today?", "2024-05-15", "2024-05-16"),
    ("How much did I spend yesterday?", "2024-05-14", "2024-05-15"),
    ("What is due tomorrow?", "2024-05-16", "2024-05-17"),
    ("What did I eat the day before yesterday?", "2024-05-13", "2024-05-14"),
    ("Total spending last month", "2024-04-01", "2024-05-01"),
    ("What did I spend this month?", "2024-05-01", "2024-06-01"),
    ("What did I spend last week?", "2024-05-06", "2024-05-13"),
    ("How many steps this week?", "2024-05-13", "2024-05-20"),
    ("expenses in March", "2024-03-01", "2024-04-01"),
    ("expenses in june", "2023-06-01", "2023-07-01"),
    ("How much did I run in May?", "2024-05-01", "2024-06-01"),
    ("How much did I run in may", "2024-05-01", "2024-06-01"),
    ("since June 2023, how many books?", "2023-06-01", None),
    ("books since June", "2023-06-01", None),
    ("What did I spend between 3 and 9 May?", "2024-05-03", "2024-05-10"),
    ("What did I spend from 3 to 9 May 2023?", "2023-05-03", "2023-05-10"),
    ("What did I spend May 3-9?", "2024-05-03", "2024-05-10"),
    ("spent between May 3 and May 9", "2024-05-03", "2024-05-10"),
    ("spent between March and May", "2024-03-01", "2024-06-01"),
    ("spent from November to January", "2023-11-01", "2024-02-01"),
    ("spent from November 2022 to January 2023", "2022-11-01", "2023-02-01"),
    ("spent between 2021 and 2023", "2021-01-01", "2024-01-01"),
    ("What did we decide two weeks ago?", "2024-04-29", "2024-05-06"),
    ("What happened 3 days ago?", "2024-05-12", "2024-05-13"),
    ("a month ago", "2024-04-01", "2024-05-01"),
    ("What do I have next Friday?", "2024-05-17", "2024-05-18"),
    ("What did I say last Friday?", "2024-05-10", "2024-05-11"),
    ("What did I say on Friday?", "2024-05-10", "2024-05-11"),
    ("What did I say on Wednesday?", "2024-05-15", "2024-05-16"),
    ("What did I say last Wednesday?", "2024-05-08", "2024-05-09"),
    ("What is planned on Monday?", "2024-05-20", "2024-05-21"),
    ("What will I do on Friday?", "2024-05-17", "2024-05-18"),
    ("spent from Monday to Wednesday", "2024-05-13", "2024-05-16"),
    ("What did I spend on 2024-04-02?", "2024-04-02", "2024-04-03"),
    ("What did I spend between 2024-04-02 and 2024-04-05?", "2024-04-02", "2024-04-06"),
    ("spent on 13/4/2024", "2024-04-13", "2024-04-14"),
    ("spent on 4/13/2024", "2024-04-13", "2024-04-14"),
    ("spent on 13.4.2024", "2024-04-13", "2024-04-14"),
    ("spent in Q1", "2024-01-01", "2024-04-01"),
    ("spent in Q3", "2023-07-01", "2023-10-01"),
    ("spent in Q2 2023", "2023-04-01", "2023-07-01"),
    ("the second quarter of 2023", "2023-04-01", "2023-07-01"),
    ("last quarter", "2024-01-01", "2024-04-01"),
    ("this quarter", "2024-04-01", "2024-07-01"),
    ("spent in 2023", "2023-01-01", "2024-01-01"),
    ("spent last year", "2023-01-01", "2024-01-01"),
    ("last 7 days", "2024-05-09", "2024-05-16"),
    ("in the past two weeks", "2024-05-02", "2024-05-16"),
    ("over the last three months", "2024-02-16", "2024-05-16"),
    ("next 3 days", "2024-05-15", "2024-05-18"),
    ("next week", "2024-05-20", "2024-05-27"),
    ("spent over the weekend", "2024-05-11", "2024-05-13"),
    ("last weekend", "2024-05-11", "2024-05-13"),
    ("this weekend", "2024-05-18", "2024-05-20"),
    ("before March 2024", None, "2024-03-01"),
    ("until 3 May", None, "2024-05-04"),
    ("after 3 May 2023", "2023-05-04", None),
    ("the week before 16 November 2023", "2023-11-09", "2023-11-16"),
    ("the first half of September 2022", "2022-09-01", "2022-09-16"),
    ("first half of 2023", "2023-01-01", "2023-07-01"),
    ("on the 3rd", "2024-05-03", "2024-05-04"),
    ("on the 20th", "2024-04-20", "2024-04-21"),
    ("in 2023-05", "2023-05-01", "2023-06-01"),
    ("in 2024-W20", "2024-05-13", "2024-05-20"),
    ("On Friday, 3 May 2024, what did I eat?", "2024-05-03", "2024-05-04"),
    ("Monday of last week", "2024-05-06", "2024-05-07"),
    ("last week on Tuesday", "2024-05-07", "2024-05-08"),
    ("from 1 May onwards", "2024-05-01", None),
    ("3rd of May 2023", "2023-05-03", "2023-05-04"),
    ("yesterday's expenses", "2024-05-14", "2024-05-15"),
    ("What is the total in March and April?", "2024-03-01", "2024-05-01"),
    ("Did I spend more in March than in April?", "2024-03-01", "2024-05-01"),
    ("in January, February and March", "2024-01-01", "2024-04-01"),
]
_NONE = [
    "spent on 3/4/2024",
    "May I ask how much?",
    "may 3 people come?",
    "I may march on",
    "What is my march tempo?",
    "How much do I spend on Mondays?",
    'Who sings "Yesterday"?',
    "Do I read USA Today?",
    "Who is April?",
    "What did April say?",
    "How many of the 2000 steps?",
    "What did I say about next month?",
    "How far is a march in the mountains?",
    "Is the sun out?",
    "Which phone has a second quarter inch jack?",
    "What is 1984 about?",
    "Who wrote the book called 1984?",
    "Is Friday Anna's dog?",
]
_IMPOSSIBLE = [
    "30 February",
    "What did I spend on 30 February 2023?",
    "on February 29, 2023",
    "on 31 April",
    "on 2023-13-01",
    "since 31 June",
    "in 2024-W60",
    "9999 years ago",
]


def _span_asked(question: str, now: int, zone: tzinfo) -> tuple[int | None, int | None]:
    """Return the first moment and the one after the last of all the times that a question names."""
    periods = times_asked(question, now, zone, mentions).periods
    assert periods
    since = [one.since for one in periods if one.since is not None]
    until = [one.until for one in periods if one.until is not None]
    return (
        min(since) if len(since) == len(periods) else None,
        max(until) if len(until) == len(periods) else None,
    )


def _day(moment: int | None) -> str | None:
    return None if moment is None else datetime.fromtimestamp(moment / 1000, _BERLIN).isoformat()


@pytest.mark.parametrize(("question", "since", "until"), _NAMED)
def test_a_time_is_the_days_that_a_reader_means(question: str, since: str | None, until: str | None) -> None:
    for moment, day in zip(_span_asked(question, _NOW, _BERLIN), (since, until), strict=True):
        assert _day(moment) == (day and datetime.fromisoformat(day).replace(tzinfo=_BERLIN).isoformat())


@pytest.mark.parametrize("question", _NONE)
def test_a_word_that_is_not_surely_a_time_is_none(question: str) -> None:
    assert times_asked(question, _NOW, _BERLIN, mentions) == times_asked("", _NOW, _BERLIN, mentions)


@pytest.mark.parametrize("question", _IMPOSSIBLE)
def test_a_date_that_does_not_exist_is_told_of_and_is_no_period(question: str) -> None:
    times = times_asked(question, _NOW, _BERLIN, mentions)
    assert times.periods == ()
    assert times.impossible


def test_the_day_is_that_of_the_readers_zone() -> None:
    midnight = round(datetime(2024, 5, 15, 23, tzinfo=UTC).timestamp() * 1000)
    here, _ = _span_asked("What did I spend today?", midnight, UTC)
    there, _ = _span_asked("What did I spend today?", midnight, zone_named("Asia/Tokyo"))
    assert here == midnight - 23 * 3_600_000
    assert there == midnight - 8 * 3_600_000


def test_a_month_in_which_the_clocks_change_has_an_hour_less() -> None:
    since, until = _span_asked("in March 2024", _NOW, _BERLIN)
    assert since is not None
    assert until is not None
    assert until - since == (31 * 24 - 1) * 3_600_000


@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("this week", "2024-05-12", "2024-05-19"),
        ("last week", "2024-05-05", "2024-05-12"),
        ("Sunday of last week", "2024-05-05", "2024-05-06"),
        ("Saturday of this week", "2024-05-18", "2024-05-19"),
    ],
)
def test_weeks_may_begin_on_sunday(question: str, since: str, until: str) -> None:
    (period,) = times_asked(question, _NOW, _BERLIN, mentions, week_start=SUNDAY).periods
    for moment, day in ((period.since, since), (period.until, until)):
        assert _day(moment) == datetime.fromisoformat(day).replace(tzinfo=_BERLIN).isoformat()


def test_several_times_are_several_periods() -> None:
    times = times_asked("Did I spend more this month than last month?", _NOW, _BERLIN, mentions)
    assert [one.words for one in times.periods] == ["this month", "last month"]


@pytest.mark.parametrize("name", ["Europe/Nowhere", "", "../../etc/passwd", "/etc/passwd", "a" * 300, "x\0y"])
def test_an_unknown_zone_is_refused_by_name(name: str) -> None:
    with pytest.raises(InvalidConfig, match="no time zone"):
        zone_named(name)


_SAMPLE = (
    "last next this past 30 31 0 99 9999 1 feb february march may monday friday week weeks month year quarter days ago "
    "since until between and to from before after on the 3rd 29th q4 2023 2023-02-30 2024-w53 of first second half - , "
    "yesterday tomorrow weekend hours couple night 0000-00-00 99.99.9999 12/12/9999 İ ß"
)
_WORDS = _SAMPLE.split()


@given(words=st.lists(st.sampled_from(_WORDS), max_size=12), now=st.integers(0, MAX_MS))
def test_no_question_is_an_exception(words: list[str], now: int) -> None:
    for zone in (UTC, ZoneInfo("Pacific/Kiritimati"), ZoneInfo("America/Los_Angeles")):
        for period in times_asked(" ".join(words), now, zone, mentions).periods:
            assert period.since is None or period.until is None or period.since < period.until


@given(st.text(max_size=200))
def test_no_text_is_an_exception(text: str) -> None:
    times_asked(text, _NOW, _BERLIN, mentions)
