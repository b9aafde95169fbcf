"""A JSON document read piece by piece: structure without recursion, values of bounded size and depth.

Guarantees: never more than one value and one block of the file in memory; nesting deeper than :data:`MAX_DEPTH` and
values larger than :data:`MAX_VALUE` are refused before any recursive parser sees them, whatever the document's size;
every error names the file and the line. Source: RFC 8259.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn, Self

from marskg.errors import InvalidDocument
from marskg.exporters.rdf.triples import unreadable
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

#: Levels of nesting within one value: our nodes have two, those of others rarely more than ten.
MAX_DEPTH = 64
#: Characters of one value: a memory of 1 MiB with all its edges, escaped, with room to spare.
MAX_VALUE = 64 * 1024 * 1024
_BLOCK = 1 << 16
_SPACE = late_regex(r"[ \t\n\r]*")
_STRUCTURE = late_regex(r'["{}\[\]]')
_IN_STRING = late_regex(r'["\\]')
_SCALAR_END = late_regex(r"[ \t\n\r,\]}]")


class JsonScanner:
    """The document at ``path``, from its first character to its last."""

    def __init__(self, path: Path) -> None:
        """Open the document.

        Raises:
            InvalidDocument: the file cannot be read.
        """
        self._path = path
        self._buffer = ""
        self._position = 0
        self._line = 1
        try:
            self._file = path.open(encoding="utf-8-sig", newline="")
        except OSError as error:
            raise unreadable(path, error) from error

    def __enter__(self) -> Self:
        """Return the scanner itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.close()

    def refuse(self, why: str) -> NoReturn:
        """Raise the error for what stands at the current place."""
        msg = f"{self._path}:{self._line}: {why}"
        raise InvalidDocument(msg)

    def peek(self) -> str:
        """Return the next character that is no space; an empty string at the end of the document."""
        while True:
            start = self._position
            self._position = _SPACE.match(self._buffer, start).end()  # type: ignore[union-attr]  # it matches nothing too
            self._line += self._buffer.count("\n", start, self._position)
            if self._position < len(self._buffer):
                return self._buffer[self._position]
            if not self._fill():
                return ""

    def take(self, expected: str, where: str) -> None:
        """Pass over the character ``expected``; ``where`` says what was being read.

        Raises:
            InvalidDocument: something else, or nothing, stands there.
        """
        found = self.peek()
        if found != expected:
            self._unexpected(found, f"{expected!r} {where}")
        self._position += 1

    def accept(self, wanted: str) -> bool:
        """Pass over the character ``wanted`` if it is next, and return whether it was."""
        if self.peek() != wanted:
            return False
        self._position += 1
        return True

    def value(self) -> Any:  # noqa: ANN401 - JSON
        """Return the next JSON value.

        Raises:
            InvalidDocument: it is no JSON, has a name twice, or is too deep or too large.
        """
        text = self.text()
        try:
            return json.loads(text, object_pairs_hook=self._object)
        except InvalidDocument:  # a ValueError too: our own refusal of a name that stands twice
            raise
        except json.JSONDecodeError as error:
            msg = f"{self._path}:{self._line + error.lineno - 1}: not JSON: {error.msg}; correct the file"
            raise InvalidDocument(msg) from error
        except ValueError as error:  # an integer of thousands of digits, which Python refuses to convert
            self.refuse(f"not JSON that can be read: {error}; write numbers as strings")
        finally:
            self._line += text.count("\n")

    def text(self) -> str:
        """Return the text of the next value and pass over it; the line number stays at its first."""
        if not self.peek():
            self._unexpected("", "a value")
        end = self._value_end()
        text = self._buffer[self._position : end]
        self._position = end
        return text

    def _value_end(self) -> int:
        """Return where the next value ends, reading as much of the file as it takes."""
        depth, position, in_string = 0, self._position, False
        if self._buffer[position] not in '"{[':
            return self._scalar_end()
        while True:
            match = (_IN_STRING if in_string else _STRUCTURE).search(self._buffer, position)
            if match is None:
                position = self._more(len(self._buffer))
                continue
            mark, position = match.group(), match.end()
            if mark == "\\":
                position = position + 1 if position < len(self._buffer) else self._more(position) + 1
            elif mark == '"':
                in_string = not in_string
            else:
                depth += 1 if mark in "{[" else -1
            if depth > MAX_DEPTH:
                self.refuse(f"nested deeper than {MAX_DEPTH} levels; write the nodes side by side in @graph")
            if depth == 0 and not in_string:
                return position

    def _scalar_end(self) -> int:
        """Return where a number or a literal name ends."""
        while (match := _SCALAR_END.search(self._buffer, self._position)) is None:
            if len(self._buffer) - self._position > _BLOCK:
                self.refuse("a number or name of more than 64 Ki characters; correct the file")
            if not self._fill():
                return len(self._buffer)
        return match.start()

    def _more(self, position: int) -> int:
        """Read on within a value; return the place that ``position`` has become."""
        if len(self._buffer) - self._position > MAX_VALUE:
            self.refuse(f"a single value of more than {MAX_VALUE >> 20} MiB; split it into nodes of @graph")
        offset = position - self._position
        if not self._fill():
            self._unexpected("", "the end of a value")
        return self._position + offset

    def _fill(self) -> bool:
        """Append a block of the file to the buffer, forgetting what was passed; return whether there was any."""
        rest = self._buffer[self._position :]
        try:
            # Doubling keeps the copying of a large value linear.
            block = self._file.read(max(_BLOCK, len(rest)))
        except UnicodeDecodeError:
            self.refuse("not UTF-8; save the document as UTF-8")
        except OSError as error:
            raise unreadable(self._path, error) from error
        self._buffer = rest + block
        self._position = 0
        return bool(block)

    def _unexpected(self, found: str, expected: str) -> NoReturn:
        if not found:
            self.refuse(f"the document ends where {expected} was expected: it is truncated; copy it again")
        self.refuse(f"found {found!r} where {expected} was expected; correct the file")

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Return an object, refusing a name that stands in it twice: one of the two values would be lost."""
        made = dict(pairs)
        if len(made) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            self.refuse(f"the name {twice!r} stands twice in one object; keep one")
        return made
