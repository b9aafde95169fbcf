"""Reads a user's RDF file into triples, offline.

Guarantees: the answer is the file's triples or an :class:`~marskg.errors.InvalidDocument` that names the file, the
line where the parser knows it, and the way out; nothing is ever fetched: the only context that may be named by its
IRI is this package's own, and it is read from the package. Relative IRIs are refused, because without a base they
name nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from pyoxigraph import RdfFormat, Triple, parse

from marskg.errors import InvalidDocument
from marskg.ontology.vocabulary import CONTEXT_IRI

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from marskg.ontology.statements import Statement

#: The packaged ontology and its alignments, read together.
FILES = ("mars.ttl", "alignments.ttl")
#: Larger files are refused: a vocabulary is small, and what a reasoner cannot finish should not be begun.
MAX_BYTES = 64 * 1024 * 1024

_FORMATS = {
    ".ttl": RdfFormat.TURTLE,
    ".nt": RdfFormat.N_TRIPLES,
    ".rdf": RdfFormat.RDF_XML,
    ".xml": RdfFormat.RDF_XML,
    ".jsonld": RdfFormat.JSON_LD,
    ".json": RdfFormat.JSON_LD,
}
_SUFFIXES = ", ".join(sorted({*_FORMATS, ".owl"}))


@dataclass(frozen=True, slots=True)
class Source:
    """One file under check, and its triples."""

    name: str
    statements: tuple[Statement, ...]


def packaged() -> str:
    """Return the packaged ``context.jsonld``."""
    return resources.files("marskg.ontology").joinpath("context.jsonld").read_text("utf-8")


def packaged_statements() -> list[Statement]:
    """Return the triples of the packaged ontology and its alignments."""
    folder = resources.files("marskg.ontology")
    return [
        (quad.subject, quad.predicate, quad.object)
        for name in FILES
        for quad in parse(folder.joinpath(name).read_bytes(), format=RdfFormat.TURTLE, rename_blank_nodes=True)
    ]


def read_source(path: Path) -> Source:
    """Return the triples of the file at ``path``, in Turtle, N-Triples, RDF/XML or JSON-LD by its suffix.

    A plain copy of a packaged file has none of its own.

    Raises:
        InvalidDocument: the file cannot be read, is too large, has another suffix, or is not what its suffix claims.
    """
    data = _read(path)
    folder = resources.files("marskg.ontology")
    if any(data == folder.joinpath(name).read_bytes() for name in FILES):
        return Source(str(path), ())
    syntax = _format_of(path, data)
    if syntax is RdfFormat.JSON_LD:
        data = _with_local_context(path, data)
    return Source(str(path), tuple(_parsed(path, data, syntax)))


def _read(path: Path) -> bytes:
    """Return the bytes of the file at ``path``."""
    try:
        if path.stat().st_size > MAX_BYTES:
            msg = f"{path}: larger than {MAX_BYTES >> 20} MiB; check a vocabulary on its own, without bulk data"
            raise InvalidDocument(msg)
        return path.read_bytes()
    except OSError as error:
        msg = f"{path}: cannot be read ({error.strerror or error}); give the path of a readable file"
        raise InvalidDocument(msg) from error


def _format_of(path: Path, data: bytes) -> RdfFormat:
    """Return the syntax that the suffix promises; ``.owl`` is in use for both RDF/XML and Turtle."""
    suffix = path.suffix.lower()
    if suffix == ".owl":
        head = data.removeprefix(b"\xef\xbb\xbf").lstrip()
        return RdfFormat.RDF_XML if head.startswith((b"<?xml", b"<!", b"<rdf:RDF")) else RdfFormat.TURTLE
    if suffix not in _FORMATS:
        msg = f"{path}: unknown suffix {suffix!r}; save it as Turtle, N-Triples, RDF/XML or JSON-LD ({_SUFFIXES})"
        raise InvalidDocument(msg)
    return _FORMATS[suffix]


def _parsed(path: Path, data: bytes, syntax: RdfFormat) -> Iterator[Statement]:
    """Yield the triples of ``data``; graph names are dropped, as an ontology is one graph."""
    try:
        for quad in parse(data, format=syntax, rename_blank_nodes=True):
            if isinstance(quad.subject, Triple) or isinstance(quad.object, Triple):
                msg = f"{path}: has triples about triples, which OWL 2 does not know; write the statement as a node"
                raise InvalidDocument(msg)
            yield quad.subject, quad.predicate, quad.object
    except SyntaxError as error:
        place = f"{path}:{error.lineno}" if error.lineno else str(path)
        msg = f"{place}: not {syntax.name}: {error.msg}; correct the file, or give it the suffix of its syntax"
        raise InvalidDocument(msg) from error


def _with_local_context(path: Path, data: bytes) -> bytes:
    """Return a JSON-LD document with this package's context, where it is named, put in place of its IRI."""
    try:
        document = json.loads(data)
        own = json.loads(packaged())["@context"]
        _replace_contexts(path, document, own)
        return json.dumps(document).encode()
    except json.JSONDecodeError as error:
        msg = f"{path}:{error.lineno}: not JSON: {error.msg}; correct the file"
        raise InvalidDocument(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8"
        raise InvalidDocument(msg) from error
    except RecursionError as error:
        msg = f"{path}: nested too deeply; an ontology needs few levels, write nodes side by side"
        raise InvalidDocument(msg) from error


def _replace_contexts(path: Path, document: Any, own: Any) -> None:  # noqa: ANN401 - JSON
    """Replace the IRI of the packaged context by its content, everywhere, and refuse any other that is remote."""
    rest = [document]
    while rest:
        value = rest.pop()
        if isinstance(value, dict):
            if "@context" in value:
                value["@context"] = _local(path, value["@context"], own)
            rest += value.values()
        elif isinstance(value, list):
            rest += value


def _local(path: Path, context: Any, own: Any) -> Any:  # noqa: ANN401 - JSON
    """Return ``context`` without remote parts."""
    if context == CONTEXT_IRI:
        return own
    if isinstance(context, str):
        msg = f"{path}: names the remote context {context}; nothing is fetched: write that context into the file"
        raise InvalidDocument(msg)
    return [_local(path, part, own) for part in context] if isinstance(context, list) else context
