"""The names of the ontology as Python values: the one table that mapping, context, shapes and gate are read from.

Guarantees: a field's name in Python is the snake_case of its name in Cypher, RDF, SHACL and JSON-LD, which is the
camelCase local name in the namespace :data:`NS`; a test checks every name here against ``mars.ttl``.
Sources: MaRS sections 3.2.1-3.2.4 (payloads), 4.1 (fixed vocabulary), 5.2; semantics sections 1-4.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

NS = "https://w3id.org/mars-kg/ns#"
PREFIX = "mars"
#: Fixed IRI of the JSON-LD context; a copy is packaged as ``context.jsonld``.
CONTEXT_IRI = "https://w3id.org/mars-kg/context/v1"

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
OWL_SAME_AS = "http://www.w3.org/2002/07/owl#sameAs"
XSD = "http://www.w3.org/2001/XMLSchema#"


class Kind(StrEnum):
    """The four kinds of memory (MaRS section 3.2)."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    SOCIAL = "social"
    TASK = "task"

    @property
    def label(self) -> str:
        """Return the graph label and RDF class, for example ``Episodic``."""
        return self.value.capitalize()


#: The kinds in the one order that columns and sums by kind have.
KINDS: Final = tuple(Kind)


class Tier(StrEnum):
    """Where a node stands (semantics section 3); ``gone`` appears in plans and the audit only."""

    LIVE = "live"
    LATENT = "latent"
    TOMBSTONE = "tombstone"
    GONE = "gone"


class Cardinality(StrEnum):
    """How values of one key live together (semantics section 1)."""

    SINGLE = "single"
    SET = "set"
    APPEND = "append"


class SourceType(StrEnum):
    """Where a memory comes from (MemoryArchitect II)."""

    DOC = "doc"
    CHAT_USER = "chat_user"
    CHAT_ASSISTANT = "chat_assistant"
    API_RESULT = "api_result"
    REFLECTION = "reflection"


class MemoryClass(StrEnum):
    """MemoryArchitect's classes, each with a default life (semantics section 1)."""

    CANONICAL = "canonical"
    FACTUAL = "factual"
    INTENT_BOUND = "intent_bound"
    EPHEMERAL = "ephemeral"
    PRIVATE = "private"


class TaskStatus(StrEnum):
    """State of a task; the first three are active (semantics section 4)."""

    OPEN = "open"
    IN_PROGRESS = "in_progress"
    BLOCKED = "blocked"
    DONE = "done"
    CANCELLED = "cancelled"


ACTIVE_STATUSES = frozenset({TaskStatus.OPEN, TaskStatus.IN_PROGRESS, TaskStatus.BLOCKED})


class PreferenceRule(StrEnum):
    """What a preference asks for (MaRS sections 3.2.3 and 3.3.3; docs/adr/0026)."""

    RETENTION = "retention"
    OPT_OUT_KIND = "opt_out_kind"
    OPT_OUT_SOURCE = "opt_out_source"
    OPT_OUT_PURPOSE = "opt_out_purpose"
    PRIVATE_ENTITY = "private_entity"
    BLACKLISTED_ENTITY = "blacklisted_entity"
    BLACKLISTED_CONVERSATION = "blacklisted_conversation"
    CONSENT = "consent"
    CONSENT_REQUIRED = "consent_required"
    SOCIAL_HORIZON = "social_horizon"
    SENSITIVITY_CEILING = "sensitivity_ceiling"
    READING_REGIONS = "reading_regions"
    ERASURE_DEADLINE = "erasure_deadline"
    MEMBER_OF = "member_of"


class EdgeType(StrEnum):
    """Edges between memories, and ``mentions`` to an entity (semantics section 2; docs/adr/0018)."""

    TEMPORAL_NEXT = "temporalNext"
    DERIVES_FROM = "derivesFrom"
    DEPENDS_ON = "dependsOn"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    COMPATIBLE_WITH = "compatibleWith"
    REQUIRES = "requires"
    LOST_PREREQUISITE = "lostPrerequisite"
    ATTACHES_TO_GOAL = "attachesToGoal"
    IS_A = "isA"
    PART_OF = "partOf"
    WORKS_AT = "worksAt"
    FRIEND_OF = "friendOf"
    COLLEAGUE_OF = "colleagueOf"
    REPORTS_TO = "reportsTo"
    MENTIONS = "mentions"


#: The union of these edges stays acyclic (semantics section 2).
ACYCLIC = frozenset({EdgeType.DERIVES_FROM, EdgeType.DEPENDS_ON, EdgeType.SUPERSEDES, EdgeType.REQUIRES})
#: What a tombstone keeps of its outgoing edges (semantics section 3).
TOMBSTONE_EDGES = frozenset({EdgeType.DERIVES_FROM, EdgeType.DEPENDS_ON, EdgeType.SUPERSEDES})
#: Maintained from the episodes' order, never written by hand, so outside a node's commitment.
DERIVED_EDGES = frozenset({EdgeType.TEMPORAL_NEXT})
#: Edges that may run between two entities as well as between two memories.
ENTITY_EDGES = frozenset(
    {EdgeType.IS_A, EdgeType.PART_OF, EdgeType.WORKS_AT, EdgeType.FRIEND_OF, EdgeType.COLLEAGUE_OF, EdgeType.REPORTS_TO}
)


class Operation(StrEnum):
    """What an audit record says was done."""

    OPEN_LOG = "openLog"
    REMEMBER = "remember"
    LOAD = "loadMemory"
    SET_PREFERENCE = "setPreference"
    REMOVE_PREFERENCE = "removePreference"
    CREATE_ENTITY = "createEntity"
    UPDATE_ENTITY = "updateEntity"
    REMOVE_ENTITY = "removeEntity"
    LINK = "link"
    UNLINK = "unlink"
    SUPERSEDE = "supersede"
    RETRACT = "retract"
    AMEND = "amend"
    FORGET = "forget"
    EVICT = "evict"
    ARCHIVE = "archive"
    RESTORE = "restore"
    EXPIRE = "expire"
    CONSOLIDATE = "consolidate"
    ERASE = "erase"
    SET_BUDGET = "setBudget"
    ROTATE_KEY = "rotateKey"
    REPLACE_KEY = "replaceKey"
    MIGRATE = "migrate"
    PURGE = "purge"
    SEAL = "seal"
    CONFIRM_CLOCK = "confirmClock"
    ACCESS = "access"
    FEEDBACK = "feedback"


class Datatype(StrEnum):
    """How a field's value is written in RDF.

    ``TERM`` is one of the ontology's individuals; DECIMAL values are quantised to 1e-6 at write; DATETIME values are
    int64 epoch milliseconds in Python and Cypher and ``xsd:dateTime`` in UTC in RDF.
    """

    STRING = "string"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATETIME = "dateTime"
    BOOLEAN = "boolean"
    TERM = "term"
    IRI = "iri"


def camel(name: str) -> str:
    """Return the camelCase form of a snake_case ``name``."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


@dataclass(frozen=True, slots=True)
class Field:
    """One field: ``name`` in Python, ``local`` in Cypher and RDF, ``many`` for a set of values (sorted, unique).

    ``iri`` is the full name; both names are made once, because every line that is written needs them.
    """

    name: str
    datatype: Datatype = Datatype.STRING
    many: bool = False
    low: float | None = None
    high: float | None = None
    local: str = field(init=False, repr=False, compare=False)
    iri: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make the names in the ontology."""
        object.__setattr__(self, "local", camel(self.name))
        object.__setattr__(self, "iri", NS + self.local)


_S, _I, _D, _T, _B, _E = (
    Datatype.STRING,
    Datatype.INTEGER,
    Datatype.DECIMAL,
    Datatype.DATETIME,
    Datatype.BOOLEAN,
    Datatype.TERM,
)

#: Governed fields of every memory: covered by its commitment (semantics section 8).
GOVERNED_FIELDS: tuple[Field, ...] = (
    Field("content"),
    Field("key"),
    Field("cardinality", _E),
    Field("created", _T),
    Field("valid_from", _T),
    Field("valid_to", _T),
    Field("superseded_at", _T),
    Field("sensitivity", _D, low=0, high=1),
    Field("sensitivity_reasons", many=True),
    Field("weight", _I, low=0),
    Field("source_type", _E),
    Field("source_ref"),
    Field("reliability", _D, low=0, high=1),
    Field("session"),
    Field("memory_class", _E),
    Field("intent_tags", many=True),
    Field("subjects", many=True),
    Field("purpose", many=True),
    Field("jurisdiction"),
    Field("expires_at", _T),
    Field("use_bound", _B),
    Field("session_bound", _B),
    Field("pinned", _B),
    Field("tier", _E),
    Field("tier_history", many=True),
    Field("grace_until", _T),
    Field("subject_handles", many=True),
    Field("origin_handles", many=True),
    Field("status", _E),
    Field("priority", _I),
    Field("deadline", _T),
    Field("unaffirmed_since", _T),
    Field("summary_lines", many=True),
)

#: All that a tombstone keeps besides id, kind and three edge types (semantics section 3).
TOMBSTONE_FIELDS: tuple[Field, ...] = tuple(
    field
    for field in GOVERNED_FIELDS
    if field.name
    in {
        *("created", "valid_from", "valid_to", "superseded_at", "weight", "tier", "tier_history"),
        *("subject_handles", "origin_handles"),
    }
)

#: Changed by reading and feedback only, recorded in the access log, outside the commitment.
ACCESS_FIELDS: tuple[Field, ...] = (
    Field("last_access", _T),
    Field("access_count", _I, low=0),
    Field("score", _I, low=0, high=100),
    Field("strength", _D, low=0),
)

MEMORY_FIELDS = GOVERNED_FIELDS + ACCESS_FIELDS

#: The typed payloads of MaRS sections 3.2.1-3.2.4; a task's status, priority and deadline are metadata.
PAYLOAD_FIELDS: dict[Kind, tuple[Field, ...]] = {
    Kind.EPISODIC: (
        Field("event"),
        Field("context"),
        Field("participants", many=True),
        Field("timestamp", _T),
        Field("emotional_valence", _D, low=-1, high=1),
    ),
    Kind.SEMANTIC: (
        Field("concept"),
        Field("relations", many=True),
        Field("confidence", _D, low=0, high=1),
        Field("generality_score", _D, low=0, high=1),
        Field("amount", _D),
        Field("unit"),
    ),
    Kind.SOCIAL: (
        Field("entity"),
        Field("relationship_type"),
        Field("attributes", many=True),
        Field("interaction_history", many=True),
    ),
    Kind.TASK: (
        Field("goal"),
        Field("dependencies", many=True),
    ),
}

ENTITY_FIELDS: tuple[Field, ...] = (
    Field("name"),
    Field("aliases", many=True),
    Field("entity_type"),
    Field("same_as", Datatype.IRI, many=True),
    Field("created", _T),
)

#: Fields of a preference: a rule that a person, an operator or a template gives (docs/adr/0026).
PREFERENCE_FIELDS: tuple[Field, ...] = (
    Field("created", _T),
    Field("preference_rule", _E),
    Field("data_subject"),
    Field("department"),
    Field("target"),
    Field("horizon", _I, low=1),
    Field("level", _D, low=0, high=1),
    Field("regions", many=True),
    Field("ends_at", _T),
    Field("withdrawn_at", _T),
    Field("origin"),
    Field("clause"),
)

#: Fields of a reified edge; written only where they differ from the default (created = the source's created).
EDGE_FIELDS: tuple[Field, ...] = (Field("created", _T), Field("edge_weight", _D))

#: Fields of an audit record's signed core, besides its slots and their commitments.
CORE_FIELDS: tuple[Field, ...] = (
    Field("log", Datatype.IRI),
    Field("sequence", _I),
    Field("operation", _E),
    Field("recorded_at", _T),
    Field("signing_key", Datatype.IRI),
)

#: Erasable details, record slot (index 0).
RECORD_DETAIL_FIELDS: tuple[Field, ...] = (
    Field("actor"),
    Field("policy"),
    Field("parameters", many=True),
    Field("budget", _I),
    Field("weight_before", _I),
    Field("weight_after", _I),
    Field("counts", many=True),
    Field("plan_digest"),
    Field("freed_tokens", _I),
    Field("loss_bound", _D),
    Field("public_key"),
    Field("deleted_slots", many=True),
    Field("sealed_slots", many=True),
)

#: Erasable details, node slots (index 1 and up).
NODE_DETAIL_FIELDS: tuple[Field, ...] = (
    Field("memory", Datatype.IRI),
    Field("tier_before", _E),
    Field("tier_after", _E),
    Field("weight", _I),
    Field("node_commitment"),
    Field("rule"),
    Field("removal_score", _I),
    Field("features", many=True),
    Field("reason"),
)
