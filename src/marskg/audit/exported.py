"""Reads the audit out of an exported file, JSON-LD or N-Quads, an entry at a time.

Guarantees: a JSON-LD file is never in memory as a whole; the context must give the audit's terms the meaning that they
have here; an entry that is not exactly as an export writes it becomes a finding and is left out, and a file that is no
export with an audit at all is refused. Nothing is verified here.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from marskg.audit.document import SIGNED_CONTEXT, LineReader, head_from_jsonld, record_from_jsonld
from marskg.audit.grammar import NODE_FIELDS, RECORD_FIELDS
from marskg.errors import InvalidDocument
from marskg.records import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from marskg.records import AuditRecord, TreeHead

_Raw = TypeVar("_Raw")
_Entry = TypeVar("_Entry")
_BLOCK: Final = 1 << 20
#: No entry is as large as this; a string that never ends shall not fill the memory.
_MAX_ENTRY: Final = 64 << 20
_TERMS: Final = frozenset(
    {*SIGNED_CONTEXT[1], *RECORD_FIELDS, *NODE_FIELDS, "salt", "proofValue", "proofCreated", "leafHash"}
)


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
            yield from self._sound(head_from_jsonld, (node for node in self._nodes() if _is_head(node)))

    def records(self) -> Iterator[AuditRecord]:
        """Yield the records in the order of the file, N-Quads by log and sequence; refuse what is neither.

        Raises:
            InvalidDocument: the file is broken.
        """
        if self._lines is not None:
            yield from self._sound(self._lines.record, self._lines.record_iris())
        else:
            yield from self._sound(record_from_jsonld, (node for node in self._nodes() if not _is_head(node)))

    def _sound(self, read: Callable[[_Raw], _Entry], entries: Iterable[_Raw]) -> Iterator[_Entry]:
        """Yield what ``read`` makes of ``entries``; what it refuses becomes a finding."""
        for entry in entries:
            try:
                yield read(entry)
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
        try:
            with self.path.open(encoding="utf-8", newline="\n") as file:
                for line in file:
                    reader.add(line)
        except UnicodeDecodeError as error:
            msg = f"{self.path} is not UTF-8 text; export it again"
            raise InvalidDocument(msg) from error
        return reader

    def _nodes(self) -> Iterator[dict[str, Any]]:
        """Yield the entries of the second object of the file."""
        try:
            with self.path.open(encoding="utf-8") as file:
                stream = _JsonStream(file, self.path)
                stream.expect("[")
                for _ in stream.graph():
                    pass  # the memories
                stream.expect(",")
                yield from stream.graph()
                stream.expect("]")
                stream.end()
        except UnicodeDecodeError as error:
            msg = f"{self.path} is not UTF-8 text; export it again"
            raise InvalidDocument(msg) from error


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

    def graph(self) -> Iterator[dict[str, Any]]:
        """Yield the entries of one ``{"@context": …, "@included": […]}``."""
        self.expect("{")
        self._member("@context")
        _check_context(self._value(), self._path)
        self.expect(",")
        self._member("@included")
        self.expect("[")
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
            except RecursionError as error:
                self._fail("a value is nested too deeply", error)
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


def _is_head(node: dict[str, Any]) -> bool:
    return node.get("@type") == "TreeHead"


def _check_context(context: object, path: Path) -> None:
    """Refuse a context under which the audit's terms would mean something else to a JSON-LD processor."""
    ours = json.loads((resources.files("marskg.ontology") / "context.jsonld").read_text("utf-8"))["@context"]
    same = isinstance(context, dict) and all(context.get(term) == ours.get(term) for term in _TERMS)
    if not same or (isinstance(context, dict) and {"@vocab", "@base", "@import", "@propagate"} & context.keys()):
        msg = f"{path} has a context that is not the one of an export; export it again"
        raise InvalidDocument(msg)
