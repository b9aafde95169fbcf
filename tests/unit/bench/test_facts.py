"""The bench of facts: what counts as said, and that it runs on the conversations that come with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from marskg.errors import InvalidDocument
from marskg_bench.common.conversations import conversations
from marskg_bench.facts import main
from marskg_bench.talks.reading import matching
from marskg_bench.talks.talk import WRITTEN, Gold, observed, written
from tests.support.two_people import GARDEN, write

if TYPE_CHECKING:
    from pathlib import Path


def test_a_text_says_a_fact_of_its_turn_by_half_of_its_stems_once_and_briefly() -> None:
    lives, likes = (Gold(text, frozenset({3}), ()) for text in ("Ann lives in Oslo", "Ann likes ripe plums"))
    assert matching([(3, "Ann lives in Oslo"), (3, "Ann is living in Oslo")], [lives]) == {0: 0}
    assert matching([(2, "Ann lives in Oslo")], [lives]) == {}
    assert matching([(3, "Ann lives in Oslo with seven cats, two dogs and a parrot")], [lives]) == {}
    # The first may say either; both are found only if it leaves the other one to the second.
    assert matching([(3, "Ann likes Oslo"), (3, "Ann lives in Oslo")], [lives, likes]) == {0: 1, 1: 0}


def test_the_bench_measures_what_people_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = [
        {
            "id": "t1",
            "session": "s",
            "at": "2025-03-03T07:50:00",
            "speaker": "Ann",
            "role": "user",
            "text": "I live in Oslo.",
        },
        {
            "id": "t2",
            "session": "s",
            "at": "2025-03-03T07:51:00",
            "speaker": "Ann",
            "role": "user",
            "text": "Rain again.",
        },
    ]
    fact = {"turns": ["t1"], "kind": "profile", "operation": "add", "statement": "Ann lives in Oslo"}
    talk = {"name": "one", "turns": turns, "facts": [fact], "not_facts": [{"turn": "t2", "why": "joke"}]}
    (tmp_path / "one.json").write_text(json.dumps(talk), encoding="utf-8")
    assert main([str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["sets"][str(tmp_path)]
    assert found["recall"]["profile"] == {"mean": 1.0, "low": None, "high": None, "of": 1}
    assert found["precision"]["all"]["mean"] == 1.0
    assert found["idle"]["mean"] == 0.0
    assert "Oslo" not in json.dumps(found)


def test_what_comes_with_the_bench_is_whole() -> None:
    for name in ("dev", "held"):
        for talk in written(WRITTEN / name):
            assert talk.facts
            assert len({turn.at for turn in talk.turns}) == len(talk.turns)


def test_a_file_that_breaks_the_layout_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidDocument, match="holds no conversation"):
        written(tmp_path)
    (tmp_path / "one.json").write_text('{"name": "one", "turns": [], "facts": [{"turns": ["t9"]}]}', encoding="utf-8")
    with pytest.raises(InvalidDocument, match=r"one\.json"):
        written(tmp_path)


def test_observations_of_locomo_are_facts_of_their_turns(tmp_path: Path) -> None:
    noted = {"session_1_observation": {"Ben": [["Ben saw a heron.", "D1:4"], ["Nobody said this.", "D9:9"]]}}
    talk = observed(conversations(write(tmp_path / "some.json", {**GARDEN, "observation": noted}))[0])
    assert [(one.statement, [talk.turns[place].text for place in one.turns]) for one in talk.facts] == [
        ("Ben saw a heron.", ["Look!"])
    ]
