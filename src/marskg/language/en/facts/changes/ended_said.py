"""What English speakers say holds no longer, read by the rules that read what holds.

Guarantees: pure. "I'm not allergic to peanuts anymore" is put as "I'm allergic to peanuts"; what the rules read of that
is what ended. A habit or a state that no rule reads ends by the words in which it was said. What is over only with
somebody, somewhere, at times, or some day, has not ended.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.changes.taken_back import is_undone
from marskg.language.en.facts.personal_slots import KIN, ROLE
from marskg.language.en.facts.phrasing import ADVERBS, Sentence, key_of
from marskg.language.en.facts.third_person import third, told
from marskg.language.facts import Fact, Said
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Kind

if TYPE_CHECKING:
    from marskg.language.facts import Voice

_WHO: Final = (
    rf"(?P<who>I|we|(?:my|our) (?:[a-z]+ )?(?:{KIN}|{ROLE})(?:,? (?-i:[A-Z][a-z]+),?)?|"
    r"(?-i:(?!I\b|It\b|This\b|That\b|There\b|They\b|You\b|We\b|He\b|She\b|What\b|Who\b)[A-Z][a-z]+))"
)
#: The helper of each: "the stairs and I are" is not said of the speaker alone.
_IS: Final = (
    r"(?P<is>(?:(?<=\bI)(?:'m| am)|(?<=\bwe)(?:'re| are)|(?:(?<=\bI)|(?<=\bwe))(?:'ve| have)|"
    r"(?<![\s']I)(?<!^I)(?<!\bwe)(?: is| has)))"
)
_REST: Final = (
    r"(?P<rest>[a-z](?:(?!,? (?:but|because|since|although|though|so|and (?:I|we|now|my|it|he|she))\b)[^.!?;:,—()])*?)"
)
_OVER: Final = r" any ?(?:more|longer)\b"
#: Somebody, what they are or do, and that it is over: behind a helper, behind a verb that denies, or at the end.
_ENDED: Final = tuple(
    late_regex(rf"(?<![\w']){_WHO}{form}", re.IGNORECASE)
    for form in (
        rf"{_IS}?,? {ADVERBS}no longer {_REST}(?=$|[.!?;:,—()]| (?:but|because|since|although|though|so|and)\b)",
        rf"{_IS}(?:n't| {ADVERBS}(?:not|never)) {_REST}{_OVER}",
        rf" (?P<does>do|does)(?:n't| {ADVERBS}not) {_REST}{_OVER}",
        rf" never {_REST}{_OVER}",
        rf"{_IS}? {_REST},? no (?:longer|more)(?=[.!]*$)",
    )
)
_VERB_FIRST: Final = late_regex(r"(?:[a-z]+s )?(?:(?:an?|the|to|at|in|for|as|from|with|any) )*", re.IGNORECASE)
#: What is thought or felt for the moment, and what points to what is not said: no state that was told before.
_NO_STATE: Final = late_regex(
    r"^(?:really |even |just )*(?:know|think|feel|care|see|believe|trust|understand|remember|need|want|have to|"
    r"going to|"
    r"able|sure|mind|wish|hope|intend|plan|planning|there|here|interested|worried|in need|get|find|seem|matter|"
    r"like|love|enjoy)\b|"
    r"\b(?:it|this|that|them|those|these|him|her|his|their|its|you|your|me|us|anything|anyone|so|such|"
    r"much|fan)\b",
    re.IGNORECASE,
)
#: What may stand behind what is over; anything else says where, when or with whom it is over, and it holds otherwise.
_TAIL: Final = late_regex(
    r"(?: (?:any ?more|any longer|at all|now|either|these days|though|since [^,.;]{2,40}|as of [^,.;]{2,30}))*"
    r"(?:$|[.!?;:,—()]| [-–]| (?:but|because|since|although|though|so|and)\b)",
    re.IGNORECASE,
)
#: An exception behind it, and in the value itself.
_EXCEPT: Final = late_regex(
    r"[\s,;:—(–-]*(?:than|with|without|at|in|on|when|whenever|while|once|until|till|during|to|before|after|except|unless|"
    r"if|apart from|other than|but (?:only|just|not)|only)\b",
    re.IGNORECASE,
)
_BOUND: Final = late_regex(
    r" (?:than|with|without|at|when|while|once|until|during|before|after|on)\b|'s$", re.IGNORECASE
)
#: What stands before it and makes it a guess, a plan, or true at times.
_BEFORE: Final = late_regex(
    r"\b(?:soon|some ?days?|sometimes|maybe|perhaps|probably|possibly|(?:feels?|felt|seems?|looks?|sounds?) (?:like|"
    r"as)|apparently|allegedly|supposedly|wish|write|eventually|tomorrow|next [a-z]+|almost|nearly|usually|often|"
    r"occasionally|most days|whenever)\b|"
    r"^(?:(?:and|but|so|well|ok|okay)[, ]+)?(?:at|in|on|by|when|while|during|until|till|once|with|without|before|after|"
    r"over)\b",
    re.IGNORECASE,
)
#: One of several.
_ANOTHER: Final = late_regex(r"(?:my|our) (?:other|second|third|next)\b", re.IGNORECASE)
_FAMILIES: Final = ("profile.", "person.", "life.")
_KEYS: Final = ("profile/", "person/")


@dataclass(frozen=True, slots=True)
class Ended:
    """A clause that says that something is over: its place in the sentence, and the sentence that held before."""

    start: int
    end: int
    held: Sentence
    who: str
    #: What ended, without who; whether it is what somebody does rather than is.
    rest: str
    does: bool
    #: Whether what is said around it leaves it over in part only, or not yet.
    partly: bool


def ended_of(sentence: Sentence) -> Ended | None:
    """Return what a sentence says is over; None where it says no such thing, or only supposes or reports it."""
    text = sentence.text
    if "longer" not in text and "more" not in text:
        return None
    for pattern in _ENDED:
        match = pattern.search(text)
        if match is None or sentence.is_hedged(match.start()):
            continue
        groups = match.groupdict()
        who, link, rest = match["who"], groups.get("is") or "", match["rest"]
        helped = bool(link)
        if groups.get("does") and who.lower() not in {"i", "we"}:
            verb, _, tail = rest.partition(" ")
            rest = f"{third(verb)} {tail}".strip()
        # "My job at the bank" that I do not have any more is one that I have.
        plain = re.sub(r"^(have|has|had|own|got) any\b", r"\1 a", rest)
        rest = rest.removeprefix("got ")
        held = Sentence(f"{who}{link} {plain}.", sentence.start + match.start())
        partly = (
            _BEFORE.search(text[: match.start()]) is not None
            or _ANOTHER.match(who) is not None
            or rest.startswith("than ")
            or not _is_whole(text, match.end())
            or is_undone("state.ended", sentence, match.end())
        )
        return Ended(match.start(), match.end(), held, who, rest, does=not helped, partly=partly)
    return None


def _is_whole(text: str, end: int) -> bool:
    """Return whether what stands behind ``end`` leaves what is said before it as it is."""
    return _TAIL.match(text, end) is not None and _EXCEPT.match(text, end) is None


def is_over(fact: Fact, sentence: Sentence) -> bool:
    """Return whether the value of a fact read in ``sentence`` is all that the sentence says of it."""
    value = str(fact.payload.get("concept", ""))
    return _BOUND.search(value) is None and _is_whole(sentence.text, fact.end - sentence.start)


def endings(ended: Ended, held: list[Fact], sentence: Sentence, voice: Voice) -> list[Fact]:
    """Return the ends of the facts ``held`` that the rules read of what was; without any, of a habit by its words."""
    start, end = sentence.start + ended.start, sentence.start + ended.end
    content = told(_plain(sentence.text[ended.start : ended.end].strip(" ,")), voice)
    read = [
        fact
        for fact in held
        if fact.does is Said.ADD
        and fact.rule.startswith(_FAMILIES)
        and fact.rule != "person.named"
        and (fact.key or "").startswith(_KEYS)
    ]
    found = [
        replace(
            fact,
            start=start,
            end=end,
            content=content,
            does=Said.END,
            kind=Kind.SEMANTIC,
            payload={"concept": _old(fact, ended)},
            relations=(),
            old=_old(fact, ended),
        )
        for fact in read
        if is_over(fact, ended.held)
    ]
    if read:
        return found
    # Of others a rule has to know what they were; a mood is no state that one would have told.
    known = key_of(ended.rest)
    if ended.who.lower() != "i" or _NO_STATE.search(ended.rest) is not None or not known:
        return []
    if not ended.does and " " not in known:
        return []
    return [
        Fact(
            rule="state.ended",
            start=start,
            end=end,
            content=content,
            confidence=0.8,
            does=Said.END,
            cardinality=None,
            payload={"concept": ended.rest},
            old=ended.rest,
        )
    ]


def _old(fact: Fact, ended: Ended) -> str:
    """Return the value that ended; of somebody else what is said of them without its verb."""
    value = fact.payload.get("concept")
    return str(value) if value else _VERB_FIRST.sub("", ended.rest, count=1)


def _plain(said: str) -> str:
    """Return a clause without words that only stress it, and with "any more" in two words."""
    said = re.sub(r"\b(?:still|really|actually|just|also) ", "", said, flags=re.IGNORECASE)
    return re.sub(r"\banymore\b", "any more", said, flags=re.IGNORECASE)
