"""The ``mars`` command: its commands put together, and the outermost door through which every error leaves.

Guarantees: exit status 0 means done; 1 that a check found something or that the operation was refused; 2 that the
command was used wrongly or that its input cannot be read; 70 that there is a defect in this program; 130 that it was
interrupted; 141 that whoever read the output stopped reading. An error is one line on standard error, with ``--json``
one JSON object there, never a traceback unless MARS_DEBUG is set.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import TYPE_CHECKING

import click

from marskg.cli import (
    accounting,
    advising,
    amending,
    auditing,
    benching,
    checking,
    demo,
    embedding,
    entities,
    erasing,
    forgetting,
    granting,
    importing,
    learning,
    preferring,
    privacy,
    querying,
    reading,
    redacting,
    remembering,
    retrieving,
    setup,
    transferring,
)
from marskg.cli.door import shared_options
from marskg.cli.output import note
from marskg.errors import InvalidInput, MarsError, QueryRefused

if TYPE_CHECKING:
    from collections.abc import Sequence

DONE, REFUSED, MISUSED, DEFECT, INTERRUPTED, UNREAD = 0, 1, 2, 70, 130, 141

#: The commands in the order of ``mars --help``.
COMMANDS = (
    setup.init,
    remembering.remember,
    importing.import_,
    retrieving.retrieve,
    retrieving.recall,
    retrieving.read_all,
    retrieving.explain,
    redacting.redact,
    reading.get,
    reading.history,
    reading.stats,
    entities.entities,
    entities.entity,
    remembering.update,
    remembering.retract,
    remembering.affirm,
    amending.pin,
    amending.unpin,
    amending.task,
    amending.link,
    amending.unlink,
    learning.feedback,
    learning.wish,
    learning.conflicts,
    learning.review,
    forgetting.forget,
    erasing.erase,
    erasing.scrub,
    accounting.receipt,
    accounting.subject,
    preferring.prefs,
    preferring.jurisdiction,
    granting.grant,
    forgetting.restore,
    advising.budget,
    forgetting.expire,
    forgetting.maintain,
    forgetting.session,
    forgetting.clock,
    privacy.privacy,
    setup.settings,
    setup.tenant,
    embedding.reembed,
    redacting.rescore,
    checking.validate,
    checking.verify,
    checking.retention,
    auditing.audit,
    transferring.export,
    transferring.load,
    transferring.snapshot,
    querying.sparql,
    querying.cypher,
    checking.ontology,
    checking.policy,
    benching.bench,
    demo.demo,
)


class _Ordered(click.Group):
    """A group that lists its commands in the order in which they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self.commands)


@click.group(
    cls=_Ordered,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@shared_options
@click.version_option(package_name="marskg", prog_name="mars")
@click.pass_context
def cli(context: click.Context) -> None:
    """Memory for AI agents that is governed, not just stored.

    Typed memories that never weigh more than their budget, forgotten by a policy that says why, with a signed record
    of every change, and given away as RDF.

    Start with `mars demo`, or with `mars init` and `mars remember`.

    \b
    Environment:
      MARS_STORE       folder or bolt:// address of the store
      MARS_TENANT      whose memory
      MARS_PRINCIPAL   who acts, such as reader:assistant?ceiling=0.3
      MARS_PASSPHRASE  of the signing key
      MARS_DEBUG       set to 1 for tracebacks
      NEO4J_USERNAME, NEO4J_PASSWORD, NEO4J_DATABASE  for a bolt:// or neo4j:// store
      NO_COLOR         set for no colours

    Exit status: 0 done; 1 a check found something, or the operation was refused; 2 wrong usage or unreadable input;
    70 a defect in this program; 130 interrupted; 141 nobody read the output to its end.
    """  # noqa: D301 - \b keeps click from filling the list
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for _command in COMMANDS:
    cli.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a terminal in another encoding shows what it can
            reconfigure(errors="backslashreplace")
    status = run(given)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        status = _pipe_closed()
    except OSError as error:  # a full disk tells itself only now
        status = _tell(*_known(error), as_json="--json" in given)
        _drop_output()
    sys.exit(status)


def _open_streams() -> None:
    """Put a sink in the place of an output that the caller closed (``>&-``), as Python leaves None there."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - for as long as we run


def run(given: Sequence[str]) -> int:
    """Run one command and return its exit status; everything that goes wrong is told on standard error."""
    as_json = "--json" in given
    try:
        result = cli.main(args=list(given), prog_name="mars", standalone_mode=False)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except (BrokenPipeError, SystemExit):  # click makes the one into the other, and uses it for nothing else here
        return _pipe_closed()
    except (click.ClickException, click.Abort, KeyboardInterrupt, MarsError, OSError) as error:
        found: BaseException = error
        kind, message, status = _known(error)
    except Exception as error:  # noqa: BLE001 - the outermost door: nothing may leave as a traceback
        found = error
        kind, message, status = _defect(error)
    else:
        return result if isinstance(result, int) else DONE
    if os.environ.get("MARS_DEBUG") == "1":
        traceback.print_exception(found)
    return _tell(kind, message, status, as_json=as_json)


def _known(error: BaseException) -> tuple[str, str, int]:
    """Return what to call an error that was foreseen, what to say of it, and the exit status."""
    name = type(error).__name__
    if isinstance(error, click.ClickException):
        message = error.format_message().rstrip(".")
        context = getattr(error, "ctx", None)
        return name, f"{message}; see: {context.command_path} --help" if context else message, MISUSED
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        # click turns the interruption itself, which knows what was kept, into the cause of an Abort.
        what = str(error.__cause__ or error) or "what was acknowledged is kept, what was under way is not"
        return "Interrupted", f"interrupted: {what}", INTERRUPTED
    if isinstance(error, OSError):
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
        return name, what, MISUSED if isinstance(error, (FileNotFoundError, IsADirectoryError)) else REFUSED
    # What cannot be read as it stands is misuse; what was understood and is not allowed was refused.
    misused = isinstance(error, InvalidInput) and not isinstance(error, QueryRefused)
    return name, str(error), MISUSED if misused else REFUSED


def _tell(kind: str, message: str, status: int, *, as_json: bool) -> int:
    if as_json:
        note(json.dumps({"error": {"type": kind, "message": message}}, ensure_ascii=False))
    else:
        note(f"error: {' '.join(message.split())}")
    return status


def _defect(error: Exception) -> tuple[str, str, int]:
    """Say that this program is at fault; the message of an unknown error may hold what it should not show."""
    message = (
        f"a defect in mars ({type(error).__name__}); nothing unacknowledged was kept. "
        "Run it again with MARS_DEBUG=1 and report what it prints with: mars --version"
    )
    return "Defect", message, DEFECT


def _pipe_closed() -> int:
    """Leave quietly: who read the output has seen enough. The status is the shell's for SIGPIPE."""
    _drop_output()
    return UNREAD


def _drop_output() -> None:
    """Let what is still buffered go nowhere, so that Python does not try, and complain, once more on leaving."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
