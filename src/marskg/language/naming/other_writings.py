"""What is very likely an identifier that somebody asked for, written otherwise: for a person to be shown.

Guarantees: pure functions; nothing here says that a text *has* a name (:mod:`marskg.language.naming.matcher` does). An
address with a tag, a handle without its sign, a telephone number with its country, a number filled up with zeros, a
path with the other slashes, letters and digits in other or no groups (but for what divides two digits), a title in
full, a bank's code with or without that of its head office (ISO 9362), and a date in its other writings, where these
can be no other date. What is asked for with more than the text has, such as a tag or a country,
is not likely: it may be another's.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final

from marskg.kept_texts import keeping_texts
from marskg.language.naming.numbers import abroad, number_of
from marskg.language.naming.spellings import name_form
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_START: Final = r"(?<![\w@+\\/.-])"
_END: Final = r"(?![\w@+\\/-]|\.\w)"
_ADDRESS: Final = late_regex(r"([^\s@+]+)@([^\s@]+)")
#: A handle that is no word: those who are called so may be many.
_HANDLE: Final = late_regex(r"@((?=[^\s@]*[\d_.-])[^\s@]+)")
_DIGITS: Final = late_regex(r"[1-9]\d{2,5}", re.ASCII)
_BANK: Final = late_regex(r"([A-Z]{6}[A-Z0-9]{2})(XXX)?")
_ISO: Final = late_regex(r"(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-2]\d|3[01])", re.ASCII)
_AMERICAN: Final = late_regex(r"(?P<month>0?[1-9]|1[0-2])/(?P<day>1[3-9]|2\d|3[01])/(?P<year>\d{4})", re.ASCII)
_GERMAN: Final = late_regex(r"(?P<day>[0-2]?\d|3[01])\.(?P<month>0?[1-9]|1[0-2])\.(?P<year>\d{4})", re.ASCII)
_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
#: Days from which on a number can be no month.
_NO_MONTH: Final = 13
_TITLES: Final = {
    **dict.fromkeys(("dr", "doctor"), r"(?:dr\.?|doctor)"),
    **dict.fromkeys(("prof", "professor"), r"(?:prof\.?|professor)"),
}
_TITLED: Final = late_regex(r"\A(dr|doctor|prof|professor)\.? ")
#: An address of hardware: IEEE 802.
_HARDWARE: Final = late_regex(r"[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5,7}", re.ASCII)
#: A plate, a ticket, a host: groups with letters and digits.
_GROUPED: Final = late_regex(r"(?=.*\d)(?=.*[a-z])(?=.{5})[a-z0-9]+(?:[-_ ][a-z0-9]+)*", re.ASCII)
_BETWEEN_DIGITS: Final = late_regex(r"(?<=\d)[-_ ](?=\d)")
#: A shortened identifier: of one group with letters and digits, and what it goes on with.
_SHORT: Final = late_regex(r"(?=.*\d)(?=.*[a-z])[a-z0-9]{5,}", re.ASCII)
_GOES_ON: Final = r"(?:[-._:]\w+)+"


def without_title(name: str) -> str:
    """Return a name without the title that it begins with."""
    return _TITLED.sub("", name_form(name), count=1)


@keeping_texts(256)
def written_otherwise(name: str) -> re.Pattern[str] | None:
    """Return what finds the other writings of an identifier in a :func:`name_form`; None where it has none."""
    form = name_form(name).strip()
    for writings in _SORTS:
        found = list(writings(name, form))
        if found:
            return re.compile("|".join(found))
    return None


def may_begin(name: str) -> bool:
    """Return whether ``name`` may be a shortened identifier, such as the first group of a token."""
    return _SHORT.fullmatch(name_form(name).strip()) is not None


def begun_by(name: str, text: str) -> frozenset[str]:
    """Return the longer identifiers of ``text`` that ``name`` begins, as they are compared."""
    return frozenset(re.findall(rf"{_START}{re.escape(name_form(name).strip())}{_GOES_ON}", name_form(text)))


def _tagged(_name: str, form: str) -> Iterator[str]:
    if address := _ADDRESS.fullmatch(form):
        person, host = map(re.escape, address.groups())
        yield rf"{_START}{person}\+[^\s@]+@{host}{_END}"


def _handles(_name: str, form: str) -> Iterator[str]:
    if handle := _HANDLE.fullmatch(form):
        yield _whole(handle[1])


def _dated(_name: str, form: str) -> Iterator[str]:
    date = _ISO.fullmatch(form) or _AMERICAN.fullmatch(form) or _GERMAN.fullmatch(form)
    if date:
        yield from map(_whole, _dates(int(date["year"]), int(date["month"]), int(date["day"])))


def _numbers(_name: str, form: str) -> Iterator[str]:
    number = number_of(form)
    if number.isdigit():
        yield abroad(number)
    elif _DIGITS.fullmatch(form):
        yield rf"(?<![.,:#])(?<!\d ){_START}0+{form}(?![,:]\d){_END}"


def _paths(_name: str, form: str) -> Iterator[str]:
    if re.search(r"\w[/\\]\w", form):
        yield r"(?<![\w@+.-])" + r"[/\\]{1,2}".join(map(re.escape, re.split(r"[/\\]+", form))) + _END


def _titled(_name: str, form: str) -> Iterator[str]:
    if title := _TITLED.match(form):
        yield rf"(?<!\w){_TITLES[title[1]]} {re.escape(form[title.end() :])}(?![\w-])"


def _grouped(_name: str, form: str) -> Iterator[str]:
    if _HARDWARE.fullmatch(form):
        yield _START + "[:-]?".join(re.split("[:-]", form)) + _END
    elif _GROUPED.fullmatch(form):
        yield _START + _otherwise_grouped(form) + _END


def _banks(name: str, _form: str) -> Iterator[str]:
    if bank := _BANK.fullmatch(name):
        yield _whole(name_form(bank[1] + ("" if bank[2] else "xxx")))


_SORTS: Final = (_tagged, _handles, _dated, _numbers, _paths, _titled, _grouped, _banks)


def _otherwise_grouped(form: str) -> str:
    """Return the pattern of letters and digits in groups, without what divides them or with it."""
    may = "[-_ ]?" if " " in form else "[-_]?"
    kept = _BETWEEN_DIGITS.sub(lambda found: f"\\{found[0]}", form)
    return re.sub(r"(?<!\\)[-_ ]|(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])", may, kept)


def _dates(year: int, month: int, day: int) -> Iterator[str]:
    """Yield the writings that can be no other date."""
    yield f"{year}-{month:02}-{day:02}"
    yield from {f"{day}.{month}.{year}", f"{day:02}.{month:02}.{year}"}
    if day >= _NO_MONTH:
        yield from {f"{one}/{day}/{year}" for one in (month, f"{month:02}")}
        yield from {f"{day}/{one}/{year}" for one in (month, f"{month:02}")}
    word = _MONTHS[month - 1]
    yield from chain.from_iterable((f"{one} {day}, {year}", f"{day} {one} {year}") for one in {word, word[:3]})


def _whole(form: str) -> str:
    return f"{_START}{re.escape(form)}{_END}"
