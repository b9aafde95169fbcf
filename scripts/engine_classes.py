"""Write down which classes the embedded engine loads, for the archive of them that ``mars init`` makes.

    python scripts/engine_classes.py > src/marskg/store/engine/classes.txt

To be run again when the engine's version changes; what is missing in the list is loaded as before, only slower. The
commands work in a temporary folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MARS = (sys.executable, "-c", "from marskg.cli.main import main; main()")
COMMANDS = (
    ("init", "--encryption", "subjects"),
    ("remember", "Anna moved to Berlin.", "--subject", "anna", "--key", "home"),
    ("learn", "-"),
    ("retrieve", "Where does Anna live?"),
    ("stats",),
    ("verify",),
    ("cypher", "MATCH (m:Memory) RETURN m.id LIMIT 5"),
    ("forget", "--budget", "10"),
    ("erase", "--subject", "anna", "--scrub", "--yes"),
)


def loaded(folder: Path) -> dict[str, None]:
    """Return the lines of all lists of the commands, each once, in their order."""
    listed = folder / "classes"
    variables = {
        "ARCADEDB_JVM_ARGS": f"-Xshare:off -XX:DumpLoadedClassList={listed}",
        "MARS_HOME": str(folder / "home"),
    }
    found: dict[str, None] = {}
    for command in COMMANDS:
        made = subprocess.run(
            [*MARS, "--store", str(folder / "store"), *command],
            env=os.environ | variables,
            input=b"I have two cats. My sister lives in Rome.",
            stdout=subprocess.DEVNULL,
            check=False,
        )
        if made.returncode not in {0, 1}:
            message = f"mars {command[0]} ended with status {made.returncode}"
            raise SystemExit(message)
        # Numbers and resolved constants are those of one run; what has a source comes from no file of the class path.
        lines = listed.read_text(encoding="utf-8").splitlines()
        found |= {
            re.sub(r" id: \d+$", "", line): None
            for line in lines
            if not line.startswith(("#", "@cp")) and " source: " not in line
        }
    return found


with tempfile.TemporaryDirectory() as folder:
    print("\n".join(loaded(Path(folder))))
