"""One read: gate, search, rank, read anew and check, assemble to the budget, record what was shown.

Guarantees: what the gate holds back takes part in nothing; what is shown was read from the store after it was ranked
and passed the gate again; the result weighs at most the budget; what was shown is in the access log, by id, before the
caller gets it, and neither the query nor any content is. Source: MemoryArchitect II.C (the four stages); semantics
section 9; architecture, "One read".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from marskg.errors import EmbeddingUnavailable, EngineUnavailable, InvalidInput, UnknownMemory
from marskg.ontology.vocabulary import Kind
from marskg.retrieval.assembly import assemble
from marskg.retrieval.candidate import Candidate
from marskg.retrieval.hits import Hit, Hits
from marskg.retrieval.index import MICRO
from marskg.retrieval.mix import Summary, updated
from marskg.retrieval.ranking import Ranker, make_query
from marskg.retrieval.settings import AssemblySettings
from marskg.store import codec
from marskg.store.access import GoneMeanwhileError, Known, Showing, record_showing
from marskg.store.bounds import expire_used
from marskg.store.fading import Fading
from marskg.store.maintenance import next_due
from marskg.store.vectors import model_name
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from marskg.records import Memory
    from marskg.retrieval.assembly import Assembled
    from marskg.retrieval.gate import Gate
    from marskg.retrieval.index import MemoryIndex
    from marskg.retrieval.profile import Profile
    from marskg.retrieval.ranking import Ranked
    from marskg.retrieval.view import IndexView
    from marskg.store.engine import Row
    from marskg.store.reader import GraphReader
    from marskg.store.state import TenantState
    from marskg.store.vectors import Vectoriser
    from marskg.store.writer import Writer
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
#: Weight that is read for assembly to choose from, as a multiple of the budget, and the most memories.
_CHOICE: Final = 2
_MOST_READ: Final = 400
_LEAST_READ: Final = 12
#: Turns of a conversation that its summary is made of.
_TURNS: Final = 200
#: Why a turn was shown that is no hit.
_SUMMED: Final = "shown in the summary of its session"
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
    explain: bool = False
    record: bool = True
    #: Without the numbers of each candidate and stage, as under load.
    brief: bool = False
    #: The door that the caller came through, as the record of what is shown names it.
    call: str = "retrieve"


@dataclass(frozen=True, slots=True)
class _Links:
    """Where the edges of one memory lead that assembly looks at, as ids."""

    entities: tuple[str, ...]
    goals: tuple[str, ...]
    bases: tuple[str, ...]
    contradicts: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """The vector of what is asked, and what the store calls the model that made it."""

    vector: Vector
    model: str


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """What was ranked high enough to be read: ids, numbers and vectors side by side.

    ``links`` are those of each of the ids and of all that they depend on; ``at`` is the state of the tenant that the
    index had reached.
    """

    ids: list[str]
    ranked: tuple[Ranked, ...]
    vectors: npt.NDArray[np.float32] | None
    links: Mapping[str, _Links]
    at: TenantState
    stages: dict[str, Any]
    unwanted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read anew and may be shown, and the nodes that it was read from."""

    candidates: list[Candidate]
    nodes: Mapping[str, Row]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What one tenant has for a request: candidates, best first, which of them contradict, and the stages' numbers.

    ``known`` are the nodes that were read, and when.
    """

    candidates: list[Candidate]
    contradicts: list[tuple[str, str]]
    known: Known
    stages: dict[str, Any]


def merged(found: Sequence[Found], most: int) -> list[Candidate]:
    """Return up to ``most`` candidates of all tenants, best first, each with what it makes no sense without.

    Of two memories with the same id the one of the earlier tenant, the reader's own first, is taken.
    """
    if len(found) == 1:
        return found[0].candidates
    tenants: dict[str, dict[str, Candidate]] = {}
    for one in found:
        for candidate in one.candidates:
            if not any(candidate.id in others for others in tenants.values()):
                tenants.setdefault(candidate.memory.tenant, {})[candidate.id] = candidate
    chosen: dict[str, Candidate] = {}
    pool = [candidate for there in tenants.values() for candidate in there.values()]
    for lead in sorted(pool, key=lambda candidate: -candidate.score):
        there = tenants[lead.memory.tenant]
        group = [ident for ident in _with_bases(lead.id, there) if ident not in chosen]
        if len(chosen) + len(group) > most:
            break
        chosen.update((ident, there[ident]) for ident in group)
    return list(chosen.values())


def _with_bases(ident: str, there: Mapping[str, Candidate]) -> list[str]:
    found: dict[str, None] = {}
    queue = [ident]
    while queue:
        one = queue.pop()
        if one not in found and one in there:
            found[one] = None
            queue += there[one].bases
    return list(found)


def check_query(
    query: object,
    name: str = "query",
    way: str = "ask something, or read everything of a key, period or entity with read_all()",
) -> str:
    """Return ``query`` if it can be looked up; messages call it ``name``, and tell the ``way`` out of an empty one.

    Raises:
        InvalidInput: no string, blank, or longer than ``MAX_QUERY`` bytes.
    """
    if not isinstance(query, str):
        msg = f"{name} must be a string, not {type(query).__name__}"
        raise InvalidInput(msg)
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
    ) -> None:
        """Answer from ``view``, read memories anew by ``reader``, record by ``writer``, weigh by ``counter``.

        A ``guest`` reads another's tenant, and finds nothing there that is bound to one use. ``shows`` gives each
        memory as a reader gets it; as it is stored if left out.
        """
        self._guest = guest
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
            passing = replace(request, gate=gate)
            found = [one.ranked(passing, query, asked) for one in (self, *guests)]
            return self._finish(passing, found, tuple(terms(query)), notices)

        return self.until_shown(request.gate, answer)

    def until_shown(self, gate: Gate, answer: Callable[[Gate], T]) -> T:
        """Return what ``answer`` gives through ``gate``, made anew while something in it goes before it is handed out.

        What counts is the moment of the record: where the time of a memory or of a consent ran out between the gate's
        moment and that one, the answer is made anew through a gate of that moment.

        Raises:
            EngineUnavailable: that went on for ``_ATTEMPTS`` attempts.
        """
        desk = self._writer.desk
        for _ in range(_ATTEMPTS):
            erasures = desk.erasures
            try:
                found = answer(gate)
            except GoneMeanwhileError:
                continue
            recorded = self._writer.state.last_time
            # Between the record of an answer and this line somebody may have erased what is in it.
            if desk.erasures == erasures and not self._ran_out(gate, recorded):
                return found
            gate = replace(gate, now=max(gate.now, recorded))
        msg = f"what answers it went {_ATTEMPTS} times while it was read; ask again"
        raise EngineUnavailable(msg)

    def _ran_out(self, gate: Gate, recorded: int) -> bool:
        """Return whether the time of a memory or of a consent ended after the gate's moment, until ``recorded``."""
        if recorded <= gate.now:
            return False
        due = self._writer.next_due
        if due == 0:  # another process wrote: what is due next is not known here
            due = next_due(self._writer)
        ended = len(gate.book.due(recorded)) > len(gate.book.due(gate.now))
        return ended or (due is not None and gate.now < due <= recorded)

    def ranked(self, request: Request, query: str, asked: _Asked | None) -> Found:
        """Return what of this tenant answers the request, read and checked; nothing is recorded."""
        return self._found(request, self._rank(request, query, asked))

    def around(self, request: Request, asked: _Asked | None, rank: RankRows) -> Found:
        """Return what ``rank`` finds in this tenant, read and checked; nothing is recorded."""
        state = self._writer.fresh_state()
        with self._view.lock:
            index = self._view.refresh(state)
            mask, percents = _emphasised(index, request)
            ranked = rank(index, mask, self._comparable(asked), max(_MOST_READ, request.k))
            chosen = _chosen(index, ranked, request, state, percents, visible=int(mask.sum()), candidates=len(ranked))
        return self._found(request, chosen)

    def _found(self, request: Request, chosen: _Chosen) -> Found:
        read = self._read(request, chosen)
        contradicting = _contradicting(chosen, read.candidates)
        return Found(read.candidates, contradicting, Known(chosen.at, read.nodes), chosen.stages)

    def _finish(
        self, request: Request, found: Sequence[Found], query_terms: tuple[str, ...], notices: tuple[str, ...]
    ) -> Hits:
        """Assemble and record what was found."""
        recent, summary = self._conversation(request)
        candidates = merged(found, request.k)
        assembled = assemble(
            candidates,
            budget=request.budget,
            counter=self._counter,
            settings=request.assembly,
            query_terms=frozenset(query_terms),
            recent=recent,
            summary=summary,
            contradicts=[pair for one in found for pair in one.contradicts],
            weighed=True,
        )
        hits = tuple(
            Hit(
                as_read(item.memory, request.gate),
                item.score / MICRO,
                item.tokens,
                {} if request.brief else _decimals(item.why),
                item.shortened,
            )
            for item in assembled.shown
        )
        summed = summed_up(assembled)
        recorded = request.record and (hits or summed)
        ident = self.record_hits(request, hits, found[0].known, summed) if recorded else None
        # One reason is enough: the question's own, if there is one.
        if self._view.without_vectors is not None and not notices:
            notices += (f"ranked without vectors: {self._view.without_vectors}",)
        stages = {} if request.brief else {**found[0].stages, "shown": len(hits)}
        if request.gate.restricted:
            assembled = _unplaced(assembled, request.gate)
        return Hits(as_named(ident, request.gate), assembled, hits, stages, notices)

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
        return self._finish(request, found, (), notices)

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
        return self._recorded([Showing(ident, reason=reason) for ident in ids], parameters)

    def record_door(self, door: str, gate: Gate) -> None:
        """Record that somebody read through ``door`` whatever their gate lets through: no memory counts as shown."""
        self._recorded([], (f"door={door}", *_said(gate)))

    def _recorded(self, shown: Sequence[Showing], parameters: tuple[str, ...], known: Known | None = None) -> str:
        """Record a showing, and end what was bound to that one use; returns the record's name."""
        state, accessed = record_showing(self._writer, shown, parameters, known)
        self._view.shown(state, accessed)
        expire_used(self._writer, [one.id for one in accessed if one.use_bound])
        return f"{state.access_log}#{state.access_sequence}"

    def _foreign(self, shown: Iterable[Memory]) -> tuple[str, ...]:
        """Return what a record says of memories of shared tenants: which, and nothing else."""
        return tuple(f"shared={one.tenant}:{one.id}" for one in shown if one.tenant != self._writer.tenant)

    # --- Stages ---------------------------------------------------------------------------------------------------

    def _vector(self, query: str) -> tuple[_Asked | None, tuple[str, ...]]:
        # The settings as another process may have left them choose the model.
        self._writer.fresh_state()
        try:
            model = self._vectoriser.model
            return (None if model is None else _Asked(model.embed([query])[0], model_name(model))), ()
        except EmbeddingUnavailable as error:
            return None, (f"ranked without vectors: {error}",)

    def _comparable(self, asked: _Asked | None) -> Vector | None:
        """Return the query's vector, unless the tenant changed models after it was made."""
        return None if asked is None or asked.model != self._view.model else asked.vector

    def _rank(self, request: Request, query: str, asked: _Asked | None) -> _Chosen:
        """Rank what the reader may see, and choose what is worth reading for the budget."""
        state = self._writer.fresh_state()
        with self._view.lock:
            index = self._view.refresh(state)
            mask, percents = _emphasised(index, request)
            asks = make_query(query, self._comparable(asked), request.gate.now, request.fading)
            ranker = Ranker(
                index,
                mask,
                asks,
                request.profile,
                restricted=request.gate.restricted,
                bound=request.gate.bound,
                percents=percents,
                # What the engine's search misses depends on all that it holds, hidden memories too.
                nearest=None if request.gate.bound else self._view.nearest,
            )
            ranking = ranker.rank(max(request.profile.candidates, min(len(index), request.k)), request.k)
            intent = ranking.intent
            return _chosen(
                index,
                ranking.found,
                request,
                state,
                percents,
                visible=int(mask.sum()),
                candidates=ranking.total,
                profile=request.profile.name,
                tags=intent.tags,
                sources=tuple(source.value for source in intent.sources),
                # Their names are as old as their first mention, which the reader may not see.
                entities=() if request.gate.restricted else ranking.entities,
            )

    def _read(self, request: Request, chosen: _Chosen) -> _Read:
        """Read the chosen memories anew, with what they make no sense without, and check them once more."""
        nodes = self._reader.rows(chosen.links)
        read = ((ident, codec.decode_memory(nodes[ident])) for ident in chosen.links if ident in nodes)
        allowed = {
            ident: self._shows(memory, request.gate)
            for ident, memory in read
            if ident not in chosen.unwanted and self._admits(request, memory)
        }
        ranked = {
            ident: (item, None if chosen.vectors is None else chosen.vectors[place])
            for place, (ident, item) in enumerate(zip(chosen.ids, chosen.ranked, strict=True))
        }
        candidates: dict[str, Candidate] = {}
        for ident in chosen.ids:
            if ident not in allowed:
                continue
            group = [one for one in _closure(ident, allowed, chosen.links) if one not in candidates]
            if len(candidates) + len(group) > request.k:
                break
            for one in group:
                item, vector = ranked.get(one, (None, None))
                candidates[one] = _candidate(allowed[one], chosen.links[one], item, vector, allowed)
        return _Read(list(candidates.values()), nodes)

    def _admits(self, request: Request, memory: Memory) -> bool:
        return request.gate.admits(memory) and not (self._guest and memory.use_bound)

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
            read = (memory for memory, _, _ in self._reader.nodes(page))
            turns = [one for one in read if self._admits(request, one) and one.id not in unwanted] + turns
        turns = [self._shows(one, request.gate) for one in turns[-_TURNS:]]
        limit = int(request.budget * request.assembly.summary_share)
        return turns, updated(Summary(), turns, limit, self._counter) if limit else None

    def _unwanted(self, request: Request, ids: Iterable[str]) -> frozenset[str]:
        """Return those of ``ids`` that wishes keep out."""
        if request.emphasis is None:
            return frozenset()
        state = self._writer.fresh_state()  # Before the lock: who erases holds the writer's and waits for this one.
        with self._view.lock:
            index = self._view.refresh(state)
            return _kept_out(index, request.emphasis(index), (one for one in ids if one in index.rows))

    def record_hits(
        self, request: Request, hits: tuple[Hit, ...], known: Known | None = None, summed: Iterable[str] = ()
    ) -> str:
        """Record what is shown, with the numbers that ranked it; returns the record's name.

        ``summed`` are the turns that the lines of the conversation's summary come from: they are shown too.

        Raises:
            GoneMeanwhileError: something of it must not be shown any more.
        """
        shown = [
            Showing(hit.memory.id, _features({"rank": hit.score, **hit.why}), f"shown as number {place}")
            for place, hit in enumerate(hits, 1)
            if hit.memory.tenant == self._writer.tenant
        ]
        there = {hit.memory.id for hit in hits}
        shown += [Showing(ident, reason=_SUMMED) for ident in dict.fromkeys(summed) if ident not in there]
        parameters: tuple[str, ...] = (
            f"call={request.call}",
            f"profile={request.profile.name}",
            f"k={request.k}",
            f"token_budget={request.budget}",
        )
        parameters += _said(request.gate)
        parameters += self._foreign(hit.memory for hit in hits)
        return self._recorded(shown, parameters, known)


def summed_up(assembled: Assembled) -> tuple[str, ...]:
    """Return the turns that the lines of the conversation's summary come from."""
    return tuple(ident for piece in assembled.rendered.passages if piece.memory is None for ident in piece.ids)


def as_stored(memory: Memory, gate: Gate) -> Memory:  # noqa: ARG001 - as Shows has it
    """Return a memory as it is, whoever reads it."""
    return memory


def as_read(memory: Memory, gate: Gate) -> Memory:
    """Return a memory without its place among all that was stored, where the reader may not see all of that."""
    return replace(memory, sequence=0) if gate.restricted else memory


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
    """Return the name of an access record; None for a bound reader, as its number counts what others read as well."""
    return None if gate.bound else record


def _said(gate: Gate) -> tuple[str, ...]:
    """Return what an access record says of the gate: the purpose, and the grant that raised the ceiling."""
    purpose = () if gate.purpose is None else (f"purpose={gate.purpose}",)
    return purpose if gate.raised is None else (f"grant={gate.raised.grant}", *purpose)


def _emphasised(index: MemoryIndex, request: Request) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64] | None]:
    """Return ``[rows]``: what the reader may see and is not kept out, and what ranks are multiplied with."""
    mask = request.gate.mask(index)
    percents = None if request.emphasis is None else request.emphasis(index)
    return (mask, None) if percents is None else (mask & (percents > 0), percents)


def _kept_out(index: MemoryIndex, percents: npt.NDArray[np.int64] | None, ids: Iterable[str]) -> frozenset[str]:
    """Return those of ``ids`` that wishes keep out."""
    return frozenset() if percents is None else frozenset(one for one in ids if not percents[index.rows[one]])


def _chosen(
    index: MemoryIndex,
    ranked: tuple[Ranked, ...],
    request: Request,
    state: TenantState,
    percents: npt.NDArray[np.int64] | None,
    **stages: object,
) -> _Chosen:
    found = _affordable(ranked, index.columns["weight"], request)
    vectors = index.vectors["vector"][[item.row for item in found]] if index.dimension else None
    ids = [index.ids[item.row] for item in found]
    links = _linked(index, ids)
    unwanted = _kept_out(index, percents, links)
    return _Chosen(ids, found, vectors, links, state, {**stages, "read": len(found)}, unwanted)


def _linked(index: MemoryIndex, ids: list[str]) -> dict[str, _Links]:
    """Return the links of ``ids``, in their order, and of all that these depend on."""
    found: dict[str, _Links] = {}
    queue = ids
    while queue:
        found |= {ident: _links(index, index.rows[ident]) for ident in queue}
        bases = {base for ident in queue for base in found[ident].bases}
        queue = sorted(base for base in bases if base not in found and base in index.rows)
    return found


def _links(index: MemoryIndex, row: int) -> _Links:
    words: dict[str, list[str]] = {"entity": [], "goal": [], "base": [], "contradicts": []}
    for facet, word in index.all_facets_of(row):
        if facet in words:
            words[facet].append(word)
    return _Links(*map(tuple, words.values()))


def _closure(ident: str, allowed: Mapping[str, Memory], links: Mapping[str, _Links]) -> list[str]:
    """Return a memory and what it depends on, as far as it was read and may be shown."""
    found: dict[str, None] = {}
    queue = [ident]
    while queue:
        one = queue.pop()
        if one not in found:
            found[one] = None
            queue += [base for base in links[one].bases if base in allowed]
    return list(found)


def _contradicting(chosen: _Chosen, candidates: list[Candidate]) -> list[tuple[str, str]]:
    """Return the pairs of candidates that a ``contradicts`` edge joins."""
    there = dict.fromkeys(candidate.id for candidate in candidates)
    return [(one, other) for one in there for other in chosen.links[one].contradicts if other in there]


def _affordable(ranked: tuple[Ranked, ...], weights: npt.NDArray[np.int32], request: Request) -> tuple[Ranked, ...]:
    """Return the best of the candidates, as many as the budget could hold several times over."""
    total = 0
    for place, item in enumerate(ranked):
        if place >= request.k or (total >= _CHOICE * request.budget and place >= _LEAST_READ):
            return ranked[:place]
        total += int(weights[item.row])
    return ranked


def _candidate(
    memory: Memory, links: _Links, ranked: Ranked | None, vector: Vector | None, allowed: Mapping[str, object]
) -> Candidate:
    score, why = (0, _NOTHING) if ranked is None else (ranked.score, ranked.why)
    return Candidate(
        memory=memory,
        score=score,
        vector=vector,
        entities=links.entities,
        goals=links.goals,
        terms=frozenset(terms(memory.content or "")),
        bases=tuple(base for base in links.bases if base in allowed),
        why=why,
    )


def _decimals(why: Mapping[str, int]) -> dict[str, float]:
    return {name: value / MICRO for name, value in why.items()}


def _features(why: Mapping[str, float]) -> tuple[str, ...]:
    """Return the numbers of a ranking as the audit writes features."""
    return tuple(f"{name}={value:.6f}" for name, value in sorted(why.items()))
