"""The files of PrecisionMemBench: beliefs of users, single questions, and sessions of questions with what they change.

Guarantees: what is returned has every field that is used with its type; the first that has not is named by file, entry
and field, and no message quotes a text. Source: tenurehq/precisionMemBench (MIT); Flynt 2026, arXiv 2605.11325.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from marskg.errors import InvalidDocument
from marskg.sources import fields, strictjson
from marskg.sources.fields import BadField
from marskg.sources.strictjson import BadJson

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

Entry = TypeVar("Entry")

FOLDER: Final = "fixtures"
BELIEFS: Final = "beliefs.seed.json"
CASES: Final = "retrieval.cases.json"
SESSIONS: Final = "session-retrieval.cases.json"
QUESTION: Final = "open_question"
#: Whom the benchmark asks for where a case names nobody, and how many beliefs it wants at most.
ASKER: Final = "test-user"
MOST: Final = 20
_SESSION: Final = "Session-level noise isolation"


@dataclass(frozen=True, slots=True)
class Belief:
    """One thing that is known of a user; ``at`` is when it was, in epoch milliseconds."""

    ident: str
    user: str
    type: str
    name: str
    aliases: tuple[str, ...]
    content: str
    why: str
    scopes: tuple[str, ...]
    pinned: bool
    resolved: bool
    superseded_by: str | None
    participants: tuple[str, ...]
    at: int

    @property
    def text(self) -> str:
        """Return the text that the benchmark hands to every product."""
        return " ".join(part for part in (self.name, *self.aliases, self.content, self.why) if part)

    def known_as(self, aliases: tuple[str, ...]) -> Belief:
        """Return the belief with more ``aliases``."""
        return replace(self, aliases=tuple(dict.fromkeys((*self.aliases, *(one.strip().lower() for one in aliases)))))


class Tier(NamedTuple):
    """What one part of an answer must hold and must not."""

    include: frozenset[str] = frozenset()
    exclude: frozenset[str] = frozenset()


class Prelude(NamedTuple):
    """What the text about a user must be: there, or not there, with these words and without those."""

    there: bool
    absent: bool
    contains: tuple[str, ...]
    lacks: tuple[str, ...]


class Expected(NamedTuple):
    """What a good answer is. ``only`` is what is found, and nothing else, where that is said."""

    found: Tier
    should: frozenset[str]
    only: frozenset[str] | None
    ordered: tuple[tuple[str, str], ...]
    least: int
    most: int | None
    pinned: Tier
    questions: Tier
    prelude: Prelude
    noise: frozenset[str]


class Case(NamedTuple):
    """One question of a user within scopes, and what a good answer is."""

    name: str
    category: str
    user: str
    scopes: tuple[str, ...]
    query: str
    most: int
    expected: Expected


class Turn(NamedTuple):
    """One question of a session, and what is learned after it: a belief, or names that one goes by."""

    case: Case
    told: Belief | None
    renamed: tuple[str, tuple[str, ...]] | None


class Data(NamedTuple):
    """All of it."""

    beliefs: list[Belief]
    cases: list[Case]
    sessions: list[list[Turn]]


def is_layout(folder: Path) -> bool:
    """Return whether ``folder`` is the benchmark's, by its file of beliefs."""
    return (folder / FOLDER / BELIEFS).is_file()


def read(folder: Path) -> Data:
    """Return what is in ``folder``.

    Raises:
        InvalidDocument: a file cannot be read or breaks the layout.
    """
    place = folder / FOLDER
    return Data(
        _entries(place / BELIEFS, _belief),
        _entries(place / CASES, _case),
        _entries(place / SESSIONS, _session),
    )


def _entries(file: Path, made: Callable[[dict[str, Any]], Entry]) -> list[Entry]:
    found: list[Entry] = []
    try:
        for entry in fields.as_list(strictjson.parse(file.read_bytes()), "the document"):
            found.append(made(fields.as_object(entry, "an entry")))  # noqa: PERF401 - how far it came is told
    except OSError as error:
        msg = f"{file} cannot be read ({type(error).__name__}); name a clone of tenurehq/precisionMemBench"
        raise InvalidDocument(msg) from error
    except (BadField, BadJson) as error:
        msg = f"{file}, entry {len(found) + 1}: {error}; take the file as tenurehq/precisionMemBench has it"
        raise InvalidDocument(msg) from error
    return found


def _belief(values: dict[str, Any]) -> Belief:
    superseded = values.get("superseded_by")
    return Belief(
        ident=_text(values, "_id"),
        user=_text(values, "user_id"),
        type=_text(values, "type"),
        name=_text(values, "canonical_name"),
        aliases=_texts(values, "aliases"),
        content=_text(values, "content"),
        why=str(values.get("why_it_matters") or ""),
        scopes=_texts(values, "scope"),
        pinned=fields.as_flag(values.get("pinned", False), "pinned"),
        resolved=values.get("resolved_at") is not None,
        superseded_by=None if superseded is None else fields.as_text(superseded, "superseded_by"),
        participants=_texts(values, "participants"),
        at=int(fields.as_moment(fields.required(values, "created_at"), "created_at")),
    )


def _case(values: dict[str, Any]) -> Case:
    budget = _object(values, "budget")
    return Case(
        name=_text(values, "caseId"),
        category=_text(values, "category"),
        user=fields.as_text(values.get("userId", ASKER), "userId"),
        scopes=_texts(values, "scope"),
        query=_said(values, "query"),
        most=fields.as_integer(budget.get("maxBeliefs", MOST), "maxBeliefs"),
        expected=_expected(_object(values, "expect")),
    )


def _session(values: dict[str, Any]) -> list[Turn]:
    name = _text(values, "caseId")
    turns = fields.as_list(fields.required(values, "turns"), "turns")
    return [_turn(name, number, fields.as_object(turn, f"turns[{number}]")) for number, turn in enumerate(turns)]


def _turn(name: str, number: int, values: dict[str, Any]) -> Turn:
    expected = _expected(_object(values, "expect"))
    query = _said(values, "userMessage")
    case = Case(f"{name}, turn {number}", _SESSION, ASKER, _texts(values, "scope"), query, MOST, expected)
    told, renamed = values.get("createBeliefAtTurn"), _object(values, "updateBeliefAtTurn")
    return Turn(
        case,
        None if told is None else _belief(fields.as_object(told, "createBeliefAtTurn")),
        (_text(renamed, "beliefId"), _texts(renamed, "addAliases")) if renamed else None,
    )


def _expected(values: dict[str, Any]) -> Expected:
    found, pinned, questions, prelude = (
        _object(values, name) for name in ("relevantBeliefs", "pinnedFacts", "openQuestions", "personaPrelude")
    )
    most = found.get("maxCount")
    return Expected(
        found=_tier(found),
        should=frozenset(_texts(found, "shouldInclude")),
        only=frozenset(_texts(found, "shouldOnlyInclude")) if "shouldOnlyInclude" in found else None,
        ordered=tuple((str(one), str(other)) for one, other in found.get("orderedBefore", [])),
        least=fields.as_integer(found.get("minCount", 0), "minCount"),
        most=None if most is None else fields.as_integer(most, "maxCount"),
        pinned=_tier(pinned),
        questions=_tier(questions),
        prelude=Prelude(
            bool(prelude.get("nonEmpty")),
            bool(prelude.get("isNull")),
            _texts(prelude, "contains"),
            _texts(prelude, "mustNotContain"),
        ),
        noise=frozenset(_texts(_object(values, "noiseCheck"), "mustNotSurface")),
    )


def _tier(values: Mapping[str, Any]) -> Tier:
    return Tier(frozenset(_texts(values, "mustInclude")), frozenset(_texts(values, "mustExclude")))


def _object(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    return fields.as_object(values.get(name) or {}, name)


def _text(values: Mapping[str, Any], name: str) -> str:
    return fields.as_text(fields.required(values, name), name)


def _said(values: Mapping[str, Any], name: str) -> str:
    """Return a text that may be blank."""
    value = fields.required(values, name)
    return value if isinstance(value, str) and not value.strip() else fields.as_text(value, name)


def _texts(values: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return fields.as_texts(values.get(name) or [], name)
