"""Checking a tenant: its shapes, its audit, and that the graph is what both say.

Guarantees: a check reads and never writes; it goes through the store page by page; it reports everything that it finds,
by a stable code, and no content.
"""

from __future__ import annotations

import threading
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Any

from marskg.audit.merkle import inclusion_proof
from marskg.audit.verify import verify_log
from marskg.errors import InvalidInput
from marskg.ontology.mapping import entity_lines, memory_lines, preference_lines
from marskg.ontology.vocabulary import EdgeType, Kind, Tier
from marskg.records import Finding, Report
from marskg.store.order import KEY_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from marskg.records import Edge, Memory, TreeHead
    from marskg.store.engine import Row
    from marskg.store.opening import Opened
    from marskg.store.state import TenantState


def validate(opened: Opened, state: TenantState, *, full: bool) -> Report:
    """Validate what changed in the last records against the SHACL shapes, or with ``full`` the whole tenant.

    A full validation adds the bookkeeping that shapes cannot see: the narrative chain (I6), protection and blocking
    counts, order keys on evictable nodes only, the tenant's weights against the sums over its nodes, the budget (I1).
    """
    if not full:
        return validate_recent(opened, state)
    from marskg.shapes.validate import validate_graph  # noqa: PLC0415 - as in validate_recent

    report = validate_graph(_lines(opened))
    return Report(report.checked, (*report.findings, *_bookkeeping(opened, state)))


def validate_recent(opened: Opened, state: TenantState, records: int = 256) -> Report:
    """Validate the neighbourhood of the memories that the last ``records`` audit records are about, by the referee."""
    lines, focus = _neighbourhood(opened, state, records)
    # Only here: it brings rdflib and two SHACL engines, which a store that is merely opened does without.
    from marskg.shapes.validate import validate_neighbourhood  # noqa: PLC0415

    return validate_neighbourhood(lines, focus) if focus else Report(0)


class WriteValidator:
    """Validates one write after another: the shapes are read once, and the fast engine runs them.

    Guarantees: the same verdict as :func:`validate_recent`, whose engine is the referee; several threads may share an
    instance.
    """

    def __init__(self, opened: Opened) -> None:
        """Validate writes to the tenant that is open."""
        self._opened = opened
        self._lock = threading.Lock()
        from marskg.shapes.validate import NeighbourhoodValidator  # noqa: PLC0415 - as in validate_recent

        self._validator = NeighbourhoodValidator("rudof")

    def last(self, state: TenantState, records: int = 1) -> Report:
        """Validate what the last ``records`` audit records are about, with its neighbourhood."""
        lines, focus = _neighbourhood(self._opened, state, records)
        with self._lock:
            return self._validator.validate(lines, focus) if focus else Report(0)


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


def verify(opened: Opened, state: TenantState, witness: Iterable[TreeHead] = ()) -> Report:
    """Verify both logs, their heads, and the graph against them; see :func:`marskg.audit.verify.verify_log`."""
    reader = opened.reader
    return verify_log(
        chain(reader.records("t"), reader.records("a")),
        reader.heads(state.log),
        tenant=state.name,
        logs=(state.log, state.access_log),
        nodes=reader.memories(),
        entities=reader.entities(),
        preferences=reader.preferences(),
        witness=witness,
        trusted_keys={file.public_key for file in opened.keyring.files()},
    )


def _lines(opened: Opened) -> Iterator[str]:
    for memory, edges, _ in opened.reader.memories():
        yield from memory_lines(memory, edges)
    for entity, edges, _ in opened.reader.entities():
        yield from entity_lines(entity, edges)
    for preference, _ in opened.reader.preferences():
        yield from preference_lines(preference)


def _bookkeeping(opened: Opened, state: TenantState) -> list[Finding]:
    findings: list[Finding] = []
    sums = dict.fromkeys(("weight", "latent", "protected"), 0)
    books = _Books(opened.reader.guarding())
    for memory, edges, _ in opened.reader.memories():
        books.enter(memory, edges)
    for row in opened.reader.physical():
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


def prove(opened: Opened, state: TenantState, sequence: int) -> dict[str, Any]:
    """Return the inclusion proof of one record of the transition log in the newest signed head.

    Raises:
        InvalidInput: there is no such record, or no signed head covers it yet.
    """
    heads = opened.reader.heads(state.log)
    if not heads or not 1 <= sequence <= heads[-1].size:
        covered = heads[-1].size if heads else 0
        msg = (
            f"record {sequence} is not among the {covered} that a signed head covers; "
            "sign one with: mars audit head --sign"
        )
        raise InvalidInput(msg)
    head = heads[-1]
    leaves = list(islice(opened.reader.leaves("t", 1), head.size))
    return {
        "log": head.log,
        "sequence": sequence,
        "leafIndex": sequence - 1,
        "leafHash": leaves[sequence - 1].hex(),
        "treeSize": head.size,
        "rootHash": head.root,
        "inclusionPath": [item.hex() for item in inclusion_proof(leaves, sequence - 1)],
    }
