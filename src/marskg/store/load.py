"""Bringing exported memories back: the same ids, fields and edges, under this tenant's log and budget.

Guarantees: every committed batch satisfies the invariants, because a memory waits until what it points to is there;
an id that the tenant already has is refused before anything is written; each memory that comes back has a signed record
of its own, and the log that it came with stays evidence outside this one (semantics section 9).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from marskg.errors import DuplicateId, InvalidDocument, NotPermitted
from marskg.ontology.vocabulary import DERIVED_EDGES, EdgeType, Kind, Operation, Tier
from marskg.store.admission import check_allowed, check_fits
from marskg.store.governing import check_memory_allowed, preferences_of
from marskg.store.remember import append_to_session, check_acyclic, check_target
from marskg.store.suppression import check_all, check_subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from marskg.records import Edge, Entity, Memory, Preference
    from marskg.store.unit import Node, Unit
    from marskg.store.writer import Writer

Exported: TypeAlias = "tuple[Memory, tuple[Edge, ...]]"
_BATCH = 200


class Loader:
    """Loads one document's entities and memories into a tenant."""

    def __init__(self, writer: Writer) -> None:
        """Write through ``writer``."""
        self._writer = writer
        self._late: list[Edge] = []

    def load(
        self,
        entities: Iterable[tuple[Entity, tuple[Edge, ...]]],
        memories: Callable[[], Iterable[Exported]],
        progress: Callable[[int], None] | None = None,
        preferences: Iterable[Preference] = (),
    ) -> int:
        """Load a document; ``memories`` gives a fresh stream at each call. Returns how many memories came back.

        Raises:
            DuplicateId: an id is in the tenant already.
            ConsentRequired, ErasedContentRefused: something of it was erased here; nothing is loaded.
            ProbingRefused: that was told too often lately.
            PreferenceRefused: a preference of this tenant does not allow something of it; nothing is loaded.
            InvalidDocument: an edge points to something that is neither in the document nor in the store.
        """
        rules = list(preferences)
        people = list(entities)
        self._refuse_forbidden(people, memories, rules)
        waits = self._dependencies(memories())
        self._entities(people)
        self._preferences(rules)
        done = 0
        for batch in _batches(self._in_order(memories(), waits)):
            self._writer.run(lambda unit, batch=batch: self._write(unit, batch))  # type: ignore[misc]  # default binds the batch
            done += len(batch)
            if progress is not None:
                progress(done)
        self._link_late()
        return done

    def _refuse_forbidden(
        self,
        entities: list[tuple[Entity, tuple[Edge, ...]]],
        memories: Callable[[], Iterable[Exported]],
        preferences: Iterable[Preference],
    ) -> None:
        """Refuse a document of which something was erased here, or is not allowed by this tenant's preferences."""
        writer = self._writer
        unit = writer.new_unit(writer.read, writer.state)
        if writer.state.suppressing:
            check_all(unit, (memory for memory, _ in memories()))
            for preference in preferences:
                if preference.data_subject is not None:
                    check_subject(unit, preference.data_subject)
        if not preferences_of(unit):
            return
        names = {entity.id: (entity.name, *entity.aliases) for entity, _ in entities}
        for memory, edges in memories():
            mentioned = (
                name for edge in edges if edge.type is EdgeType.MENTIONS for name in names.get(edge.target, ())
            )
            try:
                check_memory_allowed(unit, memory, mentioned)
            except NotPermitted as error:
                msg = f"{memory.id} of the document: {error}"
                raise type(error)(msg) from error

    def _preferences(self, preferences: list[Preference]) -> None:
        """Create the preferences, before the memories that they are about."""

        def work(unit: Unit) -> None:
            known = {item.id for item in preferences_of(unit).preferences}
            for preference in preferences:
                if preference.id in known:
                    msg = f"{preference.id} already exists in tenant {unit.state.name!r}; load into an empty tenant"
                    raise DuplicateId(msg)
                unit.put_preference(replace(preference, tenant=unit.state.name))

        if preferences:
            self._writer.run(work)

    def _dependencies(self, memories: Iterable[Exported]) -> dict[str, set[str]]:
        """Return for each memory what must be there before it; of the whole document only ids are kept."""
        waits: dict[str, set[str]] = {}
        for memory, edges in memories:
            own = waits.setdefault(memory.id, set())
            for edge in edges:
                if edge.type is EdgeType.TEMPORAL_NEXT:
                    waits.setdefault(edge.target, set()).add(memory.id)
                elif edge.type is not EdgeType.MENTIONS:
                    own.add(edge.target)
        refs = [f"{self._writer.tenant}|{node_id}" for node_id in waits]
        for start in range(0, len(refs), 1000):
            rows = self._writer.read("existing", {"refs": refs[start : start + 1000]})
            if rows:
                msg = f"{rows[0]['id']} already exists in tenant {self._writer.tenant!r}; load into an empty tenant"
                raise DuplicateId(msg)
        return waits

    def _in_order(self, memories: Iterable[Exported], waits: dict[str, set[str]]) -> Iterator[Exported]:
        """Yield each memory after what it points to; those in a cycle of other edges come with edges left for later."""
        given: set[str] = set()
        waiting: dict[str, Exported] = {}
        wanted_by: dict[str, set[str]] = {}
        for item in memories:
            missing = {other for other in waits[item[0].id] if other in waits and other not in given}
            if missing:
                waiting[item[0].id] = item
                for other in missing:
                    wanted_by.setdefault(other, set()).add(item[0].id)
                continue
            yield from self._release(item, given, waiting, wanted_by, waits)
        while waiting:
            # Only edges that may form cycles, such as contradicts, are left: break one and go on.
            first = min(waiting)
            memory, edges = waiting.pop(first)
            now = tuple(edge for edge in edges if edge.target not in waiting)
            self._late += [edge for edge in edges if edge.target in waiting and edge.type not in DERIVED_EDGES]
            yield from self._release((memory, now), given, waiting, wanted_by, waits)

    @staticmethod
    def _release(
        item: Exported,
        given: set[str],
        waiting: dict[str, Exported],
        wanted_by: dict[str, set[str]],
        waits: dict[str, set[str]],
    ) -> Iterator[Exported]:
        stack = [item]
        while stack:
            current = stack.pop()
            given.add(current[0].id)
            yield current
            freed = [other for other in sorted(wanted_by.pop(current[0].id, ())) if other in waiting]
            ready = [other for other in freed if all(need in given or need not in waits for need in waits[other])]
            stack += [waiting.pop(other) for other in ready]

    def _entities(self, entities: list[tuple[Entity, tuple[Edge, ...]]]) -> None:
        """Create the entities, then the edges between them."""

        def work(unit: Unit) -> None:
            for entity, _ in entities:
                if unit.fetch_entity(entity.id) is not None:
                    msg = f"{entity.id} already exists in tenant {unit.state.name!r}; load into an empty tenant"
                    raise DuplicateId(msg)
                unit.put_entity(replace(entity, tenant=unit.state.name), operation=Operation.CREATE_ENTITY)
            for entity, edges in entities:
                known = unit.fetch_entity(entity.id)
                if edges and known is not None:
                    unit.put_entity(known, edges, operation=Operation.UPDATE_ENTITY)

        if entities:
            self._writer.run(work)

    def _write(self, unit: Unit, batch: list[Exported]) -> None:
        nodes: list[tuple[Node, tuple[Edge, ...]]] = []
        for memory, edges in batch:
            weight = memory.weight if memory.tier is Tier.LIVE else 0
            check_fits(weight, unit.state.budget)
            check_allowed(weight, unit.state.settings.partitions.allowances, memory.subjects, memory.session)
            node = unit.create(replace(memory, tenant=unit.state.name, sequence=unit.next_sequence + len(nodes)))
            if not node.has_content:
                node.salt = None
            nodes.append((node, edges))
        for node, edges in nodes:
            self._connect(unit, node, edges)
            memory = node.memory
            if memory.pinned:
                unit.guard(node, 1)
            unit.settle_activity(node)
            unit.change(node, sequence=unit.next_sequence)
            if memory.kind is Kind.EPISODIC and node.has_content:
                append_to_session(unit, node)
            unit.record(Operation.LOAD, node, weight_after=unit.running_weight)

    def _connect(self, unit: Unit, node: Node, edges: Iterable[Edge]) -> None:
        """Draw a loaded node's edges through the write gate."""
        for edge in edges:
            if edge.type in DERIVED_EDGES:
                continue
            if edge.type is EdgeType.MENTIONS:
                if unit.fetch_entity(edge.target) is None:
                    raise _missing(edge)
            else:
                unit.fetch((edge.target,))
                if edge.target not in unit.nodes:
                    raise _missing(edge)
                # Other edges may lead to what a policy has taken, those of a closed task among them: the tombstone is
                # there because they do.
                needs = edge.type is EdgeType.DEPENDS_ON or (edge.type is EdgeType.REQUIRES and node.memory.active)
                if node.has_content and needs:
                    check_target(unit, edge.type, edge.target, active=node.memory.active)
            unit.link(node, edge)

    def _link_late(self) -> None:
        """Draw the edges that closed a cycle in the order of loading."""

        def work(unit: Unit) -> None:
            for edge in self._late:
                node = unit.node(edge.source)
                unit.fetch((edge.target,))
                if edge.target not in unit.nodes:
                    raise _missing(edge)
                check_acyclic(unit, edge.source, edge.type, edge.target)
                unit.link(node, edge)
                details = {"rule": "load", "reason": "edge drawn once both its ends were loaded"}
                unit.record(Operation.LINK, node, tier_before=node.memory.tier, details=details)

        if self._late:
            self._writer.run(work)


def _missing(edge: Edge) -> InvalidDocument:
    msg = f"{edge.type} of {edge.source} points to {edge.target}, which is neither in the document nor in the store"
    return InvalidDocument(msg)


def _batches(items: Iterable[Exported]) -> Iterator[list[Exported]]:
    batch: list[Exported] = []
    for item in items:
        batch.append(item)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
