"""A tenant that is opened only if its audit verifies, with and without a head that was kept elsewhere."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

import marskg
from marskg.audit.document import signed_head
from marskg.store.engine.arcadedb import ArcadeDB

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    with marskg.open(folder, tenant="a", budget=1_000) as memory:
        memory.remember("Ann likes tea", kind="semantic")
    return folder


def change(folder: Path) -> None:
    """Change what a memory says behind the log's back."""
    engine = ArcadeDB(folder)
    engine.write("MATCH (m:Memory) SET m.content = 'Ann likes coffee'")
    engine.close()


def keep(memory: marskg.AgentMemory, file: Path) -> Path:
    """Write the newest head to a file, as a witness has it."""
    file.write_text(json.dumps(signed_head(memory.audit.sign_head())), encoding="utf-8")
    return file


def test_a_sound_tenant_opens_and_a_changed_one_is_refused_before_anything_is_read(store: Path) -> None:
    with marskg.open(store, tenant="a", verify=True) as memory:
        assert [found.content for found in memory.memories()] == ["Ann likes tea"]
    change(store)
    with pytest.raises(marskg.AuditVerificationFailed, match="tenant 'a' does not verify: urn:uuid:") as refused:
        marskg.open(store, tenant="a", verify=True)
    assert refused.value.findings == ("node-mismatch",)
    assert "coffee" not in str(refused.value)
    with marskg.open(store, tenant="a") as memory:
        assert not memory.verify().ok, "it opens for who wants to look"


def test_a_controller_is_refused_too_and_others_may_not_ask(store: Path) -> None:
    marskg.open(store, tenant="a", verify=True, principal="controller:ann").close()
    change(store)
    with pytest.raises(marskg.AuditVerificationFailed):
        marskg.open(store, tenant="a", verify=True, principal="controller:ann")
    with pytest.raises(marskg.NotPermitted):
        marskg.open(store, tenant="a", verify=True, principal="agent:bot")


def test_an_older_state_is_refused_by_a_kept_head_alone(store: Path, tmp_path: Path) -> None:
    older = shutil.copytree(store, tmp_path / "older")
    with marskg.open(store, tenant="a") as memory:
        memory.remember("Bob likes coffee", kind="semantic")
        head = keep(memory, tmp_path / "head.json")
        assert memory.verify(witness=head).ok
    marskg.open(store, tenant="a", verify=head).close()
    marskg.open(older, tenant="a", verify=True).close()
    with pytest.raises(marskg.AuditVerificationFailed) as refused:
        marskg.open(older, tenant="a", verify=head)
    assert refused.value.findings == ("missing-tail",)


@pytest.mark.parametrize("content", ["", "{}", "[]", "no JSON", "[{}]"])
def test_a_file_that_holds_no_head_is_refused(store: Path, tmp_path: Path, content: str) -> None:
    file = tmp_path / "head.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(marskg.InvalidDocument, match="write one with: mars audit head --export FILE"):
        marskg.open(store, tenant="a", verify=file)
