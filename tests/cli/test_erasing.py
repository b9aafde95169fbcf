"""``mars erase`` on the command line: what it refuses before anything goes, and what it says of what stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Outcome


def test_a_name_of_which_nothing_is_seen_erases_nothing(here: Callable[..., Outcome]) -> None:
    here("remember", "Well! Then: nothing.")
    before = here("stats", "--json").json()
    for way in ("--entity", "--subject", "--session", "--source"):
        told = here("erase", way, "\u200b", "--yes")
        assert (told.status, told.out) == (2, "")
        assert f"the {way[2:]} to erase has no name of which anything is seen; write who" in told.error
    assert here("stats", "--json").json() == before
