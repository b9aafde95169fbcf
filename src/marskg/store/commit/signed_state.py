"""The signed state of a tenant: what its row says, bound to the ends of its two logs, under the key that signs these.

Guarantees: every statement that changes the row signs what it says then, so that whoever changes the row, cuts a log or
takes away heads or suppressions without the key leaves a signature that does not fit (:mod:`marskg.audit.state`). What
did not fit when the row was read is named in the row, signed, from the next write on: signing anew hides nothing.
Only a key that announces itself (``replace-key``) begins anew.

A row that was never signed, from before there were signatures, is signed by the first to open the tenant with the key,
under a signed record that says so; one whose log says that it is signed is never signed again by opening it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from marskg.audit.dataintegrity import verification_method, verify
from marskg.audit.sethash import set_hash
from marskg.ontology.mapping import time_lexical
from marskg.ontology.vocabulary import Operation
from marskg.store.rows import codec
from marskg.store.rows.paging import pages
from marskg.store.rows.state import TenantState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.audit.dataintegrity import Signer
    from marskg.records import AuditRecord
    from marskg.store.engine.protocol import Reader, Row
    from marskg.store.unit.unit_of_work import Unit

#: The row's own properties for it: the signed text and the proof.
TEXT: Final = "signedState"
PROOF: Final = "stateProof"
#: What the text says beside the row's properties: the last leaf hash of each log.
LEAF: Final = "lastLeaf"
ACCESS_LEAF: Final = "lastAccessLeaf"
#: What a log says of itself, in its first record or in that of a migration, from when its tenant's row is signed.
MARK: Final = "state=signed"
#: Letters above which a value stands by its digest.
_LONGEST: Final = 120
_SECONDS: Final = 19
_PAGE: Final = 1_000


def bound(
    state: TenantState,
    changes: Mapping[str, Any],
    signer: Signer,
    *,
    leaf: str | None = None,
    access_leaf: str | None = None,
) -> tuple[TenantState, dict[str, Any]]:
    """Return ``state`` with what its row says after ``changes``, and these changes with the row's new signature.

    ``leaf`` and ``access_leaf`` are those of the last record that is written to each log, if one is.
    """
    if state.broken:
        changes = {**changes, "stateBroken": list(state.broken)}
    if state.stated is None:
        return state, dict(changes)
    said = {**state.stated, **{name: _stated(value) for name, value in changes.items()}}
    said |= {name: value for name, value in ((LEAF, leaf), (ACCESS_LEAF, access_leaf)) if value is not None}
    said = {name: value for name, value in said.items() if value is not None}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    proof = signer.sign(text.encode(), _second(said["lastTime"])).proof_value
    return replace(state, stated=said), {**changes, TEXT: text, PROOF: proof}


def bound_unit(unit: Unit, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row's ``changes`` that a unit makes with its new signature; ``unit.state`` keeps what it says."""
    state, signed = bound(
        unit.state,
        changes,
        unit.row_signer or unit.services.signer(),
        leaf=unit.audit.transitions[-1].leaf if unit.audit.transitions else None,
        access_leaf=unit.audit.accesses[-1].leaf if unit.audit.accesses else None,
    )
    unit.update_tenant(stated=state.stated)
    return signed


def settle_suppressions(unit: Unit) -> None:
    """Keep up the digest of what must not come in again."""
    named = sorted(unit.suppressed)
    there: set[str] = set()
    for start in range(0, len(named), _PAGE):
        there |= {row["ref"] for row in unit.read("suppressed", {"refs": named[start : start + _PAGE]})}
    after = set_hash(unit.state.suppression_hash, added=unit.suppressed - there)
    unit.update_tenant(suppression_hash=after)


def read_state(row: Row) -> TenantState:
    """Return the state that a tenant's row describes, with what in it its signature does not cover."""
    state = TenantState.from_row(row)
    text, proof = row.get(TEXT), row.get(PROOF)
    if text is None and proof is None:
        return state
    actual = {name: _stated(value) for name, value in row.items() if value is not None and name not in {TEXT, PROOF}}
    said = _said(text, proof, verification_method(state.signing_key))
    if said is None:
        return replace(state, stated=actual, broken=tuple(sorted({*state.broken, TEXT})))
    leaves = {name: said.pop(name) for name in (LEAF, ACCESS_LEAF) if name in said}
    changed = {name for name in said.keys() | actual.keys() if said.get(name) != actual.get(name)}
    return replace(state, stated=actual | leaves, broken=tuple(sorted({*state.broken, *changed})))


def _said(text: object, proof: object, method: str) -> dict[str, Any] | None:
    """Return what a signed text says, or None where the signature is not over it."""
    if not isinstance(text, str) or not isinstance(proof, str):
        return None
    try:
        said = json.loads(text)
        sound = verify(text.encode(), proof, _second(said["lastTime"]), method)
    except (ArithmeticError, KeyError, TypeError, ValueError):
        return None
    return said if sound else None


def sign_anew(unit: Unit) -> None:
    """Let a unit sign all that the row says, whatever was signed before: heads and suppressions as they are now."""
    unit.rewrite_tenant(stated_anew(unit.read, unit.state))


def stated_anew(read: Reader, state: TenantState) -> TenantState:
    """Return ``state`` with what its row would say, heads and suppressions as they are, and nothing broken."""
    heads: list[int] = []
    for log in (state.log, state.access_log):
        rows = read("heads", {"low": f"{state.name}|{log}|", "high": f"{state.name}|{log}}}"})
        heads += [len(rows), max((row["head"]["size"] for row in rows), default=0)]
    leaves = {
        LEAF: _leaf(read, codec.audit_ref(state.name, "t", state.sequence)),
        ACCESS_LEAF: _leaf(read, codec.audit_ref(state.name, "a", state.access_sequence)),
    }
    fresh = replace(state, heads=tuple(heads), suppression_hash=suppression_hash(read, state.name), broken=())
    row = {name: _stated(value) for name, value in fresh.to_row().items()}
    return replace(fresh, stated={**(state.stated or {}), **row, **leaves})


def suppression_hash(read: Reader, tenant: str) -> str | None:
    """Return the digest of all that must not come in again, counted anew."""
    found = pages(partial(read, "suppressions_page"), tenant, _PAGE)
    return set_hash(added=(row["ref"] for page in found for row in page))


def _leaf(read: Reader, ref: str) -> str | None:
    """Return the leaf hash of the record ``ref``, if it is there."""
    rows = read("leaves", {"low": ref, "high": f"{ref}~", "limit": 1})
    return str(rows[0]["leaf"]) if rows else None


def says_signed(record: AuditRecord) -> bool:
    """Return whether a record says that the tenant's row is signed from then on."""
    marking = record.operation in {Operation.OPEN_LOG, Operation.MIGRATE} and bool(record.details)
    return marking and f'"{MARK}"' in record.details[0]


def _stated(value: Any) -> Any:
    """Return a property's value as the text says it: itself, or the digest of what is long."""
    plain = list(value) if isinstance(value, tuple) else value
    text = json.dumps(plain, separators=(",", ":"))
    return plain if len(text) <= _LONGEST else f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _second(moment: int) -> str:
    return f"{time_lexical(moment)[:_SECONDS]}Z"
