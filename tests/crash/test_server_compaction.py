"""What docs/how-to/erase-on-neo4j.md tells an operator: a server of its own, and the old one's files removed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

import marskg
from marskg.store.tenant import opening
from tests.support import eraser, neo4j_home
from tests.support.residue import residue

if TYPE_CHECKING:
    from pathlib import Path

    from scripts.neo4j_server import Neo4jServer

pytestmark = [pytest.mark.neo4j, pytest.mark.proof]


def test_no_byte_of_what_was_erased_gets_into_the_home_of_a_new_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARS_HOME", str(tmp_path / "keys"))
    saved = tmp_path / "all.mars"

    def use(one: Neo4jServer) -> None:
        for name, value in one.environment.items():
            monkeypatch.setenv(name, value)

    with neo4j_home.server(tmp_path / "old") as old:
        use(old)
        keys = opening.work_folder(old.uri)
        config = tmp_path / "clear.yaml"
        config.write_text("encryption: off\n", encoding="utf-8")
        with marskg.open(old.uri, tenant=eraser.TENANT, config=config) as memory:
            eraser.fill(memory)
            assert memory.erase(subject="bea").claim == "logical"
            memory.snapshots.save(saved)
        assert residue(old.home, eraser.SENTINELS), "a server keeps the bytes of what was erased"
    with neo4j_home.server(tmp_path / "new") as new:
        use(new)
        shutil.copytree(keys, opening.work_folder(new.uri))
        with marskg.open(new.uri, tenant=eraser.TENANT, snapshot=saved) as memory:
            assert sorted(one.content or "" for one in memory.memories()) == sorted(eraser.KEPT)
            assert memory.verify().findings == ()
            with pytest.raises(marskg.ConsentRequired):
                memory.remember("Bea is back", subjects=["bea"])
        assert residue(new.home, eraser.SENTINELS) == []
    assert residue(new.home, eraser.SENTINELS) == []
