"""PrecisionMemBench played from its folder: every case on one store, every session on another.

Guarantees: the sessions run one after another on a store of their own, each turn asked before what is learned in it is
told; no text is in any figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marskg_bench.beliefs import layout
from marskg_bench.beliefs.playing import opened
from marskg_bench.beliefs.scoring import drifted, figures, judged

if TYPE_CHECKING:
    from pathlib import Path

    from marskg_bench.beliefs.layout import Turn
    from marskg_bench.beliefs.playing import Store
    from marskg_bench.beliefs.scoring import Drift
    from marskg_bench.common.progress import Say


def run(folder: Path, embedding: str, say: Say) -> dict[str, Any]:
    """Return the figures of the benchmark in ``folder`` with the model ``embedding``.

    Raises:
        InvalidDocument: a file breaks the layout.
        EngineUnavailable: the embedded engine cannot be opened.
        MarsError: the product refuses a belief or a question.
    """
    data = layout.read(folder)
    pinned = frozenset(one.ident for one in data.beliefs if one.pinned and one.user == layout.ASKER)
    users = {layout.ASKER, *(case.user for case in data.cases)}
    say(f"{len(data.cases)} questions")
    with opened(data.beliefs, users, embedding) as store:
        outcomes = [judged(case, store.show(case), pinned) for case in data.cases]
    say(f"{len(data.sessions)} sessions")
    with opened(data.beliefs, users, embedding) as store:
        drifts = [_played(store, turn) for session in data.sessions for turn in session]
    return {"embedding": embedding, "beliefs": len(data.beliefs), **figures(outcomes, drifts)}


def _played(store: Store, turn: Turn) -> Drift:
    """Ask what a turn asks, and tell the store what is learned in it."""
    drift = drifted(turn.case, store.show(turn.case))
    if turn.told is not None:
        store.tell(turn.told)
    if turn.renamed is not None:
        store.rename(*turn.renamed)
    return drift
