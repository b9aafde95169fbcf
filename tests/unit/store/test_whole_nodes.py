"""The names that the statements which create nodes know are all that the store writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from marskg.ontology.vocabulary import Kind, Operation
from marskg.records import AuditRecord
from marskg.store.rows import codec
from marskg.store.rows.order_keys import KEY_NAMES
from marskg.store.statements.catalogue import statement
from marskg.store.unit.unit_of_work import Node
from tests import strategies
from tests.unit.audit.world import World

if TYPE_CHECKING:
    from marskg.records import Memory


@given(memory=strategies.memories())
def test_a_memory_has_no_property_that_its_creation_would_drop(memory: Memory) -> None:
    node = Node(memory, {}, "salt", "vector", 1, 1, guarding=True, keys=dict.fromkeys(KEY_NAMES, "k"), eligible=(1, 1))
    assert set(node.properties(task_grace=1)) <= set(codec.memory_properties(memory.kind))


def test_what_an_encrypted_memory_has_besides_is_known() -> None:
    assert all("sourceDigest" in codec.memory_properties(kind) for kind in Kind)


def _record(number: int, details: str) -> AuditRecord:
    texts = (details, details)
    return AuditRecord(
        tenant="a",
        log="urn:uuid:log",
        sequence=number,
        operation=Operation.ERASE,
        recorded_at=1,
        signing_key="did:key:z",
        core=details,
        proof_value="z",
        proof_created="now",
        leaf="00",
        memories=(f"m{number}",),
        details=texts,
        salts=("a", "b"),
    )


def test_a_record_has_all_properties_that_its_creation_knows_and_no_others() -> None:
    foreign = set(codec.encode_record(_record(1, "x"), "t"))
    own = set(codec.encode_record(World().sign(17, Operation.ACCESS, nodes=[{"memory": "urn:uuid:1"}], record={}), "t"))
    assert foreign | own == set(codec.RECORD_PROPERTIES)
    assert own - foreign == {"commitments"}, "a core that is not the package's stays as it is"


@pytest.mark.parametrize("name", ["create_records", "touch"])
def test_no_statement_gives_a_new_record_its_properties_afterwards(name: str) -> None:
    text = statement(name, "arcadedb")
    assert "SET a" not in text
    assert "$RECORD" not in text
    assert "$MEMORY" not in text
