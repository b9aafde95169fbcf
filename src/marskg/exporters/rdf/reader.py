"""Exports read back: the same memories, entities and edges, or one error that says why not.

Guarantees: :class:`Export` has checked the whole document before it gives out the first record, and gives out what it
checked, not what the file has become since; every statement ends up in a record or the document is refused; memory
use does not grow with the document, except for JSON-LD in a context of its own. Records of somebody's audit are
evidence: given back line by line as they stand, never signed again.

Sequence numbers and the tenant belong to a store and are not in an export: the reader numbers the nodes in the order
of the document, from 1, and takes the tenant from its caller.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, Self, TypeAlias, TypeVar

from marskg.errors import InvalidDocument
from marskg.exporters.rdf.build import (
    build_entity,
    build_memory,
    build_preference,
    check_edge,
    is_edge,
    is_entity,
    is_preference,
    kind_of,
    refused,
)
from marskg.exporters.rdf.foreign_jsonld import pin, read_foreign
from marskg.exporters.rdf.formats import Format, format_of
from marskg.exporters.rdf.jsonld import packaged_context
from marskg.exporters.rdf.own_jsonld import is_own, read_own
from marskg.exporters.rdf.spool import Group, Spool
from marskg.exporters.rdf.triples import IRI, read_triples
from marskg.late_regex import late_regex
from marskg.ontology.mapping import literal
from marskg.ontology.vocabulary import NS, RDF_TYPE, XSD, Datatype
from marskg.records import Entity, Memory, Preference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import TracebackType

    from marskg.records import Edge

_AUDIT_NODE = late_regex(r"urn:uuid:[0-9a-f-]{36}#([0-9]+(\.[0-9]+)?|head-[0-9]+)\Z")
_WITHHELD = f"{NS}Withheld"

Node = TypeVar("Node", bound=Memory | Entity | Preference)


class Loaded(NamedTuple, Generic[Node]):
    """A memory, an entity or a preference of an export with its outgoing edges."""

    node: Node
    edges: tuple[Edge, ...]


AnyLoaded: TypeAlias = Loaded[Memory] | Loaded[Entity] | Loaded[Preference]


class Evidence(NamedTuple):
    """What an export says about one audit record, slot or tree head: canonical N-Quads lines, sorted."""

    iri: str
    lines: tuple[str, ...]


@dataclass(slots=True)
class Holdings:
    """How much a document holds."""

    memories: int = 0
    entities: int = 0
    preferences: int = 0
    edges: int = 0
    evidence: int = 0


class Export:
    """A document that has been checked as a whole; close it, or use it as a context manager."""

    def __init__(
        self,
        path: Path,
        *,
        tenant: str,
        format_name: str | None = None,
        context: Path | None = None,
        check: Callable[[AnyLoaded], None] | None = None,
    ) -> None:
        """Read and check the document at ``path``.

        Args:
            path: the document, of any size.
            tenant: the tenant that the records are to be of.
            format_name: its syntax, if the suffix does not say it.
            context: file with the context of a foreign JSON-LD document; :attr:`context_sha256` records which it was.
            check: called with every record before any is given out; it refuses by raising.

        Raises:
            InvalidDocument: the document cannot be loaded; the message names the file, the place and the way out.
            InvalidInput: neither suffix nor ``format_name`` says which syntax it is.
            StoreUnwritable: the temporary folder has no room.
        """
        self._path = path
        self._tenant = tenant
        pinned = pin(context) if context is not None else None
        #: SHA-256 of the context file; None if none was given.
        self.context_sha256 = pinned.sha256 if pinned is not None else None
        syntax = format_of(path, format_name)
        self._own = syntax is Format.JSONLD and is_own(path)
        if syntax is not Format.JSONLD:
            triples = read_triples(path, syntax)
        else:
            triples = read_own(path) if self._own else read_foreign(path, pinned)
        self._spool = Spool(triples)
        try:
            self.holdings = self._check(check)
        except BaseException:  # a refusal, or Ctrl-C, must not leave the spool open
            self._spool.close()
            raise

    def entities(self) -> Iterator[Loaded[Entity]]:
        """Yield the entities in the order of the document."""
        return (Loaded(node, edges) for node, edges in self._nodes() if isinstance(node, Entity))

    def memories(self) -> Iterator[Loaded[Memory]]:
        """Yield the memories in the order of the document."""
        return (Loaded(node, edges) for node, edges in self._nodes() if isinstance(node, Memory))

    def preferences(self) -> Iterator[Preference]:
        """Yield the preferences in the order of the document."""
        return (node for node, _ in self._nodes() if isinstance(node, Preference))

    def evidence(self) -> Iterator[Evidence]:
        """Yield what the document says about audit records and tree heads."""
        return (_evidence(group) for group in self._spool.groups() if _AUDIT_NODE.match(group.subject))

    def close(self) -> None:
        """Drop the temporary copy."""
        self._spool.close()

    def __enter__(self) -> Self:
        """Return the export itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Drop the temporary copy."""
        self.close()

    def _check(self, check: Callable[[AnyLoaded], None] | None) -> Holdings:
        """Build every record once, and count."""
        holdings = Holdings()
        for group in self._spool.groups():
            try:
                loaded = self._checked(group, holdings)
            except InvalidDocument as error:
                msg = f"{self._path}: {error}"
                raise InvalidDocument(msg) from error
            if loaded is None:
                continue
            if check is not None:
                check(loaded)
        return holdings

    def _checked(self, group: Group, holdings: Holdings) -> AnyLoaded | None:
        """Return the record that ``group`` describes, if it is one, and count what it is."""
        if self._own and group.parts > 1:
            raise refused(group, "two nodes", "ids are unique: remove one")
        if _AUDIT_NODE.match(group.subject):
            _check_evidence(group)
            holdings.evidence += 1
            return None
        if is_edge(group):
            check_edge(group, self._spool.get)
            return None
        loaded = self._built(group, holdings.memories + holdings.entities + holdings.preferences + 1)
        if loaded is None:
            raise _no_record(group)
        holdings.edges += len(loaded.edges)
        if isinstance(loaded.node, Entity):
            holdings.entities += 1
        elif isinstance(loaded.node, Preference):
            holdings.preferences += 1
        else:
            holdings.memories += 1
        return loaded

    def _nodes(self) -> Iterator[AnyLoaded]:
        """Yield all memories, entities and preferences in the order of the document."""
        sequence = 1
        for group in self._spool.groups():
            loaded = None if _AUDIT_NODE.match(group.subject) else self._built(group, sequence)
            if loaded is not None:
                sequence += 1
                yield loaded

    def _built(self, group: Group, sequence: int) -> AnyLoaded | None:
        """Return the memory, entity or preference that ``group`` describes; None if it describes none."""
        kind = kind_of(group)
        if kind is not None:
            return Loaded(*build_memory(group, kind, self._spool.get, tenant=self._tenant, sequence=sequence))
        if is_entity(group):
            return Loaded(*build_entity(group, self._spool.get, tenant=self._tenant, sequence=sequence))
        if is_preference(group):
            return Loaded(build_preference(group, tenant=self._tenant, sequence=sequence), ())
        return None


def _no_record(group: Group) -> InvalidDocument:
    """Return the error for a node that is none of ours."""
    types = sorted(item.value for item in group.statements if item.predicate == RDF_TYPE)
    if _WITHHELD in types:
        return refused(group, "been withheld", "this is an export of profile disclosure; load one of profile full")
    if not types:
        return refused(group, "no type", "type it as mars:Memory and its kind, or as mars:Entity or mars:Preference")
    return refused(group, f"the unknown type {types[0]}", "remove the node; nothing is dropped in silence")


def _check_evidence(group: Group) -> None:
    """Refuse a term that no audit record has."""
    known = {NS + str(term) for term in packaged_context()}
    unknown = [item.predicate for item in group.statements if item.predicate not in known | {RDF_TYPE}]
    if unknown:
        raise refused(group, f"the unknown term {unknown[0]}", "remove it; nothing is dropped in silence")


def _evidence(group: Group) -> Evidence:
    """Return the canonical lines of ``group``."""
    lines = set()
    for predicate, value, datatype in group.statements:
        if datatype == IRI:
            term = f"<{value}>"
        else:
            suffix = "" if datatype == f"{XSD}string" else f"^^<{datatype}>"
            term = literal(value, Datatype.STRING) + suffix
        lines.add(f"<{group.subject}> <{predicate}> {term} .")
    return Evidence(group.subject, tuple(sorted(lines)))
