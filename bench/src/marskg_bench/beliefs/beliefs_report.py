"""PrecisionMemBench's figures as tables, and what they must reach.

Guarantees: every kind of pass is shown with the cases of it that count blindness as right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from marskg_bench.beliefs.scoring import ACTIVE, EMPTY, STRUCTURAL
from marskg_bench.common import report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.table import Table

_PROVES: Final = {
    ACTIVE: "what is wanted was found, and it alone",
    STRUCTURAL: "what is not wanted was kept apart",
    EMPTY: "nothing was wanted",
}
#: What must be reached at least: active passes, mean precision and mean recall.
LEAST: Final = (("active passes", 20.0), ("precision", 0.6), ("recall", 0.9))


def reached(found: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    """Yield what must be reached: its name, the figure and the least that is wanted."""
    values = (found["passes"][ACTIVE]["passed"], *(found["shares"][name] for name in ("precision", "recall")))
    for (name, least), value in zip(LEAST, values, strict=True):
        yield f"beliefs, {name}", 0.0 if value is None else value, least


def tables(found: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the passes, the means, and what failed."""
    made = report.table(
        "passes", "", "cases", "passed", "blind cases", "passed", title=f"Beliefs, {found['embedding']}"
    )
    for proves, words in _PROVES.items():
        made.add_row(proves, words, *(str(value) for value in found["passes"][proves].values()))
    yield made
    made = report.table("", "", "precision", "recall", "drift", title="Means")
    made.add_row("questions", "all", *map(_said, found["shares"].values()), "")
    made.add_row("", "without the blind cases", *map(_said, found["shares_without_blind"].values()), "")
    turns = found["sessions"]
    passed = f"{turns['passed']} of {turns['turns']} turns passed"
    made.add_row("sessions", passed, *(_said(turns[name]) for name in ("precision", "recall", "drift")))
    yield made
    made = report.table("failed", "", title="")
    for name in found["failed"]:
        made.add_row(name, "")
    yield made


def _said(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
