"""Names that the property graph has and the ontology has not, each with its reason.

Guarantees: every label, relationship type and property name in the package's Cypher is either a local name of the
ontology or listed here; a test keeps it so in both directions. Nothing listed here is ever exported.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Labels of nodes that are the store's own bookkeeping.
PHYSICAL_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "AuditTile": "a block of Merkle hashes that is kept so that a head needs no recomputation of the log",
        "EntityWord": "a word with which a name of an entity begins, so that a text's words find whoever they may name",
        "Snapshot": "a snapshot that was written of the tenant, so that an erasure can remove its file; in no snapshot",
        "Suppression": "a keyed digest of what was erased and must not come in again; it says nothing to anybody else",
        "StoreVersion": "the version of the schema, read before anything else; while a tenant is restored, its account",
        "VectorPoint": "a vector in the engine's own index, for stores too large to compare all; goes with the content",
        "Tenant": "the isolation boundary: RDF of two tenants never meets, so it has no name there",
    }
)

#: Properties that only the store reads.
PHYSICAL_PROPERTIES: Mapping[str, str] = MappingProxyType(
    {
        "hashes": "leaf hashes of a block of the Merkle tree, derived from the records",
        "index": "the number of a block of leaf hashes within its log",
        "amountDigits": "all digits of an amount that no double says; in RDF the amount has them",
        "answer": "what a model answered about a turn, after the digest of the question: a repetition needs no request",
        "account": "what differential privacy has cost a tenant, kept apart while a restore has taken its row away",
        "accessSequence": "the last sequence of the tenant's access log; in RDF it is counted",
        "announcedAt": "when the tenant announced a signing key; in RDF it is the time of that record",
        "bearer": "the reference of the entity that a word may name",
        "blockers": "how many memories with content depend on it: none makes it a leaf; recomputable from dependsOn",
        "commitments": "the commitments of a sealed record's slots, in order, of which its core is made again",
        "core": "the signed bytes of a record; in RDF they are the triples themselves",
        "decayKey": "order key of Priority-Decay",
        "digest": "the SHA-256 of a snapshot's file: only what has it is removed",
        "doomed": "whether the file of a snapshot is to be removed, as promised when something was erased",
        "details": "the canonical lines of a record's slots; in RDF each slot has them as its own triples",
        "dueKey": "order key of what expires next",
        "eligibleAccess": "least last access among what may be evicted, for the trigger's statistics",
        "eligibleCount": "number of what may be evicted, for the trigger's statistics",
        "embedding": "the vector of the content, packed; worked out from it again at any time, by the tenant's model",
        "embeddingModel": "the model that made the tenant's vectors, with their dimension: vectors of two never meet",
        "evictionRank": "its rank in every order of eviction, where its words give it one; worked out from them again",
        "fifoKey": "order key of FIFO",
        "frontier": "the right edge of the Merkle tree at a head, from which the next head is computed",
        "guarding": "whether the memory is a task that counts as active now, its deadline and grace included",
        "guards": "how many protected tasks rest on the memory; recomputable from requires and dependsOn",
        "id": "the node's IRI",
        "kind": "the class, as a property for engines that do not return labels",
        "leaf": "the leaf hash as stored; exported as leafHash",
        "lruKey": "order key of LRU",
        "machine": "keyed digest of the name of the machine that wrote a snapshot of a server's tenant",
        "memories": "the ids of a record's slots, in order; in RDF each slot has its memory",
        "nameKey": "an entity's name, folded, for look-up",
        "path": "where a snapshot was written",
        "preferencesChanged": "the sequence of the tenant's last change of preferences, so that copies know their age",
        "randomKey": "order key of Random-Drop",
        "ref": "tenant and id in one, unique in the store",
        "restores": "how often a snapshot took the tenant's place, for whoever has the tenant open",
        "root": "the root hash as stored; exported as rootHash",
        "salts": "the salts of a record's slots, in order; in RDF each slot has its salt",
        "sessionKey": "tenant and session in one, for the chain of episodes",
        "size": "the size of a head as stored, exported as treeSize; or of a snapshot's file",
        "slotKey": "tenant, subjects and key in one, for look-up",
        "sourceDigest": "keyed digest of the source of an encrypted memory, for look-up",
        "tenant": "the isolation boundary, see the label",
        "textsErased": "about when digests of erased texts came last, so that copies know their age",
        "wordKey": "tenant and the first word of a name, folded, for look-up",
        "vector": "the components of a vector point, as the engine's index reads them",
        "version": "the number of the schema's version",
        "written": "when a snapshot was written",
    }
)
