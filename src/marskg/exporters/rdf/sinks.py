"""What each syntax does with a record, one class for each way of writing triples.

Guarantees: a sink keeps nothing of a record once it is written; every sink writes the triples of the mapping and no
others, because the line-based ones are made from its lines and :mod:`~marskg.exporters.rdf.jsonld` is tested against
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from marskg.audit.document import head_lines, head_to_jsonld, record_lines, record_to_jsonld
from marskg.exporters.rdf.formats import FIRST_LINE, LAST_LINE
from marskg.exporters.rdf.jsonld import NodeWriter, compact_json, packaged_context
from marskg.exporters.rdf.turtle import HEADER, blocks
from marskg.ontology.mapping import entity_lines, memory_lines, preference_lines, withheld_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.exporters.atomic import AtomicFile
    from marskg.records import AuditRecord, Edge, Entity, Memory, Preference, TreeHead


class Sink(Protocol):
    """A document being written, in the order of these methods."""

    def memory(self, memory: Memory, edges: tuple[Edge, ...]) -> None:
        """Write a memory and its outgoing edges."""
        ...

    def entity(self, entity: Entity, edges: tuple[Edge, ...]) -> None:
        """Write an entity and its outgoing edges."""
        ...

    def preference(self, preference: Preference) -> None:
        """Write a preference."""

    def withheld(self, ident: str) -> None:
        """Write the stand-in of what the reader may not see."""
        ...

    def start_audit(self) -> None:
        """Begin the records of the logs."""
        ...

    def record(self, record: AuditRecord) -> None:
        """Write an audit record with what is left of its details."""
        ...

    def head(self, head: TreeHead) -> None:
        """Write a signed tree head."""
        ...

    def end(self) -> None:
        """End the document."""
        ...


class LineSink:
    """N-Quads and N-Triples, which are the same text because everything is in the default graph."""

    def __init__(self, file: AtomicFile) -> None:
        """Write to ``file``, beginning with the line that announces the last one."""
        self._file = file
        file.write_text(f"{FIRST_LINE}\n")

    def memory(self, memory: Memory, edges: tuple[Edge, ...]) -> None:
        """Write a memory and its outgoing edges."""
        self._lines(memory_lines(memory, edges), memory.id)

    def entity(self, entity: Entity, edges: tuple[Edge, ...]) -> None:
        """Write an entity and its outgoing edges."""
        self._lines(entity_lines(entity, edges), entity.id)

    def preference(self, preference: Preference) -> None:
        """Write a preference."""
        self._lines(preference_lines(preference), preference.id)

    def withheld(self, ident: str) -> None:
        """Write the stand-in of what the reader may not see."""
        self._lines(withheld_lines(ident), ident)

    def start_audit(self) -> None:
        """Do nothing: these syntaxes do not set the audit apart."""

    def record(self, record: AuditRecord) -> None:
        """Write an audit record with what is left of its details."""
        self._lines(record_lines(record), record.iri)

    def head(self, head: TreeHead) -> None:
        """Write a signed tree head."""
        self._lines(head_lines(head), head.log)

    def end(self) -> None:
        """Write the line by whose absence a truncated document is known."""
        self._file.write_text(f"{LAST_LINE}\n")

    def _lines(self, lines: Sequence[str], owner: str) -> None:
        self._file.write_text("\n".join(lines) + "\n", owner)


class TurtleSink(LineSink):
    """Turtle and TriG, which are the same text for the same reason."""

    def __init__(self, file: AtomicFile) -> None:
        """Write to ``file``, beginning with the prefixes."""
        super().__init__(file)
        file.write_text(HEADER)

    def _lines(self, lines: Sequence[str], owner: str) -> None:
        self._file.write_text(blocks(lines), owner)


class JsonLdSink:
    """One JSON-LD object with a graph, or, when there is audit, an array of two objects.

    The two hold ``@included`` nodes, because a ``@graph`` that is not the whole document is a graph with a name of its
    own (JSON-LD 1.1 section 4.9), and everything belongs to the default graph.
    """

    def __init__(self, file: AtomicFile, *, audited: bool) -> None:
        """Write to ``file``; ``audited`` says whether the audit follows."""
        self._file = file
        self._audited = audited
        self._nodes = NodeWriter()
        graph = "@included" if audited else "@graph"
        self._start = f'{{"@context":{compact_json(packaged_context())},\n"{graph}":['
        self._separator = "\n"
        file.write_text("[" * audited + self._start)

    def memory(self, memory: Memory, edges: tuple[Edge, ...]) -> None:
        """Write a memory and its outgoing edges."""
        self._node(self._nodes.memory(memory, edges), memory.id)

    def entity(self, entity: Entity, edges: tuple[Edge, ...]) -> None:
        """Write an entity and its outgoing edges."""
        self._node(self._nodes.entity(entity, edges), entity.id)

    def preference(self, preference: Preference) -> None:
        """Write a preference."""
        self._node(self._nodes.preference(preference), preference.id)

    def withheld(self, ident: str) -> None:
        """Write the stand-in of what the reader may not see."""
        self._node(compact_json({"@type": "Withheld", "@id": ident}), ident)

    def start_audit(self) -> None:
        """Begin the second object of the array."""
        self._file.write_text("\n]},\n" + self._start)
        self._separator = "\n"

    def record(self, record: AuditRecord) -> None:
        """Write an audit record with what is left of its details."""
        self._node(_type_first(record_to_jsonld(record)), record.iri)

    def head(self, head: TreeHead) -> None:
        """Write a signed tree head."""
        self._node(_type_first(head_to_jsonld(head)), head.log)

    def end(self) -> None:
        """Close what is open."""
        self._file.write_text("\n]}" + "]" * self._audited + "\n")

    def _node(self, text: str, owner: str) -> None:
        self._file.write_text(self._separator + text, owner)
        self._separator = ",\n"


def _type_first(node: dict[str, Any]) -> str:
    """Return ``node`` as text with its type first, where streaming processors need it."""
    return compact_json({"@type": node["@type"], **node})
