"""Looks for pieces of texts and vectors in the bytes of files, by keyed hashes of the pieces.

Guarantees: what is kept of a piece is a hash of 64 bits under a key of the caller's, so that a set of them may lie on
disk while the files are being cleaned; every piece of twelve bytes that a set was made of is found at whatever place of
whatever file it stands, across the borders of what is read at once. A text is cut where a database cuts it (Neo4j keeps
long texts in blocks of 120 bytes), so that one block that stayed behind is found by itself; a short one is also sought
in the form into which Neo4j packs it (:mod:`marskg.store.packing`), a vector as float16, float32 and float64 of either
byte order. Not sought, as it would be found everywhere: what is shorter than twelve bytes, or than eight characters
where it is packed.
"""

from __future__ import annotations

import hashlib
from base64 import b64decode
from binascii import Error
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from marskg.store.packing import packed_forms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

#: Bytes of a piece.
PIECE: Final = 12
#: Bytes after which Neo4j goes on in another block.
_BLOCK: Final = 120
#: Which bytes of two packed blocks are compared: the other three are the number of the property's name.
_PACKED: Final = (0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 14, 15)
_PACKED_SPAN: Final = 16
#: Bytes read from a file at once.
_READ: Final = 1 << 22
#: Bits of a hash by which most of what is not sought is passed over.
_SIEVE: Final = 20
_MEMORY_PREFIX: Final = "urn:uuid:"
_LONGEST_WORD: Final = 64

Hashes = npt.NDArray[np.uint64]


def _coefficients(key: bytes, domain: bytes, count: int) -> list[np.uint64]:
    stream = hashlib.shake_256(key + b"|" + domain).digest(8 * count)
    return [np.uint64(int.from_bytes(stream[8 * place :][:8], "little") | 1) for place in range(count)]


class Fingerprints:
    """A set of pieces, kept as hashes."""

    def __init__(self, key: bytes) -> None:
        """Start with none; sets of two keys have nothing in common."""
        self._shapes = (
            (PIECE, tuple(range(PIECE)), _coefficients(key, b"plain", PIECE)),
            (_PACKED_SPAN, _PACKED, _coefficients(key, b"packed", len(_PACKED))),
        )
        self._hashes: Hashes = np.zeros(0, dtype=np.uint64)
        self._pieces: tuple[list[bytes], list[bytes]] = ([], [])
        self._sieve: npt.NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        """Return how many pieces there are."""
        return len(self.hashes)

    @property
    def hashes(self) -> Hashes:
        """Return the hashes, in order, each once."""
        self._settle()
        return self._hashes

    @hashes.setter
    def hashes(self, hashes: Hashes) -> None:
        self._pieces = ([], [])
        self._hashes, self._sieve = np.unique(hashes), None

    # --- What is sought ---------------------------------------------------------------------------------------------

    def add(self, values: Iterable[object]) -> None:
        """Add pieces of every text among ``values`` and in lists among them; other values are passed over."""
        for value in values:
            if isinstance(value, str):
                self._add_text(value)
            elif isinstance(value, list | tuple):
                self.add(value)

    def add_vector(self, packed: str) -> None:
        """Add pieces of a vector as :mod:`marskg.embedding.packing` writes it, in every form of its numbers."""
        self._add_text(packed)
        try:
            halves = np.frombuffer(b64decode(packed, validate=True), dtype="<f2")
        except (Error, ValueError):
            return
        for form in ("<f2", "<f4", ">f4", "<f8", ">f8"):
            self._add_bytes(halves.astype(form).tobytes())

    def _add_text(self, text: str) -> None:
        # What memories are named by begins alike for all that were written at about the same time.
        if text.startswith(_MEMORY_PREFIX) and len(text) <= _LONGEST_WORD:
            self._pieces[0].append(text.encode()[-PIECE:])
        else:
            self._add_bytes(text.encode("utf-8", "surrogatepass"))
        self._pieces[1].extend(packed_forms(text))
        self._sieve = None

    def _add_bytes(self, data: bytes) -> None:
        for start in range(0, len(data), _BLOCK):
            block = data[start : start + _BLOCK]
            if len(block) >= PIECE:
                last = len(block) - PIECE
                self._pieces[0].extend(block[place : place + PIECE] for place in sorted({0, last // 2, last}))
        self._sieve = None

    def _settle(self) -> None:
        if any(self._pieces):
            found = [self._hashes]
            for (_, places, factors), pieces in zip(self._shapes, self._pieces, strict=True):
                if pieces:
                    table = np.frombuffer(b"".join(pieces), dtype=np.uint8).reshape(len(pieces), -1)
                    found.append(_sum(table[:, list(places)].T, factors))
            self._pieces = ([], [])
            self._hashes = np.unique(np.concatenate(found))
            self._sieve = None

    # --- Looking ----------------------------------------------------------------------------------------------------

    def found_in(self, data: bytes) -> Hashes:
        """Return the hashes of the pieces that are in ``data``, each once."""
        self._settle()
        if self._sieve is None:
            self._sieve = np.zeros(1 << _SIEVE, dtype=bool)
            self._sieve[self._hashes >> np.uint64(64 - _SIEVE)] = True
        array = np.frombuffer(data, dtype=np.uint8)
        found = []
        for span, places, factors in self._shapes:
            count = len(array) - span + 1
            if count > 0:
                hashes = _sum((array[place : place + count] for place in places), factors)
                likely = hashes[self._sieve[hashes >> np.uint64(64 - _SIEVE)]]
                found.append(likely[np.isin(likely, self._hashes)])
        return np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.uint64)

    def found_in_file(self, path: Path) -> Hashes:
        """Return the hashes of the pieces that are in a file; one that is gone by now has none.

        Raises:
            OSError: it cannot be read.
        """
        found = [np.zeros(0, dtype=np.uint64)]
        try:
            with path.open("rb") as stream:
                rest = b""
                while data := stream.read(_READ):
                    found.append(self.found_in(rest + data))
                    rest = (rest + data)[1 - _PACKED_SPAN :]
        except FileNotFoundError:
            return found[0]
        return np.unique(np.concatenate(found))

    def without_said(self, values: Iterable[object]) -> None:
        """Leave out the pieces that are in ``values``, texts and lists of them, which somebody says still."""
        said = [np.zeros(0, dtype=np.uint64)]
        for text in _texts(values):
            said.append(self.found_in(text.encode("utf-8", "surrogatepass")))
            said.extend(self.found_in(form) for form in packed_forms(text))
        self.hashes = np.setdiff1d(self.hashes, np.concatenate(said))


def _texts(values: Iterable[object]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | tuple):
            yield from _texts(value)


def _sum(columns: Iterable[npt.NDArray[Any]], factors: Iterable[np.uint64]) -> Hashes:
    """Return the weighted sums, modulo 2**64, of the bytes in ``columns``, one sum for each row."""
    total: Hashes | None = None
    for column, factor in zip(columns, factors, strict=True):
        part = column.astype(np.uint64) * factor
        total = part if total is None else total + part
    return np.zeros(0, dtype=np.uint64) if total is None else total
