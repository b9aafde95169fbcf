from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from marskg.store.engine.arcadedb import ArcadeDB
from tests.support.policy_graph import prepare

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArcadeDB]:
    database = ArcadeDB(tmp_path_factory.mktemp("policies"))
    prepare(database)
    yield database
    database.close()
