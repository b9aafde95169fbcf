"""Nodes are created with all of their properties at once, and nothing of a row is lost or added on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.ontology.fields import MEMORY_FIELDS, PAYLOAD_FIELDS
from marskg.ontology.vocabulary import EdgeType, Kind
from marskg.store.rows.codec import RECORD_PROPERTIES, memory_properties
from marskg.store.statements.catalogue import statement

if TYPE_CHECKING:
    from tests.support.stores import Stores

_MANY = {field.local for fields in (MEMORY_FIELDS, *PAYLOAD_FIELDS.values()) for field in fields if field.many}
_MANY |= {"details", "salts", "memories"}
_NUMBERS = {"sequence", "created", "validFrom", "weight", "guards", "blockers", "recordedAt"}
#: What every row has.
_LEAST = ("ref", "id", "tenant", "kind", "sequence")


def row(tenant: str, names: tuple[str, ...], ident: str) -> dict[str, Any]:
    """Return a row with a value for each of ``names``, told apart by its name."""
    values: dict[str, Any] = {}
    for place, name in enumerate(names):
        values[name] = place if name in _NUMBERS else [name, f"{name} of {ident}"] if name in _MANY else f"is {name}"
    return {**values, "ref": f"{tenant}|{ident}", **({"id": ident} if "id" in names else {}), "tenant": tenant}


def stored(stores: Stores, label: str, ref: str) -> dict[str, Any]:
    # A label is no parameter of Cypher; both of them are of this file.
    text = {
        "Memory": "MATCH (n:Memory {ref: $ref}) RETURN properties(n) AS node",
        "AuditRecord": "MATCH (n:AuditRecord {ref: $ref}) RETURN properties(n) AS node",
    }[label]
    found = stores.engine.read(text, {"ref": ref})
    assert len(found) == 1
    return dict(found[0]["node"])


@pytest.mark.parametrize("kind", Kind)
def test_what_is_created_by_the_row_has_all_of_the_row_and_no_more(stores: Stores, tenant: str, kind: Kind) -> None:
    names = memory_properties(kind)
    rows = [
        {"node": row(tenant, names, "full"), "record": row(tenant, RECORD_PROPERTIES, "t|1")},
        {"node": row(tenant, _LEAST, "bare"), "record": row(tenant, ("ref", "tenant", "sequence"), "t|2")},
    ]
    stores.engine.write(statement("create_memories", stores.engine.name, kind=kind), {"rows": rows})
    for one in rows:
        assert stored(stores, "Memory", one["node"]["ref"]) == one["node"]
        assert stored(stores, "AuditRecord", one["record"]["ref"]) == one["record"]


def test_a_snapshot_and_a_log_bring_back_all_of_a_row(stores: Stores, tenant: str) -> None:
    node = row(tenant, memory_properties(Kind.TASK), "full")
    record = row(tenant, RECORD_PROPERTIES, "t|1")
    stores.engine.write(statement("restore_memories", stores.engine.name, kind=Kind.TASK), {"rows": [node]})
    stores.engine.write(statement("create_records", stores.engine.name), {"rows": [record]})
    assert stored(stores, "Memory", node["ref"]) == node
    assert stored(stores, "AuditRecord", record["ref"]) == record


def test_a_chain_is_created_whole(stores: Stores, tenant: str) -> None:
    rows = [
        {
            "node": row(tenant, memory_properties(Kind.EPISODIC), ident),
            "record": row(tenant, RECORD_PROPERTIES, f"t|{ident}"),
        }
        for ident in ("first", "second")
    ]
    links = [{"source": 0, "target": 1, "created": 7}]
    text = statement("create_chained", stores.engine.name, kind=Kind.EPISODIC)
    assert stores.engine.write(text, {"rows": rows, "links": links}) == [{"created": 1}]
    for one in rows:
        assert stored(stores, "Memory", one["node"]["ref"]) == one["node"]
        assert stored(stores, "AuditRecord", one["record"]["ref"]) == one["record"]


def test_an_edge_without_a_weight_has_none(stores: Stores, tenant: str) -> None:
    memories = [row(tenant, _LEAST, ident) for ident in ("first", "second", "third")]
    stores.engine.write(
        statement("create_memories", stores.engine.name, kind=Kind.SEMANTIC),
        {"rows": [{"node": one, "record": row(tenant, ("ref", "tenant"), f"t|{one['id']}")} for one in memories]},
    )
    first, second, third = (one["ref"] for one in memories)
    rows = [
        {"source": first, "target": second, "properties": {"created": 7, "weight": 0.5}},
        {"source": first, "target": third, "properties": {"created": 8}},
    ]
    stores.engine.write(statement("create_edges", stores.engine.name, edge=EdgeType.DERIVES_FROM), {"rows": rows})
    found = stores.engine.read(
        "MATCH (:Memory {ref: $ref})-[e:derivesFrom]->(t) RETURN t.ref AS target, properties(e) AS edge", {"ref": first}
    )
    assert {one["target"]: one["edge"] for one in found} == {one["target"]: one["properties"] for one in rows}
