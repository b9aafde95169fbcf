"""Conversations with the facts that they say: those written for this project, and LoCoMo's with its observations.

Guarantees: a file that breaks the layout (``written/FORMAT.md``) is named with the field, and no message quotes a text;
the times of a conversation's turns differ, so that a turn is known by its time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import InvalidDocument
from marskg.sources import fields, strictjson
from marskg.sources.fields import BadField
from marskg.sources.strictjson import BadJson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from marskg_bench.common.conversation import Conversation

#: Conversations of this distribution: ``dev``, and ``held``, which is measured and never tuned on.
WRITTEN: Final = Path(__file__).with_name("written")


@dataclass(frozen=True, slots=True)
class Said:
    """One turn; ``at`` is in epoch milliseconds, ``role`` is ``user`` or ``assistant``."""

    speaker: str
    text: str
    session: str
    at: int
    role: str = "user"


@dataclass(frozen=True, slots=True)
class Gold:
    """One fact in words of its own, with the positions of the turns that say it; its kinds are those it counts for."""

    statement: str
    turns: frozenset[int]
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation with its facts; ``idle`` are positions of turns that say none."""

    name: str
    turns: tuple[Said, ...]
    facts: tuple[Gold, ...]
    idle: frozenset[int] = frozenset()


def observed(one: Conversation) -> Talk:
    """Return a conversation of LoCoMo with what is noted about it as its facts."""
    turns = tuple(Said(turn.speaker, turn.said, turn.session, turn.at) for turn in one.turns if turn.said)
    moved = {place: at for at, place in enumerate(place for place, turn in enumerate(one.turns) if turn.said)}
    facts = (
        Gold(noted.text, frozenset(moved[place] for place in noted.evidence if place in moved), ("observation",))
        for noted in one.observations
    )
    return Talk(one.name, turns, tuple(facts))


def written(folder: Path) -> list[Talk]:
    """Return the conversations of a folder of JSON documents, by name.

    Raises:
        InvalidDocument: there is none, or one breaks the layout.
    """
    found = [_talk(file) for file in sorted(folder.glob("*.json"))]
    if not found:
        msg = f"{folder} holds no conversation; name a folder of files as {WRITTEN / 'FORMAT.md'} describes"
        raise InvalidDocument(msg)
    return found


def _talk(file: Path) -> Talk:
    try:
        values = fields.as_object(strictjson.parse(file.read_bytes()), "the document")
        turns = [fields.as_object(one, "turns") for one in fields.as_list(fields.required(values, "turns"), "turns")]
        places = {_text(one, "id"): place for place, one in enumerate(turns)}
        return Talk(
            _text(values, "name"),
            tuple(_said(one) for one in turns),
            tuple(_facts(values, places)),
            _idle(values, places),
        )
    except (BadField, BadJson, OSError) as error:
        why = type(error).__name__ if isinstance(error, OSError) else error
        msg = f"{file}: {why}; {WRITTEN / 'FORMAT.md'} describes the layout"
        raise InvalidDocument(msg) from error


def _said(values: Mapping[str, Any]) -> Said:
    try:
        at = datetime.fromisoformat(_text(values, "at"))
    except ValueError as error:
        msg = '"at" is no time; write it as "2025-03-03T07:50:00+00:00"'
        raise BadField(msg) from error
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    speaker, text, session, role = (_text(values, name) for name in ("speaker", "text", "session", "role"))
    return Said(speaker, text, session, int(at.timestamp() * 1000), role)


def _facts(values: Mapping[str, Any], places: Mapping[str, int]) -> Iterator[Gold]:
    for one in fields.as_list(fields.required(values, "facts"), "facts"):
        fact = fields.as_object(one, "facts")
        named = fields.as_texts(fields.required(fact, "turns"), "turns")
        kinds = (_text(fact, "kind"), _text(fact, "operation"))
        yield Gold(_text(fact, "statement"), frozenset(_place(ident, places) for ident in named), kinds)


def _idle(values: Mapping[str, Any], places: Mapping[str, int]) -> frozenset[int]:
    """Return the turns that are marked as no fact and say none besides."""
    saying = {place for fact in _facts(values, places) for place in fact.turns}
    marked = fields.as_list(values.get("not_facts") or [], "not_facts")
    return frozenset(_place(_text(fields.as_object(one, "not_facts"), "turn"), places) for one in marked) - saying


def _place(ident: str, places: Mapping[str, int]) -> int:
    if ident not in places:
        msg = '"turns" names a turn that is not there'
        raise BadField(msg)
    return places[ident]


def _text(values: Mapping[str, Any], name: str) -> str:
    return fields.as_text(fields.required(values, name), name)
