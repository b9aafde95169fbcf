"""Asking a tenant questions of one's own: SPARQL on a view that follows the audit, Cypher on the store itself.

Guarantees: both only read, by parsing; both end when their time is up; a SPARQL answer says which audit sequence it is
from, and the view catches up before it answers. An answer that an erasure overtook, by whichever process, is made anew.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from marskg.errors import QueryRefused
from marskg.exporters.query import QueryResult, SparqlRunner, check_cypher, check_sparql
from marskg.exporters.sparql import with_prefixes
from marskg.exporters.view import SparqlView
from marskg.exporters.writer import Content
from marskg.ontology.vocabulary import Operation
from marskg.store.desk import desk_of
from marskg.store.encrypted import refuse_in_clear
from marskg.store.moments import without_erased

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from marskg.records import AuditRecord, Edge, Entity, Memory
    from marskg.retrieval.disclosure import Disclosure
    from marskg.store.opening import Opened
    from marskg.store.state import TenantState
    from marskg.store.writer import Writer

#: Records behind which the view is made anew instead of followed.
REBUILD_AFTER = 5_000


def undisturbed(writer: Writer, ask: Callable[[TenantState], QueryResult]) -> QueryResult:
    """Return what ``ask`` answers from a state, asked anew where something of the tenant was erased meanwhile.

    Raises:
        QueryRefused: as ``ask`` does.
        EngineUnavailable: something was erased at each attempt.
    """

    def asked(state: TenantState, check: Callable[[], None]) -> QueryResult:
        try:
            found = ask(state)
        except (QueryRefused, OSError):
            # The view may have gone with an erasure, by a process that does not wait for this one.
            check()
            raise
        check()
        return found

    return without_erased(writer, asked)


class Queries:
    """SPARQL and Cypher on one open tenant."""

    def __init__(self, opened: Opened) -> None:
        """Nothing is built or started before the first query."""
        self._opened = opened
        self._runner = SparqlRunner()
        # Kept, so that there is a desk for as long as there are queries.
        self._desk = desk_of(opened.engine, opened.tenant)

    def sparql(self, state: TenantState, query: str, limit_seconds: float) -> QueryResult:
        """Answer a SPARQL query from a view that has reached the tenant's audit sequence.

        Raises:
            QueryRefused: it writes, reaches out, is wrong, or takes too long.
            NotPermitted: the tenant's contents are encrypted.
        """
        self._refuse_in_clear()
        check_sparql(query)  # as it was given, so that a place in the refusal is one of the caller's text
        # All handles share the folder; and whoever erases waits, so that no answer from before comes after it.
        with self._desk.view_lock:
            folder = self._catch_up(state)
            return self._runner.run(folder, with_prefixes(query), limit=limit_seconds)

    def cypher(
        self, state: TenantState, query: str, parameters: Mapping[str, Any] | None, limit_seconds: float
    ) -> QueryResult:
        """Answer a Cypher query from the store.

        Raises:
            QueryRefused: it writes, calls what is not known to read, is wrong, or takes too long.
        """
        check_cypher(query)
        rows = self._opened.engine.query(query, parameters, limit_seconds=limit_seconds)
        columns = tuple(rows[0]) if rows else ()
        return QueryResult(columns, tuple(tuple(row[name] for name in columns) for row in rows), state.sequence)

    def seen(self, read: Callable[[], Disclosure], query: str, limit_seconds: float) -> QueryResult:
        """Answer a SPARQL query from a view of its own that holds what ``read`` gives: all that a reader may see.

        The view is made for the query and deleted after it. It has no sequence, which would count what is hidden:
        neither in the answer nor in what can be asked.

        Raises:
            QueryRefused: it writes, reaches out, is wrong, or takes too long.
        """
        self._refuse_in_clear()
        check_sparql(query)
        disclosed = read()
        folder = self._readers / self._opened.services.source.token(16).hex()
        with self._desk.view_lock:
            with SparqlView(folder) as view:
                content = Content(disclosed.memories(), disclosed.entities(), withheld=disclosed.withheld())
                view.rebuild(content, 0)
            try:
                return self._runner.run(folder, with_prefixes(query), limit=limit_seconds)
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def _refuse_in_clear(self) -> None:
        instead = "ask with Cypher, whose answers have envelopes in the place of contents, or query an export"
        refuse_in_clear(self._opened.engine, "the view that SPARQL asks", instead)

    @property
    def _readers(self) -> Path:
        """Return the folder of the views of single readers: no tenant has a name like that."""
        return self._opened.folder / "view" / f"{self._opened.tenant}~readers"

    def forget(self) -> None:
        """Delete the views: something of the store was erased."""
        folder = self._opened.folder / "view" / self._opened.tenant
        with self._desk.view_lock:
            self._runner.close()
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(self._readers, ignore_errors=True)
            (folder.parent / f"{folder.name}.accesses").unlink(missing_ok=True)

    def close(self) -> None:
        """End the worker."""
        self._runner.close()

    def _catch_up(self, state: TenantState) -> Path:
        """Bring the view up to the tenant's sequences; returns its folder."""
        folder = self._opened.folder / "view" / state.name
        with SparqlView(folder) as view:
            seen, accesses = view.sequence, _accesses(folder)
            behind = None if seen is None else state.sequence - seen + state.access_sequence - accesses
            if behind is None or behind < 0 or behind > REBUILD_AFTER:
                view.rebuild(self._everything(state), state.sequence)
            elif behind:
                self._follow(view, state, seen or 0, accesses)
            if behind != 0:
                (folder.parent / f"{state.name}.accesses").write_text(str(state.access_sequence))
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
        if any(record.operation in {Operation.ERASE, Operation.SEAL} for record in new):
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


def _accesses(folder: Path) -> int:
    """Return the access sequence that the view has reached."""
    path = folder.parent / f"{folder.name}.accesses"
    text = path.read_text() if path.exists() else ""
    return int(text) if text.isdigit() else 0
