"""``mem.entities``: people, places and things that memories mention, listed and corrected by hand.

Guarantees: each correction is one signed change, or none; no content of a memory changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.api.namespaces.moved import deprecated
from marskg.api.namespaces.namespace import Namespace
from marskg.drafts import enumeration
from marskg.ontology.vocabulary import EdgeType
from marskg.store.graph import entities
from marskg.store.graph.validation import check_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.records import Entity, Memory


class Entities(Namespace, name="entities"):
    """The entities of one tenant."""

    def __call__(self) -> Iterator[Entity]:
        """Yield every entity; deprecated name of :meth:`list`."""
        deprecated("entities()", "entities.list()")
        return self.list()

    def list(self) -> Iterator[Entity]:
        """Yield every entity of the tenant."""
        return (entity for entity, _, _ in self._components.reader.entities())

    def rename(self, id: str, name: str) -> Entity:  # noqa: A002 - the name that users see
        """Give an entity another name; the old one stays as an alias.

        Raises:
            InvalidMemory: another entity has the name, and may be the same thing: merge them.
            UnknownMemory: there is no such entity.
        """
        return self._components.run(lambda unit: entities.rename(unit, check_text("id", id), name))

    def add_alias(self, id: str, alias: str) -> Entity:  # noqa: A002 - the name that users see
        """Let an entity be found by another name.

        Raises:
            InvalidMemory: another entity has the name, and may be the same thing.
            UnknownMemory: there is no such entity.
        """
        return self._components.run(lambda unit: entities.add_alias(unit, check_text("id", id), alias))

    def remove_alias(self, id: str, alias: str) -> Entity:  # noqa: A002 - the name that users see
        """Let an entity no longer be found by an alias.

        Raises:
            InvalidMemory: it has no such alias.
            UnknownMemory: there is no such entity.
        """
        name = check_text("alias", alias)
        return self._components.run(lambda unit: entities.remove_alias(unit, check_text("id", id), name))

    def retype(self, id: str, type: str | None) -> Entity:  # noqa: A002 - the names that users see
        """Say what an entity is: ``person``, ``place``, ``organisation``, ``work``, ``event``, ``time``, ``thing``.

        None stands for no known type.

        Raises:
            InvalidMemory: there is no such type.
            UnknownMemory: there is no such entity.
        """
        return self._components.run(lambda unit: entities.retype(unit, check_text("id", id), type))

    def merge(self, keep: str, other: str) -> Entity:
        """Let the entity ``keep`` take over names, mentions and relations of ``other``, which goes.

        Raises:
            InvalidMemory: they are one and the same.
            UnknownMemory: one of them is no entity.
        """
        first, second = check_text("keep", keep), check_text("other", other)
        return self._components.run(lambda unit: entities.merge(unit, first, second))

    def mention(self, memory_id: str, name: str) -> Entity:
        """Say that a memory mentions the entity of this name, alias, id or IRI, which is made where none has the name.

        Raises:
            InvalidMemory: several go by the name; give the id.
            NotPermitted: the memory's content is gone.
            UnknownMemory: there is no such memory.
        """
        return self._components.run(lambda unit: entities.add_mention(unit, check_text("memory_id", memory_id), name))

    def unmention(self, memory_id: str, entity_id: str) -> Memory:
        """Say that a memory does not mention an entity; with its last mention the entity goes.

        Raises:
            InvalidMemory: it does not mention the entity.
            NotPermitted: its content is gone.
            UnknownMemory: there is no such memory.
        """
        memory, entity = check_text("memory_id", memory_id), check_text("entity_id", entity_id)
        return self._components.run(lambda unit: entities.remove_mention(unit, memory, entity))

    def relate(self, source: str, type: str, target: str) -> Entity:  # noqa: A002 - the name that users see
        """Draw an edge such as ``worksAt`` from one entity to another.

        Raises:
            InvalidMemory: no such edge goes from one entity to another.
            UnknownMemory: one of them is no entity.
        """
        kind = enumeration(EdgeType, "edge type", type)
        first, second = check_text("source", source), check_text("target", target)
        return self._components.run(lambda unit: entities.relate(unit, first, kind, second))

    def unrelate(self, source: str, type: str, target: str) -> Entity:  # noqa: A002 - the name that users see
        """Remove an edge between two entities.

        Raises:
            InvalidMemory: there is no such edge.
            UnknownMemory: one of them is no entity.
        """
        kind = enumeration(EdgeType, "edge type", type)
        first, second = check_text("source", source), check_text("target", target)
        return self._components.run(lambda unit: entities.unrelate(unit, first, kind, second))
