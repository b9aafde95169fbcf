"""Writing: one memory, many, at a full budget, from four threads, and access statistics, each beside the bare engine.

Guarantees: a ratio is the bare engine's time by the governed time, both from this run and taken by turns: the governed
rate as a share of the bare one. A refusal or a gap in the sequence ends the bench; it is never averaged away.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

from marskg.errors import InvariantError
from marskg.ontology.vocabulary import Kind
from marskg_bench.common.timing import interleaved, milliseconds, ratio
from marskg_bench.common.workload import TOKENS
from marskg_bench.stores.bare import nodes_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg_bench.stores.rig import Rig

#: Memories of one batch, and of one batch of the bare engine.
BATCH = 500
THREADS = 4
#: Memories shown at once.
SHOWN = 10
#: Evictions of one trigger at a full budget.
_EVICTIONS = 50


def single(rig: Rig, rounds: int) -> dict[str, Any]:
    """Measure one durable ``remember`` of a turn that follows another one of its session."""

    def governed(_: int) -> Callable[[], object]:
        return partial(rig.large.remember, **rig.workload.turn())

    def bare(_: int) -> Callable[[], object]:
        return partial(rig.bare.one, rig.bare.next(1)[0])

    def shared(_: int) -> Callable[[], object]:
        return partial(rig.bare.one, rig.bare.next(1)[0], shared=True)

    arms = {"governed": governed, "bare": bare, **({"shared": shared} if rig.bare.two_ways else {})}
    return _compared(interleaved(rounds, arms, warmup=rounds // 4))


def many(rig: Rig, rounds: int) -> dict[str, Any]:
    """Measure ``remember_many``, a signed record for each memory, in batches of :data:`BATCH`."""

    def governed(_: int) -> Callable[[], object]:
        return partial(rig.large.remember_many, rig.workload.turns(BATCH))

    def bare(_: int) -> Callable[[], object]:
        return partial(rig.bare.many, Kind.EPISODIC, rig.bare.next(BATCH))

    def shared(_: int) -> Callable[[], object]:
        return partial(rig.bare.many, Kind.EPISODIC, rig.bare.next(BATCH), shared=True)

    arms = {"governed": governed, "bare": bare, **({"shared": shared} if rig.bare.two_ways else {})}
    return {**_compared(interleaved(rounds, arms, warmup=_warm(rounds)), BATCH), "batch": BATCH}


def besides(rig: Rig, rounds: int) -> dict[str, Any]:
    """Measure ``remember_many`` with vectors, with entities, and with sensitivity, beside the same tenant without."""

    def arm(variant: str) -> Callable[[int], Callable[[], object]]:
        return lambda _: partial(rig.variants[variant].remember_many, rig.workload.turns(BATCH))

    seconds = interleaved(rounds, {variant: arm(variant) for variant in rig.variants}, warmup=_warm(rounds))
    plain = milliseconds(seconds["plain"], BATCH)
    found: dict[str, Any] = {"plain_ms": plain, "batch": BATCH}
    for variant in ("vectors", "entities", "sensitivity"):
        cost = milliseconds(seconds[variant], BATCH)
        found[variant] = {"ms": cost, "ratio": ratio(plain, cost), "samples": len(seconds[variant])}
    return found


def _warm(rounds: int) -> int:
    """Return the rounds before it counts: a batch runs seldom, and the JVM compiles what it runs often."""
    return max(4, rounds)


def four_threads(rig: Rig, rounds: int, chunk: int = 100) -> dict[str, Any]:
    """Measure four threads that write to one tenant; the bare engine has one."""
    before = rig.large.stats()["audit_seq"]
    with ThreadPoolExecutor(THREADS) as pool:

        def governed(_: int) -> Callable[[], object]:
            turns = [rig.workload.turn() for _ in range(chunk)]
            return lambda: list(pool.map(lambda turn: rig.large.remember(**turn), turns))

        def bare(_: int) -> Callable[[], object]:
            nodes = rig.bare.next(chunk)
            return partial(rig.bare.each, nodes)

        seconds = interleaved(rounds, {"governed": governed, "bare": bare}, warmup=1)
    expected = before + (rounds + 1) * chunk
    if rig.large.stats()["audit_seq"] != expected:
        msg = f"four threads left the audit at another sequence than {expected}; please report this"
        raise InvariantError(msg)
    return {**_compared(seconds, chunk), "threads": THREADS}


def full_budget(rig: Rig, cycles: int) -> dict[str, Any]:
    """Measure writes at a full budget, the eviction that every some-th of them brings included, as a mean."""
    memory = rig.large
    evictions = min(_EVICTIONS, rig.sizes["large"] // 10)
    budget = memory.weight
    memory.settings.set(None, {"budget": budget, "low_water": 1 - evictions * TOKENS / budget})

    def governed(_: int) -> Callable[[], object]:
        turns = [rig.workload.turn() for _ in range(evictions)]
        return lambda: [memory.remember(**turn) for turn in turns]

    def bare(_: int) -> Callable[[], object]:
        nodes = rig.bare.next(evictions)
        return partial(rig.bare.each, nodes)

    before = memory.stats()
    seconds = interleaved(cycles, {"governed": governed, "bare": bare}, warmup=1)
    after = memory.stats()
    memory.settings.set(None, {"budget": 1 << 40})
    written = (cycles + 1) * evictions
    evicted = before["live"] + written - after["live"]
    if after["weight"] > budget or evicted < written - 2 * evictions:
        msg = f"{evicted} of {written} memories made room at a full budget; please report this"
        raise InvariantError(msg)
    return {
        "governed_ms": round(fmean(seconds["governed"]) / evictions * 1000, 4),
        "bare_ms": round(fmean(seconds["bare"]) / evictions * 1000, 4),
        "ratio": ratio(fmean(seconds["bare"]), fmean(seconds["governed"])),
        "samples": cycles * evictions,
        "evictions_of_a_trigger": evictions,
        "policy": memory.settings.current.policy.name,
    }


def access(rig: Rig, rounds: int) -> dict[str, Any]:
    """Measure the statistics of ten memories with their signed record beside a bare update of ten."""
    nodes = [node for _, node in zip(range(500), nodes_of(rig.large.store.engine, rig.large.tenant), strict=False)]
    ids = [node["id"] for node in nodes]
    names = ("lastAccess", "accessCount", "lruKey", "decayKey")
    copies = [node for _, node in zip(range(500), nodes_of(rig.bare.engine, rig.bare.tenant), strict=False)]
    rows = [{"ref": node["ref"], "set": {name: node[name] for name in names if name in node}} for node in copies]

    def pick(found: list[Any]) -> list[Any]:
        start = rig.workload.below(len(found) - SHOWN)
        return found[start : start + SHOWN]

    def governed(_: int) -> Callable[[], object]:
        return partial(rig.large.control.record_access, pick(ids))

    def bare(number: int) -> Callable[[], object]:
        changed = [
            {"ref": row["ref"], "set": {name: _moved(value, number) for name, value in row["set"].items()}}
            for row in pick(rows)
        ]
        return partial(rig.bare.update, changed)

    seconds = interleaved(rounds, {"governed": governed, "bare": bare}, warmup=rounds // 4)
    return {**_compared(seconds), "shown": SHOWN}


def _moved(value: Any, number: int) -> Any:  # noqa: ANN401 - a property
    """Return another value of the same form: a later moment, a key that sorts elsewhere."""
    return value + number if isinstance(value, int) else f"{value[:-8]}{number:08x}"


def _compared(seconds: dict[str, list[float]], parts: int = 1) -> dict[str, Any]:
    governed, bare = milliseconds(seconds["governed"], parts), milliseconds(seconds["bare"], parts)
    found: dict[str, Any] = {
        "governed_ms": governed,
        "bare_ms": bare,
        "ratio": ratio(bare, governed),
        "samples": len(seconds["bare"]),
    }
    if "shared" in seconds:
        shared = milliseconds(seconds["shared"], parts)
        found["same_driver"] = {"bare_ms": shared, "share": ratio(shared, governed)}
    return found
