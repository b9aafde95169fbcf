"""How fast the offline embeddings are on this machine, and what they take.

    python scripts/embedding_speed.py [static] [minilm]

Each model is measured in a process of its own: seconds until the first vector, microseconds of one short sentence
alone (median), sentences a second in batches of 1,024, and the process's largest resident size in megabytes. The
sentences are those of ``examples/conversation.jsonl``. Times are the wall clock's: run it on a quiet machine.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from itertools import cycle, islice
from pathlib import Path

from marskg.embedding.registry import load_model
from marskg.text import sentences

ROOT = Path(__file__).resolve().parents[1]
BATCH = 1024
#: Model, sentences one by one, batches.
RUNS = {"static": (2000, 40), "minilm": (60, 1)}


def spoken() -> list[str]:
    """Return the sentences of the example conversation."""
    lines = (ROOT / "examples" / "conversation.jsonl").read_text(encoding="utf-8").splitlines()
    return [part for line in lines for part in sentences(str(json.loads(line).get("content", "")))]


def measured(spec: str) -> dict[str, float | int | str]:
    """Measure one model in this process."""
    alone, batches = RUNS[spec]
    texts = spoken()
    batch = list(islice(cycle(texts), BATCH))
    start = time.perf_counter()
    model = load_model(spec)
    if model is None:
        message = f"{spec} is no model"
        raise SystemExit(message)
    model.embed(["first"])
    loaded = time.perf_counter() - start
    singles = []
    for text in islice(cycle(texts), alone):
        start = time.perf_counter()
        model.embed([text])
        singles.append(time.perf_counter() - start)
    start = time.perf_counter()
    for _ in range(batches):
        model.embed(batch)
    took = time.perf_counter() - start
    return {
        "model": model.name,
        "load_s": round(loaded, 2),
        "alone_us": round(statistics.median(singles) * 1e6),
        "batch_per_s": round(BATCH * batches / took),
        "words_per_sentence": round(statistics.mean(len(text.split()) for text in batch)),
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }


def main(names: list[str]) -> None:
    """Measure the models ``names``, or one of them with ``--here``."""
    if names[:1] == ["--here"]:
        print(json.dumps(measured(names[1])))
        return
    for name in names or list(RUNS):
        subprocess.run([sys.executable, __file__, "--here", name], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
