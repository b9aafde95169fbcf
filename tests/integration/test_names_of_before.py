"""A rule about a name that a version before kept in clear keeps a digest once its operator has opened the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import marskg
from marskg.ontology.vocabulary import Operation, PreferenceRule
from marskg.records import Preference
from tests.support.residue import residue

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory

NAME = "Quennell Zyxbarrow"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARS_HOME", str(tmp_path / "home"))


def as_before(memory: AgentMemory, rule: PreferenceRule, number: int) -> Preference:
    """Store a rule as versions before this one did."""
    ident = f"urn:uuid:00000000-0000-7000-8000-{number:012x}"
    old = Preference(ident, memory.tenant, memory.now(), 0, rule, target=NAME)
    return memory._writer.run(lambda unit: unit.preferences.put(old))


def test_it_holds_before_and_after_and_the_name_goes(tmp_path: Path) -> None:
    with marskg.open(tmp_path / "store") as memory:
        private = as_before(memory, PreferenceRule.PRIVATE_ENTITY, 1)
        black = as_before(memory, PreferenceRule.BLACKLISTED_ENTITY, 2)
        with pytest.raises(marskg.PreferenceRefused):
            memory.remember(f"With {NAME}")
        memory.export(tmp_path / "before.nq")
        memory.snapshots.save(tmp_path / "before.mars")
    with marskg.open(tmp_path / "store", principal="reader:bot") as memory:
        assert not list(memory.retrieve("anything"))
    with marskg.open(tmp_path / "store") as memory:
        rules = memory.preferences.list()
        assert sorted(rule.id for rule in rules) == [private.id, black.id]
        assert [rule.label for rule in rules] == ["private_entity 00000001", "blacklisted_entity 00000002"]
        assert memory.preferences.list(target=NAME) == rules
        assert NAME not in repr(rules)
        assert [one.operation for one in memory.audit.records()][-2:] == [Operation.SET_PREFERENCE] * 2
        done = len(list(memory.audit.records()))
        with pytest.raises(marskg.PreferenceRefused):
            memory.remember(f"With {NAME}")
        assert memory.verify().findings == ()
        memory.maintenance.scrub()
    assert residue(tmp_path / "store", NAME.split()) == []
    with marskg.open(tmp_path / "store") as memory:
        assert len(list(memory.audit.records())) == done
        # What was written before comes back with digests.
        memory.snapshots.load(tmp_path / "before.mars")
        assert NAME not in repr(memory.preferences.list())
        assert len(memory.preferences.list(target=NAME)) == 2
    with marskg.open(tmp_path / "other") as memory:
        memory.load(tmp_path / "before.nq")
        assert NAME not in repr(memory.preferences.list())
        with pytest.raises(marskg.PreferenceRefused):
            memory.remember(f"With {NAME}")
