"""The client of language models: what goes out, which answers are used, how they are counted, and prompts as files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidConfig, SummariserUnavailable
from marskg.models.answer_schema import Listing, fits
from marskg.models.chat import ChatModel, Question
from marskg.models.http_client import Limits, Poster
from marskg.models.prompt_files import prompt
from marskg.weight import TokenCounter
from tests.support.chat_server import chat_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.chat_server import ChatServer

KEY = "sk-very-secret-0123456789"
SECRET = "the cellar has a blue door"
WANTED = Listing("facts", {"text": {"type": "string"}, "of": {"type": ["integer", "null"]}})
QUESTION = Question("List facts.", {"text": SECRET}, WANTED, 50)
FACT = {"text": "a blue door", "of": None}


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.model = lambda _: {"facts": [FACT]}
        yield running


def _chat(server: ChatServer, name: str = "m", **limits: Any) -> ChatModel:
    values = {"seconds": 5.0, "tries": 2, "pause": 0.0} | limits
    poster = Poster(
        server.url, KEY, Limits(**values), what="the model", key_variable="KEY", failure=SummariserUnavailable
    )
    return ChatModel(name, poster, TokenCounter(), iter(range(1_000)).__next__, setting="models.extract")


def test_a_question_goes_out_as_instructions_data_and_a_schema(server: ChatServer) -> None:
    answer = _chat(server).ask(QUESTION)
    ((path, headers, request),) = server.requests
    assert (path, headers["Authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert [message["content"] for message in request["messages"]] == ["List facts.", json.dumps({"text": SECRET})]
    assert request["response_format"]["json_schema"]["schema"] == WANTED.schema
    assert (request["temperature"], request["max_tokens"]) == (0, 50)
    assert (answer.entries, answer.lasted_ms) == ([FACT], 1_000)


def test_a_server_without_schemas_is_asked_in_words_and_from_then_on_at_once(server: ChatServer) -> None:
    server.schemas = False
    chat = _chat(server)
    assert chat.ask(QUESTION).entries == chat.ask(QUESTION).entries == [FACT]
    kinds = [request["response_format"]["type"] for _, _, request in server.requests]
    assert kinds == ["json_schema", "json_object", "json_object"]
    assert json.dumps(WANTED.schema) in server.requests[-1][2]["messages"][0]["content"]


@pytest.mark.parametrize("around", ["Sure! {} Anything else?", "```json\n{}\n```", "\n{}"])
def test_prose_around_the_object_is_passed_over(server: ChatServer, around: str) -> None:
    server.model = lambda _: around.replace("{}", json.dumps({"facts": [FACT]}))
    assert _chat(server).ask(QUESTION).entries == [FACT]


@pytest.mark.parametrize(
    "made", ["no JSON", "", "[]", {"facts": 7}, {"facts": [1]}, {}, "{" * 100_000, {"lines": []}, "{} and {}"]
)
def test_what_is_no_such_list_is_refused_and_not_repeated(server: ChatServer, made: Any) -> None:
    server.model = lambda _: made
    with pytest.raises(SummariserUnavailable, match="answered something else than facts") as refused:
        _chat(server).ask(QUESTION)
    assert KEY not in str(refused.value)
    assert "cellar" not in str(refused.value)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirection_is_not_followed(server: ChatServer, status: int) -> None:
    with chat_server() as elsewhere:
        server.location = f"{elsewhere.url}/chat/completions"
        server.statuses = [status]
        with pytest.raises(SummariserUnavailable, match="redirects"):
            _chat(server).ask(QUESTION)
        assert elsewhere.requests == []


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": -5}, {"prompt_tokens": "many"}, {"prompt_tokens": True}])
def test_tokens_are_at_least_what_they_weigh_here_whatever_the_server_says(server: ChatServer, usage: Any) -> None:
    server.usage = usage
    chat = _chat(server)
    answer = chat.ask(QUESTION)
    assert answer.tokens_in == chat.weight(QUESTION) > 10
    assert answer.tokens_out > 5
    assert answer.tokens == answer.tokens_in + answer.tokens_out


def test_tokens_are_those_of_the_server_where_they_are_more(server: ChatServer) -> None:
    server.usage = {"prompt_tokens": 5_000, "completion_tokens": 700}
    assert _chat(server).ask(QUESTION).tokens == 5_700


def test_equal_questions_have_equal_digests_and_any_difference_another(server: ChatServer) -> None:
    chat = _chat(server)
    others = [
        Question("List all facts.", {"text": SECRET}, WANTED, 50),
        Question("List facts.", {"text": "another"}, WANTED, 50),
        Question("List facts.", {"text": SECRET}, Listing("facts", {}), 50),
    ]
    found = {chat.digest(QUESTION), _chat(server, "n").digest(QUESTION), *map(chat.digest, others)}
    assert len(found) == 5
    assert chat.digest(QUESTION) == _chat(server).digest(QUESTION)
    assert server.requests == []


@pytest.mark.parametrize("name", ["", " ", "m\nn"])
def test_a_model_needs_a_name(server: ChatServer, name: str) -> None:
    with pytest.raises(InvalidConfig, match=r"models\.extract"):
        _chat(server, name)


@pytest.mark.parametrize(
    ("value", "whether"),
    [
        ({"text": "a", "of": 1}, True), ({"text": "a", "of": None}, True), ({"text": "a"}, False),
        ({"text": "a", "of": 1, "id": "x"}, False), ({"text": 1, "of": 1}, False), ({"text": "a", "of": True}, False),
        ({"text": "a", "of": float("nan")}, False), ("a", False),
    ],
)  # fmt: skip
def test_an_entry_is_of_its_schema_or_not(value: Any, whether: bool) -> None:  # noqa: FBT001 - a parameter of cases
    assert fits(value, WANTED.item) is whether


def test_a_prompt_has_its_version_in_its_name_and_a_digest_that_is_known() -> None:
    # A change of the words is another version: give it another name, and its digest here.
    known = {
        "extract.v1": "134d6175b88fbad4f036eebe44cf0528",
        "summarise.v1": "760db8c2b46258c5a1b09b91f333f664",
        "summarise_note.v1": "23985d005f415d893afdc9a87e91a4a8",
    }
    assert {name: prompt(name).digest for name in known} == known
