"""Does a new statement conflict with an old one, how, and how surely?

Guarantees: pure and deterministic; at most one conflict for a pair, the surest; ``confidence`` is an integer of 1e-6;
the evidence holds index terms that both statements have, never a sentence. Statements about disjoint sets of people
never conflict. A conflict is something to resolve, never a verdict on which of the two is true: see
:mod:`marskg.learning.rules.resolution`.

Kinds, from the surest: the same ``single`` key with another value; a number, sum, date or time of one attribute that
differs; a stance turned round (likes/dislikes, confirmed/cancelled); a value that the new statement says was replaced;
what was to be done and is done, or need not be any more; a denial of the same; another value of an attribute that
has one.
Source: MemoryArchitect II.D steps 1, 2 and 5; semantics sections 1 (key, cardinality) and 5 (supersede).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from marskg.ontology.vocabulary import Cardinality
from marskg.text import folded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.language.statements import Clause, Reading, Slot

#: One, in the integers of 1e-6 that scores and confidences are.
UNIT: Final = 1_000_000


class ConflictKind(StrEnum):
    """In what two statements conflict."""

    KEY = "key"
    NUMBER = "number"
    POLARITY = "polarity"
    REPLACEMENT = "replacement"
    COMPLETION = "completion"
    NEGATION = "negation"
    VALUE = "value"


#: How sure each kind is when the topics are the same; what they share less of lowers it.
_SURE: Final = {
    ConflictKind.KEY: UNIT,
    ConflictKind.NUMBER: 900_000,
    ConflictKind.POLARITY: 900_000,
    ConflictKind.REPLACEMENT: 850_000,
    ConflictKind.COMPLETION: 850_000,
    ConflictKind.NEGATION: 800_000,
    ConflictKind.VALUE: 700_000,
}
#: Below this a pair is no conflict.
MIN_CONFIDENCE: Final = 500_000
#: Share of the smaller topic that both have, once it is longer than two words; of two words both must be there.
_SHARED: Final = 0.6
_SHORT: Final = 2
#: What a clause about something to do may say besides: how soon, and why it is said.
_ASIDE_WORDS: Final = 2
_WHEN: Final = frozenset({"date", "clock"})
#: … and the hour without a word for it, as in "on Monday at 10".
_DAY_AND_HOUR: Final = _WHEN | {"number:"}


@dataclass(frozen=True, slots=True)
class Statement:
    """What is compared: the text of a memory, and what is known of it.

    ``valid_from`` is in epoch milliseconds, ``reliability`` in [0, 1], ``score`` 0..100; ``sequence`` breaks ties.
    ``entities`` are names or ids of what the statement mentions, empty for not known.
    """

    text: str
    key: str | None = None
    cardinality: Cardinality | None = None
    valid_from: int = 0
    subjects: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()
    reliability: float = 1.0
    score: int = 50
    sequence: int = 0
    id: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two statements that cannot both hold now.

    ``attribute`` and ``evidence`` are index terms: what the two are about, and what they differ in.
    """

    kind: ConflictKind
    confidence: int
    attribute: tuple[str, ...]
    evidence: tuple[str, ...]


def conflict(new: Statement, old: Statement) -> Conflict | None:
    """Return the conflict of ``new`` with ``old``, or None."""
    if new.subjects and old.subjects and new.subjects.isdisjoint(old.subjects):
        return None
    if folded(new.text) == folded(old.text):
        return None
    if _same_single(new, old):
        return Conflict(ConflictKind.KEY, _SURE[ConflictKind.KEY], (str(new.key),), ())
    from marskg.language.spoken import read_pair  # noqa: PLC0415 - the clauses of four languages: only to compare texts

    both = read_pair(new.text, old.text)
    if both is None or not _related(*both):
        return None
    found = _by_text(*both, one_attribute=_may_share_attribute(new, old))
    if found is None or found.confidence < MIN_CONFIDENCE:
        return None
    # Two values of one attribute name two things, which is what the conflict is.
    if found.kind not in {ConflictKind.NUMBER, ConflictKind.VALUE} and _other_things(new, old):
        return None
    return found


def find_conflicts(new: Statement, candidates: Iterable[Statement]) -> list[tuple[Statement, Conflict]]:
    """Return the ``candidates`` that ``new`` conflicts with, surest first, ties by sequence and then as they came."""
    found = [(old, one) for old in candidates if (one := conflict(new, old)) is not None]
    return sorted(found, key=lambda pair: (-pair[1].confidence, pair[0].sequence))


def _related(new: Reading, old: Reading) -> bool:
    """Return whether two statements have a term or an attribute in common: without one no rule finds anything."""
    if new.slot and old.slot and new.slot.attribute == old.slot.attribute:
        return True
    return not new.terms.isdisjoint(old.terms)


def _same_single(new: Statement, old: Statement) -> bool:
    return (
        new.key is not None
        and new.key == old.key
        and Cardinality.SINGLE in {new.cardinality, old.cardinality}
        and new.cardinality in {None, Cardinality.SINGLE}
    )


def _may_share_attribute(new: Statement, old: Statement) -> bool:
    """Return whether the keys leave open that both are about one attribute with one value."""
    if Cardinality.APPEND in {new.cardinality, old.cardinality} or Cardinality.SET in {
        new.cardinality,
        old.cardinality,
    }:
        return False
    return new.key is None or old.key is None or new.key == old.key


def _other_things(new: Statement, old: Statement) -> bool:
    return bool(new.entities) and bool(old.entities) and new.entities.isdisjoint(old.entities)


def _by_text(new: Reading, old: Reading, *, one_attribute: bool) -> Conflict | None:
    if new.slot and old.slot:
        if new.slot.plural and old.slot.plural:
            return None
        one = _of_slots(new.slot, old.slot) if one_attribute else None
        if one is not None:
            return one
    one_attribute = one_attribute and _may_be_one(new, old)
    found: list[Conflict] = []
    for mine in new.clauses:
        for other in old.clauses:
            rules = (_stances, _denial, _replaced, _completed)
            found += [one for rule in rules if (one := rule(mine, other)) is not None]
            if one_attribute:
                found += [one for one in (_numbers(mine, other), _moved(mine, other), _aims(mine, other)) if one]
    return max(found, key=lambda one: (one.confidence, one.kind), default=None)


def _may_be_one(new: Reading, old: Reading) -> bool:
    """Return whether the labels, where there are any, leave open that both are about one attribute.

    Entries of a list have none; a labelled attribute is named by a sentence that has most of the label's words.
    """
    if new.slot is None and old.slot is None:
        return True
    if new.slot and old.slot:
        return new.slot.entries and old.slot.entries and not (new.slot.plural or old.slot.plural)
    slot, other = (new.slot, old) if new.slot else (old.slot, new)
    if slot is None or slot.plural:
        return False
    return slot.entries or _SHARED * len(slot.attribute) <= len(other.terms.intersection(slot.attribute))


def _of_slots(new: Slot, old: Slot) -> Conflict | None:
    """Compare "attribute: value" with "attribute: other value"."""
    if new.entries or old.entries or new.attribute != old.attribute or set(new.value) == set(old.value):
        return None
    if _other_person(new.person, old.person):
        return None
    numbers = any(term[0].isdigit() for term in new.value) and any(term[0].isdigit() for term in old.value)
    kind = ConflictKind.NUMBER if numbers else ConflictKind.VALUE
    if not numbers and (set(new.value) <= set(old.value) or set(old.value) <= set(new.value)):
        return None
    return Conflict(kind, _SURE[kind], new.attribute, ())


def _other_person(new: str, old: str) -> bool:
    return bool(new) and bool(old) and new != old


def _of_others(new: Clause, old: Clause) -> bool:
    """Return whether two clauses are said of different people or things, by what stands before what they say.

    A clause that names nobody there ("Likes jazz") may be about whom the other one names.
    """
    if new.person and old.person:
        return new.person != old.person
    if new.lead and old.lead:
        return new.lead != old.lead
    return any(one.lead and one.lead.isdisjoint(other.core) for one, other in ((new, old), (old, new)))


def _overlap(new: frozenset[str], old: frozenset[str]) -> float:
    """Return the share of the smaller topic that both have, 0 where that is too little to be the same topic.

    A new statement about one word only ("dislikes stories") does not turn round a stance on something narrower.
    """
    shared = len(new & old)
    smaller = min(len(new), len(old))
    if not shared or (smaller <= _SHORT and shared < smaller) or (shared == 1 and len(old) > 1):
        return 0.0
    share = shared / smaller
    return share if share >= _SHARED else 0.0


def _conflict(kind: ConflictKind, share: float, attribute: Iterable[str], evidence: Iterable[str] = ()) -> Conflict:
    return Conflict(kind, int(_SURE[kind] * share), tuple(sorted(attribute)), tuple(sorted(evidence)))


def _stances(new: Clause, old: Clause) -> Conflict | None:
    """Compare stances on one axis; where both say in brackets what kind of thing it is, the thing is named in full.

    What holds not at a time or place may hold otherwise.
    """
    both_typed = new.core != new.topic and old.core != old.topic
    if both_typed and new.core != old.core:
        return None
    turned = [(axis, sign) for axis, sign in new.stances if (axis, -sign) in old.stances]
    share = _overlap(new.named, old.named) if turned else 0.0
    if not share or _of_others(new, old) or _told_apart(new, old):
        return None
    against, other = (new, old) if turned[0][1] < 0 else (old, new)
    if not (new.done or against.done) and _is_narrowed(against, other):
        return None
    return _conflict(ConflictKind.POLARITY, share, new.named & old.named, (axis for axis, _ in turned))


def _told_apart(new: Clause, old: Clause) -> bool:
    """Return whether two short topics have a word each that the other lacks: green tea is not black tea."""
    mine, others = new.named - new.lead, old.named - old.lead
    if new.done or mine <= others or others <= mine:
        return False
    return mine.isdisjoint(others) or max(len(mine), len(others)) <= _SHORT


def _is_narrowed(against: Clause, other: Clause) -> bool:
    """Return whether what one clause is against has a time, a place or a case that the other does not speak of."""
    narrowed = against.denial is not None and against.denial.narrowed and not (other.denial and other.denial.narrowed)
    mine, others = _by_kind(against), _by_kind(other)
    # What is so on one day may be otherwise on another.
    times = any(mine[kind].isdisjoint(others.get(kind, ())) for kind in _WHEN & mine.keys())
    return narrowed or times or not against.scope <= other.topic


def _denial(new: Clause, old: Clause) -> Conflict | None:
    """Compare a clause with its denial; a clause that takes sides denies by its side.

    What is denied must be all said by the other, and of the same: who does not eat fish without lemon eats fish.
    """
    if new.negated == old.negated or new.stances or old.stances or _other_person(new.person, old.person):
        return None
    denied, other = (new, old) if new.negated else (old, new)
    denial = denied.denial
    if denial is None or denial.narrowed or not (denial.focus & other.core) or not denied.core <= other.core:
        return None
    if denied.core != other.core and len(denied.core) < _SHORT:
        return None
    if not _by_kind(denied).items() <= _by_kind(other).items():
        return None
    place = min(other.order.index(term) for term in denial.focus & set(other.order)) if other.order else 0
    if (set(other.order[:place]) ^ denied.lead) - denial.focus:
        return None
    return _conflict(ConflictKind.NEGATION, 1.0, denied.core)


def _completed(new: Clause, old: Clause) -> Conflict | None:
    """Compare what was to be done with a clause that says that it was done, or is not to be done any more.

    What stands in quotation marks is what is done, if there is such a thing. A clause that says much besides stays.
    """
    if old.need and not (new.need or new.negated or new.stances) and new.event and _same_task(new, old):
        return _conflict(ConflictKind.COMPLETION, 1.0, old.undone)
    if not (new.done and old.need) or old.negated or (new.need and not (new.quoted or new.negated)):
        return None
    aim, said = new.task, old.undone
    # Of a list from which one quoted thing is taken the rest still holds.
    besides = _ASIDE_WORDS if new.quoted else len(aim) + _ASIDE_WORDS
    if (len(aim) < _SHORT and aim != said) or len(said - aim) > besides:
        return None
    share = _overlap(aim, said)
    complete = len(aim & said) / len(aim)
    return _conflict(ConflictKind.COMPLETION, complete, aim & said) if share and complete >= _SHARED else None


def _same_task(new: Clause, old: Clause) -> bool:
    """Return whether a clause tells of the very thing that was to be done, with at most a word beside it."""
    besides = len(new.undone - old.undone)
    return len(old.undone) >= _SHORT and old.undone <= new.undone and besides <= 1 and not old.negated


def _replaced(new: Clause, old: Clause) -> Conflict | None:
    """Look in ``old`` for the value that ``new`` says was replaced."""
    attribute = new.topic & old.topic
    numbers = {quantity.value for quantity in old.quantities}
    if new.replaced_numbers and attribute and new.replaced_numbers <= numbers:
        return _conflict(ConflictKind.NUMBER, 1.0, attribute, new.replaced_numbers)
    covered = _overlap(old.core, new.topic | new.replaced)
    if new.replaced and new.replaced <= old.topic and covered and not old.negated:
        return _conflict(ConflictKind.REPLACEMENT, 1.0, attribute, new.replaced)
    return None


def _numbers(new: Clause, old: Clause) -> Conflict | None:
    """Compare the quantities of one attribute: one kind may differ, or day and hour; the words must be the same."""
    if new.replaced_numbers and new.replaced_numbers.isdisjoint(quantity.value for quantity in old.quantities):
        return None
    if new.event or old.event or not (new.core <= old.core or old.core <= new.core):
        return None
    if new.negated != old.negated or new.added or (new.core ^ old.core) & (new.measured | old.measured):
        return None
    if _other_person(new.person, old.person):
        return None
    share = _overlap(new.core, old.core)
    mine, others = _by_kind(new), _by_kind(old)
    differing = [kind for kind in mine.keys() & others.keys() if mine[kind].isdisjoint(others[kind])]
    vague = len(new.core & old.core) == 1 and (new.request or old.request)
    one = len(differing) == 1
    moved = len(differing) > 1 and _DAY_AND_HOUR.issuperset(differing) and mine.keys() == others.keys()
    if not share or vague or not (one or moved):
        return None
    return _conflict(ConflictKind.NUMBER, share, new.core & old.core, differing)


def _moved(new: Clause, old: Clause) -> Conflict | None:
    """Compare a clause that says that something changed with what it was: one topic must hold the other."""
    if not new.change or new.replaced_numbers or new.event or old.event or not old.core:
        return None
    if new.request and len(new.core & old.core) < _SHORT:
        return None
    if not (old.core <= new.topic or (new.core <= old.core and len(new.core) >= _SHORT)):
        return None
    mine, others = _by_kind(new), _by_kind(old)
    both_when = not _WHEN.isdisjoint(mine) and not _WHEN.isdisjoint(others)
    differing = [kind for kind in mine.keys() & others.keys() if mine[kind].isdisjoint(others[kind])]
    same = any(kind in others and not mine[kind].isdisjoint(others[kind]) for kind in mine)
    if (both_when or differing) and not (same and not differing):
        return _conflict(ConflictKind.NUMBER, 0.8, old.core, differing)
    return None


def _aims(new: Clause, old: Clause) -> Conflict | None:
    """Compare two goals or limits per day, week, month or year: of steps, or of money for the same thing."""
    if not (new.aim and old.aim) or new.event or old.event or new.periods.isdisjoint(old.periods):
        return None
    mine, others = _by_kind(new), _by_kind(old)
    differing = [kind for kind in mine.keys() & others.keys() if mine[kind].isdisjoint(others[kind])]
    subject = new.aimed & old.aimed
    if len(differing) != 1 or (differing == ["money"] and not subject) or differing == ["number:"]:
        return None
    return _conflict(ConflictKind.NUMBER, 0.9, subject or differing, differing)


def _by_kind(clause: Clause) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for quantity in clause.quantities:
        found.setdefault(quantity.kind, set()).add(quantity.value)
    return found
