"""Writes audit records and tree heads: a signed core of commitments, and the details that it commits to.

Guarantees: the core is canonical N-Quads, so that its bytes are what RDFC-1.0 gives and the signature is an
``eddsa-rdfc-2022`` proof; a slot's details are committed under a fresh random salt of 256 bits, so that deleting both
leaves nothing to guess from; no detail holds content. Nothing is stored here. The verifier imports nothing of this
module. Source: semantics section 8.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Any, Final

from marskg.audit.dataintegrity import from_multibase_url, multibase_url
from marskg.errors import InvalidInput
from marskg.ontology.fields import NODE_DETAIL_FIELDS, RECORD_DETAIL_FIELDS
from marskg.ontology.mapping import canonical, literals, time_lexical
from marskg.ontology.vocabulary import NS, RDF_TYPE, XSD, Operation
from marskg.records import AuditRecord, TreeHead

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from marskg.audit.dataintegrity import Signer
    from marskg.clock import Source
    from marskg.ontology.fields import Field

#: Bytes of a salt.
SALT_SIZE: Final = 32
#: Detail fields by name with what a line says between its subject and its value; made once, used twice a record.
_RECORD_TABLE: Final = {field.name: (f" <{field.iri}> ", field) for field in RECORD_DETAIL_FIELDS}
_NODE_TABLE: Final = {field.name: (f" <{field.iri}> ", field) for field in NODE_DETAIL_FIELDS}
#: Letters of a time in whole seconds, without its Z: the ``created`` of a proof.
_SECONDS: Final = 19


def new_salt(source: Source) -> str:
    """Return a fresh salt of 32 bytes as multibase base64url."""
    return multibase_url(source.token(SALT_SIZE))


def node_commitment(salt: str, lines: Sequence[str]) -> str:
    """Return the commitment to a node: HMAC-SHA256 under its ``salt`` over its canonical ``lines``."""
    return commitment(salt, canonical(lines))


def commitment(salt: str, data: bytes) -> str:
    """Return HMAC-SHA256 of ``data`` under ``salt``, both in multibase base64url."""
    return multibase_url(hmac.digest(from_multibase_url(salt), data, "sha256"))


def build_record(
    *,
    tenant: str,
    log: str,
    sequence: int,
    operation: Operation,
    now: int,
    record_details: Mapping[str, Any],
    node_details: Sequence[Mapping[str, Any]],
    signer: Signer,
    source: Source,
) -> AuditRecord:
    """Return the signed record ``sequence`` of ``log``.

    Args:
        tenant: the tenant's name; it stays outside the core.
        log: IRI of the log.
        sequence: from 1, without gaps.
        operation: what was done.
        now: the transaction's time, epoch milliseconds.
        record_details: values by the names of ``RECORD_DETAIL_FIELDS``.
        node_details: for each node, values by the names of ``NODE_DETAIL_FIELDS``, ``memory`` among them.
        signer: the key in use.
        source: where the slots' salts come from.

    Raises:
        InvalidInput: a detail has a name that the vocabulary does not know.
    """
    record = f"{log}#{sequence}"
    details = [_details(f"<{record}.0>", _RECORD_TABLE, record_details)]
    details += [_details(f"<{record}.{index}>", _NODE_TABLE, values) for index, values in enumerate(node_details, 1)]
    keys = [source.token(SALT_SIZE) for _ in details]
    recorded_at = time_lexical(now)
    core = core_of(
        log,
        sequence,
        operation=operation,
        recorded_at=recorded_at,
        signing_key=signer.verification_method,
        commitments=[multibase_url(hmac.digest(*pair, "sha256")) for pair in zip(keys, details, strict=True)],
    )
    created = f"{recorded_at[:_SECONDS]}Z"
    signed = signer.sign(core.encode(), created)
    return AuditRecord(
        tenant=tenant,
        log=log,
        sequence=sequence,
        operation=operation,
        recorded_at=now,
        signing_key=signer.verification_method,
        core=core,
        proof_value=signed.proof_value,
        proof_created=created,
        leaf=signed.leaf_hash.hex(),
        memories=tuple(values["memory"] for values in node_details),
        details=tuple(text.decode() for text in details),
        salts=tuple(map(multibase_url, keys)),
    )


def build_head(*, tenant: str, log: str, size: int, root: bytes, now: int, signer: Signer) -> TreeHead:
    """Return the signed head of ``log`` at ``size`` records with Merkle root ``root`` (RFC 9162 section 4.10)."""
    head = f"<{log}#head-{size}>"
    root_text = multibase_url(root)
    recorded_at = time_lexical(now)
    core = canonical(
        [
            f"{head} <{RDF_TYPE}> <{NS}TreeHead> .",
            f"{head} <{NS}log> <{log}> .",
            f'{head} <{NS}recordedAt> "{recorded_at}"^^<{XSD}dateTime> .',
            f'{head} <{NS}rootHash> "{root_text}" .',
            f"{head} <{NS}signingKey> <{signer.verification_method}> .",
            f'{head} <{NS}treeSize> "{size}"^^<{XSD}integer> .',
        ]
    )
    created = f"{recorded_at[:_SECONDS]}Z"
    return TreeHead(
        tenant=tenant,
        log=log,
        size=size,
        root=root_text,
        recorded_at=now,
        signing_key=signer.verification_method,
        core=core.decode(),
        proof_value=signer.sign(core, created).proof_value,
        proof_created=created,
    )


def _details(subject: str, table: Mapping[str, tuple[str, Field]], values: Mapping[str, Any]) -> bytes:
    """Return the canonical N-Quads of one slot's details; no details at all are no bytes."""
    if not table.keys() >= values.keys():
        unknown = ", ".join(sorted(values.keys() - table.keys()))
        msg = f"an audit slot has no field {unknown}; the fields are in marskg.ontology.vocabulary"
        raise InvalidInput(msg)
    lines: list[str] = []
    for name, value in values.items():
        if value is None:
            continue
        predicate, field = table[name]
        items = value if field.many else (value,)
        lines += [f"{subject}{predicate}{term} ." for term in literals(items, field.datatype)]
    return canonical(lines) if lines else b""


def core_of(
    log: str, sequence: int, *, operation: Operation, recorded_at: str, signing_key: str, commitments: Sequence[str]
) -> str:
    """Return the canonical N-Quads of a core, for the ``commitments`` of its slots in their order.

    The lines of one subject stand in the order of their predicates; subjects sort as strings, ``#1.0>`` before
    ``#1.1>`` before ``#1>`` (``.`` sorts before ``>``), and so do the slots that the record lists.
    """
    record = f"{log}#{sequence}"
    slots = [f"<{record}.{index}>" for index in range(len(commitments))]
    lines = [f'{slot} <{NS}commitment> "{value}" .\n' for slot, value in zip(slots, commitments, strict=True)]
    lines += [
        f"<{record}> <{RDF_TYPE}> <{NS}AuditRecord> .\n",
        f"<{record}> <{NS}log> <{log}> .\n",
        f"<{record}> <{NS}operation> <{NS}{operation}> .\n",
        f'<{record}> <{NS}recordedAt> "{recorded_at}"^^<{XSD}dateTime> .\n',
        f'<{record}> <{NS}sequence> "{sequence}"^^<{XSD}integer> .\n',
        f"<{record}> <{NS}signingKey> <{signing_key}> .\n",
        *[f"<{record}> <{NS}slot> {slot} .\n" for slot in slots],
    ]
    lines.sort()
    return "".join(lines)
