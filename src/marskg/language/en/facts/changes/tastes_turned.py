"""How English speakers say that a taste has come, gone or cooled, in other words than like and dislike.

Guarantees: pure. What is said of a thing by its bare name, "jazz has lost its charm for me", is a taste; what is said
of one such thing, "the parcel isn't for me", is none. Who likes something less is told so, and what was liked ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.phrasing import ADVERBS, STOP, Frame, frame
from marskg.language.en.facts.tastes import taste_of
from marskg.language.facts import Fact, Said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg.language.en.facts.phrasing import Found

#: What begins no name of a kind of thing, and what is no such thing behind "sick of" and "over".
_ONE: Final = (
    r"(?!the (?-i:[a-z]))(?!(?:an?|my|your|his|her|its|their|our|this|that|these|those|it|he|she|they|we|you|I|"
    r"I'm|there|"
    r"what|who|which|here|each|every\w*|some\w*|any\w*|no|nothing|nobody|one|all|both|most|many|much|being|"
    r"having|waiting|"
    r"people|life|living|work|working|bed|school|hospital|to|at|by|in|on|with|for|not|\d+|eighteen|twenty|"
    r"thirty|forty|"
    r"fifty|sixty|seventy|eighty|ninety|budget|time|weight|quota|age|capacity|flu|covid|trouble|debt|town|him|"
    r"them|us|me|"
    r"things?)\b)"
)
_WORD: Final = r"(?!(?:is|are|was|were|has|have|had|that|which|who|but|and I|so|because)\b)[\w'’.&-]+"
_KIND: Final = rf"(?P<what>{_ONE}(?:{_WORD} ){{0,3}}?{_WORD})"
#: A thing at the end of what is said of it.
_THING: Final = rf"(?P<what>{_ONE}[^.!?;:,…()—–\"]{{2,60}}?){STOP}"
#: Where a statement about a thing begins, behind words that lead to it.
_LEADS: Final = (
    r"(?:^|[.,;:] |\s[-–—] |\b(?:but|because|though|while) )(?:(?:well|so|but|and|oh|now|lately|recently|honestly|"
    r"actually|sadly|personally|these days|(?:it )?turn(?:s|ed) out|I (?:guess|think|feel|know|find|must say|"
    r"have to say)|"
    r"I've (?:realized|realised|found|decided|learned|noticed))(?: that)?,? )*+"
)
_ISNT: Final = (
    rf"{ADVERBS}(?:(?:is|are)n't|(?:is|are) {ADVERBS}not|(?:was|were) never|has never been|have never been) {ADVERBS}"
)
_DOESNT: Final = rf"{ADVERBS}(?:doesn't|don't|does not|do not|didn't|never) {ADVERBS}"
_DRAWS: Final = (
    # "Do" may have been read as an adverb.
    r"(?:(?:do )?(?:it|anything|much|a thing) for me|(?:appeals?|speaks?) to me|"
    r"(?:interest|excite|attract|grab|thrill)s? me|(?:resonate|click)s? with me)"
)
_MINE: Final = r"(?:(?:for me\b(?!,? (?:to|and)\b)|my (?:cup of tea|thing|jam|style|scene|bag))|to my (?:taste|liking))"
_NOW: Final = r" (?:any ?more|any longer|these days|now|like (?:it|they) used to)\b"
_LOVES: Final = r"(?:taste|love|passion|liking|fondness|appetite|enthusiasm|appreciation|weakness|soft spot|thing)"
_BEFORE: Final = r"(?:(?:as|like|than) I (?:did|do|used to|was|once)\b|than (?:before|ever)\b)"
_LESS_NOW: Final = rf"(?: {_BEFORE}| (?:any ?more|any longer|these days|lately|recently|now)\b|(?=[.!;]|,|$))"
_WEARY: Final = (
    rf"(?:(?:'ve|have)? ?{ADVERBS}had (?:quite |more than |just about )?(?:enough of|my fill of|it (?:up to "
    rf"here )?with)|"
    rf"(?:(?:'m|am|'ve|have|was|got|grew)? ?{ADVERBS}(?:been )?(?:(?:getting|growing|gotten|grown|become|got) )?"
    rf"{ADVERBS}(?:[a-z]+ly )?(?:sick(?: and tired)? of|tired of|weary of|bored (?:of|with|by)|fed up (?:with|of)))|"
    rf"(?:'m|am) {ADVERBS}over|(?:'ve|have)? ?{ADVERBS}(?:cooled (?:off )?(?:on|towards?)|soured on|outgrown|outgrew|"
    r"(?:fallen|fell) out of love with|turned my back on|(?:quit|stopped) (?:liking|enjoying|loving)|"
    rf"lost (?:all |much of )?my {_LOVES} for)|(?:'m|am|'ve|have|got)? ?{ADVERBS}burn(?:ed|t) out on|"
    rf"(?:'ve|have)? ?(?:gone|went) (?:right|way|a bit|rather|quite|clean) off)"
)
_VISITS: Final = (
    r"(?!(?:see|visit|help|collect|pick|eat|play|watch|fix|say|tell|talk|think|believe|accept|agree|borrow|drop|"
    r"get|give|"
    r"return|check|have|do|make|be|work|ask|look|stay|meet|chat|cook)\b)(?!\S+'s\b)"
)
_FOND: Final = (
    rf"(?:(?:'ve|have)? ?{ADVERBS}(?:come (?:a)?round to (?:liking |loving |enjoying )?+{_ONE}{_VISITS}|warmed "
    rf"(?:up )?to |taken to (?=\w+ing\b)|"
    rf"(?:acquired|developed|discovered|gained) (?:a |an )?(?:new |real |great |whole new )*{_LOVES} (?:for|of) |"
    rf"(?:fallen|fell) (?:back )?in love with )|(?:just )?(?:can't|cannot) get enough of |"
    rf"(?:have|'ve got|'ve always had|'ve) {ADVERBS}a (?:real |big |huge )?(?:soft spot|weakness|thing|passion) for |"
    rf"(?:'m|am) {ADVERBS}(?:an? (?:absolute |total |real )?(?:sucker for|convert to)|partial to) (?:a )?(?:good )?|"
    rf"(?:'m|am|'ve been|have been) {ADVERBS}digging )"
)
#: People by what they like; an adjective in its place says how they are.
_LOVER: Final = r"(?:lover|fan|enthusiast|aficionado|buff|devotee)"
_HOW: Final = (
    r"(?!(?:big|huge|massive|real|total|keen|avid|great|new|true|nice|good|bad|morning|night|day|evening|people|"
    r"quiet|"
    r"private|shy|different|better|happy|good|calm|fair|former|lifelong|dog|cat|ceiling|of)\b)"
)


def _of(*, likes: bool, does: Said = Said.ADD) -> Callable[[Found], Fact | None]:
    """Return what builds the taste for the thing of a frame."""
    return lambda found: taste_of(found, found.group("what") or found.group("other"), likes=likes, does=does)


_ends = _of(likes=True, does=Said.END)
_likes = _of(likes=True)
_dislikes = _of(likes=False)


def _turned(found: Found) -> Iterator[Fact]:
    """Yield what was liked and what is now."""
    old = taste_of(found, found.group("what") or found.group("old"), likes=True, does=Said.END)
    if old is None:
        return
    yield old
    now = found.group("new") or found.group("now")
    new = taste_of(found, now, likes=True, does=Said.ADD) if now else None
    if new is not None:
        yield replace(new, rule="taste.likes")


def _less(found: Found) -> Fact | None:
    fact = _ends(found)
    return (
        None if fact is None else replace(fact, content=f"{found.who} likes {fact.payload['concept']} less than before")
    )


#: The frames of tastes that turned; what is over stands before what is not liked.
FRAMES: Final[tuple[Frame, ...]] = (
    frame(
        "taste.turned",
        "used shifted changed moved",
        rf"{_LEADS}{_KIND} used to be {ADVERBS}(?:one of )?my (?:\w+ )?(?:thing|jam|cup of tea|passion|"
        rf"obsession|go-to|"
        rf"favou?rites?(?: \w+)?)\b(?:,? (?:but )?(?:now|these days|lately|today),? (?:it's|it is|that's|I'm "
        rf"(?:all about|"
        rf"into)|I (?:prefer|love|like)) (?P<new>{_ONE}[^.!?;:,]{{2,40}}?){STOP})?|"
        rf"\bmy tastes? (?:has|have) {ADVERBS}(?:shifted|changed|moved(?: on)?|gone) from "
        rf"(?P<old>{_ONE}[^.!?;:,]{{2,40}}?) "
        rf"to (?P<now>{_ONE}[^.!?;:,]{{2,40}}?){STOP}",
        _turned,
        0.9,
    ),
    frame(
        "taste.lost",
        "lost losing worn wearing anymore longer more these now used",
        rf"{_LEADS}{_KIND} (?:(?:(?:has|have) |(?:is|are) )?{ADVERBS}(?:lost|losing) (?:all |much of |most of |"
        rf"some of )?"
        r"(?:its|their|his|her) (?:old |whole )?(?:charm|appeal|magic|shine|lustre|luster|allure|attraction|"
        r"sparkle|edge|"
        rf"thrill) (?:for|on|to) me\b|{_DOESNT}{_DRAWS}{_NOW}|{_ISNT}{_MINE}{_NOW}|(?:is|are) {ADVERBS}no longer "
        rf"{_MINE}|{ADVERBS}no longer {_DRAWS})",
        _ends,
        0.9,
    ),
    frame(
        "taste.lost",
        "novelty",
        rf"\bthe novelty of (?P<what>{_ONE}[^.!?;:,]{{2,40}}?) (?:has |is )?{ADVERBS}(?:worn|wearing|wore) off\b",
        _ends,
        0.85,
    ),
    frame(
        "taste.less",
        "less",
        rf"\bI(?:'ve been|'m| am|'ve| have)? ?{ADVERBS}(?:enjoy(?:ing|ed)?|lik(?:e|ing)|lov(?:e|ing)|"
        rf"appreciat(?:e|ing)) "
        rf"(?P<what>{_ONE}[^.!?;:,]{{2,40}}?) (?:a lot |much |so much |far )?less(?: and less)?{_LESS_NOW}",
        _less,
        0.85,
    ),
    frame(
        "taste.less",
        "much keen into fond",
        rf"\bI(?:'m| am)? ?{ADVERBS}(?:(?:don't|do not|can't) {ADVERBS}(?:like|enjoy|love|care for) "
        rf"(?P<what>{_ONE}[^.!?;:,]{{2,40}}?) (?:as|so|nearly as) much{_LESS_NOW}(?<!much)|"
        rf"not (?:quite |nearly )?(?:as|so) (?:keen on|into|fond of|big on) (?P<other>{_ONE}[^.!?;:,]{{2,40}}?)"
        rf"(?: {_BEFORE}| (?:any ?more|any longer)\b))",
        _less,
        0.85,
    ),
    frame(
        "taste.off",
        "enough fill had tired sick weary bored fed over cooled soured outgrown outgrew love back quit stopped "
        "lost burned "
        "burnt off",
        rf"\bI(?: |(?=')){_WEARY} {_THING}",
        _ends,
        0.85,
    ),
    frame(
        "taste.dislikes",
        "isn't aren't not never doesn't don't leaves leave bores bore",
        rf"{_LEADS}{_KIND} (?:{_ISNT}{_MINE}|{_DOESNT}{_DRAWS}|{ADVERBS}leaves? me cold|{ADVERBS}bores? me)"
        r"(?= at all\b|\W*$|[.,;:!]|\s[-–—]| (?:and|but|because|since|so|though|really|either|now)\b)",
        _dislikes,
        0.85,
    ),
    frame(
        "taste.likes",
        "grown growing grew won captured stolen captivated jam thing obsession alley",
        rf"{_LEADS}{_KIND} (?:(?:(?:has|have|is|are) )?{ADVERBS}(?:been )?(?:(?:grown|growing|grew) on me|won "
        rf"me over|"
        rf"captured my "
        r"(?:attention|heart|imagination)|stolen my heart|captivated me)|"
        rf"(?:is|are) {ADVERBS}(?:right up my alley|my (?:new |latest |current )?(?:jam|thing|obsession)))\b",
        _likes,
        0.85,
    ),
    frame(
        "taste.likes",
        "round around warmed taken acquired developed discovered gained love enough soft weakness thing passion "
        "sucker "
        "convert partial digging",
        rf"\bI(?: |(?=')){_FOND}{_THING}",
        _likes,
        0.8,
    ),
    frame(
        "taste.likes",
        "day time",
        rf"(?:^(?:(?:well|so|honestly|personally|just),? )*give me|\bI(?:'d| would) (?:always |still )?(?:take|"
        rf"choose|pick)) "
        rf"(?P<what>{_ONE}[^.!?;:,]{{2,40}}?) over [^.!?;:,]{{2,40}}? any ?(?:day|time)\b",
        _likes,
        0.85,
    ),
    frame(
        "taste.likes",
        "lover fan enthusiast aficionado buff devotee person",
        rf"\bI(?:'m| am|'ve (?:always )?been|'ve become| became) {ADVERBS}(?:such )?(?:an? (?:(?:big|huge|"
        rf"massive|real|"
        rf"total|keen|avid|great|true|lifelong|die-hard) )*+(?P<what>{_HOW}(?:[\w'’-]+ )??[\w'’-]+) {_LOVER}|"
        rf"more of an? (?P<other>{_HOW}[\w'’-]+) (?:person|lover|fan|drinker|eater))\b(?! of\b)",
        _likes,
        0.8,
    ),
)
