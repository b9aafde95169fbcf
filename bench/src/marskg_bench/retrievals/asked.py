"""What answers a question about a conversation: the product, flat rankings of the same turns, and other products.

Guarantees: all hold the same turns and the same vectors; the product is told turn by turn with ``remember``, its clock
at the time of each, and the questions come a minute after the last; what the others rank is cut to a budget as the
product cuts: by the tokens of the text that the product's own renderer makes of the best turns, as many as fit.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, cast

from marskg.ontology.vocabulary import Kind, SourceType
from marskg.records import Memory
from marskg.retrieval.assembly.rendering import Rendered, passage
from marskg_bench.common.conversation import ASSISTANT
from marskg_bench.retrievals.flat import FLAT, FlatRankings
from marskg_bench.retrievals.peers import PEERS, Corpus, PeerUnusable
from marskg_bench.retrievals.retrievers import product

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from marskg.embedding.model import EmbeddingModel
    from marskg.learning.from_text.plan import Learned
    from marskg.weight import TokenCounter
    from marskg_bench.common.conversation import Conversation, Turn
    from marskg_bench.common.progress import Say
    from marskg_bench.retrievals.peers import FoundText, Search
    from marskg_bench.retrievals.retrievers import Product

PRODUCT: Final = "product"
#: The product that is told with ``learn`` instead of ``remember``.
LEARNED: Final = "product, learn"
#: Tokens and items that no conversation has.
AMPLE: Final = 100_000_000
EVERYTHING: Final = 100_000
#: Items that another product is asked for: more than fit into the largest budget that is usual.
DEEPEST: Final = 200
_MINUTE: Final = 60_000


class Answer(NamedTuple):
    """Positions of turns, best first, and how sure the system is that they answer: higher is surer."""

    places: Sequence[int]
    confidence: float


class Asked(Protocol):
    """One system that holds a conversation."""

    def within(self, question: str, budget: int) -> Answer:
        """Return what is shown for ``question`` within ``budget`` tokens."""
        ...

    def best(self, question: str, k: int) -> Sequence[int]:
        """Return the ``k`` best."""
        ...


class Page:
    """Turns as the product renders them, and how many of the best fit into a budget."""

    def __init__(self, turns: Sequence[Turn], counter: TokenCounter) -> None:
        """Render ``turns``."""
        self._counter = counter
        self._passages = [_passage(turn, number) for number, turn in enumerate(turns)]
        self._weights = counter.count_many([turn.text for turn in turns])

    def fitting(self, places: Sequence[int], budget: int) -> Sequence[int]:
        """Return the longest beginning of ``places`` whose rendered text has at most ``budget`` tokens."""
        most, total = 0, 0
        # What the contents alone exceed needs no rendering.
        while most < len(places) and (total := total + self._weights[places[most]]) <= budget:
            most += 1
        low, high = 0, most
        while low < high:
            middle = (low + high + 1) // 2
            rendered = Rendered.of([self._passages[place] for place in places[:middle]], plain=False)
            if rendered.tokens(self._counter) <= budget:
                low = middle
            else:
                high = middle - 1
        return places[:low]


def _passage(turn: Turn, number: int) -> Any:  # noqa: ANN401 - what the renderer takes is its own affair
    memory = Memory(
        id=f"turn-{number}",
        tenant="bench",
        kind=Kind.EPISODIC,
        content=turn.text,
        created=turn.at,
        sequence=number,
        valid_from=turn.at,
        session=turn.session,
        subjects=_subjects(turn),
        source_type=_source(turn),
    )
    return passage(memory, turn.text)


def _subjects(turn: Turn) -> tuple[str, ...]:
    """Return whom a turn is about: who says it, unless it is the assistant."""
    return () if turn.role == ASSISTANT else (turn.speaker,)


def _source(turn: Turn) -> SourceType:
    """Return whose word a turn is."""
    return SourceType.CHAT_ASSISTANT if turn.role == ASSISTANT else SourceType.CHAT_USER


class _FlatSystem:
    """One flat ranking, cut by the page."""

    def __init__(self, name: str, rankings: FlatRankings, page: Page) -> None:
        self._name = name
        self._rankings = rankings
        self._page = page

    def within(self, question: str, budget: int) -> Answer:
        places, best = self._rankings.orders(question)[self._name]
        return Answer(self._page.fitting(places, budget), best)

    def best(self, question: str, k: int) -> Sequence[int]:
        return self._rankings.orders(question)[self._name].places[:k]


class _PeerSystem:
    """Another product's search, cut by the page; what it found for the last question is kept."""

    def __init__(self, search: Search, page: Page) -> None:
        self._search = search
        self._page = page
        self._last: tuple[str, Sequence[FoundText]] | None = None

    def within(self, question: str, budget: int) -> Answer:
        found = self._found(question)
        places = [one.place for one in found]
        return Answer(self._page.fitting(places, budget), found[0].score if found else -1.0)

    def best(self, question: str, k: int) -> Sequence[int]:
        return [one.place for one in self._found(question)[:k]]

    def _found(self, question: str) -> Sequence[FoundText]:
        if self._last is None or self._last[0] != question:
            self._last = question, self._search(question)
        return self._last[1]


class _ProductSystem:
    """The product with default settings, or one of its parts left out."""

    def __init__(self, running: Product, places: Mapping[str, int]) -> None:
        self._memory = cast("Any", running.memory)
        self._places = places

    def within(self, question: str, budget: int) -> Answer:
        hits = self._memory.retrieve(question, token_budget=budget, k=EVERYTHING)
        confidence = getattr(hits, "confidence", None)
        if confidence is None:
            confidence = hits[0].score if len(hits) else 0.0
        return Answer(self._turns(hits), confidence)

    def best(self, question: str, k: int) -> Sequence[int]:
        return self._turns(self._memory.retrieve(question, token_budget=AMPLE, k=k))

    def _turns(self, hits: Iterable[Any]) -> list[int]:
        """Return the positions of the turns among ``hits``; a memory that is no turn counts as a wrong one."""
        return [self._places.get(hit.memory.id, -1) for hit in hits]


class Held(NamedTuple):
    """A conversation in all systems: those that can be asked, and why the others cannot take part."""

    systems: dict[str, Asked]
    notes: dict[str, str]
    #: The product itself, as a store and as a system.
    product: tuple[Product, Asked] | None


class Cast(NamedTuple):
    """Who takes part: the model of all vectors and the setting that names it, the product or not, others or not.

    ``learns``: the product a second time, told with ``learn``.
    """

    model: EmbeddingModel
    spec: str
    counter: TokenCounter
    with_product: bool = True
    with_peers: bool = True
    learns: bool = False


@contextmanager
def held(found: Conversation, asked: Sequence[str], who: Cast, folder: Path, say: Say) -> Iterator[Held]:
    """Give the systems that hold ``found``; ``asked`` are all texts of questions that will be asked of them.

    Raises:
        EngineUnavailable: the embedded engine cannot be opened.
        MarsError: the product refuses a turn.
    """
    systems: dict[str, Asked] = {}
    notes: dict[str, str] = {}
    page = Page(found.turns, who.counter)
    ours = None
    with ExitStack() as stack:
        if who.with_product:
            running = stack.enter_context(product(found.turns[0].at, {"embedding.model": who.spec}))
            systems[PRODUCT] = _ProductSystem(running, told(running, found, say))
            ours = running, systems[PRODUCT]
        if who.learns:
            running = stack.enter_context(product(found.turns[0].at, {"embedding.model": who.spec}))
            systems[LEARNED] = _ProductSystem(running, learned(running, found, say))
        rankings = FlatRankings(found.turns, who.model)
        systems |= {name: _FlatSystem(name, rankings, page) for name in reversed(FLAT)}
        if who.with_peers:
            texts, questions = [turn.text for turn in found.turns], list(dict.fromkeys(asked))
            corpus = Corpus(texts, who.model.embed(texts), questions, who.model.embed(questions), who.model)
            for peer in PEERS:
                say(f"{found.name}: {peer.name}")
                try:
                    peer.check()
                    place = folder / peer.name
                    place.mkdir()
                    search = stack.enter_context(peer.opened(place, corpus, DEEPEST))
                    systems[peer.name] = _PeerSystem(search, page)
                except PeerUnusable as error:
                    notes[peer.name] = str(error)
        yield Held(systems, notes, ours)


def told(running: Product, found: Conversation, say: Say) -> dict[str, int]:
    """Tell the product each turn in its time; returns the position of each memory's turn."""
    places = {}
    for number, turn in enumerate(found.turns):
        if number % 100 == 0:
            say(f"{found.name}: telling the product, {number} of {len(found.turns)} turns")
        running.wait(turn.at)
        kept = running.memory.remember(
            turn.text, session=turn.session, at=turn.at, subjects=_subjects(turn), source_type=_source(turn)
        )
        places[kept.id] = number
    running.wait(found.turns[-1].at + _MINUTE)
    running.memory.maintenance.reembed()  # what a slow model makes after the write
    return places


def learned(running: Product, found: Conversation, say: Say) -> dict[str, int]:
    """Let the product learn each session in its time; returns the position of each memory's turn."""
    places: dict[str, int] = {}
    for session, of_it in groupby(enumerate(found.turns), key=lambda one: one[1].session):
        say(f"{found.name}: the product learns session {session}")
        turns = dict(of_it)
        running.wait(max(turn.at for turn in turns.values()))
        read = cast("Learned", running.memory.learn([_as_told(turn) for turn in turns.values()]))
        places.update(zip(read.turns, turns, strict=True))
    running.wait(found.turns[-1].at + _MINUTE)
    running.memory.maintenance.reembed()  # what a slow model makes after the write
    return places


def _as_told(turn: Turn) -> dict[str, Any]:
    moment = datetime.fromtimestamp(turn.at / 1000, UTC).isoformat()
    common = {"content": turn.text, "timestamp": moment, "session": turn.session, "role": turn.role or "user"}
    return {**common, "speaker": turn.speaker, "subjects": list(_subjects(turn))}
