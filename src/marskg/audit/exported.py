"""Reads the audit out of an exported file, JSON-LD or N-Quads, an entry at a time.

Guarantees: a JSON-LD file is never in memory as a whole; its context may define no term otherwise than this package,
so that the file means here what it means to every JSON-LD processor; N-Quads are read as an RDF parser reads them; an
entry that is not exactly as an export writes it, and any statement about the audit that is in none, becomes a finding;
a file that is no export with an audit at all is refused. The order of entries, slots and values says nothing in RDF,
and nothing here: records come by log and sequence. Of JSON-LD the first reading keeps only where in the file each entry
is, and the second goes there; so the memory grows by some bytes for an entry. Nothing is verified here.
Source: JSON-LD 1.1 sections 4.1, 4.3.2, 4.5 and 9.15.
"""

from __future__ import annotations

import json
from array import array
from functools import cache
from importlib import resources
from itertools import chain, islice, pairwise
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, TypeVar

from marskg.audit.document import LineReader, head_from_jsonld, reading_order, record_from_jsonld
from marskg.audit.statements import AUDIT_TERMS, AUDIT_TYPES, ENTRY, Strays, read_statements
from marskg.errors import InvalidDocument
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Operation
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
_ABSOLUTE: Final = late_regex(r"(?!mars:|xsd:)[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`]+")
_NAMES: Final = frozenset({"@id", "id"})
_TYPES: Final = frozenset({"@type", "type"})
_HEAD: Final = "TreeHead"
_ENTRY_TYPES: Final = ("AuditRecord", _HEAD)
#: Entries of a record, slot or head whose values are terms of the context.
_VALUES: Final = frozenset({"@type", "operation", "tierBefore", "tierAfter"})


class ExportedAudit:
    """The audit of one file."""

    def __init__(self, path: Path) -> None:
        """Read ``path`` once: N-Quads whole, of JSON-LD where its entries are; the first character tells which it is.

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
        self._index = _Index()
        self._terms: frozenset[str] = frozenset()
        self._lines = None if first == "[" else self._read_lines()
        if self._lines is None:
            self._read_objects()

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
        """Yield the records by log and sequence, whatever their order in the file; refuse what is none.

        Raises:
            InvalidDocument: the file is broken.
        """
        if self._lines is not None:
            yield from self._sound(self._lines.record, self._lines.record_iris())
        else:
            yield from self._sound(record_from_jsonld, self._entries(heads=False))

    def _entries(self, *, heads: bool) -> Iterator[dict[str, Any]]:
        """Yield the nodes of heads, or all others, that a JSON-LD processor reads as they stand."""
        with self.path.open("rb") as file:
            for place in self._index.places(heads=heads):
                node = self._node_at(file, place)
                if self._defined(node):
                    yield node

    def _node_at(self, file: IO[bytes], place: _Place) -> dict[str, Any]:
        """Return the entry that was found at ``place``."""
        file.seek(place.start)
        try:
            node = _DECODER.decode(file.read(place.size).decode())
        except (ValueError, RecursionError):  # InvalidDocument is one of the former
            node = None
        if not isinstance(node, dict):
            msg = f"{self.path} was changed while it was read; verify it again"
            raise InvalidDocument(msg)
        return node

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

    def _read_objects(self) -> None:
        """Look at every node once: judge what is beside the audit, and note where the entries of the audit are."""
        try:
            # Without translation of line ends, so that places are counted in bytes of the file.
            with self.path.open(encoding="utf-8", newline="") as file:
                stream = _JsonStream(file, self.path)
                stream.expect("[")
                terms, nodes = stream.graph()
                first = list(islice(nodes, 1))
                # The array of the two objects is a set as well: what the first begins with tells which one it is.
                audit = any(node.get("@type") in _ENTRY_TYPES for node, _ in first)
                self._take(terms, chain(first, nodes), audit=audit)
                stream.expect(",")
                self._take(*stream.graph(), audit=not audit)
                stream.expect("]")
                stream.end()
        except UnicodeDecodeError as error:
            msg = f"{self.path} is not UTF-8 text; export it again"
            raise InvalidDocument(msg) from error

    def _take(self, terms: frozenset[str], nodes: Iterable[tuple[dict[str, Any], _Place]], *, audit: bool) -> None:
        """Take in one object of the file, which is either the audit or what is beside it and nothing of the other."""
        for node, place in nodes:
            if audit:
                self._index.add(node, place)
            else:
                self._memory(node, terms)
        if audit:
            self._terms = terms

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

    def _defined(self, node: Mapping[str, Any]) -> bool:
        """Return whether the context defines all that an entry says; a processor drops or misreads the rest."""
        slots = [slot for slot in _listed(node.get("slot", [])) if isinstance(slot, dict)]
        used = {name for entry in (node, *slots) for name in entry if not name.startswith("@")}
        used |= {str(entry[name]) for entry in (node, *slots) for name in _VALUES & entry.keys()}
        if used <= self._terms:
            return True
        why = f"the context does not define {min(used - self._terms)[:80]}, which it uses"
        self.findings.append(Finding("bad-document", str(node.get("@id"))[:200], why))
        return False


class _Place(NamedTuple):
    """Where in a file an entry is, in bytes."""

    start: int
    size: int


class _Places:
    """Where the records or heads of one log are: bare numbers, because there may be millions."""

    def __init__(self) -> None:
        self._numbers, self._starts, self._sizes = array("q"), array("q"), array("q")

    def add(self, number: int, place: _Place) -> None:
        """Note an entry by its sequence or size."""
        self._numbers.append(number)
        self._starts.append(place.start)
        self._sizes.append(place.size)

    def in_order(self) -> Iterator[_Place]:
        """Yield the places by number, those of one number as they stand in the file."""
        order: Iterable[int] = range(len(self._numbers))
        if any(before > after for before, after in pairwise(self._numbers)):
            order = sorted(order, key=self._numbers.__getitem__)
        return (_Place(self._starts[at], self._sizes[at]) for at in order)


class _Index:
    """Where the entries of an audit are in a file."""

    def __init__(self) -> None:
        self._heads: dict[str, _Places] = {}
        self._records: dict[str, _Places] = {}
        self._confirming: set[str] = set()

    def add(self, node: Mapping[str, Any], place: _Place) -> None:
        """Note an entry by the name that it gives itself; whether that is its own, its reader says."""
        name = node.get("@id")
        named = isinstance(name, str) and ENTRY.fullmatch(name)
        log, _, number = named[0].partition("#") if named else ("", "", "0")
        places = (self._heads if node.get("@type") == _HEAD else self._records).setdefault(log, _Places())
        places.add(int(number.removeprefix("head-").partition(".")[0]), place)
        if node.get("operation") == Operation.CONFIRM_CLOCK:
            self._confirming.add(log)

    def places(self, *, heads: bool) -> Iterator[_Place]:
        """Yield the places of the heads, or of all other entries, in the order in which they are to be read."""
        found = self._heads if heads else self._records
        for log in reading_order(found, self._confirming):
            yield from found[log].in_order()


class _JsonStream:
    """Reads values one after another out of a JSON text, keeping only the part that is being read."""

    def __init__(self, file: IO[str], path: Path) -> None:
        self._file = file
        self._path = path
        self._text = ""
        self._at = 0
        self._counted = 0  # letters of the text that are in the count of bytes
        self._bytes = 0

    def expect(self, mark: str) -> None:
        """Pass over ``mark``, which must come next."""
        if self._peek() != mark:
            self._fail(f"{mark!r} is missing")
        self._at += 1

    def end(self) -> None:
        """Refuse anything after the last mark."""
        if self._peek():
            self._fail("there is something after its end")

    def graph(self) -> tuple[frozenset[str], Iterator[tuple[dict[str, Any], _Place]]]:
        """Return the terms and the entries of one ``{"@context": …, "@included": […]}``; read all entries."""
        self.expect("{")
        self._member("@context")
        terms = _terms(self._value(), self._path)
        self.expect(",")
        self._member("@included")
        self.expect("[")
        return terms, self._entries()

    def _entries(self) -> Iterator[tuple[dict[str, Any], _Place]]:
        while self._peek() != "]":
            start = self._passed()
            value = self._value()
            if not isinstance(value, dict):
                self._fail("an entry of a graph is no object")
            yield value, _Place(start, self._passed() - start)
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
                value, self._at = _DECODER.raw_decode(self._text, self._at)
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
        self._passed()
        self._text, self._at, self._counted = self._text[self._at :], 0, 0
        if len(self._text) > _MAX_ENTRY:
            self._fail("an entry is larger than any export's")
        block = self._file.read(max(_BLOCK, len(self._text)))
        self._text += block
        return bool(block)

    def _passed(self) -> int:
        """Return how many bytes of the file come before the next character."""
        self._bytes += len(self._text[self._counted : self._at].encode())
        self._counted = self._at
        return self._bytes

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


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


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
