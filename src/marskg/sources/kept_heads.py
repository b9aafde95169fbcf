"""Signed tree heads that a witness kept in a file, to hold a log to them."""

from __future__ import annotations

from pathlib import Path

from marskg.audit.document import head_from_signed
from marskg.errors import InvalidDocument
from marskg.records import TreeHead
from marskg.sources.strictjson import BadJson, parse

_WRITE_ONE = "write one with: mars audit head --export FILE"


def read_heads(path: str | Path) -> tuple[TreeHead, ...]:
    """Return the tree heads in ``path``: W3C documents, or what ``mars audit head --json`` prints.

    Whether they are signed is looked at when a log is held to them.

    Raises:
        InvalidDocument: the file cannot be read, holds something else, or no head at all.
    """
    try:
        found = parse(Path(path).read_bytes())
        if isinstance(found, dict) and "heads" in found:
            heads = tuple(TreeHead(**entry) for entry in found["heads"])
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
