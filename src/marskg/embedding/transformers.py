"""Any sentence-transformers model, by the path of its folder or by its name: the extra ``sentence-transformers``.

Guarantees: the library is imported at the first text; nothing is downloaded unless the caller allows it; no code of a
model's author is run; the name holds the digest of the weights, so two models that share a name do not share a store.
Vectors may differ in their last bits with the batch that a text is in, as torch computes them.
"""

from __future__ import annotations

import hashlib
import re
import threading
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from marskg.embedding.weights import check_texts
from marskg.errors import EmbeddingUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.embedding.model import Vectors

#: Texts that the model computes at once; fewer where that fails.
BATCH_TEXTS: Final = 32
_INSTALL: Final = "pip install 'marskg[sentence-transformers]'"


class SentenceTransformersEmbedding:
    """``sentence-transformers:<name>@<digest>``: a model that torch computes."""

    late: Final = False

    def __init__(self, model: str, *, download: bool = False, device: str = "cpu") -> None:
        """Choose the model at the path or of the name ``model``; load it at the first use.

        Args:
            model: a folder with a sentence-transformers model, or a name on the Hugging Face hub.
            download: whether a name that is not in the local cache may be fetched.
            device: where torch computes, such as ``cpu`` or ``cuda``.
        """
        self._model = model
        self._download = download
        self._device = device
        self._lock = threading.Lock()
        self._loaded: tuple[Any, str] | None = None

    @property
    def name(self) -> str:
        """Return the model's name with the digest of its weights; loads the model.

        Raises:
            EmbeddingUnavailable: as :meth:`embed`.
        """
        # Of a path, the last folder is enough: the digest says which model it is.
        short = self._model.rstrip("/").rpartition("/")[2] or "model"
        return f"sentence-transformers:{re.sub(r'[^A-Za-z0-9._-]', '-', short)}@{self._load()[1]}"

    @property
    def dimension(self) -> int:
        """Return the number of components of a vector; loads the model.

        Raises:
            EmbeddingUnavailable: as :meth:`embed`.
        """
        found = self._load()[0].get_embedding_dimension()
        return int(self.embed([""]).shape[1] if found is None else found)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of unit length for each text, ``[n, dimension]``.

        Raises:
            EmbeddingUnavailable: the extra is not installed, or the model is not there and may not be fetched.
            InvalidInput: a text holds a lone surrogate; the message names its position in ``texts``.
        """
        check_texts(texts)
        model = self._load()[0]
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        batch = BATCH_TEXTS
        while True:
            try:
                rows = model.encode(list(texts), batch_size=batch, normalize_embeddings=True, show_progress_bar=False)
                return np.ascontiguousarray(rows, dtype=np.float32)
            except RuntimeError as error:
                # Most often the device is out of memory, which fewer texts at once may mend.
                if batch == 1:
                    msg = f"the sentence-transformers model on {self._device} failed; try the device cpu"
                    raise EmbeddingUnavailable(msg) from error
                batch = max(1, batch // 4)

    def _load(self) -> tuple[Any, str]:
        with self._lock:
            if self._loaded is None:
                model = load_model_of("SentenceTransformer", self._model, self._device, download=self._download)
                self._loaded = model, _digest(model)
            return self._loaded


def load_model_of(kind: str, model: str, device: str = "cpu", *, download: bool = False) -> Any:  # noqa: ANN401 - optional
    """Return the library's class ``kind``, ``SentenceTransformer`` or ``CrossEncoder``, with ``model`` loaded.

    Raises:
        EmbeddingUnavailable: the extra is not installed, or the model is not there and may not be fetched.
    """
    try:
        import sentence_transformers  # noqa: PLC0415 - an extra, and seconds to import
    except ImportError as error:
        msg = f"sentence-transformers is not installed: {_INSTALL}; the product works without it"
        raise EmbeddingUnavailable(msg) from error
    try:
        return getattr(sentence_transformers, kind)(model, device=device, local_files_only=not download)
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        msg = (
            f"the sentence-transformers model {model!r} cannot be loaded: give the path of a folder that "
            "holds one, or fetch it once into the local cache (hf download NAME); nothing is downloaded unasked"
        )
        raise EmbeddingUnavailable(msg) from error


def _digest(model: Any) -> str:  # noqa: ANN401 - see load_model_of
    """Return twelve hexadecimal digits that stand for the model's weights, whatever file they came from."""
    found = hashlib.sha256()
    for name, tensor in sorted(model.named_parameters()):
        found.update(name.encode())
        # Bytes, not numbers: numpy has no bfloat16.
        flat = tensor.detach().cpu().contiguous().flatten()
        found.update(flat.view(dtype=_byte()).numpy().tobytes())
    return found.hexdigest()[:12]


def _byte() -> Any:  # noqa: ANN401 - torch comes with the extra only
    import torch  # noqa: PLC0415 - an extra

    return torch.uint8
