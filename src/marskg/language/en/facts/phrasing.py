"""The frames of English statements: how a rule is written down, found in a sentence, and guarded.

Guarantees: pure; patterns are compiled once and tried only in a sentence that has one of their cues; what is asked,
supposed, denied, reported or said in jest is seen by :meth:`Sentence.is_hedged`, never read as said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.kept_texts import keeping_texts
from marskg.language.en.facts.changes.asked_behind import question_behind
from marskg.late_regex import late_regex
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from marskg.language.facts import Fact, Voice

_LONGEST_LIST: Final = 12
#: Longer ones are no sentence of talk.
LONGEST: Final = 600
_ENDS: Final = late_regex(r"(?<=[.!?…])[\"')\]]*\s+(?=[\"'(\[]?[^\W_])|\n+")
#: Full stops that end a title or an abbreviation.
_ABBREVIATED: Final = late_regex(
    r"(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|vs|e\.g|i\.e|etc|jr|sr|no|[a-z])\.$",
    re.IGNORECASE,
)
_WORD: Final = late_regex(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d[\d.,]*")
#: Typographic apostrophes and quotation marks, and the plain ones.
APOSTROPHES: Final = str.maketrans("’‘“”", "''\"\"")
#: Short forms written without their apostrophe that are no other word.
_UNMARKED: Final = late_regex(
    r"\b(?:i(?P<i>m|ve)|(?:they|you)(?P<they>re|ve|ll)|we(?P<we>ve)|(?:he|she|that|there|what|who|here)(?P<is>s)|"
    r"(?:do|does|did|ca|wo|is|are|was|were|have|has|had|could|would|should)n(?P<not>t))\b",
    re.IGNORECASE,
)
#: Others than the speaker, and what they say or believe that need not be so.
_OTHERS: Final = (
    r"(?:(?:she|he|they|you|people|(?:every|some|any|no)(?:one|body)|nobody|(?:my|his|her|their|our|your|the|all|most|"
    r"many|some) (?:[\w'-]+ ){0,3}?[\w'-]+|(?-i:(?!I\b|I'|We\b)[A-Z][\w'-]+)))"
)
_OFTEN: Final = r"(?:(?:also|always|still|often|once|just|really|all|both|probably|wrongly|\w+ly) )*"
_HOLDS: Final = (
    r"(?:sa(?:ys?|id)|claim(?:s|ed)?|thinks?|thought|assum(?:es?|ed)|believ(?:es?|ed)|suppos(?:es?|ed)|guess(?:es|ed)?|"
    r"reckon(?:s|ed)?|figur(?:es?|ed)|imagin(?:es?|ed)|suspect(?:s|ed)?|insist(?:s|ed)?|pretend(?:s|ed)?|expect(?:s|ed)?|"
    r"swears?|swore|jok(?:es?|ed)|tells?|told|writes?|wrote|ask(?:s|ed)?|hop(?:es?|ed)|bets?|whisper(?:s|ed)|repl(?:ies|"
    r"ied)|answer(?:s|ed)|shout(?:s|ed)|add(?:s|ed))"
)
#: Whose words they were, said behind them.
_SAID_BY: Final = late_regex(
    rf",[\"']? (?:{_OTHERS} {_OFTEN}{_HOLDS}|(?:says|said|claims|claimed|thinks|asked|replied|wrote) "
    rf"(?!I\b|we\b){_OTHERS}|according to [^,]+?)(?: (?:me|us|him|her|them|to (?:me|us|him|her|them)|"
    rf"to \w+))?[.!\"']*$",
    re.IGNORECASE,
)
_SUPPOSED: Final = late_regex(
    r"\b(?:if|unless|whether|suppos(?:e|ing)|imagine|pretend\w*|wish(?:ed)?|hypothetically|what if|as though|"
    r"wonder(?:ed|ing)?"
    r"|in case|(?:she|he|they|you|people|everyone|everybody|someone|somebody|one|who|[a-z]+ (?:says|said|claims|"
    r"thinks)) "
    r"(?:also |always |often |once |just |really |keeps? |used to )*"
    r"(?:sa(?:y|ys|id|ying)|claim(?:s|ed)?|think(?:s)?|thought|told|tells?|ask(?:s|ed)?|jok(?:es?|ed)|wrote|writes|"
    r"insist(?:s|ed)?"
    r"|believ(?:es?|ed)|swears?|swore|text(?:s|ed)|go|goes)"
    r"|(?<!\bI )(?:says|said|saying|claims|claimed|insists|swears|joked|sings|sang)(?: that| to me)?|"
    r"(?:told|tells|asked) (?:me|us|him|her|them)"
    rf"|{_OTHERS} {_OFTEN}{_HOLDS}(?: that| me| us| him| her| them| people| (?:every|some)(?:one|body)|"
    rf" to \w+)*(?=\s*$| (?:I|we|my|our)\b)"
    r"|\b(?:I|we)(?:'m|'ve| am| was|'re| are| were| have)(?: been)? (?:\w+ )?(?:told|informed|led to believe)"
    r"|once upon a time|according to|let's say|say I|for (?:example|instance)|dream(?:ed|t)|lyrics|translate)\b|"
    r"^(?:please |can you |could you |help me )?(?:write|draft|rewrite|rephrase|proofread|summari[sz]e) ",
    re.IGNORECASE,
)
_DENIED: Final = late_regex(
    r"\b(?:not|never|doubt|deny|hardly|nobody|no one|neither|nor|without|it's false|untrue|(?:ruled|ruling|rules?) out|"
    r"disprove[dsn]?|refute[ds]?|(?:false|wrong|a lie|a myth|rumou?rs?|no evidence|no proof) that)\b|n't\b",
    re.IGNORECASE,
)
#: What denies in the middle of a statement, in the place of its value, and behind it.
_DENIED_INSIDE: Final = late_regex(rf"{_DENIED.pattern}|\b(?:no|barely|scarcely|anything but)\b", re.IGNORECASE)
_NO_VALUE: Final = late_regex(
    r"(?:[a-z]+ly |almost |at all )*(?:no|not|none|nothing|nobody|neither|never|nowhere)\b", re.IGNORECASE
)
_DENIED_BEHIND: Final = late_regex(r",? (?:no (?:longer|more)|not any ?(?:more|longer)|not at all)\b", re.IGNORECASE)
_JEST: Final = late_regex(
    r"\b(?:yeah,? right|as if!?|just kidding|only kidding|i'm kidding|i'm joking|just joking|jk|sarcas\w+"
    r"|said (?:no ?one|nobody) ever|(?:as )?(?:much|fun) as a root canal|in my dreams|/s)(?:\W|$)|(?<=[ .])not!$|(?:^|"
    r"[,.…] ?)not[.!]*$|(?:^|"
    r"[.,;…!-] ?)not really[.!]*$|\s/s\b|🙄|"
    # A sentence that says of what was said that it was meant so, or not true.
    r"^(?:(?:nah|no|ok|okay|oh|well|haha\w*|lol|sorry|but|and|wait)[,.!]? )*(?:"
    r"(?:i was|i'm|i am|we were) (?:\w+ )?(?:kidding|joking|lying|teasing|making (?:that|this|it|all that) up|"
    r"messing with you|pulling your leg)|i (?:just )?(?:lied|made (?:that|this|it|all that) up)|"
    r"(?:that|this|it|all of (?:that|this|it))(?:'s| is| was)(?: (?:all|just|only|actually|obviously))* (?:an? )?"
    r"(?:lies?|joke|jest|fib|made[- ]up|untrue|not true)|(?:none|nothing) of (?:that|this|it) (?:is|was) (?:\w+ )?true)"
    r"(?=[\s.!)]*$|,| (?:of course|obviously|about (?:that|it)|there)\b)",
    re.IGNORECASE,
)
#: A jest about everything that was said before it.
_ALL_JEST: Final = late_regex(r"\b(?:all|none|nothing) of (?:that|this|it)\b", re.IGNORECASE)
#: What makes a statement a guess: words in front of it, and behind it.
_GUESS: Final = late_regex(
    r"\b(?:maybe|perhaps|possibly)(?:,? (?!(?:but|and|so|because|since|though)\b)[\w']+){0,4},? ?$", re.IGNORECASE
)
_GUESS_BEHIND: Final = late_regex(
    r"[,(–—-]+ ?(?:or )?(?:maybe|perhaps|possibly|who knows|(?:I'm )?not (?:so |quite |too )?sure)(?: not)?[.!)]*$",
    re.IGNORECASE,
)
_QUOTED: Final = late_regex(r"\"[^\"]{1,400}\"|(?<!\w)'[^'\"]{3,200}'(?!\w)")
_CLAUSE: Final = late_regex(r"[;:,(]|\s[-–—]+\s|\b(?:but|and|so|because|since|though)\b")

#: Words that say how much, how sure and since when, between a subject and its verb.
ADVERBS: Final = (
    r"(?:(?:really|actually|just|also|absolutely|always|totally|definitely|honestly|finally|recently|already|still|"
    r"now|"
    r"only|even|especially|particularly|truly|simply|genuinely|generally|usually|often|personally|quite|so|very|"
    r"pretty|"
    r"kinda|kind of|sort of|have to say i|must say i|do(?! not\b)|fondly|certainly|completely|naturally|deeply|"
    r"fully|currently|"
    r"officially|basically|probably|lately|have always|i'd say i|would say i|must admit i|have to admit i|"
    # Possessive: many of them in a row must not be tried in every division.
    r"gotta say i),? )*+"
)
#: Where the object of a statement ends.
STOP: Final = (
    r"(?=\s*(?:[.!?;:…]+(?:\s|$|[\"')])|,|\s[-–—]|—|–|\(|$)|\s+(?:but|because|since|although|though|so|which|who|when|"
    r"while|"
    r"as|lately|these days|anymore|any more|any longer|now|recently|at all|for now|though|however|even|and (?:i|i'm|"
    r"i've|"
    r"it|it's|he|she|they|we|my|now|just|really|actually|then|so|that|there|found|enjoyed|loved)|it's|i'm|they're|too|"
    r"either|"
    r"more than|much more|to be honest|if|until|after|before|especially|if you|instead|than|again)\b)"
)


class Sentence:
    """A sentence with its place in the text and what its frames are looked up by.

    ``text`` has plain apostrophes and quotation marks and the length of what is written; ``before`` and ``after``
    are the sentences beside it.
    """

    __slots__ = ("after", "asks", "before", "jests", "jests_all", "start", "text", "words")

    def __init__(self, written: str, start: int, before: str = "") -> None:
        """Read ``written``, which begins at ``start`` of the text and follows the sentence ``before``."""
        self.start = start
        self.before = before
        self.after = ""
        self.text = written.translate(APOSTROPHES)
        self.words = frozenset(_WORD.findall(self.text.lower()))
        self.asks = self.text.rstrip("\"')] ").endswith("?")
        self.jests = _JEST.search(self.text) is not None
        self.jests_all = self.jests and _ALL_JEST.search(self.text) is not None

    def is_quoted(self, place: int) -> bool:
        """Return whether ``place`` lies in quotation marks."""
        if '"' not in self.text and "'" not in self.text:
            return False
        return any(match.start() < place < match.end() - 1 for match in _QUOTED.finditer(self.text))

    def is_hedged(self, place: int) -> bool:
        """Return whether what begins at ``place`` is asked, supposed, guessed, denied, reported or quoted."""
        return (
            self.asks
            or self.is_quoted(place)
            or self.is_supposed(place)
            or self.is_denied(place)
            or self.is_reported(place)
            or _GUESS.search(self.text, 0, place) is not None
            or _GUESS_BEHIND.search(self.text, place) is not None
        )

    def is_reported(self, place: int) -> bool:
        """Return whether behind ``place`` is said whose words they were: "I hate tea, she said"."""
        return _SAID_BY.search(self.text, place) is not None

    def is_supposed(self, place: int) -> bool:
        """Return whether what stands before ``place`` makes what follows a supposition or somebody else's words."""
        return _SUPPOSED.search(self.text, 0, place) is not None

    def is_denied(self, place: int) -> bool:
        """Return whether the clause that ``place`` stands in is denied before it."""
        clause = max((match.end() for match in _CLAUSE.finditer(self.text, 0, place)), default=0)
        return _DENIED.search(self.text, clause, place) is not None

    def is_denied_inside(self, match: re.Match[str]) -> bool:
        """Return whether a frame's match denies what it says: between its beginning and its value, or by its value."""
        value = max((match.start(name) for name in match.groupdict()), default=match.start())
        inside = _DENIED_INSIDE.search(self.text, match.start(), max(value, match.start()))
        return (
            inside is not None
            or _NO_VALUE.match(self.text, max(value, match.start())) is not None
            or _DENIED_BEHIND.match(self.text, match.end()) is not None
        )


#: A statement of one's own whose subject is left out, with what stands in its place: words that no order begins with.
_ELIDED: Final = late_regex(
    r"^(?P<lead>(?:(?:just|finally|also|still|really|already|recently|so|and|but|oh|yeah|ok|okay|well|anyway|btw|"
    r"fyi|note to self|reminder),?:? )*)(?P<verb>(?P<am>allergic to|not (?:a (?:big |huge )?fan of|into|keen on)"
    r"|living in|working (?:at|as|for)|moving to|"
    r"flying to|going to|off to|done with|married to|engaged to)|(?P<was>diagnosed with|born in)|can't|cannot|need to|"
    r"have to|got|bought|ordered|paid|spent|started|moved|switched|gave up|finished|hate|prefer|loved?(?! (?:and|"
    r"is|are|was|can|will|of|from|for|has|makes?|you|your|it|that|this|those|these|the|how|what|"
    r"to (?:hear|see))\b)|"
    r"booked|signed up|joined|adopted|turned|earned|used to|want to)\b",
    re.IGNORECASE,
)


def with_subject(sentence: Sentence) -> Sentence | None:
    """Return a sentence whose subject was left out with "I" before it: "can't stand techno"; None for any other."""
    match = _ELIDED.match(sentence.text)
    if match is None:
        return None
    subject = "I'm " if match["am"] else "I was " if match["was"] else "I "
    rest = sentence.text[match.start("verb") :]
    whole = Sentence(
        f"{subject}{rest[:1].lower()}{rest[1:]}",
        sentence.start + match.start("verb") - len(subject),
        sentence.before,
    )
    whole.after = sentence.after
    return whole


class Found(NamedTuple):
    """A frame that fits: its sentence, the match, and who speaks."""

    sentence: Sentence
    match: re.Match[str]
    voice: Voice
    rule: str
    confidence: float

    @property
    def who(self) -> str:
        """The speaker's name."""
        return self.voice.name or "The user"

    def group(self, name: str) -> str:
        """Return what stands at a part of the frame, without marks around it; empty where there is none."""
        return (self.match.groupdict().get(name) or "").strip(" ,.;:!?\"'")

    @property
    def span(self) -> tuple[int, int]:
        """The place of the match in the text."""
        start, end = self.match.span()
        while end > start and self.sentence.text[end - 1].isspace():
            end -= 1
        return self.sentence.start + start, self.sentence.start + end


@dataclass(frozen=True, slots=True)
class Frame:
    """A rule: the words one of which must occur, the pattern, and what a match says; None where it says nothing.

    ``asked`` lets a frame read requests that have the form of a question; ``hedged`` reads what others deny.
    """

    rule: str
    cues: frozenset[str]
    pattern: str
    build: Callable[[Found], Fact | Iterable[Fact] | None]
    confidence: float
    unguarded: bool = False


def frame(
    rule: str,
    cues: str,
    pattern: str,
    build: Callable[[Found], Fact | Iterable[Fact] | None],
    confidence: float,
    *,
    unguarded: bool = False,
) -> Frame:
    """Return the frame whose ``pattern`` is tried where one of the words ``cues`` occurs.

    ``unguarded`` frames see to denials and questions themselves.
    """
    return Frame(rule, frozenset(cues.split()), pattern, build, confidence, unguarded=unguarded)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a frame's pattern, compiled when a text first has one of its cues."""
    return re.compile(pattern, re.IGNORECASE)


def _goes_on(text: str, start: int, match: re.Match[str]) -> bool:
    """Return whether a full stop ends no sentence: an abbreviation's, or one inside of quotation marks."""
    if match[0][0] in "\"'" and text[match.end()].islower():
        return True
    return _ABBREVIATED.search(text, max(start, match.start() - 8), match.start()) is not None


def marked(text: str) -> tuple[str, list[int]]:
    """Return ``text`` with the apostrophes that its short forms lack, and where in the new text they stand."""
    places: list[int] = []

    def mark(match: re.Match[str]) -> str:
        behind = len(match[match.lastgroup or 0])
        places.append(match.end() - behind + len(places))
        return f"{match[0][:-behind]}'{match[0][-behind:]}"

    return _UNMARKED.sub(mark, text), places


def sentences_of(text: str) -> list[Sentence]:
    """Return the sentences of ``text`` that are short enough to be talk; a question about a statement is its own."""
    start = 0
    found: list[Sentence] = []
    for match in (*_ENDS.finditer(text), None):
        end = match.start() if match else len(text)
        if match is not None and "\n" not in match[0] and _goes_on(text, start, match):
            continue
        shift = len(text[start:end]) - len(text[start:end].lstrip())
        written = text[start:end].strip()
        # A line after ">" is of the mail that is answered.
        if 0 < len(written) <= LONGEST and not written.startswith(">"):
            asked = question_behind(written)
            parts = [(0, len(written))] if asked is None else [(0, asked.start()), (asked.end(), len(written))]
            for first, last in parts:
                found.append(Sentence(written[first:last], start + shift + first, found[-1].text if found else ""))
                if len(found) > 1:
                    found[-2].after = found[-1].text
        start = match.end() if match else end
    return found


def entries(value: str) -> list[str]:
    """Return the entries of a list in a sentence: "a, b and c".

    A comma in brackets divides nothing, nor one between semicolons or in quotation marks; what only adds to the entry
    before it, a role after a name, the division that it is in or "focusing on ...", stays with it.
    """
    held = _BRACKET.sub(lambda match: match[0].replace(",", "\0"), value)
    marked_off = next((mark.split(held) for mark in (_QUOTES, _SEMICOLONS) if mark.search(held) is not None), None)
    whole = marked_off is not None and not any(_CLAUSE_BEGINS.match(part) for part in marked_off)
    parts = marked_off if marked_off is not None and whole else _parts(held)
    found: list[str] = []
    for part in parts:
        plain = re.sub(r"^(?:to|and|the|an?) ", "", part.replace("\0", ",").strip(" ,.;'\"")).strip(" '\"")
        if found and not whole and _adds(found[-1], plain):
            found[-1] += f", {plain}"
        elif plain:
            found.append(plain)
    return found[:_LONGEST_LIST]


def _parts(held: str) -> list[str]:
    """Return what stands between the commas of a list, the last two divided by "and"."""
    if _VERBAL.match(held):
        return re.split(r",?\s+(?:and|as well as)\s+to\s+|,\s+to\s+|,\s+and\s+(?=[a-z]+\b)", held)
    parts = re.split(r",\s+(?:and\s+|as well as\s+)?", _AND_SOMEBODY.sub(", ", held))
    if ", and " in held or " as well as " in held:
        return parts
    last = parts[-1].rsplit(" and ", 1)
    # "Head of Sales and Service" is one role.
    if len(parts) > 1 and _ROLE.search(parts[-1]) and _PERSON.search(parts[-2]) and not _PERSON.search(last[-1]):
        return parts
    return [*parts[:-1], *last]


def _adds(before: str, plain: str) -> bool:
    """Return whether a part of a list goes on about the entry ``before`` it."""
    if _ADDS.match(plain) is not None:
        return True
    name, _, role = before.partition(", ")
    if _PERSON.search(name) is None:
        return False
    return (_ROLE.search(plain) if not role else _ROLE.search(role) and _DIVISION.search(plain)) is not None


_BRACKET: Final = late_regex(r"\([^()]*\)")
_VERBAL: Final = late_regex(r"(?:to )?(?!the\b|an?\b)[a-z]+ (?:a|an|the|our|all|more|new|\w+ing|\w+ed|\w+ly|\d+)\b")
_ADDS: Final = late_regex(
    r"(?:\w+ing(?=\s)|with|which|including|as|where|while|due|aiming|by|for|based|such|"
    r"especially)\b"
)
_ROLE: Final = late_regex(
    r"^(?:(?:our|the|a|an) )?(?:[\w&-]+ ){0,5}?(?:head|chief|directors?|managers?|lead|officer|presidents?|vp|"
    r"c[efiot]o|advisor|analyst|"
    r"engineer|designer|researcher|coordinator|specialist|strategist|writer|consultant|representative|investigator|"
    r"professor|"
    r"scientist|partner|counsel|editor)\b",
    re.IGNORECASE,
)
#: Where a role is held, behind it.
_DIVISION: Final = late_regex(
    r"^[A-Z][\w&' -]*\b(?:Division|Departments?|Dept|Team|Unit|Group|Office|Region|Branch|Section|Sector|Studios?|"
    r"Labs?|Institute|University|College|School|Company|Corporation|Corp|Inc|Ltd|LLC|GmbH|Agency|Ministry|Council)\.?$"
)
_QUOTES: Final = late_regex(r"(?<=[\w.!?)])\"(?:[,;]| and|[,;] and) \"(?=\w)")
_SEMICOLONS: Final = late_regex(r";\s+(?:and\s+)?")
#: What begins a clause of its own behind a semicolon.
_CLAUSE_BEGINS: Final = late_regex(
    r"\s*(?:I|I'm|I'd|we|it|it's|they|this|that|these|please|can|could|let|let's|make|so|but|if|also|there)\b",
    re.IGNORECASE,
)
#: A name with a role behind "and".
_AND_SOMEBODY: Final = late_regex(
    rf",? and (?=(?-i:[A-Z][\w'’-]+ [A-Z][\w'’-]+), {_ROLE.pattern.removeprefix('^')})", re.IGNORECASE
)
_PERSON: Final = late_regex(r"(?:^|\b(?:Dr|Mr|Ms|Mrs|Prof|Professor)\.? )(?:[A-Z][\w'’-]+ ?){2,3}$")


@keeping_texts(20_000)
def key_of(words: str) -> str:
    """Return the part of a key that a phrase gives: its stems, so that "preparing the notes" is "prepare notes"."""
    return " ".join(terms(words))[:120]
