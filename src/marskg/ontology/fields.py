"""The field table: one row for each field of a memory, an entity, a preference and an audit record.

A row says all that is true of a field as such, and everything else is derived from it: how it is written to the graph
and read back (:mod:`marskg.store.rows.codec`), its RDF and JSON-LD (:mod:`marskg.ontology.mapping`,
:mod:`marskg.exporters`), whether an encrypted tenant has it in clear (:mod:`marskg.ontology.protection`), how a draft
that gives it is checked (:mod:`marskg.store.graph.validation`), whether a tombstone keeps it, whether it is one of the
texts that are compared, searched and redacted (:func:`every_text`), and what the report on a subject shows. To add a
field of a memory: its row here, its
typed attribute in :class:`marskg.records.Memory` and, where a caller gives it, in :class:`marskg.drafts.Draft`; its
property in ``mars.ttl`` and its shape in ``shapes/memory.ttl``; and what is special about it.

Guarantees: a field's name in Python is the snake_case of its name in Cypher, RDF, SHACL and JSON-LD, which is the
camelCase local name in the namespace :data:`~marskg.ontology.vocabulary.NS`; a test checks every name here against
``mars.ttl``. A field without a :class:`Secrecy` is refused by an encrypted tenant. Sources: MaRS sections 3.2.1-3.2.4
(payloads), 3.3.3; semantics sections 1-5; docs/adr/0029, 0035.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote

from marskg.json_object import MOST
from marskg.late_regex import late_regex
from marskg.ontology.key_forms import name_said, rewritten_key, texts_of_key
from marskg.ontology.vocabulary import (
    NS,
    OWL_SAME_AS,
    Cardinality,
    Datatype,
    Kind,
    MemoryClass,
    PreferenceRule,
    SourceType,
    TaskStatus,
    Tier,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


class Protection(StrEnum):
    """The class of a property where a tenant's contents are encrypted."""

    #: As it is.
    CLEAR = "clear"
    #: In an envelope of its own, under the keys of those whom the node is about.
    ENCRYPTED = "encrypted"
    #: A digest under the tenant's key, by which equal values are found.
    DIGEST = "digest"
    #: Never stored: writing it is refused.
    REFUSED = "refused"


class Secrecy(NamedTuple):
    """A class of properties, and why those that name it are of it."""

    protection: Protection
    reason: str


class Label(StrEnum):
    """What a text that names something is, to which personal data may have slipped (MaRS section 3.3.3)."""

    #: A key or a source: what is summarised loses it.
    NAME = "name"
    #: A session, a tag, a purpose or a region: a summary has those of its sources.
    TAG = "tag"
    #: Whom it is about: that it names them is no finding.
    WHOM = "whom"


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
    #: Its class in an encrypted tenant; None in the tables whose sort of node has its classes in ``protection``.
    secrecy: Secrecy | None = None
    many: bool = False
    #: What a number lies between; further out not every door and engine carries it.
    low: int = -MOST
    high: int = MOST
    #: Where Cypher has all digits of a decimal that no double says, which engines have; None for one kept to 1e-6.
    digits: str | None = None
    #: The words that a value of type TERM is one of.
    term: type[StrEnum] | None = None
    #: Every node with content has it.
    required: bool = False
    #: A tombstone keeps it; everything else goes with the content.
    kept: bool = False
    #: A caller gives it under this name: it is checked in drafts, stored as it was given, and kept by new versions.
    given: bool = False
    #: It names somebody or something that others are compared with, so that it needs a character that is seen.
    named: bool = False
    #: As what it is searched for personal data; None for what says something, as the content does, and for no text.
    label: Label | None = None
    #: Yields what a value says where it is written otherwise than it was given.
    reads: Callable[[str], Iterable[str]] | None = None
    #: Returns a value with each text that it says rewritten, where ``reads`` yields these.
    rewrites: Callable[[str, Callable[[str], str]], str] | None = None
    #: The only kind of memory that has it.
    only: Kind | None = None
    #: The report on a subject shows it, unless it is bookkeeping or says whom else the memory is about.
    reported: bool = True
    iri: str = field(default="", repr=False, compare=False)
    local: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make the names in the ontology."""
        object.__setattr__(self, "local", camel(self.name))
        if not self.iri:
            object.__setattr__(self, "iri", NS + self.local)

    @property
    def told(self) -> bool:
        """Whether its values are texts of somebody's, which :func:`every_text` yields: all but what the store makes."""
        made = self.secrecy in {_HANDLE, _TIME, _WORD, _DRAWN} and not self.given
        return self.datatype in {Datatype.STRING, Datatype.JSON, Datatype.IRI} and not made


_S, _I, _D, _T, _B, _E = (
    Datatype.STRING,
    Datatype.INTEGER,
    Datatype.DECIMAL,
    Datatype.DATETIME,
    Datatype.BOOLEAN,
    Datatype.TERM,
)

_WORD: Final = Secrecy(Protection.CLEAR, "fixed words by which the store decides")
_TIME: Final = Secrecy(Protection.CLEAR, "times, by which it expires and is replaced")
_NUMBER: Final = Secrecy(Protection.CLEAR, "numbers that policies weigh")
_ADMITS: Final = Secrecy(Protection.CLEAR, "what a reader is let in by")
_HANDLE: Final = Secrecy(Protection.CLEAR, "keyed digests already, which outlive the content")
ORDER: Final = Secrecy(Protection.CLEAR, "order keys, made of times and numbers")
_LOOKED_UP: Final = Secrecy(Protection.DIGEST, "what memories are found by")
_SAID: Final = Secrecy(Protection.ENCRYPTED, "what it says, and of whom")
_DRAWN: Final = Secrecy(Protection.ENCRYPTED, "what is drawn from the content")
_SALT: Final = Secrecy(Protection.ENCRYPTED, "without it nobody can guess the content and compare")
_PAYLOAD: Final = Secrecy(Protection.ENCRYPTED, "payload")

_JOINED: Final = r"[A-Za-z0-9]{1,24}(?:(?:[._~-]|%2F|%3A|%40)[A-Za-z0-9]{1,24})"
#: IRIs that the store itself makes: ids of memories, words of them, and readings, whose parts are too short for a text.
_OWN_IRI: Final = late_regex(
    r"urn:uuid:[0-9a-f-]{36}(?:#char=\d+,\d+)?"
    rf"|urn:mars:reading:[0-9a-zA-Z-]{{1,64}}:(?:rule:{_JOINED}{{0,5}}|model:{_JOINED}{{0,5}}:(?:{_JOINED}{{0,2}}|-):(?:[0-9a-f]{{1,64}}|-))"
    r"(?::[0-9a-f-]{1,64})?",
    re.ASCII,
)


def foreign_iri(iri: str) -> Iterator[str]:
    """Yield what an IRI says that is none of the store's own."""
    if not _OWN_IRI.fullmatch(iri):
        yield unquote(iri)


#: Decimals with all their digits lie within this, at 1e-18: SPARQL engines that add them exactly have 128 bits for one.
MOST_EXACT: Final = 10**20

#: Governed fields of every memory: covered by its commitment (semantics section 8).
GOVERNED_FIELDS: tuple[Field, ...] = (
    Field("content", _S, _SAID),
    Field("key", _S, _SAID, given=True, label=Label.NAME, reads=texts_of_key, rewrites=rewritten_key),
    Field("cardinality", _E, _WORD, term=Cardinality, given=True),
    Field("created", _T, _TIME, required=True, kept=True),
    Field("valid_from", _T, _TIME, required=True, kept=True),
    Field("valid_to", _T, _TIME, kept=True, given=True),
    Field("superseded_at", _T, _TIME, kept=True),
    Field("sensitivity", _D, _NUMBER, low=0, high=1, required=True, given=True),
    Field("sensitivity_reasons", _S, _DRAWN, many=True),
    Field("weight", _I, _NUMBER, low=0, required=True, kept=True, reported=False),
    Field("source_type", _E, _WORD, term=SourceType, required=True, given=True),
    Field("source_ref", _S, _SAID, given=True, label=Label.NAME),
    Field("reliability", _D, _NUMBER, low=0, high=1, required=True, given=True),
    Field("session", _S, _SAID, given=True, named=True, label=Label.TAG),
    Field("memory_class", _E, _WORD, term=MemoryClass, required=True, given=True),
    Field("intent_tags", _S, _SAID, many=True, given=True, label=Label.TAG),
    Field("metadata", Datatype.JSON, _SAID, given=True),
    Field("subjects", _S, _SAID, many=True, given=True, named=True, label=Label.WHOM, reported=False),
    Field("names_given", _S, _SAID, many=True, label=Label.WHOM, reads=name_said, reported=False),
    Field("purpose", _S, _ADMITS, many=True, given=True, label=Label.TAG),
    Field("jurisdiction", _S, _ADMITS, given=True, label=Label.TAG),
    Field("expires_at", _T, _TIME, given=True),
    Field("use_bound", _B, _WORD, given=True),
    Field("session_bound", _B, _WORD, given=True),
    Field("pinned", _B, _WORD),
    Field("tier", _E, _WORD, term=Tier, kept=True),
    Field("tier_history", _S, _TIME, many=True, kept=True),
    Field("grace_until", _T, _TIME),
    Field("subject_handles", _S, _HANDLE, many=True, kept=True, reported=False),
    Field("origin_handles", _S, _HANDLE, many=True, kept=True, reported=False),
    Field("status", _E, _WORD, term=TaskStatus, given=True, only=Kind.TASK),
    Field("priority", _I, _NUMBER, given=True, only=Kind.TASK),
    Field("deadline", _T, _TIME, given=True, only=Kind.TASK),
    Field("unaffirmed_since", _T, _TIME),
    Field("summary_lines", _S, _DRAWN, many=True, reported=False),
    Field("spans", Datatype.IRI, _SAID, many=True, given=True, label=Label.NAME, reads=foreign_iri, reported=False),
    Field("made_by", Datatype.IRI, _DRAWN, many=True, given=True, label=Label.NAME, reads=foreign_iri),
    Field("ended_by", Datatype.IRI, _DRAWN),
    Field("unread", _B, _WORD, given=True),
)

#: Changed by reading and feedback only, recorded in the access log, outside the commitment.
ACCESS_FIELDS: tuple[Field, ...] = (
    Field("last_access", _T, _TIME),
    Field("access_count", _I, _NUMBER, low=0),
    Field("score", _I, _NUMBER, low=0, high=100, given=True, reported=False),
    Field("strength", _D, _NUMBER, low=0, reported=False),
)

MEMORY_FIELDS = GOVERNED_FIELDS + ACCESS_FIELDS
#: All that a tombstone keeps besides id, kind and three edge types (semantics section 3).
TOMBSTONE_FIELDS: tuple[Field, ...] = tuple(row for row in GOVERNED_FIELDS if row.kept)
#: What a caller gives beside kind, content, payload and the time; by the same names in drafts and memories.
GIVEN_FIELDS: tuple[Field, ...] = tuple(row for row in MEMORY_FIELDS if row.given)


class Told(NamedTuple):
    """One text of a memory: the field that has it, the text, and the name that it stands under in free JSON."""

    field: Field
    text: str
    name: str = ""

    @property
    def whole(self) -> str:
        """Return the text with the name that it stands under."""
        return f"{self.name}: {self.text}" if self.name else self.text


#: What names something, and may be shown with something else in its place; IRIs and whom it is about may not.
NAMING_FIELDS: Final = tuple(
    row for row in MEMORY_FIELDS if row.label in {Label.NAME, Label.TAG} and row.datatype is Datatype.STRING
)
_TOLD_FIELDS: Final = tuple(row for row in MEMORY_FIELDS if row.told)
_PAYLOAD_FIELD: Final = Field("payload", Datatype.STRING, _PAYLOAD)
#: What the entities are called that a memory mentions.
NAMES_FIELD: Final = Field("mentions", Datatype.STRING, _SAID, many=True, label=Label.WHOM)


def every_text(record: Any, names: Iterable[str] = ()) -> Iterator[Told]:  # noqa: ANN401 - a memory or a draft
    """Yield every text of a memory or a draft: whoever compares, searches or redacts texts asks this.

    The content comes first, then the payload, then each field of the table that is a text, free JSON with its names
    and values at any depth and keys as what they say; last the ``names`` of what it mentions, which the caller knows.
    """
    for row in _TOLD_FIELDS:
        found = getattr(record, row.name, None)
        if found:
            if row.datatype is Datatype.JSON:
                yield from (Told(row, text, name) for name, text in found.told())
            else:
                for one in found if row.many else (found,):
                    for text in (one,) if row.reads is None else row.reads(one):
                        yield Told(row, text)
        if row.name == "content":
            yield from _payload_texts(record.payload)
    yield from (Told(NAMES_FIELD, name) for name in names)


def _payload_texts(payload: Mapping[str, Any]) -> Iterator[Told]:
    for value in payload.values():
        for text in value if isinstance(value, tuple | list) else (value,):
            if isinstance(text, str):
                yield Told(_PAYLOAD_FIELD, text)


def saying(record: Any) -> Iterator[str]:  # noqa: ANN401 - as :func:`every_text`
    """Yield those of :func:`every_text` that say something and name nothing: content, payload and free JSON."""
    return (one.whole for one in every_text(record) if one.field.label is None)


#: The typed payloads of MaRS sections 3.2.1-3.2.4; a task's status, priority and deadline are metadata.
PAYLOAD_FIELDS: dict[Kind, tuple[Field, ...]] = {
    Kind.EPISODIC: (
        Field("event", _S, _PAYLOAD),
        Field("context", _S, _PAYLOAD),
        Field("participants", _S, _PAYLOAD, many=True),
        Field("timestamp", _T, _PAYLOAD),
        Field("emotional_valence", _D, _PAYLOAD, low=-1, high=1),
    ),
    Kind.SEMANTIC: (
        Field("concept", _S, _PAYLOAD),
        Field("relations", _S, _PAYLOAD, many=True),
        Field("confidence", _D, _PAYLOAD, low=0, high=1),
        Field("generality_score", _D, _PAYLOAD, low=0, high=1),
        Field("amount", _D, _PAYLOAD, low=-MOST_EXACT, high=MOST_EXACT, digits="amountDigits"),
        Field("unit", _S, _PAYLOAD),
    ),
    Kind.SOCIAL: (
        Field("entity", _S, _PAYLOAD),
        Field("relationship_type", _S, _PAYLOAD),
        Field("attributes", _S, _PAYLOAD, many=True),
        Field("interaction_history", _S, _PAYLOAD, many=True),
    ),
    Kind.TASK: (
        Field("goal", _S, _PAYLOAD),
        Field("dependencies", _S, _PAYLOAD, many=True),
    ),
}

#: What the store itself keeps at a memory with content, beside what is governed (:mod:`marskg.ontology.physical`);
#: never exported.
STORE_FIELDS: tuple[Field, ...] = (
    Field("salt", _S, _SALT),
    Field("embedding", _S, _DRAWN),
    Field("answer", _S, _DRAWN),
    Field("guards", _I, _NUMBER),
    Field("blockers", _I, _NUMBER),
    Field("guarding", _B, _NUMBER),
    Field("slot_key", _S, _LOOKED_UP),
    Field("session_key", _S, _LOOKED_UP),
    Field("due_key", _S, ORDER),
    Field("eligible_access", _I, ORDER),
    Field("eligible_count", _I, ORDER),
    Field("eviction_rank", _S, ORDER),
    Field("source_digest", _S, _LOOKED_UP),
    Field("fifo_key", _S, ORDER),
    Field("lru_key", _S, ORDER),
    Field("decay_key", _S, ORDER),
    Field("random_key", _S, ORDER),
)

_ENTITY_KIND: Final = Secrecy(Protection.CLEAR, "its sort and age, which no name follows from")
_NAMES: Final = Secrecy(Protection.ENCRYPTED, "who or what it is")

ENTITY_FIELDS: tuple[Field, ...] = (
    Field("name", _S, _NAMES, required=True),
    Field("aliases", _S, _NAMES, many=True),
    Field("entity_type", _S, _ENTITY_KIND),
    Field("same_as", Datatype.IRI, _NAMES, many=True, iri=OWL_SAME_AS),
    Field("by_hand", _S, _NAMES, many=True),
    Field("created", _T, _ENTITY_KIND, required=True),
)

_RULE: Final = Secrecy(Protection.CLEAR, "the rule, its numbers and its times")
_TEMPLATE: Final = Secrecy(Protection.CLEAR, "what a law or a template gives")
_WHOSE: Final = Secrecy(Protection.ENCRYPTED, "whom it is of and what it names")

#: Fields of a preference: a rule that a person, an operator or a template gives (docs/adr/0026).
PREFERENCE_FIELDS: tuple[Field, ...] = (
    Field("created", _T, _RULE, required=True),
    Field("preference_rule", _E, _RULE, term=PreferenceRule, required=True),
    Field("data_subject", _S, _WHOSE),
    Field("department", _S, _WHOSE),
    Field("target", _S, _WHOSE),
    Field("likenesses", _S, _WHOSE, many=True),
    Field("label", _S, _WHOSE),
    Field("horizon", _I, _RULE, low=1),
    Field("level", _D, _RULE, low=0, high=1),
    Field("regions", _S, _TEMPLATE, many=True),
    Field("ends_at", _T, _RULE),
    Field("withdrawn_at", _T, _RULE),
    Field("origin", _S, _TEMPLATE),
    Field("clause", _S, _TEMPLATE),
)


def texts_of_rule(rule: Any) -> Iterator[str]:  # noqa: ANN401 - a preference, or a rule before it is one
    """Yield every text of a preference: what it is about, of whom it is, and what it is called."""
    for row in PREFERENCE_FIELDS:
        found = getattr(rule, row.name, None)
        if found and row.datatype is Datatype.STRING:
            yield from found if row.many else (found,)


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
    Field("commitment_before"),
    Field("node_commitment"),
    Field("rule"),
    Field("removal_score", _I),
    Field("features", many=True),
    Field("reason"),
)
