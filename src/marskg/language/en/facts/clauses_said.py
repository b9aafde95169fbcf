"""The clauses of talk: what a sentence says one after the other, without greetings, padding and words that only stress.

Guarantees: pure; a clause points into its text by ``start`` and ``end``, and says whether the speaker tells it of
themselves, also where the subject is left out ("Just got back from Rome"). What is asked, supposed, denied, quoted,
said in jest, wished to the other or said of the talk itself is not ``told``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.late_regex import late_regex
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from marskg.language.en.facts.phrasing import Sentence

#: Words before what is said: greetings, answers, links.
_LEAD: Final = late_regex(
    r"(?:(?:hey|hi|hello|wow|whoa|yeah|yep|yup|yes|no|nope|nah|oh|ooh|aw+|ah|ha(?:ha)*|lol|well|so|and|but|plus|also|"
    r"anyway|actually|"
    r"honestly|absolutely|definitely|totally|exactly|sure|okay|ok|right|thanks?(?: you)?(?: so much| a lot| a bunch)?|"
    r"thank you|"
    r"congrats|cool|nice|great|awesome|amazing|sounds good|good|by the way|btw|guess what|you know(?: what)?|"
    r"for sure|of course|i mean|to be honest|tbh|to be fair|in fact|speaking of [^,]{2,40}|since (?:we|"
    r"our) [^,]{2,40}|"
    r"lately i guess|like|for me|personally|not gonna lie|as for me|same here|me too|sorry|unfortunately|luckily|"
    r"thankfully|fortunately|update|"
    r"i think|i guess|i believe|i feel like|i must say|i have to say|i know|it's like|me(?= i\b|"
    r",? i'))(?![\w'])[,.!:]*"
    r"(?: (?-i:[A-Z][a-z]+)[,!.]+)?[\s,–-]*)+",
    re.IGNORECASE,
)
_CALLED: Final = late_regex(r"(?-i:[A-Z][a-z]+)[,!] (?=(?:I|I'[mvdl]+|we|my|it|this|that)\b)", re.IGNORECASE)
_CALLED_LAST: Final = late_regex(r", [A-Z][a-z]+(?=[!.]+$)")
#: A subject left out.
_BARE: Final = late_regex(
    r"^(?:(?:just|finally|recently|already|still|also|even|only) )*(?P<verb>got|went|had|been|gonna|going to|started|"
    r"finished|took|"
    r"made|met|saw|found|bought|joined|signed up|tried|researching|working|looking|planning|thinking|trying|learning|"
    r"hoping|wanna|"
    r"can't wait|couldn't|spent|lost|won|moved|decided|did(?! (?:I|we|you|he|she|it|they)\b)|love|loving|ended up|"
    r"came|read|watched|visited|enjoyed|"
    r"felt|(?!(?:lov|lik|agre|not|suppos|bas|excit|ne|inde|bor|tir|relat|impress|interest|inspir|"
    r"amaz)ed\b)[a-z]{3,}ed(?= (?:the|my|an?|our|"
    r"some|\d+|two|three)\b))\b(?! (?:is|was|are|were|makes?|made)\b)(?![^,]* (?:is|was|are) (?:so|a|an|the|really|"
    r"super)\b)",
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
_MINE: Final = late_regex(r"\b(?:I|I'm|I've|I'd|I'll|my|we|we're|we've|our|me|us)\b", re.IGNORECASE)
#: Who a clause can be about, by its first word.
_SUBJECT: Final = (
    r"(?:I|we|it|they|he|she|that|this|there|these|those|you|I'm|I've|I'd|I'll|we're|we've|we'll|it's|it'd|"
    r"it'll|they're|they've|he's|she's|that's|there's|you're|you've|can't wait|hope|hopefully)\b"
)
_DIVIDES: Final = late_regex(
    rf"\s+[-–—]+\s+|(?<=\w)[-–—]+\s+|—|--+|;\s*|\.\.+\s*|…\s*|:\s+|"
    rf",?\s+(?P<link>and|but|so|because|'cause|cause|plus|yet|which|though|although|since)\s+(?={_SUBJECT})|"
    rf",\s+(?={_SUBJECT})|,\s+which\s+|\s*[()]\s*",
    re.IGNORECASE,
)
#: Words that only stress or soften what is said.
_STRESS: Final = late_regex(
    r"\b(?:really|so(?! (?:much|many|far|that)\b)|super|very|actually|just|totally|definitely|pretty|quite|kinda|"
    r"kind of|sort of|absolutely|truly|"
    r"seriously|literally|honestly|basically|also|even|simply|a bit|a little|(?:a lot|lots)(?! of)|right now|"
    r"lately)(?![\w'-]) ?",
    re.IGNORECASE,
)
_PRAISE: Final = (
    r"(?:awesome|amazing|great|cool|nice|fun|incredible|special|tough|hard|wonderful|beautiful|sweet|exciting|"
    r"inspiring"
    r"|rewarding|powerful|lovely|blast|good|wild|crazy|fantastic|intense|worth it|best|perfect|refreshing|relaxing|"
    r"ride"
    r"|delicious|tasty|yummy|epic|insane|unreal|experience|time|day|feeling|journey|memories|moment|way|vibes?"
    r"|enlightening|heartwarming|emotional|challenging|fulfilling|difficult|stunning|gorgeous|cute|easy|chill|"
    r"memorable)"
)
#: What says only how something was, or that there is something to tell.
_IDLE: Final = late_regex(
    r"(?:and |but |so )*(?:it|that|this|they|there|everything|which|the \w+)?(?:'s|'re)? ?(?:was|were|is|are|"
    r"feels?|felt"
    r"|looks?|has been|have been|been|sounds?|(?:'s |is |will |'ll )?(?:gonna |going to )?be|'s (?:gonna|"
    r"going to) be)? ?(?:an? )?(?:(?:really|so|super|very|such|pretty|quite|truly|absolutely"
    r"|definitely|kinda|totally|been|just|always|an?|much) )*"
    rf"{_PRAISE}\b[\w ,!]*$|"
    r"(?:I )?(?:just )?(?:wanted to|had to|have to|gotta) (?:tell|share|give|let)\b|"
    r"[^.]*\b(?:news|something|things?|lots?|lot's|much) [^.]*\b(?:happen\w*|to share|to tell|going on|news)\b|"
    r"[^.]*\bnews to share|guess what|you know\b|can't wait|hope\b|hopefully\b|I'm (?:so |really )?excited$|"
    r"time flies|"
    r"let me know|here's |check |look ",
    re.IGNORECASE,
)
#: What is said to the other or of the talk itself.
_NO_EVENT: Final = late_regex(
    r"^(?:(?:should|shall|can|could|do|does|did|will|would|am|is|are|was|were|have|has|may|might) (?:I|we|you|he|"
    r"she|it|they|"
    r"my|our|the)\b|(?:what|when|where|why|how|who) (?:do|did|does|should|can|will|is|are|was)\b)|"
    r"^(?:I )?had (?:I|we)\b|\b(?:I|we)(?:'d|'ve| had| have)? (?:very |so )?(?:almost|nearly) (?!always\b|all\b|every)|"
    r"^(?:you\b|you're|your\b|let's\b)|\b(?:I|we) (?:\w+ly |also |just )*(?:might|may|would|should)\b(?! (?:love|"
    r"like) to\b)|"
    r"\b(?:thanks? (?:you )?for|talk (?:to you )?(?:soon|later)|see you|take care|good luck|let me know|lmk|"
    r"catch (?:you|up)|"
    r"i(?:'d| would) (?:imagine|say|be happy)|i (?:can|could) (?:imagine|see|tell)|tell me|here for you|i mean|got it|"
    r"my pleasure|"
    r"i appreciate (?:you|it|that|the)|have a (?:great|good|nice)|i was (?:just )?(?:wondering|hoping you|curious)|"
    r"i(?:'m| am) (?:doing|feeling) (?:so |really |pretty |quite |very )*(?:well|good|great|fine|ok|okay|alright|"
    r"better)|i (?:\w+ )?need (?:some |your |a bit of )?help|i (?:totally |completely |definitely )?agree|"
    r"i had no idea|i(?:'ve| have) (?:also |just )*(?:heard|been hearing)|i was (?:just |actually |also )*thinking|"
    r"(?:love|like|be interested) to (?:hear|know|learn|chat|talk|discuss)|look(?:ing)? forward to (?:our|your|"
    r"hearing|talking|chatting|our next)|(?:enjoy\w*|appreciate) (?:this|our|the) (?:conversation|chat|talk|"
    r"discussion)|makes sense|(?:glad|happy) (?:that )?we|i'm curious|"
    r"i (?:\w+ )?(?:need|have) to|i(?:'d| would) (?:like|love) to (?:add|remove|update|change|delete)|i wonder|"
    r"how about)\b",
    re.IGNORECASE,
)
#: What somebody laughs at while saying it.
_LAUGHS: Final = late_regex(r"[😂🤣😆😜🤪🙃🙄]|\b(?:lol|lmao|rofl|haha\w*|hehe\w*)\b", re.IGNORECASE)
_LINKS: Final = {"and": "and", "but": "but", "so": "so", "because": "because", "'cause": "because", "cause": "because"}
_SPACED: Final = late_regex(r"\s+(?=[,.])|(?<=\s)\s+")
#: What is denied and still tells of a life, in its own words.
_ENDED: Final = late_regex(
    r"I(?:'ve| have)? (?:just |now |also )*(?:(?:don't|can't|won't|do not|cannot) [^,]{3,60}? any ?(?:more|"
    r"longer)$|no longer [a-z]+ |"
    r"never been (?:to|in|on) )",
    re.IGNORECASE,
)
_MARKS: Final = ' .,!;:-–—"\n\t'


class Clause(NamedTuple):
    """What is said between two divisions of a sentence; ``said`` has its subject, and no words that only stress.

    ``link`` is the word that joins it to the clause before it, ``length`` the number of its stems. It may be ``told``;
    None where it says only how something was, which parts no clauses that go on about the same.
    """

    start: int
    end: int
    said: str
    link: str
    sentence: int
    mine: bool
    told: bool | None
    stems: frozenset[str] = frozenset()
    length: int = 0


def subject_added(said: str) -> str | None:
    """Return ``said`` with the subject that was left out, or as it is; None where it is not about the speaker."""
    match = _BARE.match(said)
    if match is not None:
        verb = match["verb"].lower()
        link = "I've " if verb == "been" else "I'm " if verb in _BARE_BE else "I "
        return link + said[:1].lower() + said[1:]
    return said if _MINE.search(said) is not None else None


def stems_of(words: str) -> frozenset[str]:
    """Return the stems of words: a sign is seen in any of their forms."""
    return frozenset(terms(words))


def clauses_of(sentences: Sequence[Sentence], shut: Collection[int] = ()) -> list[Clause]:
    """Return the clauses of sentences in their order, those without words left out; ``shut`` are not told."""
    found: list[Clause] = []
    for number, sentence in enumerate(sentences):
        meant = number not in shut and not _LAUGHS.search(sentence.text) and not sentence.asks
        if not meant or sentence.is_supposed(len(sentence.text)) or sentence.is_reported(0):
            end = sentence.start + len(sentence.text)
            found.append(Clause(sentence.start, end, "", "", number, mine=False, told=False))
        else:
            found += _divided(sentence, number)
    return found


def _divided(sentence: Sentence, number: int) -> Iterator[Clause]:
    text = sentence.text
    begin = _begin(text)
    last = _CALLED_LAST.search(text, begin)
    stop = last.start() if last is not None else len(text)
    link = ""
    for match in (*_DIVIDES.finditer(text, begin, stop), None):
        end = match.start() if match is not None else stop
        plain = text[begin:end].strip(_MARKS)
        if plain:
            yield _clause(sentence, number, text.index(plain, begin), plain, link)
        begin = match.end() if match is not None else end
        link = _LINKS.get((match["link"] or "").lower(), "") if match is not None else ""


def _clause(sentence: Sentence, number: int, place: int, plain: str, link: str) -> Clause:
    whole = subject_added(plain)
    own = None if whole is None else _MINE.search(sentence.text, place, place + len(plain))
    shut = (
        _NO_EVENT.search(whole or plain) is not None
        or (sentence.is_denied(place + len(plain)) and _ENDED.match(plain) is None)
        or sentence.is_quoted(place)
        or (own is not None and sentence.is_quoted(own.start()))
    )
    start, end = sentence.start + place, sentence.start + place + len(plain)
    said = "" if shut else _SPACED.sub("", _STRESS.sub("", whole or plain)).strip(_MARKS)
    if not said:
        return Clause(start, end, "", "", number, mine=False, told=False)
    if _IDLE.match(plain) is not None:
        return Clause(start, end, "", "", number, mine=False, told=None)
    stems = terms(said)
    return Clause(
        start, end, said, link, number, whole is not None, told=True, stems=frozenset(stems), length=len(stems)
    )


def _begin(text: str) -> int:
    """Return where what is said begins behind greetings, answers and the other's name."""
    place = 0
    for _ in range(2):
        lead = _LEAD.match(text, place)
        place = lead.end() if lead is not None else place
        called = _CALLED.match(text, place)
        place = called.end() if called is not None else place
    return place
