"""``mem.policy``: what decides about forgetting, and pins that it does not touch.

Guarantees: comparing, fitting, explaining and advising change nothing; each pin is one signed change, or none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from marskg.api.namespaces.namespace import Namespace, duration
from marskg.errors import InvalidInput
from marskg.learning.theta import learn
from marskg.policies.advisor import advise, left_out, remembered, showings
from marskg.policies.builtin.private import NAME as PRIVATE
from marskg.policies.builtin.private import refuse_to_show
from marskg.policies.comparison import compare_plans
from marskg.policies.executor import View
from marskg.policies.registry import explain_policy
from marskg.store.graph import amend
from marskg.store.graph.validation import check_number, ids_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.api.arguments import Share, Tokens
    from marskg.learning.theta import PolicyFit
    from marskg.policies.advisor import Advice
    from marskg.policies.comparison import Comparison
    from marskg.records import Memory


class Policy(Namespace, name="policy"):
    """The policy of one tenant."""

    def pin(self, id: str) -> Memory:  # noqa: A002 - the name that users see
        """Protect a memory, and what it depends on, from every policy.

        Raises:
            NotPermitted: its content is gone.
            UnknownMemory: there is no such memory.
        """
        return self._components.run(lambda unit: amend.pin(unit, id, pinned=True))

    def unpin(self, id: str) -> Memory:  # noqa: A002 - the name that users see
        """Stop protecting a memory.

        Raises:
            NotPermitted: its content is gone.
            UnknownMemory: there is no such memory.
        """
        return self._components.run(lambda unit: amend.pin(unit, id, pinned=False))

    def explain(self) -> dict[str, Any]:
        """Return what decides about forgetting now: policy, shares of kinds, budgets of users, tier, bandit's arms."""
        parts = self._components
        found = explain_policy(View(parts.opened.engine.read, parts.writer.fresh_state(), parts.writer.now()))
        return {**found, **parts.quotas()}

    def fit(self) -> PolicyFit:
        """Return theta as logged outcomes of retrievals teach it, with how well it does; nothing is changed.

        ``mem.settings.set`` or a configuration file with what ``as_yaml`` gives lets the policies go by it.

        Raises:
            InvalidInput: there are too few outcomes; ``mem.feedback`` logs them.
        """
        parts = self._components
        state, now = parts.writer.fresh_state(), parts.writer.now()
        return learn(parts.reader.records("a"), parts.reading.view.table(state, now), state.settings, now)

    def compare(
        self, policies: Iterable[str] | str, *, budget: Tokens | None = None, questions: Iterable[str] = ()
    ) -> Comparison:
        """Return what each of ``policies`` would forget, side by side; nothing is changed, nor recorded as shown.

        What has expired and was not swept yet counts as it stands. A question's answer is its best hit of today,
        however good that is. It is lost when that memory would go, unless a summary that takes its place says all of
        it word for word.

        Args:
            policies: names or paths of ``.cypher`` files, each once.
            budget: tokens to come down to; the tenant's if left out.
            questions: texts as ``mem.retrieve`` takes them.

        Raises:
            InvalidConfig: there is no such policy.
            InvalidInput: no policy is named, or a question cannot be looked up.
            NotPermitted: ``private`` is among them; see ``mem.privacy.forget``.
            BudgetInfeasible: what is protected weighs more than ``budget``.
            InvariantError: a policy stops above ``budget`` although more may go.
        """
        parts = self._components
        chosen = list(dict.fromkeys(ids_of(policies)))
        if PRIVATE in chosen:
            raise refuse_to_show()
        for name in chosen:
            parts.planning.policy(name)
        answers = [parts.reading.best_hit(question) for question in questions]
        with parts.writer.alone():
            plans = [parts.planning.plan(name, budget, None) for name in chosen]
            found = parts.reader.nodes(dict.fromkeys(answer for answer in answers if answer is not None))
            return compare_plans(plans, answers, {memory.id: memory for memory, _, _ in found})

    def advise_budget(self, *, rate: Share = 0.9, policy: str | None = None, recent: str = "30d") -> Advice:
        """Return the smallest budget that would have kept a share of what was shown recently; nothing is changed.

        What is stored today and the access log are replayed under the policy's order, for about twenty budgets. A
        showing is one memory that was shown once, whether or not it was of use: the share is of these, not of the
        questions that were answered. Feedback and reports on a person are no showings.

        Args:
            rate: the share of the showings to keep, above 0 and at most 1.
            policy: ``fifo``, ``lru`` or ``priority-decay``; the tenant's if left out.
            recent: how far back showings count, such as ``"30d"``.

        Raises:
            InvalidInput: the policy cannot be replayed, the rate is out of range, or ``recent`` is no duration.
        """
        parts = self._components
        span = duration("recent", recent, "30d")
        settings = parts.writer.state.settings
        found = advise(
            remembered(parts.reader.memories()),
            showings(parts.reader.records("a")),
            policy=policy or settings.policy.name,
            rate=check_number("rate", rate, error=InvalidInput),
            since=parts.writer.now() - span,
            scoring=settings.scoring,
            low_water=settings.low_water,
        )
        return replace(found, notes=left_out(settings.partitions))
