"""The protocol of deletion: marked memories, how each is forgotten first, and every place that may still tell of one.

Whatever is to be erased has :data:`STEM` in it, in its text and in all names that go with it, and nothing else has:
what is told of it is found by that, or by an id.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from marskg.answer import plain
from marskg.errors import MarsError
from marskg.policies.builtin.private import NAME as PRIVATE
from marskg.policies.registry import POLICY_NAMES
from tests.support.reachable import reachable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from marskg.api.restricted.restricted_memory import RestrictedMemory
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

STEM: Final = "zyxquartz"
SUBJECT: Final = f"{STEM}ann"
SESSION: Final = f"{STEM}-talk"
SOURCE: Final = f"chat/{STEM}"
ENTITY: Final = "Zyxquartz Berg"
LABELS: Final[dict[str, Any]] = {
    "subjects": [SUBJECT],
    "session": SESSION,
    "source_ref": SOURCE,
    "mentions": [ENTITY],
}
READER: Final = "reader:bot?ceiling=1.0"
#: Is there before and after.
KEPT: Final = "Carl plays chess near the river on Mondays"
QUESTION: Final = "what is the locker word that she told nobody else about, and who waters the tomatoes?"
NEVER: Final = "urn:uuid:01900000-0000-7000-8000-000000000000"
HOUR: Final = 3_600_000
EVERYTHING: Final[dict[str, Any]] = {"latent": True, "superseded": True, "closed": True, "unaffirmed": True}
_TRIPLES: Final = "SELECT ?g ?s ?p ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"
_NODES: Final = "MATCH (n) WHERE n.ref >= $low AND n.ref < $high RETURN properties(n) AS node"
_OBJECT: Final = re.compile(r" at 0x[0-9a-f]+")


#: Stores a text and lets something take it.
Way: TypeAlias = "Callable[[Stores, AgentMemory], Told]"


def text(way: str) -> str:
    """Return the text that ``way`` takes; of each way it is another."""
    return f"Her locker word since the {way} day is {STEM}, and she told nobody else about it!"


@dataclass(frozen=True)
class Told:
    """A text that was stored to be erased, and the ids of the memories that were made of it."""

    text: str
    ids: tuple[str, ...]


def tell(memory: AgentMemory, way: str, **fields: Any) -> Told:
    """Store the text of a way."""
    said = text(way)
    return Told(said, (memory.remember(said, **{**LABELS, **fields}).id,))


# --- What has its turn first ------------------------------------------------------------------------------------------


def make_room(memory: AgentMemory, policy: str) -> None:
    """Let a policy take all that is not pinned."""
    room = memory.stats()["protected_weight"]
    if policy == PRIVATE:
        memory.privacy.forget(budget=room)
    else:
        memory.forget(memory.plan(policy=policy, budget=room))


def evicted_by(policy: str) -> Way:
    """Return the way by which ``policy`` takes it."""

    def way(_: Stores, memory: AgentMemory) -> Told:
        told = tell(memory, policy)
        make_room(memory, policy)
        assert all(one.content is None for one in memory.memories() if one.id in told.ids)
        return told

    return way


def archived(_: Stores, memory: AgentMemory) -> Told:
    """Put it aside."""
    told = tell(memory, "archived")
    memory.settings.set(None, {"policy.evict_to": "latent"})
    make_room(memory, "fifo")
    memory.settings.set(None, {"policy.evict_to": "tombstone"})
    assert {str(one.tier) for one in memory.memories() if one.id in told.ids} == {"latent"}
    return told


def shortened(stores: Stores, memory: AgentMemory) -> Told:
    """Let housekeeping put an excerpt in its place."""
    steps = " ".join(f"In step {number} the kettle of {STEM} is filled and emptied again." for number in range(12))
    long = memory.remember(f"{text('shortened')} {steps}", **LABELS)
    stores.clock(memory).advance(HOUR)
    memory.settings.set(None, {"lean.compress_below": 60, "lean.compress_longer_than": 64})
    assert memory.maintain().shortened == (long.id,)
    memory.settings.set(None, {"lean.compress_below": None})
    return Told(str(long.content), tuple(one.id for one in memory.history(long.id)))


def reflected(_: Stores, memory: AgentMemory) -> Told:
    """Let reflection summarise it with its neighbours."""
    day = "I watered the tomatoes in the garden behind the house with {}. It was {} degrees in the garden then."
    said = [memory.remember(day.format(STEM, 20 + number), **LABELS) for number in range(6)]
    before = {one.id for one in memory.memories()}
    memory.forget(memory.plan(policy="reflection-summary", budget=memory.weight * 8 // 10))
    made = [one for one in memory.memories() if one.id not in before]
    assert any(STEM in (one.content or "") for one in made), "a line of it is in a summary"
    gone = next(one for one in said if memory.get(one.id) is None)
    return Told(str(gone.content), tuple(one.id for one in (*said, *made)))


def expired(stores: Stores, memory: AgentMemory) -> Told:
    """Let its life end."""
    told = tell(memory, "expired", ttl="1h")
    stores.clock(memory).advance(2 * HOUR)
    assert memory.maintenance.expire() == 1
    return told


def superseded(_: Stores, memory: AgentMemory) -> Told:
    """Put a newer value in its place."""
    slot = {"kind": "semantic", "key": f"locker/{STEM}"}
    told = tell(memory, "superseded", **slot)
    return Told(told.text, told.ids + tell(memory, "superseding", **slot).ids)


def retracted(_: Stores, memory: AgentMemory) -> Told:
    """Take it back."""
    key = f"drawer/{STEM}"
    told = tell(memory, "retracted", kind="semantic", key=key)
    assert memory.retract(key, subjects=[SUBJECT])
    return told


def nothing(_: Stores, memory: AgentMemory) -> Told:
    """Leave it as it is."""
    return tell(memory, "plain")


#: By name, in an order in which one after another takes its own.
WAYS: Final[dict[str, Way]] = {
    **{name: evicted_by(name) for name in (*POLICY_NAMES, PRIVATE)},
    **{way.__name__: way for way in (archived, shortened, reflected, expired, superseded, retracted, nothing)},
}


# --- Where it may be told ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Places:
    """Every place of one open tenant where what was erased may still be told; files are written below ``folder``."""

    stores: Stores
    memory: AgentMemory
    folder: Path

    def told(self) -> dict[str, str]:
        """Return what each place tells, by its name, without the names that it was asked by."""
        return {name: _answer(ask, ENTITY, SUBJECT) for name, ask in self._asked().items()}

    def told_of(self, ident: str) -> list[str]:
        """Return what the doors that take an id tell of one, with something else in its place."""
        memory = self.memory
        doors: list[Callable[[str], object]] = [
            memory.get,
            memory.edges,
            memory.history,
            memory.explain,
            memory.audit.who_saw,
            memory.audit.receipt,
            memory.restore,
            memory.policy.pin,
            lambda one: memory.recall(goal=one),
        ]
        return [_answer(partial(door, ident), ident) for door in doors]

    def _asked(self) -> dict[str, Callable[[], object]]:
        memory, now = self.memory, self.memory.now()
        many: dict[str, Any] = {"k": 200, "token_budget": 20_000, **EVERYTHING}
        return {
            "retrieve": lambda: memory.retrieve(QUESTION, **many).as_text(),
            "retrieve then": lambda: memory.retrieve(QUESTION, as_of=now - 1, **many).as_text(),
            "recall": lambda: memory.recall(ENTITY, social="all", **many).as_text(),
            "profile": lambda: [memory.profile(one, token_budget=20_000, **EVERYTHING) for one in (None, SUBJECT)],
            "profile of one": lambda: memory.profile(ENTITY, token_budget=20_000, **EVERYTHING),
            "read all": lambda: memory.read_all(**EVERYTHING),
            "read all then": lambda: memory.read_all(as_of=now - 1, **EVERYTHING),
            "memories": lambda: [*memory.memories()],
            "entities": lambda: [[one.name.casefold() for one in memory.entities.list()], *memory.preferences.list()],
            "sparql": lambda: memory.sparql(_TRIPLES),
            "cypher": lambda: memory.cypher(_NODES, {"low": memory.tenant, "high": f"{memory.tenant}}}"}),
            "export": lambda: self._export(memory, "full.jsonld", audit=True),
            "quads": lambda: self._export(memory, "full.nq", audit=True),
            "disclosure": lambda: self._export(self.stores.open_as(memory, READER), "disclosure.jsonld"),
            "audit": lambda: [[*memory.audit.records(log=log)] for log in ("transitions", "accesses")],
            "report": self._report,
            "figures": lambda: [memory.stats(), memory.policy.explain(), memory.notices, memory.learning.review()],
            "plan": lambda: memory.plan(policy="density", budget=memory.stats()["protected_weight"]),
            "process": lambda: reachable(memory, STEM),
        }

    def _export(self, memory: AgentMemory | RestrictedMemory, name: str, **options: Any) -> str:
        path = self.folder / name
        memory.export(path, **options)
        said = path.read_text("utf-8")
        path.unlink()
        return said

    def _report(self) -> object:
        report = self.memory.privacy.report(SUBJECT)
        return report.document, report.as_markdown(), report.as_html(), report.holdings


def _answer(ask: Callable[[], object], *asked: str) -> str:
    """Return what is answered, or refused, without the names that were ``asked`` for: a refusal repeats them."""
    try:
        said = repr(plain(ask()))
    except MarsError as error:
        said = f"{type(error).__name__}: {error}"
    for name in asked:
        said = said.replace(name, "…")
    return _OBJECT.sub("", said)
