"""Summaries for tests: three episodes, their summary of two lines, and what is left of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marskg.ontology.vocabulary import SourceType
from marskg.records import Consolidation, SummaryLine
from marskg.store.graph import summaries
from marskg.store.rows.summary_lines import decode
from marskg.weight import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.memory import AgentMemory
    from marskg.records import Memory

COUNTER = TokenCounter()
TEXTS = (
    "On Monday I watered the tomatoes in the garden behind the house before it became hot.",
    "On Tuesday I watered the tomatoes in the garden again and pulled some weeds out.",
    "On Friday Carl brought 12 kg of lime for the tomatoes and stayed for lunch.",
)


def told(mem: AgentMemory, *texts: str, **fields: Any) -> list[str]:
    """Store texts as episodes of one session; returns their ids."""
    return [mem.remember(text, **{"kind": "episodic", "session": "s", "ttl": "90d"} | fields).id for text in texts]


def line(text: str, *sources: str, **fields: Any) -> SummaryLine:
    """Return a line of a summary that rests on ``sources``."""
    return SummaryLine(text, tuple(sorted(sources)), **{"verbatim": False} | fields)


def summary_of(ids: Sequence[str], *lines: SummaryLine, **fields: Any) -> Consolidation:
    """Return the summary of ``ids`` with these lines."""
    weight = COUNTER.count("\n".join(one.text for one in lines))
    values: dict[str, Any] = {"sensitivity": 0.0, "predicted": 0.5, "realised": 0.6, "weight": weight} | fields
    return Consolidation(tuple(ids), lines, **values)


def consolidated(mem: AgentMemory, summary: Consolidation, **options: Any) -> Memory:
    """Let a summary take the place of its constituents."""
    found: Memory = mem._writer.run(lambda unit: summaries.consolidate(unit, summary, **options))
    return found


def usual(mem: AgentMemory, **fields: Any) -> tuple[list[str], Memory]:
    """Three episodes and their summary of two lines."""
    ids = told(mem, *TEXTS, **fields)
    made = summary_of(ids, line("Watered the tomatoes.", ids[0], ids[1]), line("Carl brought 12 kg of lime.", ids[2]))
    return ids, consolidated(mem, made)


def current(mem: AgentMemory) -> list[Memory]:
    """Return the summaries that hold now."""
    found = [one for one in mem.memories() if one.source_type is SourceType.REFLECTION and one.content is not None]
    return [one for one in found if one.superseded_at is None]


def texts(memory: Memory) -> list[str]:
    """Return the lines of a summary."""
    return [one.text for one in decode(memory.summary_lines)]
