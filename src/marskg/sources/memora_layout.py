"""Memora's files as they lie on the disk: one folder for a persona, one JSON file for a session.

Guarantees: a session that is returned has every field of the layout with its type; the first one that has not is named
by file and field. ``evaluation_questions_*.json``, which holds the answers of the benchmark, is never opened.

Memora dates a session by its day only. The sessions of a day are spread evenly from 06:00 to 22:00 UTC, the turns of a
session evenly over the first half of its share, so that times follow the order of the trace and are the same each time.
Source: geniesinc/Memora (Apache-2.0), ``data/<period>/<persona>/conversations/session_NNNN.json``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from marskg.errors import InvalidDocument
from marskg.late_regex import late_regex
from marskg.sources import fields, strictjson
from marskg.sources.fields import BadField
from marskg.sources.strictjson import BadJson

if TYPE_CHECKING:
    from pathlib import Path

_SESSION_FILE = late_regex(r"session_([0-9]+)\.json", re.ASCII)
_OPERATIONS = frozenset({"add", "update", "delete"})
_SPEAKERS = frozenset({"user_agent", "ai_agent"})
_MORNING_MS = 6 * 3_600_000
_WAKING_MS = 16 * 3_600_000
#: Far above any session of the benchmark; a file beyond it is something else.
_MAX_FILE_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: ``shared`` is Memora's ``share_memory``, set where the turn carries the session's operation."""

    number: int
    speaker: str
    message: str
    shared: bool
    at: int


@dataclass(frozen=True, slots=True)
class Session:
    """One session; ``operation`` is None where nothing is to be remembered."""

    name: str
    persona: str
    session_type: str
    operation: str | None
    details: dict[str, Any]
    day: date
    start: int
    turns: tuple[Turn, ...]

    @property
    def shared(self) -> tuple[Turn, ...]:
        """Return the turns that carry the operation."""
        return tuple(turn for turn in self.turns if turn.shared)


class Layout:
    """The session files of one persona, checked and timed."""

    def __init__(self, directory: Path) -> None:
        """Check every session of the persona in ``directory``.

        Raises:
            InvalidDocument: the folder is not a persona's, or a file breaks the layout.
        """
        self._files = _session_files(directory)
        self._places: list[tuple[int, int]] = []
        days: list[date] = []
        personas: set[str] = set()
        for file in self._files:
            session = _session(file, (0, 1))
            days.append(session.day)
            personas.add(session.persona)
            if len(personas) > 1:
                msg = f'{file}, field "persona": it differs from the other sessions; keep each persona in its folder'
                raise InvalidDocument(msg)
        self.persona = personas.pop()
        totals = Counter(days)
        seen: Counter[date] = Counter()
        for day in days:
            self._places.append((seen[day], totals[day]))
            seen[day] += 1

    def __len__(self) -> int:
        """Return the number of sessions."""
        return len(self._files)

    def session(self, index: int) -> Session:
        """Return the session number ``index`` in the order of the trace, read again from its file."""
        return _session(self._files[index], self._places[index])

    def file(self, index: int) -> Path:
        """Return the file of the session ``index``."""
        return self._files[index]


def day_ms(day: date) -> int:
    """Return the first millisecond of ``day`` in UTC."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000


def as_day(value: object, name: str) -> date:
    """Return ``value`` as a day written YYYY-MM-DD."""
    try:
        day = date.fromisoformat(fields.as_text(value, name))
        day_ms(day)
    except (ValueError, OverflowError) as error:
        msg = f'"{name}" is no day; write it as 2025-06-01'
        raise BadField(msg) from error
    return day


def _session_files(directory: Path) -> list[Path]:
    conversations = directory / "conversations"
    if not conversations.is_dir():
        msg = (
            f'{directory} has no folder "conversations"; name the folder of one persona, '
            "for example memora/weekly/academic_researcher"
        )
        raise InvalidDocument(msg)
    numbered = {}
    for file in conversations.iterdir():
        match = _SESSION_FILE.fullmatch(file.name)
        if match:
            numbered[int(match[1]), file.name] = file
    if not numbered:
        msg = f"{conversations} has no session_NNNN.json; unpack the persona again"
        raise InvalidDocument(msg)
    return [numbered[key] for key in sorted(numbered)]


def _session(file: Path, place: tuple[int, int]) -> Session:
    """Read a session that is the ``place[0]``-th (from 0) of the ``place[1]`` of its day."""
    try:
        if file.stat().st_size > _MAX_FILE_BYTES:
            msg = f"{file} is larger than {_MAX_FILE_BYTES >> 20} MiB; it is no session of Memora"
            raise InvalidDocument(msg)
        values = fields.as_object(strictjson.parse(file.read_bytes()), "session")
        return _checked(values, file.stem, place)
    except OSError as error:
        msg = f"{file} cannot be read ({error.strerror}); check its permissions"
        raise InvalidDocument(msg) from error
    except (BadJson, BadField) as error:
        msg = f"{file}: {error}"
        raise InvalidDocument(msg) from error


def _checked(values: dict[str, Any], name: str, place: tuple[int, int]) -> Session:
    fields.as_integer(fields.required(values, "session_id"), "session_id")
    operation = values.get("operation")
    if operation is not None and (not isinstance(operation, str) or operation not in _OPERATIONS):
        msg = f'"operation" is not null or one of {", ".join(sorted(_OPERATIONS))}; correct it'
        raise BadField(msg)
    day = as_day(fields.required(values, "date"), "date")
    share = _WAKING_MS // place[1]
    start = day_ms(day) + _MORNING_MS + place[0] * share
    conversation = fields.as_list(fields.required(values, "conversation"), "conversation")
    step = share // 2 // max(len(conversation), 1)
    turns = tuple(_turn(value, number, start + number * step) for number, value in enumerate(conversation))
    if len({turn.number for turn in turns}) != len(turns):
        msg = '"conversation" gives two turns one number; number them through'
        raise BadField(msg)
    return Session(
        name=name,
        persona=fields.as_text(fields.required(values, "persona"), "persona"),
        session_type=fields.as_text(fields.required(values, "session_type"), "session_type"),
        operation=operation,
        details=fields.as_object(fields.required(values, "operation_details"), "operation_details"),
        day=day,
        start=start,
        turns=turns,
    )


def _turn(value: object, position: int, at: int) -> Turn:
    where = f"conversation[{position}]"
    values = fields.as_object(value, where)
    speaker = fields.required(values, "speaker")
    if not isinstance(speaker, str) or speaker not in _SPEAKERS:
        msg = f'"{where}.speaker" is not one of {", ".join(sorted(_SPEAKERS))}; correct it'
        raise BadField(msg)
    message = fields.required(values, "message")
    if not isinstance(message, str):
        msg = f'"{where}.message" must be a text; put it in quotes'
        raise BadField(msg)
    return Turn(
        number=fields.as_integer(fields.required(values, "turn"), f"{where}.turn"),
        speaker=speaker,
        message=message,
        shared=fields.as_flag(values.get("share_memory", False), f"{where}.share_memory"),
        at=at,
    )
