"""BM25 over the texts that a reader may see, and over nothing else."""

from __future__ import annotations

import math

import numpy as np
import pytest

from marskg.retrieval.index.lexical import K1, B, Lexical
from marskg.text import terms
from tests.support.indexed import bm25, indexed, stored

TEXTS = ["Ann likes green tea", "Ann likes Ann", "Bob drives a red car to the red house"]


def test_the_score_is_the_formulas() -> None:
    index = indexed(*(stored(number, text) for number, text in enumerate(TEXTS)))
    (ann,) = terms("Ann")
    lengths = [len(terms(text)) for text in TEXTS]
    mean = sum(lengths) / 3
    idf = math.log1p((3 - 2 + 0.5) / (2 + 0.5))
    expected = {
        f"m{number}": idf * count * (K1 + 1) / (count + K1 * (1 - B + B * lengths[number] / mean))
        for number, count in ((0, 1), (1, 2))
    }
    assert bm25(index, [ann]) == pytest.approx(expected, rel=1e-12)


def test_a_hidden_memory_changes_no_score() -> None:
    shown = [stored(number, text) for number, text in enumerate(TEXTS)]
    secret = stored(9, "Ann Ann Ann likes tea " * 50, sensitivity=0.9)
    alone, beside = indexed(*shown), indexed(*shown, secret)
    asked = terms("Ann likes red tea")
    assert bm25(beside, asked, max_sensitivity=0.5) == bm25(alone, asked, max_sensitivity=0.5)
    # Seen, it does change them: the comparison above can fail.
    assert bm25(beside, asked) != bm25(alone, asked)


def test_a_removed_memory_changes_no_score() -> None:
    index = indexed(*(stored(number, text) for number, text in enumerate([*TEXTS, "Ann likes Ann's tea"])))
    index.remove("m3")
    alone = indexed(*(stored(number, text) for number, text in enumerate(TEXTS)))
    assert bm25(index, terms("Ann tea")) == bm25(alone, terms("Ann tea"))
    index.compact()
    assert bm25(index, terms("Ann tea")) == bm25(alone, terms("Ann tea"))
    assert sorted(index.lexical.dump()[0]) == sorted(alone.lexical.dump()[0])


def test_a_repeated_or_unknown_term_adds_nothing() -> None:
    index = indexed(*(stored(number, text) for number, text in enumerate(TEXTS)))
    assert bm25(index, ["ann", "ann", "zebra"]) == bm25(index, ["ann"])


def test_nothing_visible_scores_nothing() -> None:
    index = indexed(stored(1, "Ann likes tea"))
    assert bm25(index, ["ann"], tags=("none",)) == {}


def test_a_key_is_found_by_its_words() -> None:
    index = indexed(stored(1, "42", key="home/heating_costs"))
    assert set(bm25(index, terms("heating"))) == {"m1"}


def test_postings_come_back_from_their_dump() -> None:
    held = Lexical()
    assert held.add(0, ["tea", "tea", "ann"]) == 3
    assert held.add(2, ["tea"]) == 1
    again = Lexical()
    again.restore(*held.dump())
    assert again.rows("ann").tolist() == [0]
    assert again.rows("tea").tolist() == [0, 2]
    assert again.rows("none").tolist() == []


def test_postings_that_do_not_add_up_are_refused() -> None:
    words, sizes, rows, counts = Lexical().dump()
    with pytest.raises(ValueError, match="add up"):
        Lexical().restore([*words, "tea"], np.append(sizes, 2), rows, counts)
