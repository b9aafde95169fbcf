"""Verifies a receipt with no code of marskg: rdflib, cryptography and the standard library, nothing fetched.

    python verify_receipt.py RECEIPT.jsonld [EXPORT.nq]

The signature is checked over the receipt's canonical form. With EXPORT.nq, an export with its audit (verified by
verify_audit.py), every triple that the receipt has of a record must stand there, and its key must be one of the log's.
Exit status: 0 sound, 1 something was found.
"""

# ruff: noqa: INP001, T201 - a script of the reader's own, which prints

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import rdflib
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

# What was signed is signed as it was written: "1.50" stays "1.50".
rdflib.NORMALIZE_LITERALS = False

MARS = "https://w3id.org/mars-kg/ns#"
W3C = "https://w3id.org/security/data-integrity/v2"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
#: What a receipt says of a record for its reader's sake, and the log does not say.
OWN = {f"{MARS}receiptRecord", f"{MARS}erasureRecord"}
PROOF = """\
_:c14n0 <http://purl.org/dc/terms/created> "{created}"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
_:c14n0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://w3id.org/security#DataIntegrityProof> .
_:c14n0 <https://w3id.org/security#cryptosuite> "eddsa-rdfc-2022"^^<https://w3id.org/security#cryptosuiteString> .
_:c14n0 <https://w3id.org/security#proofPurpose> <https://w3id.org/security#assertionMethod> .
_:c14n0 <https://w3id.org/security#verificationMethod> <{key}> .
"""


def base58(text: str) -> bytes:
    """Return the bytes of a multibase base58btc text, z…."""
    number = 0
    for letter in text[1:]:
        number = number * 58 + BASE58.index(letter)
    zeros = len(text[1:]) - len(text[1:].lstrip("1"))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def graph_of(document: dict[str, object]) -> rdflib.Graph:
    """Return the receipt's triples; its own context defines its terms, the W3C's only those of the proof."""
    context = document["@context"]
    assert isinstance(context, list), "a receipt has a list of contexts"
    assert set(filter(lambda item: isinstance(item, str), context)) == {W3C}, "no context is fetched but the W3C's"
    inline = [item for item in context if isinstance(item, dict)]
    unsigned = {name: value for name, value in document.items() if name != "proof"} | {"@context": inline}
    return rdflib.Graph().parse(data=json.dumps(unsigned), format="json-ld")


def canonical(graph: rdflib.Graph) -> bytes:
    """Return the canonical N-Quads: a receipt has no blank nodes, so they are the sorted lines."""
    terms = {term for triple in graph for term in triple}
    assert not any(isinstance(term, rdflib.BNode) for term in terms), "a receipt has no blank nodes"
    lines = {f"{subject.n3()} {predicate.n3()} {value.n3()} .\n" for subject, predicate, value in graph}
    return "".join(sorted(lines)).encode()


def signed(document: dict[str, object], graph: rdflib.Graph) -> bool:
    """Return whether the proof is over the receipt (vc-di-eddsa 1.0 section 3.2)."""
    proof = document["proof"]
    assert isinstance(proof, dict), "a receipt has one proof"
    key = proof["verificationMethod"]
    options = PROOF.format(created=proof["created"], key=key).encode()
    data = hashlib.sha256(options).digest() + hashlib.sha256(canonical(graph)).digest()
    try:
        Ed25519PublicKey.from_public_bytes(base58(key.partition("#")[2])[2:]).verify(base58(proof["proofValue"]), data)
    except (InvalidSignature, ValueError):
        return False
    return (proof["cryptosuite"], proof["proofPurpose"]) == ("eddsa-rdfc-2022", "assertionMethod")


def differences(document: dict[str, object], graph: rdflib.Graph, export: Path) -> list[str]:
    """Return what the receipt says of records and the exported log does not."""
    log = str(document["log"])
    lines = (line for line in export.read_text(encoding="utf-8").splitlines() if line.startswith(f"<{log}#"))
    there = rdflib.Graph().parse(data="\n".join(lines), format="nt")
    found = []
    for subject, predicate, value in graph:
        about_record = str(subject).startswith(f"{log}#")
        if about_record and (subject, predicate, value) not in there:
            found.append(f"{subject}: the log does not say {predicate.n3()} {value.n3()}")
        if str(predicate) in OWN and (value, rdflib.RDF.type, rdflib.URIRef(f"{MARS}AuditRecord")) not in there:
            found.append(f"{value}: the log has no such record")
    proof = document["proof"]
    assert isinstance(proof, dict), "a receipt has one proof"
    key = rdflib.URIRef(proof["verificationMethod"])
    if (None, rdflib.URIRef(f"{MARS}signingKey"), key) not in there:
        found.append(f"{key}: the log was never signed by this key")
    return sorted(found)


def main(receipt: str, export: str | None = None) -> int:
    """Verify a receipt, against an export if there is one; returns the exit status."""
    document = json.loads(Path(receipt).read_text(encoding="utf-8"))
    graph = graph_of(document)
    findings = [] if signed(document, graph) else ["the signature is not over this receipt"]
    if export is not None:
        findings += differences(document, graph, Path(export))
    for finding in findings:
        print(finding)
    against = "" if export is None else ", held against the exported log"
    print(f"{document['type']}, {len(graph)} statements{against}: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
