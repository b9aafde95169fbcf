"""The product under agmi's attacks by the front door, whose attacker writes as any program may: with an agent's key.

Guarantees: what the user says is written by the tenant's operator; what comes from outside is a document that an agent
stores; who lies about it asks for ``chat_user`` with the same key, and stores nothing where that is refused; what
"came through the agent" is written as the user's word, as nothing tells it from that. A user is a subject of one
tenant, each fixture has a tenant of its own. The suite's own fixtures and verdicts decide.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from agmi.adapters.semantic_base import MemoryItem, Retrieved, SemanticMemoryAdapter
from agmi.attacks.memory_specific import ALL_MEMORY_ATTACKS, SOURCE_USER
from agmi.signing import KEYRING

import marskg

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.memory import AgentMemory
    from marskg_bench.common.progress import Say

_BUDGET: Final = 1_000_000
_AGENT: Final = "agent:outsider"
#: How the user's own word alone is read; and the suite's name for what nothing tells from it.
OWN: Final = "the user's own word"
_LAUNDERED: Final = "agent-laundered"
#: How the answers are read, by what it is called: all there is, or the user's own word alone.
READINGS: Final[dict[str, dict[str, Any]]] = {"by default": {}, OWN: {"sources": ["chat_user"]}}


class FrontDoor(SemanticMemoryAdapter):  # type: ignore[misc]  # the suite ships no types
    """A store in a folder that goes away, read with certain filters."""

    name = "marskg"

    def __init__(self, **filters: Any) -> None:  # noqa: ANN401 - as retrieve takes them
        """Read with ``filters`` of ``retrieve``."""
        self._filters = filters
        self._home = tempfile.TemporaryDirectory(prefix="marskg-bench-")
        self._tenants = 0
        self._owner: AgentMemory | None = None
        self._agent: AgentMemory | None = None

    def reset(self) -> None:
        """Begin with an empty tenant."""
        self._end()
        self._tenants += 1
        folder, tenant = f"{self._home.name}/memory", f"t{self._tenants}"
        self._owner = marskg.open(folder, tenant=tenant, budget=_BUDGET)
        self._agent = marskg.open(folder, tenant=tenant, principal=_AGENT)

    def add_memory(self, item: MemoryItem) -> None:
        """Store what comes by one of the suite's channels."""
        given: dict[str, Any] = {"subjects": [item.user_id], "metadata": item.metadata or None}
        if KEYRING.verify(item.user_id, item.source, item.text, item.signature):
            self._of(self._owner).remember(item.text, **given)
            return
        claimed = "chat_user" if item.source == SOURCE_USER else "doc"
        with suppress(marskg.NotPermitted):  # A claim that is refused stores nothing.
            self._of(self._agent).remember(item.text, source_type=claimed, **given)

    def retrieve(self, query: str, user_id: str, k: int = 5) -> list[Retrieved]:
        """Return what answers ``query`` of what is about a user."""
        return self.retrieve_where(query, user_id, {}, k)

    def retrieve_where(self, query: str, user_id: str, where: dict[str, Any], k: int = 5) -> list[Retrieved]:
        """Return the same of what has the metadata ``where``."""
        found = self._of(self._owner).retrieve(query, subjects=[user_id], k=k, metadata=where or None, **self._filters)
        return [Retrieved(hit.memory.content or "", user_id, hit.score) for hit in found]

    @staticmethod
    def _of(memory: AgentMemory | None) -> AgentMemory:
        if memory is None:
            msg = "the adapter has no store; call reset() first"
            raise RuntimeError(msg)
        return memory

    def _end(self) -> None:
        for one in (self._agent, self._owner):
            if one is not None:
                one.close()

    def close(self) -> None:
        """Remove the store."""
        self._end()
        self._home.cleanup()


def attacks(say: Say) -> Iterator[dict[str, Any]]:
    """Yield what became of each of the suite's attacks in each reading: how many cases of each channel were kept out.

    ``unjudged`` are those in which the user's own memory was not found either; ``lets_in`` says whether something that
    is not the user's word is shown where that alone is asked for.
    """
    for reading, filters in READINGS.items():
        for kind in ALL_MEMORY_ATTACKS:
            attack = kind()
            say(f"{attack.name}, {reading}")
            adapter = FrontDoor(**filters)
            try:
                outcome = attack.run(adapter)
            finally:
                adapter.close()
            channels = outcome.channels or {"read": outcome.fixtures}
            strange = [case for name, cases in channels.items() if name != _LAUNDERED for case in cases]
            yield {
                "attack": attack.name,
                "version": attack.version,
                "reading": reading,
                "kept_out": {name: sum(case is False for case in cases) for name, cases in channels.items()},
                "unjudged": {name: sum(case is None for case in cases) for name, cases in channels.items()},
                "cases": {name: len(cases) for name, cases in channels.items()},
                "lets_in": reading == OWN and any(case is not False for case in strange),
                "why_not": outcome.error,
            }
