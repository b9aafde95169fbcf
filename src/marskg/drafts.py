"""What a reader hands to the store: one draft for each memory to make, retract or close.

Guarantees: a draft is immutable, names other drafts only by ``ref``, and a reader yields what is named before what
names it. Nothing here knows an id, a database or a clock: the facade's ``remember_many`` turns refs into ids. A name
that is no earlier ``ref`` is meant as the id of a memory that the store already holds.

Supersession is the store's: a newer value of a ``single`` key supersedes, equal values of a ``set`` key merge, values
of an ``append`` key accumulate. Merging by ``set`` and retracting from it compare ``content``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from marskg.errors import InvalidInput, InvalidMemory
from marskg.given_time import milliseconds
from marskg.json_object import JsonObject, UnfitJsonError
from marskg.ontology.fields import GIVEN_FIELDS
from marskg.ontology.vocabulary import Cardinality, Datatype, EdgeType, Kind, MemoryClass, SourceType, TaskStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.given_time import KeptTime
    from marskg.records import Value

#: What to do with a draft. ``retract`` ends the current value of ``key`` (of a ``set`` key: the one that equals
#: ``content``); ``close_task`` gives the current task of ``key`` the draft's ``status``. Neither makes a memory.
DraftAction: TypeAlias = Literal["remember", "retract", "close_task"]

E = TypeVar("E", bound=Enum)
_EMPTY: Mapping[str, Value] = MappingProxyType({})


def enumeration(kind: type[E], name: str, value: object) -> E:
    """Return the member of an enumeration that ``value`` names.

    Raises:
        InvalidMemory: no such member.
    """
    try:
        return kind(value)
    except (ValueError, TypeError):
        known = ", ".join(member.value for member in kind)
        given = repr(value[:40]) if isinstance(value, str) else f"of type {type(value).__name__[:60]}"
        msg = f"{name} {given} is unknown; known are {known}"
        raise InvalidMemory(msg) from None


def json_object(name: str, value: object) -> JsonObject | None:
    """Return ``value`` as a JSON object, which messages call ``name``; None where it is empty.

    Raises:
        InvalidMemory: it is no JSON object, or too deep or too large.
    """
    try:
        return JsonObject.of(value) or None
    except UnfitJsonError as error:
        msg = f"{name} {error}"
        raise InvalidMemory(msg) from None


def in_milliseconds(name: str, value: object) -> object:
    """Return the epoch milliseconds of a datetime or text, which messages call ``name``; anything else as it is.

    Raises:
        InvalidMemory: the datetime or text is no time with a zone.
    """
    if not isinstance(value, (datetime, str)):
        return value
    try:
        return milliseconds(value)
    except InvalidInput as error:
        msg = f"{name} {error}"
        raise InvalidMemory(msg) from None


@dataclass(frozen=True, slots=True)
class EntityRef:
    """An entity as a source names it; the store finds or makes the entity of this name.

    ``same_as`` holds absolute IRIs of the same thing elsewhere. Of one name there are several where types differ, or
    IRIs have none in common; the id of an entity may stand for its name.
    """

    name: str
    entity_type: str | None = None
    aliases: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntityRelation:
    """A typed edge between two entities, both given by name and among the draft's ``mentions``."""

    source: str
    type: EdgeType
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One thing for the store to do; the fields are the keyword arguments of ``remember`` unless said otherwise.

    ``ref`` is the draft's own name, unique within one import. ``at`` (epoch milliseconds) is when it was said or
    became true: it is the memory's ``valid_from``. ``score`` is MemoryArchitect's 0-100 at the start. ``derives_from``
    of a retraction or a closing is the evidence for it. Kinds and the like may be given by their names, and
    times as a datetime with a zone or an ISO 8601 text.
    """

    ref: str
    kind: Kind
    content: str
    at: KeptTime
    action: DraftAction = "remember"
    payload: Mapping[str, Value] = field(default_factory=lambda: _EMPTY)
    key: str | None = None
    cardinality: Cardinality | None = None
    session: str | None = None
    subjects: tuple[str, ...] = ()
    source_type: SourceType = SourceType.CHAT_USER
    source_ref: str | None = None
    reliability: float | None = None
    memory_class: MemoryClass | None = None
    intent_tags: tuple[str, ...] = ()
    #: Free JSON of the caller's, an object.
    metadata: Mapping[str, Any] | None = None
    sensitivity: float | None = None
    #: Why it is so sensitive, where that was measured.
    sensitivity_reasons: tuple[str, ...] = ()
    score: int | None = None
    ttl: str | None = None
    expires_at: KeptTime | None = None
    valid_to: KeptTime | None = None
    purpose: tuple[str, ...] = ()
    jurisdiction: str | None = None
    use_bound: bool = False
    session_bound: bool = False
    pin: bool = False
    status: TaskStatus | None = None
    priority: int | None = None
    deadline: KeptTime | None = None
    derives_from: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    attaches_to_goal: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    #: Store it although its text asks that it is not kept (:mod:`marskg.language.not_kept.reading`).
    keep: bool = False
    #: Typed relations to other drafts, for example ``(EdgeType.PART_OF, "kitchen")``.
    edges: tuple[tuple[EdgeType, str], ...] = ()
    #: The words of stored turns that say it, and the readings that made it, as IRIs (:class:`~marskg.records.Memory`).
    spans: tuple[str, ...] = ()
    made_by: tuple[str, ...] = ()
    #: A turn that waits to be read for facts.
    unread: bool = False
    #: What an import knows it again by, however often and from whatever file it comes: the same is stored once. None
    #: for what is stored as often as it is given.
    identity: str | None = None
    mentions: tuple[EntityRef, ...] = ()
    relations: tuple[EntityRelation, ...] = ()

    def __post_init__(self) -> None:
        """Accept the names of kinds and the like in place of the members, and times and mappings as ``remember`` does.

        Raises:
            InvalidMemory: there is no such name, a text is no time, or a mapping is not JSON.
        """
        for name, kind in _ENUMERATED.items():
            value = getattr(self, name)
            if value is not None and not isinstance(value, kind):
                object.__setattr__(self, name, enumeration(kind, name, value))
        for name in _TIMES:
            object.__setattr__(self, name, in_milliseconds(name, getattr(self, name)))
        for name in _JSON:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, json_object(name, value))

    def links(self) -> tuple[tuple[EdgeType, str], ...]:
        """Return all edges that the draft asks for, as pairs of type and ref, in the vocabulary's order."""
        named = (
            (EdgeType.DERIVES_FROM, self.derives_from),
            (EdgeType.DEPENDS_ON, self.depends_on),
            (EdgeType.CONTRADICTS, self.contradicts),
            (EdgeType.REQUIRES, self.requires),
            (EdgeType.ATTACHES_TO_GOAL, self.attaches_to_goal),
        )
        return (*((type_, ref) for type_, refs in named for ref in refs), *self.edges)


_ENUMERATED: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {"kind": Kind, **{field.name: field.term for field in GIVEN_FIELDS if field.term is not None}}
)
_TIMES: Final = ("at", *(field.name for field in GIVEN_FIELDS if field.datatype is Datatype.DATETIME))
_JSON: Final = tuple(field.name for field in GIVEN_FIELDS if field.datatype is Datatype.JSON)
