"""A language model's second opinion on what waits for a person: do two statements contradict, or say the same?

Guarantees: an opinion decides nothing: it is shown beside a pair that waits anyway, is one of three words, and a text
that talks the model into another one changes no more than that word. A pair is asked about if both may go out
(:mod:`marskg.privacy.outgoing`), once (:mod:`marskg.store.tenant.model_in_use`), and within the limits of the tenant.
Where there is none, a notice says why.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.clock import zone_named
from marskg.extraction.model import said_on
from marskg.models.answer_schema import Listing, fits
from marskg.models.asking import Reply
from marskg.models.chat import Question
from marskg.models.prompt_files import prompt
from marskg.models.roles import JUDGING
from marskg.privacy.stored_outgoing import StoredOutgoing
from marskg.store.tenant.model_in_use import ModelInUse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.models.asking import Asking
    from marskg.privacy.sensitivity import Assessor
    from marskg.store.commit.writer import Writer
    from marskg.store.tenant.model_costs import ModelCosts
    from marskg.weight import TokenCounter

_TASK: Final = "judge.v1"
#: Requests that one look at the list makes at most: somebody waits for it.
_MOST: Final = 16
_MORE: Final = f"a model is asked about {_MOST} pairs at once, and about more the next time"
_UNFIT: Final = "a model answered none of its three words"


class Verdict(StrEnum):
    """What a model says of two statements."""

    CONTRADICT = "contradict"
    SAME = "same"
    BESIDE = "beside"


_VERDICTS: Final = Listing("verdicts", {"verdict": {"type": "string", "enum": [*Verdict]}})


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a model says of the memories ``one`` and ``other``, by id, and which model: it decides nothing."""

    one: str
    other: str
    verdict: Verdict
    model: str


class Opinions(NamedTuple):
    """Those on some pairs, and why there are none on others."""

    found: tuple[Opinion, ...] = ()
    notices: tuple[str, ...] = ()


class Judge:
    """Asks the model that the settings of the moment choose."""

    def __init__(self, writer: Writer, counter: TokenCounter, assessor: Assessor, costs: ModelCosts) -> None:
        """Decide by ``assessor`` what may be sent; weigh it with ``counter``; what it costs goes to ``costs``."""
        self._writer = writer
        self._assessor = assessor
        self._model = ModelInUse(writer, counter, costs, JUDGING, _TASK)

    def opinions(self, pairs: Iterable[tuple[str, str]]) -> Opinions:
        """Return what the model says of ``pairs`` of memories, each once; nothing without a model."""
        asking = self._model.asking()
        # Which of the two is preferred may change; what is asked does not.
        wanted = list(dict.fromkeys((min(pair), max(pair)) for pair in pairs))
        if asking is None or not wanted:
            return Opinions()
        found: list[Opinion] = []
        notices: Counter[str] = Counter()
        left = _MOST
        try:
            for pair in wanted:
                reply = self._reply(asking, pair, may_ask=left > 0)
                left -= reply.asked
                entry = next(iter(reply.entries or ()), None)
                if entry is not None and fits(entry, _VERDICTS.item):
                    found.append(Opinion(*pair, Verdict(entry["verdict"]), asking.chat.name))
                else:
                    notices[reply.why or _UNFIT] += 1
        finally:
            self._model.note_costs()
        told = (f"{why} ({count} of {len(wanted)} pairs): no second opinion" for why, count in notices.items())
        return Opinions(tuple(found), tuple(told))

    def _reply(self, asking: Asking, pair: tuple[str, str], *, may_ask: bool) -> Reply:
        # While the model thought about the pair before, one of these may have been erased, or somebody have refused.
        if self._writer.fresh_state().settings.models.judge != asking.settings.judge:
            return Reply(None, "the model was changed meanwhile")
        outgoing = StoredOutgoing(self._writer, self._assessor, JUDGING.setting, pair)
        shown = [outgoing.shown(one) for one in pair]
        why = next((f"not sent to the model: {one.why}" for one in shown if one.text is None), None)
        if why is not None:
            return Reply(None, why)
        zone = zone_named(self._writer.state.settings.retrieval.time_zone)
        memories = [
            {"number": number, "day": said_on(outgoing.valid_from(ident), zone), "text": one.text}
            for number, (ident, one) in enumerate(zip(pair, shown, strict=True), 1)
        ]
        question = Question(prompt(_TASK).text, {"memories": memories}, _VERDICTS, asking.settings.limit.answer)
        if may_ask:
            return self._model.reply(asking, question, pair)
        return self._model.kept(asking, question, pair) or Reply(None, _MORE)
