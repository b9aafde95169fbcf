"""Talks with labelled questions, as BEAM's file has them and as anybody may write their own.

An entry has ``turns``, each with an ``id``, a ``text``, a ``date`` or time (ISO 8601) and, if there are any, a
``session``, a ``role`` (user or assistant) and a ``speaker``; and ``questions``, each with a ``question``, its
``evidence`` as ids of turns and, if there is one, an ``ability``. Several turns of one time follow one another by the
second. Of BEAM the abilities that a ranking can be asked for are taken: what is asked to be ordered, summarised,
followed or refused has no turns that answer it.
Source: mohammadtavakoli78/BEAM; Tavakoli et al. 2025.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from marskg.ontology.mapping import time_value
from marskg.sources import fields
from marskg.sources.fields import BadField
from marskg_bench.common.conversation import ASSISTANT, Conversation, Question, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_USER: Final = "user"
_OTHERS: Final = frozenset(
    {"abstention", "event_ordering", "instruction_following", "preference_following", "summarization"}
)


def conversation(values: Mapping[str, Any], number: int) -> Conversation:
    """Return the conversation of one entry.

    Raises:
        BadField: a field is missing or has another type.
    """
    places: dict[Any, int] = {}
    turns: list[Turn] = []
    for place, entry in enumerate(fields.as_list(fields.required(values, "turns"), "turns")):
        given = fields.as_object(entry, f"turns[{place}]")
        ident = fields.required(given, "id")
        if not isinstance(ident, (str, int)) or ident in places:
            msg = f'"turns[{place}].id" is no text or number of its own; give each turn another'
            raise BadField(msg)
        places[ident] = place
        turns.append(_turn(given, turns[-1].at if turns else -1))
    if not turns:
        msg = '"turns" is empty; add one'
        raise BadField(msg)
    asked = fields.as_list(fields.required(values, "questions"), "questions")
    return Conversation(
        name=fields.as_text(values.get("name", f"conversation {number}"), "name"),
        turns=tuple(turns),
        questions=tuple(_questions(asked, places)),
    )


def _turn(given: Mapping[str, Any], last: int) -> Turn:
    role = given.get("role") or ""
    if role not in {"", _USER, ASSISTANT}:
        msg = f'"role" is neither {_USER} nor {ASSISTANT}; leave it out where people talk with one another'
        raise BadField(msg)
    said = fields.as_text(fields.required(given, "text"), "text")
    speaker = fields.as_text(given.get("speaker") or role or _USER, "speaker")
    dated = fields.as_text(fields.required(given, "date"), "date")
    try:
        moment = time_value(dated if "T" in dated else f"{dated}T00:00:00Z")
    except ValueError as error:
        msg = '"date" is no time; write it as 2025-05-17 or 2025-05-17T09:30:00Z'
        raise BadField(msg) from error
    session = str(given.get("session", "1"))
    # Whoever talks with an assistant needs no name before what they say.
    return Turn(speaker, said if role else f"{speaker}: {said}", session, max(moment, last + 1000), said, role)


def _questions(asked: list[Any], places: Mapping[Any, int]) -> Iterator[Question]:
    for place, entry in enumerate(asked):
        given = fields.as_object(entry, f"questions[{place}]")
        category = fields.as_text(given.get("ability") or "question", "ability")
        named = fields.as_list(given.get("evidence") or [], "evidence")
        evidence = frozenset(places[one] for one in named if isinstance(one, (str, int)) and one in places)
        text = fields.as_text(fields.required(given, "question"), "question")
        if evidence and category not in _OTHERS:
            yield Question(text.strip(), category, evidence)
