"""Typed relations between entities that one sentence states, read by patterns.

Guarantees: both ends are among the mentions, or one is the speaker; a sentence that denies, asks, supposes or puts
into the past states nothing; the result has each relation once, in the order of the patterns' matches.

A text is matched as its *shape*: small letters, each mention replaced by its number between two control characters, so
that a pattern never mistakes what a name is made of for a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.language.mentions import EntityType
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import EdgeType

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping, Sequence

OPEN, CLOSE = "\x01", "\x02"
#: The number of a mention that is the speaker.
SPEAKER: Final = -1
_ONE: Final = rf"{OPEN}\d+{CLOSE}"
_LIST: Final = rf"{_ONE}(?:(?:, and |, | and ){_ONE}){{0,9}}"
_NUMBER: Final = late_regex(rf"{OPEN}(\d+){CLOSE}")
_MANY: Final = (
    "best|old|new|close|good|dear|closest|oldest|current|former|line|direct|senior|school|college|childhood|work|team"
)
_SOME: Final = rf"(?:(?:{_MANY}) ){{0,2}}"
_FRIEND: Final = "friends?|buddy|buddies|pals?"
_COLLEAGUE: Final = "colleagues?|co-?workers?|team-?mates?"
_BOSS: Final = "manager|boss|supervisor|team lead|team leader|advisor|adviser"
_JOB: Final = (
    "analyst|engineer|developer|designer|consultant|researcher|scientist|strategist|writer|editor|manager|director|"
    "officer|lead|nurse|doctor|teacher|lecturer|professor|accountant|lawyer|specialist|architect|president|ceo|cfo|cto"
)
#: What in a sentence, up to the end of what it states, takes it back.
_DENIED: Final = late_regex(
    r"\b(?:not|never|no longer|used to|if|wish|hardly|neither|was|were|former|formerly|previously|previous)\b"
    r"|n['’]t\b|\bex-"
)
_OVER: Final = late_regex(r"\b(?:anymore|any more|any longer|no longer)\b")
#: "My former manager Ann" is the only way to name her that takes back what it says.
_FORMER: Final = late_regex(rf"\b(?:former|previous|ex|old (?:{_BOSS}|{_COLLEAGUE}|job|employer|company))\b")
_CLAUSE_MARKS: Final = ".!?;\n"
_CLAUSE_END: Final = late_regex(r"[.!?;\n]")
#: How far a sentence reaches to both sides of what it states, in characters.
_SENTENCE: Final = 300
_ADVERB: Final = "(?:also |now |currently |just |recently |has |have |still )?"
_W, _F, _C = EdgeType.WORKS_AT, EdgeType.FRIEND_OF, EdgeType.COLLEAGUE_OF
_R, _P, _I = EdgeType.REPORTS_TO, EdgeType.PART_OF, EdgeType.IS_A


class _Pattern(NamedTuple):
    """One way to state a relation: the source is group ``a``, the target ``b``, a missing one the speaker.

    With ``all`` the first of a list is related to each of the others.
    """

    type: EdgeType
    shape: re.Pattern[str]


def _pattern(type_: EdgeType, shape: str) -> _Pattern:
    """Return a pattern in which ``{a}`` is the source, ``{b}`` the target, each one mention or a list."""
    text = shape.replace("{a}", f"(?P<a>{_LIST})").replace("{b}", f"(?P<b>{_LIST})")
    text = text.replace("{all}", rf"(?P<all>{_ONE}(?:, {_ONE}){{0,9}},? and {_ONE})").replace("{some}", _SOME)
    text = text.replace("{boss}", f"(?:{_BOSS})").replace("{job}", f"(?:{_JOB})").replace("{adverb}", _ADVERB)
    return _Pattern(type_, late_regex(text))


def _social(type_: EdgeType, kind: str) -> tuple[_Pattern, ...]:
    """Return the patterns of a relation that a noun such as ``friend`` names."""
    shapes = (
        r"\bmy {some}{x}(?: is| are|,| named|, called)? {b}",
        r"{b}(?:,| is| are|, who is) (?:a |an |one of )?(?:my )?{some}{x} of mine",
        r"{b}(?:,| is| are|, who is) (?:a |one of )?my {some}{x}",
        r"\bi(?:['’]m| am) {some}{x} (?:with|of) {b}",
        r"{a}['’]s {some}{x},? (?:is )?{b}",
        r"{a} (?:is|are) (?:a |an )?{some}{x} (?:of|with) {b}",
        r"{a}(?:,| is) {b}['’]s {some}{x}",
        r"{all} are {some}{x}\b",
    )
    return tuple(_pattern(type_, shape.replace("{x}", f"(?:{kind})")) for shape in shapes)


#: Words of which one must occur, and the patterns that are tried then.
_GROUPS: Final[tuple[tuple[tuple[str, ...], tuple[_Pattern, ...]], ...]] = (
    (("friend", "budd", "pal"), _social(_F, _FRIEND)),
    (("colleague", "worker", "mate"), _social(_C, _COLLEAGUE)),
    (
        ("work",),
        (
            _pattern(_C, r"{a} {adverb}(?:works|working) (?:together )?with {b}"),
            _pattern(_C, r"\bi {adverb}work (?:together )?with {b}"),
        ),
    ),
    (
        ("work", "employ", "hired", "company"),
        (
            _pattern(
                _W,
                rf"{{a}}(?:,[^,.!?{OPEN}]{{1,40}},| who|, who)? {{adverb}}(?:works|is working|work|is employed) "
                r"(?:as [\w -]{1,30} )?(?:at|for|by) (?:the )?{b}",
            ),
            _pattern(
                _W,
                r"\bi(?:['’]m| am)? {adverb}(?:work|working|employed) (?:as [\w -]{1,30} )?(?:at|for|by) (?:the )?{b}",
            ),
            _pattern(_W, r"\bmy (?:employer|company)(?: is|,)? {b}"),
            _pattern(_W, r"{b} (?:has |just )?(?:hired|employs) {a}"),
        ),
    ),
    (
        ("join",),
        (
            _pattern(_W, r"{a} {adverb}(?:joined|joins) (?:the )?{b}"),
            _pattern(_W, r"\bi(?:['’]ve)? {adverb}joined (?:the )?{b}"),
        ),
    ),
    (
        (" at ", " with ", " for "),
        (
            _pattern(_W, r"{a}(?:,| is) (?:(?:a|an|the|our) )?(?:[\w-]+ ){0,3}{job} (?:at|with) (?:the )?{b}"),
            _pattern(_W, r"\bi(?:['’]m| am) (?:a|an|the) (?:[\w-]+ ){0,3}{job} (?:at|with|for) (?:the )?{b}"),
        ),
    ),
    (
        ("boss", "manage", "supervis", "lead", "advis"),
        (
            _pattern(_R, r"\bmy {some}{boss}(?: is|,| is called| named|, called)? {b}"),
            _pattern(_R, r"{b}(?:,| is|, who is) my {some}{boss}"),
            _pattern(_R, r"{a}['’]s {some}{boss}(?: is|,)? {b}"),
            _pattern(_R, r"{b}(?:,| is) {a}['’]s {some}{boss}"),
            _pattern(_R, r"{b} manages {a}"),
            _pattern(_R, r"{b} manages me\b"),
        ),
    ),
    (
        ("report", "under"),
        (
            _pattern(_R, r"{a}(?:, who)? {adverb}(?:reports|report|works under) (?:directly )?(?:to )?{b}"),
            _pattern(_R, r"\bi {adverb}(?:report|work under) (?:directly )?(?:to )?{b}"),
            _pattern(_R, r"\bi [^.!?;\n]{1,80}? and (?:i )?(?:report|work under) (?:directly )?(?:to )?{b}"),
            _pattern(_R, r"{a} {adverb}(?:reports|report) (?:directly )?to me\b"),
        ),
    ),
    (
        ("part", "belong", "division", "subsidiary", "member", "branch", "district", "suburb", "unit"),
        (
            _pattern(
                _P,
                r"{a}(?:,| is| are|, which is) (?:now |also )?(?:a |an |the )?(?:integral )?"
                r"(?:part|division|subsidiary|member|branch|department|district|suburb|unit) of "
                r"(?:the |a |my |our )?{b}",
            ),
            _pattern(_P, r"{a} belongs? to (?:the |my |our )?{b}"),
            _pattern(_P, r"\bi(?:['’]m| am) (?:now |also )?(?:a |an )?(?:part|member) of (?:the )?{b}"),
        ),
    ),
    (
        (" of ",),
        (
            _pattern(
                _I,
                r"{a} (?:is|are) (?:a |an |one )?(?:kind|type|breed|species|form|variet(?:y|ies)|sort)s? of "
                r"(?:a |an )?{b}",
            ),
        ),
    ),
)
_NO_PERSON: Final = frozenset({EntityType.PLACE, EntityType.TIME, EntityType.WORK, EntityType.THING})


def shape(text: str, spans: Sequence[tuple[int, int, int]]) -> str:
    """Return ``text`` in small letters with ``(start, end, number)`` replaced by the numbers of the mentions."""
    pieces, end = [], 0
    for start, stop, number in spans:
        pieces += [_plain(text[end:start]), f"{OPEN}{number}{CLOSE}"]
        end = stop
    pieces.append(_plain(text[end:]))
    return "".join(pieces)


def _plain(text: str) -> str:
    return (
        text.lower().replace(OPEN, " ").replace(CLOSE, " ").replace("dr. ", "").replace("mr. ", "").replace("ms. ", "")
    )


def find_relations(shaped: str, types: Sequence[str | None], *, speaker: bool) -> list[tuple[int, EdgeType, int]]:
    """Return ``(source, type, target)`` by the numbers of the mentions; :data:`SPEAKER` where that is meant.

    ``types`` has the entity type of each mention. Relations with the speaker need ``speaker``.
    """
    found: dict[tuple[int, EdgeType, int], None] = {}
    for type_, source, target in _stated(shaped):
        fitting = _fitting(type_, _type_of(source, types), _type_of(target, types))
        if fitting is None or source == target or (not speaker and SPEAKER in {source, target}):
            continue
        found.setdefault((source, fitting, target))
    return list(found)


def numbers(text: str) -> list[int]:
    """Return the numbers of the mentions in a piece of a shape."""
    return [int(number) for number in _NUMBER.findall(text)]


def _stated(shaped: str) -> Iterator[tuple[EdgeType, int, int]]:
    for triggers, patterns in _GROUPS:
        if not any(trigger in shaped for trigger in triggers):
            continue
        for type_, pattern in patterns:
            for match in pattern.finditer(shaped):
                if not _is_denied(shaped, match):
                    yield from ((type_, source, target) for source, target in _ends(match.groupdict()))


def _ends(groups: Mapping[str, str]) -> list[tuple[int, int]]:
    """Return the pairs of source and target that a match names."""
    if "all" in groups:
        first, *others = numbers(groups["all"])
        return [(first, other) for other in others]
    sources = numbers(groups["a"]) if "a" in groups else [SPEAKER]
    targets = numbers(groups["b"]) if "b" in groups else [SPEAKER]
    return [(source, target) for source in sources for target in targets]


def _is_denied(shaped: str, match: re.Match[str]) -> bool:
    """Return whether the sentence around ``match`` denies, asks, supposes or tells of the past.

    Who says ``my manager Ann`` takes it for granted, so that only ``former`` takes it back.
    """
    if match[0].startswith("my ") and " is " not in match[0] and " are " not in match[0]:
        return _FORMER.search(match[0]) is not None
    start = max(0, match.start() - _SENTENCE)
    start = max(start, *(shaped.rfind(mark, start, match.start()) for mark in _CLAUSE_MARKS))
    following = _CLAUSE_END.search(shaped, match.end(), match.end() + _SENTENCE)
    end = following.start() if following else match.end() + _SENTENCE
    if following is not None and following[0] == "?":
        return True
    if _FORMER.search(match[0]) is not None or _DENIED.search(shaped, start, match.end()) is not None:
        return True
    return _OVER.search(shaped, match.end(), end) is not None


def _type_of(number: int, types: Sequence[str | None]) -> str | None:
    return EntityType.PERSON if number == SPEAKER else types[number]


def _fitting(type_: EdgeType, source: str | None, target: str | None) -> EdgeType | None:
    """Return the relation that the types of its ends allow; None where they allow none."""
    if type_ is EdgeType.WORKS_AT:
        if source in _NO_PERSON or target in {EntityType.TIME, EntityType.WORK, EntityType.THING}:
            return None
        return EdgeType.REPORTS_TO if target == EntityType.PERSON else type_
    if type_ in {EdgeType.FRIEND_OF, EdgeType.COLLEAGUE_OF, EdgeType.REPORTS_TO}:
        return None if source in _NO_PERSON or target in _NO_PERSON else type_
    return None if type_ is EdgeType.PART_OF and target == EntityType.PERSON else type_
