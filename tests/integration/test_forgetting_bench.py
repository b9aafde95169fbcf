"""The forgetting bench's real product: it holds its budget day by day, answers alike each time, and says where from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from marskg.clock import SeededSource
from marskg.weight import TokenCounter
from marskg_bench.budgets.budgeted import Told, conditions_of
from marskg_bench.common.memora import BenchPersona
from marskg_bench.retrievals.retrievers import product
from tests.support.memora_persona import film_lover

if TYPE_CHECKING:
    from pathlib import Path


def told(folder: Path) -> Told:
    return Told(BenchPersona(folder, TokenCounter()), conditions_of("AB", (20,), 1))


@pytest.mark.parametrize("policy", ["random-drop", "hybrid"])
def test_a_run_forgets_down_to_its_budget_and_is_the_same_each_time(tmp_path: Path, policy: str) -> None:
    persona = told(film_lover(tmp_path / "weekly" / "films").folder)
    budget = persona.weight // 3
    figures = persona.run(policy, budget)
    assert 0 < figures["weight"] <= budget
    assert figures["depths"]["20"]["presence"] < 1
    assert figures == persona.run(policy, budget)


def test_with_room_for_everything_nothing_is_lost(tmp_path: Path) -> None:
    persona = told(film_lover(tmp_path / "weekly" / "films").folder)
    figures = persona.run("fifo", persona.weight)
    assert figures["depths"]["20"]["presence"] == 1
    assert (figures["weight"], figures["refused"]) == (persona.weight, 0)


def test_what_depends_on_something_forgotten_is_left_out_and_nothing_is_refused(tmp_path: Path) -> None:
    written = film_lover(tmp_path / "weekly" / "films")
    title = {"item": "project_proposal_1", "content_data": {"project_title": "Reeds", "budget": 800}}
    written.session("activity", "add", title, "It needs $800.", date="2025-06-03")
    for number in range(8):
        written.likes(f"the music of country {number}", f"I like the music of country {number}.", date="2025-06-04")
    later = {"item": "project_proposal_1", "content_data": {"budget": 900}}
    written.session("activity", "update", later, "Make that $900.", date="2025-06-05")
    figures = told(written.folder).run("fifo", 60)
    assert figures["weight"] <= 60
    assert figures["refused"] == 0


def test_what_is_protected_is_refused_and_counted(tmp_path: Path) -> None:
    written = film_lover(tmp_path / "weekly" / "films")
    for number in range(6):
        task = {"task_type": "home", "description": f"Paint the fence of garden {number}", "created_at": "2025-06-04"}
        details = {"category": "todo_list", "item": task}
        written.session("activity", "add", details, f"Garden {number} needs paint.", date="2025-06-04")
    figures = told(written.folder).run("fifo", 60)
    assert figures["refused"] > 0
    assert figures["weight"] <= 60


def test_a_summary_is_its_lines_each_from_the_sessions_behind_it(tmp_path: Path) -> None:
    written = film_lover(tmp_path / "weekly" / "films")
    for number in range(6):
        said = f"I ran {number + 3} km through the park this morning. It was nice to be out in the park again."
        written.session("conversation", None, {}, said, date="2025-06-04")
    persona = BenchPersona(written.folder, TokenCounter())
    with product(persona.sessions[0].start, source=SeededSource(1)) as running:
        running.tell(list(persona.drafts("B")))
        memory = running.memory
        memory.forget(memory.plan(policy="reflection-summary", budget=memory.weight - 30))
        (summary,) = [one for one in memory.memories() if one.summary_lines]
        items = [item for item in running.retrieve("a run through the park", 50) if item.content != summary.content]
    lines = [item for item in items if item.content in (summary.content or "").split("\n")]
    assert len(lines) > 1
    assert sum(item.tokens for item in lines) == summary.weight
    turns = {session.name: [turn.message for turn in session.turns] for session in persona.sessions}
    assert all(any(item.content in turn for turn in turns[item.session or ""]) for item in lines)
