"""Learn the weights of what a life depends on, from ``scripts/vital/said.tsv``, and say how they do.

Run: ``python -m scripts.vital_weights`` writes ``src/marskg/extraction/vital.f32`` and prints, per language, what is
found and what is taken for it wrongly: by ten-fold cross-validation, and on ``scripts/vital/others.tsv``, whose
sentences are of other people. Ridge regression of the logistic function by Newton's method; nothing is drawn at
random.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from marskg.embedding.static import DIMENSION
from marskg.extraction.vital import LEAST, features

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Floats: TypeAlias = "npt.NDArray[np.float64]"

_ROOT: Final = Path(__file__).parents[1]
_SAID: Final = _ROOT / "scripts" / "vital" / "said.tsv"
_OTHERS: Final = _ROOT / "scripts" / "vital" / "others.tsv"
_WEIGHTS: Final = _ROOT / "src" / "marskg" / "extraction" / "vital.f32"
_FOLDS: Final = 10
#: What the square of a weight costs, beside the sum of the log losses; chosen by cross-validation among 0.03 to 1.
_RIDGE: Final = 0.3
_STEPS: Final = 40


def read(path: Path) -> list[tuple[str, bool, str]]:
    """Return language, whether a life may depend on it, and text of each row of a table."""
    rows = (line.split("\t") for line in path.read_text("utf-8").splitlines() if line and line[0] != "#")
    return [(language, flag == "1", text) for language, flag, text in rows]


def learned(rows: Floats, outcomes: npt.NDArray[np.bool_], ridge: float = _RIDGE) -> Floats:
    """Return the weights ``[m]`` of features ``[n, m]``, the last of which is 1.

    Each example counts twice: as it is, and without its vector, so that words alone decide where there is none.
    """
    plain = rows.copy()
    plain[:, :DIMENSION] = 0
    both, wanted = np.vstack([rows, plain]), np.concatenate([outcomes, outcomes]).astype(np.float64)
    costs = np.full(both.shape[1], ridge)
    costs[-1] = 1e-3
    weights = np.zeros(both.shape[1])
    for _ in range(_STEPS):
        given = 1 / (1 + np.exp(-np.clip(both @ weights, -30, 30)))
        slope = both.T @ (given - wanted) + costs * weights
        curvature = (both * (given * (1 - given))[:, None]).T @ both + np.diag(costs)
        weights -= np.linalg.solve(curvature, slope)
    return weights


def told(title: str, rows: Sequence[tuple[str, bool, str]], found: npt.NDArray[np.bool_]) -> None:
    """Print what is found, and what wrongly, per language."""
    print(title)
    for language in dict.fromkeys(row[0] for row in rows):
        mine = np.array([row[0] == language for row in rows])
        wanted = np.array([row[1] for row in rows])
        right, wrong = (found & mine & wanted).sum(), (found & mine & ~wanted).sum()
        print(f"  {language}: found {right} of {(mine & wanted).sum()}, wrongly {wrong} of {(mine & ~wanted).sum()}")


def main() -> None:
    """Learn, write and print."""
    said = read(_SAID)
    rows = features([text for *_, text in said]).astype(np.float64)
    wanted = np.array([flag for _, flag, _ in said])
    folds = np.arange(len(said)) % _FOLDS
    crossed = np.zeros(len(said), dtype=np.bool_)
    for fold in range(_FOLDS):
        crossed[folds == fold] = rows[folds == fold] @ learned(rows[folds != fold], wanted[folds != fold]) > LEAST
    told("cross-validated", said, crossed)
    weights = learned(rows, wanted)
    weights.astype("<f4").tofile(_WEIGHTS)
    others = read(_OTHERS)
    told("other people's", others, features([text for *_, text in others]) @ weights > LEAST)


if __name__ == "__main__":
    main()
