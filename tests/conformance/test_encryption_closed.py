"""Encryption fails closed: what nobody declared is refused before anything is sent, and all that is written is covered.

A property without a class in :mod:`marskg.ontology.protection` and a statement without a handling in
:mod:`marskg.store.statements.handling` are planted, each once; and every public operation that writes is called with
words that are then looked for in the bytes of the store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.store.rows import codec
from marskg.store.rows.state import TenantState
from marskg.store.statements.catalogue import statement
from marskg.store.statements.handling import Statement, own
from marskg.store.unit import entity_changes
from tests.support.names import name
from tests.support.residue import residue

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores


@pytest.fixture(autouse=True)
def keyrings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    return tmp_path / "vaults"


@pytest.fixture
def word() -> str:
    return name("zyx7") + "planted"


def encrypted(stores: Stores) -> AgentMemory:
    return stores.open(encryption="subjects", entities__recognise="on", sensitivity__assess="off")


# --- A property that nobody classified ------------------------------------------------------------------------------


def with_diary(real: Callable[..., Any], word: str) -> Callable[..., Any]:
    return lambda *given, **named: {**real(*given, **named), "diary": word}


def with_diaries(real: Callable[..., Any], word: str) -> Callable[..., Any]:
    return lambda *given: {ref: {**row, "diary": word} for ref, row in real(*given).items()}


PLANTED = {
    "memory": (codec, "encode_memory", with_diary),
    "audit record": (codec, "encode_record", with_diary),
    "entity": (codec, "encode_entity", with_diary),
    "edge": (codec, "encode_edge", with_diary),
    "word of a name": (entity_changes, "word_rows", with_diaries),
    "tenant": (TenantState, "moving", with_diary),
}


@pytest.mark.parametrize("sort", PLANTED)
def test_a_property_without_a_class_is_refused(
    stores: Stores, files: Path, word: str, sort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = encrypted(stores)
    one = memory.remember("Bea likes quinces and pears", subjects=["bea"])
    before = len(list(memory.audit.records()))
    place, name, plant = PLANTED[sort]
    monkeypatch.setattr(place, name, plant(getattr(place, name), word))
    with pytest.raises(marskg.NotPermitted, match=f"'diary' of a node \\({sort}\\) has no class"):
        memory.remember("Bea met Mr Quincetree", mentions=["Mr Quincetree"], derives_from=[one.id])
    monkeypatch.undo()
    assert residue(files, [word]) == []
    assert memory.verify().findings == ()
    assert len(list(memory.audit.records())) == before
    assert [found.content for found in memory.memories()] == [one.content]


def test_a_preference_with_a_property_without_a_class_is_refused(
    stores: Stores, files: Path, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = encrypted(stores)
    monkeypatch.setattr(codec, "encode_preference", with_diary(codec.encode_preference, word))
    with pytest.raises(marskg.NotPermitted, match=r"'diary' of a node \(preference\)"):
        memory.preferences.consent("bea")
    monkeypatch.undo()
    assert memory.preferences.list() == ()
    assert residue(files, [word]) == []


def test_what_changes_is_held_to_the_table_as_well(
    stores: Stores, files: Path, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = encrypted(stores)
    one = memory.remember("Bea likes quinces and pears", subjects=["bea"])
    real = codec.encode_memory
    monkeypatch.setattr(codec, "encode_memory", with_diary(real, word))
    with pytest.raises(marskg.NotPermitted, match="'diary'"):
        memory.policy.pin(one.id)
    monkeypatch.undo()
    assert memory.get(one.id).pinned is False  # type: ignore[union-attr]
    assert residue(files, [word]) == []


def test_a_tenant_in_clear_takes_no_notice(stores: Stores, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = stores.open()
    monkeypatch.setattr(codec, "encode_memory", with_diary(codec.encode_memory, word))
    memory.remember("Bea likes quinces and pears", subjects=["bea"])


# --- A statement that nobody declared -------------------------------------------------------------------------------

_NOTE = "MATCH (t:Tenant {ref: $tenant}) SET t.note = $note RETURN t.ref AS ref"
_READ = "MATCH (m:Memory) WHERE m.tenant = $tenant RETURN m.id AS id, m.content AS content"


def test_a_statement_that_nobody_declared_is_refused(stores: Stores, files: Path, word: str) -> None:
    memory = encrypted(stores)
    memory.remember("Bea likes quinces and pears", subjects=["bea"])
    engine, given = memory.store.engine, {"tenant": memory.tenant, "note": word}
    for text in (_NOTE, Statement(_NOTE, "set_note", None), statement("list_tenants", engine.name)):
        for run in (engine.read, engine.write):
            with pytest.raises(marskg.NotPermitted, match="nobody declared"):
                run(text, given)
        with engine.transaction() as transaction, pytest.raises(marskg.NotPermitted, match="nobody declared"):
            transaction.run(text, given)
    with pytest.raises(marskg.NotPermitted, match="nobody declared"):
        engine.read(_READ, {"tenant": memory.tenant})
    assert residue(files, [word]) == []


def test_a_parameter_that_nobody_declared_is_refused(stores: Stores, word: str) -> None:
    memory = encrypted(stores)
    engine = memory.store.engine
    slot = {"slot": codec.slot_key(memory.tenant, ["bea"], "diet")}
    assert engine.read(statement("slot", engine.name), slot) == []
    with pytest.raises(marskg.NotPermitted, match="parameter 'subject' of the statement 'slot'"):
        engine.read(statement("slot", engine.name), {**slot, "subject": word})


def test_what_is_never_stored_is_refused(stores: Stores, files: Path, word: str) -> None:
    memory = encrypted(stores)
    engine = memory.store.engine
    row = {"ref": f"{memory.tenant}|x|y", "path": f"/home/{word}", "size": 1}
    with pytest.raises(marskg.NotPermitted, match=r"'path' of a node \(snapshot\) is never stored"):
        engine.write(statement("note_snapshot", engine.name), {"row": row})
    points = statement("put_points", engine.name, dimension=2)
    with pytest.raises(marskg.NotPermitted, match=r"'vector' of a node \(vector point\) is never stored"):
        engine.write(points, {"rows": [{"ref": row["ref"], "vector": [0.1, 0.2]}]})
    assert residue(files, [word]) == []


@pytest.mark.server
def test_a_policy_of_ones_own_sees_what_it_names_the_memory_of(stores: Stores) -> None:
    memory = encrypted(stores)
    one = memory.remember("Bea likes quinces and pears", subjects=["bea"], purpose=["mars:envelope:content:AAAA"])
    engine, given = memory.store.engine, {"tenant": memory.tenant}
    assert engine.read(own(_READ), given) == [{"id": one.id, "content": one.content}]
    bare = "MATCH (m:Memory) WHERE m.tenant = $tenant RETURN m.content AS content"
    with pytest.raises(marskg.QueryRefused, match=r"return m\.id AS id as well"):
        engine.read(own(bare), given)
    purpose = "MATCH (m:Memory) WHERE m.tenant = $tenant RETURN m.id AS id, m.purpose AS purpose"
    assert engine.read(own(purpose), given)[0]["purpose"] == ["mars:envelope:content:AAAA"]


# --- Envelopes that were moved --------------------------------------------------------------------------------------


@pytest.mark.server
@pytest.mark.parametrize("to", ["another memory", "another field"])
def test_an_envelope_that_was_moved_is_refused_beside_its_original(stores: Stores, to: str) -> None:
    memory = encrypted(stores)
    one = memory.remember("Bea likes quinces and pears", subjects=["bea"], session="s")
    other = memory.remember("Bea likes chess", subjects=["bea"], session="s")
    rows = stores.engine.read(
        "MATCH (m:Memory) WHERE m.tenant = $tenant RETURN m.ref AS ref, m.content AS content", {"tenant": memory.tenant}
    )
    stored = {row["ref"]: row["content"] for row in rows}
    target, name = (other, "content") if to == "another memory" else (one, "session")
    stores.engine.write(
        f"MATCH (m:Memory {{ref: $ref}}) SET m.{name} = $value",
        {"ref": codec.ref(memory.tenant, target.id), "value": stored[codec.ref(memory.tenant, one.id)]},
    )
    with pytest.raises(marskg.KeyUnusable, match="changed behind the product's back"):
        list(memory.memories())
