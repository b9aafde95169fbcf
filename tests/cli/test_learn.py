"""``mars learn``: a text or a conversation becomes turns and facts; a plan, taking back, and what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from marskg.learning.from_text.text_learner import TextLearner
from tests.support.chat_server import chat_server
from tests.support.hostile_turns import ATTEMPTS, HOME, answered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome

TURNS = [
    {"role": "user", "content": "I live in Oslo.", "timestamp": "2026-01-01T10:00:00Z", "speaker": "Ana"},
    {"role": "assistant", "content": "Noted!", "timestamp": "2026-01-01T10:00:01Z"},
    {"role": "user", "content": "I moved to Malmö.", "timestamp": "2026-02-01T10:00:00Z", "speaker": "Ana"},
]


@pytest.fixture
def fresh(tmp_path: Path) -> str:
    """Return where a store of its own goes."""
    return str(tmp_path / "fresh")


@pytest.fixture
def talk(tmp_path: Path) -> str:
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(map(json.dumps, TURNS)), encoding="utf-8")
    return str(path)


def test_a_conversation_is_planned_learned_once_and_taken_back(
    mars: Callable[..., Outcome], fresh: str, talk: str
) -> None:
    planned = mars("learn", talk, "--dry-run", "--store", fresh, "--json").json()
    assert (planned["applied"], planned["new_turns"]) == (False, 3)
    assert [step["outcome"] for step in planned["steps"]] == ["stored", "changed"]
    found = mars("learn", talk, "--store", fresh, "--json").json()
    assert found["counts"] == {"stored": 1, "changed": 1}
    assert (len(found["turns"]), found["unread"]) == (3, 0)
    again = mars("import", "chat", talk, "--learn", "--store", fresh, "--json").json()
    assert (again["known"], again["steps"]) == (3, [])
    fact = found["steps"][1]["memory"]
    assert "It was read from" in mars("explain", fact, "--store", fresh).out
    undone = mars("learn", "--undo", found["call"], "--store", fresh)
    assert undone.out.startswith("2 ended")
    assert mars("learn", "--backlog", "--store", fresh, "--json").json()["turns"] == []
    assert mars("verify", "--store", fresh).status == 0


def test_a_text_is_the_users_words_or_passages(mars: Callable[..., Outcome], fresh: str, tmp_path: Path) -> None:
    page = tmp_path / "page.txt"
    page.write_text("I love tea.\n\nI hate jam.\n", encoding="utf-8")
    as_document = mars("learn", str(page), "--store", fresh, "--json").json()
    assert (len(as_document["turns"]), as_document["steps"]) == (2, [])
    own = mars("learn", str(page), "--role", "user", "--subject", "Ana", "--store", fresh, "--json").json()
    assert [step["content"] for step in own["steps"]] == ["Ana loves tea", "Ana hates jam"]


@pytest.mark.parametrize(
    "given",
    [
        (), ("FILE", "--backlog"), ("--backlog", "--undo", "x"), ("--undo", " "), ("missing.jsonl",), ("BINARY",),
        ("--undo", "x", "--dry-run", "FILE"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(
    mars: Callable[..., Outcome], fresh: str, talk: str, tmp_path: Path, given: tuple[str, ...]
) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    mars("init", "--store", fresh)
    named = {"FILE": talk, "BINARY": str(binary)}
    outcome = mars("learn", *(named.get(one, one) for one in given), "--store", fresh)
    assert outcome.status == 2
    assert "Traceback" not in outcome.err


def test_a_model_that_obeys_every_text_gets_nothing(mars: Callable[..., Outcome], fresh: str, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    lines = [("user", HOME, None), *ATTEMPTS.values()]
    turns = [
        {
            "role": role,
            "content": text,
            "timestamp": f"2026-02-01T10:00:{place:02}Z",
            "speaker": "Ana",
            "subjects": ["Ana"],
        }
        for place, (role, text, _) in enumerate(lines)
    ]
    path.write_text("\n".join(map(json.dumps, turns)), encoding="utf-8")
    planned = {text: found for _, text, found in ATTEMPTS.values()}

    def obeys(asked: dict[int, str]) -> Any:
        known: Any = next((found for text, found in planned.items() if any(text in one for one in asked.values())), {})
        return answered(known, asked)

    with chat_server() as server:
        server.model = obeys
        mars("init", "--store", fresh)
        mars("settings", f"models.extract=openai:m@{server.url}", "sensitivity.presidio=off", "--store", fresh)
        found = mars("learn", str(path), "--store", fresh, "--json").json()
        assert len(server.requests) > len(ATTEMPTS) // 2
    assert [
        step["content"] for step in found["steps"] if step["outcome"] in {"stored", "changed", "ended", "merged"}
    ] == ["Ana lives in Malmö"]
    assert mars("verify", "--store", fresh).status == 0


@pytest.mark.parametrize("backlog", [False, True])
def test_an_interruption_says_what_is_kept_and_keeps_that(
    mars: Callable[..., Outcome],
    fresh: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    backlog: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    path = tmp_path / "talk.jsonl"
    lines = [{**TURNS[0], "content": f"I live in town {number}.", "session": f"s{number}"} for number in range(20)]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    real = TextLearner.learn
    with chat_server() as server:
        server.model = lambda _: "no list" if backlog else {"facts": []}
        mars("init", "--store", fresh)
        mars("settings", f"models.extract=openai:m@{server.url}", "sensitivity.presidio=off", "--store", fresh)
        given: tuple[str, ...] = ("import", "chat", str(path), "--learn")
        if backlog:
            assert mars(*given, "--store", fresh, "--json").json()["unread"] == 20
            server.model = lambda _: {"facts": []}
            given = ("learn", "--backlog")
        total = len(server.requests)

        def interrupted(self: TextLearner, turns: Any, extractor: Any, progress: Any) -> Any:
            def advance(done: int) -> None:
                progress(done)
                raise KeyboardInterrupt

            return real(self, turns, extractor, advance)

        with monkeypatch.context() as patch:
            patch.setattr(TextLearner, "learn", interrupted)
            outcome = mars(*given, "--store", fresh)
        assert outcome.status == 130
        assert "8 of 20 turns are done, with what they say; go on with the same command" in outcome.err
        assert len(server.requests) == total + 8
        found = mars(*given, "--store", fresh, "--json").json()
        assert (len(found["turns"]), found["unread"]) == (12, 0)
        assert len(server.requests) == total + 20
    assert mars("verify", "--store", fresh).status == 0
