"""The two SHACL engines, each behind the same call: lines in, breaches out.

Guarantees: a result is reported under the shape that has the target, never under a shape nested in it; no value and
no line of data gets into a message. pyshacl's ``focus_nodes`` and ``use_shapes`` are not used: the first filters nested
shapes as well and the second ignores targets, so that violations pass (each shape has a seeded violation in the tests).
Literals keep their lexical form: rdflib rewrites them under its global NORMALIZE_LITERALS, so terms are built here.
Source: W3C SHACL sections 2.1.3 (targets) and 3.6 (validation report).
"""

from __future__ import annotations

import importlib.util
import os
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import pyshacl
from rdflib import BNode, Graph, Literal, URIRef
from rdflib.namespace import RDF, SH
from rdflib.plugins.parsers.ntriples import unquote

from marskg.errors import InvalidDocument
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import NS
from marskg.shapes.catalogue import SHAPES_NS, shapes_graph, shapes_turtle, targeted_shapes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from rdflib.term import Node

    from marskg.shapes.catalogue import Breach

_LINE = late_regex(
    r"\s*(?:<([^>]*)>|_:(\S+))\s+<([^>]*)>\s+"
    r'(?:<([^>]*)>|_:(\S+)|"((?:[^"\\]|\\.)*)"(?:\^\^<([^>]*)>|@([A-Za-z0-9-]+))?)\s*\.\s*\Z'
)
_TARGETS = (SH.targetClass, SH.targetSubjectsOf, SH.targetObjectsOf)
_FOCUS_NS = "urn:marskg:focus:"
_CLASS_TARGET = late_regex(r"sh:targetClass mars:(\w+)")
_TYPED = late_regex(rf"((?:<([^>]*)>|(_:\S+)) <{RDF.type}> <){re.escape(NS)}(\w+)> \.")
#: A staging frame needs some data to be opened over.
_ANCHOR = f"<{_FOCUS_NS}a> <{_FOCUS_NS}b> <{_FOCUS_NS}c> .\n"
_NO_TRIPLES = "line {number} is no N-Triples statement: write one statement a line, as exports do"


#: The process whose threads the fast engine has, once it has validated.
_USED_BY: set[int] = set()


class ShaclEngine(Protocol):
    """Something that runs the packaged shapes on a part of a graph."""

    def breaches(self, lines: Sequence[str], focus: Collection[str]) -> list[Breach]:
        """Return what the nodes ``focus`` break, given ``lines`` of N-Triples that hold all that the shapes look at.

        Raises:
            InvalidDocument: a line is no N-Triples statement.
        """
        ...


class Rudof:
    """The fast engine, in native code: the extra ``marskg[fast-shacl]``. Not for several threads, nor for a child.

    Its threads stay behind where a process that has validated is forked: the child would wait for them without an end
    (:meth:`usable`). The shapes are read once. So their class targets are classes of this module, which the focus nodes
    get beside their own: nodes that are there only because an edge leads to them cost nothing.
    """

    def __init__(self) -> None:
        """Read the shapes, which serve every later call."""
        import pyrudof  # noqa: PLC0415 - where it is not installed, the referee does it all

        self._library: Any = pyrudof
        self._session: Any = pyrudof.Rudof(pyrudof.RudofConfig())
        self._session.read_shacl(_CLASS_TARGET.sub(rf"sh:targetClass <{_FOCUS_NS}\1>", shapes_turtle()))
        self._session.read_data(_ANCHOR, self._library.RDFFormat.NTriples, merge=False)

    def breaches(self, lines: Sequence[str], focus: Collection[str]) -> list[Breach]:
        """Return what the nodes ``focus`` break; see :class:`ShaclEngine`."""
        _USED_BY.add(os.getpid())
        nodes = set(focus)
        marked = [
            f"{match[1]}{_FOCUS_NS}{match[4]}> ."
            for match in map(_TYPED.match, lines)
            if match is not None and (match[2] or match[3]) in nodes
        ]
        # Data of a staging frame is gone with it: setting up an empty store for each call takes a tenth of a second.
        self._session.begin_staging()
        try:
            self._session.read_data(
                "\n".join([*lines, *marked, ""]),
                self._library.RDFFormat.NTriples,
                reader_mode=self._library.ReaderMode.Strict,
                merge=True,
            )
            report = self._session.validate_shacl()
        except self._library.DataError:
            parse(lines)  # names the line
            msg = "the data is no N-Triples document: validate an export of this product"
            raise InvalidDocument(msg) from None
        finally:
            self._session.rollback_staging()
        return [
            (entry.focus_node, str(entry.source_shape).removeprefix(SHAPES_NS))
            for entry in report.violations
            if entry.focus_node in nodes
        ]

    @staticmethod
    def usable() -> bool:
        """Return whether it is installed, and this process has, or can start, its threads."""
        return importlib.util.find_spec("pyrudof") is not None and not _USED_BY - {os.getpid()}


class Pyshacl:
    """The referee, in Python, written by other people."""

    def __init__(self) -> None:
        """Prepare the shapes, which serve every later call."""
        self._parts = _prepared()

    def breaches(self, lines: Sequence[str], focus: Collection[str]) -> list[Breach]:
        """Return what the nodes ``focus`` break, by a copy of the shapes that targets these nodes by ``sh:targetNode``.

        A shape gets the nodes that its targets select in ``lines``, so that it applies to a node here exactly if it
        does in the whole graph. Shapes that no node gets are left out.
        """
        data = parse(lines)
        selected = _selections(data, {_node(name) for name in focus})
        copy = Graph()
        for part in self._parts:
            chosen = {node for target in part.targets for node in selected.get(target, ())}
            if chosen:
                _add(copy, part.triples)
                _add(copy, ((part.shape, SH.targetNode, node) for node in chosen))
        return run_pyshacl(data, copy) if copy else []


@dataclass(frozen=True, slots=True)
class _Part:
    """A shape with targets: itself, its targets, and its triples with those of the shapes that it refers to."""

    shape: URIRef
    targets: tuple[tuple[Node, Node], ...]
    triples: tuple[tuple[Node, Node, Node], ...]


@cache
def _prepared() -> tuple[_Part, ...]:
    """Return the packaged shapes, each on its own."""
    graph = shapes_graph()
    return tuple(
        _Part(shape, tuple(targets), tuple(_description(graph, shape))) for shape, targets in targeted_shapes(graph)
    )


def _node(name: str) -> Node:
    """Return the term that a focus node's name means."""
    return BNode(name.removeprefix("_:")) if name.startswith("_:") else URIRef(name)


def _name(node: Node | None) -> str:
    """Return the name of a node: an IRI, or ``_:`` and a label."""
    return f"_:{node}" if isinstance(node, BNode) else str(node)


def parse(lines: Iterable[str]) -> Graph:
    """Return ``lines`` of N-Triples as a graph whose literals keep their lexical form.

    Raises:
        InvalidDocument: a line is no N-Triples statement; the message says which one.
    """
    graph = Graph()
    for number, line in enumerate(lines, 1):
        if not line or line.isspace():
            continue
        match = _LINE.match(line)
        if match is None:
            raise InvalidDocument(_NO_TRIPLES.format(number=number))
        subject, blank, predicate, iri, blank_object, text, datatype, language = match.groups()
        value: Node
        if text is not None:
            value = Literal(
                unquote(text), lang=language, datatype=None if datatype is None else URIRef(datatype), normalize=False
            )
        else:
            value = URIRef(unquote(iri)) if iri is not None else BNode(blank_object)
        graph.add((URIRef(unquote(subject)) if subject is not None else BNode(blank), URIRef(predicate), value))
    return graph


def run_pyshacl(data: Graph, shapes: Graph) -> list[Breach]:
    """Return what pyshacl reports on ``data`` under ``shapes``."""
    _, report, _ = pyshacl.validate(data, shacl_graph=shapes)
    found = []
    for validation in report.subjects(RDF.type, SH.ValidationReport):
        # Only the report's own results: those behind sh:detail belong to nested shapes.
        for result in report.objects(validation, SH.result):
            shape = str(report.value(result, SH.sourceShape)).removeprefix(SHAPES_NS)
            found.append((_name(report.value(result, SH.focusNode)), shape))
    return found


def _selections(data: Graph, nodes: set[Node]) -> dict[tuple[Node, Node], set[Node]]:
    """Return which of ``nodes`` each target selects in ``data``."""
    found: dict[tuple[Node, Node], set[Node]] = {}
    for subject, predicate, value in data:
        if subject in nodes:
            found.setdefault((SH.targetSubjectsOf, predicate), set()).add(subject)
            if predicate == RDF.type:
                found.setdefault((SH.targetClass, value), set()).add(subject)
        if value in nodes:
            found.setdefault((SH.targetObjectsOf, predicate), set()).add(value)
    return found


def _description(graph: Graph, shape: Node) -> list[tuple[Node, Node, Node]]:
    """Return the triples of ``shape`` without its targets, and of all that it is made of or refers to."""
    found: list[tuple[Node, Node, Node]] = []
    todo, seen = [shape], {shape}
    while todo:
        node = todo.pop()
        for _, predicate, value in graph.triples((node, None, None)):
            if predicate in _TARGETS:
                continue
            found.append((node, predicate, value))
            if (isinstance(value, BNode) or predicate == SH.node) and value not in seen:
                seen.add(value)
                todo.append(value)
    return found


def _add(graph: Graph, triples: Iterable[tuple[Node, Node, Node]]) -> None:
    for triple in triples:
        graph.add(triple)
