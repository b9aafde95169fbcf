"""Prints how well it is found what an answer used of what it was shown: the figures of docs/explanation/learning.md.

Run ``python scripts/usage_quality.py [MODEL]...`` for the answers of ``tests/data``, whose first half the rules were
written on, and ``python scripts/usage_quality.py --conversations FILE [MODEL]...`` for LoCoMo's file: answers to its
questions as uses of their evidence, beside the ten turns that are nearest to each question. Models: none, static,
minilm, e5.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from marskg.embedding.registry import load_model
from marskg.learning.rules.score import Outcome
from marskg.learning.rules.usage_detection import Meaning, find_usage
from marskg.text import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.embedding.model import EmbeddingModel, Vectors

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
#: The two halves: the one that rules and thresholds were made on, and the one that was not.
HALVES = {"tuning": DATA / "usage_tuning.txt", "held out": DATA / "usage_held_out.txt"}
MODELS = ("none", "static", "minilm", "e5")
_LETTERS = {"u": Outcome.USED, "c": Outcome.CONTRADICTED, ".": Outcome.UNUSED}
_NEAREST = 10
_ADVERSARIAL = 5


@dataclass(frozen=True)
class Example:
    """A question, the memories that were shown, an answer, and what it does with each memory."""

    question: str
    shown: tuple[str, ...]
    answer: str
    outcomes: tuple[Outcome, ...]


@dataclass
class Tally:
    """Verdicts by (right outcome, found outcome)."""

    counts: Counter[tuple[Outcome, Outcome]] = field(default_factory=Counter)

    def precision(self, outcome: Outcome) -> tuple[int, int]:
        """Return the right ones among those found, and how many were found."""
        return self.counts[outcome, outcome], sum(n for (_, found), n in self.counts.items() if found is outcome)

    def recall(self, outcome: Outcome) -> tuple[int, int]:
        """Return the right ones among those that are there, and how many are there."""
        return self.counts[outcome, outcome], sum(n for (right, _), n in self.counts.items() if right is outcome)


class Embedder:
    """Embeds each text once."""

    def __init__(self, name: str) -> None:
        """Use the model called ``name``; ``none`` for none."""
        self._model: EmbeddingModel | None = load_model(name)
        self._kept: dict[str, Any] = {}

    def rows(self, texts: list[str]) -> Vectors:
        """Return one row for each text."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if missing and self._model is not None:
            self._kept.update(zip(missing, self._model.embed(missing), strict=True))
        return np.stack([self._kept[text] for text in texts])

    def meaning(self, answer: str, shown: list[str], question: str) -> Meaning | None:
        """Return the vectors of one example."""
        said = sentences(answer)
        if self._model is None or not said:
            return None
        return Meaning(self.rows(said), self.rows(shown), self.rows([question])[0], self._model.name)


def examples(path: Path) -> Iterator[Example]:
    """Yield the examples of a file: ``?`` question, ``-`` memory, ``>`` answer ``=`` a letter for each memory."""
    question, shown = "", list[str]()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("? "):
            question, shown = line[2:], []
        elif line.startswith("- "):
            shown.append(line[2:])
        elif line.startswith("> "):
            answer, _, letters = line[2:].rpartition(" = ")
            yield Example(question, tuple(shown), answer, tuple(_LETTERS[letter] for letter in letters))


def conversations(path: Path) -> Iterator[Example]:
    """Yield the answered questions of LoCoMo's file with the turns that are nearest, and those of their evidence."""
    embedder = Embedder("static")
    raw = path.read_bytes()
    for one in json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw):
        parts = [turns for name, turns in one["conversation"].items() if re.fullmatch(r"session_\d+", name)]
        turns = {turn["dia_id"]: f"{turn['speaker']}: {turn['text']}" for part in parts for turn in part}
        rows = embedder.rows(list(turns.values()))
        for asked in one["qa"]:
            evidence = {name for text in asked["evidence"] for name in re.findall(r"D\d+:\d+", text)} & turns.keys()
            if asked["category"] != _ADVERSARIAL and evidence and "answer" in asked:
                order = np.argsort(-(rows @ embedder.rows([asked["question"]])[0]), kind="stable")
                names = list(dict.fromkeys([*(list(turns)[place] for place in order[:_NEAREST]), *sorted(evidence)]))
                right = tuple(Outcome.USED if name in evidence else Outcome.UNUSED for name in names)
                yield Example(asked["question"], tuple(turns[name] for name in names), str(asked["answer"]), right)


def measure(found: Iterator[Example], model: str) -> Tally:
    """Return the verdicts on ``found`` with the vectors of ``model``."""
    embedder = Embedder(model)
    tally = Tally()
    for one in found:
        shown = [(str(place), content) for place, content in enumerate(one.shown)]
        meaning = embedder.meaning(one.answer, list(one.shown), one.question)
        usages = find_usage(one.answer, shown, one.question, meaning=meaning)
        tally.counts.update(zip(one.outcomes, (usage.outcome for usage in usages), strict=True))
    return tally


def _share(part: tuple[int, int]) -> str:
    return f"{part[0] / part[1]:.3f} ({part[0]}/{part[1]})" if part[1] else f"- ({part[0]}/{part[1]})"


def main(arguments: list[str]) -> int:
    """Print one line for each source, model and outcome."""
    path = Path(arguments[1]) if arguments[:1] == ["--conversations"] and len(arguments) > 1 else None
    models = arguments if path is None else arguments[2:]
    if not set(models) <= set(MODELS):
        print("usage: usage_quality.py [--conversations FILE] [none|static|minilm]...", file=sys.stderr)
        return 2
    print(f"{'answers':14} {'model':7} {'outcome':13} {'precision':>20} {'recall':>20}")
    for name in models or MODELS:
        for source in HALVES if path is None else ("conversations",):
            tally = measure(examples(HALVES[source]) if path is None else conversations(path), name)
            for outcome in (Outcome.USED, Outcome.CONTRADICTED):
                shares = f"{_share(tally.precision(outcome)):>20} {_share(tally.recall(outcome)):>20}"
                print(f"{source:14} {name:7} {outcome.value:13} {shares}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
