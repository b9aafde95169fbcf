"""Does what an answer says go against a memory that it was shown, and how surely?

Guarantees: pure and deterministic; needs no model; a confidence is an integer of 1e-6, 0 for none. What an answer
leaves out is taken from the question that it answers ("It's Monday, but at 11 AM"), so that weekday, hour, sum and
place of one matter meet; a sentence about something else meets nothing. English: of an answer in another language only
what two statements conflict in counts, where that language is read.

Beside what :func:`marskg.learning.rules.conflict_detection.conflict` finds between two statements, an answer rebuts a
memory by another time, number or sum for what was asked; by another place, employer or name for what has one; by a
stance turned round, also where it stands in a clause of its own; by saying that something ended, or goes on; by the
other of two words that exclude each other; and by a food or drink that a diet rules out. Source: MemoryArchitect II.D
step 1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.kept_texts import keeping_texts
from marskg.language.en.assertions import (
    ASKS_WHERE,
    CLAUSE_BREAKS,
    DAYS,
    ENDED,
    EXCLUSIVE,
    GOES_ON,
    HATE,
    HOW_OFTEN,
    IN_MONTH,
    LASTING,
    NO_DENIAL,
    NO_LONGER,
    OF_THE_USER,
    OFTEN,
    ORDINAL,
    PLACE_ALONE,
    POINTS_BACK,
    PREFERRED,
    RELATIONS,
    REPORTED,
    SPANS,
)
from marskg.language.en.diets import goes_against
from marskg.language.en.opposites import NEGATIONS, side
from marskg.language.en.quantities import numerals, quantities, without_quantities
from marskg.language.en.withdrawals import TAKING_OUT, withdrawals
from marskg.learning.rules.conflict_detection import MIN_CONFIDENCE, ConflictKind, Statement, conflict
from marskg.text import folded, term_set, terms, words

if TYPE_CHECKING:
    from collections.abc import Iterator

#: How sure each way of looking is.
_QUANTITY: Final = 850_000
_VALUE: Final = 800_000
_TURNED: Final = 850_000
_EXCLUDED: Final = 800_000
#: Share of what a memory is about that the answer or its question must name.
_ABOUT: Final = 0.5
_MOST_PARTS: Final = 12
_TWICE: Final = 2


@dataclass(frozen=True, slots=True)
class _Said:
    """A part of a text: its words, terms without quantities, quantities by kind, and what it says of its going on."""

    text: str
    words: frozenset[str]
    topic: frozenset[str]
    quantities: dict[str, frozenset[str]]
    ended: bool
    goes_on: bool
    negated: bool
    sides: frozenset[tuple[str, int]]
    refers: bool

    @property
    def denies(self) -> bool:
        """Return whether it says that something does not hold, or holds no more."""
        return self.negated or self.ended

    def reach(self, asked: frozenset[str], other: frozenset[str]) -> frozenset[str]:
        """Return what it is about, with what was ``asked`` where it says nothing beside that and an ``other`` topic."""
        return self.topic | asked if self.refers or self.topic <= asked | other else self.topic


def rebuts(said: str, content: str, question: str = "") -> int:
    """Return how surely a sentence in answer to ``question`` goes against a sentence of a memory, in 1e-6.

    The rules here are English. In other languages two statements conflict, where that one is read, or do not.
    """
    from marskg.language.spoken import may_be_english  # noqa: PLC0415 - as in conflict_detection

    if not may_be_english(said, content):
        found = conflict(Statement(said), Statement(content))
        return found.confidence if found is not None else 0
    asked = frozenset(counted_terms(question))
    if (asked | set(counted_terms(said))).isdisjoint(counted_terms(content)):
        return 0
    if withdrawals(content) and _read(said).denies and set(counted_terms(said)).isdisjoint(counted_terms(TAKING_OUT)):
        # "Ben gets it no longer" says the same as "remove 'Ben' from the recipients".
        return 0
    agreed = _agreed(_read(said), _read(content))
    best = max(_plainly(piece, content, question, agreed) for piece in (said, *_parts(said)))
    for piece in _parts(said):
        mine = _read(_completed(piece, question))
        for part in _parts(content):
            best = max(best, _quantity(mine, _read(part), asked, agreed))
            best = max(best, *(rule(mine, _read(part), asked) for rule in _RULES))
    return best


def differs(said: str, content: str) -> bool:
    """Return whether two sentences have quantities of one kind and none of that kind in common."""
    mine, other = _read(said), _read(content)
    return (mine.quantities.keys() & other.quantities.keys()) != _agreed(mine, other)


@keeping_texts(20_000)
def _parts(text: str) -> tuple[str, ...]:
    """Return the clauses of a sentence."""
    parts = [part.strip(" .!?") for part in CLAUSE_BREAKS.split(text)]
    return tuple(part for part in parts if part)[:_MOST_PARTS]


@keeping_texts(20_000)
def _read(text: str) -> _Said:
    plain = DAYS.sub(r"\1", HATE.sub(" hate ", NO_DENIAL.sub(" ", folded(text))))
    listed = [word.text for word in words(plain)]
    topic, sides = set(), set()
    for term in counted_terms(without_quantities(plain)):
        taken = side(term)
        if taken is None:
            topic.add(term)
        else:
            sides.add(taken)
    negated = any(word in NEGATIONS for word in listed)
    ended = ENDED.search(plain) is not None
    flip = -1 if negated or NO_LONGER.search(plain) else 1
    return _Said(
        text=text,
        words=frozenset(listed),
        topic=frozenset(topic),
        quantities=_by_kind(plain),
        ended=ended,
        goes_on=GOES_ON.search(plain) is not None,
        negated=negated,
        sides=frozenset((axis, sign * flip) for axis, sign in sides),
        refers=POINTS_BACK.search(plain) is not None or not topic,
    )


def _by_kind(plain: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for quantity in quantities(plain):
        value = re.sub(r"^(?:next|this|coming) ", "", quantity.value)
        kind = "weekday" if value.endswith("day") and quantity.kind == "date" else quantity.kind
        found.setdefault(kind, set()).add(value)
    for match in IN_MONTH.finditer(plain):
        found.setdefault("month", set()).add(match[1][:3])
    for match in OFTEN.finditer(plain):
        span = match["span"] or SPANS[match["ly"]]
        found.setdefault("often", set()).add(f"{HOW_OFTEN.get(match['times'], 1)}/{span}")
    return {kind: frozenset(values) for kind, values in found.items()}


def counted_terms(text: str) -> list[str]:
    """Return the index terms of ``text``, with spelled numbers and the days of a month as digits."""
    return [numerals().get(term) or ORDINAL.sub(r"\1", term) for term in terms(text)]


def _completed(piece: str, question: str) -> str:
    """Return a part of an answer with the verb that it leaves out: "in Bergen", where it is asked where."""
    return f"is {piece[0].lower()}{piece[1:]}" if PLACE_ALONE.match(piece) and ASKS_WHERE.search(question) else piece


def _plainly(piece: str, content: str, question: str, agreed: frozenset[str]) -> int:
    """Return how surely two statements conflict whatever was asked; a denial must be of what both are about.

    A quantity of a kind in which the whole sentence has what the memory has says what was, or is not.
    """
    found = conflict(Statement(piece), Statement(REPORTED.sub("", content)))
    if found is None or _twice_denied(piece):
        return 0
    if found.kind is ConflictKind.NUMBER and agreed:
        named = {"weekday" if kind == "date" and "weekday" in agreed else kind for kind in found.evidence}
        if named <= agreed:
            return 0
    if found.kind is ConflictKind.NEGATION:
        mine, shared = _read(piece), set(found.attribute)
        # Where the question asks for what used to be, so does the answer.
        parts = [part for part in map(_read, _parts(content)) if shared & part.topic]
        facing = any(part.denies != mine.denies for part in parts) and not _read(question).ended
        return found.confidence if facing and _denied(piece, content) else 0
    return found.confidence


def _twice_denied(piece: str) -> bool:
    """Return whether a part denies a denial: "I don't think she doesn't", "it is not true that she is not"."""
    return sum(word.text in NEGATIONS for word in words(NO_DENIAL.sub(" ", folded(piece)))) == _TWICE


def _denied(piece: str, content: str) -> bool:
    """Return whether what is denied is of the memory: in "after all that rain there is no need" it is the need."""
    held = set(terms(content))
    named = [terms(match[1]) for match in re.finditer(r"\bno ([a-z]+)", folded(piece)) if match[1] != "longer"]
    return all(not found or held.issuperset(found) for found in named)


def _is_about(mine: _Said, other: _Said, asked: frozenset[str]) -> bool:
    """Return whether a part of an answer is about the matter of a memory, and says nothing of another one.

    What it leaves out is in the question; a pronoun stands for what was asked.
    """
    said = mine.reach(asked, other.topic)
    named = other.topic - term_set(OF_THE_USER)
    shared = named & said
    beside = mine.topic - other.topic - asked - term_set(OF_THE_USER)
    if not named or not shared or len(beside) > max(1, len(mine.topic & other.topic)):
        return False
    return len(shared) >= _ABOUT * len(named) or (bool(mine.topic) and mine.topic <= other.topic)


def _agreed(mine: _Said, other: _Said) -> frozenset[str]:
    """Return the kinds of quantities of which two sentences as a whole have one in common."""
    both = mine.quantities.keys() & other.quantities.keys()
    return frozenset(kind for kind in both if not mine.quantities[kind].isdisjoint(other.quantities[kind]))


def _quantity(mine: _Said, other: _Said, asked: frozenset[str], agreed: frozenset[str]) -> int:
    """Look for another time, number or sum for the same matter; ``agreed`` are kinds in which there is none."""
    both = (mine.quantities.keys() & other.quantities.keys()) - agreed
    differing = [kind for kind in both if mine.quantities[kind].isdisjoint(other.quantities[kind])]
    if not differing or mine.negated != other.negated:
        return 0
    return _QUANTITY if _is_about(mine, other, asked) else 0


def _numbered(mine: _Said, other: _Said, asked: frozenset[str]) -> int:
    """Look for another number of what is numbered: a chapter, a bus, the day of a month."""
    own, held = (frozenset(term for term in counted_terms(one.text) if term[0].isdigit()) for one in (mine, other))
    if not own or not held or not own.isdisjoint(held) or mine.negated != other.negated:
        return 0
    rest = other.topic - held - term_set(OF_THE_USER)
    said = mine.topic - own
    same = rest and len(rest & mine.reach(asked, other.topic)) > _ABOUT * len(rest) and len(said - rest - asked) <= 1
    return _QUANTITY if same else 0


def _relation(text: str) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    """Yield what a part says of what has one value: the relation, of whom, and the value."""
    for name, pattern in RELATIONS:
        match = pattern.search(text)
        value = frozenset(counted_terms(match["value"])) if match else frozenset()
        if match and value:
            yield name, frozenset(counted_terms(match["who"])) - term_set(OF_THE_USER), value


def _value(mine: _Said, other: _Said, asked: frozenset[str]) -> int:
    """Look for another value of what has one."""
    if mine.negated or other.negated:
        return 0
    held = {name: (who, value) for name, who, value in _relation(other.text)}
    for name, who, value in _relation(mine.text):
        whom, was = held.get(name, (frozenset(), frozenset()))
        said = who | asked
        # "Her sister lives there" says nothing of her.
        same = who <= whom and len(whom & said) >= max(bool(whom), _ABOUT * len(whom))
        if was and value.isdisjoint(was) and same:
            head = _head(other.text, whom)
            if not head or head in said:
                return _VALUE
    return 0


def _head(text: str, whom: frozenset[str]) -> str | None:
    """Return the term of what somebody's thing is: of "Marek's sister" the sister."""
    match = re.search(r"'s (?:[\w-]+ ){0,2}?([\w-]+) (?:is|was|lives?|works?|moved|studies)\b", text)
    found = terms(match[1]) if match else []
    return found[0] if found and found[0] in whom else None


def _stance(mine: _Said, other: _Said, asked: frozenset[str]) -> int:
    """Look for a stance turned round on the same thing; where it does not say whose it is, half of one."""
    turned = any((axis, -sign) in other.sides for axis, sign in mine.sides)
    thing = other.topic - term_set(OF_THE_USER)
    unsaid = thing - mine.reach(asked, other.topic)
    if not turned or not thing or unsaid == thing:
        return 0
    if not unsaid:
        return _TURNED
    whose = frozenset(term for word in words(other.text) if word.text[:1].isupper() for term in terms(word.text))
    return MIN_CONFIDENCE if unsaid <= whose else 0


def _swapped(mine: _Said, other: _Said, _: frozenset[str]) -> int:
    """Look for two things of which each is the one that is liked more."""
    own, held = PREFERRED.search(folded(mine.text)), PREFERRED.search(folded(other.text))
    if own is None or held is None or mine.negated != other.negated:
        return 0
    pairs = [tuple(frozenset(counted_terms(match[name])) for name in ("more", "less")) for match in (own, held)]
    (more, less), (was_more, was_less) = pairs
    return _TURNED if more & was_less and less & was_more and not (more & was_more or less & was_less) else 0


def _ending(mine: _Said, other: _Said, asked: frozenset[str]) -> int:
    """Look for what ended by one and goes on by the other."""
    if mine.ended == other.ended or (not mine.ended and not mine.goes_on) or other.negated or "not" in mine.words:
        return 0
    own = mine.topic - term_set(LASTING) - term_set(_ENDINGS) - term_set(OF_THE_USER)
    held = other.topic - term_set(_ENDINGS)
    covers = bool(own & held - asked) or len(own & held) >= _ABOUT * len(held - term_set(LASTING))
    return _TURNED if own and own <= held | asked and covers else 0


_ENDINGS: Final = "gave give given quit stopped sold rid gotten cancelled cancel resigned dropped call called"


def _excluded(mine: _Said, other: _Said, asked: frozenset[str]) -> int:
    """Look for the other of two words that exclude each other where all else is the same."""
    if mine.negated != other.negated:
        return 0
    for row in EXCLUSIVE:
        own = [place for place, group in enumerate(row) if not group.isdisjoint(mine.words)]
        held = [place for place, group in enumerate(row) if not group.isdisjoint(other.words)]
        if len(own) == len(held) == 1 and own != held:
            either = frozenset(terms(" ".join(" ".join(group) for group in row)))
            wanted = other.topic - either - term_set(OF_THE_USER) - term_set(LASTING)
            said = mine.reach(asked, other.topic)
            if wanted and len(wanted & said) >= _ABOUT * len(wanted) and len(mine.topic - either - other.topic) <= 1:
                return _EXCLUDED
    return 0


def _diet(mine: _Said, other: _Said, _: frozenset[str]) -> int:
    """Look for a food or drink that a diet rules out."""
    eats = not mine.negated and not mine.ended and ("liking", -1) not in mine.sides
    return _EXCLUDED if eats and goes_against(mine.words, other.words, denies=other.negated) else 0


_RULES: Final = (_numbered, _value, _stance, _swapped, _ending, _excluded, _diet)
