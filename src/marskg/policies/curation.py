"""A language model that writes a tenant's summaries: what it is shown of their memories, when it rests, what it costs.

Guarantees: without ``models.curate`` there is none, and nobody is asked. With it, a cluster is shown as a turn would be
shown to ``models.extract``: not at all where one of its memories may not go out, nor where one of its sentences weighs
more than ``models.max_sensitivity``, and within the same limits of tokens and money. Sources: issue 17 ("What goes to
a model"); semantics section 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.models.asking import Reply
from marskg.models.roles import CURATING
from marskg.privacy.outgoing import TOO_SENSITIVE
from marskg.privacy.stored_outgoing import StoredOutgoing
from marskg.reflection.extractive import ExtractiveSummariser
from marskg.reflection.language_model import TASK, LanguageModelSummariser
from marskg.store.tenant.model_in_use import ModelInUse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.models.asking import Asking
    from marskg.models.chat import Question
    from marskg.privacy.sensitivity import Assessor
    from marskg.reflection.summariser import Summariser
    from marskg.store.commit.writer import Writer
    from marskg.store.tenant.model_costs import ModelCosts
    from marskg.weight import TokenCounter


class Curation:
    """Makes what writes summaries, by the tenant's settings of the moment."""

    def __init__(self, writer: Writer, counter: TokenCounter, assessor: Assessor, costs: ModelCosts) -> None:
        """Decide by ``assessor`` what may be sent; weigh it with ``counter``; what it costs goes to ``costs``."""
        self._writer = writer
        self._counter = counter
        self._assessor = assessor
        self._model = ModelInUse(writer, counter, costs, CURATING, TASK)

    def summariser(self) -> Summariser | None:
        """Return the model that the settings choose as a summariser; None where they choose none.

        Raises:
            InvalidConfig: its key cannot be used.
        """
        asking = self._model.asking()
        if asking is None:
            return None
        rules = self._writer.state.settings.reflection
        asking.rest.set_limits(rules.model_failures, rules.model_pause, rules.model_pause)
        return LanguageModelSummariser(_Curator(self, asking), self._counter, ExtractiveSummariser(self._counter))

    def reply(self, asking: Asking, ids: Sequence[str], texts: Sequence[str], question: Question) -> Reply:
        """Return what the model makes of ``texts``, said by the memories of ``ids``, or why it is not shown them."""
        outgoing = StoredOutgoing(self._writer, self._assessor, CURATING.setting, ids)
        found = next((why for one in ids if (why := outgoing.refusal(one)) is not None), None)
        if found is None and any(outgoing.text(text).text != text for text in texts):
            found = TOO_SENSITIVE
        if found is not None:
            return Reply(None, f"not sent to the model: {found}")
        return self._model.reply(asking, question, ids)

    def note_costs(self) -> int | None:
        """Write down what was spent; returns the audit sequence number before, None where nothing was."""
        return self._model.note_costs()


class _Curator:
    """One model that is asked for summaries (:class:`marskg.reflection.language_model.Curator`)."""

    def __init__(self, curation: Curation, asking: Asking) -> None:
        self._curation = curation
        self._asking = asking
        self.name = asking.chat.name
        self.described = asking.chat.described
        self.ceiling = asking.settings.max_sensitivity
        self.most = asking.settings.limit.answer

    @property
    def rests(self) -> bool:
        return self._asking.rests

    def reply(self, ids: Sequence[str], texts: Sequence[str], question: Question) -> Reply:
        return self._curation.reply(self._asking, ids, texts, question)
