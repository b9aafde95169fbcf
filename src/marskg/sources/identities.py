"""What makes an item of a file the same item when the file comes again: longer, edited, or from another place.

Guarantees: who said what about whom, when and in which session decides, and not the file, its name or the line, so that
what is there already is known by it; what a file says twice is two items, each time that it comes.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from marskg.json_object import canonical_json
from marskg.ontology.mapping import in_json
from marskg.text import plain

if TYPE_CHECKING:
    from array import array

    from marskg.drafts import Draft


class Identities:
    """Gives the drafts of one file their identities, in order."""

    def __init__(self, repeated: frozenset[int] | None = None) -> None:
        """Count what stands there more than once: any item, or only those that are known to be ``repeated``."""
        self._repeated = repeated
        self._times: dict[int, int] = {}

    def turn(self, draft: Draft, *place: object) -> Draft:
        """Return a turn with its identity; ``place`` is where and when it was said, as the source itself says it."""
        return self._named(draft, *place, draft.source_type, *draft.subjects)

    def fact(self, draft: Draft, *place: object) -> Draft:
        """Return a fact or an action with its identity; ``place`` is where it was said, such as its turn's identity."""
        payload = {name: in_json(value) for name, value in draft.payload.items()}
        more = (draft.key, draft.status, draft.deadline, canonical_json(payload))
        return self._named(draft, *place, draft.action, draft.kind, *more, *draft.subjects)

    def _named(self, draft: Draft, *said: object) -> Draft:
        text = "\x1f".join([plain(draft.content), *("" if one is None else str(one) for one in said)])
        digest = sha256(text.encode()).hexdigest()
        number, times = number_of(digest), 1
        if self._repeated is None or number in self._repeated:
            times = self._times[number] = self._times.get(number, 0) + 1
        return replace(draft, identity=f"{digest}/{times}")


def number_of(identity: str) -> int:
    """Return the first 64 bits of an identity: no two items of a file have the same by chance."""
    return int(identity[:16], 16)


def repeated(numbers: array[int]) -> frozenset[int]:
    """Return which of the numbers of a file's items, 64 bits each, are there more than once; sorts them in place."""
    found = np.frombuffer(numbers, dtype=np.uint64)
    found.sort()
    return frozenset(found[1:][found[1:] == found[:-1]].tolist())
