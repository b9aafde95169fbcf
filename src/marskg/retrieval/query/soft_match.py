"""Words of a question in what was said: each itself, spelled otherwise or by what is most like it, or right before it.

Guarantees: a term that stands there counts more than any that is like it, and a code, a number or a name only where it
stands or is spelled otherwise (:mod:`marskg.retrieval.index.similar_words`, ``spellings``); how rare a term is goes by
the visible memories alone, so that hidden ones change nothing; a memory counts by its best passage, with the last
passage of what was said before it in its session. Source: Chen et al. 2017 (aligned question words);
``docs/explanation/ranking.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.retrieval.query.respelled import with_spellings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from marskg.retrieval.index.lexical import Named, Respelled
    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.retrieval.index.turns import Beside

#: What a term that is most alike counts, of one that stands there.
_ALIKE: Final = 0.95
#: What the passage alone counts; the rest counts it with what was said before.
_OWN: Final = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """How much of a question is said: ``rows`` and ``passages`` add up idfs, ``covered`` is ``[rows]``, a share of 1.

    ``covered`` goes by the terms themselves, in any spelling, in the best passage alone, whatever is like them or was
    said before.
    """

    rows: npt.NDArray[np.float64]
    passages: npt.NDArray[np.float64]
    covered: npt.NDArray[np.float64]


def soft_match(
    index: MemoryIndex,
    beside: Beside,
    mask: npt.NDArray[np.bool_],
    terms: Iterable[str],
    *,
    also: Named,
    spelled: Respelled,
) -> Said:
    """Return how much of the question's ``terms`` each row of ``mask`` says, each by its idf; the others say nothing.

    ``beside`` says what was said before what; ``also`` are the rows that a term counts for where their text does not
    have it, and ``spelled`` is what else each is spelled as.
    """
    units = index.passages.units(len(mask), beside)
    own, both, exact = np.zeros((3, len(units.owner)))
    said, spelt = np.zeros((2, len(units.owner) + 1), dtype=np.float32)
    whole, named = 0.0, with_spellings(index, spelled, also)
    # What was learned from a text makes none of its words more common.
    told = mask & ~index.columns["learned"]
    told = told if told.any() else mask
    for term in sorted(set(terms)):
        about = also[term][units.owner] & (units.owner >= 0) if term in also else None
        _mark_all(index, said, spelt, term, spelled=spelled.get(term, ()), named=about)
        idf = index.lexical.idf(term, told, named)
        whole += idf
        # Few units have a term, and few stand after one: only those are added to.
        best = np.maximum(said[:-1], said[units.before])
        near = np.flatnonzero(best > 0.0)
        here = said[near].astype(np.float64)
        own[near] += idf * here
        both[near] += idf * best[near].astype(np.float64)
        exact[near] += idf * np.where(here == 1.0, 1.0, spelt[near])
        said[near] = spelt[near] = 0.0
    own *= _OWN
    both *= 1 - _OWN
    both += own
    rows = len(mask)
    found, covered = (np.where(mask, index.passages.best(one[rows:], one[:rows]), 0.0) for one in (both, exact))
    return Said(found, both[rows:], covered / whole if whole else covered)


def _mark_all(
    index: MemoryIndex,
    said: npt.NDArray[np.float32],
    spelt: npt.NDArray[np.float32],
    term: str,
    *,
    spelled: Sequence[tuple[float, str]],
    named: npt.NDArray[np.bool_] | None,
) -> None:
    """Set how much each unit says of ``term``: itself, as it is ``spelled`` or, for a name, by whom it is about.

    What it says of the other spellings is set in ``spelt`` as well.
    """
    alike = index.vocabulary.like(term)
    if spelled:  # What is like the word that is meant counts as it would if the question had that.
        alike = sorted(
            [*alike, *((near * counts, word) for counts, one in spelled for near, word in index.vocabulary.like(one))]
        )
    for near, word in alike:
        _mark(index, said, word, near * _ALIKE)
    for counts, one in spelled:
        _mark(index, spelt, one, counts)
    if spelled:
        np.maximum(said, spelt, out=said)
    _mark(index, said, term, 1.0)
    if named is not None:
        said[:-1][named] = 1.0


def _mark(index: MemoryIndex, said: npt.NDArray[np.float32], term: str, value: float) -> None:
    """Set ``value`` where ``term`` stands."""
    said[index.lexical.rows(term)] = value
    if len(index.passages):
        said[index.columns.rows + index.passages.lexical.rows(term)] = value
