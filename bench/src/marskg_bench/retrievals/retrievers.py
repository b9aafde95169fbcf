"""What is compared: a ranker over everything, the same over what still holds, and the product.

Guarantees: each gets the question's text and the time, nothing of its criteria; the product runs on a store of its own
in a temporary folder with the clock at the time of what it is told, and learns what is stale from its input alone.
With a budget and a seeded source, equal inputs give equal answers. A summary is given back as its lines, each from the
sessions of the memories behind it.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, cast

import marskg
from marskg.clock import ManualClock
from marskg.errors import BudgetInfeasible, InvariantError
from marskg.ontology.vocabulary import ACTIVE_STATUSES, Kind, TaskStatus
from marskg.store.graph.validation import default_status
from marskg.store.rows.summary_lines import decode
from marskg_bench.fama.scoring import Item

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from marskg.clock import Source
    from marskg.drafts import Draft
    from marskg.memory import AgentMemory
    from marskg_bench.retrievals.rankers import Ranker

_STORED = (
    "MATCH (m:Memory) WHERE m.session IN $sessions AND m.content IS NOT NULL "
    "RETURN m.id AS id, m.key AS key, m.content AS content, m.session AS session"
)
_HELD = "MATCH (m:Memory) WHERE m.id IN $ids AND m.content IS NOT NULL RETURN m.id AS id"
_PLAIN: Mapping[str, Any] = MappingProxyType({})
#: What who stores what was said, and no facts with keys, sets: what a new turn contradicts is superseded.
SPOKEN: Mapping[str, Any] = MappingProxyType({"learning.conflicts": "newest"})
#: Far above what any persona weighs: the bench measures retrieval, not eviction.
_AMPLE = 100_000_000
#: More than any budget of tokens holds, so that the budget decides.
_MANY = 1_000


class Retriever(Protocol):
    """Answers a question with items, best first."""

    def retrieve(self, question: str, k: int) -> Sequence[Item]:
        """Return at most ``k`` items."""
        ...


class Listed:
    """A ranker over a list of items."""

    def __init__(self, items: Sequence[Item], make: Callable[[Sequence[str]], Ranker]) -> None:
        """Rank ``items`` by the ranker that ``make`` makes of their texts."""
        self._items = items
        self._ranker = make([item.content for item in items])

    def retrieve(self, question: str, k: int) -> list[Item]:
        """Return the ``k`` best items; after those that the ranker has, the others in their order."""
        best = self._ranker.rank(question)[:k]
        if len(best) < min(k, len(self._items)):
            ranked = set(best)
            best += [place for place in range(len(self._items)) if place not in ranked]
        return [self._items[place] for place in best[:k]]


class _Hit(Protocol):
    """What the facade's ``retrieve`` yields."""

    memory: Any
    tokens: int


class _Retrieving(Protocol):
    def retrieve(self, question: str, *, token_budget: int, k: int) -> Iterable[_Hit]: ...


class Product:
    """The product on one persona; :meth:`tell` it the drafts in their order, then ask."""

    def __init__(self, memory: AgentMemory, clock: ManualClock) -> None:
        """Use ``memory``, whose clock is ``clock``."""
        self.memory = memory
        self._clock = clock
        #: The id of each memory by key and content, by which a draft of a later session may name it.
        self._ids: dict[tuple[str | None, str], str] = {}
        self._refs: dict[str, tuple[str | None, str]] = {}
        self._sessions: dict[str, str] = {}

    def tell(self, drafts: Sequence[Draft]) -> int:
        """Store drafts of one session or several at the time of the last; returns how many the budget refused.

        What depends on something forgotten is left out, and so are links to it, as in an import.

        Raises:
            InvariantError: the store weighs more than its budget.
            MarsError: what the gate refuses for another reason.
        """
        self.wait(max(draft.at for draft in drafts))
        sessions = [list(session) for _, session in groupby(drafts, key=lambda draft: draft.session)]
        refused = 0
        for linked, found in groupby(sessions, key=_links_out):
            if linked:
                refused += sum(self._tell_at_once(session) for session in found)
            else:
                refused += self._tell_what_fits([draft for session in found for draft in session])
        weight, budget = self.memory.weight, self.memory.settings.current.budget
        if weight > budget:
            msg = f"{weight} tokens are live, {budget} are allowed; please report this"
            raise InvariantError(msg)
        return refused

    def wait(self, moment: int) -> None:
        """Let it be ``moment``."""
        gap = moment - self._clock.now_ms()
        if gap > 0:
            self._clock.advance(gap)

    def retrieve(self, question: str, k: int) -> list[Item]:
        """Return the ``k`` best hits; the budget of tokens is beyond what the store holds, so that ``k`` decides."""
        hits = cast("_Retrieving", self.memory).retrieve(question, token_budget=_AMPLE, k=k)
        return [item for hit in hits for item in self._items(hit)]

    def within(self, question: str, tokens: int) -> list[Item]:
        """Return the hits that fit into ``tokens`` as they are rendered."""
        hits = cast("_Retrieving", self.memory).retrieve(question, token_budget=tokens, k=_MANY)
        return [item for hit in hits for item in self._items(hit)]

    def _items(self, hit: _Hit) -> Iterator[Item]:
        """Yield a hit as it is, a summary as one item for each line and session behind it."""
        lines = decode(hit.memory.summary_lines)
        if not lines:
            yield Item(hit.memory.content, hit.memory.session, hit.tokens)
            return
        # The first item has the tokens of the hit: what is shown is shown once, whatever is behind it.
        tokens = hit.tokens
        for line in lines:
            sessions: list[str | None] = []
            sessions += sorted({self._sessions[source] for source in line.sources if source in self._sessions})
            for session in sessions or [None]:
                yield Item(line.text, session, tokens)
                tokens = 0

    def _tell_at_once(self, drafts: Sequence[Draft]) -> int:
        """Store drafts that say something of earlier ones, so that no policy takes these away in between."""
        known = self._held(drafts)
        possible = [self._resolved(draft, known) for draft in drafts if self._makes_sense(draft, known)]
        try:
            self.memory.remember_many(possible, atomic=True)
        except BudgetInfeasible:
            if len(drafts) == 1:
                return 1
            return sum(self._tell_at_once([draft]) for draft in drafts)
        self._learn(drafts)
        return 0

    def _tell_what_fits(self, drafts: Sequence[Draft]) -> int:
        """Store drafts that link to each other only, some hundred in a transaction, without those that are refused."""
        done = 0

        def progress(count: int) -> None:
            nonlocal done
            done = count

        try:
            self.memory.remember_many(drafts, progress=progress)
        except BudgetInfeasible:
            self._learn(drafts[:done])
            return sum(self._tell_at_once([draft]) for draft in drafts[done:])
        self._learn(drafts)
        return 0

    def _held(self, drafts: Sequence[Draft]) -> dict[str, str]:
        """Return what the links of ``drafts`` may point to, by its name in them: their own, and ids of what is held."""
        own = {draft.ref: draft.ref for draft in drafts}
        named = {name for draft in drafts for _, name in draft.links()} - own.keys()
        ids = {name: self._ids[self._refs[name]] for name in named if self._refs.get(name) in self._ids}
        if not ids:
            return own
        held = {row[0] for row in self.memory.cypher(_HELD, {"ids": sorted(ids.values())}).rows}
        return own | {name: id_ for name, id_ in ids.items() if id_ in held}

    def _makes_sense(self, draft: Draft, known: Mapping[str, str]) -> bool:
        """Return whether what ``draft`` depends on is held still, if it was told; an import leaves it out too."""
        return all(name in known or name not in self._refs for name in draft.depends_on)

    def _resolved(self, draft: Draft, known: Mapping[str, str]) -> Draft:
        """Return ``draft`` with ids for what earlier sessions stored; without the links to what is not held.

        A task that lost what it requires is blocked, as in an import.
        """
        lost = draft.kind is Kind.TASK and any(name in self._refs and name not in known for name in draft.requires)

        def ids(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(known[name] for name in names if name in known)

        return replace(
            draft,
            derives_from=ids(draft.derives_from),
            depends_on=ids(draft.depends_on),
            requires=ids(draft.requires),
            attaches_to_goal=ids(draft.attaches_to_goal),
            status=TaskStatus.BLOCKED if lost and default_status(draft) in ACTIVE_STATUSES else draft.status,
        )

    def _learn(self, drafts: Sequence[Draft]) -> None:
        """Note the ids of what was stored, because a draft knows memories of other sessions by its own names only."""
        self._refs.update((draft.ref, (draft.key, draft.content)) for draft in drafts if draft.action == "remember")
        sessions = sorted({draft.session for draft in drafts if draft.session is not None})
        for id_, key, content, session in self.memory.cypher(_STORED, {"sessions": sessions}).rows:
            self._ids[_text(key), str(content)] = str(id_)
            self._sessions[str(id_)] = str(session)


def _links_out(session: Sequence[Draft]) -> bool:
    """Return whether one of the drafts links to a draft that is not among them."""
    own = {draft.ref for draft in session}
    return any(name not in own for draft in session for _, name in draft.links())


def _text(value: object) -> str | None:
    return None if value is None else str(value)


@contextmanager
def product(
    start: int,
    settings: Mapping[str, Any] = _PLAIN,
    *,
    budget: int = _AMPLE,
    source: Source | None = None,
    embedding: str = "static",
) -> Iterator[Product]:
    """Give the product on an empty store with ``settings`` by dotted name, its clock at ``start``, epoch milliseconds.

    Raises:
        EngineUnavailable: the embedded engine cannot be opened.
        InvalidConfig: a setting cannot be used, such as a policy that there is not.
    """
    clock = ManualClock(start)
    with (
        tempfile.TemporaryDirectory(prefix="marskg-bench-") as folder,
        marskg.open(
            Path(folder) / "store", tenant="bench", budget=budget, clock=clock, source=source, embedding=embedding
        ) as memory,
    ):
        if settings:
            memory.settings.set(None, settings)
        yield Product(memory, clock)
