"""The contract of the layers holds, and it is one that can break."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    # A process of its own, so that the package is read from ``root`` and not from where it is installed.
    script = (
        "import sys; sys.path.insert(0, 'src'); from importlinter.cli import lint_imports; "
        "sys.exit(lint_imports(no_cache=True))"
    )
    return subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=False)


def test_nothing_imports_what_is_above_it() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("file", "line", "said"),
    [
        ("errors.py", "import marskg.store.engine.protocol", "marskg.errors is not allowed to import marskg.store"),
        (
            "store/engine/protocol.py",
            "import marskg.policies.builtin.fifo",
            "marskg.store is not allowed to import marskg.policies",
        ),
        (
            "audit/grammar.py",
            "import marskg.audit.record",
            "marskg.audit.verify is not allowed to import marskg.audit.record",
        ),
        ("new_package/__init__.py", "", "new_package"),
    ],
)
def test_a_planted_break_is_named(file: str, line: str, said: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "vocab.txt"))
    planted = tmp_path / "src" / "marskg" / file
    planted.parent.mkdir(exist_ok=True)
    with planted.open("a", encoding="utf-8") as stream:
        stream.write(f"\n{line}\n")
    done = lint_imports(tmp_path)
    assert done.returncode == 1
    assert said in done.stdout
