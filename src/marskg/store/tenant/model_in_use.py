"""One language model of a tenant, asked about several memories at once: what it answered is kept, what it cost counted.

Guarantees: the same question about the same memories is not asked twice, by whichever process; an answer goes with the
first of its memories that goes (:mod:`marskg.models.kept_answers`), and is encrypted as they are. What is asked counts
into the one account of the tenant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.models.asking import Asking, Reply, load_model
from marskg.models.kept_answers import KeptAnswers, joined, share_name, split
from marskg.models.prompt_files import prompt
from marskg.store.rows.codec import ref

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.config.models import ModelSettings
    from marskg.models.asking import Role
    from marskg.models.chat import Question
    from marskg.store.commit.writer import Writer
    from marskg.store.tenant.model_costs import ModelCosts
    from marskg.weight import TokenCounter

#: Characters of an answer that is kept; a longer one is asked for again.
_LONGEST: Final = 1 << 14


class ModelInUse:
    """What the settings of the moment choose for one role."""

    def __init__(self, writer: Writer, counter: TokenCounter, costs: ModelCosts, role: Role, used: str) -> None:
        """Weigh with ``counter``; what is asked, with the prompt that is called ``used``, goes to ``costs``."""
        self._writer = writer
        self._counter = counter
        self._costs = costs
        self._role = role
        self._prompt = used
        self._known: tuple[ModelSettings, Asking | None] | None = None
        self._answered: list[int] = []

    def asking(self) -> Asking | None:
        """Return the model, with what was spent by others meanwhile; None where the settings choose none.

        Raises:
            InvalidConfig: its key cannot be used.
        """
        settings = self._writer.state.settings.models
        if self._known is None or self._known[0] != settings:
            chat = load_model(self._role, settings, self._counter)
            found = None if chat is None else Asking(chat, settings, self._writer.now, self._costs.account)
            self._known = (settings, found)
        if self._known[1] is not None:
            self._costs.read()
        return self._known[1]

    def reply(self, asking: Asking, question: Question, ids: Sequence[str]) -> Reply:
        """Return what the model says to ``question``, about the memories of ``ids``: what it said before, if it did.

        About none, nothing is kept.
        """
        known = self.kept(asking, question, ids)
        if known is not None:
            return known
        reply = asking.reply(question)
        if reply.answer is not None:
            self._answered.append(reply.answer.tokens)
            if ids:
                name, digest = share_name(self._role.setting, ids), asking.chat.digest(question)
                self._keep(ids, name, f"{digest} {reply.answer.content}")
        return reply

    def kept(self, asking: Asking, question: Question, ids: Sequence[str]) -> Reply | None:
        """Return what the model said to ``question`` before; None where that is not known."""
        name, digest = share_name(self._role.setting, ids), asking.chat.digest(question)
        kept = joined(None if one is None else one.shares.get(name) for one in self._kept_at(ids))
        if kept is not None and kept.startswith(f"{digest} "):
            entries = question.wanted.read(kept.partition(" ")[2])
            if entries is not None:
                return Reply(entries)
        return None

    @property
    def owes(self) -> bool:
        """Return whether the settings chose a model, and something was spent that is not written down."""
        return self._known is not None and self._known[1] is not None and self._costs.account.added.calls > 0

    def note_costs(self) -> int | None:
        """Write down what was spent; returns the audit sequence number before, None where nothing was."""
        answered, self._answered = self._answered, []
        return self.note(len(answered), sum(answered))

    def note(self, answers: int, tokens: int) -> int | None:
        """Write down what was spent, with a record of so many answers of so many tokens; see :meth:`note_costs`."""
        known = None if self._known is None else self._known[1]
        if known is None:
            return None
        used = prompt(self._prompt)
        return self._costs.note(
            f"model={known.chat.name}", f"prompt={used.name}", f"prompt_digest={used.digest}",
            f"answers={answers}", f"tokens={tokens}",
        )  # fmt: skip

    def _keep(self, ids: Sequence[str], name: str, text: str) -> None:
        if len(text) > _LONGEST:
            return
        with self._writer.alone():
            known = self._kept_at(ids)
            shares = split(text, len(ids), self._writer.services.source.token)
            rows = [
                {"ref": ref(self._writer.tenant, ident), "answer": one.with_share(name, share).written()}
                for ident, one, share in zip(ids, known, shares, strict=True)
                if one is not None
            ]
            # One of them may have been erased while the model thought.
            if len(rows) == len(ids):
                self._writer.put("keep_answers", {"rows": rows})

    def _kept_at(self, ids: Sequence[str]) -> list[KeptAnswers | None]:
        """Return what is kept of answers at the memories of ``ids``; None for one that has no content any more."""
        unit = self._writer.new_unit(self._writer.read, self._writer.fresh_state())
        unit.fetch(list(ids))
        nodes = [unit.nodes.get(one) for one in ids]
        return [KeptAnswers.read(one.answer) if one is not None and one.has_content else None for one in nodes]
