"""What statements are told apart by: values of which there is one at a time, endings, exclusions and denials.

Guarantees: plain tables and patterns of English, as :mod:`marskg.language.en.opposites` is;
:mod:`marskg.learning.rules.rebuttal` judges by them.
"""

from __future__ import annotations

import re
from typing import Final

from marskg.late_regex import late_regex

CLAUSE_BREAKS: Final = late_regex(
    r"(?:[,;:]|\s[-–—])\s+(?!which\b|who\b|that\b)|"
    r",?\s+(?:and|but|so|because|since|although|though|while|when|as long as)\s+",
    re.IGNORECASE,
)
POINTS_BACK: Final = late_regex(
    r"^(?:(?:yes|no|well|then|currently|now|that is|that's)\b[,.]?\s*)?"
    r"(?:he|she|it|they|this|that|his|her|its|their|there|you|your|i|my|we|our)(?:'s|'re|'ll|'d)?\b"
)
_MONTH: Final = (
    "january february march april may june july august september october november december jan feb mar apr jun jul aug "
    "sep oct nov dec"
)
IN_MONTH: Final = late_regex(rf"\b(?:in|until|till|by|since|from|next|last|this|end of) ({'|'.join(_MONTH.split())})\b")
OFTEN: Final = late_regex(
    r"\b(?:(?P<times>once|twice|two times|three times|four times|five times|six times) (?:a|per|every|each) |"
    r"(?:every|each|once an?) )(?P<span>day|week|month|year|hour)\b|\b(?P<ly>daily|weekly|monthly|yearly|hourly)\b"
)
HOW_OFTEN: Final = {
    "once": 1,
    "twice": 2,
    "two times": 2,
    "three times": 3,
    "four times": 4,
    "five times": 5,
    "six times": 6,
}
SPANS: Final = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "hourly": "hour"}
#: What has one value at a time, by what it is: the words before it, and the value as a name or a noun.
_WHERE: Final = (
    r"(?:liv(?:e|es|ing)|resid(?:e|es|ing)|mov(?:e|es|ed|ing)|located|takes? place|held|lands?|landing|arrives?|"
    r"is|are|was|will be)"
)
RELATIONS: Final = (
    ("place", late_regex(rf"^(?P<who>.*?)\b{_WHERE} (?:in|at|on|to) (?:the )?(?P<value>[A-ZÀ-Ý][^,.;]*)")),
    ("work", late_regex(r"^(?P<who>.*?)\b(?:works?|working|employed) (?:at|for|in|as|by) (?P<value>[^,.;]+)")),
    ("birth", late_regex(r"^(?P<who>.*?)\b(?:was |were )?born in (?P<value>[A-ZÀ-Ý\d][^,.;]*)")),
    ("study", late_regex(r"^(?P<who>.*?)\b(?:stud(?:y|ies|ying)) (?P<value>[^,.;]+)")),
    ("name", late_regex(r"^(?P<who>.*?)\b(?:called|named) (?P<value>[A-ZÀ-Ý][^,.;]*)")),
    ("lead", late_regex(r"^(?P<who>.*?)\b(?:led|run|managed|headed) by (?P<value>[A-ZÀ-Ý][^,.;]*)")),
    ("code", late_regex(r"^(?P<who>.*?)\b(?:is|are|was)(?: now)? (?P<value>\S*\d\S*|\S+@\S+)$")),
)
ASKS_WHERE: Final = late_regex(r"^where\b", re.IGNORECASE)
PLACE_ALONE: Final = late_regex(r"^(?:[Ii]n|[Aa]t) (?:the )?[A-ZÀ-Ý]")
ENDED: Final = late_regex(
    r"\b(?:no longer|any ?more|any longer|used to|gave up|given up|give up|quit|stopped|sold|got rid of|gotten rid of|"
    r"cancel(?:s|led|ed|ling)?|resigned|call(?:s|ed)? off|dropped out)\b"
)
NO_LONGER: Final = late_regex(r"\b(?:no longer|any ?more|any longer|used to)\b")
GOES_ON: Final = late_regex(r"\b(?:still|again|continues?|keeps?)\b")
LASTING: Final = "have has own do does go drive longer anymore still again continue keep year last"
#: Words that exclude each other where all else is the same; in one row each goes against each in another group.
EXCLUSIVE: Final = tuple(
    tuple(frozenset(group.split()) for group in row)
    for row in (
        ("left", "right"),
        ("first", "second", "third", "fourth", "fifth"),
        ("less fewer", "more"),
        ("broken defective jammed cracked", "works working fixed repaired intact"),
        ("alone", "shares share sharing together"),
        ("gone empty none", "left remaining"),
        ("red", "blue", "green", "yellow", "black", "white", "grey gray", "brown", "orange", "pink", "purple"),
        ("before", "after"),
        ("hot warm", "cold"),
        ("big large", "small little"),
        ("early", "late"),
        ("cheap", "expensive"),
        ("with", "without"),
        ("married", "single"),
        ("morning", "afternoon", "evening", "night"),
        ("indoors inside", "outdoors outside"),
        ("upstairs", "downstairs"),
        ("north", "south", "east", "west"),
        ("gain", "lose"),
    )
)
ORDINAL: Final = late_regex(r"^(\d+)(?:st|nd|rd|th)$")
DAYS: Final = late_regex(r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day)s\b")
#: Words that deny, or take a side, in no more than form.
NO_DENIAL: Final = late_regex(
    r"\b(?:(?:don't|do not|never) forget(?: to)?|no (?:doubt|problem|worries|wonder)|not only|can't wait(?: to)?|"
    r"why not|(?:un)?likely)\b"
)
#: Who says it, where a memory keeps what somebody said.
REPORTED: Final = late_regex(
    r"^(?:(?:the|my|his|her|their|our) )?[\w'-]+ (?:said|says|told \w+)(?: that)? ", re.IGNORECASE
)
HATE: Final = late_regex(r"\b(?:can't|cannot|can not|couldn't) (?:bear|stand|abide)\b|\bnot (?:a fan|fond) of\b")
#: Of two things the one that is liked more, and the other.
PREFERRED: Final = late_regex(
    r"\bprefer(?:s|red|ring)? (?P<more>[^,.;]+?) (?:over|to|rather than|instead of|more than) (?P<less>[^,.;]+)"
)
OF_THE_USER: Final = "user find finds think thinks really very"
