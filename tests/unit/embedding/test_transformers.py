"""What is done around sentence-transformers, on a stand-in for the library; tests/interop has the library itself."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from marskg.embedding.transformers import SentenceTransformersEmbedding
from marskg.errors import EmbeddingUnavailable, RerankerUnavailable
from marskg.reranking.registry import load_reranker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Small:
    """A model on a device that has room for so many texts at once."""

    room = 100

    def __init__(self, name: str, *, device: str, local_files_only: bool) -> None:
        assert local_files_only
        assert device == "cpu"
        if name == "absent":
            message = "not in the cache"
            raise OSError(message)
        self.batches: list[int] = []

    def named_parameters(self) -> Iterator[Any]:
        return iter(())

    def get_embedding_dimension(self) -> int:
        return 2

    def encode(self, texts: Sequence[str], *, batch_size: int, **_: Any) -> Any:
        self.batches.append(batch_size)
        if batch_size > self.room:
            message = "out of memory"
            raise RuntimeError(message)
        return np.array([[1.0, 0.0]] * len(texts))

    def predict(self, pairs: Sequence[tuple[str, str]], **_: Any) -> Any:
        if self.room == 0:
            message = "out of memory"
            raise RuntimeError(message)
        return np.array([len(set(question.split()) & set(text.split())) for question, text in pairs], dtype=np.float32)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> type[Small]:
    made = ModuleType("sentence_transformers")
    kind = type("Limited", (Small,), {})
    made.SentenceTransformer = made.CrossEncoder = kind  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", made)
    return kind


def test_batches_shrink_until_they_fit(library: type[Small]) -> None:
    library.room = 2
    model = SentenceTransformersEmbedding("any/model")
    assert model.embed(["a", "b", "c"]).shape == (3, 2)
    assert model._load()[0].batches == [32, 8, 2]


def test_what_fails_one_by_one_is_named_without_a_text(library: type[Small]) -> None:
    library.room = 0
    with pytest.raises(EmbeddingUnavailable, match="on cpu failed") as refused:
        SentenceTransformersEmbedding("any/model").embed(["a secret"])
    assert "secret" not in str(refused.value)


def test_a_cross_encoder_scores_pairs(library: type[Small]) -> None:
    reranker = load_reranker("sentence-transformers:some/cross-encoder")
    assert reranker is not None
    assert (reranker.name, reranker.leaves) == ("sentence-transformers:cross-encoder", False)
    assert reranker.scores("green beans", ["red beans", "green beans", "rain"]) == [1.0, 2.0, 0.0]
    library.room = 0
    with pytest.raises(RerankerUnavailable, match="cross-encoder failed"):
        reranker.scores("green beans", ["rain"])


@pytest.mark.usefixtures("library")
def test_a_cross_encoder_that_is_not_there_is_named() -> None:
    reranker = load_reranker("sentence-transformers:absent")
    assert reranker is not None
    with pytest.raises(RerankerUnavailable, match="'absent' cannot be loaded"):
        reranker.scores("a", ["b"])
