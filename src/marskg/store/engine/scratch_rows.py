"""Rows that are put aside for as long as one reading takes, in a file that nobody else can read.

Guarantees: the file has no name in the file system and goes with the process, however it ends; every page of it is
under AES-256-GCM, whose key is in memory only, so that nothing is on disk in clear, of an encrypted tenant either; rows
come back in the order of their references, each as it was put last.
"""

from __future__ import annotations

import heapq
import json
import tempfile
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from marskg.clock import SystemSource
from marskg.errors import StoreUnwritable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_KEY: Final = 32
_NONCE: Final = 12


class _Place(NamedTuple):
    """Where a page is in the file, and its number, which is its nonce: no two pages of a key share one."""

    number: int
    offset: int
    length: int


class Scratch:
    """An anonymous file of encrypted pages; close it."""

    def __init__(self) -> None:
        """Make the file.

        Raises:
            StoreUnwritable: the temporary folder cannot be written.
        """
        # Not from the injected source: who only reads must not move what is drawn for the next write (I9).
        self._cipher = AESGCM(SystemSource().token(_KEY))
        self._pages = 0
        self._end = 0
        try:
            self._file = tempfile.TemporaryFile(prefix="marskg-", buffering=0)  # noqa: SIM115 - closed by close()
        except OSError as error:
            raise _no_room(error) from error

    def put(self, value: Any) -> _Place:
        """Append a page.

        Raises:
            StoreUnwritable: the temporary folder has no room.
        """
        # What is no JSON was not written by this product: as text it is still of the wrong type for whoever checks it.
        plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=repr)
        data = self._cipher.encrypt(self._pages.to_bytes(_NONCE, "big"), plain.encode("utf-8", "surrogatepass"), None)
        try:
            self._file.seek(self._end)
            left = memoryview(data)
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise _no_room(error) from error
        place = _Place(self._pages, self._end, len(data))
        self._pages += 1
        self._end += len(data)
        return place

    def get(self, place: _Place) -> Any:
        """Return a page."""
        self._file.seek(place.offset)
        data = b""
        while len(data) < place.length and (read := self._file.read(place.length - len(data))):
            data += read
        plain = self._cipher.decrypt(place.number.to_bytes(_NONCE, "big"), data, None)
        return json.loads(plain.decode("utf-8", "surrogatepass"))

    def close(self) -> None:
        """Let the file go."""
        self._file.close()


class Section:
    """Rows of one sort by their references; those that change later stand beside the pages."""

    def __init__(self, scratch: Scratch) -> None:
        """Keep rows in ``scratch``."""
        self._scratch = scratch
        self._pages: list[_Place] = []
        #: References of the pages' rows; None for one that was taken away again.
        self._changed: dict[str, _Place | None] = {}
        self.refs: set[str] = set()

    def add(self, rows: list[tuple[str, Any]]) -> None:
        """Append a page of rows, whose references come after all before."""
        if rows:
            self._pages.append(self._scratch.put(rows))
            self.refs.update(ref for ref, _ in rows)

    def change(self, rows: Iterable[tuple[str, Any]]) -> None:
        """Let rows be what they are now, new ones among them."""
        for ref, row in rows:
            self._changed[ref] = self._scratch.put(row)
            self.refs.add(ref)

    def remove(self, refs: Iterable[str]) -> None:
        """Take rows away."""
        for ref in refs:
            self._changed[ref] = None
            self.refs.discard(ref)

    def rows(self) -> Iterator[tuple[str, Any]]:
        """Yield all rows with their references, in the order of these."""
        return heapq.merge(self._unchanged(), self._later(), key=itemgetter(0))

    def _unchanged(self) -> Iterator[tuple[str, Any]]:
        for place in self._pages:
            for ref, row in self._scratch.get(place):
                if ref not in self._changed:
                    yield ref, row

    def _later(self) -> Iterator[tuple[str, Any]]:
        for ref, place in sorted(self._changed.items(), key=itemgetter(0)):
            if place is not None:
                yield ref, self._scratch.get(place)


def _no_room(error: OSError) -> StoreUnwritable:
    msg = f"what is read cannot be held in the temporary folder ({error.strerror}); free some space, or set TMPDIR"
    return StoreUnwritable(msg)
