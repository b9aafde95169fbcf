"""What the tests of the retrieval bench share."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

import pytest

from tests.support.memora_persona import WrittenPersona, film_lover

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def memora(shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the periods of Memora, unpacked once."""
    target = tmp_path_factory.mktemp("memora")
    with tarfile.open(shared_folder / "data" / "memora-open.tar.gz") as archive:
        archive.extractall(target, filter="data")
    return target / "memora"


@pytest.fixture
def persona(tmp_path: Path) -> WrittenPersona:
    """Return an empty persona."""
    return WrittenPersona(tmp_path / "weekly" / "tester")


@pytest.fixture
def films(tmp_path: Path) -> Path:
    """Return the folder above the periods, with one persona who changes their mind."""
    film_lover(tmp_path / "memora" / "weekly" / "films")
    return tmp_path
