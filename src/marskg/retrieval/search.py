"""One read: gate, search, rank, read anew and check, assemble to the budget, record what was shown.

Guarantees: what the gate holds back takes part in nothing; what is shown was read from the store after it was ranked
and passed the gate again; the result weighs at most the budget; what was shown is in the access log, by id, before the
caller gets it, and neither the query nor any content is. Source: MemoryArchitect II.C (the four stages); semantics
section 9; architecture, "One read".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from marskg.errors import EmbeddingUnavailable, InvalidInput
from marskg.ontology.vocabulary import EdgeType, Kind
from marskg.retrieval.assembly import assemble
from marskg.retrieval.candidate import Candidate
from marskg.retrieval.hits import Hit, Hits
from marskg.retrieval.index import MICRO
from marskg.retrieval.mix import Summary, updated
from marskg.retrieval.ranking import Ranker, make_query
from marskg.retrieval.settings import AssemblySettings
from marskg.store.access import Showing, record_showing
from marskg.store.vectors import model_name
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    import numpy.typing as npt

    from marskg.records import Edge, Memory
    from marskg.retrieval.gate import Gate
    from marskg.retrieval.index import MemoryIndex
    from marskg.retrieval.profile import Profile
    from marskg.retrieval.ranking import Ranked
    from marskg.retrieval.view import IndexView
    from marskg.store.reader import GraphReader
    from marskg.store.vectors import Vectoriser
    from marskg.store.writer import Writer
    from marskg.weight import TokenCounter

Vector: TypeAlias = "npt.NDArray[np.float32]"
#: Ranks the visible rows of an index for a vector, up to a number of them.
RankRows: TypeAlias = "Callable[[MemoryIndex, npt.NDArray[np.bool_], Vector | None, int], tuple[Ranked, ...]]"

#: Bytes of a query; what is longer is a document.
MAX_QUERY: Final = 1 << 16
#: Weight that is read for assembly to choose from, as a multiple of the budget, and the most memories.
_CHOICE: Final = 4
_MOST_READ: Final = 400
_LEAST_READ: Final = 12
#: Turns of a conversation that its summary is made of.
_TURNS: Final = 200


_DEFAULTS: Final = AssemblySettings()


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks for: a text, how much may come back, through which gate, ranked how."""

    query: str
    gate: Gate
    profile: Profile
    budget: int
    k: int
    assembly: AssemblySettings = _DEFAULTS
    conversation: str | None = None
    explain: bool = False
    record: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """The vector of what is asked, and what the store calls the model that made it."""

    vector: Vector
    model: str


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """What was ranked high enough to be read: ids, numbers and vectors side by side."""

    ids: list[str]
    ranked: tuple[Ranked, ...]
    vectors: npt.NDArray[np.float32] | None
    contradicts: tuple[tuple[str, str], ...]
    stages: dict[str, Any]


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
        asked, notices = self._vector(query)
        return self._finish(request, self._rank(request, query, asked), tuple(terms(query)), notices)

    def _finish(
        self, request: Request, chosen: _Chosen, query_terms: tuple[str, ...], notices: tuple[str, ...]
    ) -> Hits:
        """Read, check, assemble and record what was chosen."""
        recent, summary = self._conversation(request)
        candidates = self._read(request, chosen)
        assembled = assemble(
            candidates,
            budget=request.budget,
            counter=self._counter,
            settings=request.assembly,
            query_terms=frozenset(query_terms),
            recent=recent,
            summary=summary,
            contradicts=_contradicting(chosen, candidates),
        )
        hits = tuple(
            Hit(item.memory, item.score / MICRO, item.tokens, _decimals(item.why), item.shortened)
            for item in assembled.shown
        )
        ident = self._record(request, hits) if request.record and hits else None
        if self._view.without_vectors is not None:
            notices += (f"ranked without vectors: {self._view.without_vectors}",)
        stages = {**chosen.stages, "shown": len(hits)}
        return Hits(ident, assembled, hits, stages, notices)

    def recall(self, request: Request, about: str, rank: RankRows) -> Hits:
        """Return what ``rank`` finds for the vector of ``about``, assembled and recorded as a retrieval is."""
        asked, notices = self._vector(about) if about else (None, ())
        state = self._writer.fresh_state()
        with self._view.lock:
            index = self._view.refresh(state)
            mask = request.gate.mask(index)
            ranked = rank(index, mask, self._comparable(asked), max(_MOST_READ, request.k))
            chosen = _chosen(index, ranked, request, mask)
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
            mask = request.gate.mask(index)
            asks = make_query(query, self._comparable(asked), request.gate.now)
            ranker = Ranker(index, mask, asks, request.profile, self._view.nearest)
            ranking = ranker.rank(max(request.profile.candidates, min(len(index), request.k)))
            intent = ranking.intent
            return _chosen(
                index,
                ranking.found,
                request,
                mask,
                profile=request.profile.name,
                tags=intent.tags,
                sources=tuple(source.value for source in intent.sources),
                entities=ranking.entities,
            )

    def _read(self, request: Request, chosen: _Chosen) -> list[Candidate]:
        """Read the chosen memories anew, with what they make no sense without, and check them once more."""
        whole: dict[str, tuple[Memory, tuple[Edge, ...]]] = {}
        missing = chosen.ids
        while missing:
            read = [(memory, edges) for memory, edges, _ in self._reader.nodes(missing)]
            whole |= {memory.id: (memory, edges) for memory, edges in read}
            missing = sorted(
                {base for _, edges in read for base in _targets(edges, EdgeType.DEPENDS_ON) if base not in whole}
            )
        allowed = {ident: pair for ident, pair in whole.items() if request.gate.admits(pair[0])}
        ranked = {
            ident: (item, None if chosen.vectors is None else chosen.vectors[place])
            for place, (ident, item) in enumerate(zip(chosen.ids, chosen.ranked, strict=True))
        }
        candidates: dict[str, Candidate] = {}
        for ident in chosen.ids:
            group = [one for one in _closure(ident, allowed) if one not in candidates] if ident in allowed else []
            if len(candidates) + len(group) > request.k:
                break
            for one in group:
                item, vector = ranked.get(one, (None, None))
                score, why = (0, {}) if item is None else (item.score, item.why)
                candidates[one] = _candidate(allowed[one], score, why, vector, allowed)
        return list(candidates.values())

    def _conversation(self, request: Request) -> tuple[list[Memory], Summary | None]:
        """Return the turns of the conversation that goes on, as the reader may see them, and its summary."""
        if request.conversation is None:
            return [], None
        rows = sorted(self._reader.session(request.conversation), key=lambda row: (row["validFrom"], row["sequence"]))
        ids = [row["id"] for row in rows if row["kind"] == Kind.EPISODIC][-_TURNS:]
        turns = [memory for memory, _, _ in self._reader.nodes(ids) if request.gate.admits(memory)]
        limit = int(request.budget * request.assembly.summary_share)
        return turns, updated(Summary(), turns, limit, self._counter)

    def _record(self, request: Request, hits: tuple[Hit, ...]) -> str:
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
        state, statistics = record_showing(self._writer, shown, parameters)
        self._view.shown(state, statistics)
        return f"{state.access_log}#{state.access_sequence}"


def _chosen(
    index: MemoryIndex, ranked: tuple[Ranked, ...], request: Request, mask: npt.NDArray[np.bool_], **stages: object
) -> _Chosen:
    found = _affordable(ranked, index.columns["weight"], request)
    vectors = index.vectors["vector"][[item.row for item in found]] if index.dimension else None
    counts = {"visible": int(mask.sum()), "candidates": len(ranked), "read": len(found)}
    ids = [index.ids[item.row] for item in found]
    pairs = tuple(
        (ident, other)
        for ident, item in zip(ids, found, strict=True)
        for other in index.facets_of(item.row, "contradicts")
    )
    return _Chosen(ids, found, vectors, pairs, {**counts, **stages})


def _closure(ident: str, allowed: Mapping[str, tuple[Memory, tuple[Edge, ...]]]) -> list[str]:
    """Return a memory and what it depends on, as far as it was read and may be shown."""
    found: dict[str, None] = {}
    queue = [ident]
    while queue:
        one = queue.pop()
        if one not in found:
            found[one] = None
            queue += [base for base in _targets(allowed[one][1], EdgeType.DEPENDS_ON) if base in allowed]
    return list(found)


def _contradicting(chosen: _Chosen, candidates: list[Candidate]) -> list[tuple[str, str]]:
    """Return the pairs of candidates that a ``contradicts`` edge joins."""
    there = {candidate.id for candidate in candidates}
    return [pair for pair in chosen.contradicts if there.issuperset(pair)]


def _affordable(ranked: tuple[Ranked, ...], weights: npt.NDArray[np.int32], request: Request) -> tuple[Ranked, ...]:
    """Return the best of the candidates, as many as the budget could hold several times over."""
    total = 0
    for place, item in enumerate(ranked):
        if place >= request.k or (total >= _CHOICE * request.budget and place >= _LEAST_READ):
            return ranked[:place]
        total += int(weights[item.row])
    return ranked


def _candidate(
    read: tuple[Memory, tuple[Edge, ...]],
    score: int,
    why: Mapping[str, int],
    vector: Vector | None,
    allowed: Mapping[str, object],
) -> Candidate:
    memory, edges = read
    return Candidate(
        memory=memory,
        score=score,
        vector=vector,
        entities=_targets(edges, EdgeType.MENTIONS),
        goals=_targets(edges, EdgeType.ATTACHES_TO_GOAL),
        terms=frozenset(terms(memory.content or "")),
        bases=tuple(base for base in _targets(edges, EdgeType.DEPENDS_ON) if base in allowed),
        why=why,
    )


def _targets(edges: tuple[Edge, ...], type_: EdgeType) -> tuple[str, ...]:
    return tuple(edge.target for edge in edges if edge.type is type_)


def _decimals(why: Mapping[str, int]) -> dict[str, float]:
    return {name: value / MICRO for name, value in why.items()}


def _features(why: Mapping[str, float]) -> tuple[str, ...]:
    """Return the numbers of a ranking as the audit writes features."""
    return tuple(f"{name}={value:.6f}" for name, value in sorted(why.items()))
