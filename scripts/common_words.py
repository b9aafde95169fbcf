"""Writes ``src/marskg/language/en/common_words.txt``: the words whose capital at a sentence's start says nothing.

Run: ``python scripts/common_words.py`` (``--check`` compares without writing).

The bundled wordpiece vocabulary is lower-case, so it holds ``alice`` beside ``garden``. Two signs tell them apart, and
neither is a list of names: a vocabulary that keeps case (the tokenizer inside the ``wordllama`` wheel, a dependency)
knows ``garden`` in small letters and ``Alice`` only with a capital; and common words have inflected forms (gardening,
greatly) where names have none.
"""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TARGET = Path(__file__).parents[1] / "src" / "marskg" / "language" / "en" / "common_words.txt"
_ENDINGS = ("ed", "ing", "ly", "er", "est", "ness", "ful", "less", "ment", "able", "ish")
_PLURALS = ("s", "es")
#: Names never end so, however often a title or a heading gives the word its capital.
_NEVER_NAMES = ("ive", "tion", "ment", "ship", "ous", "ful", "ical", "ness")
#: What only common words end in.
_COMMON_ENDS = (
    *("ly", "ing", "ed", "tion", "tions", "sion", "ness", "ment", "ments", "ity", "ous", "ful", "less", "able", "ible"),
    *("ism", "ship", "ance", "ence", "ical", "ive", "ings"),
)
_CLEARLY = 3


def main() -> int:
    """Write the list, or with ``--check`` say whether it is what this script would write."""
    text = "\n".join(common_words()) + "\n"
    if "--check" in sys.argv[1:]:
        same = TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text
        print("up to date" if same else "out of date: run python scripts/common_words.py")
        return 0 if same else 1
    TARGET.write_text(text, encoding="utf-8")
    print(f"{TARGET.name}: {text.count(chr(10))} words")
    return 0


def common_words() -> list[str]:
    """Return the common words of the wordpiece vocabulary, in alphabetical order."""
    listed = files("marskg").joinpath("tokenizer", "vocab.txt").read_text(encoding="utf-8").split("\n")
    known = {word for word in listed if word.isascii() and word.isalpha() and len(word) > 1}
    cased = _cased_words()
    return sorted(word for word in known if _is_common(word, known, cased))


def _cased_words() -> set[str]:
    file = files("wordllama").joinpath("tokenizers", "l2_supercat_tokenizer_config.json")
    vocabulary = json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"]
    return {token[1:] for token in vocabulary if token.startswith("▁") and token[1:].isalpha()}


def _is_common(word: str, known: set[str], cased: set[str]) -> bool:
    if word in cased or word.endswith(_NEVER_NAMES):
        return True
    forms = sum(form in known for form in _inflected(word))
    if word.capitalize() in cased:
        # Headings and code give many words a capital there; adverbs and two inflections tell them from names.
        return word + "ly" in known or word + "ally" in known or forms >= _CLEARLY
    return forms > 0 or _is_inflected(word, known)


def _inflected(word: str) -> Iterator[str]:
    """Yield how the inflected forms of ``word`` would be spelled: hope → hoping, plan → planned, city → cities."""
    stems = [word]
    if word.endswith("e"):
        stems.append(word[:-1])
    if word.endswith("y"):
        stems.append(word[:-1] + "i")
    if word[-1] not in "aeiouwxy":
        stems.append(word + word[-1])
    yield from (stem + ending for stem in stems for ending in _ENDINGS if len(word) > len("ad"))
    yield word + "s"


def _is_inflected(word: str, known: set[str]) -> bool:
    if word.endswith(_COMMON_ENDS):
        return True
    for ending in (*_ENDINGS, *_PLURALS):
        base = word.removesuffix(ending)
        if base != word and any(form in known for form in (base, base + "e") if len(form) > len("ad")):
            return True
    return False


if __name__ == "__main__":
    sys.exit(main())
