"""Plans of what to forget, on the committed store and inside an open transaction.

Guarantees: a plan changes nothing; one that a policy ends above its target although more may go is refused; what a plan
found empty counts only until the next access, which may move what it is ordered by.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from marskg.policies.builtin.private import NAME as PRIVATE
from marskg.policies.builtin.private import refuse_to_show, without_uniform
from marskg.policies.core.guardrail import noted
from marskg.policies.core.policy import sealed
from marskg.policies.core.quarantine import reviewed
from marskg.policies.executor import View, apply, make_room, shares_of, shortfall, triggered
from marskg.policies.quota_plans import ceiling_of, make_room_within
from marskg.policies.registry import SUFFIX, goes_by_features, load_policy
from marskg.policies.standing import within_shares
from marskg.retrieval.index.feature_sources import CommittedFeatures, OpenFeatures
from marskg.store.graph.validation import check_integer

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.policies.core.policy import Policy
    from marskg.policies.curation import Curation
    from marskg.privacy.sensitivity import Assessor
    from marskg.records import Plan
    from marskg.retrieval.index.view import IndexView
    from marskg.store.commit.listener import BudgetExcess
    from marskg.store.commit.writer import Writer
    from marskg.store.rows.state import TenantState
    from marskg.store.tenant.opening import Opened
    from marskg.store.unit.unit_of_work import Unit
    from marskg.store.unit.vectors import Vectoriser


class Planning:
    """Lets policies plan for one handle of a tenant."""

    def __init__(
        self,
        opened: Opened,
        writer: Writer,
        view: IndexView,
        vectoriser: Vectoriser,
        assessor: Assessor,
        *,
        curation: Curation,
    ) -> None:
        """Plan on what ``writer`` commits, by the features of ``view``; ``curation`` has a model write summaries."""
        self._opened = opened
        self._writer = writer
        self._index = view
        self._vectoriser = vectoriser
        self._assessor = assessor
        self._curation = curation
        self._policies: dict[str, Policy] = {}
        #: The last plan with the sequence of the access log that it was made at: what it found empty holds till then.
        self._planned: tuple[Plan, int] | None = None

    def policy(self, name: str | None = None) -> Policy:
        """Return the policy called ``name``; the tenant's if left out."""
        wanted = name or self._writer.state.settings.policy.name
        if wanted not in self._policies:
            self._policies[wanted] = load_policy(wanted)
        return self._policies[wanted]

    def goes_by_features(self, name: str | None = None) -> bool:
        """Return whether that policy goes by features of memories, which need the index."""
        settings = self._writer.state.settings
        return goes_by_features(name or settings.policy.name, settings)

    def try_out(self, name: str) -> None:
        """Let a policy that is one statement of a user's run it once, before a write depends on it."""
        if name.endswith(SUFFIX):
            with self._writer.alone():
                self.plan(name, self._writer.state.weight, None)

    def plan(
        self,
        name: str | None,
        budget: int | None,
        seed: int | None,
        progress: Callable[[int], None] | None = None,
        *,
        asks: bool = False,
    ) -> Plan:
        """Return what the policy called ``name`` would do; the caller keeps other threads out.

        With ``asks`` the tenant's model may write summaries, which costs something: the caller writes that down.

        Raises:
            BudgetInfeasible: what is protected weighs more than ``budget``.
            InvariantError: the policy stops above ``budget`` although more may go.
            NotPermitted: the policy is ``private``.
        """
        state = self._writer.fresh_state()
        if (name or state.settings.policy.name) == PRIVATE:
            raise refuse_to_show()
        # With the state goes whether the clock has jumped.
        now, state = state.at(self._opened.services.clock.read())
        if self.goes_by_features(name):
            self._index.prepare_table(state, progress)
        target = state.budget if budget is None else check_integer("budget", budget, 0)
        features = CommittedFeatures(self._index, state, now)
        view = View(
            self._opened.engine.read,
            state,
            now,
            self._writer.index_gaps,
            features,
            vectoriser=self._vectoriser,
            sensing=self._assessor.texts(state.settings),
            summariser=self._curation.summariser() if asks else None,
        )
        policy = self.policy(name)

        def planned(left: frozenset[str], aim: int) -> Plan:
            return policy.plan(view, target=aim, exclude=left, seed=seed)

        found = within_shares(view, shares_of(view, target), planned, budget=target, target=target)
        plan = found.plan
        if plan.weight_after > target:
            raise shortfall(self._writer.read, view, replace(state, budget=target), plan, left=found.left)
        return noted(reviewed(plan, view), state.settings.policy.guardrail)

    def kept(
        self, name: str | None, budget: int | None, seed: int | None, progress: Callable[[int], None] | None
    ) -> Plan:
        """Return the plan as :meth:`plan` does, and keep what it found empty for :meth:`apply`."""
        try:
            plan = self.plan(name, budget, seed, progress, asks=True)
        finally:
            before = self._curation.note_costs()
        if before == plan.sequence:
            # Nothing but what the plan cost was written since: it is one of the tenant as it is now.
            plan = sealed(replace(plan, sequence=self._writer.state.sequence))
        self._planned = plan, self._writer.state.access_sequence
        return plan

    def _carry_out(self, plan: Plan, unit: Unit) -> None:
        """Let ``unit``, which applies ``plan``, tell what the plan found empty, if it still holds."""
        planned, accessed = self._planned or (None, 0)
        # An access moves order keys without a transition: what the plan found empty may not be any more.
        if planned is plan and accessed == unit.before.access_sequence:
            View(self._opened.engine.read, unit.state, unit.now, self._writer.index_gaps).carry_out(plan, unit)

    def apply(self, plan: Plan) -> Plan:
        """Apply exactly that plan, and return it.

        Raises:
            StalePlan: the store has moved on since it was made.
        """

        def work(unit: Unit) -> None:
            apply(unit, plan)
            self._carry_out(plan, unit)

        if plan.actions:
            self._writer.run(work)
        return plan

    def forget_privately(self, target: int | None, *, strict: bool) -> Plan:
        """Bring the tenant down to ``target`` by the policy ``private``; see ``mem.privacy.forget``."""
        policy = self.policy(PRIVATE)

        def work(unit: Unit) -> Plan:
            state = without_uniform(unit.before) if strict else unit.before
            features = CommittedFeatures(self._index, unit.before, unit.now)
            view = View(self._opened.engine.read, state, unit.now, None, features, handle=unit.services.handle)
            aim = state.budget if target is None else target
            shares = shares_of(view, aim)
            found = triggered(policy, view, shares, target=aim, budget=aim, exclude=frozenset())
            plan = reviewed(found.plan, view)
            if plan.weight_after > aim:
                raise shortfall(self._writer.read, view, replace(state, budget=aim), plan, left=found.left)
            if plan.actions:
                apply(unit, plan)
            return plan

        with self._writer.alone():
            self._index.prepare_table(self._writer.state)
            return self._writer.run(work)

    def forget(self) -> None:
        """Drop what the last plan found empty."""
        self._planned = None

    # --- While something is written -------------------------------------------------------------------------------

    def before_room(self, state: TenantState) -> None:
        """Bring the features up to date that the policy will go by, as long as nothing is being written."""
        if self.goes_by_features():
            self._index.prepare_table(state)

    def make_room(self, excess: BudgetExcess) -> Unit:
        """Return the unit that makes room in an open transaction."""
        state, quota = excess.state, excess.quota
        within, ceiling = None, state.budget
        if quota is not None:
            within, ceiling = excess.members, ceiling_of(state, quota)
        view = View(
            excess.run,
            state,
            state.last_time,
            excess.index_gaps,
            OpenFeatures(self._index, excess),
            ceiling=ceiling,
            within=within,
            vectoriser=self._vectoriser,
            sensing=self._assessor.texts(state.settings),
            handle=excess.services.handle,
        )
        tools = excess.read, view, state, excess.services, self.policy()
        if quota is None:
            return make_room(*tools, exclude=excess.exclude, grew=excess.grew)[0]
        return make_room_within(*tools, quota=quota, exclude=excess.exclude, others=excess.others, grew=excess.grew)[0]
