"""Scripts that are run as a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.support.waiting import HANGS_S


def run(script: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script of Python to its end, with these variables besides those of this process."""
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
        env={**os.environ, **environment},
    )
