"""The fixed words of the ontology as Python values: kinds, tiers, edge types, operations and the types of values.

Guarantees: a word here is its local name in the namespace :data:`NS`; a test checks each against ``mars.ttl``. The
fields of memories, entities, preferences and records are in :mod:`marskg.ontology.fields`.
Sources: MaRS sections 4.1 (fixed vocabulary), 5.2; semantics sections 1-4.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

NS = "https://w3id.org/mars-kg/ns#"
PREFIX = "mars"
#: Fixed IRI of the JSON-LD context; a copy is packaged as ``context.jsonld``.
CONTEXT_IRI = "https://w3id.org/mars-kg/context/v1"

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDF_JSON = "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON"
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


#: How reliable a source is where nobody says: a user's own word above tools and documents, these above an assistant's
#: (semantics section 1).
RELIABILITY: Final[Mapping[SourceType, float]] = MappingProxyType({
    SourceType.CHAT_USER: 1.0,
    SourceType.API_RESULT: 0.6,
    SourceType.DOC: 0.6,
    SourceType.CHAT_ASSISTANT: 0.5,
    SourceType.REFLECTION: 0.5,
})  # fmt: skip


def is_higher(source: SourceType, reliability: float) -> bool:
    """Return whether what ``source`` said has a higher standing: the user's word, and what the operator vouches for.

    That is a document of the operator's, as nobody else claims more for one than an assistant's word has, and what was
    given more reliability than any source but the user has by itself; of what was learned from a document, what was
    read for sure. Semantics section 4 (I1); ADR 89.
    """
    least = RELIABILITY[SourceType.CHAT_ASSISTANT if source is SourceType.DOC else SourceType.DOC]
    return source is SourceType.CHAT_USER or reliability > least


class Worth(NamedTuple):
    """What the word of a source is worth: the user's above all, then what is of higher standing, then by reliability.

    A name alone is worth nothing: the document of whoever may vouch for none is no match for one that was vouched for.
    """

    users: bool
    higher: bool
    reliability: float

    @classmethod
    def of(cls, source: SourceType, reliability: float | None = None) -> Worth:
        """Return the worth of what ``source`` said; as reliable as it is by itself where nobody says."""
        users = source is SourceType.CHAT_USER
        sure = RELIABILITY[source] if reliability is None or users else reliability
        return cls(users, is_higher(source, sure), sure)


@dataclass(frozen=True, slots=True)
class Word:
    """Who says something, how reliable that is, and whether it was ``read`` in the words of another memory."""

    source: SourceType
    reliability: float | None = None
    read: bool = False

    @property
    def worth(self) -> Worth:
        """Return what it is worth."""
        return Worth.of(self.source, self.reliability)


def counts_against(word: Word, other: Word) -> bool:
    """Return whether ``word`` may cut, hide or end the ``other``: it is worth more, or of one source and as much.

    What was read in a text of its own source is less reliable by how sure the reading is: where it is of as high a
    standing it counts, and so does all of one source that is of the lower one.
    """
    mine, theirs = word.worth, other.worth
    if word.source is not other.source:
        return mine > theirs
    return mine >= theirs or (mine.higher >= theirs.higher and (word.read or not theirs.higher))


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


#: The tiers in which a memory has its content.
CONTENT_TIERS = frozenset({Tier.LIVE, Tier.LATENT})
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
    RESTORE_SNAPSHOT = "restoreSnapshot"
    CONFIRM_CLOCK = "confirmClock"
    ACCESS = "access"
    FEEDBACK = "feedback"


class Datatype(StrEnum):
    """How a field's value is written in RDF.

    ``TERM`` is one of the ontology's individuals; DECIMAL values are quantised to 1e-6 at write, unless
    the field is exact; DATETIME values are
    int64 epoch milliseconds in Python and Cypher and ``xsd:dateTime`` in UTC in RDF. JSON values are objects
    (:class:`marskg.json_object.JsonObject`), their canonical text in Cypher and ``rdf:JSON`` in RDF.
    """

    STRING = "string"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATETIME = "dateTime"
    BOOLEAN = "boolean"
    TERM = "term"
    IRI = "iri"
    JSON = "JSON"

    @property
    def iri(self) -> str:
        """Return the IRI of the datatype of literals; terms and IRIs are none."""
        return RDF_JSON if self is Datatype.JSON else f"{XSD}{self.value}"
