"""Conversations with questions whose evidence is known: LoCoMo's file, BEAM's, or one's own.

Guarantees: a conversation that is returned has every field that is used with its type; the first that has not is named
by file, conversation and field, and no message quotes a text. A question whose evidence names no turn is left out.
"""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING, Final

from marskg.errors import InvalidDocument
from marskg.sources import fields, strictjson
from marskg.sources.fields import BadField
from marskg.sources.strictjson import BadJson
from marskg_bench.common import labelled, locomo

if TYPE_CHECKING:
    from pathlib import Path

    from marskg_bench.common.conversation import Conversation

_GZIP: Final = b"\x1f\x8b"
#: Far above the benchmarks' 8 MB; what is larger is something else.
_MAX_BYTES: Final = 256 << 20
_WAY_OUT: Final = "name a file of LoCoMo or BEAM, or one of your own as docs/reference/bench.md describes it"


def conversations(file: Path) -> list[Conversation]:
    """Return the conversations of a file of LoCoMo, of BEAM, or of one's own, plain or compressed by gzip.

    Raises:
        InvalidDocument: it cannot be read, or breaks the layout.
    """
    found: list[Conversation] = []
    try:
        for number, entry in enumerate(fields.as_list(strictjson.parse(_content(file)), "the document"), 1):
            values = fields.as_object(entry, "a conversation")
            read = labelled.conversation if "turns" in values else locomo.conversation
            found.append(read(values, number))
    except (BadField, BadJson) as error:
        where = f", conversation {len(found) + 1}" if found or isinstance(error, BadField) else ""
        msg = f"{file}{where}: {error}; {_WAY_OUT}"
        raise InvalidDocument(msg) from error
    if not found:
        msg = f"{file} holds no conversation; {_WAY_OUT}"
        raise InvalidDocument(msg)
    return found


def _content(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            compressed = stream.read(len(_GZIP)) == _GZIP
        with gzip.open(file) if compressed else file.open("rb") as stream:
            content: bytes = stream.read(_MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        msg = f"{file} cannot be read ({type(error).__name__}); {_WAY_OUT}"
        raise InvalidDocument(msg) from error
    if len(content) > _MAX_BYTES:
        msg = f"{file} has more than {_MAX_BYTES >> 20} MB, far more than a file of conversations; {_WAY_OUT}"
        raise InvalidDocument(msg)
    return content
