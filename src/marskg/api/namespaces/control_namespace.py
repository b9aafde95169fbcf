"""``mem.control``: what an agent's loop tells about itself: what it works on, and what it showed by other ways.

Guarantees: a goal changes nothing that is stored; what was shown is one signed record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.api.namespaces.namespace import Namespace
from marskg.errors import EmbeddingUnavailable
from marskg.retrieval.query.search import check_query
from marskg.store.graph.validation import ids_of
from marskg.store.upkeep import access_log, use_and_session_expiry

if TYPE_CHECKING:
    from collections.abc import Iterable


class Control(Namespace, name="control"):
    """The loop of an agent that uses one tenant."""

    def set_goal(self, text: str | None) -> None:
        """Let policies that go by features keep what is similar to ``text``, in the place of the active tasks.

        It holds until the memory is closed or the goal is set again; None stands for the active tasks.

        Raises:
            InvalidInput: the text is empty, or longer than a query may be.
            EmbeddingUnavailable: there is no model that makes vectors, or it does not answer.
        """
        vector = None
        if text is not None:
            model = self._components.vectoriser.model
            if model is None:
                msg = "the tenant has no vectors, so nothing is similar to a goal; see: mars maintenance reembed"
                raise EmbeddingUnavailable(msg)
            goal = check_query(text, "goal", "say what is to be done; the active tasks count where no goal is set")
            vector = model.embed([goal])[0]
        self._components.reading.view.set_goal(self._components.writer.fresh_state(), vector)

    def record_access(self, ids: Iterable[str] | str, *, purpose: str | None = None) -> int:
        """Record that memories were shown otherwise than by a retrieval; what is use-bound goes.

        Their access statistics follow, and the record is signed.

        Args:
            ids: of the memories.
            purpose: what they were shown for.

        Returns:
            how many memories that were.

        Raises:
            UnknownMemory: there is no such memory.
        """
        writer = self._components.writer
        accessed = access_log.record_access(writer, ids_of(ids), purpose=purpose)
        use_and_session_expiry.expire_used(writer, [one.id for one in accessed if one.use_bound])
        return len(accessed)
