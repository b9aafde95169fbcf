"""Asking a tenant questions of one's own: SPARQL on a view that follows the audit, Cypher on the store itself.

Guarantees: both only read, by parsing; both end when their time is up; a SPARQL answer says which audit sequence it is
from, and the view catches up before it answers. An answer that an erasure overtook, by whichever process, is made anew.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from marskg.errors import InvalidInput, QueryRefused
from marskg.exporters.queries.runner import QueryResult, SparqlRunner, check_cypher
from marskg.exporters.queries.sparql_guard import with_prefixes
from marskg.exporters.queries.view import SparqlView
from marskg.exporters.rdf.writer import Content
from marskg.ontology.vocabulary import Operation
from marskg.store.commit.shared_state import shared_state_of
from marskg.store.commit.snapshot_read import erasure_safe_read
from marskg.store.crypto.encrypted_engine import refuse_in_clear
from marskg.store.engine.working_folders import passing_folder
from marskg.store.graph.validation import check_number
from marskg.store.tenant.opening import readers_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from marskg.records import AuditRecord, Edge, Entity, Memory
    from marskg.retrieval.access.disclosure import Disclosure
    from marskg.store.commit.snapshot_read import Check
    from marskg.store.commit.writer import Writer
    from marskg.store.rows.state import TenantState
    from marskg.store.tenant.opening import Opened

#: Records behind which the view is made anew instead of followed.
REBUILD_AFTER = 5_000
T = TypeVar("T")
#: A millisecond and a day: no answer comes sooner, and none is waited for longer.
_SHORTEST_QUERY_S, _LONGEST_QUERY_S = 0.001, 86_400


def undisturbed(writer: Writer, ask: Callable[[TenantState], T]) -> T:
    """Return what ``ask`` answers from a state, asked anew where something of the tenant was erased meanwhile.

    Raises:
        QueryRefused: as ``ask`` does.
    """

    def asked(state: TenantState, check: Check) -> T:
        try:
            found = ask(state)
        except (QueryRefused, OSError):
            # The view may have gone with an erasure, by a process that does not wait for this one.
            check()
            raise
        check()
        return found

    return erasure_safe_read(writer, asked)


class Queries:
    """SPARQL and Cypher on one open tenant."""

    def __init__(self, opened: Opened) -> None:
        """Nothing is built or started before the first query."""
        self._opened = opened
        self._runner = SparqlRunner()
        # Kept, so that there is a shared state for as long as there are queries.
        self._shared = shared_state_of(opened.engine, opened.tenant)

    def sparql(self, state: TenantState, query: str, limit_seconds: float) -> QueryResult:
        """Answer a SPARQL query from a view that has reached the tenant's audit sequence.

        Raises:
            QueryRefused: it writes, reaches out, is wrong, or takes too long.
            NotPermitted: the tenant's contents are encrypted.
        """
        self._refuse_in_clear()
        _check_limit(limit_seconds)
        # As it was given, so that a place in the refusal is one of the caller's text.
        spent = self._runner.check(query, limit=limit_seconds)
        # All handles share the folder; and whoever erases waits, so that no answer from before comes after it.
        with self._shared.view_lock:
            folder = self._catch_up(state)
            return self._runner.run(folder, with_prefixes(query), limit=limit_seconds, spent=spent)

    def cypher(
        self, state: TenantState, query: str, parameters: Mapping[str, Any] | None, limit_seconds: float
    ) -> QueryResult:
        """Answer a Cypher query from the store.

        Raises:
            QueryRefused: it writes, calls what is not known to read, is wrong, or takes too long.
        """
        check_cypher(query)
        _check_limit(limit_seconds)
        rows = self._opened.engine.query(query, parameters, limit_seconds=limit_seconds)
        columns = tuple(rows[0]) if rows else ()
        return QueryResult(columns, tuple(tuple(row[name] for name in columns) for row in rows), state.sequence)

    def checked(self, query: str, limit_seconds: float) -> float:
        """Refuse what a reader may not ask in SPARQL, before anything is read; returns the seconds that took.

        Raises:
            QueryRefused: it writes, reaches out or is wrong.
        """
        self._refuse_in_clear()
        _check_limit(limit_seconds)
        return self._runner.check(query, limit=limit_seconds)

    def seen(self, read: Callable[[], Disclosure], query: str, limit_seconds: float, spent: float) -> QueryResult:
        """Answer a SPARQL query from a view of its own that holds what ``read`` gives: all that a reader may see.

        The query was :meth:`checked`, which ``spent`` some of the limit. The view is made for the query and deleted
        after it. It has no sequence, which would count what is hidden: neither in the answer nor in what can be asked.

        Raises:
            QueryRefused: it takes too long.
        """
        disclosed = read()
        with self.passing() as folder:
            with SparqlView(folder) as view:
                content = Content(disclosed.memories(), disclosed.entities(), withheld=disclosed.withheld())
                view.rebuild(content, 0)
            return self._runner.run(folder, with_prefixes(query), limit=limit_seconds, spent=spent)

    @contextmanager
    def passing(self) -> Iterator[Path]:
        """Give a folder for what one reader's answer is made from; an erasure waits until it is gone."""
        with self._shared.view_lock, passing_folder(readers_folder(self._opened.folder, self._opened.tenant)) as folder:
            yield folder

    def _refuse_in_clear(self) -> None:
        instead = "ask with Cypher, whose answers have envelopes in the place of contents, or query an export"
        refuse_in_clear(self._opened.engine, "the view that SPARQL asks", instead)

    def forget(self) -> None:
        """Delete the views: something of the store was erased."""
        folder = self._opened.folder / "view" / self._opened.tenant
        with self._shared.view_lock:
            self._runner.close()
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(readers_folder(self._opened.folder, self._opened.tenant), ignore_errors=True)
            (folder.parent / f"{folder.name}.accesses").unlink(missing_ok=True)

    def close(self) -> None:
        """End the worker."""
        self._runner.close()

    def _catch_up(self, state: TenantState) -> Path:
        """Bring the view up to the tenant's sequences; returns its folder."""
        folder = self._opened.folder / "view" / state.name
        with SparqlView(folder) as view:
            seen, accesses = view.sequence, _accesses(folder, state)
            behind = (
                None if seen is None or accesses is None else state.sequence - seen + state.access_sequence - accesses
            )
            if behind is None or behind < 0 or behind > REBUILD_AFTER:
                view.rebuild(self._everything(state), state.sequence)
            elif behind:
                self._follow(view, state, seen or 0, accesses or 0)
            if behind != 0:
                (folder.parent / f"{state.name}.accesses").write_text(f"{state.access_sequence} {state.line}")
        return folder

    def _everything(self, state: TenantState) -> Content:
        reader = self._opened.reader

        def memories() -> Iterator[tuple[Memory, tuple[Edge, ...]]]:
            return ((memory, edges) for memory, edges, _ in reader.memories())

        def entities() -> Iterator[tuple[Entity, tuple[Edge, ...]]]:
            return ((entity, edges) for entity, edges, _ in reader.entities())

        def records() -> Iterator[AuditRecord]:
            yield from reader.records("t")
            yield from reader.records("a")

        preferences = (preference for preference, _ in reader.preferences())
        return Content(memories(), entities(), records(), reader.heads(state.log), preferences)

    def _follow(self, view: SparqlView, state: TenantState, seen: int, accesses: int) -> None:
        """Replace what changed since the view's sequence.

        Nodes that pointed, or point now, to a changed one are replaced too: temporalNext moves without a record.
        """
        reader = self._opened.reader
        new = [*reader.records("t", seen + 1), *reader.records("a", accesses + 1)]
        if any(record.operation in {Operation.ERASE, Operation.SEAL, Operation.RESTORE_SNAPSHOT} for record in new):
            # The log no longer says what: nothing may be answered from before (semantics section 10).
            view.rebuild(self._everything(state), state.sequence)
            return
        changed = {node_id for record in new for node_id in record.memories}
        changed |= view.pointing_to(changed) | {edge.source for edge in reader.edges_to(sorted(changed))}
        changed = {node_id for node_id in changed if node_id not in {state.log, state.access_log}}
        nodes = [(memory, edges) for memory, edges, _ in reader.nodes(sorted(changed))]
        entities = [(entity, edges) for entity, edges, _ in reader.entities_by_id(sorted(changed))]
        preferences = (
            [item for item, _ in reader.preferences() if item.id in changed] if state.preferences > seen else []
        )
        kept = {memory.id for memory, _ in nodes} | {entity.id for entity, _ in entities}
        kept |= {item.id for item in preferences}
        content = Content(nodes, entities, new, reader.heads(state.log), preferences)
        view.apply(content, state.sequence, sorted(changed - kept))


def _check_limit(seconds: float) -> None:
    check_number("limit_seconds", seconds, _SHORTEST_QUERY_S, _LONGEST_QUERY_S, error=InvalidInput)


def _accesses(folder: Path, state: TenantState) -> int | None:
    """Return the access sequence that the view has reached; None where it is of another history than ``state``."""
    path = folder.parent / f"{folder.name}.accesses"
    text, _, line = path.read_text().partition(" ") if path.exists() else ("", "", "")
    return int(text) if text.isdigit() and line == state.line else None
