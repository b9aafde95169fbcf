"""ArcadeDB embedded: the default engine, files in one folder, its own JVM in the wheel.

Guarantees: one fsync for each commit (``yes_nometadata``; the engine's own default has none); at most one process has
the folder open, held by an advisory lock that names the holder and goes away with the process, so that a second one
gets :class:`~marskg.errors.StoreLocked` at once, before a JVM is started; who opens a folder again in the process that
has it open gets the same files, the same lock and the same queue of writers, whatever path leads there, and the files
are closed with the last of them; rows are plain Python values.
Traps that shaped this file: ``research`` notes on fork (never fork after opening: spawn), page sizes, and log noise.
"""

from __future__ import annotations

import errno
import fcntl
import gc
import json
import os
import re
import resource
import shutil
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marskg.audit.keys import sync_folder
from marskg.errors import EngineUnavailable, ForkedProcess, InvalidConfig, QueryRefused, StoreLocked, StoreUnwritable
from marskg.store.engine import class_archive
from marskg.store.engine.process_guard import Opener
from marskg.store.engine.protocol import CLOSED, MAX_ROWS, TOO_MANY_ROWS, Capability, Conflict, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Smaller pages than the engine's defaults: a governed write touches many indexes by a few bytes each. Those of records
#: are no smaller than that, as no page is come back to in this mode of space, and small ones stay half empty (ADR 33).
_JVM_ARGS: tuple[str, ...] = (
    # Signals are Python's, and so the application's: the JVM, and the bridge through it, would replace the handlers
    # that are set by their own, which call into Python from a thread that may not.
    "-Xrs",
    "-XX:+UseSerialGC",
    # Compiling takes a fifth of what a short process takes, and pays for itself in a long one alone: it waits until
    # a method was called ten times as often as the JVM would have it (ADR 83).
    "-XX:CompileThresholdScaling=10",
    "-Darcadedb.indexDefaultPageSize=32768",
    "-Darcadedb.bucketDefaultPageSize=32768",
    # The other modes give the rest of a record that outgrew its page a place that stands for "no rest" (ADR 33).
    "-Darcadedb.bucketReuseSpaceMode=low",
    # Pages that were read or written stay in memory up to this many megabytes, of all stores of the process. Left to
    # itself the engine takes a quarter of the heap: a store that is written to for days fills a gigabyte (ADR 58).
    "-Darcadedb.maxPageRAM=128",
)
#: What the JVM that all stores of a process share may take, in megabytes: a quarter of the memory within these bounds.
#: It takes what it needs, and a large trigger needs more than a write.
_LEAST_HEAP, _MOST_HEAP = 768, 4096
#: Megabytes below which the engine does not open a store.
_SMALLEST_HEAP = 32
#: Megabytes of addresses that the process needs besides, most of them the JVM's for classes and code.
_BESIDE_HEAP = 3_000
#: Names another size, such as ``2g``.
HEAP_VARIABLE = "MARS_JVM_HEAP"
_TOO_LARGE = (
    "the embedded engine ran out of memory and wrote nothing: go in smaller steps, such as a budget that is nearer, "
    f"or give it more with {HEAP_VARIABLE}=4g"
)
#: Statements with fewer rows are run without asking how full the memory is.
_MANY_ROWS = 100
#: How full the memory may be before such a statement: the engine that has none left may not even be able to close.
_FULL = 0.7
_DAMAGED = (
    "open the store again, and if that does not help its files are damaged: put back a copy of the folder, or load a "
    "snapshot into a new store"
)
_LOCK_NAME = "mars.lock"
GRAPH = "graph"
#: Where reports of a crash of the JVM go: they may hold what the memory held, and a scrub removes them.
CRASHES = "crashes"
_SCRUB_NAME = "scrub.promised"
#: Rows that cross from the engine at once.
_BATCH = 10_000
_RETRYABLE = ("ConcurrentModificationException", "NeedRetryException", "LockTimeoutException", "DuplicatedKeyException")
_STATEMENT = ("CommandParsingException", "CommandSQLParsingException", "CommandSemanticException")
#: What the engine says of a statement whose time is up.
_TIMEOUT = "arcadedb.command.timeout"
#: A reader was between finding a record and loading it when a writer rewrote or removed it.
_OVERTAKEN = "RecordNotFoundException"
_READ_ATTEMPTS = 5
#: Name and version of a file of pages, with the size of a page; no other file of the engine's has to be whole.
_PAGED = re.compile(r"\.([0-9]+)\.v[0-9]+\.([a-z]+)$")
_DISK = ("No space left on device", "Read-only file system", "Disk quota exceeded", "File too large")


def heap_size() -> str:
    """Return how much memory the JVM may take, as its ``-Xmx`` wants it.

    Raises:
        InvalidConfig: ``MARS_JVM_HEAP`` is no size, or one that cannot be had.
        EngineUnavailable: the limit of the process leaves no room for the engine.
    """
    named = os.environ.get(HEAP_VARIABLE)
    if named is not None:
        if re.fullmatch(r"[1-9][0-9]{0,6}[mMgG]", named) is None:
            msg = f"{HEAP_VARIABLE} is {named[:40]!r}; write a size such as 768m or 2g, or unset it"
            raise InvalidConfig(msg)
        return _possible(named)
    return f"{min(max(_memory() // 4, _LEAST_HEAP), _MOST_HEAP, _room())}m"


def _possible(named: str) -> str:
    """Return a size of the heap that can be had: the JVM ends the process where it cannot have what is asked for.

    Raises:
        InvalidConfig: it is less than the engine runs with, or more than the machine or the process has.
    """
    wanted, most = int(named[:-1]) * (1 if named[-1] in "mM" else 1024), _room()
    if not _SMALLEST_HEAP <= wanted <= most:
        msg = f"{HEAP_VARIABLE} is {named}; write a size from {_SMALLEST_HEAP}m to the {most}m that can be had here"
        raise InvalidConfig(msg)
    return named


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20


def _room() -> int:
    """Return the megabytes that the heap may have: those of the machine, or what the limit of the process leaves.

    Raises:
        EngineUnavailable: the limit leaves too few.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return _memory()
    if limit // 2**20 - _BESIDE_HEAP < _SMALLEST_HEAP:
        msg = (
            f"the embedded engine reserves {_BESIDE_HEAP:,} MB of addresses beside its heap, and this process may have "
            f"{limit // 2**20:,} MB: raise the limit (ulimit -v), or use a Neo4j server"
        )
        raise EngineUnavailable(msg)
    return min(_memory(), limit // 2**20 - _BESIDE_HEAP)


def _start(heap: str, crashes: Path | None = None) -> tuple[Any, Any]:
    """Import the bindings and start the JVM once for the process, quietly; returns the bindings and the bridge.

    If it crashes, its report is in the folder ``crashes``, or else nowhere.
    """
    try:
        # Only here: importing them costs 0.3 s, which a command that fails on its arguments need not pay.
        import arcadedb_embedded as bindings  # noqa: PLC0415
        import jpype  # noqa: PLC0415
        from arcadedb_embedded import jvm  # noqa: PLC0415
    except ImportError as error:
        msg = f"the embedded engine cannot be loaded ({error}); reinstall with: pip install --force-reinstall marskg"
        raise EngineUnavailable(msg) from error
    if jpype._core._JVM_started and not jpype.isJVMStarted():  # noqa: SLF001 - no public way (JPype 1.7)
        msg = (
            "this process was forked from one that had an embedded store open, and cannot open another: "
            "start processes with the method spawn, or fork before opening"
        )
        raise ForkedProcess(msg)
    if not jpype.isJVMStarted():
        _check_folder()
        # The engine announces each index on stderr; JUL is set up by this property before any class is loaded. A file
        # of the package, as anyone may write to a folder for temporary files.
        quiet = Path(__file__).with_name("quiet.properties")
        # As arguments, not in ARCADEDB_JVM_ARGS: a child process would inherit them and take the larger of two heaps.
        with _muted_stderr(), _crash_reports(crashes):
            try:
                quick = class_archive.options(_JVM_ARGS, jvm, jpype)
                logging = f"-Djava.util.logging.config.file={quiet}"
                jvm.start_jvm(heap_size=heap, jvm_args=[*_JVM_ARGS, logging, *quick])
            except bindings.ArcadeDBError as error:
                msg = f"the embedded engine does not start: {str(error)[:200]}; give it what it asks for, and retry"
                raise EngineUnavailable(msg) from error
        _keep_collections_apart(jpype)
        if threading.current_thread() is not threading.main_thread():
            # The end of the interpreter waits for the thread that started the JVM, which may have ended long ago. It is
            # taken in again, as any other, with its next call.
            jpype.java.lang.Thread.detach()
    return bindings, jpype


def _check_folder() -> None:
    """Refuse to start where the JVM would end the process.

    Raises:
        EngineUnavailable: the folder in which the process works was deleted.
    """
    try:
        Path.cwd()
    except OSError as error:
        msg = "the folder in which this process works was deleted; go to another one, and open the store there"
        raise EngineUnavailable(msg) from error


def _keep_collections_apart(jpype: Any) -> None:
    """Let a collection of the JVM's garbage not start a whole one of Python's, and none of Python's one of the JVM's.

    The first stops all for a third of a second, the second, which the bridge asks for where Python's memory has moved,
    for 20 ms in the midst of an answer.

    The bridge notices the first by a reference to something that nobody holds, and asks for the second so that cycles
    of Python's objects give up Java's. There are no such cycles here, and Python collects by itself. What the bridge
    watches instead is held as long as the JVM runs; it offers no setting for that (JPype 1.7).
    """
    queues = jpype.JClass("org.jpype.ref.JPypeReferenceQueue")
    queue = queues.getInstance()
    watch = jpype.JClass("org.jpype.ref.JPypeReference")(queue, queue, 0, 0)
    watched = queues.class_.getDeclaredField("sentinel")
    watched.setAccessible(True)
    watched.set(queue, watch)
    gc.callbacks[:] = [callback for callback in gc.callbacks if getattr(callback, "__module__", "") != "_jpype"]


@contextmanager
def _crash_reports(folder: Path | None) -> Iterator[None]:
    """Have the JVM that is started inside report a crash to ``folder``, unless ARCADEDB_JVM_ERROR_FILE says where."""
    named = os.environ.get("ARCADEDB_JVM_ERROR_FILE")
    if folder is not None:
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
    try:
        # The bindings take it from there alone; a child process is not to inherit it.
        if named is None:
            where = os.devnull if folder is None else str(folder).replace("%", "%%") + "/jvm-%p.log"
            os.environ["ARCADEDB_JVM_ERROR_FILE"] = where
        yield
    finally:
        if named is None:
            del os.environ["ARCADEDB_JVM_ERROR_FILE"]


@contextmanager
def _muted_stderr() -> Iterator[None]:
    """Keep the JVM's start-up warnings, written past Python, off the user's terminal."""
    saved = os.dup(2)
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(null)


@contextmanager
def engine_defaults() -> Iterator[None]:
    """Let databases that are created inside have the engine's own page sizes: what a bench compares with."""
    _, jpype = _start(heap_size())
    settings = jpype.JClass("com.arcadedb.GlobalConfiguration")
    chosen = [
        (setting, setting.getValue())
        for setting in (settings.INDEX_DEFAULT_PAGE_SIZE, settings.BUCKET_DEFAULT_PAGE_SIZE)
    ]
    for setting, _ in chosen:
        setting.setValue(setting.getDefValue())
    try:
        yield
    finally:
        for setting, value in chosen:
            setting.setValue(value)


def make_class_archive() -> Path | None:
    """Have later processes start faster; see :func:`marskg.store.engine.class_archive.make`."""
    _, jpype = _start(heap_size())
    from arcadedb_embedded import jvm  # noqa: PLC0415 - as in _start

    return class_archive.make(_JVM_ARGS, jvm, jpype)


def heap_held() -> int:
    """Collect the JVM's garbage and return the bytes that its heap holds after that: what a bench tells."""
    _, jpype = _start(heap_size())
    runtime = jpype.JClass("java.lang.Runtime").getRuntime()
    runtime.gc()
    return int(runtime.totalMemory() - runtime.freeMemory())


class FolderLock:
    """An advisory lock on the store's folder that ends with the process and says who holds it."""

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            StoreLocked: another process holds it; its pid is in the message and the exception.
            StoreUnwritable: the folder cannot be written.
        """
        path = folder / _LOCK_NAME
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            msg = f"the store folder {folder} cannot be written ({error.strerror}); choose another or change its rights"
            raise StoreUnwritable(msg) from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            text = os.pread(self._fd, 32, 0).decode("ascii", "replace").strip()
            os.close(self._fd)
            if error.errno not in {errno.EAGAIN, errno.EACCES}:
                raise
            pid = int(text) if text.isdigit() else None
            msg = (
                f"the store {folder} is open in another process (pid {text or 'unknown'}); "
                "close it there, or serve both from one Bolt server"
            )
            raise StoreLocked(msg, pid) from None
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, str(os.getpid()).encode(), 0)

    def release(self) -> None:
        """Give the lock back; a second call does nothing."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


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


def _causes(error: BaseException) -> Iterator[str]:
    """Yield what ``error`` and its causes say: the engine wraps the disk's own words in a sentence without them."""
    cause: BaseException | None = error
    while cause is not None:
        yield str(cause)
        cause = cause.__cause__


def _translate(error: Exception) -> Exception:
    """Return the error of ours that the engine's ``error`` stands for."""
    text = "\n".join(_causes(error))
    if any(name in text for name in _RETRYABLE):
        return Conflict(text[:300])
    if any(name in text for name in _DISK):
        return StoreUnwritable("the disk that holds the store is full or read-only; free space and open it again")
    if any(name in text for name in _STATEMENT):
        said = next(iter(text.splitlines()), "").rpartition("Exception: ")[2]
        return QueryRefused(f"the engine refuses the statement: {said[:300]}")
    if any("DatabaseIsClosedException" in name for name in (text, type(error).__name__)):
        return EngineUnavailable(CLOSED)
    if "OutOfMemoryError" in text:
        return EngineUnavailable(_TOO_LARGE)
    # No words of the engine's: they may quote what was to be stored.
    kind = type(error).__name__.rpartition(".")[2]
    return EngineUnavailable(f"the embedded engine fails ({kind}) and wrote nothing; {_DAMAGED}")


@contextmanager
def _translated(errors: tuple[type[Exception], ...]) -> Iterator[None]:
    """Turn the engine's exceptions, which are of these classes, into ours."""
    try:
        yield
    except errors as error:
        raise _translate(error) from error


def _is_late(error: BaseException) -> bool:
    """Return whether the engine stopped a statement because its time was up."""
    return any(_TIMEOUT in text for text in _causes(error))


def _late(seconds: float) -> str:
    return f"the statement took longer than {seconds:g} s and was stopped"


class _Transaction:
    """The statements of one unit of work."""

    def __init__(self, caller: _Caller, heap: _Heap) -> None:
        self._caller = caller
        self._heap = heap

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
            with _translated(self._caller.error), self._caller.limited(limit_seconds):
                return self._caller.command(statement, parameters)
        if any(isinstance(value, list) and len(value) >= _MANY_ROWS for value in (parameters or {}).values()):
            self._heap.check()
        return self._caller.command(statement, parameters)


class _Heap:
    """The memory that the JVM has."""

    def __init__(self, jpype: Any) -> None:
        self._runtime = jpype.JClass("java.lang.Runtime").getRuntime()

    def check(self) -> None:
        """Refuse to go on while there is still enough room to roll back.

        Raises:
            EngineUnavailable: too little is left, and nothing can be collected.
        """
        if self._is_full():
            self._runtime.gc()
            if self._is_full():
                raise EngineUnavailable(_TOO_LARGE)

    def _is_full(self) -> bool:
        runtime = self._runtime
        return bool(runtime.totalMemory() - runtime.freeMemory() > _FULL * runtime.maxMemory())


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
    def shut(self) -> Iterator[None]:
        """Keep readers out; waits until those inside have left."""
        with self._turn:
            self._shut = True
            while self._inside:
                self._turn.wait()
        try:
            yield
        finally:
            with self._turn:
                self._shut = False
                self._turn.notify_all()


class _Caller:
    """Calls the engine with all parameters in one crossing, and takes the rows in one.

    The bindings convert parameters value by value, some microseconds each; a governed write has a hundred values. One
    JSON text crosses once and the engine's own parser makes the map. The rows come back as JSON that the bindings'
    bridge writes; as UTF-8 it crosses in a tenth of the time that a Java string takes to become one of Python's.
    """

    def __init__(self, jpype: Any, database: Any, errors: tuple[type[Exception], ...]) -> None:
        self._database = database
        self.error = errors
        self._time_limit = jpype.JClass("com.arcadedb.query.sql.executor.CommandTimeoutOverride")
        self._json = jpype.JClass("com.arcadedb.serializer.json.JSONObject")
        self._rows_as_json = jpype.JClass("com.arcadedb.python.RowBatcher").nextJsonBatch
        self._utf8 = jpype.JClass("java.nio.charset.StandardCharsets").UTF_8

    @contextmanager
    def limited(self, seconds: float | None) -> Iterator[None]:
        """Let the engine stop the statement of this thread after some time; it looks at its clock between two rows.

        Raises:
            QueryRefused: the statement was stopped.
        """
        if seconds is None:
            yield
            return
        self._time_limit.set(max(1, round(seconds * 1000)))
        try:
            yield
        except self.error as error:
            if _is_late(error):
                raise QueryRefused(_late(seconds)) from error
            raise
        finally:
            self._time_limit.clear()

    def command(self, statement: str, parameters: Mapping[str, Any] | None) -> list[Row]:
        """Run a statement that may write."""
        return self._rows(self._database.get_java_database().command, statement, parameters)

    def query(self, statement: str, parameters: Mapping[str, Any] | None) -> list[Row]:
        """Run a statement that only reads."""
        return self._rows(self._database.get_java_database().query, statement, parameters)

    def asked(self, statement: str, parameters: Mapping[str, Any] | None) -> list[Row]:
        """Run a user's statement that only reads.

        Raises:
            QueryRefused: it gives too many rows.
        """
        return self._rows(self._database.get_java_database().query, statement, parameters, MAX_ROWS)

    def _rows(
        self, call: Any, statement: str, parameters: Mapping[str, Any] | None, most: int | None = None
    ) -> list[Row]:
        values = self._json(json.dumps(parameters or {}, allow_nan=False, default=dict)).toMap()
        result = call("opencypher", statement, values)
        rows: list[Row] = []
        while result is not None:
            batch: list[Row] = json.loads(bytes(self._rows_as_json(result, _BATCH).getBytes(self._utf8)).decode())
            rows += batch
            if most is not None and len(rows) > most:
                result.close()
                raise QueryRefused(TOO_MANY_ROWS)
            if len(batch) < _BATCH:  # The bridge stops short only at the end, and has closed the result then.
                break
        return rows


class _Files:
    """The open files of one folder: what all engines of a process that have it open share."""

    def __init__(self, folder: Path) -> None:
        """Open or create the database under ``folder``; see :class:`ArcadeDB`."""
        heap = heap_size()
        self.lock = FolderLock(folder)
        self.mutex = threading.RLock()
        self.gate = _Gate()
        self.database: Any = None
        #: How many engines have the files open.
        self.users = 0
        # The JVM keeps the working folder that the process had when it started; a relative path would miss a later one.
        self.folder = folder.absolute()
        try:
            self._bindings, jpype = _start(heap, self.folder / CRASHES)
            self.error = (self._bindings.ArcadeDBError, jpype.JException)
            self._jpype = jpype
            self.heap = _Heap(jpype)
            self._connect_first(folder)
        except BaseException:
            self.lock.release()
            raise

    def _connect_first(self, folder: Path) -> None:
        try:
            self.connect()
        except self.error as error:
            translated = _translate(error)
            if isinstance(translated, StoreUnwritable):
                raise translated from error
            msg = f"the embedded store {folder} cannot be opened: {str(error)[:200]}"
            raise EngineUnavailable(msg) from error
        broken = self._broken()
        if broken is not None:
            with _translated(self.error):
                self.database.close()
            msg = f"{broken} is cut off; its store is damaged: put back a copy of {folder}, or load a snapshot anew"
            raise EngineUnavailable(msg)

    def _broken(self) -> Path | None:
        """Return a file of pages that ends within one: the engine, which has recovered by now, passes over the rest."""
        # Pages are written in the background: a file that is new, or was recovered, has its size only after that.
        pages = self._jpype.JClass("com.arcadedb.engine.PageManager").INSTANCE
        with _translated(self.error):
            pages.waitAllPagesOfDatabaseAreFlushed(self.database.get_java_database())
        schema = (self.folder / GRAPH / "schema.json").read_text(encoding="utf-8")
        for path in sorted((self.folder / GRAPH).iterdir()):
            paged = _PAGED.search(path.name)
            if paged is not None:
                size = path.stat().st_size
                # A bucket without a record is empty, an index of vectors without a point, and an index whose making
                # was cut off before the schema had it: who promised to make it makes it anew.
                may_be_empty = paged[2] in {"bucket", "lsmvecidx", "vecgraph"} or (
                    paged[2].endswith("tidx") and path.name.partition(".")[0].rpartition("_")[2] not in schema
                )
                if size % int(paged[1]) or (size == 0 and not may_be_empty):
                    return path
        return None

    def connect(self) -> None:
        """Open the files, or create them."""
        path = self.folder / GRAPH
        exists = (path / "schema.json").exists()
        # The engine makes its files by the process's umask, which is not one thread's to change: the folder is closed.
        path.mkdir(mode=0o700, exist_ok=True)
        path.chmod(0o700)
        self.database = None
        open_or_create = self._bindings.open_database if exists else self._bindings.create_database
        self.database = open_or_create(str(path))
        # As the bindings' set_wal_flush, which looks through all jars for the class first: a quarter of a second.
        flush = self._jpype.JClass("com.arcadedb.engine.WALFile$FlushType")
        self.database.get_java_database().setWALFlush(flush.YES_NOMETADATA)
        self.caller = _Caller(self._jpype, self.database, self.error)

    def close(self) -> None:
        """Close the files and give the lock back."""
        try:
            if self.database is not None:
                with _translated(self.error):
                    self.database.close()
        finally:
            self.database = None
            self.lock.release()


#: The open files of this process by device and folder: a path may lead there in several ways.
_open_files: dict[tuple[int, int], _Files] = {}
_opening = threading.RLock()


class _Fork:
    """What is done when this process forks: the child is cut off from the files, the lock and the JVM of its parent.

    Without the threads that only the parent has, each call into the JVM may wait for ever: those by which Python gives
    up its references, by which its collector of garbage asks for one of Java's, and by which the bridge leaves at exit.
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
        """Leave the parent its lock, which a child that lives longer would hold, and forget that there is a JVM."""
        for files in _open_files.values():
            files.lock.release()
        _open_files.clear()
        jpype = sys.modules.get("jpype")
        if jpype is not None and jpype.isJVMStarted():
            # Does not end the JVM, and calls nothing in it; the bridge has no public way to that (JPype 1.7).
            jpype._jpype.shutdown(False, True)  # noqa: FBT003, SLF001 - see above; (end it, unload it)
        self.in_parent()


_fork = _Fork()
os.register_at_fork(before=_fork.before, after_in_parent=_fork.in_parent, after_in_child=_fork.in_child)


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
            InvalidConfig: ``MARS_JVM_HEAP`` is no size.
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
            database = files.database
            with _translated(files.error):
                database.begin()
                try:
                    yield _Transaction(files.caller, files.heap)
                    database.commit()
                except BaseException:
                    self._roll_back(database)
                    raise

    def _roll_back(self, database: Any) -> None:
        if database.is_transaction_active():
            database.rollback()

    def _open(self) -> _Files:
        self.check_process()
        if self._held is None or self._held.database is None:
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
        for attempts_left in reversed(range(_READ_ATTEMPTS)):
            try:
                with files.gate.passed():
                    caller = self._open().caller
                    with caller.limited(limit_seconds):
                        return caller.query(statement, parameters)
            except files.error as error:
                if attempts_left and any(_OVERTAKEN in text for text in _causes(error)):
                    continue
                raise _translate(error) from error
        raise AssertionError  # the loop returns or raises

    def query(self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float) -> list[Row]:
        """Run a user's read-only statement in a thread of its own, so that a signal reaches who waits.

        The engine ends it when its time is up; nobody waits for that.
        """
        files = self._open()
        outcome: dict[str, Any] = {}

        def work() -> None:
            try:
                with files.gate.passed(), files.caller.limited(limit_seconds):
                    outcome["rows"] = files.caller.asked(statement, parameters)
            except (QueryRefused, MemoryError, *files.error) as error:
                outcome["error"] = error

        runner = threading.Thread(target=work, daemon=True, name="marskg-query")
        runner.start()
        runner.join(limit_seconds)
        error = outcome.get("error")
        if runner.is_alive() or (error is not None and _is_late(error)):
            msg = f"the query took longer than {limit_seconds:g} s and was stopped; narrow it, or raise the limit"
            raise QueryRefused(msg) from error
        if isinstance(error, QueryRefused):
            raise error
        if error is not None:
            if isinstance(error, MemoryError) or any("OutOfMemoryError" in text for text in _causes(error)):
                msg = "the query takes more memory than the engine has; narrow it, or add LIMIT"
            else:
                fault = str(error).splitlines()[0][:300]
                msg = f"the engine refuses the query: {fault}"
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
        with files.mutex, files.database.transaction():
            files.database.command("opencypher", statement, parameters)

    def define(self, statement: str) -> None:
        """Run one schema statement (ArcadeDB SQL)."""
        with self._open().mutex, _translated(self._files.error):
            self._open().database.command("sql", statement)

    def define_all(self, statements: Sequence[str]) -> None:
        """Run schema statements as one script in one transaction: the engine then writes its schema down once."""
        with self.transaction():
            self._open().database.command("sqlscript", "".join(f"{statement};\n" for statement in statements))

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
            StoreUnwritable: the disk is full or read-only; the promise stands.
            EngineUnavailable: the files cannot be opened again.
        """
        files = self._open()
        with files.mutex:
            # Two that scrub one after another: the first may have kept the promise of both.
            self.promise_scrub()
            shutil.rmtree(files.folder / CRASHES, ignore_errors=True)
            with files.gate.shut(), _translated(files.error):
                self._rewrite(files.database)
                files.database.close()
                files.connect()
            (files.folder / _SCRUB_NAME).unlink()
            sync_folder(files.folder)

    @staticmethod
    def _rewrite(database: Any) -> None:
        """Rewrite every page, then every index: both keep the bytes of what was deleted."""
        # Files that a crash left behind belong to nothing any more.
        database.command("sql", "CHECK DATABASE FIX RECLAIM UNREFERENCED FILES")
        database.command("sql", "CHECK DATABASE COMPRESS")
        found = database.get_java_database().getSchema().getIndexes()
        # Those of a type with all of its buckets. REBUILD INDEX * takes the buckets' too, and loses what they hold.
        for name in sorted(name for name in (str(index.getName()) for index in found) if "[" in name):
            database.command("sql", f"REBUILD INDEX `{name}`")

    def close(self) -> None:
        """Leave the files, and with the last engine that has them open close them and give the lock back."""
        self.check_process()
        held, self._held = self._held, None
        if held is not None:
            _left(held)
