"""The engine's files of pages in a store's folder: which may not be written, which are missing, and which are cut off.

Guarantees: only looks. The engine passes over a file that it cannot open, and writes its schema anew without it, which
loses what the file holds even once it can be opened again: so this is asked before the engine opens anything.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Final

from marskg.errors import EngineUnavailable, StoreUnwritable
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from pathlib import Path

_SCHEMA: Final = "schema.json"
_DICTIONARY: Final = "dictionary"
#: Name and version of a file of pages, with the size of a page; no other file of the engine's has to be whole.
_PAGED: Final = late_regex(r"\.([0-9]+)\.v[0-9]+\.([a-z]+)$")
#: Kinds that are empty before their first record or point.
_MAY_BE_EMPTY: Final = frozenset({"bucket", "lsmvecidx", "vecgraph"})


def check_files(graph: Path) -> bool:
    """Refuse a database of whose files one is missing or may not be written.

    Returns whether all indexes are there: one that is missing is made again from the records.

    Raises:
        StoreUnwritable: this process may not read and write a file.
        EngineUnavailable: a file of records is missing, or the list of them cannot be read.
    """
    if not (graph / _SCHEMA).exists():
        return True
    names = set()
    for path in sorted(graph.iterdir()):
        if path.is_file():
            _try(path)
            names.add(path.name.partition(".")[0])
    records, indexes = _named(graph / _SCHEMA)
    missing = sorted(records - names)
    if missing:
        msg = (
            f"the file {missing[0]} of the store in {graph.parent} is missing, and what it held with it; nothing was "
            "changed: put back a copy of the whole folder, or load a snapshot into a new store"
        )
        raise EngineUnavailable(msg)
    return indexes <= names


def _try(path: Path) -> None:
    """Open a file as the engine will: what a mode allows is not all that there is to it."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC))
    except OSError as error:
        msg = (
            f"{path} cannot be opened to read and write ({error.strerror}); nothing was changed: give the whole folder "
            "to whoever opens the store (chown -R, chmod -R u+rwX), then open it again"
        )
        raise StoreUnwritable(msg) from error


def _named(schema: Path) -> tuple[set[str], set[str]]:
    """Return the names of the files of records, and of indexes, that the engine's schema lists."""
    try:
        types = json.loads(schema.read_text(encoding="utf-8"))["types"].values()
        records = {bucket for one in types for bucket in one["buckets"]}
        return {_DICTIONARY, *records}, {index for one in types for index in one["indexes"]}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        msg = (
            f"{schema} is cut off or no list of the store's files; the store is damaged: put back a copy of the whole "
            "folder, or load a snapshot into a new store"
        )
        raise EngineUnavailable(msg) from error


def cut_off(graph: Path) -> Path | None:
    """Return a file of pages that ends within one: the engine passes over the rest."""
    schema = (graph / _SCHEMA).read_text(encoding="utf-8")
    for path in sorted(graph.iterdir()):
        paged = _PAGED.search(path.name)
        if paged is not None:
            size = path.stat().st_size
            # An index whose making was cut off before the schema had it is empty too: who promised to make it makes
            # it anew.
            may_be_empty = paged[2] in _MAY_BE_EMPTY or (
                paged[2].endswith("tidx") and path.name.partition(".")[0].rpartition("_")[2] not in schema
            )
            if size % int(paged[1]) or (size == 0 and not may_be_empty):
                return path
    return None
