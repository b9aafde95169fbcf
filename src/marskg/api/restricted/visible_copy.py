"""A store for the moment that holds what may be seen, in which a policy says what it would do.

Guarantees: it is made of what may be seen alone, and is gone with the question, its keys too. Source: ADR 27.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from marskg.clock import ManualClock
from marskg.embedding.registry import STATIC
from marskg.errors import NotPermitted
from marskg.memory import AgentMemory
from marskg.policies.registry import POLICY_NAMES, SUFFIX
from marskg.store.crypto.encrypted_engine import keyring_folder
from marskg.store.tenant.load import Loader
from marskg.store.tenant.opening import open_tenant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from marskg.api.components import Components
    from marskg.config import Settings
    from marskg.records import Edge, Entity, Memory, Plan


def check_policies(components: Components, policies: Iterable[str | None]) -> None:
    """Refuse policies in files but for the tenant's own, as errors tell what a file says, and that it is there."""
    own = components.writer.state.settings.policy.name
    if any(policy not in {None, own} and Path(str(policy)).suffix == SUFFIX for policy in policies):
        names = ", ".join(POLICY_NAMES)
        msg = f"{components.principal} may not use a file as a policy: that is for the operator; name one of {names}"
        raise NotPermitted(msg)


@contextmanager
def visible_copy(components: Components) -> Iterator[_Copy]:
    """Give a store for the moment that holds what may be seen, in the order in which it was stored."""
    state = components.writer.fresh_state()
    disclosed = components.reading.disclosed()
    found, entities, now = disclosed.in_order(), list(disclosed.entities()), components.writer.now()
    with components.queries.passing() as folder:
        opened, _ = open_tenant(
            str(folder),
            state.name,
            _settings(components),
            clock=ManualClock(now),
            source=components.opened.services.source,
            actor=components.principal.actor,
        )
        try:
            with _Copy(opened) as copy:
                copy.take_in(found, entities)
                yield copy
        finally:
            # The copy of an encrypted tenant is encrypted under keys of its own.
            if (keyring := keyring_folder(opened.engine)) is not None:
                shutil.rmtree(keyring)


def _settings(components: Components) -> Settings:
    """Return the settings of a copy: nobody waits for vectors that take long to be made of it anew."""
    settings = components.writer.state.settings
    # Nobody's preferences are in it, by which a model may be told something.
    values = {"models.curate": "none"}
    return settings.with_values(
        values if components.vectoriser.early is None else {**values, "embedding.model": STATIC}
    )


class _Copy(AgentMemory):
    """A store for the moment."""

    def take_in(
        self,
        memories: list[tuple[Memory, tuple[Edge, ...]]],
        entities: list[tuple[Entity, tuple[Edge, ...]]],
    ) -> None:
        """Load what was seen, with its vectors."""
        Loader(self._writer).load(entities, lambda: memories)
        self._components.vectors_after_loading()


def only_told(plan: Plan) -> Plan:
    """Return a plan as it is told: without what would let it be applied, and without the copy's own numbers."""
    actions = tuple(replace(action, sequence=0) for action in plan.actions)
    return replace(plan, actions=actions, sequence=0, digest="", index_gaps=(), controls=(), marks=())
