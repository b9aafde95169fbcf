"""SHACL validation of a whole graph, and of the neighbourhood of a write.

Guarantees: the verdict on a node does not depend on the engine, on how a graph was cut into batches, or on whether the
node was validated in the whole or in its neighbourhood; a finding names shape, node, rule and way out, and no value.
Nothing is written to disk: what is validated is people's content.

Which nodes does a write affect? With direct neighbours checked, the rest follows by induction: what was right before
and has no changed neighbour still is. So these are affected:

- the changed nodes themselves;
- every node with an edge that ends at a changed node (derivesFrom, dependsOn, supersedes, requires and all others);
- the nodes before and after a changed one by temporalNext;
- the tasks whose requires was re-pointed to a changed summary;

and the neighbourhood to hand over is, in N-Triples:

- all triples of the affected nodes, with the nodes of their edges (``<id>#type-target``);
- for each node that an affected node's edge leads to: its ``rdf:type`` triples, ``mars:tier``, ``mars:session``,
  ``mars:validFrom``, and ``mars:content`` if it has any (the text does not matter: ``"-"`` will do);
- the triples of derivesFrom, dependsOn, supersedes, requires and temporalNext that lead to affected nodes, with
  ``mars:session`` and ``mars:validFrom`` of where a temporalNext comes from; and the temporalNext triples that lead to
  their successors.

Above a few thousand affected nodes, validate the whole graph. A cycle of more than two steps shows in a neighbourhood
only if all of it is there: the write gate asks the store for reachability instead (``gate.NodeFacts.reaches``).
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from pyoxigraph import RdfFormat, parse

from marskg.errors import InvalidDocument
from marskg.records import Report
from marskg.shapes.batches import BATCH_LINES, Batches
from marskg.shapes.catalogue import findings
from marskg.shapes.cycles import cyclic_edges
from marskg.shapes.engines import Pyshacl, Rudof

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from marskg.shapes.catalogue import Breach
    from marskg.shapes.engines import ShaclEngine

#: ``rudof`` is fast where it is installed; ``pyshacl`` is the referee.
EngineName: TypeAlias = Literal["rudof", "pyshacl"]

_ENGINES: dict[str, type[ShaclEngine]] = {"rudof": Rudof, "pyshacl": Pyshacl}
_READY = threading.local()


def validate_graph(
    source: Iterable[str] | Path, *, engine: EngineName = "rudof", batch_lines: int = BATCH_LINES
) -> Report:
    """Validate a whole graph against all shapes, and look for cycles of any length.

    Args:
        source: lines of canonical N-Triples, as :mod:`marskg.ontology.mapping` writes them, in any order; or the path
            of a ``.nt``, ``.nq`` (default graph only) or ``.ttl`` file. Turtle is read whole, so it is for small files.
        engine: which SHACL engine runs the shapes.
        batch_lines: how many lines go to the engine at once; the verdict does not depend on it.

    Returns:
        The findings, in the order of node and shape; ``checked`` counts memories, entities, preferences, edges
        written as nodes, audit records and tree heads.

    Raises:
        InvalidDocument: the source is no RDF, or in a format that is not validated.
    """
    batches = Batches(_lines(source) if isinstance(source, Path) else source, batch_lines)
    found: list[Breach] = []
    with _lent(engine) as validator:
        for lines, focus in batches:
            found += validator.breaches(lines, focus)
    found += _cycles(batches.acyclic_edges())
    return Report(batches.checked, findings(found))


@contextmanager
def _lent(engine: EngineName) -> Iterator[ShaclEngine]:
    """Lend an engine of this thread that has read the shapes, which takes longer than a small graph does.

    One whose work ended in an exception is not lent again. Where the fast one is not installed, and in a child of a
    process that has validated, the referee does what it cannot.
    """
    if engine == "rudof" and not Rudof.usable():
        engine = "pyshacl"
    validator = _READY.__dict__.pop(engine, None) or _ENGINES[engine]()
    yield validator
    _READY.__dict__[engine] = validator


def validate_neighbourhood(lines: Sequence[str], focus: Iterable[str], *, engine: EngineName = "pyshacl") -> Report:
    """Validate the nodes ``focus``, given the ``lines`` of their neighbourhood (see the module's docstring).

    Raises:
        InvalidDocument: a line is no N-Triples statement.
    """
    nodes = set(focus)
    batch = Batches(lines)
    wanted = nodes | {node for node in batch.nodes() if node.partition("#")[0] in nodes}
    with _lent(engine) as validator:
        found = validator.breaches(lines, wanted)
    found += [breach for breach in _cycles(batch.acyclic_edges()) if breach[0] in wanted]
    return Report(len(nodes), findings(found))


def _cycles(edges: Iterable[tuple[str, str, str]]) -> list[Breach]:
    """Return what the edges on a cycle break, by the same names as the shapes of shorter cycles."""
    return [(source, f"Acyclicity-{type_}") for source, type_, _ in cyclic_edges(edges)]


def _lines(path: Path) -> Iterator[str]:
    """Yield the statements of a file."""
    if path.suffix in {".nt", ".nq"}:
        try:
            with path.open(encoding="utf-8") as file:
                for line in file:
                    yield line.rstrip("\n")
        except UnicodeDecodeError:
            msg = f"{path} is not UTF-8: export it again, or convert it"
            raise InvalidDocument(msg) from None
    elif path.suffix == ".ttl":
        yield from turtle_lines(path.read_bytes(), str(path))
    else:
        msg = f"{path} is not validated by its suffix {path.suffix!r}: export the store as .nt, .nq or .ttl"
        raise InvalidDocument(msg)


def turtle_lines(document: str | bytes, name: str = "the document") -> list[str]:
    """Return the statements of a Turtle document as N-Triples lines.

    Raises:
        InvalidDocument: ``document`` is no Turtle; ``name`` says which document.
    """
    try:
        return [f"{triple.triple} ." for triple in parse(document, format=RdfFormat.TURTLE)]
    except SyntaxError as error:
        where = f" (line {error.lineno})" if error.lineno else ""
        msg = f"{name} is no Turtle document{where}: check where it was cut or edited"
        raise InvalidDocument(msg) from None
