"""What ``make proof`` does and ``make test`` does not: whole campaigns, and the full numbers of the others.

``scripts/proof.py`` sets PROOF=1. Without it a test marked ``proof`` is left out (tests/conftest.py), and a test that
asks :func:`amount` does little: ``make test`` is decided in a quarter of an hour, and by the commit alone.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from _pytest.mark import ParameterSet

T = TypeVar("T")

PROOF: Final = os.environ.get("PROOF") == "1"


def amount(few: int, whole: int) -> int:
    """Return how much of something is tried: ``few`` in ``make test``, ``whole`` in ``make proof``."""
    return whole if PROOF else few


def some(values: Iterable[T], every: int, name: Callable[[T], str] = str) -> list[ParameterSet]:
    """Return parameters of a test: ``make test`` takes the first of ``every`` so many, ``make proof`` all."""
    return [
        pytest.param(value, id=name(value), marks=pytest.mark.proof if place % every else [])
        for place, value in enumerate(values)
    ]
