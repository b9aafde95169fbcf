"""The parts of the default ranking, each left out once: its weight at 0.

Guarantees: the settings of a store are as they were once a part has been measured, whatever happened meanwhile.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from marskg.config import RankingWeights

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from marskg.memory import AgentMemory

#: Where the settings have the weights.
WEIGHTS: Final = "retrieval.weights."


def left_out() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name of each part with the settings that leave it out."""
    for name, weight in asdict(RankingWeights()).items():
        if weight:
            yield name, {f"{WEIGHTS}{name}": 0}


@contextmanager
def applied(memory: AgentMemory, settings: Mapping[str, Any]) -> Iterator[None]:
    """Give ``memory`` these settings for a while."""
    before = memory.settings.current.values()
    memory.settings.set(None, settings)
    try:
        yield
    finally:
        memory.settings.set(None, {name: before[name] for name in settings})
