"""What the tests of the readers share: the real personas, and a persona of one session to break."""

from __future__ import annotations

import json
import tarfile
from typing import TYPE_CHECKING, Any

import pytest

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
        turns = [{"turn": 1, "speaker": "ai_agent", "message": "Hello!", "share_memory": False}]
        turns += [
            {"turn": number, "speaker": "user_agent", "message": text, "share_memory": True}
            for number, text in enumerate(said, 2)
        ]
        document = {
            "session_id": self.count,
            "session_type": session_type,
            "operation": operation,
            "operation_details": details,
            "date": date,
            "persona": "tester",
            "conversation": turns,
        }
        file = self.folder / "conversations" / f"session_{self.count:04d}.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        return file


@pytest.fixture
def persona(tmp_path: Path) -> SmallPersona:
    """Return an empty persona."""
    return SmallPersona(tmp_path / "tester")
