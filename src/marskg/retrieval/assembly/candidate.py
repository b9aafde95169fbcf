"""What ranking hands to assembly: a memory with its rank score and the features that assembly looks at.

Guarantees: immutable; the order of candidates is one total order, by score, then sequence, then id, whatever order they
arrive in. Nothing here reads the store.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from marskg.ontology.vocabulary import RELIABILITY, Cardinality, SourceType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    import numpy.typing as npt

    from marskg.records import Memory

#: Text that others wrote, which anybody may have put there.
_OUTSIDE: Final = (SourceType.DOC, SourceType.API_RESULT)
_NOTHING: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Outdated:
    """That the memory ``by``, an id, perhaps tells a newer value.

    ``marked`` where that is likely enough to be said; ``alone`` where both tell the value of one thing, so that the
    newer is enough.
    """

    by: str
    marked: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A memory that may be shown.

    ``score`` is the rank score, an integer of 1e-6, higher is better. ``vector`` has unit length. ``entities`` and
    ``goals`` are ids of what it mentions and of the active tasks that it serves. ``bases`` are the ids of the memories
    that it makes no sense without (``dependsOn``): it is shown with them or not at all. ``answers`` is the id of the
    turn right before it in its session if that one asks. ``outdated`` says what is shown before it, as it perhaps tells
    a newer value. ``passage`` is the number of its passage that was found, if it
    has several. ``among`` is the best place in the ranking of those that may not be shown beside it, and ``in_family``
    says that it brings along the rest of its list or family, if that is small. ``certain`` is whether it is sure enough
    to bear on the question. ``why`` has each earlier stage's number in 1e-6.
    """

    memory: Memory
    score: int
    vector: npt.NDArray[np.float32] | None = None
    entities: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    answers: str | None = None
    outdated: Outdated | None = None
    passage: int | None = None
    among: int = 0
    in_family: bool = True
    why: Mapping[str, int] = field(default_factory=lambda: _NOTHING)
    certain: bool = True

    @property
    def id(self) -> str:
        """Return the memory's id."""
        return self.memory.id

    @property
    def newer(self) -> str | None:
        """Return the id of what outdates it, where that is likely enough to be said."""
        return self.outdated.by if self.outdated is not None and self.outdated.marked else None

    @property
    def content(self) -> str:
        """Return the memory's text, empty for a tombstone."""
        return self.memory.content or ""


def family(memory: Memory) -> str | None:
    """Return the name of the list or slot family that a memory is a part of, None if of none.

    The values of one key that holds several are a list; keys that share all but their last part, and two parts at
    least, are a family: ``preference/music/genre`` and ``preference/music/artist``.
    """
    return None if memory.key is None else family_of(memory.key, memory.cardinality)


def family_of(key: str, cardinality: Cardinality | None) -> str | None:
    """Return the name of the list or slot family that a value of ``key`` is a part of, None if of none."""
    if cardinality is Cardinality.APPEND:
        return None
    if cardinality is Cardinality.SET:
        return key
    parent, _, _ = key.rpartition("/")
    return f"{parent}/" if "/" in parent else None


def rank_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return ``candidates`` best first: by score, then the earlier sequence, then id."""
    return sorted(candidates, key=lambda one: (-one.score, one.memory.sequence, one.id))


def from_outside(memory: Memory) -> bool:
    """Return whether others wrote it, and nobody vouched for it as for the user's own word."""
    return memory.source_type in _OUTSIDE and memory.reliability < RELIABILITY[SourceType.CHAT_USER]


def precedence(candidate: Candidate) -> tuple[int, bool, int, float, int, int, str]:
    """Return what decides which of two that cannot both be shown is kept: the larger one is.

    What was not known to be among the same as something better yields to it, so that nothing that is read later turns
    out what would have been shown without it. What comes from outside overrules nobody's word. Then newest valid,
    reliability, score (MemoryArchitect II.E); what is still equal goes to the later sequence.
    """
    memory = candidate.memory
    inside = not from_outside(memory)
    return (
        -candidate.among,
        inside,
        memory.valid_from,
        memory.reliability,
        candidate.score,
        memory.sequence,
        memory.id,
    )
