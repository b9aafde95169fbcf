"""A summariser that asks a language model behind any server that speaks OpenAI's ``/chat/completions`` protocol.

Guarantees: the memories go in as one JSON document of data, numbered, with identifiers already in general words; the
answer must be JSON of one schema; from it come lines of text and numbers of memories, and nothing else. Each line is
put through the patterns for identifiers again; a line that no number of a memory belongs to carries all of them; a
line that says what its memories do not, by any number or name, or most of its words, is left out, as a model may
invent, and may be made to repeat what it was told besides; and so is one with mark-up, a speaker or invisible
characters that none of them has. In the place of a line that turns round what its memories say
(:mod:`marskg.models.consistency`) stands the sentence of theirs that is nearest to it. A line that a memory holds
word for word is one; all others count as rewritten, and are measured
(:func:`marskg.reflection.passages.rewritten_sensitivity`). Where the model does not answer, answers rubbish, or
nothing is left, the extractive summariser writes, and a note says so: a summary never fails because a model does; and
so it does where something of the cluster may not be sent (:class:`Curator`). What a memory asks of its reader is data:
it can at most spoil the model's answer, and the gates measure what comes of that.
Sources: OpenAI API reference, "Create chat completion" (structured outputs); semantics section 6; MaRS section 5.3.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from marskg.language.identifiers.table import generalised, without_kinds
from marskg.models.answer_schema import Listing
from marskg.models.asking import Reply
from marskg.models.chat import Question
from marskg.models.consistency import consistent, nearest
from marskg.models.grounding import grounded, unadorned
from marskg.models.prompt_files import prompt
from marskg.records import SummaryLine
from marskg.reflection.passages import earliest, rewritten_sensitivity
from marskg.reflection.summariser import Proposal, text_of
from marskg.text import folded, terms
from marskg.unseen import SURROGATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.reflection.extractive import ExtractiveSummariser
    from marskg.reflection.passages import Sensing, Sentence
    from marskg.reflection.summariser import Counter, Request

#: The most lines of one answer that are looked at, and characters of one line.
_MOST_LINES: Final = 256
_LONGEST: Final = 2_000
TURNED: Final = "a sentence of theirs stands instead"
TOO_SENSITIVE: Final = "not sent to the model: more sensitive than models.max_sensitivity"
INSTEAD: Final = "the extractive summariser wrote instead"

_LINES: Final = Listing(
    "lines", {"text": {"type": "string"}, "memories": {"type": "array", "items": {"type": "integer"}}}
)
TASK: Final = "summarise.v1"
#: What is added where lines stand before the model's.
_OPENED: Final = "summarise_note.v1"


class Curator(Protocol):
    """Asks a model, and says what it may be shown, and whether it is asked now."""

    name: str
    described: str
    #: The sensitivity above which nothing is sent, and the most tokens of an answer.
    ceiling: float
    most: int

    @property
    def rests(self) -> bool:
        """Return whether the model failed so often that it is left alone now."""

    def reply(self, ids: Sequence[str], texts: Sequence[str], question: Question) -> Reply:
        """Return what comes of ``question``, with ``texts`` of the memories of ``ids``, or why it is not asked."""


class LanguageModelSummariser:
    """Lets a model write the lines."""

    calls: Final = 1

    def __init__(self, curator: Curator, counter: Counter, extractive: ExtractiveSummariser) -> None:
        """Ask by ``curator``; send nothing yet."""
        self._curator = curator
        self._counter = counter
        self._extractive = extractive

    @property
    def name(self) -> str:
        """Return the model and the server that gives it."""
        return self._curator.name

    @property
    def rests(self) -> bool:
        """Return whether the model is left alone now."""
        return self._curator.rests

    def summarise(self, request: Request) -> Proposal:
        """Return the model's lines as far as they can be used, and the extractive ones where they cannot."""
        said = replace(request, ceiling=min(request.ceiling, self._curator.ceiling)).said()
        opened = frozenset(sentence.text for sentence in request.opening)
        texts = [sentence.text for sentence in said]
        question = _question(said, request.tokens, opened, self._curator.most)
        if texts != [sentence.text for sentence in request.said()]:
            # What the extractive summariser may say and the model may not see would be missing in its summary.
            reply = Reply(None, TOO_SENSITIVE)
        elif opened.issuperset(texts):
            return Proposal((), asked=False)
        else:
            reply = self._curator.reply([one.id for one in request.constituents], texts, question)
        if reply.entries is None:
            return replace(self._instead(request, f"{reply.why}; {INSTEAD}"), asked=reply.asked)
        drafts = reply.entries[:_MOST_LINES]
        read = [_line(draft, said, request.sensing, opened) for draft in drafts]
        turned = sum(found.turned for found in read if found is not None)
        lines = self._within([found.line for found in read if found is not None], request.tokens)
        if not lines:
            note = f"{self._curator.described} wrote nothing that the memories say; {INSTEAD}"
            return replace(self._instead(request, note), asked=reply.asked)
        left_out = len(drafts) - len(lines)
        notes = [] if not left_out else [f"{left_out} of {len(drafts)} lines of a model were left out"]
        if turned:
            notes.append(f"{turned} of {len(drafts)} lines of a model do not say what the memories say: {TURNED}")
        return Proposal(tuple(lines), tuple(notes), asked=reply.asked)

    def _within(self, lines: Sequence[SummaryLine], tokens: int) -> list[SummaryLine]:
        """Return the first lines that have at most ``tokens`` together, each text once."""
        kept: list[SummaryLine] = []
        seen: set[str] = set()
        for line in lines:
            key = folded(line.text)
            if key not in seen and self._counter.count(text_of([*kept, line])) <= tokens:
                seen.add(key)
                kept.append(line)
        return kept

    def _instead(self, request: Request, note: str) -> Proposal:
        return Proposal(self._extractive.summarise(request).lines, (note,))


def _question(said: Sequence[Sentence], tokens: int, opened: frozenset[str], most: int) -> Question:
    memories = [{"number": number, "text": sentence.text} for number, sentence in enumerate(said, 1)]
    document: dict[str, Any] = {"tokens": tokens, "memories": memories}
    task = prompt(TASK).text
    if opened:
        document["said"] = [number for number, sentence in enumerate(said, 1) if sentence.text in opened]
        task = f"{task} {prompt(_OPENED).text}"
    return Question(task, document, _LINES, most)


class _Read(NamedTuple):
    """A line of an answer, and whether a memory's sentence stands in its place."""

    line: SummaryLine
    turned: bool


def _line(
    draft: dict[str, Any], said: Sequence[Sentence], sensing: Sensing | None, opened: frozenset[str]
) -> _Read | None:
    """Return one line of an answer with what is behind it, None where it cannot be used or only repeats."""
    text = draft.get("text")
    if not isinstance(text, str) or len(text) > _LONGEST or not _encodable(text):
        return None
    shown, own = generalised(" ".join(text.split()))
    if own:
        # It was shown none, so that it made this one up, or has it from elsewhere.
        return None
    behind = _with_all_who_say(shown, _behind(draft.get("memories"), said), said)
    texts = [sentence.text for sentence in behind]
    if not grounded(shown, texts) or not unadorned(shown, texts):
        return None
    if all(sentence.text in opened for sentence in behind):
        return None
    whole = any(sentence.text == shown for sentence in behind)
    if not whole and not consistent(shown, texts):
        behind = [behind[nearest(shown, texts)]]
        if behind[0].text in opened:
            return None
        return _Read(_rests_on(behind[0].text, behind, sensing), turned=True)
    return _Read(_rests_on(shown, behind, sensing), turned=False)


def _rests_on(shown: str, behind: Sequence[Sentence], sensing: Sensing | None) -> SummaryLine:
    """Return the line of a text with all that is behind it."""
    own = [sentence for sentence in behind if sentence.text == shown]
    verbatim = any(sentence.verbatim for sentence in own)
    expires_at = None
    for sentence in behind:
        expires_at = earliest(expires_at, sentence.expires_at)
    return SummaryLine(
        text=shown,
        sources=tuple(sorted({source for sentence in behind for source in sentence.sources})),
        verbatim=verbatim,
        # Word for word it is as sensitive as what it is of; a sentence that was put in general words was measured then.
        sensitivity=max(sentence.sensitivity for sentence in behind)
        if own
        else rewritten_sensitivity(shown, behind, sensing),
        expires_at=expires_at,
    )


def _encodable(text: str) -> bool:
    return SURROGATE.search(text) is None


def _behind(numbers: object, said: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences behind a line: all of them where it does not say, or says anything that is none."""
    if not isinstance(numbers, list) or not numbers:
        return list(said)
    if not all(type(number) is int and 1 <= number <= len(said) for number in numbers):
        return list(said)
    return [said[number - 1] for number in sorted(set(numbers))]


def _with_all_who_say(text: str, behind: list[Sentence], said: Sequence[Sentence]) -> list[Sentence]:
    """Return ``behind`` with every sentence that has a word of the line which those named do not have.

    A model may say what one memory says and name another; the line must leave with the one that said it.
    """
    known = {term for sentence in behind for term in terms(sentence.text)}
    missing = set(terms(without_kinds(text))) - known
    others = [one for one in said if one not in behind and not missing.isdisjoint(terms(one.text))]
    return [*behind, *others]
