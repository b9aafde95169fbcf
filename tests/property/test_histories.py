"""All nine invariants and the protected set, after every step of random histories, on both engines.

:mod:`tests.support.history` has the steps and what each is held to, :mod:`tests.support.picture` works the invariants
out anew from nodes and edges; ``test_histories_checker.py`` shows that each of them is found when it is broken.
"""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from tests.support import picture as pictures
from tests.support import stores as support
from tests.support.history import STEPS, History

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.neo4j import Neo4jAddress
    from tests.support.stores import Stores

NAMES = [name for name, often in STEPS.items() for _ in range(often)]
#: A step draws what it needs from a generator of its own: Hypothesis leaves out steps, and changes whole ones.
SEEDS = st.integers(0, 2**32 - 1)
#: What there must be for most steps to have something to do.
FIRST = ("remember", "remember_many", "change_settings")


def controlled(examples: int, steps: int) -> settings:
    """Return how many histories of how many steps are tried; HYPOTHESIS_PROFILE=thorough tries twenty times as many."""
    if os.environ.get("HYPOTHESIS_PROFILE") == "thorough":
        examples *= 20
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    # Explaining a failure would trace every line of histories that take seconds each.
    phases = [phase for phase in Phase if phase is not Phase.explain]
    return settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=checks, phases=phases
    )


@pytest.fixture(scope="module")
def embedded_stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Give the embedded engine."""
    opened = support.embedded(tmp_path_factory.mktemp("histories") / "store")
    yield opened
    opened.engine.close()


@pytest.fixture(scope="module")
def second_stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Give another database of the embedded engine."""
    opened = support.embedded(tmp_path_factory.mktemp("histories-again") / "store")
    yield opened
    opened.engine.close()


@pytest.fixture(scope="module")
def server_stores(neo4j_server: Neo4jAddress, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Give a real Neo4j."""
    opened = support.server(neo4j_server, tmp_path_factory.mktemp("home"))
    yield opened
    opened.engine.close()


class Machine(RuleBasedStateMachine):
    """One random history, which Hypothesis shortens when it breaks something."""

    stores: ClassVar[Stores]

    def __init__(self) -> None:
        super().__init__()
        self.history = History(self.stores)

    @precondition(lambda self: len(self.history.known) < 4)
    @rule(name=st.sampled_from(FIRST), seed=SEEDS)
    def begin(self, name: str, seed: int) -> None:
        """Have something to forget."""
        self.history.step(name, Random(seed))

    @rule(name=st.sampled_from(NAMES), seed=SEEDS)
    def step(self, name: str, seed: int) -> None:
        """Do one thing and check what it did (I1-I8)."""
        self.history.step(name, Random(seed))

    def teardown(self) -> None:
        """Hold the audit, the shapes and the neighbour to what was promised."""
        self.history.finish()


def live(stores: Stores, examples: int, steps: int) -> None:
    """Live random histories on one engine."""
    machine = type("HistoryMachine", (Machine,), {"stores": stores})
    run_state_machine_as_test(machine, settings=controlled(examples, steps))


@pytest.mark.slow
def test_short_histories_keep_every_invariant(embedded_stores: Stores) -> None:
    live(embedded_stores, examples=5, steps=16)


@pytest.mark.proof
def test_long_histories_keep_every_invariant(embedded_stores: Stores) -> None:
    live(embedded_stores, examples=15, steps=40)


def test_a_short_history_on_a_server_keeps_every_invariant(server_stores: Stores) -> None:
    live(server_stores, examples=1, steps=16)


@pytest.mark.proof
def test_histories_on_a_server_keep_every_invariant(server_stores: Stores) -> None:
    live(server_stores, examples=6, steps=30)


# --- I9 -----------------------------------------------------------------------------------------------------------


class Twins(RuleBasedStateMachine):
    """The same history in two stores, step by step."""

    pair: ClassVar[tuple[Stores, Stores]]
    folder: ClassVar[Path]
    lived: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        type(self).lived += 1
        self.homes = [self.folder / f"{self.lived}-{number}" for number in range(2)]
        # Keys and clocks of their own, so that both start from the same secrets and the same time.
        homes = zip(self.pair, self.homes, strict=True)
        fresh = [replace(stores, location=str(home), clocks={}) for stores, home in homes]
        tenant = f"{self.folder.name}-{self.lived}"
        self.twins = [History(stores, tenant) for stores in fresh]

    @rule(name=st.sampled_from(NAMES), seed=SEEDS)
    def step(self, name: str, seed: int) -> None:
        """Do the same on both sides and compare what it did."""
        for history in self.twins:
            history.step(name, Random(seed))
        one, other = self.twins
        assert one.log == other.log, "I9: one was refused"
        assert [plan.digest for plan in one.plans] == [plan.digest for plan in other.plans], "I9: plans"

    def teardown(self) -> None:
        """Compare all that the histories left."""
        (one, first), (other, second) = zip(self.twins, self.homes, strict=True)
        assert one.plans == other.plans, "I9: plans"
        pictures.assert_equal(one.picture(), other.picture())
        assert one.audit(first) == other.audit(second), "I9: audit bytes"


def compare(pair: tuple[Stores, Stores], folder: Path, examples: int, steps: int) -> None:
    """Live the same random histories on both."""
    machine = type("TwinMachine", (Twins,), {"pair": pair, "folder": folder})
    run_state_machine_as_test(machine, settings=controlled(examples, steps))


def test_the_same_history_gives_the_same_bytes(
    embedded_stores: Stores, second_stores: Stores, tmp_path_factory: pytest.TempPathFactory
) -> None:
    compare((embedded_stores, second_stores), tmp_path_factory.mktemp("twins"), examples=2, steps=15)


@pytest.mark.proof
def test_long_histories_give_the_same_bytes(
    embedded_stores: Stores, second_stores: Stores, tmp_path_factory: pytest.TempPathFactory
) -> None:
    compare((embedded_stores, second_stores), tmp_path_factory.mktemp("twins"), examples=4, steps=40)


def test_both_engines_give_the_same_plans_and_bytes(
    embedded_stores: Stores, server_stores: Stores, tmp_path_factory: pytest.TempPathFactory
) -> None:
    compare((embedded_stores, server_stores), tmp_path_factory.mktemp("engines"), examples=1, steps=20)


@pytest.mark.proof
def test_long_histories_on_both_engines_give_the_same_plans_and_bytes(
    embedded_stores: Stores, server_stores: Stores, tmp_path_factory: pytest.TempPathFactory
) -> None:
    compare((embedded_stores, server_stores), tmp_path_factory.mktemp("engines"), examples=4, steps=30)
