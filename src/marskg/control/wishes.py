"""What a user says about remembering: more of this, less of that, forget it, do not bring it up, that is wrong.

Guarantees: pure and deterministic; English patterns, read sentence by sentence; "don't forget" asks for more and "don't
remember" for less, so a denial is never read as its opposite. A wish has bounded effects, as whole percent: it moves
ranks, starting scores and lives, and deletes nothing. Erasing is a command of its own, which a door may offer after a
wish to forget. Of several wishes about a memory the latest counts.
Source: issue 4 item 7 (complaints and "remember more / less about X"); MemoryArchitect II.D step 5 (adaptation).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from marskg.control.score import MAX_SCORE
from marskg.errors import InvalidConfig
from marskg.text import sentences, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


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

_ABOUT: Final = r"(?:about|of|on|regarding|when it comes to)"
_KEEP: Final = r"(?:remember|memori[sz]e|keep in mind|note|track|keep track of)"
_NOT: Final = r"(?:(?:do not|don't|dont|never)|you (?:don't|do not) (?:need|have) to|no need to)"
_MENTION: Final = r"(?:mention|bring up|talk about|remind me (?:of|about)|refer to|ask (?:me )?about)"
_MENTIONING: Final = (
    r"(?:mentioning|bringing up|talking about|reminding me (?:of|about)|referring to|asking (?:me )?about)"
)
_TOPIC: Final = r"(?P<topic>[^.!?\n]{1,200}?)"
_END: Final = r"(?:,? (?:please|again|any ?more|any longer|from now on|at all|so much|thanks|thank you))*\s*[.!?]*$"
_BACK: Final = r"\b(?:that|this|it)"
_FALSE: Final = (
    r"(?:(?:just|simply|completely|totally|all) )?"
    r"(?:wrong|incorrect|false|untrue|not (?:true|right|correct|accurate)|no longer (?:true|right|correct))\b"
)
_ASKED: Final = r"^(?:please |can you |could you |i want you to |i'd like you to |just |now )*"
_ALL_SAID: Final = (
    r"(?:(?:everything|anything|all|what i (?:said|told you)|what you know|that i (?:said|told you))(?: you know)? )?"
)
_ALL_KNOWN: Final = r"(?:everything|anything|all|what) (?:you (?:know|have) |i (?:said|told you) )?"
_HOW_MUCH: Final = r"(?:a (?:bit|little) |much |far |a lot |lots )?"
_MORE: Final = r"(?:more(?: details?)?|everything|all|every detail)"
_TOO_MUCH: Final = r"(?:(?:so|that|as) much|every(?:thing| detail))"
#: In the order in which they are tried; the first that fits a sentence decides it.
_PATTERNS: Final = tuple(
    (kind, re.compile(pattern + _END, re.IGNORECASE))
    for kind, pattern in (
        (WishKind.WRONG, rf"{_BACK}(?:'s| is| was) {_FALSE}(?: (?:{_ABOUT}|that) {_TOPIC})?"),
        (WishKind.WRONG, rf"{_BACK} (?:isn't|wasn't) (?:true|right|correct|accurate)(?: that {_TOPIC})?"),
        (WishKind.WRONG, rf"\byou(?:'re| are|'ve got it| got (?:it|that)| have it) wrong(?: {_ABOUT} {_TOPIC})?"),
        (WishKind.WRONG, rf"\bi (?:never|didn't|did not) (?:say|said|tell you|told you)\b(?: that)?(?: {_TOPIC})?"),
        (WishKind.MORE, rf"\b(?:don't|do not|dont|never) (?:you )?(?:ever )?forget(?: {_ABOUT})? {_TOPIC}"),
        (WishKind.UNMENTIONED, rf"\b(?:stop|quit) {_MENTIONING} {_TOPIC}"),
        (WishKind.UNMENTIONED, rf"\b{_NOT} {_MENTION} {_TOPIC}"),
        (WishKind.LESS, rf"\b{_KEEP} {_HOW_MUCH}less {_ABOUT} {_TOPIC}"),
        (WishKind.LESS, rf"\b{_NOT} {_KEEP} {_TOO_MUCH} {_ABOUT} {_TOPIC}"),
        (WishKind.FORGET, rf"\b{_NOT} {_KEEP} (?:anything {_ABOUT} )?{_TOPIC}"),
        (WishKind.FORGET, rf"{_ASKED}forget {_ALL_SAID}(?:{_ABOUT} )?{_TOPIC}"),
        (WishKind.FORGET, rf"\b(?:erase|delete|remove|wipe) {_ALL_KNOWN}{_ABOUT} {_TOPIC}"),
        (WishKind.MORE, rf"\b{_KEEP} {_HOW_MUCH}{_MORE} {_ABOUT} {_TOPIC}"),
        (WishKind.MORE, rf"\bpay more attention to {_TOPIC}"),
    )
)
#: "I don't remember" and "I'll never forget" tell of a person's own memory.
_OWN: Final = re.compile(
    r"\b(?:i|we|he|she|they)(?:'ll|'d)?(?: will| can| could| would| still)? "
    r"(?:do not|don't|dont|never|can't|cannot|didn't|did not|won't) (?:ever )?(?:remember|forget|recall)",
    re.IGNORECASE,
)
#: Words that point back, or to all there is, instead of naming a topic.
_NO_TOPIC: Final = frozenset({
    "it", "that", "this", "them", "those", "these", "one", "ones", "about", "of", "from", "the", "a", "an", "all",
    "any", "every", "each", "everything", "anything", "something", "nothing", "whole", "entire", "lot", "lots",
    "stuff", "thing", "things", "memory", "memories", "and", "or", "else", "what", "whatever", "you", "your", "i",
    "my", "we", "us", "me", "have", "has", "had", "know", "knew", "remember", "remembered", "said", "told", "say",
    "stored", "saved", "kept", "learned", "ever", "so", "far", "until", "till", "up", "to", "now", "here", "there",
    "been",
})  # fmt: skip
_WORD: Final = re.compile(r"\w+")
_SHARED_PERCENT: Final = 60
_SHORT: Final = 2


def parse_wishes(utterance: str) -> tuple[Wish, ...]:
    """Return the wishes that a user's ``utterance`` holds, in order; none for most."""
    found = []
    for sentence in sentences(utterance.replace("’", "'")):
        if _OWN.search(sentence):
            continue
        for kind, pattern in _PATTERNS:
            match = pattern.search(sentence)
            if match is not None:
                found.append(Wish(kind, _topic(match.groupdict().get("topic"))))
                break
    return tuple(found)


def matches(wish: Wish, content: str, tags: Iterable[str] = ()) -> bool:
    """Return whether a memory with ``content`` and intent ``tags`` is about the topic of ``wish``.

    One or two terms of a topic must all be there, of more most; a wish that points back matches nothing by itself:
    give it the ids of the last answer instead.
    """
    wanted = set(terms(wish.topic))
    if not wanted:
        return False
    held = set(terms(content)).union(*(terms(tag.replace("_", " ")) for tag in tags))
    shared = len(wanted & held)
    return shared == len(wanted) if len(wanted) <= _SHORT else 100 * shared >= _SHARED_PERCENT * len(wanted)


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


def _topic(said: str | None) -> str:
    topic = (said or "").strip(" ,;:\"'“”")
    return "" if _NO_TOPIC.issuperset(_WORD.findall(topic.casefold())) else topic
