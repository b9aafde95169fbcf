"""Verifies the audit in an N-Quads export with no code of marskg: rdflib, cryptography and the standard library.

    python verify_audit.py EXPORT.nq [HEADS.json]

HEADS.json are signed tree heads that somebody else kept: a list of W3C documents, as `mars audit head --all --w3c`
prints them. What is checked has the numbers of docs/reference/audit.md. Exit status: 0 sound, 1 something was found.
"""

# ruff: noqa: INP001, PLR2004, T201 - a script of the reader's own, which prints

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import sys
from collections import defaultdict
from pathlib import Path

import rdflib
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

# A store may not rewrite what was signed, and neither may we: "1.50" stays "1.50".
rdflib.NORMALIZE_LITERALS = False

MARS = "https://w3id.org/mars-kg/ns#"
CORE = {"log", "sequence", "operation", "recordedAt", "signingKey", "slot", "commitment", "treeSize", "rootHash"}
NOT_DETAILS = {"commitment", "salt"}
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
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


def base64url(text: str) -> bytes:
    """Return the bytes of a multibase base64url text, u…."""
    return base64.urlsafe_b64decode(text[1:] + "=" * (-len(text[1:]) % 4))


def sha256(data: bytes) -> bytes:
    """Return the hash of data."""
    return hashlib.sha256(data).digest()


def merkle_root(leaves: list[bytes]) -> bytes:
    """Return the root over leaf hashes, by the definition in RFC 9162 section 2.1.1."""
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256(b"")
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\x01" + merkle_root(leaves[:half]) + merkle_root(leaves[half:]))


class Node:
    """One subject of the export: its canonical lines, and its values by local name."""

    def __init__(self) -> None:
        """Start empty."""
        self.lines: dict[str, list[str]] = defaultdict(list)
        self.values: dict[str, list[str]] = defaultdict(list)

    def one(self, name: str) -> str:
        """Return the only value of name."""
        (value,) = self.values[name]
        return value


def read(path: Path) -> dict[str, Node]:
    """Return the subjects of the file; rdflib has parsed every line that counts."""
    nodes: dict[str, Node] = defaultdict(Node)
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        graph = rdflib.Graph().parse(data=line, format="nt")
        for subject, predicate, value in graph:
            local = "type" if predicate == rdflib.RDF.type else str(predicate).removeprefix(MARS)
            nodes[str(subject)].lines[local].append(line)
            nodes[str(subject)].values[local].append(str(value))
    return nodes


def canonical(lines: list[str]) -> bytes:
    """Return lines without blank nodes as RDFC-1.0 does: sorted, each once, each ended."""
    return "".join(f"{line}\n" for line in sorted(set(lines))).encode()


def core_of(nodes: dict[str, Node], iri: str) -> bytes:
    """Return the bytes that were signed of a record or a head: its core and the commitments of its slots."""
    node = nodes[iri]
    lines = [line for name in (*sorted(CORE), "type") for line in node.lines[name]]
    for slot in node.values["slot"]:
        lines += nodes[slot].lines["commitment"]
    return canonical(lines)


def leaf_data(core: bytes, *, key: str, created: str, proof: str) -> bytes | None:
    """Return hash data and signature of a sound eddsa-rdfc-2022 proof, or None (vc-di-eddsa section 3.2)."""
    options = PROOF.format(created=created, key=key).encode()
    hash_data = sha256(options) + sha256(core)
    multicodec = base58(key.partition("#")[2])
    signature = base58(proof)
    try:
        Ed25519PublicKey.from_public_bytes(multicodec[2:]).verify(signature, hash_data)
    except (InvalidSignature, ValueError):
        return None
    return hash_data + signature if multicodec[:2] == b"\xed\x01" else None


class Verification:
    """One run over one export."""

    def __init__(self, nodes: dict[str, Node]) -> None:
        """Take the subjects of an export."""
        self.nodes = nodes
        self.findings: list[str] = []
        self.logs: dict[str, dict[int, str]] = defaultdict(dict)
        self.heads: dict[str, list[str]] = defaultdict(list)
        for iri, node in nodes.items():
            if MARS + "AuditRecord" in node.values["type"]:
                self.logs[node.one("log")][int(node.one("sequence"))] = iri
            elif MARS + "TreeHead" in node.values["type"]:
                self.heads[node.one("log")].append(iri)

    def find(self, where: str, what: str) -> None:
        """Keep a finding."""
        self.findings.append(f"{where}: {what}")

    def details(self, iri: str, index: int) -> tuple[bytes, dict[str, list[str]]]:
        """Return the committed bytes of a slot and its values, empty if it was deleted."""
        slot = self.nodes[f"{iri}.{index}"]
        lines = [line for name, found in slot.lines.items() if name not in NOT_DETAILS for line in found]
        return (canonical(lines) if lines else b""), slot.values

    def log(self, log: str, witness: dict[int, str]) -> int:
        """Verify one log; returns its number of records."""
        records = self.logs[log]
        leaves: list[bytes] = []
        deleted: set[str] = set()
        allowed: set[str] = set()
        key = None
        if sorted(records) != list(range(1, len(records) + 1)):  # step 4
            self.find(log, "the sequence has gaps")
        for sequence in sorted(records):
            iri = records[sequence]
            node = self.nodes[iri]
            signer = node.one("signingKey")
            data = leaf_data(
                core_of(self.nodes, iri), key=signer, created=node.one("proofCreated"), proof=node.one("proofValue")
            )
            if iri != f"{log}#{sequence}" or data is None:  # steps 1 and 2
                self.find(iri, "the signature is not over this record")
            leaves.append(sha256(b"\x00" + data) if data else base64.b16decode(node.one("leafHash"), casefold=True))
            if leaves[-1].hex() != node.one("leafHash"):
                self.find(iri, "the leaf hash is another")
            for index in range(len(node.values["slot"])):  # step 5
                text, values = self.details(iri, index)
                if "salt" not in values and not text:
                    deleted.add(f"{sequence}.{index}")
                    continue
                made = hmac.digest(base64url(values["salt"][0]), text, "sha256") if "salt" in values else b""
                if made != base64url(values["commitment"][0]):
                    self.find(f"{iri}.{index}", "the details are not those that were committed to")
            key = self.key_after(iri, key)  # step 3
            allowed.update(self.details(iri, 0)[1].get("deletedSlots", ()))
            allowed.update(self.sealed(log, sequence))
        for slot in sorted(deleted ^ allowed):  # step 6
            self.find(f"{log}#{slot}", "details deleted without an erasure or a seal, or erased or sealed but there")
        self.check_heads(log, leaves, witness)  # steps 7 and 8
        return len(records)

    def sealed(self, log: str, sequence: int) -> set[str]:
        """Return the slots of earlier records whose details the record sequence says it pruned, by stretches."""
        records = self.logs[log]
        slots: set[str] = set()
        for stretch in self.details(records[sequence], 0)[1].get("sealedSlots", ()):
            first, last = map(int, stretch.split("-"))
            for old in range(first, min(last, sequence - 1) + 1):
                slots |= {f"{old}.{index}" for index in range(len(self.nodes[records[old]].values["slot"]))}
        return slots

    def key_after(self, iri: str, key: str | None) -> str:
        """Return the key that signs the record after iri, whose own key must be the one in use."""
        node = self.nodes[iri]
        operation, signer = node.one("operation").removeprefix(MARS), node.one("signingKey")
        named = self.details(iri, 0)[1].get("publicKey", [""])[0]
        announced = f"did:key:{named}#{named}"
        if operation in {"openLog", "replaceKey"}:
            if announced != signer:
                self.find(iri, "a key that does not announce itself")
            if operation == "replaceKey":
                print(f"note: {iri} replaces a lost key; ask who did it")
            return signer
        if signer != key:
            self.find(iri, "signed by a key that the log has not announced for it")
        return announced if operation == "rotateKey" else signer

    def check_heads(self, log: str, leaves: list[bytes], witness: dict[int, str]) -> None:
        """Hold the tree to the log's own heads and to the witness's."""
        for iri in self.heads[log]:
            node = self.nodes[iri]
            proof = {"created": node.one("proofCreated"), "proof": node.one("proofValue")}
            if leaf_data(core_of(self.nodes, iri), key=node.one("signingKey"), **proof) is None:
                self.find(iri, "the signature is not over this head")
            size = int(node.one("treeSize"))
            if size > len(leaves) or merkle_root(leaves[:size]) != base64url(node.one("rootHash")):
                self.find(iri, "the tree over the records has another root")
        for size, root in witness.items():
            if size > len(leaves):
                self.find(f"{log}#head-{size}", f"the witness saw {size} records, here are {len(leaves)}")
            elif merkle_root(leaves[:size]) != base64url(root):
                self.find(f"{log}#head-{size}", "the witness saw another history")


def main(export: str, heads: str | None = None) -> int:
    """Verify export, against the heads of a witness if there are any; returns the exit status."""
    check = Verification(read(Path(export)))
    kept: dict[str, dict[int, str]] = defaultdict(dict)
    for head in json.loads(Path(heads).read_text(encoding="utf-8")) if heads else ():
        # That the witness kept it is what counts; verify.mjs checks its signature.
        kept[head["log"]][int(head["treeSize"])] = head["rootHash"]
    count = sum(check.log(log, kept[log]) for log in sorted({*check.logs, *kept}))
    for finding in check.findings:
        print(finding)
    print(f"{count} records, {len(check.findings)} findings")
    return 1 if check.findings or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
