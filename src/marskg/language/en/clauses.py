"""English, as far as contradictions are found in it: see :mod:`marskg.language.clause_words`.

Guarantees: plain tables and patterns. "Used to", "no longer" and "stopped …-ing" deny like "not" does.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from marskg.language.clause_words import (
    Aims,
    Attributes,
    Changes,
    ClauseWords,
    Negation,
    Tasks,
    Unasserted,
    said,
)
from marskg.language.en.opposites import NEGATIONS, side
from marskg.late_regex import late_regex
from marskg.text import STOPWORDS, terms

#: Words by which English is known, beside its stop words.
_FUNCTION: Final = (
    "no not yes the user user's likes dislikes like dislike loves hates lives live works work longer anymore never "
    "always used cannot nothing nobody everything still now today tomorrow yesterday per via within without unless "
    "should must might shall may could than upon has been were who's there's project budget deadline steps week month "
    "year days goal expenses task status meeting drinks eats plays speaks goes makes takes uses wants needs"
)
_STOPPED: Final = (
    r"\b(?:has |have |had |'ve |'s )?(?:stopped|quit|ceased|given up|gave up) (?!(?:boring|being)\b)(?=[a-z]+ing\b)"
)
_USED_TO: Final = (
    r"(?<!\bis )(?<!\bare )(?<!\bam )(?<!'m )(?<!'s )(?<!'re )(?<!\bwas )(?<!\bwere )(?<!\bbe )(?<!\bget )"
    r"(?<!\bgot )(?<!\bgetting )(?<!\bbeen )\bused to\b"
)
_PERIOD: Final = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|"
    r"winter|month|year|week)"
)
#: When somebody stopped does not narrow what was stopped; what does not hold until then does not hold now.
_STOPPED_IN: Final = rf"(\b(?:stopped|quit|gave up|given up)\b.{{1,60}}?) (?:in|last|this) {_PERIOD}(?: \d{{4}})?$"
_UNTIL_THEN: Final = rf"\buntil (?:next |the end of |late |early )?(?:{_PERIOD}|further notice)\b"
#: Phrases whose words say something else together, and a word that says the same. Order matters.
_PHRASES: Final = said(
    *(
        (r"\b(?:feel|look|sound|seem|taste|smell)(?:s|ed|ing|t)? like\b", " "),
        (r"\b(?:would|i'd|you'd|he'd|she'd|we'd|they'd) (?:like|love) to\b", " "),
        (r"\b(?:things|something|stuff|ones|it's|that's|is) like (?=how|a|an|when|if|the)\b", " "),
        (r"\bspeaking of [^,]{1,60},", " "),
        (r"\bno (?:doubt|question|problem|worries|wonder)\b(?: that\b)?|\bwithout (?:fail|question|a doubt)\b", " "),
        (r"^(?:yes|yeah|oh|okay|ok)\b[,!.]*|^no[,!.]+", " "),
        (_STOPPED_IN, r"\1"),
        (_STOPPED, " no longer "),
        (_USED_TO, " no longer "),
        (_UNTIL_THEN, " "),
        (r"\b(?:since|as of|starting(?: from)?) (?:last |next |this )?[a-z]+(?: \d{1,4})?$", " "),
        (r"\b(?:can't|cannot|can not|couldn't) stand\b", " hate "),
        (r"\b(?:gone|went|going|go) off\b(?! (?:to|on|at)\b)", " dislike "),
        (r"\b(?:sick|tired|weary) of\b|\blost (?:all |my |her |his )?interest in\b", " dislike "),
        (r"\b(?:isn't|aren't|not|wasn't|weren't) (?:really |quite )?doing it for\b", " dislike "),
        (r"\bcar(?:e|es|ed|ing) (?:much |really )?for\b", " like "),
        (r"\b(?:really|so|very|totally|been|get|got|getting|am|i'm|was|be|all|more|quite|super) into\b", " like "),
        (r"\ball about\b|\blean(?:s|ed|ing)? towards?\b|\b(?:captur|impress)(?:es|ed|ing) me\b", " like "),
        (r"\bcall(?:s|ed|ing)? (?:it )?off\b", " cancel "),
        (r"\bput(?:s|ting)? off\b", " postpone "),
        (r"(?<!\d)['’]?([2-9]0)s\b", r" 19\1s "),
    )
)
_ENDED: Final = late_regex(r"\b(?:used to|no longer|any ?more|any longer|not any)\b")
_SPLIT: Final = late_regex(
    r"[,.]?\s+\b(?:but|although|though|whereas|however|while)\b,?\s+|;\s+|\s[-–—]\s|,\s+(?=(?:which|who)\b)|"
    r",\s+(?=(?:i|i've|i'm|he|she|we|they|it|it's|he's|she's|my|now|and (?:i|now|lately))\b)"
)
#: Nouns that have one value at a time, in "my <noun> is <value>".
_ONE_VALUED: Final = (
    r"(?:name|address|birthday|age|e-?mail(?: address)?|phone(?: number)?|job|job title|employer|boss|manager|deadline|"
    r"budget|price|salary|status|venue|location|password|size|weight|height|hometown|nationality|"
    r"favou?rite [a-z]+(?: [a-z]+)?)"
)
_OWNER: Final = r"(?:\b(?:my|your|his|her|their|our|its)|'s)"
_IS: Final = r"(?:is|will be)(?: now| currently)? (?P<value>\S.*?)(?: now| currently| these days)?$"
_COPULA: Final = late_regex(
    rf"^(?P<who>.{{0,60}}?{_OWNER} {_ONE_VALUED}) "
    r"(?:is|are|was|will be)(?: now)? (?!to\b)(?P<value>\S.*)$",
    re.DOTALL,
)
#: Of what is called so there is one, whatever its value is.
_SOLE: Final = late_regex(r"\b(?:default|main|primary|current|official|preferred|only|chief)\b")
#: "The X of Y is Z", "Y's X is Z", "the Y X is Z".
_OPEN: Final = (
    late_regex(
        rf"^(?P<who>(?:the|our|my|your|his|her|their|its) (?:[\w-]+ ){{0,3}}?(?P<head>[\w-]+) of .{{1,40}}?) {_IS}"
    ),
    late_regex(rf"^(?P<who>.{{1,40}}?(?:'s|s') (?:[\w-]+ ){{0,2}}(?P<head>[\w-]+)) {_IS}"),
    late_regex(rf"^(?P<who>(?:the|our|my|your|his|her|their|its|this) (?:[\w-]+ ){{0,3}}(?P<head>[\w-]+)) {_IS}"),
    late_regex(
        r"^(?P<who>(?:(?:the|our|my|your) |.{1,40}'s )(?:[\w-]+ ){0,2}(?P<head>[\w-]+)) is(?: now)? in (?P<value>\S.*)$"
    ),
)
#: Of these one has several, so that two names stand side by side.
_MANY: Final = frozenset(
    terms(
        "friend colleague coworker teammate classmate roommate sister brother sibling son daughter child kid baby "
        "cousin "
        "aunt uncle niece nephew grandson granddaughter neighbour neighbor pet cat dog hobby interest goal aim problem "
        "issue challenge idea plan task member player customer client partner supplier author contributor sponsor "
        "skill "
        "book song movie film series game example reason benefit advantage part side feature ingredient option "
        "topic theme strength weakness dream wish fan student employee guest thing purpose point highlight candidate "
        "competitor rival reviewer tool"
    )
)
_WHO: Final = r"^(?P<who>(?!(?:the|a|an|my|our|this|that)\b)(?!.{0,60}\b(?:been|was|were|got)\b).{0,40}?)\b"
_WHAT: Final = r"^(?P<who>.{1,60}?) (?:is|are)(?: now| currently)? "
_TO: Final = r" (?P<value>\S.*)$"
#: What somebody or something stands to one thing at a time.
_RELATIONS: Final = tuple(
    (name, late_regex(start + verbs + _TO, re.DOTALL))
    for name, start, verbs in (
        ("lives", _WHO, r"(?:liv(?:e|es|ing)|resid(?:e|es|ing)|moved) (?:in|to)"),
        ("lives", r"^(?P<who>(?:my|our) .{1,40}?)\b", r"(?:liv(?:e|es|ing)|resid(?:e|es|ing)|moved) (?:in|to)"),
        ("works", _WHO, r"work(?:s|ing)? (?:at|for)"),
        ("works", r"^(?P<who>(?:my|our) .{1,40}?)\b", r"works? (?:at|for)"),
        ("born", _WHO, r"born in"),
        ("written", _WHAT, r"(?:written|built|implemented|coded|developed) in"),
        ("hosted", _WHAT, r"hosted (?:on|at|by|with)"),
        ("based", _WHAT, r"(?:based|located) (?:in|at|on)"),
        ("named", _WHAT, r"(?:called|named)"),
        ("married", _WHAT, r"married to"),
        ("led", _WHAT, r"(?:led|run|managed|headed|owned) by"),
    )
)
#: How no name begins.
_VAGUE: Final = late_regex(
    r"(?:a|an|the|my|your|his|her|our|their|its|some|any|this|that|these|those|one|two|three|very|no|so|too|more|less|"
    r"night|home|weekends?|fear|peace|for|in|on|at|to|from|about|of|with|by|as)\b"
)
#: Labels whose values stand side by side although the word is a singular.
_ENTRIES: Final = frozenset(("do", "todo", "note", "reminder", "task", "tip", "idea", "goal", "fact", "memory", "step"))
#: … and those that call themselves a list.
_LISTS: Final = frozenset(("list", "log", "history", "agenda", "schedule", "ledger", "collection"))
_NO_LABEL: Final = frozenset(
    ("include", "including", "includes", "add", "following", "is", "are", "say", "said", "says", "was")
)
_CHANGE: Final = frozenset(
    terms(
        "reschedule rescheduled postpone postponed move moved push pushed shift shifted change changed update updated "
        "revert reverted raise raised lower lowered increase increased reduce reduced cut revise revised adjust "
        "adjusted bump bumped extend extended switch switched replace replaced brought"
    )
)
#: How people state what they aim at, and the words of any such aim, which say nothing of what it is about.
_AIM: Final = late_regex(
    r"\b(?:goals?|target|limit(?:ing)?|aim(?:s|ing)?|at most|no more than|under|below|want to|trying to|start(?:ing)?|"
    r"i'd like to|going to|plan to|keep(?:ing)?)\b"
)
_AIM_WORDS: Final = frozenset(
    terms(
        "goal target limit aim spend spending spent money save saving savings expense expenses cost keep per set "
        "setting try trying help improve fitness health boost energy realistic excited motivated budget more most less "
        "fewer"
    )
)
_PERIODS: Final = frozenset(terms("day daily week weekly month monthly year yearly"))
#: What a pronoun stands before is named elsewhere: "his style" is nobody's in particular.
_BORROWED: Final = late_regex(r"\b(?:his|her|their|its|that|this|those|these) (?:new |latest )?([a-z]+)")
#: A request changes what is at hand ("update the budget to ..."); which one that is, it does not say.
_REQUEST: Final = late_regex(
    r"\bplease\b|\blet's\b|\b(?:can|could|would|will) you\b|\b(?:need|want|like)s? to\b|\bshould be\b|"
    r"^(?:update|change|revert|set)\b"
)
#: What is still to be done, and that it is done or not to be done any more; the words that say so are no topic.
_NEED: Final = late_regex(
    r"\b(?:(?:need|have|has|want|plan|going|supposed|remember|ought) to|must|should|to-?do)\b|^to do\b"
)
_DONE: Final = late_regex(
    r"\b(?:finished|completed|wrapped up|taken care of|took care of|done with|(?:check|cross|tick)ed .{0,80}\boff|"
    r"got .{1,80} done|(?:is|are|it's) (?:all |now )?(?:done|finished|complete))\b"
)
_DROPPED: Final = late_regex(r"\b(?:remove|delete|drop|scratch|strike|cancel|(?:cross|take|check) .{0,120}\boff)\b")
_DONE_WORDS: Final = frozenset(
    terms(
        "finish complete wrap taken took care done check cross tick off remove delete drop scratch strike cancel all "
        "track list"
    )
)
_NOW: Final = late_regex(r"\b(?:is|are|am|it's|i'm|been) now\b|\bnow (?:is|are|scheduled|set|costs?|at|on|it's)\b")
_FROM: Final = late_regex(r"\bfrom (?P<old>.{1,120}?) to (?P<new>.{1,200})$")
_BACK: Final = late_regex(r"\bto (?P<new>.{1,120}?) from (?P<old>.{1,120})$")
_REPLACE: Final = late_regex(r"\breplac(?:e|es|ed|ing) (?P<old>.{1,120}?) (?:with|by) (?P<new>.{1,200})$")
_INSTEAD: Final = late_regex(r"\binstead of (.{1,120})$")
#: Words around a topic that are none: how sure, how much, since when, and what one does to an entry.
_FILLER: Final = frozenset(
    terms(
        "really actually lately recently now still just always often ever honestly truly quite pretty think thought "
        "thinking feel feeling find found know knew come came get got getting go going gone went thing "
        "things bit lot lots much many kind sort way time big little new use used anymore longer even though yes no "
        "please okay want need would can make made mind definitely totally also already today back seem seems say said "
        "reminds remind user one total full calendar scheduled schedule add added reflect entry anyway tend may might "
        "own owns realize realise notice recently"
    )
)
#: What happened once can happen again with other numbers.
_PAST: Final = frozenset(
    (
        "spent", "bought", "paid", "ran", "ate", "drank", "took", "sold", "got", "had", "did", "saw", "read", "wrote",
        "slept", "rode", "swam", "drove", "won", "met", "gave", "sent", "hit", "made", "went", "cost", "today",
        "yesterday",
    )
)  # fmt: skip
#: After these a participle says how somebody is ("really excited"), a verb what somebody means to do ("to hit").
_STATE: Final = frozenset(("to", "am", "i'm", "is", "are", "he's", "she's", "it's", "really", "so", "very", "quite"))
#: What was so then says nothing of what is so.
_YEAR: Final = late_regex(r"(?:19|20)\d\d")
_BACK_THEN: Final = frozenset(("ago", "formerly", "originally", "previously", "child", "childhood"))
_PAST_VERB: Final = late_regex(r"(?!used|named|called|based|located|married|scheduled|needed|supposed)[a-z]{2,}ed")


def _happened(listed: list[str]) -> bool:
    """Return whether a verb of what happened once is among the words of a clause, or what was so in some year."""
    if not {"was", "were"}.isdisjoint(listed) and any(_YEAR.fullmatch(word) or word in _BACK_THEN for word in listed):
        return True
    return any(_is_past(word) for before, word in pairwise(["", *listed]) if before not in _STATE)


def _is_past(word: str) -> bool:
    if word in _PAST:
        return True
    return _PAST_VERB.fullmatch(word) is not None and _CHANGE.isdisjoint(terms(word)) and side(word) is None


def _is_plural(noun: str) -> bool:
    """Return whether a noun looks like a plural; "gas", "class", "status" and "analysis" do not."""
    return len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is"))  # noqa: PLR2004 - "gas"


#: Who else says or thinks so.
_OTHERS: Final = r"(?<![\w-])(?<!\w['’])(?!(?:i|we|you|user|to|have|has|had|be|been|a|no|the|and)\b)[\w'’-]+ "
_THINKS: Final = (
    r"(?:claims?|claimed|thinks?|thought|believes?(?! in\b)|believed|insists?|insisted|reckons?|reckoned|assumes?|"
    r"assumed|suspects?|suspected|swears?|swore|pretends?|pretended|doubts?|doubted|dreamed|dreamt|joked|"
    r"(?:dream|joke)s?(?= (?:that|the|it|he|she|they)\b))"
)
_SAYS: Final = (
    rf"(?:{_THINKS}|said|says|(?:tells?|told) \w+(?= that\b|,)|"
    r"(?:heard|hopes?|hoped|wrote|writes|argues?|argued|denie[sd]|guesse[sd]) that)"
)
#: What a folded sentence supposes, or has others think, so that it says of nothing that it is so.
SUPPOSED: Final = late_regex(
    r"(?<!\beven )\bif (?!possible|needed|necessary|so\b|not\b|that's|anything|i'?m\b|i (?:am|remember|recall)\b|"
    r"you (?:could|can|would|don't|like|want|ask|will)\b)|"
    r"^(?:(?:but|and|so|or|then),? )?(?:suppos(?:e|ing)|imagine|pretend|assuming|provided|let's say|were)\b|"
    r"\b(?:unless|in case|whether|as if|as though|if only|i wish(?! to\b)|would have|hypothetically)\b|"
    rf"{_OTHERS}{_THINKS}\b"
)
_UNASSERTED: Final = Unasserted(
    requested=late_regex(
        rf"{_REQUEST.pattern}|\b(?:can|could|should|may) (?:we|i)\b|\b(?:did you know|have i)\b|"
        r"\b(?:chang|updat|mov|reschedul|adjust|switch)[a-z]*"
    ),
    suggested=late_regex(
        r"^(?:(?:so|and|but|well|hey),? )?(?:why (?:not|don't|doesn't|won't|can't|shouldn't)|how about|what about)\b"
    ),
    supposed=SUPPOSED,
    reported=late_regex(
        rf"{_OTHERS}{_SAYS}\b|[\"”»] ?{_SAYS}\b|"
        r"\baccording to\b|\brumou?rs?\b|\b(?:allegedly|supposedly|reportedly)\b|"
        r"\bi (?:heard|was told|dreamed|dreamt)\b"
    ),
    ironic=late_regex(
        r"^(?:oh,? (?:sure|joy)\b|yeah,? (?:right|sure)|sure,? (?:and|because|just)|as if\b|"
        r"right,? because|ha,|like hell)|\bmy foot\b|🙄|/s$"
    ),
)
_NEGATION: Final = Negation(
    words=NEGATIONS | frozenset(("ain't", "mustn't", "needn't", "mightn't")),
    limits=frozenset(("only", "just", "merely", "simply", "solely", "least", "quite", "exactly", "necessarily")),
    void=late_regex(
        r"(?:\b(?:nothing|nobody|no one|none|never|no|not)|n't|cannot)\b.{0,60}(?<!\brather) than\b|"
        r"(?:\b(?:nothing|nobody|no one|never|not)\b|n't\b).{0,40}\bas [a-z]+ as\b|"
        r"\b(?:nothing|none|nobody|no one|never)(?: \w+)? (?:but|other|except|short of|if not|like)\b|"
        r"(?:\b(?:not|cannot|never)|n't)\b.{0,40}\benough\b(?! (?:to|for|time|money))|"
        r"(?:couldn't|could not|can't|cannot) (?:be|agree|ask for|feel|do|get|have asked for)(?: any)? "
        r"(?:more|better|happier|[a-z]+er)\b|"
        r"(?:could|can)(?:not|n't|'t| not)\b.{0,40}\b(?:more|better)$|"
        r"\bno (?:less|fewer|more|later|earlier|sooner|stranger)\b|"
        r"\bor not\b|\bif not\b|\bnot (?:to mention|least|once|unlike|that)\b|\bno matter\b|"
        r"\b(?:not|n't|never|cannot|no)\b.{0,40}\bwithout\b"
    ),
    narrows=late_regex(
        r"\b(?:without|until|till|except|before|after|while|during|when|whenever|outside|apart from|other than|alone|"
        r"always|every|everything|everyone|all|both|too (?:much|many|often|long)|[a-z]+sel(?:f|ves))\b"
    ),
    unsure=late_regex(r"\b(?:would|could have|should|might)(?:n't| not| never)\b"),
    passed=late_regex(r"[a-z]{3,}ly|yet|very|exactly|always|all|every|real"),
    raised=frozenset(terms("think thought find found feel felt believe consider know say call want")),
)
#: What a clause says beside this holds as well.
_ADDED: Final = late_regex(
    r"\b(?:also|as well|besides|in addition|additionally|another|other|extra|both|either)\b|\btoo(?=[,.!]|$)"
)
_SCOPE: Final = late_regex(
    r"\b(?:on|in|at|after|before|during|until|when|while) "
    r"((?:(?:the|a|an|his|her|my|our|their) )?[a-z']+(?: [a-z']+)?)"
)
_USER, _HE, _SHE, _THEY, _IT = "user", "he", "she", "they", "it"

ENGLISH: Final = ClauseWords(
    name="en",
    function=STOPWORDS | frozenset(_FUNCTION.split()),
    side=side,
    negation=_NEGATION,
    split=_SPLIT,
    phrases=_PHRASES,
    filler=_FILLER,
    unasserted=_UNASSERTED,
    changes=Changes(
        words=_CHANGE,
        moved=(_FROM, _BACK),
        replaced=(_REPLACE,),
        instead=_INSTEAD,
        now=_NOW,
    ),
    tasks=Tasks(need=_NEED, done=_DONE, ended=_ENDED, dropped=_DROPPED, words=_DONE_WORDS),
    aims=Aims(said=_AIM, words=_AIM_WORDS, periods=_PERIODS),
    attributes=Attributes(
        relations=_RELATIONS,
        one_valued=_COPULA,
        open=_OPEN,
        sole=_SOLE,
        many=_MANY,
        entries=_ENTRIES,
        lists=_LISTS,
        no_label=_NO_LABEL,
        plural=_is_plural,
        vague=_VAGUE,
    ),
    persons={
        "i": _USER,
        "we": _USER,
        "you": _USER,
        "i'm": _USER,
        "i've": _USER,
        "i'd": _USER,
        "i'll": _USER,
        "we're": _USER,
        "we've": _USER,
        "user": _USER,
        "he": _HE,
        "he's": _HE,
        "she": _SHE,
        "she's": _SHE,
        "they": _THEY,
        "it": _IT,
    },
    owners={"my": _USER, "our": _USER, "your": _USER, "his": _HE, "her": _SHE, "their": _THEY, "its": _IT},
    borrowed=_BORROWED,
    scope=_SCOPE,
    request=_REQUEST,
    added=_ADDED,
    event=_happened,
)
