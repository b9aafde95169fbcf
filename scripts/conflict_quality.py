"""Prints how well conflicts are found on Memora's updates: the figures of docs/explanation/learning.md.

Run ``python scripts/conflict_quality.py FOLDER [weekly|monthly]...`` with the folder ``memora`` of the unpacked data.
The word lists and rules were written while looking at the first three personas; the other three were held out.
"""

from __future__ import annotations

import sys
from pathlib import Path

from marskg_bench.conflicts import DEVELOPMENT, HELD_OUT, measure

PERIODS = ("weekly", "monthly")


def main(arguments: list[str]) -> int:
    """Print one line for each period, group of personas and table."""
    if not arguments or not set(arguments[1:]) <= set(PERIODS):
        print(f"usage: conflict_quality.py FOLDER [{'|'.join(PERIODS)}]...", file=sys.stderr)
        return 2
    root = Path(arguments[0])
    print(f"{'period':8} {'personas':12} {'table':10} {'precision':>18} {'recall':>18} {'pairs':>8}")
    for period in arguments[1:] or PERIODS:
        for group, personas in (("development", DEVELOPMENT), ("held out", HELD_OUT)):
            for table, tally in measure([root / period / name for name in personas]).items():
                precision = f"{tally.precision:.3f} ({tally.right}/{tally.predicted})"
                recall = f"{tally.recall:.3f} ({tally.found}/{tally.updates})"
                print(f"{period:8} {group:12} {table:10} {precision:>18} {recall:>18} {tally.compared:>8}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
