"""The rankers without governance order as their formulas say, the same each time."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.embedding.static import StaticEmbedding
from marskg_bench.common.sentences import Sentences
from marskg_bench.fama.scoring import Item
from marskg_bench.retrievals.rankers import Bm25, Cosine, Fused
from marskg_bench.retrievals.retrievers import Listed

TEXTS = ["I love jazz", "jazz and jazz again, all day long in the old garden", "ferns need water", "the garden"]


@pytest.fixture(scope="module")
def model() -> StaticEmbedding:
    return StaticEmbedding()


def test_bm25_prefers_the_rare_term_and_the_short_text() -> None:
    ranker = Bm25(TEXTS)
    assert ranker.rank("ferns") == [2]
    assert ranker.rank("jazz garden") == [1, 3, 0]
    assert ranker.rank("the of nothing") == []


def test_bm25_is_its_formula() -> None:
    texts = ["jazz", "jazz rain rain rain"]
    rarity = math.log(1 + 0.5 / 2.5)
    scores = [rarity * 2.2 / (1 + 1.2 * (0.25 + 0.75 * length / 2.5)) for length in (1, 4)]
    assert scores[0] > scores[1]
    assert Bm25(texts).rank("jazz") == [0, 1]
    assert Bm25(texts[::-1]).rank("jazz") == [1, 0]


def test_vectors_put_first_what_means_alike(model: StaticEmbedding) -> None:
    assert Cosine(TEXTS, model).rank("music that swings")[0] in {0, 1}
    assert Cosine(TEXTS, model).rank("watering plants")[0] == 2


def test_fusion_puts_first_what_both_rank_high(model: StaticEmbedding) -> None:
    assert Fused([Bm25(TEXTS), Cosine(TEXTS, model)]).rank("water the ferns")[0] == 2


def test_a_depth_beyond_what_is_ranked_gives_the_rest_too() -> None:
    items = [Item(text, None, 1) for text in TEXTS]
    listed = Listed(items, Bm25)
    assert [item.content for item in listed.retrieve("ferns", 2)] == [TEXTS[2], TEXTS[0]]
    assert len(listed.retrieve("ferns", 99)) == len(TEXTS)


@given(st.lists(st.text(max_size=30), min_size=1, max_size=8), st.text(max_size=20), st.integers(1, 9))
def test_every_item_comes_once(texts: list[str], query: str, k: int) -> None:
    items = [Item(text, str(place), 1) for place, text in enumerate(texts)]
    got = Listed(items, Bm25).retrieve(query, k)
    assert len(got) == min(k, len(items))
    assert len({item.session for item in got}) == len(got)


def test_sentences_are_the_same_for_a_seed_and_questions_are_different() -> None:
    first, same, other = Sentences(1), Sentences(1), Sentences(2)
    assert first.take(50) == same.take(50)
    assert first.questions(65) == same.questions(65)
    assert len(set(other.questions(65))) == 65
    assert first.take(50) != other.take(50)
