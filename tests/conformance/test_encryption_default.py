"""Whether a new tenant is encrypted where nobody says so: on a server it is, and in a folder it is not.

A server's files nobody but its operator can rewrite. Through the doors that a user has: ``marskg.open`` and ``mars``.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import marskg
from marskg.cli.tree import cli
from marskg.store.statements import schema
from marskg.store.tenant import opening
from tests.support.residue import residue

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.neo4j import Neo4jAddress

WORDS = ("zyxquartzlocker", "zyxquinces")
IN_CLEAR = "encryption: off\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of keys of a machine of the test's own."""
    monkeypatch.setenv("MARS_HOME", str(tmp_path / "machine"))
    monkeypatch.delenv("MARS_VAULTS", raising=False)
    return tmp_path / "machine"


@pytest.fixture(params=["folder", pytest.param("server", marks=pytest.mark.neo4j)])
def location(request: pytest.FixtureRequest, home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return where a new store is, by its address."""
    if request.param == "folder":
        return str(home.with_name("store"))
    return _address(request.getfixturevalue("neo4j_server"), monkeypatch)


@pytest.fixture
def server(neo4j_server: Neo4jAddress, home: Path, monkeypatch: pytest.MonkeyPatch) -> str:  # noqa: ARG001 - sets it
    """Return the address of the server, whose keys are in ``home``."""
    return _address(neo4j_server, monkeypatch)


def _address(server: Neo4jAddress, monkeypatch: pytest.MonkeyPatch) -> str:
    uri, username, password = server
    monkeypatch.setenv("NEO4J_USERNAME", username)
    monkeypatch.setenv("NEO4J_PASSWORD", password)
    return str(uri)


def config(folder: Path, text: str) -> Path:
    path = folder / "mars.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def fill(memory: AgentMemory) -> None:
    memory.remember(f"Bea told me that {WORDS[0]} is her locker word", subjects=["bea"], session="walk")
    memory.remember(f"Carl likes {WORDS[1]} and pears", subjects=["carl"])


@pytest.fixture
def files(request: pytest.FixtureRequest, location: str) -> Path:
    """Return the folder of all files of the store."""
    if not opening.is_server(location):
        return Path(location)
    found: Path = request.getfixturevalue("run_folder") / "neo4j-home"
    if not found.is_dir():
        pytest.skip("the server's files are elsewhere, as NEO4J_URI names one")
    return found


def test_a_new_tenant_is_encrypted_on_a_server_and_in_clear_in_a_folder(
    location: str, files: Path, tenant: str
) -> None:
    on_server = opening.is_server(location)
    with marskg.open(location, tenant=tenant) as memory:
        assert memory.settings.current.encryption == ("subjects" if on_server else "off")
        fill(memory)
        assert [hit.memory.subjects for hit in memory.retrieve("What is Bea's locker word?").hits][:1] == [("bea",)]
    assert bool(residue(files, WORDS)) is not on_server
    with marskg.open(location, tenant=tenant) as again:
        assert again.settings.current.encryption == ("subjects" if on_server else "off")
        receipt = again.erase(subject="bea")
        assert (receipt.matched, receipt.claim) == (1, "keys" if on_server else "logical")
        assert again.verify().findings == ()
        assert [one.subjects for one in again.memories()] == [("carl",)]


def test_it_is_refused_in_so_many_words_and_the_claim_is_logical_then(server: str, tenant: str) -> None:
    with marskg.open(server, tenant=tenant, encryption="off") as memory:
        assert memory.settings.current.encryption == "off"
        fill(memory)
        with pytest.raises(marskg.NotPermitted, match=r"its operator's: erase without scrub.*erase-on-neo4j\.md"):
            memory.erase(subject="bea", scrub=True)
        with pytest.raises(marskg.NotPermitted, match="its operator's"):
            memory.maintenance.scrub()
        assert len(list(memory.memories())) == 2, "what is refused erases nothing"
        assert memory.sparql("SELECT ?m { ?m a mars:Memory }").rows
    with marskg.open(server, tenant=tenant) as again:
        receipt = again.erase(subject="bea")
    assert (receipt.claim, receipt.document["erasureClaim"]) == ("logical", "logical")
    assert "backups" in receipt.document["uncovered"]


def test_a_tenant_stays_as_it_was_made_whatever_the_default_is(location: str, tenant: str, tmp_path: Path) -> None:
    was = "off" if opening.is_server(location) else "subjects"
    with marskg.open(location, tenant=tenant, config=config(tmp_path, f"encryption: {was}\n")) as memory:
        fill(memory)
    silent = config(tmp_path, "budget: 5000\n")
    with marskg.open(location, tenant=tenant, config=silent) as again:
        assert (again.settings.current.encryption, again.settings.current.budget) == (was, 5_000)
        again.settings.set(None, {"encryption": "auto"})
        assert again.settings.current.encryption == was
        assert len(list(again.memories())) == 2
    shared = ["--store", location, "--tenant", tenant]
    done = CliRunner(env=dict(os.environ)).invoke(cli, ["init", *shared, "--config", str(silent)])
    assert done.exit_code == 0, done.stderr
    assert "exists already" in done.stdout
    other = "subjects" if was == "off" else "off"
    with pytest.raises(marskg.InvalidConfig, match="cannot be changed"):
        marskg.open(location, tenant=tenant, encryption=other)
    for choice, status in ((was, 0), (other, 1)):
        done = CliRunner(env=dict(os.environ)).invoke(
            cli, ["init", *shared, "--encryption", choice, "--budget", "5000"]
        )
        assert done.exit_code == status, done.stderr


def test_what_encryption_excludes_is_refused_with_the_way_out(server: str, tenant: str, tmp_path: Path) -> None:
    for name, text in (("lean.shared", "lean: {shared: true}"), ("retrieval.vectors", "retrieval: {vectors: engine}")):
        with pytest.raises(marskg.InvalidConfig, match=rf"{name}.*with encryption.*encryption: off"):
            marskg.open(server, tenant=tenant, config=config(tmp_path, text))
        with marskg.open(server, tenant=f"{tenant}-{name}", config=config(tmp_path, f"{IN_CLEAR}{text}")) as memory:
            fill(memory)


def test_another_machine_is_refused_until_it_has_the_keys(
    server: str, tenant: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also before the first memory: keys of its own would make either machine's memories unreadable to the other."""
    signing = opening.work_folder(server).name
    other = tmp_path / "other machine"

    def refused() -> str:
        monkeypatch.setenv("MARS_HOME", str(other))
        with pytest.raises(marskg.KeyUnusable, match="copy it from the machine that created the tenant") as told:
            marskg.open(server, tenant=tenant)
        assert not (other / "vaults").exists()
        monkeypatch.setenv("MARS_HOME", str(home))
        return str(told.value)

    marskg.open(server, tenant=tenant).close()
    assert "MARS_VAULTS" in refused()
    with marskg.open(server, tenant=tenant) as memory:
        fill(memory)
    shutil.copytree(home / signing, other / signing, dirs_exist_ok=True)
    assert str(other / "vaults") in refused()
    shutil.copytree(home / "vaults", other / "vaults")
    monkeypatch.setenv("MARS_HOME", str(other))
    with marskg.open(server, tenant=tenant) as memory:
        assert len(list(memory.memories())) == 2
        memory.remember("Dan was here too", subjects=["dan"])


def test_a_snapshot_is_put_back_as_it_was_in_clear(server: str, tenant: str, tmp_path: Path) -> None:
    with marskg.open(tmp_path / "store", tenant=tenant) as memory:
        fill(memory)
        memory.snapshots.save(tmp_path / "all.mars")
    shared = ["--store", server, "--tenant", tenant]
    shutil.copytree(opening.work_folder(str(tmp_path / "store")) / "keys", opening.work_folder(server) / "keys")
    done = CliRunner(env=dict(os.environ)).invoke(cli, ["snapshot", "load", str(tmp_path / "all.mars"), *shared])
    assert done.exit_code == 0, done.stderr
    with marskg.open(server, tenant=tenant) as again:
        assert again.settings.current.encryption == "off"
        assert len(list(again.memories())) == 2


def test_indexes_that_an_earlier_versions_cleaning_dropped_are_made_again(server: str, tenant: str) -> None:
    """It dropped and made them one by one, and a promise in its own folder said that it had not ended."""
    with marskg.open(server, tenant=tenant, encryption="off") as memory:
        memory.store.engine.define("DROP INDEX auditRecordMemory IF EXISTS")
    promise = opening.work_folder(server) / "server-scrub.promised"
    promise.write_text('{"home": "/gone", "erased": 1, "sought": ""}', encoding="utf-8")
    with marskg.open(server, tenant=tenant) as memory:
        rows = memory.store.engine.read("SHOW INDEXES YIELD name RETURN name")
    assert "auditRecordMemory" in {row["name"] for row in rows}
    assert not promise.exists()
    assert set(schema.definitions("neo4j")) <= {row["name"] for row in rows}
