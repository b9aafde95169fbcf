"""Whether a memory is one that a life depends on, as the store asks of what it takes in.

Guarantees: only what a user said, or what was read from it, can be: a document, a tool or an assistant that says so
takes nobody's place; nor can what the caller wants to be gone soon. Nothing is read of a long text but its sentences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.extraction.vital import says_vital
from marskg.ontology.vocabulary import Kind, MemoryClass, SourceType
from marskg.store.rows.order_keys import CURRENT, VITAL

if TYPE_CHECKING:
    from marskg.records import Memory


def rank_at_birth(memory: Memory) -> str:
    """Return the rank that the words of a memory with content give it, while it is current."""
    return VITAL if is_vital(memory) else CURRENT


def is_vital(memory: Memory) -> bool:
    """Return whether a life may depend on what a memory says."""
    if memory.source_type is not SourceType.CHAT_USER or memory.kind is Kind.TASK:
        return False
    if memory.use_bound or memory.session_bound or memory.memory_class is MemoryClass.EPHEMERAL:
        return False
    return says_vital(memory.content or "")
