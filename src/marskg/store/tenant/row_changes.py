"""Changes of a tenant's own row: its settings, and which shared tenants its readers read as well.

Guarantees: only a tenant whose own settings say ``lean.shared`` can be subscribed to; one that is private and one that
does not exist are refused in the same words, so that nobody learns which tenants there are; each change has its signed
record in the subscriber's log, and none in the other's. Source: semantics section 4 (I8).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from marskg.errors import InvalidInput, NotPermitted
from marskg.models.spending import Account, Spent
from marskg.ontology.vocabulary import Operation
from marskg.store.rows.state import TenantState
from marskg.store.statements.catalogue import statement
from marskg.store.tenant.creation import check_tenant_name

if TYPE_CHECKING:
    from marskg.config import Settings
    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Engine
    from marskg.store.unit.unit_of_work import Unit

#: Under this name the tenant's row has what language models cost.
SPENT: Final = "models.spent"


def change_settings(unit: Unit, wanted: Settings) -> None:
    """Let the tenant have the settings ``wanted``, which were checked."""
    was = unit.state.settings
    # Order keys are made of all of these; the next due moment of a task is its deadline plus grace.
    made_of = (wanted.scoring, wanted.partitions.on, wanted.task_grace)
    stale = unit.state.reordering or made_of != (was.scoring, was.partitions.on, was.task_grace)
    unit.update_tenant(settings=wanted, budget=wanted.budget, reordering=stale)
    unit.audit.note(Operation.SET_BUDGET, budget=wanted.budget, parameters=wanted.to_parameters())


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
        unit.update_tenant(subscriptions=wanted)
        parameters = (f"subscriptions={','.join(wanted) or 'none'}",)
        unit.audit.note(Operation.SET_BUDGET, budget=unit.state.budget, parameters=parameters)
    return wanted


def note_costs(unit: Unit, added: Spent, told: tuple[str, ...]) -> Spent:
    """Let the tenant's row say what models have cost today, ``added`` included, with a record of what is ``told``."""
    spent = Account(Spent.read(unit.state.controls.get(SPENT)), added).at(unit.now)
    unit.update_tenant(controls=MappingProxyType({**unit.state.controls, SPENT: spent.written()}))
    unit.audit.note(Operation.ACCESS, parameters=told)
    return spent
