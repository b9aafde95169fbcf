"""How long tests wait: for a condition, and never for a time that a slow machine can reach."""

from __future__ import annotations

#: Seconds after which a wait is a hang: below the limit of a test (``timeout`` in pyproject.toml), so that the wait is
#: tells what hangs.
HANGS_S = 1500
