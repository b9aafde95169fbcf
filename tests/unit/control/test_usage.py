"""What an answer used of what it was shown: the paper's example, paraphrase, part, denial, and the mere echo."""

from __future__ import annotations

import numpy as np
import pytest

from marskg.control.score import Outcome
from marskg.control.usage import UsageRules, find_usage
from marskg.errors import InvalidConfig, InvalidInput

SUN = ("A", "Tomatoes need 6-8 hours of sun daily")
WATER = ("B", "Water tomatoes deeply 2-3 times per week rather than daily")
SOIL = ("C", "Ideal soil temperature for tomato germination is above 18°C (65°F)")
LEAVES = ("D", "Yellow leaves on tomato plants are often a sign of overwatering or nutrient deficiency.")


def _outcomes(answer: str, shown: list[tuple[str, str]], question: str = "") -> dict[str, Outcome]:
    return {one.id: one.outcome for one in find_usage(answer, shown, question)}


def test_the_first_session_of_alices_garden() -> None:
    answer = (
        "To grow tomatoes, make sure they get 6-8 hours of sunlight each day. Water them deeply about 2-3 times a week "
        "rather than a little every day, so the roots grow strong."
    )
    question = "I'm starting a garden. What should I know about growing tomatoes?"
    assert _outcomes(answer, [SUN, WATER, SOIL], question) == {
        "A": Outcome.USED,
        "B": Outcome.USED,
        "C": Outcome.UNUSED,
    }


def test_the_second_session_of_alices_garden() -> None:
    answer = "You should water your tomatoes deeply about two to three times a week, rather than daily."
    assert _outcomes(answer, [WATER, SOIL], "Remind me how often I should water my tomatoes.") == {
        "B": Outcome.USED,
        "C": Outcome.UNUSED,
    }


def test_the_third_session_of_alices_garden() -> None:
    answer = (
        "Yellow leaves could be a sign of overwatering – even though watering 2-3 times a week is usually okay, make "
        "sure the soil isn't waterlogged. It can also indicate a lack of nutrients like nitrogen, so consider "
        "fertilizing. Ensure they are getting enough sunlight as well."
    )
    question = "My tomatoes have yellow leaves. What could be wrong?"
    assert _outcomes(answer, [LEAVES, WATER, SUN], question) == {
        "D": Outcome.USED,
        "B": Outcome.USED,
        "A": Outcome.UNUSED,
    }


def test_an_answer_that_echoes_the_question_uses_nothing() -> None:
    shown = [("m", "Ann's dentist appointment is on Friday at 3 PM")]
    echo = "You are asking when Ann's dentist appointment is. I do not know."
    assert _outcomes(echo, shown, "When is Ann's dentist appointment?") == {"m": Outcome.UNUSED}
    assert _outcomes("It is on Friday at 3 PM.", shown, "When is Ann's dentist appointment?") == {"m": Outcome.USED}


def test_without_the_question_the_echo_would_count() -> None:
    shown = [("m", "Ann's dentist appointment is on Friday at 3 PM")]
    assert _outcomes("You are asking when Ann's dentist appointment on Friday is.", shown) == {"m": Outcome.USED}


def test_one_sentence_of_a_long_memory_is_use() -> None:
    shown = [("m", "Bob moved to Lisbon in 2019. He plays the cello. His sister runs a bakery in Porto.")]
    assert _outcomes("His sister has a bakery in Porto.", shown) == {"m": Outcome.USED}
    assert _outcomes("He has a sister, I think.", shown) == {"m": Outcome.UNUSED}


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        ("Your birthday is Feb 2.", "User's birthday is Jan 1"),
        ("You don't like sushi.", "I like sushi"),
        ("The meeting is at 4 PM.", "The meeting is at 3 PM"),
        ("Alice does not own a cat.", "Alice owns a cat"),
    ],
)
def test_an_answer_may_contradict_a_memory(answer: str, content: str) -> None:
    (found,) = find_usage(f"Let me see. {answer}", [("m", content)])
    assert found.outcome is Outcome.CONTRADICTED
    assert found.sentence == 1
    assert found.conflict >= 700_000


def test_a_common_word_weighs_less_than_a_rare_one() -> None:
    shown = [("a", "garden hose"), ("b", "garden rake"), ("c", "garden shears")]
    found = find_usage("Take the hose from the garden.", shown)
    assert found[0].overlap == 1_000_000
    assert found[1].overlap < 500_000


def test_a_paraphrase_is_found_by_its_vector_and_an_echo_is_not() -> None:
    shown = [("m", "Feline companion named Tom")]
    vectors = np.array([[1.0, 0.0]], dtype=np.float32)
    near = np.array([[0.8, 0.6]], dtype=np.float32)
    answer = "You have a cat."
    assert find_usage(answer, shown)[0].outcome is Outcome.UNUSED
    (found,) = find_usage(answer, shown, answer_vectors=near, memory_vectors=vectors)
    assert (found.outcome, found.similarity, found.sentence) == (Outcome.USED, 800_000, 0)
    (echo,) = find_usage(answer, shown, "Do I have a cat?", answer_vectors=near, memory_vectors=vectors)
    assert echo.outcome is Outcome.UNUSED


def test_vectors_that_do_not_fit_are_refused() -> None:
    rows = np.zeros((2, 3), dtype=np.float32)
    with pytest.raises(InvalidInput, match="one row for each"):
        find_usage("One sentence.", [("m", "x")], answer_vectors=rows, memory_vectors=rows[:1])


@pytest.mark.parametrize("answer", ["", "...", "\n\n"])
def test_an_empty_answer_uses_nothing(answer: str) -> None:
    assert _outcomes(answer, [SUN, ("e", "")]) == {"A": Outcome.UNUSED, "e": Outcome.UNUSED}


def test_nothing_shown_gives_nothing() -> None:
    assert find_usage("An answer.", []) == []


def test_thresholds_out_of_range_are_refused() -> None:
    with pytest.raises(InvalidConfig, match="overlap_from"):
        UsageRules(overlap_from=0)
