"""What somebody without the key changes in a store is found and named, or is on the list of what nobody can show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from marskg.audit.limits import LIMITS
from tests.redteam.store_tampering import ALL, world
from tests.support import stores as support
from tests.support.proof import some

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.redteam.store_tampering import Tampering
    from tests.support.stores import Stores

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


@pytest.fixture(scope="session")
def server(neo4j_server: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Give a real Neo4j, connected for the whole run."""
    opened = support.server(neo4j_server, tmp_path_factory.mktemp("home"))  # type: ignore[arg-type]  # a named tuple
    yield opened
    opened.engine.close()


def slug(one: Tampering) -> str:
    return one.name.replace(" ", "-")


def is_found(stores: Stores, one: Tampering) -> None:
    graph = world(stores)
    assert graph.memory.verify().findings == ()
    one.act(graph)
    again = graph.again()
    codes = {finding.code for finding in again.verify().findings}
    if not codes & set(one.codes):
        codes |= {finding.code for finding in again.validate(full=True).findings}
    if one.limit:
        assert any(limit.startswith(one.limit) for limit in LIMITS)
        assert codes == set()
    else:
        assert codes & set(one.codes), codes


def test_what_is_found_is_explained() -> None:
    pages = "".join((REFERENCE / name).read_text(encoding="utf-8") for name in ("audit.md", "shapes.md"))
    assert {code for one in ALL for code in one.codes if f"`{code}`" not in pages} == set()


@pytest.mark.parametrize("one", some(ALL, 3, slug))
def test_a_change_behind_the_log_is_found(engine: Stores, one: Tampering) -> None:
    is_found(engine, one)


@pytest.mark.parametrize("one", some(ALL, 10, slug))
@pytest.mark.neo4j
def test_a_change_behind_the_log_is_found_on_a_server(server: Stores, one: Tampering) -> None:
    is_found(server, one)
