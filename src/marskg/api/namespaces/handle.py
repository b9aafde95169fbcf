"""A handle on one open tenant: who acts, its time, its namespaces and its end; the facade adds the verbs of every day.

Guarantees: a namespace is made when it is first asked for, and once; closing ends what runs in the background first.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Self

from marskg.api.arguments import checked_calls
from marskg.api.components import Components
from marskg.api.doors import guarded
from marskg.api.namespaces.audit_namespace import Audit
from marskg.api.namespaces.control_namespace import Control
from marskg.api.namespaces.entities_namespace import Entities
from marskg.api.namespaces.flat_names import FlatNames
from marskg.api.namespaces.learning_namespace import Learning
from marskg.api.namespaces.maintenance_namespace import Maintenance
from marskg.api.namespaces.moved import Moved
from marskg.api.namespaces.namespace import ways
from marskg.api.namespaces.policy_namespace import Policy
from marskg.api.namespaces.settings_namespace import TenantSettings
from marskg.api.namespaces.snapshots_namespace import Snapshots
from marskg.api.namespaces.tasks_namespace import Tasks
from marskg.drafts import Draft
from marskg.extraction.proposal import Extractor
from marskg.learning.from_text.plan import LearnPlan
from marskg.meant import NOT_COPIED, Spelt
from marskg.privacy.preferences import Preferences
from marskg.privacy.principals import OPERATOR, Principal
from marskg.store.tenant.opening import without_credentials
from marskg.store.upkeep import maintenance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import TracebackType

    from marskg.api.reading import Limit
    from marskg.learning.from_text.plan import Learned
    from marskg.records import Memory
    from marskg.store.tenant.opening import Opened

# They lie below the doors, and are asked as all namespaces are.
guarded(Preferences)


@guarded
@checked_calls(Draft, Extractor)
class Handle(FlatNames, Spelt):
    """One principal's handle on one open tenant, and a context manager."""

    def __init__(self, opened: Opened, principal: Principal = OPERATOR, limit: Limit | None = None) -> None:
        """Serve ``principal`` the tenant that was opened; ``limit`` narrows what they ask for, if they have limits."""
        self._components = Components(opened, principal, limit)
        self._ask: Callable[[str], None] = self._components.ask
        self._opened = opened
        self._reader = opened.reader
        self._writer = self._components.writer
        self._reading = self._components.reading
        self._queries = self._components.queries

    # --- Learning from text ---------------------------------------------------------------------------------------

    def learn(
        self,
        turns: str | Memory | LearnPlan | Mapping[str, Any] | Iterable[str | Memory | Draft | Mapping[str, Any]],
        *,
        dry_run: bool = False,
        extractor: Extractor | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Learned | LearnPlan:
        """Store turns of a conversation, or passages of a document, and the facts that they say, each with its source.

        A turn that was learned from before changes nothing. What is less sure than ``learning.review_below``, or
        against a pinned or more reliable value, waits in :meth:`learning.review`; :meth:`learning.undo` takes back all
        that a call made.

        Args:
            turns: a text, said by a user now; turns with ``role`` (``user``, ``assistant``, ``system``, ``tool`` or
                ``doc``), ``content``, ``timestamp``, ``session``, ``speaker``, ``subjects`` and ``metadata``; memories,
                or ids of stored ones; or a plan, which is carried out exactly.
            dry_run: return the plan of what would be done, and change nothing; no model is asked for it.
            extractor: what reads the texts; rules of the language, and the model of ``models.extract``, if left out.
            progress: called with the number of turns done after each transaction.

        Raises:
            InvalidInput: a turn is none, or says nothing; nothing of it is stored.
            StalePlan: the store has moved on in what the plan concerns.
            ConsentRequired, ErasedContentRefused, PreferenceRefused: a turn may not be stored.
        """
        parts = self._components
        parts.settle()
        since = self._writer.state.sequence
        if isinstance(turns, LearnPlan):
            learned = parts.text_learner.carry_out(turns)
        else:
            found = parts.text_learner.turns(turns)
            if dry_run:
                return parts.text_learner.plan(found, extractor)
            learned = parts.text_learner.learn(found, extractor, progress)
        conflicts = dict.fromkeys(parts.conflicts_since(since))
        return replace(learned, notices=(*learned.notices, *conflicts)) if conflicts else learned

    # --- Namespaces -------------------------------------------------------------------------------------------------

    @cached_property
    def entities(self) -> Entities:
        """Return the people, places and things that memories mention."""
        return Entities(self._components)

    @cached_property
    def tasks(self) -> Tasks:
        """Return the state of tasks."""
        return Tasks(self._components)

    @cached_property
    def learning(self) -> Learning:
        """Return conflicts, wishes and what a person reviews."""
        return Learning(self._components)

    @cached_property
    def policy(self) -> Policy:
        """Return what decides about forgetting, and pins."""
        return Policy(self._components)

    @cached_property
    def audit(self) -> Audit:
        """Return the signed logs, proofs, receipts and keys."""
        return Audit(self._components)

    @cached_property
    def snapshots(self) -> Snapshots:
        """Return binary copies of the whole tenant."""
        return Snapshots(self._components)

    @cached_property
    def settings(self) -> TenantSettings:
        """Return what the tenant is set to, and the shared tenants that it reads."""
        return TenantSettings(self._components)

    @cached_property
    def maintenance(self) -> Maintenance:
        """Return what is removed, measured or rewritten to keep the store in order."""
        return Maintenance(self._components)

    @cached_property
    def control(self) -> Control:
        """Return what an agent's loop tells about itself."""
        return Control(self._components)

    @property
    def preferences(self) -> Preferences:
        """Return the tenant's preferences, consents and applied jurisdictions, to read and to change."""
        return Preferences(self._writer, self._components.ask)

    # --- The store --------------------------------------------------------------------------------------------------

    @property
    def tenant(self) -> str:
        """Return the tenant's name."""
        return self._opened.tenant

    @property
    def principal(self) -> Principal:
        """Return who acts."""
        return self._components.principal

    @property
    def notices(self) -> tuple[str, ...]:
        """Return what every answer tells now, such as that expiry is suspended, and what weighing again did."""
        done = self._writer.shared.reweighed
        return (*maintenance.notices_of(self._writer), *(() if done is None else (done,)))

    @property
    def weight(self) -> int:
        """Return what the live memories weigh together, in tokens."""
        return self._writer.fresh_state().weight

    @property
    def store(self) -> Opened:
        """Return what was opened: the engine, the reader, the keyring."""
        return self._opened

    def now(self) -> int:
        """Return the store's time: the clock, never before the last recorded time (section 10)."""
        return self._writer.now()

    def close(self) -> None:
        """Release the store; a second call does nothing.

        Vectors of what was stored through it that are made after the write are waited for, ten seconds at most; what is
        not made then is made when the store is next open for a while and read, or by ``mem.maintenance.reembed``.

        Raises:
            EngineUnavailable: what was shown last cannot be recorded, as the server went away.
        """
        self.maintenance.stop()
        try:
            self._writer.commit_accesses()
        finally:
            self._components.late.close()
            self._components.doorkeeper.close()
            self._queries.close()
            self._reading.close()
            self._writer.leave()
            self._opened.close()

    def __repr__(self) -> str:
        """Return what this is, without asking the store."""
        told = {
            "tenant": self._opened.tenant,
            "store": without_credentials(self._opened.location),
            "principal": self._components.principal.actor,
            **({"closed": True} if self._components.doorkeeper.closed else {}),
        }
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in told.items())})"

    def _reached(self) -> Mapping[str, str]:
        moved = {name: f"mem.{one.new}" for name, one in vars(FlatNames).items() if isinstance(one, Moved)}
        return {**ways(), **super()._reached(), **moved}

    def __reduce__(self) -> NoReturn:
        """Refuse to be copied or pickled: a copy would close what the original has open."""
        raise TypeError(NOT_COPIED)

    def __enter__(self) -> Self:
        """Return the memory itself, which is open.

        Raises:
            EngineUnavailable: it is closed.
        """
        self._components.doorkeeper.check_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store; whoever interrupts waits for no vectors."""
        if isinstance(error, KeyboardInterrupt):
            self._components.late.stop()
        self.close()
