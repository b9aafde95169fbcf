"""How each property of a node or an edge is written where a tenant's contents are encrypted: the one table of that.

Guarantees: a property that is not in :data:`TABLE` for its sort of node is not written to an encrypted tenant at all
(:mod:`marskg.store.crypto.field_encryption`); a test holds every field of the field table, and all that the store
itself writes, against it. The field table (:mod:`marskg.ontology.fields`) says the class of the fields of memories,
entities and preferences; here are those of all other nodes. What is in clear has its reason. Source: semantics
section 5; docs/adr/0029, 0035.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from marskg.ontology.fields import (
    ENTITY_FIELDS,
    MEMORY_FIELDS,
    PAYLOAD_FIELDS,
    PREFERENCE_FIELDS,
    STORE_FIELDS,
    Field,
    Protection,
    Secrecy,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Sort(StrEnum):
    """What a node is, as far as its encryption goes; the edges are one sort."""

    MEMORY = "memory"
    ENTITY = "entity"
    WORD = "word of a name"
    PREFERENCE = "preference"
    RECORD = "audit record"
    HEAD = "tree head"
    TILE = "audit tile"
    KEY = "signing key"
    TENANT = "tenant"
    SNAPSHOT = "snapshot"
    POINT = "vector point"
    EDGE = "edge"


_IDENTITY: Final = (Protection.CLEAR, "what the node is and in which order it came", "ref id tenant sequence")
_SIGNED: Final = (
    Protection.CLEAR,
    "what verifies without any key: ids, times, hashes and signatures, no content",
    "ref tenant log recordedAt signingKey core proofValue proofCreated",
)


def _of_fields(*rows: Field) -> Iterator[tuple[Protection, str, str]]:
    """Yield the classes that the rows of the field table give; one without a class is of none."""
    names: dict[Secrecy, list[str]] = {}
    for row in rows:
        if row.secrecy is not None:
            names.setdefault(row.secrecy, []).extend((row.local, row.digits) if row.digits else (row.local,))
    for secrecy, some in names.items():
        yield secrecy.protection, secrecy.reason, " ".join(some)


#: For each sort the class, the reason, and the properties that are of that class for that reason.
TABLE: Final[Mapping[Sort, tuple[tuple[Protection, str, str], ...]]] = MappingProxyType(
    {
        Sort.MEMORY: (
            _IDENTITY,
            (Protection.CLEAR, "fixed words by which the store decides", "kind"),
            *_of_fields(*MEMORY_FIELDS, *STORE_FIELDS, *(field for own in PAYLOAD_FIELDS.values() for field in own)),
        ),
        Sort.ENTITY: (
            _IDENTITY,
            *_of_fields(*ENTITY_FIELDS),
            (Protection.DIGEST, "what entities are found by", "nameKey"),
            (Protection.ENCRYPTED, "without it nobody can guess the name and compare", "salt"),
        ),
        Sort.WORD: (
            (Protection.CLEAR, "whose word it is", "tenant bearer"),
            (Protection.DIGEST, "what entities are found by; the reference ends with the word", "ref wordKey"),
        ),
        Sort.PREFERENCE: (
            _IDENTITY,
            *_of_fields(*PREFERENCE_FIELDS),
            (Protection.ENCRYPTED, "without it nobody can guess them and compare", "salt"),
        ),
        Sort.RECORD: (
            _SIGNED,
            (
                Protection.CLEAR,
                "what was done to which ids, as the core says",
                "sequence operation memories memory leaf commitments",
            ),
            (Protection.ENCRYPTED, "what an erasure takes out of a record", "details salts"),
        ),
        Sort.HEAD: (_SIGNED, (Protection.CLEAR, "hashes and how many there are", "size root frontier")),
        Sort.TILE: ((Protection.CLEAR, "hashes and their place", "ref tenant log index hashes"),),
        Sort.KEY: ((Protection.CLEAR, "public", "ref tenant publicKey announcedAt"),),
        Sort.TENANT: (
            (Protection.CLEAR, "which logs it has, and how long they are", "ref log accessLog sequence accessSequence"),
            (Protection.CLEAR, "which logs it has, and how long they are", "signingKey preferencesChanged"),
            (Protection.CLEAR, "sums over all memories", "weight latentWeight protectedWeight census usage"),
            (Protection.CLEAR, "times, and places in an order", "lastTime suspendedAt randomWatermark"),
            (Protection.CLEAR, "what an operator chose, before there is a key", "settings budget embeddingModel"),
            (Protection.CLEAR, "what an operator chose, before there is a key", "subscriptions"),
            (Protection.CLEAR, "states of the store's own work", "reordering lifting weighedBy"),
            (Protection.CLEAR, "whether anything was erased, and about when last", "suppressing textsErased"),
            (Protection.CLEAR, "what the row is signed with, by digests and numbers", "signedState stateProof"),
            (Protection.CLEAR, "what the row is signed with, by digests and numbers", "stateBroken heads"),
            (Protection.CLEAR, "what the row is signed with, by digests and numbers", "suppressionHash"),
            (Protection.CLEAR, "how often a snapshot was restored", "restores"),
            (Protection.CLEAR, "numbers that controllers learned; conversations by keyed digests", "controls"),
        ),
        Sort.SNAPSHOT: (
            (Protection.CLEAR, "digests, sizes and times", "ref digest size written machine doomed"),
            (Protection.REFUSED, "a snapshot would hold contents in clear, and its path may name somebody", "path"),
        ),
        Sort.POINT: (
            (Protection.CLEAR, "whose vector it is", "ref"),
            (Protection.REFUSED, "the engine's index has vectors in clear, and they tell of the content", "vector"),
        ),
        Sort.EDGE: ((Protection.CLEAR, "when it was drawn, and how strong it is", "created weight"),),
    }
)


def classes(sort: Sort) -> dict[str, Protection]:
    """Return the class of each property that a node of ``sort`` may have."""
    return {name: protection for protection, _, names in TABLE[sort] for name in names.split()}


def of_class(sort: Sort, wanted: Protection) -> frozenset[str]:
    """Return the properties of ``sort`` that are of one class."""
    return frozenset(name for name, protection in classes(sort).items() if protection is wanted)
