"""``mars forget``, ``budget``, ``restore``, ``expire`` and ``clock confirm``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from marskg.clock import SYSTEM_CLOCK, SystemClock
from marskg.policies.registry import POLICY_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome, Seeded


@pytest.fixture(autouse=True)
def _one_moment(seeded: Seeded, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no time pass between the commands of a test: scores go by ages, and those of the seeded store are small.

    The store is asked for so that it is made before that moment.
    """
    assert seeded.ids
    now = SYSTEM_CLOCK.now_ms()
    monkeypatch.setattr(SystemClock, "now_ms", lambda _: now)


ACTION = {"id", "action", "reason", "kind", "weight", "score", "rule", "features"}


@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_a_dry_run_is_the_plan_that_is_then_applied(here: Callable[..., Outcome], policy: str) -> None:
    before = here("stats", "--json").json()
    arguments = ["forget", "--policy", policy, "--budget", 40, "--seed", 7, "--json"]
    planned = here(*arguments, "--dry-run").json()
    assert here("stats", "--json").json() == before, "a dry run changed the store"
    assert planned["applied"] is False
    done = here(*arguments).json()
    assert done["applied"] is True
    assert done["actions"] == planned["actions"]
    assert done["digest"] == planned["digest"]
    after = here("stats", "--json").json()
    assert after["weight"] == done["weight_after"] <= 40
    assert after["budget"] == 400, "--budget of forget is for this once"
    assert done["freed_tokens"] == done["weight_before"] - done["weight_after"]
    taken = sum(action["weight"] for action in done["actions"])
    assert done["freed_tokens"] == taken - sum(summary["weight"] for summary in done["summaries"])
    assert done["realised_loss"] <= done["bound"]
    assert all(set(action) == ACTION and action["reason"] for action in done["actions"])


def test_what_was_forgotten_is_gone_and_the_log_says_why(here: Callable[..., Outcome]) -> None:
    done = here("forget", "--budget", 40, "--json").json()
    gone = done["actions"][0]
    assert here("get", gone["id"]).status == 1
    records = here("audit", "list", "--json").json()["records"]
    reasons = {
        slot["memory"]: slot["reason"] for record in records for slot in record["details"][1:] if "reason" in slot
    }
    assert reasons[gone["id"]] == gone["reason"]
    assert here("verify").status == 0
    assert here("validate", "--full").status == 0


def test_what_is_protected_stays(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    protected = here("stats", "--json").json()["protected_weight"]
    assert here("forget", "--budget", protected).status == 0
    for name in ("pinned", "task", "visa"):
        assert here("get", ids[name]).status == 0, name
    refused = here("forget", "--budget", protected - 1)
    assert refused.status == 1
    assert "protected" in refused.error


def test_forget_says_in_words_what_it_did(here: Callable[..., Outcome]) -> None:
    assert "would free" in here("forget", "--budget", 40, "--dry-run").out
    assert "fifo freed" in here("forget", "--budget", 40).out
    assert "nothing to forget" in here("forget").out


def test_budget_is_for_good_and_forgets_at_once(here: Callable[..., Outcome]) -> None:
    changed = here("settings", "budget", 45, "--json").json()
    assert (changed["budget"], changed["budget_before"]) == (45, 400)
    assert changed["weight_after"] <= 45 < changed["weight_before"]
    assert here("stats", "--json").json()["budget"] == 45


def test_what_is_latent_comes_back(here: Callable[..., Outcome]) -> None:
    assert here("settings", "policy.evict_to=latent").status == 0
    done = here("forget", "--budget", 40, "--json").json()
    gone = done["actions"][0]["id"]
    assert here("get", gone, "--json").json()["tier"] == "latent"
    assert here("restore", gone, "--json").json()["tier"] == "live"
    again = here("restore", gone)
    assert again.status == 1
    assert "latent" in again.error


def test_expiry_and_the_clock_answer(here: Callable[..., Outcome]) -> None:
    assert here("maintenance", "expire", "--json").json() == {"expired": 0, "expiry_suspended": False}
    assert here("maintenance", "expire").out == "0 expired\n"
    assert here("maintenance", "confirm-clock", "--json").json() == {"confirmed": False}


def test_policies_are_compared_side_by_side_and_nothing_changes(
    here: Callable[..., Outcome], tmp_path: Path, ids: dict[str, str]
) -> None:
    path = tmp_path / "questions.txt"
    path.write_text("what does Ana drink?\n\nwho is a friend of Ana?\n", encoding="utf-8")
    before = here("stats", "--json").out
    arguments = ["forget", "--compare", "fifo,lru, priority-decay", "--budget", 30, "--questions", path]
    found = here(*arguments, "--json").json()
    assert here("stats", "--json").out == before, "a comparison changed the store"
    assert [one["policy"] for one in found["policies"]] == ["fifo", "lru", "priority-decay"]
    assert [one["number"] for one in found["questions"]] == [1, 2]
    for one in found["policies"]:
        planned = here("forget", "--policy", one["policy"], "--budget", 30, "--dry-run", "--json").json()
        assert one["ids"] == [action["id"] for action in planned["actions"]]
        assert one["freed_tokens"] == found["weight_before"] - one["weight_after"]
        assert one["realised_loss"] <= one["bound"]
        gone = {asked["number"] for asked in found["questions"] if asked["best"] in one["ids"]}
        assert {asked["number"] for asked in one["lost"]} == gone
    assert ids["pinned"] not in {ident for one in found["policies"] for ident in one["ids"]}
    shown = here(*arguments).out
    assert "nothing was changed" in shown
    assert "answers lost" in shown


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--compare", " , "], "names no policy"),
        (["--compare", "fifo", "--policy", "lru"], "leave --policy and --seed out"),
        (["--questions", __file__], "goes with --compare"),
        (["--compare", "fifo,oldest"], "there is no policy 'oldest'"),
        (["--compare", "fifo", "--questions", "{binary}"], "cannot be read"),
    ],
)
def test_a_comparison_that_cannot_be_meant_is_refused(
    here: Callable[..., Outcome], tmp_path: Path, arguments: list[str], says: str
) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    refused = here("forget", *(str(binary) if one == "{binary}" else one for one in arguments))
    assert refused.status == 2
    assert says in refused.error


def test_a_goal_is_set_for_one_run(here: Callable[..., Outcome]) -> None:
    arguments = ["forget", "--policy", "density", "--budget", 40, "--json"]
    without = here(*arguments, "--dry-run").json()
    with_goal = here(*arguments, "--dry-run", "--goal", "renew the visa").json()
    assert "goal=set by the caller" in with_goal["parameters"]
    assert here(*arguments, "--dry-run").json()["parameters"] == without["parameters"], "it is over with its run"
    done = here(*arguments, "--goal", "renew the visa").json()
    assert [one["id"] for one in done["actions"]] == [one["id"] for one in with_goal["actions"]]


def test_policies_are_compared_with_a_goal(here: Callable[..., Outcome]) -> None:
    arguments = ["--budget", 40, "--goal", "renew the visa", "--json"]
    planned = here("forget", "--policy", "density", "--dry-run", *arguments).json()
    compared = here("forget", "--compare", "fifo,density", *arguments).json()
    assert compared["policies"][1]["digest"] == planned["digest"]
    without = here("forget", "--compare", "fifo,density", *arguments[:2], "--json").json()
    assert without["policies"][0]["digest"] == compared["policies"][0]["digest"]
    assert without["policies"][1]["digest"] != compared["policies"][1]["digest"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--policy", "density", "--goal", " "], "goal is empty; "),
        (["--policy", "density", "--goal", "x" * 65_537], "goal has 65,537 bytes, more than 65,536"),
        (["--policy", "lru", "--goal", "tea"], "lru goes by no features, so that --goal would change nothing"),
        (["--goal", "tea"], "fifo goes by no features, so that --goal would change nothing"),
        (["--compare", "fifo,lru", "--goal", "tea"], "fifo, lru go by no features"),
        (["--compare", "fifo,oldest", "--goal", "tea"], "there is no policy 'oldest'"),
        (["--policy", "random-drop", "--seed", "-1"], "-1 is not in the range x>=0"),
    ],
)
def test_a_goal_or_seed_that_cannot_be_meant_is_refused(
    here: Callable[..., Outcome], arguments: list[str], says: str
) -> None:
    refused = here("forget", *arguments, "--dry-run")
    assert refused.status == 2
    assert says in refused.error


def test_hybrid_shows_what_each_stage_freed(here: Callable[..., Outcome]) -> None:
    planned = here("forget", "--policy", "hybrid", "--budget", 40, "--dry-run", "--json").json()
    assert [stage["stage"] for stage in planned["stages"]] == ["temporal", "reflection", "importance", "privacy"]
    assert sum(stage["tokens"] for stage in planned["stages"]) == planned["freed_tokens"]
    assert "stage importance: " in here("forget", "--policy", "hybrid", "--budget", 40, "--dry-run").out
    assert here("forget", "--policy", "fifo", "--budget", 40, "--dry-run", "--json").json()["stages"] == []


def test_a_fit_without_feedback_is_refused_and_says_what_is_needed(here: Callable[..., Outcome]) -> None:
    refused = here("policy", "fit", "--json")
    assert refused.status == 2
    assert "a kind needs 50" in refused.err


def test_a_budget_is_advised_from_what_was_shown_and_nothing_changes(
    here: Callable[..., Outcome], tmp_path: Path
) -> None:
    here("retrieve", "what does Ana drink?")
    before = here("stats", "--json").out
    chart = tmp_path / "advice.svg"
    arguments = ["budget", "advise", "--rate", 0.9, "--recent", "90d", "--policy", "lru"]
    found = here(*arguments, "--chart", chart, "--json").json()
    assert here("stats", "--json").out == before, "advice changed the store"
    assert (found["policy"], found["rate"], found["budget_now"]) == ("lru", 0.9, 400)
    assert found["showings"] > 0
    enough = [one for one in found["replays"] if one["budget"] >= found["budget"]]
    assert enough
    assert all(one["rate"] >= 0.9 for one in enough)
    assert chart.read_text(encoding="utf-8").lstrip().startswith("<?xml")
    assert "would have kept 90%" in here(*arguments).out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--policy", "random-drop"], "cannot be replayed offline"),
        (["--rate", 0], "above 0 and at most 1"),
        (["--rate", 2], "rate"),
        (["--recent", "long"], "it must be a duration"),
        (["--chart", "advice.nothing"], "no suffix that a chart can have"),
    ],
)
def test_advice_that_cannot_be_given_is_refused(
    here: Callable[..., Outcome], arguments: list[object], says: str
) -> None:
    refused = here("policy", "advise-budget", *arguments)
    assert refused.status == 2
    assert says in refused.error


def test_a_budget_is_set_with_and_without_the_word(here: Callable[..., Outcome]) -> None:
    assert here("settings", "budget", 350, "--json").json()["budget"] == 350
    assert here("settings", "budget", 340, "--json").json() == {
        "budget": 340,
        "budget_before": 350,
        "weight_before": here("stats", "--json").json()["weight"],
        "weight_after": here("stats", "--json").json()["weight"],
    }


def test_advice_without_showings_names_no_budget_and_says_what_is_not_replayed(here: Callable[..., Outcome]) -> None:
    here("settings", "partitions.user_budget=90")
    told = here("policy", "advise-budget", "--recent", "1s", "--policy", "lru")
    assert "there is nothing to go by, and no budget is advised" in told.out
    assert "would have kept" not in told.out
    assert "the budget of each user (90 tokens) is not replayed" in told.err + told.out
    assert here("policy", "advise-budget", "--recent", "1s", "--policy", "lru", "--json").json()["budget"] is None


def test_a_chart_without_its_library_names_the_extra(
    here: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("marskg.cli.groups.budget_advice.find_spec", lambda _name: None)
    refused = here("policy", "advise-budget", "--policy", "lru", "--chart", tmp_path / "advice.svg")
    assert refused.status == 2
    assert "pip install 'marskg[chart]'" in refused.error


def test_a_file_without_questions_is_refused(here: Callable[..., Outcome], tmp_path: Path) -> None:
    empty = tmp_path / "questions.txt"
    empty.write_text("\n  \n", encoding="utf-8")
    refused = here("forget", "--compare", "fifo,lru", "--questions", empty)
    assert refused.status == 2
    assert "has no question; write one a line" in refused.error
