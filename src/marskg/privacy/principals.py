"""Who acts, and what they may do: principals, their limits, and the one table of rights.

Guarantees: an operation that no row of :data:`RIGHTS` names is the operator's, so that a new door is closed until
somebody opens it; a refusal names the principal, the operation and who may, and says nothing of what is stored; limits
come from the principal alone: no memory, query or filter widens them. A principal is who the caller says: whoever can
open the store can say anything, so what is guarded is the process that opens it, not the file.
Source: semantics section 9; MaRS sections 3.4.2 and 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import parse_qsl, unquote

from marskg.errors import InvalidInput, NotPermitted
from marskg.ontology.vocabulary import SourceType

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The sensitivity up to which a reader reads who states no ceiling.
READER_CEILING: Final = 0.5
_LONGEST: Final = 200
_LIMITS: Final = ("ceiling", "purpose", "jurisdiction", "subject", "source", "grant")
#: Those that may be given several times, by the field that has them all.
_REPEATED: Final[Mapping[str, str]] = MappingProxyType({"subject": "subjects", "source": "sources"})
#: The sources that an agent may name where it was granted none by name: all but the user's own word.
UNGRANTED: Final = tuple(source for source in SourceType if source is not SourceType.CHAT_USER)


class Role(StrEnum):
    """What a principal is to a tenant."""

    OPERATOR = "operator"
    CONTROLLER = "controller"
    AGENT = "agent"
    SUBJECT = "subject"
    READER = "reader"


class Right(StrEnum):
    """How far a role may do an operation."""

    ALL = "yes"
    GATE = "through the gate"
    OWN = "own only"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Row:
    """Operations with the same rights; the operator has all of them."""

    title: str
    operations: tuple[str, ...]
    controller: Right = Right.NO
    agent: Right = Right.NO
    subject: Right = Right.NO
    reader: Right = Right.NO

    def of(self, role: Role) -> Right:
        """Return how far ``role`` may do these operations."""
        return Right.ALL if role is Role.OPERATOR else Right(getattr(self, role.value))


def _named(operations: str) -> tuple[str, ...]:
    return tuple(operations.split())


#: Who may do what. What is not here is the operator's.
RIGHTS: Final[tuple[Row, ...]] = (
    Row(
        "Read memories",
        _named("get edges history retrieve recall read_all profile memories entities.list sparql maintenance.prepare"),
        *(Right.GATE,) * 4,
    ),
    Row("Export what may be seen (profile `disclosure`)", _named("export"), *(Right.GATE,) * 4),
    Row("Ask what would go", _named("plan policy.compare"), *(Right.GATE,) * 4),
    Row("Ask why, and how much there is", _named("explain stats weight"), Right.ALL, *(Right.GATE,) * 3),
    Row("Erase", _named("erase privacy.match_erasure"), Right.ALL, subject=Right.OWN),
    Row("See which snapshots were written", _named("snapshots.list"), Right.ALL),
    Row("Account for what is held, and who saw it", _named("audit.who_saw audit.receipt privacy.report"), Right.ALL),
    Row("Check a receipt that was given", _named("audit.check_receipt"), Right.ALL),
    Row("Keep preferences and consents", _named("preferences"), Right.ALL),
    Row("Let somebody read above their ceiling for a while", _named("privacy.grant"), Right.ALL, subject=Right.OWN),
    Row(
        "Review, and let go or bring back",
        _named(
            "learning.review learning.accept learning.reject learning.plan_pruning forget restore maintenance.expire "
            "maintenance.end_session"
        ),
        Right.ALL,
    ),
    Row(
        "Audit",
        _named(
            "audit.records audit.heads audit.sign_head audit.sign_heads audit.prove audit.prove_consistency audit.seal "
            "verify validate privacy.retention policy.explain"
        ),
        Right.ALL,
    ),
    Row(
        "Know where one is",
        _named("tenant principal now notices close settings.current settings.subscriptions maintenance.stop"),
        *(Right.ALL,) * 4,
    ),
    Row(
        "Write memories",
        _named("remember remember_many update retract link unlink learning.affirm tasks.amend"),
        agent=Right.GATE,
    ),
    Row(
        "Say what became of what was shown, and what is wished for", _named("feedback learning.wish"), agent=Right.GATE
    ),
    Row(
        "Read facts out of text, pin, and write in private mode",
        _named(
            "learn learning.read_backlog learning.undo policy.pin policy.unpin privacy.private_mode "
            "control.record_access"
        ),
    ),
    Row("Teach", _named("learning.conflicts policy.fit control.set_goal")),
    Row(
        "Change entities",
        _named(
            "entities.rename entities.add_alias entities.remove_alias entities.retype entities.merge entities.mention "
            "entities.unmention entities.relate entities.unrelate"
        ),
    ),
    Row(
        "Run the tenant",
        # privacy.redact tells which of what is hidden a text repeats.
        _named(
            "settings.set settings.set_budget settings.subscribe settings.unsubscribe policy.advise_budget maintain "
            "maintenance.run_every maintenance.reembed maintenance.rescore maintenance.scrub maintenance.confirm_clock "
            "maintenance.reweigh "
            "audit.rotate_key audit.replace_key privacy.forget privacy.budget privacy.redact"
        ),
    ),
    Row("Whole-store doors", _named("cypher load snapshots.save snapshots.load store")),
)
_BY_OPERATION: Final[Mapping[str, Row]] = {name: row for row in RIGHTS for name in row.operations}
_NOBODY: Final = Row("", ())


def rights_to(operation: str) -> Row | None:
    """Return the row of an operation, named as it is reached from the memory: ``get``, ``audit.seal``; None without."""
    return _BY_OPERATION.get(operation)


def right_to(role: Role, operation: str) -> Right:
    """Return how far ``role`` may do ``operation``, named as :func:`rights_to` has it."""
    return (rights_to(operation) or _NOBODY).of(role)


@dataclass(frozen=True, slots=True)
class Principal:
    """Who acts, with what limits what they read.

    ``ceiling`` (0 to 1): what is more sensitive is hidden; a reader has :data:`READER_CEILING` unless they state
    another; an agent none, as it serves the people whose words it keeps. ``purpose``: what is limited to other purposes
    is hidden, and without one all that is limited to any. ``jurisdiction``: what is under another's law is hidden.
    ``subjects``: only what is about one of these people is seen, nothing where they are none, and what is about anybody
    if left out; of a subject it is themselves, and further names of theirs that are given. ``sources``: of what an
    agent writes, the source types that it may claim; all but ``chat_user``, the user's own word, if left out. ``grant``
    is the id of a grant to read above the ceiling (:mod:`marskg.privacy.grants`).

    Raises:
        InvalidInput: a limit is out of range, an operator has one, or a subject has no name.
    """

    role: Role
    name: str = ""
    ceiling: float | None = None
    purpose: str | None = None
    jurisdiction: str | None = None
    subjects: tuple[str, ...] | None = None
    grant: str | None = None
    sources: tuple[SourceType, ...] | None = None

    def __post_init__(self) -> None:
        """Check the limits, and fill in what a role implies."""
        # A dataclass of whoever types nothing.
        role, subjects, ceiling = cast("tuple[object, object, object]", (self.role, self.subjects, self.ceiling))
        if not isinstance(role, Role):
            msg = f"role must be a Role, one of {', '.join(Role)}; Principal.of takes a text such as reader:bot"
            raise InvalidInput(msg)
        if subjects is not None and not isinstance(subjects, tuple):
            msg = f"subjects must be a tuple of names, or None for anybody, not {type(subjects).__name__[:60]}"
            raise InvalidInput(msg)
        if ceiling is not None and (isinstance(ceiling, bool) or not isinstance(ceiling, (int, float))):
            msg = f"a ceiling is a number from 0 to 1, such as 0.3, not {type(ceiling).__name__[:60]}"
            raise InvalidInput(msg)
        texts = (("name", self.name or None), ("purpose", self.purpose), ("jurisdiction", self.jurisdiction))
        for what, text in (*texts, ("grant", self.grant), *(("subject", one) for one in self.subjects or ())):
            _check(what, text)
        given = (self.ceiling, self.purpose, self.jurisdiction, self.subjects, self.grant)
        if self.role is Role.OPERATOR and any(one is not None for one in given):
            msg = "an operator has no limits; to read under limits, be a reader: reader:NAME?ceiling=0.3"
            raise InvalidInput(msg)
        if self.role is Role.SUBJECT and not self.name:
            msg = "a subject has to say who they are, as memories name them: subject:NAME"
            raise InvalidInput(msg)
        if self.ceiling is not None and not 0 <= self.ceiling <= 1:
            msg = "a ceiling is a number from 0 to 1, such as 0.3"
            raise InvalidInput(msg)
        object.__setattr__(self, "sources", _sources(role, self.sources))
        if self.role is Role.READER and self.ceiling is None:
            object.__setattr__(self, "ceiling", READER_CEILING)
        if self.role is Role.SUBJECT:
            object.__setattr__(self, "subjects", tuple(sorted({self.name, *(self.subjects or ())})))

    @classmethod
    def of(cls, given: object) -> Principal:
        """Return the principal that a text such as ``reader:assistant?ceiling=0.3&purpose=care`` describes.

        The text is ``ROLE[:NAME][?LIMIT=VALUE&…]``; the limits are ``ceiling``, ``purpose``, ``jurisdiction``,
        ``subject`` and ``source`` (may be repeated) and ``grant``. What has a meaning in a query string is written as
        ``%3F`` and so on.

        Raises:
            InvalidInput: there is no such role or limit, or a value is out of range.
        """
        if isinstance(given, Principal):
            return given
        if not isinstance(given, str):
            msg = f"a principal is a text such as 'reader:bot?ceiling=0.3', or a Principal; not {type(given).__name__}"
            raise InvalidInput(msg)
        who, _, query = given.partition("?")
        role, _, name = who.partition(":")
        if role not in set(Role):
            msg = f"there is no role {role[:40]!r}; a principal is ROLE:NAME with one of {', '.join(Role)}"
            raise InvalidInput(msg)
        return cls(Role(role), unquote(name), **_limits(query))

    @property
    def actor(self) -> str:
        """Return what stands in the audit for them; a subject's name does not, as it would outlast their erasure."""
        return self.role.value if not self.name or self.role is Role.SUBJECT else f"{self.role}:{self.name}"

    @property
    def speaks_as(self) -> SourceType:
        """Return the source of what they write and give none: the user if they may claim that, or the assistant."""
        usual: tuple[SourceType, ...] = (SourceType.CHAT_USER, SourceType.CHAT_ASSISTANT, *SourceType)
        return next(source for source in usual if self.sources is None or source in self.sources)

    def __str__(self) -> str:
        """Return who it is, as errors name them."""
        return f"the {self.role} {self.name[:60]!r}" if self.name else f"the {self.role}"


def permit(principal: Principal, operation: str) -> Right:
    """Return how far ``principal`` may do ``operation``.

    Raises:
        NotPermitted: not at all.
    """
    right = right_to(principal.role, operation)
    if right is Right.NO:
        raise refusal(principal, operation)
    return right


def refusal(principal: Principal, operation: str, what: str = "") -> NotPermitted:
    """Return the error for what ``principal`` may not do: ``operation``, or what has the same rights."""
    may = " or the ".join(role.value for role in Role if right_to(role, operation) in {Right.ALL, Right.GATE})
    said = what or operation
    msg = f"{principal} may not use {said}: it is for the {may}; act as that: principal=… or mars --as …"
    return NotPermitted(msg)


def _check(what: str, text: object) -> None:
    if text is None:
        return
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST or not text.isprintable():
        msg = f"the {what} of a principal is no printable text of 1 to {_LONGEST} characters; name it plainly"
        raise InvalidInput(msg)


def _limits(query: str) -> dict[str, Any]:
    pairs = parse_qsl(query, keep_blank_values=True)
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name not in _LIMITS:
            msg = f"a principal has no limit {name[:40]!r}; there are {', '.join(_LIMITS)}"
            raise InvalidInput(msg)
        if name in _REPEATED:
            found[_REPEATED[name]] = (*found.get(_REPEATED[name], ()), value)
            continue
        if name in found:
            msg = f"the limit {name} of a principal stands there twice; give it once"
            raise InvalidInput(msg)
        found[name] = value
    if query and not pairs:
        msg = "what follows the ? of a principal is no list of limits; write ?ceiling=0.3&purpose=care"
        raise InvalidInput(msg)
    if "ceiling" in found:
        found["ceiling"] = _number(found["ceiling"])
    return found


def _sources(role: Role, given: object) -> tuple[SourceType, ...] | None:
    """Return the sources that a principal may claim, None where they write nothing or claim all."""
    if role is not Role.AGENT:
        if given is not None:
            msg = f"source limits what an agent may claim, and the {role} has no such limit; leave it out"
            raise InvalidInput(msg)
        return None
    if given is None:
        return UNGRANTED
    if not isinstance(given, tuple) or not given:
        msg = f"sources must be a tuple of source types, one at least: {', '.join(SourceType)}; or None"
        raise InvalidInput(msg)
    for one in given:
        if one not in set(SourceType):
            msg = f"there is no source {str(one)[:40]!r} that could be granted; there are {', '.join(SourceType)}"
            raise InvalidInput(msg)
    return tuple(source for source in SourceType if source in given)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        msg = "a ceiling is a number from 0 to 1, such as 0.3"
        raise InvalidInput(msg) from None


#: Who acts where nobody is named.
OPERATOR: Final = Principal(Role.OPERATOR)
