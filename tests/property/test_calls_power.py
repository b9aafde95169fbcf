"""The power of the random calls: each hole that is planted in the gate is found by them.

The same calls find nothing without the hole (``test_calls.py``).
"""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from marskg.ontology.vocabulary import EdgeType, SourceType, TaskStatus
from marskg.records import Edge
from marskg.shapes import gate
from marskg.store.commit import flush
from marskg.store.graph import summaries
from marskg.store.ingest import ingestor
from marskg.store.unit import edge_rules, write_gate
from tests.property.test_calls import JUDGED, NAMES
from tests.support import stores as support
from tests.support.calls import Calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from marskg.records import Finding, Memory
    from marskg.shapes.gate import NodeFacts
    from marskg.store.unit.unit_of_work import Node, Unit
    from tests.support.stores import Stores

Patch = pytest.MonkeyPatch
#: Tenants that are filled, and calls in each, before a hole counts as not found.
SEEDS, LENGTH = 24, 90
#: Those that are found within seconds; ``make proof`` looks for all.
SOON = {"no unit passes the gate", "an active task requires what is gone", "a summary derives from itself"}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Give the embedded engine."""
    opened = support.embedded(tmp_path_factory.mktemp("holes") / "store")
    yield opened
    opened.engine.close()


def _gone(owner: Any, name: str, value: Any) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(owner, name, value)


def _chain_unchecked(patch: Patch) -> None:
    patch.setattr(edge_rules, "OWN_EDGES", {})
    patch.setattr(gate, "_chain_rules", lambda *_: [])


def _summary_unchecked(patch: Patch) -> None:
    """Let a summary derive from itself, and nobody look at summaries."""
    link, check = summaries._link, gate.check_memory

    def drawn(unit: Unit, node: Node, nodes: Sequence[Node]) -> None:
        link(unit, node, nodes)
        unit.link(node, Edge(node.memory.id, EdgeType.DERIVES_FROM, node.memory.id, unit.now))

    def passed(memory: Memory, edges: Iterable[Edge], targets: Mapping[str, NodeFacts]) -> list[Finding]:
        return [] if memory.source_type is SourceType.REFLECTION else check(memory, edges, targets)

    patch.setattr(summaries, "_link", drawn)
    patch.setattr(write_gate, "check_memory", passed)


HOLES: dict[str, Callable[[Patch], None]] = {
    "no unit passes the gate": _gone(flush, "check_unit", lambda _unit: None),
    "cycles are not looked for": _gone(write_gate, "closing_edges", lambda _unit: frozenset()),
    "callers draw the chain, which nobody checks": _chain_unchecked,
    "callers draw the store's edges": _gone(edge_rules, "OWN_EDGES", {}),
    "anything requires": _gone(gate, "_TASK_EDGES", frozenset()),
    "an edge ends anywhere": _gone(gate, "_end_exists", lambda *_: True),
    "any kind has a state": _gone(gate, "_payload_rules", lambda *_: []),
    "an id has any form": _gone(gate, "NODE_ID", re.compile("urn:uuid:")),
    "an active task requires what is gone": _gone(gate, "_CLOSED", frozenset(TaskStatus)),
    "a summary derives from itself": _summary_unchecked,
    "an id names several things": _gone(ingestor, "check_new_ids", lambda *_: None),
}


def found(stores: Stores, folder: Path) -> str | None:
    """Return what random calls find first, or None."""
    for seed in range(SEEDS):
        chance = Random(seed)
        calls = Calls(stores, folder, seed=seed)
        try:
            for number in range(1, LENGTH + 1):
                calls.step(chance.choice(NAMES), Random(chance.getrandbits(32)))
                faults = calls.judge() if number % JUDGED == 0 else []
                if faults:
                    return faults[0]
            faults = calls.judge_at_the_end(chance)
        except Exception as error:  # noqa: BLE001 - behind a hole anything may be raised, and that is found as well
            return f"{type(error).__name__}: {error}"
        if faults:
            return faults[0]
    return None


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in SOON else pytest.mark.proof) for name in HOLES]
)
def test_a_hole_that_is_planted_is_found(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    HOLES[name](monkeypatch)
    assert found(stores, tmp_path) is not None
