"""The tables of ``docs/reference/forgetting-bench.md``, made of what ``mars bench forgetting --save`` wrote.

Guarantees: what stands between the two marks of the page is replaced, and nothing else; budgets at which no policy is
ever asked, as they hold everything, are one column. Run ``python scripts/forgetting_page.py FILE.json`` from the root.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PAGE: Final = Path("docs/reference/forgetting-bench.md")
BEGIN, END = "<!-- tables -->", "<!-- end of tables -->"
_CHANCE: Final = "random-drop"


def ample(policies: Mapping[str, Any]) -> list[str]:
    """Return the budgets at which all policies come to the same, as none is asked."""
    budgets = list(next(iter(policies.values())))
    return [budget for budget in budgets if len({json.dumps(cells[budget]) for cells in policies.values()}) == 1]


def span(figure: Mapping[str, float]) -> str:
    """Return a mean with its interval, in per cent."""
    return f"{figure['mean'] * 100:.1f} [{figure['low'] * 100:.1f}, {figure['high'] * 100:.1f}]"


def table(heads: list[str], rows: Iterator[list[str]]) -> Iterator[str]:
    """Yield a table in Markdown."""
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def counted(cell: Mapping[str, float]) -> list[str]:
    """Return what FAMA is made of, and what the store holds."""
    shares = [f"{cell[name] * 100:.1f}" for name in ("presence", "stale")]
    return shares + [f"{cell[name]:,.0f}" for name in ("tokens", "weight", "memories", "summaries", "refused")]


def section(period: str, found: Mapping[str, Any], questions: int) -> Iterator[str]:
    """Yield what is told of one period."""
    (depth,) = found["depths"]
    policies = found["depths"][depth]
    most = ample(policies)
    budgets = [budget for budget in next(iter(policies.values())) if budget not in most]
    heads = [f"{int(budget):,}" for budget in budgets]
    people = f"{len(found['personas'])} of {found['wanted']} personas, {questions} questions, k = {depth}"
    yield from (f"### {period.capitalize()}, {people}", "", "FAMA in per cent, with 95 % intervals over personas:", "")
    more = ["more"] if most else []
    yield from table(
        ["policy", *heads, *more],
        ([name, *(span(cells[b]["fama"]) for b in [*budgets, *most[:1]])] for name, cells in policies.items()),
    )
    if most:
        every = ", ".join(f"{int(budget):,}" for budget in most)
        yield from (
            f"*More* is {every} tokens: each holds all that a persona weighs, so that nothing is ever forgotten.",
            "",
        )
    yield from ("Difference to `random-drop` in points, persona by persona:", "")
    others = {name: cells for name, cells in policies.items() if name != _CHANCE}
    yield from table(
        ["policy", *heads],
        ([name, *(span(cells[b]["over_random_drop"]) for b in budgets)] for name, cells in others.items()),
    )
    yield from ("What FAMA is made of, and what the store holds at the end:", "")
    rows = [[name, f"{int(b):,}", *counted(cells[b])] for name, cells in policies.items() for b in budgets]
    rows += [["any", "more", *counted(next(iter(policies.values()))[most[0]])]] if most else []
    columns = ("policy", "budget", "presence", "stale", "tokens shown", "held", "memories", "summaries", "refused")
    yield from table([*columns], iter(rows))


def main() -> None:
    """Write the tables into the page."""
    document = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    lines: list[str] = []
    for period, found in document["periods"].items():
        people = document["runs"][period].values()
        asked = sum(next(iter(next(iter(budgets.values())).values()))["questions"] for budgets in people)
        lines += section(period, found, asked)
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    body = "\n".join(lines)
    PAGE.write_text(f"{before}{BEGIN}\n\n{body}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
