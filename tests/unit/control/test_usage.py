"""What an answer used of what it was shown: the paper's example, paraphrase, part, denial, and the mere echo."""

from __future__ import annotations

import numpy as np
import pytest

from marskg.config import LearningSettings
from marskg.errors import InvalidInput
from marskg.learning.rules.score import Outcome
from marskg.learning.rules.usage_detection import Meaning, UsageRules, find_usage

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
    meaning = Meaning(near, vectors)
    (found,) = find_usage(answer, shown, meaning=meaning)
    assert (found.outcome, found.similarity, found.sentence) == (Outcome.USED, 800_000, 0)
    (echo,) = find_usage(answer, shown, "Do I have a cat?", meaning=meaning)
    assert echo.outcome is Outcome.UNUSED


def test_a_paraphrase_is_of_the_memory_that_it_is_closest_to() -> None:
    shown = [("near", "Feline companion named Tom"), ("far", "A bird sings"), ("same", "Tom is the feline companion")]
    vectors = np.array([[1.0, 0.0], [0.8, 0.6], [0.99, -0.141]], dtype=np.float32)
    said = np.array([[0.98, 0.199]], dtype=np.float32)
    question = np.array([0.0, 1.0], dtype=np.float32)
    outcomes = {one.id: one.outcome for one in find_usage("A cat.", shown, meaning=Meaning(said, vectors, question))}
    assert outcomes == {"near": Outcome.UNUSED, "far": Outcome.UNUSED, "same": Outcome.UNUSED}
    said = np.array([[0.98, -0.199]], dtype=np.float32)
    outcomes = {one.id: one.outcome for one in find_usage("A cat.", shown, meaning=Meaning(said, vectors, question))}
    assert outcomes == {"near": Outcome.USED, "far": Outcome.UNUSED, "same": Outcome.USED}


def test_the_thresholds_are_those_of_the_model_unless_they_are_given() -> None:
    usual = UsageRules.of(LearningSettings())
    assert usual.close("minilm:all-MiniLM-L6-v2") != usual.close("static:l2_supercat_256")
    assert usual.close("openai:some") == (750_000, 750_000)
    assert UsageRules.of(LearningSettings(similarity_from=0.9)).close("static:l2_supercat_256") == (900_000, 900_000)


@pytest.mark.parametrize(
    ("content", "question", "answer"),
    [
        (
            "The dentist appointment is on Monday at 10 AM",
            "When is the dentist?",
            "Your appointment is Friday at 3 PM.",
        ),
        ("The choir rehearses on Tuesdays", "When does the choir rehearse?", "The choir rehearses on Saturdays."),
        ("The bakery opens at 6 AM", "When does the bakery open?", "At 9 AM."),
        ("Ann is vegetarian", "What should Ann eat?", "Ann loves steak, so grill one."),
        ("Ann doesn't eat meat", "What should Ann eat?", "A beef stew is what Ann enjoys most."),
        ("Ann prefers tea over coffee", "What does Ann drink?", "She prefers coffee to tea, so brew a pot of it."),
        ("Ann is allergic to shellfish", "Can Ann eat prawns?", "Ann is not allergic to shellfish, go ahead."),
        ("Ann is vegetarian", "What should Ann eat?", "She is no longer vegetarian, make a roast."),
        ("Rafael lives in Turin", "Where does Rafael live?", "Rafael lives in Naples."),
        ("The invoice was 320 euros", "How much was the invoice?", "The invoice was 410 euros."),
    ],
)
def test_another_day_hour_place_taste_or_a_denial_is_a_contradiction(content: str, question: str, answer: str) -> None:
    (found,) = find_usage(answer, [("m", content)], question)
    assert found.outcome is Outcome.CONTRADICTED


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        ("Ann hates jazz", "Since you love jazz, here is a jazz bar."),
        ("Ann can't stand cilantro", "I'd add plenty of cilantro, you enjoy cilantro."),
        ("Ann loves opera", "You hate opera, so here is a play and no opera."),
    ],
)
def test_the_other_taste_of_somebody_who_is_not_named_is_no_use(content: str, answer: str) -> None:
    assert _outcomes(answer, [("m", content)]) == {"m": Outcome.UNUSED}


def test_what_comes_from_another_memory_contradicts_none_that_agrees_with_it() -> None:
    shown = [("home", "Ines lives in Porto"), ("sister", "Ines' sister lives in Braga")]
    found = {one.id: one.outcome for one in find_usage("Her sister lives in Braga.", shown, "And the sister of Ines?")}
    assert found == {"home": Outcome.UNUSED, "sister": Outcome.USED}


def test_vectors_that_do_not_fit_are_refused() -> None:
    rows = np.zeros((2, 3), dtype=np.float32)
    with pytest.raises(InvalidInput, match="one row for each"):
        find_usage("One sentence.", [("m", "x")], meaning=Meaning(rows, rows[:1]))


@pytest.mark.parametrize("answer", ["", "...", "\n\n"])
def test_an_empty_answer_uses_nothing(answer: str) -> None:
    assert _outcomes(answer, [SUN, ("e", "")]) == {"A": Outcome.UNUSED, "e": Outcome.UNUSED}


def test_nothing_shown_gives_nothing() -> None:
    assert find_usage("An answer.", []) == []
