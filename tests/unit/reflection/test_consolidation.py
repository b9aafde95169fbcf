from __future__ import annotations

import math

import pytest

from marskg.records import Consolidation, SummaryLine
from marskg.reflection.consolidation import WITHOUT_VECTOR, Outcome, Workshop
from marskg.reflection.extractive import ExtractiveSummariser
from marskg.reflection.gates import Against, Gate, Refusal, Thresholds, check_distortion, check_lines
from marskg.reflection.summariser import Proposal, Request
from tests.unit.reflection.making import COUNTER, constituent, constituents, embed, made_id, vectors

LOOSE = Thresholds(2.0, 0.1, 0.3)
DAYS = tuple(f"On day {day} I watered the tomatoes in the garden. Nothing else happened then." for day in range(5))


def _workshop(thresholds: Thresholds = LOOSE, share: float = 0.4, summariser: object = None) -> Workshop:
    chosen = summariser or ExtractiveSummariser(COUNTER)
    return Workshop(chosen, COUNTER, embed, thresholds, share)  # type: ignore[arg-type]  # doubles


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
    members = constituents(*DAYS, sensitivity=0.8)
    fixed = _Fixed("She watered.", sensitivity=0.8)
    outcome = _workshop(summariser=fixed).consolidate(members, vectors(members))
    assert [refusal.gate for refusal in outcome.refusals] == [Gate.SENSITIVITY] * 2
    first, second = fixed.asked
    assert second.tokens < first.tokens
    assert first.ceiling == 1.0
    assert second.ceiling == pytest.approx(0.7)


def test_the_sensitive_member_is_left_unsaid_where_the_gate_asks_for_it() -> None:
    members = [
        constituent(1, "I have HIV. " + DAYS[0], sensitivity=0.9),
        *(constituent(number + 2, text, sensitivity=0.2) for number, text in enumerate(DAYS)),
    ]
    summary = _summary(_workshop(share=0.5).consolidate(members, vectors(members)))
    assert "HIV" not in summary.content
    assert summary.sensitivity <= 0.8


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
