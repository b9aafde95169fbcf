"""Signs and verifies whole JSON-LD documents as W3C Data Integrity ``eddsa-rdfc-2022``, without the network.

Guarantees: contexts come from the package and are checked against their SHA-256; every other one is refused. Nothing
of a document escapes the signature: a term that no context defines, a relative IRI (JSON-LD processors drop both in
silence) and a document that says too little are refused with ``InvalidDocument``. Graphs made to keep
canonicalisation busy for ever, and deep nesting, are refused too. A context cannot give a proof's terms another
meaning: the canonical proof options must be exactly what the proof's JSON says.
Sources: W3C vc-di-eddsa 1.0 section 3.2, Data Integrity 1.0 sections 4.2-4.6, RDFC-1.0 section 7.1 (poison graphs).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from marskg.audit.dataintegrity import CRYPTOSUITE, proof_options, public_key_of, verify
from marskg.errors import AuditVerificationFailed, InvalidDocument
from marskg.late_regex import late_regex
from marskg.ontology.processor import Processor, broken_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.audit.dataintegrity import Signer
    from marskg.ontology.processor import Quad

DATA_INTEGRITY_V2: Final = "https://w3id.org/security/data-integrity/v2"
CREDENTIALS_V2: Final = "https://www.w3.org/ns/credentials/v2"
#: Packaged contexts: file and SHA-256 (sources and licences in ontology/contexts/README.md).
_PINNED: Final = {
    DATA_INTEGRITY_V2: (
        "data-integrity-v2.jsonld",
        "67f21e6e33a6c14e5ccfd2fc7865f7474fb71a04af7e94136cb399dfac8ae8f4",
    ),
    CREDENTIALS_V2: (
        "credentials-v2.jsonld",
        "59955ced6697d61e03f2b2556febe5308ab16842846f5b586d7f1f7adec92734",
    ),
}
_PROOF_TERMS: Final = frozenset({"type", "cryptosuite", "created", "verificationMethod", "proofPurpose"})
#: RDFC-1.0 writes these with escapes that its predecessor URDNA2015 did not; tools in use differ, so none may occur.
_CONTROL: Final = late_regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_MAX_DEPTH: Final = 64
#: Blank nodes that look alike are told apart by trying every order: six are 720 orders, twenty never end.
_MAX_ALIKE: Final = 6


class Verified(NamedTuple):
    """What a document's proof showed: who signed, when, and what, as canonical N-Quads."""

    verification_method: str
    created: str
    nquads: str


class PinnedContexts:
    """Contexts known by heart; every other IRI is refused."""

    def __init__(self, extra: Mapping[str, tuple[bytes, str]] | None = None) -> None:
        """Know the packaged contexts and ``extra`` ones, given as IRI to (bytes, SHA-256 in hexadecimal)."""
        self._extra = dict(extra or {})

    def __call__(self, url: str) -> Mapping[str, Any]:
        """Return the document of ``url``.

        Raises:
            InvalidDocument: ``url`` is not pinned, or its packaged copy was changed.
        """
        if url in self._extra:
            data, digest = self._extra[url]
        elif url in _PINNED:
            name, digest = _PINNED[url]
            data = (resources.files("marskg.ontology") / "contexts" / name).read_bytes()
        else:
            msg = f"the context {url} is not pinned; inline it, or use one of: {', '.join([*_PINNED, *self._extra])}"
            raise InvalidDocument(msg)
        if hashlib.sha256(data).hexdigest() != digest:
            msg = f"the pinned copy of {url} was changed; reinstall marskg"
            raise InvalidDocument(msg)
        document: dict[str, Any] = json.loads(data)
        return document


def canonical_nquads(document: Mapping[str, Any], *, loader: PinnedContexts | None = None, minimum: int = 1) -> str:
    """Return the RDFC-1.0 form of a JSON-LD ``document`` that loses nothing on the way.

    Raises:
        InvalidDocument: a term would be dropped, an IRI is relative, a context is not pinned, fewer than ``minimum``
            statements remain, or the graph is too deep or too symmetrical.
    """
    _refuse_depth(document)
    processor = Processor("the document", loader or PinnedContexts())
    expanded = processor.expand(dict(document), dropped=_refuse_dropped)
    _refuse_relative(expanded)
    quads = [quad for graph in processor.dataset(expanded).values() for quad in graph]
    if len(quads) < max(minimum, 1):
        msg = f"the document says {len(quads)} statements, too few to sign or verify; check its context and its ids"
        raise InvalidDocument(msg)
    _refuse_poison(quads)
    return processor.canonical(expanded)


def add_proof(
    document: Mapping[str, Any], signer: Signer, created: str, *, loader: PinnedContexts | None = None
) -> dict[str, Any]:
    """Return ``document`` with a proof by ``signer``; its context must define the terms of a proof.

    Raises:
        InvalidDocument: the document has a proof already, or cannot be signed as a whole.
    """
    if "proof" in document:
        msg = "the document has a proof already; remove it before signing again"
        raise InvalidDocument(msg)
    core = canonical_nquads(document, loader=loader)
    proof = {
        "type": "DataIntegrityProof",
        "cryptosuite": CRYPTOSUITE,
        "created": created,
        "verificationMethod": signer.verification_method,
        "proofPurpose": "assertionMethod",
    }
    _check_options(document, proof, loader)
    return {**document, "proof": {**proof, "proofValue": signer.sign(core.encode(), created).proof_value}}


def verify_document(document: Mapping[str, Any], *, loader: PinnedContexts | None = None, minimum: int = 1) -> Verified:
    """Verify the one proof of ``document``; whether to trust the key that signed is the caller's to say.

    Raises:
        InvalidDocument: the document or its proof cannot be read as what it claims to be.
        AuditVerificationFailed: the signature is not over this document.
    """
    proof = document.get("proof")
    if not isinstance(proof, dict):
        msg = "the document must have exactly one proof, an object"
        raise InvalidDocument(msg)
    options = {name: value for name, value in proof.items() if name != "proofValue"}
    _check_proof(options, proof.get("proofValue"))
    unsigned = {name: value for name, value in document.items() if name != "proof"}
    _check_options(unsigned, options, loader)
    nquads = canonical_nquads(unsigned, loader=loader, minimum=minimum)
    method, created = options["verificationMethod"], options["created"]
    if not verify(nquads.encode(), proof["proofValue"], created, method):
        msg = f"the document's signature by {method} does not verify: it was changed, or signed by another key"
        raise AuditVerificationFailed(msg, ("bad-signature",))
    return Verified(method, created, nquads)


def _check_proof(options: Mapping[str, Any], value: object) -> None:
    """Refuse a proof of another kind, or one that says more than this verifier understands."""
    if options.keys() != _PROOF_TERMS or not all(isinstance(item, str) for item in (*options.values(), value)):
        msg = f"a proof must have these terms and no other, all strings: {', '.join(sorted(_PROOF_TERMS))}, proofValue"
        raise InvalidDocument(msg)
    expected = {"type": "DataIntegrityProof", "cryptosuite": CRYPTOSUITE, "proofPurpose": "assertionMethod"}
    for name, wanted in expected.items():
        if options[name] != wanted:
            msg = f"a proof's {name} must be {wanted}"
            raise InvalidDocument(msg)
    try:
        public_key_of(options["verificationMethod"])
    except ValueError as error:
        msg = f"the proof's verificationMethod cannot be used: {error}"
        raise InvalidDocument(msg) from error


def _check_options(document: Mapping[str, Any], options: Mapping[str, Any], loader: PinnedContexts | None) -> None:
    """Refuse a document whose context does not give the proof's terms the meaning that they have."""
    nquads = canonical_nquads({"@context": document.get("@context", {}), **options}, loader=loader)
    if nquads.encode() != proof_options(options["verificationMethod"], options["created"]):
        msg = f"the document's context does not define the terms of a proof as {DATA_INTEGRITY_V2} does; put it first"
        raise InvalidDocument(msg)


def _refuse_dropped(name: object) -> None:
    msg = (
        f"no context of the document defines the term {name!r}, so a signature would not cover it; define or remove it"
    )
    raise InvalidDocument(msg)


def _refuse_depth(document: object) -> None:
    """Refuse nesting that recursive processors cannot take, and characters that they write differently."""
    level = [document]
    for _ in range(_MAX_DEPTH):
        if any(isinstance(item, str) and _CONTROL.search(item) for item in level):
            msg = "the document has a control character or a lone surrogate, which canonicalisers write differently"
            raise InvalidDocument(msg)
        level = [child for item in level for child in _children(item)]
        if not level:
            return
    msg = f"the document is nested more than {_MAX_DEPTH} levels deep"
    raise InvalidDocument(msg)


def _children(item: object) -> Iterable[object]:
    if isinstance(item, dict):
        return (*item.keys(), *item.values())
    return item if isinstance(item, list) else ()


def _refuse_relative(expanded: object) -> None:
    """Refuse an IRI that is not absolute anywhere in an expanded document."""
    pending = [expanded]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending.extend(item)
        elif isinstance(item, dict):
            for name in broken_names(item):
                if not name.startswith("_:"):
                    msg = f"the IRI {name!r} is relative or broken; processors drop what it says: write it in full"
                    raise InvalidDocument(msg)
            pending.extend(value for name, value in item.items() if name not in {"@id", "@type", "@value"})


def _refuse_poison(quads: Iterable[Quad]) -> None:
    """Refuse a graph in which more than a few blank nodes have the same surroundings (RDFC-1.0 section 7.1)."""
    around: dict[str, list[str]] = {}
    for quad in quads:
        nodes = {term["value"] for term in quad.values() if term["type"] == "blank node"}
        for node in nodes:
            line = [_mask(quad[place], node) for place in ("subject", "predicate", "object")]
            around.setdefault(node, []).append("\n".join(line))
    alike = Counter("\n\n".join(sorted(lines)) for lines in around.values())
    if sum(count for count in alike.values() if count > 1) > _MAX_ALIKE:
        msg = f"more than {_MAX_ALIKE} blank nodes of the document cannot be told apart; give them ids"
        raise InvalidDocument(msg)


def _mask(term: Mapping[str, str], node: str) -> str:
    if term["type"] != "blank node":
        return "\t".join(f"{name} {term[name]}" for name in sorted(term))
    return "_:this" if term["value"] == node else "_:other"
