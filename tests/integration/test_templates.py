"""The settings by use that come with the package: each forgets within its budget, and is checked whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from marskg.clock import DAY_MS
from marskg.config import Settings
from marskg.ontology.vocabulary import Kind, Tier
from marskg.policies.registry import check_settings
from tests.support import stores as support

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.stores import Stores

TEMPLATES = sorted((Path(__file__).parents[2] / "examples" / "settings").glob("*.yaml"))


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    opened = support.embedded(tmp_path_factory.mktemp("templates") / "store")
    yield opened
    opened.engine.close()


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_forgets_within_its_budget_and_by_its_shares(stores: Stores, path: Path) -> None:
    settings = Settings.from_yaml(path)
    check_settings(settings)
    memory = stores.open()
    memory.settings.set(settings, {"budget": 300, "entities.recognise": "off"})
    facts = [
        memory.remember(f"fact {number} about the garden", kind="semantic", memory_class="canonical").id
        for number in range(8)
    ]
    clock = stores.clock(memory)
    for _ in range(500):  # Facts that are older than any minimum lifetime, beside turns that are younger than theirs.
        clock.advance(DAY_MS - 1)
        memory.maintenance.expire()
    for number in range(60):
        memory.remember(f"turn {number}: small talk about the weather", session="s", subjects=["ann"])
    assert memory.weight <= 300
    left = {one.id for one in memory.memories() if one.kind is Kind.SEMANTIC and one.tier is Tier.LIVE}
    if settings.partitions.on:
        assert left >= set(facts), "a burst of episodes takes no fact"
    else:
        assert not left, "without shares it does, by this template's policy"
    memory.maintain()
    assert memory.verify().ok
    assert memory.validate(full=True).ok
