"""What a wish about remembering does: it moves ranks, starting scores and lives, and deletes nothing.

Guarantees: pure and deterministic. A wish (:mod:`marskg.language.wish_kinds`) has bounded effects, as whole percent.
Erasing is a command of its own, which a door may offer after a wish to forget. Of several wishes about a memory the
latest counts. Source: issue 4 item 7; MemoryArchitect II.D step 5 (adaptation).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from marskg.errors import InvalidConfig
from marskg.language.naming.asked import is_of_longer, matcher_of_asked, names_asked
from marskg.language.naming.edges import Verdict
from marskg.language.wish_kinds import WishKind
from marskg.learning.rules.score import MAX_SCORE
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.language.wish_kinds import Wish


@dataclass(frozen=True, slots=True)
class Effect:
    """How a wish acts on a matching memory, in whole percent and points.

    ``rank_percent`` multiplies the retrieval score (0 keeps it out), ``start_points`` are added to a starting score,
    ``life_percent`` multiplies the life of its class.
    """

    rank_percent: int = 100
    start_points: int = 0
    life_percent: int = 100

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            InvalidConfig: a value is out of its range.
        """
        for name, low, high in (
            ("rank_percent", 0, 200),
            ("start_points", -MAX_SCORE, MAX_SCORE),
            ("life_percent", 0, 400),
        ):
            if not low <= getattr(self, name) <= high:
                msg = f"wishes: {name} must be an integer from {low} to {high}; correct it"
                raise InvalidConfig(msg)


_NONE: Final = Effect()


def _default_effects() -> Mapping[WishKind, Effect]:
    return MappingProxyType(
        {
            WishKind.MORE: Effect(rank_percent=150, start_points=20, life_percent=200),
            WishKind.LESS: Effect(rank_percent=50, start_points=-20, life_percent=50),
            WishKind.FORGET: Effect(rank_percent=0, start_points=-MAX_SCORE, life_percent=0),
            WishKind.UNMENTIONED: Effect(rank_percent=0),
            WishKind.WRONG: Effect(rank_percent=50, start_points=-20),
        }
    )


@dataclass(frozen=True, slots=True)
class WishRules:
    """The effect of each kind of wish; a kind that is left out has none."""

    effects: Mapping[WishKind, Effect] = field(default_factory=_default_effects)


_DEFAULT: Final = WishRules()

_SHARED_PERCENT: Final = 60
_SHORT: Final = 2


def matches(wish: Wish, content: str, tags: Iterable[str] = ()) -> bool:
    """Return whether a memory with ``content`` and intent ``tags`` is about the topic of ``wish``.

    Whom or what the topic names has to be named there, and :func:`enough` of its other words; a wish that points back
    matches nothing by itself: give it the ids of the last answer instead.
    """
    said = (content, *(tag.replace("_", " ") for tag in tags))
    if not names_in(wish, said):
        return False
    wanted = set(other_terms(wish))
    if not wanted:
        return bool(names_of(wish))
    shared = len(wanted.intersection(term for text in said for term in terms(text)))
    return shared >= enough(len(wanted))


def enough(wanted: int) -> int:
    """Return how many of the ``wanted`` terms of a topic a memory about it has: one or two all, more mostly."""
    return max(wanted, 1) if wanted <= _SHORT else -(-_SHARED_PERCENT * wanted // 100)


def names_in(wish: Wish, texts: Iterable[str]) -> bool:
    """Return whether ``texts`` have a name that the topic of ``wish`` has.

    Of a topic without a name any has, but for those that speak of a longer one.
    """
    matcher = matcher_of_asked(wish.topic)
    if matcher is None:
        return not is_of_longer(wish.topic, texts)
    return matcher.judge((), texts).verdict is Verdict.IS


def names_of(wish: Wish) -> tuple[str, ...]:
    """Return the names that the topic of ``wish`` has."""
    return names_asked(wish.topic).names


def other_terms(wish: Wish) -> list[str]:
    """Return the index terms of the topic of ``wish``, without those of the names that it has."""
    asked = names_asked(wish.topic)
    return terms(" ".join(asked.others)) if asked.names else terms(wish.topic)


def effect_on(wishes: Sequence[Wish], content: str, tags: Iterable[str] = (), rules: WishRules = _DEFAULT) -> Effect:
    """Return the effect on a memory of the latest of ``wishes`` (oldest first) that is about it."""
    listed = tuple(tags)
    for wish in reversed(wishes):
        if matches(wish, content, listed):
            return rules.effects.get(wish.kind, _NONE)
    return _NONE


def ranked(score: int, effect: Effect) -> int:
    """Return a retrieval score (an integer of 1e-6, not negative) under ``effect``."""
    return score * effect.rank_percent // 100


def started(score: int, effect: Effect) -> int:
    """Return a starting score (0..100) under ``effect``, still in 0..100."""
    return max(0, min(MAX_SCORE, score + effect.start_points))


def lived(life_ms: int | None, effect: Effect) -> int | None:
    """Return a life in milliseconds under ``effect``; no life has no end, except where the effect is to end it."""
    if life_ms is None:
        return 0 if effect.life_percent == 0 else None
    return life_ms * effect.life_percent // 100
