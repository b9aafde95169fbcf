"""``mars privacy budget`` and ``mars forget --policy private``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Outcome

#: Tokens to free: less than the standings may give together, so that there is something to choose from.
SOME: int = 8


def test_what_was_spent_is_shown(here: Callable[..., Outcome]) -> None:
    nothing = here("privacy", "budget", "--json").json()
    assert (nothing["spent"], nothing["budget"], nothing["left"]) == (0.0, 10.0, 10.0)
    assert "spends nothing" in here("privacy", "budget").err
    weight = here("stats", "--json").json()["weight"]
    done = here("forget", "--policy", "private", "--budget", weight - SOME, "--json").json()
    assert done["applied"] is True
    assert done["seed"] is None
    assert {action["score"] for action in done["actions"]} <= {0}
    found = here("privacy", "budget", "--json").json()
    assert found["spent"] > 0
    assert found["choices"] >= 1
    shown = here("privacy", "budget").out
    assert f"epsilon {found['spent']:g} spent of 10" in shown
    for one in found["conversations"]:
        assert one["digest"] in shown
    assert here("verify").status == 0


def test_a_dry_run_a_comparison_and_a_seed_are_refused(here: Callable[..., Outcome]) -> None:
    for arguments in (["--policy", "private", "--dry-run"], ["--compare", "fifo,private", "--budget", 10]):
        refused = here("forget", *arguments)
        assert refused.status == 1
        assert "mars forget --policy private" in refused.err
    assert here("forget", "--policy", "private", "--seed", 3).status == 2
    assert here("forget", "--policy", "fifo", "--strict").status == 2
    assert here("privacy", "budget", "--json").json()["spent"] == 0


def test_strict_is_refused_when_the_budget_is_spent(here: Callable[..., Outcome]) -> None:
    here("settings", "privacy.epsilon_budget=0")
    weight = here("stats", "--json").json()["weight"]
    refused = here("forget", "--policy", "private", "--budget", weight - SOME, "--strict")
    assert refused.status == 1
    assert "is spent" in refused.err
    assert here("stats", "--json").json()["weight"] == weight
    assert here("forget", "--policy", "private", "--budget", weight - SOME).status == 0
