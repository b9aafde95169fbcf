"""What says the same is shown once; what only looks alike is not lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.ontology.vocabulary import Cardinality
from marskg.retrieval.assembly.duplicates import without_duplicates
from marskg.retrieval.assembly.similarity import Similarities
from tests.support.candidates import DAY, NOON, candidate, direction

if TYPE_CHECKING:
    from marskg.retrieval.assembly.candidate import Candidate


def _kept(*candidates: Candidate) -> list[str]:
    kept, dropped = without_duplicates(candidates, Similarities(candidates))
    assert len(kept) + len(dropped) == len(candidates)
    return [one.id for one in kept]


def test_case_space_and_closing_punctuation_make_no_difference() -> None:
    first, second = candidate(1, "Ann likes  tea"), candidate(2, "ann likes tea.", score=900_000)
    kept, dropped = without_duplicates([first, second], Similarities([first, second]))
    assert [one.id for one in kept] == ["m2"]
    assert [(one.loser, one.winner, one.rule) for one in dropped] == [("m1", "m2", "equal text")]


def test_the_newer_valid_stays_then_the_more_reliable_then_the_better_ranked() -> None:
    old, new = candidate(1, "Tea", score=900_000), candidate(2, "tea", valid_from=NOON + DAY)
    assert _kept(old, new) == ["m2"]
    sure, unsure = candidate(1, "Tea"), candidate(2, "tea", reliability=0.5, score=900_000)
    assert _kept(sure, unsure) == ["m1"]


LONG = "Ann booked the green hotel near the old harbour of Oslo for three nights in early spring"


@pytest.mark.parametrize("vector", [None, direction(1, 0)])
def test_one_term_more_in_a_long_text_is_a_near_duplicate(vector: object) -> None:
    assert len(_kept(candidate(1, LONG, vector=vector), candidate(2, f"{LONG} already", vector=vector))) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (LONG, LONG.replace("Oslo", "Bergen")),
        (f"{LONG} for 200 euros", f"{LONG} for 300 euros"),
        (f"{LONG} at -5 degrees", f"{LONG} at 5 degrees"),
        (LONG, LONG.replace("booked", "never booked")),
        (LONG, LONG.replace("Ann booked", "Ann didn't booked")),
        ("Ann manages Bob", "Bob manages Ann"),
        (f"{LONG} at 6 am", f"{LONG} at 6 pm"),
        (f"{LONG} in class C", f"{LONG} in class C++"),
        (f"{LONG} for 10 €", f"{LONG} for 10 $"),
        (f"{LONG}: 😀", f"{LONG}: 😢"),
        (f"{LONG} with Nora", f"{LONG} with Nora, Mona"),
        (f"{LONG} before us", f"{LONG} after us"),
    ],
)
def test_another_word_number_negation_or_order_is_another_statement(one: str, other: str) -> None:
    same = direction(1, 0)
    assert len(_kept(candidate(1, one, vector=same), candidate(2, other, vector=same))) == 2


def test_vectors_that_differ_keep_both() -> None:
    one, other = candidate(1, LONG, vector=direction(1, 0)), candidate(2, f"{LONG} already", vector=direction(0, 1))
    assert len(_kept(one, other)) == 2


def test_entries_of_a_ledger_values_of_other_keys_and_other_subjects_are_kept() -> None:
    ledger: dict[str, Any] = {"key": "spent", "cardinality": Cardinality.APPEND}
    assert len(_kept(candidate(1, "20 euros", **ledger), candidate(2, "20 euros", **ledger))) == 2
    assert len(_kept(candidate(1, "done", key="roof"), candidate(2, "done", key="cellar"))) == 2
    assert len(_kept(candidate(1, "tea", subjects=("ann",)), candidate(2, "tea", subjects=("bob",)))) == 2


def test_the_order_of_the_input_changes_nothing() -> None:
    some = [candidate(n, LONG if n % 2 else f"{LONG} already", valid_from=NOON + n % 3) for n in range(6)]
    assert _kept(*some) == _kept(*some[::-1])
