"""The rules of PrecisionMemBench by hand."""

from __future__ import annotations

from typing import Any

import pytest

from marskg_bench.beliefs.layout import MOST, Case, Expected, Prelude, Tier
from marskg_bench.beliefs.playing import Shown
from marskg_bench.beliefs.scoring import BLIND, Drift, drifted, failures, figures, judged


def case(*, name: str = "one", category: str = "Alias resolution", **expected: Any) -> Case:
    usual: dict[str, Any] = {
        "found": Tier(),
        "should": frozenset(),
        "only": None,
        "ordered": (),
        "least": 0,
        "most": None,
        "pinned": Tier(),
        "questions": Tier(),
        "prelude": Prelude(there=False, absent=False, contains=(), lacks=()),
        "noise": frozenset(),
    }
    return Case(name, category, "ana", ("work",), "?", MOST, Expected(**{**usual, **expected}))


def shown(*found: str, pinned: tuple[str, ...] = (), questions: tuple[str, ...] = (), prelude: str = "") -> Shown:
    return Shown(pinned, found, questions, prelude)


def test_noise_fails_a_case_and_lowers_its_precision() -> None:
    wanted = case(only=frozenset({"a"}))
    assert judged(wanted, shown("a"), frozenset())[2:] == (True, 1.0, 1.0)
    assert judged(wanted, shown("a", "b"), frozenset())[2:] == (False, 0.5, 1.0)
    assert judged(wanted, shown(), frozenset())[2:] == (False, 0.0, 0.0)


def test_nothing_where_nothing_is_wanted_counts_in_no_mean() -> None:
    nothing = case(only=frozenset())
    assert judged(nothing, shown(), frozenset())[1:] == ("empty", True, None, None)
    assert judged(nothing, shown("b"), frozenset())[1:] == ("empty", False, 0.0, None)
    assert judged(case(category="Cross-user isolation", only=frozenset()), shown(), frozenset()).proves == "structural"


def test_what_is_pinned_is_found_but_is_no_retrieval() -> None:
    both = case(found=Tier(frozenset({"a", "p"})))
    assert judged(both, shown("a", pinned=("p",)), frozenset({"p"}))[2:] == (True, 1.0, 1.0)
    assert drifted(both, shown("a", "b", pinned=("p",))) == Drift(
        "one", passed=True, precision=1.0, recall=1.0, drift=0.0
    )
    assert drifted(case(only=frozenset({"a"})), shown("b")).drift == 1.0
    assert drifted(case(only=frozenset({"a"})), shown()).drift == 0.0


@pytest.mark.parametrize(
    ("expected", "good", "bad"),
    [
        ({"should": frozenset({"a"})}, shown("a"), shown("b")),
        ({"found": Tier(exclude=frozenset({"a"}))}, shown("b"), shown("b", pinned=("a",))),
        ({"noise": frozenset({"a"})}, shown("b"), shown("a")),
        ({"least": 1, "most": 1}, shown("a"), shown("a", "b")),
        ({"ordered": (("a", "b"),)}, shown("a", "b"), shown("b", "a")),
        ({"ordered": (("a", "b"),)}, shown("a", "b"), shown("a")),
        ({"pinned": Tier(frozenset({"a"}), frozenset({"b"}))}, shown(pinned=("a",)), shown(pinned=("a", "b"))),
        ({"questions": Tier(frozenset({"q"}))}, shown(questions=("q",)), shown("q")),
        (
            {"prelude": Prelude(there=True, absent=False, contains=("tea",), lacks=("gin",))},
            shown(prelude="tea"),
            shown(prelude="gin and tea"),
        ),
        ({"prelude": Prelude(there=False, absent=True, contains=(), lacks=())}, shown(), shown(prelude="tea")),
    ],
)
def test_each_rule_is_kept_and_broken(expected: dict[str, Any], good: Shown, bad: Shown) -> None:
    assert not [*failures(case(**expected), good)]
    assert [*failures(case(**expected), bad)]


def test_cases_that_count_blindness_as_right_are_counted_apart() -> None:
    blind = judged(case(name=min(BLIND), only=frozenset()), shown("b"), frozenset())
    seen = judged(case(only=frozenset({"a"})), shown("a"), frozenset())
    found = figures([blind, seen], [])
    assert found["passes"]["empty"] == {"cases": 1, "passed": 0, "blind_cases": 1, "blind_passed": 0}
    assert (found["shares"]["precision"], found["shares_without_blind"]["precision"]) == (0.5, 1.0)
    assert found["sessions"]["drift"] is None
