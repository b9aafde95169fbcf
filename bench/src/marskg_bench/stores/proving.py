"""Verifying, validating and exporting what the other measures left behind.

Guarantees: the store that was written is also right: a finding of the verifier ends the bench.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import pyoxigraph as ox

from marskg.api.checks import validate_write
from marskg.errors import AuditVerificationFailed
from marskg.exporters.rdf.writer import Content, write_export
from marskg.ontology.mapping import memory_lines
from marskg.store.rows.state import TenantState
from marskg.store.statements.catalogue import statement
from marskg_bench.common.timing import interleaved, milliseconds, ratio

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.records import Edge, Memory
    from marskg_bench.stores.rig import Rig

#: Memories that an export is measured with.
_EXPORTED = 20_000


def verify(rig: Rig) -> dict[str, Any]:
    """Measure the verification of both logs, their heads and the graph against them."""
    stats = rig.large.stats()
    records = stats["audit_seq"] + stats["access_seq"]
    start, used = time.perf_counter(), time.process_time()
    report = rig.large.verify()
    seconds, cpu = time.perf_counter() - start, time.process_time() - used
    if not report.ok:
        msg = f"the audit of the bench's own store does not verify: {report.findings[0].code}; please report this"
        raise AuditVerificationFailed(msg)
    return {
        "records": records,
        "seconds": round(seconds, 2),
        "cpu_seconds": round(cpu, 2),
        "records_per_second": round(records / seconds),
        "records_per_cpu_second": round(records / cpu),
    }


def validation(rig: Rig, rounds: int) -> dict[str, Any]:
    """Measure the validation of one write's neighbourhood, after each of ``rounds`` writes."""
    opened = rig.large.store
    processor: list[float] = []

    def check(state: TenantState) -> None:
        start = time.thread_time()
        validate_write(opened, state)
        processor.append(time.thread_time() - start)

    def one(_: int) -> Callable[[], object]:
        rig.large.remember(**rig.workload.turn())
        row = opened.engine.read(statement("load_tenant", opened.engine.name), {"tenant": rig.large.tenant})[0]
        return partial(check, TenantState.from_row(row["tenant"]))

    seconds = interleaved(rounds, {"one": one}, warmup=max(20, rounds // 4))
    return {
        "one_write_ms": milliseconds(seconds["one"]),
        "cpu_ms": milliseconds(processor[-rounds:]),
        "samples": rounds,
    }


def export(rig: Rig, rounds: int) -> dict[str, Any]:
    """Measure JSON-LD of the same quads, by this package's writer and by pyoxigraph's."""
    memories = [found for _, found in zip(range(_EXPORTED), _memories(rig), strict=False)]
    store = ox.Store()
    lines = "".join(f"{line}\n" for memory, edges in memories for line in memory_lines(memory, edges))
    store.load(lines.encode(), format=ox.RdfFormat.N_QUADS)
    theirs, whole = (str(rig.folder / f"{name}.jsonld") for name in ("theirs", "whole"))

    def write(_: int) -> Callable[[], object]:
        return partial(write_export, rig.folder / "ours.jsonld", Content(memories=memories))

    def dump(_: int) -> Callable[[], object]:
        return partial(store.dump, theirs, format=ox.RdfFormat.JSON_LD)

    def read_and_write(_: int) -> Callable[[], object]:
        return partial(rig.large.export, whole)

    seconds = interleaved(rounds, {"ours": write, "pyoxigraph": dump}, warmup=1)
    reading = interleaved(1, {"whole": read_and_write}, warmup=0)
    ours_ms, theirs_ms = milliseconds(seconds["ours"]), milliseconds(seconds["pyoxigraph"])
    return {
        "memories": len(memories),
        "quads": len(store),
        "ours_ms": ours_ms,
        "pyoxigraph_ms": theirs_ms,
        "ratio": ratio(theirs_ms, ours_ms),
        "whole_store_ms": milliseconds(reading["whole"]),
    }


def _memories(rig: Rig) -> list[tuple[Memory, tuple[Edge, ...]]]:
    return [(memory, edges) for memory, edges, _ in rig.large.store.reader.memories()]
