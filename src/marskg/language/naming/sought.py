"""Looking for a name of which only a digest is known: what of it is digested, and which parts of a text may be it.

Guarantees: pure functions. Wherever :mod:`marskg.language.naming.matcher` finds a name in a text, the text's candidates
of the name's sort and length have its exact key; where it would call a text near by a spelling, an order or a
beginning, they have one of its likenesses. A candidate more costs a digest and decides nothing: the matcher judges what
was found. O(text) for each sort and length.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

from marskg.language.naming.edges import CASE, INFLECTED, LATIN, is_identifier
from marskg.language.naming.inflection import Endings, is_inflected, is_other, stem
from marskg.language.naming.kindred import Kindred, keys_of
from marskg.language.naming.matcher import PAIR, familiar_orders, orders, otherwise, shortened
from marskg.language.naming.numbers import AMERICAN, TRUNKS, at_home, is_dotted, number_of, without_trunk
from marskg.language.naming.spellings import (
    divides_nothing,
    loose_form,
    other_kana,
    seen_form,
    small_form,
    sought_form,
    told,
    undivided,
    unescaped,
    without_initials,
)
from marskg.language.naming.words import COMMON, SHORTENED
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Mapping

#: Sorts of keys: the name itself, a number in every grouping, an address of four numbers; and what may be the name: its
#: loose form or its parts in another order, itself with an ending, its two words around another, the stems of its
#: words, by how many it has, the keys of :mod:`marskg.language.naming.kindred`, its letters and digits alone, a number
#: with the other of its two beginnings.
NAME: Final = "name"
NUMBER: Final = "number"
ADDRESS: Final = "address"
LOOSE: Final = "loose"
STEM: Final = "stem"
CASES: Final = "cases"
PAIRED: Final = "paired"
AROUND: Final = "around"
ENDED: Final = "ended"
HOME: Final = "home"
ABROAD: Final = "abroad"
UNDIVIDED: Final = "undivided"
KINDRED: Final = "kindred"

_ADDRESS: Final = late_regex(r"[0-9]+(?:\.[0-9]+){3,}")
_TITLE: Final = late_regex(rf"(?<!\w)({SHORTENED})\. ")
_QUOTED: Final = late_regex(r'"([^\s@"]+)"@')
_TAG: Final = late_regex(r"\+\S*@")
_GROUP: Final = late_regex("[a-z0-9]+")
_SEPARATED: Final = late_regex(r"[\s\-./()]{1,3}")
_PLUS: Final = late_regex(r"\+[\s\-./()]{0,3}\Z")
#: Groups of letters that stand before the first digit of a number at most.
_BEFORE_DIGITS: Final = 8
#: A title that stands beside a letter of another script, where a name may begin.
_TITLE_BESIDE: Final = late_regex(rf"(?<![{LATIN}0-9])({SHORTENED})\. ")
_START: Final = late_regex(
    rf"(?=(?<![{LATIN}0-9])[{LATIN}]|(?<![{INFLECTED}])[{INFLECTED}]|(?<![^\W_])[0-9]|[^\s{LATIN}{INFLECTED}0-9])"
)
_END: Final = late_regex(
    rf"(?<!\s)(?:(?<![{LATIN}{INFLECTED}])|(?<=[{LATIN}])(?=[{LATIN}]{{0,{CASE}}}(?![{LATIN}]))"
    rf"|(?<=[{INFLECTED}])(?![{INFLECTED}]{{6}}))"
)
_LOOSE_START: Final = late_regex(r"(?<!\w)(?=\S)")
_BEFORE_CASE: Final = late_regex(rf"(?<=[a-z])(?=[a-z]{{1,{CASE}}}(?!\w))")
_LOOSE_END: Final = late_regex(r"(?!\w)")
#: Letters and digits that stand near each other.
_RUN: Final = late_regex(r"[^\W_]+(?:[\W_]{1,2}[^\W_]+)*")
#: Digits of a country at most, and the zero after them.
_COUNTRY: Final = late_regex(r"[0-9]{1,3}0?")


@dataclass(frozen=True, slots=True)
class Key:
    """What is digested: a sort, and the text in the form of that sort."""

    sort: str
    text: str

    @property
    def length(self) -> int:
        """Return how many signs the text has."""
        return len(self.text)

    @property
    def name(self) -> str:
        """Return a name of which it is the exact key."""
        if self.sort != NUMBER:
            return self.text
        if self.text[0] == "+":
            return f"00{self.text[1:]}"
        if self.text[:2] == "00":
            # Two zeros are the sign of a country, but not in groups of their own.
            return f"0-{self.text[1:]}"
        letters = self.text.rstrip("0123456789")
        # Letters and a few digits are a number where a dash is between them.
        return self.text if number_of(self.text) else f"{letters}-{self.text[len(letters) :]}"


def exact_key(name: str) -> Key:
    """Return the key of a name, the same for all spellings that are one."""
    form = sought_form(unescaped(name))
    if is_dotted(form):
        return Key(ADDRESS, _filled(form))
    number = number_of(form)
    return Key(NUMBER, number) if number else Key(NAME, _plainer(form))


def like_keys(name: str) -> tuple[Key, ...]:
    """Return the keys of what may be the name and is not surely it, sorted."""
    form = sought_form(unescaped(name))
    number = number_of(form)
    loose = loose_form(form)
    found = {*(_number_keys(number) if number else _name_keys(form))}
    found.update(Key(UNDIVIDED, one) for one in (undivided(loose), undivided(other_kana(loose))) if one)
    return tuple(sorted(found, key=lambda key: (key.sort, key.text)))


def _number_keys(number: str) -> Iterator[Key]:
    yield from (Key(HOME, rest) for rest in at_home(number))
    yield from (Key(ABROAD, rest) for rest in without_trunk(number))


def _name_keys(form: str) -> Iterator[Key]:
    loose = loose_form(form)
    words = loose.split()
    if not words:
        return
    yield from (Key(LOOSE, one) for one in (loose, *otherwise(form, loose)))
    yield from (Key(KINDRED, one) for one in keys_of(form))
    if is_inflected(loose) and form not in COMMON:
        for order in (*orders(words), *familiar_orders(words)):
            yield Key((CASES, PAIRED, STEM)[min(len(order) - 1, PAIR)], " ".join(map(stem, order)))
    if len(words) > 1 and not is_identifier(form):
        yield Key(ENDED, loose)
        yield from (Key(LOOSE, one) for one in shortened(words))
        if len(words) == PAIR:
            yield Key(AROUND, loose)


class Candidates:
    """What of one text may be a key, by sort and length; what all lengths share is worked out once."""

    def __init__(self, text: str) -> None:
        """Look at ``text``."""
        seen = seen_form(unescaped(text))
        self._kindred = Kindred(told(seen))
        self._text = small_form(seen)
        self._endings = Endings(seen)

    def of(self, sort: str, length: int) -> set[str]:
        """Return what may be a key of ``sort`` with ``length`` signs."""
        return set(self._FINDERS[sort](self, length))

    # --- Names

    @cached_property
    def _loose_text(self) -> str:
        return loose_form(self._text)

    @cached_property
    def _name_places(self) -> list[_Places]:
        plainer = _plainer(self._text)
        forms = dict.fromkeys((self._text, plainer, _TITLE_BESIDE.sub(r"\1 ", plainer)))
        return [_Places(one, _START, _END) for one in forms]

    @cached_property
    def _loose_places(self) -> list[_Places]:
        loose = self._loose_text
        tagged = _TAG.sub("@", loose) if "+" in loose and "@" in loose else loose
        forms = dict.fromkeys((loose, tagged, without_initials(loose)))
        return [_Places(one, _LOOSE_START, _LOOSE_END) for one in forms]

    @cached_property
    def _ended_places(self) -> _Places:
        return _Places(self._loose_text, _LOOSE_START, _BEFORE_CASE)

    def _names(self, length: int) -> Iterator[str]:
        return (one for places in self._name_places for one in places.windows(length))

    def _loose(self, length: int) -> Iterator[str]:
        return (one for places in self._loose_places for one in places.windows(length))

    def _ended(self, length: int) -> Iterator[str]:
        yield from self._ended_places.windows(length)

    def _stems(self, length: int) -> Iterator[str]:
        yield from self._endings.together(length)
        # Those of one word of rules that were set before, when there were none in Latin letters.
        yield from (one for one in self._endings.alone(length) if is_other(one))

    def _paired(self, length: int) -> Iterator[str]:
        """Yield what is left of two words that follow each other when each loses an ending."""
        return self._endings.pairs(length)

    def _cases(self, length: int) -> Iterator[str]:
        """Yield what is left of words when they lose an ending."""
        return self._endings.alone(length)

    def _around(self, length: int) -> Iterator[str]:
        """Yield the outer words of names that have another one inside."""
        return self._endings.without_middle(length)

    @cached_property
    def _runs(self) -> list[tuple[str, list[bool]]]:
        """Return letters and digits that stand near each other, and after which of them something else stands."""
        return [_undivided_run(found[0]) for found in _RUN.finditer(self._loose_text)]

    def _undivided(self, length: int) -> Iterator[str]:
        for signs, edges in self._runs:
            for start in range(len(signs) - length + 1):
                end = start + length
                begins = edges[start] or divides_nothing(signs[start])
                if begins and (edges[end] or divides_nothing(signs[end - 1])):
                    yield signs[start:end]

    def _kindreds(self, length: int) -> Iterator[str]:
        """Yield the keys of other writings of names."""
        return self._kindred.of(length)

    # --- Numbers

    @cached_property
    def _groups(self) -> _Groups:
        return _Groups(self._text)

    def _addresses(self, _length: int) -> Iterator[str]:
        for found in _ADDRESS.finditer(self._text):
            parts = found[0].split(".")
            yield from (_filled(".".join(parts[place : place + 4])) for place in range(len(parts) - 3))

    def _numbers(self, length: int) -> Iterator[str]:
        """Yield the numbers of ``length`` signs, also those that begin with the sign of a country."""
        for signs, abroad in self._groups.runs(length + 1):
            if len(signs) == length:
                yield signs
            if abroad and len(signs) == length - 1:
                yield f"+{signs}"
            if signs.startswith("00") and len(signs) == length + 1:
                yield f"+{signs[2:]}"

    def _at_home(self, length: int) -> Iterator[str]:
        """Yield the numbers of ``length`` digits, with what a country has before its own or without it."""
        for signs, _ in self._groups.runs(length + 1):
            if len(signs) == length:
                yield signs
            elif len(signs) == length + 1 and signs[0] in TRUNKS:
                yield signs[1:]

    def _abroad(self, length: int) -> Iterator[str]:
        """Yield the ends of ``length`` digits of numbers with a country before them."""
        for signs, sign in self._groups.runs(length + 6):
            american = len(signs) == AMERICAN and signs[0] == "1"
            number = signs if sign or american else signs[2:] if signs.startswith("00") else ""
            if _COUNTRY.fullmatch(number[:-length] if len(number) > length else ""):
                yield number[-length:]

    _FINDERS: ClassVar[Mapping[str, Callable[[Candidates, int], Iterator[str]]]] = {
        NAME: _names,
        NUMBER: _numbers,
        ADDRESS: _addresses,
        LOOSE: _loose,
        STEM: _stems,
        CASES: _cases,
        PAIRED: _paired,
        AROUND: _around,
        HOME: _at_home,
        ENDED: _ended,
        UNDIVIDED: _undivided,
        KINDRED: _kindreds,
        ABROAD: _abroad,
    }


class _Places:
    """Where in a text a name may begin, and where it may end."""

    def __init__(self, text: str, start: re.Pattern[str], end: re.Pattern[str]) -> None:
        self._text = text
        self._starts = [found.start() for found in start.finditer(text)]
        self._ends = bytearray(len(text) + 1)
        for found in end.finditer(text):
            self._ends[found.start()] = 1

    def windows(self, length: int) -> Iterator[str]:
        text, ends = self._text, self._ends
        known = self._starts[: bisect_right(self._starts, len(text) - length)]
        return (text[start : start + length] for start in known if ends[start + length])


class _Groups:
    """Letters and digits of a text between other signs, as numbers are made of them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._groups = [(*found.span(), any(map(str.isdigit, found[0]))) for found in _GROUP.finditer(text)]
        digits = [place for place, (_, _, digit) in enumerate(self._groups) if digit]
        self._leading = sorted({max(0, place - back) for place in digits for back in range(_BEFORE_DIGITS)})

    def runs(self, longest: int) -> Iterator[tuple[str, bool]]:
        """Yield what may be a number of ``longest`` signs at most, as one; and whether a plus is before it."""
        for place in self._leading:
            yield from self._runs_from(place, longest)

    def _runs_from(self, place: int, longest: int) -> Iterator[tuple[str, bool]]:
        start = self._groups[place][0]
        abroad = _PLUS.search(self._text, max(0, start - 4), start) is not None
        signs, stop, there = "", start, False
        for following in range(place, len(self._groups)):
            first, last, digit = self._groups[following]
            if signs and not _SEPARATED.fullmatch(self._text, stop, first):
                return
            signs, stop, there = signs + self._text[first:last], last, there or digit
            if len(signs) > longest:
                return
            if there:
                yield signs, abroad


def _plainer(form: str) -> str:
    """Return a form without what a spelling may leave out: the stop of a title, the quotes of an address."""
    return _QUOTED.sub(r"\1@", _TITLE.sub(r"\1 ", form))


def _filled(address: str) -> str:
    return ".".join(number.lstrip("0") or "0" for number in address.split("."))


def _undivided_run(run: str) -> tuple[str, list[bool]]:
    signs, edges, divided = [], [], True
    for sign in run:
        if sign.isalnum():
            signs.append(sign)
            edges.append(divided)
        divided = not sign.isalnum()
    return "".join(signs), [*edges, True]
