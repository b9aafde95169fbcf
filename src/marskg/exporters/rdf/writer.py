"""Streaming exports: the whole store, or any part of it, as JSON-LD, N-Quads, N-Triples, TriG or Turtle.

Guarantees: records are written as they arrive and kept no longer, so that memory use does not grow with the store;
all formats hold the same triples, in the default graph and without blank nodes; JSON-LD embeds its context by value
and needs no network to be read; the file is there whole or not at all (:mod:`~marskg.exporters.atomic`).
Without audit a JSON-LD export is one object, with it an array of two: the memories and entities, then the records of
the logs with their signed heads.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from marskg.answer import Answer
from marskg.exporters.atomic import AtomicFile
from marskg.exporters.rdf.formats import Format, format_of
from marskg.exporters.rdf.sinks import JsonLdSink, LineSink, Sink, TurtleSink

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from marskg.records import AuditRecord, Edge, Entity, Memory, Preference, TreeHead


@dataclass(frozen=True, slots=True)
class Content:
    """What to export, as iterables that are read once, in order; ``records`` is None for an export without audit."""

    memories: Iterable[tuple[Memory, tuple[Edge, ...]]] = ()
    entities: Iterable[tuple[Entity, tuple[Edge, ...]]] = ()
    records: Iterable[AuditRecord] | None = None
    heads: Iterable[TreeHead] = ()
    preferences: Iterable[Preference] = ()
    #: Stand-ins of what a disclosure does not show, read after the memories.
    withheld: Iterable[str] = ()


@dataclass(frozen=True, slots=True)
class Counts(Answer):
    """How much an export holds; ``size`` is its length in bytes."""

    memories: int = 0
    entities: int = 0
    edges: int = 0
    records: int = 0
    heads: int = 0
    size: int = 0
    preferences: int = 0


def write_export(path: Path, content: Content, format_name: str | None = None) -> Counts:
    """Write ``content`` to ``path``, replacing what was there, and return what was written.

    Raises:
        InvalidInput: the format is not known.
        InvalidMemory: a memory holds a lone surrogate.
        StoreUnwritable: the folder is read-only, the disk full, or the target no regular file.
    """
    chosen = format_of(path, format_name)
    with AtomicFile(path) as file:
        sink = _sink(chosen, file, audited=content.records is not None)
        counts = _write(content, sink)
    return Counts(**counts, size=file.size)


def _sink(chosen: Format, file: AtomicFile, *, audited: bool) -> Sink:
    """Return what writes format ``chosen``."""
    if chosen is Format.JSONLD:
        return JsonLdSink(file, audited=audited)
    return TurtleSink(file) if chosen in {Format.TURTLE, Format.TRIG} else LineSink(file)


def _write(content: Content, sink: Sink) -> Counter[str]:
    """Send ``content`` through ``sink`` and count it, by the names of :class:`Counts`."""
    counts = Counter[str]()
    for memory, edges in content.memories:
        sink.memory(memory, edges)
        counts["memories"] += 1
        counts["edges"] += len(edges)
    for entity, edges in content.entities:
        sink.entity(entity, edges)
        counts["entities"] += 1
        counts["edges"] += len(edges)
    for preference in content.preferences:
        sink.preference(preference)
        counts["preferences"] += 1
    for ident in content.withheld:
        sink.withheld(ident)
    if content.records is not None:
        sink.start_audit()
        for record in content.records:
            sink.record(record)
            counts["records"] += 1
        for head in content.heads:
            sink.head(head)
            counts["heads"] += 1
    sink.end()
    return counts
