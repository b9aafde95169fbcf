"""Learning theta from the access log of a store: what is learned, how it is judged, and when it is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from marskg.config import Settings
from marskg.errors import InvalidInput
from marskg.ontology.vocabulary import Kind
from tests.support.stores import Stores

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from marskg.memory import AgentMemory


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    from marskg.store.engine.arcadedb import ArcadeDB  # noqa: PLC0415 - loads the engine
    from marskg.store.statements.schema import migrate  # noqa: PLC0415

    folder = tmp_path_factory.mktemp("fit")
    engine = ArcadeDB(folder)
    migrate(engine)
    yield Stores(engine, str(folder))
    engine.close()


def taught(stores: Stores, rounds: int) -> AgentMemory:
    """Return a memory in which what states a high generality was of use, and nothing else."""
    memory = stores.open(step_ms=0)
    general: list[str] = []
    special: list[str] = []
    for number in range(12):
        payload = {"generality_score": 0.9 if number % 2 else 0.1}
        one = memory.remember(f"Rule {number} of the garden", kind="semantic", payload=payload)
        (general if number % 2 else special).append(one.id)
    for _ in range(rounds):
        hits = memory.retrieve("rules of the garden", k=12, token_budget=400)
        shown = {hit.memory.id for hit in hits}
        memory.feedback(str(hits.id), used=sorted(shown & set(general)), unused=sorted(shown & set(special)))
    return memory


def test_what_was_of_use_is_learned_and_beats_what_was_before(stores: Stores, tmp_path: Path) -> None:
    memory = taught(stores, 12)
    weights = memory.settings.current.policy.density.theta[Kind.SEMANTIC]
    found = {one.kind: one for one in memory.policy.fit().kinds}
    fact = found[Kind.SEMANTIC]
    assert fact.theta is not None
    assert fact.fitted is not None
    assert fact.before is not None
    assert fact.theta["generality"] > weights["generality"]
    assert sum(fact.theta.values()) == pytest.approx(sum(weights.values()), abs=1e-4)
    assert min(fact.theta.values()) >= 0
    assert fact.fitted.area >= fact.before.area
    assert fact.fitted.log_loss < fact.before.log_loss
    assert 0 < fact.held_out < fact.outcomes
    assert found[Kind.SOCIAL].theta is None
    file = tmp_path / "theta.yaml"
    file.write_text(memory.policy.fit().as_yaml(), encoding="utf-8")
    assert set(yaml.safe_load(file.read_text())["policy"]["density"]["theta"]) == {"semantic"}
    assert Settings.from_yaml(file).policy.density.theta[Kind.SEMANTIC] == pytest.approx(dict(fact.theta))
    assert json.loads(json.dumps(dict(fact.theta)))


def test_too_few_outcomes_are_refused_with_the_number_that_is_needed(stores: Stores) -> None:
    with pytest.raises(InvalidInput, match=r"has 24 outcomes .* needs 50, 10 of them used and 10 not"):
        taught(stores, 2).policy.fit()
