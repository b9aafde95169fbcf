"""What a reranker is to the rest of the product: something that reads a question and texts together.

Guarantees: a score is a finite number, higher for what answers better; scores of one call compare with each other and
with nothing else. Source: Nogueira and Cho 2019, section 3 (rerank what a cheaper search found).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Reranker(Protocol):
    """Scores texts as answers to a question."""

    @property
    def name(self) -> str:
        """Return what messages call it, such as ``rerank:bge-reranker@localhost:8080``."""
        ...

    @property
    def leaves(self) -> bool:
        """Return whether the texts leave this process."""
        ...

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return a score for each text, in their order.

        Raises:
            RerankerUnavailable: it cannot answer now; what was ranked without it stands.
        """
        ...
