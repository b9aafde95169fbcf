"""Which filters of a question nothing passes: an answer that they leave empty says so.

Guarantees: it is told of what the reader may know of alone, latent and closed memories included, so that it tells
nobody of what is hidden from them. Source: semantics section 13 (nothing, or nothing with its reason).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from marskg.retrieval.access.read_gate import Gate
    from marskg.retrieval.index.memory_index import MemoryIndex

#: Who is asked for and is nobody here is told by name elsewhere.
_FILTERS: Final = ("kinds", "classes", "sources", "sessions", "tags", "key_prefix", "since", "until", "metadata")


def unpassed(index: MemoryIndex, gate: Gate) -> tuple[str, ...]:
    """Return which filters of ``gate`` nothing passes by itself, or together where each of them lets something pass."""
    knows = gate.known()
    given = {name: getattr(gate, name) for name in _FILTERS if getattr(gate, name) not in {None, ()}}
    if not given or not knows.mask(index).any():
        return ()
    alone = [name for name, asked in given.items() if not replace(knows, **{name: asked}).mask(index).any()]
    if alone:
        return tuple(f"nothing here passes the filter {name}" for name in alone)
    if len(given) > 1 and not replace(knows, **given).mask(index).any():
        return (f"nothing here passes the filters {', '.join(given)} together",)
    return ()
