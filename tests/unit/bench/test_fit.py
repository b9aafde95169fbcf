"""Weights that are learned from labelled questions: what tells the evidence counts more, what does not is held."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from marskg.errors import InvalidDocument
from marskg_bench.common.conversations import conversations
from marskg_bench.retrievals.fit import Asked, Source, figures, learned, names

if TYPE_CHECKING:
    from pathlib import Path

TALK: dict[str, Any] = {
    "turns": [
        {"id": 1, "role": "user", "text": "I moved to Graz", "date": "2025-05-17", "session": 1},
        {"id": 2, "role": "assistant", "text": "How nice!", "date": "2025-05-17", "session": 1},
        {"id": 3, "speaker": "Ann", "text": "Hello", "date": "2025-05-18T09:30:00Z", "session": 2},
    ],
    "questions": [
        {"question": "Where do I live? ", "evidence": [1], "ability": "information_extraction"},
        {"question": "What is my shoe size?", "evidence": [], "ability": "abstention"},
        {"question": "Sum it up", "evidence": [1, 2], "ability": "summarization"},
    ],
}


def _file(folder: Path, *talks: Any) -> Path:
    path = folder / "talks.json"
    path.write_text(json.dumps(talks))
    return path


def test_a_talk_with_labelled_questions_is_read(tmp_path: Path) -> None:
    (talk,) = conversations(_file(tmp_path, TALK))
    assert [(turn.speaker, turn.text, turn.role) for turn in talk.turns] == [
        ("user", "I moved to Graz", "user"),
        ("assistant", "How nice!", "assistant"),
        ("Ann", "Ann: Hello", ""),
    ]
    assert [turn.at - talk.turns[0].at for turn in talk.turns] == [0, 1_000, 120_600_000]
    assert [(one.text, one.category, one.evidence) for one in talk.questions] == [
        ("Where do I live?", "information_extraction", frozenset({0}))
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda one: one.pop("questions"), '"questions" is missing'),
        (lambda one: one["turns"].clear(), '"turns" is empty'),
        (lambda one: one["turns"][0].update(date="soon"), '"date" is no time'),
        (lambda one: one["turns"][0].update(role="boss"), '"role" is neither user nor assistant'),
        (lambda one: one["turns"][1].update(id=1), '"turns[1].id" is no text or number of its own'),
        (lambda one: one["questions"][0].update(question=7), '"question" must be a text'),
    ],
)
def test_a_field_that_breaks_the_layout_is_named(tmp_path: Path, change: Any, said: str) -> None:
    broken = json.loads(json.dumps(TALK))
    change(broken)
    with pytest.raises(InvalidDocument) as refused:
        conversations(_file(tmp_path, TALK, broken))
    assert said in str(refused.value)
    assert "conversation 2" in str(refused.value)


def _asked(draw: np.random.Generator, telling: str, size: int = 40) -> Asked:
    """Return a question whose evidence the feature ``telling`` tells, and no other."""
    parts = np.zeros((size, len(names())))
    parts[:, names().index("similarity")] = draw.random(size)
    parts[:, names().index("reply")] = draw.random(size) < 0.5
    evidence = np.arange(size) == draw.integers(size)
    parts[:, names().index(telling)] += evidence
    return Asked(parts, evidence, np.full(size, 20), np.arange(size) % 5)


def test_what_tells_the_evidence_counts_more_and_what_is_not_there_stays() -> None:
    draw = np.random.default_rng(1)
    start = np.ones(len(names()))
    found = dict(zip(names(), learned([[_asked(draw, "reply") for _ in range(60)]], start), strict=True))
    assert found["reply"] > 3
    assert 0 <= found["similarity"] < 1
    assert {name: found[name] for name in ("graph", "key", "exact", "score")} == {
        "graph": 1,
        "key": 1,
        "exact": 1,
        "score": 1,
    }


def test_a_conversation_is_measured_by_weights_that_were_learned_without_it() -> None:
    draw = np.random.default_rng(2)
    talks = {f"t{number}": [_asked(draw, "reply") for _ in range(20)] for number in range(3)}
    talks["odd"] = [_asked(draw, "time") for _ in range(20)]
    found = figures([Source("f", talks)], [60, 2_000])
    shares = found["evidence"]["f"]
    assert shares["used"].keys() == shares["learned"].keys() == {"60", "2000"}
    # What tells the odd one was not seen by the weights that it is measured with.
    alone = figures([Source("f", {"odd": talks["odd"], "even": talks["t1"]})], [60])["evidence"]["f"]
    assert alone["learned"]["60"] < shares["learned"]["60"] <= 1


def test_long_turns_take_a_share_of_the_budget() -> None:
    parts = np.zeros((4, len(names())))
    parts[:, 0] = [4, 3, 2, 1]
    asked = Asked(parts, np.array([0, 0, 1, 0], dtype=np.bool_), np.array([900, 900, 900, 900]), np.zeros(4, dtype=int))
    weights = np.ones(len(names()))
    assert asked.found(weights, [200, 400, 1_000]) == [0.0, 1.0, 1.0]
