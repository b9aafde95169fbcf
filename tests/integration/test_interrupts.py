"""Ctrl-C reaches Python alone: an interrupted thread of the JVM would close the engine's files under it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import os, signal, sys, time
import marskg

with marskg.open(sys.argv[1]) as memory:
    import jpype

    memory.remember("first")
    for _ in range(3):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)  # The JVM hears of a signal in a thread of its own.
        except KeyboardInterrupt:
            time.sleep(0.1)
            assert not jpype.JClass("java.lang.Thread").interrupted(), "the JVM was interrupted as well"
            memory.remember("goes on")
        else:
            raise AssertionError("nobody was interrupted")
    assert memory.stats()["live"] == 4
    assert memory.verify().ok
"""


def test_an_interrupt_of_python_is_none_of_the_engines_thread(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
