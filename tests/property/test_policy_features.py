"""The features of eq. (5): between 0 and 1, of the memory and not of its place in the table, and rising as they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from marskg.clock import DAY_MS
from marskg.config import FEATURES, Settings
from marskg.policies.builtin.hybrid import hybrid
from marskg.policies.builtin.stages import Scores
from marskg.policies.core.features import COLUMNS, FeatureTable, density, features, penalty, terms

if TYPE_CHECKING:
    from collections.abc import Mapping

NOW = 1_790_000_000_000
LAST = np.iinfo(np.int64).max
SETTINGS = Settings()
micro = st.integers(0, 1_000_000)
moments = st.integers(NOW - 2_000 * DAY_MS, NOW + DAY_MS)
rows = st.fixed_dictionaries(
    {
        "kind": st.integers(0, 3),
        "weight": st.integers(1, 5_000),
        "sequence": st.just(0),
        "created": moments,
        "lastAccess": moments,
        "accessCount": st.integers(0, 10_000),
        "rank": st.integers(0, 3),
        "sensitivity": micro,
        "score": st.integers(0, 100),
        "generality": micro,
        "goal": micro,
        "nearness": micro,
        "degree": st.integers(0, 100_000),
        "novelty": micro,
        "deadline": moments | st.just(LAST),
        "active": st.booleans(),
        "open": st.sampled_from([True]),
    }
)
tables = st.lists(rows, min_size=1, max_size=40)


def table_of(some: list[dict[str, Any]]) -> FeatureTable:
    numbered = [{**row, "sequence": place} for place, row in enumerate(some)]
    columns = {name: np.array([row[name] for row in numbered]) for name in COLUMNS}
    return FeatureTable([f"m{place}" for place in range(len(some))], columns, "none")


def scored(table: FeatureTable) -> tuple[Mapping[str, Any], Any]:
    psi = features(table, SETTINGS, NOW)
    return psi, density(table, terms(table, psi, SETTINGS), SETTINGS)


@settings(max_examples=100, deadline=None)
@given(tables)
def test_each_feature_is_a_fraction_and_each_utility_no_more_than_the_kind_allows(some: list[dict[str, Any]]) -> None:
    table = table_of(some)
    psi, _ = scored(table)
    assert tuple(psi) == tuple(FEATURES)
    assert all(((values >= 0) & (values <= 1)).all() for values in psi.values())
    utility = sum(terms(table, psi, SETTINGS).values())
    assert np.max(utility) <= 1 + 1e-9
    assert np.max(penalty(table, SETTINGS)) <= SETTINGS.policy.density.lambda_priv
    removal = Scores(table, SETTINGS, NOW).removal
    assert ((removal >= 0) & (removal <= 1_000_000)).all()


@settings(max_examples=100, deadline=None)
@given(tables, st.randoms(use_true_random=False))
def test_a_score_is_the_same_wherever_its_row_stands(some: list[dict[str, Any]], chance: Any) -> None:
    order = list(range(len(some)))
    chance.shuffle(order)
    _, straight = scored(table_of(some))
    _, shuffled = scored(table_of([some[place] for place in order]))
    assert shuffled.tolist() == [straight[place] for place in order]


@settings(max_examples=100, deadline=None)
@given(rows, st.sampled_from(["sensitivity", "weight"]), st.integers(1, 1_000))
def test_what_costs_more_is_worth_less(row: dict[str, Any], name: str, more: int) -> None:
    dear = {**row, name: row[name] + more, "sensitivity": row["sensitivity"] if name == "weight" else 1_000_000}
    if name == "weight":
        row, dear = {**row, "sensitivity": 0}, {**dear, "sensitivity": 0}
    _, scores = scored(table_of([row, dear]))
    assert scores[1] <= scores[0]


def test_the_stages_of_hybrid_are_those_of_the_paper_in_its_order() -> None:
    assert [stage.name for stage in hybrid().stages] == ["temporal", "reflection", "importance", "privacy"]


def test_urgency_doubles_towards_the_deadline_and_collapses_when_the_task_is_done() -> None:
    half = SETTINGS.policy.density.urgency_half
    task = dict.fromkeys(COLUMNS, 0) | {"kind": 3, "weight": 1, "active": True}
    due = [NOW + 2 * half, NOW + half, NOW, NOW - half]
    psi, _ = scored(table_of([*({**task, "deadline": at} for at in due), {**task, "deadline": NOW, "active": False}]))
    assert psi["urgency"].tolist() == [0.25, 0.5, 1.0, 1.0, 0.0]
