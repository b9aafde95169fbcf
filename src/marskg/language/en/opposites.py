"""Words that take a side: pairs of opposites, negations, and how people say that something holds no more.

Guarantees: plain tables of English, each word on one axis and on one side of it. The lists are those of everyday
statements about oneself (what one likes, what is on, open, allowed, possible); a word that takes sides only in some
company ("cool", "sharp") is left out, because a wrong conflict costs more than a missed one.
Words stand as stems of :func:`marskg.text.terms`, so that all inflections meet.
"""

from __future__ import annotations

from typing import Final

from marskg.language.clause_words import sides

_LIKING: Final = (
    "like love enjoy prefer adore appreciate favor favour fond fan keen cherish fascinating fascinated captivating "
    "captivated amazing beautiful stunning gorgeous delightful obsessed passionate drawn gravitating favorite "
    "favourite inspiring"
)
_DISLIKING: Final = (
    "dislike hate loathe detest despise abhor resent boring bored overrated tedious tiresome unbearable awful terrible "
    "horrible avoid disappointing disappointed uninspiring repetitive predictable dated"
)
#: Axis, the words of one side, the words of the other.
_PAIRS: Final = (
    ("liking", _LIKING, _DISLIKING),
    ("holding", "confirm confirmed", "cancel cancelled canceled scrap scrapped"),
    ("opening", "open opened reopen reopened", "closed close shut shuttered"),
    ("agreement", "agree accept accepted approve approved", "disagree decline declined reject rejected refuse refused"),
    ("permission", "allow allowed permit permitted", "forbid forbidden ban banned prohibit prohibited"),
    ("running", "start started begin began resume resumed", "stop stopped quit cease ceased halt halted"),
    ("presence", "available", "unavailable"),
    ("switch", "enable enabled activate activated", "disable disabled deactivate deactivated"),
    ("direction", "increase increased rise rose", "decrease decreased shrink shrank"),
    ("success", "win won pass passed succeed succeeded", "lose lost fail failed"),
    ("truth", "true correct", "false incorrect untrue"),
    ("marriage", "married", "divorced unmarried"),
    ("employment", "employed hired", "unemployed fired dismissed"),
    ("possibility", "possible", "impossible"),
    ("safety", "safe", "unsafe dangerous"),
    ("trust", "trust", "distrust mistrust"),
    ("completion", "finished complete completed", "unfinished incomplete pending"),
)

_DENIALS: Final = (
    "not no never none neither nor nobody nothing cannot hardly isn't aren't wasn't weren't don't doesn't didn't can't "
    "couldn't won't wouldn't shouldn't hasn't haven't hadn't isnt dont doesnt didnt cant wont"
)
#: Words that deny what their clause says.
NEGATIONS: Final = frozenset(_DENIALS.split())


#: The axis of an index term and its side, 1 or -1; None for a term that takes none.
side: Final = sides(_PAIRS)
