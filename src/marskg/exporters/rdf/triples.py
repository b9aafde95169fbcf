"""Triples of a document in N-Quads, N-Triples, TriG or Turtle, streamed by pyoxigraph and checked one by one.

Guarantees: a triple is four strings, its object either an IRI (datatype :data:`IRI`) or a literal with the IRI of its
datatype; what a memory cannot hold is refused by name instead of dropped: named graphs, blank nodes, language tags,
triples about triples; nothing is fetched. A document with our first line must have our last, so that a truncated one
is found even where its syntax allows the cut.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import pyoxigraph as ox

from marskg.errors import InvalidDocument
from marskg.exporters.rdf.formats import FIRST_LINE, LAST_LINE, Format

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Stands for the datatype where the object is an IRI.
IRI = "@id"

_SYNTAX = {
    Format.NQUADS: ox.RdfFormat.N_QUADS,
    Format.NTRIPLES: ox.RdfFormat.N_TRIPLES,
    Format.TRIG: ox.RdfFormat.TRIG,
    Format.TURTLE: ox.RdfFormat.TURTLE,
}


class Triple(NamedTuple):
    """One statement; ``datatype`` is :data:`IRI` where ``value`` is an IRI."""

    subject: str
    predicate: str
    value: str
    datatype: str


def read_triples(path: Path, syntax: Format) -> Iterator[Triple]:
    """Yield the triples of the document at ``path``.

    Raises:
        InvalidDocument: the file is missing, truncated, not what it claims to be, or says what no memory can hold.
    """
    refuse_truncated(path)
    try:
        for quad in ox.parse(path=str(path), format=_SYNTAX[syntax]):
            yield _triple(path, quad)
    except SyntaxError as error:
        place = f"{path}:{error.lineno}" if error.lineno else str(path)
        msg = f"{place}: not {syntax.value}: {error.msg}; correct the file, or name the format that it is in"
        raise InvalidDocument(msg) from error
    except MemoryError as error:  # the parser's name for a line, or a statement, that is longer than its buffer
        msg = f"{path}: a line or a statement of more than 16 MiB; no memory is that long: divide or leave it out"
        raise InvalidDocument(msg) from error
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> InvalidDocument:
    """Return the error that says why the file at ``path`` cannot be read."""
    return InvalidDocument(f"{path}: cannot be read ({error.strerror or error}); give the path of a readable file")


def refuse_truncated(path: Path) -> None:
    """Refuse a document that begins as we begin one and does not end as we end it."""
    try:
        with path.open("rb") as file:
            if not file.readline(256).startswith(FIRST_LINE.encode()):
                return
            file.seek(-min(256, path.stat().st_size), os.SEEK_END)
            tail = file.read()
    except OSError as error:
        raise unreadable(path, error) from error
    if tail.rpartition(b"\n" + LAST_LINE.encode())[2].strip() or LAST_LINE.encode() not in tail:
        msg = f"{path}: truncated: its last line is not {LAST_LINE!r}; copy or export it again"
        raise InvalidDocument(msg)


def _triple(path: Path, quad: ox.Quad) -> Triple:
    """Return ``quad`` as strings, or refuse it."""
    subject, predicate, value = quad.subject, quad.predicate, quad.object
    if not isinstance(quad.graph_name, ox.DefaultGraph):
        raise _refused(path, f"the named graph {quad.graph_name}", "move its statements to the default graph")
    if not isinstance(subject, ox.NamedNode):
        raise _refused(path, f"the subject {subject}", "give the node an IRI")
    if isinstance(value, ox.NamedNode):
        return Triple(subject.value, predicate.value, value.value, IRI)
    if not isinstance(value, ox.Literal):
        raise _refused(path, f"an object of {predicate} of {subject} that has no IRI", "give the node an IRI")
    if value.language is not None:
        raise _refused(path, f"a language tag in {predicate} of {subject}", "a memory's text has none: remove it")
    return Triple(subject.value, predicate.value, value.value, value.datatype.value)


def _refused(path: Path, what: str, way_out: str) -> InvalidDocument:
    return InvalidDocument(f"{path}: has {what}, which a memory cannot hold; {way_out}")
