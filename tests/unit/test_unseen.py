"""The ranges of characters that show nothing hold what Unicode says of those that this Python knows."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest

from marskg.unseen import UNSEEN

PATTERN = re.compile(f"[{UNSEEN}]")
JOINERS = {0x200C, 0x200D}
#: Format characters of category Cf that show something: signs that stand before numbers, verses and abbreviations.
SHOWN = {*range(0x0600, 0x0606), 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}


def test_every_format_character_that_shows_nothing_is_in_the_ranges() -> None:
    missing = [
        f"U+{code:04X}"
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) == "Cf" and code not in JOINERS | SHOWN and not PATTERN.match(chr(code))
    ]
    assert missing == []


@pytest.mark.parametrize("code", [0x034F, 0x115F, 0x1160, 0x17B4, 0x180B, 0x3164, 0xFE00, 0xFE0F, 0xFFA0, 0xE0100])
def test_so_is_what_is_no_format_character(code: int) -> None:
    assert PATTERN.fullmatch(chr(code))


def test_letters_signs_and_joiners_are_not() -> None:
    for text in ("aäπ漢か", "\u0301", "👩", "\u200c", "\u200d", "\u00a0", " ", "\u0600"):
        assert PATTERN.search(text) is None
