"""The forward pass of a BERT encoder, in numpy: what all-MiniLM-L6-v2 computes, without a framework.

Guarantees: sequences of one call have one length, so nothing is masked; a sequence has the same numbers alone and in
any company, on any processor: each of its products is one call of the linear algebra library, with a shape that depends
on its length alone (how a row is summed depends, on some processors, on its place among the rows of the call).
Read-only after construction, so several threads may share it. Float32 throughout.
Source: Devlin et al. 2018, section 3.1; Vaswani et al. 2017, section 3; Hendrycks and Gimpel 2016 (GELU).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Floats: TypeAlias = npt.NDArray[np.float32]

_EPSILON: Final = np.float32(1e-12)
#: Abramowitz and Stegun 1964, 7.1.26: erfc to 1.5e-7.
_ERFC: Final = tuple(map(np.float32, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))
_ERFC_P: Final = np.float32(0.3275911)


#: Word pieces that are computed at once: what a layer makes of them stays near the processor.
_PIECES: Final = 512


class Rows(Protocol):
    """The vectors of word pieces, by their numbers."""

    def __getitem__(self, ids: npt.NDArray[np.int64], /) -> Floats:
        """Return ``[..., width]`` for ``ids`` ``[...]``."""
        ...


@dataclass(frozen=True, slots=True)
class _Linear:
    """``x W + b``."""

    weight: Floats
    bias: Floats

    def __call__(self, x: Floats) -> Floats:
        """Multiply ``[count, length, width]`` sequence by sequence."""
        made: Floats = x @ self.weight
        made += self.bias
        return made


@dataclass(frozen=True, slots=True)
class _Norm:
    """Layer normalisation over the last axis."""

    weight: Floats
    bias: Floats

    def __call__(self, x: Floats) -> Floats:
        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + _EPSILON)
        x *= self.weight
        x += self.bias
        return x


@dataclass(frozen=True, slots=True)
class _Layer:
    """Self-attention of several heads and a feed-forward net, each with a residual connection and normalised after."""

    heads: int
    query_key_value: _Linear
    attended: _Linear
    attention_norm: _Norm
    widen: _Linear
    narrow: _Linear
    output_norm: _Norm

    def __call__(self, x: Floats) -> Floats:
        x = self.attention_norm(x + self.attended(self._attention(x)))
        return self.output_norm(x + self.narrow(_gelu(self.widen(x))))

    def _attention(self, x: Floats) -> Floats:
        count, length, width = x.shape
        split = self.query_key_value(x).reshape(count, length, 3, self.heads, width // self.heads)
        query, key, value = split.transpose(2, 0, 3, 1, 4)
        scores = query @ key.transpose(0, 1, 3, 2)
        scores *= np.float32((width // self.heads) ** -0.5)
        mixed: Floats = _softmax(scores) @ value
        return mixed.transpose(0, 2, 1, 3).reshape(count, length, width)


class BertEncoder:
    """Word embeddings, positions and layers of a BERT model."""

    def __init__(self, tensors: Mapping[str, Floats], *, layers: int, heads: int, words: Rows | None = None) -> None:
        """Take the weights by the names of Hugging Face's ``BertModel``; ``words`` if those are elsewhere."""
        self._words: Rows = tensors["embeddings.word_embeddings.weight"] if words is None else words
        # All word pieces are of the first sentence: BERT's second type is for pairs.
        self._positions = (
            tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = _norm(tensors, "embeddings.LayerNorm")
        self._layers = [_layer(tensors, f"encoder.layer.{number}", heads) for number in range(layers)]

    def __call__(self, ids: npt.NDArray[np.int64]) -> Floats:
        """Return the last hidden state ``[n, length, width]`` of word pieces ``[n, length]``."""
        x = self._norm(self._words[ids] + self._positions[: ids.shape[1]])
        for layer in self._layers:
            x = layer(x)
        return x

    def means(self, sequences: Sequence[Sequence[int]]) -> Floats:
        """Return ``[n, width]``: the mean of the last hidden states of each sequence of word pieces (mean pooling)."""
        found: Floats = np.empty((len(sequences), self._positions.shape[1]), dtype=np.float32)
        for places in _batches(sequences):
            found[places] = self(np.array([sequences[place] for place in places])).mean(axis=1)
        return found


def unit(rows: Floats) -> Floats:
    """Return ``rows`` of unit length."""
    found: Floats = rows / np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    return found


def _batches(sequences: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the places of equally long sequences, so many that a batch fits in :data:`_PIECES`."""
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for place, pieces in enumerate(sequences):
        by_length[len(pieces)].append(place)
    for length in sorted(by_length):
        places, size = by_length[length], max(1, _PIECES // length)
        yield from (places[start : start + size] for start in range(0, len(places), size))


def _layer(tensors: Mapping[str, Floats], name: str, heads: int) -> _Layer:
    parts = [_linear(tensors, f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
    return _Layer(
        heads=heads,
        query_key_value=_Linear(
            np.ascontiguousarray(np.concatenate([part.weight for part in parts], axis=1)),
            np.concatenate([part.bias for part in parts]),
        ),
        attended=_linear(tensors, f"{name}.attention.output.dense"),
        attention_norm=_norm(tensors, f"{name}.attention.output.LayerNorm"),
        widen=_linear(tensors, f"{name}.intermediate.dense"),
        narrow=_linear(tensors, f"{name}.output.dense"),
        output_norm=_norm(tensors, f"{name}.output.LayerNorm"),
    )


def _linear(tensors: Mapping[str, Floats], name: str) -> _Linear:
    return _Linear(np.ascontiguousarray(tensors[f"{name}.weight"].T), tensors[f"{name}.bias"])


def _norm(tensors: Mapping[str, Floats], name: str) -> _Norm:
    return _Norm(tensors[f"{name}.weight"], tensors[f"{name}.bias"])


def _softmax(scores: Floats) -> Floats:
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def _gelu(x: Floats) -> Floats:
    """Return ``x Phi(x)``, with the exact distribution function and not the approximation by a hyperbolic tangent."""
    z = np.abs(x)
    z *= np.float32(0.5**0.5)
    t = np.reciprocal(z * _ERFC_P + np.float32(1))
    tail = t * _ERFC[0]
    for coefficient in _ERFC[1:]:
        tail += coefficient
        tail *= t
    np.square(z, out=z)
    np.negative(z, out=z)
    tail *= np.exp(z, out=z)
    # tail is erfc(|x| / sqrt 2), twice the mass beyond |x|.
    tail *= np.abs(x)
    tail *= np.float32(0.5)
    made: Floats = np.maximum(x, np.float32(0))
    made -= tail
    return made
