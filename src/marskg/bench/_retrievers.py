"""What is compared: a ranker over everything, the same over what still holds, and the product.

Guarantees: each gets the question's text and the time, nothing of its criteria; the product runs on a store of its own
in a temporary folder with the clock at the time of what it is told, and learns what is stale from its input alone.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, cast

import marskg
from marskg.bench._fama.scoring import Item
from marskg.clock import DAY_MS, ManualClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from marskg.bench._rankers import Ranker
    from marskg.drafts import Draft
    from marskg.memory import AgentMemory

_STORED = "MATCH (m:Memory) WHERE m.session = $session RETURN m.id AS id, m.key AS key, m.content AS content"
_PLAIN: Mapping[str, Any] = MappingProxyType({})
#: What who stores what was said, and no facts with keys, sets: what a new turn contradicts is superseded.
SPOKEN: Mapping[str, Any] = MappingProxyType({"learning.conflicts": "newest"})
#: Far above what any persona weighs: the bench measures retrieval, not eviction.
_AMPLE = 100_000_000


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
        self._memory = memory
        self._clock = clock
        #: The id of each memory by key and content, by which a draft of a later session may name it.
        self._ids: dict[tuple[str | None, str], str] = {}
        self._refs: dict[str, tuple[str | None, str]] = {}

    def tell(self, drafts: Sequence[Draft]) -> None:
        """Store the drafts of one session, at the time of the last of them.

        Raises:
            MarsError: what the gate refuses.
        """
        self.wait(max(draft.at for draft in drafts))
        own = {draft.ref for draft in drafts}
        self._memory.remember_many([self._resolved(draft, own) for draft in drafts])
        if any(draft.key is not None for draft in drafts):
            self._learn(drafts)

    def wait(self, moment: int) -> None:
        """Let it be ``moment``; days without a session are no fault of the clock."""
        gap = moment - self._clock.now_ms()
        if gap > 0:
            self._clock.advance(gap)
        if gap > DAY_MS:
            self._memory.confirm_clock()

    def retrieve(self, question: str, k: int) -> list[Item]:
        """Return the ``k`` best hits; the budget of tokens is beyond what the store holds, so that ``k`` decides."""
        hits = cast("_Retrieving", self._memory).retrieve(question, token_budget=_AMPLE, k=k)
        return [Item(hit.memory.content, hit.memory.session, hit.tokens) for hit in hits]

    def _resolved(self, draft: Draft, own: set[str]) -> Draft:
        """Return ``draft`` with ids for what earlier sessions stored; without the links to what they did not."""

        def ids(names: tuple[str, ...]) -> tuple[str, ...]:
            found = (name if name in own else self._ids.get(self._refs.get(name, (None, ""))) for name in names)
            return tuple(name for name in found if name is not None)

        return replace(
            draft,
            derives_from=ids(draft.derives_from),
            depends_on=ids(draft.depends_on),
            requires=ids(draft.requires),
            attaches_to_goal=ids(draft.attaches_to_goal),
        )

    def _learn(self, drafts: Sequence[Draft]) -> None:
        """Note the ids of what was stored, because a draft knows memories of other sessions by its own names only."""
        self._refs.update((draft.ref, (draft.key, draft.content)) for draft in drafts if draft.action == "remember")
        rows = self._memory.cypher(_STORED, {"session": drafts[0].session}).rows
        self._ids.update(((_text(key), str(content)), str(id_)) for id_, key, content in rows if content is not None)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


@contextmanager
def product(start: int, settings: Mapping[str, Any] = _PLAIN) -> Iterator[Product]:
    """Give the product on an empty store with ``settings`` by dotted name, its clock at ``start``, epoch milliseconds.

    Raises:
        EngineUnavailable: the embedded engine cannot be opened.
    """
    clock = ManualClock(start)
    with (
        tempfile.TemporaryDirectory(prefix="marskg-bench-") as folder,
        marskg.open(Path(folder) / "store", tenant="bench", budget=_AMPLE, clock=clock) as memory,
    ):
        if settings:
            memory.apply_settings(None, settings)
        yield Product(memory, clock)
