"""A text that begins with a dash: every command that takes a free text says how to write it, and takes it so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click
import pytest

from tests.support import tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Outcome

#: Plain arguments that are no free text: ids, rules, and names that somebody else gave.
NO_TEXT: Final = {
    ("feedback",), ("learning", "undo"), ("preferences", "apply"), ("preferences", "set"), ("preferences", "template"),
    ("preferences", "unapply"), ("privacy", "grant"), ("audit", "receipt"), ("settings", "set"),
    ("settings", "subscribe"), ("settings", "unsubscribe"), ("bench",),
}  # fmt: skip
LEAVES = [(way, [one for one in command.params if isinstance(one, click.Argument)]) for way, command in tree.leaves()]
TEXTS = [(way, places) for way, places in LEAVES if places and places[-1].type.name == "text" and way not in NO_TEXT]


@pytest.mark.parametrize(("way", "places"), TEXTS, ids=[" ".join(way) for way, _ in TEXTS])
def test_who_forgets_the_dashes_is_told_where_they_go(
    mars: Callable[..., Outcome], way: tuple[str, ...], places: list[click.Argument]
) -> None:
    *others, name = (str(one.metavar or one.name).upper() for one in places)
    path = " ".join(["mars", *way])
    before = ["urn:uuid:01890000-0000-7000-8000-000000000000"] * len(others)
    found = mars(*way, *before, "-5 degrees tonight")
    assert found.status == 2
    call = " ".join([path, *others, "--", '"-5 degrees tonight"'])
    assert found.error == (
        f"No such option '-5'; a {name} that begins with a dash comes last, after --: {call}; see: {path} --help"
    )
    said = " ".join(mars(*way, "--help").out.split())
    assert said.count(f"A {name} that begins with a dash comes last, after --.") == 1


def test_what_takes_no_text_says_nothing_of_it(mars: Callable[..., Outcome]) -> None:
    for way, _ in LEAVES:
        if (way, _) not in TEXTS and way != ("bench",):
            assert "dash" not in mars(*way, "-5").err
            assert "begins with a dash" not in mars(*way, "--help").out


def test_a_misspelt_option_is_no_text_and_quotes_are_those_of_a_shell(mars: Callable[..., Outcome]) -> None:
    assert mars("remember", "tea", "--subjct", "Ann").error.startswith(
        "No such option '--subjct'. Did you mean '--subject'?; see"
    )
    assert """mars remember -- '-5 "degrees"';""" in mars("remember", '-5 "degrees"').error
    assert len(mars("remember", f"-5 {'hostile ' * 100}").error) < 300


def test_a_value_that_begins_with_a_dash_is_joined_to_its_option(mars: Callable[..., Outcome]) -> None:
    assert mars("erase", "--entity", "--", "-x").error == (
        "No such option '-x'; a value that begins with a dash is joined to its option: --entity=-x; "
        "see: mars erase --help"
    )


def test_after_the_dashes_it_is_stored_and_found_as_typed(here: Callable[..., Outcome]) -> None:
    ident = here("remember", "--subject", "Ann", "--", "-5 degrees tonight").out.strip()
    assert here("--json", "get", ident).json()["content"] == "-5 degrees tonight"
    assert "-5 degrees tonight" in here("retrieve", "--", "-5 degrees").out
    newer = here("update", ident, "--", "--6 degrees").out.strip()
    assert here("--json", "get", newer).json()["content"] == "--6 degrees"
