"""What is installed is all that the product reads: the wheel holds every file of the package, whatever its kind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]


def missing_from_wheel(root: Path, folder: Path, package: str = "marskg") -> set[str]:
    """Build the wheel of the project at ``root`` and return the package's files that are not in it."""
    source = root / "src"
    files = {path.relative_to(source).as_posix() for path in (source / package).rglob("*") if path.is_file()}
    with zipfile.ZipFile(next(WheelBuilder(str(root)).build(directory=str(folder)))) as wheel:
        return {name for name in files if "__pycache__" not in name} - set(wheel.namelist())


def test_the_wheel_holds_every_file_of_the_package(tmp_path: Path) -> None:
    assert not missing_from_wheel(ROOT, tmp_path)


def test_what_the_demo_reads_is_installed(tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    with zipfile.ZipFile(next(WheelBuilder(str(ROOT)).build(directory=str(tmp_path)))) as wheel:
        wheel.extractall(installed)
    program = "from marskg.cli.demo.command import bundled_conversation as found; print(found())"
    told = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(installed)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    read = Path(told.stdout.strip())
    assert read.is_relative_to(installed)
    assert read.read_bytes() == (ROOT / "examples" / "conversation.jsonl").read_bytes()


def test_the_benches_wheel_holds_every_file_of_theirs(tmp_path: Path) -> None:
    assert not missing_from_wheel(ROOT / "bench", tmp_path, "marskg_bench")


def test_a_kind_of_file_left_out_is_found(tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(ROOT / "src", project / "src", ignore=shutil.ignore_patterns("__pycache__", "vocab.txt"))
    shutil.copytree(ROOT / "examples", project / "examples")
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, project)
    with (project / "pyproject.toml").open("a", encoding="utf-8") as stream:
        stream.write('\n[tool.hatch.build]\nexclude = ["*.cypher"]\n')
    missing = missing_from_wheel(project, tmp_path)
    assert missing
    assert all(name.endswith(".cypher") for name in missing)
