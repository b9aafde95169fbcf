"""An OpenAI-compatible endpoint, faithful and not: a real server on this machine, over HTTP."""

from __future__ import annotations

import json
import socket
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from marskg.embedding import answers, endpoint
from marskg.embedding.endpoint import EndpointEmbedding
from marskg.embedding.registry import KEY_VARIABLE
from marskg.errors import EmbeddingUnavailable, InvalidConfig, InvalidInput
from marskg.models import http_client
from marskg.models.http_client import Limits
from tests.support import embedding_server as fake

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Poster = partial(
    http_client.Poster, what="the embedding endpoint", key_variable=KEY_VARIABLE, failure=EmbeddingUnavailable
)
KEY = "sk-never-to-be-seen"
SECRET = "the patient is Ann"
QUICK = Limits(seconds=0.4, tries=2, pause=0.5, answer_bytes=4096)
PATIENT = Limits(seconds=60, tries=2, pause=0.5, answer_bytes=4096)


@pytest.fixture
def server() -> Iterator[fake.Server]:
    with fake.embedding_server() as running:
        yield running


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def model(server: fake.Server, pauses: list[float]) -> EndpointEmbedding:
    return EndpointEmbedding("m", Poster(server.url, KEY, PATIENT, pauses.append))


@pytest.fixture
def hasty(server: fake.Server, pauses: list[float]) -> EndpointEmbedding:
    return EndpointEmbedding("m", Poster(server.url, KEY, QUICK, pauses.append))


def unit(text: str) -> list[float]:
    row = np.array(fake.vector(text))
    return list(row / np.linalg.norm(row))


def refused(model: EndpointEmbedding, port: int) -> str:
    """Return what the failure says, which names the server and neither key nor text."""
    with pytest.raises(EmbeddingUnavailable) as caught:
        model.embed([SECRET, "b"])
    said = str(caught.value)
    assert f"the embedding endpoint 127.0.0.1:{port}" in said
    assert KEY not in said
    assert "patient" not in said
    return said


# --- A faithful server -----------------------------------------------------------------------------------------------


def test_rows_are_those_of_their_texts(server: fake.Server, model: EndpointEmbedding) -> None:
    texts = ["one", "two words", "", " \n", "a longer text of six words"]
    rows = model.embed(texts)
    assert rows.dtype == np.float32
    assert np.allclose(rows[[0, 1, 4]], [unit(texts[n]) for n in (0, 1, 4)], atol=1e-6)
    assert not rows[2:4].any()
    path, headers, body = server.requests[0]
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body == {"model": "m", "input": [texts[0], texts[1], texts[4]], "encoding_format": "float"}
    assert model.name == f"openai:m@127.0.0.1:{server.port}"
    assert model.dimension == 3


def test_base64_and_another_order_give_the_same(server: fake.Server, model: EndpointEmbedding) -> None:
    def backwards(texts: list[str]) -> dict[str, Any]:
        return {"data": fake.answer(texts)["data"][::-1]}

    expected = model.embed(["a", "b c"])
    server.plan_body(fake.in_base64, backwards)
    assert np.array_equal(model.embed(["a", "b c"]), expected)
    assert np.array_equal(model.embed(["a", "b c"]), expected)


def test_without_a_key_none_is_sent(server: fake.Server) -> None:
    EndpointEmbedding("m", Poster(server.url)).embed(["a"])
    assert "Authorization" not in server.requests[0][1]


def test_the_dimension_is_asked_for_once(server: fake.Server, model: EndpointEmbedding) -> None:
    assert (model.dimension, model.dimension) == (3, 3)
    assert model.embed([]).shape == (0, 3)
    assert len(server.requests) == 1


def test_many_texts_go_in_batches(
    server: fake.Server, model: EndpointEmbedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "BATCH_TEXTS", 3)
    monkeypatch.setattr(endpoint, "BATCH_CHARACTERS", 50)
    texts = ["x" * n for n in (1, 2, 3, 4, 40, 60, 5)]
    rows = model.embed(texts)
    assert [len(body["input"]) for _, _, body in server.requests] == [3, 2, 1, 1]
    assert np.allclose(rows, [unit(text) for text in texts], atol=1e-6)


def test_a_lone_surrogate_is_refused_before_anything_is_sent(server: fake.Server, model: EndpointEmbedding) -> None:
    with pytest.raises(InvalidInput, match="text 0"):
        model.embed(["\ud800"])
    assert not server.requests


# --- Failures that pass ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_may_pass_is_tried_again(
    status: int, server: fake.Server, model: EndpointEmbedding, pauses: list[float]
) -> None:
    server.plan_status(status)
    assert np.allclose(model.embed(["a"]), [unit("a")], atol=1e-6)
    assert pauses == [0.5]


def test_pauses_grow_and_the_server_may_ask_for_longer_ones(server: fake.Server, pauses: list[float]) -> None:
    limits = Limits(seconds=5, tries=5, pause=0.25)
    server.plan_status(503)
    server.plan_status(429, Retry_After="7")
    server.plan_status(429, Retry_After="99999")
    server.plan_status(429, Retry_After="Fri, 31 Dec 1999 23:59:59 GMT")
    EndpointEmbedding("m", Poster(server.url, "", limits, pauses.append)).embed(["a"])
    assert pauses == [0.25, 7, 30, 2]


def test_what_does_not_pass_is_named(server: fake.Server, model: EndpointEmbedding) -> None:
    server.plan_status(503, 503)
    assert "answered with status 503, tried 2 times" in refused(model, server.port)


def test_tries_and_pauses_end_together_within_their_bound(server: fake.Server) -> None:
    late = [0.0]

    def sleep(seconds: float) -> None:
        late[0] += seconds

    poster = Poster(server.url, KEY, Limits(seconds=5, tries=9, pause=4, whole=20), sleep, lambda: late[0])
    server.plan_status(*[503] * 9)
    # After 4 and 8 seconds of pauses the next one, 16, would end behind the bound.
    assert "answered with status 503, tried 3 times" in refused(EndpointEmbedding("m", poster), server.port)
    assert late == [12]


@pytest.mark.parametrize("behaviour", [fake.hang, fake.drip])
def test_a_server_that_never_ends_is_left(
    behaviour: Callable[..., None], server: fake.Server, hasty: EndpointEmbedding
) -> None:
    server.planned += [behaviour, behaviour]
    assert "did not answer within 0.4 seconds" in refused(hasty, server.port)


def test_an_answer_that_breaks_off_is_not_used(server: fake.Server, model: EndpointEmbedding) -> None:
    server.planned += [fake.break_off, fake.break_off]
    assert "broke off" in refused(model, server.port)


def test_nobody_listening_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    model = EndpointEmbedding("m", Poster(f"http://127.0.0.1:{port}/v1", KEY, PATIENT, lambda _: None))
    assert "cannot be reached" in refused(model, port)


# --- Failures that do not --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "refused the key (status 401): set MARS_EMBEDDING_KEY"),
        (403, "refused the key"),
        (404, "refused the request (status 404): check the base URL"),
        (400, "refused the request (status 400)"),
        (204, "refused the request (status 204)"),
    ],
)
def test_a_refusal_is_not_tried_again(
    status: int, said: str, server: fake.Server, model: EndpointEmbedding, pauses: list[float]
) -> None:
    server.plan_status(status)
    assert said in refused(model, server.port)
    assert not pauses


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirection_is_refused(status: int, server: fake.Server, model: EndpointEmbedding) -> None:
    with fake.embedding_server() as elsewhere:
        server.plan_status(status, Location=f"{elsewhere.url}/embeddings")
        assert "redirects" in refused(model, server.port)
        assert not elsewhere.requests
    assert len(server.requests) == 1


def changed(**fields: Any) -> Callable[[list[str]], dict[str, Any]]:
    """Return an answer whose second vector has other fields."""

    def body(texts: list[str]) -> dict[str, Any]:
        given = fake.answer(texts)
        given["data"][1].update(fields)
        return given

    return body


NO_LIST = "answered something else than a list of vectors"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (lambda _: b"<html>patient</html>", NO_LIST),
        (lambda _: b"[" * 4000, NO_LIST),
        (lambda _: b"\xff\xfe", NO_LIST),
        (lambda _: ["patient"], NO_LIST),
        (lambda _: {"data": "patient"}, NO_LIST),
        (lambda _: {"data": ["patient", "b"]}, NO_LIST),
        (changed(embedding="patient"), NO_LIST),
        (changed(embedding=["1", "2", "3"]), NO_LIST),
        (changed(embedding=[True, 1, 1]), NO_LIST),
        (changed(embedding=[[1.0], [1.0], [1.0]]), NO_LIST),
        (changed(embedding=None), NO_LIST),
        (changed(embedding="AAAA"), NO_LIST),
        (changed(index=0), "without an index for each text"),
        (changed(index=2), "without an index for each text"),
        (changed(index="1"), "without an index for each text"),
        (changed(index=[1]), "without an index for each text"),
        (changed(embedding=[1.0, 2.0]), "a vector of 2 components, not 3"),
        (changed(embedding=[]), "a vector of 0 components, not 3"),
        (changed(embedding=[float("nan"), 1, 1]), "zero or not of finite numbers"),
        (changed(embedding=[1e39, 1, 1]), "zero or not of finite numbers"),
        (changed(embedding=[10**400, 1, 1]), NO_LIST),
        (changed(embedding=[0, 0.0, 0]), "zero or not of finite numbers"),
        (lambda texts: fake.answer(texts[:1]), "1 vectors for 2 texts"),
        (lambda texts: fake.answer([*texts, "c"]), "3 vectors for 2 texts"),
        (lambda _: {"data": [{"embedding": []}, {"embedding": []}]}, "zero or not of finite"),
        (lambda _: b" " * 5000, "more than 4,096 bytes"),
    ],
)
def test_rubbish_is_refused_and_not_repeated(
    body: Callable[[list[str]], Any], said: str, server: fake.Server, model: EndpointEmbedding
) -> None:
    server.plan_body(body)
    assert said in refused(model, server.port)


def test_more_components_than_any_model_has_are_refused_by_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_MOST_COMPONENTS", 3)
    body = json.dumps({"data": [{"index": 0, "embedding": [1.0] * 4}]}).encode()
    with pytest.raises(EmbeddingUnavailable, match="a vector of 4 components, more than 3: choose another model"):
        answers.read_rows(body, 1, None, "the server")


def test_another_dimension_than_before_is_refused(server: fake.Server, model: EndpointEmbedding) -> None:
    model.embed(["a"])
    server.plan_body(lambda texts: {"data": [{"index": n, "embedding": [1.0, 1.0]} for n in range(len(texts))]})
    assert "2 components, not 3: is it still the same model" in refused(model, server.port)


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path, pauses: list[float]) -> None:
    with fake.embedding_server(certificate=fake.self_signed(tmp_path)) as server:
        url = server.url.replace("http:", "https:")
        model = EndpointEmbedding("m", Poster(url, KEY, PATIENT, pauses.append))
        assert "a certificate that this machine does not trust" in refused(model, server.port)
    assert not pauses
    assert not server.requests


def test_encryption_works_where_it_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = fake.self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with fake.embedding_server(certificate=certificate) as server:
        url = server.url.replace("http:", "https:")
        model = EndpointEmbedding("m", Poster(url, KEY, PATIENT, lambda _: None))
        assert np.allclose(model.embed(["a"]), [unit("a")], atol=1e-6)
        server.planned += [fake.drip, fake.drip]
        hasty = EndpointEmbedding("m", Poster(url, KEY, QUICK, lambda _: None))
        assert "did not answer within 0.4 seconds" in refused(hasty, server.port)


# --- Addresses and keys ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:11434",
        "ftp://h/v1",
        "http://",
        "http://h:x/v1",
        "http://h:0/",
        "http://a b/",
        "http://h/\n",
        "http://é/",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidConfig, match="an endpoint's address is"):
        Poster(url)


@pytest.mark.parametrize(
    "url", ["https://u:hush@h/v1", "https://hush@h/v1", "https://h/v1?key=hush", "https://h/#hush"]
)
def test_secrets_in_an_address_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(InvalidConfig, match="MARS_EMBEDDING_KEY") as caught:
        Poster(url)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("key", ["hush hush", "hush\n", "hush\r\nX: y", "hushé"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(InvalidConfig) as caught:
        Poster("https://h/v1", key)
    assert "hush" not in str(caught.value)


def test_a_key_leaves_this_machine_encrypted_or_not_at_all() -> None:
    with pytest.raises(InvalidConfig, match=r"would go to 10\.0\.0\.5:8000 unencrypted"):
        Poster("http://10.0.0.5:8000/v1", KEY)
    Poster("http://10.0.0.5:8000/v1")
    Poster("https://api.example.org/v1", KEY)
    for here in ("localhost", "127.0.0.1", "[::1]"):
        Poster(f"http://{here}:1/v1", KEY)


@pytest.mark.parametrize("name", ["", "  ", "a\nb"])
def test_a_model_without_a_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidConfig, match="the name of its model"):
        EndpointEmbedding(name, Poster("https://h/v1"))
