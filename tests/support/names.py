"""Names that no other test has, and that are the same in each run: a random one may happen to mean something."""

from __future__ import annotations

import os
import time
from collections import Counter
from hashlib import sha256
from typing import Final

#: A server that is not of this run may keep what an earlier run left.
_RUN: Final = f"{time.time_ns()}" if "NEO4J_URI" in os.environ else ""
_GIVEN: Counter[str] = Counter()


def name(prefix: str = "t-") -> str:
    """Return a name with 12 letters and digits after ``prefix``; each call of a test gives another."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    _GIVEN[test] += 1
    return prefix + sha256(f"{_RUN} {test} {_GIVEN[test]}".encode()).hexdigest()[:12]
