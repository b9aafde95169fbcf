"""The policy ``private``: what it draws from, what it looks at, what it pays, and what it never says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.config import Settings
from marskg.errors import InvalidConfig, PrivacyBudgetExhausted
from marskg.ontology.vocabulary import Kind
from marskg.policies.builtin import noise
from marskg.policies.builtin.noise import NoisyMax
from marskg.policies.builtin.private import SPAN, PrivatePolicy, cost_of, preferences
from marskg.policies.conformance import check_conformance
from marskg.policies.registry import POLICY_NAMES, check_settings, load_policy
from marskg.policies.sample_stores import NOW
from marskg.store.rows.privacy_budget import CONTROL, NANO, Account
from tests.support.neighbours import WEIGHT, Neighbour, only, row_of_leaves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.store.engine.arcadedb import ArcadeDB

MILLION = 1_000_000


class Recorded(NoisyMax):
    """A mechanism without noise that keeps the scores that it was given."""

    given: list[list[int]]

    def __init__(self, epsilon: float, span: int) -> None:
        super().__init__(epsilon, span)
        self.given = []
        LOOKED.append(self)

    def top(self, scores: Sequence[int], k: int) -> list[int]:
        self.given.append(list(scores))
        return sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:k]


LOOKED: list[Recorded] = []


def looked(store: Neighbour, **options: Any) -> tuple[Any, list[list[int]]]:
    """Return the plan of a mechanism without noise, and the scores of each draw."""
    plan = PrivatePolicy(Recorded).plan(store, **options)
    return plan, LOOKED[-1].given


def account(plan: Any) -> Account:
    return Account.from_json(dict(plan.controls)[CONTROL])


# --- Conformance ---------------------------------------------------------------------------------------------------


CONFORMING: list[dict[str, Any]] = [
    {},
    {"policy.evict_to": "latent"},
    {"privacy.epsilon_budget": 0.3},
    {"privacy.epsilon_budget": 0},
    {"privacy.conversation_epsilon_budget": 0.2, "policy.grace": "7d"},
]


@pytest.mark.parametrize("number", range(len(CONFORMING)))
def test_it_conforms(engine: ArcadeDB, number: int) -> None:
    settings = Settings().with_values(CONFORMING[number])
    report = check_conformance(PrivatePolicy(), stores=25, seed=77_000 + number, settings=settings, engine=engine)
    assert report.ok, report.findings


# --- Scores --------------------------------------------------------------------------------------------------------


@given(
    sensitivity=st.lists(st.integers(0, MILLION), min_size=6, max_size=6),
    goal=st.lists(st.integers(-MILLION, 3 * MILLION), min_size=6, max_size=6),
    lambda_priv=st.sampled_from([0, 0.2, 1, 50]),
)
def test_scores_stay_within_the_range_that_the_noise_is_for(
    engine: ArcadeDB, sensitivity: list[int], goal: list[int], lambda_priv: float
) -> None:
    settings = Settings().with_values({"policy.density.lambda_priv": lambda_priv})
    store = _leaves(engine)
    ids = list(store.memories)
    given_ = replace(
        store,
        settings=settings,
        sensitive=dict(zip(ids, sensitivity, strict=True)),
        goal=dict(zip(ids, goal, strict=True)),
    )
    found = preferences(given_.table(), settings, NOW)
    assert found.min() >= 0
    assert found.max() <= SPAN


_KEPT: dict[int, Neighbour] = {}


def _leaves(engine: ArcadeDB) -> Neighbour:
    if id(engine) not in _KEPT:
        _KEPT[id(engine)] = row_of_leaves(engine, 6, Settings())
    return _KEPT[id(engine)]


def test_the_whole_range_is_reached_and_what_is_sensitive_and_useless_should_go(engine: ArcadeDB) -> None:
    settings = only("goal")
    store = row_of_leaves(engine, 2, settings)
    near, far = store.memories
    given_ = replace(store, goal={near: MILLION, far: 0})
    assert preferences(given_.table(), settings, NOW).tolist() == [0, SPAN]
    sensitive = only(None)
    given_ = replace(store, settings=sensitive, sensitive={near: MILLION, far: 0})
    assert preferences(given_.table(), sensitive, NOW).tolist() == [SPAN, 0]


def test_novelty_which_one_memory_gives_to_others_takes_no_part(engine: ArcadeDB) -> None:
    store = _leaves(engine)
    one, other = (replace(store, novel=dict.fromkeys(store.memories, value)) for value in (0, MILLION))
    scores = [preferences(view.table(), view.settings, NOW).tolist() for view in (one, other)]
    assert scores[0] == scores[1]


def test_settings_without_any_utility_leave_one_score(engine: ArcadeDB) -> None:
    settings = only("novelty")
    assert set(preferences(_leaves(engine).table(), settings, NOW).tolist()) == {SPAN // 2}


# --- What is drawn, from what --------------------------------------------------------------------------------------


def test_all_that_may_go_is_in_each_draw_however_low_its_score(engine: ArcadeDB) -> None:
    store = row_of_leaves(engine, 5, only("goal"))
    goal = {ident: place * 250_000 for place, ident in enumerate(store.memories)}
    plan, given_ = looked(replace(store, goal=goal), target=3 * WEIGHT)
    assert [action.id for action in plan.actions] == list(store.memories)[:2]
    # Equal weights: how many have to go is known beforehand, and one draw gives them all.
    assert [len(scores) for scores in given_] == [5]
    assert account(plan).choices == 2


def test_neighbours_lead_to_plans_that_differ_in_nothing_but_who_goes(engine: ArcadeDB) -> None:
    """No number that content had a part in is in a plan: what is said of a memory is the same on both stores."""
    store = row_of_leaves(engine, 4, only(None))
    first = next(iter(store.memories))
    plans = [
        looked(replace(store, sensitive={ident: level for ident in store.memories if ident == first}), target=0)[0]
        for level in (0, MILLION)
    ]
    said = [{action.id: replace(action, reason="") for action in plan.actions} for plan in plans]
    assert said[0] == said[1]
    for plan in plans:
        assert {action.score for action in plan.actions} == {0}
        names = {text.partition("=")[0] for action in plan.actions for text in action.features}
        assert not {name for name in names if name in {"utility", "penalty", "sensitivity"} or name.startswith("term_")}
    assert plans[0].parameters == plans[1].parameters
    assert plans[0].bound == plans[1].bound


def test_what_is_superseded_goes_first_and_costs_nothing(engine: ArcadeDB) -> None:
    old = row_of_leaves(engine, 3, only("goal"), superseded_at=NOW)
    plan, given_ = looked(old, target=WEIGHT)
    assert [action.rule for action in plan.actions] == ["superseded", "superseded"]
    assert [action.id for action in plan.actions] == list(old.memories)[:2]
    assert not given_
    assert not plan.controls


def test_where_all_have_to_go_there_is_no_choice_to_pay_for(engine: ArcadeDB) -> None:
    store = row_of_leaves(engine, 3, only("goal"))
    plan, given_ = looked(store, target=0)
    assert len(plan.actions) == 3
    assert not given_
    assert not plan.controls
    assert "all of the 3 that may go have to" in plan.actions[0].reason


def test_no_seed_reaches_the_noise(engine: ArcadeDB) -> None:
    store = row_of_leaves(engine, 40, only("goal"))
    plans = {PrivatePolicy().plan(store, target=39 * WEIGHT, seed=1).actions[0].id for _ in range(25)}
    assert len(plans) > 5


# --- The account ---------------------------------------------------------------------------------------------------


def test_each_choice_costs_its_epsilon_times_the_group(engine: ArcadeDB) -> None:
    settings = only("goal", privacy__epsilon_per_choice=0.25, privacy__group_size=4)
    store = row_of_leaves(engine, 6, settings, sessions=("a", "b", None))
    plan, _ = looked(store, target=4 * WEIGHT)
    found = account(plan)
    assert cost_of(settings.privacy) == NANO
    assert (found.spent, found.choices, found.uniform) == (2 * NANO, 2, 0)
    assert found.conversations == {"digest of a": 2 * NANO, "digest of b": 2 * NANO}
    assert "privacy.spent=2.000000000" in plan.parameters
    assert plan.notes == ("2 by noisy max, which spent an epsilon of 2",)


def test_what_was_spent_before_counts(engine: ArcadeDB) -> None:
    settings = only("goal", privacy__epsilon_per_choice=0.5, privacy__epsilon_budget=2)
    store = row_of_leaves(engine, 8, settings)
    first, _ = looked(store, target=5 * WEIGHT)
    second, given_ = looked(replace(store, controls=dict(first.controls)), target=5 * WEIGHT)
    assert account(second).spent == 2 * NANO
    assert (account(second).choices, account(second).uniform) == (4, 2)
    assert [set(scores) == {SPAN // 2} for scores in given_] == [False, True]
    third, given_ = looked(replace(store, controls=dict(second.controls)), target=5 * WEIGHT)
    assert account(third).spent == 2 * NANO
    assert account(third).uniform == 5
    assert [set(scores) for scores in given_] == [{SPAN // 2}]
    assert third.weight_after == 5 * WEIGHT


def test_a_budget_that_lasts_for_part_of_a_pass_pays_for_that_part(engine: ArcadeDB) -> None:
    store = row_of_leaves(engine, 8, only("goal", privacy__epsilon_per_choice=1, privacy__epsilon_budget=2.5))
    plan, _ = looked(store, target=3 * WEIGHT)
    assert (account(plan).spent, account(plan).choices, account(plan).uniform) == (2 * NANO, 2, 3)


def test_a_conversation_that_has_spent_its_budget_is_not_looked_at(engine: ArcadeDB) -> None:
    settings = only("goal", privacy__epsilon_per_choice=1, privacy__conversation_epsilon_budget=2)
    store = row_of_leaves(engine, 6, settings, sessions=("a", "b"))
    goal = {ident: place * 100_000 for place, ident in enumerate(store.memories)}
    spent = Account(key="digest of ", conversations={"digest of a": 2 * NANO}, spent=2 * NANO)
    given_to = replace(store, goal=goal, controls={CONTROL: spent.to_json()})
    plan, given_ = looked(given_to, target=5 * WEIGHT)
    assert [scores[place] for scores in given_ for place in (0, 2, 4)] == [SPAN // 2] * 3
    assert len({scores[place] for scores in given_ for place in (1, 3, 5)}) == 3
    assert account(plan).conversations == {"digest of a": 2 * NANO, "digest of b": NANO}
    # Its content changes nothing any more.
    changed = replace(given_to, goal=goal | dict.fromkeys(list(goal)[::2], MILLION))
    assert looked(changed, target=5 * WEIGHT)[1] == given_


def test_a_pass_is_cut_where_a_conversations_budget_ends(engine: ArcadeDB) -> None:
    settings = only("goal", privacy__epsilon_per_choice=1, privacy__conversation_epsilon_budget=2)
    store = row_of_leaves(engine, 8, settings, sessions=("a", None))
    plan, given_ = looked(store, target=3 * WEIGHT)
    assert account(plan).conversations == {"digest of a": 2 * NANO}
    assert account(plan).spent == 5 * NANO
    assert len(given_) == 2


def test_the_conversation_of_an_active_task_pays_for_the_goal_and_takes_it_back_when_it_is_spent(
    engine: ArcadeDB,
) -> None:
    settings = only("goal", privacy__epsilon_per_choice=1, privacy__conversation_epsilon_budget=1)
    tasks = row_of_leaves(engine, 4, settings, sessions=("a", "b", "b", "b"), kind=Kind.TASK)
    goal = {ident: place * 100_000 for place, ident in enumerate(tasks.memories)}
    first = next(iter(tasks.memories))

    class WithTask(Neighbour):
        """The first of them is the goal, and may not go."""

        def table(self, *, linked: bool = False) -> Any:
            found = Neighbour.table(self, linked=linked)
            own = np.array([ident == first for ident in found.ids])
            return replace(found, columns={**found.columns, "active": own, "open": ~own})

    store = WithTask(engine, tasks.tenant, tasks.memories, tasks.bases, settings, goal=goal)
    plan, given_ = looked(store, target=3 * WEIGHT)
    assert account(plan).conversations == {"digest of a": NANO, "digest of b": NANO}
    assert len(set(given_[0])) == 3
    only_the_task = Account(key="digest of ", conversations={"digest of a": NANO}, spent=NANO)
    after = replace(store, controls={CONTROL: only_the_task.to_json()})
    plan, given_ = looked(after, target=3 * WEIGHT)
    assert len(set(given_[0])) == 1, "similarity to a goal whose conversation has spent its budget takes no part"
    assert account(plan).conversations == {"digest of a": NANO, "digest of b": NANO}


@pytest.mark.parametrize("values", [{"privacy__epsilon_budget": 1}, {"privacy__conversation_epsilon_budget": 1}])
def test_who_asked_to_be_refused_is(engine: ArcadeDB, values: dict[str, Any]) -> None:
    settings = only("goal", privacy__epsilon_per_choice=1, privacy__when_spent="refuse", **values)
    store = row_of_leaves(engine, 6, settings, sessions=("a",))
    plan, _ = looked(store, target=5 * WEIGHT)
    assert account(plan).spent == NANO
    with pytest.raises(PrivacyBudgetExhausted, match=r"is spent, .*privacy.when_spent=uniform"):
        looked(replace(store, controls=dict(plan.controls)), target=5 * WEIGHT)


# --- Settings and names --------------------------------------------------------------------------------------------


def test_it_stands_apart_from_the_policies_whose_plans_repeat() -> None:
    assert "private" not in POLICY_NAMES
    assert load_policy("private").name == "private"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"policy.name": "private", "partitions.mode": "fixed"}, r"private needs partitions.mode: off"),
        ({"policy.name": "private", "policy.guardrail": 0.1}, r"private needs policy.guardrail: null"),
        (
            {"policy.name": "private", "policy.evict_to": "latent", "latent_budget": 9},
            r"private needs latent_budget: null",
        ),
        (
            {"policy.name": "private", "policy.review": "all", "latent_budget": 9},
            r"private needs latent_budget: null",
        ),
        ({"policy.name": "private", "policy.review": "sensitive"}, r"private needs policy.review: off or all"),
        ({"tiered.top": "private"}, r"cannot be one of several policies"),
        ({"adaptive.arms": "fifo, private"}, r"cannot be one of several policies"),
    ],
)
def test_settings_that_it_does_not_go_with_are_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidConfig, match=words):
        check_settings(Settings().with_values(values))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("privacy.epsilon_per_choice", 0),
        ("privacy.epsilon_per_choice", -1),
        ("privacy.epsilon_per_choice", float("nan")),
        ("privacy.epsilon_budget", -0.1),
        ("privacy.group_size", 0),
        ("privacy.group_size", 1.5),
        ("privacy.when_spent", "stop"),
        ("privacy.epsilon", 1),
    ],
)
def test_settings_that_make_no_sense_are_refused(name: str, value: object) -> None:
    with pytest.raises(InvalidConfig, match=name.partition(".")[0]):
        Settings().with_values({name: value})


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "find_spec", lambda _: None)
    with pytest.raises(InvalidConfig, match=r"pip install 'marskg\[dp\]'"):
        load_policy("private")


def test_a_view_without_keys_is_a_fault_of_the_program(engine: ArcadeDB) -> None:
    store = row_of_leaves(engine, 2, only("goal"))

    class Blind:
        """A view of a store that cannot tell conversations."""

        def __getattr__(self, name: str) -> Any:
            if name == "conversation":
                raise AttributeError(name)
            return getattr(store, name)

    with pytest.raises(RuntimeError, match="without keys of conversations"):
        PrivatePolicy().plan(Blind(), target=WEIGHT)
