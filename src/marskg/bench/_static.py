"""Static word vectors for the ungoverned rankers: the mean of a text's token vectors, of unit length.

Guarantees: reads the weights and the vocabulary that lie in the wordllama wheel (MIT), 256 components; no network, no
model to load. Equal texts give equal vectors.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np
from safetensors.numpy import load
from tokenizers import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.embedding.model import Vectors

_WEIGHTS: Final = "l2_supercat_256.safetensors"
_VOCABULARY: Final = "l2_supercat_tokenizer_config.json"


class StaticVectors:
    """An embedding model without context: what a word means, it means in every text."""

    def __init__(self) -> None:
        """Read the weights, 33 MB."""
        wheel = files("wordllama")
        self._rows = next(iter(load(wheel.joinpath("weights", _WEIGHTS).read_bytes()).values())).astype(np.float32)
        self._tokenizer = Tokenizer.from_str(wheel.joinpath("tokenizers", _VOCABULARY).read_text(encoding="utf-8"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    @property
    def name(self) -> str:
        """Return the name of the vectors."""
        return "bench:l2_supercat_256"

    @property
    def dimension(self) -> int:
        """Return the number of components."""
        return int(self._rows.shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of unit length for each text; all zero for a text without tokens."""
        found = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for place, encoding in enumerate(self._tokenizer.encode_batch(list(texts), add_special_tokens=False)):
            if encoding.ids:
                row = self._rows[encoding.ids].mean(axis=0)
                found[place] = row / (float(np.linalg.norm(row)) or 1.0)
        return found
