"""The list of common words is what its script writes, and holds words rather than names."""

from __future__ import annotations

import runpy
from pathlib import Path

from marskg.language.en.lexicon import Is, flags

ROOT = Path(__file__).parents[3]


def test_the_list_is_up_to_date() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "common_words.py"))
    assert script["TARGET"].read_text("utf-8").split() == script["common_words"](), (
        "run: python scripts/common_words.py"
    )


def test_words_are_common_and_names_are_not() -> None:
    table = flags()
    for word in ("garden", "dinner", "speaking", "honestly", "marketing", "coffee"):
        assert table.get(word, 0) & Is.COMMON, word
    for name in ("alice", "priya", "berlin", "robert", "maria", "sarah", "tom", "ann"):
        assert not table.get(name, 0) & Is.COMMON, name
