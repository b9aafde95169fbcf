"""Settings as the command line writes and takes them.

Guarantees: what is written is taken back as the same value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.config import Settings


def writable(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as their table takes them: durations with their unit."""
    from marskg.config import writable as as_written

    return {name: as_written(name, value) for name, value in values.items()}


def recognisers(settings: Settings) -> list[str]:
    """Return what reads texts for what is sensitive on this machine, whatever the settings would like to have."""
    from marskg.errors import EnvironmentFailure
    from marskg.privacy.sensing.detector import Detector

    if settings.sensitivity.assess == "off":
        return []
    try:
        return list(Detector(settings.sensitivity).recognisers)
    except EnvironmentFailure:
        return []


def written(value: object) -> str:
    """Return a setting's value as ``mars settings`` shows and takes it."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else _short(str(value))


def _short(text: str) -> str:
    """Return a duration in the largest unit that it is whole in."""
    if not text.endswith("ms") or not text[:-2].isdigit():
        return text
    milliseconds = int(text[:-2])
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)):
        if milliseconds and milliseconds % size == 0:
            return f"{milliseconds // size}{unit}"
    return text
