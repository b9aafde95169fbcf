"""A reader of turns that asks a language model besides the rules: it can add to what they find, and take nothing away.

Guarantees: the rules read every turn; whatever the model does, their proposals are there, and a notice says why the
model's are not. Each question is about one turn alone, so that no text can change how another one is read, and an
answer goes when its turn goes. What is sent is what ``shown`` lets out, under the limits of the settings; after
failures in a row the model is left alone for a while. The same turns with the same kept answers give the same
proposals without a request.
"""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from marskg.errors import ExtractorUnavailable
from marskg.extraction.answered import FACTS, Dropped, Why, proposal_of
from marskg.extraction.model_reading import Call, Reading
from marskg.extraction.proposal import Maker
from marskg.late_regex import late_regex
from marskg.models.chat import Question
from marskg.models.prompt_files import prompt
from marskg.models.spending import TURN_LIMIT, price
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import tzinfo

    from marskg.extraction.model_reading import Shown
    from marskg.extraction.proposal import Extractor, Proposal, Turn
    from marskg.models.asking import Asking

PROMPT: Final = "extract.v1"
RULES_ALONE: Final = "the rules alone read them"
#: Share of the words of two proposals from which they say the same.
_SAME: Final = 0.5
#: What a speaker's name is made of; what has digits or signs may be an address or a number.
_NAME: Final = late_regex(r"[^\W\d_]+(?:[ '.’-]+[^\W\d_]+)*\.?")


class ModelExtractor:
    """Reads turns by rules and by a model."""

    #: A model may take long: what it is to read is stored before.
    stores_first: Final = True

    def __init__(
        self,
        asking: Asking,
        rules: Extractor,
        zone: tzinfo,
        shown: Callable[[int, Turn], Shown | None],
        kept: Mapping[str, str] | None = None,
        *,
        aside: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Ask through ``asking`` about what ``shown`` lets out of the turn of a number; None where it is context only.

        ``rules`` read in any case; ``kept`` has former answers by their digests. Each request is made ``aside``.
        """
        self._asking = asking
        self._rules = rules
        self._zone = zone
        self._shown = shown
        self._kept = kept or {}
        self._aside = aside

    def extract(self, turns: Sequence[Turn]) -> Reading:
        """Return what the turns say, in their order: of each turn what the rules read, then what the model adds."""
        by_rules: dict[int, list[Proposal]] = {}
        for proposal in self._rules.extract(turns):
            by_rules.setdefault(proposal.span.turn, []).append(proposal)
        notices: Counter[str] = Counter()
        dropped: Counter[str] = Counter()
        found: list[Proposal] = []
        calls: list[Call] = []
        unanswered: list[int] = []
        for number, turn in enumerate(turns):
            ruled = by_rules.get(number, [])
            found += ruled
            shown = self._shown(number, turn) if turn.text.strip() else None
            if shown is None:
                continue
            if shown.text is None or not shown.text.strip():
                notices[f"not sent to the model: {shown.why or 'nothing is left of it'}"] += 1
                continue
            call = self._answer(number, turn, shown.text, notices, unanswered)
            if call is None:
                continue
            calls.append(call)
            found += self._taken(call, turn, shown.text, ruled, dropped)
        told = tuple(f"{why} ({count} of {len(turns)} turns): {RULES_ALONE}" for why, count in notices.items())
        counted = {str(why): count for why, count in sorted(dropped.items()) if count}
        told += tuple(_summary(calls, counted))
        return Reading(tuple(found), told, tuple(calls), MappingProxyType(counted), tuple(unanswered))

    def _answer(self, number: int, turn: Turn, text: str, notices: Counter[str], unanswered: list[int]) -> Call | None:
        """Return the model's answer about a turn, or None with a notice, and whether it may be asked later."""
        question = self._question(turn, text)
        digest = self._asking.chat.digest(question)
        if digest in self._kept:
            return Call(number, digest, self._kept[digest], replayed=True)
        refusal = self._asking.refusal(question)
        if refusal is not None:
            notices[refusal] += 1
            if not refusal.startswith(TURN_LIMIT):
                unanswered.append(number)
            return None
        try:
            with self._aside():
                answer = self._asking.ask(question)
        except ExtractorUnavailable as failure:
            notices[str(failure)] += 1
            unanswered.append(number)
            return None
        cost = price(self._asking.settings, answer.tokens_in, answer.tokens_out)
        return Call(number, digest, answer.content, answer.tokens_in, answer.tokens_out, cost, answer.lasted_ms)

    def _question(self, turn: Turn, text: str) -> Question:
        # An address in the place of a name is not redacted as the text is, so it stays here.
        speaker = turn.speaker if turn.speaker is not None and _NAME.fullmatch(turn.speaker) else None
        data = {"speaker": speaker, "role": turn.role, "said": said_on(turn.at, self._zone), "text": text}
        return Question(prompt(PROMPT).text, data, FACTS, self._asking.settings.limit.answer)

    def _taken(
        self, call: Call, turn: Turn, shown: str, ruled: list[Proposal], dropped: Counter[str]
    ) -> Iterable[Proposal]:
        """Return the proposals of an answer that are taken, without what the rules have."""
        used = prompt(PROMPT)
        maker = Maker(model=self._asking.chat.name, prompt=used.name, prompt_digest=used.digest)
        entries = FACTS.read(call.content) or []
        most = self._asking.settings.limit.proposals
        dropped[Why.BEYOND] += max(0, len(entries) - most)
        taken: list[Proposal] = []
        for entry in entries[:most]:
            try:
                proposal = proposal_of(entry, call.turn, turn, shown, maker=maker, zone=self._zone)
            except Dropped as unfit:
                dropped[unfit.args[0]] += 1
                continue
            if any(_same(proposal, other) for other in (*ruled, *taken)):
                dropped[Why.KNOWN] += 1
            else:
                taken.append(proposal)
        return taken


def _summary(calls: Sequence[Call], dropped: Mapping[str, int]) -> Iterator[str]:
    """Yield the notices about what a model was asked, and what was not taken of its answers."""
    asked = [call for call in calls if not call.replayed]
    if asked:
        tokens = sum(call.tokens_in + call.tokens_out for call in asked)
        lasted, cost = sum(call.lasted_ms for call in asked), sum(call.cost for call in asked)
        yield f"a model answered {len(asked)} times: {tokens:,} tokens, cost {cost:.4g}, {lasted:,} ms"
    if dropped:
        reasons = ", ".join(f"{why} {count}" for why, count in dropped.items())
        yield f"{sum(dropped.values())} proposals of a model were not taken: {reasons}"


def said_on(at: int, zone: tzinfo) -> str | None:
    """Return the day of a time (epoch ms), None where no calendar has it."""
    try:
        return (datetime.fromtimestamp(0, zone) + timedelta(milliseconds=at)).astimezone(zone).strftime("%A %Y-%m-%d")
    except (ValueError, OverflowError):
        return None


def _same(one: Proposal, other: Proposal) -> bool:
    """Return whether two proposals about one turn say the same: equal keys, or shared words at one place."""
    if one.key is not None and one.key == other.key:
        return True
    apart = one.span.end <= other.span.start or other.span.end <= one.span.start
    mine, others = set(terms(one.content)), set(terms(other.content))
    return not apart and len(mine & others) >= _SAME * max(1, len(mine | others))
