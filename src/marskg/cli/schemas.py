"""The JSON Schema of what a command prints with ``--json``, made from the type that the command says it returns.

Guarantees: what a command is written to return, type checkers hold it to, and its ``--schema`` says; nothing else says
it. A command that returns None prints no document and has no schema.
"""

from __future__ import annotations

from inspect import unwrap
from types import NoneType
from typing import TYPE_CHECKING, Any, TypedDict, Union, get_args

import click

from marskg.cli.answer_forms import resolved, returned, schema_of

if TYPE_CHECKING:
    from marskg.api.operations import Operation


class OperationCommand(click.Command):
    """A command made of an operation: its document has what the operation returns, as its ``result``."""

    def __init__(self, operation: Operation, name: str, **settings: Any) -> None:  # noqa: ANN401 - click's settings
        """Call ``operation``."""
        super().__init__(name, **settings)
        self.operation = operation


def answer_of(command: click.Command) -> Any:  # noqa: ANN401 - types have no common type
    """Return the type of the document that a command prints with ``--json``; None where it prints none."""
    if isinstance(command, OperationCommand):
        return TypedDict("Result", {"result": returned(command.operation)})  # type: ignore[operator]  # known at run time
    if command.callback is None:
        return None
    function: Any = unwrap(command.callback)
    found = resolved(function.__annotations__["return"], function.__module__)
    if found is NoneType:
        return None
    # A way through a command that prints no document, such as a group that hands over to a command of its own.
    kept = tuple(one for one in get_args(found) if one is not NoneType)
    return Union[kept] if NoneType in get_args(found) else found  # noqa: UP007 - of types that are known at run time


def schema_of_command(command: click.Command) -> dict[str, Any]:
    """Return the schema of the document that a command prints with ``--json``.

    Raises:
        TypeError: the type that it says it returns has no form in JSON, or it prints no document.
    """
    found = answer_of(command)
    if found is None:
        msg = f"{command.name} returns nothing, so that it has no document"
        raise TypeError(msg)
    return schema_of(found)
