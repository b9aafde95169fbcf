"""Commands about single memories: remember, get, history, update, retract, affirm, pin, task, link."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import JUNE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome

CARD = "The number is 4111 1111 1111 1111"
NOBODY = "urn:uuid:01890000-0000-7000-8000-000000000000"


def test_remember_prints_the_id_alone(here: Callable[..., Outcome]) -> None:
    outcome = here("remember", "I water the tomatoes twice a week", "--session", "s2")
    assert outcome.status == 0
    assert here("get", outcome.out.strip(), "--json").json()["content"] == "I water the tomatoes twice a week"
    assert "of 400 tokens are in use" in outcome.err


def test_remember_takes_every_field(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    outcome = here(
        "remember", "Ana rents a garage", "--json",
        "--kind", "semantic", "--payload", '{"concept": "garage", "amount": 60.5, "unit": "EUR"}',
        "--subject", "ana", "--subject", "rui", "--key", "garage", "--cardinality", "set",
        "--derives-from", ids["turn"], "--depends-on", ids["flat"].removeprefix("urn:uuid:"), "--goal", ids["task"],
        "--edge", "partOf", ids["flat"], "--mention", "Porto", "--mention", "garage",
        "--at", "2026-06-02T00:00:00+02:00", "--ttl", "90d", "--sensitivity", 0.25, "--class", "canonical",
        "--intent", "housing", "--metadata", '{"lease": {"page": 3}}',
        "--source-type", "doc", "--source-ref", "lease.pdf", "--reliability", 0.9, "--pin",
        "--id", "0189abcd-0000-7000-8000-00000000abcd",
    )  # fmt: skip
    assert outcome.status == 0, outcome.err
    made = outcome.json()
    assert made["id"] == "urn:uuid:0189abcd-0000-7000-8000-00000000abcd"
    assert made["payload"] == {"concept": "garage", "amount": 60.5, "unit": "EUR"}
    assert made["metadata"] == {"lease": {"page": 3}}
    assert made["subjects"] == ["ana", "rui"]
    assert made["valid_from"] == JUNE + 86_400_000 - 2 * 3_600_000
    expected = {"key": "garage", "cardinality": "set", "sensitivity": 0.25, "reliability": 0.9, "pinned": True}
    assert {name: made[name] for name in expected} == expected
    edges = {(edge["type"], edge["target"]) for edge in here("get", made["id"], "--json").json()["edges"]}
    drawn = {("derivesFrom", "turn"), ("dependsOn", "flat"), ("attachesToGoal", "task"), ("partOf", "flat")}
    assert {(type_, ids[name]) for type_, name in drawn} <= edges


def test_a_task_has_status_priority_and_deadline(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    made = here(
        "remember", "Renew the lease", "--kind", "task", "--status", "open", "--priority", 2,
        "--deadline", "2026-12-24T12:00:00Z", "--requires", ids["flat"], "--json",
    ).json()  # fmt: skip
    assert (made["status"], made["priority"], made["deadline"]) == ("open", 2, 1_798_113_600_000)


def test_text_comes_from_standard_input(here: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("two\nlines\n"))
    assert here("remember", "-", "--json").json()["content"] == "two\nlines"


def test_get_shows_a_memory_and_its_edges(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    shown = here("get", ids["tea"]).out
    assert "Ana drinks tea" in shown
    assert f"derivesFrom {ids['turn']}" in shown
    assert "drink (single)" in shown


@pytest.mark.parametrize(
    "command", [["get", NOBODY], ["history", NOBODY], ["update", NOBODY, "x"], ["policy", "pin", NOBODY]]
)
def test_what_does_not_exist_is_refused(here: Callable[..., Outcome], command: list[str]) -> None:
    outcome = here(*command)
    assert outcome.status == 1
    assert NOBODY in outcome.error


def test_history_has_the_oldest_first(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    found = here("history", ids["tea"], "--json").json()["versions"]
    assert [item["id"] for item in found] == [ids["coffee"], ids["tea"]]
    table = here("history", ids["coffee"]).out
    assert table.index("coffee") < table.index("Ana drinks tea")


def test_update_supersedes(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    new = here("update", ids["tea"], "Ana drinks water").out.strip()
    versions = here("history", new, "--json").json()["versions"]
    assert [item["content"] for item in versions] == ["Ana drinks coffee", "Ana drinks tea", "Ana drinks water"]
    again = here("update", ids["tea"], "Ana drinks milk")
    assert again.status == 1
    assert "mars history" in again.error


def test_retract_ends_the_current_value(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    closed = here("retract", "drink", "--subject", "ana", "--json").json()["closed"]
    assert [item["id"] for item in closed] == [ids["tea"]]
    again = here("retract", "drink", "--subject", "ana")
    assert (again.status, again.out) == (0, "")
    assert "no current value" in again.err


def test_affirm_confirms_what_rests_on_a_superseded_base(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    assert here("update", ids["flat"], "The flat is in Rua do Almada").status == 0
    assert here("get", ids["rent"], "--json").json()["unaffirmed_since"] is not None
    assert here("learning", "affirm", ids["rent"], "--json").json()["unaffirmed_since"] is None


def test_pin_and_unpin(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    assert here("policy", "pin", ids["rent"], "--json").json()["pinned"] is True
    assert here("stats", "--json").json()["protected_weight"] > 0
    assert here("policy", "unpin", ids["rent"], "--json").json()["pinned"] is False


def test_a_task_is_amended(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    assert here("tasks", "amend", ids["task"], "--status", "done", "--priority", 1, "--json").json()["status"] == "done"
    assert here("tasks", "amend", ids["task"]).status == 2
    assert here("tasks", "amend", ids["flat"], "--status", "done").status != 0


def test_edges_are_drawn_and_removed(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    def edges() -> list[str]:
        return [edge["type"] for edge in here("get", ids["friend"], "--json").json()["edges"]]

    assert here("link", ids["friend"], "partOf", ids["flat"], "--weight", 0.5).status == 0
    assert "partOf" in edges()
    assert here("unlink", ids["friend"], "partOf", ids["flat"]).status == 0
    assert "partOf" not in edges()


def test_a_cycle_is_refused(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    outcome = here("link", ids["flat"], "dependsOn", ids["rent"])
    assert outcome.status == 1
    assert "cycle" in outcome.error


def test_stats_adds_up(here: Callable[..., Outcome]) -> None:
    figures = here("stats", "--json").json()
    assert sum(row["live"] for row in figures["by_kind"].values()) == figures["live"] == 10
    assert sum(row["weight"] for row in figures["by_kind"].values()) == figures["weight"] <= figures["budget"]
    assert "of 400 tokens in use" in here("stats").out


def test_what_a_memory_says_cannot_steer_the_terminal(here: Callable[..., Outcome]) -> None:
    made = here("remember", "red \x1b[31m alert \x07 \u202e gnp.exe", "--kind", "semantic", "--key", "k").out.strip()
    for shown in (here("get", made).out, here("history", made).out):
        assert "\x1b" not in shown
        assert "\x07" not in shown
        assert "\u202e" not in shown
    assert here("get", made, "--json").json()["content"].startswith("red \x1b[31m")


def test_json_is_readable_by_any_parser(here: Callable[..., Outcome]) -> None:
    outcome = here("remember", 'quotes " and \\ and 🍅 and é', "--json")
    assert json.loads(outcome.out)["content"] == 'quotes " and \\ and 🍅 and é'
    assert outcome.out.count("\n}\n") == 1


def test_an_import_tells_how_much_of_it_is_private_and_when_it_ends(
    here: Callable[..., Outcome], tmp_path: Path
) -> None:
    talk = tmp_path / "talk.jsonl"
    said = [{"role": "user", "content": text, "timestamp": "2026-06-01T10:00:00Z"} for text in (CARD, "It rains")]
    talk.write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    shown = here("import", "chat", str(talk), "--subject", "ana")
    assert shown.status == 0
    assert "note: private is the class of 1, 1 of them because they hold a secret" in shown.err
    assert CARD not in shown.out + shown.err
    (notice,) = here("import", "chat", str(talk), "--subject", "ben", "--json").json()["notices"]
    assert "the first ends at" in notice


def test_metadata_filters_and_is_replaced(here: Callable[..., Outcome]) -> None:
    made = here("remember", "The boiler was checked", "--metadata", '{"log": {"page": 3}}', "--json").json()

    def found(asked: str) -> list[str]:
        return [hit["memory"]["id"] for hit in here("retrieve", "boiler", "--metadata", asked, "--json").json()["hits"]]

    assert found('{"log.page": {"$lt": 4}}') == [made["id"]]
    assert found('{"log.page": true}') == []
    assert here("update", made["id"], "The boiler was mended", "--metadata", "{}", "--json").json()["metadata"] is None
    refused = here("retrieve", "boiler", "--metadata", '{"log.page": {"$near": 3}}')
    assert refused.status == 2
    assert "ranges $gt, $gte, $lt, $lte" in refused.err


def test_an_option_that_is_left_out_asks_for_nothing_and_an_empty_name_is_nobodys(here: Callable[..., Outcome]) -> None:
    here("remember", "Ann waters the tomatoes", "--subject", "Ann")
    for command in (("retrieve", "tomatoes", "--min-confidence", "0"), ("read",)):
        assert "tomatoes" in here(*command).out
        for option in ("--subject", "--session", "--intent"):
            assert "tomatoes" not in here(*command, option, "").out


def test_an_import_again_counts_what_was_there(mars: Callable[..., Outcome], tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    line = '{"role": "user", "content": "I planted %s", "timestamp": "2026-06-01T08:00:00Z"}\n'
    talk.write_text(line % "beans")
    where = ("--store", tmp_path / "new")
    assert "already" not in mars(*where, "import", "chat", talk).out
    talk.write_text(line % "beans" + line % "peas")
    again = mars(*where, "import", "chat", talk).out
    assert "1 item was there already" in again
    assert "not stored" not in again
    data = mars(*where, "--json", "import", "chat", talk).json()
    assert (data["imported"], data["known"], data["pointless"], data["transitions"]) == (0, 2, 0, 0)
    learned = mars(*where, "--json", "import", "chat", talk, "--learn").json()
    assert learned["known"] == 2
