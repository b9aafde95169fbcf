"""Reads what an ``/embeddings`` endpoint answers, and refuses what is not one usable row for each text.

Guarantees: pure functions; rows come back in the order of the texts, whatever the order of the answer, and have unit
length; numbers may be a list or base64 of little-endian float32. No message repeats any of the answer.
Source: OpenAI API reference, "Create embeddings".
"""

from __future__ import annotations

import json
from binascii import Error, a2b_base64
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from marskg.errors import EmbeddingUnavailable

if TYPE_CHECKING:
    from marskg.embedding.model import Vectors

#: The largest model in use has 12,288.
_MOST_COMPONENTS: Final = 65_536


def read_rows(answer: bytes, count: int, dimension: int | None, whose: str) -> Vectors:
    """Return the vectors of an answer for ``count`` texts, ``[count, dimension]``, of unit length.

    Args:
        answer: the body of the answer.
        count: how many texts were sent.
        dimension: components that a vector must have; None where any number will do.
        whose: how a message calls the server.

    Raises:
        EmbeddingUnavailable: another count, order, dimension, or numbers that are not finite or all zero.
    """
    items = _items(answer, whose)
    if len(items) != count:
        msg = f"{whose} answered {len(items)} vectors for {count} texts: it does not keep to the protocol"
        raise EmbeddingUnavailable(msg)
    rows = [_row(item, whose) for item in _in_order(items, whose)]
    wanted = dimension or len(rows[0])
    if wanted > _MOST_COMPONENTS:
        msg = f"{whose} answered a vector of {wanted} components, more than {_MOST_COMPONENTS}: choose another model"
        raise EmbeddingUnavailable(msg)
    if {len(row) for row in rows} != {wanted}:
        other = next((len(row) for row in rows if len(row) != wanted), wanted)
        msg = f"{whose} answered a vector of {other} components, not {wanted}: is it still the same model?"
        raise EmbeddingUnavailable(msg)
    found = np.stack(rows)
    lengths = np.sqrt(np.square(found, dtype=np.float64).sum(axis=1, keepdims=True))
    if not np.isfinite(lengths).all() or not lengths.all():
        msg = f"{whose} answered a vector that is zero or not of finite numbers: the model failed; ask its operator"
        raise EmbeddingUnavailable(msg)
    return np.asarray(found / lengths, dtype=np.float32)


def _items(answer: bytes, whose: str) -> list[Any]:
    try:
        items = json.loads(answer)["data"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _not_of_the_protocol(whose) from error
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise _not_of_the_protocol(whose)
    return items


def _in_order(items: list[dict[str, Any]], whose: str) -> list[dict[str, Any]]:
    """Return ``items`` by their index; servers that give none keep the order of the texts."""
    given = [item.get("index") for item in items]
    if all(index is None for index in given):
        return items
    places = {index: item for index, item in zip(given, items, strict=True) if type(index) is int}
    if set(places) != set(range(len(items))):
        msg = f"{whose} answered vectors without an index for each text: it does not keep to the protocol"
        raise EmbeddingUnavailable(msg)
    return [places[index] for index in range(len(items))]


def _row(item: dict[str, Any], whose: str) -> Vectors:
    numbers = item.get("embedding")
    try:
        if isinstance(numbers, str):
            return np.frombuffer(a2b_base64(numbers, strict_mode=True), dtype="<f4").astype(np.float32)
        if isinstance(numbers, list) and all(type(number) in {int, float} for number in numbers):
            with np.errstate(over="ignore"):
                return np.array(numbers, dtype=np.float32)
    except (Error, ValueError, OverflowError) as error:
        raise _not_of_the_protocol(whose) from error
    raise _not_of_the_protocol(whose)


def _not_of_the_protocol(whose: str) -> EmbeddingUnavailable:
    return EmbeddingUnavailable(
        f"{whose} answered something else than a list of vectors: check that the base URL is that of an "
        "OpenAI-compatible server, and that the model makes embeddings"
    )
