"""The reranker between ranking and assembly: what it is sent, what it changes, and what an answer is without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidConfig
from tests.support.rerank_server import Server, rerank_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

TEXTS = (
    "Tomatoes want water twice a week",
    "Tomatoes grow best, best of all, under glass",
    "The best soil for tomatoes is warm",
    "Tomatoes came from Peru",
)
ASKED = "Which tomatoes?"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("MARS_RERANKER_KEY", "sk-secret")
    with rerank_server() as running:
        yield running


def filled(stores: Stores, reranker: str, **values: Any) -> AgentMemory:
    memory = stores.open(retrieval__reranker=reranker, **values)
    for text in TEXTS:
        memory.remember(text, kind="semantic")
    return memory


def found(memory: AgentMemory, **options: Any) -> list[str]:
    return [str(hit.memory.content) for hit in memory.retrieve(ASKED, **options)]


def test_the_reranker_decides_the_order_of_the_best(stores: Stores, server: Server) -> None:
    plain = filled(stores, "none")
    memory = filled(stores, f"rerank:taste@{server.url}")
    hits = memory.retrieve(ASKED)
    order = [str(hit.memory.content) for hit in hits]
    # Two "best", one, and what has none in the order in which it was ranked.
    rest = [text for text in found(plain) if "best" not in text]
    assert order == [TEXTS[1], TEXTS[2], *rest]
    assert [hit.why["reranker"] for hit in hits] == [0.2, 0.1, 0.0, 0.0]
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert not hits.notices
    ((path, headers, body),) = server.requests
    assert path == "/v1/rerank"
    assert headers["Authorization"] == "Bearer sk-secret"
    assert (body["model"], body["query"], sorted(body["documents"])) == ("taste", ASKED, sorted(TEXTS))


def test_only_as_many_as_the_setting_says_are_read(stores: Stores, server: Server) -> None:
    before = found(filled(stores, "none"))
    memory = filled(stores, f"rerank:taste@{server.url}", retrieval__rerank=2)
    order = found(memory)
    assert server.requests[0][2]["documents"] == before[:2]
    assert set(order[:2]) == set(before[:2])
    assert order[2:] == before[2:]


def test_what_a_reader_may_not_see_is_not_sent(stores: Stores, server: Server) -> None:
    memory = filled(stores, f"rerank:taste@{server.url}")
    memory.remember("The best tomatoes are kept secret", kind="semantic", sensitivity=0.9)
    found(memory, max_sensitivity=0.5)
    assert sorted(server.seen) == sorted(TEXTS)
    found(memory)
    assert "The best tomatoes are kept secret" in server.seen


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (500, {}, "answered with status 500, tried 2 times"),
        (401, {}, "refused the key (status 401): set MARS_RERANKER_KEY"),
        (200, {"results": []}, "something else than a score for each text"),
        (200, {"results": [{"index": 0, "relevance_score": 1.0}] * 4}, "something else than a score"),
        (200, {"results": [{"index": n, "relevance_score": float("nan")} for n in range(4)]}, "something else"),
        (200, [TEXTS[0]], "something else than a score"),
    ],
)
def test_a_reranker_that_fails_changes_nothing_and_is_told_of(
    stores: Stores, server: Server, status: int, body: Any, said: str
) -> None:
    server.status, server.body = status, lambda *_: body
    before = found(filled(stores, "none"))
    memory = filled(stores, f"rerank:taste@{server.url}")
    hits = memory.retrieve(ASKED)
    assert [hit.memory.content for hit in hits] == before
    (notice,) = hits.notices
    assert notice.startswith(f"ranked without the reranker: the reranking endpoint {server.url[7:-3]} ")
    assert said in notice
    assert not any(secret in notice for secret in ("sk-secret", "omatoes"))


def test_a_reranker_that_failed_is_left_alone_for_a_while(stores: Stores, server: Server) -> None:
    server.status = 404
    memory = filled(stores, f"rerank:taste@{server.url}")
    assert memory.retrieve(ASKED).notices
    assert memory.retrieve(ASKED).notices
    assert len(server.requests) == 1
    server.status = 200
    stores.clocks[memory.tenant].advance(31_000)
    assert not memory.retrieve(ASKED).notices
    assert len(server.requests) == 2


def test_a_cross_encoder_that_is_not_there_leaves_the_ranking(stores: Stores) -> None:
    memory = filled(stores, "sentence-transformers:/nowhere/cross-encoder")
    hits = memory.retrieve(ASKED)
    assert len(hits) == len(TEXTS)
    assert hits.notices[0].startswith("ranked without the reranker: ")


@pytest.mark.parametrize("spec", ["", "bm25", "rerank:m", "rerank:@http://h/v1", "sentence-transformers:", "none:x"])
def test_a_word_that_chooses_nothing_is_refused_with_what_there_is(stores: Stores, spec: str) -> None:
    memory = stores.open()
    with pytest.raises(InvalidConfig, match="rerank"):
        memory.settings.set(None, {"retrieval.reranker": spec})
    assert memory.settings.current.retrieval.reranker == "none"
