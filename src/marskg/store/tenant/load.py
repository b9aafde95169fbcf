"""Bringing exported memories back: the same ids, fields and edges, under this tenant's log and budget.

Guarantees: a document is refused whole, before anything of it is written, for whatever in it this tenant does not take:
ids that are there, what was erased here, preferences, the rules of the shapes with all edges and cycles, keys that
would hold what no key does, budgets. It is written in batches of 200, so that its size is limited by no transaction's
memory. Every committed batch satisfies the invariants, because a memory waits until what it points to is there, and
what is still pointed to is taken by no policy meanwhile. What a process that is killed in between leaves is a sound
tenant with part of the document. Each memory that comes back has a signed record of its own, and the log that it came
with stays evidence outside this one (semantics section 9).
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from marskg.errors import BudgetInfeasible, InvalidDocument, InvalidMemory, NotPermitted
from marskg.ontology.fields import texts_of_rule
from marskg.ontology.vocabulary import DERIVED_EDGES, Cardinality, EdgeType, Kind, Operation, Tier
from marskg.shapes.gate import NodeFacts, facts_of
from marskg.shapes.whole import check_graph
from marskg.store.commit.flush import check_latent
from marskg.store.graph.admit import check_new_ids
from marskg.store.graph.preference_enforcement import (
    check_entity_allowed,
    check_memory_allowed,
    name_digests,
    preferences_of,
    words_of,
)
from marskg.store.graph.suppression import check_all, check_names
from marskg.store.graph.validation import check_allowed, check_fits
from marskg.store.rows import codec
from marskg.store.rows.name_rules import NAMING, digested, is_clear
from marskg.store.tenant.checkpoint import Protection
from marskg.store.unit.write_gate import ERRORS, NEEDING
from marskg.store.upkeep.reweigh import require_weighed
from marskg.text import as_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from marskg.records import Edge, Entity, Memory, Preference
    from marskg.store.commit.writer import Writer
    from marskg.store.unit.unit_of_work import Node, Unit
    from marskg.weight import TokenCounter

Exported: TypeAlias = "tuple[Memory, tuple[Edge, ...]]"
_BATCH = 200
#: Rules that a message names.
_SHOWN = 5
_INSTEAD = "load into an empty tenant"


def _labelled(rule: Preference) -> tuple[object, ...]:
    return rule.preference_rule, rule.data_subject, rule.department, rule.label


class Loader:
    """Loads one document's entities and memories into a tenant."""

    def __init__(self, writer: Writer) -> None:
        """Write through ``writer``."""
        self._writer = writer
        self._late: list[Edge] = []
        self._needed = _Needed()

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
            ProbingRefused: that was revealed too often lately.
            PreferenceRefused: a preference of this tenant does not allow something of it; nothing is loaded.
            InvalidDocument: an edge points to something that is neither in the document nor in the store; a key would
                hold two current values, or values of two cardinalities; or a rule is about a name of which the document
                has a digest of another store or tenant; nothing is loaded.
            InvalidMemory, ClosureViolation, TaskSafetyViolation, CycleError: something in it breaks a rule of the
                shapes; nothing is loaded.
            MemoryTooLarge, BudgetInfeasible: the tenant's budgets can never hold it; nothing is loaded. Where a policy
                has to make room meanwhile for more than it may take, the batches before stay.
        """
        require_weighed(self._writer)
        weighed = partial(_weighed, self._writer.services.counter, memories)
        return self._load(entities, weighed, progress, self._matching(preferences))

    def _matching(self, preferences: Iterable[Preference]) -> list[Preference]:
        """Return the rules of a document that can hold here; a name in clear, of a version before, becomes a digest.

        A rule that was digested elsewhere gives way to one of this tenant for the same people under the same label.

        Raises:
            InvalidDocument: there is none.
        """
        unit = self._writer.new_unit(self._writer.read, self._writer.state)
        digests, here = name_digests(unit), set(map(_labelled, preferences_of(unit).naming))
        found: list[Preference] = []
        lost: list[Preference] = []
        for rule in preferences:
            if is_clear(rule):
                found.append(digested(rule, digests))
            elif rule.preference_rule not in NAMING or rule.target is None or digests.made_here(rule.target):
                found.append(rule)
            elif _labelled(rule) not in here:
                lost.append(rule)
        if lost:
            names = ", ".join(f"{rule.preference_rule} {(rule.label or rule.id)[:60]!r}" for rule in lost[:_SHOWN])
            msg = (
                f"{len(lost)} rules of the document are about names, of which it has digests of another store or "
                f"tenant that would hold for nobody here: {names}{', …' if len(lost) > _SHOWN else ''}; nothing was "
                "loaded: set each here first, with its name and under the same label, with: mars preferences set RULE "
                "NAME --label LABEL; then load again"
            )
            raise InvalidDocument(msg)
        return found

    def _load(
        self,
        entities: Iterable[tuple[Entity, tuple[Edge, ...]]],
        memories: Callable[[], Iterable[Exported]],
        progress: Callable[[int], None] | None,
        rules: list[Preference],
    ) -> int:
        """Load a document whose memories have the weights of now."""
        people = list(entities)
        self._refuse_forbidden(people, memories, rules)
        waits = self._dependencies(memories())
        self._refuse_taken((*waits, *(entity.id for entity, _ in people), *(rule.id for rule in rules)))
        self._refuse_broken(people, memories, rules)
        self._refuse_slots(memories)
        self._refuse_heavy(memories)
        self._entities(people)
        self._preferences(rules)
        done = 0
        for batch in _batches(self._in_order(memories(), waits)):
            self._needed.note(batch)
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
            check_all(unit, memories())
            check_names(
                unit,
                (name for entity, _ in entities for name in (entity.name, *entity.aliases)),
                (text for entity, _ in entities for text in words_of(entity)),
            )
            for preference in preferences:
                named = () if preference.data_subject is None else (preference.data_subject,)
                check_names(unit, named, texts_of_rule(preference))
        if not preferences_of(unit):
            return
        names = {entity.id: words_of(entity) for entity, _ in entities}
        alone = set(names)
        for memory, edges in memories():
            mentioned = [edge.target for edge in edges if edge.type is EdgeType.MENTIONS and edge.target in names]
            alone.difference_update(mentioned)
            with _naming(memory.id):
                check_memory_allowed(unit, memory, [name for one in mentioned for name in names[one]])
        for one in sorted(alone):
            with _naming(one):
                check_entity_allowed(unit, names[one])

    def _refuse_broken(
        self,
        entities: list[tuple[Entity, tuple[Edge, ...]]],
        memories: Callable[[], Iterable[Exported]],
        preferences: Iterable[Preference],
    ) -> None:
        """Let all of the document pass the write gate, with what its edges lead to in the store."""

        def drawn() -> Iterator[Exported]:
            for memory, edges in memories():
                yield memory, tuple(edge for edge in edges if edge.type not in DERIVED_EDGES)

        own = {entity.id for entity, _ in entities}
        ends = {edge.target: edge for _, edges in entities for edge in edges}
        for memory, edges in drawn():
            own.add(memory.id)
            ends.update((edge.target, edge) for edge in edges)
            self._needed.add(edges)
        around = self._around([edge for target, edge in ends.items() if target not in own])
        for finding in check_graph(drawn, lambda: entities, preferences, around):
            error = ERRORS.get(finding.code, InvalidMemory)
            msg = (
                f"{finding.where[:80]} of the document breaks a rule: {finding.message} Nothing was loaded: mend it "
                "there, or export it again"
            )
            raise error(msg)

    def _around(self, edges: list[Edge]) -> dict[str, NodeFacts]:
        """Return the facts about what the store has at the ends of edges; what it has not is missing."""
        unit = self._writer.new_unit(self._writer.read, self._writer.state)
        found: dict[str, NodeFacts] = {}
        for start in range(0, len(edges), _BATCH):
            part = edges[start : start + _BATCH]
            unit.fetch(edge.target for edge in part)
            for edge in part:
                node = unit.nodes.pop(edge.target, None)
                if node is not None:
                    found[edge.target] = facts_of(node.memory)
                elif unit.entities.get(edge.target) is not None:
                    found[edge.target] = NodeFacts(None, None, has_content=False)
                else:
                    msg = (
                        f"{edge.type} of {edge.source} points to {edge.target}, which is neither in the document nor "
                        f"in tenant {unit.state.name!r}"
                    )
                    raise InvalidDocument(msg)
        return found

    def _refuse_slots(self, memories: Callable[[], Iterable[Exported]]) -> None:
        """Refuse keys that are not in their one form, and to give one with values here what does not go with these."""
        state, single = self._writer.state, Cardinality.SINGLE
        held: dict[str, tuple[Cardinality | None, bool]] = {}
        holds = bool(state.weight or state.latent_weight)
        for memory, _ in memories():
            if memory.key is not None and memory.key != as_key(memory.key):
                msg = (
                    f"{memory.id} of the document has key {memory.key!r}, and keys that look alike are one: it is "
                    f"written {as_key(memory.key)!r}; nothing was loaded: write it so there"
                )
                raise InvalidDocument(msg)
            if memory.key is None or not holds:
                continue
            slot = codec.slot_key(state.name, memory.subjects, memory.key)
            if slot not in held:
                unit = self._writer.new_unit(self._writer.read, state)
                nodes = unit.slot(slot) if memory.cardinality is single else unit.slot_head(slot)
                cardinality = nodes[0].memory.cardinality if nodes else memory.cardinality
                held[slot] = cardinality, any(node.has_content and node.memory.current for node in nodes)
            cardinality, current = held[slot]
            if cardinality is not memory.cardinality or (cardinality is single and current and memory.current):
                msg = (
                    f"{memory.id} of the document is a {memory.cardinality} value of key {memory.key!r}, which has "
                    f"{'one that is current' if cardinality is memory.cardinality else f'{cardinality} values'} here; "
                    f"nothing was loaded: retract or erase one of the two, or {_INSTEAD}"
                )
                raise InvalidDocument(msg)

    def _refuse_heavy(self, memories: Callable[[], Iterable[Exported]]) -> None:
        """Refuse what the tenant's budgets can never hold: one memory, all that is protected, all that is latent."""
        state = self._writer.state
        protection = Protection(state, self._writer.services, ((*item, None) for item in memories()))
        protected, latent = state.protected_weight, state.latent_weight
        for memory, _ in memories():
            weight = memory.weight if memory.tier is Tier.LIVE else 0
            check_fits(weight, state.budget)
            check_allowed(weight, state.settings.partitions.quotas, memory.subjects, memory.session)
            protected += weight if memory.id in protection.guards else 0
            latent += memory.weight if memory.tier is Tier.LATENT else 0
        if latent > state.latent_weight:
            check_latent(state, latent)
        if protected > max(state.budget, state.protected_weight):
            msg = (
                f"{protected} tokens would be protected with those of the document, the budget of tenant "
                f"{state.name!r} is {state.budget}; nothing was loaded: raise it with: mars settings budget N"
            )
            raise BudgetInfeasible(msg)

    def _preferences(self, preferences: list[Preference]) -> None:
        """Create the preferences, before the memories that they are about."""

        def work(unit: Unit) -> None:
            check_new_ids(unit, (preference.id for preference in preferences), _INSTEAD)
            for preference in preferences:
                unit.preferences.put(replace(preference, tenant=unit.state.name))

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
        return waits

    def _refuse_taken(self, ids: Iterable[str]) -> None:
        """Refuse a document that brings an id which the tenant has already, of whatever."""
        wanted = list(ids)
        for start in range(0, len(wanted), 1000):
            unit = self._writer.new_unit(self._writer.read, self._writer.state)
            check_new_ids(unit, wanted[start : start + 1000], _INSTEAD)

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
        """Create the entities with the edges between them."""

        def work(unit: Unit) -> None:
            check_new_ids(unit, (entity.id for entity, _ in entities), _INSTEAD)
            for entity, edges in entities:
                unit.entities.put(replace(entity, tenant=unit.state.name), edges, operation=Operation.CREATE_ENTITY)

        if entities:
            self._writer.run(work)

    def _write(self, unit: Unit, batch: list[Exported]) -> None:
        nodes: list[tuple[Node, tuple[Edge, ...]]] = []
        unit.keep.update(self._needed.there)
        for memory, edges in batch:
            node = unit.create(replace(memory, tenant=unit.state.name, sequence=unit.audit.next_sequence + len(nodes)))
            nodes.append((node, edges))
        for node, edges in nodes:
            for edge in edges:
                if edge.type not in DERIVED_EDGES:
                    unit.link(node, edge)
            memory = node.memory
            if memory.pinned:
                unit.guard(node, 1)
            unit.settle_activity(node)
            unit.change(node, sequence=unit.audit.next_sequence)
            if memory.kind is Kind.EPISODIC and node.has_content:
                unit.chain.enter(node.memory, unit.audit.next_sequence)
            unit.record(Operation.LOAD, node, weight_after=unit.running_weight)

    def _link_late(self) -> None:
        """Draw the edges that closed a cycle in the order of loading."""

        def work(unit: Unit) -> None:
            for edge in self._late:
                node = unit.node(edge.source)
                unit.link(node, edge)
                details = {"rule": "load", "reason": "edge drawn once both its ends were loaded"}
                unit.record(Operation.LINK, node, tier_before=node.memory.tier, details=details)

        if self._late:
            self._writer.run(work)


@contextmanager
def _naming(ident: str) -> Iterator[None]:
    """Let a refusal say what of the document it is about."""
    try:
        yield
    except NotPermitted as error:
        msg = f"{ident} of the document: {error}"
        raise type(error)(msg) from error


def _weighed(counter: TokenCounter, memories: Callable[[], Iterable[Exported]]) -> Iterator[Exported]:
    """Yield a document's memories with what they weigh: those of a former version say what that counted."""
    for memory, edges in memories():
        weight = max(memory.weight, counter.count(memory.content or ""))
        yield (memory if weight == memory.weight else replace(memory, weight=weight)), edges


class _Needed:
    """What has been loaded and is still needed whole by what has not: no policy may take it until then."""

    def __init__(self) -> None:
        self.there: set[str] = set()
        self._left: Counter[str] = Counter()

    def add(self, edges: Iterable[Edge]) -> None:
        """Count what edges of the document need."""
        self._left.update(edge.target for edge in edges if edge.type in NEEDING)

    def note(self, batch: Iterable[Exported]) -> None:
        """Take note of what is loaded now."""
        for memory, edges in batch:
            self._left.subtract(edge.target for edge in edges if edge.type in NEEDING)
            self.there.add(memory.id)
        self.there = {node_id for node_id in self.there if self._left[node_id] > 0}


def _batches(items: Iterable[Exported]) -> Iterator[list[Exported]]:
    batch: list[Exported] = []
    for item in items:
        batch.append(item)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
