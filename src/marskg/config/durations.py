"""Durations as text, such as ``30d``, and as the integer milliseconds that the product counts in."""

from __future__ import annotations

from marskg.late_regex import late_regex

UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_DURATION = late_regex(r"^([0-9]{1,12})\s*(ms|s|m|h|d|w)$")


def duration_ms(text: str) -> int | None:
    """Return the milliseconds of a duration such as ``30d``, or None if the text is none."""
    match = _DURATION.match(text.strip())
    return int(match[1]) * UNITS[match[2]] if match else None
