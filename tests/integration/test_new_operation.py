"""A new operation is a method with a row of rights: tried by adding one to a copy of the package.

Nothing else is touched, and the operation is there in Python with its arguments checked, called and awaited, refused to
whom its row does not name, on the command line as a table and as JSON, in all references, and in the types of what is
awaited.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: What is added to ``marskg.api.namespaces.policy_namespace``.
METHOD = '''    def weigh(self, id: str, times: Tokens, *, loudly: bool = False, notes: Iterable[str] = ()) -> Any:
        """Weigh a memory some times over.

        Raises:
            InvalidInput: ``times`` is none.
        """
        if times < 1:
            raise InvalidInput("times must be at least 1")
        memory = self._components.run(lambda unit: amend.pin(unit, id, pinned=True))
        return {"weight": memory.weight * times, "loudly": loudly, "notes": list(notes)}

'''
USE = """
import asyncio, inspect, sys, marskg
from marskg.errors import InvalidInput, NotPermitted
memory = marskg.open(sys.argv[1], embedding="none")
one = memory.remember("Ann won", kind="semantic")
assert memory.policy.weigh(one.id, 2) == {"weight": 2 * one.weight, "loudly": False, "notes": []}
for wrong in (0, "2", 2.5, None, 2**60):
    try:
        memory.policy.weigh(one.id, wrong)
    except InvalidInput as error:
        assert "times" in str(error)
    else:
        raise AssertionError(wrong)
memory.close()
async def awaited():
    async with marskg.aopen(sys.argv[1]) as memory:
        assert inspect.signature(memory.policy.weigh).parameters["times"].annotation == "Tokens"
        return await memory.policy.weigh(one.id, 2, notes=["a"])
assert asyncio.run(awaited()) == {"weight": 2 * one.weight, "loudly": False, "notes": ["a"]}
memory = marskg.open(sys.argv[1], principal="reader:bot")
try:
    memory.policy.weigh(one.id, 2)
except NotPermitted:
    print(one.id, one.weight)
"""
#: Runs commands in one process, and prints the status and the output of each.
CALL = """
import contextlib, io, json, sys
from marskg.cli.main import run
found = []
for call in json.loads(sys.argv[2]):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        found.append((run(["--store", sys.argv[1], *call]), out.getvalue()))
print(json.dumps(found))
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the package with the operation, in a folder of its own."""
    made = tmp_path / "src" / "marskg"
    shutil.copytree(ROOT / "src" / "marskg", made)
    put(made / "api" / "namespaces" / "policy_namespace.py", "    def unpin(", METHOD)
    put(made / "privacy" / "principals.py", "policy.pin policy.unpin", "policy.weigh ")
    return made


def put(path: Path, before: str, new: str) -> None:
    """Put ``new`` before the only place where ``before`` stands in a file."""
    text = path.read_text("utf-8")
    assert text.count(before) == 1, path.name
    path.write_text(text.replace(before, new + before), "utf-8")


def run(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the copy of the package."""
    env = {**os.environ, "PYTHONPATH": str(copy.parent)}
    return subprocess.run(
        [sys.executable, *arguments], env=env, cwd=copy.parents[1], capture_output=True, text=True, check=False
    )


def test_a_new_operation_is_a_method_and_a_row(copy: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    used = run(copy, "-c", USE, store)
    assert used.returncode == 0, used.stderr
    found, weight = used.stdout.split()
    calls = [
        ("policy", "weigh", "--schema"),
        ("policy", "weigh", found, "3", "--loudly", "--notes", "a", "--notes", "b", "--json"),
        ("policy", "weigh", found, "3"),
        ("--as", "reader:bot", "policy", "weigh", found, "3"),
        *(("policy", "weigh", *wrong) for wrong in (("x", "3"), (found, "many"), (found,), (found, "0"))),
    ]
    told = run(copy, "-c", CALL, store, json.dumps(calls))
    assert told.returncode == 0, told.stderr
    form, said, shown, refused, *wrong = json.loads(told.stdout)
    assert json.loads(form[1])["$defs"]["Result"]["required"] == ["result"]
    assert json.loads(said[1]) == {"result": {"weight": 3 * int(weight), "loudly": True, "notes": ["a", "b"]}}
    assert f"{3 * int(weight)}" in shown[1]
    assert refused == [1, ""]
    assert [status for status, _ in wrong] == [2] * 4

    assert "mars policy weigh" in run(copy, "-m", "marskg.cli.reference").stdout
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    (tmp_path / "docs" / "reference").mkdir(parents=True)
    pages = {name: tmp_path / "docs" / "reference" / f"{name}.md" for name in ("python", "operations")}
    for name, page in pages.items():
        made = run(copy, f"scripts/{name}_reference.py")
        assert made.returncode == 0, made.stderr
        assert "weigh" in page.read_text("utf-8")
    row = next(line for line in pages["operations"].read_text("utf-8").splitlines() if "`weigh`" in line)
    assert "| writes | `mars policy weigh` | no | no | no | no | `InvalidInput` |" in row

    typed = run(copy, "scripts/awaited_stub.py")
    assert typed.returncode == 0, typed.stderr
    stub = (copy / "api" / "awaited" / "facade.pyi").read_text("utf-8")
    line = "async def weigh(self, id: str, times: Tokens, *, loudly: bool = False, notes: Iterable[str] = ()) -> Any:"
    assert line in stub
