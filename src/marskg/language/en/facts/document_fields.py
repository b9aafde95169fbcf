"""Fields of documents, plans and notes: "Title: ...", "the budget is ...", "add Bo to the attendees".

Guarantees: pure. A field's key is ``document/<which>/<field>``, the document being the last one that its session named
by a title, so that a change of a field finds what it changes; lists are sets, entry by entry.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.amounts import MONEY, money_of
from marskg.language.en.facts.phrasing import APOSTROPHES, LONGEST, Frame, entries, frame, key_of
from marskg.language.en.time_words import MONTH, WEEKDAY
from marskg.language.facts import Fact, Said
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Cardinality, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg.language.en.facts.phrasing import Found
    from marskg.language.facts import PayloadValue

_DOCUMENT: Final = (
    r"(?:project proposal|proposal|report|meeting notes|notes|meeting|email|e-mail|post|social media post|article|"
    r"presentation|"
    r"document|plan|essay|memo|letter|project|contract|paper|story|page|ticket|recipe)"
)
#: What documents are made of, whose values are lists where the word is a plural.
_FIELD: Final = (
    r"(?:(?:key|main|primary|proposed|project|total|overall|final|target|meeting|email|agenda|action|call[- ]to|"
    r"success|risk|creative|"
    r"design|core|major|required|potential|expected|initial|estimated|recipient|reference|content|publication|post|"
    r"email's|visual|"
    r"research|technical|competitive|market|brand|content|roi|existing)[ _])*"
    r"(?:titles?|descriptions?|budgets?|timelines?|leads?|stakeholders?|objectives?|goals|deliverables?|analysis|"
    r"agendas?|items?|decisions?|"
    r"attendees|participants|recipients?|lists?|points?|actions?|purposes?|messages?|hashtags?|platforms?|audiences?|"
    r"subjects?|"
    r"requirements?|metrics|risks?|inspirations?|references?|deadlines?|sponsors?|milestones?|methods?|methodology|"
    r"resources?|status|"
    r"owners?|authors?|tags?|topics?|sources?|keywords|ingredients|steps|prices?|locations?|venue|theme|tone|style|"
    r"scope|profile|"
    r"considerations?|guidelines?|channels?|constraints?|assumptions?|dependencies|outcomes?|findings?|questions|"
    r"collaborators?|"
    r"team(?:[ _]members?)?|call to action|benefits?|features?|hypothes[ei]s|citations?|strategy|strategies|"
    r"projections?|specs|specifications|assessments?)"
)
_QUOTE: Final = r"(?:\"(?P<value>[^\"]{1,400})\"|'(?P<single>(?:[^']|'(?=\w)){1,400}?)'(?=[\s.,;!?)]|$)"
#: Fields that the words of a sentence name without calling them so.
_ALSO: Final = {
    "attended": "attendees", "recipient": "recipients", "recipients": "recipients", "recipient list": "recipients",
    "decided": "decisions", "agenda": "agenda items", "agenda items": "agenda items", "key decisions": "decisions",
    "lead": "project lead", "leading": "project lead", "titled": "title", "sent": "recipients",
    "go": "recipients", "sending it": "recipients",
    "project title": "title", "meeting title": "title", "timeline": "timeline",
}  # fmt: skip
_PLURAL: Final = late_regex(r"(?:(?<!s)s|agenda|list|analysis|team)$", re.IGNORECASE)


def name_of(field: str) -> str:
    """Return a field's name without what only says how much it matters."""
    plain = re.sub(
        r"^(?:the|my|our|its|their|key|main|primary|proposed|project's|email's) ",
        "",
        field.strip().lower().replace("_", " "),
    )
    plain = re.sub(r"^(?:the|my|our|key|main|primary|proposed|creative|existing) (?=\w)", "", plain)
    return _ALSO.get(plain, plain)


def _fact(found: Found, field: str, value: str, does: Said = Said.ADD, *, many: bool, old: str | None = None) -> Fact:
    start, end = found.span
    name = name_of(field)
    amount = money_of(found.match) if name.endswith(("budget", "price")) else None
    payload: dict[str, PayloadValue] = {"concept": name, "relations": (value,)}
    if amount is not None:
        payload = {"concept": name, "amount": amount[0], "unit": amount[1]}
    gone = does is Said.END
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=f"{name.capitalize()}: {value}" if not gone else f"{name.capitalize()} no longer: {value}",
        confidence=found.confidence,
        does=does,
        kind=Kind.SEMANTIC,
        key=f"document/{key_of(name) or name}",
        cardinality=Cardinality.SET if many else Cardinality.SINGLE,
        payload=payload,
        old=value if gone else old,
    )


def is_list(field: str) -> bool:
    """Return whether a field holds several values: its word is a plural."""
    return _PLURAL.search(field.strip()) is not None


def _verb_of(found: Found) -> str:
    return next(found.group(name).lower() for name in ("verb", "sent", "go", "sending") if found.group(name))


def _stated(found: Found) -> Iterator[Fact]:
    """Yield the values of a field, each entry of a list by itself."""
    field, value = found.group("field") or _verb_of(found), found.match["said"].strip(" .:'\"")
    name = _ALSO.get(field.lower(), field)
    if not is_list(name):
        value = _BUT.sub("", value)
        # "3 May but it moved" is neither that day nor another.
        if _SHIFTS.search(value) is not None:
            return
        yield _fact(found, name, value, many=False)
        return
    for entry in entries(value):
        yield _fact(found, name, entry, many=True)


_DAY: Final = late_regex(rf"{WEEKDAY}\b|(?!may(?! \d)){MONTH}|christmas|easter", re.IGNORECASE)


def _leads(found: Found) -> Fact:
    return _fact(found, "project lead", found.group("said"), many=False)


def _titled(found: Found) -> Fact | None:
    title = found.group("value") or found.group("single")
    # "The meeting is on Monday" says when it is.
    if not title and _DAY.match(found.group("said")):
        return None
    return _fact(found, "title", title or found.group("said"), many=False)


def _added(found: Found) -> Fact | None:
    value = found.group("value") or found.group("single") or found.group("said")
    if re.match(r"(?:that|it|this|them|one|more|another)\b", value) or found.group("field") in {"list", "action"}:
        return None
    return _fact(found, found.group("field"), value, many=True)


def _removed(found: Found) -> Fact | None:
    value = found.group("value") or found.group("single") or found.group("said")
    if re.match(r"(?:that|it|this|them)\b", value) or found.group("field") == "list":
        return None
    return _fact(found, found.group("field"), value, Said.END, many=is_list(found.group("field")))


def _changed(found: Found) -> Fact:
    return _fact(
        found, found.group("field"), found.group("new"), Said.UPDATE, many=False, old=found.group("old") or None
    )


_ACTOR: Final = (
    r"(?-i:(?:Dr|Mr|Ms|Mrs|Prof|Professor)\.? [A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2}|"
    r"[A-Z][\w'’-]+ [A-Z][\w'’-]+(?:,? [A-Z][\w'’&-]+){0,3})"
)


def _named(field: str, *, many: bool = False) -> Callable[[Found], Iterator[Fact]]:
    """Return what builds the facts of one field, whatever the sentence calls it."""

    def build(found: Found) -> Iterator[Fact]:
        said = found.match["said"].strip(" .:'\"")
        for value in entries(said) if many else (said,):
            yield _fact(found, field, value, many=many)

    return build


_purpose = _named("purpose")
_described = _named("description")
_spans = _named("timeline")
_asks = _named("call to action")
_tags = _named("hashtags", many=True)
_platform = _named("platform")
_content_type = _named("content type")


def _action(found: Found) -> Fact:
    return _fact(found, "action items", f"{found.group('name')} to {found.group('said')}", many=True)


_PLATFORM: Final = r"(?:LinkedIn|Twitter|Instagram|Facebook|TikTok|YouTube|Threads|Mastodon|Reddit|Bluesky)"
#: How people name the record that they go on to fill or to change.
_CONTEXT: Final = late_regex(
    rf"\b(?:the|this|my|our|a|an) (?:new )?{_DOCUMENT}(?: write-?up)? (?:is |was |will be )?(?:titled|entitled|called|"
    rf"for|about|named|on|regarding)(?: the)?:? ?"
    r"(?:\"(?P<double>[^\"]{3,160})\"|'(?P<single>(?:[^']|'(?=\w)){3,160}?)'(?=[\s.,;!?)]|$)|"
    rf"(?!{_PLATFORM})(?P<bare>(?-i:[A-Z])[^\"'.!?]{{4,120}}?)(?=[.]?$))",
    re.IGNORECASE,
)


def record_named(text: str) -> str | None:
    """Return the title of the document that ``text`` turns to; None where it names none."""
    match = _CONTEXT.search(text.translate(APOSTROPHES)) if len(text) < LONGEST else None
    return None if match is None else (match["double"] or match["single"] or match["bare"]).strip(" .")


#: How a value comes to be another.
_SHIFT: Final = (
    r"(?:re-?scheduled|moved|pushed|changed|shifted|went|gone|raised|cut|lowered|increased|reduced|extended|postponed|"
    r"brought|dropped|rose|risen|grew|grown|fell|fallen|updated|revised|set|put)"
)
#: What is said beside a value.
_BUT: Final = late_regex(r",? but (?:I|I'm|I've|we|we're|they|he|she)\b.*$", re.IGNORECASE | re.DOTALL)
#: That a value is another now, which is not said.
_SHIFTS: Final = late_regex(
    rf"\b(?:but|and|then|now),? (?:it|that|this)(?:'s)?(?: (?!not\b)[a-z]+){{0,3}}? {_SHIFT}\b", re.IGNORECASE
)
_ASK: Final = r"(?:add(?:ed|ing)?|includ(?:e|ed|ing)|append(?:ed)?|put)"
_DROP: Final = r"(?:remov(?:e|ed|ing)|delet(?:e|ed|ing)|drop(?:ped)?|tak(?:e|en) (?:out|off)|strik(?:e|en)|eliminate)"

#: The frames of fields, changes first.
FRAMES: Final[tuple[Frame, ...]] = (
    frame(
        "field.removed",
        "remove removed removing delete deleted deleting drop take taken strike eliminate",
        rf"\b{_DROP} (?:the )?{_QUOTE}|(?P<said>[^\"',.;]{{2,200}}?)) (?:as an? |from )(?:(?:the|my|our|its|list of|"
        rf"list) )*['\"`]?(?P<field>{_FIELD})['\"`]?(?: field| list| section)?\b",
        _removed,
        0.95,
        unguarded=True,
    ),
    frame(
        "field.added",
        "add added adding include included append put",
        rf"\b{_ASK} {_QUOTE}|(?P<said>[^\"',.;]{{2,200}}?)) (?:to|in|into|under|as) (?:(?:the|my|our|its|a|"
        rf"list of) )*['\"`]?(?P<field>{_FIELD})['\"`]?(?: field| list| section)?\b",
        _added,
        0.95,
        unguarded=True,
    ),
    frame(
        "field.included",
        "update include add updated change",
        rf"\b(?:the|my|our|its) ['\"`]?(?P<field>{_FIELD})['\"`]?(?: field| list| section)?(?: to (?:also )?|"
        rf"; please (?:also )?| and |, please |: ?)(?:{_ASK}):? {_QUOTE}|(?P<said>[^\"]{{2,300}}?)(?=[.!?]?$))",
        _added,
        0.95,
        unguarded=True,
    ),
    frame(
        "field.changed",
        "update change changed revert reverted set updated raise lower increase reduce move delete",
        rf"\b(?:the|my|our|its) ['\"`]?(?P<field>{_FIELD})['\"`]?(?: field| value)?(?: (?!from|"
        rf"to)[^.!?]{{0,60}}?)? from (?P<old>[^.!?]{{1,60}}?) (?:back )?to (?P<new>{MONEY}|"
        rf"[^.!?;]{{1,120}}?)(?=[.!?]?$|[.;,] | for | in )",
        _changed,
        0.95,
        unguarded=True,
    ),
    frame(
        "field.moved",
        "but now moved pushed changed shifted went then",
        rf"\b(?:the|my|our|its) (?P<field>{_FIELD})(?: (?:for|of|in) (?:the|this|my|our) [\w -]{{2,40}}?)? "
        rf"(?:is|was|were|had been|has been) (?:(?:originally|first|initially|set|due|to be|at|on|for|to) )*"
        rf"(?P<old>[^.!?;]{{1,50}}?),? (?:(?:but|and|then|now|later) )+(?:(?:it|that|this)(?:'s)? |"
        rf"(?:they|we|I)(?:'ve)? (?=(?:\w+ ){{1,3}}(?:it|that|this)\b))?"
        rf"(?:(?:has|have|had|was|is|been|got|since|just|later|then|now|to|be) )*"
        rf"(?:{_SHIFT}(?: (?:it|that|this))?(?: (?:up|down|back|out|forward|again))*(?: from [^.!?;,]{{1,30}}?)? "
        rf"(?:to|until|till|for) |(?<=it's )|(?<=it's now )|(?<=it is )|(?<=it is now )|(?<=now is )|(?<=is now ))"
        rf"(?P<new>{MONEY}|[^.!?;,]{{1,60}}?)(?=[.!?;,]|$| because | since | for | due | after | as )",
        _changed,
        0.9,
    ),
    frame(
        "field.reverted",
        "delete revert remove",
        rf"\b(?:the|my|our|its) (?P<field>{_FIELD})(?: value)? of (?P<old>[$€£]?[\d.,]+\w*) and (?:revert|change|set|"
        rf"restore) it (?:back )?to (?P<new>{MONEY}|[\d.,]+)",
        _changed,
        0.95,
        unguarded=True,
    ),
    frame(
        "field.set",
        "revert reset set change correct update",
        rf"\b(?:revert|reset|set|change|correct|update) (?:the|my|our|its) (?P<field>{_FIELD})(?: for (?:this|"
        rf"the) [\w ]{{2,20}}?)?"
        rf" (?:back )?to (?P<new>{MONEY})",
        _changed,
        0.95,
        unguarded=True,
    ),
    frame(
        "field.platform",
        "linkedin twitter instagram facebook tiktok youtube threads mastodon reddit bluesky",
        rf"\b(?:post|it|this)(?:'s| is| will be)(?: specifically| going)? (?:for|on) (?P<said>{_PLATFORM})\b",
        _platform,
        0.9,
    ),
    frame(
        "field.kind",
        "post update share announcement",
        r"\b(?:it's|it is|it will be|this is|this will be|(?:this|the) post (?:is|will be)) an? (?P<said>(?!new\b|"
        r"great|good|nice)"
        r"[\w-]+(?: [\w-]+){0,2} (?:post|update|share|announcement))(?=[.,!]|$| (?:about|sharing|on)\b)",
        _content_type,
        0.85,
    ),
    frame(
        "field.titled",
        "titled entitled called named about for is was",
        rf"\b(?:the|this|my|our) (?:new )?{_DOCUMENT} (?:is|was|will be) (?:titled|entitled|called|named|"
        rf"(?:for|about|regarding|on)(?: the)?)?:? ?{_QUOTE}|"
        rf"(?P<said>(?-i:[A-Z])[^\"]{{4,160}}?)(?=\.?$))",
        _titled,
        0.95,
    ),
    frame(
        "field.purpose",
        "email post message e-mail meeting letter",
        r"\b(?:the|this) (?P<verb>email|e-mail|message|letter|meeting) (?:is|was|will be) (?:meant |intended |"
        r"supposed )?(?P<said>to (?!be\b)[^!?]{10,400}?)(?=\.?$)",
        _purpose,
        0.9,
    ),
    frame(
        "field.describes",
        "project proposal initiative study paper plan research",
        r"\b(?:this|the|our) (?P<verb>project|proposal|initiative|study|plan|research|paper)(?: proposal)? (?:aims|"
        r"focuses on|proposes|involves|seeks|"
        r"intends|is (?:a|an)|will (?:focus|involve|develop|explore|examine)|is about|"
        r"centers on) (?P<said>[^!?]{10,500}?)(?=\.?$)",
        _described,
        0.8,
    ),
    frame(
        "field.span",
        "months weeks years phases span days phase",
        r"\b(?:the project|the initiative|the work|this project|the plan|the initial phase|it) (?P<verb>will (?:span|"
        r"take|last|run)|is (?:planned|expected|scheduled|projected|set|estimated)|should take|spans) "
        r"(?P<said>[^!?]{4,300}?\b(?:days|weeks|months|years|phases?)\b[^!?]*?)(?=\.?$)",
        _spans,
        0.7,
    ),
    frame(
        "field.tags",
        "use hashtags using with include add",
        r"\b(?:use|using|go with|hashtags(?: are| will be| should be)?|include|"
        r"add) (?:the hashtags )?(?P<said>#\w+(?:,? (?:and "
        r")?#\w+)*)",
        _tags,
        0.95,
    ),
    frame(
        "field.asks",
        "want ask need like asking",
        r"\bI(?:'d| would)? ?(?:want|need|like|am asking|ask) (?P<verb>them|recipients|readers|everyone|"
        r"the team) (?P<said>to (?:review|confirm|send|reply|respond|provide|schedule|approve|submit|share|sign|"
        r"complete|check|let (?:me|us)|attend|register|join) [^!?]{5,400}?)(?=\.?$)",
        _asks,
        0.9,
    ),
    frame(
        "field.action",
        "will needs to",
        rf"(?:^|, and |, )(?:the )?(?P<name>{_ACTOR}) (?:needs to|will(?: also)?|has to|is going to|is to|should|"
        rf"was asked to|agreed to) (?P<said>(?!be lead|lead the (?:project|effort)|be\b)[^!?]{{8,300}}?)(?=\.?$|"
        rf", and (?:the )?{_ACTOR} (?:needs|will|has|is|should)|,? and (?:the )?{_ACTOR} (?:needs to|will))",
        _action,
        0.85,
    ),
    frame(
        "field.decided",
        "decided agreed approved authorized",
        r"\b(?:we|the team|they) (?P<verb>decided) (?:that )?(?:to )?(?P<said>[^!?]{5,400}?)(?=\.?$)",
        _stated,
        0.75,
    ),
    frame(
        "field.leads",
        "lead leading led leads",
        r"(?:^|, )(?P<said>(?-i:[A-Z][\w.'-]+(?: [A-Z][\w.'-]+){0,3})(?:, (?:our|the|a|"
        r"an) [^,]{2,60},?)?),? (?:will be|is|will) lead(?:ing)? (?:the|this|our) (?:project|effort|team|initiative)",
        _leads,
        0.85,
    ),
    frame(
        "field.attended",
        "attended sent go sending",
        r"\b(?:(?:meeting|email|e-mail|message|it|event) (?:was|were|should be|will be|is|to be|is being) "
        r"(?P<sent>attended|sent) (?:by|to)|(?:email|e-mail|message|letter|it) (?:needs to|will|should|has to|must) "
        r"(?P<go>go) (?:out )?to|I(?:'m|'ll be| am|"
        r" will be) (?P<sending>sending it) to) (?P<said>[^!?]{3,300}?)(?=\.?$)",
        _stated,
        0.95,
    ),
    frame(
        "field.is",
        "is are was were includes include included includes: cover covers covered will would",
        rf"(?:\b(?:the|my|our|its|his|her|their|this|project's|email's|post's)|"
        rf"^(?:the )?[\w ]{{2,20}}'s|(?:^|[,;:] |\band )(?=(?:key|main|core) {_FIELD} (?:should|must|need to))) ?"
        rf"(?P<field>{_FIELD})(?: (?:for|of|in) (?:the|this|my|our) [\w -]{{2,40}}?)? "
        rf"(?:is|are|was|were|includes?|included|will be|(?:will|should|must|need to) (?:include|cover)|covers|covered|"
        rf"should be|"
        rf"would be)(?: to include|"
        rf" going to be| set (?:to|at))?:? (?!(?:not|ready|done|important|great|good|clear|very|so|really|what|how|"
        rf"that you)\b)(?P<said>{MONEY}(?=[.,; ]|$)|[^!?]{{2,500}}?(?=[.]?$))",
        _stated,
        0.8,
    ),
    frame(
        "field.wanted",
        "write draft create prepare compose",
        # What a document that is asked for has to say; nothing else of a request to write is read.
        rf"^(?:please |can you |could you |help me |I need you to )*(?:write|draft|create|prepare|compose) "
        rf"[^.!?]{{3,160}}?(?:[;,:]| [-–—]) (?:and )?(?:the |its )?(?P<field>(?:key|main|core) {_FIELD}) "
        rf"(?:should be|(?:should|must|need to|to|that) (?:include|cover)):? (?P<said>[^!?]{{2,400}}?)(?=[.?]?$)",
        _stated,
        0.8,
        unguarded=True,
    ),
    frame(
        "field.label",
        "title name deadline budget venue location date status owner author subject topic price address phone email "
        "deadline: lead goal",
        r"^(?P<field>(?-i:[A-Z])(?!(?:\w+ )*(?:I|I'm|it|we|example|you|goal|"
        r"that)\b)[\w'-]+(?: [\w'-]+){0,3}): (?P<said>\S[^!?]{0,300}?)(?=[.]?$)",
        _stated,
        0.85,
    ),
)
