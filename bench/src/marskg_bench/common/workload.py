"""What the bench remembers: an endless conversation with facts derived from it, the same for the same seed.

Guarantees: every content weighs :data:`TOKENS` tokens, so that the number of evictions that a trigger needs is known;
nothing is random but by a seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marskg.clock import SeededSource
from marskg.drafts import Draft
from marskg.ontology.vocabulary import Kind, TaskStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Words that are one token each.
_WORDS = ("water", "garden", "summer", "travel", "paris", "friday", "hotel", "price", "train", "ticket", "mother")
#: Weight of every content.
TOKENS = 24
#: Turns of one session.
SESSION = 25
#: When the conversation begins, in epoch milliseconds, and what lies between two turns.
START = 1_700_000_000_000
MINUTE = 60_000
_KINDS = (Kind.SEMANTIC, Kind.SOCIAL, Kind.SEMANTIC, Kind.TASK)


class Workload:
    """Makes contents and drafts; one instance never repeats a ref or a session."""

    def __init__(self, seed: int, made: int = 0) -> None:
        """Start the stream of ``seed``; ``made`` turns were made before by another one, which went on elsewhere."""
        self._source = SeededSource(f"bench-{seed}-{made}" if made else f"bench-{seed}")
        self._made = made

    def content(self) -> str:
        """Return the next text."""
        return " ".join(_WORDS[byte % len(_WORDS)] for byte in self._source.token(TOKENS))

    def below(self, limit: int) -> int:
        """Return a number from 0 to ``limit`` - 1."""
        return int.from_bytes(self._source.token(8), "big") % limit

    def turn(self) -> dict[str, Any]:
        """Return the arguments of ``remember`` for the next turn of a conversation."""
        self._made += 1
        return {
            "content": self.content(),
            "at": START + self._made * MINUTE,
            "session": f"session-{self._made // SESSION}",
            "subjects": ("alice",),
            "source_ref": f"chat/{self._made}",
        }

    def turns(self, count: int) -> list[Draft]:
        """Return the next ``count`` turns."""
        drafts = []
        for _ in range(count):
            turn = self.turn()
            drafts.append(Draft(ref=f"turn-{self._made}", kind=Kind.EPISODIC, **turn))
        return drafts

    def mixed(self, count: int) -> Iterator[Draft]:
        """Yield turns with, after every fourth, something derived from it."""
        for number in range(count):
            if number % 5 < 4:  # noqa: PLR2004 - four of five
                yield from self.turns(1)
                continue
            kind = _KINDS[number // 5 % len(_KINDS)]
            yield Draft(
                ref=f"fact-{self._made}",
                kind=kind,
                content=self.content(),
                at=START + self._made * MINUTE,
                subjects=("alice",),
                status=TaskStatus.DONE if kind is Kind.TASK else None,
                derives_from=(f"turn-{self._made}",),
            )
