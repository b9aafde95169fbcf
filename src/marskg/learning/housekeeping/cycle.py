"""One pass of housekeeping: expire, cap, archive, shorten, sign.

Guarantees: what leaves the live tier by a rule leaves it by one plan and the one executor, with a reason in the audit;
a dry run makes the same plan and changes nothing. A shortened memory is a new version of the same fact, from the same
time, word for word parts of it; the long one is archived in the same transaction. Each step is whole or absent; a pass
that is cut off is taken up by the next one. Source: MemoryArchitect II.F; semantics sections 3, 5 and 10.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.answer import Answer
from marskg.errors import StalePlan
from marskg.learning.housekeeping.retention_trim import live, shortenable, trim
from marskg.policies.executor import View, apply
from marskg.retrieval.assembly.excerpt import excerpt
from marskg.store.graph.preference_backfill import put_unused_aside
from marskg.store.upkeep import maintenance, use_and_session_expiry
from marskg.store.upkeep.seal import seal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.records import Plan, TreeHead
    from marskg.store.commit.merkle_log import Ledger
    from marskg.store.commit.writer import Writer
    from marskg.store.ingest.ingestor import Ingestor
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.unit_of_work import Unit
    from marskg.weight import TokenCounter

#: How often a plan is made again because another process wrote meanwhile.
_ATTEMPTS: Final = 10
#: More expired memories than this are counted as this many in a dry run.
_COUNTED: Final = 100_000


@dataclass(frozen=True, slots=True)
class Upkeep(Answer):
    """What a pass did, or would do: see :meth:`marskg.memory.AgentMemory.maintain`.

    ``expired`` and ``used`` are numbers of memories, ``sealed`` of records of the audit whose details went by
    ``keep_details``, ``shortened`` the ids of the long versions; ``head`` is the head
    that was signed, None where no record was without one; ``notices`` tell what the caller should know.
    """

    expired: int
    used: int
    plan: Plan
    shortened: tuple[str, ...]
    head: TreeHead | None
    applied: bool
    sealed: int = 0
    notices: tuple[str, ...] = ()


class Housekeeper:
    """Keeps one tenant lean."""

    def __init__(
        self, writer: Writer, reader: GraphReader, ingestor: Ingestor, counter: TokenCounter, ledger: Ledger
    ) -> None:
        """Write through ``writer`` and ``ingestor``, read by ``reader``, weigh by ``counter``, sign by ``ledger``."""
        self._writer = writer
        self._reader = reader
        self._ingestor = ingestor
        self._counter = counter
        self._ledger = ledger

    def look(self) -> Upkeep:
        """Return what a pass would do now; nothing is changed."""
        plan, view, shorten = self._planned()
        bounds_ = {"low": f"{view.tenant}|", "high": f"{view.tenant}}}"}
        due = {"low": bounds_["low"], "high": f"{view.tenant}|{view.now + 1:016x}", "limit": _COUNTED}
        used = len(self._writer.read("used_up", bounds_))
        shortened = tuple(ident for ident, _ in self._excerpts(shorten))
        sealed = self._sealed(dry_run=True)
        return Upkeep(
            len(self._writer.read("due", due)),
            used,
            plan,
            shortened,
            None,
            applied=False,
            sealed=sealed,
            notices=maintenance.notices_of(self._writer),
        )

    def run(self) -> Upkeep:
        """Do one pass.

        Raises:
            StalePlan: other writers never left it the time between plan and transaction.
        """
        expired = maintenance.settle(self._writer, force=True)
        used = use_and_session_expiry.expire_left_over(self._writer)
        self._writer.run(put_unused_aside)
        plan = self._trimmed()
        _, _, shorten = self._planned()
        shortened = tuple(ident for ident, text in self._excerpts(shorten) if self._shorten(ident, text))
        sealed = self._sealed(dry_run=False)
        notices = maintenance.notices_of(self._writer)
        return Upkeep(expired, used, plan, shortened, self._signed(), applied=True, sealed=sealed, notices=notices)

    def _planned(self) -> tuple[Plan, View, list[str]]:
        """Return the plan on the store as it stands, its view, and what may be shortened besides."""
        with self._writer.alone():
            state = self._writer.fresh_state()
            now, state = state.at(self._writer.services.clock.read())
            view = View(self._writer.engine.read, state, now, self._writer.index_gaps)
            memories = live(view)
            limit = state.settings.latent_budget
            plan = trim(view, memories, None if limit is None else max(0, limit - state.latent_weight))
        return plan, view, shortenable(view, memories, [action.id for action in plan.actions])

    def _trimmed(self) -> Plan:
        """Make the plan and carry it out."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._trim()
            except StalePlan:
                self._writer.forget_cache()
        return self._trim()

    def _trim(self) -> Plan:
        with self._writer.alone():
            plan, _, _ = self._planned()
            if plan.actions:
                self._writer.run(lambda unit: apply(unit, plan))
            return plan

    def _excerpts(self, ids: list[str]) -> Iterator[tuple[str, str]]:
        """Yield what is to be shortened with its excerpt, as far as one says enough."""
        limit = self._writer.state.settings.lean.compress_longer_than // 2
        for ident in ids:
            for memory, _, _ in self._reader.nodes([ident]):
                if memory.content is None:
                    continue
                found = excerpt(memory.content, limit, self._counter, source=memory.source_type)
                if found is not None and found.shortened:
                    yield ident, found.text

    def _shorten(self, ident: str, text: str) -> bool:
        """Replace one memory by its excerpt; False where it changed or went meanwhile, or there is no room for it."""
        state = self._writer.state
        limit = state.settings.latent_budget
        weight = sum(memory.weight for memory, _, _ in self._reader.nodes([ident]))

        def still(unit: Unit) -> bool:
            unit.fetch([ident])
            node = unit.nodes.get(ident)
            return (
                node is not None and node.has_content and node.memory.current and not node.guards and not node.blockers
            )

        if limit is not None and state.latent_weight + weight > limit:
            return False
        return self._ingestor.shorten(ident, text, still)

    def _sealed(self, *, dry_run: bool) -> int:
        """Seal what is older than the settings want to keep the details of; returns how many records that is."""
        kept = self._writer.state.settings.keep_details
        if kept is None:
            return 0
        done = seal(self._writer, self._reader, self._writer.now() - kept, dry_run=dry_run)
        return done.transitions + done.accesses

    def _signed(self) -> TreeHead | None:
        """Sign a head if there is a record without one."""
        with self._writer.alone():
            state = self._writer.state
            heads = self._reader.heads(state.log)
            if heads and heads[-1].size >= state.sequence:
                return None
            return self._ledger.sign_head(self._writer)
