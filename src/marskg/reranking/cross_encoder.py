"""Any cross-encoder of sentence-transformers, by the path of its folder or by its name: the same extra.

Guarantees: the library is imported at the first question; nothing is downloaded; no code of a model's author is run;
nothing leaves this process.
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

from marskg.embedding.transformers import load_model_of
from marskg.errors import EmbeddingUnavailable, RerankerUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence


class CrossEncoderReranker:
    """``sentence-transformers:<name>``: a cross-encoder that torch computes."""

    leaves = False

    def __init__(self, model: str) -> None:
        """Choose the model at the path or of the name ``model``; load it at the first use."""
        self._model = model
        self._lock = threading.Lock()
        self._loaded: Any = None

    @property
    def name(self) -> str:
        """Return the last part of the path or name; loads nothing."""
        return f"sentence-transformers:{self._model.rstrip('/').rpartition('/')[2]}"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return a score for each text, in their order.

        Raises:
            RerankerUnavailable: the extra is not installed, the model is not there, or it fails.
        """
        try:
            with self._lock:
                if self._loaded is None:
                    self._loaded = load_model_of("CrossEncoder", self._model)
            found = self._loaded.predict([(question, text) for text in texts], show_progress_bar=False)
            scores = [float(score) for score in found]
        except EmbeddingUnavailable as error:
            raise RerankerUnavailable(str(error)) from error
        except (RuntimeError, ValueError, TypeError) as error:
            msg = f"the reranker {self.name} failed: is it a cross-encoder with one score for a pair?"
            raise RerankerUnavailable(msg) from error
        if not all(map(math.isfinite, scores)):
            msg = f"the reranker {self.name} gave a score that is no number: choose another model"
            raise RerankerUnavailable(msg)
        return scores
