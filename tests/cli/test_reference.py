"""``docs/reference/cli.md`` says of each command what its help says."""

from __future__ import annotations

from pathlib import Path

from marskg.cli.reference import reference
from marskg.cli.tree import cli

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"


def test_the_page_is_what_the_commands_say() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == reference(), "run: python -m marskg.cli.reference > docs/reference/cli.md"


def test_a_change_of_a_commands_help_is_noticed() -> None:
    stats = cli.commands["stats"]
    kept = stats.help
    try:
        stats.help = "Something else."
        assert PAGE.read_text(encoding="utf-8") != reference()
    finally:
        stats.help = kept
