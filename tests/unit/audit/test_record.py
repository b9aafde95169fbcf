"""What the writer writes: the bytes that RDFC-1.0 gives, no more than it was told, and never the same twice."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest
from pyoxigraph import CanonicalizationAlgorithm, Dataset, RdfFormat, parse

from marskg.audit import dataintegrity
from marskg.audit.document import signed_document, signed_head
from marskg.audit.linkeddata import canonical_nquads, verify_document
from marskg.audit.merkle import leaf_hash
from marskg.audit.record import new_salt, node_commitment
from marskg.clock import SeededSource
from marskg.errors import InvalidInput
from marskg.ontology.vocabulary import NS, Operation
from tests.unit.audit.world import START, Alice, World

if TYPE_CHECKING:
    from marskg.records import AuditRecord

SLOT = {"memory": "urn:uuid:01920000-0000-7000-8000-000000000001", "tier_after": "gone", "weight": 0}


def rdfc10(nquads: str) -> str:
    """Canonicalise by someone else's implementation."""
    dataset = Dataset(parse(nquads.encode(), RdfFormat.N_QUADS))
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return "".join(sorted(f"{quad} .\n" for quad in dataset))


def record_of(slots: int, **details: Any) -> AuditRecord:
    return World().sign(17, Operation.ACCESS, nodes=[SLOT] * slots, record=details)


@pytest.mark.parametrize("slots", [0, 1, 9, 10, 11, 120])
def test_a_core_is_its_own_canonical_form(slots: int) -> None:
    core = record_of(slots).core
    assert rdfc10(core) == core
    assert core.count(f"<{NS}commitment>") == slots + 1


@pytest.mark.parametrize("slots", [0, 1, 11])
def test_the_signed_document_has_the_core_as_its_canonical_form(slots: int) -> None:
    record = record_of(slots)
    document = signed_document(record)
    assert verify_document(document, minimum=record.core.count("\n")).nquads == record.core
    unsigned = {name: value for name, value in document.items() if name != "proof"}
    assert canonical_nquads(unsigned) == record.core


def test_a_signed_head_verifies_as_a_document() -> None:
    head = Alice().heads[-1]
    assert verify_document(signed_head(head)).nquads == head.core == rdfc10(head.core)


def test_details_are_canonical_and_only_what_was_told() -> None:
    record = record_of(1, parameters=("b", "a", "a"), loss_bound=0.25, policy=None, budget=-5, counts=())
    assert rdfc10(record.details[0]) == record.details[0]
    predicates = [line.split("> <")[1].removeprefix(NS).partition(">")[0] for line in record.details[0].splitlines()]
    assert predicates == ["actor", "budget", "lossBound", "parameters", "parameters"]


def test_strings_are_escaped_as_rdfc10_does() -> None:
    nasty = "".join(map(chr, range(0x20))) + '"\\\x7f\x80\u2028é😀'
    text = record_of(0, policy=nasty).details[0]
    assert rdfc10(text) == text


def test_leaf_and_proof_fit_the_core() -> None:
    record = record_of(1)
    assert dataintegrity.verify(record.core.encode(), record.proof_value, record.proof_created, record.signing_key)
    assert record.proof_created == "2025-06-15T15:06:40Z"
    signature = dataintegrity.decode_signature(record.proof_value)
    options = dataintegrity.proof_options(record.signing_key, record.proof_created)
    hash_data = hashlib.sha256(options).digest() + hashlib.sha256(record.core.encode()).digest()
    assert leaf_hash(hash_data + signature).hex() == record.leaf


def test_equal_inputs_give_equal_bytes_and_salts_are_never_used_twice() -> None:
    assert record_of(3) == record_of(3)
    world = Alice()
    salts = [salt for record in world.records + world.accesses for salt in record.salts]
    assert len(set(salts)) == len(salts)


def test_equal_details_have_unequal_commitments() -> None:
    core = record_of(2).core
    values = [line.split('"')[1] for line in core.splitlines() if f"<{NS}commitment>" in line]
    assert len(set(values)) == 3


@pytest.mark.parametrize("slots", [{"record": {"content": "x"}}, {"nodes": [{**SLOT, "content": "x"}]}])
def test_a_detail_of_an_unknown_name_is_refused(slots: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="no field content"):
        World().sign(1, Operation.AMEND, **slots)


def test_a_node_commitment_depends_on_salt_and_lines_not_on_their_order() -> None:
    first, second = new_salt(SeededSource(1)), new_salt(SeededSource(2))
    lines = ["<urn:x:a> <urn:x:b> <urn:x:c> .", '<urn:x:a> <urn:x:b> "d" .']
    assert node_commitment(first, lines) == node_commitment(first, lines[::-1])
    assert node_commitment(first, lines) != node_commitment(second, lines)
    assert node_commitment(first, lines) != node_commitment(first, lines[:1])


def test_times_keep_their_milliseconds_in_the_core_and_lose_them_in_the_proof() -> None:
    record = World().sign(1, Operation.AMEND, now=START + 120)
    assert f'<{NS}recordedAt> "2025-06-15T15:06:40.12Z"' in record.core
    assert record.proof_created == "2025-06-15T15:06:40Z"
