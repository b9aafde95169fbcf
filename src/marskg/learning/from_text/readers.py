"""Who reads a tenant's texts: the rules of the language, and a language model where ``models.extract`` names one.

Guarantees: without a model nothing leaves the process. With one, a turn is asked about only once it is stored, so that
what may be sent is decided by all that is known of it: its sensitivity, whom it names, the preferences of the time.
What models cost is counted in the tenant's row, so that the limits of a day hold in the next process as well. An
answer is kept at its turn, encrypted as the turn is, and in no export: the same question is not asked twice.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Final

from marskg.clock import zone_named
from marskg.extraction.model import PROMPT, ModelExtractor
from marskg.extraction.model_reading import Shown
from marskg.models.roles import READING
from marskg.privacy.stored_outgoing import StoredOutgoing
from marskg.store.rows.codec import ref
from marskg.store.tenant.model_in_use import ModelInUse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager
    from datetime import tzinfo

    from marskg.extraction.model_reading import Call
    from marskg.extraction.proposal import Extractor, Turn
    from marskg.privacy.sensitivity import Assessor
    from marskg.store.commit.writer import Writer
    from marskg.store.tenant.model_costs import ModelCosts
    from marskg.weight import TokenCounter

#: Characters of an answer that is kept; a longer one is asked for again.
_LONGEST: Final = 1 << 16


class Readers:
    """Makes what reads turns, by the tenant's settings of the moment."""

    def __init__(self, writer: Writer, counter: TokenCounter, assessor: Assessor, costs: ModelCosts) -> None:
        """Decide by ``assessor`` what may be sent; weigh it with ``counter``; what it costs goes to ``costs``."""
        self._writer = writer
        self._assessor = assessor
        self._model = ModelInUse(writer, counter, costs, READING, PROMPT)

    def rules(self) -> Extractor:
        """Return the rules alone, which may read what is not stored yet."""
        from marskg.extraction.by_rules import RuleExtractor  # noqa: PLC0415 - hundreds of patterns: only to read texts

        return RuleExtractor(self._zone())

    @property
    def asks(self) -> bool:
        """Return whether a model takes part."""
        return self._model.asking() is not None

    def reader(
        self, ids: Sequence[str | None], aside: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> Extractor:
        """Return what reads stored turns, those of ``ids``, by the settings; None stands for context.

        A model is asked ``aside``.
        """
        asking = self._model.asking()
        if asking is None:
            return self.rules()
        stored = [one for one in ids if one is not None]
        outgoing = StoredOutgoing(self._writer, self._assessor, READING.setting, stored)

        def shown(number: int, turn: Turn) -> Shown | None:
            ident = ids[number]
            if ident is None:
                return None
            # While the model thought about the turn before, this one may have been erased, or somebody have refused.
            if self._writer.fresh_state().settings.models.extract != asking.settings.extract:
                return Shown(None, "the model was changed meanwhile")
            now = StoredOutgoing(self._writer, self._assessor, READING.setting, [ident], outgoing.subjects)
            return now.shown(ident, () if turn.speaker is None else (turn.speaker,))

        kept = dict(answer.split(" ", 1) for one in stored if (answer := outgoing.kept(one).own) is not None)
        return ModelExtractor(asking, self.rules(), self._zone(), shown, kept, aside=aside)

    def keep(self, calls: Iterable[Call], ids: Sequence[str]) -> None:
        """Keep the answers about the turns of ``ids`` that models were asked for, and record what that has cost.

        An answer goes with the content of its turn; one about a turn that lost it meanwhile is not kept.
        """
        # Of a caller's own reader nothing is kept.
        if not self._model.owes:
            return
        made = [call for call in calls if not call.replayed]
        rows = [
            {"ref": ref(self._writer.tenant, ids[call.turn]), "answer": f"{call.digest} {call.content}"}
            for call in made
            if len(call.content) <= _LONGEST
        ]
        if rows:
            with self._writer.alone():
                self._writer.put("keep_answers", {"rows": rows})
        self._model.note(len(made), sum(call.tokens_in + call.tokens_out for call in made))

    def _zone(self) -> tzinfo:
        return zone_named(self._writer.state.settings.retrieval.time_zone)
