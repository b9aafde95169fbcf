"""Vectors in the store: what is refused, and how fast many are read."""

from __future__ import annotations

import time
from base64 import b64encode

import numpy as np
import pytest

from marskg.embedding.packing import pack, unpack
from marskg.errors import EmbeddingMismatch, InvalidInput


def test_the_form_is_float16_little_endian_in_base64() -> None:
    assert pack([1.0, -2.0]) == b64encode(b"\x00\x3c\x00\xc0").decode()
    assert unpack(["ADwAwA=="], 2).tolist() == [[1.0, -2.0]]


def test_nothing_unpacks_to_no_rows() -> None:
    assert unpack([], 256).shape == (0, 256)


@pytest.mark.parametrize("vector", [[[1.0, 2.0]], 1.0, [float("nan")], [float("inf")], [70_000.0]])
def test_what_cannot_be_kept_is_refused(vector: object) -> None:
    with pytest.raises(InvalidInput, match="a vector to be stored"):
        pack(vector)  # type: ignore[arg-type]  # bad input on purpose


@pytest.mark.parametrize(("bad", "size"), [("ADw=", "1"), ("ADwAwAA8", "3"), ("ADwAwAA=", r"2\.5"), ("", "0")])
def test_another_dimension_is_refused_with_its_place(bad: str, size: str) -> None:
    with pytest.raises(EmbeddingMismatch, match=f"stored vector 1 has {size} components, not 2"):
        unpack(["ADwAwA==", bad], 2)


@pytest.mark.parametrize("bad", ["ADwAwA", "ADwA\nwA==", "ADwAé===", "not base64"])
def test_what_is_not_base64_is_refused(bad: str) -> None:
    with pytest.raises(InvalidInput, match="stored vector 0 is not base64"):
        unpack([bad], 2)


def test_a_stored_nan_is_refused_with_its_place() -> None:
    nan = b64encode(np.array([1, np.nan], dtype="<f2").tobytes()).decode()
    with pytest.raises(InvalidInput, match="stored vector 1 holds what is no number"):
        unpack([pack([1, 0]), nan], 2)


@pytest.mark.proof
def test_a_hundred_thousand_are_read_in_a_second() -> None:
    rows = np.random.default_rng(1).standard_normal((1000, 256)).astype(np.float32)
    packed = [pack(row) for row in rows] * 100
    assert min(seconds_to_unpack(packed) for _ in range(3)) < 1


def seconds_to_unpack(packed: list[str]) -> float:
    """Return the processor's time, which others on this machine still stretch."""
    start = time.process_time()
    assert unpack(packed, 256).shape == (len(packed), 256)
    return time.process_time() - start
