"""Settings that could not work are refused when they are made, not when the first trigger needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from marskg.errors import InvalidConfig

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.stores import Stores


def test_a_statement_that_the_engine_cannot_read(stores: Stores, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.cypher"
    wrong.write_text("MATCH (m:Memory) WHERE m.tenant = $tenant RETURN m.id AS id, 1.0 1.0 AS score")
    memory = stores.open()
    memory.remember("A note", kind="semantic")
    before = memory.settings.current
    with pytest.raises(InvalidConfig, match=r"wrong\.cypher: the engine refuses the statement"):
        memory.settings.set(None, {"policy.name": str(wrong)})
    assert memory.settings.current == before


def test_a_statement_that_keeps_to_its_tenant_in_a_comment_only(stores: Stores, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.cypher"
    foreign.write_text("// $tenant\nMATCH (m:Memory) RETURN m.id AS id, 1.0 AS score")
    with pytest.raises(InvalidConfig, match="does not keep to its tenant"):
        stores.open().settings.set(None, {"policy.name": str(foreign)})


def test_what_is_no_regular_file(stores: Stores, tmp_path: Path) -> None:
    endless = tmp_path / "endless.cypher"
    endless.symlink_to("/dev/zero")
    with pytest.raises(InvalidConfig, match="is no regular file"):
        stores.open().settings.set(None, {"policy.name": str(endless)})


def test_a_summariser_that_there_is_not(stores: Stores) -> None:
    with pytest.raises(InvalidConfig, match="for models"):
        stores.open().settings.set(None, {"reflection.summariser": "gpt-4"})
