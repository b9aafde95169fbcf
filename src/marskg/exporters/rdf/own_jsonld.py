"""Our own JSON-LD read back by its shape: context, then a flat graph of nodes, streamed without a JSON-LD processor.

Guarantees: a document is taken for ours only if its context is the packaged one, by value or by its IRI, or that of an
older version, whose terms are all in it, so that a term means here what it means to every processor; a term that the
context does not define is refused by name (processors drop it in silence), and so are relative IRIs, numbers, nulls,
value objects and ids that come twice, but for what stands as JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marskg.exporters.rdf.json_scan import JsonScanner
from marskg.exporters.rdf.jsonld import packaged_context
from marskg.exporters.rdf.triples import IRI, Triple
from marskg.json_object import UnfitJsonError, canonical_json
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import CONTEXT_IRI, NS, RDF_JSON, RDF_TYPE, XSD

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: An absolute IRI without characters that N-Quads would have to escape.
ABSOLUTE = late_regex(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`]+\Z")
_PREFIXES = {"mars": NS, "xsd": XSD}
_ID_NAMES = ("id", "@id")
_TYPE_NAMES = ("type", "@type")
#: What every context of ours has had.
_BASE = frozenset(("@version", *_PREFIXES, "id", "type", "content"))


def is_own(path: Path) -> bool:
    """Return whether the JSON document at ``path`` begins with our context.

    Raises:
        InvalidDocument: it is no JSON, or too deep.
    """
    with JsonScanner(path) as scan:
        scan.accept("[")
        if not scan.accept("{") or scan.peek() != '"' or scan.value() != "@context":
            return False
        scan.take(":", "after @context")
        return _context(scan) is not None


def _context(scan: JsonScanner) -> dict[str, Any] | None:
    """Pass over the value of ``@context``, and return it if each of its terms is one of ours.

    The context of an older version of this package has fewer terms.
    """
    found, ours = scan.value(), packaged_context()
    if found == CONTEXT_IRI:
        return ours
    return found if isinstance(found, dict) and found.keys() >= _BASE and found.items() <= ours.items() else None


def read_own(path: Path) -> Iterator[Triple]:
    """Yield the triples of our own document at ``path``, node by node.

    Raises:
        InvalidDocument: something in it is not of our shape.
    """
    with JsonScanner(path) as scan:
        several = scan.accept("[")
        while True:
            reader = _NodeReader(scan, _open_graph(scan, "@included" if several else "@graph"))
            if not scan.accept("]"):
                yield from reader.node(scan.value())
                while scan.accept(","):
                    yield from reader.node(scan.value())
                scan.take("]", "at the end of the nodes")
            scan.take("}", "after the nodes, which are last")
            if not (several and scan.accept(",")):
                break
        if several:
            scan.take("]", "at the end of the document")
        if scan.peek():
            scan.refuse("something follows the end of the document; remove it")


def _open_graph(scan: JsonScanner, graph: str) -> dict[str, Any]:
    """Pass over the beginning of one object up to its first node; returns its context."""
    scan.take("{", "at the beginning")
    _pass_name(scan, "@context")
    context = _context(scan)
    if context is None:
        scan.refuse("the second context is not that of the first object; load the objects one by one")
    scan.take(",", f"between @context and {graph}")
    _pass_name(scan, graph)
    scan.take("[", f"as the value of {graph}")
    return context


def _pass_name(scan: JsonScanner, name: str) -> None:
    """Pass over ``name`` and its colon."""
    if scan.peek() != '"' or scan.value() != name:
        scan.refuse(f"{name} was expected: an export has @context, then its nodes; remove the rest")
    scan.take(":", f"after {name}")


class _NodeReader:
    """Turns nodes into triples by the document's context."""

    def __init__(self, scan: JsonScanner, context: dict[str, Any]) -> None:
        self._scan = scan
        self._last = ""
        #: Term → IRI and how its values are read.
        self._terms: dict[str, tuple[str, str]] = {}
        for term, definition in context.items():
            if term.startswith("@") or term in _PREFIXES or definition in ("@id", "@type"):
                continue
            known = {"@id": definition} if isinstance(definition, str) else definition
            self._terms[term] = (_expanded(known["@id"]), _expanded(known.get("@type", "xsd:string")))

    def node(self, node: Any) -> Iterator[Triple]:  # noqa: ANN401 - JSON
        """Yield the triples of ``node`` and then those of the nodes inside it."""
        if not isinstance(node, dict):
            self._scan.refuse("a node that is no object; remove it")
        subject = self._iri(next((node[name] for name in _ID_NAMES if name in node), None), "id", "a node")
        if subject == self._last:  # elsewhere in the document the spool finds it
            self._scan.refuse(f"{subject} has two nodes; ids are unique: remove one")
        self._last = subject
        inner: list[Any] = []
        for name, value in node.items():
            if name in _ID_NAMES:
                continue
            if self._terms.get(name, ("", ""))[1] == "@json":
                yield Triple(subject, self._terms[name][0], self._json(value, name, subject), RDF_JSON)
                continue
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    inner.append(item)
                    item = next((item[key] for key in _ID_NAMES if key in item), None)  # noqa: PLW2901 - its id
                yield self._triple(subject, name, item)
        for item in inner:
            yield from self.node(item)

    def _triple(self, subject: str, name: str, item: object) -> Triple:
        """Return the triple of one value."""
        if name in _TYPE_NAMES:
            return Triple(subject, RDF_TYPE, self._term(item, name, subject), IRI)
        if name not in self._terms:
            self._scan.refuse(
                f"unknown term {name!r} in {subject}, which JSON-LD processors would drop; remove it, "
                "or define it in a context of your own"
            )
        predicate, datatype = self._terms[name]
        if datatype == "@id":
            return Triple(subject, predicate, self._iri(item, name, subject), IRI)
        if datatype == "@vocab":
            return Triple(subject, predicate, self._term(item, name, subject), IRI)
        if isinstance(item, bool) and datatype == f"{XSD}boolean":
            return Triple(subject, predicate, "true" if item else "false", datatype)
        return Triple(subject, predicate, self._text(item, name, subject), datatype)

    def _json(self, value: object, name: str, subject: str) -> str:
        """Return the canonical text of a value that stands as JSON."""
        try:
            return canonical_json(value)
        except UnfitJsonError as error:
            self._scan.refuse(f"the {name} of {subject} {error}")

    def _term(self, item: object, name: str, subject: str) -> str:
        """Return the IRI of a value that is a term of the context."""
        text = self._text(item, name, subject)
        if text in self._terms:
            return self._terms[text][0]
        if ":" not in text:
            self._scan.refuse(f"unknown term {text!r} as {name} of {subject}; use one of the ontology")
        return self._iri(text, name, subject)

    def _iri(self, item: object, name: str, subject: str) -> str:
        """Return an absolute IRI."""
        text = self._text(item, name, subject)
        if text.partition(":")[0] in _PREFIXES:
            text = _expanded(text)
        if not ABSOLUTE.match(text):
            self._scan.refuse(f"the {name} of {subject} is a relative or broken IRI; write it in full")
        return text

    def _text(self, item: object, name: str, subject: str) -> str:
        """Return a string that UTF-8 can write."""
        if not isinstance(item, str):
            self._scan.refuse(f"the {name} of {subject} is no string; write values as strings")
        try:
            item.encode()
        except UnicodeEncodeError:
            self._scan.refuse(f"the {name} of {subject} holds a lone surrogate; replace it")
        return item


def _expanded(name: str) -> str:
    """Return the IRI of a prefixed ``name``, or the name itself."""
    prefix, _, local = name.partition(":")
    return _PREFIXES[prefix] + local if prefix in _PREFIXES else name
