"""What a plan says and covers: reasons, features, digest, ranks, exclusion, grace, marks, and no content."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from scipy import stats

from marskg.clock import DAY_MS, SeededSource
from marskg.config import Settings
from marskg.errors import InvalidConfig
from marskg.ontology.vocabulary import Kind, Tier
from marskg.policies.core.policy import plan_digest
from marskg.policies.registry import POLICY_NAMES, load_policy
from marskg.store.rows.index_gaps import WORTH_SKIPPING, Gap, IndexGaps
from marskg.store.rows.order_keys import Access, exp_position
from marskg.store.rows.read_statistics import Usage
from tests.support.policy_graph import NOW, Graph, Node, ids, store

if TYPE_CHECKING:
    from marskg.store.engine.arcadedb import ArcadeDB


def graph(engine: ArcadeDB, *nodes: Node, **settings: object) -> Graph:
    made = Graph(engine, {node.id: node for node in nodes}, settings=Settings().with_values(settings))
    store(made)
    return made


def ladder(count: int, **common: object) -> list[Node]:
    """Return nodes of equal weight, each a day younger than the one before."""
    return [
        Node(f"n{i}", created=NOW - (count - i) * DAY_MS, last=NOW - (count - i) * DAY_MS, sequence=i + 1, **common)  # type: ignore[arg-type]
        for i in range(count)
    ]


def test_the_names_are_those_of_the_reference() -> None:
    simple = ("fifo", "lru", "priority-decay", "random-drop", "randomised-tie-break")
    assert (
        tuple(
            sorted(
                (*simple, "adaptive", "density", "greedy", "hybrid", "reflection-summary", "removal-priority", "tiered")
            )
        )
        == POLICY_NAMES
    )


def test_an_unknown_policy_is_refused_with_what_there_is() -> None:
    with pytest.raises(
        InvalidConfig, match=r"no policy 'fofi'; use adaptive, density, fifo, .* path of a \.cypher file"
    ):
        load_policy("fofi")


# --- The action --------------------------------------------------------------------------------------------------


def test_an_action_says_rule_features_score_and_reason(engine: ArcadeDB) -> None:
    made = graph(engine, Node("a", Kind.TASK, 40, NOW - 30 * DAY_MS, NOW - 10 * DAY_MS, 5, 1))
    (action,) = load_policy("priority-decay").plan(made, target=0).actions
    features = dict(text.split("=") for text in action.features)
    assert (action.action, action.tier_after, action.kind, action.weight) == ("evict", Tier.TOMBSTONE, Kind.TASK, 40)
    assert action.rule == "priority-decay"
    assert float(features["age_days"]) == 30
    assert float(features["recency"]) == pytest.approx(0.794534, abs=1e-6)
    assert float(features["frequency"]) == 0.5
    assert float(features["type_weight"]) == 1
    value = 0.4 * 1 + 0.4 * float(features["recency"]) + 0.2 * 0.5
    assert float(features["importance"]) == pytest.approx(value, abs=1e-6)
    assert float(features["density"]) == pytest.approx(value / 40, abs=1e-6)
    # The score is importance per 1,000 tokens in 1e-6.
    assert action.score == pytest.approx(value / 40 * 1e9, rel=3e-6)
    assert action.reason == (
        "lowest importance per token of all that may go: 0.8178 over 40 tokens, unread for 10 days"
    )


@pytest.mark.parametrize("name", POLICY_NAMES)
def test_superseded_memories_are_first_in_line(engine: ArcadeDB, name: str) -> None:
    nodes = ladder(6)
    nodes[5] = replace(nodes[5], superseded_at=NOW - 3 * DAY_MS, times=100, last=NOW)
    plan = load_policy(name).plan(graph(engine, *nodes), target=50)
    assert ids(plan) == ["n5"]
    assert plan.actions[0].rule == "superseded"
    assert plan.actions[0].reason == "superseded 3 days ago by a newer value, so first in line"


@pytest.mark.parametrize("name", POLICY_NAMES)
def test_a_base_goes_only_after_all_that_depends_on_it_and_says_so(engine: ArcadeDB, name: str) -> None:
    nodes = ladder(4)
    nodes = [nodes[0], replace(nodes[1], bases=("n0",)), replace(nodes[2], bases=("n0", "n1")), nodes[3]]
    plan = load_policy(name).plan(graph(engine, *nodes), target=0)
    order = ids(plan)
    assert order.index("n2") < order.index("n1") < order.index("n0")
    assert plan.actions[order.index("n0")].reason.endswith("nothing that keeps its content depends on it any more")
    assert not plan.actions[order.index("n2")].reason.endswith("any more")


def test_a_freed_base_takes_its_own_place_in_the_order(engine: ArcadeDB) -> None:
    # n0 is the oldest, freed by n1; it goes before n2 although n2 was a leaf all along.
    nodes = ladder(4)
    nodes[1] = replace(nodes[1], bases=("n0",))
    assert ids(load_policy("fifo").plan(graph(engine, *nodes), target=0)) == ["n1", "n0", "n2", "n3"]


@pytest.mark.parametrize("name", POLICY_NAMES)
def test_excluded_and_protected_memories_stay_with_what_they_need(engine: ArcadeDB, name: str) -> None:
    nodes = ladder(6)
    nodes[2] = replace(nodes[2], bases=("n0",))
    nodes[3] = replace(nodes[3], bases=("n1",), guarded=True)
    plan = load_policy(name).plan(graph(engine, *nodes), target=0, exclude=frozenset({"n2"}))
    assert set(ids(plan)) == {"n4", "n5"}
    assert plan.weight_after == 40


@pytest.mark.parametrize("name", POLICY_NAMES)
def test_a_plan_within_the_target_does_nothing(engine: ArcadeDB, name: str) -> None:
    plan = load_policy(name).plan(graph(engine, *ladder(3)), target=30)
    assert (plan.actions, plan.freed_tokens, plan.bound, plan.marks) == ((), 0, 0.0, ())


def test_tenants_do_not_meet(engine: ArcadeDB) -> None:
    one, other = graph(engine, *ladder(3)), graph(engine, *ladder(5))
    for name in POLICY_NAMES:
        assert len(load_policy(name).plan(one, target=0).actions) == 3
        assert len(load_policy(name).plan(other, target=0).actions) == 5


# --- Where it goes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{"policy.evict_to": "latent"}, {"policy.grace": "7d"}])
def test_what_is_archived_keeps_its_content(engine: ArcadeDB, settings: dict[str, object]) -> None:
    nodes = ladder(3)
    nodes[1] = replace(nodes[1], bases=("n0",))
    plan = load_policy("fifo").plan(graph(engine, *nodes, **settings), target=0)
    assert [(action.id, action.action, action.tier_after) for action in plan.actions] == [
        ("n1", "archive", Tier.LATENT),
        ("n0", "archive", Tier.LATENT),
        ("n2", "archive", Tier.LATENT),
    ]


@pytest.mark.parametrize("name", POLICY_NAMES)
def test_what_only_latent_memories_need_is_archived_before_a_write_is_refused(engine: ArcadeDB, name: str) -> None:
    nodes = ladder(4)
    nodes[2] = replace(nodes[2], bases=("n0",), tier=Tier.LATENT)
    made = graph(engine, *nodes)
    enough = load_policy(name).plan(made, target=10)
    assert {action.id for action in enough.actions} == {"n1", "n3"}
    plan = load_policy(name).plan(made, target=0)
    assert plan.weight_after == 0
    last = plan.actions[-1]
    assert (last.id, last.action, last.tier_after, last.rule) == ("n0", "archive", Tier.LATENT, "stranded")
    assert "archived beside them" in last.reason


# --- The digest --------------------------------------------------------------------------------------------------


def test_the_digest_covers_what_is_done_to_which_state(engine: ArcadeDB) -> None:
    made = graph(engine, *ladder(4))
    plan = load_policy("fifo").plan(made, target=20)
    assert plan.digest == plan_digest(plan)
    changes: dict[str, Any] = {
        "policy": "lru",
        "parameters": ("x=1",),
        "tenant": "other",
        "budget": 21,
        "sequence": 1001,
        "weight_before": 41,
        "weight_after": 21,
        "actions": plan.actions[::-1],
    }
    assert all(plan_digest(replace(plan, **{name: value})) != plan.digest for name, value in changes.items())


@pytest.mark.parametrize(
    "edited",
    [
        {"action": "archive"},
        {"tier_after": Tier.LATENT},
        {"rule": "superseded"},
        {"reason": "its owner asked for it, 4 days ago"},
        {"kind": Kind.TASK},
        {"weight": 11},
        {"sequence": 9},
    ],
    ids=lambda edited: next(iter(edited)),
)
def test_the_digest_covers_all_of_an_action_but_its_statistics(engine: ArcadeDB, edited: dict[str, Any]) -> None:
    plan = load_policy("fifo").plan(graph(engine, *ladder(4)), target=20)
    changed = replace(plan, actions=(replace(plan.actions[0], **edited), *plan.actions[1:]))
    assert plan_digest(changed) != plan.digest


def test_the_digest_covers_the_shares_of_stages(engine: ArcadeDB) -> None:
    plan = load_policy("hybrid").plan(graph(engine, *ladder(4)), target=20)
    assert plan_digest(replace(plan, stages=())) != plan_digest(plan) == plan.digest


def test_the_digest_leaves_access_statistics_out(engine: ArcadeDB) -> None:
    made = graph(engine, *ladder(4))
    plan = load_policy("fifo").plan(made, target=20)
    read = {node_id: replace(node, last=NOW, times=7) for node_id, node in made.nodes.items()}
    again = Graph(engine, read)
    store(again)
    again_plan = load_policy("fifo").plan(again, target=20)
    assert again_plan.realised_loss != plan.realised_loss
    assert plan_digest(replace(again_plan, tenant=plan.tenant)) == plan.digest


# --- Hysteresis --------------------------------------------------------------------------------------------------


def test_the_next_in_line_are_marked_once(engine: ArcadeDB) -> None:
    nodes = ladder(20)
    nodes[3] = replace(nodes[3], marked=Access(nodes[3].last, 0))
    plan = load_policy("priority-decay").plan(graph(engine, *nodes), target=180)
    assert ids(plan) == ["n0", "n1"]
    assert plan.marks == ("n2",)
    assert not load_policy("fifo").plan(graph(engine, *nodes), target=180).marks


def test_a_marked_memory_keeps_its_place_in_priority_decay_alone(engine: ArcadeDB) -> None:
    nodes = ladder(4)
    # n0 was read just now, by less than the margin would ask for.
    nodes[0] = replace(nodes[0], marked=Access(nodes[0].last, 0), last=NOW, times=1)
    made = graph(engine, *nodes)
    assert ids(load_policy("priority-decay").plan(made, target=30)) == ["n0"]
    assert ids(load_policy("lru").plan(made, target=30)) == ["n1"]


# --- Random-Drop -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_each_leaf_is_equally_likely_and_the_seed_is_recorded(engine: ArcadeDB) -> None:
    counts = dict.fromkeys((f"n{i}" for i in range(8)), 0)
    policy = load_policy("random-drop")
    graphs = []
    for seed in range(800):
        source = SeededSource(seed)
        # Old and new, heavy and light, read and unread: nothing but chance may count.
        nodes = [replace(node, weight=1 + 9 * i, times=i) for i, node in enumerate(ladder(8))]
        placed = [replace(node, position=exp_position(source, 0)) for node in nodes]
        graphs.append(Graph(engine, {node.id: node for node in placed}))
    store(*graphs)
    for seed, made in enumerate(graphs):
        plan = policy.plan(made, target=made.weight - 1, seed=seed)
        assert plan.seed == seed
        counts[ids(plan)[0]] += 1
    assert stats.chisquare(list(counts.values())).pvalue > 0.001
    assert stats.chisquare([*list(counts.values())[:-1], 300]).pvalue < 1e-9, "the same test finds a favourite"


def test_places_of_freed_bases_come_from_the_seed(engine: ArcadeDB) -> None:
    source = SeededSource(4)
    nodes = [replace(node, position=exp_position(source, 0)) for node in ladder(30)]
    nodes[7] = replace(nodes[7], bases=("n0", "n1", "n2"))
    made = graph(engine, *nodes)
    policy = load_policy("random-drop")
    plans = {seed: policy.plan(made, target=0, seed=seed) for seed in range(6)}
    assert len({tuple(ids(plan)) for plan in plans.values()}) > 1
    assert all(policy.plan(made, target=0, seed=seed) == plan for seed, plan in plans.items())
    assert policy.plan(made, target=0).seed == made.sequence


def test_a_seed_draws_all_anew_and_none_takes_the_stored_places(engine: ArcadeDB) -> None:
    source = SeededSource(5)
    made = graph(engine, *(replace(node, position=exp_position(source, 0)) for node in ladder(8)))
    policy = load_policy("random-drop")
    plans = [ids(policy.plan(made, target=0, seed=seed)) for seed in range(40)]
    assert len({tuple(plan) for plan in plans}) == len(plans), "40 seeds of 8! orders give one twice at 2 %"
    assert len({plan[0] for plan in plans}) > 4
    stored = sorted(made.nodes.values(), key=lambda node: (node.position, node.sequence))
    assert ids(policy.plan(made, target=0)) == [node.id for node in stored]
    assert ids(policy.plan(made, target=0, seed=0)) == plans[0]


@pytest.mark.slow
def test_each_leaf_is_equally_likely_over_the_seeds_of_one_store(engine: ArcadeDB) -> None:
    source = SeededSource(6)
    made = graph(engine, *(replace(node, position=exp_position(source, 0)) for node in ladder(8)))
    counts = dict.fromkeys(made.nodes, 0)
    policy = load_policy("random-drop")
    for seed in range(800):
        counts[ids(policy.plan(made, target=made.weight - 1, seed=seed))[0]] += 1
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


# --- Cost --------------------------------------------------------------------------------------------------------


def lived(count: int, days: float) -> list[Node]:
    """Return memories of every kind and weight that came and were read over some days."""
    chance, source = random.Random(count), SeededSource(count)
    nodes = []
    for i in range(count):
        created = NOW - round((count - i) / count * days * DAY_MS)
        nodes.append(
            Node(
                f"n{i}",
                kind=chance.choices(list(Kind), [12, 6, 1, 1])[0],
                weight=round(chance.lognormvariate(3, 0.5)) + 3,
                created=created,
                last=created if chance.random() < 0.6 else chance.randint(created, NOW),
                times=chance.choice([0, 0, 0, 1, 2, 5]),
                sequence=i + 1,
                position=exp_position(source, 0),
            )
        )
    return nodes


@pytest.mark.slow
@pytest.mark.parametrize("days", [0, 7, 365])
def test_a_trigger_reads_no_more_of_a_larger_store(engine: ArcadeDB, days: int) -> None:
    small, large = (graph(engine, *lived(count, days)) for count in (400, 4000))
    for name in POLICY_NAMES:
        rows = []
        for stored in (small, large):
            made = replace(stored, rows=0, empty=IndexGaps(), usage=Usage())
            assert load_policy(name).plan(made, target=made.weight - 100).actions, name
            rows.append(made.rows)
        # Ten times as many memories are a page or two more.
        assert rows[1] <= 2 * rows[0] + 64, name
        assert rows[1] <= 250, name


def test_a_scan_is_caught(engine: ArcadeDB) -> None:
    made = graph(engine, *lived(400, 7))
    made.run("MATCH (m:Memory {tenant: $tenant}) RETURN m.id AS id", {"tenant": made.tenant})
    assert made.rows == 400, "the view counts what is read"


@pytest.mark.parametrize(
    ("name", "key"),
    [("fifo", "fifoKey"), ("lru", "lruKey"), ("priority-decay", "decayKey"), ("random-drop", "randomKey")],
)
def test_what_the_view_calls_empty_is_not_read(engine: ArcadeDB, name: str, key: str) -> None:
    nodes = [replace(node, position=number) for number, node in enumerate(ladder(5))]
    made = graph(engine, *nodes)
    low, high = (made.keys(node)[key] for node in nodes[:3:2])
    made.empty.add(key, Gap(low, high, WORTH_SKIPPING))
    # The range is not empty in truth: that n0 and n1 are passed over shows that nobody looked.
    assert ids(load_policy(name).plan(made, target=40)) == ["n2"]
