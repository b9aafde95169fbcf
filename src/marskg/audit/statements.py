"""RDF statements about the audit: which subjects are records, slots and heads, and which pretend to be.

Guarantees: N-Quads are read by an RDF parser, so that what a statement means decides and not how it is spelled; each
comes back in canonical form. A statement that says of anything else what only the audit can say is stray: nobody
signed it. Sources: N-Quads 1.1; RDFC-1.0 section 5 (canonical form); semantics section 8.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import pyoxigraph as ox

from marskg.audit.grammar import NODE_FIELDS, RECORD_FIELDS, quoted
from marskg.errors import InvalidDocument
from marskg.late_regex import late_regex
from marskg.ontology.fields import CORE_FIELDS
from marskg.ontology.vocabulary import NS, RDF_TYPE, XSD, EdgeType
from marskg.records import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_UUID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
#: A record, one of its slots or a tree head; numbers that no log has are none.
ENTRY: Final = late_regex(rf"(urn:uuid:{_UUID})#(?:head-[0-9]{{1,18}}|[1-9][0-9]{{0,17}}(?:\.[0-9]{{1,9}})?)", re.ASCII)
_FRAGMENT: Final = late_regex(rf"(urn:uuid:{_UUID})#(?!(?:{'|'.join(EdgeType)})-{_UUID}\Z)", re.ASCII)
#: What is said of records, slots and heads alone; a memory has a weight as well.
AUDIT_TERMS: Final = frozenset(
    {*(field.local for field in CORE_FIELDS), *RECORD_FIELDS, *NODE_FIELDS}
    | {"slot", "treeSize", "rootHash", "proofValue", "proofCreated", "leafHash", "commitment", "salt"}
) - {"weight"}
AUDIT_TYPES: Final = frozenset({"AuditRecord", "AuditSlot", "RecordSlot", "NodeSlot", "TreeHead", "AuditKey"})
_WHERE: Final = 200


class Statement(NamedTuple):
    """One statement: the line is canonical, ``graph`` empty for the default graph; a blank node begins with ``_:``."""

    subject: str
    predicate: str
    value: str
    line: str
    graph: str


class Strays:
    """Finds statements that nobody signed among those about anything else."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._reasons: dict[str, str] = {}
        #: Subjects that may turn out to be a log.
        self._bare: set[str] = set()

    def note(self, subject: str, why: str) -> None:
        """Keep a subject about which something is said that nobody signed."""
        self._reasons.setdefault(subject[:_WHERE], why)

    def check(self, statement: Statement) -> None:
        """Look at a statement about something that is no record, slot or head."""
        self.subject(statement.subject)
        typed = statement.predicate == RDF_TYPE and statement.value.removeprefix(NS) in AUDIT_TYPES
        if typed or (statement.predicate.startswith(NS) and statement.predicate.removeprefix(NS) in AUDIT_TERMS):
            self.note(statement.subject, "it says what only a signed record, slot or head can say")

    def subject(self, name: str) -> None:
        """Look at what something is said about."""
        if name.startswith(("did:key:", NS)) or _FRAGMENT.match(name):
            self.note(name, "the export says something about a log, a key or a term that nobody signed")
        else:
            self._bare.add(name)

    def findings(self, logs: Iterable[str]) -> list[Finding]:
        """Return what was found, now that the logs of the export are known."""
        for log in self._bare.intersection(logs):
            self.note(log, "the export says something about a log, a key or a term that nobody signed")
        return [Finding("bad-document", where, why) for where, why in sorted(self._reasons.items())]


def read_statements(path: Path) -> Iterator[Statement]:
    """Yield the statements of the N-Quads at ``path``, in the order of the file.

    Raises:
        InvalidDocument: the file is no N-Quads.
    """
    try:
        with path.open("rb") as file:
            for quad in ox.parse(file, format=ox.RdfFormat.N_QUADS):
                yield _statement(quad)
    except SyntaxError as error:
        place = f"{path}:{error.lineno}" if error.lineno else str(path)
        msg = f"{place} is no N-Quads in UTF-8: {str(error.msg)[:_WHERE]}; export it again"
        raise InvalidDocument(msg) from error


def _statement(quad: ox.Quad) -> Statement:
    subject = quad.subject.value if isinstance(quad.subject, ox.NamedNode) else str(quad.subject)
    value = quad.object
    if isinstance(value, ox.NamedNode):
        text, term = value.value, f"<{value.value}>"
    elif isinstance(value, ox.Literal):
        text, kind = value.value, value.datatype.value
        plain = "" if kind == f"{XSD}string" else f"^^<{kind}>"
        term = quoted(text) + (f"@{value.language}" if value.language else plain)
    else:
        text = term = str(value)
    graph = "" if isinstance(quad.graph_name, ox.DefaultGraph) else str(quad.graph_name)
    return Statement(subject, quad.predicate.value, text, f"<{subject}> <{quad.predicate.value}> {term} .", graph)
