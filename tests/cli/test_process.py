"""Real processes: pipes that close, outputs that are closed or full, Ctrl-C, terminals narrow and without colours."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from typing import TYPE_CHECKING

import pytest

import marskg
from marskg.store.ingest.prepare import BATCH
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from pathlib import Path

MARS = (sys.executable, "-c", "from marskg.cli.main import main; main()")
PLAIN = {
    "PATH": os.environ["PATH"],
    "HOME": os.environ.get("HOME", "/"),
    "LANG": "C.UTF-8",
}
ESCAPE = "\x1b"


def start(*arguments: object, out: int = subprocess.PIPE) -> subprocess.Popen[str]:
    command = [*MARS, *map(str, arguments)]
    return subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True, env=PLAIN)


def shell(text: str, store: Path) -> subprocess.CompletedProcess[str]:
    """Run ``text`` with ``$MARS`` for the command on ``store``."""
    command = shlex.join([*MARS, "--store", str(store)])
    return subprocess.run(
        ["/bin/sh", "-c", text.replace("$MARS", command)], capture_output=True, text=True, env=PLAIN, check=False
    )


def on_terminal(columns: int, *arguments: object, **environment: str) -> str:
    """Return what a terminal of some columns shows."""
    terminal, inside = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [*MARS, *map(str, arguments)]
    settings = PLAIN | {"TERM": "xterm-256color"} | environment
    process = subprocess.Popen(command, stdin=inside, stdout=inside, stderr=inside, env=settings)
    os.close(inside)
    shown = b""
    while True:
        try:
            read = os.read(terminal, 65536)
        except OSError:  # the last one to write has left
            break
        shown += read
    os.close(terminal)
    assert process.wait() == 0, shown
    return shown.decode()


def test_a_pipe_that_is_closed_early_ends_the_command_quietly(store: Path) -> None:
    process = start("--store", store, "settings")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr as told:
        assert told.read() == ""
    assert process.wait() == 141


def test_an_output_that_is_closed_is_no_defect(store: Path) -> None:
    done = shell("exec $MARS stats >&-", store)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_input_that_is_closed_is_an_empty_one(store: Path) -> None:
    done = shell("exec $MARS remember - --session s <&-", store)
    assert (done.returncode, done.stderr[:33]) == (2, "error: content is empty or blank;")
    asked = shell("exec $MARS erase --subject nobody <&-", store)
    assert (asked.returncode, asked.stderr[:20]) == (0, "files may still hold")


@pytest.mark.parametrize("command", ["export loop.nq", "export loop/a.nq", "snapshot save loop", "learn loop"])
def test_links_that_lead_to_one_another_are_no_defect(store: Path, tmp_path: Path, command: str) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop.nq")
    (tmp_path / "loop.nq").symlink_to(tmp_path / "loop")
    done = shell(f"cd {tmp_path} && exec $MARS {command}", store)
    assert done.returncode in {0, 1, 2}, done.stderr
    assert "loop" in done.stdout + done.stderr


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(store: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = shell(f"exec timeout 60 $MARS learn {tmp_path / 'pipe'}", store)
    assert done.returncode == 2
    assert "it is a device, a pipe or a socket; name a file" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")  # noqa: PTH110
def test_an_output_that_is_full_is_one_line_and_a_refusal(store: Path) -> None:
    done = shell("exec $MARS stats --json >/dev/full", store)
    assert done.returncode == 1
    assert "No space left on device" in json.loads(done.stderr)["error"]["message"]


def test_a_command_whose_output_nobody_reads_leaves_as_shells_expect(tmp_path: Path) -> None:
    process = start("init", "--store", tmp_path / "memory", "--budget", "100")
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait() == 141
    with marskg.open(tmp_path / "memory", create=False) as memory:
        assert memory.settings.current.budget == 100, "it was done all the same"


@pytest.mark.slow
@pytest.mark.proof
def test_an_interrupted_import_says_what_is_kept_and_keeps_exactly_that(tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    lines = (
        {"role": "user", "content": f"turn {number} about gardens", "timestamp": "2026-03-01T10:00:00Z", "session": "s"}
        for number in range(30_000)
    )
    talk.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    folder = tmp_path / "memory"
    process = start("--store", folder, "import", "chat", talk)
    until(lambda: sum(path.stat().st_size for path in folder.glob("graph/AuditRecord*")) > 3_000_000)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130, told
    assert len(told.strip().splitlines()) == 1
    found = re.search(r"^error: interrupted: the first (\d+) of 30000 items are stored", told.strip())
    assert found is not None, told
    with marskg.open(folder) as memory:
        # The batch that was under way may have been committed just before it was interrupted, as the message says.
        assert memory.stats()["live"] - int(found[1]) in {0, BATCH, 2 * BATCH}
        assert memory.verify().ok
        assert memory.remember("life goes on").sequence == memory.stats()["audit_seq"]


def until(holds: object, seconds: float = HANGS_S) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if callable(holds) and holds():
            return
        time.sleep(0.02)
    pytest.fail("it did not come to that")


@pytest.mark.parametrize("columns", [30, 100])
def test_a_narrow_terminal_loses_nothing(store: Path, columns: int) -> None:
    shown = on_terminal(columns, "--store", store, "stats")
    for word in ("episodic", "semantic", "social", "task", "live", "tokens", "latent", "tombstones"):
        assert word in shown, shown


def test_there_are_no_colours_where_none_are_wanted(store: Path) -> None:
    assert not re.search(r"\x1b\[[0-9;]*(3|4|9|10)[0-9]m", on_terminal(100, "--store", store, "stats", NO_COLOR="1"))
    assert ESCAPE not in on_terminal(100, "--store", store, "stats", TERM="dumb")
    assert ESCAPE not in shell("$MARS stats", store).stdout
