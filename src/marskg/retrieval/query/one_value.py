"""Whether of two turns the newer tells the value of the very thing that the older tells, or both hold.

Guarantees: goes by the vectors of the question and of the two turns alone, and by no list of words; nothing is stored.
The weights, ``one_value.json``, are found by ``scripts/newer.py`` for e5 on pairs that five writers wrote in five
languages (``tests/data/one-or-both-*.json``), and on pairs of the lives from which the order is learned; static vectors
do not tell the two apart.
Source: semantics section 13 (of two memories that contradict each other the prompt shows one); ADR 105.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

#: How likely the two tell one value where the newer is shown alone, and of how many of the best ranked turns both are.
ALONE: Final = 0.85
FIRST: Final = 3


@dataclass(frozen=True, slots=True)
class OneValue:
    """A logistic regression on three vectors of length one, ``[d]`` each: ``even`` and what their products add.

    ``alike`` is what the cosines of older and newer, of question and older, and of question and newer add.
    """

    alike: tuple[float, float, float]
    even: float
    question: npt.NDArray[np.float64]
    older: npt.NDArray[np.float64]
    newer: npt.NDArray[np.float64]

    def chances(
        self, question: npt.NDArray[np.float64], older: npt.NDArray[np.float64], newer: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Return how likely it is of a pair of vectors, or ``[n]`` of as many rows of each."""
        pairs = ((older, newer), (question, older), (question, newer))
        total = self.even + sum(
            (weight * np.vecdot(*pair) for weight, pair in zip(self.alike, pairs, strict=True)),
            start=np.vecdot(question, self.question) + np.vecdot(older, self.older) + np.vecdot(newer, self.newer),
        )
        chances: npt.NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(total, -60.0, 60.0)))
        return chances


@cache
def one_value() -> Mapping[str, OneValue]:
    """Return the weights by the name of each model that has some."""
    read = json.loads((files("marskg.retrieval.query") / "one_value.json").read_text(encoding="utf-8"))
    return {
        model: OneValue(
            tuple(held["alike"]),
            held["even"],
            np.array(held["question"]),
            np.array(held["older"]),
            np.array(held["newer"]),
        )
        for model, held in read.items()
    }
