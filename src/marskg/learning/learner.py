"""One tenant's learning: feedback, conflicts, what has faded, wishes, and the list of what waits for a person.

Guarantees: what waits for a person is read from the graph, so that it is the same for whoever asks: memories that a
``contradicts`` edge joins, and memories that have nearly faded. Nothing on the list changes before it is accepted or
rejected, and both are recorded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.answer import Answer
from marskg.errors import InvalidInput
from marskg.language.en.wish_phrases import parse_wishes
from marskg.language.wish_kinds import WishKind
from marskg.learning.conflicts import FoundConflict, Sweeper, overrule
from marskg.learning.feedback import Assessor, Feedback, Said
from marskg.learning.from_text.reconcile import accept_proposal
from marskg.learning.from_text.waiting import Waiting, is_waiting, refuse_proposal, waiting
from marskg.learning.pruning import faded, old_enough, plan_of
from marskg.learning.rules.resolution import FLAG, IGNORE, ConflictPolicy
from marskg.learning.rules.score import Outcome, after_use
from marskg.learning.wishes import StoredWish, wish_draft, wish_drafts
from marskg.ontology.vocabulary import EdgeType, Operation
from marskg.policies.executor import View
from marskg.records import Edge
from marskg.retrieval.details import slot_details
from marskg.retrieval.index.memory_index import FOREVER
from marskg.store.graph.amend import remove_edge
from marskg.store.graph.tiers import restore
from marskg.store.upkeep.access_log import Judged, record_access, record_feedback
from marskg.store.upkeep.auto_restore import restore_used
from marskg.store.upkeep.quarantine import Quarantined, confirm, quarantined

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from marskg.drafts import Draft
    from marskg.learning.rules.fading import Faded, Pruning
    from marskg.learning.second_opinions import Judge, Opinion
    from marskg.learning.wishes import Wishes
    from marskg.ontology.vocabulary import SourceType
    from marskg.records import Memory, Plan
    from marskg.retrieval.index.view import IndexView
    from marskg.store.commit.writer import Writer
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.unit_of_work import Unit
    from marskg.store.unit.vectors import Vectoriser

_REVIEWED: Final = "kept by a person who reviewed it"
#: What :meth:`Learner.find_conflicts` may do.
POLICIES: Final = (FLAG, *(policy.value for policy in ConflictPolicy))


@dataclass(frozen=True, slots=True)
class Contested:
    """Two current memories, by id, that contradict each other; the preferred one is the newer or the more reliable."""

    preferred: str
    other: str


@dataclass(frozen=True, slots=True)
class ReviewList(Answer):
    """What waits for a person, and what a pruning would take without asking.

    ``conflicts``, ``fading``, ``quarantined`` and ``proposed``, what was read from texts, wait; ``faded`` are what
    :meth:`Learner.plan_pruning` would take, lowest score first. ``opinions`` are a model's on the pairs of
    ``conflicts``, and on what is ``proposed`` with what it is about; ``notices`` say why there are none on others.
    """

    conflicts: tuple[Contested, ...]
    fading: tuple[Faded, ...]
    faded: tuple[Faded, ...]
    quarantined: tuple[Quarantined, ...] = ()
    proposed: tuple[Waiting, ...] = ()
    opinions: tuple[Opinion, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision(Answer):
    """What a person's decision about one memory changed: what was done, and the ids of the memories that changed."""

    id: str
    done: str
    changed: tuple[str, ...]


class Learner:
    """Learns for one tenant."""

    def __init__(
        self,
        writer: Writer,
        reader: GraphReader,
        view: IndexView,
        vectoriser: Vectoriser,
        wishes: Wishes,
        *,
        source: SourceType,
        judge: Judge,
    ) -> None:
        """Record through ``writer``; read by ``reader`` and ``view``; ``wishes`` are those in force.

        Those that are told come from ``source``; ``judge`` has second opinions on what waits.
        """
        self._writer = writer
        self._reader = reader
        self._view = view
        self._assessor = Assessor(writer, reader, view, vectoriser)
        self._sweeper = Sweeper(writer, reader, view)
        self._wishes = wishes
        self._source = source
        self._judge = judge

    # --- Feedback and wishes --------------------------------------------------------------------------------------

    def feedback(
        self, retrieval: str, said: Said, store: Callable[[Draft], Memory], rehearse: Callable[[Draft], Memory]
    ) -> Feedback:
        """Take what a caller says about a retrieval; ``store`` keeps the wishes of a complaint.

        ``rehearse`` refuses what it would refuse, before anything is taken.
        """
        wanted = () if said.complaint is None else parse_wishes(said.complaint)
        about = [wish for wish in wanted if wish.topic]
        if said.complaint is not None and not about and said.denial is None:
            msg = 'the complaint says nothing that can be acted on; say for example "that\'s wrong about the trip"'
            raise InvalidInput(msg)
        drafts = [(wish, wish_draft(wish, (), self._writer.now(), self._source)) for wish in about]
        for _, draft in drafts:
            rehearse(draft)
        silent = not said.named() and said.answer is None and said.denial is None
        found = self._assessor.look_up(retrieval) if silent and about else self._assessor.assess(retrieval, said)
        # A complaint that found what was wrong is settled; kept as a wish it would lower what is right about it too.
        kept = [draft for wish, draft in drafts if wish.kind is not WishKind.WRONG or not found.aside]
        used = [item.id for item in found.assessed if item.outcome is Outcome.USED]
        restored = tuple(restore_used(self._writer, used))
        return replace(found, restored=restored, wishes=tuple(store(draft).id for draft in kept))

    def lowered_by(self, text: str, subjects: Iterable[str]) -> list[str]:
        """Return the ids of the memories that the wishes in ``text`` are about, but for those to remember more."""
        wanted = [wish for wish in parse_wishes(text) if wish.topic and wish.kind is not WishKind.MORE]
        if not wanted:
            return []
        state = self._writer.fresh_state()
        with self._view.lock:
            index = self._view.refresh(state)
            return [ident for wish in wanted for ident in self._wishes.concerned(index, wish, subjects)]

    def wish(self, text: str, subjects: tuple[str, ...], store: Callable[[Draft], Memory]) -> tuple[StoredWish, ...]:
        """Keep the wishes that ``text`` holds, each by ``store``; see ``mem.learning.wish``."""
        stored = []
        for wish, draft in wish_drafts(text, subjects, self._writer.now(), self._source):
            memory = store(draft)
            state = self._writer.fresh_state()
            with self._view.lock:
                index = self._view.refresh(state)
                about = tuple(self._wishes.concerned(index, wish, subjects))
            stored.append(StoredWish(memory, wish.kind, wish.topic, about))
        return tuple(stored)

    # --- Conflicts ------------------------------------------------------------------------------------------------

    @property
    def watches(self) -> bool:
        """Return whether the tenant wants conflicts to be looked for at write."""
        return self._writer.state.settings.learning.conflicts != IGNORE

    def watch(self, since: int) -> tuple[FoundConflict, ...]:
        """Look for conflicts of what was stored after the audit sequence ``since``, by the tenant's policy."""
        return self._sweeper.sweep(since, self._writer.state.settings.learning.conflicts)

    def find_conflicts(self, since: int, resolve: str | None) -> tuple[FoundConflict, ...]:
        """Look for conflicts on demand; see ``mem.learning.conflicts``."""
        if resolve is not None and resolve not in POLICIES:
            msg = f"resolve is {str(resolve)[:40]!r}; use {', '.join(POLICIES)}, or leave it out to look only"
            raise InvalidInput(msg)
        return self._sweeper.sweep(since, resolve)

    # --- Pruning and review ---------------------------------------------------------------------------------------

    def plan_pruning(self) -> Plan:
        """Return the plan that takes what has faded."""
        with self._writer.alone():
            found, view = self._faded()
            return plan_of(view, found.candidates)

    def review(self) -> ReviewList:
        """Return what waits for a person, with second opinions of ``models.judge``, for which no writer waits."""
        found = self._waiting()
        pairs = [(pair.preferred, pair.other) for pair in found.conflicts]
        pairs += [(one.id, other) for one in found.proposed for other in one.about]
        opinions, notices = self._judge.opinions(pairs)
        return replace(found, opinions=opinions, notices=notices)

    def _waiting(self) -> ReviewList:
        with self._writer.alone():
            found, _ = self._faded()
            proposed = self._proposed()
            held = (one for one in self._quarantined().values() if one.id not in proposed)
            return ReviewList(
                self._contested(proposed),
                found.review,
                found.candidates,
                tuple(replace(one, reason=self._why(one.id)) for one in held),
                tuple(replace(one, reason=self._why(one.id)) for one in proposed.values()),
            )

    def accept(self, ident: str, forget: Callable[[Plan], Plan]) -> Decision:
        """Do what the list proposes for one memory: the preferred one of a conflict stays, what has faded goes."""
        if ident in self._proposed():
            return Decision(ident, "accepted", self._writer.run(lambda unit: accept_proposal(unit, ident)))
        if ident in self._quarantined():
            return Decision(ident, "removed", self._writer.run(lambda unit: confirm(unit, ident)))
        contested = [pair for pair in self._contested(self._proposed()) if ident in {pair.preferred, pair.other}]
        if contested:
            changed = self._writer.run(lambda unit: _settle(unit, contested))
            return Decision(ident, "superseded", changed)
        with self._writer.alone():
            found, view = self._faded()
            chosen = [one for one in (*found.candidates, *found.review) if one.id == ident]
            plan = plan_of(view, chosen)
        if not plan.actions:
            raise _not_listed(ident, "protected, or still needed by what depends on it" if chosen else None)
        forget(plan)
        return Decision(ident, "forgotten", (ident,))

    def reject(self, ident: str) -> Decision:
        """Refuse what the list proposes for one memory: a conflict is none, and what has nearly faded is kept.

        That a conflict is none is remembered by a ``compatibleWith`` edge, so that no later sweep finds the pair.
        """
        if ident in self._proposed():
            self._writer.run(lambda unit: refuse_proposal(unit, ident))
            return Decision(ident, "refused", (ident,))
        if ident in self._quarantined():
            self._writer.run(lambda unit: restore(unit, unit.node(ident), reason=_REVIEWED))
            # As a use would: otherwise the next trigger takes it again.
            self._keep(ident)
            return Decision(ident, "restored", (ident,))
        contested = [pair for pair in self._contested(self._proposed()) if ident in {pair.preferred, pair.other}]
        if contested:
            changed = self._writer.run(lambda unit: _part(unit, contested))
            return Decision(ident, "no conflict", changed)
        with self._writer.alone():
            found, _ = self._faded()
            if ident not in {one.id for one in (*found.candidates, *found.review)}:
                raise _not_listed(ident)
            self._keep(ident)
        return Decision(ident, "kept", (ident,))

    def _keep(self, ident: str) -> None:
        """Raise a score as a use would, and at least out of what is listed, from now on: it counts as an access."""
        rules = self._writer.state.settings.learning

        def attempt() -> Judged:
            row = self._writer.read("access_state", {"refs": self._reader.refs((ident,))})[0]
            least = min(100, rules.floor + rules.margin)
            after = max(after_use(row["score"], Outcome.USED, rules), least)
            features = (f"score_after={after:.6f}", f"score_before={row['score']:.6f}")
            slot = {"memory": ident, "tier_after": row["tier"], "rule": "kept", "features": features}
            slots = [{**slot, "reason": _REVIEWED}]
            return Judged(slots, {ident: after}, used=1, contradicted=0)

        # The score is what it is worth from its last access on, so the access comes first.
        record_access(self._writer, (ident,))
        record_feedback(self._writer, attempt, ())

    def _quarantined(self) -> dict[str, Quarantined]:
        return {one.id: one for one in quarantined(self._reader, self._writer.tenant)}

    def _proposed(self) -> dict[str, Waiting]:
        """Return what was read from texts and waits, by id, the first to go by itself first."""
        found = self._reader.nodes(self._quarantined())
        return {
            memory.id: waiting(memory, [edge.target for edge in edges if edge.type is EdgeType.CONTRADICTS])
            for memory, edges, _ in found
            if is_waiting(memory)
        }

    def _why(self, ident: str) -> str:
        """Return why a memory is in quarantine, as the record of its last step says."""
        told = (slot_details(record).get(ident, {}) for record in reversed(self._reader.records_of(ident)))
        return next((details["reason"][0] for details in told if "reason" in details), "")

    def _faded(self) -> tuple[Pruning, View]:
        state = self._writer.fresh_state()
        now = self._writer.now()
        view = View(self._writer.engine.read, state, now, self._writer.index_gaps)
        rules = state.settings.learning
        with self._view.lock:
            ids = old_enough(self._view.refresh(state), now, rules)
        return faded(view, self._reader, ids, rules), view

    def _contested(self, proposed: Container[str] = ()) -> tuple[Contested, ...]:
        """Return the pairs of current memories that a ``contradicts`` edge joins, in the order of their sequence.

        What is ``proposed`` only is none of them.
        """
        state = self._writer.fresh_state()
        with self._view.lock:
            index = self._view.refresh(state)
            current = index.columns["alive"] & (index.columns["supersededAt"] == FOREVER)
            pairs = [
                (index.ids[row], other)
                for row in np.flatnonzero(current).tolist()
                if index.ids[row] not in proposed
                for other in sorted(index.facets_of(row, "contradicts"))
                if other in index.rows and current[index.rows[other]]
            ]
        read = {memory.id: memory for memory, _, _ in self._reader.nodes({one for pair in pairs for one in pair})}
        ordered = (sorted((read[one], read[other]), key=_preference) for one, other in pairs)
        found = sorted(ordered, key=lambda pair: (pair[0].sequence, pair[1].sequence))
        return tuple(Contested(preferred.id, other.id) for other, preferred in found)


def _preference(memory: Memory) -> tuple[int, float, int, int]:
    """Order memories by who wins: the newest valid, then the more reliable, then the higher score."""
    return memory.valid_from, memory.reliability, memory.score, memory.sequence


def _settle(unit: Unit, pairs: Iterable[Contested]) -> tuple[str, ...]:
    changed = []
    for pair in pairs:
        winner, loser = unit.node(pair.preferred), unit.node(pair.other)
        if winner.memory.current and loser.memory.current:
            if (EdgeType.CONTRADICTS, winner.memory.id) in loser.edges:
                remove_edge(unit, loser.memory.id, EdgeType.CONTRADICTS, winner.memory.id)
            overrule(unit, winner, loser, "a person decided that the newer one holds")
            changed += [pair.preferred, pair.other]
    return tuple(dict.fromkeys(changed))


def _part(unit: Unit, pairs: Iterable[Contested]) -> tuple[str, ...]:
    """Let two memories stand beside each other from now on: no sweep finds the pair again."""
    changed = []
    details = {"rule": "conflict", "reason": "a person decided that the two do not contradict each other"}
    for pair in pairs:
        for source, target in ((pair.preferred, pair.other), (pair.other, pair.preferred)):
            if (EdgeType.CONTRADICTS, target) in unit.node(source).edges:
                remove_edge(unit, source, EdgeType.CONTRADICTS, target)
                changed.append(source)
        node = unit.node(pair.preferred)
        if (EdgeType.COMPATIBLE_WITH, pair.other) not in node.edges:
            unit.link(node, Edge(pair.preferred, EdgeType.COMPATIBLE_WITH, pair.other, unit.now))
            unit.record(Operation.LINK, node, tier_before=node.memory.tier, details=details)
            changed.append(pair.preferred)
    return tuple(dict.fromkeys(changed))


def _not_listed(ident: str, why: str | None = None) -> InvalidInput:
    msg = f"{ident[:60]} is {why or 'not on the list'}; see what waits with: mars learning review"
    return InvalidInput(msg)
