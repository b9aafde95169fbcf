"""Makes what the model ``e5`` takes out of its vectors: the mean of texts of many kinds and languages.

Run: ``python -m scripts.e5_mean`` (``--check`` compares what is there and writes nothing). The texts are those of
``e5_mean.txt``, and the facts, talks and questions of ``relevance_floors.py``; none is of a benchmark. The mean is half
of what tells something and half of what asks, and of each half every language counts the same.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from marskg.embedding.e5 import loaded
from scripts import relevance_floors as floors

TEXTS: Final = Path(__file__).with_name("e5_mean.txt")
MEAN: Final = Path(__file__).parent.parent / "src/marskg/embedding/e5_mean.f32"
#: What each kind of text is told to the model as.
PREFIXES: Final = {"T": "passage: ", "Q": "query: "}


def texts() -> dict[str, dict[str, list[str]]]:
    """Return texts by their language and kind."""
    found: dict[str, dict[str, list[str]]] = {}
    language = ""
    for line in TEXTS.read_text(encoding="utf-8").splitlines():
        mark, _, text = line.partition(" ")
        if mark == "##":
            language = text
            found[language] = {"T": [], "Q": []}
        elif mark in PREFIXES:
            found[language][mark].append(text)
    for one in (*floors.facts(), *floors.talks()):
        found["en"]["T"] += one.passages
        found["en"]["Q"] += one.questions
    return found


def mean() -> npt.NDArray[np.float32]:
    """Return the mean ``[384]``."""
    encoder = loaded()
    halves = [
        np.mean([encoder.raw([prefix + text for text in one[kind]]).mean(axis=0) for one in texts().values()], axis=0)
        for kind, prefix in PREFIXES.items()
    ]
    found: npt.NDArray[np.float32] = np.mean(halves, axis=0).astype(np.float32)
    return found


def main() -> None:
    """Write the mean, or say how far what is there is from it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare what is there and write nothing")
    if parser.parse_args().check:
        held = np.frombuffer(MEAN.read_bytes(), np.float32)
        print(f"furthest apart in one of {len(held)} numbers: {np.abs(held - mean()).max():.2e}")
        return
    MEAN.write_bytes(mean().tobytes())


if __name__ == "__main__":
    main()
