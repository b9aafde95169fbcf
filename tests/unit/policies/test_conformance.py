"""The conformance suite passes every built-in policy, and each of its rules catches a policy that breaks it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from marskg.config import Settings
from marskg.errors import InvalidInput
from marskg.ontology.vocabulary import Tier
from marskg.policies.builtin.fifo import FIFO
from marskg.policies.conformance import RULES, check_conformance
from marskg.policies.core.policy import plan_digest
from marskg.policies.registry import POLICY_NAMES, load_policy

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.records import Plan
    from marskg.store.engine.arcadedb import ArcadeDB

STORES = 14
SETTINGS = {
    "defaults": Settings(),
    "archiving": Settings.from_mapping({"policy": {"evict_to": "latent"}}),
    "sharing": Settings.from_mapping(
        {"partitions": {"mode": "dual", "lifetimes": {"semantic": "20d", "task": "20d"}, "reserves": {"social": 0.2}}}
    ),
    "enumerating": Settings.from_mapping({"policy": {"enumeration": 1, "grace": "7d"}}),
}


@pytest.mark.parametrize("name", POLICY_NAMES)
@pytest.mark.parametrize(
    "settings", [pytest.param(name, marks=[] if name == "defaults" else pytest.mark.slow) for name in SETTINGS]
)
def test_a_built_in_policy_conforms(engine: ArcadeDB, name: str, settings: str) -> None:
    seed = 10_000 + 100 * POLICY_NAMES.index(name) + list(SETTINGS).index(settings)
    report = check_conformance(load_policy(name), stores=STORES, seed=seed, settings=SETTINGS[settings], engine=engine)
    assert report.ok, report.findings
    assert report.checked == STORES


class Wrong:
    """FIFO with its plans changed."""

    name = "fifo"

    def __init__(self, change: Callable[[Any, Plan], object], *, digest: bool = True) -> None:
        self.change, self.digest = change, digest

    def plan(self, view: Any, **options: Any) -> object:
        changed: Any = self.change(view, load_policy("fifo").plan(view, **options))
        return replace(changed, digest=plan_digest(changed)) if self.digest else changed


def _with(plan: Plan, *actions: Any) -> Plan:
    freed = sum(action.weight for action in actions)
    return replace(plan, actions=actions, weight_after=plan.weight_before - freed)


def _first(view: Any, plan: Plan, **changes: Any) -> Plan:
    del view
    return _with(plan, *(replace(action, **changes) for action in plan.actions[:1]), *plan.actions[1:])


def _take(view: Any, plan: Plan, idents: Any) -> Plan:
    """Return the plan with one more action, on the first of ``idents``."""
    taken = {action.id for action in plan.actions}
    found = [view.memories[ident] for ident in sorted(idents) if ident not in taken]
    if not found or not plan.actions:
        return plan
    one = found[0]
    extra = replace(plan.actions[0], id=one.id, kind=one.kind, weight=one.weight, sequence=one.sequence)
    return _with(plan, extra, *plan.actions)


def _latent(view: Any) -> list[str]:
    return [ident for ident, memory in view.memories.items() if memory.tier is not Tier.LIVE]


def _secret(_: Any, plan: Plan) -> Plan:
    return _first(_, plan, reason="it says: withheld ana 1")


WRONG: dict[str, list[Callable[[Any, Plan], object]]] = {
    "states-the-store": [
        lambda _, plan: replace(plan, tenant="another"),
        lambda _, plan: replace(plan, sequence=plan.sequence + 1),
        lambda _, plan: replace(plan, budget=plan.budget + 1),
    ],
    "takes-what-may-go": [
        lambda view, plan: _take(view, plan, view.protected & set(view.live)),
        lambda view, plan: _take(view, plan, _latent(view)),
        lambda _, plan: _with(plan, *plan.actions[:1], *plan.actions),
    ],
    "keeps-closure": [lambda _, plan: _with(plan, *plan.actions[::-1])],
    "describes-what-goes": [
        lambda view, plan: _first(view, plan, weight=1_000),
        lambda view, plan: _first(view, plan, tier_after=Tier.GONE),
    ],
    "adds-up": [lambda _, plan: replace(plan, weight_after=plan.weight_after - 1)],
    "takes-no-more": [lambda view, _: load_policy("fifo").plan(view, target=0)],
    "gets-to-the-target": [lambda _, plan: _with(plan, *plan.actions[:-1])],
    "bounds-its-loss": [
        lambda _, plan: replace(plan, bound=plan.realised_loss / 2 - 1e-6),
        lambda _, plan: replace(plan, bound=float("nan")),
    ],
    "explains-itself": [
        lambda view, plan: _first(view, plan, reason="old"),
        lambda view, plan: _first(view, plan, score=0.5),
        lambda view, plan: _first(view, plan, features=("age",)),
        _secret,
    ],
}


def test_every_rule_has_a_policy_that_breaks_it() -> None:
    assert set(WRONG) == set(RULES)


CASES = [(name, number) for name, changes in WRONG.items() for number in range(len(changes))]


@pytest.mark.parametrize(("name", "number"), CASES)
def test_a_policy_that_breaks_a_rule_is_caught(engine: ArcadeDB, name: str, number: int) -> None:
    seed = 1_000 + CASES.index((name, number))
    wrong: Any = Wrong(WRONG[name][number])
    report = check_conformance(wrong, stores=STORES, seed=seed, engine=engine)
    assert name in {finding.code for finding in report.findings}
    assert not report.ok


def test_a_policy_that_draws_without_its_seed_is_caught(engine: ArcadeDB) -> None:
    calls = iter(range(1_000_000))
    wrong: Any = Wrong(lambda _, plan: replace(plan, parameters=(*plan.parameters, f"call={next(calls)}")))
    report = check_conformance(wrong, stores=3, seed=3_000, engine=engine)
    assert "pure" in {finding.code for finding in report.findings}


def test_a_stale_digest_a_crash_and_no_plan_at_all_are_caught(engine: ArcadeDB) -> None:
    def crash(_view: Any, plan: Plan) -> object:
        return plan.actions[0]

    wrongs: dict[str, Any] = {
        "states-the-store": Wrong(lambda _, plan: replace(plan, digest="0"), digest=False),
        "fails": Wrong(crash),
        "no-plan": Wrong(lambda _view, _plan: None, digest=False),
    }
    for number, (code, wrong) in enumerate(wrongs.items()):
        report = check_conformance(wrong, stores=3, seed=4_000 + number, engine=engine)
        assert code in {finding.code for finding in report.findings}, code


class Made:
    """FIFO as a class that makes it, as an entry point may name one."""

    name = "fifo"

    def plan(self, view: Any, **options: Any) -> Plan:
        return FIFO.plan(view, **options)


def make() -> Made:
    return Made()


@pytest.mark.parametrize(
    ("given", "seed"), [(Made, 5_000), (make, 5_001), (Made(), 5_002)], ids=["class", "function", "object"]
)
def test_what_an_entry_point_may_name_may_be_checked(engine: ArcadeDB, given: Any, seed: int) -> None:
    report = check_conformance(given, stores=3, seed=seed, engine=engine)
    assert (report.checked, report.findings) == (3, ())


class Nameless:
    def plan(self, view: Any, **options: Any) -> Plan:
        return FIFO.plan(view, **options)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (Wrong, r"Wrong\(\) raises TypeError: give the policy itself, or a class or function that needs no argument"),
        (Nameless, "Nameless is no policy: it needs a method plan\\(\\) and a name"),
        (Nameless(), "a Nameless is no policy"),
        ("fifo", "a str is no policy"),
        (None, "a NoneType is no policy"),
    ],
    ids=["needs arguments", "class without name", "object without name", "a name", "nothing"],
)
def test_what_is_no_policy_is_refused_before_a_store_is_made(given: Any, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        check_conformance(given, stores=3)
