"""The frozen value types that every layer speaks in.

Guarantees: instances are immutable and hold plain Python values only; sets of strings are sorted tuples without
repeats; times are int64 epoch milliseconds. Nothing here touches a database, a clock or a key.
Source: semantics sections 1-3, 7, 8.
"""

from __future__ import annotations

import copyreg
import warnings
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NoReturn, Self, TypeAlias

from marskg.answer import Answer
from marskg.json_object import JsonObject  # noqa: TC001 - annotations are read at run time
from marskg.ontology.vocabulary import (
    ACTIVE_STATUSES,
    Cardinality,
    EdgeType,
    Kind,
    MemoryClass,
    Operation,
    PreferenceRule,
    SourceType,
    TaskStatus,
    Tier,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

#: A value of a payload field: a scalar, or a sorted tuple of strings; an amount that no double says is a Decimal.
Value: TypeAlias = "str | int | float | Decimal | bool | tuple[str, ...] | None"

_EMPTY: Mapping[str, Value] = MappingProxyType({})


def _read_only(values: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return a copy that nobody can change."""
    return MappingProxyType(dict(values))


# Python copies and pickles no read-only mapping, and callers hand what they get to other processes.
copyreg.pickle(MappingProxyType, lambda given: (_read_only, (dict(given),)))  # type: ignore[arg-type, return-value]


@dataclass(frozen=True, slots=True)
class Memory(Answer, brief=("content", "id")):
    """One node of an agent's memory (semantics section 1).

    ``content`` is None once the memory is a tombstone, and so is all of ``payload``. ``sequence`` is the audit
    sequence number of the record that created it, the tie-breaker of every order.
    """

    id: str
    tenant: str
    kind: Kind
    content: str | None
    created: int
    sequence: int
    payload: Mapping[str, Value] = field(default_factory=lambda: _EMPTY)
    key: str | None = None
    cardinality: Cardinality | None = None
    valid_from: int = 0
    valid_to: int | None = None
    superseded_at: int | None = None
    sensitivity: float = 0.0
    sensitivity_reasons: tuple[str, ...] = ()
    weight: int = 0
    source_type: SourceType = SourceType.CHAT_USER
    source_ref: str | None = None
    reliability: float = 1.0
    session: str | None = None
    memory_class: MemoryClass = MemoryClass.FACTUAL
    intent_tags: tuple[str, ...] = ()
    #: Free JSON of the caller's; None where there is none.
    metadata: JsonObject | None = None
    subjects: tuple[str, ...] = ()
    #: What it calls the entities that it mentions, unless by their own names (:mod:`marskg.store.rows.names_given`).
    names_given: tuple[str, ...] = ()
    purpose: tuple[str, ...] = ()
    jurisdiction: str | None = None
    expires_at: int | None = None
    use_bound: bool = False
    session_bound: bool = False
    pinned: bool = False
    tier: Tier = Tier.LIVE
    tier_history: tuple[str, ...] = ()
    grace_until: int | None = None
    subject_handles: tuple[str, ...] = ()
    origin_handles: tuple[str, ...] = ()
    status: TaskStatus | None = None
    priority: int | None = None
    deadline: int | None = None
    unaffirmed_since: int | None = None
    #: The lines of a summary with what is behind each (:mod:`marskg.store.rows.summary_lines`); empty for everything
    #: else.
    summary_lines: tuple[str, ...] = ()
    #: The words that say it: turns by id, each with the characters in it (RFC 5147: ``urn:uuid:…#char=0,26``).
    spans: tuple[str, ...] = ()
    #: The readings that made it, and the one that ended it, as IRIs (:mod:`marskg.learning.from_text.makers`).
    made_by: tuple[str, ...] = ()
    ended_by: str | None = None
    #: A turn that waits to be read for facts.
    unread: bool = False
    last_access: int = 0
    access_count: int = 0
    score: int = 50
    strength: float = 1.0
    #: What the store told the caller while writing (a clamped expiry, a merged value); never stored.
    notices: tuple[str, ...] = field(default=(), compare=False)

    def scored(self, score: int) -> Memory:
        """Return this memory with another ``score``, in half the time that :func:`dataclasses.replace` takes."""
        values = list(_VALUES(self))
        values[_SCORE] = score
        return Memory(*values)

    @property
    def active(self) -> bool:
        """Return whether this is a task that still counts as active by its status."""
        return self.kind is Kind.TASK and self.status in ACTIVE_STATUSES

    @property
    def current(self) -> bool:
        """Return whether the memory has not been superseded or closed; what was valid for a known time only may be."""
        return self.superseded_at is None


def held_at(memory: Memory, at: int) -> bool:
    """Return whether what a memory says was true at a time, in epoch milliseconds."""
    return memory.valid_from <= at and (memory.valid_to is None or at < memory.valid_to)


def without_reading(memory: Memory) -> Memory:
    """Return a memory without the turns that it was read from, who read it and what ended it: those may be hidden.

    Nor does it say what it calls which entity: their ids are from when they were first mentioned, by whatever it was.
    """
    if not (memory.made_by or memory.spans or memory.ended_by or memory.unread or memory.names_given):
        return memory
    return replace(memory, made_by=(), spans=(), ended_by=None, unread=False, names_given=())


_NAMES: Final = tuple(one.name for one in fields(Memory))
_VALUES: Final = attrgetter(*_NAMES)
_SCORE: Final = _NAMES.index("score")


@dataclass(frozen=True, slots=True, order=True)
class Edge(Answer):
    """A typed edge; ``weight`` is optional, ``created`` is transaction time."""

    source: str
    type: EdgeType
    target: str
    created: int
    weight: float | None = None

    @property
    def iri(self) -> str:
        """Return the IRI of the edge when it is written as a node of its own."""
        return f"{self.source}#{self.type.value}-{self.target.removeprefix('urn:uuid:')}"


@dataclass(frozen=True, slots=True)
class Entity(Answer, brief=("name", "entity_type", "aliases", "id")):
    """A person, place, organisation or thing that memories mention (semantics section 1)."""

    id: str
    tenant: str
    name: str
    created: int
    sequence: int
    aliases: tuple[str, ...] = ()
    entity_type: str | None = None
    same_as: tuple[str, ...] = ()
    #: Those of its names and IRIs that a person gave, and no memory: they stay while it does.
    by_hand: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Preference(Answer):
    """One rule of a person, of a department or of the whole tenant (docs/adr/0026).

    ``data_subject`` and ``department`` say for whom it holds, for all where both are None. ``target`` is what the rule
    is about: a kind, a source type, a purpose, the name of an entity, a conversation, a category, a region or a
    department. ``horizon`` is in milliseconds, ``level`` from 0 to 1, ``ends_at`` and ``withdrawn_at`` are epoch
    milliseconds. ``origin`` names the template that it comes from, None where a person gave it; ``clause`` the clause.
    """

    id: str
    tenant: str
    created: int
    sequence: int
    preference_rule: PreferenceRule
    data_subject: str | None = None
    department: str | None = None
    target: str | None = None
    likenesses: tuple[str, ...] = ()
    label: str | None = None
    horizon: int | None = None
    level: float | None = None
    regions: tuple[str, ...] = ()
    ends_at: int | None = None
    withdrawn_at: int | None = None
    origin: str | None = None
    clause: str | None = None

    def in_force(self, now: int) -> bool:
        """Return whether it holds at ``now`` (epoch ms): neither ended nor withdrawn."""
        ended = self.ends_at is not None and self.ends_at <= now
        return not ended and (self.withdrawn_at is None or self.withdrawn_at > now)


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """One line of a summary (semantics section 6).

    ``sources`` are the ids of the original memories behind it, sorted, never those of other summaries; empty where
    nobody knows, which counts as all of the summary. ``verbatim``: word for word as a source had it. ``expires_at``
    (epoch ms) is the earliest end of a source's life, at which the line leaves.
    """

    text: str
    sources: tuple[str, ...]
    verbatim: bool
    sensitivity: float = 0.0
    expires_at: int | None = None


@dataclass(frozen=True, slots=True)
class Consolidation:
    """A summary that is to take the place of its constituents, and what the gates measured of it.

    ``weight`` is that of its lines joined by newlines; ``embedding`` its packed vector, made by the model ``made_by``
    (its setting and its name); ``predicted`` and ``realised`` are distortions: mean distances of the constituents'
    vectors to their centroid's direction, and to the summary's vector; ``shift`` is the distance of their mean to it,
    at most ``realised``. ``equivalent``: it says all that its
    constituents say, so that a task which requires one of them may require it instead.
    """

    constituents: tuple[str, ...]
    lines: tuple[SummaryLine, ...] = field(repr=False)
    weight: int
    sensitivity: float
    predicted: float
    realised: float
    embedding: str | None = field(default=None, repr=False)
    made_by: tuple[str, str] | None = None
    equivalent: bool = False
    durable: bool = False
    shift: float = 0.0

    @property
    def content(self) -> str:
        """Return the text that an agent is shown."""
        return "\n".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class Action(Answer, brief=("action", "weight", "id", "reason")):
    """One step of a plan: what happens to one memory, by which rule and why (semantics section 7).

    ``score`` is an integer of 1e-6; ``features`` holds the ψ in effect as ``name=value`` strings.
    """

    id: str
    action: str
    kind: Kind
    weight: int
    sequence: int
    tier_after: Tier
    rule: str
    score: int
    features: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Plan(Answer, rows="actions"):
    """What a policy would do: pure, ordered, with its bound; executed only while ``digest`` still holds.

    ``bound`` is L * W_E of MaRS eq. (4) in units of importance, summed over classes of weight, and kappa * D of each
    summary (Proposition A2); ``lipschitz`` is that for each token that is freed.
    """

    policy: str
    parameters: tuple[str, ...]
    tenant: str
    budget: int
    weight_before: int
    weight_after: int
    actions: tuple[Action, ...]
    lipschitz: float
    bound: float
    realised_loss: float
    sequence: int
    digest: str
    seed: int | None = None
    #: Ids that come next in line, to be marked by the executor (MaRS section 5.3, ``spare_margin``).
    marks: tuple[str, ...] = ()
    #: What the caller should know besides, such as rows of a user's policy that were ignored.
    notes: tuple[str, ...] = ()
    #: What takes the place of the memories whose action is ``consolidate``; these come in the summaries' order.
    summaries: tuple[Consolidation, ...] = ()
    #: ``(key name, range)`` of the order indexes that hold no key once the plan is carried out.
    index_gaps: tuple[tuple[str, tuple[str, str, int]], ...] = ()
    #: Of a policy of several stages: each stage with the memories that it takes and the tokens that it frees.
    stages: tuple[tuple[str, int, int], ...] = ()
    #: What the tenant's controllers know once the plan is carried out: canonical JSON by the controller's name.
    controls: tuple[tuple[str, str], ...] = ()

    @property
    def freed_tokens(self) -> int:
        """Return the tokens that the plan frees in the live tier."""
        return self.weight_before - self.weight_after

    @property
    def hollows(self) -> tuple[tuple[str, tuple[str, str, int]], ...]:
        """Return :attr:`index_gaps` under the name that it had; it goes with 1.0."""
        warnings.warn("Plan.hollows is called Plan.index_gaps now", DeprecationWarning, stacklevel=2)
        return self.index_gaps


@dataclass(frozen=True, slots=True)
class AuditRecord(Answer, brief=("sequence", "operation", "recorded_at", "memories")):
    """One signed record: the core, its proof, and what is left of its erasable details (semantics section 8).

    ``core`` is the canonical N-Quads that were signed. ``details[i]`` and ``salts[i]`` belong to slot ``i``; slot 0 is
    the record's, the others are of ``memories[i - 1]``; both are empty strings once the slot was deleted.
    ``leaf`` is the lower-case hex of the RFC 9162 leaf hash.
    """

    tenant: str
    log: str
    sequence: int
    operation: Operation
    recorded_at: int
    signing_key: str
    core: str
    proof_value: str
    proof_created: str
    leaf: str
    memories: tuple[str, ...]
    details: tuple[str, ...]
    salts: tuple[str, ...]

    @property
    def iri(self) -> str:
        """Return the record's IRI."""
        return f"{self.log}#{self.sequence}"


@dataclass(frozen=True, slots=True)
class TreeHead(Answer):
    """A signed head of a tenant's Merkle log (RFC 9162 section 4.10, signed as Data Integrity)."""

    tenant: str
    log: str
    size: int
    root: str
    recorded_at: int
    signing_key: str
    core: str
    proof_value: str
    proof_created: str


@dataclass(frozen=True, slots=True)
class Finding(Answer, brief=("severity", "code", "where", "message")):
    """One thing that a check found: a stable ``code``, where, and what to do.

    ``severity`` is ``error``, or ``warning`` for what a person should know although the check passes.
    """

    code: str
    where: str
    message: str
    severity: str = "error"


@dataclass(frozen=True, slots=True)
class VerifiedLog:
    """A log that was verified: whose it is by its own first record, and how far it goes.

    ``key`` is the public key (``z6Mk…``) that opened it; ``covered`` are the records up to its last sound head.
    """

    iri: str
    tenant: str
    key: str
    records: int
    covered: int


class Stored(Answer, int):
    """How many of many drafts were done; ``notices`` tell what whoever stored them should know.

    ``known`` is how many items of an import were left out, as they came before; ``not_kept`` how many, as a user asked
    in them that they are not kept, or as they come with such a turn.
    """

    notices: tuple[str, ...]
    known: int
    not_kept: int

    def __new__(cls, count: int, notices: tuple[str, ...] = (), known: int = 0, not_kept: int = 0) -> Self:
        """Return ``count`` with ``notices``, ``known`` and ``not_kept``."""
        made = super().__new__(cls, count)
        vars(made).update(notices=notices, known=known, not_kept=not_kept)
        return made

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse to be changed, as all records do."""
        msg = f"cannot assign to field {name!r}"
        raise FrozenInstanceError(msg)

    def __repr__(self) -> str:
        """Return the number."""
        return int.__repr__(self)

    def _rows(self) -> list[dict[str, object]]:
        return [{"count": int(self), **vars(self)}]


@dataclass(frozen=True, slots=True)
class Report(Answer, rows="findings"):
    """The result of a check: ``ok`` is true exactly when no finding is an error."""

    checked: int
    findings: tuple[Finding, ...] = ()
    #: The logs that were verified, the longest first; of a check that is not of the audit there are none.
    logs: tuple[VerifiedLog, ...] = field(default=(), repr=False)

    @property
    def ok(self) -> bool:
        """Return whether nothing but warnings was found."""
        return all(finding.severity != "error" for finding in self.findings)
