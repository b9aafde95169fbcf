"""Models by the words that choose them."""

from __future__ import annotations

import sys

import pytest

from marskg.embedding.minilm import MiniLM
from marskg.embedding.registry import SPECS, load_model
from marskg.embedding.static import StaticEmbedding
from marskg.embedding.transformers import SentenceTransformersEmbedding
from marskg.errors import EmbeddingUnavailable, InvalidConfig


def test_each_word_chooses_its_model() -> None:
    assert isinstance(load_model(), StaticEmbedding)
    assert isinstance(load_model("static"), StaticEmbedding)
    assert isinstance(load_model("minilm"), MiniLM)
    assert isinstance(load_model("sentence-transformers:org/name"), SentenceTransformersEmbedding)
    assert load_model("none") is None


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("static", "static:l2_supercat_256"),
        ("minilm", "minilm:all-MiniLM-L6-v2"),
        ("openai:text-embedding-3-small@https://api.openai.com/v1", "openai:text-embedding-3-small@api.openai.com"),
        ("openai:team@v2/m:latest@http://localhost:11434/v1/", "openai:team@v2/m:latest@localhost:11434"),
    ],
)
def test_the_name_says_which_vectors_may_be_compared(spec: str, name: str) -> None:
    model = load_model(spec, {"MARS_EMBEDDING_KEY": "sk-hush"})
    assert model is not None
    assert model.name == name


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "Static",
        "static:",
        "word2vec",
        "openai:",
        "openai:m",
        "openai:m@localhost",
        "sentence-transformers:",
        "sk-hush",
    ],
)
def test_what_chooses_nothing_is_told_what_there_is(spec: str) -> None:
    with pytest.raises(InvalidConfig, match="unknown embedding") as caught:
        load_model(spec, {})
    assert all(known in str(caught.value) for known in SPECS)
    assert "hush" not in str(caught.value)


def test_a_bad_key_in_the_environment_is_refused_and_not_repeated() -> None:
    with pytest.raises(InvalidConfig, match="MARS_EMBEDDING_KEY has a blank") as caught:
        load_model("openai:m@https://h/v1", {"MARS_EMBEDDING_KEY": "hush hush"})
    assert "hush" not in str(caught.value)


def test_a_missing_extra_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    model = load_model("sentence-transformers:org/name")
    assert model is not None
    with pytest.raises(EmbeddingUnavailable, match=r"pip install 'marskg\[sentence-transformers\]'"):
        model.embed(["a"])
