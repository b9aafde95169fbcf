"""What a statement says, as far as another statement can contradict it: topics, stances, quantities, changes, slots.

Guarantees: pure functions of the text; the same text reads the same everywhere; nothing is guessed about the world. A
statement is read clause by clause, since "I used to love tea, but now I drink coffee" says two things. "Used to", "no
longer" and "not any more" deny like "not" does.
Limits: English; of a text longer than :data:`MAX_CHARACTERS` the beginning is read, since what is compared is a memory,
not a book; pronouns are not resolved, so a clause about "it" has no topic and contradicts nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from marskg.kept_texts import keeping_texts
from marskg.language.en.opposites import NEGATIONS, side
from marskg.language.en.quantities import Quantity, quantities, without_quantities
from marskg.text import folded, sentences, terms, words

#: How much of a statement is read.
MAX_CHARACTERS: Final = 8_000
#: Phrases whose words say something else together, and a word that says the same. Order matters.
_PHRASES: Final = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        (r"\b(?:feel|look|sound|seem|taste|smell)(?:s|ed|ing|t)? like\b", " "),
        (r"\b(?:would|i'd|you'd|he'd|she'd|we'd|they'd) (?:like|love) to\b", " "),
        (r"\b(?:things|something|stuff|ones|it's|that's|is) like (?=how|a|an|when|if|the)\b", " "),
        (r"\bspeaking of [^,]{1,60},", " "),
        (r"\bnot only\b|\bno (?:doubt|problem|worries|wonder)\b|^(?:no|yes|yeah|oh|okay|ok)\b[,!.]*", " "),
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
_ENDED: Final = re.compile(r"\b(?:used to|no longer|any ?more|any longer|not any)\b")
_SPLIT: Final = re.compile(
    r"[,.]?\s+\b(?:but|although|though|whereas|however|while)\b,?\s+|;\s+|\s[-–—]\s|,\s+(?=(?:which|who)\b)|"
    r",\s+(?=(?:i|i've|i'm|he|she|we|they|it|it's|he's|she's|my|now|and (?:i|now|lately))\b)"
)
_ASIDE: Final = re.compile(r"\s*\([^()]*\)")
_LABEL: Final = re.compile(r"^([^:\n]{2,80}):\s+(\S.*)$", re.DOTALL)
#: Nouns that have one value at a time, in "my <noun> is <value>".
_ONE_VALUED: Final = (
    r"(?:name|address|birthday|age|e-?mail(?: address)?|phone(?: number)?|job|job title|employer|boss|manager|deadline|"
    r"budget|price|salary|status|venue|location|password|size|weight|height|hometown|nationality|"
    r"favou?rite [a-z]+(?: [a-z]+)?)"
)
_COPULA: Final = re.compile(
    rf"^(.{{0,60}}?(?:\b(?:my|your|his|her|their|our|its)|'s) {_ONE_VALUED}) "
    r"(?:is|are|was|will be)(?: now)? (?!to\b)(\S.*)$",
    re.DOTALL,
)
_RESIDENCE: Final = re.compile(
    r"^((?!(?:the|a|an|my|our|this|that)\b)(?!.{0,60}\b(?:been|was|were|got)\b).{0,40}?)\b(?:"
    r"(?P<lives>liv(?:e|es|ing)|resid(?:e|es|ing)|moved) (?:in|to)|"
    r"(?P<works>work(?:s|ing)?) (?:at|for)|(?P<born>born) in) (\S.*)$",
    re.DOTALL,
)
#: Labels whose values stand side by side although the word is a singular.
_ENTRIES: Final = frozenset(("do", "todo", "note", "reminder", "task", "tip", "idea", "goal", "fact", "memory", "step"))
#: … and those that call themselves a list.
_LISTS: Final = frozenset(("list", "log", "history", "agenda", "schedule", "ledger", "collection"))
#: A longer one, or one with one of these, is a sentence before a colon, not the name of an attribute.
_LABEL_WORDS: Final = 7
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
_AIM: Final = re.compile(
    r"\b(?:goals?|target|limit(?:ing)?|aim(?:s|ing)?|at most|no more than|under|below|want to|trying to|start(?:ing)?|"
    r"i'd like to|going to|plan to|keep(?:ing)?)\b"
)
AIM_WORDS: Final = frozenset(
    terms(
        "goal target limit aim spend spending spent money save saving savings expense expenses cost keep per set "
        "setting try trying help improve fitness health boost energy realistic excited motivated budget more most less "
        "fewer"
    )
)
PERIODS: Final = frozenset(terms("day daily week weekly month monthly year yearly"))
#: What a pronoun stands before is named elsewhere: "his style" is nobody's in particular.
_BORROWED: Final = re.compile(r"\b(?:his|her|their|its|that|this|those|these) (?:new |latest )?([a-z]+)")
#: A request changes what is at hand ("update the budget to ..."); which one that is, it does not say.
_REQUEST: Final = re.compile(
    r"\bplease\b|\blet's\b|\b(?:can|could|would|will) you\b|\b(?:need|want|like)s? to\b|\bshould be\b|"
    r"^(?:update|change|revert|set)\b"
)
#: What is still to be done, and that it is done or not to be done any more; the words that say so are no topic.
_NEED: Final = re.compile(r"\b(?:(?:need|have|has|want|plan|going|supposed|remember|ought) to|must|should|to-?do)\b")
_DONE: Final = re.compile(
    r"\b(?:finished|completed|wrapped up|taken care of|took care of|done with|(?:check|cross|tick)ed .{0,80}\boff|"
    r"got .{1,80} done|(?:is|are|it's) (?:all |now )?(?:done|finished|complete))\b"
)
_DROPPED: Final = re.compile(r"\b(?:remove|delete|drop|scratch|strike|cancel|(?:cross|take|check) .{0,120}\boff)\b")
DONE_WORDS: Final = frozenset(
    terms("finish complete wrap taken took care done check cross tick off remove delete drop scratch strike cancel all")
)
_QUOTED: Final = re.compile(r"[\"“]([^\"“”]{3,200})[\"”]|(?<!\w)['‘]([^\"]{3,200}?)['’](?!\w)")
_NOW: Final = re.compile(r"\b(?:is|are|am|it's|i'm|been) now\b|\bnow (?:is|are|scheduled|set|costs?|at|on|it's)\b")
_FROM: Final = re.compile(r"\bfrom (?P<old>.{1,120}?) to (?P<new>.{1,200})$")
_BACK: Final = re.compile(r"\bto (?P<new>.{1,120}?) from (?P<old>.{1,120})$")
_REPLACE: Final = re.compile(r"\breplac(?:e|es|ed|ing) (?P<old>.{1,120}?) (?:with|by) (?P<new>.{1,200})$")
_INSTEAD: Final = re.compile(r"\binstead of (.{1,120})$")
#: Words around a topic that are none: how sure, how much, since when, and what one does to an entry.
_FILLER: Final = frozenset(
    terms(
        "really actually lately recently now still just always often ever honestly truly quite pretty think thought "
        "thinking feel feeling find found know knew come came get got getting go going gone went speak speaking thing "
        "things bit lot lots much many kind sort way time big little new use used anymore longer even though yes no "
        "please okay want need would can make made mind definitely totally also already today back seem seems say said "
        "reminds remind user one total full calendar scheduled schedule add added reflect entry anyway tend may might"
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
_PAST_VERB: Final = re.compile(r"(?!used|named|called|based|located|married|scheduled|needed|supposed)[a-z]{2,}ed")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: its topic (index terms, ``core`` without what stands in brackets), stances and quantities.

    ``named`` is the part of ``core`` that no pronoun stands for. ``request`` marks "please update ...",
    ``aim`` a goal or a limit, ``need`` what is to be done, ``done`` that it was or need not be any more; ``quoted`` are
    the terms of what stands in quotation marks.
    ``stances`` holds (axis, side) pairs with the clause's negation applied. ``replaced`` holds the terms of a value
    that the clause says was replaced, ``replaced_numbers`` its numbers. ``event`` is true for what happened once.
    """

    topic: frozenset[str]
    core: frozenset[str]
    named: frozenset[str]
    stances: frozenset[tuple[str, int]]
    negated: bool
    quantities: tuple[Quantity, ...]
    change: bool
    request: bool
    aim: bool
    replaced: frozenset[str]
    replaced_numbers: frozenset[str]
    event: bool
    need: bool
    done: bool
    quoted: frozenset[str]


@dataclass(frozen=True, slots=True)
class Slot:
    """An attribute with its value, from "attribute: value" or "my attribute is value".

    ``entries`` is true where the label heads a list (a plural, "to do"), so that values stand side by side.
    """

    attribute: tuple[str, ...]
    value: tuple[str, ...]
    entries: bool
    plural: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement as it is compared."""

    clauses: tuple[Clause, ...]
    slot: Slot | None
    #: Everything that a cheap test of relatedness needs.
    terms: frozenset[str]


@keeping_texts(20_000)
def read(text: str) -> Reading:
    """Return what ``text`` says; statements are compared many times, so readings are kept."""
    text = text[:MAX_CHARACTERS]
    clauses = tuple(clause for part in _parts(text) if (clause := _clause(part)) is not None)
    every = frozenset().union(*(clause.topic | clause.replaced for clause in clauses))
    numbers = frozenset(quantity.value for clause in clauses for quantity in clause.quantities)
    return Reading(clauses, _slot(text), every | numbers)


def _parts(text: str) -> list[str]:
    """Return the clauses of ``text``, folded, with phrases as the words that they mean."""
    found = []
    for sentence in sentences(text):
        plain = folded(sentence).strip("\"'“”‘’ ")
        for pattern, word in _PHRASES:
            plain = pattern.sub(word, plain)
        found += [part.strip(" .,!?") for part in _SPLIT.split(plain) if part and part.strip(" .,!?")]
    return found


def _clause(part: str) -> Clause | None:
    ended = _ENDED.search(part) is not None
    before, replaced = _replacement(part)
    plain = without_quantities(before)
    topic, stances = _topic(plain)
    core = _topic(without_quantities(_ASIDE.sub(" ", before)))[0] or topic
    found = quantities(before)
    if not topic and not found and not replaced:
        return None
    listed = [word.text for word in words(part)]
    negated = ended or any(word in NEGATIONS for word in listed)
    signed = frozenset((axis, -sign if negated else sign) for axis, sign in stances.items() if sign)
    return Clause(
        topic=topic,
        core=core,
        named=core - frozenset(terms(" ".join(_BORROWED.findall(before)))),
        stances=signed,
        negated=negated,
        quantities=found,
        change=bool(replaced) or _NOW.search(part) is not None or not _CHANGE.isdisjoint(terms(part)),
        request=_REQUEST.search(part) is not None,
        aim=_AIM.search(part) is not None,
        replaced=frozenset(_topic(without_quantities(replaced))[0]),
        replaced_numbers=frozenset(quantity.value for quantity in quantities(replaced)),
        event=any(_is_past(word) for before, word in pairwise(["", *listed]) if before not in _STATE),
        need=_NEED.search(part) is not None,
        done=ended or _DROPPED.search(part) is not None or (_DONE.search(part) is not None and not negated),
        quoted=frozenset(term for match in _QUOTED.finditer(part) for term in terms(match[1] or match[2])),
    )


def _is_past(word: str) -> bool:
    if word in _PAST:
        return True
    return _PAST_VERB.fullmatch(word) is not None and _CHANGE.isdisjoint(terms(word)) and side(word) is None


def _topic(plain: str) -> tuple[frozenset[str], dict[str, int]]:
    """Return the topic of a clause and the side that it takes on each axis, 0 where it takes both."""
    topic, sides = set(), dict[str, int]()
    for term in terms(plain):
        taken = side(term)
        if taken is not None:
            axis, sign = taken
            sides[axis] = sign if sides.get(axis, sign) == sign else 0
        elif term not in _FILLER and term not in _CHANGE and term not in NEGATIONS:
            topic.add(term)
    return frozenset(topic), sides


def _replacement(part: str) -> tuple[str, str]:
    """Return the clause without the value that it says was replaced, and that value."""
    for pattern in (_FROM, _BACK, _REPLACE):
        match = pattern.search(part)
        if match and (pattern is _REPLACE or not _CHANGE.isdisjoint(terms(part[: match.start()]))):
            return f"{part[: match.start()]} {match['new']}", match["old"]
    match = _INSTEAD.search(part)
    if match:
        return part[: match.start()], match[1]
    return part, ""


def _slot(text: str) -> Slot | None:
    plain = folded(text).strip()
    match = _LABEL.match(plain)
    if match:
        label = [word.text for word in words(_ASIDE.sub("", match[1]))]
        if not label or len(label) > _LABEL_WORDS or not _NO_LABEL.isdisjoint(label):
            return None
        plural = label[-1] in _LISTS or _is_plural(label[-1])
        return Slot(_all_terms(match[1]), _all_terms(match[2]), plural or label[-1] in _ENTRIES, plural)
    plain = plain.rstrip(".!")
    match = _COPULA.match(plain)
    if match and not _negates(match[2]):
        owner = tuple(term for term in terms(match[1]) if term not in _FILLER)
        return Slot(owner, _all_terms(match[2]), entries=False, plural=False)
    match = _RESIDENCE.match(plain)
    if match and not _negates(match[1]):
        relation = "lives" if match["lives"] else "works" if match["works"] else "born"
        who = tuple(term for term in terms(match[1]) if term not in _FILLER)
        return Slot((*who, relation), _all_terms(match[5]), entries=False, plural=False)
    return None


def _is_plural(noun: str) -> bool:
    """Return whether a noun looks like a plural; "gas", "class", "status" and "analysis" do not."""
    return len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is"))  # noqa: PLR2004 - "gas"


def _negates(text: str) -> bool:
    return _ENDED.search(text) is not None or any(word.text in NEGATIONS for word in words(text))


def _all_terms(text: str) -> tuple[str, ...]:
    """Return the terms of ``text`` in order; of a text of stop words alone, its words."""
    return tuple(terms(text)) or tuple(word.text for word in words(text))
