"""Tell stories and count what they find: ``python -m tests.stories --seeds 0-300``.

``--json`` prints the counts with one shrunk story for each check, ``--holes`` the table of holes with the story that
shows each (docs/explanation/stories.md), ``--show 17`` a story as it was drawn, ``--script 17`` the same as a program.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from tests.stories.holes import table
from tests.stories.shrinking import shrunk
from tests.stories.telling import told
from tests.stories.telling_out import Stage


def main() -> int:
    """Do what was asked; the exit status is 1 where a story found something."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0-300", help="from-to, the last one not told")
    parser.add_argument("--json", action="store_true", help="counts and one shrunk story for each check")
    parser.add_argument("--shrink", action="store_true", help="shrink the first story of each check")
    parser.add_argument("--check", default="", help="shrink findings of this check alone")
    parser.add_argument("--holes", nargs="?", const="", help="show each hole of before, or those of one name")
    parser.add_argument("--show", type=int, help="print a story")
    parser.add_argument("--script", type=int, help="print a story as a program")
    given = parser.parse_args()
    if given.show is not None or given.script is not None:
        story = told(given.show if given.show is not None else given.script)
        sys.stdout.write((story.told() if given.show is not None else story.script()) + "\n")
        return 0
    first, _, last = given.seeds.partition("-")
    stage = Stage()
    try:
        if given.holes is not None:
            for line in table(stage, range(int(first), int(last or int(first) + 1)), given.holes):
                sys.stdout.write(line + "\n")
                sys.stdout.flush()
            return 0
        counts = counted(stage, range(int(first), int(last or int(first) + 1)), given.check)
        if given.json or given.shrink:
            for one in counts.values():
                shorten(stage, one)
    finally:
        stage.close()
    sys.stdout.write(json.dumps(counts, indent=1, ensure_ascii=False) + "\n" if given.json else as_text(counts))
    return 1 if counts else 0


def counted(stage: Stage, seeds: range, only: str = "") -> dict[str, dict[str, Any]]:
    """Tell the stories of some seeds; returns the findings by check: how many stories, and the first."""
    found: dict[str, dict[str, Any]] = {}
    began, spent = time.perf_counter(), time.process_time()
    for seed in seeds:
        checks: set[str] = set()
        for one in stage.tell(told(seed)):
            if only not in one.check:
                continue
            sorts = found.get(one.check, {}).setdefault("sorts", {})
            sorts[one.sort] = sorts.get(one.sort, 0) + 1
            if one.check in checks:
                continue
            checks.add(one.check)
            of = found.setdefault(one.check, {"stories": 0, "seeds": [], "first": str(one), "sorts": {one.sort: 1}})
            of["stories"] += 1
            of["seeds"].append(seed)
    wall, cpu = time.perf_counter() - began, time.process_time() - spent
    sys.stderr.write(f"{len(seeds)} stories in {wall:.1f} s, {cpu:.1f} s of processor\n")
    return dict(sorted(found.items(), key=lambda item: -item[1]["stories"]))


def shorten(stage: Stage, of: dict[str, Any]) -> None:
    """Add the shrunk story of the first seed to a check's findings."""
    check = of["first"].split(": ")[1]
    story = shrunk(stage, told(of["seeds"][0]), check)
    of["steps"] = len(story.steps)
    of["story"] = story.told().splitlines()
    of["script"] = story.script().splitlines()
    of["found"] = next((str(one) for one in stage.tell(story) if one.check == check), "")


def as_text(counts: dict[str, dict[str, Any]]) -> str:
    """Return the counts as a table, with the shrunk stories below."""
    lines = []
    for check, one in counts.items():
        sorts = ", ".join(f"{sort or 'any'} {number}" for sort, number in one["sorts"].items())
        lines.append(f"{one['stories']:>5}  {check} ({sorts}); seed {one['seeds'][0]}, {one['first']}")
    for check, one in counts.items():
        if "script" in one:
            lines += ["", f"# {check}: {one['found']}", *one["script"]]
    return "\n".join(lines or ["nothing found"]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
