"""Where a command works and how it answers: the options that every command shares, and the errors it may raise itself.

Guarantees: ``--store``, ``--tenant``, ``--as`` and ``--json`` mean the same before and after a command's name, and what
stands nearer to the command wins; the environment is asked only where no option was given, the user's file
(``cli/user_file.py``) only where that says nothing; a command that reads never creates a store.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from inspect import unwrap
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from marskg.cli.output import counted, document, kept_progress, note
from marskg.cli.user_file import default_of
from marskg.cli.values import FilePath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg.memory import AgentMemory

Command = TypeVar("Command", bound="Callable[..., Any]")

STORE = "./memory"
TENANT = "default"
STORE_HELP = "Folder of the store, or bolt://HOST:PORT.  [env: MARS_STORE; default: ./memory]"
TENANT_HELP = "Whose memory.  [env: MARS_TENANT; default: default]"
PRINCIPAL_HELP = "Who acts, such as reader:bot?ceiling=0.3.  [env: MARS_PRINCIPAL; default: operator]"
JSON_HELP = "Answer with one JSON document."
SCHEMA_HELP = "Print the JSON Schema of that document, and do nothing else."
#: Seconds that vectors are waited for without a word.
_SOON = 0.5


@dataclass(slots=True)
class Door:
    """What the shared options say."""

    named_store: str | None = None
    named_tenant: str | None = None
    named_principal: str | None = None
    as_json: bool = False

    @property
    def principal(self) -> str:
        """Return who acts, as :meth:`marskg.privacy.principals.Principal.of` reads it."""
        return self.stated_principal or "operator"

    @property
    def stated_principal(self) -> str | None:
        """Return who acts, None where no option, nor the environment, nor the user's file says so."""
        return self.named_principal or os.environ.get("MARS_PRINCIPAL") or default_of("as")

    @property
    def store(self) -> str:
        """Return the path or address of the store."""
        return self._stated_store or STORE

    @property
    def store_is_named(self) -> bool:
        """Return whether an option, the environment or the user's file names a store."""
        return bool(self._stated_store)

    @property
    def _stated_store(self) -> str | None:
        return self.named_store or os.environ.get("MARS_STORE") or default_of("store")

    @property
    def tenant(self) -> str:
        """Return the tenant's name."""
        return self._stated_tenant or TENANT

    @property
    def tenant_is_named(self) -> bool:
        """Return whether an option, the environment or the user's file names a tenant."""
        return bool(self._stated_tenant)

    @property
    def _stated_tenant(self) -> str | None:
        return self.named_tenant or os.environ.get("MARS_TENANT") or default_of("tenant")

    @contextmanager
    def memory(
        self,
        *,
        create: bool = False,
        snapshot: Path | None = None,
        operation: str | None = None,
        reweigh: bool = True,
    ) -> Iterator[AgentMemory]:
        """Open the memory that the options name, and close it afterwards; it must exist unless ``create``.

        ``snapshot`` is what it is put back from; ``operation`` is what the command is for, where it asks for figures
        first that not everybody is told; ``reweigh`` is as :func:`marskg.open` has it.
        """
        from marskg.api.opening import open as open_memory
        from marskg.privacy.principals import permit

        with open_memory(
            self.store,
            tenant=self.tenant,
            principal=self.principal,
            passphrase=passphrase(),
            create=create,
            snapshot=snapshot,
            reweigh=reweigh,
        ) as memory:
            if operation is not None:
                permit(memory.principal, operation)
            if reweigh:
                self._say_what_every_answer_tells(memory)
            yield memory
            _make_vectors(memory)

    @staticmethod
    def _say_what_every_answer_tells(memory: AgentMemory) -> None:
        for text in memory.notices:
            note(f"note: {text}")


def _make_vectors(memory: AgentMemory) -> None:
    """Wait until what was stored has its vectors; closing does it, but not for as long, and not aloud.

    What others left is left: a question is answered at once, and whoever asks is told.
    """
    late = memory._components.late  # noqa: SLF001 - no operation
    if not late.finish(_SOON, owed_alone=True):
        with kept_progress("making vectors", late.owed, _vectors_kept) as show:
            late.finish(inf, show, owed_alone=True)
    if late.left:
        note("note: some memories have no vector yet and are found less well, until: mars maintenance reembed")


def _vectors_kept(made: int) -> str:
    return f"all that was stored is kept; {counted(made, 'vector')} made, the others with: mars maintenance reembed"


class CheckFailed(click.exceptions.Exit):
    """A check found something: it was printed, and the exit status says so."""

    def __init__(self) -> None:
        """Leave with status 1."""
        super().__init__(1)


def passphrase() -> str | None:
    """Return the passphrase of the signing key, if the environment has one."""
    return os.environ.get("MARS_PASSPHRASE")


def _keep(context: click.Context, _: click.Parameter, value: object, *, name: str) -> None:
    """Put the value of a shared option where every level of the command finds it."""
    if value:
        setattr(context.ensure_object(Door), name, value)


def _option(name: str, field: str, **settings: Any) -> Callable[[Command], Command]:  # noqa: ANN401 - click's settings
    callback = partial(_keep, name=field)
    return click.option(name, field, callback=callback, expose_value=False, is_eager=True, **settings)


def _print_schema(context: click.Context, _: click.Parameter, wanted: object) -> None:
    """Print the schema of what the command answers with, before anything that it needs is asked for."""
    if wanted and not context.resilient_parsing:
        from marskg.cli.schemas import schema_of_command

        document(schema_of_command(context.command))
        context.exit()


_json_option = _option("--json", "as_json", is_flag=True, help=JSON_HELP)
_schema_option = click.option(
    "--schema", is_flag=True, expose_value=False, is_eager=True, callback=_print_schema, help=SCHEMA_HELP
)
_store_option = _option("--store", "named_store", metavar="PATH|URI", help=STORE_HELP)
_tenant_option = _option("--tenant", "named_tenant", metavar="NAME", help=TENANT_HELP)
_principal_option = _option("--as", "named_principal", metavar="ROLE[:NAME]", help=PRINCIPAL_HELP)

#: Hands the :class:`Door` to a command as its first argument.
pass_door = click.make_pass_decorator(Door, ensure=True)


def json_option(command: Command) -> Command:
    """Give a command ``--json``, and ``--schema`` where it says what it returns, which is its document."""
    function = getattr(command, "callback", command)
    says = function is not None and unwrap(function).__annotations__["return"] != "None"
    return _json_option(_schema_option(command) if says else command)


def shared_options(command: Command) -> Command:
    """Give a command ``--store``, ``--tenant``, ``--as`` and what :func:`json_option` gives."""
    return _store_option(_tenant_option(_principal_option(json_option(command))))


def existing_file(*, folder: bool = False) -> click.Path:
    """Return the type of an argument that names a file, or a folder, to read."""
    return FilePath(exists=True, file_okay=not folder, dir_okay=folder, readable=True, path_type=Path)


def new_file() -> click.Path:
    """Return the type of an argument that names a file to write."""
    return FilePath(dir_okay=False, path_type=Path)
