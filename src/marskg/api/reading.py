"""Reading a tenant by meaning: what a caller may ask for, checked, and put together from the layers below.

Guarantees: every limit and filter is checked before anything is read; an unknown filter is refused by name with those
that exist; nothing is shown that the read gate does not let through.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypedDict

import numpy as np

from marskg.clock import MAX_MS, zone_named
from marskg.drafts import enumeration
from marskg.errors import InvalidInput, UnknownMemory
from marskg.language.broad_questions import broad_question
from marskg.language.naming.spellings import loose_form
from marskg.language.questions import Question
from marskg.language.times import MONDAY, SUNDAY, Period, Times
from marskg.learning.conflicts import differ
from marskg.ontology.vocabulary import DERIVED_EDGES, KINDS, Kind, MemoryClass, SourceType
from marskg.policies.builtin.stages import Scores
from marskg.retrieval.access.disclosure import Disclosure, counted
from marskg.retrieval.access.divided import divided
from marskg.retrieval.access.read_gate import Gate, called
from marskg.retrieval.access.unpassed import unpassed
from marskg.retrieval.assembly.assemble import NO_ROOM
from marskg.retrieval.complete.exhaustive_read import admitted, select, shown
from marskg.retrieval.explain import explain, limited, never_was, own_events
from marskg.retrieval.index.metadata_filter import conditions, there_below
from marskg.retrieval.index.view import IndexView
from marskg.retrieval.query.load_shedding import Load, lighter, notice, step
from marskg.retrieval.query.named_times import NamedTimes
from marskg.retrieval.query.profile import load_profile
from marskg.retrieval.query.profiled import Person, profile_of
from marskg.retrieval.query.reach import most_that_fit
from marskg.retrieval.query.recall import SOCIAL, Anchor, Named, Recall, named_entities
from marskg.retrieval.query.reranked import Reranking
from marskg.retrieval.query.result_cache import Answers
from marskg.retrieval.query.search import Request, Search, as_named, as_read, as_stored, check_query
from marskg.retrieval.query.subscribed_tenant import SharedTenant
from marskg.store.crypto.encrypted_engine import custody_of
from marskg.store.graph.validation import check_integer, check_number, check_text, ids_of
from marskg.store.rows.name_cache import AGE, WAY_OUT, which
from marskg.store.rows.score_decay import Fading
from marskg.store.unit.entity_changes import ID_PREFIX
from marskg.store.upkeep.maintenance import notices_of
from marskg.text import key_prefix, terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from marskg.api.arguments import Share, Unlisted
    from marskg.given_time import GivenTime
    from marskg.records import AuditRecord, Edge, Memory
    from marskg.retrieval.assembly.hits import Hits
    from marskg.retrieval.complete.exhaustive_read import Everything
    from marskg.retrieval.complete.subject_profile import SubjectProfile
    from marskg.retrieval.explain import Explanation
    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.retrieval.index.metadata_filter import Condition
    from marskg.retrieval.query.profile import Profile
    from marskg.retrieval.query.ranking import Ranked
    from marskg.retrieval.query.search import Emphasis, Shows
    from marskg.retrieval.rewording import Rewording
    from marskg.store.commit.writer import Writer
    from marskg.store.rows.state import TenantState
    from marskg.store.tenant.opening import Opened
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.vectors import Vectoriser
    from marskg.store.upkeep.late_vectors import LateVectors
    from marskg.store.upkeep.maintenance import Counted

Mask: TypeAlias = "npt.NDArray[np.bool_]"
Vector: TypeAlias = "npt.NDArray[np.float32]"

#: Narrows the gate that a principal asks for to what they may see; the second is the id of a grant, if they have one.
Limit: TypeAlias = "Callable[[Gate, object], Gate]"

#: Entities and goals that complete reading is about; None asks for nothing.
Wanted: TypeAlias = "tuple[tuple[str, ...] | None, tuple[str, ...] | None]"


class Filters(TypedDict, total=False):
    """What every reading may ask for besides; None asks for nothing, an empty list names nobody: nothing is shown."""

    kinds: Iterable[str] | str | None
    classes: Iterable[str] | str | None
    sources: Iterable[str] | str | None
    subjects: Iterable[str] | str | None
    sessions: Iterable[str] | str | None
    tags: Iterable[str] | str | None
    metadata: Mapping[Any, Any] | None
    jurisdiction: str | None
    latent: bool | None
    unaffirmed: bool | None
    superseded: bool | None
    closed: bool | None
    #: The id of a grant: of whoever has limits, for this call alone.
    grant: Unlisted


class ScopeFilters(Filters, total=False):
    """Filters of :meth:`~marskg.memory.AgentMemory.retrieve`: a key and what is below it, and a period, epoch ms."""

    key_prefix: str | None
    since: GivenTime | None
    until: GivenTime | None


class ReaderFilters(Filters, total=False):
    """Filters of :meth:`~marskg.memory.AgentMemory.read_all`: the time (epoch ms) that is asked of, and who asks."""

    as_of: GivenTime | None
    max_sensitivity: Share | None
    purpose: str | None


class AllFilters(ScopeFilters, ReaderFilters, total=False):
    """Filters of :meth:`~marskg.memory.AgentMemory.recall`."""


_ENUMERATIONS: Final[Mapping[str, Any]] = {"kinds": Kind, "classes": MemoryClass, "sources": SourceType}
#: The intent tag of users' wishes about remembering.
WISH: Final = "wish"
_SETS: Final = ("subjects", "sessions", "tags")
_TEXTS: Final = ("purpose", "jurisdiction", "key_prefix")
_TIMES: Final = ("as_of", "since", "until")
_FLAGS: Final = ("latent", "unaffirmed", "superseded", "closed")
_FILTERS: Final = ("max_sensitivity", "metadata", *_ENUMERATIONS, *_SETS, *_TEXTS, *_TIMES, *_FLAGS)

_NO_SUCH_DATE: Final = "the question names a date that no calendar has; nothing is limited to it: correct the date"

#: Hidden memories that one sentence of an output is compared with, by words and by meaning.
_MOST_LIKE: Final = 24
#: People whom a name may mean that a notice lists, and how much like it theirs are then.
_MOST_LIKE_NAMED: Final = 5
_LIKE: Final = 0.75
#: Characters of a key that a notice repeats; encrypted memories that are read to tell that none has it, and at once.
_SHOWN: Final = 60
_LOOKED_INTO: Final = 1_000
_PAGE: Final = 100


class Reading:
    """Answers a tenant's readers."""

    def __init__(
        self,
        opened: Opened,
        writer: Writer,
        vectoriser: Vectoriser,
        emphasis: Emphasis | None = None,
        *,
        shows: Shows = as_stored,
        keeps: Callable[[str, str, float], bool] | None = None,
        limit: Limit | None = None,
        late: LateVectors,
        rewording: Rewording,
    ) -> None:
        """Read the tenant that was opened; nothing is read or loaded before the first question.

        ``emphasis`` gives what the rank of each memory is multiplied with, where users wished for that; ``shows`` gives
        a memory as its reader gets it, ``keeps`` whether a leaf of its free JSON is then as it was; ``limit`` what
        becomes of each gate that a caller asks for, where they are a principal with limits; ``late`` makes the vectors
        that take long; ``rewording`` has other wordings of a question on which nothing bears.
        """
        self._shown = shows
        self._keeps = keeps
        self._limit = limit
        self._late = late
        self._rewording = rewording
        self._emphasis = emphasis
        self._writer = writer
        self._opened = opened
        self._profiles: dict[tuple[str, Any], Profile] = {}
        self._vectoriser = vectoriser
        self._shared: dict[str, SharedTenant] = {}
        # The file of the index has texts and vectors in clear; without one it is built at each first question.
        file = opened.folder / "index" / f"{opened.tenant}.index" if custody_of(opened.engine) is None else None
        custody = custody_of(opened.engine)
        self._encrypted = custody is not None
        hides = None if custody is None else partial(custody.keyring.digest, "metadata")
        self.view = IndexView(opened.reader, writer, vectoriser, file, hides, later=partial(late.add, found=True))
        self._search = Search(
            self.view,
            opened.reader,
            writer,
            vectoriser,
            opened.counter,
            shows=self._shows,
            reranking=Reranking(lambda: writer.state.settings.retrieval, writer.now, opened.tenant),
            differ=differ,
        )
        self._answers = Answers(self.view, opened.reader, writer, self._search)
        self._load = Load()

    def as_now(self, memory: Memory) -> Memory:
        """Return a memory with its score as it is now: what is stored is the score at the last access."""
        return Fading.by(self._writer.state.settings).read(memory, self._writer.now())

    def _shows(self, memory: Memory, gate: Gate) -> Memory:
        """Return a memory as the reader of ``gate`` gets it, with its score as it is at the gate's time."""
        return Fading.by(self._writer.state.settings).read(self._shown(memory, gate), gate.now)

    def _as_told(self, found: Explanation, gate: Gate) -> Explanation:
        """Return an explanation with the memory as the reader of ``gate`` gets it, but for where it was read from."""
        if found.memory is None:
            return found
        shown = self._shows(found.memory, gate)
        told = {name: getattr(shown, name) for name in ("content", "payload", "metadata", "weight", "score")}
        return replace(found, memory=replace(found.memory, **told))

    def retrieve(
        self,
        query: str,
        *,
        budget: int | None,
        k: int | None,
        profile: str | None,
        explain: bool,
        conversation: str | None,
        time_zone: str | None,
        gate: Mapping[str, Any],
        min_confidence: float | None = None,
    ) -> Hits:
        """Return what answers ``query``; see :meth:`marskg.memory.AgentMemory.retrieve`."""
        if conversation is not None:
            check_text("conversation", conversation)
        request = self._request(query, budget, k, profile, explain=explain, gate=gate, conversation=conversation)
        named = self._times(request, time_zone)
        question, impossible = _question(request, named), (_NO_SUCH_DATE,) if named.times.impossible else ()
        request = replace(request, question=question, times=named, broad=broad_question(request.query))
        if min_confidence is not None:
            request = replace(request, min_confidence=check_number("min_confidence", min_confidence, 0, 1))
        self._late.soon()
        shared, missing = self._guests()
        guests = [one.search for one in shared]
        with self._load.read() as reads:
            shed_at = self._writer.state.settings.lean.shed_at
            left_out = step(reads, shed_at)
            if left_out:
                hits = self._search.retrieve(lighter(request, left_out), guests)
                hits = replace(hits, notices=(*hits.notices, notice(reads, shed_at, left_out)))
            else:
                hits = self._answers.answer(request, guests)
                # Whoever has limits could learn by what is not sent whom a hidden rule names.
                if request.least_confidence > 0 and self._limit is None and (self._writer.state.weight or guests):
                    hits = self._rewording.answered(
                        request, hits, lambda text: self._search.retrieve(replace(request, query=text), guests)
                    )
        strangers = () if len(hits) else self._unmet(request.gate)
        return self._noticed(hits, (*impossible, *missing, *strangers))

    def _unmet(self, gate: Gate) -> tuple[str, ...]:
        """Return what is asked for that nothing here has, as far as the reader may know: why an answer is empty."""
        keyless = self._keyless(gate)
        # What other tenants share is not searched for it; encrypted JSON is told of by its keys alone.
        told = replace(gate, metadata=()) if keyless or self._encrypted else gate
        if self._writer.state.subscriptions:
            return (*self._strangers(gate), *keyless)
        with self.view.lock:
            filters = unpassed(self.view.refresh(self._writer.recent_state()), told)
        return (*self._strangers(gate), *keyless, *filters)

    def _strangers(self, gate: Gate) -> tuple[str, ...]:
        """Return who is asked for and is nobody here, each with whom that may be: no answer is empty in silence."""
        if gate.subjects is None:
            return ()
        with self.view.lock:
            index = self.view.refresh(self._writer.recent_state())
            seen = gate.known().mask(index)
            there = [name for name, rows in index.facets["subject"].items() if any(seen[row] for row in rows)]
        known = set(map(called, there))
        return tuple(_is_nobody(name, there) for name in gate.subjects if called(name) not in known)

    def _keyless(self, gate: Gate) -> tuple[str, ...]:
        """Return which keys a filter on free JSON names that nothing here has, as far as the reader may know.

        What other tenants share is not searched for it, and of encrypted memories no more than ``_LOOKED_INTO``: where
        it is not known, nothing is said.
        """
        paths = dict.fromkeys(one.path for one in gate.metadata)
        if not paths or self._writer.state.subscriptions:
            return ()
        knows = gate.known()
        with self.view.lock:
            index = self.view.refresh(self._writer.recent_state())
            if self._encrypted:  # its index has digests
                seen, words = knows.mask(index), index.facets["metadata"]
                rows = dict.fromkeys(row for having in words.values() for row in having if seen[row])
                ids = [index.ids[row] for row in rows]
            else:
                paths = dict.fromkeys(one for one in paths if not _is_there(index, knows, one))
        missing = self._unfound(paths, ids, knows) if self._encrypted else paths
        return tuple(f"nothing here has the key {one[:_SHOWN]!r} in its metadata" for one in missing)

    def _unfound(self, paths: Iterable[str], ids: Sequence[str], gate: Gate) -> list[str]:
        """Return those of ``paths`` that no memory of ``ids`` has, as its reader gets it; none if these are many."""
        missing = [*paths] if len(ids) <= _LOOKED_INTO else []
        for first in range(0, len(ids), _PAGE):
            if not missing:
                break
            for memory in admitted(self._opened.reader, [*ids[first : first + _PAGE]], gate, self._shows):
                had = [] if memory.metadata is None else [f"{path}." for path, _ in memory.metadata.leaves()]
                missing = [one for one in missing if not any(path.startswith(f"{one}.") for path in had)]
        return missing

    def _times(self, request: Request, time_zone: str | None) -> NamedTimes:
        """Return what times the question names, by the reader's clock, zone and weeks."""
        settings = self._writer.state.settings.retrieval
        zone = zone_named(settings.time_zone if time_zone is None else time_zone)
        week_start = SUNDAY if settings.week_start == "sunday" else MONDAY
        return NamedTimes(check_query(request.query), request.gate.now, zone, week_start)

    def _noticed(self, hits: Hits, missing: tuple[str, ...]) -> Hits:
        """Return an answer with what its reader should know besides: what is left out, a clock that jumped."""
        more = (*missing, *notices_of(self._writer))
        for one in hits.assembled.left_out:
            if one.pinned and one.reason == NO_ROOM:
                more += (f"pinned, and not shown for want of room: {one.id}, {one.tokens} tokens; raise token_budget",)
        return replace(hits, notices=(*hits.notices, *more)) if more else hits

    def best_hit(self, query: str) -> str | None:
        """Return the id of what answers ``query`` best, None if nothing does; nothing is recorded as shown.

        Raises:
            InvalidInput: the query cannot be looked up.
        """
        request = replace(self._request(query, None, None, None, explain=False, gate={}), record=False)
        hits = self._search.retrieve(request)
        return next((hit.memory.id for hit in hits if hit.certain), None)

    def prepare(self, progress: Callable[[int], None] | None = None) -> int:
        """Bring the index up to date; returns how many memories it holds."""
        state = self._writer.fresh_state()  # Before the lock: who writes may hold the writer's and wait for this one.
        with self.view.lock:
            return len(self.view.refresh(state, progress))

    def _guests(self) -> tuple[list[SharedTenant], tuple[str, ...]]:
        """Return the shared tenants that are read as well, and why others are not."""
        names = self._writer.state.subscriptions
        for name in names:
            self._shared.setdefault(name, SharedTenant(self._opened, name, self._vectoriser, self._shows))
        faults = {name: self._shared[name].open() for name in names}
        there = [self._shared[name] for name, fault in faults.items() if fault is None]
        return there, tuple(fault for fault in faults.values() if fault is not None)

    @property
    def loaded(self) -> bool:
        """Return whether so many read at once that retrieval leaves things out."""
        return bool(step(self._load.reads, self._writer.state.settings.lean.shed_at))

    def _request(
        self,
        query: str,
        budget: int | None,
        k: int | None,
        profile: str | None,
        *,
        explain: bool,
        gate: Mapping[str, Any],
        conversation: str | None = None,
    ) -> Request:
        settings = self._writer.state.settings.retrieval
        passing = self.gate(gate)
        tokens = settings.token_budget if budget is None else check_integer("token_budget", budget, 0)
        return Request(
            query=query,
            gate=passing,
            profile=self.profile(profile or settings.profile),
            budget=tokens,
            k=min(settings.k if k is None else check_integer("k", k, 1), most_that_fit(tokens)),
            assembly=self._writer.state.settings.assembly.checked(),
            # Who asks for the wishes themselves is shown them.
            emphasis=None if WISH in (passing.tags or ()) else self._emphasis,
            fading=Fading.by(self._writer.state.settings),
            conversation=conversation,
            explain=explain,
            usual_confidence=settings.min_confidence,
        )

    def read_all(
        self,
        *,
        entities: Iterable[str] | str | None,
        goals: Iterable[str] | str | None,
        budget: int | None,
        sums: bool,
        gate: Mapping[str, Any],
    ) -> Everything:
        """Return all that passes the gate; see :meth:`marskg.memory.AgentMemory.read_all`."""
        passing = self.gate(gate)
        limit = None if budget is None else check_integer("token_budget", budget, 0)
        wanted = (None if entities is None else ids_of(entities), None if goals is None else ids_of(goals))
        return self._search.until_shown(passing, lambda gate: self._all(gate, wanted, limit, sums=sums))

    def _all(self, passing: Gate, wanted: Wanted, limit: int | None, *, sums: bool) -> Everything:
        """Return and record all that passes the gate and has to do with what is wanted."""
        state = self._writer.fresh_state()
        ids, unknown = self._selected(self.view, state, passing, wanted, self._opened.reader)
        memories = admitted(self._opened.reader, ids, passing, self._shows)
        for guest in self._guests()[0]:
            ids, unheard = self._selected(guest.view, guest.state, passing, wanted, guest.reader)
            unknown &= unheard
            memories += [one for one in admitted(guest.reader, ids, passing, self._shows) if not one.use_bound]
        _refuse_unknown(wanted, unknown)
        memories.sort(key=lambda one: (one.valid_from, one.sequence, one.tenant))
        found = shown(memories, self._opened.counter, budget=limit, sums=sums)
        record = self._search.record([hit.memory for hit in found], "read in full", passing, call="read_all")
        strangers = () if found.hits else (*self._strangers(passing), *self._keyless(passing))
        found = replace(found, notices=(*notices_of(self._writer), *strangers))
        if passing.bound:
            found = replace(found, hits=tuple(replace(hit, memory=as_read(hit.memory, passing)) for hit in found))
        return replace(found, id=as_named(record, passing))

    def _selected(
        self, view: IndexView, state: TenantState, gate: Gate, wanted: Wanted, reader: GraphReader
    ) -> tuple[list[str], set[str]]:
        """Return the ids of what passes the gate in one tenant, and the entities and goals that it does not know.

        Raises:
            InvalidInput: several entities go by a name; what is said to be all of one must not be of another.
        """
        names, goals = wanted
        with view.lock:
            index = divided(view.refresh(state), gate)
            mask = gate.mask(index)
            named = {name: _named(index, mask, name, gate) for name in names or ()}
            tasks = _tasks(index, gate) if goals else set()
            unknown = {name for name, found in named.items() if not found.ids} | (set(goals or ()) - tasks)
            for name, found in named.items():
                if found.several:
                    raise InvalidInput(_question_which(name, found.several, gate, (reader,)))
            if any(words is not None and unknown.issuperset(words) for words in wanted):
                return [], unknown
            return select(index, gate, [ident for found in named.values() for ident in found.ids], goals or ()), unknown

    def recall(
        self,
        *,
        entity: str | None,
        goal: str | None,
        budget: int | None,
        k: int | None,
        social: str,
        gate: Mapping[str, Any],
    ) -> Hits:
        """Return what surrounds an entity or a goal; see :meth:`marskg.memory.AgentMemory.recall`."""
        if (entity is None) == (goal is None):
            msg = "recall starts at an entity or at a goal; give entity=NAME or goal=ID, and not both"
            raise InvalidInput(msg)
        if goal is not None:
            check_text("goal", goal)
        if social not in SOCIAL:
            msg = f"social is {str(social)[:40]!r}; it must be {', '.join(SOCIAL)}"
            raise InvalidInput(msg)
        request = replace(self._request("recall", budget, k, None, explain=False, gate=gate), call="recall")
        several: set[str] = set()

        def rank(index: MemoryIndex, mask: Mask, vector: Vector | None, limit: int) -> tuple[Ranked, ...]:
            named = Named(()) if entity is None else _entity(index, mask, entity, request.gate)
            several.update(named.several)
            entities = named.clear
            goals = () if goal is None else (self._goal(index, mask, goal),)
            return Recall(index, mask, social=social, bound=request.gate.bound).around(
                Anchor(entities, goals), vector, limit
            )

        with self._load.read():
            shared, missing = self._guests()
            about = self._about(entity, goal, request.gate)
            hits = self._search.recall(request, about, rank, [one.search for one in shared])
        if several:
            readers = (self._opened.reader, *(one.reader for one in shared))
            missing = (_question_which(str(entity), several, request.gate, readers), *missing)
        return self._noticed(hits, missing)

    def person(self, name: str | None, *, budget: int | None, gate: Mapping[str, Any]) -> SubjectProfile:
        """Return what holds of a person; see :meth:`marskg.memory.AgentMemory.profile`."""
        subject = None if name is None else check_text("subject", name)
        request = replace(self._request("profile", budget, None, None, explain=False, gate=gate), call="profile")
        request = replace(request, k=most_that_fit(request.budget))
        self._late.soon()

        def read(passing: Gate) -> SubjectProfile:
            person = Person(subject, passing)
            found = profile_of(
                person, replace(request, gate=passing), self._search, [one.search for one in shared], counter
            )
            return replace(found, notices=(*self._of_whom(person, readers), *missing))

        counter = self._opened.counter
        with self._load.read():
            shared, missing = self._guests()
            readers = (self._opened.reader, *(one.reader for one in shared))
            found = self._search.until_shown(request.gate, read)
        return replace(found, notices=(*found.notices, *notices_of(self._writer)))

    def _of_whom(self, person: Person, readers: Iterable[GraphReader]) -> Iterator[str]:
        """Yield what is to be asked, or told, of whom a profile is: no answer is empty in silence."""
        name = person.name
        if name is not None and person.several:
            yield _question_which(name, person.several, person.gate, readers)
        if person.speakers:
            names = ", ".join(repr(one[:60]) for one in sorted({*person.speakers})[:_MOST_LIKE_NAMED])
            yield f"who speaks here is not told: this is what is about nobody by name; give a subject, such as {names}"
        if not person.told:
            yield from (
                ("nothing here is about who speaks",)
                if name is None
                else self._strangers(replace(person.gate, subjects=(name,)))
            )

    def _about(self, entity: str | None, goal: str | None, gate: Gate) -> str:
        """Return the text whose vector stands for what a recall is for: of an entity that is given by id, its name."""
        if entity is not None:
            text = check_query(entity)
            given = text.startswith(ID_PREFIX) and not gate.restricted
            return (
                next((one.name for one, _, _ in self._opened.reader.entities_by_id((text,))), text) if given else text
            )
        memory = self._opened.reader.get(str(goal), self._writer.now())
        return "" if memory is None else memory.content or ""

    def _goal(self, index: MemoryIndex, mask: Mask, goal: str) -> str:
        row = index.rows.get(goal)
        if row is None or not mask[row] or index.columns["kind"][row] != KINDS.index(Kind.TASK):
            raise _no_task(goal)
        return goal

    def explain(self, ident: str, filters: Mapping[str, Any], *, by_features: bool = False) -> Explanation:
        """Return what is known of one memory; see :meth:`marskg.memory.AgentMemory.explain`.

        ``by_features`` says that the tenant's policy goes by features, so that those of the memory are told, too; but
        for a reader who may not see all, as they come from the whole store.
        """
        check_text("id", ident)
        gate, reader = self.gate(filters).known(), self._opened.reader
        held = [(str(row["why"]), row["by"]) for row in reader.run("held_by", {"ref": reader.ref(ident)})]
        density = self._density(ident) if by_features and not gate.restricted else {}
        try:
            told = explain(reader, self._opened.tenant, ident, self._writer.now(), [why for why, _ in held], density)
            found = self._as_told(told, gate)
        except UnknownMemory:
            for guest in self._guests()[0]:
                if guest.reader.nodes((ident,)):
                    raise _of_another(ident, guest.state.name) from None
            raise
        if not gate.restricted:
            return found
        if found.memory is None or not gate.admits(found.memory):
            raise UnknownMemory(never_was(self._opened.tenant, ident))
        near = {other for _, other in (*found.edges, *found.incoming)} | {by for _, by in held if by is not None}
        seen = {memory.id for memory in admitted(reader, sorted(near), gate)}
        return limited(found, seen, [why for why, by in held if by is None or by in seen])

    # --- Doors of bound readers -----------------------------------------------------------------------------------

    def versions(self, ident: str, *, all_of_them: bool) -> list[Memory]:
        """Return a memory as a bound reader may see it, or all such versions of it, the oldest first, and record that.

        Nothing comes back, as for an id that never was, if they may not see the memory that they name.
        """
        check_text("id", ident)

        def read(gate: Gate) -> list[Memory]:
            found = admitted(self._opened.reader, [ident], gate)
            if found and all_of_them:
                found = [one for one in self._opened.reader.history(ident) if gate.admits(one)]
            self._search.record(found, "read by its id", gate, call="history" if all_of_them else "get")
            return [as_read(self._shows(one, gate), gate) for one in found]

        return self._search.until_shown(self.gate({}).known(), read)

    def seen(self, ids: Iterable[str]) -> set[str]:
        """Return those of ``ids`` that are memories which a bound reader may see; nothing is recorded as shown."""
        wanted = sorted({*ids})
        return {one.id for one in admitted(self._opened.reader, wanted, self.gate({}).known())} if wanted else set()

    def at_key(self, key: str) -> list[str]:
        """Return the ids of all that has this key, about whomever; nothing of it is told to anybody."""
        state = self._writer.fresh_state()
        with self.view.lock:
            index = self.view.refresh(state)
            return sorted(index.ids[row] for row in index.facets["key"].get(key, ()))

    def as_told(self, memory: Memory) -> Memory:
        """Return a memory that a bound reader changed as they are told of it."""
        gate = self.gate({}).known()
        return as_read(self._shows(memory, gate), gate)

    def edges_seen(self, ident: str) -> list[Edge]:
        """Return the edges from a memory to others, as far as a bound reader sees both ends."""
        check_text("id", ident)
        reader, gate = self._opened.reader, self.gate({}).known()
        found = [edges for memory, edges, _ in reader.nodes((ident,)) if gate.admits(memory)]
        stated = [edge for edges in found for edge in edges if edge.type not in DERIVED_EDGES]
        seen = {one.id for one in admitted(reader, sorted({edge.target for edge in stated}), gate)}
        return [edge for edge in stated if edge.target in seen]

    def explain_seen(self, ident: str, filters: Mapping[str, Any], actor: str) -> Explanation:
        """Return what a bound reader may know of a memory that they may see: nothing that others did or read.

        Raises:
            UnknownMemory: there is none, or they may not see it.
        """
        check_text("id", ident)
        reader = self._opened.reader
        gate = self.gate(filters).known()
        if not admitted(reader, [ident], gate):
            raise UnknownMemory(never_was(self._opened.tenant, ident))
        held = [(str(row["why"]), row["by"]) for row in reader.run("held_by", {"ref": reader.ref(ident)})]
        found = self._as_told(explain(reader, self._opened.tenant, ident, gate.now), gate)
        near = {other for _, other in (*found.edges, *found.incoming)} | {by for _, by in held if by is not None}
        seen = {memory.id for memory in admitted(reader, sorted(near), gate)}
        self._search.record([] if found.memory is None else [found.memory], "explained", gate, call="explain")
        return own_events(limited(found, seen, [why for why, by in held if by is None or by in seen]), actor)

    def explain_events(self, ident: str, filters: Mapping[str, Any]) -> Explanation:
        """Return all that befell a memory, and the memory itself if the reader may see it.

        Raises:
            UnknownMemory: neither the store nor its logs have heard of it.
        """
        check_text("id", ident)
        reader, gate = self._opened.reader, self.gate(filters).known()
        held = [str(row["why"]) for row in reader.run("held_by", {"ref": reader.ref(ident)})]
        found = self._as_told(explain(reader, self._opened.tenant, ident, gate.now, held), gate)
        if found.memory is None or not gate.admits(found.memory):
            return replace(found, memory=None)
        self._search.record([found.memory], "explained", gate, call="explain")
        return found

    def without_hidden(self, record: AuditRecord) -> AuditRecord:
        """Return an audit record without the details of memories that the reader may not see, or that are gone."""
        if not record.memories:
            return record
        seen = {one.id for one in admitted(self._opened.reader, list(record.memories), self.gate({}).known())}
        kept = [ident in seen for ident in record.memories]
        # A record about one memory says in its own slot what that one is about.
        keep = [any(kept), *kept]
        return replace(
            record,
            details=tuple(text if stays else "" for text, stays in zip(record.details, keep, strict=True)),
            salts=tuple(salt if stays else "" for salt, stays in zip(record.salts, keep, strict=True)),
        )

    def disclosed(self, door: str | None = None) -> Disclosure:
        """Return all that a bound reader may see; ``door`` is recorded as what they read it through."""
        gate = self.gate({}).known()
        if door is not None:
            self._search.record_door(door, gate)
        return Disclosure(self._opened.reader, gate, self._shown)

    def figures(self) -> Counted:
        """Return counts and weights, by tier and kind, of what a bound reader may see."""
        state = self._writer.fresh_state()
        gate = self.gate({}).known()
        with self.view.lock:
            index = self.view.refresh(state)
            return counted(index, gate.mask(index))

    def _density(self, ident: str) -> dict[str, float]:
        """Return what makes up the utility per token of a live memory; nothing of another one."""
        state, now = self._writer.fresh_state(), self._writer.now()
        scores = Scores(self.view.table(state, now), state.settings, now)
        found = self._opened.reader.nodes((ident,))
        row = scores.table.row(ident, found[0][0].sequence) if found else None
        return {} if row is None else scores.shown(row)

    def gate(self, filters: Mapping[str, Any]) -> Gate:
        """Return the gate that ``filters`` describe; None asks for nothing.

        Raises:
            InvalidInput: a filter is unknown, of the wrong type or out of range.
        """
        # As it is now, whoever wrote last: a consent may have been withdrawn by another process.
        state = self._writer.recent_state()
        now = self._writer.now()
        grant = filters.get("grant")
        values: dict[str, Any] = {
            name: self.conditions(value) if name == "metadata" else _filter(name, value)
            for name, value in filters.items()
            if value is not None and not (name == "grant" and self._limit is not None)
        }
        gate = Gate(
            now=now,
            task_grace=state.settings.task_grace,
            preference_set=self._writer.preference_set(),
            keeps=self._keeps,
            **values,
        )
        if gate.as_of is not None and gate.as_of > now:
            msg = (
                f"as_of {gate.as_of} is after the store's now, {now}; nothing is known of the future yet: leave it out"
            )
            raise InvalidInput(msg)
        if gate.since is not None and gate.until is not None and gate.until <= gate.since:
            msg = f"until {gate.until} is not after since {gate.since}, so that nothing lies between; swap them"
            raise InvalidInput(msg)
        return gate if self._limit is None else self._limit(gate, grant)

    def having(self, memories: Iterator[Memory], asked: object) -> Iterator[Memory]:
        """Return those of ``memories`` whose free JSON is what is asked for; all where nothing is."""
        wanted = self.conditions({} if asked is None else asked)
        return (one for one in memories if all(condition.holds(one.metadata) for condition in wanted))

    def conditions(self, asked: object) -> tuple[Condition, ...]:
        """Return the conditions that a filter on free JSON has.

        Raises:
            InvalidInput: it is none, or asks for a range where contents are encrypted.
        """
        found = conditions(asked)
        if self._encrypted and any(one.is_range for one in found):
            msg = (
                "metadata asks for a range, and in an encrypted tenant it is found by keyed digests, by equality only; "
                "ask for single values, or compare what comes back"
            )
            raise InvalidInput(msg)
        return found

    def profile(self, name: str) -> Profile:
        """Return a ranking profile by name or path."""
        key = name, self._writer.state.settings.retrieval.weights
        if key not in self._profiles:
            self._profiles[key] = load_profile(*key)
        return self._profiles[key]

    def like_hidden(self, sentences: Sequence[str], gate: Gate) -> list[str]:
        """Return the texts of those memories that ``gate`` hides which are nearest to ``sentences``, each once.

        Whatever the reader could not be shown for another reason, such as a value that was superseded, counts as well.
        """
        state = self._writer.fresh_state()
        whole = Gate(now=gate.now, latent=True, unaffirmed=True, superseded=True, closed=True)
        allowed = replace(
            whole, max_sensitivity=gate.max_sensitivity, purpose=gate.purpose, jurisdiction=gate.jurisdiction
        )
        with self.view.lock:
            index = self.view.refresh(state)
            # A purpose that nobody states hides a memory; the operator is not limited.
            everything = index.columns["alive"] & (index.columns["expiresAt"] > gate.now)
            hidden = everything & ~allowed.mask(index)
            places = dict.fromkeys(
                place for sentence in sentences for place in self._nearest_hidden(index, hidden, sentence)
            )
            ids = [index.ids[place] for place in places]
        return [memory.content for memory, _, _ in self._opened.reader.nodes(ids) if memory.content]

    def _nearest_hidden(self, index: MemoryIndex, hidden: Mask, sentence: str) -> list[int]:
        """Return the rows of ``hidden`` that share most words with a sentence, and those that are nearest to it."""
        words = index.lexical.scores(terms(sentence), hidden, index.columns["length"])
        found = [row for row in np.argsort(-words, kind="stable")[:_MOST_LIKE].tolist() if words[row] > 0]
        model = self._vectoriser.model if index.dimension else None
        rows = np.flatnonzero(hidden)
        if model is not None and len(rows):
            cosines = index.vectors["vector"][rows] @ model.embed([sentence])[0]
            found += rows[np.argsort(-cosines, kind="stable")[:_MOST_LIKE]].tolist()
        return found

    def vectors_made(self, ids: list[str]) -> None:
        """Take in the vectors of memories, which no record tells of."""
        self.view.vectors_made(ids)

    def put_points(self, progress: Callable[[int], None]) -> None:
        """Hand the engine's vector index all vectors, where the settings ask for it."""
        self.view.put_points(self._writer.fresh_state(), progress)

    def forget(self) -> None:
        """Drop what is derived from the store."""
        self._answers.forget()
        self._rewording.forget()
        self.view.forget()

    def save(self) -> None:
        """Keep what was derived so far, also for a program that ends without closing."""
        self.view.close()

    def close(self) -> None:
        """Keep what was derived from the store for the next program."""
        self.view.close()


def _named(index: MemoryIndex, mask: Mask, name: str, gate: Gate) -> Named:
    return named_entities(index, mask, name, restricted=gate.restricted, bound=gate.bound)


def _entity(index: MemoryIndex, mask: Mask, name: str, gate: Gate) -> Named:
    found = _named(index, mask, name, gate)
    if not found.ids:
        raise _unmentioned((name,))
    return found


def _is_there(index: MemoryIndex, gate: Gate, path: str) -> bool:
    """Return whether something that ``gate`` lets through has a value that is shown at ``path`` or below it."""
    found = there_below(path, index.facets["metadata"])
    return any(replace(gate, metadata=(one,)).mask(index).any() for one in found)


def _is_nobody(name: str, there: Iterable[str]) -> str:
    """Return that nothing is about somebody, and who is there that the name is like or a part of."""
    wanted = set(loose_form(called(name)).split())
    like = [one for one in there if wanted & set(loose_form(called(one)).split())]
    near = like or get_close_matches(name, list(there), _MOST_LIKE_NAMED, _LIKE)
    shown = f"; there is {', '.join(repr(one[:60]) for one in sorted(near)[:_MOST_LIKE_NAMED])}" if near else ""
    return f"nothing here is about {name[:60]!r}{shown}"


def _question_which(name: str, several: Iterable[str], gate: Gate, readers: Iterable[GraphReader]) -> str:
    """Return the question which entity is meant; types and IRIs may come from memories that are hidden."""
    ids = {one.partition("#")[0] for one in several}
    entities = [entity for reader in readers for entity, _, _ in reader.entities_by_id(sorted(ids))]
    return f"{which(name, sorted(entities, key=AGE), ids_alone=gate.restricted)}; {WAY_OUT}"


def _unmentioned(names: Iterable[str]) -> UnknownMemory:
    listed = ", ".join(repr(name[:60]) for name in names)
    msg = f"no memory that may be read mentions {listed}; ask with retrieve(), or see: mars entities"
    return UnknownMemory(msg)


def _of_another(ident: str, tenant: str) -> UnknownMemory:
    msg = (
        f"{ident[:60]} belongs to the shared tenant {tenant!r}, whose own logs say what became of it; "
        f"ask there: mars explain --tenant {tenant} {ident[:60]}"
    )
    return UnknownMemory(msg)


def _no_task(goal: str) -> UnknownMemory:
    msg = f"goal {goal[:60]} is no task that may be read; give the id of a task"
    return UnknownMemory(msg)


def _refuse_unknown(wanted: Wanted, unknown: set[str]) -> None:
    """Refuse the entities and goals that no tenant knows which is read."""
    names, goals = ([word for word in words or () if word in unknown] for words in wanted)
    if names:
        raise _unmentioned(names)
    if goals:
        raise _no_task(goals[0])


def _tasks(index: MemoryIndex, gate: Gate) -> set[str]:
    """Return the ids of the tasks that the reader may know of, closed and latent ones too, whatever they ask for."""
    rows = np.flatnonzero(gate.known().mask(index) & (index.columns["kind"] == KINDS.index(Kind.TASK)))
    return {index.ids[row] for row in rows.tolist()}


def _filter(name: str, value: Any) -> Any:  # noqa: ANN401 - as many types as filters
    """Return the checked value of a filter."""
    if name in _ENUMERATIONS:
        return tuple(enumeration(_ENUMERATIONS[name], name, item) for item in ids_of(value))
    if name in _SETS:
        return ids_of(value)
    if name in _TIMES:
        return check_integer(name, value, 0, MAX_MS)
    if name in _FLAGS and isinstance(value, bool):
        return value
    if name == "key_prefix" and isinstance(value, str):
        return key_prefix(value)
    if name in _TEXTS and isinstance(value, str):
        return value
    if name == "max_sensitivity":
        return check_number(name, value, 0, 1)
    if name in _FILTERS:
        msg = f"{name} is a {type(value).__name__}; it must be {'true or false' if name in _FLAGS else 'a text'}"
        raise InvalidInput(msg)
    msg = f"there is no filter {name[:60]!r}; use {', '.join(_FILTERS)}"
    raise InvalidInput(msg)


def _question(request: Request, named: NamedTimes) -> Question | None:
    """Return what only a complete reading answers, None where the only date that it is about does not exist.

    A period that the caller gives goes before those that the question names.
    """
    from marskg.language.en.question_words import asks  # noqa: PLC0415 - fifty patterns: only to answer

    gate = request.gate
    asked = asks(named.question)
    if asked is None:
        return None
    times = named.times
    if times.impossible and not times.periods:
        return None
    if gate.since is not None or gate.until is not None:
        times = Times((Period(gate.since, gate.until, ""),))
    return Question(asked, times, named.zone, named.week_start)
