"""Packages with an entry point, as an installer leaves them on the path."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest


def install(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    entries: Mapping[str, str],
    *,
    distribution: str = "other-people",
    **modules: str,
) -> None:
    """Put a distribution with policies and modules on the path until the test ends."""
    about = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n", encoding="utf-8")
    lines = "".join(f"{name} = {target}\n" for name, target in entries.items())
    (about / "entry_points.txt").write_text(f"[marskg.policies]\n{lines}", encoding="utf-8")
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
