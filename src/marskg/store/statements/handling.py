"""How the parameters and rows of each statement are handled where a tenant's contents are encrypted.

Guarantees: a statement of the store carries its handling with its text; whatever has none, and a parameter that the
handling does not name, is refused on an encrypted tenant before anything is sent. Nothing is recognised by its text or
by the keys that a row has. What is declared clear are ids, references, times, numbers and digests; whole nodes and
changes of nodes go by the table of properties (:mod:`marskg.ontology.protection`).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Self, TypeAlias

from marskg.ontology.protection import Sort

if TYPE_CHECKING:
    from collections.abc import Mapping

# --- Parameters ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clear:
    """Ids, references, times, numbers or digests: sent as they are."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """The properties of one node, or of several: as a parameter encrypted, as a column decrypted."""

    sort: Sort


@dataclass(frozen=True, slots=True)
class Changes:
    """Rows with a node's ``ref`` and the properties that change: below ``set``, or with ``inline`` beside it."""

    sort: Sort
    inline: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """Rows whose values are each of a form of their own."""

    forms: Mapping[str, Given]


@dataclass(frozen=True, slots=True)
class LookUp:
    """A value, or several, that nodes are found by: sent as keyed digests of ``domain``."""

    domain: str


@dataclass(frozen=True, slots=True)
class Beginning:
    """What the property ``name`` of nodes that are looked for begins with, as far as its envelopes show it."""

    name: str


@dataclass(frozen=True, slots=True)
class Removed:
    """References of entities that go: their keys are destroyed with them."""


Given: TypeAlias = "Clear | Nodes | Changes | Parts | LookUp | Beginning | Removed"

# --- Columns ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Property:
    """One property of the node whose ``ref`` or ``id`` is in the same row."""

    sort: Sort
    name: str


@dataclass(frozen=True, slots=True)
class Echo:
    """A value that was looked up: it comes back as its digest."""


Found: TypeAlias = "Nodes | Property | Echo"


@dataclass(frozen=True, slots=True)
class Handling:
    """What each parameter of a statement is, and each column that is not in clear."""

    given: Mapping[str, Given]
    found: Mapping[str, Found]
    #: A user's own: its parameters are sent as they are, its rows opened as far as they name the node that they are of.
    own: bool = False


class Statement(str):
    """The text of a statement with its name and handling; None where nobody declared how it is handled."""

    __slots__ = ("handling", "name")

    name: str
    handling: Handling | None

    def __new__(cls, text: str, name: str, handling: Handling | None) -> Self:
        """Return ``text`` as a statement."""
        made = super().__new__(cls, text)
        made.name, made.handling = name, handling
        return made


_CLEAR: Final = Clear()
_OWN: Final = Handling(MappingProxyType({}), MappingProxyType({}), own=True)


def own(text: str) -> Statement:
    """Return a user's own statement; one of the package keeps its handling."""
    return text if isinstance(text, Statement) else Statement(text, "a user's own", _OWN)


def handled(clear: str = "", found: Mapping[str, Found] | None = None, **given: Given) -> Handling:
    """Return a handling: the names of parameters in ``clear``, the columns ``found``, and all other parameters."""
    return Handling({**dict.fromkeys(clear.split(), _CLEAR), **given}, found or {})


def properties(sort: Sort, names: str = "", **renamed: str) -> dict[str, Found]:
    """Return columns that are properties of their own names, and such that a statement calls otherwise."""
    same = {name: Property(sort, name) for name in names.split()}
    return {**same, **{column: Property(sort, name) for column, name in renamed.items()}}


_MEMORY, _ENTITY, _RECORD = Nodes(Sort.MEMORY), Nodes(Sort.ENTITY), Nodes(Sort.RECORD)
_EDGE_ROWS: Final = Parts({"source": _CLEAR, "target": _CLEAR, "properties": Nodes(Sort.EDGE)})
_CREATED: Final = Parts({"node": _MEMORY, "record": _RECORD})
_REFS: Final = handled("refs")
_RANGE: Final = handled("low high")
_PAGE: Final = handled("low high limit")
_TENANT: Final = handled("tenant")
_EDGES: Final = handled(rows=_EDGE_ROWS)
_MEMORIES: Final = handled("refs", {"node": _MEMORY})
_CLAIM: Final = "tenant expected accessed restores"
_SET: Final = Nodes(Sort.TENANT)
_RECORDS: Final = {"record": _RECORD}
_INDEXED: Final = (
    "content key sensitivityReasons session subjects namesGiven intentTags metadata amount generalityScore spans "
    "embedding"
)
#: The handling of every statement of the store by its name; None for those that run on the engine alone, never in a
#: tenant whose contents are encrypted, and are refused there.
DECLARED: Final[Mapping[str, Handling | None]] = MappingProxyType(
    {
        # Memories
        "create_bare_memories": handled(rows=_MEMORY),
        "create_chained": handled("links", rows=_CREATED),
        "create_memories": handled(rows=_CREATED),
        "restore_memories": handled(rows=_MEMORY),
        "remember_one": handled(_CLAIM, set=_SET, node=_MEMORY, record=_RECORD),
        "remember_next": handled(f"{_CLAIM} previous created", set=_SET, node=_MEMORY, record=_RECORD),
        "update_memories": handled(rows=Changes(Sort.MEMORY)),
        "set_embeddings": handled(rows=Changes(Sort.MEMORY, inline=True)),
        "keep_answers": handled(rows=Changes(Sort.MEMORY, inline=True)),
        "touch": handled(_CLAIM, set=_SET, records=_RECORD, rows=Changes(Sort.MEMORY)),
        "delete_memories": _REFS,
        "about_subject": handled("low high handle limit", subject=LookUp("subject")),
        "from_source": handled("low high limit", source=LookUp("source")),
        "from_origin": handled("low high handle limit"),
        "slot": handled(slot=LookUp("slot")),
        "slot_head": handled(slot=LookUp("slot")),
        "session_episodes": handled(session=LookUp("session")),
        "sessions_episodes": handled(found={"session": Echo()}, sessions=LookUp("session")),
        "contents": handled("refs", properties(Sort.MEMORY, "content embedding")),
        "index_rows": handled("refs", properties(Sort.MEMORY, _INDEXED)),
        "live_holders": handled("low high limit", properties(Sort.MEMORY, "subjects session")),
        "weights_page": handled("low high limit", properties(Sort.MEMORY, "content subjects session")),
        "answers_page": handled("low high limit", properties(Sort.MEMORY, "answer")),
        "subjects_page": handled("low high limit", properties(Sort.MEMORY, "subjects")),
        "load_memories": _MEMORIES,
        "load_leaving": _MEMORIES,
        "read_memories": _MEMORIES,
        "access_state": _REFS,
        "existing": _REFS,
        "facts": _REFS,
        "physical_page": _REFS,
        "memories_page": _PAGE,
        "due": _PAGE,
        "used_up": _RANGE,
        "quarantined": _RANGE,
        "unread": _RANGE,
        "without_vector": handled("low high limit", prefix=Beginning("embedding")),
        "census": _TENANT,
        "census_sources": _TENANT,
        "statistics": handled("tenant", prefix=Beginning("embedding")),
        "protected": handled("tenant limit"),
        "held_by": handled("ref"),
        # Edges
        "create_edges": _EDGES,
        "create_mentions": _EDGES,
        "create_entity_edges": _EDGES,
        "delete_edges": _EDGES,
        "delete_entity_edges": _EDGES,
        "index_edges": _REFS,
        "load_incoming": _REFS,
        "reaches": handled("refs source"),
        # Entities and the words of their names
        "create_entities": handled(rows=_ENTITY),
        "update_entities": handled(rows=Changes(Sort.ENTITY)),
        "delete_entities": handled(refs=Removed()),
        "load_entities": handled("refs", {"node": _ENTITY}),
        "everybody_page": handled("low high limit", {"node": _ENTITY}),
        "entities_page": _PAGE,
        "entity_incoming": _REFS,
        "entity_mentions": handled("ref"),
        "entity_uses": _REFS,
        "mentioned_together": handled("rows"),
        "mentioning": _REFS,
        "names_given": handled("refs", properties(Sort.MEMORY, "namesGiven")),
        "create_words": handled(rows=Nodes(Sort.WORD)),
        "delete_words": handled(refs=LookUp("bearer")),
        "find_names": handled(found={"node": _ENTITY}, keys=LookUp("word")),
        # Preferences
        "put_preferences": handled(rows=Nodes(Sort.PREFERENCE)),
        "delete_preferences": _REFS,
        "preferences_page": handled("low high limit", {"node": Nodes(Sort.PREFERENCE)}),
        "read_preferences": handled("refs", {"node": Nodes(Sort.PREFERENCE)}),
        # The audit
        "create_records": handled(rows=_RECORD),
        "create_head": handled(head=Nodes(Sort.HEAD)),
        "create_key": handled(key=Nodes(Sort.KEY)),
        "create_tiles": handled(rows=Nodes(Sort.TILE)),
        "erase_accesses": handled(rows=_RECORD),
        "erase_transitions": handled("rows"),
        "access_page": _PAGE,
        "changed": _PAGE,
        "accesses_of": handled("low high id limit", _RECORDS),
        "showings_of": handled("low high id limit", _RECORDS),
        "records": handled("low high limit", _RECORDS),
        "records_of": handled("memory low", _RECORDS),
        "whole_records": handled("refs", _RECORDS),
        "records_by_ref": handled("refs", properties(Sort.RECORD, "details salts")),
        "transitions_about": handled("refs low"),
        "record_at": handled("ref tenant"),
        "leaves": _PAGE,
        "heads": _RANGE,
        "last_frontier": _RANGE,
        "sealings": _RANGE,
        "keys": _TENANT,
        # The tenant's row, nodes of any sort, what must not come in again, and the list of snapshots
        "create_tenant": handled(tenant=_SET),
        "advance_tenant": handled(_CLAIM, set=_SET),
        "hold_tenant": _TENANT,
        "load_tenant": _TENANT,
        "replace_tenant": handled(_CLAIM, row=_SET),
        "clear": _PAGE,
        "refs_page": _PAGE,
        "labels_page": _PAGE,
        "tiles_page": _PAGE,
        "create_suppressions": handled("rows"),
        "delete_suppressions": _REFS,
        "suppressed": _REFS,
        "suppressions_page": _PAGE,
        "note_snapshot": handled(row=Nodes(Sort.SNAPSHOT)),
        "mark_snapshots": _RANGE,
        "unmark_snapshots": _REFS,
        "drop_snapshots": _REFS,
        "snapshots_page": _PAGE,
        # The engine's own index of vectors, which an encrypted tenant cannot have
        "put_points": handled(rows=Nodes(Sort.POINT)),
        "drop_points": _REFS,
        "nearest_points": None,
        "define_points": None,
        "define_point_index": None,
        # A restore, which an encrypted tenant refuses
        "delete_refs": None,
        "put_rows": None,
        "read_refs": None,
        "parked_account": None,
        "drop_account": None,
        # A part of others
        "claim_tenant": None,
        # The store as a whole
        "entity_names": None,
        "list_tenants": None,
        "store_version": None,
        "set_store_version": None,
        # The schema of a server
        "schema_constraints": None,
        "schema_indexes": None,
        "terminate": None,
    }
)
