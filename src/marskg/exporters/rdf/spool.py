"""Triples gathered by subject in a private temporary database, so that reading needs little memory for any document.

Guarantees: subjects come back in the order in which they first appeared, whatever the order of the triples; nothing
of the spool has a name in the file system (SQLite deletes the file as it opens it), and it is gone when closed.
Reading from the spool, not from the document again, also means that what was checked is what is loaded.
"""

from __future__ import annotations

import json
import sqlite3
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, Self

from marskg.errors import StoreUnwritable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from marskg.exporters.rdf.triples import Triple


class Statement(NamedTuple):
    """A triple without its subject."""

    predicate: str
    value: str
    datatype: str


class Group(NamedTuple):
    """All that a document says about one subject; ``parts`` is in how many places it says it."""

    subject: str
    statements: list[Statement]
    parts: int


class Spool:
    """The triples of one document."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        """Read ``triples`` to their end.

        Raises:
            StoreUnwritable: the temporary folder has no room.
        """
        self._database = sqlite3.connect("", isolation_level=None)
        try:
            self._fill(triples)
        except sqlite3.OperationalError as error:
            self.close()
            msg = f"cannot hold the document in the temporary folder: {error}; free some space, or set TMPDIR"
            raise StoreUnwritable(msg) from error
        except BaseException:  # a document that is refused, or Ctrl-C, must not leave the file open
            self.close()
            raise

    def _fill(self, triples: Iterable[Triple]) -> None:
        run = self._database.execute
        run("PRAGMA journal_mode = OFF")
        run("PRAGMA synchronous = OFF")
        run("CREATE TABLE part (position INTEGER PRIMARY KEY, subject TEXT, statements TEXT)")
        run("BEGIN")
        rows = (
            (subject, json.dumps([triple[1:] for triple in run_of_triples]))
            for subject, run_of_triples in groupby(triples, key=attrgetter("subject"))
        )
        self._database.executemany("INSERT INTO part (subject, statements) VALUES (?, ?)", rows)
        run("CREATE INDEX part_of_subject ON part (subject, position)")
        run("COMMIT")

    def groups(self) -> Iterator[Group]:
        """Yield each subject with all that is said about it, in the order of first appearance."""
        rows = self._database.execute("SELECT subject FROM part GROUP BY subject ORDER BY min(position)")
        for (subject,) in rows:
            found = self.get(subject)
            if found is not None:
                yield found

    def get(self, subject: str) -> Group | None:
        """Return what is said about ``subject``; None if it is no subject."""
        query = "SELECT statements FROM part WHERE subject = ? ORDER BY position"
        rows = self._database.execute(query, (subject,)).fetchall()
        if not rows:
            return None
        statements = [Statement(*item) for (text,) in rows for item in json.loads(text)]
        # A document may say the same twice; RDF is a set.
        return Group(subject, list(dict.fromkeys(statements)), len(rows))

    def close(self) -> None:
        """Drop the temporary database."""
        self._database.close()

    def __enter__(self) -> Self:
        """Return the spool itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Drop the temporary database."""
        self.close()
