"""What stands in terse notes, whose sentences have no subject of their own: dates, sums, errands, what is done.

Guarantees: pure. A note is told in its words, with its short forms written out ("tues 11 feb" is "Tuesday 11
February"); it has no key, but for an errand, which is a task. What is asked, supposed or quoted is no note. The
labelled fields of a document are read by themselves, as its own.
Limits: a note is a sentence of at most twelve words in which the speaker names neither themselves nor the other.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.amounts import MONEY, money_of
from marskg.language.en.facts.clauses_said import subject_added
from marskg.language.en.facts.document_fields import is_list, name_of
from marskg.language.en.facts.phrasing import entries, key_of
from marskg.language.facts import Fact
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Cardinality, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.language.en.facts.phrasing import Sentence
    from marskg.language.facts import PayloadValue, Voice

_MOST_WORDS: Final = 12
_LEAST_SPACES: Final = 2
_MONTHS: Final = {
    "jan": "January", "feb": "February", "mar": "March", "apr": "April", "may": "May", "jun": "June", "jul": "July",
    "aug": "August", "sep": "September", "sept": "September", "oct": "October", "nov": "November", "dec": "December",
}  # fmt: skip
_DAYS: Final = {
    "mon": "Monday", "tue": "Tuesday", "tues": "Tuesday", "wed": "Wednesday", "weds": "Wednesday", "thu": "Thursday",
    "thur": "Thursday", "thurs": "Thursday", "fri": "Friday", "sat": "Saturday", "sun": "Sunday",
}  # fmt: skip
_SHORT: Final = {
    "wk": "week", "wks": "weeks", "yr": "year", "yrs": "years", "mth": "month", "hr": "hour",
    "hrs": "hours", "mins": "minutes", "til": "until", "incl": "including", "appt": "appointment", "tmrw": "tomorrow",
    "tmr": "tomorrow", "re": "about", "b4": "before", "bday": "birthday", "w/": "with", "+": "and", "&": "and",
    "eur": "euros", "mths": "months",
}  # fmt: skip
_MONTH: Final = (
    rf"(?:{'|'.join((*_MONTHS, 'june', 'july'))}|january|february|march|april|august|september|october|november|"
    r"december)"
)
_DAY: Final = rf"(?:{'|'.join(_DAYS)}|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?"
_NAMED: Final = late_regex(
    r"january|february|march|april|june|july|august|september|october|november|december|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
)
_ORDINAL: Final = r"\d{1,2}(?:st|nd|rd|th)"
_CLOCK: Final = r"\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|a\.m\.|p\.m\.)|\d{1,2}:\d\d"
#: Days and times that a note is about.
_DATED: Final = late_regex(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?|"
    rf"{_DAY},? (?:the )?{_ORDINAL}|(?:the|to the|on the|by the) {_ORDINAL}|"
    rf"(?:on|every|each|by|next|this|until|til|till|from) {_DAY}|{_DAY} (?:and|\+|&|or) {_DAY}|"
    rf"(?:from|by|until|til) (?:today|tomorrow|{_MONTH})|tomorrow|tonight|tmrw|next (?:week|month|year)|"
    rf"from now on|{_CLOCK})\b",
    re.IGNORECASE,
)
_SHORT_FORM: Final = late_regex(
    rf"(?:(?<=\d )|(?<=\d(?:st|nd|rd|th) )|(?<=\b(?:in|by|of|to) ))(?P<month>{'|'.join(_MONTHS)})\b"
    rf"|\b(?:{'|'.join(_MONTHS)})(?= \d)"
    r"|\b(?:tues?|weds?|thurs?|thu|fri)\b|\b(?:mon|sat|sun|wed)(?= ?(?:\d|and\b|[+&])|$)"
    r"|\b(?:wks?|yrs?|mths?|hrs?|mins|til|incl|appt|tmrw|tmr|re|b4|bday|eur)\b|w/|(?<= )[+&](?= )"
    r"|(?-i:\b(?:january|february|april|june|july|august|september|october|november|december|march(?=$|[,.]| \d)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b)|\b(?!(?:5|10|21|42)k)\d{1,3}k\b",
    re.IGNORECASE,
)
_COIN: Final = r"(?:eur|euros?|gbp|usd|dollars?|bucks?|pounds?|quid|naira|rupees?|yen|francs?|kronor|chf|sek)"
_SIZE: Final = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:k|m| million| thousand)?)"
#: Sums and measures.
_AMOUNT: Final = late_regex(
    rf"(?<![\w.,])(?:[$€£¥₹₦] ?{_SIZE}|{_SIZE} ?(?:[€£$]|{_COIN}\b)|\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?k\b|"
    rf"\d+(?:\.\d+)? million|{_SIZE} (?:a|an|per|each) (?:hour|day|night|week|month|year|head|person|kilo|kg|litre|"
    rf"lesson|ticket|session|class|box|bag|piece)|"
    r"\d+(?:\.\d+)? ?(?:km|kg|kilos?|miles?|litres?|liters?|hours?|mins|minutes|boards|pages|steps|cm|mm|ml|mg|sqm|"
    r"m2))"
    r"(?![\w.,]\d)|\bblood pressure \d{2,3}/\d{2,3}",
    re.IGNORECASE,
)
#: A thing and what it costs, alone or in a row: "diesel 85, screws 22.40".
_PRICED: Final = late_regex(
    r"(?:^|, ?|; ?|and |\+ )(?P<what>(?!(?:room|bus|page|chapter|line|route|number|no|flat|gate|platform|track|level|"
    r"version|season|episode|exit|form|unit|section|step|part|class|year|grade|ward|team|seat|train|lunch|tram|flight|"
    r"at|in|for|since|about|only|over|top|age|aged|just|like|the|day|week)\b)"
    r"[a-z][a-z'-]+(?: (?!(?:for|in|at|on|to|by|of|with|from|until|since|about)\b)[a-z'-]+)?) "
    r"(?P<sum>\d{2,5}(?:\.\d\d)?)(?: (?:at|from|in|for) [A-Za-z' ]{2,25})?(?=[;.!]|,(?!\d)|$| and| \+)",
    re.IGNORECASE,
)
#: What is said to be so or to have come about, of a thing or of somebody.
_CAME: Final = (
    r"(?:done|finished|ordered|booked|paid|passed|failed|cancelled|canceled|sent|submitted|sorted|fixed|delivered|"
    r"arrived|"
    r"planted|painted|washed|cleaned|cooked|baked|packed|pruned|serviced|mended|invoiced|filed|printed|returned|"
    r"registered|"
    r"signed|renewed|confirmed|postponed|approved|rejected|sold|collected|installed|broken|replaced|repaired|starts?|"
    r"started|ends?|finishes|opens?|closes?|closed|leaks?|leaking|due|expires?|expired|ran out|empty)"
)
_DONE: Final = late_regex(
    r"^(?!(?:i|we|you|he|she|it|they|this|that|these|those|there|who|what|well|all|get|got|not|so|just|when|once|be|"
    r"been|being|how|something|nothing|everything|someone|everyone)\b)[a-z][\w'-]*"
    r"(?: (?!(?:is|are|was|were|to|that|who|i|you|has|have|had|the)\b)[\w'-]+){0,3} "
    rf"(?:is |are |was |has |have |been |now |got |already |all |finally )*{_CAME}\b"
    r"(?! (?:to|by|you|me|it|that|a|as|with|of|is)\b)",
    re.IGNORECASE,
)
_ACTS: Final = (
    r"(?:ring|call|phone|order|buy|book|pay|pick up|collect|return|renew|fix|repair|clean|chase|measure|drop off|"
    r"hand in|"
    r"post|water|feed|hoover|vacuum|mow|service|bring|invoice|email|text|tell|ask|sign up for|apply for|register for|"
    r"practise|practice|revise|pack|refill|top up)"
)
#: What is done with things outside, and whom one calls; an order to the other has an object of theirs.
_ERRAND: Final = late_regex(
    rf"^(?:also |and |then |must )*(?P<what>{_ACTS} "
    r"(?!(?:me|you|us|it|that|this|them|him|her|your|for|to|the name|out|off|up|about|back|down|on|in|a number|"
    r"attention|"
    r"no|and|or|of|now|low|high)\b)"
    r"(?![^?!;]* (?:is|are|was|were|seems?|has|have|can|will|makes?|made|helps?|helped|feels?|felt) )"
    r"[^?!;]{2,80}?)[.!]*$",
    re.IGNORECASE,
)
_MUST: Final = late_regex(r"(?:must|to ?-?do) ?:?", re.IGNORECASE)
_ORDERS: Final = late_regex(rf"^(?:also |and |then |must |please )*{_ACTS} ", re.IGNORECASE)
_PLEASE: Final = late_regex(r"\b(?:please|pls|can you|could you|for me|your|you)\b", re.IGNORECASE)
_OWES: Final = late_regex(r"^(?:my )?\w+ (?:still )?owes (?:me|us) ", re.IGNORECASE)
_PERSON: Final = late_regex(
    r"\b(?:I|I'm|I've|I'd|I'll|we|we're|we've|we'll|my|our|me|us|mine|you|your|yours|you're|you've|you'll|yourself|"
    r"let's)\b",
    re.IGNORECASE,
)
#: A word before a note that says what it is.
_LABEL: Final = late_regex(
    r"^(?P<label>note(?: to self)?|nb|n\.b\.|fyi|todo|to do|(?P<goal>(?:target|goal|aim|resolution)s?(?: (?:this|"
    r"for the|for|next)"
    r" [\w-]+)?))(?:: ?| [-–—] )(?=\S)",
    re.IGNORECASE,
)
_PARTS: Final = late_regex(r"(?: ?(?:&|\+|and) )?(?P<part>(?:(?! (?:&|\+|and) |[;,] )[^.!])+)")
#: Past verbs without what they are about, and what is no word.
_LONE_VERB: Final = late_regex(r"^\w+(?:ed|ing)(?: (?:until|till|til|at|on|in|by|from))?$", re.IGNORECASE)
_NUMBERS: Final = late_regex(rf"{_AMOUNT.pattern}|\d[\d.,]*", re.IGNORECASE)
_FEW: Final = 5
#: A sentence that points to what is not in it, tells of nobody, or only of what may be.
_POINTS: Final = late_regex(
    r"\b(?:it|them|him|her|might|could|would|should|probably|perhaps|maybe|hopefully)\b|(?<!\d )(?-i:\bmay (?=[a-z]))|"
    r"^(?:it|this|that|these|those|he|she|they|there|here|what|how|why|who|which|such|so|see|same|happy|merry|good|"
    r"sounds|talk|catch|meet|hope|have|thanks?|thank|wow|probably|not|if|when|imagine|remember|great|nice|glad|sorry|"
    r"congrats|don't|do|does|is|are|was|were|let)\b",
    re.IGNORECASE,
)
#: What people alone do, said of somebody by name.
_NAME_THEN: Final = late_regex(
    r"^(?:our |and |so |but |meanwhile,? )*(?P<name>(?-i:[A-Z][a-z]+))(?:'s)? (?:just |has |have |also |finally |"
    r"really )*"
    r"(?:proposed|graduated|retired|married|died|cried|rang|quit|resigned|said yes|wants to (?!be\b)|hates |"
    r"wants (?!to\b)|does (?!not)|"
    r"passed (?:his|her|their|the (?:exam|test|driving))|failed (?:his|her|their)|"
    r"got (?:into|married|engaged|promoted|fired|a (?:job|dog|cat|baby))|is (?:pregnant|engaged|retiring|"
    r"getting married)|"
    r"(?:can't|won't) (?:do|come|make|eat)|had (?:a baby|her|his)|gave birth|turns \d|turned \d|broke (?:his|her))",
    re.IGNORECASE,
)
#: What has changed, or how one reaches somebody.
_NOW: Final = late_regex(
    r"^(?!(?:it|this|that|these|he|she|there|they|who|what|everything|life|time)\b)[a-z][\w' ]{2,30}? (?:(?:is|"
    r"are) now|now (?:is|costs)) "
    r"(?!(?:time|that|so|very|more|much)\b)[^.!?]{2,40}$|"
    r"^(?:the |our )?[a-z][\w' ]{0,24}(?:password|code|pin|number|email|address|postcode) is (?=\S*\d|\S+@)",
    re.IGNORECASE,
)
#: Relatives and things of a home, of which there is one that is meant; nothing that only praises them.
_AT_HOME: Final = late_regex(
    r"^(?:so |and |but |now )*(?:(?:mum|mom|dad|gran|granny|nan|grandma|grandpa|grandad)|(?:the |our )(?:landlord|"
    r"landlady|boiler|"
    r"heating|flat|roof|oven|fridge|freezer|washing machine|dishwasher|lift|wifi|internet|lease|plumber|"
    r"electrician|vet|nursery|"
    r"surgery|van|car|bike|cat|dog|baby|kids)) "
    r"(?:is|are|was|has|have|had|broke|died|leaks|needs|wants|called|moved|put|got|started|stopped|won't|can't|"
    r"doesn't|fixed|sold) "
    r"(?!(?:so|very|really|such|great|good|nice|cute|fine|ok|okay|right|here|there|like|fun|amazing|awesome|lovely|"
    r"sweet|the best)\b)",
    re.IGNORECASE,
)
_NOBODY: Final = frozenset(
    (
        "it", "this", "that", "there", "here", "everyone", "everybody", "someone", "somebody", "nobody", "who", "what",
        "which", "the", "life", "god", "time", "work", "today",
    )
)  # fmt: skip


def written_out(text: str) -> str:
    """Return ``text`` with its short forms of days, months and measures in full."""
    return _SHORT_FORM.sub(_full, text)


def _full(match: re.Match[str]) -> str:
    said = match[0].lower()
    if said[0].isdigit():
        return f"{int(said[:-1]) * 1000:,}"
    if _NAMED.fullmatch(said) is not None:
        return said.capitalize()
    return _MONTHS.get(said) or _DAYS.get(said) or _SHORT.get(said) or match[0]


def _is_owed(text: str) -> bool:
    return _OWES.match(text) is not None and _AMOUNT.search(text) is not None


def notes_of(sentence: Sentence, voice: Voice) -> list[Fact]:
    """Return what a sentence notes; nothing where it is no note."""
    text = sentence.text
    if (
        sentence.asks
        or sentence.jests
        # "Go there for two days? 130 a day" is one question.
        or sentence.before.endswith("?")
        or len(text.split()) > _MOST_WORDS
        or (_PERSON.search(text) is not None and not _is_owed(text))
        or sentence.is_supposed(len(text))
        or text.startswith(('"', "'"))
        or sentence.is_quoted(1)
    ):
        return []
    label = _LABEL.match(text)
    if label is not None:
        if _POINTS.search(text[label.end() :]) is not None:
            return []
        return list(_labelled(sentence, voice, label))
    errand = _ERRAND.match(text)
    if errand is not None and voice.other is None and _PLEASE.search(text) is None:
        return _errand(sentence, errand["what"], voice)
    if any(pattern.search(text) is not None for pattern in (_ORDERS, _POINTS)) or (
        subject_added(text) is not None and not _is_owed(text)
    ):
        return []
    priced = list(_PRICED.finditer(text))
    if priced:
        return [_noted(sentence, match.start("what"), match.end()) for match in priced]
    end = len(text.rstrip(" .!;,"))
    if _is_a_note(text):
        found = _noted(sentence, 0, end)
        return [found] if key_of(_NUMBERS.sub("", text)) else _carried(sentence, found)
    return []


def _is_a_note(text: str) -> bool:
    if _DATED.search(text) is not None:
        rest = _DATED.sub("", text)
        return bool(key_of(rest)) and _LONE_VERB.match(rest.strip()) is None
    return _AMOUNT.search(text) is not None or _DONE.match(text) is not None or _is_of_somebody(text)


def _carried(sentence: Sentence, found: Fact) -> list[Fact]:
    """Return a sum or a measure that stands alone with the note before it, which says of what it is."""
    before = sentence.before.strip(" .!;,")
    if not before or not _is_a_note(before) or len(before.split()) > _FEW:
        return []
    content = f"{written_out(before)}, {found.content}"
    return [replace(found, content=content[:1].upper() + content[1:], payload={"concept": content})]


def _labelled(sentence: Sentence, voice: Voice, label: re.Match[str]) -> Iterator[Fact]:
    """Yield what stands behind a word that says what kind of note it is."""
    start, name = label.end(), label["label"].lower()
    if name in {"todo", "to do"}:
        yield from _errand(sentence, sentence.text[start:], voice)
        return
    goal = label["goal"]
    for part in _PARTS.finditer(sentence.text, start):
        if not key_of(part["part"]):
            continue
        fact = _noted(sentence, part.start("part"), part.end())
        if goal:
            content = f"{written_out(goal).capitalize()}: {fact.content[:1].lower()}{fact.content[1:]}"
            fact = replace(fact, content=content, kind=Kind.TASK, payload={"goal": fact.content})
        yield fact
        if not goal:
            return


def _is_of_somebody(text: str) -> bool:
    match = _NAME_THEN.match(text)
    if match is not None:
        return match["name"].lower() not in _NOBODY
    return _AT_HOME.match(text) is not None or _NOW.match(text) is not None


def _noted(sentence: Sentence, start: int, end: int) -> Fact:
    said = written_out(sentence.text[start:end].strip(" .!;,"))
    content = said[:1].upper() + said[1:]
    return Fact(
        rule="note.said",
        start=sentence.start + start,
        end=sentence.start + end,
        content=content,
        confidence=0.75,
        cardinality=None,
        payload={"concept": content},
    )


def _errand(sentence: Sentence, what: str, voice: Voice) -> list[Fact]:
    said = written_out(what.strip(" .,"))
    key = key_of(said)
    # "Pay Bob" alone may as well be an order to whoever reads it.
    if key.count(" ") < _LEAST_SPACES and not _MUST.match(sentence.text):
        return []
    start = sentence.start + sentence.text.index(what)
    return [
        Fact(
            rule="note.errand",
            start=start,
            end=start + len(what),
            content=f"To do for {voice.name or 'the user'}: {said}",
            confidence=0.8,
            kind=Kind.TASK,
            key=f"todo/{key}",
            payload={"goal": said},
            when=sentence.text,
            due=True,
        )
    ]


_MONEY: Final = late_regex(MONEY, re.IGNORECASE)
_NUMBERED: Final = late_regex(r"\d")
_WHO: Final = late_regex(
    r"(?:[A-ZÀ-Þ][\w'’.&-]*|of|de|van|von|and|the|&)(?:,? (?:[A-ZÀ-Þ(][\w'’.&)-]*|of|de|van|von|and|the|&)){0,11}"
)
_TITLED: Final = late_regex(r"[^\s.!?][^.!?]{0,80}")
_ONE_OF: Final = late_regex(r"[\w-]+(?: [\w-]+){0,2}")
#: Labels in a document, with what the value of each has to look like: what else stands there is no field.
_LABELS: Final = {
    r"deadline|due(?: date)?|date|start(?: date)?|end(?: date)?|valid (?:until|from)|expires|effective(?: date)?|"
    r"issued|published|delivery(?: date)?|meeting date|budget|price|cost|total|amount|fee|deposit|rent|quantity|size|"
    r"weight|duration|capacity|version|ref(?:erence)?|(?:invoice|order)(?: (?:number|no))?|time": _NUMBERED,
    r"owner|authors?|(?:project )?lead|(?:project )?manager|contact(?: person)?|client|customer|supplier|sponsors?|"
    r"reviewers?|approver|assignee|responsible|chair|organi[sz]er|prepared by|attendees|participants|recipients|"
    r"stakeholders|venue|location|company|department": _WHO,
    r"title|subject|project|topic": _TITLED,
    r"status|priority|category|language|format|material": _ONE_OF,
}  # fmt: skip
_FIELD: Final = late_regex(
    rf"^[ \t]*(?:[-*•#] ?)*(?P<field>{'|'.join(_LABELS)})\**(?: \([^()\n]{{1,20}}\))?:\**[ \t]+"
    r"(?P<said>\S[^\n]{0,160}?)\**[.,]?[ \t]*$",
    re.IGNORECASE,
)
#: Where one field ends and another may begin.
_PIECES: Final = late_regex(
    r"(?:(?!;|\||(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bProf)(?<!\b[A-Z])\.\s+(?=[A-Z]))[^\n])+"
)
_OPEN: Final = late_regex(
    r"\b(?:if|maybe|perhaps|unless|not|never|no|tb[acd]|n/a|none|unknown|open|pending|example|please|must|always|"
    r"you|i)\b|[?!{}<>]",
    re.IGNORECASE,
)


def labelled(text: str) -> Iterator[Fact]:
    """Yield the fields of a passage of a document that stand behind their labels: "Deadline: 3 May"."""
    for piece in _PIECES.finditer(text):
        match = _FIELD.match(piece[0])
        if match is None or _OPEN.search(match["said"]) is not None:
            continue
        name, said = name_of(match["field"]), match["said"]
        wanted = next(shape for labels, shape in _LABELS.items() if re.fullmatch(labels, match["field"], re.IGNORECASE))
        if (wanted.search(said) if wanted is _NUMBERED else wanted.fullmatch(said)) is None:
            continue
        money = _MONEY.match(said)
        amount = money_of(money) if money is not None else None
        many = is_list(name)
        for value in entries(said) if many else (said,):
            payload: dict[str, PayloadValue] = {"concept": name, "relations": (value,)}
            if amount is not None:
                payload = {"concept": name, "amount": amount[0], "unit": amount[1]}
            yield Fact(
                rule="field.labelled",
                start=piece.start() + match.start("field"),
                end=piece.start() + match.end("said"),
                content=f"{name.capitalize()}: {value}",
                confidence=0.85,
                key=f"document/{key_of(name) or name}",
                cardinality=Cardinality.SET if many else Cardinality.SINGLE,
                payload=payload,
            )
