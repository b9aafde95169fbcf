"""The one line in which a complete reading stands beside the hits.

Guarantees: everything that it counts and adds up is complete, whatever is shown; what it shows is within a number of
tokens, and it says what that cut. Amounts are exact decimals, units and currencies are never mixed. Keys and units are
shown as letters, digits and a few signs, contents in quotation marks that they cannot hold, so that nothing remembered
can pass for a part of the line. Days are those of the reader's time zone.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Final

from marskg.language.questions import Wanted
from marskg.language.times import Period, Unit, unit_of
from marskg.late_regex import late_regex
from marskg.ontology.mapping import decimal_lexical
from marskg.ontology.vocabulary import Kind, SourceType
from marskg.retrieval.assembly.hits import Complete, Sum
from marskg.retrieval.assembly.rendering import one_line, origin
from marskg.retrieval.complete.exhaustive_read import added, amount_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from decimal import Decimal

    from marskg.language.questions import Question
    from marskg.records import Memory
    from marskg.weight import TokenCounter

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UNSAFE: Final = late_regex(r"[^\w./@ -]+")
_NO_UNIT: Final = late_regex(r"[^\w%€$£¥°/ ²³-]+")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONEY: Final = frozenset({"euro", "euros", "dollar", "dollars", "pound", "pounds", "franc", "francs", "yen", "bucks"})
_LONGEST_KEY: Final = 60
_LONGEST_UNIT: Final = 16
_LONGEST_CONTENT: Final = 240
_MOST_KEYS: Final = 8
_MOST_SPANS: Final = 12
#: Share of a budget that the line may take.
SHARE: Final = 0.4
#: How a goal names the time that it is for.
_GOAL_TIME: Final = late_regex(
    r"\b(?:(?:a|an|per|each|every|this) (day|week|month|quarter|year)|(daily|weekly|monthly|yearly))\b"
)
_ADVERBS: Final = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}


@dataclass(frozen=True, slots=True)
class Material:
    """What a line is made of: the memories of a family by valid time, the goals, the keys and the names of all."""

    memories: Sequence[Memory]
    goals: Sequence[Memory]
    keys: tuple[str, ...]
    names: tuple[str, ...]
    money: bool


def together(parts: Sequence[Material]) -> Material | None:
    """Return what several tenants have for one question, None where none has anything."""
    if not parts:
        return None
    memories = sorted((one for part in parts for one in part.memories), key=lambda one: (one.valid_from, one.sequence))
    return Material(
        memories,
        [goal for part in parts for goal in part.goals],
        tuple(dict.fromkeys(key for part in parts for key in part.keys)),
        tuple(dict.fromkeys(name for part in parts for name in part.names)),
        any(part.money for part in parts),
    )


class Line:
    """Writes the line of one question."""

    def __init__(self, question: Question, counter: TokenCounter, limit: int) -> None:
        """Write at most ``limit`` tokens, counted by ``counter``."""
        self._question = question
        self._zone = question.zone
        self._counter = counter
        self._limit = limit

    def of(self, material: Material) -> Complete | None:
        """Return the line of ``material``, None where not even its head fits, or nothing can be added up."""
        wanted = self._question.asked.wanted
        added = wanted in {Wanted.SUM, Wanted.COMPARE}
        memories = [one for one in material.memories if not (material.money and not _is_money(one))]
        sums = _totals(memories) if added else []
        if added and memories and not any(one.count for one in sums):
            return None
        if material.money and not memories:
            return None
        head = f"{self._scope(material)}: {self._body(memories, material.goals, sums)}"
        divided = added and self._unit_asked(material.goals) is not None
        items = [] if divided else self._entries(memories) if added else self._items(memories)
        text, cut = self._filled(head, items)
        if text is None:
            return None
        ids = tuple(one.id for one in (*memories, *material.goals))
        return Complete(wanted, text, material.keys, self._question.times.periods, len(memories), tuple(sums), ids, cut)

    def _scope(self, material: Material) -> str:
        """Return what is counted or added up: keys, names, times."""
        keys = material.keys
        shown = ", ".join(_key(key) for key in keys[:_MOST_KEYS])
        more = f" and {len(keys) - _MOST_KEYS} more keys" if len(keys) > _MOST_KEYS else ""
        names = f", mentioning {' and '.join(_key(name) for name in material.names)}" if material.names else ""
        periods = " and ".join(self._period(one) for one in self._question.times.periods)
        return f"{shown or 'tasks'}{more}{names}{', ' if periods else ''}{periods}"

    def _body(self, memories: Sequence[Memory], goals: Sequence[Memory], sums: Sequence[Sum]) -> str:
        """Return what holds of all: how many there are, and what they add up to."""
        if not memories:
            parts = ["none"]
        elif not sums:
            parts = [f"{len(memories)} in all"]
        else:
            parts = [f"total {_amounts(sums)}, {len(memories)} in all"]
            lacking = sum(one.payload.get("amount") is None for one in memories)
            parts += [f"{lacking} of them without an amount"] if lacking else []
            own = _by_key(memories)
            if len(own) > 1:
                parts.append(", ".join(f"{_key(key)} {_amounts(_totals(own[key]))}" for key in own))
            if len(self._question.times.periods) > 1:
                parts += [
                    f"{self._period(one)} {self._amounts_in(memories, one)}" for one in self._question.times.periods
                ]
        parts += _others(memories)
        parts += [f"goal {_quoted(one)} (since {self._day(one.valid_from)})" for one in goals]
        unit = self._unit_asked(goals)
        return "; ".join([*parts, self._by(memories, unit)] if unit is not None and sums else parts)

    def _unit_asked(self, goals: Sequence[Memory]) -> Unit | None:
        """Return the unit by which the sum is divided: the question's, or that of a goal."""
        return self._question.asked.by or next((unit for one in goals if (unit := _goal_unit(one)) is not None), None)

    def _by(self, memories: Sequence[Memory], unit: Unit) -> str:
        """Return the totals of each calendar unit, the latest first, and the mean of those that have entries."""
        held: dict[int, list[Memory]] = defaultdict(list)
        for one in memories:
            held[
                self._midnight(unit_of(one.valid_from, unit, self._zone, self._question.week_start)[0].toordinal())
            ].append(one)
        latest = sorted(held, reverse=True)
        shown = [f"{self._day(start)} {_amounts(_totals(held[start]))}" for start in latest[:_MOST_SPANS]]
        if len(latest) > _MOST_SPANS:
            shown.append(f"{len(latest) - _MOST_SPANS} more cut")
        totals = _totals(memories)
        mean = ""
        if len(totals) == 1 and len(held) > 1:
            mean = f", mean {_amount(round(totals[0].total / len(held), 2), totals[0].unit)}"
        return f"by {unit} ({len(held)}{mean}), from {', '.join(shown)}"

    def _midnight(self, day: int) -> int:
        """Return when a day begins in the reader's zone, in epoch milliseconds."""
        start = datetime.fromordinal(day).replace(tzinfo=self._zone)
        return round((start - _EPOCH) / timedelta(milliseconds=1))

    def _amounts_in(self, memories: Iterable[Memory], period: Period) -> str:
        return _amounts(_totals(one for one in memories if _lies(one.valid_from, period))) or "nothing"

    def _entries(self, memories: Sequence[Memory]) -> list[str]:
        """Return the entries of a sum, the latest first, by day and amount."""
        return [f"{self._day(one.valid_from)} {_amounts(_totals([one])) or _quoted(one)}" for one in reversed(memories)]

    def _items(self, memories: Sequence[Memory]) -> list[str]:
        """Return the members of a list, or what tells a time, the latest first."""
        if self._question.asked.wanted is not Wanted.WHEN:
            return [f"{_quoted(one)}{self._due(one)}" for one in reversed(memories)]
        return [f"{self._day(one.valid_from)} {_quoted(one)}{self._due(one)}" for one in reversed(memories)]

    def _due(self, one: Memory) -> str:
        return "" if one.kind is not Kind.TASK or one.deadline is None else f" due {self._day(one.deadline)}"

    def _filled(self, head: str, items: Sequence[str]) -> tuple[str | None, int]:
        """Return the head with as many items as the limit takes, None if not even it fits, and how many are cut."""
        low, high = -1, min(len(items), self._limit)  # an item has a token at least
        while low < high:  # the longest line that fits
            half = (low + high + 1) // 2
            fits = self._counter.count(self._with(head, items, half) if items else head) <= self._limit
            low, high = (half, high) if fits else (low, half - 1)
        if low < 0:
            return None, len(items)
        return (self._with(head, items, low) if items else head), len(items) - low

    def _with(self, head: str, items: Sequence[str], shown: int) -> str:
        how = "all shown" if shown == len(items) else f"{shown} shown, the rest cut"
        return f"{head}; {how}{': ' if shown else ''}{'; '.join(items[:shown])}"

    def _period(self, period: Period) -> str:
        """Return a period in words, both its days included."""
        if period.since is not None and period.until is not None:
            first, last = self._day(period.since), self._day(period.until - 1)
            return first if first == last else f"{first} to {last}"
        if period.since is not None:
            return f"since {self._day(period.since)}"
        return "" if period.until is None else f"until {self._day(period.until - 1)}"

    def _day(self, moment: int) -> str:
        """Return the day of a moment, such as 15 Jun 2025."""
        day = _local(moment, self._zone)
        return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _local(moment: int, zone: tzinfo) -> datetime:
    try:
        return (_EPOCH + timedelta(milliseconds=moment)).astimezone(zone)
    except OverflowError:  # at an end of the calendar
        return _EPOCH + timedelta(milliseconds=moment)


def _lies(moment: int, period: Period) -> bool:
    return (period.since is None or moment >= period.since) and (period.until is None or moment < period.until)


def _totals(memories: Iterable[Memory]) -> list[Sum]:
    """Return the totals by unit; entries without an amount count in none."""
    totals: dict[str, list[Decimal]] = defaultdict(list)
    for one in memories:
        amount = amount_of(one)
        if amount is not None:
            totals[str(one.payload.get("unit") or "")].append(amount)
    return [Sum("*", unit, added(held), len(held)) for unit, held in sorted(totals.items())]


def _by_key(memories: Iterable[Memory]) -> dict[str, list[Memory]]:
    held: dict[str, list[Memory]] = defaultdict(list)
    for one in memories:
        held[str(one.key)].append(one)
    return dict(sorted(held.items()))


def _amounts(sums: Iterable[Sum]) -> str:
    return " + ".join(_amount(one.total, one.unit) for one in sums)


def _amount(value: Decimal, unit: str) -> str:
    """Return an amount with its unit: money with two digits after the point at least, if it has any."""
    number = decimal_lexical(value)
    if _is_currency(unit) and number[-2:-1] == ".":
        number += "0"
    return f"{number} {_unit(unit)}".rstrip()


def _is_money(one: Memory) -> bool:
    return _is_currency(str(one.payload.get("unit") or ""))


def _is_currency(unit: str) -> bool:
    """Return whether a unit is a currency: a sign, a code of three capitals, or its name."""
    code = len(unit) == 3 and unit.isupper() and unit.isalpha()  # noqa: PLR2004 - ISO 4217
    return code or unit.casefold() in _MONEY or any(unicodedata.category(sign) == "Sc" for sign in unit)


def _goal_unit(goal: Memory) -> Unit | None:
    """Return the time that a goal is for, None where it names none."""
    found = _GOAL_TIME.search((goal.content or "").casefold())
    return None if found is None else Unit(found[1] or _ADVERBS[found[2]])


def _key(key: str) -> str:
    return _UNSAFE.sub("_", key.removesuffix("*"))[:_LONGEST_KEY] + ("*" if key.endswith("/*") else "")


def _unit(unit: str) -> str:
    return _NO_UNIT.sub("_", unit)[:_LONGEST_UNIT]


def _others(memories: Iterable[Memory]) -> list[str]:
    """Return how many are not the user's own word, by what says them; nothing where all are."""
    said = Counter(one.source_type for one in memories)
    strange = [f"{origin(source)}{said[source]}" for source in SourceType if said[source] and origin(source)]
    return [f"not from the user ({', '.join(strange)})"] if strange else []


def _quoted(one: Memory) -> str:
    """Return the content in quotation marks, which it cannot close, after what says it where that is not the user."""
    text = one_line(one.content or "").translate(_INNER)
    cut = "…" if len(text) > _LONGEST_CONTENT else ""
    return f'{origin(one.source_type)}"{text[:_LONGEST_CONTENT]}{cut}"'


_INNER: Final = str.maketrans({'"': "'", "“": "'", "”": "'", "„": "'", "«": "'", "»": "'", "\uff02": "'"})
