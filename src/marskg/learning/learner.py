"""One tenant's learning: feedback, conflicts, what has faded, wishes, and the list of what waits for a person.

Guarantees: what waits for a person is read from the graph, so that it is the same for whoever asks: memories that a
``contradicts`` edge joins, and memories that have nearly faded. Nothing on the list changes before it is accepted or
rejected, and both are recorded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.control.resolution import ConflictPolicy
from marskg.control.score import Outcome, after_use
from marskg.control.wishes import parse_wishes
from marskg.errors import InvalidInput
from marskg.learning.conflicts import FoundConflict, Sweeper, overrule
from marskg.learning.feedback import Assessor, Feedback, Said
from marskg.learning.pruning import faded, old_enough, plan_of
from marskg.learning.rules import FLAG, IGNORE, rules_of
from marskg.learning.wishes import Heard, concerned, wish_drafts
from marskg.ontology.vocabulary import EdgeType, Operation
from marskg.policies.executor import View
from marskg.records import Edge
from marskg.retrieval.details import slot_details
from marskg.retrieval.index import FOREVER
from marskg.store.access import Judged, record_access, record_feedback
from marskg.store.amend import remove_edge
from marskg.store.comeback import restore_used
from marskg.store.lifecycle import restore
from marskg.store.quarantine import Quarantined, confirm, quarantined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from marskg.control.pruning import Faded, Pruning
    from marskg.drafts import Draft
    from marskg.learning.wishes import Wishes
    from marskg.records import Memory, Plan
    from marskg.retrieval.view import IndexView
    from marskg.store.reader import GraphReader
    from marskg.store.unit import Unit
    from marskg.store.vectors import Vectoriser
    from marskg.store.writer import Writer

_REVIEWED: Final = "kept by a person who reviewed it"
#: What :meth:`Learner.find_conflicts` may do.
POLICIES: Final = (FLAG, *(policy.value for policy in ConflictPolicy))


@dataclass(frozen=True, slots=True)
class Contested:
    """Two current memories, by id, that contradict each other; the preferred one is the newer or the more reliable."""

    preferred: str
    other: str


@dataclass(frozen=True, slots=True)
class ReviewList:
    """What waits for a person, and what a pruning would take without asking.

    ``conflicts``, ``fading`` and ``quarantined`` wait; ``faded`` are what :meth:`Learner.plan_pruning` would take,
    lowest score first.
    """

    conflicts: tuple[Contested, ...]
    fading: tuple[Faded, ...]
    faded: tuple[Faded, ...]
    quarantined: tuple[Quarantined, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person's decision about one memory changed: what was done, and the ids of the memories that changed."""

    id: str
    done: str
    changed: tuple[str, ...]


class Learner:
    """Learns for one tenant."""

    def __init__(
        self, writer: Writer, reader: GraphReader, view: IndexView, vectoriser: Vectoriser, wishes: Wishes
    ) -> None:
        """Record through ``writer``; read by ``reader`` and ``view``; ``wishes`` are those in force."""
        self._writer = writer
        self._reader = reader
        self._view = view
        self._assessor = Assessor(writer, reader, view, vectoriser)
        self._sweeper = Sweeper(writer, reader, view)
        self._wishes = wishes

    # --- Feedback and wishes --------------------------------------------------------------------------------------

    def feedback(self, retrieval: str, said: Said, store: Callable[[Draft], Memory]) -> Feedback:
        """Take what a caller says about a retrieval; ``store`` keeps the wishes of a complaint."""
        complaint = said.complaint
        drafts: list[Draft] = []
        if complaint is not None:
            about = [wish for wish in parse_wishes(complaint) if wish.topic]
            if not about and not said.is_denied:
                msg = 'the complaint says nothing that can be acted on; say for example "that\'s wrong about the trip"'
                raise InvalidInput(msg)
            drafts = [draft for _, draft in wish_drafts(complaint, (), self._writer.now())] if about else []
        silent = not (said.used or said.unused or said.contradicted) and said.answer is None and not said.is_denied
        found = self._assessor.look_up(retrieval) if silent and drafts else self._assessor.assess(retrieval, said)
        used = [item.id for item in found.assessed if item.outcome is Outcome.USED]
        restored = tuple(restore_used(self._writer, used))
        return replace(found, restored=restored, wishes=tuple(store(draft).id for draft in drafts))

    def wish(self, text: str, subjects: tuple[str, ...], store: Callable[[Draft], Memory]) -> tuple[Heard, ...]:
        """Keep the wishes that ``text`` holds; see :meth:`marskg.memory.AgentMemory.wish`."""
        heard = []
        for wish, draft in wish_drafts(text, subjects, self._writer.now()):
            memory = store(draft)
            state = self._writer.fresh_state()
            with self._view.lock:
                index = self._view.refresh(state)
                about = tuple(concerned(index, wish, subjects))
            heard.append(Heard(memory, wish.kind, wish.topic, about))
        return tuple(heard)

    # --- Conflicts ------------------------------------------------------------------------------------------------

    @property
    def watches(self) -> bool:
        """Return whether the tenant wants conflicts to be looked for at write."""
        return self._writer.state.settings.learning["conflicts"] != IGNORE

    def watch(self, since: int) -> tuple[FoundConflict, ...]:
        """Look for conflicts of what was stored after the audit sequence ``since``, by the tenant's policy."""
        return self._sweeper.sweep(since, str(self._writer.state.settings.learning["conflicts"]))

    def find_conflicts(self, since: int, resolve: str | None) -> tuple[FoundConflict, ...]:
        """Look for conflicts on demand; see :meth:`marskg.memory.AgentMemory.find_conflicts`."""
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
        """Return what waits for a person."""
        with self._writer.alone():
            found, _ = self._faded()
            waiting = tuple(replace(one, reason=self._why(one.id)) for one in self._quarantined().values())
            return ReviewList(self._contested(), found.review, found.candidates, waiting)

    def accept(self, ident: str, forget: Callable[[Plan], Plan]) -> Decision:
        """Do what the list proposes for one memory: the preferred one of a conflict stays, what has faded goes."""
        if ident in self._quarantined():
            return Decision(ident, "removed", self._writer.run(lambda unit: confirm(unit, ident)))
        contested = [pair for pair in self._contested() if ident in {pair.preferred, pair.other}]
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
        if ident in self._quarantined():
            self._writer.run(lambda unit: restore(unit, unit.node(ident), reason=_REVIEWED))
            # As a use would: otherwise the next trigger takes it again.
            self._keep(ident)
            return Decision(ident, "restored", (ident,))
        contested = [pair for pair in self._contested() if ident in {pair.preferred, pair.other}]
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
        rules = rules_of(self._writer.state.settings)

        def attempt() -> Judged:
            row = self._writer.read("access_state", {"refs": self._reader.refs((ident,))})[0]
            least = min(100, rules.pruning.floor + rules.pruning.margin)
            after = max(after_use(row["score"], Outcome.USED, rules.score), least)
            features = (f"score_after={after:.6f}", f"score_before={row['score']:.6f}")
            slot = {"memory": ident, "tier_after": row["tier"], "rule": "kept", "features": features}
            slots = [{**slot, "reason": _REVIEWED}]
            return Judged(slots, {ident: after}, used=1, contradicted=0)

        # The score is what it is worth from its last access on, so the access comes first.
        record_access(self._writer, (ident,))
        record_feedback(self._writer, attempt, ())

    def _quarantined(self) -> dict[str, Quarantined]:
        return {one.id: one for one in quarantined(self._reader, self._writer.tenant)}

    def _why(self, ident: str) -> str:
        """Return why a memory is in quarantine, as the record of its last step says."""
        told = (slot_details(record).get(ident, {}) for record in reversed(self._reader.records_of(ident)))
        return next((details["reason"][0] for details in told if "reason" in details), "")

    def _faded(self) -> tuple[Pruning, View]:
        state = self._writer.fresh_state()
        now = self._writer.now()
        view = View(self._writer.engine.read, state, now, self._writer.hollows)
        rules = rules_of(state.settings)
        with self._view.lock:
            ids = old_enough(self._view.refresh(state), now, rules)
        return faded(view, self._reader, ids, rules), view

    def _contested(self) -> tuple[Contested, ...]:
        """Return the pairs of current memories that a ``contradicts`` edge joins, in the order of their sequence."""
        state = self._writer.fresh_state()
        with self._view.lock:
            index = self._view.refresh(state)
            current = index.columns["alive"] & (index.columns["supersededAt"] == FOREVER)
            pairs = [
                (index.ids[row], other)
                for row in np.flatnonzero(current).tolist()
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
    msg = f"{ident[:60]} is {why or 'not on the list'}; see what waits with: mars review"
    return InvalidInput(msg)
