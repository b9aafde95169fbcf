"""The order of one policy: the stream of what goes next, and the score that an action carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from string import Template

    from marskg.policies.core.candidates import Candidate
    from marskg.policies.core.policy import PolicyView
    from marskg.policies.streams.leaves import Place, Stream


@dataclass(frozen=True, slots=True)
class Order:
    """One policy's order.

    ``open`` gives the stream of candidates for a view, a seed and what their keys begin with: the tenant, or one kind
    of it where kinds have shares; ``score`` the integer that an action carries, in 1e-6 of the policy's unit.
    """

    name: str
    reason: Template
    open: Callable[[PolicyView, int, str], Stream]
    score: Callable[[Candidate, Place], int]
