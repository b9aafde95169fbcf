"""A language model that writes a tenant's summaries: what it is shown of their memories, when it rests, what it costs.

Guarantees: without ``models.curate`` there is none, and nobody is asked. With it, a cluster is shown as a turn would be
shown to ``models.extract``: not at all where one of its memories may not go out, nor where one of its sentences weighs
more than ``models.max_sensitivity``, and within the same limits of tokens and money. Sources: issue 17 ("What goes to
a model"); semantics section 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.models.asking import Asking, load_model
from marskg.models.prompt_files import prompt
from marskg.models.rest import Rest
from marskg.privacy.outgoing import TOO_SENSITIVE
from marskg.privacy.stored_outgoing import StoredOutgoing
from marskg.reflection.extractive import ExtractiveSummariser
from marskg.reflection.language_model import CURATING, TASK, LanguageModelSummariser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.config.models import ModelSettings
    from marskg.models.chat import Answer, Question
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
        self._costs = costs
        self._asking: tuple[ModelSettings, Asking | None] | None = None
        self._answers: list[Answer] = []

    def summariser(self) -> Summariser | None:
        """Return the model that the settings choose as a summariser; None where they choose none.

        Raises:
            InvalidConfig: its key cannot be used.
        """
        settings = self._writer.state.settings
        asking = self._model(settings.models)
        if asking is None:
            return None
        pause = settings.reflection.model_pause
        asking.rest.set_limits(settings.reflection.model_failures, pause, pause)
        self._costs.read()
        return LanguageModelSummariser(_Curator(self, asking), self._counter, ExtractiveSummariser(self._counter))

    def outgoing(self, ids: Sequence[str]) -> StoredOutgoing:
        """Return what decides about the memories of ``ids``."""
        return StoredOutgoing(self._writer, self._assessor, CURATING.setting, ids)

    def answered(self, answer: Answer) -> None:
        """Take note of an answer."""
        self._answers.append(answer)

    def write_costs(self) -> int | None:
        """Write down what was spent; returns the audit sequence number before, None where nothing was."""
        asking = self._asking[1] if self._asking is not None else None
        answers, self._answers = self._answers, []
        if asking is None:
            return None
        used, tokens = prompt(TASK), sum(one.tokens for one in answers)
        return self._costs.note(
            f"model={asking.chat.name}", f"prompt={used.name}", f"prompt_digest={used.digest}",
            f"answers={len(answers)}", f"tokens={tokens}",
        )  # fmt: skip

    def _model(self, settings: ModelSettings) -> Asking | None:
        if self._asking is None or self._asking[0] != settings:
            chat = load_model(CURATING, settings, self._counter)
            rest = Rest()
            found = None if chat is None else Asking(chat, settings, self._writer.now, self._costs.account, rest)
            self._asking = (settings, found)
        return self._asking[1]


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

    def refusal(self, ids: Sequence[str], texts: Sequence[str], question: Question) -> str | None:
        outgoing = self._curation.outgoing(ids)
        found = next((why for one in ids if (why := outgoing.refusal(one)) is not None), None)
        if found is None and any(outgoing.text(text).text != text for text in texts):
            found = TOO_SENSITIVE
        return self._asking.refusal(question) if found is None else f"not sent to the model: {found}"

    def ask(self, question: Question) -> Answer:
        answer = self._asking.ask(question)
        self._curation.answered(answer)
        return answer
