"""Grants: consent, given for the occasion, to read above a ceiling, for a while and if wished for one call.

Guarantees: a grant is what a signed record of the access log says, and nothing else: to whom, up to which sensitivity,
until when, for how many calls, about whom; each reading under it names it in its own record. It is told by a secret of
which the log keeps the digest, and which does not show how many records the log has. It raises a ceiling and nothing
else: neither purpose, nor jurisdiction, nor whose memories are seen. What is wrong with a grant that is not honoured is
not told apart: unknown, over, used up and somebody else's are one refusal. Source: issue 6, point 3; MaRS section
3.4.2.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from marskg.answer import Answer
from marskg.audit.grammar import parse_details
from marskg.errors import InvalidInput, NotPermitted
from marskg.late_regex import late_regex
from marskg.store.upkeep.access_log import record_showing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from marskg.records import AuditRecord
    from marskg.store.commit.writer import Writer
    from marskg.store.unit.reader import GraphReader

#: A grant lasts a day at most: what is to last longer is a matter of the principal's ceiling.
LONGEST_MS: Final = 86_400_000
_MOST_CALLS: Final = 1_000
_ID: Final = late_regex(r"([0-9a-f]{12})-([0-9a-f]{32})")
_TOKEN: Final = 16


@dataclass(frozen=True, slots=True)
class Grant(Answer):
    """Leave for ``to`` to read up to ``ceiling`` (0 to 1) until ``until`` (epoch ms).

    ``id`` is the secret that whoever reads shows; ``calls`` how often they may, None for as often as they like;
    ``subjects`` whom the memories have to be about, None for anybody.
    """

    id: str
    to: str
    ceiling: float
    until: int
    calls: int | None = None
    subjects: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Honoured:
    """A grant that holds for a call: its digest, its ceiling and the handles of whom it is about, () for anybody."""

    digest: str
    ceiling: float
    handles: tuple[str, ...]


def give(
    writer: Writer, *, to: str, ceiling: float, lasts_ms: int, calls: int | None, subjects: tuple[str, ...] | None
) -> Grant:
    """Record a grant to the principal called ``to``; returns it with its secret.

    Raises:
        InvalidInput: it would last no time or more than a day, or be for no call, too many or nobody.
    """
    if not 0 < lasts_ms <= LONGEST_MS:
        msg = "a grant lasts from 1 ms to 24 h; what is to last longer is a matter of the principal's ceiling"
        raise InvalidInput(msg)
    if calls is not None and not 1 <= calls <= _MOST_CALLS:
        msg = f"a grant is for 1 to {_MOST_CALLS} calls, or for as many as fit its time: leave calls out"
        raise InvalidInput(msg)
    if subjects is not None and not subjects:
        msg = "subjects names nobody, so that the grant allows nothing; name one, or leave it out for anybody"
        raise InvalidInput(msg)
    services = writer.services
    token = services.source.token(_TOKEN).hex()
    now = writer.now()
    said = [f"grant.ceiling={ceiling:.6f}", f"grant.digest={_digest(token)}", f"grant.to={to}"]
    said += [f"grant.until={now + lasts_ms}"]
    said += [] if calls is None else [f"grant.calls={calls}"]
    # Handles, as a name would outlast its erasure here.
    said += [f"grant.about={services.handle(writer.tenant, subject)}" for subject in subjects or ()]
    state = record_showing(writer, [], tuple(sorted(said))).state
    place = state.access_sequence ^ _mask(partial(services.handle, writer.tenant), token)
    return Grant(f"{place:012x}-{token}", to, ceiling, now + lasts_ms, calls, subjects)


def honour(reader: GraphReader, handle: Callable[[str], str], ident: object, *, to: str, now: int) -> Honoured:
    """Return what the grant ``ident`` allows the principal called ``to`` at ``now`` (epoch ms).

    ``handle`` makes the tenant's keyed handle of a name.

    Raises:
        NotPermitted: there is no such grant, it is over or used up, or it is somebody else's.
    """
    match = _ID.fullmatch(ident) if isinstance(ident, str) else None
    if match is None:
        raise _refused()
    sequence, digest = int(match[1], 16) ^ _mask(handle, match[2]), _digest(match[2])
    record = next(_from(reader, sequence), None)
    said = {} if record is None or record.sequence != sequence else _said(record)
    if said.get("grant.digest") != [digest] or said.get("grant.to") != [to] or int(said["grant.until"][0]) <= now:
        raise _refused()
    calls = said.get("grant.calls")
    if calls is not None:
        later = _from(reader, sequence + 1)
        used = sum(_said(one).get("grant") == [digest] for one in later)
        if used >= int(calls[0]):
            raise _refused()
    return Honoured(digest, float(said["grant.ceiling"][0]), tuple(said.get("grant.about", ())))


def _from(reader: GraphReader, first: int) -> Iterator[AuditRecord]:
    return reader.records("a", first)


def _said(record: AuditRecord) -> Mapping[str, list[str]]:
    """Return the parameters of a record: ``name=value`` strings by name."""
    found: dict[str, list[str]] = {}
    for text in parse_details(record.details[0], record.iri, 0).get("parameters", ()):
        name, _, value = text.partition("=")
        found.setdefault(name, []).append(value)
    return found


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()[:32]


def _mask(handle: Callable[[str], str], token: str) -> int:
    """Return what hides a record's number: whoever is given a grant is not to count the records by it."""
    return int.from_bytes(hashlib.sha256(handle(f"grant|{token}").encode()).digest()[:6])


def _refused() -> NotPermitted:
    msg = (
        "this grant allows nothing: it is unknown, over, used up or somebody else's; "
        "ask for another: mars privacy grant"
    )
    return NotPermitted(msg)
