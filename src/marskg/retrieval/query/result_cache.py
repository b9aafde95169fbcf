"""Answers that are kept for the same question asked again.

Guarantees: a kept answer is given only to the same principal, for the same question through the same gate, while no
memory was written, changed, scored or erased since, whoever did it, while no memory of the tenant began or ceased to
be valid, and for ``retrieval.cache_life`` at most, as age counts in ranking. What it shows is read anew and passes the
gate again, and is recorded in the access log as ever. Kept in memory only, the most recent ``retrieval.cache`` of them.
Source: MemoryArchitect II.F ("Caching Layer"); semantics sections 4 (I7) and 9.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from marskg.ontology.vocabulary import Operation
from marskg.retrieval.index.memory_index import FOREVER
from marskg.retrieval.query.search import as_named, as_read, summed_up
from marskg.store.rows import codec
from marskg.store.upkeep.access_log import GoneMeanwhileError, current_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.language.questions import Question
    from marskg.language.times import Times
    from marskg.records import Memory
    from marskg.retrieval.access.read_gate import Gate
    from marskg.retrieval.assembly.hits import Hits
    from marskg.retrieval.index.view import IndexView
    from marskg.retrieval.query.search import Request, Search
    from marskg.store.commit.writer import Writer
    from marskg.store.rows.state import TenantState
    from marskg.store.unit.reader import GraphReader

#: What a question is: principal, text, gate without the time, profile, budget, k, conversation, explanation, what is
#: asked of which periods, the periods that it names, and the least confidence.
_Key: TypeAlias = "tuple[str, str, Gate, str, int, int, str | None, bool, Question | None, Times | None, float | None]"

#: Access records since an answer was kept beyond which it is made anew.
_BEHIND: Final = 500
#: What changes a reader's set of memories with time alone.
_TURNS: Final = ("expiresAt", "validTo", "validFrom")


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """An answer, what it was made at, and the time from which the gate would let other memories through."""

    hits: Hits
    sequence: int
    accesses: int
    made: int
    until: int


class Answers:
    """The kept answers of one tenant and principal."""

    def __init__(self, view: IndexView, reader: GraphReader, writer: Writer, search: Search) -> None:
        """Keep nothing yet."""
        self._view = view
        self._reader = reader
        self._writer = writer
        self._search = search
        self._lock = threading.Lock()
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()

    def answer(self, request: Request, guests: Sequence[Search] = ()) -> Hits:
        """Return the kept answer to ``request`` if it still holds, and else a new one; either is recorded.

        What ``guests`` answer as well is not kept: who knows when their tenants change.
        """
        if guests or not self._writer.state.settings.retrieval.cache:
            return self._search.retrieve(request, guests)
        state = self._writer.state  # as it was read for the gate
        key = self._key(request)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None:
            again = self._again(kept, request, state)
            if again is not None:
                with self._lock:
                    # What was shown since is known to have changed no score.
                    self._kept[key] = replace(kept, accesses=state.access_sequence)
                    self._kept.move_to_end(key)
                return again
        hits = self._search.retrieve(request)
        self._keep(key, hits, request.gate.now, state)
        return hits

    def forget(self) -> None:
        """Drop everything."""
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        """Return how many answers are kept."""
        return len(self._kept)

    def _key(self, request: Request) -> _Key:
        return (
            self._writer.services.actor,
            request.query,
            replace(request.gate, now=0),
            request.profile.name,
            request.budget,
            request.k,
            request.conversation,
            request.explain,
            request.question,
            None if request.times is None else request.times.times,
            request.min_confidence,
        )

    def _again(self, kept: _Kept, request: Request, state: TenantState) -> Hits | None:
        """Return a kept answer as it is shown now, recorded; None where it does not hold any more."""
        now = request.gate.now
        if kept.sequence != state.sequence or not kept.made <= now < kept.until or not self._only_shown(kept, state):
            return None
        summed = summed_up(kept.hits.assembled)
        ids = dict.fromkeys([*(hit.memory.id for hit in kept.hits), *summed])
        rows = current_rows(self._writer, self._reader, ids)
        there = {ident: codec.decode_memory(row) for ident, row in rows.items()}
        if not all(ident in there and request.gate.admits(there[ident]) for ident in ids):
            return None
        read = {ident: as_read(memory, request.gate) for ident, memory in there.items()}
        shown = tuple(replace(hit, memory=_as_kept(read[hit.memory.id], hit.memory)) for hit in kept.hits)
        try:
            ident = self._search.record_hits(request, shown, summed=summed)
        except GoneMeanwhileError:
            return None
        return replace(kept.hits, id=as_named(ident, request.gate), hits=shown)

    def _only_shown(self, kept: _Kept, state: TenantState) -> bool:
        """Return whether nothing but showings stands in the access log since: feedback moves scores."""
        tenant = self._writer.tenant
        if state.access_sequence - kept.accesses > _BEHIND:
            return False
        low, high = codec.audit_ref(tenant, "a", kept.accesses + 1), f"{tenant}|a}}"
        rows = self._reader.run("changed", {"low": low, "high": high, "limit": _BEHIND + 1})
        return all(row["operation"] == Operation.ACCESS for row in rows)

    def _keep(self, key: _Key, hits: Hits, now: int, before: TenantState) -> None:
        """Keep an answer that was made at ``before``, unless it is empty, makeshift, or somebody wrote meanwhile."""
        settings = before.settings.retrieval
        with self._view.lock:
            if not hits or hits.notices or self._writer.state.sequence != before.sequence:
                return
            index = self._view.refresh(self._writer.state)
            turns = [index.columns[name] for name in _TURNS]
        later = [int(column[column > now].min(initial=FOREVER)) for column in turns]
        until = min(*later, now + settings.cache_life)
        with self._lock:
            self._kept[key] = _Kept(hits, before.sequence, before.access_sequence, now, until)
            self._kept.move_to_end(key)
            while len(self._kept) > settings.cache:
                self._kept.popitem(last=False)


def _as_kept(memory: Memory, kept: Memory) -> Memory:
    """Return a memory read anew, of which its reader gets what they got before: what it says may be redacted."""
    return replace(memory, content=kept.content, payload=kept.payload, metadata=kept.metadata)
