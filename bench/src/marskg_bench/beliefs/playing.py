"""A store that is told the beliefs of PrecisionMemBench, and what it shows for a question.

Guarantees: each user has a tenant of their own in one store; the product gets the text that the benchmark hands to
every product, and each question with the default settings; what is pinned, what is an open question and what holds for
every scope is read back from the store. What is mapped onto what stands in ``docs/reference/bench.md``.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import marskg
from marskg.clock import DAY_MS, ManualClock
from marskg_bench.beliefs.layout import QUESTION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from marskg.memory import AgentMemory
    from marskg.records import Memory
    from marskg_bench.beliefs.layout import Belief, Case

_FACT: Final = "semantic"
_TASK: Final = "task"
_RELATION: Final = "relation"
#: How likely each memory that is shown has to bear: the benchmark measures precision.
_LEAST: Final = 0.8
#: The scope of what is said of a user whatever they do.
_UNIVERSAL: Final = "user:universal"


class Shown(NamedTuple):
    """What is shown for one question, as the benchmark's names, and the text about the user."""

    pinned: tuple[str, ...]
    found: tuple[str, ...]
    questions: tuple[str, ...]
    prelude: str


class Store:
    """The tenants of all users; each belief is known by its name in the benchmark."""

    def __init__(self, tenants: Mapping[str, AgentMemory], beliefs: Iterable[Belief]) -> None:
        """Tell ``tenants`` what is known of each, what came first first."""
        self._tenants = tenants
        self._beliefs = {one.ident: one for one in beliefs}
        self._ids: dict[str, str] = {}
        for belief in sorted(self._beliefs.values(), key=lambda one: (one.at, bool(one.participants))):
            self.tell(belief)
        for memory in tenants.values():  # what a slow model makes after the write
            memory.maintenance.reembed()

    def tell(self, belief: Belief) -> None:
        """Remember ``belief``. Values that follow one another have one key, so that the last is the one that holds."""
        self._beliefs[belief.ident] = belief
        asks = belief.type == QUESTION
        parts = [one for one in belief.participants if one in self._ids]
        kept = self._tenants[belief.user].remember(
            belief.text,
            kind=_TASK if asks else _FACT,
            at=belief.at,
            key=self._slot(belief),
            pin=belief.pinned,
            intent_tags=belief.scopes,
            status="done" if asks and belief.resolved else None,
            metadata={"belief": belief.ident},
            depends_on=[self._ids[one] for one in parts if self._beliefs[one].type != QUESTION],
            attaches_to_goal=[self._ids[one] for one in parts if self._beliefs[one].type == QUESTION],
        )
        self._ids[belief.ident] = kept.id

    def rename(self, ident: str, aliases: tuple[str, ...]) -> None:
        """Give the text of a belief more names that it goes by."""
        belief = self._beliefs[ident] = self._beliefs[ident].known_as(aliases)
        self._ids[ident] = self._tenants[belief.user].update(self._ids[ident], belief.text).id

    def show(self, case: Case) -> Shown:
        """Return what is shown for ``case``: found is what is neither pinned nor beyond what is wanted."""
        memory, scopes = self._tenants[case.user], list(case.scopes)
        pinned = [_name(one) for one in _all(memory, _FACT, scopes) if one.pinned][: case.most]
        hits: Sequence[Any] = ()
        if case.query.strip() and case.most:
            hits = memory.retrieve(case.query, k=case.most, kinds=[_FACT], tags=scopes, min_confidence=_LEAST).hits
        found = [name for hit in hits if (name := _name(hit.memory)) not in pinned]
        return Shown(
            tuple(pinned),
            tuple(found[: case.most - len(pinned)]),
            tuple(_name(one) for one in _all(memory, _TASK, scopes) if one.pinned),
            " ".join(one.content or "" for one in _all(memory, _FACT, [_UNIVERSAL])),
        )

    def _slot(self, belief: Belief) -> str | None:
        """Return the key of a belief that took another's place, or whose place another took."""
        replaced = {one.superseded_by for one in self._beliefs.values()}
        if belief.superseded_by is None:
            return belief.name if belief.ident in replaced else None
        while belief.superseded_by in self._beliefs:
            belief = self._beliefs[belief.superseded_by]
        return belief.name


def _all(memory: AgentMemory, kind: str, tags: Sequence[str]) -> list[Memory]:
    return [hit.memory for hit in memory.read_all(kinds=[kind], tags=tags)]


def _name(memory: Memory) -> str:
    return str(dict(memory.metadata or {})["belief"])


@contextmanager
def opened(beliefs: Sequence[Belief], users: Iterable[str], embedding: str) -> Iterator[Store]:
    """Give a store that was told ``beliefs`` a day after the last, with a tenant for each of ``users`` as well.

    Raises:
        EngineUnavailable: the embedded engine cannot be opened.
    """
    clock = ManualClock(max((one.at for one in beliefs), default=0) + DAY_MS)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="marskg-bench-"))) / "store"
        tenants = {
            user: stack.enter_context(marskg.open(folder, tenant=user, clock=clock, embedding=embedding))
            for user in sorted({*users, *(one.user for one in beliefs)})
        }
        yield Store(tenants, beliefs)
