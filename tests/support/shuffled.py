"""Texts that nobody would write and somebody will: sentences of every language that is read, shuffled, cut and joined.

Guarantees: :func:`drawn` gives the same text for the same chance, one that UTF-8 can hold; :func:`shortest` leaves of a
text that fails nothing that could be left out, word by word and then letter by letter. The sentences are those of
``tests/data`` and of a grammar in ``tests/data/shuffled.json``, in which the words stand that rules look for.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

_DATA: Final = Path(__file__).parents[1] / "data"

#: The grammar: sentences by language, a word in braces being drawn from ``words``; and what is put between letters and
#: words: marks, what is not seen, pictures, and words that something is expected before or after.
_SAID: Final = json.loads((_DATA / "shuffled.json").read_text(encoding="utf-8"))
_GRAMMAR: Final[dict[str, list[str]]] = _SAID["sentences"]
_WORDS: Final[dict[str, list[str]]] = _SAID["words"]
_CUES: Final[list[str]] = _SAID["cues"]
_LONG: Final = 400
_MOST: Final = 4_000


@cache
def sentences() -> tuple[str, ...]:
    """Return the sentences that ``tests/data`` has, in the order of its files."""
    pairs = _rows("conflict_pairs.tsv")[1:]
    found = [text for row in pairs for text in row.split("\t")[3:]]
    found += [row.split("\t")[-1] for row in _rows("questions.tsv")]
    for name in ("usage_tuning.txt", "usage_held_out.txt"):
        found += [row[2:].partition(" = ")[0] for row in _rows(name) if row[:2] in {"? ", "- ", "> "}]
    return tuple(dict.fromkeys(found))


def _rows(name: str) -> list[str]:
    return (_DATA / name).read_text(encoding="utf-8").splitlines()


def drawn(random: Random) -> str:
    """Return a text: some sentences, of one language or of several, and what chance makes of them."""
    languages = [random.choice(tuple(_GRAMMAR))] if random.random() < 0.7 else list(_GRAMMAR)
    parts = [_sentence(random, languages) for _ in range(random.choice((0, 1, 1, 1, 2, 2, 3, 5)))]
    for change in random.choices(_CHANGES, k=random.randrange(4)):
        parts = change(parts, random)
    return random.choice((" ", " ", " ", "", "\n", ". ")).join(parts)[:_MOST]


def _sentence(random: Random, languages: list[str]) -> str:
    if random.random() < 0.4:
        return random.choice(sentences())
    return said(random.choice(_GRAMMAR[random.choice(languages)]), random)


def said(sentence: str, random: Random) -> str:
    """Return a sentence of the grammar with words for its braces."""
    for word, values in _WORDS.items():
        while f"{{{word}}}" in sentence:
            sentence = sentence.replace(f"{{{word}}}", random.choice(values), 1)
    return sentence


# --- What chance makes of sentences ----------------------------------------------------------------------------------


def _shuffled(parts: list[str], random: Random) -> list[str]:
    words = " ".join(parts).split(" ")
    random.shuffle(words)
    return [" ".join(words)]


def _lettered(parts: list[str], random: Random) -> list[str]:
    """Shuffle the letters of one word: what has no blanks is one, as all of a Chinese sentence."""
    words = " ".join(parts).split(" ")
    place = random.randrange(len(words))
    words[place] = "".join(random.sample(words[place], len(words[place])))
    return [" ".join(words)]


def _cut(parts: list[str], random: Random) -> list[str]:
    return [part[random.randrange(len(part) + 1) :][: random.randrange(1, 80)] for part in parts]


def _few(parts: list[str], random: Random) -> list[str]:
    """Keep a few words that stand together: most of what goes wrong does at an end."""
    words = " ".join(parts).split()
    first = random.randrange(len(words) + 1)
    return [" ".join(words[first : first + random.randrange(1, 7)])]


def _joined(parts: list[str], random: Random) -> list[str]:
    return [random.choice(("", "-", "'", ".", ", and ", "\u200d", ":", "/", '"', "\n")).join(parts)]


def _doubled(parts: list[str], random: Random) -> list[str]:
    text = " ".join(parts)
    return [text, text.upper(), text.title(), text[::-1]][: random.randrange(1, 5)]


def _cased(parts: list[str], random: Random) -> list[str]:
    return [random.choice((str.upper, str.lower, str.title, str.swapcase))(part) for part in parts]


def _strewn(signs: list[str]) -> Callable[[list[str], Random], list[str]]:
    def strewn(parts: list[str], random: Random) -> list[str]:
        text = " ".join(parts)
        for _ in range(random.randrange(1, 8)):
            place = random.randrange(len(text) + 1)
            text = text[:place] + random.choice(signs) * random.choice((1, 1, 1, 2, 30)) + text[place:]
        return [text]

    return strewn


def _long(parts: list[str], random: Random) -> list[str]:
    letter = random.choice(("a", "A", "9", "-", "é", "学", "ß", "x1", "Aa", "a.", "1,"))
    return [*parts, letter * random.randrange(1, _LONG)]


def _nested(parts: list[str], random: Random) -> list[str]:
    for _ in range(random.randrange(1, 30)):
        opening, closing = random.choice(("()", "[]", "{}", "“”", '""', "''", "«»", "<>", "「」"))
        parts = [opening, *parts, random.choice((closing, closing, ""))]
    return ["".join(parts)]


def _starts(parts: list[str], random: Random) -> list[str]:
    """Begin with a word that something is expected before, and end with one that something is expected after."""
    return [random.choice(_CUES), *parts, random.choice(_CUES)]


_CHANGES: Final = (
    _shuffled,
    _shuffled,
    _lettered,
    _cut,
    _cut,
    _few,
    _few,
    _few,
    _joined,
    _doubled,
    _cased,
    _strewn(_SAID["marks"]),
    _strewn(_SAID["unseen"]),
    _strewn(_SAID["pictures"]),
    _long,
    _nested,
    _starts,
    _starts,
)


# --- The shortest text that fails ------------------------------------------------------------------------------------


def shortest(text: str, fails: Callable[[str], bool]) -> str:
    """Return what is left of ``text`` when nothing more can be left out with ``fails`` still true."""
    words = _reduced(text.split(" "), lambda some: fails(" ".join(some)))
    return "".join(_reduced(list(" ".join(words)), lambda some: fails("".join(some))))


def _reduced(parts: list[str], fails: Callable[[list[str]], bool]) -> list[str]:
    size = max(1, len(parts) // 2)
    while True:
        start, found = 0, False
        while start < len(parts):
            without = parts[:start] + parts[start + size :]
            if fails(without):
                parts, found = without, True
            else:
                start += size
        if size == 1 and not found:
            return parts
        size = max(1, size // 2)
