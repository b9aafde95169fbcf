"""Bolt: Neo4j 5.26 and later, or any server that speaks its Cypher, through the official driver.

Guarantees: ``bolt://`` and ``neo4j://`` (routing, bookmarks) alike; a wrong password, an unreachable server and one
that goes away in mid-transaction raise :class:`~marskg.errors.EngineUnavailable` naming the address and the way out,
and never repeat the password; rows are plain Python values.
"""

from __future__ import annotations

import itertools
import os
import socket
import threading
import time
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import neo4j
from neo4j import exceptions as bolt_errors

from marskg.errors import EngineUnavailable, NotPermitted, OutcomeUnknown, QueryRefused
from marskg.store.engine.cypher_files import cypher_text
from marskg.store.engine.process_guard import Opener
from marskg.store.engine.protocol import MAX_ROWS, TOO_MANY_ROWS, Capability, Conflict, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_CONNECTION_SECONDS = 10.0
_TRANSIENT = (bolt_errors.TransientError, bolt_errors.ConstraintError)
#: A reader was between finding a node and loading it when another transaction removed the node.
_OVERTAKEN = frozenset({"Neo.ClientError.Statement.EntityNotFound"})
#: The statement itself is wrong: one that a user wrote, such as a policy's.
_STATEMENT = frozenset({"Neo.ClientError.Statement.SyntaxError"})
_READ_ATTEMPTS = 5
_POLL_S = 0.05
_GONE = (bolt_errors.ServiceUnavailable, bolt_errors.SessionExpired, bolt_errors.IncompleteCommit)


class _Transaction:
    """The statements of one unit of work."""

    def __init__(self, transaction: Any, terminate: Callable[[], None]) -> None:
        self._transaction = transaction
        self._terminate = terminate

    def run(
        self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float | None = None
    ) -> list[Row]:
        """Run one statement inside the open transaction.

        Raises:
            QueryRefused: it took longer than ``limit_seconds``, and the server ended the transaction.
        """
        if limit_seconds is not None:
            return self._run_limited(statement, parameters, limit_seconds)
        return self._transaction.run(statement, dict(parameters or {})).data()  # type: ignore[no-any-return]  # driver returns Any

    # The protocol has a limit for a transaction and none for a statement of one: what comes after needs its own time.
    def _run_limited(self, statement: str, parameters: Mapping[str, Any] | None, seconds: float) -> list[Row]:
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._terminate()

        watch = threading.Timer(seconds, stop)
        watch.daemon = True
        watch.start()
        try:
            return self.run(statement, parameters)
        except (bolt_errors.Neo4jError, bolt_errors.DriverError) as error:
            if late.is_set():
                raise QueryRefused(_late(seconds)) from error
            raise
        finally:
            watch.cancel()


class Bolt:
    """A server behind a Bolt address."""

    name = "neo4j"
    capabilities: frozenset[Capability] = frozenset()
    joined = False

    def __init__(self, uri: str, *, username: str, password: str, database: str | None = None) -> None:
        """Connect and check that the server answers.

        Raises:
            EngineUnavailable: unreachable, or the credentials are refused.
        """
        self._uri = uri
        self.check_process = Opener().check
        self.home: object = self
        self._database = database
        self._local = threading.local()
        # By which the server finds a transaction again: no other process on any machine has one of the same.
        self._mark = f"{socket.gethostname()}.{os.getpid()}.{id(self)}"
        self._numbers = itertools.count(1)
        try:
            self._driver = neo4j.GraphDatabase.driver(
                uri,
                auth=(username, password),
                connection_timeout=_CONNECTION_SECONDS,
                connection_acquisition_timeout=_CONNECTION_SECONDS,
                max_transaction_retry_time=0,
                notifications_min_severity="OFF",
            )
        except (bolt_errors.ConfigurationError, ValueError) as error:
            msg = f"{uri} is no Bolt address ({error}); use bolt://HOST:PORT or neo4j://HOST:PORT"
            raise EngineUnavailable(msg) from error
        try:
            with self._translated():
                self._driver.verify_connectivity()
        except BaseException:
            self._driver.close()
            raise

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn the driver's exceptions into ours."""
        try:
            yield
        except bolt_errors.AuthError as error:
            msg = f"{self._uri} refuses the credentials; set NEO4J_USERNAME and NEO4J_PASSWORD"
            raise EngineUnavailable(msg) from error
        except _TRANSIENT as error:
            raise Conflict(error.code or type(error).__name__) from error
        except _GONE as error:
            msg = f"{self._uri} is not reachable or went away; nothing unacknowledged was kept: check the server, retry"
            raise EngineUnavailable(msg) from error
        except UnicodeError as error:
            msg = f"{self._uri} names no machine; use bolt://HOST:PORT or neo4j://HOST:PORT"
            raise EngineUnavailable(msg) from error
        except OSError as error:
            msg = f"{self._uri} is not reachable ({error.strerror}); check the address and that the server runs"
            raise EngineUnavailable(msg) from error
        except bolt_errors.Forbidden as error:
            msg = f"{self._uri} does not let this user do that ({error.code}); use one that may read, write and index"
            raise EngineUnavailable(msg) from error
        except bolt_errors.Neo4jError as error:
            if error.code in _OVERTAKEN:
                raise Conflict(error.code) from error
            if error.code in _STATEMENT:
                msg = f"the engine refuses the statement: {(error.message or '').splitlines()[0][:300]}"
                raise QueryRefused(msg) from error
            # Its message may quote what was to be stored, so the code has to do.
            msg = f"{self._uri} fails with {error.code}; the change was rolled back: see the server's log, then retry"
            raise EngineUnavailable(msg) from error

    @contextmanager
    def _committing(self) -> Iterator[None]:
        """Call the outcome unknown where the connection is lost before a commit is acknowledged."""
        try:
            yield
        except (*_GONE, OSError) as error:
            msg = (
                f"{self._uri} went away before it acknowledged a commit, which may have been kept: once it answers, "
                "look whether what you asked for is done before you ask again"
            )
            raise OutcomeUnknown(msg) from error

    def _session(self, **settings: Any) -> Any:
        # The connections of a process that was forked are its parent's: what it says on them, the parent is answered.
        self.check_process()
        # Bookmarks chain the sessions of one driver, so that a read on a cluster sees the writes before it.
        return self._driver.session(database=self._database, fetch_size=2000, **settings)

    @contextmanager
    def transaction(self) -> Iterator[_Transaction]:
        """Open a transaction; commits on a clean exit, rolls back on any exception.

        Raises:
            Conflict: a deadlock, a lost lock or a constraint said that another transaction won.
            OutcomeUnknown: the server went away during the commit.
            EngineUnavailable: it went away before, so that nothing is kept.
        """
        mark = f"{self._mark}.{next(self._numbers)}"
        with (
            self._translated(),
            self._session() as session,
            session.begin_transaction(metadata={"marskg": mark}) as transaction,
        ):
            yield _Transaction(transaction, partial(self._terminate, mark))
            with self._committing():
                transaction.commit()

    def _terminate(self, mark: str) -> None:
        """Have the server end the transaction that bears ``mark``; what keeps it from that ends the transaction too."""
        with suppress(bolt_errors.Neo4jError, bolt_errors.DriverError), self._session() as session:
            session.run(cypher_text("terminate", self.name), {"mark": mark}).consume()

    def read(
        self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float | None = None
    ) -> list[Row]:
        """Run a read-only statement, again if a writer overtook it.

        Raises:
            QueryRefused: it took longer than ``limit_seconds``.
        """
        if limit_seconds is not None:
            return self._read_limited(statement, parameters, limit_seconds)
        for _ in range(_READ_ATTEMPTS - 1):
            with suppress(Conflict):
                return self._read(statement, parameters)
        return self._read(statement, parameters)

    def _read(self, statement: str, parameters: Mapping[str, Any] | None) -> list[Row]:
        with self._translated(), self._session() as session:
            # Not by data(): it looks through every value for nodes, and the product's own statements give none.
            return [dict(record.items()) for record in session.run(statement, dict(parameters or {}))]

    def _read_limited(self, statement: str, parameters: Mapping[str, Any] | None, seconds: float) -> list[Row]:
        text = neo4j.Query(statement, timeout=seconds)
        with self._translated(), self._session() as session:
            try:
                return session.run(text, dict(parameters or {})).data()  # type: ignore[no-any-return]  # driver returns Any
            except bolt_errors.Neo4jError as error:
                if _is_late(error):
                    raise QueryRefused(_late(seconds)) from error
                raise

    def query(self, statement: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float) -> list[Row]:
        """Run a user's read-only statement; the server ends it when its time is up."""
        text = neo4j.Query(statement, timeout=limit_seconds)
        with (
            self._translated(),
            self._session(default_access_mode=neo4j.READ_ACCESS) as session,
        ):
            try:
                found = session.run(text, dict(parameters or {})).fetch(MAX_ROWS + 1)
            except bolt_errors.ClientError as error:
                raise QueryRefused(_refusal(error, limit_seconds)) from error
            if len(found) > MAX_ROWS:
                raise QueryRefused(TOO_MANY_ROWS)
            return [record.data() for record in found]

    def write(self, statement: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """Run one statement in an auto-commit transaction: one round trip less than an explicit one.

        Raises:
            OutcomeUnknown: the server went away, as it seems before it did what it was sent.
        """
        with self._translated(), self._session() as session, self._committing():
            result = session.run(statement, dict(parameters or {}))
            rows: list[Row] = result.data()
            result.consume()
            return rows

    def define(self, statement: str) -> None:
        """Run one schema statement (Neo4j DDL).

        Raises:
            Conflict: another process defines the same at the same time, which IF NOT EXISTS does not cover; or nodes
                that are there do not allow it.
        """
        with self._translated(), self._session() as session:
            try:
                session.run(statement).consume()
            except bolt_errors.Neo4jError as error:
                if ".Schema." in (error.code or ""):
                    raise Conflict(error.code) from error
                raise

    def define_all(self, statements: Sequence[str]) -> None:
        """Run schema statements, each in a transaction of its own, and wait until all indexes are filled.

        Raises:
            Conflict: as :meth:`define` does.
        """
        for statement in statements:
            self.define(statement)
        # Asked again and again: a procedure that waits has locks meanwhile, and two processes that make the schema of
        # an empty server at once would wait for each other without an end.
        asked = cypher_text("schema_indexes", self.name)
        while any(row["state"] == "POPULATING" for row in self.read(asked)):
            time.sleep(_POLL_S)

    @property
    def scrub_promised(self) -> bool:
        """Return that nothing is to follow: a client promises nothing of a server's files."""
        return False

    def promise_scrub(self) -> None:
        """Refuse: a client cannot rewrite a server's files.

        Raises:
            NotPermitted: always.
        """
        msg = (
            f"{self._uri} is a server, and its files are its operator's: erase without scrub; in an encrypted tenant "
            "the claim is keys, and docs/how-to/erase-on-neo4j.md says how an operator gets rid of the bytes of others"
        )
        raise NotPermitted(msg)

    def scrub(self) -> None:
        """Refuse, as :meth:`promise_scrub` does."""
        self.promise_scrub()

    def close(self) -> None:
        """Close the driver's connections."""
        self.check_process()
        self._driver.close()


def _is_late(error: bolt_errors.Neo4jError) -> bool:
    """Return whether the server stopped a query because its time was up."""
    return "Timeout" in (error.code or "") or "TimedOut" in (error.code or "")


def _late(seconds: float) -> str:
    return f"the statement took longer than {seconds:g} s and was stopped"


def _refusal(error: bolt_errors.ClientError, limit_seconds: float) -> str:
    """Return why a user's query had no answer, and what to do."""
    if _is_late(error):
        return f"the query took longer than {limit_seconds:g} s and was stopped; narrow it, or raise the limit"
    return f"the engine refuses the query: {(error.message or '').splitlines()[0][:300]}"
