"""Cosine similarity as integers that are the same on every machine.

Guarantees: exact. Components of unit vectors are rounded to multiples of 1/2048; the absolute products of two such
vectors then sum to less than 2**24 (Cauchy-Schwarz: (2048 + sqrt(d)/2)**2, for d up to 10,000), so float32 holds every
partial sum without rounding and the order in which a linear algebra library adds them changes nothing (semantics I9).
The price is an error of about 0.001 in the cosine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from marskg.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.retrieval.candidate import Candidate

#: ``[n, n]``, float32 that holds integers of 2**-UNIT_BITS, from 0 to about 1; 0 where a vector is missing.
Similarities: TypeAlias = npt.NDArray[np.float32]

_SCALE = 2048
#: The similarity of a vector with itself comes to about 2**UNIT_BITS.
UNIT_BITS = 22
_MAX_DIMENSION = 10_000
#: Multiplications above which linear algebra libraries wake threads, which for so little take longer to meet.
_ALONE = 1 << 18
#: How far a squared length may be from 1.
_TOLERANCE = 0.01


def similarities(candidates: Sequence[Candidate]) -> Similarities:
    """Return the similarity of each candidate with each other, opposite directions counted as 0.

    Raises:
        InvalidInput: vectors differ in dimension, have more than 10,000 components, or are not of unit length.
    """
    count = len(candidates)
    found = [(place, one.vector) for place, one in enumerate(candidates) if one.vector is not None]
    if not found:
        return np.zeros((count, count), dtype=np.float32)
    dimensions = {vector.shape for _, vector in found}
    if len(dimensions) > 1 or len(found[0][1].shape) != 1 or found[0][1].shape[0] > _MAX_DIMENSION:
        message = (
            f"the candidates' vectors have the shapes {sorted(dimensions)}: one flat shape of up to {_MAX_DIMENSION} "
            "components is needed; embed them all by one model"
        )
        raise InvalidInput(message)
    rows = np.stack([vector for _, vector in found])
    lengths = np.einsum("ij,ij->i", rows, rows)
    # A model that knows no word of a text gives zeros: such a text resembles nothing. NaN fails the comparison too.
    if not bool(np.all((np.abs(lengths - 1) <= _TOLERANCE) | (lengths == 0))):
        message = "a candidate's vector is not of unit length: divide it by its length before it is ranked"
        raise InvalidInput(message)
    rows = np.rint(rows * np.float32(_SCALE)).astype(np.float32)
    table = _products(rows)
    if len(found) == count:
        return table
    places = np.array([place for place, _ in found])
    whole = np.zeros((count, count), dtype=np.float32)
    whole[np.ix_(places, places)] = table
    return whole


def _products(rows: npt.NDArray[np.float32]) -> Similarities:
    """Return the inner product of each of ``rows`` with each, negative ones as 0."""
    count = len(rows)
    table: Similarities = np.empty((count, count), dtype=np.float32)
    step = max(1, _ALONE // max(1, rows.size))
    for start in range(0, count, step):
        np.matmul(rows[start : start + step], rows.T, out=table[start : start + step])
    return np.maximum(table, np.float32(0), out=table)
