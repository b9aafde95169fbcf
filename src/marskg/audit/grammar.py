"""The one form in which cores, heads and details may be written: what every reader of the audit checks against.

Guarantees: a text is accepted only if writing down again what it says gives the same bytes, so that nothing unknown,
repeated, reordered or spelled otherwise passes. No RDF parser is needed for it, which keeps verification near the
speed of the signatures. The writer does not use this module, nor this module the writer: each has the form from the
specification. Sources: semantics section 8, N-Quads canonical form (RDFC-1.0 section 5).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from marskg.late_regex import late_regex
from marskg.ontology.fields import NODE_DETAIL_FIELDS, RECORD_DETAIL_FIELDS, Field
from marskg.ontology.mapping import time_lexical, time_value
from marskg.ontology.vocabulary import NS, RDF_TYPE, XSD, Datatype, Operation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: Details by local name: always a list, values in the lexical form of their datatype, strings unescaped.
Details = dict[str, list[str]]

LOG_IRI: Final = late_regex(r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)
KEY_IRI: Final = late_regex(r"did:key:(z6Mk[1-9A-HJ-NP-Za-km-z]+)#\1", re.ASCII)
#: Multibase base64url of 32 bytes: a hash, a commitment or a salt.
HASH32: Final = late_regex(r"u[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]", re.ASCII)
INTEGER: Final = late_regex(r"0|-?[1-9][0-9]*", re.ASCII)
_INT64_DIGITS: Final = 19
OPERATIONS: Final = frozenset(operation.value for operation in Operation)
RECORD_FIELDS: Final[Mapping[str, Field]] = {field.local: field for field in RECORD_DETAIL_FIELDS}
NODE_FIELDS: Final[Mapping[str, Field]] = {field.local: field for field in NODE_DETAIL_FIELDS}

_COMMITMENT: Final = late_regex(rf"> <{re.escape(NS)}commitment> \"(u[A-Za-z0-9_-]{{43}})\" \.\n", re.ASCII)
_LITERAL: Final = r'"((?:[^"\\\x00-\x1f\x7f]|\\[btnfr"\\]|\\u00(?:0[0-7BEF]|1[0-9A-F]|7F))*)"'
_VALUES: Final[Mapping[Datatype, re.Pattern[str]]] = {
    Datatype.STRING: late_regex(_LITERAL),
    Datatype.INTEGER: late_regex(rf'"(0|-?[1-9][0-9]*)"\^\^<{re.escape(XSD)}integer>', re.ASCII),
    Datatype.DECIMAL: late_regex(
        rf'"(0|-?[1-9][0-9]*|-?(?:0|[1-9][0-9]*)\.[0-9]{{0,5}}[1-9])"\^\^<{re.escape(XSD)}decimal>', re.ASCII
    ),
    Datatype.TERM: late_regex(rf"<{re.escape(NS)}([A-Za-z_]+)>", re.ASCII),
    Datatype.IRI: late_regex(r"<([A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`]*)>"),
}
_LINES: Final = "details are sorted lines of their slot, each once"
_UNKNOWN: Final = "details hold a field that is not in the vocabulary"
_TIME_RULE: Final = "a time is a canonical xsd:dateTime in UTC, in the years 1 to 9999"
_ESCAPE: Final = late_regex(r"\\(?:u00([0-9A-F]{2})|(.))")
_UNESCAPED: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}
_ESCAPED: Final = str.maketrans(
    {
        **{chr(code): f"\\u{code:04X}" for code in (*range(0x20), 0x7F)},
        **{value: f"\\{letter}" for letter, value in _UNESCAPED.items()},
    }
)


class Malformed(ValueError):
    """A text is not in the form; the message says which rule it breaks, without what it holds."""


def require(condition: object, rule: str) -> None:
    """Refuse what breaks ``rule``.

    Raises:
        Malformed: ``condition`` does not hold.
    """
    if not condition:
        raise Malformed(rule)


# --- Cores ---------------------------------------------------------------------------------------------------------


def slot_order(count: int) -> Sequence[int]:
    """Return the slots in the order in which their lines sort: as text, so ``10`` stands before ``1>``."""
    return range(count) if count <= 10 else sorted(range(count), key=lambda index: f"{index}>")  # noqa: PLR2004 - digits


def commitments(core: str) -> list[str]:
    """Return the commitments of a record's ``core`` by slot; :func:`record_core` shows whether the core is sound."""
    found = _COMMITMENT.findall(core)
    out = [""] * len(found)
    for index, value in zip(slot_order(len(found)), found, strict=True):
        out[index] = value
    return out


def record_core(
    *, log: str, sequence: int, operation: str, recorded_at: int, signing_key: str, commitments: Sequence[str]
) -> str:
    """Return the only core that a record with these values can have.

    Raises:
        Malformed: a value is outside what the vocabulary allows.
    """
    require(_is_log(log), "the log is not urn:uuid:")
    require(operation in OPERATIONS, "the operation is not one of the vocabulary")
    require(_is_key(signing_key), "the signing key is not an Ed25519 did:key verification method")
    require(
        sequence > 0 and commitments and all(map(HASH32.fullmatch, commitments)),
        "a record has a sequence from 1 and a commitment of 32 bytes for each of its slots",
    )
    record = f"{log}#{sequence}"
    order = slot_order(len(commitments))
    return (
        "".join([f'<{record}.{index}> <{NS}commitment> "{commitments[index]}" .\n' for index in order])
        + f"<{record}> <{RDF_TYPE}> <{NS}AuditRecord> .\n"
        f"<{record}> <{NS}log> <{log}> .\n"
        f"<{record}> <{NS}operation> <{NS}{operation}> .\n"
        f'<{record}> <{NS}recordedAt> "{time_text(recorded_at)}"^^<{XSD}dateTime> .\n'
        f'<{record}> <{NS}sequence> "{sequence}"^^<{XSD}integer> .\n'
        f"<{record}> <{NS}signingKey> <{signing_key}> .\n"
        + "".join([f"<{record}> <{NS}slot> <{record}.{index}> .\n" for index in order])
    )


def head_core(*, log: str, size: int, root: str, recorded_at: int, signing_key: str) -> str:
    """Return the only core that a tree head with these values can have.

    Raises:
        Malformed: a value is outside what the vocabulary allows.
    """
    sound = LOG_IRI.fullmatch(log) and KEY_IRI.fullmatch(signing_key) and HASH32.fullmatch(root) and size >= 0
    require(sound, "a tree head has a log, a size, a root hash of 32 bytes and an Ed25519 did:key")
    head = f"{log}#head-{size}"
    return (
        f"<{head}> <{RDF_TYPE}> <{NS}TreeHead> .\n"
        f"<{head}> <{NS}log> <{log}> .\n"
        f'<{head}> <{NS}recordedAt> "{time_text(recorded_at)}"^^<{XSD}dateTime> .\n'
        f'<{head}> <{NS}rootHash> "{root}" .\n'
        f"<{head}> <{NS}signingKey> <{signing_key}> .\n"
        f'<{head}> <{NS}treeSize> "{size}"^^<{XSD}integer> .\n'
    )


def integer(text: str) -> int:
    """Return the value of a canonical ``xsd:integer``.

    Raises:
        Malformed: it is written otherwise.
    """
    require(INTEGER.fullmatch(text) and len(text) <= _INT64_DIGITS, "a number is not a canonical xsd:integer")
    return int(text)


def moment(text: str) -> int:
    """Return the epoch milliseconds of a canonical ``xsd:dateTime``.

    Raises:
        Malformed: it is written otherwise.
    """
    try:
        value = time_value(text)
    except ValueError:
        value = None
    if value is None or time_lexical(value) != text:
        raise Malformed(_TIME_RULE)
    return value


def time_text(milliseconds: int) -> str:
    """Return the canonical ``xsd:dateTime`` of ``milliseconds``; neighbours share their second.

    Raises:
        Malformed: it is outside the years that this form can write.
    """
    part = milliseconds % 1000
    second = second_text(milliseconds)
    return f"{second[:-1]}.{part:03d}".rstrip("0") + "Z" if part else second


def second_text(milliseconds: int) -> str:
    """Return ``milliseconds`` in whole seconds: the time that a proof has.

    Raises:
        Malformed: it is outside the years that this form can write.
    """
    try:
        return _whole_second(milliseconds // 1000)
    except (OverflowError, ValueError) as error:
        raise Malformed(_TIME_RULE) from error


# These three answer for nearly every record what they answered for the one before it.
@lru_cache(maxsize=256)
def _whole_second(seconds: int) -> str:
    return time_lexical(seconds * 1000)


@lru_cache(maxsize=256)
def _is_log(iri: str) -> bool:
    return LOG_IRI.fullmatch(iri) is not None


@lru_cache(maxsize=256)
def _is_key(iri: str) -> bool:
    return KEY_IRI.fullmatch(iri) is not None


# --- Details -------------------------------------------------------------------------------------------------------


def fields_of(slot: int) -> Mapping[str, Field]:
    """Return the detail fields of slot number ``slot``: 0 is the record's, the others are of nodes."""
    return NODE_FIELDS if slot else RECORD_FIELDS


def parse_details(text: str, record: str, slot: int) -> Details:
    """Return what the details of slot ``slot`` of ``record`` say.

    Raises:
        Malformed: the text is not the canonical form of details of that slot.
    """
    if not text:
        return {}
    require(text.endswith("\n"), "details end with a newline")
    fields = fields_of(slot)
    start = f"<{record}.{slot}> <{NS}"
    skip = len(start)
    found: Details = {}
    previous = ""
    for line in text[:-1].split("\n"):
        if line <= previous or line[:skip] != start or line[-2:] != " .":
            raise Malformed(_LINES)
        previous = line
        name, _, value = line[skip:-2].partition("> ")
        field = fields.get(name)
        if field is None:
            raise Malformed(_UNKNOWN)
        match = _VALUES[field.datatype].fullmatch(value)
        if match is None or (name in found and not field.many):
            msg = f"the field {name} has a value that is not canonical, or two values"
            raise Malformed(msg)
        plain = match[1]
        if "\\" in plain:
            plain = _unescape(plain)
        if name in found:
            found[name].append(plain)
        else:
            found[name] = [plain]
    return found


def details_text(details: Mapping[str, Iterable[str]], record: str, slot: int) -> str:
    """Return the canonical details that say ``details``, the inverse of :func:`parse_details`.

    Raises:
        Malformed: a field is unknown, or a value is not a canonical one of its datatype.
    """
    fields = fields_of(slot)
    lines = []
    for name, values in details.items():
        require(name in fields, _UNKNOWN)
        lines += [f"<{record}.{slot}> <{NS}{name}> {_term(value, fields[name].datatype)} ." for value in values]
    if not lines:
        return ""
    text = "\n".join(sorted(lines)) + "\n"
    parse_details(text, record, slot)
    return text


def quoted(text: str) -> str:
    """Return the literal of a string in canonical N-Quads."""
    return f'"{text.translate(_ESCAPED)}"'


def _term(value: str, datatype: Datatype) -> str:
    if datatype is Datatype.STRING:
        return quoted(value)
    if datatype is Datatype.TERM:
        return f"<{NS}{value}>"
    return f"<{value}>" if datatype is Datatype.IRI else f'"{value}"^^<{XSD}{datatype.value}>'


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else _UNESCAPED[match[2]], text)
