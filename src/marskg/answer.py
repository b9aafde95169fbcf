"""What every answer can do besides being a frozen record: stand on one screen, and become plain data or a table.

Guarantees: written out, an answer of any size takes at most 20 lines and 2,000 characters, and no longer to write than
that; what is left out is counted. As HTML it is a small table in which nothing that a memory holds is read as markup.
As plain data nothing is left out: each value is one that :mod:`json` writes. A small record is written as a dataclass
is. Nothing here needs pandas until somebody asks for it. Source: docs/adr/0082-answers.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from decimal import Decimal
from enum import Enum
from html import escape
from importlib import import_module
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from marskg.errors import EnvironmentFailure
from marskg.json_object import plainly

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from dataclasses import Field

#: Characters of a record that is written on one line, and of each line of one that is not; lines that it may take.
_ONE_LINE, _LINE, _LINES = 120, 99, 20
#: Lines that a long list has at least, beside that of its name.
_BLOCK = 7
#: Characters in which nothing can be told, and those that say how many items, or that fields, are left out.
_LEAST, _REST, _DOTS = 8, 16, 3
#: Rows and columns of a table in a notebook, and characters of one cell.
_ROWS, _COLUMNS, _CELL = 10, 8, 80


def plain(value: Any) -> Any:  # noqa: ANN401 - a JSON value
    """Return ``value`` as JSON has it: records by their fields, enumerations by their values, sets in order."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Decimal):
        return plainly(value)
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(plain, value))
    if is_dataclass(type(value)):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value


class Answer:
    """What an operation returns; a base of frozen records, which says nothing of what they hold.

    ``rows`` names what the answer is a list of, ``brief`` the fields that tell most where there is no room for all;
    both are given with the class.
    """

    __slots__ = ()
    _LISTED: ClassVar[str] = ""
    _BRIEF: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, *, rows: str = "", brief: tuple[str, ...] = ()) -> None:
        """Keep what the class says of itself; a dataclass with slots is made twice, the second time without."""
        cls._LISTED = rows or cls._LISTED
        cls._BRIEF = brief or cls._BRIEF
        if "__repr__" not in vars(cls):
            # Else its decorator writes one of any length.
            cls.__repr__ = Answer.__repr__  # type: ignore[method-assign]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return plain data: a dict for each row that this is a list of, or one dict of all of it if it is none."""
        return [plain(one) for one in self._rows()]

    def to_pandas(self) -> Any:  # noqa: ANN401 - a DataFrame, of a library that need not be there
        """Return :meth:`to_dicts` as a :class:`pandas.DataFrame`; a record in a row has columns such as ``memory.id``.

        Raises:
            EnvironmentFailure: pandas is not installed.
        """
        try:
            pandas = import_module("pandas")
        except ImportError:
            msg = "to_pandas needs pandas, which is not installed: pip install pandas; to_dicts needs nothing"
            raise EnvironmentFailure(msg) from None
        rows = self.to_dicts()
        return pandas.json_normalize(rows) if rows else pandas.DataFrame(columns=list(self._columns()))

    def _rows(self) -> Sequence[Any]:
        """Return what this is a list of; itself if it is none."""
        return getattr(self, self._LISTED) if self._LISTED else (self,)

    def _columns(self) -> Sequence[str]:
        """Return the columns of a table without rows, where they are known."""
        return ()

    def __repr__(self) -> str:
        """Return the record as a dataclass is written, or what fits one screen of it, without fields as by default."""
        whole, told = _whole(self, _ONE_LINE), list(_told(self))
        if whole is not None or not told:
            return whole or f"{type(self).__qualname__}()"
        room = _LINES - 2
        block = _BLOCK if self._LISTED in dict(told) else 0
        shown = told if len(told) + block <= room else told[: room - block - 1]
        lines = [f"{type(self).__qualname__}("]
        for name, value in shown:
            if name == self._LISTED and _whole(value, _LINE - len(name) - 6) is None:
                lines += _listed(name, value, room - len(shown) - (len(shown) < len(told)) - 1)
            else:
                lines.append(f"    {name}={_cut(value, _LINE - len(name) - 6)},")
        if len(shown) < len(told):
            lines.append(f"    … {len(told) - len(shown)} more fields")
        return "\n".join([*lines, ")"])

    def _repr_html_(self) -> str:
        """Return the beginning of the answer as a table, for notebooks."""
        name = type(self).__qualname__
        listed = self._rows()
        if listed == (self,):
            lines = [(field, _text(value)) for field, value in islice(_told(self), _LINES)]
            return _table(name, ("field", "value"), lines)
        cells = [dict(_cells(one)) for one in islice(listed, _ROWS)]
        columns = [*dict.fromkeys(column for row in cells for column in row)][:_COLUMNS]
        shown = f"{name}: {len(listed):,}" if len(listed) <= _ROWS else f"{name}: {_ROWS} of {len(listed):,}"
        return _table(shown, columns, [[row.get(column, "") for column in columns] for row in cells])


# --- In words ----------------------------------------------------------------------------------------------------


def _told(record: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any record
    """Yield the fields that a record's text has and that are not as they are by default, with their values."""
    for field in fields(record):
        value = getattr(record, field.name)
        if field.repr and not _is_default(field, value):
            yield field.name, value


def _is_default(field: Field[Any], value: object) -> bool:
    if field.default_factory is not MISSING:
        return bool(value == field.default_factory())
    return field.default is not MISSING and type(value) is type(field.default) and bool(value == field.default)


def _whole(value: object, room: int) -> str | None:
    """Return a value as Python writes it, None where that is longer than ``room``."""
    text = ""
    for piece in _pieces(value, room):
        text += piece
        if len(text) > room:
            return None
    return text


def _pieces(value: object, room: int) -> Iterator[str]:
    """Yield ``repr(value)`` by and by: of a long list no more need be written than there is room for."""
    if type(value) is str:
        yield repr(value[: room + 1])
        return
    found = _parts(value)
    if found is None:
        yield repr(value)
        return
    start, parts, end = found
    yield start
    for number, (label, part) in enumerate(parts):
        yield f"{', ' if number else ''}{label}"
        yield from _pieces(part, room)
    yield f",{end}" if type(value) is tuple and len(value) == 1 else end


def _parts(value: Any) -> tuple[str, Iterator[tuple[str, Any]], str] | None:  # noqa: ANN401 - any value
    """Return how a value begins, its labelled parts, and how it ends; None for one that is written as it is."""
    kind = type(value)
    if is_dataclass(kind):
        shown = (one.name for one in fields(value) if one.repr)
        return f"{kind.__qualname__}(", ((f"{name}=", getattr(value, name)) for name in shown), ")"
    if kind is dict:
        return "{", ((f"{key!r}: ", item) for key, item in value.items()), "}"
    if kind is MappingProxyType:
        return "mappingproxy({", ((f"{key!r}: ", item) for key, item in value.items()), "})"
    if kind in {tuple, list}:
        start, end = "()" if kind is tuple else "[]"
        return start, (("", item) for item in value), end
    return None


def _cut(value: Any, room: int) -> str:  # noqa: ANN401 - any value
    """Return a value as Python writes it, or what fits ``room`` characters of it; of a list it says how many follow."""
    whole = _whole(value, room)
    if whole is not None:
        return whole
    if type(value) is str:
        said = repr(value[:room])
        return f"{said[: room - 2]}…{said[-1]}"
    found = _parts(value)
    if found is None:
        return f"{repr(value)[: room - 1]}…"
    start, parts, end = found
    record = is_dataclass(type(value))
    if record:
        parts = ((f"{name}=", one) for name, one in _brief(value))
    written: list[str] = []
    left = room - len(start) - len(end) - (_DOTS if record else _REST)
    for label, part in parts:
        if left - len(label) < _LEAST:
            break
        written.append(f"{label}{_cut(part, left - len(label))}")
        left -= len(written[-1]) + 2
    more = "…" if record else f"… {len(value) - len(written):,} more"
    text = f"{start}{', '.join([*written, more])}{end}"
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _brief(record: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any record
    """Return the fields by which a record is told in few words."""
    names = getattr(record, "_BRIEF", ())
    return ((name, getattr(record, name)) for name in names) if names else _told(record)


def _listed(name: str, value: Sequence[object], most: int) -> list[str]:
    """Return a list as lines, one for each item, at most ``most`` of them beside its first and last."""
    shown = len(value) if len(value) <= most else most - 1
    lines = [f"        {_cut(one, _LINE - 9)}," for one in islice(value, shown)]
    if shown < len(value):
        lines.append(f"        … {len(value) - shown:,} more of {len(value):,}")
    return [f"    {name}=(", *lines, "    ),"]


# --- In notebooks ------------------------------------------------------------------------------------------------


def _cells(row: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - a record or a mapping
    """Yield the columns of a row with their texts; a record in it that can be told briefly has columns of its own."""
    for name, value in row.items() if isinstance(row, Mapping) else _brief(row):
        if getattr(value, "_BRIEF", ()):
            yield from _cells(value)
        else:
            yield name, _text(value)


def _text(value: object) -> str:
    """Return a value in few words on one line, with what cannot be seen made visible."""
    value = plain(value) if isinstance(value, (Enum, Decimal)) else value
    if not isinstance(value, str):
        return _cut(value, _CELL)
    text = value if len(value) <= _CELL else f"{value[: _CELL - 1]}…"
    return text if text.isprintable() else repr(text)[1:-1]


def _table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(_text(one))}</th>" for one in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(one)}</td>' for one in row)}</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
