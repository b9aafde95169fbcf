"""Caches of what people say and are called, which an erasure empties: a process that goes on keeps none of it.

Guarantees: after :func:`forget_texts` no cache that was made here holds anything, and neither does that of ``re``,
whose patterns are made of names. Caches of single words are not made here: they say nothing of anybody.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import _lru_cache_wrapper

    T = TypeVar("T")

_EMPTIED: Final[list[Callable[[], None]]] = []


def keeping_texts(most: int) -> Callable[[Callable[..., T]], _lru_cache_wrapper[T]]:
    """Keep up to ``most`` results of a pure function of texts, until something is erased."""

    def keep(function: Callable[..., T]) -> _lru_cache_wrapper[T]:
        kept = lru_cache(maxsize=most)(function)
        _EMPTIED.append(kept.cache_clear)
        return kept

    return keep


def forget_texts() -> None:
    """Keep nothing at hand that was said or looked for: whom it was about may have been erased."""
    for empty in _EMPTIED:
        empty()
    re.purge()
