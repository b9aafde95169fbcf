"""Conversations between two people in LoCoMo's layout, written for tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path


def said(session: int, *lines: str) -> list[dict[str, Any]]:
    """Return the turns of a session; each line is ``speaker: text``."""
    turns = []
    for number, line in enumerate(lines, 1):
        speaker, _, text = line.partition(": ")
        turns.append({"speaker": speaker, "dia_id": f"D{session}:{number}", "text": text})
    return turns


def asked(category: int, question: str, *evidence: str) -> dict[str, Any]:
    """Return a question with its evidence."""
    return {"question": question, "category": category, "evidence": list(evidence), "answer": "-"}


GARDEN: Final[dict[str, Any]] = {
    "sample_id": "garden",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            *said(1, "Ben: What is new in your garden?", "Ana: The tomatoes are ripe at last.", "Ben: I am glad!"),
            {"speaker": "Ben", "dia_id": "D1:4", "text": "Look!", "blip_caption": "a heron by a pond"},
        ],
        "session_2_date_time": "9:05 am on 2 July, 2023",
        "session_2": said(2, "Ben: Did it rain?", "Ana: No, so I sowed beans under the old pear tree."),
    },
    "qa": [
        asked(4, "What is ripe in the garden?", "D1:2"),
        asked(1, "What does Ana grow?", "D1:2; D2:2", "D"),
        asked(5, "What bird did Ana paint?", "D1:4"),
        asked(3, "Would Ana move to a city?", "D9:9"),
    ],
}
TRAVEL: Final[dict[str, Any]] = {
    "sample_id": "travel",
    "conversation": {
        "session_1_date_time": "8:00 pm on 3 March, 2024",
        "session_1": said(1, "Cleo: The ferry to Bergen leaves at nine.", "Dan: Then I pack my skis tonight."),
    },
    "qa": [asked(2, "When does the ferry leave?", "D1:1"), asked(4, "What does Dan pack?", "D1:2")],
}


def write(path: Path, *conversations: dict[str, Any]) -> Path:
    """Write a file of LoCoMo."""
    path.write_text(json.dumps(list(conversations)), encoding="utf-8")
    return path
