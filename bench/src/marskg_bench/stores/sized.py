"""Stores of several sizes side by side, and what a policy's triggers and arrivals cost in each of them.

Guarantees: nothing that exists is touched: the stores lie in a folder that goes away, with their keys. The sizes are
measured by turns, so that what else the machine does falls on all of them alike; a store is filled up
before each trigger.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import marskg
from marskg.clock import ManualClock
from marskg.errors import InvalidInput, InvariantError
from marskg_bench.common.growth import fit
from marskg_bench.common.timing import interleaved, milliseconds, timed
from marskg_bench.common.workload import MINUTE, START, TOKENS, Workload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from marskg.memory import AgentMemory
    from marskg.records import Plan
    from marskg_bench.common.progress import Say
    from marskg_bench.common.timing import Arm

#: Evictions of one trigger; at a full budget, also the writes that bring one.
TAKEN: Final = 10
#: What is freed where the full cost is asked for, as a share of the weight.
SHARE: Final = 0.1
#: Rounds that do not count: the first plan by features builds their index, and the JVM compiles what it runs often.
WARMUP: Final = 2
#: Vectors are what reflection clusters; names are found at write, whatever the policy.
_VALUES: Mapping[str, str] = MappingProxyType({"embedding.model": "static", "entities.recognise": "off"})
_AMPLE: Final = 1 << 40
#: The clock stands behind the last turn that any bench writes.
_LATEST: Final = START + 10_000_000 * MINUTE
#: Memories written between two words of progress.
_PART: Final = 10_000
#: A store may hold more memories than it began with, in multiples: a summary is lighter than what it stands for.
_SLACK: Final = 1.1


@dataclass(frozen=True, slots=True)
class Sized:
    """Stores by the number of their memories, and how many seconds each took to write."""

    memories: Mapping[int, AgentMemory]
    written: Mapping[int, float]
    workload: Workload

    def fill(self, size: int) -> None:
        """Write what is missing in the store of ``size``, by its weight, which costs nothing to know."""
        memory = self.memories[size]
        missing = size - memory.weight // TOKENS
        if missing > 0:
            memory.remember_many(self.workload.mixed(missing))


@contextmanager
def stores(sizes: Sequence[int], seed: int, say: Say, kept: Path | None = None) -> Iterator[Sized]:
    """Give a store of each of ``sizes`` with a conversation of that length, each in a database of its own.

    They lie in a folder that goes away, or in ``kept``, where those that are there already are used.

    Raises:
        InvalidInput: a store in ``kept`` does not have the number of memories that its name says.
        EngineUnavailable: the engine cannot be opened.
    """
    with ExitStack() as stack:
        folder = kept
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="marskg-bench-")))
        memories = {size: stack.enter_context(_opened(folder / str(size))) for size in sizes}
        # Behind everything that was ever written to any of them: no session and no place is named twice.
        workload = Workload(seed, sum(memory.stats()["audit_seq"] for memory in memories.values()))
        written = {size: round(timed(partial(_fill, memories[size], size, workload, say)), 1) for size in sizes}
        yield Sized(memories, written, workload)


def _opened(place: Path) -> AgentMemory:
    return marskg.open(place, tenant="bench", budget=_AMPLE, clock=ManualClock(_LATEST))


def _fill(memory: AgentMemory, size: int, workload: Workload, say: Say) -> None:
    """Write what is missing; a store that was stopped while it was written is filled up."""
    done = memory.weight // TOKENS
    if done > size * _SLACK:
        message = f"the store kept for {size:,} memories has {done:,}: name another folder, or remove it"
        raise InvalidInput(message)
    if not done:
        memory.settings.set(None, _VALUES)
    while done < size:
        say(f"writing {size:,} memories: {done:,}")
        done += memory.remember_many(workload.mixed(min(_PART, size - done)))


def trigger(rig: Sized, policy: str, rounds: int) -> dict[str, Any]:
    """Measure a trigger of :data:`TAKEN` evictions, whole and its plan alone, as medians by size."""
    planned: dict[str, list[float]] = {}

    def arm(size: int, memory: AgentMemory) -> Arm:
        mine = planned[str(size)] = []

        def prepare(_: int) -> Callable[[], object]:
            rig.fill(size)
            return partial(_trigger, memory, policy, mine)

        return prepare

    arms = {str(size): arm(size, memory) for size, memory in rig.memories.items()}
    whole = interleaved(rounds, arms, warmup=WARMUP)
    plans = {size: seconds[WARMUP:] for size, seconds in planned.items()}
    return {"trigger": _figures(whole), "plan": _figures(plans)}


def _trigger(memory: AgentMemory, policy: str, planned: list[float]) -> None:
    """Plan and carry out one trigger."""
    made: list[Plan] = []
    target = memory.weight - TAKEN * TOKENS
    planned.append(timed(lambda: made.append(memory.plan(policy=policy, budget=target))))
    (plan,) = made
    # A summary that an earlier trigger left weighs more than a turn, so those that summarise may need fewer.
    if plan.freed_tokens < TAKEN * TOKENS:
        message = f"policy {policy} freed {plan.freed_tokens} of {TAKEN * TOKENS} tokens; please report it"
        raise InvariantError(message)
    memory.forget(plan)


def arrival(rig: Sized, policy: str, rounds: int) -> dict[str, Any]:
    """Measure a write at a full budget: :data:`TAKEN` of them with the trigger that they bring, divided among them."""
    for size, memory in rig.memories.items():
        rig.fill(size)
        budget = memory.weight
        # The write that goes over takes TAKEN away, so that the next one that does comes TAKEN writes later. Half a
        # token keeps the product above the integer that is meant.
        low_water = (budget - (TAKEN - 1) * TOKENS + 0.5) / budget
        memory.settings.set(None, {"policy.name": policy, "budget": budget, "low_water": low_water})

    def arm(memory: AgentMemory) -> Arm:
        def prepare(_: int) -> Callable[[], object]:
            turns = [rig.workload.turn() for _ in range(TAKEN)]
            return lambda: [memory.remember(**turn) for turn in turns]

        return prepare

    seconds = interleaved(rounds, {str(size): arm(memory) for size, memory in rig.memories.items()}, warmup=WARMUP)
    for memory in rig.memories.values():
        memory.settings.set(None, {"budget": _AMPLE})
    return _figures(seconds, TAKEN)


def full(rig: Sized, policy: str) -> dict[str, Any]:
    """Measure the plan that frees :data:`SHARE` of all, once in each store; nothing is carried out."""
    seconds = {}
    for size, memory in rig.memories.items():
        budget = int(memory.weight * (1 - SHARE))
        seconds[str(size)] = [timed(partial(memory.plan, policy=policy, budget=budget))]
    return _figures(seconds)


def _figures(seconds: Mapping[str, list[float]], parts: int = 1) -> dict[str, Any]:
    """Return the median of each size in milliseconds, and how it grows."""
    medians = {size: milliseconds(spent, parts) for size, spent in seconds.items()}
    growth = fit([int(size) for size in medians], list(medians.values()))
    return {"ms": medians, **growth.to_document()}
