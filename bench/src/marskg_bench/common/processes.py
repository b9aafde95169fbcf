"""Processes that a bench starts and looks at."""

from __future__ import annotations

import os
import re
from pathlib import Path


def own_environment(folder: Path) -> dict[str, str]:
    """Return the environment of somebody to whom nothing belongs but ``folder``, which is made."""
    folder.mkdir()
    own = {"MARS_HOME": "home", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config", "MARS_STORE": "store"}
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("MARS_", "ARCADEDB_"))}
    kept["MARS_EMBEDDING"] = "static"
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return kept | {name: str(folder / below) for name, below in own.items()}


def resident_mb() -> float:
    """Return the memory of this process that is in RAM, in megabytes; 0 where the system does not say."""
    status = Path("/proc/self/status")
    found = re.search(r"VmRSS:\s+([0-9]+) kB", status.read_text(encoding="ascii")) if status.exists() else None
    return round(int(found[1]) / 1024, 1) if found else 0.0
