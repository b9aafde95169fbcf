"""A history of records that come, grow and go, and what of it the engine has lost; run in a process of its own too.

The engine keeps what outgrows its page in further places, and ends the chain where the next place is number 0. A place
0 that is free again, the first record ever of its type having been deleted, was given away all the same (26.10.2).
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

from marskg.store.engine import arcadedb, builds, native

_STEPS = 300
#: Bytes of a page that many records outgrow.
_SMALL = 16_384


def lost(folder: Path, seed: int) -> set[int]:
    """Return the numbers of the records that do not say what they should."""
    random, model, last = Random(seed), dict[int, str](), 0
    engine = arcadedb.ArcadeDB(folder)
    engine.define("CREATE VERTEX TYPE Row BUCKETS 1")
    engine.define("CREATE PROPERTY Row.n INTEGER")
    engine.define("CREATE INDEX ON Row(n) UNIQUE")
    try:
        for step in range(_STEPS):
            choice = random.random()
            if choice < 0.35 or not model:
                last += 1
                model[last] = "a" * random.randint(50, 1600)
                engine.write("CREATE (:Row {n: $n, text: $text})", {"n": last, "text": model[last]})
            elif choice < 0.6:
                number = min(model) if random.random() < 0.15 else random.choice(sorted(model))
                del model[number]
                engine.write("MATCH (r:Row {n: $n}) DELETE r", {"n": number})
            else:
                number = random.choice(sorted(model))
                size = min(4000, len(model[number]) + random.randint(1, 300))
                model[number] = chr(97 + step % 26) * size
                engine.write("MATCH (r:Row {n: $n}) SET r.text = $text", {"n": number, "text": model[number]})
        rows = engine.read("MATCH (r:Row) RETURN r.n AS n, r.text AS text")
    finally:
        engine.close()
    found = {row["n"]: row["text"] for row in rows}
    return {number for number in model.keys() | found.keys() if found.get(number) != model.get(number)}


def main() -> None:
    """Print how many records are lost of the seeds that follow in small pages, in our mode or in the engine's own."""
    mode, folder, *seeds = sys.argv[1:]
    others = ["bucketDefaultPageSize", *(["bucketReuseSpaceMode"] if mode == "own" else [])]
    kept = [one for one in builds.SETTINGS if not any(name in one for name in others)]
    vars(native)["SETTINGS"] = (*kept, f"-Darcadedb.bucketDefaultPageSize={_SMALL}")
    gone = sum(len(lost(Path(folder) / seed, int(seed))) for seed in seeds)
    sys.stdout.write(f"{gone}\n")


if __name__ == "__main__":
    main()
