"""Putting a tenant back exactly as a snapshot holds it: ids, salts, sequences, logs and signed heads.

Guarantees: the tenant's row is written last, so that an interrupted restore leaves no tenant, and the next one clears
what it left; counters and order keys are worked out anew from nodes and edges; restoring twice gives the same store.
What was erased since the snapshot goes again in the transaction in which the tenant gets its row
(:mod:`marskg.store.reerasing`). What differential privacy has cost (:mod:`marskg.store.account`) is never less than it
was before, whatever the snapshot says and however often a restore is interrupted.
Source: MaRS section 5.2 (checkpoint and restore, idempotent).
"""

from __future__ import annotations

import json
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from marskg.audit.merkle import CompactRange
from marskg.errors import NotPermitted
from marskg.ontology.vocabulary import EdgeType, Tier
from marskg.store import codec
from marskg.store.account import CONTROL, never_less
from marskg.store.flush import flush_statements
from marskg.store.names import word_rows
from marskg.store.reader import GraphReader
from marskg.store.reerasing import Forbidden, forbidden
from marskg.store.state import TenantState
from marskg.store.statements import statement
from marskg.store.unit import Node, Unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from marskg.records import AuditRecord, Edge, Entity, Memory, TreeHead
    from marskg.store.engine import Engine, Row
    from marskg.store.reerasing import Memories
    from marskg.store.state import Services

_PAGE = 200
_WHOLE = frozenset({Tier.LIVE, Tier.LATENT})


class Restore:
    """Writes one snapshot's content into an engine."""

    def __init__(self, engine: Engine, services: Services, row: dict[str, Any]) -> None:
        """Restore the tenant whose row is ``row``."""
        self._engine = engine
        # What must not come in again is no property of the tenant's row, but goes with it.
        self._suppressed = list(row.pop("suppressions", ()))
        self._preferences = list(row.pop("preferences", ()))
        self._row = row
        self._state = TenantState.from_row(row)
        self._services = services
        self._unit = Unit(lambda _name, _parameters: [], self._state, services)
        self._guards: dict[str, int] = {}
        self._blockers: dict[str, int] = {}
        self._guarding: set[str] = set()

    def run(
        self,
        keys: Iterable[dict[str, Any]],
        entities: Iterable[tuple[Entity, tuple[Edge, ...], str | None]],
        memories: Memories,
        records: Iterable[AuditRecord],
        heads: Iterable[TreeHead],
    ) -> int:
        """Write everything, the tenant's row last; returns the number of memories."""
        gone = self._clear(memories)
        self._protect(memories())
        between = self._write_entities(entities)
        edges: list[Edge] = []
        count = 0
        for page in _pages(memories()):
            for kind in sorted({memory.kind for memory, _, _ in page}):
                rows = [self._node(*item) for item in page if item[0].kind is kind]
                self._write("restore_memories", {"rows": rows}, kind=kind)
            edges += [edge for _, own, _ in page for edge in own]
            count += len(page)
        self._write_edges(edges, between)
        self._write_audit(records, list(heads))
        for key in keys:
            self._write("create_key", {"key": dict(key)})
        self._write("create_suppressions", {"rows": self._suppressed})
        self._write("put_preferences", {"rows": self._preferences})
        self._finish(gone)
        self._write("drop_account", {"ref": self._parking})
        return count

    def _finish(self, gone: Forbidden) -> None:
        """Give the tenant its row, and take what was erased since, in one transaction."""
        with self._engine.transaction() as transaction:
            name = self._engine.name

            def read(text: str, parameters: Mapping[str, Any]) -> list[Row]:
                return transaction.run(statement(text, name), parameters)

            transaction.run(statement("create_tenant", name), {"tenant": self._row})
            if gone:
                unit = Unit(read, self._state, self._services)
                gone.take(unit)
                for text, parameters, _ in flush_statements(unit, name):
                    transaction.run(text, parameters)

    def _write(self, name: str, parameters: dict[str, Any], **names: Any) -> None:
        self._engine.write(statement(name, self._engine.name, **names), parameters)

    def _clear(self, memories: Memories) -> Forbidden:
        """Remove what the tenant has; returns what of ``memories`` was erased here.

        Raises:
            NotPermitted: it has memories or a history of its own.
        """
        name = self._state.name
        rows = self._engine.read(statement("load_tenant", self._engine.name), {"tenant": name})
        if rows and rows[0]["tenant"]["sequence"] > 1 and rows[0]["tenant"]["log"] != self._state.log:
            msg = f"tenant {name!r} has a history of its own; restore the snapshot into another store or tenant"
            raise NotPermitted(msg)
        self._keep_account(rows[0]["tenant"].get("controls") if rows else None)
        before = TenantState.from_row(rows[0]["tenant"]) if rows else None
        gone = forbidden(GraphReader(self._engine, name), self._services, before, self._state, memories)
        self._write("clear_tenant_row", {"tenant": name})
        for label in ("memories", "entities", "words", "preferences", "audit"):
            while self._engine.write(
                statement(f"clear_{label}", self._engine.name),
                {"low": f"{name}|", "high": f"{name}}}", "tenant": name, "limit": 1000},
            )[0]["removed"]:
                pass
        return gone

    @property
    def _parking(self) -> str:
        """Return where the account is while the tenant has no row."""
        return f"account|{self._state.name}"

    def _keep_account(self, stored: str | None) -> None:
        """Let the restored row have the highest of the accounts that the tenant has, had, and is to have."""
        parked = self._engine.read(statement("parked_account", self._engine.name), {"ref": self._parking})
        controls = dict(self._state.controls)
        for known in (stored, *(row["account"] for row in parked)):
            controls = never_less(controls, json.loads(known or "{}"))
        if CONTROL not in controls:
            return
        self._state = replace(self._state, controls=MappingProxyType(controls))
        self._row = {**self._row, **self._state.learned()}
        self._write("park_account", {"ref": self._parking, "account": self._state.learned()["controls"]})

    def _protect(self, memories: Iterable[tuple[Memory, tuple[Edge, ...], str | None]]) -> None:
        """Work out what each node is protected and blocked by."""
        depends: dict[str, list[str]] = {}
        roots: list[str] = []
        for memory, edges, _ in memories:
            if memory.tier not in _WHOLE:
                continue
            active = self._unit.is_active(memory)
            if active:
                self._guarding.add(memory.id)
            roots += [memory.id] * (memory.pinned + active)
            for edge in edges:
                if edge.type is EdgeType.DEPENDS_ON:
                    depends.setdefault(memory.id, []).append(edge.target)
                    self._blockers[edge.target] = self._blockers.get(edge.target, 0) + 1
                elif edge.type is EdgeType.REQUIRES and active:
                    roots.append(edge.target)
        while roots:
            node_id = roots.pop()
            self._guards[node_id] = self._guards.get(node_id, 0) + 1
            if self._guards[node_id] == 1:
                roots += depends.get(node_id, ())

    def _node(self, memory: Memory, edges: tuple[Edge, ...], salt: str | None) -> dict[str, Any]:
        node = Node(memory, {(edge.type, edge.target): edge for edge in edges}, salt, new=True)
        if node.has_content:
            node.guards = self._guards.get(memory.id, 0)
            node.blockers = self._blockers.get(memory.id, 0)
            node.guarding = memory.id in self._guarding
            self._unit.settle_keys(node)
        return self._unit.properties(node)

    def _write_entities(self, entities: Iterable[tuple[Entity, tuple[Edge, ...], str | None]]) -> list[Edge]:
        between: list[Edge] = []
        rows: list[dict[str, Any]] = []
        words: list[dict[str, str]] = []
        for entity, own, salt in entities:
            rows.append({**codec.encode_entity(entity), "salt": salt})
            words += word_rows(entity).values()
            between += own
        for name, made in (("create_entities", rows), ("create_words", words)):
            for start in range(0, len(made), _PAGE):
                self._write(name, {"rows": made[start : start + _PAGE]})
        return between

    def _write_edges(self, edges: list[Edge], between: list[Edge]) -> None:
        name = self._state.name
        by_type: dict[tuple[str, EdgeType], list[dict[str, Any]]] = {}
        for edge in edges:
            kind = "create_mentions" if edge.type is EdgeType.MENTIONS else "create_edges"
            by_type.setdefault((kind, edge.type), []).append(_edge_row(name, edge))
        for edge in between:
            by_type.setdefault(("create_entity_edges", edge.type), []).append(_edge_row(name, edge))
        for (kind, type_), rows in sorted(by_type.items()):
            for start in range(0, len(rows), _PAGE):
                names = {} if kind == "create_mentions" else {"edge": type_}
                self._write(kind, {"rows": rows[start : start + _PAGE]}, **names)

    def _write_audit(self, records: Iterable[AuditRecord], heads: list[TreeHead]) -> None:
        tree = CompactRange()
        frontiers: dict[int, list[str]] = {}
        sizes = {head.size for head in heads}
        for page in _pages(records):
            rows = []
            for record in page:
                letter = "t" if record.log == self._state.log else "a"
                rows.append(codec.encode_record(record, letter))
                if letter == "t":
                    tree.append(bytes.fromhex(record.leaf))
                    if tree.size in sizes:
                        frontiers[tree.size] = tree.to_hex()
            self._write("create_records", {"rows": rows})
        for head in heads:
            self._write("create_head", {"head": {**codec.encode_head(head), "frontier": frontiers.get(head.size, [])}})


def _edge_row(tenant: str, edge: Edge) -> dict[str, Any]:
    return {
        "source": codec.ref(tenant, edge.source),
        "target": codec.ref(tenant, edge.target),
        "properties": codec.encode_edge(edge),
    }


def _pages(items: Iterable[Any]) -> Iterator[list[Any]]:
    page: list[Any] = []
    for item in items:
        page.append(item)
        if len(page) == _PAGE:
            yield page
            page = []
    if page:
        yield page
