"""How English asks for a sum, a count, a list, a comparison with a goal, or a time.

Guarantees: pure; what stands in quotation marks asks for nothing, and neither does a statement. Asked is what happened
or what there is, not what something costs, takes or is like: "how much is the rent" is one fact and no sum.
"""

from __future__ import annotations

import re
from typing import Final

from marskg.language.en.time_words import mentions
from marskg.language.questions import GOALS, Asked, Wanted
from marskg.language.times import LONGEST, Unit
from marskg.late_regex import late_regex
from marskg.text import term_set, terms

_QUOTED: Final = late_regex(r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']{2,}'(?!\w)|«[^»]*»")
_LEAD: Final = (
    r"^\W*(?:(?:and|so|but|ok|okay|hey|hi|please|also|now|then)\b,? )*"
    r"(?:(?:can|could|would|will|do|did) you (?:please )?(?:tell me|remember|know|remind me|say|list|show me)? ?"
    r"|(?:please )?(?:tell me|remind me|i(?:'d like| want| need) to know)(?: again)? )?(?:please )?"
)
_SELF: Final = r"(?:i|we|you|he|she|they|it|my|our|the|his|her|their|team|[a-z]+(?: and [a-z]+)?)"
_UNITS: Final = (
    r"(?:k(?:ilo)?m(?:et(?:re|er)s?)?|miles?|met(?:re|er)s|steps|hours?|minutes?|seconds|calories|kcal|lit(?:re|er)s?|"
    r"glasses|cups|euros?|dollars?|pounds|francs|pages|words|points|kilos?|kg|grams|laps|reps|percent)"
)
_FLOW: Final = (
    r"(?:spen[dt]|pa(?:y|id)|earn(?:ed)?|invoiced?|bill(?:ed)?|sav(?:e|ed)|donat(?:e|ed)|owe[ds]?|withdr[ae]wn?|invest(?:ed)?|"
    r"dr[iau]nk|eat(?:en)?|ate|[rw]an|run|walk(?:ed)?|cycled?|sw[iau]m|slept|sleep|work(?:ed)?|lift(?:ed)?|tip(?:ped)?|use[d]?|"
    r"lost|lose|gain(?:ed)?|raised?|made|make|sold|sell|bought|buy|read|consumed?|charged?|log(?:ged)?|budgeted|"
    r"practis(?:e|ed|ing)|practic(?:e|ed|ing)|stud(?:y|ied)|dr[io]ven?|drive|transfer(?:red)?|receiv(?:e|ed)|lent|borrow(?:ed)?)"
)
_TOTAL: Final = r"(?:in total|altogether|all together|in all|all in all|overall|combined|on average|so far)"
_AUXILIARY: Final = r"(?:am|are|is|was|were|have|has|had|did|do|does|will)"
_WHAT_IS: Final = r"what(?:'s| is| was) "
_WORK_OUT: Final = "give me |show me |calculate |work out "
_MINE: Final = r"(?:my|our|his|her|their|\w+'s)"
_TO: Final = r"(?:in |at |to |for |with |from )?"
#: What a thing has or takes, which is one fact and no count.
_OF_A_THING: Final = r"(?:the|a|an|this|that|one) [\w ]*(?:have|need|take|require|contain|hold|use)\b"
_NOUNS: Final = r"(?!(?:of|size|kind|type|sort|colou?r|is|was|are|were|do|does|did)\b)(?:[\w+/-]+ ){0,3}?"
_OWN: Final = r"(?:my|our|his|her|their|the|[a-z]+'s)"
_GOAL: Final = r"\b(?:goals?|targets?|budgets?|limits?|quotas?|allowances?|objectives?)\b"
_AGAINST: Final = (
    r"\b(?:meet(?:ing)?|met|reach(?:ed|ing)?|hit(?:ting)?|exceed(?:ed|ing)?|over|under|within|below|above|on track|"
    r"left|remain(?:s|ing)?|stick(?:ing)?|stuck|(?:keep|kept|keeping) (?:to|within)|stay(?:ed|ing)?|close|far|behind|"
    r"ahead|against|compared?|achiev(?:e|ed|ing)|short of|used up|still|on target|until|doing)\b"
)
_SPAN: Final = r"(?:day|weekday|week|month|quarter|year)"
_PLURAL: Final = (
    r"(?:people|children|men|women|feet|mice|(?!(?:is|was|has|does|this|us|its|as|yes)\b)[a-z][a-z-]*[^su\W]s)\b"
)
_TASTE: Final = "(?:like|love|prefer|enjoy|hate|dislike)"
_DONE: Final = (
    r"(?:buy|bought|order(?:ed)?|read|watch(?:ed)?|visit(?:ed)?|eat(?:en)?|cook(?:ed)?|receive[d]?|own|plant(?:ed)?)"
)
_HELP: Final = (
    r"(?:do|does|did|have|has|had|am|are|were|is|was|can|could|should|will|would|need|remain|belong|[a-z]+ed)"
)


#: In this order: the first that is found, after what leads up to a question, says what is asked for.
_WAYS: Final[tuple[tuple[Wanted, str], ...]] = (
    (Wanted.COMPARE, rf"{_AUXILIARY}\b.*{_AGAINST}.*{_GOAL}"),
    (Wanted.COMPARE, rf"{_AUXILIARY}\b.*{_GOAL}.*{_AGAINST}"),
    (Wanted.COMPARE, rf"how (?:much|many|well|am|are|is|do|long)\b.*{_AGAINST}.*{_GOAL}"),
    (Wanted.COMPARE, rf"how (?:far|close)\b.*{_GOAL}"),
    (Wanted.COMPARE, rf"how (?:much|many)\b.*{_GOAL}.*\b(?:left|remain\w*|used up|still)\b"),
    (Wanted.COMPARE, rf"what(?:'s| is| was) (?:left|remaining) (?:of|in|from) .*{_GOAL}"),
    (Wanted.COMPARE, r"how much (?:more )?(?:can|could|may) (?:i|we) still (?:spend|use|drink|eat|pay)\b"),
    (Wanted.SUM, rf"(?:in |on )?(?:which|what) {_SPAN}\b.*\b(?:most|least|highest|lowest|more|less)\b"),
    (Wanted.WHEN, r"(?:by|since|until|till|from|after|before)? ?when(?:'s|'re)?\b"),
    (Wanted.WHEN, rf"(?:(?:by|since|until|on|in|at|around) )?(?:what|which) (?:exact )?(?:{_SPAN}|date|time)s?\b"),
    (Wanted.WHEN, r"(?:how long ago|since when|what(?:'s| is| was) (?:the )?(?:last|first|next) time)\b"),
    (Wanted.SUM, rf"how (?:much|many)\b.*\b{_TOTAL}\b"),
    (Wanted.SUM, r"how (?:much|many) total\b"),
    (Wanted.SUM, rf"how much\b.*\b(?:did|have|has|had|do) {_SELF}\b.*\b{_FLOW}\b"),
    (Wanted.SUM, rf"how much (?:i|we) {_FLOW}\b"),
    (Wanted.SUM, rf"{_AUXILIARY} {_SELF} {_FLOW} (?:more|less)\b.*\bthan\b"),
    (Wanted.SUM, r"how much (?:\w+ )?went (?:to|into|on)\b"),
    (Wanted.SUM, rf"how many {_UNITS} (?:of \w+ )?(?:did|have|has|had|do|went)\b"),
    (Wanted.SUM, rf"what (?:did|have|has|had) {_SELF} (?:spen[dt]|pa(?:y|id)|earn(?:ed)?)\b"),
    (Wanted.SUM, rf"what do(?:es)? (?:all )?{_OWN} .* (?:add up|sum up|come|amount) to\b"),
    (
        Wanted.SUM,
        rf"(?:{_WHAT_IS}|what'?re |what are |what were )?{_MINE} (?:grand )?(?:total|sum|overall|combined|average)\b",
    ),
    (
        Wanted.SUM,
        rf"(?:{_WHAT_IS}|{_WORK_OUT})?(?:the )?(?:grand total|average of {_MINE}\b)",
    ),
    (Wanted.SUM, rf"(?:{_WHAT_IS}|{_WORK_OUT})?(?:the )?(?:total|sum) (?:of|for|amount|cost|spend|hours|number)"),
    (Wanted.SUM, r"(?:add|sum|total|tot)(?: up)? (?:all |everything|my |our |the (?!number))"),
    (Wanted.SUM, r"(?:total|overall|combined) [a-z]+"),
    (Wanted.COUNT, rf"(?:in |on |at |for |to |with )?how many\b(?!.*\bdo(?:es)? {_OF_A_THING})"),
    (Wanted.COUNT, r"how often (?:did|have|has|had|was|were)\b"),
    (Wanted.COUNT, rf"(?:{_WHAT_IS}|give me )?(?:the )?(?:total )?(?:number|count) of\b"),
    (Wanted.COUNT, r"count (?:all |up )?(?:the|my|our|how)\b"),
    (Wanted.LIST, r"(?:list|enumerate|name|show me|give me|tell me)\b.{0,12}\b(?:all|every|each|everything)\b"),
    (Wanted.LIST, r"(?:list|enumerate) (?:the|my|our|his|her|their|[a-z]+'s)\b"),
    (Wanted.LIST, r"(?:give|show|make|write) me (?:a|the|my) (?:full |complete |whole )?list of\b"),
    (Wanted.LIST, rf"show me {_MINE} (?:\w+ ){{0,2}}{_PLURAL}"),
    (Wanted.LIST, rf"{_TO}which of (?:my|our|his|her|their|the (?!two|three|both))\b.*\b(?:are|were|have|do|did)\b"),
    (
        Wanted.LIST,
        rf"{_TO}(?:which|what) (?:else |other )?{_NOUNS}{_PLURAL}(?: of (?:the |my |our )?[\w ]+?)? {_HELP}\b",
    ),
    (Wanted.LIST, rf"(?:what|which) (?:[\w-]+ ){{1,3}}do (?:i|we) {_TASTE}\b(?! (?:best|most|more)\b)"),
    (Wanted.LIST, r"(?:what|which) (?:kinds|types|sorts) of\b"),
    (Wanted.LIST, rf"what (?:are|were) (?:all |the names of |{_MINE} (?:[\w']+ ){{0,3}}?{_PLURAL})"),
    (Wanted.LIST, r"what(?: else)?(?:'s| is)(?: \w+)? on (?:my|our|his|her|their|the) [\w -]*list\b"),
    (Wanted.LIST, rf"what (?:did|have|do) (?:i|we) {_DONE}\b(?! (?:about|as|for)\b)"),
)
_PATTERNS: Final = tuple((wanted, late_regex(_LEAD + way)) for wanted, way in _WAYS)

#: Words that say how something is asked, not of what.
_FORM: Final = (
    "many much total sum add number count often times time list enumerate name names show give tell remind cv "
    "remember know please overall combined altogether average grand far currently current upcoming coming remain "
    "remaining "
    "last next first open due everything every each whole full complete things thing one ones spend spent spending "
    "pay paid cost costs money cash amount earn earned got take taken took make made had went go gone come still "
    "meet meeting met reach hit exceed track left stick keep "
    "stay close behind ahead compared achieve until able well week month year day quarter date least highest "
    "lowest less different ever already see say told tell us put let old new main per daily weekly monthly yearly "
    "like love enjoy prefer use used set kind kinds type types sort sorts ago since long yet today now moment"
)
_WEAK: Final = "event item entry"
_SPEND: Final = "expense spending spend cost purchase payment bill shopping"
_EARN: Final = "income salary wage revenue earning payout refund"
_SPENDING: Final = late_regex(r"\b(?:spen[dt]|spending|expens\w+|paid|pay|cost|money)\b")
_EARNING: Final = late_regex(r"\b(?:earn(?:ed|ings?)?|income|salary)\b")
_OR: Final = late_regex(r",| and | or | plus | vs\.? | versus | than | as well as ")
_BY: Final = late_regex(rf"\b(?:which|what|per|each|every|by|how many) ({_SPAN})s?\b")


def asks(question: str) -> Asked | None:
    """Return what an English question asks for."""
    if len(question) > LONGEST:
        return None
    written = _QUOTED.sub(" ", question.replace("’", "'"))
    text = " ".join(written.lower().split())
    wanted = next((wanted for wanted, pattern in _PATTERNS if pattern.search(text)), None)
    if wanted is None:
        return None
    for mention in mentions(written):
        written = written.replace(mention.words, " ")
    form = term_set(_FORM) | term_set(GOALS) if wanted is Wanted.COMPARE else term_set(_FORM)
    topics = tuple(found for part in _OR.split(written.lower()) if (found := _topic(part, form)))
    generic, never = frozenset[str](), frozenset[str]()
    if wanted in {Wanted.SUM, Wanted.COMPARE}:
        if _SPENDING.search(text):
            generic, never = term_set(_SPEND), term_set(_EARN)
        elif _EARNING.search(text):
            generic, never = term_set(_EARN), term_set(_SPEND)
    by = _BY.search(text) if wanted in {Wanted.SUM, Wanted.COMPARE} else None
    unit = None if by is None else Unit(by[1].removeprefix("week")) if by[1] == "weekday" else Unit(by[1])
    return Asked(wanted, topics, generic, never, _names(written), unit)


def _topic(part: str, form: frozenset[str]) -> tuple[str, ...]:
    """Return the index terms of what is asked about, each once; "events" alone says what, beside others nothing."""
    found = dict.fromkeys(term for term in terms(part) if term not in form)
    return tuple(term for term in found if term not in term_set(_WEAK)) or tuple(found)


def _names(written: str) -> tuple[str, ...]:
    """Return the index terms of the words that are written as names: capitals in the middle of a sentence."""
    words = re.findall(r"[A-Za-z][\w'-]*", written)
    if sum(word[0].isupper() for word in words) * 2 > len(words):  # Written Like a Title, or all in capitals
        return ()
    found = re.findall(r"(?<=[\w,'] )(?!I\b)[A-Z][\w'-]+", written)
    return tuple(dict.fromkeys(term for name in found for term in terms(name.removesuffix("'s"))))
