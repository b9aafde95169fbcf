"""What an embedding model is to the rest of the product.

Guarantees: a model's ``name`` says which vectors may be compared: two models with the same name and dimension give the
same vectors for the same text; rows are of unit length, or all zero for a text in which the model knows nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

#: ``[n, dimension]``, float32, rows of unit length.
Vectors: TypeAlias = npt.NDArray[np.float32]


class EmbeddingModel(Protocol):
    """Turns texts into vectors whose dot product is their similarity."""

    @property
    def name(self) -> str:
        """Return what the store records, such as ``static:l2_supercat_256``."""
        ...

    @property
    def dimension(self) -> int:
        """Return the number of components of a vector."""
        ...

    @property
    def late(self) -> bool:
        """Return whether its vectors are made after the write, which then waits for none: it takes long, in here."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text.

        Raises:
            EmbeddingUnavailable: the model cannot answer now; what needs no vectors goes on working.
        """
        ...


@runtime_checkable
class QuestionModel(EmbeddingModel, Protocol):
    """A model that makes other vectors of questions than of what answers them."""

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each question; see :meth:`EmbeddingModel.embed`."""
        ...


def question_vectors(model: EmbeddingModel, texts: Sequence[str]) -> Vectors:
    """Return one row for each question, to be compared with the rows that :meth:`EmbeddingModel.embed` gives.

    Raises:
        EmbeddingUnavailable: the model cannot answer now.
    """
    return model.embed_questions(texts) if isinstance(model, QuestionModel) else model.embed(texts)
