"""The conformance suite for policies: what every policy must do, whoever wrote it.

    from marskg.policies.conformance import check_conformance

    def test_my_policy_conforms() -> None:
        report = check_conformance(MyPolicy)
        assert report.ok, report.findings

Guarantees: plans are made over random stores (:mod:`marskg.policies.sample_stores`) with random targets and exclusions,
and each is held against every rule below; a finding names the rule, the store and the memory. Each rule stands alone
and reads the store's data, not the policy's. Equal arguments give equal reports.
Sources: semantics sections 4 (I1, I3, I9) and 7; MaRS eq. (4).
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from marskg.clock import SeededSource
from marskg.config import Settings
from marskg.errors import InvalidInput
from marskg.ontology.vocabulary import Tier
from marskg.policies.builtin.private import PrivatePolicy
from marskg.policies.core.policy import plan_digest
from marskg.policies.custom.plan_validation import excess
from marskg.policies.custom.plugins import FAULTS, made
from marskg.policies.sample_stores import MARKER, Chance, SampleStore, sample_stores
from marskg.records import Finding, Plan, Report
from marskg.store.engine.arcadedb import ArcadeDB
from marskg.store.statements.schema import migrate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from marskg.policies.core.policy import Policy
    from marskg.store.engine.protocol import Engine

_SHARES = (0, 30, 60, 90, 100)
_MIN_REASON = 10
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Trial:
    """One call of a policy: on which store, down to which weight, without touching what."""

    policy: Policy
    store: SampleStore
    target: int
    exclude: frozenset[str]
    seed: int


#: A rule yields what is wrong with a plan: where, and how to mend it.
Rule: TypeAlias = "Callable[[Trial, Plan], Iterator[tuple[str, str]]]"


def check_conformance(
    policy: Policy | Callable[[], Policy],
    *,
    stores: int = 40,
    seed: int = 2026,
    settings: Settings | None = None,
    engine: Engine | None = None,
) -> Report:
    """Return where ``policy`` breaks a rule, on ``stores`` random stores of up to fifteen memories.

    Args:
        policy: what the entry point names: the policy, or a class or function that makes it without arguments.
        stores: how many stores; each is planned on twice.
        seed: of the stores; another seed gives other ones.
        settings: of the tenants; the defaults if left out.
        engine: a prepared engine to write the stores to; an embedded one in a temporary folder if left out.

    Returns:
        A report with the number of stores; ``code`` of a finding is the name of the rule.

    Raises:
        InvalidInput: ``policy`` is no policy, or cannot be made without arguments.
    """
    checked = _made(policy)
    with ExitStack() as held:
        if engine is None:
            folder = held.enter_context(tempfile.TemporaryDirectory(prefix="marskg-conformance-"))
            engine = ArcadeDB(Path(folder))
            held.callback(engine.close)
            migrate(engine)
        found: list[Finding] = []
        for number, store in enumerate(sample_stores(engine, stores, seed, settings or Settings())):
            found += check_trial(_trial(checked, store, seed * 1_000_003 + number))
    return Report(stores, tuple(found))


def _made(given: Policy | Callable[[], Policy]) -> Policy:
    """Return the policy that was given, or that what was given makes."""
    called = str(getattr(given, "__name__", f"a {type(given).__name__}"))
    try:
        policy: Policy = made(given)
    except FAULTS as error:
        msg = (
            f"{called}() raises {type(error).__name__}: give the policy itself, or a class or function that needs no "
            "argument"
        )
        raise InvalidInput(msg) from error
    if not callable(getattr(policy, "plan", None)) or not isinstance(getattr(policy, "name", None), str):
        msg = f"{called} is no policy: it needs a method plan() and a name, see docs/how-to/write-a-policy.md"
        raise InvalidInput(msg)
    return policy


def _trial(policy: Policy, store: SampleStore, seed: int) -> Trial:
    chance = Chance(SeededSource(f"trial {seed}"))
    target = store.weight * chance.pick(_SHARES) // 100
    exclude = frozenset(ident for ident in store.memories if chance.percent(3))
    return Trial(policy, store, target, exclude, seed)


def check_trial(trial: Trial) -> Iterator[Finding]:
    """Yield where the policy breaks a rule on one store."""
    where = f"{trial.store.tenant}, target {trial.target} of {trial.store.weight} tokens"
    try:
        plan: object = _plan(trial)
        again: object = _plan(trial)
    except FAULTS as error:
        yield Finding("fails", where, f"plan() raises {type(error).__name__}: a policy has an answer for every store")
        return
    if not isinstance(plan, Plan):
        yield Finding("no-plan", where, f"plan() returns a {type(plan).__name__}: return a marskg.records.Plan")
        return
    # Noise of the operating system is the one exception that I9 makes.
    if plan != again and not isinstance(trial.policy, PrivatePolicy):
        yield Finding("pure", where, "two calls on one state give different plans: draw from the seed alone")
    for name, rule in RULES.items():
        for what, mend in rule(trial, plan):
            yield Finding(name, f"{where}: {what}", mend)


def _plan(trial: Trial) -> object:
    return trial.policy.plan(trial.store, target=trial.target, exclude=trial.exclude, seed=trial.seed)


# --- The rules -------------------------------------------------------------------------------------------------------


def _states_the_store(trial: Trial, plan: Plan) -> Iterator[tuple[str, str]]:
    """A plan says by whom, for whom and on which state it was made, with the digest over that."""
    wanted = {
        "policy": trial.policy.name,
        "tenant": trial.store.tenant,
        "budget": trial.target,
        "weight_before": trial.store.weight,
        "sequence": trial.store.sequence,
        "digest": plan_digest(plan),
    }
    for name, value in wanted.items():
        if getattr(plan, name) != value:
            yield name, f"the plan says {getattr(plan, name)!r}, not {value!r}: make it with plans.build_plan()"


def _takes_what_may_go(trial: Trial, plan: Plan) -> Iterator[tuple[str, str]]:
    """Only live memories go, each once, none that is protected or excluded (K; semantics section 4)."""
    live, protected = trial.store.live, trial.store.protected
    times = Counter(action.id for action in plan.actions)
    for ident, number in times.items():
        if ident not in live:
            yield ident, "it is not live: take live memories only"
        elif number > 1:
            yield ident, f"it is taken {number} times: take each memory once"
        elif ident in protected:
            yield ident, "it is protected (guards > 0): a policy keeps K"
        elif ident in trial.exclude:
            yield ident, "it is among exclude, as it is being written: leave it"


def _keeps_closure(trial: Trial, plan: Plan) -> Iterator[tuple[str, str]]:
    """A memory goes after all that depends on it with content; archived, after all live ones (I3)."""
    store = trial.store
    gone: set[str] = set()
    empty = {ident for ident, memory in store.memories.items() if memory.content is None}
    for action in plan.actions:
        archived = action.tier_after is Tier.LATENT
        for other, bases in store.bases.items():
            keeps = other not in empty and (not archived or store.memories[other].tier is Tier.LIVE)
            if action.id in bases and keeps and other not in gone:
                yield action.id, f"{other} still depends on it: take dependents first (policies.leaves.Leaves does)"
        if archived:
            gone.add(action.id)
        else:
            empty.add(action.id)
            gone.add(action.id)


def _describes_what_goes(trial: Trial, plan: Plan) -> Iterator[tuple[str, str]]:
    """An action carries what is known of its memory, and the tier that the settings send it to."""
    evicted = Tier.LATENT if trial.store.settings.policy.evict_to is Tier.LATENT else Tier.TOMBSTONE
    for action in plan.actions:
        memory = trial.store.memories.get(action.id)
        if memory is None:
            continue
        if (action.kind, action.weight, action.sequence) != (memory.kind, memory.weight, memory.sequence):
            yield action.id, "its kind, weight or sequence is not the memory's: make actions with plans.build_plan()"
        if action.tier_after not in {evicted, Tier.LATENT}:
            yield action.id, f"it goes to {action.tier_after}, the settings say {evicted}: see plans.archives()"


def _adds_up(trial: Trial, plan: Plan) -> Iterator[tuple[str, str]]:
    """What a plan frees is what its actions weigh; a tenant within its target loses nothing."""
    freed = sum(action.weight for action in plan.actions)
    if plan.weight_after != plan.weight_before - freed:
        yield "weight_after", f"it is {plan.weight_after}; {plan.weight_before} less {freed} is another number"
    if plan.actions and trial.store.weight <= trial.target:
        yield "actions", "the tenant is within the target already: take nothing then"


def _takes_no_more(trial: Trial, plan: Plan) -> Iterator[tuple[str, str]]:
    """A plan stops at its target: below it by two of its heaviest steps at most, or by little."""
    if trial.store.weight > trial.target:
        found = excess(plan, weight=trial.store.weight, target=trial.target)
        if found is not None:
            yield "weight_after", f"it {found}"


def _gets_to_the_target(trial: Trial, plan: Plan) -> Iterator[tuple[str, str]]:
    """A plan ends above its target only where nothing more may go."""
    floor = trial.store.floor(trial.exclude)
    if plan.weight_after > max(trial.target, floor):
        yield (
            "weight_after",
            f"it stops at {plan.weight_after} tokens, {floor} may be reached: go on until nothing but K is left",
        )


def _bounds_its_loss(_trial: Trial, plan: Plan) -> Iterator[tuple[str, str]]:
    """The realised loss is not above the bound, and the bound is that of a finite L (MaRS eq. 4)."""
    numbers = (plan.realised_loss, plan.bound, plan.lipschitz)
    if not all(math.isfinite(number) and number >= 0 for number in numbers):
        yield "bound", "a loss, a bound or L is negative or not finite"
    elif plan.realised_loss > plan.bound * (1 + _TOLERANCE):
        yield "bound", f"the loss {plan.realised_loss:g} is above the bound {plan.bound:g}: derive L from what goes"


def _explains_itself(_trial: Trial, plan: Plan) -> Iterator[tuple[str, str]]:
    """Each action has a rule, a whole score and a reason in words; no content reaches a plan."""
    for action in plan.actions:
        score: object = action.score
        if len(action.reason) < _MIN_REASON or not action.rule:
            yield action.id, f"its reason or rule is missing: a reason has at least {_MIN_REASON} characters"
        if isinstance(score, bool) or not isinstance(score, int):
            yield action.id, "its score is no integer: scores are whole numbers of 1e-6 (store.order.micro)"
        if any(not _is_number(text) for text in action.features):
            yield action.id, "a feature is no name=number: features hold numbers only"
    said = (*plan.parameters, *plan.notes, *(text for one in plan.actions for text in (one.reason, *one.features)))
    if any(MARKER in text for text in said):
        yield "content", "a memory's content is in the plan: reasons are made of templates and numbers"


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text.partition("=")[2]))
    except ValueError:
        return False


#: Every rule by the code of its findings.
RULES: Mapping[str, Rule] = MappingProxyType({
    "states-the-store": _states_the_store,
    "takes-what-may-go": _takes_what_may_go,
    "keeps-closure": _keeps_closure,
    "describes-what-goes": _describes_what_goes,
    "adds-up": _adds_up,
    "takes-no-more": _takes_no_more,
    "gets-to-the-target": _gets_to_the_target,
    "bounds-its-loss": _bounds_its_loss,
    "explains-itself": _explains_itself,
})  # fmt: skip
