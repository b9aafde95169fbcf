"""What a user says about remembering: more of this, less of that, forget it, do not bring it up, that is wrong.

Guarantees: plain values; how a language says it is its own module's matter (:mod:`marskg.language.en.wish_phrases`).
Source: issue 4 item 7 (complaints and "remember more / less about X").
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class WishKind(StrEnum):
    """What is wished for."""

    MORE = "more"
    LESS = "less"
    FORGET = "forget"
    UNMENTIONED = "unmentioned"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish; ``topic`` is as it was said, empty where the sentence points back ("that's wrong")."""

    kind: WishKind
    topic: str = ""
