"""English text as facts: each sentence is tried against the frames whose cues it holds.

Guarantees: pure and deterministic; reading never raises, whatever the text; each word of a sentence is read once by the
first frame that fits it, in the order of the families. A jest says nothing, nor does the sentence before
one that calls it a jest.
Limits: pronouns are not resolved across sentences; a sentence above :data:`~marskg.language.en.facts.phrasing.LONGEST`
characters is not talk and is not read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts import (
    amounts,
    behaviour,
    daily_life,
    document_fields,
    people_said,
    personal_slots,
    tasks,
    tastes,
)
from marskg.language.en.facts.behaviour import wishes_of
from marskg.language.en.facts.changes import levels_said
from marskg.language.en.facts.changes.deeds_said import deeds_of
from marskg.language.en.facts.changes.ended_said import ended_of, endings, is_over
from marskg.language.en.facts.changes.others_words import others_words
from marskg.language.en.facts.changes.taken_back import is_undone, jests_of
from marskg.language.en.facts.changes.tastes_turned import FRAMES as TURNED
from marskg.language.en.facts.events import Talk
from marskg.language.en.facts.notes_said import notes_of
from marskg.language.en.facts.phrasing import Found, compiled, marked, sentences_of, with_subject
from marskg.language.en.time_words import MONTH, WEEKDAY
from marskg.language.facts import Fact, Said
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Cardinality, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.language.en.facts.changes.ended_said import Ended
    from marskg.language.en.facts.phrasing import Frame, Sentence
    from marskg.language.facts import Voice

#: Families whose rules may read the same words: "I work as a nurse at Acme" says two things.
_TOGETHER: Final = ("profile.", "person.")
#: The value that was wrong or is replaced, behind the one that holds.
_NOT: Final = late_regex(
    r",? (?:and )?(?:now,? )?(?:not|instead of|rather than) (?:in |at |for |to )?(?!(?:that|just|only|because|really|"
    r"so|too|very|sure|yet)\b)"
    r"(?P<old>[^.,;:!?]{2,40}?)(?: any ?more)?(?=[.,;!?]|$)",
    re.IGNORECASE,
)
#: Since when, or from when on, a state holds.
_FROM: Final = late_regex(
    r"(?:^|,? )(?:from|starting|beginning|as of|as from|with effect from|effective)(?: (?:on|in|from))? "
    r"(?P<when>(?:the )?(?:\d|next\b|this\b|tomorrow|today|beginning|start|end|middle|spring|summer|autumn|fall|winter|"
    rf"{MONTH}|{WEEKDAY})"
    r"[^,.;:!?]{0,30}?(?:, \d{4})?)(?= on(?:wards?)?\b|,| I\b| I'| my\b| we\b| our\b|[.!;]|$)",
    re.IGNORECASE,
)
#: What opens a sentence that takes back the one before it.
_TAKES_BACK: Final = late_regex(
    r"^(?:(?:no|oh|ah|oops|sorry|hmm)[,.!]? )*(?:no,? wait|wait(?:,? no)?|no|sorry|scratch that|strike that|correction|"
    r"oops|i mean|i meant|actually|that's (?:wrong|not right|old)|that was wrong|my mistake)\b(?=[,.!:;—–-]| (?:I|"
    r"my)\b)",
    re.IGNORECASE,
)
#: What somebody is only felt or played to be: words before it, and behind it.
_ALMOST: Final = late_regex(r"\b(?:almost|nearly|had (?:I|we))\b(?! (?:always|all|every|never)\b)", re.IGNORECASE)
_LIKE: Final = late_regex(
    r"\b(?:feel|felt|look|sound|act|seem|behave|dress)(?:s|ed|ing)? (?:just )?(?:like|as)\b", re.IGNORECASE
)
_PLAYED: Final = late_regex(
    r"[- ]?handed|[^.!?;]{0,30}?\b(?:(?:at|in|by) heart|(?:in|on) (?:the|this|my|our|a) (?:(?:video|board|computer) )?"
    r"(?:game|play|show|class|classes|course|group|dreams?|film|movie|story|novel)\b)|"
    r" (?:to (?:my|the|his|her|this|that|our) (?!husband|wife|partner)[a-z]+|from (?:reality|the (?:world|truth)))\b",
    re.IGNORECASE,
)
_ONE_IS: Final = frozenset({"profile/age", "profile/marital status", "profile/job", "profile/children"})
#: What takes back that something was done.
_NOT_DONE: Final = late_regex(
    r"(?:[a-z]+,? ){0,4}I (?:(?:actually|really|just) )?(?:didn't|did not|haven't|have not|forgot|was going to)\b",
    re.IGNORECASE,
)
_DROPPED: Final = "task.drop"
#: Rules of what one is and has, and those of them that are about what is not.
_STATES: Final = ("profile.", "person.", "life.")
_DENYING: Final = frozenset({"profile.ended", "profile.corrected", "life.avoids"})
#: Why one no longer likes a thing, said after that one does not.
_WEARY: Final = "taste.dislikes"
#: Rules whose fact is told in the words of its sentence where those are few.
_TERSE: Final = frozenset(
    {
        "taste.likes",
        "taste.dislikes",
        "taste.favourite",
        "taste.favoured",
        "profile.pet",
        "profile.health",
        "profile.allergy",
        "task.did",
        "task.done",
        "event.have",
    }
)


@cache
def _frames() -> dict[str, list[tuple[int, Frame]]]:
    """Return the frames by their cues, each with its place in the order."""
    found = defaultdict(list)
    every = (
        *behaviour.FRAMES,
        *amounts.FRAMES,
        *levels_said.FRAMES,
        *document_fields.FRAMES,
        *tasks.FRAMES,
        *personal_slots.FRAMES,
        *people_said.FRAMES,
        *daily_life.FRAMES,
        *TURNED,
        *tastes.FRAMES,
        *levels_said.AT_LAST,
    )
    for place, frame in enumerate(every):
        for cue in frame.cues:
            found[cue].append((place, frame))
    return dict(found)


def facts_of(text: str, voice: Voice) -> list[Fact]:
    """Return what ``text`` says in the first person, in its order."""
    plain, places = marked(text)
    facts = _said(plain, voice)
    if not places:
        return facts
    return [
        replace(fact, start=fact.start - bisect_left(places, fact.start), end=fact.end - bisect_left(places, fact.end))
        for fact in facts
    ]


def _said(text: str, voice: Voice) -> list[Fact]:
    sentences = sentences_of(text)
    others = others_words(sentences, text, voice.name) | jests_of(sentences)
    meant = [number not in others for number in range(len(sentences))]
    read = [_read(sentence, voice) if serious else [] for sentence, serious in zip(sentences, meant, strict=True)]
    for number in range(1, len(read)):
        if _TAKES_BACK.match(sentences[number].text) is not None:
            before, read[number - 1 : number + 1] = read[number - 1], _taken_back(read[number - 1], read[number])
            meant[number - 1] &= before == read[number - 1]
    for number, sentence in enumerate(sentences):
        if _undone(sentence):
            read[number] = [fact for fact in read[number] if fact.does is not Said.CLOSE]
    terse = {number for number, facts in enumerate(read) if len(facts) == 1 and facts[0].rule in _TERSE}
    shut = {number for number, facts in enumerate(read) if not meant[number] or (facts and number not in terse)}
    talk = Talk(sentences, voice, shut)
    for number in terse:
        read[number] = [_in_its_words(fact, talk.retold(number, fact.start, fact.end)) for fact in read[number]]
    facts = [fact for found in read for fact in found]
    bare = [one for number, one in enumerate(sentences) if not read[number] and number not in shut]
    deeds = [deed for sentence in bare if not _undone(sentence) for deed in deeds_of(sentence, voice)]
    facts += [
        event for event in talk.events() if not any(fact.start < event.end and event.start < fact.end for fact in facts)
    ]
    ended = {fact.key for fact in facts if fact.does is Said.END}
    # A dislike of what was just said to be liked no longer is the same fact.
    kept = [fact for fact in facts if fact.key not in ended or fact.does is Said.END or fact.rule != _WEARY]
    # What was done is told as what happened, too.
    return sorted([*kept, *deeds], key=lambda fact: fact.start)


def _undone(sentence: Sentence) -> bool:
    """Return whether the next sentence takes back what this one says was done: "No wait, I didn't"."""
    return _TAKES_BACK.match(sentence.after) is not None or _NOT_DONE.match(sentence.after) is not None


def _taken_back(before: list[Fact], after: list[Fact]) -> list[list[Fact]]:
    """Return the facts of two sentences, the second of which takes back a value of the first: "no wait"."""
    said = {
        fact.key: fact
        for fact in before
        if fact.key is not None and fact.cardinality is Cardinality.SINGLE and fact.does is Said.ADD
    }
    wrong = {fact.key for fact in after if fact.does is Said.ADD and fact.key in said}
    right = [
        replace(fact, does=Said.UPDATE, old=str(said[fact.key].payload.get("concept", "")) or None)
        if fact.key in wrong and fact.kind is not Kind.TASK
        else fact
        for fact in after
    ]
    return [[fact for fact in before if fact.key not in wrong], right]


def _read(sentence: Sentence, voice: Voice) -> list[Fact]:
    wishes = list(wishes_of(sentence))
    if wishes:
        return wishes
    ended = ended_of(sentence)
    facts = _framed(sentence, voice) if ended is None else _ended(ended, sentence, voice)
    begins = _FROM.search(sentence.text)
    if begins is not None:
        facts = [
            replace(fact, when=f"from {begins['when']}", begins=True) if _is_a_state(fact) else fact for fact in facts
        ]
    whole = None if facts else with_subject(sentence)
    if whole is not None:
        facts = [replace(fact, start=max(fact.start, sentence.start)) for fact in _framed(whole, voice)]
    return facts or notes_of(sentence, voice)


def _is_a_state(fact: Fact) -> bool:
    """Return whether a fact is a value that holds from some day on."""
    return (
        fact.does in {Said.ADD, Said.UPDATE}
        and fact.when is None
        and (fact.key or "").startswith(("profile/", "person/"))
    )


def _ended(ended: Ended, sentence: Sentence, voice: Voice) -> list[Fact]:
    """Return what a sentence reads that says that something is over; what it says beside that stays."""
    facts = _framed(sentence, voice)
    start, end = sentence.start + ended.start, sentence.start + ended.end
    beside = [fact for fact in facts if fact.end <= start or end <= fact.start]
    said = [fact for fact in facts if fact not in beside]
    if ended.partly:
        return [fact for fact in facts if fact in beside or fact.does not in {Said.END, Said.CLOSE}]
    # What a rule for it has read is surer, but for a task, which may be a habit as well.
    if any(fact.key and fact.rule != _DROPPED for fact in said):
        return [fact for fact in facts if fact in beside or fact.does is not Said.END or is_over(fact, sentence)]
    found = endings(ended, _framed(ended.held, voice), sentence, voice)
    keyed = any(fact.key for fact in found)
    return [*beside, *(found if keyed or not said else said)]


def _framed(sentence: Sentence, voice: Voice) -> list[Fact]:
    """Return what the frames read in a sentence."""
    cued = _frames()
    tried = {frame[0]: frame[1] for word in sentence.words if word in cued for frame in cued[word]}
    taken: list[tuple[int, int]] = []
    facts: list[Fact] = []
    for place in sorted(tried):
        frame = tried[place]
        for match in compiled(frame.pattern).finditer(sentence.text):
            overlaps = any(match.start() < end and start < match.end() for start, end in taken)
            if overlaps and not frame.rule.startswith(_TOGETHER):
                continue
            if not frame.unguarded and (sentence.is_hedged(match.start()) or _is_denied(frame, sentence, match)):
                continue
            if frame.rule.startswith(_STATES) and is_undone(frame.rule, sentence, match.end()):
                continue
            read = [
                fact
                for fact in _built(frame, Found(sentence, match, voice, frame.rule, frame.confidence))
                if not _is_likened(fact, sentence, match)
            ]
            if read:
                taken.append(match.span())
                known = {(fact.key, fact.content) for fact in facts}
                facts += [_corrected(fact, sentence) for fact in read if (fact.key, fact.content) not in known]
    return facts


def _is_denied(frame: Frame, sentence: Sentence, match: re.Match[str]) -> bool:
    """Return whether a state is denied by the words that its frame reads, and not told with its denial."""
    states = frame.rule.startswith(_STATES) and frame.rule not in _DENYING
    return states and not match.groupdict().get("does") and sentence.is_denied_inside(match)


def _is_likened(fact: Fact, sentence: Sentence, match: re.Match[str]) -> bool:
    """Return whether what is said of somebody only almost was, or is felt or played to be so."""
    key, text = fact.key or "", sentence.text
    if fact.does is not Said.ADD or not key.startswith("profile/"):
        return False
    value = max((match.start(name) for name in match.groupdict()), default=match.start())
    if _ALMOST.search(text, 0, max(value, match.start())) is not None:
        return True
    return key in _ONE_IS and (
        _LIKE.search(text, 0, match.start()) is not None or _PLAYED.match(text, match.end()) is not None
    )


def _in_its_words(fact: Fact, words: str | None) -> Fact:
    """Return a fact told in the words of its sentence, unless these only point to what it is about."""
    about = str(fact.payload.get("concept", ""))
    return fact if words is None or about.casefold() not in words.casefold() else replace(fact, content=words)


def _corrected(fact: Fact, sentence: Sentence) -> Fact:
    """Return a fact with the old value that is named behind it: "I live in Ghent, not Bruges"."""
    if fact.does is not Said.ADD or fact.cardinality is not Cardinality.SINGLE or fact.kind is Kind.TASK:
        return fact
    behind = _NOT.match(sentence.text, fact.end - sentence.start)
    return fact if behind is None else replace(fact, does=Said.UPDATE, old=behind["old"].strip())


def _built(frame: Frame, found: Found) -> Iterator[Fact]:
    built = frame.build(found)
    if built is None:
        return
    if isinstance(built, Fact):
        yield built
    else:
        yield from built
