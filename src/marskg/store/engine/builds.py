"""The two builds of the embedded engine, which have the same files: what each has to offer, and which one is chosen.

``native`` is the engine as a library, compiled beforehand: it starts in a tenth of a second and stays small. ``jvm`` is
the same engine on a Java runtime, the extra ``marskg[jvm]``: it starts in two seconds, takes more memory, and is faster
once it has run for some minutes. Source: ADR 107, which has the figures.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from marskg.errors import InvalidConfig
from marskg.store.engine.heap import HEAP_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from marskg.store.engine.protocol import Row

#: Names the build, for all stores of the process.
ENGINE_VARIABLE: Final = "MARS_ENGINE"
_BUILDS: Final = ("native", "jvm")
#: Smaller pages than the engine's defaults: a governed write touches many indexes by a few bytes each. Those of records
#: are no smaller than that, as no page is come back to in this mode of space, and small ones stay half empty (ADR 33).
SETTINGS: Final[tuple[str, ...]] = (
    "-Darcadedb.indexDefaultPageSize=32768",
    "-Darcadedb.bucketDefaultPageSize=32768",
    # The other modes give the rest of a record that outgrew its page a place that stands for "no rest" (ADR 33).
    "-Darcadedb.bucketReuseSpaceMode=low",
    # Pages that were read or written stay in memory up to this many megabytes, of all stores of the process. Left to
    # itself the engine takes a quarter of its memory: a store that is written to for days fills a gigabyte (ADR 58).
    "-Darcadedb.maxPageRAM=128",
)
#: What the engine's own log is told: nothing, as it would be written past Python. A file of the package, as anyone may
#: write to a folder for temporary files.
QUIET: Final = "quiet.properties"
FORKED: Final = (
    "this process was forked from one that had an embedded store open, and cannot open another: "
    "start processes with the method spawn, or fork before opening"
)
TOO_LARGE: Final = (
    "the embedded engine ran out of memory and wrote nothing: go in smaller steps, such as a budget that is nearer, "
    f"or give it more with {HEAP_VARIABLE}=4g"
)
#: What the engine says of a statement whose time is up, and the setting that says how long it has.
TIME_LIMIT: Final = "arcadedb.command.timeout"
#: Rows that cross from the engine at once.
BATCH: Final = 10_000


class Stated(Protocol):
    """The database of the bindings, which are the same in both builds as far as this."""

    def begin(self) -> None:
        """Open a transaction of this thread."""
        ...

    def commit(self) -> None:
        """Make it last."""
        ...

    def rollback(self) -> None:
        """Give it up."""
        ...

    def is_transaction_active(self) -> bool:
        """Return whether this thread has one open."""
        ...

    def command(self, language: str, command: str, *args: Any) -> Any:
        """Run a statement."""
        ...

    def query(self, language: str, command: str, *args: Any) -> Any:
        """Run a statement that only reads."""
        ...

    def transaction(self) -> AbstractContextManager[Any]:
        """Open a transaction and end it, as the bindings' own manual does."""
        ...

    def close(self) -> None:
        """Close the files."""
        ...


Parameters: TypeAlias = "Mapping[str, Any] | None"


class Files(Protocol):
    """The open files of one database, by one build."""

    database: Stated

    def command(self, statement: str, parameters: Parameters) -> list[Row]:
        """Run a Cypher statement that may write."""
        ...

    def query(self, statement: str, parameters: Parameters) -> list[Row]:
        """Run a Cypher statement that only reads."""
        ...

    def asked(self, statement: str, parameters: Parameters) -> list[Row]:
        """Run a user's Cypher statement that only reads.

        Raises:
            QueryRefused: it gives too many rows.
        """
        ...

    def stopped_after(self, seconds: float, *, awaited: bool = True) -> AbstractContextManager[None]:
        """Have the engine stop this thread's statement after some time; it looks at its clock between two rows.

        Who does not wait for it any longer than that (not ``awaited``) may have it go on for some seconds.
        """
        ...

    def wait_for_limits(self) -> None:
        """Wait until no other statement's limit can stop one that begins."""
        ...

    def check_room(self) -> None:
        """Refuse to go on while there is still enough memory to roll back.

        Raises:
            EngineUnavailable: too little is left, and nothing can be collected.
        """
        ...

    def settle(self) -> None:
        """Have all pages written: the engine does that in the background, and a file has its size only after it."""
        ...


class Build(Protocol):
    """One build of the engine, which a process loads once."""

    #: What its calls raise, once it is loaded.
    errors: tuple[type[Exception], ...]

    def load(self, crashes: Path) -> None:
        """Load it, quietly, unless it is; if it crashes and reports that, the report is in the folder ``crashes``.

        Raises:
            EngineUnavailable: it is not installed, not for this machine, or does not start.
            ForkedProcess: it was loaded by the process from which this one was forked.
        """
        ...

    def open(self, path: Path) -> Files:
        """Open the database in the folder ``path``, or create it where there is none."""
        ...

    def cut_off(self) -> None:
        """Let a forked child never call into what only its parent has the threads of."""
        ...


def chosen() -> str:
    """Return which build this process uses.

    Raises:
        InvalidConfig: ``MARS_ENGINE`` names none.
    """
    named = os.environ.get(ENGINE_VARIABLE, _BUILDS[0])
    if named not in _BUILDS:
        msg = f"{ENGINE_VARIABLE} is {named[:40]!r}; write {' or '.join(_BUILDS)}, or unset it"
        raise InvalidConfig(msg)
    return named


def set_limit(database: Stated, milliseconds: int) -> None:
    """Have each statement that begins from now on be stopped after some time, or none where it is 0.

    The engine writes that down beside its files.
    """
    database.command("sql", f"ALTER DATABASE `{TIME_LIMIT}` {milliseconds}")


def distribution() -> str:
    """Return the name under which pip knows the build that is chosen."""
    return {"native": "arcadedb", "jvm": "arcadedb-embedded"}[chosen()]


def opened(bindings: Any, path: Path) -> Any:
    """Open the database in the folder ``path`` by the ``bindings`` of a build, or create it where there is none."""
    make = bindings.open_database if (path / "schema.json").exists() else bindings.create_database
    return make(str(path))
