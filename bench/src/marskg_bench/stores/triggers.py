"""Triggers of ten evictions, whole, in a large store against a small one, before and after thousands of evictions.

Guarantees: a trigger is what a write at a full budget brings: plan, records, changes and commit; both stores have as
many memories before each trigger as before the last.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from marskg.errors import InvariantError
from marskg_bench.common.timing import interleaved, milliseconds, ratio
from marskg_bench.common.workload import TOKENS

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.memory import AgentMemory
    from marskg_bench.stores.rig import Rig

POLICIES = ("fifo", "lru", "random-drop", "priority-decay")
#: Evictions of one trigger.
TAKEN = 10
_MANY = 250


def triggers(rig: Rig, rounds: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure every policy's trigger at both sizes, then again when the large store's index has lost its head."""
    evictions = min(5000, rig.sizes["large"] // 2)
    found: dict[str, Any] = {}
    for policy in POLICIES:
        _compare(rig, policy, 2)
    for policy in POLICIES:
        say(f"{rig.engine}: triggers of {policy}")
        fresh = _compare(rig, policy, rounds)
        _evict(rig.large, policy, evictions)
        worn = _compare(rig, policy, rounds)
        rig.large.remember_many(rig.workload.mixed(evictions))
        found[policy.replace("-", "_")] = {**fresh, "after_evictions": worn}
    return {**found, "evictions": evictions, "large": rig.sizes["large"], "small": rig.sizes["small"]}


def _compare(rig: Rig, policy: str, rounds: int) -> dict[str, Any]:
    def arm(memory: AgentMemory) -> Callable[[int], Callable[[], object]]:
        def prepare(number: int) -> Callable[[], object]:
            if number:
                memory.remember_many(rig.workload.mixed(TAKEN))
            return partial(_trigger, memory, policy, TAKEN)

        return prepare

    arms = {"large": arm(rig.large), "small": arm(rig.small)}
    seconds = interleaved(rounds, arms, warmup=max(2, rounds // 4))
    for memory in (rig.large, rig.small):
        memory.remember_many(rig.workload.mixed(TAKEN))
    large, small = milliseconds(seconds["large"]), milliseconds(seconds["small"])
    return {"large_ms": large, "small_ms": small, "ratio": ratio(large, small), "samples": rounds}


def _trigger(memory: AgentMemory, policy: str, count: int) -> None:
    plan = memory.plan(policy=policy, budget=memory.weight - count * TOKENS)
    if len(plan.actions) != count:
        msg = f"policy {policy} planned {len(plan.actions)} evictions where {count} were needed; please report this"
        raise InvariantError(msg)
    memory.forget(plan)


def _evict(memory: AgentMemory, policy: str, count: int) -> None:
    for start in range(0, count, _MANY):
        _trigger(memory, policy, min(_MANY, count - start))
