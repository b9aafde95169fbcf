"""Reads the audit out of an exported file, JSON-LD or N-Quads, an entry at a time.

Guarantees: a JSON-LD file is never in memory as a whole; its context may define no term otherwise than this package,
so that the file means here what it means to every JSON-LD processor; N-Quads are read as an RDF parser reads them; an
entry that is not exactly as an export writes it, and any statement about the audit that is in none, becomes a finding;
a file that is no export with an audit at all is refused. Nothing is verified here.
Source: JSON-LD 1.1 sections 4.1, 4.5 and 9.15.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from marskg.audit.document import LineReader, head_from_jsonld, record_from_jsonld
from marskg.audit.statements import AUDIT_TERMS, AUDIT_TYPES, ENTRY, Strays, read_statements
from marskg.errors import InvalidDocument
from marskg.records import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from marskg.records import AuditRecord, TreeHead

_Raw = TypeVar("_Raw")
_Entry = TypeVar("_Entry", "AuditRecord", "TreeHead")
_BLOCK: Final = 1 << 20
#: No entry is as large as this; a string that never ends shall not fill the memory.
_MAX_ENTRY: Final = 64 << 20
#: An absolute IRI with a scheme of its own, which no prefix of the context stands for.
_ABSOLUTE: Final = re.compile(r"(?!mars:|xsd:)[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`]+")
_NAMES: Final = frozenset({"@id", "id"})
_TYPES: Final = frozenset({"@type", "type"})
#: Entries of a record, slot or head whose values are terms of the context.
_VALUES: Final = frozenset({"@type", "operation", "tierBefore", "tierAfter"})


class ExportedAudit:
    """The audit of one file; each method reads the file from its start."""

    def __init__(self, path: Path) -> None:
        """Look at the first character of ``path`` to tell JSON-LD from N-Quads.

        Raises:
            InvalidDocument: the file cannot be read, or is neither.
        """
        self.path = path
        #: Entries that were refused, after they were read.
        self.findings: list[Finding] = []
        self._strays = Strays()
        self._logs: set[str] = set()
        first = self._first_character()
        if first not in {"[", "<", "_"}:
            hint = "export it with --audit" if first == "{" else "convert it to JSON-LD or N-Quads"
            msg = f"{path} is no JSON-LD or N-Quads export with an audit; {hint}"
            raise InvalidDocument(msg)
        self._lines = None if first == "[" else self._read_lines()

    def heads(self) -> Iterator[TreeHead]:
        """Yield the tree heads.

        Raises:
            InvalidDocument: the file is broken.
        """
        if self._lines is not None:
            yield from self._sound(self._lines.head, self._lines.head_iris())
        else:
            yield from self._sound(head_from_jsonld, self._entries(heads=True))

    def strays(self) -> list[Finding]:
        """Return what the file says about the audit outside of its records and heads; call it when these were read."""
        return self._strays.findings(self._logs)

    def records(self) -> Iterator[AuditRecord]:
        """Yield the records in the order of the file, N-Quads by log and sequence; refuse what is neither.

        Raises:
            InvalidDocument: the file is broken.
        """
        if self._lines is not None:
            yield from self._sound(self._lines.record, self._lines.record_iris())
        else:
            yield from self._sound(record_from_jsonld, self._entries(heads=False))

    def _entries(self, *, heads: bool) -> Iterator[dict[str, Any]]:
        """Yield the nodes of heads, or all others, that a JSON-LD processor reads as they stand."""
        for node, terms in self._nodes():
            if (node.get("@type") == "TreeHead") == heads and self._defined(node, terms):
                yield node

    def _sound(self, read: Callable[[_Raw], _Entry], entries: Iterable[_Raw]) -> Iterator[_Entry]:
        """Yield what ``read`` makes of ``entries``; what it refuses becomes a finding."""
        for entry in entries:
            try:
                found = read(entry)
                self._logs.add(found.log)
                yield found
            except InvalidDocument as error:
                where = str(entry.get("@id")) if isinstance(entry, dict) else str(entry)
                self.findings.append(Finding("bad-document", where, str(error)))

    def _first_character(self) -> str:
        try:
            with self.path.open(encoding="utf-8") as file:
                # Our N-Quads begin with a comment line; Turtle's first mark after one tells it apart.
                while (line := file.readline(_BLOCK)) and (not line.strip() or line.startswith("#")):
                    pass
                return line.lstrip()[:1]
        except (OSError, UnicodeDecodeError) as error:
            msg = f"{self.path} cannot be read as UTF-8 text ({type(error).__name__}); name an exported file"
            raise InvalidDocument(msg) from error

    def _read_lines(self) -> LineReader:
        reader = LineReader()
        for statement in read_statements(self.path):
            if statement.graph:
                self._strays.note(statement.subject, "a statement in a named graph, which an export does not have")
            elif ENTRY.fullmatch(statement.subject):
                reader.add(statement.line)
            else:
                self._strays.check(statement)
        return reader

    def _nodes(self) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
        """Yield the entries of the second object of the file, each with the terms of its context."""
        try:
            with self.path.open(encoding="utf-8") as file:
                stream = _JsonStream(file, self.path)
                stream.expect("[")
                terms, memories = stream.graph()
                for node in memories:
                    self._memory(node, terms)
                stream.expect(",")
                terms, entries = stream.graph()
                yield from ((node, terms) for node in entries)
                stream.expect("]")
                stream.end()
        except UnicodeDecodeError as error:
            msg = f"{self.path} is not UTF-8 text; export it again"
            raise InvalidDocument(msg) from error

    def _memory(self, node: Mapping[str, Any], terms: frozenset[str]) -> None:
        """Find what a node beside the audit says about it, or could say to a JSON-LD processor."""
        ids = [value for name, value in node.items() if name in _NAMES]
        name = ids[0] if len(ids) == 1 and isinstance(ids[0], str) else ""
        types = [item for key in _TYPES & node.keys() for item in _listed(node[key])]
        plain = node.keys() - _NAMES - _json_terms()
        values = [item for key in plain for item in _listed(node[key])]
        if not _ABSOLUTE.fullmatch(name) or ENTRY.fullmatch(name):
            self._strays.note(name or "a node", "a node beside the audit is not named as a memory is")
        elif node.keys() & AUDIT_TERMS or not AUDIT_TYPES.isdisjoint(map(str, types)):
            self._strays.note(name, "it says what only a signed record, slot or head can say")
        elif not all(isinstance(item, str | bool) for item in values) or not {*node, *types} <= {
            *terms,
            "@id",
            "@type",
        }:
            self._strays.note(name, "it has a keyword, a nested node or a term that the context does not define")
        else:
            self._strays.subject(name)

    def _defined(self, node: Mapping[str, Any], terms: frozenset[str]) -> bool:
        """Return whether the context defines all that an entry says; a processor drops or misreads the rest."""
        slots = [slot for slot in _listed(node.get("slot", [])) if isinstance(slot, dict)]
        used = {name for entry in (node, *slots) for name in entry if not name.startswith("@")}
        used |= {str(entry[name]) for entry in (node, *slots) for name in _VALUES & entry.keys()}
        if used <= terms:
            return True
        why = f"the context does not define {min(used - terms)[:80]}, which it uses"
        self.findings.append(Finding("bad-document", str(node.get("@id"))[:200], why))
        return False


class _JsonStream:
    """Reads values one after another out of a JSON text, keeping only the part that is being read."""

    def __init__(self, file: IO[str], path: Path) -> None:
        self._file = file
        self._path = path
        self._text = ""
        self._at = 0
        self._decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)

    def expect(self, mark: str) -> None:
        """Pass over ``mark``, which must come next."""
        if self._peek() != mark:
            self._fail(f"{mark!r} is missing")
        self._at += 1

    def end(self) -> None:
        """Refuse anything after the last mark."""
        if self._peek():
            self._fail("there is something after its end")

    def graph(self) -> tuple[frozenset[str], Iterator[dict[str, Any]]]:
        """Return the terms and the entries of one ``{"@context": …, "@included": […]}``; read all entries."""
        self.expect("{")
        self._member("@context")
        terms = _terms(self._value(), self._path)
        self.expect(",")
        self._member("@included")
        self.expect("[")
        return terms, self._entries()

    def _entries(self) -> Iterator[dict[str, Any]]:
        while self._peek() != "]":
            value = self._value()
            if not isinstance(value, dict):
                self._fail("an entry of a graph is no object")
            yield value
            if self._peek() != "]":
                self.expect(",")
        self.expect("]")
        self.expect("}")

    def _member(self, name: str) -> None:
        if self._value() != name:
            self._fail(f"it has no {name} where an export has it")
        self.expect(":")

    def _value(self) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Read one string, object or array."""
        self._peek()
        while True:
            try:
                value, self._at = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._more():
                    self._fail("a value is not JSON, or the file is cut short", error)
            except InvalidDocument:
                raise
            except (RecursionError, ValueError) as error:
                self._fail("a value is nested too deeply, or a number in it has too many digits", error)
            else:
                return value

    def _peek(self) -> str:
        """Return the next character that is no white space, or nothing at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in " \t\r\n":
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _more(self) -> bool:
        """Read another block, as large as what is held already, so that a long value costs no more than twice."""
        self._text, self._at = self._text[self._at :], 0
        if len(self._text) > _MAX_ENTRY:
            self._fail("an entry is larger than any export's")
        block = self._file.read(max(_BLOCK, len(self._text)))
        self._text += block
        return bool(block)

    def _fail(self, why: str, cause: Exception | None = None) -> NoReturn:
        msg = f"{self._path} is no JSON-LD export with an audit: {why}; export it again with --audit"
        raise InvalidDocument(msg) from cause


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        msg = "an object of the document has an entry twice; processors differ on which one counts"
        raise InvalidDocument(msg)
    return found


def _no_constant(name: str) -> None:
    msg = f"the document has the value {name}, which is not JSON"
    raise InvalidDocument(msg)


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


@cache
def _context() -> dict[str, Any]:
    text = (resources.files("marskg.ontology") / "context.jsonld").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)["@context"]
    return found


@cache
def _json_terms() -> frozenset[str]:
    """Return the terms whose values are JSON of the user's own, in which nothing is a term (JSON-LD 1.1, 4.2.2)."""
    return frozenset(
        term for term, meaning in _context().items() if meaning == {"@id": f"mars:{term}", "@type": "@json"}
    )


def _terms(context: object, path: Path) -> frozenset[str]:
    """Return the terms of a context, which may be fewer than this package's, but none may be another.

    An older version's export has fewer terms. One that means something else here or there would make a document that
    verifies say something else to a JSON-LD processor.

    Raises:
        InvalidDocument: a term is unknown, or defined otherwise.
    """
    ours = _context()
    same = isinstance(context, dict) and all(ours.get(term) == meaning for term, meaning in context.items())
    if not same or not isinstance(context, dict) or not {"mars", "xsd"} <= context.keys():
        msg = f"{path} has a context that is not the one of an export; export it again"
        raise InvalidDocument(msg)
    return frozenset(term for term in context if not term.startswith("@"))
