"""Vectors keep their direction in the store, and a text its bytes in any company."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from marskg.embedding.packing import pack, unpack
from marskg.embedding.static import StaticEmbedding

STATIC = StaticEmbedding()
_PIECES = [
    "tomato",
    "Ann's",
    " ",
    "  ",
    "\n",
    "é",
    "東京",
    "<s>",
    "</s>",
    "▁",
    "12,5",
    "\u00ad",
    "\U0001d518",
    "a" * 40,
]
TEXTS = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))


@given(arrays(np.float32, st.sampled_from([16, 256, 1024]), elements=st.floats(-1, 1, width=32)))
def test_direction_survives_the_store(vector: np.ndarray) -> None:
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if length < 1e-3:
        return
    unit = (vector / length).astype(np.float32)
    text = pack(unit)
    back = unpack([text, text], len(unit))
    cosine = back[1].astype(np.float64) @ unit / np.linalg.norm(back[1].astype(np.float64)) / np.linalg.norm(unit)
    assert cosine > 0.99999
    assert pack(back[0]) == text


@given(st.lists(TEXTS, min_size=1, max_size=8))
def test_a_text_has_the_same_bytes_alone_and_in_any_batch(texts: list[str]) -> None:
    rows = STATIC.embed(texts)
    for text, row in zip(texts, rows, strict=True):
        assert STATIC.embed([text])[0].tobytes() == row.tobytes()
        assert abs(np.linalg.norm(row) - bool(text.strip())) < 1e-5


@given(TEXTS)
def test_pieces_of_words_are_the_pieces_of_their_text(text: str) -> None:
    table = STATIC._loaded()
    assert next(iter(table._pieces_of([text]))) == (table._pieces.ids(text, framed=False) if text.strip() else [])
