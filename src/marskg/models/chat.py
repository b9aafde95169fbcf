"""A language model behind any server that speaks OpenAI's ``/chat/completions``: one question, one list of entries.

Guarantees: instructions are of this package, and what people said goes in as one JSON document of data; an answer is
used only if it is the list that was asked for. A server that refuses ``json_schema`` is asked with ``json_object``
and the schema in words, from then on at once. Time, size, tries, redirects and the key are the matter of
:mod:`marskg.models.http_client`. Tokens count as the server says, and at least as what was sent and answered weighs
here, so that a server that counts wrongly moves no limit. Neither key, question nor answer is in any message.
Source: OpenAI API reference, "Create chat completion" (structured outputs).
"""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from marskg.errors import InvalidConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.models.answer_schema import Listing
    from marskg.models.http_client import Poster

#: What a server answers that does not know a field of the request.
_UNKNOWN_FIELD: Final = frozenset({400, 422})
_DIGEST_LENGTH: Final = 32
_MOST_TOKENS: Final = 1 << 40
_IN_WORDS: Final = "Answer with one JSON object of this JSON Schema, and nothing else: "


class Weighing(Protocol):
    """What counts tokens."""

    def count(self, text: str) -> int:
        """Return how many ``text`` has."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked: instructions, a document of data, the list that is wanted, the most tokens of it."""

    task: str
    data: Mapping[str, Any]
    wanted: Listing
    most: int | None = None

    @property
    def document(self) -> str:
        """Return the data as JSON."""
        return json.dumps(self.data, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered: the entries as they came, their text, tokens in and out, and milliseconds."""

    entries: list[dict[str, Any]]
    content: str
    tokens_in: int
    tokens_out: int
    lasted_ms: int

    @property
    def tokens(self) -> int:
        """Return the tokens in both directions."""
        return self.tokens_in + self.tokens_out


class ChatModel:
    """Asks one model."""

    def __init__(
        self, model: str, poster: Poster, counter: Weighing, now: Callable[[], float] = time.monotonic, *, setting: str
    ) -> None:
        """Address ``model`` by ``poster``, below whose base URL ``/chat/completions`` is; send nothing yet.

        ``counter`` weighs, ``now`` gives seconds that only ever grow; messages call the place of the name ``setting``.

        Raises:
            InvalidConfig: the model's name is empty or cannot be printed.
        """
        if not model.strip() or not model.isprintable():
            msg = f"{setting} needs the name of its model: openai:MODEL@URL"
            raise InvalidConfig(msg)
        self._model = model
        self._poster = poster
        self._counter = counter
        self._now = now
        self._knows_schemas = True

    @property
    def name(self) -> str:
        """Return the model and the server that gives it."""
        return f"openai:{self._model}@{self._poster.host}"

    @property
    def described(self) -> str:
        """Return what a message calls the server."""
        return self._poster.described

    def digest(self, question: Question) -> str:
        """Return the first 128 bits of the SHA-256 of all that the answer depends on, in hexadecimal."""
        return hashlib.sha256(self._poster.host.encode() + b"\n" + self._body(question, schemas=True)).hexdigest()[
            :_DIGEST_LENGTH
        ]

    def weight(self, question: Question) -> int:
        """Return how many tokens go out with a question, as they are counted here."""
        sent = f"{question.task}\n{question.document}\n{json.dumps(question.wanted.schema)}"
        return self._counter.count(_countable(sent))

    def ask(self, question: Question) -> Answer:
        """Return the answer to one question.

        Raises:
            MarsError: of the poster's kind: the server does not answer, or answers something else than such a list.
        """
        asked_at = self._now()
        answer = None
        if self._knows_schemas:
            answer = self._post(question, schemas=True)
            self._knows_schemas = answer is not None
        if answer is None:
            answer = self._post(question, schemas=False)
        content, usage = _content(answer)
        entries = None if content is None else question.wanted.read(content)
        if content is None or entries is None:
            msg = (
                f"{self.described} answered something else than {question.wanted.name}: check that the model knows "
                "structured output (json_schema)"
            )
            raise self._poster.failure(msg)
        return Answer(
            entries,
            content,
            max(_count(usage, "prompt_tokens"), self.weight(question)),
            max(_count(usage, "completion_tokens"), self._counter.count(_countable(content))),
            round(1_000 * (self._now() - asked_at)),
        )

    def _post(self, question: Question, *, schemas: bool) -> bytes | None:
        refusals = _UNKNOWN_FIELD if schemas else frozenset[int]()
        return self._poster.post_unless("/chat/completions", self._body(question, schemas=schemas), refusals)

    def _body(self, question: Question, *, schemas: bool) -> bytes:
        task, wanted = question.task, question.wanted
        if schemas:
            named = {"name": wanted.name, "strict": True, "schema": wanted.schema}
            form: dict[str, Any] = {"type": "json_schema", "json_schema": named}
        else:
            form = {"type": "json_object"}
            task = f"{task}\n\n{_IN_WORDS}{json.dumps(wanted.schema)}"
        messages = [{"role": "system", "content": task}, {"role": "user", "content": question.document}]
        body = {"model": self._model, "temperature": 0, "seed": 0, "messages": messages, "response_format": form}
        if question.most is not None:
            body["max_tokens"] = question.most
        return json.dumps(body).encode()


def _content(answer: bytes | None) -> tuple[str | None, Any]:
    """Return the text of an answer and its count of tokens; no text where it is none of the protocol."""
    try:
        document = json.loads(answer or b"")
        content = document["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return None, None
    return (content if isinstance(content, str) else None), document.get("usage")


def _count(usage: object, name: str) -> int:
    found = usage.get(name) if isinstance(usage, dict) else None
    return found if type(found) is int and 0 <= found <= _MOST_TOKENS else 0


def _countable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
