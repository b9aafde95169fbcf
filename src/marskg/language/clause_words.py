"""What a language has to give so that statements in it can be compared: its words and forms, as plain tables.

Guarantees: no rule is here, and none that reads (:mod:`marskg.language.clause_reading`) knows a language. What a
language does not have, or what is not told of it, is a pattern that matches nothing: then that kind of contradiction is
not found.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from marskg.late_regex import late_regex
from marskg.text import folded, sentences, stemmed, terms, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

#: Matches nothing.
NEVER: Final = late_regex(r"(?!)")
#: A pattern, and what is read in its place.
Said: TypeAlias = "tuple[re.Pattern[str], str]"


class Sides(Protocol):
    """Finds the axis of a term and its side, 1 or -1."""

    def __call__(self, term: str) -> tuple[str, int] | None:
        """Return None for a term that takes no side."""
        ...


def never(_: object) -> bool:
    """Return False: what a language is not asked."""
    return False


def said(*pairs: tuple[str, str]) -> tuple[Said, ...]:
    """Return patterns with what is read in their place."""
    return tuple((re.compile(pattern), word) for pattern, word in pairs)


def relations(*pairs: tuple[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return names of relations with the patterns that say them (:class:`Attributes`)."""
    return tuple((name, re.compile(pattern)) for name, pattern in pairs)


def words_of(text: str) -> list[str]:
    """Return the words of ``text`` where blanks stand between words."""
    return [word.text for word in words(text)]


def folded_words(listed: str) -> frozenset[str]:
    """Return the words of a list that is written with blanks between them, as they stand in folded texts."""
    return frozenset(folded(listed).split())


def stemming(language: str, stop: frozenset[str]) -> Callable[[str], list[str]]:
    """Return what gives the terms of a text: stems of Snowball's ``language``, without the words of ``stop``."""

    def terms_of(text: str) -> list[str]:
        return [stemmed(word, language) for word in words_of(folded(text)) if word not in stop]

    return terms_of


def sides(pairs: Iterable[tuple[str, str, str]], terms_of: Callable[[str], list[str]] = terms) -> Sides:
    """Return what finds the side of a term: of each axis the words of one side and those of the other."""

    @cache
    def listed() -> dict[str, tuple[str, int]]:
        found: dict[str, tuple[str, int]] = {}
        for axis, positive, negative in pairs:
            for sign, side_words in ((1, positive), (-1, negative)):
                for term in (term for word in side_words.split() for term in terms_of(word)):
                    found.setdefault(term, (axis, sign))
        return found

    def side(term: str) -> tuple[str, int] | None:
        return listed().get(term)

    return side


#: Ends of sentences where a number may have a full stop behind it ("am 4. Mai").
_ENDS: Final = late_regex(r"(?:(?<=[!?…])|(?<=[^\W\d]\.))\s+(?=[\"„“«¿¡(]?[^\W_a-z])|\n+")


def sentences_with_ordinals(text: str) -> list[str]:
    """Return the sentences of a text in which a full stop behind a number ends none."""
    return [part for piece in _ENDS.split(text) if (part := piece.strip())]


@dataclass(frozen=True, slots=True)
class Unasserted:
    """How a language marks what nobody asserts: a sentence with one of these says nothing that could be contradicted.

    ``question`` is looked for in what ends with a question mark, and one with ``requested`` asks to change something.
    ``suggested`` asks whether to ("why not"); ``supposed`` says under which condition, ``reported`` who else says or
    thinks so, and ``ironic`` that the opposite is meant.
    """

    requested: re.Pattern[str] = NEVER
    suggested: re.Pattern[str] = NEVER
    supposed: re.Pattern[str] = NEVER
    reported: re.Pattern[str] = NEVER
    ironic: re.Pattern[str] = NEVER


@dataclass(frozen=True, slots=True)
class Negation:
    """How a language denies, and where a word of negation denies nothing.

    ``words`` deny what they stand at. ``limits`` are words behind them that make "not" into "not only". ``void`` is a
    form with a word of negation that affirms ("nothing more than", "not … enough"); ``narrows`` says that something
    holds but for a time or a case; ``unsure`` says what would be, not what is; ``passed`` is a word between a negation
    and what it stands at, ``raised`` the terms of verbs that pass it on ("do not think"). ``doubles`` is true where
    two negations affirm.
    """

    words: frozenset[str]
    limits: frozenset[str] = frozenset()
    void: re.Pattern[str] = NEVER
    narrows: re.Pattern[str] = NEVER
    unsure: re.Pattern[str] = NEVER
    passed: re.Pattern[str] = NEVER
    raised: frozenset[str] = frozenset()
    doubles: bool = True


@dataclass(frozen=True, slots=True)
class Changes:
    """How a language says that one value took another's place.

    ``words`` are terms; ``moved`` have the groups ``old`` and ``new`` behind one of those terms, ``replaced`` the same
    without one; ``instead`` has the old value in its first group; ``now`` says that something holds from now on.
    """

    words: frozenset[str] = frozenset()
    moved: tuple[re.Pattern[str], ...] = ()
    replaced: tuple[re.Pattern[str], ...] = ()
    instead: re.Pattern[str] = NEVER
    now: re.Pattern[str] = NEVER


@dataclass(frozen=True, slots=True)
class Tasks:
    """How a language says what is to be done, that it was done, and that it is not to be done any more.

    ``ended`` says that something holds no more, ``dropped`` that it is taken off a list; ``words`` are terms that say
    no more than that.
    """

    need: re.Pattern[str] = NEVER
    done: re.Pattern[str] = NEVER
    ended: re.Pattern[str] = NEVER
    dropped: re.Pattern[str] = NEVER
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Aims:
    """How a language says what is aimed at, the terms that any such aim has, and those of its periods."""

    said: re.Pattern[str] = NEVER
    words: frozenset[str] = frozenset()
    periods: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Attributes:
    """How a language gives an attribute its value.

    ``relations`` and ``one_valued`` have the groups ``who`` and ``value``; the first of a pair names the relation.
    ``open`` has ``who``, ``head`` and ``value``: "the X of Y is Z", where X is none of ``many``, which stand side by
    side, and Z is a name, or any word where ``sole`` says that of X there is one. ``entries`` and ``lists`` are labels
    whose values stand side by side, as those do that ``plural`` says are plurals; a label with one of ``no_label`` is a
    sentence before a colon. ``vague`` is how no value begins.
    """

    relations: tuple[tuple[str, re.Pattern[str]], ...] = ()
    one_valued: re.Pattern[str] = NEVER
    open: tuple[re.Pattern[str], ...] = ()
    sole: re.Pattern[str] = NEVER
    many: frozenset[str] = frozenset()
    entries: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()
    no_label: frozenset[str] = frozenset()
    plural: Callable[[str], bool] = never
    vague: re.Pattern[str] = NEVER


@dataclass(frozen=True, slots=True)
class ClauseWords:
    """A language, as far as contradictions are found in it.

    ``function`` are the words by which it is known. ``terms`` gives the index terms of a text in order, ``words`` its
    words. ``phrases`` are read as other words, among them dates and hours, which are read as English writes them.
    ``split`` stands between clauses. ``filler`` are terms that say nothing of the topic; ``persons`` are the pronouns
    by class, ``owners`` the possessive ones; ``borrowed`` has a noun that a pronoun stands before, ``scope`` a time or
    place; ``request``, ``added`` and ``event`` say what :class:`~marskg.language.statements.Clause` says of them.
    """

    name: str
    function: frozenset[str]
    side: Sides
    negation: Negation
    split: re.Pattern[str]
    phrases: tuple[Said, ...] = ()
    filler: frozenset[str] = frozenset()
    unasserted: Unasserted = Unasserted()
    changes: Changes = Changes()
    tasks: Tasks = Tasks()
    aims: Aims = Aims()
    attributes: Attributes = Attributes()
    persons: Mapping[str, str] = field(default_factory=dict)
    owners: Mapping[str, str] = field(default_factory=dict)
    borrowed: re.Pattern[str] = NEVER
    scope: re.Pattern[str] = NEVER
    request: re.Pattern[str] = NEVER
    added: re.Pattern[str] = NEVER
    event: Callable[[list[str]], bool] = never
    terms: Callable[[str], list[str]] = terms
    words: Callable[[str], list[str]] = words_of
    sentences: Callable[[str], list[str]] = sentences
    #: The form in which letters are compared.
    folded: Callable[[str], str] = folded
    #: Whether names begin with a capital letter.
    capitals: bool = True
