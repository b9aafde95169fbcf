"""What a memory keeps of models' answers: the answer about it alone, and its shares of answers about several memories.

Guarantees: pure. Of an answer about several memories each has a share, and without any one of the shares nothing can be
learned of it but how long it is: all but one are random bytes, and the last is the answer exclusive-or all of these.
So an answer goes with whichever of its memories is erased first, and nothing has to be told to the others.
Source: Blakley and Shamir's sharing of secrets, where all shares are needed (exclusive or).
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_NONE: Final[Mapping[str, str]] = MappingProxyType({})
#: Shares that one memory keeps; the oldest go.
_MOST: Final = 64
_NAME_LENGTH: Final = 32
_ESCAPED: Final = late_regex(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """The answer about one memory alone, and shares of others by their names.

    >>> KeptAnswers.read(KeptAnswers("d text").with_share("n", "c2hhcmU=").written()).shares["n"]
    'c2hhcmU='
    """

    own: str | None = None
    shares: Mapping[str, str] = field(default_factory=lambda: _NONE)

    @classmethod
    def read(cls, text: str | None) -> KeptAnswers:
        """Return what :meth:`written` wrote; an answer alone is what earlier versions wrote."""
        if text is None or not text.startswith("{"):
            return cls(text)
        found = json.loads(text)
        return cls(found["own"], found["shares"])

    @property
    def said(self) -> str:
        """Return the words of the answer about it alone, as a reader of JSON sees them; "" where there is none."""
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), self.own or "")

    def with_share(self, name: str, share: str) -> KeptAnswers:
        """Return it with one more share."""
        others = [item for item in self.shares.items() if item[0] != name]
        return KeptAnswers(self.own, dict([*others[1 - _MOST :], (name, share)]))

    def written(self) -> str:
        """Return it as a text."""
        if not self.shares:
            return self.own or "{}"
        return json.dumps({"own": self.own, "shares": dict(self.shares)}, separators=(",", ":"))


def share_name(setting: str, ids: Iterable[str]) -> str:
    """Return under which name the memories of ``ids`` keep shares of what the model of ``setting`` answered."""
    return hashlib.sha256("\n".join([setting, *sorted(ids)]).encode()).hexdigest()[:_NAME_LENGTH]


def split(text: str, parts: int, token: Callable[[int], bytes]) -> list[str]:
    """Return ``text`` as so many shares; ``token`` gives random bytes.

    >>> joined(split("they contradict", 3, bytes))
    'they contradict'
    """
    content = text.encode()
    pads = [token(len(content)) for _ in range(parts - 1)]
    return [b64encode(one).decode() for one in (*pads, _together([content, *pads]))]


def joined(shares: Iterable[str | None]) -> str | None:
    """Return the text of all its shares; None where one is missing or is of another text."""
    found = list(shares)
    try:
        parts = [b64decode(one, validate=True) for one in found if one is not None]
        if len(parts) < len(found) or len({len(part) for part in parts}) != 1:
            return None
        return _together(parts).decode()
    except ValueError:
        return None


def _together(parts: list[bytes]) -> bytes:
    total = 0
    for part in parts:
        total ^= int.from_bytes(part, "big")
    return total.to_bytes(len(parts[0]), "big")
