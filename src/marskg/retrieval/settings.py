"""The settings of assembly, with their defaults and ranges.

Guarantees: a value out of its range is refused when the settings are made, with its name and what is allowed; equal
settings give equal results.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from marskg.errors import InvalidConfig
from marskg.retrieval.submodular import Weights

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The least and the most that each number may be; where both are integers, so must the value.
RANGES: Final[Mapping[str, tuple[float, float]]] = MappingProxyType({
    "pool": (1, 2_000),
    "recent_turns": (0, 1_000),
    "recent_share": (0.0, 1.0),
    "summary_share": (0.0, 1.0),
    "longest_share": (0.05, 1.0),
    "excerpts": (0, 64),
    "minimum_excerpt": (1, 1_000),
    "jaccard": (0.5, 1.0),
    "cosine": (0.0, 1.0),
    "plain_below": (0, 1_000_000),
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class AssemblySettings:
    """How a token budget is filled.

    ``selection``: ``greedy`` by marginal gain per token, or ``rank``: in rank order until one does not fit.
    ``pool``: how many of the best ranked are looked at. ``recent_turns``: how many of a session's last turns are shown
    as they were said. ``recent_share`` and ``summary_share``: the parts of the budget that these turns and the
    summary of the session may take; turns may have more when what is remembered does not need it. ``longest_share``:
    the part of the room for memories above which one memory is shortened. ``excerpts``: how many may be shortened.
    ``minimum_excerpt``: tokens below which an excerpt is not worth showing. ``jaccard`` and ``cosine``: thresholds of
    near duplicates. ``plain_below``: the budget below which headings and attributions are left out.

    Raises:
        InvalidConfig: a value is out of its range.
    """

    selection: Literal["greedy", "rank"] = "greedy"
    pool: int = 256
    recent_turns: int = 6
    recent_share: float = 0.35
    summary_share: float = 0.15
    longest_share: float = 0.5
    excerpts: int = 4
    minimum_excerpt: int = 8
    jaccard: float = 0.8
    cosine: float = 0.9
    plain_below: int = 64
    weights: Weights = field(default_factory=Weights)

    def __post_init__(self) -> None:
        """Check every value against its range."""
        if self.selection not in {"greedy", "rank"}:
            message = f"assembly setting selection is {self.selection!r}: it must be greedy or rank"
            raise InvalidConfig(message)
        for name in (one.name for one in fields(self) if one.name in RANGES):
            low, high = RANGES[name]
            value = getattr(self, name)
            kinds = int if isinstance(low, int) else (int, float)
            if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
                noun = "an integer" if isinstance(low, int) else "a number"
                message = f"assembly setting {name} is {value!r}: it must be {noun} from {low} to {high}"
                raise InvalidConfig(message)
        if self.recent_share + self.summary_share > 1:
            message = (
                f"assembly settings recent_share {self.recent_share} and summary_share {self.summary_share} are more "
                "than the whole budget: lower one of them"
            )
            raise InvalidConfig(message)
