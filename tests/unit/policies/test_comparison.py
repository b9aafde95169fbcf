"""Which answers a plan loses: what goes, unless a summary of the plan says all of it, word for word."""

from __future__ import annotations

from typing import Any

import pytest

from marskg.ontology.vocabulary import Kind, Tier
from marskg.policies.comparison import compare_plans
from marskg.records import Action, Consolidation, Memory, Plan, SummaryLine
from marskg.store.rows.summary_lines import encode
from tests.unit.reflection.making import made_id

BLUE, RUI = "The form is in the blue folder.", "Rui put it there."


def line(text: str, *, verbatim: bool = True) -> SummaryLine:
    return SummaryLine(text, (made_id(9),), verbatim)


def answering(content: str | None, **fields: Any) -> Memory:
    """Return the memory that answers the question."""
    given: dict[str, Any] = {"kind": Kind.EPISODIC, "valid_from": 1, "sequence": 1, "weight": 5, "created": 1}
    return Memory(made_id(1), "t", content=content, **given | fields)


def lost(
    memory: Memory, *lines: SummaryLine, constituents: tuple[str, ...] = (made_id(1), made_id(2)), known: bool = True
) -> bool:
    """Return whether the answer is lost under a plan whose summary has these lines."""
    summary = Consolidation(constituents, lines, weight=1, sensitivity=0.0, predicted=0.1, realised=0.1)
    taken = tuple(
        Action(ident, "consolidate", Kind.EPISODIC, 5, 1, Tier.LATENT, "summarised", 0, (), "it is summarised")
        for ident in (made_id(1), made_id(2))
    )
    plan = Plan("p", (), "t", 5, 10, 1, taken, 0.0, 0.0, 0.0, 7, "digest", summaries=(summary,))
    (forecast,) = compare_plans([plan], [memory.id], {memory.id: memory} if known else {}).forecasts
    return bool(forecast.lost)


@pytest.mark.parametrize(
    ("content", "lines", "gone"),
    [
        (BLUE, [line(BLUE)], False),
        (f"{BLUE} {RUI}", [line(RUI), line(BLUE)], False),
        ("the form is in the  blue folder", [line(BLUE)], False),
        (f"{BLUE} {RUI}", [line(BLUE)], True),
        (BLUE, [line(BLUE, verbatim=False)], True),
        (BLUE, [line(f"Rui says: {BLUE}")], True),
        ("Call 555-0199 about the form.", [line("Call [PHONE] about the form."), line(BLUE)], True),
        (f"{BLUE} 555-0199.", [line(BLUE)], True),
        (None, [line(BLUE)], True),
    ],
    ids=[
        "all",
        "in another order",
        "but for capitals and dots",
        "in part",
        "rewritten",
        "inside another sentence",
        "in general words",
        "without its number",
        "nobody knows what it said",
    ],
)
def test_an_answer_is_kept_by_a_summary_that_says_all_of_it(
    content: str | None, lines: list[SummaryLine], *, gone: bool
) -> None:
    assert lost(answering(content), *lines) is gone


def test_a_summary_of_others_keeps_no_answer() -> None:
    assert lost(answering(BLUE), line(BLUE), constituents=(made_id(2), made_id(3)))


def test_an_answer_that_is_a_summary_itself_is_kept_line_by_line() -> None:
    own = answering(f"{BLUE}\n{RUI}", summary_lines=encode([line(BLUE), line(RUI)]))
    assert not lost(own, line(BLUE), line(RUI))
    assert lost(own, line(BLUE))


def test_an_answer_whose_memory_is_not_given_is_lost_with_it() -> None:
    assert lost(answering(BLUE), line(BLUE), known=False)
