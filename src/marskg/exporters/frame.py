"""One readable document for each memory: its own fields, and what it is linked to inside it, by a JSON-LD frame.

Guarantees: a document says exactly what an export says about the memory, its edges and the nodes linked to it; its
context is named by the fixed IRI whose copy is in the package. Linked nodes are shown one step far, without their own
edges, so that a document stays as small as a memory. Source: W3C JSON-LD 1.1 Framing section 4.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from marskg.exporters.foreign import frame_document
from marskg.exporters.jsonld import NodeWriter
from marskg.ontology.vocabulary import CONTEXT_IRI
from marskg.records import Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from marskg.records import Edge, Entity


def readable_documents(
    memories: Iterable[tuple[Memory, tuple[Edge, ...]]], lookup: Callable[[str], Memory | Entity | None]
) -> Iterator[dict[str, Any]]:
    """Yield a document for each memory; ``lookup`` finds the nodes that its edges lead to."""
    nodes = NodeWriter()
    for memory, edges in memories:
        found = {edge.target: lookup(edge.target) for edge in edges}
        yield _document(nodes, memory, edges, [node for node in found.values() if node is not None])


def frame_memory(memory: Memory, edges: tuple[Edge, ...], linked: Iterable[Memory | Entity] = ()) -> dict[str, Any]:
    """Return the document of ``memory`` with its ``edges`` and the ``linked`` nodes inside it."""
    return _document(NodeWriter(), memory, edges, linked)


def _document(
    nodes: NodeWriter, memory: Memory, edges: tuple[Edge, ...], linked: Iterable[Memory | Entity]
) -> dict[str, Any]:
    """Return the framed document."""
    texts = [nodes.memory(memory, edges)]
    texts += [nodes.memory(node, ()) if isinstance(node, Memory) else nodes.entity(node, ()) for node in linked]
    graph = json.loads(f"[{','.join(texts)}]")
    frame: dict[str, Any] = {"@context": CONTEXT_IRI, "@id": memory.id, "@embed": "@always"}
    if any("edgeSource" in node for node in graph):
        # The node of an edge points at its source, so it is reached against the direction of that arrow.
        frame["@reverse"] = {"edgeSource": {"edgeTarget": {"@embed": "@never"}}}
    return frame_document({"@context": CONTEXT_IRI, "@graph": graph}, frame)
