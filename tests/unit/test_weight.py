"""Weights are the counts of the published BERT-Base uncased tokenizer.

``tests/data/token_counts.jsonl`` holds texts of many scripts with the counts that the published ``tokenizer.json`` of
sentence-transformers/all-MiniLM-L6-v2 gives them without special tokens, truncation and padding.
"""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from pathlib import Path

import pytest

from marskg.errors import InvalidInput
from marskg.weight import TokenCounter

TABLE = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data/token_counts.jsonl").read_text(encoding="ascii").splitlines()
]


def test_counts_are_those_of_the_published_tokenizer() -> None:
    counter = TokenCounter()
    expected = [row["tokens"] for row in TABLE]
    assert len(expected) > 400
    assert [counter.count(row["text"]) for row in TABLE] == expected
    assert counter.count_many(row["text"] for row in TABLE) == expected


def test_a_long_text_is_counted_to_its_end() -> None:
    assert TokenCounter().count("word " * 50_000) == 50_000


def test_nothing_weighs_nothing() -> None:
    assert TokenCounter().count("") == 0
    assert TokenCounter().count_many([]) == []


def test_a_lone_surrogate_is_named_by_its_position() -> None:
    counter = TokenCounter()
    with pytest.raises(InvalidInput, match="text 0 holds a lone surrogate"):
        counter.count("bad \ud800")
    with pytest.raises(InvalidInput, match="text 1 holds a lone surrogate"):
        counter.count_many(["fine", "bad \ud800"])


def test_the_bundled_vocabulary_is_the_one_that_its_notice_names() -> None:
    folder = files("marskg") / "tokenizer"
    digest = hashlib.sha256((folder / "vocab.txt").read_bytes()).hexdigest()
    assert f"sha256: {digest}\n" in (folder / "NOTICE").read_text(encoding="utf-8")
