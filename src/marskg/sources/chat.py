"""Conversations as JSON Lines: one turn a line, ``{"role", "content", "timestamp"}``, as drafts of episodes.

Guarantees: nothing is yielded before the whole file has been read and found right, or, with ``skip_bad``, before every
bad line is known; the file is read twice and never held: memory grows with the named facts of the annotations, and by
eight bytes a draft.
The same file always gives the same drafts.

Lines without ``session`` belong to the session of the line before unless 30 minutes lie between them. A turn has the
class that :mod:`marskg.store.unit.retention_classes` gives it; every turn starts at MemoryArchitect's score for chat,
30. Sources: semantics section 1 (class, score), section 12; RFC 8259; jsonlines.org.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from marskg.drafts import Draft
from marskg.errors import InvalidDocument, InvalidInput
from marskg.ontology.vocabulary import Kind, SourceType
from marskg.sources import fields, strictjson
from marskg.sources.annotations import OWN_PREFIX, Annotations
from marskg.sources.fields import BadField
from marskg.sources.identities import Identities, number_of, repeated
from marskg.sources.strictjson import BadJson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import BinaryIO

#: A pause after which a line without a session starts a new one.
SESSION_GAP_MS = 30 * 60 * 1000
#: MemoryArchitect's score of a chunk of chat when it is stored.
CHAT_SCORE = 30
#: The most that one memory may hold.
MAX_CONTENT_BYTES = 1 << 20
#: The longest line that is looked at; an escape needs at most six bytes for one.
_MAX_LINE_BYTES = 8 * MAX_CONTENT_BYTES

_SOURCE_TYPES = {
    "user": SourceType.CHAT_USER,
    "assistant": SourceType.CHAT_ASSISTANT,
    "system": SourceType.DOC,
    "tool": SourceType.API_RESULT,
    "doc": SourceType.DOC,
}
_EVENTS = {"assistant": "reply", "system": "instruction", "tool": "tool result", "doc": "passage"}
#: What a turn may say of itself.
_FIELDS = ("role", "content", "timestamp", "session", "speaker", "subjects", "metadata")

#: A line's number and its bytes, None where it is too long to be looked at.
_Line: TypeAlias = "tuple[int, bytes | None]"


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was skipped: its number, and the rule that it breaks with the way out."""

    line: int
    rule: str


class ChatFile:
    """A conversation file that has been checked as a whole; iterating yields its drafts, as often as wanted.

    ``len()`` is the number of drafts; ``bad_lines`` has what ``skip_bad`` left out.
    """

    def __init__(self, path: Path, *, subjects: tuple[str, ...] = (), skip_bad: bool = False) -> None:
        """Check the file ``path``; ``subjects`` are whom its lines are about unless a line says otherwise.

        Raises:
            InvalidDocument: the file cannot be read or has no turn, or a line breaks a rule and ``skip_bad`` is off.
        """
        self._path = path
        self._subjects = subjects
        bad: list[BadLine] = []
        self._repeated: frozenset[int] = frozenset()
        numbers = array("Q")
        for item in self._read():
            if not isinstance(item, BadLine):
                numbers.append(number_of(item.identity or ""))
            elif skip_bad:
                bad.append(item)
            else:
                msg = f"{path}, line {item.line}: {item.rule}; nothing was stored; --skip-bad leaves such lines out"
                raise InvalidDocument(msg)
        self.bad_lines = tuple(bad)
        self._length = len(numbers)
        self._repeated = repeated(numbers)
        if self._length == 0:
            msg = f'{path} holds no turn; write one JSON object a line with "role", "content" and "timestamp"'
            raise InvalidDocument(msg)

    def __len__(self) -> int:
        """Return the number of drafts."""
        return self._length

    def __iter__(self) -> Iterator[Draft]:
        """Yield the drafts: each turn, then the facts that derive from it.

        Raises:
            InvalidDocument: the file is no longer what was checked.
        """
        known = iter(self.bad_lines)
        for item in self._read():
            if not isinstance(item, BadLine):
                yield item
            elif item != next(known, None):
                msg = f"{self._path}, line {item.line}: the file changed while it was read; import it again"
                raise InvalidDocument(msg)

    def _read(self) -> Iterator[Draft | BadLine]:
        """Yield what each line holds, a bad line as such."""
        turns = _Turns(self._path, self._subjects, self._repeated)
        try:
            if self._path.exists() and not self._path.is_file():
                msg = f"{self._path} is no file that can be read twice; name a file, not a folder or a pipe"
                raise InvalidDocument(msg)
            with self._path.open("rb") as file:
                for number, data in _lines(file):
                    try:
                        yield from turns.drafts(number, data)
                    except (BadJson, BadField) as error:
                        yield BadLine(number, str(error))
        except OSError as error:
            msg = f"{self._path} cannot be read ({error.strerror}); check the path and its permissions"
            raise InvalidDocument(msg) from error


def read_chat(path: Path | str, *, subjects: tuple[str, ...] = (), skip_bad: bool = False) -> ChatFile:
    """Return the conversation in the file ``path``, checked as a whole; see :class:`ChatFile`."""
    return ChatFile(Path(path), subjects=subjects, skip_bad=skip_bad)


class _Turns:
    """Turns lines into drafts, in order; remembers the session and the facts so far."""

    def __init__(self, path: Path, subjects: tuple[str, ...], repeated: frozenset[int]) -> None:
        self._name = path.name
        self._stem = path.stem
        self._subjects = subjects
        self._annotations = Annotations()
        self._identities = Identities(repeated)
        self._session: str | None = None
        self._last = 0
        self._split = 0

    def drafts(self, number: int, data: bytes | None) -> list[Draft]:
        """Return the drafts of line ``number``: its turn and its facts; none for a line of white space."""
        if data is None:
            msg = f"the line is longer than {_MAX_LINE_BYTES >> 20} MiB; split the turn"
            raise BadField(msg)
        if not data.strip():
            return []
        values = strictjson.parse(data)
        if not isinstance(values, dict):
            msg = "the line is no JSON object; write one object a line"
            raise BadField(msg)
        turn = self._turn(number, values)
        facts = self._annotations.drafts(values["annotations"], turn) if "annotations" in values else []
        facts = [self._identities.fact(one, turn.identity, one.at) for one in facts]
        # Only a line that is right as a whole moves the session on.
        self._split += turn.session == self._next_session()
        self._session, self._last = turn.session, turn.at
        return [turn, *facts]

    def _turn(self, number: int, values: dict[str, Any]) -> Draft:
        turn = _turn(values, f"{OWN_PREFIX}{number}", f"{self._name}#L{number}", self._subjects)
        turn = replace(turn, session=self._session_of(values, turn.at))
        # A session that the file does not name is named after the file.
        return self._identities.turn(turn, values.get("session"), turn.at)

    def _session_of(self, values: dict[str, Any], at: int) -> str:
        if values.get("session") is not None:
            return fields.as_text(values["session"], "session")
        if self._session is None or abs(at - self._last) > SESSION_GAP_MS:
            return self._next_session()
        return self._session

    def _next_session(self) -> str:
        return f"{self._stem}/{self._split + 1}"


def turn_of(values: Mapping[str, Any], place: int) -> Draft:
    """Return the draft of one turn that is given as a mapping, with the fields of a line of a file.

    Raises:
        InvalidInput: it breaks a rule; the message names the turn by its ``place``.
    """
    unknown = sorted(str(name) for name in values if name not in _FIELDS)
    if unknown:
        msg = f"turn {place}: {unknown[0][:40]!r} is no field of a turn; known are {', '.join(_FIELDS)}"
        raise InvalidInput(msg)
    try:
        session = None if values.get("session") is None else fields.as_text(values["session"], "session")
        return replace(_turn(dict(values), "", None, ()), session=session)
    except BadField as error:
        msg = f"turn {place}: {error}; nothing of it was stored"
        raise InvalidInput(msg) from error


def _turn(values: dict[str, Any], ref: str, source: str | None, subjects: tuple[str, ...]) -> Draft:
    """Return the draft of a turn without its session; ``subjects`` are whom it is about unless it says otherwise."""
    role = fields.required(values, "role")
    if not isinstance(role, str) or role not in _SOURCE_TYPES:
        msg = f'"role" is not one of {", ".join(_SOURCE_TYPES)}; use one of these'
        raise BadField(msg)
    content = fields.as_text(fields.required(values, "content"), "content")
    if len(content) > MAX_CONTENT_BYTES or len(content.encode()) > MAX_CONTENT_BYTES:
        msg = '"content" is longer than 1 MiB; split the turn'
        raise BadField(msg)
    at = fields.as_moment(fields.required(values, "timestamp"), "timestamp")
    if values.get("speaker") is not None:
        speaker = fields.as_text(values["speaker"], "speaker")
        subjects = (speaker,) if role == "user" else subjects
    if "subjects" in values:
        subjects = fields.as_texts(values["subjects"], "subjects")
    event = _EVENTS.get(role) or ("question" if content.rstrip().endswith("?") else "statement")
    people = {*(subjects or ("user",)), "assistant"} if role in {"user", "assistant"} else {role, "assistant"}
    return Draft(
        ref=ref,
        kind=Kind.EPISODIC,
        content=content,
        at=at,
        payload={"event": event, "participants": tuple(sorted(people)), "timestamp": at},
        subjects=subjects,
        source_type=_SOURCE_TYPES[role],
        source_ref=source,
        score=CHAT_SCORE,
        metadata=fields.as_json(values.get("metadata"), "metadata"),
    )


def _lines(file: BinaryIO) -> Iterator[_Line]:
    """Yield the numbered lines of ``file``, holding no more than the longest one that is looked at."""
    number = 0
    while data := file.readline(_MAX_LINE_BYTES + 1):
        number += 1
        too_long = len(data) > _MAX_LINE_BYTES
        rest = data
        while rest and not rest.endswith(b"\n") and len(rest) > _MAX_LINE_BYTES:
            rest = file.readline(_MAX_LINE_BYTES + 1)
        yield number, None if too_long else data
