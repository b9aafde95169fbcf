"""The store's Cypher, one named ``.cypher`` file for each statement, loaded once and cached.

Guarantees: a statement is a constant text; the only words ever filled in are ``$KIND$`` and ``$EDGE$``, by members of
the fixed vocabulary, ``$LABEL$``, by one of the store's labels, ``$DIMENSION$``, by an integer, ``$CLAIM$``, by the
statement ``claim_tenant``, and ``$MEMORY(row)$`` and ``$RECORD(row)$``, by a map of all the properties that a memory of
the kind or a record may have, each taken from the row. An engine that needs its own text has a file
of the same name in its own folder.

Nodes and edges are created with their properties, never without and then given them: the embedded engine would write
each of them twice, the second time as a change at the commit, which took twice as long. A property that a row has not
is none: ``null`` in the map of a new node is left out (openCypher 9, CREATE).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from marskg.late_regex import late_regex
from marskg.store.engine.cypher_files import cypher_text
from marskg.store.rows.codec import RECORD_PROPERTIES, memory_properties
from marskg.store.statements.handling import DECLARED, Statement

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from marskg.ontology.vocabulary import EdgeType, Kind

_MEMORY = late_regex(r"\$MEMORY\(([a-z.]+)\)\$")
_RECORD = late_regex(r"\$RECORD\(([a-z.]+)\)\$")


@cache
def statement(
    name: str,
    engine: str,
    *,
    kind: Kind | None = None,
    edge: EdgeType | None = None,
    label: str | None = None,
    dimension: int | None = None,
) -> Statement:
    """Return the text of ``name`` for ``engine``, with the label, edge type or number of components put in.

    It carries how it is handled on an encrypted tenant (:mod:`marskg.store.statements.handling`).
    """
    text = cypher_text(name, engine)
    if "$CLAIM$" in text:
        text = text.replace("$CLAIM$", cypher_text("claim_tenant", engine))
    if kind is not None:
        text = _filled(_MEMORY, text.replace("$KIND$", kind.label), memory_properties(kind))
    if edge is not None:
        text = text.replace("$EDGE$", edge.value)
    if label is not None:
        text = text.replace("$LABEL$", label)
    if dimension is not None:
        text = text.replace("$DIMENSION$", f"{dimension:d}")
    return Statement(_filled(_RECORD, text, RECORD_PROPERTIES), name, DECLARED.get(name))


def _filled(place: re.Pattern[str], text: str, names: Iterable[str]) -> str:
    """Put a map of the properties ``names`` of a row in each ``place``, which names the row."""
    return place.sub(lambda found: "{" + ", ".join(f"{name}: {found[1]}.{name}" for name in names) + "}", text)
