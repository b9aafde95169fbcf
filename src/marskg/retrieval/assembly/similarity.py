"""Cosine similarity as integers that are the same on every machine.

Guarantees: exact. Components of unit vectors are rounded to multiples of 1/2048; the absolute products of two such
vectors then sum to less than 2**24 (Cauchy-Schwarz: (2048 + sqrt(d)/2)**2, for d up to 10,000), so float32 holds every
partial sum without rounding and the order in which a linear algebra library adds them changes nothing (semantics I9).
The price is an error of about 0.001 in the cosine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from marskg.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from marskg.retrieval.assembly.candidate import Candidate

_SCALE = 2048
#: The similarity of a vector with itself comes to about 2**UNIT_BITS.
UNIT_BITS = 22
_MAX_DIMENSION = 10_000
#: Up to how many all pairs are compared at once.
_FEW = 1_024
#: Up to how many a linear algebra library is not asked: the threads that it wakes for a product spin for some 30 ms
#: after it, which takes a core from everybody else.
_SOON = 256
#: How far a squared length may be from 1.
_TOLERANCE = 0.01


class Similarities:
    """The similarity of each of some candidates with each other, an integer of 2**-UNIT_BITS from 0 to about 1.

    It is 0 where one of the two has no vector, and where their directions are opposite.
    """

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        """Take the candidates' vectors.

        Raises:
            InvalidInput: vectors differ in dimension, have more than 10,000 components, or are not of unit length.
        """
        found = [(place, one.vector) for place, one in enumerate(candidates) if one.vector is not None]
        dimensions = {vector.shape for _, vector in found} or {(0,)}
        shape = next(iter(dimensions))
        if len(dimensions) > 1 or len(shape) != 1 or shape[0] > _MAX_DIMENSION:
            message = (
                f"the candidates' vectors have the shapes {sorted(dimensions)}: one flat shape of up to "
                f"{_MAX_DIMENSION} components is needed; embed them all by one model"
            )
            raise InvalidInput(message)
        rows: npt.NDArray[np.float32] = np.zeros((len(candidates), shape[0]), dtype=np.float32)
        if found:
            rows[[place for place, _ in found]] = np.stack([vector for _, vector in found])
        self._rows = _rounded(rows)

    @classmethod
    def of_vectors(cls, vectors: npt.NDArray[np.float32]) -> Similarities:
        """Return the similarities of ``vectors``, one in each row; one of zeros resembles nothing.

        Raises:
            InvalidInput: a vector is not of unit length.
        """
        found = cls(())
        found._rows = _rounded(vectors)
        return found

    def of(self, places: Sequence[int]) -> Similarities:
        """Return the similarities of the candidates at ``places`` alone, in that order."""
        found = Similarities(())
        found._rows = self._rows[list(places)]
        return found

    def resembling(self, least: int) -> npt.NDArray[np.bool_]:
        """Return ``[n]``: who may resemble another by at least ``least``; of very many, all may."""
        count = len(self._rows)
        if count > _FEW:
            return np.ones(count, dtype=np.bool_)
        rows = self._rows
        table = (rows @ rows.T if count > _SOON else np.vecdot(rows[:, None], rows[None])) >= least
        np.fill_diagonal(table, val=False)
        return np.asarray(table.any(axis=1), dtype=np.bool_)

    def between(self, first: int, second: int) -> int:
        """Return the similarity of the candidates at two places."""
        return max(0, int(self._rows[first] @ self._rows[second]))

    def to(self, place: int) -> npt.NDArray[np.float32]:
        """Return ``[n]``: the similarity of each candidate with the one at ``place``."""
        found: npt.NDArray[np.float32] = np.maximum(np.vecdot(self._rows, self._rows[place]), np.float32(0))
        return found


def _rounded(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    lengths = np.einsum("ij,ij->i", vectors, vectors)
    # A model that knows no word of a text gives zeros: such a text resembles nothing. NaN fails the comparison too.
    if not bool(np.all((np.abs(lengths - 1) <= _TOLERANCE) | (lengths == 0))):
        message = "a candidate's vector is not of unit length: divide it by its length before it is ranked"
        raise InvalidInput(message)
    found: npt.NDArray[np.float32] = np.rint(vectors * np.float32(_SCALE)).astype(np.float32)
    return found
