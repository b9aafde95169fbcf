"""The parts that serve one open tenant, made once and wired to one another; the facade and its namespaces share them.

Guarantees: when they are made, the tenant is as its settings and the clock have it: lives are lifted, erasures that a
restored key folder undid are repeated, what has expired is gone.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, cast

from marskg.api.commit_effects import CommitEffects
from marskg.api.doors import Doorkeeper
from marskg.api.planning import Planning
from marskg.api.queries import Queries
from marskg.api.reading import Reading
from marskg.api.said_before import SaidBefore
from marskg.erasure.eraser import Eraser
from marskg.errors import EmbeddingUnavailable
from marskg.learning.from_text.readers import Readers
from marskg.learning.from_text.text_learner import TextLearner
from marskg.learning.housekeeping.cycle import Housekeeper
from marskg.learning.learner import Learner
from marskg.learning.second_opinions import Judge
from marskg.learning.wishes import Wishes
from marskg.policies.curation import Curation
from marskg.privacy.sensitivity import Assessor
from marskg.records import Memory, without_reading
from marskg.retrieval.rewording import Rewording
from marskg.store.commit.snapshot_register import Snapshots
from marskg.store.commit.writer import Writer
from marskg.store.graph.recognition import Recognition
from marskg.store.ingest.ingestor import Ingestor
from marskg.store.ingest.prepare import Assessment, Preparation
from marskg.store.tenant.model_costs import ModelCosts
from marskg.store.tenant.reapply_key_destruction import erase_again
from marskg.store.tenant.sign_state import begin
from marskg.store.unit.quotas import shown
from marskg.store.unit.vectors import PAGE, Vectoriser, model_name, tag
from marskg.store.upkeep import maintenance, vector_index
from marskg.store.upkeep.late_vectors import LateVectors
from marskg.store.upkeep.lift_lifetimes import lift
from marskg.store.upkeep.reembed import make_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from marskg.api.reading import Limit
    from marskg.drafts import Draft
    from marskg.learning.housekeeping.cycle import Upkeep
    from marskg.privacy.principals import Principal
    from marskg.privacy.redaction import Redactor
    from marskg.retrieval.access.read_gate import Gate
    from marskg.store.tenant.opening import Opened
    from marskg.store.unit.sensitivity import Sensed
    from marskg.store.unit.unit_of_work import Unit
    from marskg.store.upkeep.maintenance import Quotas

T = TypeVar("T")


class Components:
    """What serves one principal of one open tenant."""

    def __init__(self, opened: Opened, principal: Principal, limit: Limit | None = None) -> None:
        """Serve ``principal`` the tenant that was opened; ``limit`` narrows what they ask for, if they have limits."""
        self.opened = opened
        self.principal = principal
        self._limited = limit is not None
        self.reader = opened.reader
        self.ledger = opened.ledger
        self.queries = Queries(opened)
        effects = CommitEffects(self.ledger, self.queries)
        self.writer = Writer(opened.engine, opened.tenant, opened.services, effects)
        self.doorkeeper = Doorkeeper(opened.engine, self.writer, principal if limit is not None else None)
        self.ask = self.doorkeeper.ask
        self.vectoriser = Vectoriser(lambda: self.writer.state.settings.embedding.model, opened.services.clock.now_ms)
        self.late = LateVectors(self.writer, self.reader, self.vectoriser, self._vectors_made)
        self.assessor = Assessor()
        recognition, assessment = Recognition(), Assessment(self._foresee, self._assess, self.measure)
        preparation = Preparation(self.writer, opened.counter, self.vectoriser, recognition, assessment)
        self.ingestor = Ingestor(self.writer, preparation, self.vectoriser, recognition)
        self.wishes = Wishes(self.writer, self.reader)
        costs = ModelCosts(self.writer)
        self.reading = Reading(
            opened,
            self.writer,
            self.vectoriser,
            self.wishes.emphasis,
            shows=self._as_shown,
            keeps=self._keeps,
            limit=limit,
            late=self.late,
            rewording=Rewording(self.writer, opened.counter, self.assessor, costs),
        )
        curation = Curation(self.writer, opened.counter, self.assessor, costs)
        self.planning = Planning(
            opened, self.writer, self.reading.view, self.vectoriser, self.assessor, curation=curation
        )
        self.learner = Learner(
            self.writer,
            self.reader,
            self.reading.view,
            self.vectoriser,
            self.wishes,
            source=principal.speaks_as,
            judge=Judge(self.writer, opened.counter, self.assessor, costs),
        )
        readers = Readers(self.writer, opened.counter, self.assessor, costs)
        self.text_learner = TextLearner(self.writer, self.reader, self.reading.view, self.ingestor, readers)
        self.keeper = Housekeeper(self.writer, self.reader, self.ingestor, opened.counter, self.ledger)
        effects.follow(self.writer, self.planning, self.reading, self.wishes, self.assessor, late=self.late)
        self.snapshots = Snapshots(self.writer)
        self.eraser = Eraser(self.writer, self.snapshots)
        before = SaidBefore(self.reader, self.eraser, principal, self.reading.seen, self.writer.now)
        self.ingestor.keeping.erase_by(before.erase)
        try:
            self._bring_up_to_date()
        except BaseException:
            # Nobody gets the handle: it is not to be told of what others erase, in files that may be closed by then.
            self.writer.leave()
            raise

    def _bring_up_to_date(self) -> None:
        if self.points:
            vector_index.define(self.writer.engine)
        if self.writer.state.lifting:
            lift(self.writer, self.opened.asked.lives)
        begin(self.writer)
        erase_again(self.writer)
        self.snapshots.keep_promise()
        self.settle()

    def settle(self) -> None:
        """Expire what is due."""
        maintenance.settle(self.writer)

    def run(self, work: Callable[[Unit], T]) -> T:
        """Expire what is due, then do ``work`` in a unit of work; returns what it returns, scored as it is now."""
        self.settle()
        return self._as_now(self.writer.run(work))

    def _as_now(self, found: T) -> T:
        """Return memories with the scores that they have now, as each reading does; limits have a door of their own."""
        if isinstance(found, list):
            return cast("T", [self._as_now(one) for one in found])
        if isinstance(found, Memory) and not self._limited:
            return cast("T", self.reading.as_now(found))
        return found

    def rehearse(self, draft: Draft) -> Memory:
        """Return what :meth:`store` would store, and store nothing."""
        return self.ingestor.together([draft], lambda _, admit: admit(0), dry_run=True)

    def store(self, draft: Draft, id: str | None = None) -> Memory:  # noqa: A002 - as remember has it
        """Store one draft, and look for conflicts where the tenant wants that.

        What a user asks not to keep is not stored: the memory that is returned is nowhere, has no content and says so.
        """
        since = self.writer.state.sequence
        memory = self.ingestor.one(draft, id)
        if memory.content is None:
            return memory
        if memory.sequence <= since:  # an equal one was there
            memory = self._as_now(memory)
        conflicts = self.conflicts_since(since)
        notices = maintenance.notices_of(self.writer)
        if notices:
            memory = replace(memory, notices=(*memory.notices, *notices))
        if not conflicts:
            return memory
        held = self.reader.get(memory.id, self.writer.now())
        now = memory if held is None else self._as_now(held)
        return replace(now, notices=(*memory.notices, *conflicts))

    def conflicts_since(self, since: int) -> tuple[str, ...]:
        """Look for conflicts of what was stored after ``since`` where the tenant wants that; returns what to tell."""
        found = self.learner.watch(since) if self.learner.watches else ()
        if found and self._limited:
            seen = self.reading.seen(ident for item in found for ident in (item.winner, item.loser))
            found = tuple(item for item in found if {item.winner, item.loser} <= seen)
        return tuple(f"conflicts with another memory ({item.action}): {item.reason}" for item in found)

    def quotas(self) -> Quotas:
        """Return the budgets of single users and conversations with what they have used, where there are any."""
        with self.writer.alone():
            state = self.writer.fresh_state()
            budgets = state.settings.partitions.quotas
            if not budgets:
                return {}
            weights = self.writer.shared.quotas.load(self.writer.read, state.name)
            return {"allowances": shown(weights, budgets)}

    def housekeep(self, *, dry_run: bool = False) -> Upkeep:
        """Do one pass of housekeeping, or return what it would do."""
        if dry_run:
            return self.keeper.look()
        done = self.keeper.run()
        self.reading.save()
        return done

    @property
    def points(self) -> bool:
        """Return whether the engine keeps an index of vectors."""
        return self.writer.state.settings.retrieval.indexed

    def clear_points(self) -> None:
        """Take the vectors out of the engine's index, and the knowledge that they are there."""
        vector_index.clear(self.writer)
        self.reading.forget()

    def make_vectors(self, progress: Callable[[int], None] | None = None) -> int:
        """Make the vectors that are missing; returns how many were made."""
        model = self.vectoriser.model
        done = 0
        self.late.stop()
        if model is not None:
            for done in make_all(self.writer, self.reader, model, self.reading.vectors_made):
                if progress is not None:
                    progress(done)
        return done

    def vectors_after_loading(self) -> None:
        """Make the vectors of what was loaded; where the model takes long, or does not answer, they are made later."""
        with suppress(EmbeddingUnavailable):
            model = self.vectoriser.model
            if model is None or not model.late:
                self.make_vectors()
                return
            for page in self.reader.without_vector(tag(model_name(model)), PAGE):
                self.late.add(page)

    def _vectors_made(self, ids: list[str]) -> None:
        """Let the index have vectors that were made in the background."""
        self.reading.vectors_made(ids)

    def measure(self, memory: Memory, content: str | None = None) -> Sensed | None:
        """Return how sensitive a stored memory is by the settings of now."""
        return self.assessor.of_memory(memory, self.writer.state.settings, content)

    def _assess(self, draft: Draft) -> Draft:
        """Return a checked draft with how sensitive it is, and with what users' wishes give it."""
        return self.wishes.begin(self.assessor.assessed(draft, self.writer.state.settings))

    def _foresee(self, drafts: Sequence[Draft]) -> None:
        self.assessor.foresee(drafts, self.writer.state.settings)

    def _as_shown(self, memory: Memory, gate: Gate) -> Memory:
        """Return a memory as the reader of ``gate`` gets it: what weighs more than their ceiling is taken out.

        From which turns it was read, and when, is told by ``explain``, as far as they may see those.
        """
        if gate.bound:
            memory = without_reading(memory)
        ceiling = gate.ceiling_for(memory)
        if ceiling is None:
            return memory
        return self._redactor().as_shown(memory, ceiling, self.opened.counter)

    def _keeps(self, path: str, text: str, ceiling: float) -> bool:
        """Return whether a leaf of free JSON is shown under ``ceiling`` as it is."""
        return self._redactor().keeps(path, text, ceiling)

    def _redactor(self) -> Redactor:
        return self.assessor.redactor(self.writer.state.settings.sensitivity)
