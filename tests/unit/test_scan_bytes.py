"""The outsider's search of a folder: finds each form of a word, and says so by its exit status."""

from __future__ import annotations

import base64
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "verify" / "scan_bytes.py"
WORD = "s-zyxquartz000vellum"
#: The first two blocks of a property record of Neo4j 5.26 that has this word in it.
PACKED = bytes.fromhex("32d589a86b000000b41040d28902aa2c")


def search(folder: Path, words: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, folder, words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("form", "data"),
    [
        ("UTF-8", WORD.encode()),
        ("UTF-16 little", WORD.encode("utf-16-le")),
        ("UTF-16 big", WORD.encode("utf-16-be")),
        ("base64 at 1", base64.b64encode(b"x" + WORD.encode() + b"yz")),
        ("packed", PACKED[:5] + b"\0\0\7" + PACKED[8:]),
    ],
)
def test_a_word_that_is_there_is_found_in_each_form(form: str, data: bytes, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text(f"never there at all\n{WORD}\n", encoding="utf-8")
    folder = tmp_path / "home" / "data"
    folder.mkdir(parents=True)
    (folder / "store").write_bytes(b"\0\1" + data + b"\2\n")
    done = search(tmp_path / "home", words)
    assert done.returncode == 1
    assert f"data/store: line 2, {form}" in done.stdout
    (folder / "store").write_bytes(b"another word, " + data[:6])
    done = search(tmp_path / "home", words)
    assert (done.returncode, done.stdout.count(": line ")) == (0, 0)


def test_a_block_of_a_long_text_is_found_by_itself(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    text = " ".join(f"word{number}" for number in range(60))
    words.write_text(text, encoding="utf-8")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "store").write_text(text[120:240], encoding="utf-8")
    assert "store: line 1, block from 120" in search(tmp_path / "home", words).stdout
