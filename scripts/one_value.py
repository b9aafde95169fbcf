"""Whether of two turns the newer tells the value of the thing that the older tells: what ``one_value.json`` holds.

Read by ``scripts/newer.py``. It is learned from pairs that others wrote (``tests/data/one-or-both-*.json``: a question,
what was said first and second, and whether both hold), and from those pairs among the first ranked of each question of
which the order says that one is newer, by weights that were found without the file. What answers is not outdated; of
pairs of which neither is known to answer one counts ``UNKNOWN``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from marskg.embedding.model import question_vectors
from marskg.retrieval.query import newer, one_value
from marskg.retrieval.query.newer import pairs
from marskg.retrieval.query.one_value import ALONE, FIRST, OneValue
from scripts.regression import regressed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import numpy.typing as npt

    from marskg.embedding.model import EmbeddingModel
    from marskg.retrieval.query.newer import Weights
    from scripts.newer import Asked

UNKNOWN: Final = 0.3
_DIRECTIONS: Final = 96
_RIDGE: Final = 0.05
_DIGITS: Final = 4


class Examples(NamedTuple):
    """Pairs: ``[n, d]`` the question, what was said first and second, whether that is one value, and what it counts."""

    question: npt.NDArray[np.float64]
    older: npt.NDArray[np.float64]
    newer: npt.NDArray[np.float64]
    one: npt.NDArray[np.bool_]
    counts: npt.NDArray[np.float64]

    def along(self, directions: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return ``[n, features]``: three cosines, and the three vectors along ``directions``."""
        texts = (self.question, self.older, self.newer)
        cosines = [np.vecdot(texts[one], texts[other]) for one, other in _COSINES]
        return np.hstack([np.stack(cosines, axis=1), *(text @ directions for text in texts)])


#: Of which of question, older and newer the cosines are, in the order of the weights.
_COSINES: Final = ((1, 2), (0, 1), (0, 2))


def written(file: Path, encoder: EmbeddingModel) -> Examples:
    """Return the pairs that somebody wrote."""
    held = json.loads(file.read_text(encoding="utf-8"))
    older, later = (np.asarray(encoder.embed([one[name] for one in held]), float) for name in ("first", "second"))
    asked = np.asarray(question_vectors(encoder, [one["question"] for one in held]), float)
    one = np.array([not each["both"] for each in held])
    return Examples(asked, older, later, one, np.ones(len(held)))


def found_among(asked: Iterable[Asked], weights: Weights) -> Examples:
    """Return the pairs among the first ranked of which ``weights`` say that one is newer."""
    rows = [row for each in asked for row in _found(each, weights)]
    question, older, later, one, counts = zip(*rows, strict=True)
    return Examples(np.array(question), np.array(older), np.array(later), np.array(one), np.array(counts))


def _found(one: Asked, weights: Weights) -> Iterator[tuple[object, ...]]:
    found = pairs(one.turns, weights.usual)
    chances, told = weights.chances(one.turns, found), one.tells(found)
    answers = set[str]().union(*one.evidence)
    best: dict[int, int] = {}
    for pair in np.flatnonzero(newer.goes_before(found, chances)).tolist():
        older = int(found.older[pair])
        if older not in best or chances[pair] > chances[best[older]]:
            best[older] = pair
    for pair in best.values():
        two = (int(found.older[pair]), int(found.newer[pair]))
        old, new = (one.found[one.places[place]] in answers for place in two)
        # Of two that both answer nobody knows.
        if max(two) < FIRST and newer.beside(found, pair) and not (old and new):
            yield one.question, *one.turns.vectors[list(two)], told[pair], 1.0 if old or told[pair] else UNKNOWN


def fitted(given: Iterable[Examples], texts: Iterable[Examples]) -> OneValue:
    """Return the weights under which ``given`` are most likely, along the directions in which ``texts`` differ most."""
    vectors = np.concatenate([part for one in texts for part in one[:3]])
    vectors = vectors - vectors.mean(axis=0)
    directions = np.linalg.eigh(vectors.T @ vectors)[1][:, ::-1][:, :_DIRECTIONS]
    every = Examples(*(np.concatenate(part) for part in zip(*given, strict=True)))
    found, even = regressed(every.along(directions), every.one, every.counts, _RIDGE)
    alike, *along = np.split(found, [len(_COSINES) + part * _DIRECTIONS for part in range(3)])
    question, older, later = ((directions @ part).round(_DIGITS) for part in along)
    first, second, third = alike.round(_DIGITS).tolist()
    return OneValue((first, second, third), round(even, _DIGITS), question, older, later)


def lines(told: Mapping[str, Examples], found: Mapping[str, Examples]) -> Iterator[str]:
    """Yield of each file what weights that were found without it say: what is shown alone, rightly and wrongly."""
    every = {**told, **found}
    for name, one in every.items():
        others = [each for other, each in every.items() if other != name]
        weights = fitted(others, [each for other, each in told.items() if other != name])
        alone = weights.chances(one.question, one.older, one.newer) >= ALONE
        known = one.counts == 1
        rightly, wrongly = (int((alone & known & (one.one == kind)).sum()) for kind in (True, False))
        yield (
            f"{name}: found without it, of {int((known & one.one).sum())} of one value {rightly} are shown alone, "
            f"of {int((known & ~one.one).sum())} that both hold {wrongly}"
        )


def write(model: str, found: OneValue) -> None:
    """Put ``found`` into what the product reads."""
    path = Path(one_value.__file__).with_name("one_value.json")
    held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    held[model] = {
        "alike": found.alike,
        "even": found.even,
        "question": found.question.tolist(),
        "older": found.older.tolist(),
        "newer": found.newer.tolist(),
    }
    path.write_text(json.dumps(held, sort_keys=True) + "\n", encoding="utf-8")
