"""Verifies a tenant's audit, and that the graph is what the log says, without any code of the writer.

Guarantees: nothing here comes from :mod:`marskg.audit.record`, :mod:`~marskg.audit.dataintegrity` or the store; the
records are read once, in order, and only what later records may still need is kept; every finding is reported with a
stable code, not only the first. What cannot be found without help is said in step 8 and in ``trusted_keys``.

The steps, by the numbers that the code repeats:

1. **Core.** Each record's core is byte for byte the canonical N-Quads of its fields and commitments (``bad-core``), in
   a log of this tenant (``wrong-log``).
2. **Signature.** The ``eddsa-rdfc-2022`` proof is over the core, by the key in use (``bad-signature``,
   ``unknown-key``); the stored leaf hash is that of hash data and signature (``bad-leaf``).
3. **Keys.** The log opens with its key; ``rotateKey`` is signed by the old key and names the new one; only
   ``replaceKey`` may announce itself, which is told as ``lost-key``, a warning (``key-announcement``).
4. **Sequence.** From 1 without gap, repetition or disorder (``sequence-gap``, ``duplicate``, ``out-of-order``), in time
   that does not go back (``time-backwards``) unless a ``confirmClock`` put it right.
5. **Slots.** Details match their commitment under their salt (``slot-mismatch``) and are of the vocabulary
   (``bad-details``).
6. **Gaps.** A slot without details was deleted by a recorded erasure in the same log (``slot-deleted``), and what an
   erasure deleted is not there any more (``erasure-undone``); or its record was sealed: then no slot of any record of
   that stretch has details (``seal-undone``).
7. **Tree.** Signed heads have the root of the RFC 9162 tree over the leaves (``bad-head``); no head covers more records
   than there are (``missing-tail``); no two heads of one size differ (``fork``).
8. **Witness.** The same for heads that someone else kept: one that does not fit shows that the key's holder rewrote the
   log (``fork``) or cut it short (``missing-tail``). Without a witness neither can be found.
9. **Graph.** The last slot of each node says what it must be: there or not (``node-missing``, ``node-unexpected``), in
   which tier (``tier-mismatch``), without content once forgotten (``node-revived``), and equal to its commitment in
   content, governed metadata and outgoing edges (``node-mismatch``, ``entity-mismatch``, ``preference-mismatch``).
10. **State.** The tenant's row is signed as it is (``state-missing``, ``bad-state``, ``state-mismatch``, and
   ``state-changed`` for what was signed over since), together with the ends of both logs (``missing-tail``,
   ``unsigned-tail``), the number of their heads (``head-missing``) and what must not come in again
   (``suppression-mismatch``); it names the keys that the log names (``key-announcement``).

The audit in an exported file goes through steps 1 to 8: :mod:`marskg.audit.verify_export`.

Source: semantics section 8; RFC 9162; W3C vc-di-eddsa 1.0 section 3.2; RFC 8032.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from binascii import a2b_base64, b2a_base64
from bisect import bisect_left, bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from marskg.audit.grammar import (
    HASH32,
    KEY_IRI,
    Details,
    Malformed,
    commitments,
    head_core,
    parse_details,
    record_core,
    second_text,
)
from marskg.audit.merkle import CompactRange, leaf_hash
from marskg.audit.verify_state import LogEnd, StoredState, state_findings
from marskg.late_regex import late_regex
from marskg.ontology.mapping import canonical, entity_lines, governed_lines, preference_lines
from marskg.ontology.vocabulary import DERIVED_EDGES, TOMBSTONE_EDGES, Operation, Tier
from marskg.records import Finding, Report, VerifiedLog

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from marskg.records import AuditRecord, Edge, Entity, Memory, Preference, TreeHead

_ALPHABET: Final = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_NO_DIGIT: Final = 255
_BASE58: Final = bytes(_ALPHABET.index(code) if code in _ALPHABET else _NO_DIGIT for code in range(256))
#: 64 bytes take 88 digits at most, which is a multiple of eight.
_MAX_DIGITS: Final = 88
_FROM_URL: Final = bytes.maketrans(b"-_", b"+/")
_TO_URL: Final = bytes.maketrans(b"+/", b"-_")
_ED25519: Final = b"\xed\x01"
_SIGNATURE: Final = 64
_Node = TypeVar("_Node")
_HEX32: Final = late_regex(r"[0-9a-f]{64}", re.ASCII)
_STRETCH: Final = late_regex(r"([1-9][0-9]{0,17})-([1-9][0-9]{0,17})", re.ASCII)
_SLOT_NAME: Final = late_regex(r"([1-9][0-9]{0,17})\.(0|[1-9][0-9]{0,8})", re.ASCII)
_FORGOTTEN: Final = frozenset({Tier.TOMBSTONE, Tier.GONE})
_MARKING: Final = frozenset({Operation.OPEN_LOG, Operation.MIGRATE})
_MARK: Final = "state=signed"
_NOT_A_TRANSITION: Final = frozenset({Operation.ACCESS, Operation.FEEDBACK})


def verify_log(
    records: Iterable[AuditRecord],
    heads: Iterable[TreeHead] = (),
    *,
    tenant: str | None = None,
    logs: Collection[str] | None = None,
    nodes: Iterable[tuple[Memory, Iterable[Edge], str | None]] | None = None,
    entities: Iterable[tuple[Entity, Iterable[Edge], str | None]] | None = None,
    preferences: Iterable[tuple[Preference, str | None]] = (),
    witness: Iterable[TreeHead] = (),
    trusted_keys: Collection[str] | None = None,
    state: StoredState | None = None,
) -> Report:
    """Verify the logs of one tenant, and the graph if it is given.

    Args:
        records: the records of one or several logs, each log in the order of its sequence; read once.
        heads: the stored tree heads of these logs.
        tenant: whose logs they must be; None where the documents do not say.
        logs: the IRIs of the logs that must be there; a record of another one is found.
        nodes: every memory of the tenant with its outgoing edges and its salt; give it together with ``entities``.
        entities: every entity of the tenant with its outgoing edges and its salt.
        preferences: every preference of the tenant with its salt.
        witness: tree heads that were kept outside of the store.
        trusted_keys: public keys (``z6Mk…``) that may open a log, or replace a lost key; without them a log that was
            signed anew from its first record, by another key, looks like any other.
        state: the tenant's row, and what it is signed together with.

    Returns:
        The number of records checked, all findings, warnings among them, and whose logs they were.
    """
    check = _Check(tenant, logs, trusted_keys)
    check.expect_heads(heads, witness)
    checked = 0
    for record in records:
        checked += 1
        check.record(record)
    check.end_of_logs()
    if nodes is not None:
        check.memories(nodes)
    if entities is not None:
        check.entities(entities)
    check.preferences(preferences)
    if nodes is not None and entities is not None:
        check.end_of_graph()
    if state is not None:
        check.state(state)
    return Report(checked, tuple(check.findings), check.logs())


class _Expected(NamedTuple):
    """What the last slot of a node says about it."""

    tier: str
    commitment: str | None
    where: str


class _Gaps:
    """Stretches of sequences that were not seen: whoever writes a number that nobody signed makes one of any length."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []

    def add(self, first: int, last: int) -> None:
        """Add a stretch after all others, if it has any sequence."""
        if first <= last:
            self._firsts.append(first)
            self._lasts.append(last)

    def fill(self, sequence: int) -> bool:
        """Take ``sequence`` out; returns whether it was missing."""
        at = bisect_right(self._firsts, sequence) - 1
        if at < 0 or sequence > self._lasts[at]:
            return False
        first, last = self._firsts[at], self._lasts[at]
        left = [(a, b) for a, b in ((first, sequence - 1), (sequence + 1, last)) if a <= b]
        self._firsts[at : at + 1] = [a for a, _ in left]
        self._lasts[at : at + 1] = [b for _, b in left]
        return True

    def between(self, first: int, last: int) -> Iterator[int]:
        """Yield the sequences from ``first`` to ``last`` that are in no gap."""
        for gap in range(bisect_left(self._lasts, first), bisect_right(self._firsts, last)):
            yield from range(first, min(self._firsts[gap], last + 1))
            first = max(first, self._lasts[gap] + 1)
        yield from range(first, last + 1)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield the first and the last sequence of each stretch."""
        return zip(self._firsts, self._lasts, strict=True)


class _Log:
    """What is remembered of one log while its records go by."""

    def __init__(self, iri: str) -> None:
        self.iri = iri
        self.last = 0  # highest sequence seen
        self.leaf: str | None = None  # leaf hash that is stored with it
        self.sizes: list[int] = []  # of the heads that are stored
        self.time: int | None = None
        self.gaps = _Gaps()  # sequences below the highest that were not seen
        self.tree = CompactRange()
        self.pending: dict[int, bytes] = {}  # leaves that wait for a missing one
        self.key: str | None = None  # verification method in use
        self.former_key: str | None = None  # the one that signed the last record
        self.keys: set[str] = set()  # every key that was announced
        self.deleted: dict[tuple[int, int], str] = {}  # slots without details, not yet explained by an erasure
        self.erased: set[tuple[int, int]] = set()  # slots without details that an erasure explains
        self.confirmed = 0  # confirmations of the clock that this log's times have followed
        self.confirms = False  # whether they are in this log
        self.slot_counts: dict[int, int] = {}  # slots of records with more than the usual two
        self.heads: dict[int, list[tuple[TreeHead, bool]]] = defaultdict(list)
        self.tenant = ""  # as the log's first record says
        self.opened_by = ""  # the public key that signed it
        self.covered = 0  # records up to the last sound head


class _Proofs:
    """Checks ``eddsa-rdfc-2022`` proofs, keeping keys and the last proof options at hand."""

    def __init__(self) -> None:
        self._keys: dict[str, Ed25519PublicKey | None] = {}
        self._last: tuple[str, str, bytes] = ("", "", b"")

    def leaf(self, core: str, proof_value: str, created: str, method: str) -> bytes | None:
        """Return the leaf hash of a sound proof, or None (vc-di-eddsa section 3.2.2, RFC 9162 section 2.1.1)."""
        key = self._key(method)
        signature = _base58(proof_value[1:], _SIGNATURE) if proof_value.startswith("z") else None
        if key is None or signature is None:
            return None
        hash_data = self._options(method, created) + hashlib.sha256(core.encode()).digest()
        try:
            key.verify(signature, hash_data)
        except InvalidSignature:
            return None
        return leaf_hash(hash_data + signature)

    def _key(self, method: str) -> Ed25519PublicKey | None:
        """Return the key that a did:key verification method names, or None."""
        if method not in self._keys:
            match = KEY_IRI.fullmatch(method)
            raw = _base58(match[1][1:], 34) if match else None
            sound = raw is not None and raw.startswith(_ED25519)
            self._keys[method] = Ed25519PublicKey.from_public_bytes(raw[2:]) if raw and sound else None
        return self._keys[method]

    def _options(self, method: str, created: str) -> bytes:
        """Return the hash of the canonical proof options (vc-di-eddsa section 3.2.5)."""
        if self._last[:2] != (method, created):
            options = (
                f'_:c14n0 <http://purl.org/dc/terms/created> "{created}"'
                "^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n"
                "_:c14n0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
                "<https://w3id.org/security#DataIntegrityProof> .\n"
                '_:c14n0 <https://w3id.org/security#cryptosuite> "eddsa-rdfc-2022"'
                "^^<https://w3id.org/security#cryptosuiteString> .\n"
                "_:c14n0 <https://w3id.org/security#proofPurpose> <https://w3id.org/security#assertionMethod> .\n"
                f"_:c14n0 <https://w3id.org/security#verificationMethod> <{method}> .\n"
            )
            self._last = (method, created, hashlib.sha256(options.encode()).digest())
        return self._last[2]


class _Check:
    """One run of the verifier."""

    def __init__(self, tenant: str | None, logs: Collection[str] | None, trusted: Collection[str] | None) -> None:
        self.findings: list[Finding] = []
        self._tenant = tenant
        self._allowed = None if logs is None else frozenset(logs)
        self._trusted = None if trusted is None else frozenset(f"did:key:{key}#{key}" for key in trusted)
        self._logs: dict[str, _Log] = {iri: _Log(iri) for iri in logs or ()}
        self._proofs = _Proofs()
        self._expected: dict[str, _Expected] = {}
        self._seen: set[str] = set()
        self._signs_state = False
        self._confirmed: list[int] = []  # times to which a confirmation put the clock

    def _find(self, code: str, where: str, message: str, severity: str = "error") -> None:
        self.findings.append(Finding(code, where, message, severity))

    # --- Records -------------------------------------------------------------------------------------------------

    def record(self, record: AuditRecord) -> None:
        """Take the next record through steps 1 to 7."""
        if not self._belongs(record):
            return
        log = self._logs.get(record.log)
        if log is None:
            log = self._logs[record.log] = _Log(record.log)
        values = self._core(record)
        if not self._sequence(log, record):
            return
        if values is None:
            self._leaf(log, record, None)
            return
        slots = self._slots(log, record, values)
        self._keys(log, record, slots[0])
        self._leaf(log, record, self._signature(record))
        self._apply(log, record, slots)

    def _belongs(self, record: AuditRecord) -> bool:
        """Step 1: return whether the record is in a log of this tenant."""
        if self._tenant is not None and record.tenant != self._tenant:
            self._find("wrong-log", record.iri, f"the record belongs to another tenant than {self._tenant}")
            return False
        if self._allowed is not None and record.log not in self._allowed:
            self._find("wrong-log", record.iri, "the record belongs to a log that is not one of this tenant's")
            return False
        return True

    def _core(self, record: AuditRecord) -> list[str] | None:
        """Step 1: return the commitments of a sound core, by slot."""
        values = commitments(record.core)
        try:
            core = record_core(
                log=record.log,
                sequence=record.sequence,
                operation=record.operation,
                recorded_at=record.recorded_at,
                signing_key=record.signing_key,
                commitments=values,
            )
        except Malformed as error:
            self._find("bad-core", record.iri, f"the core breaks a rule of its form: {error}")
            return None
        sound = core == record.core and record.proof_created == second_text(record.recorded_at)
        if not sound or not len(values) == len(record.details) == len(record.salts) == len(record.memories) + 1:
            self._find("bad-core", record.iri, "the core is not the canonical form of what the record says beside it")
            return None
        return values

    def _signature(self, record: AuditRecord) -> bytes | None:
        """Step 2: return the leaf hash of a sound proof."""
        leaf = self._proofs.leaf(record.core, record.proof_value, record.proof_created, record.signing_key)
        if leaf is None:
            message = "the signature is not over this core: the record was edited, or signed by another key"
            self._find("bad-signature", record.iri, message)
        elif leaf.hex() != record.leaf:
            self._find("bad-leaf", record.iri, "the stored leaf hash is not that of the record's proof")
        return leaf

    def _leaf(self, log: _Log, record: AuditRecord, leaf: bytes | None) -> None:
        """Step 7: put the leaf into its place; an unsound record, found already, counts by what is stored for it."""
        if leaf is None:
            leaf = bytes.fromhex(record.leaf) if _HEX32.fullmatch(record.leaf) else bytes(32)
        log.pending[record.sequence] = leaf
        while log.tree.size + 1 in log.pending:
            log.tree.append(log.pending.pop(log.tree.size + 1))
            if log.tree.size in log.heads:
                self._compare_heads(log, log.tree.size)

    def _keys(self, log: _Log, record: AuditRecord, details: Details | None) -> None:
        """Step 3: follow the keys that the log announces."""
        announced = _announced(details)
        if record.sequence == 1 or record.operation == Operation.OPEN_LOG:
            self._opening(log, record, details, announced)
        elif record.operation == Operation.REPLACE_KEY:
            self._replacement(log, record, announced)
        elif record.signing_key != log.key:
            self._find("unknown-key", record.iri, "the record is signed by a key that the log has not announced for it")
        log.former_key = log.key
        if record.operation == Operation.ROTATE_KEY and record.signing_key == log.key:
            if announced is None or announced in log.keys:
                self._find("key-announcement", record.iri, "the rotation does not name a new key")
            else:
                self._use_key(log, announced)

    def _opening(self, log: _Log, record: AuditRecord, details: Details | None, announced: str | None) -> None:
        if record.sequence != 1 or record.operation != Operation.OPEN_LOG or announced != record.signing_key:
            message = "a log opens with its first record, openLog, which names the key that signs it; no other does"
            self._find("key-announcement", record.iri, message)
        if self._trusted is not None and record.signing_key not in self._trusted:
            self._find("unknown-key", record.iri, "the log is opened by a key that is not trusted")
        if self._tenant is not None and f"tenant={self._tenant}" not in (details or {}).get("parameters", ()):
            self._find("wrong-log", record.iri, f"the log was not opened for tenant {self._tenant}")
        if log.key is None:
            self._use_key(log, record.signing_key)
            parameters = (details or {}).get("parameters", ())
            log.tenant = next((text.removeprefix("tenant=") for text in parameters if text.startswith("tenant=")), "")
            log.opened_by = record.signing_key.partition("#")[2]

    def _replacement(self, log: _Log, record: AuditRecord, announced: str | None) -> None:
        if announced != record.signing_key or announced in log.keys:
            self._find(
                "key-announcement", record.iri, "a lost key is replaced by a new one that signs and names itself"
            )
            return
        message = "the signing key was lost and replaced here by one that only announces itself; ask who did it"
        self._find("lost-key", record.iri, message, "warning")
        if self._trusted is not None and announced not in self._trusted:
            self._find("unknown-key", record.iri, "the key is replaced by one that is not trusted")
        self._use_key(log, announced)

    def _use_key(self, log: _Log, method: str) -> None:
        log.key = method
        log.keys.add(method)

    def _sequence(self, log: _Log, record: AuditRecord) -> bool:
        """Step 4: return whether the record is a new one."""
        sequence = record.sequence
        if sequence > log.last:
            log.gaps.add(log.last + 1, sequence - 1)
            log.last, log.leaf = sequence, record.leaf
        elif log.gaps.fill(sequence):
            self._find("out-of-order", record.iri, "the record stands after a later one")
        else:
            self._find("duplicate", record.iri, "the log has two records of this sequence")
            return False
        if record.operation is Operation.CONFIRM_CLOCK:
            self._confirmed.append(record.recorded_at)
            log.confirms = True
        if log.time is not None and record.recorded_at < log.time and sequence == log.last:
            if self._put_back(log, record.recorded_at):
                log.time = None
            else:
                self._find("time-backwards", record.iri, "the record is older than the one before it")
        log.time = max(record.recorded_at, log.time or record.recorded_at)
        return True

    def _put_back(self, log: _Log, time: int) -> bool:
        """Return whether a confirmation of the clock, each counted once for a log, explains an earlier ``time``.

        What the log itself confirmed lies before the record. Of what another log did nobody knows how much does, and
        those after the first that explains the time may explain later ones.
        """
        found = [number for number, at in enumerate(self._confirmed, 1) if number > log.confirmed and at <= time]
        if found:
            log.confirmed = len(self._confirmed) if log.confirms else found[0]
        return bool(found)

    def _slots(self, log: _Log, record: AuditRecord, values: Sequence[str]) -> list[Details | None]:
        """Steps 5 and 6: return the details of each slot, None where they are gone or unsound."""
        found: list[Details | None] = []
        for index, (commitment, text, salt) in enumerate(zip(values, record.details, record.salts, strict=True)):
            memory = record.memories[index - 1] if index else ""
            where = f"{record.iri}.{index}"
            found.append(None)
            if not salt and not text:
                log.deleted[record.sequence, index] = where
                if memory:
                    self._find("slot-mismatch", where, "the slot was deleted, but the record still names its memory")
                continue
            if _commit(salt, text.encode(errors="surrogatepass")) != commitment:
                self._find("slot-mismatch", where, "the details or their salt are not those that were committed to")
                continue
            try:
                details = found[-1] = parse_details(text, record.iri, index)
            except Malformed as error:
                self._find("bad-details", where, f"the details break a rule of their form: {error}")
                continue
            if index and details.get("memory") != [memory]:
                self._find("slot-mismatch", where, "the record is filed under another memory than its details name")
        if len(values) != 2:  # noqa: PLR2004 - the usual record is of one node
            log.slot_counts[record.sequence] = len(values)
        return found

    def _apply(self, log: _Log, record: AuditRecord, slots: Sequence[Details | None]) -> None:
        """Remember what the record says of nodes (step 9), of deleted slots (step 6) and of the row (step 10)."""
        if record.operation in _MARKING and _MARK in (slots[0] or {}).get("parameters", ()):
            self._signs_state = True
        if slots[0] is not None and "deletedSlots" in slots[0]:
            self._erasure(log, record, slots[0]["deletedSlots"])
        if slots[0] is not None and "sealedSlots" in slots[0]:
            self._sealing(log, record, slots[0]["sealedSlots"])
        if record.operation in _NOT_A_TRANSITION:
            return
        if len(slots) > 2:  # noqa: PLR2004 - the record's slot and one node's
            self._find("bad-details", record.iri, "a transition is of one node, but the record has slots of several")
        for index, details in enumerate(slots[1:], 1):
            if details is not None:
                self._expect(f"{record.iri}.{index}", details)

    def _expect(self, where: str, details: Details) -> None:
        tier = details.get("tierAfter", [""])[0]
        commitment = details.get("nodeCommitment", [None])[0]
        whole = tier in {Tier.LIVE, Tier.LATENT}
        if "memory" not in details or (not whole and tier not in _FORGOTTEN) or whole != (commitment is not None):
            message = "a slot names its memory and tier, with a commitment exactly while the memory has content"
            self._find("bad-details", where, message)
            return
        node_id = details["memory"][0]
        before, known = details.get("commitmentBefore", [None])[0], self._expected.get(node_id)
        if before is not None and known is not None and before != known.commitment:
            message = f"it was changed past the log: it was no more what {known.where} says when {where} changed it"
            self._find("node-changed", node_id, message)
        self._expected[node_id] = _Expected(tier, commitment, where)

    def _erasure(self, log: _Log, record: AuditRecord, names: Iterable[str]) -> None:
        """Step 6: accept exactly the gaps that a recorded erasure lists."""
        for name in names:
            match = _SLOT_NAME.fullmatch(name)
            slot = (int(match[1]), int(match[2])) if match else (0, 0)
            known = match and slot[0] < record.sequence and slot[1] < log.slot_counts.get(slot[0], 2)
            if record.operation != Operation.ERASE or not known:
                self._find("bad-details", record.iri, f"an erasure lists {name}, which is no slot of an earlier record")
            elif log.deleted.pop(slot, None) is None:
                self._find("erasure-undone", f"{log.iri}#{name}", "the slot was erased, but its details are there")
            else:
                log.erased.add(slot)

    def _sealing(self, log: _Log, record: AuditRecord, stretches: Iterable[str]) -> None:
        """Step 6: accept exactly the stretches that a recorded sealing lists, all of their slots without details."""
        for stretch in stretches:
            match = _STRETCH.fullmatch(stretch)
            first, last = (int(match[1]), int(match[2])) if match else (1, 0)
            if record.operation != Operation.SEAL or not first <= last < record.sequence:
                message = f"a sealing lists {stretch[:40]}, which is no stretch of earlier records"
                self._find("bad-details", record.iri, message)
                continue
            for sequence in log.gaps.between(first, last):
                for index in range(log.slot_counts.get(sequence, 2)):
                    slot = (sequence, index)
                    if log.deleted.pop(slot, None) is None and slot not in log.erased:
                        where = f"{log.iri}#{sequence}.{index}"
                        self._find("seal-undone", where, "the record was sealed, but the slot's details are there")

    # --- Tree heads ----------------------------------------------------------------------------------------------

    def expect_heads(self, heads: Iterable[TreeHead], witness: Iterable[TreeHead]) -> None:
        """Step 7 and 8: check the heads by themselves, and keep them until the tree has their size."""
        for given, outside in ((heads, False), (witness, True)):
            for head in given:
                if not outside and head.log in self._logs:
                    if head.size in self._logs[head.log].sizes:
                        self._find("duplicate", f"{head.log}#head-{head.size}", "two heads of this size are stored")
                    self._logs[head.log].sizes.append(head.size)
                if self._head(head, outside=outside):
                    log = self._logs.setdefault(head.log, _Log(head.log))
                    log.heads[head.size].append((head, outside))
        for log in self._logs.values():
            for size, same in log.heads.items():
                if len({head.root for head, _ in same}) > 1:
                    where = f"{log.iri}#head-{size}"
                    self._find("fork", where, "two signed heads of the same size have different roots")

    def _head(self, head: TreeHead, *, outside: bool) -> bool:
        where = f"{head.log}#head-{head.size}"
        try:
            core = head_core(
                log=head.log,
                size=head.size,
                root=head.root,
                recorded_at=head.recorded_at,
                signing_key=head.signing_key,
            )
        except Malformed as error:
            self._find("bad-head", where, f"the head breaks a rule of its form: {error}")
            return False
        if head.size == 0:
            # It would say nothing of the log, and any key could have signed it before the first record named one.
            self._find("bad-head", where, "a head covers at least the record that opens its log")
            return False
        sound = core == head.core and head.proof_created == second_text(head.recorded_at)
        if not sound or self._proofs.leaf(core, head.proof_value, head.proof_created, head.signing_key) is None:
            self._find("bad-head", where, "the head's signature is not over what it says")
            return False
        foreign = self._allowed is not None and head.log not in self._allowed
        if foreign or (not outside and self._tenant is not None and head.tenant != self._tenant):
            self._find("wrong-log", where, "the head belongs to a log that is not one of this tenant's")
            return False
        return True

    def _compare_heads(self, log: _Log, size: int) -> None:
        root = _multibase(log.tree.root())
        for head, outside in log.heads.pop(size):
            where = f"{log.iri}#head-{size}"
            if head.root != root and outside:
                self._find("fork", where, "the witness has another root of this size: the log was rewritten since")
            elif head.root != root:
                self._find("bad-head", where, "the head's root is not that of the records up to its size")
            elif head.signing_key not in {log.key, log.former_key}:
                self._find("unknown-key", where, "the head is signed by a key that was not in use at its size")
            else:
                log.covered = max(log.covered, size)

    def end_of_logs(self) -> None:
        """Report what the logs leave open."""
        for log in self._logs.values():
            for first, last in log.gaps:
                message = "the record is missing: it was deleted"
                if first < last:
                    message = f"the records {first} to {last} are missing: they were deleted"
                self._find("sequence-gap", f"{log.iri}#{first}", message)
            if log.last == 0 and (self._allowed or log.heads):
                self._find("missing-tail", log.iri, "the log is empty or missing")
            for size in sorted(log.heads):
                self._open_head(log, size)
            for where in log.deleted.values():
                self._find("slot-deleted", where, "the details are gone, but no recorded erasure deleted them")

    def _open_head(self, log: _Log, size: int) -> None:
        where = f"{log.iri}#head-{size}"
        if size > log.last:
            message = f"a signed head covers {size} records, but the log ends at {log.last}: its tail was cut off"
            self._find("missing-tail", where, message)
        else:
            self._find("bad-head", where, "the head cannot be recomputed, because records up to its size are missing")

    def logs(self) -> tuple[VerifiedLog, ...]:
        """Return whose logs these were, and how far they go, the longest first."""
        return tuple(
            VerifiedLog(log.iri, log.tenant, log.opened_by, log.last, log.covered)
            for log in sorted(self._logs.values(), key=lambda log: (-log.last, log.iri))
        )

    # --- Graph ---------------------------------------------------------------------------------------------------

    def memories(self, nodes: Iterable[tuple[Memory, Iterable[Edge], str | None]]) -> None:
        """Step 9 for memories."""
        for memory, edges, salt in nodes:
            expected = self._known(memory.id)
            if expected is None:
                continue
            if expected.tier in _FORGOTTEN and memory.content is not None:
                self._find("node-revived", memory.id, f"{expected.where} says {expected.tier}, but it has content")
            elif expected.tier == Tier.GONE:
                self._find("node-unexpected", memory.id, f"{expected.where} says that it is gone")
            elif expected.tier != memory.tier:
                self._find("tier-mismatch", memory.id, f"{expected.where} says {expected.tier}, not {memory.tier}")
            elif expected.commitment is None:
                self._tombstone(memory, edges, salt, expected.where)
            else:
                kept = [edge for edge in edges if edge.type not in DERIVED_EDGES]
                if _commit_lines(salt, governed_lines, memory, kept) != expected.commitment:
                    message = f"content, governed metadata or outgoing edges are not those of {expected.where}"
                    self._find("node-mismatch", memory.id, message)

    def _tombstone(self, memory: Memory, edges: Iterable[Edge], salt: str | None, where: str) -> None:
        """A tombstone has no commitment, for that would need the salt; it has nothing else that could matter."""
        if memory.payload or salt:
            self._find("node-revived", memory.id, f"{where} says tombstone, but it has a payload or a salt")
        if any(edge.type not in TOMBSTONE_EDGES for edge in edges):
            self._find("node-mismatch", memory.id, f"{where} says tombstone, but it has edges that a tombstone drops")

    def entities(self, entities: Iterable[tuple[Entity, Iterable[Edge], str | None]]) -> None:
        """Step 9 for entities."""
        for entity, edges, salt in entities:
            expected = self._known(entity.id)
            if expected is None:
                continue
            if expected.commitment is None:
                self._find("node-unexpected", entity.id, f"{expected.where} says that it is {expected.tier}")
            elif _commit_lines(salt, entity_lines, entity, edges) != expected.commitment:
                self._find("entity-mismatch", entity.id, f"fields or edges are not those of {expected.where}")

    def preferences(self, preferences: Iterable[tuple[Preference, str | None]]) -> None:
        """Step 9 for preferences."""
        for preference, salt in preferences:
            expected = self._known(preference.id)
            if expected is None:
                continue
            if expected.commitment is None:
                self._find("node-unexpected", preference.id, f"{expected.where} says that it is {expected.tier}")
            elif _commit_lines(salt, _preference_lines, preference, ()) != expected.commitment:
                self._find("preference-mismatch", preference.id, f"its fields are not those of {expected.where}")

    def _known(self, node_id: str) -> _Expected | None:
        if node_id in self._seen:
            self._find("duplicate", node_id, "the graph has two nodes of this id")
            return None
        self._seen.add(node_id)
        expected = self._expected.get(node_id)
        if expected is None:
            self._find("node-unexpected", node_id, "no record of the log is about this node")
        return expected

    def end_of_graph(self) -> None:
        """Report the nodes that the log knows and the graph does not have."""
        for node_id, expected in self._expected.items():
            if node_id not in self._seen and expected.tier != Tier.GONE:
                self._find("node-missing", node_id, f"{expected.where} says {expected.tier}, but it is not there")

    # --- State ---------------------------------------------------------------------------------------------------

    def state(self, stored: StoredState) -> None:
        """Step 10."""
        ends = {
            log.iri: LogEnd(log.last, log.leaf, log.key, frozenset(log.keys), tuple(log.sizes))
            for log in self._logs.values()
        }

        def proved(text: str, proof: str, created: str, method: str) -> bool:
            return self._proofs.leaf(text, proof, created, method) is not None

        self.findings += state_findings(stored, ends, proved, marked=self._signs_state)


def _announced(details: Details | None) -> str | None:
    """Return the verification method that a record slot announces."""
    key = (details or {}).get("publicKey", [None])[0]
    return None if key is None else f"did:key:{key}#{key}"


def _commit(salt: str | None, data: bytes) -> str | None:
    """Return HMAC-SHA256 of ``data`` under ``salt`` in multibase base64url, or None if ``salt`` is none."""
    if not salt or HASH32.fullmatch(salt) is None:
        return None
    key = a2b_base64(salt[1:].encode().translate(_FROM_URL) + b"=")
    return _multibase(hmac.digest(key, data, "sha256"))


def _multibase(data: bytes) -> str:
    """Return 32 bytes in multibase base64url."""
    return "u" + b2a_base64(data, newline=False)[:-1].translate(_TO_URL).decode()


def _preference_lines(preference: Preference, _edges: Iterable[Edge]) -> list[str]:
    """Return the lines of a preference, which has no edges."""
    return preference_lines(preference)


def _commit_lines(
    salt: str | None, lines: Callable[[_Node, Iterable[Edge]], list[str]], node: _Node, edges: Iterable[Edge]
) -> str | None:
    """Return the commitment to a node, or None where its values are none that could have been committed to."""
    try:
        return _commit(salt, canonical(lines(node, edges)))
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        return None


def _base58(text: str, size: int) -> bytes | None:
    """Return the ``size`` bytes of a base58btc text, or None if it is not the canonical text of so many."""
    digits = text.encode(errors="replace").translate(_BASE58)
    if not digits or len(digits) > _MAX_DIGITS or _NO_DIGIT in digits:
        return None
    number = 0
    # Eight digits at a time fit a machine word, so that the large number is multiplied eight times less often.
    for a, b, c, d, e, f, g, h in zip(*[iter(digits.rjust(_MAX_DIGITS, b"\0"))] * 8, strict=True):
        number = number * 58**8 + (((((((a * 58 + b) * 58 + c) * 58 + d) * 58 + e) * 58 + f) * 58 + g) * 58 + h)
    if number.bit_length() > size * 8:
        return None
    data = number.to_bytes(size, "big")
    # Leading zero bytes are written as leading ones: neither more nor fewer.
    return data if len(text) - len(text.lstrip("1")) == size - len(data.lstrip(b"\0")) else None
