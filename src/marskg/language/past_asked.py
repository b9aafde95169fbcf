"""Whether a question asks for what held before, and not for what holds.

Guarantees: pure functions of the text. The words are data: ``past_asked.tsv``, a closed list of each language, all of
which are looked for whatever the language is. Source: semantics section 13 (current before stale).
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

from marskg.late_regex import late_regex

#: Scripts that have no blanks between words.
_UNPARTED: Final = late_regex(r"[\u3040-\u30ff\u3400-\u9fff]")


def asks_of_before(text: str) -> bool:
    """Return whether ``text`` has a word that asks for what held before."""
    return _words().search(text.casefold().replace("’", "'")) is not None


@cache
def _words() -> re.Pattern[str]:
    table = files("marskg").joinpath("language", "past_asked.tsv").read_text(encoding="utf-8")
    lines = (line for line in table.splitlines() if line and line[0] != "#")
    words = sorted({word.replace("_", " ") for line in lines for word in line.partition("\t")[2].casefold().split()})
    parts = (re.escape(word) if _UNPARTED.search(word) else rf"(?<!\w){re.escape(word)}(?!\w)" for word in words)
    return re.compile("|".join(parts))
