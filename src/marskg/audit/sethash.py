"""A digest of a set of texts that is kept up as they come and go: MuHASH modulo 2**3072 - 1103717.

Guarantees: equal sets have equal digests in whatever order they were made, and adding or removing one text costs one
multiplication; to find another set of the same digest is as hard as the discrete logarithm in that group, so nobody
can take a text out and hide it by putting others in.
Sources: Bellare and Micciancio, A New Paradigm for Collision-free Hashing (1997), section 5; Bitcoin Core MuHash3072.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_SIZE: Final = 384
_PRIME: Final = (1 << 3072) - 1_103_717


def set_hash(base: str | None = None, *, added: Iterable[str]) -> str | None:
    """Return the digest, in hexadecimal, of the set of digest ``base`` after texts were added that were not in it.

    None is the digest of the empty set.
    """
    value = 1 if base is None else int(base, 16)
    for text in added:
        value = value * _element(text) % _PRIME
    return None if value == 1 else f"{value:0{2 * _SIZE}x}"


def _element(text: str) -> int:
    return int.from_bytes(hashlib.shake_256(text.encode("utf-8", "surrogatepass")).digest(_SIZE), "big") % _PRIME
