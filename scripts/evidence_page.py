"""The tables of ``docs/reference/evidence-bench.md``, made of what ``mars bench retrieval --data FILE --save`` wrote.

Guarantees: what stands between the two marks of the page is replaced, and nothing else; a page that is not there yet is
begun. Run ``python scripts/evidence_page.py NAME=FILE.json [NAME=FILE.json …]`` from the root: a section for each file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

PAGE: Final = Path("docs/reference/evidence-bench.md")
BEGIN, END = "<!-- tables -->", "<!-- end of tables -->"
_WHOLE: Final = "overall"
_NEW: Final = f"""# Evidence in conversations over months

What the bench of retrieval finds on LoCoMo; [what is measured](bench.md#evidence-in-conversations-over-months) and
beside what. Nothing of the benchmark is in this repository.

{BEGIN}
{END}
"""


def table(heads: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    """Yield a table in Markdown."""
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def share(value: float | None) -> str:
    """Return a share in per cent."""
    return "–" if value is None else f"{value * 100:.1f}"


def _evidence(cells: Mapping[str, float]) -> str:
    return f"{share(cells['evidence'])} ({share(cells['any_evidence'])}, {share(cells['all_evidence'])})"


def section(name: str, found: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is told of one run on the data ``name``."""
    budgets = [str(budget) for budget in found["budgets"]]
    heads = [f"{int(budget):,}" for budget in budgets]
    systems: Mapping[str, Any] = found["systems"]
    asked = next(iter(systems.values()))[_WHOLE]["questions"]
    names = ", ".join(found["complete"])
    yield from (
        f"## {name}, {found['embedding']}",
        "",
        f"Conversations {names}; {asked} questions that have an answer.",
        "",
    )
    yield from (
        "Evidence within tokens, in per cent; in brackets the questions of which any and all of it is shown:",
        "",
    )
    yield from table(
        ["system", *heads],
        ([name, *(_evidence(cells) for cells in of_budgets(groups))] for name, groups in systems.items()),
    )
    depths = [str(depth) for depth in found["depths"]]
    yield from ("nDCG in per cent, of the first k and within tokens:", "")
    yield from table(
        ["system", *(f"k = {depth}" for depth in depths), *heads],
        (
            [
                name,
                *(share(groups[_WHOLE]["k"][depth]["ndcg"]) for depth in depths),
                *(share(cells["ndcg"]) for cells in of_budgets(groups)),
            ]
            for name, groups in systems.items()
        ),
    )
    yield from ("Evidence by category and by conversation, in per cent:", "")
    yield from table(
        ["of", "system", *heads],
        [
            [category, name, *(share(cells["evidence"]) for cells in groups[category]["tokens"].values())]
            for category in dict.fromkeys(name for groups in systems.values() for name in groups if name != _WHOLE)
            for name, groups in systems.items()
        ]
        + [
            [one, name, *(share(value) for value in of_system[one].values())]
            for one in found["complete"]
            for name, of_system in found["conversations"].items()
        ],
    )
    if any(cells["foreign_questions"] for cells in found["abstention"].values()):
        yield from ("Questions of another conversation, in per cent:", "")
        columns = ("auroc", "own_empty", "foreign_empty")
        yield from table(
            ["system", "AUROC", "own that got nothing", "foreign that got nothing"],
            ([name, *(share(cells[column]) for column in columns)] for name, cells in found["abstention"].items()),
        )
    if found["parts"]:
        yield from ("What each part of the ranking brings, in points of evidence:", "")
        yield from table(
            ["part", *heads],
            ([part, *(share(cells[budget]) for budget in budgets)] for part, cells in found["parts"].items()),
        )


def of_budgets(groups: Mapping[str, Any]) -> Iterable[Mapping[str, float]]:
    """Return the figures of a system over all questions, by budget."""
    tokens: Mapping[str, Mapping[str, float]] = groups[_WHOLE]["tokens"]
    return tokens.values()


def main() -> None:
    """Write the tables into the page."""
    lines: list[str] = []
    for argument in sys.argv[1:]:
        name, _, file = argument.partition("=")
        lines += section(name, json.loads(Path(file).read_text(encoding="utf-8"))["evidence"])
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else _NEW
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    body = "\n".join(lines)
    PAGE.write_text(f"{before}{BEGIN}\n\n{body}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
