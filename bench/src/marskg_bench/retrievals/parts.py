"""The parts of the default ranking, each left out once: its profile with one weight at 0.

Guarantees: the settings of a store are as they were once a part has been measured, whatever happened meanwhile.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any, Final

from marskg.config import Settings, read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from marskg.memory import AgentMemory

#: The sections of a profile whose numbers are parts of the ranking.
_SECTIONS: Final = ("weights", "context")


def left_out(folder: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name of each part with the settings that leave it out; profiles are written to ``folder``."""
    source = files("marskg.retrieval") / "profiles" / f"{Settings().retrieval.profile}.yaml"
    with as_file(source) as path:
        profile = read_yaml(path)
    for section in _SECTIONS:
        values = profile.get(section, {})
        for name in (name for name, value in values.items() if value):
            made = folder / f"without-{section}-{name}.yaml"
            # JSON is YAML.
            made.write_text(json.dumps({**profile, section: {**values, name: 0}}), encoding="utf-8")
            yield f"{section}.{name}", {"retrieval.profile": str(made)}


@contextmanager
def applied(memory: AgentMemory, settings: Mapping[str, Any]) -> Iterator[None]:
    """Give ``memory`` these settings for a while."""
    before = memory.settings.current.values()
    memory.settings.set(None, settings)
    try:
        yield
    finally:
        memory.settings.set(None, {name: before[name] for name in settings})
