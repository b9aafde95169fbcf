"""How English users tell an assistant to behave: triggers, standing rules, corrections, and what to forget.

Guarantees: pure. Whether somebody may give rules is the caller's matter; a quoted one is none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.phrasing import Frame, frame, key_of
from marskg.language.en.wish_phrases import parse_wishes
from marskg.language.facts import Fact, Said
from marskg.language.wish_kinds import WishKind
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.language.en.facts.phrasing import Found, Sentence

_ACTS: Final = (
    r"(?:answer|reply|respond|use|give|write|address|include|show|convert|quote|keep|format|end|start|begin|speak|talk|"
    r"ask|put|"
    r"assume|mention|suggest|recommend|make|tell|avoid|send|round|cite|explain|translate|say|call|list|remind|offer|"
    r"sign|"
    r"propose|speak|add|summari[sz]e|check|stick|refer|greet|spell|treat|be|schedule|book)"
)
_MORE_THAN_ONE: Final = late_regex(
    r"^(?:give up|be careful|be (?:nice|safe|well)|say never|tell me about|ask yourself)\b",
    re.IGNORECASE,
)
_WISHES: Final = frozenset(
    (
        "forget", "forgotten", "remember", "erase", "delete", "wipe", "remove", "mention", "bring", "stop", "quit",
        "wrong", "false", "untrue", "less", "attention",
    )
)  # fmt: skip


def _rule(found: Found, content: str, key: str, concept: str, action: str) -> Fact | None:
    if found.sentence.is_quoted(found.match.start()) or _MORE_THAN_ONE.search(action) is not None:
        return None
    start, end = found.span
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=content,
        confidence=found.confidence,
        does=Said.RULE,
        key=f"rule/{key_of(key)}",
        payload={"concept": concept, "relations": (action,)},
    )


def _trigger(found: Found) -> Fact | None:
    trigger, action = found.group("quoted") or found.group("trigger"), found.group("action")
    return _rule(found, f"When {found.who} says {trigger}: {action}", f"when {trigger}", trigger, action)


def _standing(found: Found) -> Fact | None:
    action = found.group("action")
    how = (
        "Never"
        if re.match(r"(?:please )?(?:never|don't ever|do not ever)|.*\byou to never", found.match[0], re.IGNORECASE)
        else "Always"
    )
    return _rule(found, f"{how} {action}", action, how.lower(), action)


def _no_more(found: Found) -> Fact | None:
    act = found.group("act").lower() or {"propos": "propose"}.get(
        found.group("doing").lower(), found.group("doing").lower()
    )
    action = f"{act} {found.group('what')}"
    return _rule(found, f"Never {action}", action, "never", action)


def _corrected(found: Found) -> Fact:
    start, end = found.span
    new, old = found.group("new"), found.group("old")
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=f"It is {new}, not {old}",
        confidence=found.confidence,
        does=Said.UPDATE,
        payload={"concept": new},
        cardinality=None,
        old=old,
    )


#: Somebody else's wish, or what was said of one.
_REPORTED: Final = late_regex(
    r"\b(?:she|he|they|we|somebody|someone|everyone|people|(?:my|his|her|our|their|the) [\w-]+|[A-Z][\w'-]+)"
    r" (?:has |have |had |just |always |also )*(?:asks?|asked|told|tells?|wants?|wanted|begged|begs?|said|says?)\b"
)


def wishes_of(sentence: Sentence) -> Iterator[Fact]:
    """Yield what a sentence wishes about remembering."""
    if _WISHES.isdisjoint(sentence.words) or sentence.is_hedged(0) or _REPORTED.search(sentence.text):
        return
    for wish in parse_wishes(sentence.text):
        if wish.kind is WishKind.MORE and "forget" in sentence.words:
            continue
        yield Fact(
            rule=f"wish.{wish.kind.value}",
            start=sentence.start,
            end=sentence.start + len(sentence.text),
            content=f"{_WISHED[wish.kind]} {wish.topic or 'what was just said'}",
            confidence=0.9,
            does=Said.WISH,
            cardinality=None,
            payload={"concept": wish.topic or "what was just said", "relations": (wish.kind.value,)},
            old=wish.topic or None,
        )


_WISHED: Final = {
    WishKind.MORE: "Remember more about",
    WishKind.LESS: "Remember less about",
    WishKind.FORGET: "Forget",
    WishKind.UNMENTIONED: "Do not mention",
    WishKind.WRONG: "Not true:",
}

#: The frames of behaviour.
FRAMES: Final[tuple[Frame, ...]] = (
    frame(
        "rule.trigger",
        "when whenever if time",
        r"(?:^|[,;:] |\bso )(?:please,? )?(?:when(?:ever)?|if|every time|each time|any time) I (?:say|type|write|"
        r"mention|send(?: you)?|ask(?: you)?(?: for| about)?|tell you) "
        rf"(?:(?:the (?:word|phrase|code) )?[\"'](?P<quoted>[^\"']{{1,80}})[\"']|"
        rf"(?P<trigger>[^,\"]{{2,60}}?)),? (?:then |please |you (?:should |must |have to |can )?|always |"
        rf"just )*(?P<action>{_ACTS}\b[^!?]{{1,200}}?)(?=[.!]?$)",
        _trigger,
        0.9,
        unguarded=True,
    ),
    frame(
        "rule.always",
        "always never ever future now",
        rf"^(?:(?:please|and|also|ok|okay|from now on|in (?:the )?future|going forward),? )*(?:always|never|don't ever|"
        rf"do not ever|from now on,?(?: please| always)?|in (?:the )?future,?(?: please| always)?|"
        rf"going forward,?(?: please| always)?) (?P<action>{_ACTS}\b[^!?]{{2,200}}?)(?=[.!]?$)",
        _standing,
        0.85,
        unguarded=True,
    ),
    frame(
        "rule.always",
        "always never",
        rf"\b(?:I(?:'d| would)? (?:want|like|need|prefer|expect)|I'd prefer(?: it)?(?: for)?) you to (?:always|"
        rf"never) (?P<action>{_ACTS}\b[^!?]{{2,200}}?)(?=[.!]?$)",
        _standing,
        0.85,
    ),
    frame(
        "rule.always",
        "now forward",
        rf"^(?:please )?(?P<action>{_ACTS}\b[^!?,]{{2,160}}?),? (?:from now on|going forward|"
        rf"in (?:the )?future)(?=[.!]?$)",
        _standing,
        0.85,
    ),
    frame(
        "rule.never",
        "suggest recommend propose offer suggesting recommending proposing offering",
        r"^(?:please,? |ok(?:ay)?,? |and |also )*(?:(?:don't|do not) (?P<act>suggest|recommend|propose|offer)(?: me)? "
        r"(?=[^.!?]*\b(?:again|any ?more|ever)\b)|stop (?P<doing>suggest|recommend|propos|offer)ing(?: me)? )"
        r"(?P<what>(?!(?:it|this|that|them|these|those|anything|things?|stuff)\b)[^.!?,;]{2,60}?)"
        r"(?: (?:to me|again|any ?more|ever(?: again)?|please))*(?=,? ?(?:please)?[.!]*$|[,;])",
        _no_more,
        0.85,
        unguarded=True,
    ),
    frame(
        "correction.value",
        "actually correction meant sorry wait no mean",
        r"^(?:actually|correction|sorry|wait|no|oops|i meant|i mean)\b[,:]?(?: (?:sorry|actually|i meant|"
        r"i mean))?,? (?:(?:it's|it is|that's|it was|that was|it should be|make that|"
        r"i meant) )?(?P<new>[^.,;!?]{1,60}?),? (?:and )?(?:not|instead of|"
        r"rather than) (?P<old>[^.,;!?]{1,60}?)(?=[.!]?$)",
        _corrected,
        0.65,
    ),
)
