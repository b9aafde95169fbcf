"""In which other spellings the words of a question stand in what the reader may see.

Guarantees: a word counts in the spelling of the question first, and as well in that of the memory; one with a letter
wrong is taken only where no visible memory has the word itself; what the reader does not see decides nothing of it.
Source: ADR 101.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from marskg.text import written

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from marskg.retrieval.index.lexical import Named, Respelled
    from marskg.retrieval.index.memory_index import MemoryIndex


def respelled(index: MemoryIndex, mask: npt.NDArray[np.bool_], question: str, asked: Iterable[str]) -> Respelled:
    """Return the other spellings of the terms ``asked`` of a ``question`` that the rows of ``mask`` have."""
    words = written(question)
    found: dict[str, list[tuple[float, str]]] = {}
    for term in asked:
        if (word := words.get(term)) is None:
            continue
        there = [one for one in index.spellings.same(term, word) if _held(index, mask, one[1])]
        if not there and not _held(index, mask, term):
            there = [one for one in index.spellings.errors(term, word) if _held(index, mask, one[1])]
        if there:
            found[term] = there
    return found


def with_spellings(index: MemoryIndex, spelled: Respelled, also: Named) -> Named:
    """Return the rows of ``also``, by term, with those that have the term in another spelling."""
    found = dict(also)
    for term, others in spelled.items():
        rows = found[term].copy() if term in found else np.zeros(index.columns.rows, dtype=np.bool_)
        for _, other in others:
            rows[index.lexical.rows(other)] = True
        found[term] = rows
    return found


def _held(index: MemoryIndex, mask: npt.NDArray[np.bool_], term: str) -> bool:
    """Return whether a row of ``mask`` has ``term``."""
    return bool(mask[index.lexical.rows(term)].any())
