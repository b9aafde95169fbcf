"""``mem.settings``: what a tenant is set to, and the shared tenants that it reads.

Guarantees: settings are checked whole before anything is changed; a budget that is lowered is met in the transaction
that lowers it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marskg.api.namespaces.moved import deprecated
from marskg.api.namespaces.namespace import Namespace
from marskg.config import Settings  # noqa: TC001 - read at run time, to check arguments
from marskg.embedding.registry import load_model
from marskg.meant import missing_attribute
from marskg.policies.registry import check_settings
from marskg.privacy.sensitivity import Assessor
from marskg.store.crypto.encrypted_engine import fixed_encryption
from marskg.store.graph.recognition import load_recogniser
from marskg.store.graph.validation import check_integer
from marskg.store.tenant import row_changes
from marskg.store.upkeep import vector_index
from marskg.store.upkeep.reembed import refuse_change
from marskg.store.upkeep.rescore import rescore

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.api.arguments import Tokens


class TenantSettings(Namespace, name="settings"):
    """The settings of one tenant."""

    @property
    def current(self) -> Settings:
        """Return the settings as they are now; what is returned does not change with them."""
        return self._components.writer.state.settings

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as the setting is
        """Return a setting; deprecated way of ``settings.current``.

        Raises:
            AttributeError: there is no such setting.
        """
        settings = None if name.startswith("_") else self.current
        if settings is None or not hasattr(settings, name):
            owner = f"{type(self).__name__!r} object"
            raise missing_attribute(owner, name, self._reached)
        found = getattr(settings, name)
        deprecated(f"settings.{name}", f"settings.current.{name}")
        return found

    def set(self, settings: Settings | None, values: Mapping[str, Any]) -> None:
        """Change the settings: to all of ``settings`` if given, then single ``values`` by dotted name.

        A changed budget is enforced in the same transaction; changed weights of importance, or another ``task_grace``,
        order the memories anew; where what makes a memory sensitive changed, ``mem.maintenance.rescore`` follows.

        Raises:
            EmbeddingMismatch: the tenant's vectors are of another model than the one asked for; see
                ``mem.maintenance.reembed``.
            InvalidConfig: a setting is unknown or out of range, or ``encryption`` is another one than the tenant was
                created with.
            BudgetInfeasible: what is protected weighs more than the budget.
        """
        parts = self._components
        old = parts.writer.state.settings
        base = old if settings is None else settings.checked("the settings given")
        wanted = base.with_values(values, "the settings given").encrypted_as(old.encryption)
        wanted = wanted.embedded_by(old.embedding.model)
        if wanted == old:
            return
        self._check(old, wanted)
        parts.run(lambda unit: row_changes.change_settings(unit, wanted))
        parts.settle()
        if wanted.retrieval != old.retrieval:
            parts.reading.put_points(lambda _: None)
        if old.retrieval.indexed and not wanted.retrieval.indexed:
            parts.clear_points()
        if wanted.sensitivity != old.sensitivity and wanted.sensitivity.assess != "off":
            rescore(parts.writer, parts.reader, parts.measure)

    def _check(self, old: Settings, wanted: Settings) -> None:
        """Refuse settings that cannot be those of this tenant, or that name what is not there."""
        parts = self._components
        if wanted.embedding != old.embedding:
            refuse_change(parts.writer.state, wanted, load_model)
        if wanted.encryption != old.encryption:
            raise fixed_encryption(parts.opened.tenant, old)
        load_recogniser(wanted.entities)
        Assessor().detector(wanted.sensitivity)
        check_settings(wanted)
        if wanted.policy != old.policy:
            parts.planning.try_out(wanted.policy.name)
        if wanted.retrieval.indexed:
            vector_index.define(parts.writer.engine)

    def set_budget(self, budget: Tokens) -> None:
        """Change the tenant's budget, in tokens; a lower one forgets by the tenant's policy in the same transaction.

        Raises:
            BudgetInfeasible: what is protected weighs more.
        """
        self.set(None, {"budget": check_integer("budget", budget, 1)})

    # --- Shared tenants -------------------------------------------------------------------------------------------

    def subscribe(self, tenant: str) -> tuple[str, ...]:
        """Read a shared tenant of common knowledge as well, in every retrieval, recall and full reading.

        Nothing of it can be written from here, and nothing of this tenant is seen from there. Returns all
        subscriptions.

        Raises:
            NotPermitted: there is no such tenant, or its settings do not say ``lean.shared``.
            InvalidInput: it is this tenant itself, or no tenant could have that name.
        """
        return row_changes.subscribe(self._components.writer, tenant)

    def unsubscribe(self, tenant: str) -> tuple[str, ...]:
        """Read a shared tenant no more; returns the subscriptions that are left.

        Raises:
            InvalidInput: there is no such subscription.
        """
        return row_changes.unsubscribe(self._components.writer, tenant)

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """Return the shared tenants that are read as well."""
        return self._components.writer.fresh_state().subscriptions
