"""The ``mars`` command: the outermost door, through which every error leaves.

Guarantees: exit status 0 means done; 1 that a check found something or that the operation was refused; 2 that the
command was used wrongly or that its input cannot be read; 70 that there is a defect in this program; 130 that it was
interrupted; 141 that whoever read the output stopped reading. An error is one line on standard error, with ``--json``
one JSON object there, never a traceback unless MARS_DEBUG is set.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import traceback
from typing import TYPE_CHECKING

import click

from marskg.cli.output import note
from marskg.cli.tree import cli
from marskg.cli.values import FREE_TEXT
from marskg.errors import InvalidInput, MarsError, QueryRefused

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Characters of an argument that an error may repeat, and to how many a longer one is shortened.
_MOST_REPEATED, _REPEATED = 200, 60
#: What a shell reads within double quotes.
_SPECIAL = frozenset('"$`\\!')
DONE, REFUSED, MISUSED, DEFECT, INTERRUPTED, UNREAD = 0, 1, 2, 70, 130, 141


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _open_streams()
    if "_MARS_COMPLETE" in os.environ:
        from marskg.cli.completion import use_table

        use_table()
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
    """Put what is empty in the place of a stream that the caller closed (``>&-``), as Python leaves None there."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - for as long as we run


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
        kind, message, status = _known(error, given)
    except Exception as error:  # noqa: BLE001 - the outermost door: nothing may leave as a traceback
        found = error
        kind, message, status = _defect(error)
    else:
        return result if isinstance(result, int) else DONE
    if os.environ.get("MARS_DEBUG") == "1":
        traceback.print_exception(found)
    return _tell(kind, _without_long(message, given), status, as_json=as_json)


def _without_long(message: str, given: Sequence[str]) -> str:
    """Return a message with what it repeats of the arguments shortened: click repeats them whole."""
    for argument in given:
        for text in (argument, argument.partition("=")[2]):
            if len(text) > _MOST_REPEATED:
                for written in (text, repr(text)[1:-1], text.strip(), " ".join(text.split())):
                    message = message.replace(written, f"{written[:_REPEATED]}…") if written else message
    return message


def _known(error: BaseException, given: Sequence[str] = ()) -> tuple[str, str, int]:
    """Return what to call an error that was foreseen, what to say of it, and the exit status."""
    name = type(error).__name__
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        message = f"{error.format_message().rstrip('.')}{_way_out(error, context, given)}"
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


def _way_out(error: click.ClickException, context: click.Context | None, given: Sequence[str]) -> str:
    """Return how to write a text that was read as an option, for a command that takes one; nothing for other errors."""
    if not isinstance(error, click.NoSuchOption) or context is None:
        return ""
    if error.possibilities and not any(map(str.isspace, error.option_name)):
        return ""  # An option that is misspelt.
    for option, end, value in zip(given, given[1:], given[2:], strict=False):
        if option.startswith("--") and end == "--" and value.startswith(error.option_name):
            # What the option took as its value are the two dashes.
            return f"; a value that begins with a dash is joined to its option: {option}={shlex.quote(value)}"
    places = [one for one in context.command.get_params(context) if isinstance(one, click.Argument)]
    if not places or places[-1].type is not FREE_TEXT:
        return ""
    *others, name = (one.make_metavar(context).strip("[]") for one in places)
    letter = error.option_name.lstrip("-")[:1]
    text = next((one for one in given if one.startswith("-") and not one.startswith("--") and letter in one), None)
    text = next((one for one in given if one.startswith(error.option_name)), text)
    call = " ".join((context.command_path, *others, "--", name if text is None else _quoted(text)))
    return f"; a {name} that begins with a dash comes last, after --: {call}"


def _quoted(text: str) -> str:
    """Return a text as a shell takes it."""
    return shlex.quote(text) if _SPECIAL & {*text} else f'"{text}"'


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
