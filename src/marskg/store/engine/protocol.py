"""The one protocol that every engine implements: transactions that run Cypher and return rows of scalars.

Guarantees: a row holds only None, bool, int, float, str and lists or string-keyed dicts of these, whatever the
engine; a transaction either commits as a whole or leaves nothing; an unreachable engine raises
:class:`~marskg.errors.EngineUnavailable`, never a driver's own exception.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

Row: TypeAlias = "dict[str, Any]"
#: Runs a named read-only statement of the store and returns its rows.
Reader: TypeAlias = "Callable[[str, Mapping[str, Any]], list[Row]]"

#: Rows above which the answer to a user's query is refused, in whatever language it is.
MAX_ROWS: Final = 100_000
TOO_MANY_ROWS: Final = f"the query gives more than {MAX_ROWS:,} rows; add LIMIT, or aggregate"
#: What is said to whoever uses what they have closed.
CLOSED: Final = "the store is closed; open it again"


class Capability(Enum):
    """What not every engine can do or promises, and the code above it goes by."""

    #: The store is files that are open in this process alone: no other process writes to it, or on another machine.
    EXCLUSIVE_FILES = "exclusive files"
    #: :meth:`Engine.scrub` rewrites the store's files, so that no byte of what was erased is left in them. Where it
    #: cannot, what is claimed of an erasure rests on keys, and a new tenant has its contents encrypted by default.
    BYTE_SCRUB = "byte scrub"


class Conflict(Exception):
    """Another transaction won; the whole unit of work may be tried again."""


class Transaction(Protocol):
    """A unit of work in progress."""

    def run(
        self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float | None = None
    ) -> list[Row]:
        """Run one Cypher ``statement`` and return its rows.

        Raises:
            QueryRefused: it took longer than ``limit_seconds``; the transaction must be given up.
        """
        ...


class Engine(Protocol):
    """A property graph that speaks Cypher."""

    #: ``arcadedb`` or ``neo4j``; also the name of the folder with its own statements.
    name: str
    capabilities: frozenset[Capability]
    #: The same object for all engines of this process that share one connection to a store, or its files; by it what
    #: the handles of a tenant have in common is found (:mod:`marskg.store.commit.shared_state`).
    home: object
    #: Whether another engine of this process had the store open when this one was opened.
    joined: bool

    def transaction(self) -> AbstractContextManager[Transaction]:
        """Open a read-write transaction: commits on a clean exit, rolls back on an exception."""
        ...

    def read(
        self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float | None = None
    ) -> list[Row]:
        """Run a read-only ``statement`` and return its rows.

        Raises:
            QueryRefused: it took longer than ``limit_seconds``.
        """
        ...

    def query(self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float) -> list[Row]:
        """Run a user's read-only ``statement`` with a time limit; values may be of any JSON type.

        Raises:
            QueryRefused: it takes too long, gives more than ``MAX_ROWS`` rows, or the engine finds a fault in it.
        """
        ...

    def write(self, statement: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """Run one writing ``statement`` as a transaction of its own, by the engine's fastest durable way."""
        ...

    def define(self, statement: str) -> None:
        """Run one schema statement of this engine's own dialect, outside a transaction."""
        ...

    def define_all(self, statements: Sequence[str]) -> None:
        """Run schema statements one after another, by the engine's fastest way; each may be run twice."""
        ...

    @property
    def scrub_promised(self) -> bool:
        """Return whether a scrub was promised and has not been done."""
        ...

    def promise_scrub(self) -> None:
        """Say, durably, that :meth:`scrub` is to follow: if this process ends before, the next one does it at opening.

        Raises:
            NotPermitted: the engine has no ``BYTE_SCRUB``: its files are not the caller's to rewrite.
        """
        ...

    def scrub(self) -> None:
        """Rewrite the store's files, so that nothing that is not in the store is in them.

        Raises:
            StoreUnwritable: the disk is full or read-only; the promise stands.
        """
        ...

    def check_process(self) -> None:
        """Refuse to go on in a process that was forked after opening.

        Raises:
            ForkedProcess: this is such a process.
        """
        ...

    def close(self) -> None:
        """Release the store; a second call does nothing."""
        ...
