"""What reading has come to, in running counts: what a controller learns from between two of its decisions.

Guarantees: a value; the tenant's row holds it and each record of the access log, and each complaint that is stored,
moves it in its own statement, so it costs no read and no scan; counts never fall. Only numbers: neither ids nor texts.
MaRS section 3.3.5 (hit rate of retrieval, complaints as features) and line 716 (miss rate as a trigger).
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The intent tag of a memory that holds a complaint about remembering: it counts as one when it is written.
COMPLAINT: Final = "complaint"


@dataclass(frozen=True, slots=True)
class Usage:
    """Running counts of one tenant's reading.

    ``showings``: answers; ``empty``: answers that showed no memory; ``judged``: answers about which there is feedback;
    ``useless``: of these, the ones of which nothing was used; ``complaints``: memories that a user, or an answer,
    contradicted, and wishes to remember less, to forget, not to mention, or that something is wrong.
    """

    showings: int = 0
    empty: int = 0
    judged: int = 0
    useless: int = 0
    complaints: int = 0

    def shown(self, memories: int) -> Usage:
        """Return the counts after one answer that showed so many memories."""
        return Usage(self.showings + 1, self.empty + (memories == 0), self.judged, self.useless, self.complaints)

    def assessed(self, *, used: int, contradicted: int) -> Usage:
        """Return the counts after feedback on one answer."""
        useless = self.useless + (used == 0)
        return Usage(self.showings, self.empty, self.judged + 1, useless, self.complaints + contradicted)

    def complained(self) -> Usage:
        """Return the counts after a complaint that is about no single answer."""
        return Usage(self.showings, self.empty, self.judged, self.useless, self.complaints + 1)

    def since(self, earlier: Usage) -> Usage:
        """Return what came after ``earlier``."""
        return Usage(*(now - then for now, then in zip(astuple(self), astuple(earlier), strict=True)))

    @property
    def misses(self) -> float:
        """Return which part of the answers missed: they showed nothing, or nothing of use; 0.0 where there is none."""
        return min(1.0, (self.empty + self.useless) / self.showings) if self.showings else 0.0

    def to_list(self) -> list[int]:
        """Return the counts as the tenant's row holds them."""
        return list(astuple(self))

    @classmethod
    def from_list(cls, numbers: Sequence[int]) -> Usage:
        """Return the counts that :meth:`to_list` wrote."""
        return cls(*numbers)
