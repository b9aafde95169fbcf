"""One language model with all that outlasts a single question: when it rests, and what models have cost today.

Guarantees: it is not asked while it rests, nor beyond a limit of the settings, which is checked before a request with
the longest answer allowed; what was asked is counted whether it is answered or not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import EnvironmentFailure, InvalidConfig
from marskg.models.chat import ChatModel
from marskg.models.endpoint_spec import endpoint
from marskg.models.http_client import Limits
from marskg.models.rest import Rest
from marskg.models.spending import Account, price

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.config.models import ModelSettings
    from marskg.models.chat import Answer, Question, Weighing

#: What each setting of a model takes, in the words of the documents.
SPECS: Final = ("none", "openai:<model>@<base url>")
#: Failures in a row after which the model is left alone.
_FAILURES: Final = 2
_ANSWER_BYTES: Final = 1 << 22


@dataclass(frozen=True, slots=True)
class Role:
    """What a model does: the ``setting`` that names it, what messages call it, where its key is, how it fails.

    ``former_key`` is where earlier versions looked for the key; ``wait`` names the limit of time, in ``models.limit``,
    of so many ``tries``.
    """

    setting: str
    what: str
    key_variable: str
    failure: type[EnvironmentFailure]
    former_key: str | None = None
    wait: str = "wait"
    tries: int = 3

    def spec(self, settings: ModelSettings) -> str:
        """Return what the settings name for it."""
        found: str = getattr(settings, self.setting.rpartition(".")[2])
        return found


def load_model(
    role: Role, settings: ModelSettings, counter: Weighing, environment: Mapping[str, str] | None = None
) -> ChatModel | None:
    """Return the model that the settings choose for ``role``, None for ``none``; nobody is asked.

    Args:
        role: what it is to do.
        settings: the tenant's.
        counter: weighs what is sent and answered.
        environment: where its key is; the process's if left out.

    Raises:
        InvalidConfig: it chooses nothing, or its address or key cannot be used.
    """
    if role.spec(settings) == "none":
        return None
    seconds = getattr(settings.limit, role.wait) / 1_000
    found = endpoint(
        role.spec(settings),
        "openai",
        what=role.what,
        key_variable=role.key_variable,
        former_key=role.former_key,
        failure=role.failure,
        environment=environment,
        limits=Limits(seconds=seconds, tries=role.tries, pause=0.5, answer_bytes=_ANSWER_BYTES, whole=seconds),
    )
    if found is None:
        # Not repeated as given: somebody may have put a key into it.
        msg = f"unknown model: use {' or '.join(SPECS)} for {role.setting}"
        raise InvalidConfig(msg)
    return ChatModel(*found, counter, setting=role.setting)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a question: ``entries``, or ``why`` there are none; ``asked`` says whether a request was made."""

    entries: list[dict[str, Any]] | None
    why: str = ""
    asked: bool = False
    answer: Answer | None = None


@dataclass(slots=True)
class Asking:
    """Asks one model, within the limits; several of one tenant share an ``account``."""

    chat: ChatModel
    settings: ModelSettings
    now_ms: Callable[[], int]
    account: Account = field(default_factory=Account)
    rest: Rest = field(default_factory=lambda: Rest(limit=_FAILURES))

    @property
    def rests(self) -> bool:
        """Return whether the model failed so often that it is left alone now."""
        return self.rest.rests(self.now_ms())

    def refusal(self, question: Question) -> str | None:
        """Return why the model is not asked now, None where it is."""
        if self.rests:
            return "the model failed and is left alone for a while"
        limit = self.account.at(self.now_ms()).refusal(self.settings, self.chat.weight(question))
        return None if limit is None else f"{limit} would be exceeded"

    def ask(self, question: Question) -> Answer:
        """Return the answer, and count what it cost, or what a request costs that failed.

        Raises:
            EnvironmentFailure: there is none; of the kind that the model's role has.
        """
        try:
            answer = self.chat.ask(question)
        except EnvironmentFailure:
            weight = self.chat.weight(question)
            self.account.add(self.now_ms(), weight, price(self.settings, weight, 0))
            self.rest.failed(self.now_ms())
            raise
        self.rest.answered()
        cost = price(self.settings, answer.tokens_in, answer.tokens_out)
        self.account.add(self.now_ms(), answer.tokens, cost)
        return answer

    def reply(self, question: Question) -> Reply:
        """Return what comes of a question, whatever that is."""
        refusal = self.refusal(question)
        if refusal is not None:
            return Reply(None, refusal)
        try:
            answer = self.ask(question)
        except EnvironmentFailure as failure:
            return Reply(None, str(failure), asked=True)
        return Reply(answer.entries, asked=True, answer=answer)
