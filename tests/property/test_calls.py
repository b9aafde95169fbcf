"""Random calls of the public API on both engines: whatever is accepted is sound, loads back and can be erased.

Each long history, in clear or encrypted in turn, has had each call done at least once: one that is always refused tries
nothing.

The long histories are lived in ``make proof``: ``GATE_CALLS`` says how many calls each has, and ``GATE_SEEDS`` how many
of them there are on each engine.
"""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING, ClassVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from marskg.api.operations import operations
from tests.property.test_histories import controlled
from tests.support import stores as support
from tests.support.calls import APART, CALLS, READS, Calls

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.neo4j import Neo4jAddress
    from tests.support.stores import Stores

NAMES = [name for name, often in CALLS.items() for _ in range(often)]
SEEDS = st.integers(0, 2**32 - 1)
#: After so many calls the store as a whole is judged.
JUDGED = 20
#: How a tenant stores its contents, in turn.
ENCRYPTION = ("off", "subjects")


@pytest.fixture(scope="module")
def embedded_stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Give the embedded engine."""
    opened = support.embedded(tmp_path_factory.mktemp("calls") / "store")
    yield opened
    opened.engine.close()


@pytest.fixture(scope="module")
def server_stores(neo4j_server: Neo4jAddress, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Give a real Neo4j."""
    opened = support.server(neo4j_server, tmp_path_factory.mktemp("home"))
    yield opened
    opened.engine.close()


class Machine(RuleBasedStateMachine):
    """Random calls, which Hypothesis shortens when something is found."""

    stores: ClassVar[Stores]
    folder: ClassVar[Path]

    def __init__(self) -> None:
        super().__init__()
        self.calls = Calls(self.stores, self.folder)
        self.made = 0

    @precondition(lambda self: not self.calls.ids)
    @rule(seed=SEEDS)
    def begin(self, seed: int) -> None:
        """Store the first memory."""
        self.calls.step("remember", Random(seed))

    @precondition(lambda self: self.calls.ids)
    @rule(name=st.sampled_from(NAMES), seed=SEEDS)
    def call(self, name: str, seed: int) -> None:
        """Make one call."""
        self.calls.step(name, Random(seed))
        self.made += 1
        if self.made % JUDGED == 0:
            assert self.calls.judge() == []

    def teardown(self) -> None:
        """Judge the store as a whole."""
        assert self.calls.judge_at_the_end(Random(self.made)) == []


def made(stores: Stores, folder: Path, *, examples: int, steps: int) -> None:
    """Make random calls."""
    machine = type("CallMachine", (Machine,), {"stores": stores, "folder": folder})
    run_state_machine_as_test(machine, settings=controlled(examples, steps))


def made_at_length(stores: Stores, folder: Path, seed: int) -> None:
    """Make as many calls in one tenant as ``GATE_CALLS`` says."""
    chance = Random(seed)
    calls = Calls(stores, folder, seed=seed, encryption=ENCRYPTION[seed % 2])
    for number in range(1, int(os.environ.get("GATE_CALLS", "400")) + 1):
        name, own = chance.choice(NAMES), chance.getrandbits(32)
        calls.step(name, Random(own))
        if number % JUDGED == 0:
            assert calls.judge() == [], f"seed {seed}, call {number}: {name} {own}"
    assert calls.never(chance) == [], f"seed {seed}"
    assert calls.judge_at_the_end(chance) == [], f"seed {seed}"


def test_each_operation_that_changes_a_graph_is_called() -> None:
    named = {one.name for one in operations() if not one.name.startswith("privacy.private_mode().")}
    assert named - CALLS.keys() == READS | APART.keys()
    assert all(callable(getattr(Calls, name.replace(".", "_"))) for name in CALLS)


@pytest.mark.slow
def test_what_calls_leave_is_sound(embedded_stores: Stores, tmp_path_factory: pytest.TempPathFactory) -> None:
    made(embedded_stores, tmp_path_factory.mktemp("calls"), examples=2, steps=30)


def test_what_calls_leave_on_a_server_is_sound(server_stores: Stores, tmp_path_factory: pytest.TempPathFactory) -> None:
    made(server_stores, tmp_path_factory.mktemp("calls"), examples=1, steps=20)


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(int(os.environ.get("GATE_SEEDS", "1"))))
def test_what_many_calls_leave_is_sound(embedded_stores: Stores, tmp_path: Path, seed: int) -> None:
    made_at_length(embedded_stores, tmp_path, seed)


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(int(os.environ.get("GATE_SEEDS", "1"))))
def test_what_many_calls_leave_on_a_server_is_sound(server_stores: Stores, tmp_path: Path, seed: int) -> None:
    made_at_length(server_stores, tmp_path, seed)
