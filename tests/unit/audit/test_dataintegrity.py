"""The W3C's vectors for eddsa-rdfc-2022, by the template and by JSON-LD, and what no signature may cover."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from marskg.audit import dataintegrity
from marskg.audit.dataintegrity import Signer
from marskg.audit.linkeddata import (
    CREDENTIALS_V2,
    DATA_INTEGRITY_V2,
    PinnedContexts,
    add_proof,
    canonical_nquads,
    verify_document,
)
from marskg.errors import AuditVerificationFailed, InvalidDocument

if TYPE_CHECKING:
    from collections.abc import Callable

VECTORS = Path(__file__).parent / "data" / "eddsa-rdfc-2022"
CREATED = "2023-02-24T23:36:38Z"
FOLDERS = pytest.mark.parametrize("folder", [VECTORS, VECTORS / "employ"], ids=["alumni", "employ"])


def pinned(name: str) -> tuple[bytes, str]:
    data = (VECTORS / name).read_bytes()
    return data, hashlib.sha256(data).hexdigest()


LOADER = PinnedContexts(
    {
        "https://www.w3.org/ns/credentials/examples/v2": pinned("credentials-examples-v2.jsonld"),
        "https://w3id.org/citizenship/v4rc1": pinned("citizenship-v4rc1.jsonld"),
    }
)
TERMS = {"name": "https://schema.org/name", "knows": {"@id": "https://schema.org/knows", "@type": "@id"}}
DOCUMENT = {"@context": [DATA_INTEGRITY_V2, TERMS], "@id": "urn:x:a", "name": "A", "knows": "urn:x:b"}


@pytest.fixture(scope="module")
def signer() -> Signer:
    """The W3C's key pair, whose private key is Multikey with the prefix 0x8026."""
    pair = json.loads((VECTORS / "keyPair.json").read_text())
    raw = dataintegrity.from_base58btc(pair["privateKeyMultibase"][1:])
    assert raw[:2] == b"\x80\x26"
    made = Signer(Ed25519PrivateKey.from_private_bytes(raw[2:]))
    assert made.public_key == pair["publicKeyMultibase"]
    return made


@FOLDERS
def test_the_template_gives_the_proof_of_the_w3c(signer: Signer, folder: Path) -> None:
    core = (folder / "canonDocDataInt.txt").read_bytes()
    options = dataintegrity.proof_options(signer.verification_method, CREATED)
    assert options == (folder / "proofCanonDataInt.txt").read_bytes()
    signed = signer.sign(core, CREATED)
    assert signed.proof_value == (folder / "sigBTC58DataInt.txt").read_text().strip()
    assert signed.leaf_data[:64].hex() == (folder / "combinedHashDataInt.txt").read_text().strip()
    assert dataintegrity.verify(core, signed.proof_value, CREATED, signer.verification_method)


@FOLDERS
def test_whole_documents_of_the_w3c_verify_and_are_signed_alike(signer: Signer, folder: Path) -> None:
    document = json.loads((folder / "signedDataInt.json").read_text())
    verified = verify_document(document, loader=LOADER)
    assert verified.nquads == (folder / "canonDocDataInt.txt").read_text()
    unsigned = json.loads((folder / "unsigned.json").read_text())
    assert add_proof(unsigned, signer, CREATED, loader=LOADER) == document


def test_a_proof_is_by_the_time_that_it_names(signer: Signer) -> None:
    first = signer.sign(b"core", CREATED)
    signer.sign(b"core", "2023-02-24T23:36:39Z")
    assert signer.sign(b"core", CREATED) == first


METHOD = "did:key:z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2#z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2"
OTHER = Signer(Ed25519PrivateKey.from_private_bytes(b"2" * 32)).verification_method
#: A P-256 key of the did:key specification.
P256 = "zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv"


@pytest.mark.parametrize(
    "change",
    [
        {"core": b"core "},
        {"core": b""},
        {"created": "2023-02-24T23:36:39Z"},
        {"created": "2023-02-24"},
        {"method": OTHER},
        {"method": METHOD.partition("#")[0]},
        {"method": f"did:key:{P256}#{P256}"},
        {"method": METHOD.replace("did:key:z6", "did:key:z16").replace("#z6", "#z16")},
        {"proof_value": "z"},
        {"proof_value": "u"},
        {"proof_value": "z0OIl"},
    ],
    ids=str,
)
def test_any_other_core_time_key_or_value_does_not_verify(signer: Signer, change: dict[str, Any]) -> None:
    given: dict[str, Any] = {"core": b"core", "created": CREATED, "method": signer.verification_method}
    given["proof_value"] = signer.sign(b"core", CREATED).proof_value
    assert dataintegrity.verify(**given)
    assert not dataintegrity.verify(**{**given, **change})


def test_a_signature_over_nothing_is_no_proof(signer: Signer) -> None:
    nothing = signer.sign(b"", CREATED)
    assert not dataintegrity.verify(b"", nothing.proof_value, CREATED, signer.verification_method)


@pytest.mark.parametrize("text", ["", "zAA", "uAA=", "uA", "uAB", "u A"])
def test_base64url_in_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="base64url"):
        dataintegrity.from_multibase_url(text)


# --- Documents -----------------------------------------------------------------------------------------------------


def test_a_signed_document_verifies_and_says_by_whom(signer: Signer) -> None:
    verified = verify_document(add_proof(DOCUMENT, signer, CREATED))
    assert verified.verification_method == signer.verification_method
    assert verified.nquads == (
        '<urn:x:a> <https://schema.org/knows> <urn:x:b> .\n<urn:x:a> <https://schema.org/name> "A" .\n'
    )


@pytest.mark.parametrize(
    ("name", "value"), [("name", "B"), ("knows", "urn:x:c"), ("@id", "urn:x:d"), ("@type", "urn:x:T")]
)
def test_a_changed_document_does_not_verify(signer: Signer, name: str, value: str) -> None:
    signed = {**add_proof(DOCUMENT, signer, CREATED), name: value}
    with pytest.raises(AuditVerificationFailed, match="does not verify") as caught:
        verify_document(signed)
    assert caught.value.findings == ("bad-signature",)


def deep(levels: int) -> dict[str, Any]:
    node: dict[str, Any] = {"name": "A"}
    for _ in range(levels):
        node = {"knows": node}
    return node


def clique(size: int) -> list[dict[str, Any]]:
    """Blank nodes that all know each other: canonicalisation tries every order of them."""
    names = [f"_:b{number}" for number in range(size)]
    return [{"@id": name, "knows": [other for other in names if other != name]} for name in names]


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("a term without meaning", {"extra": "unsigned"}, "'extra'"),
    ("a keyword of nobody", {"@extra": "unsigned"}, "no context of the document defines"),
    ("a relative id", {"@id": "a"}, "'a' is relative"),
    ("an id of nothing", {"@id": ""}, "is relative"),
    ("an id without a scheme", {"@id": "//host/a"}, "is relative"),
    ("an id with a space", {"@id": "urn:x:a b"}, "'urn:x:a b' is relative or broken"),
    ("a relative target", {"knows": "b"}, "'b' is relative"),
    ("a relative type", {"@type": "T"}, "'T' is relative"),
    ("a context from the network", {"@context": [DATA_INTEGRITY_V2, "https://schema.org/"]}, "is not pinned"),
    ("a context by import", {"@context": [DATA_INTEGRITY_V2, {"@import": "https://schema.org/"}]}, "is not pinned"),
    ("a context without proofs", {"@context": TERMS}, "no context of the document defines"),
    ("proof terms of another meaning", {"@context": [TERMS, {"type": "@type", "@vocab": "urn:x:"}]}, "a proof"),
    ("a context that is none", {"@context": 7}, "not valid JSON-LD"),
    ("ten thousand levels", {"knows": deep(10_000)}, "nested more than 64"),
    ("a poison graph", {"@graph": clique(20)}, "cannot be told apart"),
    ("a control character", {"name": "A\x01"}, "control character"),
    ("a lone surrogate", {"name": "A\ud800"}, "surrogate"),
]


@pytest.mark.parametrize(("change", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_a_signature_would_not_cover_is_refused(signer: Signer, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidDocument, match=message):
        add_proof({**DOCUMENT, **change}, signer, CREATED)
    with pytest.raises(InvalidDocument, match=message):
        verify_document({**add_proof(DOCUMENT, signer, CREATED), **change})


def test_a_document_that_says_nothing_is_not_signed(signer: Signer) -> None:
    nothing = {"@context": DATA_INTEGRITY_V2, "@id": "urn:x:a"}
    with pytest.raises(InvalidDocument, match="too few"):
        add_proof(nothing, signer, CREATED)
    with pytest.raises(InvalidDocument, match="says 2 statements, too few"):
        verify_document(add_proof(DOCUMENT, signer, CREATED), minimum=3)


PROOF_CHANGES: list[tuple[str, Callable[[dict[str, Any]], object], str]] = [
    ("none", lambda _: None, "exactly one proof"),
    ("two", lambda proof: [proof, proof], "exactly one proof"),
    ("extra", lambda proof: {**proof, "nonce": "x"}, "these terms and no other"),
    ("missing", lambda proof: {name: proof[name] for name in proof if name != "created"}, "these terms"),
    ("number", lambda proof: {**proof, "proofValue": 7}, "all strings"),
    ("suite", lambda proof: {**proof, "cryptosuite": "eddsa-jcs-2022"}, "cryptosuite must be eddsa-rdfc-2022"),
    ("purpose", lambda proof: {**proof, "proofPurpose": "authentication"}, "must be assertionMethod"),
    ("method", lambda proof: {**proof, "verificationMethod": "https://x.example/key"}, "verificationMethod"),
]


@pytest.mark.parametrize(("change", "message"), [c[1:] for c in PROOF_CHANGES], ids=[c[0] for c in PROOF_CHANGES])
def test_proofs_of_another_kind_are_refused(
    signer: Signer, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    signed = add_proof(DOCUMENT, signer, CREATED)
    with pytest.raises(InvalidDocument, match=message):
        verify_document({**signed, "proof": change(signed["proof"])})


def test_a_document_is_signed_once(signer: Signer) -> None:
    with pytest.raises(InvalidDocument, match="has a proof already"):
        add_proof(add_proof(DOCUMENT, signer, CREATED), signer, CREATED)


def test_a_few_blank_nodes_that_look_alike_are_no_poison() -> None:
    assert canonical_nquads({"@context": TERMS, "@graph": clique(3)}).count("\n") == 6


def test_a_pinned_context_that_was_changed_is_refused() -> None:
    loader = PinnedContexts({"https://x.example/": (b"{}", hashlib.sha256(b"{ }").hexdigest())})
    with pytest.raises(InvalidDocument, match="was changed"):
        canonical_nquads({"@context": "https://x.example/", "@id": "urn:x:a"}, loader=loader)


def test_the_packaged_contexts_are_those_that_their_readme_lists() -> None:
    folder = Path(dataintegrity.__file__).parents[1] / "ontology" / "contexts"
    readme = (folder / "README.md").read_text()
    for iri in (DATA_INTEGRITY_V2, CREDENTIALS_V2):
        assert "@context" in PinnedContexts()(iri)
        assert f"`{iri}`" in readme
    for path in folder.glob("*.jsonld"):
        assert f"`{path.name}` | `{hashlib.sha256(path.read_bytes()).hexdigest()}`" in readme
