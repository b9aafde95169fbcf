"""The word pieces of a vocabulary as they lie in its file, found by what they say.

Guarantees: what is found is what stands there, byte for byte; a quarter of a million pieces take 5 MB beside the file,
where as texts in a dictionary they would take 40.
Source: Karp and Rabin 1987 (fingerprints of all parts of a text from those of its beginnings).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Collection

Bytes: TypeAlias = npt.NDArray[np.uint8]
Fingerprints: TypeAlias = npt.NDArray[np.uint64]

#: What fingerprints are taken to, modulo 2 to the 64th; odd, so that it can be taken back.
_BASE: Final = 0x9E37_79B9_7F4A_7C15
_WHOLE: Final = 1 << 64
#: Bytes that begin a sign in UTF-8 are those that do not go on with one.
_GOES_ON: Final = (0xC0, 0x80)


class Pieces:
    """Pieces by what they say."""

    def __init__(self, text: Bytes, starts: npt.NDArray[Any], without: Collection[int]) -> None:
        """Take the pieces of ``text`` from each of ``starts`` to the next one, but those numbered in ``without``."""
        self._text, self._starts = text, starts.astype(np.int64)
        sizes = np.diff(self._starts)
        numbers = np.flatnonzero(sizes > 0)
        numbers = numbers[~np.isin(numbers, list(without))]
        found = _fingerprints(text, self._starts[numbers], sizes[numbers])
        order = np.argsort(found, kind="stable")
        self._fingerprints, self._numbers = found[order], numbers[order].astype(np.int32)
        #: Bytes of the longest piece, and so more signs than any has.
        self.longest = int(sizes[numbers].max())

    def within(self, word: str) -> list[tuple[int, int, int]]:
        """Return each piece in ``word``: the signs that it stands from and to, and its number, in this order."""
        said = word.encode()
        data = np.frombuffer(said, np.uint8)
        mask, follows = _GOES_ON
        bounds = np.append(np.flatnonzero((data & mask) != follows), len(data))
        first, last = _spans(len(bounds) - 1, self.longest)
        ours = _all_fingerprints(data, bounds[first], bounds[last])
        places = np.searchsorted(self._fingerprints, ours)
        places[places == len(self._fingerprints)] = 0
        found = []
        for place in np.flatnonzero(self._fingerprints[places] == ours).tolist():
            number, start, end = int(self._numbers[places[place]]), int(first[place]), int(last[place])
            if self.says(number) == said[bounds[start] : bounds[end]]:
                found.append((start, end, number))
        return found

    def says(self, number: int) -> bytes:
        """Return what a piece says, in UTF-8."""
        return self._text[self._starts[number] : self._starts[number + 1]].tobytes()


def _spans(count: int, longest: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return where each part of ``count`` signs, up to ``longest`` of them, begins and ends, in this order."""
    first, last = np.triu_indices(count)
    short = last - first < longest
    return first[short], last[short] + 1


def _fingerprints(text: Bytes, starts: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Fingerprints:
    """Return the fingerprint of each part of ``text``: what its bytes are as the digits of one number."""
    found = np.zeros(len(starts), np.uint64)
    order = np.argsort(-sizes, kind="stable")
    ordered, lengths = starts[order], sizes[order]
    for place in range(int(sizes.max(initial=0))):
        longer = int(np.searchsorted(-lengths, -place, side="left"))
        found[:longer] = found[:longer] * np.uint64(_BASE) + text[ordered[:longer] + place]
    back = np.empty_like(found)
    back[order] = found
    return back


def _all_fingerprints(data: Bytes, starts: npt.NDArray[np.intp], ends: npt.NDArray[np.intp]) -> Fingerprints:
    """Return the same of each part of ``data``, from sums over its beginnings."""
    powers, back = _powers(len(data))
    sums = np.append(np.uint64(0), np.cumsum(data * back, dtype=np.uint64))
    return (sums[ends] - sums[starts]) * powers[ends - 1]


def _powers(count: int) -> tuple[Fingerprints, Fingerprints]:
    """Return the powers of the base, from the 0th on, and what takes each back."""
    up = np.full(count, _BASE, np.uint64)
    down = np.full(count, pow(_BASE, -1, _WHOLE), np.uint64)
    up[:1] = down[:1] = 1
    return np.multiply.accumulate(up), np.multiply.accumulate(down)
