from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.config import Settings
from marskg.ontology.vocabulary import Kind
from marskg.privacy.sensitivity import Assessor
from marskg.records import Consolidation, SummaryLine
from marskg.reflection.consolidation import LEFT_OUT, WITHOUT_VECTOR, Outcome, Workshop
from marskg.reflection.extractive import ExtractiveSummariser
from marskg.reflection.gates import Against, Gate, Refusal, Thresholds, check_distortion, check_lines
from marskg.reflection.passages import Sensing, is_covered
from marskg.reflection.summariser import Proposal, Request
from tests.unit.reflection.making import COUNTER, constituent, constituents, embed, made_id, vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.reflection.passages import Constituent

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
    assert Thresholds(1, 0.1, 0.3, Against.MIN).ceiling(members) == pytest.approx(0.4)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6), st.floats(0, 1), st.floats(0, 1))
def test_min_is_never_the_looser_gate(found: list[float], tau: float, floor: float) -> None:
    members = [constituent(place, DAYS[0], sensitivity=value) for place, value in enumerate(found, 1)]
    strict, loose = (Thresholds(1, tau, floor, against).ceiling(members) for against in (Against.MIN, Against.MAX))
    assert strict <= loose


def test_the_refusal_that_explains_is_that_of_a_text() -> None:
    distorted, empty = Refusal(Gate.DISTORTION, 0.9, 0.05), Refusal(Gate.EMPTY, 0, 1)
    assert Outcome(None, (distorted, empty)).decisive is distorted
    assert Outcome(None, (empty,)).decisive is empty
    assert Outcome(None).decisive is None
    assert "gate" not in empty.reason


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


# --- The note of a completed task ---------------------------------------------------------------------------------

TASK = "Repair the garden gate."
STEPS = (
    "Jazz again in Vienna tonight!",
    "Bread rises overnight in bowls.",
    "Olga measured the gate.",
    "The garden gate closes again.",
)


def _cluster(*steps: str, task: str = TASK, **changes: Any) -> list[Constituent]:
    return [constituent(1, task, kind=Kind.TASK, **changes), *constituents(*("", *steps))[1:]]


def _note(workshop: Workshop, members: Sequence[Constituent]) -> Outcome:
    return workshop.consolidate(members, vectors(members), durable=True)


def test_a_note_opens_with_the_task_and_its_outcome_whatever_the_target() -> None:
    summary = _summary(_note(_workshop(share=0.1), _cluster(*STEPS)))
    assert [line.text for line in summary.lines] == [TASK, STEPS[-1]]
    assert [line.sources for line in summary.lines] == [(made_id(1),), (made_id(5),)]
    assert len(summary.constituents) == 5
    assert summary.durable


def test_what_the_target_leaves_room_for_follows_the_opening() -> None:
    members = _cluster(*STEPS)
    summary = _summary(_note(_workshop(share=0.7), members))
    first, second, *others = [line.text for line in summary.lines]
    assert (first, second) == (TASK, STEPS[-1])
    assert others
    assert set(others) < set(STEPS)
    assert summary.weight <= 0.7 * sum(member.weight for member in members)


def test_the_outcome_is_the_latest_and_not_the_last_that_is_named() -> None:
    members = _cluster(*STEPS)
    summary = _summary(_note(_workshop(share=0.1), [members[0], *reversed(members[1:])]))
    assert [line.text for line in summary.lines] == [TASK, STEPS[-1]]


def test_of_an_outcome_the_sentence_that_says_most_speaks() -> None:
    summary = _summary(_note(_workshop(share=0.1), _cluster(*STEPS, "Done! The garden gate closes at last. Bye.")))
    assert summary.lines[1].text == "The garden gate closes at last."


def test_a_task_speaks_alone_where_both_would_weigh_as_much_as_they_do() -> None:
    summary = _summary(_note(_workshop(share=0.1), _cluster(STEPS[-1])))
    assert [line.text for line in summary.lines] == [TASK]


def test_a_task_of_several_sentences_opens_with_its_first() -> None:
    task = "Repair it. Olga wants the garden gate closed before all guests arrive on Friday evening."
    summary = _summary(_note(_workshop(share=0.1), _cluster(*STEPS, task=task)))
    assert summary.lines[0].text == "Repair it."


def test_of_a_cluster_too_far_apart_the_task_its_outcome_and_the_nearest_stay() -> None:
    outcome = _note(_workshop(Thresholds(0.8, 0.1, 0.3)), _cluster(*STEPS))
    assert [refusal.gate for refusal in outcome.refusals] == [Gate.DISTORTION]
    summary = _summary(outcome)
    assert summary.constituents == (made_id(1), made_id(4), made_id(5))
    assert [line.text for line in summary.lines] == [TASK, STEPS[-1]]
    assert summary.realised <= 0.8


def test_the_members_nearest_to_the_task_stay_and_not_those_nearest_to_the_centroid() -> None:
    # Four that agree with each other draw the centroid away from the task.
    jazz = [f"Jazz again in Vienna tonight, round {number}!" for number in range(4)]
    summary = _summary(_note(_workshop(Thresholds(0.8, 0.1, 0.3)), _cluster(*jazz, STEPS[2], STEPS[3])))
    assert {made_id(1), made_id(6), made_id(7)} <= set(summary.constituents)
    assert summary.lines[0].text == TASK


def test_an_outcome_that_no_passing_note_says_stays_a_memory() -> None:
    steps = ("Olga measured the gate.", "The garden has a gate.", "Jazz again in Vienna tonight!")
    summary = _summary(_note(_workshop(Thresholds(0.6, 0.1, 0.3)), _cluster(*steps)))
    assert made_id(4) not in summary.constituents
    assert summary.lines[0].text == TASK
    assert summary.realised <= 0.6


def test_a_task_without_a_note_that_passes_is_refused_with_the_gate() -> None:
    outcome = _note(_workshop(Thresholds(0.1, 0.1, 0.3)), _cluster(*STEPS))
    assert outcome.summary is None
    assert [refusal.gate for refusal in outcome.refusals] == [Gate.DISTORTION]


def test_a_task_that_must_stay_unsaid_leaves_the_word_to_its_outcome() -> None:
    outcome = _note(_workshop(), _cluster(*STEPS, task="I have HIV.", sensitivity=0.4))
    summary = _summary(outcome)
    assert outcome.notes == (LEFT_OUT,)
    assert made_id(1) not in summary.constituents
    assert summary.lines[0].text == STEPS[-1]
    assert summary.durable


def test_a_task_is_said_without_what_is_sensitive_in_it() -> None:
    task = "Call the gardener about the garden gate under 030 5550199."
    members = _cluster(*STEPS, task=task, sensitivity=0.4, floor=0.0)
    summary = _summary(_note(_workshop(sensing=SENSING), members))
    assert summary.lines[0].text == "Call the gardener about the garden gate under (phone number)."
    assert not summary.lines[0].verbatim
    assert summary.sensitivity == 0.0


def test_each_line_of_a_note_ends_with_its_source() -> None:
    members = [replace(member, expires_at=None if member.id == made_id(1) else 900) for member in _cluster(*STEPS)]
    summary = _summary(_note(_workshop(share=0.1), members))
    assert [line.expires_at for line in summary.lines] == [None, 900]


@pytest.mark.parametrize("text", ["Mallory owns the house.", TASK, TASK.upper()])
def test_no_summariser_takes_the_first_word_from_a_task(text: str) -> None:
    fixed = _Fixed(text)
    summary = _summary(_note(_workshop(summariser=fixed, share=0.9), _cluster(*STEPS)))
    texts = [line.text for line in summary.lines]
    assert texts[:2] == [TASK, STEPS[-1]]
    assert [sentence.text for sentence in fixed.asked[0].opening] == texts[:2]
    assert len({one.casefold() for one in texts}) == len(texts)


def test_a_summariser_that_no_token_is_left_for_is_not_asked() -> None:
    fixed = _Fixed("She measured.")
    outcome = _note(_workshop(summariser=fixed, share=0.1), _cluster(*STEPS))
    assert outcome.summary is not None
    assert fixed.asked == []
    assert outcome.requests == 0


def test_a_summariser_that_spoils_both_tries_leaves_the_opening() -> None:
    fixed = _Fixed("Ana is ill.", sensitivity=0.8)
    outcome = _note(_workshop(summariser=fixed, share=0.9), _cluster(*STEPS, STEPS[0], STEPS[1]))
    assert [refusal.gate for refusal in outcome.refusals] == [Gate.SENSITIVITY] * 2
    assert outcome.requests == len(fixed.asked) == 2
    assert [line.text for line in _summary(outcome).lines] == [TASK, STEPS[1]]


def test_a_note_without_vectors_is_tried_once() -> None:
    asked: list[str] = []
    workshop = Workshop(ExtractiveSummariser(COUNTER), COUNTER, asked.append, LOOSE, 0.4)  # type: ignore[arg-type]  # answers None
    assert _note(workshop, _cluster(*STEPS)).notes == (WITHOUT_VECTOR,)
    assert len(asked) == 1


@given(
    st.lists(st.sampled_from((*STEPS, *DAYS, "Done!", "a@b.example", TASK)), min_size=1, max_size=8),
    st.floats(0.5, 1.2),
    st.floats(0.0, 0.9),
    st.sampled_from([0.0, 0.2, 0.4]),
)
def test_a_note_passes_every_gate_and_opens_with_its_task(
    steps: list[str], tau: float, share: float, level: float
) -> None:
    members = _cluster(*steps, sensitivity=level, floor=0.0)
    thresholds = Thresholds(tau, 0.1, 0.3)
    outcome = _note(_workshop(thresholds, share, sensing=SENSING), members)
    assert len(outcome.refusals) <= 3
    if outcome.summary is None:
        assert outcome.refusals
        return
    covered = [member for member in members if member.id in outcome.summary.constituents]
    assert check_lines(covered, outcome.summary.lines, outcome.summary.weight, thresholds) is None
    assert outcome.summary.realised <= tau
    if members[0] in covered:
        assert made_id(1) in outcome.summary.lines[0].sources
    assert outcome == _note(_workshop(thresholds, share, sensing=SENSING), members)
