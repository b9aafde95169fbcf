"""What English speakers tell of their own lives: who did, has, plans or feels what, in few words and the third person.

Guarantees: pure. Clauses that go on about the same are told together, as long as they are short enough; of those of a
turn the ones are taken that are likely to be worth remembering, none twice.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.language.en.facts.clauses_said import clauses_of, stems_of
from marskg.language.en.facts.phrasing import key_of
from marskg.language.en.facts.third_person import told
from marskg.language.facts import Fact
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from marskg.language.en.facts.clauses_said import Clause
    from marskg.language.en.facts.phrasing import Sentence
    from marskg.language.facts import Voice

_PAST: Final = late_regex(
    r"\b(?:I|we)(?:'d)? (?:\w+ly |just |also |even )*(?:(?!need)\w+ed|went|got|made|took|came|saw|found|gave|told|"
    r"felt|"
    r"had|met|"
    r"bought|"
    r"started|began|won|lost|read|ran|did|spent|wrote|was|were|left|built|taught|drove|ate|hit|hurt|sold|sent|paid|"
    r"fell|flew|"
    r"chose|led|kept)\b|\b(?:yesterday|last (?:week|night|month|year|weekend|summer|winter|spring|fall|\w+day)|ago)\b",
    re.IGNORECASE,
)
_OPENS: Final = late_regex(r"(?<=\. )[a-z]")
#: The most clauses and stems that are told together, and the most sentences they come from.
_MOST: Final = 3
_LONGEST: Final = 14
_SENTENCES: Final = 2
_FEW: Final = 3
#: How a speaker is in a clause; the names of the groups are signs.
_SPEAKER: Final = late_regex(
    r"\b(?:I|we)(?:'d)? (?:\w+ly |just |also |even )*(?:(?P<past>(?!need|feed|embed)\w+ed|went|got|made|took|came|saw|"
    r"found|gave|had|met|bought|began|won|lost|read|ran|did|spent|wrote|left|built|taught|drove)|"
    r"(?P<can>can|could|can't|couldn't|will|won't))\b|(?P<shall>\b(?:I|we)'ll\b)"
    r"|\b(?:I'm|we're|I am|we are) (?:\w+ly |just |also |still )*(?:(?P<plans>gonna|going|planning|thinking|"
    r"considering|"
    r"hoping|trying|looking|aiming)|(?P<doing>\w+ing)|(?P<is_in>an?|the|in|on|at|from|part)|(?P<mood>\w+ed|happy|sad|"
    r"proud|glad|sure|sorry|lucky|thankful|grateful|ready|open|curious|keen|down|up))\b"
    r"|\b(?:I've|we've|I have|we have) been (?:\w+ly |also |just )*(?P<been>\w+ing)\b"
    r"|(?P<before>\byesterday\b|\blast (?:week|night|month|year|weekend|summer|winter|spring|fall|[a-z]+day)\b|\bago\b"
    r"|\brecently\b|\bthe other day\b)|(?P<ahead>\btomorrow\b|\btonight\b|\bnext (?:week|month|year|weekend|summer|"
    r"[a-z]+day)\b|\bsoon\b|\bthis (?:week|weekend|month|summer)\b)|(?P<name>(?-i:(?<=[a-z,] )[A-Z][a-z]{2,}))"
    r"|(?P<title>\")|(?P<long>(?-i:\b[a-z]{9,}\b))",
    re.IGNORECASE,
)
_OWN: Final = late_regex(r"(?:I|we|I'm|I've|I'd|I'll|we're|we've|we'll|my|our)\b", re.IGNORECASE)
#: What changes or marks a life, said in however few words.
_TURNS: Final = late_regex(
    r"\b(?:I|we)(?:'ve| have)? (?:just |finally |recently |also )*(?:(?:don't|can't|won't) [^,]{3,60}? any ?more|"
    r"joined|quit|left|lost|sold|passed|failed|"
    r"broke (?:my|up|off)|"
    r"split up|resigned|retired|graduated|adopted|inherited|enrolled|applied|crashed|handed in|gave (?:up|notice)|"
    r"dropped out|"
    r"got (?:the job|a job|into|engaged|married|divorced|fired|promoted|sacked|laid off)|started (?:at|with|a new)|"
    r"changed (?:my|our|jobs)|"
    r"moved (?:in|out|house|back)|signed (?:up|the)|bought|booked|sleep|stopped|never been|no longer|"
    r"take my|switched|was an?|used to)\b"
    r"|\b(?:my|our) [\w' ]{2,30}? (?:died|passed away|broke|was stolen|got stolen|was born|is broken|is playing up|"
    r"is in hospital|cost|costs|"
    r"is due|is sick|is ill|hurts|left|moved)\b|\b(?:I|we)(?:'m| am|'re| are) (?:doing (?:my|an?)|off|on|closed|"
    r"saving (?:up )?for|allergic|"
    r"engaged|expecting|pregnant)\b",
    re.IGNORECASE,
)
#: A day, a date, an hour, or since when.
_WHEN: Final = late_regex(
    r"\b(?:on|every|by|until|till|from|since|next|this) (?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|"
    r"\b\d{1,2}(?:st|nd|rd|th)\b|"
    r"\b\d{1,2}(?::\d\d)? ?(?:am|pm)\b|\b(?:in|since|until|till|by|before|\d{1,2}) (?:january|february|march|april|"
    r"may|june|july|"
    r"august|september|october|november|december)\b|\bsince (?:\d{4}|i was)\b",
    re.IGNORECASE,
)
_FIRST: Final = late_regex(
    r"(?P<ours>(?:my|our) \w)|(?P<self>I\b)|(?P<points>(?:it|that|this|these|those|they)\b)", re.IGNORECASE
)


#: Signs that are words: by their stems, and those that have none by themselves.
_BY_STEM: Final = {
    "kin": stems_of("mom dad mum mother father sister brother kid son daughter wife husband family grandma grandpa "
                    "aunt uncle cousin parents"),
    "mates": stems_of("friend buddy colleague team coworker neighbour neighbor"),
    "pet": stems_of("dog cat puppy kitten rabbit horse pet"),
    "pastime": stems_of("music art painting dancing yoga hiking camping cooking baking reading writing photo "
    "gardening "
                        "running swimming gym sport game movie book travel trip concert festival class workshop "
                        "tournament basketball piano guitar violin"),
    "begins": stems_of("signed joined started won bought adopted visited took attended finished began opened launched "
                       "moved created built learned"),
    "helps": stems_of("help support difference community volunteer inspire motivate"),
    "number": stems_of("two three four five six seven eight nine ten couple several"),
    "vague": stems_of("thing stuff something anything everything lots bit"),
    "praise": stems_of("awesome amazing great cool nice incredible"),
    "thought": stems_of("think guess know remember realize understand agree see imagine seem"),
    "talk": stems_of("chat talk spoke told tell mention hear"),
}  # fmt: skip
_SIGN_OF: Final = {stem: sign for sign, stems in _BY_STEM.items() for stem in stems}
_BY_WORD: Final = {
    "you": frozenset(["you", "your", "yours", "you're", "you've", "you'll", "you'd"]),
    "we": frozenset(["we", "we're", "we've", "us", "our"]),
    "they": frozenset(["they", "them", "their", "they're"]),
    "not": frozenset(["not", "never", "no"]),
}
_DIGIT: Final = late_regex(r"\d")
_WORD: Final = late_regex(r"[a-z]+(?:'[a-z]+)?")
#: How much each sign says that clauses are worth remembering, and how much their number of stems does: the weights of a
#: logistic regression on which clauses of talk others noted down as facts, each turn weighing the root of its windows,
#: rounded to twentieths; scripts/fact_quality.py measures what they choose. "turns" and "dated" are set by hand: that
#: talk has too few of them to say.
_WEIGHTS: Final = {
    "ahead": 0.45, "alone": 0.85, "been": 0.5, "before": 0.55, "begins": 0.2, "can": -0.35, "dated": 0.5, "doing": 0.5,
    "helps": 0.25, "is_in": -0.15, "kin": 0.25, "long": 0.55, "many": -0.05, "mates": 0.3, "mood": -0.3, "name": 0.5,
    "not": -0.3, "number": 0.35, "ours": 0.6, "past": 0.3, "pastime": 0.55, "pet": 0.3, "plans": -0.25, "points": -0.15,
    "praise": -0.1, "self": 0.35, "shall": -0.25, "talk": -0.2, "they": -0.3, "thought": -0.75, "title": 0.15,
    "turns": 0.5, "vague": -0.35, "we": -0.2, "you": -0.45,
}  # fmt: skip
_LENGTHS: Final = {
    1: -0.45, 2: -1.05, 3: -1.05, 4: -0.65, 5: -0.2, 6: 0.4, 7: 0.35, 8: 0.35, 9: 0.75, 10: 0.6, 11: 0.55, 12: 0.25,
    13: 0.25, 14: -0.1,
}  # fmt: skip
_MARKS: Final = frozenset(("turns", "dated"))
_BIAS: Final = -1.8
#: The least odds of the likeliest clauses of a turn, of further ones, and of the words of what a rule has read.
_LEAST: Final = -0.7
_FURTHER: Final = 0.0
_WORN: Final = -4.0


class Window(NamedTuple):
    """Clauses that are told together, by their places, and the log-odds that they are worth it."""

    taken: tuple[int, ...]
    score: float


class Talk:
    """The clauses of a turn and what can be told of them; clauses of the sentences ``shut`` are not told."""

    def __init__(self, sentences: Sequence[Sentence], voice: Voice, shut: Collection[int]) -> None:
        """Read the clauses of ``sentences``."""
        self._sentences = sentences
        self._voice = voice
        self._clauses = clauses_of(sentences, shut)
        self._windows = [
            Window(taken, _worth(signs, length))
            for taken, signs, length in windows_of(
                self._clauses, len(sentences), len(key_of(voice.name or "the user").split())
            )
        ]
        self._windows.sort(key=lambda window: -window.score)

    def events(self) -> Iterator[Fact]:
        """Yield what is worth remembering: the likeliest clauses, and further ones that are likely by themselves."""
        told_: set[int] = set()
        for window in self._windows:
            if window.score < (_FURTHER if told_ else _LEAST):
                return
            reach = range(window.taken[0], window.taken[-1] + 1)
            if told_.isdisjoint(reach):
                told_.update(reach)
                yield self._fact(window)

    def retold(self, number: int, start: int, end: int) -> str | None:
        """Return the words in which the sentence ``number``, and what goes on about it, tells ``[start, end)``."""
        for window in self._windows:
            first, last = self._clauses[window.taken[0]], self._clauses[window.taken[-1]]
            if window.score < _WORN:
                return None
            if first.sentence == last.sentence == number and first.start <= start and end <= last.end + 1:
                return self._content(window)
        return None

    def _content(self, window: Window) -> str:
        said, before = "", None
        for place in window.taken:
            clause = self._clauses[place]
            if before is None:
                said = clause.said
            elif clause.sentence != before:
                said += f". {clause.said[:1].upper()}{clause.said[1:]}"
            else:
                said += f", {clause.link} {clause.said}" if clause.link else f", {clause.said}"
            before = clause.sentence
        return _OPENS.sub(lambda match: match[0].upper(), told(said, self._voice, alone=True))

    def _fact(self, window: Window) -> Fact:
        first, last = self._clauses[window.taken[0]], self._clauses[window.taken[-1]]
        content = self._content(window)
        said = " ".join(self._clauses[place].said for place in window.taken)
        past = _PAST.search(said) is not None
        return Fact(
            rule="event.past" if past else "event.state",
            start=first.start,
            end=last.end,
            content=content,
            # It is told in the words in which it was said: the odds are of its worth, and make it no less said.
            confidence=round(0.5 + 0.5 / (1 + math.exp(-window.score)), 2),
            kind=Kind.EPISODIC if past else Kind.SEMANTIC,
            cardinality=None,
            payload={"event": content} if past else {"concept": content},
            when=said if past else None,
        )


def _worth(signs: set[str], length: int) -> float:
    """Return the log-odds that clauses are worth remembering; what marks a life or has its day may be short."""
    long = _LENGTHS.get(length, 0.0)
    return _BIAS + (long if signs.isdisjoint(_MARKS) else max(long, 0.0)) + sum(_WEIGHTS.get(one, 0.0) for one in signs)


def windows_of(clauses: Sequence[Clause], sentences: int, name: int) -> Iterator[tuple[tuple[int, ...], set[str], int]]:
    """Yield which clauses can be told together, with their signs and their length; a name has ``name`` stems."""
    signs = [_signs(clause) if clause.told else set() for clause in clauses]
    open_ = [at for at, one in enumerate(clauses) if one.told]
    for place, begin in enumerate(open_):
        if not clauses[begin].mine:
            continue
        taken: tuple[int, ...] = ()
        found: set[str] = set()
        length = 0
        for at in open_[place : place + _MOST]:
            if taken and not _goes_on(clauses, begin, taken[-1], at):
                break
            taken += (at,)
            found |= signs[at]
            length += clauses[at].length
            if length + name <= _LONGEST:
                yield taken, found | _placed([clauses[one] for one in taken], sentences), length + name


def _goes_on(clauses: Sequence[Clause], begin: int, last: int, at: int) -> bool:
    """Return whether a clause goes on about what was said before it, and says nothing new of the speaker."""
    one = clauses[at]
    if one.sentence - clauses[begin].sentence >= _SENTENCES or any(
        other.told is False for other in clauses[last + 1 : at]
    ):
        return False
    return one.sentence == clauses[last].sentence or _OWN.match(one.said) is None


def _placed(taken: Sequence[Clause], sentences: int) -> set[str]:
    first = _FIRST.match(taken[0].said)
    found = {first.lastgroup} if first is not None and first.lastgroup else set()
    if sentences == 1:
        found.add("alone")
    if sentences > _FEW:
        found.add("many")
    return found


def _signs(clause: Clause) -> set[str]:
    found = {match.lastgroup for match in _SPEAKER.finditer(clause.said) if match.lastgroup}
    found |= {_SIGN_OF[stem] for stem in clause.stems if stem in _SIGN_OF}
    small = clause.said.lower()
    words = set(_WORD.findall(small))
    found |= {sign for sign, listed in _BY_WORD.items() if not listed.isdisjoint(words)}
    if "n't" in small:
        found.add("not")
    if _TURNS.search(clause.said) is not None:
        found.add("turns")
    if _WHEN.search(clause.said) is not None:
        found.add("dated")
    if _DIGIT.search(small) is not None:
        found.add("number")
    return found
