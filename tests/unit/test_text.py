"""What counts as a word, a term and a sentence."""

from __future__ import annotations

import threading

import pytest

from marskg import text as text_module
from marskg.text import as_name, folded, plain, sentences, terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Verb\u043etEn", "verboten"),
        ("\u0421\u043e\u0440 Bob", "\u0441\u043e\u0440 bob"),  # each word is of one alphabet
        ("IT\u0448\u043d\u0438\u043a", "it\u0448\u043d\u0438\u043a"),  # no Latin letter is like the first
        ("Ren\u0435\u0301", "ren\u00e9"),
        ("\u03b2-TNF\u03b1", "\u03b2-tnfa"),
        ("\u200b", ""),
    ],
)
def test_a_word_of_two_alphabets_is_compared_as_the_latin_one_that_it_reads_as(text: str, expected: str) -> None:
    assert as_name(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I water the tomatoes", ["water", "tomato"]),
        ("watering a tomato", ["water", "tomato"]),
        ("Ann’s budget is $1,200.50", ["ann", "budget", "1200.50"]),
        ("don't you", []),
        ("\uff26\uff35\uff2c\uff2c width", ["full", "width"]),
        ("東京都", ["東京", "京都"]),
        ("room 12b", ["room", "12b"]),
        ("Ticket QX-7731-b.", ["ticket", "qx", "7731", "b", "qx-7731-b"]),
        ("build 2.1.03", ["build", "2.1", "03", "2.1.03"]),
        ("max_rows is set", ["max", "row", "set", "max_rows"]),
        ("C++, C# and C", ["c", "c++", "c#"]),
        ("an A- or A+?", ["a-", "a+"]),
        ("a well-known 5.5 km", ["well", "known", "5.5", "km"]),
        ("", []),
        ("the of and", []),
    ],
)
def test_terms_meet_across_inflections_scripts_and_spellings(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_words_point_into_the_text_as_given() -> None:
    text = "Ann’s cat, 1,200 mice"
    assert [text[word.start : word.end] for word in words(text)] == ["Ann’s", "cat", "1,200", "mice"]


def test_sentences_end_at_marks_and_lines_but_not_inside_numbers() -> None:
    assert sentences("He pays 3.5 now. She left!\nNext\n\n") == ["He pays 3.5 now.", "She left!", "Next"]


def test_a_long_run_of_letters_is_one_term_as_written() -> None:
    assert terms("x" * 5000) == ["x" * 5000]


def test_names_are_compared_through_what_is_not_seen() -> None:
    assert plain("\u3164Ann\u2800L\u1160ee\u200b") == plain("Ann Lee") == "ann lee"
    assert plain("\uffa0\u2800\u115f") == ""


def test_folding_is_idempotent() -> None:
    assert folded(folded("Straße’S ﬁn")) == folded("Straße’S ﬁn")


def test_two_threads_may_look_at_words_at_once() -> None:
    words_of = [[f"{stem}{number}ing" for number in range(3_000) for stem in ("nation", "hop")] for _ in range(4)]
    found: list[list[str]] = []

    def run(mine: list[str]) -> None:
        stem = text_module._stem("english")
        found.append([stem(word) for word in mine])

    threads = [threading.Thread(target=run, args=(mine,)) for mine in words_of]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(one == found[0] for one in found)
