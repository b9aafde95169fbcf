"""Memories, entities and edges as RDF: N-Triples lines in canonical lexical forms, without blank nodes.

Guarantees: the same value always gives the same bytes, in the form that RDFC-1.0 asks of N-Quads, so that sorted lines
can be hashed and signed; nothing is written that :mod:`marskg.exporters` cannot read back. Decimals are written in the
canonical form of XSD 1.1, whole where a field is exact and else quantised to 1e-6, times as ``xsd:dateTime`` in UTC
without trailing zeros.
Sources: W3C RDF 1.1 N-Triples section 2, RDF Dataset Canonicalization section 5, XSD 1.1 part 2.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from marskg.json_object import WIDE, digits_of
from marskg.late_regex import late_regex
from marskg.ontology.fields import (
    ACCESS_FIELDS,
    ENTITY_FIELDS,
    GOVERNED_FIELDS,
    MOST_EXACT,
    PAYLOAD_FIELDS,
    PREFERENCE_FIELDS,
    TOMBSTONE_FIELDS,
    Field,
)
from marskg.ontology.vocabulary import DERIVED_EDGES, NS, RDF_JSON, RDF_TYPE, XSD, Datatype

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from marskg.records import Edge, Entity, Memory, Preference, Value

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_DAY_MS = 86_400_000
_ESCAPES = {
    "\\": "\\\\",
    '"': '\\"',
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
    "\x7f": "\\u007F",
    **{chr(c): f"\\u{c:04X}" for c in range(0x20) if chr(c) not in "\b\t\n\f\r"},
}
_TABLE = str.maketrans(_ESCAPES)
#: What a string literal escapes; looking first is several times faster than translating what has none of it.
_SPECIAL = late_regex(r'[\\"\x00-\x1f\x7f]')
_TYPE = f"<{RDF_TYPE}>"
_GRIDS: Final = (Decimal("1e-6"), Decimal("1e-18"))
#: A double holds fifteen digits of any decimal; what is computed with doubles differs in the rest.
_NOISE: Final = Decimal("1e-15")
#: A number as a text, as XSD writes a decimal or a double: a JSON number is a double to most readers.
_TEXT: Final = late_regex(r"[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,3})?", re.ASCII)


def quantise(value: float) -> float:
    """Return ``value`` rounded to 1e-6, the resolution of decimals that are not exact."""
    return round(value * 1_000_000) / 1_000_000


def exactly(value: object) -> float | Decimal:
    """Return a number, or the text of one, as an exact field keeps it: with all its digits.

    That is a float where six digits after the point say it, as of other decimals, and else a Decimal. A float is taken
    as Python writes it, but for what computing with floats leaves in its last two digits: 0.1 + 0.2 is 0.3.

    Raises:
        ValueError: no number, not finite, beyond 1e20, or with more than 18 digits after the point; what it says goes
            on after the name of what was given.
    """
    exact = _decimal(value)
    if not -MOST_EXACT <= exact <= MOST_EXACT:
        msg = "is outside [-10^20, 10^20]; give it in a larger unit"
        raise ValueError(msg)
    noise = abs(exact) * _NOISE if isinstance(value, float) else 0
    for grid in _GRIDS:
        near = exact.quantize(grid, context=WIDE)
        if abs(near - exact) <= noise:
            short = quantise(float(near))
            said = near == Decimal(decimal_lexical(short)) == Decimal(repr(short))
            return short if said else near.normalize(WIDE)
    msg = "has more than 18 digits after the point; round it to 18, or give it in a smaller unit"
    raise ValueError(msg)


def _decimal(value: object) -> Decimal:
    if isinstance(value, str) and _TEXT.fullmatch(value):
        return Decimal(value)
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        msg = 'must be a number, such as 12.5 or "12.5"'
        raise ValueError(msg)  # noqa: TRY004 - whoever calls says what is wrong with the input
    if not (value.is_finite() if isinstance(value, Decimal) else isinstance(value, int) or math.isfinite(value)):
        msg = f"must be a finite number, not {value}"
        raise ValueError(msg)
    return Decimal(repr(value) if isinstance(value, float) else value)


def in_json(value: Value) -> object:
    """Return a payload's value as a file has it that is to be read back: sets as lists, exact decimals as texts."""
    if isinstance(value, tuple):
        return list(value)
    return decimal_lexical(value) if isinstance(value, Decimal) else value


@lru_cache(maxsize=1024, typed=True)
def decimal_lexical(value: float | Decimal) -> str:
    """Return the canonical XSD 1.1 ``xsd:decimal`` form of ``value``, of a float at a resolution of 1e-6."""
    if isinstance(value, Decimal):
        return digits_of(value)
    micro = round(value * 1_000_000)
    sign, micro = ("-", -micro) if micro < 0 else ("", micro)
    whole, part = divmod(micro, 1_000_000)
    digits = f"{part:06d}".rstrip("0")
    return f"{sign}{whole}.{digits}" if digits else f"{sign}{whole}"


@lru_cache(maxsize=1024)
def time_lexical(ms: int) -> str:
    """Return the canonical ``xsd:dateTime`` form, in UTC, of ``ms`` epoch milliseconds."""
    day, rest = divmod(ms, _DAY_MS)
    seconds, part = divmod(rest, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    text = f"{_day_lexical(day)}T{hour:02d}:{minute:02d}:{second:02d}"
    return f"{text}.{part:03d}".rstrip("0") + "Z" if part else f"{text}Z"


@lru_cache(maxsize=4096)
def _day_lexical(day: int) -> str:
    """Return the date of a day since 1970; a store's times lie on few days."""
    return date.fromordinal(_EPOCH_DAY + day).isoformat()


def time_value(lexical: str) -> int:
    """Return the epoch milliseconds of an ``xsd:dateTime`` with a time zone.

    Raises:
        ValueError: the text is no date-time, or has no zone.
    """
    moment = datetime.fromisoformat(lexical)
    if moment.tzinfo is None:
        msg = f"{lexical!r} has no time zone; write it with Z or an offset"
        raise ValueError(msg)
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def literal(value: object, datatype: Datatype) -> str:
    """Return ``value`` as an N-Triples term of ``datatype``."""
    return _WRITERS[datatype](value)


def _string(value: object) -> str:
    text = str(value)
    return f'"{text.translate(_TABLE)}"' if _SPECIAL.search(text) else f'"{text}"'


#: What writes the values of each type; some twenty terms are written for a memory, so that nothing is asked in between.
_WRITERS: dict[Datatype, Callable[[Any], str]] = {
    Datatype.STRING: _string,
    Datatype.TERM: lambda value: f"<{NS}{value}>",
    Datatype.IRI: lambda value: f"<{value}>",
    Datatype.DATETIME: lambda value: f'"{time_lexical(value)}"^^<{XSD}dateTime>',
    Datatype.DECIMAL: lambda value: f'"{decimal_lexical(value)}"^^<{XSD}decimal>',
    Datatype.BOOLEAN: lambda value: f'"{"true" if value else "false"}"^^<{XSD}boolean>',
    Datatype.INTEGER: lambda value: f'"{value}"^^<{XSD}integer>',
    Datatype.JSON: lambda value: f"{_string(value.text)}^^<{RDF_JSON}>",
}


def literals(values: Sequence[object], datatype: Datatype) -> list[str]:
    """Return what :func:`literal` gives for each of ``values``; of many short texts, faster."""
    if datatype is Datatype.STRING and len(values) > 1:
        texts = [str(value) for value in values]
        if not _SPECIAL.search("".join(texts)):
            return [f'"{text}"' for text in texts]
    write = _WRITERS[datatype]
    return [write(value) for value in values]


def field_lines(subject: str, fields: Iterable[Field], get: object) -> list[str]:
    """Return one line for each value that ``get(name)`` gives for ``fields``; None and empty sets give none."""
    lines: list[str] = []
    for spec in fields:
        value = get(spec.name)  # type: ignore[operator]  # a callable by contract
        if value is None or value == ():
            continue
        if spec.datatype is Datatype.BOOLEAN and value is False:
            continue
        if not spec.many:
            lines.append(f"{subject} <{spec.iri}> {literal(value, spec.datatype)} .")
        else:
            lines += [f"{subject} <{spec.iri}> {literal(item, spec.datatype)} ." for item in value]
    return lines


class _Writing:
    """Lines of the fields that are attributes of a record, with all that is the same for each record made once."""

    def __init__(self, fields: Iterable[Field]) -> None:
        specs = tuple(fields)
        self._values = attrgetter(*(spec.name for spec in specs))
        self._specs = tuple((f" <{spec.iri}> ", _WRITERS[spec.datatype], spec.many) for spec in specs)

    def lines(self, subject: str, record: object) -> list[str]:
        """Return what :func:`field_lines` gives for the attributes of ``record``."""
        found: list[str] = []
        for (predicate, write, many), value in zip(self._specs, self._values(record), strict=True):
            if value is None or value is False or value == ():
                continue
            if many:
                found += [f"{subject}{predicate}{write(item)} ." for item in value]
            else:
                found.append(f"{subject}{predicate}{write(value)} .")
        return found


_GOVERNED, _ACCESS = _Writing(GOVERNED_FIELDS), _Writing(ACCESS_FIELDS)
_TOMBSTONE, _ENTITY = _Writing(TOMBSTONE_FIELDS), _Writing(ENTITY_FIELDS)
_PREFERENCE = _Writing(PREFERENCE_FIELDS)


def edge_lines(edge: Edge, source_created: int) -> list[str]:
    """Return the triple of ``edge`` and, unless it was created with its source and has no weight, its node."""
    lines = [f"<{edge.source}> <{NS}{edge.type}> <{edge.target}> ."]
    # temporalNext is worked out from the episodes' order, so it has no date of its own to keep.
    if edge.type in DERIVED_EDGES or (edge.created == source_created and edge.weight is None):
        return lines
    node = f"<{edge.iri}>"
    lines += [
        f"{node} {_TYPE} <{NS}Edge> .",
        f"{node} <{NS}edgeSource> <{edge.source}> .",
        f"{node} <{NS}edgeType> <{NS}{edge.type}> .",
        f"{node} <{NS}edgeTarget> <{edge.target}> .",
        f"{node} <{NS}created> {literal(edge.created, Datatype.DATETIME)} .",
    ]
    if edge.weight is not None:
        lines.append(f"{node} <{NS}edgeWeight> {literal(edge.weight, Datatype.DECIMAL)} .")
    return lines


def governed_lines(memory: Memory, edges: Iterable[Edge]) -> list[str]:
    """Return the lines that a node's commitment covers: content, governed metadata, outgoing edges (section 8)."""
    subject = f"<{memory.id}>"
    lines = [f"{subject} {_TYPE} <{NS}Memory> .", f"{subject} {_TYPE} <{NS}{memory.kind.label}> ."]
    if memory.content is None:
        lines += _TOMBSTONE.lines(subject, memory)
    else:
        lines += _GOVERNED.lines(subject, memory)
        if memory.payload:
            lines += field_lines(subject, PAYLOAD_FIELDS[memory.kind], memory.payload.get)
    for edge in edges:
        lines += edge_lines(edge, memory.created)
    return lines


def memory_lines(memory: Memory, edges: Iterable[Edge]) -> list[str]:
    """Return all lines of ``memory`` as exported: the governed ones and its access statistics."""
    lines = governed_lines(memory, edges)
    if memory.content is not None:
        lines += _ACCESS.lines(f"<{memory.id}>", memory)
    return lines


def entity_lines(entity: Entity, edges: Iterable[Edge] = ()) -> list[str]:
    """Return the lines of ``entity`` and of its outgoing edges."""
    subject = f"<{entity.id}>"
    lines = [f"{subject} {_TYPE} <{NS}Entity> ."]
    lines += _ENTITY.lines(subject, entity)
    for edge in edges:
        lines += edge_lines(edge, entity.created)
    return lines


def preference_lines(preference: Preference) -> list[str]:
    """Return the lines of ``preference``, which has no edges."""
    subject = f"<{preference.id}>"
    return [f"{subject} {_TYPE} <{NS}Preference> .", *_PREFERENCE.lines(subject, preference)]


def withheld_lines(ident: str) -> list[str]:
    """Return the line of the stand-in of something that a reader may not see (semantics section 9)."""
    return [f"<{ident}> {_TYPE} <{NS}Withheld> ."]


def canonical(lines: Sequence[str]) -> bytes:
    """Return ``lines`` as canonical N-Quads: sorted, one per line, each ended by a newline (RDFC-1.0 section 5)."""
    return ("\n".join(sorted(set(lines))) + "\n").encode()
