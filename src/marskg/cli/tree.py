"""The commands put together: the verbs of every day, the groups, and the names that commands had before 1.0.

Guarantees: ``mars --help`` lists each command or its group once, in at most 20 lines; an old name does what the new one
does, after one line on standard error that names the new one. The groups have the names of the Python namespaces. A
command is imported when it is run, so that the help and a misspelt name are answered at once.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import CompletionItem

from marskg.cli.door import shared_options
from marskg.cli.output import note
from marskg.meant import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: The verbs of every day, those that belong together in one line of the help: each name with its module and function.
EVERYDAY: Final[tuple[tuple[Mapping[str, str], str], ...]] = (
    (
        {
            "init": "commands.init:init",
            "demo": "demo.command:demo",
            "bench": "commands.bench:bench",
            "mcp": "serving.mcp:mcp",
            "serve": "serving.serve:serve",
        },
        "Make a store; see it work; measure; serve it",
    ),
    (
        {
            "remember": "commands.remember:remember",
            "learn": "commands.learn:learn",
            "import": "commands.import_files:import_",
        },
        "Store a text; learn its facts; import",
    ),
    (
        {
            "retrieve": "commands.retrieve:retrieve",
            "recall": "commands.retrieve:recall",
            "read": "commands.retrieve:read_all",
            "profile": "commands.profile:profile",
        },
        "Find what answers, surrounds; all; who one is",
    ),
    (
        {
            "get": "commands.read:get",
            "history": "commands.read:history",
            "explain": "commands.retrieve:explain",
            "stats": "commands.read:stats",
        },
        "Show a memory, its past, why; the store",
    ),
    (
        {
            "update": "commands.remember:update",
            "retract": "commands.remember:retract",
            "link": "commands.remember:link",
            "unlink": "commands.remember:unlink",
        },
        "Correct a memory and its edges",
    ),
    (
        {"feedback": "commands.give_feedback:feedback", "maintain": "commands.forget:maintain"},
        "Say what helped; keep the store lean",
    ),
    (
        {
            "forget": "commands.forget:forget",
            "restore": "commands.forget:restore",
            "erase": "commands.erase_scrub:erase",
        },
        "Make room, take it back; delete for good",
    ),
    (
        {"validate": "commands.validate_verify:validate", "verify": "commands.validate_verify:verify"},
        "Check the graph; check the signed audit",
    ),
    (
        {
            "export": "commands.export_load:export",
            "load": "commands.export_load:load",
            "sparql": "commands.query:sparql",
            "cypher": "commands.query:cypher",
        },
        "RDF files out and in; read-only queries",
    ),
)
#: The groups, in the order of the help, each with the first line of its own help, so that this list loads none of them.
GROUPS: Final[Mapping[str, str]] = {
    "entities": "People, places and things that memories mention.",
    "tasks": "The state of tasks.",
    "learning": "Conflicts, wishes and what a person reviews.",
    "policy": "What decides about forgetting, and pins.",
    "preferences": "Rules, consents, templates for jurisdictions.",
    "privacy": "What may be shown, reports and proofs for people.",
    "audit": "The signed record of every change.",
    "snapshot": "Binary copies of a whole tenant, for checkpoint and restore.",
    "settings": "What a tenant is set to: budget, policy, others.",
    "maintenance": "What is removed, measured or rewritten anew.",
    "ontology": "Extensions of the ontology.",
}
#: What commands were called before there were groups → what they are called now; to be removed with 1.0.
MOVED: Final[Mapping[str, str]] = {
    "affirm": "learning affirm",
    "pin": "policy pin",
    "unpin": "policy unpin",
    "task": "tasks amend",
    "wish": "learning wish",
    "conflicts": "learning conflicts",
    "review": "learning review",
    "scrub": "maintenance scrub",
    "receipt": "audit receipt",
    "subject report": "privacy report",
    "prefs": "preferences",
    "jurisdiction list": "preferences templates",
    "jurisdiction show": "preferences template",
    "jurisdiction apply": "preferences apply",
    "jurisdiction unapply": "preferences unapply",
    "grant": "privacy grant",
    "budget set": "settings budget",
    "budget advise": "policy advise-budget",
    "expire": "maintenance expire",
    "session end": "maintenance end-session",
    "clock confirm": "maintenance confirm-clock",
    "tenant subscribe": "settings subscribe",
    "tenant unsubscribe": "settings unsubscribe",
    "tenant subscriptions": "settings subscriptions",
    "reembed": "maintenance reembed",
    "rescore": "maintenance rescore",
    "redact": "privacy redact",
    "retention": "privacy retention",
}
_NAMES_WIDTH = 40


class _Commands(MutableMapping[str, click.Command]):
    """Commands by their names, each made or imported when it is asked for first: ``mars --help`` imports none."""

    def __init__(self) -> None:
        """Start without any."""
        self._makers: dict[str, Callable[[], click.Command]] = {}
        self._made: dict[str, click.Command] = {}

    def later(self, name: str, maker: Callable[[], click.Command]) -> None:
        """Let ``name`` be the command that ``maker`` returns."""
        self._makers[name] = maker

    def __getitem__(self, name: str) -> click.Command:
        """Return a command."""
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        """Add a command that is there."""
        self.later(name, lambda: command)

    def __delitem__(self, name: str) -> None:
        """Take a command out."""
        del self._makers[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._makers)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._makers)


class _Group(click.Group):
    """A group some of whose names are old: they do what they did and say what they are called now."""

    def __init__(self, *args: object, **settings: object) -> None:
        """Start without commands."""
        super().__init__(*args, **settings)  # type: ignore[arg-type]  # click's own
        self.commands: _Commands = _Commands()
        self.old: dict[str, str] = {}
        #: Operations of the memory → the commands that do them here.
        self.operations: dict[str, str] = {}

    def add_old(self, name: str, new: str) -> None:
        """Let ``name`` be an old name of what is called ``new`` after ``mars``."""
        self.commands.later(name, partial(command_at, new))
        self.old[name] = new

    def called(self, name: str) -> str | None:
        """Return the command for what other products call ``name``, None where there is one of that name, or none."""
        operation = None if name in self.commands else OPERATIONS.get(name.casefold())
        return None if operation is None else self.operations.get(operation)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant; say so where it has another name now, or other products' name for it."""
        called = self.called(args[0])
        if called is not None and not ctx.resilient_parsing:
            msg = f"No such command {args[0]!r}. (Did you mean {called!r}?)"
            raise click.exceptions.NoSuchCommand(args[0], msg, ctx=ctx)
        found = super().resolve_command(ctx, args)
        new = self.old.get(args[0])
        if new is not None and not ctx.resilient_parsing:
            note(f"deprecated: {ctx.command_path} {args[0]} is called mars {new} now; the old name works until 1.0")
        return found


class _Budget(_Group):
    """The old group whose first argument may be a number of tokens: what names no command is the budget to set."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant."""
        return super().resolve_command(ctx, args if args[0] in self.commands else ["set", *args])


class _Mars(_Group):
    """The root: lists the verbs of every day by what they are for, then the groups; old names it only knows."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names that are not old, in the order of the help."""
        return [*(name for names, _ in EVERYDAY for name in names), *GROUPS]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return what a shell may complete, without importing the commands for their meanings."""
        meanings = {**{name: meaning for names, meaning in EVERYDAY for name in names}, **GROUPS}
        found = [CompletionItem(name, help=meanings[name]) for name in meanings if name.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the two lists, one line each entry at 80 columns."""
        verbs = [(", ".join(names), meaning) for names, meaning in EVERYDAY]
        for title, rows in (("Commands", verbs), ("Groups (mars GROUP --help)", list(GROUPS.items()))):
            with formatter.section(title):
                formatter.write_dl(rows, col_max=_NAMES_WIDTH)


@click.group(
    cls=_Mars,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@shared_options
@click.version_option(package_name="marskg", prog_name="mars")
@click.pass_context
def cli(context: click.Context) -> None:
    """Memory for AI agents that is governed, not just stored.

    Typed memories that never weigh more than their budget, forgotten by a policy that says why, with a signed record
    of every change, and exported as RDF.

    Start with `mars demo`, or with `mars init` and `mars remember`.

    \b
    Environment:
      MARS_STORE       folder or bolt:// address of the store
      MARS_TENANT      whose memory
      MARS_PRINCIPAL   who acts, such as reader:assistant?ceiling=0.3
      MARS_PASSPHRASE  of the signing key
      MARS_CONFIG      YAML file with your own store, tenant and as  [default:
                       ~/.config/marskg/config.yaml]
      MARS_DEBUG       set to 1 for tracebacks
      NEO4J_USERNAME, NEO4J_PASSWORD, NEO4J_DATABASE  for a bolt:// or neo4j:// store
      NO_COLOR         set for no colours

    Exit status: 0 done; 1 a check found something, or the operation was refused; 2 wrong usage or unreadable input;
    70 a defect in this program; 130 interrupted; 141 nobody read the output to its end.
    """  # noqa: D301 - \b keeps click from filling the list
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def command_at(words: str) -> click.Command:
    """Return the command that ``words`` after ``mars`` name, such as ``policy pin``.

    Raises:
        KeyError: there is none.
    """
    found: click.Command = cli
    for word in words.split():
        if not isinstance(found, click.Group):
            raise KeyError(words)
        found = found.commands[word]
    return found


def _imported(place: str) -> click.Command:
    module, _, name = place.partition(":")
    command: click.Command = getattr(import_module(f"marskg.cli.{module}"), name)
    return command


def _add_all() -> None:
    places = {name: place for names, _ in EVERYDAY for name, place in names.items()}
    places |= {name: f"groups.{name}_group:{name}" for name in GROUPS}
    cli.operations |= {place.partition(":")[2]: name for name, place in places.items()}
    # The spelling of the singular stands in the list of names that users see; it is no old one.
    for name, place in {**places, "entity": places["entities"]}.items():
        cli.commands.later(name, partial(_imported, place))
    groups: dict[str, _Group] = {"": cli, "budget": _Budget("budget", no_args_is_help=False)}
    for old, new in MOVED.items():
        group, _, name = old.rpartition(" ")
        groups.setdefault(group, _Group(group, no_args_is_help=False)).add_old(name, new)
    for name, made in groups.items():
        if name:
            cli.add_command(shared_options(made))


_add_all()
