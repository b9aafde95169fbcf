"""One read: gate, search, rank, read anew and check, assemble to the budget, record what was shown.

Guarantees: what the gate holds back takes part in nothing; what is shown was read from the store after it was ranked
and passed the gate again; the result weighs at most the budget; what was shown is in the access log, by id, before the
caller gets it, and neither the query nor any content is. Source: MemoryArchitect II.C (the four stages); semantics
section 9; architecture, "One read".
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from marskg.errors import EmbeddingUnavailable, InvalidInput
from marskg.ontology.vocabulary import Kind
from marskg.retrieval.assembly import assemble
from marskg.retrieval.candidate import Candidate
from marskg.retrieval.hits import Hit, Hits
from marskg.retrieval.index import MICRO
from marskg.retrieval.mix import Summary, updated
from marskg.retrieval.ranking import Ranker, make_query
from marskg.retrieval.settings import AssemblySettings
from marskg.store import codec
from marskg.store.access import Known, Showing, record_showing
from marskg.store.fading import Fading
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    import numpy.typing as npt

    from marskg.records import Memory
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
#: Ranks the visible rows of an index for a vector, up to a number of them.
RankRows: TypeAlias = "Callable[[MemoryIndex, npt.NDArray[np.bool_], Vector | None, int], tuple[Ranked, ...]]"

#: Gives ``[rows]`` whole percent that the rank of each memory is multiplied with, 0 to keep it out; None for 100.
Emphasis: TypeAlias = "Callable[[MemoryIndex], npt.NDArray[np.int64] | None]"

#: Bytes of a query; what is longer is a document.
MAX_QUERY: Final = 1 << 16
#: Weight that is read for assembly to choose from, as a multiple of the budget, and the most memories.
_CHOICE: Final = 4
_MOST_READ: Final = 400
_LEAST_READ: Final = 12
#: Turns of a conversation that its summary is made of.
_TURNS: Final = 200


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


@dataclass(frozen=True, slots=True)
class _Links:
    """Where the edges of one memory lead that assembly looks at, as ids."""

    entities: tuple[str, ...]
    goals: tuple[str, ...]
    bases: tuple[str, ...]
    contradicts: tuple[str, ...]


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


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read anew and may be shown, and the nodes that it was read from."""

    candidates: list[Candidate]
    nodes: Mapping[str, Row]


def check_query(query: object) -> str:
    """Return ``query`` if it can be looked up.

    Raises:
        InvalidInput: no string, blank, or longer than ``MAX_QUERY`` bytes.
    """
    if not isinstance(query, str):
        msg = f"query must be a string, not {type(query).__name__}"
        raise InvalidInput(msg)
    if not query.strip():
        msg = "query is empty; ask something, or read everything of a key, period or entity with read_all()"
        raise InvalidInput(msg)
    size = len(query.encode("utf-8", "surrogatepass"))
    if size > MAX_QUERY:
        msg = f"query has {size:,} bytes, more than {MAX_QUERY:,}; ask with a sentence or a paragraph"
        raise InvalidInput(msg)
    return query.encode("utf-8", "replace").decode()


class Search:
    """Answers requests from one tenant's index and store."""

    def __init__(
        self, view: IndexView, reader: GraphReader, writer: Writer, vectoriser: Vectoriser, counter: TokenCounter
    ) -> None:
        """Answer from ``view``, read memories anew by ``reader``, record by ``writer``, weigh by ``counter``."""
        self._view = view
        self._reader = reader
        self._writer = writer
        self._vectoriser = vectoriser
        self._counter = counter

    def retrieve(self, request: Request) -> Hits:
        """Return what answers the request, and record that it was shown.

        Raises:
            InvalidInput: the query cannot be looked up.
            EmbeddingMismatch: the tenant's vectors are of another model.
        """
        query = check_query(request.query)
        vector, notices = self._vector(query)
        return self._finish(request, self._rank(request, query, vector), tuple(terms(query)), notices)

    def _finish(
        self, request: Request, chosen: _Chosen, query_terms: tuple[str, ...], notices: tuple[str, ...]
    ) -> Hits:
        """Read, check, assemble and record what was chosen."""
        recent, summary = self._conversation(request)
        read = self._read(request, chosen)
        assembled = assemble(
            read.candidates,
            budget=request.budget,
            counter=self._counter,
            settings=request.assembly,
            query_terms=frozenset(query_terms),
            recent=recent,
            summary=summary,
            contradicts=_contradicting(chosen, read.candidates),
            weighed=True,
        )
        hits = tuple(
            Hit(item.memory, item.score / MICRO, item.tokens, _decimals(item.why), item.shortened)
            for item in assembled.shown
        )
        known = Known(chosen.at, read.nodes)
        ident = self._record(request, hits, known) if request.record and hits else None
        if self._view.without_vectors is not None:
            notices += (f"ranked without vectors: {self._view.without_vectors}",)
        stages = {**chosen.stages, "shown": len(hits)}
        return Hits(ident, assembled, hits, stages, notices)

    def recall(self, request: Request, about: str, rank: RankRows) -> Hits:
        """Return what ``rank`` finds for the vector of ``about``, assembled and recorded as a retrieval is."""
        vector, notices = self._vector(about) if about else (None, ())
        state = self._writer.fresh_state()
        with self._view.lock:
            index = self._view.refresh(state)
            mask, _ = _emphasised(index, request)
            ranked = rank(index, mask, vector, max(_MOST_READ, request.k))
            chosen = _chosen(index, ranked, request, state, visible=int(mask.sum()), candidates=len(ranked))
        return self._finish(request, chosen, (), notices)

    def record(self, ids: list[str], reason: str, purpose: str | None) -> str | None:
        """Record that memories were shown outside a ranking; returns the record's name, None if there are none."""
        if not ids:
            return None
        parameters = () if purpose is None else (f"purpose={purpose}",)
        state, statistics = record_showing(self._writer, [Showing(ident, reason=reason) for ident in ids], parameters)
        self._view.shown(state, statistics)
        return f"{state.access_log}#{state.access_sequence}"

    # --- Stages ---------------------------------------------------------------------------------------------------

    def _vector(self, query: str) -> tuple[Vector | None, tuple[str, ...]]:
        try:
            model = self._vectoriser.model
            return (None if model is None else model.embed([query])[0]), ()
        except EmbeddingUnavailable as error:
            return None, (f"ranked without vectors: {error}",)

    def _rank(self, request: Request, query: str, vector: Vector | None) -> _Chosen:
        """Rank what the reader may see, and choose what is worth reading for the budget."""
        state = self._writer.fresh_state()
        with self._view.lock:
            index = self._view.refresh(state)
            mask, percents = _emphasised(index, request)
            asked = make_query(query, vector, request.gate.now, request.fading)
            ranker = Ranker(index, mask, asked, request.profile, percents)
            ranking = ranker.rank(max(request.profile.candidates, min(len(index), request.k)), request.k)
            intent = ranking.intent
            return _chosen(
                index,
                ranking.found,
                request,
                state,
                visible=int(mask.sum()),
                candidates=ranking.total,
                profile=request.profile.name,
                tags=intent.tags,
                sources=tuple(source.value for source in intent.sources),
                entities=ranking.entities,
            )

    def _read(self, request: Request, chosen: _Chosen) -> _Read:
        """Read the chosen memories anew, with what they make no sense without, and check them once more."""
        nodes = self._reader.rows(chosen.links)
        read = ((ident, codec.decode_memory(nodes[ident])) for ident in chosen.links if ident in nodes)
        allowed = {ident: memory for ident, memory in read if request.gate.admits(memory)}
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

    def _conversation(self, request: Request) -> tuple[list[Memory], Summary | None]:
        """Return the turns of the conversation that goes on, as the reader may see them, and its summary."""
        if request.conversation is None:
            return [], None
        rows = sorted(self._reader.session(request.conversation), key=lambda row: (row["validFrom"], row["sequence"]))
        ids = [row["id"] for row in rows if row["kind"] == Kind.EPISODIC][-_TURNS:]
        turns = [memory for memory, _, _ in self._reader.nodes(ids) if request.gate.admits(memory)]
        limit = int(request.budget * request.assembly.summary_share)
        return turns, updated(Summary(), turns, limit, self._counter)

    def _record(self, request: Request, hits: tuple[Hit, ...], known: Known) -> str:
        """Record what was shown, with the numbers that ranked it; returns the record's name."""
        shown = [
            Showing(hit.memory.id, _features({"rank": hit.score, **hit.why}), f"shown as number {place}")
            for place, hit in enumerate(hits, 1)
        ]
        parameters: tuple[str, ...] = (
            f"profile={request.profile.name}",
            f"k={request.k}",
            f"token_budget={request.budget}",
        )
        if request.gate.purpose is not None:
            parameters += (f"purpose={request.gate.purpose}",)
        state, statistics = record_showing(self._writer, shown, parameters, known)
        self._view.shown(state, statistics)
        return f"{state.access_log}#{state.access_sequence}"


def _emphasised(index: MemoryIndex, request: Request) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64] | None]:
    """Return ``[rows]``: what the reader may see and is not kept out, and what ranks are multiplied with."""
    mask = request.gate.mask(index)
    percents = None if request.emphasis is None else request.emphasis(index)
    return (mask, None) if percents is None else (mask & (percents > 0), percents)


def _chosen(
    index: MemoryIndex, ranked: tuple[Ranked, ...], request: Request, state: TenantState, **stages: object
) -> _Chosen:
    found = _affordable(ranked, index.columns["weight"], request)
    vectors = index.vectors["vector"][[item.row for item in found]] if index.dimension else None
    ids = [index.ids[item.row] for item in found]
    return _Chosen(ids, found, vectors, _linked(index, ids), state, {**stages, "read": len(found)})


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
