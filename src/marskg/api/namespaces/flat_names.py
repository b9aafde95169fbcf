"""The names that operations had at the top of the memory before they stood in namespaces; to be deleted with 1.0.

Guarantees: none of them does anything of its own; see :mod:`marskg.api.namespaces.moved`.
"""

from __future__ import annotations

from operator import attrgetter

from marskg.api.namespaces.audit_namespace import Audit
from marskg.api.namespaces.control_namespace import Control
from marskg.api.namespaces.entities_namespace import Entities
from marskg.api.namespaces.learning_namespace import Learning
from marskg.api.namespaces.maintenance_namespace import Maintenance
from marskg.api.namespaces.moved import Moved, deprecated
from marskg.api.namespaces.policy_namespace import Policy
from marskg.api.namespaces.privacy_namespace import Privacy
from marskg.api.namespaces.settings_namespace import TenantSettings
from marskg.api.namespaces.snapshots_namespace import Snapshots
from marskg.api.namespaces.tasks_namespace import Tasks


class FlatNames:
    """Deprecated names of the operations in the namespaces of the memory."""

    rename_entity = Moved("entities", Entities.rename)
    add_alias = Moved("entities", Entities.add_alias)
    remove_alias = Moved("entities", Entities.remove_alias)
    retype_entity = Moved("entities", Entities.retype)
    merge_entities = Moved("entities", Entities.merge)
    mention = Moved("entities", Entities.mention)
    unmention = Moved("entities", Entities.unmention)
    relate = Moved("entities", Entities.relate)
    unrelate = Moved("entities", Entities.unrelate)

    amend_task = Moved("tasks", Tasks.amend)

    wish = Moved("learning", Learning.wish)
    find_conflicts = Moved("learning", Learning.conflicts)
    plan_pruning = Moved("learning", Learning.plan_pruning)
    review = Moved("learning", Learning.review)
    accept = Moved("learning", Learning.accept)
    reject = Moved("learning", Learning.reject)
    affirm = Moved("learning", Learning.affirm)

    pin = Moved("policy", Policy.pin)
    unpin = Moved("policy", Policy.unpin)
    explain_policy = Moved("policy", Policy.explain)
    fit_policy = Moved("policy", Policy.fit)
    compare = Moved("policy", Policy.compare)
    advise_budget = Moved("policy", Policy.advise_budget)

    set_goal = Moved("control", Control.set_goal)
    record_access = Moved("control", Control.record_access)

    private_mode = Moved("privacy", Privacy.private_mode)
    grant = Moved("privacy", Privacy.grant)
    redact = Moved("privacy", Privacy.redact)
    subject_report = Moved("privacy", Privacy.report)
    match_erasure = Moved("privacy", Privacy.match_erasure)
    check_retention = Moved("privacy", Privacy.retention)
    forget_privately = Moved("privacy", Privacy.forget)
    privacy_budget = Moved("privacy", Privacy.budget)

    records = Moved("audit", Audit.records)
    who_saw = Moved("audit", Audit.who_saw)
    receipt = Moved("audit", Audit.receipt)
    check_receipt = Moved("audit", Audit.check_receipt)
    sign_head = Moved("audit", Audit.sign_head)
    heads = Moved("audit", Audit.heads)
    prove = Moved("audit", Audit.prove)
    prove_consistency = Moved("audit", Audit.prove_consistency)
    seal_audit = Moved("audit", Audit.seal)
    rotate_key = Moved("audit", Audit.rotate_key)
    replace_key = Moved("audit", Audit.replace_key)

    snapshot_save = Moved("snapshots", Snapshots.save)
    snapshot_load = Moved("snapshots", Snapshots.load)

    apply_settings = Moved("settings", TenantSettings.set)
    set_budget = Moved("settings", TenantSettings.set_budget)
    subscribe = Moved("settings", TenantSettings.subscribe)
    unsubscribe = Moved("settings", TenantSettings.unsubscribe)

    maintain_every = Moved("maintenance", Maintenance.run_every)
    stop_maintaining = Moved("maintenance", Maintenance.stop)
    expire = Moved("maintenance", Maintenance.expire)
    end_session = Moved("maintenance", Maintenance.end_session)
    confirm_clock = Moved("maintenance", Maintenance.confirm_clock)
    rescore = Moved("maintenance", Maintenance.rescore)
    reembed = Moved("maintenance", Maintenance.reembed)
    prepare = Moved("maintenance", Maintenance.prepare)
    scrub = Moved("maintenance", Maintenance.scrub)

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """Deprecated name of ``mem.settings.subscriptions``."""
        deprecated("subscriptions", "settings.subscriptions")
        found: tuple[str, ...] = attrgetter("settings.subscriptions")(self)
        return found
