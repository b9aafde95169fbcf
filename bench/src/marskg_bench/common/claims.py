"""What MaRS says that each policy costs, as data: Table 1 and what the text says of policies that are not in it.

Guarantees: words are the paper's; each claim names the line of its text (``seeds/mars-fifa.txt``) that it stands in. n
is the number of memories, k that of the evictions of one trigger, a(n), alpha in the paper, the cost of one similarity
lookup, B the budget.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_TABLE = "Table 1"


class Claim(NamedTuple):
    """What one trigger and one arrival cost, where that is said, and whether a trigger may grow with n."""

    trigger: str | None
    arrival: str | None
    where: str
    line: int
    grows: bool = False

    def to_document(self) -> dict[str, Any]:
        """Return the claim as JSON can hold it."""
        return {"trigger": self.trigger, "arrival": self.arrival, "where": self.where, "line": self.line}


#: By the names of the policies; what the paper says nothing of is not here.
CLAIMS: Mapping[str, Claim] = MappingProxyType(
    {
        "fifo": Claim("O(k)", "O(1)", _TABLE, 302),
        "lru": Claim("O(k)", "O(1)", _TABLE, 303),
        "priority-decay": Claim("O(k log n)", "O(log n)", _TABLE, 304),
        "reflection-summary": Claim("O(n log n + n a(n))", "O(log n + a(n))", _TABLE, 305, grows=True),
        "random-drop": Claim("O(k)", "O(1)", _TABLE, 306),
        "hybrid": Claim("O(k + k log n + n a(n))", "O(log n + a(n))", _TABLE, 307, grows=True),
        "density": Claim("O(k log n)", "O(log n)", "section 4.2", 390),
        "greedy": Claim(None, "O(log B)", "section 3.4.1", 311),
    }
)


def may_grow(policy: str) -> bool:
    """Return whether Table 1 lets a trigger of ``policy`` cost more in a larger store."""
    return policy in CLAIMS and CLAIMS[policy].grows
