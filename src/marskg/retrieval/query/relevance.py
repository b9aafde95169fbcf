"""Whether anything bears on a question: confidence in an answer, and the floors below which nothing is shown.

Guarantees: a number between 0 and 1 that compares across questions and stores, as it goes by what one memory says for
the question, and by what is visible among which the best was sought; hidden memories change nothing. The figures
are calibrated for each bundled model by ``scripts/certainty.py``, on conversations of others. Source:
semantics section 13.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

#: What the share of the question's words that a memory says, weighed by how rare they are, adds to its similarity; what
#: the question asks for by its key or kind adds as much.
COVERAGE: Final = 0.2
#: The confidence below which a memory does not fill what is left of a budget, its neighbours' words counted as its own.
FILLING: Final = 0.01
#: The share of the best one's evidence that a memory must have to be shown beside it where it is no turn of a
#: conversation: nothing around it says more of it than it says itself.
BESIDE_BEST: Final = 0.5
#: The share of the best one's evidence that a turn of a conversation must have itself to be shown beside it, but for
#: the turns right before and after one that has enough to be shown beside it where it is no turn.
OWN_EVIDENCE: Final = 0.2


class Among(NamedTuple):
    """Among what the best is sought: how many passages, and the share of them that are of texts with several."""

    passages: int
    long: float = 0.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """The evidence of the best of one memory at which a question is as likely answered as not, and what moves that.

    The ``middle`` supposes that of three questions two are on what the store holds nothing on. ``growth`` is what the
    logarithm of the number of passages adds, as the best of many strangers is nearer than the best of few, and
    ``length`` what is added where all are of texts that have several: a passage of prose is nearer to anything than a
    short text is. ``width`` is the change of evidence that multiplies the odds by e. Where it is not of the ``vectors``
    of a model that was calibrated, it goes by words alone, and nothing is left out because of it. ``scale`` is what a
    similarity of the model counts in the ranking, as a multiple of one of ``static``; ``chance`` is what the logarithm
    of the number of a text's passages takes off the similarity of the best of them, for the reason of ``growth``.
    """

    middle: float
    growth: float
    width: float
    length: float = 0.0
    vectors: bool = True
    scale: float = 1.0
    chance: float = 0.0

    def confidence(self, evidence: npt.NDArray[np.float64], among: Among) -> npt.NDArray[np.float64]:
        """Return how likely it is that what has this ``evidence`` bears on a question, as the best ``among`` these."""
        middle = self.even(among)
        found: npt.NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip((evidence - middle) / self.width, -60.0, 60.0)))
        return found

    def even(self, among: Among) -> float:
        """Return the evidence at which it is as likely as not that the best ``among`` these bears on a question."""
        return float(self.middle + self.growth * np.log(max(1, among.passages)) + self.length * among.long)

    def bridged(self, similar: npt.NDArray[np.float64], other: Calibration, among: Among) -> npt.NDArray[np.float64]:
        """Return what a similarity by the model of ``other`` is worth here: what is as likely counts as much."""
        return self.even(among) + (similar - other.even(among)) * (self.width / other.width)


#: By the name of the model: of ``static`` and ``e5`` as ``scripts/certainty.py`` prints it, of ``minilm`` as
#: ``scripts/relevance_floors.py`` does.
CALIBRATED: Final[Mapping[str, Calibration]] = MappingProxyType({
    "static:l2_supercat_256": Calibration(0.1004, 0.05, 0.07, 0.08),
    "e5:multilingual-e5-small-q4": Calibration(0.29, 0.025, 0.07, 0.06, scale=3.4, chance=0.04),
    "minilm:all-MiniLM-L6-v2": Calibration(0.245, 0.03, 0.037, 0.056),
})  # fmt: skip
WORDS: Final = Calibration(0.2203, 0.0, 0.05, vectors=False)
#: What makes what stands for a vector until it is made.
EARLY_MODEL: Final = "static:l2_supercat_256"
EARLY: Final = CALIBRATED[EARLY_MODEL]
#: What a store would call it.
STANDING: Final = f"{EARLY_MODEL}/"


def calibration_of(model: str | None) -> Calibration:
    """Return the calibration for what the store calls ``model``, name and dimension; ``WORDS`` if there is none."""
    return WORDS if model is None else CALIBRATED.get(model.rpartition("/")[0], WORDS)
