"""No text makes a reader of texts fail: shuffled, cut and joined sentences are read, or refused in words.

``SHUFFLED_SEED`` says which texts; ``make proof`` gives it, and reads all of them with every reader.
"""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING, Final

import pytest

import marskg
from marskg.errors import InvalidInput
from tests.support.proof import PROOF, amount
from tests.support.shuffled import drawn, said, sentences, shortest
from tests.support.text_readers import SLOW, Doors, pure, told

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Readers = Mapping[str, Callable[[str], object]]

_SEED: Final = int(os.environ.get("SHUFFLED_SEED", "53"))
#: One of how many texts is read by what takes milliseconds for each, in ``make test``.
_EVERY: Final = 1 if PROOF else 12
_FOUND: Final = "of therapy. Have you ever thought about trying it or another art form? You're"


def faults(readers: Readers, texts: list[str]) -> list[str]:
    """Return what is wrong with how ``texts`` are read, each kind once."""
    found: dict[str, str] = {}
    for number, text in enumerate(texts):
        for place, (name, reader) in enumerate(readers.items()):
            if name in SLOW and (number + place) % _EVERY:
                continue
            wrong = told(name, reader, text)
            if wrong is not None:
                found.setdefault(wrong.partition(" for ")[0], wrong)
    return list(found.values())


def texts(count: int, of: str) -> list[str]:
    random = Random(f"{of} {_SEED}")
    return [drawn(random) for _ in range(count)]


def test_every_reader_answers_every_text() -> None:
    assert faults(pure(), texts(amount(1_988, 9_500), "pure")) == []


def test_every_door_answers_every_text(tmp_path: Path) -> None:
    memory = marskg.open(tmp_path / "store", tenant="t", budget=20_000)
    assert faults(Doors(memory).all(), texts(amount(12, 500), "doors")) == []
    assert memory.verify().ok
    memory.close()


def test_what_shuffled_words_have_found(tmp_path: Path) -> None:
    with marskg.open(tmp_path / "store", tenant="t", budget=20_000) as memory:
        doors = Doors(memory).all()
        for text in (_FOUND, "of form", "Of art forms and a form", "is a kind of", "and tomatoes and", "of a You're"):
            assert faults({**pure(), **doors}, [text]) == []


def test_a_fault_is_found_and_told_as_the_shortest_text() -> None:
    def reader(text: str) -> object:
        words = text.split()
        return [words[place - 2] for place in range(len(words)) if words[place] == "form" and words[place - 99 :]]

    def planted(text: str) -> object:
        before = text.partition("art form")[0].split() if "art form" in text else ["a", "b"]
        return before[-2]

    assert faults({"sound": reader}, ["an art form"]) == []
    (found,) = faults({"planted": planted, "refusing": _refuse}, [f"{_FOUND[60:]}", "art form of which nobody knows"])
    assert found.endswith("for 'art form'")
    assert "IndexError" in found


def _refuse(text: str) -> object:
    raise InvalidInput(text)


@pytest.mark.parametrize("seed", range(5))
def test_the_same_chance_gives_the_same_text_that_can_be_stored(seed: int) -> None:
    texts = [[drawn(random) for _ in range(200)] for random in (Random(seed), Random(seed))]
    assert texts[0] == texts[1]
    assert "".join(texts[0]).encode()
    assert len({len(text) == 0 for text in texts[0]}) == 2


def test_what_cannot_be_left_out_is_left() -> None:
    assert shortest("a b needle c d pin", lambda text: "nee" in text and "n" in text[-1:]) == "neen"


def test_sentences_are_of_all_languages_that_are_read() -> None:
    every = " ".join(sentences())
    for word in ("Marta", " ist ", " es ", "我", "dentist", "How many"):
        assert word in every
    assert "{" not in said("{name} and {thing} at {place} on {time}: {number}, {kin}", Random(1)).replace("{one}", "")
