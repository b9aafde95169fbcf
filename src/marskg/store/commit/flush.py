"""From a unit of work to the few statements that write it.

Guarantees: nothing is written that the write gate refuses (:mod:`marskg.store.unit.write_gate`); the first statement
compares and sets the tenant's sequences, so that a unit built on a stale copy writes nothing; the commonest unit of
all, one new memory, is a single statement; the weights that it sets are the sums of what its nodes gained and lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from marskg.config import EXACT
from marskg.errors import BudgetInfeasible
from marskg.ontology.vocabulary import ENTITY_EDGES, EdgeType, Kind, SourceType, Tier, is_higher
from marskg.store.commit.signed_state import bound_unit, settle_suppressions
from marskg.store.graph.preference_backfill import settle_preferences
from marskg.store.graph.summaries import settle_lines
from marskg.store.rows import codec
from marskg.store.rows.order_keys import span
from marskg.store.rows.state import higher_share
from marskg.store.statements.catalogue import statement
from marskg.store.unit.eviction_ranks import settle_ranks
from marskg.store.unit.write_gate import check_unit

if TYPE_CHECKING:
    from marskg.records import Edge
    from marskg.store.engine.protocol import Row
    from marskg.store.rows.state import TenantState
    from marskg.store.unit.unit_of_work import Node, Unit

#: A statement's text, its parameters, and how many rows its count column must report (None: not checked).
Step: TypeAlias = "tuple[str, dict[str, Any], int | None]"


def flush_statements(unit: Unit, engine: str) -> list[Step]:
    """Return the steps that write ``unit``; also moves ``unit.state`` to what it will be after them.

    Raises:
        ClosureViolation, TaskSafetyViolation, CycleError, InvalidMemory: the write gate refuses it.
        BudgetInfeasible: the latent tier would outgrow its budget.
    """
    if unit.leaving or unit.lapsed:
        settle_lines(unit)
    if unit.before.preferences or unit.preferences.sequence:
        settle_preferences(unit)
    settle_ranks(unit)
    check_unit(unit)
    for node in unit.nodes.values():
        unit.settle_keys(node)
    changed = _changes(unit)
    _settle_state(unit)
    if unit.suppressed:
        settle_suppressions(unit)
    changes = unit.state.to_row() if unit.whole_row else unit.state.changes_since(unit.before)
    head = {**unit.before.claim(), "set": bound_unit(unit, changes)}
    single = _single(unit, changed, head, engine)
    if single is not None:
        return [single]
    steps: list[Step] = [(statement("advance_tenant", engine), head, None)]
    created, chained = _creations(unit, engine)
    steps += created
    steps += _entities(unit, engine)
    if unit.preferences.sequence:
        steps += _preferences(unit, engine)
    steps += _edges(unit, engine, chained)
    steps += _entity_edges(unit, engine)
    if changed:
        steps.append((statement("update_memories", engine), {"rows": changed}, len(changed)))
    steps += _erasures(unit, engine)
    steps += _deletions(unit, engine)
    return steps


def _settle_state(unit: Unit) -> None:
    census = unit.state.census
    live = latent = guarded = 0
    for node in unit.nodes.values():
        after = _weights(node)
        before = (0, 0, 0) if node.new else _stored_weights(node.original)
        live += after[0] - before[0]
        latent += after[1] - before[1]
        guarded += after[2] - before[2]
        if not node.new and node.original["tier"] == Tier.LIVE:
            row = node.original
            census = census.moved(
                Kind(row["kind"]),
                row["weight"],
                row["created"],
                -1,
                lower=not is_higher(SourceType(row["sourceType"]), row["reliability"]),
                protected=(row.get("guards") or 0) > 0,
            )
        if not node.deleted and node.memory.tier is Tier.LIVE:
            census = census.moved(
                node.memory.kind,
                node.memory.weight,
                node.memory.created,
                1,
                lower=not is_higher(node.memory.source_type, node.memory.reliability),
                protected=node.guards > 0,
            )
    unit.update_tenant(
        sequence=unit.before.sequence + len(unit.audit.transitions),
        access_sequence=unit.before.access_sequence + len(unit.audit.accesses),
        weight=unit.before.weight + live,
        latent_weight=unit.before.latent_weight + latent,
        protected_weight=unit.before.protected_weight + guarded,
        census=census,
        preferences=unit.preferences.sequence or unit.state.preferences,
    )
    check_lower(unit.state, unit.before)
    # Lowering the latent budget takes nothing; what would go over it is refused (semantics section 3).
    if unit.state.latent_weight > unit.before.latent_weight:
        check_latent(unit.state, unit.state.latent_weight)


def lower_share(state: TenantState) -> int:
    """Return the tokens of the budget that are kept for what sources of lower standing said."""
    return state.budget - higher_share(state)


def check_lower(state: TenantState, before: TenantState) -> None:
    """Refuse that more of what sources of lower standing said is protected than their share of the budget.

    Raises:
        BudgetInfeasible: it is, and was less ``before``, or had a larger share.
    """
    kept, limit = state.census.lower_protected, lower_share(state)
    if kept > limit and (kept > before.census.lower_protected or limit < lower_share(before)):
        msg = (
            f"{kept} tokens of what the user did not say would be protected, and budget.shares leaves {limit} of the "
            f"budget of {state.budget} to it: unpin, close a task, or change the share with: "
            "mars settings budget.shares=PART"
        )
        raise BudgetInfeasible(msg)


def check_latent(state: TenantState, weight: int) -> None:
    """Refuse latent memories that weigh ``weight`` tokens together.

    Raises:
        BudgetInfeasible: the latent tier has a budget, and it is less.
    """
    limit = state.settings.latent_budget
    if limit is not None and weight > limit:
        msg = (
            f"the latent memories would weigh {weight} tokens, {weight - limit} more than latent_budget allows; "
            "raise it, restore or confirm some of them, or let the policy evict_to: tombstone with review: off"
        )
        raise BudgetInfeasible(msg)


def _weights(node: Node) -> tuple[int, int, int]:
    """Return what a node weighs live, latent and protected."""
    memory = node.memory
    if node.deleted:
        return 0, 0, 0
    live = memory.weight if memory.tier is Tier.LIVE else 0
    return live, memory.weight if memory.tier is Tier.LATENT else 0, live if node.guards > 0 else 0


def _stored_weights(row: Row) -> tuple[int, int, int]:
    live = row["weight"] if row["tier"] == Tier.LIVE else 0
    return live, row["weight"] if row["tier"] == Tier.LATENT else 0, live if (row.get("guards") or 0) > 0 else 0


def _changes(unit: Unit) -> list[dict[str, Any]]:
    """Return the property changes of the nodes that were there before."""
    rows = []
    for node in unit.nodes.values():
        if node.new or node.deleted:
            continue
        after = node.properties(unit.state.settings.task_grace)
        changes: dict[str, Any] = {name: value for name, value in after.items() if node.original.get(name) != value}
        changes.update({name: None for name, value in node.original.items() if value is not None and name not in after})
        if changes:
            rows.append({"ref": after["ref"], "set": changes})
    return rows


def _single(unit: Unit, changed: list[dict[str, Any]], head: dict[str, Any], engine: str) -> Step | None:
    """Return the one-statement form of a unit that creates one memory and nothing else, or None."""
    new = [node for node in unit.nodes.values() if node.new]
    records = unit.audit.transitions
    if len(new) != 1 or len(records) != 1 or changed or new[0].edges or unit.entities.known or unit.chain.removed:
        return None
    node = new[0]
    stored = node.properties(unit.state.settings.task_grace)
    parameters = {**head, "node": stored, "record": codec.encode_record(records[0], "t")}
    if not unit.chain.added:
        return statement("remember_one", engine, kind=node.memory.kind), parameters, None
    if len(unit.chain.added) == 1:
        ((previous, following),) = unit.chain.added
        if following == node.memory.id:
            parameters["previous"] = codec.ref(unit.state.name, previous)
            parameters["created"] = unit.now
            return statement("remember_next", engine, kind=node.memory.kind), parameters, None
    return None


def _creations(unit: Unit, engine: str) -> tuple[list[Step], set[tuple[str, str]]]:
    """Return the steps that create nodes and records, and which links of the chain they draw."""
    steps: list[Step] = []
    grace = unit.state.settings.task_grace
    chained: set[tuple[str, str]] = set()
    with_node = set()
    for kind in Kind:
        rows: list[dict[str, Any]] = []
        places: dict[str, int] = {}
        for node_id, node in unit.nodes.items():
            if node.new and not node.deleted and node.memory.kind is kind:
                record = unit.creations[node_id]
                with_node.add(record.sequence)
                places[node_id] = len(rows)
                rows.append(
                    {
                        "node": node.properties(grace),
                        "record": codec.encode_record(record, "t"),
                    }
                )
        links = _links(unit, places)
        if links:
            chained.update(links)
            parameters = {"rows": rows, "links": list(links.values())}
            steps.append((statement("create_chained", engine, kind=kind), parameters, len(links)))
        elif rows:
            steps.append((statement("create_memories", engine, kind=kind), {"rows": rows}, None))
    others = [codec.encode_record(record, "t") for record in unit.audit.transitions if record.sequence not in with_node]
    others += [codec.encode_record(record, "a") for record in unit.audit.accesses]
    if others:
        steps.append((statement("create_records", engine), {"rows": others}, None))
    steps += [(statement("create_key", engine), {"key": key}, None) for key in unit.audit.announced]
    return steps, chained


def _erasures(unit: Unit, engine: str) -> list[Step]:
    """Return the steps that empty audit slots, and those that say what must not come in again or is to be removed."""
    steps: list[Step] = []
    if unit.audit.erased_transitions:
        rows = unit.audit.erased_transitions
        steps.append((statement("erase_transitions", engine), {"rows": rows}, len(rows)))
    if unit.audit.erased_accesses:
        changed = unit.audit.erased_accesses
        steps.append((statement("erase_accesses", engine), {"rows": changed}, len(changed)))
    if unit.suppressed:
        steps.append((statement("create_suppressions", engine), {"rows": sorted(unit.suppressed)}, None))
    if unit.drops_snapshots:
        steps.append((statement("mark_snapshots", engine), span(unit.state.name), None))
    return steps


def _links(unit: Unit, places: dict[str, int]) -> dict[tuple[str, str], dict[str, int]]:
    """Return the links of the chain among nodes that one statement creates, by their places in it."""
    return {
        (source, target): {"source": places[source], "target": places[target], "created": created}
        for (source, target), created in unit.chain.added.items()
        if source in places and target in places
    }


def _entities(unit: Unit, engine: str) -> list[Step]:
    created, updated = unit.entities.rows()
    steps: list[Step] = []
    if created:
        steps.append((statement("create_entities", engine), {"rows": created}, None))
    if updated:
        steps.append((statement("update_entities", engine), {"rows": updated}, len(updated)))
    words, gone = unit.entities.word_changes()
    if gone:
        steps.append((statement("delete_words", engine), {"refs": gone}, None))
    if words:
        steps.append((statement("create_words", engine), {"rows": words}, None))
    return steps


def _preferences(unit: Unit, engine: str) -> list[Step]:
    """Return the steps that put and remove preferences; one that is there already is written anew, whole."""
    changes = unit.preferences
    steps: list[Step] = []
    if changes.removed:
        steps.append((statement("delete_preferences", engine), {"refs": unit.refs(changes.removed)}, None))
    if changes.put_items:
        rows = changes.rows()
        steps.append((statement("put_preferences", engine), {"rows": rows}, len(rows)))
    return steps


def _edges(unit: Unit, engine: str, chained: set[tuple[str, str]]) -> list[Step]:
    """Return the steps that draw and remove edges, but for the links of the chain that are drawn already."""
    removed: dict[EdgeType, list[dict[str, Any]]] = {}
    added: dict[EdgeType, list[dict[str, Any]]] = {}
    name = unit.state.name

    def row(source: str, target: str, properties: dict[str, Any] | None = None) -> dict[str, Any]:
        return {"source": codec.ref(name, source), "target": codec.ref(name, target), "properties": properties or {}}

    # A node that is deleted takes its edges with it.
    gone = {node_id for node_id, node in unit.nodes.items() if node.deleted and not node.new}
    cut = [*sorted(unit.removed_edges), *((EdgeType.TEMPORAL_NEXT, *ends) for ends in sorted(unit.chain.removed))]
    for type_, source, target in cut:
        if source not in gone and target not in gone:
            removed.setdefault(type_, []).append(row(source, target))
    for (source, target), created in unit.chain.added.items():
        if (source, target) in chained:
            continue
        added.setdefault(EdgeType.TEMPORAL_NEXT, []).append(row(source, target, {"created": created}))
    for edge in unit.new_edges():
        added.setdefault(edge.type, []).append(row(edge.source, edge.target, codec.encode_edge(edge)))
    steps: list[Step] = [
        (statement("delete_edges", engine, edge=type_), {"rows": rows}, None) for type_, rows in removed.items()
    ]
    for type_, rows in added.items():
        text = (
            statement("create_mentions", engine)
            if type_ is EdgeType.MENTIONS
            else statement("create_edges", engine, edge=type_)
        )
        steps.append((text, {"rows": rows}, len(rows)))
    return steps


def _entity_edges(unit: Unit, engine: str) -> list[Step]:
    """Return the steps that remove and draw edges between entities."""
    steps: list[Step] = []
    for type_ in sorted(ENTITY_EDGES):
        removed = [_edge_row(unit, edge) for edge in unit.entities.removed_edges if edge.type is type_]
        added = [_edge_row(unit, edge) for edge in unit.entities.new_edges(type_)]
        if removed:
            steps.append((statement("delete_entity_edges", engine, edge=type_), {"rows": removed}, None))
        if added:
            steps.append((statement("create_entity_edges", engine, edge=type_), {"rows": added}, len(added)))
    return steps


def _edge_row(unit: Unit, edge: Edge) -> dict[str, Any]:
    source, target = (codec.ref(unit.state.name, end) for end in (edge.source, edge.target))
    return {"source": source, "target": target, "properties": codec.encode_edge(edge)}


def _lost_content(node: Node) -> bool:
    return node.original.get("content") is not None and (node.deleted or not node.has_content)


def _deletions(unit: Unit, engine: str) -> list[Step]:
    steps: list[Step] = []
    if unit.state.settings.retrieval.vectors != EXACT:
        empty = [node.memory.id for node in unit.nodes.values() if not node.new and _lost_content(node)]
        if empty:
            steps.append((statement("drop_points", engine), {"refs": unit.refs(empty)}, None))
    gone = [node.memory.id for node in unit.nodes.values() if node.deleted and not node.new]
    if gone:
        steps.append((statement("delete_memories", engine), {"refs": unit.refs(gone)}, None))
    if unit.entities.removed:
        steps.append((statement("delete_entities", engine), {"refs": unit.refs(unit.entities.removed)}, None))
    return steps
