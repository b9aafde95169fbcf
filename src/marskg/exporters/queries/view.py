"""The SPARQL view: everything of one tenant as one RDF graph on disk, derived from the store and following its audit.

Guarantees: the view holds exactly the lines that an export with audit holds; it knows the audit sequence that it has
reached, changes and sequence in one transaction, so that after a crash it is behind, never between; while it is being
rebuilt it has no sequence, and no query is answered from it. It holds nothing that the store does not: deleting its
folder loses nothing. One process writes to a view; queries run beside it in processes of their own
(:mod:`~marskg.exporters.queries.runner`).
"""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Self
from weakref import WeakSet

import pyoxigraph as ox

from marskg.audit.document import head_lines, record_lines
from marskg.errors import StoreLocked, StoreUnwritable
from marskg.exporters.queries.worker import SEQUENCE_QUERY, VIEW
from marskg.host import at_fork
from marskg.ontology.mapping import entity_lines, memory_lines, preference_lines, withheld_lines
from marskg.ontology.vocabulary import NS, XSD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from marskg.exporters.rdf.writer import Content

#: Subjects replaced in one transaction.
_BATCH = 500
#: Bytes of N-Triples handed to the loader at a time.
_CHUNK = 8 << 20


#: The views of this process that are open.
_OPEN: WeakSet[SparqlView] = WeakSet()
#: Whether there was any: the threads of the library stay.
_used: set[int] = set()


def _leave_to_the_parent() -> None:
    """Let a child that was forked end without closing what its parent has open.

    The library would wait for threads of its own that the child does not have, or crash: as its stores are closed, and
    as its code is unloaded. So the stores stay as they are, and the process ends, with its status, before the latter.
    """
    if not _used:
        return
    for view in list(_OPEN):
        if hasattr(view, "_store"):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(view._store))  # noqa: SLF001 - its own module
    libc = ctypes.CDLL(None)
    if hasattr(libc, "on_exit"):  # glibc's: called before what was registered earlier
        libc.on_exit(ctypes.cast(libc._exit, ctypes.c_void_p), None)  # noqa: SLF001 - the name that POSIX gives it


at_fork(in_child=_leave_to_the_parent)


class SparqlView:
    """The view in one folder, open for writing."""

    def __init__(self, folder: Path) -> None:
        """Open the view in ``folder``, making it if there is none.

        Raises:
            StoreLocked: another process has it open for writing.
            StoreUnwritable: the folder cannot be written.
        """
        self.folder = folder
        self._temporary: Path | None = None
        try:
            # One after another, as the mode is that of the last one alone.
            for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
                missing.mkdir(exist_ok=True, mode=0o700)
            self._store = ox.Store(str(folder))
            _used.add(os.getpid())
            _OPEN.add(self)
        except (OSError, RuntimeError) as error:
            if "lock" in str(error).lower():
                msg = f"the SPARQL view {folder} is open in another process; close it there, or wait"
                raise StoreLocked(msg) from error
            msg = f"cannot open the SPARQL view {folder}: {error}; delete the folder to have it rebuilt, or free space"
            raise StoreUnwritable(msg) from error

    @classmethod
    def temporary(cls) -> SparqlView:
        """Return an empty view in a folder that is deleted when the view is closed: for stores that have no folder."""
        folder = Path(tempfile.mkdtemp(prefix="marskg-view-"))
        view = cls(folder)
        view._temporary = folder
        return view

    @property
    def sequence(self) -> int | None:
        """Return the audit sequence that the view has reached; None if it must be rebuilt."""
        found = next(iter(self._store.query(SEQUENCE_QUERY)), None)  # type: ignore[arg-type]  # a SELECT has solutions
        return None if found is None else int(found["n"].value)

    def __len__(self) -> int:
        """Return the number of triples, without the view's own bookkeeping."""
        return len(self._store) - (self.sequence is not None)

    def rebuild(self, content: Content, sequence: int) -> None:
        """Make the view hold ``content`` and nothing else, as of ``sequence``."""
        self._store.clear()
        for chunk in _chunks(_lines(content)):
            self._store.bulk_load(chunk, format=ox.RdfFormat.N_TRIPLES)
        self._store.update(_sequence_update(sequence))
        # Also drops the bytes of what was there before.
        self.compact()

    def apply(self, content: Content, sequence: int, removed: Iterable[str] = ()) -> None:
        """Replace what the view says about everything in ``content``, drop the ``removed`` ids, reach ``sequence``.

        A node is given with all of its outgoing edges; a record with what is left of its details.
        """
        steps = chain(_changes(content), ((ident, []) for ident in removed))
        while batch := list(islice(steps, _BATCH)):
            self._store.update(_replacement(batch))
        self._store.update(_sequence_update(sequence))

    def pointing_to(self, ids: Iterable[str]) -> set[str]:
        """Return the subjects that point to one of ``ids`` in the view as it stands."""
        found: set[str] = set()
        for ident in ids:
            for quad in self._store.quads_for_pattern(None, None, ox.NamedNode(ident)):
                if isinstance(quad.subject, ox.NamedNode):
                    found.add(quad.subject.value.partition("#")[0])
        return found

    def compact(self) -> None:
        """Rewrite the files of the view, so that nothing deleted remains in them (after an erasure)."""
        self._store.flush()
        self._store.optimize()

    def close(self) -> None:
        """Release the view; a temporary one is deleted."""
        if hasattr(self, "_store"):
            self._store.flush()
            del self._store
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
            self._temporary = None

    def __enter__(self) -> Self:
        """Return the view itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release the view."""
        self.close()


def _changes(content: Content) -> Iterator[tuple[str, list[str]]]:
    """Yield each subject of ``content`` with its lines; nodes inside it (edges, slots) belong to its subject."""
    for memory, edges in content.memories:
        yield memory.id, memory_lines(memory, edges)
    for entity, edges in content.entities:
        yield entity.id, entity_lines(entity, edges)
    for preference in content.preferences:
        yield preference.id, preference_lines(preference)
    for ident in content.withheld:
        yield ident, withheld_lines(ident)
    for record in content.records or ():
        yield record.iri, record_lines(record)
    for head in content.heads:
        yield f"{head.log}#head-{head.size}", head_lines(head)


def _lines(content: Content) -> Iterator[str]:
    return (line for _, lines in _changes(content) for line in lines)


def _chunks(lines: Iterator[str]) -> Iterator[bytes]:
    """Yield ``lines`` as N-Triples documents of a bounded size."""
    parts: list[str] = []
    size = 0
    for line in lines:
        parts.append(line)
        size += len(line)
        if size > _CHUNK:
            yield "\n".join(parts).encode()
            parts, size = [], 0
    if parts:
        yield "\n".join(parts).encode()


def _replacement(changes: list[tuple[str, list[str]]]) -> str:
    """Return one update, and so one transaction, that replaces all that is said about the subjects of ``changes``."""
    # NamedNode refuses what is no IRI, so that nothing can end the list early.
    subjects = " ".join(str(ox.NamedNode(subject)) for subject, _ in changes)
    added = "\n".join(line for _, lines in changes for line in lines)
    return f"""
        DELETE {{ ?inner ?p ?o }} WHERE {{ VALUES ?s {{ {subjects} }} ?inner <{NS}edgeSource> ?s ; ?p ?o }} ;
        DELETE {{ ?inner ?p ?o }} WHERE {{ VALUES ?s {{ {subjects} }} ?s <{NS}slot> ?inner . ?inner ?p ?o }} ;
        DELETE {{ ?s ?p ?o }} WHERE {{ VALUES ?s {{ {subjects} }} ?s ?p ?o }} ;
        INSERT DATA {{ {added} }}
    """


def _sequence_update(sequence: int) -> str:
    """Return the update that says which sequence the view has reached."""
    return f"""
        DELETE WHERE {{ GRAPH <{VIEW}> {{ ?s ?p ?o }} }} ;
        INSERT DATA {{ GRAPH <{VIEW}> {{ <{VIEW}> <{NS}sequence> "{sequence}"^^<{XSD}integer> }} }}
    """
