"""Read-only queries with a time limit: SPARQL in a process that can be killed, Cypher checked by its tokens.

Guarantees: a query that writes, reaches out or runs too long is :class:`~marskg.errors.QueryRefused`, and the process
that ran it is gone; a result says which audit sequence it is from; an answer from before the last erasure is never
given. The process is started by its module's name, neither forked (a Java virtual machine in this process would hang)
nor spawned by ``multiprocessing`` (which would run the caller's main module again), and serves one query after another.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from marskg.answer import Answer
from marskg.errors import EngineUnavailable, QueryRefused
from marskg.exporters.queries.sparql_guard import check_sparql
from marskg.store.engine.protocol import MAX_ROWS
from marskg.store.statements.cypher_guard import check_read_only as check_cypher

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

__all__ = ["QueryResult", "SparqlRunner", "check_cypher", "check_sparql"]

#: Seconds that a query may take when its caller does not say.
TIME_LIMIT_S = 30.0


@dataclass(frozen=True, slots=True)
class QueryResult(Answer, rows="rows"):
    """A table of values as JSON has them, what it has no form for as text; ``sequence`` is how fresh it is."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    sequence: int

    def _rows(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def _columns(self) -> tuple[str, ...]:
        return self.columns


class SparqlRunner:
    """Runs queries on views in a worker process, which it starts when needed and kills when a query takes too long."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._process: subprocess.Popen[str] | None = None
        self._end: weakref.finalize[[subprocess.Popen[str], int], SparqlRunner] | None = None
        self._lock = threading.Lock()

    def run(
        self,
        view: Path,
        query: str,
        *,
        limit: float = TIME_LIMIT_S,
        spent: float = 0.0,
        not_before: int = 0,
        max_rows: int = MAX_ROWS,
    ) -> QueryResult:
        """Return the result of ``query`` on the view in the folder ``view``.

        Args:
            view: folder of a :class:`~marskg.exporters.queries.view.SparqlView`; its writer may have it open.
            query: SPARQL 1.1: SELECT, ASK, CONSTRUCT or DESCRIBE.
            limit: seconds after which the worker is killed.
            spent: seconds of them that checking the query took.
            not_before: the audit sequence of the last erasure; an older view is refused.
            max_rows: rows above which the result is refused.

        Raises:
            QueryRefused: the query is not allowed, is wrong, or takes too long; or the view is too old.
        """
        request = {
            "view": str(view),
            "query": query,
            "limit": limit,
            "not_before": not_before,
            "max_rows": max_rows,
        }
        with self._lock:
            answer = self._asked(json.dumps(request), limit, max(limit - spent, 0.0))
        if "refused" in answer:
            raise QueryRefused(answer["refused"])
        rows = tuple(tuple(row) for row in answer["rows"])
        return QueryResult(tuple(answer["columns"]), rows, answer["sequence"])

    def check(self, query: str, *, limit: float) -> float:
        """Check a query in the worker, as parsing takes seconds for some; returns how many it took.

        Raises:
            QueryRefused: the query is not allowed, or is wrong, or checking it takes longer than ``limit``.
        """
        begun = time.monotonic()
        with self._lock:
            answer = self._asked(json.dumps({"query": query, "limit": limit}), limit, limit)
        if "refused" in answer:
            raise QueryRefused(answer["refused"])
        return time.monotonic() - begun

    def close(self) -> None:
        """End the worker; the next query starts another."""
        self._process = None
        if self._end is not None:
            self._end()

    def __enter__(self) -> Self:
        """Return the runner itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the worker."""
        self.close()

    def _asked(self, request: str, limit: float, left: float) -> dict[str, Any]:
        """Send ``request`` and return the answer, killing the worker when nothing is left or on any exception."""
        process = self._started()
        killed = threading.Event()

        def kill() -> None:
            killed.set()
            process.kill()

        timer = threading.Timer(left, kill)
        try:
            timer.start()
            line = self._exchange(process, request)
        except BaseException:  # Ctrl-C must not leave a query running
            self.close()
            raise
        finally:
            timer.cancel()
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        self.close()
        if killed.is_set():
            msg = f"the query took longer than {limit:g} s and was stopped; narrow it, add LIMIT, or raise the limit"
            raise QueryRefused(msg)
        msg = "the query ended the process that ran it: too deep or too large; write it more simply"
        raise QueryRefused(msg)

    @staticmethod
    def _exchange(process: subprocess.Popen[str], request: str) -> str:
        """Return the worker's line; an empty string if it has ended."""
        assert process.stdin is not None  # noqa: S101 - both are pipes, see _started
        assert process.stdout is not None  # noqa: S101
        try:
            process.stdin.write(f"{request}\n")
            process.stdin.flush()
            return process.stdout.readline()
        except BrokenPipeError:
            return ""
        except ValueError as error:  # another thread closed it
            msg = "the memory was closed while the query ran"
            raise EngineUnavailable(msg) from error

    def _started(self) -> subprocess.Popen[str]:
        """Return the running worker, or a new one."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                # -P: a file of the current folder must not stand in for a module of the worker.
                [sys.executable, "-P", "-m", "marskg.exporters.queries.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
                # Ctrl-C is this process's to handle: it kills the worker.
                start_new_session=True,
            )
            # A runner that nobody closed ends its worker with itself, and at the latest with the interpreter.
            self._end = weakref.finalize(self, _end_worker, self._process, os.getpid())
        return self._process


def _end_worker(process: subprocess.Popen[str], owner: int) -> None:
    """Kill a worker and wait for it, in the process that started it: a fork has a copy of this, and no child."""
    if os.getpid() == owner:
        process.kill()
        process.communicate()
