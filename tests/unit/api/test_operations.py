"""The table of operations says all of each operation, and refuses what is missing or said twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import click
import pytest

import marskg
from marskg.api.arguments import checked_calls
from marskg.api.operations import Effect, check_names, effect_of, operation, operations
from marskg.cli.answer_forms import returned, schema_of
from marskg.cli.operation_commands import command_of_operation
from marskg.cli.tree import command_at
from marskg.privacy.principals import RIGHTS, Role, Row

if TYPE_CHECKING:
    from marskg.api.arguments import Count

TABLE = operations()
NAMES = [one.name for one in TABLE]


def test_every_row_says_what_it_does_and_to_what_end() -> None:
    for one in TABLE:
        assert one.words.summary.endswith((".", "…")), one.name
        assert set(one.required) | set(one.defaults) == set(one.parameters), one.name
        assert "" not in [unit for rule in one.parameters.values() for unit in rule.units], one.name


def test_every_answer_has_a_form_in_json_but_what_is_a_handle() -> None:
    for one in TABLE:
        if one.name not in {"open", "privacy.private_mode"}:
            assert schema_of(returned(one))["$schema"], one.name


def records_of(annotation: Any) -> set[str]:
    """Return the names of our own classes that a type is made of."""
    own = isinstance(annotation, type) and annotation.__module__.startswith("marskg.")
    return {annotation.__name__} if own else set().union(*map(records_of, get_args(annotation)))


def test_every_record_that_an_operation_returns_is_a_public_name() -> None:
    assert {name for one in TABLE for name in records_of(returned(one))} <= set(marskg.__all__)


@pytest.mark.parametrize("one", [one for one in TABLE if command_of_operation(one)], ids=lambda one: one.name)
def test_the_command_that_the_page_names_is_there(one: object) -> None:
    words = str(command_of_operation(one)).split()  # type: ignore[arg-type]  # of the table
    found: click.Command | None = command_at(words[0])
    for word in words[1:]:
        if not word.startswith("--"):
            assert isinstance(found, click.Group)
            found = found.get_command(click.Context(found), word)
    assert found is not None


def test_what_nobody_named_is_taken_to_write() -> None:
    assert effect_of("shout") is Effect.WRITES
    assert {effect_of(name) for name in NAMES} == set(Effect)


class Doors:
    """Operations that say too little, or too much."""

    def heavy(self, weight: float) -> float:
        """Return it."""
        return weight

    def wordy(self, number: Count) -> int:
        """Return it.

        Args:
            text: what there is not.
        """
        return number

    def brave(self, number: Count) -> int:
        """Return it.

        Raises:
            NoSuchError: never.
        """
        return number


checked_calls()(Doors)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("heavy", "heavy takes weight, a number without a unit"),
        ("wordy", "says what text is, which is no parameter"),
        ("brave", "raises NoSuchError, which is no error"),
    ],
)
def test_an_operation_that_says_too_little_or_too_much_is_no_row(name: str, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        operation(name, getattr(Doors, name), RIGHTS[0])


@pytest.mark.parametrize(
    ("names", "rights", "told"),
    [
        ([*NAMES, "get"], RIGHTS, "get names two operations"),
        (NAMES, [*RIGHTS, Row("Again", ("audit.seal",))], "audit.seal names two rows of RIGHTS"),
        (NAMES, [*RIGHTS, Row("Nothing", ("policy.weigh",))], "RIGHTS name policy.weigh, which is no operation"),
        ([one for one in NAMES if one != "erase"], RIGHTS, "RIGHTS name erase, which is no operation"),
    ],
)
def test_a_table_that_names_something_twice_or_what_there_is_not_is_refused(
    names: list[str], rights: list[Row], told: str
) -> None:
    with pytest.raises(TypeError, match=told):
        check_names(names, rights)


def test_the_operator_has_every_right() -> None:
    assert all(row.of(Role.OPERATOR) == "yes" for row in RIGHTS)
