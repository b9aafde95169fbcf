"""Memories that are bound to one use or to one session, and how they end.

Guarantees: a use-bound memory is gone once it was shown, and at the latest at the next pass of maintenance where the
program ended in between; what is bound to a session is gone when the session ends, and so is what is ephemeral, where
``lives.ephemeral`` has a life or ``on_expiry`` puts it aside; what depends on them goes with them, in the same
transaction, each with its record. Source: semantics sections 1 and 5; MemoryArchitect II.B.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from marskg.ontology.vocabulary import MemoryClass
from marskg.store.graph.tiers import expire
from marskg.store.rows import codec
from marskg.store.upkeep.due_times import end_lives

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.records import Memory
    from marskg.store.commit.writer import Writer
    from marskg.store.unit.unit_of_work import Unit

USED = "used: it was use-bound"
SESSION_ENDED = "its session ended: it was session-bound"
EPHEMERAL_ENDED = "its session ended: it was ephemeral"

#: Memories that one transaction ends.
_PAGE = 200


def expire_used(writer: Writer, ids: Iterable[str]) -> int:
    """Expire those of ``ids`` that are use-bound, as they were used; returns how many memories lost their content."""
    wanted = sorted(set(ids))
    return writer.run(lambda unit: _expire_used(unit, wanted)) if wanted else 0


def _expire_used(unit: Unit, ids: list[str]) -> int:
    unit.fetch(ids)
    used = [ident for ident in ids if ident in unit.nodes and unit.nodes[ident].memory.use_bound]
    return len(expire(unit, used, reason=USED))


def expire_left_over(writer: Writer) -> int:
    """Expire the use-bound memories that were shown by a program that ended before it could; returns how many."""
    bounds = {"low": f"{writer.tenant}|", "high": f"{writer.tenant}}}"}
    return expire_used(writer, [str(row["id"]) for row in writer.read("used_up", bounds)])


def end_session(writer: Writer, session: str) -> int:
    """Expire what ends with ``session``, with its dependents; returns how many memories lost their content."""
    rows = writer.read("session_episodes", {"session": codec.session_key(writer.tenant, session)})
    ids = sorted(str(row["id"]) for row in rows)
    pages = [ids[start : start + _PAGE] for start in range(0, len(ids), _PAGE)]
    return sum(writer.run(partial(_end, session=session, ids=page)) for page in pages)


def _end(unit: Unit, session: str, ids: list[str]) -> int:
    unit.fetch(ids)
    there = [unit.nodes[ident].memory for ident in ids if ident in unit.nodes and unit.nodes[ident].has_content]
    ending = [memory for memory in there if memory.session == session]
    bound = [memory.id for memory in ending if memory.session_bound]
    ephemeral = [memory.id for memory in ending if _ephemeral(unit, memory)]
    return len(expire(unit, bound, reason=SESSION_ENDED)) + end_lives(unit, ephemeral, reason=EPHEMERAL_ENDED)


def _ephemeral(unit: Unit, memory: Memory) -> bool:
    """Return whether the session's end is the end of a memory's life: where its class has one (semantics section 1)."""
    lives = unit.state.settings.life(MemoryClass.EPHEMERAL) is not None
    return lives and memory.memory_class is MemoryClass.EPHEMERAL and not memory.session_bound
