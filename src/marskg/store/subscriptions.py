"""Subscriptions: which shared tenants of common knowledge a tenant's readers read as well.

Guarantees: only a tenant whose own settings say ``lean.shared`` can be subscribed to; one that is private and one that
does not exist are refused in the same words, so that nobody learns which tenants there are; each change has its signed
record in the subscriber's log, and none in the other's. Source: semantics section 4 (I8).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from marskg.errors import InvalidInput, NotPermitted
from marskg.ontology.vocabulary import Operation
from marskg.store.state import TenantState
from marskg.store.statements import statement
from marskg.store.tenants import check_tenant_name

if TYPE_CHECKING:
    from marskg.store.engine import Engine
    from marskg.store.unit import Unit
    from marskg.store.writer import Writer


def shared_state(engine: Engine, name: str) -> TenantState | None:
    """Return the row of the tenant ``name`` as it is now, None unless it exists and is shared."""
    rows = engine.read(statement("load_tenant", engine.name), {"tenant": name})
    state = TenantState.from_row(rows[0]["tenant"]) if rows else None
    return state if state is not None and state.settings.lean.shared else None


def subscribe(writer: Writer, name: str) -> tuple[str, ...]:
    """Let the tenant's readers read the shared tenant ``name`` as well; returns all subscriptions.

    Raises:
        InvalidInput: ``name`` cannot name a tenant, or is this tenant.
        NotPermitted: there is no such tenant, or it is not shared.
    """
    check_tenant_name(name)
    if name == writer.tenant:
        msg = f"tenant {name!r} cannot subscribe to itself; name another tenant, one that is shared"
        raise InvalidInput(msg)
    if shared_state(writer.engine, name) is None:
        msg = (
            f"there is no shared tenant {name!r} in this store; its owner shares it with: "
            f"mars settings --tenant {name} lean.shared=true"
        )
        raise NotPermitted(msg)
    return writer.run(lambda unit: _set(unit, {*unit.state.subscriptions, name}))


def unsubscribe(writer: Writer, name: str) -> tuple[str, ...]:
    """End a subscription; returns those that are left.

    Raises:
        InvalidInput: there is no such subscription.
    """
    if name not in writer.fresh_state().subscriptions:
        there = ", ".join(writer.state.subscriptions) or "none"
        msg = f"tenant {writer.tenant!r} has no subscription to {str(name)[:64]!r}; it has: {there}"
        raise InvalidInput(msg)
    return writer.run(lambda unit: _set(unit, {*unit.state.subscriptions} - {name}))


def _set(unit: Unit, names: set[str]) -> tuple[str, ...]:
    wanted = tuple(sorted(names))
    if wanted != unit.state.subscriptions:
        unit.state = replace(unit.state, subscriptions=wanted)
        parameters = (f"subscriptions={','.join(wanted) or 'none'}",)
        unit.note(Operation.SET_BUDGET, budget=unit.state.budget, parameters=parameters)
    return wanted
