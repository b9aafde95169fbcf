"""Commands and options made from the table of operations, for those that none is written for.

Guarantees: what a namespace of Python can do, its group of the command line can, with the parameters, the checks, the
rights and the JSON form that the operation has; a command that is written by hand stands before one that is made, and
so does an option. So a new operation is a method with a row of rights, a new field of ``remember`` a parameter of it,
and nothing here. Source: decisions 52 and 53.
"""

from __future__ import annotations

from inspect import getdoc
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_origin

import click

from marskg.answer import plain
from marskg.cli.door import pass_door, shared_options
from marskg.cli.output import answer, line, show_table, table
from marskg.cli.schemas import OperationCommand
from marskg.cli.values import FREE_TEXT, MEMORY_ID, MOMENT, FilePath, JsonObject

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.api.arguments import Rule
    from marskg.api.operations import Operation
    from marskg.cli.door import Door

#: What an operation is called on the command line, where a command of another name does it.
WRITTEN: Final[Mapping[str, str]] = {
    "audit.check_receipt": "verify",
    "audit.heads": "audit head",
    "audit.prove_consistency": "audit prove",
    "audit.records": "audit list",
    "entities.add_alias": "entities alias",
    "entities.remove_alias": "entities alias",
    "entities.retype": "entities type",
    "entities.unrelate": "entities relate",
    "learning.accept": "learning review accept",
    "learning.plan_pruning": "learning review prune",
    "learning.reject": "learning review reject",
    "policy.compare": "forget",
    "preferences.applied": "preferences templates",
    "preferences.get": "preferences show",
    "privacy.forget": "forget",
    "privacy.match_erasure": "erase",
    "settings.set_budget": "settings budget",
}
#: What means something only as long as one handle is open, or runs beside others.
OF_A_HANDLE: Final = frozenset(
    {"maintenance.prepare", "maintenance.run_every", "maintenance.stop", "privacy.private_mode"},
)
#: Namespaces that no group has: what an agent's own loop does, and what is kept in one handle.
_WITHOUT_GROUP: Final = ("control.", "privacy.private_mode().")
#: The verbs of every day that no command has by their name: what does them, and None for what a command has no use for.
_VERBS: Final[Mapping[str, str | None]] = {
    "close": None,
    "edges": "get",
    "memories": "export",
    "now": None,
    "open": "init",
    "plan": "forget --dry-run",
    "read_all": "read",
    "remember_many": "import",
}
_PLAIN: Final[Mapping[Any, click.ParamType[Any]]] = {
    str: click.STRING,
    int: click.INT,
    float: click.FLOAT,
    bool: click.BOOL,
}
_DASH: Final = "A SUBJECT that begins with a dash comes last, after --."
#: What a group is called whose namespace has another name.
_NAMESPACES: Final[Mapping[str, str]] = {"snapshot": "snapshots"}


class _StatedOption(click.Option):
    """An option whose default is looked up when it is asked for, also by the help."""

    def get_default(self, ctx: click.Context, call: bool = True) -> Any:  # noqa: ANN401, ARG002, FBT001, FBT002 - click's
        """Return the default."""
        return super().get_default(ctx, call=True)


def stated(operation: str, parameter: str) -> dict[str, Any]:
    """Return the settings of an option whose default is that of an operation's parameter."""

    def default() -> Any:  # noqa: ANN401 - whatever a default is
        from marskg.api.operations import default_of

        return default_of(operation, parameter)

    return {"cls": _StatedOption, "default": default, "show_default": True}


class NamespaceGroup(click.Group):
    """The commands of one namespace: those that are written, and those made of its other operations."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name."""
        return super().get_command(ctx, cmd_name) or self._made().get(cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*super().list_commands(ctx), *self._made()})

    def _made(self) -> dict[str, click.Command]:
        return {str(one.name): one for one in made_commands(str(self.name), self.commands)}


class VerbCommand(click.Command):
    """A command written for a method of the memory itself, with an option for each parameter that it has none for."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, the made ones after those that are written."""
        found = super().get_params(ctx)
        return [*found[:-1], *self._made({one.name for one in found}), *found[-1:]]

    def _made(self, written: set[str | None]) -> list[click.Parameter]:
        from marskg.api.operations import operation
        from marskg.memory import AgentMemory

        verb = operation(str(self.name), getattr(AgentMemory, str(self.name)), None)
        wanted = {name: rule for name, rule in verb.parameters.items() if name not in {*verb.required, *written}}
        return [made for name, rule in wanted.items() if (made := _parameter(verb, name, rule))]


def command_of_operation(operation: Operation) -> str | None:
    """Return what is written after ``mars`` to do an operation; None where no command does it."""
    name = operation.name
    if name in OF_A_HANDLE or name.startswith(_WITHOUT_GROUP):
        return None
    if name in WRITTEN:
        return WRITTEN[name]
    place, _, last = name.rpartition(".")
    group = next((one for one, namespace in _NAMESPACES.items() if namespace == place), place)
    return f"{group} {_dashed(last)}" if place else _VERBS.get(last, _dashed(last))


def made_commands(group: str, written: Iterable[str] = ()) -> list[click.Command]:
    """Return a command for each operation of a group's namespace that has none, ``written`` being those that it has."""
    from marskg.api.operations import operations

    way = f"{_NAMESPACES.get(group, group)}."
    own = [one for one in operations() if one.name.startswith(way) and "(" not in one.name]
    missing = [one for one in own if one.name not in WRITTEN and one.name not in OF_A_HANDLE]
    return [command_of(one) for one in missing if _dashed(one.name.removeprefix(way)) not in {*written}]


def command_of(operation: Operation) -> click.Command:
    """Return the command that calls an operation and shows what it returns.

    Raises:
        TypeError: a parameter that is required cannot be written on a command line.
    """

    @pass_door
    def call(door: Door, /, **given: Any) -> dict[str, Any]:  # noqa: ANN401 - as the parameters are
        said = {name: value for name, value in given.items() if value not in (None, ())}
        with door.memory() as memory:
            found = attrgetter(operation.name)(memory)(**said)
            shown = plain(found if hasattr(found, "__dataclass_fields__") or not _is_stream(found) else list(found))
        return answer(door, {"result": shown}, lambda: _show(shown))

    first = (getdoc(operation.function) or "").partition("\n")[0]
    parameters = [made for name, rule in operation.parameters.items() if (made := _parameter(operation, name, rule))]
    return shared_options(
        OperationCommand(
            operation,
            _dashed(operation.name.rpartition(".")[2]),
            params=parameters,
            callback=call,
            help="\n\n".join([first, *(_DASH for one in parameters if one.type is FREE_TEXT)]),
        ),
    )


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _is_stream(value: object) -> bool:
    return hasattr(value, "__next__")


def _parameter(operation: Operation, name: str, rule: Rule) -> click.Parameter | None:
    """Return an argument for what is required and given by its place, an option for all else."""
    required = name in operation.required
    kind, many = _type_of(name, rule)
    if kind is None:
        if required:
            msg = f"{operation.name} takes {name}, {rule.expected}, which no command line can give; write its command"
            raise TypeError(msg)
        return None
    if required and name in operation.by_place:
        kind = FREE_TEXT if name == "subject" else kind
        return click.Argument([name], type=kind, nargs=-1 if many else 1)
    flag = f"--{_dashed(name)}"
    if kind is click.BOOL:
        return click.Option([f"{flag}/--no-{_dashed(name)}", name], default=None, required=required)
    return click.Option([flag, name], type=kind, multiple=many, required=required)


def _type_of(name: str, rule: Rule) -> tuple[click.ParamType[Any] | None, bool]:
    """Return how a value is written, and whether there may be several; None where it cannot be."""
    from marskg.api.arguments import GIVEN_TIME

    annotation = rule.annotation
    if name == "id":
        return MEMORY_ID, False
    if get_origin(annotation) is Literal:
        return click.Choice([str(one) for one in get_args(annotation)]), False
    if rule is GIVEN_TIME:
        return MOMENT, False
    if annotation in _PLAIN:
        return _PLAIN[annotation], False
    if annotation is Path:
        return FilePath(), False
    kinds = [_type_of(name, part) for part in rule.parts]
    if rule.expected.startswith("a mapping"):
        return JsonObject(), False
    if rule.expected.startswith("a list"):
        return (kinds[0][0] if kinds[0][0] is click.STRING else None), True
    return next((found for found in sorted(kinds, key=lambda one: not one[1]) if found[0] is not None), (None, False))


def _show(value: Any) -> None:  # noqa: ANN401 - a JSON value
    if not isinstance(value, dict):
        for one in value if isinstance(value, list) else [value]:
            line("done" if one is None else str(one))
        return
    made = table("field", "value")
    for name, one in value.items():
        if one not in (None, [], {}):
            made.add_row(name, str(one))
    show_table(made)
