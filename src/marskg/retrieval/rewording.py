"""Other wordings of a question on which nothing bears, by a language model, where ``models.expand`` names one.

Guarantees: a question goes out redacted as a turn would be, and not at all where it names somebody who refuses models,
is asked for what may not go out, in an encrypted tenant without its permission, in private mode, or by a principal with
limits; no memory ever goes out with it. What comes back are short lines that are searched for through the gate of
whoever asked: they show nothing that the question could not. One request, with a time limit of its own; where it fails,
or a limit of the tenant is reached, the answer is as it is without, and a notice says so. Wordings are kept in memory
only, until something is erased, as a question is no memory.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from marskg.drafts import Draft
from marskg.models.answer_schema import Listing, fits
from marskg.models.chat import Question
from marskg.models.prompt_files import prompt
from marskg.models.roles import EXPANDING
from marskg.ontology.vocabulary import Kind
from marskg.privacy.stored_outgoing import StoredOutgoing
from marskg.store.tenant.model_in_use import ModelInUse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from marskg.privacy.sensitivity import Assessor
    from marskg.retrieval.assembly.hits import Hits
    from marskg.retrieval.query.search import Request
    from marskg.store.commit.writer import Writer
    from marskg.store.tenant.model_costs import ModelCosts
    from marskg.weight import TokenCounter

_TASK: Final = "expand.v1"
_WORDINGS: Final = Listing("wordings", {"text": {"type": "string"}})
#: Wordings that are searched for, and characters of one.
_MOST: Final = 3
_LONGEST: Final = 500
#: Questions whose wordings are kept.
_KEPT: Final = 256
FOUND: Final = "found by another wording of the question, which a model gave"
NONE: Final = "no other wording of the question was looked for"
_NOT_SENT: Final = "the question may not be sent to a model"
_PRIVATE: ContextVar[bool] = ContextVar("in private mode", default=False)


@contextmanager
def in_private_mode() -> Iterator[None]:
    """Let no question go to a model meanwhile."""
    token = _PRIVATE.set(True)
    try:
        yield
    finally:
        _PRIVATE.reset(token)


class Rewording:
    """Asks the model that the settings of the moment choose; threads wait for each other."""

    def __init__(self, writer: Writer, counter: TokenCounter, assessor: Assessor, costs: ModelCosts) -> None:
        """Decide by ``assessor`` what may be sent; weigh it with ``counter``; what it costs goes to ``costs``."""
        self._writer = writer
        self._assessor = assessor
        self._model = ModelInUse(writer, counter, costs, EXPANDING, _TASK)
        self._kept: dict[str, tuple[str, ...]] = {}
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Drop the wordings: whom one names may have been erased."""
        self._kept = {}

    def answered(self, request: Request, hits: Hits, search: Callable[[str], Hits]) -> Hits:
        """Return ``hits``, or where none is certain what another wording of what is asked finds by ``search``."""
        if _answers(hits) or hits.complete is not None or hits.confidence is None:
            return hits
        wordings, why = self._wordings(request)
        for wording in wordings:
            found = search(wording)
            if _answers(found):
                return replace(found, notices=(*found.notices, FOUND))
        return hits if why is None else replace(hits, notices=(*hits.notices, why))

    def _wordings(self, request: Request) -> tuple[Sequence[str], str | None]:
        """Return other wordings of what is asked, and why there are none; nothing of both without a model.

        A question is bound like what it asks for: to whom, to what use and place.
        """
        question, gate = request.query, request.gate
        if EXPANDING.spec(self._writer.state.settings.models) == "none" or _PRIVATE.get():
            return (), None
        with self._lock:
            asking = self._model.asking()
            if asking is None:
                return (), None
            # Which rule of whom keeps it back is not for whoever asks.
            shown = StoredOutgoing(self._writer, self._assessor, EXPANDING.setting, ()).draft(
                Draft(
                    ref="question",
                    kind=Kind.EPISODIC,
                    content=question,
                    at=self._writer.now(),
                    subjects=gate.subjects or (),
                    purpose=() if gate.purpose is None else (gate.purpose,),
                    jurisdiction=gate.jurisdiction,
                )
            )
            if shown.text is None or not shown.text.strip():
                return (), f"{NONE}: {_NOT_SENT}"
            asked = Question(prompt(_TASK).text, {"text": shown.text}, _WORDINGS, asking.settings.limit.answer)
            digest = asking.chat.digest(asked)
            if digest not in self._kept:
                try:
                    reply = self._model.reply(asking, asked, ())
                finally:
                    self._model.note_costs()
                if reply.entries is None:
                    return (), f"{NONE}: {reply.why}"
                if len(self._kept) >= _KEPT:
                    self.forget()
                self._kept[digest] = _usable(reply.entries, question)
            return self._kept[digest], None


def _answers(hits: Hits) -> bool:
    """Return whether something that is certain to bear on the question is shown."""
    return any(hit.certain for hit in hits)


def _usable(entries: Sequence[dict[str, Any]], question: str) -> tuple[str, ...]:
    """Return the wordings of an answer that can be searched for, each once and none that is the question."""
    found: dict[str, str] = {question.casefold(): ""}
    for entry in entries:
        text = " ".join(entry["text"].split()) if fits(entry, _WORDINGS.item) else ""
        if text and len(text) <= _LONGEST:
            found.setdefault(text.casefold(), text)
    return tuple(text for text in found.values() if text)[:_MOST]
