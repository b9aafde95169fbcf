"""Where a text told a value that ended since: only what somebody says of themselves, and of the whole thing."""

from __future__ import annotations

import pytest

from marskg.language.en.facts.changes.told_before import entry_told, taste_told, words_in


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("I love coffee.", "I love coffee"),
        ("I've always had a soft spot for coffee.", "I've always had a soft spot for coffee"),
        ("I’m a big fan of coffee.", "I’m a big fan of coffee"),
        ("I really enjoy coffee a lot these days.", "I really enjoy coffee"),
        ("Oh, I'm a big fan of coffee!", "I'm a big fan of coffee"),
        ("I enjoy coffee, the roaster is in Elm Street.", "I enjoy coffee"),
        ("I enjoy books that delve into coffee.", "I enjoy books that delve into coffee"),
        ("It is late, and I love coffee.", "I love coffee"),
        ("I love how coffee wakes me up.", "I love how coffee wakes me up"),
    ],
)
def test_a_taste_is_told_by_who_has_it(text: str, part: str) -> None:
    found = taste_told(text, words_in("coffee"), "likes")
    assert found is not None
    assert part in text[slice(*found)]


@pytest.mark.parametrize(
    "text",
    [
        "I am a fan of coffee beans.",
        "My boss told me: I love coffee.",
        '"I love coffee" is printed on my mug.',
        "I said in the play: I adore coffee.",
        "Tell Bo I love coffee filters.",
        "I wish I could enjoy coffee without pain.",
        "I would enjoy coffee at the Ritz.",
        "For my guests I stock things like coffee, sugar and tea.",
        "If I liked coffee I would join.",
        "I would love to try coffee from Peru.",
        "I used to love coffee, but now I hate it.",
        "My friend Bo is a big fan of coffee.",
        "I enjoyed coffee.",
        "Bo: I enjoy coffee.",
        "Do I like coffee?",
        "I don't like coffee.",
    ],
)
def test_nothing_else_tells_it(text: str) -> None:
    assert taste_told(text, words_in("coffee"), "likes") is None


def test_an_entry_of_a_list_is_told_by_most_of_its_words_side_by_side() -> None:
    entry = words_in("Annual franchise fee review")
    text = "We need the budget and the annual review of the franchise fee."
    found = entry_told(text, entry)
    assert found is not None
    assert text[slice(*found)] == "annual review of the franchise fee"
    assert entry_told("The franchise costs, the annual fee.", entry) is None
    assert entry_told("Never pay the annual franchise fee without a review.", entry) is None
    assert entry_told("Please remove 'annual franchise fee review' from the budget.", entry) is None
