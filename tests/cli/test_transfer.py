"""``mars export``, ``load`` and ``snapshot``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome


@pytest.mark.parametrize("suffix", ["jsonld", "nq", "trig", "ttl"])
def test_what_is_exported_loads_and_exports_alike(
    here: Callable[..., Outcome], mars: Callable[..., Outcome], tmp_path: Path, suffix: str
) -> None:
    file, copy = tmp_path / f"out.{suffix}", tmp_path / "copy"
    written = here("export", file, "--json").json()
    assert written["memories"] == 10
    assert written["size"] == file.stat().st_size
    loaded = mars("--store", copy, "load", file, "--json")
    assert loaded.status == 0, loaded.err
    assert loaded.json()["live"] == 10
    one, two = tmp_path / "one.nq", tmp_path / "two.nq"
    assert here("export", one).status == 0
    assert mars("--store", copy, "export", two).status == 0
    assert sorted(one.read_text(encoding="utf-8").splitlines()) == sorted(two.read_text(encoding="utf-8").splitlines())
    assert mars("--store", copy, "verify").status == 0


def test_the_format_may_be_named(here: Callable[..., Outcome], tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    assert here("export", file, "--format", "nquads").status == 0
    assert "<urn:uuid:" in file.read_text(encoding="utf-8")


def test_an_export_replaces_a_file_only_when_it_is_whole(here: Callable[..., Outcome], tmp_path: Path) -> None:
    file = tmp_path / "no-such-folder" / "out.nq"
    outcome = here("export", file)
    assert outcome.status == 1
    assert "no-such-folder" in outcome.error


def test_loading_twice_is_refused_and_changes_nothing(here: Callable[..., Outcome], tmp_path: Path) -> None:
    file = tmp_path / "out.jsonld"
    assert here("export", file).status == 0
    before = here("stats", "--json").json()
    outcome = here("load", file)
    assert outcome.status == 1
    assert "already" in outcome.error
    assert here("stats", "--json").json() == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"content"', '"contentment"', 1),
        lambda _: "[" * 10_000,
        lambda _: "",
        lambda _: json.dumps({"@context": "https://example.org/remote", "@id": "urn:x", "@type": "Memory"}),
    ],
    ids=["cut off", "unknown term", "nested", "empty", "remote context"],
)
def test_a_broken_document_is_refused_as_a_whole(
    here: Callable[..., Outcome], mars: Callable[..., Outcome], tmp_path: Path, spoil: Callable[[str], str]
) -> None:
    file, copy = tmp_path / "out.jsonld", tmp_path / "copy"
    assert here("export", file).status == 0
    file.write_text(spoil(file.read_text(encoding="utf-8")), encoding="utf-8")
    assert mars("--store", copy, "init").status == 0
    outcome = mars("--store", copy, "load", file)
    assert outcome.status == 2, outcome.err
    assert "out.jsonld" in outcome.error
    assert mars("--store", copy, "stats", "--json").json()["live"] == 0


def test_a_snapshot_brings_the_tenant_back(
    here: Callable[..., Outcome], mars: Callable[..., Outcome], tmp_path: Path, ids: dict[str, str]
) -> None:
    file, copy = tmp_path / "tenant.mars", tmp_path / "copy"
    assert here("snapshot", "save", file, "--json").json()["bytes"] == file.stat().st_size
    restored = mars("--store", copy, "snapshot", "load", file, "--json")
    assert restored.status == 0, restored.err
    assert restored.json()["live"] == 10
    assert mars("--store", copy, "get", ids["tea"], "--json").json()["content"] == "Ana drinks tea"
    assert mars("--store", copy, "snapshot", "load", file).status == 0
    written = here("snapshot", "list", "--json").json()
    assert [(one["path"], one["state"]) for one in written] == [(str(file), "there")]
    assert str(file) in here("snapshot", "list").out
    assert mars("--store", copy, "snapshot", "list", "--json").json() == []
    file.write_bytes(file.read_bytes()[:-10])
    assert mars("--store", tmp_path / "third", "snapshot", "load", file).status == 2


def test_an_erasure_tells_of_the_snapshots_and_removes_those_that_it_is_told_to(
    here: Callable[..., Outcome], tmp_path: Path, ids: dict[str, str]
) -> None:
    file = tmp_path / "tenant.mars"
    here("snapshot", "save", file)
    looked = here("erase", "--id", ids["tea"], "--dry-run")
    assert "1 snapshot that this store wrote: may hold it and stay; to remove them, add --snapshots" in looked.out
    assert str(file) in looked.out
    assert here("erase", "--id", ids["tea"], "--dry-run", "--json").json()["snapshots"][0]["path"] == str(file)
    assert "go too" in here("erase", "--id", ids["tea"], "--dry-run", "--snapshots").out
    assert file.exists()
    left = here("erase", "--id", ids["tea"], "--yes")
    assert f"snapshots left: 1\n  {file}: not asked to be removed" in left.out
    assert "remove them with: mars erase … --snapshots" in left.err
    done = here("erase", "--id", ids["tea"], "--yes", "--snapshots")
    assert "snapshots removed: 1" in done.out
    assert "mars snapshot save FILE" in done.err
    assert not file.exists()
    assert "snapshot" not in here("erase", "--id", ids["tea"], "--dry-run").out
