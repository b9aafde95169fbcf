"""Digital Bazaar's JavaScript packages, installed once as the lock file pins them."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

import pytest

from marskg.audit.linkeddata import CREDENTIALS_V2, DATA_INTEGRITY_V2
from tests.support.waiting import HANGS_S

HERE = Path(__file__).parent


class Node(Protocol):
    """Asks ``interop.mjs`` for something."""

    def __call__(self, action: str, **request: Any) -> dict[str, Any]: ...


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """Install the packages where they are missing; a machine without Node.js fails here, it does not skip."""
    assert shutil.which("npm"), "these tests need Node.js 18 or later with npm"
    modules = HERE / "node_modules"
    # Several test processes may get here at once.
    with (HERE / "package-lock.json").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (modules / ".package-lock.json").is_file():
            command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=HANGS_S, check=False)
            assert done.returncode == 0, done.stderr
    return modules


@pytest.fixture(scope="session")
def node(node_modules: Path) -> Node:
    """Return a function that asks Digital Bazaar's packages; the pinned contexts are at their hands."""
    assert node_modules.is_dir()
    folder = resources.files("marskg.ontology") / "contexts"
    contexts = {
        DATA_INTEGRITY_V2: str(folder / "data-integrity-v2.jsonld"),
        CREDENTIALS_V2: str(folder / "credentials-v2.jsonld"),
    }

    def ask(action: str, **request: Any) -> dict[str, Any]:
        text = json.dumps({"action": action, "contexts": contexts, **request})
        command = ["node", str(HERE / "interop.mjs")]
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=HANGS_S, check=False)
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    return ask
