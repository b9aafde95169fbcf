"""Checking a tenant: its shapes, its audit, and that the graph is what both say.

Guarantees: a check reads and never writes; what it compares is of one moment, whoever writes meanwhile
(:mod:`marskg.store.commit.consistent_read`); it holds a page at a time; it reports everything that it finds, by a
stable code, and no content.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, TypedDict

from marskg.audit.document import signed_head
from marskg.audit.merkle import consistency_proof, inclusion_proof
from marskg.audit.verify import verify_log
from marskg.audit.verify_state import StoredState
from marskg.errors import InvalidInput
from marskg.ontology.mapping import entity_lines, memory_lines, preference_lines
from marskg.ontology.vocabulary import EdgeType, Kind, Tier
from marskg.records import Finding, Report
from marskg.store.rows.order_keys import KEY_NAMES
from marskg.store.tenant.derived import derived_findings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from marskg.audit.document import SignedHead
    from marskg.audit.keys import Keyring
    from marskg.records import Edge, Memory, TreeHead
    from marskg.store.commit.consistent_read import ConsistentRead
    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Row
    from marskg.store.rows.state import Services, TenantState
    from marskg.store.tenant.opening import Opened


def validate(copy: ConsistentRead) -> Report:
    """Validate a whole tenant against the SHACL shapes.

    This validation adds the bookkeeping that shapes cannot see: the narrative chain (I6), protection and blocking
    counts, order keys on evictable nodes only, the tenant's weights against the sums over its nodes, the budget (I1).
    """
    from marskg.shapes.validate import validate_graph  # noqa: PLC0415 - as in validate_recent

    report = validate_graph(_lines(copy))
    findings = (*report.findings, *_bookkeeping(copy))
    return Report(report.checked, (*findings, *_damage(copy)))


def _damage(copy: ConsistentRead) -> Iterator[Finding]:
    """Yield what is not as this package writes it, by id and property."""
    return (Finding("damaged", ident, message) for ident, message in (copy.damage or {}).items())


def validate_recent(opened: Opened, writer: Writer, records: int = 256) -> Report:
    """Validate the neighbourhood of the memories that the last ``records`` audit records are about, by the referee."""
    with writer.held() as state:
        lines, focus = _neighbourhood(opened, state, records)
    # Only here: it brings rdflib and two SHACL engines, which a store that is merely opened does without.
    from marskg.shapes.validate import validate_neighbourhood  # noqa: PLC0415

    return validate_neighbourhood(lines, focus) if focus else Report(0)


def validate_write(opened: Opened, state: TenantState, records: int = 1) -> Report:
    """Validate what the last ``records`` audit records are about, with its neighbourhood, by the fast engine.

    Guarantees: the same verdict as :func:`validate_recent`, whose engine is the referee.
    """
    lines, focus = _neighbourhood(opened, state, records)
    from marskg.shapes.validate import validate_neighbourhood  # noqa: PLC0415 - as in validate_recent

    return validate_neighbourhood(lines, focus, engine="rudof") if focus else Report(0)


def _neighbourhood(opened: Opened, state: TenantState, records: int) -> tuple[list[str], set[str]]:
    """Return the lines of what the last records changed with all that the shapes look at, and the affected nodes.

    Affected is what changed and whatever has an edge to it: by induction the direct neighbours suffice (every earlier
    state was valid).
    """
    reader = opened.reader
    changed = {node for record in reader.records("t", max(1, state.sequence - records + 1)) for node in record.memories}
    sources = {edge.source for edge in reader.edges_to(sorted(changed))}
    focus = {}
    targets: set[str] = set()
    for memory, edges, _ in reader.nodes(sorted(changed | sources)):
        focus[memory.id] = memory_lines(memory, edges)
        targets |= {edge.target for edge in edges}
    lines = [line for found in focus.values() for line in found]
    around = sorted(targets - set(focus))
    if around:
        for memory, edges, _ in reader.nodes(around):
            lines += memory_lines(memory, edges)
        for entity, own, _ in reader.entities_by_id(around):
            lines += entity_lines(entity, own)
    return lines, set(focus)


def verify(copy: ConsistentRead, keyring: Keyring, services: Services, witness: Iterable[TreeHead] = ()) -> Report:
    """Verify both logs, their heads, and the graph against them; see :func:`marskg.audit.verify.verify_log`."""
    state = copy.state
    report = verify_log(
        chain(copy.records("t"), copy.records("a")),
        [*copy.heads(state.log), *copy.heads(state.access_log)],
        tenant=state.name,
        logs=(state.log, state.access_log),
        nodes=copy.memories(),
        entities=copy.entities(),
        preferences=copy.preferences(),
        witness=witness,
        trusted_keys={file.public_key for file in keyring.files()},
        state=StoredState(copy.tenant_row, copy.suppressions, [str(key.get("publicKey")) for key in copy.keys]),
    )
    there = (one for one in report.findings if one.code != "node-missing" or one.where not in (copy.damage or {}))
    return replace(report, findings=(*there, *_damage(copy), *derived_findings(copy, services)))


def _lines(copy: ConsistentRead) -> Iterator[str]:
    for memory, edges, _ in copy.memories():
        yield from memory_lines(memory, edges)
    for entity, edges, _ in copy.entities():
        yield from entity_lines(entity, edges)
    for preference, _ in copy.preferences():
        yield from preference_lines(preference)


def _bookkeeping(copy: ConsistentRead) -> list[Finding]:
    findings: list[Finding] = []
    state = copy.state
    sums = dict.fromkeys(("weight", "latent", "protected"), 0)
    books = _Books({row["id"] for row in copy.physical() if row["guarding"] is True})
    for memory, edges, _ in copy.memories():
        books.enter(memory, edges)
    for row in copy.physical():
        if not isinstance(row["tier"], str):
            continue  # told of where its properties are read
        counts = [row[name] for name in ("weight", "guards", "blockers")]
        if not all(one is None or type(one) is int for one in counts) or row["weight"] is None:
            message = "weight, guards or blockers of a memory is no number: this package did not write it so"
            findings.append(Finding("damaged", str(row["id"]), message))
            continue
        findings += books.check(row)
        sums["weight"] += row["weight"] if row["tier"] == Tier.LIVE else 0
        sums["latent"] += row["weight"] if row["tier"] == Tier.LATENT else 0
        sums["protected"] += row["weight"] if row["tier"] == Tier.LIVE and (row["guards"] or 0) > 0 else 0
    findings += books.check_chain()
    stored = {"weight": state.weight, "latent": state.latent_weight, "protected": state.protected_weight}
    for name, total in sums.items():
        if stored[name] != total:
            message = f"the tenant's row says {stored[name]} tokens, its memories weigh {total}"
            findings.append(Finding(f"{name}-sum", state.name, message))
    if sums["weight"] > state.budget:
        message = f"the live tier weighs {sums['weight']}, the budget is {state.budget} (I1)"
        findings.append(Finding("budget", state.name, message))
    return findings


class _Books:
    """What protection, blocking and chain must be, worked out from nodes and edges alone."""

    def __init__(self, guarding: set[str]) -> None:
        self._guarding = guarding
        self._depends: dict[str, list[str]] = {}
        self._requires: dict[str, list[str]] = {}
        self._roots: set[str] = set()
        self._episodes: dict[str, list[tuple[int, int, str]]] = {}
        self._next: dict[str, str] = {}
        self._guards: dict[str, int] | None = None
        self._blockers: dict[str, int] = {}
        self._pinned: set[str] = set()

    def enter(self, memory: Memory, edges: Iterable[Edge]) -> None:
        """Take in one memory."""
        whole = memory.content is not None
        if memory.pinned:
            self._pinned.add(memory.id)
        if whole and memory.kind is Kind.EPISODIC:
            place = (memory.valid_from, memory.sequence, memory.id)
            self._episodes.setdefault(memory.session or "", []).append(place)
        for edge in edges:
            if edge.type is EdgeType.TEMPORAL_NEXT:
                self._next[memory.id] = edge.target
            elif edge.type is EdgeType.DEPENDS_ON and whole:
                self._depends.setdefault(memory.id, []).append(edge.target)
                self._blockers[edge.target] = self._blockers.get(edge.target, 0) + 1
            elif edge.type is EdgeType.REQUIRES and whole:
                self._requires.setdefault(memory.id, []).append(edge.target)

    def _expected(self) -> dict[str, int]:
        guards: dict[str, int] = {}
        pending = [*self._pinned, *self._guarding]
        pending += [target for task in self._guarding for target in self._requires.get(task, ())]
        while pending:
            node_id = pending.pop()
            guards[node_id] = guards.get(node_id, 0) + 1
            if guards[node_id] == 1:
                pending += self._depends.get(node_id, ())
        return guards

    def check(self, row: Row) -> list[Finding]:
        """Compare the stored bookkeeping of one node with what it must be."""
        if self._guards is None:
            self._guards = self._expected()
        node_id = row["id"]
        findings = []
        if row["tier"] in {Tier.LIVE, Tier.LATENT}:
            for name, expected in (("guards", self._guards), ("blockers", self._blockers)):
                if (row[name] or 0) != expected.get(node_id, 0):
                    message = f"{name} is {row[name]}, its edges make it {expected.get(node_id, 0)}"
                    findings.append(Finding(name, node_id, message))
        free = row["tier"] == Tier.LIVE and not row["guards"] and not row["blockers"]
        if any((row[name] is not None) != free for name in KEY_NAMES):
            findings.append(Finding("order-key", node_id, "order keys belong on evictable memories, and only there"))
        return findings

    def check_chain(self) -> list[Finding]:
        """Compare the temporalNext edges with the order of the episodes of each session (I6)."""
        findings = []
        expected: dict[str, str] = {}
        for episodes in self._episodes.values():
            ordered = [place[2] for place in sorted(episodes)]
            expected.update(pairwise(ordered))
        for node_id in sorted({*expected, *self._next}):
            if expected.get(node_id) != self._next.get(node_id):
                message = "temporalNext does not lead to the next episode with content of its session (I6)"
                findings.append(Finding("chain", node_id, message))
        return findings


class InclusionProof(TypedDict):
    """That a record is in the tree of a signed head, by the names of RFC 9162; hashes are hexadecimal."""

    log: str
    sequence: int
    leafIndex: int
    leafHash: str
    treeSize: int
    rootHash: str
    inclusionPath: list[str]


class ConsistencyProof(TypedDict):
    """That the tree of the signed ``head`` begins with that of ``firstTreeSize`` records, by the names of RFC 9162."""

    firstTreeSize: int
    consistencyPath: list[str]
    head: SignedHead


def prove(opened: Opened, state: TenantState, sequence: int) -> InclusionProof:
    """Return the inclusion proof of one record of the transition log in the newest signed head.

    Raises:
        InvalidInput: there is no such record, or no signed head covers it yet.
    """
    head, leaves = _covered(opened, state, sequence, f"record {sequence} is")
    return {
        "log": head.log,
        "sequence": sequence,
        "leafIndex": sequence - 1,
        "leafHash": leaves[sequence - 1].hex(),
        "treeSize": head.size,
        "rootHash": head.root,
        "inclusionPath": [item.hex() for item in inclusion_proof(leaves, sequence - 1)],
    }


def prove_consistency(opened: Opened, state: TenantState, size: int) -> ConsistencyProof:
    """Return the proof that the tree of the newest signed head begins with that of ``size`` records, and that head.

    Raises:
        InvalidInput: there were never so many records, or no signed head covers them yet.
    """
    head, leaves = _covered(opened, state, size, f"a tree of {size} records is")
    return {
        "firstTreeSize": size,
        "consistencyPath": [item.hex() for item in consistency_proof(leaves, size)],
        "head": signed_head(head),
    }


def _covered(opened: Opened, state: TenantState, sequence: int, what: str) -> tuple[TreeHead, list[bytes]]:
    """Return the newest signed head of the transition log and the leaves under it, ``sequence`` among them."""
    heads = opened.reader.heads(state.log)
    covered = heads[-1].size if heads else 0
    if not 1 <= sequence <= covered:
        msg = f"{what} not among the {covered} that a signed head covers; sign one with: mars audit head --sign"
        raise InvalidInput(msg)
    return heads[-1], list(islice(opened.reader.leaves("t", 1), covered))
