"""``mem.tasks``: the state of tasks.

Guarantees: each change is signed, or nothing is changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.api.namespaces.namespace import Namespace
from marskg.drafts import enumeration
from marskg.ontology.vocabulary import TaskStatus
from marskg.store.graph import amend
from marskg.store.graph.validation import check_time

if TYPE_CHECKING:
    from marskg.api.arguments import Rank
    from marskg.given_time import GivenTime
    from marskg.records import Memory


class Tasks(Namespace, name="tasks"):
    """The tasks of one tenant."""

    def amend(
        self,
        id: str,  # noqa: A002 - the name that users see
        *,
        status: str | None = None,
        priority: Rank | None = None,
        deadline: GivenTime | None = None,
    ) -> Memory:
        """Change a task's status, priority or deadline; what is left out stays.

        Args:
            id: of the task.
            status: ``open``, ``in_progress``, ``blocked``, ``done`` or ``cancelled``. While it is one of the first
                three, the task and all that it requires are protected from every policy.
            priority: higher is more urgent.
            deadline: a time.

        Raises:
            InvalidMemory: the memory is no task, or a value is out of range.
            TaskSafetyViolation: it would be open again, and something that it requires lost its content.
            UnknownMemory: there is no such memory.
        """
        wanted = None if status is None else enumeration(TaskStatus, "status", status)
        end = None if deadline is None else check_time("deadline", deadline)
        return self._components.run(
            lambda unit: amend.amend_task(unit, id, status=wanted, priority=priority, deadline=end)
        )
