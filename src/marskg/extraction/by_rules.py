"""A reader of text that needs no model: what the rules of the language find, as proposals.

Guarantees: the same turns give the same proposals, in their order; no text makes it raise; a span lies inside its turn.
Only what a user says is read as said by somebody: documents, tools and the assistant neither speak for the user nor
give orders. Of a document its labelled fields are read, as facts of the document. Relative times are resolved against
the turn's time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Final

from marskg.drafts import EntityRelation
from marskg.extraction.answered import QUOTED
from marskg.extraction.proposal import Maker, Proposal, ProposalOperation, Span
from marskg.extraction.said_times import held
from marskg.language.en.facts.document_fields import record_named
from marskg.language.en.facts.facts_said import facts_of
from marskg.language.en.facts.notes_said import labelled
from marskg.language.en.facts.phrasing import key_of
from marskg.language.facts import Voice
from marskg.language.speaker_label import without_speaker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from marskg.extraction.proposal import Turn
    from marskg.language.facts import Fact

#: Who speaks for themselves.
_SPEAKERS: Final = frozenset({"user"})
_DOCUMENT: Final = "doc"
#: The first part of the keys of fields, and the key of a title.
_FIELDS: Final = "document/"
_TITLE: Final = f"{_FIELDS}titl"


class RuleExtractor:
    """Reads English by rules; ``zone`` is the time zone in which "tomorrow" begins."""

    def __init__(self, zone: tzinfo = UTC) -> None:
        """Read in the time zone ``zone``."""
        self._zone = zone

    def extract(self, turns: Sequence[Turn]) -> Iterator[Proposal]:
        """Yield what the turns say, in their order."""
        records: dict[str | None, str] = {}
        titles: dict[str, str] = {}
        for number, turn in enumerate(turns):
            if turn.role == _DOCUMENT:
                yield from self._fields(number, turn, titles)
            if turn.role not in _SPEAKERS or not turn.text.strip():
                continue
            voice = Voice(turn.speaker or None, _addressee(turns, number))
            text = without_speaker(turn.text, (turn.speaker,) if turn.speaker else ())
            named = record_named(text)
            if named is not None:
                records[turn.session] = key_of(named)
            others = [match.span() for match in QUOTED.finditer(text)]
            said = facts_of(text, voice)
            own = [one for one in said if not any(start <= one.start and one.end <= end for start, end in others)]
            for fact in _in_their_places(own, text):
                yield self._proposal(_placed(fact, records.get(turn.session)), number, turn)

    def _fields(self, number: int, turn: Turn, titles: dict[str, str]) -> Iterator[Proposal]:
        """Yield the fields of a passage; two documents without a title or a session are not told apart by a key."""
        others = [match.span() for match in QUOTED.finditer(turn.text)]
        facts = [
            fact
            for fact in labelled(turn.text)
            if not any(start <= fact.start and fact.end <= end for start, end in others)
        ]
        titled = next((fact.content.partition(": ")[2] for fact in facts if fact.key == _TITLE), None)
        if titled is not None and turn.session is not None:
            titles[turn.session] = titled
        record = key_of(titled or titles.get(turn.session or "") or turn.session or "")
        for fact in facts:
            keyed = _placed(fact, record) if record else replace(fact, key=None, cardinality=None)
            yield replace(self._proposal(keyed, number, turn), subjects=())

    def _proposal(self, fact: Fact, number: int, turn: Turn) -> Proposal:
        since, until = held(fact.when, turn.at, self._zone, due=fact.due, begins=fact.begins)
        return Proposal(
            ProposalOperation(fact.does.value),
            fact.kind,
            fact.content,
            span=Span(number, fact.start, fact.end),
            maker=Maker(rule=fact.rule),
            confidence=fact.confidence,
            key=fact.key,
            cardinality=fact.cardinality,
            payload=fact.payload,
            subjects=fact.about or ((turn.speaker,) if turn.speaker else ()),
            mentions=fact.mentions,
            relations=tuple(EntityRelation(source, edge, target) for source, edge, target in fact.relations),
            old=fact.old,
            valid_from=since,
            valid_to=until,
        )


def _in_their_places(facts: Sequence[Fact], text: str) -> Iterator[Fact]:
    """Yield ``facts``; each of several that were read in the same words has the place of what it alone says."""
    spans = Counter((fact.start, fact.end) for fact in facts)
    small = text.casefold()
    for fact in facts:
        # A field's concept is its name, and its value stands beside that.
        value = fact.payload.get("relations" if (fact.key or "").startswith(_FIELDS) else "concept")
        said = str(value[0] if isinstance(value, tuple) and value else value or "").casefold()
        start = small.find(said, fact.start) if said and len(small) == len(text) else -1
        alone = spans[fact.start, fact.end] == 1 or start < 0
        yield fact if alone else replace(fact, start=start, end=start + len(said))


def _placed(fact: Fact, record: str | None) -> Fact:
    """Return the fact of a field with the record in its key that its session speaks of."""
    if record is None or fact.key is None or not fact.key.startswith(_FIELDS):
        return fact
    return replace(fact, key=f"{_FIELDS}{record}/{fact.key.removeprefix(_FIELDS)}")


def _addressee(turns: Sequence[Turn], number: int) -> str | None:
    """Return the name of the last other speaker of the session before a turn."""
    for turn in reversed(turns[max(0, number - 6) : number]):
        if turn.session == turns[number].session and turn.speaker and turn.speaker != turns[number].speaker:
            return turn.speaker
    return None
