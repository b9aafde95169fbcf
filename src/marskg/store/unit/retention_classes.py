"""Which class a memory has: one set of rules for everything that is written, by whatever way it comes in.

Guarantees: a class that the caller gives wins; how sensitive something is changes no class, but for a secret that is
found in it, such as a password or the number of a card or a person; who says something changes none either. Source:
semantics section 1; MaRS section 3.2.4 (what lasts); MemoryArchitect II.B (the classes).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.ontology.mapping import time_lexical
from marskg.ontology.vocabulary import Kind, MemoryClass, SourceType
from marskg.store.rows.name_cache import UNLINKED
from marskg.store.unit.sensitivity import SECRETS, weight_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from marskg.drafts import Draft
    from marskg.records import Memory

#: The weight from which a secret that was found makes a memory private: lower it in the settings, and it does not.
_PRIVATE_FROM: Final = 0.7
_FOUND: Final = "a secret, such as a password or a card number"
_OTHERWISE: Final = "; give memory_class to keep it in another class"


def class_of(draft: Draft) -> MemoryClass:
    """Return the class of an assessed draft, by the first rule that holds.

    1. The one that its caller gave.
    2. What holds a secret is ``private``.
    3. Tasks, people, documents and whatever has a key are ``canonical``: their own state ends them.
    4. What is left, every turn of a conversation and loose facts, is ``factual``.
    """
    if draft.memory_class is not None:
        return draft.memory_class
    if holds_secret(draft.sensitivity_reasons):
        return MemoryClass.PRIVATE
    durable = draft.kind in {Kind.TASK, Kind.SOCIAL} or draft.key is not None or draft.source_type is SourceType.DOC
    return MemoryClass.CANONICAL if durable else MemoryClass.FACTUAL


def class_of_summary(classes: Collection[MemoryClass], *, durable: bool) -> MemoryClass:
    """Return the class of a summary of memories of ``classes``; the note of a completed task is ``durable``.

    What is private stays so (semantics section 6); what has several classes is ``factual``.
    """
    if MemoryClass.PRIVATE in classes:
        return MemoryClass.PRIVATE
    if durable:
        return MemoryClass.CANONICAL
    return min(classes) if len(set(classes)) == 1 else MemoryClass.FACTUAL


def holds_secret(reasons: Iterable[str]) -> bool:
    """Return whether the reasons of a sensitivity name a secret that was found."""
    return any(reason.startswith(SECRETS) and weight_of(reason) >= _PRIVATE_FROM for reason in reasons)


def told_end(memory: Memory, draft: Draft) -> tuple[str, ...]:
    """Return what whoever writes a private memory is told: why it is private, and when it ends."""
    if memory.memory_class is not MemoryClass.PRIVATE:
        return ()
    found = "" if draft.memory_class is not None else f"it holds {_FOUND}, so that "
    end = "it has no end" if memory.expires_at is None else f"it ends at {time_lexical(memory.expires_at)}"
    other = "" if draft.memory_class is not None else _OTHERWISE
    return (f"{found}it has the class private: {end}{other}",)


_UNCLEAR: Final = (
    "of them name something that several things are called, and are linked to none of these: give types or IRIs with "
    "the mentions, or say which with: mars entities mention MEMORY ID"
)


@dataclass(frozen=True, slots=True)
class ToldOfMany:
    """How many of many memories are private, how many of them because of a secret, and when the first of them ends.

    ``unclear`` are those with a name that several entities bear, which they were linked to none of.
    """

    count: int = 0
    secret: int = 0
    first: int | None = None
    unclear: int = 0

    @classmethod
    def of(cls, memory: Memory, draft: Draft) -> ToldOfMany:
        """Return what is told of ``memory``, which was stored of ``draft``."""
        unclear = int(any(UNLINKED in notice for notice in memory.notices))
        if memory.memory_class is not MemoryClass.PRIVATE:
            return cls(unclear=unclear)
        return cls(1, int(draft.memory_class is None), memory.expires_at, unclear)

    def joined(self, other: ToldOfMany) -> ToldOfMany:
        """Return what is told of both."""
        ends = [end for end in (self.first, other.first) if end is not None]
        return ToldOfMany(
            self.count + other.count,
            self.secret + other.secret,
            min(ends, default=None),
            self.unclear + other.unclear,
        )

    def notices(self) -> tuple[str, ...]:
        """Return what whoever stored them is told."""
        asked = (f"{self.unclear} {_UNCLEAR}",) if self.unclear else ()
        if not self.count:
            return asked
        found = f", {self.secret} of them because they hold {_FOUND}" if self.secret else ""
        end = "none of them has an end" if self.first is None else f"the first ends at {time_lexical(self.first)}"
        return (f"private is the class of {self.count}{found}: {end}{_OTHERWISE if self.secret else ''}", *asked)
