"""The other names that a text says somebody has.

Guarantees: pure; a name is given only where the text says a *name*, in an apposition that is closed or in a sentence
about its bearer, with nothing but the cue between both names, in the writer's own plain word
(:class:`marskg.language.en.names.framing.Framing`). A verb of doing is no cue: who "called Tom" is not called Tom. Two
who are given one name by a text are given none. A name that is not seen is merely not joined; a wrong one makes two
people one, and who erases one loses the other's memories, so that every doubt gives none.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.language.en.names.aliases import Mention
from marskg.language.en.names.framing import Framing
from marskg.language.en.names.relations import CLOSE, OPEN
from marskg.language.mentions import EntityType, folded_name
from marskg.language.naming.familiar import familiar_to
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

_A: Final = rf"{OPEN}(\d+){CLOSE}"
#: Where an apposition is closed; another name behind the comma makes it a list.
_CLOSED: Final = rf"(?=\s*(?:[.;!)\]]|$|[–—]|,(?!\s*(?:(?:and|or|but|then|&) )?{OPEN})))"
_BESIDES: Final = "and|but|since|because|after|when|while|once|before|until|as|last|this|earlier|recently|on|in|by|for"
#: Where a sentence about somebody may go on behind the name, which is no part of a longer phrase then.
_OVER: Final = rf"(?:{_CLOSED}|(?= (?:{_BESIDES}) (?!{OPEN})))"
_OPENED: Final = r"(?:, | ?\()"
_KNOWN: Final = r"(?:(?:also|better|now|formerly|previously|originally|once) known as|aka|a\.k\.a\.)"
_IS: Final = r"(?: (?:is|was)|['’]s| (?:has|had) (?:since )?been| (?:has|had) become)"
_HAS: Final = r"(?: has| had)?(?: just| recently| legally| finally| officially| since| now)?"
#: What goes on behind a name that is no part of a longer phrase.
_VERB: Final = r"(?:\w+(?:s|ed)|will|can|had|rang|came|sang|went|left|told|made|and|in|at|on|from|for|to)"
_OFTEN: Final = "(?:also|often|usually)"
_THEIR: Final = r"(?:his|her|their|its)"
#: In brackets stands much besides nicknames; a list of names with brackets has the same shape, but goes on with one.
_NICKNAME: Final = late_regex(rf"{_A} (?:(?P<bracket>\({_A}\))|[\"“]{_A}[\"”]) {_A}(?! ?[(\"“])")
_TYPES: Final = frozenset(
    {EntityType.PERSON, EntityType.PLACE, EntityType.ORGANISATION, EntityType.WORK, EntityType.EVENT, EntityType.TIME}
)
_NO_PEOPLE: Final = frozenset({EntityType.PLACE, EntityType.ORGANISATION})
_FEWEST: Final = 2


# --- Which two names may be one's ------------------------------------------------------------------------------


def _is_form(short: str, whole: str) -> bool:
    """Return whether ``short`` is a form of the word ``whole``: *Bob* of *Robert*, *Mia* of *Maria*."""
    if short == whole or short in familiar_to(whole):
        return True
    letters = iter(whole)
    return len(short) >= _FEWEST and short[0] == whole[0] and all(letter in letters for letter in short)


def _words(mention: Mention) -> list[str]:
    return folded_name(mention.name).split()


def _is_any(_full: Mention, _other: Mention) -> bool:
    return True


def _is_one_word(_full: Mention, other: Mention) -> bool:
    return len(_words(other)) == 1


def _is_single(full: Mention, other: Mention) -> bool:
    """Return whether the other name is one word, or begins as the first one does.

    Nicknames are: of two whole names that have nothing in common one is somebody else's.
    """
    words = _words(other)
    return len(words) == 1 or words[0] == _words(full)[0]


def _is_short(full: Mention, other: Mention) -> bool:
    """Return whether the other name is one word that is a form of one in the full name."""
    words = _words(other)
    return len(words) == 1 and any(_is_form(words[0], word) for word in _words(full))


def _is_abbreviated(full: Mention, other: Mention) -> bool:
    words, short = _words(full), _words(other)
    initials = "".join(word[0] for word in words)
    return len(short) == 1 and (
        short[0] == initials or any(_is_form(short[0], word) or short[0][:2] == word[:2] for word in words)
    )


def _is_renamed(full: Mention, other: Mention) -> bool:
    """Return whether both are of one kind and begin alike, or are no people: who is "formerly Acme" has left Acme."""
    if full.type in _NO_PEOPLE or other.type in _NO_PEOPLE:
        return full.type == other.type
    first, second = _words(full), _words(other)
    return first[0] == second[0] and len(first) > 1 and len(second) > 1


def _is_renamed_or_short(full: Mention, other: Mention) -> bool:
    return _is_renamed(full, other) or _is_short(full, other)


def _is_like(full: Mention, other: Mention) -> bool:
    """Return whether both are whole names or both one word, or one is a form of the other.

    Of a whole name with one word beside it nobody knows which part it takes the place of.
    """
    many = (len(_words(full)) > 1, len(_words(other)) > 1)
    return many[0] == many[1] or _is_short(full, other) or _is_short(other, full)


# --- How a text says so ------------------------------------------------------------------------------------------


class _Cue(NamedTuple):
    """One way to say a name: the full one is group 1, the other one group 2.

    With ``of_subject`` the sentence is about the first name; else what follows it is said of nothing before it.
    """

    shape: re.Pattern[str]
    fits: Callable[[Mention, Mention], bool]
    of_subject: bool = False


def _cue(shape: str, fits: Callable[[Mention, Mention], bool], *, of_subject: bool = False) -> _Cue:
    return _Cue(late_regex(shape), fits, of_subject)


_CUES: Final = (
    # Nobody is known as somebody in passing: these give any name.
    _cue(rf"{_A}{_OPENED}(?:who is |who was )?(?:{_KNOWN}|known as) {_A}{_CLOSED}", _is_any),
    _cue(rf"{_A} (?:aka|a\.k\.a\.|also known as) {_A}(?:{_CLOSED}|(?= {_VERB}\b))", _is_any),
    _cue(rf"{_A}, known to (?:\w+ ){{1,3}}as {_A}{_CLOSED}", _is_single),
    _cue(
        rf"{_A}{_IS} (?:now |since then |legally |officially )(?:called|known as|named) {_A}{_OVER}",
        _is_any,
        of_subject=True,
    ),
    _cue(rf"{_A}{_IS} (?:(?:also|better|formerly|previously) )?known as {_A}{_OVER}", _is_any, of_subject=True),
    _cue(rf"{_A}{_HAS} changed {_THEIR} (?:full |legal )?name to {_A}{_OVER}", _is_like, of_subject=True),
    _cue(rf"{_A} is (?:called|named) {_A} (?:now|these days){_CLOSED}", _is_any, of_subject=True),
    _cue(rf"{_A} is {_A} (?:now|these days){_CLOSED}", _is_renamed, of_subject=True),
    # What somebody is called may be what somebody calls: one word, of whom the sentence is about or as a form of it.
    _cue(rf"{_A}{_IS} (?:{_OFTEN}|formerly|previously) (?:called|named) {_A}{_OVER}", _is_single, of_subject=True),
    _cue(rf"{_A}, (?:{_OFTEN} )?called {_A}, (?:\w+s|will|can|had|who) ", _is_one_word, of_subject=True),
    _cue(rf"{_A}, (?:{_OFTEN} )?called {_A}{_CLOSED}(?!, (?:and|then|or|but) )", _is_short, of_subject=True),
    _cue(rf"{_A} ?\((?:{_OFTEN} )?called {_A}\)", _is_short),
    _cue(rf"{_A}(?:, | ?\()(?:also )?nicknamed {_A}{_CLOSED}", _is_single),
    _cue(rf"{_A}{_IS} (?:also )?nicknamed {_A}{_OVER}", _is_single, of_subject=True),
    # A bus goes by a place, and Ann by Tom's house.
    _cue(rf"{_A},? who goes by {_A}{_CLOSED}", _is_single),
    _cue(rf"{_A} goes by the (?:nick)?name (?:of )?{_A}{_OVER}", _is_single, of_subject=True),
    _cue(rf"{_A} goes by {_A} (?:now|these days|online)\b", _is_single, of_subject=True),
    _cue(rf"{_A} goes by {_A}{_CLOSED}", _is_short, of_subject=True),
    _cue(
        rf"{_A}(?:,| [–—-])? ?(?:but |and |whom )?(?:everyone|everybody|we all|friends|my friends) calls? "
        rf"(?:him |her |them )?{_A}{_OVER}",
        _is_short,
        of_subject=True,
    ),
    _cue(rf"{_A} ?\((?:formerly|previously|once|originally) (?:called|named) {_A}\)", _is_renamed_or_short),
    _cue(
        rf"{_A}, (?:formerly|previously|originally) (?:called|named) {_A}{_CLOSED}",
        _is_renamed_or_short,
        of_subject=True,
    ),
    # Where one works, lived or was may be told in the same words: "at Acme, formerly Initech".
    _cue(rf"{_A}{_OPENED}(?:formerly|previously) {_A}(?:,|\)) [a-z]", _is_renamed, of_subject=True),
)
_SHORT_CUES: Final = (
    _cue(rf"{_A}{_OPENED}short for {_A}{_CLOSED}", _is_abbreviated),
    _cue(rf"{_A} is short for {_A}{_OVER}", _is_abbreviated, of_subject=True),
)
#: The name that somebody had by birth, which may be the last one alone. The first of these gives any name; "nee" and
#: "geb." are words of other languages as well, and so may say another's.
_BORN: Final = (
    late_regex(rf"{_A}{_OPENED}née:? {_A}{_CLOSED}"),
    late_regex(rf"{_A},? ?\(?(?:née:?|geb\.|geborene) {_A}(?:{_CLOSED}|(?= [a-z]))"),
    late_regex(rf"{_A}{_OPENED}(?:nee|born) {_A}{_CLOSED}"),
)
_SURNAME: Final = late_regex(rf"{_A}{_HAS} changed {_THEIR} (?:last |sur|family )name to {_A}{_OVER}")


class SaidNames:
    """The names that one text says, by the numbers of its mentions."""

    def __init__(
        self,
        text: str,
        spans: Sequence[tuple[int, int, int]],
        shaped: str,
        mentions: Sequence[Mention],
        speaker: str | None,
    ) -> None:
        """Look at ``text``, which ``speaker`` wrote; its names stand at ``spans``, in order, and in its shape."""
        self.text = text
        self.spans = spans
        self.shaped = shaped
        self.mentions = mentions
        self._speaker = speaker

    @cached_property
    def framing(self) -> Framing:
        """How the statements of the text are framed, which few texts with a cue need to be asked."""
        speaker = None if self._speaker is None else folded_name(self._speaker)
        return Framing(self.shaped, [folded_name(mention.name) for mention in self.mentions], speaker)

    def nicknames(self) -> list[tuple[Mention, tuple[int, int, int]]]:
        """Return the people written as ``Robert (Bob) Smith``, each with the numbers of the three parts."""
        found = []
        for match in _NICKNAME.finditer(self.shaped):
            first, nick, last = (int(part) for part in match.groups()[:1] + match.groups()[2:] if part is not None)
            whole = self._whole(first, nick, last, bracket=match["bracket"] is not None)
            if whole is None:
                continue
            # Who is told of in a tale is one person all the same, whom nobody knows by that name.
            if self.is_plain(match):
                whole.aliases.setdefault(self.mentions[nick].name)
            number = self.shaped.count(OPEN, 0, match.start())
            whole.spans = [(self.spans[number][0], self.spans[number + 2][1])]
            found.append((whole, (first, nick, last)))
        return found

    def _whole(self, first: int, nick: int, last: int, *, bracket: bool) -> Mention | None:
        """Return who is called by three parts of a name; None where they are not those of one person."""
        parts = [self.mentions[number] for number in (first, nick, last)]
        if any(part.fixed or part.type in _TYPES - {EntityType.PERSON, EntityType.WORK} for part in parts):
            return None
        if EntityType.WORK in {parts[0].type, parts[2].type} or (bracket and not _is_short(parts[0], parts[1])):
            return None
        # Two words behind the nickname are somebody else's whole name, but for "van Gogh".
        if len(parts[2].name.split()) > 1 and parts[2].name[0].isupper():
            return None
        return Mention(f"{parts[0].name} {parts[2].name}", EntityType.PERSON)

    def aliases(self) -> list[tuple[int, int]]:
        """Return ``(full, other)`` for those who have another name; nobody has one that two are given."""
        found = dict.fromkeys(self._stated())
        bearers = Counter(other for _, other in found)
        return [pair for pair in found if bearers[pair[1]] == 1]

    def births(self) -> list[tuple[int, int]]:
        """Return ``(full, born)`` for a person and the name that they were born with, or had before or have now."""
        found = [
            match
            for pattern in _BORN
            for match in pattern.finditer(self.shaped)
            if self.framing.stands_alone(match.start()) and (pattern is _BORN[0] or not self._is_strange(match))
        ]
        found += (match for match in _SURNAME.finditer(self.shaped) if self.framing.begins(match.start()))
        whole = (match for match in found if self._is_whole(match) and self.is_plain(match))
        return list(dict.fromkeys((int(match[1]), int(match[2])) for match in whole))

    def is_plain(self, match: re.Match[str]) -> bool:
        """Return whether a match is the plain word of who writes, of names that are written as such."""
        first = self.shaped.count(OPEN, 0, match.start())
        last = first + match[0].count(OPEN)
        return self.framing.says(match.start(), match.end()) and all(map(self._is_name, self.spans[first:last]))

    def _stated(self) -> Iterator[tuple[int, int]]:
        for cue in _CUES:
            yield from self._found(cue, 1, 2)
        for cue in _SHORT_CUES:
            yield from self._found(cue, 2, 1)

    def _found(self, cue: _Cue, full: int, other: int) -> Iterator[tuple[int, int]]:
        for match in cue.shape.finditer(self.shaped):
            pair = int(match[full]), int(match[other])
            ends = self.mentions[pair[0]], self.mentions[pair[1]]
            placed = self.framing.begins if cue.of_subject else self.framing.stands_alone
            if _agree(*ends) and cue.fits(*ends) and placed(match.start()) and self.is_plain(match):
                yield pair

    def _is_name(self, span: tuple[int, int, int]) -> bool:
        """Return whether a name is written as one; a thing in small letters is none, but who is known is."""
        start, _, number = span
        return not self.text[start].islower() or self.mentions[number].fixed

    def _is_whole(self, match: re.Match[str]) -> bool:
        """Return whether a person's whole name stands there, with what may be a name of their family."""
        full, born = self.mentions[int(match[1])], self.mentions[int(match[2])]
        return len(_words(full)) > 1 and born.type in {None, EntityType.PERSON, EntityType.THING} and _agree(full, born)

    def _is_strange(self, match: re.Match[str]) -> bool:
        full, born = (_words(self.mentions[int(number)]) for number in match.groups())
        return len(born) > 1 and not {*full} & {*born}


def _agree(full: Mention, other: Mention) -> bool:
    """Return whether two names may be of one thing by their types."""
    return full.type == other.type or not {full.type, other.type} <= _TYPES
