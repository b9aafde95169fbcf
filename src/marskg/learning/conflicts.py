"""Conflicts between what is stored: found among the likely candidates, and acted on by policy, never silently.

Guarantees: both memories of a conflict stay in the graph; a superseded one keeps its content and history; each action
has a signed record with a reason from a template, without content. What is protected (a pin, an active task and what it
needs) is never superseded here: both stay, marked, for a person. Memories that a derivation, a dependency or another
such edge joins are no candidates, nor are two that a person found compatible. Equal stores give equal results.
Source: MemoryArchitect II.D steps 1, 2 and 5; semantics sections 1 and 5.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from marskg.answer import Answer
from marskg.language.en.quantities import numerals, quantities
from marskg.language.en.withdrawals import takes_out, withdrawals
from marskg.language.speaker_label import without_speaker
from marskg.late_regex import late_regex
from marskg.learning.rules.conflict_detection import ConflictKind, Statement, conflict, find_conflicts
from marskg.learning.rules.resolution import FLAG, Resolution, ResolutionAction, ResolutionRules, resolve
from marskg.learning.wish_reach import WISH
from marskg.ontology.vocabulary import EdgeType, Operation, Tier
from marskg.records import Edge
from marskg.retrieval.index.memory_index import FOREVER, TIERS
from marskg.store.graph.admit import may_supersede, record_followers, supersede
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from marskg.learning.rules.conflict_detection import Conflict
    from marskg.records import Memory
    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.retrieval.index.view import IndexView
    from marskg.store.commit.writer import Writer
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.unit_of_work import Node, Unit

#: Candidates that each way of looking gives for one memory.
CANDIDATES: Final = 20
#: Characters of a text that is compared; a longer one is a passage, or an answer at length, and asserts no one thing.
_LONGEST: Final = 1_000
#: New memories that are compared, and changed, at once.
_PAGE: Final = 100
#: What begins with a thing that has a number: "chapter 2 tells" is of another one than "chapter 3 tells".
_NUMBERED: Final = late_regex(r"\W*(?:the )?[^\W\d_]+ (?:no\.? ?|number |#)?\d+\b", re.IGNORECASE)
#: Edges that say how two memories go together already; that a person found them compatible holds for every sweep.
_JOINING: Final = frozenset(
    {
        EdgeType.DERIVES_FROM,
        EdgeType.DEPENDS_ON,
        EdgeType.SUPERSEDES,
        EdgeType.CONTRADICTS,
        EdgeType.COMPATIBLE_WITH,
        EdgeType.REQUIRES,
    }
)

Read: TypeAlias = "dict[str, tuple[Memory, tuple[Edge, ...]]]"


@dataclass(frozen=True, slots=True)
class FoundConflict(Answer):
    """Two memories that conflict, by id: what was done, who is preferred, how sure it is (1e-6), and why.

    ``action`` is ``supersede``, ``contradicts`` (both stay, joined by an edge) or ``ask`` (the same, and a person is
    asked), or ``none`` where conflicts were only looked for.
    """

    winner: str
    loser: str
    kind: str
    confidence: int
    action: str
    reason: str


def differ(newer: Memory, older: Memory, *, likely: bool = False) -> bool:
    """Return whether, by their words, the two cannot both hold; where that is ``likely``, whether nothing says else.

    Of a passage or an answer at length nobody can tell, and an older one that says two things may hold in the other.
    """
    from marskg.language.spoken import read_pair  # noqa: PLC0415 - the clauses of four languages: only to compare texts

    new, old = (_statement(one, ()) for one in (newer, older))
    texts = (new.text, old.text)
    # What names a day where the older names none may hold from then on only.
    if (
        likely
        and max(map(len, texts)) <= _LONGEST
        and (_days_and_words(old.text)[0] or not _days_and_words(new.text)[0])
    ):
        return True
    read = read_pair(*texts) if max(map(len, texts)) <= _LONGEST else None
    if read is None or len(read[1].clauses) > 1:
        return False
    found = conflict(new, old)
    if found is None or found.kind is not ConflictKind.NUMBER:
        return found is not None
    if any(_NUMBERED.match(one) for one in texts):
        return False
    # Who names a day for another sum may mean from then on: until then the older one holds.
    days, words = zip(*map(_days_and_words, texts), strict=True)
    return all(days) or words[0] <= words[1]


def _days_and_words(text: str) -> tuple[bool, frozenset[str]]:
    """Return whether a text names a day, and its words but for numbers."""
    named = any(one.kind == "date" for one in quantities(text))
    return named, frozenset(one for one in terms(text) if not one[0].isdigit() and one not in numerals())


class Sweeper:
    """Looks for conflicts in one tenant and acts on them."""

    def __init__(self, writer: Writer, reader: GraphReader, view: IndexView) -> None:
        """Look through ``view``, read by ``reader``, write through ``writer``."""
        self._writer = writer
        self._reader = reader
        self._view = view

    def sweep(self, since: int, policy: str | None) -> tuple[FoundConflict, ...]:
        """Return the conflicts of the memories stored after the audit sequence ``since`` with those before them.

        ``policy`` says what is done: ``flag``, or a name of :class:`~marskg.learning.rules.resolution.ConflictPolicy`;
        None changes nothing.
        """
        found: list[FoundConflict] = []
        rules = ResolutionRules.of(self._writer.state.settings.learning, policy or FLAG)
        superseded: set[str] = set()
        for page in self._pages(since):
            resolved = [item for item in self._compare(page, rules) if item.loser.id not in superseded]
            if policy is None:
                found += [_found(item, "none") for item in resolved]
                continue
            done = self._writer.run(lambda unit, items=resolved: act(unit, items, flag=policy == FLAG))  # type: ignore[misc]  # mypy cannot infer a lambda with a default
            superseded |= {item.loser for item in done if item.action == ResolutionAction.SUPERSEDE}
            found += done
        return tuple(found)

    # --- Looking --------------------------------------------------------------------------------------------------

    def _pages(self, since: int) -> Iterator[list[str]]:
        """Yield the ids of what is current and was stored after ``since``, in the order of their sequence."""
        state = self._writer.fresh_state()
        with self._view.lock:
            index = self._view.refresh(state)
            rows = np.flatnonzero(_current(index, self._writer.now()) & (index.columns["sequence"] > since))
            ordered = rows[np.argsort(index.columns["sequence"][rows], kind="stable")]
            ids = [index.ids[row] for row in ordered.tolist()]
        for start in range(0, len(ids), _PAGE):
            yield ids[start : start + _PAGE]

    def _compare(self, page: list[str], rules: ResolutionRules) -> list[Resolution]:
        """Return the conflicts of the memories of ``page`` with what was stored before each."""
        read = self._read(page)
        state = self._writer.fresh_state()
        with self._view.lock:
            index = self._view.refresh(state)
            visible = _current(index, self._writer.now())
            near = {ident: _candidates(index, visible, read[ident][0]) for ident in page if ident in read}
        read |= self._read(sorted({other for ids in near.values() for other in ids} - set(read)))
        resolved: list[Resolution] = []
        for ident, others in near.items():
            memory, edges = read[ident]
            candidates = [
                _statement(*read[other]) for other in others if other in read and not _joined(ident, other, read)
            ]
            new = _statement(memory, edges)
            found = [resolve(new, old, one, rules) for old, one in _conflicts(new, candidates)]
            resolved += found + _partings(new, candidates, {item.loser.id for item in found})
        return resolved

    def _read(self, ids: Iterable[str]) -> Read:
        return {
            memory.id: (memory, edges)
            for memory, edges, _ in self._reader.nodes(ids)
            if memory.content is not None and len(memory.content) <= _LONGEST
        }


def _conflicts(new: Statement, candidates: list[Statement]) -> list[tuple[Statement, Conflict]]:
    return find_conflicts(new, candidates) if candidates else []


def _partings(new: Statement, candidates: Iterable[Statement], settled: set[str]) -> list[Resolution]:
    """Return what ``new`` takes out of lists that earlier statements give; both stay, since the rest of it holds.

    Where lists of several statements have what is taken out, nobody knows which is meant, and all are left alone.
    """
    if not withdrawals(new.text):
        return []
    parted = [old for old in candidates if old.id not in settled and takes_out(new.text, old.text) is not None]
    if len(parted) != 1:
        return []
    made = Resolution(ResolutionAction.CONTRADICTS, new, parted[0], ConflictKind.NEGATION, _TAKEN_OUT, _PARTED)
    return [made]


_TAKEN_OUT: Final = 700_000
_PARTED: Final = "it takes out a part of what the other lists, so both stay and are marked"


def _current(index: MemoryIndex, now: int) -> npt.NDArray[np.bool_]:
    """Return ``[rows]``: what is live, current and no wish."""
    held = index.columns
    found: npt.NDArray[np.bool_] = held["alive"] & (held["tier"] == TIERS.index(Tier.LIVE))
    found &= (held["supersededAt"] == FOREVER) & (held["validTo"] == FOREVER) & (held["expiresAt"] > now)
    return found & ~index.facet("tag", [WISH])


def _candidates(index: MemoryIndex, visible: npt.NDArray[np.bool_], memory: Memory) -> list[str]:
    """Return ids of what was stored before ``memory`` and may be about the same: by words, vectors and entities."""
    row = index.rows.get(memory.id)
    if row is None:
        return []
    mask = visible & (index.columns["sequence"] < memory.sequence)
    if memory.subjects:
        mask &= index.facet("subject", memory.subjects) | ~index.facet("subject", index.facets["subject"])
    lexical = index.lexical.scores(terms(memory.content or ""), mask, index.columns["length"])
    found = set(_best(np.where(lexical > 0, lexical, -np.inf)))
    if index.dimension and index.columns["vectored"][row]:
        similar = index.vectors["vector"] @ index.vectors["vector"][row]
        found |= set(_best(np.where(mask & index.columns["vectored"], similar, -np.inf)))
    named = np.flatnonzero(index.facet("entity", index.facets_of(row, "entity")) & mask)
    found |= set(named[np.argsort(-index.columns["sequence"][named], kind="stable")][:CANDIDATES].tolist())
    return [index.ids[one] for one in sorted(found)]


def _best(values: npt.NDArray[np.float64] | npt.NDArray[np.float32]) -> list[int]:
    """Return the rows of the highest values, those of -inf left out, ties to the earlier row."""
    rows = np.flatnonzero(values > -np.inf)
    best: list[int] = rows[np.argsort(-values[rows], kind="stable")][:CANDIDATES].tolist()
    return best


def _joined(one: str, other: str, read: Read) -> bool:
    """Return whether an edge says how two memories go together already."""
    pairs = ((one, other), (other, one))
    return any(edge.target == to and edge.type in _JOINING for source, to in pairs for edge in read[source][1])


def _statement(memory: Memory, edges: Iterable[Edge]) -> Statement:
    return Statement(
        text=without_speaker(memory.content or "", memory.subjects),
        key=memory.key,
        cardinality=memory.cardinality,
        valid_from=memory.valid_from,
        subjects=frozenset(memory.subjects),
        entities=frozenset(edge.target for edge in edges if edge.type is EdgeType.MENTIONS),
        reliability=memory.reliability,
        score=memory.score,
        sequence=memory.sequence,
        id=memory.id,
    )


def _found(item: Resolution, action: str) -> FoundConflict:
    return FoundConflict(item.winner.id, item.loser.id, item.kind.value, item.confidence, action, item.reason)


# --- Acting ------------------------------------------------------------------------------------------------------


def act(unit: Unit, resolved: Iterable[Resolution], *, flag: bool = False) -> list[FoundConflict]:
    """Do what ``resolved`` says in one unit of work; with ``flag`` both stay, marked, whatever it says.

    Returns what was done; a pair of which one is not current any more is passed over.
    """
    items = list(resolved)
    unit.fetch(sorted({one.id for item in items for one in (item.winner, item.loser)}))
    done = []
    for item in items:
        winner, loser = unit.node(item.winner.id), unit.node(item.loser.id)
        if not (_stands(winner) and _stands(loser)):
            continue
        action = ResolutionAction.CONTRADICTS if flag else item.action
        if action is ResolutionAction.SUPERSEDE and not _may_supersede(unit, winner, loser):
            action = ResolutionAction.ASK
        if action is ResolutionAction.SUPERSEDE:
            overrule(unit, winner, loser, item.reason)
        else:
            mark(unit, winner, loser, item.reason)
        done.append(_found(item, action.value))
    return done


def _stands(node: Node) -> bool:
    return node.has_content and node.memory.current


def _may_supersede(unit: Unit, winner: Node, loser: Node) -> bool:
    """Return whether nothing protects the loser, and superseding it would close no cycle of edges."""
    return loser.guards == 0 and may_supersede(unit, loser, winner)


def overrule(unit: Unit, winner: Node, loser: Node, reason: str) -> None:
    """Let ``winner`` supersede ``loser``, with a record for each that changes."""
    if (EdgeType.CONTRADICTS, loser.memory.id) in winner.edges:
        unit.unlink(winner, EdgeType.CONTRADICTS, loser.memory.id)
    followers = supersede(unit, loser, winner)
    details = {"rule": "conflict", "reason": reason}
    unit.record(Operation.LINK, winner, tier_before=winner.memory.tier, details=details)
    unit.record(Operation.SUPERSEDE, loser, tier_before=loser.memory.tier, details=details)
    record_followers(unit, followers)


def mark(unit: Unit, winner: Node, loser: Node, reason: str) -> None:
    """Join two memories by a ``contradicts`` edge."""
    unit.link(winner, Edge(winner.memory.id, EdgeType.CONTRADICTS, loser.memory.id, unit.now))
    details = {"rule": "conflict", "reason": reason}
    unit.record(Operation.LINK, winner, tier_before=winner.memory.tier, details=details)
