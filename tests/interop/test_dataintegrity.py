"""Records and heads verify with Digital Bazaar's packages, and what these sign verifies here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.audit.dataintegrity import base58btc, verification_method
from marskg.audit.document import signed_document, signed_head
from marskg.audit.linkeddata import DATA_INTEGRITY_V2, add_proof, verify_document
from marskg.clock import SeededSource
from marskg.errors import AuditVerificationFailed
from tests.unit.audit.world import Alice, signer_of

if TYPE_CHECKING:
    from tests.interop.conftest import Node

CREATED = "2026-11-21T10:40:10Z"
DOCUMENT = {
    "@context": [
        DATA_INTEGRITY_V2,
        {"name": "https://schema.org/name", "knows": {"@id": "https://schema.org/knows", "@type": "@id"}},
    ],
    "id": "urn:uuid:01920000-0000-7000-8000-000000000001",
    "name": 'Ünïcode, "quotes"\nand\ttabs',
    "knows": [{"name": "a blank node"}, "urn:uuid:01920000-0000-7000-8000-000000000002"],
}


def test_records_and_heads_verify_there(node: Node) -> None:
    world = Alice()
    for document in (
        signed_document(world.records[0]),
        signed_document(world.accesses[1]),
        signed_head(world.heads[0]),
    ):
        assert node("verify", document=document) == {"verified": True}


def test_a_tampered_record_does_not_verify_there(node: Node) -> None:
    document = signed_document(Alice().records[3])
    document["operation"] = document["operation"].replace("remember", "amend")
    answer = node("verify", document=document)
    assert not answer["verified"]
    assert "Invalid signature" in answer["error"]


def test_our_core_is_their_canonical_form(node: Node) -> None:
    world = Alice()
    world.access(*[world.secret] * 11)
    records = [world.records[0], world.records[3], world.accesses[-1]]
    documents = [{**signed_document(record)} for record in records]
    for document in documents:
        del document["proof"]
    assert node("canonize", documents=documents)["nquads"] == [record.core for record in records]


@pytest.fixture
def signed_there(node: Node) -> dict[str, Any]:
    """A document that their packages signed with a key of ours."""
    secret = SeededSource("interop").token(32)
    public_key = signer_of("interop").public_key
    answer = node(
        "sign",
        document=DOCUMENT,
        created=CREATED,
        publicKeyMultibase=public_key,
        secretKeyMultibase="z" + base58btc(b"\x80\x26" + secret),
    )
    signed: dict[str, Any] = answer["document"]
    return signed


def test_what_they_signed_verifies_here(signed_there: dict[str, Any]) -> None:
    verified = verify_document(signed_there)
    assert verified.verification_method == verification_method(signer_of("interop").public_key)
    assert verified.created == CREATED


def test_both_sign_alike(signed_there: dict[str, Any]) -> None:
    assert add_proof(DOCUMENT, signer_of("interop"), CREATED) == signed_there


def test_what_they_signed_and_someone_changed_does_not_verify_here(signed_there: dict[str, Any]) -> None:
    with pytest.raises(AuditVerificationFailed):
        verify_document({**signed_there, "name": "Mallory"})
