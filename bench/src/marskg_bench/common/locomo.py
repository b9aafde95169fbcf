"""LoCoMo's file as it lies on the disk: conversations between two people over months, and questions about them.

Guarantees: those of :mod:`marskg_bench.common.conversations`. A session is dated to the minute; its turns follow one
another by the second. Evidence is written in several ways ("D1:3", "D1:3; D2:5") and here and there names no turn:
what names none is dropped, and a question whose evidence names no turn at all is left out.
Source: snap-research/locomo (CC BY-NC 4.0), ``locomo10.json``; Maharana et al. 2024, section 3 and table 5.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from marskg.sources import fields
from marskg.sources.fields import BadField
from marskg_bench.common.conversation import ADVERSARIAL, Conversation, Observation, Question, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: The benchmark's kinds of question by their numbers.
CATEGORIES: Final[Mapping[int, str]] = MappingProxyType(
    {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: ADVERSARIAL}
)
_SESSION: Final = re.compile(r"session_([0-9]+)", re.ASCII)
_TURN: Final = re.compile(r"D[0-9]+:[0-9]+", re.ASCII)
_WHEN: Final = "%I:%M %p on %d %B, %Y"


def conversation(values: Mapping[str, Any], number: int) -> Conversation:
    """Return the conversation of one entry.

    Raises:
        BadField: a field is missing or has another type.
    """
    said = fields.as_object(fields.required(values, "conversation"), "conversation")
    turns: list[Turn] = []
    places: dict[str, int] = {}
    for name in sorted((name for name in said if _SESSION.fullmatch(name)), key=_numbered):
        for ident, turn in _session(said, name):
            places[ident] = len(turns)
            turns.append(turn)
    if not turns:
        msg = '"conversation" holds no "session_1" with turns; add one'
        raise BadField(msg)
    asked = (_question(one, places) for one in fields.as_list(fields.required(values, "qa"), "qa"))
    return Conversation(
        name=fields.as_text(values.get("sample_id", f"conversation {number}"), "sample_id"),
        turns=tuple(turns),
        questions=tuple(one for one in asked if one is not None),
        observations=tuple(_observations(values.get("observation") or {}, places)),
    )


def _observations(noted: object, places: Mapping[str, int]) -> Iterator[Observation]:
    """Yield what is noted by session and speaker; what names no turn is left out, as nothing could be told from it."""
    for session, by_speaker in fields.as_object(noted, "observation").items():
        for texts in fields.as_object(by_speaker, session).values():
            for place, pair in enumerate(fields.as_list(texts, session)):
                text, evidence = _pair(pair, f"{session}[{place}]")
                named = [
                    one for one in (evidence if isinstance(evidence, list) else [evidence]) if isinstance(one, str)
                ]
                found = frozenset(places[ident] for one in named for ident in _TURN.findall(one) if ident in places)
                if found:
                    yield Observation(text, found)


def _pair(value: object, name: str) -> tuple[str, object]:
    found = fields.as_list(value, name)
    if len(found) != 2:  # noqa: PLR2004 - a text and its turns
        msg = f'"{name}" is no text with its turns; write it as ["text", "D1:3"]'
        raise BadField(msg)
    return fields.as_text(found[0], name), found[1]


def _numbered(name: str) -> int:
    return int(name.removeprefix("session_"))


def _session(said: Mapping[str, Any], name: str) -> Iterator[tuple[str, Turn]]:
    """Yield the turns of one session with the names that evidence gives them."""
    dated = f"{name}_date_time"
    items = fields.as_list(said[name], name)
    start = _moment(fields.required(said, dated), dated) if items else 0
    for place, item in enumerate(items):
        values = fields.as_object(item, f"{name}[{place}]")
        speaker = fields.as_text(fields.required(values, "speaker"), "speaker")
        text = values.get("text")
        caption = values.get("blip_caption")
        shown = f" [shares {fields.as_text(caption, 'blip_caption')}]" if caption else ""
        said_text = fields.as_text(text, "text").strip() if text else ""
        turn = Turn(speaker, f"{speaker}: {said_text}{shown}", name, start + place * 1000, said_text)
        yield fields.as_text(fields.required(values, "dia_id"), "dia_id"), turn


def _moment(value: object, name: str) -> int:
    try:
        found = datetime.strptime(fields.as_text(value, name), _WHEN).replace(tzinfo=UTC)
    except ValueError as error:
        msg = f'"{name}" is no time; write it as "1:56 pm on 8 May, 2023"'
        raise BadField(msg) from error
    return int(found.timestamp()) * 1000


def _question(entry: object, places: Mapping[str, int]) -> Question | None:
    """Return a question, None where its evidence names no turn."""
    values = fields.as_object(entry, "a question")
    category = CATEGORIES.get(fields.as_integer(fields.required(values, "category"), "category"))
    if category is None:
        msg = f'"category" is none of {", ".join(map(str, CATEGORIES))}'
        raise BadField(msg)
    named = [text for text in fields.as_list(values.get("evidence") or [], "evidence") if isinstance(text, str)]
    evidence = frozenset(places[ident] for text in named for ident in _TURN.findall(text) if ident in places)
    text = fields.as_text(fields.required(values, "question"), "question")
    # Some end with a blank, which one system keeps and another does not.
    return Question(text.strip(), category, evidence) if evidence else None
