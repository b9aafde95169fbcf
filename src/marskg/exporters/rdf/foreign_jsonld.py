"""JSON-LD documents with a context of their own, read by PyLD (:mod:`marskg.ontology.processor`), and frames.

Guarantees: nothing is fetched: a context named by IRI is the packaged one or the file that the user pinned, anything
else is refused; every term that no context defines is refused by name, where processors drop it in silence; so are
relative IRIs and blank nodes. A foreign document is held in memory, which :data:`MAX_BYTES` bounds.
Source: W3C JSON-LD 1.1 Processing Algorithms sections 5.1 (expansion) and 8.1 (deserialisation to RDF).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from marskg.errors import InvalidDocument
from marskg.exporters.rdf.json_scan import JsonScanner
from marskg.exporters.rdf.jsonld import packaged_context
from marskg.exporters.rdf.triples import IRI, Triple, unreadable
from marskg.ontology.processor import Processor, broken_names
from marskg.ontology.vocabulary import CONTEXT_IRI

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

#: PyLD takes about 17,000 triples a second and a hundred times the document's size.
MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class PinnedContext:
    """A context file that the user vouches for, with what it was when it was used."""

    path: str
    sha256: str
    document: Mapping[str, Any]


def pin(path: Path) -> PinnedContext:
    """Return the context in the file at ``path``.

    Raises:
        InvalidDocument: the file cannot be read, or holds no ``@context``.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    with JsonScanner(path) as scan:
        document = scan.value()
    if not isinstance(document, dict) or "@context" not in document:
        msg = f"{path}: has no @context; write the context as the value of that name"
        raise InvalidDocument(msg)
    return PinnedContext(str(path), hashlib.sha256(data).hexdigest(), document)


def read_foreign(path: Path, context: PinnedContext | None) -> Iterator[Triple]:
    """Yield the triples of the JSON-LD document at ``path``.

    ``context`` stands for the context that the document names by IRI, or is its context if it has none.

    Raises:
        InvalidDocument: the document is not JSON-LD, names another context, or would lose something on the way.
    """
    document = _document(path)
    processor = Processor(str(path), _Contexts(path, context))
    own = None if context is None or _has_context(document) else context.document
    expanded = processor.expand(document, dropped=_dropping(path), context=own)
    _refuse_lost(path, expanded)
    dataset = processor.dataset(expanded)
    if not any(dataset.values()):
        msg = f"{path}: says nothing as JSON-LD; check its context and its ids"
        raise InvalidDocument(msg)
    for graph, quads in dataset.items():
        if graph != "@default":
            msg = f"{path}: has the named graph {graph}; move its statements to the default graph"
            raise InvalidDocument(msg)
        for quad in quads:
            yield _triple(path, quad)


def frame_document(document: Any, frame: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Return ``document`` in the form of ``frame``; both name no context but the packaged one."""
    return Processor("the memory's document", _Contexts(None, None)).framed(document, frame)


class _Contexts:
    """The packaged context, the pinned one in place of one IRI, and nothing else."""

    def __init__(self, path: Path | None, context: PinnedContext | None) -> None:
        self._path = path
        self._context = context
        self._stands_for: str | None = None

    def __call__(self, url: str) -> Mapping[str, Any]:
        if url == CONTEXT_IRI:
            return {"@context": packaged_context()}
        if self._context is None:
            msg = (
                f"{self._path}: names the remote context {url}; nothing is fetched: save it and give it as the context"
            )
            raise InvalidDocument(msg)
        if self._stands_for not in {None, url}:
            msg = f"{self._path}: names the contexts {self._stands_for} and {url}; join them in one file and give that"
            raise InvalidDocument(msg)
        self._stands_for = url
        return self._context.document


def _document(path: Path) -> Any:  # noqa: ANN401 - JSON
    """Return the JSON of the document, refusing what is too large or too deep for a recursive processor."""
    try:
        size = path.stat().st_size
    except OSError as error:
        raise unreadable(path, error) from error
    if size > MAX_BYTES:
        msg = f"{path}: {size >> 20} MiB of JSON-LD in a context of its own; split it, or convert it to N-Quads"
        raise InvalidDocument(msg)
    with JsonScanner(path) as scan:
        document = scan.value()
        if scan.peek():
            scan.refuse("something follows the end of the document; remove it")
    if not isinstance(document, dict | list):
        msg = f"{path}: neither a JSON object nor an array; JSON-LD is one of them"
        raise InvalidDocument(msg)
    return document


def _has_context(document: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether the document brings a context at its top."""
    items = document if isinstance(document, list) else [document]
    return any(isinstance(item, dict) and "@context" in item for item in items)


def _dropping(path: Path) -> Callable[[object], None]:
    def refuse(name: object) -> None:
        term = "a term" if name is None else f"the term {name!r}"  # None where a context maps a term to null
        msg = f"{path}: no context defines {term}, so it would be dropped; define it or remove it"
        raise InvalidDocument(msg)

    return refuse


def _refuse_lost(path: Path, expanded: Any) -> None:  # noqa: ANN401 - JSON
    """Refuse what expansion keeps and the step to RDF would drop or resolve: relative IRIs, lists, blank nodes."""
    pending = [expanded]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending.extend(item)
        elif isinstance(item, dict):
            _refuse_broken_names(path, item)
            if "@list" in item or "@direction" in item:
                msg = f"{path}: has a list or a direction, which a memory cannot hold; write plain values"
                raise InvalidDocument(msg)
            if "@value" not in item and "@id" not in item:
                _refuse_anonymous(path, item)
            pending.extend(value for name, value in item.items() if name not in {"@id", "@type", "@value", "@reverse"})
            pending.extend(item.get("@reverse", {}).values())


def _refuse_anonymous(path: Path, item: Mapping[str, Any]) -> None:
    """Refuse a node without an id, unless it only holds a graph."""
    said = [name for name in item if not name.startswith("@") or name in {"@type", "@reverse"}]
    if said:
        msg = f"{path}: a node with {said[0]} has no id; give every node an IRI"
        raise InvalidDocument(msg)


def _refuse_broken_names(path: Path, item: Mapping[str, Any]) -> None:
    """Refuse IRIs that are relative or broken; the datatype of a value is no exception."""
    for name in broken_names(item):
        msg = f"{path}: the IRI {name!r} is relative, blank or broken; write it in full"
        raise InvalidDocument(msg)


def _triple(path: Path, quad: Mapping[str, Mapping[str, str]]) -> Triple:
    """Return PyLD's quad as strings."""
    subject, predicate, value = quad["subject"]["value"], quad["predicate"]["value"], quad["object"]
    if "blank node" in {quad["subject"]["type"], value["type"]}:
        msg = f"{path}: {predicate} leads from or to a node without an id; give every node an IRI"
        raise InvalidDocument(msg)
    if value.get("language") is not None:
        msg = f"{path}: has a language tag in {predicate} of {subject}; a memory's text has none: remove it"
        raise InvalidDocument(msg)
    try:
        value["value"].encode()
    except UnicodeEncodeError as error:
        msg = f"{path}: the {predicate} of {subject} holds a lone surrogate; replace it"
        raise InvalidDocument(msg) from error
    return Triple(subject, predicate, value["value"], IRI if value["type"] == "IRI" else value["datatype"])
