"""Long memories are found by their best passage, in the index, in its file and in the store's vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from marskg.embedding.static import StaticEmbedding
from marskg.retrieval.index.memory_index import MemoryIndex
from marskg.retrieval.index.storage import Reached, load, save
from marskg.store.unit.vectors import model_name, packed_by, tag, unpacked, unpacked_passages
from marskg.text import MOST_PASSAGES, PASSAGE, passages
from tests.support.candidates import direction
from tests.support.indexed import DIMENSION, put, ranked, row_of, stored

if TYPE_CHECKING:
    from pathlib import Path

FILLER = "The wheel of the old cart turned slowly along the muddy road past the barn and the ferry. "
NEEDLE = "The deed of the mill lies in the blue tin."
LONG = FILLER * 8 + NEEDLE + " " + FILLER * 8


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        "word " * 1_000,
        "x" * 2_000,
        "猫が好きです。" * 300,
        "Line\n" * 400,
        "A sentence. " * 20_000,
    ],
)
def test_passages_hold_all_of_a_text_and_are_bounded(text: str) -> None:
    found = passages(text)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert 1 < len(found) <= MOST_PASSAGES
    assert max(map(len, found)) <= 2 * max(PASSAGE, 2 * len(text) // MOST_PASSAGES)


@pytest.mark.parametrize(("text", "count"), [("", 0), ("  \n", 0), ("Ann likes tea", 1), ("Short. And sweet!", 1)])
def test_a_short_text_is_its_only_passage(text: str, count: int) -> None:
    assert len(passages(text)) == count


def test_a_long_text_is_packed_with_its_passages_and_a_short_one_alone() -> None:
    model = StaticEmbedding()
    name = model_name(model)
    short, long = packed_by(model, ["Ann likes tea", LONG])
    assert unpacked_passages(short, tag(name), model.dimension).shape == (0, model.dimension)
    whole = unpacked([long], tag(name), model.dimension)
    assert np.allclose(whole, model.embed([LONG]), atol=1e-3)
    parts = unpacked_passages(long, tag(name), model.dimension)
    assert np.allclose(parts, model.embed(passages(LONG)), atol=1e-3)


def _with_parts(index: MemoryIndex, number: int, *, near: int | None) -> None:
    """Put a long memory whose whole is like nothing, and whose passage number ``near`` is like the question."""
    count = len(passages(LONG))
    parts = np.stack([direction(0, 1, 0, 0)] * count)
    if near is not None:
        parts[near] = direction(1, 0, 0, 0)
    index.put(row_of(stored(number, LONG)), [], direction(0, 0, 1, 0), parts)


def test_a_long_memory_is_as_near_as_its_best_passage() -> None:
    index = MemoryIndex(DIMENSION)
    _with_parts(index, 1, near=2)
    _with_parts(index, 2, near=None)
    put(index, stored(3, "short"), vector=direction(1, 1, 0, 0))
    found = {ident: why["similarity"] for ident, _, why in ranked(index, "zebra", direction(1, 0, 0, 0))}
    assert found == {"m1": 1_000_000, "m2": 0, "m3": pytest.approx(707_107, abs=1)}


def test_words_count_in_the_best_passage_and_not_over_a_whole_page() -> None:
    index = MemoryIndex(DIMENSION)
    put(index, stored(1, LONG))
    put(index, stored(2, f"The deed is late. {FILLER * 6} A mill stands there. {FILLER * 6} A tin, a blue one."))
    assert [ident for ident, *_ in ranked(index, "deed of the mill blue tin")] == ["m1", "m2"]


def test_passages_without_vectors_are_missing_and_the_whole_stands_for_them() -> None:
    index = MemoryIndex(DIMENSION)
    put(index, stored(1, LONG), vector=direction(1, 0, 0, 0))
    assert index.without_vector(5) == ["m1"]
    ((_, _, why),) = ranked(index, "zebra", direction(1, 0, 0, 0))
    assert why["similarity"] == 1_000_000


def test_what_was_removed_leaves_no_passage_and_the_others_keep_theirs(tmp_path: Path) -> None:
    index = MemoryIndex(DIMENSION)
    put(index, stored(9, "a note"), vector=direction(0, 1, 0, 0))
    _with_parts(index, 1, near=2)
    _with_parts(index, 2, near=1)
    before = {ident: dict(why) for ident, _, why in ranked(index, "deed", direction(1, 0, 0, 0))}["m2"]
    index.remove("m1")

    def numbers(held: MemoryIndex) -> dict[str, Any]:
        return {ident: dict(why) for ident, _, why in ranked(held, "deed", direction(1, 0, 0, 0))}

    removed = numbers(index)
    assert removed["m2"]["similarity"] == before["similarity"]
    index.compact()
    assert numbers(index) == removed
    assert len(index.passages) == len(passages(LONG))
    assert set(index.passages.columns["row"].tolist()) == {index.rows["m2"]}
    save(tmp_path / "an.index", index, Reached("alice", None, "urn:log", 3, 4))
    again, _ = load(tmp_path / "an.index")
    assert numbers(again) == removed


def test_a_file_whose_passages_stand_apart_is_refused() -> None:
    index = MemoryIndex(DIMENSION)
    _with_parts(index, 1, near=2)
    _with_parts(index, 2, near=1)
    index.passages.columns["row"][-1] = index.passages.columns["row"][0]
    with pytest.raises(ValueError, match="stand apart"):
        index.passages.restored()
