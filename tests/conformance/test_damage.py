"""What others planted in the store, property by property: a finding of the checks, and one of our errors elsewhere."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.clock import MAX_MS
from marskg.ontology.fields import ENTITY_FIELDS, MEMORY_FIELDS, PREFERENCE_FIELDS, Field
from marskg.ontology.vocabulary import Datatype
from tests.support.proof import PROOF

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

QUICK: dict[str, Any] = {"sensitivity__assess": "off", "embedding__model": "none"}
#: Values of which at least one is of no type that a field has.
WRONG: tuple[object, ...] = ("no such value", -7, 0.5, True)
REQUIRED = ("id", "kind", "created", "sequence")


def filled(stores: Stores) -> tuple[AgentMemory, str]:
    memory = stores.open(**QUICK)
    base = memory.remember("Bea has a boat on the lake", subjects=["bea"], mentions=["Bea"], session="s")
    other = memory.remember("She can cross the lake", derives_from=[base.id], session="s", kind="episodic")
    return memory, other.id


def plant(stores: Stores, memory: AgentMemory, statement: str, ident: str, **values: object) -> None:
    stores.engine.write(statement, {"ref": f"{memory.tenant}|{ident}", **values})


def assert_found(memory: AgentMemory, folder: Path, *, found: bool = True) -> None:
    """Hold the checks to it that they name the damage, and other doors that they end in one of our errors."""
    reports = [memory.verify(), memory.validate(full=True)]
    if found:
        assert any(report.findings for report in reports)
    with suppress(marskg.MarsError):
        memory.export(folder / "all.nq", audit=True)
        (folder / "all.nq").unlink()
    assert not list(folder.iterdir()), "nothing half-written is left"


def test_an_edge_without_its_time_is_found_and_named(stores: Stores, tmp_path: Path) -> None:
    memory, ident = filled(stores)
    for statement in (
        "MATCH (m:Memory {ref: $ref})-[e:derivesFrom]->() SET e.created = null",
        "MATCH (m:Memory {ref: $ref})-[e:derivesFrom]->() SET e.created = 'yesterday'",
    ):
        plant(stores, memory, statement, ident)
        for report in (memory.verify(), memory.validate(full=True)):
            assert any(one.where == ident and "created" in one.message for one in report.findings), report.findings
        with pytest.raises(marskg.StoreDamaged, match="created of an edge 'derivesFrom'"):
            memory.export(tmp_path / "all.jsonld")
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", REQUIRED)
def test_a_property_that_is_missing_is_found_and_named(stores: Stores, tmp_path: Path, missing: str) -> None:
    memory, ident = filled(stores)
    plant(stores, memory, f"MATCH (m:Memory {{ref: $ref}}) SET m.{missing} = null", ident)
    assert_found(memory, tmp_path)
    if missing != "id":
        with pytest.raises(marskg.StoreDamaged, match="mars verify"):
            memory.get(ident)


def test_every_property_with_a_value_of_a_wrong_type(stores: Stores, tmp_path: Path) -> None:
    memory, ident = filled(stores)
    for number, field in enumerate(MEMORY_FIELDS):
        if not PROOF and stores.address is not None and number % 3:
            continue
        before = stores.engine.read(
            "MATCH (m:Memory {ref: $ref}) RETURN properties(m) AS p", {"ref": f"{memory.tenant}|{ident}"}
        )[0]["p"]
        for value in WRONG if PROOF else [WRONG[number % len(WRONG)]]:
            plant(stores, memory, f"MATCH (m:Memory {{ref: $ref}}) SET m.{field.local} = $value", ident, value=value)
            assert_found(memory, tmp_path, found=False)
            with suppress(marskg.MarsError):
                memory.get(ident)
        plant(
            stores,
            memory,
            f"MATCH (m:Memory {{ref: $ref}}) SET m.{field.local} = $value",
            ident,
            value=before.get(field.local),
        )
    assert memory.verify().findings == ()


#: What no property of the store may be.
ODD: tuple[object, ...] = (["x"], None, -7, "no such value", 0.5, True, "mars:envelope:content:AAAA")


@pytest.mark.parametrize("encryption", ["off", "subjects"])
def test_whatever_is_changed_the_checks_go_on(
    stores: Stores, encryption: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every property of every sort of node, each with another odd value; with all of them in ``make proof``."""
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    memory = stores.open(**QUICK, encryption=encryption)
    base = memory.remember("Bea has a boat on the lake", subjects=["bea"], mentions=["Bea"], session="s", key="boat")
    memory.remember("She can cross the lake", derives_from=[base.id], session="s", kind="episodic")
    memory.remember("Paint the boat", kind="task", requires=[base.id], priority=1)
    memory.preferences.set("blacklisted_entity", "Mallory")
    memory.retrieve("boat")
    memory.audit.sign_head()
    assert (memory.verify().findings, memory.validate(full=True).findings) == ((), ())
    text = "MATCH (n) WHERE n.ref STARTS WITH $tenant RETURN labels(n) AS l, properties(n) AS p, id(n) AS i"
    rows = stores.engine.read(text, {"tenant": memory.tenant})
    nodes = {row["l"][0]: row for row in rows}
    places = [(label, name) for label, row in sorted(nodes.items()) for name in sorted(row["p"])]
    assert len(places) > 100
    for number, (label, name) in enumerate(places):
        if (label, name) == ("Tenant", "ref"):
            continue  # without it there is no tenant, and nothing can be said of it
        change = partial(stores.engine.write, f"MATCH (n) WHERE id(n) = $id SET n.{name} = $value")
        for value in ODD if PROOF else ODD[number % len(ODD) :][:1]:
            with suppress(marskg.MarsError):  # an engine may refuse it
                change({"id": nodes[label]["i"], "value": value})
            # Without a row of its types a tenant cannot be read; who has read it before need not see that.
            with suppress(marskg.StoreDamaged) if label == "Tenant" else nullcontext():
                memory.verify()
                memory.validate(full=True)
            change({"id": nodes[label]["i"], "value": nodes[label]["p"][name]})
    assert (memory.verify().findings, memory.validate(full=True).findings) == ((), ())


def test_nodes_of_others_in_the_same_database_are_not_counted(stores: Stores) -> None:
    memory, _ = filled(stores)
    before = memory.stats()
    stores.engine.write("CREATE (m:Memory {tenant: $tenant, title: 'ours'})", {"tenant": memory.tenant})
    assert memory.stats() == before


def test_a_tier_that_is_none_is_one_of_our_errors(stores: Stores) -> None:
    memory, ident = filled(stores)
    plant(stores, memory, "MATCH (m:Memory {ref: $ref}) SET m.tier = 'attic'", ident)
    with pytest.raises(marskg.StoreDamaged, match="tier"):
        memory.stats()
    with pytest.raises(marskg.StoreDamaged):
        memory.get(ident)


def test_a_life_that_would_end_after_the_last_time_ends_with_it(stores: Stores) -> None:
    memory = stores.open(**QUICK)
    stores.clock(memory).set(MAX_MS - 100_000)
    memory.maintenance.confirm_clock()
    kept = memory.remember("The gate code is in the blue book", memory_class="private", ttl="30d")
    assert kept.expires_at == MAX_MS


def test_a_line_that_is_too_long_is_refused(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(**QUICK)
    path = tmp_path / "long.nq"
    said = "a" * 17_000_000
    path.write_text(f'<urn:uuid:01999999-0000-7000-8000-00000000dead> <http://x.org/y> "{said}" .\n', "utf-8")
    with pytest.raises(marskg.InvalidDocument, match="16 MiB"):
        memory.load(path)


#: A value that no property of that type has: of a text, a time or a truth value, and of a number with a point.
HALF, WORD = 0.5, "no such value"


def everywhere(stores: Stores, tenant: str, folder: Path) -> set[str]:
    """Return the messages of the reading doors of a process that knows nothing yet; no error is another than ours."""
    told: set[str] = set()
    try:
        memory = stores.apart().open(tenant, seed="reader", **QUICK)
    except marskg.StoreDamaged as error:
        return {str(error)}
    doors: tuple[Callable[[], object], ...] = (
        lambda: [(memory.get(one.id), memory.edges(one.id)) for one in memory.memories()],
        lambda: list(memory.entities.list()),
        lambda: list(memory.preferences.list()),
        lambda: list(memory.retrieve("the lake")),
        lambda: memory.read_all(key_prefix="b"),
        lambda: memory.sparql("SELECT ?c WHERE { ?m mars:content ?c }"),
        lambda: memory.plan(policy="priority-decay", budget=30),
        lambda: memory.forget(memory.plan(policy="priority-decay", budget=memory.weight)),
        lambda: memory.export(folder / "all.nq"),
    )
    for door in doors:
        try:
            door()
        except marskg.MarsError as error:
            told.add(str(error))
    memory._writer.listener.on_erasure()
    memory._writer.leave()
    return told


def wrong(field: Field) -> object:
    return WORD if field.datatype is Datatype.DECIMAL else HALF


CASES = [
    *(("Memory", field) for field in MEMORY_FIELDS if field.datatype is not Datatype.BOOLEAN),
    *(("Entity", field) for field in ENTITY_FIELDS),
    *(("Preference", field) for field in PREFERENCE_FIELDS),
]


def test_every_reading_door_names_the_node_and_the_property(stores: Stores, tmp_path: Path) -> None:
    memory, ident = filled(stores)
    memory.preferences.set("retention", "social", horizon="30d")
    (rule,) = memory.preferences.list()
    (entity,) = memory.entities.list()
    ids = {"Memory": ident, "Entity": entity.id, "Preference": rule.id}
    silent = []
    for label, field in CASES if PROOF else CASES[:: 3 if stores.address is None else 8]:
        ref = {"ref": f"{memory.tenant}|{ids[label]}"}
        where = f"MATCH (m:{label} {{ref: $ref}})"
        before = stores.engine.read(f"{where} RETURN m.{field.local} AS value", ref)[0]["value"]
        plant(stores, memory, f"{where} SET m.{field.local} = $value", ids[label], value=wrong(field))
        told = everywhere(stores, memory.tenant, tmp_path)
        if not any(ids[label] in one and ("mars verify" in one or field.local in one) for one in told):
            silent.append(f"{label}.{field.local}")
        plant(stores, memory, f"{where} SET m.{field.local} = $value", ids[label], value=before)
    assert silent == []
    assert everywhere(stores, memory.tenant, tmp_path) == set()
    assert memory.verify().findings == ()


@pytest.mark.parametrize("type_", ["derivesFrom", "mentions", "worksAt"])
def test_every_reading_door_names_the_node_that_an_edge_leads_out_of(
    stores: Stores, tmp_path: Path, type_: str
) -> None:
    memory, ident = filled(stores)
    memory.entities.mention(ident, "Acme")
    source, target = sorted(memory.entities.list(), key=lambda one: one.name)
    memory.entities.relate(source.id, "worksAt", target.id)
    ident = source.id if type_ == "worksAt" else ident
    for name, value in (("created", None), ("created", WORD), ("weight", WORD)):
        edge = f"MATCH (m {{ref: $ref}})-[e:{type_}]->()"
        ref = {"ref": f"{memory.tenant}|{ident}"}
        before = stores.engine.read(f"{edge} RETURN e.{name} AS value", ref)[0]["value"]
        plant(stores, memory, f"{edge} SET e.{name} = $value", ident, value=value)
        assert any(ident in one and type_ in one for one in everywhere(stores, memory.tenant, tmp_path)), name
        plant(stores, memory, f"{edge} SET e.{name} = $value", ident, value=before)
    assert memory.verify().findings == ()
