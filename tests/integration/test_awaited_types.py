"""A type checker knows the awaitable facade as it knows the other one: by a program that has mistakes in it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import asyncio
from contextlib import aclosing
import marskg

async def main() -> None:
    async with marskg.aopen("./memory", tenant="alice", budget=8000) as mem:
        one = await mem.remember("tea", subjects=["Ann"])
        hits = await mem.retrieve("tea", kinds=["semantic"], since=3)
        reveal_type(hits)  # note: marskg.retrieval.assembly.hits.Hits
        async for memory in mem.memories():
            reveal_type(memory)  # note: marskg.records.Memory
        async with aclosing(mem.entities.list()) as entities:
            reveal_type(await anext(entities))  # note: marskg.records.Entity
        async with mem.privacy.private_mode() as private:
            reveal_type(await private.close())  # note: int
        reveal_type(mem.tenant)  # note: str
        reveal_type(await mem.weight())  # note: int
        await mem.remember(3)  # error: incompatible type
        await mem.retrieve("x", kind="x")  # error: Unexpected keyword argument "kind"
        await mem.entities.rename(one.id)  # error: Missing positional argument "name"
        await mem.no_such()  # error: has no attribute "no_such"
        await mem.rename_entity("a", "b")  # error: has no attribute "rename_entity"
        mem.now() + 1  # error: Unsupported operand types
    other: marskg.AsyncMemory = await marskg.aopen(tenant="bob")
    await other.close()
    marskg.aopen(tenants="x")  # error: Unexpected keyword argument "tenants"

asyncio.run(main())
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module of Python on the source of the package."""
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        env={**os.environ, "MYPYPATH": str(ROOT / "src"), "PYTHONPATH": str(ROOT / "src")},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_types_are_those_of_what_runs(tmp_path: Path) -> None:
    compared = run(tmp_path, "mypy.stubtest", "marskg.api.awaited.facade")
    assert compared.returncode == 0, compared.stdout + compared.stderr


@pytest.mark.slow
def test_a_strict_type_checker_knows_every_signature(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    checked = run(tmp_path, "mypy", "--strict", "--no-pretty", "--cache-dir", str(tmp_path / "cache"), str(program))
    found = {
        int(line.split(":")[1]): line.split(":", 2)[2]
        for line in reversed(checked.stdout.splitlines())
        if line.startswith((str(program), program.name))
    }
    expected = {
        number: line.partition("  # ")[2] for number, line in enumerate(PROGRAM.splitlines(), 1) if "  # " in line
    }
    assert found.keys() == expected.keys(), checked.stdout + checked.stderr
    for number, line in expected.items():
        kind, _, words = line.partition(": ")
        assert f" {kind}: " in found[number]
        assert words in found[number]
