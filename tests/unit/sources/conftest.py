"""What the tests of the readers share: the real personas, and a persona of one session to break."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.memora_persona import write_session

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def memora(shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the periods of Memora, unpacked once."""
    target = tmp_path_factory.mktemp("memora")
    with tarfile.open(shared_folder / "data" / "memora-open.tar.gz") as archive:
        archive.extractall(target, filter="data")
    return target / "memora"


class SmallPersona:
    """A persona with sessions that a test writes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "conversations").mkdir(parents=True)
        self.count = 0

    def session(
        self,
        session_type: str,
        operation: str | None,
        details: dict[str, Any],
        *said: str,
        date: str = "2025-06-01",
    ) -> Path:
        """Write the next session; ``said`` are its shared turns."""
        self.count += 1
        return write_session(
            self.folder, self.count, session_type, operation, details, said, date=date, persona="tester"
        )


@pytest.fixture
def persona(tmp_path: Path) -> SmallPersona:
    """Return an empty persona."""
    return SmallPersona(tmp_path / "tester")
