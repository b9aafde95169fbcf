"""Typed relations between entities that one sentence states, read by patterns.

Guarantees: both ends are among the mentions, or one is the speaker; a sentence that denies, asks, supposes or puts
into the past states nothing; the result has each relation once, in the order of the patterns' matches.

A text is matched as its *shape*: small letters, each mention replaced by its number between two control characters, so
that a pattern never mistakes what a name is made of for a word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.entities.model import EntityType
from marskg.ontology.vocabulary import EdgeType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OPEN, CLOSE = "\x01", "\x02"
#: The number of a mention that is the speaker.
SPEAKER: Final = -1
_ONE: Final = rf"{OPEN}\d+{CLOSE}"
_LIST: Final = rf"{_ONE}(?:(?:, and |, | and ){_ONE}){{0,9}}"
_NUMBER: Final = re.compile(rf"{OPEN}(\d+){CLOSE}")
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
_NEGATED: Final = re.compile(
    r"\b(?:not|never|no longer|used to|former|formerly|previously|if|would|might|wish|anymore|any more|hardly|neither)"
    r"\b|n['’]t\b|\bex-"
)
_CLAUSE_MARKS: Final = ".!?;\n"
_CLAUSE_END: Final = re.compile(r"[.!?;\n]")
#: How far a sentence reaches to both sides of what it states, in characters.
_SENTENCE: Final = 300


class _Pattern(NamedTuple):
    """One way to state a relation; ``source`` and ``target`` are groups, or None for the speaker."""

    type: EdgeType
    shape: re.Pattern[str]


def _pattern(type_: EdgeType, shape: str) -> _Pattern:
    """Return a pattern in which ``{a}`` is the source, ``{b}`` the target, each one mention or a list."""
    text = shape.replace("{a}", f"(?P<a>{_LIST})").replace("{b}", f"(?P<b>{_LIST})")
    text = text.replace("{some}", _SOME).replace("{friend}", f"(?:{_FRIEND})").replace("{boss}", f"(?:{_BOSS})")
    text = text.replace("{colleague}", f"(?:{_COLLEAGUE})").replace("{job}", f"(?:{_JOB})")
    return _Pattern(type_, re.compile(text))


_W, _F, _C = EdgeType.WORKS_AT, EdgeType.FRIEND_OF, EdgeType.COLLEAGUE_OF
_R, _P, _I = EdgeType.REPORTS_TO, EdgeType.PART_OF, EdgeType.IS_A
_ADVERB: Final = "(?:also |now |currently |just |recently |has |have |still )?"
_SOCIAL: Final = tuple(
    _pattern(type_, shape.replace("{x}", kind))
    for type_, kind in ((_F, "{friend}"), (_C, "{colleague}"))
    for shape in (
        r"\bmy {some}{x}(?: is| are|,| named| called)? {b}",
        r"{b}(?:,| is| are|, who is) (?:a |an |one of )?(?:my )?{some}{x} of mine",
        r"{b}(?:,| is| are|, who is) (?:a |one of )?my {some}{x}",
        r"\bi(?:['’]m| am) {some}{x} (?:with|of) {b}",
        r"{a}['’]s {some}{x},? (?:is )?{b}",
        r"{a} (?:is|are) (?:a |an )?{some}{x} (?:of|with) {b}",
        r"{a}(?:,| is) {b}['’]s {some}{x}",
    )
)
_PATTERNS: Final = (
    *_SOCIAL,
    _pattern(_C, rf"{{a}} {_ADVERB}(?:works|working|worked) (?:together )?with {{b}}"),
    _pattern(_C, rf"\bi {_ADVERB}work (?:together )?with {{b}}"),
    _pattern(
        _W,
        rf"{{a}}(?:,[^,.!?{OPEN}]{{1,40}},| who)? {_ADVERB}(?:works|is working|work|is employed|is employed as \w+) "
        rf"(?:as [\w -]{{1,30}} )?(?:at|for|by) (?:the )?{{b}}",
    ),
    _pattern(
        _W, rf"\bi(?:['’]m| am)? {_ADVERB}(?:work|working|employed) (?:as [\w -]{{1,30}} )?(?:at|for|by) (?:the )?{{b}}"
    ),
    _pattern(_W, rf"{{a}} {_ADVERB}(?:joined|joins) (?:the )?{{b}}"),
    _pattern(_W, rf"\bi(?:['’]ve)? {_ADVERB}joined (?:the )?{{b}}"),
    _pattern(_W, r"{a}(?:,| is) (?:(?:a|an|the|our) )?(?:[\w-]+ ){0,3}{job} (?:at|with) (?:the )?{b}"),
    _pattern(_W, r"\bi(?:['’]m| am) (?:a|an|the) (?:[\w-]+ ){0,3}{job} (?:at|with|for) (?:the )?{b}"),
    _pattern(_W, r"\bmy (?:employer|company)(?: is|,) {b}"),
    _pattern(_W, r"{b} (?:hired|employs|has hired) {a}"),
    _pattern(_R, r"\bmy {some}{boss}(?: is|,| is called| named| called)? {b}"),
    _pattern(_R, r"{b}(?:,| is|, who is) my {some}{boss}"),
    _pattern(_R, r"{a}['’]s {some}{boss}(?: is|,)? {b}"),
    _pattern(_R, r"{b}(?:,| is) {a}['’]s {some}{boss}"),
    _pattern(_R, rf"{{a}}(?:, who)? {_ADVERB}(?:reports|report|is reporting|works under) (?:directly )?(?:to )?{{b}}"),
    _pattern(_R, rf"\bi {_ADVERB}(?:report|work under) (?:directly )?(?:to )?{{b}}"),
    _pattern(_R, r"\bi [^.!?;\n]{1,80}? and (?:i )?(?:report|work under) (?:directly )?(?:to )?{b}"),
    _pattern(_R, rf"{{a}} {_ADVERB}(?:reports|report) (?:directly )?to me\b"),
    _pattern(_R, r"{b} manages {a}"),
    _pattern(_R, r"{b} manages me\b"),
    _pattern(
        _P,
        r"{a}(?:,| is| are|, which is) (?:now |also )?(?:a |an |the )?(?:integral )?(?:part|division|subsidiary|member|branch|"
        r"department|district|suburb|unit) of (?:the |a |my |our )?{b}",
    ),
    _pattern(_P, r"{a} belongs? to (?:the |my |our )?{b}"),
    _pattern(_P, r"\bi(?:['’]m| am) (?:now |also )?(?:a |an )?(?:part|member) of (?:the )?{b}"),
    _pattern(
        _I, r"{a} (?:is|are) (?:a |an |one )?(?:kind|type|breed|species|form|variet(?:y|ies)|sort)s? of (?:a |an )?{b}"
    ),
)
_ACROSS: Final = (
    (_F, re.compile(rf"(?P<all>{_ONE}(?:, {_ONE}){{0,9}},? and {_ONE}) are {_SOME}(?:{_FRIEND})\b")),
    (_C, re.compile(rf"(?P<all>{_ONE}(?:, {_ONE}){{0,9}},? and {_ONE}) are {_SOME}(?:{_COLLEAGUE})\b")),
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
    for type_, pattern in _PATTERNS:
        for match in pattern.finditer(shaped):
            if _is_denied(shaped, match):
                continue
            groups = match.groupdict()
            sources = numbers(groups["a"]) if "a" in groups else [SPEAKER]
            targets = numbers(groups["b"]) if "b" in groups else [SPEAKER]
            yield from ((type_, source, target) for source in sources for target in targets)
    for type_, across in _ACROSS:
        for match in across.finditer(shaped):
            if not _is_denied(shaped, match):
                everyone = numbers(match["all"])
                yield from ((type_, everyone[0], other) for other in everyone[1:])


def _is_denied(shaped: str, match: re.Match[str]) -> bool:
    """Return whether the sentence around ``match`` denies, asks, supposes or tells of the past."""
    start = max(0, match.start() - _SENTENCE)
    start = max(start, *(shaped.rfind(mark, start, match.start()) for mark in _CLAUSE_MARKS))
    following = _CLAUSE_END.search(shaped, match.end(), match.end() + _SENTENCE)
    end = following.start() if following else match.end() + _SENTENCE
    if following is not None and following[0] == "?":
        return True
    return _NEGATED.search(shaped, start, end) is not None


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
