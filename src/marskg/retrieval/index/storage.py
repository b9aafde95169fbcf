"""The index as one file, so that a program that has just started need not read the whole store.

Guarantees: a file is written beside the old one and put in its place when it is whole; it carries a digest, its
version, the tenant, the model and the audit sequences that it has reached, and whatever does not fit is refused with
:class:`Corrupt`, never half read; it has the rights 0600. It holds terms and vectors, no texts. What was removed from
the index is in no file that was written after it.
"""

from __future__ import annotations

import gc
import hashlib
import io
import json
import os
import struct
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from marskg.retrieval.index.memory_index import MemoryIndex

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VERSION: Final = 18
_MAGIC: Final = b"marskg-index\n"
_DIGEST: Final = 32
#: What reading something else by the rules of this version ends in.
_NOT_OURS: Final = (
    AttributeError,
    EOFError,
    IndexError,
    KeyError,
    NotImplementedError,
    OverflowError,
    TypeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
_LEXICAL: Final = ("sizes", "rows", "counts")
_PASSAGES: Final = ("passage.sizes", "passage.rows", "passage.counts")
_FACETS: Final = ("facet.sizes", "facet.places")


class Corrupt(Exception):
    """The file is not what was written; the message says why, without what it holds."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What a file is of: tenant, model, history, and the sequences of the two logs that it has reached."""

    tenant: str
    model: str | None
    line: str
    sequence: int
    access_sequence: int


def save(path: Path, index: MemoryIndex, reached: Reached) -> None:
    """Write ``index``, which has no removed rows, to ``path``."""
    index.features.settle()
    words, *postings = index.lexical.dump()
    passage_words, *passage_postings = index.passages.lexical.dump()
    pairs, *facets = index.dump_facets()
    types, nodes, edges = index.graph.dump(index.rows)
    meta: dict[str, Any] = {
        "version": VERSION,
        "reached": [reached.tenant, reached.model, reached.line, reached.sequence, reached.access_sequence],
        "dimension": index.dimension,
        "ids": index.ids,
        "words": index.words,
        "terms": words,
        "passage_terms": passage_words,
        "facets": pairs,
        "entities": index.entities.dump(),
        "types": types,
        "nodes": nodes,
    }
    arrays: dict[str, Any] = {f"column.{name}": index.columns[name] for name in index.columns.names}
    arrays |= {"vector": index.vectors["vector"].astype(np.float16), "edges": edges}
    arrays |= {f"passage.{name}": index.passages.columns[name] for name in index.passages.columns.names}
    arrays |= {"passage.vector": index.passages.vectors["vector"].astype(np.float16)}
    arrays |= dict(zip(_LEXICAL, postings, strict=True)) | dict(zip(_FACETS, facets, strict=True))
    arrays |= dict(zip(_PASSAGES, passage_postings, strict=True))
    arrays |= {"meta": np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)}
    body = io.BytesIO()
    np.savez(body, **arrays)
    data = body.getbuffer()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = path.with_suffix(".new")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(_MAGIC)
        file.write(hashlib.sha256(data).digest())
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def load(path: Path) -> tuple[MemoryIndex, Reached]:
    """Return the index in ``path``, and what it is of.

    Raises:
        Corrupt: the file is damaged, cut short, or of another version.
        FileNotFoundError: there is none.
    """
    data = path.read_bytes()
    head = len(_MAGIC) + _DIGEST
    body = memoryview(data)[head:]
    if not data.startswith(_MAGIC) or hashlib.sha256(body).digest() != data[len(_MAGIC) : head]:
        message = "its digest is not that of what was written"
        raise Corrupt(message)
    try:
        with _uncollected(), np.load(io.BytesIO(body), allow_pickle=False) as arrays:
            return _restored(dict(arrays))
    except _NOT_OURS as error:
        message = "it was written by another version"
        raise Corrupt(message) from error


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the collector of garbage from going through what is made inside, of which all stays, again and again."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _restored(arrays: dict[str, Any]) -> tuple[MemoryIndex, Reached]:
    meta = json.loads(arrays["meta"].tobytes())
    if meta["version"] != VERSION:
        message = "another version"
        raise ValueError(message)
    index = MemoryIndex(meta["dimension"])
    index.columns.replace({name[7:]: array for name, array in arrays.items() if name.startswith("column.")})
    index.vectors.replace({"vector": arrays["vector"].astype(np.float32)})
    index.lexical.restore(meta["terms"], *(arrays[name] for name in _LEXICAL))
    index.terms.restore(index.lexical)
    passages = index.passages
    passages.columns.replace({name: arrays[f"passage.{name}"] for name in passages.columns.names})
    passages.vectors.replace({"vector": arrays["passage.vector"].astype(np.float32)})
    passages.lexical.restore(meta["passage_terms"], *(arrays[name] for name in _PASSAGES))
    passages.restored()
    index.restore(meta["ids"], meta["words"], map(tuple, meta["facets"]), *(arrays[name] for name in _FACETS))
    index.entities.restore(meta["entities"])
    index.graph.restore(meta["types"], [*index.ids, *meta["nodes"]], arrays["edges"])
    index.start_tasks()
    return index, Reached(*meta["reached"])
