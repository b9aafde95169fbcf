"""What a summary must pass before it may take the place of its cluster (semantics section 6, MaRS section 5.3-5.4).

Guarantees: pure functions; a summary passes only if it is strictly cheaper than its constituents, its distortion
D(C ⇒ c̄) is at most τ_util, and its sensitivity s̄ is at most the larger of s_floor and max s_i - τ_priv (§5.4), or
min s_i - τ_priv where the option of §4.3 is chosen; without the floor a harmless cluster could never be summarised. A
refusal names the gate and both of its numbers. Whatever made the lines, these numbers are measured on the lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.records import SummaryLine
    from marskg.reflection.passages import Constituent

#: Rounding of decimals to the 1e-6 in which they are stored must not decide a gate.
_RESOLUTION = 1e-6


class Gate(StrEnum):
    """The gates in the order in which they are asked."""

    EMPTY = "empty"
    COST = "cost"
    SENSITIVITY = "sensitivity"
    DISTORTION = "distortion"


class Against(StrEnum):
    """Which of the constituents' sensitivities the summary's is held against."""

    MAX = "max"
    MIN = "min"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """τ_util (a distance of unit vectors, 0 to 2), τ_priv and s_floor (sensitivities, 0 to 1)."""

    tau_util: float
    tau_priv: float
    s_floor: float
    against: Against = Against.MAX

    def ceiling(self, constituents: Sequence[Constituent]) -> float:
        """Return the most sensitivity that a summary of ``constituents`` may have."""
        found = [constituent.sensitivity for constituent in constituents]
        held_against = min(found) if self.against is Against.MIN else max(found)
        return max(self.s_floor, held_against - self.tau_priv)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The gate that a summary does not pass: its number and the limit that it had to keep."""

    gate: Gate
    value: float
    limit: float

    @property
    def cause(self) -> str:
        """Return why in words, without the numbers: of a summary without lines nothing could be measured."""
        if self.gate is Gate.EMPTY:
            return "no line of its summary may be said within the target"
        return f"refused by the gate of {self.gate.value}"

    @property
    def reason(self) -> str:
        """Return the refusal in words, without anything of what the memories say."""
        words = {
            Gate.COST: f"it weighs {self.value:g} tokens, and must weigh less than {self.limit:g}",
            Gate.SENSITIVITY: f"its sensitivity is {self.value:.6g}, and may be {self.limit:.6g}",
            Gate.DISTORTION: f"its distortion is {self.value:.6g}, and may be {self.limit:.6g}",
        }
        return f"{self.cause}: {words[self.gate]}" if self.gate in words else self.cause


def sensitivity_of(lines: Sequence[SummaryLine]) -> float:
    """Return what a summary inherits: the most that one of its lines does."""
    return max((line.sensitivity for line in lines), default=0.0)


def check_lines(
    constituents: Sequence[Constituent], lines: Sequence[SummaryLine], weight: int, thresholds: Thresholds
) -> Refusal | None:
    """Return which gate refuses the lines of a summary that weighs ``weight`` tokens, None if none does."""
    if not lines or weight < 1:
        return Refusal(Gate.EMPTY, len(lines), 1)
    whole = sum(constituent.weight for constituent in constituents)
    if weight >= whole:
        return Refusal(Gate.COST, weight, whole)
    sensitivity, ceiling = sensitivity_of(lines), thresholds.ceiling(constituents)
    if sensitivity > ceiling + _RESOLUTION:
        return Refusal(Gate.SENSITIVITY, sensitivity, ceiling)
    return None


def check_distortion(distortion: float, thresholds: Thresholds) -> Refusal | None:
    """Return the refusal of a summary whose distortion is too large; NaN is."""
    if distortion <= thresholds.tau_util:
        return None
    return Refusal(Gate.DISTORTION, distortion, thresholds.tau_util)
