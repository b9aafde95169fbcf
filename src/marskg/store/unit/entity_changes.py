"""The entities that one unit of work reads and changes, with the edges between them and the words they are found by.

Guarantees: an entity is read once, and all of a set in one statement; each that is put or removed has its record (I7);
an entity goes with the edges of others to it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from marskg.audit.record import new_salt, node_commitment
from marskg.entities import folded_name
from marskg.errors import UnknownMemory
from marskg.ontology.mapping import entity_lines
from marskg.ontology.vocabulary import EdgeType, Operation, Tier
from marskg.store.rows import codec
from marskg.store.rows.name_cache import AGE, as_ref, first_word, word_rows
from marskg.store.rows.paging import pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from marskg.clock import Source
    from marskg.drafts import EntityRef
    from marskg.records import Edge, Entity
    from marskg.store.engine.protocol import Reader, Row
    from marskg.store.rows.name_cache import NameCache
    from marskg.store.unit.audit_records import AuditRecords

#: What the id of every entity begins with.
ID_PREFIX: Final = "urn:uuid:"
_PAGE: Final = 2_000


class EntityChanges:
    """The working copies of a tenant's entities in a unit of work."""

    def __init__(self, read: Reader, tenant: str, audit: AuditRecords, source: Source, names: NameCache) -> None:
        """Know none yet; ``names``, who goes by which name, are shared with the writer between units."""
        self._read = read
        self._tenant = tenant
        self._audit = audit
        self._source = source
        self.names = names
        #: The entities that were fetched or put.
        self.known: dict[str, Entity] = {}
        #: Ids of those that were put, in order, and of those that were removed.
        self.put_ids: dict[str, None] = {}
        self.removed: set[str] = set()
        self.removed_edges: list[Edge] = []
        self._originals: dict[str, Row] = {}
        self._salts: dict[str, str] = {}
        self._edges: dict[str, list[Edge]] = {}
        #: The edges of entities as they were found, and the commitments to entities as they were last recorded here.
        self._found_edges: dict[str, list[Edge]] = {}
        self._committed: dict[str, str | None] = {}
        self._new_edges: list[Edge] = []
        self._everybody: tuple[Entity, ...] | None = None
        self._pointed: set[str] = set()

    # --- Names --------------------------------------------------------------------------------------------------

    def load_names(self, words: Iterable[str]) -> None:
        """Learn in one read who has a name that begins with one of ``words``, folded."""
        self.names.load(words, self._tenant, self._read)

    def bearers_of(self, names: Iterable[str]) -> dict[str, list[Entity]]:
        """Return by each of ``names`` the entities of this name, the eldest first, or whose alias alone it is."""
        wanted = list(names)
        self.load_names([first_word(folded_name(name)) for name in wanted])
        return {name: self.names.bearers(name) for name in wanted}

    def bearers_by(self, targets: Mapping[str, str], digest: Callable[[str], str]) -> dict[str, list[Entity]]:
        """Return by target who goes by the name of which its reference is the ``digest``, the eldest first.

        ``targets`` are by their references.
        """
        found = self.names.ids_by_digest(frozenset(targets), digest, self.everybody)
        self.fetch(ident for ids in found.values() for ident in ids)
        return {
            targets[reference]: sorted((one for ident in ids if (one := self.get(ident)) is not None), key=AGE)
            for reference, ids in found.items()
        }

    def meant_by(self, name: str) -> list[Entity]:
        """Return the entities that a caller may mean by ``name``, the eldest first: an id, a name or alias, or an IRI.

        Raises:
            UnknownMemory: it is the id of no entity of the tenant.
        """
        if name.startswith(ID_PREFIX):
            return [self.entity(name)]
        self.load_names((first_word(folded_name(name)),))
        return self.names.bearers(name, alone=False) or self._having(name)

    def searched_for(self, name: str) -> list[Entity]:
        """Return what :meth:`meant_by` does, by the entities themselves and not by their look-ups.

        Raises:
            UnknownMemory: it is the id of no entity of the tenant.
        """
        if name.startswith(ID_PREFIX):
            return [self.entity(name)]
        key = folded_name(name)
        everybody = self.everybody()
        own = [one for one in everybody if folded_name(one.name) == key]
        found = own or [one for one in everybody if key in map(folded_name, one.aliases)]
        return found or [one for one in everybody if name in one.same_as]

    def _having(self, iri: str) -> list[Entity]:
        """Return the entities that have an IRI, the eldest first."""
        if ":" not in iri:
            return []
        ids = self.names.ids_of_iri(iri, self.everybody)
        self.fetch(ids)
        found = [entity for ident in ids if (entity := self.get(ident)) is not None and iri in entity.same_as]
        return sorted(found, key=AGE)

    def everybody(self) -> tuple[Entity, ...]:
        """Return every entity of the tenant as it is now, the eldest first; read once, until one changes."""
        if self._everybody is None:
            every = pages(partial(self._read, "everybody_page"), self._tenant, _PAGE)
            stored = {row["node"]["id"]: row["node"] for page in every for row in page}
            found = {ident: self.known.get(ident) or codec.decode_entity(row) for ident, row in stored.items()}
            new = {one.id: one for one in self.known.values() if one.id not in self._originals}
            there = (one for one in (found | new).values() if one.id not in self.removed)
            self._everybody = tuple(sorted(there, key=AGE))
        return self._everybody

    def find(self, folded_name: str) -> EntityRef | None:
        """Return the one entity that goes by this name, as a recogniser asks for it."""
        self.longest(first_word(folded_name))
        entity = self.names.nearest(folded_name)
        return None if entity is None else as_ref(entity)

    def longest(self, word: str) -> int:
        """Return how many words the names of entities have at most that begin with ``word``, folded."""
        if not self.names.knows(word):
            self.load_names((word,))
        return self.names.longest(word)

    # --- Reading ------------------------------------------------------------------------------------------------

    def fetch(self, ids: Iterable[str]) -> None:
        """Bring the entities ``ids`` that exist and are not here yet into the unit, in one read."""
        missing = sorted({entity_id for entity_id in ids if entity_id not in self.known})
        refs = [codec.ref(self._tenant, entity_id) for entity_id in missing]
        for row in self._read("load_entities", {"refs": refs}) if missing else ():
            entity_id = row["node"]["id"]
            if entity_id not in self.known:
                self.known[entity_id] = codec.decode_entity(row["node"])
                self._originals[entity_id] = row["node"]
                self._salts[entity_id] = row["node"]["salt"]
                self._edges[entity_id] = []
                self._found_edges[entity_id] = []
            if row["type"] is not None:
                edge = codec.decode_edge(entity_id, row)
                self._edges[entity_id].append(edge)
                self._found_edges[entity_id].append(edge)

    def get(self, entity_id: str) -> Entity | None:
        """Return the entity with this id, or None."""
        self.fetch((entity_id,))
        return None if entity_id in self.removed else self.known.get(entity_id)

    def entity(self, entity_id: str) -> Entity:
        """Return the entity with this id.

        Raises:
            UnknownMemory: the tenant has none.
        """
        found = self.get(entity_id)
        if found is None:
            msg = f"{entity_id[:80]} is no entity of tenant {self._tenant!r}; list them with: mars entities list"
            raise UnknownMemory(msg)
        return found

    def is_known(self, entity_id: str) -> bool:
        """Return whether what was read or put so far has the entity."""
        return entity_id in self.known or self.names.holds(entity_id)

    def stored(self, entity_id: str) -> Entity | None:
        """Return an entity that was fetched as it is stored, or None where it is new."""
        original = self._originals.get(entity_id)
        return None if original is None else codec.decode_entity(original)

    def edges_of(self, entity_id: str) -> list[Edge]:
        """Return the edges from an entity that was fetched to others."""
        return list(self._edges.get(entity_id, ()))

    def has_edge(self, edge: Edge) -> bool:
        """Return whether the entity already has an edge of this type to this target."""
        known = self._edges.get(edge.source, ())
        return any(other.type is edge.type and other.target == edge.target for other in known)

    def is_stored_edge(self, edge: Edge) -> bool:
        """Return whether an edge between entities is stored, and its end does not go."""
        return edge not in self._new_edges and edge.target not in self.removed

    def pointing_to(self, ids: Iterable[str]) -> list[str]:
        """Return the other entities with an edge to one of ``ids`` as of now, all fetched."""
        wanted = set(ids)
        missing = sorted(wanted - self._pointed)
        if missing:
            self._pointed.update(missing)
            rows = self._read("entity_incoming", {"refs": [codec.ref(self._tenant, one) for one in missing]})
            self.fetch(row["source"] for row in rows)
        gone = self.removed | wanted
        return sorted(
            source
            for source, edges in self._edges.items()
            if source not in gone and any(edge.target in wanted for edge in edges)
        )

    # --- Changing -----------------------------------------------------------------------------------------------

    def put(self, entity: Entity, edges: Iterable[Edge] = (), *, operation: Operation) -> Entity:
        """Create or change an entity and record it; returns it with its sequence."""
        if entity.id not in self._salts:
            entity = replace(entity, sequence=self._audit.next_sequence)
            self._salts[entity.id] = new_salt(self._source)
        self.known[entity.id] = entity
        self._everybody = None
        self.put_ids[entity.id] = None
        self.names.put(entity)
        kept = self._edges.setdefault(entity.id, [])
        added = [edge for edge in edges if edge not in kept]
        kept.extend(added)
        self._new_edges.extend(added)
        commitment = node_commitment(self._salts[entity.id], entity_lines(entity, kept))
        slot = {"memory": entity.id, "tier_after": Tier.LIVE, "node_commitment": commitment}
        self._audit.append(operation, {}, [slot | self._before(entity.id)])
        self._committed[entity.id] = commitment
        return entity

    def _before(self, entity_id: str) -> dict[str, str]:
        """Return what a slot says of the entity before the change, so that no change past the log is signed for."""
        found = self._committed[entity_id] if entity_id in self._committed else self._as_found(entity_id)
        return {} if found is None else {"commitment_before": found}

    def _as_found(self, entity_id: str) -> str | None:
        """Return the commitment to what is stored; None of a new entity, and where the key to it was destroyed."""
        stored, salt = self.stored(entity_id), self._salts.get(entity_id)
        return node_commitment(salt, entity_lines(stored, self._found_edges[entity_id])) if stored and salt else None

    def cut(self, entity_id: str, edges: Iterable[Edge]) -> None:
        """Take edges from an entity; the caller puts and so records it."""
        for edge in edges:
            self._edges[entity_id].remove(edge)
            if edge in self._new_edges:
                self._new_edges.remove(edge)
            else:
                self.removed_edges.append(edge)

    def remove(self, ids: Iterable[str], reason: str) -> None:
        """Remove entities, with the edges of others to them."""
        wanted = sorted(set(ids))
        self.fetch(wanted)
        for source in self.pointing_to(wanted):
            self.cut(source, [edge for edge in self.edges_of(source) if edge.target in wanted])
            self.put(self.known[source], operation=Operation.UPDATE_ENTITY)
        self._everybody = None
        for entity_id in wanted:
            self.removed.add(entity_id)
            self.names.remove(entity_id)
            slot = {"memory": entity_id, "tier_before": Tier.LIVE, "tier_after": Tier.GONE, "reason": reason}
            self._audit.append(Operation.REMOVE_ENTITY, {}, [slot | self._before(entity_id)])
            self._committed[entity_id] = None

    # --- What is to be stored -----------------------------------------------------------------------------------

    def rows(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the property rows of the entities to create, and of those to change."""
        created, updated = [], []
        for entity_id, entity in self.known.items():
            if entity_id in self.removed:
                continue
            row = {**codec.encode_entity(entity), "salt": self._salts[entity_id]}
            original = self._originals.get(entity_id)
            if original is None:
                created.append(row)
                continue
            changes: dict[str, Any] = {name: value for name, value in row.items() if original.get(name) != value}
            changes.update({name: None for name in original if name not in row})
            if changes:
                updated.append({"ref": row["ref"], "set": changes})
        return created, updated

    def word_changes(self) -> tuple[list[dict[str, str]], list[str]]:
        """Return the rows of the words by which entities are found from now on, and references of those that go."""
        created: list[dict[str, str]] = []
        removed: list[str] = []
        for entity_id, entity in self.known.items():
            stored = self.stored(entity_id)
            before = {} if stored is None else word_rows(stored)
            after = {} if entity_id in self.removed else word_rows(entity)
            created += [row for ref, row in after.items() if ref not in before]
            removed += [ref for ref in before if ref not in after]
        return created, removed

    def new_edges(self, type_: EdgeType) -> list[Edge]:
        """Return the edges between entities that are not stored yet."""
        return [
            edge
            for edge in self._new_edges
            if edge.type is type_ and edge.source not in self.removed and edge.target not in self.removed
        ]
