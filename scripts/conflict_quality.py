"""Prints how well conflicts are found: the figures of docs/explanation/learning.md.

Run ``python scripts/conflict_quality.py FOLDER [weekly|monthly]...`` with the folder ``memora`` of the unpacked data.
The word lists and rules were written while looking at the first three personas; the other three were held out.
``python scripts/conflict_quality.py pairs`` prints the figures of ``tests/data/conflict_pairs.tsv``, by language and
half; ``pairs --wrong`` adds the pairs of the development half that go wrong, never those of the other.
"""

from __future__ import annotations

import sys
from pathlib import Path

from marskg_bench import conflict_pairs
from marskg_bench.conflicts import DEVELOPMENT, HELD_OUT, Tally, measure

PERIODS = ("weekly", "monthly")
PAIRS = Path(__file__).parents[1] / "tests" / "data" / "conflict_pairs.tsv"


def main(arguments: list[str]) -> int:
    """Print one line for each period, group of personas and table, or for each language and half."""
    if arguments[:1] == ["pairs"]:
        return _pairs(wrong="--wrong" in arguments)
    if not arguments or not set(arguments[1:]) <= set(PERIODS):
        print(f"usage: conflict_quality.py FOLDER [{'|'.join(PERIODS)}]... | pairs [--wrong]", file=sys.stderr)
        return 2
    root = Path(arguments[0])
    print(f"{'period':8} {'personas':12} {'table':10} {'precision':>18} {'recall':>18} {'pairs':>8}")
    for period in arguments[1:] or PERIODS:
        for group, personas in (("development", DEVELOPMENT), ("held out", HELD_OUT)):
            for table, tally in measure([root / period / name for name in personas]).items():
                print(f"{period:8} {group:12} {table:10} {_figures(tally)}")
    return 0


def _figures(tally: Tally) -> str:
    precision = f"{tally.precision:.3f} ({tally.right}/{tally.predicted})"
    recall = f"{tally.recall:.3f} ({tally.found}/{tally.updates})"
    return f"{precision:>18} {recall:>18} {tally.compared:>8}"


def _pairs(*, wrong: bool) -> int:
    tallies = conflict_pairs.measure(conflict_pairs.load(PAIRS))
    print(f"{'language':8} {'half':12} {'precision':>18} {'recall':>18} {'pairs':>8}")
    for held_out in (False, True):
        total = Tally()
        for (language, half), tally in tallies.items():
            if half is held_out:
                total.add(tally)
                print(f"{language:8} {_half(held_out=held_out):12} {_figures(tally)}")
        print(f"{'all':8} {_half(held_out=held_out):12} {_figures(total)}")
        if wrong and not held_out:
            for name, listed in (("missed", total.missed), ("wrong", total.wrong)):
                print(*(f"  {name}: {old!r} / {new!r}" for new, old in listed), sep="\n")
    return 0


def _half(*, held_out: bool) -> str:
    return "held out" if held_out else "development"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
