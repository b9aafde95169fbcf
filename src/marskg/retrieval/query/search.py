"""One read: gate, search, rank, read anew and check, assemble to the budget, record what was shown.

Guarantees: what the gate holds back takes part in nothing; what is shown was read from the store after it was ranked
and passed the gate again; the result weighs at most the budget; what was shown is in the access log, by id, before the
caller gets it, and neither the query nor any content is. Source: MemoryArchitect II.C (the four stages); semantics
section 9; architecture, "One read".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np

from marskg.config import GROUPED, AssemblySettings
from marskg.embedding.model import question_vectors
from marskg.errors import EmbeddingUnavailable, EngineUnavailable, InvalidInput, UnknownMemory
from marskg.language.en.withdrawals import left_of, withdrawals
from marskg.language.spans import GAP
from marskg.language.whole_clauses import left_whole
from marskg.ontology.vocabulary import Kind
from marskg.retrieval.access.divided import divided
from marskg.retrieval.assembly.assemble import assemble
from marskg.retrieval.assembly.candidate import Candidate, Outdated
from marskg.retrieval.assembly.context_sections import Summary, updated
from marskg.retrieval.assembly.hits import Hit, Hits
from marskg.retrieval.assembly.rendering import Passage, Section
from marskg.retrieval.complete.exhaustive_read import admitted
from marskg.retrieval.complete.line import SHARE, Line, Material, together
from marskg.retrieval.complete.reading import ADDED, family
from marskg.retrieval.index.memory_index import MICRO
from marskg.retrieval.index.while_made import by_standing
from marskg.retrieval.query.about_person import Told, above, lead
from marskg.retrieval.query.newer import asks_of_past, weights_of
from marskg.retrieval.query.outlived import Outlived
from marskg.retrieval.query.ranking import WEAK, Ranker, make_query
from marskg.retrieval.query.reach import MARK, Reach, Wanted, appended, reached
from marskg.retrieval.query.relevance import STANDING, calibration_of
from marskg.store.rows import codec
from marskg.store.rows.score_decay import Fading
from marskg.store.unit.vectors import model_name
from marskg.store.upkeep.access_log import GoneMeanwhileError, Known, Showing, current_rows, record_showing
from marskg.store.upkeep.maintenance import next_due
from marskg.store.upkeep.use_and_session_expiry import expire_used
from marskg.text import terms
from marskg.weight import RULE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from marskg.language.broad_questions import Broad
    from marskg.language.questions import Question
    from marskg.language.spans import Part
    from marskg.language.times import Period
    from marskg.records import Memory
    from marskg.retrieval.access.read_gate import Gate
    from marskg.retrieval.assembly.assemble import Assembled
    from marskg.retrieval.assembly.contradictions import Differ
    from marskg.retrieval.assembly.hits import Complete
    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.retrieval.index.view import IndexView
    from marskg.retrieval.query.named_times import NamedTimes
    from marskg.retrieval.query.profile import Profile
    from marskg.retrieval.query.ranking import Query, Ranked, Ranking
    from marskg.retrieval.query.reranked import Reranking
    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Row
    from marskg.store.rows.state import TenantState
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.vectors import Vectoriser
    from marskg.weight import TokenCounter

Vector: TypeAlias = "npt.NDArray[np.float32]"
T = TypeVar("T")
#: Ranks the visible rows of an index for a vector, up to a number of them.
RankRows: TypeAlias = "Callable[[MemoryIndex, npt.NDArray[np.bool_], Vector | None, int], tuple[Ranked, ...]]"

#: Gives a memory as the reader of a gate gets it.
Shows: TypeAlias = "Callable[[Memory, Gate], Memory]"
#: Gives ``[rows]`` whole percent that the rank of each memory is multiplied with, 0 to keep it out; None for 100.
Emphasis: TypeAlias = "Callable[[MemoryIndex], npt.NDArray[np.int64] | None]"

#: Bytes of a query; what is longer is a document.
MAX_QUERY: Final = 1 << 16
#: How many are ranked around an anchor whatever is asked for, and how many times as many are looked for where what was
#: found is not enough.
_AROUND: Final = 400
_WIDER: Final = 4
#: Turns of a conversation that its summary is made of.
_TURNS: Final = 200
#: Why a memory was shown that is no hit.
_SUMMED: Final = "shown in the summary of its session"
_NOTHING_BEARS: Final = "nothing that is remembered bears on this"
_UNCERTAIN: Final = "what is shown is nearest, and perhaps does not bear on this"
_READ: Final = "read in full for a sum, a count, a list or a time"
#: How often an answer is made anew because something in it went before it could be recorded.
_ATTEMPTS: Final = 10


_DEFAULTS: Final = AssemblySettings()
_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})
_FADING: Final = Fading()


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks for: a text, how much may come back, through which gate, ranked how."""

    query: str
    gate: Gate
    profile: Profile
    budget: int
    k: int
    assembly: AssemblySettings = _DEFAULTS
    fading: Fading = _FADING
    emphasis: Emphasis | None = None
    conversation: str | None = None
    #: What only a complete reading answers.
    question: Question | None = None
    #: What times the question names.
    times: NamedTimes | None = None
    explain: bool = False
    record: bool = True
    #: Without the numbers of each candidate and stage, as under load.
    brief: bool = False
    #: The door that the caller came through, as the record of what is shown names it.
    call: str = "retrieve"
    #: The confidence below which nothing is shown; None for that of the settings, where the model is calibrated.
    min_confidence: float | None = None
    usual_confidence: float = 0.0
    #: How many of the best are read in any case.
    least: int = 0
    #: Whom the question as a whole is about.
    broad: Broad | None = None

    @property
    def wanted(self) -> Wanted:
        """Return how much of a ranking is asked for."""
        return Wanted(self.k, self.budget, self.assembly.longest_share, self.assembly.cosine, self.least)

    @property
    def strict(self) -> bool:
        """Return whether what is below the floor is left out: the caller says which floor."""
        return self.min_confidence is not None

    @property
    def least_confidence(self) -> float:
        """Return the confidence below which nothing is shown, where the model is calibrated."""
        return self.usual_confidence if self.min_confidence is None else self.min_confidence


@dataclass(frozen=True, slots=True)
class _Links:
    """Where the edges of one memory lead that assembly looks at, as ids, and who contradicts it."""

    entities: tuple[str, ...]
    goals: tuple[str, ...]
    bases: tuple[str, ...]
    contradicts: tuple[str, ...]
    against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """The vector of what is asked, what the store calls the model that made it, and one for what has none of it yet."""

    vector: Vector
    model: str
    early: Vector | None = None


@dataclass(frozen=True, slots=True)
class Confidence:
    """How likely it is that something bears on the question, from 0 to 1; whether the model behind it is calibrated."""

    value: float
    calibrated: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """What was ranked high enough to be read: ids, numbers and vectors side by side; ``reach`` tells how far.

    ``links`` are those of each of the ids and of all that they depend on; ``answers`` the turn that asks right before
    one of them; ``passages`` the number of the passage that was found in a long one; ``cuts`` the parts of a turn that
    say what holds no longer; ``newer`` what perhaps outdates one of them; ``at`` is the state of the tenant that the
    index had reached; ``visible`` are the tokens of all that the reader may see.
    """

    ids: list[str]
    ranked: tuple[Ranked, ...]
    reach: Reach
    vectors: npt.NDArray[np.float32] | None
    links: Mapping[str, _Links]
    at: TenantState
    stages: dict[str, Any]
    unwanted: frozenset[str] = frozenset()
    answers: Mapping[str, str] = field(default_factory=dict)
    passages: Mapping[str, int] = field(default_factory=dict)
    cuts: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    newer: Mapping[str, Outdated] = field(default_factory=dict)
    confidence: Confidence | None = None
    visible: int = 0

    @property
    def single(self) -> frozenset[str]:
        """Return the ids of those that bring no family along."""
        places = zip(self.ids, self.reach.places, strict=True)
        return frozenset(ident for ident, place in places if place in self.reach.single)


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read anew and may be shown, and the nodes that it was read from."""

    candidates: list[Candidate]
    nodes: Mapping[str, Row]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What one tenant has for a request: candidates, best first, which of them contradict, and the stages' numbers.

    ``known`` are the nodes that were read, and when; ``weighed``: their weights are what the counter gives; ``visible``
    are the tokens of all that the reader may see; of what is ranked at the ``horizon`` and below not everything was
    read.
    """

    candidates: list[Candidate]
    contradicts: list[tuple[str, str]]
    known: Known
    stages: dict[str, Any]
    confidence: Confidence | None = None
    weighed: bool = False
    visible: int = 0
    horizon: int | None = None


def merged(found: Sequence[Found]) -> list[Candidate]:
    """Return the candidates of all tenants.

    Of two memories with the same id the one of the earlier tenant, the reader's own first, is taken. Places are those
    of one tenant's ranking, and say nothing among several.
    """
    if len(found) == 1:
        return found[0].candidates
    chosen: dict[str, Candidate] = {}
    for one in found:
        for candidate in one.candidates:
            chosen.setdefault(candidate.id, replace(candidate, among=0))
    return list(chosen.values())


def check_query(
    query: str,
    name: str = "query",
    way: str = "ask something, or read everything of a key, period or entity with read_all()",
) -> str:
    """Return ``query`` if it can be looked up; messages call it ``name``, and tell the ``way`` out of an empty one.

    Raises:
        InvalidInput: blank, or longer than ``MAX_QUERY`` bytes.
    """
    if not query.strip():
        msg = f"{name} is empty; {way}"
        raise InvalidInput(msg)
    size = len(query.encode("utf-8", "surrogatepass"))
    if size > MAX_QUERY:
        msg = f"{name} has {size:,} bytes, more than {MAX_QUERY:,}; a sentence or a paragraph is enough"
        raise InvalidInput(msg)
    return query.encode("utf-8", "replace").decode()


class Search:
    """Answers requests from one tenant's index and store."""

    def __init__(
        self,
        view: IndexView,
        reader: GraphReader,
        writer: Writer,
        vectoriser: Vectoriser,
        counter: TokenCounter,
        *,
        guest: bool = False,
        shows: Shows | None = None,
        reranking: Reranking | None = None,
        differ: Differ | None = None,
    ) -> None:
        """Answer from ``view``, read memories anew by ``reader``, record by ``writer``, weigh by ``counter``.

        A ``guest`` reads another's tenant, and finds nothing there that is bound to one use. ``shows`` gives each
        memory as a reader gets it; as it is stored if left out. ``reranking`` puts what is ranked best in order again;
        ``differ`` tells of two that perhaps tell an older and a newer value whether they cannot both hold.
        """
        self._guest = guest
        self._reranking = reranking
        self._differ = differ
        self._shows = shows or as_stored
        self._view = view
        self._reader = reader
        self._writer = writer
        self._vectoriser = vectoriser
        self._counter = counter

    def retrieve(self, request: Request, guests: Sequence[Search] = ()) -> Hits:
        """Return what answers the request here and in the tenants of ``guests``, and record here that it was shown.

        Raises:
            InvalidInput: the query cannot be looked up.
            EmbeddingMismatch: the tenant's vectors are of another model.
        """
        query = check_query(request.query)
        asked, notices = self._vector(query)

        def answer(gate: Gate) -> Hits:
            passing = replace(request, gate=gate, least=self._least(request, guests))
            found = [one.ranked(passing, query, asked) for one in (self, *guests)]
            complete = self._complete(passing, guests)
            return self._finish(passing, found, query, notices, complete)

        return self.until_shown(request.gate, answer)

    def _least(self, request: Request, guests: Sequence[Search]) -> int:
        """Return how many of the best are read however little is asked for: those that a reranker reads.

        Who says the same in another tenant is told by reading it.
        """
        if guests:
            return request.profile.candidates
        return 0 if self._reranking is None else self._reranking.reads

    def until_shown(self, gate: Gate, answer: Callable[[Gate], T]) -> T:
        """Return what ``answer`` gives through ``gate``, made anew while something in it goes before it is handed out.

        What counts is the moment of the record: where the time of a memory or of a consent ran out between the gate's
        moment and that one, the answer is made anew through a gate of that moment.

        Raises:
            EngineUnavailable: that went on for ``_ATTEMPTS`` attempts.
        """
        shared = self._writer.shared
        for _ in range(_ATTEMPTS):
            erasures = shared.erasures
            try:
                found = answer(gate)
            except GoneMeanwhileError:
                continue
            recorded = self._writer.state.last_time
            # Between the record of an answer and this line somebody may have erased what is in it.
            if shared.erasures == erasures and not self._ran_out(gate, recorded):
                return found
            gate = replace(gate, now=max(gate.now, recorded))
        msg = f"what answers it went {_ATTEMPTS} times while it was read; ask again"
        raise EngineUnavailable(msg)

    def _ran_out(self, gate: Gate, recorded: int) -> bool:
        """Return whether the time of a memory or of a consent ended after the gate's moment, until ``recorded``."""
        if recorded <= gate.now:
            return False
        due = self._writer.shared.next_due
        if due == 0:  # another process wrote: what is due next is not known here
            due = next_due(self._writer)
        ended = len(gate.preference_set.due(recorded)) > len(gate.preference_set.due(gate.now))
        return ended or (due is not None and gate.now < due <= recorded)

    def ranked(self, request: Request, query: str, asked: _Asked | None) -> Found:
        """Return what of this tenant answers the request, read and checked; nothing is recorded."""
        return self._found(request, self._rank(request, query, asked))

    def around(
        self,
        request: Request,
        asked: _Asked | None,
        rank: RankRows,
        cuts: Mapping[str, tuple[Part, ...]] = MappingProxyType({}),
    ) -> Found:
        """Return what ``rank`` finds in this tenant, read and checked; nothing is recorded.

        ``cuts`` has by id the parts of texts that hold no longer, as far as ``rank`` came to know them.
        """
        state = self._view.state()
        with self._view.lock:
            index = self._view.refresh(state)
            mask, percents = _emphasised(index, request)
            most = max(_AROUND, request.wanted.most)
            ranked = rank(divided(index, request.gate), mask, self._comparable(asked), most)
            reach = reached(index, ranked, request.wanted, min(len(ranked), _AROUND), ())
            stages = {"visible": int(mask.sum()), "candidates": len(ranked)}
            chosen = _chosen(index, ranked, reach, state, percents, **stages)
        return self._found(request, replace(chosen, cuts=dict(cuts)) if cuts else chosen)

    def _found(self, request: Request, chosen: _Chosen) -> Found:
        read = self._read(request, chosen)
        contradicting = _contradicting(chosen, read.candidates)
        known = Known(chosen.at, read.nodes)
        weighed = self._writer.state.weighed_by >= RULE
        return Found(
            read.candidates,
            contradicting,
            known,
            chosen.stages,
            chosen.confidence,
            weighed,
            chosen.visible,
            chosen.reach.horizon,
        )

    def _finish(
        self,
        request: Request,
        found: Sequence[Found],
        query: str,
        notices: tuple[str, ...],
        complete: Complete | None = None,
    ) -> Hits:
        """Rerank, assemble and record what was found for ``query``, which is empty where nothing was asked."""
        recent, summary = self._conversation(request)
        weighed = _weighed(request, found)
        if complete is not None:  # What was read in full answers.
            weighed = _Weighed(weighed.confidence)
        candidates = [] if weighed.silent else merged(found)
        told: tuple[str, ...] = ()
        if self._reranking is not None and candidates:
            candidates, told = self._reranking(query, candidates)
        assembled = assemble(
            candidates,
            budget=request.budget,
            counter=self._counter,
            settings=request.assembly,
            query_terms=frozenset(terms(query)),
            recent=recent,
            summary=summary,
            contradicts=[] if weighed.silent else [pair for one in found for pair in one.contradicts],
            differ=self._differ,
            most=request.k,
            unsure=_unsure(request, found),
            horizon=max((one.horizon for one in found if one.horizon is not None), default=None),
            leading=() if complete is None else (Passage(Section.COMPLETE, complete.text, complete.ids),),
            weighed=all(map(attrgetter("weighed"), found)),
        )
        if not any(piece.section is Section.COMPLETE for piece in assembled.rendered.passages):
            complete = None
        hits = tuple(
            Hit(
                as_read(item.memory, request.gate),
                item.score / MICRO,
                item.tokens,
                _decimals(_marks(item.why) if request.brief else item.why),
                item.shortened,
                item.certain,
                item.newer,
            )
            for item in assembled.shown
        )
        summed = summed_up(assembled)
        recorded = request.record and (hits or summed)
        ident = self.record_hits(request, hits, found[0].known, summed) if recorded else None
        # One reason is enough: the question's own, if there is one.
        if self._view.without_vectors is not None and not notices:
            notices += (f"ranked without vectors: {self._view.without_vectors}",)
        notices += told
        stages = {} if request.brief else {**found[0].stages, "shown": len(hits)}
        if request.gate.restricted:
            assembled = _unplaced(assembled, request.gate)
        notices += weighed.notices
        return Hits(as_named(ident, request.gate), assembled, hits, stages, notices, complete, weighed.confidence)

    def _recalled(self, request: Request, about: str, rank: RankRows, guests: Sequence[Search]) -> Hits:
        asked, notices = self._vector(about) if about else (None, ())
        found: list[Found] = []
        unknown: list[UnknownMemory] = []
        for one in (self, *guests):
            try:
                found.append(one.around(request, asked, rank))
            except UnknownMemory as error:
                unknown.append(error)
        if not found:
            raise unknown[0]
        return self._finish(request, found, "", notices)

    def recall(self, request: Request, about: str, rank: RankRows, guests: Sequence[Search] = ()) -> Hits:
        """Return what ``rank`` finds for the vector of ``about``, assembled and recorded as a retrieval is.

        Raises:
            UnknownMemory: no tenant knows what the recall starts at.
        """
        return self.until_shown(
            request.gate, lambda gate: self._recalled(replace(request, gate=gate), about, rank, guests)
        )

    def record(self, memories: Iterable[Memory], reason: str, gate: Gate, *, call: str) -> str | None:
        """Record that ``call`` showed memories outside a ranking; returns the record's name, None without any."""
        shown = list(memories)
        if not shown:
            return None
        ids = [memory.id for memory in shown if memory.tenant == self._writer.tenant]
        parameters = (f"call={call}", *_said(gate), *self._foreign(shown))
        return self._recorded([Showing(ident, reason=reason) for ident in ids], parameters, gate)

    def record_door(self, door: str, gate: Gate) -> None:
        """Record that somebody read through ``door`` whatever their gate lets through: no memory counts as shown."""
        self._recorded([], (f"door={door}", *_said(gate)), gate)

    def _recorded(
        self, shown: Sequence[Showing], parameters: tuple[str, ...], gate: Gate, known: Known | None = None
    ) -> str:
        """Record a showing, and end what was bound to that one use; returns the record's name."""
        late = not gate.bound and self._writer.state.settings.audit.access == GROUPED
        done = record_showing(self._writer, shown, parameters, known, late=late)
        self._view.shown(done.state, done.accessed)
        expire_used(self._writer, [one.id for one in done.accessed if one.use_bound])
        return done.name

    def _foreign(self, shown: Iterable[Memory]) -> tuple[str, ...]:
        """Return what a record says of memories of shared tenants: which, and nothing else."""
        return tuple(f"shared={one.tenant}:{one.id}" for one in shown if one.tenant != self._writer.tenant)

    # --- Stages ---------------------------------------------------------------------------------------------------

    def _vector(self, query: str) -> tuple[_Asked | None, tuple[str, ...]]:
        # To a model the word in capitals is another; who writes all of a question in them means the usual one.
        query = query.lower() if query.isupper() else query
        try:
            model = self._vectoriser.model
            if model is None:
                return None, ()
            early = self._vectoriser.early
            standing = None if early is None else early.embed([query])[0]
            return _Asked(question_vectors(model, [query])[0], model_name(model), standing), ()
        except EmbeddingUnavailable as error:
            return None, (f"ranked without vectors: {error}",)

    def _comparable(self, asked: _Asked | None) -> Vector | None:
        """Return the query's vector, unless the tenant changed models after it was made."""
        return None if asked is None or asked.model not in {self._view.model, STANDING} else asked.vector

    def _by_standing(
        self, index: MemoryIndex, mask: npt.NDArray[np.bool_], asked: _Asked | None
    ) -> tuple[MemoryIndex, _Asked | None]:
        """Return the index and what is asked by what stands for vectors where too many are not made yet."""
        if asked is None or asked.early is None or asked.model != self._view.model:
            return index, asked
        standing = by_standing(index, mask)
        return (index, asked) if standing is None else (standing, _Asked(asked.early, STANDING))

    def _query(self, request: Request, query: str, asked: _Asked | None, periods: tuple[Period, ...]) -> Query:
        """Return what is asked, and when."""
        early = None if asked is None else asked.early
        return make_query(query, self._comparable(asked), request.gate.now, request.fading, periods, early=early)

    def _rank(self, request: Request, query: str, asked: _Asked | None) -> _Chosen:
        """Rank what the reader may see, and choose what is worth reading for the budget."""
        state = self._view.state()
        with self._view.lock:
            index = self._view.refresh(state)
            mask, percents = _emphasised(index, request)
            index, asked = self._by_standing(index, mask, asked)
            asks = self._query(request, query, asked, _periods(index, mask, request))
            calibration = calibration_of(None if asked is None else asked.model)
            make = partial(
                Ranker,
                divided(index, request.gate),
                mask,
                asks,
                request.profile,
                restricted=request.gate.restricted,
                bound=request.gate.bound,
                percents=percents,
                # What the engine's search misses depends on all that it holds, hidden memories too.
                nearest=None if request.gate.bound or _stands(asked) else self._view.nearest,
                calibration=calibration,
                floor=request.least_confidence,
                strict=request.strict,
                outlived=Outlived(index, request.gate, mask),
                newer=None if _asks_for_past(request, asks) else weights_of(None if asked is None else asked.model),
                meant=None if request.question is None else _meant(index, mask, request, request.question),
            )
            ranking, ranked, total = _ranked(make, index, request)
            leading = _leading(index, mask, asks.vector, request)
            ranked = above(leading, ranked)
            reach = reached(index, ranked, request.wanted, len(ranking.found) + len(leading.rows), _read_with(ranking))
            intent = ranking.intent
            chosen = _chosen(
                index,
                ranked,
                reach,
                state,
                percents,
                visible=int(mask.sum()),
                candidates=total,
                profile=request.profile.name,
                evidence=ranking.evidence,
                passages=ranking.among.passages,
                of_long=round(ranking.among.long, 6),
                tags=intent.tags,
                sources=tuple(source.value for source in intent.sources),
                # Their names are as old as their first mention, which the reader may not see.
                entities=() if request.gate.restricted else ranking.entities,
            )
            return replace(
                chosen,
                answers=_answers(index, ranking),
                passages={index.ids[row]: number for row, number in ranking.passages.items()},
                newer=_outdated(index, ranking),
                cuts={**{index.ids[row]: cut for row, cut in ranking.cuts.items()}, **leading.cuts},
                # What is about a person bears on a question about them.
                confidence=Confidence(1.0 if leading.rows else ranking.confidence, calibration.vectors),
                visible=int(index.columns["weight"][mask].sum()) + MARK * int(mask.sum()),
            )

    def _read(self, request: Request, chosen: _Chosen) -> _Read:
        """Read the chosen memories anew, with what they make no sense without, and check them once more."""
        nodes = current_rows(self._writer, self._reader, chosen.links)
        read = ((ident, codec.decode_memory(nodes[ident])) for ident in chosen.links if ident in nodes)
        asked = frozenset(terms(request.query))
        doubtful = _doubtful(chosen)
        allowed = {
            ident: shown
            for ident, memory in read
            if ident not in chosen.unwanted and self._admits(request, memory)
            # What may be shown once is not spent on what it perhaps does not bear on.
            if not (memory.use_bound and ident in doubtful)
            for left in (self._left(memory, chosen.cuts[ident], asked) if ident in chosen.cuts else memory,)
            if left is not None
            for shown in (self._shows(left, request.gate),)
            # What is taken out for its reader is not found by what it was.
            if not request.gate.metadata or request.gate.finds(shown)
        }
        ranked = {
            ident: (item, None if chosen.vectors is None else chosen.vectors[place])
            for place, (ident, item) in enumerate(zip(chosen.ids, chosen.ranked, strict=True))
        }
        candidates: dict[str, Candidate] = {}
        single = chosen.single
        for one, place in _groups(chosen, allowed).items():
            item, vector = ranked.get(one, (None, None))
            memory = allowed[one]
            if chosen.links[one].against:
                memory = self._standing(memory, chosen.links[one].against, allowed)
            candidate = _candidate(memory, chosen, item, vector, allowed)
            candidates[one] = replace(candidate, among=place, in_family=one not in single)
        return _Read(list(candidates.values()), nodes)

    def _standing(self, memory: Memory, against: Iterable[str], allowed: Mapping[str, Memory]) -> Memory:
        """Return a memory without what others that the reader may see take out of the list that it gives."""
        others = [allowed[other].content or "" for other in against if other in allowed]
        content = left_of(memory.content or "", others)
        return memory if content == memory.content or not content else self._saying(memory, content)

    def _left(self, memory: Memory, cut: tuple[Part, ...], asked: frozenset[str]) -> Memory | None:
        """Return a memory without the parts ``cut``, None where nothing but these says a word that was ``asked``."""
        content = left_whole(memory.content or "", cut)
        found = asked.intersection(terms(memory.content or ""))
        left = terms(content)
        return None if not left or (found and found.isdisjoint(left)) else self._saying(memory, content)

    def _saying(self, memory: Memory, content: str) -> Memory:
        return replace(memory, content=content, weight=self._counter.count(content))

    def _admits(self, request: Request, memory: Memory) -> bool:
        return request.gate.admits(memory) and not (self._guest and memory.use_bound)

    def _complete(self, request: Request, guests: Sequence[Search]) -> Complete | None:
        """Return the complete reading that the question asks for, of this tenant and those of ``guests``."""
        question = request.question
        if question is None or request.budget < request.assembly.plain_below:
            return None
        material = together([part for one in (self, *guests) if (part := one.material(request, question)) is not None])
        limit = int(request.budget * SHARE)
        return None if material is None else Line(question, self._counter, limit).of(material)

    def material(self, request: Request, question: Question) -> Material | None:
        """Return what of this tenant the question is about, all of it, read anew and checked; nothing is recorded."""
        state = self._view.state()
        gate = request.gate
        with self._view.lock:
            index = self._view.refresh(state)
            mask, _ = _emphasised(index, request)
            scoped = gate.key_prefix is not None
            found = family(index, mask, question.asked, question.times.periods, scoped=scoped)
        if found is None:
            return None
        memories, goals = (
            [one for one in admitted(self._reader, list(ids), gate, self._shows) if not (self._guest and one.use_bound)]
            for ids in (found.ids, found.goals)
        )
        return Material(memories, goals, found.keys, found.names, found.money)

    def _conversation(self, request: Request) -> tuple[list[Memory], Summary | None]:
        """Return the turns of the conversation that goes on, as the reader may see them, and its summary."""
        if request.conversation is None:
            return [], None
        rows = sorted(self._reader.session(request.conversation), key=lambda row: (row["validFrom"], row["sequence"]))
        ids = [row["id"] for row in rows if row["kind"] == Kind.EPISODIC]
        unwanted = self._unwanted(request, ids)
        turns: list[Memory] = []
        # The last that the reader may see, however many there are that they may not.
        while ids and len(turns) < _TURNS:
            page, ids = ids[-_TURNS:], ids[:-_TURNS]
            nodes = current_rows(self._writer, self._reader, page)
            read = (codec.decode_memory(nodes[ident]) for ident in page if ident in nodes)
            turns = [one for one in read if self._admits(request, one) and one.id not in unwanted] + turns
        turns = [self._shows(one, request.gate) for one in turns[-_TURNS:]]
        limit = int(request.budget * request.assembly.summary_share)
        return turns, updated(Summary(), turns, limit, self._counter) if limit else None

    def _unwanted(self, request: Request, ids: Iterable[str]) -> frozenset[str]:
        """Return those of ``ids`` that wishes keep out."""
        if request.emphasis is None:
            return frozenset()
        state = self._view.state()  # Before the lock: who erases holds the writer's and waits for this one.
        with self._view.lock:
            index = self._view.refresh(state)
            return _kept_out(index, request.emphasis(index), (one for one in ids if one in index.rows))

    def record_hits(
        self,
        request: Request,
        hits: tuple[Hit, ...],
        known: Known | None = None,
        summed: Mapping[str, str] = MappingProxyType({}),
    ) -> str:
        """Record what is shown, with the numbers that ranked it; returns the record's name.

        ``summed`` are the memories that lines made of several come from, each with the reason: they are shown too.

        Raises:
            GoneMeanwhileError: something of it must not be shown any more.
        """
        shown = [
            Showing(
                hit.memory.id,
                _features({"rank": hit.score, **hit.why}),
                _shown_as(place, hit),
                hit.certain,
            )
            for place, hit in enumerate(hits, 1)
            if hit.memory.tenant == self._writer.tenant
        ]
        there = {hit.memory.id for hit in hits}
        shown += [Showing(ident, reason=reason) for ident, reason in summed.items() if ident not in there]
        parameters: tuple[str, ...] = (
            f"call={request.call}",
            f"profile={request.profile.name}",
            f"k={request.k}",
            f"token_budget={request.budget}",
        )
        parameters += _said(request.gate)
        parameters += self._foreign(hit.memory for hit in hits)
        return self._recorded(shown, parameters, request.gate, known)


def _shown_as(place: int, hit: Hit) -> str:
    """Return why a memory was shown, and what was said against it."""
    bears = "" if hit.certain else ", and perhaps does not bear"
    return f"shown as number {place}{bears}{'' if hit.newer is None else f', and perhaps outdated by {hit.newer}'}"


def _unsure(request: Request, found: Sequence[Found]) -> int | None:
    """Return the tokens for what is not certain to bear: all where all that may be seen fits, None for the usual."""
    return request.budget if sum(one.visible for one in found) <= request.budget else None


class _Weighed(NamedTuple):
    """The confidence of an answer, what is to be told of it, and whether nothing is shown because of it."""

    confidence: float | None = None
    notices: tuple[str, ...] = ()
    silent: bool = False


def _weighed(request: Request, found: Sequence[Found]) -> _Weighed:
    """Weigh whether anything that was found bears on the question."""
    weighed = [one.confidence for one in found if one.confidence is not None]
    if not weighed:
        return _Weighed()
    value = max(one.value for one in weighed)
    least = request.least_confidence if request.strict or all(one.calibrated for one in weighed) else 0.0
    if value >= least:
        nothing = request.usual_confidence and not any(one.candidates for one in found)
        return _Weighed(value, (_NOTHING_BEARS,) if nothing else ())
    below = f"confidence {value:.2f} is below {least:.2f}"
    if request.strict:
        return _Weighed(value, (f"{_NOTHING_BEARS}: {below}",), silent=True)
    if not any(one.candidates for one in found):
        return _Weighed(value, (_NOTHING_BEARS,), silent=True)
    return _Weighed(value, (f"{_UNCERTAIN}: {below}",))


def summed_up(assembled: Assembled) -> dict[str, str]:
    """Return the memories that lines made of several come from, each with why it was shown."""
    return {
        ident: _READ if piece.section is Section.COMPLETE else _SUMMED
        for piece in assembled.rendered.passages
        if piece.memory is None
        for ident in piece.ids
    }


def as_stored(memory: Memory, gate: Gate) -> Memory:  # noqa: ARG001 - as Shows has it
    """Return a memory as it is, whoever reads it."""
    return memory


def as_read(memory: Memory, gate: Gate) -> Memory:
    """Return a memory without its place among all that was stored, where the reader may not see all of that.

    What it calls whom is left out, too: ids of entities hold the time of their first mention, and an entry is there
    only where the entity's own name, which another memory may have given, is another one.
    """
    return replace(memory, sequence=0, names_given=()) if gate.restricted else memory


def _unplaced(assembled: Assembled, gate: Gate) -> Assembled:
    """Return what is shown with each memory :func:`as_read`, in every form."""
    passages = tuple(
        one if one.memory is None else replace(one, memory=as_read(one.memory, gate))
        for one in assembled.rendered.passages
    )
    return replace(
        assembled,
        shown=tuple(replace(item, memory=as_read(item.memory, gate)) for item in assembled.shown),
        rendered=replace(assembled.rendered, passages=passages),
    )


def as_named(record: str | None, gate: Gate) -> str | None:
    """Return what the reader calls an access record; a bound reader nothing, or a name without its number."""
    if record is None or not gate.bound:
        return record
    return None if gate.names is None else gate.names(record)


def _said(gate: Gate) -> tuple[str, ...]:
    """Return what an access record says of the gate: the purpose, and the grant that raised the ceiling."""
    purpose = () if gate.purpose is None else (f"purpose={gate.purpose}",)
    return purpose if gate.raised is None else (f"grant={gate.raised.grant}", *purpose)


def _periods(index: MemoryIndex, mask: npt.NDArray[np.bool_], request: Request) -> tuple[Period, ...]:
    """Return the times that the question names, those without a year in each year of a visible memory."""
    if request.times is None or not request.times.times.periods:
        return ()
    since = index.columns["validFrom"][mask].astype("datetime64[ms]").astype("datetime64[Y]")
    return request.times.in_years((1970 + np.unique(since.astype(np.int64))).tolist()).periods


def _asks_for_past(request: Request, query: Query) -> bool:
    """Return whether what held before is asked for, or whatever was replaced too."""
    return request.gate.superseded or asks_of_past(query.text, query.periods, query.now)


def _read_with(ranking: Ranking) -> Iterable[tuple[int, int]]:
    """Return pairs of rows the second of which is read with the first: its question, and what outdates it."""
    return (*ranking.answers.items(), *((row, one.row) for row, one in ranking.newer.items()))


def _answers(index: MemoryIndex, ranking: Ranking) -> dict[str, str]:
    """Return the turn that asks right before each of those that were ranked first, where it is among them."""
    first = {one.row for one in ranking.found}
    return {
        index.ids[row]: index.ids[asking] for row, asking in ranking.answers.items() if row in first and asking in first
    }


def _outdated(index: MemoryIndex, ranking: Ranking) -> dict[str, Outdated]:
    """Return what perhaps outdates each of what was ranked."""
    return {index.ids[row]: Outdated(index.ids[one.row], one.marked, one.alone) for row, one in ranking.newer.items()}


def _emphasised(index: MemoryIndex, request: Request) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64] | None]:
    """Return ``[rows]``: what the reader may see and is not kept out, and what ranks are multiplied with."""
    mask = request.gate.mask(index)
    percents = None if request.emphasis is None else request.emphasis(index)
    return (mask, None) if percents is None else (mask & (percents > 0), percents)


def _leading(index: MemoryIndex, mask: npt.NDArray[np.bool_], vector: Vector | None, request: Request) -> Told:
    """Return what answers a question about a person as a whole, nothing for any other question."""
    if request.broad is None:
        return Told()
    return lead(divided(index, request.gate), request.gate, mask, request.broad, vector)


def _meant(
    index: MemoryIndex, mask: npt.NDArray[np.bool_], request: Request, question: Question
) -> npt.NDArray[np.intp] | None:
    """Return the rows of the entries that a sum is asked of, and of the goals that it is compared with."""
    if question.asked.wanted not in ADDED:
        return None
    scoped = request.gate.key_prefix is not None
    found = family(index, mask, question.asked, question.times.periods, scoped=scoped)
    ids = () if found is None else (*found.ids, *found.goals)
    return np.array([index.rows[one] for one in ids], dtype=np.intp)


def _kept_out(index: MemoryIndex, percents: npt.NDArray[np.int64] | None, ids: Iterable[str]) -> frozenset[str]:
    """Return those of ``ids`` that wishes keep out."""
    return frozenset() if percents is None else frozenset(one for one in ids if not percents[index.rows[one]])


def _stands(asked: _Asked | None) -> bool:
    """Return whether it is asked by what stands for vectors."""
    return asked is not None and asked.model == STANDING


def _ranked(
    make: Callable[[], Ranker], index: MemoryIndex, request: Request
) -> tuple[Ranking, tuple[Ranked, ...], int]:
    """Return what the first search finds, all that is ranked, best first, and how many were looked at.

    Where more is asked for than the first search looks at, wider ones come after it: what it found stays as it is.
    """
    wanted, size = request.wanted, request.profile.candidates
    first = wider = make().rank(size)
    ranked = list(first.found)
    passages, cuts = {**first.passages}, {**first.cuts}
    while wider.total == size < wanted.most and wanted.of(index, ranked) == len(ranked):
        size *= _WIDER
        wider = make().rank(size)
        ranked = appended(ranked, wider.found)
        passages, cuts = {**wider.passages, **passages}, {**wider.cuts, **cuts}
    return replace(first, passages=passages, cuts=cuts), tuple(ranked), wider.total


def _chosen(
    index: MemoryIndex,
    ranked: Sequence[Ranked],
    reach: Reach,
    state: TenantState,
    percents: npt.NDArray[np.int64] | None,
    **stages: object,
) -> _Chosen:
    found = tuple(ranked[place] for place in reach.places)
    vectors = index.vectors["vector"][[item.row for item in found]] if index.dimension else None
    ids = [index.ids[item.row] for item in found]
    links = _linked(index, ids)
    unwanted = _kept_out(index, percents, links)
    return _Chosen(ids, found, reach, vectors, links, state, {**stages, "read": len(found)}, unwanted)


def _groups(chosen: _Chosen, allowed: Mapping[str, Memory]) -> dict[str, int]:
    """Return what may be shown, and what it makes no sense without, each with the best place that it may stand at."""
    places = dict(zip(chosen.ids, chosen.reach.places, strict=True))
    found: dict[str, int] = {}
    for ident, place in places.items():
        for one in _closure(ident, allowed, chosen.links) if ident in allowed else ():
            group = chosen.reach.among[places.get(one, place)]
            found[one] = min(group, found.get(one, group))
    return found


def _linked(index: MemoryIndex, ids: list[str]) -> dict[str, _Links]:
    """Return the links of ``ids``, in their order, and of all that these depend on, or that contradicts them."""
    found: dict[str, _Links] = {}
    queue = ids
    while queue:
        found |= {ident: _links(index, index.rows[ident]) for ident in queue}
        bases = {base for ident in queue for base in (*found[ident].bases, *found[ident].against)}
        queue = sorted(base for base in bases if base not in found and base in index.rows)
    return found


def _links(index: MemoryIndex, row: int) -> _Links:
    words: dict[str, list[str]] = {"entity": [], "goal": [], "base": [], "contradicts": []}
    for facet, word in index.all_facets_of(row):
        if facet in words:
            words[facet].append(word)
    against = index.facets["contradicts"].get(index.ids[row], ())
    entities, goals, bases, contradicts = map(tuple, words.values())
    return _Links(entities, goals, bases, contradicts, tuple(map(index.ids.__getitem__, against)))


def _closure(ident: str, allowed: Mapping[str, Memory], links: Mapping[str, _Links]) -> list[str]:
    """Return a memory and what it depends on, as far as it was read and may be shown."""
    if not links[ident].bases:
        return [ident]
    found: dict[str, None] = {}
    queue = [ident]
    while queue:
        one = queue.pop()
        if one not in found:
            found[one] = None
            queue += [base for base in links[one].bases if base in allowed]
    return list(found)


def _doubtful(chosen: _Chosen) -> frozenset[str]:
    """Return what is not certain to bear on the question, and nothing that is depends on."""
    queue = [ident for ident, item in zip(chosen.ids, chosen.ranked, strict=True) if item.certain]
    needed: set[str] = set()
    while queue:
        ident = queue.pop()
        if ident not in needed:
            needed.add(ident)
            queue += chosen.links[ident].bases
    return frozenset(ident for ident in chosen.ids if ident not in needed)


def _contradicting(chosen: _Chosen, candidates: list[Candidate]) -> list[tuple[str, str]]:
    """Return the pairs of candidates that a ``contradicts`` edge joins."""
    there = {one.id: one for one in candidates}
    return [
        (one, other)
        for one in there
        for other in chosen.links[one].contradicts
        # Of a list without what was taken out of it the rest holds beside who took it out.
        if other in there and not (GAP in there[other].content and withdrawals(there[one].content))
    ]


def _candidate(
    memory: Memory, chosen: _Chosen, ranked: Ranked | None, vector: Vector | None, allowed: Mapping[str, object]
) -> Candidate:
    score, why = (0, _NOTHING) if ranked is None else (ranked.score, ranked.why)
    links = chosen.links[memory.id]
    return Candidate(
        memory=memory,
        score=score,
        vector=vector,
        entities=links.entities,
        goals=links.goals,
        bases=tuple(base for base in links.bases if base in allowed),
        answers=chosen.answers.get(memory.id),
        outdated=None if (newer := chosen.newer.get(memory.id)) is None or newer.by not in allowed else newer,
        # The passages of a text are numbered as it is stored.
        passage=None if memory.id in chosen.cuts else chosen.passages.get(memory.id),
        why=why,
        certain=ranked is None or ranked.certain,
    )


def _marks(why: Mapping[str, int]) -> Mapping[str, int]:
    """Return of the numbers of a ranking what learning goes by."""
    return {name: why[name] for name in WEAK if name in why}


def _decimals(why: Mapping[str, int]) -> dict[str, float]:
    return {name: value / MICRO for name, value in why.items()}


def _features(why: Mapping[str, float]) -> tuple[str, ...]:
    """Return the numbers of a ranking as the audit writes features."""
    return tuple(f"{name}={value:.6f}" for name, value in sorted(why.items()))
