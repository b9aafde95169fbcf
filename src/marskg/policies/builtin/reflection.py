"""Reflection-Summary: clusters of episodes become summaries, and what is still too much goes by Priority-Decay.

Guarantees: the plan is pure but for a language model that the settings may name; every summary in it passed the gates
of :mod:`marskg.reflection.gates`; nothing pinned, keyed, superseded, said by a fact word for word, vital, protected,
needed by another or bound to a use or a session is summarised, and no cluster mixes subjects, purposes or
jurisdictions. The pass reads the oldest memories only, as many as weigh eight times what is to be freed and never more
than ``reflection.candidates`` or twice what the trigger's summaries can be of; clusters and requests to a model are
limited per trigger, and a model that fails is left alone for a time; where a transaction waits, no model is asked.
Where kinds have shares, summaries, which are facts, fill up the share of facts and no more: they would push out others
of it. It ends within the target wherever Priority-Decay does: where room for a summary is missing, its constituents go
without one. Reasons are made of numbers; the summaries' texts are in the plan's ``summaries`` alone. Sources: MaRS
sections 3.2.4 (completed tasks), 3.3.2, 4.2 and 5.3; semantics section 6.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from marskg.errors import EmbeddingUnavailable
from marskg.language.spans import parts_of
from marskg.ontology.vocabulary import KINDS, Kind, MemoryClass, SourceType, TaskStatus
from marskg.policies.builtin.priority_decay import PRIORITY_DECAY
from marskg.policies.core.candidates import Candidate, from_row, policy_statement
from marskg.policies.core.plans import Choice, build_plan, joined, parameters_of
from marskg.policies.streams.slices import partition_of
from marskg.privacy.sensitivity import lasting
from marskg.reflection.clustering import Episode, Limits, clusters
from marskg.reflection.consolidation import Vector, Workshop
from marskg.reflection.extractive import ExtractiveSummariser
from marskg.reflection.gates import Against, Thresholds
from marskg.reflection.passages import Constituent, still_said
from marskg.store.rows.order_keys import CURRENT, VITAL, importance, slice_prefix
from marskg.store.rows.summary_lines import decode
from marskg.store.unit.vectors import model_name, own, tag, unpacked
from marskg.weight import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from marskg.config import ReflectionSettings
    from marskg.embedding.model import Vectors
    from marskg.policies.core.policy import PolicyView
    from marskg.records import Consolidation, Plan
    from marskg.reflection.consolidation import Outcome
    from marskg.store.unit.vectors import Vectoriser

NAME: Final = "reflection-summary"
RULE: Final = "consolidation"
NO_ROOM: Final = "no-room"
REASON_NO_ROOM: Final = "part of a cluster, for whose summary the target leaves no room"
WITHOUT_VECTORS: Final = "no model makes vectors now, so that nothing could be clustered: nothing was summarised"

SPENT: Final = "the limit of requests to the model was reached: the extractive summariser wrote instead"
FULL: Final = "the share of semantic memories is full, so that no further summary was made"
RESTING: Final = (
    "the model failed too often in a row and is not asked for reflection.model_pause: the extractive summariser wrote "
    "instead"
)
_PAGE: Final = 2_048
#: The weight of what is looked at, in multiples of what is to be freed: old episodes are the most redundant ones.
_SKIM: Final = 8
#: And never more than this many times what the summaries of one trigger can be of.
_CHOICE: Final = 2
#: The fewest memories that are looked at, as long as there are so many.
_FEWEST: Final = 64
_MICRO: Final = 1_000_000
#: Clusters whose members are read together.
_AHEAD: Final = 64
#: Tries that one cluster may cost.
_TRIES: Final = 2


@dataclass(frozen=True, slots=True)
class Reflected:
    """What reflection makes of a view: summaries, the constituents that they take the place of, and what else goes.

    ``choices`` come in the order of the summaries' constituents; ``evicted`` are constituents that go without one.
    """

    choices: tuple[Choice, ...] = ()
    summaries: tuple[Consolidation, ...] = ()
    evicted: tuple[Choice, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        """Return the ids of all that goes."""
        return frozenset(choice.candidate.id for choice in (*self.choices, *self.evicted))

    @property
    def freed(self) -> int:
        """Return the tokens that are free afterwards."""
        gone = sum(choice.candidate.weight for choice in (*self.choices, *self.evicted))
        return gone - sum(summary.weight for summary in self.summaries)

    def without_room(self, over: int) -> Reflected:
        """Return the same without the heaviest summaries, until ``over`` more tokens are free."""
        kept = list(self.summaries)
        dropped: set[str] = set()
        for summary in sorted(self.summaries, key=lambda one: (-one.weight, one.constituents)):
            if over <= 0:
                break
            over -= summary.weight
            kept.remove(summary)
            dropped.update(summary.constituents)
        gone = [choice for choice in self.choices if choice.candidate.id in dropped]
        evicted = [Choice(choice.candidate, NO_ROOM, choice.score, REASON_NO_ROOM) for choice in gone]
        return Reflected(
            tuple(choice for choice in self.choices if choice.candidate.id not in dropped),
            tuple(kept),
            (*self.evicted, *evicted),
            self.notes,
        )


def room(view: PolicyView, target: int) -> int:
    """Return the weight above which summaries go as well: what must be reached, not what is aimed at."""
    return target if view.ceiling is None else max(target, view.ceiling)


class ReflectionSummary:
    """The policy ``reflection-summary``; holds the extractive summariser, and the words that were weighed."""

    name: Final = NAME

    def __init__(self) -> None:
        """Load nothing yet."""
        self._counter = TokenCounter()
        self._extractive = ExtractiveSummariser(self._counter)

    def plan(
        self, view: PolicyView, *, target: int, exclude: frozenset[str] = frozenset(), seed: int | None = None
    ) -> Plan:
        """Return the plan down to ``target``: summaries first, then what Priority-Decay takes."""
        reflected = self.reflect(view, excess=view.weight - target, exclude=exclude)
        while True:
            taken = exclude | reflected.ids
            rest = PRIORITY_DECAY.plan(view, target=target + reflected.freed, exclude=taken, seed=seed)
            over = rest.weight_after - reflected.freed - room(view, target)
            if over <= 0 or not reflected.summaries:
                break
            reflected = reflected.without_room(over)
        parameters = parameters_of(view, ("reflection",))
        taken_first = (*reflected.choices, *reflected.evicted)
        first = build_plan(view, NAME, parameters, target, taken_first, seed, reflected.summaries)
        return joined([first, rest], reflected.notes)

    def reflect(self, view: PolicyView, *, excess: int, exclude: frozenset[str]) -> Reflected:
        """Return the summaries that free ``excess`` tokens, or as many as clusters and limits give."""
        if excess <= 0 or not view.settings.reflection.clusters:
            return Reflected()
        space = _space(view.vectoriser)
        if space is None:
            return Reflected(notes=(WITHOUT_VECTORS,))
        found = _Found(view, space, excess, exclude)
        return _Reflection(view, found, self._makers(view, space)).run(excess)

    def _makers(self, view: PolicyView, space: _Space) -> _Makers:
        settings = view.settings.reflection
        chosen = view.summariser or self._extractive
        thresholds = Thresholds(settings.tau_util, settings.tau_priv, settings.s_floor, Against(settings.privacy))
        usual = Workshop(chosen, self._counter, space.embed, thresholds, settings.share, view.sensing)
        plain = Workshop(self._extractive, self._counter, space.embed, thresholds, settings.share, view.sensing)
        return _Makers(usual, plain, settings.model_calls)


@dataclass(frozen=True, slots=True)
class _Space:
    """The model's vectors: how stored ones are read, and new ones made."""

    vectoriser: Vectoriser
    prefix: str
    dimension: int

    def rows(self, packed: Sequence[str | None]) -> Vectors:
        """Return stored vectors as rows; what is missing or of another model is a zero row."""
        known = [place for place, text in enumerate(packed) if own(text, self.prefix)]
        found = np.zeros((len(packed), self.dimension), dtype=np.float32)
        if known:
            found[known] = unpacked([str(packed[place]) for place in known], self.prefix, self.dimension)
        return found

    def embed(self, text: str) -> Vector | None:
        """Return the vector of a summary, as the store will keep it."""
        made_by, (packed,) = self.vectoriser.packed([text])
        if made_by is None or packed is None or not own(packed, self.prefix):
            return None
        return Vector(self.rows([packed])[0], packed, (made_by.spec, made_by.name))


def _space(vectoriser: Vectoriser | None) -> _Space | None:
    """Return where vectors are compared, None where there are none now."""
    if vectoriser is None:
        return None
    try:
        model = vectoriser.model
        if model is None:
            return None
        return _Space(vectoriser, tag(model_name(model)), model.dimension)
    except EmbeddingUnavailable:
        return None


# --- What may be summarised ---------------------------------------------------------------------------------------


class _Found:
    """The oldest memories that a summary may take the place of, with their vectors."""

    def __init__(self, view: PolicyView, space: _Space, excess: int, exclude: frozenset[str]) -> None:
        self._view = view
        self.rows: dict[str, Mapping[str, Any]] = {}
        for row in _oldest(view, excess):
            if row["id"] not in exclude and _may_be_summarised(row, view.now):
                self.rows[row["id"]] = row
        ids = list(self.rows)
        self.vectors = space.rows([row["embedding"] for row in self.rows.values()])
        self._place = {node_id: place for place, node_id in enumerate(ids)}
        self.ids = ids
        self._said: dict[str, Constituent] = {}

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Return the vectors of memories, ``[len(ids), dimension]``."""
        return self.vectors[[self._place[node_id] for node_id in ids]]

    def candidate(self, node_id: str) -> Candidate:
        """Return a memory as policies know it."""
        return from_row(self.rows[node_id])

    def clusters(self, taken: set[str]) -> list[tuple[str, ...]]:
        """Return clusters of the episodes that are not ``taken``, the least important per token first."""
        settings = self._view.settings.reflection
        ids = [node_id for node_id in self.ids if node_id not in taken and _is_episode(self.rows[node_id])]
        episodes = [_episode(self.rows[node_id]) for node_id in ids]
        limits = Limits(cosine=settings.similarity, radius=settings.tau_util, most=settings.members)
        found = clusters(episodes, self.vectors_of(ids), limits) if ids else []
        return self._in_order(tuple(ids[place] for place in cluster) for cluster in found)

    def _in_order(self, found: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
        return sorted(found, key=lambda members: (self._density(members), self.rows[members[0]]["sequence"]))

    def _density(self, members: Sequence[str]) -> int:
        scoring, now = self._view.settings.scoring, self._view.now
        known = [self.candidate(node_id) for node_id in members]
        worth = math.fsum(importance(scoring, one.kind, one.last, one.times, now) for one in known)
        return round(worth / max(1, sum(one.weight for one in known)) * _MICRO)

    def completed_tasks(self) -> list[tuple[str, ...]]:
        """Return each completed task with its scaffolding: what served it and no other goal."""
        tasks = [node_id for node_id, row in self.rows.items() if _is_completed(row)]
        scaffolding: dict[str, list[str]] = defaultdict(list)
        statement = policy_statement("completed-tasks")
        for page in _pages(tasks):
            for row in self._view.run(statement, {"refs": [f"{self._view.tenant}|{node_id}" for node_id in page]}):
                # A task may be called its own goal; it is no part of what served it.
                served = row["id"] in self.rows and row["id"] != row["task"]
                if served and row["goals"] == [row["task"]]:
                    scaffolding[row["task"]].append(row["id"])
        found = []
        for task in tasks:
            group = _group(self.rows[task])
            members = [other for other in sorted(scaffolding[task]) if _group(self.rows[other]) == group]
            members = [other for other in [task, *members] if self.vectors_of([other]).any()]
            if task in members and 1 < len(members) <= self._view.settings.reflection.members:
                found.append(tuple(members))
        return found

    def read(self, found: Iterable[Sequence[str]]) -> None:
        """Read at once what the members of several clusters say."""
        ids = [node_id for members in found for node_id in members if node_id not in self._said]
        for page in _pages(ids):
            refs = [f"{self._view.tenant}|{node_id}" for node_id in page]
            ended: dict[str, list[str]] = defaultdict(list)
            for row in self._view.run(policy_statement("ended-facts"), {"refs": refs}):
                ended[row["source"]] += row["spans"] or ()
            for row in self._view.run(policy_statement("reflection-members"), {"refs": refs}):
                self._said[row["id"]] = _constituent(row, ended[row["id"]])

    def constituents(self, ids: Sequence[str]) -> list[Constituent]:
        """Return what memories say, in the order of ``ids``."""
        self.read([ids])
        return [self._said[node_id] for node_id in ids]


def _oldest(view: PolicyView, excess: int) -> Iterator[Mapping[str, Any]]:
    """Yield the oldest current memories that may be evicted, as many as the pass looks at."""
    settings = view.settings.reflection
    most = min(settings.candidates, max(_FEWEST, _CHOICE * settings.clusters * settings.members))
    if not view.settings.partitions.on:
        yield from _oldest_below(view, view.tenant, excess, most)
        return
    # Where kinds have shares, each has its own part of the order.
    kinds = [_oldest_below(view, slice_prefix(view.tenant, kind), excess, most) for kind in KINDS]
    yield from islice(heapq.merge(*kinds, key=lambda row: (row["created"], row["sequence"])), most)


def _oldest_below(view: PolicyView, prefix: str, excess: int, most: int) -> Iterator[Mapping[str, Any]]:
    """Yield the oldest current memories whose keys begin with ``prefix``, ``most`` at most."""
    statement = policy_statement("reflection-page")
    # A summary says less than what it takes the place of: what a life depends on stays as it was said.
    low, high = f"{prefix}|{CURRENT}", f"{prefix}|{VITAL}"
    left, seen, weight = most, 0, 0
    wanted = min(_FEWEST, left)
    while wanted > 0:
        page = view.run(statement, {"low": low, "high": high, "limit": wanted})
        yield from page
        if len(page) < wanted:
            return
        seen += len(page)
        left -= len(page)
        weight += sum(row["weight"] for row in page)
        low = f"{page[-1]['key']}0"
        # As many as would weigh what is missing, if they are like those before.
        missing = -(-max(0, _SKIM * excess - weight) * seen // weight)
        wanted = min(missing, left, _PAGE)


def _may_be_summarised(row: Mapping[str, Any], now: int) -> bool:
    """Return whether a summary may take the place of a memory that no other needs and nothing protects."""
    valid = row["validTo"] is None or row["validTo"] > now
    lives = row["expiresAt"] is None or row["expiresAt"] > now
    bound = row["useBound"] or row["sessionBound"] or row["memoryClass"] == MemoryClass.EPHEMERAL.value
    settled = row["slot"] is None and row["supersededAt"] is None and row["unaffirmedSince"] is None
    # What makes no sense without another memory is not torn from it.
    return bool(valid and lives and settled and not bound and not row["bases"])


def _is_episode(row: Mapping[str, Any]) -> bool:
    """Return whether this is an episode, or a summary of some."""
    summary = row["kind"] == Kind.SEMANTIC.value and row["sourceType"] == SourceType.REFLECTION.value
    return bool(row["kind"] == Kind.EPISODIC.value or summary)


def _is_completed(row: Mapping[str, Any]) -> bool:
    return bool(row["kind"] == Kind.TASK.value and row["status"] == TaskStatus.DONE.value)


def _group(row: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...], str | None]:
    return tuple(row["subjects"] or ()), tuple(row["purpose"] or ()), row["jurisdiction"]


def _episode(row: Mapping[str, Any]) -> Episode:
    return Episode(_group(row), row["session"], row["validFrom"], row["sequence"])


def _constituent(row: Mapping[str, Any], ended: Iterable[str]) -> Constituent:
    """Return what a memory says, without the sentences at the spans ``ended``: a summary is of what holds."""
    spans = parts_of(ended, row["id"])
    return Constituent(
        id=row["id"],
        kind=Kind(row["kind"]),
        content=row["content"] if row["lines"] else still_said(row["content"], spans),
        valid_from=row["validFrom"],
        sequence=row["sequence"],
        weight=row["weight"],
        sensitivity=float(row["sensitivity"]),
        floor=lasting(float(row["sensitivity"]), row["reasons"] or ()),
        expires_at=row["expiresAt"],
        lines=decode(row["lines"] or ()),
    )


def _pages(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + _PAGE] for start in range(0, len(ids), _PAGE))


# --- One pass ----------------------------------------------------------------------------------------------------


def _room_for_facts(view: PolicyView) -> int | None:
    """Return the tokens that the share of semantic memories has room for, None where kinds have no shares."""
    if not view.settings.partitions.on:
        return None
    place = KINDS.index(Kind.SEMANTIC)
    # Where one person's budget is exceeded, the ceiling is no budget that kinds have shares of.
    budget = view.settings.budget if view.ceiling is None or view.within is not None else view.ceiling
    return max(0, partition_of(view, budget).shares[place] - view.census.weights[place])


@dataclass(slots=True)
class _Makers:
    """What makes summaries: the chosen summariser while its requests last, the extractive one afterwards."""

    usual: Workshop
    plain: Workshop
    requests: int

    @property
    def resting(self) -> bool:
        """Return whether the model failed so often that it is not asked for now."""
        return self.usual.summariser.rests

    def next(self) -> Workshop:
        """Return what makes the next summary."""
        if self.resting or self.usual.summariser.calls * _TRIES > self.requests:
            return self.plain
        return self.usual

    def told(self, outcome: Outcome) -> None:
        """Count the requests of a summary."""
        self.requests -= outcome.requests


@dataclass(slots=True)
class _Reflection:
    """One pass over what was found."""

    view: PolicyView
    found: _Found
    makers: _Makers
    choices: list[Choice] = field(default_factory=list)
    summaries: list[Consolidation] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)
    freed: int = 0
    #: Tokens that the share of facts has room for; None where kinds have no shares.
    room: int | None = field(init=False)

    def __post_init__(self) -> None:
        self.room = _room_for_facts(self.view)

    def run(self, excess: int) -> Reflected:
        """Summarise completed tasks, then clusters, until ``excess`` tokens are free or a limit is reached."""
        taken: set[str] = set()
        for members in self.found.completed_tasks():
            if self._goes_on(excess) and taken.isdisjoint(members):
                taken.update(self._summarise(members))
        found = self.found.clusters(taken) if self._goes_on(excess) else []
        for place, members in enumerate(found):
            if not self._goes_on(excess):
                break
            if not place % _AHEAD:
                self.found.read(found[place : place + _AHEAD])
            self._summarise(members)
        notes = tuple(f"{count} times: {text}" if count > 1 else text for text, count in sorted(self.notes.items()))
        return Reflected(tuple(self.choices), tuple(self.summaries), notes=notes)

    def _goes_on(self, excess: int) -> bool:
        full = self.room is not None and self.room <= 0
        if full:
            self.notes[FULL] = 1
        return not full and self.freed < excess and len(self.summaries) < self._settings.clusters

    @property
    def _settings(self) -> ReflectionSettings:
        return self.view.settings.reflection

    def _summarise(self, members: Sequence[str]) -> tuple[str, ...]:
        """Summarise one cluster; returns the ids that its summary takes the place of."""
        maker = self.makers.next()
        if maker is not self.makers.usual:
            self.notes[RESTING if self.makers.resting else SPENT] += 1
        durable = any(_is_completed(self.found.rows[node_id]) for node_id in members)
        outcome = maker.consolidate(self.found.constituents(members), self.found.vectors_of(members), durable=durable)
        self.makers.told(outcome)
        self._note(outcome)
        summary = outcome.summary
        if summary is None or not self._fits(summary):
            return ()
        self.summaries.append(summary)
        self.choices += [self._choice(summary, node_id) for node_id in summary.constituents]
        gone = sum(self.found.rows[node_id]["weight"] for node_id in summary.constituents)
        self.freed += gone - summary.weight
        return summary.constituents

    def _fits(self, summary: Consolidation) -> bool:
        """Return whether the share of facts has room for a summary, and take it; the pass ends where it has none."""
        if self.room is None:
            return True
        known = (self.found.candidate(node_id) for node_id in summary.constituents)
        # A summary of summaries takes their place in the same share.
        grows = summary.weight - sum(one.weight for one in known if one.kind is Kind.SEMANTIC)
        fits = grows <= self.room
        if not fits:
            self.notes[FULL] = 1
        self.room = self.room - grows if fits else 0
        return fits

    def _note(self, outcome: Outcome) -> None:
        self.notes.update(outcome.notes)
        refusal = outcome.decisive
        if outcome.summary is None and refusal is not None:
            self.notes[f"a cluster stays as it is: {refusal.cause}"] += 1

    def _choice(self, summary: Consolidation, node_id: str) -> Choice:
        reason = (
            f"one of {len(summary.constituents)} that a summary of {summary.weight} tokens takes the place of: "
            f"distortion {summary.realised:.4f}, predicted {summary.predicted:.4f}, allowed {self._settings.tau_util:g}"
        )
        features = {"distortion": summary.realised, "distortion_predicted": summary.predicted}
        score = round(summary.realised * _MICRO)
        return Choice(self.found.candidate(node_id), RULE, score, reason, summarised=True, features=features)
