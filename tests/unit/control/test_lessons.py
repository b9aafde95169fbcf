"""What a showing teaches: who moves, who is passed, and on whom the blame falls."""

from __future__ import annotations

import pytest

from marskg.language.en.wish_phrases import parse_wishes
from marskg.learning.rules.conflict_detection import Statement
from marskg.learning.rules.lessons import Case, Denial, draw
from marskg.learning.rules.score import Outcome

USED, UNUSED, CONTRADICTED = Outcome.USED, Outcome.UNUSED, Outcome.CONTRADICTED
SURE = 700_000
NINE, TEN = "The train to Porto leaves at 9 AM", "The train to Porto leaves at 10 AM"


def case(ident: str, outcome: Outcome | None, text: str = "", *, named: bool = False, bears: bool = True) -> Case:
    return Case(Statement(text or f"Something about {ident}", id=ident), outcome, named=named, bears=bears)


def denial(complaint: str) -> Denial:
    return Denial(complaint, parse_wishes(complaint))


def outcomes(cases: list[Case], complaint: str | None = None) -> tuple[dict[str, Outcome], tuple[str, ...]]:
    found = draw(cases, None if complaint is None else denial(complaint), SURE)
    assert set(found.outcomes).isdisjoint(found.passed)
    return {ident: outcome for ident, (outcome, _) in found.outcomes.items()}, found.disproved


@pytest.mark.parametrize("named", [False, True])
def test_silence_teaches_only_beside_a_use_and_above_the_floor(*, named: bool) -> None:
    alone = [case("a", UNUSED, named=named), case("b", UNUSED, named=named)]
    assert outcomes(alone) == ({}, ())
    contradicted = [case("a", UNUSED, named=named), case("b", CONTRADICTED)]
    assert outcomes(contradicted) == ({"b": CONTRADICTED}, ())
    beside = [case("a", UNUSED, named=named), case("b", USED), case("c", UNUSED, named=named, bears=False)]
    assert outcomes(beside) == ({"a": UNUSED, "b": USED}, ())


def test_what_nobody_judged_is_not_even_passed() -> None:
    assert draw([case("a", None), case("b", UNUSED)], None, SURE).passed == ("b",)


def test_blame_falls_on_the_one_that_has_a_rival() -> None:
    cases = [case("nine", USED, NINE), case("ten", CONTRADICTED, TEN), case("c", USED, "Ann packs the night before")]
    assert outcomes(cases, "That's wrong.") == ({"nine": CONTRADICTED}, ("nine",))


def test_blame_falls_on_what_the_complaint_contradicts() -> None:
    cases = [case("a", USED, "Ann packs the night before"), case("nine", UNUSED, NINE)]
    said = "That's wrong. The train to Porto leaves at 10 AM."
    assert outcomes(cases, said) == ({"nine": CONTRADICTED}, ("nine",))


def test_what_the_caller_names_is_to_blame_alone() -> None:
    cases = [case("a", USED), case("b", CONTRADICTED, named=True), case("c", USED, named=True), case("d", UNUSED)]
    assert outcomes(cases, "That's wrong.") == ({"b": CONTRADICTED, "c": USED}, ("b",))


def test_without_a_sign_all_that_was_used_is_doubted() -> None:
    assert outcomes([case("a", USED), case("b", USED)], "That's wrong.") == ({"a": CONTRADICTED, "b": CONTRADICTED}, ())


def test_a_topic_limits_the_blame() -> None:
    cases = [case("train", USED, NINE), case("bees", USED, "Greta keeps bees")]
    assert outcomes(cases, "You're wrong about the bees.") == ({"bees": CONTRADICTED}, ("bees",))
    unsaid = [case("train", None, NINE), case("bees", None, "Greta keeps bees")]
    assert outcomes(unsaid, "You're wrong about the bees.") == ({"bees": CONTRADICTED}, ("bees",))
    assert outcomes(unsaid, "That's wrong.") == ({}, ())
