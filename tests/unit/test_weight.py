"""Weights are the counts of the published BERT-Base uncased tokenizer, but for what that does not know.

``tests/data/token_counts.jsonl`` holds texts of many scripts with the counts that the published ``tokenizer.json`` of
sentence-transformers/all-MiniLM-L6-v2 gives them without special tokens, truncation and padding.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from importlib.resources import files
from pathlib import Path

import pytest

from marskg.errors import InvalidInput
from marskg.weight import TokenCounter

#: A run that the tokenizer takes for one token, or blanks that weigh.
LONG = re.compile(r"\w{101,}|\s{16,}|\[[A-Z]+\]")
TABLE = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data/token_counts.jsonl").read_text(encoding="ascii").splitlines()
]


def test_counts_are_those_of_the_published_tokenizer_or_more() -> None:
    counter = TokenCounter()
    found = counter.count_many(row["text"] for row in TABLE)
    assert len(found) > 400
    assert all(counted >= row["tokens"] for counted, row in zip(found, TABLE, strict=True))
    # What is in ASCII, and in no run that is longer than it cuts, it knows whole.
    known = [
        (counted, row["tokens"])
        for counted, row in zip(found, TABLE, strict=True)
        if row["text"].isascii() and row["text"].isprintable() and not LONG.search(row["text"])
    ]
    assert len(known) > 50
    assert all(counted == tokens for counted, tokens in known)


#: What is measured in docs/adr/0071: kind, text, weight, and the most that the tokenizers of six current models take.
KINDS = [
    ("English", "The boat was painted blue in spring, and it's still drying.", 15, 15),
    ("Thai", "วันนี้คุณยายไปตลาดซื้อผักและปลา" * 5, 120, 155),
    ("Burmese", "မနက်ဖြန်ဆေးရုံသွားရမယ်" * 5, 80, 220),
    ("Khmer", "ថ្ងៃស្អែកខ្ញុំទៅមន្ទីរពេទ្យ" * 5, 95, 220),
    ("Lao", "ມື້ນີ້ແມ່ຕູ້ໄປຕະຫຼາດ" * 5, 60, 230),
    ("Amharic", "ነገ ጠዋት ከእህቴ ጋር ወደ ገበያ እሄዳለሁ", 21, 63),
    ("Chinese", "明天早上我要和姐姐去市场买蔬菜", 15, 22),
    ("emoji", "🐝🌷🍋🎈🚲" * 60, 400, 900),
    ("one emoji after a word", "thanks 🐝", 2, 4),
    ("a family", "👩‍👩‍👧‍👦", 5, 18),
    ("hexadecimal digits", "3f" * 640, 426, 1280),
    ("base64", "QmFzZTY0IGlzIG5vdCBwcm9zZQ" * 40, 346, 761),
    ("an address", "https://example.org/" + "a1b2c3d4e5" * 60, 208, 606),
    ("a compound of German", "donaudampfschifffahrtsgesellschaft" * 4, 45, 52),
    ("one letter", "a" * 1_000, 333, 125),
    ("Gothic", "𐌰𐌱𐌲𐌳𐌴" * 20, 133, 400),
    ("a special token", "[UNK]", 4, 4),
    ("marks alone", "\u0301" * 300, 300, 300),
    ("marks on letters", "a\u0301\u0302\u0303" * 10, 30, 60),
    ("zero width", "a\u200b" * 200, 200, 400),
    ("private use", "\ue000" * 300, 300, 900),
    ("tags that nobody sees", "\U000e0061" * 200, 400, 800),
    ("blanks that do not break", "\xa0" * 300, 300, 600),
    ("blanks", "a" + " " * 1_000 + "b", 64, 35),
    ("lines", "\n" * 1_000, 62, 63),
    ("controls", "\x00" * 50, 50, 50),
]


@pytest.mark.parametrize(("kind", "text", "weight", "most"), KINDS, ids=[row[0] for row in KINDS])
def test_no_kind_of_text_weighs_less_than_a_fifth_of_what_a_model_takes(
    kind: str, text: str, weight: int, most: int
) -> None:
    counter = TokenCounter()
    assert counter.count(text) == weight, kind
    assert counter.count_many([text]) == [weight]
    assert weight * 5 >= most


def test_accents_of_a_text_in_the_other_normal_form_weigh_what_they_did() -> None:
    counter = TokenCounter()
    text = "Café, señor, à bientôt"
    assert counter.count(text) == counter.count(unicodedata.normalize("NFD", text)) == 9


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
