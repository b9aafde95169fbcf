"""Reads a statement clause by clause, with the words of a language: topics, stances, quantities, changes, attributes.

Guarantees: pure functions of the text; the same text reads the same everywhere; nothing is guessed about the world. A
statement is read clause by clause, since "I used to love tea, but now I drink coffee" says two things. What nobody
asserts (a question, a condition, what somebody else says, irony) is not read at all.

A word of negation denies what it stands at, and nothing else: "do not forget to call" denies forgetting, so that it
contradicts nothing that is about calling. Where it has a limit behind it ("not only"), or stands in a form that affirms
("nothing more than"), it denies nothing.
Limits: of a text longer than :data:`MAX_CHARACTERS`, or of more clauses than :data:`MAX_CLAUSES`, the beginning is
read, since what is compared is a memory, not a book; pronouns are not resolved, so a clause about "it" has no topic and
contradicts nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from marskg.language.clause_words import words_of
from marskg.language.en.quantities import quantities, without_quantities
from marskg.language.statements import Clause, Denial, Reading, Slot
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg.language.clause_words import ClauseWords, Negation

#: How much of a statement is read.
MAX_CHARACTERS: Final = 8_000
#: Clauses of a text that are read: each is compared with each of another text. Sentences have fewer in as many letters.
MAX_CLAUSES: Final = 200
_ASIDE: Final = late_regex(r"\s*\([^()]*\)")
#: Chinese has no blank behind a colon.
_LABEL: Final = late_regex(r"^([^:\n]{2,80})(?::\s+|(?<=[\u4e00-\u9fff]):\s*)(\S.*)$", re.DOTALL)
#: A longer one is a sentence before a colon, not the name of an attribute; a longer value is a sentence, not a name.
_LABEL_WORDS: Final = 7
_VALUE_WORDS: Final = 4
#: Two negations may affirm; what more than so many say, nobody knows.
_PAIR: Final = 2
_NEGATIONS: Final = 4
_QUOTED: Final = late_regex(r"[\"“]([^\"“”]{3,200})[\"”]|(?<!\w)['‘]([^\"]{3,200}?)['’](?!\w)")
_MARKS: Final = " .,!?;。，！？；、"
_PIECE: Final = late_regex(r"[,;:，；：、]")
_QUESTION: Final = late_regex(r"[?？][\"'”’»)\]]*$")


def read(text: str, language: ClauseWords) -> Reading:
    """Return what ``text`` says, read with the words of ``language``."""
    text = text[:MAX_CHARACTERS]
    asserted = [plain for one in language.sentences(text) if (plain := _asserted(one, language))]
    parts = [part for sentence in asserted for part in _parts(sentence, language)]
    said = (clause for part in parts if (clause := _clause(part, language)) is not None)
    clauses = tuple(islice(said, MAX_CLAUSES))
    every = frozenset().union(*(clause.topic | clause.replaced for clause in clauses))
    numbers = frozenset(quantity.value for clause in clauses for quantity in clause.quantities)
    return Reading(clauses, _slot(text, language) if asserted else None, every | numbers)


def _asserted(sentence: str, language: ClauseWords) -> str:
    """Return a sentence, folded, without its quotation marks; empty where nobody asserts it."""
    marks = language.unasserted
    plain = language.folded(sentence).strip()
    asks = _QUESTION.search(plain) is not None and not marks.requested.search(plain)
    if asks or any(one.search(plain) for one in (marks.suggested, marks.supposed, marks.reported, marks.ironic)):
        return ""
    return plain.strip("\"'“”‘’„«» ")


def _as_read(plain: str, language: ClauseWords) -> str:
    for pattern, word in language.phrases:
        plain = pattern.sub(word, plain)
    return plain


def _parts(sentence: str, language: ClauseWords) -> list[str]:
    """Return the clauses of a sentence, with phrases as the words that they mean."""
    pieces = language.split.split(_as_read(sentence, language))
    return [part for piece in pieces if piece and (part := piece.strip(_MARKS))]


def _clause(part: str, language: ClauseWords) -> Clause | None:
    before, replaced = _replacement(part, language)
    rest = without_quantities(before)
    line = _line(rest, language)
    aside = "(" in before and _line(without_quantities(_ASIDE.sub(" ", before)), language).topic
    core = aside or line.topic
    found = quantities(before)
    if not line.topic and not found and not replaced:
        return None
    tasks, changes = language.tasks, language.changes
    ended = tasks.ended.search(part) is not None
    finished = tasks.done.search(part) is not None and line.denial is None
    listed = language.words(part)
    changed = any(term in changes.words for word in listed for term in _terms_of(language.terms, word))
    borrowed = language.borrowed.findall(before)
    quoted = frozenset(term for match in _QUOTED.finditer(part) for term in language.terms(match[1] or match[2]))
    return Clause(
        topic=line.topic,
        core=core,
        named=core - frozenset(language.terms(" ".join(borrowed))) if borrowed else core,
        order=line.order,
        lead=line.lead,
        measured=line.topic.intersection(language.terms(_before_quantity(before, rest, language)))
        if found
        else line.topic,
        person=line.person,
        scope=frozenset(
            term for match in language.scope.finditer(rest) for term in language.terms(match[match.lastindex or 0])
        ),
        stances=line.stances,
        denial=line.denial,
        quantities=found,
        change=bool(replaced) or changed or changes.now.search(part) is not None,
        request=language.request.search(part) is not None,
        aim=language.aims.said.search(part) is not None,
        periods=core & language.aims.periods,
        aimed=core - language.aims.periods - language.aims.words,
        replaced=_line(without_quantities(replaced), language).topic if replaced else frozenset(),
        replaced_numbers=frozenset(quantity.value for quantity in quantities(replaced)) if replaced else frozenset(),
        event=language.event(listed),
        need=tasks.need.search(part) is not None,
        done=ended or tasks.dropped.search(part) is not None or finished,
        task=(quoted or core) - tasks.words,
        undone=core - tasks.words,
        quoted=quoted,
        added=language.added.search(part) is not None,
    )


def _before_quantity(before: str, rest: str, language: ClauseWords) -> str:
    """Return what stands before the first quantity of a clause, of which ``rest`` is the clause without any."""
    pairs = zip(language.folded(before), rest, strict=False)
    same = next((place for place, (one, other) in enumerate(pairs) if one != other), len(rest))
    return rest[:same]


@dataclass(frozen=True, slots=True)
class _Line:
    """A clause without its quantities: see :class:`~marskg.language.statements.Clause`."""

    topic: frozenset[str]
    order: tuple[str, ...]
    lead: frozenset[str]
    person: str
    stances: frozenset[tuple[str, int]]
    denial: Denial | None


@dataclass(frozen=True, slots=True)
class _Token:
    """A word: what it denies by its form, its side, or a term of the topic; ``piece`` counts what commas part."""

    piece: int
    word: str
    negates: bool = False
    term: str = ""
    side: tuple[str, int] | None = None

    @property
    def counts(self) -> bool:
        """Return whether a negation can stand at it."""
        return bool(self.term)


def _line(plain: str, language: ClauseWords) -> _Line:
    tokens = list(_tokens(plain, language))
    opening = next((place for place, one in enumerate(tokens) if one.negates or one.side), len(tokens))
    whom = _whom(tokens, opening, language)
    order = tuple(one.term for one in tokens if one.counts and not one.side)
    # What is written as one with signs ("qx-7731-b") is a term besides its parts.
    codes = {term for term in language.terms(plain) if language.side(term) is None and _is_topic(term, language)}
    sides = dict[str, int]()
    for one in tokens:
        if one.side:
            axis, sign = one.side
            sides[axis] = sign if sides.get(axis, sign) == sign else 0
    denial, flips = _denial(tokens, plain, language)
    return _Line(
        topic=frozenset(order) | codes,
        order=order,
        lead=frozenset(one.term for one in tokens[whom + 1 : opening] if one.counts),
        person=language.persons[tokens[whom].word] if whom >= 0 else "",
        stances=frozenset((axis, -sign if flips else sign) for axis, sign in sides.items() if sign),
        denial=denial,
    )


def _whom(tokens: list[_Token], opening: int, language: ClauseWords) -> int:
    """Return the place of the pronoun of whom a clause speaks, -1 for none.

    That is the last one before it denies or takes a side; where it does neither, the one that it begins with.
    """
    if opening == len(tokens):
        opening = next((place for place, one in enumerate(tokens) if one.counts), opening)
    return next((place for place in range(opening - 1, -1, -1) if tokens[place].word in language.persons), -1)


def _tokens(plain: str, language: ClauseWords) -> Iterator[_Token]:
    for number, piece in enumerate(_PIECE.split(plain)):
        for word in language.words(piece):
            if word in language.negation.words:
                yield _Token(number, word, negates=True)
                continue
            found = [one for one in _terms_of(language.terms, word) if language.side(one) or _is_topic(one, language)]
            if not found:
                yield _Token(number, word)
            for term in found:
                yield _Token(number, word, term=term, side=language.side(term))


@lru_cache(maxsize=50_000)
def _terms_of(terms: Callable[[str], list[str]], word: str) -> tuple[str, ...]:
    """Return the terms of one word; people's words repeat."""
    return tuple(terms(word))


def _is_topic(term: str, language: ClauseWords) -> bool:
    return term not in language.filler and term not in language.changes.words and term not in language.negation.words


def _denial(tokens: list[_Token], plain: str, language: ClauseWords) -> tuple[Denial | None, bool]:
    """Return what a clause denies, and whether that turns its stances round."""
    negation = language.negation
    places = [place for place, one in enumerate(tokens) if one.negates]
    if not 0 < len(places) <= _NEGATIONS or (negation.doubles and len(places) == _PAIR) or negation.void.search(plain):
        return None, False
    # What somebody used to say or think is past with all that it says.
    focus, flips = set[str](), language.tasks.ended.search(plain) is not None
    sided = [place for place, one in enumerate(tokens) if one.side]
    for place in places:
        at = _stands_at(tokens, place, negation)
        if at is not None:
            focus.add(tokens[at].term)
            passed = language.terms(" ".join(one.word for one in tokens[place:at]))
            flips = flips or tokens[at].side is not None or any(one < place for one in sided)
            flips = flips or not negation.raised.isdisjoint(passed)
    if not focus or negation.unsure.search(plain):
        return None, False
    return Denial(frozenset(focus), negation.narrows.search(plain) is not None), flips


def _stands_at(tokens: list[_Token], place: int, negation: Negation) -> int | None:
    """Return the place of the word that a negation stands at: the next that counts before a comma, else the last."""
    piece = tokens[place].piece
    for after in range(place + 1, len(tokens)):
        one = tokens[after]
        if one.piece != piece:
            break
        if one.word in negation.limits:
            return None
        if one.counts and not negation.passed.fullmatch(one.word):
            return after
    return next((one for one in range(place - 1, -1, -1) if tokens[one].counts and tokens[one].piece == piece), None)


def _replacement(part: str, language: ClauseWords) -> tuple[str, str]:
    """Return the clause without the value that it says was replaced, and that value."""
    changes = language.changes
    for pattern in (*changes.moved, *changes.replaced):
        match = pattern.search(part)
        around = f"{part[: match.start()]} {part[match.end() :]}" if match else ""
        if match and (pattern in changes.replaced or not changes.words.isdisjoint(language.terms(around))):
            return f"{part[: match.start()]} {match['new']}{part[match.end() :]}", match["old"]
    match = changes.instead.search(part)
    if match:
        return f"{part[: match.start()]} {part[match.end() :]}".strip(), match[1]
    return part, ""


def _slot(text: str, language: ClauseWords) -> Slot | None:
    plain, forms = language.folded(text).strip(), language.attributes
    match = _LABEL.match(plain)
    if match:
        label = language.words(_ASIDE.sub("", match[1]))
        if not label or len(label) > _LABEL_WORDS or not forms.no_label.isdisjoint(label):
            return None
        plural = label[-1] in forms.lists or forms.plural(label[-1])
        value = _all_terms(match[2], language)
        return Slot(_all_terms(match[1], language), value, plural or label[-1] in forms.entries, plural)
    plain = _as_read(plain, language).strip(_MARKS)
    found = _value_of(plain, text, language)
    # Looked at last, as it costs most: hardly a text names a value.
    if found is None or language.added.search(plain) or _line(without_quantities(plain), language).denial:
        return None
    return found


def _value_of(plain: str, text: str, language: ClauseWords) -> Slot | None:
    """Return the attribute that ``plain``, which is ``text`` as it is read, gives a value to, denied or not."""
    forms = language.attributes
    match = forms.one_valued.match(plain)
    if match:
        return _named(match["who"], match["value"], "", language)
    for relation, pattern in forms.relations:
        match = pattern.match(plain)
        if match and not forms.vague.match(match["value"]):
            return _named(match["who"], match["value"], relation, language)
    for pattern in forms.open:
        match = pattern.match(plain)
        if match and _is_open(match, text, language):
            return _named(match["who"], match["value"], "", language)
    return None


def _is_open(match: re.Match[str], text: str, language: ClauseWords) -> bool:
    """Return whether "the X of Y is Z" gives a name to something of which there is one."""
    forms = language.attributes
    head = frozenset(language.terms(match["head"]))
    value = language.words(match["value"])
    if not head or not forms.many.isdisjoint(head) or forms.plural(match["head"]) or len(value) > _VALUE_WORDS:
        return False
    if forms.vague.match(match["value"]):
        return False
    return forms.sole.search(match["who"]) is not None or _are_names(value, text, language)


def _are_names(value: list[str], text: str, language: ClauseWords) -> bool:
    written = words_of(text) if language.capitals else language.words(text)
    shown = {
        language.folded(word) for word in written if (word != word.lower() if language.capitals else word.isascii())
    }
    counted = [word for word in value if language.terms(word)]
    return bool(counted) and all(word in shown for word in counted)


def _named(who: str, value: str, relation: str, language: ClauseWords) -> Slot:
    owner = tuple(term for term in language.terms(who) if term not in language.filler)
    persons = {**language.persons, **language.owners}
    person = next((persons[word] for word in language.words(who) if word in persons), "")
    attribute = (*owner, relation) if relation else owner
    return Slot(attribute, _all_terms(value, language), entries=False, plural=False, person=person)


def _all_terms(text: str, language: ClauseWords) -> tuple[str, ...]:
    """Return the terms of ``text`` in order; of a text of stop words alone, its words."""
    return tuple(language.terms(text)) or tuple(language.words(text))
