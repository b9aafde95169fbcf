"""From an entry of a model's answer to a proposal: what is taken of it, and why it is not.

Guarantees: pure. A proposal is taken only if its quotation stands in the turn, and its numbers, names and most of its
words stand in the quotation; if it takes the side of the sentence that it quotes, and that is no question; if whom it
is about is named in the turn or speaks in it. A model names no memory and no id: what it ends or replaces is a value
that the turn names. Only what its user says themselves, outside a quotation, can replace or end anything or be a rule;
what documents, tools and the assistant say gets no key, so that it replaces nothing, and a person looks at a wish.
Source: semantics section 1 (key, cardinality).
"""

from __future__ import annotations

import re
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from marskg.extraction.proposal import Proposal, ProposalOperation, Span
from marskg.extraction.said_times import held
from marskg.language.en.assertions import ENDED
from marskg.language.en.opposites import NEGATIONS
from marskg.language.facts import cardinality_of
from marskg.late_regex import late_regex
from marskg.models.answer_schema import Listing, fits
from marskg.models.consistency import consistent
from marskg.models.grounding import grounded, unadorned
from marskg.ontology.vocabulary import Cardinality, Kind
from marskg.text import folded, plain, words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo

    from marskg.extraction.proposal import Maker, Turn
    from marskg.records import Value

_TEXT: Final = {"type": "string"}
_TEXT_OR_NONE: Final = {"type": ["string", "null"]}
_NUMBER_OR_NONE: Final = {"type": ["number", "null"]}
#: What a model is asked for.
FACTS: Final = Listing(
    "facts",
    {
        "operation": {"type": "string", "enum": [one.value for one in ProposalOperation]},
        "kind": {"type": "string", "enum": [one.value for one in Kind]},
        "text": _TEXT,
        "quote": _TEXT,
        "key": _TEXT_OR_NONE,
        "value": _TEXT_OR_NONE,
        "old": _TEXT_OR_NONE,
        "amount": _NUMBER_OR_NONE,
        "unit": _TEXT_OR_NONE,
        "subjects": {"type": "array", "items": _TEXT},
        "when": _TEXT_OR_NONE,
        "confidence": {"type": "number"},
    },
)
#: Characters of one field that are looked at.
_LONGEST: Final = 500
_KEY: Final = late_regex(r"(?P<family>profile|preference|goal|todo|calendar|ledger)(?:/\w[\w' &.-]{0,79}){1,3}")
_USER: Final = "user"
#: What changes what is there, or how the agent behaves.
_CHANGING: Final = frozenset(ProposalOperation) - {ProposalOperation.ADD, ProposalOperation.REVIEW}
#: What somebody else wrote: quotations, quoted lines of mail, fenced text.
QUOTED: Final = late_regex(
    r"\"[^\"]{1,2000}\"|“[^”]{1,2000}”|«[^»]{1,2000}»|```.*?(?:```|\Z)|^[ \t]*>[^\n]*",
    re.DOTALL | re.MULTILINE,
)
_ENDS: Final = late_regex(r"[.!?…]+[\"'”’)\]]*(?=\s|$)|\n+")
_DONE: Final = late_regex(
    r"\b(?:already|cancel\w*|complet\w+|done|dropp\w+|finish\w*|forget|over|paid|remov\w+|sent|submitted|taken care)\b",
    re.IGNORECASE,
)
_NUMBER: Final = late_regex(r"\d[\d,]*(?:\.\d+)?")


class Why(StrEnum):
    """Why an entry of an answer is not taken."""

    SCHEMA = "schema"
    LENGTH = "length"
    SPAN = "span"
    GROUNDING = "grounding"
    MARKS = "marks"
    SENSE = "sense"
    QUESTION = "question"
    QUOTATION = "quotation"
    SPEAKER = "speaker"
    SUBJECT = "subject"
    KEY = "key"
    VALUE = "value"
    OLD = "old"
    AMOUNT = "amount"
    UNIT = "unit"
    WHEN = "when"
    #: One more than ``models.limit.proposals``.
    BEYOND = "beyond the limit"
    #: A rule, or an entry before it, says the same.
    KNOWN = "known"


class Dropped(Exception):
    """An entry that is not taken; its argument says why."""


def proposal_of(
    entry: Mapping[str, Any], number: int, turn: Turn, shown: str, *, maker: Maker, zone: tzinfo
) -> Proposal:
    """Return what an entry about the turn of a ``number`` proposes; ``shown`` is what the model saw of the turn.

    Raises:
        Dropped: it is not taken.
    """
    if not fits(entry, FACTS.item) or not 0 <= entry["confidence"] <= 1:
        raise Dropped(Why.SCHEMA)
    if any(len(one) > _LONGEST for one in (*entry.values(), *entry["subjects"]) if isinstance(one, str)):
        raise Dropped(Why.LENGTH)
    start = turn.text.find(entry["quote"])
    if not entry["quote"].strip() or start < 0 or entry["quote"] not in shown:
        raise Dropped(Why.SPAN)
    span = Span(number, start, start + len(entry["quote"]))
    operation = _operation(entry, turn, span)
    content = " ".join(entry["text"].split())
    _check_said(content, entry, turn, span)
    subjects = _subjects(entry, turn)
    since, until = held(entry["when"], turn.at, zone, due=entry["kind"] == Kind.TASK)
    key, cardinality = _key(entry, turn)
    if turn.role == _USER and subjects != ((turn.speaker,) if turn.speaker else ()):
        # What somebody says of others stands beside what those say of themselves, and a person decides what it ends.
        key = cardinality = None
        operation = ProposalOperation.REVIEW if operation in _CHANGING else operation
    return Proposal(
        operation,
        Kind(entry["kind"]),
        content,
        span=span,
        maker=maker,
        confidence=float(entry["confidence"]),
        key=key,
        cardinality=cardinality,
        payload=_payload(entry, content),
        subjects=subjects,
        mentions=_mentions(entry, turn, subjects),
        old=entry["old"],
        valid_from=since,
        valid_to=until,
    )


def _operation(entry: Mapping[str, Any], turn: Turn, span: Span) -> ProposalOperation:
    """Return what is to be done: a model's own wishes, and endings that no word of the turn tells, are a person's."""
    asked = ProposalOperation(entry["operation"])
    changes = asked in _CHANGING
    if changes and turn.role != _USER:
        raise Dropped(Why.SPEAKER)
    for match in QUOTED.finditer(turn.text):
        inside = match.start() <= span.start and span.end <= match.end()
        if inside or (changes and match.start() < span.end and span.start < match.end()):
            raise Dropped(Why.QUOTATION)
    if not changes:
        return asked
    if asked is ProposalOperation.WISH:
        return ProposalOperation.REVIEW
    if asked is ProposalOperation.UPDATE and not entry["old"]:
        return ProposalOperation.ADD
    if asked in {ProposalOperation.END, ProposalOperation.CLOSE}:
        said = _sentence(turn.text, span)
        told = ENDED.search(said.lower()) or _DONE.search(said) or any(w.text.lower() in NEGATIONS for w in words(said))
        return asked if told else ProposalOperation.REVIEW
    return asked


def _check_said(content: str, entry: Mapping[str, Any], turn: Turn, span: Span) -> None:
    """Refuse what the turn does not say."""
    quote, speaker = entry["quote"], turn.speaker or ""
    if not grounded(content, (quote, speaker)):
        raise Dropped(Why.GROUNDING)
    if not unadorned(content, (quote,)):
        raise Dropped(Why.MARKS)
    said = _sentence(turn.text, span)
    if said.rstrip("\"'”’)] ").endswith("?") and entry["kind"] != Kind.TASK:
        raise Dropped(Why.QUESTION)
    if entry["operation"] in {"add", "update"} and not consistent(content, (f"{speaker} {said}", said)):
        raise Dropped(Why.SENSE)
    for name in ("value", "old", "unit", "when"):
        source = quote if name in {"value", "unit"} else turn.text
        if entry[name] is not None and plain(entry[name]) not in plain(source):
            raise Dropped(Why(name))
    numbers = {Decimal(found.replace(",", "")) for found in _NUMBER.findall(quote)}
    if entry["amount"] is not None and Decimal(str(entry["amount"])) not in numbers:
        raise Dropped(Why.AMOUNT)


def _subjects(entry: Mapping[str, Any], turn: Turn) -> tuple[str, ...]:
    """Return whom it is about, the speaker where nobody is named; nobody else is whom the turn does not name."""
    known = {folded(word.text).removesuffix("'s") for word in words(turn.text)}
    named = dict.fromkeys(one.strip() for one in entry["subjects"] if one.strip())
    for one in named:
        parts = [folded(word.text) for word in words(one)]
        if one != turn.speaker and (not parts or not set(parts) <= known or ":" in one):
            raise Dropped(Why.SUBJECT)
    return tuple(named) or ((turn.speaker,) if turn.speaker else ())


def _key(entry: Mapping[str, Any], turn: Turn) -> tuple[str | None, Cardinality | None]:
    """Return the key and how its values live together; what is not said by the user replaces nothing."""
    if entry["key"] is None or turn.role != _USER:
        return None, None
    match = _KEY.fullmatch(entry["key"].strip())
    if match is None:
        raise Dropped(Why.KEY)
    return match[0], cardinality_of(match[0])


def _payload(entry: Mapping[str, Any], content: str) -> dict[str, Value]:
    kind, value = Kind(entry["kind"]), entry["value"]
    if kind is Kind.TASK:
        return {"goal": value or content}
    found: dict[str, Value] = {}
    if value:
        found[{Kind.SEMANTIC: "concept", Kind.SOCIAL: "entity", Kind.EPISODIC: "event"}[kind]] = value
    if kind is Kind.SEMANTIC and entry["amount"] is not None:
        found["amount"] = entry["amount"]
        if entry["unit"]:
            found["unit"] = entry["unit"]
    return found


def _mentions(entry: Mapping[str, Any], turn: Turn, subjects: tuple[str, ...]) -> tuple[str, ...]:
    value = entry["value"]
    names = [one for one in subjects if one != turn.speaker]
    return tuple(dict.fromkeys([*names, value] if value and value[:1].isupper() else names))


def _sentence(text: str, span: Span) -> str:
    """Return the sentences in which a span stands."""
    start, end = 0, len(text)
    for match in _ENDS.finditer(text):
        if match.end() <= span.start:
            start = match.end()
        elif match.end() >= span.end:
            end = match.end()
            break
    return text[start:end].strip()
