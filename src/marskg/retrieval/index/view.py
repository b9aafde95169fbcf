"""The index of an open tenant, following the tenant's logs, and kept in a file between programs.

Guarantees: before it answers, the index has reached the audit and access sequences that the tenant's row has, whoever
wrote them; it says which it has reached. A file that is damaged, of another model or ahead of the store is put aside
with a warning and the index is built from the store. Deleting the file loses nothing but time.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.config import AUTO, EXACT
from marskg.errors import EmbeddingUnavailable
from marskg.language.mentions import may_be_person
from marskg.language.naming.caution import parts_of
from marskg.ontology.vocabulary import ENTITY_EDGES, Operation
from marskg.retrieval.index import storage
from marskg.retrieval.index.memory_index import MemoryIndex
from marskg.retrieval.index.nearest import EngineNearest, put_points
from marskg.retrieval.index.storage import Corrupt, Reached
from marskg.retrieval.index.while_made import MOST_MISSING
from marskg.store.rows import codec
from marskg.store.unit.vectors import model_mismatch, model_name, own, rows_by, tag, unpacked, unpacked_passages
from marskg.store.upkeep.reembed import make_up
from marskg.store.upkeep.vector_index import Points

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from marskg.embedding.model import EmbeddingModel
    from marskg.policies.core.features import FeatureTable
    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Reader, Row
    from marskg.store.rows.state import TenantState
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.vectors import Vectoriser
    from marskg.store.upkeep.access_log import Accessed

_LOG: Final = logging.getLogger(__name__)
#: Memories read at once.
PAGE: Final = 500
#: Records behind which the index is built anew instead of followed.
REBUILD_AFTER: Final = 50_000
#: A store with fewer memories is read faster than a file is worth.
LEAST_SAVED: Final = 1_000
#: Vectors that are made up for while somebody waits for an answer.
MADE_UP: Final = 256
#: Share of removed rows from which the index is compacted.
_SLACK: Final = 0.25


class IndexView:
    """One tenant's index, in step with the store."""

    def __init__(
        self,
        reader: GraphReader,
        writer: Writer,
        vectoriser: Vectoriser,
        file: Path | None,
        hides: Callable[[str], str] | None = None,
        *,
        later: Callable[[Sequence[str]], None] | None = None,
    ) -> None:
        """Nothing is read before the first :meth:`refresh`; the index is kept in ``file``.

        Without a file it is a guest's: it is kept nowhere, and no vector is made up for. ``hides`` gives what stands
        for a word of free JSON, where contents are encrypted. ``later`` hears which memories lack a vector that takes
        long; without it nobody makes these.
        """
        self._later = later
        self._hides = hides
        self.lock = threading.RLock()
        self._reader = reader
        self._writer = writer
        self._vectoriser = vectoriser
        self._file = file
        self._index: MemoryIndex | None = None
        self._reached: Reached | None = None
        self._changed = False
        self._points: tuple[int, Points] | None = None
        #: Memories that the index holds as an open transaction has them; what became of it is read when it is over.
        self._provisional: set[str] = set()
        self._goal: npt.NDArray[np.float32] | None = None
        #: Who finds the nearest vectors; None where all are compared.
        self.nearest: EngineNearest | None = None
        #: Why the answers are without vectors, if they are.
        self.without_vectors: str | None = None

    @property
    def reached(self) -> tuple[int, int]:
        """Return the audit and the access sequence that the index has reached."""
        return (0, 0) if self._reached is None else (self._reached.sequence, self._reached.access_sequence)

    def refresh(self, state: TenantState, progress: Callable[[int], None] | None = None) -> MemoryIndex:
        """Return the index, brought up to ``state``; hold :attr:`lock` while you use it.

        Raises:
            EmbeddingMismatch: the tenant's vectors are of another model than the one in use.
        """
        with self.lock:
            model = self._catch_up(state, progress)
            index = self._loaded()
            with self._writer.unless_busy() as idle:
                # Whoever writes may wait for this index: what is to be written for it waits for the next time.
                if model is not None and model.late:
                    self._make_later(index)
                elif idle and model is not None and self._file is not None:
                    self._make_up(index, model)
                self.nearest = self._engine(state, index, MADE_UP if idle else 0)
            if index.dead > max(PAGE, _SLACK * index.columns.rows):
                index.compact()
            return index

    def _catch_up(self, state: TenantState, progress: Callable[[int], None] | None) -> EmbeddingModel | None:
        """Bring the index up to ``state``; returns the model, or None where there is none or it does not answer."""
        model, name = self._model(state)
        if self._index is None:
            self._open(state, name)
        if self._reached is None or not self._follows(state, name):
            self._build(state, name, progress)
        else:
            self._take_back(name)
            if self.reached != (state.sequence, state.access_sequence):
                self._follow(state, name)
        return model

    # --- Features -------------------------------------------------------------------------------------------------

    def prepare_table(self, state: TenantState, progress: Callable[[int], None] | None = None) -> None:
        """Bring the index up to ``state``, writing nothing, before a transaction begins that will ask for a table."""
        with self.lock:
            self._catch_up_for_table(state, progress)

    def _catch_up_for_table(self, state: TenantState, progress: Callable[[int], None] | None) -> None:
        """Bring the index up to ``state``, unless it has reached that already."""
        reached = self._reached
        there = self._index is not None and reached is not None and reached.line == state.line
        if there and self.reached[0] >= state.sequence and self.reached[1] >= state.access_sequence:
            self._take_back(self.model)
        else:
            self._catch_up(state, progress)

    def table(self, state: TenantState, now: int, *, linked: bool = False) -> FeatureTable:
        """Return the features of the live memories at ``state``."""
        with self.lock:
            self._catch_up_for_table(state, None)
            return self._loaded().features.table(now, state.settings.task_grace, linked=linked)

    def table_within(
        self, state: TenantState, now: int, read: Reader, changed: Collection[str], *, linked: bool = False
    ) -> FeatureTable:
        """Return the features at ``state``, which an open transaction has brought about that ``read`` sees.

        ``changed`` are the memories that it changed since the state that :meth:`prepare_table` was given; the index
        has them as they are there until it is next asked for.
        """
        with self.lock:
            index = self._loaded()
            self._provisional |= set(changed)
            ids = sorted(changed)
            for start in range(0, len(ids), PAGE):
                page = ids[start : start + PAGE]
                found = self._put(index, page, self.model, read)
                for ident in page:
                    if ident not in found:
                        index.remove(ident)
            return index.features.table(now, state.settings.task_grace, linked=linked)

    def set_goal(self, state: TenantState, vector: npt.NDArray[np.float32] | None) -> None:
        """Let retention go by the similarity to ``vector``, None for the active tasks' again."""
        with self.lock:
            self._goal = vector
            self._catch_up_for_table(state, None)
            self._loaded().features.set_goal(vector)

    def _take_back(self, name: str | None) -> None:
        """Read what a transaction changed that is over now, whatever became of it."""
        ids, self._provisional = sorted(self._provisional), set()
        self._take_in(ids, name)

    # --- Vectors --------------------------------------------------------------------------------------------------

    def put_points(self, state: TenantState, progress: Callable[[int], None]) -> None:
        """Hand the engine's index all vectors, where the settings ask for it."""
        with self.lock:
            self._engine(state, self.refresh(state), None, progress)

    def _engine(
        self,
        state: TenantState,
        index: MemoryIndex,
        limit: int | None,
        progress: Callable[[int], None] = lambda _: None,
    ) -> EngineNearest | None:
        """Return the search by the engine's index, which gets up to ``limit`` new vectors; None to compare all."""
        settings = state.settings.retrieval
        few = settings.vectors == AUTO and len(index) <= settings.exact_up_to
        if settings.vectors == EXACT or few or not index.dimension:
            return None
        if self._points is None or self._points[0] != index.dimension:
            self._points = (index.dimension, Points(self._writer, index.dimension))
        points = self._points[1]
        self._changed |= put_points(index, points, limit, progress) > 0
        return EngineNearest(points)

    def _loaded(self) -> MemoryIndex:
        if self._index is None:
            message = "the index is used before it was opened"
            raise RuntimeError(message)
        return self._index

    def shown(self, state: TenantState, accessed: Iterable[Accessed]) -> None:
        """Take in the statistics that one's own access record changed."""
        with self.lock:
            reached = self._reached
            if self._index is None or reached is None or reached.access_sequence + 1 != state.access_sequence:
                return
            for one in accessed:
                self._index.access(one.id, one.last, one.times, one.score)
            self._reach(state, reached.model)

    @property
    def model(self) -> str | None:
        """Return what the store calls the model of the index's vectors."""
        return None if self._reached is None else self._reached.model

    def vectors_made(self, ids: list[str]) -> None:
        """Take in vectors that were made for memories after these were written, which no record tells of."""
        with self.lock:
            if self._index is not None and self.model is not None:
                self._put(self._index, [ident for ident in ids if ident in self._index.rows], self.model)
                self._changed = True

    def state(self) -> TenantState:
        """Return the tenant's row for a reading; ask before you take :attr:`lock`.

        The accesses that wait to be written are those that the index has heard of as they were shown.
        """
        state = self._writer.recent_state()
        heard = self.reached[1] >= state.access_sequence or self._writer.shared.pending.empty
        return state if heard else self._writer.fresh_state()

    def rewind(self, sequence: int) -> None:
        """Take in again what the access log says after ``sequence``."""
        with self.lock:
            if self._reached is not None and self._reached.access_sequence > sequence:
                self._reached = replace(self._reached, access_sequence=sequence)

    def forget(self) -> None:
        """Drop the index and its file: the store was put back, or something was erased."""
        with self.lock:
            self._index = self._reached = None
            self._provisional.clear()
            self._changed = False
            if self._file is not None:
                self._file.unlink(missing_ok=True)

    def close(self) -> None:
        """Keep what was built, unless it is quickly read again."""
        with self.lock:
            if self._file is None or self._index is None or self._reached is None or not self._changed:
                return
            if not self._writer.shared.pending.empty:
                return  # the accesses that it has heard of may never be in the store
            if len(self._index) < LEAST_SAVED:
                self._file.unlink(missing_ok=True)
                return
            self._take_back(self._reached.model)
            self._index.compact()
            try:
                storage.save(self._file, self._index, self._reached)
            except OSError as error:
                _LOG.warning("the retrieval index could not be kept: %s", error.strerror)

    # --- Keeping up -----------------------------------------------------------------------------------------------

    def _model(self, state: TenantState) -> tuple[EmbeddingModel | None, str | None]:
        """Return the model, or None where it does not answer, and the name of it that the index's vectors carry."""
        self.without_vectors = None
        try:
            model = self._vectoriser.model
            name = None if model is None else model_name(model)
        except EmbeddingUnavailable as error:
            self.without_vectors = str(error)
            # The vectors that are there stay: they count again as soon as a query has one.
            return None, state.embedding_model
        if name is not None and state.embedding_model not in {None, name}:
            raise model_mismatch(state.name, str(state.embedding_model), name)
        return model, name

    def _open(self, state: TenantState, name: str | None) -> None:
        """Take the index from its file, if there is one that fits."""
        if self._file is None:
            return
        try:
            index, reached = storage.load(self._file)
        except FileNotFoundError:
            return
        except (Corrupt, OSError) as error:
            _LOG.warning("the retrieval index %s is damaged (%s) and is built anew", self._file, error)
            return
        fits = (reached.tenant, reached.model) == (state.name, name)
        if fits and index.dimension == _dimension(name):
            self._index, self._reached = index, reached
            index.features.set_goal(self._goal)
            # What stands for a vector is in no file.
            lacking = index.without_vector(len(index))
            for start in range(0, len(lacking), PAGE):
                self._put(index, lacking[start : start + PAGE], name)

    def _follows(self, state: TenantState, name: str | None) -> bool:
        """Return whether the index can go on from where it is."""
        reached = self._reached
        if reached is None or reached.model != name or reached.line != state.line:
            return False
        behind = state.sequence - reached.sequence + state.access_sequence - reached.access_sequence
        return (
            state.sequence >= reached.sequence
            and state.access_sequence >= reached.access_sequence
            and behind <= REBUILD_AFTER
        )

    def _reach(self, state: TenantState, name: str | None) -> None:
        self._reached = Reached(state.name, name, state.line, state.sequence, state.access_sequence)
        self._changed = True

    def _build(
        self,
        state: TenantState,
        name: str | None,
        progress: Callable[[int], None] | None,
    ) -> None:
        """Build the index from the whole store."""
        index = MemoryIndex(_dimension(name))
        index.hides = self._hides
        index.features.set_goal(self._goal)
        self._provisional.clear()
        for page in self._reader.entity_pages():
            self._put_entities(index, page)
        for page in self._reader.memory_pages():
            self._put(index, page, name)
            if progress is not None:
                progress(len(index))
        self._index = index
        self._reach(state, name)

    def _follow(self, state: TenantState, name: str | None) -> None:
        """Take in what the logs say has changed."""
        sequence, accesses = self.reached
        changed: dict[str, None] = {}
        for row in self._since("t", sequence):
            if row["operation"] in {Operation.ERASE, Operation.SEAL, Operation.RESTORE_SNAPSHOT}:
                # The log no longer says what: nothing may be answered from before (semantics section 10).
                self._build(state, name, None)
                return
            changed.update(dict.fromkeys(row["memories"] or ()))
        touched = {ident for row in self._since("a", accesses) for ident in row["memories"] or ()}
        changed.update(dict.fromkeys(sorted(touched - set(changed))))
        self._take_in(list(changed), name)
        self._reach(state, name)

    def _take_in(self, ids: list[str], name: str | None) -> None:
        """Take in memories and entities as they are stored now; what has no content any more leaves the index."""
        index = self._loaded()
        for start in range(0, len(ids), PAGE):
            page = ids[start : start + PAGE]
            # A fact that comes or goes changes the rank of its turn, of which no record tells.
            sources = index.sources(page)
            found = self._put(index, page, name)
            others = [ident for ident in page if ident not in found]
            for ident in others:
                index.remove(ident)
            self._put_entities(index, others)
            beside = sorted((sources | index.sources(page)) & index.rows.keys() - set(page))
            if beside:
                self._put(index, beside, name)

    def _since(self, log: str, sequence: int) -> Iterator[Row]:
        tenant = self._writer.tenant
        high = f"{tenant}|{log}}}"
        while True:
            low = codec.audit_ref(tenant, log, sequence + 1)
            rows = self._reader.run("changed", {"low": low, "high": high, "limit": PAGE})
            yield from (row for row in rows if row["operation"] != Operation.OPEN_LOG)
            if len(rows) < PAGE:
                return
            sequence = rows[-1]["sequence"]

    # --- Taking in ------------------------------------------------------------------------------------------------

    def _put(self, index: MemoryIndex, ids: list[str], name: str | None, read: Reader | None = None) -> set[str]:
        """Take in those of ``ids`` that are memories with content, as ``read`` sees them; returns which."""
        run = read or self._reader.run
        refs = self._reader.refs(ids)
        rows = [row for row in run("index_rows", {"refs": refs}) if row["content"] is not None]
        edges: dict[str, list[tuple[str, str]]] = {}
        for edge in run("index_edges", {"refs": refs}):
            edges.setdefault(edge["source"], []).append((edge["type"], edge["target"]))
        for row in rows:
            codec.refuse_damaged_row(row)
        prefix = "" if name is None else tag(name)
        whole = [row for row in rows if index.dimension and own(row["embedding"], prefix)]
        vectors = unpacked([row["embedding"] for row in whole], prefix, index.dimension) if whole else ()
        by_id = {
            row["id"]: (vector, unpacked_passages(row["embedding"], prefix, index.dimension))
            for row, vector in zip(whole, vectors, strict=True)
        }
        early = self._early(_without(index, rows, by_id)) if index.dimension else {}
        for row in sorted(rows, key=_order):
            ident = row["id"]
            vector, parts = by_id.get(ident, (None, None))
            index.put(row, sorted(edges.get(ident, ())), vector, parts, early.get(ident))
        return {row["id"] for row in rows}

    def _put_entities(self, index: MemoryIndex, ids: Iterable[str]) -> None:
        """Take in those of ``ids`` that are entities, and forget the rest of them."""
        wanted = set(ids)
        for entity, edges, _ in self._reader.entities_by_id(sorted(wanted)) if wanted else ():
            person = may_be_person(entity.name, entity.entity_type)
            index.entities.put(
                entity.id,
                (entity.name, *entity.aliases),
                entity.same_as,
                parts=parts_of(entity.name) if person else (),
                by_hand=entity.by_hand,
            )
            relations = [edge for edge in edges if edge.type in ENTITY_EDGES]
            index.graph.put(
                entity.id,
                [(edge.type, edge.target) for edge in relations],
                read=[(edge.type, edge.target) for edge in relations if edge.weight is None],
            )
            wanted.discard(entity.id)
        for ident in wanted:
            index.entities.remove(ident)
            index.graph.remove(ident)

    def _early(self, rows: Sequence[Row]) -> dict[str, npt.NDArray[np.float32]]:
        """Return, by id, what stands for the vectors of ``rows`` that take long."""
        model = self._vectoriser.early if rows else None
        made = [] if model is None else rows_by(model, [row["content"] for row in rows])
        return dict(zip([row["id"] for row in rows], made, strict=False))

    def _make_later(self, index: MemoryIndex) -> None:
        """Tell who makes the vectors that take long what lacks one."""
        if self._later is not None and (missing := index.without_vector(MADE_UP)):
            self._later(missing)

    def _make_up(self, index: MemoryIndex, model: EmbeddingModel) -> None:
        """Make some of the vectors that are missing; the rest later."""
        missing = index.without_vector(MADE_UP)
        if not missing:
            return
        try:
            make_up(self._writer, self._reader, model, missing)
        except EmbeddingUnavailable as error:
            self.without_vectors = str(error)
        # Another process may have made them, whatever the model says.
        self._put(index, missing, model_name(model))
        self._changed |= len(index.without_vector(MADE_UP)) < len(missing)


def _without(index: MemoryIndex, rows: Sequence[Row], made: Container[str]) -> list[Row]:
    """Return those of ``rows`` that need what stands for a vector: all of them where many have no vector of their own.

    What is compared with these is compared by the same.
    """
    missing = [row for row in rows if row["id"] not in made]
    if len(missing) <= MOST_MISSING * len(rows) and not len(index.provisional):
        return missing
    held = index.provisional
    return [row for row in rows if row["id"] not in made or not held.has(index.rows.get(row["id"]))]


def _dimension(name: str | None) -> int:
    """Return the number of components of the vectors of the model ``name``; 0 without one."""
    return 0 if name is None else int(name.rpartition("/")[2])


def _order(row: Row) -> int:
    sequence: int = row["sequence"]
    return sequence
