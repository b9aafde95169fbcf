"""The bench of evidence: its file, its measures, and what fits into a budget."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.config import Settings
from marskg.embedding.static import StaticEmbedding
from marskg.errors import InvalidDocument, InvalidInput
from marskg.retrieval.query.profile import load_profile
from marskg.weight import TokenCounter
from marskg_bench.common.conversations import conversations
from marskg_bench.retrieval import main
from marskg_bench.retrievals.asked import Page
from marskg_bench.retrievals.evidence import auroc, ndcg, outcome
from marskg_bench.retrievals.flat import FLAT, FlatRankings
from marskg_bench.retrievals.parts import left_out
from tests.support.two_people import GARDEN, TRAVEL, write

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_read_with_its_times_pictures_and_evidence(tmp_path: Path) -> None:
    plain = write(tmp_path / "some.json", GARDEN, TRAVEL)
    packed = tmp_path / "some.json.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    found = conversations(plain)
    assert found == conversations(packed)
    garden = found[0]
    assert [turn.session for turn in garden.turns] == ["session_1"] * 4 + ["session_2"] * 2
    assert garden.turns[0].at == 1_683_554_160_000  # 1:56 pm on 8 May, 2023, UTC
    assert garden.turns[1].at - garden.turns[0].at == 1_000
    assert garden.turns[3].text == "Ben: Look! [shares a heron by a pond]"
    # The question without a turn of its own is left out, and so is evidence that names none.
    assert [question.evidence for question in garden.questions] == [{1}, {1, 5}, {3}]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda one: one.pop("conversation"), '"conversation" is missing'),
        (lambda one: one["conversation"].update(session_1_date_time="yesterday"), '"session_1_date_time" is no time'),
        (lambda one: one["conversation"]["session_1"][0].pop("speaker"), '"speaker" is missing'),
        (lambda one: one["qa"][0].update(category=9), '"category" is none of 1, 2, 3, 4, 5'),
        (lambda one: one["qa"][0].update(question=7), '"question" must be a text'),
    ],
)
def test_a_field_that_breaks_the_layout_is_named_without_a_text(tmp_path: Path, change: Any, said: str) -> None:
    broken = json.loads(json.dumps(GARDEN))
    change(broken)
    with pytest.raises(InvalidDocument) as refused:
        conversations(write(tmp_path / "some.json", TRAVEL, broken))
    assert said in str(refused.value)
    assert "conversation 2" in str(refused.value)
    assert "tomatoes" not in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\x1f\x8bnot gzip", b"[1]", b"\xff"])
def test_what_is_no_such_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(InvalidDocument, match=r"other\.json"):
        conversations(path)


def test_measures_are_their_formulas() -> None:
    found = outcome([4, 7, 1], frozenset({1, 2}))
    assert (found.evidence, found.any_evidence, found.all_evidence, found.items) == (0.5, 1.0, 0.0, 3)
    assert found.ndcg == pytest.approx(0.5 / (1 + 1 / 1.584962500721156))
    assert ndcg([2, 1], frozenset({1, 2})) == 1.0
    assert auroc([2.0, 3.0], [1.0]) == 1.0
    assert auroc([1.0], [1.0]) == 0.5
    assert auroc([], [1.0]) is None


@given(st.lists(st.integers(0, 4), min_size=1), st.lists(st.integers(0, 4), min_size=1))
def test_auroc_is_the_share_of_pairs_that_are_in_order(own: list[int], foreign: list[int]) -> None:
    pairs = [(one > other) + (one == other) / 2 for one in own for other in foreign]
    assert auroc(own, foreign) == pytest.approx(sum(pairs) / len(pairs))


def test_flat_rankings_find_by_words_by_meaning_and_by_their_neighbours(tmp_path: Path) -> None:
    (garden,) = conversations(write(tmp_path / "some.json", GARDEN))
    rankings = FlatRankings(garden.turns, StaticEmbedding())
    orders = rankings.orders("What does Ana grow?")
    assert set(orders) == set(FLAT)
    assert all(sorted(order.places) == list(range(6)) for order in orders.values())
    assert rankings.orders("tomatoes")["bm25"].places[0] == 1
    # The turn after the one with the words comes before turns of another session without them.
    assert set(rankings.orders("tomatoes")["smoothed"].places[:3]) == {0, 1, 2}


def test_a_page_is_the_longest_beginning_that_fits(tmp_path: Path) -> None:
    (garden,) = conversations(write(tmp_path / "some.json", GARDEN))
    page = Page(garden.turns, TokenCounter())
    order = [3, 1, 0, 5, 2, 4]
    sizes = [len(page.fitting(order, budget)) for budget in range(300)]
    assert sizes == sorted(sizes)
    assert sizes[0] == 0
    assert sizes[-1] == 6
    assert page.fitting(order, 299) == order


def test_each_part_of_the_default_ranking_is_left_out_by_its_weight() -> None:
    weights = load_profile("fused").weights
    parts = dict(left_out())
    assert len(parts) == sum(weight > 0 for weight in weights.values())
    without = Settings().with_values(parts["lexical"]).retrieval.weights
    assert load_profile("fused", without).weights == {**weights, "lexical": 0.0}


def test_a_conversation_that_is_not_there_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "some.json", GARDEN)
    with pytest.raises(InvalidInput, match="it has garden"):
        main(["--data", str(path), "--conversation", "desert", "--rankers-only", "--alone"])
