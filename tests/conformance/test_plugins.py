"""A policy of another package that breaks an invariant is stopped by the executor and named, on every engine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import BudgetInfeasible, InvalidConfig, InvariantError, StalePlan
from marskg.ontology.vocabulary import Tier
from tests.support.plugins import install

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

LONG: dict[str, Any] = {"kind": "semantic", "memory_class": "canonical"}
#: FIFO's plan, with one thing wrong; ``changed`` is what the policy returns.
MODULE = """
from dataclasses import replace
from marskg.policies.builtin.fifo import FIFO
from marskg.policies.core.policy import plan_digest

class Policy:
    name = "rogue"
    def plan(self, view, **options):
        plan = FIFO.plan(view, **options)
        if not plan.actions:
            return replace(plan, policy=self.name)
        rows = view.run("MATCH (m:Memory) WHERE m.tenant = $tenant AND {which} "
                        "RETURN m.id AS id, m.weight AS weight", {{"tenant": view.tenant}})
        row = rows[0]
        actions = ({actions})
        freed = sum(action.weight for action in actions)
        changed = replace(plan, policy=self.name, actions=actions, weight_after=plan.weight_before - freed{more})
        return replace(changed, digest=plan_digest(changed))
"""
VICTIM = "replace(plan.actions[0], id=row['id'], weight=row['weight']),"
ROGUES = {
    "takes what is pinned": ("m.guards > 0", VICTIM, "", "is protected by a pin"),
    "takes a base before what depends on it": ("m.blockers > 0", VICTIM, "", "still has dependents with content"),
    "takes one twice": ("m.guards < 1", "*plan.actions[:1], *plan.actions", "", "is planned twice"),
    "says that it frees more": ("m.guards < 1", "*plan.actions,", " - 1", "miscounts"),
    "hides what its victims weigh": (
        "m.guards < 1",
        "*(replace(action, weight=action.weight + 1) for action in plan.actions),",
        "",
        "miscounts",
    ),
}


def filled(memory: AgentMemory) -> None:
    memory.remember("Ana is allergic to penicillin", pin=True, **LONG)
    flat = memory.remember("the flat is in the Rua das Flores", **LONG)
    memory.remember("its rent is 900 euros a month", depends_on=[flat.id], **LONG)
    for number in range(6):
        memory.remember(f"turn {number} about gardens", kind="episodic", session="s", memory_class="canonical")


def rogue(monkeypatch: pytest.MonkeyPatch, folder: Path, number: int, which: str, actions: str, more: str) -> None:
    """Install the policy ``rogue``; each test has a module of its own name, as imports are kept."""
    source = MODULE.format(which=which, actions=actions, more=more)
    name = f"rogue_{number}_{abs(hash(str(folder)))}"
    install(monkeypatch, folder, {"rogue": f"{name}:Policy"}, **{name: source})


@pytest.mark.parametrize("case", ROGUES)
def test_a_policy_that_breaks_an_invariant_is_stopped_and_named(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    which, actions, more, says = ROGUES[case]
    rogue(monkeypatch, tmp_path, list(ROGUES).index(case), which, actions, more)
    memory = stores.open(policy__name="fifo", budget=1_000)
    filled(memory)
    before = (memory.stats(), [found.tier for found in memory.memories()])
    plan = memory.plan(policy="rogue", budget=memory.weight - 7)
    with pytest.raises(InvariantError, match=f"policy 'rogue' .*{says}.*nothing was changed"):
        memory.forget(plan)
    assert (memory.stats(), [found.tier for found in memory.memories()]) == before


def test_a_trigger_with_such_a_policy_refuses_the_write_and_keeps_the_store(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rogue(monkeypatch, tmp_path, 99, "m.guards > 0", f"{VICTIM} *plan.actions,", "")
    memory = stores.open(policy__name="fifo", budget=1_000)
    filled(memory)
    memory.settings.set(None, {"policy.name": "rogue", "budget": memory.weight})
    before = (memory.stats(), memory.weight)
    with pytest.raises(InvariantError, match="policy 'rogue' breaks an invariant"):
        memory.remember("one note more than there is room for", **LONG)
    assert (memory.stats(), memory.weight) == before
    assert memory.verify().ok


WRITES = """
from dataclasses import replace
from marskg.policies.builtin.fifo import FIFO

class Policy:
    name = "rogue"
    def plan(self, view, **options):
        view.run("MATCH (m:Memory) SET m.content = 'owned'", {})
        return replace(FIFO.plan(view, **options), policy=self.name)
"""
TAKES_THE_NEW = """
from dataclasses import replace
from marskg.policies.builtin.fifo import FIFO
from marskg.policies.core.policy import plan_digest

class Policy:
    name = "rogue"
    def plan(self, view, *, target, exclude=frozenset(), seed=None):
        rows = view.run("MATCH (m:Memory) WHERE m.tenant = $tenant RETURN m.id AS id", {"tenant": view.tenant})
        plan = FIFO.plan(view, target=target, exclude=frozenset(row["id"] for row in rows) - exclude, seed=seed)
        plan = replace(plan, policy=self.name)
        return replace(plan, digest=plan_digest(plan))
"""


@pytest.mark.parametrize(
    ("module", "says"), [(WRITES, "does more than read"), (TAKES_THE_NEW, "which it was told to leave")]
)
def test_a_policy_neither_writes_nor_takes_what_is_being_written(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, says: str
) -> None:
    name = f"rogue_{abs(hash(module))}_{abs(hash(str(tmp_path)))}"
    install(monkeypatch, tmp_path, {"rogue": f"{name}:Policy"}, **{name: module})
    memory = stores.open(budget=40)
    memory.remember("turn about gardens and what grows in them in spring", memory_class="canonical")
    memory.settings.set(None, {"policy.name": "rogue"})
    before = {one.id: one.content for one in memory.memories()}
    with pytest.raises(InvariantError, match=says):
        memory.remember("another turn about gardens, which is long enough to need the room that is left " * 2)
    assert {one.id: one.content for one in memory.memories()} == before
    assert memory.verify().ok


def test_a_policy_that_stops_too_early_is_told_from_a_budget_that_is_too_small(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rogue(monkeypatch, tmp_path, 98, "m.guards < 1", "*plan.actions[:1],", "")
    memory = stores.open(policy__name="fifo", budget=1_000)
    filled(memory)
    with pytest.raises(InvariantError, match=r"policy 'rogue' stops at .* although more may go") as caught:
        memory.plan(policy="rogue", budget=20)
    assert not isinstance(caught.value, BudgetInfeasible)
    with pytest.raises(BudgetInfeasible, match="at least 7 tokens are protected"):
        memory.plan(policy="rogue", budget=1)


def test_a_sound_policy_of_another_package_governs_a_tenant(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rogue(monkeypatch, tmp_path, 100, "m.guards < 1", "*plan.actions,", "")
    memory = stores.open(policy__name="rogue", budget=60)
    for number in range(20):
        memory.remember(f"note number {number}", **LONG)
        assert memory.weight <= 60
    assert memory.verify().ok


def test_a_tenant_whose_policy_was_uninstalled_says_so(stores: Stores, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        rogue(patch, tmp_path, 101, "m.guards < 1", "*plan.actions,", "")
        memory = stores.open(policy__name="rogue", budget=20)
        memory.remember("a note", **LONG)
    again = stores.open(memory.tenant)
    with pytest.raises(InvalidConfig, match="no policy 'rogue'"):
        again.plan(budget=1)


@pytest.mark.parametrize("edited", [{"rule": "requested"}, {"reason": "its owner asked for it"}, {"tier": "latent"}])
def test_a_plan_that_was_edited_is_refused(stores: Stores, edited: dict[str, str]) -> None:
    memory = stores.open(policy__name="fifo", budget=1_000)
    filled(memory)
    plan = memory.plan(budget=memory.weight - 7)
    words: dict[str, Any] = {"tier_after": Tier(edited["tier"])} if "tier" in edited else edited
    with pytest.raises(StalePlan, match="was changed after it was made"):
        memory.forget(replace(plan, actions=(replace(plan.actions[0], **words), *plan.actions[1:])))
    assert memory.forget(plan).actions, "as it was made it is applied"


#: FIFO's plan with ``change`` made to it.
CHANGED = """
from dataclasses import replace
from marskg.policies.builtin.fifo import FIFO
from marskg.policies.core.policy import plan_digest

def first(plan, **changes):
    return replace(plan, actions=(replace(plan.actions[0], **changes), *plan.actions[1:]))

class Policy:
    name = "rogue"
    def plan(self, view, *, target, exclude=frozenset(), seed=None):
        plan = FIFO.plan(view, target=target, exclude=exclude, seed=seed)
        if plan.actions:
            plan = {change}
        return replace(plan, policy=self.name)
"""
UNSOUND = {
    "a reason that is no line": ("first(plan, reason='two' + chr(10) + 'lines of it')", "has a reason that is no line"),
    "a reason without end": ("first(plan, reason='long ' * 1000)", "has a reason that is no line"),
    "a reason that is no text": ("first(plan, reason=b'seven')", "has a reason that is no line"),
    "a rule that is none": ("first(plan, rule='A rule!')", "has an action or a rule that is none"),
    "a score that is no number": ("first(plan, score='high')", "has a score that is no whole number"),
    "a feature that is none": ("first(plan, features=('name=ana',))", "has features that are not"),
    "features without end": ("first(plan, features=('a=1',) * 100)", "has features that are not"),
    "what controllers learned": ("replace(plan, controls=(('tiered', '{}'),))", "has controls"),
    "parameters that are no lines": ("replace(plan, parameters=(1,))", "has parameters that are not"),
    "a bound that is none": ("replace(plan, bound=float('nan'))", "has a bound that is no number"),
    "everything": ("FIFO.plan(view, target=0, exclude=exclude)", "takes .* tokens more than its target"),
}


def changed(monkeypatch: pytest.MonkeyPatch, folder: Path, change: str) -> None:
    """Install the policy ``rogue`` that makes ``change`` to FIFO's plans."""
    name = f"rogue_{abs(hash(change))}_{abs(hash(str(folder)))}"
    install(monkeypatch, folder, {"rogue": f"{name}:Policy"}, **{name: CHANGED.format(change=change)})


@pytest.mark.parametrize("case", UNSOUND)
def test_a_plan_that_the_audit_could_not_carry_or_that_takes_too_much_is_refused(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    change, says = UNSOUND[case]
    changed(monkeypatch, tmp_path, change)
    memory = stores.open(policy__name="fifo", budget=1_000)
    filled(memory)
    with pytest.raises(InvariantError, match=f"policy 'rogue' of package other-people plans .* it {says}"):
        memory.plan(policy="rogue", budget=memory.weight - 7)
    memory.settings.set(None, {"policy.name": "rogue", "budget": memory.weight})
    before = (memory.stats(), memory.weight)
    with pytest.raises(InvariantError, match=r"policy 'rogue' .*nothing was changed"):
        memory.remember("one note more than there is room for", **LONG)
    assert (memory.stats(), memory.weight) == before


@pytest.mark.parametrize(
    "change",
    [
        "first(plan, reason='it says turn about gardens')",
        "first(plan, reason='somebody called penicillin and others')",
        "replace(plan, parameters=(*plan.parameters, 'said=penicillin'))",
        "first(plan, features=('penicillin=1.000000',))",
    ],
)
def test_what_memories_say_does_not_get_into_the_audit_through_a_plan(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    changed(monkeypatch, tmp_path, change)
    memory = stores.open(budget=1_000)
    # In a document, as a plan must take it: said by a user, a life may depend on it, and all else would go before it.
    memory.remember("Ana is allergic to penicillin", source_type="doc", **LONG)
    for number in range(6):
        memory.remember(f"it says turn about gardens {number}", kind="episodic", session="s", memory_class="canonical")
    plan = memory.plan(policy="rogue", budget=memory.weight - 8)
    assert "1 texts of the policy repeated words of a memory and were left out" in plan.notes
    memory.forget(plan)
    told = "".join(text for record in memory.audit.records() for text in record.details)
    assert "penicillin" not in told
    assert "turn about gardens" not in told
    assert memory.verify().ok
