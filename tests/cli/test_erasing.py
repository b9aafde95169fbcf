"""``mars erase`` on the command line: what it refuses before anything goes, and what it says of what stays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome


def test_a_name_of_which_nothing_is_seen_erases_nothing(here: Callable[..., Outcome]) -> None:
    here("remember", "Well! Then: nothing.")
    before = here("stats", "--json").json()
    for way in ("--entity", "--subject", "--session", "--source"):
        told = here("erase", way, "\u200b", "--yes")
        assert (told.status, told.out) == (2, "")
        assert f"the {way[2:]} to erase has no name of which anything is seen; write who" in told.error
    assert here("stats", "--json").json() == before


def test_a_subject_of_another_spelling_is_refused_by_its_name(here: Callable[..., Outcome]) -> None:
    here("remember", "He likes tea", "--subject", "Bob Dahl")
    for arguments in (("erase", "--subject", "bob dahl", "--yes"), ("subject", "report", "bob dahl")):
        told = here(*arguments)
        assert (told.status, told.out) == (2, "")
        assert "there is 'Bob Dahl': give the name so" in told.error
    assert here("remember", "He likes coffee", "--subject", "Bob Dahl").status == 0
    assert "erased 2 memories" in here("erase", "--subject", "Bob Dahl", "--yes").out


def test_a_rule_that_stays_is_told_with_the_command_that_removes_it(here: Callable[..., Outcome]) -> None:
    here("remember", "We met Hexolt")
    here("preferences", "set", "blacklisted_conversation", "Hexolt")
    looked = here("erase", "--entity", "hexolt", "--dry-run").out
    (said,) = (one for one in looked.splitlines() if "a rule with this name stays" in one)
    told = here("erase", "--entity", "hexolt", "--yes").out
    assert said in told
    assert "copies of snapshots that somebody took; preferences with the name" in told
    command = said.rpartition("mars ")[2].split()
    assert command[:2] == ["preferences", "remove"]
    assert here(*command).status == 0
    assert "a rule with this name" not in here("erase", "--entity", "hexolt", "--yes").out


def test_an_erased_text_comes_back_by_no_command(here: Callable[..., Outcome], tmp_path: Path) -> None:
    text = "My sister Ilse keeps the zyxquartz key under the third pot by the door"
    here("settings", "suppression.hits=null")
    ident = here("remember", text, "--json").json()["id"]
    assert here("erase", "--id", ident, "--yes").status == 0
    chat = tmp_path / "chat.jsonl"
    said = {"role": "user", "content": f"Re: {text}", "timestamp": "2026-01-01T10:00:00Z"}
    chat.write_text(json.dumps(said) + "\n", "utf-8")
    for arguments in (
        ("remember", f"Ilse: {text}"),
        ("remember", "It rains", "--metadata", json.dumps({"a": {text: {"x": 1}}})),
        ("remember", "It rains", "--session", text),
        ("remember", "It rains", "--source-ref", text),
        ("import", "chat", str(chat)),
        ("preferences", "consent", "carl", "--purpose", text),
    ):
        told = here(*arguments)
        assert told.status == 1, (arguments, told)
        assert "this text was erased" in told.error, (arguments, told.error)
        assert "zyxquartz" not in told.error + told.out
