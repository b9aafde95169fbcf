"""Looks for what was erased in all that an open handle still holds in the memory of the process."""

from __future__ import annotations

import gc
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any

from marskg.embedding.static import StaticEmbedding
from marskg.weight import TokenCounter

#: Leads everywhere and holds nothing of one tenant, or remembers the pieces of single words, of whatever text.
_NOT_ENTERED = (type, ModuleType, FunctionType, BuiltinFunctionType, FrameType, TokenCounter, StaticEmbedding)


def reachable(start: Any, word: str) -> list[str]:
    """Return the texts with ``word``, in any case, that are reached from ``start``; classes and modules aside."""
    seen, left, found = {id(start)}, [start], []
    while left:
        one = left.pop()
        if isinstance(one, str | bytes | bytearray):
            text = one if isinstance(one, str) else bytes(one).decode("latin-1")
            if word in text.casefold():
                found.append(text[:80])
            continue
        # The collector passes over keys that are texts.
        keys = [*one] if isinstance(one, dict) else ()
        for held in (*gc.get_referents(one), *keys):
            if id(held) not in seen and not isinstance(held, _NOT_ENTERED):
                seen.add(id(held))
                left.append(held)
    return found
