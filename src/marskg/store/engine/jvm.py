"""The engine on a Java runtime of its own, through the bridge JPype: the extra ``marskg[jvm]``.

Guarantees: what the JVM writes past Python is read by nobody; Python's handlers of signals stay its own; a collection
of one side's garbage starts none of the other's; a forked child never calls into it; a report of a crash, which may
hold what the memory held, is in the store's folder, where a scrub removes it.
"""

from __future__ import annotations

import gc
import json
import os
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import EngineUnavailable, ForkedProcess, QueryRefused
from marskg.store.engine.builds import BATCH, FORKED, QUIET, SETTINGS, TOO_LARGE, opened
from marskg.store.engine.heap import heap_mb
from marskg.store.engine.muted import muted_stderr
from marskg.store.engine.process_guard import check_folder
from marskg.store.engine.protocol import MAX_ROWS, TOO_MANY_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.store.engine.builds import Parameters
    from marskg.store.engine.protocol import Row

_ARGUMENTS: Final[tuple[str, ...]] = (
    # Signals are Python's, and so the application's: the JVM, and the bridge through it, would replace the handlers
    # that are set by their own, which call into Python from a thread that may not.
    "-Xrs",
    "-XX:+UseSerialGC",
    # Compiling takes a fifth of what a short process takes, and pays for itself in a long one alone: it waits until
    # a method was called ten times as often as the JVM would have it (ADR 83).
    "-XX:CompileThresholdScaling=10",
)
#: Megabytes of addresses that the process needs beside the heap, most of them the JVM's for classes and code.
_BESIDE: Final = 3_000
#: How full the memory may be before a statement with many rows: who has none left may not even be able to close.
_FULL: Final = 0.7
_REPORT: Final = "ARCADEDB_JVM_ERROR_FILE"


class JvmBuild:
    """The JVM, once in a process."""

    errors: tuple[type[Exception], ...] = ()

    def __init__(self) -> None:
        """Find out how much memory it may take: it ends the process where it cannot have what it is told.

        Raises:
            InvalidConfig: ``MARS_ENGINE_HEAP`` is no size, or one that cannot be had.
            EngineUnavailable: the limit of the process leaves it no room.
        """
        self._heap = heap_mb(_BESIDE, 1)
        self._bindings: Any = None
        self._jpype: Any = None

    def load(self, crashes: Path) -> None:
        """Import the bindings and start the JVM; see :class:`~marskg.store.engine.builds.Build`."""
        try:
            # Only here: importing them costs 0.3 s, which a command that fails on its arguments need not pay.
            import arcadedb_embedded as bindings  # noqa: PLC0415
            import jpype  # noqa: PLC0415
            from arcadedb_embedded import jvm  # noqa: PLC0415
        except ImportError as error:
            msg = f"the engine on a JVM cannot be loaded ({error}); install it with: pip install 'marskg[jvm]'"
            raise EngineUnavailable(msg) from error
        if jpype._core._JVM_started and not jpype.isJVMStarted():  # noqa: SLF001 - no public way (JPype 1.7)
            raise ForkedProcess(FORKED)
        self.errors = (bindings.ArcadeDBError, jpype.JException)
        self._bindings, self._jpype = bindings, jpype
        if jpype.isJVMStarted():
            return
        check_folder()
        quiet = f"-Djava.util.logging.config.file={Path(__file__).with_name(QUIET)}"
        # As arguments, not in ARCADEDB_JVM_ARGS: a child process would inherit them and take the larger of two heaps.
        with muted_stderr(), _crash_reports(crashes):
            try:
                jvm.start_jvm(heap_size=f"{self._heap}m", jvm_args=[*_ARGUMENTS, *SETTINGS, quiet])
            except bindings.ArcadeDBError as error:
                msg = f"the engine on a JVM does not start: {str(error)[:200]}; give it what it asks for, and retry"
                raise EngineUnavailable(msg) from error
        _keep_collections_apart(jpype)
        if threading.current_thread() is not threading.main_thread():
            # The end of the interpreter waits for the thread that started the JVM, which may have ended long ago. It is
            # taken in again, as any other, with its next call.
            jpype.java.lang.Thread.detach()

    def open(self, path: Path) -> JvmFiles:
        """Open or create a database."""
        return JvmFiles(self._bindings, self._jpype, path)

    def cut_off(self) -> None:
        """Have the bridge believe that there is no JVM.

        Without the threads that only the parent has, each call into it may wait for ever: those by which Python gives
        up its references, by which its collector asks for one of Java's, and by which the bridge leaves at exit.
        """
        if self._jpype is not None and self._jpype.isJVMStarted():
            # Does not end the JVM, and calls nothing in it; the bridge has no public way to that (JPype 1.7).
            self._jpype._jpype.shutdown(False, True)  # noqa: FBT003, SLF001 - see above; (end it, unload it)


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
def _crash_reports(folder: Path) -> Iterator[None]:
    """Have the JVM that is started inside report a crash to ``folder``, unless ARCADEDB_JVM_ERROR_FILE says where."""
    named = os.environ.get(_REPORT)
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    try:
        # The bindings take it from there alone; a child process is not to inherit it.
        if named is None:
            os.environ[_REPORT] = str(folder).replace("%", "%%") + "/jvm-%p.log"
        yield
    finally:
        if named is None:
            del os.environ[_REPORT]


class JvmFiles:
    """The open files of one database: parameters cross to it in one call, and rows in one.

    The bindings convert parameters value by value, some microseconds each; a governed write has a hundred values. One
    JSON text crosses once and the engine's own parser makes the map. The rows come back as JSON that the bindings'
    bridge writes; as UTF-8 it crosses in a tenth of the time that a Java string takes to become one of Python's.
    """

    def __init__(self, bindings: Any, jpype: Any, path: Path) -> None:
        """Open or create the database in the folder ``path``."""
        self.database: Any = opened(bindings, path)
        # As the bindings' set_wal_flush, which looks through all jars for the class first: a quarter of a second.
        flush = jpype.JClass("com.arcadedb.engine.WALFile$FlushType")
        self._java = self.database.get_java_database()
        self._java.setWALFlush(flush.YES_NOMETADATA)
        self._pages = jpype.JClass("com.arcadedb.engine.PageManager").INSTANCE
        self._time_limit = jpype.JClass("com.arcadedb.query.sql.executor.CommandTimeoutOverride")
        self._json = jpype.JClass("com.arcadedb.serializer.json.JSONObject")
        self._rows_as_json = jpype.JClass("com.arcadedb.python.RowBatcher").nextJsonBatch
        self._utf8 = jpype.JClass("java.nio.charset.StandardCharsets").UTF_8
        self._runtime = jpype.JClass("java.lang.Runtime").getRuntime()

    def command(self, statement: str, parameters: Parameters) -> list[Row]:
        """Run a Cypher statement that may write."""
        return self._rows(self._java.command, statement, parameters)

    def query(self, statement: str, parameters: Parameters) -> list[Row]:
        """Run a Cypher statement that only reads."""
        return self._rows(self._java.query, statement, parameters)

    def asked(self, statement: str, parameters: Parameters) -> list[Row]:
        """Run a user's Cypher statement that only reads.

        Raises:
            QueryRefused: it gives too many rows.
        """
        return self._rows(self._java.query, statement, parameters, MAX_ROWS)

    def _rows(self, call: Any, statement: str, parameters: Parameters, most: int | None = None) -> list[Row]:
        values = self._json(json.dumps(parameters or {}, allow_nan=False, default=dict)).toMap()
        result = call("opencypher", statement, values)
        rows: list[Row] = []
        while result is not None:
            batch: list[Row] = json.loads(bytes(self._rows_as_json(result, BATCH).getBytes(self._utf8)).decode())
            rows += batch
            if most is not None and len(rows) > most:
                result.close()
                raise QueryRefused(TOO_MANY_ROWS)
            if len(batch) < BATCH:  # The bridge stops short only at the end, and has closed the result then.
                break
        return rows

    @contextmanager
    def stopped_after(self, seconds: float, *, awaited: bool = True) -> Iterator[None]:  # noqa: ARG002 - its own alone
        """Have the engine stop this thread's statement when its time is up."""
        self._time_limit.set(max(1, round(seconds * 1000)))
        try:
            yield
        finally:
            self._time_limit.clear()

    def wait_for_limits(self) -> None:
        """Do nothing: a limit is of one thread."""

    def check_room(self) -> None:
        """Refuse to go on while there is still enough room to roll back.

        Raises:
            EngineUnavailable: too little is left, and nothing can be collected.
        """
        if self._is_full():
            self._runtime.gc()
            if self._is_full():
                raise EngineUnavailable(TOO_LARGE)

    def _is_full(self) -> bool:
        runtime = self._runtime
        return bool(runtime.totalMemory() - runtime.freeMemory() > _FULL * runtime.maxMemory())

    def settle(self) -> None:
        """Wait until all pages are written."""
        self._pages.waitAllPagesOfDatabaseAreFlushed(self._java)
