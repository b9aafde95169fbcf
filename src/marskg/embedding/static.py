"""The default model: a table of 32,000 word pieces by 256 numbers; a text is the mean of its pieces' rows.

Guarantees: works as installed, without network, key or server; a text has the same bytes alone, in any batch and in
any thread; a text without a word piece, or of blanks alone, is a zero row; all of a text counts, however long it is.
The table and its tokenizer are files in the wheel of ``wordllama`` (MIT), whose code is not used: its loader asks the
network. Source: Miller 2024, WordLlama (``l2_supercat_256``); Wieting et al. 2016 for averaging word vectors.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.embedding.weights import ModelFiles, check_texts
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from marskg.embedding.model import Vectors
    from marskg.embedding.weights import WordPieces

DIMENSION: Final = 256
_FILES: Final = ModelFiles("wordllama", "pip install --no-deps wordllama==0.4.0.post1")
_WEIGHTS: Final = "weights/l2_supercat_256.safetensors"
_WEIGHTS_SHA256: Final = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
_TOKENIZER: Final = "tokenizers/l2_supercat_tokenizer_config.json"
_TOKENIZER_SHA256: Final = "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"
#: Words between single blanks, where no special token and no mark of a blank is spelled out: no piece of the vocabulary
#: crosses a blank, so such a text has the pieces of its words.
_WORDWISE: Final = late_regex(r"[^ <\u2581]+(?: [^ <\u2581]+)*")
#: Words whose pieces are kept, and the longest of them; people's words repeat.
_KEPT_WORDS: Final = 50_000
_LONGEST_KEPT: Final = 32
#: Rows of the table that are added up at once: 4 MB of them.
_ROWS: Final = 4096
#: What a zero row is divided by.
_SMALLEST: Final = np.finfo(np.float32).tiny


class StaticEmbedding:
    """``static:l2_supercat_256``: the mean of static vectors. Reads its files at the first text."""

    name: Final = "static:l2_supercat_256"
    dimension: Final = DIMENSION
    late: Final = False

    def __init__(self) -> None:
        """Read nothing yet."""
        self._lock = threading.Lock()
        self._table: _Table | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of unit length for each text, ``[n, 256]``; a zero row where there is no word.

        Raises:
            EmbeddingUnavailable: the weights are not installed; the message says how to get them offline.
            InvalidInput: a text holds a lone surrogate; the message names its position in ``texts``.
        """
        check_texts(texts)
        return self._loaded().means(texts)

    def _loaded(self) -> _Table:
        with self._lock:
            if self._table is None:
                self._table = _Table()
            return self._table


@cache
def word_table() -> tuple[npt.NDArray[np.float16], WordPieces]:
    """Return the rows of all word pieces and the tokenizer, read once for the stores that a process opens.

    The rows stay on the disk, and memory holds those that are used.
    """
    rows = _FILES.table(_WEIGHTS, _WEIGHTS_SHA256, "embedding.weight")
    return rows, _FILES.word_pieces(_TOKENIZER, _TOKENIZER_SHA256)


class _Table:
    """The rows of all word pieces, and the pieces of words met before."""

    def __init__(self) -> None:
        self._rows, self._pieces = word_table()
        self._words: dict[str, list[int]] = {}

    def means(self, texts: Sequence[str]) -> Vectors:
        """Return the normalised mean of each text's rows. The sum has its direction, so nothing is divided twice."""
        found = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        # Text by text: its sum does not depend on its neighbours.
        for row, pieces in zip(found, self._pieces_of(texts), strict=True):
            if len(pieces) <= _ROWS:
                if pieces:
                    np.add.reduce(self._taken(pieces), axis=0, out=row)
                continue
            for start in range(0, len(pieces), _ROWS):
                np.add(row, self._taken(pieces[start : start + _ROWS]).sum(axis=0), out=row)
        lengths = np.sqrt(np.square(found).sum(axis=1, keepdims=True))
        found /= np.maximum(lengths, _SMALLEST)
        return found

    def _taken(self, pieces: Sequence[int]) -> Vectors:
        return self._rows.take(pieces, axis=0).astype(np.float32)

    def _pieces_of(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Yield the word pieces of each text."""
        others = [place for place, text in enumerate(texts) if not _WORDWISE.fullmatch(text)]
        whole = dict(
            zip(others, self._pieces.ids_of_all([texts[place] for place in others], framed=False), strict=True)
        )
        for place, text in enumerate(texts):
            if not text.strip():
                yield []
            elif place in whole:
                yield whole[place]
            else:
                yield self._wordwise(text)

    def _wordwise(self, text: str) -> list[int]:
        known, found = self._words, []
        for word in text.split(" "):
            pieces = known.get(word)
            if pieces is None:
                pieces = self._pieces.ids(word, framed=False)
                if len(word) <= _LONGEST_KEPT:
                    if len(known) >= _KEPT_WORDS:
                        known.clear()
                    known[word] = pieces
            found += pieces
        return found
