"""Signed tree heads that a witness kept in a file, to hold a log to them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from marskg.audit.document import head_from_signed
from marskg.errors import InvalidDocument
from marskg.records import TreeHead
from marskg.sources.strictjson import BadJson, parse

if TYPE_CHECKING:
    from collections.abc import Iterable

_WRITE_ONE = "write one with: mars audit head --export FILE"


def heads_of(witness: Iterable[TreeHead] | str | Path) -> Iterable[TreeHead]:
    """Return heads as they are given, or those in a file.

    Raises:
        InvalidDocument: the file holds none.
    """
    return read_heads(witness) if isinstance(witness, (str, Path)) else witness


def read_heads(path: str | Path) -> tuple[TreeHead, ...]:
    """Return the tree heads in ``path``: W3C documents, or what ``mars audit head --json`` prints.

    Whether they are signed is looked at when a log is held to them.

    Raises:
        InvalidDocument: the file cannot be read, holds something else, or no head at all.
    """
    try:
        found = parse(Path(path).read_bytes())
        if isinstance(found, dict) and "heads" in found:
            heads = tuple(map(_printed, found["heads"]))
        else:
            heads = tuple(head_from_signed(entry) for entry in (found if isinstance(found, list) else [found]))
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror}); {_WRITE_ONE}"
        raise InvalidDocument(msg) from error
    except (BadJson, TypeError, AttributeError, InvalidDocument) as error:
        msg = f"{path} holds no signed tree heads; {_WRITE_ONE}"
        raise InvalidDocument(msg) from error
    if not heads:
        msg = f"{path} holds no tree head to hold the log to; {_WRITE_ONE}"
        raise InvalidDocument(msg)
    return heads


def _printed(entry: dict[str, object]) -> TreeHead:
    """Return a head as it is printed.

    Raises:
        TypeError: an entry is missing or unknown, or has a value of another type.
    """
    head = TreeHead(**entry)  # type: ignore[arg-type]  # looked at below
    for name in TreeHead.__slots__:
        if type(getattr(head, name)) is not (int if name in {"size", "recorded_at"} else str):
            raise TypeError(name)
    return head
