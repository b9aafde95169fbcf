"""One readable document for each memory: its own fields, and what it is linked to inside it, by a JSON-LD frame.

Guarantees: a document says exactly what an export says about the memory, its edges and the nodes linked to it; its
context is named by the fixed IRI whose copy is in the package. Linked nodes are shown one step far, without their own
edges, so that a document stays as small as a memory. Source: W3C JSON-LD 1.1 Framing section 4.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from marskg.exporters.rdf.foreign_jsonld import frame_document
from marskg.exporters.rdf.jsonld import NodeWriter
from marskg.ontology.fields import MEMORY_FIELDS
from marskg.ontology.vocabulary import CONTEXT_IRI, Datatype
from marskg.records import Memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.records import Edge, Entity

_JSON: Final = tuple(field.local for field in MEMORY_FIELDS if field.datatype is Datatype.JSON)


def frame_memory(memory: Memory, edges: tuple[Edge, ...], linked: Iterable[Memory | Entity] = ()) -> dict[str, Any]:
    """Return the document of ``memory`` with its ``edges`` and the ``linked`` nodes inside it."""
    nodes = NodeWriter()
    texts = [nodes.memory(memory, edges)]
    texts += [nodes.memory(node, ()) if isinstance(node, Memory) else nodes.entity(node, ()) for node in linked]
    graph = json.loads(f"[{','.join(texts)}]")
    frame: dict[str, Any] = {"@context": CONTEXT_IRI, "@id": memory.id, "@embed": "@always"}
    if any("edgeSource" in node for node in graph):
        # The node of an edge points at its source, so it is reached against the direction of that arrow.
        frame["@reverse"] = {"edgeSource": {"edgeTarget": {"@embed": "@never"}}}
    # The processor looks for names and nodes inside free JSON as well, which has none.
    aside = {(node["@id"], name): node[name] for node in graph for name in _JSON if name in node}
    for node in graph:
        node.update((name, {}) for name in _JSON if name in node)
    document = frame_document({"@context": CONTEXT_IRI, "@graph": graph}, frame)
    _put_back(document, aside)
    return document


def _put_back(found: Any, aside: Mapping[tuple[str, str], Any]) -> None:  # noqa: ANN401 - JSON
    """Put free JSON into the nodes of a document that it was taken out of."""
    if isinstance(found, list):
        for one in found:
            _put_back(one, aside)
    elif isinstance(found, dict):
        ident = str(found.get("id", found.get("@id")))
        for name, value in found.items():
            if name in _JSON:
                found[name] = aside[ident, name]
            else:
                _put_back(value, aside)
