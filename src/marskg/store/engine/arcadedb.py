"""ArcadeDB embedded: the default engine, files in one folder, as a library or on a JVM (:mod:`.builds`).

Guarantees: one fsync for each commit (``yes_nometadata``; the engine's own default has none); at most one process has
the folder open, held by an advisory lock that names the holder and goes away with the process, so that a second one
gets :class:`~marskg.errors.StoreLocked` at once, before the engine is loaded; who opens a folder again in the process
that has it open gets the same files, the same lock and the same queue of writers, whatever path leads there, and the
files are closed with the last of them; rows are plain Python values.
Traps that shaped this file: ``research`` notes on fork (never fork after opening: spawn), page sizes, and log noise.
"""

from __future__ import annotations

import gc
import os
import shutil
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from marskg.audit.keys import sync_folder
from marskg.errors import EngineUnavailable, QueryRefused, StoreUnwritable
from marskg.host import at_fork
from marskg.store.engine import builds
from marskg.store.engine.faults import is_late, is_of_another, is_overtaken, known, out_of_memory, plain, translated
from marskg.store.engine.folder_lock import FolderLock
from marskg.store.engine.page_files import check_files, cut_off
from marskg.store.engine.process_guard import Opener
from marskg.store.engine.protocol import CLOSED, Capability, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

#: Statements with fewer rows are run without asking how full the memory is.
_MANY_ROWS = 100
GRAPH = "graph"
#: Where the engine notes its settings of this database.
_NOTED = "configuration.json"
#: Where reports of a crash go: they may hold what the memory held, and a scrub removes them.
CRASHES = "crashes"
_SCRUB_NAME = "scrub.promised"
#: Seconds that whoever rewrites the files waits for those who read: the engine cannot stop every query.
_LONGEST_READ_S = 30.0
_OCCUPIED = (
    "a query is still running that the engine cannot stop, so the files cannot be rewritten now: do it once the query "
    "has ended, or end this process, and the next opening does it"
)
#: How often a reader tries whom a writer overtakes, or the limit of another statement stops.
_READ_ATTEMPTS = 5


def _write_synced(path: Path) -> None:
    """Make an empty file that is there after a loss of power as well."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        sync_folder(path.parent)
    except OSError as error:
        msg = f"{path} cannot be written ({error.strerror}); free space or make the folder writable, then try again"
        raise StoreUnwritable(msg) from error


@contextmanager
def _limited(files: _Files, seconds: float | None) -> Iterator[None]:
    """Let the engine stop a statement that is run inside after some time.

    Raises:
        QueryRefused: it was stopped.
    """
    if seconds is None:
        yield
        return
    try:
        with files.opened.stopped_after(seconds):
            yield
    except files.errors as error:
        if is_late(error) and not is_of_another(error, seconds):
            msg = f"the statement took longer than {seconds:g} s and was stopped"
            raise QueryRefused(msg) from error
        raise


def _read(files: _Files, seconds: float | None, once: Callable[[], list[Row]]) -> list[Row]:
    """Run a statement that only reads, again if a writer overtook it or the limit of another stopped it.

    Raises:
        Exception: what the engine raised in the last attempt; one of ``files.errors``.
    """
    for attempts_left in reversed(range(_READ_ATTEMPTS)):
        try:
            with files.gate.passed():
                return once()
        except files.errors as error:
            stopped = is_late(error) and (seconds is None or is_of_another(error, seconds))
            if not attempts_left or not (stopped or is_overtaken(error)):
                raise
            if stopped:
                files.opened.wait_for_limits()
    raise AssertionError  # the loop returns or raises


class _Transaction:
    """The statements of one unit of work."""

    def __init__(self, files: _Files) -> None:
        self._files = files

    def run(
        self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float | None = None
    ) -> list[Row]:
        """Run one statement inside the open transaction.

        Raises:
            EngineUnavailable: it has many rows, and what the transaction did so far all but fills the memory.
            QueryRefused: it took longer than ``limit_seconds``.
        """
        if limit_seconds is not None:
            # Here, not where the transaction ends: whoever runs the statement may go on without it.
            with translated(self._files.errors), _limited(self._files, limit_seconds):
                return self._files.opened.command(statement, parameters)
        if any(isinstance(value, list) and len(value) >= _MANY_ROWS for value in (parameters or {}).values()):
            self._files.opened.check_room()
        return self._files.opened.command(statement, parameters)


class _Gate:
    """Lets many readers pass at once, and none while the files are being rewritten."""

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._inside = 0
        self._shut = False

    @contextmanager
    def passed(self) -> Iterator[None]:
        """Read; waits while the gate is shut."""
        with self._turn:
            while self._shut:
                self._turn.wait()
            self._inside += 1
        try:
            yield
        finally:
            with self._turn:
                self._inside -= 1
                self._turn.notify_all()

    @contextmanager
    def shut(self, seconds: float) -> Iterator[None]:
        """Keep readers out; waits until those inside have left.

        Raises:
            StoreUnwritable: one of them has not after ``seconds``; others pass again.
        """
        with self._turn:
            self._shut = True
            if not self._turn.wait_for(lambda: not self._inside, seconds):
                self._shut = False
                self._turn.notify_all()
                raise StoreUnwritable(_OCCUPIED)
        try:
            yield
        finally:
            with self._turn:
                self._shut = False
                self._turn.notify_all()


class _Files:
    """The open files of one folder: what all engines of a process that have it open share."""

    def __init__(self, folder: Path) -> None:
        """Open or create the database under ``folder``; see :class:`ArcadeDB`."""
        build = _build()
        self.lock = FolderLock(folder)
        self.mutex = threading.RLock()
        self.gate = _Gate()
        self._opened: builds.Files | None = None
        #: How many engines have the files open.
        self.users = 0
        # The engine keeps the working folder that the process had when it started; a relative path would miss a later.
        self.folder = folder.absolute()
        try:
            build.load(self.folder / CRASHES)
            self._build = build
            self._connect_first(folder)
        except BaseException:
            self.lock.release()
            raise

    @property
    def opened(self) -> builds.Files:
        """Return the files as the build has them.

        Raises:
            EngineUnavailable: they are closed.
        """
        if self._opened is None:
            raise EngineUnavailable(CLOSED)
        return self._opened

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What the build raises."""
        return self._build.errors

    def _connect_first(self, folder: Path) -> None:
        try:
            self.connect()
        except self.errors as error:
            told = known(error)
            if isinstance(told, (StoreUnwritable, EngineUnavailable)):
                raise told from error
            msg = f"the embedded store {folder} cannot be opened: {str(error)[:200]}"
            raise EngineUnavailable(msg) from error
        broken = self._broken()
        if broken is not None:
            with translated(self.errors):
                self.opened.database.close()
            msg = f"{broken} is cut off; its store is damaged: put back a copy of {folder}, or load a snapshot anew"
            raise EngineUnavailable(msg)

    def _broken(self) -> Path | None:
        """Return a file of pages that ends within one: the engine, which has recovered by now, passes over the rest."""
        graph = self.folder / GRAPH
        if cut_off(graph) is None:
            return None
        with translated(self.errors):
            self.opened.settle()
        return cut_off(graph)

    def connect(self) -> None:
        """Open the files, or create them."""
        path = self.folder / GRAPH
        try:
            # The engine makes its files by the process's umask, which is not one thread's to change: the folder is
            # closed.
            path.mkdir(mode=0o700, exist_ok=True)
            path.chmod(0o700)
            whole = check_files(path)
        except OSError as error:
            msg = f"the store folder {path} cannot be used ({error.strerror}); choose another or change its rights"
            raise StoreUnwritable(msg) from error
        if not whole:
            # Whoever opens the store keeps this, and begins with the indexes that are missing.
            _write_synced(self.folder / _SCRUB_NAME)
        self._opened = None
        opened = self._build.open(path)
        noted = path / _NOTED
        if noted.exists() and builds.TIME_LIMIT.partition(".")[2] in noted.read_text(encoding="utf-8"):
            # Of a process that was killed in the midst of a statement with a limit.
            builds.set_limit(opened.database, 0)
        self._opened = opened

    def close(self) -> None:
        """Close the files and give the lock back."""
        try:
            if self._opened is not None:
                with translated(self.errors):
                    self._opened.database.close()
        finally:
            self._opened = None
            self.lock.release()


#: The builds that this process has loaded, by name.
_loaded: dict[str, builds.Build] = {}


def _build() -> builds.Build:
    """Return the build that is chosen.

    Raises:
        InvalidConfig: what chooses it, or says how much memory it has, says neither.
        EngineUnavailable: the limit of the process leaves it no room.
    """
    name = builds.chosen()
    if name not in _loaded:
        _loaded[name] = _made(name)
    return _loaded[name]


def _made(name: str) -> builds.Build:
    if name == "jvm":
        from marskg.store.engine.jvm import JvmBuild  # noqa: PLC0415 - only one of them is needed

        return JvmBuild()
    from marskg.store.engine.native import NativeBuild  # noqa: PLC0415

    return NativeBuild()


#: The open files of this process by device and folder: a path may lead there in several ways.
_open_files: dict[tuple[int, int], _Files] = {}
_opening = threading.RLock()


class _Fork:
    """What is done when this process forks: the child is cut off from the files, the lock and the engine of its parent.

    Without the threads that only the parent has, each call into the engine may wait for ever, or end the process.
    """

    def before(self) -> None:
        """Wait until nobody is opening or closing, and keep the collector from coming before the child is cut off."""
        _opening.acquire()
        self._collects = gc.isenabled()
        gc.disable()

    def in_parent(self) -> None:
        """Go on as before."""
        if self._collects:
            gc.enable()
        _opening.release()

    def in_child(self) -> None:
        """Leave the parent its lock, which a child that lives longer would hold, and forget that there is an engine."""
        for files in _open_files.values():
            files.lock.release()
        _open_files.clear()
        for build in _loaded.values():
            build.cut_off()
        self.in_parent()


_fork = _Fork()
at_fork(before=_fork.before, in_parent=_fork.in_parent, in_child=_fork.in_child)


def _place(folder: Path) -> tuple[int, int] | None:
    """Return what tells a folder from all others; None where there is none yet."""
    try:
        found = folder.stat()
    except OSError:  # What is wrong with it is told by whoever opens it.
        return None
    return found.st_dev, found.st_ino


def _taken(folder: Path) -> tuple[_Files, bool]:
    """Return the files of ``folder``, opened if they are not, and whether they were."""
    with _opening:
        place = _place(folder)
        files = None if place is None else _open_files.get(place)
        joined = files is not None
        if files is None:
            files = _Files(folder)
            place = _place(folder)
            if place is not None:
                _open_files[place] = files
        files.users += 1
        return files, joined


def _left(files: _Files) -> None:
    """Close ``files`` with the last engine that had them open."""
    with _opening:
        files.users -= 1
        if files.users == 0:
            for place in [place for place, held in _open_files.items() if held is files]:
                del _open_files[place]
            files.close()


class ArcadeDB:
    """The embedded engine over one folder."""

    name = "arcadedb"
    capabilities = frozenset({Capability.EXCLUSIVE_FILES, Capability.BYTE_SCRUB})

    def __init__(self, folder: Path) -> None:
        """Open or create the database under ``folder``.

        Raises:
            StoreLocked: another process holds the folder.
            StoreUnwritable: the folder cannot be written.
            EngineUnavailable: the engine cannot be loaded or its files are damaged.
            InvalidConfig: ``MARS_ENGINE`` is no build, or ``MARS_ENGINE_HEAP`` no size.
        """
        self._files, self.joined = _taken(folder)
        #: None once this engine is closed, whoever else has the files open.
        self._held: _Files | None = self._files
        self.home: object = self._files
        self.check_process = Opener().check

    @contextmanager
    def transaction(self) -> Iterator[_Transaction]:
        """Open a transaction; commits on a clean exit, rolls back on any exception.

        Raises:
            Conflict: another transaction won.
            StoreUnwritable: the disk is full or read-only.
        """
        with self._open().mutex:
            # Only now: who scrubs opens the files anew meanwhile.
            files = self._open()
            database = files.opened.database
            with translated(files.errors):
                database.begin()
                try:
                    yield _Transaction(files)
                    database.commit()
                except BaseException:
                    self._roll_back(database)
                    raise

    def _roll_back(self, database: builds.Stated) -> None:
        if database.is_transaction_active():
            database.rollback()

    def _open(self) -> _Files:
        self.check_process()
        if self._held is None:
            raise EngineUnavailable(CLOSED)
        return self._held

    def read(
        self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float | None = None
    ) -> list[Row]:
        """Run a read-only statement outside a transaction, again if a writer overtook it.

        Raises:
            QueryRefused: it took longer than ``limit_seconds``.
            EngineUnavailable: the files are damaged.
        """
        self.check_process()
        files = self._files

        def once() -> list[Row]:
            with _limited(self._open(), limit_seconds):
                return files.opened.query(statement, parameters)

        with translated(files.errors):
            return _read(files, limit_seconds, once)

    def query(self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float) -> list[Row]:
        """Run a user's read-only statement in a thread of its own, so that a signal reaches who waits.

        The engine ends it when its time is up; nobody waits for that.
        """
        files = self._open()
        outcome: dict[str, Any] = {}
        caught: tuple[type[BaseException], ...] = (QueryRefused, MemoryError, EngineUnavailable, *files.errors)

        def once() -> list[Row]:
            with files.opened.stopped_after(limit_seconds, awaited=False):
                return files.opened.asked(statement, parameters)

        def work() -> None:
            try:
                outcome["rows"] = _read(files, limit_seconds, once)
            except caught as error:
                outcome["error"] = error

        runner = threading.Thread(target=work, daemon=True, name="marskg-query")
        runner.start()
        runner.join(limit_seconds)
        error = outcome.get("error")
        if runner.is_alive() or (error is not None and is_late(error)):
            msg = f"the query took longer than {limit_seconds:g} s and was stopped; narrow it, or raise the limit"
            raise QueryRefused(msg) from error
        if isinstance(error, (QueryRefused, EngineUnavailable)):
            raise error
        if error is not None:
            if isinstance(error, MemoryError) or out_of_memory(error):
                msg = "the query takes more memory than the engine has; narrow it, or add LIMIT"
            else:
                msg = f"the engine refuses the query: {plain(error)}"
            raise QueryRefused(msg) from error
        rows: list[Row] = outcome["rows"]
        return rows

    def write(self, statement: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """Run one statement as a transaction of its own."""
        with self.transaction() as transaction:
            return transaction.run(statement, parameters)

    def write_plainly(self, statement: str, parameters: Mapping[str, Any]) -> None:
        """Run one statement in an explicit transaction as the bindings' own manual does: what a bench compares with."""
        files = self._open()
        with files.mutex, files.opened.database.transaction():
            files.opened.database.command("opencypher", statement, parameters)

    def define(self, statement: str) -> None:
        """Run one schema statement (ArcadeDB SQL)."""
        with self._open().mutex, translated(self._files.errors):
            self._open().opened.database.command("sql", statement)

    def define_all(self, statements: Sequence[str]) -> None:
        """Run schema statements as one script in one transaction: the engine then writes its schema down once."""
        with self.transaction():
            self._open().opened.database.command("sqlscript", "".join(f"{statement};\n" for statement in statements))

    def promise_scrub(self) -> None:
        """Leave a note beside the files, which whoever opens them next goes by."""
        _write_synced(self._open().folder / _SCRUB_NAME)

    @property
    def scrub_promised(self) -> bool:
        """Return whether a scrub is to follow."""
        return (self._files.folder / _SCRUB_NAME).exists()

    def scrub(self) -> None:
        """Rewrite pages and indexes, close the files, which empties the write-ahead log, and open them again.

        Raises:
            StoreUnwritable: the disk is full or read-only, or somebody reads for too long; the promise stands.
            EngineUnavailable: the files cannot be opened again.
        """
        files = self._open()
        with files.mutex:
            # Two that scrub one after another: the first may have kept the promise of both.
            self.promise_scrub()
            shutil.rmtree(files.folder / CRASHES, ignore_errors=True)
            with files.gate.shut(_LONGEST_READ_S), translated(files.errors):
                self._rewrite(files.opened.database)
                files.opened.database.close()
                files.connect()
            (files.folder / _SCRUB_NAME).unlink()
            sync_folder(files.folder)

    @staticmethod
    def _rewrite(database: builds.Stated) -> None:
        """Rewrite every page, then every index: both keep the bytes of what was deleted."""
        # Files that a crash left behind belong to nothing any more.
        database.command("sql", "CHECK DATABASE FIX RECLAIM UNREFERENCED FILES")
        database.command("sql", "CHECK DATABASE COMPRESS")
        found = [row["name"] for row in database.query("sql", "SELECT name FROM schema:indexes").to_list()]
        # Those of a type with all of its buckets. REBUILD INDEX * takes the buckets' too, and loses what they hold.
        for name in sorted(name for name in found if "[" in name):
            database.command("sql", f"REBUILD INDEX `{name}`")

    def close(self) -> None:
        """Leave the files, and with the last engine that has them open close them and give the lock back."""
        self.check_process()
        held, self._held = self._held, None
        if held is not None:
            _left(held)
