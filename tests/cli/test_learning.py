"""Commands about learning from use: feedback, conflicts, review, wish."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.chat_server import chat_server

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome


@pytest.fixture
def fresh(tmp_path: Path) -> str:
    """Return where a store of its own goes."""
    return str(tmp_path / "fresh")


def test_feedback_moves_scores_once(mars: Callable[..., Outcome], fresh: str) -> None:
    ident = mars("remember", "Tomatoes need sun", "--kind", "semantic", "--store", fresh).out.strip()
    retrieval = mars("retrieve", "tomatoes", "--store", fresh, "--json").json()["id"]
    outcome = mars("feedback", retrieval, "--used", ident, "--store", fresh)
    assert outcome.status == 0, outcome.err
    assert "50 → 60" in outcome.out
    again = mars("feedback", retrieval, "--used", ident, "--store", fresh)
    assert again.status == 2
    assert "already" in again.err


def test_conflicts_are_listed_and_resolved_only_when_asked(mars: Callable[..., Outcome], fresh: str) -> None:
    old = mars("remember", "I like black coffee", "--store", fresh).out.strip()
    new = mars("remember", "I no longer like black coffee", "--store", fresh).out.strip()
    (found,) = mars("learning", "conflicts", "--store", fresh, "--json").json()["conflicts"]
    assert (found["winner"], found["loser"], found["action"]) == (new, old, "none")
    assert mars("learning", "conflicts", "--resolve", "review", "--store", fresh).status == 0
    assert old in mars("learning", "review", "--store", fresh).out
    with chat_server() as server:
        server.model = lambda _: {"verdicts": [{"verdict": "contradict"}]}
        mars("settings", f"models.judge=openai:m@{server.url}", "--store", fresh)
        listed = mars("learning", "review", "--store", fresh)
    assert "a model says: they contradict" in " ".join(listed.out.split())
    (opinion,) = mars("learning", "review", "--store", fresh, "--json").json()["opinions"]
    assert {opinion["one"], opinion["other"]} == {old, new}
    assert mars("learning", "review", "accept", old, "--store", fresh).out.strip() == f"{old}: superseded"
    assert mars("learning", "review", "reject", old, "--store", fresh).status == 2
    assert mars("learning", "review", "prune", "--dry-run", "--store", fresh, "--json").json()["actions"] == []


def test_a_wish_says_what_it_acts_on(mars: Callable[..., Outcome], fresh: str) -> None:
    ident = mars("remember", "Tomatoes need sun", "--kind", "semantic", "--store", fresh).out.strip()
    (heard,) = mars("learning", "wish", "forget about tomatoes", "--store", fresh, "--json").json()["wishes"]
    assert (heard["kind"], heard["about"]) == ("forget", [ident])
    assert mars("retrieve", "tomatoes", "--store", fresh, "--json").json()["hits"] == []
    assert mars("learning", "wish", "tomatoes are red", "--store", fresh).status == 2


def test_what_is_not_to_be_kept_is_refused_and_counted(
    mars: Callable[..., Outcome], fresh: str, tmp_path: Path
) -> None:
    refused = mars("remember", "Don't remember this: the code is zyzzyva", "--store", fresh)
    assert refused.status != 0
    assert "not kept" in refused.err
    assert "zyzzyva" not in refused.err + refused.out
    file = tmp_path / "talk.jsonl"
    lines = ("I live in Halle", "Off the record: the code is zyzzyva")
    turns = [{"role": "user", "content": one, "timestamp": 1_772_353_800_000, "session": "z"} for one in lines]
    file.write_text("\n".join(map(json.dumps, turns)), "utf-8")
    learned = mars("learn", str(file), "--store", fresh, "--json")
    assert learned.json()["not_kept"] == 1
    imported = mars("import", "chat", str(file), "--store", fresh, "--json").json()
    assert (imported["not_kept"], imported["pointless"]) == (1, 0)
    kept = mars("remember", "Off the record: the code is 4711", "--keep", "--store", fresh)
    assert kept.status == 0, kept.err
