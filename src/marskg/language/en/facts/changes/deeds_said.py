"""What English speakers say they have done, in the words of the task that it closes: "I called the dentist".

Guarantees: pure. A deed closes the task of its verb and its object, and nothing where none is open: whether one is, the
store knows. What was done long ago, might have been done or was done in vain closes nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.phrasing import ADVERBS, key_of
from marskg.language.en.facts.tasks import is_no_task, without_times
from marskg.language.en.facts.third_person import told
from marskg.language.en.time_words import MONTH, WEEKDAY
from marskg.language.facts import Fact, Said
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.language.en.facts.phrasing import Sentence
    from marskg.language.facts import Voice

#: Verbs of what one does with a thing whose past has no ending; those in -ed have the stem of their base.
_PASTS: Final = {
    "bought": "buy", "brought": "bring", "built": "build", "caught": "catch", "chose": "choose", "cut": "cut",
    "drew": "draw", "drove": "drive", "fed": "feed", "gave": "give", "got": "get", "held": "hold",
    "hung": "hang", "made": "make", "met": "meet", "paid": "pay", "put": "put", "rang": "ring", "read": "read",
    "rewrote": "rewrite", "ran": "run", "sent": "send", "set": "set", "sold": "sell", "swept": "sweep",
    "taught": "teach", "took": "take", "wrote": "write",
}  # fmt: skip
#: What stands on a list has its name, or is the one that is meant; a thing of any kind only what one runs errands for.
_MEANT: Final = (
    r"(?:up |in |out |off |back |down |over |on )?(?:to |for |with |at )?(?:the|my|our|both|all (?:the|my|our)|"
    r"(?-i:[A-Z]))\b"
)
_ERRANDS: Final = (
    r"(?:bought|rang|called|phoned|emailed|texted|ordered|booked|paid|picked up|collected|returned|renewed|fixed|"
    r"repaired|cleaned|mowed|invoiced|posted|mailed|watered|fed|packed|refilled|cancelled|canceled|scheduled)"
)
_DID: Final = late_regex(
    r"^(?:(?:ok|okay|yes|yeah|hey|hi|done|so|and|great news|good news|update|fyi|by the way|btw)[,:!]? )*"
    rf"(?P<who>I)(?:'ve| have)? ?{ADVERBS}(?=[a-z]+ {_MEANT}|{_ERRANDS} )"
    rf"(?P<verb>{'|'.join(_PASTS)}|(?!need)[a-z]{{2,}}ed) (?P<what>(?:[^\s.!?;:,—()\"]+ ){{0,6}}?[^\s.!?;:,—()\"]+)"
    r"(?:,? (?:at last|finally|already|just now|too|as well))*[.!]*$",
    re.IGNORECASE,
)
#: When it was done, at the end of what was done.
_WHEN_DONE: Final = late_regex(
    r"(?: (?:earlier|yesterday|today|tonight|last night|just now|this (?:morning|afternoon|evening|week)|(?:on |"
    rf"last )?{WEEKDAY}|"
    r"(?:at|before|after|over) (?:noon|lunch|breakfast|dinner|the weekend)|morning|"
    r"afternoon|evening))+$",
    re.IGNORECASE,
)
#: A past that is no deed of a list: long ago, of a habit, said of what one felt, or with what came of it.
_NO_DEED: Final = late_regex(
    r"\b(?:last \w+|ago|once|used to|always|never|every|when|while|if|until|but|because|that|it|this|them|you|him|her|"
    r"so|too|first|my (?:mind|way|time|best|breath|eyes?|head|heart|word|own|part|share|turn|peace)|(?:in|since|"
    rf"back in) (?:\d{{4}}|{MONTH})|"
    r"instead|and (?:I|we|it|they|he|she|(?-i:[a-z]+ed|got|met|had|made|was)))\b",
    re.IGNORECASE,
)
_FELT: Final = late_regex(
    r"(?:lov|lik|hat|enjoy|want|wish|hop|decid|feel|believ|us|seem|remember|realiz|realis|wonder|notic|learn|liv|stay|"
    r"prefer|admir|appreciat|miss|try|tri|start|happen|expect|suppos|manag|guess|agre)ed",
    re.IGNORECASE,
)


#: Where one deed of a sentence ends and the next begins.
_AND: Final = late_regex(r",? and (?=I\b)")


def deeds_of(sentence: Sentence, voice: Voice) -> Iterator[Fact]:
    """Yield the tasks that a sentence says were done; none where it is no plain deed of the speaker."""
    text = sentence.text
    if sentence.jests or sentence.is_hedged(len(text)):
        return
    begin = 0
    for mark in (*_AND.finditer(text), None):
        deed = _deed(text[begin : mark.start() if mark else len(text)], sentence.start + begin, voice)
        if deed is not None:
            yield deed
        begin = mark.end() if mark else begin


def _deed(said: str, start: int, voice: Voice) -> Fact | None:
    """Return the task that the words ``said`` close, which stand at ``start`` of the text."""
    match = _DID.match(said)
    if match is None:
        return None
    verb, what = match["verb"].lower(), _WHEN_DONE.sub("", match["what"])
    if _NO_DEED.search(what) is not None or _FELT.fullmatch(verb) is not None:
        return None
    done = f"{_PASTS.get(verb, verb)} {without_times(what)}"
    key = key_of(done)
    if " " not in key or is_no_task(done):
        return None
    place, end = match.start("who"), match.end("what")
    return Fact(
        rule="task.deed",
        start=start + place,
        end=start + end,
        content=told(said[place:end], voice),
        confidence=0.8,
        does=Said.CLOSE,
        kind=Kind.TASK,
        key=f"todo/{key}",
        payload={"goal": done},
        old=done,
    )
