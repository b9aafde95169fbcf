"""``mars maintain``, ``session end``, ``tenant …`` and ``policy check`` of settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome


@pytest.mark.parametrize("name", ["clinical-notes", "customer-support", "personal-assistant", "research-agent"])
def test_an_example_opens_a_store_that_is_kept_lean(mars: Callable[..., Outcome], tmp_path: Path, name: str) -> None:
    store = ("--store", tmp_path / "memory")
    assert mars("init", "--config", EXAMPLES / "settings" / f"{name}.yaml", *store).status == 0
    assert mars("remember", "Ann likes tea", "--subject", "ann", *store).status == 0
    done = mars("maintain", "--json", *store).json()
    assert (done["applied"], done["plan"]["actions"], done["shortened"]) == (True, [], [])
    assert mars("maintain", "--dry-run", "--json", *store).json()["head"] is None
    assert mars("verify", *store).status == 0


def test_a_session_ends_and_a_subscription_begins(mars: Callable[..., Outcome], tmp_path: Path) -> None:
    store = ("--store", tmp_path / "memory")
    assert mars("init", *store).status == 0
    assert mars("settings", "lives=memoryarchitect", *store).status == 0
    said = mars("remember", "Hold on", "--session", "s", "--class", "ephemeral", *store)
    assert said.status == 0
    assert mars("maintenance", "end-session", "s", "--json", *store).json() == {"session": "s", "expired": 1}
    assert mars("maintenance", "end-session", "s", *store).out == "0 ended with the session\n"
    assert mars("init", "--tenant", "book", *store).status == 0
    refused = mars("settings", "subscribe", "book", *store)
    assert (refused.status, "lean.shared=true" in refused.error) == (1, True)
    assert mars("settings", "lean.shared=true", "--tenant", "book", *store).status == 0
    assert mars("settings", "subscribe", "book", "--json", *store).json() == {"subscriptions": ["book"]}
    assert mars("settings", "subscriptions", *store).out == "subscribed to book\n"
    assert mars("settings", "unsubscribe", "book", *store).out == "subscribed to no other tenant\n"
    assert mars("settings", "unsubscribe", "book", *store).status == 2


def test_settings_are_checked_without_a_store(mars: Callable[..., Outcome], tmp_path: Path) -> None:
    file = tmp_path / "mars.yaml"
    file.write_text("lean: {shared: true, archive_after: 60d}\n", encoding="utf-8")
    found = mars("policy", "check", file, "--json").json()
    assert found["differs"] == [
        {"setting": "lean.archive_after", "value": "60d", "default": "90d"},
        {"setting": "lean.shared", "value": "true", "default": "false"},
    ]
    file.write_text("lives: memoryarchitect\non_expiry: archive\n", encoding="utf-8")
    found = mars("policy", "check", file, "--json").json()
    assert {row["setting"]: row["value"] for row in found["differs"]} == {
        "lives.factual": "30d", "lives.intent_bound": "1d", "lives.ephemeral": "1h", "on_expiry": "archive",
    }  # fmt: skip
    file.write_text("lives: forever\n", encoding="utf-8")
    assert "default, memoryarchitect" in mars("policy", "check", file, "--json").out
    file.write_text("lean: {shared: perhaps}\n", encoding="utf-8")
    wrong = mars("policy", "check", file)
    assert (wrong.status, "lean.shared" in wrong.out) == (1, True)
