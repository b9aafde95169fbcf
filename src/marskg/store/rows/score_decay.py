"""How a score begins, and how it fades while a memory is not accessed: a grace, then Ebbinghaus' curve.

Guarantees: pure; a score never rises by waiting and keeps its order with others of the same idle time. Nothing is
rescanned: what a score is worth is computed when it is read, and written back when the memory is shown, since a showing
starts the idle time anew. Source: MemoryArchitect II.B and II.D; semantics section 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.config import LearningSettings
from marskg.ontology.vocabulary import Kind, SourceType

if TYPE_CHECKING:
    from marskg.config import Settings
    from marskg.records import Memory

_CHAT: Final = frozenset({SourceType.CHAT_USER, SourceType.CHAT_ASSISTANT})
#: Halvings after which nothing is left of a score of 100.
_MOST: Final = 100
_USUAL: Final = LearningSettings()


@dataclass(frozen=True, slots=True)
class Fading:
    """A score is untouched for ``grace_ms`` after its last access and then halves every ``half_life_ms``.

    From a score of ``proven`` on a memory has proved useful again and again.
    """

    grace_ms: int = _USUAL.idle_grace
    half_life_ms: int = _USUAL.half_life
    proven: int = _USUAL.proven

    @classmethod
    def by(cls, settings: Settings) -> Fading:
        """Return how scores fade under a tenant's settings."""
        return cls(settings.learning.idle_grace, settings.learning.half_life, settings.learning.proven)

    def worth(self, score: int, idle_ms: int) -> int:
        """Return what ``score`` (0..100) is worth after ``idle_ms`` without access, rounded half up.

        A negative idle time, that of an access recorded by a clock that is ahead, counts as none.
        """
        idle = idle_ms - self.grace_ms
        if idle <= 0:
            return score
        # Exact halvings are shifts; the power of the fraction left is within a double's precision of the true value.
        halvings, rest = divmod(idle, self.half_life_ms)
        if halvings >= _MOST:
            return 0
        return int(score * 2.0 ** -(rest / self.half_life_ms) / (1 << halvings) + 0.5)

    def read(self, memory: Memory, now: int) -> Memory:
        """Return a memory as it is read at ``now`` (epoch milliseconds): with the score that it is worth then."""
        worth = self.worth(memory.score, now - max(memory.last_access, memory.created))
        return memory if worth == memory.score else memory.scored(worth)


def is_chat(kind: Kind, source_type: SourceType) -> bool:
    """Return whether a memory is an episode of a conversation, which begins with a score of its own (III.B)."""
    return kind is Kind.EPISODIC and source_type in _CHAT


def score_at_birth(settings: Settings, kind: Kind, source_type: SourceType) -> int:
    """Return the score (0..100) that a memory is stored with under a tenant's settings."""
    return settings.learning.chat_birth if is_chat(kind, source_type) else settings.learning.birth
