"""What retrieval leaves out when many read at once, in a stated order.

Guarantees: nothing is left out up to ``shed_at`` concurrent reads; above it one step more for each further quarter of
``shed_at`` (at least one read): the numbers that explain, then the conversation's summary, then the walk over the
graph, then the search by words where there are vectors to search by. The gate, the budget and the access record are
never left out. Source: MemoryArchitect II.F ("Load Shedding Policies").
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import replace
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.retrieval.query.search import Request


class Step(IntEnum):
    """What is left out, in this order: each step with all before it."""

    NOTHING = 0
    EXPLANATION = 1
    SUMMARY = 2
    GRAPH = 3
    LEXICAL = 4


#: How a notice calls what was left out.
WORDS = ("", "explanation numbers", "conversation summary", "graph walk", "lexical search")


class Load:
    """Counts the reads that are under way."""

    def __init__(self) -> None:
        """Start with none."""
        self._lock = threading.Lock()
        self._reads = 0

    @contextmanager
    def read(self) -> Iterator[int]:
        """Count one read, and give how many there are with it."""
        with self._lock:
            self._reads += 1
            reads = self._reads
        try:
            yield reads
        finally:
            with self._lock:
                self._reads -= 1

    @property
    def reads(self) -> int:
        """Return how many reads are under way."""
        with self._lock:
            return self._reads


def step(reads: int, shed_at: int | None) -> Step:
    """Return what ``reads`` concurrent reads leave out."""
    if shed_at is None or reads <= shed_at:
        return Step.NOTHING
    further = (reads - shed_at - 1) // max(1, shed_at // 4)
    return Step(min(1 + further, Step.LEXICAL))


def notice(reads: int, shed_at: int | None, left_out: Step) -> str:
    """Return what to tell the caller of an answer that something was left out of."""
    words = ", ".join(WORDS[1 : left_out + 1])
    return f"left out under load ({reads} reads at once, lean.shed_at is {shed_at}): {words}"


def lighter(request: Request, left_out: Step) -> Request:
    """Return the request without what ``left_out`` and the steps before it leave out."""
    without = {name for name, at in (("graph", Step.GRAPH), ("lexical", Step.LEXICAL)) if left_out >= at}
    share = 0.0 if left_out >= Step.SUMMARY else request.assembly.summary_share
    return replace(
        request,
        brief=left_out >= Step.EXPLANATION,
        assembly=replace(request.assembly, summary_share=share),
        profile=replace(request.profile, without=request.profile.without | without),
    )
