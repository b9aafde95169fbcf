from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.config import Settings
from marskg.privacy.sensitivity import Assessor
from marskg.records import Consolidation, SummaryLine
from marskg.reflection.consolidation import LEFT_OUT, WITHOUT_VECTOR, Outcome, Workshop
from marskg.reflection.extractive import ExtractiveSummariser
from marskg.reflection.gates import Against, Gate, Refusal, Thresholds, check_distortion, check_lines
from marskg.reflection.passages import Sensing, is_covered
from marskg.reflection.summariser import Proposal, Request
from tests.unit.reflection.making import COUNTER, constituent, constituents, embed, made_id, vectors

SENSING = Assessor().texts(Settings())
LOOSE = Thresholds(2.0, 0.1, 0.3)
DAYS = tuple(f"On day {day} I watered the tomatoes in the garden. Nothing else happened then." for day in range(5))


def _workshop(
    thresholds: Thresholds = LOOSE, share: float = 0.4, summariser: object = None, sensing: Sensing | None = None
) -> Workshop:
    chosen = summariser or ExtractiveSummariser(COUNTER)
    return Workshop(chosen, COUNTER, embed, thresholds, share, sensing)  # type: ignore[arg-type]  # doubles


def _summary(outcome: Outcome) -> Consolidation:
    assert outcome.summary is not None
    return outcome.summary


def test_a_cluster_becomes_a_cheaper_summary_with_its_measures() -> None:
    members = constituents(*DAYS)
    summary = _summary(_workshop().consolidate(members, vectors(members)))
    assert summary.constituents == tuple(member.id for member in members)
    assert summary.weight == COUNTER.count(summary.content) <= 0.4 * sum(member.weight for member in members)
    assert 0 < summary.predicted < 2
    assert 0 < summary.realised < 2
    assert not summary.equivalent


def test_equal_texts_have_an_equivalent_summary() -> None:
    members = constituents("The gate code changes in May.", "The gate code changes in May.")
    summary = _summary(_workshop(share=0.6).consolidate(members, vectors(members)))
    assert summary.equivalent
    assert summary.lines[0].sources == (made_id(1), made_id(2))


def test_what_had_an_identifier_is_never_equivalent() -> None:
    members = constituents("The gate code changes in May. 555-0199.", "The gate code changes in May.")
    summary = _summary(_workshop(share=0.8).consolidate(members, vectors(members)))
    assert not summary.equivalent


# --- Gates --------------------------------------------------------------------------------------------------------


class _Fixed:
    """A summariser that always proposes the same."""

    name = "fixed"
    calls = 1

    def __init__(self, *texts: str, sensitivity: float = 0.0) -> None:
        self.lines = tuple(SummaryLine(text, (made_id(1),), verbatim=False, sensitivity=sensitivity) for text in texts)
        self.asked: list[Request] = []

    def summarise(self, request: Request) -> Proposal:
        self.asked.append(request)
        return Proposal(self.lines)


def test_a_summary_longer_than_its_cluster_is_refused_with_both_numbers() -> None:
    members = constituents("Short one.", "Short two.")
    fixed = _Fixed("This is a great deal longer than both of the texts that it is about.")
    outcome = _workshop(summariser=fixed).consolidate(members, vectors(members))
    assert outcome.summary is None
    assert {refusal.gate for refusal in outcome.refusals} == {Gate.COST}
    assert "must weigh less than 6" in outcome.refusals[0].reason
    assert outcome.requests == 2


def test_the_same_weight_is_not_cheaper() -> None:
    members = constituents("Short one.", "Short two.")
    lines = (SummaryLine("Short one, short two.", (), verbatim=False),)
    assert check_lines(members, lines, 6, LOOSE) == Refusal(Gate.COST, 6, 6)
    assert check_lines(members, lines, 5, LOOSE) is None


def test_the_second_try_asks_for_less_and_under_the_ceiling() -> None:
    members = constituents(*DAYS, sensitivity=0.2)
    fixed = _Fixed("She watered.", sensitivity=0.8)
    outcome = _workshop(summariser=fixed).consolidate(members, vectors(members))
    assert [refusal.gate for refusal in outcome.refusals] == [Gate.SENSITIVITY] * 2
    first, second = fixed.asked
    assert second.tokens < first.tokens
    assert first.ceiling == second.ceiling == 0.3


def test_the_sensitive_member_is_left_unsaid_where_the_gate_asks_for_it() -> None:
    members = [
        constituent(1, "I have HIV. " + DAYS[0], sensitivity=0.9),
        *(constituent(number + 2, text, sensitivity=0.2) for number, text in enumerate(DAYS)),
    ]
    summary = _summary(_workshop(share=0.5).consolidate(members, vectors(members)))
    assert "HIV" not in summary.content
    assert summary.sensitivity <= 0.2


def test_who_would_have_to_be_silent_stays_and_a_note_says_so() -> None:
    members = [
        constituent(1, "I have HIV. " + DAYS[0], sensitivity=0.9),
        *(constituent(number + 2, text, sensitivity=0.2) for number, text in enumerate(DAYS)),
    ]
    outcome = _workshop(share=0.5).consolidate(members, vectors(members))
    assert set(_summary(outcome).constituents) == {member.id for member in members[1:]}
    assert outcome.notes == (LEFT_OUT,)
    assert not outcome.refusals


def test_the_gate_is_held_against_those_that_are_in_the_cluster() -> None:
    levels = (0.9, 0.8, 0.5, 0.2, 0.1, 0.0)
    members = [
        constituent(number, f"{DAYS[0]} Round {number}.", sensitivity=level) for number, level in enumerate(levels, 1)
    ]
    outcome = _workshop().consolidate(members, vectors(members))
    # Under 0.8 the first has to stay; without it 0.7 holds, and so on down to the floor.
    assert set(_summary(outcome).constituents) == {member.id for member in members[3:]}
    assert outcome.notes == (LEFT_OUT,) * 3


@pytest.mark.parametrize("levels", [(0.8, 0.8, 0.8), (0.8, 0.8, 0.1)])
def test_a_cluster_in_which_hardly_anything_may_be_said_is_refused(levels: tuple[float, ...]) -> None:
    members = [constituent(number, DAYS[number], sensitivity=level) for number, level in enumerate(levels)]
    outcome = _workshop().consolidate(members, vectors(members))
    assert outcome.summary is None
    assert [refusal.gate for refusal in outcome.refusals] == [Gate.SENSITIVITY]
    assert outcome.refusals[0].value == 0.8
    assert len(outcome.notes) >= 2


NUMBERS = tuple(f"On day {day} the gardener can be had under 030 5550{day}99 about the tomatoes." for day in range(4))


def test_what_is_rewritten_is_measured_and_its_memory_goes() -> None:
    members = constituents(*NUMBERS, sensitivity=0.4, floor=0.0)
    assert _workshop().consolidate(members, vectors(members)).summary is None, "nothing measures"
    summary = _summary(_workshop(sensing=SENSING).consolidate(members, vectors(members)))
    assert len(summary.constituents) == 4
    assert not any(line.verbatim for line in summary.lines)
    assert summary.sensitivity == 0.0


@pytest.mark.parametrize("floor", [None, 0.35])
def test_what_rewriting_does_not_take_away_stays(floor: float | None) -> None:
    members = constituents(*NUMBERS, sensitivity=0.4, floor=floor)
    assert _workshop(sensing=SENSING).consolidate(members, vectors(members)).summary is None


def test_a_sentence_is_said_without_what_is_sensitive_in_it() -> None:
    texts = [f"My name is Ada Lovelace and on day {day} I watered all the tomatoes in the garden." for day in range(4)]
    members = constituents(*texts, sensitivity=0.2, floor=0.0)
    strict = Thresholds(2.0, 0.1, 0.1)
    summary = _summary(_workshop(strict, sensing=SENSING).consolidate(members, vectors(members)))
    assert "Ada" not in summary.content
    assert "[NAME]" in summary.content
    assert not any(line.verbatim for line in summary.lines)
    assert summary.sensitivity == 0.0
    assert len(summary.constituents) == 4


def test_a_memory_that_says_little_without_what_is_sensitive_stays() -> None:
    texts = ["I have HIV and take insulin for my diabetes. Call 030 5550199.", *DAYS]
    levels = (0.6, *(0.0 for _ in DAYS))
    members = [
        constituent(number, text, sensitivity=level, floor=0.0)
        for number, (text, level) in enumerate(zip(texts, levels, strict=True), 1)
    ]
    outcome = _workshop(sensing=SENSING).consolidate(members, vectors(members))
    assert made_id(1) not in _summary(outcome).constituents
    assert outcome.notes == (LEFT_OUT,)


@given(st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.4, 0.6, 0.9]), min_size=2, max_size=8), st.sampled_from(Against))
def test_no_summary_is_more_sensitive_than_its_own_constituents_allow(levels: list[float], against: Against) -> None:
    members = [
        constituent(number, (DAYS + NUMBERS)[number % 9], sensitivity=level, floor=0.0)
        for number, level in enumerate(levels, 1)
    ]
    thresholds = Thresholds(2.0, 0.1, 0.3, against)
    outcome = _workshop(thresholds, sensing=SENSING).consolidate(members, vectors(members))
    stays = len(members) - (0 if outcome.summary is None else len(outcome.summary.constituents))
    if outcome.summary is not None:
        covered = [member for member in members if member.id in outcome.summary.constituents]
        assert outcome.summary.sensitivity <= thresholds.ceiling(covered) + 1e-6
        assert outcome.notes.count(LEFT_OUT) == stays
        for member in covered:
            assert is_covered(member, thresholds.ceiling(covered), SENSING)


def test_the_option_min_holds_against_the_least_sensitive() -> None:
    members = [constituent(1, DAYS[0], sensitivity=0.9), constituent(2, DAYS[1], sensitivity=0.5)]
    assert Thresholds(1, 0.1, 0.3).ceiling(members) == pytest.approx(0.8)
    assert Thresholds(1, 0.1, 0.3, Against.MIN).ceiling(members) == 0.5


def test_a_harmless_cluster_passes_by_the_floor() -> None:
    members = constituents(*DAYS, sensitivity=0.3)
    assert _workshop().consolidate(members, vectors(members)).summary is not None
    planted = Thresholds(2.0, 0.1, 0.0)
    assert _workshop(planted).consolidate(members, vectors(members)).summary is None


def test_distortion_above_tau_util_is_refused_and_the_core_is_tried() -> None:
    members = constituents(*DAYS, "Bread rises overnight.", "Jazz again in Vienna!")
    outcome = _workshop(Thresholds(0.8, 0.1, 0.3)).consolidate(members, vectors(members))
    assert outcome.refusals[0].gate is Gate.DISTORTION
    summary = _summary(outcome)
    assert set(summary.constituents) < {member.id for member in members}
    assert summary.realised <= 0.8


def test_a_distortion_that_is_no_number_is_refused() -> None:
    refusal = check_distortion(math.nan, LOOSE)
    assert refusal is not None
    assert refusal.gate is Gate.DISTORTION


def test_nothing_is_summarised_while_the_model_rests() -> None:
    members = constituents(*DAYS)
    workshop = Workshop(ExtractiveSummariser(COUNTER), COUNTER, lambda _: None, LOOSE, 0.4)
    outcome = workshop.consolidate(members, vectors(members))
    assert outcome.summary is None
    assert outcome.notes == (WITHOUT_VECTOR,)


def test_texts_that_are_empty_after_redaction_are_refused() -> None:
    members = constituents("a@b.example", "c@d.example")
    outcome = _workshop().consolidate(members, vectors(members))
    assert [refusal.gate for refusal in outcome.refusals] == [Gate.EMPTY] * 2
