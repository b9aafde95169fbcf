"""Verifies the audit in an exported file with no code of marskg: rdflib, cryptography and the standard library.

    python verify_audit.py EXPORT [HEADS.json] [--key KEY]... [--tenant NAME] [--log IRI]...
    python verify_audit.py --consistency PROOF.json HEADS.json
    python verify_audit.py --limits

EXPORT is N-Quads or JSON-LD with an audit; what counts is what an RDF processor reads in it, and nothing is fetched.
HEADS.json are signed tree heads that somebody else kept: a list of W3C documents, as `mars audit head --all --w3c`
prints them. KEY (z6Mk…) is a key that you were given out of band: it may open a log or replace a lost key. Without one
the log's own first key is trusted, and no lost key may be replaced. PROOF.json is the proof that a later tree has the
tree of one of the HEADS as its beginning (`mars audit prove --consistency SIZE`). What is checked has the numbers of
docs/reference/audit.md. Exit status: 0 sound, 1 something was found, 2 wrong use.
"""

# ruff: noqa: INP001, PLR2004, T201 - a script of the reader's own, which prints

from __future__ import annotations

import argparse
import base64
import hashlib
import hmac
import json
import logging
import re
import sys
from collections import defaultdict
from pathlib import Path

import rdflib
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

# A store may not rewrite what was signed, and neither may we: "1.50" stays "1.50".
rdflib.NORMALIZE_LITERALS = False
# A value that is not of its datatype is told as a finding, not as a traceback of rdflib's log.
logging.getLogger("rdflib").setLevel(logging.CRITICAL)

MARS = "https://w3id.org/mars-kg/ns#"
XSD = "http://www.w3.org/2001/XMLSchema#"
#: The one term whose values are JSON of the user's own (JSON-LD 1.1, 4.2.2); the audit says nothing in it.
METADATA = {"@id": "mars:metadata", "@type": "@json"}
RDF_TYPE = str(rdflib.RDF.type)
LOG = r"urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
#: Records, their slots and tree heads.
ENTRY = re.compile(rf"({LOG})#(?:([1-9][0-9]*)(?:\.(0|[1-9][0-9]*))?|head-(0|[1-9][0-9]*))")
KEY = re.compile(r"did:key:(z6Mk[1-9A-HJ-NP-Za-km-z]+)#\1")
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
#: What is signed of an entry, and what stands beside it.
SIGNED = {
    "AuditRecord": {"type", "log", "sequence", "operation", "recordedAt", "signingKey", "slot"},
    "TreeHead": {"type", "log", "treeSize", "rootHash", "recordedAt", "signingKey"},
}
BESIDE = {"AuditRecord": {"proofValue", "proofCreated", "leafHash"}, "TreeHead": {"proofValue", "proofCreated"}}
#: Terms that only records, slots and heads have: about anything else they make a forged copy of one.
AUDIT_TERMS = {
    *("log", "sequence", "operation", "recordedAt", "signingKey", "slot", "treeSize", "rootHash"),
    *("proofValue", "proofCreated", "leafHash", "commitment", "salt"),
    *("actor", "policy", "parameters", "budget", "weightBefore", "weightAfter", "counts", "planDigest", "freedTokens"),
    *("lossBound", "publicKey", "deletedSlots", "sealedSlots"),
    *("memory", "tierBefore", "tierAfter", "commitmentBefore", "nodeCommitment", "rule", "removalScore"),
    *("features", "reason"),
}
AUDIT_TYPES = {"AuditRecord", "AuditSlot", "RecordSlot", "NodeSlot", "TreeHead", "AuditKey"}
ESCAPED = {**{code: f"\\u{code:04X}" for code in (*range(0x20), 0x7F)}, ord('"'): '\\"', ord("\\"): "\\\\"}
ESCAPED |= {ord(letter): mark for letter, mark in zip("\b\t\n\f\r", (r"\b", r"\t", r"\n", r"\f", r"\r"), strict=True)}
PROOF = """\
_:c14n0 <http://purl.org/dc/terms/created> "{created}"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
_:c14n0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://w3id.org/security#DataIntegrityProof> .
_:c14n0 <https://w3id.org/security#cryptosuite> "eddsa-rdfc-2022"^^<https://w3id.org/security#cryptosuiteString> .
_:c14n0 <https://w3id.org/security#proofPurpose> <https://w3id.org/security#assertionMethod> .
_:c14n0 <https://w3id.org/security#verificationMethod> <{key}> .
"""


#: What no check of a log finds by itself, as `mars verify --limits` says it.
LIMITS = (
    "A store, export or log put back to an older state, or another in its place: only a kept head of it shows that.",
    "A history rewritten or continued by whoever holds the signing key: only a witness with a signed head shows it.",
    "Who replaced a lost key: the replacement is a warning for ever, and only its owner knows whether it was theirs.",
    "Whether a recorded time was the true time: it is the writer's clock, put back only by a record.",
    "Scores, access statistics, ranks, where snapshots lie, order of entities, preferences, Random-Drop: in no record.",
    "Vectors and search indexes: they are derived from the memories; make them anew with mars maintenance reembed.",
    "What is left of forgotten memories but ids and edges, words of look-ups, kept answers of models.",
    "Whose log an export is: its first record says so itself; name the key or the log that you expect (--key, --log).",
    "In an export, what is said of the memories: only mars verify on the store holds them against the log.",
)


class UnsoundError(ValueError):
    """An entry is not as the format has it; the message says in which way."""


def require(condition: object, what: str) -> None:
    """Refuse what does not hold."""
    if not condition:
        raise UnsoundError(what)


# --- Encodings and hashes ----------------------------------------------------------------------------------------


def base58(text: str, size: int) -> bytes:
    """Return the bytes of a multibase base58btc text of ``size`` bytes, z…, written in the one canonical way."""
    require(re.fullmatch(f"z[{BASE58}]{{1,120}}", text), "a value is not base58")
    number = 0
    for letter in text[1:]:
        number = number * 58 + BASE58.index(letter)
    zeros = len(text[1:]) - len(text[1:].lstrip("1"))
    data = bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")
    require(len(data) == size, f"a value has not {size} bytes")
    return data


def base64url(text: str) -> bytes:
    """Return the 32 bytes of a multibase base64url text, u…, written in the one canonical way."""
    require(re.fullmatch(r"u[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]", text), "a value is not base64url of 32 bytes")
    return base64.urlsafe_b64decode(text[1:] + "=")


def integer(text: str) -> int:
    """Return the value of a canonical integer from 0 up."""
    require(re.fullmatch(r"0|[1-9][0-9]{0,17}", text, re.ASCII), "a number is not canonical")
    return int(text)


def sha256(data: bytes) -> bytes:
    """Return the hash of data."""
    return hashlib.sha256(data).digest()


def merkle_root(leaves: list[bytes]) -> bytes:
    """Return the root over leaf hashes, by the definition in RFC 9162 section 2.1.1."""
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256(b"")
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return node_hash(merkle_root(leaves[:half]), merkle_root(leaves[half:]))


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node of the tree."""
    return sha256(b"\x01" + left + right)


def leaf_data(core: bytes, *, key: str, created: str, proof: str) -> bytes | None:
    """Return hash data and signature of a sound eddsa-rdfc-2022 proof, or None (vc-di-eddsa section 3.2)."""
    try:
        require(KEY.fullmatch(key), "a key is not did:key")
        multicodec, signature = base58(key.partition("#")[2], 34), base58(proof, 64)
        require(multicodec[:2] == b"\xed\x01", "a key is not Ed25519")
        hash_data = sha256(PROOF.format(created=created, key=key).encode()) + sha256(core)
        Ed25519PublicKey.from_public_bytes(multicodec[2:]).verify(signature, hash_data)
    except (InvalidSignature, ValueError):
        return None
    return hash_data + signature


# --- Reading -----------------------------------------------------------------------------------------------------


def term_text(term: rdflib.term.Node) -> str:
    """Return a term in canonical N-Quads."""
    if not isinstance(term, rdflib.Literal):
        return f"<{term}>" if isinstance(term, rdflib.URIRef) else f"_:{term}"
    kind = "" if term.datatype in {None, rdflib.XSD.string} else f"^^<{term.datatype}>"
    return f'"{str(term).translate(ESCAPED)}"{f"@{term.language}" if term.language else kind}'


class Node:
    """One subject of the export: its canonical lines, and its values by local name."""

    def __init__(self) -> None:
        """Start empty."""
        self.lines: dict[str, list[str]] = defaultdict(list)
        self.values: dict[str, list[str]] = defaultdict(list)

    def add(self, subject: str, predicate: str, value: rdflib.term.Node) -> None:
        """Take in a statement."""
        local = "type" if predicate == RDF_TYPE else predicate.removeprefix(MARS)
        if local == predicate or (local == "type" and predicate != RDF_TYPE):
            local = f"<{predicate}>"
        self.lines[local].append(f"<{subject}> <{predicate}> {term_text(value)} .")
        self.values[local].append(str(value))

    def one(self, name: str) -> str:
        """Return the only value of name."""
        require(len(self.values.get(name, ())) == 1, f"it has {len(self.values.get(name, ()))} values of {name}")
        return self.values[name][0]

    def plain(self, subject: str, name: str, datatype: str = "") -> str:
        """Return the only value of name, which is an unsigned literal and must be written as an export writes it."""
        value = self.one(name)
        kind = datatype and f"^^<{XSD}{datatype}>"
        line = f'<{subject}> <{MARS}{name}> "{value}"{kind} .'
        require(self.lines[name] == [line], f"its {name} is not written as an export writes it")
        return value


def canonical(lines: list[str]) -> bytes:
    """Return lines without blank nodes as RDFC-1.0 does: sorted, each once, each ended."""
    return "".join(f"{line}\n" for line in sorted(set(lines))).encode()


def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return a JSON object; processors differ on which of two equal names counts."""
    require(len(dict(pairs)) == len(pairs), "an object has a name twice")
    return dict(pairs)


def check_jsonld(document: object) -> None:
    """Refuse JSON-LD that another processor could read otherwise than rdflib does, or that names a context to fetch."""
    require(isinstance(document, list) and len(document) == 2, "an export with an audit is an array of two objects")
    for item in document:
        require(isinstance(item, dict) and item.keys() == {"@context", "@included"}, "an object is not as in an export")
        require(isinstance(item["@included"], list), "its nodes are no list")
        require(isinstance(item["@context"], dict), "a context is not written out")
        for name, meaning in item["@context"].items():
            check_term(name, {"@id": meaning} if not isinstance(meaning, dict) else meaning)
        check_nodes(item["@included"], as_json=item["@context"].get("metadata") == METADATA)


def check_term(name: str, meaning: dict[str, object]) -> None:
    """Refuse a definition of a context that does more than give a term of marskg a name and its values a datatype."""
    fixed = {"@version": 1.1, "mars": MARS, "xsd": XSD, "id": "@id", "type": "@type"}
    if name in fixed:
        require(meaning == {"@id": fixed[name]}, f"the context defines {name} otherwise than an export")
        return
    if name == "metadata" and meaning == METADATA:
        return
    iri, kind, container = meaning.get("@id"), meaning.get("@type", "@id"), meaning.get("@container", "@set")
    known = isinstance(iri, str) and (re.fullmatch(r"mars:\w+", iri) or iri == str(rdflib.OWL.sameAs))
    sound = known and isinstance(kind, str) and (kind in {"@id", "@vocab"} or re.fullmatch(r"xsd:\w+", kind))
    only = meaning.keys() <= {"@id", "@type", "@container"} and container == "@set"
    require(re.fullmatch(r"\w+", name) and sound and only, f"the context defines {name[:40]!r} as no export does")


def check_nodes(value: object, *, as_json: bool) -> None:
    """Refuse keywords other than @id and @type in nodes, and numbers; ``as_json``: but for what metadata say."""
    if isinstance(value, list):
        for item in value:
            require(not isinstance(item, list), "a list in a list, which processors flatten")
            check_nodes(item, as_json=as_json)
    elif isinstance(value, dict):
        odd = [name for name in value if name.startswith("@") and name not in {"@id", "@type"}]
        require(not odd, f"a node has the keyword {odd[:1]}")
        foreign = [name for name in value if not re.fullmatch(r"@?\w+", name)]
        require(not foreign, f"a node has the entry {foreign[:1]}, as no export has")
        for name, item in value.items():
            if not (as_json and name == "metadata"):
                check_nodes(item, as_json=as_json)
    else:
        require(isinstance(value, (str, bool)), "a node has a number or null")


def quads(path: Path) -> list[tuple[rdflib.term.Node, ...]]:
    """Return the statements of the file with their graphs."""
    text = path.read_text(encoding="utf-8")
    data = rdflib.Dataset()
    if text.lstrip()[:1] in {"[", "{"}:
        document = json.loads(text, object_pairs_hook=unique)
        json.dumps(document, ensure_ascii=False).encode()  # a lone surrogate is no letter
        check_jsonld(document)
        data.parse(data=json.dumps(document), format="json-ld")
    else:
        # rdflib takes a graph of this name for none.
        require("<urn:x-rdflib:default>" not in text, "a statement in a named graph, which an export does not have")
        data.parse(data=text, format="nquads")
    return list(data.quads())


# --- Verifying ---------------------------------------------------------------------------------------------------


class Log:
    """What is known of one log."""

    def __init__(self) -> None:
        """Start empty."""
        self.records: dict[int, Node] = {}
        self.slots: dict[tuple[int, int], Node] = {}
        self.heads: dict[int, Node] = {}
        self.tenant = self.first_key = self.key = ""
        self.keys: set[str] = set()
        #: The keys that may sign a head of that many records.
        self.signers: dict[int, set[str]] = {}
        self.leaves: list[bytes] = []
        self.covered = 0


class Verification:
    """One run over one export."""

    def __init__(self, export: Path, keys: list[str]) -> None:
        """Sort the statements of an export: those about records, slots and heads, and those that pretend to be."""
        self.findings: list[str] = []
        self.notes: list[str] = []
        self.trusted = {f"did:key:{key}#{key}" for key in keys}
        self.logs: dict[str, Log] = {}
        #: The commitment that each node was left with.
        self.nodes: dict[str, list[str]] = {}
        statements = quads(export)
        logs = {match[1] for subject, *_ in statements if (match := ENTRY.fullmatch(str(subject)))}
        for subject, predicate, value, graph in statements:
            node = self.place(str(subject)) if isinstance(subject, rdflib.URIRef) else None
            if graph not in {None, rdflib.graph.DATASET_DEFAULT_GRAPH_ID}:
                self.find(str(subject), "a statement in a named graph, which an export does not have")
            elif node is not None:
                node.add(str(subject), str(predicate), value)
            elif pretends(str(subject), str(predicate), str(value), logs):
                self.find(str(subject), "a statement about the audit that nobody signed")

    def place(self, subject: str) -> Node | None:
        """Return the node of a record, slot or head; None for anything else."""
        match = ENTRY.fullmatch(subject)
        if match is None:
            return None
        log, record, slot, head = self.logs.setdefault(match[1], Log()), match[2], match[3], match[4]
        if head is not None:
            return log.heads.setdefault(int(head[:18]), Node())
        if slot is not None:
            return log.slots.setdefault((int(record[:18]), int(slot[:18])), Node())
        return log.records.setdefault(int(record[:18]), Node())

    def find(self, where: str, what: object) -> None:
        """Keep a finding."""
        self.findings.append(f"{where}: {what}")

    def log(self, iri: str) -> None:
        """Verify one log."""
        log = self.logs[iri]
        if sorted(log.records) != list(range(1, len(log.records) + 1)):  # step 4
            self.find(iri, "the sequence has gaps")
        deleted: set[tuple[int, int]] = set()
        allowed: set[tuple[int, int]] = set()
        for sequence in sorted(log.records):
            where, stored = f"{iri}#{sequence}", "".join(log.records[sequence].values["leafHash"])
            leaf = bytes.fromhex(stored) if re.fullmatch(r"[0-9a-f]{64}", stored) else bytes(32)
            try:
                made = self.leaf(iri, sequence)  # steps 1 and 2
                require(log.records[sequence].plain(where, "leafHash") == made.hex(), "the leaf hash is another")
                details = self.slots(iri, sequence, deleted)  # step 5
                self.follow_keys(log, sequence, where, details)  # step 3
                allowed |= self.pruned(log, sequence, details)
            except UnsoundError as error:
                self.find(where, error)
            log.leaves.append(leaf)
            log.signers[sequence] = log.signers.get(sequence, set()) | {log.key}
        for record, slot in sorted(deleted ^ allowed):  # step 6
            what = "details deleted without an erasure or a seal, or erased or sealed but there"
            self.find(f"{iri}#{record}.{slot}", what)
        listed = {(record, name) for record, node in log.records.items() for name in node.values["slot"]}
        for record, slot in sorted(log.slots):
            if (record, f"{iri}#{record}.{slot}") not in listed:
                self.find(f"{iri}#{record}.{slot}", "a slot that its record does not have")

    def entry(self, node: Node, iri: str, kind: str) -> None:
        """Refuse a record or head with anything but what one has."""
        require(node.values["type"] == [MARS + kind], f"it is not typed as {kind} and nothing else")
        odd = sorted(name for name in node.values if name not in SIGNED[kind] | BESIDE[kind] and node.values[name])
        require(not odd, f"a statement that nobody signed: {', '.join(odd)[:80]}")
        for name in SIGNED[kind] | BESIDE[kind]:
            if name != "slot":
                node.one(name)
        log = iri.partition("#")[0]
        require(node.lines["log"] == [f"<{iri}> <{MARS}log> <{log}> ."], "it is of another log than its name says")

    def proof(self, node: Node, iri: str, extra: list[str]) -> bytes:
        """Return hash data and signature of an entry, whose proof must be over its signed statements and ``extra``."""
        kind = node.one("type").removeprefix(MARS)
        core = canonical([*(line for name in SIGNED[kind] for line in node.lines[name]), *extra])
        created = node.plain(iri, "proofCreated", "dateTime")
        data = leaf_data(core, key=node.one("signingKey"), created=created, proof=node.plain(iri, "proofValue"))
        if data is None:
            message = f"the signature is not over this {'record' if kind == 'AuditRecord' else 'head'}"
            raise UnsoundError(message)
        return data

    def leaf(self, iri: str, sequence: int) -> bytes:
        """Return the leaf hash of a record whose signature is sound."""
        log, where = self.logs[iri], f"{iri}#{sequence}"
        node = log.records[sequence]
        self.entry(node, where, "AuditRecord")
        require(node.one("sequence") == str(sequence), "its number is not that of its name")
        slots = node.values["slot"]
        require(
            slots and set(slots) == {f"{where}.{index}" for index in range(len(slots))}, "its slots are not 0, 1, …"
        )
        commitments = [
            line for index in range(len(slots)) for line in self.slot(log, sequence, index).lines["commitment"]
        ]
        require(len(commitments) == len(slots), "its slots have not one commitment each")
        return sha256(b"\x00" + self.proof(node, where, commitments))

    def slot(self, log: Log, sequence: int, index: int) -> Node:
        """Return a slot, empty if the export says nothing about it."""
        return log.slots.get((sequence, index)) or Node()

    def slots(self, iri: str, sequence: int, deleted: set[tuple[int, int]]) -> dict[str, list[str]]:
        """Hold the details of a record to their commitments; returns those of slot 0, empty if they are gone."""
        log, found = self.logs[iri], dict[str, list[str]]()
        change = log.records[sequence].one("operation").removeprefix(MARS) not in {"access", "feedback"}
        for index in range(len(log.records[sequence].values["slot"])):
            slot, where = self.slot(log, sequence, index), f"{iri}#{sequence}.{index}"
            lines = [line for name, some in slot.lines.items() if name not in {"commitment", "salt"} for line in some]
            if not lines and not slot.values["salt"]:
                deleted.add((sequence, index))
                continue
            try:
                salt, commitment = base64url(slot.plain(where, "salt")), slot.plain(where, "commitment")
                made = hmac.digest(salt, canonical(lines) if lines else b"", "sha256")
                require(made == base64url(commitment), "the details are not those that were committed to")
            except UnsoundError as error:
                self.find(where, error)
                continue
            if index == 0:
                found = slot.values
            elif change and slot.values["tierAfter"] and len(node := slot.values["memory"]) == 1:
                self.follow_node(node[0], where, slot)
        return found

    def follow_node(self, node: str, where: str, slot: Node) -> None:
        """Hold what a change found to what the change before it left; another one was made past the log."""
        before, after = slot.values["commitmentBefore"], slot.values["nodeCommitment"]
        if before and node in self.nodes and before != self.nodes[node]:
            self.find(node, f"it was changed past the log before {where} changed it")
        self.nodes[node] = after

    def pruned(self, log: Log, sequence: int, details: dict[str, list[str]]) -> set[tuple[int, int]]:
        """Return the slots of earlier records that a recorded erasure lists, or a recorded sealing by stretches."""
        operation = log.records[sequence].one("operation").removeprefix(MARS)
        slots: set[tuple[int, int]] = set()
        for text in details.get("deletedSlots", ()):
            record, _, index = text.partition(".")
            require(
                operation == "erase" and integer(record) < sequence, f"it is no erasure that could list {text[:40]}"
            )
            slots.add((integer(record), integer(index)))
        for text in details.get("sealedSlots", ()):
            first, last = map(integer, text.split("-")) if text.count("-") == 1 else (1, 0)
            require(operation == "seal" and 0 < first <= last < sequence, f"it is no seal that could list {text[:40]}")
            for old in (number for number in log.records if first <= number <= last):
                slots |= {(old, index) for index in range(len(log.records[old].values["slot"]))}
        return slots

    def follow_keys(self, log: Log, sequence: int, where: str, details: dict[str, list[str]]) -> None:
        """Refuse a record that is signed by a key which the log has not announced for it."""
        node = log.records[sequence]
        operation, signer = node.one("operation").removeprefix(MARS), node.one("signingKey")
        named = details.get("publicKey", [])
        announced = f"did:key:{named[0]}#{named[0]}" if len(named) == 1 else ""
        log.signers[sequence] = {log.key or signer}
        if sequence == 1 or operation == "openLog":
            require(sequence == 1 and operation == "openLog", "a log is opened by its first record and by no other")
            require(announced == signer, "a log that is not opened by the key that it names")
            require(not self.trusted or signer in self.trusted, "the log is opened by a key that you did not name")
            tenants = [text[7:] for text in details.get("parameters", ()) if text.startswith("tenant=")]
            log.tenant = tenants[0] if len(tenants) == 1 else ""
            log.first_key = log.key = signer
        elif operation == "replaceKey":
            require(
                announced == signer and signer not in log.keys, "a lost key is replaced by a new one that names itself"
            )
            if signer in self.trusted:
                self.notes.append(f"{where}: a lost key was replaced by one that you named; ask who did it")
            else:
                self.find(
                    where,
                    "a lost key was replaced here by one that only names itself; ask who did it, name it with --key",
                )
            log.key = signer
        else:
            require(signer == log.key, "signed by a key that the log has not announced for it")
            if operation == "rotateKey":
                require(announced and announced not in log.keys, "a rotation names one new key")
                log.key = announced
        log.keys.add(log.key)

    # --- Heads ---------------------------------------------------------------------------------------------------

    def own_heads(self, iri: str) -> None:
        """Hold the tree to the log's own heads; the last record must be covered by one (step 7)."""
        log = self.logs[iri]
        for size, node in sorted(log.heads.items()):
            where = f"{iri}#head-{size}"
            try:
                self.entry(node, where, "TreeHead")
                require(node.one("treeSize") == str(size), "its size is not that of its name")
                self.proof(node, where, [])
                require(size <= len(log.leaves), f"it covers {size} records, here are {len(log.leaves)}")
                root = base64url(node.one("rootHash"))
                require(merkle_root(log.leaves[:size]) == root, "the tree over the records has another root")
                known = node.one("signingKey") in log.signers.get(size, ())
                require(known, "signed by a key that was not in use at its size")
            except UnsoundError as error:
                self.find(where, error)
                continue
            log.covered = max(log.covered, size)
        if log.covered != len(log.records):
            what = f"no signed head covers the last of {len(log.records)} records: what came after it may be cut off"
            self.find(iri, what)

    def witness(self, heads: list[dict[str, str]]) -> None:
        """Hold the tree to heads that somebody else kept (step 8)."""
        roots: dict[tuple[str, int], str] = {}
        for head in heads:
            where, iri, size = head["@id"], head["log"], integer(head["treeSize"])
            log = self.logs.get(iri) or Log()
            if roots.setdefault((iri, size), head["rootHash"]) != head["rootHash"]:
                self.find(where, "the witness has two heads of this size with different roots")
            if not sound_head(head):
                self.find(where, "the signature is not over the witness's head")
            elif head["signingKey"] not in log.keys:
                self.find(where, "the witness's head is signed by a key that the log never had")
            if size > len(log.leaves):
                self.find(where, f"the witness saw {size} records, here are {len(log.leaves)}")
            elif merkle_root(log.leaves[:size]) != base64url(head["rootHash"]):
                self.find(where, "the witness saw another history")

    # --- Whose logs ----------------------------------------------------------------------------------------------

    def belonging(self, tenant: str | None, wanted: list[str]) -> None:
        """Refuse logs that are not the two of one tenant, or not those that the reader asked for."""
        if len(self.logs) != 2:
            self.find("the export", f"it has {len(self.logs)} logs; a tenant has two, of transitions and of accesses")
        if len({(log.tenant, log.first_key) for log in self.logs.values()}) > 1:
            self.find("the export", "its logs were opened for different tenants, or by different keys")
        for iri, log in self.logs.items():
            if tenant is not None and log.tenant != tenant:
                self.find(iri, f"the log was not opened for tenant {tenant}")
        for iri in wanted:
            if iri not in self.logs:
                self.find(iri, "the export does not have this log")

    def run(self, heads: list[dict[str, str]], tenant: str | None, wanted: list[str]) -> int:
        """Verify everything and print what was found; returns the exit status."""
        self.logs = dict(sorted(self.logs.items(), key=lambda item: (-len(item[1].records), item[0])))
        for iri in self.logs:
            self.log(iri)
            self.own_heads(iri)
        self.belonging(tenant, wanted)
        self.witness(heads)
        for iri, log in self.logs.items():
            opened = f"of tenant {log.tenant!r}, opened by {log.first_key.partition('#')[2] or 'nobody'}"
            print(f"log {iri} {opened}: {len(log.records)} records")
        for text in self.notes:
            print(f"note: {text}")
        for text in self.findings:
            print(text.encode("unicode_escape").decode() if not text.isprintable() else text)
        print("What no check of a log shows is a list of its own: --limits prints it.")
        if not self.trusted:
            print("note: the first key is the log's own; name the one that you were given with --key")
        count = sum(len(log.records) for log in self.logs.values())
        print(f"{count} records, {len(self.findings)} findings")
        return 1 if self.findings or not count else 0


def pretends(subject: str, predicate: str, value: str, logs: set[str]) -> bool:
    """Return whether a statement about something that is no record, slot or head says what only these can say."""
    about = (
        subject in logs or subject.startswith(("did:key:", MARS)) or any(subject.startswith(f"{log}#") for log in logs)
    )
    typed = predicate == RDF_TYPE and value.removeprefix(MARS) in AUDIT_TYPES
    return bool(about or typed or (predicate.startswith(MARS) and predicate.removeprefix(MARS) in AUDIT_TERMS))


# --- Witnesses ---------------------------------------------------------------------------------------------------


def sound_head(head: dict[str, str]) -> bool:
    """Return whether the signature of a head as a W3C document is over what it says."""
    iri = f"<{head['log']}#head-{head['treeSize']}>"
    core = [
        f"{iri} <{RDF_TYPE}> <{MARS}TreeHead> .",
        f"{iri} <{MARS}log> <{head['log']}> .",
        f'{iri} <{MARS}recordedAt> "{head["recordedAt"]}"^^<{XSD}dateTime> .',
        f'{iri} <{MARS}rootHash> "{head["rootHash"]}" .',
        f"{iri} <{MARS}signingKey> <{head['signingKey']}> .",
        f'{iri} <{MARS}treeSize> "{head["treeSize"]}"^^<{XSD}integer> .',
    ]
    return (
        leaf_data(canonical(core), key=head["signingKey"], created=head["created"], proof=head["proofValue"])
        is not None
    )


def flat_head(document: dict[str, object]) -> dict[str, str]:
    """Return the texts of a head and of its proof, whose signed statements must be those of a head."""
    require(isinstance(document, dict) and isinstance(document.get("proof"), dict), "a head is an object with a proof")
    proof = document["proof"]
    head = {name: document[name] for name in ("@id", "log", "treeSize", "rootHash", "recordedAt", "signingKey")}
    head |= {"created": proof["created"], "proofValue": proof["proofValue"]}
    require(all(isinstance(text, str) for text in head.values()), "what a head says are texts")
    match = ENTRY.fullmatch(head["@id"])
    require(match and match[4] is not None and match[1] == head["log"], "a head is named by its log and size")
    require(match and integer(head["treeSize"]) == integer(match[4]), "a head is named by its log and size")
    require(
        base64url(head["rootHash"]) and proof["verificationMethod"] == head["signingKey"], "a head is signed by its key"
    )
    return head


def read_heads(path: str | None) -> list[dict[str, str]]:
    """Return the tree heads in a file of W3C documents."""
    if path is None:
        return []
    try:
        documents = json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=unique)
        return [flat_head(document) for document in (documents if isinstance(documents, list) else [documents])]
    except (OSError, ValueError, KeyError, RecursionError) as error:
        sys.exit(f"{path} holds no signed tree heads: {error}")


def consistent(first: int, second: int, path: list[bytes], first_root: bytes, second_root: bytes) -> bool:
    """Return whether path shows that a tree of first leaves is the beginning of one of second (RFC 9162, 2.1.4.2)."""
    if not 0 < first < second:
        return first == second > 0 and not path and first_root == second_root
    path = [first_root, *path] if first & (first - 1) == 0 else path
    if not path:
        return False
    index, last = first - 1, second - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if index & 1 or index == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            new = node_hash(new, sibling)
        index, last = index >> 1, last >> 1
    return last == 0 and (old, new) == (first_root, second_root)


def check_consistency(path: str, heads: list[dict[str, str]]) -> int:
    """Check the proof that a log still begins as the head that a witness kept says; returns the exit status."""
    try:
        proof = json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=unique)
        later = flat_head(proof["head"])
        first, hashes = integer(str(proof["firstTreeSize"])), [bytes.fromhex(item) for item in proof["consistencyPath"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        sys.exit(f"{path} holds no consistency proof: {error}")
    kept = [head for head in heads if (head["log"], integer(head["treeSize"])) == (later["log"], first)]
    findings = [
        f"{head['@id']}: the signature is not over this head" for head in (later, *kept) if not sound_head(head)
    ]
    if not kept:
        findings.append(f"{later['log']}#head-{first}: this head is not among those that you kept")
    for head in kept:
        roots = base64url(head["rootHash"]), base64url(later["rootHash"])
        if not consistent(first, integer(later["treeSize"]), hashes, *roots):
            findings.append(f"{later['@id']}: the log does not begin with what {head['@id']} covered")
    for text in findings:
        print(text)
    print(f"log {later['log']}: {first} records are the beginning of {later['treeSize']}, {len(findings)} findings")
    return 1 if findings else 0


def main(arguments: list[str]) -> int:
    """Verify as the arguments say; returns the exit status."""
    parser = argparse.ArgumentParser(description="Verify the audit in an export of marskg without its code.")
    parser.add_argument("export", nargs="?", help="N-Quads or JSON-LD with an audit")
    parser.add_argument("heads", nargs="?", help="signed tree heads that somebody else kept")
    parser.add_argument("--key", action="append", default=[], help="a key that you trust, z6Mk…")
    parser.add_argument("--tenant", help="whose logs they must be")
    parser.add_argument("--log", action="append", default=[], help="a log that must be there, urn:uuid:…")
    parser.add_argument("--consistency", metavar="PROOF", help="check this proof against HEADS instead of an export")
    parser.add_argument("--limits", action="store_true", help="only say what no check of a log shows")
    given = parser.parse_args(arguments)
    if given.limits:
        print("\n".join(f"- {limit}" for limit in LIMITS))
        return 0
    if given.consistency is not None:
        return check_consistency(given.consistency, read_heads(given.heads or given.export))
    if given.export is None:
        parser.error("name an export")
    heads = read_heads(given.heads)
    try:
        check = Verification(Path(given.export), given.key)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, rdflib.exceptions.Error) as error:
        print(f"{given.export}: cannot be read as an export with an audit: {str(error).splitlines()[:1]}")
        return 1
    return check.run(heads, given.tenant, given.log)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
