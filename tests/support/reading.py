"""The doors that read a tenant, tried all at once: what was stored may shut none of them."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import UnknownMemory
from marskg.memory import AgentMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: Of how many memories doors are tried that tell of one.
NEWEST: Final = 8
_ASKED = "tomatoes rent hostile"


def _export(memory: AgentMemory) -> object:
    with tempfile.TemporaryDirectory() as folder:
        return memory.export(Path(folder) / "all.nq")


def _recall(memory: AgentMemory) -> None:
    with suppress(UnknownMemory):  # she may be forgotten
        memory.recall(entity="Ann")


def _sound(report: Any) -> None:
    assert report.ok, [f"{finding.code}: {finding.message}" for finding in report.findings][:3]


def _each(*operations: Callable[[AgentMemory, str], object]) -> Callable[[AgentMemory], object]:
    """Return what goes through doors that tell of one memory, for the newest ones."""

    def ask(memory: AgentMemory) -> None:
        # What is gone after one use is gone after the first door.
        lasting = [one for one in memory.memories() if not one.use_bound]
        for one in sorted(lasting, key=lambda one: -one.sequence)[:NEWEST]:
            for operation in operations:
                operation(memory, one.id)

    return ask


#: What says whether the tenant is as it should be.
SOUND: Mapping[str, Callable[[AgentMemory], object]] = {
    "verify": lambda memory: _sound(memory.verify()),
    "validate": lambda memory: _sound(memory.validate(full=True)),
}
#: What a program asks for every day.
DAILY: Mapping[str, Callable[[AgentMemory], object]] = {
    "memories": lambda memory: list(memory.memories()),
    "retrieve": lambda memory: memory.retrieve(_ASKED, explain=True),
    "read_all": lambda memory: memory.read_all(sums=True, latent=True, superseded=True, closed=True),
    "plan": lambda memory: memory.plan(budget=memory.weight),
    "stats": lambda memory: memory.stats(),
    "get, explain and history": _each(AgentMemory.get, AgentMemory.explain, AgentMemory.history),
}
#: What looks at all that there is.
ALL: Mapping[str, Callable[[AgentMemory], object]] = {
    **DAILY,
    "recall": _recall,
    "profile": lambda memory: [memory.profile(), memory.profile("Ann", superseded=True)],
    "entities": lambda memory: list(memory.entities.list()),
    "review": lambda memory: memory.learning.review(),
    "plan_pruning": lambda memory: memory.learning.plan_pruning(),
    "compare": lambda memory: memory.policy.compare(["fifo", "lru", "priority-decay", "density", "hybrid"]),
    "preferences": lambda memory: memory.preferences.list(),
    "report": lambda memory: memory.privacy.report("ann"),
    "records": lambda memory: [list(memory.audit.records(log=log)) for log in ("transitions", "accesses")],
    "cypher": lambda memory: memory.cypher("MATCH (m:Memory) RETURN m"),
    "sparql": lambda memory: memory.sparql("SELECT * WHERE { ?memory ?field ?value } LIMIT 90000"),
    "export": _export,
    **SOUND,
}


def shut(memory: AgentMemory, doors: Mapping[str, Callable[[AgentMemory], object]] = ALL) -> list[str]:
    """Return which doors cannot be gone through, and why."""
    found = []
    for name, ask in doors.items():
        try:
            ask(memory)
        except Exception as error:  # noqa: BLE001 - any is what is looked for
            found.append(f"{name}: {type(error).__name__}: {str(error)[:300]!a}")
    return found
