"""A server that goes away before it acknowledges a commit: the outcome is found out, or called unknown."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import pytest

import marskg
from marskg.store.commit import outcome, writer
from marskg.store.crypto.encrypted_engine import custody_of
from tests.support import stores as support
from tests.support.cutting import CuttingDoor
from tests.support.neo4j import Neo4jAddress

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.stores import Stores


@contextmanager
def behind_a_door(
    server: Neo4jAddress, folder: Path, tenant: str
) -> Iterator[tuple[CuttingDoor, Stores, marskg.AgentMemory]]:
    """Give a door before the server, what reaches it directly, and a memory that reaches it through the door."""
    with CuttingDoor(server.uri) as door:
        direct = support.server(server, folder)
        through = support.server(Neo4jAddress(door.uri, *server[1:]), folder)
        try:
            direct.open(tenant)
            # Both have the same keys: those of the address that made the tenant.
            through.location = direct.location
            yield door, direct, through.open(tenant, seed="through the door")
        finally:
            through.engine.close()
            direct.engine.close()


def test_a_commit_whose_acknowledgement_is_lost_is_no_failure(
    neo4j_server: Neo4jAddress, tmp_path: Path, tenant: str
) -> None:
    with behind_a_door(neo4j_server, tmp_path, tenant) as (door, direct, memory):
        cuts = door.cuts
        door.cut_after_commit()
        said = memory.remember("Committed, and nobody said so", session="s", mentions=["Ann"])
        assert door.cuts == cuts + 1
        found = [one for one in direct.open(tenant, seed="after").memories() if one.content == said.content]
        assert [one.id for one in found] == [said.id], "stored twice, or not at all"
        assert memory.remember("And it goes on").sequence > said.sequence
        assert memory.verify().ok


def test_a_server_that_comes_back_is_asked_whether_it_kept_a_commit(
    neo4j_server: Neo4jAddress, tmp_path: Path, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with behind_a_door(neo4j_server, tmp_path, tenant) as (door, direct, memory):
        door.cut_after_commit(for_good=True)
        refused: list[float] = []

        def sleep(seconds: float) -> None:
            refused.append(seconds)
            if len(refused) == 3:
                door.stand()

        monkeypatch.setattr(writer, "was_kept", partial(outcome.was_kept, sleep=sleep))
        said = memory.remember("Committed, and nobody said so for a while", session="s", mentions=["Ann"])
        assert len(refused) >= 3, "it was not asked again"
        found = [one.id for one in direct.open(tenant, seed="after").memories() if one.content == said.content]
        assert found == [said.id], "stored twice, or not at all"
        assert memory.verify().ok


def test_keys_go_with_an_erasure_whose_acknowledgement_is_lost(
    neo4j_server: Neo4jAddress, tmp_path: Path, tenant: str
) -> None:
    with CuttingDoor(neo4j_server.uri) as door:
        through = support.server(Neo4jAddress(door.uri, *neo4j_server[1:]), tmp_path)
        try:
            memory = through.open(tenant, encryption="subjects")
            memory.remember("Ann drinks green tea", subjects=["Ann"], mentions=["Ann"])
            custody = custody_of(memory.store.engine)
            assert custody is not None
            cuts = door.cuts
            door.cut_after_commit()
            assert memory.erase(subject="Ann").claim == "keys"
            assert door.cuts == cuts + 1
            assert custody.keyring.scheduled() == ()
            assert memory.verify().ok
        finally:
            through.engine.close()


def test_a_commit_that_nobody_can_ask_about_is_called_unknown(
    neo4j_server: Neo4jAddress, tmp_path: Path, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with behind_a_door(neo4j_server, tmp_path, tenant) as (door, direct, memory):
        monkeypatch.setattr(outcome, "ANSWER_SECONDS", 0.5)
        door.cut_after_commit(for_good=True)
        with pytest.raises(marskg.OutcomeUnknown, match=r"may have been kept: .* urn:uuid:\S+ is there") as told:
            memory.remember("Committed, and nobody to ask", session="s", mentions=["Ann"])
        (found,) = told.value.ids
        assert found in str(told.value)
        assert [one.id for one in direct.open(tenant, seed="after").memories()] == [found]
        door.stand()
        with pytest.raises(marskg.DuplicateId):
            memory.remember("Committed, and nobody to ask", session="s", mentions=["Ann"], id=found)
        assert memory.remember("And it goes on").sequence > 1
        assert memory.verify().ok
