"""The store's Cypher, one named ``.cypher`` file for each statement, loaded once and cached.

Guarantees: a statement is a constant text; the only words ever filled in are ``$KIND$`` and ``$EDGE$``, by members of
the fixed vocabulary, ``$DIMENSION$``, by an integer, and ``$CLAIM$``, by the statement ``claim_tenant``. An engine that
needs its own text has a file of the same name in its own folder.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from marskg.ontology.vocabulary import EdgeType, Kind


@cache
def statement(
    name: str, engine: str, *, kind: Kind | None = None, edge: EdgeType | None = None, dimension: int | None = None
) -> str:
    """Return the text of ``name`` for ``engine``, with the label, edge type or number of components put in."""
    text = _text(name, engine)
    if "$CLAIM$" in text:
        text = text.replace("$CLAIM$", _text("claim_tenant", engine))
    if kind is not None:
        text = text.replace("$KIND$", kind.label)
    if edge is not None:
        text = text.replace("$EDGE$", edge.value)
    if dimension is not None:
        text = text.replace("$DIMENSION$", f"{dimension:d}")
    return text


def _text(name: str, engine: str) -> str:
    """Return the lines of a file without its comments."""
    folder = files("marskg.store") / "cypher"
    own = folder / engine / f"{name}.cypher"
    text = (own if own.is_file() else folder / f"{name}.cypher").read_text(encoding="utf-8")
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
