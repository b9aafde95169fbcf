"""Open stores for tests: one engine for many tests, each with a tenant, a clock and secrets of its own."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from marskg.api.restricted.agent_memory import restricted_memory
from marskg.clock import ManualClock, SeededSource
from marskg.config import Settings
from marskg.memory import AgentMemory
from marskg.privacy.principals import Principal
from marskg.store.engine.arcadedb import ArcadeDB
from marskg.store.engine.bolt import Bolt
from marskg.store.statements import schema
from marskg.store.tenant.opening import attach
from tests.support import names

if TYPE_CHECKING:
    from marskg.api.restricted.restricted_memory import RestrictedMemory
    from marskg.store.engine.protocol import Engine
    from tests.support.neo4j import Neo4jAddress

#: 2026-03-01T00:00:00Z
START = 1_772_323_200_000


class Apart:
    """An engine as another process would have it: its handles share nothing with those of ``engine``."""

    joined = False

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.home = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


@dataclass
class Stores:
    """One open engine, and how to open tenants on it."""

    engine: Engine
    location: str
    clocks: dict[str, ManualClock] = field(default_factory=dict)
    #: The server that the engine is connected to; None for the embedded one.
    address: Neo4jAddress | None = None

    def open(
        self, tenant: str | None = None, *, seed: int | str = 1, step_ms: int = 1, **values: object
    ) -> AgentMemory:
        """Open a tenant with a manual clock and seeded secrets; ``values`` are settings by dotted name."""
        name = tenant or names.name()
        clock = self.clocks.setdefault(name, ManualClock(START, step_ms))
        # Most tests count the records and nodes of what they write themselves; those of entities ask for them.
        values.setdefault("entities__recognise", "off")
        # And compare the engines, or look at what they store; tests of encryption ask for it, or for the default.
        values.setdefault("encryption", "off")
        # And ask for whatever there is.
        values.setdefault("retrieval__min_confidence", 0)
        settings = Settings().with_values({key.replace("__", "."): value for key, value in values.items()})
        opened, _ = attach(
            self.engine,
            self.location,
            name,
            settings,
            clock=clock,
            source=SeededSource(seed),
            actor="operator",
        )
        return AgentMemory(opened)

    def open_as(self, memory: AgentMemory, principal: str | Principal, *, seed: int | str = 2) -> RestrictedMemory:
        """Open the tenant of ``memory`` as somebody else than its operator; do not close it: the engine is shared."""
        who = Principal.of(principal)
        opened, _ = attach(
            self.engine,
            self.location,
            memory.tenant,
            memory.settings.current,
            clock=self.clocks[memory.tenant],
            source=SeededSource(seed),
            actor=who.actor,
        )
        return restricted_memory(opened, who)

    def another_door(self) -> Stores:
        """Connect to the store once more: the same files of this process, or a connection of its own to the server."""
        if self.address is not None:
            uri, username, password = self.address
            bolt = Bolt(uri, username=username, password=password)
            return Stores(bolt, self.location, self.clocks, self.address)
        return Stores(ArcadeDB(Path(self.location)), self.location, self.clocks)

    def apart(self) -> Stores:
        """Return the store as another process would have it, over the same connection."""
        return Stores(cast("Engine", Apart(self.engine)), self.location, self.clocks, self.address)

    def clock(self, memory: AgentMemory) -> ManualClock:
        """Return the clock of an open tenant."""
        return self.clocks[memory.tenant]


def embedded(folder: Path) -> Stores:
    """Open the embedded engine in ``folder``."""
    engine = ArcadeDB(folder)
    schema.migrate(engine)
    return Stores(engine, str(folder))


def server(address: Neo4jAddress, home: Path) -> Stores:
    """Connect to a Neo4j server; keys go below ``home``."""
    os.environ["MARS_HOME"] = str(home)
    uri, username, password = address
    engine = Bolt(uri, username=username, password=password)
    schema.migrate(engine)
    return Stores(engine, uri, address=address)
