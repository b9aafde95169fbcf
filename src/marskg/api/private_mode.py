"""Private mode: for a while a memory answers as ever, and keeps nothing of what is said, or only till the end of it.

Guarantees: in private mode nothing is stored; where it was asked to keep things for the session, what is stored is of
class ``private``, bound to a session of its own, expires when the mode's time is up, and goes when the mode ends,
whichever is first. No ceiling is raised: reading goes through the memory that the mode was entered from, and stands in
the access log by id as ever, as who read what must not depend on who asks. When the time is up every door refuses, so
that nobody goes on in the belief that nothing is kept. Source: issue 6, point 3; MemoryArchitect's private class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from marskg.api.arguments import checked_calls
from marskg.errors import InvalidInput, NotPermitted
from marskg.meant import Spelt, missing_attribute
from marskg.retrieval.rewording import in_private_mode

if TYPE_CHECKING:
    from types import TracebackType

    from marskg.records import Memory
    from marskg.retrieval.assembly.hits import Hits
    from marskg.retrieval.complete.exhaustive_read import Everything
    from marskg.retrieval.complete.subject_profile import SubjectProfile
    from marskg.retrieval.explain import Explanation

#: A day: what is to be private for longer is not a mode.
LONGEST_MS: Final = 86_400_000
#: Fields that the mode sets, and nobody else.
_SET: Final = ("memory_class", "session", "session_bound", "expires_at", "ttl", "pin", "key")


class EndingSessions(Protocol):
    """What ends a session."""

    def end_session(self, session: str) -> int:
        """Let go what was bound to ``session``; returns how many memories went."""


class OpenMemory(Protocol):
    """The memory that the mode is entered from: what the mode asks of it, as :class:`~marskg.memory.AgentMemory`."""

    def remember(self, *given: Any, **named: Any) -> Memory:  # noqa: ANN401 - as AgentMemory.remember has them
        """Do as the memory does."""

    def retrieve(self, *given: Any, **named: Any) -> Hits:  # noqa: ANN401 - as AgentMemory.retrieve has them
        """Do as the memory does."""

    def recall(self, *given: Any, **named: Any) -> Hits:  # noqa: ANN401 - as AgentMemory.recall has them
        """Do as the memory does."""

    def read_all(self, *given: Any, **named: Any) -> Everything:  # noqa: ANN401 - as AgentMemory.read_all has them
        """Do as the memory does."""

    def profile(self, *given: Any, **named: Any) -> SubjectProfile:  # noqa: ANN401 - as AgentMemory.profile has them
        """Do as the memory does."""

    def get(self, *given: Any, **named: Any) -> Memory | None:  # noqa: ANN401 - as AgentMemory.get has them
        """Do as the memory does."""

    def history(self, *given: Any, **named: Any) -> list[Memory]:  # noqa: ANN401 - as AgentMemory.history has them
        """Do as the memory does."""

    def explain(self, *given: Any, **named: Any) -> Explanation:  # noqa: ANN401 - as AgentMemory.explain has them
        """Do as the memory does."""

    def now(self) -> int:
        """Return the store's time."""

    @property
    def maintenance(self) -> EndingSessions:
        """Return what ends the session of the mode."""
        ...


@checked_calls()
class PrivateMode(Spelt):
    """A memory in private mode; made by ``mem.privacy.private_mode``, and a context manager."""

    def __init__(self, memory: OpenMemory, *, lasts_ms: int, session: str | None) -> None:
        """Answer from ``memory`` for ``lasts_ms``; keep what is said in ``session`` until then, if there is one.

        Raises:
            InvalidInput: it would last no time, or more than a day.
        """
        if not 0 < lasts_ms <= LONGEST_MS:
            msg = 'private mode lasts from 1 ms to 24 h; give lasts="30m", and enter it again when it is over'
            raise InvalidInput(msg)
        self._memory = memory
        self._session = session
        self._until = memory.now() + lasts_ms

    @property
    def session(self) -> str | None:
        """Return the session that holds what is kept for now; None where nothing is kept."""
        return self._session

    @property
    def until(self) -> int:
        """Return when the mode is over, epoch milliseconds; 0 once it is."""
        return self._until

    def remember(self, content: str, **fields: Any) -> Memory:  # noqa: ANN401 - as AgentMemory.remember has them
        """Store a memory for the rest of the mode; ``fields`` are those of :meth:`AgentMemory.remember`.

        Raises:
            NotPermitted: nothing is stored in this mode, its time is up, or a field would outlast it.
        """
        memory = self._open()
        if self._session is None:
            msg = "nothing is stored in private mode; enter it with keep=True to keep things until it ends"
            raise NotPermitted(msg)
        named = [name for name in _SET if name in fields]
        if named:
            msg = f"{named[0]} is not yours to give in private mode, where all ends with the mode; leave it out"
            raise NotPermitted(msg)
        return memory.remember(
            content,
            **fields,
            memory_class="private",
            session=self._session,
            session_bound=True,
            expires_at=self._until,
        )

    def retrieve(self, query: str, **asked: Any) -> Hits:  # noqa: ANN401 - as AgentMemory.retrieve has them
        """Return what answers ``query``; see :meth:`AgentMemory.retrieve`."""
        with in_private_mode():
            return self._open().retrieve(query, **asked)

    def recall(self, entity: str | None = None, **asked: Any) -> Hits:  # noqa: ANN401 - as AgentMemory.recall has them
        """Return what surrounds an entity or a goal; see :meth:`AgentMemory.recall`."""
        return self._open().recall(entity, **asked)

    def read_all(self, **asked: Any) -> Everything:  # noqa: ANN401 - as AgentMemory.read_all has them
        """Return all of a key, a period, an entity or a goal; see :meth:`AgentMemory.read_all`."""
        return self._open().read_all(**asked)

    def profile(self, subject: str | None = None, **asked: Any) -> SubjectProfile:  # noqa: ANN401 - as AgentMemory.profile has them
        """Return who somebody is; see :meth:`AgentMemory.profile`."""
        return self._open().profile(subject, **asked)

    def get(self, id: str) -> Memory | None:  # noqa: A002 - the name that users see
        """Return a memory by id; see :meth:`AgentMemory.get`."""
        return self._open().get(id)

    def history(self, id: str) -> list[Memory]:  # noqa: A002 - the name that users see
        """Return the versions of a memory; see :meth:`AgentMemory.history`."""
        return self._open().history(id)

    def explain(self, id: str, **asked: Any) -> Explanation:  # noqa: A002, ANN401 - as AgentMemory.explain has them
        """Return why a memory is as it is; see :meth:`AgentMemory.explain`."""
        return self._open().explain(id, **asked)

    def close(self) -> int:
        """End the mode: what was kept for it goes, with all that depends on it; returns how many memories that were."""
        session, self._session = self._session, None
        self._until = 0
        return 0 if session is None else self._memory.maintenance.end_session(session)

    def __enter__(self) -> Self:
        """Return the mode itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the mode; the memory stays open."""
        self.close()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - there is none
        """Refuse what is no door of this mode.

        Raises:
            NotPermitted: the memory has such a door.
            AttributeError: nothing has.
        """
        if not name.startswith("_") and hasattr(type(self._memory), name):
            msg = f"{name} changes what is stored, or shows all of it, which private mode does not: leave it first"
            raise NotPermitted(msg)
        owner = "'PrivateMode' object"
        raise missing_attribute(owner, name, self._reached)

    def _open(self) -> OpenMemory:
        if self._memory.now() >= self._until:
            # Also where the clock is put back: what was over stays so.
            self._until = 0
            msg = "private mode is over; enter it again, or go on with the memory itself, which keeps what is said"
            raise NotPermitted(msg)
        return self._memory
