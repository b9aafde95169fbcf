"""Who may write which field: the one table that every writer's path asks, and what is not in it is the operator's.

Guarantees: a field of a draft, of an entity that it mentions, of a task or of an edge that no row of
:data:`FIELD_RIGHTS` names is refused to everybody but the operator, so that a field that is added is closed until
somebody opens it. A refusal names the principal, the field, the rule and the way out, never a value. Nothing is dropped
in silence. Whether what an agent says may replace or end something is another question
(:mod:`marskg.api.restricted.claims`). Source: semantics section 9; ADR 89.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import NotPermitted
from marskg.ontology.vocabulary import SourceType
from marskg.privacy.principals import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from marskg.privacy.principals import Principal


class Leave(StrEnum):
    """Whether a role may write a field."""

    YES = "yes"
    #: An agent that was granted the source ``chat_user``.
    SPEAKING = "as the user"
    NO = "no"


@dataclass(frozen=True, slots=True)
class FieldRow:
    """Fields with the same rights. The operator may write all of them, and who has no writing door none.

    ``mentions.aliases`` is a field of what ``mentions`` holds, and ``memory_class=canonical`` one value of a field.
    """

    title: str
    names: tuple[str, ...]
    agent: Leave

    def of(self, role: Role) -> Leave:
        """Return whether ``role`` may write these fields."""
        return {Role.OPERATOR: Leave.YES, Role.AGENT: self.agent}.get(role, Leave.NO)


#: Who may write what. What is not here is the operator's.
FIELD_RIGHTS: Final[tuple[FieldRow, ...]] = (
    FieldRow(
        "What is said, when, by whom and about whom",
        (
            "ref",
            "action",
            "kind",
            "content",
            "at",
            "payload",
            "key",
            "cardinality",
            "session",
            "subjects",
            "source_type",
            "source_ref",
            "reliability",
            "memory_class",
            "intent_tags",
            "metadata",
            "identity",
            "mentions",
            "mentions.name",
        ),
        Leave.YES,
    ),
    FieldRow(
        "How long it holds, and who may read it",
        (
            "sensitivity",
            "sensitivity_reasons",
            "ttl",
            "expires_at",
            "valid_to",
            "purpose",
            "jurisdiction",
            "use_bound",
            "session_bound",
        ),
        Leave.YES,
    ),
    FieldRow("How a task stands", ("status", "priority", "deadline"), Leave.YES),
    FieldRow(
        "What it rests on",
        ("derives_from", "depends_on", "requires", "attaches_to_goal", "contradicts", "edges", "weight"),
        Leave.YES,
    ),
    FieldRow("What is wished for", ("wish", "subject"), Leave.YES),
    FieldRow(
        "What cuts, hides or takes along the words of a turn",
        ("spans", "made_by", "unread"),
        Leave.SPEAKING,
    ),
    FieldRow(
        "What keeps it longer, or before others",
        ("pin", "score", "memory_class=canonical"),
        Leave.SPEAKING,
    ),
    FieldRow("What keeps it although the user asks that it is not kept", ("keep",), Leave.SPEAKING),
    FieldRow(
        "Who somebody is",
        ("mentions.entity_type", "mentions.aliases", "mentions.same_as", "relations"),
        Leave.SPEAKING,
    ),
    # A payload is stored whole, and what it says of this by another is not read (marskg.store.graph.recognition).
    FieldRow(
        "Who somebody is, as a payload says: stored by all who write, and read only of these",
        ("payload.participants", "payload.relationship_type", "payload.relations"),
        Leave.SPEAKING,
    ),
)
#: What a memory begins with where nobody says (:class:`~marskg.records.Memory`).
_USUAL_SCORE: Final = 50
_BY_NAME: Final[Mapping[str, FieldRow]] = {name: row for row in FIELD_RIGHTS for name in row.names}


def leave_for(role: Role, name: str) -> Leave:
    """Return whether ``role`` may write the field ``name``, as the table calls it."""
    if role is Role.OPERATOR:
        return Leave.YES
    row = _BY_NAME.get(name)
    return Leave.NO if row is None else row.of(role)


def check_fields(principal: Principal, names: Iterable[str]) -> None:
    """Refuse the first of ``names`` that is no field which ``principal`` may write.

    Raises:
        NotPermitted: there is one.
    """
    for name in names:
        leave = leave_for(principal.role, name)
        if leave is Leave.NO or (leave is Leave.SPEAKING and SourceType.CHAT_USER not in (principal.sources or ())):
            raise _refusal(principal, name, leave)


def given_fields(record: Any) -> Iterator[str]:  # noqa: ANN401 - a draft, or what one holds
    """Yield the fields that a draft gives, as the table calls them: those that have another value than by default.

    A score that is no more than what a memory begins with keeps nothing longer, as that of a chat that is imported.
    """
    for field in fields(record):
        value = getattr(record, field.name)
        if field.default is not MISSING and value == field.default:
            continue
        if field.default_factory is not MISSING and value == field.default_factory():
            continue
        if field.name == "score" and isinstance(value, int) and value <= _USUAL_SCORE:
            continue
        yield field.name
        if isinstance(value, StrEnum) and f"{field.name}={value}" in _BY_NAME:
            yield f"{field.name}={value}"
        if f"{field.name}.name" in _BY_NAME:
            for part in value:
                yield from (f"{field.name}.{name}" for name in given_fields(part))


def _refusal(principal: Principal, name: str, leave: Leave) -> NotPermitted:
    way = (
        "have the source granted: agent:NAME?source=chat_user, or act as the operator"
        if leave is Leave.SPEAKING
        else "act as the operator: principal=operator or mars --as operator"
    )
    msg = f"{principal} may not give the field {name[:60]} (rights are by field, ADR 89): leave it out, or {way}"
    return NotPermitted(msg)
