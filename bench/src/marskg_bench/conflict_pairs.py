"""How well conflicts are found in pairs of statements of several languages, each marked as a contradiction or as none.

Guarantees: the texts alone decide, without keys, subjects or entities; the same file gives the same counts. Every
second pair of a kind of a language is held out: which of those go wrong was not looked at while rules were written.
"""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from marskg.learning.rules.conflict_detection import Statement, find_conflicts
from marskg_bench.conflicts import Tally

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements, the later one ``new``; ``conflicts`` is what people say of them."""

    language: str
    kind: str
    conflicts: bool
    old: str
    new: str
    held_out: bool


def load(path: Path) -> list[Pair]:
    """Return the pairs of a file of five columns: language, kind, gold ("yes" or "no"), old, new.

    Raises:
        OSError: it cannot be read.
        KeyError: a column is missing.
    """
    met: Counter[tuple[str, str]] = Counter()
    found = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            place = (row["language"], row["kind"])
            met[place] += 1
            gold = row["gold"] == "yes"
            found.append(Pair(*place, gold, row["old"], row["new"], held_out=met[place] % 2 == 0))
    return found


def is_found(pair: Pair) -> bool:
    """Return whether the newer statement is found to conflict with the older one."""
    return bool(find_conflicts(Statement(pair.new, sequence=1), [Statement(pair.old)]))


def measure(pairs: Iterable[Pair]) -> dict[tuple[str, bool], Tally]:
    """Return a tally for each language and half, development (False) before held out (True)."""
    tallies: dict[tuple[str, bool], Tally] = {}
    for pair in pairs:
        tally = tallies.setdefault((pair.language, pair.held_out), Tally())
        found = is_found(pair)
        tally.compared += 1
        tally.updates += pair.conflicts
        tally.predicted += found
        tally.right += found and pair.conflicts
        tally.found += found and pair.conflicts
        if found is not pair.conflicts:
            (tally.missed if pair.conflicts else tally.wrong).append((pair.new, pair.old))
    return dict(sorted(tallies.items()))
