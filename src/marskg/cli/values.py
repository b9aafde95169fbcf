"""What users write on the command line, and what it means.

Guarantees: a value that cannot be meant is refused before a store is opened, with a message that says how to write it;
times have a zone, so that no command means another moment on another machine.
"""

from __future__ import annotations

import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from marskg import given_time
from marskg.api.arguments import UnfitError, rule_of
from marskg.errors import InvalidInput
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Mapping

_PATH = rule_of(Path)
_BARE_UUID = late_regex(r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.IGNORECASE)
_PREFIX = "urn:uuid:"
#: Digits of the largest number that a record may have.
_MOST_DIGITS = 16


class MemoryId(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5 only
    """The id of a memory; its ``urn:uuid:`` may be left out."""

    name = "id"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401
        """Return the id as the store writes it."""
        text = str(value).strip()
        if _BARE_UUID.match(text):
            text = _PREFIX + text
        if ":" not in text:
            self.fail(f"{text[:60]!r} is no id of a memory; ids look like urn:uuid:01234567-89ab-…", param, ctx)
        return text.lower() if text.lower().startswith(_PREFIX) else text


class FreeText(click.types.StringParamType):
    """Any text: one that begins with a dash is read as an option unless it follows ``--``."""


class Moment(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5 only
    """An ISO 8601 time with a zone, as epoch milliseconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401
        """Return epoch milliseconds."""
        if isinstance(value, int):
            return value
        try:
            return given_time.Moment.parse(str(value))
        except InvalidInput as error:
            self.fail(str(error), param, ctx)


class JsonObject(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5 only
    """A JSON object."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Mapping[str, Any]:  # noqa: ANN401
        """Return the object."""
        from marskg.sources.strictjson import BadJson, parse

        try:
            found = parse(str(value).encode("utf-8", "surrogateescape"))
        except UnicodeEncodeError:
            self.fail("it has a lone surrogate; write it as UTF-8", param, ctx)
        except BadJson as error:
            self.fail(f"it cannot be read: {error}", param, ctx)
        if not isinstance(found, dict):
            self.fail('it must be one object, such as {"concept": "tea"}', param, ctx)
        return found


class FilePath(click.Path):
    """The path of a file or folder, with a name that one can have."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Return the path."""
        try:
            _PATH.apply(Path(os.fsdecode(value)))
        except UnfitError as error:
            self.fail(f"it {error}", param, ctx)
        path = super().convert(value, param, ctx)
        if self.exists and path != "-" and not (os.path.isfile(path) or os.path.isdir(path)):  # noqa: PTH112, PTH113 - bytes as well
            self.fail("it is a device, a pipe or a socket; name a file", param, ctx)
        return path


def is_number(text: str) -> bool:
    """Return whether a text is a number such as records have: of a few decimal digits."""
    return text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS


MEMORY_ID = MemoryId()
MOMENT = Moment()
JSON_OBJECT = JsonObject()
FREE_TEXT = FreeText()
#: An argument that any text may be; the help of its command says how to write one that begins with a dash.
text_argument = partial(click.argument, type=FREE_TEXT)


def text_or_stdin(text: str) -> str:
    """Return ``text``, or what stands on the standard input if it is ``-``."""
    if text != "-":
        return text
    try:
        return sys.stdin.read().removesuffix("\n")
    except UnicodeDecodeError as error:
        msg = "the standard input is not UTF-8 text; convert it first"
        raise click.UsageError(msg) from error
