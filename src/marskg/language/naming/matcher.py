"""Whom a name means: the one matcher for erasing, blacklists, private entities, preferences and filters.

Guarantees: a text *has* a name where one of its spellings stands with both edges open
(:mod:`marskg.language.naming.edges`), or a number of seven digits or more in any grouping. What may be the name and is
not surely it, by an edge, by a spelling, by the order of its parts, or as a word of the language, is *near*: nobody
takes it, and a person is told. What is surely another name is a *namesake*. A spelling of which nothing is seen is
none: it would be found everywhere. Source: semantics section 5.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import Flag, auto
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Final

from marskg.kept_texts import keeping_texts
from marskg.language.naming.edges import ATTACHED, CASE, CASED, OPEN, Edge, Verdict, edges, is_identifier, script
from marskg.language.naming.familiar import familiar_to
from marskg.language.naming.inflection import Endings, beginning, cases, is_indic, is_inflected, is_other, loses, stem
from marskg.language.naming.kindred import REASON as KINDRED
from marskg.language.naming.kindred import Keys, keys_of, kindred_of
from marskg.language.naming.neighbours import (
    as_written,
    begins,
    has_capitals,
    is_common,
    is_in_longer,
    is_of_another,
    is_ordinary,
    is_small,
)
from marskg.language.naming.numbers import GROUPED, abroad, dotted_pattern, is_dotted, number_edges, number_of, spread
from marskg.language.naming.other_scripts import script_keys
from marskg.language.naming.spellings import (
    cased_form,
    divides_nothing,
    is_letter,
    loose_form,
    name_form,
    other_kana,
    seen_form,
    sought_form,
    undivided,
    unescaped,
    without_initials,
)
from marskg.language.naming.told_apart import is_told_apart, may_be_a_thing
from marskg.language.naming.words import (
    ADDRESSED,
    AFTER_PEOPLE,
    AFTER_TIMES,
    ARTICLES,
    BEFORE_TIMES,
    COMMON,
    CURRENCIES,
    NOTIONS,
    SHORTENED,
    SMALL,
    SMALL_ABROAD,
    TIMES,
    UNCASED,
)
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

#: Between two words of a name; a nickname may stand there.
_BLANK: Final = r"\ (?:[(\"][^\W\d_]+[)\"]\ )?"
COMMON_WORD: Final = "also a word of the language"
FIRST_WORD: Final = "also a word of the language, and the first of a sentence"
SPELLED: Final = "spelled otherwise"
LONGER_NAME: Final = "about somebody whose name has it as a part"
ORDER: Final = "its parts in another order, or shortened"
INSIDE: Final = "inside another's longer name"
BESIDE: Final = "may be part of a longer name"
OF_THINGS: Final = "stands as the name of a place or a thing does"
IN_SMALL: Final = "in small letters, where the name has a capital"
_TAG: Final = late_regex(r"\+[^@]*@")
_ADDRESS = late_regex(r"[^\s@]+@[^\s@]+")
#: A title or an initial, as it stands escaped.
_TITLE = late_regex(rf"(?<!\w)({SHORTENED})(?:\\\.)?\\ ")
#: Words of a name that may have another one between them.
PAIR: Final = 2
#: Signs beside a name by which longer names of others are looked up.
_BESIDE: Final = 3
#: Letters of an article at most, with the blank and what is before it.
_LONGEST_ARTICLE: Final = 8
#: What stands before a name or after it, in the loose form, and may be left out.
_DEGREE: Final = late_regex(r"\A(?:dr|prof|mr|mrs|ms|sir|capt|st)\ (?=\w{3})|\ (?:jr|sr|ii|iii|iv|phd|md|esq)\Z")
#: What begins family names, and may stand apart: MacDonald, Alsayed, Vandenberg.
_PREFIX: Final = late_regex(r"(mac|mc|al|el|van|von|de|fitz)([^\W\d_]{4,})")
#: Forms of one name of which it is worth while to look first for what they share.
_FEW_FORMS: Final = 3
#: Letters of a text at most that many memories have, as a tag, so that what it has of a name is kept.
_SHORT: Final = 48
_AMOUNT: Final = late_regex(r"\d \Z")
_START: Final = r"(?<![^\W_])"
_END: Final = r"(?![^\W_])"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text has of a name: the verdict, and the reason where it is near or a namesake.

    ``names`` are the spellings that it has, as they are compared.
    """

    verdict: Verdict = Verdict.NONE
    reason: str = ""
    names: frozenset[str] = frozenset()

    def or_(self, other: Reading) -> Reading:
        """Return the stronger of two, with the names of both."""
        best = self if self.verdict.value >= other.verdict.value else other
        return Reading(best.verdict, best.reason, self.names | other.names)


NOTHING: Final = Reading()


class _Said:
    """A text, and the forms in which names are sought in it."""

    def __init__(self, text: str) -> None:
        self.text = unescaped(text)
        self.compared = name_form(self.text)

    @cached_property
    def loose(self) -> str:
        """Return the loose form of the text."""
        return loose_form(self.compared)

    @cached_property
    def signs(self) -> frozenset[str]:
        """Return the signs of the loose form."""
        return frozenset(self.loose)


@keeping_texts(4)
def _said(text: str) -> _Said:
    """Return the forms of a text, made once for several names."""
    return _Said(text)


class NameMatcher:
    """Finds the spellings of one name in texts and among names."""

    def __init__(self, forms: Iterable[str], others: Iterable[str] = (), *, person: bool = False) -> None:
        """Find any of ``forms``; one that stands inside one of ``others``, longer names of others, is a namesake.

        Of a ``person`` what stands as names of places and things do is near.

        Where it stands by itself in the same text as well, the text has it. What ``others`` have that holds none of
        the forms is passed over: a name of no bearing costs nothing.
        """
        given: dict[str, _Capitals] = {}
        for form in forms:
            sought = sought_form(unescaped(form))
            given[sought] = given.get(sought, _ALL) & _Capitals.of(form)
        given.pop("", None)
        longer = {sought_form(unescaped(other)) for other in others} - {"", *given}
        found = sorted(given, key=lambda form: (-len(form), form))
        self._forms = tuple(_Form(form, longer, capitals=given[form], person=person) for form in found)
        self._elsewhere = tuple(form for form in self._forms if form.is_written_otherwise)
        self._shared = _shared_signs(self._forms) if len(self._forms) > _FEW_FORMS else frozenset()

    def is_one(self, name: str) -> bool:
        """Return whether ``name`` as a whole is one of the spellings."""
        return self.compare(name).verdict is Verdict.IS

    def compare(self, name: str) -> Reading:
        """Return what ``name`` is as a whole: one of the spellings, or near one that it is like or has in it.

        Signs around a spelling, such as quotes, make no other name of it.
        """
        name = unescaped(name)
        whole = name_form(name)
        for form in self._forms:
            if form.equals(whole) or form.fills(whole):
                return Reading(Verdict.IS, names=frozenset({form.form}))
        found = self.read(name)
        return Reading(Verdict.NEAR, LONGER_NAME) if found.verdict is Verdict.IS else found

    def judge(self, names: Iterable[str], texts: Iterable[str]) -> Reading:
        """Return the strongest of what ``names``, each as a whole, and ``texts`` have of the name."""
        found = NOTHING
        for name in names:
            found = found.or_(self.compare(name))
        for text in texts:
            reading = self.read(text)
            found = found if reading.verdict is Verdict.NONE else found.or_(reading)
        return found

    def read(self, text: str) -> Reading:
        """Return what ``text`` has of the name."""
        return self._kept(text) if len(text) <= _SHORT else self._read(text)

    @keeping_texts(256)
    def _kept(self, text: str) -> Reading:
        return self._read(text)

    def _read(self, text: str) -> Reading:
        said = _said(text)
        if self._shared and self._shared.isdisjoint(said.loose):
            return self._otherwise(said, NOTHING)
        found, unseen = NOTHING, []
        for form in self._forms:
            reading = form.read(said.compared, said.text)
            if reading.verdict is Verdict.NONE:
                unseen.append(form)
            else:
                found = found.or_(reading)
        if found.verdict is not Verdict.NONE and found.verdict is not Verdict.OTHER:
            return found
        for form in unseen:
            reason = form.near(said) if form.may_be_of(said) else ""
            if reason:
                return Reading(Verdict.NEAR, reason)
        return self._otherwise(said, found)

    def _otherwise(self, said: _Said, found: Reading) -> Reading:
        """Return that the name may be in a text in another script, or else what was ``found``."""
        for form in self._elsewhere:
            if form.is_otherwise_in(said):
                return Reading(Verdict.NEAR, KINDRED).or_(found)
        return found


class _Capitals(Flag):
    """Where a name has capitals as it was given: anywhere, and in its last word."""

    ANY = auto()
    LAST = auto()

    @classmethod
    def of(cls, name: str) -> _Capitals:
        """Return where ``name`` has them."""
        last = name.split()[-1:] or [""]
        found = cls.ANY if name != name.lower() else cls(0)
        return found | cls.LAST if last[0] != last[0].lower() else found


_ALL: Final = _Capitals.ANY | _Capitals.LAST
_NONE: Final = _Capitals(0)


class _Form:
    """One spelling, with the patterns that it is sought by."""

    def __init__(
        self, form: str, others: Collection[str] = (), *, capitals: _Capitals = _NONE, person: bool = False
    ) -> None:
        self.form = form
        self._is_whole_person = person and " " in form
        capital = self._capital = _Capitals.ANY in capitals
        self._last_capital = _Capitals.LAST in capitals
        #: Longer names by the signs that stand in them before this one and after it, "" where nothing does.
        self._around: dict[tuple[str, str], list[tuple[int, str]]] = {}
        for place, other in _places_in(form, others):
            end = place + len(form)
            beside = (other[max(0, place - _BESIDE) : place], other[end : end + _BESIDE])
            self._around.setdefault(beside, []).append((place, other))
        self.loose = loose_form(form)
        # A name without blanks, of a script that needs none, is like no text that has not all of its signs.
        # But of a firm's, which has its legal form too.
        unspaced = (
            bool(self.loose)
            and all(map(divides_nothing, self.loose))
            and not keys_of(form) - script_keys(form) - {f"|{form}"}
        )
        self.signs = tuple(map(frozenset, filter(None, (self.loose, other_kana(self.loose))))) if unspaced else ()
        self._number = number_of(form)
        self._pattern = None if self._number else re.compile(_escaped(form))
        # What every occurrence has; a title, an initial and the numbers of an address may be written otherwise.
        self._must = "" if self._number or is_dotted(form) else max(re.split("[. @]", form), key=len)
        self._digits = re.compile(spread(self._number)) if self._number else None
        self._abroad = re.compile(abroad(self._number)) if self._number else None
        self._is_word = form.isalpha() or form in UNCASED
        self._is_named = self._number == "" and not is_identifier(form)
        # One that is given in small letters is sought as the word that it is.
        self._common, self._small = form in COMMON or (capital and is_common(form)), form in SMALL
        self._abroad_first = form in SMALL_ABROAD
        self._keys = Keys(form)
        self.is_written_otherwise = bool(self._keys.written)
        words = self.loose.split() if is_inflected(self.loose) else []
        # With a familiar form of the first word, in a case: a text without the beginning of the last has none of them.
        self._familiar = tuple(_inflected(familiar_orders(words))) if self._is_named else ()
        self._family = beginning(words[-1])[0] if words else ""
        self._likes = tuple(_likes(form, self.loose)) if not self._number else tuple(_divided(self.loose))

    def equals(self, whole: str) -> bool:
        """Return whether a whole name is this one."""
        if self._number:
            return number_of(whole) == self._number
        return whole == self.form or (self._pattern is not None and self._pattern.fullmatch(whole) is not None)

    def fills(self, whole: str) -> bool:
        """Return whether nothing but signs stands around this one in a whole name."""
        return any(
            edge is OPEN and not any(map(is_letter, whole[:start] + whole[end:]))
            for start, end, edge in self._occurrences(whole)
        )

    def read(self, compared: str, text: str) -> Reading:
        """Return what stands in a text, in the form in which names are compared; ``text`` is it as it was given."""
        found = NOTHING
        for start, end, edge in self._occurrences(compared):
            if self._around and self._is_inside(compared, start, end):
                found = found.or_(Reading(Verdict.OTHER, INSIDE))
                continue
            reason = self._why_not(compared, text, start, end) if edge is OPEN else ""
            if reason:
                edge = Edge(Verdict.NEAR, reason)  # noqa: PLW2901 - the edge with what the words say
            if edge is CASED and (self._common or not _is_ended(compared, text, start, end)):
                continue
            if edge.verdict is Verdict.IS:
                return Reading(Verdict.IS, names=frozenset({self.form}))
            found = found.or_(Reading(edge.verdict, edge.reason))
        return found

    def _is_inside(self, compared: str, start: int, end: int) -> bool:
        """Return whether what stands at ``[start, end)`` is a part of a longer name of another."""
        before, after = compared[max(0, start - _BESIDE) : start], compared[end : end + _BESIDE]
        befores = [before[len(before) - size :] for size in range(len(before) + 1)]
        afters = [after[:size] for size in range(len(after) + 1)]
        return any(
            compared.startswith(other, start - place) and _is_whole(compared, start - place, start - place + len(other))
            for beside in product(befores, afters)
            for place, other in self._around.get(beside, ())
            if place <= start
        )

    def _why_not(self, compared: str, text: str, start: int, end: int) -> str:
        """Return why an occurrence may be a word of the language or a part of another name, "" where nothing does."""
        written = as_written(compared, text)
        if self._is_word:
            reason = self._why_word(compared, written, start, end)
            if reason:
                return reason
        if not self._is_named:
            return ""
        if self._capital and not self._is_word and (reason := self._why_small(compared, written, start, end)):
            return reason
        if is_in_longer(compared, written, start, end):
            return BESIDE
        if self._is_whole_person and may_be_a_thing(compared, written, start, end):
            return OF_THINGS
        return BESIDE if is_told_apart(compared, written, text, start, end) else ""

    def _why_small(self, compared: str, written: str, start: int, end: int) -> str:
        """Return why a name of several words may be none in the small letters that it was not given in; else "".

        Where nothing in a text has a capital that says little; then a name of which all words are others' too does not
        surely stand there.
        """
        if not is_small(compared, written, start, end):
            last = compared.rfind(" ", start, end) + 1
            return IN_SMALL if self._last_capital and last > start and is_small(compared, written, last, end) else ""
        if all(map(_is_a_word, self.form.split())):
            return COMMON_WORD
        return IN_SMALL if has_capitals(compared, written) or _has_article(compared, start) else ""

    def _why_word(self, compared: str, written: str, start: int, end: int) -> str:
        small = is_small(compared, written, start, end)
        if self.form in CURRENCIES and _AMOUNT.search(compared, max(0, start - 2), start):
            return COMMON_WORD
        if self._common:
            # *The Bill passed*, *bought a Ford*: who is told of has no article.
            named = written[start:end] != compared[start:end] and not _has_article(compared, start)
            return _no_name(compared, written, start, end) if named else COMMON_WORD
        if self.form in UNCASED and not ADDRESSED.match(compared, end):
            return COMMON_WORD
        if self._abroad_first and not small and begins(written, start) and not AFTER_PEOPLE.match(compared, end):
            return FIRST_WORD
        if self._small and (small or _has_article(compared, start)):
            return COMMON_WORD
        if not small:
            return ""
        if self._capital and _has_article(compared, start):
            return COMMON_WORD
        return IN_SMALL if self._capital and has_capitals(compared, written) else ""

    def _occurrences(self, compared: str) -> Iterator[tuple[int, int, Edge]]:
        if self._digits is not None:
            for match in self._digits.finditer(compared):
                yield (*match.span(), number_edges(compared, *match.span()))
        elif self._pattern is not None and self._must in compared:
            for match in self._pattern.finditer(compared):
                yield (*match.span(), edges(compared, *match.span()))

    def may_be_of(self, said: _Said) -> bool:
        """Return whether a text with its signs, in the loose form, may be near; quick, and true of alphabets."""
        return not self.signs or any(kept <= said.signs for kept in self.signs)

    def near(self, said: _Said) -> str:
        """Return why a text that has not the name may have it, "" where it does not."""
        loose, text = said.loose, said.text
        if self._abroad is not None and self._abroad.search(said.compared):
            return GROUPED
        for like in self._likes:
            if like.least in loose and like.is_in(loose, text):
                return like.reason
        if self._family in loose and any(like.is_in(loose, text) for like in self._familiar):
            return ATTACHED
        if self._keys.may_be_in(loose) and kindred_of(text).has(self._keys):
            return KINDRED
        return ""

    def is_otherwise_in(self, said: _Said) -> bool:
        """Return whether a text may have the name in another script."""
        return self._keys.may_be_otherwise_in(said.loose) and kindred_of(said.text).has_otherwise(self._keys)


@dataclass(frozen=True)
class _Like:
    """A pattern of what may be the name, in the loose form, and what a text has to have for it."""

    written: str
    least: str
    reason: str
    #: What is left of the name without the ends that its cases change, which the text has to have then.
    stems: str = ""
    #: A name of two words, which the text has with another one between them.
    around: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Return the pattern, made when a text may have it: most have none of what is least."""
        return re.compile(self.written)

    def is_in(self, loose: str, text: str) -> bool:
        """Return whether a text has it: ``loose`` is the text in the loose form."""
        if self.least not in loose or self.pattern.search(loose) is None:
            return False
        if not self.stems and not self.around:
            return True
        if self.stems and " " not in self.stems and not is_indic(self.stems):
            found = loses(self.pattern.findall(loose), self.stems)
            if not found or is_other(self.stems):
                return found
        words = Endings(seen_form(text))
        if self.around:
            return self.around in words.without_middle(len(self.around), self.least)
        look = (words.alone, words.pairs, words.together)[min(self.stems.count(" "), PAIR)]
        return self.stems in look(len(self.stems), self.least)


def _inflected(orders_of: Iterable[list[str]]) -> Iterator[_Like]:
    for order in orders_of:
        parts = [beginning(word) for word in order]
        pattern = r"\s".join(rf"{part}\w*" for _, part in parts)
        yield _Like(rf"(?<!\w){pattern}", parts[0][0], ATTACHED, " ".join(map(stem, order)))


def _likes(form: str, loose: str) -> Iterator[_Like]:
    words = loose.split()
    if not words:
        return
    whole = rf"(?<!\w){re.escape(loose)}(?!\w)"
    yield _Like(whole, words[0], SPELLED)
    yield from _divided(loose)
    yield from _divided(other_kana(loose))
    for other in otherwise(form, loose):
        yield _Like(rf"(?<!\w){re.escape(other)}(?!\w)", other.split()[0], SPELLED)
    if is_inflected(loose) and form not in COMMON:
        yield from _inflected(orders(words))
    if _ADDRESS.fullmatch(form):
        person, host = form.split("@")
        tagged = rf"(?<!\w){re.escape(loose_form(person))}\+\S*@{re.escape(loose_form(host))}(?!\w)"
        yield _Like(tagged, loose_form(host), SPELLED)
    if len(words) > 1 and not is_identifier(form):
        inner = r"(?:\ [a-z])?\ ".join(map(re.escape, words))
        yield _Like(rf"(?<!\w){inner}(?!\w)", words[0], ORDER)
        if "a" <= loose[-1] <= "z":
            yield _Like(rf"(?<!\w){re.escape(loose)}[a-z]{{1,{CASE}}}(?!\w)", words[0], ATTACHED)
        *with_last, with_first = map(re.escape, shortened(words))
        yield _Like(rf"(?<!\w)(?:{'|'.join(with_last)})(?!\w)", words[-1], ORDER)
        yield _Like(rf"(?<!\w){with_first}(?!\w)", words[0], ORDER)
        if len(words) == PAIR:
            yield _Like(rf"(?<!\w){re.escape(words[-1])}(?!\w)", words[0], ORDER, around=loose)


def orders(words: list[str]) -> Iterator[list[str]]:
    """Yield the words of a name as they may follow each other where they have the endings of a case.

    As they are given, with the last of them first, or the first of them last; two of three.
    """
    yield words
    if len(words) > 1:
        yield [words[-1], *words[:-1]]
    if len(words) > PAIR:
        yield from ([*words[1:], words[0]], [words[0], words[-1]], words[:2])


def familiar_orders(words: list[str]) -> Iterator[list[str]]:
    """Yield a name of several words with each familiar form of the first, which may have the ending of a case too."""
    if len(words) > 1:
        yield from ([one, words[-1]] for one in sorted(familiar_to(words[0])) if len(one) > PAIR)


def shortened(words: list[str]) -> tuple[str, ...]:
    """Return the first and the last word of a name in the other order, and with one of them as its initial."""
    first, last = words[0], words[-1]
    return f"{last} {first}", f"{first[0]} {last}", f"{last} {first[0]}", f"{first} {last[0]}"


def otherwise(form: str, loose: str) -> Iterator[str]:
    """Yield what else a name may be in the loose form: in a case, without initials, a tag or the sign of a handle."""
    found = {without_initials(loose), *cases(loose), loose.replace("aa", "a"), _DEGREE.sub("", loose)}
    if "å" in form:
        found.add(loose_form(form.replace("å", "aa")))
    prefix = _PREFIX.fullmatch(loose)
    if prefix is not None:
        found.add(f"{prefix[1]} {prefix[2]}")
    if _ADDRESS.fullmatch(form):
        found.add(loose_form(_TAG.sub("@", form)))
    elif form[0] == "@":
        found.add(loose_form(form[1:]))
    yield from sorted(found - {loose, ""})


def _divided(loose: str) -> Iterator[_Like]:
    signs = undivided(loose)
    if signs:
        inside = r"[\W_]{0,2}".join(signs)
        start, end = ("" if divides_nothing(sign) else edge for sign, edge in ((signs[0], _START), (signs[-1], _END)))
        yield _Like(f"{start}{inside}{end}", signs[0], SPELLED)


def _places_in(form: str, others: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield where ``form`` stands in longer names, each with that name; also with its last word before a comma."""
    for other in others:
        first, _, last = other.rpartition(" ")
        for written in (other, f"{last}, {first}") if first else (other,):
            place = written.find(form)
            while place >= 0:
                end = place + len(form)
                if _is_whole(written, place, end) and is_of_another(written, place, end):
                    yield place, written
                place = written.find(form, place + 1)


def _is_whole(compared: str, start: int, end: int) -> bool:
    """Return whether what stands at ``[start, end)`` goes on on neither side with a letter of its alphabet."""
    before, first, last, after = (
        compared[start - 1 : start],
        compared[start],
        compared[end - 1],
        compared[end : end + 1],
    )
    return not any(
        one.isalnum() and other.isalnum() and script(one) == script(other) and not divides_nothing(one)
        for one, other in ((before, first), (after, last))
        if one
    )


def _escaped(form: str) -> str:
    """Return the pattern of a spelling.

    The stop of a shortened title may stand or be left out, and a nickname in brackets or quotation marks may stand
    between two words: *Robert (Bob) Smith* is Robert Smith.
    """
    if _ADDRESS.fullmatch(form):
        person, host = map(re.escape, form.split("@"))
        return f'"?{person}"?@{host}'
    return dotted_pattern(form) or _TITLE.sub(r"\1\\.?\ ", re.escape(form)).replace("\\ ", _BLANK)


def _is_ended(compared: str, text: str, start: int, end: int) -> bool:
    """Return whether a word that begins with a name is written as a name with an ending."""
    cased = cased_form(text)
    if len(cased) != len(compared):
        return True
    return cased[start:end] != compared[start:end] and cased[end] == compared[end]


def _shared_signs(forms: Iterable[_Form]) -> frozenset[str]:
    """Return few signs of which a text has one that has one of these forms; none where a text of any may have one."""
    left = [signs for form in forms for signs in form.signs or (frozenset[str](),)]
    found: set[str] = set()
    while left:
        counted = Counter(sign for signs in left for sign in signs).most_common(1)
        if not all(left):
            return frozenset()
        found.add(counted[0][0])
        left = [signs for signs in left if counted[0][0] not in signs]
    return frozenset(found)


def _has_article(compared: str, start: int) -> bool:
    return ARTICLES.search(compared, max(0, start - _LONGEST_ARTICLE), start) is not None


def _is_a_word(word: str) -> bool:
    """Return whether a word of a name is one of a language as well, whoever is called so."""
    return word in COMMON or word in SMALL or is_common(word) or is_ordinary(word)


def _no_name(compared: str, written: str, start: int, end: int) -> str:
    """Return why a word that is a name as well may be none where it stands; "" where it stands as a name.

    Where every word has a capital, a verb follows that people are the subject of; and it is no time.
    """
    word = compared[start:end]
    if word in TIMES and (BEFORE_TIMES.search(compared, 0, start) or AFTER_TIMES.match(compared, end)):
        return COMMON_WORD
    if not begins(written, start):
        return ""
    return "" if word not in NOTIONS and AFTER_PEOPLE.match(compared, end) else FIRST_WORD
