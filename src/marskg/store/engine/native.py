"""The engine as a library: ArcadeDB compiled beforehand, called by ctypes; no JVM (the package ``arcadedb``).

Guarantees: what the library writes past Python is read by nobody; Python's handlers of signals stay its own; a forked
child never calls into it. What it has no door for is said in ADR 107, with what stands in its place.
"""

from __future__ import annotations

import datetime as dt
import os
import platform
import sys
import threading
from contextlib import contextmanager, suppress
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import EngineUnavailable, ForkedProcess, QueryRefused
from marskg.store.engine.builds import FORKED, QUIET, SETTINGS, opened, set_limit
from marskg.store.engine.heap import addresses_mb, heap_mb
from marskg.store.engine.muted import muted_stderr
from marskg.store.engine.process_guard import check_folder
from marskg.store.engine.protocol import MAX_ROWS, TOO_MANY_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg.store.engine.builds import Parameters, Stated
    from marskg.store.engine.protocol import Row

#: The collector copies what is alive from one half into the other.
_SHARE: Final = 2
#: Megabytes that new objects fill before the first of them are collected: left to itself, the library takes a quarter
#: of its memory for them, and a short command would fill as much as it can (ADR 107).
_YOUNG: Final = 32
#: Megabytes of addresses that the process needs besides.
_BESIDE: Final = 2_000
#: Megabytes of addresses that the library's own objects take.
_IMAGE: Final = 128
#: The least that a statement is given for which nobody waits any more.
_UNAWAITED_S: Final = 5.0
_EPOCH: Final = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - the engine's moments have no zone


class NativeBuild:
    """The library, once in a process."""

    errors: tuple[type[Exception], ...] = ()

    def __init__(self) -> None:
        """Find out how much memory it may take.

        Raises:
            InvalidConfig: ``MARS_ENGINE_HEAP`` is no size.
            EngineUnavailable: the limit of the process leaves it no room.
        """
        self._heap = heap_mb(_BESIDE, _SHARE)
        self._bindings: Any = None

    def load(self, crashes: Path) -> None:  # noqa: ARG002 - it writes no reports of a crash
        """Load the library; see :class:`~marskg.store.engine.builds.Build`."""
        if self._bindings is not None:
            return
        check_folder()
        try:
            import arcadedb  # noqa: PLC0415 - a command that fails on its arguments need not pay for it
            from arcadedb._native import lib  # noqa: PLC0415
        except ImportError as error:
            raise EngineUnavailable(_missing(error)) from error
        vars(lib).update(
            # The library has only an environment variable for its settings, which is cut at each space and which
            # children inherit (26.11.1). Where its log goes: nowhere.
            _heap_isolate_args=lambda _: [f"-Xmx{self._heap}m", f"-Xmn{_YOUNG}m", *_reserved(self._heap)],
            _prepare_logging=lambda _: [*SETTINGS, f"-Djava.util.logging.config.file={_quiet()}"],
            # It would hold on to the parameters of the first 4,096 statements, and so to what was erased since.
            bc=lib.b,
            _Thread=_own(lib._Thread),  # noqa: SLF001 - what leaves the library at the end of a thread
        )
        try:
            with muted_stderr():
                lib._load()  # noqa: SLF001 - else it is the first call that does, whatever it is
        except (arcadedb.ArcadeDBError, OSError, AttributeError) as error:
            raise EngineUnavailable(_missing(error)) from error
        self.errors = (arcadedb.ArcadeDBError,)
        self._bindings = arcadedb

    def open(self, path: Path) -> NativeFiles:
        """Open or create a database."""
        return NativeFiles(self._bindings, path)

    def cut_off(self) -> None:
        """Have the child find no library, and load none: the runtime in it waits for threads of the parent's."""
        lib = sys.modules.get("arcadedb._native.lib")
        if self._bindings is not None and lib is not None:
            vars(lib).update(_lib=None, _load=_refuse)  # it has no way to say so (26.11.1)


def _own(base: Any) -> Any:
    """Return a class of threads that leave the library by themselves alone, in their own process.

    Python forgets the other threads of a forked child before anybody is asked, and each would leave as it is forgotten.
    """
    # Modules are empty when the last of them goes.
    here, this, ending = os.getpid, threading.get_ident, sys.is_finalizing

    class Own(base):  # type: ignore[misc]  # known when it is loaded
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            self.process, self.thread = here(), this()

        def __del__(self) -> None:
            # Python gives up what daemon threads hold at its own end, by another thread, while they still run.
            if (self.process, self.thread) == (here(), this()) and not ending():
                super().__del__()

    return Own


def _refuse() -> None:
    raise ForkedProcess(FORKED)


def _quiet() -> str:
    return Path(__file__).with_name(QUIET).as_posix()


def _reserved(heap: int) -> list[str]:
    """Return what has the library reserve no more addresses than it needs; 32 GB cost nothing without a limit."""
    return [] if addresses_mb() is None else [f"-XX:ReservedAddressSpaceSize={_SHARE * heap + _IMAGE}m"]


def _missing(error: Exception) -> str:
    machine = f"{sys.platform} on {platform.machine()}"
    return (
        f"the embedded engine cannot be loaded ({str(error)[:200]}); reinstall with: pip install --force-reinstall "
        f"marskg. There is none for {machine}? Then use a Neo4j server, or set MARS_ENGINE=jvm after: pip install "
        "'marskg[jvm]'"
    )


class NativeFiles:
    """The open files of one database."""

    database: Stated

    def __init__(self, bindings: Any, path: Path) -> None:
        """Open or create the database in the folder ``path``."""
        self._bindings = bindings
        self._path = path
        self._open()
        self._limits = _Limits((bindings.ArcadeDBError,))

    def _open(self) -> None:
        database = opened(self._bindings, self._path)
        database.set_wal_flush("yes_nometadata")
        self.database = database

    def command(self, statement: str, parameters: Parameters) -> list[Row]:
        """Run a Cypher statement that may write."""
        return _rows(self.database.command("opencypher", statement, parameters or {}))

    def query(self, statement: str, parameters: Parameters) -> list[Row]:
        """Run a Cypher statement that only reads."""
        return _rows(self.database.query("opencypher", statement, parameters or {}))

    def asked(self, statement: str, parameters: Parameters) -> list[Row]:
        """Run a user's Cypher statement that only reads.

        Raises:
            QueryRefused: it gives too many rows.
        """
        result = self.database.query("opencypher", statement, parameters or {})
        rows = [_plain(row) for row in islice(result.iter_dicts(), MAX_ROWS + 1)]
        if len(rows) > MAX_ROWS:
            result.close()
            raise QueryRefused(TOO_MANY_ROWS)
        return rows

    @contextmanager
    def stopped_after(self, seconds: float, *, awaited: bool = True) -> Iterator[None]:
        """Have the engine stop a statement that is begun inside when its time is up.

        As others that begin meanwhile have the same limit, one that nobody waits for is given some seconds.
        """
        seconds = seconds if awaited else max(seconds, _UNAWAITED_S)
        with self._limits.held(self.database, max(1, round(seconds * 1000))):
            yield

    def wait_for_limits(self) -> None:
        """Wait until no limit is asked for."""
        self._limits.wait()

    def check_room(self) -> None:
        """Do nothing: a statement that finds no memory fails alone, and there is enough left to roll back."""

    def settle(self) -> None:
        """Close the files, which writes all pages, and open them again."""
        self.database.close()
        self._open()


class _Limits:
    """The time limits that are asked for at this moment.

    The library has one for all statements of a database, which each reads as it begins. So the shortest that is asked
    for holds for all that begin meanwhile, and who is stopped by somebody else's tries again.
    """

    def __init__(self, errors: tuple[type[Exception], ...]) -> None:
        self._errors = errors
        self._turn = threading.Condition()
        self._asked: list[int] = []
        #: What the library has been told.
        self._told = 0

    @contextmanager
    def held(self, database: Stated, milliseconds: int) -> Iterator[None]:
        """Have a limit hold inside."""
        self._change(database, self._asked.append, milliseconds)
        try:
            yield
        finally:
            self._change(database, self._asked.remove, milliseconds)

    def wait(self) -> None:
        """Wait until no limit is asked for."""
        with self._turn:
            while self._asked:
                self._turn.wait()

    def _change(self, database: Stated, change: Callable[[int], None], milliseconds: int) -> None:
        with self._turn:
            change(milliseconds)
            wanted = min(self._asked, default=0)
            if wanted != self._told:
                # The library writes it down. On a full disk it cannot, and reading goes on without a limit.
                with suppress(*self._errors):
                    set_limit(database, wanted)
                    self._told = wanted
            self._turn.notify_all()


def _rows(result: Any) -> list[Row]:
    rows: list[Row] = result.to_list()
    return rows


def _plain(value: Any) -> Any:
    """Return a value of the library's as one of JSON's: a moment as the milliseconds since 1970."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(part) for part in value]
    if isinstance(value, dt.datetime):
        moment = value if value.tzinfo is None else value.astimezone(dt.UTC).replace(tzinfo=None)
        return (moment - _EPOCH) // dt.timedelta(milliseconds=1)
    if isinstance(value, dt.date):
        return (dt.datetime(value.year, value.month, value.day) - _EPOCH) // dt.timedelta(milliseconds=1)  # noqa: DTZ001
    if isinstance(value, Decimal):
        return float(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
