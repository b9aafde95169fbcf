"""What English speakers tell of their own lives: who did, has, plans or feels what, in few words and the third person.

Guarantees: pure. A sentence is read if its subject is the speaker (also one left out: "Just got back from Rome"), or
something of the speaker's; greetings, thanks and padding fall away. What is asked, wished to the other or said of the
talk itself is not read.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.third_person import told
from marskg.language.facts import Fact
from marskg.ontology.vocabulary import Kind
from marskg.text import terms

if TYPE_CHECKING:
    from marskg.language.en.facts.phrasing import Sentence
    from marskg.language.facts import Voice

#: Words before what is said: greetings, answers, links.
_LEAD: Final = re.compile(
    r"^(?:(?:hey|hi|hello|wow|whoa|yeah|yep|yup|yes|no|nope|nah|oh|ooh|aw+|ah|ha(?:ha)*|lol|well|so|and|but|plus|also|"
    r"anyway|actually|"
    r"honestly|absolutely|definitely|totally|exactly|sure|okay|ok|right|thanks?(?: you)?(?: so much| a lot| a bunch)?|"
    r"thank you|"
    r"congrats|cool|nice|great|awesome|amazing|sounds good|good|by the way|btw|guess what|you know(?: what)?|"
    r"for sure|of course|i mean|to be honest|tbh|to be fair|in fact|speaking of [^,]{2,40}|since (?:we|our) [^,]{2,40}|"
    r"lately i guess|like|for me|personally|not gonna lie|as for me|same here|me too|sorry|unfortunately|luckily|"
    r"thankfully|fortunately|"
    r"i think|i guess|i believe|i feel like|i must say|i have to say|i know|it's like)\b[,.!:]*"
    r"(?: (?-i:[A-Z][a-z]+)[,!.]+)?[\s,–-]*)+",
    re.IGNORECASE,
)
_VOCATIVE: Final = re.compile(
    r"^(?-i:[A-Z][a-z]+)[,!] (?=(?:I|I'[mvdl]+|we|my|it|this|that)\b)|,? (?-i:[A-Z][a-z]+)(?=[!.]+$)"
)
#: A subject left out.
_BARE: Final = re.compile(
    r"^(?:(?:just|finally|recently|already|still|also|even|only) )*(?P<verb>got|went|had|been|gonna|going to|started|"
    r"finished|took|"
    r"made|met|saw|found|bought|joined|signed up|tried|researching|working|looking|planning|thinking|trying|learning|"
    r"hoping|wanna|"
    r"can't wait|couldn't|spent|lost|won|moved|decided|did|love|loving|ended up|came|read|watched|visited|enjoyed|"
    r"felt)\b",
    re.IGNORECASE,
)
_BARE_BE: Final = frozenset(
    {
        "gonna",
        "going to",
        "researching",
        "working",
        "looking",
        "planning",
        "thinking",
        "trying",
        "learning",
        "hoping",
        "loving",
    }
)
#: What is cut off behind: how it was, and what follows.
_PADDING: Final = re.compile(
    r"(?:[,;]|\s[-–—]+|—|–|--|\.\.+)\s*(?:and |but |so |because |'cause )*(?:(?:it|that|this|they|which|what|"
    r"there)(?:'s|'re| is| was| were| are| has| have| had| made| makes| really| feels| felt| all)\b|so\b|you\b|"
    r"hope\b|let\b|isn't\b|right\b|though\b|lol\b|haha\b|how\b|what\b|don't you\b|and you\b)[^;]*$",
    re.IGNORECASE,
)
_MINE: Final = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|my|we|we're|we've|our|me|us)\b", re.IGNORECASE)

#: What is said to the other or of the talk itself.
_NO_EVENT: Final = re.compile(
    r"\b(?:thanks? (?:you )?for|talk (?:to you )?(?:soon|later)|see you|take care|good luck|let me know|lmk|"
    r"catch (?:you|up)|"
    r"i(?:'d| would) (?:imagine|say|be happy)|i (?:can|could) (?:imagine|see|tell)|tell me|here for you|i mean|got it|"
    r"my pleasure|"
    r"i appreciate (?:you|it|that|the)|have a (?:great|good|nice)|i was (?:just )?wondering|i'm curious|"
    r"i (?:\w+ )?(?:need|have) to|i(?:'d| would) (?:like|love) to (?:add|remove|update|change|delete)|i wonder|"
    r"how about)\b",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:I|we)(?:'d)? (?:\w+ly |just |also |even )*(?:(?!need)\w+ed|went|got|made|took|came|saw|found|gave|told|felt|"
    r"had|met|"
    r"bought|"
    r"started|began|won|lost|read|ran|did|spent|wrote|was|were|left|built|taught|drove|ate|hit|hurt|sold|sent|paid|"
    r"fell|flew|"
    r"chose|led|kept)\b|\b(?:yesterday|last (?:week|night|month|year|weekend|summer|winter|spring|fall|\w+day)|ago)\b",
    re.IGNORECASE,
)
#: How much a statement of that many stems is worth remembering, against one of seven. These weights and the ones below
#: are those of a logistic regression on which sentences of talk others noted down as facts, rounded to quarters;
#: scripts/fact_quality.py measures what they choose.
_LENGTHS: Final = {0: -9.0, 1: -9.0, 2: -9.0, 3: -1.25, 4: -1.25, 5: -0.75, 6: -0.25, 7: 0.0, 8: 0.25, 9: 0.5}
_LONG: Final = 0.75
_TOO_LONG: Final = 13
_OVERLONG: Final = 0.25
#: A statement as short as this is told with the sentence that goes on about it, up to so many stems.
_FEW: Final = 6
_ENOUGH: Final = 11
_GOES_ON: Final = re.compile(r"(?:It|They|She|He|That|This)(?:'s|'ve|'re)? (?!is so|was so)[^?]+$")
_BIAS: Final = -1.25
_LEAST: Final = -0.8
_SIGNS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), weight)
    for pattern, weight in (
        (r"\byou(?:r|rs|'re|'ve|'ll|'d)?\b", -0.75),
        (r"\b(?:I'll|will|won't|we'll)\b", -0.75),
        (r"\b(?:we|we're|we've)\b", -0.75),
        (r"\bcan't wait|looking forward|excited (?:to|for)\b|pumped|stoked", -0.5),
        (r"\b(?:I'd|would|should|could|might|maybe)\b", -0.5),
        (r"\b(?:chat|chatted|talked|talk|spoke|catch up|caught up)\b", -0.5),
        (r"\b(?:think|believe|guess|know|remember|realize|understand|agree|see|imagine|hear)\b", -0.5),
        (r"\b(?:pic|picture|photo|here's|check (?:it|this|out)|take a look)\b", -0.5),
        (r"\b(?:he|she|they|them|him|her|his|their)\b", -0.5),
        (
            (
                r"\b(?:awesome|amazing|great|cool|nice|fun|incredible|special|tough|hard|wonderful|beautiful|sweet|"
                r"exciting)\b"
            ),
            -0.5,
        ),
        (r"n't\b|\bnot\b|\bnever\b", -0.5),
        (r"\b(?:it|that|this|them|these|those)\b", -0.5),
        (r"\b(?:moments?|memories|things?|stuff|time|way|lot|bit|ones?)\b", -0.25),
        (r"\b(?:let's|let me|keep|hope|tell|share)\b", -0.25),
        (r"\b(?:glad|happy for|grateful|thankful|proud|appreciate)\b", -0.25),
        (
            r"\b(?:because|'cause|so that|gonna|going to|planning|plan to|thinking of|want to|hoping|considering)\b",
            -0.25,
        ),
        (r"\bI(?:'m|'ve been| have been| am) (?:\w+ly |also |just |still )*\w+ing\b", 0.5),
        (r"^(?:I\b|I'|We\b|We'|My\b|Our\b)", 0.25),
        (r"\b(?:my|our)\b", 0.25),
        (r"\b(?:in|at|from|for|with)\b", 0.25),
        (
            (
                r"\b(?:mom|dad|mother|father|sister|brother|kids?|sons?|daughters?|wife|husband|family|friends?|dogs?|"
                r"cats?|"
                r"grandma|grandpa|aunt|colleagues?|team|coworkers?)\b"
            ),
            0.25,
        ),
        (
            (
                r"\b(?:job|work|project|business|studio|store|class|school|game|book|movie|script|trip|event|show|"
                r"group|"
                r"career|course|company)\b"
            ),
            0.5,
        ),
        (
            (
                r"\b(?:signed up|joined|started|won|bought|adopted|visited|took|attended|volunteer\w*|finished|"
                r"working on|"
                r"trying out|learning|reading)\b"
            ),
            0.5,
        ),
        (r"\d|\b(?:two|three|four|five|six|seven|eight|ten)\b", 0.5),
        (
            (
                r"\b(?:yesterday|last|ago|weeks?|months?|years?|today|tomorrow|tonight|next|recently|since|weekend|"
                r"summer|"
                r"morning|night|day|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
            ),
            0.5,
        ),
    )
)


def cleaned(text: str) -> str:
    """Return a sentence without greetings, padding and marks; empty where nothing is left."""
    said = text.strip()
    for _ in range(2):
        said = _LEAD.sub("", said, count=1)
        said = _VOCATIVE.sub("", said)
    said = _PADDING.sub("", said)
    return said.strip(" .,!;:-–—")


def subject_added(said: str) -> str | None:
    """Return ``said`` with the subject that was left out, or as it is; None where it is not about the speaker."""
    match = _BARE.match(said)
    if match is not None:
        verb = match["verb"].lower()
        link = "I've " if verb == "been" else "I'm " if verb in _BARE_BE else "I "
        return link + said[:1].lower() + said[1:]
    return said if _MINE.search(said) is not None else None


def event_of(sentence: Sentence, voice: Voice, *, least: float | None = None) -> Fact | None:
    """Return what a sentence tells of the speaker's life; None where it is likely to tell nothing that lasts.

    ``least`` is the log-odds from which on it is read.
    """
    if sentence.asks or sentence.is_hedged(len(sentence.text)):
        return None
    plain = cleaned(sentence.text)
    said = subject_added(plain)
    if said is None or _NO_EVENT.search(said) is not None:
        return None
    content = told(said, voice)
    length = len(terms(content))
    if length <= _FEW and _GOES_ON.match(sentence.after) is not None:
        more = cleaned(sentence.after)
        both = told(f"{said}. {more[:1].upper()}{more[1:]}", voice)
        if len(terms(both)) <= _ENOUGH:
            content, length = both, len(terms(both))
    score = _score(said, length)
    if score < (_LEAST if least is None else least):
        return None
    start = sentence.start + max(0, sentence.text.find(plain))
    past = _PAST.search(said) is not None
    return Fact(
        rule="event.past" if past else "event.state",
        start=start,
        end=min(start + len(plain), sentence.start + len(sentence.text)),
        content=content,
        # It is told in the words in which it was said: the odds are of its worth, and make it no less said.
        confidence=round(0.5 + 0.5 / (1 + math.exp(-score)), 2),
        kind=Kind.EPISODIC if past else Kind.SEMANTIC,
        cardinality=None,
        payload={"event": content} if past else {"concept": content},
        when=sentence.text if past else None,
    )


def _score(said: str, length: int) -> float:
    score = _BIAS + _LENGTHS.get(length, _LONG if length < _TOO_LONG else _OVERLONG)
    return score + sum(weight for pattern, weight in _SIGNS if pattern.search(said) is not None)
