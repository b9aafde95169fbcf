"""A persona in Memora's layout that a test writes, with its questions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def write_session(
    folder: Path,
    number: int,
    kind: str,
    operation: str | None,
    details: dict[str, Any],
    said: Iterable[str],
    *,
    date: str,
    persona: str,
) -> Path:
    """Write a session in Memora's layout, whose shared turns are ``said``; returns its file."""
    turns = [{"turn": 1, "speaker": "ai_agent", "message": "Hello!", "share_memory": False}]
    turns += [
        {"turn": turn, "speaker": "user_agent", "message": text, "share_memory": True}
        for turn, text in enumerate(said, 2)
    ]
    document = {
        "session_id": number,
        "session_type": kind,
        "operation": operation,
        "operation_details": details,
        "date": date,
        "persona": persona,
        "conversation": turns,
    }
    file = folder / "conversations" / f"session_{number:04d}.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


class WrittenPersona:
    """Sessions and questions, as files in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0
        self._questions: dict[str, list[dict[str, Any]]] = {"remembering": [], "recommending": [], "reasoning": []}
        (folder / "conversations").mkdir(parents=True)
        self._write()

    def session(
        self,
        kind: str,
        operation: str | None,
        details: dict[str, Any],
        *said: str,
        date: str = "2025-06-01",
    ) -> str:
        """Write the next session, whose shared turns are ``said``; returns its name."""
        self.count += 1
        persona = self.folder.name
        return write_session(self.folder, self.count, kind, operation, details, said, date=date, persona=persona).stem

    def likes(self, item: str, *said: str, topic: str = "genres", stance: str = "like", **more: Any) -> str:
        """Write a session in which a preference is added, or changed if ``old_item`` or ``update_type`` is given."""
        date = more.pop("date", "2025-06-01")
        details = {"item": item, "preference": stance, "subcategory": topic, **more}
        return self.session("preference", "update" if more else "add", details, *said, date=date)

    def question(
        self,
        task: str,
        name: str,
        text: str,
        evidence: dict[str, Any],
        forgotten: list[dict[str, Any]] | None = None,
        *,
        date: str = "2025-06-07",
    ) -> None:
        """Add a question with its evidence."""
        item: dict[str, Any] = {
            "question_id": name,
            "question": text,
            "question_date": date,
            "memory_evidence": evidence,
        }
        if forgotten is not None:
            item["forgetting_evidence"] = {"forgotten_items": forgotten, "total_forgotten_items": len(forgotten)}
        self._questions[task].append(item)
        self._write()

    def _write(self) -> None:
        name = f"evaluation_questions_{self.folder.name}.json"
        document = {"persona": self.folder.name, "questions": self._questions}
        (self.folder / name).write_text(json.dumps(document), encoding="utf-8")


def film_lover(folder: Path) -> WrittenPersona:
    """Return a persona who turned from opera to jazz, whose list lost an entry, and who bought coffee twice."""
    persona = WrittenPersona(folder)
    persona.likes("opera", "I really love opera, it moves me.")
    todo = {"task_type": "home", "description": "Water the ferns", "created_at": "2025-06-01"}
    persona.session("activity", "add", {"category": "todo_list", "item": todo}, "Put 'Water the ferns' on my list.")
    kept = {**todo, "description": "Paint the fence"}
    persona.session("activity", "add", {"category": "todo_list", "item": kept}, "Put 'Paint the fence' on my list.")
    for amount in (3.5, 4.25):
        item = {"expense_type": "coffee", "amount": amount, "created_at": "2025-06-02"}
        details = {"category": "food_expenses", "item": item}
        persona.session("activity", "add", details, f"I paid ${amount:.2f} for coffee.", date="2025-06-02")
    persona.likes(
        "jazz",
        "I used to love opera, but lately I prefer jazz music.",
        old_item="opera",
        date="2025-06-03",
    )
    persona.session(
        "activity", "delete", {"category": "todo_list", "item": todo}, "'Water the ferns' is done.", date="2025-06-03"
    )
    persona.question(
        "recommending",
        "pref_music_general_7",
        "Can you suggest me some music?",
        {"memory_items": {"genres": {"likes": [{"item": "jazz", "session_id": 6}], "dislikes": []}}},
        [{"value": "opera", "session_id": 6}],
    )
    persona.question(
        "remembering",
        "activity_todos_7",
        "What is on my list?",
        {"remaining_tasks": [{"value": "Paint the fence", "session_id": 3}]},
        [{"value": "Water the ferns", "session_id": 7}],
    )
    entries = [{"expense_type": "coffee", "amount": amount, "session_id": n} for n, amount in ((4, 3.5), (5, 4.25))]
    persona.question(
        "reasoning", "activity_food_coffee_7", "How much did I spend on coffee?", {"expense_items": entries}
    )
    return persona
