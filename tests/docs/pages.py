"""Runs the blocks of a page in their order, in one temporary folder with the project's examples in it.

``python -m tests.docs.pages PAGE…`` writes what the commands of a page print now into the page: for writers, when a
command's output has changed. Blocks in ``sh`` must succeed. In ``console``, what stands below a ``$`` line is what it
prints on both streams; it must succeed unless ``echo $?`` follows. ``pycon`` is a Python session, ``python`` a script.

A page that shows tampering has to tamper: ``sed`` and ``grep -v`` must write another file than they read, and a
verifier that is given such a file must leave with a status that is not zero.
"""

from __future__ import annotations

import array
import doctest
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.docs.markdown import RUN, Block, blocks
from tests.docs.matching import Bindings, tokens
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).parents[2]
#: A command under a heavily loaded machine.
COLUMNS = "120"
_SHIM = """\
#!{python} -IS
import json, os, socket, sys
caller = socket.socket(socket.AF_UNIX)
caller.connect({path!r})
body = json.dumps({{"command": sys.argv[1:], "cwd": os.getcwd(), "env": dict(os.environ)}}).encode()
socket.send_fds(caller, [b"%08d" % len(body)], [0, 1, 2])
caller.sendall(body)
sys.exit(int(caller.recv(16) or b"70"))
"""
_SHELL = """\
set -o pipefail
[ -f {state}/variables ] && . {state}/variables
cd "$(cat {state}/folder)"
trap 'status=$?; declare -p | grep -Ev "^declare -[a-zA-Z]*r|^declare -- (BASH|_|status)" >{state}/variables
pwd >{state}/folder; exit $status' EXIT
{before}
{text}
"""


#: A command that writes an edited copy of a file, and one that verifies files.
_EDITING = re.compile(r"(?:sed (?!-n)|grep -v).* (?P<read>\S+) >(?P<made>\S+)\s*\Z", re.DOTALL)
_VERIFYING = re.compile(r"mars verify|verify\.mjs|verify_\w+\.py")


class PageError(AssertionError):
    """A block did not do what its page says."""


class WarmMars:
    """The process that runs ``mars`` and the Python examples."""

    def __init__(self, folder: Path) -> None:
        """Start it, with its socket and a ``mars`` that talks to it in ``folder``."""
        self._socket = str(folder / "warm")
        self.programs = folder / "bin"
        self.programs.mkdir()
        shim = self.programs / "mars"
        shim.write_text(_SHIM.format(python=sys.executable, path=self._socket), encoding="utf-8")
        shim.chmod(0o755)
        command = [sys.executable, str(Path(__file__).with_name("warm.py")), self._socket]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + HANGS_S
        while not Path(self._socket).exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                message = "the process for the commands of the documents did not start"
                raise PageError(message)
            time.sleep(0.05)

    def python(self, code: str, page: str, mode: str, folder: Path, env: Mapping[str, str]) -> tuple[int, str]:
        """Run Python among the names of ``page``; returns whether it failed, and what it printed."""
        request = {"python": code, "page": page, "mode": mode, "cwd": str(folder), "env": dict(env)}
        with tempfile.TemporaryFile() as out, Path(os.devnull).open("rb") as nothing:
            status = self._ask(request, [nothing.fileno(), out.fileno(), out.fileno()])
            out.seek(0)
            return status, out.read().decode()

    def _ask(self, request: Mapping[str, Any], descriptors: list[int]) -> int:
        with socket.socket(socket.AF_UNIX) as caller:
            caller.settimeout(HANGS_S)
            caller.connect(self._socket)
            body = json.dumps(request).encode()
            ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
            caller.sendmsg([b"%08d" % len(body)], ancillary)
            caller.sendall(body)
            return int(caller.recv(16) or b"70")

    def stop(self) -> None:
        """End the process."""
        self._ask({"stop": True}, [])
        self._process.wait(HANGS_S)


@contextmanager
def warm_mars() -> Iterator[WarmMars]:
    """Give a process for commands, and end it; its socket's path must be short."""
    with tempfile.TemporaryDirectory(prefix="mars-docs-") as folder:
        warm = WarmMars(Path(folder))
        try:
            yield warm
        finally:
            warm.stop()


@dataclass
class _Piece:
    """One command of a session with what its page shows of it; ``start`` and ``end`` bound that in the block."""

    command: str
    shown: str
    start: int
    end: int


class Page:
    """One page, run block by block."""

    def __init__(
        self,
        path: Path,
        warm: WarmMars,
        folder: Path,
        replaced: Mapping[str, str] | None = None,
        linked: Mapping[str, Path] | None = None,
    ) -> None:
        """Run ``path`` in ``folder``.

        Some texts of the page are ``replaced``, such as the address of a server; ``linked`` are names in its folder for
        what the page installs from the network.
        """
        self.path = path
        self._warm = warm
        self._replaced = dict(replaced or {})
        self._bindings = Bindings()
        self._status = 0
        self._state = folder / "state"
        self._here = folder / "here"
        for made in (self._state, self._here):
            made.mkdir()
        shutil.copytree(ROOT / "examples", self._here / "examples")
        for name, target in (linked or {}).items():
            (self._here / name).symlink_to(target)
        (self._state / "folder").write_text(str(self._here), encoding="utf-8")
        programs = os.pathsep.join([str(warm.programs), str(Path(sys.executable).parent), os.environ["PATH"]])
        self._env = {"PATH": programs, "HOME": str(folder), "LANG": "C.UTF-8", "TZ": "UTC", "COLUMNS": COLUMNS}
        self.renamed: dict[str, str] = {}
        self._tampered: set[str] = set()

    def run(self, *, update: bool = False) -> str:
        """Run all blocks; returns the page's text, with what was printed in it if ``update``.

        Raises:
            PageError: a block failed, or printed something else.
        """
        text = self.path.read_text(encoding="utf-8")
        changed = text
        for block in blocks(text):
            if block.language not in RUN or block.not_run is not None:
                continue
            body = block.body
            for old, new in self.renamed.items():
                body = body.replace(old, new)
            if block.language in {"console", "pycon"}:
                new_body = self._session(block, body, update=update)
                changed = changed.replace(block.body, new_body, 1)
            else:
                self._script(block, body)
        for old, new in self.renamed.items():
            changed = changed.replace(old, new)
        return changed

    # --- Scripts --------------------------------------------------------------------------------------------------

    def _script(self, block: Block, body: str) -> None:
        if block.language == "python":
            status, printed = self._python(body, "exec")
        else:
            status, printed = self._shell(body, "set -e")
        if status != 0:
            message = f"{self._at(block)} failed with status {status}:\n{body}\n{printed}"
            raise PageError(message)

    def _shell(self, text: str, before: str) -> tuple[int, str]:
        script = _SHELL.format(state=shlex.quote(str(self._state)), before=before, text=self._own(text))
        done = subprocess.run(
            ["bash", "-c", script],
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=HANGS_S,
            check=False,
        )
        return done.returncode, done.stdout.decode()

    def _python(self, code: str, mode: str) -> tuple[int, str]:
        folder = Path((self._state / "folder").read_text(encoding="utf-8").strip())
        return self._warm.python(self._own(code), f"{self.path} in {self._here}", mode, folder, self._variables())

    def _variables(self) -> dict[str, str]:
        """Return the environment as the blocks before have left it."""
        status, printed = self._shell("env -0", "")
        if status != 0:
            raise PageError(printed)
        return dict(item.split("=", 1) for item in printed.split("\0") if "=" in item)

    def _own(self, text: str) -> str:
        for old, new in self._replaced.items():
            text = text.replace(old, new)
        return self._bindings.rewrite(text)

    # --- Sessions -------------------------------------------------------------------------------------------------

    def _session(self, block: Block, body: str, *, update: bool) -> str:
        pieces = _console(body) if block.language == "console" else _pycon(body)
        if not pieces:
            message = f"{self._at(block)} has no command"
            raise PageError(message)
        parts, position = [], 0
        for number, piece in enumerate(pieces):
            if block.language == "console":
                self._status, printed = self._shell(piece.command, f"(exit {self._status})")
                follows = pieces[number + 1].command if number + 1 < len(pieces) else ""
                # What writes on after head has left is told so by a signal (128 + SIGPIPE).
                unread = self._status == 141 and "| head" in piece.command
                failed = self._status != 0 and not unread and follows.strip() != "echo $?"
                self._tampering(block, piece.command)
            else:
                failed, printed = False, self._python(piece.command, "single")[1]
            parts.append(body[position : piece.start])
            parts.append(self._compare(block, piece, printed, failed=failed, update=update))
            position = piece.end
        return "".join(parts) + body[position:]

    def _tampering(self, block: Block, command: str) -> None:
        """Refuse a command that says it edits a file and does not, or verifies an edited one and finds nothing."""
        edit = _EDITING.match(command)
        if edit is not None:
            folder = Path((self._state / "folder").read_text(encoding="utf-8").strip())
            if (folder / edit["made"]).read_bytes() == (folder / edit["read"]).read_bytes():
                message = f"{self._at(block)} changes nothing in {edit['read']}: {command}"
                raise PageError(message)
            self._tampered.add(edit["made"])
            return
        verifies = _VERIFYING.search(command) and self._tampered.intersection(command.split())
        if verifies and (self._status == 0) != (block.not_found is not None):
            message = f"{self._at(block)} leaves a file that was tampered with by status {self._status}: {command}"
            raise PageError(message)

    def _compare(self, block: Block, piece: _Piece, printed: str, *, failed: bool, update: bool) -> str:
        own = printed.replace(str(self._here) + "/", "")
        for old, new in self._replaced.items():
            own = own.replace(new, old)
        if not failed and self._bindings.match(piece.shown, own):
            return piece.shown
        if failed or not update:
            message = f"{self._at(block)}: {piece.command}\n--- the page shows\n{piece.shown}\n--- it printed\n{own}"
            raise PageError(message)
        new = "\n".join(line.rstrip() for line in own.splitlines() if line.strip()) + "\n" if own.strip() else ""
        new = self._bindings.unwrite(new)
        for (kind, old_token), (new_kind, new_token) in zip(tokens(piece.shown), tokens(new), strict=False):
            if kind == new_kind and old_token not in self._bindings.actual:
                self.renamed[old_token] = new_token
        return new

    def _at(self, block: Block) -> str:
        return f"{os.path.relpath(self.path, ROOT)}, line {block.line}"


def _console(body: str) -> list[_Piece]:
    """Split a terminal session into its commands and what they print."""
    found: list[_Piece] = []
    position = 0
    in_command = False
    for line in body.splitlines(keepends=True):
        end = position + len(line)
        if line.startswith("$ "):
            found.append(_Piece(line[2:], "", end, end))
            in_command = True
        elif in_command and (line.startswith("> ") or found[-1].command.endswith("\\\n")):
            found[-1].command += line.removeprefix("> ")
            found[-1].start = found[-1].end = end
        elif found:
            in_command = False
            found[-1].shown += line
            found[-1].end = end
        position = end
    return found


def _pycon(body: str) -> list[_Piece]:
    """Split a Python session into its statements and what they show."""
    found = []
    lines = body.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for example in doctest.DocTestParser().get_examples(body):
        first = example.lineno + example.source.count("\n")
        shown = 0
        while first + shown < len(lines) and not lines[first + shown].startswith(">>> "):
            shown += 1
        end = starts[first + shown]
        found.append(_Piece(example.source, body[starts[first] : end], starts[first], end))
    return found


def run_page(
    path: Path,
    warm: WarmMars,
    replaced: Mapping[str, str] | None = None,
    linked: Mapping[str, Path] | None = None,
    *,
    update: bool = False,
) -> str:
    """Run ``path`` in a folder of its own; see :class:`Page`."""
    with tempfile.TemporaryDirectory(prefix="page-") as folder:
        return Page(path, warm, Path(folder), replaced, linked).run(update=update)


def replaced_on_neo4j(uri: str, password: str, tenant: str) -> dict[str, str]:
    """Return what a page about Neo4j must call otherwise on the tests' own server."""
    address = uri.split("://", 1)[1]
    return {"localhost:7687": address, "correct-horse-battery": password, "field-notes": tenant}


def main(names: list[str]) -> None:
    """Write what their commands print now into the pages ``names``."""
    server = os.environ.get("NEO4J_URI", "")
    tenant = f"docs-{os.getpid()}"
    replaced = replaced_on_neo4j(server, os.environ.get("NEO4J_PASSWORD", ""), tenant) if server else {}
    linked = {"node_modules": ROOT / "tests" / "interop" / "node_modules"}
    with warm_mars() as warm:
        for name in names:
            path = Path(name).resolve()
            path.write_text(run_page(path, warm, replaced, linked, update=True), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
