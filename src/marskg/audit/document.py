"""Audit records and tree heads as documents: JSON-LD nodes of an export, N-Quads lines, signed W3C documents.

Guarantees: both directions are exact: what is read back from a document equals what was written, but for the tenant's
name, which no document carries; a reader accepts only what a writer here writes, so that an unknown, missing or
repeated entry is refused. Nothing is verified here: :mod:`marskg.audit.verify` does that.
Sources: semantics section 8; W3C Data Integrity 1.0 section 4 (signed documents); JSON-LD 1.1.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict

from marskg.audit.grammar import (
    HASH32,
    Details,
    Malformed,
    commitments,
    details_text,
    fields_of,
    head_core,
    integer,
    moment,
    parse_details,
    record_core,
    require,
)
from marskg.errors import InvalidDocument
from marskg.late_regex import late_regex
from marskg.ontology.mapping import time_lexical
from marskg.ontology.vocabulary import NS, PREFIX, XSD, Operation
from marskg.records import AuditRecord, TreeHead

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

#: The context of a signed document: W3C's, for the proof, then the terms of a core.
SIGNED_CONTEXT: Final[tuple[Any, ...]] = (
    "https://w3id.org/security/data-integrity/v2",
    {
        PREFIX: NS,
        "xsd": XSD,
        "AuditRecord": f"{PREFIX}:AuditRecord",
        "TreeHead": f"{PREFIX}:TreeHead",
        "log": {"@id": f"{PREFIX}:log", "@type": "@id"},
        "sequence": {"@id": f"{PREFIX}:sequence", "@type": "xsd:integer"},
        "operation": {"@id": f"{PREFIX}:operation", "@type": "@id"},
        "recordedAt": {"@id": f"{PREFIX}:recordedAt", "@type": "xsd:dateTime"},
        "signingKey": {"@id": f"{PREFIX}:signingKey", "@type": "@id"},
        "slot": {"@id": f"{PREFIX}:slot", "@type": "@id", "@container": "@set"},
        "commitment": f"{PREFIX}:commitment",
        "treeSize": {"@id": f"{PREFIX}:treeSize", "@type": "xsd:integer"},
        "rootHash": f"{PREFIX}:rootHash",
    },
)
#: What :func:`signed_document` makes.
SignedRecord = TypedDict(
    "SignedRecord",
    {
        "@context": list[Any],
        "@id": str,
        "@type": str,
        "log": str,
        "sequence": str,
        "operation": str,
        "recordedAt": str,
        "signingKey": str,
        "slot": list[dict[str, str]],
        "proof": dict[str, str],
    },
)
#: What :func:`signed_head` makes.
SignedHead = TypedDict(
    "SignedHead",
    {
        "@context": list[Any],
        "@id": str,
        "@type": str,
        "log": str,
        "treeSize": str,
        "rootHash": str,
        "recordedAt": str,
        "signingKey": str,
        "proof": dict[str, str],
    },
)
_RECORD_KEYS: Final = frozenset(
    {"@id", "@type", "log", "sequence", "operation", "recordedAt", "signingKey", "slot", "proofValue", "proofCreated"}
) | {"leafHash"}
_HEAD_KEYS: Final = frozenset(
    {"@id", "@type", "log", "treeSize", "rootHash", "recordedAt", "signingKey", "proofValue", "proofCreated"}
)
_AUDIT_LINE: Final = late_regex(r"<([^>#]*)#(?:(head-[0-9]+)|([0-9]+)(?:\.([0-9]+))?)> <([^>]*)> (.*) \.\n?", re.ASCII)


# --- JSON-LD nodes -------------------------------------------------------------------------------------------------


def record_to_jsonld(record: AuditRecord) -> dict[str, Any]:
    """Return ``record`` as a node under the packaged context.

    Raises:
        InvalidDocument: the record's details are not in canonical form.
    """
    slots: list[dict[str, Any]] = []
    try:
        for index, value in enumerate(commitments(record.core)):
            slot: dict[str, Any] = {"@id": f"{record.iri}.{index}", "commitment": value}
            if record.salts[index]:
                slot["salt"] = record.salts[index]
                fields = fields_of(index)
                for name, values in parse_details(record.details[index], record.iri, index).items():
                    slot[name] = values if fields[name].many else values[0]
            slots.append(slot)
    except (Malformed, IndexError) as error:
        raise _refused(record.iri, error) from error
    return {
        "@id": record.iri,
        "@type": "AuditRecord",
        "log": record.log,
        "sequence": str(record.sequence),
        "operation": str(record.operation),
        "recordedAt": time_lexical(record.recorded_at),
        "signingKey": record.signing_key,
        "slot": slots,
        "proofValue": record.proof_value,
        "proofCreated": record.proof_created,
        "leafHash": record.leaf,
    }


def record_from_jsonld(node: Mapping[str, Any], tenant: str = "") -> AuditRecord:
    """Return the record that :func:`record_to_jsonld` wrote as ``node``.

    Raises:
        InvalidDocument: the node has an unknown, missing or repeated entry, or a value that is not canonical.
    """
    where = _check_keys(node, _RECORD_KEYS, "AuditRecord")
    try:
        log, sequence = node["log"], integer(node["sequence"])
        iri = f"{log}#{sequence}"
        slots = [_slot_from_jsonld(slot, index) for index, slot in enumerate(_numbered(node["slot"], iri))]
        values = [commitment for commitment, _, _ in slots]
        recorded_at = moment(node["recordedAt"])
        core = record_core(
            log=log,
            sequence=sequence,
            operation=node["operation"],
            recorded_at=recorded_at,
            signing_key=node["signingKey"],
            commitments=values,
        )
        require(node["@id"] == iri, "its @id is not its log and sequence")
        details = [details_text(values, iri, index) for index, (_, _, values) in enumerate(slots)]
    except Malformed as error:
        raise _refused(where, error) from error
    return AuditRecord(
        tenant=tenant,
        log=log,
        sequence=sequence,
        operation=Operation(node["operation"]),
        recorded_at=recorded_at,
        signing_key=node["signingKey"],
        core=core,
        proof_value=node["proofValue"],
        proof_created=node["proofCreated"],
        leaf=node["leafHash"],
        memories=tuple(_memory(values) for _, _, values in slots[1:]),
        details=tuple(details),
        salts=tuple(salt for _, salt, _ in slots),
    )


def head_to_jsonld(head: TreeHead) -> dict[str, Any]:
    """Return ``head`` as a node under the packaged context."""
    return {
        "@id": f"{head.log}#head-{head.size}",
        "@type": "TreeHead",
        "log": head.log,
        "treeSize": str(head.size),
        "rootHash": head.root,
        "recordedAt": time_lexical(head.recorded_at),
        "signingKey": head.signing_key,
        "proofValue": head.proof_value,
        "proofCreated": head.proof_created,
    }


def head_from_jsonld(node: Mapping[str, Any], tenant: str = "") -> TreeHead:
    """Return the head that :func:`head_to_jsonld` wrote as ``node``.

    Raises:
        InvalidDocument: the node has an unknown or missing entry, or a value that is not canonical.
    """
    where = _check_keys(node, _HEAD_KEYS, "TreeHead")
    try:
        size, recorded_at = integer(node["treeSize"]), moment(node["recordedAt"])
        require(node["@id"] == f"{node['log']}#head-{size}", "its @id is not its log and size")
        core = head_core(
            log=node["log"],
            size=size,
            root=node["rootHash"],
            recorded_at=recorded_at,
            signing_key=node["signingKey"],
        )
    except Malformed as error:
        raise _refused(where, error) from error
    return TreeHead(
        tenant=tenant,
        log=node["log"],
        size=size,
        root=node["rootHash"],
        recorded_at=recorded_at,
        signing_key=node["signingKey"],
        core=core,
        proof_value=node["proofValue"],
        proof_created=node["proofCreated"],
    )


def _check_keys(node: Mapping[str, Any], keys: frozenset[str], kind: str) -> str:
    """Refuse a node with other keys than ``keys``, or values that are no strings; return where it stands."""
    where = str(node.get("@id"))
    if node.keys() != keys or node["@type"] != kind:
        msg = f"its entries must be {', '.join(sorted(keys))} of an {kind}"
        raise _refused(where, msg)
    slots = node.get("slot", [])
    strings = all(isinstance(value, str) for name, value in node.items() if name != "slot")
    if not strings or not isinstance(slots, list) or not all(isinstance(slot, dict) for slot in slots):
        raise _refused(where, "its values must be strings, and its slots a list of objects")
    return where


def _numbered(slots: Sequence[Mapping[str, Any]], record: str) -> list[Mapping[str, Any]]:
    """Return the slots of a record by their numbers: they are a set, whose order says nothing (JSON-LD 1.1, 4.3.2)."""
    found = {name: slot for slot in slots if isinstance(name := slot.get("@id"), str)}
    names = [f"{record}.{index}" for index in range(len(slots))]
    require(found.keys() == set(names), "its slots are not numbered from 0, each once")
    return [found[name] for name in names]


def _slot_from_jsonld(slot: Mapping[str, Any], index: int) -> tuple[str, str, Details]:
    """Return commitment, salt and details of a slot."""
    details: Details = {}
    fields = fields_of(index)
    for name, value in slot.items():
        if name in {"@id", "commitment", "salt"}:
            continue
        values = value if name in fields and fields[name].many else [value]
        sound = name in fields and isinstance(values, list) and values
        require(sound, f"a slot has an unknown entry or an empty list: {name}")
        details[name] = values
    texts = [slot.get("commitment"), slot.get("salt", ""), *(value for values in details.values() for value in values)]
    require(all(isinstance(text, str) for text in texts), "a slot has a value that is no string")
    salt = slot.get("salt", "")
    require(HASH32.fullmatch(salt) if "salt" in slot else not details, "a slot with details has a salt of 32 bytes")
    return slot["commitment"], salt, details


def _memory(details: Details) -> str:
    return details.get("memory", [""])[0]


def _refused(where: str, why: object) -> InvalidDocument:
    return InvalidDocument(f"{where} is no audit entry of this version: {why}")


# --- N-Quads -------------------------------------------------------------------------------------------------------


def record_lines(record: AuditRecord) -> list[str]:
    """Return the N-Quads lines of ``record``: core, proof, leaf, and what is left of its details."""
    lines = record.core.splitlines()
    lines += _proof_lines(record.iri, record.proof_value, record.proof_created)
    lines.append(f'<{record.iri}> <{NS}leafHash> "{record.leaf}" .')
    for index, (details, salt) in enumerate(zip(record.details, record.salts, strict=True)):
        if salt:
            lines += details.split("\n")[:-1]
            lines.append(f'<{record.iri}.{index}> <{NS}salt> "{salt}" .')
    return lines


def head_lines(head: TreeHead) -> list[str]:
    """Return the N-Quads lines of ``head``: core and proof."""
    return head.core.splitlines() + _proof_lines(f"{head.log}#head-{head.size}", head.proof_value, head.proof_created)


def _proof_lines(subject: str, value: str, created: str) -> list[str]:
    return [
        f'<{subject}> <{NS}proofValue> "{value}" .',
        f'<{subject}> <{NS}proofCreated> "{created}"^^<{XSD}dateTime> .',
    ]


class _Line(NamedTuple):
    """A line of a record or head: the number of the slot that it is of, or -1, and its parts as they are written."""

    slot: int
    predicate: str
    value: str
    text: str


def reading_order(logs: Iterable[str], confirming: Container[str]) -> list[str]:
    """Return in which order the logs of a file are to be read, whatever its own.

    The log that confirms the clock comes first: its confirmations explain times that go back in the other one too.
    """
    return sorted(logs, key=lambda log: (log not in confirming, log))


class LineReader:
    """Gathers the audit out of N-Quads lines in any order; lines about anything else are passed over."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._entries: dict[tuple[str, str], list[_Line]] = {}
        self._confirming: set[str] = set()

    def add(self, line: str) -> None:
        """Take in one line."""
        match = _AUDIT_LINE.fullmatch(line)
        if match is not None:
            log, head, record, slot, predicate, value = match.groups()
            entry = self._entries.setdefault((log, head or record), [])
            entry.append(_Line(-1 if slot is None else int(slot), predicate, value, line.rstrip("\n")))
            if (predicate, value) == (f"{NS}operation", f"<{NS}{Operation.CONFIRM_CLOCK}>"):
                self._confirming.add(log)

    def head_iris(self) -> list[str]:
        """Return the IRIs of the tree heads."""
        return [f"{log}#{name}" for log, name in self._entries if name.startswith("head-")]

    def record_iris(self) -> list[str]:
        """Return the IRIs of the records by log and sequence, the log that confirms the clock first."""
        names: dict[str, list[str]] = defaultdict(list)
        for log, name in self._entries:
            if not name.startswith("head-"):
                names[log].append(name)
        logs = reading_order(names, self._confirming)
        return [f"{log}#{name}" for log in logs for name in sorted(names[log], key=int)]

    def head(self, iri: str) -> TreeHead:
        """Return a tree head.

        Raises:
            InvalidDocument: it is not whole, or repeats or adds something.
        """
        return _head_from_lines(iri, self._entry(iri))

    def record(self, iri: str) -> AuditRecord:
        """Return a record.

        Raises:
            InvalidDocument: it is not whole, or repeats or adds something.
        """
        return _record_from_lines(iri, self._entry(iri))

    def _entry(self, iri: str) -> list[_Line]:
        log, _, name = iri.partition("#")
        return self._entries[log, name]


def _plain(value: str) -> str:
    """Return the text of a literal without escapes, whatever its datatype, or of an IRI."""
    match = re.fullmatch(rf'"([^"\\]*)"(?:\^\^<{re.escape(XSD)}[A-Za-z]+>)?|<([^>]*)>', value)
    if match is None:
        rule = "a value is neither a plain literal nor an IRI"
        raise Malformed(rule)
    return match[1] if match[2] is None else match[2]


def _by_slot(lines: Iterable[_Line]) -> defaultdict[int, list[_Line]]:
    """Return lines by the number of their slot: a record may have thousands, and each looks at its own alone."""
    found: defaultdict[int, list[_Line]] = defaultdict(list)
    for line in lines:
        found[line.slot].append(line)
    return found


def _own(lines: Iterable[_Line]) -> dict[str, str]:
    """Return the values by predicate that an entry's own ``lines`` say, leaving out the list of its slots."""
    found: dict[str, str] = {}
    for line in lines:
        if line.predicate != f"{NS}slot":
            require(line.predicate not in found, f"it has two values of {line.predicate}")
            found[line.predicate] = line.value
    return found


def _record_from_lines(iri: str, lines: list[_Line]) -> AuditRecord:
    """Return the record that ``lines`` say, which must be exactly those that :func:`record_lines` writes."""
    try:
        parts = _by_slot(lines)
        own = _own(parts[-1])
        count = sum(line.predicate == f"{NS}slot" for line in lines)
        slots = [_own_slot(parts[index], iri, index) for index in range(count)]
        fields = {name.removeprefix(NS): _plain(value) for name, value in own.items() if name.startswith(NS)}
        core = record_core(
            log=fields["log"],
            sequence=integer(fields["sequence"]),
            operation=fields["operation"].removeprefix(NS),
            recorded_at=moment(fields["recordedAt"]),
            signing_key=fields["signingKey"],
            commitments=[commitment for commitment, _, _ in slots],
        )
        details = [parse_details(text, iri, index) for index, (_, _, text) in enumerate(slots)]
        record = AuditRecord(
            tenant="",
            log=fields["log"],
            sequence=integer(fields["sequence"]),
            operation=Operation(fields["operation"].removeprefix(NS)),
            recorded_at=moment(fields["recordedAt"]),
            signing_key=fields["signingKey"],
            core=core,
            proof_value=fields["proofValue"],
            proof_created=fields["proofCreated"],
            leaf=fields["leafHash"],
            memories=tuple(map(_memory, details[1:])),
            details=tuple(text for _, _, text in slots),
            salts=tuple(salt for _, salt, _ in slots),
        )
    except KeyError as error:
        raise _refused(iri, f"it has no {error.args[0]}") from error
    except Malformed as error:
        raise _refused(iri, error) from error
    if sorted(record_lines(record)) != sorted(line.text for line in lines):
        raise _refused(iri, "its lines say something else than a record does, or say it twice")
    return record


def _own_slot(lines: Iterable[_Line], iri: str, index: int) -> tuple[str, str, str]:
    """Return commitment, salt and details that the ``lines`` of slot ``index`` say."""
    commitment = salt = ""
    details = []
    for line in lines:
        if line.predicate == f"{NS}commitment":
            commitment = _plain(line.value)
        elif line.predicate == f"{NS}salt":
            salt = _plain(line.value)
        else:
            details.append(line.text)
    require(commitment, f"its slot {index} has no commitment")
    text = "\n".join(sorted(details)) + "\n" if details else ""
    parse_details(text, iri, index)
    return commitment, salt, text


def _head_from_lines(iri: str, lines: list[_Line]) -> TreeHead:
    """Return the head that ``lines`` say, which must be exactly those that :func:`head_lines` writes."""
    try:
        own = _own(_by_slot(lines)[-1])
        node = {name.removeprefix(NS): _plain(value) for name, value in own.items() if name.startswith(NS)}
        head = head_from_jsonld({"@id": iri, "@type": "TreeHead", **node})
    except Malformed as error:
        raise _refused(iri, error) from error
    if sorted(head_lines(head)) != sorted(line.text for line in lines):
        raise _refused(iri, "its lines say something else than a tree head does, or say it twice")
    return head


# --- Signed documents ----------------------------------------------------------------------------------------------


def signed_document(record: AuditRecord) -> SignedRecord:
    """Return the core of ``record`` with its proof as a W3C Data Integrity document; details stay outside.

    Its RDFC-1.0 form is the core byte for byte, so that any verifier of ``eddsa-rdfc-2022`` can check it.
    """
    return {
        "@context": list(SIGNED_CONTEXT),
        "@id": record.iri,
        "@type": "AuditRecord",
        "log": record.log,
        "sequence": str(record.sequence),
        "operation": f"{NS}{record.operation}",
        "recordedAt": time_lexical(record.recorded_at),
        "signingKey": record.signing_key,
        "slot": [
            {"@id": f"{record.iri}.{index}", "commitment": value}
            for index, value in enumerate(commitments(record.core))
        ],
        "proof": _proof(record),
    }


def signed_head(head: TreeHead) -> SignedHead:
    """Return ``head`` with its proof as a W3C Data Integrity document, fit to be given to a witness."""
    return {
        "@context": list(SIGNED_CONTEXT),
        "@id": f"{head.log}#head-{head.size}",
        "@type": "TreeHead",
        "log": head.log,
        "treeSize": str(head.size),
        "rootHash": head.root,
        "recordedAt": time_lexical(head.recorded_at),
        "signingKey": head.signing_key,
        "proof": _proof(head),
    }


def head_from_signed(document: Mapping[str, Any]) -> TreeHead:
    """Return the head that :func:`signed_head` wrote as ``document``; whether it is signed is not looked at here.

    Raises:
        InvalidDocument: it is no such document.
    """
    proof = document.get("proof")
    node = {name: value for name, value in document.items() if name not in {"@context", "proof"}}
    if not isinstance(proof, dict) or proof.get("verificationMethod") != document.get("signingKey"):
        msg = "it has no proof by the key that it names"
        raise _refused(str(document.get("@id")), msg)
    return head_from_jsonld({**node, "proofValue": proof.get("proofValue"), "proofCreated": proof.get("created")})


def _proof(entry: AuditRecord | TreeHead) -> dict[str, str]:
    return {
        "type": "DataIntegrityProof",
        "cryptosuite": "eddsa-rdfc-2022",
        "created": entry.proof_created,
        "verificationMethod": entry.signing_key,
        "proofPurpose": "assertionMethod",
        "proofValue": entry.proof_value,
    }
