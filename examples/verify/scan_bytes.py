"""Looks for words in every byte of a folder, with no code of marskg: the standard library, nothing fetched.

    python scan_bytes.py FOLDER WORDS.txt

WORDS.txt has one text on each line, as it was stored: a name, a key, a conversation, a sentence. Each is sought as
UTF-8, UTF-16, JSON, in lower case, inside base64, in the blocks of 120 bytes into which Neo4j cuts long texts, and as
Neo4j packs short ones. Look for a word first that must be there: a search that finds nothing has shown nothing before
it found something. Exit status: 0 nothing was found, 1 something was.
"""

# ruff: noqa: INP001, T201 - a script of the reader's own, which prints

from __future__ import annotations

import base64
import json
import re
import sys
from pathlib import Path

LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
BOTH = f" {UPPER}01234_{LOWER}56789"
#: Neo4j's tables for short texts: bits of a character, characters in the order of their codes (the last one counts).
TABLES = {
    1: (4, "0123456789 .-+,'"),
    2: (4, "0123456789 -:/+,"),
    3: (5, f" {UPPER}_.-:/"),
    4: (5, f" {LOWER}_.-:/"),
    5: (5, f",{LOWER}_.-+@"),
    6: (6, f" {LOWER}+,-./0123456789_.-:/+,'@|;*?&%#()$<>="),
    7: (6, BOTH),
    8: (6, f" {UPPER}_.-:/;{LOWER}+,'@|"),
    11: (4, "0123456789abcdef"),
    12: (4, "0123456789ABCDEF"),
}
LEAST = 8
#: A text of fewer blocks is too little to be told from others, one of more is not packed.
BLOCKS = range(2, 5)


def packed(text: str) -> list[re.Pattern[bytes]]:
    """Return what finds ``text`` inside Neo4j's property records: any name of the property, all blocks but the last."""
    found = []
    tables = [(number, bits, table) for number, (bits, table) in TABLES.items() if set(text) <= set(table)]
    options = [(number, bits, [table.rindex(one) for one in text]) for number, bits, table in tables]
    options += [(10, 8, list(text.encode("latin-1")))] if text.isascii() else []
    options += [(0, 8, list(text.encode()))]
    for number, bits, codes in options:
        value = 11 << 24 | number << 28 | len(codes) << 33
        for place, code in enumerate(codes):
            value |= code << 39 + bits * place
        blocks = -(-(39 + bits * len(codes)) // 64)
        if len(codes) < LEAST or blocks not in BLOCKS:
            continue
        data = [(value >> 64 * place & (1 << 64) - 1).to_bytes(8, "big") for place in range(2)]
        found.append(re.compile(re.escape(data[0][:5]) + b"..." + re.escape(data[1]), re.DOTALL))
    return found


def forms(text: str) -> list[tuple[str, re.Pattern[bytes]]]:
    """Return every form in which ``text`` is sought, with its name."""
    plain = {
        "UTF-8": text.encode(),
        "UTF-16 little": text.encode("utf-16-le"),
        "UTF-16 big": text.encode("utf-16-be"),
        "JSON": json.dumps(text)[1:-1].encode(),
        "lower case": text.casefold().encode(),
    }
    for start in range(0, len(text.encode()), 120):
        plain[f"block from {start}"] = text.encode()[start : start + 120]
    for offset in range(3):
        plain[f"base64 at {offset}"] = base64.b64encode(b"\0" * offset + text.encode())[4:-4]
    sought = [(name, re.compile(re.escape(data))) for name, data in plain.items() if len(data) >= LEAST]
    return sought + [("packed", pattern) for pattern in packed(text)]


def main() -> int:
    """Search, and tell where."""
    folder, words = Path(sys.argv[1]), Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()
    sought = [(number, *form) for number, word in enumerate(words, 1) for form in forms(word)]
    files = hits = 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        files += 1
        for number, name, pattern in sought:
            if pattern.search(data):
                print(f"{path.relative_to(folder)}: line {number}, {name}")
                hits += 1
    print(f"{files} files, {len(words)} texts in {len(sought)} forms: {hits or 'nothing'} found")
    return 1 if hits else 0


if __name__ == "__main__":
    sys.exit(main())
