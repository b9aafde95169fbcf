"""``mem.learning``: conflicts, wishes, and what a person reviews.

Guarantees: nothing is resolved, forgotten or kept unless the call says so; each step has its signed record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.api.namespaces.namespace import Namespace
from marskg.learning.from_text.plan import check_call
from marskg.store.graph import amend
from marskg.store.graph.validation import MOST_SAID, check_integer, check_text, ids_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.api.arguments import AuditNumber
    from marskg.learning.conflicts import FoundConflict
    from marskg.learning.from_text.plan import Learned
    from marskg.learning.from_text.undo import Undone
    from marskg.learning.learner import Decision, ReviewList
    from marskg.learning.wishes import StoredWish
    from marskg.records import Memory, Plan


class Learning(Namespace, name="learning"):
    """What one tenant's users and reviewers say about what is stored."""

    def wish(self, text: str, *, subject: str | None = None, dry_run: bool = False) -> tuple[StoredWish, ...]:
        """Keep what a user wishes about remembering; it acts on ranks, starting scores and lives from now on.

        A name in it, such as one of a person, an address or a number, means whom it names and nobody else.

        Args:
            text: such as "remember more about tomatoes" or "forget about Dr. Berg".
            subject: whose wish it is: it acts on memories about them alone; on all if left out.
            dry_run: store nothing, and return what it would be about.

        Returns:
            Each wish with the memory that keeps it and the ids of the memories that it is about. After a wish to
            forget these are hidden, not erased.

        Raises:
            InvalidInput: no wish is found, or it does not say what it is about.
        """
        subjects = () if subject is None else ids_of((subject,))
        said = check_text("text", text, limit=MOST_SAID)
        keep = self._components.rehearse if dry_run else self._components.store
        return self._components.learner.wish(said, subjects, keep)

    def conflicts(self, *, since: AuditNumber = 0, resolve: str | None = None) -> tuple[FoundConflict, ...]:
        """Return the conflicts between current memories, and act on them if asked to.

        Args:
            since: only conflicts of memories stored after this audit sequence number, with those before them.
            resolve: ``flag`` (both stay, joined by a ``contradicts`` edge), ``newest``, ``most_reliable`` or
                ``review`` (the same edge, and :meth:`review` lists them); nothing is changed if left out.

        Raises:
            InvalidInput: there is no such way to resolve.
        """
        self._components.settle()
        return self._components.learner.find_conflicts(check_integer("since", since, 0), resolve)

    def plan_pruning(self) -> Plan:
        """Return the plan that takes what has faded; ``mem.forget`` applies it. Nothing is changed."""
        self._components.settle()
        return self._components.learner.plan_pruning()

    def review(self) -> ReviewList:
        """Return what waits for a person: conflicts, what nearly faded, what is in quarantine; and what has faded.

        Where ``models.judge`` names a model, it is asked about conflicts that it was not asked about before.
        """
        self._components.settle()
        return self._components.learner.review()

    def accept(self, id: str) -> Decision:  # noqa: A002 - the name that users see
        """Do what :meth:`review` proposes: the newer one of a conflict holds, what has faded or is in quarantine goes.

        Raises:
            InvalidInput: the memory is not on the list, is protected, or something depends on it.
        """
        self._components.settle()
        return self._components.learner.accept(id, self._components.planning.apply)

    def reject(self, id: str) -> Decision:  # noqa: A002 - the name that users see
        """Refuse what :meth:`review` proposes for a memory: it is no conflict, or is kept with a higher score.

        What is in quarantine is live again, and room is made for it.

        Raises:
            InvalidInput: the memory is not on the list.
            BudgetInfeasible: there is no room that may be made for what is in quarantine.
        """
        self._components.settle()
        return self._components.learner.reject(id)

    def affirm(self, id: str) -> Memory:  # noqa: A002 - the name that users see
        """Confirm a memory although what it depends on was superseded.

        Raises:
            NotPermitted: its content is gone.
            UnknownMemory: there is no such memory.
        """
        return self._components.run(lambda unit: amend.affirm(unit, id))

    def read_backlog(self, *, progress: Callable[[int], None] | None = None) -> Learned:
        """Read the turns that are stored and were not read yet, in the order in which they were said.

        ``progress`` is called with the number of turns done after each transaction.
        """
        self._components.settle()
        return self._components.text_learner.read_backlog(progress)

    def undo(self, call: str) -> Undone:
        """End all that a call of ``mem.learn``, a rule or a model made; what it had superseded or ended holds again.

        What others read as well stays, as do the turns; an older value comes back unless a newer one took its place.

        Args:
            call: the call that ``mem.learn`` returned, the id of a rule, or the name of a model.

        Raises:
            InvalidInput: the name is blank.
        """
        self._components.settle()
        return self._components.text_learner.undo(check_call(call))
