"""How English says what is to be remembered, and what not.

Guarantees: pure and deterministic; read sentence by sentence; "don't forget" asks for more and "don't remember" for
less, so a denial is never read as its opposite. What asks that the turn itself is not kept is no wish about a topic
(:mod:`marskg.language.not_kept.reading`).
"""

from __future__ import annotations

import re
from typing import Final

from marskg.language.not_kept.reading import asked_not_to_keep
from marskg.language.wish_kinds import Wish, WishKind
from marskg.late_regex import late_regex
from marskg.text import sentences

_ABOUT: Final = r"(?:about|of|on|regarding|when it comes to)"
_KEEP: Final = r"(?:remember|memori[sz]e|keep in mind|note|track|keep track of)"
_NOT: Final = r"(?:(?:do not|don't|dont|never)|you (?:don't|do not) (?:need|have) to|no need to)"
_MENTION: Final = r"(?:mention|bring up|talk about|remind me (?:of|about)|refer to|ask (?:me )?about)"
_MENTIONING: Final = (
    r"(?:mentioning|bringing up|talking about|reminding me (?:of|about)|referring to|asking (?:me )?about)"
)
#: A full stop inside a word belongs to it, as in an address.
_TOPIC: Final = r"(?P<topic>(?:[^.!?\n]|[.!?](?=[^\s.!?\"'”’)])){1,200}?)"
_END: Final = r"(?:,? (?:please|again|any ?more|any longer|from now on|at all|so much|thanks|thank you))*\s*[.!?]*$"
_BACK: Final = r"\b(?:that|this|it)"
_FALSE: Final = (
    r"(?:(?:just|simply|completely|totally|all) )?"
    r"(?:wrong|incorrect|false|untrue|not (?:true|right|correct|accurate)|no longer (?:true|right|correct))\b"
)
#: What the user says instead, after "that's wrong".
_INSTEAD: Final = r"(?:\s*[,;:–—-]+\s[^?]{1,400})?"
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
    (kind, late_regex(pattern + _END, re.IGNORECASE))
    for kind, pattern in (
        (WishKind.WRONG, rf"{_BACK}(?:'s| is| was) {_FALSE}(?: (?:{_ABOUT}|that) {_TOPIC}|{_INSTEAD})"),
        (WishKind.WRONG, rf"{_BACK} (?:isn't|wasn't) (?:true|right|correct|accurate)(?: that {_TOPIC}|{_INSTEAD})"),
        (
            WishKind.WRONG,
            rf"\byou(?:'re| are|'ve got it| got (?:it|that)| have it) wrong(?: {_ABOUT} {_TOPIC}|{_INSTEAD})",
        ),
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
_OWN: Final = late_regex(
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
_WORD: Final = late_regex(r"\w+")


#: Whose stop ends no sentence; it is another sign while sentences are told apart.
_TITLE: Final = late_regex(
    r"(?<!\w)(Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|No|[A-Z]|(?:no|nr|apt|ext|tel|vol|ref)(?=\.\s*#?\d))\.(?=\s)"
)
_NO_STOP: Final = "\u2024"


def parse_wishes(utterance: str) -> tuple[Wish, ...]:
    """Return the wishes that a user's ``utterance`` holds, in order; none for most."""
    found = []
    for sentence in sentences(_TITLE.sub(rf"\1{_NO_STOP}", utterance.replace("’", "'"))):
        if _OWN.search(sentence):
            continue
        for kind, pattern in _PATTERNS:
            match = pattern.search(sentence)
            if match is not None:
                topic = _topic(match.groupdict().get("topic"))
                if not topic or asked_not_to_keep(sentence) is None:
                    found.append(Wish(kind, topic))
                break
    return tuple(found)


def _topic(said: str | None) -> str:
    topic = (said or "").replace(_NO_STOP, ".").strip(" ,;:\"'“”")
    return "" if _NO_TOPIC.issuperset(_WORD.findall(topic.casefold())) else topic
