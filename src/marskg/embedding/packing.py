"""Vectors as the store keeps them: float16, little-endian, in base64.

Guarantees: pure functions; what is unpacked has the direction of what was packed (cosine above 0.99999 for vectors of
unit length) and packs to the same text again; a text that is no vector of the asked dimension is refused, never cut
or filled up.
"""

from __future__ import annotations

from base64 import b64encode
from binascii import Error, a2b_base64
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from marskg.errors import EmbeddingMismatch, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.embedding.model import Vectors

_STORED: Final = np.dtype("<f2")
#: Every float16 by its bits: looking one up is six times as fast as numpy's conversion.
_FLOATS: Final = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
_FLOATS.setflags(write=False)


def pack(vector: npt.ArrayLike) -> str:
    """Return one vector ``[dimension]`` as text of some 2.7 characters a component.

    Raises:
        InvalidInput: ``vector`` is no single row, or holds what float16 cannot (not a number, beyond 65,504).
    """
    with np.errstate(over="ignore"):
        stored = np.asarray(vector).astype(_STORED)
    if stored.ndim != 1 or not np.isfinite(stored).all():
        msg = (
            f"a vector to be stored is one row of finite numbers up to 65,504, not an array of shape {stored.shape}"
            if stored.ndim != 1
            else "a vector to be stored has a component that is no number or beyond 65,504: scale it to unit length"
        )
        raise InvalidInput(msg)
    return b64encode(stored.tobytes()).decode("ascii")


def packed_size(dimension: int) -> int:
    """Return the characters of a packed vector of ``dimension``."""
    return 4 * -(-dimension * _STORED.itemsize // 3)


def unpack(packed: Sequence[str], dimension: int) -> Vectors:
    """Return the vectors of ``packed`` as rows, ``[n, dimension]``, float32.

    Raises:
        EmbeddingMismatch: a vector has another dimension; the message names its position.
        InvalidInput: a text is no base64, or a vector holds what is no number.
    """
    wanted = dimension * _STORED.itemsize
    rows = []
    for position, text in enumerate(packed):
        try:
            row = a2b_base64(text, strict_mode=True)
        except (Error, ValueError) as error:
            msg = f"stored vector {position} is not base64: embed its memory again"
            raise InvalidInput(msg) from error
        if len(row) != wanted:
            msg = (
                f"stored vector {position} has {len(row) / _STORED.itemsize:g} components, not {dimension}: it was "
                "made by another model; embed the store again with the one that you use"
            )
            raise EmbeddingMismatch(msg)
        rows.append(row)
    found: Vectors = _FLOATS[np.frombuffer(b"".join(rows), dtype="<u2")].reshape(len(rows), dimension)
    finite = np.isfinite(found).all(axis=1)
    if not finite.all():
        msg = f"stored vector {int(np.argmin(finite))} holds what is no number: embed its memory again"
        raise InvalidInput(msg)
    return found
