"""The retrieval bench's real product: a store that is told a persona session by session."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import pytest

from marskg.bench._memora import BenchPersona
from marskg.bench._retrievers import product
from marskg.clock import DAY_MS
from marskg.weight import TokenCounter
from tests.support.memora_persona import film_lover

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.bench._memora import Track


def proposal(title: str, budget: int) -> dict[str, object]:
    return {"item": "project_proposal_1", "content_data": {"project_title": title, "budget": budget}}


@pytest.mark.parametrize("track", ["A", "AB"])
def test_the_product_holds_what_the_trace_holds(tmp_path: Path, track: Track) -> None:
    written = film_lover(tmp_path / "weekly" / "films")
    written.session("activity", "add", proposal("Reeds", 800), "It needs $800.", date="2025-06-03")
    written.session("activity", "update", proposal("Reeds", 900), "Make that $900.", date="2025-06-06")
    persona = BenchPersona(written.folder, TokenCounter())
    with product(persona.sessions[0].start) as running:
        for _, session in groupby(persona.drafts(track), key=lambda draft: draft.session):
            running.tell(list(session))
        memories = [memory for memory in running.memory.memories() if memory.current and memory.kind != "episodic"]
        now = running.memory.now()
        # The budget of a later session names the title of an earlier one.
        bases = running.memory.cypher("MATCH (a:Memory)-[:dependsOn]->(b:Memory) RETURN a.id AS a, b.id AS b").rows
    trace = persona.trace(persona.days[0])
    assert {one.value for one in trace.assertions if one.current} == {
        "jazz",
        "Paint the fence",
        3.5,
        4.25,
        "Reeds",
        900,
    }
    said = " / ".join(memory.content or "" for memory in memories if memory.status not in {"done", "cancelled"})
    assert all(word in said for word in ("jazz", "Paint the fence", "3.5", "4.25", "Reeds", "900"))
    assert not any(word in said for word in ("opera", "Water the ferns", "800"))
    assert 0 <= now - persona.sessions[-1].start < DAY_MS
    (budget,) = [memory.id for memory in memories if "900" in (memory.content or "")]
    (title,) = [memory.id for memory in memories if "title: Reeds" in (memory.content or "")]
    assert (budget, title) in bases
