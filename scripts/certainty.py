"""Calibrates from where on an answer is certain, on conversations of others: what ``CALIBRATED`` holds for a model.

Run: ``python -m scripts.certainty --model static FILE FILE …``. A file is one of LoCoMo or BEAM, or has people with
plain questions and with foreign ones (``ordinary-open.json.gz``); of the first two a conversation's foreign questions
are those of the others, forty at most. Each question is asked of the product through its public door.

The middle, its growth with the logarithm of the number of passages and its length are those under which fewest of the
questions that have an answer are not certain, while of each file no more of the foreign ones are than ``FOREIGN`` says;
every file counts the same. Below that it prints what those say of a file that were found without it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import tempfile
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

import marskg
from marskg.errors import InvalidDocument
from marskg_bench.common.conversation import ASSISTANT, answerable
from marskg_bench.common.conversations import conversations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

#: The most of a file's foreign questions that may be certain: what two people say is told apart by their names.
FOREIGN: Final = {"locomo": 0.15}
_FOREIGN: Final = 0.25
#: What one foreign question too many counts, in questions that have an answer.
_TOO_MANY: Final = 3.0
_ASKED: Final = 40
_MIDDLES: Final = np.arange(0.0, 0.9, 0.01)
_GROWTHS: Final = np.arange(0.0, 0.061, 0.005)
_LENGTHS: Final = np.arange(0.0, 0.161, 0.02)


class Told(NamedTuple):
    """A talk: what is remembered, the questions that it answers, and those that it does not."""

    turns: list[tuple[str, dict[str, Any]]]
    own: list[str]
    foreign: list[str]


class Measured(NamedTuple):
    """Questions: ``[n, 3]`` evidence, logarithm of the passages, share of long texts; and which have an answer."""

    numbers: npt.NDArray[np.float64]
    own: npt.NDArray[np.bool_]


def talks(file: Path) -> list[Told]:
    """Return the talks of a file."""
    try:
        found = conversations(file)
    except InvalidDocument:
        return _people(json.loads(gzip.decompress(file.read_bytes())))
    draw = random.Random(5)  # noqa: S311 - a seeded choice
    told = []
    for one in found:
        others = [asked.text for other in found if other is not one for asked in answerable(other)]
        turns = [
            (
                turn.text,
                {
                    "session": turn.session,
                    "at": turn.at,
                    "subjects": [] if turn.role == ASSISTANT else [turn.speaker],
                    "source_type": "chat_assistant" if turn.role == ASSISTANT else "chat_user",
                },
            )
            for turn in one.turns
        ]
        own = [asked.text for asked in answerable(one) if asked.evidence]
        told.append(Told(turns, own, draw.sample(others, min(_ASKED, len(others)))))
    return told


def _people(found: Iterable[dict[str, Any]]) -> list[Told]:
    return [
        Told(
            [
                (
                    turn["text"],
                    {
                        "session": turn["session"],
                        "at": turn["at"],
                        "subjects": [one["speaker"]],
                        "source_type": f"chat_{turn['role']}",
                    },
                )
                for turn in one["turns"]
            ],
            [asked["q"] for asked in one["questions"]],
            one["foreign"],
        )
        for one in found
    ]


def measured(told: Iterable[Told], model: str) -> Measured:
    """Return what the product says of each question."""
    rows, own = [], []
    for one in told:
        with tempfile.TemporaryDirectory() as folder, marskg.open(f"{folder}/m", tenant="t", embedding=model) as memory:
            memory.settings.set(None, {"budget": 10_000_000})
            for text, how in one.turns:
                memory.remember(text, **how)
            memory.maintenance.reembed()  # what is made after the write
            for question, has in [*((text, True) for text in one.own), *((text, False) for text in one.foreign)]:
                stages = memory.retrieve(question, token_budget=60, k=1, explain=True).stages
                rows.append([stages["evidence"], np.log(max(1, stages["passages"])), stages["of_long"]])
                own.append(has)
    return Measured(np.array(rows), np.array(own))


def shares(found: Measured, setting: Sequence[float]) -> tuple[float, float]:
    """Return the share of questions with an answer that are not certain, and of foreign ones that are."""
    middle, growth, length = setting
    certain = found.numbers[:, 0] >= middle + growth * found.numbers[:, 1] + length * found.numbers[:, 2]
    return float(1 - certain[found.own].mean()), float(certain[~found.own].mean())


def best(files: dict[str, Measured]) -> tuple[float, ...]:
    """Return the setting that costs least."""

    def cost(setting: Sequence[float]) -> float:
        found = ((name, *shares(one, setting)) for name, one in files.items())
        return sum(own + _TOO_MANY * max(0.0, foreign - _most(name)) for name, own, foreign in found)

    return min(product(_MIDDLES.tolist(), _GROWTHS.tolist(), _LENGTHS.tolist()), key=cost)


def _most(name: str) -> float:
    return next((most for part, most in FOREIGN.items() if part in name), _FOREIGN)


def lines(files: dict[str, Measured]) -> Iterator[str]:
    """Yield what was found."""
    whole = best(files)
    yield f"middle {whole[0]:.2f}, growth {whole[1]:.3f}, length {whole[2]:.2f}"
    for name, one in files.items():
        others = {other: found for other, found in files.items() if other != name}
        own, foreign = shares(one, whole)
        asked, strange = int(one.own.sum()), int((~one.own).sum())
        line = f"{name}: {own:.3f} of {asked} not certain, {foreign:.3f} of {strange} foreign ones are"
        if others:
            own, foreign = shares(one, best(others))
            line += f"; found without this file: {own:.3f}, {foreign:.3f}"
        yield line


def main() -> None:
    """Print what was found for one model."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--model", default="static")
    asked = parser.parse_args()
    for line in lines({file.name: measured(talks(file), asked.model) for file in asked.files}):
        print(line)


if __name__ == "__main__":
    main()
