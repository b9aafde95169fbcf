"""Verifies the signed state of a tenant's row: step 10 of :mod:`marskg.audit.verify`, without any code of the writer.

Guarantees: every property of the row, the ends of both logs, the number of their heads, the digests of what was erased
and the announced keys are held against what the key in use signed; each difference is told by the property's name, and
no value but numbers is shown.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from marskg.audit.grammar import second_text
from marskg.audit.sethash import set_hash
from marskg.records import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

_TEXT: Final = "signedState"
_PROOF: Final = "stateProof"
_LONGEST: Final = 120
#: The row's name of each log, its sequence and what the text calls the hash of its last leaf, in the order of heads.
_LOGS: Final = (("log", "sequence", "lastLeaf"), ("accessLog", "accessSequence", "lastAccessLeaf"))


@dataclass(frozen=True, slots=True)
class StoredState:
    """What a store has of a tenant beside logs and nodes: its row, what was erased, the public keys."""

    row: Mapping[str, Any]
    suppressions: Iterable[str]
    keys: Collection[str]


@dataclass(frozen=True, slots=True)
class LogEnd:
    """What was found of a log: its last sequence and leaf hash, keys, and the sizes of its heads."""

    last: int
    leaf: str | None
    key: str | None
    keys: frozenset[str]
    heads: tuple[int, ...]


def state_findings(
    state: StoredState, ends: Mapping[str, LogEnd], proved: Callable[[str, str, str, str], bool], *, marked: bool
) -> Iterator[Finding]:
    """Yield what does not fit; ``marked`` says that the log requires the row to be signed."""
    row = {name: value for name, value in state.row.items() if value is not None}
    where = str(row["ref"])
    text, proof = row.pop(_TEXT, None), row.pop(_PROOF, None)
    if text is None and proof is None:
        message = "the tenant's row is not signed: open the store once with its key, and verify again"
        if marked:
            message = "the tenant's row is not signed any more, though its log says that it is: somebody changed it"
        yield Finding("state-missing", where, message, "error" if marked else "warning")
        return
    if "stateBroken" in row:
        names = ", ".join(str(name)[:40] for name in row["stateBroken"])
        message = f"the tenant's row was changed behind the log's back, before it was signed again: {names}"
        yield Finding("state-changed", where, message)
    end = ends.get(str(row.get("log")))
    key = None if end is None else end.key
    said = _said(text, proof, key, proved)
    if said is None:
        message = "the signature of the tenant's row is not over what it says, or not by the key in use"
        yield Finding("bad-state", where, message)
    else:
        yield from _differences(row, said, where)
        yield from _log_findings(said, ends)
    if set_hash(added=state.suppressions) != row.get("suppressionHash"):
        message = "digests of what was erased were taken away or put in: it could come in again, or be refused"
        yield Finding("suppression-mismatch", where, message)
    announced = {f"did:key:{key}#{key}" for key in state.keys}
    if end is not None and announced != end.keys:
        yield Finding("key-announcement", where, "the store's list of keys is not that of the keys that its log names")


def _said(
    text: object, proof: object, key: str | None, proved: Callable[[str, str, str, str], bool]
) -> dict[str, Any] | None:
    """Return what the signed text says, or None if the signature is not over it."""
    if not isinstance(text, str) or not isinstance(proof, str) or key is None:
        return None
    try:
        said = json.loads(text)
        sound = isinstance(said, dict) and proved(text, proof, second_text(said["lastTime"]), key)
    except (ArithmeticError, KeyError, TypeError, ValueError, RecursionError):
        return None
    return said if sound else None


def _differences(row: Mapping[str, Any], said: Mapping[str, Any], where: str) -> Iterator[Finding]:
    leaves = {leaf for _, _, leaf in _LOGS}
    for name in sorted((row.keys() | said.keys()) - leaves):
        stored = _stated(row[name]) if name in row else None
        signed = said.get(name)
        if stored == signed and type(stored) is type(signed):
            continue
        numbers = isinstance(stored, int) and isinstance(signed, int)
        values = f": it is {stored}, and {signed} was signed" if numbers else ""
        yield Finding("state-mismatch", f"{where}.{name[:80]}", f"the property is not what was signed{values}")


def _log_findings(said: Mapping[str, Any], ends: Mapping[str, LogEnd]) -> Iterator[Finding]:
    heads = said.get("heads") or [0, 0, 0, 0]
    for place, (name, sequence, leaf) in enumerate(_LOGS):
        iri = said[name]
        end = ends.get(iri)
        if end is None:
            continue  # told of the row's own property
        if end.last < said[sequence]:
            message = f"the log ends at {end.last}, and {said[sequence]} was signed: its tail was cut off"
            yield Finding("missing-tail", iri, message)
        elif end.last > said[sequence]:
            message = f"the log goes on to {end.last}, and {said[sequence]} was signed: somebody added to it"
            yield Finding("unsigned-tail", iri, message)
        elif leaf in said and end.leaf != said[leaf]:
            yield Finding("bad-leaf", f"{iri}#{end.last}", "the last record is not the one that was signed as the last")
        count, size = heads[2 * place : 2 * place + 2]
        if len(end.heads) < count or max(end.heads, default=0) < size:
            message = f"{count} signed heads up to size {size} were stored, and {len(end.heads)} are left"
            yield Finding("head-missing", iri, message)


def _stated(value: Any) -> Any:  # noqa: ANN401 - a property of a node
    """Return a value as the signed text has it: itself, or where it is long the digest of its JSON."""
    text = json.dumps(value, separators=(",", ":"))
    return value if len(text) <= _LONGEST else f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
