"""Making a tenant: its two logs, its first signed record, its row.

Guarantees: a tenant's name can stand in an index key and in a file name; its logs begin with a record that announces
the signing key, so that everything after it can be verified from the log alone. Where memories or records are left
under a name that has no row, nothing is created and nothing goes, unless a snapshot is to take their place; what must
not come in again, and what privacy has cost, stays even then.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from marskg.audit.record import build_record
from marskg.clock import uuid7
from marskg.errors import InvalidInput, StoreDamaged
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Operation
from marskg.store.commit.signed_state import MARK, bound, suppression_hash
from marskg.store.engine.protocol import Conflict
from marskg.store.graph.imported_items import is_mark
from marskg.store.rows import codec
from marskg.store.rows.order_keys import key_range
from marskg.store.rows.paging import pages
from marskg.store.rows.privacy_budget import never_less
from marskg.store.rows.state import TenantState
from marskg.store.statements.catalogue import statement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from marskg.audit.dataintegrity import Signer
    from marskg.config import Settings
    from marskg.records import AuditRecord
    from marskg.store.engine.protocol import Engine, Row, Transaction
    from marskg.store.rows.state import Services

_NAME = late_regex(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
#: Labels of what belongs to a tenant and to nothing else; suppressions and the list of snapshots outlive its row.
_LABELS: Final = (
    "Memory",
    "Entity",
    "EntityWord",
    "Preference",
    "AuditRecord",
    "TreeHead",
    "AuditTile",
    "AuditKey",
)
#: Those of them that somebody would miss, and what they are called.
_LOST: Final = {"Memory": "memories", "Entity": "entities", "Preference": "preferences", "AuditRecord": "log"}
#: Nodes that one transaction clears.
_CLEARED: Final = 1_000


def check_tenant_name(name: str) -> str:
    """Return ``name`` if it can name a tenant.

    Raises:
        InvalidInput: empty, too long, or with other characters than letters, digits, dot, underscore and hyphen.
    """
    if not _NAME.match(name):
        msg = f"tenant {name[:40]!r} is no valid name; use 1 to 64 letters, digits, dots, underscores or hyphens"
        raise InvalidInput(msg)
    return name


def tenant_names(engine: Engine) -> list[str]:
    """Return the names of the store's tenants, sorted."""
    return [str(row["tenant"]) for row in engine.read(statement("list_tenants", engine.name))]


def refuse_lost(run: Callable[..., list[Row]], name: str) -> None:
    """Refuse a tenant without a row of which something else is left; ``run`` runs a statement by its name.

    Raises:
        StoreDamaged: says what is left, and the ways out.
    """
    low, high = key_range(name)
    where = {"low": low, "high": high, "limit": 1}
    left = [what for label, what in _LOST.items() if run("refs_page", where, label=label)]
    if left:
        msg = (
            f"the store has the {', '.join(left)} of tenant {name!r} and not its row: it is damaged, and nothing was "
            f"changed; put back a copy of the store, or a snapshot with: mars snapshot load FILE --tenant {name}"
        )
        raise StoreDamaged(msg)


def create_tenant(
    engine: Engine, name: str, settings: Settings, services: Services, *, replacing: bool = False
) -> bool:
    """Create the tenant ``name``; returns False when another process was faster or it exists.

    ``replacing`` says that what is left of a tenant whose row was lost may go.

    Raises:
        StoreDamaged: there is some, and it may not.
    """
    check_tenant_name(name)
    now = services.clock.now_ms()
    log, access_log = uuid7(now, services.source), uuid7(now, services.source)
    signer = services.signer()
    key = signer.verification_method.partition("#")[2]
    state = TenantState(
        name=name,
        log=log,
        access_log=access_log,
        sequence=1,
        access_sequence=1,
        budget=settings.budget,
        weight=0,
        latent_weight=0,
        protected_weight=0,
        last_time=now,
        settings=settings,
        signing_key=key,
    )
    opening = {
        "actor": services.actor,
        "public_key": key,
        "parameters": (MARK, f"tenant={name}"),
        "budget": settings.budget,
    }
    records = [
        build_record(
            tenant=name,
            log=iri,
            sequence=1,
            operation=Operation.OPEN_LOG,
            now=now,
            record_details=opening,
            node_details=[],
            signer=signer,
            source=services.source,
        )
        for iri in (log, access_log)
    ]
    announced = {"ref": f"{name}|{key}", "tenant": name, "publicKey": key, "announcedAt": now}

    while True:
        try:
            with engine.transaction() as transaction:
                if transaction.run(statement("load_tenant", engine.name), {"tenant": name}):
                    return False
                run = partial(_run, transaction, engine.name)
                if _created(run, state, signer, records, announced, replacing=replacing):
                    return True
        except Conflict:
            return False


def _created(
    run: partial[list[Row]],
    state: TenantState,
    signer: Signer,
    records: Sequence[AuditRecord],
    announced: dict[str, Any],
    *,
    replacing: bool,
) -> bool:
    """Return whether the tenant was created; otherwise there is more to clear before."""
    kept = _kept(run, state)
    transition, access = (record.leaf for record in records)
    _, row = bound(replace(kept, stated={}), kept.to_row(), signer, leaf=transition, access_leaf=access)
    # First, as it keeps others out who create the same tenant.
    run("create_tenant", {"tenant": row})
    if not replacing:
        refuse_lost(run, state.name)
    if not _cleared(run, state.name):
        run("delete_refs", {"refs": [state.name]}, label="Tenant")
        return False
    rows = [codec.encode_record(record, letter) for record, letter in zip(records, "ta", strict=True)]
    run("create_records", {"rows": rows})
    run("create_key", {"key": announced})
    return True


def _run(transaction: Transaction, engine: str, name: str, parameters: dict[str, Any], **names: Any) -> list[Row]:
    return transaction.run(statement(name, engine, **names), parameters)


def _kept(run: partial[list[Row]], state: TenantState) -> TenantState:
    """Return the state of a new tenant with what outlives one that lost its row."""
    # There is nothing left that an import could know again.
    where = partial(run, "suppressions_page")
    marks = [row["ref"] for page in pages(where, state.name, _CLEARED) for row in page if is_mark(row["ref"])]
    if marks:
        run("delete_suppressions", {"refs": marks})
    suppressed = suppression_hash(run, state.name)
    parked = {"ref": f"account|{state.name}"}
    controls: dict[str, str] = {}
    for row in run("parked_account", parked):
        controls = never_less(controls, json.loads(row["account"]))
    if controls:
        run("drop_account", parked)
    return replace(
        state, suppressing=suppressed is not None, suppression_hash=suppressed, controls=MappingProxyType(controls)
    )


def _cleared(run: partial[list[Row]], name: str) -> bool:
    """Remove some of the nodes under a name; returns whether that was all of them."""
    low, high = key_range(name)
    left = _CLEARED
    for label in _LABELS:
        left -= run("clear", {"low": low, "high": high, "limit": left}, label=label)[0]["removed"]
        if not left:
            return False
    return True
