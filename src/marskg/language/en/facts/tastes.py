"""What English speakers say they like and dislike, and how that changed.

Guarantees: pure. What is liked is named without what one does with it: who loves listening to Debussy likes Debussy, so
that liking and going off the same thing have one key, ``preference/<what>``. "I love her work" is about the name that
stands right before it, or about nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.phrasing import ADVERBS, STOP, Frame, frame, key_of
from marskg.language.en.facts.third_person import third
from marskg.language.facts import Fact, Said
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.language.en.facts.phrasing import Found

_MEDIUM: Final = (
    r"(?:music|songs?|movies?|films?|books?|novels?|works?|writing|stor(?:y|ies)|albums?|shows?|series|performances?|"
    r"acting|art|"
    r"poetry|poems?|paintings?|style|sound|stuff|genres?|topics?|climates?|regions?|directing|tunes?|tracks?|"
    r"literature|cinema|"
    r"fiction|narratives?|prose|compositions?|theories|lyrics|voice|scene|vibe|era|weather|destinations?|areas?)"
)
#: What says what a book or a film is about.
_ABOUT: Final = (
    r"(?:really |mostly |mainly |often )*(?:focus(?:es)?(?: too much| mainly| mostly| heavily)? on|deals? with|"
    r"tackles?|explores?|(?:is|are) about|revolves? around|features?|involves?)"
)
#: What one does with what one likes, and what kind of thing it is, in front of its name.
_LEAD: Final = late_regex(
    r"^(?:(?:the (?:idea|thought|concept|vibe|sound|energy|feel|whole idea|appeal) of |(?:listening to|"
    r"reading(?: about)?|watching|"
    r"travel(?:l)?ing (?:to|in|through)|visiting|exploring|seeing|going to|learning about|hearing|playing|eating|"
    r"drinking) |"
    r"(?:the )?(?:band|artist|singer|actor|actress|director|author|writer|composer|musician|genre|film|movie|book|"
    r"album|novel|song|"
    r"topic|region)s? (?:like |such as )?(?=(?-i:[A-Z])|[\"'])|"
    rf"(?:the |some |any |a lot of |lots of |most |all )?(?:(?!of )\w+ )?{_MEDIUM} (?:from|by|of|about|on|in|set in|"
    rf"with|like)(?: the)? |{_MEDIUM} (?:that|which) {_ABOUT} (?:the )?|"
    r"(?:the|a|an|some|any|all|more|a lot of|lots of|a bit of|anything by|everything by|quite a few) ))+",
    re.IGNORECASE,
)
_TAIL: Final = late_regex(
    rf"'s? (?:[\w-]+ ){{0,3}}?{_MEDIUM}(?: {_MEDIUM})?(?: and .*)?$|'s (?:wit|humou?r|range|direction|charm|energy|"
    rf"approach|direction|cinematography|"
    rf"characters|storytelling|perspective|insights|melodies)\b.*$|(?:'s?)? (?:the )?(?:(?:early|late|newer|older|"
    rf"whole|unique|new) )*{_MEDIUM}(?: {_MEDIUM})?$|"
    r" (?:as (?:a|an) .*|for (?!(?-i:[A-Z])).*|in general|in movies.*|on screen|genre|and (?:his|her|their) .*)$|"
    r" (?:a lot|so much|very much|too much|quite a bit|more and more|the most|right|immensely|myself|overall|"
    r"like that|"
    r"much)$|'s$",
    re.IGNORECASE,
)
#: What points back, or is no thing that one has a taste for.
_NO_TASTE: Final = late_regex(
    r"^(?:what|how|when|where|why|to|no|none|neither|nobody|"
    r"the (?:way|fact|idea|part|thought|same)|your?|one|ones|everything|anything|"
    r"something|nothing|"
    r"someone|people|everyone|both|myself|yourself|us|me|more|most|less|much|not|doing so|there|being able|having|"
    r"seeing|knowing|"
    r"idea|part|thought|same|way|our|that|this|these|those|chatting|talking|if|whether|i|we|conversation|places|"
    r"authors who|artists with|"
    r"authors with|activities|things|stay|learning (?:new|more|about)|discussing|exploring|keeping|getting|going|"
    r"thinking|helping|"
    r"making|finding|being|spending|working|using|trying|it when|how|hearing|bit|diving|seeing)\b|\b(?:you|your|"
    r"things|"
    r"stuff|ones?)\b",
    re.IGNORECASE,
)
#: A phrase too long to be what something is called, unless a name ends it.
_TOO_MUCH: Final = late_regex(r"^(?:the|a|an) [a-z][\w' -]* [\w' -]* [a-z][\w' -]*$")
#: What is left of a phrase that is cut, or says only how something is.
_NO_THING: Final = late_regex(
    r"^(?:[\w-]+ )?(?:chat|information|insights?|help|explanations?|offer|discussions?|clarification|examples|"
    r"convenience|reminder|"
    r"facts|learning|perspectives?|suggestions?|recommendations?|support|advice|changes|focus|patterns)$|"
    r"^(?:(?:new|more|good|great|other|different|old|older|some|most|many|all|interesting|certain|such|any|"
    r"these|those)"
    r" )*(?:movies|films|music|books|songs|authors|actors|artists|directors|genres)(?: (?:with|that|who|in|"
    r"from) .*)?$|"
    r"^(?-i:with|without|in|on|at|by|from|than|who|other|(?:my|our) (?:stay|visit|time|trip|taste))\b|"
    r"^(?:is|are|was|as|[a-z]+ly|creating|doing|live|strong|smoother|straightforward|subtle|diverse|different|"
    r"same|new|"
    r"work|style|"
    r"performances?|acting|place|way|feeling)\b(?! [a-z])|^(?:is|are|was|as|doing|creating|something|different|"
    r"serene|"
    r"contemporary)\b",
    re.IGNORECASE,
)
#: A decade of the last century; and what kind of thing a taste is for, which its key does not tell apart.
_DECADE: Final = late_regex(r"(?:^|(?<= ))'?([2-9]0)s\b")
_KIND: Final = late_regex(rf"(?<=\w) {_MEDIUM}$", re.IGNORECASE)
_POINTS: Final = late_regex(
    rf"^(?:him|her|it|them|(?:his|her|their|its|the|that|this) (?:[\w-]+ ){{0,3}}(?:{_MEDIUM}|humou?r|direction|"
    rf"approach|energy|range|"
    r"book|film|movie|album|place|performances?)\b.*|(?:his|her|their)\b.*|(?:listening to|reading|watching|"
    r"visiting) (?:it|him|her|them))$",
    re.IGNORECASE,
)
#: What such words can point back to: a title in quotation marks or stars, a name, or what was spoken of as liked.
_NAMED: Final = late_regex(
    r"\"([^\"]{2,80})\"|(?<!\w)'([^']{2,80}?)'(?!\w)|\*([^*]{2,80})\*|"
    r"(?:dis)?(?:like[ds]?|love[ds]?|fan of|into|about|enjoy(?:ed)?|found|find|of) ((?:[a-z]+ ){0,2}?(?:climates?|"
    r"[a-z]+s|music|movies|opera))\b|"
    r"(?<![.!?] )(?<!^)\b((?!I\b|I')[A-Z][\w'’-]+(?:,? (?:(?:of|the|and|de|la|on|for|in|von|van) )*(?!I\b|"
    r"I')[A-Z][\w'’-]+)*)"
)
_THING: Final = rf"(?P<what>\"[^\"]{{2,80}}\"|'[^']{{2,80}}'(?!\w)|\*[^*]{{2,80}}\*|[^.!?;:,…()—–\"]{{2,90}}?){STOP}"
#: The name of a thing behind what kind of thing it is: "the movie *Shane*".
_CALLED: Final = late_regex(r"(?<= )[*\"']?[A-Z]\w|[*\"]\w")
_MANY: Final = 9
#: The rest of a list behind its first thing: things of a few words, the last one behind "and" or "or".
_LISTED_THING: Final = (
    r"(?!(?:I|I'm|I've|I'd|it|it's|he|she|they|we|you|my|your|that|this|so|but|which|who|then|now|to|not|no|is|"
    r"are|was|"
    r"what|such|like|with|in|on|at|for|from|as|because|since|though|when|where|while|if|than|too|both|just|even|"
    r"or|and|"
    r"how|mainly|maybe|etc|[a-z]+ly(?= (?!and\b|or\b))|[a-z]{3,}ed(?= (?:the|an?|my|it|to|in|on|"
    r"for|with|there|out|up)\b))\b)[^\s.,!?;:…()—–\"]+"
    r"(?: (?!(?:and|or|but|is|are|was|it|I|so)\b)"
    r"[^\s.,!?;:…()—–\"]+){0,2}?"
)
_LISTED: Final = late_regex(
    rf"(?:, {_LISTED_THING})+,? (?:and|or) {_LISTED_THING}{STOP}",
    re.IGNORECASE,
)
_PARTS: Final = late_regex(r",? (?:and|or) |, ")
_EITHER: Final = late_regex(r"(?<! and) or (?=[\w'-]+(?: [\w'-]+){0,2}$)")
#: What is less liked than what is preferred; "trips to museums" is one thing.
_OVER: Final = late_regex(
    r" (?:over|rather than|instead of|as opposed to) .*| rather$|"
    r"(?<=^)(?P<more>(?:\S+ ){0,2}?(?!\S*ing\b|trips?\b|visits?\b|ways?\b)\S+) to \S+(?: \S+){0,2}$",
    re.IGNORECASE,
)
#: What leaves a distaste for some times or circumstances only.
_AT_TIMES: Final = late_regex(
    r"(?: (?:at all|very much|so much|that much|much|anymore|any more|any longer|either|now|lately))*"
    r"(?:,? (?:when(?:ever)?(?! (?:it comes|(?:I |I'm |we )?(?:travel|on (?:holiday|vacation))))|unless|except|while|"
    r"only (?:when|if)|as (?:much|long) (?:as|when))\b|"
    r" (?:if|until|before|after)\b(?! (?:I'm|I am|I may|we're|you ask|you must|trying|having|hearing|reading|seeing|"
    r"watching|all)\b))",
    re.IGNORECASE,
)
#: What is entered rather than liked, and what makes a liking a small or a former one.
_ENTERED: Final = late_regex(
    r"I(?:'ve|'m| have| am)? ?(?:just |finally |never )*(?:got|gotten|been|getting)(?: getting)? into ", re.IGNORECASE
)
_PLACE: Final = late_regex(
    r"(?:the|my|a|an|our|his|her|their)\b|(?-i:[A-Z])|(?:trouble|debt|bed|line|shape|position|college|"
    r"university|school|"
    r"work|town|office|fights?|arguments?|accidents?|cars?|medicine|medical|law)\b",
    re.IGNORECASE,
)
_LESS: Final = late_regex(r"\bless(?: and less)?$", re.IGNORECASE)
_ONCE: Final = late_regex(
    r"\b(?:once|at one time|back then|as a (?:kid|child|boy|girl|teenager))\b[^.!?;]*\b(?:loved|liked|enjoyed|"
    r"adored)\b",
    re.IGNORECASE,
)
_EXCEPT: Final = late_regex(r"\b(?:unless|except|whenever)\b", re.IGNORECASE)
#: What the talk is led on from.
_TOPIC: Final = late_regex(r"\bspeaking of [^,.]*,", re.IGNORECASE)
_OWN: Final = late_regex(r"\b(?:my|our)\b", re.IGNORECASE)
_VERY: Final = (
    r"(?:really |so |totally |quite |just |very |super |actually |getting |also |always |definitely |"
    r"much more |more |completely |absolutely |particularly |recently |especially )*+"
)
_FONDNESS: Final = (
    rf"(?:like|love|adore|enjoy|admire|prefer)(?:d)?|(?:'ve |have |'m |am |"
    rf"been )*{_VERY}(?:been )?{_VERY}(?:enjoying|loving|liking|preferring|"
    r"appreciating|admired|loved|enjoyed|liked)|"
    rf"(?:'m|am|'ve|have|got|was|became) {_VERY}(?:been |gotten |become |grown |found myself |find myself "
    rf")*{_VERY}(?:into|"
    rf"fond of|a {_VERY}(?:big |huge |great |massive |real )*fan of|"
    r"obsessed with|passionate about|keen on|crazy about|all about|drawn to|captivated by|in love with|fascinated by|"
    r"hooked on|leaning (?:more )?towards?|"
    r"gravitating towards?|won over by)|"
    rf"(?:'ve |have |'m )?{_VERY}(?:come|grown|started|begun|learned|starting|growing|coming) to (?:really |"
    rf"actually )*(?:love|like|appreciate|enjoy|prefer)|"
    rf"(?:find|found|'ve found|have found|'m finding|am finding) myself {_VERY}(?:enjoying|loving|liking|into|"
    rf"appreciating|drawn to|"
    rf"gravitating towards?|leaning towards?)|(?:always )?gravitate towards?"
)
_DISTASTE: Final = (
    r"(?:(?:don't|do not|never|didn't|did not) (?:really |actually |particularly |quite |much |even |think I "
    r")*(?:like|"
    r"love|enjoy|care for|get into|"
    r"care much for)d?|dislike(?:d)?|hate(?:d)?|(?:can't|cannot) (?:stand|bear|abide)|detest|loathe|despise|"
    r"(?:just )?(?:can't|couldn't|can never|don't) (?:seem to |quite |really )*get into|"
    r"(?:'m|am|'ve|have|was) (?:just |really |actually |personally |honestly |definitely )*(?:not|"
    r"never been) (?:really |actually |particularly |"
    r"much of |too |so |that |very |all that |exactly )*(?:a? ?(?:big |huge |great |massive )?fan of|into|fond of|"
    r"keen on|crazy about|drawn to))"
)


def _antecedent(found: Found) -> str:
    """Return what "it" or "her work" points back to: the last thing named before it; empty where there is none."""
    for text in (found.sentence.text[: found.match.start()], found.sentence.before):
        led = _TOPIC.sub("", text)
        names = [next(part for part in match.groups() if part) for match in _NAMED.finditer(led)]
        if names:
            return names[-1]
    return ""


def _full_name(thing: str, found: Found) -> str:
    """Return a last name with the first name that stands before it in the sentence, or in the one before."""
    if " " in thing or not thing[:1].isupper():
        return thing
    said = f"{found.sentence.before} {found.sentence.text[: found.match.start()]}"
    full = re.search(rf"(?<![.!?] )\b(?!Speaking|The|My|And|But)[A-Z][a-z]+ {re.escape(thing)}\b", said)
    return thing if full is None else full[0]


def thing_of(said: str) -> str:
    """Return what a taste is for, without determiners, what is done with it and what kind of thing it is; or ''."""
    what = said.strip(" ,.;:!?")
    if what[:1] in "\"'*" and what[-1:] == what[:1]:
        return what.strip("\"'*, ")
    what = what.strip("\"' ")
    if _NO_TASTE.search(what) is not None or _TOO_MUCH.search(what) is not None or what.count(" ") >= _MANY:
        return ""
    what = _LEAD.sub("", what, count=1)
    for _ in range(3):
        shorter = _TAIL.sub("", what).strip(" \"'*")
        # "Chamber music" is a thing of its own; "Bergman's films" are Bergman.
        if shorter.islower() and " " not in shorter and "'" not in what and what.islower():
            break
        what = shorter
    what = _DECADE.sub(r"19\1s", what)
    return "" if _NO_TASTE.search(what) is not None or _POINTS.match(what) or _NO_THING.match(what) else what


def _tastes(found: Found, *, likes: bool, does: Said = Said.ADD) -> Iterator[Fact]:
    """Yield a taste for each thing of a list: "tea, coffee and jam"; of "tea and coffee" one for both."""
    said = found.match["what"]
    if "prefer" in found.match[0].lower():
        said = _OVER.sub(lambda match: match["more"] or "", said)
    # Jazz that is disliked when it is too loud is not disliked.
    if (does is Said.END or not likes) and _is_at_times(found):
        return
    if likes and does is Said.ADD and _is_no_liking(found):
        return
    # Who does not like "tea or coffee" likes neither.
    things = [said] if likes and does is Said.ADD else _EITHER.split(said)
    listed = _LISTED.match(found.sentence.text, found.match.end())
    parts = [] if listed is None else [part for part in _PARTS.split(listed[0]) if part]
    if all(thing_of(part) and not _is_past(part) for part in parts):
        things += parts
    for thing in things:
        fact = taste_of(found, thing, likes=likes, does=does)
        if fact is not None:
            yield fact
        elif thing is things[0]:
            return


def _is_at_times(found: Found) -> bool:
    """Return whether what is disliked, or liked no longer, is so at times only; what was is over whenever it was."""
    return "used" not in found.match[0].lower().split() and (
        _EXCEPT.search(found.match["what"]) is not None
        or _AT_TIMES.match(found.sentence.text, found.match.end("what")) is not None
    )


def _is_no_liking(found: Found) -> bool:
    """Return whether somebody gets into a place, likes something less, or once liked it."""
    entered = _ENTERED.match(found.match[0])
    return (
        (entered is not None and _PLACE.match(found.match["what"]) is not None)
        or _LESS.search(found.match["what"]) is not None
        or _ONCE.search(found.sentence.text, 0, found.match.end()) is not None
    )


def _is_past(part: str) -> bool:
    """Return whether a part of a list tells what was done: "went there"."""
    verb = part.split(maxsplit=1)[0]
    return not verb.endswith(("ed", "ing", "ly")) and third(verb) == verb


def taste_of(found: Found, said: str, *, likes: bool, does: Said) -> Fact | None:
    """Return the taste for the thing that ``said`` names, or its end; None where it names none."""
    what = said.strip()
    if _POINTS.match(what) is not None and _CALLED.search(what, 1) is None:
        what = _antecedent(found)
    thing = _full_name(thing_of(what), found)
    key = key_of(_KIND.sub("", thing))
    if not key:
        return None
    start, end = found.span
    stance = "likes" if likes else "dislikes"
    told_thing = _OWN.sub("their", thing)
    ended = does is Said.END
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=f"{found.who} no longer likes {told_thing}" if ended else f"{found.who} {stance} {told_thing}",
        confidence=found.confidence,
        does=does,
        key=f"preference/{key}",
        payload={"concept": thing, "relations": (stance,)},
        mentions=(thing,) if thing[:1].isupper() else (),
        old=thing if ended else None,
    )


def _likes(found: Found) -> Iterator[Fact]:
    return _tastes(found, likes=True)


def _dislikes(found: Found) -> Iterator[Fact]:
    return _tastes(found, likes=False)


def _ends(found: Found) -> Iterator[Fact]:
    return _tastes(found, likes=True, does=Said.END)


#: What one finds what one likes.
_GOOD: Final = (
    r"(?:captivating|fascinating|compelling|inspiring|relaxing|soothing|beautiful|engaging|enjoyable|delightful|"
    r"charming|irresistible|appealing|intriguing|refreshing|mesmeri[sz]ing|enchanting|thought-provoking|uplifting)"
)
_USED: Final = (
    rf"used to {ADVERBS}(?:think I )?{ADVERBS}(?:(?:like|love|adore|enjoy|prefer|admire|appreciate)d?|(?:was |"
    rf"be )?{_VERY}(?:into|about|a (?:big |huge )*fan of|fond of|"
    r"obsessed with|drawn to|all about)|listen to|dream of) "
)
#: What ended stands before what is, since it holds the words of both.
FRAMES: Final[tuple[Frame, ...]] = (
    frame(
        "taste.off",
        "longer off anymore used stopped any tired bored interest",
        rf"\bI(?:'ve|'m| have| am)? ?{ADVERBS}(?:{_USED}|no longer {ADVERBS}(?:like|love|enjoy|care for|into|"
        rf"drawn to|"
        rf"a fan of) |stopped (?:liking|enjoying|loving) |"
        rf"(?:don't|do not) {ADVERBS}(?:like|love|enjoy|care for) (?=.{{2,60}} any ?more)|(?:not|"
        rf"never) {ADVERBS}(?:into|a fan of|drawn to|keen on|fond of) (?=.{{2,60}} any ?more)|"
        rf"(?:gone|went) {ADVERBS}off (?:of )?|(?:grown|grew) {ADVERBS}(?:out|tired|bored) of |(?:lost|losing) "
        rf"(?:all |"
        rf"my )?interest in ){_THING}",
        _ends,
        0.95,
    ),
    frame(
        "taste.turned",
        "used",
        rf"\bI used to {ADVERBS}(?:dislike|hate|detest|loathe|avoid|not (?:like|enjoy)) {_THING}"
        rf"(?=.*\bbut\b(?:(?!\bnot\b|n't\b|\bnever\b|\bhardly\b).)*\b(?:like|love|enjoy|enjoying|loving|"
        rf"appreciat\w+|{_GOOD})\b)",
        _likes,
        0.85,
    ),
    frame(
        "taste.dislikes",
        "don't not never didn't dislike disliked hate hated can't cannot couldn't detest loathe despise into",
        rf"\bI(?: |(?=')){ADVERBS}(?:find (?:that )?I )?{ADVERBS}{_DISTASTE} {_THING}",
        _dislikes,
        0.9,
    ),
    frame(
        "taste.likes",
        "finding preferring like love adore enjoy enjoyed liked loved prefer enjoying loving liking "
        "appreciating into fond fan obsessed "
        "passionate keen "
        "crazy all drawn captivated admire admired appreciate leaning gravitate gravitating fascinated hooked",
        rf"\bI(?: |(?=')){ADVERBS}(?:find (?:that )?I )?{ADVERBS}(?:{_FONDNESS}) {_THING}",
        _likes,
        0.75,
    ),
    frame(
        "taste.favourite",
        "favorite favourite favorites favourites",
        rf"\bmy (?:all-time |absolute |personal |new )*favou?rite (?P<class>[a-z ]{{3,30}}?) (?:is|are|has "
        rf"always been|"
        rf"would be|has to be|will always be) {ADVERBS}{_THING}",
        _likes,
        0.9,
    ),
    frame(
        "taste.favoured",
        "favorite favourite favorites favourites",
        rf"(?P<what>(?-i:[A-Z])[\w' -]{{2,50}}?) (?:is|are|has always been|"
        rf"was) {ADVERBS}(?:(?:one of )?my (?:all-time |absolute |personal |new |latest |current )*favou?rites?)\b",
        _likes,
        0.85,
    ),
)
