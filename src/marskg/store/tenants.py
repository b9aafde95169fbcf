"""Making a tenant: its two logs, its first signed record, its row.

Guarantees: a tenant's name can stand in an index key and in a file name; its logs begin with a record that announces
the signing key, so that everything after it can be verified from the log alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from marskg.audit.record import build_record
from marskg.clock import uuid7
from marskg.errors import InvalidInput
from marskg.ontology.vocabulary import Operation
from marskg.store import codec
from marskg.store.engine import Conflict
from marskg.store.state import TenantState
from marskg.store.statements import statement

if TYPE_CHECKING:
    from marskg.config import Settings
    from marskg.store.engine import Engine
    from marskg.store.state import Services

_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")


def check_tenant_name(name: object) -> str:
    """Return ``name`` if it can name a tenant.

    Raises:
        InvalidInput: empty, too long, or with other characters than letters, digits, dot, underscore and hyphen.
    """
    if not isinstance(name, str) or not _NAME.match(name):
        msg = f"tenant {str(name)[:40]!r} is no valid name; use 1 to 64 letters, digits, dots, underscores or hyphens"
        raise InvalidInput(msg)
    return name


def tenant_names(engine: Engine) -> list[str]:
    """Return the names of the store's tenants, sorted."""
    return [str(row["tenant"]) for row in engine.read(statement("list_tenants", engine.name))]


def create_tenant(engine: Engine, name: str, settings: Settings, services: Services) -> bool:
    """Create the tenant ``name``; returns False when another process was faster or it exists."""
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
    opening = {"actor": services.actor, "public_key": key, "parameters": (f"tenant={name}",), "budget": settings.budget}
    records = [
        codec.encode_record(
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
            ),
            letter,
        )
        for iri, letter in ((log, "t"), (access_log, "a"))
    ]
    announced = {"ref": f"{name}|{key}", "tenant": name, "publicKey": key, "announcedAt": now}
    try:
        with engine.transaction() as transaction:
            if transaction.run(statement("load_tenant", engine.name), {"tenant": name}):
                return False
            transaction.run(statement("create_tenant", engine.name), {"tenant": state.to_row()})
            transaction.run(statement("create_records", engine.name), {"rows": records})
            transaction.run(statement("create_key", engine.name), {"key": announced})
    except Conflict:
        return False
    return True
