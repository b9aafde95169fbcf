"""What became of the memories that a retrieval showed: outcomes, new scores, longer lives.

Guarantees: an outcome is only taken for a memory that the named retrieval showed, and once for each retrieval; scores
change in one signed record of the access log with a slot for each memory, without content; a longer life is a governed
change with a record of its own, never past the legal horizon nor past what the memory depends on. Which outcomes move a
score is :mod:`marskg.learning.rules.lessons`: silence moves none. What the user's complaint disproves is put aside as
well, in a record of its own. Memories that were neither named nor judged by an answer keep their score; those whose
content is gone meanwhile, and those of a shared tenant, are passed over. Source: MemoryArchitect II.D; semantics
sections 12 and 13.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from marskg.answer import Answer
from marskg.errors import EmbeddingUnavailable, InvalidInput
from marskg.language.en.wish_phrases import parse_wishes
from marskg.language.en.withdrawals import left_of
from marskg.language.wish_kinds import WishKind
from marskg.learning.rules.conflict_detection import Statement
from marskg.learning.rules.fading import extended_expiry
from marskg.learning.rules.lessons import Case, Denial, draw
from marskg.learning.rules.score import Outcome, after_use
from marskg.learning.rules.usage_detection import Meaning, UsageRules, find_usage
from marskg.ontology.vocabulary import EdgeType, MemoryClass, Operation
from marskg.retrieval.details import slot_details
from marskg.retrieval.index.turns import is_turn
from marskg.store.commit.pending_access import provisional_name
from marskg.store.rows import codec
from marskg.store.upkeep.access_log import Judged, record_feedback
from marskg.store.upkeep.auto_restore import set_aside
from marskg.text import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.config import LearningSettings
    from marskg.learning.rules.lessons import Lessons
    from marskg.learning.rules.usage_detection import Usage
    from marskg.records import AuditRecord, Edge, Memory
    from marskg.retrieval.index.view import IndexView
    from marskg.store.commit.writer import Writer
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.unit_of_work import Node, Unit
    from marskg.store.unit.vectors import Vectoriser

_MILLION: Final = 1_000_000
#: Records of the access log that are looked through at once for an earlier feedback.
_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Assessed:
    """One memory that was assessed: what became of it, its score before and after, and why, in words."""

    id: str
    outcome: Outcome
    score_before: int
    score_after: int
    reason: str


@dataclass(frozen=True, slots=True)
class Feedback(Answer):
    """What a feedback changed.

    ``id`` names its record, None if there was nothing to record; ``retrieval`` is the record of the showing.
    ``extended`` are ids of the memories that live longer now, ``restored`` of those that were latent and are live,
    ``aside`` of those that the complaint disproved and that are latent now, ``passed`` of those judged that keep their
    score, as nothing is learned from silence, ``gone`` of those named whose content is gone, ``shared`` of those named
    that belong to a shared tenant, whose statistics no subscriber changes, ``wishes`` of the wishes that the complaint
    was stored as.
    """

    id: str | None
    retrieval: str
    assessed: tuple[Assessed, ...]
    extended: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    wishes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """What a caller says about one retrieval; the three sets of ids, and the answer with its question."""

    used: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    answer: str | None = None
    question: str = ""
    complaint: str | None = None

    def named(self) -> dict[str, Outcome]:
        """Return the outcome of each memory that is named.

        Raises:
            InvalidInput: a memory is named twice.
        """
        found: dict[str, Outcome] = {}
        for outcome, ids in (
            (Outcome.USED, self.used),
            (Outcome.UNUSED, self.unused),
            (Outcome.CONTRADICTED, self.contradicted),
        ):
            for ident in dict.fromkeys(ids):
                if ident in found:
                    msg = f"{ident[:60]} is named as {found[ident]} and as {outcome}; give each memory one outcome"
                    raise InvalidInput(msg)
                found[ident] = outcome
        return found

    @property
    def denial(self) -> Denial | None:
        """Return what the complaint says is wrong, None where it says nothing of the kind."""
        wishes = () if self.complaint is None else parse_wishes(self.complaint)
        wrong = tuple(wish for wish in wishes if wish.kind is WishKind.WRONG)
        return Denial(self.complaint or "", wrong, self.question) if wrong else None


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What became of one memory, by which evidence (``name=value``), and why."""

    outcome: Outcome
    numbers: tuple[str, ...]
    reason: str


class Assessor:
    """Takes feedback for one tenant."""

    def __init__(self, writer: Writer, reader: GraphReader, view: IndexView, vectoriser: Vectoriser) -> None:
        """Record through ``writer``; read memories anew by ``reader``; keep ``view`` up."""
        self._writer = writer
        self._reader = reader
        self._view = view
        self._vectoriser = vectoriser

    def assess(self, retrieval: str, said: Said) -> Feedback:
        """Take ``said`` about ``retrieval``; see :meth:`marskg.memory.AgentMemory.feedback`."""
        rules = self._writer.state.settings.learning
        named = said.named()
        if not named and said.answer is None and said.denial is None:
            msg = "the feedback says nothing; name what was used, unused or contradicted, or give the answer"
            raise InvalidInput(msg)
        showing = self._showing(retrieval)
        shared = _of_shared(showing) - set(showing.memories)
        foreign = [ident for ident in named if ident not in showing.memories and ident not in shared]
        if foreign:
            msg = f"{foreign[0][:60]} was not shown by {retrieval[:120]}; name memories that are among its hits"
            raise InvalidInput(msg)
        shown = _as_shown(self._reader.nodes(showing.memories))
        verdicts, lessons = self._verdicts(said, named, shown, _bearing(showing), rules)
        assessed: list[Assessed] = []

        def attempt() -> Judged:
            self._refuse_second(showing)
            assessed[:], slots = self._scored(verdicts, rules)
            outcomes = [item.outcome for item in assessed]
            return Judged(
                slots,
                {item.id: item.score_after for item in assessed},
                used=outcomes.count(Outcome.USED),
                contradicted=outcomes.count(Outcome.CONTRADICTED),
            )

        record = None
        if verdicts:
            state = record_feedback(self._writer, attempt, (f"retrieval={showing.iri}",))
            record = f"{state.access_log}#{state.access_sequence}"
        there = {memory.id for memory in shown}
        return Feedback(
            id=record,
            retrieval=showing.iri,
            assessed=tuple(assessed),
            extended=self._extend(assessed, rules),
            aside=tuple(set_aside(self._writer, lessons.disproved)),
            passed=lessons.passed,
            gone=tuple(ident for ident in named if ident not in there and ident not in shared),
            shared=tuple(ident for ident in named if ident in shared),
        )

    def look_up(self, retrieval: str) -> Feedback:
        """Return a feedback that changes nothing, on a retrieval that exists.

        Raises:
            InvalidInput: it names no retrieval.
        """
        return Feedback(None, self._showing(retrieval).iri, ())

    # --- The showing ----------------------------------------------------------------------------------------------

    def _showing(self, retrieval: object) -> AuditRecord:
        """Return the record of a showing by its name."""
        with self._writer.alone():
            state = self._writer.fresh_state()
            name = self._writer.shared.pending.renamed(retrieval) if isinstance(retrieval, str) else ""
        log, _, place = name.rpartition("#")
        number, provisional, _ = place.partition("-")
        digits = number.isascii() and number.isdigit() and len(number) < _LONG
        known = log == state.access_log and digits and 1 <= int(number) <= state.access_sequence
        found = self._reader.records("a", int(number)) if known else ()
        record = next(iter(found), None)
        # A number may have gone to another record, after a crash or to another process.
        if record is None or (provisional and name != provisional_name(record)):
            msg = (
                f"{str(retrieval)[:120]!r} names no retrieval of tenant {state.name!r}; "
                "give the id of what retrieve(), recall() or read_all() returned"
            )
            raise InvalidInput(msg)
        if record.operation is not Operation.ACCESS:
            msg = f"{record.iri} records no showing but {record.operation}; give the id of a retrieval"
            raise InvalidInput(msg)
        return record

    def _refuse_second(self, showing: AuditRecord) -> None:
        """Refuse a second feedback on one showing: a score would move twice for one use."""
        tenant = self._writer.tenant
        high, last = f"{tenant}|a}}", showing.sequence
        while True:
            low = codec.audit_ref(tenant, "a", last + 1)
            rows = self._reader.run("changed", {"low": low, "high": high, "limit": _PAGE})
            for row in rows:
                shared = not set(showing.memories).isdisjoint(row["memories"] or ())
                if shared and row["operation"] == Operation.FEEDBACK and self._is_about(row["sequence"], showing.iri):
                    msg = (
                        f"there is feedback on {showing.iri} already; it counts once: give feedback on a new retrieval"
                    )
                    raise InvalidInput(msg)
            if len(rows) < _PAGE:
                return
            last = rows[-1]["sequence"]

    def _is_about(self, sequence: int, showing: str) -> bool:
        record = next(self._reader.records("a", sequence))
        return f"retrieval={showing}" in slot_details(record).get("", {}).get("parameters", ())

    # --- Outcomes -------------------------------------------------------------------------------------------------

    def _verdicts(
        self,
        said: Said,
        named: Mapping[str, Outcome],
        shown: Sequence[Memory],
        bearing: frozenset[str],
        rules: LearningSettings,
    ) -> tuple[dict[str, _Verdict], Lessons]:
        """Return what became of each memory whose score moves, and all that the showing teaches."""
        usage = UsageRules.of(rules)
        told = {} if said.answer is None else self._told(said, shown, usage)
        cases = [
            Case(
                _statement(memory),
                named.get(memory.id, told[memory.id].outcome if memory.id in told else None),
                named=memory.id in named,
                bears=memory.id in bearing,
                spoken=is_turn(memory.kind, memory.session),
            )
            for memory in shown
        ]
        lessons = draw(cases, said.denial, usage.contradicted_from)
        found = {}
        for ident, (outcome, because) in lessons.outcomes.items():
            by = "named by the caller" if ident in named else "by the words of the answer"
            numbers = _numbers(told[ident]) if ident in told and ident not in named else ()
            found[ident] = _Verdict(outcome, numbers, f"{outcome}: {because or by}")
        return found, lessons

    def _told(self, said: Said, shown: Sequence[Memory], rules: UsageRules) -> dict[str, Usage]:
        """Return what the words of the answer say of each memory that was shown."""
        pairs = [(memory.id, memory.content or "") for memory in shown]
        meaning = self._meaning(said.answer or "", said.question, shown)
        usages = find_usage(said.answer or "", pairs, said.question, meaning=meaning, rules=rules)
        return {usage.id: usage for usage in usages}

    def _meaning(self, answer: str, question: str, shown: Sequence[Memory]) -> Meaning | None:
        """Return vectors of the answer's sentences, of the question and of what was shown; None without a model."""
        said = sentences(answer)
        try:
            model = self._vectoriser.model
            if model is None or not said:
                return None
            made = model.embed([*said, question] if question else said)
        except EmbeddingUnavailable:
            return None
        state = self._writer.fresh_state()
        with self._view.lock:
            index = self._view.refresh(state)
            if index.dimension != made.shape[1]:
                return None
            memories = np.zeros((len(shown), index.dimension), dtype=np.float32)
            for place, memory in enumerate(shown):
                row = index.rows.get(memory.id)
                if row is not None:
                    memories[place] = index.vectors["vector"][row]
        return Meaning(made[: len(said)], memories, made[-1] if question else None, model.name)

    def _scored(
        self, verdicts: Mapping[str, _Verdict], rules: LearningSettings
    ) -> tuple[list[Assessed], list[dict[str, Any]]]:
        """Return each memory with its new score, and the slots of the record."""
        refs = self._reader.refs(verdicts)
        rows = {row["id"]: row for row in self._writer.read("access_state", {"refs": refs})}
        assessed, slots = [], []
        for ident, verdict in verdicts.items():
            row = rows.get(ident)
            if row is None or row["tier"] not in _WITH_CONTENT:
                continue
            after = after_use(row["score"], verdict.outcome, rules)
            assessed.append(Assessed(ident, verdict.outcome, row["score"], after, verdict.reason))
            scores = (f"score_after={after:.6f}", f"score_before={row['score']:.6f}")
            slots.append(
                {
                    "memory": ident,
                    "tier_after": row["tier"],
                    "rule": verdict.outcome.value,
                    "features": (*verdict.numbers, *scores),
                    "reason": verdict.reason,
                }
            )
        return assessed, slots

    # --- Longer lives ---------------------------------------------------------------------------------------------

    def _extend(self, assessed: Iterable[Assessed], rules: LearningSettings) -> tuple[str, ...]:
        """Let the memories that proved themselves once more live longer."""
        proven = {
            item.id: item.score_after
            for item in assessed
            if item.outcome is Outcome.USED and item.score_after >= rules.proven
        }
        if not proven:
            return ()
        return self._writer.run(lambda unit: _extend(unit, proven, rules))


def _as_shown(nodes: Iterable[tuple[Memory, Sequence[Edge], str | None]]) -> list[Memory]:
    """Return what was shown and is there still, a list without what another one that was shown takes out of it."""
    found = {memory.id: (memory, edges) for memory, edges, _ in nodes if memory.content is not None}
    against: dict[str, list[str]] = {}
    for memory, edges in found.values():
        for edge in edges:
            if edge.type is EdgeType.CONTRADICTS:
                against.setdefault(edge.target, []).append(memory.content or "")
    return [
        replace(memory, content=left_of(memory.content or "", against[ident])) if ident in against else memory
        for ident, (memory, _) in found.items()
    ]


def _statement(memory: Memory) -> Statement:
    """Return a memory as it is compared with what was said and with what was shown beside it."""
    return Statement(
        text=memory.content or "",
        key=memory.key,
        cardinality=memory.cardinality,
        subjects=frozenset(memory.subjects),
        id=memory.id,
    )


def _numbers(usage: Usage) -> tuple[str, ...]:
    numbers = {"conflict": usage.conflict, "overlap": usage.overlap, "similarity": usage.similarity}
    return tuple(f"{name}={value / _MILLION:.6f}" for name, value in numbers.items())


def _bearing(showing: AuditRecord) -> frozenset[str]:
    """Return the ids of what a retrieval showed because it cleared the floor of relevance by itself.

    What was shown in a complete reading, around an entity, as the base of another or in a summary answers no question
    by itself. A ranked memory that did not clear the floor has ``relevant=0`` among the numbers of its slot; where a
    record says nothing of it, there was no floor.
    """
    slots = slot_details(showing)
    if "call=retrieve" not in slots.get("", {}).get("parameters", ()):
        return frozenset()
    numbers = {
        ident: dict(text.split("=", 1) for text in slots.get(ident, {}).get("features", ()))
        for ident in showing.memories
    }
    return frozenset(
        ident for ident, own in numbers.items() if float(own.get("rank", 0)) > 0 and float(own.get("relevant", 1)) > 0
    )


def _of_shared(showing: AuditRecord) -> set[str]:
    """Return the ids of what a retrieval showed of shared tenants: ``shared=TENANT:ID`` in its record."""
    parameters = slot_details(showing).get("", {}).get("parameters", ())
    return {text.partition(":")[2] for text in parameters if text.startswith("shared=")}


_WITH_CONTENT: Final = frozenset({"live", "latent"})
#: Digits of a sequence number that no log reaches.
_LONG: Final = 19


def _extend(unit: Unit, proven: Mapping[str, int], rules: LearningSettings) -> tuple[str, ...]:
    """Extend the lives of ``proven`` (id → score) inside a unit of work; returns the ids whose life became longer."""
    unit.fetch(sorted(proven))
    extended = []
    for ident in sorted(proven):
        node = unit.nodes.get(ident)
        wanted = None if node is None else _longer(unit, node, proven[ident], rules)
        if node is None or wanted is None:
            continue
        unit.change(node, expires_at=wanted)
        reason = f"its score of {proven[ident]} proves it useful: it lives longer"
        details = {"rule": "proven", "reason": reason}
        unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details=details)
        extended.append(ident)
    return tuple(extended)


def _longer(unit: Unit, node: Node, score: int, rules: LearningSettings) -> int | None:
    """Return the later end of a node's life, or None where it stays.

    A life that was given shorter than its class's was meant to be short; private, use-bound and session-bound memories
    have an end of another kind, and a summary ends line by line, with what is behind each.
    """
    memory = node.memory
    life = unit.state.settings.life(memory.memory_class)
    bound = memory.use_bound or memory.session_bound or memory.memory_class is MemoryClass.PRIVATE
    bound = bound or bool(memory.summary_lines)
    if memory.expires_at is None or life is None or bound or not node.has_content:
        return None
    if memory.expires_at < memory.created + life:
        return None
    horizon = None if rules.legal_horizon is None else memory.created + rules.legal_horizon
    wanted = extended_expiry(memory.expires_at, score, life, unit.now, legal_horizon=horizon, rules=rules)
    bases = node.targets(EdgeType.DEPENDS_ON)
    unit.fetch(bases)
    limits = [end for base in bases if (end := unit.node(base).memory.expires_at) is not None]
    wanted = min([wanted, *limits]) if wanted is not None else None
    return wanted if wanted is not None and wanted > memory.expires_at else None
