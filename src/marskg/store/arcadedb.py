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
import json
import os
import re
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from marskg.audit.keys import sync_folder
from marskg.errors import EngineUnavailable, InvalidConfig, QueryRefused, StoreLocked, StoreUnwritable
from marskg.store.engine import Conflict, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Smaller pages than the engine's defaults: a governed write touches many indexes by a few bytes each. Those of records
#: are no smaller than that, as no page is come back to in this mode of space, and small ones stay half empty (ADR 33).
_JVM_ARGS: tuple[str, ...] = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=4",
    "-Darcadedb.indexDefaultPageSize=32768",
    "-Darcadedb.bucketDefaultPageSize=32768",
    # The other modes give the rest of a record that outgrew its page a place that stands for "no rest" (ADR 33).
    "-Darcadedb.bucketReuseSpaceMode=low",
)
#: What the JVM that all stores of a process share may take, in megabytes: a quarter of the memory within these bounds.
#: It takes what it needs, and a large trigger needs more than a write.
_LEAST_HEAP, _MOST_HEAP = 768, 4096
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
_LOCK_NAME = "mars.lock"
_SCRUB_NAME = "scrub.promised"
#: Rows that cross from the engine at once.
_BATCH = 10_000
_RETRYABLE = ("ConcurrentModificationException", "NeedRetryException", "LockTimeoutException", "DuplicatedKeyException")
_STATEMENT = ("CommandParsingException", "CommandSQLParsingException")
#: What the engine says of a statement whose time is up.
_TIMEOUT = "arcadedb.command.timeout"
#: How often a read is tried that began under the limit of another statement.
_DISK = ("No space left on device", "Read-only file system", "Disk quota exceeded", "File too large")


def heap_size() -> str:
    """Return how much memory the JVM may take, as its ``-Xmx`` wants it.

    Raises:
        InvalidConfig: ``MARS_JVM_HEAP`` is no size.
    """
    named = os.environ.get(HEAP_VARIABLE)
    if named is not None:
        if re.fullmatch(r"[1-9][0-9]{0,6}[mMgG]", named) is None:
            msg = f"{HEAP_VARIABLE} is {named[:40]!r}; write a size such as 768m or 2g, or unset it"
            raise InvalidConfig(msg)
        return named
    quarter = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4 // 2**20
    return f"{min(max(quarter, _LEAST_HEAP), _MOST_HEAP)}m"


def _start(heap: str) -> tuple[Any, Any]:
    """Import the bindings and start the JVM once for the process, quietly; returns the bindings and the bridge."""
    os.environ.setdefault("ARCADEDB_JVM_ERROR_FILE", str(Path(tempfile.gettempdir()) / "marskg-jvm-%p.log"))
    try:
        # Only here: importing them costs 0.3 s, which a command that fails on its arguments need not pay.
        import arcadedb_embedded as bindings  # noqa: PLC0415
        import jpype  # noqa: PLC0415
        from arcadedb_embedded import jvm  # noqa: PLC0415
    except ImportError as error:
        msg = f"the embedded engine cannot be loaded ({error}); reinstall with: pip install --force-reinstall marskg"
        raise EngineUnavailable(msg) from error
    if not jpype.isJVMStarted():
        # The engine announces each index on stderr; JUL is set up by this property before any class is loaded. A file
        # of the package, as anyone may write to a folder for temporary files.
        quiet = Path(__file__).with_name("quiet.properties")
        # As arguments, not in ARCADEDB_JVM_ARGS: a child process would inherit them and take the larger of two heaps.
        with _muted_stderr():
            jvm.start_jvm(heap_size=heap, jvm_args=[*_JVM_ARGS, f"-Djava.util.logging.config.file={quiet}"])
        _keep_collections_apart(jpype)
        _leave_interrupts_to_python(jpype)
    return bindings, jpype


def _leave_interrupts_to_python(jpype: Any) -> None:
    """Let Ctrl-C reach Python alone: the bridge would also interrupt the thread of the JVM that started it.

    Java closes the file that an interrupted thread is writing. The engine opens its log again, but it reports that on
    the user's terminal and leaves pages to the next opening. The bridge interrupts a thread that never runs instead; it
    offers no setting that leaves a ``KeyboardInterrupt`` to Python and the JVM's threads alone (JPype 1.7).
    """
    interrupted = jpype.JClass("org.jpype.JPypeSignal").class_.getDeclaredField("main")
    interrupted.setAccessible(True)
    interrupted.set(None, jpype.JClass("java.lang.Thread")())


def _keep_collections_apart(jpype: Any) -> None:
    """Let a collection of the JVM's garbage not start a whole one of Python's, which stops all for a third of a second.

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
            folder.mkdir(parents=True, exist_ok=True)
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


def _raise(error: Exception) -> NoReturn:
    """Raise the error of ours that the engine's ``error`` stands for, or the error itself."""
    translated = _translate(error)
    if translated is error:
        raise error
    raise translated from error


def _translate(error: Exception) -> Exception:
    """Return the error of ours that the engine's ``error`` stands for, or the error itself."""
    text = "\n".join(_causes(error))
    if any(name in text for name in _RETRYABLE):
        return Conflict(text[:300])
    if any(name in text for name in _DISK):
        return StoreUnwritable("the disk that holds the store is full or read-only; free space and open it again")
    if any(name in text for name in _STATEMENT):
        said = next(iter(text.splitlines()), "").rpartition("Exception: ")[2]
        return QueryRefused(f"the engine refuses the statement: {said[:300]}")
    if "OutOfMemoryError" in text:
        return EngineUnavailable(_TOO_LARGE)
    return error


def _is_late(error: Exception) -> bool:
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
            with self._caller.limited(limit_seconds):
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
        self._error = errors
        self._time_limit = jpype.JClass("com.arcadedb.query.sql.executor.CommandTimeoutOverride")
        self._json = jpype.JClass("com.arcadedb.serializer.json.JSONObject")
        self._rows_as_json = jpype.JClass("com.arcadedb.python.RowBatcher").nextJsonBatch
        self._utf8 = jpype.JClass("java.nio.charset.StandardCharsets").UTF_8

    @contextmanager
    def limited(self, seconds: float) -> Iterator[None]:
        """Let the engine stop the statement of this thread after some time; it looks at its clock between two rows.

        Raises:
            QueryRefused: the statement was stopped, or the engine refuses it.
        """
        self._time_limit.set(max(1, round(seconds * 1000)))
        try:
            yield
        except self._error as error:
            if _is_late(error):
                raise QueryRefused(_late(seconds)) from error
            _raise(error)
        finally:
            self._time_limit.clear()

    def command(self, statement: str, parameters: Mapping[str, Any] | None) -> list[Row]:
        """Run a statement that may write."""
        return self._rows(self._database.get_java_database().command, statement, parameters)

    def query(self, statement: str, parameters: Mapping[str, Any] | None) -> list[Row]:
        """Run a statement that only reads."""
        return self._rows(self._database.get_java_database().query, statement, parameters)

    def _rows(self, call: Any, statement: str, parameters: Mapping[str, Any] | None) -> list[Row]:
        values = self._json(json.dumps(parameters or {}, allow_nan=False)).toMap()
        result = call("opencypher", statement, values)
        rows: list[Row] = []
        while result is not None:
            batch: list[Row] = json.loads(bytes(self._rows_as_json(result, _BATCH).getBytes(self._utf8)).decode())
            rows += batch
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
            self._bindings, jpype = _start(heap)
            self.error = (self._bindings.ArcadeDBError, jpype.JException)
            self._jpype = jpype
            self.heap = _Heap(jpype)
            self.connect()
        except BaseException as error:
            self.lock.release()
            if isinstance(error, Exception) and type(error).__name__ == "ArcadeDBError":
                translated = _translate(error)
                if isinstance(translated, StoreUnwritable):
                    raise translated from error
                msg = f"the embedded store {folder} cannot be opened: {str(error)[:200]}"
                raise EngineUnavailable(msg) from error
            raise

    def connect(self) -> None:
        """Open the files, or create them."""
        path = self.folder / "graph"
        exists = (path / "schema.json").exists()
        self.database = None
        open_or_create = self._bindings.open_database if exists else self._bindings.create_database
        self.database = open_or_create(str(path))
        self.database.set_wal_flush("yes_nometadata")
        self.caller = _Caller(self._jpype, self.database, self.error)

    def close(self) -> None:
        """Close the files and give the lock back."""
        try:
            if self.database is not None:
                self.database.close()
        except self.error as error:
            _raise(error)
        finally:
            self.database = None
            self.lock.release()


#: The open files of this process by process, device and folder: a path may lead there in several ways, and a child that
#: was forked has no part in them.
_open_files: dict[tuple[int, int, int], _Files] = {}
_opening = threading.Lock()


def _place(folder: Path) -> tuple[int, int, int] | None:
    """Return what tells a folder from all others; None where there is none yet."""
    try:
        found = folder.stat()
    except OSError:  # What is wrong with it is told by whoever opens it.
        return None
    return os.getpid(), found.st_dev, found.st_ino


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
            database.begin()
            try:
                yield _Transaction(files.caller, files.heap)
                database.commit()
            except files.error as error:
                self._roll_back(database)
                _raise(error)
            except BaseException:
                self._roll_back(database)
                raise

    def _roll_back(self, database: Any) -> None:
        if database.is_transaction_active():
            database.rollback()

    def _open(self) -> _Files:
        if self._held is None or self._held.database is None:
            msg = "the store is closed; open it again"
            raise EngineUnavailable(msg)
        return self._held

    def read(
        self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float | None = None
    ) -> list[Row]:
        """Run a read-only statement outside a transaction.

        Raises:
            QueryRefused: it took longer than ``limit_seconds``.
        """
        try:
            with self._files.gate.passed():
                caller = self._open().caller
                if limit_seconds is None:
                    return caller.query(statement, parameters)
                with caller.limited(limit_seconds):
                    return caller.query(statement, parameters)
        except self._files.error as error:
            _raise(error)

    def query(self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float) -> list[Row]:
        """Run a user's read-only statement in a thread of its own, so that a signal reaches who waits.

        The engine ends it when its time is up; nobody waits for that.
        """
        files = self._open()
        outcome: dict[str, Any] = {}

        def work() -> None:
            try:
                with files.gate.passed(), files.caller.limited(limit_seconds):
                    outcome["rows"] = files.caller.query(statement, parameters)
            except (QueryRefused, Conflict, *files.error) as error:
                outcome["error"] = error

        runner = threading.Thread(target=work, daemon=True, name="marskg-query")
        runner.start()
        runner.join(limit_seconds)
        error = outcome.get("error")
        if runner.is_alive() or (error is not None and _is_late(error)):
            msg = f"the query took longer than {limit_seconds:g} s and was stopped; narrow it, or raise the limit"
            raise QueryRefused(msg) from error
        if error is not None:
            # The engine's own words, whether or not they have a name of ours.
            said = error.__cause__ if isinstance(error, (QueryRefused, Conflict)) else error
            fault = str(said).splitlines()[0][:300]
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
        try:
            with self._open().mutex:
                self._open().database.command("sql", statement)
        except self._files.error as error:
            _raise(error)

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
            with files.gate.shut():
                try:
                    self._rewrite(files.database)
                    files.database.close()
                    files.connect()
                except files.error as error:
                    _raise(error)
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
        held, self._held = self._held, None
        if held is not None:
            _left(held)
