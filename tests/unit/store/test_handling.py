"""Every statement declares how it is handled where contents are encrypted, and every property has a class."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from marskg.config import Settings
from marskg.ontology.fields import (
    EDGE_FIELDS,
    ENTITY_FIELDS,
    MEMORY_FIELDS,
    PAYLOAD_FIELDS,
    PREFERENCE_FIELDS,
    Protection,
)
from marskg.ontology.protection import TABLE, Sort, classes, of_class
from marskg.ontology.vocabulary import Kind
from marskg.policies.core import candidates
from marskg.records import Entity
from marskg.store.rows.codec import RECORD_PROPERTIES, memory_properties
from marskg.store.rows.name_cache import word_rows
from marskg.store.rows.state import TenantState
from marskg.store.statements import handling
from marskg.store.statements.catalogue import statement
from marskg.store.statements.handling import (
    Beginning,
    Changes,
    Echo,
    Handling,
    LookUp,
    Nodes,
    Parts,
    Property,
    Statement,
    own,
)
from tests.support.stores import START

FOLDERS = {"store": handling.DECLARED, "policies": candidates.DECLARED}
_PARAMETER = re.compile(r"\$([a-z]\w*)")
_PROPERTY = re.compile(r"\b[a-z]\.(\w+) AS (\w+)")
_WHOLE = re.compile(r"properties\((\w)\) AS (\w+)")
_UPDATED = re.compile(r"SET \w\.(\w+) =")
#: What nodes are found by in a condition, with the kind of value that has to stand for it.
_CONDITION = re.compile(r"\b[a-z]\.(\w+) (?:=|IN|<|>|<=|>=|STARTS WITH) \$|\$\w+ IN \w\.(\w+)")


def texts() -> list[tuple[str, str, str]]:
    """Return package, name and text of every statement."""
    found = []
    for package in FOLDERS:
        root = Path(str(files(f"marskg.{package}"))) / "cypher"
        found += [(package, path.stem, path.read_text("utf-8")) for path in sorted(root.rglob("*.cypher"))]
    return found


ALL = texts()
IDS = [f"{package}/{name}" for package, name, _ in ALL]


def body(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("//"))


# --- Statements ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("package", "name", "text"), ALL, ids=IDS)
def test_every_statement_is_declared(package: str, name: str, text: str) -> None:
    declared = FOLDERS[package]
    assert name in declared, f"declare how {name} is handled on an encrypted tenant in marskg.{package}"
    found = declared[name]
    if found is None:
        return
    given = set(_PARAMETER.findall(body(text)))
    if "$CLAIM$" in text:
        given |= {"tenant", "expected", "accessed"}
    assert given <= set(found.given), f"{name} has parameters that are not declared"


def test_nothing_is_declared_that_is_not_there() -> None:
    names = {(package, name) for package, name, _ in ALL}
    assert {(package, name) for package, declared in FOLDERS.items() for name in declared} == names


@pytest.mark.parametrize(("package", "name", "text"), ALL, ids=IDS)
def test_what_comes_back_encrypted_is_declared(package: str, name: str, text: str) -> None:
    found = FOLDERS[package][name]
    if found is None:
        return
    secret = {name for sort in Sort for name in of_class(sort, Protection.ENCRYPTED)}
    for wanted, column in _PROPERTY.findall(body(text)):
        if wanted in secret:
            declared = found.found.get(column)
            assert isinstance(declared, Property), f"{name} returns {column} in an envelope"
            assert declared.name == wanted
    nodes = {"m": Sort.MEMORY, "p": Sort.PREFERENCE, "a": Sort.RECORD}
    plain = {"heads", "keys", "load_tenant", "snapshots_page"}
    for variable, column in _WHOLE.findall(body(text)):
        if name not in plain:
            declared = found.found.get(column)
            assert isinstance(declared, Nodes), f"{name} returns whole nodes as {column}"
            assert declared.sort is nodes.get(variable, Sort.ENTITY)


@pytest.mark.parametrize(("package", "name", "text"), ALL, ids=IDS)
def test_what_is_found_by_a_value_is_looked_up_by_its_digest(package: str, name: str, text: str) -> None:
    found = FOLDERS[package][name]
    if found is None:
        return
    hidden = {name for sort in Sort for name in classes(sort) if classes(sort)[name] is not Protection.CLEAR}
    hidden -= {"ref"}  # only the words of names have one that is a digest
    for one, other in _CONDITION.findall(body(text)):
        if (one or other) in hidden:
            assert any(isinstance(form, Beginning | LookUp) for form in found.given.values()), name


def test_a_statement_is_its_text_and_carries_its_handling() -> None:
    made = statement("slot", "arcadedb")
    assert made.startswith("MATCH (m:Memory)")
    assert (made.name, made.handling) == ("slot", handling.DECLARED["slot"])
    mine = own("MATCH (m) RETURN m")
    assert mine.handling is not None
    assert mine.handling.own
    assert own(made) is made


def test_the_package_declares_nothing_as_a_users_own() -> None:
    assert not [name for declared in FOLDERS.values() for name, one in declared.items() if one is not None and one.own]


def test_echoes_are_of_what_was_looked_up() -> None:
    for declared in FOLDERS.values():
        for name, one in declared.items():
            if one is not None and any(isinstance(found, Echo) for found in one.found.values()):
                assert any(isinstance(form, LookUp) for form in one.given.values()), name


# --- Properties ---------------------------------------------------------------------------------------------------


def tenant_row() -> dict[str, Any]:
    state = TenantState("t", "l", "a", 1, 1, 9, 0, 0, 0, START, Settings(), "key")
    return state.to_row()


WRITTEN: dict[str, tuple[Sort, set[str]]] = {
    "fields of memories": (Sort.MEMORY, {field.local for field in MEMORY_FIELDS}),
    "fields of payloads": (Sort.MEMORY, {field.local for own_ in PAYLOAD_FIELDS.values() for field in own_}),
    "properties of memories": (Sort.MEMORY, {name for kind in Kind for name in memory_properties(kind)}),
    "fields of entities": (Sort.ENTITY, {field.local for field in ENTITY_FIELDS}),
    "words": (Sort.WORD, {key for row in word_rows(Entity("i", "t", "Ann", 1, 1)).values() for key in row}),
    "fields of preferences": (Sort.PREFERENCE, {field.local for field in PREFERENCE_FIELDS}),
    "properties of records": (Sort.RECORD, set(RECORD_PROPERTIES)),
    "the tenant's row": (Sort.TENANT, set(tenant_row())),
    "edges": (Sort.EDGE, {"weight" if field.local == "edgeWeight" else field.local for field in EDGE_FIELDS}),
}


@pytest.mark.parametrize("what", WRITTEN)
def test_every_property_has_a_class(what: str) -> None:
    sort, names = WRITTEN[what]
    assert names <= classes(sort).keys(), f"{what}: give them a class in marskg.ontology.protection"


def test_no_property_has_two_classes_and_each_has_its_reason() -> None:
    for sort, entries in TABLE.items():
        names = [name for _, _, some in entries for name in some.split()]
        assert len(names) == len(set(names)), sort
        assert all(reason for _, reason, _ in entries)


def test_payloads_and_texts_are_never_in_clear() -> None:
    clear = of_class(Sort.MEMORY, Protection.CLEAR)
    assert not clear & {field.local for fields in PAYLOAD_FIELDS.values() for field in fields}
    assert not clear & {"content", "key", "subjects", "session", "sourceRef", "embedding", "salt", "summaryLines"}


def test_a_handling_names_every_parameter() -> None:
    one = handling.handled("low high", rows=Changes(Sort.MEMORY), more=Parts({"node": Nodes(Sort.MEMORY)}))
    assert set(one.given) == {"low", "high", "rows", "more"}
    assert isinstance(one, Handling)
    assert isinstance(Statement("x", "x", None), str)
